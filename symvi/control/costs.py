"""What a motion costs, in squares: of states beside a goal, of inputs, of the last state, and of further residuals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError
from symvi.mechanism.names import shown

Array = NDArray[np.float64]
Residuals = Callable[[Array], Sequence[Array]]


@dataclass(frozen=True, eq=False)
class Quadratic:
    """Half of the cost about a motion, to second order: value, by x (N + 1, n) and twice by x (N + 1, n, n)."""

    by_x: Array
    curve: Array


@dataclass(frozen=True, eq=False)
class Costs:
    """Σ (x - g)ᵀQ(x - g) + uᵀRu + (x_N - g)ᵀF(x_N - g) + rᵀr: q, last (n, n), r (m, m), goal (n,).

    residuals: x (N + 1, n) to (r (N + 1, p), by x (N + 1, p, n)); of their curvature what Gauss and Newton keep.
    """

    q: Array
    r: Array
    last: Array
    goal: Array
    residuals: Residuals | None

    def of(self, x: Array, u: Array) -> float:
        """What a motion costs. Raises ArgumentError for residuals that are none."""
        off = x - self.goal
        steps = np.einsum("ki,ij,kj", off[:-1], self.q, off[:-1]) + np.einsum("ki,ij,kj", u, self.r, u)
        more = 0.0 if self.residuals is None else float((self._further(x)[0] ** 2).sum())
        return float(steps + off[-1] @ self.last @ off[-1]) + more

    def about(self, x: Array) -> Quadratic:
        """The costs of states beside those of a motion."""
        off = x - self.goal
        by_x, curve = off @ self.q, np.repeat(self.q[None], len(x), axis=0)
        by_x[-1], curve[-1] = self.last @ off[-1], self.last
        if self.residuals is not None:
            r, slope = self._further(x)
            by_x = by_x + np.einsum("kpi,kp->ki", slope, r)
            curve = curve + np.einsum("kpi,kpj->kij", slope, slope)
        return Quadratic(by_x, curve)

    def _further(self, x: Array) -> tuple[Array, Array]:
        if not callable(self.residuals):
            raise ArgumentError(f"residuals {shown(self.residuals)}: give a function of x that returns (r, by x)")
        found = self.residuals(x.copy())
        if not isinstance(found, Sequence) or len(found) != 2:
            raise ArgumentError(f"residuals: returned {shown(found)}; return (r, by x)")
        try:
            r, slope = (np.asarray(each, float) for each in found)
        except (TypeError, ValueError):
            raise ArgumentError(f"residuals: returned {shown(found)}; r and its slope are arrays of numbers") from None
        if r.ndim != 2 or len(r) != len(x) or slope.shape != (*r.shape, x.shape[1]):
            raise ArgumentError(
                f"residuals: r has shape {r.shape}, its slope {slope.shape}; of {len(x)} knots with {x.shape[1]} "
                f"states they are ({len(x)}, p) and ({len(x)}, p, {x.shape[1]})"
            )
        if not (np.isfinite(r).all() and np.isfinite(slope).all()):
            raise ArgumentError("residuals: not all of r and its slope are finite")
        return r, slope
