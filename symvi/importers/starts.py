"""Where joints start: at coordinates of the caller or the file, else at zero, else at the stop nearest to zero."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from symvi.importers.holding import APART, apart, moved, said
from symvi.importers.pose import Pose
from symvi.importers.report import Findings
from symvi.importers.tree import NO_LIMIT, Motor, Start, Tree, TreeJoint, by_name
from symvi.mechanism.joint_table import coordinate_kinds
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.quantities import along_joint
from symvi.mechanism.starting import Given
from symvi.mechanism.values import one_or_more

__all__ = ["INPUTS", "held_at_start", "note_other_starts", "start_of", "with_start", "without_starts_of_followers"]

INPUTS = "inputs of motors"  # what the notice on those of a file's own start is about


def with_start(tree: Tree, start: str | Mapping[str, Given], findings: Findings) -> Tree:
    """The tree with the caller's start coordinates, by the names of its joints; or with one of the file's own starts.

    What does not fit is refused.
    """
    if isinstance(start, str):
        return _with_own_start(tree, start, findings)
    joints = by_name(tree.joints)
    followers = {gear.follower: gear.leader for gear in tree.gears}
    for name, given in start.items():
        if name not in joints:
            findings.refuse(tree.source, f"start of joint {shown(name)}: no such joint; {did_you_mean(name, joints)}")
            continue
        joint, title = joints[name], f"start {shown(given)} of joint {shown(name)}"
        try:
            values = one_or_more(along_joint(given, coordinate_kinds(joint.type)))
        except ValueError as error:
            findings.refuse(joint.source, f"{title} {error}")
            continue
        count = len(coordinate_kinds(joint.type))
        if len(values) != count:
            findings.refuse(joint.source, f"{title}: a joint of type {joint.type} has {count} coordinates")
        elif name in followers:
            findings.refuse(joint.source, f"{title}: it mimics {shown(followers[name])}; give the start of that one")
        elif _inside(replace(joint, coordinate=values)) != values:
            findings.refuse(joint.source, f"{title} is outside its limits {joint.limits}")
        else:
            joints[name] = replace(joint, coordinate=values)
    return replace(tree, joints=tuple(joints.values()))


def _with_own_start(tree: Tree, name: str, findings: Findings) -> Tree:
    """The tree with the coordinates and rates of one of its `starts`; joints that follow others are left to these."""
    if name not in tree.starts:
        findings.refuse(
            tree.source, f"start {shown(name)}: the file has no such start; {did_you_mean(name, tree.starts)}"
        )
        return tree
    if any(tree.starts[name].inputs.values()):
        key = shown(name)
        why = f"no part of a mechanism; `symvi simulate --input KEY` gives them, in Python the import's inputs[{key}]"
        findings.note("ignored", tree.source, f"start {key}", INPUTS, why)
    followers = {gear.follower for gear in tree.gears}

    def moved(joint: TreeJoint) -> TreeJoint:
        coordinate, velocity = (
            values.get(joint.name) for values in (tree.starts[name].coordinates, tree.starts[name].velocities)
        )
        if joint.type == "fixed" or joint.name in followers or coordinate is None:
            return joint
        return replace(joint, coordinate=coordinate, velocity=velocity if any(velocity or ()) else joint.velocity)

    return replace(tree, joints=tuple(moved(joint) for joint in tree.joints))


def start_of(joint: TreeJoint) -> tuple[float, ...] | None:
    """The start coordinates of a joint that nothing else places; None where it has none."""
    return _inside(joint) if coordinate_kinds(joint.type) else None


def without_starts_of_followers(tree: Tree) -> Tree:
    """The tree in which a gear alone says where its follower starts, wherever the leader's start is known.

    A file gives both joints a start that fits the gear; it fits no more where the leader gets another one.
    """
    known = {joint.name for joint in tree.joints if not joint.closes or joint.coordinate is not None}
    placed = {gear.follower for gear in tree.gears if gear.leader in known}
    joints = (replace(joint, coordinate=None) if joint.name in placed else joint for joint in tree.joints)
    return replace(tree, joints=tuple(joints))


def note_other_starts(tree: Tree, start: Start, places: Mapping[str, Pose], findings: Findings) -> None:
    """Note where the mechanism starts elsewhere than the file says, because other joints hold the same links.

    start: the coordinates of the file. places: where links start in the world, "" being the world; of joints that have
    become one joint (joining.py) the links between are not there, and such a joint starts as they do.
    """
    told = {notice.element for notice in findings.notices if notice.what == "start"}
    for joint in tree.joints:
        title, own = f"joint {shown(joint.name)}", start.coordinates.get(joint.name)
        if own is None or title in told or not {joint.parent, joint.child} <= places.keys():
            continue
        if joint.type == "fixed" and joint.coordinate:
            held = joint.coordinate[0]
            gap, why = abs(held - own[0]), f"at {own[0]:g}: an equality holds it at {held:g}"
        else:
            at = places[joint.parent].then(joint.frame).then(moved(joint, own)).then(joint.child_frame.inverse())
            gaps = apart(at, places[joint.child])
            gap, why = max(gaps), f"of the file: other joints hold its links elsewhere, off by {said(*gaps)}"
        if gap > APART:
            findings.note("ignored", joint.source, title, "start", why)


def held_at_start(tree: Tree, stiffness: float, damping: float, joined: Collection[tuple[str, int]] = ()) -> Tree:
    """The tree with a servo on every joint with one coordinate that follows no other, has no motor, closes no loop.

    joined: coordinates of further joints that were such joints before: joint, number of the coordinate. What acts on
        these, -stiffness (c - start) - damping c', is the law of a servo with a target that stands still.
    """
    taken = {gear.follower for gear in tree.gears} | {motor.joint for motor in tree.motors}
    servos = [
        Motor(f"{joint.name}_servo", joint.name, joint.source, "servo", stiffness, damping, repr(start[0]))
        for joint in tree.joints
        if joint.name not in taken and not joint.closes and (start := start_of(joint)) and len(start) == 1
    ]
    numbers: dict[str, set[int]] = {}
    for name, number in joined:
        numbers.setdefault(name, set()).add(number)
    joints = (_held(j, stiffness, damping, numbers[j.name]) if j.name in numbers else j for j in tree.joints)
    return replace(tree, joints=tuple(joints), motors=(*tree.motors, *servos))


def _held(joint: TreeJoint, stiffness: float, damping: float, numbers: Collection[int]) -> TreeJoint:
    """A joint with several coordinates, with a further spring and damper on some of them.

    Springs k1 (c - r1) and k2 (c - r2) are one, (k1 + k2) (c - (k1 r1 + k2 r2) / (k1 + k2)).
    """
    start = start_of(joint) or ()
    if len(start) < 2:
        return joint
    k, rest, d = (list(getattr(joint, name) or (0.0,) * len(start)) for name in ("stiffness", "rest", "damping"))
    for i in numbers:
        if stiffness:
            rest[i] = (k[i] * rest[i] + stiffness * start[i]) / (k[i] + stiffness)
        k[i], d[i] = k[i] + stiffness, d[i] + damping
    return replace(joint, stiffness=tuple(k), rest=tuple(rest), damping=tuple(d))


def _inside(joint: TreeJoint) -> tuple[float, ...]:
    """The coordinates, zero where there are none, moved to the nearest stop where they lie beyond it."""
    count = len(coordinate_kinds(joint.type))
    values = joint.coordinate or (0.0,) * count
    stops = joint.limits or (NO_LIMIT,) * count
    return tuple(_between(value, *pair) for value, pair in zip(values, stops, strict=True))


def _between(value: float, lower: float | None, upper: float | None) -> float:
    value = value if lower is None else max(value, lower)
    return value if upper is None else min(value, upper)
