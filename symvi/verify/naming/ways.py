"""What is said of a whole way through the conditions: almost right, a lost sign, stored otherwise, right elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from symvi.verify.asking.points import Point
from symvi.verify.judging.decide import Branch, Decision
from symvi.verify.judging.entries import Diagnosis
from symvi.verify.judging.problem import NO_VALUE, Problem
from symvi.verify.naming.bench import SEEN, SURE, points_of
from symvi.verify.naming.scopes import WHOLE
from symvi.verify.reading.function import Function, Outputs
from symvi.verify.reading.worlds import DIGITS, FloatWorld, RealWorld, World

POINTS, PLACES = 24, 2  # at which signs are compared; at which another question has to be answered
FAINT = 1e-6


def of_the_whole(problem: Problem, decision: Decision, branch: Branch) -> Diagnosis | None:
    """What explains all that is wrong without a look at its parts, if anything does."""
    return _scalar_last(problem, branch) or _almost_right(problem, decision) or _lost_sign(problem, branch)


def _scalar_last(problem: Problem, branch: Branch) -> Diagnosis | None:
    """Function and claim of quaternions stored as x, y, z, w: both are right as soon as they are given those."""
    variables, wrt = problem.question.variables, problem.question.wrt
    found = [name for name, v in variables.items() if v.kind == "quaternion" and v.order == "wxyz"]
    turning = [name for name in found if name in wrt and variables[name].is_turned]
    if problem.function.definition is not None or problem.function.floats_only or not turning:
        return None
    points = list(islice(points_of(problem, branch, 20), PLACES))
    for names in [found, *([name] for name in turning if len(found) > 1)] if len(points) == PLACES else ():
        function, claimed = (_given_last(each, names) for each in (problem.function, problem.claimed))
        other = replace(problem, function=function, claimed=claimed)
        if all(_is_right(other, point) for point in points):
            verb = "is" if len(names) == 1 else "are"
            says = f"right if {' and '.join(names)} {verb} stored as x, y, z, w: here the scalar part is the first"
            return Diagnosis(WHOLE, says, frozenset(branch.wrong), "convention", 0.5)
    return None


def _given_last(function: Function, names: Collection[str]) -> Function:
    """A function that is given some quaternions with their scalar part last."""

    def evaluate(values: Mapping, world: World) -> Outputs:
        given = {name: [*entries[1:], entries[0]] if name in names else entries for name, entries in values.items()}
        return function.evaluate(given, world)

    return replace(function, evaluate=evaluate)


def _is_right(problem: Problem, point: Point) -> bool:
    """Whether claim and truth agree at a point: in floats, which are quick, then in 60 digits."""
    for world, near in ((FloatWorld(), SEEN), (RealWorld(), SURE))[: 1 if problem.in_floats else 2]:
        try:
            pairs = zip(problem.claim(point, world), problem.truth(point, world), strict=True)
        except NO_VALUE:
            return False
        if any(abs(a - b) > near * (1 + abs(b)) for a, b in pairs):
            return False
    return True


def _almost_right(problem: Problem, decision: Decision) -> Diagnosis | None:
    """What is said of differences that machine numbers do not see, where looking on would be guessing."""
    apart = max(branch.largest.get(k, 0.0) for branch in decision.branches for k in branch.wrong)
    if problem.in_floats or apart > SEEN:
        return None
    rounded = next((note for note in problem.claimed.notes + problem.function.notes if "round" in note), "")
    by = f"by {apart:.1e} of its size" if apart else f"beyond {DIGITS} digits"
    says = f"almost right, it differs {by}: {rounded or 'is a constant rounded?'}"
    return Diagnosis("what is wrong", says, frozenset(decision.wrong), "factor", 0.5)


def _lost_sign(problem: Problem, branch: Branch) -> Diagnosis | None:
    """The square root of x² is |x|, arcsin(sin x) is not x: right at some points, the other sign at others."""
    signs: dict[int, set[int]] = {k: set() for k in branch.wrong}
    for point in points_of(problem, branch, POINTS):
        try:
            truth, claim = problem.truth(point, FloatWorld()), problem.claim(point, FloatWorld())
        except NO_VALUE:
            continue
        for k, seen in signs.items():
            near = SEEN * (FAINT + abs(truth[k]))
            if abs(truth[k]) > SEEN:
                seen.add(1 if abs(claim[k] - truth[k]) < near else -1 if abs(claim[k] + truth[k]) < near else 0)
        if any(0 in seen for seen in signs.values()):
            return None
    if not all(seen == {1, -1} for seen in signs.values()):
        return None
    said = "right at some points, the wrong sign at others: a sign is lost, as where sqrt(x²) = |x| is taken for x"
    return Diagnosis("the wrong entries", said, frozenset(branch.wrong), "sign", 0.5)


@dataclass(frozen=True)
class RightElsewhere:
    """missed: whether the claim goes the same way where it is right, so that it overlooks a condition."""

    diagnosis: Diagnosis
    missed: bool


def right_elsewhere(problem: Problem, branches: Sequence[Branch], wrong: Branch) -> RightElsewhere | None:
    """A way on which the wrong entries are right; None where they are right nowhere, or only as zeros of both."""
    others = [
        each
        for each in branches
        if not each.wrong & wrong.wrong
        and any(abs(truth[k]) > SURE for truth, _ in _looks(problem, each) for k in wrong.wrong)
    ]
    if not others:
        return None
    ways = {way for _, way in _looks(problem, wrong)}
    same = [each for each in others if ways & {way for _, way in _looks(problem, each)}]
    words = "the claim does not follow the condition: it" if same else "the claim has a way of its own here; it"
    says = f"{words} is right where {(same or others)[0].said}"
    return RightElsewhere(Diagnosis(f"where {wrong.said}", says, frozenset(wrong.wrong), "branch", 0.5), bool(same))


def _looks(problem: Problem, branch: Branch) -> Iterator[tuple[list, tuple]]:
    """The truth at points of a way, and how the claim's own conditions go there."""
    for point in branch.points:
        world = RealWorld()
        try:
            problem.claim(point, world)
            way = world.path()
            yield problem.truth(point, world), way
        except NO_VALUE:
            continue
