"""C as it is written: structs of a quaternion's components, writes beyond an array, single precision."""

from __future__ import annotations

import numpy as np
import pytest

import symvi.verify as verify
from tests.verify import hand_written as hand

X = {"x": verify.vector(3)}
ROTATED = """
typedef struct { double MEMBERS; } Quaternion;
typedef struct { double x, y, z; } Vector;
void rotated(Quaternion q, const Vector *p, double out[3]) {
    double a = q.y*p->z - q.z*p->y, b = q.z*p->x - q.x*p->z, c = q.x*p->y - q.y*p->x;
    out[0] = p->x + 2*(q.w*a + q.y*c - q.z*b);
    out[1] = p->y + 2*(q.w*b + q.z*a - q.x*c);
    out[2] = p->z + 2*(q.w*c + q.x*b - q.y*a);
}
"""


@pytest.mark.parametrize("members", ["w, x, y, z", "x, y, z, w"])
def test_a_struct_is_a_quaternion_by_its_members(members: str) -> None:
    """Whatever their order in memory: names say what they are."""
    function = verify.c(ROTATED.replace("MEMBERS", members), "rotated")
    variables = {"q": verify.quaternion(), "p": verify.vector(3)}
    assert verify.derivative(function, lambda q, p: -hand.rotation(q) @ hand.skew(p), "q", variables).right
    assert not verify.derivative(function, lambda q, p: hand.rotation(q) @ hand.skew(p), "q", variables).right


def test_a_write_beyond_the_matrix_is_called_one() -> None:
    beyond = verify.c("void J(const double *x, double *J) { for (int i = 0; i <= 9; i++) J[i] = 2*x[0]; }", "J")
    with pytest.raises(verify.VerificationError, match="entry 9 written out of the bounds of 9 entries"):
        verify.derivative(lambda x: np.array([x[0] ** 2, x[1], x[2]]), beyond, "x", X)


def test_single_precision_is_noted_once() -> None:
    third = verify.c("void J(const double *x, double J[3]) { float a = 1.0f/3; J[0] = a; J[1] = 0; J[2] = 0.0f; }", "J")
    report = verify.derivative(lambda x: x[0] / 3, third, "x", X)
    assert report.right
    assert [note for note in report.notes if "single precision" in note] == [
        "line 1: float is evaluated exactly here, not in single precision"
    ]


def test_an_unknown_parameter_is_told_in_sentences() -> None:
    unknown = verify.c("double f(double a) { return a; }", "f")
    with pytest.raises(verify.VerificationError, match=r"known: x\. Say names="):
        verify.derivative(unknown, lambda x: x, "x", X)


def test_what_is_wrong_in_braces_is_told_with_its_line() -> None:
    with pytest.raises(verify.VerificationError, match="line 3: designators"):
        verify.c("void J(const double *x, double J[1]) {\n\n const double two[] = {[1] = 2};\n J[0] = two[1]; }", "J")


@pytest.mark.parametrize(
    ("function", "slope", "wrong"),
    [
        ("erf(x)", "2/sqrt(M_PI)*exp(-x*x)", "1/sqrt(M_PI)*exp(-x*x)"),
        ("log2(x*x + 1)", "2*x/(x*x + 1)/log(2)", "2*x/(x*x + 1)"),
        ("asinh(x)", "1/sqrt(1 + x*x)", "1/(1 + x*x)"),
    ],
)
def test_functions_of_math_h_are_the_elementary_ones(function: str, slope: str, wrong: str) -> None:
    text = "#include <math.h>\ndouble f(double x) {{ return {}; }}"
    given = verify.c(text.format(function), "f")
    assert verify.derivative(given, verify.c(text.format(slope), "f"), "x", {"x": verify.scalar()}).right
    assert not verify.derivative(given, verify.c(text.format(wrong), "f"), "x", {"x": verify.scalar()}).right
