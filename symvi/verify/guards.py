"""Guards around removable points: what the limit or the first terms of a series leave out, and what they may.

Near such a point both formulas are evaluated at the same places: conditions are made to go the way inside the region
or the way outside of it, wherever the place is. An entry of a guard is right if it and that of the outer formula's
derivative have the same first terms, if it leaves the next one out instead of having another, and if that is little at
the threshold, of the entry itself. A first term that is there and is the derivative's times a number is wrong; one that
is anything else may be what is left of a product, of which one factor has a guard, and is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from symvi.verify.aiming import special_places
from symvi.verify.errors import Endless
from symvi.verify.lines import CURVED, between
from symvi.verify.points import Point
from symvi.verify.problem import NO_VALUE, Problem, in_world
from symvi.verify.ways import GuidedWorld, Way, usual_sizes, way_at
from symvi.verify.worlds import RealWorld, World

COARSE = Fraction(1, 1000)  # of an entry's size: what a guard leaves out at its threshold is less
DIGITS, ASKED = 400, 30  # of series, of which most digits are lost in differences; of conditions
TERMS = 6  # of a series that are looked at
SHORT = Fraction(1, 10**4)  # how far from the removable point series are looked at
UNSEEN = 10**4  # times what the terms beyond the last one are: what is less is zero
FLOOR = Fraction(1, 10**200)  # of the largest entry: what is less is rounding
MUCH = 2  # times the square of a term
SAME_RATIO = Fraction(1, 10**6)  # of claim and derivative, on two rays
OUTWARDS, ENDS = 4, 5  # factor of steps that lead out of a region, and halvings of the last one
INWARDS = Fraction(1, 2**20)
FAR, FARTHEST = 2, 10**20  # from the removable point, and times as far as the point in its region
OTHERS = range(1, 9)  # points of which one gives another ray
MOST_NUMBERS = 9  # of a variable that are zero one by one, and the smallest ones together
NEARBY = 2  # times what a value changes from the centre of a region to its end, for one on the other side


@dataclass(frozen=True)
class Guard:
    """What a claim leaves out at the threshold of its small region: entry -> how much of the entry's usual size.

    coarse: entries where that is too much. wrong: those whose terms are not the derivative's. unclear: those that have
    a next term, which is neither left out nor the derivative's.
    """

    apart: dict[int, float]
    coarse: frozenset[int] = frozenset()
    wrong: frozenset[int] = frozenset()
    unclear: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Gap:
    """The first term in which an entry of a claim differs: its order, the claim's, the derivative's.

    leading: whether the derivative has none before it but its limit, so that the term is the same in any variable.
    straight: whether the series is one along a straight line. more: whether the claim has a term after one that it
    leaves out. nearby: whether its limit is a value of elsewhere in the region, as where code takes 1e-8 for what is
    smaller.
    """

    order: int
    some: Any
    true: Any
    leading: bool
    straight: bool
    more: bool
    nearby: bool = False

    @property
    def is_wrong(self) -> bool:
        """Another limit, or a leading term where the derivative has none."""
        if self.order == 0:
            return not self.nearby
        return self.leading and bool(self.some) and not self.true


def guard(problem: Problem, point: Point, path: tuple) -> Guard | None:
    """What is known of a claim at a point of a small region around a removable point; None where there is none."""
    if not path:
        return None
    found = None
    for which, centre in enumerate(_centres(problem, point)):
        ray = Ray(problem, centre, point)
        if (threshold := ray.threshold(path)) is None:
            continue
        for outside in ray.ways(threshold, path):
            judged = _judged(ray, threshold, path, outside, which)
            found = judged or found
            if judged and not (judged.wrong or judged.coarse):
                return judged
    return found


def _judged(ray: Ray, threshold: Fraction, path: tuple, outside: Way, which: int) -> Guard | None:
    """None where the way outside has a value at the centre, so that nothing had to be guarded, or none nearby."""
    if _has_value(ray, outside):
        return None
    try:
        inside = ray.way(threshold)
        gaps, of_function = _gaps(ray, threshold, inside, outside)
        claim, truth = _claim(ray, threshold, inside), _truth(ray, threshold, outside)
        sizes = usual_sizes(ray.problem, truth)
        if not all(_is_near(ray, t, inside, outside) for t in (threshold, Fraction(1))):
            return None
    except NO_VALUE:
        return None
    apart = {k: _share(abs(c - t), size) for k, (c, t, size) in enumerate(zip(claim, truth, sizes, strict=True))}
    wrong = {k for k, gap in gaps.items() if gap.is_wrong}
    if any(gap.is_wrong or _is_opposite(gap) for gap in of_function.values()):
        wrong = set(gaps)
    unclear = {k for k, gap in gaps.items() if k not in wrong and (gap.some or gap.more or gap.nearby)}
    if unclear:
        multiples, settled = _elsewhere(ray, path, outside, which, {k: gaps[k] for k in unclear})
        wrong |= multiples
        unclear -= multiples | settled
    coarse = {k for k, share in apart.items() if share > COARSE}
    return Guard(apart, frozenset(coarse), frozenset(wrong), frozenset(unclear))


def _elsewhere(ray: Ray, path: tuple, outside: Way, which: int, gaps: dict[int, Gap]) -> tuple[set[int], set[int]]:
    """Of entries with a next term of their own: those with a multiple of the right one, and those where it is clear.

    On rays along which a vector is parallel to another one, terms vanish that hide others: there an entry may leave
    out the next term after all, or have it with the wrong sign.
    """
    others = (_gaps_there(other, path, outside) for other in _other_rays(ray, which))
    there = next((found for found in others if found is not None), gaps)
    multiples = {k for k, gap in gaps.items() if k in there and _is_multiple(gap, there[k])}
    if len(multiples) < sum(bool(gap.some) for gap in gaps.values()):
        multiples = set()  # in a product some entries happen to be multiples, others are none
    along = [found for each in _along_others(ray) if (found := _gaps_there(each, path, outside)) is not None]
    multiples |= {k for found in along for k in gaps if k in found and _is_opposite(found[k])}
    if any(_is_too_much([found[k] for k in gaps if k in found]) for found in (gaps, there, *along)):
        multiples = set(gaps)
    clear = {k for k in gaps if along and all(k not in found or _is_left_out(found[k]) for found in along)}
    return multiples, clear


def _is_multiple(gap: Gap, other: Gap) -> bool:
    """Whether a term is that of the derivative times a number, the same one on both rays.

    Beyond the leading one, products of series have such terms, and so has a series in another variable; with the wrong
    sign along a straight line it is an error again.
    """
    if not (gap.order == other.order > 0 and gap.some and gap.true and other.some and other.true):
        return False
    one, two = gap.some / gap.true, other.some / other.true
    if not (gap.leading or (gap.straight and one < 0)):
        return False
    return abs(one - two) * SAME_RATIO.denominator <= abs(one) * SAME_RATIO.numerator


def _is_too_much(gaps: list[Gap]) -> bool:
    """Whether what leading terms are wrong by is more than they are: it had been better to leave them out."""
    leading = [gap for gap in gaps if gap.leading and gap.some and gap.order]
    return sum(abs(g.some - g.true) ** 2 for g in leading) > MUCH * sum(abs(g.true) ** 2 for g in leading)


def _is_opposite(gap: Gap) -> bool:
    return gap.order > 0 and gap.leading and bool(gap.some) and bool(gap.true) and gap.some * gap.true < 0


def _is_left_out(gap: Gap) -> bool:
    return not (gap.some or gap.more or gap.nearby)


def _gaps_there(ray: Ray, path: tuple, outside: Way) -> dict[int, Gap] | None:
    threshold = ray.threshold(path)
    try:
        return None if threshold is None else _gaps(ray, threshold, ray.way(threshold), outside)[0]
    except NO_VALUE:
        return None


def _other_rays(ray: Ray, which: int) -> Iterator[Ray]:
    """From the same kind of removable point to a point as near, with all other numbers drawn anew."""
    for number in OTHERS:
        far = ray.problem.draw(number)
        centres = list(_centres(ray.problem, far))
        if which < len(centres):
            found = replace(ray, centre=centres[which], end=far)
            try:
                yield replace(found, end=found.at(ray.distance(Fraction(1)) / found.distance(Fraction(1))))
            except NO_VALUE:
                continue


def _along_others(ray: Ray) -> Iterator[Ray]:
    """Rays on which a vector is parallel to another one."""
    for name, values in ray.end.items():
        for other, direction in ray.end.items():
            square = sum(x * x for x in direction)
            if values == ray.centre[name] or other == name or not 1 < len(values) == len(direction) or not square:
                continue
            if {ray.problem.question.variables[each].kind for each in (name, other)} == {"vector"}:
                size = Fraction(float(sum(x * x for x in values) / square) ** 0.5).limit_denominator(10**40)
                yield replace(ray, end={**ray.end, name: [size * x for x in direction]})


def _centres(problem: Problem, point: Point) -> Iterator[Point]:
    """Special points, of which one or a few variables are near; positive ones are near zero without reaching it."""
    places = special_places(problem, point)
    for name, variable in problem.question.variables.items():
        if variable.positive and variable.kind != "inertia":
            places.append({**point, name: [Fraction(0)] * variable.size})
        if variable.kind in ("vector", "matrix") and 1 < variable.size <= MOST_NUMBERS and not variable.positive:
            values = point[name]
            places += [{**point, name: [*values[:k], Fraction(0), *values[k + 1 :]]} for k in range(variable.size)]
            several = sorted(map(abs, values))[1:-1]
            places += [{**point, name: [x if abs(x) > few else Fraction(0) for x in values]} for few in several]
    yield from (place for place in places if place != point)


@dataclass(frozen=True)
class Ray:
    """Points from a removable one, at 0, through another one, at 1."""

    problem: Problem
    centre: Point
    end: Point

    @property
    def is_straight(self) -> bool:
        variables = self.problem.question.variables
        moving = [name for name in self.end if self.end[name] != self.centre[name]]
        return all(variables[name].kind not in CURVED for name in moving)

    def at(self, t: Fraction) -> Point:
        return between(self.centre, self.end, t, self.problem.question.variables, grain=None)

    def distance(self, t: Fraction) -> Fraction:
        there = self.at(t)
        return max(abs(a - b) for name in there for a, b in zip(there[name], self.centre[name], strict=True))

    def way(self, t: Fraction) -> Way:
        self.problem.budget.spend(0)  # before a way that may be long
        try:
            way = way_at(self.problem, self.at(t), ASKED)
        except Endless:
            self.problem.budget.left = -1
            raise
        self.problem.budget.spend(len(way.path))
        return way

    def threshold(self, path: tuple) -> Fraction | None:
        """A place close to the end of the region of a way, inside; None where it is no region around the centre.

        Where function and claim have thresholds of their own, it may be the shell in which only one has its guard.
        """
        try:
            inmost, here = self.way(INWARDS), self.way(Fraction(1))
            if here.path != path or (inmost.function != here.function and inmost.claim != here.claim):
                return None
            last = Fraction(1)
            while self.way(last * OUTWARDS).path == path:
                last *= OUTWARDS
                if self.distance(last) > FAR or last > FARTHEST:
                    return None
            factor = Fraction(OUTWARDS)
            for _ in range(ENDS):
                factor = Fraction(float(factor) ** 0.5).limit_denominator(1000)
                last = last * factor if self.way(last * factor).path == path else last
        except NO_VALUE:
            return None
        return last

    def ways(self, threshold: Fraction, path: tuple) -> list[Way]:
        """Those outside of the region, the nearest first."""
        found: list[Way] = []
        t = threshold
        while (not found or self.distance(t) <= FAR) and t < FARTHEST:
            t *= OUTWARDS
            try:
                way = self.way(t)
            except NO_VALUE:
                break
            if way.path != path and way not in found:
                found.append(way)
        return found


def _has_value(ray: Ray, way: Way) -> bool:
    try:
        return all(abs(x) < 10**DIGITS for x in (*_claim(ray, Fraction(0), way), *_truth(ray, Fraction(0), way)))
    except NO_VALUE:
        return False


def _claim(ray: Ray, t: Fraction, way: Way) -> list:
    ray.problem.budget.spend(len(way.path))
    return ray.problem.claim(ray.at(t), GuidedWorld(way.claim, DIGITS))


def _truth(ray: Ray, t: Fraction, way: Way) -> list:
    ray.problem.budget.spend(len(way.path))
    return ray.problem.truth(ray.at(t), GuidedWorld(way.function, DIGITS))


def _value(ray: Ray, t: Fraction, way: Way) -> list:
    world = GuidedWorld(way.function, DIGITS)
    return ray.problem.function.evaluate(in_world(ray.at(t), world), world).entries


def _is_near(ray: Ray, t: Fraction, inside: Way, outside: Way) -> bool:
    """Whether the function's formula inside stands for that outside, as one of a guard does."""
    pairs = list(zip(_value(ray, t, inside), _value(ray, t, outside), strict=True))
    size = max(max(abs(a), abs(b)) for a, b in pairs)
    return all(abs(a - b) * COARSE.denominator <= size * COARSE.numerator for a, b in pairs)


def _share(part, size) -> float:
    """Of an entry that is zero everywhere nothing may be left out."""
    return float(part / size) if size else float("inf") if part else 0.0


# --- series along a ray -------------------------------------------------------------------------------------------
def _series(ray: Ray, step: Fraction, formula, way: Way) -> list[list]:
    """Term by term, the numbers c of c (t/step)^m of every entry."""
    values = [formula(ray, step * (k + 1), way) for k in range(TERMS)]
    world: World = RealWorld(DIGITS)
    weights = [[world.constant(w) for w in row] for row in _terms_of_polynomials()]
    return [
        [sum(w * v for w, v in zip(row, entry, strict=True)) for entry in zip(*values, strict=True)] for row in weights
    ]


def _terms_of_polynomials() -> list[list[Fraction]]:
    """Term m of the polynomial through 1 at k and 0 at the others of 1, 2, 3 ...: row m, column k."""
    columns = []
    for k in range(1, TERMS + 1):
        polynomial = [Fraction(1)]
        for other in range(1, TERMS + 1):
            if other != k:
                longer = [Fraction(0), *polynomial], [*polynomial, Fraction(0)]
                polynomial = [(a - other * b) / (k - other) for a, b in zip(*longer, strict=True)]
        columns.append(polynomial)
    return [list(row) for row in zip(*columns, strict=True)]


def _gaps(ray: Ray, threshold: Fraction, inside: Way, outside: Way) -> tuple[dict[int, Gap], dict[int, Gap]]:
    """The first terms in which a claim differs from the derivative, and the function inside from that outside."""
    step = threshold * min(1, SHORT / ray.distance(threshold)) / TERMS
    unit = ray.distance(step)
    claim, truth = (_series(ray, step, formula, way) for formula, way in ((_claim, inside), (_truth, outside)))
    inner, outer = (_series(ray, step, _value, way) for way in (inside, outside))
    ends = _truth(ray, threshold, outside), _value(ray, threshold, outside)
    of_claim = _first_gaps(claim, truth, unit, ends[0], ray.is_straight)
    return of_claim, _first_gaps(inner, outer, unit, ends[1], ray.is_straight)


def _first_gaps(
    inside: list[list], outside: list[list], unit: Fraction, at_end: list, straight: bool
) -> dict[int, Gap]:
    """Entry -> its gap, as far as terms are seen.

    unit: the length that the series count in. at_end: what is outside, at the end of the region.
    """
    floor = max(abs(x) for row in (*inside, *outside) for x in row) * FLOOR.numerator / FLOOR.denominator
    found = {}
    for k, (some, true) in enumerate(zip(zip(*inside, strict=True), zip(*outside, strict=True), strict=True)):
        zero = max(floor, _unseen(some, unit), _unseen(true, unit))
        some, true = ([x if abs(x) > zero else 0 for x in terms] for terms in (some, true))
        apart = [abs(a - b) > zero for a, b in zip(some, true, strict=True)]
        if any(apart):
            order = apart.index(True)
            more = not some[order] and any(some[order + 1 :])
            nearby = order == 0 and _is_nearby(some[0], true[0], at_end[k])
            found[k] = Gap(order, some[order], true[order], not any(true[1:order]), straight, more, nearby)
    return found


def _is_nearby(limit, right, at_end) -> bool:
    """Whether a limit is off by no more than values of the region are, and that is little, or the right one is zero."""
    gap = abs(limit - right)
    little = gap * COARSE.denominator <= abs(right) * COARSE.numerator
    return gap <= NEARBY * abs(at_end - right) and (not right or little)


def _unseen(terms: Sequence, unit: Fraction):
    """What the terms beyond the last one make of each, if they are like those that are there."""
    sizes = (abs(x) * unit.numerator ** (n := TERMS - 1 - j) / unit.denominator**n for j, x in enumerate(terms))
    return UNSEEN * max(sizes)
