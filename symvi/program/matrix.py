"""The Newton matrix by blocks, and what its elimination fills: which entries of which blocks can be other than zero.

Blocks of one type share a kernel, so the pattern of a type is the union over all its blocks, before the elimination and
as it proceeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from symvi.graph.elimination import EliminationOrder
from symvi.kernels import blocks
from symvi.kernels.body_kernels import BODY
from symvi.kernels.constraint import Damping
from symvi.kernels.kernel import Block
from symvi.program.program import Node


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

    def keeping(self, nodes: Sequence[Node], pair: tuple[int, int]) -> Node:
        """Whose record holds the entries, of the nodes of a matrix; pair: the edge's two."""
        if self.keeper != "edge":
            return nodes[pair[0] if self.keeper == "first" else pair[1]]
        assert self.edge is not None, self.tag
        return self.edge


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


class Filled:
    """A matrix in an order of elimination: types of its nodes, edges and blocks, and the zero patterns of each.

    position: when a node is eliminated. later: its neighbours that are eliminated after it. carried: constraints with
    the bodies that are eliminated together with them, by number.
    """

    def __init__(self, matrix: Matrix, order: EliminationOrder):
        self.matrix, self.order = matrix, order
        self.position = {node: k for k, node in enumerate(order.order)}
        self.later = {node: tuple(order.later[node]) for node in order.order}
        self.carried = {
            joint: body for joint, body in matrix.carried.items() if matrix.nodes[joint].kind in matrix.carriers
        }
        self._patterns()

    def alone(self) -> list[int]:
        """The nodes that are eliminated one by one, in order."""
        together = {*self.carried, *self.carried.values()}
        return [i for i in self.order.order if i not in together]

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

    def pattern_of(self, j: int, k: int) -> int:
        """Which entries of F_jk are other than zero in some block of its type, once all is eliminated."""
        return self.pattern[self.target(j, k)]

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
            for i in self.alone():
                role = self.role_shape(i)
                if role not in seen:
                    seen.add(role)
                    changed |= self._spread(i)

    def _join(self, target: tuple, pattern: int) -> bool:
        old = self.pattern.get(target, 0)
        self.pattern[target] = old | pattern
        return old | pattern != old

    def role_shape(self, i: int) -> tuple:
        later = self.later[i]
        return (
            self.kind(i),
            tuple(self.edge_kind(i, j) for j in later),
            tuple(self.target(j, k) for j in later for k in later),
        )

    def _spread(self, i: int) -> bool:
        n, later = self.size(i), self.later[i]
        guard = sum(1 << (n * k + k) for k in range(n)) if self.kind(i) in self.matrix.guarded else 0
        factors = blocks.pattern_factor(self.pattern_of(i, i) | guard, n)
        changed = self._join(self.target(i, i), factors)
        rows = {j: self.row_pattern(j, i) for j in later}
        columns = {k: self.column_pattern(i, k) for k in later}
        for j in later:
            for k in later:
                product = blocks.pattern_product(rows[j], self.size(j), n, columns[k], self.size(k))
                changed |= self._join(self.target(j, k), product)
        return changed

    def whole(self, i: int) -> bool:
        """Whether the right factor takes the whole inverse: for constraints, whose left blocks are sparse."""
        return self.kind(i) != BODY

    def column_pattern(self, i: int, k: int) -> int:
        """The pattern of L^-1 F_ik (or D_i^-1 F_ik), in all nodes of this role."""
        factors = self.pattern_of(i, i)
        if self.whole(i):
            return blocks.pattern_solve(factors, self.size(i), self.pattern_of(i, k), self.size(k))
        return blocks.pattern_solve_lower(factors, self.size(i), self.pattern_of(i, k), self.size(k))

    def row_pattern(self, j: int, i: int) -> int:
        """The pattern of F_ji U^-1 (or F_ji), in all nodes of this role."""
        if self.whole(i):
            return self.pattern_of(j, i)
        return blocks.pattern_solve_right_upper(
            self.pattern_of(j, i), self.size(j), self.pattern_of(i, i), self.size(i)
        )
