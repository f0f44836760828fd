"""Declaring a constraint, a joint coordinate or a potential: give the function, its gradients are derived.

The decorated function takes what bodies a and b carry (positions x, body-fixed vectors and quaternions, all in world
axes) and data, and returns rows. The formula's outputs are those rows and their 6-column derivatives by each body's
position and by a rotation vector in world axes, chained through the carried quantities. A function
with an argument `let` names its own intermediate vectors by it, and is differentiated through them as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

from symvi.physics.formula import DEFINITION, INTERMEDIATES, Argument, Formula
from symvi.physics.straight_line import Symbolic


def position(side: str) -> Argument:
    return Argument(f"x_{side}", (3,), f"position of body {side}", "m", kind="position", side=side)


def carried(name: str, meaning: str, side: str, unit: str = "m") -> Argument:
    """A vector fixed to a body, in world axes."""
    return Argument(name, (3,), meaning, unit, kind="vector", side=side)


def attitude(name: str, meaning: str, side: str) -> Argument:
    """A quaternion fixed to a body: its orientation times a constant offset."""
    return Argument(name, (4,), meaning, kind="quaternion", side=side)


def data(name: str, meaning: str, unit: str = "1", shape: tuple[int, ...] = ()) -> Argument:
    """A number that does not move with a body."""
    return Argument(name, shape, meaning, unit)


def function_of_bodies(
    equation: str,
    source: str,
    inputs: Sequence[Argument],
    rows: int,
    unit: str = "m",
    follows: Callable | str = DEFINITION,
) -> Callable[[Callable[..., Any]], Formula]:
    """Declare `rows` functions g of what two bodies carry; outputs g (rows), G_a (rows x 6), G_b (rows x 6).

    follows: what g must agree with, see Formula; its gradients are derived in any case.
    """
    inputs = tuple(inputs)
    outputs = (
        Argument("g", (rows,), "value", unit),
        Argument(
            "G_a",
            (rows, 6),
            "derivative by body a: position, then rotation vector in world axes",
            f"{unit}/m, {unit}/rad",
        ),
        Argument(
            "G_b",
            (rows, 6),
            "derivative by body b: position, then rotation vector in world axes",
            f"{unit}/m, {unit}/rad",
        ),
    )

    def declare(builder: Callable[..., Any]) -> Formula:
        def derive(**values):
            steps = Steps()
            rows = builder(let=steps, **values) if "let" in signature(builder).parameters else builder(**values)
            return with_gradients(rows, inputs, values, steps)

        module = builder.__module__
        return Formula(builder.__name__, equation, source, inputs, outputs, derive, follows, module=module)

    return declare


def with_gradients(rows, inputs: Sequence[Argument], values: dict, steps: Steps) -> dict:
    """The rows with their gradients by both bodies, as SymPy matrices."""
    import sympy as sp

    rows = sp.Matrix(rows) if isinstance(rows, (list, tuple, sp.MatrixBase)) else sp.Matrix([rows])
    result = {"g": rows, INTERMEDIATES: steps.pairs()}
    for side in ("a", "b"):
        moving = [(argument.kind, values[argument.name]) for argument in inputs if argument.side == side]
        result[f"G_{side}"] = steps.gradient(rows, moving)
    return result


class Steps:
    """Named intermediate results of a function: it is differentiated through them, and they are computed once."""

    def __init__(self) -> None:
        self._steps: list[tuple] = []

    def __call__(self, name: str, value) -> Symbolic:
        """Name a vector: returns symbols that stand for it."""
        import sympy as sp

        value = sp.Matrix(value)
        symbols = sp.Matrix(value.rows, 1, lambda i, j: sp.Symbol(f"{name}_{i}", real=True))
        self._steps.append((symbols, value))
        return symbols

    def pairs(self) -> list[tuple]:
        return [pair for symbols, value in self._steps for pair in zip(symbols, value, strict=True)]

    def gradient(self, rows, moving):
        """The derivative of `rows`, by the chain rule through every step."""
        from symvi.physics import algebra

        result = algebra.gradient(rows, moving)
        known = []
        for symbols, value in self._steps:
            through = algebra.gradient(value, moving)
            for earlier, derivative in known:
                through += value.jacobian(earlier) * derivative
            known.append((symbols, through))
            result += rows.jacobian(symbols) * through
        return result
