"""Outward again: increments of bodies, and what becomes of a solution."""

from __future__ import annotations

from symvi.kernels import blocks, common
from symvi.kernels.blocks import Vector, cross, dot
from symvi.kernels.body_kernels import ORIENTATION, POSITION, of_unit_length, use
from symvi.kernels.carried_joint import AGES, BELOW, MEANINGS, OWN, SOURCE, CarriedJoint, Traced, blocks_sum, scaled
from symvi.kernels.common import COMMON
from symvi.kernels.knots import Knots, carry_angles
from symvi.kernels.law import (
    handed_on,
    keep_weights,
    weights_of,
)
from symvi.kernels.outward_sweep import Outward
from symvi.kernels.sweep_laws import LawsAlong
from symvi.kernels.tracing import Trace
from symvi.physics import kinematics, placing
from symvi.physics.joints import motions
from symvi.scalar import Rate


class Landing:
    """What a joint and the body that it carries do with a solution."""

    def __init__(self, joint: CarriedJoint, outward: Outward, laws: LawsAlong):
        self.joint, self.link = joint, joint.link
        self.outward = outward
        self.laws = laws

    def phases(self) -> dict[str, Traced]:
        """What traces each phase, and what it does."""
        found: dict[str, Traced] = {
            "take_velocity": (self.take_velocity, "take the solved velocities as they are"),
            "substitute": (self.substitute, "s = X s_k + N2 (q - K X s_k)"),
            "age": (self.age, "velocities over the step before are those over the step before that, from now on"),
            "remember": (self.remember, "rates for the next start, what laws leave, angles"),
            "finish": (self.finish, "place the body at the second knot"),
            "displace": (self.displace, "move by `length` of a step at the solved velocities"),
            "start_momenta": (self.start, "rates of the coordinates at the knot"),
            "start_momenta_of_chord": (self.start, "rates of the coordinates at the knot"),
        }
        if self.joint.bordered:
            found["depart"] = (self.depart, "add twice the kinetic energy of velocities less the solved increment")
        return found

    def substitute(self, trace: Trace) -> None:
        zero, free = trace.graph.constant(0), self.link.solved
        q, motion = self.joint.get(trace, "s", self.link.freedoms), [zero] * 6
        if self.link.below:
            under, reach = trace.read(BELOW, "work", "s", 6), self.joint.get(trace, "reach2", 3)
            if not self.joint.summed:  # increments are those of centres of mass, which contacts ask for
                reach = [a - b for a, b in zip(reach, self.joint.of(trace, BELOW, "arm2", 3), strict=True)]
            with trace.computing("X s_k = [s_x + s_r x p2; s_r]", SOURCE):
                point = blocks_sum(under[:3], cross(under[3:], reach))
                motion = [*point, *([zero] * 3 if self.link.is_absolute else under[3:])]
            if free:
                passed = 3 if self.link.is_absolute and not self.link.is_sprung else 6
                back = self.joint.get(trace, "back", passed * len(free))
                with trace.computing("q - K X s_k", SOURCE):
                    rows = [back[passed * k : passed * (k + 1)] for k in range(len(free))]
                    less = blocks.subtract_times([q[k] for k in free], rows, [*point, *under[3:]][:passed])
                    moved = dict(zip(free, trace.named("q", less), strict=True))
                    q = [moved.get(k, x) for k, x in enumerate(q)]
        with trace.computing("s = X s_k + N2 q", SOURCE):
            for column, amount in zip(self.joint.columns(trace, "2"), q, strict=True):
                motion = [a + b * amount for a, b in zip(motion, column, strict=True)]
        self.joint.put(trace, "s", q)
        if not self.joint.summed:
            with trace.computing("s of the centre of mass", SOURCE):
                motion = [*blocks_sum(motion[:3], cross(motion[3:], self.joint.arm(trace, "2"))), *motion[3:]]
        elif self.link.swings:
            with trace.computing("s about its own anchor", SOURCE):
                lever = cross(motion[3:], self.joint.get(trace, "offset2", 3))
                motion = [*blocks_sum(motion[:3], lever), *motion[3:]]
        trace.write(OWN, "s", motion, "solved increment of velocities, the rotation vector over h")

    def take_velocity(self, trace: Trace) -> None:
        s = trace.read(OWN, "work", "s", 6)
        arm = [trace.graph.constant(0)] * 3 if self.link.is_free else self.joint.of(trace, OWN, "arm2", 3)
        moved = blocks_sum(s[:3], cross(s[3:], arm)) if self.joint.summed else s[:3]
        trace.write(OWN, "v", [-value for value in moved])
        trace.write(OWN, "w", [-value for value in s[3:]])
        half = common.half_step(trace)
        a = [half * value for value in s[3:]]
        trace.write(OWN, "turn", [dot(a, a)])

    def depart(self, trace: Trace) -> None:
        """Bodies move by their velocities over the step, which lie beside those that rows allow at its end."""
        s, arm = trace.read(OWN, "work", "s", 6), self.joint.arm(trace, "2")
        moved = blocks_sum(s[:3], cross(s[3:], arm)) if self.joint.summed else s[:3]
        v, w = (trace.read(OWN, "work", name, 3) for name in "vw")
        c, a = trace.read(OWN, "work", "c"), trace.read(OWN, "work", "a", 3)
        turned = use(trace, kinematics.velocity_change, c=c, a=a, s=s[3:])["dw"]
        with trace.computing("m (v - dv)² + (w - dw)·J (w - dw)", SOURCE):
            v = [x - y for x, y in zip(v, moved, strict=True)]
            w = [x - y for x, y in zip(w, turned, strict=True)]
            xx, yy, zz, xy, xz, yz = trace.read(OWN, "work", "j", 6)
            spin = blocks.times([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], w)
            energy = trace.read(OWN, "parameters", "mass")[0] * dot(v, v) + dot(w, spin)
        trace.add_to(COMMON, "kinetic", [energy], rate=Rate.ITERATION)

    def displace(self, trace: Trace) -> None:
        length = trace.read(COMMON, "work", "length")[0]
        self.outward.move(trace, [-(length * x) for x in self.joint.get(trace, "s", self.link.freedoms)])

    def age(self, trace: Trace) -> None:
        for name in ("v" if self.link.is_free else "") + ("w" if self.link.is_absolute else ""):
            self.joint.grow_older(trace, name, "_old")

    def remember(self, trace: Trace) -> None:
        link, kind = self.link, self.joint.kind
        count = link.slides if link.is_absolute else link.freedoms
        if not (self.joint.summed and link.below):
            self._hand_on_rest(trace)
        if link.is_free:
            return
        if count:
            trace.write(kind, "u_older", trace.read(kind, "state", "u_old", count), store="state")
            trace.write(kind, "u_old", trace.read(kind, "state", "u", count), store="state")
            trace.write(kind, "u", self.joint.get(trace, "u", link.freedoms)[:count], store="state")
        carry_angles(trace, self.joint.model)
        if link.laws:
            weights = weights_of(trace, link.laws)
            self.laws.push_bodies(trace, self.laws.by_unknown(trace, handed_on(trace, link.laws, weights), "2"), "2")
            keep_weights(trace, link.laws, joint=True)

    def _hand_on_rest(self, trace: Trace) -> None:
        """What the solution left open is made up for in the next step, so that no momentum is ever lost.

        Where residuals are summed, a root has that of all that it carries; else joints leave to each body its own.
        """
        trace.note("p, l -= what is open", "derived here: errors of a step do not add up")
        if self.joint.summed:
            rest = trace.read(OWN, "work", "rest", 6, *MEANINGS["rest"])
        else:
            rest = trace.read(OWN, "work", "f", 6)
        for name, values in (("p", rest[:3]), ("l", rest[3:])):
            trace.add_to_state(OWN, name, [-x for x in values])

    def finish(self, trace: Trace) -> None:
        link = self.link
        q = use(
            trace,
            kinematics.turned,
            c=trace.read(OWN, "work", "c"),
            a=trace.read(OWN, "work", "a", 3),
            q=trace.read(OWN, "state", *ORIENTATION),
        )["q2"]
        if link.is_free:
            h, v = common.step(trace), trace.read(OWN, "work", "v", 3)
            x = blocks_sum(trace.read(OWN, "state", *POSITION), scaled(v, h))
        else:
            x = blocks_sum(self.joint.get(trace, "reach2", 3), self.joint.arm(trace, "2"))
            if link.below:
                center, arm = trace.read(BELOW, "state", "x", 3), self.joint.of(trace, BELOW, "arm2", 3)
                point = [a - b for a, b in zip(center, arm, strict=True)]
                x = blocks_sum(point, x)
        trace.write(OWN, "q", self._held(trace, q), store="state")
        trace.write(OWN, "x", x, store="state")

    def _held(self, trace: Trace, q: Vector) -> Vector:
        """An orientation as the joint holds it, of unit length for ever."""
        link = self.link
        if link.is_absolute:
            return of_unit_length(trace, q)
        knots, one = Knots(trace, self.joint.model, self.joint.baked), [trace.graph.constant(k == 0) for k in range(4)]
        frame = knots.parameter("joint_a")
        under = trace.read(BELOW, "state", "q", 4) if link.below else one
        formula = {0: None, 1: motions.turn_about_one, 2: motions.turn_about_two}[link.turns]
        axes = {"n": knots.parameter("axis_b")} if link.turns else {}
        axes |= {"m": knots.parameter("pin")} if link.turns == 2 else {}
        if link.outward:
            p = use(trace, kinematics.carried_quaternion, q=under, o=frame)["p"]
            d = use(trace, formula, p=p, q=q, **axes)["d"] if formula else one
            return use(trace, placing.followed, p=p, d=d, o=one)["q"]
        if not formula:
            return use(trace, placing.followed, p=under, d=one, o=frame)["q"]
        own = use(trace, kinematics.carried_quaternion, q=q, o=frame)["p"]
        d = use(trace, formula, p=own, q=under, **axes)["d"]
        return use(trace, placing.followed, p=under, d=[d[0], *(-x for x in d[1:])], o=frame)["q"]

    def start(self, trace: Trace) -> None:
        """Rates along the coordinates, of velocities in the state."""
        link = self.link
        for name in ("v" if link.is_free else "") + ("w" if link.is_absolute else ""):
            self.joint.grow_older(trace, name, "")
        if link.is_free:
            return
        v, w = (trace.read(OWN, "state", name, 3) for name in "vw")
        zero = [trace.graph.constant(0)] * 3
        under_v, under_w = (trace.read(BELOW, "state", name, 3) if link.below else zero for name in "vw")
        own = [a - b for a, b in zip(v, cross(w, self.joint.arm(trace, "1")), strict=True)]
        if link.below:
            arm, reach = self.joint.of(trace, BELOW, "arm1", 3), self.joint.get(trace, "reach1", 3)
            reach = [a - b for a, b in zip(reach, arm, strict=True)]
            under_v = blocks_sum(under_v, cross(under_w, reach))
        moving = [a - b for a, b in zip(own, under_v, strict=True)]
        turning = [a - b for a, b in zip(w, under_w, strict=True)]
        axes = self.joint.axes(trace, "axes1")
        rates = [dot(axis, moving) for axis in axes[: link.slides]] + [
            dot(axis, turning) for axis in axes[link.slides :]
        ]
        for old in AGES:
            if rates:
                meaning = f"rates of the coordinates over {AGES[old]}"
                trace.write(self.joint.kind, f"u{old}", rates, meaning, "m/s, rad/s", store="state")
