"""Loops in URDF: <loop_joint> (Drake's and Isaac's), and the <constraint> proposed for urdfdom.

Both join two links of one tree: a frame on each (link1 and link2, or parent and child), a type, and an axis where the
type has one. The forms are mixed in files that programs write, so both tags take the children of both.
"""

from __future__ import annotations

from dataclasses import replace

from symvi.importers.pose import Pose, turn_between
from symvi.importers.report import Findings
from symvi.importers.tree import Gear, TreeJoint
from symvi.importers.urdf_links import read_frame, read_origin
from symvi.importers.urdf_motion import dynamics_of, limits_of, mimic_of
from symvi.importers.urdf_words import check_words, required, unit_axis
from symvi.importers.xml import Element, numbers
from symvi.mechanism.joint_table import coordinate_kinds
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.vectors import Vector3, dot

__all__ = ["read_loop"]

TYPES = {
    "fixed": "fixed",
    "weld": "fixed",
    "spherical": "spherical",
    "ball": "spherical",
    "revolute": "revolute",
    "continuous": "revolute",
    "hinge": "revolute",
    "prismatic": "prismatic",
    "cylindrical": "cylindrical",
    "universal": "universal",
    "planar": "planar_axis",
}
WITHOUT_AXIS = ("fixed", "spherical")
ENDS = ("parent", "child", "parent_origin", "child_origin")  # what <link1> and <link2> say in the other form
SQUARE = 1e-6  # cosine of the angle between the axes of a universal joint


def read_loop(element: Element, findings: Findings, repair: bool = False) -> tuple[TreeJoint, Gear | None]:
    """One <loop_joint> or <constraint>, with stops, damping, friction and <mimic> as those of any joint.

    <loop_joint name type> with <link1 link xyz rpy>, <link2 ...>, <axis>; Isaac's files have <link1> twice.
    <constraint name type> with <parent link>, <parent_origin>, <parent_axis>, and the same of the child.
    What would say a frame or an axis twice, or says not on which link, is refused.
    """
    name, title, kind = _head(element, findings)
    origin = element.first("origin")
    if origin is not None:
        remedy = "write <parent_origin> and <child_origin>, or xyz and rpy of <link1> and <link2>"
        findings.refuse(origin.source, f"{title}: <origin> says not of which of two links; {remedy}")
    is_sided = any(child.tag in ("link1", "link2") for child in element.children) and element.tag == "loop_joint"
    joint = (_sided if is_sided else _joint)(element, name, title, kind, findings)
    count, own = len(coordinate_kinds(kind)), element.attributes.get("type", "")
    limits = limits_of(element, own if own == "continuous" else kind, title, findings, repair, is_loop=True)
    joint = replace(joint, limits=limits, **dynamics_of(element, count, title, findings))
    return joint, mimic_of(element, name, kind, count, title, findings)


def _sided(element: Element, name: str, title: str, kind: str, findings: Findings) -> TreeJoint:
    """The form with <link1> and <link2>."""
    sides = [child for child in element.children if child.tag in ("link1", "link2")]
    if len(sides) != 2:
        findings.refuse(element.source, f"{title}: joins two links, <link1 link=.../> and <link2 link=.../>")
        sides = (sides * 2)[:2]
    for inner in element.children:
        if inner.tag in ENDS:
            what = f"has <{inner.tag}> beside <link1> and <link2>, which have the link, xyz and rpy themselves"
            findings.refuse(inner.source, f"{title}: {what}; leave it out")
    parent, child = (required(side, "link", findings) for side in sides)
    frames = [read_frame(side, findings) for side in sides]
    axes = _axes(element, title, kind, findings)
    return _closing(element, name, kind, (parent, child), (frames[0], frames[1]), axes, title, findings)


def _head(element: Element, findings: Findings) -> tuple[str, str, str]:
    """Name, title and symvi's type."""
    name = required(element, "name", findings)
    title = f"{element.tag} {shown(name)}"
    check_words(element, findings, title)
    kind = required(element, "type", findings)
    if kind not in TYPES:
        findings.refuse(element.source, f"{title}: unknown type {shown(kind)}; {did_you_mean(kind, TYPES)}")
    return name, title, TYPES.get(kind, "fixed")


def _joint(element: Element, name: str, title: str, kind: str, findings: Findings) -> TreeJoint:
    """The form with <parent> and <child>."""
    ends = []
    for tag in ("parent", "child"):
        inner = element.first(tag)
        if inner is None:
            findings.refuse(element.source, f"{title}: has no <{tag} link=.../>")
        ends.append("" if inner is None else required(inner, "link", findings))
    frames = (read_origin(element, findings, "parent_origin"), read_origin(element, findings, "child_origin"))
    axes = _axes(element, title, kind, findings)
    return _closing(element, name, kind, (ends[0], ends[1]), frames, axes, title, findings)


def _axes(element: Element, title: str, kind: str, findings: Findings) -> tuple[Vector3, Vector3]:
    """The axis as each frame has it: its own, else the common one; (0, 0, 1) of a joint that has none."""
    common = element.first("axis")
    own = [element.first(tag) for tag in ("parent_axis", "child_axis")]
    if kind in WITHOUT_AXIS:
        for inner in (common, *own):
            if inner is not None:  # programs write one for these too, zero often
                numbers(inner, "xyz", 3, findings, "0 0 1")
                findings.note("skipped", inner.source, title, f"<{inner.tag}>", f"a {kind} joint has no axis")
        return (0.0, 0.0, 1.0), (0.0, 0.0, 1.0)
    if common is not None and None not in own:
        what = f"{title}: has <axis> beside <parent_axis> and <child_axis>, which are the axis in each of its frames"
        findings.refuse(common.source, f"{what}; leave it out")
    if kind == "universal" and own[1] is None:
        findings.refuse(element.source, f"{title}: a universal joint needs <child_axis>")
    shared = unit_axis(common, title, findings)
    axis, other = (shared if inner is None else unit_axis(inner, title, findings) for inner in own)
    return axis, other


def _closing(
    element: Element,
    name: str,
    kind: str,
    ends: tuple[str, str],
    frames: tuple[Pose, Pose],
    axes: tuple[Vector3, Vector3],
    title: str,
    findings: Findings,
) -> TreeJoint:
    """The joint; an axis that has other components in the child's frame turns that frame until they are the same.

    Where a coordinate of the loop joint is zero then follows from the shortest such turn; nothing else depends on it.
    """
    (parent_frame, child_frame), (axis, child_axis) = frames, axes
    findings.note("taken", element.source, title, "loop", f"closed exactly by a {kind} joint")
    common = {"closes": True, "name": name, "type": kind, "parent": ends[0], "child": ends[1], "source": element.source}
    if kind == "universal":
        # both axes in the joint frame, at right angles at zero coordinates: turn the child's frame until they are
        if axis == child_axis or abs(dot(axis, child_axis)) > SQUARE:
            findings.refuse(
                element.source, f"{title}: parent_axis and child_axis of a universal joint must be at right angles"
            )
            child_axis = (axis[1], axis[2], axis[0])
        return TreeJoint(frame=parent_frame, child_frame=child_frame, axis=axis, child_axis=child_axis, **common)
    turn = turn_between(axis, child_axis)
    turned = child_frame.then(Pose((0.0, 0.0, 0.0), turn))
    return TreeJoint(frame=parent_frame, child_frame=turned, axis=axis, **common)
