"""Are two values of an entry the same number? Judged by digits that are added, roundings that are named, or floats.

A difference counts where it is more than the errors of both values, which are known; what 60 digits do not tell apart
is evaluated in more. A constant that
Python rounded (math.sqrt(11), 1/7001) is no number that anybody wrote: a difference that such constants make within a
few units of their last place is no error. Machine numbers are compared entry by entry, each with its own noise.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from symvi.verify.asking.points import Point
from symvi.verify.asking.shaking import shaken
from symvi.verify.judging.known_errors import BoundedWorld
from symvi.verify.judging.precision import UNTOLD, rounded_to
from symvi.verify.judging.problem import NO_VALUE, Problem, in_world
from symvi.verify.judging.truth import difference_noise
from symvi.verify.reading.worlds import DIGITS, FloatWorld, RealWorld

SAME = 10.0 ** (5 - DIGITS)  # of an entry's size: nearer ones are the same
MORE_DIGITS = (DIGITS, 2 * DIGITS, 4 * DIGITS, 16 * DIGITS)  # of differences, until they are told from their errors
CERTAIN, AGREED = 4, 10.0**-30  # of the error: what is more is a difference; of the size: what is less is agreement
UNITS = 4  # of the last place: what a few operations of machine numbers may lose
SAME_IN_FLOATS = 1e-8
FLOOR = 1e-12  # of a row's size, in floats
DIGITS_OF_FLOATS = 16
SHAKES, SHAKEN = (Fraction(1, 10**12), Fraction(-7, 10**13), Fraction(3, 10**13)), 1000
SINGLE = 1e-6  # of a row's size, in single precision
SHAKES_OF_SINGLE = (Fraction(1, 10**6), Fraction(-7, 10**7))


@dataclass
class Compared:
    """wrong: entry -> by how much of its size it differs. rounded: those that differ by roundings of constants only.

    tied: whether the function met two equal numbers in a condition, where it may have a kink; crossed: whether those
    change in the directions of the derivative, so that it may have none there. known: whether the truth has a value.
    truth, claim: both, with as many digits as it took to tell them apart.
    """

    wrong: dict[int, float] = field(default_factory=dict)
    rounded: set[int] = field(default_factory=set)
    tied: bool = False
    crossed: bool = True
    known: bool = True
    truth: list | None = None
    claim: list | None = None


def compared(problem: Problem, point: Point) -> Compared:
    """Claim and truth at a point of the manifold. Raises what a world raises where they have no value."""
    world = RealWorld()
    truth = problem.truth(point, world)
    tied, crossed = problem.is_tied(world), problem.is_crossed(world)
    claim = problem.claim(point, world)
    apart = {k: abs(t - c) for k, (t, c) in enumerate(zip(truth, claim, strict=True)) if t != c}
    if problem.in_floats:
        allowed = allowed_in_floats(problem, point, truth, claim)
        wrong = {k: d for k, d in apart.items() if d > allowed[k]}
    else:
        wrong = {k: d for k, d in apart.items() if d > SAME * max(abs(truth[k]), abs(claim[k]))}
        if wrong:
            known = known_entries(problem, point, wrong)
            wrong = known.apart
            truth = [known.truth.get(k, t) for k, t in enumerate(truth)]
            claim = [known.claim.get(k, c) for k, c in enumerate(claim)]
    rounded = set()
    if wrong and world.roundings:
        reach = _reach_of_roundings(problem, point, world)
        rounded = {k for k, d in wrong.items() if d <= reach[k]}
    relative = {k: float(d / max(abs(truth[k]), abs(claim[k]))) for k, d in wrong.items() if k not in rounded}
    return Compared(relative, rounded, tied, crossed, truth=truth, claim=claim)


@dataclass(frozen=True)
class Known:
    """What is known of some entries: truth and claim, and the difference of those that are certainly different."""

    truth: dict
    claim: dict
    apart: dict


def known_entries(problem: Problem, point: Point, entries: Iterable[int]) -> Known:
    """Truth and claim in more and more digits, until they are told apart or agree; what never is, is not apart."""
    unsettled, apart, truths, claims = set(entries), {}, {}, {}
    for digits in MORE_DIGITS:
        world = BoundedWorld(digits)
        truth, claim = problem.truth(point, world), problem.claim(point, world)
        for k in sorted(unsettled):
            t, c = truth[k], claim[k]
            truths[k], claims[k] = t.value, c.value
            error, size = t.error + c.error, max(abs(t.value), abs(c.value))
            if abs(t.value - c.value) > CERTAIN * error:
                apart[k] = abs(t.value - c.value)
                unsettled.discard(k)
            elif error <= size * AGREED:
                unsettled.discard(k)
        if not unsettled:
            break
    return Known(truths, claims, apart)


def _reach_of_roundings(problem: Problem, point: Point, before: RealWorld) -> list:
    """By how much claim and truth may differ for constants that were rounded: each moved by itself, summed."""

    def gaps(shifts: dict) -> list:
        world = RealWorld()
        world.shifts = shifts
        return [t - c for t, c in zip(problem.truth(point, world), problem.claim(point, world), strict=True)]

    still = gaps({})
    reach = [0 * gap for gap in still]
    for value, unit in before.roundings.items():
        moved = gaps({value: UNITS * unit})
        reach = [r + abs(a - b) for r, a, b in zip(reach, moved, still, strict=True)]
    return reach


# --- machine numbers ----------------------------------------------------------------------------------------------
def allowed_in_floats(problem: Problem, point: Point, truth: list, claim: list) -> list:
    """What machine numbers may make of each entry.

    The claim's noise when the point is shaken, what rounding makes of the truth, the noise of differences; what single
    precision makes of it, or decimals, where the claim computes in that.
    """
    noise = _noise(problem, point, SHAKES)
    errors = _errors_of_truth(problem, point)
    width = problem.shape[-1]
    said, unit = rounded_to(problem)
    single = "single" in said
    coarse = 0.0 if single else unit
    found = []
    for k, (t, c) in enumerate(zip(truth, claim, strict=True)):
        start = k // width * width
        row = max(max(abs(truth[i]), abs(claim[i])) for i in range(start, start + width))
        found.append(
            SAME_IN_FLOATS * max(abs(t), abs(c))
            + FLOOR * row
            + errors[k]
            + SHAKEN * max(0.0, noise[k] - coarse)
            + coarse
        )
        if single:
            found[-1] += SINGLE * row
    if single:
        found = [f + s for f, s in zip(found, _noise(problem, point, SHAKES_OF_SINGLE), strict=True)]
    return found


def _errors_of_truth(problem: Problem, point: Point) -> list:
    """What rounding to machine numbers may make of the truth: bounded where it is exact, seen where it is differences.

    A claim that is zero by cancellation is as uncertain as what cancels there.
    """
    if problem.function.floats_only:
        return difference_noise(problem.function, problem.question, in_world(point, RealWorld()), RealWorld())
    try:
        found = [entry.error for entry in problem.truth(point, BoundedWorld(DIGITS_OF_FLOATS))]
    except NO_VALUE:
        return [0] * prod(problem.shape)
    return [error if error < 1 else 0 for error in found]


def _noise(problem: Problem, point: Point, shakes: Iterable[Fraction]) -> list[float]:
    """How much the claim changes when every number of the point changes by little."""
    found = [0.0] * prod(problem.shape)
    for shake in shakes:
        try:
            still = problem.claim(point, FloatWorld())
            moved = problem.claim(shaken(point, problem.question.variables, shake), FloatWorld())
        except UNTOLD:
            continue
        found = [max(f, abs(a - b)) for f, a, b in zip(found, moved, still, strict=True)]
    return found
