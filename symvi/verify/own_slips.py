"""A slip in the claim's own text: one number of it has a factor too many or too few, 4/h for 4/h² under a root.

The claim is written on a tape and evaluated again with one of its numbers changed: a slip is what makes it the truth,
at both points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from symvi.verify.errors import VerificationError
from symvi.verify.factors import power_words, product_words
from symvi.verify.points import Point
from symvi.verify.problem import NO_VALUE, Problem
from symvi.verify.terms import PART, Traces, adjoints, places_said
from symvi.verify.trace import Tape, TraceWorld, starts_of
from symvi.verify.worlds import Irrational

if TYPE_CHECKING:
    from symvi.verify.diagnosis import Bench

NEAR = 1e-9
MOST_TRIED, MOST_NUMBERS = 400, 200_000  # changes that are tried; numbers that are computed for them
NUMBERS = (Fraction(2), Fraction(1, 2), Fraction(-1), Fraction(4), Fraction(1, 4))
SCALARS = ("step", "scalar")
CONSTANT, OF_SCALARS, OTHER = range(3)  # what a number is made of
NO_TAPE = (*NO_VALUE, Irrational, VerificationError, TypeError, ValueError)


def own_slip(bench: Bench) -> tuple[str, str, float] | None:
    """(words, kind, cost) of the first change of one number that makes the claim the truth."""
    problem = bench.problem
    both = [traces for point in bench.points if (traces := _traced(problem, point)) is not None]
    sizes = {len(traces.tape.values) for traces in both}
    truths = [truth for truth in bench.matrices(bench.truth) if truth is not None]
    if len(both) < len(bench.points) or len(sizes) != 1 or 0 in sizes or len(truths) < len(both):
        return None
    left = min(MOST_TRIED, MOST_NUMBERS // sizes.pop())
    factors = list(_factors(bench))
    places = places_said(both[0].tape)
    for members in _candidates(problem, both[0]):
        for values, words, kind in factors:
            left -= 1
            if left < 0:
                return None
            pairs = zip(both, bench.points, values, truths, strict=True)
            if all(_is_truth(problem, point, traces, members, value, truth) for traces, point, value, truth in pairs):
                place = places[members[-1]]
                said = place if both[0].tape.sites[members[-1]] is None else place.removeprefix(f"{PART} ")
                return f"a slip in {problem.claimed.name} itself, {said}: {words}", kind, 2.5
    return None


def _traced(problem: Problem, point: Point, instead: Mapping[int, float] | None = None) -> Traces | None:
    """The claim's tape at a point; None where there is none."""
    world = TraceWorld() if instead is None else _Unplaced(instead)
    values = {name: [world.variable(x) for x in entries] for name, entries in point.items()}
    starts = starts_of(values)
    try:
        return Traces(world.tape, starts, problem.claim_at(values, world))
    except NO_TAPE:
        return None


class _Unplaced(TraceWorld):
    """A tape of which nobody asks where its numbers were computed, which takes long to say."""

    def at(self, value: object, place: object) -> None:
        pass


def _is_truth(problem: Problem, point: Point, before: Traces, members: tuple[int, ...], factor: float, truth) -> bool:
    """Whether the claim is the truth with some of its numbers divided by a factor."""
    changed = _traced(problem, point, {i: before.tape.values[i] / factor for i in members})
    if changed is None or len(changed.tape.values) != len(before.tape.values):
        return False
    found = np.array([float(getattr(x, "value", x)) for x in changed.results])
    return bool(np.abs(found - truth.ravel()).max() <= NEAR * np.abs(truth).max())


def _factors(bench: Bench) -> Iterator[tuple[tuple[float, ...], str, str]]:
    """(values at both points, words, kind): powers of scalars, those of the step first, and simple numbers."""
    variables = bench.problem.question.variables
    for wanted in SCALARS:
        for name, values in bench.factors.quantities.items():
            if name in variables and variables[name].kind == wanted:
                kind = "step" if wanted == "step" else "factor"
                for power in (1, -1):
                    yield tuple(v**power for v in values), power_words(name, power), kind
    for number in NUMBERS:
        kind = "sign" if number == -1 else "factor"
        yield tuple(float(number) for _ in bench.points), product_words(number, ""), kind


def _candidates(problem: Problem, traces: Traces) -> list[tuple[int, ...]]:
    """Numbers of the claim that one edit of its text changes together: what an operation of it gives.

    What is made of scalars alone comes first, then what has such a factor, then all others.
    """
    tape, made = traces.tape, _made_of(problem, traces)
    used = np.asarray(adjoints(tape, traces.results).any(axis=1))
    sites: dict[object, list[int]] = {}
    for i, site in enumerate(tape.sites):
        if tape.parents[i] and used[i]:
            sites.setdefault(i if site is None else site, []).append(i)
    given = [_results(tape, members) for members in sites.values()]

    def rank(members: tuple[int, ...]) -> tuple[int, bool]:
        parents = {made[p] for i in members for p, _ in tape.parents[i]}
        kind = 0 if parents == {OF_SCALARS} else 1 if OF_SCALARS in parents else 2
        return kind, tape.sites[members[0]] is None

    return sorted(given, key=rank)


def _results(tape: Tape, members: list[int]) -> tuple[int, ...]:
    """The numbers of an operation that no other number of it is made of."""
    inner = {parent for i in members for parent, _ in tape.parents[i]}
    return tuple(i for i in members if i not in inner)


def _made_of(problem: Problem, traces: Traces) -> list[int]:
    """What every number is made of."""
    found: list[int] = [CONSTANT] * len(traces.tape.values)
    for name, start in traces.starts.items():
        variable = problem.question.variables[name]
        for i in range(start, start + variable.size):
            found[i] = OF_SCALARS if variable.kind in SCALARS else OTHER
    for i, parents in enumerate(traces.tape.parents):
        if parents:
            found[i] = max(found[parent] for parent, _ in parents)
    return found
