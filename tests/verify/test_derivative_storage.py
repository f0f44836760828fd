"""A Jacobian that is stored column by column, as Eigen, MATLAB and CasADi do, and read row by row."""

from __future__ import annotations

import numpy as np
import pytest

import symvi.verify as verify

VARIABLES = {"r": verify.vector(3), "m": verify.scalar(True)}
STORED = "its entries column by column, as Eigen, MATLAB and CasADi store them"
CODE = """
void jacobian(const double r[3], double m, double out[6]) {
    const double J[2][3] = {{m*r[1]*r[1], 2*m*r[0]*r[1], 0}, {r[2]*r[2]*r[2], m, 3*r[2]*r[2]*r[0]}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            out[ORDER] = J[i][j];
}
"""


def moments(r, m):
    return np.array([m * r[0] * r[1] ** 2, r[2] ** 3 * r[0] + m * r[1]])


def jacobian(r, m):
    return np.array([[m * r[1] ** 2, 2 * m * r[0] * r[1], 0], [r[2] ** 3, m, 3 * r[2] ** 2 * r[0]]])


def asked(claimed, function=moments) -> verify.Report:
    return verify.derivative(function, claimed, wrt="r", variables=VARIABLES)


def in_c(order: str) -> object:
    return verify.c(CODE.replace("ORDER", order), "jacobian")


def test_a_matrix_that_is_stored_row_by_row_is_right() -> None:
    assert asked(lambda r, m: jacobian(r, m).ravel()).right
    assert asked(in_c("3*i + j")).right


@pytest.mark.thorough
@pytest.mark.parametrize(
    "claimed",
    [
        lambda r, m: jacobian(r, m).T.ravel(),
        lambda r, m: jacobian(r, m).T.ravel().reshape(2, 3),
        lambda r, m: jacobian(r, m).ravel(order="F"),
        in_c("2*j + i"),
    ],
    ids=["flat", "matrix", "Fortran's order", "C"],
)
def test_a_matrix_that_is_stored_column_by_column_is_named_and_nothing_else_is_said(claimed) -> None:
    (found,) = asked(claimed).diagnoses
    assert (found.kind, str(found)) == ("order", f"the whole derivative: {STORED}")


def test_twice_the_columns_are_both_errors() -> None:
    (found,) = asked(lambda r, m: 2 * jacobian(r, m).T.ravel()).diagnoses
    assert found.says == f"{STORED}; twice the true value"


def test_a_square_matrix_is_transposed_and_a_flat_one_may_be_stored_so() -> None:
    def more(r, m):
        return np.array([*moments(r, m), r[0] * r[1] * r[2]])

    def transposed(r, m):
        return np.array([*jacobian(r, m), [r[1] * r[2], r[0] * r[2], r[0] * r[1]]]).T

    assert [one.says for one in asked(transposed, more).diagnoses] == ["the transpose"]
    assert [one.says for one in asked(lambda r, m: transposed(r, m).ravel(), more).diagnoses] == [
        "the transpose",
        STORED,
    ]


SINGLE = {
    "zero on the diagonal": ((1, 1), lambda x, y: 0 * y[0], "row 1 in column x[1]: zero: the derivative is missing"),
    "zero below it": ((1, 0), lambda x, y: 0 * y[0], "row 1 in column x[0]: zero: the derivative is missing"),
    "what stands below it": (
        (0, 1),
        lambda x, y: y[1],
        "row 0 in column x[1]: should be zero: the function does not change in these directions",
    ),
}


@pytest.mark.parametrize("error", SINGLE)
def test_one_wrong_entry_is_no_order_of_storage(error: str) -> None:
    """Entries that agree with the transposed matrix by themselves say nothing of how the matrix is stored."""
    (i, k), entry, said = SINGLE[error]

    def products(x, y):
        return np.array([x[0] * y[0], x[0] * y[1] + x[1] * y[0], x[2] * y[2], x[1]])

    def claimed(x, y):
        found = np.array([[y[0], 0, 0], [y[1], y[0], 0], [0, 0, y[2]], [0, 1, 0]], dtype=object)
        found[i, k] = entry(x, y)
        return found

    vectors = {"x": verify.vector(3), "y": verify.vector(3)}
    report = verify.derivative(products, claimed, wrt="x", variables=vectors)
    assert [str(one) for one in report.diagnoses] == [said]


def test_a_block_that_is_transposed_beside_rows_with_another_error_is_one_block() -> None:
    def outer(x, y):
        return np.array([*(x * (x @ y)), *(np.cross(x, y) * y[0])])

    def claimed(x, y):
        block = x @ y * np.eye(3) + np.outer(x, y)
        cross = -y[0] * np.array([[0, -y[2], y[1]], [y[2], 0, -y[0]], [-y[1], y[0], 0]])
        return np.vstack([block.T, 2 * cross])

    vectors = {"x": verify.vector(3), "y": verify.vector(3)}
    report = verify.derivative(outer, claimed, wrt="x", variables=vectors)
    assert "rows 0, 1, 2: the transpose" in [str(one) for one in report.diagnoses]
