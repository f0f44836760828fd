"""Where a step by a quadrature rule ends: the sweeps of order 2 go on from rates that would lead there."""

from __future__ import annotations

from symvi.kernels import common
from symvi.kernels.blocks import Matrix, Vector
from symvi.kernels.body_kernels import use
from symvi.kernels.carried_joint import BELOW, OWN, Traced
from symvi.kernels.rule_joint import RuleJoint, dual, is_slide
from symvi.kernels.rule_outward import carried, turned
from symvi.kernels.tracing import Trace
from symvi.physics import kinematics


class RuleLanding:
    """What a joint and the body that it carries do at the last node."""

    def __init__(self, own: RuleJoint):
        self.own, self.link = own, own.link

    def phases(self) -> dict[str, Traced]:
        """What traces each phase, and what it does."""
        return {"land_nodes": (self.land, "rates that lead over the whole step as the last node does")}

    def land(self, trace: Trace) -> None:
        """u of the sweeps of order 2, with the last node as the second knot: (4/h) tan of a quarter of a turn.

        Of a body that turns freely, its own angular velocity, (2/h) a of its turn [c; a].
        """
        nodes = self.own.nodes(trace, "nodes")
        turn = self._last_turn(trace, nodes)
        if not self.link.freedoms:
            return
        rates = [row[-1] for row in nodes]
        quarter, found = common.half_step(trace) / 2, []
        for k, rate in enumerate(rates[: self.link.slides if self.link.is_absolute else len(rates)]):
            if is_slide(self.link, k):
                found.append(rate)
                continue
            with trace.computing("u = (4/h) tan((q2 - q1)/4)", "derived here"):
                angle = quarter * rate
                tangent = trace.graph.function("sin", angle) / trace.graph.function("cos", angle)
                found.append(tangent / quarter)
        if self.link.is_absolute:
            found += self._own_rate(trace, turn)
        self.own.joint.put(trace, "base", found)
        self.own.joint.put(trace, "s", [trace.graph.constant(0)] * len(found))

    def _last_turn(self, trace: Trace, nodes: Matrix) -> Vector:
        """[c; a] at the last node; of free turns also how momenta along them are torques there."""
        own, link = self.own, self.link
        zero, one = trace.graph.constant(0), trace.graph.constant(1)
        turn = own.of(trace, BELOW, "last_turn", 4) if link.below else [one, zero, zero, zero]
        h, axes = common.step(trace), []
        for k, axis1 in enumerate(own.axes_at_first(trace)):
            if is_slide(link, k):
                continue
            if link.is_absolute:
                rotation = use(trace, kinematics.rotation_matrix, "of the turn", q=turn)["R"]
                axes.append(carried(trace, rotation, axis1, "axis"))
            turn = turned(trace, turn, axis1, h * nodes[k][-1])
        own.write(trace, OWN, "last_turn", turn)
        if link.is_absolute:
            with trace.computing("tau = [e1, e2, e3]^-T of the momenta along e1, e2, e3", "derived here"):
                own.put(trace, "frame_back", [x for row in dual(axes) for x in row])
        return turn

    @staticmethod
    def _own_rate(trace: Trace, turn: Vector) -> Vector:
        """(2/h) a; of more than half a turn far longer, so that control sees it: a step cannot turn so far."""
        c = turn[0]
        with trace.computing("w = (2/h) a (1 + 1e6 (|c| - c))", "derived here"):
            longer = 1 + 1000000 * (trace.graph.function("sqrt", c * c) - c)
            return [x * longer * common.inverse_step(trace) * 2 for x in turn[1:]]
