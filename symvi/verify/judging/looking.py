"""What was seen of a function's conditions at a point: the way that each went, and by how much its numbers differed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from symvi.verify.asking.effort import AIMING
from symvi.verify.asking.lines import GRAIN, between
from symvi.verify.asking.points import Point
from symvi.verify.errors import Endless, OutsideDomain
from symvi.verify.judging.problem import NO_VALUE, Problem
from symvi.verify.reading.sites import all_alike, by_turns
from symvi.verify.reading.worlds import Enough, Irrational, RationalWorld, RealWorld, World

BUDGET, EVERY_POINT = 6000, 10  # conditions that a stage may ask, and what a point counts beside them
DIGITS, DIVERTED = 90, 3  # of gaps that are no fractions; places that say that code turns away from an equality


@dataclass(frozen=True)
class Seen:
    """A point, the way that conditions went there, and by how much the two numbers of each condition differed.

    stuck: the coordinates, (variable, which), that are special there, as where all of a vector is zero: what is seen
    of a condition says little where others nearby meet it too. solved: whether all but some conditions is as random
    as anywhere, so that what is seen there counts first.
    """

    point: Point
    path: tuple
    gaps: tuple
    stuck: frozenset = frozenset()
    solved: bool = False

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


class Spent(Exception):
    """Enough points were looked at."""


class Looking:
    """Points along lines, each with its way; points without values are None. `left`: of the conditions to be asked."""

    def __init__(self, problem: Problem, world: World, left: int = BUDGET):
        self.problem, self.world, self.left = problem, world, left
        self.world.keeps_gaps = True
        self.exact: World | None = RationalWorld()
        self.diverted: Counter = Counter()  # conditions: places of their equality at which they are not asked
        self.met: set[tuple] = set()  # those with a place of their equality at which they are

    def spend(self, conditions: int = 0) -> None:
        """Count a point; raises Spent where enough were looked at."""
        if self.left <= 0 or self.world.effort.is_spent(AIMING):
            raise Spent
        self.left -= EVERY_POINT + conditions

    def at(self, point: Point, stuck: frozenset = frozenset()) -> Seen | None:
        self.spend()
        try:
            path = self.problem.path(point, self.world)
        except Endless as error:
            raise Spent from error  # the next points may be like it
        except NO_VALUE:
            return None
        self.left -= len(path)
        return Seen(point, path, self.world.gaps, stuck)

    def along(self, a: Seen, b: Point, t: Fraction, grain: int | None = GRAIN) -> Seen | None:
        """On the line from a point that was seen, special where that is."""
        try:
            return self.at(between(a.point, b, t, self.problem.question.variables, grain), a.stuck)
        except OutsideDomain:
            return None

    def gap(self, point: Point, at: tuple) -> Fraction | None:
        """By how much the two numbers of a condition differ, exact or of many digits; None where it is not asked."""
        self.spend()
        world = self.exact or RealWorld(DIGITS, DIGITS)
        world.path()
        world.keeps_gaps, world.until = True, at
        try:
            self.problem.path(point, world)
        except Enough:
            world.path()
            return fraction(world.gaps[-1])
        except Irrational:
            self.exact = None
            return self.gap(point, at)
        finally:
            world.until = None
        return None

    def never_equal(self) -> set[tuple]:
        """Conditions of which the other way is an equality that code has turned away from before, wherever it was."""
        often = {at for at, count in self.diverted.items() if count >= DIVERTED}
        return {at for at in often - self.met if at[0] in self.world.equalities}


def fraction(gap) -> Fraction | None:
    """A gap as it is; one of many digits with all of them."""
    if gap is None or isinstance(gap, Fraction | int):
        return None if gap is None else Fraction(gap)
    sign, mantissa, exponent, _ = gap._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent


def gap_of(one: Seen, at: tuple):
    """By how much the numbers of a condition differ; None where it was not asked."""
    return one.asked.get(at, (None, None))[1]


def went(one: Seen, at: tuple, way: bool) -> bool:
    return one.asked.get(at, (None, None))[0] is way
