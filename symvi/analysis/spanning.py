"""The part of a mechanism that loops run through: a tree that carries its bodies, and the constraints that close it.

Bodies and joints that hang on it are left out: a joint's rows on its child alone have full rank, so nothing beyond the
loops can be redundant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from symvi.graph import EliminationOrder, Graph
from symvi.physics.model import ConstraintModel


@dataclass(frozen=True)
class Spanning:
    """Bodies from the roots on, each after the body above it.

    models: the constraints that matter, tree and loop, in the given order.
    carriers: for every body the model, by index, that carries it; None for the base of a floating tree.
    above: for every body the one that it hangs on; None below the world, and for a base.
    loops: the models outside the tree. drivers: constraints that make a coordinate follow an input; they close no loop.
    """

    bodies: tuple[str, ...]
    models: tuple[ConstraintModel, ...]
    carriers: tuple[int | None, ...]
    above: tuple[int | None, ...]
    loops: tuple[int, ...]
    drivers: tuple[ConstraintModel, ...] = ()

    @cached_property
    def index(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.bodies)}

    @cached_property
    def loop_rows(self) -> list[tuple[int, int]]:
        """(model, row) of every row of the loop constraints, in order."""
        return [(k, row) for k in self.loops for row in range(self.models[k].rows)]

    @cached_property
    def levels(self) -> list[list[int]]:
        """Bodies by their distance from a root, roots first: those of one level do not hang on each other."""
        found: list[list[int]] = []
        depth: list[int] = []
        for body, above in enumerate(self.above):
            depth.append(0 if above is None else depth[above] + 1)
            if depth[body] == len(found):
                found.append([])
            found[depth[body]].append(body)
        return found

    @property
    def tree_rows(self) -> int:
        return sum(self.models[k].rows for k in self.carriers if k is not None)

    def loop_of(self, closing: int) -> list[str]:
        """The names of the constraints around the loop that a model closes, itself last."""
        bodies = self.models[closing].bodies.values()
        branches = [self._upwards(self.index[body]) for body in bodies if body is not None]
        shared = set() if None in bodies or len(branches) < 2 else set.intersection(*map(set, branches))
        down, *others = ([k for k in branch if k not in shared] for branch in branches)
        around = dict.fromkeys([*reversed(down), *(k for branch in others for k in branch)])
        return [*(self.models[k].name for k in around), self.models[closing].name]

    def _upwards(self, body: int | None) -> list[int]:
        """The models that carry a body, from itself to the root."""
        found = []
        while body is not None:
            if self.carriers[body] is not None:
                found.append(self.carriers[body])
            body = self.above[body]
        return found


def spanning_of(graph: Graph, order: EliminationOrder, models: Sequence[ConstraintModel]) -> Spanning:
    """The spanning tree of an elimination order, pruned to what its loops run through."""
    first = len(graph.bodies)
    needed = _needed(graph, order)
    walk = [body for body in _downwards(order) if body in needed]
    drivers = [node for node in order.loop_constraints if models[node - first].target]
    loops = set(order.loop_constraints) - set(drivers)
    carriers = [order.parent[body] for body in walk]
    used = sorted({carrier for carrier in carriers if carrier is not None} | loops)
    place = {node: k for k, node in enumerate(used)}
    number = {body: k for k, body in enumerate(walk)}
    bodies_above = [None if c is None else order.parent[c] for c in carriers]
    return Spanning(
        tuple(graph.nodes[body].name for body in walk),
        tuple(models[node - first] for node in used),
        tuple(None if c is None else place[c] for c in carriers),
        tuple(None if body is None else number[body] for body in bodies_above),
        tuple(place[node] for node in used if node in loops),
        tuple(models[node - first] for node in drivers),
    )


def _needed(graph: Graph, order: EliminationOrder) -> set[int]:
    """The bodies that loop constraints touch, and all bodies above them."""
    needed: set[int] = set()
    for constraint in order.loop_constraints:
        for body in graph.nodes[constraint].bodies:
            while body is not None and body not in needed:
                needed.add(body)
                carrier = order.parent[body]
                body = None if carrier is None else order.parent[carrier]
    return needed


def _downwards(order: EliminationOrder) -> list[int]:
    """Every node of the forest after the node above it."""
    found: list[int] = []
    stack = [root for roots in reversed(order.roots) for root in reversed(roots)]
    while stack:
        node = stack.pop()
        found.append(node)
        stack.extend(reversed(order.children[node]))
    return found
