"""Fill-in: found exactly by symbolic elimination, and kept small by the greedy minimum-fill order.

Eliminating a node joins all its remaining neighbours pairwise; a joined pair that was no edge is fill-in.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Protocol

from symvi.graph.graph import Graph

__all__ = ["Readiness", "eliminate", "minimum_fill"]


class Readiness(Protocol):
    """Says which nodes have a regular pivot, and is told what was eliminated.

    The answer for a node may change only when one of its neighbours in the elimination graph is eliminated.
    """

    def ready(self, node: int) -> bool: ...
    def eliminated(self, node: int) -> None: ...


def eliminate(graph: Graph, order: Sequence[int]) -> tuple[tuple[tuple[int, ...], ...], frozenset[tuple[int, int]]]:
    """Eliminate symbolically in this order; work and memory are those of the result.

    Returns for every node its neighbours eliminated after it, in elimination order, fill-in included; and the fill-in
    as pairs (i, j), i eliminated before j.
    """
    place = [0] * len(order)
    for number, node in enumerate(order):
        place[node] = number
    inherited: list[set[int]] = [set() for _ in order]
    later: list[tuple[int, ...]] = [()] * len(order)
    fill: list[tuple[int, int]] = []
    for node in order:
        own = {near for near in graph.neighbors[node] if place[near] > place[node]}
        fill.extend((node, other) for other in inherited[node] if other not in own)
        later[node] = tuple(sorted(own | inherited[node], key=place.__getitem__))
        # What a node leaves behind is a clique: it is enough to hand it on to the member that is eliminated next.
        if later[node]:
            inherited[later[node][0]].update(later[node][1:])
        inherited[node] = set()
    return tuple(later), frozenset(fill)


def minimum_fill(graph: Graph, readiness: Readiness) -> list[int]:
    """The greedy order: of the ready nodes always the one with the least fill-in, counted in matrix entries.

    Ties go to the node with the fewest entries in its neighbours' blocks, then to the given order.
    """
    remaining = _Remaining(graph)
    keys = [remaining.key(node) for node in range(len(graph.nodes))]
    heap = sorted(keys)
    order: list[int] = []
    while heap:
        key = heapq.heappop(heap)
        node = key[2]
        if key != keys[node] or not readiness.ready(node):
            continue  # out of date, or it comes back when a neighbour is eliminated
        readiness.eliminated(node)
        order.append(node)
        keys[node] = (-1, -1, node)
        for changed in sorted(remaining.eliminate(node)):
            keys[changed] = remaining.key(changed)
            heapq.heappush(heap, keys[changed])
    return order


class _Remaining:
    """The elimination graph: what is not eliminated yet. Fill-in is kept up to date, edge by edge.

    near: the neighbours of every node. fill: entries that its elimination would fill, both of a pair. around: entries
    in its neighbours' blocks.
    """

    def __init__(self, graph: Graph):
        self.dimension = [node.dimension for node in graph.nodes]
        self.near = [set(nodes) for nodes in graph.neighbors]
        self.around = [self._entries(nodes) for nodes in self.near]
        self.fill = [self._missing(nodes) for nodes in self.near]

    def key(self, node: int) -> tuple[int, int, int]:
        return self.fill[node], self.around[node], node

    def _entries(self, nodes: set[int]) -> int:
        return sum(map(self.dimension.__getitem__, nodes))

    def _missing(self, around: set[int]) -> int:
        sizes = self.dimension
        return sum(sizes[one] * (self._entries(around - self.near[one]) - sizes[one]) for one in around)

    def eliminate(self, node: int) -> set[int]:
        """Take a node out and join its neighbours; returns the nodes whose key changes."""
        around, size = self.near[node], self.dimension[node]
        changed = set(around)
        for one in around:
            self.near[one].discard(node)
            self.around[one] -= size
            self.fill[one] -= 2 * size * self._entries(self.near[one] - around)
        for one in around:
            for other in around - self.near[one]:
                if one < other:
                    changed |= self._join(one, other)
        self.near[node] = set()
        return changed

    def _join(self, one: int, other: int) -> set[int]:
        """A new edge; returns the common neighbours, to which it is no fill-in any more."""
        near_one, near_other = self.near[one], self.near[other]
        size_one, size_other = self.dimension[one], self.dimension[other]
        common = near_one & near_other
        for node in common:
            self.fill[node] -= 2 * size_one * size_other
        self.fill[one] += 2 * size_other * self._entries(near_one - common)
        self.fill[other] += 2 * size_one * self._entries(near_other - common)
        self.around[one] += size_other
        self.around[other] += size_one
        near_one.add(other)
        near_other.add(one)
        return common
