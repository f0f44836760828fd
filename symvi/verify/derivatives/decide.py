"""The decision, entry by entry: wrong where real numbers of 60 digits say so, equal where prime fields say so.

The field says that two expressions are equal up to the signs of their roots; real numbers, at points of every branch,
say that the signs agree. Where a function is opaque to the field and the entries do not agree there, the verdict is
"equal to 60 digits", and nothing more is claimed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, log10, prod

from symvi.verify.derivatives.errors import VerificationError
from symvi.verify.derivatives.points import Point
from symvi.verify.derivatives.problem import ANOTHER_POINT, Problem, field_world
from symvi.verify.derivatives.worlds import DegreeWorld, FieldWorld, FloatWorld, RealWorld
from symvi.verify.field import PRIMES

SCAN_DIGITS, SCANNED, FIRST = 30, 150, 6
SIGNS, ROUGH = 48, 1e-7  # points at which floats look for another sign, and how near they must be
EXAMPLES = 2  # real points of every branch
TRIES = 400  # points looked at for one that has all roots
DOUBTED = 40  # points looked at where roots may have taken the other sign
SAME_IN_FLOATS = 1e-8  # of machine numbers, likewise
SAME = 10.0**-38  # of real numbers of 60 digits: nearer ones are the same, of the size of the largest entry
MOST_PATHS = 16
GIVEN_ROOTS = 3  # of 0, 1 and 2, which every field knows


@dataclass
class Branch:
    """The points of one way through all conditions, and what was found there.

    wrong: entries that differ. counted: for every prime and entry, the points at which it agreed. doubt: the decimal
    logarithm of a bound of the probability that a wrong entry passed. sign_doubts: whether roots or opaque functions
    made some points say nothing.
    """

    path: tuple
    points: list[Point] = field(default_factory=list)
    wrong: set[int] = field(default_factory=set)
    counted: dict[int, list[int]] = field(default_factory=dict)
    largest: dict[int, float] = field(default_factory=dict)
    doubt: float = 0.0
    opaque: bool = False
    roots: int = 0

    @property
    def said(self) -> str:
        return ", ".join(f"{site} is {'true' if way else 'false'}" for site, way in self.path)


@dataclass
class Decision:
    """branches: by path. one_way: conditions that only ever went one way. undefined: points without a value.

    untested: how many branches were reached beyond those that were tested.
    """

    branches: list[Branch]
    one_way: list[str]
    undefined: int
    points: int
    untested: int = 0

    @property
    def wrong(self) -> list[int]:
        return sorted(set().union(*(branch.wrong for branch in self.branches)))

    def counted(self, entry: int) -> bool:
        """Whether an entry agreed in every prime, in every branch."""
        return all(branch.counted[prime][entry] >= self.points for branch in self.branches for prime in PRIMES)

    @property
    def doubt(self) -> float:
        return max((branch.doubt for branch in self.branches), default=0.0)


def decide(problem: Problem, points: int) -> Decision:
    """Compare all entries in all branches; `points` per prime."""
    branches, undefined = scan(problem)
    untested = len(branches[MOST_PATHS:])
    branches = branches[:MOST_PATHS]
    for branch in branches:
        for point in branch.points[:EXAMPLES]:
            compare_in_reals(problem, branch, point)
    for prime in () if problem.in_floats else PRIMES:
        compare_in_field(problem, branches, prime, points)
    for branch in branches:
        if branch.roots or branch.opaque:
            compare_signs(problem, branch)
        branch.doubt = 0.0 if problem.in_floats else doubt_of(problem, branch, points)
    return Decision(branches, one_way_conditions(branches), undefined, points, untested)


# --- branches -----------------------------------------------------------------------------------------------------
def scan(problem: Problem) -> tuple[list[Branch], int]:
    """The branches that random points reach, and how many points had no value. Raises VerificationError for none."""
    found: dict[tuple, Branch] = {}
    undefined, last, world = 0, None, RealWorld(SCAN_DIGITS)
    for number in range(SCANNED):
        if number >= FIRST and found and all(not path for path in found):
            break
        point = problem.draw(number)
        try:
            path = evaluated(problem, lambda p=point: problem.path(p, world))
        except ANOTHER_POINT as error:
            undefined, last = undefined + 1, error
            continue
        branch = found.setdefault(path, Branch(path))
        if len(branch.points) < EXAMPLES:
            branch.points.append(point)
    if not found:
        raise VerificationError(f"{problem.function.said}: no value at any of {SCANNED} points on the manifold: {last}")
    return list(found.values()), undefined


def one_way_conditions(branches: list[Branch]) -> list[str]:
    ways: dict[object, set[bool]] = {}
    for branch in branches:
        for site, way in branch.path:
            ways.setdefault(site, set()).add(way)
    return [
        f"{site} was {'always' if way.copy().pop() else 'never'} true" for site, way in ways.items() if len(way) == 1
    ]


def evaluated(problem: Problem, job: Callable):
    """A job's result, with a division by zero as an error of the one whose formula it is."""
    try:
        return job()
    except ZeroDivisionError as error:
        raise VerificationError(
            f"{problem.function.name} or its claimed derivative divides by zero on the manifold: {error}"
        ) from error


# --- one point ----------------------------------------------------------------------------------------------------
def compare_in_reals(problem: Problem, branch: Branch, point: Point) -> None:
    world = RealWorld()
    try:
        truth, claim = evaluated(problem, lambda: (problem.truth(point, world), problem.claim(point, world)))
    except ANOTHER_POINT:
        return
    size = max((abs(x) for x in (*truth, *claim)), default=0) + 1
    for entry, (t, c) in enumerate(zip(truth, claim, strict=True)):
        if abs(t - c) > (SAME_IN_FLOATS if problem.in_floats else SAME) * size:
            branch.wrong.add(entry)
            relative = float(abs(t - c) / max(abs(t), abs(c)))
            branch.largest[entry] = max(branch.largest.get(entry, 0.0), relative)


def compare_signs(problem: Problem, branch: Branch) -> None:
    """Look for signs that a field does not see, sqrt(x²) for x below zero: floats at many points, then 60 digits."""
    for number in range(SIGNS):
        point, world = problem.draw(number), FloatWorld()
        try:
            if problem.path(point, world) != branch.path:
                continue
            pairs = list(zip(problem.truth(point, world), problem.claim(point, world), strict=True))
        except (*ANOTHER_POINT, ZeroDivisionError, OverflowError):
            continue
        size = max((abs(x) for pair in pairs for x in pair), default=0) + 1e-9
        if any(abs(t - c) > ROUGH * size and k not in branch.wrong for k, (t, c) in enumerate(pairs)):
            branch.points.append(point)
            compare_in_reals(problem, branch, point)


def compare_in_field(problem: Problem, branches: list[Branch], prime: int, points: int) -> None:
    """Count the points of every branch at which each entry agrees, until all have enough or roots say nothing more."""
    open_branches = {branch.path: branch for branch in branches}
    looked = dict.fromkeys(open_branches, 0)
    for branch in branches:
        branch.counted[prime] = [0] * prod(problem.shape)
    for number in range(TRIES):
        if not open_branches:
            return
        point, world = problem.draw(number, prime), field_world(prime, number)
        try:
            branch = open_branches.get(problem.path(point, world))
            if branch is None:
                continue
            truth, claim = problem.truth(point, world), problem.claim(point, world)
        except (*ANOTHER_POINT, ZeroDivisionError):
            continue
        looked[branch.path] += 1
        _count(branch, prime, truth, claim, world)
        agreed = all(n >= points or k in branch.wrong for k, n in enumerate(branch.counted[prime]))
        if agreed or looked[branch.path] >= points + DOUBTED:
            del open_branches[branch.path]


def _count(branch: Branch, prime: int, truth: list, claim: list, world: FieldWorld) -> None:
    """Write down what one point of a field says of each entry."""
    branch.opaque |= world.opaque_used
    branch.roots = max(branch.roots, len(world.field.roots) - GIVEN_ROOTS)
    irrational = world.opaque_used or len(world.field.roots) > GIVEN_ROOTS
    for entry, (t, c) in enumerate(zip(truth, claim, strict=True)):
        if t == c:
            branch.counted[prime][entry] += 1
        elif not irrational:
            branch.wrong.add(entry)


def doubt_of(problem: Problem, branch: Branch, points: int) -> float:
    """The decimal logarithm of a bound of the probability that one wrong entry agreed at all points of the branch."""
    world = DegreeWorld()
    try:
        pairs = zip(problem.truth(branch.points[0], world), problem.claim(branch.points[0], world), strict=True)
        degrees = [
            sum((t.above, t.below, c.above, c.below)) for t, c in pairs if hasattr(t, "above") and hasattr(c, "above")
        ]
    except (*ANOTHER_POINT, ZeroDivisionError, ValueError, OverflowError):
        return 0.0
    degree = max(degrees, default=1) or 1
    found = 0.0
    for prime in PRIMES:
        one = log10(degree) + branch.roots * log10(2) + log10(TRIES) - log10(prime)
        found += points * min(0.0, one)
    return max(found, -inf)
