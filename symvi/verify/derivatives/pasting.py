"""A point as lines of code: arrays for NumPy, a dictionary for SymPy's subs, definitions for C, every number exact."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symvi.verify.derivatives.errors import VerificationError
from symvi.verify.derivatives.points import Point
from symvi.verify.derivatives.problem import Problem
from symvi.verify.derivatives.variables import Variable

WRITTEN = ("Python", "SymPy", "C")  # by users


def pasted(problem: Problem, point: Point) -> str:
    """Statements, one after the other, in the language of the claim, or of the function if nobody wrote the claim."""
    origins = [function.origin for function in (problem.claimed, problem.function) if function.origin in WRITTEN]
    variables = problem.question.variables
    if origins[:1] == ["SymPy"] and (known := _symbols(problem, point)):
        return f"at = {{{', '.join(f'{symbol}: {_rational(value)}' for symbol, value in known.items())}}}"
    written = _c if origins[:1] == ["C"] else _numpy
    return " ".join(f"{written(name, variables[name], values)};" for name, values in point.items()).removesuffix(";")


def _symbols(problem: Problem, point: Point) -> dict[str, Fraction]:
    """The symbols of the expressions with their numbers."""
    from symvi.verify.derivatives.sympy_source import symbol_places

    names = [name for f in (problem.function, problem.claimed) if f.tree is not None for name in f.tree.names()]
    try:
        places = symbol_places(list(dict.fromkeys(names)), problem.question.variables)
    except VerificationError:  # x1 and x2 of the function, x0 of the claim
        return {}
    return {symbol: point[name][k] for symbol, (name, k) in places.items() if name in point}


def _rational(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"Rational({value.numerator}, {value.denominator})"


def _numpy(name: str, variable: Variable, values: list[Fraction]) -> str:
    found = _nested(values, variable.shape, _float, "[]")
    return f"{name} = np.array({found})" if variable.shape else f"{name} = {found}"


def _c(name: str, variable: Variable, values: list[Fraction]) -> str:
    sizes = "".join(f"[{size}]" for size in variable.shape)
    return f"double {name}{sizes} = {_nested(values, variable.shape, _double, '{}')}"


def _float(value: Fraction) -> str:
    """No whole numbers: arrays of those would cut off what is written into them."""
    return f"{value}." if value.denominator == 1 else str(value)


def _double(value: Fraction) -> str:
    return f"{value}." if value.denominator == 1 else f"{value.numerator}./{value.denominator}"


def _nested(values: list, shape: tuple[int, ...], number: Callable[[Fraction], str], brackets: str) -> str:
    if not shape:
        return number(values[0])
    size = len(values) // shape[0]
    rows = [_nested(values[k * size : (k + 1) * size], shape[1:], number, brackets) for k in range(shape[0])]
    return f"{brackets[0]}{', '.join(rows)}{brackets[1]}"
