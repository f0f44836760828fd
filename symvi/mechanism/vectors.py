"""Vectors of three floats as tuples: the few operations that a description needs, without an array library."""

from __future__ import annotations

from math import sqrt
from typing import overload

__all__ = ["Vector3", "add", "cross", "dot", "norm", "scale", "subtract", "unit"]

Vector3 = tuple[float, float, float]


def add(a: Vector3, b: Vector3) -> Vector3:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector3, b: Vector3) -> Vector3:
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(factor: float, a: Vector3) -> Vector3:
    """factor * a."""
    return (factor * a[0], factor * a[1], factor * a[2])


def dot(a: Vector3, b: Vector3) -> float:
    """The scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector3, b: Vector3) -> Vector3:
    """The vector product a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def norm(a: tuple[float, ...]) -> float:
    """The length, without overflow or underflow on the way."""
    largest = max(abs(x) for x in a)
    if largest == 0.0:
        return 0.0
    return largest * sqrt(sum((x / largest) ** 2 for x in a))


@overload
def unit(a: Vector3) -> Vector3: ...
@overload
def unit(a: tuple[float, float, float, float]) -> tuple[float, float, float, float]: ...
@overload
def unit(a: tuple[float, ...]) -> tuple[float, ...]: ...
def unit(a: tuple[float, ...]) -> tuple[float, ...]:
    """The vector of length one along a (any number of components).

    A vector that already has length one to round-off is returned unchanged, so that writing a description and
    reading it back gives the same bytes. An axis-aligned vector gives exact 0 and +-1.
    Raises ValueError for the zero vector.
    """
    largest = max(abs(x) for x in a)
    if largest == 0.0:
        raise ValueError("has length zero")
    if abs(sum(x * x for x in a) - 1.0) < 1e-15:
        return a
    scaled = [x / largest for x in a]
    length = sqrt(sum(x * x for x in scaled))
    return tuple(x / length for x in scaled)
