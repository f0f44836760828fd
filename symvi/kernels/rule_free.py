"""Axes about which a body turns freely under a quadrature rule: three hinges in a row, without mass between them.

The first is fixed to the body below, or to the world; the third, the pin, to the body that is carried; the second is
across both. Angles about them are coordinates for as long as the pin stays the same: a step is variational in these
(JM09 and Fan18 have such hinges in the description). Where the pin is nearer to the first axis than 30 degrees, it
becomes the axis of the body that is furthest from it, and momenta go on as they are.
"""

from __future__ import annotations

from fractions import Fraction

from symvi.kernels.blocks import Vector, cross
from symvi.kernels.body_kernels import use
from symvi.kernels.carried_joint import BELOW, OWN, Traced, blocks_sum, scaled
from symvi.kernels.rule_joint import RuleJoint
from symvi.kernels.rule_outward import sum_of
from symvi.kernels.tracing import Trace
from symvi.physics import kinematics
from symvi.scalar import Scalar

NEAR = 0.75  # square of the cosine of 30 degrees
SHARP = 10**12  # what makes one or nothing of a difference
PIN = "axis of the body about which its last turn is, until it is near the first one", "1"


class FreeTurns:
    """What a joint of three free rotations adds to the phases of a rule."""

    def __init__(self, own: RuleJoint):
        self.own, self.link = own, own.link

    def phases(self) -> dict[str, Traced]:
        """What traces each phase, and what it does."""
        if not self.link.is_absolute:
            return {}
        return {
            "choose_pin": (self.choose, "the pin, where it is near the first axis or none is chosen"),
            "frame_nodes": (self.frame, "axes about which it turns"),
        }

    def choose(self, trace: Trace) -> None:
        """No derivative asks for this: the pin is a constant of the step."""
        graph, zero, first = trace.graph, trace.graph.constant(0), self._first(trace)
        rotation = self._rotation(trace, OWN)
        pin = trace.read(self.own.kind, "state", "pin", 3, *PIN)
        with trace.computing("the axis of the body that is furthest from the first one", "derived here"):
            cosines = [sum_of(first, [rotation[3 * r + c] for r in range(3)]) for c in range(3)]
            squares = [x * x for x in cosines]
            most = graph.max(-squares[0], graph.max(-squares[1], -squares[2]))
            best = [graph.max(1 - SHARP * (x + most), zero) for x in squares]
        with trace.computing("kept where 0.75 p·p - (e1·R p)² is positive", "derived here"):
            along = sum_of(cosines, pin)
            room = SHARP * (graph.constant(Fraction(NEAR)) * sum_of(pin, pin) - along * along)
            kept = -graph.max(-graph.max(room, zero), graph.constant(-1))
            chosen = blocks_sum(scaled(pin, kept), scaled(best, 1 - kept))
            length = graph.function("sqrt", sum_of(chosen, chosen))
            found = [x / length for x in chosen]
        trace.write(self.own.kind, "pin", found, *PIN, store="state")

    def frame(self, trace: Trace) -> None:
        pin = trace.read(self.own.kind, "state", "pin", 3, *PIN)
        first, rotation = self._first(trace), self._rotation(trace, OWN)
        third = use(trace, kinematics.carried_vector, "pin", R=rotation, p=pin)["r"]
        with trace.computing("e2 = e3 x e1 / |e3 x e1|", "derived here"):
            across = cross(third, first)
            inverse = 1 / trace.graph.function("sqrt", sum_of(across, across))
            second = scaled(across, inverse)
        self.own.put(trace, "frame", [*first, *second, *third])

    def _first(self, trace: Trace) -> Vector:
        """The same axis of the body below, or of the world."""
        one, zero = trace.graph.constant(1), trace.graph.constant(0)
        if not self.link.below:
            return [one if k == self.own.up else zero for k in range(3)]
        rotation = self._rotation(trace, BELOW)
        return [rotation[3 * r + self.own.up] for r in range(3)]

    def _rotation(self, trace: Trace, label: str) -> list[Scalar]:
        return use(trace, kinematics.rotation_matrix, f"of {label}", q=trace.read(label, "state", "q", 4))["R"]
