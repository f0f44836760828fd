"""Joints that something else holds fast: what motors and gears on them do, and what contradicts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from symvi.errors import MechanismError
from symvi.importers import Imported, load
from symvi.mechanism.rotation import about
from symvi.simulate.coordinates import coordinates_of, state_from
from symvi.simulate.simulator import Simulator
from tests.importers.mjcf_texts import model
from tests.importers.urdf_texts import joint, link, robot

pytest.importorskip("mujoco", reason="needs the extra mjcf")
MASS = '<inertial pos="0.1 0.02 0.03" mass="1.3" fullinertia="0.05 0.06 0.07 0.01 0.005 -0.008"/>'


def read(text: str, folder: Path, ending: str = "xml", **options: object) -> Imported:
    path = folder / f"model.{ending}"
    path.write_text(text)
    return load(path, **options)


def arm(on_forearm: str = '<joint name="elbow" axis="0 0 1" ref="-20"/>', further: str = "") -> str:
    """A swinging arm with a forearm, in MJCF."""
    return (
        f'<body name="arm" pos="1 2 3"><joint name="shoulder" axis="0 1 0" ref="10"/>{MASS}'
        f'<body name="forearm" pos="0.3 0.1 0.1" euler="5 30 20">{on_forearm}{MASS}{further}</body></body>'
    )


def hand(name: str = "hand", axis: str = "0 0 1") -> str:
    return f'<body name="{name}" pos="0.2 0 0"><joint name="{name}_joint" axis="{axis}"/>{MASS}</body>'


WELD = '<weld body1="arm" body2="forearm"/>'


def test_a_motor_between_parts_of_one_body_moves_nothing(tmp_path: Path) -> None:
    motors = '<actuator><motor name="m" joint="elbow"/><motor name="n" joint="shoulder"/></actuator>'
    text = model(f"<equality>{WELD}</equality>", motors, world=arm())
    found = read(text, tmp_path)
    assert found.mechanism.body_names == ("arm",) and set(found.joints) == {"shoulder"}
    assert [force.name for force in found.mechanism.forces] == ["n"]
    (told,) = [notice for notice in found.report.of("dropped") if notice.what == "motor"]
    assert told.element == "actuator 'm'" and "'elbow' is held fast" in told.why and told.source.line == 3


def test_a_gear_with_a_held_joint_holds_the_other_at_its_coordinate_and_so_on(tmp_path: Path) -> None:
    """Coordinates that MJCF's gears count from the references: the elbow is welded at -20 degrees, so that the hand
    is turned by 0.1 + 2 (0), and the finger by -3 times that."""
    gears = '<joint joint1="hand_joint" joint2="elbow" polycoef="0.1 2 0 0 0"/>'
    gears += '<joint joint1="finger_joint" joint2="hand_joint" polycoef="0 -3 0 0 0"/>'
    further = hand().replace("</body>", hand("finger", "0 1 0") + "</body>")
    found = read(model(f"<equality>{WELD}{gears}</equality>", world=arm(further=further)), tmp_path)
    assert found.mechanism.body_names == ("arm",) and not found.mechanism.couplings
    forearm, held, finger = (found.links[name].pose for name in ("forearm", "hand", "finger"))
    between, last = forearm.inverse().then(held), held.inverse().then(finger)
    assert np.allclose(between.orientation, about((0.0, 0.0, 1.0), 0.1), rtol=0, atol=1e-14)
    assert np.allclose(last.orientation, about((0.0, 1.0, 0.0), -0.3), rtol=0, atol=1e-14)


def urdf(f_turn: float, mimic: str, on_elbow: str = "") -> str:
    """A forearm that a hinge and a fixed joint hold to the arm, and a hand."""
    turn = f'<origin xyz="0.1 0 0" rpy="0 0 {f_turn}"/>'
    fixed = f'<joint name="f" type="fixed">{turn}<parent link="arm"/><child link="forearm"/></joint>'
    return robot(
        *(link(name) for name in ("base", "arm", "forearm", "hand")),
        joint("shoulder", "continuous", "base", "arm", '<axis xyz="0 1 0"/>'),
        joint("elbow", "continuous", "arm", "forearm", f'<axis xyz="0 0 1"/>{on_elbow}', (0.1, 0, 0)),
        fixed,
        joint("wrist", "continuous", "forearm", "hand", f'<axis xyz="1 0 0"/>{mimic}', (0.2, 0, 0)),
    )


def test_a_joint_mimics_a_hinge_where_a_fixed_joint_holds_that(tmp_path: Path) -> None:
    found = read(urdf(0.3, '<mimic joint="elbow" multiplier="2" offset="0.1"/>'), tmp_path, "urdf")
    assert found.mechanism.body_names == ("arm",) and set(found.joints) == {"shoulder"}
    turn = found.links["forearm"].pose.inverse().then(found.links["hand"].pose).orientation
    assert np.allclose(turn, about((1.0, 0.0, 0.0), 0.7), rtol=0, atol=1e-14)


def test_a_joint_that_a_held_one_mimics_is_held_as_well(tmp_path: Path) -> None:
    found = read(urdf(0.3, "", '<mimic joint="wrist" multiplier="-2" offset="0.1"/>'), tmp_path, "urdf")
    turn = found.links["forearm"].pose.inverse().then(found.links["hand"].pose).orientation
    assert np.allclose(turn, about((1.0, 0.0, 0.0), -0.1), rtol=0, atol=1e-14)


def test_a_start_that_a_held_joint_cannot_have_is_told(tmp_path: Path) -> None:
    for value, count in ((0.3, 0), (0.2, 1)):
        found = read(urdf(0.3, ""), tmp_path, "urdf", start={"elbow": value})
        told = [notice for notice in found.report.of("ignored") if notice.what == "start"]
        assert len(told) == count and all("hold its links where it is at 0.3" in notice.why for notice in told)


FREE = '<body name="{0}" pos="{1} 0 0"><freejoint name="{0}_free"/>' + MASS + "</body>"
TURNED = '<weld body1="one" body2="other" relpose="0.5 0 0 0 0 0 1"/>'
CROSS = '<joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>'
FOLLOWS = '<joint joint1="elbow" joint2="shoulder" polycoef="{} 2"/>'
# what holds joints -> (world, equality, the joint whose start is told, why); nothing is told of what the file fits
OVERRIDDEN = {
    "an equality that holds a joint": (
        arm(), '<joint joint1="elbow" polycoef="0.4"/>',
        "joint 'elbow'", "at -0.349066: an equality holds it at 0.0509341",
    ),
    "one that holds a joint without a reference": (
        arm('<joint name="elbow" axis="0 0 1"/>'), '<joint joint1="elbow" polycoef="0.4"/>',
        "joint 'elbow'", "at 0: an equality holds it at 0.4",
    ),
    "one that holds it where it is": (arm(), '<joint joint1="elbow"/>', "", ""),
    "a gear": (arm(), FOLLOWS.format(0.1), "joint 'elbow'", "elsewhere, off by 0.1 rad"),
    "a gear that fits": (arm(), FOLLOWS.format(0), "", ""),
    "a weld of free bodies": (
        FREE.format("one", 0) + FREE.format("other", 2), TURNED, "joint 'other_free'", "off by 1.5 m and 3.14 rad",
    ),
    "a weld where they are": (
        FREE.format("one", 0) + FREE.format("other", 2), '<weld body1="one" body2="other"/>', "", "",
    ),
    "a weld of a body with several joints": (
        FREE.format("one", 0) + FREE.format("other", 2).replace('<freejoint name="other_free"/>', CROSS),
        TURNED, "joint 'y'", "off by 1.5 m and 3.14 rad",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", OVERRIDDEN)
def test_a_start_of_the_file_that_something_else_overrides_is_told(kind: str, tmp_path: Path) -> None:
    world, equality, joint_told, why = OVERRIDDEN[kind]
    found = read(model(f"<equality>{equality}</equality>", world=world), tmp_path)
    told = [notice for notice in found.report.of("ignored") if notice.what == "start"]
    assert [notice.element for notice in told] == [joint_told] * bool(joint_told)
    assert all(why in notice.why and notice.source.line == 3 for notice in told)


def test_a_start_in_a_keyframe_that_does_not_fit_a_gear_is_told(tmp_path: Path) -> None:
    keys = '<key name="fits" qpos="0.1 0.2"/><key name="not" qpos="0.1 0.5"/>'
    world = arm('<joint name="elbow" axis="0 0 1"/>').replace('ref="10"', "")
    text = model(f"<equality>{FOLLOWS.format(0)}</equality>", f"<keyframe>{keys}</keyframe>", world=world)
    for start, count in (("fits", 0), ("not", 1), ({"shoulder": 0.3}, 0)):
        found = read(text, tmp_path, start=start)
        told = [notice for notice in found.report.of("ignored") if notice.what == "start"]
        assert [notice.element for notice in told] == ["joint 'elbow'"] * count


CONTRADICTIONS = {
    "a gear between joints that are held elsewhere": (
        model(
            f'<equality>{WELD}\n<joint joint1="hand_joint" joint2="elbow" polycoef="0.1 2"/>'
            '<joint joint1="hand_joint" polycoef="0.4"/></equality>',
            world=arm(further=hand()),
        ),
        "xml",
        r"model.xml:3: the gear between joints 'hand_joint' and 'elbow': both are held fast, 'hand_joint' at 0.4",
    ),
    "a hinge that would have to bend": (
        urdf(0.3, "").replace('rpy="0 0 0.3"', 'rpy="0.2 0 0.3"'),
        "urdf",
        r"model.urdf:8: joint 'elbow': fixed joints hold its links where it cannot be, off by 0.2 rad",
    ),
    "a hinge that would have to come apart": (
        urdf(0.3, "").replace('xyz="0.1 0 0" rpy', 'xyz="0.1 0.04 0" rpy'),
        "urdf",
        r"model.urdf:8: joint 'elbow': .*off by 0.04 m",
    ),
    "a joint that two equalities hold": (
        model(
            '<equality><joint joint1="elbow" polycoef="0.4"/>\n<joint joint1="elbow" polycoef="0.5"/></equality>',
            world=arm(),
        ),
        "xml",
        r"model.xml:3: equality .* another equality holds joint 'elbow' elsewhere",
    ),
    "ends of several joints that do not meet": (
        model(
            '<equality>\n<weld body1="arm" body2="forearm" relpose="0.3 0.5 0.1 1 0 0 0"/></equality>',
            world=arm('<joint name="p" axis="0 0 1"/><joint name="q" axis="0 1 0"/>'),
        ),
        "xml",
        r"model.xml:\d: joints 'p', 'q': fixed joints hold their ends elsewhere",
    ),
}


@pytest.mark.parametrize("what", CONTRADICTIONS)
def test_what_contradicts_is_refused_with_its_place(what: str, tmp_path: Path) -> None:
    text, ending, told = CONTRADICTIONS[what]
    with pytest.raises(MechanismError, match=told):
        read(text, tmp_path, ending)


THREE = '<joint name="p" axis="0 0 1"/><joint name="q" axis="0 1 1"/><joint name="r" axis="1 0 1"/>'


def test_several_joints_of_a_body_do_nothing_where_a_weld_joins_their_ends(tmp_path: Path) -> None:
    gear = '<joint joint1="hand_joint" joint2="q" polycoef="0.2 1"/>'
    motor = '<actuator><motor name="m" joint="q"/></actuator>'
    found = read(model(f"<equality>{WELD}{gear}</equality>", motor, world=arm(THREE, hand())), tmp_path)
    assert found.mechanism.body_names == ("arm",) and not found.mechanism.forces
    assert any("'p', 'q', 'r'" in notice.element for notice in found.report.of("dropped"))


@pytest.mark.parametrize("to", ["world", "rod", "forearm"])
def test_several_joints_of_a_body_may_close_a_loop(to: str, tmp_path: Path) -> None:
    """A weld makes the end of three hinges part of another body, or of the world: the hinges go on holding the loop,
    with the little mass between them that they have in a tree."""
    rod = f'<body name="rod" pos="1 2 2"><joint name="turn" type="ball"/>{MASS}</body>'
    more = f'<body name="more" pos="0.4 0 0">{THREE}{MASS}</body>'
    weld = f'<equality><weld body1="more" body2="{to}"/></equality>' if to != "forearm" else ""
    found = read(model(weld, world=rod + arm(further=more)), tmp_path)
    between = [found.mechanism.body(name) for name in found.mechanism.body_names if name.endswith("_link")]
    assert [body.mass for body in between] == [pytest.approx(1.3e-6 * (2 if to == "rod" else 1))] * 2
    assert Simulator(found).simulate(0.02, 0.002).closure.max() < 1e-12


# --- gears and where they start ---------------------------------------------------------------------------------------
GEARED = '<equality><joint joint1="elbow" joint2="shoulder" polycoef="0.1 2 0 0 0"/></equality>'
KEY = '<keyframe><key name="k" qpos="1 3" qvel="4 8"/></keyframe>'
START, ELBOW = np.radians(10.0), np.radians(-20.0)


@pytest.mark.parametrize("start, shoulder, rate", [({}, START, 0.0), ({"shoulder": 0.3}, 0.3, 0.0), ("k", 1.0, 4.0)])
def test_a_gear_says_where_its_follower_starts(start: object, shoulder: float, rate: float, tmp_path: Path) -> None:
    """Whatever reference the follower has in the file, and whatever the gear's constant adds to it."""
    found = read(model(GEARED, KEY, world=arm()), tmp_path, start=start)
    state = Simulator(found).simulate(1e-5, 1e-5).state(0)
    value, turning = (float(entry[0]) for entry in coordinates_of(found.mechanism, "elbow", state))
    assert value == pytest.approx(ELBOW + 0.1 + 2.0 * (shoulder - START), abs=1e-12)
    assert turning == pytest.approx(2.0 * rate, abs=1e-12)


def test_springs_of_slides_and_hinges_that_become_one_joint_rest_where_they_did(tmp_path: Path) -> None:
    """A slide and a hinge about the same line are one cylindrical joint; each swings with its own frequency."""
    springs = '<joint name="s" type="slide" axis="0 0 1" stiffness="5"/><joint name="h" axis="0 0 1" stiffness="3"/>'
    mass = '<inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.04"/>'
    world = f'<body name="d" pos="0 0 1">{springs}{mass}</body>'
    found = read(model('<option gravity="0 0 0"/>', world=world), tmp_path)
    assert [joint.type for joint in found.mechanism.joints] == ["cylindrical"]
    values = [0.0, 0.0]
    for name, value in (("s", 0.2), ("h", 0.7)):
        values[found.joints[name][1]] = value
    start = state_from(found.mechanism, {found.joints["s"][0]: values})
    run = Simulator(found).simulate(0.5, 0.001, start=start)
    end = coordinates_of(found.mechanism, found.joints["s"][0], run.state(-1))[0]
    expected = (0.2 * np.cos(np.sqrt(5 / 2) * 0.5), 0.7 * np.cos(np.sqrt(3 / 0.04) * 0.5))
    assert [end[found.joints[name][1]] for name in "sh"] == pytest.approx(expected, abs=1e-4)


def test_an_equality_may_have_the_name_of_a_joint(tmp_path: Path) -> None:
    connect = '<equality><connect name="shoulder" body1="forearm" anchor="0.3 0 0"/></equality>'
    found = read(model(connect, world=arm()), tmp_path)
    assert [joint.type for joint in found.mechanism.joints] == ["revolute", "revolute", "spherical"]
    assert found.joints["shoulder"] == ("shoulder", 0) and found.mechanism.joint("shoulder").type == "revolute"
