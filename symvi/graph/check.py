"""The rules of a correct elimination order, read off the order itself."""

from __future__ import annotations

from symvi.errors import SymviError
from symvi.graph.elimination import EliminationOrder
from symvi.graph.fill import eliminate
from symvi.graph.forest import Forest
from symvi.graph.graph import Graph

__all__ = ["check"]


def check(graph: Graph, order: EliminationOrder) -> None:
    """Raise SymviError, naming the nodes, unless the order is one that gives every constraint a regular pivot.

    The order holds every node once. The forest runs over edges of the graph, and constraints outside it are listed as
    loop constraints. A tree constraint comes after the body it carries. A loop constraint comes after every body on
    the tree paths between its bodies and after the constraints that carry these, the lowest common ancestor left out;
    through the world, or between different roots, after the paths to the roots. `later` and `fill` are exact.
    """
    problems = _forest_problems(graph, order)
    if sorted(order.order) != list(range(len(graph.nodes))):
        problems.append("the order does not hold every node exactly once")
    if not problems:
        problems = _precedence_problems(graph, order)
    if not problems and (order.later, order.fill) != eliminate(graph, order.order):
        problems.append("the neighbours eliminated later, or the fill-in, are not those of this order")
    if problems:
        raise SymviError("elimination order: " + "; ".join(problems))


def _forest_problems(graph: Graph, order: EliminationOrder) -> list[str]:
    problems = []
    seen: set[int] = set()
    stack = [root for roots in order.roots for root in roots]
    while stack:
        node = stack.pop()
        if node in seen:
            return [f"'{graph.nodes[node].name}' is reached twice in the forest"]
        seen.add(node)
        for below in order.children[node]:
            if order.parent[below] != node or below not in graph.neighbors[node]:
                problems.append(f"'{graph.nodes[below].name}' does not hang on '{graph.nodes[node].name}'")
        stack.extend(order.children[node])
    trees = {node for node in graph.constraints if node in seen}
    if trees != set(order.tree_constraints) or set(graph.constraints) - trees != set(order.loop_constraints):
        problems.append("tree and loop constraints are not those of the forest")
    if not set(graph.bodies) <= seen:
        problems.append("the forest does not reach every body")
    for node in sorted(trees):
        ends = len(order.children[node]) + (order.parent[node] is not None)
        if not graph.nodes[node].tree or ends != len(graph.nodes[node].bodies):
            problems.append(f"'{graph.nodes[node].name}' must not carry a body")
    return problems


def _precedence_problems(graph: Graph, order: EliminationOrder) -> list[str]:
    place = {node: number for number, node in enumerate(order.order)}
    needs = {node: set(order.children[node]) for node in order.tree_constraints}
    forest = Forest(order.parent, order.children, _depths(order), ())
    for node in order.loop_constraints:
        path = forest.loop(graph.nodes[node].bodies, graph.nodes[node].world).path
        needs[node] = {*path, *(forest.parent[body] for body in path)} - {None}
    return [
        f"'{graph.nodes[node].name}' comes before '{graph.nodes[needed].name}'"
        for node in sorted(needs)
        for needed in sorted(needs[node])
        if place[needed] > place[node]
    ]


def _depths(order: EliminationOrder) -> tuple[int, ...]:
    depth = [0] * len(order.parent)
    stack = [root for roots in order.roots for root in roots]
    while stack:
        node = stack.pop()
        for below in order.children[node]:
            depth[below] = depth[node] + 1
            stack.append(below)
    return tuple(depth)
