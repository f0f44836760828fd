"""Several joints with links without mass between them, as the one standard joint that moves alike.

Formats that know only hinges and slides write a universal joint as two hinges with an empty link between them, and the
base of a vehicle as two slides and a hinge. What is joined here is exact: same motion and same coordinates, each with
its stops, damping, friction and spring. Three hinges stay three: the coordinates of a spherical joint are others.
Axes are compared in the joint frame, with the first joint's frame and the empty link's frame followed to the child.

    hinge, hinge    universal                         slide, slide          planar
    hinge, slide    cylindrical, in either order      slide, slide, hinge   planar_axis
                                                      slide, slide, slide   fixed_orientation
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symvi.importers.pose import Pose
from symvi.importers.report import Findings
from symvi.importers.tree import NO_LIMIT, Link, Tree, TreeJoint
from symvi.mechanism.axes import triad
from symvi.mechanism.names import shown
from symvi.mechanism.rotation import conjugate, multiply, rotate
from symvi.mechanism.vectors import Vector3, add, cross, dot, norm, scale, subtract

__all__ = ["joined"]

SQUARE = 1e-9  # cosine of an angle that counts as a right one; of axes that count as parallel, the sine
DISTANCE = 1e-9  # between axes that count as meeting [m]
SPEEDS = ("damping", "friction", "stiffness", "rest", "armature")
Places = dict[str, tuple[str, int]]
Joined = tuple[TreeJoint, tuple[int, ...]]
SLIDING = (("prismatic", "prismatic"), ("planar", "prismatic"), ("planar", "revolute"))
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def joined(tree: Tree, coordinates: Places, findings: Findings) -> tuple[Tree, Places]:
    """The tree with joints joined where that is possible.

    coordinates: where each joint's coordinates are: joint, number of the first. Returned as they then are.
    """
    taken = {name for gear in tree.gears for name in (gear.leader, gear.follower)}  # these need one coordinate each
    taken |= {motor.joint for motor in tree.motors} | {joint.name for joint in tree.joints if any(joint.armature)}
    gone: set[str] = set()
    found = dict(coordinates)
    names_of: dict[str, list[str]] = {}  # joint -> the joints of the file whose coordinates it has
    for name, (own, _) in found.items():
        names_of.setdefault(own, []).append(name)
    joints = {joint.name: joint for joint in tree.joints}
    for link, *ends in _candidates(tree):
        first, second = (joints[joint.name] for joint in ends)  # as they are by now
        result = None if taken & {first.name, second.name} else _one(first, second)
        if result is None:
            continue
        (joint, places), moved = result, []
        title = f"joints {shown(first.name)}, {shown(second.name)}"
        why = f"a {joint.type} joint, which moves alike; the link {shown(link.name)} without mass goes"
        findings.note("merged", second.source, title, "link without mass", why)
        gone.add(link.name)
        del joints[first.name]
        joints[second.name] = joint
        for own, before in ((first.name, 0), (second.name, len(places) - 1)):
            for name in names_of.pop(own, ()):
                found[name] = (joint.name, places[before + found[name][1]])
                moved.append(name)
        names_of[joint.name] = moved
    links = tuple(link for link in tree.links if link.name not in gone)
    return replace(tree, links=links, joints=tuple(joints.values())), found


def _candidates(tree: Tree) -> Iterator[tuple[Link, TreeJoint, TreeJoint]]:
    """(link without mass, joint to it, joint from it), where nothing else is on the link."""
    into: dict[str, list[TreeJoint]] = {}
    out: dict[str, list[TreeJoint]] = {}
    for joint in tree.joints:
        into.setdefault(joint.child, []).append(joint)
        out.setdefault(joint.parent, []).append(joint)
    pointed = {point.link for point in tree.contacts}
    for link in tree.links:
        before, after = into.get(link.name, []), out.get(link.name, [])
        is_between = len(before) == len(after) == 1 and not (before[0].closes or after[0].closes)
        if _is_empty(link) and is_between and link.name not in pointed:
            yield link, before[0], after[0]


def _is_empty(link: Link) -> bool:
    return link.inertial is None or (link.inertial.mass == 0.0 and not any(link.inertial.inertia))


def _one(first: TreeJoint, second: TreeJoint) -> Joined | None:
    """One joint for both, and where the coordinates of both are in it; None where no standard joint does."""
    types = (first.type, second.type)
    if types == ("revolute", "revolute"):
        return _universal(first, second)
    if set(types) == {"revolute", "prismatic"}:
        return _cylindrical(first, second)
    if types in SLIDING:
        return _sliding(first, second)
    return None


def _second_frame(first: TreeJoint, second: TreeJoint) -> Pose:
    """The second joint's frame in the first joint's, at zero coordinates."""
    return first.child_frame.inverse().then(second.frame)


def _universal(first: TreeJoint, second: TreeJoint) -> Joined | None:
    """Two hinges whose axes meet at right angles."""
    frame = _second_frame(first, second)
    axis, other = first.axis, frame.vector(second.axis)
    if abs(dot(axis, other)) > SQUARE:
        return None
    # the meeting point: s along the first axis, t along the second from its own origin
    s, t = dot(frame.position, axis), -dot(frame.position, other)
    meeting = scale(s, axis)
    if norm(subtract(meeting, add(frame.position, scale(t, other)))) > DISTANCE:
        return None
    back = conjugate(frame.orientation)
    parent = first.frame.then(Pose(meeting, frame.orientation))
    child = second.child_frame.then(Pose(rotate(back, subtract(meeting, frame.position))))
    own = {"frame": parent, "child_frame": child, "axis": _clean(rotate(back, axis)), "child_axis": second.axis}
    return _with_both(first, second, (0, 1), type="universal", **own), (0, 1)


def _cylindrical(first: TreeJoint, second: TreeJoint) -> Joined | None:
    """A hinge and a slide along the same direction; the line is that of the hinge."""
    frame = _second_frame(first, second)
    axis, other = first.axis, frame.vector(second.axis)
    if norm(cross(axis, other)) > SQUARE or dot(axis, other) < 0.0:
        return None
    back = conjugate(frame.orientation)
    if first.type == "revolute":  # the line goes through the first joint's origin
        parent, point = first.frame.then(Pose((0.0, 0.0, 0.0), frame.orientation)), rotate(back, frame.position)
        child = second.child_frame.then(Pose(scale(-1.0, point)))
    else:  # through the second joint's
        parent, child = first.frame.then(frame), second.child_frame
    places = (1, 0) if first.type == "revolute" else (0, 1)
    return _with_both(
        first, second, places, type="cylindrical", frame=parent, child_frame=child, axis=second.axis
    ), places


def _sliding(first: TreeJoint, second: TreeJoint) -> Joined | None:
    """Two slides, with a third or a hinge behind them: a joint whose directions of sliding are those of the joints.

    symvi's directions follow from the axis as the child sees it (axes.triad), so that only such slides can be joined.
    """
    frame = _second_frame(first, second)
    to_child = multiply(second.child_frame.orientation, conjugate(frame.orientation))
    own = (first.axis,) if first.type == "prismatic" else triad(first.axis)[:2]
    slides = [rotate(to_child, direction) for direction in own]
    last = second.child_frame.vector(second.axis)
    if second.type == "prismatic":
        slides.append(last)
    if len(slides) == 3:
        choices = [(Z, (X, Y, Z))]
    else:
        normal = cross(*slides)
        axes = [last] if second.type == "revolute" else [normal, scale(-1.0, normal)]
        choices = [(axis, triad(axis)[:2]) for axis in axes if norm(axis) > 0.5]
    matches = ((axis, _places(slides, directions)) for axis, directions in choices)
    axis, places = next(((axis, found) for axis, found in matches if found), (Z, ()))
    if not places:
        return None
    kind = "fixed_orientation" if len(slides) == 3 else "planar_axis" if second.type == "revolute" else "planar"
    order = (*places, 2) if kind == "planar_axis" else places
    parent = first.frame.then(Pose(frame.position, conjugate(to_child)))
    frames = {"frame": parent, "child_frame": Pose(second.child_frame.position)}
    return _with_both(first, second, order, type=kind, axis=_clean(axis), **frames), order


def _places(slides: list[Vector3], directions: tuple[Vector3, ...]) -> tuple[int, ...]:
    """Which direction each slide has; empty unless every slide has one of its own."""
    found = [k for slide in slides for k, own in enumerate(directions) if norm(subtract(slide, own)) <= SQUARE]
    return tuple(found) if sorted(found) == list(range(len(directions))) else ()


def _with_both(first: TreeJoint, second: TreeJoint, places: tuple[int, ...], **own) -> TreeJoint:
    """The second joint with other fields, and with what both have per coordinate, in the order of the places."""
    counts = (len(places) - 1, 1)

    def ordered(values: tuple, others: tuple, nothing) -> tuple:
        if not values and not others:
            return ()
        both = (*(values or (nothing,) * counts[0]), *(others or (nothing,) * counts[1]))
        return tuple(both[places.index(k)] for k in range(len(places)))

    fields: dict[str, tuple | None] = {
        name: ordered(getattr(first, name), getattr(second, name), 0.0) for name in SPEEDS
    }
    fields["limits"] = ordered(first.limits, second.limits, NO_LIMIT)
    for name in ("coordinate", "velocity"):
        given = getattr(first, name) is not None or getattr(second, name) is not None
        fields[name] = ordered(getattr(first, name) or (), getattr(second, name) or (), 0.0) if given else None
    return replace(second, parent=first.parent, **fields, **own)


def _clean(vector: Vector3) -> Vector3:
    return (vector[0] + 0.0, vector[1] + 0.0, vector[2] + 0.0)
