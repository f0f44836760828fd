"""What was seen of a function's conditions at a point: the way that each went, and by how much its numbers differed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from symvi.verify.errors import Endless, OutsideDomain
from symvi.verify.lines import between
from symvi.verify.points import Point
from symvi.verify.problem import NO_VALUE, Problem
from symvi.verify.sites import all_alike, by_turns
from symvi.verify.worlds import World

BUDGET, EVERY_POINT = 6000, 10  # conditions that a stage may ask, and what a point counts beside them


@dataclass(frozen=True)
class Seen:
    """A point, the way that conditions went there, and by how much the two numbers of each condition differed.

    special: whether it is a special place, as where all is zero: what holds at an equality there says little. generic:
    whether it is random but for an equality: what holds at the equality is seen there.
    """

    point: Point
    path: tuple
    gaps: tuple
    special: bool = False
    generic: bool = False

    @cached_property
    def turns(self) -> list[tuple]:
        """(site, turn) of every condition."""
        return by_turns(self.path)

    @cached_property
    def asked(self) -> dict[tuple, tuple]:
        """(site, turn) -> the way that it went, and its gap."""
        found: dict[tuple, tuple] = {}
        for at, (_, way), gap in zip(self.turns, self.path, self.gaps, strict=True):
            found.setdefault(at, (way, gap))
        return found

    @cached_property
    def alike(self) -> set[tuple]:
        return all_alike(self.path)

    def meets_by_chance(self, at: tuple) -> bool:
        """Whether this is a special place at which the two numbers of a condition are equal."""
        return self.special and self.asked.get(at, (None, None))[1] == 0


class Spent(Exception):
    """Enough points were looked at."""


class Looking:
    """Points along lines, each with its way; points without values are None. `left`: of the conditions to be asked."""

    def __init__(self, problem: Problem, world: World, left: int = BUDGET):
        self.problem, self.world, self.left = problem, world, left
        self.world.keeps_gaps = True

    def at(self, point: Point) -> Seen | None:
        self.spend(0)
        try:
            path = self.problem.path(point, self.world)
        except Endless as error:
            raise Spent from error  # the next points may be like it
        except NO_VALUE:
            return None
        self.left -= len(path)
        return Seen(point, path, self.world.gaps)

    def spend(self, conditions: int) -> None:
        """Count a point; raises Spent where enough were looked at."""
        if self.left <= 0:
            raise Spent
        self.left -= EVERY_POINT + conditions

    def along(self, a: Point, b: Point, t: Fraction) -> Seen | None:
        try:
            return self.at(between(a, b, t, self.problem.question.variables))
        except OutsideDomain:
            return None


def gap_of(one: Seen, at: tuple):
    """By how much the numbers of a condition differ; None where it was not asked."""
    return one.asked.get(at, (None, None))[1]


def went(one: Seen, at: tuple, way: bool) -> bool:
    return one.asked.get(at, (None, None))[0] is way
