"""In which order to compute values that wait for one another: those come first that are known early and much waits for.

Block elimination is a few long chains (a reciprocal, a product, a difference, pivot after pivot) amid plenty of work
that nothing waits for. A processor looks a few hundred operations ahead, so the text brings the chains first and the
rest in their gaps.
"""

from __future__ import annotations

from symvi.scalar.expression import Graph, Scalar

WAIT = {
    "add": 4,
    "sub": 4,
    "mul": 3,
    "div": 13,
    "sqrt": 21,
}  # cycles until a result can be used; only their ratios matter


def chains_first(graph: Graph, outputs: list[Scalar]) -> list[int]:
    """Every node that `outputs` need, operands first, as `Graph.sequence` gives them, in an order that heeds waiting.

    Only values that are used more than once are ordered: the others are parts of the expressions that use them.
    """
    nodes = graph.sequence(outputs)
    uses = dict.fromkeys(nodes, 0)
    for index in nodes:
        for operand in graph.operands(index):
            uses[operand] += 1
    before, after = _before(graph, nodes), _after(graph, nodes)
    shared = [index for index in nodes if uses[index] != 1 or graph.operation(index) == "div"]
    shared.sort(key=lambda index: before[index] - after[index])
    return graph.sequence([*(graph.scalar(index) for index in shared), *outputs])


def _before(graph: Graph, nodes: list[int]) -> dict[int, int]:
    """The length of the longest chain that ends in every value, itself included."""
    before: dict[int, int] = {}
    for index in nodes:
        before[index] = max((before[i] for i in graph.operands(index)), default=0) + WAIT.get(graph.operation(index), 0)
    return before


def _after(graph: Graph, nodes: list[int]) -> dict[int, int]:
    """The length of the longest chain that starts with every value, itself excluded."""
    after = dict.fromkeys(nodes, 0)
    for index in reversed(nodes):
        wait = WAIT.get(graph.operation(index), 0)
        for operand in graph.operands(index):
            after[operand] = max(after[operand], after[index] + wait)
    return after
