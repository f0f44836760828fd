"""The kernels of joint coordinates: what a joint and the body that it carries do in the sweeps over a tree.

Outward, from the ground to the leaves, placements and velocities follow from the rates u of the joints; inward,
impulses and articulated inertia are summed up. A joint's point o is its anchor on the body that it carries. Suffixes 1
and 2: of the first and of the second knot. p: from the point of the body below to o; r: from o to the centre of mass;
e: axes; N: what the joint's coordinates move, about o; s = (change of o, rotation vector)/h at the second knot. Forces
belong to the first knot and motions to the second one, so that nothing is symmetric:

    A = [D_xx, D_xr - D_xx r2^; D_rx + r1^ D_xx, D_rr - D_rx r2^ + r1^ (D_xr - D_xx r2^)] + what the body carries
    E = N1ᵀ A N2,  q = E^-1 N1ᵀ W,  K = E^-1 N1ᵀ A
    A - A N2 K and W - A N2 q to the body below, about its own point
    s = X s_k + N2 (q - K X s_k),  u -= slope q

Three free rotations have no coordinate: their unknown is the angular velocity of the body itself, X passes on the
motion of the point alone, and the body below feels no torque. Laws along them are of both bodies: with the gradient C
of their coordinates by the turn of the body that is carried, which that by the turn of the body below is against, and
the slopes kappa of the laws,

    S = C1ᵀ kappa C2,    E += [0, 0; 0, S],    K += E^-1 [0; -S] of the turn of the body below,

and the body below feels against what its own turn and q differ by S, about any point.

A joint that is led to from its child slides along axes that turn with the body that it carries, from an anchor on the
body below. That anchor is the joint's point then, and o lies apart from it, by d: inertia, impulses and motions of the
body are told about the joint's point in this joint alone, and about o to what it carries.

What a driver leads has a row of its own in place of a balance: its increments q_D are what this row asks for. They are
known before all others, W - A N2_D q_D stands in place of W, and no motion of the body below changes them.
"""

from __future__ import annotations

from symvi.kernels import blocks, common
from symvi.kernels.blocks import cross
from symvi.kernels.body_kernels import use
from symvi.kernels.carried_joint import MEANINGS, SOURCE, CarriedJoint, Place, blocks_sum, dot_sparse
from symvi.kernels.common import single
from symvi.kernels.constraint import sums_of_parts, watch_kernels
from symvi.kernels.inward_sweep import Inward
from symvi.kernels.kernel import Kernel
from symvi.kernels.knots import GivenKnots, Knots, trace_rows
from symvi.kernels.landing_sweep import Landing
from symvi.kernels.outward_sweep import Outward
from symvi.kernels.sweep_laws import LawsAlong
from symvi.kernels.tracing import Trace
from symvi.physics import kinematics
from symvi.physics.body import wrench_in_axes
from symvi.physics.model import FixedTo


class Sweep:
    """Traces the kernels of one type of link."""

    def __init__(self, joint: CarriedJoint):
        self.joint, self.laws_along = joint, LawsAlong(joint)
        self.outward, self.inward = Outward(joint), Inward(joint)
        self.landing = Landing(joint, self.outward, self.laws_along)

    def kernels(self) -> dict[str, Kernel]:
        """Those that do not depend on the place in the tree, by phase."""
        joint, texts = self.joint, self.outward.phases() | self.landing.phases()
        found = {phase: joint.kernel(phase, build, text) for phase, (build, text) in texts.items()}
        if joint.link.is_free:
            found["prepare"] = joint.kernel("prepare", self.outward.prepare_free, "its own point is its centre of mass")
        else:
            text = "where it is, and its axes"
            found["prepare"] = joint.kernel("prepare", self.outward.prepare, text, joint.joint_ports)
        text = "1/E² of the body alone: squares as velocities"
        return found | {"weigh": joint.kernel("oppose", self.outward.weigh, text)}

    def placed(self, place: Place) -> dict[str, Kernel]:
        """Those that do, by phase."""
        role = ("" if place.carries else "_leaf") + ("" if place.first or not self.joint.link.below else "_more")
        role += "_pressed" if place.pressed else ""
        return {
            phase: self.joint.kernel(phase, lambda trace, build=build: build(trace, place), text, role=role)
            for phase, (build, text) in self.inward.phases().items()
        }

    def laws(self) -> dict[str, Kernel]:
        """Springs, dampers and servos along the coordinates, by phase."""
        return self.laws_along.kernels()


# --- what is told of joints -------------------------------------------------------------------------------------------
def joint_reports(joint: CarriedJoint) -> dict[str, Kernel]:
    """The kernels that tell rows, impulses and reactions of a joint, as maximal coordinates have them."""
    model, kind, records = joint.model, joint.kind, joint.records
    watched = watch_kernels(records, kind, model, joint.baked, GivenKnots)["watch"]
    react = single(
        records,
        f"react_{kind}",
        "impulses of the rows, and force and torque on body b at the anchor, joint axes",
        joint.joint_ports,
        kind,
        lambda trace: _reaction(trace, joint),
    )
    return {"inspect": watched, "react": react, **sums_of_parts(records, kind, model)}


def _reaction(trace: Trace, joint: CarriedJoint) -> None:
    """y of the rows with G_bᵀ y = W about the anchor, and W in joint axes over its time."""
    model, kind = joint.model, joint.kind
    knots = FirstKnot(trace, model, joint.baked)
    given = joint.get(trace, "wrench", 6)
    if joint.link.pitch:
        # a law's torque is not at right angles to the thread's row
        with trace.computing("W -= what laws push along the coordinates", SOURCE):
            for column, push in zip(joint.columns(trace, "1"), joint.pushes(trace, "1"), strict=True):
                along = dot_sparse(trace, column, given)
                given = [a - along * b for a, b in zip(given, push, strict=True)]
    wrench = given if joint.link.outward else [-x for x in given]
    arm = knots.of(FixedTo("b", "anchor_b"))[0]
    if (joint.link.slides or joint.link.pitch) and not (joint.link.outward or joint.link.swings):
        with trace.computing("W about the anchor on body b", SOURCE):
            under = trace.read("b", "work", "arm1", 3, *MEANINGS["arm1"])
            slide = [p - r - a for p, r, a in zip(joint.get(trace, "reach1", 3), under, arm, strict=True)]
            wrench = [*wrench[:3], *blocks_sum(wrench[3:], cross(slide, wrench[:3]))]
    rows = trace_rows(trace, model, joint.baked, model.groups, model.rows, knots).at1["b"]
    with trace.computing("G_b about the anchor", SOURCE):
        gradient = [[*row[:3], *(a - b for a, b in zip(row[3:], cross(arm, row[:3]), strict=True))] for row in rows]
    with trace.computing("y = (G_b G_bᵀ)^-1 G_b W", SOURCE):
        square = [[dot_sparse(trace, a, b) for b in gradient] for a in gradient]
        right = [[dot_sparse(trace, row, wrench)] for row in gradient]
        y = [row[0] for row in blocks.solve(blocks.factor(square), right)]
    trace.write(kind, "y", y, "impulse of every row", "N s, N m s")
    axes = [x for name in model.frame for x in knots.of(FixedTo("a", name))[0]]
    with trace.computing("W of the rows alone, without laws along the coordinates", SOURCE):
        wrench = [dot_sparse(trace, y, [row[m] for row in gradient]) for m in range(6)]
    about_center = blocks_sum(wrench[3:], cross(arm, wrench[:3]))
    values = wrench_in_axes(trace.graph, force=wrench[:3], torque=about_center, arm=arm, axes=axes)
    time = common.impulse(trace)
    trace.write(
        kind,
        "reaction",
        [value / time for value in values["force_in"] + values["torque_in"]],
        "reaction on the child in joint axes: force, torque about the anchor",
        "N, N m",
    )


class FirstKnot(Knots):
    """What a joint's inputs are at the first knot, once the state has been taken to the second one."""

    def _quaternion(self, source):
        offset = self.parameter(source.parameter)
        if not self._moves(source.body):
            return self._still(offset)
        q = self.trace.read(source.body, "work", "q1", 4, "orientation at the first knot")
        return self._still(use(self.trace, kinematics.carried_quaternion, source.parameter, q=q, o=offset)["p"])
