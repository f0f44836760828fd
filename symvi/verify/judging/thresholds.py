"""Thresholds that no random point has crossed: by secants between points, and along one number at a time.

A secant finds the place of a threshold, on a line, however far it is: a point on it, where an equality holds and all
else is as random as at the line's ends, and points at both sides of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import isqrt
from random import Random

from symvi.verify.asking.lines import CURVED, between, coordinates, placed
from symvi.verify.asking.points import Point
from symvi.verify.errors import OutsideDomain, VerificationError
from symvi.verify.judging.looking import Looking, Seen, gap_of, went
from symvi.verify.judging.problem import NO_VALUE, Problem

SECANTS, SECANT_STEPS = 6, 24  # lines for every threshold that nothing has crossed, and steps on each
USUAL = 4  # points between which the first lines are
ALIKE = Fraction(1, 10**60)  # numbers that are nearer are the same one
NEAR_ZERO = Fraction(1, 10**72)  # what is left of a gap that is zero
SLOW, ROOTED, HOPELESS = 5, 8, 8  # steps after which a gap that shrinks by less may have a double root; or none
LONG, GRAIN, SHORT = 1200, 2**400, 2**100  # digits of places on a line, in bits; of a short number near one
# of the way to a threshold: how far behind it points are, until one is on its other side
BESIDE = tuple(Fraction(1, 10**k) for k in (3, 9, 11, 14, 18))
ROUNDS, STARTS = 6, 3  # of thresholds behind thresholds; nearest points that lead to one
MOST_NUMBERS = 9  # of a variable that are moved one by one
SEVERAL, STILL = 6, 1e-20  # points, and what is left of a difference that is zero in the digits of a scan
FAR = Fraction(10) ** 12


def one_sided(seen: Sequence[Seen]) -> dict[tuple, bool]:
    """(site, turn) -> the only way that it went; not those of which the two numbers are as far apart everywhere.

    What special places say is left out: there a condition may be met by chance.
    """
    ways: dict[tuple, set[bool]] = {}
    gaps: dict[tuple, list] = {}
    for special in (False, True):
        for one in seen:
            for at, (way, gap) in one.asked.items() if bool(one.stuck) is special else ():
                if not special or at not in ways:
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


def _asking(seen: Sequence[Seen], at: tuple) -> list[Seen]:
    """Points at which a condition is asked: ordinary ones if there are any, else special ones."""
    having = [one for one in seen if gap_of(one, at) is not None]
    return [one for one in having if not one.stuck] or having


def secants(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """For every condition that went one way only: where its two numbers are equal, and both sides of it.

    Points beyond one threshold are where the next one starts from: a condition that is asked only there is new.
    """
    found, tried = list(seen), set()
    for _ in range(ROUNDS):
        todo = {at: way for at, way in one_sided(found).items() if at not in tried}
        for at, way in todo.items():
            tried.add(at)
            for a, end in _lines(problem, found, at):
                more = list(crossing(problem, a, end, at, looking, not way))
                found += more
                yield from more
                if any(went(one, at, not way) for one in more):
                    break


def _lines(problem: Problem, seen: Sequence[Seen], at: tuple) -> Iterator[tuple[Seen, Point]]:
    """Lines on which a threshold is sought, by a point and another end.

    Those first between which there has to be one, by the signs of their gaps, and of ordinary size, as the first random
    points are: small ones make entries that do not matter. Then along one number at a time, from the nearest points.
    """
    random, having = Random(f"{problem.seed} {at}"), _asking(seen, at)
    pairs = list(combinations(having[:USUAL], 2))
    random.shuffle(pairs)
    if len(having) > USUAL:
        pairs += [(random.choice(having[:USUAL]), random.choice(having[USUAL:])) for _ in range(SECANTS)]
        pairs += [(a, b) for a, b in (random.sample(having, 2) for _ in range(SECANTS))]

    def is_same_side(pair: tuple[Seen, Seen]) -> bool:
        a, b = (gap_of(one, at) for one in pair)
        return (a > 0) == (b > 0)

    yield from ((a, b.point) for a, b in sorted(pairs, key=is_same_side)[:SECANTS])
    for start in sorted(having, key=lambda one: abs(gap_of(one, at)))[:STARTS]:
        yield from ((start, moved) for moved in moves(problem, start.point, random.choice(seen).point))


# --- a threshold on a line ------------------------------------------------------------
def moves(problem: Problem, point: Point, other: Point) -> Iterator[Point]:
    """A point with one of its coordinates changed, or one of its variables."""
    variables = problem.question.variables
    for name, variable in variables.items():
        if variable.kind in CURVED:
            yield from _curved_moves(variables, point, other, name)
        if variable.kind not in ("vector", "scalar", "matrix", "step"):
            yield {**point, name: other[name]}
            continue
        for k in range(min(variable.size, MOST_NUMBERS)):
            values = list(point[name])
            values[k] = other[name][k] if other[name][k] != values[k] else values[k] + 1
            yield {**point, name: values}


def _curved_moves(variables, point: Point, other: Point, name: str) -> Iterator[Point]:
    """One coordinate of a projection at a time: what is zero otherwise stays zero."""
    try:
        here, there = (coordinates(each, variables) for each in (point, {**point, name: other[name]}))
        for k, value in enumerate(there[name]):
            numbers = [value if i == k else x for i, x in enumerate(here[name])]
            yield {**point, name: placed({**here, name: numbers}, variables)[name]}
    except OutsideDomain:
        return


def crossing(problem: Problem, a: Seen, b: Point, at: tuple, looking: Looking, way: bool) -> Iterator[Seen]:
    """A point at a threshold on a line, and points at both sides of it, until one goes the wanted way."""
    place = _place(problem, a, b, at, looking)
    if place is None:
        return
    one = looking.along(a, b, place, grain=None)
    if one is not None and (exact := _snapped(problem, one.point)) != one.point:
        one = looking.at(exact, a.stuck)
    if one is not None:
        yield one
        if went(one, at, way) and gap_of(one, at) == 0:
            yield from (each for sign in (-1, 1) if (each := looking.along(a, b, place * (1 + sign * BESIDE[0]))))
            return
    for beside in BESIDE:
        both = [looking.along(a, b, place * (1 + sign * beside), grain=None) for sign in (-1, 1)]
        yield from (each for each in both if each is not None)
        if any(each is not None and went(each, at, way) for each in both):
            return


def _place(problem: Problem, a: Seen, b: Point, at: tuple, looking: Looking) -> Fraction | None:
    """Where on a line the two numbers of a condition are equal, by the secant method; None where it finds no place."""

    def gap(t: Fraction) -> Fraction | None:
        return looking.gap(between(a.point, b, t, problem.question.variables, grain=None), at)

    try:
        start, end = gap(Fraction(0)), gap(Fraction(1))
        places, gaps = [Fraction(0), Fraction(1)], [start, end]
        has_signs = start is not None and end is not None and start * end < 0
        bracket = (places[0], places[1], start is not None and start > 0) if has_signs else None
        for step in range(SECANT_STEPS):
            first, last = gaps[-2:]
            if first is None or last is None:
                looking.diverted[at] += first is not None and step > 0
                return None
            if abs(last) <= NEAR_ZERO:
                looking.met.add(at)
                return _simple(places[-1], gap)
            earlier = gaps[-HOPELESS // 2] if step >= HOPELESS else None
            if earlier is not None and abs(last) * 2 > abs(earlier):
                return None
            if step >= SLOW and first * last > 0 and abs(last) * ROOTED > abs(first):
                first, last = _root(first), _root(last)
            if first == last or places[-1] == places[-2]:
                return None
            place = _short(places[-1] - last * (places[-1] - places[-2]) / (last - first))
            if bracket is not None:
                bracket = _narrowed(bracket, places[-1], last)
                place = place if bracket[0] < place < bracket[1] else (bracket[0] + bracket[1]) / 2
            if abs(place) > FAR:
                return None
            places.append(place)
            gaps.append(gap(place))
    except (*NO_VALUE, VerificationError):
        return None
    return None


def _narrowed(bracket: tuple[Fraction, Fraction, bool], place: Fraction, gap: Fraction) -> tuple:
    """Two places with gaps of different signs between them, and whether that of the first is positive."""
    low, high, sign = bracket
    if not low < place < high:
        return bracket
    return (place, high, sign) if (gap > 0) == sign else (low, place, sign)


def _snapped(problem: Problem, point: Point) -> Point:
    """A point with numbers that are all but zero, or all but the same, exactly so: code may divide by what is left."""
    plain = [name for name, variable in problem.question.variables.items() if variable.kind not in CURVED]
    found, known = dict(point), [Fraction(0)]
    for name in plain:
        values = []
        for x in point[name]:
            values.append(next((y for y in known if abs(x - y) <= ALIKE), x))
            known.append(values[-1])
        found[name] = values
    return found


def _simple(place: Fraction, gap) -> Fraction:
    """The short number that a place stands for, where the two numbers are equal there."""
    short = place.limit_denominator(SHORT)
    return short if short != place and gap(short) == 0 else place


def _root(value: Fraction) -> Fraction:
    """Of a gap, with its sign: of a double root it is a single one."""
    root = Fraction(isqrt(abs(value.numerator) * GRAIN**2 // value.denominator), GRAIN)
    return root if value > 0 else -root


def _short(value: Fraction) -> Fraction:
    return value if value.denominator.bit_length() <= LONG else Fraction(round(value * GRAIN), GRAIN)
