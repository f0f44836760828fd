"""Exact numbers: the field, its roots, its opaque functions, and derivatives by tagged dual numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from symvi.exact.dual import Dual, Functions, derivative
from symvi.exact.field import PRIMES, Field, NotASquare, UnknownRoot
from symvi.exact.opaque import Opaque, UnknownBranch


@pytest.fixture(params=PRIMES, ids=lambda p: f"2^{p.bit_length()}-1")
def field(request: pytest.FixtureRequest) -> Field:
    return Field(request.param, seed=1)


def test_the_field_computes_as_fractions_do(field: Field) -> None:
    a, b = Fraction(22, 7), Fraction(-5, 3)
    x, y = field.number(a), field.number(b)
    assert (x + y, x - y, x * y, x / y) == (a + b, a - b, a * b, a / b)
    assert (1 / x, 2 - x, -x, Fraction(1, 2) * x) == (1 / a, 2 - a, -a, a / 2)
    assert x != y and x + 1 != x


def test_floats_and_division_by_zero_are_refused(field: Field) -> None:
    with pytest.raises(TypeError):
        field.one + 0.5
    with pytest.raises(ZeroDivisionError):
        field.one / (field.one - 1)


def test_two_has_its_known_root(field: Field) -> None:
    assert field.root_of_two * field.root_of_two == 2


def test_a_root_is_known_only_if_it_was_built(field: Field) -> None:
    """Exponentiation finds a root of s² or of -s², whichever has one: it would accept sqrt(-s²) for sqrt(s²)."""
    s = field.random()
    with pytest.raises(UnknownRoot):
        field.known_root(s * s)
    square = field.square_of(s)
    assert field.known_root(square) == s
    with pytest.raises(UnknownRoot):
        field.known_root(-square)


def test_a_definition_takes_roots_of_squares_only(field: Field) -> None:
    squares = [field.random() for _ in range(2)]
    squares = [s * s for s in squares]
    roots = [field.defined_root(x) for x in squares]
    assert [r * r for r in roots] == squares
    assert field.defined_root(squares[0] * squares[1]) == roots[0] * roots[1]
    with pytest.raises(NotASquare):
        field.defined_root(-squares[0] * 9)  # -1 has no root in these fields


def test_a_point_of_the_sphere_is_on_it(field: Field) -> None:
    for size in (2, 3, 4):
        assert sum((x * x for x in field.sphere(size)), field.zero) == 1


# --- opaque functions: each law holds, whichever value is asked for first ---------------------------------------------
def test_angles_add_as_their_directions_multiply(field: Field) -> None:
    opaque = Opaque(field)
    y1, x1, y2, x2 = field.randoms(4)
    first, second = opaque.angle(y1, x1, 0), opaque.angle(y2, x2, 0)
    between = opaque.angle(x1 * y2 - y1 * x2, x1 * x2 + y1 * y2, 0)
    assert second - first == between
    assert opaque.angle(3 * y1, 3 * x1, 0) == first == -opaque.angle(-y1, x1, 0)
    assert opaque.angle(field.zero, x1, 0) == 0 != first


def test_an_angle_lies_on_the_branch_of_its_last_value(field: Field) -> None:
    opaque = Opaque(field)
    near, other = (opaque.branch(field.random(), turns) for turns in (3, 5))
    y, x = field.randoms(2)
    assert opaque.angle(y, x, other) - opaque.angle(y, x, near) == 2 * opaque.full_turn
    with pytest.raises(UnknownBranch):
        opaque.angle(y, x, near + 1)


def test_sine_and_cosine_obey_their_sum_formulas(field: Field) -> None:
    opaque = Opaque(field)
    x, y = field.randoms(2)
    sin, cos = opaque.sin, opaque.cos
    difference = sin(y) - sin(x)
    assert difference == 2 * cos((x + y) / 2) * sin((y - x) / 2)
    assert sin(x + y) == sin(x) * cos(y) + cos(x) * sin(y)
    assert sin(x) * sin(x) + cos(x) * cos(x) == 1
    assert (sin(-x), cos(-x)) == (-sin(x), cos(x))


def test_exponentials_multiply_and_logarithms_add(field: Field) -> None:
    opaque = Opaque(field)
    functions = opaque.functions(field.known_root)
    x, y = field.randoms(2)
    assert opaque.exp(x + y) == opaque.exp(x) * opaque.exp(y)
    assert opaque.exp(y) - opaque.exp(x) == opaque.exp(x) * functions["expm1"](y - x)
    assert opaque.log(x * y) == opaque.log(x) + opaque.log(y)
    assert opaque.log(y) - opaque.log(x) == functions["log1p"]((y - x) / x)


def test_unrelated_arguments_have_unrelated_values(field: Field) -> None:
    opaque = Opaque(field)
    values = [opaque.exp(field.random()) for _ in range(20)]
    assert len({value.n for value in values}) == 20


# --- dual numbers -----------------------------------------------------------------------------------------------------
def test_nested_derivatives_are_not_confused() -> None:
    """d/dx (x d/dy (x + y)) is 1 at any x; where perturbations share a tag it becomes 2."""

    def outer(x):
        inner = derivative(lambda e: [x + e], 0)[0]
        return [x * inner]

    assert derivative(lambda e: outer(1 + e), 0) == [1]


def test_second_derivatives_by_nesting() -> None:
    def slope(x):
        return derivative(lambda e: [(x + e) * (x + e) * (x + e)], Fraction(0))[0]

    assert derivative(lambda e: [slope(Fraction(5) + e)], Fraction(0)) == [30]


def test_derivative_rules_of_functions() -> None:
    functions = Functions({"sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "exp": math.exp, "log": math.log,
                           "atan2": math.atan2, "angle": lambda y, x, near: 2 * math.atan2(y, x)})  # fmt: skip
    x = 0.7
    expected = {"sqrt": 0.5 / math.sqrt(x), "sin": math.cos(x), "cos": -math.sin(x), "exp": math.exp(x), "log": 1 / x}
    for name, value in expected.items():
        assert derivative(lambda e, name=name: [getattr(functions, name)(x + e)], 0.0)[0] == pytest.approx(value, 1e-15)
    turn = derivative(lambda e: [functions.atan2(2 + e, x), functions.angle(2, x + e, 0)], 0.0)
    assert turn == pytest.approx([x / (x * x + 4), -4 / (x * x + 4)], 1e-15)


def test_duals_divide() -> None:
    found = derivative(lambda e: [1 / (2 + e), (3 + e) / (2 + e), (3 + e) / 2], Fraction(0))
    assert found == [Fraction(-1, 4), Fraction(-1, 4), Fraction(1, 2)]
    assert isinstance(Dual(1, 2, 3) + 1, Dual)
