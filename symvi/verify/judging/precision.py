"""What a claim of machine numbers rounds to: single precision, or decimals. It is compared in that, as is reported.

What it returns at numbers of few digits has few digits in any precision: it is looked at where numbers are long.
"""

from __future__ import annotations

from fractions import Fraction
from math import frexp, log10, ulp

from symvi.verify.asking.points import Point
from symvi.verify.asking.shaking import NEXT_TO_NOTHING, shaken
from symvi.verify.errors import VerificationError
from symvi.verify.judging.problem import NO_VALUE, Problem
from symvi.verify.reading.worlds import FloatWorld

IN_SINGLE = "computes in single precision"
TO_DECIMALS = "rounds to "
BITS, MANY_BITS = 24, 16  # of a number in single precision; more than numbers have that a user writes
BELOW_SINGLE, ABOVE_SINGLE = Fraction(1, 10**11), Fraction(1, 10**3)
LONG_SHAKES = (Fraction(1, 997), Fraction(-2, 1009), Fraction(3, 1013))  # that leave no number short
FEWEST, MOST = 6, 13  # decimals of what somebody cleans up before it is returned; of machine numbers
CERTAIN = 8  # powers of ten: how unlikely it is that numbers end there by chance
DECIMALS, ORDINARY = "decimals", range(4)
UNTOLD = (*NO_VALUE, VerificationError)  # beside a point at which a claim has a value it may have none, or refuse


def decimals(problem: Problem) -> int | None:
    """The number of decimals that a claim rounds to: all of its numbers that change end there, at ordinary points."""
    if not problem.claimed.floats_only:
        return None
    if DECIMALS not in problem.known:
        problem.known[DECIMALS] = _decimals(problem)
    return problem.known[DECIMALS]


def _decimals(problem: Problem) -> int | None:
    changed = set().union(*(_changed(problem, problem.draw(number)) for number in ORDINARY))
    for count in range(MOST + 1) if changed else ():
        if all(abs(round(x, count) - x) <= 2 * ulp(x) for x in changed):
            known = sum(max(0.0, -count - log10(4 * ulp(x))) for x in changed)
            return count if known > CERTAIN else None
    return None


def _changed(problem: Problem, point: Point) -> set[float]:
    """Numbers of a claim that are others beside a point."""
    found: set[float] = set()
    try:
        still = problem.claim(point, FloatWorld())
        for shake in LONG_SHAKES:
            moved = problem.claim(shaken(point, problem.question.variables, shake), FloatWorld())
            found |= {a for a, b in zip(moved, still, strict=True) if a != b}
    except UNTOLD:
        pass
    return found


def is_single(problem: Problem, point: Point) -> bool:
    """Whether a claim rounds to single precision: what it returns, or one of its variables, of which less is lost."""
    if not problem.claimed.floats_only:
        return False
    try:
        still = problem.claim(point, FloatWorld())
    except UNTOLD:
        return False
    is_long = not any(_is_short(float(x), BITS) for name in problem.claimed.arguments for x in point[name])
    if is_long and all(_is_short(x, BITS) for x in still) and not all(_is_short(x, MANY_BITS) for x in still):
        return True
    seen = NEXT_TO_NOTHING * max(abs(x) for values in point.values() for x in values)
    return any(_is_lost(problem, point, name, still, seen) for name in problem.claimed.arguments)


def _is_lost(problem: Problem, point: Point, name: str, still: list, seen: Fraction) -> bool:
    """Whether a change of a variable that doubles know is none to the claim, and a larger one is."""
    try:
        near, far = (
            problem.claim(shaken(point, problem.question.variables, shake, {name}), FloatWorld())
            for shake in (BELOW_SINGLE, ABOVE_SINGLE)
        )
    except UNTOLD:
        return False
    return near == still and max(abs(a - b) for a, b in zip(far, still, strict=True)) > seen


def _is_short(x: float, bits: int) -> bool:
    """Whether a number has no more than so many bits."""
    whole = frexp(x)[0] * 2**bits
    return whole == round(whole)


def precision_said(problem: Problem) -> str:
    """What a claim was compared to, for a report: ", to single precision"."""
    said = f"{problem.claimed.said} "
    if any(note.startswith(said + IN_SINGLE) for note in problem.claimed.notes):
        return ", to single precision"
    found = [
        note.removeprefix(said + TO_DECIMALS) for note in problem.claimed.notes if note.startswith(said + TO_DECIMALS)
    ]
    return f", to {found[0].split(':')[0]}" if found else ""
