"""Conditions that have one way only, because of what was asked before: some are told as ways that were missed."""

from __future__ import annotations

import numpy as np
import pytest

import symvi.verify as verify
from symvi.verify import Report

SCALARS = {"x": verify.scalar(), "d": verify.scalar(positive=True)}
VECTOR = {"x": verify.vector(3)}


def judged(function, claimed, variables=SCALARS) -> Report:
    return verify.derivative(function, claimed, "x", variables)


def huber(x, d):
    return x * x / 2 if abs(x) <= d else d * (abs(x) - d / 2)


def of_an_angle(x):
    return x[1:] / 2 / np.sqrt(1 - x[0] ** 2)


@pytest.mark.parametrize(
    ("function", "claimed", "variables"),
    [
        (huber, lambda x, d: x if abs(x) <= d else d * np.sign(x), SCALARS),
        (huber, lambda x, d: x if abs(x) <= d else (d if x > 0 else -d if x < 0 else 7), SCALARS),
        (lambda x: np.max(x), lambda x: np.where(x == np.max(x), 1, 0), VECTOR),
        (lambda x: np.abs(x).sum(), lambda x: np.sign(x), VECTOR),
    ],
    ids=["Huber's sign", "Huber's sides", "a maximum", "absolute values"],
)
def test_a_right_claim_is_right_everywhere(function, claimed, variables) -> None:
    report = judged(function, claimed, variables)
    assert report.everywhere, str(report)


@pytest.mark.parametrize(
    ("function", "claimed", "variables"),
    [
        (lambda x, d: max(x, 1) ** 2, lambda x, d: 2 * x if x > 1 and x > 0 else 0, SCALARS),
        (lambda x: np.abs(x).max(), lambda x: np.where(np.abs(x) == np.abs(x).max(), np.sign(x), 0), VECTOR),
        (lambda x: np.arccos(np.clip(x[0], -1.0, 1.0)), of_an_angle, {"x": verify.quaternion()}),
    ],
    ids=["beyond one", "the largest", "a clip at one"],
)
def test_a_right_claim_is_right_and_what_would_need_a_proof_is_told(function, claimed, variables) -> None:
    report = judged(function, claimed, variables)
    assert report.right and not report.everywhere, str(report)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "claimed",
    [
        lambda x, d: 2 * x if x <= d or abs(x) < 10**16 else 7,
        lambda x, d: 2 * x if x < 0 or x < 10**16 else 7,
        lambda x, d: 2 * x if x - d < 0 or x + d > 0 or np.sin(x) < 2 else 7,
        lambda x, d: 2 * x if x <= d or x < d**2 + 10**16 else 7,
        lambda x, d: 2 * x if not (np.array([x, d]) > 10**16).all() else 7,
    ],
)
def test_what_may_go_the_other_way_is_told_still(claimed) -> None:
    """None of these follows from the ones before it, however far the points are from going there."""
    report = judged(lambda x, d: x * x, claimed)
    assert not report.everywhere, str(report)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "claimed",
    [
        lambda x, d: 2 * x if not (x >= 0 and x == 0) else 7,
        lambda x, d: 2 * x if not (x > 0 and 5 < x < 5.001) else 7,
        lambda x, d: 2 * x if x < d or x > d else 7,
        lambda x, d: 2 * x if not (x > d and x < 2 * d and x > 1.999 * d) else 7,
    ],
)
def test_what_is_asked_after_other_conditions_is_reached(claimed) -> None:
    assert not judged(lambda x, d: x * x, claimed).right
