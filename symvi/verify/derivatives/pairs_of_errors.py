"""Two simple errors at once: two terms of the chain rule, each changed by a simple factor, explain the difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from symvi.verify.derivatives.terms import Term

if TYPE_CHECKING:
    from symvi.verify.derivatives.diagnosis import Bench

NEAR = 1e-9
MOST_TERMS, MOST_CHANGES = 40, 20_000
PLAIN = ((-1.0, "the wrong sign"), (0.0, "missing"), (2.0, "twice the true value"), (0.5, "half the true value"))


def pairs_of_errors(bench: Bench, both: list[list[Term]], deltas: list[np.ndarray]) -> Iterator[tuple[str, str, float]]:
    """(words, kind, cost) of the simplest pair, if there is one. deltas: claim minus truth at both points."""
    changes = list(_changes(bench, both))[:MOST_CHANGES]
    if len(changes) < 2:
        return
    weights = np.random.default_rng(0).normal(size=deltas[0].size)
    shares = [[term.share.ravel() @ weights for term in terms] for terms in both]
    sums = [np.array([(f[w] - 1) * shares[w][k] for k, f, _, _ in changes]) for w in range(2)]
    wanted = [delta.ravel() @ weights for delta in deltas]
    order = np.argsort(sums[0])
    low = np.searchsorted(sums[0][order], wanted[0] - sums[0] - NEAR * abs(wanted[0]))
    high = np.searchsorted(sums[0][order], wanted[0] - sums[0] + NEAR * abs(wanted[0]))
    found = []
    for i in np.flatnonzero(low < high):
        for j in order[low[i] : high[i]]:
            (k, first, cost, _), (m, second, more, _) = changes[i], changes[j]
            if k >= m or abs(sums[1][i] + sums[1][j] - wanted[1]) > NEAR * abs(wanted[1]):
                continue
            parts = [(first[w] - 1) * both[w][k].share + (second[w] - 1) * both[w][m].share for w in range(2)]
            if all(np.abs(d - p).max() <= NEAR * np.abs(d).max() for d, p in zip(deltas, parts, strict=True)):
                found.append((cost + more, i, int(j)))
    if found:
        cost, i, j = min(found)
        said = [f"the derivative of {both[0][changes[n][0]].place}: {changes[n][3]}" for n in (i, j)]
        yield f"two terms of the chain rule, {' and '.join(said)}", "term", 3.0 + cost / 4


def _changes(bench: Bench, both: list[list[Term]]) -> Iterator[tuple[int, tuple[float, ...], float, str]]:
    """(term, factor at both points, cost, words) of all that may have become of each term that has a name."""
    named, seen = [], set()
    for k, (one, other) in enumerate(zip(*both, strict=True)):
        key = tuple(np.round(share.ravel(), 12).tobytes() for share in (one.share, other.share))
        if one.place and np.abs(one.share).max(initial=0.0) > NEAR and key not in seen:
            seen.add(key)
            named.append(k)
    for k in named[:MOST_TERMS]:
        for factor, words in PLAIN:
            yield k, (factor, factor), 1.0, words
        for product in bench.factors.products:
            if product.words:
                yield k, product.values, product.cost, product.words
