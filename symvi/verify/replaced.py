"""The true derivative with one array of the function in the place of another, or turned over, or inverted.

A lever of the first knot for that of the second, Ad for its inverse, the turn of a step taken for the step itself:
each is the chain rule of the function, with one of its factors exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from symvi.verify.arrays import Array, Tapes, left_of, right_of

MATRIX_SIZES = {4: 2, 9: 3}
AXES = {"body": left_of, "world": right_of}


@dataclass(frozen=True)
class Replaced:
    """matrices: of both points. columns: those that it is about, None for all. scaled: whether a factor may be left."""

    kind: str
    says: str
    cost: float
    matrices: list[np.ndarray]
    columns: range | None = None
    scaled: bool = False


def replaced(tapes: Tapes) -> Iterator[Replaced]:
    """All that one array in the place of another makes of the derivative, simplest first."""
    yield from _plain_turns(tapes)
    yield from _links(tapes)
    yield from _exchanged(tapes)
    yield from _turned_over(tapes)


# --- a turn that is taken for what it is made of -----------------------------------------------------------------
def _plain_turns(tapes: Tapes) -> Iterator[Replaced]:
    """The derivative by a turn of a quaternion on the way, where that by a variable should be."""
    question = tapes.problem.question
    for array in tapes.computed:
        if not tapes.is_turn(array):
            continue
        for name, block in question.blocks().items():
            for side, factor in AXES.items() if len(block) == 3 else ():
                found = [whole.copy() for whole in tapes.whole]
                for which, matrix in enumerate(found):
                    by_turn = factor(array.values(tapes.both[which]))[:, 1:] / 2
                    matrix[:, block] = tapes.backward[which][list(array.members)].T @ by_turn
                says = f"the derivative by a turn of {array.said}, in {side} axes: that turn's own by {name} is missing"
                yield Replaced("missing", says, 2.0, found, block, True)


# --- another array ------------------------------------------------------------------------------------------------
def _exchanged(tapes: Tapes) -> Iterator[Replaced]:
    """One array in the place of another of its shape, in all that follows."""
    for array in tapes.computed:
        turn = tapes.is_turn(array)
        for other in tapes.arrays:
            if other is array or len(other.members) != len(array.members) or len(array.members) not in (3, 4):
                continue
            if tapes.is_turn(other) != turn or not turn and len(array.members) == 4:
                continue
            altered = tapes.with_values(array, lambda which, other=other: other.values(tapes.both[which]))
            if altered is None:
                continue
            found = []
            for which, change in enumerate(altered):
                carried = _carried(array.values(tapes.both[which]), other.values(tapes.both[which]), turn)
                found.append(_through(tapes, array, which, change.backward[list(array.members)].T @ carried))
            yield Replaced("exchange", f"{other.said} for {array.said}", 2.5, found)
            if turn:
                yield from _small_steps(tapes, array, other, [change.backward for change in altered])


def _carried(there: np.ndarray, here: np.ndarray, turn: bool) -> np.ndarray:
    """From a change of one array to that of another: the same turn of another quaternion."""
    return left_of(here)[:, 1:] @ left_of(there)[:, 1:].T if turn else np.eye(len(there))


def _small_steps(tapes: Tapes, array: Array, other: Array, backward: list[np.ndarray]) -> Iterator[Replaced]:
    """The first order of small steps: another quaternion, by its own turn."""
    for block in tapes.problem.question.blocks().values():
        for side, factor in AXES.items() if len(block) == 3 else ():
            found = [whole.copy() for whole in tapes.whole]
            for which, matrix in enumerate(found):
                by_turn = factor(other.values(tapes.both[which]))[:, 1:] / 2
                matrix[:, block] = backward[which][list(array.members)].T @ by_turn
            says = f"{other.said} for {array.said} and its turn in {side} axes for that one's, as if they were near"
            yield Replaced("missing", says, 3.0, found, block, True)


def _through(tapes: Tapes, array: Array, which: int, factor: np.ndarray) -> np.ndarray:
    """The derivative with another factor before what an array changes by."""
    change = factor @ tapes.forward[which][list(array.members)]
    return tapes.whole[which] - tapes.through(array, which) + change


# --- inverses and transposes ----------------------------------------------------------------------------------------
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
                yield Replaced(kind, f"{words} {array.said} for itself", 2.5, [one.whole for one in altered])


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
