"""Formulas: named pieces of mathematics, derived by SymPy once and kept as straight-line scalar code.

A formula is declared by a decorated function of SymPy matrices. Its code is derived when first needed, stored on disk
under a digest of this package's own source, and replayed into any scalar graph; a process that finds it there never
loads SymPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from symvi.physics import store
from symvi.physics.straight_line import (
    BY_BUILDER,
    DEFINITION,
    INTERMEDIATES,
    Argument,
    Code,
    UnderivableError,
    UnfoundedError,
    python_of,
)
from symvi.scalar import Graph, Scalar, count_operations

__all__ = [
    "BY_BUILDER", "DEFINITION", "INTERMEDIATES", "Argument", "Code", "Formula", "UnderivableError", "UnfoundedError",
    "derived",
]  # fmt: skip


@dataclass(frozen=True)
class Formula:
    """A named equation with its source, its arguments, and a builder that derives it (see `derived`).

    follows: DEFINITION, BY_BUILDER, or the function that says what a stated form must agree with (stated.py).
    key: what it is stored as, a text that decides all of it. module: that declares it; one of this package is stored
        without a key.

    Call it with a graph and one flat, row-major list of scalars per input: it returns a flat list per output.
    """

    name: str
    equation: str
    source: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    builder: Callable
    follows: Callable | str = DEFINITION
    key: str = ""
    module: str = ""

    @cached_property
    def code(self) -> Code:
        text = store.load(self.stored_as) if self.stored_as else None
        if text is None:
            from symvi.physics.lowering import lower

            text = lower(self).to_json()
            if self.stored_as:
                store.save(self.stored_as, text)
        return Code.from_json(text)

    @cached_property
    def python(self) -> str:
        """Its code as a function of Python, `compute`, see `python_of`."""
        return python_of(self.code, sum(argument.size for argument in self.inputs))

    @property
    def stored_as(self) -> str:
        """What it is stored as; empty for one from elsewhere, of which the digest of our own source says nothing."""
        return self.key or (self.name if self.module.startswith(store.SOURCE) else "")

    def __call__(self, graph: Graph, _mark: str = "", /, **values: Sequence) -> dict[str, list[Scalar]]:
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


def derived(
    equation: str,
    source: str,
    inputs: Sequence[Argument],
    outputs: Sequence[Argument],
    follows: Callable | str = DEFINITION,
) -> Callable[[Callable[..., Any]], Formula]:
    """Declare a formula: the decorated function takes SymPy matrices named like `inputs` and returns one per output.

    follows: what ties its outputs to mechanics, see Formula.
    """

    def declare(builder: Callable[..., Any]) -> Formula:
        module = builder.__module__
        return Formula(
            builder.__name__, equation, source, tuple(inputs), tuple(outputs), builder, follows, module=module
        )

    return declare
