"""What is wrong with a wrong derivative: all usual errors are tried, the simplest explanations are told.

An explanation holds if it gives every entry of its part of the matrix, the right ones too, at two points, in floats
and again in 60 digits. The largest parts are explained first; what nothing explains stays unexplained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import isfinite

import numpy as np

from symvi.verify.asking.effort import ADDED, EVALUATED, Looks, current
from symvi.verify.asking.points import Point
from symvi.verify.errors import Endless, VerificationError
from symvi.verify.judging.decide import Branch, Decision
from symvi.verify.judging.entries import Diagnosis
from symvi.verify.judging.problem import NO_VALUE, Problem
from symvi.verify.naming.additions import Shared, additions, zero
from symvi.verify.naming.comparing import SEEN, alike, in_floats, proportion, ratio, window
from symvi.verify.naming.conventions import other_convention, scalar_last
from symvi.verify.naming.factors import ZERO, Factors, all_known
from symvi.verify.naming.other_ways import right_elsewhere
from symvi.verify.naming.scopes import WHOLE, Layout, Place, Scope
from symvi.verify.naming.signs import lost_sign
from symvi.verify.naming.storage import stored_otherwise
from symvi.verify.naming.terms import Traces, traced
from symvi.verify.naming.unusual import unusual
from symvi.verify.naming.variants import (
    Matrix,
    Variant,
    matrix_of,
    other_variants,
    true_variant,
    usual_variants,
)
from symvi.verify.reading.worlds import DIGITS, FloatWorld, Irrational, RealWorld

SURE, ROUNDED = 1e-30, 1e-12
AS_SIMPLE = 1.0  # explanations that cost no more than this above the simplest are told with it
FAINT, MOST_FAINT = 1e-6, 40  # entries that say little in floats; points of such entries that are looked at
MOST_TOLD = 3
MOST_PLACES = 8  # with one and the same explanation that are told one by one


@dataclass(frozen=True)
class Found:
    """An explanation of a scope."""

    scope: Scope
    says: str
    kind: str
    cost: float
    variant: Variant | None = None


def diagnose(problem: Problem, decision: Decision) -> Iterator[Diagnosis]:
    """Explanations of the wrong entries, the simplest first."""
    if problem.transposed:
        yield Diagnosis(WHOLE, "the transpose", frozenset(), "transpose", 0.0)
    if not decision.wrong:
        return
    branch = _worst(decision)
    told = []
    try:
        with current().searching():
            told += _of_branch(problem, decision, branch)
    except Endless as error:
        problem.function.note(f"the search for a diagnosis was stopped: {error}")
    elsewhere = right_elsewhere(problem, decision.branches, branch)
    explained = frozenset().union(*(one.entries for one in told))
    if elsewhere is not None and (elsewhere.missed or not explained >= branch.wrong):
        told.insert(0, elsewhere.diagnosis)
    elif elsewhere is not None and not any(branch.said in one.where for one in told):
        told.append(elsewhere.diagnosis)  # what is known of it says not where it is
    yield from told


def _of_branch(problem: Problem, decision: Decision, branch: Branch) -> Iterator[Diagnosis]:
    """What the claim is on one way through the conditions."""
    other = other_convention(problem, branch) or scalar_last(problem, branch)
    if other is not None:
        yield other
        return
    if (almost := _almost_right(problem, decision)) is not None:
        yield almost
        return
    if (lost := lost_sign(problem, branch)) is not None:
        yield lost
        return
    somewhere_right = any(not each.wrong & branch.wrong for each in decision.branches)
    for found in Bench(problem, branch, decision.wrong).diagnoses():
        yield _in_branch(found, branch) if somewhere_right and branch.path else found


def _almost_right(problem: Problem, decision: Decision) -> Diagnosis | None:
    """What is said of differences that machine numbers do not see, where looking on would be guessing."""
    apart = max(branch.largest.get(k, 0.0) for branch in decision.branches for k in branch.wrong)
    if problem.in_floats or apart > SEEN:
        return None
    rounded = next((note for note in problem.claimed.notes + problem.function.notes if "round" in note), "")
    by = f"by {apart:.1e} of its size" if apart else f"beyond {DIGITS} digits"
    says = f"almost right, it differs {by}: {rounded or 'is a constant rounded?'}"
    return Diagnosis("what is wrong", says, frozenset(decision.wrong), "factor", 0.5)


def _in_branch(found: Diagnosis, branch: Branch) -> Diagnosis:
    part = "" if found.where == WHOLE else f", {found.where}"
    return replace(found, where=f"where {branch.said}{part}")


def _worst(decision: Decision) -> Branch:
    return max(decision.branches, key=lambda branch: len(branch.wrong))


def layout_of(problem: Problem) -> Layout:
    question, width = problem.question, problem.shape[-1]
    rows = 1 if len(problem.shape) == 1 else problem.shape[0]
    names = question.column_names()
    square = question.order == 2 and (bool(question.weights) or problem.rows == 1)
    if question.order == 2 and not square:
        count = len(names)
        blocks = {f"{name}'s derivative": range(i * count, (i + 1) * count) for i, name in enumerate(names)}
        columns = [f"{i} then {k}" for i in names for k in names]
    else:
        blocks, columns = question.blocks(), names
    row_names = names if square else [f"row {i}" for i in range(rows)]
    return Layout(rows, width, blocks, question.blocks() if square else {}, tuple(row_names), tuple(columns))


class Bench:
    """Claim and truth at two points, and all that may stand in the place of the truth."""

    def __init__(self, problem: Problem, branch: Branch, wrong: Iterable[int]):
        self.problem, self.branch, self.layout = problem, branch, layout_of(problem)
        self.wrong = {divmod(k, self.layout.columns) for k in wrong}
        self.points = list(_two_points(problem, branch))
        self.claims = [in_floats(matrix_of(problem, problem.claim(p, FloatWorld()))) for p in self.points]
        self.path = set(branch.path)
        self.traces = self._traces()
        self.factors = Factors(problem.question.variables, self.points, self.traces)
        self.memory: dict = {}  # what variants have in common: most of them need the truth itself
        self.known: dict[tuple[int, int], np.ndarray | None] = {}
        self.windows: dict[Scope, tuple[np.ndarray, ...]] = {}
        self.effort = Looks(problem.question.order)
        self.exact: dict[int, Matrix | None] = {}
        self.rounded = False  # whether constants of the code have the digits of machine numbers alone
        self.truth = true_variant(problem)
        self.claim = Variant("", "", 0.0, lambda point, world: matrix_of(problem, problem.claim(point, world)))
        self.variants: list[Variant] = [self.truth]
        self.shared = Shared(self)

    # --- the way through ----------------------------------------------------------------------------------------
    def diagnoses(self) -> Iterator[Diagnosis]:
        if len(self.points) < 2:
            return
        left, told = set(self.wrong), []
        stages: list[Callable[[], Iterable[Variant]]] = [
            lambda: chain(stored_otherwise(self.problem), usual_variants(self.problem), unusual(self.problem)),
            lambda: other_variants(self.problem),
        ]
        for stage in stages:
            self.variants += list(stage())
            for level in list(self.layout.levels(self.wrong))[:2]:
                told += self._explained(level, left)
            if not left:
                break
        if left:
            for level in self.layout.levels(set(left)):
                told += self._explained(level, left)
        if left and self.effort.over:
            told += self._zeros(left)
            self.problem.function.note("the search for a diagnosis was stopped before everything was tried")
        yield from _merged(self._without_chance(told, left))

    def _without_chance(self, told: list[Diagnosis], left: set[Place]) -> list[Diagnosis]:
        """Among many entries that nothing explains, a few that something explains one by one are hit by chance."""
        single = {one.entries for one in told if len(one.entries) == 1 and one.kind != "zero"}
        if len(left) <= len(single) or self.layout.rows * self.layout.columns == 1:
            return told
        return [one for one in told if one.entries not in single]

    def _zeros(self, left: set[Place]) -> Iterator[Diagnosis]:
        """What is quick to see of all that is left."""
        for level in self.layout.levels(set(left)):
            for scope in level:
                explains = {place for place in left if scope.holds(place)}
                for says, kind, cost in zero(self, scope) if explains else ():
                    entries = frozenset(i * self.layout.columns + k for i, k in explains)
                    yield Diagnosis(scope.where, says, entries, kind, cost + scope.cost)
                    left -= explains

    def _explained(self, level: list[Scope], left: set[Place]) -> list[Diagnosis]:
        """Diagnoses of the scopes of a level, the simplest first; what they explain is taken off `left`."""
        found: list[Found] = []
        for scope in level:
            if self.effort.over:
                break
            if any(scope.holds(place) for place in left):
                found += self._explanations(scope)
        told = []
        for one in sorted(found, key=lambda f: f.cost):
            explains = {place for place in left if one.scope.holds(place)}
            if not explains:
                continue
            alike = [f for f in found if f.cost <= one.cost + AS_SIMPLE and explains <= set(f.scope.places)]
            told += self._told(alike, explains)
            left -= explains
        return told

    def _told(self, alike: list[Found], explains: set[Place]) -> list[Diagnosis]:
        said: dict[str, Diagnosis] = {}
        for one in sorted(alike, key=lambda f: f.cost):
            if len(said) < MOST_TOLD and one.says not in said:
                entries = frozenset(i * self.layout.columns + k for i, k in explains)
                said[one.says] = Diagnosis(one.scope.where, one.says, entries, one.kind, one.cost)
        return list(said.values())

    # --- one scope ----------------------------------------------------------------------------------------------
    def _explanations(self, scope: Scope) -> list[Found]:
        found = []
        for variant in self.variants:
            if self.effort.over:
                return found
            if (one := self._by_variant(variant, scope)) is not None:
                found.append(one)
        if not self.effort.over and (not found or min(f.cost for f in found) > 1.5):
            self.effort.spend(ADDED)
            found += [Found(scope, says, kind, cost + scope.cost) for says, kind, cost in additions(self, scope)]
        return found

    def matrices(self, variant: Variant) -> list[np.ndarray | None]:
        """A variant at both points, in floats."""
        return [self.matrix(variant, place) for place in range(len(self.points))]

    def matrix(self, variant: Variant, place: int) -> np.ndarray | None:
        """A variant at one of the points, in floats; None where it has no value."""
        key = id(variant), place
        if key not in self.known:
            self.effort.spend(EVALUATED)
            self.known[key] = self._matrix(variant, self.points[place])
        return self.known[key]

    def _matrix(self, variant: Variant, point: Point) -> np.ndarray | None:
        world = FloatWorld()
        world.memory = self.memory
        try:
            found = variant.of(point, world)
        except Endless:
            self.effort.left = 0
            return None
        except NO_VALUE:
            return None
        return in_floats(found) if found is not None and set(world.path()) <= self.path else None

    def _traces(self) -> list[Traces]:
        try:
            return [traced(self.problem, point) for point in self.points]
        except (*NO_VALUE, Irrational, VerificationError, TypeError, ValueError):
            return []

    def _by_variant(self, variant: Variant, scope: Scope) -> Found | None:
        part_of = self._stored(variant, scope) if variant.stored else scope
        if part_of is None or not self._concerns(variant, scope):
            return None
        scope = part_of
        self.effort.spend(1)
        ratios, part = [], self._window(scope)
        for place, claim in enumerate(self.claims):
            matrix = self.matrix(variant, place)  # the second point is for those that fit at the first
            found = None if matrix is None else ratio(claim[part], matrix[part])
            if found is None:
                return None
            ratios.append(found)
        if variant is not self.truth and self._is_truth(variant, scope):
            return None
        named = self.factors.name(tuple(ratios), simple=variant is not self.truth)
        if named is None or (named[1] == ZERO and variant is not self.truth):
            return None
        cost, words = named
        if words and variant is not self.truth and self._is_scattered(scope):
            return None  # two errors at once, in one entry of many, are found by chance
        if words and variant is not self.truth and self._is_simple(scope):
            return None
        if not words and variant is self.truth or not self._sure(variant, scope, not words):
            return None
        if words == ZERO and not self.vanishes(self.claim, variant, scope):
            return None
        says = "; ".join(part for part in (variant.says, words) if part)
        kind = variant.kind if variant is not self.truth else _kind_of(words, self.problem)
        return Found(self._part(variant, scope), says, kind, variant.cost + cost + scope.cost, variant)

    def _is_truth(self, variant: Variant, scope: Scope) -> bool:
        """Whether a variant says nothing of a scope: a single row of a symmetric matrix is its column, turned over."""
        pairs, part = zip(self.matrices(variant), self.matrices(self.truth), strict=True), self._window(scope)
        return all(matrix is None or truth is None or alike(matrix[part], truth[part]) for matrix, truth in pairs)

    def _window(self, scope: Scope) -> tuple[np.ndarray, ...]:
        if scope not in self.windows:
            self.windows[scope] = window(scope)
        return self.windows[scope]

    def _is_scattered(self, scope: Scope) -> bool:
        return len(scope.rows) * len(scope.columns) == 1 < self.layout.rows * self.layout.columns

    def _is_simple(self, scope: Scope) -> bool:
        """Whether what is wrong in a scope is the truth times a simple factor: one error is less than two at once."""
        rows, columns = zip(*(place for place in self.wrong if scope.holds(place)), strict=True)
        both = zip(self.claims, self.shared.truths(), strict=True)
        ratios = all_known(ratio(claim[rows, columns], truth[rows, columns]) for claim, truth in both)
        return ratios is not None and self.factors.name(ratios, simple=True) is not None

    def _stored(self, variant: Variant, scope: Scope) -> Scope | None:
        """All of what is stored otherwise, for a part of it: an order of storage is never that of one wrong entry."""
        rows, columns = variant.rows or range(self.layout.rows), variant.columns or range(self.layout.columns)
        if sum(i in rows and k in columns for i, k in self.wrong) < 2:
            return None
        if set(rows) <= set(scope.rows) and set(columns) <= set(scope.columns):
            return scope
        if not (set(scope.rows) <= set(rows) and set(scope.columns) <= set(columns)):
            return None
        return Scope(self.layout.said(rows, columns), tuple(rows), tuple(columns), scope.cost)

    def _part(self, variant: Variant, scope: Scope) -> Scope:
        """The scope, or the part of it that a variant is about."""
        if variant.rows is None and variant.columns is None:
            return scope
        rows = tuple(i for i in scope.rows if variant.rows is None or i in variant.rows)
        columns = tuple(k for k in scope.columns if variant.columns is None or k in variant.columns)
        return Scope(self.layout.said(rows, columns), rows, columns, scope.cost)

    def _concerns(self, variant: Variant, scope: Scope) -> bool:
        rows, columns = variant.rows or scope.rows, variant.columns or scope.columns
        return any(scope.holds((i, k)) and i in rows and k in columns for i, k in self.wrong)

    def _sure(self, variant: Variant, scope: Scope, is_same: bool) -> bool:
        """Once more in 60 digits, at the first point, or in those that the code's own constants have.

        is_same: without a factor; one entry fits with some factor."""
        if self.problem.in_floats:
            return True
        claim, matrix = self._exactly(self.claim), self._exactly(variant)
        near = ROUNDED if self.rounded else SURE
        found = None if claim is None or matrix is None else proportion(claim, matrix, scope, near)
        return found is not None and (not is_same or abs(found - 1) <= near)

    def vanishes(self, one: Variant, beside: Variant, scope: Scope) -> bool:
        """Whether one matrix is zero in a scope, not only little beside another one: in 60 digits, if there are."""
        if self.problem.in_floats:
            return True
        little, large = self._exactly(one), self._exactly(beside)
        if little is None or large is None:
            return False
        size = max(abs(large[i][k]) for i, k in scope.places)
        return all(abs(little[i][k]) <= SURE * size for i, k in scope.places)

    def _exactly(self, variant: Variant) -> Matrix | None:
        """A variant at the first point in 60 digits."""
        if id(variant) not in self.exact:
            self.exact[id(variant)] = self._in_digits(variant)
        return self.exact[id(variant)]

    def _in_digits(self, variant: Variant) -> Matrix | None:
        world = RealWorld()
        try:
            return variant.of(self.points[0], world)
        except NO_VALUE:
            return None
        finally:
            self.rounded |= bool(world.roundings)


def _merged(told: list[Diagnosis]) -> Iterator[Diagnosis]:
    """What is said of several parts, said once."""
    alike: dict[tuple[str, str], list[Diagnosis]] = {}
    for one in told:
        alike.setdefault((one.kind, one.says), []).append(one)
    for (kind, says), group in alike.items():
        places = list(dict.fromkeys(one.where for one in group))
        where = "; ".join(places[:MOST_PLACES])
        if len(places) > MOST_PLACES:
            where += f"; and {len(places) - MOST_PLACES} more parts"
        entries = frozenset().union(*(one.entries for one in group))
        yield Diagnosis(where, says, entries, kind, min(one.cost for one in group))


def _kind_of(words: str, problem: Problem) -> str:
    if words == ZERO:
        return "missing"
    steps = [name for name, variable in problem.question.variables.items() if variable.kind == "step"]
    if any(f"factor {name}" in words for name in steps):
        return "step"
    return "sign" if words == "the wrong sign" else "factor"


def _two_points(problem: Problem, branch: Branch) -> Iterator[Point]:
    """Two points of a branch at which claim and truth have values in floats, those that show the difference first."""
    if branch.aimed:
        yield from islice((point for point in branch.points if _has_values(problem, point)), 2)
        return
    found: list[Point] = []
    faint: list[Point] = []
    for number in range(400):
        point = problem.draw(number)
        try:
            if problem.path(point, FloatWorld()) != branch.path:
                continue
            size = _size(problem, branch, point)
        except NO_VALUE:
            continue
        if size is None:
            continue
        (found if size > FAINT else faint).append(point)
        if len(found) == 2 or len(faint) == MOST_FAINT:
            break
    yield from (found + faint)[:2]


def _has_values(problem: Problem, point: Point) -> bool:
    """Whether claim and truth have values in floats: a truth that is known from nearby only has none."""
    try:
        return all(map(isfinite, (*problem.truth(point, FloatWorld()), *problem.claim(point, FloatWorld()))))
    except NO_VALUE:
        return False


def _size(problem: Problem, branch: Branch, point: Point) -> float | None:
    """How visible what is wrong is at a point, and how large; None where machine numbers do not hold all entries."""
    truth, claim = problem.truth(point, FloatWorld()), problem.claim(point, FloatWorld())
    if not all(isfinite(x) for x in (*truth, *claim)):
        return None
    sizes = [(max(abs(truth[k]), abs(claim[k])), abs(truth[k] - claim[k])) for k in branch.wrong]
    return max((min(size, apart / size if size else 0.0) for size, apart in sizes), default=1.0)
