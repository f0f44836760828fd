"""Errors that people make in derivatives are named: the kind of each, and where it is; and nothing is guessed."""

from __future__ import annotations

import numpy as np
import pytest

import symvi.verify as verify
from symvi.derive import own
from tests.verify import hand_written as hand

JOINT_ERRORS = {
    "transposed rotation": ("conjugate", "q_a"),
    "other anchor": ("exchange", "p_a and p_b"),
    "sign": ("sign", "q_a"),
    "world side": ("side", "world axes"),
    "lever dropped": ("missing", "q_a"),
    "lever transposed": ("transpose", "q_b"),
    "R for L": ("exchange", "q_a and q_b"),
    "papers' scale": ("factor", "half"),
    "doubled": ("factor", "twice"),
    "bodies swapped": ("exchange", "bodies"),
    "one sign": ("sign", "q_b about y"),
    "rows swapped": ("order", "its rows 0 and 1 exchanged"),
}
MOMENTUM_ERRORS = {
    "gyroscopic sign": ("term", "(h/2) w x J w: the wrong sign"),
    "gyroscopic term dropped": ("term", "(h/2) w x J w: missing"),
    "gyroscopic term, one factor": ("term", "missing"),
    "h/2 forgotten": ("term", "a factor h is missing"),
    "cosine held fixed": ("term", "c = sqrt"),
    "outer product transposed": ("term", "transposed"),
}


def explained(report: verify.Report) -> set[int]:
    return set().union(*(diagnosis.entries for diagnosis in report.diagnoses))


def wrong_entries(report: verify.Report) -> set[int]:
    return {k for k, entry in enumerate(report.entries) if not entry.right}


def assert_named(report: verify.Report, kind: str, words: str) -> None:
    assert wrong_entries(report) == explained(report)
    assert any(found.kind == kind and words in str(found) for found in report.diagnoses), str(report)


@pytest.mark.thorough
@pytest.mark.parametrize("error", JOINT_ERRORS)
def test_an_error_in_a_joint_is_named(error: str) -> None:
    report = verify.derivative(own("revolute"), hand.revolute(error), wrt=hand.PLACEMENTS)
    assert not report.right
    assert_named(report, *JOINT_ERRORS[error])


@pytest.mark.thorough
@pytest.mark.parametrize("error", MOMENTUM_ERRORS)
def test_an_error_in_a_momentum_is_named(error: str) -> None:
    report = verify.derivative(own("angular_momentum"), hand.momentum(error), wrt="w")
    assert_named(report, *MOMENTUM_ERRORS[error])


def test_a_right_joint_has_no_diagnosis() -> None:
    report = verify.derivative(own("revolute"), hand.revolute(), wrt=hand.PLACEMENTS)
    assert report.right and not report.diagnoses


def test_nothing_is_guessed_where_nothing_holds() -> None:
    """An entry that is another one's square has no usual cause."""

    def claimed(q, v):
        found = hand.rotated_by_q(q, v)
        found[0, 0] = found[1, 1] ** 2 + v[0] ** 3
        return found

    report = verify.derivative(own("rotation"), claimed, wrt="q")
    assert wrong_entries(report) == {0} and not report.diagnoses
    assert "none of the usual errors" in str(report)


def test_what_should_be_zero_is_named() -> None:
    """A torque's virtual work 2 tau·V(q* q) as it is often printed is zero on the unit sphere, whatever q is."""

    def work(q, tau):
        return 2 * tau @ (hand.left(np.array([1, -1, -1, -1]) * q) @ q)[1:]

    report = verify.derivative(
        work, lambda tau: tau, wrt="q", variables={"q": verify.quaternion(), "tau": verify.vector()}
    )
    assert_named(report, "zero", "should be zero")


def test_the_step_that_was_forgotten_is_named() -> None:
    report = verify.derivative(own("position_update"), lambda x, v, h: hand.I3, wrt="v")
    assert [(found.kind, found.says) for found in report.diagnoses[:1]] == [("step", "a factor h is missing")]


@pytest.mark.parametrize(("order", "says"), [((3, 0, 1, 2), "last"), ((1, 2, 3, 0), "first")])
def test_a_quaternion_read_in_another_order_is_named(order: tuple[int, ...], says: str) -> None:
    """Half of all libraries have the scalar part last."""
    variables = {"q": verify.quaternion(), "p": verify.vector()}
    report = verify.derivative(
        lambda q, p: hand.rotation(q) @ p,
        lambda q, p: -hand.rotation(q[list(order)]) @ hand.skew(p),
        wrt="q",
        variables=variables,
    )
    (found,) = report.diagnoses
    assert found.kind == "order" and f"q read with its scalar part {says}" in found.says


def test_a_block_is_explained_by_what_it_knows() -> None:
    """The world's side in the block of q_b has nothing to do with the conjugate of q_a."""
    variables = {"q_a": verify.quaternion(), "q_b": verify.quaternion(), "p": verify.vector()}
    report = verify.derivative(
        lambda q_a, q_b, p: hand.rotation(q_b) @ p - hand.rotation(q_a) @ p,
        lambda q_a, q_b, p: np.hstack([hand.rotation(q_a) @ hand.skew(p), -hand.skew(hand.rotation(q_b) @ p)]),
        wrt=["q_a", "q_b"],
        variables=variables,
    )
    assert [found.kind for found in report.diagnoses] == ["side"]
