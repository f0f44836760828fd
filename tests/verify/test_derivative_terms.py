"""Terms of the chain rule: of a whole sub-result, two at once, of second derivatives; what is said is true."""

from __future__ import annotations

import numpy as np
import pytest

import symvi.verify as verify
from symvi.verify import Report
from tests.verify.test_derivative_slips import skew, told

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


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("outer", "inner", "says"),
    [(1, 0, "R.T @ w"), (0, 1, "R @ (J @ (R.T @ w))"), (1, -1, "R.T @ w")],
)
def test_one_of_two_uses_of_a_rotation_is_told(outer: int, inner: int, says: str) -> None:
    """d(R J Rᵀ w) = -R (J Rᵀ w)^ + R J (Rᵀ w)^, by q in body axes."""

    def claimed(q, w, J):  # noqa: N803
        R = rot(q)  # noqa: N806
        return -outer * R @ skew(J @ R.T @ w) + inner * R @ J @ skew(R.T @ w)

    variables = {"q": verify.quaternion(), "w": verify.vector(3), "J": verify.inertia()}
    (one,) = told(of(world_momentum, claimed, "q", **variables))
    assert one.startswith(f"{MISSING} rot(q) in") and f"where it is used in {says} in" in one
    assert one.endswith("the wrong sign" if inner < 0 else "missing")


def energy(x, k, l):  # noqa: E741
    return k / 2 * (np.sqrt(x @ x) - l) ** 2


@pytest.mark.parametrize(("geometric", "says"), [(0, "missing"), (-1, "the wrong sign"), (2, "twice the true value")])
def test_a_term_of_a_second_derivative_says_what_it_is_of(geometric: int, says: str) -> None:
    """k (u uᵀ + (1 - l/n) (1 - u uᵀ)): what changes with the direction of a spring is its geometric stiffness."""

    def claimed(x, k, l):  # noqa: E741
        n = np.linalg.norm(x)
        along = np.outer(x, x) / n**2
        return k * (along + geometric * (1 - l / n) * (np.eye(3) - along))

    lengths = {"k": verify.scalar(True), "l": verify.scalar(True)}
    (one,) = told(of(energy, claimed, "x", 2, x=verify.vector(3), **lengths))
    assert "the first derivative of np.sqrt(x @ x) in test_derivative_terms.py:" in one and one.endswith(f": {says}")


# --- two terms --------------------------------------------------------------------------------------------------------
def drag(v, c):
    return -c * np.linalg.norm(v) * v


def test_a_term_inside_of_a_whole_is_told_as_it_is_there() -> None:
    """-2 c |v|: twice the derivative, and in it the derivative of |v| left out, not turned over."""
    variables = {"v": verify.vector(3), "c": verify.scalar(True)}
    (one,) = told(of(drag, lambda v, c: -2 * c * np.linalg.norm(v) * np.eye(3), "v", **variables))
    assert one.startswith(
        "the whole derivative: twice the true value, and a term of the chain rule, the derivative of v"
    )
    assert "np.linalg.norm(v)" in one and one.endswith("missing")


def pull(x, k, l):  # noqa: E741
    n = np.linalg.norm(x)
    return k * (n - l) * x / n


def test_two_terms_that_are_missing_are_told_as_such() -> None:
    """A stiffness k u uᵀ is that of the length alone: the direction was held, which is x in the product and 1/n."""
    variables = {"x": verify.vector(3), "k": verify.scalar(True), "l": verify.scalar(True)}
    (one,) = told(of(pull, lambda x, k, l: k * np.outer(x, x) / (x @ x), "x", **variables))  # noqa: E741
    assert one.startswith("the whole derivative: two terms of the chain rule, the derivatives of x where it is used in")
    assert "np.linalg.norm(x)" in one and one.endswith("missing") and "twice" not in one
