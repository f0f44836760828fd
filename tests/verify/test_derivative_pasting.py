"""Counterexamples that can be pasted: a line of code in the language of the claim, which gives the values shown."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import symvi.verify as verify
from tests.verify import hand_written as hand

TURNED = {"q": verify.quaternion(), "v": verify.vector(3), "J": verify.inertia(), "h": verify.step()}


def line_of(report: verify.Report) -> str:
    """What stands between `counterexample: at` and the values."""
    lines = str(report).splitlines()
    return lines[lines.index("counterexample: at") + 1]


def shown_at(report: verify.Report, line: str) -> list:
    """The wrong entries whose values are those at a line's point: one at least."""
    found = [entry for entry in report.wrong if entry.counterexample.pasted == line]
    assert found
    return found


def momentum(q, v, J, h):  # noqa: N803
    return h * hand.rotation(q) @ (J @ v)


def by_v(q, v, J, h):  # noqa: N803
    return hand.rotation(q) @ J + 0 * np.outer(v, v)


def test_a_line_of_python_gives_the_values_in_floats() -> None:
    report = verify.derivative(momentum, by_v, "v", TURNED)
    names: dict = {"np": np}
    exec(line_of(report), names)  # noqa: S102
    point = {name: names[name] for name in TURNED}
    assert {value.dtype for name, value in point.items() if name != "h"} == {np.dtype(float)}
    assert point["J"].shape == (3, 3) and abs(point["q"] @ point["q"] - 1) < 1e-15  # a few roundings of one
    for entry in shown_at(report, line_of(report)):
        true = float(Fraction(entry.counterexample.true))
        assert by_v(**point)[entry.index] == pytest.approx(float(Fraction(entry.counterexample.claimed)), rel=1e-14)
        assert (point["h"] * by_v(**point))[entry.index] == pytest.approx(true, rel=1e-14)


def test_a_line_for_sympy_gives_the_exact_values() -> None:
    x = sp.symbols("x0:3")
    q, claimed = sp.symbols("q_w q_x q_y q_z"), sp.Matrix([[sp.Symbol("q_w") * x[1], 2 * x[0], 0]])
    variables = {"x": verify.vector(3), "q": verify.quaternion()}
    report = verify.derivative(q[0] * x[0] * x[1] / 3, claimed, "x", variables)
    names = {str(symbol): symbol for symbol in (*x, *q)} | {"Rational": sp.Rational}
    exec(line_of(report), names)  # noqa: S102
    for entry in shown_at(report, line_of(report)):
        assert claimed.subs(names["at"])[entry.index] == sp.Rational(entry.counterexample.claimed)


def test_a_line_of_c_defines_the_arguments() -> None:
    text = "double g(const double q[4], double h) { return 2*q[0]; }"
    report = verify.derivative(
        lambda q, h: h * q[0], verify.c(text, "g"), "h", {"q": verify.quaternion("raw"), "h": verify.step()}
    )
    (entry,) = report.wrong
    line = line_of(report)
    found = verify.c(f"double g(void) {{ {line}; return 2*q[0] + 0*h; }}", "g")
    assert line.startswith("double q[4] = {") and "; double h = " in line
    assert not re.search(r"/\d+(?!\d*\.)", line)  # a whole number may be too large for its type
    claimed = found.as_function({}, "g").evaluate({}, _rational_world()).entries[0]
    assert claimed == Fraction(entry.counterexample.claimed)


def _rational_world():
    from symvi.verify.reading.worlds import RationalWorld

    return RationalWorld()


def test_symbols_without_a_python_name_are_written_as_what_makes_them() -> None:
    turn, pull, push = sp.Symbol(r"\theta", real=True), sp.Symbol("lambda"), sp.Symbol("x[0]")
    variables = {"turn": verify.scalar(symbols=[turn]), "lambda": verify.scalar(), "x": verify.vector(1)}
    claimed = 3 * turn * pull * push
    report = verify.derivative(turn**2 * pull * push, claimed, "turn", variables)
    names: dict = {}
    exec("from sympy import *; " + line_of(report), names)  # noqa: S102
    (entry,) = report.wrong
    assert claimed.subs(names["at"]) == sp.Rational(entry.counterexample.claimed)
    assert r"Symbol(" in report.html()


def test_variables_without_symbols_stand_behind_those_that_have_some() -> None:
    def energy(x, lambda_, h):
        return h * lambda_ * x[0] ** 2 * x[2]

    x0, x1 = sp.symbols("x0 x1")
    variables = {"x": verify.vector(3), "lambda": verify.scalar(), "h": verify.step()}
    report = verify.derivative(energy, sp.Matrix([[x0 * x1, 0, 0]]), "x", variables)
    names = {"np": np, "x0": x0, "x1": x1, "Rational": sp.Rational}
    exec(line_of(report), names)  # noqa: S102
    entry = shown_at(report, line_of(report))[0]
    true = [2 * x0 * names["x"][2], 0, x0**2][entry.index[-1]] * names["h"] * names["lambda_"]
    assert float(true.subs(names["at"])) == pytest.approx(float(Fraction(entry.counterexample.true)))
    assert names["x"][0] == names["at"][x0]


def test_pages_show_the_same_line() -> None:
    report = verify.derivative(lambda x: x / 2, lambda x: 1, "x", {"x": verify.scalar()})
    assert line_of(report) in report.html()
    assert report.json()["entries"][0]["counterexample"]["pasted"] == line_of(report)
