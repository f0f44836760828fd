"""Points at which numbers that a condition compares are equal, and all else is as random as anywhere.

What a special case says is seen there: at a place that is special by itself, as where all is zero, a wrong entry may
be right by chance. The points are found by Newton's method from random ones, with conditions made to go the way of a
point that is known, so that those behind other conditions are seen from everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from random import Random

from symvi.verify.errors import OutsideDomain, VerificationError
from symvi.verify.lines import CURVED, between, coordinates, is_allowed, placed
from symvi.verify.looking import NO_VALUE, Looking, Seen
from symvi.verify.points import Point
from symvi.verify.problem import Problem
from symvi.verify.sites import OF_AN_ARRAY, by_turns
from symvi.verify.thresholds import is_still, one_sided
from symvi.verify.worlds import Irrational, RationalWorld, RealWorld, World

ROUNDS, STARTS = 4, 6  # of equalities behind equalities; random points that lead to one
POINTS, MORE = 3, 2  # of every equality; times as many conditions as others of these stages may ask
DIGITS, EQUAL = 90, Fraction(1, 10**72)  # of gaps, and what is left of one that is zero
ITERATIONS, PATIENCE = 12, 4  # of Newton's method, in all, and until gaps must have become less
STEP = Fraction(1, 2**100)  # of its slopes
LONG, GRAIN = 1200, 2**400  # binary digits of a number, above which it is rounded to a grain
SHORT, NEAR = 2**100, Fraction(1, 10**68)  # the denominator of an exact solution, and how near one comes to it
FAR = 10**9  # coordinates of points that are no longer followed
NEARER = Fraction(1, 16)  # of the way to a random point, from start to start near a known one
BEYOND = Fraction(1, 1000)  # of a gap: how far behind a threshold
MOST_PAIRED, MOST_AT_ONCE = 6, 12  # equalities that are tried two by two, and all together
WAYS = 2  # through the conditions before them, on which the same equalities are looked for
MIXED = 0.4  # how often coordinates of vectors are not preferred
DECIMALS = 6  # of the shares in a direction
SMALL = 1e-12  # of a column's size: what is left of one that says nothing new


class _Enough(OutsideDomain):
    """All conditions that matter were asked."""


class _OnTheWay(World):
    """A world in which the first conditions go a given way, and no more than those are asked."""

    way: tuple = ()

    def decide(self, outcome: bool, site: object) -> bool:
        super().decide(outcome, site)
        number = len(self._gaps)
        if number > len(self.way) or self.way[number - 1][0] != site:
            raise _Enough
        return self.way[number - 1][1]


class _RationalOnTheWay(_OnTheWay, RationalWorld):
    pass


class _RealOnTheWay(_OnTheWay, RealWorld):
    pass


@dataclass(frozen=True)
class Target:
    """A way through the first conditions, and by how much the two numbers of some of them are to differ: most by 0."""

    way: tuple
    gaps: tuple[tuple[int, Fraction], ...]

    @cached_property
    def key(self) -> frozenset:
        turns = by_turns(self.way)
        return frozenset((turns[k], gap != 0) for k, gap in self.gaps)


def on_equalities(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """Points of every equality that was met, or that nothing has met, and of several at once."""
    found, solver = list(seen), Solver(problem, looking)
    looking.left *= MORE
    yield from _from_anywhere(solver, found)
    yield from _from_nearby(solver, found)


def _from_anywhere(solver: Solver, found: list[Seen]) -> Iterator[Seen]:
    tried: Counter = Counter()
    done: set[Target] = set()
    for _ in range(ROUNDS):
        todo = [target for target in _targets(found) if target not in done and tried[target.key] < WAYS]
        if not todo:
            return
        for target in todo:
            if target in done or tried[target.key] >= WAYS:
                continue
            done.add(target)
            points = list(solver.points(target))
            tried[target.key] += WAYS if points else 1
            found += points
            yield from points


def _from_nearby(solver: Solver, found: list[Seen]) -> Iterator[Seen]:
    """Of ways that only special points have gone: an equality with conditions behind it that random points fail."""
    conditions, generic = _Conditions(found), {one.path for one in found if one.generic}
    ways: dict[tuple, Seen] = {}
    for one in found:
        if one.path not in generic and conditions.equal(one):
            ways[one.path] = one
    for path, one in ways.items():
        yield from solver.points(Target(path, tuple((k, Fraction(0)) for k in conditions.equal(one))), one.point)


# --- which equalities ---------------------------------------------------------------------------------------------
def _targets(seen: Sequence[Seen]) -> list[Target]:
    """The equalities of every way: single ones first, then those of a way or an array together, then two by two."""
    conditions = _Conditions(seen)
    ways: dict[tuple, Seen] = {}
    for one in seen:
        ways.setdefault((one.path, tuple(conditions.equal(one))), one)
    found: dict[Target, int] = {}  # and how long it may wait
    for (path, equal), one in ways.items():
        for rank, several in enumerate((((k,) for k in equal), conditions.together(one), _pairs(equal))):
            for chosen in several:
                found.setdefault(_target(path, {k: Fraction(0) for k in chosen}), rank)
    for at, gap in conditions.open.items():
        one = conditions.asking(at)
        number = one.turns.index(at)
        before = {k: Fraction(0) for k in conditions.equal(one) if k < number}
        found.setdefault(_target(one.path, {**before, number: Fraction(0)}), len(before))
        if gap and before:
            found.setdefault(_target(one.path, {**before, number: gap}), len(before))
    return sorted(found, key=lambda target: found[target])


def _target(path: tuple, gaps: dict[int, Fraction]) -> Target:
    return Target(path[: max(gaps) + 1], tuple(sorted(gaps.items())))


def _pairs(equal: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return combinations(equal, 2) if len(equal) <= MOST_PAIRED else iter(())


class _Conditions:
    """What is known of conditions: which say something else where their two numbers are equal, which went one way."""

    def __init__(self, seen: Sequence[Seen]):
        self.seen = seen
        apart: dict[tuple, set[bool]] = {}
        tied: dict[tuple, set[bool]] = {}
        gaps: dict[tuple, list] = {}
        for one in seen:
            for at, (way, gap) in one.asked.items():
                if gap is not None:
                    gaps.setdefault(at, []).append(gap)
                    (apart if gap else tied).setdefault(at, set()).add(way)
        still = {at for at, found in gaps.items() if at in apart and is_still(found)}
        self.equalities = {at for at, ways in tied.items() if at not in still and ways - apart.get(at, set())}
        self.tied = set(tied) - still
        self.inner = {one.path for one in seen if not self._tied(one)}
        self.open = {}
        for at in one_sided(seen):
            if at not in tied and at in gaps:
                self.open[at] = self._beyond(gaps[at])

    def _beyond(self, gaps: Sequence) -> Fraction:
        """A gap of the other sign; zero where there is none, or where both signs went the same way."""
        if min(gaps) < 0 < max(gaps):
            return Fraction(0)
        nearest = min(gaps, key=abs)
        return -BEYOND * Fraction(str(nearest)).limit_denominator(10**40)

    def _tied(self, one: Seen) -> list[int]:
        return [k for k, at in enumerate(one.turns) if at in self.tied and one.gaps[k] == 0]

    def equal(self, one: Seen) -> list[int]:
        """The conditions of a point, by number, that go their way because two numbers are equal."""
        tied = self._tied(one)
        return [k for k in tied if one.turns[k] in self.equalities] or ([] if one.path in self.inner else tied)

    def together(self, one: Seen) -> Iterator[tuple[int, ...]]:
        """All equalities of a point; all numbers of an array, where some of them are compared for equality."""
        if 0 < len(equal := self.equal(one)) <= MOST_AT_ONCE:
            yield tuple(equal)
        members: dict[object, list[int]] = {}
        for k, (site, _) in enumerate(one.path):
            if str(site).endswith(OF_AN_ARRAY) and one.gaps[k] is not None:
                members.setdefault(site, []).append(k)
        for found in members.values():
            if 1 < len(found) <= MOST_AT_ONCE and any(one.turns[k] in self.equalities for k in found):
                yield tuple(found)

    def asking(self, at: tuple) -> Seen:
        """The point that asks a condition with the fewest equalities before it."""
        having = [one for one in self.seen if at in one.asked]
        return min(having, key=lambda one: len(self._tied(one)))


# --- Newton's method ----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Number:
    """A coordinate of a point: of which variable, and where it stands there; of a symmetric matrix at two places."""

    name: str
    places: tuple[int, ...]
    curved: bool


@dataclass(frozen=True)
class Direction:
    """Coordinates that move together, each by its share."""

    shares: tuple[tuple[Number, Fraction], ...]

    def moved(self, numbers: Point, change: Fraction) -> Point:
        found = {name: list(values) for name, values in numbers.items()}
        for number, share in self.shares:
            for k in number.places:
                found[number.name][k] += share * change
        return found


class Solver:
    """Finds points of targets. Gaps are rational numbers where they can be, else of many digits."""

    def __init__(self, problem: Problem, looking: Looking):
        self.problem, self.looking = problem, looking
        self.sharp = Looking(problem, RealWorld(), looking.left)
        self.variables = problem.question.variables
        self.numbers = [number for name in self.variables for number in _numbers(self.variables, name)]
        self.worlds = [_RationalOnTheWay(), _RealOnTheWay(DIGITS)]

    def points(self, target: Target, known: Point | None = None) -> Iterator[Seen]:
        """Points of a target, verified in as many digits as claims are compared in; near a known one if there is one.

        Those have to go its way.
        """
        random, count = Random(f"{self.problem.seed} {len(target.way)} {[k for k, _ in target.gaps]}"), 0
        slopes, alone = None, True
        for start in range(STARTS):
            try:
                numbers = coordinates(self._start(start, known), self.variables)
                if slopes is None or not alone:
                    slopes = self._all_slopes(target, numbers)
            except OutsideDomain:
                continue
            along = self._directions(slopes, len(target.gaps), random, alone) if slopes else []
            found = self._solved(target, numbers, along) if along else None
            one = None if found is None else self._seen(found)
            one = one if known is None or one is None or one.path == target.way else None
            alone = one is not None or not alone
            if one is not None:
                yield replace(one, generic=True)
                count += 1
            if count == POINTS or (start >= POINTS and not count):
                return

    def _start(self, start: int, known: Point | None) -> Point:
        there = self.problem.draw(start)
        return there if known is None else between(known, there, NEARER**start / 4, self.variables)

    def _directions(self, slopes: list[list], count: int, random: Random, alone: bool) -> list[Direction]:
        """As many directions as there are equalities: single coordinates, or all together by their slopes.

        Single ones leave the others as random as they are, but may lead nowhere: a length of 1 is not reached by one.
        """
        chosen = _independent(slopes, self._order(random), count)
        if chosen is None or alone:
            return [Direction(((self.numbers[k], Fraction(1)),)) for k in chosen or ()]
        found = []
        for row in range(count):
            size = max(abs(column[row]) for column in slopes)
            shares = [round(float(column[row] / size), DECIMALS) for column in slopes]
            found.append(Direction(tuple((n, Fraction(x)) for n, x in zip(self.numbers, shares, strict=True) if x)))
        return found

    def _order(self, random: Random) -> list[int]:
        """Coordinates in a random order, mostly those of vectors before others, which keeps solutions exact."""
        order = random.sample(range(len(self.numbers)), len(self.numbers))
        return order if random.random() < MIXED else sorted(order, key=lambda k: self.numbers[k].curved)

    def _seen(self, numbers: Point) -> Seen | None:
        try:
            point = placed({name: list(map(_simple, values)) for name, values in numbers.items()}, self.variables)
        except OutsideDomain:
            return None
        if not all(is_allowed(self.variables[name], values) for name, values in point.items()):
            return None
        self.sharp.left = self.looking.left
        found = self.sharp.at(point)
        self.looking.left = self.sharp.left
        return found

    def _gaps(self, target: Target, numbers: Point) -> list[Fraction] | None:
        """By how much the gaps of a target are not what they should be; None where a condition is not asked."""
        point = placed(numbers, self.variables)
        while self.worlds:
            try:
                found = self._asked(target, point, self.worlds[0])
            except Irrational:
                self.worlds.pop(0)
                continue
            if len(found) < len(target.way) or any(found[k] is None for k, _ in target.gaps):
                return None
            return [_fraction(found[k]) - gap for k, gap in target.gaps]
        return None

    def _asked(self, target: Target, point: Point, world) -> tuple:
        self.looking.spend(len(target.way))
        world.keeps_gaps, world.way = True, target.way
        world.path()
        try:
            self.problem.values(point, world)
            self.problem.claim(point, world)
        except (*NO_VALUE, VerificationError):
            pass  # off its own way code may do anything; what was asked before that counts
        world.path()
        return world.gaps

    def _slopes(self, target: Target, numbers: Point, along: Sequence[Direction], gaps: list) -> list[list] | None:
        """Of every direction, the slopes of the target's gaps."""
        columns = []
        for direction in along:
            there = self._gaps(target, direction.moved(numbers, STEP))
            if there is None:
                return None
            columns.append([(b - a) / STEP for a, b in zip(gaps, there, strict=True)])
        return columns

    def _all_slopes(self, target: Target, numbers: Point) -> list[list] | None:
        gaps = self._gaps(target, numbers)
        every = [Direction(((number, Fraction(1)),)) for number in self.numbers]
        return None if gaps is None else self._slopes(target, numbers, every, gaps)

    def _solved(self, target: Target, numbers: Point, along: Sequence[Direction]) -> Point | None:
        """Coordinates of a target, from others along as many directions; None where Newton's method finds none."""
        sizes: list[Fraction] = []
        try:
            for _ in range(ITERATIONS):
                gaps = self._gaps(target, numbers)
                if gaps is None or all(abs(gap) <= EQUAL for gap in gaps):
                    return None if gaps is None else numbers
                sizes.append(max(map(abs, gaps)))
                columns = self._slopes(target, numbers, along, gaps)
                steps = None if columns is None else _solution(columns, gaps)
                if steps is None or (len(sizes) > PATIENCE and sizes[-1] * 2 > sizes[-3]):
                    return None
                for direction, step in zip(along, steps, strict=True):
                    numbers = direction.moved(numbers, -step)
                numbers = {name: [_short(x) for x in values] for name, values in numbers.items()}
                if any(abs(x) > FAR for values in numbers.values() for x in values):
                    return None
        except OutsideDomain:
            return None
        return None


def _numbers(variables, name: str) -> Iterator[Number]:
    variable = variables[name]
    curved = variable.kind in CURVED
    if variable.kind == "inertia" and variable.shape == (3, 3):
        yield from (Number(name, places, False) for places in ((0,), (1, 3), (2, 6), (4,), (5, 7), (8,)))
        return
    size = 3 if curved and variable.kind != "unit vector" else variable.size - curved
    yield from (Number(name, (k,), curved) for k in range(size))


def _fraction(gap) -> Fraction:
    """A gap as it is; one of many digits with all of them."""
    if isinstance(gap, Fraction | int):
        return Fraction(gap)
    sign, mantissa, exponent, _ = gap._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent


def _short(value: Fraction) -> Fraction:
    if value.denominator.bit_length() <= LONG:
        return value
    return Fraction(round(value * GRAIN), GRAIN)


def _simple(value: Fraction) -> Fraction:
    """The short number that a long one stands for: where the solution is one, Newton's method comes as near as this."""
    near = value.limit_denominator(SHORT)
    return near if abs(near - value) <= NEAR else value


def _independent(columns: list[list], order: Sequence[int], count: int) -> list[int] | None:
    """As many columns as there are rows, in an order, each of which says something new; None where there are not."""
    chosen: list[int] = []
    reduced: list[list[float]] = []
    for k in order:
        column = [float(x) for x in columns[k]]
        size = max(map(abs, column))
        for other in reduced:
            pivot = max(range(count), key=lambda i, c=other: abs(c[i]))
            factor = column[pivot] / other[pivot]
            column = [x - factor * y for x, y in zip(column, other, strict=True)]
            column[pivot] = 0.0
        if size and max(map(abs, column)) > SMALL * size:
            chosen.append(k)
            reduced.append(column)
        if len(chosen) == count:
            return chosen
    return None


def _solution(columns: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """By elimination with the largest pivots; None where there is none."""
    size = len(right)
    rows = [[columns[k][i] for k in range(size)] + [right[i]] for i in range(size)]
    for k in range(size):
        pivot = max(range(k, size), key=lambda i: abs(rows[i][k]))
        if not rows[pivot][k]:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(size):
            if i != k and rows[i][k]:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [rows[k][size] / rows[k][k] for k in range(size)]
