"""Springs, dampers and servos along the coordinates that a sweep solves for."""

from __future__ import annotations

from collections.abc import Sequence

from symvi.kernels.blocks import Vector, cross
from symvi.kernels.carried_joint import BELOW, OF_JOINT, OWN, SOURCE, CarriedJoint, blocks_sum, dot_sparse, mean_rate
from symvi.kernels.constraint import add_works
from symvi.kernels.kernel import Kernel
from symvi.kernels.knots import Rows, remember_angles, trace_rows
from symvi.kernels.law import (
    acting,
    clear_sums,
    keep_coordinates,
    knot_kernels,
    off_middle,
    summed,
    taken_at_first,
)
from symvi.kernels.limit import KAPPA
from symvi.kernels.tracing import Trace
from symvi.scalar import Rate, Scalar


class LawsAlong:
    """Laws along the coordinates of one type of joint, which act on these and on no body."""

    def __init__(self, joint: CarriedJoint):
        self.joint, self.link = joint, joint.link

    def by_unknown(self, trace: Trace, values: Sequence[Scalar], knot: str) -> Vector:
        """Impulses along the joint's coordinates as they act along the unknowns of the sweep."""
        link = self.link
        if not link.is_absolute:
            return [values[k] for k in link.order]
        with trace.computing("Cᵀ of the impulses along three free rotations", SOURCE):
            columns = zip(*self.joint.along(trace, knot), strict=True)
            columns = [column[: len(values) - link.slides] for column in columns]
            turning = [dot_sparse(trace, column, values[link.slides :]) for column in columns]
        return [*values[: link.slides], *turning]

    def push_bodies(self, trace: Trace, impulses: Sequence[Scalar], knot: str) -> None:
        """Impulses along the unknowns on both bodies: of the second knot into momenta, else into what is open."""
        zero, link = trace.graph.constant(0), self.link
        total = [zero] * 6
        for column, value in zip(self.joint.pushes(trace, knot), impulses, strict=True):
            total = [a + value * b for a, b in zip(total, column, strict=True)]
        force, torque = total[:3], total[3:]
        ends = [(OWN, [-x for x in self.joint.arm(trace, knot)], 1)]
        if link.below:
            reach, arm = self.joint.get(trace, f"reach{knot}", 3), self.joint.of(trace, BELOW, f"arm{knot}", 3)
            ends.append((BELOW, [a - b for a, b in zip(reach, arm, strict=True)], -1))
        for label, lever, sign in ends:
            given = [*force, *blocks_sum(torque, cross(lever, force))]
            if knot == "2":
                for name, values in (("p", given[:3]), ("l", given[3:])):
                    trace.add_to_state(label, name, [x if sign > 0 else -x for x in values])
            else:
                old = trace.read(label, "work", "f", 6)
                trace.write(label, "f", [a - b if sign > 0 else a + b for a, b in zip(old, given, strict=True)])

    def kernels(self) -> dict[str, Kernel]:
        """Springs, dampers and servos along the coordinates, which act on these and on no body."""
        link, model, kind = self.link, self.joint.model, self.joint.kind
        if not (link.slopes or model.angles):
            return {}
        trace = Trace(self.joint.records, self.joint.joint_ports, kind, "laws along its coordinates")
        if link.slopes:
            kappa = [trace.graph.constant(0)] * model.freedoms
            rows = self._rows_of_laws(trace)
            if link.laws:
                push, kappa = self._acting(trace, rows)
                against = self.by_unknown(trace, [-x for x in push], "1")
                trace.write(kind, "against", against, *OF_JOINT["against"], rate=Rate.ITERATION)
            trace.write(kind, KAPPA, kappa, *OF_JOINT[KAPPA], rate=Rate.MATRIX)
        remember_angles(trace, model, self.joint.baked)
        kernels = dict(trace.kernels(f"laws_of_{kind}"))
        if link.laws:
            known = knot_kernels(self.joint.records, kind, link.laws, self.joint.joint_ports, lambda trace: {})
            if "spread" in known:
                text = "laws at the first knot beyond half of the step's impulse, which act before the knot"
                kernels |= {"spread": known["spread"], "push": self.joint.kernel("push", self._push_on, text)}
            if self.joint.bordered:
                text = "springs, dampers and servos along the coordinates are no joints: less their work"
                kernels["do_work"] = self.joint.kernel("do_work", self._do_work, text)
        return kernels

    def _rows_of_laws(self, trace: Trace) -> Rows:
        """Coordinates at the first knot and mean rates over the step. Of free rotations, their gradients as well."""
        link, model = self.link, self.joint.model
        found = trace_rows(trace, model, self.joint.baked, model.free, model.freedoms)
        u, rates = self.joint.get(trace, "u", link.freedoms), list(found.rates)
        for unknown, k in enumerate(link.order):
            rates[k] = u[unknown] if unknown < link.slides else mean_rate(trace, u[unknown])
        if link.is_absolute:
            for knot, at, rate in (("1", found.at1, Rate.STEP), ("2", found.at2, Rate.ITERATION)):
                values = [x for row in at[link.own][link.slides :] for x in row[3:]]
                trace.write(self.joint.kind, f"along{knot}", values, *OF_JOINT[f"along{knot}"], rate=rate)
        return Rows(found.first, rates, {}, {}, found.units)

    def _acting(self, trace: Trace, rows: Rows) -> tuple[Vector, Vector]:
        """Laws between the knots. Rows that only limits act along come last."""
        laws, zero = self.joint.own_laws, trace.graph.constant(0)
        n = len(laws.coordinates)
        rows = Rows(rows.first[:n], rows.rates[:n], {}, {}, rows.units[:n])
        keep_coordinates(trace, laws, rows)
        clear_sums(trace, laws)
        found = acting(trace, laws, rows, summed(trace, laws))
        more = [zero] * (self.joint.model.freedoms - n)
        return [*found.push, *more], [*found.kappa, *more]

    def _do_work(self, trace: Trace) -> None:
        """What bodies lack of impulses, joints of the tree give them, and laws along these."""
        joint, laws, zero = self.joint, self.joint.own_laws, trace.graph.constant(0)
        push = taken_at_first(trace, laws)
        push = self.by_unknown(trace, [*push, *[zero] * (joint.model.freedoms - len(push))], "1")
        found = []
        for store in ("work", "state"):
            moved = self._moved_at_first(trace, store)
            with trace.computing("impulses of laws times N1ᵀ of the joint's motion", SOURCE):
                rates = [dot_sparse(trace, column, moved) for column in joint.pushes(trace, "1")]
                found.append(dot_sparse(trace, push, rates))
        add_works(trace, -found[0], found[1])

    def _moved_at_first(self, trace: Trace, store: str) -> Vector:
        """How the joint's point and the body that is carried move against the body below, at the first knot."""
        link = self.link

        def motion(label: str, lever: Vector) -> Vector:
            v, w = (trace.read(label, store, name, 3) for name in "vw")
            return [*blocks_sum(v, cross(w, lever)), *w]

        own = motion(OWN, [-x for x in self.joint.arm(trace, "1")])
        if not link.below:
            return own
        arm, reach = self.joint.of(trace, BELOW, "arm1", 3), self.joint.reach(trace, "1")
        under = motion(BELOW, [a - b for a, b in zip(reach, arm, strict=True)])
        return [a - b for a, b in zip(own, under, strict=True)]

    def _push_on(self, trace: Trace) -> None:
        """Into the balances of bodies, which are summed up anew."""
        laws, zero = self.joint.own_laws, trace.graph.constant(0)
        rows = off_middle(laws)
        beyond = dict(zip(rows, trace.read(self.joint.kind, "work", "excess", len(rows)), strict=True))
        pushed = [beyond.get(k, zero) for k in range(self.joint.model.freedoms)]
        self.push_bodies(trace, self.by_unknown(trace, pushed, "1"), "1")
