"""The kernels of a contact: its gap, friction in its tangent plane, and the 3 x 3 law that bodies see of both.

At the contact point the child gets the impulse n gamma + beta, the parent its opposite, with both arms at the first
knot: linear and angular momentum are kept. The gap closes at the second knot, friction works against the secant of the
sliding, the mean of the points that touch at either knot. All vectors are in world axes, so no basis of the tangent
plane is ever chosen (but for linear cones). What happens in the tangent plane is in friction.py and pyramid.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from symvi.kernels import common
from symvi.kernels.account import add, mean_motion
from symvi.kernels.blocks import cross
from symvi.kernels.body import use
from symvi.kernels.common import single
from symvi.kernels.constraint import gather_means
from symvi.kernels.friction import Friction, RoundCone
from symvi.kernels.inequality import (
    Centring,
    InequalityKernels,
    Pair,
    add_block,
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
    solved,
    start_pair,
    stepping,
    stored,
    weigh,
)
from symvi.kernels.kernel import Kernel
from symvi.kernels.knots import Baked, Knots, Rows, trace_rows
from symvi.kernels.pyramid import LinearCone
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics import gaps
from symvi.physics.formula import Formula
from symvi.physics.model import Carried, ContactModel, Position
from symvi.scalar import Rate, Scalar

MEANS = range(1, 8)  # of what is shown: normal force, friction, sliding
TOTAL = "forces and sliding of the parts of a step so far, each times the time that forces acted"
FRICTION = {"none": Friction, "second_order": RoundCone, "linear": LinearCone}


def contact_kernels(
    records: Records, kind: str, model: ContactModel, baked: Baked, backwards: bool = False
) -> InequalityKernels:
    """Every kernel of one contact type.

    Ports: the contact under its own kind's name, bodies under their labels, the bodies' edge as `link`. backwards: that
    edge was made for the pair of bodies the other way round.
    """
    return _ContactKernels(records, kind, model, baked, backwards).build()


class _ContactKernels:
    def __init__(self, records: Records, kind: str, model: ContactModel, baked: Baked, backwards: bool):
        self.records, self.kind, self.model, self.baked = records, kind, model, baked
        self.moving = [label for label, body in model.bodies.items() if body is not None]
        self.ports = ports_of(kind, self.moving)
        order = self.moving[::-1] if backwards else self.moving
        self.first = order[0]
        self.friction = FRICTION[model.cone](kind, model, baked)
        self.pairs, self.misses = 1 + self.friction.pairs, 1 + self.friction.misses
        self.gap = Pair(0, self.pairs)
        self.fields = (("impulse", self.pairs), ("slack", self.pairs), *self.friction.fields)

    def build(self) -> InequalityKernels:
        kernels = dict(self._geometry())
        own = {
            "warm": (self._warm, "start on the central path, near the last impulse and the predicted velocity"),
            "release": (self._release, "no contact: bodies move freely"),
            "press": (self._press, "the impulse of the contact on its bodies; what its slacks miss"),
            "spread": (self._spread, "the impulse of the step as a force over its time"),
            "push": (self._push_on, "that force on the bodies of the contact, for its time before a knot"),
            "soften": (self._soften, "slacks that leave masses something to say"),
            "answer": (
                self._answer,
                "so much more or less that its bodies rest at the knot as they do before and after",
            ),
            "scale": (self._scale, "what the contact does with a change of velocity: dp = k - K du"),
            "predict": (self._predict, "where the contact is sent if nothing is to be left of complementarity"),
            "aim": (self._aim, "where the contact is sent for this centring"),
            "respond": (self._respond, "increments of the contact from those of its bodies"),
            "react": (self._react, "what a user sees of the contact"),
            "reset": (self._reset, "no part of the step yet"),
            "gather": (self._gather, "means over the parts of the step so far of forces and sliding"),
            "account": (self._account, "what the contact takes: of motion along its normal, and by friction"),
            "merit": (merit(self.misses), "add what the slacks miss to the merit"),
            "launch": (self._forget, "no impulses from before a start"),
            "launch_chord": (self._forget, "no impulses from before a start"),
            "finish": (self._finish, "remember the impulse for the next start"),
        }
        if self.friction.cone:
            own["exact"] = (self._exact, "what the contact does with a change of velocity, linearised as it stands")
            own["aim_exact"] = (self._aim_exact, "where the contact is sent for this centring, linearised as it stands")
        else:
            own["exact"], own["aim_exact"] = own["scale"], own["aim"]
        if self.model.cone != "none":
            own["uncouple"] = (self._uncouple, "friction that follows no change of what presses it")
        made: dict[object, Kernel] = {}
        for phase, (build, summary) in own.items():
            if build not in made:
                made[build] = single(self.records, f"{phase}_{self.kind}", summary, self.ports, self.kind, build)
            kernels[phase] = made[build]
        kernels |= stepping(self.records, self.kind, self.fields, "the increment")
        return InequalityKernels(kernels, len(self.moving) == 2, self.pairs, self.friction.cone, self.misses)

    # --- geometry: at the first knot, in every iteration, and the blocks of the Newton matrix -----------------------
    def _geometry(self) -> dict[str, Kernel]:
        trace = Trace(self.records, self.ports, self.kind, f"{self.model.type.replace('_', ' ')}: gap and sliding")
        weigh(trace)
        rows = trace_rows(trace, self.model, self.baked, self.model.groups, 1)
        knots = Knots(trace, self.model, self.baked)
        normal, scale = self._normal(trace, rows)
        arms = self._arms(trace, knots, normal)
        trace.write(self.kind, "normal", normal, "unit normal at the first knot, towards the child", rate=Rate.STEP)
        trace.write(self.kind, "l_b", arms["l_b"], "arm of the contact point on the child", "m", rate=Rate.STEP)
        if "a" in self.moving:
            trace.write(self.kind, "l_a", arms["l_a"], "arm of the contact point on the parent", "m", rate=Rate.STEP)
        point = [x + y for x, y in zip(trace.read("b", "state", "x", 3), arms["l_b"], strict=True)]
        trace.write(self.kind, "point", point, "contact point at the first knot, world", "m", rate=Rate.STEP)
        if not self.model.unit_gradient:
            self.gradients = {
                label: trace.block("gap1", [rows.at1[label][0]], "gradient of the gap at the first knot")
                for label in self.moving
            }
        if scale is not None:
            trace.write(self.kind, "steepness", [scale], "length of the gap's gradient", rate=Rate.STEP)
        if self.model.cone != "none":
            friction = self._parameter(trace, "friction")
            bound = friction if scale is None else friction * scale
            trace.write(self.kind, "bound", [bound], "friction impulse per normal impulse", rate=Rate.STEP)
        trace.write(self.kind, "gap", rows.first, "gap at the first knot", "m", rate=Rate.STEP)
        trace.note("u_n = phi(z1)/h + (phi(z2) - phi(z1))/h", "BSMH23 (19), for a gap")
        closing = common.inverse_step(trace) * rows.first[0] + rows.rates[0]
        trace.write(self.kind, "un", [closing], "rate that closes the gap", "m/s")
        self.second = {
            label: trace.block("gap2", [rows.at2[label][0]], "gradient of the gap at the second knot")
            for label in self.moving
        }
        self.ways = {}
        if self.model.cone != "none":
            slide = self._sliding(trace, knots, normal, arms)
            trace.write(self.kind, "ut", slide, "velocity of sliding, of the child on the parent", "m/s")
            self.friction.prepare(trace, knots, normal)
        self._blocks(trace)
        return trace.kernels(self.kind)

    def _normal(self, trace: Trace, rows: Rows) -> tuple[list[Scalar], Scalar | None]:
        along = rows.at1["b"][0][:3]
        if self.model.unit_gradient:
            return along, None
        found = use(trace, gaps.direction, N=along)
        return found["n"], found["scale"][0]

    def _arms(self, trace: Trace, knots: Knots, normal: list[Scalar]) -> dict[str, list[Scalar]]:
        zero = [trace.graph.constant(0)] * 3
        x_a = trace.read("a", "state", "x", 3) if "a" in self.moving else zero
        x_b = trace.read("b", "state", "x", 3)
        if self.model.centre is None:
            place = self.model.place
            inputs = {name: knots.of(source)[0] for name, source in place.inputs.items()}
            l_b = use(trace, place.formula, **inputs)["g"]
            return {"l_b": l_b, **use(trace, gaps.arm_on_parent, x_a=x_a, x_b=x_b, l_b=l_b)}
        return use(
            trace,
            gaps.arms,
            x_a=x_a,
            x_b=x_b,
            r_b=knots.of(Carried("b", "anchor_b"))[0],
            radius=[self._parameter(trace, "radius")],
            n=normal,
        )

    def _sliding(self, trace: Trace, knots: Knots, normal: list[Scalar], arms) -> list[Scalar]:
        """The child's contact point against the parent's, per h, in the tangent plane: the mean of both knots."""
        seconds, gradients = self._second_arms(trace, knots)
        child = self._of_body(trace, knots, "b", arms, seconds, self.model.centre)
        relative, other = child["u"], [trace.graph.constant(0)] * 9
        if "a" in self.moving:
            parent = self._of_body(trace, knots, "a", arms, seconds, self.model.arm)
            relative, other = [x - y for x, y in zip(child["u"], parent["u"], strict=True)], parent["Q"]
            self._way(trace, "a", gaps.way_of_parent, parent, child["Q"], gradients["a"])
        if seconds:
            self._way(trace, "b", gaps.way_of_child, child, other, gradients["b"])
        else:
            self._keep_way(trace, "b", use(trace, gaps.way_of_point, G=child["G"])["A"])
        return use(trace, gaps.tangential, n=normal, u=relative)["t"]

    def _way(self, trace: Trace, label: str, formula: Formula, own: dict, other, gradient) -> None:
        found = use(trace, formula, G=own["G"], own=own["Q"], other=other, L=gradient, r2=own["r2"])
        self._keep_way(trace, label, found["A"])

    def _keep_way(self, trace: Trace, label: str, way: list[Scalar]) -> None:
        meaning = "change of sliding with the placement of a body at the second knot"
        self.ways[label] = trace.block("way2", [way[6 * i : 6 * i + 6] for i in range(3)], meaning)

    def _second_arms(self, trace: Trace, knots: Knots) -> tuple[dict, dict]:
        """The contact point at the second knot: its arms by body label, and the derivatives of that on the child."""
        place = self.model.place
        if place is None:  # the same arm from a carried centre
            return {}, {}
        found = use(trace, place.formula, **{name: knots.of(source)[1] for name, source in place.inputs.items()})
        seconds = {"b": found["g"]}
        if "a" in self.moving:
            x_a, x_b = knots.of(Position("a"))[1], knots.of(Position("b"))[1]
            seconds["a"] = use(trace, gaps.arm_on_parent, x_a=x_a, x_b=x_b, l_b=found["g"])["l_a"]
        return seconds, {label: found[f"G_{label}"] for label in self.moving}

    def _of_body(self, trace: Trace, knots: Knots, label: str, arms, seconds, centre: Carried | None) -> dict:
        """How a body moves at the contact point: u, its slopes G and Q, and r2, what the body carries towards it."""
        turn = {name: trace.read(label, "work", name, size) for name, size in (("w", 3), ("a", 3), ("c", 1))}
        zero = trace.graph.constant(0)
        if centre is None:
            second = seconds[label]
            mean = use(trace, gaps.mean_chord, **turn, h=[knots.h], l1=arms[f"l_{label}"], l2=second)
            found = self._point(trace, label, mean["d"], mean["r2"], [zero] * 3)
            return {**found, "Q": mean["Q"], "r2": second}
        first, second, rate = knots.of(centre)
        rest, shift = arms.get(f"p_{label}"), [zero] * 9
        if seconds:
            rest = rest or [x - y for x, y in zip(arms[f"l_{label}"], first, strict=True)]
            later = [x - y for x, y in zip(seconds[label], second, strict=True)]
            mean = use(trace, gaps.mean_arm, w=turn["w"], a=turn["a"], p1=rest, p2=later)
            rest, shift = mean["p"], mean["Q"]
        return {**self._point(trace, label, rate, second, rest), "Q": shift, "r2": second}

    def _point(self, trace: Trace, label: str, rate, second, rest) -> dict:
        return use(
            trace,
            gaps.sliding,
            v=trace.read(label, "work", "v", 3),
            w=trace.read(label, "work", "w", 3),
            a=trace.read(label, "work", "a", 3),
            c=trace.read(label, "work", "c"),
            rate=rate,
            r2=second,
            p=rest,
        )

    def _blocks(self, trace: Trace) -> None:
        """F_jk += A_jᵀ dP/du_k of the impulse P on the child, A the velocity of the contact point."""
        kappa, law = self._kappa(trace, Rate.MATRIX), self.friction.law(trace, Rate.MATRIX)
        stiffness = [law["K"][3 * i : 3 * i + 3] for i in range(3)]
        trace.note("F_jk += A_jᵀ (n + m) kappa N_k + A_jᵀ K A_k", "the contact's own variables eliminated")
        for column in self.moving:
            slope = [x for row in stored(trace, self.second[column]) for x in row]
            tangent = [[trace.graph.constant(0)] * 6 for _ in range(3)]
            if self.ways:
                way = list(zip(*stored(trace, self.ways[column]), strict=True))
                tangent = [[dot(trace, stiffness[i], way[j]) for j in range(6)] for i in range(3)]
            along = [m * kappa for m in law["m"]]
            for row in self.moving:
                columns = []
                for j in range(6):
                    push = [along[i] * slope[j] + tangent[i][j] for i in range(3)]
                    columns.append(self._on_body(trace, row, kappa * slope[j], push))
                add_block(trace, row, column, self.first, [columns[j][i] for i in range(6) for j in range(6)])

    def _kappa(self, trace: Trace, rate: Rate = Rate.ITERATION) -> Scalar:
        return trace.read(self.kind, "work", "kappa", 1, "stiffness of the gap", "kg", rate=rate)[0]

    def _on_body(self, trace: Trace, label: str, normal: Scalar, tangent: Sequence[Scalar]) -> list[Scalar]:
        """What a body gets of an impulse: along the normal, and tangential at the contact point."""
        arm = trace.read(self.kind, "work", f"l_{label}", 3, rate=Rate.STEP)
        if self.model.unit_gradient:
            n = self.friction.normal(trace)
            force = [a * normal + t for a, t in zip(n, tangent, strict=True)]
            result = force + cross(arm, force)
            return result if label == "b" else [-x for x in result]
        gradient = [x for row in stored(trace, self.gradients[label]) for x in row]
        turned = list(tangent) + cross(arm, tangent)
        turned = turned if label == "b" else [-x for x in turned]
        return [a * normal + t for a, t in zip(gradient, turned, strict=True)]

    # --- variables --------------------------------------------------------------------------------------------------
    def _parameter(self, trace: Trace, name: str) -> Scalar:
        p = self.model.parameters[name]
        return trace.read(self.kind, "parameters", name, 1, p.meaning, p.unit)[0]

    def _work(self, trace: Trace, name: str, size: int = 1, rate: Rate = Rate.ITERATION) -> list[Scalar]:
        return trace.read(self.kind, "work", name, size, rate=rate)

    # --- phases -----------------------------------------------------------------------------------------------------
    def _warm(self, trace: Trace) -> None:
        share, scale = memory(trace), ratio(trace)
        last = trace.read(self.kind, "state", "pressed", 1, "normal impulse of the last step", "N s")[0]
        gamma, s = start_pair(trace, share * last, self._work(trace, "un")[0], scale)
        impulses, slacks = self.friction.start(trace, gamma)
        put(trace, "impulse", [gamma, *impulses])
        put(trace, "slack", [s, *slacks])
        for name, size in self.fields:
            put(trace, f"d_{name}", [trace.graph.constant(0)] * size)

    def _release(self, trace: Trace) -> None:
        trace.write(self.kind, "kappa", [trace.graph.constant(0)])
        self.friction.release(trace)

    def _moved(self, trace: Trace) -> tuple[Scalar, list[Scalar]]:
        """Opening of the gap and sliding by the bodies' solved increments."""
        zero = trace.graph.constant(0)
        opening, slide = zero, [zero] * 3
        for label in self.moving:
            change = [-x for x in solved(trace, label)]
            opening = opening + dot(trace, stored(trace, self.second[label])[0], change)
            if self.ways:
                way = stored(trace, self.ways[label])
                moved = [dot(trace, row[:3], change[:3]) + dot(trace, row[3:], change[3:]) for row in way]
                slide = [a + b for a, b in zip(slide, moved, strict=True)]
        if self.ways:
            slide = use(trace, gaps.tangential, n=self.friction.normal(trace), u=slide)["t"]
        return opening, slide

    def _press(self, trace: Trace) -> None:
        un, s = self._work(trace, "un")[0], field(trace, "slack", self.pairs)[0]
        put(trace, "miss", [un - s, *self.friction.miss(trace)])
        trace.note("f_body -= A_bodyᵀ (n gamma + beta)", "BSMH23 (19)")
        self._push(trace, field(trace, "impulse", self.pairs)[0], self.friction.impulse(trace))

    def _push(self, trace: Trace, normal: Scalar, tangent: Sequence[Scalar]) -> None:
        """An impulse into the residual of the bodies."""
        for label in self.moving:
            push = self._on_body(trace, label, normal, tangent)
            trace.add_to(label, "f", [-x for x in push], rate=Rate.ITERATION)

    def _spread(self, trace: Trace) -> None:
        time, rubbed = common.impulse(trace), self.friction.impulse(trace) if self.model.cone != "none" else []
        values = [x / time for x in (field(trace, "impulse", self.pairs)[0], *rubbed)]
        trace.write(self.kind, "force", values, "over the step, on the child: per gradient of the gap, friction", "N")

    def _push_on(self, trace: Trace) -> None:
        time, cone = common.impulse(trace), self.model.cone != "none"
        trace.note("f_body -= A_bodyᵀ (n gamma + beta)", "discrete Legendre transform: what acts before a knot")
        normal, *rubbed = (time * x for x in self._work(trace, "force", 4 if cone else 1))
        self._push(trace, normal, self.friction.flattened(trace, rubbed) if cone else self.friction.impulse(trace))

    def _soften(self, trace: Trace) -> None:
        softened(trace, "impulse", "slack", [ratio(trace)] * self.pairs)
        if self.friction.cone:
            softened(trace, "b", "e", [ratio(trace)])

    def _uncouple(self, trace: Trace) -> None:
        """What slides has in half of its friction all that acts before the knot: nothing is missing along the slide."""
        trace.write(self.kind, "m", [trace.graph.constant(0)] * 3)

    def _answer(self, trace: Trace) -> None:
        opening, slide = self._moved(trace)
        law, normal = self.friction.law(trace), -self._kappa(trace) * opening
        stiffness = [law["K"][3 * i : 3 * i + 3] for i in range(3)]
        rubbed = [m * normal - dot(trace, row, slide) for m, row in zip(law["m"], stiffness, strict=True)]
        changes = [normal, *(rubbed if self.model.cone != "none" else ())]
        trace.write(self.kind, "force", answered(trace, self._work(trace, "force", len(changes)), changes))

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

    def _aim(self, trace: Trace) -> None:
        self._send(trace, centred(trace))

    def _aim_exact(self, trace: Trace) -> None:
        self._send(trace, centred(trace), exact=True)

    def _send(self, trace: Trace, centring: Centring, exact: bool = False) -> None:
        k = self.gap.aim(trace, centring, self._kappa(trace), field(trace, "miss", self.misses)[0])
        trace.write(self.kind, "k", [k], "where the normal impulse is sent if velocities stay", "N s")
        tangent = self.friction.aim(trace, centring, exact)
        law = self.friction.law(trace)
        self._push(trace, k, [t + m * k for t, m in zip(tangent, law["m"], strict=True)])

    def _respond(self, trace: Trace) -> None:
        opening, slide = self._moved(trace)
        k, miss = self._work(trace, "k")[0], field(trace, "miss", self.misses)[0]
        d_gamma, d_s = pair_response(trace, k, self._kappa(trace), miss, opening)
        impulses, slacks = self.friction.respond(trace, d_gamma, slide)
        put(trace, "d_impulse", [d_gamma, *impulses])
        put(trace, "d_slack", [d_s, *slacks])

    def _react(self, trace: Trace) -> None:
        time, zero = common.impulse(trace), trace.graph.constant(0)
        gap = common.step(trace) * self._work(trace, "un")[0]
        slide = self.friction.tangent(trace, "ut") if self.ways else [zero] * 3
        pushed = [field(trace, "impulse", self.pairs)[0] * self._steepness(trace), *self.friction.impulse(trace)]
        place = [*self._work(trace, "point", 3), *self.friction.normal(trace)]
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
        impact = rubbed = zero
        for label in self.moving:
            motion = mean_motion(trace, label)
            impact = impact - dot(trace, self._on_body(trace, label, gamma, [zero] * 3), motion)
            rubbed = rubbed - dot(trace, self._on_body(trace, label, zero, beta), motion)
        meaning = "taken since the last recorded knot: along the normal, by friction"
        add(trace, ("spent", 2, meaning, "J"), impact, rubbed)

    def _steepness(self, trace: Trace) -> Scalar:
        """Force per normal impulse and time: 1 where the gap is a distance."""
        if self.model.unit_gradient:
            return trace.graph.constant(1)
        return self._work(trace, "steepness", rate=Rate.STEP)[0]

    def _forget(self, trace: Trace) -> None:
        trace.write(self.kind, "pressed", [trace.graph.constant(0)], store="state")
        self.friction.forget(trace)

    def _finish(self, trace: Trace) -> None:
        trace.write(self.kind, "pressed", field(trace, "impulse", self.pairs)[:1], store="state")
        self.friction.finish(trace)
