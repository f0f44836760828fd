"""Claims in machine numbers: what rounding may make of them, jumps of functions, single precision."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import symvi.verify as verify
from symvi.verify.judging import nearness, precision

X = {"x": verify.scalar()}


@pytest.mark.thorough
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


# --- checks of a user's own, and decimals --------------------------------------------------------------------------
def rotation_of(q: np.ndarray) -> np.ndarray:
    w, cross = float(q[0]), skew([float(x) for x in q[1:]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def skew(p: np.ndarray) -> np.ndarray:
    return np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])


def turned(q, p):
    w, u = q[0], q[1:]
    return p + 2 * np.cross(u, w * p + np.cross(u, p))


@pytest.mark.thorough
@pytest.mark.parametrize("factor", [1, 1.0001])
def test_a_check_of_the_manifold_holds_wherever_a_claim_is_looked_at(factor: float) -> None:
    variables = {
        "q": verify.quaternion(),
        "p": verify.vector(3),
        "n": verify.unit_vector(),
        "A": verify.rotation(),
        "w": verify.angular_velocity(),
        "h": verify.step(),
        "m": verify.scalar(True),
        "J": verify.inertia(),
    }

    def claimed(q, p, n, A, w, h, m, J):  # noqa: N803
        R = rotation_of(q)  # noqa: N806
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-9)
        np.testing.assert_allclose(A.T.astype(float) @ A.astype(float), np.eye(3), atol=1e-9)
        assert np.isclose(np.linalg.norm([float(x) for x in n]), 1, atol=1e-9, rtol=0)
        assert h * np.linalg.norm([float(x) for x in w]) < 2 and m > 0 and h > 0
        np.testing.assert_allclose(J.astype(float), J.T.astype(float))
        assert np.linalg.eigvalsh(J.astype(float)).min() > 0
        return -factor * R @ skew(p)

    report = verify.derivative(turned, claimed, "q", variables)
    assert report.right == (factor == 1), str(report)


def test_a_claim_that_refuses_what_stands_beside_a_point_is_judged_at_the_point(monkeypatch) -> None:
    far = float("1e8")  # no literal, which points are taken around

    def claimed(x):
        assert abs(float(x)) < far
        return 2 * float(x)

    for module in (nearness, precision):
        monkeypatch.setattr(module, "shaken", lambda point, *_: {name: [Fraction(10**9)] for name in point})
    report = verify.derivative(lambda x: x**2, claimed, "x", X)
    assert report.right, str(report)


@pytest.mark.thorough
@pytest.mark.parametrize(("digits", "factor", "right"), [(12, 1, True), (8, 1, True), (12, 1 + 1e-7, False)])
def test_decimals_are_named_and_judged_as_such(digits: int, factor: float, right: bool) -> None:
    def claimed(q, p):
        return np.round(-factor * rotation_of(q) @ skew(p.astype(float)), digits)

    report = verify.derivative(turned, claimed, "q", {"q": verify.quaternion(), "p": verify.vector(3)})
    assert report.right == right, str(report)
    assert "single precision" not in str(report) and f"rounds to {digits} decimals" in str(report)


def test_few_decimals_are_told_and_are_wrong() -> None:
    report = verify.derivative(lambda x: x**3, lambda x: np.round(3 * float(x) ** 2, 3), "x", X)
    assert not report.right and "returns numbers of 3 decimals" in str(report), str(report)


# --- functions that take machine numbers only ---------------------------------------------------------------------
V = {"x": verify.vector(2)}


def in_machine_numbers(function):
    """The function, of plain machine numbers."""
    return lambda x: function(np.array([float(entry) for entry in x]))


@pytest.mark.thorough
@pytest.mark.parametrize("function", [lambda x: np.round(x, 3), lambda x: np.floor(x / 0.0005) * 0.0005])
def test_what_is_rounded_to_a_grid_has_the_slope_zero(function) -> None:
    """Steps of differences that fit the grid would find the slope one."""
    assert not verify.derivative(in_machine_numbers(function), lambda x: np.eye(2), "x", V).right
    assert verify.derivative(in_machine_numbers(function), lambda x: np.zeros((2, 2)), "x", V).right


@pytest.mark.parametrize("digits", [5, 6, 7, 8])
def test_a_grid_finer_than_differences_can_follow_is_refused(digits: int) -> None:
    with pytest.raises(verify.VerificationError, match="goes in steps"):
        verify.derivative(in_machine_numbers(lambda x: np.round(x, digits)), lambda x: np.eye(2), "x", V)


@pytest.mark.thorough
@pytest.mark.parametrize("rate", [30, 50, 200])
@pytest.mark.parametrize(("factor", "right"), [(1, True), (1 + 1e-6, False)])
def test_what_turns_quickly_has_a_derivative(rate: int, factor: float, right: bool) -> None:
    report = verify.derivative(
        lambda x: math.sin(rate * float(x)), lambda x: factor * rate * math.cos(rate * float(x)), "x", X
    )
    assert report.right == right, str(report)


def spread(x):
    """x xᵀ + 1, whose inverse is 1 - x xᵀ/(1 + x·x)."""
    return np.outer(x, x) + np.eye(2)


def by_inverse(x):
    """The derivative of (x xᵀ + 1)⁻¹ x = x/(1 + x·x)."""
    return np.eye(2) / (1 + x @ x) - 2 * np.outer(x, x) / (1 + x @ x) ** 2


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("function", "claimed"),
    [
        (lambda x: (x[0] + 1e6) - 1e6, lambda x: np.array([1, 0])),
        (lambda x: np.linalg.inv(spread(x)) @ x, by_inverse),
        (lambda x: np.linalg.solve(spread(x), x), by_inverse),
        (lambda x: np.linalg.eigvalsh(spread(x)), lambda x: np.array([0 * x, 2 * x])),
        (lambda x: np.linalg.svd(spread(x))[1], lambda x: np.array([2 * x, 0 * x])),
    ],
)
def test_roundings_inside_a_function_are_no_error_of_its_claim(function, claimed) -> None:
    right = verify.derivative(in_machine_numbers(function), claimed, "x", V)
    assert right.right, str(right)
    assert not verify.derivative(in_machine_numbers(function), lambda x: 1.00001 * claimed(x), "x", V).right


def test_double_precision_is_not_taken_for_single_at_numbers_of_few_digits() -> None:
    """A literal of the code, 1e6, is a number that is tried; what is computed from it is short."""
    variables = {"x": verify.scalar(), "v": verify.scalar()}
    report = verify.derivative(
        lambda x, v: -1e6 * x - v * v / 4,
        lambda x, v: np.array([-1e6, float(v) * 0.5]),
        ["x", "v"],
        variables,
    )
    assert not report.right and "single precision" not in str(report)


def test_decimals_are_those_of_ordinary_numbers() -> None:
    """A claim that rounds is compared in its decimals where it returns a few last units too; what does not is not."""

    def rounded(x):
        return np.round(2 * np.diag([float(number) for number in x]), 6)

    def plain(x):
        return np.diag([2 * float(number) for number in x])

    for claimed, rounds in ((rounded, True), (plain, False)):
        report = verify.derivative(lambda x: x * x, claimed, "x", {"x": verify.vector(3)})
        assert report.right, str(report)
        assert any("rounds to 6 decimals" in note for note in report.notes) is rounds
