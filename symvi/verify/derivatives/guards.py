"""Guards around removable points: what the limit or the first terms of a series leave out, and what they may.

Near such a point both formulas are evaluated at the same places: conditions are made to go the way inside the region
or the way outside of it, wherever the place is. A guard is right if its formula and the derivative of the outer one
have the same first terms, if it has not the next one instead of leaving it out, and if that is little at the threshold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from symvi.verify.derivatives.aiming import special_places
from symvi.verify.derivatives.errors import OutsideDomain
from symvi.verify.derivatives.lines import between
from symvi.verify.derivatives.points import Point
from symvi.verify.derivatives.problem import ANOTHER_POINT, Problem, in_world
from symvi.verify.derivatives.worlds import RealWorld, World

COARSE = Fraction(1, 1000)  # of the derivative's size: what a guard leaves out at its threshold is less
DIGITS, ASKED = 400, 30  # of series, of which most digits are lost in differences; of conditions
TERMS = 6  # of a series that are looked at
SHORT = Fraction(1, 10**4)  # how far from the removable point series are looked at
UNSEEN = 10**4  # times what the terms beyond the last one are: what is less is zero
LEFT_OUT = 2  # times the square of the derivative's own linear term: one of the wrong sign is off by four times that
THERE = 1e-6  # times that square: less is rounding
ALIKE = 0.99  # the square of a cosine, of entries that are the same but for a factor
OUTWARDS, ENDS = 4, 5  # factor of steps that lead out of a region, and halvings of the last one
INWARDS = Fraction(1, 2**20)
FAR, FARTHEST = 2, 10**20  # from the removable point, and times as far as the point in its region
ORDINARY = (0, 1, 2, 3, 6, 8)  # points of which the derivative's size is taken
MOST_NUMBERS = 9  # of a variable that are zero one by one
NO_VALUE = (*ANOTHER_POINT, ZeroDivisionError, OverflowError)


@dataclass(frozen=True)
class Guard:
    """What a claim leaves out at the threshold of its small region: entry -> how much of the derivative's size.

    coarse: whether that is too much. wrong: whether the terms that it has are not those of the derivative.
    """

    apart: dict[int, float]
    coarse: bool = False
    wrong: bool = False


@dataclass(frozen=True)
class Way:
    """How the conditions of function and claim go."""

    function: tuple
    claim: tuple

    @property
    def path(self) -> tuple:
        return self.function + self.claim


class GuidedWorld(RealWorld):
    """Real numbers for which conditions go a given way."""

    def __init__(self, ways: tuple):
        super().__init__(DIGITS)
        self.ways, self.asked = ways, 0

    def decide(self, outcome: bool, site: object) -> bool:
        where, way = self.ways[self.asked % len(self.ways)] if self.ways else (None, False)
        if where != site:
            raise OutsideDomain("a condition that is not asked on this way")
        self.asked += 1
        return way


def guard(problem: Problem, point: Point, path: tuple) -> Guard | None:
    """What is known of a claim at a point of a small region around a removable point; None where there is none."""
    if not path:
        return None
    found = None
    for centre in _centres(problem, point):
        ray = Ray(problem, centre, point)
        if (threshold := ray.threshold(path)) is None:
            continue
        for outside in ray.ways(threshold, path):
            found = _judged(ray, threshold, ray.way(threshold), outside) or found
            if found and not (found.wrong or found.coarse):
                return replace(found, wrong=any(_wrong(other, path, outside) for other in _along_others(ray)))
    return found


def _along_others(ray: Ray) -> Iterator[Ray]:
    """Rays on which a vector is parallel to another one: there a term of the wrong sign hides behind no other."""
    for name, values in ray.end.items():
        for other, direction in ray.end.items():
            square = sum(x * x for x in direction)
            if values == ray.centre[name] or other == name or not 1 < len(values) == len(direction) or not square:
                continue
            if {ray.problem.question.variables[each].kind for each in (name, other)} == {"vector"}:
                size = Fraction(float(sum(x * x for x in values) / square) ** 0.5).limit_denominator(10**40)
                yield replace(ray, end={**ray.end, name: [size * x for x in direction]})


def _wrong(ray: Ray, path: tuple, outside: Way) -> bool:
    threshold = ray.threshold(path)
    found = None if threshold is None else _judged(ray, threshold, ray.way(threshold), outside)
    return found is not None and found.wrong


def _centres(problem: Problem, point: Point) -> Iterator[Point]:
    """Special points, of which one or a few variables are near."""
    places = special_places(problem, point)
    for name, variable in problem.question.variables.items():
        if variable.kind in ("vector", "matrix") and 1 < variable.size <= MOST_NUMBERS and not variable.positive:
            values = point[name]
            places += [{**point, name: [*values[:k], Fraction(0), *values[k + 1 :]]} for k in range(variable.size)]
    yield from (place for place in places if place != point)


@dataclass(frozen=True)
class Ray:
    """Points from a removable one, at 0, through another one, at 1."""

    problem: Problem
    centre: Point
    end: Point

    def at(self, t: Fraction) -> Point:
        return between(self.centre, self.end, t, self.problem.question.variables, grain=None)

    def distance(self, t: Fraction) -> Fraction:
        there = self.at(t)
        return max(abs(a - b) for name in there for a, b in zip(there[name], self.centre[name], strict=True))

    def way(self, t: Fraction) -> Way:
        world, point = RealWorld(ASKED), self.at(t)
        self.problem.values(point, world)
        of_function = world.path()
        self.problem.claim(point, world)
        return Way(of_function, world.path())

    def threshold(self, path: tuple) -> Fraction | None:
        """A place close to the end of the region of a way, inside; None where it is no region around the centre."""
        try:
            if self.way(INWARDS).path != path:
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


def _judged(ray: Ray, threshold: Fraction, inside: Way, outside: Way) -> Guard | None:
    """None where the way outside has a value at the centre, so that nothing had to be guarded, or none nearby."""
    if _has_value(ray, outside):
        return None
    distance = ray.distance(threshold)
    step = threshold * min(1, SHORT / distance) / TERMS
    unseen = UNSEEN * ray.distance(step) ** (TERMS - 1)
    try:
        claim, truth = (_series(ray, step, formula, way) for formula, way in ((_claim, inside), (_truth, outside)))
        at_end = [formula(ray, threshold, way) for formula, way in ((_claim, inside), (_truth, outside))]
        inner, outer = (_series(ray, step, _value, way) for way in (inside, outside))
        size = max(_size(ray.problem), *(abs(x) for x in at_end[1]))
    except NO_VALUE:
        return None
    if not size:
        return None  # a derivative that is zero has no share that may be left out
    apart = {k: abs(c - t) / size for k, (c, t) in enumerate(zip(*at_end, strict=True))}
    return Guard(
        {k: float(share) for k, share in apart.items()},
        coarse=max(apart.values()) > RealWorld().constant(COARSE),
        wrong=not (_truncated(claim, truth, unseen) and _truncated(inner, outer, unseen)),
    )


def _has_value(ray: Ray, way: Way) -> bool:
    try:
        return all(abs(x) < 10**DIGITS for x in (*_claim(ray, Fraction(0), way), *_truth(ray, Fraction(0), way)))
    except NO_VALUE:
        return False


def _claim(ray: Ray, t: Fraction, way: Way) -> list:
    return ray.problem.claim(ray.at(t), GuidedWorld(way.claim))


def _truth(ray: Ray, t: Fraction, way: Way) -> list:
    return ray.problem.truth(ray.at(t), GuidedWorld(way.function))


def _value(ray: Ray, t: Fraction, way: Way) -> list:
    world = GuidedWorld(way.function)
    return ray.problem.function.evaluate(in_world(ray.at(t), world), world).entries


def _size(problem: Problem):
    """Of the derivative at ordinary points."""
    found = []
    for number in ORDINARY:
        try:
            found += map(abs, problem.truth(problem.draw(number), RealWorld()))
        except NO_VALUE:
            continue
    return max(found, default=0)


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


def _truncated(inside: list[list], outside: list[list], unseen: Fraction) -> bool:
    """Whether one series is another one without its later terms, as far as terms are seen."""
    zero = max(abs(x) for row in (*inside, *outside) for x in row)
    zero = zero * unseen.numerator / unseen.denominator
    for order, (some, true) in enumerate(zip(inside, outside, strict=True)):
        gaps = [a - b for a, b in zip(some, true, strict=True)]
        if max(map(abs, gaps)) > zero:
            return (
                order > 0 and not _opposite(some, true) and (order > 1 or _squares(gaps) <= LEFT_OUT * _squares(true))
            )
    return True


def _squares(entries: list):
    return sum(x * x for x in entries)


def _opposite(some: list, true: list) -> bool:
    """Whether a term is there and has the wrong sign."""
    product = sum(a * b for a, b in zip(some, true, strict=True))
    there = _squares(some) > THERE * _squares(true)
    return there and product < 0 and product * product > ALIKE * _squares(some) * _squares(true)
