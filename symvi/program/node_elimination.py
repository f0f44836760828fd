"""One node eliminated into its later neighbours (BM20 Algorithms 1-4): by one kernel, or in parts where they are many.

With j, k the later neighbours of node i:
    D_i = L U,    F_jk -= (F_ji U^-1)(L^-1 F_ik),    f_i := L^-1 f_i,    f_j -= (F_ji U^-1) f_i,
    s_i = U^-1 (f_i - sum_j (L^-1 F_ij) s_j)
Ports: i the node, j, k, ... its neighbours, ij, ik, jk, ... the edges between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from symvi.kernels import blocks
from symvi.kernels.tracing import Trace
from symvi.program.block_records import LDU
from symvi.program.program import Call, Node
from symvi.scalar import Scalar

if TYPE_CHECKING:
    from symvi.program.block_elimination import Elimination

FUSED = 2  # up to this many later neighbours, one kernel eliminates a node whole
LETTERS = "jklm"
GUARD = "guard of the factorisation, far below the row's scale"


class NodeElimination:
    """What both ways share: names, ports, the factors of the node's own block, and other right-hand sides."""

    def __init__(self, elimination: Elimination, i: int):
        self.elimination, self.i = elimination, i
        self.filled, self.records = elimination.filled, elimination.records
        self.kind, self.later = self.filled.kind(i), self.filled.later[i]
        self.whole = self.filled.whole(i)
        self.name = self.filled.matrix.nodes[i].name

    # --- names and ports ----------------------------------------------------------------------------------------------
    def _name(self, j: int) -> str:
        return self.filled.matrix.nodes[j].name

    def _labels(self, later: Sequence[int]) -> dict[int, str]:
        return {self.i: "i", **dict(zip(later, LETTERS, strict=False))}

    def _ports(self, later: Sequence[int], pairs: bool = True) -> list[tuple[str, Node]]:
        """Labels for the records of an elimination: the node, its later neighbours, and the edges between them all."""
        nodes, edges = self.filled.matrix.nodes, self.records.edges
        ports = [("i", nodes[self.i])]
        for letter, j in zip(LETTERS, later, strict=False):
            ports += [(letter, nodes[j]), (f"i{letter}", edges[self.i, j])]
        if pairs:
            for m, j in enumerate(later):
                for n, k in enumerate(later):
                    if m < n:
                        ports.append((f"{LETTERS[m]}{LETTERS[n]}", edges[j, k]))
        return ports

    # --- the node's own block -----------------------------------------------------------------------------------------
    def _factor(self, trace: Trace, labels: Mapping[int, str]) -> list[list[Scalar]]:
        """D_i = L U, stored in its place."""
        matrix = self.records.read_block(trace, labels, self.i, self.i)
        if self.kind in self.filled.matrix.guarded:
            # G2 D^-1 G1ᵀ has come in by now, nearly symmetric and positive: the guard moves a pivot away from zero
            guard = trace.read("i", "parameters", "guard", self.filled.size(self.i), GUARD, "1/kg")
            with trace.computing("F_ii + guard", "far below the rows' scale"):
                matrix = [
                    [entry + guard[r] if r == c else entry for c, entry in enumerate(row)]
                    for r, row in enumerate(matrix)
                ]
        with trace.computing("F_ii = L U, reciprocals on the diagonal of L", LDU):
            factors = trace.matrix("LU", blocks.factor(matrix))
        self.records.write_dense(trace, "i", "D", factors, self.filled.pattern_of(self.i, self.i))
        return factors

    def _forward(self, trace: Trace, factors: list[list[Scalar]]) -> list[Scalar]:
        """f_i := L^-1 f_i."""
        f = trace.read("i", "work", "f", self.filled.size(self.i))
        with trace.computing(f"f_i := {self._inverse} f_i", LDU):
            forward = [row[0] for row in self._column(factors, [[value] for value in f])]
            trace.named("forward", forward)
        self.records.store_vector(trace, "i", "f", forward)
        return forward

    def _row(self, factors: list[list[Scalar]], block: list[list[Scalar]]) -> list[list[Scalar]]:
        """F_ji U^-1."""
        return block if self.whole else blocks.solve_right_upper(block, factors)

    def _column(self, factors: list[list[Scalar]], block: list[list[Scalar]]) -> list[list[Scalar]]:
        """L^-1 F_ij."""
        return blocks.solve(factors, block) if self.whole else blocks.solve_lower(factors, block)

    @property
    def _inverse(self) -> str:
        """What the node's right-hand side and its columns are multiplied by."""
        return "D^-1" if self.whole else "L^-1"

    def _times(self, label: str) -> str:
        """The block that takes the node's right-hand side into a neighbour's."""
        return f"F_{label}i" if self.whole else f"F_{label}i U^-1"

    def _row_block(self, trace: Trace, labels: Mapping[int, str], j: int, factors) -> list[list[Scalar]]:
        block = self.records.read_block(trace, labels, j, self.i)
        with trace.computing(f"F_{labels[j]}i U^-1", LDU):
            row = self._row(factors, block)
            return row if self.whole else trace.matrix(f"F_{labels[j]}i", row)

    def _column_block(self, trace: Trace, labels: Mapping[int, str], k: int, factors) -> list[list[Scalar]]:
        block = self.records.read_block(trace, labels, self.i, k)
        with trace.computing(f"F_i{labels[k]} := {self._inverse} F_i{labels[k]}", LDU):
            return trace.matrix(f"F_i{labels[k]}", self._column(factors, block))

    # --- another right-hand side --------------------------------------------------------------------------------------
    def resolve(self) -> list[Call]:
        """f_i := L^-1 f_i, then f_j -= (F_ji U^-1) f_i for every later neighbour: one kernel each."""

        def own(trace: Trace) -> None:
            self._forward(trace, self.records.factors(trace, self.i))

        first = self.elimination.call(
            ("resolve", self.kind),
            f"resolve_{self.kind}",
            self._ports([]),
            own,
            f"{self.name}, another right-hand side",
            "f_i := L^-1 f_i",
        )
        return [first, *(self._resolve_onto(j) for j in self.later)]

    def _resolve_onto(self, j: int) -> Call:
        i, labels = self.i, {self.i: "i", j: "j"}
        fused = len(self.later) <= FUSED

        def build(trace: Trace) -> None:
            read = self.records.read_block if self.whole and fused else self.records.read_row
            row = read(trace, labels, j, i)
            f = trace.read("j", "work", "f", self.filled.size(j))
            right = trace.read("i", "work", "f", self.filled.size(i))
            with trace.computing(f"f_j -= {self._times('j')} f_i", LDU):
                rest = blocks.subtract_times(f, row, right, self.whole)
            self.records.store_vector(trace, "j", "f", rest)

        return self.elimination.call(
            ("resolve onto", self.filled.edge_kind(i, j), (j, i) in self.records.touched, fused),
            f"resolve_{self.kind}_into_{self.filled.kind(j)}",
            self._ports([j], pairs=False),
            build,
            f"{self.name} into {self._name(j)}, another right-hand side",
            "f_j -= (F_ji U^-1) f_i",
        )


class Whole(NodeElimination):
    """A node with few later neighbours: one kernel eliminates it, one solves for it."""

    def eliminate(self) -> list[Call]:
        labels = self._labels(self.later)

        def build(trace: Trace) -> None:
            factors = self._factor(trace, labels)
            self._spread(trace, labels, factors, self._forward(trace, factors))

        into = " and ".join(self._name(j) for j in self.later)
        comment = f"eliminate {self.name} into {into}" if self.later else f"factor {self.name}, the root"
        summary = "D = L U;  F_jk -= (F_ji U^-1)(L^-1 F_ik);  f_j -= (F_ji U^-1)(L^-1 f_i)"
        short = self._short("eliminate", "into")
        key = ("eliminate", self._role())
        return [self.elimination.call(key, short, self._ports(self.later), build, comment, summary)]

    def _spread(self, trace: Trace, labels: Mapping[int, str], factors, forward: list[Scalar]) -> None:
        """What the node leaves in the blocks and the right-hand sides of its later neighbours."""
        i, records, filled = self.i, self.records, self.filled
        columns = {k: self._column_block(trace, labels, k, factors) for k in self.later}
        for k in self.later:
            edge = records.edge_label(labels, i, k)
            records.write_dense(trace, edge, "above", columns[k], filled.column_pattern(i, k))
        for j in self.later:
            row, times = self._row_block(trace, labels, j, factors), self._times(labels[j])
            if self.elimination.again and not self.whole:
                edge = records.edge_label(labels, i, j)
                records.write_dense(trace, edge, "below", row, filled.row_pattern(j, i))
            f = trace.read(labels[j], "work", "f", filled.size(j))
            with trace.computing(f"f_{labels[j]} -= {times} f_i", LDU):
                rest = blocks.subtract_times(f, row, forward, self.whole)
            records.store_vector(trace, labels[j], "f", rest)
            for k in self.later:
                old = records.read_block(trace, labels, j, k)
                with trace.computing(f"F_{labels[j]}{labels[k]} -= {times} F_i{labels[k]}", LDU):
                    new = blocks.subtract_product(old, row, columns[k], self.whole)
                records.write_target(trace, labels, j, k, new)

    def substitute(self) -> list[Call]:
        labels = self._labels(self.later)

        def build(trace: Trace) -> None:
            right = trace.read("i", "work", "f", self.filled.size(self.i))
            for j in self.later:
                solution = self.records.solution(trace, labels[j], j)
                columns = self.records.read_columns(trace, labels, self.i, j)
                with trace.computing(f"f_i - F_i{labels[j]} s_{labels[j]}", LDU):
                    right = blocks.subtract_times(right, columns, solution, last_first=True)
            trace.named("right", right)
            self.records.write_solution(trace, self.i, right)

        return [
            self.elimination.call(
                ("substitute", self.filled.role_shape(self.i)),
                self._short("substitute", "from"),
                self._ports(self.later, pairs=False),
                build,
                f"solve for {self.name}",
                "s_i = U^-1 (f_i - sum_j (L^-1 F_ij) s_j)",
            )
        ]

    def _short(self, verb: str, link: str) -> str:
        return "_".join([verb, self.kind, *([link, *(self.filled.kind(j) for j in self.later)] if self.later else [])])

    def _role(self) -> tuple:
        """What the elimination kernel depends on: types, ties, and which targets were stored into before."""
        nodes = (self.i, *self.later)
        return self.filled.role_shape(self.i), tuple((j, k) in self.records.touched for j in nodes for k in nodes)


class InParts(NodeElimination):
    """A node with many later neighbours: a kernel for its own block, for each edge, and for each pair of edges."""

    def eliminate(self) -> list[Call]:
        def factor(trace: Trace) -> None:
            self._forward(trace, self._factor(trace, {self.i: "i"}))

        own = self.elimination.call(
            ("factor", self.kind, (self.i, self.i) in self.records.touched),
            f"factor_{self.kind}",
            self._ports([]),
            factor,
            f"factor {self.name}",
            "D = L U;  f := L^-1 f",
        )
        scales = [self._scale(j) for j in self.later]
        return [own, *scales, *(self._update(j, k) for j in self.later for k in self.later)]

    def _scale(self, j: int) -> Call:
        """Both blocks of an edge by the factors, and the right-hand side of the neighbour."""
        i, records, filled = self.i, self.records, self.filled
        labels = {i: "i", j: "j"}

        def build(trace: Trace) -> None:
            factors = records.factors(trace, i)
            row = self._row_block(trace, labels, j, factors)
            column = self._column_block(trace, labels, j, factors)
            records.write_dense(trace, "ij", "above", column, filled.column_pattern(i, j))
            records.write_dense(trace, "ij", "below", row, filled.row_pattern(j, i))
            f = trace.read("j", "work", "f", filled.size(j))
            right = trace.read("i", "work", "f", filled.size(i))
            with trace.computing("f_j -= F_ji f_i", LDU):
                rest = blocks.subtract_times(f, row, right)
            records.store_vector(trace, "j", "f", rest)

        return self.elimination.call(
            ("scale", filled.edge_kind(i, j), (i, j) in records.touched, (j, i) in records.touched),
            f"scale_{self.kind}_{filled.kind(j)}",
            self._ports([j], pairs=False),
            build,
            f"tie of {self.name} to {self._name(j)}",
            "F_ji := F_ji U^-1;  F_ij := L^-1 F_ij;  f_j -= F_ji f_i",
        )

    def _update(self, j: int, k: int) -> Call:
        """F_jk -= (F_ji U^-1)(L^-1 F_ik)."""
        i, records, filled = self.i, self.records, self.filled
        nodes = filled.matrix.nodes
        labels = {j: "j", k: "k"} if j != k else {j: "j"}
        ports = [("j", nodes[j]), ("ij", records.edges[i, j])]
        if j != k:
            ports += [("k", nodes[k]), ("ik", records.edges[i, k])]
            first, second = filled.pair(j, k)
            ports.append((labels[first] + labels[second], records.edges[first, second]))

        def build(trace: Trace) -> None:
            row = records.read_row(trace, {i: "i", j: "j"}, j, i)
            column = records.read_columns(trace, {i: "i", k: "j" if j == k else "k"}, i, k)
            old = records.read_block(trace, labels, j, k)
            with trace.computing(f"F_j{labels[k]} -= F_ji F_i{labels[k]}", LDU):
                new = blocks.subtract_product(old, row, column)
            records.write_target(trace, labels, j, k, new)

        key = (
            "update",
            filled.edge_kind(i, j),
            filled.edge_kind(i, k),
            filled.target(j, k),
            filled.pair(j, k)[0] == j,
            (j, k) in records.touched,
            j == k,
        )
        short = f"update_{filled.kind(j)}" + ("" if j == k else f"_{filled.kind(k)}") + f"_by_{self.kind}"
        return self.elimination.call(key, short, ports, build, "", "F_jk -= F_ji F_ik")

    def substitute(self) -> list[Call]:
        def solve(trace: Trace) -> None:
            right = trace.read("i", "work", "f", self.filled.size(self.i))
            self.records.write_solution(trace, self.i, right)

        last = self.elimination.call(
            ("solve", self.kind),
            f"solve_{self.kind}",
            self._ports([]),
            solve,
            f"solve for {self.name}",
            "s_i = U^-1 f_i",
        )
        return [*(self._gather(j) for j in self.later), last]

    def _gather(self, j: int) -> Call:
        """f_i -= (L^-1 F_ij) s_j."""
        labels = {self.i: "i", j: "j"}

        def build(trace: Trace) -> None:
            right = trace.read("i", "work", "f", self.filled.size(self.i))
            columns = self.records.read_columns(trace, labels, self.i, j)
            solution = self.records.solution(trace, "j", j)
            with trace.computing("f_i -= F_ij s_j", LDU):
                rest = blocks.subtract_times(right, columns, solution, last_first=True)
            self.records.store_vector(trace, "i", "f", rest)

        return self.elimination.call(
            ("gather", self.filled.edge_kind(self.i, j)),
            f"gather_{self.kind}_from_{self.filled.kind(j)}",
            self._ports([j], pairs=False),
            build,
            "",
            "f_i -= (L^-1 F_ij) s_j",
        )
