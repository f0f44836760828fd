"""Points aimed at thresholds: by bisection between points that went different ways, by secants towards far ones.

Bisection finds what lies between two thresholds however narrow it is; a secant finds a threshold that no random point
has crossed, and the very place of an equality.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from symvi.verify.derivatives.errors import OutsideDomain
from symvi.verify.derivatives.lines import between
from symvi.verify.derivatives.points import Point
from symvi.verify.derivatives.problem import ANOTHER_POINT, Problem
from symvi.verify.derivatives.worlds import Irrational, RationalWorld, World

LINES, DEPTH = 12, 30  # lines that are halved, and how often
MORE_LINES = 3  # for every way that was found on one
MOST_LINES, TOO_MANY_WAYS = 40, 64
SECANTS, SECANT_STEPS = 6, 6  # lines for every threshold that nothing has crossed, and steps on each
BESIDE = Fraction(1, 1000)
FAR = Fraction(10) ** 12
NO_VALUE = (*ANOTHER_POINT, ZeroDivisionError, OverflowError)


@dataclass(frozen=True)
class Seen:
    """A point, the way that conditions went there, and by how much the two numbers of each condition differed."""

    point: Point
    path: tuple
    gaps: tuple


class Looking:
    """Points along lines, each with its way; points without values are None."""

    def __init__(self, problem: Problem, world: World):
        self.problem, self.world = problem, world
        self.world.keeps_gaps = True

    def at(self, point: Point) -> Seen | None:
        try:
            path = self.problem.path(point, self.world)
        except NO_VALUE:
            return None
        return Seen(point, path, self.world.gaps)

    def along(self, a: Point, b: Point, t: Fraction) -> Seen | None:
        try:
            return self.at(between(a, b, t, self.problem.question.variables))
        except OutsideDomain:
            return None


def aimed(problem: Problem, seen: Sequence[Seen], world: World) -> Iterator[Seen]:
    """Points of ways that `seen` has not, and more points of ways that are rare."""
    looking, found = Looking(problem, world), list(seen)
    for one in _special(problem, seen[0], looking):
        found.append(one)
        yield one
    found += (new := list(_halving(problem, found, looking)))
    yield from new
    known = set(_ways(found))
    found += (new := list(_secants(problem, found, looking)))
    yield from new
    if not known.issuperset(_ways(new)):
        yield from _halving(problem, found, looking)


def _ways(seen: Sequence[Seen]) -> dict[tuple, Seen]:
    return {one.path: one for one in seen}


def _special(problem: Problem, one: Seen, looking: Looking) -> Iterator[Seen]:
    """Numbers that are zero, and variables that are equal."""
    variables = problem.question.variables
    free = [n for n, v in variables.items() if v.kind in ("vector", "scalar", "matrix") and not v.positive]
    places = [{name: [Fraction(0)] * variables[name].size} for name in free]
    for k, name in enumerate(variables):
        alike = [other for other in list(variables)[:k] if variables[other] == variables[name]]
        places += [{name: one.point[other]} for other in alike]
    for place in places:
        if (there := looking.at({**one.point, **place})) is not None:
            yield there


# --- between two points -------------------------------------------------------------------------------------------
def _halving(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """Lines between points of different ways, halved where the way changes."""
    random, ways = Random(problem.seed), _ways(seen)
    if len(ways) > TOO_MANY_WAYS:
        return
    queue = [(a, b) for a in ways.values() for b in ways.values() if a.path != b.path]
    random.shuffle(queue)
    queue, lines = queue[:LINES], 0
    while queue and lines < MOST_LINES:
        a, b = queue.pop()
        lines += 1
        for one in _changes(a, b, looking):
            if one.path not in ways:
                ways[one.path] = one
                others = random.sample(list(ways.values()), min(MORE_LINES, len(ways)))
                queue += [(one, other) for other in others if other.path != one.path]
            yield one


def _changes(a: Seen, b: Seen, looking: Looking) -> Iterator[Seen]:
    """Points on a line at which the way is neither of its ends', found by halving."""
    low, high = Fraction(0), Fraction(1)
    ends = (a.path, b.path)
    stack = [(low, a.path, high, b.path, 0)]
    budget = DEPTH
    while stack and budget:
        low, before, high, after, depth = stack.pop()
        if before == after or depth == DEPTH:
            continue
        budget -= 1
        middle = (low + high) / 2
        one = looking.along(a.point, b.point, middle)
        if one is None:
            continue
        if one.path not in ends:
            ends = (*ends, one.path)
            budget += DEPTH // 2
            yield one
        stack += [(low, before, middle, one.path, depth + 1), (middle, one.path, high, after, depth + 1)]


# --- towards thresholds that nothing has crossed --------------------------------------------------------------------
def _secants(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """For every condition that went one way only: where its two numbers are equal, and both sides of it."""
    sites: dict[object, set[bool]] = {}
    for one in seen:
        for site, way in one.path:
            sites.setdefault(site, set()).add(way)
    for site in [site for site, ways in sites.items() if len(ways) == 1]:
        having = [one for one in seen if _gap(one, site) is not None]
        random = Random(f"{problem.seed} {site}")
        for _ in range(SECANTS):
            if len(having) < 2:
                break
            a, b = random.sample(having, 2)
            found = list(_crossing(problem, a, b, site, looking))
            yield from found
            if any((site, way) in one.path for one in found for way in {True, False} - sites[site]):
                break


def _gap(one: Seen, site: object):
    """By how much the numbers of a condition differ, where it was asked first; None where it was not."""
    return next((gap for (at, _), gap in zip(one.path, one.gaps, strict=True) if at == site and gap is not None), None)


def _crossing(problem: Problem, a: Seen, b: Seen, site: object, looking: Looking) -> Iterator[Seen]:
    """Points at a threshold on a line and at both sides of it, by the secant method, exact where numbers are."""
    exact = Looking(problem, RationalWorld())
    t = [Fraction(0), Fraction(1)]
    gaps = [_exact_gap(one, site, exact) for one in (a, b)]
    for _ in range(SECANT_STEPS):
        if gaps[-1] == gaps[-2]:
            return
        slope = (gaps[-1] - gaps[-2]) / (t[-1] - t[-2])
        t.append(t[-1] - gaps[-1] / slope)
        if abs(t[-1]) > FAR:
            return
        one = looking.along(a.point, b.point, t[-1])
        gap = None if one is None else _gap(one, site)
        if gap is None:
            break
        yield one
        gaps.append(_fraction(gap))
        if abs(gaps[-1]) <= Fraction(1, 10**20) * max(map(abs, gaps[:2])):
            break
        t[-1] = t[-1].limit_denominator(10**40)
    for side in (1 - BESIDE, 1 + BESIDE):
        if (one := looking.along(a.point, b.point, t[-1] * side)) is not None:
            yield one


def _exact_gap(one: Seen, site: object, exact: Looking) -> Fraction:
    try:
        there = exact.at(one.point)
    except Irrational:
        there = None
    gap = None if there is None else _gap(there, site)
    return _fraction(_gap(one, site) if gap is None else gap)


def _fraction(gap) -> Fraction:
    return gap if isinstance(gap, Fraction) else Fraction(str(gap))
