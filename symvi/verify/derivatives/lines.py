"""Lines on the manifold between two points, and beyond them: rational all along."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isqrt, sqrt

from symvi.verify.derivatives.errors import OutsideDomain
from symvi.verify.derivatives.points import Point
from symvi.verify.derivatives.variables import Variable

GRAIN = 2**80  # of the numbers that a sphere is projected to


def between(a: Point, b: Point, t: Fraction, variables: Mapping[str, Variable], grain: int | None = GRAIN) -> Point:
    """The point at t on the line from a (0) to b (1), on projections of spheres, which are rounded to a grain.

    Raises OutsideDomain where there is none.
    """
    point: Point = {}
    for name, variable in sorted(variables.items(), key=lambda item: item[1].kind != "step"):
        point[name] = _values(variable, name, (a, b), t, point, grain)
    return {name: point[name] for name in variables}


def _values(variable: Variable, name: str, ends: tuple, t: Fraction, point: Point, grain: int | None) -> list:
    first, last = (end[name] for end in ends)
    if variable.kind in ("quaternion", "unit vector"):
        return _sphere(_blend(_projected(first), _projected(last), t, grain))
    if variable.kind == "rotation":
        return _turned(_blend(_turn(first), _turn(last), t, grain))
    if variable.kind == "angular velocity":
        halves = [[x * end[variable.step][0] / 2 for x in end[name]] for end in ends]
        u = _blend(*([x / (1 + _root(1 - sum(y * y for y in half))) for x in half] for half in halves), t, grain)
        if sum(x * x for x in u) >= 1:
            raise OutsideDomain("an angular velocity of more than half a turn")
        return [2 * x / point[variable.step][0] for x in _sphere(u)[1:]]
    found = [(1 - t) * x + t * y for x, y in zip(first, last, strict=True)]
    if (variable.positive or variable.kind == "inertia") and not 0 <= t <= 1 and min(found) <= 0:
        raise OutsideDomain(f"{name} is positive")
    return found


def _blend(a: list[Fraction], b: list[Fraction], t: Fraction, grain: int | None) -> list[Fraction]:
    found = [(1 - t) * x + t * y for x, y in zip(a, b, strict=True)]
    return found if grain is None else [Fraction(round(x * grain), grain) for x in found]


def _projected(q: list[Fraction]) -> list[Fraction]:
    if q[0] == -1:
        raise OutsideDomain("the pole of the projection")
    return [x / (1 + q[0]) for x in q[1:]]


def _sphere(u: list[Fraction]) -> list[Fraction]:
    square = sum(x * x for x in u)
    return [(1 - square) / (1 + square), *(2 * x / (1 + square) for x in u)]


def _turn(rotation: list[Fraction]) -> list[Fraction]:
    """Vector part over scalar part of a rotation matrix's quaternion."""
    scale = 1 + rotation[0] + rotation[4] + rotation[8]
    if not scale:
        raise OutsideDomain("half a turn")
    return [(rotation[i] - rotation[k]) / scale for i, k in ((7, 5), (2, 6), (3, 1))]


def _turned(u: list[Fraction]) -> list[Fraction]:
    x, y, z = u
    n = 1 + x * x + y * y + z * z
    rows = [
        *(n - 2 * (y * y + z * z), 2 * (x * y - z), 2 * (x * z + y)),
        *(2 * (x * y + z), n - 2 * (x * x + z * z), 2 * (y * z - x)),
        *(2 * (x * z - y), 2 * (y * z + x), n - 2 * (x * x + y * y)),
    ]
    return [entry / n for entry in rows]


def _root(x: Fraction) -> Fraction:
    """The root of a rational number, exact where it is one. Raises OutsideDomain below zero."""
    if x < 0:
        raise OutsideDomain("an angular velocity of more than half a turn")
    above, below = isqrt(x.numerator), isqrt(x.denominator)
    exact = above * above == x.numerator and below * below == x.denominator
    return Fraction(above, below) if exact else Fraction(sqrt(x))
