"""What MJCF says, as a mechanism and in the report: joints of one body, loads, motors, contacts, starts, bad input."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from symvi.errors import MechanismError
from symvi.importers import Imported, load
from symvi.mechanism import Mechanism
from symvi.mechanism.start_motion import start_state
from symvi.simulate.coordinates import coordinates_of, state_from
from symvi.simulate.simulator import Simulator
from tests.importers.mjcf_files import files_of, outcome, package_folders
from tests.importers.mjcf_texts import model

pytest.importorskip("mujoco", reason="needs the extra mjcf")

BALL = '<geom size="0.1" mass="1"/>'
PENDULUM = '<body name="a" pos="0 0 1"><joint name="p" axis="1 0 0" {}/><geom pos="0 0 -1" size="0.1" mass="1"/></body>'


def read(text: str, folder: Path, **options: object) -> Imported:
    path = folder / "model.xml"
    path.write_text(text)
    return load(path, **options)


def refused(text: str, folder: Path, **options: object) -> str:
    begin = time.perf_counter()
    with pytest.raises(MechanismError) as caught:
        read(text, folder, **options)
    assert time.perf_counter() - begin < 20.0
    return str(caught.value)


def told(found: Imported, *kinds) -> str:
    return "\n".join(str(notice) for notice in found.report.of(*kinds))


def joints(kinds: str, **attributes: str) -> str:
    """A body with joints, "slide 1 0 0, hinge 0 0 1"."""
    words = [kind.split(" ", 1) for kind in kinds.split(", ")]
    more = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    inner = "".join(f'<joint name="q{k}" type="{kind}" axis="{axis}" {more}/>' for k, (kind, axis) in enumerate(words))
    return model(world=f'<body name="b">{inner}{BALL}</body>')


# --- joints -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "kinds, type_, places",
    [
        ("hinge 1 0 0, hinge 0 1 0", "universal", [0, 1]),
        ("slide 0 0 1, hinge 0 0 1", "cylindrical", [0, 1]),
        ("hinge 0 0 1, slide 0 0 1", "cylindrical", [1, 0]),
        ("slide 1 0 0, slide 0 1 0", "planar", [0, 1]),
        ("slide 1 0 0, slide 0 0 1, hinge 0 1 0", "planar_axis", [1, 0, 2]),
        ("slide 0 1 0, slide 0 0 1, slide 1 0 0", "fixed_orientation", [1, 2, 0]),
    ],
)
def test_joints_of_a_body_become_the_joint_that_moves_alike(
    kinds: str, type_: str, places: list[int], tmp_path: Path
) -> None:
    found = read(joints(kinds), tmp_path)
    (joint,) = found.mechanism.joints
    assert joint.type == type_ and found.mechanism.body_names == ("b",)
    assert [found.joints[f"q{k}"] for k in range(len(places))] == [(joint.name, place) for place in places]


def test_three_hinges_stay_three_with_next_to_nothing_between(tmp_path: Path) -> None:
    found = read(joints("hinge 1 0 0, hinge 0 1 0, hinge 0.6 0 0.8"), tmp_path)
    masses = sorted(body.mass for body in found.mechanism.bodies)
    assert masses == pytest.approx([1e-6, 1.0]) and "1e-06 of its mass" in told(found, "approximated")
    assert found.links.keys() == {"b"}


def test_a_universal_joint_is_none_where_motors_or_armature_want_single_coordinates(tmp_path: Path) -> None:
    found = read(joints("hinge 1 0 0, hinge 0 1 0", armature="0.1"), tmp_path)
    assert {joint.type for joint in found.mechanism.joints} == {"revolute"} and len(found.mechanism.couplings) == 2


def test_armature_slows_a_hinge_and_leaves_its_energy_in_the_band(tmp_path: Path) -> None:
    """A pendulum of 1 kg at 1 m and a ball's own inertia J, with a rotor I: small swings at sqrt(m g l / (J + I))."""
    moment = 1.0 + 0.4 * 0.01 + 0.5
    found = read(model(world=PENDULUM.format('armature="0.5"')), tmp_path)
    start = state_from(found.mechanism, {"p": 0.01})
    run = Simulator(found.mechanism).simulate(20.0, 0.01, start=start)
    angle = run.coordinates("p")[:, 0]
    wanted = 0.01 * np.cos(np.sqrt(9.81 / moment) * run.time)
    assert np.abs(angle - wanted).max() < 1e-3 * 0.01 * 20
    assert np.ptp(run.energy) < 1e-4 * 9.81 * 0.01**2


def test_dry_friction_of_a_motor_that_outweighs_what_it_moves(tmp_path: Path) -> None:
    """A tip of a microgram on a wrist: the motor turns on, slowed by friction at -bound / (I + J), until it rests."""
    mass = '<inertial pos="0 0 0" mass="1e-9" diaginertia="1e-13 1e-13 1e-13"/>'
    tip = f'<body name="t"><joint name="w" axis="1 0 0" armature="2" frictionloss="0.5"/>{mass}</body>'
    wrist = f'<body name="b"><joint name="h" axis="0 1 0"/>{BALL}{tip}</body>'
    found = read(model('<option gravity="0 0 0"/>', world=wrist), tmp_path)
    start = state_from(found.mechanism, {"w": 0.0}, velocities={"w": 0.1})
    rates = Simulator(found.mechanism).simulate(1.0, 0.01, start=start).rates("w")[:, 0]
    assert rates[20] == pytest.approx(0.1 - 0.25 * 0.2, rel=1e-6) and abs(rates[-1]) < 1e-6


def test_coordinates_are_those_of_the_file_with_its_references(tmp_path: Path) -> None:
    found = read(model(world=PENDULUM.format('ref="30" springref="10" stiffness="2" range="-50 60"')), tmp_path)
    assert coordinates_of(found.mechanism, "p", start_state(found.mechanism))[0] == pytest.approx([np.pi / 6])
    spring = next(force for force in found.mechanism.forces if force.kind == "joint_spring")
    assert spring.rest == pytest.approx(np.pi / 18) and spring.stiffness == 2.0
    (limit,) = found.mechanism.limits
    assert (limit.lower, limit.upper) == pytest.approx((-50 * np.pi / 180, np.pi / 3))


def test_damping_friction_and_motors(tmp_path: Path) -> None:
    actuators = (
        '<actuator><motor name="m" joint="p" gear="3"/><position name="s" joint="p" kp="5" kv="2" gear="2"/>'
        '<velocity name="v" joint="p" kv="4"/><motor name="t" tendon="w"/></actuator>'
        '<tendon><fixed name="w"><joint joint="p" coef="1"/></fixed></tendon>'
    )
    found = read(model(actuators, world=PENDULUM.format('damping="0.3" frictionloss="0.2"')), tmp_path)
    forces = {force.name: force for force in found.mechanism.forces}
    assert forces["p_damping"].damping == 0.3 and forces["p_friction"].bound == 0.2
    assert (forces["s"].stiffness, forces["s"].damping) == (20.0, 8.0)
    assert (forces["v"].stiffness, forces["v"].damping) == (0.0, 4.0)
    assert "actuator 'm': motor: an input, the force or torque on the joint: 3 times MuJoCo's" in told(found, "taken")
    assert "model.xml:2: ignored: actuator 't'" in told(found, "ignored")


@pytest.mark.parametrize(
    "kind, word", [("hinge", "taken"), ("slide", "taken"), ("ball", "approximated"), ("free", "approximated")]
)
def test_dry_friction_of_three_rotations_is_about_other_axes_than_in_mujoco(
    kind: str, word: str, tmp_path: Path
) -> None:
    """A body turned by an eighth about z spins about its own x axis, with a friction of 0.5 along every axis.

    In MuJoCo 0.5 about that axis slows it; about the world's x and y axes each it is 0.5, more by the root of two.
    """
    quaternion = f"{np.cos(np.pi / 8)} 0 0 {np.sin(np.pi / 8)}"
    key = {"ball": f'qpos="{quaternion}" qvel="1 0 0"', "free": f'qpos="0 0 0 {quaternion}" qvel="0 0 0 1 0 0"'}
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="2 2 2"/>'
    world = f'<body name="b"><joint name="j" type="{kind}" frictionloss="0.5"/>{inertial}</body>'
    start = f'<keyframe><key name="k" {key.get(kind, "")}/></keyframe>'
    found = read(model('<option gravity="0 0 0"/>', start, world=world), tmp_path, start="k")
    assert "joint 'j': frictionloss" in told(found, word)
    if kind in key:
        run = Simulator(found.mechanism).simulate(0.1, 0.01)
        rate = run.angular_velocity[-1, 0] - run.angular_velocity[0, 0]
        in_mujoco = -0.5 / 2.0 * 0.1
        assert rate == pytest.approx(
            [np.sqrt(2.0) * in_mujoco, 0.0, 0.0], abs=1e-6
        )  # what the friction's solver leaves
        with pytest.raises(MechanismError, match="in MuJoCo about those of the body"):
            load(tmp_path / "model.xml", strict=True)


def test_flags_switch_off_what_they_name(tmp_path: Path) -> None:
    text = '<option><flag gravity="disable" limit="disable" frictionloss="disable"/></option>'
    found = read(model(text, world=PENDULUM.format('range="-10 10" frictionloss="1"')), tmp_path).mechanism
    assert found.gravity == (0.0, 0.0, 0.0) and not found.limits and not found.forces


# --- contacts, starts -------------------------------------------------------------------------------------------------
def test_a_ball_comes_to_rest_on_the_plane_of_the_file(tmp_path: Path) -> None:
    """The plane stands at z = 0.5 and leans by 10 degrees; friction is the larger of the two, as MuJoCo has it."""
    ground = '<geom name="floor" type="plane" size="5 5 1" pos="0 0 0.5" euler="10 0 0" friction="0.9"/>'
    box = '<body name="box" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.1" friction="0.4"/></body>'
    found = read(model(world=ground + box), tmp_path, contacts="collision")
    contacts = found.mechanism.contacts
    normal = (0.0, -np.sin(np.pi / 18), np.cos(np.pi / 18))
    assert len(contacts) == 8 and {contact.friction for contact in contacts} == {0.9}
    assert contacts[0].normal == pytest.approx(normal) and contacts[0].parent_anchor == (0.0, 0.0, 0.5)
    run = Simulator(found.mechanism).simulate(2.0, 0.005)
    assert np.linalg.norm(run.velocity[-1, 0]) < 1e-6
    assert (run.position[-1, 0] - (0, 0, 0.5)) @ normal == pytest.approx(0.1, abs=1e-6)


def test_contacts_that_are_not_asked_for_are_told(tmp_path: Path) -> None:
    found = read(model(world=f'<geom type="plane" size="1 1 1"/><body name="b"><freejoint/>{BALL}</body>'), tmp_path)
    assert not found.mechanism.contacts and "unless contacts are asked for" in told(found, "ignored")
    with pytest.raises(MechanismError, match="strict allows none"):
        load(tmp_path / "model.xml", strict=True)


def test_keyframes_are_starts(tmp_path: Path) -> None:
    keys = '<keyframe><key name="up" qpos="1 2 3 0.8 0.6 0 0 0.5" qvel="1 0 0 0 0.2 0 3"/></keyframe>'
    world = f'<body name="b"><freejoint name="f"/>{BALL}<body name="c"><joint name="h"/>{BALL}</body></body>'
    found = read(model(keys, world=world), tmp_path)
    state = state_from(found.mechanism, **found.starts["up"])
    row = state.index("b")
    assert state.position[row] == pytest.approx([1, 2, 3]) and state.orientation[row] == pytest.approx([0.8, 0.6, 0, 0])
    assert state.angular_velocity[row] == pytest.approx([0, 0.2, 0], abs=1e-12)
    assert coordinates_of(found.mechanism, "h", state) == (pytest.approx([0.5]), pytest.approx([3.0]))
    same = load(tmp_path / "model.xml", start="up")
    assert start_state(same.mechanism).position[row] == pytest.approx([1, 2, 3])
    assert "did you mean 'up'" in refused(model(keys, world=world), tmp_path, start="upp")


def test_what_is_written_back_is_the_same(tmp_path: Path) -> None:
    found = read(joints("slide 1 0 0, slide 0 0 1, hinge 0 1 0", damping="0.2"), tmp_path).mechanism
    assert Mechanism.from_toml(found.to_toml()) == found


def test_included_files_keep_their_own_lines(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text(
        f'<mujocoinclude>\n\n<body name="b"><joint/>{BALL}</body></mujocoinclude>'
    )
    found = read(model(world='<include file="parts/arm.xml"/>'), tmp_path)
    body = next(notice for notice in found.report.of("taken") if notice.what == "body")
    assert body.source.file.endswith("arm.xml") and body.source.line == 3


# --- bad input --------------------------------------------------------------------------------------------------------
def test_softness_is_ignored_with_a_word_at_its_line(tmp_path: Path) -> None:
    text = '<default><joint solreflimit="0.1 1"/></default>\n<option timestep="0.01"/>'
    lines = told(read(model(text, world=PENDULUM.format('solimplimit="0.9 0.9 0.01"')), tmp_path), "ignored")
    assert "model.xml:2: ignored: default class 'main': solreflimit of <joint>" in lines
    assert "timestep" not in lines
    assert "model.xml:4: ignored: joint 'p': solimplimit of <joint>" in lines


def test_what_the_motion_does_not_depend_on_is_skipped(tmp_path: Path) -> None:
    """Pictures, settings of the solver, bounds of inputs, and softness that is what MuJoCo takes anyway."""
    parts = [
        '<option timestep="0.01" integrator="RK4" density="0"/><visual/><statistic/><size/>',
        '<default><geom condim="3" solref="0.02 1" solimp="0.9 0.95" contype="0" conaffinity="0"/></default>',
        '<actuator><motor joint="p" ctrllimited="true" ctrlrange="-1 1"/></actuator>',
    ]
    found = read(model(*parts, world=PENDULUM.format('margin="0.0"') + "<light/>"), tmp_path, strict=True)
    skipped = told(found, "skipped")
    for words in (
        "model.xml:2: skipped: timestep of <option>",
        "model.xml:2: skipped: density of <option>: is MuJoCo's default",
        "model.xml:3: skipped: default class 'main': solimp of <geom>: is MuJoCo's default",
        "ctrlrange of <motor>: bounds of an input",
        "skipped: joint 'p': margin of <joint>",
        "<light>",
    ):
        assert words in skipped


LOSSES = {
    "softness": ('<default><joint solreflimit="0.1 1"/></default>', "", "solreflimit of <joint>"),
    "a fluid": ('<option density="1000"/>', "", "density of <option>"),
    "another contact": ('<default><geom condim="4"/></default>', "", "condim of <geom>"),
    "a bound of a force": ('<actuator><motor joint="p" forcerange="-1 1"/></actuator>', "", "forcerange of <motor>"),
    "a pair": (
        '<default><geom contype="0" conaffinity="0"/></default><contact><pair geom1="a1" geom2="a2"/></contact>',
        '<geom name="a2" size="1"/><body><joint/><geom name="a1" size="1"/></body>',
        "contacts: none, unless",
    ),
    "a spring that yields": ('<default><joint springyield="0.2"/></default>', "", "springyield of <joint>"),
    "a tendon's spring": (
        '<tendon><fixed stiffness="3"><joint joint="p" coef="1"/></fixed></tendon>',
        "",
        "stiffness of <fixed>",
    ),
    "a delay": ('<actuator><motor joint="p" delay="0.1" nsample="3"/></actuator>', "", "delay of <motor>"),
}


@pytest.mark.parametrize("kind", LOSSES)
def test_what_the_motion_depends_on_is_a_loss(kind: str, tmp_path: Path) -> None:
    part, world, words = LOSSES[kind]
    text = model(part, world=PENDULUM.format("") + world)
    assert words in told(read(text, tmp_path), "ignored")
    with pytest.raises(MechanismError, match="strict allows none"):
        load(tmp_path / "model.xml", strict=True)


def test_exclusions_of_contacts_are_no_loss(tmp_path: Path) -> None:
    text = '<contact><exclude body1="b" body2="c"/></contact>'
    world = f'<body name="b"><freejoint/>{BALL}<body name="c"><joint/>{BALL}</body></body>'
    read(model(text, world=world), tmp_path, strict=True)


@pytest.mark.parametrize(
    "geoms, lost",
    [
        (("", 'contype="0" conaffinity="0"'), 0),  # nothing to meet
        (("", ""), 0),  # parent and child do not meet
        (('contype="2" conaffinity="2"', 'contype="2"', 'contype="4" conaffinity="4"'), 0),  # the third has other bits
        (("", "", ""), 2),  # the first and the third meet
        (('contype="2" conaffinity="0"', "", 'contype="0" conaffinity="2"'), 2),  # one's bit is enough
    ],
)
def test_contacts_are_lost_only_where_geoms_can_meet(geoms: tuple[str, ...], lost: int, tmp_path: Path) -> None:
    """A chain of bodies with a ball each, as MuJoCo filters their contacts."""
    world = ""
    for k, bits in reversed(list(enumerate(geoms))):
        world = f'<body pos="1 0 0"><joint name="j{k}"/><geom size="0.1" {bits}/>{world}</body>'
    assert told(read(model(world=world), tmp_path), "ignored").count("contacts: none, unless") == lost


@pytest.mark.parametrize(
    "world, words",
    [
        ('<body name="b"><joint/><inertial mass="abc" pos="0 0 0" diaginertia="1 1 1"/></body>', "bad format"),
        ('<body name="b"><joint/><geom size="nan"/></body>', "must be finite"),
        ('<body name="b"><joint/><geom size="1e999"/></body>', "model.xml:2"),
        ('<body name="b"><joint/><geom siez="1"/></body>', "did you mean 'size'?"),
        ('<body name="b"><jiont/><geom size="1"/></body>', "did you mean 'joint'?"),
        ('<bdy name="b"><joint/><geom size="1"/></bdy>', "did you mean 'body'?"),
        (f'<body name="b"><joint/>{BALL}</body><body name="b"><joint/>{BALL}</body>', "repeated name 'b'"),
        ('<body name="b"><joint/></body>', "give the body <inertial>"),
        (f'<body name="b">{BALL}</body>', "nothing in it moves; give a body a joint that no equality holds"),
        (f'<body name="b"><joint class="c"/>{BALL}</body>', "unknown default class"),
        (f'<replicate count="1000000"><body><joint/>{BALL}</body></replicate>', "more than 5000"),
        ("".join('<replicate count="99">' for _ in range(9)) + "<body/>" + "</replicate>" * 9, "more than 5000"),
        ('<body name="b"><joint/><composite type="grid" count="9 9 1"/></body>', "symvi's bodies are rigid"),
        (f'<body name="b"><joint/>{BALL}<plugin plugin="mujoco.pid"/></body>', "which is not run"),
        ('<include file="/etc/passwd"/>', "outside the folders given; allow its folder"),
        ('<include file="../../../../../../etc/passwd"/>', "lies outside"),
        ('<include file="nowhere.xml"/>', "there is no such file"),
        ('<include file="model.xml"/>', "is included already"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(world: str, words: str, tmp_path: Path) -> None:
    message = refused(model(world=world), tmp_path)
    assert words in message and "model.xml:" in message


def test_a_mesh_that_is_missing_matters_only_where_it_gives_the_mass(tmp_path: Path) -> None:
    asset = '<asset><mesh name="m" file="nowhere.stl"/><texture name="t" type="2d" file="no.png"/></asset>'
    mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    body = '<body name="b"><joint/>{}<geom type="mesh" mesh="m"/></body>'
    found = read(model(asset, world=body.format(mass)), tmp_path)
    assert "there is no such file; only a viewer would show it" in told(found, "ignored")
    message = refused(model(asset, world=body.format("")), tmp_path)
    assert "model.xml:3: body 'b': its mass comes from the mesh 'nowhere.stl'" in message and "<inertial>" in message


def test_names_of_any_kind_are_made_names(tmp_path: Path) -> None:
    world = f'<body name="int x; //"><joint name="../../a"/>{BALL}</body><body><joint/>{BALL}</body>'
    found = read(model(world=world), tmp_path)
    assert all(name.isidentifier() for name in (*found.mechanism.body_names, *(j.name for j in found.mechanism.joints)))
    assert found.links.keys() == {"int x; //", "body_2"}


def test_nothing_is_written_into_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo logs warnings to a file there unless someone else takes them."""
    monkeypatch.chdir(tmp_path)
    read(model('<compiler settotalmass="2"/>', world=PENDULUM.format("")), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"model.xml"}


def test_the_files_of_installed_packages_are_read_or_refused_with_a_remedy() -> None:
    """Of gymnasium and dm_control as far as they are here; tests/importers/mjcf_files.py simulates all of them."""
    folders = [folder for folder in package_folders()]
    for folder in folders:
        for path in files_of(folder):
            assert outcome(path, folder, simulates=False)[0] in ("read", "refused"), path
