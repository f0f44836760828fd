"""An ellipsoid that rolls on a plane, integrated from Newton's and Euler's equations: it shares nothing with symvi.

With the arm l from the centre of mass to the lowest point, rolling is v = -w x l. Its force F = m (v' - g) acts there:

    J_w w' + w x J_w w = l x F,  v' = -w' x l - w x l'
    (J_w + m (l·l I - l lᵀ)) w' = -w x J_w w - m l x (w x l' + g)

The lowest point is where the outer normal is n = -Rᵀ e_z in body axes: l = R (c + A² n/|A n|), A the semi-axes, c the
middle from the centre of mass. n turns by n' = n x w in body axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

DOWN = np.array([0.0, 0.0, -1.0])


@dataclass(frozen=True)
class Ellipsoid:
    """mass [kg], inertia (3, 3) [kg m²] about the centre of mass, semi-axes (3,) and the middle (3,) in body axes [m].
    A ball has three equal semi-axes."""

    mass: float
    inertia: np.ndarray
    axes: tuple[float, float, float]
    middle: tuple[float, float, float]
    gravity: float = 9.81

    def arm(self, q) -> np.ndarray:
        """From the centre of mass to the lowest point, world axes."""
        r = matrix(q)
        return r @ self._lowest(r.T @ DOWN)

    def start(self, q, w) -> tuple[np.ndarray, np.ndarray]:
        """Position and velocity of the centre of mass of a body that rolls at w (body axes) over the origin."""
        arm = self.arm(q)
        return np.array([0.0, 0.0, -arm[2]]), -np.cross(matrix(q) @ w, arm)

    def rolled(self, q, w, times) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position (N, 3), orientation (N, 4), angular velocity in body axes (N, 3) at the times."""
        begin = np.concatenate([self.start(q, w)[0], q, w])
        found = solve_ivp(self._rates, (0.0, times[-1]), begin, "DOP853", times, rtol=1e-11, atol=1e-12)
        return found.y[:3].T, found.y[3:7].T, found.y[7:].T

    def energy(self, x, q, w) -> float:
        """Kinetic and potential energy of a body that rolls [J]."""
        v = np.cross(matrix(q) @ w, self.arm(q))
        return 0.5 * self.mass * v @ v + 0.5 * w @ self.inertia @ w + self.mass * self.gravity * x[2]

    def _lowest(self, n) -> np.ndarray:
        stretched = np.square(self.axes) * n
        return self.middle + stretched / np.sqrt(n @ stretched)

    def _rates(self, _, y) -> np.ndarray:
        q, w = y[3:7], y[7:]
        r = matrix(q)
        n, spin = r.T @ DOWN, r @ w
        arm, turned = r @ self._lowest(n), np.cross(n, w)
        stretched, change = np.square(self.axes) * n, np.square(self.axes) * turned
        size = np.sqrt(n @ stretched)
        moves = np.cross(spin, arm) + r @ (change / size - stretched * (n @ change) / size**3)
        inertia, m = r @ self.inertia @ r.T, self.mass
        push = np.cross(spin, inertia @ spin) + m * np.cross(arm, np.cross(spin, moves) + self.gravity * DOWN)
        about = inertia + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        turns = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([-np.cross(spin, arm), turns, r.T @ np.linalg.solve(about, -push)])


def matrix(q) -> np.ndarray:
    """The rotation matrix of a quaternion, scalar first."""
    s, v = q[0], np.asarray(q[1:])
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * s * cross + 2 * cross @ cross
