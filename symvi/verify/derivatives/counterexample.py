"""Counterexamples that a user can paste: small rational points, at which claim and truth are two different numbers."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from random import Random

from symvi.verify.derivatives.errors import OutsideDomain, TooClose
from symvi.verify.derivatives.nearness import known_entries
from symvi.verify.derivatives.points import Point, SmallDraw, draw_point
from symvi.verify.derivatives.problem import Problem
from symvi.verify.derivatives.report import Counterexample
from symvi.verify.derivatives.worlds import Irrational, RationalWorld, RealWorld, World

POINTS = 40
SHOWN_DIGITS = 12
PLAIN, HIDDEN, IN_FLOATS = 1e-10, 1e-30, 1e-7  # of an entry's size: differences that are shown; plain ones first
NO_VALUE = (OutsideDomain, TooClose, ZeroDivisionError)


def counterexamples(problem: Problem, wrong: Iterable[int], spare: Iterable[Point] = ()) -> dict[int, Counterexample]:
    """Entry -> the first small point at which it differs; `spare` points are taken where no small one does."""
    open_entries, found = set(wrong), {}
    spare = list(spare)
    points = [*_small_points(problem), *spare]
    tries = [(point, PLAIN) for point in points] + [(point, HIDDEN) for point in spare]
    for point, near in tries:
        if not open_entries:
            break
        found |= _differing(problem, point, open_entries, near)
        open_entries -= set(found)
    return found


def _small_points(problem: Problem) -> list[Point]:
    random, found = Random(problem.seed), []
    for _ in range(POINTS):
        point = draw_point(problem.question.variables, SmallDraw(random))
        if point not in found:
            found.append(point)
    return found


def _differing(problem: Problem, point: Point, entries: set[int], near: float) -> dict[int, Counterexample]:
    """The open entries that differ at a point by more than `near` of their size."""
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
        near = IN_FLOATS if problem.in_floats else near
        differ = [e for e in sorted(entries) if _differ(truth[e], claim[e], world, near)]
        if not world.exact and not problem.in_floats and differ:
            known = known_entries(problem, point, differ)
            truth, claim = known.truth, known.claim
            differ = [e for e in sorted(known.apart) if _differ(truth[e], claim[e], world, near)]
        return {e: Counterexample(point, shown(claim[e]), shown(truth[e]), world.exact) for e in differ}
    return {}


def _differ(t, c, world: World, near: float) -> bool:
    return t != c if world.exact else abs(t - c) > near * (abs(t) + abs(c))


def shown(value) -> str:
    """A rational number as it is, any other to 12 digits."""
    if isinstance(value, Fraction | int):
        return str(value)
    return value.context.nstr(value, SHOWN_DIGITS)
