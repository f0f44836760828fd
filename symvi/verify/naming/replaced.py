"""The true derivative with one matrix of the function turned over, or inverted: Ad for its inverse, A for Aᵀ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from symvi.verify.naming.arrays import Array, Tapes

MATRIX_SIZES = {4: 2, 9: 3}


@dataclass(frozen=True)
class Replaced:
    """kind, says, cost: as of diagnoses. matrices: of both points."""

    kind: str
    says: str
    cost: float
    matrices: list[np.ndarray]


def replaced(tapes: Tapes) -> Iterator[Replaced]:
    """All that another matrix in the place of one makes of the derivative, simplest first."""
    yield from _links(tapes)
    yield from _turned_over(tapes)


CHANGES: tuple[tuple[str, str, Callable], ...] = (
    ("inverse", "the inverse of", np.linalg.inv),
    ("transpose", "the transpose of", np.transpose),
    ("inverse", "the inverse transpose of", lambda matrix: np.linalg.inv(matrix).T),
)


def _turned_over(tapes: Tapes) -> Iterator[Replaced]:
    """A matrix on the way that the derivative does not go through, in all that follows."""
    for array in tapes.arrays:
        size = MATRIX_SIZES.get(len(array.members))
        if size is None or tapes.is_turn(array) or any(np.any(tapes.through(array, which)) for which in range(2)):
            continue
        values = [array.values(traces).reshape(size, size) for traces in tapes.both]
        for kind, words, change in CHANGES:
            try:
                new = [change(value) for value in values]
            except np.linalg.LinAlgError:
                continue
            altered = tapes.with_values(array, new.__getitem__)
            if altered is not None:
                yield Replaced(kind, f"{words} {array.said} for itself", 2.5, altered)


def _links(tapes: Tapes) -> Iterator[Replaced]:
    """The derivative of one array by another that it is computed from, in the place of itself."""
    for source in tapes.arrays:
        for target in tapes.computed:
            if len(source.members) != len(target.members) or source.members[-1] >= target.members[0]:
                continue
            locals_ = [_local(traces, source, target) for traces in tapes.both]
            if not all(np.count_nonzero(matrix) > len(matrix) for matrix in locals_):
                continue  # nothing to turn over: not there, or diagonal
            for kind, words, change in CHANGES:
                try:
                    new = [change(matrix) for matrix in locals_]
                except np.linalg.LinAlgError:
                    continue
                found = []
                for which, (after, before) in enumerate(zip(new, locals_, strict=True)):
                    factor = tapes.backward[which][list(target.members)].T @ (after - before)
                    found.append(tapes.whole[which] + factor @ tapes.forward[which][list(source.members)])
                says = f"{words} the matrix that takes {source.said} to {target.said}, for itself"
                yield Replaced(kind, says, 2.5, found)


def _local(traces, source: Array, target: Array) -> np.ndarray:
    """The slopes of an array by another one within the operation that makes it."""
    tape, batch = traces.tape, traces.tape.batches[target.members[0]]
    size, slopes = len(source.members), {}
    slopes |= {index: row for index, row in zip(source.members, np.eye(size), strict=True)}
    for i in range(source.members[-1] + 1, target.members[-1] + 1):
        if tape.batches[i] == batch:
            slopes[i] = sum((slope * slopes[p] for p, slope in tape.parents[i] if p in slopes), np.zeros(size))
    return np.array([slopes[i] for i in target.members])
