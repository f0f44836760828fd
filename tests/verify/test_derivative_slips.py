"""Slips: one index for another, a sum for one of its vectors, frames counted from the wrong one, a factor dropped."""

from __future__ import annotations

import numpy as np
import pytest

import symvi.verify as verify
from symvi.verify import Report
from tests.verify import hand_written as hand

ANGLES = (0.3, -0.5, 0.7)
LINKS = (0.4, 0.3, 0.25)


def told(report: Report) -> list[str]:
    return [str(one) for one in report.diagnoses]


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def energy(w, J):  # noqa: N803
    return (
        (J[0] * w[0] ** 2 + J[1] * w[1] ** 2 + J[2] * w[2] ** 2) / 2
        + J[3] * w[0] * w[1]
        + w[2] * (J[4] * w[0] + J[5] * w[1])
    )


def momentum(w, J):  # noqa: N803
    xx, yy, zz, xy, xz, yz = J
    return np.array(
        [xx * w[0] + xy * w[1] + xz * w[2], xy * w[0] + yy * w[1] + yz * w[2], xz * w[0] + yz * w[1] + zz * w[2]]
    )


SPINNING = {"w": verify.vector(), "J": verify.inertia("six")}


def test_a_product_of_inertia_for_another_is_named() -> None:
    def claimed(w, J):  # noqa: N803
        return momentum(w, J) + np.array([0, (J[4] - J[5]) * w[2], 0])

    assert told(verify.derivative(energy, claimed, "w", SPINNING)) == ["column w[1]: J[4] for J[5]"]


def test_one_component_for_all_others_is_named() -> None:
    def claimed(w, J):  # noqa: N803
        return np.array([w[0] * (J[0] + J[3] + J[4]), *momentum(w, J)[1:]])

    assert told(verify.derivative(energy, claimed, "w", SPINNING)) == ["column w[0]: w[0] for w[1] and w[2]"]


def test_the_whole_lever_for_its_turned_part_is_named() -> None:
    def torque(q, p, force, r):
        return np.cross(r + hand.rotation(q) @ p, force)

    def claimed(q, p, force, r):
        return skew(force) @ hand.rotation(q) @ skew(p + r)

    vectors = dict.fromkeys(("p", "force", "r"), verify.vector())
    report = verify.derivative(torque, claimed, "q", {"q": verify.quaternion(), **vectors})
    assert told(report) == ["the whole derivative: p + r for p"]


def frames(q):
    """Axis and origin of every joint of an arm of which each axis is inclined to the one before, and its tip."""
    turn, place, axes, origins = np.eye(3), np.zeros(3), [], []
    for angle, inclined, length in zip(q, ANGLES, LINKS, strict=True):
        c, s = np.cos(inclined), np.sin(inclined)
        turn = turn @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        axes.append(turn[:, 2])
        origins.append(place)
        turn = turn @ np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        place = place + length * turn[:, 0]
    return axes, origins, place


def geometric(axes, origins, tip):
    return np.array([np.cross(axis, tip - origin) for axis, origin in zip(axes, origins, strict=True)]).T


@pytest.mark.thorough
def test_frames_that_are_counted_one_too_early_are_told_as_columns() -> None:
    """The first column takes the base's frame, and each other one that of the joint before."""

    def claimed(q):
        axes, origins, tip = frames(q)
        return geometric([np.array([0, 0, 1]), *axes[:-1]], [np.zeros(3), *origins[:-1]], tip)

    variables = {"q": verify.vector(3)}
    assert verify.derivative(lambda q: frames(q)[2], lambda q: geometric(*frames(q)), "q", variables).right
    report = verify.derivative(lambda q: frames(q)[2], claimed, "q", variables)
    assert told(report)[0] == "columns q[1], q[2]: each is the true column before it"
    assert len(told(report)) == 1 or "column q[0]" in told(report)[1], str(report)


def test_a_wrong_sign_is_told_before_two_errors_at_once() -> None:
    """A row with an even entry of the wrong sign and an odd one is that of -x[3] for x[3], times -1, as well."""
    size = 6

    def function(x):
        return np.array([x[k] * x[(k + 1) % size] + np.sin(x[k]) for k in range(size)])

    def claimed(x):
        found = np.zeros((size, size), dtype=object)
        for k in range(size):
            found[k, k], found[k, (k + 1) % size] = x[(k + 1) % size] + np.cos(x[k]), x[k]
        found[3, 3], found[1, 4] = -found[3, 3], 1
        return found

    report = verify.derivative(function, claimed, "x", {"x": verify.vector(size)})
    assert "row 3 in the column x[3]: the wrong sign" in told(report) and len(told(report)) == 2, str(report)


def test_a_factor_that_is_missing_is_told_with_the_code_that_computes_it() -> None:
    def function(x, y):
        return x * np.cos(y[0] * y[1])

    def claimed(x, y):
        return np.eye(3)

    report = verify.derivative(function, claimed, "x", {"x": verify.vector(), "y": verify.vector()})
    (said,) = told(report)
    assert "a factor that np.cos(y[0] * y[1]) in test_derivative_slips.py:" in said and "computes is missing" in said
