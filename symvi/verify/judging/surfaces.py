"""Points on the surfaces and in the thin layers of conditions, solved for from random points of ordinary size.

What a special case says is seen where all else is as random as anywhere: at a place that is special by itself, as
where all is zero, a wrong entry may be right by chance, or too small to matter. A way that random points do not go is
known by some point. From others, Newton's method makes the gaps of as many conditions what they are there as have to
be; the conditions before each are made to go the known way meanwhile, so that those behind others are seen from
everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from random import Random

from symvi.verify.asking.lines import CURVED, coordinates, is_allowed, placed
from symvi.verify.asking.points import Point
from symvi.verify.asking.variables import Variable
from symvi.verify.errors import OutsideDomain, VerificationError
from symvi.verify.judging.looking import Looking, Seen, fraction, gap_of, one_sided
from symvi.verify.judging.problem import NO_VALUE, Problem
from symvi.verify.reading.sites import OF_AN_ARRAY
from symvi.verify.reading.worlds import Enough, RealWorld

ROUNDS = 6  # of conditions behind conditions
BESIDE = (10**12, 10**20, 10**15, 10**30, 10**6)  # what a gap is divided by beyond a surface, until a point is there
# random points that lead to a surface, those of a condition that ask it; points of each that are enough
STARTS, ASKED, POINTS = 4, 4, 2
DIVERTED = 3  # places that say that code turns away from an equality
MOST = 6  # conditions at once
MOST_PAIRED, MOST_TOGETHER = 8, 5  # conditions that are tried two by two, and in all of their ways
DIGITS, EQUAL = 90, Fraction(1, 10**72)  # of gaps, and what is left of one that is as it should be
STEPS, PATIENCE = 64, 6  # of Newton's method, in all, and until gaps must have become less
GROWN = 1000  # times as much as at first: what is sought is not there
STEP = Fraction(1, 2**100)  # of its slopes
SHARES = (Fraction(1), Fraction(1, 2), Fraction(1, 8))  # of a step: a whole one may leave the manifold, or the way
LONG, GRAIN = 1200, 2**400  # binary digits of a number, above which it is rounded to a grain
SHORT, NEAR = 2**100, Fraction(1, 10**68)  # the denominator of an exact solution, and how near one comes to it
FAR = 10**9  # coordinates that are no longer followed
SMALL = 1e-12  # of a column's size: what is left of one that says nothing new


class _OnTheWay(RealWorld):
    """A world in which the first conditions go a given way, and no more than those are asked."""

    way: tuple = ()

    def decide(self, outcome: bool, site: object) -> bool:
        super().decide(outcome, site)
        number = len(self._gaps)
        if number > len(self.way) or self.way[number - 1][0] != site:
            raise Enough("all conditions that matter were asked")
        return self.way[number - 1][1]


@dataclass(frozen=True)
class _Number:
    """A coordinate of a point: of which variable, and where it stands there; of a symmetric matrix at two places."""

    name: str
    places: tuple[int, ...]

    def moved(self, numbers: Point, change: Fraction) -> Point:
        values = list(numbers[self.name])
        for k in self.places:
            values[k] += change
        return {**numbers, self.name: values}


@dataclass(frozen=True)
class _Target:
    """The ways that the first conditions are to go, and a gap of each that goes there.

    leaves: whether one starts where the last gap is zero, which may count as either way.
    """

    way: tuple
    gaps: tuple
    leaves: bool = False


def combined(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """All numbers of an array on one side, and conditions together in ways that they were not seen in."""
    solver = _Solver(problem, looking)
    for targets in (*_arrays(seen), *_together(seen)):
        yield from solver.first_of(targets)


def beyond(problem: Problem, seen: Sequence[Seen], looking: Looking) -> Iterator[Seen]:
    """Of every condition that went one way only: points where its two numbers are equal, and on the other side.

    What is asked only there is new, and is asked about next.
    """
    found, solver, tried = list(seen), _Solver(problem, looking), set()
    for _ in range(ROUNDS):
        for at in [at for at in one_sided(found) if at not in tried]:
            tried.add(at)
            for one in _beyond(solver, found, at):
                found.append(one)
                yield one


def _beyond(solver: _Solver, seen: Sequence[Seen], at: tuple) -> Iterator[Seen]:
    """Points on a condition's surface, and a little beyond it.

    From points that ask it: where code goes another way before it on all of the surface, its numbers are never equal.
    """
    having = [one for one in seen if gap_of(one, at) is not None]
    if not having:
        return
    one = min(having, key=lambda one: (len(one.stuck), sum(gap == 0 for gap in one.gaps)))
    number = one.turns.index(at)
    site, way = one.path[number]

    def target(gap: Fraction) -> _Target:
        return _Target((*one.path[:number], (site, not way)), (*one.gaps[:number], gap), leaves=bool(gap))

    starts = [one.point for one in having if not one.stuck][:ASKED] or None
    solver.met, solver.diverted = [], 0
    yield from solver.points(target(Fraction(0)), starts)
    if solver.met:
        gap = fraction(one.gaps[number]) or Fraction(0)
        yield from solver.first_of((target(-gap / share) for share in BESIDE), solver.met)
    elif solver.diverted >= DIVERTED:
        solver.looking.never_equal.add(at)


def everywhere(problem: Problem, seen: Iterable[Seen], usual: set[tuple], looking: Looking) -> Iterator[Seen]:
    """Points of every way that is not among the usual ones, with all as random as may be."""
    found, solver = list(seen), _Solver(problem, looking)
    ways: dict[tuple, Seen] = {}
    for one in found:
        if one.path not in usual and (one.path not in ways or len(one.stuck) < len(ways[one.path].stuck)):
            ways[one.path] = one
    for path, one in ways.items():
        if not one.solved:
            yield from solver.points(_Target(path, one.gaps))
            yield from solver.first_of(_behind(found, one))


def _arrays(seen: Sequence[Seen]) -> Iterator[list[_Target]]:
    """All numbers of an array on one side, where they never were: they are equal there, or differ by little."""
    alike = set().union(*(one.alike for one in seen))
    sites = dict.fromkeys(site for one in seen for site, _ in one.path if str(site).endswith(OF_AN_ARRAY))
    for site, way in product(sites, (True, False)):
        one = next(one for one in seen if any(at == site for at, _ in one.path))
        if (site, way) in alike or None in one.gaps:
            continue
        count = max(number for number, (at, _) in enumerate(one.path) if at == site) + 1
        yield _turned(one, tuple((at, way if at == site else went) for at, went in one.path[:count]))


def _together(seen: Sequence[Seen]) -> Iterator[list[_Target]]:
    """Few conditions in all of their ways together, more of them two by two, where they were not seen so."""
    ordinary = [one for one in seen if not one.stuck and None not in one.gaps]
    one = max(ordinary, key=lambda each: len(each.path), default=None)
    if one is None or not 1 < len(one.path) <= MOST_PAIRED:
        return
    sites, size = [site for site, _ in one.path], len(one.path)
    alike = [each.path for each in seen if [site for site, _ in each.path] == sites]
    for chosen in combinations(range(size), size if size <= MOST_TOGETHER else 2):
        known = {tuple(path[k][1] for k in chosen) for path in alike}
        for ways in product((True, False), repeat=len(chosen)):
            if ways not in known:
                wanted = dict(zip(chosen, ways, strict=True))
                yield _turned(one, tuple((site, wanted.get(k, way)) for k, (site, way) in enumerate(one.path)))


def _turned(one: Seen, path: tuple) -> list[_Target]:
    """A point's way with some conditions the other way, where their numbers are equal, or differ by a little."""
    asked = list(zip(one.path, path, one.gaps, strict=False))
    return [
        _Target(path, tuple(gap if went == way else gap * share for went, way, gap in asked))
        for share in (0, Fraction(-1, 1000), Fraction(-1, 10**6))
    ]


def _behind(seen: Sequence[Seen], one: Seen) -> Iterator[_Target]:
    """The same way behind an order's edge: where numbers that are equal at a point differ by a little, or by less, the
    other way than elsewhere. On the edge itself a claim may have the slope of either side."""
    opposite: dict[int, Fraction] = {}
    for number, (at, (_, way), gap) in enumerate(zip(one.turns, one.path, one.gaps, strict=True)):
        if gap == 0:
            others = (each.asked[at] for each in seen if at in each.asked)
            known = [value for before, other in others if before != way and (value := fraction(other))]
            if known:
                opposite[number] = -max(known, key=abs)
    for share in (1000, 10**6) if opposite else ():
        yield _Target(one.path, tuple(opposite[n] / share if n in opposite else gap for n, gap in enumerate(one.gaps)))


class _Solver:
    """Leads points to ways, by Newton's method on the gaps of conditions."""

    def __init__(self, problem: Problem, looking: Looking):
        self.problem, self.looking, self.world = problem, looking, _OnTheWay(DIGITS, DIGITS)
        self.world.keeps_gaps = True
        self.variables = problem.question.variables
        self.numbers = [number for name, variable in self.variables.items() for number in _numbers(name, variable)]
        # points of a surface, and how often code turned away on it before the condition that it is of
        self.met: list[Point] = []
        self.diverted = 0

    def first_of(self, targets: Iterable[_Target], starts: Sequence[Point] | None = None) -> Iterator[Seen]:
        """Points of the first target that has some, each as soon as it is found."""
        for target in targets:
            is_found = False
            for one in self.points(target, starts):
                is_found = True
                yield one
            if is_found:
                return

    def points(self, target: _Target, starts: Sequence[Point] | None = None) -> Iterator[Seen]:
        """Points of a target, from some, or else from random ones."""
        count = 0
        for number, start in enumerate(starts or map(self.problem.draw, range(STARTS))):
            if (found := self._led(start, target)) is not None:
                yield replace(found, solved=True)
                count += 1
            if count == POINTS or (number >= POINTS and not count):
                return

    def _led(self, start: Point, target: _Target) -> Seen | None:
        """A point of a target from another; None where none is found.

        One condition after the other that goes another way there is given a gap of the target's sign.
        """
        random, wanted, way = Random(str(start)), {}, target.way
        try:
            numbers: Point | None = coordinates(start, self.variables)
            while numbers is not None:
                if (one := self._seen(numbers)) is None:
                    return None
                k = next((k for k, (a, b) in enumerate(zip(one.path, way, strict=False)) if a != b), len(way))
                last = len(way) - 1
                if last in wanted and not target.leaves:
                    if k < last:
                        self.diverted += 1
                    else:
                        self.met.append(one.point)
                if target.leaves and not wanted:
                    k = last
                elif one.path[: len(way)] == way:
                    return one if wanted else None
                if k == len(way) or k in wanted or len(wanted) == MOST or one.path[k][0] != way[k][0]:
                    return None
                if (gap := fraction(target.gaps[k])) is None:
                    return None
                wanted[k] = gap / 2
                numbers = self._solved(way, wanted, numbers, random)
        except OutsideDomain:
            pass
        return None

    def _seen(self, numbers: Point) -> Seen | None:
        point = placed({name: list(map(_simple, values)) for name, values in numbers.items()}, self.variables)
        if not all(is_allowed(self.variables[name], values) for name, values in point.items()):
            return None
        return self.looking.at(point)

    def _solved(self, way: tuple, wanted: dict[int, Fraction], numbers: Point, random: Random) -> Point | None:
        """Coordinates at which gaps are what they should be: a few of them changed, or else all together."""
        gaps = self._gaps(way, wanted, numbers)
        columns = None if gaps is None else self._slopes(way, wanted, numbers, self.numbers, gaps)
        if columns is None:
            return None
        chosen = _independent(columns, random.sample(range(len(columns)), len(columns)), len(wanted))
        if chosen is None:
            return None
        few = self._newton(way, wanted, numbers, [self.numbers[k] for k in chosen])
        return few if few is not None else self._newton(way, wanted, numbers, self.numbers)

    def _newton(self, way: tuple, wanted: dict, numbers: Point, along: Sequence[_Number]) -> Point | None:
        """Newton's method along coordinates; along more than there are gaps by the shortest steps."""
        sizes: list[Fraction] = []
        gaps = self._gaps(way, wanted, numbers)
        for _ in range(STEPS):
            if gaps is None or all(abs(gap) <= EQUAL for gap in gaps):
                return None if gaps is None else numbers
            sizes.append(max(map(abs, gaps)))
            if sizes[-1] > GROWN * sizes[0]:
                return None
            columns = self._slopes(way, wanted, numbers, along, gaps)
            steps = None if columns is None else _shortest(columns, gaps)
            if steps is None or (len(sizes) > PATIENCE and sizes[-1] * 2 > sizes[-3]):
                return None
            before = numbers
            for share in SHARES:
                numbers = _stepped(before, along, steps, share)
                if (gaps := self._gaps(way, wanted, numbers)) is not None:
                    break
            if any(abs(x) > FAR for values in numbers.values() for x in values):
                return None
        return None

    def _gaps(self, way: tuple, wanted: dict[int, Fraction], numbers: Point) -> list[Fraction] | None:
        """By how much gaps are not what they should be; None where a condition is not asked."""
        world = self.world
        world.way = way[: max(wanted) + 1]
        self.looking.spend(len(world.way))
        world.path()
        try:
            self.problem.path(placed(numbers, self.variables), world)
        except (*NO_VALUE, VerificationError):
            world.path()  # off its own way code may do anything; what was asked before that counts
        if len(world.gaps) < len(world.way):
            return None
        found = [(fraction(world.gaps[k]), gap) for k, gap in wanted.items()]
        apart = [here - gap for here, gap in found if here is not None]
        return apart if len(apart) == len(wanted) else None

    def _slopes(self, way, wanted, numbers: Point, along: Sequence[_Number], gaps: list) -> list[list] | None:
        """Of every coordinate, the slopes of the gaps."""
        columns = []
        for number in along:
            there = self._gaps(way, wanted, number.moved(numbers, STEP))
            if there is None:
                return None
            columns.append([_short((b - a) / STEP) for a, b in zip(gaps, there, strict=True)])
        return columns


def _numbers(name: str, variable: Variable) -> Iterator[_Number]:
    if variable.kind == "inertia" and variable.shape == (3, 3):
        yield from (_Number(name, places) for places in ((0,), (1, 3), (2, 6), (4,), (5, 7), (8,)))
        return
    curved = variable.kind in CURVED
    size = 3 if curved and variable.kind != "unit vector" else variable.size - curved
    yield from (_Number(name, (k,)) for k in range(size))


def _stepped(numbers: Point, along: Sequence[_Number], steps: Sequence[Fraction], share: Fraction) -> Point:
    """Coordinates after a share of a step of Newton's method."""
    for number, step in zip(along, steps, strict=True):
        numbers = number.moved(numbers, -step * share)
    return {name: [_short(x) for x in values] for name, values in numbers.items()}


def _short(value: Fraction) -> Fraction:
    return value if value.denominator.bit_length() <= LONG else Fraction(round(value * GRAIN), GRAIN)


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


def _shortest(columns: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """The shortest solution x of sum x_k column_k = right: columns times the solution of A Aᵀ y = right."""
    size = len(right)
    zero = Fraction(0)
    square = [[sum((column[i] * column[k] for column in columns), zero) for k in range(size)] for i in range(size)]
    shares = _solution(square, right)
    return (
        None
        if shares is None
        else [sum((x * y for x, y in zip(column, shares, strict=True)), zero) for column in columns]
    )


def _solution(square: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """By elimination with the largest pivots; None where there is none."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(square, right, strict=True)]
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
