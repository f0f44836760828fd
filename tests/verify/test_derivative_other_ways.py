"""What is wrong on one way through the conditions, beside the ways on which the claim is right."""

from __future__ import annotations

import numpy as np
import pytest

import symvi.verify as verify
from symvi.verify import Report
from tests.verify import hand_written as hand

SCALARS = {"x": verify.scalar(), "d": verify.scalar(positive=True)}


def judged(function, claimed, wrt="x", variables=SCALARS) -> Report:
    return verify.derivative(function, claimed, wrt, variables)


def huber(x, d):
    return x * x / 2 if abs(x) <= d else d * (abs(x) - d / 2)


def kinds(report: Report) -> list[str]:
    return [one.kind for one in report.diagnoses]


def test_a_claim_that_overlooks_a_condition_is_told_so() -> None:
    report = judged(lambda x, d: x * x if x > 0 else x**3, lambda x, d: 2 * x)
    assert kinds(report)[0] == "branch"
    assert "the claim does not follow the condition: it is right where" in report.diagnoses[0].says


def test_zeros_of_claim_and_truth_say_nothing_of_a_condition() -> None:
    """A wrong sign everywhere: where the unilateral spring is slack both are zero, and that is no way that is right."""
    report = judged(lambda x, d: max(x, 0) ** 2, lambda x, d: -2 * max(x, 0))
    assert kinds(report) == ["sign"], str(report)


def test_a_claim_that_asks_the_condition_and_errs_on_one_side_follows_it() -> None:
    report = judged(huber, lambda x, d: x if abs(x) <= d else 2 * d * (1 if x > 0 else -1))
    assert [one.says for one in report.diagnoses] == ["twice the true value"]


@pytest.mark.thorough
def test_a_way_of_the_claim_alone_that_nothing_explains_is_told_by_where_it_is_right() -> None:
    report = judged(lambda x, d: x**3 * d, lambda x, d: 3 * x * x * d if x < 1000 else d**5 + x**7)
    (found,) = report.diagnoses
    assert found.kind == "branch" and "a way of its own here; it is right where" in found.says


# --- special places, where many formulas are the same -----------------------------------------------------------------
def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


@pytest.mark.thorough
def test_what_holds_at_the_identity_only_is_no_explanation() -> None:
    """Without a turn, twice the derivative is that by raw components as well; the claim is twice it everywhere."""

    def claimed(q, p):
        found = -hand.rotation(q) @ skew(p)
        return 2 * found if q[1] == q[2] else found

    variables = {"q": verify.quaternion(), "p": verify.vector()}
    report = judged(lambda q, p: hand.rotation(q) @ p, claimed, "q", variables)
    assert [one.says for one in report.diagnoses] == ["twice the true value"]


@pytest.mark.thorough
def test_a_constant_direction_near_a_singular_point_is_no_derivative_of_something_else() -> None:
    """Where two points coincide, a normal that is set to the axis z is not the derivative with -b_z for b_z."""

    def claimed(a, b):
        gap = a - b
        distance = np.sqrt(gap @ gap)
        return gap / distance if distance > 1e-9 else np.array([0, 0, 1])

    variables = {"a": verify.vector(), "b": verify.vector()}
    report = judged(lambda a, b: np.sqrt((a - b) @ (a - b)), claimed, "a", variables)
    assert "branch" in kinds(report), str(report)
