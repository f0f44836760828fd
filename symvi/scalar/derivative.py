"""Derivatives of a graph of scalars by its structure: a tangent beside every value that moves with the inputs.

d(a b) = b da + a db, d(a/b) = (da - (a/b) db)/b, d sqrt(a) = da/(2 sqrt(a)), and so on: one rule an operation, applied
to the very graph that is printed. What does not move has no tangent, and costs nothing. The branch that an angle is
told on is fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from symvi.scalar.expression import Graph, Scalar
from symvi.scalar.operations import EXTREMES

LEAST = Fraction(1, 10**30)  # of a root that is divided by: where nothing moves below it, its slope is 0 and not 0/0


class Tangents:
    """Values and tangents in a graph of their own.

    source: the graph that is differentiated. symbol: makes the symbol of an input's key. moving: the tangent of an
    input by its key, None where it has none.
    """

    def __init__(
        self, source: Graph, graph: Graph, symbol: Callable[[int], Scalar], moving: Callable[[int], Scalar | None]
    ):
        self.source, self.graph, self.symbol, self.moving = source, graph, symbol, moving
        self._values: dict[int, Scalar] = {}
        self._tangents: dict[int, Scalar | None] = {}

    def value(self, index: int) -> Scalar:
        """The value of a node of the source."""
        for i in self._below(index, self._values):
            self._values[i] = self._copied(i)
        return self._values[index]

    def tangent(self, index: int) -> Scalar | None:
        """The tangent of a node of the source; None where it does not move."""
        for i in self._below(index, self._tangents):
            self.graph.origin = self.source.origins.get(i)
            found = self._derived(i)
            self._tangents[i] = None if found is None or found.is_zero else found
        return self._tangents[index]

    def _below(self, index: int, known: Mapping[int, object]) -> list[int]:
        """Nodes that a node is computed from and that are not known yet, operands first."""
        order, seen, stack = [], set(), [(index, False)]
        while stack:
            i, ready = stack.pop()
            if ready:
                order.append(i)
            elif i not in seen and i not in known:
                seen.add(i)
                stack.append((i, True))
                stack.extend((j, False) for j in reversed(self.source.operands(i)))
        return order

    def _copied(self, index: int) -> Scalar:
        operation = self.source.operation(index)
        if operation == "const":
            return self.graph.constant(self.source.arguments(index)[0])
        if operation == "symbol":
            return self.symbol(index)
        self.graph.origin = self.source.origins.get(index)
        copy = self.graph.apply(operation, [self._values[i] for i in self.source.operands(index)])
        if index in self.source.names:
            self.graph.name(copy, self.source.names[index])
        if index in self.source.hints:
            self.graph.hint(copy, self.source.hints[index])
        return copy

    def _derived(self, index: int) -> Scalar | None:
        operation = self.source.operation(index)
        if operation == "const":
            return None
        if operation == "symbol":
            return self.moving(index)
        operands = self.source.operands(index)
        given = [self._tangents[i] for i in operands]
        if all(each is None for each in given):
            return None
        if operation in EXTREMES:
            raise ValueError(f"no slope of '{operation}': residuals have none")
        if operation in LINEAR:
            return LINEAR[operation](self.graph, given)
        total = None
        for i, each in enumerate(given):
            slope = None if each is None else SLOPES[operation](self, index, operands, i)
            if each is not None and slope is not None:
                total = slope * each if total is None else total + slope * each
        return total


def _sum(graph: Graph, given: list[Scalar | None]) -> Scalar | None:
    a, b = given
    return a if b is None else b if a is None else a + b


def _difference(graph: Graph, given: list[Scalar | None]) -> Scalar | None:
    a, b = given
    return a if b is None else -b if a is None else a - b


def _opposite(graph: Graph, given: list[Scalar | None]) -> Scalar | None:
    return None if given[0] is None else -given[0]


LINEAR: Mapping[str, Callable] = {"add": _sum, "sub": _difference, "neg": _opposite}


# --- the slope of a node by its i-th operand -------------------------------------------------------------------------
def _of_product(own: Tangents, index: int, operands: tuple[int, ...], i: int) -> Scalar:
    return own.value(operands[1 - i])


def _of_quotient(own: Tangents, index: int, operands: tuple[int, ...], i: int) -> Scalar:
    inverse = 1 / own.value(operands[1])
    return inverse if i == 0 else -(own.value(index) * inverse)


def _of_root(own: Tangents, index: int, operands: tuple[int, ...], i: int) -> Scalar:
    return Fraction(1, 2) / own.graph.max(own.value(index), own.graph.constant(LEAST))


def _of_angle(own: Tangents, index: int, operands: tuple[int, ...], i: int) -> Scalar | None:
    if i == 2:
        return None
    return 2 * _of_turn(own, index, operands, i)


def _of_turn(own: Tangents, index: int, operands: tuple[int, ...], i: int) -> Scalar:
    y, x = own.value(operands[0]), own.value(operands[1])
    square = x * x + y * y
    return x / square if i == 0 else -(y / square)


def _of_one(function: Callable[[Graph, Scalar, Scalar], Scalar]) -> Callable:
    """The slope of a function of one number, from that number and its value."""

    def slope(own: Tangents, index: int, operands: tuple[int, ...], i: int) -> Scalar:
        return function(own.graph, own.value(operands[0]), own.value(index))

    return slope


SLOPES: Mapping[str, Callable] = {
    "mul": _of_product,
    "div": _of_quotient,
    "sqrt": _of_root,
    "angle": _of_angle,
    "atan2": _of_turn,
    "sin": _of_one(lambda graph, x, y: graph.function("cos", x)),
    "cos": _of_one(lambda graph, x, y: -graph.function("sin", x)),
    "exp": _of_one(lambda graph, x, y: y),
    "log": _of_one(lambda graph, x, y: 1 / x),
    "expm1": _of_one(lambda graph, x, y: y + 1),
    "log1p": _of_one(lambda graph, x, y: 1 / (1 + x)),
}
