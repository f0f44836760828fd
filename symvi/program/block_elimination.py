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

from symvi.graph.elimination import EliminationOrder
from symvi.kernels.common import COMMON, SHARED, whole
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.program.block_records import BlockRecords
from symvi.program.matrix import Filled, Matrix
from symvi.program.node_elimination import FUSED, InParts, Whole
from symvi.program.null_space import Carried
from symvi.program.program import Call, Node, free_name


class Elimination:
    """Builds the kernels and calls of eliminate and substitute for one matrix and one order."""

    def __init__(self, records: Records, matrix: Matrix, order: EliminationOrder, again: bool = False):
        """again: also make kernels that put another right-hand side through the same factors."""
        self.order, self.again = order, again
        self.filled = Filled(matrix, order)
        self.records = BlockRecords(records, self.filled)
        self.roles: dict[tuple, Kernel] = {}
        self.names: set[str] = set()

    @property
    def edges(self) -> tuple[Node, ...]:
        """The records of all edges."""
        return tuple(self.records.edges.values())

    def calls(self) -> tuple[list[Call], list[Call], list[Call]]:
        """(eliminate, substitute, eliminate another right-hand side with the same factors), in order."""
        forward, backward, again = [], [], []
        carried, touched = self.filled.carried, self.records.touched
        together = set(carried.values())
        for i in self.order.order:
            if i in together:
                continue
            later = self.filled.later[i]
            if i in carried:
                pair = Carried(self, carried[i], i)
                forward.append(pair.eliminate())
                backward.append([pair.substitute()])
                again.extend([pair.resolve()] if self.again else [])
                touched |= {(k, k) for k in later}
                continue
            node = (Whole if len(later) <= FUSED else InParts)(self, i)
            forward.extend(node.eliminate())
            backward.append(node.substitute())
            if self.again:
                again.extend(node.resolve())
            touched |= {(j, k) for j in later for k in later}
        return forward, [call for calls in reversed(backward) for call in calls], again

    def call(self, key: tuple, name: str, ports: list[tuple[str, Node]], build, comment: str, summary: str) -> Call:
        """The kernel of a role, traced when first met, on these nodes."""
        kernel = self.roles.get(key)
        if kernel is None:
            own = free_name(name, [node.name for _, node in ports], self.names)
            self.names.add(own)
            kernel = self.roles[key] = self._trace(own, ports, build, summary)
        nodes = {label: node for label, node in ports}
        nodes[COMMON] = Node(COMMON, 0, COMMON)
        return Call(kernel, tuple(nodes[port.label] for port in kernel.ports), comment)

    def _trace(self, name: str, ports: list[tuple[str, Node]], build, summary: str) -> Kernel:
        ends = (SHARED, *(Port(label, node.kind) for label, node in ports))
        trace = Trace(self.records.records, ends, ports[0][0], summary)
        build(trace)
        return whole(trace, name, summary)
