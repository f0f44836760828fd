"""Numbers of a description made exact: unit quaternions and orthonormal axes that are so to the last digit.

A proof needs axes with exact lengths and right angles, and a description has them to 16 digits. Here a joint's
quaternion and triad are put on the unit sphere by half and quarter angles, keeping every zero and one that a generated
text may have baked in; all other magnitudes (lengths, masses, gains) become random. `Plain` does the same in floats, so
that the numbers which the package itself puts into its parameters are compared with this second derivation of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import asin, atan2, cos, pi, sin, sqrt, tan

from symvi.exact.field import Field
from symvi.mechanism import Joint, triad
from symvi.mechanism.vectors import Vector3
from symvi.naive.quaternion import columns, multiply

SMALL = 1e-12
UNIT_VECTORS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Plain:
    """Floats as they are."""

    zero = 0.0

    def exactly(self, value: float) -> float:
        return value

    def magnitude(self, value: float) -> float:
        return value

    single = magnitude

    def half_turn(self, angle: float) -> tuple[float, float]:
        """(cos, sin) of half an angle."""
        return cos(angle / 2), sin(angle / 2)

    def direction(self, angle: float) -> tuple[float, float]:
        """(cos, sin) of an angle whose value does not matter."""
        return cos(angle), sin(angle)

    def direction_at(self, angle: float) -> tuple[float, float]:
        """(cos, sin) of an angle whose value matters where it is a multiple of 90 degrees."""
        return cos(angle), sin(angle)

    def quaternion(self, q: Sequence[float]) -> list[float]:
        return list(q)


class Exact:
    """Numbers of a prime field in the place of a description's floats."""

    def __init__(self, field: Field):
        self.field, self.zero = field, field.zero

    def exactly(self, value: float):
        """A number of the description that may be irrational only by being 0, ±1/2, ±1 or ± the root of 1/2."""
        size = abs(value)
        for known, number in ((0.0, 0), (1.0, 1), (0.5, Fraction(1, 2))):
            if abs(size - known) < SMALL:
                return self.field.number(number if value > 0 else -number)
        if abs(size - sqrt(0.5)) < SMALL:
            return self.field.root_of_two / (2 if value > 0 else -2)
        return self.field.number(Fraction(value))

    def magnitude(self, value: float):
        """A random number; 0 and ±1 stay, for they may be baked into the text."""
        return self.exactly(value) if value in (-1.0, 0.0, 1.0) else self.field.random()

    def single(self, value: float):
        """A random number in the place of one that stands alone in its field: those are never baked."""
        return self.field.random()

    def half_turn(self, angle: float):
        """(cos, sin) of half an angle, exactly on the unit circle, and exact where the angle is a multiple of 90°."""
        quarters = round(angle / (pi / 2))
        rest = angle - quarters * pi / 2
        if abs(rest) < SMALL:
            return self.exactly(cos(quarters * pi / 4)), self.exactly(sin(quarters * pi / 4))
        t = self.field.number(Fraction(tan(angle / 4)))
        return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)

    def direction(self, angle: float):
        return tuple(self.field.sphere(2))

    def direction_at(self, angle: float):
        """Exact at multiples of 90 degrees, which may be baked; elsewhere any point of the unit circle."""
        quarters = round(angle / (pi / 2))
        if abs(angle - quarters * pi / 2) > SMALL:
            return self.direction(angle)
        return self.exactly(cos(quarters * pi / 2)), self.exactly(sin(quarters * pi / 2))

    def quaternion(self, q: Sequence[float]):
        """The unit quaternion at q: by stereographic projection, if it is not one of the rotations of a cube."""
        if all(min(abs(abs(x) - known) for known in (0.0, 0.5, sqrt(0.5), 1.0)) < SMALL for x in q):
            return [self.exactly(x) for x in q]
        pole = max(range(4), key=lambda i: abs(q[i]))
        sign = 1 if q[pole] > 0 else -1
        u = [self.field.number(Fraction(x / (1 + abs(q[pole])))) * (i != pole) for i, x in enumerate(q)]
        square = sum((x * x for x in u), self.zero)
        return [sign * (1 - square) / (1 + square) if i == pole else 2 * x / (1 + square) for i, x in enumerate(u)]


def triad_turn(numbers, axis: Vector3):
    """The unit quaternion that takes x, y, z to the joint's triad (a1, a2, a3), for a3 = axis.

    The triad of mechanism/axes.py: from the triad of the nearest coordinate axis by two turns, about its own first and
    second direction, so that axes along or between coordinate axes keep their zeros.
    """
    a1, a2, a3 = triad(axis)
    nearest = max(range(3), key=lambda i: abs(a3[i]))
    x, y, z = (float(i == nearest) * (1 if axis[nearest] > 0 else -1) for i in range(3))
    base = triad((x, y, z))
    first = max(range(3), key=lambda i: abs(a1[i]))
    if abs(base[0][first]) < 0.5:  # the triad of this axis starts from the other coordinate direction
        e1 = UNIT_VECTORS[first]
        x, y, z = (base[2][i - 2] * e1[i - 1] - base[2][i - 1] * e1[i - 2] for i in range(3))
        base = (e1, (x, y, z), base[2])
    n1, n2, n3 = (sum(a * b for a, b in zip(direction, a3, strict=True)) for direction in base)
    c1, s1 = numbers.half_turn(atan2(-n2, n3))
    c2, s2 = numbers.half_turn(asin(n1))
    tilt = multiply([c1, s1, numbers.zero, numbers.zero], [c2, numbers.zero, s2, numbers.zero])
    return multiply([numbers.exactly(x) for x in _cube_rotation(base)], tilt)


def pin_turn(numbers, joint: Joint):
    """The unit quaternion whose first axis is a universal joint's second axis, and whose third is the joint's axis."""
    assert joint.child_axis is not None, "joints with a pin have one"
    a1, a2, _ = triad(joint.axis)
    along, across = (sum(a * b for a, b in zip(direction, joint.child_axis, strict=True)) for direction in (a1, a2))
    c, s = numbers.half_turn(atan2(across, along))
    return multiply(triad_turn(numbers, joint.axis), [c, numbers.zero, numbers.zero, s])


@lru_cache
def _cube_rotation(axes) -> tuple[float, ...]:
    """The unit quaternion, of the 48 that turn a cube into itself, that takes x, y, z to these axes."""
    sizes = (0.0, 0.5, -0.5, sqrt(0.5), -sqrt(0.5), 1.0, -1.0)
    for q in product(sizes, repeat=4):
        if abs(sum(x * x for x in q) - 1) < SMALL:
            found = columns(q)
            if all(abs(found[i][k] - axes[i][k]) < SMALL for i in range(3) for k in range(3)):
                return q
    raise ValueError(f"{axes} are not axes of a cube")
