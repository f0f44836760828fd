"""Arrays on a function's tape: vectors, quaternions and small matrices that it was given or computes on its way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from symvi.verify.asking.points import Point
from symvi.verify.judging.problem import NO_VALUE, Problem
from symvi.verify.naming.terms import Traces, adjoints, jacobian, slopes, traced
from symvi.verify.reading.trace import site_said

SIZES = range(2, 10)
MOST = 4000  # numbers on a tape that is searched
UNIT = 1e-9  # how far from one a unit quaternion's length is


@dataclass(frozen=True)
class Array:
    """members: its numbers on the tape. said: a variable's name, or where it is computed. given: a variable."""

    members: tuple[int, ...]
    said: str
    given: bool

    def values(self, traces: Traces) -> np.ndarray:
        return np.array([traces.tape.values[i] for i in self.members])


class Tapes:
    """A function's tapes at two points, with the slopes by the variables and of the outputs; arrays on them."""

    def __init__(self, problem: Problem, points: list[Point], both: list[Traces]):
        self.problem, self.points, self.both = problem, points, both
        self.forward = [slopes(problem, t.tape, t.starts, p) for t, p in zip(both, points, strict=True)]
        self.backward = [adjoints(t.tape, t.results) for t in both]
        self.whole = [jacobian(s, t.results) for s, t in zip(self.forward, both, strict=True)]
        self.arrays = list(_arrays(problem, both[0]))
        self.computed = [array for array in self.arrays if not array.given]

    def is_turn(self, array: Array) -> bool:
        """Whether it is a unit quaternion at both points."""
        return len(array.members) == 4 and all(
            abs(np.linalg.norm(array.values(traces)) - 1) < UNIT for traces in self.both
        )

    def through(self, array: Array, which: int) -> np.ndarray:
        """The part of the derivative at one of the points that goes through an array."""
        chosen = list(array.members)
        return self.backward[which][chosen].T @ self.forward[which][chosen]

    def with_values(self, array: Array, new: Callable[[int], np.ndarray]) -> list[np.ndarray] | None:
        """The derivatives with other values of an array, at both points; None where they go another way."""
        found = []
        for which, (point, before) in enumerate(zip(self.points, self.both, strict=True)):
            values = dict(zip(array.members, np.ravel(new(which)), strict=True))
            try:
                after = traced(self.problem, point, values)
            except NO_VALUE:
                return None
            if len(after.tape.values) != len(before.tape.values) or after.tape.places != before.tape.places:
                return None
            whole = jacobian(slopes(self.problem, after.tape, after.starts, point), after.results)
            found.append(whole)
        return found


def usable(problem: Problem, both: list[Traces]) -> bool:
    """Whether two tapes can be searched for arrays."""
    sizes = {len(traces.tape.values) for traces in both}
    return problem.question.order == 1 and len(both) == 2 and len(sizes) == 1 and max(sizes) <= MOST


def _arrays(problem: Problem, traces: Traces) -> Iterator[Array]:
    for name, start in traces.starts.items():
        size = problem.question.variables[name].size
        if size in SIZES:
            yield Array(tuple(range(start, start + size)), name, True)
    first = sum(problem.question.variables[name].size for name in traces.starts)
    for members in [*_groups(traces.tape, first, traces.tape.batches), *_groups(traces.tape, first, _named(traces))]:
        if len(members) in SIZES:
            last = members[-1]
            place = traces.tape.places[last] or ""
            yield Array(tuple(members), site_said(traces.tape.sites[last], place) or place, False)


def _named(traces: Traces) -> list[object]:
    """Places that are names, as symvi's own functions give them, not lines of code."""
    sites = zip(traces.tape.places, traces.tape.sites, strict=True)
    return [place if place and isinstance(site, str) else None for place, site in sites]


def _groups(tape, first: int, keys: list) -> Iterator[list[int]]:
    """The numbers of one operation that no other number of the same operation is made of."""
    members: dict[object, list[int]] = {}
    used: set[int] = set()
    for i in range(first, len(keys)):
        if keys[i] is not None:
            members.setdefault(keys[i], []).append(i)
            used |= {parent for parent, _ in tape.parents[i] if keys[parent] == keys[i]}
    for found in members.values():
        yield [i for i in found if i not in used]
