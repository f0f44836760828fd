"""Functions that lose all their digits where they have come to their ends: friction laws, exponentials."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

import symvi.verify as verify

X = {"x": verify.scalar()}
NARROW = 1e-3  # width of a smoothed sign

DERIVATIVES_OF_TANH = {
    "1/cosh²": lambda x: 5 / np.cosh(5 * x) ** 2,
    "1 - tanh²": lambda x: 5 * (1 - np.tanh(5 * x) ** 2),
    "(1 - tanh)(1 + tanh)": lambda x: 5 * (1 - np.tanh(5 * x)) * (1 + np.tanh(5 * x)),
    "4/(e^x + e^-x)²": lambda x: 20 / (np.exp(5 * x) + np.exp(-5 * x)) ** 2,
}


@pytest.mark.thorough
@pytest.mark.parametrize("form", DERIVATIVES_OF_TANH)
def test_every_form_of_the_derivative_of_a_smoothed_sign_is_right(form: str) -> None:
    """1 - tanh² has no digits left where tanh is 1 to 60 digits; 1/cosh² has them all."""
    by_x = DERIVATIVES_OF_TANH[form]
    assert verify.derivative(lambda x: np.tanh(5 * x), by_x, "x", X).right
    assert verify.derivative(written_out, by_x, "x", X).right
    assert not verify.derivative(written_out, lambda x: by_x(x) / 5, "x", X).right


def written_out(x):
    return (np.exp(5 * x) - np.exp(-5 * x)) / (np.exp(5 * x) + np.exp(-5 * x))


def test_sympys_hyperbolic_functions_likewise() -> None:
    x = sp.Symbol("x", real=True)
    assert verify.derivative(sp.tanh(50 * x), 50 / sp.cosh(50 * x) ** 2, "x", X).right
    assert verify.derivative(sp.tanh(50 * x), sp.diff(sp.tanh(50 * x), x), "x", X).right


def stribeck(x):
    """Friction force over velocity: a peak of width 0.01 on a smoothed sign."""
    return (0.3 + 0.2 * np.exp(-((x / 0.01) ** 2))) * np.tanh(x / NARROW)


def peak_by_x(x):
    return -2 * x / 0.01**2 * 0.2 * np.exp(-((x / 0.01) ** 2))


STEEP = {
    "1 - tanh²": lambda x: (1 - np.tanh(x / NARROW) ** 2) / NARROW,
    "1/cosh²": lambda x: 1 / NARROW / np.cosh(x / NARROW) ** 2,
}


@pytest.mark.parametrize("form", STEEP)
def test_stribecks_friction_is_right_and_a_forgotten_factor_of_its_peak_is_seen(form: str) -> None:
    """Where the peak is e^-10000, wrong and right are alike: the counterexample lies where they are not."""

    def by_x(x, factor=1):
        sign = (0.3 + 0.2 * np.exp(-((x / 0.01) ** 2))) * STEEP[form](x)
        return factor * peak_by_x(x) * np.tanh(x / NARROW) + sign

    assert verify.derivative(stribeck, by_x, "x", X).right
    report = verify.derivative(stribeck, lambda x: by_x(x, 1 / 2), "x", X)
    (entry,) = report.wrong
    assert entry.counterexample.claimed != entry.counterexample.true
    assert any("half the true value" in found.says for found in report.diagnoses)


@pytest.mark.parametrize(
    "name", "sech csch coth asinh atanh acoth acot acsch erf erfc tanh asec acsc asech acosh".split()
)
def test_sympys_own_derivatives_of_its_functions(name: str) -> None:
    """Each at arguments inside its domain."""
    x = sp.Symbol("x", real=True)
    inside = {"acosh": 2 + x**2, "asec": 2 + x**2, "acsc": 2 + x**2, "acoth": 2 + x**2}.get(name, x)
    inside = {"atanh": x / (1 + x**2), "asech": 1 / (2 + x**2)}.get(name, inside)
    f = getattr(sp, name)(inside)
    assert verify.derivative(f, sp.diff(f, x), "x", X).right
    assert not verify.derivative(f, 2 * sp.diff(f, x), "x", X).right


def test_the_error_function_of_a_program() -> None:
    def normal(x):
        return math.erf(2 * x) * x

    def by_x(x):
        return math.erf(2 * x) + 4 * x * math.exp(-4 * x * x) / math.sqrt(math.pi)

    assert verify.derivative(normal, by_x, "x", X).right
    wrong = verify.derivative(normal, lambda x: math.erf(2 * x) + x * math.exp(-4 * x * x), "x", X)
    assert not wrong.right
