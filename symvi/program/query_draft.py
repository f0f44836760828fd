"""The program of a model's answers while it is composed: records, nodes, calls by phase, and the tree they run over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from symvi.kernels.common import COMMON
from symvi.kernels.kernel import Kernel
from symvi.kernels.records import Records
from symvi.kernels.spatial import Limb
from symvi.program.program import Call, Node


@dataclass
class QueryDraft:
    """limbs: by body, bodies below first. bodies, trees, freedoms: the nodes of every body."""

    limbs: Mapping[str, Limb]
    phases: dict[str, list[Call]]
    settings: Mapping[str, Sequence[float]]
    records: Records = field(default_factory=Records)
    nodes: dict[str, list[Node]] = field(default_factory=lambda: {COMMON: [Node(COMMON, 0, COMMON)]})
    parameters: dict[tuple[str, int], dict[str, tuple[float, ...]]] = field(default_factory=dict)
    bodies: dict[str, Node] = field(default_factory=dict)
    trees: dict[str, Node] = field(default_factory=dict)
    freedoms: dict[str, list[Node]] = field(default_factory=dict)

    def node(self, kind: str, name: str) -> Node:
        """A new record of a type."""
        nodes = self.nodes.setdefault(kind, [])
        nodes.append(Node(kind, len(nodes), name))
        return nodes[-1]

    def call(self, phase: str, kernel: Kernel, ports: Mapping[str, Node], comment: str = "") -> None:
        """Call a kernel on nodes by the labels of its ports."""
        nodes = tuple(self.nodes[COMMON][0] if p.label == COMMON else ports[p.label] for p in kernel.ports)
        self.phases[phase].append(Call(kernel, nodes, comment))

    def number(self, name: str, described: Sequence[float]) -> tuple[float, ...]:
        """A number of the description, or what it was set to."""
        return tuple(map(float, self.settings.get(name, described)))

    def path(self, body: str) -> Iterator[int]:
        """The freedoms that move a body, from the ground on."""
        limb = self.limbs[body]
        if limb.below is not None:
            yield from self.path(limb.below)
        yield from (node.index for node in self.freedoms[body])
