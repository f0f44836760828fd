"""Explanations by what is added or left out: gyroscopic terms, terms of the chain rule, another way off the sphere.

The difference between claim and truth is compared with what such a term contributes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from symvi.verify.derivatives.factors import ZERO
from symvi.verify.derivatives.gyroscopic import gyroscopic_terms
from symvi.verify.derivatives.points import Point
from symvi.verify.derivatives.scopes import Scope
from symvi.verify.derivatives.terms import terms
from symvi.verify.derivatives.worlds import FloatWorld

if TYPE_CHECKING:
    from symvi.verify.derivatives.diagnosis import Bench

NEAR = 1e-8
MOST_TERMS = 3  # that are told of one part


def additions(bench: Bench, scope: Scope) -> Iterator[tuple[str, str, float]]:
    """(words, kind, cost) of all that explains the difference in a scope."""
    yield from _zero(bench, scope)
    yield from _gyroscopic(bench, scope)
    yield from _off_the_sphere(bench, scope)
    yield from _exchanged_rows(bench, scope)
    yield from _exchanged_columns(bench, scope)
    yield from _terms(bench, scope)
    if len(scope.rows) * len(scope.columns) == 1:
        yield from _other_entry(bench, scope)


def differences(bench: Bench) -> list[np.ndarray]:
    return [np.array(c) - np.array(t) for c, t in zip(bench.claims, bench.matrices(bench.truth), strict=True)]


def _zero(bench: Bench, scope: Scope) -> Iterator[tuple[str, str, float]]:
    window = np.ix_(list(scope.rows), list(scope.columns))
    truths = [np.abs(np.array(truth)[window]).max() for truth in bench.matrices(bench.truth)]
    if max(truths) < NEAR:
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
        if None not in sizes and (said := bench.factors.name(tuple(sizes), True)) is not None and said[1]:
            yield f"{words}: {_short(said[1])}", "gyroscopic", 1.0 + 0.2 * said[0] + ("the part" in words)


def _size_of_gyroscopic(bench: Bench, scope: Scope, point: Point, delta: np.ndarray, columns: range, of, name: str):
    """The claimed gyroscopic term over the true one, whose size is half the truth's change when w turns over."""
    expected, rows = np.array(of(point)), list(scope.rows)
    rest = [k for k in scope.columns if k not in columns]
    if np.abs(delta[np.ix_(rows, rest)]).max(initial=0.0) > NEAR:
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
    return ratio if np.abs(values - ratio * expected).max() <= NEAR * (1 + np.abs(values).max()) else None


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
            fits.append(np.abs(part - along).max() < NEAR and np.abs(delta[np.ix_(rows, rest)]).max(initial=0.0) < NEAR)
        if all(fits):
            words = f"wrong by multiples of {name}ᵀ only: right along the unit sphere, another continuation off it"
            yield words, "manifold", 1.0


# --- rows and entries that stand elsewhere --------------------------------------------------------------------------
def _exchanged_rows(bench: Bench, scope: Scope) -> Iterator[tuple[str, str, float]]:
    if len(scope.rows) < 2 or len(scope.columns) < 2:
        return
    columns, found = list(scope.columns), []
    for claim, truth in zip(bench.claims, bench.matrices(bench.truth), strict=True):
        c, t = np.array(claim)[:, columns], np.array(truth)[:, columns]
        found.append([next((k for k in scope.rows if np.abs(c[i] - t[k]).max() < NEAR), None) for i in scope.rows])
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
    for claim, truth in zip(bench.claims, bench.matrices(bench.truth), strict=True):
        c, t = np.array(claim)[rows], np.array(truth)[rows]
        near = NEAR * (1 + np.abs(t).max())
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


def _other_entry(bench: Bench, scope: Scope) -> Iterator[tuple[str, str, float]]:
    i, k = scope.rows[0], scope.columns[0]
    truths = [np.array(t) for t in bench.matrices(bench.truth)]
    for sign, words in ((1, "the true entry"), (-1, "minus the true entry")):
        for r, c in np.ndindex(truths[0].shape):
            if (r, c) == (i, k):
                continue
            values = [(claim[i][k], sign * t[r, c]) for claim, t in zip(bench.claims, truths, strict=True)]
            if all(abs(a - b) < NEAR * abs(b) for a, b in values):
                yield f"{words} {[int(r), int(c)]}", "order", 2.5
                return


# --- terms of the chain rule --------------------------------------------------------------------------------------
def _terms(bench: Bench, scope: Scope) -> Iterator[tuple[str, str, float]]:
    if not hasattr(bench, "terms"):
        bench.terms = [terms(bench.problem, p, t) for p, t in zip(bench.points, bench.traces, strict=False)]
    if len(bench.terms) < 2 or len(bench.terms[0]) != len(bench.terms[1]):
        return
    window = np.ix_(list(scope.rows), list(scope.columns))
    deltas = [delta[window] for delta in differences(bench)]
    seen: set[str] = set()
    for first, second in zip(*bench.terms, strict=True):
        said = _said(bench, deltas, [first.share[window], second.share[window]])
        if said is None or not said[1] or len(seen) == MOST_TERMS:
            continue
        place = f" of {first.place}" if first.place else ""
        words = f"a term of the chain rule, the derivative{place}: {_short(said[1])}"
        if words not in seen:
            seen.add(words)
            yield words, "term", first.cost + 0.2 * said[0]


def _short(words: str) -> str:
    return "missing" if words == ZERO else words


def _said(bench: Bench, deltas: list[np.ndarray], shares: list[np.ndarray]) -> tuple[float, str] | None:
    """(cost, words) of what happened to a term, if the difference is that."""
    if any(not np.abs(share).max(initial=0.0) > NEAR for share in shares):
        return None
    ratios = [_ratio(delta, share) for delta, share in zip(deltas, shares, strict=True)]
    if None not in ratios:
        sizes = tuple(0.0 if abs(1 + ratio) < NEAR else 1 + ratio for ratio in ratios)
        return bench.factors.name(sizes, True)
    if shares[0].shape[0] == shares[0].shape[1] and all(
        np.abs(delta - (share.T - share)).max() < NEAR for delta, share in zip(deltas, shares, strict=True)
    ):
        return 1.0, "transposed"
    return None
