"""Errors of second derivatives, weighted sums, the exponential map; what is not guessed; how long looking takes."""

from __future__ import annotations

import numpy as np
import pytest

import symvi.verify as verify
from symvi.derive import own
from symvi.verify.asking import effort
from tests.verify import hand_written as hand

V3 = {"v": verify.vector(3), "p": verify.vector(3)}


def exponential(v):
    angle = np.sqrt(v @ v)
    x = hand.skew(v)
    return hand.I3 + np.sin(angle) / angle * x + (1 - np.cos(angle)) / angle**2 * (x @ x)


def right_jacobian(v):
    angle = np.sqrt(v @ v)
    x = hand.skew(v)
    return hand.I3 - (1 - np.cos(angle)) / angle**2 * x + (angle - np.sin(angle)) / angle**3 * (x @ x)


def turned(v, p):
    return exponential(v) @ p


def names(report: verify.Report) -> str:
    return "; ".join(found.says for found in report.diagnoses)


def test_the_left_jacobian_for_the_right() -> None:
    right = verify.derivative(turned, lambda v, p: -exponential(v) @ hand.skew(p) @ right_jacobian(v), "v", V3)
    assert right.right
    wrong = verify.derivative(turned, lambda v, p: -exponential(v) @ hand.skew(p) @ right_jacobian(v).T, "v", V3)
    assert "Jacobian for the right one of the exponential map of v" in names(wrong) or "for the left one" in names(
        wrong
    )


def test_columns_that_stand_elsewhere() -> None:
    f = lambda v, p: np.array([v[0] * p[0] + v[1], v[0] * v[1] * p[1], v[2] * v[2] * p[2] + v[0]])  # noqa: E731

    def by_v(v, p):
        return np.array([[p[0], 1, 0], [v[1] * p[1], v[0] * p[1], 0], [1, 0, 2 * v[2] * p[2]]])

    assert verify.derivative(f, by_v, "v", V3).right
    two = verify.derivative(f, lambda v, p: by_v(v, p)[:, [1, 0, 2]], "v", V3)
    assert "its columns v[0] and v[1] exchanged" in names(two)
    three = verify.derivative(f, lambda v, p: by_v(v, p)[:, [1, 2, 0]], "v", V3)
    assert "a permutation of its columns" in names(three)


def second_of_rotation(q, v):
    """D_k D_i of R(q) v, rows flattened: entry (row, 3 i + k)."""
    found = np.zeros((3, 9), dtype=object)
    for i in range(3):
        for k in range(3):
            found[:, 3 * i + k] = hand.rotation(q) @ hand.skew(hand.I3[k]) @ hand.skew(hand.I3[i]) @ v
    return found


CHANGES = {
    "the two directions in the other order": lambda h: h.transpose(0, 2, 1),
}


@pytest.mark.thorough
def test_directions_of_second_derivatives() -> None:
    asked = {"wrt": "q", "order": 2}
    assert verify.derivative(own("rotation"), second_of_rotation, **asked).right
    for said, change in CHANGES.items():

        def claimed(q, v, change=change):
            return change(second_of_rotation(q, v).reshape(3, 3, 3)).reshape(3, 9)

        report = verify.derivative(own("rotation"), claimed, **asked)
        assert not report.right and said in report.diagnoses[0].says, str(report)


@pytest.mark.parametrize("function", [lambda x: np.arcsin(np.sin(x)), lambda x: np.sqrt(x**2)], ids=["arcsin", "root"])
def test_a_sign_that_is_lost_is_said_and_nothing_else(function) -> None:
    report = verify.derivative(function, lambda x: 1, "x", {"x": verify.scalar()})
    assert [found.kind for found in report.diagnoses] == ["sign"], str(report)
    assert "a sign is lost" in str(report)


@pytest.mark.thorough
@pytest.mark.parametrize("looks", [1000, 10**6], ids=["few looks", "all there are"])
@pytest.mark.parametrize(("name", "rows"), [("revolute", 5), ("universal", 4)])
def test_looking_for_a_diagnosis_ends_soon_and_guesses_nothing(monkeypatch, name: str, rows: int, looks: int) -> None:
    monkeypatch.setitem(effort.LOOKS, 1, looks)
    report = verify.derivative(own(name), lambda: np.ones((rows, 12)), hand.PLACEMENTS)
    assert all(found.kind == "zero" for found in report.diagnoses), str(report)
    assert ("was stopped before" in str(report)) == (looks < 10**6)


# --- what the chain rule of a function has in another's place -------------------------------------------------------
STEP = {
    "q": verify.quaternion(),
    "w": verify.angular_velocity("h"),
    "h": verify.step(),
    "p": verify.vector(3),
}


def test_a_matrix_turned_over_within_a_product() -> None:
    names_of = {"u": verify.vector(3), "A": verify.matrix(3, 3), "B": verify.matrix(3, 3)}
    report = verify.derivative(lambda u, A, B: A @ (B @ u), lambda u, A, B: A @ B.T, "u", names_of)
    assert "the transpose of the matrix that takes u to B @ u" in names(report), str(report)


def test_two_errors_at_once_are_told_as_one_where_they_are_alone() -> None:
    """An entry with one of them is explained; what both of them make of another is not guessed at."""
    v, p = V3["v"], V3["p"]

    def energy(v, p, k):
        stretched = k * (v @ v)
        return stretched + v[0] * p[1]

    report = verify.derivative(
        energy,
        lambda v, p, k: np.array([4 * k * v[0] - p[1], 4 * k * v[1], 4 * k * v[2]]),
        "v",
        {"v": v, "p": p, "k": verify.scalar()},
    )
    assert not report.right and "twice the true value" in names(report), str(report)
    assert not any(0 in one.entries for one in report.diagnoses), str(report)


def test_nothing_is_said_of_three_errors_at_once() -> None:
    report = verify.derivative(
        lambda v, p: v * p, lambda v, p: np.diag([2 * p[0] + v[2], p[1] * v[0] * 7, p[1] - p[2] * p[0] * v[1]]), "v", V3
    )
    assert all("whole" not in found.where for found in report.diagnoses), str(report)


def test_small_numbers_are_told_apart_as_large_ones_are() -> None:
    report = verify.derivative(lambda x: 1e-9 * float(x) ** 2, lambda x: 3e-9 * float(x), "x", {"x": verify.scalar()})
    assert names(report) == "3/2 times the true value", str(report)


def test_a_factor_is_said_once() -> None:
    report = verify.derivative(lambda x: x * x, lambda x: 3 * x, "x", {"x": verify.scalar()})
    assert names(report) == "3/2 times the true value", str(report)


def test_a_single_row_is_no_transpose() -> None:
    report = verify.derivative(
        lambda x: x[0] ** 2 * x[1], lambda x: [[2 * x[1], 2 * x[0]], [x[0], 0]], "x", {"x": verify.vector(2)}, order=2
    )
    assert names(report) == "half the true value", str(report)


@pytest.mark.thorough
def test_many_parts_with_one_explanation_are_counted() -> None:
    report = verify.derivative(own("revolute"), lambda: np.ones((5, 12)), hand.PLACEMENTS)
    assert "more parts: should be zero" in str(report)


def test_a_sign_that_is_lost_is_seen_in_floats() -> None:
    report = verify.derivative(lambda x: abs(float(x)), lambda x: 1, "x", {"x": verify.scalar()})
    assert [found.kind for found in report.diagnoses] == ["sign"], str(report)


def test_a_check_that_cannot_fail_on_the_manifold_is_no_untested_condition() -> None:
    def guarded(q, p):
        if abs(q @ q - 1) > 1e-9:
            raise ValueError("no unit quaternion")
        return hand.rotation(q) @ p

    report = verify.derivative(
        guarded, lambda q, p: -hand.rotation(q) @ hand.skew(p), "q", {"q": verify.quaternion(), "p": V3["p"]}
    )
    assert report.right and not report.unreached, str(report)


@pytest.mark.thorough
def test_long_sequences_of_conditions_are_told_in_short() -> None:
    def clamped(x):
        total = 0
        for k in range(6):
            if x[k] > 0:
                total = total + x[k] ** 2
        return total

    report = verify.derivative(clamped, lambda x: 2 * x, "x", {"x": verify.vector(6)})
    assert any("in turns" in branch and "of 6" in branch for branch in report.branches), report.branches
    assert not any("then true, then" in branch for branch in report.branches)


ODD = {
    "another matrix": lambda q, v: hand.rotation(q).T @ hand.skew(v) @ hand.skew(v),
    "something added everywhere": lambda q, v: -hand.rotation(q) @ hand.skew(v) + np.outer(v, q[1:]) * v[0],
}


@pytest.mark.parametrize("claim", ODD.values(), ids=ODD.keys())
def test_what_no_usual_error_explains_is_not_explained(claim) -> None:
    report = verify.derivative(own("rotation"), claim, wrt="q")
    assert not report.right and not report.diagnoses, str(report)
