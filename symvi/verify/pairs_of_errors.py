"""Two simple errors at once: two terms of the chain rule, each changed by a simple factor, explain the difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symvi.verify.terms import ON_THE_WAY, Term, held, jacobian, slopes

if TYPE_CHECKING:
    from symvi.verify.diagnosis import Bench

NEAR = 1e-9
MOST_TERMS, MOST_CHANGES, MOST_CANDIDATES = 40, 20_000, 30
WHOLE = -1  # in the place of a term's number
PLAIN = ((-1.0, "the wrong sign"), (0.0, "missing"), (2.0, "twice the true value"), (0.5, "half the true value"))


@dataclass(frozen=True)
class Change:
    """A term and what it has become: its factor at both points. WHOLE for all of the derivative."""

    term: int
    factors: tuple[float, ...]
    cost: float
    words: str


def pairs_of_errors(bench: Bench, both: list[list[Term]], deltas: list[np.ndarray]) -> Iterator[tuple[str, str, float]]:
    """(words, kind, cost) of the simplest pair, if there is one. deltas: claim minus truth at both points.

    What is said is true where it is done: of a term inside of another one both factors are taken.
    """
    changes = list(_changes(bench, both))[:MOST_CHANGES]
    if len(changes) < 2:
        return
    weights = np.random.default_rng(0).normal(size=deltas[0].size)
    wholes = [np.array(matrix) for matrix in bench.matrices(bench.truth)]
    shares = [
        [(t if c.term == WHOLE else terms[c.term].share).ravel() @ weights for c in changes]
        for t, terms in zip(wholes, both, strict=True)
    ]
    sums = [
        np.array([(c.factors[w] - 1) * share for c, share in zip(changes, shares[w], strict=True)]) for w in range(2)
    ]
    wanted = [float(delta.ravel() @ weights) for delta in deltas]
    outer = [np.array([c.factors[w] for c in changes]) for w in range(2)]
    beside = [np.ones(len(changes)) for _ in range(2)]
    candidates = {}
    for factors in (beside, outer):
        for i, j in _fitting(sums, wanted, factors):
            if changes[i].term != changes[j].term:
                candidates.setdefault(tuple(sorted((i, j))), changes[i].cost + changes[j].cost)
    parts = _Parts(bench, both, wholes)
    for i, j in sorted(candidates, key=lambda pair: (candidates[pair], pair))[:MOST_CANDIDATES]:
        one, other = changes[i], changes[j]
        made = [parts.changed(one, other, w) for w in range(2)]
        if all(np.abs(d - m).max() <= NEAR * np.abs(d).max() for d, m in zip(deltas, made, strict=True)):
            yield _said(both[0], one, other), "term", 3.0 + candidates[i, j] / 4
            return


def _fitting(sums: list[np.ndarray], wanted: list[float], factors: list[np.ndarray]) -> Iterator[tuple[int, int]]:
    """(i, j) for which sums[i] + factors[i] sums[j] are what is wanted, at both points."""
    order = np.argsort(sums[0])
    with np.errstate(all="ignore"):
        rest = [(want - own) / factor for want, own, factor in zip(wanted, sums, factors, strict=True)]
        near = [NEAR * abs(want / factor) for want, factor in zip(wanted, factors, strict=True)]
        low = np.searchsorted(sums[0][order], rest[0] - near[0])
        high = np.searchsorted(sums[0][order], rest[0] + near[0])
    for i in np.flatnonzero((low < high) & np.isfinite(rest[0])):
        for j in order[low[i] : high[i]]:
            if abs(sums[1][j] - rest[1][i]) <= near[1][i]:
                yield int(i), int(j)


class _Parts:
    """What two terms have in common: all that goes through both of them."""

    def __init__(self, bench: Bench, both: list[list[Term]], wholes: list[np.ndarray]):
        self.both, self.wholes, self.traces = both, wholes, bench.traces
        pairs = zip(bench.traces, bench.points, strict=True)
        self.slopes = [slopes(bench.problem, t.tape, t.starts, p) for t, p in pairs]

    def changed(self, one: Change, other: Change, which: int) -> np.ndarray:
        """What the derivative at a point becomes with two terms changed, less itself."""
        first, second, common = self._share(which, one), self._share(which, other), 0.0
        if WHOLE in (one.term, other.term):
            common = second if one.term == WHOLE else first
        else:
            common = first + second - self._share(which, one, other)
        (a, b) = (change.factors[which] - 1 for change in (one, other))
        return a * first + b * second + a * b * common

    def _share(self, which: int, *changes: Change) -> np.ndarray:
        """All that goes through one of some terms."""
        if any(change.term == WHOLE for change in changes):
            return self.wholes[which]
        terms, traces = [self.both[which][change.term] for change in changes], self.traces[which]
        nodes = frozenset().union(*(term.nodes for term in terms))
        edges = frozenset().union(*(term.edges for term in terms))
        still = jacobian(held(traces.tape, self.slopes[which], nodes, edges), traces.results)
        return self.wholes[which] - still.reshape(self.wholes[which].shape)


def _said(terms: list[Term], *changes: Change) -> str:
    """Both errors in words, that of the whole first."""
    whole = [change.words for change in changes if change.term == WHOLE]
    parts = [(terms[change.term].place, change.words) for change in changes if change.term != WHOLE]
    if whole:
        (place, words), *_ = parts
        return f"{whole[0]}, and a term of the chain rule, the derivative of {place}: {words}"
    (one, words), (other, more) = parts
    if words == more:
        return f"two terms of the chain rule, the derivatives of {one} and of {other}: {words}"
    return f"two terms of the chain rule, the derivative of {one}: {words} and the derivative of {other}: {more}"


def _changes(bench: Bench, both: list[list[Term]]) -> Iterator[Change]:
    """All that may have become of the whole, and of each term that has a name."""
    truth = tuple(np.array(matrix) for matrix in bench.matrices(bench.truth))
    named, seen = [WHOLE], {_key(truth)}
    for k, (one, other) in enumerate(zip(*both, strict=True)):
        key = _key((one.share, other.share))
        if ON_THE_WAY not in one.place and np.abs(one.share).max(initial=0.0) > NEAR and key not in seen:
            seen.add(key)
            named.append(k)
    for k in named[: MOST_TERMS + 1]:
        for factor, words in PLAIN:
            if factor or k != WHOLE:
                yield Change(k, (factor, factor), 1.0, words)
        for product in bench.factors.products:
            if product.words:
                yield Change(k, product.values, product.cost, product.words)


def _key(shares: Iterable[np.ndarray]) -> tuple[bytes, ...]:
    """The same for terms of the same shares, whose zeros may have any sign."""
    return tuple((np.round(share.ravel(), 12) + 0.0).tobytes() for share in shares)
