"""Conditions that hide errors: several on one line, of arrays, near zero, in floats; and those that hide none."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import symvi.verify as verify
from symvi.derive import own
from symvi.verify import Report
from tests.verify import hand_written as hand

X = {"x": verify.scalar()}
XY = {"x": verify.scalar(), "y": verify.scalar()}
LINE = {"x": verify.vector()}
TURN = {"q": verify.quaternion()}


def judged(function, claimed, wrt="x", variables=XY) -> Report:
    return verify.derivative(function, claimed, wrt, variables)


# --- several on one line ------------------------------------------------------------
@pytest.mark.thorough
@pytest.mark.parametrize(
    "claimed",
    [
        lambda x, y: y if not (x > 1000 and y > 1000) else 7,
        lambda x, y: y if not (0.5 < x < 0.500001 and 0.3 < y < 0.300001) else 7,
        lambda x, y: 7 if (x > 1000) & (y > 1000) else y,
    ],
)
def test_conditions_on_one_line_are_reached_one_behind_the_other(claimed) -> None:
    assert not judged(lambda x, y: x * y, claimed).right


@pytest.mark.thorough
@pytest.mark.parametrize(
    "claimed",
    [
        lambda x, y: y if not (x > 1000 and y > 1000 and x > y + 1000 and x < y + 1001) else 7,
        lambda x, y: y if not (x > 10 and y > 10 and x * x + y * y < 1000 and x * y > 300) else 7,
    ],
)
def test_a_condition_behind_two_others_that_no_line_crosses_is_reached(claimed) -> None:
    assert not judged(lambda x, y: x * y, claimed).right


@pytest.mark.thorough
@pytest.mark.parametrize(
    "at",
    [
        lambda x: (x > 50).all(),
        lambda x: (x == np.array([1, 2, 3])).all(),
        lambda x: all(value > 500 for value in x),
    ],
)
def test_all_numbers_of_an_array_at_once_are_a_condition(at) -> None:
    report = judged(lambda x: x**2, lambda x: np.diag(2 * x) if not at(x) else np.eye(3), "x", LINE)
    assert {entry.index for entry in report.wrong} == {(0, 0), (1, 1), (2, 2)}


def test_conditions_on_one_line_that_are_not_reached_are_told_apart() -> None:
    report = judged(lambda x, y: x * y, lambda x, y: y if not (x > 3 and np.sin(y) > 2) else 7)
    assert report.right and not report.everywhere
    assert len(report.unreached) == 1 and "np.sin(y) > 2 was never true" in report.unreached[0]


@pytest.mark.thorough
def test_a_hundred_conditions_are_looked_at_within_bounds() -> None:
    asked = 0

    def claimed(x):
        nonlocal asked
        asked += 1
        return 2 * x + sum(1 for k in range(100) if k * 10 < x < k * 10 + 0.001 and k == 7)

    judged(lambda x: x * x, claimed, "x", X)
    assert asked < 5000


# --- near zero ------------------------------------------------------------
def exponential(w):
    """exp(w^) p for p = (1, 3, 2)."""
    size, turn = np.linalg.norm(w), hand.skew(w)
    return np.array([1, 3, 2]) + (np.sin(size) / size * turn + (1 - np.cos(size)) / size**2 * turn @ turn) @ [1, 3, 2]


def exponential_by_w(inside):
    """Its derivative -R p^ J_r, `inside` of a guard near zero."""

    def claimed(w):
        size, turn = np.linalg.norm(w), hand.skew(w)
        if size < 1e-8:
            return inside(w)
        rotation = np.eye(3) + np.sin(size) / size * turn + (1 - np.cos(size)) / size**2 * turn @ turn
        right = np.eye(3) - (1 - np.cos(size)) / size**2 * turn + (size - np.sin(size)) / size**3 * turn @ turn
        return -rotation @ hand.skew(np.array([1, 3, 2])) @ right

    return claimed


@pytest.mark.thorough
def test_a_wrong_value_behind_a_guard_near_zero_is_found() -> None:
    report = judged(exponential, exponential_by_w(lambda w: -np.eye(3)), "w", {"w": verify.vector()})
    assert not report.right and "size < 1e-8 is true" in report.wrong[0].branches[0]


@pytest.mark.thorough
def test_a_limit_behind_a_guard_near_zero_is_right_and_named() -> None:
    limit = -hand.skew(np.array([1, 3, 2]))
    report = judged(exponential, exponential_by_w(lambda w: limit), "w", {"w": verify.vector()})
    assert report.everywhere and any("does not matter" in entry.verdict for entry in report.entries)
    assert any("of the largest entry of its block" in note for note in report.notes)


@pytest.mark.thorough
@pytest.mark.parametrize(("inside", "right"), [(1, True), (-1, False), (0, False)])
def test_the_guard_of_normalisation(inside: int, right: bool) -> None:
    def normalized(x):
        size = np.linalg.norm(x)
        return x / size if size > 1e-9 else x

    def claimed(x):
        size = np.linalg.norm(x)
        return np.eye(3) / size - np.outer(x, x) / size**3 if size > 1e-9 else inside * np.eye(3)

    report = judged(normalized, claimed, "x", LINE)
    assert report.everywhere == right and report.right == right


@pytest.mark.thorough
@pytest.mark.parametrize("factor", [1, 0])
def test_gimbal_lock_is_reached(factor: int) -> None:
    def pitch(q):
        return 2 * (q[0] * q[2] - q[3] * q[1])

    def claimed(q):
        by_q = 2 * np.array([q[2], -q[3], q[0], -q[1]]) @ hand.left(q)[:, 1:] / 2
        return by_q if abs(pitch(q)) < 0.99999 else factor * by_q

    assert judged(pitch, claimed, "q", TURN).everywhere == (factor == 1)


# --- conditions that hide nothing ------------------------------------------------------------
def test_what_the_kind_of_a_variable_makes_true_is_no_condition() -> None:
    def checked(q):
        assert np.isclose(np.linalg.norm(q), 1)
        return q[0]

    assert judged(checked, lambda q: -q[1:] / 2, "q", TURN).everywhere


@pytest.mark.thorough
def test_a_kink_is_no_way_that_was_missed() -> None:
    x, y = sympy.symbols("x y")
    for function in (sympy.Max(x, 0), sympy.Max(x, y) ** 2):
        assert judged(function, sympy.diff(function, x)).everywhere


# --- machine numbers ------------------------------------------------------------
def test_conditions_in_floats_are_said_not_to_be_seen() -> None:
    report = judged(lambda x: float(x) ** 2, lambda x: 2 * float(x), "x", X)
    assert report.right and not report.everywhere
    assert str(report).startswith("RIGHT WHERE TESTED") and "conditions are not seen" in str(report).splitlines()[0]


@pytest.mark.parametrize(
    "claimed",
    [
        lambda x: 2 * float(x) if float(x) < 1000 else 7,
        lambda x: 2 * float(x) if not 0.5 < float(x) < 0.50001 else 7,
        lambda x: 2 * x if np.floor(x) != 77 else 7,
    ],
)
def test_literals_are_aimed_at_in_floats(claimed) -> None:
    assert not judged(lambda x: x * x, claimed, "x", X).right


# --- what is told ------------------------------------------------------------
def test_a_counterexample_of_an_own_function_has_its_variables_only() -> None:
    def claimed(x_a, q_a, x_b, q_b, p_a, p_b, A):  # noqa: N803
        return np.zeros((5, 12))

    wrt = ["x_a", "q_a", "x_b", "q_b"]
    report = verify.derivative(own("revolute"), claimed, wrt, {"strange": verify.vector()})
    assert "strange" not in report.wrong[0].counterexample.point


@pytest.mark.parametrize("bounded", [lambda x: np.clip(x, 0, np.inf), lambda x: max(-np.inf, np.maximum(x, 0))])
def test_a_bound_that_is_infinite_is_none(bounded) -> None:
    report = verify.derivative(lambda x: bounded(x) ** 2, lambda x: 2 * bounded(x), "x", {"x": verify.scalar()})
    assert report.everywhere, str(report)
