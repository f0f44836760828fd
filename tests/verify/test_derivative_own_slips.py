"""Slips in a claim's own text, under a root or beside another term, where no factor of the result shows them."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import symvi.verify as verify
from tests.verify.test_derivative_slips import skew, told

VARIABLES = {"w": verify.angular_velocity(), "J": verify.inertia(), "h": verify.step(), "m": verify.scalar(True)}


def momentum(w, J, h, m):  # noqa: N803
    return m * (np.sqrt(4 / h**2 - w @ w) * J @ w + np.cross(w, J @ w))


def with_root(s, w, J, m, gyroscopic=1):  # noqa: N803
    return m * (s * J - np.outer(J @ w, w) / s + gyroscopic * (skew(w) @ J - skew(J @ w)))


def a_power_of_the_step(w, J, h, m):  # noqa: N803
    s = np.sqrt(4 / h - w @ w)
    return with_root(s, w, J, m)


def a_sign(w, J, h, m):  # noqa: N803
    s = np.sqrt(4 / h**2 + w @ w)
    return with_root(s, w, J, m)


def a_factor(w, J, h, m):  # noqa: N803
    s = np.sqrt(4 / h**2 - m * (w @ w))
    return with_root(s, w, J, m)


def two_slips(w, J, h, m):  # noqa: N803
    s = np.sqrt(4 / h + w @ w / 3)
    return with_root(s, w, J, m, m)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("claimed", "place", "words", "kind"),
    [
        (a_power_of_the_step, "4 / h", "a factor h too many", "step"),
        (a_sign, "w @ w", "the wrong sign", "sign"),
        (a_factor, "m * (w @ w)", "a factor m too many", "factor"),
    ],
)
def test_a_slip_under_a_root_is_named(claimed, place: str, words: str, kind: str) -> None:
    report = verify.derivative(momentum, claimed, "w", VARIABLES)
    (one,) = report.diagnoses
    line = claimed.__code__.co_firstlineno + 1
    said = f"a slip in {claimed.__name__} itself, {place} in test_derivative_own_slips.py:{line}: {words}"
    assert one.says == said and one.kind == kind, str(report)


def test_a_slip_in_symbols_is_named() -> None:
    x, h, k = sp.symbols("x h k", positive=True)
    variables = {"x": verify.scalar(True), "h": verify.step(), "k": verify.scalar(True)}
    right = sp.sqrt(k / h**2 + x**2) * sp.sin(x) + x
    claimed = right.diff(x).subs(k / h**2, k / h)
    (one,) = told(verify.derivative(right, claimed, "x", variables))
    assert "a slip in" in one and one.endswith("a factor h too many")


def test_a_slip_in_c_is_named() -> None:
    source = """
        void claim(const double w[3], const double h, double *J) {
            double r = 4 / h;
            double s = sqrt(r - w[0]*w[0] - w[1]*w[1] - w[2]*w[2]);
            for (int k = 0; k < 3; k++) J[k] = 1 - w[k] / s;
        }
    """

    def function(w, h):
        return np.sqrt(4 / h**2 - w @ w) + w[0] + w[1] + w[2]

    variables = {"w": verify.angular_velocity(), "h": verify.step()}
    (one,) = told(verify.derivative(function, verify.c(source, "claim"), "w", variables))
    assert "a slip in claim itself" in one and one.endswith("a factor h too many"), one


def test_two_slips_are_no_slip() -> None:
    report = verify.derivative(momentum, two_slips, "w", VARIABLES)
    assert not report.right and not report.diagnoses, str(report)
