"""The point constraints of trep's S-expressions: the joints that close its loops.

    n . (p1 - p2) = 0     for origins p1, p2 of two frames and a direction n fixed in the world (JM09, section IV-D4)

All constraints between two frames are one joint. Three directions are a spherical joint. Two directions hold a point on
a line, one holds it on a plane: that is a joint of the table where the line, or the normal, stays fixed in one of the
bodies, as in planar mechanisms; elsewhere it is held along the directions of the world, as written.
"""

from __future__ import annotations

from dataclasses import replace

from symvi.importers.pose import Pose
from symvi.importers.report import Findings
from symvi.importers.sexpr import Expression
from symvi.importers.tree import TreeJoint
from symvi.importers.trep_frames import Body, Frames
from symvi.importers.trep_words import is_known, name_of, numbers, text_of
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.rotation import conjugate, rotate
from symvi.mechanism.vectors import Vector3, cross, dot, norm, scale, subtract, unit

__all__ = ["closing_joints"]

DEPENDENT = 1e-9  # what is left of a unit vector beside others of which it is a combination
MEETING = 1e-9  # [m]
MOST_SEARCHES = 20  # for the nearest known name: comparing every wrong name with every right one takes long
KINDS = {1: "planar_free", 2: "cylindrical_free", 3: "spherical"}


def closing_joints(constraints: list[Expression], frames: Frames, findings: Findings) -> list[TreeJoint]:
    """One joint for all constraints between the same two frames, in the order of the file."""
    groups: dict[frozenset[str], tuple[TreeJoint, tuple[Vector3, ...]]] = {}
    taken = set(frames.variables)
    searches = 0
    for item in constraints:
        if len(item.items) < 4:
            findings.refuse(item.source, f"{item.shown()}: needs the names of two frames, and a direction")
            continue
        ends, name, direction = _read(item, findings)
        title = f"point constraint {shown(name)}" if name else "point constraint"
        unknown = [end for end in ends if end and end not in frames.places]
        for end in unknown:
            searches += 1
            remedy = f"; {did_you_mean(end, frames.places)}" if searches < MOST_SEARCHES else ""
            findings.refuse(item.source, f"{title}: {shown(end)} is no frame{remedy}")
        if unknown or not all(ends) or not any(direction):
            continue
        between = f"between {shown(ends[0])} and {shown(ends[1])}"
        if frames.places[ends[0]][0] is frames.places[ends[1]][0]:
            _note_one_body(item, f"{title} {between}", frames, ends, findings)
            continue
        key = frozenset(ends)
        if key not in groups:
            name = _own_name(name or "_".join(ends), bool(name), taken, item, frames)
            taken.add(name)
            parent, child = (frames.places[end] for end in ends)
            joint = TreeJoint(name, "custom", parent[0].link, child[0].link, item.source, parent[1], child[1])
            groups[key] = (joint, ())
        joint, held = groups[key]
        own = _beside(direction, held)
        if own is None:
            why = "its direction is held by those before it"
            findings.note("merged", item.source, title, f"constraint {between}", why)
        else:
            groups[key] = (joint, (*held, own))
    bodies = {body.link: body for body in frames.bodies}
    return [_joint(joint, held, bodies, findings) for joint, held in groups.values()]


def _own_name(wanted: str, is_given: bool, taken: set[str], item: Expression, frames: Frames) -> str:
    """The name of a joint. taken: those of joints; frames and bodies have their own kind of names."""
    if not is_given:
        return frames.free.make(wanted, "joint", item.source)
    if wanted not in taken:
        return wanted
    own = frames.free.make(f"{wanted}_constraint", "joint", item.source)
    why = f"{shown(own)}: another constraint or a variable has its own"
    frames.findings.note("renamed", item.source, f"point constraint {shown(wanted)}", "name", why)
    return own


def _read(item: Expression, findings: Findings) -> tuple[list[str], str, Vector3]:
    """The two frames, the name, and the direction made a unit vector: zero where something is wrong."""
    ends = [text_of(entry, item.shown(), findings) for entry in item.items[1:3]]
    rest = item.items[3:]
    in_brackets = bool(rest) and rest[0].is_list and rest[0].head != "name"
    count = 1 if in_brackets else next((k for k, entry in enumerate(rest) if entry.is_list), len(rest))
    direction = numbers(item, rest[0].items if in_brackets else rest[:count], (3,), findings)
    options = [entry for entry in rest[count:] if is_known(entry, ("name",), item.shown(), findings)]
    name = name_of(options, item.shown(), findings)
    if not any(direction):
        if not findings.problems or findings.problems[-1][0] != item.source:
            findings.refuse(item.source, f"{item.shown()}: its direction has length zero")
        return ends, name, (0.0, 0.0, 0.0)
    x, y, z = unit(direction)
    return ends, name, (x, y, z)


def _note_one_body(item: Expression, title: str, frames: Frames, ends: list[str], findings: Findings) -> None:
    """A constraint between two frames of one body holds always, or never."""
    one, other = (frames.places[end][1].position for end in ends)
    if norm(subtract(one, other)) <= MEETING:
        findings.note("merged", item.source, title, "one body", "its frames never part, which leaves it nothing to do")
    else:
        findings.refuse(item.source, f"{title}: both are on one body, {norm(subtract(one, other)):g} m apart")


def _beside(direction: Vector3, held: tuple[Vector3, ...]) -> Vector3 | None:
    """What of a direction is at right angles to those that are held, made a unit vector; None if nothing."""
    for other in held:
        direction = subtract(direction, scale(dot(direction, other), other))
    if norm(direction) <= DEPENDENT:
        return None
    x, y, z = unit(direction)
    return (x, y, z)


def _joint(joint: TreeJoint, held: tuple[Vector3, ...], bodies: dict[str, Body], findings: Findings) -> TreeJoint:
    """The joint that holds its two points together along some directions."""
    # the world is the parent of all; otherwise the first of the two in which the joint's axis stays
    axis = {1: held[0], 2: cross(*held) if len(held) == 2 else held[0], 3: held[0]}[len(held)]
    order = [joint, _turned_over(joint)]
    order.sort(key=lambda one: (bool(one.parent), len(held) < 3 and not bodies[one.parent].keeps(axis)))
    best = order[0]
    start, kind = bodies[best.parent].start, KINDS[len(held)]
    if len(held) < 3 and not bodies[best.parent].keeps(axis):
        kind, own = "custom", {"directions": held}
    else:
        x, y, z = rotate(conjugate(start.orientation), axis)
        own = {"axis": (x + 0.0, y + 0.0, z + 0.0)} if len(held) < 3 else {}
    what = {"custom": "held along directions of the world"}.get(kind, f"a {kind} joint, which holds the same")
    count = f"{len(held)} direction{'s' * (len(held) > 1)}"
    findings.note("taken", joint.source, f"point constraint {shown(joint.name)}", count, what)
    bare = {"frame": Pose(best.frame.position), "child_frame": Pose(best.child_frame.position)}
    return replace(best, type=kind, closes=True, **bare, **own)


def _turned_over(joint: TreeJoint) -> TreeJoint:
    """The joint with its two sides exchanged."""
    return replace(joint, parent=joint.child, child=joint.parent, frame=joint.child_frame, child_frame=joint.frame)
