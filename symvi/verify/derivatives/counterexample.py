"""Counterexamples that a user can paste: small rational points, at which claim and truth are two different numbers."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from random import Random

from symvi.verify.derivatives.errors import OutsideDomain, TooClose
from symvi.verify.derivatives.points import Point, SmallDraw, draw_point
from symvi.verify.derivatives.problem import Problem
from symvi.verify.derivatives.report import Counterexample
from symvi.verify.derivatives.worlds import Irrational, RationalWorld, RealWorld, World

POINTS = 40
SHOWN_DIGITS = 12
NO_VALUE = (OutsideDomain, TooClose, ZeroDivisionError)


def counterexamples(problem: Problem, wrong: Iterable[int], spare: Iterable[Point] = ()) -> dict[int, Counterexample]:
    """Entry -> the first small point at which it differs; `spare` points are taken where no small one does."""
    open_entries, found, seen = set(wrong), {}, []
    random = Random(problem.seed)
    for number in range(POINTS):
        if not open_entries:
            break
        point = draw_point(problem.question.variables, SmallDraw(random))
        if number and point in seen:
            continue
        seen.append(point)
        found |= _differing(problem, point, open_entries)
        open_entries -= set(found)
    for point in spare:
        found |= _differing(problem, point, open_entries)
        open_entries -= set(found)
    return found


def _differing(problem: Problem, point: Point, entries: set[int]) -> dict[int, Counterexample]:
    for world in (RationalWorld(), RealWorld()):
        try:
            truth, tied = problem.truth(point, world), world.ties
            claim = problem.claim(point, world)
        except Irrational:
            continue
        except NO_VALUE:
            return {}
        if tied:  # the function may have a kink here
            return {}
        return {
            e: Counterexample(point, shown(claim[e]), shown(truth[e]), world.exact)
            for e in sorted(entries)
            if _differ(truth[e], claim[e], world, 1e-7 if problem.in_floats else 1e-30)
        }
    return {}


def _differ(t, c, world: World, near: float) -> bool:
    return t != c if world.exact else abs(t - c) > near * (abs(t) + abs(c))


def shown(value) -> str:
    """A rational number as it is, any other to 12 digits."""
    if isinstance(value, Fraction | int):
        return str(value)
    return value.context.nstr(value, SHOWN_DIGITS)
