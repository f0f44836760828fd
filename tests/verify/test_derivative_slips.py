"""Slips: one index for another, one sign among many entries, a factor dropped."""

from __future__ import annotations

import numpy as np

import symvi.verify as verify
from symvi.verify import Report


def told(report: Report) -> list[str]:
    return [str(one) for one in report.diagnoses]


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def energy(w, J):  # noqa: N803
    return (
        (J[0] * w[0] ** 2 + J[1] * w[1] ** 2 + J[2] * w[2] ** 2) / 2
        + J[3] * w[0] * w[1]
        + w[2] * (J[4] * w[0] + J[5] * w[1])
    )


def momentum(w, J):  # noqa: N803
    xx, yy, zz, xy, xz, yz = J
    return np.array(
        [xx * w[0] + xy * w[1] + xz * w[2], xy * w[0] + yy * w[1] + yz * w[2], xz * w[0] + yz * w[1] + zz * w[2]]
    )


SPINNING = {"w": verify.vector(), "J": verify.inertia("six")}


def test_one_index_for_another_is_wrong_where_it_stands_and_gets_no_other_name() -> None:
    def claimed(w, J):  # noqa: N803
        return momentum(w, J) + np.array([0, (J[4] - J[5]) * w[2], 0])

    assert verify.derivative(energy, momentum, "w", SPINNING).right
    report = verify.derivative(energy, claimed, "w", SPINNING)
    assert [each.right for each in report.entries] == [True, False, True] and not told(report), str(report)


def test_a_wrong_sign_is_told_before_two_errors_at_once() -> None:
    """A row with an even entry of the wrong sign and an odd one is that of -x[3] for x[3], times -1, as well."""
    size = 6

    def function(x):
        return np.array([x[k] * x[(k + 1) % size] + np.sin(x[k]) for k in range(size)])

    def claimed(x):
        found = np.zeros((size, size), dtype=object)
        for k in range(size):
            found[k, k], found[k, (k + 1) % size] = x[(k + 1) % size] + np.cos(x[k]), x[k]
        found[3, 3], found[1, 4] = -found[3, 3], 1
        return found

    report = verify.derivative(function, claimed, "x", {"x": verify.vector(size)})
    assert "row 3 in the column x[3]: the wrong sign" in told(report) and len(told(report)) == 2, str(report)


def test_a_factor_that_is_missing_is_told_with_the_code_that_computes_it() -> None:
    def function(x, y):
        return x * np.cos(y[0] * y[1])

    def claimed(x, y):
        return np.eye(3)

    report = verify.derivative(function, claimed, "x", {"x": verify.vector(), "y": verify.vector()})
    (said,) = told(report)
    assert "a factor that np.cos(y[0] * y[1]) in test_derivative_slips.py:" in said and "computes is missing" in said
