"""Matrices of rotations and quaternions, as people write them down in NumPy (BM20 (6)-(15))."""

from __future__ import annotations

import numpy as np

V = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
T = np.diag(np.array([1, -1, -1, -1]))
I3 = np.diag(np.array([1, 1, 1]))


def skew(v):
    """The matrix of v x."""
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def L(q):
    """The matrix of the product q p."""
    w, x, y, z = q
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])


def R(q):
    """The matrix of the product p q."""
    w, x, y, z = q
    return np.array([[w, -x, -y, -z], [x, w, z, -y], [y, -z, w, x], [z, y, -x, w]])


def conjugate(q):
    return np.array([q[0], -q[1], -q[2], -q[3]])


def rotation(q):
    """The rotation matrix of a unit quaternion."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def norm(v):
    return np.sqrt(v @ v)
