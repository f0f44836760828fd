"""The order in which the blocks of the Newton matrix are eliminated, and the fill-in that it makes.

BM20 says that any root will do; it will not: the block of a constraint is exactly zero until a neighbouring body has
been eliminated. Here the forest is rooted at constraints to the world (or a base body), a tree constraint comes after
the body that it carries, and a constraint that closes a loop after all of the loop but the common ancestor of its
bodies. regular_pivots.py says why every pivot is then regular; the algorithms that use the order are in BM20 section
4.2 and BSMH23 section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from symvi.errors import SymviError
from symvi.graph.fill import eliminate, minimum_fill
from symvi.graph.forest import Forest, components, span
from symvi.graph.graph import Graph
from symvi.graph.regular_pivots import RegularPivots

__all__ = ["EliminationOrder", "Method", "carried_bodies", "cost", "plan"]

Method = Literal["depth_first", "minimum_fill", "auto"]
# (a component, by its first node; a body, or None for the component's end) -> the loop constraints to close just before
Closing = Mapping[tuple[int, int | None], Sequence[int]]


@dataclass(frozen=True)
class EliminationOrder:
    """An elimination order. Nodes are indices into `Graph.nodes`; tuples "for every node" are in that order too.

    order: all nodes, the first eliminated first.
    later: for every node its neighbours eliminated after it, in elimination order, fill-in included: the blocks that
        its elimination reads and changes.
    fill: pairs (i, j), i eliminated before j, that are no edge of the graph and become nonzero.
    tree_constraints, loop_constraints: the constraints in the spanning forest, and the others; ascending.
    roots: for each connected component the roots of its trees: constraints to the world, or the base body of a
        floating tree. Components and roots in the order of their bodies.
    parent: for every node the node above it in the forest: body -> constraint -> body. None for roots and for loop
        constraints.
    children: for every node the nodes below it in the forest, ascending.
    """

    order: tuple[int, ...]
    later: tuple[tuple[int, ...], ...]
    fill: frozenset[tuple[int, int]]
    tree_constraints: tuple[int, ...]
    loop_constraints: tuple[int, ...]
    roots: tuple[tuple[int, ...], ...]
    parent: tuple[int | None, ...]
    children: tuple[tuple[int, ...], ...]


def plan(graph: Graph, method: Method = "auto") -> EliminationOrder:
    """Choose the elimination order of a graph; the same graph always gets the same one.

    depth_first: up the forest, subtree by subtree, the order of the papers.
    minimum_fill: the greedy order among those that eliminate every constraint after what it needs.
    auto: the cheaper of the two by `cost`, depth first when equal.
    Where there are loops, two forests compete: the one in which of every loop the constraint listed last closes it,
    and the one that a free minimum-fill order suggests, which keeps loops short. The first wins when equal.
    A depth-first order without fill-in is taken for all methods.
    """
    if method not in get_args(Method):
        raise SymviError(f"elimination order: unknown method '{method}'; there are {', '.join(get_args(Method))}")
    given = span(graph, graph.constraints)
    first = _elimination(graph, given, depth_first(graph, given))
    if not first.fill:
        return first
    forests = [given]
    if first.loop_constraints:
        forests.append(_short_loops(graph))
    found = []
    if method != "minimum_fill":
        found = [first, *(_elimination(graph, forest, depth_first(graph, forest)) for forest in forests[1:])]
    if method != "depth_first":
        found += [_elimination(graph, forest, _minimum_fill(graph, forest)) for forest in forests]
    return min(found, key=lambda order: cost(graph, order))


def cost(graph: Graph, order: EliminationOrder) -> int:
    """Multiplications and divisions of one block LDU factorisation with one right-hand side, all blocks dense.

    The count of scalar elimination without pivoting: a pivot with r unknowns after it in its row costs r divisions, r^2
    multiplications for the update, 2 r + 1 for the substitutions.
    """
    total = 0
    for node, later in zip(graph.nodes, order.later, strict=True):
        outside = sum(graph.nodes[other].dimension for other in later)
        total += sum(r * r + 3 * r + 1 for r in range(outside, outside + node.dimension))
    return total


def depth_first(graph: Graph, forest: Forest) -> list[int]:
    """Component by component, subtree by subtree, each loop constraint immediately before the ancestor of its loop.

    A loop through the world, or between different roots, is closed at the end of its component.
    """
    component = components(graph)
    finish = {node: place for place, node in enumerate(_upwards(forest, component, {}))}
    return _upwards(forest, component, _closing(graph, forest, component, finish))


def _closing(graph: Graph, forest: Forest, component: list[int], finish: Mapping[int, int]) -> Closing:
    """Where to close the loops.

    Those at one place follow the subtrees that they complete, so that loops in a row fill in no more than they must;
    where that is the same the inner, shorter loop comes first, then the given order.
    """
    found: dict[tuple[int, int | None], list[tuple[int, int, int]]] = {}
    for node in graph.constraints:
        if not forest.children[node]:
            loop = forest.loop(graph.nodes[node].bodies, graph.nodes[node].world)
            complete = max(finish[body] for body in loop.path)
            found.setdefault((component[node], loop.ancestor), []).append((complete, len(loop.path), node))
    return {place: [node for *_, node in sorted(closed)] for place, closed in found.items()}


def _upwards(forest: Forest, component: list[int], closing: Closing) -> list[int]:
    """Every node after all nodes below it, and after the loop constraints that are closed before it."""
    sequence: list[int] = []
    # Built backwards, last node first: there a node comes before what is below it, and a stack is enough.
    for roots in reversed(_roots(forest, component)):
        sequence.extend(reversed(closing.get((component[roots[0]], None), ())))
        stack = list(roots)
        while stack:
            node = stack.pop()
            sequence.append(node)
            sequence.extend(reversed(closing.get((component[node], node), ())))
            stack.extend(forest.children[node])
    sequence.reverse()
    return sequence


def _minimum_fill(graph: Graph, forest: Forest) -> list[int]:
    return minimum_fill(graph, RegularPivots(graph, forest))


def _short_loops(graph: Graph) -> Forest:
    """The forest in which the constraints of a free minimum-fill order carry bodies, each unless it closes a loop."""
    return span(graph, [node for node in minimum_fill(graph, RegularPivots(graph)) if node not in graph.bodies])


def _roots(forest: Forest, component: list[int]) -> tuple[tuple[int, ...], ...]:
    grouped: dict[int, list[int]] = {}
    for root in forest.roots:
        grouped.setdefault(component[root], []).append(root)
    return tuple(tuple(grouped[first]) for first in sorted(grouped))


def _elimination(graph: Graph, forest: Forest, order: list[int]) -> EliminationOrder:
    later, fill = eliminate(graph, order)
    return EliminationOrder(
        order=tuple(order),
        later=later,
        fill=fill,
        tree_constraints=tuple(node for node in graph.constraints if forest.children[node]),
        loop_constraints=tuple(node for node in graph.constraints if not forest.children[node]),
        roots=_roots(forest, components(graph)),
        parent=forest.parent,
        children=forest.children,
    )


def carried_bodies(graph: Graph, order: EliminationOrder) -> dict[int, int]:
    """Bodies that are tied to nothing but the constraint that carries them by then, by that constraint.

    Such a constraint has no other neighbour eliminated before it, and at most the body above after it: the two can be
    eliminated in one step.
    """
    before: dict[int, list[int]] = {}
    for node in order.order:
        for other in order.later[node]:
            before.setdefault(other, []).append(node)
    alone = {
        joint: body
        for body in graph.bodies
        if (joint := order.parent[body]) is not None and order.later[body] == (joint,) and before[joint] == [body]
    }
    return {joint: body for joint, body in alone.items() if _hangs(graph, order.later[joint])}


def _hangs(graph: Graph, later: tuple[int, ...]) -> bool:
    return len(later) <= 1 and all(node in graph.bodies for node in later)
