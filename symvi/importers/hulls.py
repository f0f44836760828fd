"""The corners of a mesh that the ground holds off: those of its convex hull, thinned to a number.

A plane meets a mesh where it meets the mesh's convex hull, so that all corners of the hull together are exact, however
the mesh is bent inwards. Where they are more than a number, these are kept:

    the lowest and highest corner along each axis of the link,
    then, one by one, the corner that lies furthest from the convex hull of those kept so far (of equals, the first in
    the order of x, y, z), until the number is reached.

The corners left out lie within a distance of the hull of those kept; the largest such distance is how deep the mesh can
get into the ground, whichever way it lies:

    max over directions u of  max_corners u.p - max_kept u.p  =  max over corners of their distance from conv(kept)

(the Hausdorff distance of two convex sets, one within the other, is that of their support functions: R. Schneider,
Convex Bodies, section 1.8).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEWEST", "MOST", "MOST_POINTS", "Corners", "hull_corners", "thinned_corners"]

FEWEST, MOST = 6, 1000  # that a mesh can be thinned to: those along the axes; those that a contact each is made of
MOST_POINTS = 200_000  # of a mesh whose hull is taken
ALIKE = 1e-9  # of the size of a mesh: distances that differ by less are the same
FLAT = 1e-9  # of the size of a mesh: one that is no thicker has a hull in a plane, or along a line
CHUNK = 1 << 18  # pairs of a corner and a triangle whose distances are found at once


@dataclass(frozen=True, eq=False)
class Corners:
    """The corners kept of a convex hull.

    points: (n, 3) [m]. count: of all corners of the hull. uncovered: the largest distance of one that is left out from
    the hull of those kept [m], 0 where none is.
    """

    points: NDArray[np.float64]
    count: int
    uncovered: float


def hull_corners(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The corners of the convex hull of points (n, 3), each once, in the order of x, y, z."""
    points = np.unique(np.asarray(points, float) + 0.0, axis=0)
    flat = _spread(points)
    if flat.shape[1] == 0:
        return points[:1]
    if flat.shape[1] == 1:
        return points[np.unique([flat[:, 0].argmin(), flat[:, 0].argmax()])]
    from scipy.spatial import ConvexHull

    return points[np.sort(ConvexHull(flat).vertices)]


def thinned_corners(corners: NDArray[np.float64], most: int) -> Corners:
    """At most so many of the corners (n, 3) of a convex hull, by the rule of this module; most: at least FEWEST."""
    if len(corners) <= most:
        return Corners(corners, len(corners), 0.0)
    size = float(np.ptp(corners, axis=0).max())
    scaled = (corners - corners.mean(axis=0)) / size
    kept: list[int] = []
    for axis, sign in ((axis, sign) for axis in (2, 0, 1) for sign in (-1.0, 1.0)):
        furthest = _first_largest(sign * scaled[:, axis])
        kept += [furthest] if furthest not in kept else []
    away = np.full(len(scaled), np.inf)
    seen: set[tuple[int, ...]] = set()
    while True:
        faces = [face for face in _faces(scaled[kept], kept) if face not in seen]
        seen.update(faces)
        away = np.minimum(away, _distances(scaled, scaled[np.array(faces)])) if faces else away
        if len(kept) >= most or away.max() <= ALIKE:
            break
        kept.append(_first_largest(away))
    return Corners(corners[np.sort(kept)], len(corners), float(away.max()) * size)


def _first_largest(values: NDArray[np.float64]) -> int:
    """The first of those that are the largest but for rounding."""
    return int(np.flatnonzero(values >= values.max() - ALIKE)[0])


def _spread(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coordinates of the points in the space that they span, of at most three dimensions, of about the size one."""
    centred = points - points.mean(axis=0)
    size = float(np.abs(centred).max())
    if size == 0.0:
        return centred[:, :0]
    _, values, axes = np.linalg.svd(centred / size, full_matrices=False)
    count = min(int((values > FLAT * values[0]).sum()), len(points) - 1)
    return centred / size if count == 3 else centred / size @ axes[:count].T


def _faces(points: NDArray[np.float64], numbers: list[int]) -> list[tuple[int, int, int]]:
    """Triangles, some of them segments or points, that the convex hull of the points is between, by these numbers.

    The distance of a point outside from the nearest of them is that from the hull.
    """
    flat = _spread(points)
    if flat.shape[1] < 2:
        found = [(k, k, k) for k in range(len(points))] if flat.shape[1] == 0 else list(_pairs(len(points)))
    else:
        from scipy.spatial import ConvexHull

        found = [tuple(int(k) for k in (*simplex, simplex[-1])[:3]) for simplex in ConvexHull(flat).simplices]
    return sorted({tuple(sorted(numbers[k] for k in face)) for face in found})  # type: ignore[misc]


def _pairs(count: int) -> list[tuple[int, int, int]]:
    return [(i, j, j) for i, j in combinations(range(count), 2)]


def _distances(points: NDArray[np.float64], triangles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each point (n, 3), the distance from the nearest of triangles (m, 3, 3), which may be segments or points."""
    nearest = np.full(len(points), np.inf)
    step = max(1, CHUNK // max(1, len(points)))
    for start in range(0, len(triangles), step):
        a, b, c = triangles[start : start + step].transpose(1, 0, 2)
        squares = _off_planes(points, a, b, c)
        for first, second in ((a, b), (b, c), (c, a)):
            squares = np.minimum(squares, _off_segments(points, first, second))
        nearest = np.minimum(nearest, squares.min(axis=1))
    return np.sqrt(nearest)


def _off_segments(points: NDArray, a: NDArray, b: NDArray) -> NDArray:
    """Squared distances (n, m) of points from the segments ab."""
    along = b - a
    length = np.einsum("mi,mi->m", along, along)
    from_a = points[:, None, :] - a
    part = np.clip(np.einsum("nmi,mi->nm", from_a, along) / np.where(length > 0.0, length, 1.0), 0.0, 1.0)
    rest = from_a - part[:, :, None] * along
    return np.einsum("nmi,nmi->nm", rest, rest)


def _off_planes(points: NDArray, a: NDArray, b: NDArray, c: NDArray) -> NDArray:
    """Squared distances (n, m) of points from the planes of triangles abc that they lie above or below; else inf."""
    normal = np.cross(b - a, c - a)
    length = np.einsum("mi,mi->m", normal, normal)
    from_a = points[:, None, :] - a
    inside = np.broadcast_to(length > 0.0, from_a.shape[:2]).copy()
    for first, second in ((a, b), (b, c), (c, a)):
        edge = np.cross(normal, second - first)
        inside &= np.einsum("nmi,mi->nm", points[:, None, :] - first, edge) >= 0.0
    height = np.einsum("nmi,mi->nm", from_a, normal) ** 2 / np.where(length > 0.0, length, 1.0)
    return np.where(inside, height, np.inf)
