"""Small regions and kinks: what a claim should say where the function's derivative is taken from nearby.

Regions that no special point lies in are judged by their surroundings, others by `guards`; at a single point, x = 0,
the function may have a kink, or the value of its derivative nearby.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from symvi.verify.lines import between
from symvi.verify.points import Point
from symvi.verify.problem import NO_VALUE, Problem
from symvi.verify.ways import GuidedWorld, Way, usual_sizes, way_at
from symvi.verify.worlds import RealWorld

SMALLEST, LARGEST = 100, 6  # steps of 2^-k that lead out of a small region
NEGLIGIBLE = 1e-6  # of an entry's usual size: what a series may leave out at the edge of its region
SLOPES = 8  # times what the truth changes over as much as the region is wide
FAR_APART = 1e-3  # of an entry: what is no roundings
NEXT, JUMP = 60, 1e-10  # steps of 2^-k to what is next to a point; what a function may change by on them
SHRINKING = 0.75  # of a difference at twice the distance: what is less goes to zero
DIGITS = 180  # of the truth outside, where the differences of a formula that is 0/0 lose many
DIRECTIONS = 2
COARSE, ROUNDING = 1e-3, 1e-12  # of an output, and of the largest one: how near a formula comes that stands for another
SAME = 1e-20  # of an output: what is less apart is the same formula


@dataclass(frozen=True)
class Side:
    """The truth beside a point, and at twice the distance.

    outside: whether another way is gone there; else the point's way goes on. alone: whether that is next to the point,
    and the function has the same values there.
    """

    place: Point
    near: list
    far: list
    outside: bool
    alone: bool


@dataclass(frozen=True)
class Edge:
    """The claim at a point, and the truth on all sides of it, of which one at least is outside of the point's region.

    whole: whether there is a truth on every side.
    """

    problem: Problem
    point: Point
    claim: list
    sides: tuple[Side, ...]
    whole: bool

    @property
    def is_small(self) -> bool:
        """Whether every side is outside, or ends where the variables do."""
        return all(side.outside for side in self.sides)

    @property
    def alone(self) -> bool:
        """Whether the point goes its way alone, and the function does not jump there: the truth nearby is the truth."""
        return self.whole and all(side.alone for side in self.sides)

    @property
    def is_judged(self) -> bool:
        """Whether the truth nearby says all that can be said: what is right here, or that nothing is."""
        return self.alone or len(self.kinks) == len(self.claim)

    @cached_property
    def kinks(self) -> set[int]:
        """Entries that are not the same in all directions."""
        first, *others = self.sides
        return {k for k in range(len(self.claim)) if any(_is_kink(side, first, k) for side in others)}

    def wrong(self, differ: Iterable[int], crossed: bool = True) -> dict[int, float]:
        """Entries of a single point that the truth nearby contradicts: by how much of their size.

        differ: entries that are not those of the function's own formula there. Others may be wrong all the same, where
        the point is alone. crossed: whether directions lead to the sides; if not, the function has a derivative at a
        jump too, and what is neither that nor the one of a side is wrong.
        """
        differ, found = set(differ), {}
        excused = self.kinks if crossed else self.kinks - differ
        for k in set(range(len(self.claim))) - excused:
            size = max(abs(self.claim[k]), *(abs(side.near[k]) for side in self.sides))
            if not size:
                continue
            apart = min(abs(side.near[k] - self.claim[k]) for side in self.sides)
            changes = max(abs(side.near[k] - side.far[k]) for side in self.sides)
            slopes = 1 if k in differ else SLOPES if self.alone else None
            if slopes is not None and apart > max(FAR_APART * size, slopes * changes):
                found[k] = float(apart / size)
        return found

    def left_out(self, entries: Iterable[int]) -> dict[int, float]:
        """Entries of a small region that differ by what a series leaves out: by how much of their usual size."""
        if not self.is_small or not self._stands_for_others:
            return {}
        found, sizes = {}, usual_sizes(self.problem, self.sides[0].near)
        for k in entries:
            apart = min(abs(side.near[k] - self.claim[k]) for side in self.sides)
            changes = max(abs(side.near[k] - side.far[k]) for side in self.sides)
            if apart <= min(NEGLIGIBLE * sizes[k], SLOPES * changes + NEGLIGIBLE**3 * sizes[k]):
                found[k] = float(apart / sizes[k]) if sizes[k] else 0.0
        return found

    @cached_property
    def _stands_for_others(self) -> bool:
        """Whether the function has one formula outside, and the one inside comes near to it, as a guard's does."""
        try:
            places = [side.place for side in self.sides]
            inside, *outside = (way_at(self.problem, place) for place in (self.point, *places))
            for here, place in zip(outside, places, strict=True):
                values = _values(self.problem, place, here)
                if not _are_near(_values(self.problem, place, inside), values, COARSE):
                    return False
                for there in outside:
                    if there.function != here.function and not _are_near(
                        _values(self.problem, place, there), values, SAME
                    ):
                        return False
        except NO_VALUE:
            return False
        return True


def edge(problem: Problem, point: Point, path: tuple) -> Edge | None:
    """What is known of a point from its surroundings; None where all of them go its way, or the claim has no value."""
    try:
        claim = problem.claim(point, RealWorld())
    except NO_VALUE:
        return None
    every = [_side(problem, point, path, number, sign) for number in range(DIRECTIONS) for sign in (1, -1)]
    found = tuple(each for each in every if each is not None)
    if not any(side.outside for side in found):
        return None
    return Edge(problem, point, claim, found, None not in every)


def _is_kink(one: Side, other: Side, k: int) -> bool:
    """Whether the truth differs in two directions, and not the less the nearer one comes, as where it goes to zero."""
    a, b, c, d = one.near[k], other.near[k], one.far[k], other.far[k]
    return abs(a - b) > max(FAR_APART * max(abs(a), abs(b)), SHRINKING * abs(c - d))


def _side(problem: Problem, point: Point, path: tuple, number: int, sign: int) -> Side | None:
    """Just outside of a point's region; beside it where the region does not end; None where the variables end."""
    try:
        for k in range(SMALLEST, LARGEST, -2):
            places = _places(problem, point, number, sign * Fraction(2, 2**k))
            try:
                if problem.path(places[0], RealWorld()) != path:
                    return _beside(problem, point, places, True, k > NEXT)
            except NO_VALUE:
                continue
        return _beside(problem, point, _places(problem, point, number, sign * Fraction(2, 2**SMALLEST)), False, False)
    except NO_VALUE:
        return None


def _places(problem: Problem, point: Point, number: int, t: Fraction) -> list[Point]:
    """On a line towards a random point: at t, and twice as far. Raises OutsideDomain where the variables end."""
    variables = problem.question.variables
    return [between(point, problem.draw(number), t * n, variables, grain=None) for n in (1, 2)]


def _beside(problem: Problem, point: Point, places: list[Point], is_outside: bool, is_next: bool) -> Side:
    world = RealWorld(DIGITS)
    near, far = (problem.truth(place, world) for place in places)
    there, here = problem.values(places[0], world), problem.values(point, world)
    jumps = any(abs(a - b) > JUMP * (1 + abs(b)) for a, b in zip(there, here, strict=True))
    return Side(places[0], near, far, is_outside, is_outside and is_next and not jumps)


def _values(problem: Problem, point: Point, way: Way) -> list:
    """The function's formula of a way, at a point that may be elsewhere."""
    return problem.values(point, GuidedWorld(way.function, DIGITS))


def _are_near(some: list, others: list, share: float) -> bool:
    """Whether outputs are as near to each other as a share of them."""
    size = max(map(abs, others), default=0)
    return all(
        abs(a - b) <= max(share * max(abs(a), abs(b)), min(share, ROUNDING) * size)
        for a, b in zip(some, others, strict=True)
    )
