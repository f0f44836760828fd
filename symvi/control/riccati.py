"""The stabilising solution of the discrete Riccati equation, by doubling (Anderson, 1978; Chu et al., 2004)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
DOUBLINGS = 60  # 2^60 steps: nothing that settles at all takes longer
SETTLED = 1e-14  # of the solution's size: what a doubling may change at the end
LEFT = 1e-8  # of the same: what the equation may leave


def solution(a: Array, b: Array, q: Array, r: Array) -> Array | None:
    """P = AᵀPA - AᵀPB (R + BᵀPB)^-1 BᵀPA + Q, (n, n), that stabilises; None where there is none.

    a (n, n), b (n, m), q (n, n) symmetric and not negative, r (m, m) symmetric and positive.
    """
    identity, g, p, once = np.eye(len(a)), b @ np.linalg.solve(r, b.T), q.copy(), a
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(DOUBLINGS):
            try:
                inverse = np.linalg.inv(identity + g @ p)
            except np.linalg.LinAlgError:
                return None
            more = once.T @ p @ inverse @ once
            once, g, p = once @ inverse @ once, g + once @ inverse @ g @ once.T, p + more
            if not np.isfinite(p).all():
                return None
            if np.abs(more).max() <= SETTLED * np.abs(p).max():
                break
    p = (p + p.T) / 2
    gain = np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
    left = a.T @ p @ (a - b @ gain) + q - p
    stable = np.abs(np.linalg.eigvals(a - b @ gain)).max(initial=0.0) < 1.0
    return p if stable and np.abs(left).max() <= LEFT * np.abs(p).max() else None
