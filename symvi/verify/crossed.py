"""Cross products of the function's vectors: one lever for another, a gyroscopic term that is too much or too little."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from symvi.verify.arrays import Array, Tapes
from symvi.verify.gyroscopic import full

if TYPE_CHECKING:
    from symvi.verify.diagnosis import Bench

NEAR = 1e-9
MOST_VECTORS = 24


def crossed(bench: Bench, tapes: Tapes, claims: list, truths: list) -> Iterator[tuple[str, str, float]]:
    """(words, kind, cost) for three entries of claim and truth, at both points."""
    vectors = tapes.vectors()[:MOST_VECTORS]
    products = [
        (one, other, [np.cross(one.values(t), other.values(t)) for t in tapes.both])
        for one, other in combinations(vectors, 2)
    ]
    if (found := _another_lever(bench, products, claims, truths)) is not None:
        yield found, "exchange", 2.5
    deltas = [claim - truth for claim, truth in zip(claims, truths, strict=True)]
    for one, other, values in products:
        if (size := _size(bench, deltas, values)) is not None:
            turn, inertia = _gyroscopic(tapes, one, other)
            if turn is not None:
                yield f"{size} the gyroscopic term w x {inertia} w, w: {turn.said}", "gyroscopic", 2.5
            else:
                yield f"{size} the cross product of {one.said} and {other.said}", "term", 3.5


def _another_lever(bench: Bench, products: list, claims: list, truths: list) -> str | None:
    """b for c in a x c, where the truth is that and the claim a x b, times the same."""
    of_claim = [(one, other, s) for one, other, values in products if (s := _sizes(claims, values)) is not None]
    of_truth = [(one, other, s) for one, other, values in products if (s := _sizes(truths, values)) is not None]
    for one, other, size in of_claim:
        for first, second, wanted in of_truth:
            shared = [array for array in (one, other) if array in (first, second)]
            alike = all(abs(abs(a) - abs(b)) < NEAR * abs(b) for a, b in zip(size, wanted, strict=True))
            if len(shared) == 1 and alike and bench.factors.name(tuple(wanted), True) is not None:
                given = other if one is shared[0] else one
                true = second if first is shared[0] else first
                return f"{given.said} for {true.said}, in the cross product with {shared[0].said}"
    return None


def _size(bench: Bench, deltas: list, values: list) -> str | None:
    sizes = _sizes(deltas, values)
    return None if sizes is None else bench.factors.amount(tuple(sizes))


def _sizes(vectors: list, products: list) -> list[float] | None:
    """How many times a product a vector is, at both points."""
    found = []
    for vector, product in zip(vectors, products, strict=True):
        square = product @ product
        size = vector @ product / square if square else 0.0
        if not abs(size) > NEAR or np.abs(vector - size * product).max() > NEAR * np.abs(vector).max():
            return None
        found.append(float(size))
    return found


def _gyroscopic(tapes: Tapes, one: Array, other: Array) -> tuple[Array | None, str]:
    """w and the name of J, if one of two vectors is J times the other."""
    for name, variable in tapes.problem.question.variables.items():
        if variable.kind != "inertia":
            continue
        matrices = [np.array(full([float(x) for x in point[name]])) for point in tapes.points]
        for w, spin in ((one, other), (other, one)):
            pairs = zip(matrices, tapes.both, strict=True)
            if all(np.allclose(m @ w.values(t), spin.values(t), rtol=NEAR, atol=0.0) for m, t in pairs):
                return w, name
    return None, ""
