"""DIFFERENCES: derivatives by central differences along the tangents, to as many digits as the numbers have."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.verify.corpus.case import Case
from tests.verify.corpus.points import Point, moved


def claimed(case: Case, at: Point) -> np.ndarray:
    """What the case claims, as a matrix with the columns that the question asks for."""
    return np.asarray(case.claimed(**at)).reshape(-1, columns(case))


def columns(case: Case) -> int:
    n = len(case.directions)
    if case.weights is None:
        return n**case.order
    return n ** (case.order - 1)


def derivative(case: Case, at: Point, step, root: Callable = np.sqrt, slopes: Callable | None = None) -> np.ndarray:
    """What central differences find, in the same shape. slopes: (case, function, place) -> first slopes otherwise."""

    def values(place: Point) -> np.ndarray:
        found = np.asarray(case.function(**place)).reshape(-1)
        return found if case.weights is None else np.array([found @ np.asarray(at[case.weights]).reshape(-1)])

    def central(case: Case, function: Callable[[Point], np.ndarray], place: Point) -> np.ndarray:
        """One row per value, one column per direction."""
        return np.stack(
            [
                (function(moved(case, place, *along, step, root)) - function(moved(case, place, *along, -step, root)))
                / (2 * step)
                for along in case.directions
            ],
            axis=-1,
        )

    first_slopes = slopes or central
    if case.order == 1:
        first = first_slopes(case, values, at)
        return first if case.weights is None else first.T
    second = central(case, lambda place: first_slopes(case, values, place).reshape(-1), at)
    n = len(case.directions)
    return second if case.weights is not None else second.reshape(-1, n * n)
