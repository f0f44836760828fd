"""How bodies look: as their shapes; without one, as links between their joints or as the box of their inertia."""

from __future__ import annotations

import numpy as np

from symvi.page.parts import Part, array, attitude, point, rod, sphere
from symvi.page.turning import principal_box, rotate

__all__ = ["body_parts", "distance", "distinct", "extents", "shape_ends"]

SOLIDS = {"box": "box", "sphere": "sphere", "cylinder": "cylinder", "rod": "cylinder", "capsule": "cylinder"}

# Thickness of a link, as a part of the mechanism's characteristic length.
LINK_RADIUS = 0.022

# A box so many times longer than wide is a bar, whose ends are worth following.
SLENDER = 3.0


def body_parts(number: int, body, corners: list[np.ndarray], length: float) -> list[Part]:
    """The solids of one body.

    corners: the points of its frame that its joints hold, and those that the reader wants to see.
    length: the characteristic length [m] of the mechanism, for the thickness of links.
    """
    if body.shape is not None:
        return _shape_parts(number, body)
    mass = array(body.center_of_mass)
    if len(corners) < 3 and _distance_to_line(mass, corners) > LINK_RADIUS * length:
        corners = [*corners, mass]
    if len(corners) < 2:
        return [_inertia_part(number, body, length)]
    radius = LINK_RADIUS * length
    parts = [rod(number, first, second, radius, "link", body.name) for first, second in _edges(corners)]
    parts += [sphere(number, corner, radius, "link", body.name) for corner in corners]
    if distance(mass, corners) > 2 * radius and len(corners) > 2:  # else the ball would float in the middle of nothing
        parts += [rod(number, corner, mass, 0.35 * radius, "link", body.name) for corner in corners]
    return [*parts, sphere(number, mass, 1.8 * radius, "mass", body.name)]


def extents(shape) -> tuple[float, ...]:
    """The extents [m] of a shape's solid along its own axes; of a capsule, those of its cylinder."""
    if shape.kind == "box":
        return shape.size
    across = 2 * shape.radius
    return (across, across, across if shape.kind == "sphere" else shape.length)


def shape_ends(shape) -> list[np.ndarray]:
    """The two ends of a long shape in the body frame; none of a stout box, a sphere, or no shape."""
    if shape is None or shape.kind == "sphere":
        return []
    size = array(extents(shape))
    along = int(np.argmax(size)) if shape.kind == "box" else 2
    if shape.kind == "box" and size[along] < SLENDER * np.sort(size)[1]:
        return []
    half = rotate(shape.orientation, np.eye(3)[along] * size[along] / 2)
    return [array(shape.position) - half, array(shape.position) + half]


def distinct(points: list[np.ndarray], tolerance: float) -> list[np.ndarray]:
    """The points in their order, without those within the tolerance [m] of an earlier one."""
    kept: list[np.ndarray] = []
    for candidate in points:
        if distance(candidate, kept) > tolerance:
            kept.append(candidate)
    return kept


def distance(place: np.ndarray, others: list[np.ndarray]) -> float:
    """The distance [m] to the nearest of the others; infinity if there is none."""
    return min((float(np.linalg.norm(place - other)) for other in others), default=float("inf"))


def _shape_parts(number, body):
    shape = body.shape
    size, turn = point(extents(shape)), attitude(shape.orientation)
    parts = [Part(number, SOLIDS[shape.kind], size, point(shape.position), turn, "shape", body.name)]
    if shape.kind == "capsule":
        parts += [sphere(number, end, shape.radius, "shape", body.name) for end in shape_ends(shape)]
    return parts


def _inertia_part(number, body, length):
    """The box of the body's inertia, which shows how it turns; a ball for a point mass."""
    centre = array(body.center_of_mass)
    size, turn = principal_box(body.mass, body.inertia)
    if size.min() <= 0.0:
        return sphere(number, centre, 0.08 * length, "shape", body.name)
    return Part(number, "box", point(size), point(centre), attitude(turn), "shape", body.name)


def _edges(corners):
    """The pairs of neighbours around the corners, in the order of angle in the plane that fits them best."""
    if len(corners) == 2:
        return [tuple(corners)]
    offsets = np.array(corners) - np.mean(corners, axis=0)
    right, up = np.linalg.svd(offsets)[2][:2]
    order = np.argsort(np.arctan2(offsets @ up, offsets @ right), kind="stable")
    ring = [corners[place] for place in order]
    return list(zip(ring, [*ring[1:], ring[0]], strict=True))


def _distance_to_line(place, ends):
    if len(ends) < 2:
        return distance(place, ends) if ends else 0.0
    along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    offset = place - ends[0]
    return float(np.linalg.norm(offset - (offset @ along) * along))
