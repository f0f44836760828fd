"""What the joints of the tree leave free, and how the rows of the loops act on it: the small matrix of all decisions.

With v the motions of all bodies, the rows of the tree leave v = N y. Loop rows G v = 0 become B y = 0 with B = G N. In
a metric W = Wᵀ of the bodies, H = Nᵀ W N = C Cᵀ, and the matrix of decisions is

    A = diag(1/s) B C^-T,    s_i² = (G W^-1 Gᵀ)_ii

so that row i of A is what row i keeps of its size 1 after the tree's rows have taken their share. They are never in
doubt; with them out of the way, the conditioning of a long chain does not blur the decision.

Neither N nor H nor C is ever written down. C is found from the leaves to the roots, as articulated inertias are
(Featherstone, chapter 7), and fills in nothing: row i of A has entries only at
freedoms of the bodies that row i touches and of those above them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symvi.analysis.equations import Array, Rows
from symvi.analysis.reach import Reach
from symvi.analysis.spanning import Spanning


@dataclass(frozen=True, eq=False)
class Freedoms:
    """How the bodies of a tree may move: v = carried v_above + own y, of every body.

    carried, own (n, 6, 6): own has a column for each of `widths` freedoms, and zeros behind them.
    closing (n, 6, 6): the smallest motion that changes a row of the carrier by one, a column a row.
    repair (n, 6): a motion that removes the tree's own errors.
    """

    spanning: Spanning
    widths: tuple[int, ...]
    carried: Array
    own: Array
    closing: Array
    repair: Array

    @property
    def count(self) -> int:
        return sum(self.widths)


def widths_of(spanning: Spanning) -> tuple[int, ...]:
    """How many freedoms of its own every body has."""
    return tuple(6 if k is None else 6 - spanning.models[k].rows for k in spanning.carriers)


def freedoms(spanning: Spanning, rows: Sequence[Rows], length: float) -> Freedoms:
    """Each body moves with the one above it, and freely where its joint leaves it.

    length: the mechanism's size [m], to compare translations with rotations.
    """
    n, widths = len(spanning.bodies), widths_of(spanning)
    carried, own, closing = np.zeros((n, 6, 6)), np.zeros((n, 6, 6)), np.zeros((n, 6, 6))
    errors, units = np.zeros((n, 6)), np.array([length] * 3 + [1.0] * 3)
    own[[body for body, carrier in enumerate(spanning.carriers) if carrier is None]] = np.diag(units)
    alike: dict[int, dict[int, Rows]] = {}
    for body, carrier in enumerate(spanning.carriers):
        if carrier is not None:
            alike.setdefault(6 - widths[body], {})[body] = rows[carrier]
    for count, held in alike.items():
        bodies, carriers = list(held), list(held.values())
        gradients = np.array([row.gradients[body] for row, body in zip(carriers, bodies, strict=True)])
        u, sigma, vt = np.linalg.svd(gradients * units)
        inverse = vt[:, :count].swapaxes(1, 2) @ (u / sigma[:, None]).swapaxes(1, 2)
        closing[bodies, :, :count] = units[:, None] * inverse
        own[bodies, :, : 6 - count] = units[:, None] * vt[:, count:].swapaxes(1, 2)
        errors[bodies, :count] = [row.g for row in carriers]
        above = {body: row.gradients[up] for body, row in held.items() if (up := spanning.above[body]) is not None}
        if above:
            below = list(above)
            carried[below] = -closing[below, :, :count] @ np.array(list(above.values()))
    repair = -np.einsum("bir,br->bi", closing, errors)
    _downwards(spanning, carried, repair)
    return Freedoms(spanning, widths, carried, own, closing, repair)


def _downwards(spanning: Spanning, carry: Array, motion: Array) -> None:
    """Add to the own motion of every body (n, 6) what it is carried along with, from the roots on; in place."""
    for level, above in _levels_below(spanning):
        motion[level] += np.einsum("bij,bj->bi", carry[level], motion[above])


def _levels_below(spanning: Spanning) -> list[tuple[list[int], list[int]]]:
    """Levels below the roots, and the bodies above theirs."""
    levels = [
        [(body, up) for body in level if (up := spanning.above[body]) is not None] for level in spanning.levels[1:]
    ]
    return [([body for body, _ in level], [up for _, up in level]) for level in levels]


@dataclass(frozen=True, eq=False)
class Moving:
    """Freedoms in a metric, orthonormal: v = carry v_above + own u, and vᵀ W v = |u|² of the motions of the whole tree.

    carry, own (n, 6, 6); metric W (n, 6, 6).
    """

    tree: Freedoms
    metric: Array
    carry: Array
    own: Array

    def motion(self, u: Array) -> Array:
        """The motion of all bodies (n, 6) of coordinates u = Cᵀ y."""
        padded = np.zeros((len(self.own), 6))
        padded[self._there] = u
        found = np.einsum("bij,bj->bi", self.own, padded)
        _downwards(self.tree.spanning, self.carry, found)
        return found

    def coordinates(self, motion: Array) -> Array:
        """u of the nearest motion that the tree's rows allow, in the metric."""
        forces = np.einsum("bij,bj->bi", self.metric, motion)
        for level, above in reversed(_levels_below(self.tree.spanning)):
            np.add.at(forces, above, np.einsum("bij,bi->bj", self.carry[level], forces[level]))
        return np.einsum("bij,bi->bj", self.own, forces)[self._there]

    @property
    def _there(self) -> NDArray[np.bool_]:
        return np.arange(6) < np.array(self.tree.widths)[:, None]


def moving(tree: Freedoms, metric: Array) -> Moving:
    """Freedoms in a metric (n, 6, 6). Raises LinAlgError for one that is not positive definite."""
    inertia, carry, own = metric.copy(), np.zeros_like(metric), np.zeros_like(metric)
    spare = np.arange(6) >= np.array(tree.widths)[:, None]
    levels = [(level, None) for level in tree.spanning.levels[:1]] + _levels_below(tree.spanning)
    for level, above in reversed(levels):
        basis = tree.own[level]
        moved = inertia[level] @ basis
        small = basis.swapaxes(1, 2) @ moved
        small[:, range(6), range(6)] += spare[level]
        inverse = np.linalg.inv(np.linalg.cholesky(small))  # of L in Eᵀ I E = L Lᵀ
        own[level] = basis @ inverse.swapaxes(1, 2)
        if above is not None:
            held = moved @ inverse.swapaxes(1, 2)
            carry[level] = tree.carried[level] - own[level] @ (held.swapaxes(1, 2) @ tree.carried[level])
            shared = carry[level].swapaxes(1, 2) @ inertia[level] @ tree.carried[level]
            np.add.at(inertia, above, 0.5 * (shared + shared.swapaxes(1, 2)))
    return Moving(tree, metric, carry, own)


@dataclass(frozen=True, eq=False)
class Reduced:
    """Loop rows on the freedoms of the tree, in a metric: see the head of this file.

    scale: s. matrix: A. gradients: of the rows by the bodies that they touch, as `reach` has them.
    """

    moving: Moving
    reach: Reach
    scale: Array
    matrix: Array
    gradients: Array

    def singular(self) -> tuple[Array, Array, Array]:
        """Singular value decomposition of A."""
        if 0 in self.matrix.shape:
            return np.zeros((len(self.matrix), 0)), np.zeros(0), np.zeros((0, self.matrix.shape[1]))
        return np.linalg.svd(self.matrix, full_matrices=False)

    def acting(self, motion: Array) -> Array:
        """What a motion of all bodies (n, 6) changes the rows by, to first order."""
        return self.reach.acting(self.gradients, motion)


def reduced(rows: Sequence[Rows], tree: Freedoms, metric: Array, reach: Reach) -> Reduced:
    """Chosen loop rows on the freedoms of the tree. metric: (n, 6, 6)."""
    gradients, free = reach.gradients(rows), moving(tree, metric)
    inverse = np.linalg.inv(metric).astype(np.float64, copy=False)
    scale = np.sqrt(positive(reach.squares(gradients, inverse)))
    return Reduced(free, reach, scale, reach.matrix(gradients, free.carry, free.own) / scale[:, None], gradients)


def positive(squares: Array) -> Array:
    """s² of rows; 1 for a row without any gradient here."""
    return np.where(squares > 0, squares, 1.0)
