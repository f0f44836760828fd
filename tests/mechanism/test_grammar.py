"""Expressions are text in a small grammar: what is in it becomes a tree, everything else is refused with its column."""

import math
import warnings

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from symvi.errors import MechanismError
from symvi.mechanism import Potential
from symvi.mechanism.grammar import GrammarError, parse
from symvi.mechanism.signals import evaluate, signal_tree, value_and_rate

K = frozenset({"k", "L"})
PLACES = {
    "x_a": (0.1, -0.2, 0.3),
    "x_b": (1.1, 0.7, -0.4),
    "R_a": ((1.0, 0.0, 0.0), (0.0, 0.6, -0.8), (0.0, 0.8, 0.6)),
    "q_b": (0.5, 0.5, 0.5, 0.5),
}


def test_a_text_becomes_a_tree():
    assert parse("-k*x_a[0] + 1/2", K, placements=True) == (
        "add",
        ("mul", ("neg", ("name", "k")), ("item", "x_a", (0,))),
        ("div", ("number", "1"), ("number", "2")),
    )
    assert parse("atan2(R_a[0, 1], q_b[3])**-2", K, placements=True) == (
        "pow",
        ("call", "atan2", ("item", "R_a", (0, 1)), ("item", "q_b", (3,))),
        -2,
    )


def test_numbers_keep_their_decimal_text():
    """0.1 is one tenth, not the double beside it: proofs compute with it exactly."""
    assert parse("0.1") == ("number", "0.1")
    assert parse("1e-3") == ("number", "1e-3")
    assert parse(".50") == ("number", ".50")
    assert parse("pi") == ("number", repr(math.pi))


def test_precedence_is_that_of_python():
    for text in ["-2**2", "2**64", "-" * 150 + "1", "1 - 2 - 3", "8/4/2", "2*-3", "2**3*2", "-(1 + 2)*3", "+4 - -4"]:
        assert evaluate(parse(text), {}) == eval(text)


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("__import__('os').system('true')", 1, "unknown function"),
        ("k + foo", 5, "unknown name 'foo'"),
        ("  k + foo", 7, "unknown name"),
        ("sinn(k)", 1, "did you mean 'sin'"),
        ("sin(k, 2)", 1, "takes 1 argument"),
        ("atan2(k)", 1, "takes 2 arguments"),
        ("sin(x=k)", 1, "takes 1 argument"),
        ("x_a", 1, r"write one of them, like x_a\[0\]"),
        ("R_b", 1, r"R_b\[0, 0\]"),
        ("x_a[3]", 1, "3 parts"),
        ("q_a[-1]", 1, "whole number"),
        ("R_a[1]", 1, "3 x 3 parts"),
        ("k[0]", 1, "no parts"),
        ("k**0.3", 4, "whole number"),
        ("k**1e999", 4, "whole number"),
        ("k**L", 4, "whole number"),
        ("2**65", 4, "at most 64"),
        ("k if k else k", 1, "not part of the grammar"),
        ("k == 1", 1, "not part of the grammar"),
        ("k // 2", 1, "not part of the grammar"),
        ("[k]", 1, "not part of the grammar"),
        ("lambda: k", 1, "not part of the grammar"),
        ("k.real", 1, "not part of the grammar"),
        ("f'{k}'", 1, "not part of the grammar"),
        ("0x10", 2, "operator"),
        ("1_000", 2, "operator"),
        ("2k", 2, "operator"),
        ("1j", 2, "operator"),
        ("True", 1, "decimal"),
        ("'k'", 1, "decimal"),
        ("1e999", 1, "decimal"),
        ("k +", None, "no expression"),
        ("k k", 3, "no expression"),
        ("  k 1", 5, "no expression"),
        ("", None, "no expression"),
        ("k\x00", 2, "not allowed"),
        ("k + µ", 5, "not allowed"),
    ],
)
def test_what_is_not_in_the_grammar_is_refused_with_its_column(text, column, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(GrammarError, match=reason) as caught:
            parse(text, K, placements=True)
    if column is not None:
        assert f"column {column}:" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["(" * 5000, "-" * 9000 + "1", "2**" * 3000 + "2", "sin(" * 300 + "k" + ")" * 300, "k" + "+k" * 500, "k" * 10_001],
)
def test_texts_that_would_exhaust_a_parser_are_refused(text):
    with pytest.raises(GrammarError):
        parse(text, K)


@given(st.text(alphabet="kL0123456789.+-*/()[], _exyaRbq=<>'\"\\\n\t:;@lambdaif", max_size=40))
def test_any_text_is_a_tree_or_a_grammar_error(text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            tree = parse(text, K, placements=True)
        except GrammarError:
            return
    assert tree[0] in {"number", "name", "item", "add", "sub", "mul", "div", "neg", "pow", "call"}


def test_placements_are_known_only_where_they_have_a_meaning():
    with pytest.raises(GrammarError, match="no parts"):
        parse("x_a[0]")
    with pytest.raises(GrammarError, match="unknown name 'x'"):
        signal_tree("x + t")


def test_sympy_expressions_print_as_texts_of_the_grammar():
    """A user's SymPy expression goes through its printed form; SymPy itself is the witness for its value."""
    x_a, x_b = sympy.MatrixSymbol("x_a", 3, 1), sympy.MatrixSymbol("x_b", 3, 1)
    R_a, k = sympy.MatrixSymbol("R_a", 3, 3), sympy.Symbol("k")
    square = sum((x_a[i, 0] - x_b[i, 0]) ** 2 for i in range(3))
    expression = square ** sympy.Rational(3, 2) - k * R_a[1, 2] / sympy.sqrt(square) + sympy.Rational(1, 3) + sympy.pi
    value = evaluate(parse(str(expression), K, placements=True), {**PLACES, "k": 2.5})
    at = {k: 2.5}
    at |= {matrix[i, 0]: PLACES[matrix.name][i] for matrix in (x_a, x_b) for i in range(3)}
    at |= {R_a[i, j]: PLACES["R_a"][i][j] for i in range(3) for j in range(3)}
    assert value == pytest.approx(float(expression.subs(at)), rel=1e-14)


def test_decimals_of_sympy_keep_the_digits_of_a_double_and_its_powers_may_be_decimals():
    """SymPy prints 15 digits of a decimal; a double has 17."""
    x, y = sympy.Symbol("x_b[0]", real=True), sympy.Symbol("x_b[1]", real=True)
    for number in (0.1, 1 / 3, 0.1 + 0.2, 123456789.123456789, -2 / 3, 1.2345678901234567e-300):
        text = Potential(name="p", child="b", expression=number * x + y**2.0 + sympy.sqrt(y)).expression
        assert evaluate(parse(text, placements=True), {"x_b": (1.0, 0.0, 0.0)}) == number, text
    assert parse("k**0.5", K) == parse("k**(1/2)", K) == parse("k**0.500000000000000", K)
    assert parse("k**2.0", K) == parse("k**2", K) and parse("k**-1.5", K) == parse("k**(-3/2)", K)


SIGNALS = [
    "3", "t", "2*pi*t", "sin(3*t)*exp(-t/2)", "(1 + t)**3/(2 - t)", "sqrt(1 + t**2)", "atan2(sin(t), cos(t))",
    "log(1 + t) - -t", "t**-2", "t**0",
    "sqrt(4)*t", "atan2(1, 2) + t", "atan2(3*t, 2 + t)", "2**3*t", "exp(1) - cos(2) + log(3)",
]  # fmt: skip


@pytest.mark.parametrize("text", SIGNALS)
def test_rates_of_signals_are_exact_derivatives(text):
    """Dual numbers against SymPy's derivative, to round-off."""
    t = sympy.Symbol("t")
    expected = sympy.sympify(text, locals={"t": t})
    value, rate = value_and_rate(signal_tree(text), 0.7)
    assert value == pytest.approx(float(expected.subs(t, 0.7)), rel=1e-14)
    assert rate == pytest.approx(float(sympy.diff(expected, t).subs(t, 0.7)), rel=1e-13, abs=1e-14)
    assert evaluate(signal_tree(text), {"t": 0.7}) == value


@pytest.mark.parametrize("text", ["1/t", "log(t)", "sqrt(t - 1)", "exp(1000 + t)", "t**-1", "sqrt(t)"])
def test_a_signal_without_a_value_is_an_error_that_names_the_time(text):
    with pytest.raises(MechanismError, match="no value at t = 0.0"):
        value_and_rate(signal_tree(text), 0.0)


def test_powers_at_zero():
    assert value_and_rate(signal_tree("t**0"), 0.0) == (1.0, 0.0)
    assert value_and_rate(signal_tree("t**1"), 0.0) == (0.0, 1.0)
    assert value_and_rate(signal_tree("t**2"), 0.0) == (0.0, 0.0)
