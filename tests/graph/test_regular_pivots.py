"""Numbers as the witness: random mechanisms with exactly zero constraint blocks, eliminated without pivoting.

Newton's matrix is [[D, -G^T], [G, 0]] with D + D^T positive definite and the rows of G independent. A row that does not
involve the world is built so that its forces on all bodies sum to nothing, as those of a joint do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symvi.graph import Constraint, EliminationOrder, Graph, check, cost, plan
from symvi.graph.fill import eliminate
from tests.graph.topologies import four_bars, lattice

# Rows count as independent above this; pivots then stay above about its square. A singular pivot has 1e-16.
INDEPENDENT = 1e-2
SINGULAR = 1e-9


@dataclass(frozen=True)
class Mechanism:
    graph: Graph
    matrix: np.ndarray
    blocks: tuple[slice, ...]


def constraint_blocks(generator: np.random.Generator, rows: int, bodies: int, world: bool) -> np.ndarray:
    """Random rows over their bodies, shape (rows, bodies, 6); without the world the bodies' blocks sum to zero."""
    blocks = generator.normal(size=(rows, bodies, 6))
    if not world:
        blocks[:, -1] = -blocks[:, :-1].sum(axis=1)
    return blocks / np.linalg.norm(blocks, axis=(1, 2), keepdims=True)


def independent_rows(kept: np.ndarray, rows: np.ndarray) -> list[int]:
    """The rows that stay independent of those kept and of each other, in the order given."""
    chosen: list[int] = []
    for row in range(len(rows)):
        stacked = np.vstack([kept, rows[[*chosen, row]]])
        if len(stacked) <= stacked.shape[1] and np.linalg.svd(stacked, compute_uv=False)[-1] > INDEPENDENT:
            chosen.append(row)
    return chosen


def numbered(seed: int, bodies: list[str], constraints: list[Constraint], links: list[tuple[str, str]]) -> Mechanism:
    """Give a description random numbers; rows that are redundant are dropped, as the builder does."""
    generator = np.random.default_rng(seed)
    jacobian, kept = np.zeros((0, 6 * len(bodies))), []
    for constraint in constraints:
        rows = np.zeros((constraint.rows, len(bodies), 6))
        places = [bodies.index(body) for body in constraint.bodies]
        rows[:, places] = constraint_blocks(generator, constraint.rows, len(places), constraint.world)
        rows = rows.reshape(constraint.rows, -1)
        chosen = independent_rows(jacobian, rows)
        if chosen:
            kept.append(Constraint(constraint.name, len(chosen), constraint.bodies, constraint.world, constraint.tree))
            jacobian = np.vstack([jacobian, rows[chosen]])
    graph = Graph.build(bodies, kept, links)
    dynamics = dissipative(generator, graph)
    matrix = np.block([[dynamics, -jacobian.T], [jacobian, np.zeros((len(jacobian), len(jacobian)))]])
    ends = np.cumsum([node.dimension for node in graph.nodes])
    return Mechanism(graph, matrix, tuple(map(slice, (0, *ends[:-1]), ends)))


def dissipative(generator: np.random.Generator, graph: Graph) -> np.ndarray:
    """Body blocks and damper links: not symmetric, with positive definite symmetric part."""
    size = 6 * len(graph.bodies)
    matrix = np.zeros((size, size))
    for body in graph.bodies:
        matrix[6 * body : 6 * body + 6, 6 * body : 6 * body + 6] = positive(generator)
    for one, other in graph.edges:
        if other in graph.bodies:
            difference = np.zeros((6, size))
            difference[:, 6 * one : 6 * one + 6] = np.eye(6)
            difference[:, 6 * other : 6 * other + 6] = -generator.normal(size=(6, 6))
            matrix += difference.T @ positive(generator) @ difference
    return matrix


def positive(generator: np.random.Generator) -> np.ndarray:
    root, skew = generator.normal(size=(2, 6, 6))
    return 0.2 * root @ root.T + np.eye(6) + 0.3 * (skew - skew.T)


def solve(mechanism: Mechanism, order: EliminationOrder, right: np.ndarray) -> tuple[np.ndarray, float]:
    """Eliminate block by block in the order, reading and writing only what the order lists.

    Returns the solution and the smallest singular value of any pivot block.
    """
    matrix, solution, blocks = mechanism.matrix.copy(), right.copy(), mechanism.blocks
    smallest = np.inf
    for node in order.order:
        pivot = matrix[blocks[node], blocks[node]]
        smallest = min(smallest, np.linalg.svd(pivot, compute_uv=False)[-1])
        for row in order.later[node]:
            factor = matrix[blocks[row], blocks[node]] @ np.linalg.inv(pivot)
            solution[blocks[row]] -= factor @ solution[blocks[node]]
            for column in order.later[node]:
                matrix[blocks[row], blocks[column]] -= factor @ matrix[blocks[node], blocks[column]]
    for node in reversed(order.order):
        for column in order.later[node]:
            solution[blocks[node]] -= matrix[blocks[node], blocks[column]] @ solution[blocks[column]]
        solution[blocks[node]] = np.linalg.solve(matrix[blocks[node], blocks[node]], solution[blocks[node]])
    return solution, float(smallest)


def nonzero_later(graph: Graph, order: EliminationOrder) -> dict[int, set[int]]:
    """For every node the later blocks that are nonzero when it is eliminated, by numbers that do not cancel."""
    generator = np.random.default_rng(0)
    matrix = np.diag(np.full(len(graph.nodes), 10.0 * len(graph.nodes)))
    for one, other in graph.edges:
        matrix[one, other], matrix[other, one] = generator.uniform(-1.0, -0.5, size=2)
    remaining = set(order.order)
    found = {}
    for node in order.order:
        remaining.remove(node)
        found[node] = {other for other in remaining if matrix[node, other] != 0.0}
        for row in found[node]:
            matrix[row] -= matrix[row, node] / matrix[node, node] * matrix[node]
    return found


@st.composite
def mechanisms(draw: st.DrawFn) -> Mechanism:
    """Trees on the world and floating, loops, couplings over up to four bodies, drivers, and dampers, listed anyhow."""
    count = draw(st.integers(1, 7))
    bodies = [f"body{k}" for k in range(count)]
    some = st.lists(st.sampled_from(bodies), min_size=1, max_size=4, unique=True).map(tuple)
    constraints = []
    for k, body in enumerate(bodies):
        on = draw(st.sampled_from(["world", "nothing", *bodies[:k]]))
        if on != "nothing":
            held = (body,) if on == "world" else (on, body)
            constraints.append(Constraint(f"joint{k}", draw(st.integers(1, 6)), held, world=on == "world"))
            if draw(st.booleans()):
                constraints.append(Constraint(f"driver{k}", 1, held, world=on == "world", tree=False))
    for k in range(draw(st.integers(0, 5))):
        held, world, tree = draw(some), draw(st.booleans()), draw(st.booleans())
        rows = draw(st.integers(1, 5))
        constraints.append(Constraint(f"loop{k}", rows, held, world or len(held) == 1, tree))
    links = draw(st.lists(some.filter(lambda pair: len(pair) == 2), max_size=3))
    return numbered(draw(st.integers(0, 2**32 - 1)), bodies, draw(st.permutations(constraints)), links)


@pytest.mark.parametrize("method", ["depth_first", "minimum_fill"])
@given(mechanism=mechanisms())
def test_every_pivot_is_regular_and_fill_in_is_what_was_predicted(method: str, mechanism: Mechanism):
    order = plan(mechanism.graph, method)
    check(mechanism.graph, order)
    right = np.random.default_rng(1).normal(size=len(mechanism.matrix))
    solution, smallest = solve(mechanism, order, right)
    assert smallest > SINGULAR
    # Pivots down to 1e-5 may cost that many digits; a block left out of `later` costs all of them.
    scale = np.linalg.norm(mechanism.matrix) * np.linalg.norm(solution) + np.linalg.norm(right)
    assert np.linalg.norm(mechanism.matrix @ solution - right) < 1e-9 * scale
    expected = np.linalg.solve(mechanism.matrix, right)
    assert np.linalg.norm(solution - expected) < 1e-11 * np.linalg.cond(mechanism.matrix) * np.linalg.norm(expected)
    nonzero = nonzero_later(mechanism.graph, order)
    assert all(nonzero[node] == set(order.later[node]) for node in order.order)


@pytest.mark.parametrize("graph", [four_bars(3), lattice(5, 2), lattice(3, 3)])
@pytest.mark.parametrize("method", ["depth_first", "minimum_fill"])
def test_fill_in_of_linkages_and_lattices_is_exact(graph: Graph, method: str):
    order = plan(graph, method)
    nonzero = nonzero_later(graph, order)
    assert all(nonzero[node] == set(order.later[node]) for node in order.order)
    edges = {frozenset(edge) for edge in graph.edges}
    filled = {(node, other) for node in nonzero for other in nonzero[node] if frozenset((node, other)) not in edges}
    assert filled == order.fill


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("A0 crank0 B0 coupler0 C0 rocker0 D0", "a joint before both its bodies: its block is still zero"),
        ("crank0 A0 coupler0 B0 C0 rocker0 D0", "every joint after a body, but 15 rows on the 12 freedoms so far"),
    ],
)
def test_the_numbers_see_an_order_that_breaks_the_rules(wrong: str, why: str):
    graph = four_bars(1)
    names = [node.name for node in graph.nodes]
    described = [
        Constraint(node.name, node.dimension, tuple(names[body] for body in node.bodies), node.world)
        for node in graph.nodes[3:]
    ]
    mechanism = numbered(0, names[:3], described, [])
    assert mechanism.graph == graph
    order = tuple(names.index(name) for name in wrong.split())
    broken = replace(plan(graph), order=order, later=eliminate(graph, order)[0])
    with pytest.raises((np.linalg.LinAlgError, AssertionError)):
        assert solve(mechanism, broken, np.ones(len(mechanism.matrix)))[1] > SINGULAR, why


def test_cost_counts_the_operations_of_a_scalar_elimination():
    """A net of three by three bodies, each block dense: count every multiplication and division one by one."""
    graph = lattice(3, 2)
    order = plan(graph, "minimum_fill")
    scalars = [(node, row) for node in order.order for row in range(graph.nodes[node].dimension)]
    count = 0
    for place, (node, _) in enumerate(scalars):
        remaining = sum(other == node or other in order.later[node] for other, _ in scalars[place + 1 :])
        count += remaining + remaining * remaining  # the row's factors, and the update
        count += 2 * remaining + 1  # forward, backward, division by the pivot
    assert cost(graph, order) == count
