"""When a constraint may be eliminated: it must have a regular pivot although its own block is exactly zero.

What was eliminated falls into connected parts. A part *hangs* on what its constraints tie it to: a body still to come,
the world, or nothing. If at every moment no part hangs on more than one of these, every pivot is regular, as long as
the rows of the whole mechanism are independent and the body blocks positive definite:
- the pivots are regular exactly if the rows of the eliminated constraints, restricted to the eliminated bodies, are
  independent at every moment;
- suppose multipliers of these constraints whose forces on the eliminated bodies vanish. Forces that do not involve the
  world sum to nothing, so a part that hangs on one body leaves no force on that body either. The multipliers then
  balance in the whole mechanism, whose rows are independent: they are zero.
A tree constraint after the body that it carries, a loop constraint after its whole loop but the common ancestor: these
two rules keep every part hanging on one thing, in whatever order subtrees and bodies are taken.
"""

from __future__ import annotations

from symvi.graph.forest import Forest, find
from symvi.graph.graph import Graph

__all__ = ["RegularPivots"]


class RegularPivots:
    """Readiness of the nodes of a graph, for one elimination (see `fill.Readiness`).

    forest: with a forest its tree constraints carry the bodies, each ready after the body it carries. Without one,
        any constraint that may be in a forest and is ready carries: this finds a forest with short loops.
    """

    def __init__(self, graph: Graph, forest: Forest | None = None):
        self.graph = graph
        self.forest = forest
        self.world = len(graph.bodies)
        # Every body points to what it hangs on; one that hangs on nothing points to itself.
        self.up = list(range(self.world + 1))
        self.gone = [False] * self.world + [False]

    def ready(self, node: int) -> bool:
        if node in self.graph.bodies:
            return True
        tops = self._tops(node)
        if len(set(tops)) == 1 or self._carried(node) is not None:
            return True
        return not self._in_forest(node) and all(self._finished(top) for top in tops)

    def eliminated(self, node: int) -> None:
        if node in self.graph.bodies:
            self.gone[node] = True
            return
        carried = self._carried(node)
        if carried is not None:
            top = find(self.up, carried)
            self.up[top] = next((other for other in self._tops(node) if other != top), top)

    def _tops(self, constraint: int) -> list[int]:
        """What each body of a constraint hangs on, a body still to come on itself; and the world where it is tied."""
        node = self.graph.nodes[constraint]
        return [find(self.up, body) for body in node.bodies] + [self.world] * node.world

    def _carried(self, constraint: int) -> int | None:
        """A body of the constraint that is eliminated, hangs on nothing yet, and could hang by it."""
        if self.forest is None:
            below = self.graph.nodes[constraint].bodies if self.graph.nodes[constraint].tree else ()
        else:
            below = self.forest.children[constraint]
        return next((body for body in below if self.gone[find(self.up, body)]), None)

    def _in_forest(self, constraint: int) -> bool:
        return self.forest is not None and bool(self.forest.children[constraint])

    def _finished(self, top: int) -> bool:
        """Nothing more will carry this part: it hangs on the world, or its base body is eliminated."""
        return top == self.world or (self.gone[top] and (self.forest is None or self.forest.parent[top] is None))
