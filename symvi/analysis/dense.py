"""A little linear algebra in plain numpy loops.

The threads of a BLAS cost more than they bring at the sizes mostly met here, and very much more on a busy machine.
Loops of hundreds of bodies are another matter: without it their analysis takes many minutes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LARGE = 128  # rows of a matrix, from where a BLAS is faster by far
FADES = 0.3  # of the cut: where directions of a large matrix begin to fade
FAINT = 1e-6  # the least by which a sum of squares tells directions apart
ROUND_OFF = 1e-14
NOISE = 1e-9  # a row that keeps less than this of its size 1 has no direction of its own


def singular_values(matrix: Array) -> Array:
    """Of a matrix, the largest first."""
    found = np.zeros(min(matrix.shape))
    if min(matrix.shape) >= LARGE:
        matrix = matrix[live_rows(matrix)]
    if matrix.size:
        values = np.linalg.svd(matrix, compute_uv=False)
        found[: len(values)] = values
    return found


def singular_value(matrix: Array, number: int) -> float:
    """One of them, the largest being number 0; of a large matrix as exactly as a sum of squares tells, to FAINT."""
    if min(matrix.shape) < LARGE:
        return float(singular_values(matrix)[number])
    live = matrix[live_rows(matrix)]
    squares = live @ live.T if len(live) < live.shape[1] else live.T @ live
    return float(np.sqrt(max(np.linalg.eigvalsh(squares)[::-1][number], 0.0))) if number < len(squares) else 0.0


def combinations(basis: Array, rows: Array) -> Array:
    """X of X K = rows, as nearly as the independent rows K of the basis allow."""
    if min(basis.shape) >= LARGE:
        return np.linalg.solve(basis @ basis.T, basis @ rows.T).T.astype(np.float64, copy=False)
    return np.linalg.lstsq(basis.T, rows.T, rcond=None)[0].T.astype(np.float64, copy=False)


def smallest_solution(matrix: Array, right: Array, cut: float) -> Array:
    """The smallest u of A u = b, as far as directions see it that A holds by more than `cut`.

    Of a large matrix in the sense of Levenberg and Marquardt: directions fade where others are cut.
    """
    if not matrix.size:
        return np.zeros(matrix.shape[1])
    if min(matrix.shape) >= LARGE:
        rows = live_rows(matrix)
        return _damped(matrix[rows], right[rows], FADES * cut)
    u, sigma, vt = np.linalg.svd(matrix, full_matrices=False)
    held = sigma > cut
    return vt[held].T @ ((u[:, held].T @ right) / sigma[held])


def free_part(matrix: Array, u: Array, cut: float) -> Array:
    """The part of u that a matrix does not see, but for directions that it holds by no more than `cut`."""
    if not matrix.size:
        return u
    if min(matrix.shape) >= LARGE:
        live = matrix[live_rows(matrix)]
        for _ in range(2):
            u = u - _damped(live, live @ u, max(FADES * cut, FAINT))
        return u
    _, sigma, vt = np.linalg.svd(matrix, full_matrices=False)
    held = vt[sigma > cut]
    return u - held.T @ (held @ u)


def live_rows(matrix: Array) -> NDArray[np.bool_]:
    """Rows that are more than round-off: of a planar loop, those within its plane."""
    return np.einsum("ij,ij->i", matrix, matrix) > ROUND_OFF**2


def _damped(matrix: Array, right: Array, fade: float) -> Array:
    """(AᵀA + fade²)^-1 Aᵀ b, by the smaller one of its two forms."""
    rows, columns = matrix.shape
    if rows < columns:
        return matrix.T @ np.linalg.solve(matrix @ matrix.T + fade**2 * np.eye(rows), right)
    found = np.linalg.solve(matrix.T @ matrix + fade**2 * np.eye(columns), matrix.T @ right)
    return found.astype(np.float64, copy=False)


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


class Elimination:
    """Rows of a matrix are taken one by one, at most `most`; of each row it is known what they have left of it.

    squares: of the lengths of what is left. A row that is taken becomes one of a Cholesky factor of A Aᵀ, found column
    by column, so that no row but that is ever computed.
    """

    def __init__(self, matrix: Array, most: int):
        self.matrix = matrix
        self.squares = np.einsum("ij,ij->i", matrix, matrix)
        self._factor, self._taken = np.zeros((most, len(matrix))), 0

    def take(self, row: int) -> None:
        known = self._factor[: self._taken]
        column = self.matrix @ self.matrix[row] - known[:, row] @ known
        column /= np.sqrt(column[row])
        self._factor[self._taken] = column
        self._taken += 1
        self.squares = np.maximum(self.squares - column**2, 0.0)

    def narrow(self, rows: NDArray[np.bool_]) -> None:
        """Go on with these rows only."""
        self.matrix, self.squares, self._factor = self.matrix[rows], self.squares[rows], self._factor[:, rows]
