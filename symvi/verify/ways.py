"""Ways through the conditions of function and claim: formulas are evaluated beyond the region that they belong to."""

from __future__ import annotations

from dataclasses import dataclass

from symvi.verify.errors import OutsideDomain
from symvi.verify.points import Point
from symvi.verify.problem import NO_VALUE, Problem
from symvi.verify.worlds import DIGITS, RealWorld

ORDINARY = (0, 1, 2, 3, 6, 8)  # points of which the sizes of entries are taken


@dataclass(frozen=True)
class Way:
    """How the conditions of function and claim go."""

    function: tuple
    claim: tuple

    @property
    def path(self) -> tuple:
        return self.function + self.claim


class GuidedWorld(RealWorld):
    """Real numbers for which conditions go a given way."""

    def __init__(self, ways: tuple, digits: int = DIGITS):
        super().__init__(digits)
        self.ways, self.asked = ways, 0

    def decide(self, outcome: bool, site: object) -> bool:
        where, way = self.ways[self.asked % len(self.ways)] if self.ways else (None, False)
        if where != site:
            raise OutsideDomain("a condition that is not asked on this way")
        self.asked += 1
        return way


def way_at(problem: Problem, point: Point, digits: int = DIGITS) -> Way:
    """The way at a point."""
    world = RealWorld(digits)
    problem.values(point, world)
    of_function = world.path()
    problem.claim(point, world)
    return Way(of_function, world.path())


def usual_sizes(problem: Problem, truth: list) -> list:
    """Of the derivative's entries, at ordinary points and at one more."""
    sizes = [abs(x) for x in truth]
    for number in ORDINARY:
        try:
            there = problem.truth(problem.draw(number), RealWorld())
        except NO_VALUE:
            continue
        sizes = [max(size, abs(x)) for size, x in zip(sizes, there, strict=True)]
    return sizes
