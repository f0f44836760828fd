"""Gains that hold a motion where its step was linearised, at the least cost in squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symvi.control.riccati import solution
from symvi.control.weights import Weights, regulated, weights_of
from symvi.errors import ArgumentError
from symvi.simulate.linearization import Linearization

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Regulator:
    """u = u0 - K (x - x0): K (m, n), for inputs of these names (m,) and states of these (n,), as in the linearisation.

    x (n,): where it holds. P (n, n): xᵀPx is the cost to come of a deviation. eigenvalues (n,): of A - B K, all inside
    the unit circle.
    """

    K: Array
    P: Array
    names: tuple[str, ...]
    inputs: tuple[str, ...]
    x: Array
    eigenvalues: NDArray[np.complex128]

    def __call__(self, x: Array) -> dict[str, float]:
        """What to add to the inputs at states x (n,), by name."""
        return dict(zip(self.inputs, (-self.K @ (np.asarray(x) - self.x)).tolist(), strict=True))

    def __repr__(self) -> str:
        largest = np.abs(self.eigenvalues).max()
        return f"<regulator: {len(self.inputs)} inputs, {len(self.names)} states, |λ| ≤ {largest:.4g}>"


def lqr(linearization: Linearization, Q: Weights, R: Weights) -> Regulator:
    """The regulator with the least sum of xᵀQx + uᵀRu over all steps to come.

    Q: weights of states by name, none for others, or (n,) or (n, n). R: weights of inputs by name, all above zero, or
    (m,) or (m, m); inputs that R does not name stay as they are.
    Raises ArgumentError for unknown names and for weights that are none, and where nothing that the inputs do holds the
    state, or no weight asks for it: with the size of the eigenvalue and the states that move along it.
    """
    q = weights_of("Q", Q, linearization.names)
    wanted, r = regulated(R, linearization.inputs)
    a, b = linearization.A, linearization.B[:, wanted]
    p = solution(a, b, q, r)
    if p is None:
        raise ArgumentError(_why(linearization, a, b, q))
    gains = np.asarray(np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a), float)
    inputs = tuple(linearization.inputs[k] for k in wanted)
    return Regulator(
        gains, p, linearization.names, inputs, linearization.x, np.linalg.eigvals(a - b @ gains).astype(complex)
    )


def _why(linearization: Linearization, a: Array, b: Array, q: Array) -> str:
    """What no gain can hold: modes that inputs do not reach, or that Q does not see."""
    values, right = np.linalg.eig(a)
    for value, mode in zip(values, right.T, strict=True):
        if abs(value) < 1.0 - 1e-9:
            continue
        shifted, scale = a - value * np.eye(len(a)), max(1.0, np.abs(a).max())
        left, sizes, _ = np.linalg.svd(np.hstack([shifted, b]))
        reached = sizes[-1] > 1e-9 * scale
        seen = np.linalg.norm(q @ mode) > 1e-12 * np.abs(q).max(initial=1e-300)
        if not reached or not seen:
            of = mode if reached else left[:, -1]  # what moves unseen, or what no input moves
            largest = np.argsort(-np.abs(of))[:2]
            names = ", ".join(linearization.names[k] for k in sorted(largest) if abs(of[k]) > 1e-6)
            how = "the inputs in R do not reach it" if not reached else "no weight in Q asks for it"
            return f"lqr: nothing holds the motion along {names} (eigenvalue {abs(value):.6g}): {how}"
    return "lqr: found no gains that hold the motion; scale Q and R nearer to each other"
