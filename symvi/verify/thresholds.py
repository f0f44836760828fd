"""Thresholds that no random point has crossed: by secants, one number at a time, in small steps, several at once.

A secant finds the place of a threshold, on a line, however far it is, and points at both sides of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from random import Random

from symvi.verify.looking import Looking, Seen, gap_of, went
from symvi.verify.points import Point
from symvi.verify.problem import Problem
from symvi.verify.sites import OF_AN_ARRAY
from symvi.verify.worlds import Irrational, RationalWorld

SECANTS, SECANT_STEPS = 6, 6  # lines for every threshold that nothing has crossed, and steps on each
BESIDE = (Fraction(1, 1000), Fraction(1, 10**9))  # of the way to a threshold; nearer where variables end
NEARER = (Fraction(1), Fraction(1, 2**10), Fraction(1, 2**24))
ROUNDS, STARTS, STEPS = 6, 2, 120  # of thresholds behind thresholds; points and steps that lead to one
MOST_NUMBERS = 9  # of a variable that are moved one by one
MOST_PAIRED, MOST_TOGETHER = 8, 5  # conditions that are tried two by two, and in all of their ways
SEVERAL, STILL = 6, 1e-20  # points, and what is left of a difference that is zero in the digits of a scan
FAR = Fraction(10) ** 12


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


def is_still(gaps: Sequence, left: float = STILL) -> bool:
    """Whether a condition compares the same two numbers, or two that are as far apart, at all of several points.

    left: of a difference that is zero.
    """
    if len(gaps) < SEVERAL or any(gap is None for gap in gaps):
        return False
    return max(gaps) - min(gaps) <= left * (1 + abs(gaps[0]))


def secants(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """For every condition that went one way only: where its two numbers are equal, and both sides of it."""
    for at, way in one_sided(seen).items():
        having = [one for one in seen if gap_of(one, at) is not None and not one.meets_by_chance(at)]
        random = Random(f"{problem.seed} {at}")
        for _ in range(SECANTS):
            if len(having) < 2:
                break
            a, b = random.sample(having, 2)
            found = list(crossing(problem, a, b, at, looking))
            yield from found
            if any(went(one, at, not way) for one in found):
                break


def towards_thresholds(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
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
    having = [one for one in seen if gap_of(one, at) is not None and not one.meets_by_chance(at)]
    having.sort(key=lambda one: abs(gap_of(one, at)))
    random = Random(f"{problem.seed} {at} towards")
    for start in having[:STARTS]:
        for moved in moves(problem, start.point, random.choice(seen).point):
            if (end := near(start, moved, at, looking)) is None or gap_of(end, at) == gap_of(start, at):
                continue
            for one in crossing(problem, start, end, at, looking):
                yield one
                if went(one, at, way):
                    return
    if having:
        yield from _climbing(having[0], seen, at, way, random, looking)


def _climbing(start: Seen, seen: Sequence[Seen], at: tuple, way: bool, random: Random, looking: Looking):
    """Random steps that come nearer to a threshold: longer ones after a good one, shorter ones after a bad one."""
    best, step = start, Fraction(1, 2)
    for _ in range(STEPS):
        towards = random.choice(seen).point
        one = looking.along(best.point, towards, step * random.choice((-1, 1)))
        gap = None if one is None else gap_of(one, at)
        if one is not None and gap is not None and went(one, at, way):
            yield one
            return
        if one is not None and gap is not None and abs(gap) < abs(gap_of(best, at)):
            best, step = one, min(step * 3 / 2, Fraction(1, 2))
        else:
            step = step * 7 / 8
        step = step.limit_denominator(2**60)


# --- several at once ------------------------------------------------------------
def jointly(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """All numbers of an array on the same side, two conditions in all of their four ways, few ones in all of theirs."""
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
    if 2 < len(asked) <= MOST_TOGETHER:
        for ways in product((True, False), repeat=len(asked)):
            wanted = dict(zip(asked, ways, strict=True))
            if not any(all(went(one, at, way) for at, way in wanted.items()) for one in seen):
                yield wanted


def _fulfilled(problem: Problem, seen: Sequence[Seen], wanted: dict[tuple, bool], looking: Looking) -> Iterator[Seen]:
    """One condition after the other crossed, from the points that fulfil the most."""

    def count(one: Seen) -> int:
        return sum(went(one, at, way) for at, way in wanted.items())

    having = [one for one in seen if any(at in one.asked for at in wanted)]
    if not having:
        return
    best = max(having, key=count)
    for _ in range(len(wanted)):
        open_ones = [at for at, way in wanted.items() if at in best.asked and not went(best, at, way)]
        before = count(best)
        for at in open_ones:
            for moved in moves(problem, best.point, seen[0].point):
                end = near(best, moved, at, looking)
                if end is None or gap_of(best, at) is None or gap_of(end, at) == gap_of(best, at):
                    continue
                for one in crossing(problem, best, end, at, looking):
                    yield one
                    best = max(best, one, key=count)
                if count(best) > before:
                    break
            if count(best) > before:
                break
        if count(best) in (before, len(wanted)):
            return


# --- a threshold on a line ------------------------------------------------------------
def near(start: Seen, moved: Point, at: tuple, looking: Looking) -> Seen | None:
    """The point itself where the condition is asked there, else one on the line that is nearer."""
    for t in NEARER:
        one = looking.along(start.point, moved, t)
        if one is not None and gap_of(one, at) is not None:
            return one
    return None


def moves(problem: Problem, point: Point, other: Point) -> Iterator[Point]:
    """A point with one of its numbers changed, or one of its variables where its numbers hang together."""
    for name, variable in problem.question.variables.items():
        if variable.kind not in ("vector", "scalar", "matrix", "step"):
            yield {**point, name: other[name]}
            continue
        for k in range(min(variable.size, MOST_NUMBERS)):
            values = list(point[name])
            values[k] = other[name][k] if other[name][k] != values[k] else values[k] + 1
            yield {**point, name: values}


def crossing(problem: Problem, a: Seen, b: Seen, at: tuple, looking: Looking) -> Iterator[Seen]:
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
        if one is None or (gap := gap_of(one, at)) is None:
            break
        yield one
        gaps.append(_fraction(gap))
        if abs(gaps[-1]) <= Fraction(1, 10**20) * max(map(abs, gaps[:2])):
            break
        t[-1] = t[-1].limit_denominator(10**40)
    for sign in (-1, 1):
        for beside in BESIDE:
            if (one := looking.along(a.point, b.point, t[-1] * (1 + sign * beside))) is not None:
                yield one
                break


def _exact_gap(one: Seen, at: tuple, exact: Looking) -> Fraction:
    try:
        there = exact.at(one.point)
    except Irrational:
        there = None
    gap = None if there is None else gap_of(there, at)
    return _fraction(gap_of(one, at) if gap is None else gap)


def _fraction(gap) -> Fraction:
    return gap if isinstance(gap, Fraction) else Fraction(str(gap))
