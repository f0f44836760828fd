"""The rule of effect: what of a difference matters.

In a region that thresholds close on every side, an entry is wrong when its error matters against the matrix: when it is
more than a bound, 1e-6 by default, of the largest entry of its block at that point. What lies below is a note.
Everywhere else any difference is wrong.

Two kinds of regions have no derivative of their own. At a single point, x = 0, the function's own formula says nothing
of its slope; and in a tiny region the function may stand for the one around it, as cos(x) = 1 does for small x. There
the derivative next to the region counts: what a claim says has to lie between the slopes on its sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symvi.verify.asking.lines import CURVED, between
from symvi.verify.asking.points import Point
from symvi.verify.asking.question import Question
from symvi.verify.errors import OutsideDomain
from symvi.verify.judging.nearness import compared
from symvi.verify.judging.problem import NO_VALUE, Problem
from symvi.verify.reading.worlds import RealWorld, World

LINES = 2  # random ones, and one through zero
FAR_OUT = (6, 3, 0)  # powers of 2: how far along a line a region is looked for to end, of the way to a random point
STEPS = (-3, -6, -10, -13, -16, -20, -23, -27, -30, -34, -40, -47, -54, -67, -80, -100)
EDGES = 2  # of a region: points that are looked at
SMALLEST = Fraction(2) ** STEPS[-1]
DIGITS = 180  # of slopes beside a point, where differences of a formula that is 0/0 lose many
OTHER = 1e-3  # of a usual slope: another derivative than the one around
SAME = 1e-25  # of a slope: what steps to its side make of it


@dataclass(frozen=True)
class Side:
    """The function just outside of a region: its slopes, None where it has none; its values; how far that is.

    inside: the point just inside of it, None where there is no room.
    """

    slopes: list | None
    values: list
    distance: Fraction
    same_way: bool
    inside: Point | None


@dataclass(frozen=True)
class Region:
    """A closed region around a point, by what is on its sides.

    is_point: whether it is a single point, or has no width in any direction that is looked in, as an equality has.
    goes_on: whether the function takes the same way on every side: its own formula is the one around. is_tiny:
    whether it hardly changes from the point to the sides. low, high: of every entry, the least and the largest slope
    on a side of a point, or between the two sides of a region on a line; None where no side has any. edges: two points
    just inside.
    """

    is_point: bool
    goes_on: bool
    is_tiny: bool
    low: list | None
    high: list | None
    edges: tuple[Point, ...] = ()


@dataclass(frozen=True)
class Judged:
    """wrong, noted: entry -> its error, of the largest entry of its block. other: where the function's own formula has
    other slopes than its surroundings, and the claim has the formula's."""

    wrong: dict[int, float]
    noted: dict[int, float]
    other: dict[int, float]


def judged(problem: Problem, point: Point, path: tuple, truth: list | None, claim: list, wide: bool) -> Judged | None:
    """What of the differences at a point matters; None where nothing can be said, as at a jump without slopes.

    truth: by the function's own formula, None where that has none. wide: whether random points reach the region: then
    errors count against their own row, of which the other rows may have larger units. What does not matter at the point
    is looked at near the ends of the region too.
    """
    found = region(problem, point, path, wide)
    here = _judged_in(problem, found, truth, claim, wide)
    if here is None or here.wrong or not here.noted or found is None:
        return here
    return _worst([here, *_at_edges(problem, found, wide)])


def _judged_in(problem: Problem, found: Region | None, truth: list | None, claim: list, wide: bool) -> Judged | None:
    """What of the differences at a point of a region matters; the region is None where it is open."""
    sizes = _sizes(problem, [*([truth] if truth else []), claim], by_row=wide)
    apart = [None] * len(claim) if truth is None else [abs(t - c) for t, c in zip(truth, claim, strict=True)]
    if found is None or (wide and not found.is_point):
        if truth is None:
            return None
        relative = {k: _share(d, sizes[k]) for k, d in enumerate(apart) if d}
        return Judged(relative, {}, {}) if found is None else Judged(*_split(relative, problem.effect), {})
    return _by_surroundings(problem, found, truth, claim, apart, sizes)


def _at_edges(problem: Problem, found: Region, wide: bool) -> Iterator[Judged]:
    """What matters near the ends of a region, where errors of a series are largest."""
    for edge in found.edges:
        try:
            both = compared(problem, edge)
        except NO_VALUE:
            continue
        there = _judged_in(problem, found, both.truth, both.claim or [], wide)
        if there is not None:
            yield there


def _worst(all_of_them: Sequence[Judged]) -> Judged:
    wrong, noted, other = ({}, {}, {})
    for each in all_of_them:
        for known, more in ((wrong, each.wrong), (noted, each.noted), (other, each.other)):
            known.update({k: max(share, known.get(k, 0.0)) for k, share in more.items()})
    return Judged(wrong, {k: share for k, share in noted.items() if k not in wrong}, other)


def _by_surroundings(problem: Problem, found: Region, truth, claim, apart, sizes) -> Judged | None:
    """The claim beside the function's own formula, and beside the slopes around the region, where these count."""
    own = truth is not None and not (found.is_point and not found.goes_on and found.is_tiny)
    around = found.low is not None and (found.is_point or found.is_tiny) and not (found.goes_on and own)
    if not own and not around:
        return None
    relative: dict[int, float] = {}
    other: dict[int, float] = {}
    usual, low, high = _usual(problem), found.low, found.high
    for k, c in enumerate(claim):
        shares = [_share(apart[k], sizes[k])] if own else []
        if around and low is not None and high is not None:
            size, gap = max(sizes[k], abs(low[k]), abs(high[k])), max(low[k] - c, c - high[k])
            shares.append(_share(gap, size) if gap > SAME * usual else 0.0)
            if own and not found.is_point and shares[0] <= problem.effect and _share(gap, max(size, usual)) > OTHER:
                other[k] = shares[1]
        relative[k] = min(shares)
    wrong, noted = _split({k: share for k, share in relative.items() if share > SAME}, problem.effect)
    return Judged(wrong, noted, other)


def _split(relative: dict[int, float], bound: float) -> tuple[dict[int, float], dict[int, float]]:
    wrong = {k: share for k, share in relative.items() if share > bound}
    return wrong, {k: share for k, share in relative.items() if share <= bound}


def _share(part, size) -> float:
    return float(part / size) if size else float("inf") if part else 0.0


def _usual(problem: Problem):
    """The largest slope at an ordinary point: beside it a slope next to a point is zero where it is next to nothing."""
    found = _somewhere(problem, "usual slopes", problem.truth)
    return max(map(abs, found)) if found else 0


def _somewhere(problem: Problem, said: str, of: Callable[[Point, World], list]) -> list:
    """What is found at an ordinary point; kept for the next ones who ask."""
    if said not in problem.known:
        problem.known[said] = []
        for number in range(4):
            try:
                problem.known[said] = of(problem.draw(number), RealWorld())
                break
            except NO_VALUE:
                continue
    return problem.known[said]


# --- sizes ----------------------------------------------------------------------------------------------------------
def _sizes(problem: Problem, matrices: Sequence[list], by_row: bool) -> list:
    """Of every entry, the largest one of its block, or of its row in that block."""
    labels = blocks(problem.question, len(matrices[0]))
    width = len(problem.question.directions)
    keys = [(label, k // width if by_row else 0) for k, label in enumerate(labels)]
    largest: dict[tuple, Any] = {}
    for matrix in matrices:
        for key, entry in zip(keys, matrix, strict=True):
            largest[key] = max(largest.get(key, 0), abs(entry))
    return [largest[key] for key in keys]


def blocks(question: Question, count: int) -> list[tuple[str, ...]]:
    """Of every entry, the variables by which it is the derivative."""
    names = [name for name, _ in question.directions]
    width = len(names)
    if question.order == 1:
        return [(names[k % width],) for k in range(count)]
    return [(names[k // width % width], names[k % width]) for k in range(count)]


# --- sides ----------------------------------------------------------------------------------------------------------
def region(problem: Problem, point: Point, path: tuple, wide: bool) -> Region | None:
    """The closed region in which a point lies; None where a side is open.

    A side is a direction of a line. The lines lead to random points; in wide regions away from zero too, as a sector is
    open there.
    """
    if not path:
        return None
    world, sides, slopes = RealWorld(), [], []
    way, here = problem.way(point, world), problem.values(point, world)
    size = max((abs(x) for x in (*here, *_ordinary(problem))), default=0)
    for end in _ends(problem, point, wide):
        line = []
        for sign in (1, -1):
            found = _side(problem, point, end, sign, path, way)
            if found is None:
                return None
            line += found
        sides += line
        slopes += _between([side for side in line if side.slopes is not None])
    if not sides:
        return None
    is_point = all(abs(side.distance) == SMALLEST for side in sides)
    known = [side.slopes for side in sides if side.slopes is not None] if is_point else slopes
    gaps = [abs(a - b) for side in sides for a, b in zip(side.values, here, strict=True)]
    return Region(
        is_point=is_point,
        goes_on=all(side.same_way for side in sides),
        is_tiny=max(gaps, default=0) <= size * problem.effect,
        low=[min(entries) for entries in zip(*known, strict=True)] if known else None,
        high=[max(entries) for entries in zip(*known, strict=True)] if known else None,
        edges=tuple(side.inside for side in sides if side.inside is not None)[:EDGES],
    )


def _between(sides: list[Side]) -> list[list]:
    """The slopes at a point between two sides, linearly; those of one side where there is no other."""
    if len(sides) < 2:
        return [side.slopes for side in sides if side.slopes is not None]
    (one, other), world = sides, RealWorld(DIGITS)
    share = world.constant(one.distance / (one.distance - other.distance))
    return [[a + share * (b - a) for a, b in zip(one.slopes or [], other.slopes or [], strict=True)]]


def _ordinary(problem: Problem) -> list:
    """Values of the function somewhere: what is little beside them is little."""
    return _somewhere(problem, "usual values", problem.values)


def _ends(problem: Problem, point: Point, wide: bool) -> Iterator[Point]:
    """Other ends of lines through a point."""
    yield from (problem.draw(number) for number in range(LINES))
    if wide:
        variables = problem.question.variables
        yield {
            name: values
            if variables[name].kind in CURVED
            else [x * 2 / min(1, max(map(abs, values)) or 1) for x in values]
            for name, values in point.items()
        }


def _end(leaves: Callable[[int], bool | None], far: int | None) -> tuple[int | None, int | None]:
    """The powers of 2 between which a region ends, just outside and just inside of it; None where there are none.

    far: where it has been left.
    """
    if far is not None and leaves(STEPS[-1]) is False:
        nearest, inside = far, STEPS[-1]
        beyond: bool | None = True  # whether another way is gone there, or there is nothing
        while nearest - inside > 1:
            middle = (nearest + inside) // 2
            left = leaves(middle)
            nearest, inside, beyond = (nearest, middle, beyond) if left is False else (middle, inside, left)
        if beyond:
            return nearest, inside
    inside = None
    for k in reversed(STEPS):  # outwards, past places where there is nothing
        left = leaves(k)
        if left:
            return k, inside
        inside = k if left is False else inside
    return far, inside


def _side(problem: Problem, point: Point, end: Point, sign: int, path: tuple, way: tuple) -> list[Side] | None:
    """Just outside of the region in a direction, [] where the variables end there; None where it does not end."""

    def place(k: int) -> Point:
        variables = problem.question.variables
        return between(point, end, sign * Fraction(2) ** k, variables, grain=None)

    def leaves(k: int) -> bool | None:
        """Whether another way is gone there; None where there is nothing."""
        try:
            return problem.path(place(k), world) != path
        except (*NO_VALUE, OutsideDomain):
            return None

    world = RealWorld()
    out: list[bool | None] = []
    while len(out) < len(FAR_OUT) and not (out and out[-1]):
        out.append(leaves(FAR_OUT[len(out)]))
    if False in out and not out[-1]:
        return None
    nearest, inside = _end(leaves, FAR_OUT[len(out) - 1] if out[-1] else None)
    if nearest is None:
        return []
    there, sharp = place(nearest), RealWorld(DIGITS)
    try:
        slopes = problem.truth(there, sharp)
    except NO_VALUE:
        slopes = None
    edge = None if inside is None else place(inside)
    same = problem.way(there, world) == way
    return [Side(slopes, problem.values(there, sharp), sign * Fraction(2) ** nearest, same, edge)]
