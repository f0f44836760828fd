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
def test_the_lever_of_the_other_body_is_named() -> None:
    assert said(judged(levers=lambda a, b: (b, b))) == {
        "the columns of q_a: p_b for p_a, crossed with the derivative by p_a"
    }
    assert said(judged(levers=lambda a, b: (b, a))) == {
        "the columns of q_a: p_b for p_a, crossed with the derivative by p_a",
        "the columns of q_b: p_a for p_b, crossed with the derivative by p_b",
    }


@pytest.mark.thorough
def test_a_lever_of_the_other_sign_is_no_other_lever() -> None:
    (found,) = judged(levers=lambda a, b: (-a, b)).diagnoses
    assert found.kind == "sign"
    assert said(judged(levers=lambda a, b: (-b, b))) == {
        "the columns of q_a: minus p_b for p_a, crossed with the derivative by p_a"
    }


@pytest.mark.thorough
def test_a_force_that_was_not_turned_into_the_axes_of_its_body_is_named() -> None:
    (found,) = judged(to_b=as_it_is).diagnoses
    assert str(found) == (
        "the columns of q_b: the derivative by x_b for that by p_b, crossed with p_b: the same vector in other axes"
    )
    assert found.kind == "axes"


@pytest.mark.thorough
def test_levers_that_were_not_turned_into_the_world_are_named() -> None:
    report = judged(to_a=as_it_is, to_b=as_it_is, side="world")
    assert len(report.diagnoses) == 2
    for body, one in zip("ab", report.diagnoses, strict=True):
        assert one.where == f"the columns of q_{body}"
        assert one.says.startswith(f"p_{body} for "), str(one)
        assert one.says.endswith("crossed with the derivative by x_a: the same vector in other axes"), str(one)


@pytest.mark.thorough
def test_a_torque_of_no_vectors_of_the_spring_is_not_explained() -> None:
    report = judged(levers=lambda a, b: (a + 2 * b, b))
    assert not report.right
    assert not report.diagnoses


@pytest.mark.thorough
@pytest.mark.parametrize("weights", [None, "lam"])
def test_the_lever_of_a_joint_is_named_for_all_its_rows(weights: str | None) -> None:
    variables = {**PLACES, "p_a": verify.vector(3), "p_b": verify.vector(3)}

    def residual(x_a, q_a, p_a, p_b):
        return p_b @ p_b * (x_a + turn(q_a) @ p_a)

    def jacobian(q_a, p_b):
        skew = np.array([[0, -p_b[2], p_b[1]], [p_b[2], 0, -p_b[0]], [-p_b[1], p_b[0], 0]])
        return -(p_b @ p_b) * turn(q_a) @ skew

    def weighted(q_a, p_b, lam):
        return jacobian(q_a, p_b).T @ lam

    claimed = weighted if weights else jacobian
    report = verify.derivative(residual, claimed, wrt="q_a", variables=variables, weights=weights)
    (found,) = report.diagnoses
    assert str(found) == "the whole derivative: p_b for p_a, crossed with the derivative by p_a"
