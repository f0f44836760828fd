"""The kernels of a step by a quadrature rule: what a joint and the body that it carries do, beside those of order 2.

Starts, knots and placements are those of sweep.py. A step begins with the momenta along the coordinates that bodies
have, p; it solves for the coordinates at the nodes (rule_outward.py, rule_inward.py), lands there as a step of order 2
would that led so far, and hands its momenta on to the bodies, each as a push between the two that a joint ties.
"""

from __future__ import annotations

from symvi.kernels.blocks import Matrix
from symvi.kernels.body_kernels import BODY
from symvi.kernels.carried_joint import CarriedJoint, Place, blocks_sum, scaled
from symvi.kernels.common import JOINT, single
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.records import Records
from symvi.kernels.rule_broyden import RuleBroyden
from symvi.kernels.rule_free import FreeTurns
from symvi.kernels.rule_impulses import RuleImpulses
from symvi.kernels.rule_inward import RuleInward
from symvi.kernels.rule_joint import OF_JOINT, Points, RuleJoint, in_rows
from symvi.kernels.rule_landing import RuleLanding
from symvi.kernels.rule_outward import RuleOutward
from symvi.kernels.sweep_laws import LawsAlong
from symvi.kernels.tracing import Trace
from symvi.physics.model import ForceModel
from symvi.scalar import Rate


class RuleSweep:
    """Traces the kernels of one type of link."""

    def __init__(self, joint: CarriedJoint, points: Points, driven: bool, up: int):
        self.own = RuleJoint(joint, points, driven, up)
        self.outward, self.inward = RuleOutward(self.own), RuleInward(self.own)
        self.landing, self.laws = RuleLanding(self.own), LawsAlong(joint)
        self.impulses = RuleImpulses(self.own, self.inward) if points.rule.solver != "newton" else None
        self.updates = RuleBroyden(self.own) if points.rule.solver == "broyden" and joint.link.freedoms else None

    def kernels(self) -> dict[str, Kernel]:
        """Those that do not depend on the place in the tree."""
        own = self.own
        phases = self.outward.phases() | self.landing.phases() | FreeTurns(own).phases()
        phases |= self.impulses.phases() if self.impulses else self.inward.phases()
        phases |= self.updates.phases() if self.updates else {}
        found = {name: own.kernel(name, build, text) for name, (build, text) in phases.items()}
        if own.link.freedoms:
            text = "momenta along the coordinates, as momenta of both bodies"
            found["hand_on_nodes"] = own.kernel("hand_on_nodes", self._hand_on, text)
        if own.driven:
            text = "forces of actuators at a point, after those of the points before it"
            found["queue_nodes"] = own.kernel("queue_nodes", self._queue, text)
        return found

    def placed(self, place: Place) -> dict[str, Kernel]:
        """Those that do."""
        phases = self.inward.placed() | (self.impulses.placed() if self.impulses else {})
        role = ("" if place.carries else "_leaf") + ("" if place.first or not self.own.link.below else "_more")
        return {
            name: self.own.kernel(name, lambda trace, build=build: build(trace, place), text, role=role)
            for name, (build, text) in phases.items()
        }

    def _queue(self, trace: Trace) -> None:
        """Run once for every point, in their order: what was told before moves up."""
        own, zero = self.own, trace.graph.constant(0)
        now = own.get(trace, "drive_now", own.link.freedoms)
        rows = [[*row[1:], last] for row, last in zip(own.drives(trace), now, strict=True)]
        own.put(trace, "drive", [x for row in rows for x in row])
        own.put(trace, "drive_now", [zero] * len(now))

    def _hand_on(self, trace: Trace) -> None:
        trace.note("p, l += what Sᵀ of makes the momenta along the coordinates", "derived here")
        reached, slides = self.own.get(trace, "reached", self.own.link.freedoms), self.own.link.slides
        if self.own.link.is_absolute:
            torques = [scaled(row, r) for row, r in zip(self._back(trace), reached[slides:], strict=True)]
            first, second, third = torques
            reached = [*reached[:slides], *blocks_sum(blocks_sum(first, second), third)]
        self.laws.push_bodies(trace, reached, "2")

    def _back(self, trace: Trace) -> Matrix:
        """Torques that are momenta of one along each free turn."""
        return in_rows(self.own.get(trace, "frame_back", 9), 3)


def clear_momenta(records: Records) -> Kernel:
    """A body has no momentum but what is handed on to it."""

    def build(trace: Trace) -> None:
        for name in ("p", "l"):
            trace.write(BODY, name, [trace.graph.constant(0)] * 3, store="state")

    return single(records, f"clear_momenta_{BODY}", "momenta before any is handed on", (Port(BODY, BODY),), BODY, build)


def no_forces(records: Records, kind: str, rows: int) -> Kernel:
    """Impulses of the rows of a joint, and its reaction, as none."""

    def build(trace: Trace) -> None:
        trace.write(kind, "y", [trace.graph.constant(0)] * rows, "impulse of every row", "N s, N m s")
        trace.write(kind, "reaction", [trace.graph.constant(0)] * 6, "reaction: a rule tells none", "N, N m")

    return single(
        records,
        f"no_forces_{kind}",
        "forces of the joint, which a rule does not tell",
        (Port(kind, kind),),
        kind,
        build,
    )


def actuator_kernel(records: Records, kind: str, model: ForceModel, joint: CarriedJoint) -> Kernel:
    """What an actuator adds along the coordinates of its joint, at the point whose inputs are told."""
    link = joint.link

    def build(trace: Trace) -> None:
        force = trace.read(kind, "input", str(model.force), model.rows)
        given = [force[k] for k in link.order]
        said = OF_JOINT["drive_now"]
        trace.add_to(JOINT, "drive_now", given, rate=Rate.STEP, meaning=said[0], unit=said[1])

    ports = (Port(kind, kind), Port(JOINT, joint.kind))
    return single(records, f"drive_nodes_{kind}_{joint.kind}", "its force along the coordinates", ports, kind, build)
