"""Terms of the chain rule: of a whole sub-result, two at once, of second derivatives; what is said is true."""

from __future__ import annotations

import numpy as np

import symvi.verify as verify
from symvi.verify import Report
from tests.verify.test_derivative_slips import skew

V = np.hstack([np.zeros((3, 1)), np.eye(3)])
MISSING = "the whole derivative: a term of the chain rule, the derivative of"


def of(function, claimed, wrt, order: int = 1, **variables) -> Report:
    return verify.derivative(function, claimed, wrt, variables, order)


def left(q):
    return np.block([[q[0], -q[1:].reshape(1, 3)], [q[1:].reshape(3, 1), q[0] * np.eye(3) + skew(q[1:])]])


def right(q):
    return np.block([[q[0], -q[1:].reshape(1, 3)], [q[1:].reshape(3, 1), q[0] * np.eye(3) - skew(q[1:])]])


def rot(q):
    """As the papers build it, of many numbers that cancel."""
    return V @ right(q).T @ left(q) @ V.T


# --- one term ---------------------------------------------------------------------------------------------------------
def world_momentum(q, w, J):  # noqa: N803
    R = rot(q)  # noqa: N806
    return R @ (J @ (R.T @ w))


def pull(x, k, l):  # noqa: E741
    n = np.linalg.norm(x)
    return k * (n - l) * x / n
