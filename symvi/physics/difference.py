"""The difference form of a formula: (f(2) - f(1))/h without subtracting nearby numbers.

The discrete chain rule, register by register along a formula's code:
    D(f + g) = Df + Dg        D(f g) = Df g2 + f1 Dg        D(1/f) = -Df/(f1 f2)        D sqrt f = Df/(sqrt f1 + sqrt
    f2)
and, for functions that add angles, the sum formulas. Every D is divided by h, so velocities enter where the inputs
move. An angle that a formula takes near a fixed number jumps where it leaves that branch, and so does its difference;
one that is taken near its last value does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from symvi.physics.formula import Formula
from symvi.scalar import Graph, Scalar


def difference(
    formula: Formula,
    graph: Graph,
    output: str,
    first: Mapping[str, Sequence],
    second: Mapping[str, Sequence],
    rates: Mapping[str, Sequence],
    h: Scalar,
) -> list[Scalar]:
    """(output(2) - output(1))/h of `formula`.

    `first`, `second`: the inputs at both knots; `rates`: their differences divided by h (missing inputs do not move).
    """
    code = formula.code
    zero = graph.constant(0)
    at1, at2, rate = [], [], []
    inputs = sum(argument.size for argument in formula.inputs)
    for argument in formula.inputs:
        at1.extend(graph.wrap(v) for v in first[argument.name])
        at2.extend(graph.wrap(v) for v in second[argument.name])
        rate.extend(graph.wrap(v) for v in rates.get(argument.name, [zero] * argument.size))
    for value in code.constants:
        constant = graph.constant(value)
        at1.append(constant)
        at2.append(constant)
        rate.append(zero)
    needed = _needed(code, code.results[output], len(at1))
    offset = len(at1)
    for k, (operation, arguments) in enumerate(code.operations):
        if k + offset not in needed:
            at1.append(zero), at2.append(zero), rate.append(zero)
            continue
        value1 = graph.apply(operation, [at1[i] for i in arguments])
        value2 = graph.apply(operation, [at2[i] for i in arguments])
        fixed = operation == "angle" and inputs <= arguments[2] < offset
        rule = _rule(operation, fixed)
        moved = rule(graph, h, *((at1[i], at2[i], rate[i]) for i in arguments), (value1, value2))
        at1.append(value1), at2.append(value2), rate.append(moved)
    return [rate[i] for i in code.results[output]]


def _needed(code, results: Sequence[int], offset: int) -> set[int]:
    needed = set(results)
    for k in range(len(code.operations) - 1, -1, -1):
        if k + offset in needed:
            needed.update(code.operations[k][1])
    return needed


def _quotient(graph, h, f, g, value):
    """D(f/g) = (Df - (f1/g1) Dg)/g2."""
    return (f[2] - value[0] * g[2]) / g[1]


def _two_angle(graph, h, y, x, value, half, near=0):
    """The angle between (x1, y1) and (x2, y2), from its sine and cosine; the sine is itself a difference."""
    sine = h * (x[0] * y[2] - y[0] * x[2])
    cosine = x[0] * x[1] + y[0] * y[1]
    turned = graph.function("atan2", sine, cosine) if half else graph.angle(sine, cosine, near)
    return turned / h


def _jumping_angle(graph, h, y, x, near, value):
    """Of an angle on a fixed branch: with the whole turn by which it jumps where it leaves that."""
    return _two_angle(graph, h, y, x, value, half=False, near=value[1] - value[0])


def _chord(graph, h, f, value, outer, sign):
    """D sin f = 2 cos((f1 + f2)/2) sin(h Df/2)/h, and likewise for cos."""
    middle = graph.function(outer, (f[0] + f[1]) / 2)
    return sign * 2 * middle * graph.function("sin", h * f[2] / 2) / h


# of an operation: (graph, h, (value 1, value 2, D) of every argument, both values of its result) -> its D
Rule = Callable[..., Scalar]
RULES: dict[str, Rule] = {
    "add": lambda graph, h, f, g, value: f[2] + g[2],
    "sub": lambda graph, h, f, g, value: f[2] - g[2],
    "neg": lambda graph, h, f, value: -f[2],
    "mul": lambda graph, h, f, g, value: f[2] * g[1] + f[0] * g[2],
    "div": _quotient,
    "sqrt": lambda graph, h, f, value: f[2] / (value[0] + value[1]),
    "angle": lambda graph, h, y, x, near, value: _two_angle(graph, h, y, x, value, half=False),
    "atan2": lambda graph, h, y, x, value: _two_angle(graph, h, y, x, value, half=True),
    "sin": lambda graph, h, f, value: _chord(graph, h, f, value, "cos", 1),
    "cos": lambda graph, h, f, value: _chord(graph, h, f, value, "sin", -1),
    "exp": lambda graph, h, f, value: value[0] * graph.function("expm1", h * f[2]) / h,
    "log": lambda graph, h, f, value: graph.function("log1p", h * f[2] / f[0]) / h,
}


def _rule(operation: str, fixed: bool) -> Rule:
    """The rule of an operation. fixed: of an angle on a fixed branch."""
    return _jumping_angle if fixed else RULES[operation]
