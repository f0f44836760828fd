"""Links without motion between them as one body, and which joints make a tree of the bodies and which close loops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from heapq import heappop, heappush
from typing import Any

from symvi.importers.grouping import has_axes_of_its_child
from symvi.importers.holding import released
from symvi.importers.inertia import total
from symvi.importers.model import Placed
from symvi.importers.pose import STANDING, Pose
from symvi.importers.report import Findings
from symvi.importers.tree import Link, Tree, TreeJoint
from symvi.mechanism.names import shown
from symvi.mechanism.vectors import Vector3

__all__ = ["in_order", "merged", "moved_link"]

ONE_AXIS = ("revolute", "prismatic", "cylindrical", "screw")
PER_COORDINATE = ("limits", "damping", "friction", "stiffness", "rest", "armature", "coordinate", "velocity")
ALIKE_EITHER_WAY = {"spherical": ("damping", "stiffness")}  # the same along all axes, and about zero


def merged(tree: Tree, findings: Findings) -> tuple[Tree, dict[str, Placed]]:
    """The tree without fixed joints, and where every link of it is.

    Links that fixed joints hold together become one body (grouping.py); those held by the world become part of it,
    and contacts of these have no effect.
    A fixed joint that closes a loop joins two bodies just the same; it stays what it is only where its two links hang
    together by fixed joints already, or where coordinates of other joints would be lost.
    The world is "", in the tree and in the places: a link may have the name "world" and be another one.
    """
    tree, held, places = released(tree, findings)
    for joint in held.values():
        place = places[joint.child]
        where = f"part of {shown(place.body)}" if place.body else "held by the world: its mass has no effect"
        if not (joint.parent == "" and joint.frame == STANDING):  # the base has been spoken of
            findings.note("merged", joint.source, f"link {shown(joint.child)}", "fixed joint", where)
    groups: dict[str, list[Link]] = {}
    for link in tree.links:
        groups.setdefault(places[link.name].body, []).append(link)
    links = [_group(link, groups[link.name], places) for link in tree.links if places[link.name].body == link.name]
    parted = (_placing(joint, held) for joint in tree.joints if held.get(joint.child) is not joint)
    joints = [_moved_joint(joint, places, findings) for joint in parted]
    points = [
        replace(point, link=places[point.link].body, position=places[point.link].pose.point(point.position))
        for point in tree.contacts
    ]
    still = {p.link: p.source for p in tree.contacts if p.link and not places[p.link].body}
    for name, source in still.items():
        why = "held by the world, as the ground is: they have no effect"
        findings.note("skipped", source, f"link {shown(name)}", "contacts with the ground", why)
    free = {places[name].body: pose.then(places[name].pose.inverse()) for name, pose in tree.placements.items()}
    result = replace(
        tree,
        links=tuple(links),
        joints=tuple(joint for joint in joints if joint),
        contacts=tuple(point for point in points if point.link),
        placements={name: pose for name, pose in free.items() if name},
    )
    return result, {name: place for name, place in places.items() if name}


def _placing(joint: TreeJoint, held: dict[str, TreeJoint]) -> TreeJoint:
    """A fixed joint that could have made one body of two places its child, as it would have done then."""
    return replace(joint, closes=joint.closes and joint.child in held) if joint.type == "fixed" else joint


def in_order(tree: Tree, findings: Findings) -> Tree:
    """The tree with its joints from the world outwards, those that close loops behind them.

    A link that several joints lead to is placed by the first of them in the file whose parent is placed; the others
    close loops. A fixed joint comes before one whose coordinates need the link's axes: these then start where the fixed
    joint puts the link. Links that nothing leads to, and that do not stand free, are refused.
    """
    at: dict[str, list[int]] = {}
    for index, joint in enumerate(tree.joints):
        if not joint.closes:
            at.setdefault(joint.parent, []).append(index)
    fixed = {joint.child for joint in tree.joints if joint.type == "fixed" and not joint.closes}
    late = [joint.child in fixed and has_axes_of_its_child(joint) for joint in tree.joints]
    reached, ordered = {"": None, **dict.fromkeys(tree.placements)}, []
    waiting = sorted((late[index], index) for name in reached for index in at.get(name, ()))
    while waiting:
        _, index = heappop(waiting)
        joint = tree.joints[index]
        if joint.child not in reached:
            reached[joint.child] = None
            ordered.append(index)
            for further in at.get(joint.child, ()):
                heappush(waiting, (late[further], further))
    placing = set(ordered)
    closing = [
        replace(joint, coordinate=None) if late[index] else joint
        for index, joint in enumerate(tree.joints)
        if index not in placing
    ]
    for joint in closing:
        if joint.child in reached and joint.parent in reached and not joint.closes:
            why = f"a further parent of link {shown(joint.child)}: closed exactly by a {joint.type} joint"
            findings.note("taken", joint.source, f"joint {shown(joint.name)}", "loop", why)
    for link in tree.links:
        if link.name not in reached:
            findings.refuse(
                link.source, f"link {shown(link.name)}: joints lead round in a circle, and none to the root"
            )
    findings.check()
    joints = [tree.joints[index] for index in ordered] + [replace(joint, closes=True) for joint in closing]
    return replace(tree, joints=tuple(joints))


def moved_link(link: Link, pose: Pose) -> Link:
    """The link with everything in it seen from the frame in which it stands at the pose."""
    inertial = link.inertial and total([(link.inertial, pose)])
    shapes = tuple(replace(shape, frame=pose.then(shape.frame)) for shape in link.geometries)
    return replace(link, inertial=inertial, geometries=shapes)


def _group(root: Link, links: Iterable[Link], places: dict[str, Placed]) -> Link:
    """All links of a group as one."""
    links = list(links)
    if len(links) == 1:
        return root
    parts = [(link.inertial, places[link.name].pose) for link in links if link.inertial]
    moved = [moved_link(replace(link, inertial=None), places[link.name].pose) for link in links]
    return replace(
        root,
        inertial=total(parts) if parts else None,
        inertial_source=root.inertial_source or next((x.inertial_source for x in links if x.inertial_source), None),
        geometries=tuple(shape for link in moved for shape in link.geometries),
        color=root.color or next((link.color for link in links if link.color), None),
    )


def _moved_joint(joint: TreeJoint, places: dict[str, Placed], findings: Findings) -> TreeJoint | None:
    """The joint between the bodies that its links belong to; None where both are one."""
    parent, child = places[joint.parent], places[joint.child]
    if parent.body == child.body:
        why = "both links are one body, which leaves it nothing to do"
        findings.note("dropped", joint.source, f"joint {shown(joint.name)}", "loop joint", why)
        return None
    joint = _with_its_coordinates(joint, child, findings)
    if child.body == "":  # the world is the parent of all
        return _turned_over(joint, places, findings)
    return replace(
        joint,
        parent=parent.body,
        child=child.body,
        frame=parent.pose.then(joint.frame),
        child_frame=child.pose.then(joint.child_frame),
    )


def _with_its_coordinates(joint: TreeJoint, child: Placed, findings: Findings) -> TreeJoint:
    """The joint with a word on whether its coordinates stay those of the file where its child is part of a body."""
    if joint.type == "fixed":
        return replace(joint, coordinate=None)
    is_other = has_axes_of_its_child(joint) and not joint.closes
    is_other &= child.body == "" or child.pose.orientation != STANDING.orientation
    if not is_other and not (joint.type == "universal" and child.body == ""):
        return joint
    title = f"joint {shown(joint.name)}"
    if is_other and any(joint.coordinate or ()):
        why = "its child has no mass and is part of another body, whose axes its start coordinates do not know"
        findings.refuse(joint.source, f"{title}: {why}; give the child mass, or leave the start out")
    why = "others than the file's: its child is part of a body with other axes; the motion is the same"
    findings.note("taken", joint.source, title, "coordinates", why)
    return replace(joint, keeps_coordinates=False)


def _turned_over(joint: TreeJoint, places: dict[str, Placed], findings: Findings) -> TreeJoint:
    """A joint whose child is held by the world, with its two sides exchanged.

    The motion of the parent against the child is the inverse one. About and along the opposite axis it has the same
    coordinates, so that everything that acts on these stays as it is. The axes of a universal joint change places, and
    with them its coordinates. Other joints have no such axes, and nothing may depend on their coordinates.
    """
    axes: dict[str, Any] = {}
    if joint.type in ONE_AXIS:
        axes = {"axis": _opposite(joint.axis)}
    elif joint.type == "universal" and joint.child_axis:
        axes = {"axis": _opposite(joint.child_axis), "child_axis": _opposite(joint.axis)}
        axes |= {name: value[::-1] for name in PER_COORDINATE if (value := getattr(joint, name))}
    elif any(any(getattr(joint, name) or ()) for name in PER_COORDINATE if name not in _alike_either_way(joint)):
        title = f"joint {shown(joint.name)}"
        why = f"its child is fixed to the world, and of a {joint.type} joint no coordinate can be turned over"
        findings.refuse(joint.source, f"{title}: {why}; exchange parent and child")
    parent, child = places[joint.parent], places[joint.child]
    frames = {"frame": child.pose.then(joint.child_frame), "child_frame": parent.pose.then(joint.frame)}
    return replace(joint, parent="", child=parent.body, **frames, **axes)


def _alike_either_way(joint: TreeJoint) -> tuple[str, ...]:
    return ALIKE_EITHER_WAY.get(joint.type, ())


def _opposite(axis: Vector3) -> Vector3:
    return (0.0 - axis[0], 0.0 - axis[1], 0.0 - axis[2])
