"""URDF, element by element: what each of them becomes, by the format's definition and by its own numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from symvi.errors import MechanismError
from symvi.importers import Imported, load
from symvi.mechanism import Mechanism, start_state
from symvi.mechanism.inertia import to_matrix
from symvi.simulate.coordinates import state_from
from tests.importers import kinematics
from tests.importers.urdf_texts import inertial, joint, link, random_robot, robot


def read(text: str, folder: Path, name: str = "robot.urdf", **options: object) -> Imported:
    path = folder / name
    path.write_text(text)
    return load(path, **options)


def pair(kind: str, inside: str = "", **options: object) -> str:
    return robot(link("base"), link("arm"), joint("hinge", kind, "base", "arm", inside, **options))


# --- frames, masses ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(20, 40))
def test_links_are_where_the_definition_puts_them(seed: int, tmp_path: Path) -> None:
    text = random_robot(seed)
    found = read(text, tmp_path)
    random = np.random.default_rng(seed)
    followers = {coupling.joints[0] for coupling in found.mechanism.couplings}
    values = {name: random.uniform(-1, 1) for name in found.joints if name not in followers}
    state = state_from(found.mechanism, {found.joints[name][0]: value for name, value in values.items()})
    wanted = kinematics.link_matrices(text, values)
    poses = {name: pose(found, state, name) for name in found.links}
    assert poses.keys() == wanted.keys()
    for name in wanted:
        assert np.abs(poses[name] - wanted[name]).max() < 1e-12, name
    held = {name for name, placed in found.links.items() if placed.body == "world"}
    masses = [body.mass for body in found.mechanism.bodies]
    centers = [
        p + Rotation.from_quat(np.roll(q, -1)).apply(body.center_of_mass)
        for body, p, q in zip(found.mechanism.bodies, state.position, state.orientation, strict=True)
    ]
    mass, center = kinematics.mass_and_center(text, wanted, held)
    assert sum(masses) == pytest.approx(mass, rel=1e-14)
    assert np.abs(np.array(masses) @ centers / mass - center).max() < 1e-13


def pose(found: Imported, state, name: str) -> np.ndarray:
    placed, result = found.links[name], np.eye(4)
    if placed.body != "world":
        row = state.index(placed.body)
        result = matrix(state.position[row], state.orientation[row])
    return result @ matrix(*placed.pose)


def matrix(position, orientation) -> np.ndarray:
    result = np.eye(4)
    result[:3, 3] = position
    result[:3, :3] = Rotation.from_quat(np.roll(orientation, -1)).as_matrix()
    return result


def test_the_frame_of_the_inertia_is_the_inertial_origin(tmp_path: Path) -> None:
    """Quarter turns about z exchange ixx and iyy, exactly."""
    turned = link("arm", inertial(2.0, (1.0, 2.0, 2.5, 0.1, 0.2, 0.3), xyz=(0.1, 0, 0), rpy=(0, 0, np.pi / 2)))
    text = robot(link("base"), turned, joint("hinge", "continuous", "base", "arm"))
    arm = read(text, tmp_path).mechanism.body("arm")
    assert arm.center_of_mass == (0.1, 0.0, 0.0) and arm.mass == 2.0
    assert arm.inertia == (2.0, 1.0, 2.5, -0.1, -0.3, 0.2)


def test_fixed_links_are_one_body_by_steiners_rule(tmp_path: Path) -> None:
    """Two parts of one body against the sum over their own points of mass."""
    parts = [link("base"), link("arm", inertial(1.0, (0.1, 0.2, 0.25))), link("tool", inertial(3.0, (0.3, 0.2, 0.4)))]
    mount = '<origin xyz="0.3 -0.2 0.5" rpy="0.4 -0.3 0.9"/>'
    text = robot(
        *parts,
        joint("hinge", "continuous", "base", "arm"),
        joint("mount", "fixed", "arm", "tool", mount).replace('<origin xyz="0.0 0.0 0.0"/>', ""),
    )
    found = read(text, tmp_path)
    arm, offset = found.mechanism.body("arm"), np.array([0.3, -0.2, 0.5])
    turn = Rotation.from_euler("xyz", (0.4, -0.3, 0.9)).as_matrix()
    center = 3.0 * offset / 4.0
    wanted = np.diag([0.1, 0.2, 0.25]) + turn @ np.diag([0.3, 0.2, 0.4]) @ turn.T
    for mass, place in ((1.0, np.zeros(3)), (3.0, offset)):
        arm_ = place - center
        wanted += mass * (arm_ @ arm_ * np.eye(3) - np.outer(arm_, arm_))
    assert found.mechanism.body_names == ("arm",)
    assert np.allclose(arm.center_of_mass, center, rtol=0, atol=1e-15)
    assert np.allclose(to_matrix(arm.inertia), wanted, rtol=0, atol=1e-15)
    assert found.links["tool"].body == "arm"
    assert found.links["tool"].pose.position == (0.3, -0.2, 0.5)
    assert [notice.element for notice in found.report.of("merged")] == ["link 'tool'"]


# --- joints -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "kind, own, rows",
    [
        ("continuous", "revolute", 5),
        ("revolute", "revolute", 5),
        ("prismatic", "prismatic", 5),
        ("planar", "planar_axis", 3),
        ("floating", "floating", 0),
        ("spherical", "spherical", 3),
    ],
)
def test_every_type_of_joint(kind: str, own: str, rows: int, tmp_path: Path) -> None:
    from symvi.mechanism import constraint_count

    found = read(pair(kind, '<axis xyz="0 1 0"/>', xyz=(1, 2, 3)), tmp_path).mechanism.joint("hinge")
    assert (found.type, constraint_count(found), found.parent_anchor) == (own, rows, (1.0, 2.0, 3.0))
    if kind not in ("floating",):
        assert found.axis == (0.0, 1.0, 0.0)


def test_a_planar_joint_moves_across_its_axis_and_turns_about_it(tmp_path: Path) -> None:
    mechanism = read(pair("planar", '<axis xyz="0 0 1"/>'), tmp_path).mechanism
    state = state_from(mechanism, {"hinge": (0.3, -0.4, 0.5)})
    assert np.allclose(state.position[0], (0.3, -0.4, 0.0), atol=1e-15)
    assert np.allclose(state.orientation[0], (np.cos(0.25), 0, 0, np.sin(0.25)), atol=1e-15)


@pytest.mark.parametrize("axis", ['<axis xyz="0 0 2"/>', '<axis xyz="0 0 -1"/>', '<axis xyz="0.6 0 0.8"/>', ""])
def test_a_planar_joint_is_told_to_be_that_of_other_programs_only_where_it_is(axis: str, tmp_path: Path) -> None:
    """Pinocchio moves all of them in the frame's xy plane (test_against_pinocchio.py)."""
    (told,) = [n for n in read(pair("planar", axis), tmp_path).report.of("taken") if n.what == "type planar"]
    assert ("whatever the axis is" in told.why) == (axis != '<axis xyz="0 0 2"/>')


def test_the_axis_is_x_where_none_is_given_and_gets_length_one(tmp_path: Path) -> None:
    assert read(pair("continuous"), tmp_path).mechanism.joint("hinge").axis == (1.0, 0.0, 0.0)
    found = read(pair("continuous", '<axis xyz="0 0 -4"/>'), tmp_path)
    assert found.mechanism.joint("hinge").axis == (0.0, 0.0, -1.0)
    assert [notice.what for notice in found.report.notices if "length" in notice.why] == ["axis"]


def test_stops_damping_and_friction(tmp_path: Path) -> None:
    inside = '<limit lower="-0.5" upper="1.5" effort="3" velocity="2"/><dynamics damping="0.7" friction="0.2"/>'
    found = read(pair("revolute", inside), tmp_path)
    (stop,) = found.mechanism.limits
    forces = {force.name: force for force in found.mechanism.forces}
    assert (stop.joint, stop.lower, stop.upper) == ("hinge", -0.5, 1.5)
    assert forces["hinge_damping"].damping == 0.7 and forces["hinge_friction"].bound == 0.2
    assert sorted(notice.what for notice in found.report.of("skipped")) == ["limit effort", "limit velocity"]
    found.report.strict()


def test_a_stop_that_nothing_reaches_is_none_and_has_its_line(tmp_path: Path) -> None:
    found = read(pair("prismatic", '<limit lower="-1e6" upper="0.5"/>'), tmp_path)
    (stop,) = found.mechanism.limits
    assert (stop.lower, stop.upper) == (None, 0.5)
    assert [notice.what for notice in found.report.of("skipped")] == ["limit lower -1e+06"]


def test_what_the_motion_does_not_depend_on_is_listed_and_no_loss(tmp_path: Path) -> None:
    """Transmissions, settings of other programs, sensors, a controller's own limits; tags of nobody are a loss."""
    inside = '<safety_controller k_velocity="10"/><calibration rising="0"/>'
    parts = [
        '<transmission name="t"/>',
        '<gazebo reference="arm"><material>G</material></gazebo>',
        '<sensor name="s"/>',
    ]
    text = pair("continuous", inside).replace("</robot>", "".join(parts) + "</robot>")
    found = read(text, tmp_path, strict=True)
    tags = ["<safety_controller>", "<calibration>", "<transmission>", "<gazebo>", "<sensor>"]
    assert [notice.what for notice in found.report.of("skipped")] == tags


def test_a_joint_of_gazebos_own_is_a_loss(tmp_path: Path) -> None:
    """People close loops like that, as URDF had no other way."""
    loop = '<gazebo>\n<joint name="c" type="revolute"><parent>arm</parent><child>base</child></joint></gazebo>'
    found = read(pair("continuous").replace("</robot>", loop + "</robot>"), tmp_path)
    (notice,) = found.report.of("ignored")
    assert notice.what == "<joint> in <gazebo>" and "write it as <loop_joint>" in notice.why


@pytest.mark.parametrize(
    "inside, what",
    [
        ("<gravity>false</gravity>", "gravity false"),
        ("<turnGravityOff>true</turnGravityOff>", "turnGravityOff true"),
        ("<springStiffness>9</springStiffness><springReference>0</springReference>", "springStiffness 9"),
        ("<dampingFactor> 0.1 </dampingFactor>", "dampingFactor 0.1"),
        ("<implicitSpringDamper>1</implicitSpringDamper>", "implicitSpringDamper 1"),
        ("<initial_position>0.5</initial_position>", "initial_position 0.5"),
        ('<mu1 value="0"/>', "mu1 0"),
        ("<mu2>0.2</mu2>", "mu2 0.2"),
        ("<kp>1e6</kp>", "kp 1e6"),
        ("<kd>1</kd>", "kd 1"),
    ],
)
def test_settings_of_gazebo_that_act_on_the_motion_are_a_loss(inside: str, what: str, tmp_path: Path) -> None:
    found = read(pair("continuous").replace("</robot>", f"\n<gazebo>{inside}</gazebo></robot>"), tmp_path)
    (notice,) = found.report.of("ignored")
    assert (notice.what, notice.source.line) == (f"<gazebo> {what}", 7) and notice.why


@pytest.mark.parametrize(
    "inside",
    [
        "<gravity>true</gravity>",
        "<turnGravityOff>0</turnGravityOff>",
        "<springStiffness>0.0</springStiffness>",
        "<dampingFactor>0</dampingFactor>",
        "<plugin><gravity>0</gravity><kp>3</kp></plugin>",
        "<sensor><kp>3</kp></sensor>",
    ],
)
def test_settings_of_gazebo_that_change_nothing_are_no_loss(inside: str, tmp_path: Path) -> None:
    text = pair("continuous").replace("</robot>", f"<gazebo>{inside}</gazebo></robot>")
    assert "<gazebo>" in [notice.what for notice in read(text, tmp_path, strict=True).report.of("skipped")]


def test_a_joint_starts_within_its_stops(tmp_path: Path) -> None:
    found = read(pair("revolute", '<limit lower="0.5" upper="1.5" effort="0" velocity="0"/>'), tmp_path)
    assert found.mechanism.joint("hinge").coordinate == (0.5,)
    assert [notice.what for notice in found.report.of("approximated")] == ["start"]
    given = read(pair("revolute", '<limit lower="0.5" upper="1.5"/>'), tmp_path, start={"hinge": 0.75})
    assert given.mechanism.joint("hinge").coordinate == (0.75,) and not given.report.of("approximated")


@pytest.mark.parametrize(
    "limit, why",
    [
        ('<limit lower="0" upper="0" effort="0" velocity="0"/>', "limit lower = upper"),
        ('<limit effort="0" velocity="0"/>', "limit lower = upper"),
        ("", "no limit"),
    ],
)
def test_limits_that_leave_no_motion_are_no_stops(limit: str, why: str, tmp_path: Path) -> None:
    text = pair("revolute", limit or "<limit/>").replace("<limit/>", "")
    found = read(text, tmp_path)
    assert not found.mechanism.limits
    assert [notice.what for notice in found.report.of("approximated")] == [why]


def test_a_mimic_is_a_coupling_and_its_stops_are_those_of_its_leader(tmp_path: Path) -> None:
    """c = -2 l + 0.1 within (-1, 0.5) is l within (-0.2, 0.55), and l's own stops are -3 and 0.4."""
    parts = [link(name) for name in ("base", "one", "two")]
    leader = joint("l", "revolute", "base", "one", '<limit lower="-3" upper="0.4"/>')
    mimic = '<limit lower="-1" upper="0.5"/><mimic joint="l" multiplier="-2" offset="0.1"/>'
    found = read(robot(*parts, leader, joint("c", "revolute", "base", "two", mimic)), tmp_path).mechanism
    (coupling,), (stop,) = found.couplings, found.limits
    assert (coupling.joints, coupling.ratio, coupling.offset) == (("c", "l"), -2.0, 0.1)
    assert stop.joint == "l" and (stop.lower, stop.upper) == (-0.2, 0.4)
    state = start_state(found)
    assert state.angles["c"] == (0.1,)
    with pytest.raises(MechanismError, match="it mimics 'l'; give the start of that one"):
        load(tmp_path / "robot.urdf", start={"c": 0.2})


# --- the base, names --------------------------------------------------------------------------------------------------
def test_the_base_stands_still_or_floats(tmp_path: Path) -> None:
    text = pair("continuous")
    assert read(text, tmp_path).mechanism.body_names == ("arm",)
    floating = read(text, tmp_path, base="floating").mechanism
    assert floating.body_names == ("base", "arm") and floating.joint("root_joint").type == "floating"


def test_a_link_called_world_that_is_no_root_is_a_link(tmp_path: Path) -> None:
    """By the definition of the format, whatever the link is called; what the base holds stays where it is."""
    text = robot(
        link("base"),
        link("world", '<visual><geometry><sphere radius="0.1"/></geometry></visual>' + inertial()),
        link("tool", '<visual><geometry><sphere radius="0.2"/></geometry></visual>' + inertial()),
        link("hand"),
        joint("hinge", "revolute", "base", "world", '<axis xyz="0 1 0"/>', xyz=(0.1, 0.2, 0.3)),
        joint("mount", "fixed", "base", "tool", xyz=(0, 0, 2)),
        joint("grip", "fixed", "world", "hand", xyz=(1, 0, 0)),
    )
    found = read(text, tmp_path)
    (body,) = found.mechanism.body_names
    assert {name: placed.body for name, placed in found.links.items()} == {
        "base": "world", "world": body, "tool": "world", "hand": body,
    }  # fmt: skip
    assert {shape.geometry.size: shape.body for shape in found.shown} == {(0.1,): body, (0.2,): "world"}
    state = state_from(found.mechanism, {"hinge": 0.7})
    wanted = kinematics.link_matrices(text, {"hinge": 0.7})
    assert all(np.abs(pose(found, state, name) - wanted[name]).max() < 1e-12 for name in wanted)


def test_a_root_called_world_is_the_world(tmp_path: Path) -> None:
    text = robot(
        link("world", ""),
        link("base"),
        link("arm"),
        joint("ground", "fixed", "world", "base", xyz=(0, 0, 2)),
        joint("hinge", "continuous", "base", "arm"),
    )
    found = read(text, tmp_path)
    assert found.links["base"].body == "world" and found.links["base"].pose.position == (0.0, 0.0, 2.0)
    assert found.mechanism.joint("hinge").parent_anchor == (0.0, 0.0, 2.0)
    free = read(text, tmp_path, base="floating").mechanism
    assert free.joint("ground").type == "floating" and free.joint("ground").parent_anchor == (0.0, 0.0, 2.0)


def test_names_become_safe_and_unique_and_the_report_says_so(tmp_path: Path) -> None:
    text = robot(
        link("base"),
        link("double"),
        link("a-b"),
        link("a b"),
        joint("A_B", "continuous", "base", "double"),
        joint("2", "continuous", "double", "a-b"),
        joint("x", "continuous", "double", "a b"),
    )
    found = read(text, tmp_path)
    assert found.mechanism.body_names == ("double_link", "a_b", "a_b_link")
    assert found.joints == {"A_B": ("A_B_joint", 0), "2": ("joint_2", 0), "x": ("x", 0)}
    assert found.links["a b"].body == "a_b_link"
    assert len(found.report.of("renamed")) == 5


def test_two_robots_in_one_mechanism(tmp_path: Path) -> None:
    left, right = (read(pair("continuous"), tmp_path, prefix=prefix).mechanism for prefix in ("left", "right"))
    both = Mechanism.merge("both", left, right)
    assert both.body_names == ("left_arm", "right_arm") and left.name == "left_robot"


def test_a_prefix_brings_one_underscore_at_most(tmp_path: Path) -> None:
    """ROS writes the underscore into the prefix itself."""
    for prefix in ("left", "left_"):
        found = read(pair("continuous"), tmp_path, prefix=prefix)
        assert found.mechanism.body_names == ("left_arm",) and not found.report.of("renamed")
    assert read(pair("continuous"), tmp_path, prefix="left__").mechanism.body_names == ("left__arm",)


# --- written back -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("seed", range(40, 46))
def test_what_is_written_back_is_equal(seed: int, base: str, tmp_path: Path) -> None:
    mechanism = read(random_robot(seed), tmp_path, base=base).mechanism
    assert Mechanism.from_toml(mechanism.to_toml()) == mechanism
    assert Mechanism.from_json(mechanism.to_json()) == mechanism


def test_symvis_own_files_are_read_too_and_take_no_options(tmp_path: Path) -> None:
    mechanism = read(pair("continuous"), tmp_path).mechanism
    path = tmp_path / "own.toml"
    path.write_text(mechanism.to_toml())
    assert load(path).mechanism == mechanism
    with pytest.raises(MechanismError, match="options of an import"):
        load(path, base="floating")
    other = tmp_path / "robot.step"
    other.write_text("ISO-10303-21;")
    with pytest.raises(MechanismError, match=r"one of \.toml, \.json, \.urdf"):
        load(other)
    with pytest.raises(MechanismError, match="there is no such file"):
        load(tmp_path / "robot.dae")
