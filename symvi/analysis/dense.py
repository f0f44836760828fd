"""A little linear algebra in plain numpy loops.

The threads of a BLAS cost more than they bring at the sizes mostly met here, and very much more on a busy machine.
Loops of hundreds of bodies are another matter: without it their analysis takes many minutes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LARGE = 128  # rows of a matrix, from where a BLAS is faster by far
NOISE = 1e-9  # a row that keeps less than this of its size 1 has no direction of its own


def product(left: Array, right: Array) -> Array:
    """A B, of two matrices."""
    if min(right.shape) >= LARGE:
        return left @ right
    return np.einsum("ij,jk->ik", left, right)


def inverse_factor(matrix: Array) -> Array:
    """C^-1 of a symmetric positive definite matrix C Cᵀ, C lower triangular. Raises LinAlgError for others."""
    if len(matrix) >= LARGE:
        return np.linalg.inv(np.linalg.cholesky(matrix)).astype(np.float64, copy=False)
    left, inverse = matrix.copy(), np.eye(len(matrix))
    for k in range(len(matrix)):
        if not left[k, k] > 0.0:
            raise np.linalg.LinAlgError("matrix is not positive definite")
        pivot = np.sqrt(left[k, k])
        inverse[k] /= pivot
        column = left[k + 1 :, k] / pivot
        left[k + 1 :, k + 1 :] -= column[:, None] * column
        inverse[k + 1 :] -= column[:, None] * inverse[k]
    return inverse


def residuals(matrix: Array) -> Array:
    """What each row adds to the rows before it: its length after they have taken their share."""
    left, found = matrix.copy(), []
    for row in range(len(left)):
        found.append(float(np.linalg.norm(left[row])))
        if found[-1] > NOISE:
            remove(left, left[row].copy())
    return np.array(found)


def remove(rows: Array, row: Array) -> None:
    """Take the direction of a row out of all rows, in place; twice, so that round-off stays round-off."""
    size = np.linalg.norm(row)
    if size > 0.0:
        direction = row / size
        for _ in range(2):
            rows -= np.einsum("ij,j->i", rows, direction)[:, None] * direction
