"""Second derivatives of steps, λ·∂²f by x and u: central differences of the exact A and B (Jacobson and Mayne 1970)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError, SolverError
from symvi.mechanism.state import State
from symvi.simulate.simulator import Simulator
from symvi.simulate.slope_path import SlopePath
from symvi.simulate.step_map import Place, StepMap

Array = NDArray[np.float64]
BESIDE = 1e-4  # of one, or of the size of a number: how far steps are displaced


class Curvature:
    """∂²f of the steps of a path, in the order of x, then the inputs that are found."""

    def __init__(self, path: SlopePath, wanted: list[int], simulator: Simulator, start: State | None, **more: Any):
        self.map = StepMap(simulator, path.step, start=start, inputs=dict.fromkeys(path.given(path.rows), 0.0), **more)
        self.path, self.wanted = path, wanted
        if self.map.turned:
            raise ArgumentError(
                "second_order: x has turns of a body that no joint holds; give the body a joint, or leave it out"
            )

    def of(self, states: list[Array], x: Array, rows: Array) -> list[Array]:
        """(N) of (n, n + m, n + m). Raises SolverError where a step beside the motion cannot be taken."""
        found, near = [], self.map.begun.near
        for state, at, row in zip(states, x, rows, strict=False):
            place = self.map.place(at, Place(state, near))
            near = place.near
            found.append(self._of_step(place, at, row))
        return found

    def _of_step(self, place: Place, x: Array, row: Array) -> Array:
        n, size = len(x), len(x) + len(self.wanted)
        found = np.zeros((n, size, size))
        for k in range(size):
            at = x[k] if k < n else row[self.wanted[k - n]]
            off = BESIDE * max(1.0, abs(float(at)))
            found[:, :, k] = (self._slopes(place, x, row, k, off) - self._slopes(place, x, row, k, -off)) / (2 * off)
        return (found + found.transpose(0, 2, 1)) / 2

    def _slopes(self, place: Place, x: Array, row: Array, k: int, off: float) -> Array:
        """[A B] of a step that is displaced in one number."""
        x, row, n = x.copy(), row.copy(), len(x)
        if k < n:
            x[k] += off
        else:
            row[self.wanted[k - n]] += off
        try:
            one, _ = self.map.along(x, row, place)
        except SolverError as error:
            raise SolverError(f"ilqr, second_order: a step beside the motion: {error}", error.status) from None
        return np.hstack([one.A, one.B[:, self.wanted]])
