"""Gains along a motion: the regulator that brings a mechanism back to it, step by step, by Riccati's recursion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symvi.control.weights import Weights, regulated, weights_of
from symvi.errors import ArgumentError
from symvi.simulate.linearization import MotionLinearization

Array = NDArray[np.float64]
BESIDE = 1e-6  # of a step: how far beside a knot a time may lie


@dataclass(frozen=True, eq=False)
class Tracker:
    """u = u_k - K_k (x - x_k) at knot k: K (N, m, n), for inputs of these names (m,) and states of these (n,).

    time (N + 1,) of the knots [s]. x (N + 1, n): the motion. P (N + 1, n, n): xᵀPx is the cost to come of a deviation.
    """

    K: Array
    P: Array
    names: tuple[str, ...]
    inputs: tuple[str, ...]
    time: Array
    x: Array

    def __call__(self, time: float, x: Array) -> dict[str, float]:
        """What to add to the inputs of the step from a knot, at states x (n,), by name. Raises ArgumentError beside
        the knots where steps begin."""
        k, step = int(np.abs(self.time - time).argmin()), self.time[1] - self.time[0]
        if k >= len(self.K) or not abs(self.time[k] - time) <= BESIDE * step:
            raise ArgumentError(
                f"no step of the motion begins at {time:g} s; its knots are {step:g} s apart, from {self.time[0]:g} s "
                f"to {self.time[-2]:g} s"
            )
        return dict(zip(self.inputs, (-self.K[k] @ (np.asarray(x) - self.x[k])).tolist(), strict=True))

    def __repr__(self) -> str:
        return f"<tracker: {len(self.K)} steps, {len(self.inputs)} inputs, {len(self.names)} states>"


def tvlqr(steps: MotionLinearization, Q: Weights, R: Weights, final: Weights | None = None) -> Tracker:
    """The tracker with the least sum of xᵀQx + uᵀRu over the steps of a motion, x and u the deviations from it.

    Q, R: weights as in `lqr`. final: weights of the last state; None are those of Q. For a motion that `lqr` goes on
    from, its P. Raises ArgumentError.
    """
    q = weights_of("Q", Q, steps.names)
    wanted, r = regulated(R, steps.inputs)
    last = q if final is None else weights_of("final", final, steps.names)
    gains, costs = riccati(steps.A, steps.B[:, :, wanted], q, r, last)
    return Tracker(gains, costs, steps.names, tuple(steps.inputs[k] for k in wanted), steps.time, steps.x)


def riccati(a: Array, b: Array, q: Array, r: Array, last: Array) -> tuple[Array, Array]:
    """(K (N, m, n), P (N + 1, n, n)) of the steps A (N, n, n), B (N, n, m), from the last cost backwards."""
    costs, gains = [last], []
    for one, by in zip(a[::-1], b[::-1], strict=True):
        ahead = costs[-1]
        gain = np.linalg.solve(r + by.T @ ahead @ by, by.T @ ahead @ one)
        closed = one - by @ gain
        cost = q + gain.T @ r @ gain + closed.T @ ahead @ closed  # Joseph's form: stays positive
        costs.append((cost + cost.T) / 2)
        gains.append(gain)
    return np.array(gains[::-1]), np.array(costs[::-1])
