"""Names: those of the file stay its own, and those that are made for what it gives none give way to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from symvi.errors import MechanismError
from symvi.importers import Imported, load
from symvi.importers.report import Source
from symvi.importers.tree import Link, by_name
from symvi.mechanism import Mechanism
from tests.importers.mjcf_texts import model

BALL = '<geom size="0.1" mass="1"/>'
ARM = (
    f'<body name="arm"><joint name="h" axis="0 1 0"/>{BALL}'
    f'<body name="tool" pos="0.3 0 0">{BALL}</body></body>'
    f'<body name="box" pos="0.5 0 0"><freejoint name="f"/>{BALL}</body>'
    f'<body name="end" pos="0.5 1 0">{{}}{BALL}</body>'
)
HINGE = '<joint name="{}" axis="1 0 0"/>'


def read(text: str, folder: Path, name: str = "model.xml", **options: object) -> Imported:
    if name.endswith("xml"):
        pytest.importorskip("mujoco", reason="needs the extra mjcf")
    path = folder / name
    path.write_text(text)
    return load(path, **options)


def parts(mechanism: Mechanism) -> list[tuple]:
    """What a mechanism is made of but for the names of its joints."""
    joints = [item.changed(name="j") for item in mechanism.joints]
    return [mechanism.bodies, joints]


def renamed(found: Imported) -> str:
    return "\n".join(str(notice) for notice in found.report.of("renamed"))


@pytest.mark.parametrize(
    "equality, joint",
    [
        ('<weld name="{}" body1="tool" body2="box"/>', ""),
        ('<connect name="{}" body1="tool" body2="box" anchor="0 0 0.1"/>', ""),
        ('<joint name="{}" joint1="end" joint2="h"/>', HINGE.format("end")),
        ("", HINGE),
    ],
)
def test_a_body_stays_on_its_parent_whatever_else_has_the_name_of_its_weld(
    equality: str, joint: str, tmp_path: Path
) -> None:
    """The tool is welded to the arm; an equality or a joint is called as that weld would be."""
    one, other = (
        read(model(f"<equality>{equality.format(name)}</equality>", world=ARM.format(joint.format(name))), tmp_path)
        for name in ("tool_weld", "harmless")
    )
    assert parts(one.mechanism) == parts(other.mechanism)
    assert one.links["tool"] == other.links["tool"] and one.links["tool"].body == "arm"


def test_an_equality_without_a_name_and_one_that_has_the_name_made_for_it_both_hold(tmp_path: Path) -> None:
    connects = (
        '<equality><connect body1="tool" body2="box" anchor="0 0 0.1"/>'
        '<connect name="{}" body1="box" body2="end" anchor="0 1 0"/></equality>'
    )
    one, other = (
        read(model(connects.format(name), world=ARM.format("<freejoint/>")), tmp_path).mechanism
        for name in ("equality0", "harmless")
    )
    assert len(one.joints) == 5 and parts(one) == parts(other)
    assert {one.joint("equality0").parent, one.joint("equality0").child} == {"box", "end"}


def test_an_equality_that_has_the_name_of_a_joint_has_another_in_the_mechanism(tmp_path: Path) -> None:
    weld = '<equality><connect name="h" body1="tool" body2="box" anchor="0 0 0.1"/></equality>'
    found = read(model(weld, world=ARM.format(HINGE.format("g"))), tmp_path)
    assert found.mechanism.joint("h").type == "revolute" and found.mechanism.joint("h_loop").type == "spherical"
    assert "equality 'h': name: 'h_loop': a joint of the file has its own" in renamed(found)


def test_actuators_without_a_name_have_controls_of_their_own(tmp_path: Path) -> None:
    actuators = '<actuator><motor joint="h"/><motor name="actuator0" joint="g"/></actuator>'
    key = '<keyframe><key name="k" qpos="0 0 0 1 1 0 0 0 0" ctrl="3 -2"/></keyframe>'
    found = read(model(actuators, key, world=ARM.format(HINGE.format("g"))), tmp_path)
    assert found.inputs["k"] == {"actuator0_2.force": 3.0, "actuator0.force": -2.0}
    assert {force.name: force.joint for force in found.mechanism.forces} == {"actuator0_2": "h", "actuator0": "g"}


def test_keyframes_without_a_name_are_starts_of_their_own(tmp_path: Path) -> None:
    keys = '<keyframe><key qpos="0.1"/><key name="key0" qpos="0.7"/></keyframe>'
    found = read(model(keys, world=f'<body name="a"><joint name="h" axis="0 1 0"/>{BALL}</body>'), tmp_path)
    starts = {name: start["coordinates"]["h"] for name, start in found.starts.items()}
    assert starts == {"key0_2": (0.1,), "key0": (0.7,)}


def test_names_that_are_made_give_way_to_those_of_the_file(tmp_path: Path) -> None:
    """Bodies and joints without a name come first in the file; in any case of the letters, and of any kind."""
    hinge = '<joint axis="1 0 0" armature="1" damping="1"/>'
    world = (
        f'<body name="arm">{hinge}{BALL}<body pos="0.3 0 0">{hinge}{BALL}</body></body>'
        f'<body name="arm_2" pos="2 0 0"><joint name="ARM_joint" axis="0 1 0"/>{BALL}</body>'
    )
    motors = "".join(
        f'<motor name="{name}" joint="ARM_joint"/>' for name in ("arm_joint_2_rotor", "arm_joint_2_damping")
    )
    found = read(model(f"<actuator>{motors}</actuator>", world=world), tmp_path)
    mechanism = found.mechanism
    assert found.joints["ARM_joint"] == ("ARM_joint", 0) and mechanism.joint("ARM_joint").child == "arm_2"
    assert mechanism.body("arm_2").mass == 1.0 and found.links.keys() == {"arm", "arm_2_2", "arm_2"}
    assert [force.name for force in mechanism.forces if force.kind == "actuator"] == [
        "arm_joint_2_rotor", "arm_joint_2_damping",
    ]  # fmt: skip
    assert "body 'arm_2_2': name: made here, with a number: 'arm_2' is the name of something else" in renamed(found)
    assert "joint 'arm_joint_2': name" in renamed(found)


def test_a_variable_of_trep_may_be_called_as_the_place_of_a_frame_is(tmp_path: Path) -> None:
    text = '(system (ry "{}" (tz -1 (mass 1) (ry "b" (tz -1 (mass 1) (name "A"))))))'
    one, other = (read(text.format(name), tmp_path, "s.trep") for name in ("frame A", "harmless"))
    assert [joint.child_anchor for joint in one.mechanism.joints] == [j.child_anchor for j in other.mechanism.joints]
    assert one.joints.keys() == {"frame A", "b"} and one.links["A"] == other.links["A"]


def test_constraints_of_trep_keep_their_names_beside_frames_and_variables(tmp_path: Path) -> None:
    """A frame may have the name of a constraint; what a variable or another constraint has is theirs."""
    bars = '(tx 1 (name "w")) (ry "p" (tz -1 (name "bob") (mass 1))) (tx 1 ry "q" (tz -1 (name "tip") (mass 1)))'
    held = '(point-constraint "bob" "tip" (1 0 0) (name "p")) (point-constraint "bob" "w" (0 0 1) (name "p"))'
    found = read(f'(system {bars} (tx 9 (name "p_constraint")) {held})', tmp_path, "s.trep")
    names = [joint.name for joint in found.mechanism.joints]
    assert names == ["p", "q", "p_constraint_2", "p_constraint_3"]
    assert "point constraint 'p': name: 'p_constraint_2'" in renamed(found)


def test_two_elements_of_one_name_are_refused_and_never_lost() -> None:
    links = [Link("a", Source("file", 1)), Link("a", Source("file", 2))]
    assert by_name(links[1:]) == {"a": links[1]}
    with pytest.raises(MechanismError, match="file:2: the name 'a' is taken in line 1"):
        by_name(links)
