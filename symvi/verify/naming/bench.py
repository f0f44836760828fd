"""Claim, truth and candidates at two points of a way through the conditions: how they compare in a part of the matrix.

First in floats, which most explanations fail; what holds there is asked again in 60 digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from math import isfinite

import numpy as np

from symvi.verify.asking.effort import EVALUATED, Looks
from symvi.verify.asking.points import Point
from symvi.verify.errors import Endless, VerificationError
from symvi.verify.judging.branches import Branch
from symvi.verify.judging.problem import NO_VALUE, Problem
from symvi.verify.naming.candidates import Candidate, Matrix, matrix_of, true_candidate
from symvi.verify.naming.factors import Factors
from symvi.verify.naming.scopes import Layout, Scope
from symvi.verify.naming.terms import Edges, Term, Traces, terms, traced
from symvi.verify.reading.worlds import FloatWorld, Irrational, RealWorld

SEEN, SURE, ROUNDED = 1e-8, 1e-30, 1e-12
FAINT, MOST_FAINT, TRIED = 1e-6, 40, 400  # entries that say little in floats; points of such entries; points


class Bench:
    """Claim and truth at two points, and all that may stand in the place of the truth."""

    def __init__(self, problem: Problem, branch: Branch, layout: Layout, wrong: set[tuple[int, int]]):
        self.problem, self.layout, self.wrong, self.path = problem, layout, wrong, set(branch.path)
        self.points = list(_two_points(problem, branch))
        self.traces = self._traces()
        self.factors = Factors(problem.question.variables, self.points, self.traces)
        self.effort = Looks(problem.question.order)
        self.memory: dict = {}  # what candidates have in common: most of them need the truth itself
        self.known: dict[tuple[int, int], np.ndarray | None] = {}
        self.exact: dict[int, Matrix | None] = {}
        self.rounded = False  # whether constants of the code have the digits of machine numbers alone
        self.truth = true_candidate(problem)
        self.claim = Candidate("", "", 0.0, lambda point, world: matrix_of(problem, problem.claim(point, world)))

    @cached_property
    def claims(self) -> list[np.ndarray]:
        return [in_floats(self.claim.of(point, FloatWorld()) or []) for point in self.points]

    @cached_property
    def truths(self) -> list[np.ndarray]:
        """The truth at both points, which are such that it has a value."""
        found = [matrix for matrix in self.matrices(self.truth) if matrix is not None]
        if len(found) < len(self.points):
            raise ValueError(f"{self.problem.function.said} has no derivative at a point that was chosen")
        return found

    @cached_property
    def terms(self) -> list[Term]:
        if self.problem.in_floats or len(self.traces) < 2:
            return []
        both = zip(self.points, self.traces, strict=True)
        return terms([Edges(self.problem, point, trace) for point, trace in both])

    def _traces(self) -> list[Traces]:
        try:
            return [traced(self.problem, point) for point in self.points]
        except (*NO_VALUE, Irrational, VerificationError, TypeError, ValueError):
            return []

    # --- a candidate in floats ------------------------------------------------------------------------------------
    def matrices(self, candidate: Candidate) -> Iterator[np.ndarray | None]:
        """A candidate at one point after the other; None where it has no value."""
        for place, point in enumerate(self.points):
            key = id(candidate), place
            if key not in self.known:
                self.effort.spend(EVALUATED)
                self.known[key] = self._matrix(candidate, point)
            yield self.known[key]

    def _matrix(self, candidate: Candidate, point: Point) -> np.ndarray | None:
        world = FloatWorld()
        world.memory = self.memory
        try:
            found = candidate.of(point, world)
        except Endless:
            self.effort.left = 0
            return None
        except NO_VALUE:
            return None
        return in_floats(found) if found is not None and set(world.path()) <= self.path else None

    def ratios(self, candidate: Candidate, scope: Scope) -> tuple[float, ...] | None:
        """claim/candidate in a scope at both points, if it is one number at each."""
        found, part = [], window(scope)
        for claim, matrix in zip(self.claims, self.matrices(candidate), strict=True):
            one = None if matrix is None else ratio(claim[part], matrix[part])
            if one is None:
                return None  # the second point is for those that fit at the first
            found.append(one)
        return tuple(found)

    def is_truth(self, candidate: Candidate, scope: Scope) -> bool:
        """Whether a candidate says nothing of a scope: a row of a symmetric matrix is its column, turned over."""
        part = window(scope)
        pairs = zip(self.matrices(candidate), self.truths, strict=True)
        return all(matrix is None or are_alike(matrix[part], truth[part]) for matrix, truth in pairs)

    # --- and in 60 digits -----------------------------------------------------------------------------------------
    def is_sure(self, candidate: Candidate, scope: Scope, is_same: bool) -> bool:
        """Whether it is as floats say, at the first point, in 60 digits or those of the code's own constants.

        is_same: without a factor; one entry fits with some factor."""
        if self.problem.in_floats:
            return True
        claim, matrix = self._exactly(self.claim), self._exactly(candidate)
        near = ROUNDED if self.rounded else SURE
        found = None if claim is None or matrix is None else _proportion(claim, matrix, scope, near)
        return found is not None and (not is_same or abs(found - 1) <= near)

    def vanishes(self, one: Candidate, beside: Candidate, scope: Scope) -> bool:
        """Whether one matrix is zero in a scope, not only little beside another one: in 60 digits, if there are."""
        if self.problem.in_floats:
            return True
        little, large = self._exactly(one), self._exactly(beside)
        if little is None or large is None:
            return False
        size = max(abs(large[i][k]) for i, k in scope.places)
        return all(abs(little[i][k]) <= SURE * size for i, k in scope.places)

    def _exactly(self, candidate: Candidate) -> Matrix | None:
        """A candidate at the first point in 60 digits."""
        if id(candidate) not in self.exact:
            world = RealWorld()
            try:
                self.exact[id(candidate)] = candidate.of(self.points[0], world)
            except NO_VALUE:
                self.exact[id(candidate)] = None
            self.rounded |= bool(world.roundings)
        return self.exact[id(candidate)]


# --- two matrices -----------------------------------------------------------------------------------------------------
def in_floats(matrix: Matrix) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in matrix])


def window(scope: Scope) -> tuple[np.ndarray, ...]:
    """What picks a part out of an array."""
    return np.ix_(scope.rows, scope.columns)


def ratio(claim: np.ndarray, matrix: np.ndarray) -> float | None:
    """claim/matrix, two parts in floats, if it is one number; None otherwise. Zeros of both say nothing."""
    sizes = np.abs(matrix).ravel()
    largest = sizes.argmax()
    pivot, size = matrix.flat[largest], np.abs(claim).max()
    if not sizes[largest] > SEEN * size:
        return None
    found = claim.flat[largest] / pivot
    scale = max(size, abs(pivot * found)) or abs(pivot)
    return float(found) if np.abs(claim - found * matrix).max() <= SEEN * scale else None


def are_alike(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.abs(one - other).max() <= SEEN * np.abs(other).max())


def _proportion(claim: Matrix, matrix: Matrix, scope: Scope, near: float):
    """claim/matrix in a scope, of numbers with any number of digits, if it is one number; None otherwise."""
    places = list(scope.places)
    i, k = max(places, key=lambda place: abs(matrix[place[0]][place[1]]))
    pivot, size = matrix[i][k], max(abs(claim[i][k]) for i, k in places)
    if abs(pivot) <= near * size or not pivot:
        return None
    found = claim[i][k] / pivot
    scale = max(size, abs(pivot * found)) or abs(pivot)
    return None if any(abs(claim[i][k] - found * matrix[i][k]) > near * scale for i, k in places) else found


# --- where ------------------------------------------------------------------------------------------------------------
def _two_points(problem: Problem, branch: Branch) -> Iterable[Point]:
    """Two points of a branch at which claim and truth have values in floats, those that show the difference first."""
    if branch.aimed:
        return islice((point for point in branch.points if _visible(problem, branch, point) is not None), 2)
    found: list[Point] = []
    faint: list[Point] = []
    for point in points_of(problem, branch):
        if (size := _visible(problem, branch, point)) is not None:
            (found if size > FAINT else faint).append(point)
        if len(found) == 2 or len(faint) == MOST_FAINT:
            break
    return (found + faint)[:2]


def points_of(problem: Problem, branch: Branch, most: int = TRIED) -> Iterator[Point]:
    """Random points of a branch."""
    for point in map(problem.draw, range(most)):
        try:
            if problem.path(point, FloatWorld()) == branch.path:
                yield point
        except NO_VALUE:
            continue


def _visible(problem: Problem, branch: Branch, point: Point) -> float | None:
    """How visible what is wrong is at a point, and how large; None where machine numbers do not hold all entries."""
    try:
        truth, claim = problem.truth(point, FloatWorld()), problem.claim(point, FloatWorld())
    except NO_VALUE:  # as a truth that is known from nearby only
        return None
    if not all(isfinite(x) for x in (*truth, *claim)):
        return None
    sizes = [(max(abs(truth[k]), abs(claim[k])), abs(truth[k] - claim[k])) for k in branch.wrong]
    return max((min(size, apart / size if size else 0.0) for size, apart in sizes), default=1.0)
