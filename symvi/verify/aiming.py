"""Points aimed at thresholds: special places, by bisection between points that went different ways, and what follows.

Bisection finds what lies between two thresholds however narrow it is; `thresholds` finds those that no random point
has crossed, and `equalities` points at which numbers are equal and all else is as random as elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

from symvi.verify.equalities import on_equalities
from symvi.verify.errors import OutsideDomain
from symvi.verify.lines import between
from symvi.verify.looking import BUDGET, Looking, Seen, Spent
from symvi.verify.points import Point
from symvi.verify.problem import Problem
from symvi.verify.thresholds import jointly, moves, secants, towards_thresholds
from symvi.verify.worlds import World

LINES, DEPTH = 12, 30  # lines that are halved, and how often
MORE_LINES = 3  # for every way that was found on one
MOST_LINES, TOO_MANY_WAYS = 40, 64
CLOSE = (Fraction(1, 10**4), Fraction(1, 10**7), Fraction(1, 10**10), Fraction(1, 10**14), Fraction(1, 10**18))


def aimed(problem: Problem, seen: Sequence[Seen], world: World) -> Iterator[Seen]:
    """Points of ways that `seen` has not, and more points of ways that are rare."""
    looking, found, random_ways = Looking(problem, world), list(seen), set(_ways(seen))
    for stage in (
        _special,
        _halving,
        secants,
        towards_thresholds,
        _halving,
        jointly,
        towards_thresholds,
        on_equalities,
        lambda *given: _widened(random_ways, *given),
    ):
        looking.left = BUDGET  # of every stage
        try:
            for one in stage(problem, found[:], looking):
                found.append(one)
                yield one
        except Spent:
            continue


def _ways(seen: Sequence[Seen]) -> dict[tuple, Seen]:
    return {one.path: one for one in seen}


def _special(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """Numbers that are zero, turns that are none, variables that are equal, and points close to such ones."""
    one, other = seen[0], seen[-1]
    for place in special_places(problem, one.point):
        for there in (place, *_close_to(place, other.point, problem)):
            if (found := looking.at(there)) is not None:
                found = replace(found, special=True)
                yield found
                if any(found.meets_by_chance(at) for at in found.asked):
                    yield from _along_an_equality(problem, found, other.point, looking)


def _along_an_equality(problem: Problem, place: Seen, other: Point, looking: Looking) -> Iterator[Seen]:
    """Points that go the way of a place at which two numbers are equal: what can be changed there, alone and together.

    At the place itself a wrong factor is not seen where all is zero.
    """
    for moved in moves(problem, place.point, other):
        one = looking.along(place.point, moved, Fraction(1))
        if one is not None and one.path == place.path:
            yield one
    yield from _as_wide_as_may_be(problem, place, other, looking)


def _as_wide_as_may_be(problem: Problem, place: Seen, other: Point, looking: Looking) -> Iterator[Seen]:
    """The point of a place's way in which as much as may be is another point's, one number after the other."""
    found = None
    for moved in moves(problem, place.point, other):
        now = place.point if found is None else found.point
        joined = {name: _changed(place.point[name], moved[name], now[name]) for name in now}
        one = looking.along(now, joined, Fraction(1))
        found = one if one is not None and one.path == place.path else found
    if found is not None:
        yield found


def _widened(random_ways: set[tuple], problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """Of small regions: points at which no more is small than has to be. Where x0² + x1² is next to nothing, x2 is any
    number; what is wrong there is not seen where all of x is next to nothing."""
    for path, place in (_ways(seen) | _ways([one for one in seen if all(one.gaps)])).items():
        if path not in random_ways:
            for one in _as_wide_as_may_be(problem, place, seen[0].point, looking):
                yield replace(one, generic=True)


def _changed(before: list, after: list, values: list) -> list:
    """Values with what has changed from before to after."""
    return [y if y != x else value for x, y, value in zip(before, after, values, strict=True)]


def special_places(problem: Problem, point: Point) -> list[Point]:
    """Where a variable is zero, no turn, half a turn or along an axis, or equal to another one."""
    variables, places = problem.question.variables, []
    for name, variable in variables.items():
        if variable.kind in ("vector", "scalar", "matrix", "angular velocity") and not variable.positive:
            places.append({name: [Fraction(0)] * variable.size})
        if variable.kind == "unit vector":
            places += [{name: [Fraction(s * (k == i)) for i in range(variable.size)]}
                       for k in range(variable.size) for s in (1, -1)]  # fmt: skip
        if variable.kind == "quaternion":
            places += [{name: [Fraction(s), *[Fraction(0)] * 3]} for s in (1, -1)]  # the same turn, in code's halves
        if variable.kind == "rotation":
            places += [{name: _diagonal(signs)} for signs in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))]
    for k, name in enumerate(variables):
        alike = [other for other in list(variables)[:k] if variables[other] == variables[name]]
        places += [{name: point[other]} for other in alike]
        if variables[name].kind == "quaternion":
            places += [{name: [-x for x in point[other]]} for other in alike]
    return [{**point, **place} for place in places]


def _diagonal(signs: Sequence[int]) -> list[Fraction]:
    return [Fraction(signs[k // 4] if k % 4 == 0 else 0) for k in range(9)]


def _close_to(place: Point, point: Point, problem: Problem) -> Iterator[Point]:
    """Points as close to a place as guards against a division by zero are."""
    for distance in CLOSE:
        try:
            near = between(place, point, distance, problem.question.variables)
        except OutsideDomain:
            continue
        yield {name: near[name] if place[name] != point[name] else place[name] for name in place}


# --- between two points ------------------------------------------------------------
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
