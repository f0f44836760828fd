"""Points beside a point, on the manifold as it is: where code that checks what it is given takes them too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from symvi.naive.quaternion import multiply
from symvi.verify.asking.lines import is_allowed
from symvi.verify.asking.points import Point, on_sphere, rotation_of
from symvi.verify.asking.variables import Variable

NEXT_TO_NOTHING = Fraction(1, 10**12)  # of ordinary numbers
UNEVEN = (Fraction(1), Fraction(-3, 4), Fraction(1, 2))  # a turn about no axis that anybody takes


def shaken(point: Point, variables: Mapping[str, Variable], shake: Fraction) -> Point:
    """A point with a small change of every number.

    Quaternions, unit vectors and rotations are turned, steps and angular velocities shrink: |w| < 2/h goes on to hold.
    """
    return {name: _shaken(variables[name], values, shake) for name, values in point.items()}


def _shaken(variable: Variable, values: list[Fraction], shake: Fraction) -> list[Fraction]:
    if variable.kind in ("quaternion", "unit vector", "rotation"):
        return turned(variable, values, [shake * part for part in UNEVEN])
    if variable.kind in ("step", "angular velocity"):
        return _numbers(values, -abs(shake))
    if variable.positive:
        return [value * (1 + shake) for value in values]
    found = _numbers(values, shake)
    return found if is_allowed(variable, found) else [value * (1 + shake) for value in values]


def turned(variable: Variable, values: list[Fraction], by: Sequence[Fraction]) -> list[Fraction]:
    """A quaternion, unit vector or rotation after a turn of about half a small rotation vector, exact."""
    small = on_sphere([part / 4 for part in by])
    if variable.kind == "quaternion":
        return variable.stored(multiply(variable.scalar_first(values), small))
    turn, width = rotation_of(small), len(values) // 3
    return [
        sum((turn[3 * i + j] * values[width * j + k] for j in range(3)), Fraction(0))
        for i in range(3)
        for k in range(width)
    ]


def _numbers(values: Sequence[Fraction], shake: Fraction) -> list[Fraction]:
    """Numbers with a small change of each; those that are next to nothing change by as little of the largest one.

    Where all are next to nothing, that is of 1.
    """
    size = max(map(abs, values))
    size = size if size > NEXT_TO_NOTHING else 1
    return [value * (1 + shake) if abs(value) > size * NEXT_TO_NOTHING else value + size * shake for value in values]
