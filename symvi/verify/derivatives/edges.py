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
from symvi.verify.derivatives.problem import ANOTHER_POINT, Problem
from symvi.verify.derivatives.worlds import RealWorld

SMALLEST, LARGEST = 100, 6  # steps of 2^-k that lead out of a small region
NEGLIGIBLE = 1e-6  # of the largest entry: what a series may leave out at the edge of its region
SLOPES = 8  # times what the truth changes over as much as the region is wide
FAR_APART = 1e-3  # of the largest entry: what is no roundings
DIRECTIONS = 2
NO_VALUE = (*ANOTHER_POINT, ZeroDivisionError, OverflowError)


@dataclass(frozen=True)
class Edge:
    """What is known at a point from outside of its region.

    apart: entry -> by how much the claim differs from the truth outside, of its largest entry. allowed: how much a
    series may differ. kink: whether the truth outside is not the same in opposite directions.
    """

    apart: dict[int, float]
    allowed: float
    kink: bool


def edge(problem: Problem, point: Point, path: tuple) -> Edge | None:
    """The claim at a point beside the truth outside of its region; None where the region is no small one."""
    world = RealWorld()
    try:
        claim = problem.claim(point, world)
    except NO_VALUE:
        return None
    found = [_outside(problem, point, path, number, sign) for number in range(DIRECTIONS) for sign in (1, -1)]
    found = [each for each in found if each is not None]
    if not found:
        return None
    size = max(max(map(abs, near)) for near, _ in found)
    if not size:
        size = max(map(abs, claim)) or 1
    changes = max(abs(a - b) for near, far in found for a, b in zip(near, far, strict=True)) / size
    first = found[0][0]
    kink = any(abs(a - b) > FAR_APART * size for near, _ in found for a, b in zip(near, first, strict=True))
    apart = {k: float(min(abs(near[k] - c) for near, _ in found) / size) for k, c in enumerate(claim)}
    return Edge(apart, min(NEGLIGIBLE, float(SLOPES * changes) + NEGLIGIBLE**3), kink)


def _outside(problem: Problem, point: Point, path: tuple, number: int, sign: int) -> tuple[list, list] | None:
    """The truth just outside of a region, and at twice the distance."""
    for k in range(SMALLEST, LARGEST, -2):
        try:
            near, far = (_at(problem, point, number, sign * Fraction(2, 2**k) * n) for n in (1, 2))
            if near is None or far is None or problem.path(near, RealWorld()) == path:
                continue
            return problem.truth(near, RealWorld()), problem.truth(far, RealWorld())
        except NO_VALUE:
            continue
    return None


def _at(problem: Problem, point: Point, number: int, t: Fraction) -> Point | None:
    try:
        return between(point, problem.draw(number), t, problem.question.variables, grain=None)
    except OutsideDomain:
        return None
