"""Points aimed at thresholds: special places, by bisection between points that went different ways, and what follows.

Bisection finds what lies between two thresholds however narrow it is; `surfaces` finds those that no random point has
crossed. A special place, as where all of a vector is zero, is a point of many conditions; it shows what holds at
one of them only where nothing else nearby meets it, which `is_telling` finds out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random

from symvi.verify.asking.lines import CURVED, between, is_allowed
from symvi.verify.asking.points import Point
from symvi.verify.asking.shaking import turned
from symvi.verify.errors import OutsideDomain
from symvi.verify.judging.looking import BUDGET, Looking, Seen, Spent
from symvi.verify.judging.problem import NO_VALUE, Problem
from symvi.verify.judging.surfaces import beyond, combined, everywhere
from symvi.verify.reading.worlds import RealWorld

LINES, DEPTH = 12, 30  # lines that are halved, and how often
MORE_LINES = 3  # for every way that was found on one
MOST_LINES, TOO_MANY_WAYS = 40, 64
CLOSE = (Fraction(1, 10**4), Fraction(1, 10**7), Fraction(1, 10**10), Fraction(1, 10**14), Fraction(1, 10**18))
STEP = Fraction(1, 4)  # away from a special place, to see which others meet a condition


def aimed(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """Points of ways that `seen` has not, and more points of ways that are rare."""
    found, random_ways = list(seen), set(_ways(seen))
    for stage in (
        _special,
        _halving,
        beyond,
        _halving,
        combined,
        lambda problem, seen, looking: everywhere(problem, seen, random_ways, looking),
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


# --- special places ---------------------------------------------------------------------------------------------------
def _special(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """Numbers that are zero, turns that are none, variables that are equal, and points close to such ones."""
    one, other = seen[0], seen[-1]
    for place in special_places(problem, one.point):
        stuck = frozenset(
            (name, k)
            for name, variable in problem.question.variables.items()
            if place[name] != one.point[name]
            for k in range(_free(variable))
        )
        for there in (place, *_close_to(place, other.point, problem)):
            if (found := looking.at(there, stuck)) is not None:
                yield found


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
            one = variable.stored([Fraction(1), *[Fraction(0)] * 3])
            places += [{name: [s * x for x in one]} for s in (1, -1)]  # the same turn, in code's halves
        if variable.kind == "rotation":
            places += [{name: _diagonal(signs)} for signs in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))]
    for k, name in enumerate(variables):
        alike = [other for other in list(variables)[:k] if variables[other] == variables[name]]
        places += [{name: point[other]} for other in alike]
        if variables[name].kind == "quaternion":
            places += [{name: [-x for x in point[other]]} for other in alike]
    return [
        {**point, **place}
        for place in places
        if all(is_allowed(variables[name], values) for name, values in place.items())
    ]


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


def _free(variable) -> int:
    """How many numbers of a variable may change by themselves."""
    if variable.kind in ("quaternion", "rotation", "unit vector"):
        return 3  # turns about three axes
    return variable.size


def is_telling(problem: Problem, one: Seen, rare: set[tuple]) -> bool:
    """Whether a point shows what holds where its rare conditions go their way.

    A special place does if nothing else nearby meets them: in every direction of what is special there, of one
    coordinate or of two, one of them goes another way. rare: (site, turn), conditions that random points answer
    otherwise.
    """
    stuck = sorted(one.stuck)
    steps = [{key: STEP} for key in stuck]
    steps += [{a: STEP, b: sign * STEP} for a, b in combinations(stuck, 2) for sign in (1, -1)]
    return all(_is_left(problem, one, rare, each) for each in steps)


def _is_left(problem: Problem, one: Seen, rare: set[tuple], steps: dict[tuple, Fraction]) -> bool:
    """Whether a rare condition goes another way there; a turn of a vector about itself is none."""
    point = _stepped(problem, one.point, steps)
    if point == one.point:
        return True
    try:
        path = problem.path(point, RealWorld())
    except NO_VALUE:
        return False
    there = Seen(point, path, (None,) * len(path)).asked
    return any(at not in there or there[at][0] is not one.asked[at][0] for at in rare & set(one.asked))


def _stepped(problem: Problem, point: Point, steps: dict[tuple, Fraction]) -> Point:
    """A point with some of its coordinates changed: numbers by themselves, directions by turns."""
    found = dict(point)
    for name in {name for name, _ in steps}:
        variable = problem.question.variables[name]
        given = [steps.get((name, k), Fraction(0)) for k in range(_free(variable))]
        if variable.kind in CURVED and variable.kind != "angular velocity":
            found[name] = turned(variable, point[name], given)
        else:
            found[name] = [x + step for x, step in zip(point[name], given, strict=True)]
    return found


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
        one = looking.along(replace(a, stuck=a.stuck | b.stuck), b.point, middle)
        if one is None:
            continue
        if one.path not in ends:
            ends = (*ends, one.path)
            budget += DEPTH // 2
            yield one
        stack += [(low, before, middle, one.path, depth + 1), (middle, one.path, high, after, depth + 1)]
