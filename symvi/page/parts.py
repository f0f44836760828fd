"""The elements of a drawing: solids fixed in a body frame, and spans between two of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from symvi.page.turning import align

__all__ = ["WORLD", "Part", "Point", "Span", "array", "attitude", "point", "rod", "sphere"]

WORLD = -1
Point = tuple[float, float, float]


@dataclass(frozen=True)
class Part:
    """One solid, fixed in the frame of a body.

    body: index of the body, or WORLD. solid: "box", "sphere", "cylinder" (its long axis is z) or a mesh, "mesh 0".
    size: extents [m] along the solid's own axes. position [m], orientation (w, x, y, z): of the solid in the frame.
    role: "shape" (the body as described), "link" or "mass" (its stand-in), "joint" (a marker).
    name: the body or joint that the part stands for. color: #rrggbb, None for the body's.
    """

    body: int
    solid: str
    size: Point
    position: Point
    orientation: tuple[float, float, float, float]
    role: str
    name: str
    color: str | None = None


@dataclass(frozen=True)
class Span:
    """A spring or a distance joint, drawn between a point of one body (or of the world) and a point of another."""

    bodies: tuple[int, int]
    points: tuple[Point, Point]
    kind: str
    name: str
    radius: float


def sphere(body: int, centre: np.ndarray, radius: float, role: str, name: str) -> Part:
    """A ball of the given radius [m]."""
    size = (2 * radius, 2 * radius, 2 * radius)
    return Part(body, "sphere", size, point(centre), (1.0, 0.0, 0.0, 0.0), role, name)


def rod(body: int, first: np.ndarray, second: np.ndarray, radius: float, role: str, name: str) -> Part:
    """A cylinder from one point to another."""
    along = second - first
    size = (2 * radius, 2 * radius, float(np.linalg.norm(along)))
    return Part(body, "cylinder", size, point((first + second) / 2), align(along), role, name)


def array(values) -> np.ndarray:
    """The values as an array of doubles."""
    return np.array(values, dtype=float)


def point(values: Iterable[float]) -> Point:
    """Three values as plain floats."""
    x, y, z = values
    return float(x), float(y), float(z)


def attitude(values: Iterable[float]) -> tuple[float, float, float, float]:
    """A quaternion's four values as plain floats."""
    w, x, y, z = values
    return float(w), float(x), float(y), float(z)
