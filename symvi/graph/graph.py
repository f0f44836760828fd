"""The graph of a mechanism: bodies and constraints as nodes, an edge for every off-diagonal block of the Newton matrix.

Topology only: a body is six velocities, a constraint is its rows and the bodies it touches. The world is no node; a
constraint knows whether it ties its bodies to it (BM20 section 4.2, BSMH23 section 4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from symvi.errors import SymviError

__all__ = ["BODY_DIMENSION", "Constraint", "Graph", "Node"]

BODY_DIMENSION = 6
MOST_BODIES = 4  # a coupling of two joint coordinates touches the two bodies of each joint


@dataclass(frozen=True)
class Constraint:
    """A constraint as the description knows it: the argument of `Graph.build`.

    rows: the rows it keeps, at least one (a joint that leaves everything free is no constraint).
    bodies: the one to four different bodies it touches, the world left out.
    world: it ties them to the world too. A constraint whose residual changes when all its bodies move together as
        one rigid body is tied to the world, whatever its arguments are: the elimination order relies on it.
    tree: it may carry a body in the spanning forest. False for couplings, drivers, and every constraint whose rows
        on one body alone can lack full rank.
    """

    name: str
    rows: int
    bodies: tuple[str, ...]
    world: bool = False
    tree: bool = True


@dataclass(frozen=True)
class Node:
    """A node of the graph.

    dimension: unknowns of its block: six for a body, the rows of a constraint.
    bodies: the body nodes that a constraint touches, in the order given; empty for a body.
    world: a constraint that ties its bodies to the world.
    tree: a constraint that may be an edge of the spanning forest: between two bodies, or one body and the world.
    """

    name: str
    kind: Literal["body", "constraint"]
    dimension: int
    bodies: tuple[int, ...] = ()
    world: bool = False
    tree: bool = False


@dataclass(frozen=True)
class Graph:
    """Nodes, bodies first and then constraints, each in the order given, and edges (i, j) with i < j, sorted.

    A node is known by its index in `nodes`.
    """

    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]

    @classmethod
    def build(
        cls, bodies: Sequence[str], constraints: Sequence[Constraint] = (), links: Iterable[tuple[str, str]] = ()
    ) -> Graph:
        """The graph of bodies and constraints, by name.

        links: pairs of bodies whose velocities a law couples directly (a damper); a pair with the world, or with the
            body itself, changes no off-diagonal block and does not belong here.
        Raises SymviError for a name that is repeated or unknown, and for a constraint that constrains nothing.
        """
        names = [*bodies, *(constraint.name for constraint in constraints)]
        if len(set(names)) < len(names):
            repeated = next(name for place, name in enumerate(names) if name in names[:place])
            raise SymviError(f"graph: the name '{repeated}' is given twice")
        index = {name: place for place, name in enumerate(bodies)}
        nodes = [Node(name, "body", BODY_DIMENSION) for name in bodies]
        nodes += [_constraint_node(constraint, index) for constraint in constraints]
        edges = {(body, place) for place, node in enumerate(nodes) for body in node.bodies}
        edges |= {_link_edge(link, index) for link in links}
        return cls(tuple(nodes), tuple(sorted(edges)))

    @cached_property
    def bodies(self) -> range:
        """The indices of the body nodes."""
        return range(sum(node.kind == "body" for node in self.nodes))

    @cached_property
    def constraints(self) -> range:
        """The indices of the constraint nodes."""
        return range(len(self.bodies), len(self.nodes))

    @cached_property
    def neighbors(self) -> tuple[tuple[int, ...], ...]:
        """For every node the nodes that share an edge with it, ascending."""
        near: list[list[int]] = [[] for _ in self.nodes]
        for one, other in self.edges:
            near[one].append(other)
            near[other].append(one)
        return tuple(tuple(sorted(nodes)) for nodes in near)


def _constraint_node(constraint: Constraint, index: dict[str, int]) -> Node:
    name, bodies = constraint.name, constraint.bodies
    unknown = [body for body in bodies if body not in index]
    if unknown:
        raise SymviError(f"constraint '{name}': there is no body '{unknown[0]}'")
    if not 1 <= len(bodies) <= MOST_BODIES or len(set(bodies)) < len(bodies):
        raise SymviError(f"constraint '{name}': needs one to {MOST_BODIES} different bodies, found {bodies}")
    if len(bodies) == 1 and not constraint.world:
        raise SymviError(f"constraint '{name}': ties body '{bodies[0]}' to nothing, name a second body or the world")
    if constraint.rows < 1:
        raise SymviError(f"constraint '{name}': has {constraint.rows} rows; without rows it is no node, leave it out")
    joins_two = len(bodies) + constraint.world == 2
    places = tuple(index[body] for body in bodies)
    return Node(name, "constraint", constraint.rows, places, constraint.world, constraint.tree and joins_two)


def _link_edge(link: tuple[str, str], index: dict[str, int]) -> tuple[int, int]:
    one, other = link
    if one not in index or other not in index:
        raise SymviError(f"link {one} - {other}: there is no body '{other if one in index else one}'")
    if one == other:
        raise SymviError(f"link {one} - {other}: joins a body to itself")
    return min(index[one], index[other]), max(index[one], index[other])
