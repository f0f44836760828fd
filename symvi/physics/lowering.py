"""From SymPy to scalar code: a formula's outputs as straight-line arithmetic of scalar/operations.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product, repeat
from typing import TYPE_CHECKING

import sympy as sp

from symvi.errors import ArgumentError
from symvi.physics.algebra import angle
from symvi.physics.stated import ensure_founded
from symvi.physics.straight_line import INTERMEDIATES, PARTS, Argument, Code, Symbolic, UnderivableError
from symvi.scalar import Graph, Scalar

if TYPE_CHECKING:
    from symvi.physics.formula import Formula

FUNCTIONS = {sp.sin: "sin", sp.cos: "cos", sp.exp: "exp", sp.log: "log", sp.atan2: "atan2", angle: "angle"}


def lower(formula: Formula) -> Code:
    """Derive `formula` with SymPy and lower its outputs to straight-line code, shared and folded.

    Raises UnfoundedError where a form that it states is not what it follows from.
    """
    symbols = {argument.name: symbols_of(argument) for argument in formula.inputs}
    results = formula.builder(**symbols)
    if callable(formula.follows):
        ensure_founded(formula, symbols, results)
    graph = Graph()
    inputs = [graph.symbol(str(s)) for argument in formula.inputs for s in symbols[argument.name]]
    known = {
        symbol: scalar
        for argument in formula.inputs
        for symbol, scalar in zip(symbols[argument.name], inputs[_offset(formula, argument) :], strict=False)
    }
    named: list[tuple[Scalar, str, str]] = []
    intermediates = results.get(INTERMEDIATES, ())
    symbols_by_stem = Counter(_stem(symbol)[0] for symbol, _ in intermediates)
    for symbol, expression in intermediates:
        known[symbol] = scalar_of(graph, sp.sympify(expression), known)
        stem, index = _stem(symbol)
        named.append((known[symbol], stem, index if symbols_by_stem[stem] > 1 else ""))
    lowered = {}
    for output in formula.outputs:
        entries = sp.Matrix(results[output.name]).flat() if output.shape else [sp.sympify(results[output.name])]
        if len(entries) != output.size:
            raise ArgumentError(
                f"formula {formula.name}: output {output.name} has {len(entries)} entries, expected {output.size}"
            )
        lowered[output.name] = [scalar_of(graph, sp.sympify(entry), known) for entry in entries]
        named += zip(lowered[output.name], repeat(output.name), indices(output.shape), strict=False)
    for name, expressions in results.get(PARTS, {}).items():  # of the outputs: they only have names
        parts = [scalar_of(graph, sp.sympify(expression), known) for expression in expressions]
        named += [(part, name, index) for part, index in zip(parts, indices((len(parts),)), strict=True)]
    return _code(graph, inputs, lowered, named)


def indices(shape: Sequence[int]) -> list[str]:
    """The indices of the entries of an array, row-major, as names of variables have them."""
    between = "_" if any(extent > 10 for extent in shape) else ""
    return [between.join(map(str, place)) for place in product(*map(range, shape))]


def _stem(symbol: sp.Symbol) -> tuple[str, str]:
    """A symbol's name without its index, and that."""
    stem, _, index = str(symbol).rpartition("_")
    return (stem, index) if stem and index.isdecimal() else (str(symbol), "")


def symbols_of(argument: Argument) -> Symbolic:
    """Real symbols for an argument: a column vector, or a matrix for two extents, a 1x1 column for a scalar."""
    rows, columns = (*argument.shape, 1, 1)[:2] if argument.shape else (1, 1)
    if not argument.shape:
        return sp.Matrix([sp.Symbol(argument.name, real=True)])
    return sp.Matrix(rows, columns, lambda i, j: sp.Symbol(f"{argument.name}_{i * columns + j}", real=True))


def scalar_of(graph: Graph, expression: sp.Basic, known: dict) -> Scalar:
    """Lower one SymPy expression; `known` maps every symbol, and every expression already lowered, to its scalar."""
    if expression in known:
        return known[expression]
    if isinstance(expression, sp.Rational):
        return graph.constant(Fraction(int(expression.p), int(expression.q)))
    if isinstance(expression, sp.Add):
        result = _sum(graph, expression, known)
    elif isinstance(expression, sp.Mul):
        result = _product(graph, expression, known)
    elif isinstance(expression, sp.Pow):
        result = _power(graph, expression, known)
    elif isinstance(expression, (sp.Abs, sp.sign)):  # what SymPy makes of the root of a square, and of its derivative
        value = scalar_of(graph, expression.args[0], known)
        size = graph.sqrt(value * value)
        result = size if isinstance(expression, sp.Abs) else value / size
    elif isinstance(expression, sp.atan):  # what SymPy makes of atan2 where the second argument is positive
        result = graph.function("atan2", scalar_of(graph, expression.args[0], known), graph.constant(1))
    elif expression.func in FUNCTIONS:
        arguments = [scalar_of(graph, a, known) for a in expression.args]
        result = graph.function(FUNCTIONS[expression.func], *arguments)
    else:
        exactly = "; write it exactly, as sympy.Rational" if expression.is_Float else ""
        raise UnderivableError(f"{expression} is outside the closed set of operations{exactly}")
    known[expression] = result
    return result


def _sum(graph: Graph, expression: sp.Add, known: dict) -> Scalar:
    content, terms = expression.primitive()
    if (
        isinstance(content, sp.Rational) and content != 1
    ):  # SymPy spreads a common factor over every term; gather it again
        return graph.constant(Fraction(int(content.p), int(content.q))) * scalar_of(graph, terms, known)
    total = graph.constant(0)
    for term in sorted(
        expression.args, key=lambda t: sp.default_sort_key(t.as_coeff_Mul()[1])
    ):  # so that s and -s share
        total = total + scalar_of(graph, term, known)
    return total


def _product(graph: Graph, expression: sp.Mul, known: dict) -> Scalar:
    coefficient, rest = expression.as_coeff_Mul(rational=True)
    if not isinstance(coefficient, sp.Rational):
        raise UnderivableError(f"the factor {coefficient} of {expression} is no ratio of whole numbers")
    top, bottom = graph.constant(1), graph.constant(1)
    for factor in sp.Mul.make_args(rest):
        if isinstance(factor, sp.Pow) and isinstance(factor.exp, sp.Rational) and factor.exp < 0:
            bottom = bottom * scalar_of(graph, 1 / factor, known)
        else:
            top = top * scalar_of(graph, factor, known)
    numerator, denominator = graph.constant(Fraction(int(coefficient.p))), graph.constant(Fraction(int(coefficient.q)))
    return numerator * top / denominator / bottom


def _power(graph: Graph, expression: sp.Pow, known: dict) -> Scalar:
    base, exponent = expression.as_base_exp()
    if base is sp.E:
        return graph.function("exp", scalar_of(graph, expression.exp, known))
    if not isinstance(exponent, sp.Rational) or exponent.q not in (1, 2):
        raise UnderivableError(f"the power {expression} is neither whole nor half of a whole number")
    value = scalar_of(graph, base, known)
    if exponent.q == 2:
        value = graph.sqrt(value)
    result = _integer_power(graph, value, abs(int(exponent.p)))
    return 1 / result if exponent < 0 else result


def _integer_power(graph: Graph, base: Scalar, exponent: int) -> Scalar:
    result = graph.constant(1)
    while exponent:
        if exponent & 1:
            result = result * base
        exponent >>= 1
        if exponent:
            base = base * base
    return result


def _offset(formula: Formula, argument: Argument) -> int:
    return sum(a.size for a in formula.inputs[: formula.inputs.index(argument)])


def _code(
    graph: Graph, inputs: list[Scalar], lowered: dict[str, list[Scalar]], named: Sequence[tuple[Scalar, str, str]]
) -> Code:
    sequence = graph.sequence([scalar for entries in lowered.values() for scalar in entries])
    constants = [i for i in sequence if graph.operation(i) == "const"]
    operations = [i for i in sequence if graph.operation(i) not in ("const", "symbol")]
    register = {scalar.index: k for k, scalar in enumerate(inputs)}
    for index in constants + operations:
        register[index] = len(register)
    plain = [_without_sign(graph, *entry) for entry in named]
    return Code(
        tuple(graph.arguments(i)[0] for i in constants),
        tuple((graph.operation(i), tuple(register[k] for k in graph.operands(i))) for i in operations),
        {name: tuple(register[s.index] for s in entries) for name, entries in lowered.items()},
        {register[s.index]: (name, index) for s, name, index in reversed(plain) if s.index in register},
    )


def _without_sign(graph: Graph, scalar: Scalar, name: str, index: str) -> tuple[Scalar, str, str]:
    """What a named value is but for its sign, which is part of the name then."""
    if graph.operation(scalar.index) != "neg":
        return scalar, name, index
    return graph.scalar(graph.operands(scalar.index)[0]), f"minus_{name}", index
