"""A function, its claimed derivative and the question, evaluated together at a point of any world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

from symvi.verify.asking.jacobian_layouts import fitted, layouts, turned_layouts
from symvi.verify.asking.points import Draw, Point, draw_point
from symvi.verify.asking.question import Question
from symvi.verify.errors import Endless, OutsideDomain, VerificationError
from symvi.verify.judging.truth import outputs, true_derivative
from symvi.verify.reading.function import Function, Outputs
from symvi.verify.reading.worlds import World

SPREADS = (Fraction(1), Fraction(1, 4), Fraction(3), Fraction(1, 1000), Fraction(100), Fraction(1, 10**6))
ANOTHER_POINT = (OutsideDomain,)
EFFECT = 1e-6  # of the largest entry of its block: an error that matters in a small region
NO_VALUE = (*ANOTHER_POINT, ZeroDivisionError, OverflowError, Endless)  # a formula has none at a point


@dataclass(frozen=True)
class Problem:
    """rows: the number of the function's outputs. transposed: the claim came as the transpose of the wanted shape.

    outer: the shape of the function's outputs, () where only their number is known. given: the shape in which the claim
    came. still: conditions that compare the same two numbers
    everywhere on the manifold, like a check of a length: where those are equal, nothing is special. known: what
    was found out of the claim, so that it is not looked for at every point. drawn: points, by number. effect: of the
    largest entry of a block: what matters in a small region.
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
    known: dict[str, Any] = field(default_factory=dict)
    drawn: dict[int, Point] = field(default_factory=dict)
    effect: float = EFFECT

    @property
    def shape(self) -> tuple[int, ...]:
        return self.question.shape(self.rows)

    def truth(self, point: Point, world: World) -> list:
        return true_derivative(self.function, self.question, in_world(point, world), world)

    def claim(self, point: Point, world: World) -> list:
        """The claimed entries in the wanted shape, row by row; a transposed claim is turned over first."""
        return self.claim_at(in_world(point, world), world)

    def claim_at(self, values: Mapping, world: World, lean: bool = False) -> list:
        """The same for numbers of the world; lean: only the ways of conditions are asked for."""
        found = self.claimed.found(values, world, lean)
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
        values = in_world(point, world)
        self.function.found(values, world, lean=True)
        self.claim_at(values, world, lean=True)
        return world.path()

    def way(self, point: Point, world: World) -> tuple:
        """The ways that the function's own conditions go."""
        world.path()
        self.function.found(in_world(point, world), world, lean=True)
        return world.path()

    def draw(self, number: int) -> Point:
        """The point of this number: the same for the same seed."""
        if number not in self.drawn:
            random = Random(f"{self.seed} {number} None")
            self.drawn[number] = draw_point(self.question.variables, Draw(random, spread=spread_of(number)))
        return dict(self.drawn[number])


def spread_of(number: int) -> Fraction:
    """The size of the numbers of a point."""
    return SPREADS[number % len(SPREADS)] if number >= 4 else SPREADS[0]


def in_world(point: Point, world: World) -> dict[str, list]:
    return {name: [world.constant(value) for value in values] for name, values in point.items()}
