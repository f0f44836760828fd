"""URDF, the Unified Robot Description Format of ROS: what a file says becomes a tree (see tree.py).

The format: the pages of ROS's wiki on urdf/XML, and urdfdom's schema. Beyond it, closed loops are read in every form in
which they are written: a second <joint> with the same child, <loop_joint> (Drake's and Isaac's), and the <constraint>
proposed for urdfdom. Frames: a joint's <origin> stands in the parent link, its axis in the joint frame, (1, 0, 0) where
none is given; the child's frame is the joint frame, moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symvi.importers.pose import STANDING, Pose
from symvi.importers.report import Findings, Source
from symvi.importers.tree import Gear, Link, Tree, TreeJoint
from symvi.importers.urdf_links import global_colors, read_link, read_origin
from symvi.importers.urdf_loops import read_constraint, read_loop_joint
from symvi.importers.urdf_words import check_words, required, unit_axis
from symvi.importers.xml import Element, numbers
from symvi.mechanism.names import WORLD, did_you_mean, shown

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
WITH_STOPS = ("revolute", "prismatic")
MOST_SEARCHES = 20  # for the nearest known name: comparing every wrong name with every right one takes long
ENDLESS = 1e6  # a stop beyond this [m or rad] is how programs write that there is none
# Tags that the motion does not depend on.
LISTED = {
    "transmission": "a transmission is no part of the mechanism; give forces or servos to the joints it drives",
    "gazebo": "Gazebo's own settings",
    "ros2_control": "settings of a controller",
    "sensor": "a sensor has no effect on the motion",
    "safety_controller": "a controller's own limits have no effect on the motion",
    "calibration": "has no effect on the motion",
    "mujoco": "MuJoCo's own settings",
}


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
    loops = [read_loop_joint(element, findings) for element in root.all("loop_joint")]
    loops += [read_constraint(element, findings) for element in root.all("constraint")]
    _list_what_has_no_effect(root, findings)
    _refuse_wrong_names(links, [*joints, *loops], gears, findings)
    if not links:
        findings.refuse(root.source, "the robot has no link; is it only the part of a file that others include?")
    findings.check()
    joints = _with_base(root.source, links, [*joints, *loops], base, findings)
    findings.check()
    name = root.attributes.get("name", "")
    return Tree(name, root.source, tuple(links), tuple(joints), tuple(gears))


def _list_what_has_no_effect(root: Element, findings: Findings) -> None:
    for top in root.children:
        for element in [top] if top.tag in LISTED else top.walk():
            if element.tag in LISTED:
                name = top.attributes.get("name", "")
                title = f"{top.tag} {shown(name)}" if name else ""
                findings.note("skipped", element.source, title, f"<{element.tag}>", LISTED[element.tag])
                for joint in (inner for inner in element.walk() if inner.tag == "joint" and element.tag == "gazebo"):
                    why = "a joint of Gazebo's own, which closes a loop there; write it as <loop_joint>"
                    findings.note("ignored", joint.source, title, "<joint> in <gazebo>", why)


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
        axis=unit_axis(element.first("axis"), title, findings)
        if kind not in ("fixed", "floating")
        else (0.0, 0.0, 1.0),
        limits=_limits(element, kind, title, findings, repair),
        **_dynamics(element, count, title, findings),
    )
    if kind == "planar":
        why = "moves along both directions of its plane and turns about its axis, as in MoveIt and Pinocchio"
        findings.note("taken", element.source, title, "type planar", why)
    mimic = element.first("mimic")
    if mimic is None:
        return joint, None
    if kind == "fixed":
        findings.note("ignored", mimic.source, title, "mimic", "a fixed joint follows nobody")
        return joint, None
    if count != 1:
        findings.refuse(mimic.source, f"{title}: mimic needs a joint with one coordinate, not type '{kind}'")
        return joint, None
    leader = required(mimic, "joint", findings)
    ratio, offset = (numbers(mimic, key, 1, findings, text)[0] for key, text in (("multiplier", "1"), ("offset", "0")))
    findings.note("taken", mimic.source, title, "mimic", "a coupling, held exactly in both directions")
    return joint, Gear(name, leader, ratio, offset, mimic.source)


def _linked(element: Element, tag: str, title: str, findings: Findings) -> str:
    """The link that <parent> or <child> names."""
    inner = element.first(tag)
    if inner is None:
        findings.refuse(element.source, f"{title}: has no <{tag} link=.../>")
        return ""
    if len(element.all(tag)) > 1:
        findings.refuse(
            inner.source, f"{title}: has two <{tag}>; a second parent is a second joint with the same child"
        )
    return required(inner, "link", findings)


def _limits(element: Element, kind: str, title: str, findings: Findings, repair: bool) -> tuple:
    """The stops of a joint, after the report has been told about everything else in <limit>."""
    limit = element.first("limit")
    if limit is None:
        if kind in WITH_STOPS:
            why = "a joint of this type needs <limit>; taken as without stops"
            findings.note("approximated", element.source, title, "no limit", why)
        return ()
    for key in ("effort", "velocity", "acceleration", "deceleration", "jerk"):
        if key in limit.attributes and numbers(limit, key, 1, findings)[0] != 0.0:
            why = "a bound of the motor, which belongs to its controller; servos that `hold` adds know none"
            findings.note("skipped", limit.source, title, f"limit {key}", why)
    given = [key for key in ("lower", "upper") if key in limit.attributes]
    lower, upper = (numbers(limit, key, 1, findings, "0")[0] for key in ("lower", "upper"))
    if kind not in WITH_STOPS:
        if given and kind != "fixed":
            findings.note("ignored", limit.source, title, "limit lower, upper", f"joints of type {kind} have no stops")
        return ()
    if lower > upper:
        if not repair:
            findings.refuse(limit.source, f"{title}: lower {lower:g} above upper {upper:g}; repair exchanges them")
        else:
            findings.note("repaired", limit.source, title, "limit lower above upper", "exchanged")
        lower, upper = upper, lower
    if lower == upper:
        why = "would hold the joint for good; taken as without stops (type fixed holds it)"
        findings.note("approximated", limit.source, title, "limit lower = upper", why)
        return ()
    stops = tuple(None if abs(stop) >= ENDLESS else stop for stop in (lower, upper))
    return (stops,) if stops != (None, None) else ()


def _dynamics(element: Element, count: int, title: str, findings: Findings) -> dict[str, tuple[float, ...]]:
    """Damping [N s/m, N m s/rad] and friction [N, N m] per coordinate."""
    dynamics = element.first("dynamics")
    if dynamics is None or count == 0:
        return {}
    result = {}
    for key in ("damping", "friction"):
        value = numbers(dynamics, key, 1, findings, "0")[0]
        if value < 0.0:
            findings.refuse(dynamics.source, f"{title}: {key} {value:g} must not be negative")
        elif value > 0.0:
            result[key] = (value,) * count
    return result


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
