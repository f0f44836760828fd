"""One derivative in the shapes in which it is written: of functions that are matrices, and by variables that are."""

from __future__ import annotations

import numpy as np
import pytest

import symvi.verify as verify
from symvi.derive import own

X = {"x": verify.vector(3)}
TURNED = {"x": verify.quaternion()}


def refusal(*asked, **options) -> str:
    with pytest.raises(verify.VerificationError) as found:
        verify.derivative(*asked, **options)
    return str(found.value)


def square(x):
    return np.outer(x, x)


def of_square(x):
    """Entry (i, k, l) is d (x_i x_k) / d x_l."""
    return np.array([[[(i == j) * x[k] + (k == j) * x[i] for j in range(3)] for k in range(3)] for i in range(3)])


def oblong(x):
    return np.array([[x[0] * x[1], x[2]], [x[1], x[0] * x[2]]])


def of_oblong(x):
    return np.array([[[x[1], x[0], 0], [0, 0, 1]], [[0, 1, 0], [x[2], 0, x[0]]]])


def turned(x):
    w, v = x[0], x[1:]
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * skew(v)


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def of_turned(x):
    return np.stack([turned(x) @ skew(axis) for axis in np.eye(3)], axis=-1)


CASES = {"3 x 3": (square, of_square, X), "2 x 2": (oblong, of_oblong, X), "rotation": (turned, of_turned, TURNED)}


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES)
def test_the_functions_own_shape_may_come_first(case: str) -> None:
    function, claimed, variables = CASES[case]
    assert verify.derivative(function, claimed, "x", variables).right
    assert verify.derivative(function, lambda x: claimed(x).reshape(-1, 3), "x", variables).right


@pytest.mark.parametrize("name", ["rotation_matrix", "world_inertia"])
def test_symvis_own_matrices_have_their_shape(name: str) -> None:
    def inertia(q, J):  # noqa: N803
        R = turned(q)  # noqa: N806
        return np.stack([R @ (J @ skew(R.T @ a) - skew(J @ R.T @ a)) for a in np.eye(3)], axis=1)

    claimed = (lambda q: of_turned(q)) if name == "rotation_matrix" else inertia
    assert verify.derivative(own(name), claimed, "q").right


def test_directions_that_come_first_are_named() -> None:
    report = verify.derivative(square, lambda x: np.moveaxis(of_square(x), -1, 0), "x", X)
    (found,) = report.diagnoses
    assert found.says == "the directions first, where they come last: np.moveaxis(claim, 0, -1) is meant"
    report = verify.derivative(oblong, lambda x: np.moveaxis(of_oblong(x), -1, 0), "x", X)
    assert report.transposed and [found.says for found in report.diagnoses] == ["the transpose"]
    assert "3 x 2 x 2" in str(report)


def test_what_is_wrong_in_such_a_shape_is_found_there() -> None:
    def claimed(x):
        found = of_oblong(x)
        found[1, 1, 2] = -found[1, 1, 2]
        return found

    report = verify.derivative(oblong, claimed, "x", X)
    assert [entry.index for entry in report.wrong] == [(3, 2)]


def test_a_variable_that_is_a_matrix_may_keep_its_shape() -> None:
    variables = {"A": verify.matrix(2, 2), "x": verify.vector(2)}
    of_product = np.array([[[int(i == k) for k in range(2)] for _ in range(2)] for i in range(2)])
    assert verify.derivative(
        lambda A, x: A @ x,  # noqa: N803
        lambda A, x: of_product.transpose(0, 2, 1) * x,  # noqa: N803
        "A",
        variables,
    ).right
    assert verify.derivative(lambda A: np.trace(A @ A), lambda A: 2 * A.T, "A", variables).right  # noqa: N803


def test_second_derivatives_of_a_matrix_may_have_four_indices() -> None:
    d = np.eye(3, dtype=int)
    both = np.einsum("ik,jl->ijkl", d, d) + np.einsum("jk,il->ijkl", d, d)
    assert verify.derivative(square, lambda x: both, "x", X, order=2).right
    assert verify.derivative(square, lambda x: both.reshape(9, 9), "x", X, order=2).right


def test_a_shape_that_fits_in_no_way_is_told_with_those_that_would() -> None:
    said = refusal(oblong, lambda x: np.eye(5), "x", X)
    assert "5 x 5, the derivative is 4 x 3 or 2 x 2 x 3" in said


def test_two_axes_of_directions_that_come_first_are_moved_as_one() -> None:
    """Hessians of three outputs, one after the other for the last axis: the remedy makes them right."""

    def hessians(x):
        return np.array([np.diag([6 * x[0], 2, 0]), np.diag([0, 12 * x[1] ** 2, 2]), np.diag([0, 0, 6 * x[2]])])

    def function(x):
        return np.array([x[0] ** 3 + x[1] ** 2, x[1] ** 4 + x[2] ** 2, x[2] ** 3])

    report = verify.derivative(function, lambda x: np.moveaxis(hessians(x), 0, -1), "x", X, order=2)
    assert report.diagnoses[0].says.endswith("np.moveaxis(claim, -1, 0) is meant"), str(report)
    assert verify.derivative(function, hessians, "x", X, order=2).right
