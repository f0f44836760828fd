"""What a report says can be used as it stands: digits that differ, the proof by its name, one explanation once."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy as sp

import symvi.verify as verify
from symvi.derive import own

LINE = {"r": verify.vector(3), "u": verify.vector(3)}


def distance(r):
    return np.sqrt(r @ r + 2)


def asked(function, claimed, **options) -> verify.Report:
    return verify.derivative(function, claimed, wrt="r", variables=LINE, **options)


@pytest.mark.parametrize("factor", [1 + 1e-14, 1 + 1e-6, 2])
def test_two_values_that_differ_are_shown_to_differ(factor: float) -> None:
    report = asked(lambda r: np.exp(r @ r / 2), lambda r: factor * r * np.exp(r @ r / 2))
    assert len(report.wrong) == 3
    for entry in report.wrong:
        assert not entry.counterexample.exact
        assert entry.counterexample.claimed != entry.counterexample.true
        assert len(entry.counterexample.true) < (30 if factor < 1 + 1e-9 else 16)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("revolute", r"symvi\.derive\.own\('revolute'\) for one of symvi's own"),
        ("r**2", "give a SymPy expression"),
    ],
)
def test_a_text_for_a_function_is_asked_what_it_is(function: str, words: str) -> None:
    with pytest.raises(verify.VerificationError, match=words):
        verify.derivative(function, lambda r: r, wrt="r")
    with pytest.raises(verify.VerificationError, match=f"claimed is the text .*{words}"):
        asked(distance, function)


def test_terms_with_one_share_are_one_explanation_by_the_name_that_says_most() -> None:
    def torque(r, u):
        return np.cross(u, r) * (u @ r)

    def without_the_length(u, r):
        return np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]]) * (u @ r)

    (found,) = asked(torque, without_the_length).diagnoses
    assert found.says.startswith("a term of the chain rule, the derivative of r where it is used in u @ r in "), found
    assert found.says.endswith(": missing")


def test_a_term_is_named_by_its_code() -> None:
    def drag(r, u):
        speed = np.sqrt(r @ r)
        return r * speed + u * speed**2

    (found,) = asked(drag, lambda r, u: np.eye(3) * np.sqrt(r @ r) + 2 * np.outer(u, r)).diagnoses
    assert re.search(
        r"the derivative of np\.sqrt\(r @ r\) in \S+ where it is used in r \* speed in \S+: missing", found.says
    )


def test_a_counterexample_has_the_variables_that_are_used() -> None:
    """A ball joint takes a triad like every joint, and needs none; a file's dictionary is that of all its claims."""
    ball = verify.derivative(own("spherical"), lambda: np.zeros((3, 3)), wrt="q_a")
    turned = verify.derivative(own("fixed"), lambda: np.zeros((6, 3)), wrt="q_a")
    line = asked(distance, lambda r: 2 * r)
    for report, names in (
        (ball, {"x_a", "q_a", "x_b", "q_b", "p_a", "p_b"}),
        (turned, {"x_a", "q_a", "x_b", "q_b", "p_a", "p_b", "A"}),
        (line, {"r"}),
    ):
        assert {frozenset(entry.counterexample.point) for entry in report.wrong} == {frozenset(names)}


@pytest.mark.parametrize("scale", [0, "0", 0.0, "0/3"])
def test_rows_of_scale_zero_are_none(scale) -> None:
    with pytest.raises(verify.VerificationError, match="scale 0 would leave nothing"):
        own("revolute", scale=scale)


def test_what_sympy_asks_of_a_number_is_asked_by_the_users_line() -> None:
    report = asked(lambda r: r @ r, lambda r: sp.Matrix([[2 * r[0], 2 * r[1], 2 * r[2]]]))
    assert {entry.verdict for entry in report.entries} == {"equal in floats"}
    assert report.notes[0].startswith("test_derivative_words.py:")
    with pytest.raises(verify.VerificationError, match="Matrix, not all of whose entries are numbers"):
        asked(lambda r: r @ r, lambda r: sp.Matrix([[2 * r[0], 2 * r[1], sp.Symbol("z")]]))
