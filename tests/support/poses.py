"""Poses of bodies and their quaternions in plain NumPy, real or complex: independent of symvi's own rotations.

Written with + - * / and arctan only, so that a complex step gives exact derivatives.
"""

from __future__ import annotations

import numpy as np

from symvi.mechanism import State

__all__ = ["WORLD", "Pose", "Poses", "angle", "conjugate", "multiply", "poses_of", "skew"]


def skew(v):
    """[v]x, the matrix of the vector product: skew(v) @ u = v x u."""
    return np.cross(np.eye(3), v)


def multiply(p, q):
    """The Hamilton product of quaternions (w, x, y, z)."""
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def conjugate(q):
    """The inverse of a unit quaternion."""
    return np.concatenate([q[:1], -q[1:]])


class Pose:
    """Position x of a body frame and its orientation, as quaternion q and matrix R; real or complex."""

    def __init__(self, position, orientation):
        self.x, self.q = np.asarray(position), np.asarray(orientation)
        w, v = self.q[0], self.q[1:]
        self.R = (w * w - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * w * skew(v)

    def moved(self, translation, turn) -> Pose:
        """The pose after a translation in world axes and a turn in body axes, to first order in the turn."""
        return Pose(self.x + translation, multiply(self.q, np.concatenate([[1.0], 0.5 * np.asarray(turn)])))


WORLD = Pose(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
Poses = dict[str, Pose]


def poses_of(state: State) -> Poses:
    """The poses of a state by the name of the body, and the world's."""
    placed = zip(state.names, state.position, state.orientation, strict=True)
    return {"world": WORLD, **{name: Pose(x, q) for name, x, q in placed}}


def angle(y, x):
    """atan2, for complex numbers with small imaginary parts too."""
    principal = np.arctan2(np.real(y), np.real(x))
    cosine, sine = np.cos(principal), np.sin(principal)
    return principal + np.arctan((y * cosine - x * sine) / (x * cosine + y * sine))
