"""The kernels of a contact: its gap, friction in its tangent plane, and the 3 x 3 law that bodies see of both.

At the contact point the child gets the impulse n gamma + beta, the parent its opposite, with both arms at the first
knot: linear and angular momentum are kept. The gap closes at the second knot, friction works against the secant of the
sliding, the mean of the points that touch at either knot. All vectors are in world axes, so no basis of the tangent
plane is ever chosen (but for linear cones). What happens in the tangent plane is in friction.py and pyramid.py.
"""

from __future__ import annotations

from symvi.kernels import common
from symvi.kernels.account import add, mean_motion
from symvi.kernels.common import SLOPES, single, slopes_of
from symvi.kernels.constraint import gather_means
from symvi.kernels.contact_geometry import ContactGeometry
from symvi.kernels.friction import Friction, RoundCone
from symvi.kernels.inequality import (
    Centring,
    InequalityKernels,
    Pair,
    answered,
    centred,
    dot,
    field,
    memory,
    merit,
    nothing,
    pair_response,
    ports_of,
    put,
    ratio,
    softened,
    start_pair,
    stepping,
)
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.knots import Baked
from symvi.kernels.pyramid import LinearCone
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics.model import ContactModel
from symvi.scalar import Rate, Scalar

MEANS = range(1, 8)  # of what is shown: normal force, friction, sliding
TOTAL = "forces and sliding of the parts of a step so far, each times the time that forces acted"
FRICTION = {"none": Friction, "second_order": RoundCone, "linear": LinearCone}


def contact_kernels(
    records: Records, kind: str, model: ContactModel, baked: Baked, backwards: bool = False, bordered: bool = False
) -> InequalityKernels:
    """Every kernel of one contact type.

    Ports: the contact under its own kind's name, bodies under their labels, the bodies' edge as `link`. backwards: that
    edge was made for the pair of bodies the other way round. bordered: contacts between two bodies keep directions and
    slopes of their impulses in their own record instead of blocks of the Newton matrix (border.py).
    """
    return _ContactKernels(records, kind, model, baked, backwards, bordered).build()


class _ContactKernels:
    def __init__(self, records: Records, kind: str, model: ContactModel, baked: Baked, backwards: bool, bordered: bool):
        self.records, self.kind, self.model = records, kind, model
        self.friction = FRICTION[model.cone](kind, model, baked)
        self.geometry = ContactGeometry(kind, model, baked, self.friction, backwards, bordered)
        self.moving = self.geometry.moving
        self.ports = ports_of(kind, self.moving)
        if self.geometry.bordered:
            self.ports += (Port(SLOPES, slopes_of(kind)),)
        self.pairs, self.misses = 1 + self.friction.pairs, 1 + self.friction.misses
        self.gap = Pair(0, self.pairs)
        self.fields = (("impulse", self.pairs), ("slack", self.pairs), *self.friction.fields)

    def build(self) -> InequalityKernels:
        kernels = dict(self.geometry.kernels(self.records, self.ports))
        own = {
            "warm": (self._warm, "start on the central path, near the last impulse and the predicted velocity"),
            "release": (self._release, "no contact: bodies move freely"),
            "apply_impulse": (self._apply_impulse, "the impulse of the contact on its bodies; what its slacks miss"),
            "spread": (self._spread, "the impulse of the step as a force over its time"),
            "push": (self._push_on, "that force on the bodies of the contact, for its time before a knot"),
            "soften": (self._soften, "slacks that leave masses something to say"),
            "answer": (
                self._answer,
                "so much more or less that its bodies rest at the knot as they do before and after",
            ),
            "scale": (self._scale, "what the contact does with a change of velocity: dp = k - K du"),
            "predict": (self._predict, "where the contact is sent if nothing is to be left of complementarity"),
            "right_hand_side": (self._right_hand_side, "where the contact is sent for this centring"),
            "respond": (self._respond, "increments of the contact from those of its bodies"),
            "react": (self._react, "what a user sees of the contact"),
            "reset": (self._reset, "no part of the step yet"),
            "gather": (self._gather, "means over the parts of the step so far of forces and sliding"),
            "account": (self._account, "what the contact takes: of motion along its normal, and by friction"),
            "merit": (merit(self.misses), "add what the slacks miss to the merit"),
            "start_momenta": (self._forget, "no impulses from before a start"),
            "start_momenta_of_chord": (self._forget, "no impulses from before a start"),
            "finish": (self._finish, "remember the impulse for the next start"),
        }
        if self.friction.cone:
            own["exact"] = (self._exact, "what the contact does with a change of velocity, linearised as it stands")
            own["right_hand_side_exact"] = (
                self._right_hand_side_exact,
                "where the contact is sent for this centring, linearised as it stands",
            )
        else:
            own["exact"], own["right_hand_side_exact"] = own["scale"], own["right_hand_side"]
        if self.friction.cone:
            own["bind"] = (self._bind, "the bound of friction as the coefficient and the normal impulse have it")
        if self.model.cone != "none":
            own["uncouple"] = (self._uncouple, "friction as if the normal impulse stayed as it is")
        made: dict[object, Kernel] = {}
        for phase, (build, summary) in own.items():
            if build not in made:
                made[build] = single(self.records, f"{phase}_{self.kind}", summary, self.ports, self.kind, build)
            kernels[phase] = made[build]
        kernels |= stepping(self.records, self.kind, self.fields, "the increment")
        counts = self.pairs, self.friction.cone, self.misses
        if self.geometry.bordered:
            return InequalityKernels(kernels, False, *counts, self.geometry.directions, self.geometry.slopes)
        return InequalityKernels(kernels, len(self.moving) == 2, *counts)

    # --- phases -----------------------------------------------------------------------------------------------------
    def _warm(self, trace: Trace) -> None:
        share, scale = memory(trace), ratio(trace)
        last = trace.read(self.kind, "state", "last_impulse", 1, "normal impulse of the last step", "N s")[0]
        gamma, s = start_pair(trace, share * last, self.geometry.work(trace, "un")[0], scale)
        impulses, slacks = self.friction.start(trace, gamma)
        put(trace, "impulse", [gamma, *impulses])
        put(trace, "slack", [s, *slacks])
        for name, size in self.fields:
            put(trace, f"d_{name}", [trace.graph.constant(0)] * size)

    def _release(self, trace: Trace) -> None:
        self._send_nowhere(trace)
        trace.write(self.kind, "kappa", [trace.graph.constant(0)])
        self.friction.release(trace)

    def _apply_impulse(self, trace: Trace) -> None:
        un, s = self.geometry.work(trace, "un")[0], field(trace, "slack", self.pairs)[0]
        put(trace, "miss", [un - s, *self.friction.miss(trace)])
        trace.note("f_body -= A_bodyᵀ (n gamma + beta)", "BSMH23 (28a)")
        self.geometry.push(trace, field(trace, "impulse", self.pairs)[0], self.friction.impulse(trace))

    def _bind(self, trace: Trace) -> None:
        self.friction.bind(trace, field(trace, "impulse", self.pairs)[0])

    def _spread(self, trace: Trace) -> None:
        time, friction_before = common.impulse(trace), self.friction.impulse(trace) if self.model.cone != "none" else []
        values = [x / time for x in (field(trace, "impulse", self.pairs)[0], *friction_before)]
        trace.write(self.kind, "force", values, "over the step, on the child: per gradient of the gap, friction", "N")

    def _push_on(self, trace: Trace) -> None:
        time, cone = common.impulse(trace), self.model.cone != "none"
        trace.note("f_body -= A_bodyᵀ (n gamma + beta)", "discrete Legendre transform: what acts before a knot")
        normal, *friction_before = (time * x for x in self.geometry.work(trace, "force", 4 if cone else 1))
        tangent = self.friction.flattened(trace, friction_before) if cone else self.friction.impulse(trace)
        self.geometry.push(trace, normal, tangent)

    def _soften(self, trace: Trace) -> None:
        self._send_nowhere(trace)
        softened(trace, "impulse", "slack", [ratio(trace)] * self.pairs)
        if self.friction.cone:
            softened(trace, "b", "e", [ratio(trace)])

    def _uncouple(self, trace: Trace) -> None:
        """What slides has in half of its friction all that acts before the knot: nothing is missing along the slide."""
        trace.write(self.kind, "m", [trace.graph.constant(0)] * 3)

    def _answer(self, trace: Trace) -> None:
        gap_rate, slide = self.geometry.moved(trace)
        law, normal = self.friction.law(trace), -self.geometry.kappa(trace) * gap_rate
        stiffness = [law["K"][3 * i : 3 * i + 3] for i in range(3)]
        friction_before = [m * normal - dot(trace, row, slide) for m, row in zip(law["m"], stiffness, strict=True)]
        changes = [normal, *(friction_before if self.model.cone != "none" else ())]
        trace.write(self.kind, "force", answered(trace, self.geometry.work(trace, "force", len(changes)), changes))

    def _scale(self, trace: Trace) -> None:
        self.friction.scale(trace)
        self._write_kappa(trace)

    def _exact(self, trace: Trace) -> None:
        self.friction.exact(trace)
        self._write_kappa(trace)

    def _write_kappa(self, trace: Trace) -> None:
        trace.write(self.kind, "kappa", self.gap.law(trace), "stiffness of the gap", "kg")

    def _predict(self, trace: Trace) -> None:
        self._send(trace, nothing(trace))

    def _right_hand_side(self, trace: Trace) -> None:
        self._send(trace, centred(trace))

    def _right_hand_side_exact(self, trace: Trace) -> None:
        self._send(trace, centred(trace), exact=True)

    def _send(self, trace: Trace, centring: Centring, exact: bool = False) -> None:
        k = self.gap.right_hand_side(trace, centring, self.geometry.kappa(trace), field(trace, "miss", self.misses)[0])
        trace.write(self.kind, "k", [k], "where the normal impulse is sent if velocities stay", "N s")
        tangent = self.friction.right_hand_side(trace, centring, exact)
        law = self.friction.law(trace)
        self._push(trace, k, [t + m * k for t, m in zip(tangent, law["m"], strict=True)])

    def _push(self, trace: Trace, normal: Scalar, tangent: list[Scalar]) -> None:
        """Where impulses are sent: onto bodies, or into the rows that stand for them."""
        if self.geometry.bordered:
            sent = [normal, *(tangent if self.geometry.ways else ())]
            trace.write(SLOPES, "f", [-x for x in sent], "what the rows lack", "N s", rate=Rate.ITERATION)
        else:
            self.geometry.push(trace, normal, tangent)

    def _send_nowhere(self, trace: Trace) -> None:
        if self.geometry.bordered:
            zero = trace.graph.constant(0)
            self._push(trace, zero, [zero] * 3)

    def _respond(self, trace: Trace) -> None:
        gap_rate, slide = self.geometry.moved(trace)
        k, miss = self.geometry.work(trace, "k")[0], field(trace, "miss", self.misses)[0]
        d_gamma, d_s = pair_response(trace, k, self.geometry.kappa(trace), miss, gap_rate)
        borne: list[Scalar] = []
        if self.geometry.bordered:
            trace.note("d_gamma = y_n,  kt - K du = y_t - m y_n", "solved for themselves: nothing cancels")
            count = 4 if self.geometry.ways else 1
            d_gamma, *tangent = trace.read(SLOPES, "work", "s", count, "solved increment of the impulses")
            borne = [b - m * d_gamma for b, m in zip(tangent, self.friction.law(trace)["m"], strict=False)]
        impulses, slacks = self.friction.respond(trace, d_gamma, slide, borne)
        put(trace, "d_impulse", [d_gamma, *impulses])
        put(trace, "d_slack", [d_s, *slacks])

    def _react(self, trace: Trace) -> None:
        time, zero = common.impulse(trace), trace.graph.constant(0)
        gap = common.step(trace) * self.geometry.work(trace, "un")[0]
        slide = self.friction.tangent(trace, "ut") if self.geometry.ways else [zero] * 3
        pushed = [field(trace, "impulse", self.pairs)[0] * self._steepness(trace), *self.friction.impulse(trace)]
        place = [*self.geometry.work(trace, "point", 3), *self.friction.normal(trace)]
        shown = [gap, *(x / time for x in pushed), *slide, *place]
        meaning = "gap at the second knot; normal force, friction; sliding; point and normal where they act"
        trace.write(self.kind, "shown", shown, meaning, "m, N, m/s")

    def _reset(self, trace: Trace) -> None:
        trace.write(self.kind, "total", [trace.graph.constant(0)] * len(MEANS), TOTAL)

    def _gather(self, trace: Trace) -> None:
        gather_means(trace, "shown", "total", MEANS)

    def _account(self, trace: Trace) -> None:
        """The impulse on each body works along the mean of its velocities before and after."""
        trace.note("spent -= impulse·A (v_- + v_+)/2", "the power of impulses")
        zero = trace.graph.constant(0)
        gamma, beta = field(trace, "impulse", self.pairs)[0], self.friction.impulse(trace)
        impact = friction_before = zero
        for label in self.moving:
            motion = mean_motion(trace, label)
            impact = impact - dot(trace, self.geometry.on_body(trace, label, gamma, [zero] * 3), motion)
            friction_before = friction_before - dot(trace, self.geometry.on_body(trace, label, zero, beta), motion)
        meaning = "taken since the last recorded knot: along the normal, by friction"
        add(trace, ("spent", 2, meaning, "J"), impact, friction_before)

    def _steepness(self, trace: Trace) -> Scalar:
        """Force per normal impulse and time: 1 where the gap is a distance."""
        if self.model.unit_gradient:
            return trace.graph.constant(1)
        return self.geometry.work(trace, "steepness", rate=Rate.STEP)[0]

    def _forget(self, trace: Trace) -> None:
        trace.write(self.kind, "last_impulse", [trace.graph.constant(0)], store="state")
        self.friction.forget(trace)

    def _finish(self, trace: Trace) -> None:
        trace.write(self.kind, "last_impulse", field(trace, "impulse", self.pairs)[:1], store="state")
        self.friction.finish(trace)
