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
    near = [set(nodes) for nodes in graph.neighbors]
    keys = [_key(graph, near, node) for node in range(len(near))]
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
        for changed in sorted(_remove(near, node)):
            keys[changed] = _key(graph, near, changed)
            heapq.heappush(heap, keys[changed])
    return order


def _key(graph: Graph, near: list[set[int]], node: int) -> tuple[int, int, int]:
    nodes, around = graph.nodes, near[node]
    fill = 0
    for one in around:
        missing = around - near[one]
        fill += nodes[one].dimension * (sum(nodes[other].dimension for other in missing) - nodes[one].dimension)
    return fill, sum(nodes[one].dimension for one in around), node


def _remove(near: list[set[int]], node: int) -> set[int]:
    """Eliminate a node from the elimination graph; returns the nodes whose key changes."""
    around = near[node]
    changed = set(around)
    for one in around:
        near[one].discard(node)
        for other in around - near[one]:
            if one < other:
                changed |= near[one] & near[other]
                near[one].add(other)
                near[other].add(one)
    near[node] = set()
    return changed
