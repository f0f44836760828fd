"""Torques of a derivative: a lever x the slope of the function by what stands at its end, and errors in either.

With F = dV/dx an energy V(x + R p) changes by (p x Rᵀ F) . theta in a turn theta of the body; Rᵀ F is its slope by p.
Another lever, or a force in the axes of x that was not turned into those of p, is another pair of such vectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from symvi.verify.arrays import Array, Tapes
from symvi.verify.scopes import Scope

if TYPE_CHECKING:
    from symvi.verify.diagnosis import Bench

NEAR = 1e-9
MOST_VECTORS = 24
Pair = tuple[int, int, float]  # lever, slope, how many times their product


class Torques:
    """Every vector of three x the slopes of all outputs by every vector of three, at both points."""

    def __init__(self, tapes: Tapes):
        self.arrays: list[Array] = tapes.vectors()[:MOST_VECTORS]
        self.levers = [np.array([a.values(traces) for a in self.arrays]).reshape(-1, 3) for traces in tapes.both]
        self.slopes = [
            np.array([slopes[list(a.members)].T for a in self.arrays]).reshape(len(self.arrays), -1, 3)
            for slopes in tapes.backward
        ]  # of an array, of an output, by its three numbers
        both = zip(self.levers, self.slopes, strict=True)
        self.products = [np.cross(levers[:, None, None], slopes[None]) for levers, slopes in both]

    def pairs(self, parts: list[np.ndarray], rows: list[int]) -> list[Pair]:
        """The pairs of which parts of both points, rows by three, are the same simple number of times the product."""
        sizes = []
        for products, part in zip(self.products, parts, strict=True):
            flat, wanted = products[:, :, rows].reshape(len(self.arrays) ** 2, -1), part.ravel()
            squares = (flat * flat).sum(axis=1)
            size = np.divide(flat @ wanted, squares, out=np.zeros(len(flat)), where=squares > 0)
            apart = np.abs(wanted - size[:, None] * flat).max(axis=1)
            sizes.append(np.where(apart <= NEAR * np.abs(wanted).max(), size, np.nan))
        same = np.abs(sizes[0] - sizes[1]) <= NEAR * np.abs(sizes[0])
        return [(*divmod(int(k), len(self.arrays)), float(sizes[0][k])) for k in np.flatnonzero(same & (sizes[0] != 0))]

    def turned(self, vectors: list[np.ndarray], one: int, other: int) -> bool:
        """Whether two vectors have the same length at both points, as one vector in two frames has."""
        lengths = [np.linalg.norm(of_point, axis=-1) for of_point in vectors]
        return all(np.allclose(length[one], length[other], rtol=NEAR, atol=0.0) for length in lengths)


def other_levers(bench: Bench, torques: Torques, scope: Scope) -> Iterator[tuple[str, str, float]]:
    """(words, kind, cost) where the truth of a variable's three columns is a torque, and the claim almost the same."""
    rows, window = list(scope.rows), np.ix_(list(scope.rows), list(scope.columns))
    of_claim = torques.pairs([np.array(claim)[window] for claim in bench.claims], rows)
    if not of_claim:
        return
    of_truth = torques.pairs([np.array(truth)[window] for truth in bench.matrices(bench.truth)], rows)
    found = [
        one
        for claimed in of_claim
        for true in of_truth
        if abs(abs(claimed[2]) - abs(true[2])) <= NEAR * abs(true[2])
        if (one := _said(torques, claimed, true, rows)) is not None
    ]
    if found:  # several vectors may have the same product: the one with the plainest names is told
        words, kind = min(found, key=lambda one: (one[0].startswith("minus"), one[1] != "axes", len(one[0])))
        yield words, kind, 2.4


def _said(torques: Torques, claimed: Pair, true: Pair, rows: list[int]) -> tuple[str, str] | None:
    """(words, kind) of two torques that share their lever or their force."""
    (lever, slope, size), (true_lever, true_slope, wanted) = claimed, true
    sign = "minus " if size * wanted < 0 else ""
    names = [array.said for array in torques.arrays]
    if slope == true_slope and lever != true_lever:
        turned = torques.turned(torques.levers, lever, true_lever)
        words = f"{names[lever]} for {names[true_lever]}, crossed with the derivative by {names[slope]}"
    elif lever == true_lever and slope != true_slope:
        turned = torques.turned([slopes[:, rows] for slopes in torques.slopes], slope, true_slope)
        words = f"the derivative by {names[slope]} for that by {names[true_slope]}, crossed with {names[lever]}"
    else:
        return None
    said = f"{sign}{words}" + ": the same vector in other axes" * turned
    return said, "axes" if turned else "exchange"
