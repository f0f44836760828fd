"""What plans of machines that jump share: points of bodies as residuals, an obstacle, reach of joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from symvi import Simulator, Trajectory

Array = np.ndarray
Residuals = Callable[[Array], tuple[Array, Array]]  # x (N + 1, n) to (r (N + 1, p), by x (N + 1, p, n))


class Points:
    """Points of bodies at all knots: way and height [m], by the simulator's own model and Jacobians."""

    def __init__(self, simulator: Simulator, points: Sequence[tuple[str, tuple[float, float, float]]]):
        self.model, self.points = simulator.model, points
        self.names = self.model.names

    def __call__(self, x: Array) -> tuple[Array, Array]:
        """(N + 1, points, 2), and (N + 1, points, 2, n) by x."""
        count, model = len(self.names), self.model
        at, by_x = np.zeros((len(x), len(self.points), 2)), np.zeros((len(x), len(self.points), 2, x.shape[1]))
        for k, q in enumerate(x[:, :count]):
            frames = model.frames(q)
            for j, (body, point) in enumerate(self.points):
                of = model.bodies.index(body)
                at[k, j] = (frames.position[of] + frames.rotation[of] @ np.array(point))[[0, 2]]
                by_x[k, j, :, :count] = model.jacobian(body, q, point)[[0, 2]]
        return at, by_x


def over(points: Points, place: float, height: float, width: float, weight: float) -> Residuals:
    """Points below a smooth hill at a place on the way."""

    def residuals(x: Array) -> tuple[Array, Array]:
        at, by_x = points(x)
        off = (at[..., 0] - place) / width
        hill = height * np.exp(-0.5 * off**4)
        below = weight * (at[..., 1] < hill)
        slope = by_x[:, :, 1] + (hill * 2 * off**3 / width)[..., None] * by_x[:, :, 0]
        return below * (hill - at[..., 1]), -below[..., None] * slope

    return residuals


def within(names: Sequence[str], reach: Mapping[str, tuple[float, float, float]]) -> Residuals:
    """Coordinates beyond their reach: name -> (least, most, weight)."""

    def residuals(x: Array) -> tuple[Array, Array]:
        r, by_x = np.zeros((len(x), len(reach))), np.zeros((len(x), len(reach), x.shape[1]))
        for j, (name, (least, most, weight)) in enumerate(reach.items()):
            at, k = x[:, names.index(name)], names.index(name)
            r[:, j] = weight * (np.maximum(at - most, 0) - np.maximum(least - at, 0))
            by_x[:, j, k] = weight * ((at > most) | (at < least))
        return r, by_x

    return residuals


def near(points: Points, asked: Array, weight: float) -> Residuals:
    """Points off where they are asked for at each knot: asked (N + 1, points, 2), NaN where nothing is asked."""

    def residuals(x: Array) -> tuple[Array, Array]:
        at, by_x = points(x)
        known = weight * np.isfinite(asked)
        r, slope = known * np.nan_to_num(at - asked), known[..., None] * by_x
        return r.reshape(len(x), -1), slope.reshape(len(x), -1, x.shape[1])

    return residuals


def together(*parts: Residuals) -> Residuals:
    """All of some residuals."""

    def residuals(x: Array) -> tuple[Array, Array]:
        found = [part(x) for part in parts]
        return np.concatenate([r for r, _ in found], axis=1), np.concatenate([by_x for _, by_x in found], axis=1)

    return residuals


def coordinates(motion: Trajectory, joints: Sequence[str]) -> Array:
    """(N + 1, coordinates) of joints of a motion."""
    return np.column_stack([motion.coordinates(name) for name in joints])
