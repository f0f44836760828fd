"""The graph: numbering, edges, and refusals that name the element."""

from __future__ import annotations

import pytest

from symvi.errors import SymviError
from symvi.graph import Constraint, Graph, Node


def test_bodies_come_first_then_constraints_each_in_the_order_given():
    graph = Graph.build(
        ["thigh", "shank"],
        [Constraint("knee", 5, ("thigh", "shank")), Constraint("hip", 3, ("thigh",), world=True)],
        links=[("shank", "thigh")],
    )
    assert graph.nodes == (
        Node("thigh", "body", 6),
        Node("shank", "body", 6),
        Node("knee", "constraint", 5, (0, 1), world=False, tree=True),
        Node("hip", "constraint", 3, (0,), world=True, tree=True),
    )
    assert graph.edges == ((0, 1), (0, 2), (0, 3), (1, 2))
    assert graph.neighbors == ((1, 2, 3), (0, 2), (0, 1), (0,))
    assert (graph.bodies, graph.constraints) == (range(2), range(2, 4))


def test_only_what_joins_two_can_be_a_tree_edge():
    """Four bodies, or two and the world, have no one side that the other carries."""
    graph = Graph.build(
        list("abcd"),
        [
            Constraint("coupling", 1, ("a", "b", "c", "d")),
            Constraint("plane", 1, ("a", "b"), world=True),
            Constraint("driver", 1, ("a", "b"), tree=False),
        ],
    )
    assert [graph.nodes[node].tree for node in graph.constraints] == [False, False, False]


def test_a_link_over_a_pair_is_one_edge_however_often_it_is_given():
    assert Graph.build(["a", "b"], links=[("a", "b"), ("b", "a")]).edges == ((0, 1),)


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (Constraint("hip", 5, ("pelvis",), world=True), "'hip'.*no body 'pelvis'"),
        (Constraint("hip", 5, ("leg",)), "'hip'.*'leg' to nothing"),
        (Constraint("hip", 5, (), world=True), "'hip'.*one to 4"),
        (Constraint("hip", 5, ("leg", "leg")), "'hip'.*different bodies"),
        (Constraint("hip", 0, ("leg",), world=True), "'hip'.*leave it out"),
        (Constraint("leg", 5, ("leg",), world=True), "'leg' is given twice"),
    ],
)
def test_a_constraint_that_constrains_nothing_is_refused_by_name(constraint: Constraint, words: str):
    with pytest.raises(SymviError, match=words):
        Graph.build(["leg"], [constraint])


@pytest.mark.parametrize(("link", "words"), [(("a", "x"), "no body 'x'"), (("x", "a"), "'x'"), (("a", "a"), "itself")])
def test_a_link_to_nothing_is_refused(link: tuple[str, str], words: str):
    with pytest.raises(SymviError, match=words):
        Graph.build(["a"], links=[link])
