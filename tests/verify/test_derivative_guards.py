"""Guards around removable points: the limit or the first terms of a series, at many thresholds."""

from __future__ import annotations

import numpy as np
import pytest

import symvi.verify as verify
from tests.verify import hand_written as hand

X = {"x": verify.scalar()}
V = {"v": verify.vector(3)}


def of_sinc(inside, threshold: float) -> verify.Report:
    """A claimed derivative of sin(x)/x with `inside` for small x."""

    def claimed(x):
        return inside(x) if abs(x) < threshold else (x * np.cos(x) - np.sin(x)) / x**2

    return verify.derivative(lambda x: np.sin(x) / x, claimed, "x", X)


@pytest.mark.parametrize("threshold", [1e-12, 1e-4])
@pytest.mark.parametrize("inside", [lambda x: -x / 3, lambda x: 0, lambda x: -x / 3 + x**3 / 30])
def test_limit_and_series_are_right_at_every_threshold(inside, threshold: float) -> None:
    report = of_sinc(inside, threshold)
    assert report.everywhere, str(report)
    assert any("first terms of a series" in note for note in report.notes) or threshold < 1e-9


@pytest.mark.parametrize("threshold", [1e-8, 1e-4])
@pytest.mark.parametrize("inside", [lambda x: x / 3, lambda x: 1, lambda x: -x, lambda x: -x / 3 - x**3 / 30])
def test_terms_of_the_wrong_sign_or_size_are_wrong(inside, threshold: float) -> None:
    assert not of_sinc(inside, threshold).right


def test_a_guard_that_leaves_out_too_much_is_called_coarse() -> None:
    report = of_sinc(lambda x: 0, 0.1)
    assert not report.right and "too coarse" in str(report)


def test_a_guard_where_nothing_is_removable_is_no_approximation() -> None:
    """3 x² needs no guard: its zero is an error however small it is."""
    report = verify.derivative(lambda x: x**3, lambda x: 0 if abs(x) < 1e-4 else 3 * x * x, "x", X)
    assert not report.right


def exponential_of_quaternions(v):
    size = np.sqrt(v @ v)
    return np.concatenate([[np.cos(size / 2)], np.sin(size / 2) / size * v])


@pytest.mark.parametrize(("sign", "right"), [(-1, True), (0, True), (1, False)])
@pytest.mark.parametrize("threshold", [1e-8, 1e-4])
def test_the_exponential_map_of_quaternions(sign: int, right: bool, threshold: float) -> None:
    """Near zero its derivative is (-v/4; I/2)."""

    def claimed(v):
        size = np.sqrt(v @ v)
        if size < threshold:
            return np.concatenate([[sign * v / 4], hand.I3 / 2])
        s, c = np.sin(size / 2), np.cos(size / 2)
        by_vector = s / size * hand.I3 + (c / 2 - s / size) / size**2 * np.outer(v, v)
        return np.concatenate([[-s / size / 2 * v], by_vector])

    assert verify.derivative(exponential_of_quaternions, claimed, "v", V).right == right


@pytest.mark.parametrize(("factor", "right"), [(1, True), (0, True), (-1, False)])
@pytest.mark.parametrize("threshold", [1e-8, 1e-4])
def test_the_left_jacobian_of_rotations(factor: int, right: bool, threshold: float) -> None:
    """Near zero it is I + v^/2: I is coarser, I - v^/2 is wrong."""

    def turned(v, p):
        size, k = np.sqrt(v @ v), hand.skew(v)
        return p + np.sin(size) / size * k @ p + (1 - np.cos(size)) / size**2 * k @ k @ p

    def claimed(v, p):
        size, k = np.sqrt(v @ v), hand.skew(v)
        if size < threshold:
            left = hand.I3 + factor * k / 2
        else:
            left = hand.I3 + (1 - np.cos(size)) / size**2 * k + (size - np.sin(size)) / size**3 * k @ k
        return -hand.skew(turned(v, p)) @ left

    assert verify.derivative(turned, claimed, "v", {**V, "p": verify.vector(3)}).right == right


def test_a_function_with_a_series_and_the_exact_derivative() -> None:
    def sinc(x):
        return 1 - x * x / 6 if abs(x) < 1e-4 else np.sin(x) / x

    report = verify.derivative(sinc, lambda x: (x * np.cos(x) - np.sin(x)) / x**2, "x", X)
    assert report.right, str(report)


def test_a_guard_of_a_derivative_that_is_zero_is_judged_like_any_claim() -> None:
    """Nothing of a derivative that is zero everywhere may be left out."""

    def claimed(x):
        slope = (x * np.cos(x) - np.sin(x)) / x**2 if abs(x) >= 1e-8 else 1e-3
        return slope - (slope if abs(x) >= 1e-8 else 0)

    report = verify.derivative(lambda x: np.sin(x) / x - np.sin(x) / x, claimed, "x", {"x": verify.scalar()})
    assert not report.right, str(report)
