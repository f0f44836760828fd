"""C that loops until a real number is small, keeps work memory static, asks whether numbers are finite, and jumps.

What jumps, as floor and (int)x, has values for machine numbers only.
"""

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


# --- what jumps -----------------------------------------------------------------------------------------------------
TABLE = "if (x < 0 || x >= 1) return 0; double t[] = {0.1, 1.3, 4.7, 9.2, 16.5}; int k = (int)(x*4); "
JUMPING = {
    "fmod": ("return fmod(x, 2)*x;", "return 2*x - 2*trunc(x/2);", "return 2*x - 2*floor(x/2);"),
    "remainder": ("return remainder(x, 2)*x;", "return 2*x - 2*rint(x/2);", "return 2*x - 2*trunc(x/2);"),
    "floor and ceil": ("return (floor(x) + ceil(x))*x;", "return floor(x) + ceil(x);", "return 2*floor(x);"),
    "round": ("return round(x)*x*x;", "return 2*floor(x + 0.5)*x;", "return 2*ceil(x + 0.5)*x;"),
    "a cast": ("return (int)x*x;", "int k = x; return k;", "return floor(x);"),
    "a table": (
        TABLE + "return t[k] + (t[k + 1] - t[k])*(4*x - k);",
        TABLE + "return 4*(t[k + 1] - t[k]);",
        TABLE + "return 4*(t[k + 1] - t[k])*(k == 2 ? 1.1 : 1);",
    ),
}  # fmt: skip


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("name", JUMPING)
def test_c_that_jumps_is_compared_in_floats(name: str, right: bool) -> None:
    value, claim, wrong = (f"double f(double x) {{ {body} }}" for body in JUMPING[name])
    where = {"x": (0, 1)} if name == "a table" else None
    report = verify.derivative(
        verify.c(value, "f"), verify.c(claim if right else wrong, "f"), "x", {"x": verify.scalar()}, where=where
    )
    assert report.right is right and not report.everywhere, str(report)
    assert "is compared in floats" in str(report)


def test_a_jump_in_one_of_both_is_enough() -> None:
    """The other one stays exact, and a division by zero that code guards against by a cast is no error of its own."""
    claim = verify.c("double j(double x) { int k = fabs(x) > 100; return 2*x + k*floor(x) - k*floor(x); }", "j")
    assert verify.derivative(lambda x: x * x, claim, "x", {"x": verify.scalar()}).right
    assert not verify.derivative(lambda x: 2.001 * x * x, claim, "x", {"x": verify.scalar()}).right


def test_an_output_through_the_pointer_of_a_struct() -> None:
    """Its other members are the caller's: what the function does nothing with is no argument."""
    text = """
    typedef struct { struct { double J[3]; } inner; double f; double spare[2]; } work_t;
    void f(const double x[3], work_t *w) { w->f = x[0]*x[0] + x[1]*x[1] + x[2]*x[2]; }
    void j(const double x[3], work_t *w) { double *J = w->inner.J; for (int i = 0; i < 3; i++) J[i] = FACTOR*x[i]; }
    """
    for factor, right in (("2", True), ("(i == 1 ? 1 : 2)", False)):
        claim = verify.c(text, "j", define={"FACTOR": factor})
        report = verify.derivative(verify.c(text, "f", define={"FACTOR": factor}), claim, "x", {"x": verify.vector(3)})
        assert report.right is right, str(report)
