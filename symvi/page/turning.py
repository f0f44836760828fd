"""Small rotations for drawing, on arrays: quaternions (w, x, y, z) that turn body axes into world axes.

These only place pictures; the rotations of a description are in `symvi.mechanism`, those of the equations of motion in
`symvi.physics`.
"""

from __future__ import annotations

import numpy as np

__all__ = ["align", "principal_box", "rotate"]


def rotate(quaternion, vector) -> np.ndarray:
    """The vectors (..., 3) turned by the quaternions (..., 4): v + 2 w (u x v) + 2 u x (u x v)."""
    quaternion, vector = np.asarray(quaternion, float), np.asarray(vector, float)
    w, u = quaternion[..., :1], quaternion[..., 1:]
    once = np.cross(u, vector)
    return vector + 2.0 * (w * once + np.cross(u, once))


def align(direction) -> tuple[float, float, float, float]:
    """The shortest rotation of the z axis into a direction (3,) of any length but zero."""
    x, y, z = np.asarray(direction, float) / np.linalg.norm(direction)
    if z < -1.0 + 1e-12:  # half a turn: every axis across z is as good
        return (0.0, 1.0, 0.0, 0.0)
    length = np.sqrt(2.0 * (1.0 + z))
    return (float((1.0 + z) / length), float(-y / length), float(x / length), 0.0)


def principal_box(mass: float, inertia) -> tuple[np.ndarray, np.ndarray]:
    """The edges (3,) [m] and orientation (4,) of the uniform box with this mass [kg] and inertia [kg m^2].

    inertia: (ixx, iyy, izz, ixy, ixz, iyz) about the centre of mass.
    From I_1 = m (b^2 + c^2) / 12 and its cyclic sisters: a^2 = 6 (I_2 + I_3 - I_1) / m. An edge of a point mass is 0.
    """
    ixx, iyy, izz, ixy, ixz, iyz = inertia
    moments, axes = np.linalg.eigh([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    squares = 6.0 * (moments.sum() - 2.0 * moments) / mass
    return np.sqrt(np.maximum(squares, 0.0)), _quaternion(axes)


def _quaternion(matrix: np.ndarray) -> np.ndarray:
    """The quaternion of a rotation matrix: the eigenvector to the largest eigenvalue, well conditioned everywhere."""
    m, trace = matrix, np.trace(matrix)
    symmetric = np.empty((4, 4))
    symmetric[0, 0] = trace
    symmetric[0, 1:] = symmetric[1:, 0] = [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]
    symmetric[1:, 1:] = m + m.T - trace * np.eye(3)
    quaternion = np.linalg.eigh(symmetric)[1][:, -1]
    return quaternion if quaternion[0] >= 0.0 else -quaternion
