"""Rotation vectors φ and unit quaternions (w, x, y, z): exp, its left Jacobian, and log with whole turns."""

from __future__ import annotations

from math import atan2, cos, pi, sin

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
SMALL = 1e-4  # rad: below it, series to round-off


def exponential(vector: ArrayLike) -> Array:
    """(4,) the quaternion of a rotation by |φ| about φ (3,)."""
    phi = np.asarray(vector, float)
    angle = float(np.linalg.norm(phi))
    share = 0.5 - angle**2 / 48 if angle < SMALL else sin(angle / 2) / angle
    return np.array([cos(angle / 2), *(share * phi)])


def product(a: Array, b: Array) -> Array:
    """(4,) the rotation b, then a; of length one."""
    (w, x, y, z), (s, i, j, k) = a, b
    found = np.array(
        [
            w * s - x * i - y * j - z * k,
            w * i + x * s + y * k - z * j,
            w * j - x * k + y * s + z * i,
            w * k + x * j - y * i + z * s,
        ]
    )
    return found / np.sqrt(found @ found)


def rotation_vector(q: Array, near: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """(3,) φ of a rotation, among all that turn alike the nearest to another (3,)."""
    size = float(np.linalg.norm(q[1:]))
    other = np.asarray(near, float)
    far = float(np.linalg.norm(other))
    if size < 1e-12:  # no turn, or whole ones: about the axis of the other
        return 2 * pi * round(far / (2 * pi)) * other / far if far > pi else 2.0 * q[1:] * np.sign(q[0] or 1.0)
    axis, angle = q[1:] / size, 2.0 * atan2(size, q[0])
    return axis * (angle + 2 * pi * round((float(axis @ other) - angle) / (2 * pi)))


def left_jacobian(vector: ArrayLike) -> Array:
    """(3, 3) J of exp(φ + dφ) = exp(J dφ) exp(φ)."""
    phi = np.asarray(vector, float)
    angle = float(np.linalg.norm(phi))
    cross = np.array([[0, -phi[2], phi[1]], [phi[2], 0, -phi[0]], [-phi[1], phi[0], 0]])
    if angle < SMALL:
        first, second = 0.5 - angle**2 / 24, 1 / 6 - angle**2 / 120
    else:
        first, second = (1 - cos(angle)) / angle**2, (angle - sin(angle)) / angle**3
    return np.eye(3) + first * cross + second * cross @ cross
