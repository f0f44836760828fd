"""Derivatives as people write them by hand, with the errors that people make: material for verdicts and diagnoses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

I3 = np.eye(3)
PLACEMENTS = ("x_a", "q_a", "x_b", "q_b")


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def left(q):
    w, x, y, z = q
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])


def right(q):
    w, x, y, z = q
    return np.array([[w, -x, -y, -z], [x, w, z, -y], [y, -z, w, x], [z, y, -x, w]])


def rotated(q, v):
    return rotation(q) @ v


def rotated_by_q(q, v):
    """The right derivative of R(q) v, for a rotation vector on the body's side."""
    return -rotation(q) @ skew(v)


def revolute(error: str = "") -> Callable:
    """The Jacobian of a revolute joint, 5 x 12, right or with one error."""

    def jacobian(x_a, q_a, x_b, q_b, p_a, p_b, A):  # noqa: N803  (the papers' letter)
        turn = rotation(q_a).T if error == "transposed rotation" else rotation(q_a)
        found = np.zeros((5, 12))
        found[:3, :3], found[:3, 6:9] = -I3, I3
        found[:3, 3:6] = turn @ skew(p_a)
        found[:3, 9:] = -rotation(q_b) @ skew(p_a if error == "other anchor" else p_b)
        if error == "sign":
            found[:3, 3:6] *= -1
        if error == "world side":
            found[:3, 3:6], found[:3, 9:] = skew(rotation(q_a) @ p_a), -skew(rotation(q_b) @ p_b)
        if error == "lever dropped":
            found[:3, 3:6] = 0
        if error == "lever transposed":
            found[:3, 9:] = found[:3, 9:].T
        d = left(np.array([1, -1, -1, -1]) * q_a) @ q_b
        of_b, of_a = (right, left) if error == "R for L" else (left, right)
        size = {"papers' scale": 0.5, "doubled": 2}.get(error, 1)
        found[3:, 9:] = size * (A @ of_b(d)[1:, 1:])[:2]
        found[3:, 3:6] = -size * (A @ of_a(d)[1:, 1:])[:2]
        if error == "bodies swapped":
            found = np.hstack([found[:, 6:], found[:, :6]])
        if error == "one sign":
            found[4, 10] *= -1
        if error == "rows swapped":
            found = found[[1, 0, 2, 3, 4]]
        return found

    return jacobian


def momentum(error: str = "") -> Callable:
    """The derivative of c J w + (h/2) w x J w by w, c = sqrt(1 - (h²/4) w·w), right or with one error."""

    def by_w(w, J, h):  # noqa: N803
        c = np.sqrt(1 - h * h / 4 * (w @ w))
        gyroscopic = h / 2 * (skew(w) @ J - skew(J @ w))
        bent = -h * h / 4 / c * np.outer(J @ w, w)
        if error == "gyroscopic sign":
            gyroscopic = -gyroscopic
        if error == "gyroscopic term dropped":
            gyroscopic = 0 * gyroscopic
        if error == "gyroscopic term, one factor":
            gyroscopic = h / 2 * skew(w) @ J
        if error == "h/2 forgotten":
            gyroscopic = gyroscopic * 2 / h
        if error == "cosine held fixed":
            bent = 0 * bent
        if error == "outer product transposed":
            bent = bent.T
        return c * J + bent + gyroscopic

    return by_w
