"""The links of URDF: inertia, shapes, colours, and origins."""

from __future__ import annotations

from collections.abc import Mapping

from symvi.importers.pose import STANDING, Pose, from_rpy
from symvi.importers.report import Findings
from symvi.importers.tree import Geometry, Inertial, Kind, Link, Use
from symvi.importers.urdf_words import check_words, required
from symvi.importers.xml import Element, numbers
from symvi.mechanism.inertia import turned
from symvi.mechanism.names import shown
from symvi.mechanism.rotation import IDENTITY, Quaternion4
from symvi.mechanism.vectors import norm, unit

__all__ = ["global_colors", "read_frame", "read_link", "read_origin"]

ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
LONG = (("radius", 1), ("length", 1))
SIZES: dict[Kind, tuple[tuple[str, int], ...]] = {
    "box": (("size", 3),),
    "sphere": (("radius", 1),),
    "cylinder": LONG,
    "capsule": LONG,
}
USES: tuple[Use, ...] = ("visual", "collision")


def read_link(element: Element, colors: Mapping[str, str], findings: Findings) -> Link:
    """One <link>."""
    name = required(element, "name", findings)
    title = f"link {shown(name)}"
    check_words(element, findings, title)
    inner = element.first("inertial")
    shapes = [
        shape for use in USES for part in element.all(use) for shape in _geometries(part, use, colors, title, findings)
    ]
    return Link(
        name,
        element.source,
        None if inner is None else _inertial(inner, title, findings),
        None if inner is None else inner.source,
        tuple(shapes),
        next((shape.color for shape in shapes if shape.color), None),
    )


def read_origin(element: Element, findings: Findings, tag: str = "origin") -> Pose:
    """The pose of <origin>; none is the identity."""
    origin = element.first(tag)
    return STANDING if origin is None else read_frame(origin, findings)


def read_frame(element: Element, findings: Findings) -> Pose:
    """The pose that the attributes xyz and rpy, or quat_xyzw, give."""
    x, y, z = numbers(element, "xyz", 3, findings, "0 0 0")
    return Pose((x, y, z), _orientation(element, findings))


def _orientation(element: Element, findings: Findings) -> Quaternion4:
    if "quat_xyzw" not in element.attributes:
        return from_rpy(*numbers(element, "rpy", 3, findings, "0 0 0"))
    if "rpy" in element.attributes:
        findings.refuse(element.source, f"<{element.tag}> has both rpy and quat_xyzw; leave one out")
    x, y, z, w = numbers(element, "quat_xyzw", 4, findings)
    if abs(norm((w, x, y, z)) - 1.0) > 1e-3:
        findings.refuse(element.source, f"<{element.tag}> quat_xyzw must have length 1, not {norm((w, x, y, z)):g}")
        return IDENTITY
    w, x, y, z = unit((w, x, y, z))
    return (w, x, y, z)


def _inertial(element: Element, title: str, findings: Findings) -> Inertial:
    """Mass and inertia in the axes of the link; the file gives it in the axes of the inertial origin."""
    frame = read_origin(element, findings)
    mass, inertia = element.first("mass"), element.first("inertia")
    if mass is None:
        findings.refuse(element.source, f"{title}: <inertial> needs <mass value=.../>")
    value = 0.0 if mass is None else numbers(mass, "value", 1, findings)[0]
    if mass is not None and value < 0.0:
        findings.refuse(mass.source, f"{title}: mass {value:g} must not be negative")
    if inertia is None:
        if value > 0.0:
            why = "no <inertia>: taken as a point mass at its centre of mass"
            findings.note("approximated", element.source, title, "inertia", why)
        return Inertial(value, frame.position)
    ixx, iyy, izz, ixy, ixz, iyz = (numbers(inertia, name, 1, findings)[0] for name in ENTRIES)
    return Inertial(value, frame.position, turned((ixx, iyy, izz, ixy, ixz, iyz), frame.orientation))


def _geometries(
    element: Element, use: Use, colors: Mapping[str, str], title: str, findings: Findings
) -> list[Geometry]:
    """The shape of one <visual> or <collision>; none where it is empty."""
    outer = element.first("geometry")
    inner = None if outer is None else next((child for child in outer.children if child.tag in (*SIZES, "mesh")), None)
    if inner is None:
        findings.note("ignored", element.source, title, f"<{use}>", "has no geometry")
        return []
    frame, color = read_origin(element, findings), _color(element.first("material"), colors, findings)
    name = element.attributes.get("name", "")
    if inner.tag == "mesh":
        scale = numbers(inner, "scale", 3, findings, "1 1 1")
        mesh = required(inner, "filename", findings)
        return [Geometry("mesh", scale, frame, use, mesh, color, None, name, element.source, use == "visual")]
    kind: Kind = next(kind for kind in SIZES if inner.tag == kind)
    size = [value for key, count in SIZES[kind] for value in numbers(inner, key, count, findings)]
    if any(value <= 0.0 for value in size):
        why = f"its size ({', '.join(f'{value:g}' for value in size)}) must be positive"
        findings.note("ignored", element.source, title, f"{use} <{inner.tag}>", why)
        return []
    return [Geometry(kind, tuple(size), frame, use, "", color, None, name, element.source, use == "visual")]


def global_colors(root: Element, findings: Findings) -> dict[str, str]:
    """Name -> colour of the materials of the robot."""
    colors = {}
    for material in root.all("material"):
        check_words(material, findings, f"material {shown(material.attributes.get('name', ''))}")
        color = _color(material, {}, findings)
        if color:
            colors[material.attributes.get("name", "")] = color
    return colors


def _color(material: Element | None, colors: Mapping[str, str], findings: Findings) -> str | None:
    """#rrggbb of a material, its own or that of its name."""
    if material is None:
        return None
    own = material.first("color")
    if own is None:
        return colors.get(material.attributes.get("name", ""))
    parts = [min(1.0, max(0.0, part)) for part in numbers(own, "rgba", 4, findings)[:3]]
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)
