"""Where the blocks of the matrix lie in records: as kernels first computed them, and as elimination stores them.

A block is read from the node or the edge that keeps its first entries until an elimination stores into it; then it lies
in `D` of its node, or in `above` and `below` of its edge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isqrt

from symvi.kernels import blocks
from symvi.kernels.kernel import Location
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.program.matrix import Filled
from symvi.program.program import Node, free_name
from symvi.scalar import Rate, Scalar

LDU = "BM20 Algorithms 1-4"
MEANINGS = {
    "D": "diagonal block of the Newton matrix, then its factors",
    "above": "block F_ij, then L^-1 F_ij",
    "below": "block F_ji, then F_ji U^-1",
}


class BlockRecords:
    """The blocks of one matrix in its records; labels of a trace's ports say whose record is meant.

    edges: the record of an edge, for what elimination leaves in it. touched: blocks that were stored into.
    """

    def __init__(self, records: Records, filled: Filled):
        self.records, self.filled, self.matrix = records, filled, filled.matrix
        self.edges: dict[tuple[int, int], Node] = {}
        self.touched: set[tuple[int, int]] = set()
        self._edge_nodes()

    def _edge_nodes(self) -> None:
        """A record per edge, for what elimination leaves in it."""
        counts: dict[str, int] = {}
        known: dict[tuple, str] = {}
        for i in self.filled.alone():
            for j in self.filled.later[i]:
                edge = self.filled.tie(i, j).edge
                if edge is not None:
                    self.edges[i, j] = edge
                    continue
                key = self.filled.edge_kind(i, j)
                name = f"{self.matrix.nodes[i].name} to {self.matrix.nodes[j].name}"
                kind = known.get(key) or free_name(f"edge_{key[0]}_{key[1]}", [name], set(known.values()))
                known[key] = kind
                self.edges[i, j] = Node(kind, counts.get(kind, 0), name)
                counts[kind] = counts.get(kind, 0) + 1

    def read_block(self, trace: Trace, labels: Mapping[int, str], j: int, k: int) -> list[list[Scalar]]:
        """F_jk as it is now: its first entries, or what earlier eliminations stored."""
        rows, columns = self.filled.size(j), self.filled.size(k)
        if (j, k) in self.touched:
            return self.read_dense(trace, *self._stored(labels, j, k), rows, columns, self.filled.pattern_of(j, k))
        block = self.filled.initial(j, k)
        label = self._keeper(labels, j, k)
        return [[self.entry(trace, label, block.entries[r * columns + c]) for c in range(columns)] for r in range(rows)]

    def _keeper(self, labels: Mapping[int, str], j: int, k: int) -> str:
        if j == k:
            return labels[j]
        tie = self.filled.tie(j, k)
        if tie.keeper == "edge":
            return self.edge_label(labels, j, k)
        first, second = self.filled.pair(j, k)
        return labels[first if tie.keeper == "first" else second]

    def edge_label(self, labels: Mapping[int, str], j: int, k: int) -> str:
        first, second = self.filled.pair(j, k)
        return labels[first] + labels[second]

    def entry(self, trace: Trace, label: str, entry) -> Scalar:
        if entry.is_constant:
            return trace.graph.constant(entry.sign)
        size = next(f.size for f in self.records.of(trace.kind(label), "work") if f.name == entry.field)
        values = trace.read(label, "work", entry.field, size)
        if entry.field == "D":
            self._call(trace, label, entry.field, values, isqrt(size))
        value = values[entry.index]
        return value if entry.sign > 0 else -value

    @staticmethod
    def _call(trace: Trace, label: str, name: str, values: Sequence[Scalar], columns: int) -> None:
        """Name the entries of a block that is read by row and column."""
        block = {"above": f"F_{label}", "below": f"F_{label[::-1]}"}.get(name, name if label == "i" else f"{label}_D")
        for index, value in enumerate(values):
            trace.graph.names[value.index] = f"{block}_{index // columns}{index % columns}"

    def _stored(self, labels: Mapping[int, str], j: int, k: int) -> tuple[str, str]:
        """Where a block lies once it has been stored: (port, field)."""
        if j == k:
            return labels[j], "D"
        return self.edge_label(labels, j, k), "above" if self.filled.pair(j, k)[0] == j else "below"

    def read_dense(
        self, trace: Trace, label: str, name: str, rows: int, columns: int, pattern: int
    ) -> list[list[Scalar]]:
        values = trace.read(label, "work", name, rows * columns, MEANINGS[name])
        self._call(trace, label, name, values, columns)
        zero = trace.graph.constant(0)
        return [
            [values[r * columns + c] if pattern >> (r * columns + c) & 1 else zero for c in range(columns)]
            for r in range(rows)
        ]

    def write_dense(self, trace: Trace, label: str, name: str, matrix: list[list[Scalar]], pattern: int) -> None:
        """Store the entries of a pattern; those that are there already, unchanged, stay."""
        columns = len(matrix[0])
        self.records.declare(trace.kind(label), "work", name, len(matrix) * columns, MEANINGS[name])
        for r, row in enumerate(matrix):
            for c, value in enumerate(row):
                place = Location(label, "work", name, r * columns + c)
                if pattern >> place.index & 1 and trace.graph.arguments(value.index) != (place,):
                    trace.writes.append((Rate.ITERATION, place, value))

    def write_target(self, trace: Trace, labels: Mapping[int, str], j: int, k: int, new) -> None:
        self.write_dense(trace, *self._stored(labels, j, k), new, self.filled.pattern_of(j, k))

    def factors(self, trace: Trace, i: int) -> list[list[Scalar]]:
        """L and U of D_i, where its elimination stored them."""
        n = self.filled.size(i)
        return self.read_dense(trace, "i", "D", n, n, self.filled.pattern_of(i, i))

    def store_vector(self, trace: Trace, label: str, name: str, values: list[Scalar]) -> None:
        for index, value in enumerate(values):
            trace.writes.append((Rate.ITERATION, Location(label, "work", name, index), value))

    def read_columns(self, trace: Trace, labels, i: int, j: int) -> list[list[Scalar]]:
        """L^-1 F_ij, where elimination stored it."""
        label, sizes = self.edge_label(labels, i, j), (self.filled.size(i), self.filled.size(j))
        return self.read_dense(trace, label, "above", *sizes, self.filled.column_pattern(i, j))

    def read_row(self, trace: Trace, labels, j: int, i: int) -> list[list[Scalar]]:
        """F_ji U^-1, where elimination stored it."""
        label, sizes = self.edge_label(labels, i, j), (self.filled.size(j), self.filled.size(i))
        return self.read_dense(trace, label, "below", *sizes, self.filled.row_pattern(j, i))

    def solution(self, trace: Trace, label: str, j: int) -> list[Scalar]:
        return trace.read(label, "work", "s", self.filled.size(j), "solved increment")

    def write_solution(self, trace: Trace, i: int, right: list[Scalar]) -> None:
        """s_i = U^-1 right; of a node whose right factor is the whole inverse, `right` itself."""
        factors = self.factors(trace, i)
        self.records.declare(self.filled.kind(i), "work", "s", self.filled.size(i), "solved increment")
        with trace.computing("s_i = U^-1 f_i", LDU):
            solution = right if self.filled.whole(i) else trace.named("s", blocks.solve_upper(factors, right))
        self.store_vector(trace, "i", "s", list(solution))
