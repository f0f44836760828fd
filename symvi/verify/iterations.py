"""Iterations that end at a tolerance: a claim is right if it is the derivative of what they tend to.

Newton's method inside of a function, a sum that ends where its terms are small: what such code computes is near to what
it means, and its derivative near to the claimed one. Here the same loops turn further than their conditions ask for:
what claim and derivative differ by has to go away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symvi.verify.errors import VerificationError
from symvi.verify.points import Point
from symvi.verify.problem import NO_VALUE, Problem
from symvi.verify.worlds import RealWorld

DIGITS = 400
FURTHER = (6, 24, 80)  # turns: Newton's method needs few, other iterations more
GONE = 10**6  # times less than the difference that was there: what is more has not gone away
COARSE = 1e-4  # of the largest entry: an iteration that ends further away has not come near


class PatientWorld(RealWorld):
    """Real numbers for which loops go on so many turns beyond the one at which their conditions end them.

    ends: a loop's condition -> what it says when the loop ends.
    """

    def __init__(self, ends: Mapping[object, bool], further: int):
        super().__init__(DIGITS)
        self.ends, self.further = ends, further
        self.left: dict[object, int] = {}
        self.asked: Counter = Counter()
        self.ended: Counter = Counter()

    def decide(self, outcome: bool, site: object) -> bool:
        end = self.ends.get(site)
        if end is not None:
            self.asked[site] += 1
            if outcome == end:
                left = self.left.get(site, self.further)
                self.left[site] = left - 1
                if left > 0:
                    outcome = not end
                else:
                    del self.left[site]
                    self.ended[site] += 1
        return super().decide(outcome, site)


@dataclass(frozen=True)
class Turned:
    """apart: by how much each entry differs. size: of the largest one. asked, ended: how often loops were."""

    apart: list
    size: object
    asked: Counter
    ended: Counter


def unfinished(problem: Problem, point: Point, ends: Mapping[object, bool], entries: Iterable[int]) -> dict[int, float]:
    """Of entries that differ, those whose difference goes away: entry -> what it is, of the largest entry."""
    found: dict[int, float] = {}
    try:
        before = _turned(problem, point, ends, 0)
        asked = {site: end for site, end in ends.items() if before.ended[site]}
        loops = {site: end for site, end in asked.items() if _turn_on(before, problem, point, {site: end}, 1)}
        for further in FURTHER if loops else ():
            after = _turn_on(before, problem, point, loops, further)
            if after is None:
                break  # a loop that is counted as well
            found |= {
                k: float(before.apart[k] / before.size) for k in entries if after.apart[k] * GONE <= before.apart[k]
            }
    except (*NO_VALUE, VerificationError):
        pass  # turned further than its own conditions let it code may do anything, as leave an array's bounds
    return found


def ends_of_loops(paths: Iterable[tuple]) -> dict[object, bool]:
    """What may be conditions of loops: they went one way and then the other, and what they said last."""
    found: dict[object, bool] = {}
    for path in paths:
        ways: dict[object, list[bool]] = {}
        for site, way in path:
            ways.setdefault(site, []).append(way)
        found |= {site: said[-1] for site, said in ways.items() if len(said) > 1 and said[-2] != said[-1]}
    return found


def _turn_on(
    before: Turned, problem: Problem, point: Point, ends: Mapping[object, bool], further: int
) -> Turned | None:
    """So many turns further; None where a condition is not asked as often: then it ends no loop."""
    after = _turned(problem, point, ends, further)
    all_turned = all(after.asked[site] == before.asked[site] + further * before.ended[site] for site in ends)
    return after if all_turned else None


def _turned(problem: Problem, point: Point, ends: Mapping[object, bool], further: int) -> Turned:
    world = PatientWorld(ends, further)
    truth, claim = problem.truth(point, world), problem.claim(point, world)
    size = max(abs(x) for x in (*truth, *claim)) or 1
    apart = [abs(t - c) for t, c in zip(truth, claim, strict=True)]
    return Turned(apart, size, world.asked, world.ended)
