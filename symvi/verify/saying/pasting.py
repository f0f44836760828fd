"""A point as lines of code: arrays for NumPy, a dictionary for SymPy's subs, definitions for C, every number exact."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from symvi.verify.asking.points import Point
from symvi.verify.asking.variables import Variable
from symvi.verify.errors import VerificationError
from symvi.verify.judging.problem import Problem

WRITTEN = ("Python", "SymPy", "C")  # by users


def pasted(problem: Problem, point: Point) -> str:
    """Statements, one after the other, in the language of the claim, or of the function if nobody wrote the claim."""
    origins = [function.origin for function in (problem.claimed, problem.function) if function.origin in WRITTEN]
    variables = problem.question.variables
    if origins[:1] == ["SymPy"] and (known := _symbols(problem)):
        symbols = {symbol: point[name][k] for symbol, (name, k) in known.items() if name in point}
        at = f"at = {{{', '.join(f'{_key(problem, symbol)}: {_rational(x)}' for symbol, x in symbols.items())}}}"
        others = _others(problem, known)
        rest = [_numpy(name, variables[name], values) for name, values in point.items() if name in others]
        return "; ".join([at, *rest])
    written = _c if origins[:1] == ["C"] else _numpy
    return " ".join(f"{written(name, variables[name], values)};" for name, values in point.items()).removesuffix(";")


def _symbols(problem: Problem) -> dict[str, tuple[str, int]]:
    """The symbols of the expressions: each which entry of which variable."""
    from symvi.verify.reading.sympy_source import symbol_places

    names = [name for f in (problem.function, problem.claimed) if f.tree is not None for name in f.tree.names()]
    try:
        return symbol_places(list(dict.fromkeys(names)), problem.question.variables)
    except VerificationError:  # x1 and x2 of the function, x0 of the claim
        return {}


def _others(problem: Problem, known: Mapping[str, tuple[str, int]]) -> set[str]:
    """The variables without a symbol, and those that code takes whole of which some numbers have none."""
    entries = set(known.values())
    code = {name for f in (problem.function, problem.claimed) if f.tree is None for name in f.arguments}
    found = set()
    for name, variable in problem.question.variables.items():
        with_symbols = sum((name, k) in entries for k in range(variable.size))
        if with_symbols == 0 or (name in code and with_symbols < variable.size):
            found.add(name)
    return found


def _key(problem: Problem, name: str) -> str:
    """A symbol as the user's own code most likely names it; one that has no Python name as what makes it."""
    trees = [f.tree for f in (problem.function, problem.claimed) if f.tree is not None]
    return next(tree.made_by(name) for tree in trees if name in tree.names())


def _python_name(name: str) -> str:
    """A name that Python takes: lambda_ for lambda, theta for \\theta."""
    bare = re.sub(r"\W", "", name)
    bare = bare if bare.isidentifier() else f"_{bare}"
    return f"{bare}_" if keyword.iskeyword(bare) else bare


def _rational(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"Rational({value.numerator}, {value.denominator})"


def _numpy(name: str, variable: Variable, values: list[Fraction]) -> str:
    found = _nested(values, variable.shape, _float, "[]")
    return f"{_python_name(name)} = " + (f"np.array({found})" if variable.shape else found)


def _c(name: str, variable: Variable, values: list[Fraction]) -> str:
    sizes = "".join(f"[{size}]" for size in variable.shape)
    return f"double {name}{sizes} = {_nested(values, variable.shape, _double, '{}')}"


def _float(value: Fraction) -> str:
    """No whole numbers: arrays of those would cut off what is written into them."""
    return f"{value}." if value.denominator == 1 else str(value)


def _double(value: Fraction) -> str:
    """Points in both numbers: whole ones that are too large for their type have another value in C."""
    return f"{value}." if value.denominator == 1 else f"{value.numerator}./{value.denominator}."


def _nested(values: list, shape: tuple[int, ...], number: Callable[[Fraction], str], brackets: str) -> str:
    if not shape:
        return number(values[0])
    size = len(values) // shape[0]
    rows = [_nested(values[k * size : (k + 1) * size], shape[1:], number, brackets) for k in range(shape[0])]
    return f"{brackets[0]}{', '.join(rows)}{brackets[1]}"
