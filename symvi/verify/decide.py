"""The decision, entry by entry: wrong where real numbers of 60 digits say so, equal where prime fields say so.

The field says that two expressions are equal up to the signs of their roots; real numbers, at points of every branch,
say that the signs agree. Where a function is opaque to the field and the entries do not agree there, the verdict is
"equal to 60 digits", and nothing more is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, log10, prod
from random import Random
from time import process_time

import numpy as np

from symvi.exact.field import PRIMES
from symvi.verify.alone import NO_ANSWER
from symvi.verify.branches import (
    EXAMPLES,
    MANY_WAYS,
    Branch,
    Scan,
    divided,
    one_way_conditions,
    scan,
)
from symvi.verify.edges import edge
from symvi.verify.errors import Endless, OutsideDomain, VerificationError
from symvi.verify.function import Function
from symvi.verify.guards import guard
from symvi.verify.implied import Implied
from symvi.verify.in_floats import points_in_floats
from symvi.verify.iterations import COARSE, ends_of_loops, unfinished
from symvi.verify.lines import between
from symvi.verify.nearness import Compared, compared
from symvi.verify.patience import searching
from symvi.verify.points import Point, SmallDraw, draw_point, point_text
from symvi.verify.precision import precision_said
from symvi.verify.problem import ANOTHER_POINT, NO_VALUE, Problem, field_world, in_world
from symvi.verify.sign_points import ROUGH, SignPoints
from symvi.verify.worlds import DegreeWorld, FieldWorld, FloatWorld, RealWorld

TRIES = 400  # points looked at for one that has all roots
DOUBTED = 40  # points looked at where roots may have taken the other sign
MOST_TESTED = 512  # ways beyond MANY_WAYS that are compared at one real point each
BESIDE, TRIES_BESIDE = Fraction(1, 2**30), 24  # how near to an aimed point a field's points are, and how many
SMALL_POINTS = 40  # looked at for one where only the claim has no value
# points at which code is asked twice: on exact numbers, then on machine numbers too, and seconds of all
TWICE, MOST_TWICE, SECONDS_TWICE = 6, 150, 0.1
LONG = 300  # conditions of a way, as of a loop that runs long: its surroundings are not looked at
GIVEN_ROOTS = 3  # of 0, 1 and 2, which every field knows


@dataclass
class Decision:
    """branches: by path. undefined: points without a value. points: of every prime and branch.

    unreached: what the points did not reach, in words: conditions that only ever went one way, ways left out. still:
    those that compare the same two numbers everywhere.
    """

    branches: list[Branch]
    unreached: tuple[str, ...]
    undefined: int
    points: int
    still: frozenset = frozenset()

    @property
    def wrong(self) -> list[int]:
        return sorted(set().union(*(branch.wrong for branch in self.branches)))

    @property
    def series(self) -> dict[int, float]:
        """Entries that are right but for what a series leaves out in a small region, and the largest share of it."""
        found: dict[int, float] = {}
        for branch in self.branches:
            for k, apart in branch.series.items():
                found[k] = max(found.get(k, 0.0), apart)
        return {k: apart for k, apart in found.items() if k not in self.wrong}

    @property
    def rounded(self) -> set[int]:
        """Entries that are right but for roundings of constants."""
        return set().union(*(branch.rounded for branch in self.branches)) - set(self.wrong)

    def counted(self, entry: int) -> bool:
        """Whether an entry agreed in every prime, in every branch."""
        return all(
            branch.counted.get(prime) and branch.counted[prime][entry] >= self.points
            for branch in self.branches
            for prime in PRIMES
        )

    @property
    def doubt(self) -> float:
        return max((branch.doubt for branch in self.branches), default=0.0)


def decide(problem: Problem, points: int) -> Decision:
    """Compare all entries in all branches; `points` per prime."""
    found = scan(problem)
    ends = ends_of_loops(branch.path for branch in found.branches)
    problem = replace(problem, still=found.still_sites, ends=ends)
    if problem.in_floats:
        found.branches[0].points += points_in_floats(problem)
    branches, others = found.branches[:MANY_WAYS], found.branches[MANY_WAYS:]
    tested = [branch for branch in branches if _compare_some(problem, branch)]
    if problem.in_floats and not tested:
        raise VerificationError(
            f"nothing can be compared wherever it was asked: {_why_not(problem, found.branches[0].points[0])}"
        )
    branches = [branch for branch in branches if branch in tested or not branch.aimed]
    for prime in () if problem.in_floats else PRIMES:
        compare_in_field(problem, branches, prime, points)
    in_floats = SignPoints(problem)
    for branch in branches:
        if branch.roots or branch.opaque:
            compare_signs(problem, branch, in_floats)
        branch.doubt = 0.0 if problem.in_floats else doubt_of(problem, branch, points)
    branches += [branch for branch in others[:MOST_TESTED] if _compare(problem, branch, branch.points[0])]
    ask_twice(problem)
    unreached = tuple(_unreached(problem, found, branches, len(others)))
    return Decision(branches, unreached, found.undefined, points, problem.still)


def _why_not(problem: Problem, point: Point) -> str:
    """Why nothing can be compared at a point."""
    try:
        compared(problem, point)
    except ANOTHER_POINT as error:
        return str(error)
    return "there is no point"


def _unreached(problem: Problem, found: Scan, branches: list[Branch], others: int) -> Iterator[str]:
    if problem.in_floats:
        yield f"{len(branches[0].points)} points in floats{precision_said(problem)}, conditions are not seen"
    reached = [branch for branch in found.branches if branch in branches or branch.kink]
    implied = Implied(problem, reached)
    yield from one_way_conditions(reached, found.still, implied.has_one_way, implied.never_all)
    for branch in branches:
        if branch.unclear and not branch.wrong:
            yield (
                f"where {branch.said}: right up to terms that are neither left out nor the derivative's, as of a "
                f"product that has a guard in one factor or of an error in a coefficient; "
                f"{max(branch.series.values()):.0e} of an entry's size"
            )
        if branch.rough and not branch.wrong:
            by = f"by {branch.rough:.0e} of the largest entry"
            yield f"where {branch.said}: the iteration ends far from what it tends to, {by}"
    if others > MOST_TESTED:
        yield f"{others - MOST_TESTED} more ways through the conditions were reached and not tested"
    if found.undefined and (place := without_claim(problem)):
        yield f"the claim has no value where the function has a derivative, at {point_text(place)}"
    if found.once:
        yield (
            f"{len(found.branches)} ways through the conditions were seen at {found.points} random points, "
            f"{found.once} of them once: there may be others"
        )


def without_claim(problem: Problem) -> Point | None:
    """A small point at which the function has a derivative and the claim has no value."""
    random = Random(problem.seed)
    for _ in range(SMALL_POINTS):
        point, world = draw_point(problem.question.variables, SmallDraw(random)), RealWorld()
        try:
            problem.truth(point, world)
        except (*ANOTHER_POINT, ZeroDivisionError):
            continue
        try:
            problem.claim(point, world)
        except OutsideDomain:
            return point
        except (*ANOTHER_POINT, ZeroDivisionError):
            continue
    return None


def ask_twice(problem: Problem) -> None:
    """Raises VerificationError for Python code that answers differently when it is asked again."""
    world = FloatWorld()
    for given, ask in ((problem.function, problem.values), (problem.claimed, problem.claim)):
        began = process_time()
        for number in range(MOST_TWICE) if given.origin == "Python" else ():
            if number >= TWICE and process_time() - began > SECONDS_TWICE:
                break
            point = problem.draw(number)
            try:
                quick = _twice_plainly(given, point, world) if number >= TWICE else None
                once, again = quick or (ask(point, world), ask(point, world))
            except NO_VALUE:
                continue
            if any(a != b and (a == a or b == b) for a, b in zip(once, again, strict=True)):
                raise VerificationError(f"{given.said} gives different values for the same arguments")


def _twice_plainly(given: Function, point: Point, world: FloatWorld) -> tuple[list, list] | None:
    """Two answers to plain machine numbers, which code takes much quicker than exact ones; None where it gives none."""
    if given.on_floats is None:
        return None
    values = in_world(point, world)
    try:
        with np.errstate(all="ignore"):
            return given.on_floats(values, world).entries, given.on_floats(values, world).entries
    except Endless:
        raise
    except NO_ANSWER:
        return None


def _compare_some(problem: Problem, branch: Branch) -> bool:
    """Compare at the first points that can be compared; False where none can."""
    compared_at: list[Point] = []
    for point in branch.points:
        if _compare(problem, branch, point):
            compared_at.append(point)
        if len(compared_at) == EXAMPLES + branch.generic and not problem.in_floats:
            break
    branch.points = compared_at or branch.points
    return bool(compared_at)


# --- one point ----------------------------------------------------------------------------------------------------
def _compare(problem: Problem, branch: Branch, point: Point) -> bool:
    """Compare in real numbers; False where nothing can be compared. At an aimed point a function may have a kink."""
    try:
        found = compared(problem, point)
    except NO_VALUE as error:
        if branch.aimed and not problem.in_floats:
            found = Compared(tied=True, known=False)  # where a formula has no slope there may be one from nearby
        elif isinstance(error, ANOTHER_POINT) or branch.aimed:
            return False
        else:
            raise (divided(problem, error) if isinstance(error, ZeroDivisionError) else error) from error
    except VerificationError:
        if branch.aimed:
            return False
        raise
    of_numbers = found.wrong and not found.tied and not problem.in_floats and len(branch.path) <= LONG
    if of_numbers and problem.ends:
        _take_unfinished(branch, found, unfinished(problem, point, problem.ends, list(found.wrong)))
    if of_numbers and found.wrong and _is_guarded(problem, branch, point, found):
        return _written_down(branch, found)
    if branch.aimed and (found.tied or found.wrong):
        found = _at_an_edge(problem, branch, point, found)
        if found is None:
            return False
    return _written_down(branch, found)


def _take_unfinished(branch: Branch, found: Compared, tending: Mapping[int, float]) -> None:
    """What an iteration leaves out is no error where it ends near; far away it is, and told in small regions."""
    for k, apart in tending.items():
        if apart <= COARSE or branch.aimed:
            branch.rough = max(branch.rough, apart) if apart > COARSE else branch.rough
            branch.series[k], branch.tends = max(branch.series.get(k, 0.0), apart), True
            del found.wrong[k]


def _written_down(branch: Branch, found: Compared) -> bool:
    branch.wrong |= set(found.wrong)
    branch.rounded |= found.rounded
    for entry, relative in found.wrong.items():
        branch.largest[entry] = max(branch.largest.get(entry, 0.0), relative)
    return True


def _is_guarded(problem: Problem, branch: Branch, point: Point, found: Compared) -> bool:
    """Whether a point lies in a guard near a removable one; what the first terms of a series leave out is no error."""
    with searching():
        known = guard(problem, point, branch.path)
    if known is None:
        return False
    for kind, why in (
        (known.wrong, "its terms are not those of the derivative"),
        (known.coarse - known.wrong, "it is too coarse, at its threshold it leaves out {:.0e} of an entry"),
    ):
        there = kind & set(found.wrong)
        if there:
            told = why.format(max(known.apart[k] for k in there))
            problem.claimed.note(f"where {branch.said}: a guard near a point where the formula is 0/0; {told}")
    for k in set(found.wrong) - known.wrong - known.coarse:
        branch.series[k] = max(branch.series.get(k, 0.0), known.apart[k])
        branch.unclear |= k in known.unclear
        del found.wrong[k]
    return True


def _at_an_edge(problem: Problem, branch: Branch, point: Point, found: Compared) -> Compared | None:
    """What is wrong at a point of a small region, where the truth nearby counts too; None where nothing can be said."""
    beside = edge(problem, point, branch.path) if len(branch.path) <= LONG else None
    if found.tied:
        if beside is None:
            return None
        branch.kink |= found.known or beside.is_judged
        wrong = beside.wrong(found.wrong, found.crossed)
        return Compared(wrong) if wrong else None
    if beside is not None:
        for k, apart in beside.left_out(found.wrong).items():
            branch.series[k] = max(branch.series.get(k, 0.0), apart)
            del found.wrong[k]
    return found


def compare_signs(problem: Problem, branch: Branch, points: SignPoints) -> None:
    """Look for signs that a field does not see: in floats at many points, then in 60 digits.

    Differences that were all but hidden are looked for as well: exponentials may outweigh them elsewhere.
    """
    hidden = [branch.largest.get(k, 0.0) < ROUGH for k in range(prod(problem.shape))]
    for point in points.apart(branch.path, hidden) if any(hidden) else ():
        branch.points.append(point)
        _compare(problem, branch, point)


def compare_in_field(problem: Problem, branches: list[Branch], prime: int, points: int) -> None:
    """Count the points of every branch at which each entry agrees, until all have enough or roots say nothing more."""
    for branch in branches:
        branch.counted[prime] = [0] * prod(problem.shape)
    open_branches = {branch.path: branch for branch in branches if not branch.aimed}
    looked = dict.fromkeys(open_branches, 0)
    for number in range(TRIES):
        if not open_branches:
            break
        found = _in_field(problem, problem.draw(number, prime), prime, number, open_branches)
        if found is None:
            continue
        looked[found.path] += 1
        if _agreed(found, prime, points) or looked[found.path] >= points + DOUBTED:
            del open_branches[found.path]
    for branch in [branch for branch in branches if branch.aimed]:
        for number in range(TRIES_BESIDE):
            point = _beside(problem, branch, number, prime)
            if point and _in_field(problem, point, prime, number, {branch.path: branch}):
                if _agreed(branch, prime, points):
                    break


def _in_field(problem: Problem, point: Point, prime: int, number: int, branches: dict) -> Branch | None:
    """Compare at one point of a field: the branch that it belongs to, None where it says nothing."""
    world = field_world(prime, number)
    try:
        if len(branches) > 1 and problem.path(point, world) not in branches:
            return None
        truth, claim = problem.truth(point, world), problem.claim(point, world)
    except (*ANOTHER_POINT, ZeroDivisionError):
        return None
    branch = branches.get(world.path())
    if branch is None:
        return None
    _count(branch, prime, truth, claim, world)
    return branch


def _agreed(branch: Branch, prime: int, points: int) -> bool:
    settled = branch.wrong | branch.rounded | set(branch.series)
    return all(n >= points or k in settled for k, n in enumerate(branch.counted[prime]))


def _beside(problem: Problem, branch: Branch, number: int, prime: int) -> Point | None:
    """A random point of a field, beside one that was aimed at."""
    try:
        there = problem.draw(number, prime)
        return between(branch.points[0], there, BESIDE, problem.question.variables, grain=None)
    except OutsideDomain:
        return None


def _count(branch: Branch, prime: int, truth: list, claim: list, world: FieldWorld) -> None:
    """Write down what one point of a field says of each entry."""
    branch.opaque |= world.opaque_used
    branch.roots = max(branch.roots, len(world.field.roots) - GIVEN_ROOTS)
    irrational = world.opaque_used or len(world.field.roots) > GIVEN_ROOTS
    for entry, (t, c) in enumerate(zip(truth, claim, strict=True)):
        if t == c:
            branch.counted[prime][entry] += 1
        elif not irrational and entry not in branch.rounded and entry not in branch.series:
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
