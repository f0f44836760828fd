"""Values of expressions in plain floats: an input as a function of time, and its rate.

The rate comes from dual numbers, pairs (value, derivative), carried through the tree; there is no difference quotient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symvi.errors import MechanismError
from symvi.mechanism.grammar import Tree, parse

__all__ = ["SIGNAL_NAMES", "evaluate", "signal", "signal_tree", "value_and_rate"]

SIGNAL_NAMES = frozenset({"t"})
Dual = tuple[float, float]
Computed = Callable[[float], Dual]


def signal_tree(text: str) -> Tree:
    """The tree of a signal, a text in t. Raises GrammarError."""
    return parse(text, SIGNAL_NAMES)


def evaluate(tree: Tree, values: Mapping[str, Any]) -> float:
    """The value of a tree; values holds a float per name, and nested sequences for x_a, R_a, q_a, x_b, R_b, q_b.

    Raises MechanismError where there is no finite value (a division by zero, the root of a negative number).
    """
    return _finite(_compiled(tree, lambda name, index: lambda _: (_look_up(values, name, index), 0.0)), 0.0, values)[0]


def value_and_rate(tree: Tree, time: float) -> Dual:
    """The value of a signal at a time [s] and its derivative with respect to time.

    Raises MechanismError where one of them does not exist.
    """
    return signal(tree)(time)


def signal(tree: Tree) -> Callable[[float], Dual]:
    """`value_and_rate` at many times: the tree is read once."""
    compiled = _compiled(tree, lambda name, index: lambda time: (time, 1.0))
    return lambda time: _finite(compiled, time, {"t": time})


def _finite(compiled: Computed, time: float, values: Mapping[str, Any]) -> Dual:
    try:
        value, rate = compiled(time)
    except (ArithmeticError, ValueError) as error:
        value, rate, reason = math.nan, 0.0, str(error)
    else:
        reason = "it is not finite"
    if not (math.isfinite(value) and math.isfinite(rate)):
        scalars = ", ".join(f"{name} = {value!r}" for name, value in values.items() if isinstance(value, float))
        raise MechanismError(f"an expression has no value at {scalars or 'this point'}: {reason}")
    return value, rate


def _look_up(values: Mapping[str, Any], name: str, index: Sequence[int]) -> float:
    value = values[name]
    for i in index:
        value = value[i]
    return float(value)


def _compiled(tree: Tree, leaf: Callable[[str, Sequence[int]], Computed]) -> Computed:
    """The tree as functions of the time that call each other. leaf: of a name, and an index into it."""
    kind = tree[0]
    if kind == "number":
        constant = float(tree[1]), 0.0
        return lambda time: constant
    if kind in ("name", "item"):
        return leaf(tree[1], tree[2] if kind == "item" else ())
    if kind == "pow":
        base, exponent = _compiled(tree[1], leaf), tree[2]
        return lambda time: _power(base(time), exponent)
    operation, arguments = (_CALLS[tree[1]], tree[2:]) if kind == "call" else (_OPERATIONS[kind], tree[1:])
    first, *others = (_compiled(argument, leaf) for argument in arguments)
    if not others:
        return lambda time: operation(first(time))
    (second,) = others
    return lambda time: operation(first(time), second(time))


def _divide(a: Dual, b: Dual) -> Dual:
    quotient = a[0] / b[0]
    return quotient, (a[1] - quotient * b[1]) / b[0]


def _power(a: Dual, n: int) -> Dual:
    return a[0] ** n, (n * a[0] ** (n - 1) * a[1] if n and a[1] else 0.0)


def _root(a: Dual) -> Dual:
    root = math.sqrt(a[0])
    return root, (0.5 * a[1] / root if a[1] else 0.0)


def _angle(y: Dual, x: Dual) -> Dual:
    rate = (x[0] * y[1] - y[0] * x[1]) / (x[0] ** 2 + y[0] ** 2) if y[1] or x[1] else 0.0
    return math.atan2(y[0], x[0]), rate


_OPERATIONS: dict[str, Callable[..., Dual]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[0], a[1] - b[1]),
    "mul": lambda a, b: (a[0] * b[0], a[1] * b[0] + a[0] * b[1]),
    "div": _divide,
    "neg": lambda a: (-a[0], -a[1]),
}
_CALLS: dict[str, Callable[..., Dual]] = {
    "sqrt": _root,
    "sin": lambda a: (math.sin(a[0]), math.cos(a[0]) * a[1]),
    "cos": lambda a: (math.cos(a[0]), -math.sin(a[0]) * a[1]),
    "atan2": _angle,
    "exp": lambda a: (math.exp(a[0]), math.exp(a[0]) * a[1]),
    "log": lambda a: (math.log(a[0]), a[1] / a[0]),
}
