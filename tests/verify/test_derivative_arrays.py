"""What NumPy makes of exact numbers on its way: arrays of single numbers, steps, memory that nothing was written to."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

import symvi.verify as verify
from tests.support.subset import first_of

X, V = {"x": verify.scalar()}, {"x": verify.vector(2)}


def scaled(x):
    return x[0] * x


def refusal(claimed) -> str:
    return refusal_of(scaled, claimed)


def refusal_of(function, claimed) -> str:
    with pytest.raises(verify.VerificationError) as found:
        verify.derivative(function, claimed, "x", V)
    return str(found.value)


# --- np.empty -------------------------------------------------------------------------------------------------------
def filled(x, like=False):
    J = np.empty_like(np.outer(x, x)) if like else np.empty((2, 2))  # noqa: N806
    J[0, 0], J[0, 1], J[1, 0], J[1, 1] = 2 * x[0], 0, x[1], x[0]
    return J


@pytest.mark.parametrize("like", [False, True], ids=["empty", "empty_like"])
def test_what_lay_in_memory_before_it_was_written_to_is_nobodys_number(like: bool) -> None:
    np.full((2, 2), math.pi / 7)  # what may lie there
    report = verify.derivative(scaled, lambda x: filled(x, like), "x", V)
    assert report.right and not report.notes, str(report)


def half_filled(x):
    J = np.empty((2, 2))  # noqa: N806
    J[0, 0], J[1, 0], J[1, 1] = 2 * x[0], x[1], x[0]
    return J


def added(x):
    J = np.empty((2, 2))  # noqa: N806
    J += np.outer(x, x)
    return J


def test_what_nothing_was_written_to_is_not_read() -> None:
    assert "returns a number of np.empty that nothing was written to" in refusal(half_filled)
    said = refusal(added)
    assert "reads a number of np.empty that nothing was written to; write to it first, or take np.zeros" in said
    assert said.count("test_derivative_arrays.py") == 1


def test_a_number_that_is_not_finite_has_one_place() -> None:
    said = refusal(lambda x: np.eye(2) * np.where(x[0] > 0, 1, np.nan))
    assert said.count("test_derivative_arrays.py") == 1 and "the number nan is not finite" in said


# --- arrays of single numbers -----------------------------------------------------------------------------------
BELOW = {
    "where": lambda x: np.where(x > 0, x, 0),
    "atleast_1d": lambda x: np.maximum(np.atleast_1d(x), 0)[0],
    "full": lambda x: np.maximum(np.full(2, x), 0)[0],
    "concatenate": lambda x: np.maximum(np.concatenate([[x], [x]]), 0)[0],
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", BELOW)
def test_arrays_of_single_numbers_are_exact(name: str) -> None:
    above = BELOW[name]
    report = verify.derivative(
        lambda x: np.where(x > 0, np.sqrt(above(x)) ** 3, 0.0),
        lambda x: np.where(x > 0, 1.5 * np.sqrt(above(x)), 0.0),
        "x",
        X,
    )
    assert report.everywhere, str(report)
    assert not any("floats" in note for note in report.notes)


def assigned(s, x):
    found = np.zeros(2)
    found[0], found[1] = s, x[0]
    return found


HOLDING = {
    "list": lambda s, x: [s, x[0]],
    "array": lambda s, x: np.array([s, x[0]]),
    "array of arrays": lambda s, x: np.array([s, np.asarray(x[0])]),
    "assigned": assigned,
    "assigned and computed with": lambda s, x: np.sqrt(assigned(s, x) ** 2 + 1) @ assigned(s, x) * np.ones(1),
    "math": lambda s, x: [math.sin(s), x[0]],
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", HOLDING)
def test_numbers_in_arrays_without_axes_are_numbers(name: str) -> None:
    def claimed(x):
        s, row = (x[1], np.array([0, 1])) if x[0] > 0 else (x[0], np.array([1, 0]))
        if "computed" in name:
            first, second = ((2 * y**2 + 1) / np.sqrt(y**2 + 1) for y in (s, x[0]))
            return first * row + second * np.array([1, 0])
        return np.array([np.cos(s) * row if name == "math" else row, [1, 0]])

    report = verify.derivative(lambda x: HOLDING[name](np.where(x[0] > 0, x[1], x[0]), x), claimed, "x", V)
    assert report.everywhere, str(report)
    assert not any("floats" in note for note in report.notes)


UNBOUNDED = {
    "clip": lambda x: np.clip(x, -np.inf, 1),
    "clip to lists": lambda x: np.clip(x, [-np.inf, -np.inf], [1, 1]),
    "minimum": lambda x: np.minimum(np.minimum(x, np.inf), 1),
    "maximum": lambda x: np.minimum(np.maximum(np.full(2, -np.inf), x), 1),
    "of numbers": lambda x: [np.minimum(1, np.maximum(x[0], -np.inf)), np.minimum(np.fmin(np.inf, x[1]), 1)],
    "where": lambda x: np.where(x < np.inf, np.minimum(x, 1), 0),
    "initial": lambda x: np.minimum([np.max(x[:1], initial=-np.inf), x[1]], 1),
}


@pytest.mark.parametrize("name", first_of(UNBOUNDED, kept=2))
@pytest.mark.parametrize("wrong", [False, True], ids=["right", "wrong"])
def test_infinite_bounds_are_none(name: str, wrong: bool) -> None:
    report = verify.derivative(UNBOUNDED[name], lambda x: np.diag(np.where(x < 1 + wrong, 1, 0)), "x", V)
    assert report.everywhere != wrong, str(report)
    assert not any("floats" in note for note in report.notes)


@pytest.mark.parametrize(
    "of", [lambda x: x + np.inf, lambda x: np.minimum(x, -np.inf) * 2, lambda x: np.sqrt(x * np.inf)]
)
def test_what_is_computed_with_infinite_numbers_is_refused(of) -> None:
    said = refusal_of(of, np.eye(2))
    assert "inf is not finite" in said and said.count("test_derivative_arrays.py") == 1


def test_linear_algebra_of_lists_is_exact() -> None:
    def entries(x):
        return [[0, x[0], 1.0], [x[1], 0, 2], [1, 0, x[0]]]

    report = verify.derivative(
        lambda x: np.linalg.det(entries(x)), lambda x: np.array([2 - 2 * x[0] * x[1], -(x[0] ** 2)]), "x", V
    )
    assert report.everywhere, str(report)
    report = verify.derivative(
        lambda x: np.linalg.inv([[x[0], 0], [1, x[1]]])[0, 0], lambda x: [-1 / x[0] ** 2, 0], "x", V
    )
    assert report.everywhere, str(report)


def gram(x, size):
    """x0 on the diagonal, x1 right of it and in the last row first."""
    a = np.zeros((size, size))
    for i in range(size):
        a[i, i] = x[0]
        a[i, (i + 1) % size] = x[1]
    return a


def test_large_determinants_are_exact_and_quick() -> None:
    """x0^9 + x1^9; the sum of products has 362880 parts."""
    report = verify.derivative(
        lambda x: np.linalg.det(gram(x, 9)), lambda x: np.array([9 * x[0] ** 8, 9 * x[1] ** 8]), "x", V
    )
    assert report.everywhere, str(report)


def singular(q, size):
    """A matrix whose determinant is |q|² - 1."""
    a = np.eye(size)
    a[0, 0] = q @ q - 1
    return np.linalg.det(a)


def test_a_determinant_that_is_zero_may_have_slopes() -> None:
    turned = {"q": verify.quaternion("raw")}
    report = verify.derivative(lambda q: singular(q, 5), lambda q: 2 * q, "q", turned)
    assert report.everywhere, str(report)
    with pytest.raises(verify.VerificationError, match="np.linalg.det of a singular matrix whose last 8 rows"):
        verify.derivative(lambda q: singular(q, 8), lambda q: 2 * q, "q", turned)


@pytest.mark.parametrize("name", ["det", "inv"])
def test_linear_algebra_of_what_is_not_square_is_refused(name: str) -> None:
    of = getattr(np.linalg, name)
    said = refusal_of(lambda x: of(np.outer(x, np.ones(3))), [0, 0])
    assert f"np.linalg.{name} of an array of 2 x 3 numbers; it has to be a square matrix" in said
    assert said.count("test_derivative_arrays.py") == 1


# --- steps --------------------------------------------------------------------------------------------------------
STEPS = {
    "np.copysign": (lambda x: abs(x), lambda x: np.copysign(1, x)),
    "math.copysign": (lambda x: abs(x), lambda x: math.copysign(1.0, x)),
    "copysign of two": (lambda x: abs(x) * x / 2, lambda x: np.copysign(x, 1)),
    "np.heaviside": (lambda x: np.maximum(x, 0), lambda x: np.heaviside(x, 0.5)),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("wrong", [False, True], ids=["right", "wrong"])
def test_steps_are_exact_on_both_sides(name: str, wrong: bool) -> None:
    function, claimed = STEPS[name]
    report = verify.derivative(function, (lambda x: -claimed(x)) if wrong else claimed, "x", X)
    assert report.everywhere != wrong, str(report)
    assert not any("floats" in note for note in report.notes), str(report)


@pytest.mark.thorough
def test_steps_of_arrays_are_exact() -> None:
    for function, claimed in (
        (lambda x: np.sum(np.abs(x)), lambda x: np.copysign(np.ones(2), x)),
        (lambda x: np.sum(np.maximum(x, 0)), lambda x: np.heaviside(x, 1)),
    ):
        report = verify.derivative(function, claimed, "x", V)
        assert report.everywhere, str(report)


# --- claims that are arrays ---------------------------------------------------------------------------------------
def test_a_matrix_of_numpy_is_an_array() -> None:
    assert verify.derivative(lambda x: x, np.eye(2).view(np.matrix), "x", V).everywhere


UNEVEN = {
    "arrays": [np.array([3, 0]), np.array([0])],
    "lists": [[3, 0], [0]],
    "of both": [np.array([3, 0]), sp.Matrix([0, 3])],
}


@pytest.mark.parametrize("name", UNEVEN)
def test_lists_of_different_lengths_are_no_matrix(name: str) -> None:
    assert "claim is a list of lists of different lengths" in refusal(UNEVEN[name])


@pytest.mark.parametrize("claimed", [True, [[True, False], [False, 1]], sp.Symbol("x0") > 0])
def test_a_condition_is_no_number(claimed: object) -> None:
    assert "is a condition where a number should be" in refusal(claimed)
