"""What the joints of the tree leave free, and how the rows of the loops act on it: the small matrix of all decisions.

With v the motions of all bodies, the rows of the tree leave v = N y. Loop rows G v = 0 become B y = 0 with B = G N. In
a metric W = Wᵀ of the bodies, H = Nᵀ W N = C Cᵀ, and the matrix of decisions is

    A = diag(1/s) B C^-T,    s_i² = (G W^-1 Gᵀ)_ii

so that row i of A is what row i keeps of its size 1 after the tree's rows have taken their share. They are never in
doubt; with them out of the way, the conditioning of a long chain does not blur the decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symvi.analysis.dense import inverse_factor, product
from symvi.analysis.equations import Array, Rows
from symvi.analysis.spanning import Spanning


@dataclass(frozen=True, eq=False)
class Freedoms:
    """basis N (n, 6, f): what f free motions move; repair (n, 6): a motion that removes the tree's own errors."""

    basis: Array
    repair: Array

    @property
    def count(self) -> int:
        return self.basis.shape[2]


def freedoms(spanning: Spanning, rows: Sequence[Rows], length: float) -> Freedoms:
    """Walk the tree from its roots: each body moves with the one above it, and freely where its joint leaves it.

    length: the mechanism's size [m], to compare translations with rotations.
    """
    models = spanning.models
    widths = [6 if k is None else 6 - models[k].rows for k in spanning.carriers]
    basis = np.zeros((len(widths), 6, sum(widths)))
    repair = np.zeros((len(widths), 6))
    units = np.array([length] * 3 + [1.0] * 3)
    column = 0
    for body, (carrier, above, width) in enumerate(zip(spanning.carriers, spanning.above, widths, strict=True)):
        own = slice(column, column + width)
        column += width
        if carrier is None:
            basis[body][:, own] = np.diag(units)
            continue
        gradient = rows[carrier].gradients[body] * units
        u, sigma, vt = np.linalg.svd(gradient)
        inverse = units[:, None] * (vt[: len(sigma)].T @ (u / sigma).T)
        errors = rows[carrier].g.copy()
        if above is not None:
            rows_above = rows[carrier].gradients[above]
            basis[body] = -product(inverse, product(rows_above, basis[above]))
            errors += rows_above @ repair[above]
        repair[body] = -inverse @ errors
        basis[body][:, own] = units[:, None] * vt[len(sigma) :].T
    return Freedoms(basis, repair)


@dataclass(frozen=True, eq=False)
class Reduced:
    """Loop rows on the freedoms of the tree, in a metric: see the head of this file.

    weighted: W N (6 n, f). inverse: C^-1. scale: s. matrix: A. gradients: G (rows, n, 6).
    """

    freedoms: Freedoms
    weighted: Array
    inverse: Array
    scale: Array
    matrix: Array
    gradients: Array

    def singular(self) -> tuple[Array, Array, Array]:
        """Singular value decomposition of A."""
        if 0 in self.matrix.shape:
            return np.zeros((len(self.matrix), 0)), np.zeros(0), np.zeros((0, self.matrix.shape[1]))
        return np.linalg.svd(self.matrix, full_matrices=False)

    def motion(self, u: Array) -> Array:
        """The motion of all bodies (n, 6) of coordinates u = Cᵀ y."""
        return np.einsum("bif,f->bi", self.freedoms.basis, np.einsum("g,gf->f", u, self.inverse))

    def coordinates(self, motion: Array) -> Array:
        """u of the nearest motion that the tree's rows allow, in the metric."""
        return np.einsum("gf,f->g", self.inverse, np.einsum("i,if->f", motion.ravel(), self.weighted))


def reduced(rows: Sequence[Rows], tree: Freedoms, metric: Array, chosen: Sequence[tuple[int, int]]) -> Reduced:
    """The `chosen` loop rows, as (model, row), on the freedoms of the tree. metric: (n, 6, 6)."""
    n, f = tree.basis.shape[0], tree.count
    gradients = np.zeros((len(chosen), n, 6))
    for k, (model, row) in enumerate(chosen):
        for body, gradient in rows[model].gradients.items():
            gradients[k, body] = gradient[row]
    basis = tree.basis.reshape(6 * n, f)
    weighted = np.einsum("bij,bjf->bif", metric, tree.basis).reshape(6 * n, f)
    inverse = inverse_factor(product(basis.T, weighted))
    scale = np.sqrt(row_scales(gradients, metric))
    matrix = product(product(gradients.reshape(-1, 6 * n), basis), inverse.T) / scale[:, None]
    return Reduced(tree, weighted, inverse, scale, matrix, gradients)


def row_scales(gradients: Array, metric: Array) -> Array:
    """s² = G W^-1 Gᵀ of rows (m, n, 6), one by one; 1 for a row without any gradient here."""
    inverse = np.linalg.inv(metric)
    squares = np.einsum("rbi,bij,rbj->r", gradients, inverse, gradients)
    return np.where(squares > 0, squares, 1.0)
