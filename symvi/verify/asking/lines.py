"""Lines on the manifold between two points, and beyond them: rational all along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isqrt, sqrt

from symvi.verify.asking.points import Point, on_sphere
from symvi.verify.asking.variables import Variable
from symvi.verify.errors import OutsideDomain

GRAIN = 2**80  # of the numbers that a sphere is projected to
CURVED = ("quaternion", "unit vector", "rotation", "angular velocity")


def between(a: Point, b: Point, t: Fraction, variables: Mapping[str, Variable], grain: int | None = GRAIN) -> Point:
    """The point at t on the line from a (0) to b (1), on projections of spheres, which are rounded to a grain.

    Raises OutsideDomain where there is none.
    """
    origins = {name: _origin(variable, a[name], b[name]) for name, variable in variables.items()}
    there = [{name: _moved(origins[name], values, False) for name, values in point.items()} for point in (a, b)]
    first, last = (coordinates(point, variables) for point in there)
    found = {}
    for name, variable in variables.items():
        found[name] = _blend(first[name], last[name], t, grain if variable.kind in CURVED else None)
        bounded = variable.low is not None or variable.high is not None
        if (bounded or not 0 <= t <= 1) and not is_allowed(variable, found[name]):
            raise OutsideDomain(f"{name} is positive, or kept between two numbers")
    there = {name: _moved(origins[name], values, True) for name, values in placed(found, variables).items()}
    return {name: a[name] if _is_still(variables[name], name, a, b) else values for name, values in there.items()}


def _is_still(variable: Variable, name: str, a: Point, b: Point) -> bool:
    """Whether a variable is the same at both ends, and so without rounding on all of the line."""
    return a[name] == b[name] and (variable.step is None or a.get(variable.step) == b.get(variable.step))


def _origin(variable: Variable, a: Sequence[Fraction], b: Sequence[Fraction]) -> Sequence[Fraction]:
    """What a line is seen from, so that its start is far from the pole of the projection: -1 for a sphere's other half,
    a rotation where it is more than a quarter of a turn; nothing else."""
    if variable.kind in ("quaternion", "unit vector") and (a[0] < 0 and b[0] != 1 or b[0] == -1 and a[0] != 1):
        return (Fraction(-1),)
    if variable.kind == "rotation" and a[0] + a[4] + a[8] < 1:
        return a
    return ()


def _moved(origin: Sequence[Fraction], values: Sequence[Fraction], back: bool) -> list[Fraction]:
    """Values as they are seen from an origin, or back from there."""
    if len(origin) == 9:
        rows = [origin[i * 3 : i * 3 + 3] if back else origin[i::3] for i in range(3)]
        return [sum((row[k] * values[3 * k + j] for k in range(3)), Fraction(0)) for row in rows for j in range(3)]
    return [-values[0], *values[1:]] if origin else list(values)


def is_allowed(variable: Variable, values: Sequence[Fraction]) -> bool:
    """Whether numbers that are to be positive are, and an inertia is one."""
    if variable.kind != "inertia":
        low, high = variable.low, variable.high
        inside = (low is None or min(values) >= low) and (high is None or max(values) <= high)
        return inside and (not variable.positive or min(values) > 0)
    if len(values) == 3:
        return min(values) > 0
    xx, yy, zz, xy, xz, yz = values if len(values) == 6 else (values[k] for k in (0, 4, 8, 1, 2, 5))
    whole = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    return xx > 0 and xx * yy > xy * xy and whole > 0


def coordinates(point: Point, variables: Mapping[str, Variable]) -> Point:
    """A point in numbers of which each may change by itself but for the symmetry of a matrix: spheres are projected.

    Raises OutsideDomain at the pole of a projection.
    """
    return {name: _flat(variable, name, point) for name, variable in variables.items()}


def _flat(variable: Variable, name: str, point: Point) -> list[Fraction]:
    if variable.kind in ("quaternion", "unit vector"):
        return _projected(point[name])
    if variable.kind == "rotation":
        return _turn(point[name])
    if variable.kind == "angular velocity":
        half = [x * point[variable.over][0] / 2 for x in point[name]]
        root = _root(1 - sum((x * x for x in half), Fraction(0)))
        return [x / (1 + root) for x in half]
    return point[name]


def placed(numbers: Point, variables: Mapping[str, Variable]) -> Point:
    """The point that has these coordinates. Raises OutsideDomain where there is none."""
    return {name: _curved(variable, name, numbers) for name, variable in variables.items()}


def _curved(variable: Variable, name: str, numbers: Point) -> list[Fraction]:
    if variable.kind in ("quaternion", "unit vector"):
        return on_sphere(numbers[name])
    if variable.kind == "rotation":
        return _turned(numbers[name])
    if variable.kind == "angular velocity":
        if sum(x * x for x in numbers[name]) >= 1:
            raise OutsideDomain("an angular velocity of more than half a turn")
        return [2 * x / numbers[variable.over][0] for x in on_sphere(numbers[name])[1:]]
    return list(numbers[name])


def _blend(a: list[Fraction], b: list[Fraction], t: Fraction, grain: int | None) -> list[Fraction]:
    found = [(1 - t) * x + t * y for x, y in zip(a, b, strict=True)]
    return found if grain is None else [Fraction(round(x * grain), grain) for x in found]


def _projected(q: list[Fraction]) -> list[Fraction]:
    if q[0] == -1:
        raise OutsideDomain("the pole of the projection")
    return [x / (1 + q[0]) for x in q[1:]]


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
