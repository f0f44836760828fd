"""A kernel: a traced function of one node type on fields of a few records, as straight-line scalar code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from symvi.scalar import Graph, Scalar, count_operations


@dataclass(frozen=True)
class Location:
    """One number in a record: which port of the kernel, which store, which field, which entry."""

    port: str
    store: str
    field: str
    index: int


@dataclass(frozen=True)
class Port:
    """An argument of a kernel: a node of type `kind`, seen under the name `label`."""

    label: str
    kind: str


@dataclass(frozen=True)
class Formula:
    """What a kernel's comment says it computes: an equation in a line, and its source."""

    equation: str
    source: str


@dataclass(frozen=True)
class Passage:
    """What a stretch of a kernel computes: a formula, and of what or where, as the comment above it says."""

    formula: Formula
    where: str = ""

    @property
    def text(self) -> str:
        return f"{self.formula.equation}, {self.where}" if self.where else self.formula.equation


@dataclass(frozen=True, eq=False)
class Kernel:
    """Straight-line code of one node type. Every input is read before its place is written.

    places: where a node of the graph stood in the trace that it is a part of; that of any other is its own index.
    """

    name: str
    summary: str
    ports: tuple[Port, ...]
    graph: Graph
    outputs: tuple[tuple[Location, Scalar], ...]
    places: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def sequence(self) -> list[int]:
        """Nodes in the order of evaluation: that in which the trace applied its formulas."""
        nodes = self.graph.needed([scalar for _, scalar in self.outputs])
        return sorted(nodes, key=lambda index: (self.places.get(index, index), index))

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        """The formulas that it computes, in the order in which they begin."""
        passages = (self.graph.origins.get(index) for index in self.sequence)
        return tuple(dict.fromkeys(passage.formula for passage in passages if isinstance(passage, Passage)))

    @cached_property
    def reads(self) -> tuple[Location, ...]:
        return tuple(self.graph.arguments(i)[0] for i in self.sequence if self.graph.operation(i) == "symbol")

    def kind(self, label: str) -> str:
        """The node type of a port."""
        return next(port.kind for port in self.ports if port.label == label)

    @property
    def writes(self) -> tuple[Location, ...]:
        return tuple(location for location, _ in self.outputs)

    def used_stores(self) -> tuple[tuple[Port, str, bool], ...]:
        """(port, store, written) for every record that the kernel touches, in the order of its ports."""
        return self._used_stores

    @cached_property
    def _used_stores(self) -> tuple[tuple[Port, str, bool], ...]:
        read = {(location.port, location.store) for location in self.reads}
        written = {(location.port, location.store) for location in self.writes}
        order = ("parameters", "input", "state", "work", "motion", "account")
        order += tuple(f"d_{store}" for store in order)  # tangents (program/slopes.py)
        order += ("chain",)  # composite bodies (kernels/composite.py)
        order += tuple(f"c_{store}" for store in order[:5]) + ("tape",)  # (program/tape.py)
        return tuple(
            (port, store, (port.label, store) in written)
            for port in self.ports
            for store in order
            if (port.label, store) in read | written
        )

    def operation_count(self) -> dict[str, int]:
        """Its operations by kind, counted once."""
        return self._operation_count

    @cached_property
    def _operation_count(self) -> dict[str, int]:
        return count_operations(self.graph, self.sequence)

    def flops(self) -> int:
        """add + sub + mul + div + sqrt (and angles, functions) of the printed kernel."""
        return sum(self.operation_count().values())


def over_graph(
    name: str,
    summary: str,
    ports: Sequence[Port],
    graph: Graph,
    outputs: tuple[tuple[Location, Scalar], ...],
) -> Kernel:
    """The kernel of some values of a graph, with those of the ports that it uses."""
    nodes = graph.needed([value for _, value in outputs])
    used = {location.port for location, _ in outputs}
    used |= {graph.arguments(i)[0].port for i in nodes if graph.operation(i) == "symbol"}
    return Kernel(name, summary, tuple(port for port in ports if port.label in used), graph, outputs)


@dataclass(frozen=True)
class Entry:
    """One entry of a block: an exact constant, or plus or minus a number stored in a record of the block's own node."""

    sign: int = 0
    field: str = ""
    index: int = 0

    @property
    def is_zero(self) -> bool:
        return self.sign == 0

    @property
    def is_constant(self) -> bool:
        return not self.field


ZERO = Entry()
ONE = Entry(1)


@dataclass(frozen=True)
class Block:
    """A matrix of entries, row-major: a block of the Newton matrix without stored zeros, ones or repetitions."""

    rows: int
    columns: int
    entries: tuple[Entry, ...]

    def pattern(self) -> int:
        """Bit i is set where entry i may differ from zero."""
        return sum(1 << i for i, entry in enumerate(self.entries) if not entry.is_zero)

    @classmethod
    def dense(cls, rows: int, columns: int, field: str, pattern: int) -> Block:
        entries = (Entry(1, field, i) if pattern >> i & 1 else ZERO for i in range(rows * columns))
        return cls(rows, columns, tuple(entries))


def flat(rows: Sequence[Sequence]) -> list:
    return [entry for row in rows for entry in row]
