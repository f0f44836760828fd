"""A hash-consed graph of scalar arithmetic: build it by ordinary Python operators, and equal expressions are one node.

Local rules only, applied as nodes are built: constants fold exactly, 0 and 1 vanish, signs move outwards so that x and
-x share their arithmetic, and the arguments of + and * are ordered. A graph belongs to one trace and numbers its nodes
in the order in which they appear, so the same trace gives the same text in every process.
"""

from __future__ import annotations

from enum import IntEnum
from fractions import Fraction
from typing import Protocol


class Rate(IntEnum):
    """How often a value changes: with the parameters, with the time step, or with every Newton iteration.

    MATRIX is for values that are wanted only where the Newton matrix is: the last residual of a step is not
    linearized.
    """

    PARAMETER = 0
    STEP = 1
    ITERATION = 2
    MATRIX = 3


class Origin(Protocol):
    """What operations are computed for, in the words of the comment above them."""

    @property
    def text(self) -> str: ...


class Scalar:
    """One node of a graph. Compare by identity: equal expressions of one graph are the same object."""

    __slots__ = ("graph", "index")

    def __init__(self, graph: Graph, index: int):
        self.graph = graph
        self.index = index

    def __add__(self, other):
        return self.graph.add(self, self.graph.wrap(other))

    def __radd__(self, other):
        return self.graph.add(self.graph.wrap(other), self)

    def __sub__(self, other):
        return self.graph.sub(self, self.graph.wrap(other))

    def __rsub__(self, other):
        return self.graph.sub(self.graph.wrap(other), self)

    def __mul__(self, other):
        return self.graph.mul(self, self.graph.wrap(other))

    def __rmul__(self, other):
        return self.graph.mul(self.graph.wrap(other), self)

    def __truediv__(self, other):
        return self.graph.div(self, self.graph.wrap(other))

    def __rtruediv__(self, other):
        return self.graph.div(self.graph.wrap(other), self)

    def __neg__(self):
        return self.graph.neg(self)

    @property
    def is_zero(self) -> bool:
        return self.graph.constant_value(self) == 0

    @property
    def rate(self) -> Rate:
        return self.graph.rate(self.index)

    def __repr__(self) -> str:
        return f"Scalar({self.index}: {self.graph.operation(self.index)})"


class Graph:
    """The nodes of one trace. Node i is `(operation, arguments)`: indices, a Fraction or a symbol's key."""

    def __init__(self) -> None:
        self._nodes: list[tuple] = []
        self._rates: list[Rate] = []
        self._scalars: list[Scalar] = []
        self._interned: dict[tuple, int] = {}
        self._constants: dict[Fraction | int, Scalar] = {}
        self.names: dict[int, str] = {}
        self.hints: dict[int, str] = {}  # names for values that need one and have none
        self.origin: Origin | None = None  # what is computed now: every new operation remembers it
        self.origins: dict[int, Origin] = {}

    # --- reading ---------------------------------------------------------------------------------------------------
    def operation(self, index: int) -> str:
        return self._nodes[index][0]

    def arguments(self, index: int) -> tuple:
        return self._nodes[index][1:]

    def operands(self, index: int) -> tuple[int, ...]:
        """Indices of the nodes that node `index` is computed from."""
        node = self._nodes[index]
        return () if node[0] in ("const", "symbol") else node[1:]

    def rate(self, index: int) -> Rate:
        return self._rates[index]

    def scalar(self, index: int) -> Scalar:
        return self._scalars[index]

    def constant_value(self, scalar: Scalar) -> Fraction | None:
        node = self._nodes[scalar.index]
        return node[1] if node[0] == "const" else None

    def __len__(self) -> int:
        return len(self._nodes)

    # --- building --------------------------------------------------------------------------------------------------
    def wrap(self, value) -> Scalar:
        """A scalar of this graph from a scalar or an exact number (int, Fraction); floats are refused as inexact."""
        if isinstance(value, Scalar):
            return value
        if isinstance(value, float):
            raise TypeError(f"the float {value!r} cannot enter a scalar graph: use an int, a Fraction or a symbol")
        return self.constant(value)

    def constant(self, value: Fraction | int) -> Scalar:
        known = self._constants.get(value)
        if known is None:
            known = self._constants[value] = self._intern(("const", Fraction(value)), Rate.PARAMETER)
        return known

    def symbol(self, key, rate: Rate = Rate.ITERATION, name: str | None = None) -> Scalar:
        """An input. `key` is anything hashable that the caller finds again; `name` is a hint for the printed text."""
        scalar = self._intern(("symbol", key), rate)
        if name is not None:
            self.names.setdefault(scalar.index, name)
        return scalar

    def name(self, scalar: Scalar, name: str) -> Scalar:
        """Name a computed value for the printed text; the first name stays. Constants and inputs keep their own."""
        index, name = _but_for_sign(scalar, name)
        if self.operation(index) not in ("const", "symbol"):
            self.names.setdefault(index, name)
        return scalar

    def hint(self, scalar: Scalar, name: str, better: bool = False) -> None:
        """A name for a computed value that has no other, where the printed text needs one. better: than known ones."""
        index, name = _but_for_sign(scalar, name)
        if self.operation(index) not in ("const", "symbol") and (better or index not in self.hints):
            self.hints[index] = name

    def add(self, a: Scalar, b: Scalar) -> Scalar:
        x, y = self.constant_value(a), self.constant_value(b)
        if x is not None and y is not None:
            return self.constant(x + y)
        if x == 0:
            return b
        if y == 0:
            return a
        minus_a, minus_b = self._negated(a), self._negated(b)
        if minus_a is not None and minus_b is not None:
            return self.neg(self.add(minus_a, minus_b))
        if minus_b is not None:
            return self.sub(a, minus_b)
        if minus_a is not None:
            return self.sub(b, minus_a)
        return self._binary("add", a, b) if a.index <= b.index else self._binary("add", b, a)

    def sub(self, a: Scalar, b: Scalar) -> Scalar:
        x, y = self.constant_value(a), self.constant_value(b)
        if x is not None and y is not None:
            return self.constant(x - y)
        if y == 0:
            return a
        if x == 0:
            return self.neg(b)
        if a is b:
            return self.constant(0)
        minus_a, minus_b = self._negated(a), self._negated(b)
        if minus_b is not None:
            return self.add(a, minus_b)
        if minus_a is not None:
            return self.neg(self.add(minus_a, b))
        if a.index > b.index:
            return self.neg(self._binary("sub", b, a))
        return self._binary("sub", a, b)

    def mul(self, a: Scalar, b: Scalar) -> Scalar:
        x, y = self.constant_value(a), self.constant_value(b)
        if x is not None and y is not None:
            return self.constant(x * y)
        if y is not None:
            a, b, x, y = b, a, y, x
        if x is not None:
            if x == 0 or x == 1:
                return self.constant(0) if x == 0 else b
            if x < 0:
                return self.neg(self.mul(self.constant(-x), b))
        minus_a, minus_b = self._negated(a), self._negated(b)
        if minus_a is not None or minus_b is not None:
            product = self.mul(minus_a or a, minus_b or b)
            return product if minus_a is not None and minus_b is not None else self.neg(product)
        if x is not None and self.operation(b.index) == "mul":
            inner, rest = (self.scalar(i) for i in self.operands(b.index))
            factor = self.constant_value(inner)
            if factor is not None:
                return self.mul(self.constant(x * factor), rest)
        if x is not None or a.index <= b.index:  # a factor that is a number comes first, and is a by now
            return self._binary("mul", a, b)
        return self._binary("mul", b, a)

    def div(self, a: Scalar, b: Scalar) -> Scalar:
        x, y = self.constant_value(a), self.constant_value(b)
        if y == 0:
            raise ZeroDivisionError("division by the constant 0 in a scalar graph")
        if x is not None and y is not None:
            return self.constant(x / y)
        if x == 0:
            return a
        if y is not None and _is_power_of_two(y):
            return self.mul(self.constant(1 / y), a)
        minus_a, minus_b = self._negated(a), self._negated(b)
        if minus_a is not None or minus_b is not None:
            quotient = self.div(minus_a or a, minus_b or b)
            return quotient if minus_a is not None and minus_b is not None else self.neg(quotient)
        return self._binary("div", a, b)

    def neg(self, a: Scalar) -> Scalar:
        value = self.constant_value(a)
        if value is not None:
            return self.constant(-value)
        if self.operation(a.index) == "neg":
            return self.scalar(self.operands(a.index)[0])
        return self._intern(("neg", a.index), a.rate)

    def sqrt(self, a) -> Scalar:
        a = self.wrap(a)
        value = self.constant_value(a)
        if value is not None and value in (0, 1):
            return a
        return self._intern(("sqrt", a.index), a.rate)

    def min(self, a, b) -> Scalar:
        """The lesser of two numbers, the first where they are equal."""
        return self._extreme("min", self.wrap(a), self.wrap(b))

    def max(self, a, b) -> Scalar:
        """The greater of two numbers, the first where they are equal."""
        return self._extreme("max", self.wrap(a), self.wrap(b))

    def angle(self, y, x, near) -> Scalar:
        """2 atan2(y, x) on the branch nearest to `near`."""
        return self.function("angle", y, x, near)

    def function(self, operation: str, *arguments) -> Scalar:
        """An opaque function of scalars; see operations.py for the closed set."""
        scalars = [self.wrap(a) for a in arguments]
        return self._intern((operation, *(s.index for s in scalars)), max(s.rate for s in scalars))

    def apply(self, operation: str, arguments: list[Scalar]) -> Scalar:
        """Build a node by the name of its operation: how a stored formula is replayed into this graph."""
        build = getattr(self, operation, None)
        return build(*arguments) if build is not None and operation != "angle" else self.function(operation, *arguments)

    # --- walking ---------------------------------------------------------------------------------------------------
    def needed(self, outputs: list[Scalar]) -> set[int]:
        """Indices of every node that `outputs` need."""
        nodes, stack = self._nodes, [output.index for output in outputs]
        found: set[int] = set()
        while stack:
            index = stack.pop()
            if index not in found:
                found.add(index)
                node = nodes[index]
                if node[0] not in ("const", "symbol"):
                    stack.extend(node[1:])
        return found

    def sequence(self, outputs: list[Scalar]) -> list[int]:
        """Indices of every node that `outputs` need, operands first, in the order in which they are needed."""
        seen: set[int] = set()
        ordered: list[int] = []
        for output in outputs:
            stack = [(output.index, False)]
            while stack:
                index, ready = stack.pop()
                if ready:
                    ordered.append(index)
                elif index not in seen:
                    seen.add(index)
                    stack.append((index, True))
                    stack.extend((i, False) for i in reversed(self.operands(index)) if i not in seen)
        return ordered

    # --- inside ----------------------------------------------------------------------------------------------------
    def _negated(self, a: Scalar) -> Scalar | None:
        node = self._nodes[a.index]
        return self._scalars[node[1]] if node[0] == "neg" else None

    def _binary(self, operation: str, a: Scalar, b: Scalar) -> Scalar:
        first, second = self._rates[a.index], self._rates[b.index]
        return self._intern((operation, a.index, b.index), first if first >= second else second)

    def _extreme(self, operation: str, a: Scalar, b: Scalar) -> Scalar:
        x, y = self.constant_value(a), self.constant_value(b)
        if a is b or (x is not None and y is not None):
            if x is None or y is None or x == y:
                return a
            return b if (y < x) == (operation == "min") else a
        return self._binary(operation, a, b)

    def _intern(self, node: tuple, rate: Rate) -> Scalar:
        index = self._interned.get(node)
        if index is None:
            index = len(self._nodes)
            self._interned[node] = index
            self._nodes.append(node)
            self._rates.append(rate)
            self._scalars.append(Scalar(self, index))
            if self.origin is not None and node[0] not in ("const", "symbol"):
                self.origins[index] = self.origin
        return self._scalars[index]


def _but_for_sign(scalar: Scalar, name: str) -> tuple[int, str]:
    """The node of a value but for its sign, which is part of the name then."""
    graph = scalar.graph
    if graph.operation(scalar.index) != "neg":
        return scalar.index, name
    return graph.operands(scalar.index)[0], opposite(name)


def opposite(name: str) -> str:
    """The name of minus the value of this name."""
    return name.removeprefix("minus_") if name.startswith("minus_") else f"minus_{name}"


def _is_power_of_two(value: Fraction) -> bool:
    top, bottom = abs(value.numerator), value.denominator
    return top & (top - 1) == 0 and bottom & (bottom - 1) == 0
