"""Links without motion between them as one body, and which joints make a tree of the bodies and which close loops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from heapq import heappop, heappush

from symvi.importers.inertia import total
from symvi.importers.model import Placed
from symvi.importers.pose import STANDING, Pose
from symvi.importers.report import Findings
from symvi.importers.tree import Link, Tree, TreeJoint
from symvi.mechanism.names import WORLD, shown

__all__ = ["in_order", "merged", "moved_link"]


def merged(tree: Tree, findings: Findings) -> tuple[Tree, dict[str, Placed]]:
    """The tree without fixed joints, and where every link of it is.

    Links that fixed joints hold together become one body, in the frame and with the name of the one that is nobody's
    child among them; those held by the world become part of it. A fixed joint that closes a loop joins two bodies just
    the same; only where its two links hang together by fixed joints already does it stay what it is.
    The world is "" in the tree, and "world" in the places.
    """
    held = _held_by(tree, findings)
    places: dict[str, Placed] = {"": Placed("", STANDING)}
    for link in tree.links:
        _place(link.name, held, places)
    for joint in held.values():
        place = places[joint.child]
        where = f"part of {shown(place.body)}" if place.body else "held by the world: its mass has no effect"
        if not (joint.parent == "" and joint.frame == STANDING):  # the base has been spoken of
            findings.note("merged", joint.source, f"link {shown(joint.child)}", "fixed joint", where)
    groups: dict[str, list[Link]] = {}
    for link in tree.links:
        groups.setdefault(places[link.name].body, []).append(link)
    links = [_group(link, groups[link.name], places) for link in tree.links if places[link.name].body == link.name]
    joints = [_moved_joint(joint, places, findings) for joint in tree.joints if held.get(joint.child) is not joint]
    points = [
        replace(point, link=places[point.link].body, position=places[point.link].pose.point(point.position))
        for point in tree.contacts
    ]
    free = {places[name].body: pose.then(places[name].pose.inverse()) for name, pose in tree.placements.items()}
    result = replace(
        tree,
        links=tuple(links),
        joints=tuple(joint for joint in joints if joint),
        contacts=tuple(point for point in points if point.link),
        placements={name: pose for name, pose in free.items() if name},
    )
    named = {name: Placed(place.body or WORLD, place.pose) for name, place in places.items() if name}
    return result, named


def _held_by(tree: Tree, findings: Findings) -> dict[str, TreeJoint]:
    """Link -> the fixed joint that holds it: the first of which it is the child, and which leads round in no circle."""
    held: dict[str, TreeJoint] = {}
    root_of: dict[str, str] = {}

    def root(name: str) -> str:
        path = []
        while name in root_of:
            path.append(name)
            name = root_of[name]
        root_of.update(dict.fromkeys(path, name))
        return name

    for joint in sorted(tree.joints, key=lambda joint: joint.closes):
        if joint.type != "fixed" or joint.child in held:
            continue
        if root(joint.parent) != joint.child:
            held[joint.child] = joint
            root_of[joint.child] = root(joint.parent)
        elif not joint.closes:
            findings.refuse(joint.source, f"joint {shown(joint.name)}: fixed joints lead round in a circle")
    findings.check()
    return held


def _place(name: str, held: dict[str, TreeJoint], places: dict[str, Placed]) -> None:
    """Enter where a link is, and all on the way to it."""
    path = []
    while name not in places and name in held:
        path.append(held[name])
        name = held[name].parent
    places.setdefault(name, Placed(name, STANDING))
    for joint in reversed(path):
        parent = places[joint.parent]
        offset = joint.frame.then(joint.child_frame.inverse())
        places[joint.child] = Placed(parent.body, parent.pose.then(offset))


def in_order(tree: Tree, findings: Findings) -> Tree:
    """The tree with its joints from the world outwards, those that close loops behind them.

    A link that several joints lead to is placed by the first of them in the file whose parent is placed; the others
    close loops. Links that nothing leads to, and that do not stand free, are refused.
    """
    at: dict[str, list[int]] = {}
    for index, joint in enumerate(tree.joints):
        if not joint.closes:
            at.setdefault(joint.parent, []).append(index)
    reached, ordered = {"": None, **dict.fromkeys(tree.placements)}, []
    waiting = sorted(index for name in reached for index in at.get(name, ()))
    while waiting:
        index = heappop(waiting)
        joint = tree.joints[index]
        if joint.child not in reached:
            reached[joint.child] = None
            ordered.append(index)
            for further in at.get(joint.child, ()):
                heappush(waiting, further)
    placing = set(ordered)
    closing = [joint for index, joint in enumerate(tree.joints) if index not in placing]
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
    if child.body == "":  # the world is the parent of all
        return _turned_over(joint, places, findings)
    return replace(
        joint,
        parent=parent.body,
        child=child.body,
        frame=parent.pose.then(joint.frame),
        child_frame=child.pose.then(joint.child_frame),
    )


def _turned_over(joint: TreeJoint, places: dict[str, Placed], findings: Findings) -> TreeJoint:
    """A loop joint whose child is held by the world, with its two sides exchanged: what it holds is the same."""
    if joint.limits or joint.damping or joint.friction or joint.stiffness or joint.coordinate or joint.type == "screw":
        title = f"joint {shown(joint.name)}"
        findings.refuse(joint.source, f"{title}: its child is fixed to the world; exchange parent and child")
    axes = {"axis": joint.axis, "child_axis": joint.child_axis}
    if joint.type == "universal":
        axes = {"axis": joint.child_axis, "child_axis": joint.axis}
    parent, child = places[joint.parent], places[joint.child]
    frames = {"frame": child.pose.then(joint.child_frame), "child_frame": parent.pose.then(joint.frame)}
    return replace(joint, parent="", child=parent.body, **frames, **axes)
