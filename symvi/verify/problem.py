"""A function, its claimed derivative and the question, evaluated together at a point of any world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

from symvi.exact.field import NotASquare
from symvi.exact.opaque import UnknownBranch
from symvi.verify.errors import Endless, OutsideDomain, TooClose, VerificationError
from symvi.verify.function import Function, Outputs
from symvi.verify.jacobian_layouts import fitted, layouts, turned_layouts
from symvi.verify.points import Draw, Point, draw_point
from symvi.verify.question import Question
from symvi.verify.truth import outputs, true_derivative
from symvi.verify.worlds import FieldWorld, World

SPREADS = (Fraction(1), Fraction(1, 4), Fraction(3), Fraction(1, 1000), Fraction(100), Fraction(1, 10**6))
ANOTHER_POINT = (OutsideDomain, TooClose, NotASquare, UnknownBranch)
NO_VALUE = (*ANOTHER_POINT, ZeroDivisionError, OverflowError, Endless)  # a formula has none at a point


@dataclass
class Budget:
    """How many more conditions may be asked, all ways together."""

    left: int = 10_000

    def spend(self, conditions: int) -> None:
        """Raises OutsideDomain where enough were asked."""
        self.left -= conditions
        if self.left < 0:
            raise OutsideDomain("enough points were looked at")


@dataclass(frozen=True)
class Problem:
    """rows: the number of the function's outputs. transposed: the claim came as the transpose of the wanted shape.

    outer: the shape of the function's outputs, () where only their number is known. given: the shape in which the claim
    came. still: conditions that compare the same two numbers
    everywhere on the manifold, like a check of a length: where those are equal, nothing is special. ends: conditions
    that end loops, and what they say then. budget: what guards may ask. known: what
    was found out of the claim, so that it is not looked for at every point. drawn: points, by seed, number and prime.
    """

    function: Function
    claimed: Function
    question: Question
    rows: int
    transposed: bool = False
    seed: int = 0
    outer: tuple[int, ...] = ()
    given: tuple[int, ...] = ()
    still: frozenset = frozenset()
    ends: Mapping[object, bool] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)
    known: dict[str, Any] = field(default_factory=dict)
    drawn: dict[tuple, Point] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.question.shape(self.rows)

    def truth(self, point: Point, world: World) -> list:
        return true_derivative(self.function, self.question, in_world(point, world), world)

    def claim(self, point: Point, world: World) -> list:
        """The claimed entries in the wanted shape, row by row; a transposed claim is turned over first."""
        return self.claim_at(in_world(point, world), world)

    def claim_at(self, values: Mapping, world: World) -> list:
        """The same for numbers of the world."""
        found = self.claimed.evaluate(values, world)
        entries = self.taken(found, self.transposed)
        if entries is None:
            raise VerificationError(
                f"{self.claimed.said} has another shape at another point: {found.shape}, was {self.claimed_shape}"
            )
        if not self.transposed:
            return entries
        rows, columns = self.shape
        return [entries[k * rows + i] for i in range(rows) for k in range(columns)]

    def taken(self, found: Outputs, turned: bool) -> list | None:
        """A claim's entries, where it has the shape of the derivative, or of its transpose; None where it has not."""
        wanted = (turned_layouts if turned else layouts)(self.question, self.outer or (self.rows,))
        return fitted(found.entries, found.shape, wanted)

    @property
    def flat(self) -> bool:
        """Whether the claim came as one row of numbers, not as a matrix."""
        return len(self.given) == 1

    def is_tied(self, world: World) -> bool:
        """Whether two numbers that a condition compared in a world were equal: the function may have a kink there."""
        return not world.ties <= self.still

    def is_crossed(self, world: World) -> bool:
        """Whether such numbers change in the directions of the derivative: the function may have none there."""
        return not world.crossed <= self.still

    @property
    def in_floats(self) -> bool:
        """Whether function or claim takes machine numbers only."""
        return self.function.floats_only or self.claimed.floats_only

    @property
    def claimed_shape(self) -> tuple[int, ...]:
        return self.shape[::-1] if self.transposed else self.shape

    def values(self, point: Point, world: World) -> list:
        """The function's own outputs."""
        return outputs(self.function, self.question, in_world(point, world), world)

    def path(self, point: Point, world: World) -> tuple:
        """The ways that all conditions go at a point."""
        world.path()
        self.values(point, world)
        self.claim(point, world)
        return world.path()

    def draw(self, number: int, prime: int | None = None) -> Point:
        """The point of this number: the same for the same seed; for a prime, with positive numbers that have roots."""
        key = self.seed, number, prime
        if key not in self.drawn:
            random = Random(f"{self.seed} {number} {prime}")
            bits = 60 if prime is None else prime.bit_length() - 1
            likes = None if prime is None else lambda value: _is_square(value, prime)
            self.drawn[key] = draw_point(self.question.variables, Draw(random, bits, spread_of(number), likes))
        return dict(self.drawn[key])


def spread_of(number: int) -> Fraction:
    """The size of the numbers of a point."""
    return SPREADS[number % len(SPREADS)] if number >= 4 else SPREADS[0]


def in_world(point: Point, world: World) -> dict[str, list]:
    constant = getattr(world, "stated", world.constant)
    return {name: [constant(value) for value in values] for name, values in point.items()}


def field_world(prime: int, number: int) -> FieldWorld:
    return FieldWorld(prime, seed=number)


def _is_square(value: Fraction, prime: int) -> bool:
    n = value.numerator * pow(value.denominator, -1, prime) % prime
    return pow(n, (prime - 1) // 2, prime) == 1
