"""The torques of a spring between two bodies: a lever of the other body, a force left in the axes of the world."""

from __future__ import annotations

import numpy as np
import pytest

import symvi.verify as verify

PLACES = {"x_a": verify.vector(3), "q_a": verify.quaternion(), "x_b": verify.vector(3), "q_b": verify.quaternion()}
SPRING = {"p_a": verify.vector(3), "p_b": verify.vector(3), "k": verify.scalar(True), "l": verify.scalar(True)}


def turn(q):
    w, v = q[0], q[1:]
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * skew


def span(x_a, q_a, x_b, q_b, p_a, p_b):
    return x_b + turn(q_b) @ p_b - x_a - turn(q_a) @ p_a


def energy(x_a, q_a, x_b, q_b, p_a, p_b, k, l):  # noqa: E741
    d = span(x_a, q_a, x_b, q_b, p_a, p_b)
    return k / 2 * (np.sqrt(d @ d) - l) ** 2


def gradient(levers, to_a, to_b):
    """The gradient with other levers, and the forces in other axes."""

    def claimed(x_a, q_a, x_b, q_b, p_a, p_b, k, l):  # noqa: E741
        d = span(x_a, q_a, x_b, q_b, p_a, p_b)
        length = np.sqrt(d @ d)
        force = k * (length - l) * d / length
        of_a, of_b = levers(p_a, p_b)
        on_a, on_b = np.cross(of_a, to_a(q_a, force)), np.cross(of_b, to_b(q_b, force))
        return np.concatenate([-force, -on_a, force, on_b])

    return claimed


def into_body(q, force):
    return turn(q).T @ force


def as_it_is(_, force):
    return force


def judged(levers=lambda a, b: (a, b), to_a=into_body, to_b=into_body, side: str = "body") -> verify.Report:
    places = {name: verify.quaternion(side=side) if name[0] == "q" else of for name, of in PLACES.items()}
    return verify.derivative(energy, gradient(levers, to_a, to_b), wrt=list(PLACES), variables={**places, **SPRING})


def said(report: verify.Report) -> set[str]:
    return {str(one) for one in report.diagnoses}


def test_the_torques_of_a_spring_are_right() -> None:
    assert judged().right


@pytest.mark.thorough
def test_a_lever_of_the_other_sign_is_a_sign() -> None:
    (found,) = judged(levers=lambda a, b: (-a, b)).diagnoses
    assert found.kind == "sign" and found.where == "the columns of q_a"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "options",
    [{"levers": lambda a, b: (b, b)}, {"to_b": as_it_is}, {"levers": lambda a, b: (a + 2 * b, b)}],
    ids=["the other body's lever", "a force in other axes", "no lever"],
)
def test_another_lever_is_wrong_in_its_columns_and_gets_no_other_name(options) -> None:
    report = judged(**options)
    body = "q_b" if "to_b" in options else "q_a"
    assert {each.column for each in report.wrong} <= {name for name in report.column_names if name.startswith(body)}
    assert report.wrong and not report.diagnoses, str(report)
