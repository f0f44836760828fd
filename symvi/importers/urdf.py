"""URDF, the Unified Robot Description Format of ROS: what a file says becomes a tree (see tree.py).

The format: the pages of ROS's wiki on urdf/XML, and urdfdom's schema. Beyond it, closed loops are read in every form in
which they are written: a second <joint> with the same child, <loop_joint> (Drake's and Isaac's), and the <constraint>
proposed for urdfdom. Frames: a joint's <origin> stands in the parent link, its axis in the joint frame, (1, 0, 0) where
none is given; the child's frame is the joint frame, moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symvi.importers.formats import Format, register_format
from symvi.importers.pose import STANDING, Pose
from symvi.importers.report import Findings, Source
from symvi.importers.tree import Gear, Link, Tree, TreeJoint
from symvi.importers.urdf_links import global_colors, read_link, read_origin
from symvi.importers.urdf_listed import list_what_is_not_taken
from symvi.importers.urdf_loops import read_loop
from symvi.importers.urdf_motion import dynamics_of, limits_of, mimic_of
from symvi.importers.urdf_words import check_words, required, unit_axis
from symvi.importers.xml import Element, numbers
from symvi.mechanism.names import WORLD, did_you_mean, shown
from symvi.mechanism.vectors import Vector3

__all__ = ["ROOT_JOINT", "read_urdf"]

ROOT_JOINT = "root_joint"  # the name that Pinocchio gives it

# type in URDF -> symvi's type, number of coordinates
TYPES = {
    "revolute": ("revolute", 1),
    "continuous": ("revolute", 1),
    "prismatic": ("prismatic", 1),
    "fixed": ("fixed", 0),
    "floating": ("floating", 6),
    "planar": ("planar_axis", 3),
    "spherical": ("spherical", 3),
    "ball": ("spherical", 3),
}
MOST_SEARCHES = 20  # for the nearest known name: comparing every wrong name with every right one takes long


def read_urdf(root: Element, findings: Findings, base: str = "fixed", repair: bool = False) -> Tree:
    """The tree of a URDF document.

    root: the element <robot>. base: what the root link is where it is not the world: "fixed" or "floating".
    What cannot be used is refused in `findings`; raises MechanismError where nothing sensible can be made of the file.
    """
    check_words(root, findings, "robot")
    colors = global_colors(root, findings)
    links = [read_link(element, colors, findings) for element in root.all("link")]
    joints, gears = [], []
    for element in root.all("joint"):
        joint, gear = _joint(element, findings, repair)
        joints.append(joint)
        gears += [gear] if gear else []
    loops = []
    for element in (*root.all("loop_joint"), *root.all("constraint")):
        joint, gear = read_loop(element, findings, repair)
        loops.append(joint)
        gears += [gear] if gear else []
    list_what_is_not_taken(root, findings)
    _refuse_wrong_names(links, [*joints, *loops], gears, findings)
    if not links:
        findings.refuse(root.source, "the robot has no link; is it only the part of a file that others include?")
    findings.check()
    joints = _with_base(root.source, links, [*joints, *loops], base, findings)
    findings.check()
    name = root.attributes.get("name", "")
    return Tree(name, root.source, tuple(links), tuple(joints), tuple(gears))


def _joint(element: Element, findings: Findings, repair: bool) -> tuple[TreeJoint, Gear | None]:
    """One <joint>, and its <mimic>."""
    name = required(element, "name", findings)
    title = f"joint {shown(name)}"
    check_words(element, findings, title)
    kind = required(element, "type", findings)
    if kind not in TYPES:
        findings.refuse(element.source, f"{title}: unknown type {shown(kind)}; {did_you_mean(kind, TYPES)}")
        kind = "fixed"
    own_type, count = TYPES[kind]
    parent, child = (_linked(element, tag, title, findings) for tag in ("parent", "child"))
    joint = TreeJoint(
        name=name,
        type=own_type,
        parent=parent,
        child=child,
        source=element.source,
        frame=read_origin(element, findings),
        axis=_axis(element.first("axis"), kind, title, findings),
        limits=limits_of(element, kind, title, findings, repair),
        **dynamics_of(element, count, title, findings),
    )
    if kind == "planar":
        why = "moves along both directions of its plane, which is normal to the axis, and turns about the axis"
        others = "as in MoveIt and Pinocchio"
        if joint.axis != (0.0, 0.0, 1.0):
            others = (
                "as URDF says; in MoveIt and Pinocchio, along x and y and about z of its frame whatever the axis is"
            )
        findings.note("taken", element.source, title, "type planar", f"{why}, {others}")
    return joint, mimic_of(element, name, kind, count, title, findings)


def _axis(element: Element | None, kind: str, title: str, findings: Findings) -> Vector3:
    """The axis; programs write one for joints without an axis too, zero often, which must be numbers all the same."""
    if kind not in ("fixed", "floating"):
        return unit_axis(element, title, findings)
    if element is not None:
        numbers(element, "xyz", 3, findings, "0 0 1")
    return (0.0, 0.0, 1.0)


def _linked(element: Element, tag: str, title: str, findings: Findings) -> str:
    """The link that <parent> or <child> names."""
    inner = element.first(tag)
    if inner is None:
        findings.refuse(element.source, f"{title}: has no <{tag} link=.../>")
        return ""
    return required(inner, "link", findings)


def _refuse_wrong_names(links: list[Link], joints: list[TreeJoint], gears: list[Gear], findings: Findings) -> None:
    """Names given twice, and references that lead nowhere."""
    for what, items in (("link", links), ("joint", joints)):
        first: dict[str, Source] = {}
        for item in items:
            if item.name in first:
                place = first[item.name]
                findings.refuse(item.source, f"{what} {shown(item.name)}: its name is taken in line {place.line}")
            first.setdefault(item.name, item.source)
    link_names = dict.fromkeys(link.name for link in links)
    joint_names = {joint.name: joint for joint in joints}
    searches = 0
    for joint in joints:
        title = f"joint {shown(joint.name)}"
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name and name not in link_names:
                searches += 1
                remedy = f"; {did_you_mean(name, link_names)}" if searches < MOST_SEARCHES else ""
                findings.refuse(joint.source, f"{title}: {end} {shown(name)} is no link{remedy}")
        if joint.parent == joint.child:
            findings.refuse(joint.source, f"{title}: joins the link {shown(joint.parent)} to itself")
    for gear in gears:
        title = f"joint {shown(gear.follower)}"
        if gear.leader not in joint_names:
            searches += 1
            remedy = f"; {did_you_mean(gear.leader, joint_names)}" if searches < MOST_SEARCHES else ""
            findings.refuse(gear.source, f"{title}: mimics {shown(gear.leader)}, which is no joint{remedy}")
        elif gear.leader == gear.follower:
            findings.refuse(gear.source, f"{title}: mimics itself")
        elif joint_names[gear.leader].type not in ("revolute", "prismatic"):
            leader = joint_names[gear.leader]
            findings.refuse(
                gear.source, f"{title}: mimics {shown(gear.leader)}, a {leader.type} joint; one coordinate is needed"
            )


def _with_base(
    source: Source, links: list[Link], joints: list[TreeJoint], base: str, findings: Findings
) -> list[TreeJoint]:
    """The joints with one more that says what the root is."""
    children = {joint.child for joint in joints if not joint.closes}
    roots = [link for link in links if link.name not in children]
    if not roots:
        cycle = " -> ".join(_cycle(links, joints))
        findings.refuse(source, f"every link is the child of another, so there is no root: {cycle}")
        return joints
    if len(roots) > 1:
        names = ", ".join(shown(link.name) for link in roots[:8]) + (", ..." if len(roots) > 8 else "")
        findings.refuse(roots[1].source, f"{len(roots)} links are nobody's child: {names}; join them to one root")
        return joints
    root = roots[0]
    if root.name.lower() == WORLD:
        return _with_world(root, joints, base, findings)
    if base == "fixed":
        why = "the root link is fixed to the world where nothing else is asked for; base 'floating' sets it free"
    else:
        why = f"the root link is free, as asked for: joint {ROOT_JOINT!r}"
    findings.note("taken", root.source, f"link {shown(root.name)}", "base", why)
    return [_base_joint(root, joints, base), *joints]


def _with_world(root: Link, joints: list[TreeJoint], base: str, findings: Findings) -> list[TreeJoint]:
    """A root link of the name world is the world itself; set free is what it holds."""
    grounded = replace(_base_joint(root, joints, "fixed"))
    findings.note("taken", root.source, f"link {shown(root.name)}", "base", "the root link is the world itself")
    if base == "fixed":
        return [grounded, *joints]
    held = [joint for joint in joints if joint.parent == root.name and not joint.closes]
    if len(held) != 1 or held[0].type != "fixed":
        findings.refuse(
            root.source, "base 'floating': the root link is the world; it must hold one link by a fixed joint"
        )
        return joints
    free = replace(held[0], type="floating")
    findings.note("taken", free.source, f"joint {shown(free.name)}", "base", "set free, as asked for")
    return [grounded, *(free if joint is held[0] else joint for joint in joints)]


def _base_joint(root: Link, joints: list[TreeJoint], base: str) -> TreeJoint:
    names, name = {joint.name for joint in joints}, ROOT_JOINT
    while name in names:
        name += "_"
    return TreeJoint(name, base, "", root.name, root.source, STANDING, Pose())


def _cycle(links: list[Link], joints: list[TreeJoint]) -> Iterator[str]:
    """Names around one cycle, at most ten."""
    parent_of = {joint.child: joint.parent for joint in joints if not joint.closes}
    seen: dict[str, None] = {}
    name = links[0].name
    while name not in seen:
        seen[name] = None
        name = parent_of[name]
    around = list(seen)[list(seen).index(name) :]
    return (shown(item) for item in [*around[:10], name])


register_format(
    Format(
        "urdf",
        lambda root, findings, options, folders: read_urdf(root, findings, options.base, options.repair),
        "give a link a joint, or set the root link free: base 'floating'",
        (".urdf", ".xml", ".xacro"),
        tag="robot",
        stands=", or let the root link float: base 'floating', --base floating",
    )
)
