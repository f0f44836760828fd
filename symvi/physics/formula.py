"""Formulas: named pieces of mathematics, derived by SymPy once and kept as straight-line scalar code.

A formula is declared by a decorated function of SymPy matrices. Its code is derived when first needed, stored on disk
under a digest of this package's own source, and replayed into any scalar graph; a process that finds it there never
loads SymPy.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from symvi.physics import store
from symvi.scalar import Graph, Scalar, count_operations

INTERMEDIATES = "intermediates"  # a builder's pairs (symbol, expression) that its outputs are written in


class UnderivableError(TypeError):
    """An expression outside the closed set of operations of scalar/operations.py."""


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
class Formula:
    """A named equation with its source, its arguments, and a builder that derives it (see `derived`).

    Call it with a graph and one flat, row-major list of scalars per input: it returns a flat list per output.
    """

    name: str
    equation: str
    source: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    builder: Callable
    key: str = ""

    @cached_property
    def code(self) -> Code:
        text = store.load(self.key or self.name)
        if text is None:
            from symvi.physics.lowering import lower

            text = lower(self).to_json()
            store.save(self.key or self.name, text)
        return Code.from_json(text)

    def __call__(self, graph: Graph, _mark: str = "", **values: Sequence) -> dict[str, list[Scalar]]:
        """_mark: what tells the names of these results from those of other calls, such as a knot's number."""
        known = self._inputs_in(graph, values)
        for operation, arguments in self.code.operations:
            known.append(graph.apply(operation, [known[i] for i in arguments]))
        for register, (name, index) in self.code.names.items():
            graph.hint(known[register], f"{name}{_mark}_{index}" if index else f"{name}{_mark}")
        return {
            name: [self._result(graph, known, entry) for entry in entries]
            for name, entries in self.code.results.items()
        }

    def _inputs_in(self, graph: Graph, values: Mapping[str, Sequence]) -> list[Scalar]:
        flat: list[Scalar] = []
        for argument in self.inputs:
            given = [graph.wrap(v) for v in values[argument.name]]
            if len(given) != argument.size:
                raise ValueError(
                    f"formula {self.name}: {argument.name} has {len(given)} entries, expected {argument.size}"
                )
            flat.extend(given)
        return flat + [graph.constant(value) for value in self.code.constants]

    @staticmethod
    def _result(graph: Graph, known: list[Scalar], index: int) -> Scalar:
        return known[index]

    def operation_count(self) -> dict[str, int]:
        """Operations of the formula on general inputs."""
        graph = Graph()
        values = {a.name: [graph.symbol((a.name, i)) for i in range(a.size)] for a in self.inputs}
        outputs = [scalar for entries in self(graph, **values).values() for scalar in entries]
        return count_operations(graph, graph.sequence(outputs))


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


def derived(
    equation: str, source: str, inputs: Sequence[Argument], outputs: Sequence[Argument]
) -> Callable[[Callable], Formula]:
    """Declare a formula: the decorated function takes SymPy matrices named like `inputs` and returns one per output."""

    def declare(builder: Callable) -> Formula:
        return Formula(builder.__name__, equation, source, tuple(inputs), tuple(outputs), builder)

    return declare
