"""C that loops until a real number is small, keeps its work memory static, and asks whether numbers are finite."""

from __future__ import annotations

import pytest

import symvi.verify as verify

V = {"x": verify.vector(1)}


def judged(body: str, function=lambda x: x @ x) -> verify.Report:
    text = f"#include <math.h>\nvoid slope(const double x[1], double J[1])\n{{\n{body}\n}}\n"
    return verify.derivative(function, verify.c(text, "slope"), "x", V)


WRAPPED = "double a = x[0]; while (a > 3) a -= 6; while (a < -3) a += 6; J[0] = {};"


def wrapped(x):
    a = x[0]
    while a > 3:
        a = a - 6
    while a < -3:
        a = a + 6
    return a * a


@pytest.mark.parametrize(("slope", "right"), [("2*a", True), ("2*x[0]", False), ("-2*a", False)])
def test_a_loop_over_real_numbers_is_judged_turn_by_turn(slope: str, right: bool) -> None:
    """An angle that is brought back within half a turn."""
    assert judged(WRAPPED.format(slope), wrapped).right is right


@pytest.mark.parametrize(("factor", "right"), [("2", True), ("3", False)])
def test_static_work_memory_is_written_by_every_call(factor: str, right: bool) -> None:
    assert judged(f"static double s[1]; s[0] = x[0]; J[0] = {factor}*s[0];").right is right


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("isnan(J[0])", "isnan was never true"),
        ("isinf(J[0])", "isinf was never true"),
        ("!isfinite(J[0])", "isfinite was always true"),
    ],
)
def test_what_code_does_with_numbers_that_are_none_is_told_as_not_reached(test: str, said: str) -> None:
    """Where x is zero this is 0/0, and code may say there what it likes."""
    report = judged(f"J[0] = 2*x[0]*x[0]/x[0]; if ({test}) J[0] = 7;")
    assert report.right and not report.everywhere
    assert any(said in one for one in report.unreached), str(report)
    assert not judged(f"J[0] = 2*x[0]; if ({test}) J[0] = 7; J[0] *= 2;").right
