"""What the other ways through the conditions say of a wrong one: whether the claim missed a condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symvi.verify.asking.points import Point
from symvi.verify.judging.decide import Branch
from symvi.verify.judging.entries import Diagnosis
from symvi.verify.judging.problem import NO_VALUE, Problem
from symvi.verify.reading.worlds import RealWorld

THERE = 1e-30  # of a number in 60 digits: less is zero


@dataclass(frozen=True)
class RightElsewhere:
    """missed: whether the claim goes the same way where it is right, so that it overlooks a condition."""

    diagnosis: Diagnosis
    missed: bool


def right_elsewhere(problem: Problem, branches: Sequence[Branch], wrong: Branch) -> RightElsewhere | None:
    """A way on which the wrong entries are right; None where they are right nowhere, or only as zeros of both."""
    others = [each for each in branches if not each.wrong & wrong.wrong and _says_something(problem, each, wrong.wrong)]
    if not others:
        return None
    ways = _ways_of_claim(problem, wrong)
    same = [each for each in others if ways & _ways_of_claim(problem, each)]
    words = "the claim does not follow the condition: it" if same else "the claim has a way of its own here; it"
    says = f"{words} is right where {(same or others)[0].said}"
    found = Diagnosis(f"where {wrong.said}", says, frozenset(wrong.wrong), "branch", 0.5)
    return RightElsewhere(found, bool(same))


def _says_something(problem: Problem, branch: Branch, entries: set[int]) -> bool:
    """Whether one of these entries is not zero on a way: claims that agree with zeros are right by chance."""
    return any(abs(truth[k]) > THERE for truth in _truths(problem, branch.points) for k in entries)


def _truths(problem: Problem, points: Sequence[Point]) -> Iterator[list]:
    for point in points:
        try:
            yield problem.truth(point, RealWorld())
        except NO_VALUE:
            continue


def _ways_of_claim(problem: Problem, branch: Branch) -> set[tuple]:
    """How the claim's own conditions go on a way."""
    found = set()
    for point in branch.points:
        world = RealWorld()
        try:
            problem.claim(point, world)
        except NO_VALUE:
            continue
        found.add(world.path())
    return found
