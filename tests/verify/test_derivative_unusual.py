"""Errors of second derivatives, weighted sums, the exponential map; what is not guessed; how long looking takes."""

from __future__ import annotations

from time import process_time

import numpy as np
import pytest

import symvi.verify as verify
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
    "the symmetric part": lambda h: (h + h.transpose(0, 2, 1)) / 2,
}


def test_directions_of_second_derivatives() -> None:
    asked = {"wrt": "q", "order": 2}
    assert verify.derivative(verify.own("rotation"), second_of_rotation, **asked).right
    for said, change in CHANGES.items():

        def claimed(q, v, change=change):
            return change(second_of_rotation(q, v).reshape(3, 3, 3)).reshape(3, 9)

        report = verify.derivative(verify.own("rotation"), claimed, **asked)
        assert not report.right and said in report.diagnoses[0].says, str(report)


def test_g_for_its_transpose() -> None:
    report = verify.derivative(
        verify.own("rotation"),
        lambda q, v, lam: -hand.rotation(q) @ hand.skew(v) @ lam,
        wrt="q",
        weights="lam",
    )
    assert "G lam for Gᵀ lam" in names(report), str(report)


@pytest.mark.parametrize("function", [lambda x: np.arcsin(np.sin(x)), lambda x: np.sqrt(x**2)], ids=["arcsin", "root"])
def test_a_sign_that_is_lost_is_said_and_nothing_else(function) -> None:
    report = verify.derivative(function, lambda x: 1, "x", {"x": verify.scalar()})
    assert [found.kind for found in report.diagnoses] == ["sign"], str(report)
    assert "a sign is lost" in str(report)


@pytest.mark.parametrize(("name", "rows"), [("revolute", 5), ("universal", 4), ("screw", 5)])
def test_looking_for_a_diagnosis_ends_soon_and_guesses_nothing(name: str, rows: int) -> None:
    began = process_time()
    report = verify.derivative(verify.own(name), lambda: np.ones((rows, 12)), hand.PLACEMENTS)
    assert process_time() - began < 2.0  # of a machine half as quick
    assert all(found.kind == "zero" for found in report.diagnoses), str(report)
