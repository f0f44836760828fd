"""A user's own expressions, evaluated as they are written, on placements of any numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from symvi.exact.dual import Functions, reciprocal
from symvi.mechanism.grammar import parse
from symvi.naive.quaternion import add, columns, rotate


def rows_of_expressions(texts: Sequence[str], user: Mapping, origins: Mapping, a, b, functions: Functions) -> list:
    """The values of expressions in x_a, R_a, q_a, x_b, R_b, q_b (body frames) and the user's numbers.

    origins: "a", "b" -> the body frame's origin from the centre of mass, body axes.
    """
    names = dict(user)
    for side, (x, q) in (("a", a), ("b", b)):
        names[f"x_{side}"] = add(x, rotate(q, origins[side]))
        names[f"R_{side}"], names[f"q_{side}"] = columns(q), q
    return [value(parse(text, frozenset(user), placements=True), names, functions) for text in texts]


def value(tree, names: Mapping, functions: Functions):
    """A tree of the grammar in mechanism/grammar.py."""
    kind, *rest = tree
    if kind == "number":
        return functions.base["number"](Fraction(rest[0]))
    if kind == "name":
        return names[rest[0]]
    if kind == "item":
        index = rest[1]
        return names[rest[0]][index[0]] if len(index) == 1 else names[rest[0]][index[1]][index[0]]
    if kind == "pow":
        return _power(value(rest[0], names, functions), rest[1])
    arguments = [value(argument, names, functions) for argument in (rest[1:] if kind == "call" else rest)]
    if kind == "call":
        return getattr(functions, rest[0])(*arguments)
    if kind == "neg":
        return -arguments[0]
    x, y = arguments
    return {"add": lambda: x + y, "sub": lambda: x - y, "mul": lambda: x * y, "div": lambda: x * reciprocal(y)}[kind]()


def _power(base, exponent: int):
    result = base * 0 + 1
    for _ in range(abs(exponent)):
        result = result * base
    return reciprocal(result) if exponent < 0 else result
