"""Joints whose child is part of the world, or of a body in whose frame they do not count: their coordinates stay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from symvi.errors import MechanismError
from symvi.importers import Imported, load
from symvi.mechanism.rotation import conjugate, multiply, rotate, rotation_vector
from symvi.simulate.coordinates import coordinates_of, state_from
from symvi.simulate.simulator import Simulator
from tests.importers.mjcf_texts import model
from tests.importers.urdf_texts import joint, link, robot

mujoco = pytest.importorskip("mujoco", reason="needs the extra mjcf")
STEP = 1e-5
HINGES = ("j1", "j2", "j3", "j4")
HELD = '<equality><weld body1="tip"/></equality>'
LOADS = {
    "nothing": ("", ""),
    "a motor": ("", '<motor name="m" joint="j4" gear="0.6"/>'),
    "a servo": ("", '<position name="m" joint="j4" kp="5" kv="0.1"/>'),
    "a spring": ('stiffness="4" springref="20"', ""),
    "a rotor": ('armature="0.2"', '<motor name="m" joint="j4"/>'),
    "a reference": ('ref="30"', '<position name="m" joint="j4" kp="5"/>'),
}


def chain(on_last: str = "", *parts: str) -> str:
    """A parallelogram as bodies in each other, whose last one a weld holds to the world."""
    hinge = '<joint name="j{}" axis="0 1 0" damping="0.1" {}/>'
    rod = '<geom type="capsule" fromto="0 0 0 {}" size="0.02"/>'
    world = (
        f'<body name="a" pos="0.1 0.2 0.3">{hinge.format(1, "")}{rod.format("0.3 0 1")}'
        f'<body name="b" pos="0.3 0 1">{hinge.format(2, "")}{rod.format("1 0 0")}'
        f'<body name="c" pos="1 0 0">{hinge.format(3, "")}{rod.format("-0.3 0 -1")}'
        f'<body name="tip" pos="-0.3 0 -1">{hinge.format(4, on_last)}'
        f'<geom size="0.03"/></body></body></body></body>'
    )
    return model(HELD, *parts, world=world)


def read(text: str, folder: Path, ending: str = "xml", **options: object) -> Imported:
    path = folder / f"model.{ending}"
    path.write_text(text)
    return load(path, **options)


def held_acceleration(path: Path, control: float) -> np.ndarray:
    """MuJoCo's forces on the coordinates at rest, with the tip held exactly: N (N' M N)^-1 N' f, with J N = 0."""
    peer = mujoco.MjModel.from_xml_path(str(path))
    peer.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EQUALITY) | int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data = mujoco.MjData(peer)
    data.ctrl[:] = control
    mujoco.mj_forward(peer, data)
    rows = np.zeros((6, peer.nv))
    mujoco.mj_jacBody(peer, data, rows[:3], rows[3:], peer.nbody - 1)
    _, sizes, directions = np.linalg.svd(rows)
    free = directions[int((sizes > 1e-6).sum()) :].T
    mass = np.zeros((peer.nv, peer.nv))
    for k, unit in enumerate(np.eye(peer.nv)):
        mujoco.mj_mulM(peer, data, mass[k], unit)
    return free @ np.linalg.solve(free.T @ mass @ free, free.T @ data.qfrc_smooth)


@pytest.mark.parametrize("load_of", LOADS)
def test_what_acts_on_the_hinge_that_the_world_holds_acts_as_in_the_file(load_of: str, tmp_path: Path) -> None:
    on_last, motors = LOADS[load_of]
    found = read(chain(on_last, f"<actuator>{motors}</actuator>"), tmp_path)
    control = 0.7
    given = {}
    if "motor" in motors:
        given = {"m.force": control * (0.6 if "gear" in motors else 1.0)}
    elif motors:
        given = {"m.target": control}
    run = Simulator(found).simulate(STEP, STEP, inputs={name: np.full(2, value) for name, value in given.items()})
    own = [float(coordinates_of(found.mechanism, name, run.state(-1))[1][0]) / STEP for name in HINGES]
    expected = held_acceleration(tmp_path / "model.xml", control)
    assert np.abs(expected).max() > 0.05
    assert np.abs(np.array(own) - expected).max() < 1e-3 * np.abs(expected).max()


def test_a_gear_that_fits_the_linkage_leaves_it_its_motion(tmp_path: Path) -> None:
    """In a parallelogram the last angle is the opposite of the first."""
    free = read(chain(), tmp_path)
    gear = '<equality><joint joint1="j1" joint2="j4" polycoef="0 -1 0 0 0"/></equality>'
    geared = read(chain("", gear), tmp_path)
    ends = [Simulator(item).simulate(0.2, 0.01).coordinates("j1")[-1] for item in (free, geared)]
    assert abs(float(ends[0][0])) > 0.01 and np.allclose(*ends, rtol=0, atol=1e-9)


def test_keyframes_say_where_the_hinge_starts_that_the_world_holds(tmp_path: Path) -> None:
    key = '<keyframe><key name="k" qpos="0.1 -0.1 0.1 -0.1" qvel="1 -1 1 -1"/></keyframe>'
    found = read(chain("", key), tmp_path)
    state = state_from(found.mechanism, **found.starts["k"])
    begun = Simulator(read(chain("", key), tmp_path, start="k")).simulate(STEP, STEP).state(0)
    for at in (state, begun):
        own = [[float(value[0]) for value in coordinates_of(found.mechanism, name, at)] for name in HINGES]
        assert np.allclose(own, [[0.1, 1.0], [-0.1, -1.0], [0.1, 1.0], [-0.1, -1.0]], rtol=0, atol=1e-9)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_weld_holds_to_what_stands_whichever_body_comes_first(is_first: bool, tmp_path: Path) -> None:
    """Without dampers: where in a step one acts depends on the tip's own mass, where the tip stays a body."""
    plain = chain('stiffness="4" springref="20"').replace('damping="0.1"', "")
    post = '<body name="post" pos="1 0 0.3"><geom size="0.1"/></body>'
    text = plain.replace('body1="tip"', 'body1="tip" body2="post"')
    head, tail = text.split("<worldbody>")
    tail = post + tail if is_first else tail.replace("</worldbody>", post + "</worldbody>")
    found = read(f"{head}<worldbody>{tail}", tmp_path)
    reference = read(plain, tmp_path)
    ends = [Simulator(item).simulate(0.2, 0.01).coordinates("j4")[-1] for item in (found, reference)]
    assert abs(float(ends[0][0])) > 0.01 and np.allclose(*ends, rtol=0, atol=1e-9)


INSIDE = '<limit lower="-0.5" upper="0.25" effort="1" velocity="2"/><dynamics damping="2" friction="0.1"/>'
FRAMES = ('xyz="0 0.2 1" rpy="0.3 0.2 0.1"', 'xyz="0.4 0 0.1"')


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical"])
def test_a_loop_written_from_the_other_side_about_the_opposite_axis_is_the_same(kind: str, tmp_path: Path) -> None:
    inside = INSIDE if kind != "cylindrical" else '<dynamics damping="2" friction="0.1"/>'

    def written(first: str, second: str, places: tuple[str, str], axis: str) -> Imported:
        sides = f'<link1 link="{first}" {places[0]}/><link2 link="{second}" {places[1]}/>'
        loop = f'<loop_joint name="c" type="{kind}">{sides}<axis xyz="{axis}"/>{inside}</loop_joint>'
        bodies = [link("base"), link("arm"), joint("j", "floating", "base", "arm")]
        return read(robot(*bodies, loop), tmp_path, "urdf", start={"j": (0.1, 0.2, 0.3, 0.0, 0.0, 0.0)})

    turned = written("arm", "base", FRAMES, "0 0.6 0.8")
    plain = written("base", "arm", FRAMES[::-1], "0 -0.6 -0.8")
    assert turned.mechanism.joint("c").parent == "world"
    assert turned.mechanism == plain.mechanism and turned.joints == plain.joints


def test_a_universal_joint_written_from_the_other_side_holds_the_same(tmp_path: Path) -> None:
    def written(first: str, second: str, axes: tuple[str, str]) -> Imported:
        loop = (
            f'<constraint name="c" type="universal"><parent link="{first}"/><child link="{second}"/>'
            f'<parent_axis xyz="{axes[0]}"/><child_axis xyz="{axes[1]}"/><dynamics damping="2"/></constraint>'
        )
        bodies = [link("base"), link("arm"), joint("j", "floating", "base", "arm")]
        return read(robot(*bodies, loop), tmp_path, "urdf")

    turned, plain = written("arm", "base", ("1 0 0", "0 1 0")), written("base", "arm", ("0 -1 0", "-1 0 0"))
    assert turned.mechanism == plain.mechanism
    assert "c" not in turned.joints  # its two coordinates have changed places
    assert any(notice.what == "coordinates" for notice in turned.report.notices)


def test_a_follower_of_the_hinge_that_the_world_holds_turns_as_it_does(tmp_path: Path) -> None:
    axis = '<axis xyz="0 1 0"/>'
    text = robot(
        *(link(name) for name in ("base", "a", "b", "c", "d")),
        link("tip", ""),
        joint("j1", "continuous", "base", "a", axis),
        joint("j2", "continuous", "a", "b", axis, (0, 0, 1)),
        joint("j3", "continuous", "b", "c", axis, (1, 0, 0)),
        joint("j4", "continuous", "c", "tip", axis, (0, 0, -1)),
        joint("weld", "fixed", "base", "tip", xyz=(1, 0, 0)),
        joint("follower", "continuous", "base", "d", axis + '<mimic joint="j4" multiplier="2"/>'),
    )
    found = read(text, tmp_path, "urdf", start={"j1": 0.3}, gravity=(1.0, 0.0, -9.81))
    end = Simulator(found).simulate(0.2, 0.01, project=True).state(-1)
    angles = {name: float(coordinates_of(found.mechanism, name, end)[0][0]) for name in (*HINGES, "follower")}
    assert angles["j1"] > 0.31
    assert [angles[name] for name in (*HINGES[1:], "follower")] == pytest.approx(
        [-angles["j1"], angles["j1"], -angles["j1"], -2.0 * angles["j1"]], abs=1e-9
    )


# --- joints whose coordinates need the axes of their child ------------------------------------------------------------
MASS = '<inertial pos="0.1 0.02 0.03" mass="1.3" fullinertia="0.05 0.06 0.07 0.01 0.005 -0.008"/>'


def pose_of(found: Imported, state, name: str) -> tuple[np.ndarray, tuple]:
    """Origin and orientation of a link in the world."""
    at = found.links[name]
    if at.body == "world":
        return np.array(at.pose.position), at.pose.orientation
    row = state.index(at.body)
    turn = tuple(state.orientation[row])
    return state.position[row] + rotate(turn, at.pose.position), multiply(turn, at.pose.orientation)


def test_two_free_bodies_welded_to_each_other_keep_their_coordinates(tmp_path: Path) -> None:
    world = (
        f'<body name="a" pos="0 0 1" euler="20 10 5"><freejoint name="fa"/>{MASS}</body>'
        f'<body name="b" pos="0.5 0.2 0.8" euler="50 10 30"><freejoint name="fb"/>{MASS}</body>'
    )
    key = '<keyframe><key name="k" qpos="0 0 1 1 0 0 0 .5 .2 .8 1 0 0 0" qvel="0 0 0 1 2 3 0 0 0 0 0 0"/></keyframe>'
    weld = '<equality><weld body1="a" body2="b" relpose="0.5 0.2 -0.2 1 0 0 0"/></equality>'
    found = read(model(weld, key, world=world), tmp_path, start="k")
    run = Simulator(found).simulate(0.3, 0.01)
    for number in (0, -1):
        state = run.state(number)
        for name, own in (("a", "fa"), ("b", "fb")):
            position, orientation = pose_of(found, state, name)
            joint_name, first = found.joints[own]
            values = np.array(coordinates_of(found.mechanism, joint_name, state)[0])
            assert first == 0
            assert np.allclose(values, [*position, *rotation_vector(orientation)], rtol=0, atol=1e-9)
    assert np.abs(values[3:]).max() > 0.1


SLIDES = '<joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>'
CARRIES = {
    "a body in a plane": SLIDES + '<joint name="h" axis="0 1 0"/>',
    "the world": "",
    "a body on another ball": '<joint name="h" type="ball"/>',
}


@pytest.mark.parametrize("angle", [0.0, 0.9])
def test_a_weld_says_where_a_free_body_starts(angle: float, tmp_path: Path) -> None:
    """Also where the file has put that elsewhere: its coordinates are those of the place where it stands."""
    world = f'<body name="a" pos="0 0 1"><freejoint name="fa"/>{MASS}</body>'
    world += f'<body name="b" pos="3 0 0" euler="50 10 30"><freejoint name="fb"/>{MASS}</body>'
    turn = f"{np.cos(angle / 2)} {np.sin(angle / 2)} 0 0"
    weld = f'<equality><weld body1="a" body2="b" relpose="0.5 0.2 -0.2 {turn}"/></equality>'
    found = read(model(weld, world=world), tmp_path)
    state = Simulator(found).simulate(STEP, STEP).state(0)
    values = coordinates_of(found.mechanism, found.joints["fb"][0], state)[0]
    assert np.allclose(values, (0.5, 0.2, 0.8, angle, 0.0, 0.0), rtol=0, atol=1e-9)
    if angle:
        assert found.mechanism.joint("fb").coordinate is None  # that of the file is of another place


@pytest.mark.parametrize("to", CARRIES)
def test_a_ball_whose_body_a_weld_makes_part_of_another_keeps_its_coordinates(to: str, tmp_path: Path) -> None:
    """What hangs on the ball turns about it; its rotation vector is that of the link, not that of the body."""
    hung = f'<body name="rod" pos="0 0 1"><joint name="r" axis="0 1 0"/>{MASS}'
    hung += f'<body name="b" pos="0.3 0 0" euler="40 30 20"><joint name="ball" type="ball"/>{MASS}</body></body>'
    standing = f'<body name="a" pos="0 0.4 1" euler="0 70 0">{CARRIES[to]}{MASS}</body>'
    weld = '<equality><weld body1="a" body2="b"/></equality>'
    found = read(model(weld, world=standing + hung), tmp_path)
    simulator = Simulator(found)
    state = simulator.simulate(0.1, 0.01).state(-1)
    rod, own = pose_of(found, state, "rod")[1], pose_of(found, state, "b")[1]
    upright = multiply(conjugate(start_turn(found)), multiply(conjugate(rod), own))
    name, number = found.joints["ball"]
    values = np.array(coordinates_of(found.mechanism, name, state)[0])[number : number + 3]
    assert np.allclose(values, rotation_vector(upright), rtol=0, atol=1e-9)
    assert found.links["a"].body == {"a body in a plane": "b", "the world": "world"}.get(to, "a")
    if to != "the world":
        assert np.abs(values).max() > 1e-3


def start_turn(found: Imported) -> tuple:
    """Of the link b against the rod at the start, where the ball's coordinates are zero."""
    state = Simulator(found).simulate(STEP, STEP).state(0)
    return multiply(conjugate(pose_of(found, state, "rod")[1]), pose_of(found, state, "b")[1])


def test_a_ball_without_mass_behind_it_keeps_its_motion_and_says_what_it_lost(tmp_path: Path) -> None:
    text = robot(
        *(link(name) for name in ("base", "arm")),
        link("tip", ""),
        joint("hinge", "continuous", "base", "arm"),
        joint("ball", "spherical", "arm", "tip", xyz=(0, 0, 1)),
        joint("weld", "fixed", "base", "tip", xyz=(0, 0, 1)),
    )
    found = read(text, tmp_path, "urdf")
    assert set(found.joints) == {"hinge"} and found.mechanism.joint("ball").parent == "world"
    assert ["joint 'ball'"] == [notice.element for notice in found.report.notices if notice.what == "coordinates"]
    with pytest.raises(MechanismError, match=r"model.urdf:\d+: joint 'ball': .*start"):
        read(text, tmp_path, "urdf", start={"ball": (0.1, 0.0, 0.0)})
