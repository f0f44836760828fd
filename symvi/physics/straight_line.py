"""Straight-line code: what a formula is once it is derived, and what its arguments are called."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symvi.errors import SymviError

Symbolic = Any  # SymPy's expressions and matrices: it tells types of few, and for entries of a matrix wrong ones
DEFINITION = "a definition"  # its outputs say what a word means: nothing that it could follow from
BY_BUILDER = "its builder"  # its outputs are derivatives, or what solves equations: the builder has nothing by hand
PARTS = "parts"  # a builder's names of parts of its outputs: name -> expressions; nothing is computed for them
INTERMEDIATES = "intermediates"  # a builder's pairs (symbol, expression) that its outputs are written in


class UnderivableError(SymviError, TypeError):
    """An expression outside the closed set of operations of scalar/operations.py."""


class UnfoundedError(SymviError, ValueError):
    """A form that a formula states is not what it follows from."""


@dataclass(frozen=True)
class Argument:
    """One input or output of a formula: its name, shape, meaning, unit and the frame that it is expressed in.

    `kind` says how it moves with a body (side "a" or "b"): a "position", a body-fixed "vector", a body-fixed
    "quaternion" (both in world axes), or plain "data" that does not move.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    unit: str = "1"
    frame: str = "world"
    kind: str = "data"
    side: str = ""

    @property
    def size(self) -> int:
        size = 1
        for extent in self.shape:
            size *= extent
        return size


@dataclass(frozen=True)
class Code:
    """Straight-line code: registers are the inputs, the constants, then one per operation; results name registers.

    names: the symbol that a register stands for in the formula, and its index as text.
    """

    constants: tuple[Fraction, ...]
    operations: tuple[tuple[str, tuple[int, ...]], ...]
    results: Mapping[str, tuple[int, ...]]
    names: Mapping[int, tuple[str, str]]

    def to_json(self) -> str:
        return json.dumps(
            {
                "constants": [str(c) for c in self.constants],
                "operations": self.operations,
                "results": self.results,
                "names": {str(register): name for register, name in self.names.items()},
            },
            separators=(",", ":"),
        )

    @classmethod
    def from_json(cls, text: str) -> Code:
        data = json.loads(text)
        return cls(
            tuple(Fraction(c) for c in data["constants"]),
            tuple((operation, tuple(arguments)) for operation, arguments in data["operations"]),
            {name: tuple(entries) for name, entries in data["results"].items()},
            {int(register): tuple(name) for register, name in data["names"].items()},
        )


SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def python_of(code: Code, inputs: int) -> str:
    """A function `compute` of all inputs, entry by entry, that returns all results, in Python.

    inputs: how many. Operations without a sign are calls of functions of their names.
    """
    lines = [f"def compute({', '.join(f'r{k}' for k in range(inputs))}):"]
    lines += [f"    r{k} = {value.numerator / value.denominator!r}" for k, value in enumerate(code.constants, inputs)]
    for k, (operation, operands) in enumerate(code.operations, inputs + len(code.constants)):
        lines.append(f"    r{k} = {_in_python(operation, [f'r{n}' for n in operands])}")
    results = "".join(f"r{k}, " for entries in code.results.values() for k in entries)
    return "\n".join([*lines, f"    return ({results})", ""])


def _in_python(operation: str, operands: list[str]) -> str:
    if operation == "neg":
        return f"-{operands[0]}"
    if operation in SIGNS:
        return f" {SIGNS[operation]} ".join(operands)
    return f"{operation}({', '.join(operands)})"
