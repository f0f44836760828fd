"""Which links make one body, and in whose frame: what fixed joints hold together.

The coordinates of a joint with one axis are the same in whatever frame its child is described. Those of a ball, a plane
or a free joint are components in the axes of the child's own frame. A body that such a joint carries is therefore
described in the frame of the joint's child; and where two of them would need different frames, or the world's, a fixed
joint between them stays what it is, six rows, instead of making one body of both.
"""

from __future__ import annotations

from collections.abc import Iterable

from symvi.importers.model import Placed
from symvi.importers.pose import STANDING
from symvi.importers.report import Findings
from symvi.importers.tree import Tree, TreeJoint
from symvi.mechanism.joint_table import coordinate_kinds
from symvi.mechanism.names import shown
from symvi.mechanism.rotation import Quaternion4, conjugate, multiply
from symvi.mechanism.vectors import norm

__all__ = ["grouped", "has_axes_of_its_child"]

PARALLEL = 1e-12  # sine of half the angle between two frames whose axes count as the same

Held = dict[str, TreeJoint]
Places = dict[str, Placed]


def grouped(tree: Tree, findings: Findings) -> tuple[Held, Places]:
    """Link -> the fixed joint that holds it; and where every link is, in the frame of the body that it belongs to.

    A body has the name and the frame of one of its links: of the one that is nobody's child among them, or of one whose
    joint's coordinates need it. The world is "".
    """
    apart: set[int] = set()
    while True:
        held = _held_by(tree, apart, findings)
        places: Places = {"": Placed("", STANDING)}
        for link in tree.links:
            _place(link.name, held, places)
        carried = _carried(tree, places)
        more = {index for index in _to_part(tree, held, places, carried) if index not in apart}
        if not more:
            break
        apart |= more
    for index in sorted(apart):
        why = "six rows of its own: as one body, its links would lose the coordinates of another joint"
        findings.note("taken", tree.joints[index].source, f"joint {shown(tree.joints[index].name)}", "fixed joint", why)
    return held, _in_frames_of(carried, places)


def has_axes_of_its_child(joint: TreeJoint) -> bool:
    """Whether a joint's coordinates are components along axes that its child's frame chooses."""
    kinds = coordinate_kinds(joint.type)
    return kinds.count("translation") > 1 or kinds.count("rotation") > 2


def _held_by(tree: Tree, apart: set[int], findings: Findings) -> Held:
    """Link -> the fixed joint that holds it: the first of which it is the child, and which leads round in no circle.

    apart: numbers of fixed joints that hold nothing together.
    """
    held: Held = {}
    root_of: dict[str, str] = {}

    def root(name: str) -> str:
        path = []
        while name in root_of:
            path.append(name)
            name = root_of[name]
        root_of.update(dict.fromkeys(path, name))
        return name

    for index, joint in sorted(enumerate(tree.joints), key=lambda item: item[1].closes):
        if joint.type != "fixed" or joint.child in held or index in apart:
            continue
        if root(joint.parent) != joint.child:
            held[joint.child] = joint
            root_of[joint.child] = root(joint.parent)
        elif not joint.closes:
            findings.refuse(joint.source, f"joint {shown(joint.name)}: fixed joints lead round in a circle")
    findings.check()
    return held


def _place(name: str, held: Held, places: Places) -> None:
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


def _carried(tree: Tree, places: Places) -> dict[str, list[str]]:
    """Body -> those of its links whose frames are needed, by joints that move it against another body."""
    carried: dict[str, list[str]] = {}
    for joint in tree.joints:
        moves = places[joint.parent].body != places[joint.child].body
        if moves and not joint.closes and has_axes_of_its_child(joint):
            carried.setdefault(places[joint.child].body, []).append(joint.child)
    return carried


def _is_turned(first: Quaternion4, second: Quaternion4) -> bool:
    return norm(multiply(conjugate(first), second)[1:]) > PARALLEL


def _kept(body: str, links: Iterable[str], places: Places) -> str:
    """The link whose frame the body keeps: its own root where the axes of that do for one of the links."""
    if not body or any(not _is_turned(places[body].pose.orientation, places[name].pose.orientation) for name in links):
        return body
    return next(iter(links))


def _to_part(tree: Tree, held: Held, places: Places, carried: dict[str, list[str]]) -> Iterable[int]:
    """The fixed joints that put a link whose axes are needed into a body with other axes.

    No joint moves the world, so that what is part of it moves by the inverse of its joint, which has no such axes.
    On the way from the link to the body's root, the first joint that closes a loop is named; without such, the first.
    Where all that hangs on it has no mass it stays, because rows would have no body to act on.
    """
    numbers = {id(joint): index for index, joint in enumerate(tree.joints)}
    massive = {link.name for link in tree.links if link.inertial is not None and link.inertial.mass > 0.0}
    for body, links in carried.items():
        own = places[_kept(body, links, places)].pose.orientation
        for name in links:
            if body and not _is_turned(own, places[name].pose.orientation):
                continue
            cut = next((joint for joint in _path(name, held) if joint.closes), held[name])
            behind = (other for other in massive if places[other].body == body)
            if name in massive or any(joint is cut for other in behind for joint in _path(other, held)):
                yield numbers[id(cut)]


def _path(name: str, held: Held) -> Iterable[TreeJoint]:
    """The fixed joints from a link to the root of its body."""
    while name in held:
        yield held[name]
        name = held[name].parent


def _in_frames_of(carried: dict[str, list[str]], places: Places) -> Places:
    """The places in the bodies' final frames."""
    frames = {body: own for body, links in carried.items() if (own := _kept(body, links, places)) != body}
    if not frames:
        return places
    back = {body: places[own].pose.inverse() for body, own in frames.items()}
    found = {
        name: Placed(frames[at.body], back[at.body].then(at.pose)) if at.body in frames else at
        for name, at in places.items()
    }
    return found | {own: Placed(own, STANDING) for own in frames.values()}
