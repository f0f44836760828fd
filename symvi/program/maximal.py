"""The papers' order: bodies and constraints eliminated alternately from the leaves (BM20 Algorithms 1-4).

The Newton matrix F has a 6 x 6 block per body, a zero block per constraint, and G(z2), -G(z1)ᵀ between them.
Eliminating node i:
    factor  D_i = L U
    for every later neighbour j, k:   F_jk -= (F_ji U^-1)(L^-1 F_ik),   f_j -= (F_ji U^-1)(L^-1 f_i)
and backwards  s_i = U^-1 (L^-1 f_i - sum_j (L^-1 F_ij) s_j). For a constraint the first factor of the product stays
F_ji, which is mostly zeros, ones and a cross product, and the second is D_i^-1 F_ij: fewer operations, the same matrix.
A body that is tied to nothing but the joint that carries it is eliminated together with it, in another order of pivots
that costs less (null_space.py): so are trees, and what hangs on loops, as far as the rows of their joints allow it.
Kernels are traced per *role*: the node's type and how it is tied to its later neighbours, with the union of the zero
patterns of all nodes in that role.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isqrt

from symvi.graph.elimination import EliminationOrder
from symvi.kernels import blocks
from symvi.kernels.body import BODY
from symvi.kernels.common import COMMON, SHARED, whole
from symvi.kernels.constraint import Damping
from symvi.kernels.kernel import Block, Kernel, Location, Port
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.program.null_space import Carried
from symvi.program.program import Call, Node, free_name
from symvi.scalar import Rate, Scalar

FUSED = 2  # up to this many later neighbours, one kernel eliminates a node whole
LDU = "BM20 Algorithms 1-4"


@dataclass(frozen=True)
class Tie:
    """An edge of the matrix before elimination: who keeps its blocks, and the blocks of F by (row, column).

    `tag` tells ties of one pair of types apart: the constraint's label for the body, "link" or "fill".
    """

    tag: str
    keeper: str = (
        ""  # "first", "second": the node whose record holds the entries; "edge": the edge's own record; "": none
    )
    blocks: Mapping[tuple[int, int], Block] = field(default_factory=dict)
    edge: Node | None = None


@dataclass
class Matrix:
    """The Newton matrix by blocks: node types, sizes, diagonal blocks by type, and ties between nodes.

    carried: constraints with the bodies that they carry and that are tied to nothing else, by number. carriers: by type
    of constraint, the numbers of the rows on velocities and on angular velocities alone (motion_split.py).
    damping: by type of joint, what dampers, limits and dry friction along it add to the blocks of its bodies.
    """

    nodes: list[Node]
    sizes: Mapping[str, int]
    diagonals: Mapping[str, Block]
    ties: dict[tuple[int, int], Tie]
    guarded: frozenset[str]
    carried: Mapping[int, int]
    carriers: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]]
    damping: Mapping[str, Damping]


class Elimination:
    """Builds the kernels and calls of eliminate and substitute for one matrix and one order."""

    def __init__(self, records: Records, matrix: Matrix, order: EliminationOrder, again: bool = False):
        """again: also make kernels that put another right-hand side through the same factors."""
        self.records, self.matrix, self.order, self.again = records, matrix, order, again
        self.position = {node: k for k, node in enumerate(order.order)}
        self.later = {node: tuple(order.later[node]) for node in order.order}
        self.edges: dict[tuple[int, int], Node] = {}
        self.touched: set[tuple[int, int]] = set()
        self.roles: dict[tuple, Kernel] = {}
        self.names: set[str] = set()
        self.carried = {
            joint: body for joint, body in matrix.carried.items() if matrix.nodes[joint].kind in matrix.carriers
        }
        self._patterns()
        self._edge_nodes()

    # --- what is eliminated with what ---------------------------------------------------------------------------------
    def _alone(self) -> list[int]:
        """The nodes that are eliminated one by one, in order."""
        together = {*self.carried, *self.carried.values()}
        return [i for i in self.order.order if i not in together]

    # --- types of edges and their patterns ----------------------------------------------------------------------------
    def pair(self, i: int, j: int) -> tuple[int, int]:
        """The edge between two nodes, the one that is eliminated first in front."""
        return (i, j) if self.position[i] < self.position[j] else (j, i)

    def kind(self, i: int) -> str:
        return self.matrix.nodes[i].kind

    def size(self, i: int) -> int:
        return self.matrix.sizes[self.kind(i)]

    def tie(self, i: int, j: int) -> Tie:
        return self.matrix.ties.get((i, j)) or self.matrix.ties.get((j, i)) or Tie("fill")

    def edge_kind(self, i: int, j: int) -> tuple[str, str, str]:
        return self.kind(i), self.kind(j), self.tie(i, j).tag

    def target(self, j: int, k: int) -> tuple:
        """The type of block F_jk: ("diagonal", kind) or ("row before column" or not, type of edge)."""
        if j == k:
            return "diagonal", self.kind(j)
        first, second = self.pair(j, k)
        return ("upper" if first == j else "lower"), self.edge_kind(first, second)

    def initial(self, j: int, k: int) -> Block:
        """F_jk before elimination."""
        if j == k:
            return self.matrix.diagonals[self.kind(j)]
        block = self.tie(j, k).blocks.get((j, k))
        return block or Block.dense(self.size(j), self.size(k), "", 0)

    def _patterns(self) -> None:
        """Union the zero patterns over all blocks of a type, and follow the elimination until nothing new appears."""
        self.pattern: dict[tuple, int] = {}
        full = (1 << 36) - 1
        for i in self.order.order:
            self._join(self.target(i, i), self.initial(i, i).pattern())
            if i in self.carried:
                for k in self.later[i]:
                    self._join(self.target(k, k), full)
            for j in self.later[i]:
                self._join(self.target(i, j), self.initial(i, j).pattern())
                self._join(self.target(j, i), self.initial(j, i).pattern())
        changed = True
        while changed:
            changed, seen = False, set()
            for i in self._alone():
                role = self._role_shape(i)
                if role not in seen:
                    seen.add(role)
                    changed |= self._spread(i)

    def _join(self, target: tuple, pattern: int) -> bool:
        old = self.pattern.get(target, 0)
        self.pattern[target] = old | pattern
        return old | pattern != old

    def _role_shape(self, i: int) -> tuple:
        later = self.later[i]
        return (
            self.kind(i),
            tuple(self.edge_kind(i, j) for j in later),
            tuple(self.target(j, k) for j in later for k in later),
        )

    def _spread(self, i: int) -> bool:
        n, later = self.size(i), self.later[i]
        guard = sum(1 << (n * k + k) for k in range(n)) if self.kind(i) in self.matrix.guarded else 0
        factors = blocks.pattern_factor(self.pattern[self.target(i, i)] | guard, n)
        changed = self._join(self.target(i, i), factors)
        rows = {j: self._row_pattern(j, i) for j in later}
        columns = {k: self._column_pattern(i, k) for k in later}
        for j in later:
            for k in later:
                product = blocks.pattern_product(rows[j], self.size(j), n, columns[k], self.size(k))
                changed |= self._join(self.target(j, k), product)
        return changed

    def _edge_nodes(self) -> None:
        """A record per edge, for what elimination leaves in it."""
        counts: dict[str, int] = {}
        known: dict[tuple, str] = {}
        for i in self._alone():
            for j in self.later[i]:
                if self.tie(i, j).edge is not None:
                    self.edges[i, j] = self.tie(i, j).edge
                    continue
                key = self.edge_kind(i, j)
                name = f"{self.matrix.nodes[i].name} to {self.matrix.nodes[j].name}"
                kind = known.get(key) or free_name(f"edge_{key[0]}_{key[1]}", [name], set(known.values()))
                known[key] = kind
                self.edges[i, j] = Node(kind, counts.get(kind, 0), name)
                counts[kind] = counts.get(kind, 0) + 1

    # --- kernels ------------------------------------------------------------------------------------------------------
    def calls(self) -> tuple[list[Call], list[Call], list[Call]]:
        """(eliminate, substitute, eliminate another right-hand side with the same factors), in order."""
        forward, backward, again = [], [], []
        together = set(self.carried.values())
        for i in self.order.order:
            if i in together:
                continue
            if i in self.carried:
                pair = Carried(self, self.carried[i], i)
                forward.append(pair.eliminate())
                backward.append([pair.substitute()])
                again.extend([pair.resolve()] if self.again else [])
                self.touched |= {(k, k) for k in self.later[i]}
                continue
            if len(self.later[i]) <= FUSED:
                forward.append(self._eliminate(i))
                backward.append([self._substitute(i)])
            else:
                forward.extend(self._eliminate_in_parts(i))
                backward.append(self._substitute_in_parts(i))
            if self.again:
                again.extend(self._resolve(i))
            for j in self.later[i]:
                for k in self.later[i]:
                    self.touched.add((j, k))
        return forward, [call for calls in reversed(backward) for call in calls], again

    def call(self, key: tuple, name: str, ports: list[tuple[str, Node]], build, comment: str, summary: str) -> Call:
        """The kernel of a role, traced when first met, on these nodes."""
        kernel = self.roles.get(key)
        if kernel is None:
            kernel = self.roles[key] = self._trace(
                self._unique(name, [node.name for _, node in ports]), ports, build, summary
            )
        nodes = {label: node for label, node in ports}
        nodes[COMMON] = Node(COMMON, 0, COMMON)
        return Call(kernel, tuple(nodes[port.label] for port in kernel.ports), comment)

    def _unique(self, name: str, nodes: Sequence[str]) -> str:
        """A kernel's own name: with those of its nodes where another has it."""
        found = free_name(name, nodes, self.names)
        self.names.add(found)
        return found

    def _trace(self, name: str, ports: list[tuple[str, Node]], build, summary: str) -> Kernel:
        trace = Trace(self.records, (SHARED, *(Port(label, node.kind) for label, node in ports)), ports[0][0], summary)
        build(trace)
        return whole(trace, name, summary)

    def _ports(self, i: int, later: Sequence[int], pairs: bool = True) -> list[tuple[str, Node]]:
        """Labels for the records of an elimination: the node, its later neighbours, and the edges between them all."""
        ports = [("i", self.matrix.nodes[i])]
        letters = "jklm"
        for letter, j in zip(letters, later, strict=False):
            ports += [(letter, self.matrix.nodes[j]), (f"i{letter}", self.edges[i, j])]
        if pairs:
            for m, j in enumerate(later):
                for n, k in enumerate(later):
                    if m < n:
                        ports.append((f"{letters[m]}{letters[n]}", self.edges[j, k]))
        return ports

    def _labels(self, i: int, later: Sequence[int]) -> dict[int, str]:
        return {i: "i", **dict(zip(later, "jklm", strict=False))}

    def _role(self, i: int, later: Sequence[int]) -> tuple:
        """What a fused elimination kernel depends on: types, ties, and which targets were stored into before."""
        nodes = (i, *later)
        return (
            self._role_shape(i)
            if later == self.later[i]
            else (self.kind(i), tuple(self.edge_kind(i, j) for j in later)),
            tuple((j, k) in self.touched for j in nodes for k in nodes),
        )

    # reading and writing blocks ---------------------------------------------------------------------------------------
    def read_block(self, trace: Trace, labels: Mapping[int, str], j: int, k: int) -> list[list[Scalar]]:
        """F_jk as it is now: its first entries, or what earlier eliminations stored."""
        rows, columns = self.size(j), self.size(k)
        if (j, k) in self.touched:
            return self._read_dense(trace, *self._stored(labels, j, k), rows, columns, self.pattern[self.target(j, k)])
        block = self.initial(j, k)
        label = self._keeper(labels, j, k)
        return [[self.entry(trace, label, block.entries[r * columns + c]) for c in range(columns)] for r in range(rows)]

    def _keeper(self, labels: Mapping[int, str], j: int, k: int) -> str:
        if j == k:
            return labels[j]
        tie = self.tie(j, k)
        if tie.keeper == "edge":
            return self._edge_label(labels, j, k)
        first, second = self.pair(j, k)
        return labels[first if tie.keeper == "first" else second]

    def _edge_label(self, labels: Mapping[int, str], j: int, k: int) -> str:
        first, second = self.pair(j, k)
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
        return self._edge_label(labels, j, k), "above" if self.pair(j, k)[0] == j else "below"

    def _read_dense(
        self, trace: Trace, label: str, name: str, rows: int, columns: int, pattern: int
    ) -> list[list[Scalar]]:
        values = trace.read(label, "work", name, rows * columns, MEANINGS[name])
        self._call(trace, label, name, values, columns)
        zero = trace.graph.constant(0)
        return [
            [values[r * columns + c] if pattern >> (r * columns + c) & 1 else zero for c in range(columns)]
            for r in range(rows)
        ]

    def _write_dense(self, trace: Trace, label: str, name: str, matrix: list[list[Scalar]], pattern: int) -> None:
        """Store the entries of a pattern; those that are there already, unchanged, stay."""
        columns = len(matrix[0])
        self.records.declare(trace.kind(label), "work", name, len(matrix) * columns, MEANINGS[name])
        for r, row in enumerate(matrix):
            for c, value in enumerate(row):
                place = Location(label, "work", name, r * columns + c)
                if pattern >> place.index & 1 and trace.graph.arguments(value.index) != (place,):
                    trace.writes.append((Rate.ITERATION, place, value))

    def write_target(self, trace: Trace, labels: Mapping[int, str], j: int, k: int, new) -> None:
        self._write_dense(trace, *self._stored(labels, j, k), new, self.pattern[self.target(j, k)])

    # whole eliminations -----------------------------------------------------------------------------------------------
    def _eliminate(self, i: int) -> Call:
        later = self.later[i]
        labels = self._labels(i, later)

        def build(trace: Trace) -> None:
            factors = self._factor(trace, labels, i)
            forward = self._forward(trace, labels, i, factors)
            columns = {k: self._column_block(trace, labels, i, k, factors) for k in later}
            for k in later:
                pattern = self._column_pattern(i, k)
                self._write_dense(trace, self._edge_label(labels, i, k), "above", columns[k], pattern)
            for j in later:
                row = self._row(trace, labels, i, j, factors)
                if self.again and not self._whole(i):
                    self._write_dense(trace, self._edge_label(labels, i, j), "below", row, self._row_pattern(j, i))
                f = trace.read(labels[j], "work", "f", self.size(j))
                with trace.computing(f"f_{labels[j]} -= {self._times(labels[j], i)} f_i", LDU):
                    rest = blocks.subtract_times(f, row, forward, self._whole(i))
                self._store_vector(trace, labels[j], "f", rest)
                for k in later:
                    old = self.read_block(trace, labels, j, k)
                    both = f"{labels[j]}{labels[k]}"
                    with trace.computing(f"F_{both} -= {self._times(labels[j], i)} F_i{labels[k]}", LDU):
                        new = blocks.subtract_product(old, row, columns[k], self._whole(i))
                    self.write_target(trace, labels, j, k, new)

        name = self.matrix.nodes[i].name
        into = " and ".join(self.matrix.nodes[j].name for j in later)
        comment = f"eliminate {name} into {into}" if later else f"factor {name}, the root"
        short = "_".join(["eliminate", self.kind(i), *(["into", *(self.kind(j) for j in later)] if later else [])])
        summary = "D = L U;  F_jk -= (F_ji U^-1)(L^-1 F_ik);  f_j -= (F_ji U^-1)(L^-1 f_i)"
        return self.call(("eliminate", self._role(i, later)), short, self._ports(i, later), build, comment, summary)

    def _factor(self, trace: Trace, labels, i: int) -> list[list[Scalar]]:
        matrix = self.read_block(trace, labels, i, i)
        if self.kind(i) in self.matrix.guarded:
            # G2 D^-1 G1ᵀ has come in by now, nearly symmetric and positive: the guard moves a pivot away from zero
            guard = trace.read(
                "i",
                "parameters",
                "guard",
                self.size(i),
                "guard of the factorisation, far below the row's scale",
                "1/kg",
            )
            with trace.computing("F_ii + guard", "far below the rows' scale"):
                matrix = [
                    [entry + guard[r] if r == c else entry for c, entry in enumerate(row)]
                    for r, row in enumerate(matrix)
                ]
        with trace.computing("F_ii = L U, reciprocals on the diagonal of L", LDU):
            factors = trace.matrix("LU", blocks.factor(matrix))
        self._write_dense(trace, "i", "D", factors, self.pattern[self.target(i, i)])
        return factors

    def _forward(self, trace: Trace, labels, i: int, factors) -> list[Scalar]:
        f = trace.read("i", "work", "f", self.size(i))
        with trace.computing(f"f_i := {self._inverse(i)} f_i", LDU):
            forward = [row[0] for row in self._column(i, factors, [[value] for value in f])]
            trace.named("f", forward)
        self._store_vector(trace, "i", "f", forward)
        return forward

    def _store_vector(self, trace: Trace, label: str, name: str, values: list[Scalar]) -> None:
        for index, value in enumerate(values):
            trace.writes.append((Rate.ITERATION, Location(label, "work", name, index), value))

    def _substitute(self, i: int) -> Call:
        later = self.later[i]
        labels = self._labels(i, later)

        def build(trace: Trace) -> None:
            right = trace.read("i", "work", "f", self.size(i))
            for j in later:
                solution = self._solution(trace, labels[j], j)
                columns = self._read_columns(trace, labels, i, j)
                with trace.computing(f"f_i - F_i{labels[j]} s_{labels[j]}", LDU):
                    right = blocks.subtract_times(right, columns, solution, last_first=True)
            trace.named("right", right)
            self._write_solution(trace, i, right)

        ports = self._ports(i, later, pairs=False)
        short = "_".join(["substitute", self.kind(i), *(["from", *(self.kind(j) for j in later)] if later else [])])
        comment = f"solve for {self.matrix.nodes[i].name}"
        return self.call(
            ("substitute", self._role_shape(i)),
            short,
            ports,
            build,
            comment,
            "s_i = U^-1 (f_i - sum_j (L^-1 F_ij) s_j)",
        )

    def _read_columns(self, trace: Trace, labels, i: int, j: int) -> list[list[Scalar]]:
        """L^-1 F_ij, where elimination stored it."""
        return self._read_dense(
            trace, self._edge_label(labels, i, j), "above", self.size(i), self.size(j), self._column_pattern(i, j)
        )

    def _whole(self, i: int) -> bool:
        """Whether the right factor takes the whole inverse: for constraints, whose left blocks are sparse."""
        return self.kind(i) != BODY

    def _inverse(self, i: int) -> str:
        """What a right-hand side of a node is multiplied by."""
        return "D^-1" if self._whole(i) else "L^-1"

    def _times(self, label: str, i: int) -> str:
        """The block that a neighbour's rows are multiplied by."""
        return f"F_{label}i" if self._whole(i) else f"F_{label}i U^-1"

    def _row(self, trace: Trace, labels: Mapping[int, str], i: int, j: int, factors):
        block = self.read_block(trace, labels, j, i)
        if self._whole(i):
            return block
        with trace.computing(f"F_{labels[j]}i U^-1", LDU):
            return trace.matrix(f"F_{labels[j]}i", blocks.solve_right_upper(block, factors))

    def _column_block(self, trace: Trace, labels: Mapping[int, str], i: int, k: int, factors):
        block = self.read_block(trace, labels, i, k)
        with trace.computing(f"F_i{labels[k]} := {self._inverse(i)} F_i{labels[k]}", LDU):
            return trace.matrix(f"F_i{labels[k]}", self._column(i, factors, block))

    def _column(self, i: int, factors, block):
        return blocks.solve(factors, block) if self._whole(i) else blocks.solve_lower(factors, block)

    def _column_pattern(self, i: int, k: int) -> int:
        """The pattern of L^-1 F_ik (or D_i^-1 F_ik), in all nodes of this role."""
        factors = self.pattern[self.target(i, i)]
        if self._whole(i):
            return blocks.pattern_solve(factors, self.size(i), self.pattern[self.target(i, k)], self.size(k))
        return blocks.pattern_solve_lower(factors, self.size(i), self.pattern[self.target(i, k)], self.size(k))

    def _row_pattern(self, j: int, i: int) -> int:
        """The pattern of F_ji U^-1 (or F_ji), in all nodes of this role."""
        if self._whole(i):
            return self.pattern[self.target(j, i)]
        return blocks.pattern_solve_right_upper(
            self.pattern[self.target(j, i)], self.size(j), self.pattern[self.target(i, i)], self.size(i)
        )

    def _solution(self, trace: Trace, label: str, j: int) -> list[Scalar]:
        return trace.read(label, "work", "s", self.size(j), "solved increment")

    def _write_solution(self, trace: Trace, i: int, right: list[Scalar]) -> None:
        n = self.size(i)
        factors = self._read_dense(trace, "i", "D", n, n, self.pattern[self.target(i, i)])
        self.records.declare(self.kind(i), "work", "s", n, "solved increment")
        with trace.computing("s_i = U^-1 f_i", LDU):
            solution = right if self._whole(i) else trace.named("s", blocks.solve_upper(factors, right))
        self._store_vector(trace, "i", "s", list(solution))

    # another right-hand side ------------------------------------------------------------------------------------------
    def _resolve(self, i: int) -> list[Call]:
        """f_i := L^-1 f_i, then f_j -= (F_ji U^-1) f_i for every later neighbour: one kernel each."""
        name, later = self.matrix.nodes[i].name, self.later[i]

        def own(trace: Trace) -> None:
            n = self.size(i)
            factors = self._read_dense(trace, "i", "D", n, n, self.pattern[self.target(i, i)])
            self._forward(trace, {i: "i"}, i, factors)

        def onto(j: int) -> Call:
            labels = {i: "i", j: "j"}

            def build(trace: Trace) -> None:
                if self._whole(i) and len(later) <= FUSED:
                    row = self.read_block(trace, labels, j, i)
                else:
                    row = self._read_dense(trace, "ij", "below", self.size(j), self.size(i), self._row_pattern(j, i))
                f = trace.read("j", "work", "f", self.size(j))
                right = trace.read("i", "work", "f", self.size(i))
                with trace.computing(f"f_j -= {self._times('j', i)} f_i", LDU):
                    rest = blocks.subtract_times(f, row, right, self._whole(i))
                self._store_vector(trace, "j", "f", rest)

            return self.call(
                ("resolve onto", self.edge_kind(i, j), (j, i) in self.touched, len(later) <= FUSED),
                f"resolve_{self.kind(i)}_into_{self.kind(j)}",
                self._ports(i, [j], pairs=False),
                build,
                f"{name} into {self.matrix.nodes[j].name}, another right-hand side",
                "f_j -= (F_ji U^-1) f_i",
            )

        first = self.call(
            ("resolve", self.kind(i)),
            f"resolve_{self.kind(i)}",
            [("i", self.matrix.nodes[i])],
            own,
            f"{name}, another right-hand side",
            "f_i := L^-1 f_i",
        )
        return [first, *(onto(j) for j in later)]

    # eliminations in parts: for nodes with many later neighbours ------------------------------------------------------
    def _eliminate_in_parts(self, i: int) -> list[Call]:
        name, later = self.matrix.nodes[i].name, self.later[i]

        def factor(trace: Trace) -> None:
            self._forward(trace, {i: "i"}, i, self._factor(trace, {i: "i"}, i))

        calls = [
            self.call(
                ("factor", self.kind(i), (i, i) in self.touched),
                f"factor_{self.kind(i)}",
                [("i", self.matrix.nodes[i])],
                factor,
                f"factor {name}",
                "D = L U;  f := L^-1 f",
            )
        ]
        calls += [self._scale(i, j) for j in later]
        calls += [self._update(i, j, k) for j in later for k in later]
        return calls

    def _scale(self, i: int, j: int) -> Call:
        labels = {i: "i", j: "j"}

        def build(trace: Trace) -> None:
            n = self.size(i)
            factors = self._read_dense(trace, "i", "D", n, n, self.pattern[self.target(i, i)])
            row = self._row(trace, labels, i, j, factors)
            column = self._column_block(trace, labels, i, j, factors)
            self._write_dense(trace, "ij", "above", column, self._column_pattern(i, j))
            self._write_dense(trace, "ij", "below", row, self._row_pattern(j, i))
            f = trace.read("j", "work", "f", self.size(j))
            with trace.computing("f_j -= F_ji f_i", LDU):
                rest = blocks.subtract_times(f, row, trace.read("i", "work", "f", n))
            self._store_vector(trace, "j", "f", rest)

        key = ("scale", self.edge_kind(i, j), (i, j) in self.touched, (j, i) in self.touched)
        names = self.matrix.nodes[i].name, self.matrix.nodes[j].name
        return self.call(
            key,
            f"scale_{self.kind(i)}_{self.kind(j)}",
            self._ports(i, [j], pairs=False),
            build,
            f"tie of {names[0]} to {names[1]}",
            "F_ji := F_ji U^-1;  F_ij := L^-1 F_ij;  f_j -= F_ji f_i",
        )

    def _update(self, i: int, j: int, k: int) -> Call:
        """F_jk -= (F_ji U^-1)(L^-1 F_ik)."""
        labels = {j: "j", k: "k"} if j != k else {j: "j"}
        ports = [("j", self.matrix.nodes[j]), ("ij", self.edges[i, j])]
        if j != k:
            ports += [("k", self.matrix.nodes[k]), ("ik", self.edges[i, k])]
            first, second = self.pair(j, k)
            ports.append((labels[first] + labels[second], self.edges[first, second]))

        def build(trace: Trace) -> None:
            n = self.size(i)
            row = self._read_dense(trace, "ij", "below", self.size(j), n, self._row_pattern(j, i))
            edge, pattern = "ij" if j == k else "ik", self._column_pattern(i, k)
            column = self._read_dense(trace, edge, "above", n, self.size(k), pattern)
            old = self.read_block(trace, labels, j, k)
            with trace.computing(f"F_j{labels[k]} -= F_ji F_i{labels[k]}", LDU):
                new = blocks.subtract_product(old, row, column)
            self.write_target(trace, labels, j, k, new)

        before = self.pair(j, k)[0] == j
        key = (
            "update",
            self.edge_kind(i, j),
            self.edge_kind(i, k),
            self.target(j, k),
            before,
            (j, k) in self.touched,
            j == k,
        )
        short = f"update_{self.kind(j)}" + ("" if j == k else f"_{self.kind(k)}") + f"_by_{self.kind(i)}"
        return self.call(key, short, ports, build, "", "F_jk -= F_ji F_ik")

    def _substitute_in_parts(self, i: int) -> list[Call]:
        def gather(j: int) -> Call:
            labels = {i: "i", j: "j"}

            def build(trace: Trace) -> None:
                right = trace.read("i", "work", "f", self.size(i))
                right = blocks.subtract_times(
                    right, self._read_columns(trace, labels, i, j), self._solution(trace, "j", j), last_first=True
                )
                self._store_vector(trace, "i", "f", right)

            return self.call(
                ("gather", self.edge_kind(i, j)),
                f"gather_{self.kind(i)}_from_{self.kind(j)}",
                self._ports(i, [j], pairs=False),
                build,
                "",
                "f_i -= (L^-1 F_ij) s_j",
            )

        def solve(trace: Trace) -> None:
            self._write_solution(trace, i, trace.read("i", "work", "f", self.size(i)))

        last = self.call(
            ("solve", self.kind(i)),
            f"solve_{self.kind(i)}",
            [("i", self.matrix.nodes[i])],
            solve,
            f"solve for {self.matrix.nodes[i].name}",
            "s_i = U^-1 f_i",
        )
        return [*(gather(j) for j in self.later[i]), last]


MEANINGS = {
    "D": "diagonal block of the Newton matrix, then its factors",
    "above": "block F_ij, then L^-1 F_ij",
    "below": "block F_ji, then F_ji U^-1",
}
