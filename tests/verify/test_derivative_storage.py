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
