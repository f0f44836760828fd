"""Errors in the chain rule: one term of the derivative left out, turned over, doubled or halved.

Every number on a function's tape, and every operand of every operation, is a place where a derivative by hand may have
gone wrong. What such a term adds to the derivative is a product: the slope of the outputs by the place times the slope
of the place by the variables. Numbers that were computed in one line of a user's code are tried together as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from symvi.verify.asking.points import Point
from symvi.verify.judging.problem import Problem
from symvi.verify.judging.truth import first_derivative, outputs
from symvi.verify.reading.trace import Tape, Traced, TraceWorld, site_said, starts_of

MOST_LINKS = 120  # operands of arrays that are tried one by one
BEFORE, AFTER = "what is computed before", "what follows"  # for what has no name
ON_THE_WAY, PART = "a number that the function computes on its way", "one number in"
MOST = 4000  # operations of a function that is searched term by term


@dataclass(frozen=True)
class Term:
    """place: where it is computed. share: what it contributes to the derivative, rows by columns.

    nodes, edges: the numbers, and the operands by number and position, of which all that goes through one is the term.
    """

    place: str
    share: np.ndarray
    cost: float
    nodes: frozenset[int] = frozenset()
    edges: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class Traces:
    """A function's tape at a point: the tape, where each variable starts on it, and the results at its end.

    These are the function's outputs, or for a second derivative its first one.
    """

    tape: Tape
    starts: dict[str, int]
    results: list


def traced(problem: Problem, point: Point, instead: Mapping[int, float] | None = None) -> Traces:
    """The function's tape at a point; instead: numbers of it with other values. Raises what the function raises."""
    world = TraceWorld(instead)
    values = {name: [world.variable(x) for x in entries] for name, entries in point.items()}
    starts = starts_of(values)
    world.tape.batch = 1
    of = outputs if problem.question.order == 1 else first_derivative
    return Traces(world.tape, starts, of(problem.function, problem.question, values, world))


def terms(problem: Problem, point: Point, traces: Traces) -> list[Term]:
    """The terms of a derivative at a point; the same ones, in the same order, at every point of a branch."""
    tape, starts, results = traces.tape, traces.starts, traces.results
    if len(tape.values) > MOST:
        return []
    forward = slopes(problem, tape, starts, point)
    backward = adjoints(tape, results)
    variables = [name for name in starts for _ in point[name]]
    found = [*_lines(tape, forward, results), *_links(tape, forward, results, variables)]
    found += [*_sites(tape, forward, backward)]
    moving = _moving(tape, _seeds(problem, point, starts))
    places = places_said(tape)
    found += [*_numbers(tape, forward, backward, moving, places), *_operands(tape, forward, backward, moving, places)]
    columns = problem.shape[-1]
    return [replace(term, share=term.share.reshape(-1, columns)) for term in found]


def _seeds(problem: Problem, point: Point, starts) -> dict[int, np.ndarray]:
    """The slopes of the variables' own numbers along all directions."""
    directions = problem.question.directions
    found: dict[int, np.ndarray] = {}
    for column, (name, k) in enumerate(directions):
        values = [float(x) for x in point[name]]
        moved = problem.question.variables[name].moved(values, k, 1.0)
        for i, (after, before) in enumerate(zip(moved, values, strict=True)):
            found.setdefault(starts[name] + i, np.zeros(len(directions)))[column] = after - before
    return found


def slopes(problem: Problem, tape, starts, point: Point) -> np.ndarray:
    seeds = _seeds(problem, point, starts)
    found = np.zeros((len(tape.values), len(problem.question.directions)))
    for i, parents in enumerate(tape.parents):
        if i in seeds:
            found[i] = seeds[i]
        for parent, slope in parents:
            found[i] += slope * found[parent]
    return found


def adjoints(tape, results: list) -> np.ndarray:
    """The slope of every output by every number."""
    found = np.zeros((len(tape.values), len(results)))
    for row, result in enumerate(results):
        if isinstance(result, Traced) and result.index is not None:
            found[result.index, row] += 1.0
    for i in range(len(tape.values) - 1, -1, -1):
        for parent, slope in tape.parents[i]:
            found[parent] += slope * found[i]
    return found


def _lines(tape, slopes: np.ndarray, results: list) -> Iterator[Term]:
    """All that one line of code computes, held constant."""
    places = dict.fromkeys(place for place in tape.places if place)
    total = jacobian(slopes, results)
    for place in places:
        members = [i for i, p in enumerate(tape.places) if p == place]
        if len(members) < 2:
            continue
        nodes = frozenset(members)
        yield Term(place, total - jacobian(held(tape, slopes, nodes), results), 2.0, nodes)


def held(tape, slopes: np.ndarray, nodes: frozenset[int], edges: frozenset[tuple[int, int]] = frozenset()):
    """The slopes with some numbers, and some operands of numbers, held constant."""
    found = slopes.copy()
    for i, parents in enumerate(tape.parents):
        if i in nodes:
            found[i] = 0.0
        elif parents:
            found[i] = 0.0
            for position, (parent, slope) in enumerate(parents):
                if (i, position) not in edges:
                    found[i] += slope * found[parent]
    return found


def _links(tape, slopes: np.ndarray, results: list, variables: list[str]) -> Iterator[Term]:
    """One operand of one operation on arrays, or of one line, held constant there; `variables`: the first numbers."""
    groups = [(place, batch) for place, batch in zip(tape.places, tape.batches, strict=True)]
    groups[: len(variables)] = [(name, -1) for name in variables]
    said = {group: site_said(site, group[0]) for group, site in zip(groups, tape.sites, strict=True)}
    links: dict[tuple, set[tuple[int, int]]] = {}
    for i, parents in enumerate(tape.parents):
        for position, (parent, _) in enumerate(parents):
            if groups[parent] != groups[i] and (groups[parent][0] or groups[i][0]):
                links.setdefault((groups[parent], groups[i]), set()).add((i, position))
    if len(links) > MOST_LINKS:
        return
    total = jacobian(slopes, results)
    for (source, target), edges in links.items():
        parents = {tape.parents[i][position][0] for i, position in edges}
        one, use = _site_of(tape, parents, said[source]), _site_of(tape, {i for i, _ in edges}, said[target])
        place = f"{one or BEFORE} where it is used in {use or AFTER}"
        cut = frozenset(edges)
        yield Term(place, total - jacobian(held(tape, slopes, frozenset(), cut), results), 2.2, edges=cut)


def _site_of(tape, numbers: set[int], otherwise: str) -> str:
    """The operation that all of some numbers are made in, if it is one: scalars of several are one group."""
    sites = {tape.sites[i] for i in numbers}
    one = sites.pop() if len(sites) == 1 else None
    return otherwise if one is None else site_said(one, tape.places[min(numbers)])


def jacobian(slopes: np.ndarray, results: list) -> np.ndarray:
    empty = np.zeros(slopes.shape[1])
    return np.array([slopes[r.index] if isinstance(r, Traced) and r.index is not None else empty for r in results])


def _sites(tape, slopes: np.ndarray, adjoints: np.ndarray) -> Iterator[Term]:
    """What one operation of the code computes in all turns of a loop."""
    members: dict[object, list[int]] = {}
    for i, site in enumerate(tape.sites):
        if site is not None and tape.parents[i]:
            members.setdefault(site, []).append(i)
    for site, found in members.items():
        if len(found) > 1:
            none = np.zeros((adjoints[0].size, slopes[0].size))
            share = sum((np.outer(adjoints[i], slopes[i]) for i in found), none)
            yield Term(site_said(site, tape.places[found[0]]), share, 2.4, frozenset(found))


def _moving(tape, seeds: Mapping[int, np.ndarray]) -> list[bool]:
    """Which numbers are made of variables: a slope may be zero at one point, where roundings cancel."""
    found: list[bool] = []
    for i, parents in enumerate(tape.parents):
        found.append(i in seeds or any(found[parent] for parent, _ in parents))
    return found


def _numbers(tape, slopes: np.ndarray, adjoints: np.ndarray, moving: list[bool], places: list[str]) -> Iterator[Term]:
    for i, parents in enumerate(tape.parents):
        if parents and moving[i]:
            yield Term(places[i], np.outer(adjoints[i], slopes[i]), 2.5, frozenset({i}))


def _operands(tape, slopes: np.ndarray, adjoints: np.ndarray, moving: list[bool], places: list[str]) -> Iterator[Term]:
    for i, parents in enumerate(tape.parents):
        if len(parents) < 2:
            continue
        for position, (parent, slope) in enumerate(parents):
            if moving[parent]:
                share = np.outer(adjoints[i], slope * slopes[parent])
                yield Term(f"one factor in {places[i]}", share, 3.0, edges=frozenset({(i, position)}))


def places_said(tape: Tape) -> list[str]:
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
