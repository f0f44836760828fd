"""Rods that hang one on another and swing in a plane, by their absolute angles: equations as textbooks have them.

Angles are from the vertical, (..., n). Each rod has the length and the mass of one, with its inertia about its centre:

    M_ij = A_ij cos(theta_i - theta_j) + I delta_ij,
    M theta'' + sum_j A_ij sin(theta_i - theta_j) theta_j'² + g c sin(theta) = 0
"""

from __future__ import annotations

import numpy as np

GRAVITY = 9.81
INERTIA = 0.05**2 / 4 + 1 / 12  # of a cylinder of 1 kg, 1 m, radius 0.05 m, across its axis [kg m²]


class PlanarChain:
    """The equations of n rods."""

    def __init__(self, count: int):
        below = count - 1 - np.arange(count)
        self.count = count
        self.levers = below + 0.5
        self.pairs = np.minimum.outer(below, below) + 0.5 - 0.25 * np.eye(count)

    def mass(self, angles: np.ndarray) -> np.ndarray:
        """M, (..., n, n)."""
        apart = angles[..., :, None] - angles[..., None, :]
        return self.pairs * np.cos(apart) + INERTIA * np.eye(self.count)

    def slopes(self, angles: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """dL/dtheta and dL/dtheta'."""
        apart = angles[..., :, None] - angles[..., None, :]
        turning = self.pairs * np.sin(apart) * rates[..., :, None] * rates[..., None, :]
        pull = GRAVITY * self.levers * np.sin(angles)
        momentum = np.einsum("...ij,...j->...i", self.mass(angles), rates)
        return -turning.sum(axis=-1) - pull, momentum

    def accelerations(self, angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """theta''."""
        apart = angles[..., :, None] - angles[..., None, :]
        turning = np.einsum("...ij,...j->...i", self.pairs * np.sin(apart), rates**2)
        pull = GRAVITY * self.levers * np.sin(angles)
        return np.linalg.solve(self.mass(angles), -(turning + pull)[..., None])[..., 0]


def hermite_simpson(chain: PlanarChain, angles: np.ndarray, step: float, steps: int) -> np.ndarray:
    """Angles at the knots of a motion from rest, by the collocation of Hermite and Simpson: (steps + 1, ..., n)."""

    def rates(state: np.ndarray) -> np.ndarray:
        return np.concatenate([state[..., n:], chain.accelerations(state[..., :n], state[..., n:])], axis=-1)

    n = chain.count
    state = np.concatenate([angles, np.zeros_like(angles)], axis=-1)
    found = [angles]
    for _ in range(steps):
        first = rates(state)
        last, end = first, state + step * first
        for _ in range(200):
            middle = rates((state + end) / 2 + step / 8 * (first - last))
            new = state + step / 6 * (first + 4 * middle + last)
            change, end = np.abs(new - end).max(), new
            last = rates(end)
            if change < 1e-13:
                break
        state = end
        found.append(state[..., :n])
    return np.array(found)
