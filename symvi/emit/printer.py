"""Printing a kernel's graph as statements: loads, named intermediate values, and stores as soon as a value is known.

A value that is used once and has no name of its own is written inside the expression that uses it, while the line stays
short. An input is loaded where it is first needed, and in any case before its place is written: a kernel may write the
very fields that it reads, but two records that it is given are never the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from symvi.kernels.kernel import Kernel, Location
from symvi.scalar import Graph

LONGEST = 96
TIGHT = {"mul": 3, "div": 3, "neg": 4, "add": 1, "sub": 1}


@dataclass(frozen=True)
class Language:
    """How a language writes constants, functions and accesses to records."""

    constant: Callable[[Fraction], str]
    access: Callable[[Location], str]
    function: Callable[[str, list[str]], str]
    reserved: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Statement:
    """One line of a kernel: `kind` is "load", "value" or "store"."""

    kind: str
    target: str
    expression: str


def statements(kernel: Kernel, language: Language) -> Iterator[Statement]:
    """The kernel's statements in order."""
    return _Printer(kernel, language).statements()


class _Printer:
    def __init__(self, kernel: Kernel, language: Language):
        self.kernel, self.language, self.graph = kernel, language, kernel.graph
        self.text: dict[int, tuple[str, int]] = {}
        self.inputs: dict[int, tuple[int, ...]] = {}  # the inputs that the text of a value names
        self.loaded: set[int] = set()
        self.uses = self._count_uses()
        self.taken: set[str] = set(language.reserved)
        self.temporaries = 0

    def _count_uses(self) -> dict[int, int]:
        uses: dict[int, int] = {}
        for index in self.kernel.sequence:
            for operand in self.graph.operands(index):
                uses[operand] = uses.get(operand, 0) + 1
        for _, scalar in self.kernel.outputs:
            uses[scalar.index] = uses.get(scalar.index, 0) + 1
        return uses

    def statements(self) -> Iterator[Statement]:
        waiting: dict[int, list[Location]] = {}
        for location, scalar in self.kernel.outputs:
            waiting.setdefault(scalar.index, []).append(location)
        read = self._name_inputs()
        for index in self.kernel.sequence:
            yield from self._value(index)
            for location in waiting.get(index, ()):
                if location in read:
                    yield from self._load(read[location])
                yield from self._loads_of(index)
                yield Statement("store", self.language.access(location), self.text[index][0])

    def _name_inputs(self) -> dict[Location, int]:
        """Name every input; returns which node reads a place."""
        read = {self.graph.arguments(i)[0]: i for i in self.kernel.sequence if self.graph.operation(i) == "symbol"}
        for location, index in read.items():
            self.text[index] = self._fresh(self.graph.names.get(index) or f"{location.field}{location.index}"), 9
            self.inputs[index] = (index,)
        return read

    def _load(self, index: int) -> Iterator[Statement]:
        """The load of an input, unless it was printed before."""
        if index not in self.loaded:
            self.loaded.add(index)
            yield Statement("load", self.text[index][0], self.language.access(self.graph.arguments(index)[0]))

    def _loads_of(self, index: int) -> Iterator[Statement]:
        """The loads of the inputs that the text of a value names."""
        for symbol in self.inputs.pop(index, ()):
            yield from self._load(symbol)

    def _value(self, index: int) -> Iterator[Statement]:
        operation = self.graph.operation(index)
        if operation == "symbol":
            return
        if operation == "const":
            value = self.graph.arguments(index)[0]
            self.text[index] = self.language.constant(value), 9 if value >= 0 else 4
            return
        expression, strength = self._expression(index, operation)
        self.inputs[index] = tuple(symbol for i in self.graph.operands(index) for symbol in self.inputs.get(i, ()))
        wanted = self.graph.names.get(index)
        single = self.uses.get(index, 0) <= 1 and wanted is None
        if operation == "neg" and self.text[self.graph.operands(index)[0]][0].isidentifier():
            single = True
        if single and len(expression) <= LONGEST:
            self.text[index] = expression, strength
            return
        name = self._fresh(wanted)
        self.text[index] = name, 9
        yield from self._loads_of(index)
        yield Statement("value", name, expression)

    def _expression(self, index: int, operation: str) -> tuple[str, int]:
        operands = [self.text[i] for i in self.graph.operands(index)]
        if operation in ("add", "sub"):
            sign = "+" if operation == "add" else "-"
            left = self._inside(operands[0], 1)
            right = self._inside(operands[1], 1 if operation == "add" else 2, right=True)
            return f"{left} {sign} {right}", 1
        if operation in ("mul", "div"):
            sign = "*" if operation == "mul" else "/"
            return f"{self._inside(operands[0], 3)}{sign}{self._inside(operands[1], 4)}", 3
        if operation == "neg":
            return f"-{self._inside(operands[0], 5)}", 4
        return self.language.function(operation, [text for text, _ in operands]), 9

    @staticmethod
    def _inside(operand: tuple[str, int], needed: int, right: bool = False) -> str:
        """Brackets keep the order of the graph: a sum on the right of a sum is not the sum read from the left.

        Products within other expressions have them too, so that nobody must know which binds closer.
        """
        text, strength = operand
        return f"({text})" if strength == 3 or strength < needed or (right and strength <= 1) else text

    def _fresh(self, wanted: str | None) -> str:
        if wanted is None:
            self.temporaries += 1
            wanted = f"t{self.temporaries}"
        name = wanted
        suffix = 2
        while name in self.taken:
            name, suffix = f"{wanted}_{suffix}", suffix + 1
        self.taken.add(name)
        return name


def unused(graph: Graph) -> int:
    """Nodes of a graph that no output needs (for tests)."""
    return len(graph)
