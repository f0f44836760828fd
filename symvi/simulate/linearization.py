"""What a linearised step is: matrices with names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Linearization:
    """x_{k+1} = f(x_k, u, p), linearised at a step: dx_{k+1} = A dx_k + B du + P dp.

    A (n, n), B (n, m), P (n, p): derivatives. names (n,): what x holds, coordinates first, then their rates
    ("NAME.rate"), then what a state remembers (targets of the knot before, weights of dampers). inputs (m,), parameters
    (p,): names of the columns of B and P. x, next (n,): where it was linearised, and where the step leads [SI, rad].
    step: its length [s]. chart: "knot" or "chord", what rates are. parts: equal parts that the step was taken in, whose
    number is held. smoothing: complementarity of contacts, limits and dry friction that the derivative is of, None
    without any.
    """

    A: Array
    B: Array
    P: Array
    names: tuple[str, ...]
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    x: Array
    next: Array
    step: float
    chart: str
    parts: int
    smoothing: float | None

    def __repr__(self) -> str:
        n, m = self.B.shape
        about = "" if self.smoothing is None else f", smoothing {self.smoothing:g}"
        return f"<linearization: {n} states, {m} inputs, step {self.step:g} s, chart '{self.chart}'{about}>"


@dataclass(frozen=True, eq=False)
class MotionLinearization:
    """Every step of a motion, linearised: dx_{k+1} = A[k] dx_k + B[k] du_k + P[k] dp.

    time (N + 1,) of the knots [s]. A (N, n, n), B (N, n, m), P (N, n, p), x (N + 1, n), parts (N,); the rest as in
    `Linearization`, which `motion[k]` gives for one step. The first step of a start has forces at its knot for half a
    step, all others for a whole one.
    """

    time: Array
    A: Array
    B: Array
    P: Array
    names: tuple[str, ...]
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    x: Array
    step: float
    chart: str
    parts: NDArray[np.int64]
    smoothing: float | None

    @classmethod
    def of(cls, steps: Sequence[Linearization], time: Array) -> MotionLinearization:
        """Steps one after the other. Raises ArgumentError for none."""
        if not steps:
            raise ArgumentError("linearize: the motion has no step; simulate for at least one")
        first = steps[0]
        return cls(
            time,
            np.array([each.A for each in steps]),
            np.array([each.B for each in steps]),
            np.array([each.P for each in steps]),
            first.names,
            first.inputs,
            first.parameters,
            np.array([first.x, *(each.next for each in steps)]),
            first.step,
            first.chart,
            np.array([each.parts for each in steps]),
            first.smoothing,
        )

    def __len__(self) -> int:
        return len(self.A)

    def __getitem__(self, k: int) -> Linearization:
        """One step. Raises IndexError."""
        n = range(len(self))[k]
        return Linearization(
            self.A[n], self.B[n], self.P[n], self.names, self.inputs, self.parameters,
            self.x[n], self.x[n + 1], self.step, self.chart, int(self.parts[n]), self.smoothing,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<{len(self)} steps linearised: {len(self.names)} states, {len(self.inputs)} inputs>"
