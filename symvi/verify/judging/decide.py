"""The decision, entry by entry: claim and truth in real numbers of 60 digits, on every way through the code.

Random points of many sizes come first. Where all their numbers are rational, claim and truth are compared as fractions:
equal is equal there. Machine numbers at more points, some of them far away, tell where a root may have lost its sign.
What of a difference matters is the rule of `effect`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from symvi.verify.asking.effort import COMPARING, current
from symvi.verify.asking.points import Draw, Point, SmallDraw, draw_point, point_text
from symvi.verify.errors import Endless, OutsideDomain, VerificationError
from symvi.verify.judging.alone import NO_ANSWER
from symvi.verify.judging.branches import EXAMPLES, MANY_WAYS, Branch, Scan, divided, one_way_conditions, scan
from symvi.verify.judging.effect import judged
from symvi.verify.judging.in_floats import points_in_floats
from symvi.verify.judging.nearness import Compared, compared
from symvi.verify.judging.precision import rounded_to
from symvi.verify.judging.problem import ANOTHER_POINT, NO_VALUE, Problem, in_world
from symvi.verify.reading.function import Function
from symvi.verify.reading.worlds import DIGITS, FloatWorld, Irrational, RationalWorld, RealWorld

MOST_TESTED = 512  # ways beyond MANY_WAYS that are compared at one real point each
SMALL_POINTS = 40  # looked at for one where only the claim has no value
# points at which code is asked twice: on exact numbers, then on machine numbers too; operations of all the latter
TWICE, MOST_TWICE, COST_OF_TWICE = 6, 150, 100_000
MOST_TWICE_UNCOUNTED = 40  # where code takes machine numbers only
LOST = 1e-9  # of the largest entry: what more digits may change
LONG = 300  # conditions of a way, as of a loop that runs long: its surroundings are not looked at
# machine numbers: random points of ordinary sizes; of each larger size; what is no rounding
NEAR, FAR, MANY, ROUGH = 30, (10**3, 10**5, 10**8), 5, 1e-7


@dataclass
class Decision:
    """branches: by path. undefined: points without a value. points: of every branch, at least.

    unreached: what the points did not reach, in words: conditions that only ever went one way, ways left out. still:
    those that compare the same two numbers everywhere. exact: entries that were compared as fractions.
    """

    branches: list[Branch]
    unreached: tuple[str, ...]
    undefined: int
    points: int
    still: frozenset = frozenset()
    exact: bool = False

    @property
    def wrong(self) -> list[int]:
        return sorted(set().union(*(branch.wrong for branch in self.branches)))

    @property
    def noted(self) -> set[int]:
        """Entries that are right but for errors that do not matter, in small regions."""
        return set().union(*(branch.noted for branch in self.branches)) - set(self.wrong)

    @property
    def rounded(self) -> set[int]:
        """Entries that are right but for roundings of constants."""
        return set().union(*(branch.rounded for branch in self.branches)) - set(self.wrong)


def decide(problem: Problem, points: int) -> Decision:
    """Compare all entries in all branches, at `points` points of each size."""
    found = scan(problem, points)
    problem = replace(problem, still=found.still_sites)
    if problem.in_floats:
        found.branches[0].points += points_in_floats(problem)
    branches, others = found.branches[:MANY_WAYS], found.branches[MANY_WAYS:]
    effort = current()
    effort.stage = "comparing"
    tested: list[Branch] = []
    for branch in branches:
        if tested and effort.is_spent(COMPARING):
            break
        tested += [branch] * _compare_some(problem, branch)
    if not tested:
        raise VerificationError(
            f"nothing can be compared wherever it was asked: {_why_not(problem, found.branches[0].points[0])}"
        )
    branches = [branch for branch in branches if branch in tested or not branch.aimed]
    exact = not problem.in_floats and all(branch.exact for branch in branches if not branch.aimed)
    if not problem.in_floats and (not exact or any(branch.has_roots for branch in branches)):
        _compare_signs(problem, [branch for branch in branches if not branch.aimed])
    for branch in others[:MOST_TESTED]:
        if effort.is_spent(COMPARING):
            break
        branches += [branch] * _compare(problem, branch, branch.points[0])
    found.is_cut |= bool(any(branch.path for branch in branches)) and effort.is_spent(COMPARING)
    ask_twice(problem)
    unreached = tuple(_unreached(problem, found, branches, len(others)))
    return Decision(branches, unreached, found.undefined, points, problem.still, exact)


def _why_not(problem: Problem, point: Point) -> str:
    """Why nothing can be compared at a point."""
    try:
        compared(problem, point)
    except ANOTHER_POINT as error:
        return str(error)
    return "there is no point"


def _unreached(problem: Problem, found: Scan, branches: list[Branch], others: int) -> Iterator[str]:
    if problem.in_floats:
        yield f"{len(branches[0].points)} points in floats{rounded_to(problem)[0]}, conditions are not seen"
    reached = [branch for branch in found.branches if branch in branches]
    for branch in branches:
        if not branch.is_looked_at:
            yield f"where {branch.said or 'points were drawn'}: nothing could be compared"
    yield from one_way_conditions(reached, found.still)
    for branch in branches:
        if branch.other and not branch.wrong:
            yield (
                f"where {branch.said}: the function's own formula has another derivative there than around it; the "
                f"claim has the formula's, off by {max(branch.other.values()):.0e} of the largest entry beside it"
            )
    if others > MOST_TESTED:
        yield f"{others - MOST_TESTED} more ways through the conditions were reached and not tested"
    if found.undefined and (place := without_claim(problem)):
        yield f"the claim has no value where the function has a derivative, at {point_text(place)}"
    if found.is_cut:
        spent = f"{current().operations:.0e} operations"
        yield f"the effort of {spent} was spent before all was looked at; effort= takes more"
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
    world.replays = None
    for given, ask in ((problem.function, problem.values), (problem.claimed, problem.claim)):
        began, most = world.effort.spent, MOST_TWICE
        for number in range(MOST_TWICE) if given.origin == "Python" else ():
            if number == TWICE:  # what a value on plain numbers costs is known from exact ones
                each = (world.effort.spent - began) // TWICE
                most = COST_OF_TWICE // each if each else MOST_TWICE_UNCOUNTED
            if number >= TWICE and number >= most:
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


# --- one branch -----------------------------------------------------------------------------------------------------
def _compare_some(problem: Problem, branch: Branch) -> bool:
    """Compare at the points that can be compared, some of special ones; False where none can.

    A way of which only special points were compared, that show nothing else than themselves, is not reached.
    """
    compared_at: list[Point] = []
    shown = False
    for number, point in enumerate(branch.points):
        if _compare(problem, branch, point):
            compared_at.append(point)
            shown |= not branch.aimed or number < branch.ordinary
        if branch.aimed and len(compared_at) >= EXAMPLES + branch.ordinary and not problem.in_floats:
            break
    branch.points = compared_at or branch.points
    branch.is_reached &= shown
    if not branch.aimed and not problem.in_floats:
        branch.exact = all(_is_equal(problem, branch, point) for point in compared_at[:EXAMPLES])
    return bool(compared_at)


def _is_equal(problem: Problem, branch: Branch, point: Point) -> bool:
    """Whether claim and truth are fractions at a point; what differs there is wrong by however little."""
    world = RationalWorld()
    try:
        truth, claim = problem.truth(point, world), problem.claim(point, world)
    except (*NO_VALUE, Irrational):
        return False
    branch.has_roots |= world.has_roots
    if not world.roundings:
        apart = {k for k, (t, c) in enumerate(zip(truth, claim, strict=True)) if t != c}
        branch.wrong |= apart - set(branch.noted)
    return True


def _compare(problem: Problem, branch: Branch, point: Point) -> bool:
    """Compare in real numbers; False where nothing can be compared, as at a jump."""
    try:
        found = compared(problem, point)
    except NO_VALUE as error:
        if branch.wide:
            if isinstance(error, ANOTHER_POINT):
                return False
            raise (divided(problem, error) if isinstance(error, ZeroDivisionError) else error) from error
        if problem.in_floats:
            return False
        found = Compared(known=False)  # where a formula has no slope there may be one from nearby
    except VerificationError:
        if not branch.wide:
            return False
        raise
    if problem.in_floats or len(branch.path) > LONG or not (found.wrong or _may_be_special(branch, found)):
        return _written_down(branch, found)
    effect = None
    try:
        truth = found.truth if found.known else None
        claim = problem.claim(point, RealWorld()) if found.claim is None else found.claim
        if not branch.wide and _is_lost(problem, point, claim):
            return False
        with current().searching():
            effect = judged(problem, point, branch.path, truth, claim, branch.wide)
    except NO_VALUE:
        pass
    if effect is None:  # nothing is known of the surroundings: any difference from its own formula is wrong
        return found.known and not found.tied and _written_down(branch, found)
    for k, share in effect.noted.items():
        branch.noted[k] = max(branch.noted.get(k, 0.0), share)
    branch.other |= effect.other
    from_nearby = found.tied or not found.known
    wrong = effect.wrong if from_nearby else {k: d for k, d in found.wrong.items() if k in effect.wrong}
    return _written_down(branch, replace(found, wrong=wrong))


def _is_lost(problem: Problem, point: Point, claim: list) -> bool:
    """Whether the claim's digits are lost, as next to 0/0: more digits make other numbers of it."""
    again = problem.claim(point, RealWorld(2 * DIGITS))
    size = max(map(abs, again))
    return any(abs(a - b) > LOST * size for a, b in zip(claim, again, strict=True))


def _may_be_special(branch: Branch, found: Compared) -> bool:
    """Whether the function may have another derivative here than its formula says: in regions of no random point."""
    return not branch.wide and (found.tied or not found.known or not branch.is_looked_at)


def _written_down(branch: Branch, found: Compared) -> bool:
    branch.is_looked_at = True
    branch.wrong |= set(found.wrong)
    branch.rounded |= found.rounded
    for entry, relative in found.wrong.items():
        branch.largest[entry] = max(branch.largest.get(entry, 0.0), relative)
    return True


def _compare_signs(problem: Problem, branches: list[Branch]) -> None:
    """Look for signs that roots have lost: in floats at many points, some far away, then in 60 digits."""
    by_path = {branch.path: branch for branch in branches}
    effort = current()
    for point in _many_points(problem):
        world = FloatWorld()
        try:
            with effort.searching():
                pairs = list(zip(problem.truth(point, world), problem.claim(point, world), strict=True))
        except Endless:
            return  # those further away take longer
        except NO_VALUE:
            continue
        branch = by_path.get(world.path())
        size = max((abs(x) for pair in pairs for x in pair), default=0) + 1e-9
        apart = {k for k, (t, c) in enumerate(pairs) if abs(t - c) > ROUGH * size}
        if branch is not None and apart - {k for k, found in branch.largest.items() if found >= ROUGH}:
            branch.points.append(point)
            _compare(problem, branch, point)
        if effort.is_spent(COMPARING):
            return


def _many_points(problem: Problem) -> Iterator[Point]:
    yield from (problem.draw(number) for number in range(NEAR))
    random, variables = Random(f"{problem.seed} far"), problem.question.variables
    yield from (draw_point(variables, Draw(random, spread=spread)) for spread in FAR for _ in range(MANY))
