"""How two matrices compare in a part: in floats, which most explanations fail, and in any numbers."""

from __future__ import annotations

import numpy as np

from symvi.verify.naming.scopes import Scope
from symvi.verify.naming.variants import Matrix

SEEN = 1e-8


def in_floats(matrix: Matrix) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in matrix])


def window(scope: Scope) -> tuple[np.ndarray, ...]:
    """What picks a part out of an array."""
    return np.ix_(scope.rows, scope.columns)


def ratio(claim: np.ndarray, matrix: np.ndarray) -> float | None:
    """claim/matrix, two parts in floats, if it is one number; None otherwise. Zeros of both say nothing."""
    sizes = np.abs(matrix).ravel()
    largest = sizes.argmax()
    pivot, size = matrix.flat[largest], np.abs(claim).max()
    if not sizes[largest] > SEEN * size:
        return None
    found = claim.flat[largest] / pivot
    scale = max(size, abs(pivot * found)) or abs(pivot)
    return float(found) if np.abs(claim - found * matrix).max() <= SEEN * scale else None


def alike(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.abs(one - other).max() <= SEEN * np.abs(other).max())


def proportion(claim: Matrix, matrix: Matrix, scope: Scope, near: float):
    """claim/matrix in a scope, of numbers with any number of digits, if it is one number; None otherwise."""
    places = list(scope.places)
    largest = max(places, key=lambda place: abs(matrix[place[0]][place[1]]))
    pivot = matrix[largest[0]][largest[1]]
    size = max((abs(claim[i][k]) for i, k in places), default=0)
    if abs(pivot) <= near * size or not pivot:
        return None
    found = claim[largest[0]][largest[1]] / pivot
    scale = max(size, abs(pivot * found)) or abs(pivot)
    if any(abs(claim[i][k] - found * matrix[i][k]) > near * scale for i, k in places):
        return None
    return found
