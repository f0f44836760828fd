"""Functions that iterate until a tolerance is met: the claim of what they tend to is judged like any other."""

from __future__ import annotations

import numpy as np
import pytest

import symvi.verify as verify

VARIABLES = {"a": verify.scalar(positive=True), "x": verify.scalar()}


def cube_root(a, tolerance: float = 1e-14):
    """Newton's method."""
    x = 1 + a / 3
    while abs(x**3 - 1 - a) > tolerance:
        x = x - (x**3 - 1 - a) / (3 * x * x)
    return x


def cosine(x):
    """Its series for numbers below one, until terms are small."""
    x, total, term, n = x / (1 + x * x), 1, 1, 0
    while abs(term) > 1e-20:
        term = -term * x * x / ((n + 1) * (n + 2))
        total, n = total + term, n + 2
    return total


@pytest.mark.thorough
@pytest.mark.parametrize("wrong", [1 + 1e-9, -1])
def test_a_factor_does_not_go_away(wrong: float) -> None:
    assert not verify.derivative(cube_root, lambda a: wrong / (3 * cube_root(a) ** 2), "a", VARIABLES).right


@pytest.mark.thorough
@pytest.mark.parametrize("tolerance", [3.0, 1e-9])
def test_an_iteration_that_ends_too_early_is_not_what_it_tends_to(tolerance: float) -> None:
    """At 1e-9 no turn is taken below 5e-5, and the slope there is off by as much."""

    def rough(a):
        return cube_root(a, tolerance)

    assert not verify.derivative(rough, lambda a: 1 / (3 * rough(a) ** 2), "a", VARIABLES).right


@pytest.mark.thorough
def test_a_sign_in_a_series_that_ends_at_small_terms() -> None:
    def claimed(x, sign=-1):
        return sign * np.sin(x / (1 + x * x)) * (1 - x * x) / (1 + x * x) ** 2

    assert not verify.derivative(cosine, lambda x: claimed(x, 1), "x", VARIABLES).right


def test_a_condition_within_a_counted_loop_is_no_end() -> None:
    """Where another number is the last one above zero, the claim is right; here it is not."""

    def positive_parts(v):
        return np.array([x if x > 0 else 0 * x for x in v])

    def claimed(v):
        slopes = [1 if x > 0 else 0 for x in v]
        return np.diag([*slopes[:2], 1e-6 if slopes[2] == 0 else 1])

    assert not verify.derivative(positive_parts, claimed, "v", {"v": verify.vector(3)}).right
