"""Explanations by what is added or left out: gyroscopic terms, terms of the chain rule, another way off the sphere.

The difference between claim and truth is compared with what such a term contributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from symvi.verify.asking.points import Point
from symvi.verify.naming.arrays import Tapes, usable
from symvi.verify.naming.factors import ZERO, all_known
from symvi.verify.naming.gyroscopic import gyroscopic_terms
from symvi.verify.naming.replaced import Replaced, replaced
from symvi.verify.naming.scopes import WHOLE, Scope
from symvi.verify.naming.terms import AFTER, BEFORE, ON_THE_WAY, PART, Term, terms
from symvi.verify.reading.worlds import FloatWorld

if TYPE_CHECKING:
    from symvi.verify.naming.diagnosis import Bench

NEAR = 1e-8
MOST_TERMS = 3  # that are told of one part
LINE, USED = re.compile(r"[^ ]+:\d+"), " where it is used in "  # in the places of terms
VAGUE = 8  # of a place that names nothing
MOST_NUMBERS = 40  # of variables, that products are made of


def additions(bench: Bench, scope: Scope) -> Iterator[tuple[str, str, float]]:
    """(words, kind, cost) of all that explains the difference in a scope."""
    yield from zero(bench, scope)
    yield from _gyroscopic(bench, scope)
    yield from _off_the_sphere(bench, scope)
    yield from _exchanged_rows(bench, scope)
    yield from _exchanged_columns(bench, scope)
    yield from _terms(bench, scope)
    if len(scope.rows) * len(scope.columns) > 1 or scope.where == WHOLE:
        yield from _replaced(bench, scope)


class Shared:
    """What these searches have in common, each made when one of them first needs it.

    replaced: replaced matrices that were looked at; the rest comes from `to_replace`.
    """

    def __init__(self, bench: Bench):
        self.bench = bench
        self.replaced: list[Replaced] = []

    def truths(self) -> list[np.ndarray]:
        """The truth at both points, which are such that it has a value."""
        bench = self.bench
        found = [matrix for matrix in bench.matrices(bench.truth) if matrix is not None]
        if len(found) < len(bench.points):
            raise ValueError(f"{bench.problem.function.said} has no derivative at a point that was chosen")
        return found

    @cached_property
    def to_replace(self) -> Iterator[Replaced]:
        bench = self.bench
        return (
            replaced(Tapes(bench.problem, bench.points, bench.traces))
            if usable(bench.problem, bench.traces)
            else iter(())
        )

    @cached_property
    def terms(self) -> list[list[Term]]:
        """Of every point."""
        bench = self.bench
        return [terms(bench.problem, p, t) for p, t in zip(bench.points, bench.traces, strict=False)]

    @cached_property
    def shares(self) -> list[np.ndarray]:
        return [np.array([term.share for term in of_point]) for of_point in self.terms]


def differences(bench: Bench) -> list[np.ndarray]:
    return [np.array(c) - np.array(t) for c, t in zip(bench.claims, bench.shared.truths(), strict=True)]


def zero(bench: Bench, scope: Scope) -> Iterator[tuple[str, str, float]]:
    window = np.ix_(list(scope.rows), list(scope.columns))
    both = zip(bench.claims, bench.shared.truths(), strict=True)
    little = all(np.abs(np.array(t)[window]).max() < NEAR * np.abs(np.array(c)[window]).max() for c, t in both)
    if little and bench.vanishes(bench.truth, bench.claim, scope):
        yield "should be zero: the function does not change in these directions", "zero", 1.0


# --- gyroscopic ---------------------------------------------------------------------------------------------------
def _gyroscopic(bench: Bench, scope: Scope) -> Iterator[tuple[str, str, float]]:
    if len(scope.rows) != 3:
        return
    for words, columns, of in gyroscopic_terms(bench.problem):
        if not set(columns) <= set(scope.columns):
            continue
        name = bench.problem.question.directions[columns[0]][0]
        sizes = [
            _size_of_gyroscopic(bench, scope, point, delta, columns, of, name)
            for point, delta in zip(bench.points, differences(bench), strict=True)
        ]
        known = all_known(sizes)
        if known is not None and (said := bench.factors.name(known, True)) is not None and said[1]:
            yield f"{words}: {_short(said[1])}", "gyroscopic", 1.0 + 0.2 * said[0] + ("the part" in words)


def _size_of_gyroscopic(bench: Bench, scope: Scope, point: Point, delta: np.ndarray, columns: range, of, name: str):
    """The claimed gyroscopic term over the true one, whose size is half the truth's change when w turns over."""
    expected, rows = np.array(of(point)), list(scope.rows)
    rest = [k for k in scope.columns if k not in columns]
    if np.abs(delta[np.ix_(rows, rest)]).max(initial=0.0) > NEAR * np.abs(delta).max():
        return None
    ratio = _ratio(delta[np.ix_(rows, list(columns))], expected)
    turned = {**point, name: [-x for x in point[name]]}
    back = np.array(bench.truth.of(turned, FloatWorld()))
    here = np.array(bench.truth.of(point, FloatWorld()))
    full = np.array(next(f for _, c, f in gyroscopic_terms(bench.problem) if c == columns)(point))
    own = _ratio((here - back)[np.ix_(rows, list(columns))] / 2, full)
    if ratio is None or not own:
        return None
    size = 1 + ratio / own
    return 0.0 if abs(size) < NEAR else size


def _ratio(values: np.ndarray, expected: np.ndarray) -> float | None:
    """values/expected, if it is one number."""
    size = (expected * expected).sum()
    ratio = (values * expected).sum() / size if size else 0.0
    return ratio if np.abs(values - ratio * expected).max() <= NEAR * np.abs(values).max() else None


# --- another way off the sphere -----------------------------------------------------------------------------------
def _off_the_sphere(bench: Bench, scope: Scope) -> Iterator[tuple[str, str, float]]:
    """Raw components that differ by a multiple of q in every row."""
    question = bench.problem.question
    if question.order != 1:
        return
    for name, block in question.blocks().items():
        if question.variables[name].tangent != "raw" or question.variables[name].kind != "quaternion":
            continue
        if not set(block) <= set(scope.columns):
            continue
        rows, rest = list(scope.rows), [k for k in scope.columns if k not in block]
        fits = []
        for point, delta in zip(bench.points, differences(bench), strict=True):
            q = np.array([float(x) for x in point[name]])
            part = delta[np.ix_(rows, list(block))]
            along = np.outer(part @ q, q) / (q @ q)
            apart = max(np.abs(part - along).max(), np.abs(delta[np.ix_(rows, rest)]).max(initial=0.0))
            fits.append(apart < NEAR * np.abs(delta).max())
        if all(fits):
            words = f"wrong by multiples of {name}ᵀ only: right along the unit sphere, another continuation off it"
            yield words, "manifold", 1.0


# --- rows and columns that stand elsewhere ------------------------------------------------------------------------
def _exchanged_rows(bench: Bench, scope: Scope) -> Iterator[tuple[str, str, float]]:
    if len(scope.rows) < 2 or len(scope.columns) < 2:
        return
    columns, found = list(scope.columns), []
    for claim, truth in zip(bench.claims, bench.shared.truths(), strict=True):
        c, t = np.array(claim)[:, columns], np.array(truth)[:, columns]
        near = NEAR * np.abs(t).max()
        found.append([next((k for k in scope.rows if np.abs(c[i] - t[k]).max() < near), None) for i in scope.rows])
    if (
        found[0] == found[1]
        and sorted(found[0], key=str) == sorted(scope.rows, key=str)
        and found[0] != list(scope.rows)
    ):
        yield f"its rows in the order {', '.join(map(str, found[0]))}", "order", 1.0


def _exchanged_columns(bench: Bench, scope: Scope) -> Iterator[tuple[str, str, float]]:
    if len(scope.rows) < 2 or len(scope.columns) < 2:
        return
    rows, found = list(scope.rows), []
    for claim, truth in zip(bench.claims, bench.shared.truths(), strict=True):
        c, t = np.array(claim)[rows], np.array(truth)[rows]
        near = NEAR * np.abs(t).max()
        apart = [
            {k: np.abs(c[:, i] - t[:, k]).max() for k in (i, *(k for k in scope.columns if k != i))}
            for i in scope.columns
        ]
        found.append([next((k for k, size in row.items() if size < near), None) for row in apart])
    order = found[0]
    if order != found[1] or None in order or sorted(order) != sorted(scope.columns) or order == list(scope.columns):
        return
    names = bench.layout.column_names
    moved = [names[k] for i, k in zip(scope.columns, order, strict=True) if i != k]
    wanted = [names[i] for i, k in zip(scope.columns, order, strict=True) if i != k]
    if len(moved) == 2:
        yield f"its columns {wanted[0]} and {wanted[1]} exchanged", "order", 1.0
    else:
        yield f"a permutation of its columns: {', '.join(moved)} where {', '.join(wanted)} should be", "order", 1.2


# --- another matrix on the way ------------------------------------------------------------------------------------
def _replaced(bench: Bench, scope: Scope) -> Iterator[tuple[str, str, float]]:
    """The claim is the derivative with one matrix turned over, or inverted."""
    for one in chain(bench.shared.replaced, _further(bench)):
        window = np.ix_(list(scope.rows), list(scope.columns))
        both = zip(bench.claims, one.matrices, bench.shared.truths(), strict=True)
        if all(_is_another(*(np.reshape(m, np.shape(t))[window] for m in (c, r, t))) for c, r, t in both):
            yield one.says, one.kind, one.cost


def _is_another(claim: np.ndarray, matrix: np.ndarray, truth: np.ndarray) -> bool:
    """Whether a claim is a matrix that is not the truth."""
    fits = np.abs(claim - matrix).max() <= NEAR * np.abs(claim).max()
    return bool(fits and np.abs(matrix - truth).max() > NEAR * np.abs(truth).max())


def _further(bench: Bench) -> Iterator[Replaced]:
    """Replaced matrices that have not been looked at, while there is effort left."""
    while bench.effort.spend_on_array() and (one := next(bench.shared.to_replace, None)) is not None:
        bench.shared.replaced.append(one)
        yield one


# --- terms of the chain rule --------------------------------------------------------------------------------------
def _terms(bench: Bench, scope: Scope) -> Iterator[tuple[str, str, float]]:
    if not (both := _all_terms(bench)) or not both[0]:
        return
    window = np.ix_(list(scope.rows), list(scope.columns))
    deltas = [delta[window] for delta in differences(bench)]
    truth = np.array(bench.shared.truths()[0])[window]
    found: dict[str, list[tuple[float, str]]] = {}  # what happened -> terms that explain it: their share is the same
    for k in _worth_a_look(deltas, [shares[:, *window] for shares in bench.shared.shares]):
        first, second = both[0][k], both[1][k]
        if np.abs(first.share[window] - truth).max() <= NEAR * np.abs(truth).max():
            continue  # the whole of it: nothing is said by calling it a term
        said = _said(bench, deltas, [first.share[window], second.share[window]])
        if said is not None and said[1]:
            found.setdefault(_short(said[1]), []).append((first.cost + 0.2 * said[0], first.place))
    named = {words: min(alike, key=lambda one: _vague(one[1])) for words, alike in found.items()}
    least = min((_vague(place) for _, place in named.values()), default=0)
    clear = [words for words, (_, place) in named.items() if _vague(place) < max(VAGUE, least + 1)]
    for words in clear[: MOST_TERMS if least < VAGUE else 1]:  # what has no name may be said in many ways
        place, cost = named[words][1], min(cost for cost, _ in found[words])
        yield f"a term of the chain rule, the derivative of {place}: {words}", "term", cost


def _vague(place: str) -> int:
    """How little a place says: names and quoted code say more than lines, and lines more than what has no name."""
    source, _, use = place.partition(USED)
    lines = sum(bool(LINE.fullmatch(part)) for part in (source, use))
    inside = VAGUE * (ON_THE_WAY in place or source == use) + 2 * (PART in place)
    return inside + 3 * (BEFORE in source) + 4 * (AFTER in use) + 2 * bool(LINE.fullmatch(source)) + lines


def _all_terms(bench: Bench) -> list[list[Term]] | None:
    """The terms at both points, in the same order."""
    found = bench.shared.terms
    return found if len(found) == 2 and len(found[0]) == len(found[1]) else None


def _worth_a_look(deltas: list[np.ndarray], shares: list[np.ndarray]) -> list[int]:
    """Terms whose shares may be the differences, at every point: all at once, for most are not."""
    worth = np.ones(len(shares[0]), dtype=bool)
    for delta, share in zip(deltas, shares, strict=True):
        near = 2 * NEAR * np.abs(delta).max()
        sizes = (share * share).sum(axis=(1, 2))
        ratios = np.divide((share * delta).sum(axis=(1, 2)), sizes, out=np.zeros(len(share)), where=sizes > 0)
        fits = np.abs(delta - ratios[:, None, None] * share).max(axis=(1, 2)) <= near
        if share.shape[1] == share.shape[2]:
            fits |= np.abs(delta - (share.swapaxes(1, 2) - share)).max(axis=(1, 2)) <= near
        worth &= fits
    return np.flatnonzero(worth).tolist()


def _short(words: str) -> str:
    return "missing" if words == ZERO else words


def _said(bench: Bench, deltas: list[np.ndarray], shares: list[np.ndarray]) -> tuple[float, str] | None:
    """(cost, words) of what happened to a term, if the difference is that."""
    if any(not np.abs(s).max(initial=0.0) > NEAR * np.abs(d).max() for s, d in zip(shares, deltas, strict=True)):
        return None
    ratios = [_ratio(delta, share) for delta, share in zip(deltas, shares, strict=True)]
    if (known := all_known(ratios)) is not None:
        sizes = tuple(0.0 if abs(1 + ratio) < NEAR else 1 + ratio for ratio in known)
        return bench.factors.name(sizes, True)
    if shares[0].shape[0] == shares[0].shape[1] and all(
        np.abs(delta - (s.T - s)).max() < NEAR * np.abs(delta).max() for delta, s in zip(deltas, shares, strict=True)
    ):
        return 1.0, "transposed"
    return None
