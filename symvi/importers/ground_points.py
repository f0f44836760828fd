"""Which points of links the ground holds off: those of their collision shapes, or points that the caller names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import cos, pi, sin

from symvi.importers.hulls import Corners
from symvi.importers.mesh_contacts import MeshCorners
from symvi.importers.report import Findings, Source
from symvi.importers.tree import ContactPoint, Geometry, Link, Tree
from symvi.mechanism.contacts import shape_points
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.shapes import Box, Capsule, Shape, Sphere
from symvi.mechanism.values import vector
from symvi.mechanism.vectors import Vector3

__all__ = ["MADE_OF", "collision_shapes", "named_points", "shape_contacts", "shape_of"]

RIM = 8  # points on each edge of a cylinder
MADE_OF = "boxes, spheres, capsules, cylinders and meshes"


def shape_contacts(
    tree: Tree, links: Collection[str] | None, meshes: MeshCorners, findings: Findings
) -> list[ContactPoint]:
    """The points of the collision shapes of these links; of all links where none are given.

    Boxes by their corners, spheres and capsules by their spheres, all exact above a plane; cylinders by points on their
    edges; meshes by the corners of their convex hulls, exact as well where all of them are kept (hulls.py).
    """
    _refuse_unknown(tree, links or (), findings)
    points = []
    for link in tree.links:
        if links is not None and link.name in links and not collision_shapes(link):
            findings.refuse(link.source, f"contacts of link {shown(link.name)}: it has no collision shape; name points")
        if links is None or link.name in links:
            for number, shape in enumerate(collision_shapes(link)):
                points += _points(link, shape, number, meshes, findings)
    meshes.refuse(findings)
    return points


def named_points(tree: Tree, points: Mapping[str, Sequence[Sequence[float]]], findings: Findings) -> list[ContactPoint]:
    """The caller's own points: link -> (x, y, z), or (x, y, z, radius), in the link's frame [m]."""
    _refuse_unknown(tree, points, findings)
    result = []
    known = {link.name: link for link in tree.links}
    for name in (name for name in points if name in known):
        for number, entries in enumerate(points[name]):
            values = list(entries)
            try:
                place, radius = vector(values[:3]), float(values[3]) if len(values) == 4 else 0.0
                if len(values) > 4 or not 0.0 <= radius < float("inf"):
                    raise ValueError("must be x, y, z or x, y, z, radius")
            except (ValueError, TypeError) as error:
                findings.refuse(tree.source, f"contact point {shown(values)} of link {shown(name)} {error}")
                continue
            own = f"{name}_point{number if len(points[name]) > 1 else ''}"
            result.append(ContactPoint(own, name, place, radius, known[name].source))
    return result


def shape_of(geometry: Geometry) -> Shape | None:
    """The geometry as one of symvi's shapes; None for a mesh or a plane."""
    from symvi.mechanism.shapes import Cylinder

    place = {"position": geometry.frame.position, "orientation": geometry.frame.orientation}
    size = geometry.size
    match geometry.kind:
        case "box":
            return Box(size=size, **place)
        case "sphere":
            return Sphere(radius=size[0], **place)
        case "capsule":
            return Capsule(radius=size[0], length=size[1], **place)
        case "cylinder":
            return Cylinder(radius=size[0], length=size[1], **place)
    return None


def _refuse_unknown(tree: Tree, names: Collection[str], findings: Findings) -> None:
    known = [link.name for link in tree.links]
    for name in names:
        if name not in known:
            findings.refuse(tree.source, f"contacts of link {shown(name)}: no such link; {did_you_mean(name, known)}")


def collision_shapes(link: Link) -> list[Geometry]:
    """The shapes of a link that the file has for contacts with the ground."""
    return [shape for shape in link.geometries if shape.use == "collision"]


def _points(
    link: Link, geometry: Geometry, number: int, meshes: MeshCorners, findings: Findings
) -> Iterator[ContactPoint]:
    title = f"link {shown(link.name)}"
    what = f"collision {geometry.kind}"
    if geometry.kind == "plane":
        why = f"contacts are made of {MADE_OF}; name points of this link instead"
        findings.note("ignored", geometry.source, title, what, why)
        return
    if geometry.kind == "mesh":
        corners = meshes.of(geometry, title)
        if corners is None:
            return
        _note_corners(corners, geometry.source, title, what, findings)
        places = [((x, y, z), 0.0) for x, y, z in corners.points.tolist()]
    elif geometry.kind == "cylinder":
        findings.note("approximated", geometry.source, title, what, f"{RIM} points on each of its two edges")
        places = [(geometry.frame.point(point), 0.0) for point in _rims(*geometry.size)]
    else:
        places = list(shape_points(shape_of(geometry)))
        findings.note("taken", geometry.source, title, what, f"contact with the ground at {len(places)} points")
    stem = f"{link.name}_{geometry.kind}{number if len(collision_shapes(link)) > 1 else ''}"
    for k, (place, radius) in enumerate(places):
        name = f"{stem}_{k}" if len(places) > 1 else stem
        yield ContactPoint(name, link.name, place, radius, geometry.source, geometry.friction)


def _note_corners(corners: Corners, source: Source, title: str, what: str, findings: Findings) -> None:
    """Say how much of a mesh its corners are."""
    kept = len(corners.points)
    if not corners.uncovered:
        why = f"contact with the ground at the {kept} corners of its convex hull"
        findings.note("taken", source, title, what, why)
        return
    why = f"contact with the ground at {kept} of the {corners.count} corners of its convex hull, which the mesh leaves "
    why += f"by at most {1e3 * corners.uncovered:.3g} mm; more corners: contact_corners, --contact-corners"
    findings.note("approximated", source, title, what, why)


def _rims(radius: float, length: float) -> list[Vector3]:
    angles = [2.0 * pi * k / RIM for k in range(RIM)]
    return [(radius * cos(a), radius * sin(a), z) for z in (-0.5 * length, 0.5 * length) for a in angles]
