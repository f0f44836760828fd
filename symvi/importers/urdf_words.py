"""The words of URDF: which tags stand in which, and which attributes they have."""

from __future__ import annotations

from symvi.importers.report import Findings
from symvi.importers.xml import Element, check_attributes, numbers, unknown_word
from symvi.mechanism.names import shown
from symvi.mechanism.values import SMALLEST
from symvi.mechanism.vectors import Vector3, norm, unit

__all__ = ["ATTRIBUTES", "CHILDREN", "check_words", "required", "unit_axis"]

_LOOP = (
    "parent", "child", "parent_origin", "child_origin", "parent_axis", "child_axis", "axis",
    "limit", "dynamics", "mimic",
)  # fmt: skip
_SHAPE = ("origin", "geometry", "material", "verbose", "contact_coefficients", "surface")
# tag -> tags that may stand in it; of a tag that is not here nobody looks at what is inside
CHILDREN: dict[str, tuple[str, ...]] = {
    "robot": (
        "link", "joint", "loop_joint", "constraint", "material", "transmission", "gazebo", "ros2_control", "sensor",
        "mujoco",
    ),
    "link": (
        "inertial", "visual", "collision", "sensor", "contact", "self_collision_checking", "collision_checking",
        "gazebo", "gravity",
    ),
    "inertial": ("origin", "mass", "inertia"),
    "visual": _SHAPE,
    "collision": _SHAPE,
    "geometry": ("box", "cylinder", "sphere", "capsule", "mesh"),
    "material": ("color", "texture"),
    "joint": (
        "origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration",
    ),
    "loop_joint": ("link1", "link2", *_LOOP, "origin"),
    "constraint": (*_LOOP, "origin"),  # an origin is refused, with a remedy
}  # fmt: skip
# tag -> tags that may stand in it once: of two, each reader would take another
ONCE: dict[str, tuple[str, ...]] = {
    "link": ("inertial",),
    "inertial": CHILDREN["inertial"],
    "visual": ("origin", "geometry", "material"),
    "collision": ("origin", "geometry", "material"),
    "material": CHILDREN["material"],
    "joint": CHILDREN["joint"],
    "loop_joint": _LOOP,
    "constraint": CHILDREN["constraint"],
}
_FRAME = ("xyz", "rpy", "quat_xyzw")
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "robot": ("name", "version"),
    "link": ("name", "type"),
    "inertial": (),
    "origin": _FRAME,
    "parent_origin": _FRAME,
    "child_origin": _FRAME,
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "visual": ("name",),
    "collision": ("name", "group"),
    "geometry": (),
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "sphere": ("radius",),
    "mesh": ("filename", "scale"),
    "material": ("name",),
    "color": ("rgba",),
    "texture": ("filename",),
    "joint": ("name", "type"),
    "loop_joint": ("name", "type"),
    "constraint": ("name", "type"),
    "parent": ("link",),
    "child": ("link",),
    "link1": ("link", *_FRAME),
    "link2": ("link", *_FRAME),
    "axis": ("xyz", "frame"),
    "parent_axis": ("xyz",),
    "child_axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
    "safety_controller": ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"),
    "calibration": ("rising", "falling", "reference_position"),
}
TITLED = ("robot", "link", "joint", "loop_joint", "constraint", "material")  # the report names these themselves
REMEDIES: dict[str, str] = dict.fromkeys(("parent", "child"), "a second parent is a second joint with the same child")
NO_TEXT = "URDF has its values in attributes"
# Tags that may stand where they do, and say nothing about the motion that is described here.
WITHOUT_EFFECT = {
    "contact": "contact parameters of other solvers; friction is an option of the import",
    "verbose": "has no effect on the motion",
    "contact_coefficients": "contact parameters of other solvers; friction is an option of the import",
    "surface": "contact parameters of other solvers; friction is an option of the import",
    "self_collision_checking": "contacts between links are not imported",
    "collision_checking": "contacts between links are not imported",
    "gravity": "gravity is one for all bodies",
}


def check_words(element: Element, findings: Findings, title: str) -> None:
    """Look at every tag and attribute of an element and of what is inside it, as deep as the tables know them.

    A slip of a known word is refused, and so is a second element of what may stand once; a word that is none is noted
    as ignored, and so is text. title: how the report names the element.
    """
    check_attributes(element, ATTRIBUTES, findings, title)
    _refuse_repeated(element, findings, title)
    if element.text.strip():
        what = f"text {shown(element.text.strip())} in <{element.tag}>"
        findings.note("ignored", element.source, "" if element.tag == "robot" else title, what, NO_TEXT)
    for child in element.children:
        known = CHILDREN.get(element.tag)
        if known is not None and child.tag not in known:
            unknown_word(child, f"tag <{child.tag[:40]}> in <{element.tag}>", child.tag, known, findings, title)
        elif child.tag in WITHOUT_EFFECT:
            findings.note("ignored", child.source, title, f"<{child.tag}>", WITHOUT_EFFECT[child.tag])
        elif element.tag != "robot":  # its links and joints are looked at one by one, under their own names
            check_words(child, findings, title)


def _refuse_repeated(element: Element, findings: Findings, title: str) -> None:
    """Of what may stand once there is one; a geometry has one shape."""
    inner = "" if element.tag in TITLED else f"<{element.tag}> "
    first: dict[str, Element] = {}
    for child in element.children:
        if child.tag in ONCE.get(element.tag, ()) and child.tag in first:
            line = first[child.tag].source.line
            remedy = REMEDIES.get(child.tag, "leave one out")
            what = f"{title}: {inner}has two <{child.tag}>, the first in line {line}; {remedy}"
            findings.refuse(child.source, what)
        first.setdefault(child.tag, child)
    shapes = [child for child in element.children if element.tag == "geometry" and child.tag in CHILDREN["geometry"]]
    if len(shapes) > 1:
        what = f"<geometry> has two shapes, <{shapes[0].tag}> and <{shapes[1].tag}>"
        findings.refuse(shapes[1].source, f"{title}: {what}; give each its own <visual> or <collision>")


def required(element: Element, name: str, findings: Findings) -> str:
    """The text of an attribute, which must be there and not be empty."""
    text = element.attributes.get(name, "")
    if not text.strip():
        findings.refuse(element.source, f"<{element.tag}> needs the attribute {name}")
    return text


def unit_axis(element: Element | None, title: str, findings: Findings, default: str = "1 0 0") -> Vector3:
    """The axis of a joint with its length made one."""
    if element is None:
        x, y, z = (float(word) for word in default.split())
        return (x, y, z)
    axis = numbers(element, "xyz", 3, findings, default)
    if "frame" in element.attributes:
        why = "an axis stands in the frame of its joint, whatever frame is named"
        findings.note("ignored", element.source, title, f"frame of <{element.tag}>", why)
    if max(map(abs, axis)) < SMALLEST:
        if not findings.problems or findings.problems[-1][0] != element.source:
            how = f"is shorter than {SMALLEST:g}" if any(axis) else "has length zero"
            findings.refuse(element.source, f"{title}: axis {shown(axis)} {how}; give a direction")
        return (1.0, 0.0, 0.0)
    if abs(norm(axis) - 1.0) > 1e-6:
        findings.note("taken", element.source, title, "axis", "its length made one")
    x, y, z = unit(axis)
    return (x + 0.0, y + 0.0, z + 0.0)
