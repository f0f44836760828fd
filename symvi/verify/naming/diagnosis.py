"""What is wrong with a wrong derivative: all usual errors are tried, the simplest explanations are told.

An explanation holds if it gives every entry of its part of the matrix, the right ones too, at two points, in floats
and again in 60 digits. The largest parts are explained first; what nothing explains stays unexplained.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from symvi.verify.asking.effort import ADDED, current
from symvi.verify.errors import Endless
from symvi.verify.judging.decide import Branch, Decision
from symvi.verify.judging.entries import Diagnosis
from symvi.verify.judging.problem import Problem
from symvi.verify.naming.bench import SEEN, Bench, are_alike, ratio, window
from symvi.verify.naming.candidates import Candidate, candidates
from symvi.verify.naming.factors import ZERO, all_known
from symvi.verify.naming.scopes import WHOLE, Place, Scope, layout_of
from symvi.verify.naming.terms import AFTER, BEFORE, ON_THE_WAY, PART, USED, Term
from symvi.verify.naming.ways import of_the_whole, right_elsewhere

AS_SIMPLE = 1.0  # explanations that cost no more than this above the simplest are told with it
SIMPLE = 1.5  # where an explanation costs no more, no terms are tried
MOST_TOLD = 3
MOST_PLACES = 8  # with one and the same explanation that are told one by one
MOST_TERMS = 3  # that are told of one part
LINE = re.compile(r"[^ ]+:\d+")  # in the places of terms
VAGUE = 8  # of a place that names nothing


@dataclass(frozen=True)
class Found:
    """An explanation of a scope."""

    scope: Scope
    says: str
    kind: str
    cost: float


def diagnose(problem: Problem, decision: Decision) -> Iterator[Diagnosis]:
    """Explanations of the wrong entries, the simplest first."""
    if problem.transposed:
        yield Diagnosis(WHOLE, "the transpose", frozenset(), "transpose", 0.0)
    if not decision.wrong:
        return
    branch = max(decision.branches, key=lambda branch: len(branch.wrong))
    told: list[Diagnosis] = []
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
    if (one := of_the_whole(problem, decision, branch)) is not None:
        yield one
        return
    somewhere_right = any(not each.wrong & branch.wrong for each in decision.branches)
    for found in Search(problem, branch, decision.wrong).diagnoses():
        part = "" if found.where == WHOLE else f", {found.where}"
        yield replace(found, where=f"where {branch.said}{part}") if somewhere_right and branch.path else found


class Search:
    """The way from the largest parts to single entries, and what explains each."""

    def __init__(self, problem: Problem, branch: Branch, wrong: Iterable[int]):
        self.problem, self.layout = problem, layout_of(problem)
        self.wrong = {divmod(k, self.layout.columns) for k in wrong}
        self.bench = Bench(problem, branch, self.layout, self.wrong)
        self.effort = self.bench.effort
        self.candidates: list[Candidate] = [self.bench.truth]

    def diagnoses(self) -> Iterator[Diagnosis]:
        if len(self.bench.points) < 2:
            return
        left, told = set(self.wrong), []
        for more in candidates(self.problem):
            self.candidates += more
            for level in list(self.layout.levels(self.wrong))[:2]:
                told += self._explained(level, left)
            if not left:
                break
        for level in self.layout.levels(set(left)) if left else ():
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
                for one in self._zero(scope) if explains else ():
                    yield self._diagnosis(one, explains)
                    left -= explains

    def _diagnosis(self, one: Found, explains: set[Place]) -> Diagnosis:
        entries = frozenset(i * self.layout.columns + k for i, k in explains)
        return Diagnosis(one.scope.where, one.says, entries, one.kind, one.cost)

    def _explained(self, level: list[Scope], left: set[Place]) -> list[Diagnosis]:
        """Diagnoses of the scopes of a level, the simplest first; what they explain is taken off `left`."""
        found: list[Found] = []
        for scope in level:
            if not self.effort.over and any(scope.holds(place) for place in left):
                found += self._explanations(scope)
        told, found = [], sorted(found, key=lambda f: f.cost)
        for one in found:
            if explains := {place for place in left if one.scope.holds(place)}:
                alike = [f for f in found if f.cost <= one.cost + AS_SIMPLE and explains <= set(f.scope.places)]
                simplest = {f.says: f for f in reversed(alike)}
                told += [self._diagnosis(f, explains) for f in alike if f is simplest[f.says]][:MOST_TOLD]
                left -= explains
        return told

    # --- one scope ------------------------------------------------------------------------------------------------
    def _explanations(self, scope: Scope) -> list[Found]:
        found = []
        for candidate in self.candidates:
            if self.effort.over:
                return found
            if (one := self._by_candidate(candidate, scope)) is not None:
                found.append(one)
        if not self.effort.over and (not found or min(f.cost for f in found) > SIMPLE):
            self.effort.spend(ADDED)
            for source in (self._zero, self._permuted, self._by_terms):
                found += source(scope)
        return found

    def _by_candidate(self, candidate: Candidate, scope: Scope) -> Found | None:
        part = self._stored(candidate, scope) if candidate.stored else scope
        if part is None or not self._concerns(candidate, scope):
            return None
        self.effort.spend(1)
        bench, is_truth = self.bench, candidate is self.bench.truth
        ratios = bench.ratios(candidate, part)
        if ratios is None or (not is_truth and bench.is_truth(candidate, part)):
            return None
        named = bench.factors.name(ratios, simple=not is_truth)
        if named is None:
            return None
        cost, words = named
        if is_truth:
            is_worth = bool(words)
        else:  # two errors at once, in one entry of many or where one is enough, are found by chance
            is_worth = words != ZERO and not (words and (self._is_scattered(part) or self._is_simple(part)))
        if not is_worth or not bench.is_sure(candidate, part, not words):
            return None
        if words == ZERO and not bench.vanishes(bench.claim, candidate, part):
            return None
        says = "; ".join(text for text in (candidate.says, words) if text)
        kind = self._kind_of(words) if is_truth else candidate.kind
        return Found(self._part(candidate, part), says, kind, candidate.cost + cost + part.cost)

    def _kind_of(self, words: str) -> str:
        if words == ZERO:
            return "missing"
        steps = [name for name, variable in self.problem.question.variables.items() if variable.kind == "step"]
        if any(f"factor {name}" in words for name in steps):
            return "step"
        return "sign" if words == "the wrong sign" else "factor"

    def _is_scattered(self, scope: Scope) -> bool:
        return len(scope.rows) * len(scope.columns) == 1 < self.layout.rows * self.layout.columns

    def _is_simple(self, scope: Scope) -> bool:
        """Whether what is wrong in a scope is the truth times a simple factor: one error is less than two at once."""
        places = tuple(zip(*(place for place in self.wrong if scope.holds(place)), strict=True))
        both = zip(self.bench.claims, self.bench.truths, strict=True)
        ratios = all_known(ratio(claim[places], truth[places]) for claim, truth in both)
        return ratios is not None and self.bench.factors.name(ratios, simple=True) is not None

    def _stored(self, candidate: Candidate, scope: Scope) -> Scope | None:
        """All of what is stored otherwise, for a part of it: an order of storage is never that of one wrong entry."""
        rows, columns = candidate.rows or range(self.layout.rows), candidate.columns or range(self.layout.columns)
        if sum(i in rows and k in columns for i, k in self.wrong) < 2:
            return None
        if {*rows} <= {*scope.rows} and {*columns} <= {*scope.columns}:
            return scope
        if not ({*scope.rows} <= {*rows} and {*scope.columns} <= {*columns}):
            return None
        return Scope(self.layout.said(rows, columns), tuple(rows), tuple(columns), scope.cost)

    def _part(self, candidate: Candidate, scope: Scope) -> Scope:
        """The scope, or the part of it that a candidate is about."""
        if candidate.rows is None and candidate.columns is None:
            return scope
        rows = tuple(i for i in scope.rows if candidate.rows is None or i in candidate.rows)
        columns = tuple(k for k in scope.columns if candidate.columns is None or k in candidate.columns)
        return Scope(self.layout.said(rows, columns), rows, columns, scope.cost)

    def _concerns(self, candidate: Candidate, scope: Scope) -> bool:
        rows, columns = candidate.rows or scope.rows, candidate.columns or scope.columns
        return any(scope.holds((i, k)) and i in rows and k in columns for i, k in self.wrong)

    # --- by what both matrices are --------------------------------------------------------------------------------
    def _zero(self, scope: Scope) -> Iterator[Found]:
        bench, part = self.bench, window(scope)
        both = zip(bench.claims, bench.truths, strict=True)
        little = all(np.abs(truth[part]).max() < SEEN * np.abs(claim[part]).max() for claim, truth in both)
        if little and bench.vanishes(bench.truth, bench.claim, scope):
            says = "should be zero: the function does not change in these directions"
            yield Found(scope, says, "zero", 1.0 + scope.cost)

    def _permuted(self, scope: Scope) -> Iterator[Found]:
        """Rows, or columns, that stand in each other's place."""
        if min(len(scope.rows), len(scope.columns)) < 2:
            return
        names = [name.removeprefix("row ") for name in self.layout.row_names], self.layout.column_names
        for what, axis, lines in (("rows", 0, scope.rows), ("columns", 1, scope.columns)):
            orders = [
                _order(*(np.moveaxis(m[window(scope)], axis, 0) for m in pair))
                for pair in zip(self.bench.claims, self.bench.truths, strict=True)
            ]
            if orders[0] is None or orders[0] != orders[1]:
                continue
            moved = [(names[axis][lines[k]], names[axis][lines[i]]) for i, k in enumerate(orders[0]) if i != k]
            there, wanted = zip(*moved, strict=True)
            says = f"a permutation of its {what}: {', '.join(there)} where {', '.join(wanted)} should be"
            if len(moved) == 2:
                says = f"its {what} {wanted[0]} and {wanted[1]} exchanged"
            yield Found(scope, says, "order", 1.0 + 0.2 * (len(moved) > 2) + scope.cost)

    # --- by a term of the chain rule ------------------------------------------------------------------------------
    def _by_terms(self, scope: Scope) -> Iterator[Found]:
        part, bench = window(scope), self.bench
        deltas = [(claim - truth)[part] for claim, truth in zip(bench.claims, bench.truths, strict=True)]
        found: dict[str, list[tuple[float, Term]]] = {}  # what happened -> terms that explain it: of one share
        for term in bench.terms:
            shares = [share[part] for share in term.shares]
            if not _may_fit(deltas[0], shares[0]) or are_alike(shares[0], bench.truths[0][part]):
                continue  # the whole of it: nothing is said by calling it a term
            if (said := self._said(deltas, shares, term)) is not None:
                found.setdefault(said[1], []).append((term.cost + said[0], term))
        named = {words: min((term for _, term in alike), key=_vague) for words, alike in found.items()}
        least = min(map(_vague, named.values()), default=0)
        clear = [words for words, term in named.items() if _vague(term) < max(VAGUE, least + 1)]
        for words in clear[: MOST_TERMS if least < VAGUE else 1]:  # what has no name may be said in many ways
            term, cost = named[words], min(cost for cost, _ in found[words])
            says = term.says or f"a term of the chain rule, the derivative of {term.place}: {words}"
            yield Found(scope, says, term.kind, cost + scope.cost)

    def _said(self, deltas: list[np.ndarray], shares: list[np.ndarray], term: Term) -> tuple[float, str] | None:
        """(cost, words) of what happened to a term, if the difference is that."""
        both = list(zip(deltas, shares, strict=True))
        if any(not np.abs(share).max() > SEEN * np.abs(delta).max() for delta, share in both):
            return None
        if term.says:
            return (0.0, term.says) if all(are_alike(share, delta) for delta, share in both) else None
        if (known := all_known(ratio(delta, share) for delta, share in both)) is not None:
            sizes = tuple(0.0 if abs(1 + one) < SEEN else 1 + one for one in known)
            named = self.bench.factors.name(sizes, True)
            return None if named is None or not named[1] else (0.2 * named[0], _short(named[1]))
        is_square = shares[0].shape[0] == shares[0].shape[1]
        return (0.2, "transposed") if is_square and all(are_alike(s.T - s, delta) for delta, s in both) else None


def _order(claim: np.ndarray, truth: np.ndarray) -> list[int] | None:
    """Which rows of the truth stand in a claim, all of them in another order; None where it is not that."""
    near, found = SEEN * np.abs(truth).max(), []
    for i, row in enumerate(claim):
        others = [i, *(k for k in range(len(truth)) if k != i)]
        found.append(next((k for k in others if np.abs(row - truth[k]).max() < near), None))
    return found if None not in found and sorted(found) == list(range(len(found))) != found else None


def _may_fit(delta: np.ndarray, share: np.ndarray) -> bool:
    """Whether a share is worth a look: most are not."""
    if ratio(delta, share) is not None:
        return True
    return share.shape[0] == share.shape[1] and are_alike(share.T - share, delta)


def _short(words: str) -> str:
    return "missing" if words == ZERO else words


def _vague(term: Term) -> int:
    """How little a place says: names and quoted code say more than lines, and lines more than what has no name."""
    source, _, use = term.place.partition(USED)
    lines = sum(bool(LINE.fullmatch(part)) for part in (source, use))
    inside = VAGUE * (ON_THE_WAY in term.place or source == use) + 2 * (PART in term.place)
    return inside + 3 * (BEFORE in source) + 4 * (AFTER in use) + 2 * bool(LINE.fullmatch(source)) + lines


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
