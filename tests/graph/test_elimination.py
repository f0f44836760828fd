"""Elimination orders of mechanisms that one can follow by hand, and of the graphs of the papers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from string import ascii_letters

import pytest

from symvi.errors import SymviError
from symvi.graph import Constraint, EliminationOrder, Graph, carried_bodies, check, cost, plan
from tests.graph.topologies import chain, four_bars, ladder, lattice, parallel_cranks, scissor_lift


def names(graph: Graph, nodes: Iterable[int | None]) -> list[str]:
    return ["-" if node is None else graph.nodes[node].name for node in nodes]


def order_of(graph: Graph, method: str = "depth_first") -> EliminationOrder:
    order = plan(graph, method)
    check(graph, order)
    return order


def words(graph: Graph, order: EliminationOrder) -> str:
    return " ".join(names(graph, order.order))


def test_a_chain_is_eliminated_from_its_tip_without_fill_in():
    graph = chain(3)
    order = order_of(graph)
    assert words(graph, order) == "link2 joint2 link1 joint1 link0 joint0"
    assert not order.fill
    assert all(len(later) == 1 for later in order.later[:3])
    assert names(graph, order.parent) == ["joint0", "joint1", "joint2", "-", "link0", "link1"]
    assert order.children == ((4,), (5,), (), (0,), (1,), (2,))
    assert order.roots == ((3,),)


def test_subtrees_come_before_the_body_they_branch_from():
    graph = Graph.build(
        ["torso", "left", "hand", "right"],
        [
            Constraint("mount", 6, ("torso",), world=True),
            Constraint("left_shoulder", 3, ("torso", "left")),
            Constraint("wrist", 5, ("left", "hand")),
            Constraint("right_shoulder", 3, ("torso", "right")),
        ],
    )
    order = order_of(graph)
    assert words(graph, order) == "hand wrist left left_shoulder right right_shoulder torso mount"
    assert not order.fill


def test_the_direction_in_which_a_joint_names_its_bodies_does_not_matter():
    """Parent and child of a joint are the user's; the world decides which of the two is carried."""
    graph = Graph.build(
        ["tip", "base"], [Constraint("hinge", 5, ("tip", "base")), Constraint("mount", 5, ("base",), world=True)]
    )
    assert words(graph, order_of(graph)) == "tip hinge base mount"


def test_a_floating_tree_ends_at_its_first_body_and_components_follow_one_another():
    graph = Graph.build(
        ["hub", "panel", "pendulum", "satellite"],
        [Constraint("hinge", 5, ("panel", "hub")), Constraint("pivot", 5, ("pendulum",), world=True)],
    )
    order = order_of(graph)
    assert words(graph, order) == "panel hinge hub pendulum pivot satellite"
    assert [names(graph, roots) for roots in order.roots] == [["hub"], ["pivot"], ["satellite"]]


def test_the_joint_listed_last_closes_a_four_bar():
    graph = four_bars(1)
    order = order_of(graph)
    assert words(graph, order) == "rocker0 C0 coupler0 B0 crank0 A0 D0"
    assert names(graph, order.loop_constraints) == ["D0"]
    assert {tuple(names(graph, pair)) for pair in order.fill} == {
        ("C0", "D0"), ("coupler0", "D0"), ("B0", "D0"), ("crank0", "D0"), ("A0", "D0")
    }  # fmt: skip


def test_a_loop_in_the_air_is_closed_before_the_body_where_its_branches_meet():
    """Two branches from the body of a mounted base: the closing joint goes before that body, not to the end."""
    graph = Graph.build(
        ["base", "left", "right"],
        [
            Constraint("mount", 6, ("base",), world=True),
            Constraint("left_hip", 5, ("base", "left")),
            Constraint("right_hip", 5, ("base", "right")),
            Constraint("closing", 2, ("left", "right")),
        ],
    )
    assert words(graph, order_of(graph)) == "left left_hip right right_hip closing base mount"


def test_a_second_anchor_is_a_loop_although_the_graph_is_acyclic():
    graph = chain(3, closed_by=Constraint("anchor", 2, ("link2",), world=True))
    order = order_of(graph)
    assert names(graph, order.loop_constraints) == ["anchor"]
    assert words(graph, order).endswith("joint0 anchor")


def test_eliminating_an_equally_heavy_ring_outwards_from_its_first_anchor_is_cheaper():
    """Once the first crank and its anchor are gone the closing joint sees nothing of them: 3 blocks of fill, not 5."""
    graph = four_bars(1, closing_rows=5)
    order = order_of(graph, "auto")
    assert words(graph, order) == "crank0 A0 coupler0 B0 rocker0 C0 D0"
    assert (len(order_of(graph).fill), len(order.fill)) == (5, 3)


@pytest.mark.parametrize("method", ["depth_first", "minimum_fill"])
def test_four_bars_in_a_row_do_not_fill_each_other(method: str):
    """001: loops of constant size that share no joint cost linear time."""
    costs = []
    for segments in (1, 2, 3, 11):
        graph = four_bars(segments)
        order = order_of(graph, method)
        costs.append(cost(graph, order))
        assert len(order.fill) == 5 * segments
        for one, other in order.fill:
            assert graph.nodes[one].name.lstrip(ascii_letters) == graph.nodes[other].name.lstrip(ascii_letters)
    assert costs[2] - costs[1] == costs[1] - costs[0]
    assert costs[3] - costs[2] == 8 * (costs[1] - costs[0])


@pytest.mark.parametrize("linkage", [scissor_lift, parallel_cranks])
def test_loops_that_share_bodies_still_cost_linear_time(linkage):
    graphs = [linkage(size) for size in (10, 20, 30)]
    small, middle, large = (cost(graph, order_of(graph, "auto")) for graph in graphs)
    assert large - middle == middle - small


def test_depth_first_leaves_every_anchor_open_to_the_root():
    """Why there is another order: a row of cranks on the world fills in quadratically up the tree."""
    small, middle, large = (len(order_of(parallel_cranks(count)).fill) for count in (10, 20, 40))
    assert large > 3.5 * middle > 12 * small


def test_two_trees_on_the_world_tied_by_a_loop_or_a_damper_are_one_component():
    joints = [Constraint("A", 5, ("crank",), world=True), Constraint("B", 5, ("rocker",), world=True)]
    apart = Graph.build(["crank", "rocker"], joints)
    rod = Graph.build(["crank", "rocker"], [*joints, Constraint("rod", 1, ("crank", "rocker"))])
    damped = Graph.build(["crank", "rocker"], joints, links=[("crank", "rocker")])
    assert order_of(apart).roots == ((2,), (3,))
    assert order_of(rod).roots == order_of(damped).roots == ((2, 3),)
    assert words(rod, order_of(rod)) == "crank A rocker B rod"


def test_loops_in_a_row_between_trees_are_closed_in_their_row_however_they_are_listed():
    """Pendulums joined to their neighbours: tridiagonal after the pendulums, so no rod fills with a far one."""
    bodies = [f"pendulum{k}" for k in range(5)]
    rods = [Constraint(f"rod{k}", 1, (f"pendulum{k}", f"pendulum{k + 1}"), tree=False) for k in (2, 0, 3, 1)]
    graph = Graph.build(bodies, [*(Constraint(f"pivot{k}", 5, (f"pendulum{k}",), True) for k in range(5)), *rods])
    order = order_of(graph)
    assert words(graph, order).endswith("rod0 rod1 rod2 rod3")
    far = {tuple(sorted(names(graph, pair))) for pair in order.fill if min(pair) >= 10}
    assert far == {("rod0", "rod1"), ("rod1", "rod2"), ("rod2", "rod3")}


def test_a_driver_follows_the_joint_it_drives():
    """Its rows lie on the same two bodies as the joint's; it never carries the body."""
    graph = Graph.build(
        ["base", "arm"],
        [
            Constraint("motor", 1, ("base", "arm"), tree=False),
            Constraint("shoulder", 5, ("base", "arm")),
            Constraint("mount", 6, ("base",), world=True),
            Constraint("lift", 1, ("base",), world=True, tree=False),
        ],
    )
    order = order_of(graph)
    assert words(graph, order) == "arm shoulder motor base mount lift"
    assert names(graph, order.loop_constraints) == ["motor", "lift"]


def test_a_coupling_over_four_bodies_waits_for_both_its_joints():
    graph = Graph.build(
        ["base", "a", "b", "c", "d"],
        [
            Constraint("coupling", 1, ("a", "b", "c", "d")),
            Constraint("mount", 5, ("base",), world=True),
            Constraint("base_a", 5, ("base", "a")),
            Constraint("a_b", 5, ("a", "b")),
            Constraint("base_c", 5, ("base", "c")),
            Constraint("c_d", 5, ("c", "d")),
        ],
    )
    assert words(graph, order_of(graph)) == "b a_b a base_a d c_d c base_c coupling base mount"
    order_of(graph, "minimum_fill")


def test_a_coupling_between_trees_that_share_no_root_comes_last():
    graph = Graph.build(
        ["ship", "wheel", "crane"],
        [
            Constraint("coupling", 1, ("ship", "wheel", "crane")),
            Constraint("axle", 5, ("ship", "wheel")),
            Constraint("foot", 5, ("crane",), world=True),
        ],
    )
    for method in ("depth_first", "minimum_fill"):
        order = order_of(graph, method)
        assert names(graph, order.order)[-1] == "coupling"
        assert [names(graph, roots) for roots in order.roots] == [["ship", "foot"]]


def test_inner_loops_are_closed_before_outer_ones():
    graph = Graph.build(
        ["base", "a1", "a2", "b1", "b2"],
        [
            Constraint("base_a1", 5, ("base", "a1")),
            Constraint("a1_a2", 5, ("a1", "a2")),
            Constraint("base_b1", 5, ("base", "b1")),
            Constraint("b1_b2", 5, ("b1", "b2")),
            Constraint("outer", 1, ("a2", "b2")),
            Constraint("inner", 1, ("a1", "b1")),
        ],
    )
    assert words(graph, order_of(graph)).endswith("inner outer base")


def test_dampers_change_fill_in_but_never_the_forest():
    bare, damped = chain(4), chain(4)
    links = [("link0", "link1"), ("link0", "link3")]
    damped = Graph.build(names(bare, bare.bodies), _described(bare), links)
    order, reference = order_of(damped), order_of(bare)
    assert (order.order, order.parent, order.roots) == (reference.order, reference.parent, reference.roots)
    filled = {tuple(names(damped, pair)) for pair in order.fill}
    assert filled == {
        ("joint3", "link0"), ("link2", "link0"), ("joint2", "link0")
    }  # fmt: skip


def _described(graph: Graph) -> list[Constraint]:
    nodes = (graph.nodes[node] for node in graph.constraints)
    return [Constraint(node.name, node.dimension, tuple(names(graph, node.bodies)), node.world) for node in nodes]


def test_long_chains_need_no_recursion():
    graph = chain(20_000, closed_by=Constraint("anchor", 2, ("link19999",), world=True))
    order = plan(graph, "depth_first")
    assert names(graph, order.order[:2]) == ["link19999", "joint19999"]
    assert len(order.fill) == 2 * 20_000 - 1


@pytest.mark.parametrize(("graph", "at_most"), [(ladder(151), 150), (lattice(18, 2), 1950), (lattice(6, 3), 2800)])
def test_minimum_fill_on_the_graphs_of_001_figure_9(graph: Graph, at_most: int):
    """Bodies alone, so every order is regular. A ladder needs one fill-in per cell; a net in rows has 17 x 17 x 17."""
    order = order_of(graph, "minimum_fill")
    assert len(order.fill) <= at_most
    assert cost(graph, order) <= cost(graph, order_of(graph))
    assert plan(graph) in (order, order_of(graph))


def test_the_same_graph_gets_the_same_order():
    assert plan(scissor_lift(6)) == plan(scissor_lift(6))


def test_depth_first_is_preferred_where_it_costs_no_more():
    assert plan(four_bars(3), "auto") == plan(four_bars(3), "depth_first")
    assert plan(chain(5), "minimum_fill") == plan(chain(5), "depth_first")


def test_an_unknown_method_is_refused():
    with pytest.raises(SymviError, match="'nested'.*depth_first, minimum_fill, auto"):
        plan(chain(1), "nested")


def _moved(order: EliminationOrder, node: int, place: int) -> EliminationOrder:
    rest = [other for other in order.order if other != node]
    return replace(order, order=(*rest[:place], node, *rest[place:]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda order: _moved(order, 3, 0), "'A0' comes before 'crank0'"),
        (lambda order: _moved(order, 6, 5), "'D0' comes before 'A0'"),
        (lambda order: _moved(order, 0, 6), "'A0' comes before 'crank0'; 'D0' comes before 'crank0'"),
        (lambda order: replace(order, order=order.order[1:]), "every node exactly once"),
        (lambda order: replace(order, fill=order.fill - {min(order.fill)}), "fill-in"),
        (lambda order: replace(order, later=((), *order.later[1:])), "fill-in"),
        (lambda order: replace(order, loop_constraints=()), "not those of the forest"),
        (lambda order: replace(order, roots=()), "does not reach every body"),
        (lambda order: replace(order, roots=(order.roots[0] * 2,)), "reached twice"),
        (lambda order: replace(order, parent=(None, *order.parent[1:])), "'crank0' does not hang on 'A0'"),
    ],
)
def test_check_sees_what_is_wrong(wrong, message: str):
    graph = four_bars(1)
    with pytest.raises(SymviError, match=message):
        check(graph, wrong(plan(graph, "depth_first")))


def carried(graph: Graph) -> dict[str, str]:
    return {
        names(graph, [joint])[0]: names(graph, [body])[0] for joint, body in carried_bodies(graph, plan(graph)).items()
    }


def test_every_body_of_a_tree_is_eliminated_with_the_joint_that_carries_it():
    assert carried(chain(3)) == {"joint0": "link0", "joint1": "link1", "joint2": "link2"}


def test_bodies_of_a_loop_are_not_and_what_hangs_on_a_loop_is():
    graph = Graph.build(
        ["crank", "coupler", "rocker", "tool"],
        [
            Constraint("A", 5, ("crank",), world=True),
            Constraint("B", 5, ("crank", "coupler")),
            Constraint("C", 5, ("coupler", "rocker")),
            Constraint("D", 2, ("rocker",), world=True),
            Constraint("mount", 3, ("coupler", "tool")),
        ],
    )
    assert carried(graph) == {"mount": "tool"}


def test_a_body_that_something_else_ties_to_the_one_above_is_not():
    constraints = [Constraint("joint0", 5, ("link0",), world=True), Constraint("joint1", 5, ("link0", "link1"))]
    assert carried(Graph.build(["link0", "link1"], constraints, [("link0", "link1")])) == {"joint0": "link0"}


def test_a_joint_whose_other_body_went_before_it_is_not():
    """A free tip eliminated after its base: the joint is left with neither of its bodies."""
    graph = Graph.build(["base", "tip"], [Constraint("joint", 5, ("base", "tip"))])
    order = plan(graph)
    both_before = replace(order, order=(0, 1, 2), later=((2,), (2,), ()))
    assert carried_bodies(graph, order) and not carried_bodies(graph, both_before)
