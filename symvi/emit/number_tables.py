"""Numbers of a description as initialisers in C, record by record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from symvi.kernels.records import Field
from symvi.program.program import Node

if TYPE_CHECKING:
    from symvi.emit.c_printer import CPrinter

STEP = 0.01  # s: the time step of default parameters


class NumberTables:
    """The tables of one program."""

    def __init__(self, printer: CPrinter):
        self.program, self.kinds, self.struct, self.real = printer.program, printer.kinds, printer.struct, printer.real

    def defaults(self) -> Iterator[dict]:
        """The numbers of the description: a table per node type, with the members of every node's struct in order."""
        for kind in self.kinds:
            fields = self.program.records.of(kind, "parameters")
            if fields:
                rows = [
                    {"name": node.name, "members": list(self._members(node, fields))}
                    for node in self.program.nodes[kind]
                ]
                yield {"kind": kind, "struct": self.struct(kind, "parameters"), "rows": rows}

    def tables(self, store: str, numbers: Sequence[float]) -> Iterator[dict]:
        """The numbers of a state or an input, record by record: a table per node type like those of the parameters."""
        left = iter(numbers)
        for kind in self.kinds:
            fields = self.program.records.of(kind, store)
            if fields:
                rows = [
                    {
                        "name": node.name,
                        "members": [self._member(f, [next(left) for _ in range(f.size)]) for f in fields],
                    }
                    for node in self.program.nodes[kind]
                ]
                yield {"kind": kind, "struct": self.struct(kind, store), "rows": rows}

    def _member(self, field: Field, numbers: Sequence[float]) -> str:
        """A member of an initialiser, each number as the very one that memory holds."""
        text = ", ".join(held_literal(number, self.real) for number in numbers)
        return f"{text if field.size == 1 else f'{{ {text} }}'}, /* {field.name} */"

    def _members(self, node: Node, fields: Sequence[Field]) -> Iterator[str]:
        known = {"h": (STEP,), **self.program.parameters.get((node.kind, node.index), {})}
        for field in fields:
            yield self._member(field, known.get(field.name, (0.0,) * field.size))


def literal(value: Fraction | float | int, real: str) -> str:
    """The shortest text of a number of Python, in the precision "double" or "float"."""
    text = repr(float(value))
    if "e" not in text and "." not in text:
        text += ".0"
    return text + ("f" if real == "float" else "")


def held_literal(value: float, real: str) -> str:
    """The shortest text of the very number that memory holds."""
    return f"{np.float32(value)!s}f" if real == "float" else literal(value, real)
