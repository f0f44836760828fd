"""The spanning forest of a graph: which constraint carries which body, and which constraints close loops.

The forest is grown constraint by constraint along a sequence: of every loop, the constraint that comes last closes it.
Iterative throughout: chains of 10^5 bodies exceed any recursion limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from symvi.graph.graph import Graph

__all__ = ["Forest", "Loop", "components", "find", "span"]


@dataclass(frozen=True)
class Loop:
    """What a constraint outside the forest closes.

    ancestor: the lowest common ancestor body of its bodies; None where the loop runs through the world, or where the
        bodies hang on different roots.
    path: the bodies on the tree paths from its bodies up to the ancestor, without the ancestor.
    """

    ancestor: int | None
    path: tuple[int, ...]


@dataclass(frozen=True)
class Forest:
    """A rooted forest over bodies and tree constraints: body -> the constraint that carries it -> the body above.

    parent: for every node the node above: None for a root, and for a loop constraint, which is not in the forest.
    children: for every node the nodes below, ascending.
    depth: for every node the number of nodes above it.
    roots: constraints to the world, and for each floating tree its base body, ordered by their body.
    """

    parent: tuple[int | None, ...]
    children: tuple[tuple[int, ...], ...]
    depth: tuple[int, ...]
    roots: tuple[int, ...]

    def loop(self, bodies: Iterable[int], world: bool) -> Loop:
        """The loop that a constraint on these bodies closes; the work is the length of its path."""
        front, path = set(bodies), []
        while len(front) > 1 or (world and front):
            deepest = max(front, key=lambda body: (self.depth[body], body))
            front.remove(deepest)
            path.append(deepest)
            above = self.body_above(deepest)
            if above is None:
                world = True  # the others have no common ancestor with this one: up to their roots too
            else:
                front.add(above)
        return Loop(next(iter(front), None), tuple(path))

    def body_above(self, body: int) -> int | None:
        """The body that a body hangs on, None below the world and for the base of a floating tree."""
        carrier = self.parent[body]
        return None if carrier is None else self.parent[carrier]


def span(graph: Graph, sequence: Iterable[int]) -> Forest:
    """The spanning forest that takes constraints in this sequence, each unless it closes a loop.

    A tree that the world does not hold is rooted at its first body in the given order.
    """
    world = len(graph.bodies)
    up = list(range(world + 1))
    hangs: list[list[int]] = [[] for _ in range(world + 1)]
    for constraint in sequence:
        node = graph.nodes[constraint]
        if not node.tree:
            continue
        one, other = (*node.bodies, world)[:2]
        if find(up, one) != find(up, other):
            up[find(up, one)] = find(up, other)
            hangs[one].append(constraint)
            hangs[other].append(constraint)
    floating = {find(up, body): body for body in reversed(graph.bodies) if find(up, body) != find(up, world)}
    roots = sorted([*hangs[world], *floating.values()], key=lambda root: (*graph.nodes[root].bodies, root)[0])
    return _rooted(graph, hangs, roots)


def _rooted(graph: Graph, hangs: list[list[int]], roots: list[int]) -> Forest:
    """Orient the chosen constraints away from the roots."""
    count = len(graph.nodes)
    parent: list[int | None] = [None] * count
    children: list[tuple[int, ...]] = [()] * count
    depth = [0] * count
    stack = list(roots)
    while stack:
        node = stack.pop()
        around = graph.nodes[node].bodies or hangs[node]
        children[node] = tuple(sorted(below for below in around if below != parent[node]))
        for below in children[node]:
            parent[below], depth[below] = node, depth[node] + 1
        stack.extend(children[node])
    return Forest(tuple(parent), tuple(children), tuple(depth), tuple(roots))


def components(graph: Graph) -> list[int]:
    """For every node the first node of its connected component; damper links connect, the world does not."""
    first = list(range(len(graph.nodes)))
    for one, other in graph.edges:
        low, high = sorted((find(first, one), find(first, other)))
        first[high] = low
    return [find(first, node) for node in range(len(first))]


def find(up: list[int], item: int) -> int:
    """Follow the pointers from item to the end, halving the way for the next time (union-find)."""
    while up[item] != item:
        up[item] = up[up[item]]
        item = up[item]
    return item
