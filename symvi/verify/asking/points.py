"""Points on the manifold, exact: random ones for proofs, of numbers as long as a field's, and small ones to be read.

A point is a dictionary, variable -> Fractions. Unit quaternions come from a stereographic projection, angular
velocities from the unit quaternion of half their turn, w = (2/h) a, whose scalar part is the root in the update map.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from random import Random

from symvi.verify.asking.variables import Variable

Point = dict[str, list[Fraction]]

BITS = 60  # of a random number
SMALL_STEPS = (Fraction(1, 10), Fraction(1, 2), Fraction(1, 5), Fraction(1))
# unit quaternions with whole numbers over a whole number: (1, 2, 2, 4)/5 and its like, the shortest first
WHOLE = sorted(
    {
        (size, q)
        for q in product(range(0, 7), repeat=4)
        for size in range(2, 10)
        if sum(x * x for x in q) == size * size and sum(x > 0 for x in q) > 1
    }
)


class Draw:
    """Random numbers of many bits; `spread` is their size."""

    def __init__(self, random: Random, spread: int | Fraction = Fraction(1)):
        self.random, self.spread = random, spread

    def number(self) -> Fraction:
        return self.spread * Fraction(self.random.randrange(1 - 2**BITS, 2**BITS), 2 ** (BITS - 1))

    def share(self) -> Fraction:
        """A number between 0 and 1."""
        return (self.number() / self.spread + 2) / 4

    def positive(self) -> Fraction:
        return abs(self.number()) or Fraction(1)

    def sphere(self, size: int) -> list[Fraction]:
        found = on_sphere([self.number() / 2 for _ in range(size - 1)])
        self.random.shuffle(found) if self.spread >= 1 else None
        return found

    def step(self) -> Fraction:
        return self.positive() / 4

    def half_turn(self) -> list[Fraction]:
        """A unit quaternion with a positive scalar part."""
        while True:
            q = self.sphere(4)
            q[0] = abs(q[0])
            if q[0]:
                return q


class SmallDraw(Draw):
    """Numbers that a user can paste: small ones, quaternions like (1, 2, 2, 4)/5."""

    def number(self) -> Fraction:
        return Fraction(self.random.randint(-3, 3))

    def share(self) -> Fraction:
        return Fraction(self.random.randint(1, 9), 10)

    def positive(self) -> Fraction:
        return Fraction(self.random.choice((1, 2, 3, 5)))

    def sphere(self, size: int) -> list[Fraction]:
        if size == 3:
            x = self.random.choice(([1, 2, 2, 3], [2, 3, 6, 7], [1, 4, 8, 9], [0, 3, 4, 5]))
            size_of, entries = x[3], x[:3]
        else:
            index = min(int(self.random.expovariate(0.05)), len(WHOLE) - 1)
            size_of, entries = WHOLE[index]
            entries = list(entries)
        self.random.shuffle(entries)
        return [Fraction(x * self.random.choice((1, 1, -1)), size_of) for x in entries]

    def step(self) -> Fraction:
        return self.random.choice(SMALL_STEPS)


def draw_point(variables: Mapping[str, Variable], draw: Draw) -> Point:
    """A point of all variables; steps come first, as angular velocities need them."""
    point: Point = {}
    for name, variable in sorted(variables.items(), key=lambda item: item[1].kind != "step"):
        point[name] = _values(variable, draw, point)
    return {name: point[name] for name in variables}


def _values(variable: Variable, draw: Draw, point: Point) -> list[Fraction]:
    kind = variable.kind
    if kind in ("quaternion", "unit vector"):
        return draw.sphere(variable.size)
    if kind == "rotation":
        return rotation_of(draw.sphere(4))
    if kind == "angular velocity":
        h = point[variable.step][0] if variable.step in point else Fraction(1)
        return [2 * a / h for a in draw.half_turn()[1:]]
    if kind == "inertia":
        return _inertia(variable.shape, draw)
    if kind == "step" and variable.low is variable.high is None:
        return [draw.step()]
    return [_within(variable, draw) for _ in range(variable.size)]


def _within(variable: Variable, draw: Draw) -> Fraction:
    """A number inside of a variable's bounds."""
    if variable.low is not None and variable.high is not None:
        return variable.low + (variable.high - variable.low) * draw.share()
    if variable.low is not None and not variable.positive:
        return variable.low + draw.positive()
    if variable.high is not None:
        return variable.high - draw.positive()
    return draw.positive() + (variable.low or 0) if variable.positive else draw.number()


def _inertia(shape: tuple[int, ...], draw: Draw) -> list[Fraction]:
    """Diagonal entries outweigh the others: positive definite."""
    moments = [draw.positive() for _ in range(3)]
    if shape == (3,):
        return moments
    xy, xz, yz = (draw.number() / 8 for _ in range(3))
    xx, yy, zz = (moment + abs(xy) + abs(xz) + abs(yz) for moment in moments)
    return [xx, yy, zz, xy, xz, yz] if shape == (6,) else [xx, xy, xz, xy, yy, yz, xz, yz, zz]


def on_sphere(u: Sequence[Fraction]) -> list[Fraction]:
    """The unit vector, or quaternion, of which u is the stereographic projection."""
    square = sum((x * x for x in u), Fraction(0))
    return [(1 - square) / (1 + square), *(2 * x / (1 + square) for x in u)]


def rotation_of(q) -> list:
    """The rotation matrix of a unit quaternion, row by row."""
    w, x, y, z = q
    return [
        *(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        *(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        *(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    ]


def point_text(point: Point) -> str:
    """A point as Python: q = (1/5, 2/5, 2/5, 4/5)."""
    return ", ".join(f"{name} = {_vector(values)}" for name, values in point.items())


def _vector(values: list[Fraction]) -> str:
    return str(values[0]) if len(values) == 1 else "(" + ", ".join(map(str, values)) + ")"
