"""The direction of RIQN under a quadrature rule: what impulses would change at rest (Lee16 section 3.2).

What the discrete Euler-Lagrange equations lack, r, are impulses along the coordinates. At the first knot they change
the rates there by M(q)^-1 r, which articulated bodies tell in O(n) (Featherstone). Their inertia belongs to the knot:
it is eliminated once a step, about the origin of the sweeps of rule_joint.py, and each iteration sends impulses
through it. With S of a coordinate at the knot and the articulated inertia A of what its joint carries,

    E = Sᵀ A S + e,  K = E^-1 Sᵀ A,  A - A S K to the body below                              once a step
    s0 = -E^-1 (r + Sᵀ z),  z + A S s0 to the body below;  s = s0 - K y_below,  y = y_below + S s    in an iteration

e is what linear springs and dampers along the coordinate add to the slopes, as in rule_inward.py: M alone would not
settle where they are strong. Nodes after the first one: one, as the midpoint rule and the trapezoid have. Of the three
starts of Lee16 section 3.3 that by accelerations is where the first iteration leads from q + h q', where p is kept.
"""

from __future__ import annotations

from symvi.kernels.blocks import Matrix, Vector
from symvi.kernels.carried_joint import BELOW, OWN, Place, Traced, TracedAt, blocks_sum, scaled
from symvi.kernels.rule_inward import RuleInward, product, spatial_inertia
from symvi.kernels.rule_joint import RuleJoint, in_rows, is_slide, twist
from symvi.kernels.tracing import Trace

SOURCE = "Lee16 Algorithm 3, derived here"


class RuleImpulses:
    """What a joint and the body that it carries do in these sweeps."""

    def __init__(self, own: RuleJoint, inward: RuleInward):
        self.own, self.link, self.inward = own, own.link, inward

    def phases(self) -> dict[str, Traced]:
        """What traces each phase that does not depend on the place in the tree, and what it does."""
        found: dict[str, Traced] = {"rest_nodes": (self.rest, "where the joint is at the first knot, and its S there")}
        return found | {"respond_nodes": (self.respond, "s = s0 - K y_below,  y = y_below + S s")}

    def placed(self) -> dict[str, TracedAt]:
        """The same of those that do."""
        return {
            "articulate_nodes": (self.articulate, "E = Sᵀ A S,  K = E^-1 Sᵀ A,  A - A S K to the body below"),
            "impel_nodes": (self.impel, "s0 = -E^-1 (r + Sᵀ z),  z + A S s0 to the body below"),
        }

    def _axes(self, trace: Trace) -> Matrix:
        return in_rows(self.own.get(trace, "rest_axes", 6 * self.link.freedoms), 6)

    def _needed(self, k: int) -> bool:
        """Whether anything follows what this coordinate leaves: what hangs on the ground leaves nothing there."""
        return bool(self.link.below) or k > 0

    @property
    def _kept(self) -> list[int]:
        return [k for k in range(self.link.freedoms) if self._needed(k)]

    # --- once a step --------------------------------------------------------------------------------------------------
    def rest(self, trace: Trace) -> None:
        own, zero = self.own, trace.graph.constant(0)
        anchor = [zero] * 3
        if self.link.below:
            with trace.computing("o = o_below + p", SOURCE):
                reach = own.joint.get(trace, "reach1", 3)
                anchor = blocks_sum(own.of(trace, BELOW, "rest_anchor", 3), reach)
        own.write(trace, OWN, "rest_anchor", anchor)
        pitch = own.joint.pitch(trace) if self.link.pitch else None
        found: Vector = []
        with trace.computing("S = [e; o x e], [0; e] of a slide", SOURCE):
            for k, axis in enumerate(own.axes_at_first(trace)):
                found += twist(axis, anchor, is_slide(self.link, k), pitch, zero)
        own.put(trace, "rest_axes", found)

    def articulate(self, trace: Trace, place: Place) -> None:
        own = self.own
        with trace.computing("A = M + A of what it carries", SOURCE):
            centre = blocks_sum(own.of(trace, OWN, "rest_anchor", 3), own.joint.of(trace, OWN, "arm1", 3))
            mass, inertia = trace.read(OWN, "parameters", "mass")[0], trace.read(OWN, "work", "j", 6)
            matrix = spatial_inertia(trace, mass, centre, inertia)
            if place.carries:
                carried = in_rows(own.of(trace, OWN, "rest_carried", 36), 6)
                matrix = [blocks_sum(a, b) for a, b in zip(carried, matrix, strict=True)]
        pivots, backs, lifts = ([trace.graph.constant(0)] * self.link.freedoms, {}, {})
        axes = self._axes(trace)
        for k in reversed(range(self.link.freedoms)):
            with trace.computing("E = Sᵀ A S + e,  K = E^-1 Sᵀ A", SOURCE):
                lift = [product(row, axes[k], trace) for row in matrix]
                side = [product(axes[k], column, trace) for column in zip(*matrix, strict=True)]
                # slopes of laws are those of r by a coordinate, which falls as it grows
                pivots[k] = product(axes[k], lift, trace) - self.inward.law_slopes(trace, k, 0)[0]
                backs[k], lifts[k] = [x / pivots[k] for x in side], lift
            if self._needed(k):
                with trace.computing("A - A S K", SOURCE):
                    matrix = [
                        [x - a * b for x, b in zip(row, backs[k], strict=True)]
                        for row, a in zip(matrix, lift, strict=True)
                    ]
        own.put(trace, "rest_pivot", pivots)
        own.put(trace, "rest_back", [x for k in self._kept for x in backs[k]])
        own.put(trace, "rest_lift", [x for k in self._kept for x in lifts[k]])
        own.add_below(trace, "rest_carried", [x for row in matrix for x in row], place)

    # --- in every iteration -------------------------------------------------------------------------------------------
    def impel(self, trace: Trace, place: Place) -> None:
        own, n = self.own, self.link.freedoms
        left = own.borne(trace, "rest_left", 6, place)
        lacking, pivots, axes = own.get(trace, "nodes_open", n), own.get(trace, "rest_pivot", n), self._axes(trace)
        lifts = in_rows(own.get(trace, "rest_lift", 6 * len(self._kept)), 6)
        start = [trace.graph.constant(0)] * n
        for k in reversed(range(n)):
            with trace.computing("s0 = -E^-1 (r + Sᵀ z),  z + A S s0", SOURCE):
                start[k] = -(lacking[k] + product(axes[k], left, trace)) / pivots[k]
                if self._needed(k):
                    left = blocks_sum(left, scaled(lifts[self._kept.index(k)], start[k]))
        own.put(trace, "increment", start)
        own.add_below(trace, "rest_left", left, place)

    def respond(self, trace: Trace) -> None:
        own, n = self.own, self.link.freedoms
        moved = own.of(trace, BELOW, "rest_motion", 6) if self.link.below else [trace.graph.constant(0)] * 6
        change, axes = own.get(trace, "increment", n), self._axes(trace)
        backs = in_rows(own.get(trace, "rest_back", 6 * len(self._kept)), 6)
        found: Vector = []
        for k in range(n):
            with trace.computing("s = s0 - K y_below,  y = y_below + S s", SOURCE):
                value = change[k] - product(backs[self._kept.index(k)], moved, trace) if self._needed(k) else change[k]
                moved = blocks_sum(moved, scaled(axes[k], value))
            found.append(value)
        own.put(trace, "increment", found)
        own.write(trace, OWN, "rest_motion", moved)
