"""Claims in machine numbers: what rounding may make of them, jumps of functions, single precision."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symvi.verify as verify

X = {"x": verify.scalar()}


@pytest.mark.parametrize(("factor", "right"), [(1, True), (2, False)])
def test_the_complex_step_is_right_at_zero_too(factor: int, right: bool) -> None:
    report = verify.derivative(lambda x: x**3, lambda x: factor * np.imag((x + 1e-20j) ** 3) / 1e-20, "x", X)
    assert report.right == right, str(report)


def test_what_rounding_leaves_of_a_zero_is_no_error() -> None:
    """sin² + cos² = 1: its derivative cancels to a few units of the last place."""

    def claimed(x):
        return 2 * math.sin(float(x)) * math.cos(float(x)) - math.sin(2 * float(x))

    report = verify.derivative(lambda x: math.sin(x) ** 2 + math.cos(x) ** 2, claimed, "x", X)
    assert report.right and "single precision" not in str(report)


def test_a_small_error_beside_large_entries_is_seen() -> None:
    report = verify.derivative(
        lambda x: np.array([10**6 * x, x**2]), lambda x: np.array([[1e6], [2.000002 * float(x)]]), "x", X
    )
    assert [entry.index for entry in report.wrong] == [(1, 0)]


def test_a_small_wrong_number_is_seen() -> None:
    assert not verify.derivative(lambda x: x**2, lambda x: 2 * float(x) + 1e-9, "x", X).right


def test_no_counterexample_stands_at_a_jump() -> None:
    """floor(x) x has the slope floor(x) between its jumps."""
    report = verify.derivative(lambda x: np.floor(x) * x, lambda x: x, "x", X)
    example = report.wrong[0].counterexample
    (x,) = example.point["x"]
    assert x.denominator > 1 and float(example.true) == pytest.approx(math.floor(x), abs=1e-6)


@pytest.mark.parametrize(("factor", "right"), [(1, True), (1.00001, False), (2, False)])
def test_single_precision_is_named_and_judged_as_such(factor: float, right: bool) -> None:
    variables = {"x": verify.scalar(), "m": verify.scalar(True)}
    report = verify.derivative(lambda x, m: m * x * x / 2, lambda x, m: np.float32(m) * x * factor, "x", variables)
    assert report.right == right, str(report)
    assert not right or "to single precision" in str(report).splitlines()[0]


def test_a_rounded_factor_is_no_single_precision() -> None:
    report = verify.derivative(lambda x: float(x) ** 2, lambda x: 2.0000003 * float(x), "x", X)
    assert not report.right and "single precision" not in str(report)
