"""Small regions and kinks: what a claim should say where the function's derivative is taken from nearby.

Regions that no special point lies in are judged by their surroundings, others by `guards`; at a single point, x = 0,
the function may have a kink, or the value of its derivative nearby.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from symvi.verify.derivatives.errors import OutsideDomain
from symvi.verify.derivatives.lines import between
from symvi.verify.derivatives.points import Point
from symvi.verify.derivatives.problem import NO_VALUE, Problem
from symvi.verify.derivatives.worlds import RealWorld

SMALLEST, LARGEST = 100, 6  # steps of 2^-k that lead out of a small region
NEGLIGIBLE = 1e-6  # of the largest entry: what a series may leave out at the edge of its region
SLOPES = 8  # times what the truth changes over as much as the region is wide
FAR_APART = 1e-3  # of the largest entry: what is no roundings
NEXT, JUMP = 60, 1e-10  # steps of 2^-k to what is next to a point; what a function may change by on them
SHRINKING = 0.75  # of a difference at twice the distance: what is less goes to zero
DIGITS = 180  # of the truth outside, where the differences of a formula that is 0/0 lose many
DIRECTIONS = 2


@dataclass(frozen=True)
class Edge:
    """What is known at a point from outside of its region.

    apart: entry -> by how much the claim differs from the truth outside, of its largest entry. allowed: how much a
    series may differ. kink: whether the truth outside is not the same in opposite directions. changes: by how much of
    its largest entry it changes with the distance. alone: whether the point goes its way alone among its neighbours,
    and the function does not jump there: the truth outside is the truth.
    """

    apart: dict[int, float]
    allowed: float
    kink: bool
    changes: float
    alone: bool

    @property
    def wrong(self) -> dict[int, float]:
        """The entries that are wrong where the point is alone."""
        least = max(FAR_APART, SLOPES * self.changes)
        return {k: apart for k, apart in self.apart.items() if apart > least and self.alone and not self.kink}


@dataclass(frozen=True)
class Outside:
    """The truth just outside of a region, and at twice the distance.

    alone: whether that is next to the point, and the function has the same values there.
    """

    near: list
    far: list
    alone: bool


def edge(problem: Problem, point: Point, path: tuple) -> Edge | None:
    """The claim at a point beside the truth outside of its region; None where the region is no small one."""
    world = RealWorld()
    try:
        claim = problem.claim(point, world)
    except NO_VALUE:
        return None
    every = [_outside(problem, point, path, number, sign) for number in range(DIRECTIONS) for sign in (1, -1)]
    found = [each for each in every if each is not None]
    if not found:
        return None
    size = max(max(map(abs, each.near)) for each in found)
    if not size:
        size = max(map(abs, claim)) or 1
    changes = float(max(abs(a - b) for each in found for a, b in zip(each.near, each.far, strict=True)) / size)
    kink = any(_is_kink(each, found[0], FAR_APART * size) for each in found[1:])
    apart = {k: float(min(abs(each.near[k] - c) for each in found) / size) for k, c in enumerate(claim)}
    alone = all(each is not None and each.alone for each in every)
    return Edge(apart, min(NEGLIGIBLE, SLOPES * changes + NEGLIGIBLE**3), kink, changes, alone)


def _is_kink(one: Outside, other: Outside, apart) -> bool:
    """Whether the truth differs in two directions, and not the less the nearer one comes, as where it goes to zero."""
    return any(
        abs(a - b) > max(apart, SHRINKING * abs(c - d))
        for a, b, c, d in zip(one.near, other.near, one.far, other.far, strict=True)
    )


def _outside(problem: Problem, point: Point, path: tuple, number: int, sign: int) -> Outside | None:
    for k in range(SMALLEST, LARGEST, -2):
        try:
            near, far = (_at(problem, point, number, sign * Fraction(2, 2**k) * n) for n in (1, 2))
            if near is None or far is None or problem.path(near, RealWorld()) == path:
                continue
            world = RealWorld(DIGITS)
            there, here = problem.values(near, world), problem.values(point, world)
            alone = k > NEXT and all(abs(a - b) <= JUMP * (1 + abs(b)) for a, b in zip(there, here, strict=True))
            return Outside(problem.truth(near, world), problem.truth(far, world), alone)
        except NO_VALUE:
            continue
    return None


def _at(problem: Problem, point: Point, number: int, t: Fraction) -> Point | None:
    try:
        return between(point, problem.draw(number), t, problem.question.variables, grain=None)
    except OutsideDomain:
        return None
