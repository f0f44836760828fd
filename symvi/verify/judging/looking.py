"""What was seen of a function's conditions at a point: the way that each went, and by how much its numbers differed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from symvi.verify.asking.effort import AIMING
from symvi.verify.asking.lines import between
from symvi.verify.asking.points import Point
from symvi.verify.errors import Endless, OutsideDomain
from symvi.verify.judging.problem import NO_VALUE, Problem
from symvi.verify.reading.sites import all_alike, by_turns
from symvi.verify.reading.worlds import World

BUDGET, EVERY_POINT = 6000, 10  # conditions that a stage may ask, and what a point counts beside them
SEVERAL, STILL = 6, 1e-20  # points, and what is left of a difference that is zero in the digits of a scan


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

    def __init__(self, problem: Problem, world: World):
        self.problem, self.world, self.left = problem, world, BUDGET
        self.world.keeps_gaps = True
        self.never_equal: set[tuple] = set()  # conditions that are not asked wherever their numbers would be equal

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

    def along(self, a: Seen, b: Point, t: Fraction) -> Seen | None:
        """On the line from a point that was seen, special where that is."""
        try:
            return self.at(between(a.point, b, t, self.problem.question.variables), a.stuck)
        except OutsideDomain:
            return None


def fraction(gap) -> Fraction | None:
    """A gap as it is; one of many digits with all of them."""
    if gap is None or isinstance(gap, Fraction | int):
        return None if gap is None else Fraction(gap)
    sign, mantissa, exponent, _ = gap._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent


def gap_of(one: Seen, at: tuple):
    """By how much the numbers of a condition differ; None where it was not asked."""
    return one.asked.get(at, (None, None))[1]


def one_sided(seen: Sequence[Seen]) -> dict[tuple, bool]:
    """(site, turn) -> the only way that it went; not those of which the two numbers are as far apart everywhere.

    What special places say is left out: there a condition may be met by chance.
    """
    ways: dict[tuple, set[bool]] = {}
    gaps: dict[tuple, list] = {}
    for special in (False, True):
        for one in seen:
            for at, (way, gap) in one.asked.items() if bool(one.stuck) is special else ():
                if not special or at not in ways:
                    ways.setdefault(at, set()).add(way)
                    gaps.setdefault(at, []).append(gap)
    return {at: min(found) for at, found in ways.items() if len(found) == 1 and not is_still(gaps[at])}


def is_still(gaps: Sequence, left: float = STILL) -> bool:
    """Whether a condition compares the same two numbers, or two that are as far apart, at all of several points.

    left: of a difference that is zero.
    """
    if len(gaps) < SEVERAL or any(gap is None for gap in gaps):
        return False
    return max(gaps) - min(gaps) <= left * (1 + abs(gaps[0]))
