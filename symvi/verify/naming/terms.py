"""Errors in the chain rule: one term of the derivative left out, turned over, doubled, halved, inverted.

Every operand of every operation on a function's tape is an edge, of which the slope of the outputs by the operation,
its own slope, and the slope of the operand by the variables make a product. A term is what a set of edges adds to the
derivative: one operand, all of a number, of an operation in all turns of a loop, of a line, or of one line in another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symvi.verify.asking.points import Point
from symvi.verify.judging.problem import Problem
from symvi.verify.judging.truth import first_derivative, outputs
from symvi.verify.reading.trace import Tape, Traced, TraceWorld, site_said, starts_of

BEFORE, AFTER = "what is computed before", "what follows"  # for what has no name
ON_THE_WAY, PART = "a number that the function computes on its way", "one number in"
USED = " where it is used in "
MOST = 4000  # operations of a function that is searched term by term
MOST_LINKS = 120  # pairs of lines that are tried
ARRAYS = range(2, 10)  # sizes of arrays of which one is computed from another
CHANGES = (
    ("transpose", "the transpose of", np.transpose),
    ("inverse", "the inverse of", np.linalg.inv),
    ("inverse", "the inverse transpose of", lambda matrix: np.linalg.inv(matrix).T),
)


@dataclass(frozen=True)
class Traces:
    """A function's tape at a point: the tape, where each variable starts on it, and the results at its end.

    These are the function's outputs, or for a second derivative its first one.
    """

    tape: Tape
    starts: dict[str, int]
    results: list


def traced(problem: Problem, point: Point) -> Traces:
    """The function's tape at a point. Raises what the function raises."""
    world = TraceWorld()
    values = {name: [world.variable(x) for x in entries] for name, entries in point.items()}
    starts = starts_of(values)
    world.tape.batch = 1
    of = outputs if problem.question.order == 1 else first_derivative
    return Traces(world.tape, starts, of(problem.function, problem.question, values, world))


class Edges:
    """All operands of a tape's operations: which operation, which operand, its slope; and both ends' slopes."""

    def __init__(self, problem: Problem, point: Point, traces: Traces):
        self.problem, self.tape, self.starts = problem, traces.tape, traces.starts
        tape, self.seeds = traces.tape, _seeds(problem, point, traces.starts)
        edges = [(i, p, slope) for i, parents in enumerate(tape.parents) for p, slope in parents]
        self.of, self.by = (np.array([edge[k] for edge in edges], dtype=int) for k in (0, 1))
        self.slopes = np.array([edge[2] for edge in edges])
        self.forward = np.zeros((len(tape.values), len(problem.question.directions)))
        for i, parents in enumerate(tape.parents):
            self.forward[i] = self.seeds.get(i, 0.0)
            for parent, slope in parents:
                self.forward[i] += slope * self.forward[parent]
        self.backward = np.zeros((len(tape.values), len(traces.results)))
        for row, result in enumerate(traces.results):
            if isinstance(result, Traced) and result.index is not None:
                self.backward[result.index, row] += 1.0
        for i in range(len(tape.values) - 1, -1, -1):
            for parent, slope in tape.parents[i]:
                self.backward[parent] += slope * self.backward[i]

    def share(self, chosen: Iterable[int]) -> np.ndarray:
        """What goes through some edges, rows by columns."""
        found = list(chosen)
        through = self.slopes[found, None] * self.forward[self.by[found]]
        return (self.backward[self.of[found]].T @ through).reshape(-1, self.problem.shape[-1])

    def through(self, source: list[int], target: list[int], matrix: np.ndarray) -> np.ndarray:
        """What goes from one array to another by a matrix."""
        return (self.backward[target].T @ matrix @ self.forward[source]).reshape(-1, self.problem.shape[-1])

    def local(self, source: list[int], target: list[int]) -> np.ndarray:
        """The slopes of an array by another one within the operation that makes it."""
        slopes = dict(zip(source, np.eye(len(source)), strict=True))
        for i in range(source[-1] + 1, target[-1] + 1):
            if self.tape.batches[i] == self.tape.batches[target[0]]:
                made_of = (slope * slopes[p] for p, slope in self.tape.parents[i] if p in slopes)
                slopes[i] = sum(made_of, np.zeros(len(source)))
        return np.array([slopes[i] for i in target])

    @cached_property
    def groups(self) -> list[tuple[str | None, int]]:
        """Of every number, the variable that it belongs to, or the line and the operation on arrays that make it."""
        found: list = list(zip(self.tape.places, self.tape.batches, strict=True))
        for name, start in self.starts.items():
            size = self.problem.question.variables[name].size
            found[start : start + size] = [(name, -1)] * size
        return found

    @cached_property
    def moving(self) -> list[bool]:
        """Which numbers are made of variables: a slope may be zero at one point, where roundings cancel."""
        found: list[bool] = []
        for i, parents in enumerate(self.tape.parents):
            found.append(i in self.seeds or any(found[parent] for parent, _ in parents))
        return found


def _seeds(problem: Problem, point: Point, starts: dict[str, int]) -> dict[int, np.ndarray]:
    """The slopes of the variables' own numbers along all directions."""
    directions = problem.question.directions
    found: dict[int, np.ndarray] = {}
    for column, (name, k) in enumerate(directions):
        values = [float(x) for x in point[name]]
        moved = problem.question.variables[name].moved(values, k, 1.0)
        for i, (after, before) in enumerate(zip(moved, values, strict=True)):
            found.setdefault(starts[name] + i, np.zeros(len(directions)))[column] = after - before
    return found


@dataclass(frozen=True)
class Term:
    """kind, place, says: in words. cost: the simpler, the smaller. shares: what it adds to the derivative, by point.

    says: what was done to it, "" where that follows from the difference: then it may be any multiple of the shares.
    """

    place: str
    cost: float
    shares: tuple[np.ndarray, ...]
    kind: str = "term"
    says: str = ""


def terms(both: list[Edges]) -> list[Term]:
    """The terms of a derivative, at both points: those of one tape are those of the other."""
    first = both[0]
    if any(len(e.of) != len(first.of) for e in both) or len(first.tape.values) > MOST or not len(first.of):
        return []
    found: dict[frozenset[int], tuple[str, float]] = {}
    for place, cost, chosen in _sets(first):
        found.setdefault(frozenset(chosen), (place, cost))
    plain = [Term(*said, tuple(e.share(sorted(chosen)) for e in both)) for chosen, said in found.items()]
    return plain + list(_other_matrices(both))


def _sets(edges: Edges) -> Iterator[tuple[str, float, list[int]]]:
    """Places, costs and edges of all terms."""
    tape, of, by = edges.tape, edges.of.tolist(), edges.by.tolist()
    lines: dict[str, list[int]] = {}
    sites: dict[object, list[int]] = {}
    numbers: dict[int, list[int]] = {}
    for e, (i, p) in enumerate(zip(of, by, strict=True)):
        if (line := tape.places[i]) and tape.places[p] != line:
            lines.setdefault(line, []).append(e)
        if tape.sites[i] is not None:
            sites.setdefault(tape.sites[i], []).append(e)
        if edges.moving[p]:
            numbers.setdefault(i, []).append(e)
    members = Counter(tape.places)
    yield from ((line, 2.0, chosen) for line, chosen in lines.items() if members[line] > 1)
    yield from _links(edges)
    for site, chosen in sites.items():
        if len({of[e] for e in chosen}) > 1:
            yield site_said(site, tape.places[of[chosen[0]]] or ""), 2.4, chosen
    places = _places_said(tape)
    yield from ((places[i], 2.5, chosen) for i, chosen in numbers.items())
    for i, chosen in numbers.items():
        if len(tape.parents[i]) > 1:
            yield from ((f"one factor in {places[i]}", 3.0, [e]) for e in chosen)


def _links(edges: Edges) -> Iterator[tuple[str, float, list[int]]]:
    """One operand of one operation on arrays, or of one line."""
    groups = edges.groups
    links: dict[tuple, list[int]] = {}
    for e, (i, p) in enumerate(zip(edges.of.tolist(), edges.by.tolist(), strict=True)):
        if groups[p] != groups[i] and (groups[p][0] or groups[i][0]):
            links.setdefault((groups[p], groups[i]), []).append(e)
    for chosen in links.values() if len(links) <= MOST_LINKS else ():
        one, use = (_site_of(edges, {int(ends[e]) for e in chosen}) for ends in (edges.by, edges.of))
        yield f"{one or BEFORE}{USED}{use or AFTER}", 2.2, chosen


def _site_of(edges: Edges, numbers: set[int]) -> str:
    """The operation that all of some numbers are made in, if it is one; the place of one of them otherwise."""
    tape, one = edges.tape, min(numbers)
    sites = {tape.sites[i] for i in numbers}
    site = sites.pop() if len(sites) == 1 else tape.sites[one]
    name, batch = edges.groups[one]
    return name or "" if batch == -1 or site is None else site_said(site, name or "")


def _other_matrices(both: list[Edges]) -> Iterator[Term]:
    """The matrix that takes one array to another one, with its transpose or inverse in its place."""
    arrays = list(_arrays(both[0]))
    for source, said in arrays:
        for target, name in arrays:
            if len(source) != len(target) or source[-1] >= target[0]:
                continue
            matrices = [edges.local(source, target) for edges in both]
            if not all(np.count_nonzero(matrix) > len(matrix) for matrix in matrices):
                continue  # nothing to turn over: not there, or diagonal
            for kind, words, change in CHANGES:
                try:
                    gaps = [change(matrix) - matrix for matrix in matrices]
                except np.linalg.LinAlgError:
                    continue
                shares = tuple(e.through(source, target, gap) for e, gap in zip(both, gaps, strict=True))
                says = f"{words} the matrix that takes {said} to {name}, for itself"
                yield Term(name, 2.5, shares, kind, says)


def _arrays(edges: Edges) -> Iterator[tuple[list[int], str]]:
    """Variables, and of every operation on arrays the numbers that no other one of it is made of."""
    tape, first = edges.tape, 0
    for name, start in edges.starts.items():
        size = edges.problem.question.variables[name].size
        first = max(first, start + size)
        yield from [(list(range(start, start + size)), name)] * (size in ARRAYS)
    members: dict[int, list[int]] = {}
    used: set[int] = set()
    for i in range(first, len(tape.values)):
        members.setdefault(tape.batches[i], []).append(i)
        used |= {parent for parent, _ in tape.parents[i] if tape.batches[parent] == tape.batches[i]}
    for numbers in members.values():
        last = [i for i in numbers if i not in used]
        if len(last) in ARRAYS and (place := tape.places[last[-1]]):
            yield last, site_said(tape.sites[last[-1]], place)


def _places_said(tape: Tape) -> list[str]:
    """Where every number is computed; of one among others, or of one without a place, what it is a part of."""
    located = [(site, place) for site, place in dict.fromkeys(zip(tape.sites, tape.places, strict=True)) if place]
    said = {key: site_said(*key) for key in located}
    members = Counter(tape.sites)
    found, after = [], ON_THE_WAY
    for site, place in zip(reversed(tape.sites), reversed(tape.places), strict=True):
        if not place:
            found.append(after)
            continue
        own = said[site, place]
        after = own if isinstance(site, str) else f"{PART} {own}"
        found.append(own if members[site] == 1 else after)
    return found[::-1]
