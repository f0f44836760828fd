"""Points aimed at thresholds: by bisection between points that went different ways, by secants towards far ones.

Bisection finds what lies between two thresholds however narrow it is; a secant finds a threshold that no random point
has crossed, and the very place of an equality.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random

from symvi.verify.derivatives.errors import OutsideDomain
from symvi.verify.derivatives.lines import between
from symvi.verify.derivatives.points import Point
from symvi.verify.derivatives.problem import ANOTHER_POINT, Problem
from symvi.verify.derivatives.sites import OF_AN_ARRAY, all_alike, by_turns
from symvi.verify.derivatives.worlds import Irrational, RationalWorld, World

LINES, DEPTH = 12, 30  # lines that are halved, and how often
MORE_LINES = 3  # for every way that was found on one
MOST_LINES, TOO_MANY_WAYS = 40, 64
SECANTS, SECANT_STEPS = 6, 6  # lines for every threshold that nothing has crossed, and steps on each
BESIDE = Fraction(1, 1000)
CLOSE = (Fraction(1, 10**4), Fraction(1, 10**7), Fraction(1, 10**10), Fraction(1, 10**14), Fraction(1, 10**18))
NEARER = (Fraction(1), Fraction(1, 2**10), Fraction(1, 2**24))
ROUNDS, STARTS, STEPS = 6, 2, 120  # of thresholds behind thresholds; points and steps that lead to one
MOST_NUMBERS, MOST_PAIRED = 9, 8  # of a variable that are moved one by one; conditions that are tried two by two
SEVERAL, STILL = 6, 1e-20  # points, and what is left of a difference that is zero in the digits of a scan
BUDGET, EVERY_POINT = 6000, 10  # conditions that a stage may ask, and what a point counts beside them
FAR = Fraction(10) ** 12
NO_VALUE = (*ANOTHER_POINT, ZeroDivisionError, OverflowError)


@dataclass(frozen=True)
class Seen:
    """A point, the way that conditions went there, and by how much the two numbers of each condition differed.

    special: whether it is a special place, as where all is zero: what holds at an equality there says little.
    """

    point: Point
    path: tuple
    gaps: tuple
    special: bool = False

    @cached_property
    def asked(self) -> dict[tuple, tuple]:
        """(site, turn) -> the way that it went, and its gap."""
        found: dict[tuple, tuple] = {}
        for at, (_, way), gap in zip(by_turns(self.path), self.path, self.gaps, strict=True):
            found.setdefault(at, (way, gap))
        return found

    @cached_property
    def alike(self) -> set[tuple]:
        return all_alike(self.path)

    def meets_by_chance(self, at: tuple) -> bool:
        """Whether this is a special place at which the two numbers of a condition are equal."""
        return self.special and self.asked.get(at, (None, None))[1] == 0


class Spent(Exception):
    """Enough points were looked at."""


class Looking:
    """Points along lines, each with its way; points without values are None. `left`: of the conditions to be asked."""

    def __init__(self, problem: Problem, world: World, left: int = BUDGET):
        self.problem, self.world, self.left = problem, world, left
        self.world.keeps_gaps = True

    def at(self, point: Point) -> Seen | None:
        if self.left <= 0:
            raise Spent
        self.left -= EVERY_POINT
        try:
            path = self.problem.path(point, self.world)
        except NO_VALUE:
            return None
        self.left -= len(path)
        return Seen(point, path, self.world.gaps)

    def along(self, a: Point, b: Point, t: Fraction) -> Seen | None:
        try:
            return self.at(between(a, b, t, self.problem.question.variables))
        except OutsideDomain:
            return None


def aimed(problem: Problem, seen: Sequence[Seen], world: World) -> Iterator[Seen]:
    """Points of ways that `seen` has not, and more points of ways that are rare."""
    looking, found = Looking(problem, world), list(seen)
    for stage in (_special, _halving, _secants, _towards, _halving, _jointly, _towards):
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
    together = place.point
    for moved in _moves(problem, place.point, other):
        one = looking.along(place.point, moved, Fraction(1))
        if one is not None and one.path == place.path:
            yield one
            joined = {name: _changed(place.point[name], moved[name], together[name]) for name in together}
            both = looking.along(place.point, joined, Fraction(1))
            if both is not None and both.path == place.path:
                together = both.point
    if together != place.point and (one := looking.at(together)) is not None:
        yield one


def _changed(before: list, after: list, values: list) -> list:
    """Values with what has changed from before to after."""
    return [y if y != x else value for x, y, value in zip(before, after, values, strict=True)]


def special_places(problem: Problem, point: Point) -> list[Point]:
    variables, places = problem.question.variables, []
    for name, variable in variables.items():
        if variable.kind in ("vector", "scalar", "matrix", "angular velocity") and not variable.positive:
            places.append({name: [Fraction(0)] * variable.size})
        if variable.kind == "quaternion":
            places.append({name: [Fraction(1), *[Fraction(0)] * 3]})
        if variable.kind == "rotation":
            places.append({name: [Fraction(int(k % 4 == 0)) for k in range(9)]})
    for k, name in enumerate(variables):
        alike = [other for other in list(variables)[:k] if variables[other] == variables[name]]
        places += [{name: point[other]} for other in alike]
    return [{**point, **place} for place in places]


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


# --- towards thresholds that nothing has crossed ------------------------------------------------------------
def one_sided(seen: Sequence[Seen]) -> dict[tuple, bool]:
    """(site, turn) -> the only way that it went; not those of which the two numbers are as far apart everywhere."""
    ways: dict[tuple, set[bool]] = {}
    gaps: dict[tuple, list] = {}
    for one in seen:
        for at, (way, gap) in one.asked.items():
            if not one.meets_by_chance(at):
                ways.setdefault(at, set()).add(way)
                gaps.setdefault(at, []).append(gap)
    return {at: min(found) for at, found in ways.items() if len(found) == 1 and not is_still(gaps[at])}


def is_still(gaps: Sequence) -> bool:
    """Whether a condition compares the same two numbers, or two that are as far apart, at all of several points."""
    if len(gaps) < SEVERAL or any(gap is None for gap in gaps):
        return False
    return max(gaps) - min(gaps) <= STILL * (1 + abs(gaps[0]))


def _secants(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """For every condition that went one way only: where its two numbers are equal, and both sides of it."""
    for at, way in one_sided(seen).items():
        having = [one for one in seen if _gap(one, at) is not None and not one.meets_by_chance(at)]
        random = Random(f"{problem.seed} {at}")
        for _ in range(SECANTS):
            if len(having) < 2:
                break
            a, b = random.sample(having, 2)
            found = list(_crossing(problem, a, b, at, looking))
            yield from found
            if any(_went(one, at, not way) for one in found):
                break


def _towards(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """The same from the points that are nearest, one number at a time, then in small random steps.

    Points beyond one threshold are where the next one starts from: a condition that is asked only there is new.
    """
    found, tried = list(seen), set()
    for _ in range(ROUNDS):
        todo = {at: way for at, way in one_sided(found).items() if at not in tried}
        if not todo:
            return
        for at, way in todo.items():
            tried.add(at)
            for one in _reached(problem, found, at, not way, looking):
                found.append(one)
                yield one


def _reached(problem: Problem, seen: Sequence[Seen], at: tuple, way: bool, looking: Looking) -> Iterator[Seen]:
    """Points on the way to a condition's other side; the last one is there, if one is."""
    having = [one for one in seen if _gap(one, at) is not None and not one.meets_by_chance(at)]
    having.sort(key=lambda one: abs(_gap(one, at)))
    random = Random(f"{problem.seed} {at} towards")
    for start in having[:STARTS]:
        for moved in _moves(problem, start.point, random.choice(seen).point):
            if (end := _near(start, moved, at, looking)) is None or _gap(end, at) == _gap(start, at):
                continue
            for one in _crossing(problem, start, end, at, looking):
                yield one
                if _went(one, at, way):
                    return
    if having:
        yield from _climbing(having[0], seen, at, way, random, looking)


def _near(start: Seen, moved: Point, at: tuple, looking: Looking) -> Seen | None:
    """The point itself where the condition is asked there, else one on the line that is nearer."""
    for t in NEARER:
        one = looking.along(start.point, moved, t)
        if one is not None and _gap(one, at) is not None:
            return one
    return None


def _moves(problem: Problem, point: Point, other: Point) -> Iterator[Point]:
    """A point with one of its numbers changed, or one of its variables where its numbers hang together."""
    for name, variable in problem.question.variables.items():
        if variable.kind not in ("vector", "scalar", "matrix", "step"):
            yield {**point, name: other[name]}
            continue
        for k in range(min(variable.size, MOST_NUMBERS)):
            values = list(point[name])
            values[k] = other[name][k] if other[name][k] != values[k] else values[k] + 1
            yield {**point, name: values}


def _climbing(start: Seen, seen: Sequence[Seen], at: tuple, way: bool, random: Random, looking: Looking):
    """Random steps that come nearer to a threshold: longer ones after a good one, shorter ones after a bad one."""
    best, step = start, Fraction(1, 2)
    for _ in range(STEPS):
        towards = random.choice(seen).point
        one = looking.along(best.point, towards, step * random.choice((-1, 1)))
        gap = None if one is None else _gap(one, at)
        if gap is not None and _went(one, at, way):
            yield one
            return
        if gap is not None and abs(gap) < abs(_gap(best, at)):
            best, step = one, min(step * 3 / 2, Fraction(1, 2))
        else:
            step = step * 7 / 8
        step = step.limit_denominator(2**60)


# --- several at once ------------------------------------------------------------
def _jointly(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """All numbers of an array on the same side, and every two conditions in all of their four ways."""
    found = list(seen)
    for wanted in _wanted(found):
        for one in _fulfilled(problem, found, wanted, looking):
            found.append(one)
            yield one


def _wanted(seen: Sequence[Seen]) -> Iterator[dict[tuple, bool]]:
    """(site, turn) -> the way that it should go; nothing that was seen already."""
    asked = list(dict.fromkeys(at for one in seen for at in one.asked))
    arrays = dict.fromkeys(site for site, _ in asked if str(site).endswith(OF_AN_ARRAY))
    alike = set().union(*(one.alike for one in seen))
    for site in arrays:
        for way in (True, False):
            if (site, way) not in alike:
                yield {at: way for at in asked if at[0] == site}
    if len(asked) <= MOST_PAIRED:
        pairs = [(a, b) for k, a in enumerate(asked) for b in asked[:k]]
        together = {
            (a, b, one.asked[a][0], one.asked[b][0]) for a, b in pairs for one in seen if {a, b} <= set(one.asked)
        }
        for a, b in pairs:
            for ways in ((True, True), (True, False), (False, True), (False, False)):
                if (a, b, *ways) not in together:
                    yield {a: ways[0], b: ways[1]}


def _fulfilled(problem: Problem, seen: Sequence[Seen], wanted: dict[tuple, bool], looking: Looking) -> Iterator[Seen]:
    """One condition after the other crossed, from the points that fulfil the most."""

    def count(one: Seen) -> int:
        return sum(_went(one, at, way) for at, way in wanted.items())

    having = [one for one in seen if any(at in one.asked for at in wanted)]
    if not having:
        return
    best = max(having, key=count)
    for _ in range(len(wanted)):
        open_ones = [at for at, way in wanted.items() if at in best.asked and not _went(best, at, way)]
        before = count(best)
        for at in open_ones:
            for moved in _moves(problem, best.point, seen[0].point):
                end = _near(best, moved, at, looking)
                if end is None or _gap(best, at) is None or _gap(end, at) == _gap(best, at):
                    continue
                for one in _crossing(problem, best, end, at, looking):
                    yield one
                    best = max(best, one, key=count)
                if count(best) > before:
                    break
            if count(best) > before:
                break
        if count(best) in (before, len(wanted)):
            return


# --- a threshold on a line ------------------------------------------------------------
def _gap(one: Seen, at: tuple):
    """By how much the numbers of a condition differ; None where it was not asked."""
    return one.asked.get(at, (None, None))[1]


def _went(one: Seen, at: tuple, way: bool) -> bool:
    return one.asked.get(at, (None, None))[0] is way


def _crossing(problem: Problem, a: Seen, b: Seen, at: tuple, looking: Looking) -> Iterator[Seen]:
    """Points at a threshold on a line and at both sides of it, by the secant method, exact where numbers are."""
    exact = Looking(problem, RationalWorld(), looking.left)
    t = [Fraction(0), Fraction(1)]
    gaps = [_exact_gap(one, at, exact) for one in (a, b)]
    for _ in range(SECANT_STEPS):
        if gaps[-1] == gaps[-2] or t[-1] == t[-2]:
            return
        slope = (gaps[-1] - gaps[-2]) / (t[-1] - t[-2])
        t.append(t[-1] - gaps[-1] / slope)
        if abs(t[-1]) > FAR:
            return
        one = looking.along(a.point, b.point, t[-1])
        gap = None if one is None else _gap(one, at)
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


def _exact_gap(one: Seen, at: tuple, exact: Looking) -> Fraction:
    try:
        there = exact.at(one.point)
    except Irrational:
        there = None
    gap = None if there is None else _gap(there, at)
    return _fraction(_gap(one, at) if gap is None else gap)


def _fraction(gap) -> Fraction:
    return gap if isinstance(gap, Fraction) else Fraction(str(gap))
