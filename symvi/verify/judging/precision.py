"""What a claim of machine numbers rounds to: single precision, or decimals. It is compared in that, as is reported."""

from __future__ import annotations

from fractions import Fraction
from math import frexp, log10, ulp

from symvi.verify.asking.shaking import shaken
from symvi.verify.errors import VerificationError
from symvi.verify.judging.problem import NO_VALUE, Problem
from symvi.verify.reading.worlds import FloatWorld

BITS, MANY_BITS = 24, 16  # of a number in single precision; more than numbers have that a user writes
LONG_SHAKES = (Fraction(1, 997), Fraction(-2, 1009), Fraction(3, 1013))  # that leave no number short
FEWEST, MOST = 6, 13  # decimals of what somebody cleans up before it is returned; of machine numbers
CERTAIN = 8  # powers of ten: how unlikely it is that numbers end there by chance
ROUNDS_TO, ORDINARY = "rounds to", range(4)
UNTOLD = (*NO_VALUE, VerificationError)  # beside a point at which a claim has a value it may have none, or refuse


def rounded_to(problem: Problem) -> tuple[str, float]:
    """In words, and by how much: (", to single precision", share of a number), or a unit of decimals, or ("", 0).

    Looked for once, in all numbers that change beside ordinary points: at numbers of few digits any has few.
    """
    if not problem.claimed.floats_only:
        return "", 0.0
    if ROUNDS_TO not in problem.known:
        problem.known[ROUNDS_TO] = _rounded_to(problem)
    return problem.known[ROUNDS_TO]


def _rounded_to(problem: Problem) -> tuple[str, float]:
    changed, said = _changed(problem), problem.claimed.said
    if not changed:
        return "", 0.0
    if all(_is_short(x, BITS) for x in changed) and not all(_is_short(x, MANY_BITS) for x in changed):
        problem.claimed.note(f"{said} computes in single precision: it is compared in that")
        return ", to single precision", 2.0**-BITS
    for count in range(MOST + 1):
        if all(abs(round(x, count) - x) <= 2 * ulp(x) for x in changed):
            if sum(max(0.0, -count - log10(4 * ulp(x))) for x in changed) <= CERTAIN:
                break
            if count < FEWEST:
                problem.claimed.note(f"{said} returns numbers of {count} decimals: too few to be compared in")
                break
            problem.claimed.note(f"{said} rounds to {count} decimals: it is compared in that")
            return f", to {count} decimals", 10.0**-count
    return "", 0.0


def _changed(problem: Problem) -> set[float]:
    """Numbers of a claim that are others beside a point."""
    found: set[float] = set()
    for point in map(problem.draw, ORDINARY):
        try:
            still = problem.claim(point, FloatWorld())
            for shake in LONG_SHAKES:
                moved = problem.claim(shaken(point, problem.question.variables, shake), FloatWorld())
                found |= {a for a, b in zip(moved, still, strict=True) if a != b}
        except UNTOLD:
            continue
    return found


def _is_short(x: float, bits: int) -> bool:
    """Whether a number has no more than so many bits."""
    whole = frexp(x)[0] * 2**bits
    return whole == round(whole)
