"""The kernels of a contact: its gap, friction in its tangent plane, and the 3 x 3 law that bodies see of both.

At the contact point the child gets the impulse n gamma + beta, the parent its opposite, with both arms at the first
knot: linear and angular momentum are kept. The gap closes at the second knot, friction works against the secant of the
sliding. All vectors are in world axes, so no basis of the tangent plane is ever chosen (but for linear cones).
"""

from __future__ import annotations

from collections.abc import Sequence

from symvi.physics import cones, gaps, kinematics
from symvi.physics.model import Carried, ContactModel
from symvi.program import common
from symvi.program.body import use
from symvi.program.common import single
from symvi.program.constraint import Baked, Knots, Rows, trace_rows
from symvi.program.inequality import (
    InequalityKernels,
    add_block,
    dot,
    field,
    first_target,
    last_motion,
    memory,
    merit,
    pair_aim,
    pair_law,
    ports_of,
    put,
    ratio,
    reach,
    second,
    solved,
    start_pair,
    stepping,
    stick,
    stored,
    target,
)
from symvi.program.kernel import Kernel
from symvi.program.records import Records
from symvi.program.trace import Trace
from symvi.scalar import Rate, Scalar


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
        self.flat = _across(model, baked)
        self.cone = model.cone == "second_order"
        self.linear = model.directions if model.cone == "linear" else 0
        self.pairs = 1 + (self.linear + 1 if self.linear else 0)
        self.misses = {"none": 1, "second_order": 4, "linear": 1 + self.linear}[model.cone]

    def build(self) -> InequalityKernels:
        fields = [("impulse", self.pairs), ("slack", self.pairs)] + ([("b", 4), ("e", 4)] if self.cone else [])
        kernels = dict(self._geometry())
        own = {
            "warm": (self._warm, "start on the central path, near the last impulse and the predicted velocity"),
            "release": (self._release, "no contact: bodies move freely"),
            "look": (self._look, "what the contact would see if the last motion went on"),
            "lag": (self._lag, "at a knot: what the next step will see, by the velocities over the last one"),
            "press": (self._press, "the impulse of the contact on its bodies; what its slacks miss"),
            "scale": (self._scale, "what the contact does with a change of velocity: dp = k - K du"),
            "aim": (self._aim, "where the contact is sent for this centring"),
            "respond": (self._respond, "increments of the contact from those of its bodies"),
            "react": (self._react, "what a user sees of the contact"),
            "merit": (merit(self.misses), "add what the slacks miss to the merit"),
            "launch": (self._forget, "no impulses from before a start"),
            "launch_chord": (self._forget, "no impulses from before a start"),
            "finish": (self._finish, "remember the impulse for the next start"),
        }
        if self.cone:
            own["exact"] = (self._exact, "what the contact does with a change of velocity, linearised as it stands")
            own["aim_exact"] = (self._aim_exact, "where the contact is sent for this centring, linearised as it stands")
        else:
            own["exact"], own["aim_exact"] = own["scale"], own["aim"]
        made: dict[object, Kernel] = {}
        for phase, (build, summary) in own.items():
            if build not in made:
                made[build] = single(self.records, f"{phase}_{self.kind}", summary, self.ports, self.kind, build)
            kernels[phase] = made[build]
        kernels |= stepping(self.records, self.kind, fields, "the increment")
        return InequalityKernels(kernels, len(self.moving) == 2, self.pairs, self.cone, self.misses)

    # --- geometry: at the first knot, in every iteration, and the blocks of the Newton matrix -----------------------
    def _geometry(self) -> dict[str, Kernel]:
        trace = Trace(self.records, self.ports, self.kind, f"{self.model.type.replace('_', ' ')}: gap and sliding")
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
        trace.write(self.kind, "un", [reach(trace) * rows.first[0] + rows.rates[0]], "rate that closes the gap", "m/s")
        self.second = {
            label: trace.block("gap2", [rows.at2[label][0]], "gradient of the gap at the second knot")
            for label in self.moving
        }
        self.turns = {}
        if self.model.cone != "none":
            slide = self._sliding(trace, knots, normal, arms)
            trace.write(self.kind, "ut", slide, "velocity of sliding, of the child on the parent", "m/s")
            self._linear_directions(trace, knots, normal)
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
        if self.model.place is not None:
            place = self.model.place
            inputs = {name: knots.of(source)[0] for name, source in place.inputs.items()}
            trace.note(f"c = ({place.formula.equation})", place.formula.source)
            return use(trace, gaps.arms_to_point, x_a=x_a, x_b=x_b, c=place.formula(trace.graph, **inputs)["g"])
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
        """The child's contact point against the parent's, per h, in the tangent plane."""
        if self.model.place is None:
            _, second_, rate = knots.of(Carried("b", "anchor_b"))
            total = self._point(trace, "b", rate, second_, arms["p_b"])
        else:
            total = self._material(trace, knots, "b", arms["l_b"])
        if "a" in self.moving:
            if self.model.arm is None:
                other = self._material(trace, knots, "a", arms["l_a"])
            else:
                first, second_, rate = knots.of(self.model.arm)
                rest = [x - y for x, y in zip(arms["l_a"], first, strict=True)]
                other = self._point(trace, "a", rate, second_, rest)
            total = [x - y for x, y in zip(total, other, strict=True)]
        return use(trace, gaps.tangential, n=normal, u=total)["t"]

    def _material(self, trace: Trace, knots: Knots, label: str, arm: list[Scalar]) -> list[Scalar]:
        """The displacement over h of the body's material point that is the contact point at the first knot."""
        rate = kinematics.vector_difference(
            trace.graph,
            w=trace.read(label, "work", "w", 3),
            a=trace.read(label, "work", "a", 3),
            c=trace.read(label, "work", "c"),
            r=arm,
        )["d"]
        second_ = [a + knots.h * b for a, b in zip(arm, rate, strict=True)]
        return self._point(trace, label, rate, second_, [trace.graph.constant(0)] * 3)

    def _point(self, trace: Trace, label: str, rate, second_, rest) -> list[Scalar]:
        found = use(
            trace,
            gaps.sliding,
            v=trace.read(label, "work", "v", 3),
            w=trace.read(label, "work", "w", 3),
            a=trace.read(label, "work", "a", 3),
            c=trace.read(label, "work", "c"),
            rate=rate,
            r2=second_,
            p=rest,
        )
        gradient = [found["G"][3 * i : 3 * i + 3] for i in range(3)]
        self.turns[label] = trace.block("turn2", gradient, "change of a contact point with its body's rotation vector")
        return found["u"]

    def _blocks(self, trace: Trace) -> None:
        """F_jk += A_jᵀ dP/du_k of the impulse P on the child, A the velocity of the contact point."""
        law = self._law(trace, Rate.MATRIX)
        trace.note("F_jk += A_jᵀ (n + m) kappa N_k + A_jᵀ K A_k", "the contact's own variables eliminated")
        for column in self.moving:
            slope = [x for row in stored(trace, self.second[column]) for x in row]
            sign = 1 if column == "b" else -1
            tangent = [[trace.graph.constant(0)] * 6 for _ in range(3)]
            if self.turns:
                turn = stored(trace, self.turns[column])
                tangent = [
                    [law["K"][i][j] * sign for j in range(3)]
                    + [dot(trace, law["K"][i], [turn[k][j] for k in range(3)]) * sign for j in range(3)]
                    for i in range(3)
                ]
            along = [law["m"][i] * law["kappa"] for i in range(3)]
            for row in self.moving:
                columns = []
                for j in range(6):
                    push = [along[i] * slope[j] + tangent[i][j] for i in range(3)]
                    columns.append(self._on_body(trace, row, law["kappa"] * slope[j], push))
                add_block(trace, row, column, self.first, [columns[j][i] for i in range(6) for j in range(6)])

    def _law(self, trace: Trace, rate: Rate) -> dict:
        """kappa, m, K as `scale` or `exact` left them, with the zeros of a plane across an axis of the world."""
        zero = trace.graph.constant(0)
        kappa = trace.read(self.kind, "work", "kappa", 1, "stiffness of the gap", "kg", rate=rate)[0]
        if self.model.cone == "none":
            return {"kappa": kappa, "m": [zero] * 3, "K": [[zero] * 3 for _ in range(3)]}
        m = trace.read(self.kind, "work", "m", 3, "friction per normal impulse", rate=rate)
        k = trace.read(self.kind, "work", "stiffness", 9, "stiffness of friction", "kg", rate=rate)
        return {
            "kappa": kappa,
            "m": [zero if i in self.flat else m[i] for i in range(3)],
            "K": [[zero if {i, j} & self.flat else k[3 * i + j] for j in range(3)] for i in range(3)],
        }

    def _on_body(self, trace: Trace, label: str, normal: Scalar, tangent: Sequence[Scalar]) -> list[Scalar]:
        """What a body gets of an impulse: along the normal, and tangential at the contact point."""
        arm = trace.read(self.kind, "work", f"l_{label}", 3, rate=Rate.STEP)
        if self.model.unit_gradient:
            n = self._read_normal(trace)
            force = [a * normal + t for a, t in zip(n, tangent, strict=True)]
            result = force + _cross(arm, force)
            return result if label == "b" else [-x for x in result]
        gradient = [x for row in stored(trace, self.gradients[label]) for x in row]
        turned = list(tangent) + _cross(arm, tangent)
        turned = turned if label == "b" else [-x for x in turned]
        return [a * normal + t for a, t in zip(gradient, turned, strict=True)]

    def _read_normal(self, trace: Trace) -> list[Scalar]:
        """The normal; what a half-space of the world bakes is baked here too."""
        baked = self.baked.get("normal", ()) if self.model.bodies["a"] is None else ()
        return trace.read(self.kind, "work", "normal", 3, rate=Rate.STEP, baked=baked)

    def _linear_directions(self, trace: Trace, knots: Knots, normal: list[Scalar]) -> None:
        """Half of the directions of a linear cone at the first knot: fixed to a plane, or carried with a normal."""
        if not self.linear:
            return
        cosines, sines = knots.parameter("cosines"), knots.parameter("sines")
        if "t1" in self.model.parameters:
            t1, t2 = (knots.of(Carried("a", name))[0] for name in ("t1", "t2"))
        else:
            last = trace.read(self.kind, "state", "across", 3, "tangent axis of the linear cone")
            axes = use(trace, gaps.carried_axes, n=normal, t=last)
            t1, t2 = axes["t1"], axes["t2"]
            trace.write(self.kind, "across_now", t1, "tangent axis at the first knot", rate=Rate.STEP)
        values = [c * a + s * b for c, s in zip(cosines, sines, strict=True) for a, b in zip(t1, t2, strict=True)]
        trace.write(self.kind, "way", values, "directions of friction at the first knot", rate=Rate.STEP)

    def _ways(self, trace: Trace) -> list[list[Scalar]]:
        """All directions of a linear cone: the stored half, and its opposites."""
        half = self.linear // 2
        values = trace.read(self.kind, "work", "way", 3 * half, rate=Rate.STEP)
        zero = trace.graph.constant(0)
        first = [[zero if k in self.flat else values[3 * i + k] for k in range(3)] for i in range(half)]
        return first + [[-x for x in way] for way in first]

    # --- variables --------------------------------------------------------------------------------------------------
    def _parameter(self, trace: Trace, name: str) -> Scalar:
        p = self.model.parameters[name]
        return trace.read(self.kind, "parameters", name, 1, p.meaning, p.unit)[0]

    def _work(self, trace: Trace, name: str, size: int = 1, rate: Rate = Rate.ITERATION) -> list[Scalar]:
        return trace.read(self.kind, "work", name, size, rate=rate)

    def _tangent(self, trace: Trace, name: str, size: int, first: int = 0) -> list[Scalar]:
        """A tangential vector of the record, with the zeros of a plane across an axis of the world."""
        values = self._work(trace, name, size)[first : first + 3]
        return [trace.graph.constant(0) if k in self.flat else value for k, value in enumerate(values)]

    def _cone_field(self, trace: Trace, name: str) -> list[Scalar]:
        values = field(trace, name, 4)
        return [values[0], *(trace.graph.constant(0) if k in self.flat else values[k + 1] for k in range(3))]

    def _bound(self, trace: Trace) -> Scalar:
        return self._work(trace, "bound", rate=Rate.STEP)[0]

    # --- phases -----------------------------------------------------------------------------------------------------
    def _warm(self, trace: Trace) -> None:
        share, scale = memory(trace), ratio(trace)
        last = trace.read(self.kind, "state", "pressed", 1, "normal impulse of the last step", "N s")[0]
        gamma, s = start_pair(trace, share * last, self._work(trace, "un")[0], scale)
        impulses, slacks = [gamma], [s]
        if self.model.cone != "none":
            held = trace.read(self.kind, "state", "rubbed", 3, "friction impulse of the last step, world axes", "N s")
            slide = self._tangent(trace, "ut", 3)
            part = stick(trace) * scale
            n = self._read_normal(trace)
            held = use(trace, gaps.tangential, n=n, u=held)["t"]
            t = [share * a - part * b for a, b in zip(held, slide, strict=True)]
            bound = self._bound(trace) * gamma
            at = use(trace, cones.friction_on_path, t=t, b0=[bound], mu=[first_target(trace)], r=[scale])
            if self.cone:
                put(trace, "b", [bound, *at["beta"]])
                put(trace, "e", at["e"])
            else:
                self._start_linear(trace, bound, at["e"][1:], impulses, slacks)
        put(trace, "impulse", impulses)
        put(trace, "slack", slacks)
        for name, size in [("impulse", self.pairs), ("slack", self.pairs)] + (
            [("b", 4), ("e", 4)] if self.cone else []
        ):
            put(trace, f"d_{name}", [trace.graph.constant(0)] * size)

    def _start_linear(self, trace: Trace, bound: Scalar, slide, impulses, slacks) -> None:
        """The pyramid's own point of the central path at a velocity of sliding, its bound met exactly.

        psi solves bound = mu (2/(psi - |slide|) + (n - 1)/psi), which counts the two directions against the sliding.
        """
        n, mu, graph = self.linear, first_target(trace), trace.graph
        speed = graph.sqrt(dot(trace, slide, slide))
        half = (bound * speed + (n + 1) * mu) / (2 * bound)
        psi = half + graph.sqrt(half * half - (n - 1) * mu * speed / bound)
        stretches = [dot(trace, way, slide) + psi for way in self._ways(trace)]
        shares = [1 / x for x in [*stretches, psi]]
        share = bound / dot(trace, shares, [graph.constant(1)] * (n + 1))
        impulses += [share * x for x in shares]
        slacks += [*stretches, psi]

    def _release(self, trace: Trace) -> None:
        zero = trace.graph.constant(0)
        trace.write(self.kind, "kappa", [zero])
        if self.model.cone != "none":
            trace.write(self.kind, "m", [zero] * 3)
            trace.write(self.kind, "stiffness", [zero] * 9)

    def _look(self, trace: Trace) -> None:
        trace.write(self.kind, "un_last", self._work(trace, "un"), "un if the last motion went on", "m/s")
        if self.turns:
            trace.write(self.kind, "ut_last", self._work(trace, "ut", 3), "ut if the last motion went on", "m/s")

    def _lag(self, trace: Trace) -> None:
        """With v the velocity at the knot, the next step's is 2 v - v_last: all rates are halves of what it sees.

        At rest, where v is solved for, they are (u(0) + u(v_last))/2 - N v_last: linear about the last motion, whose
        turning bends the way of a point by as much as a step falls.
        """
        opening, slide = self._moved(trace, last_motion)
        trace.note("u = (u(0) + u(v_last))/2 - N v_last + N v", "derived here: half of what the next step sees")
        un, un_last = self._work(trace, "un")[0], self._work(trace, "un_last")[0]
        trace.write(self.kind, "un", [(un + un_last) / 2 - opening])
        if self.turns:
            halves = zip(self._tangent(trace, "ut", 3), self._tangent(trace, "ut_last", 3), slide, strict=True)
            trace.write(self.kind, "ut", [(u + u_last) / 2 - v for u, u_last, v in halves])

    def _moved(self, trace: Trace, motion) -> tuple[Scalar, list[Scalar]]:
        """Opening of the gap and sliding by a motion of the bodies: label -> six velocities."""
        zero = trace.graph.constant(0)
        opening, slide = zero, [zero] * 3
        for label in self.moving:
            change = motion(trace, label)
            opening = opening + dot(trace, stored(trace, self.second[label])[0], change)
            if self.turns:
                turn = stored(trace, self.turns[label])
                moved = [change[i] + dot(trace, turn[i], change[3:]) for i in range(3)]
                slide = [a + b if label == "b" else a - b for a, b in zip(slide, moved, strict=True)]
        if self.turns:
            slide = use(trace, gaps.tangential, n=self._read_normal(trace), u=slide)["t"]
        return opening, slide

    def _press(self, trace: Trace) -> None:
        un, s = self._work(trace, "un")[0], field(trace, "slack", self.pairs)
        gamma = field(trace, "impulse", self.pairs)
        miss = [un - s[0]]
        friction = [trace.graph.constant(0)] * 3
        if self.cone:
            friction = self._cone_field(trace, "b")[1:]
            slide = self._tangent(trace, "ut", 3)
            miss += [u - e for u, e in zip(slide, self._cone_field(trace, "e")[1:], strict=True)]
        elif self.linear:
            slide, ways = self._tangent(trace, "ut", 3), self._ways(trace)
            friction = self._sum(trace, ways, gamma[1 : 1 + self.linear])
            psi = s[1 + self.linear]
            miss += [dot(trace, way, slide) + psi - eta for way, eta in zip(ways, s[1 : 1 + self.linear], strict=True)]
        put(trace, "miss", miss)
        trace.note("f_body -= A_bodyᵀ (n gamma + beta)", "BSMH23 (19)")
        for label in self.moving:
            push = self._on_body(trace, label, gamma[0], friction)
            trace.add_to(label, "f", [-x for x in push], rate=Rate.ITERATION)

    def _sum(self, trace: Trace, ways, weights) -> list[Scalar]:
        return [dot(trace, [way[i] for way in ways], weights) for i in range(3)]

    def _scale(self, trace: Trace) -> None:
        if self.cone:
            b, e = self._cone_field(trace, "b"), self._cone_field(trace, "e")
            point = use(trace, cones.scaling_point, b=b, e=e)
            trace.write(self.kind, "eta", point["eta"], "factor of the scaling")
            trace.write(self.kind, "w", point["w"], "scaling point")
            self._condense(trace, use(trace, cones.scaled_law, **point)["D"])
        elif self.linear:
            self._condense_linear(trace)
        self._write_stiffness(trace)

    def _exact(self, trace: Trace) -> None:
        b, e = self._cone_field(trace, "b"), self._cone_field(trace, "e")
        self._condense(trace, use(trace, cones.exact_law, b=b, e=e)["D"])
        self._write_stiffness(trace)

    def _write_stiffness(self, trace: Trace) -> None:
        kappa = pair_law(trace, field(trace, "impulse", self.pairs)[0], field(trace, "slack", self.pairs)[0])
        trace.write(self.kind, "kappa", [kappa], "stiffness of the gap", "kg")

    def _condense(self, trace: Trace, d: list[Scalar]) -> None:
        law = use(trace, cones.friction_law, D=d, bound=[self._bound(trace)], n=self._read_normal(trace))
        trace.write(self.kind, "m", law["m"], "friction per normal impulse")
        trace.write(self.kind, "stiffness", law["K"], "stiffness of friction", "kg")
        trace.write(self.kind, "d0", d[:4], "first row of db = k - D de", "kg")
        trace.write(self.kind, "d1", [d[4 * i] for i in (1, 2, 3)], "first column of D below its top", "kg")

    def _condense_linear(self, trace: Trace) -> None:
        gamma, s = field(trace, "impulse", self.pairs), field(trace, "slack", self.pairs)
        n, ways = self.linear, self._ways(trace)
        quotients = [gamma[1 + i] / s[1 + i] for i in range(n)]
        zeta, psi = gamma[1 + n], s[1 + n]
        total = dot(trace, quotients, [trace.graph.constant(1)] * n)
        pull = self._sum(trace, ways, quotients)
        share = psi / (zeta + psi * total)
        trace.note("d beta = k + m d gamma - K du, directions and their common slack eliminated", "BSMH23 (28), (29)")
        stiffness = []
        for i in range(3):
            for j in range(3):
                plain = dot(trace, quotients, [way[i] * way[j] for way in ways])
                stiffness.append(plain - share * pull[i] * pull[j])
        trace.write(self.kind, "m", [self._bound(trace) * share * p for p in pull], "friction per normal impulse")
        trace.write(self.kind, "stiffness", stiffness, "stiffness of friction", "kg")

    def _aim(self, trace: Trace) -> None:
        self._aim_with(trace, self._scaled_aim)

    def _aim_exact(self, trace: Trace) -> None:
        self._aim_with(trace, self._plain_aim)

    def _scaled_aim(self, trace: Trace) -> list[Scalar]:
        return use(
            trace,
            cones.scaled_aim,
            b=self._cone_field(trace, "b"),
            e=self._cone_field(trace, "e"),
            mu=[target(trace)],
            eta=self._work(trace, "eta"),
            w=self._scaling(trace),
            db=self._cone_field(trace, "d_b"),
            de=self._cone_field(trace, "d_e"),
            second=[second(trace)],
        )["k"]

    def _scaling(self, trace: Trace) -> list[Scalar]:
        w = self._work(trace, "w", 4)
        return [w[0], *(trace.graph.constant(0) if k in self.flat else w[k + 1] for k in range(3))]

    def _plain_aim(self, trace: Trace) -> list[Scalar]:
        return use(
            trace,
            cones.exact_aim,
            b=self._cone_field(trace, "b"),
            e=self._cone_field(trace, "e"),
            mu=[target(trace)],
            db=self._cone_field(trace, "d_b"),
            de=self._cone_field(trace, "d_e"),
            second=[second(trace)],
        )["k"]

    def _aim_with(self, trace: Trace, cone_aim) -> None:
        gamma, s = field(trace, "impulse", self.pairs), field(trace, "slack", self.pairs)
        d_gamma, d_s = field(trace, "d_impulse", self.pairs), field(trace, "d_slack", self.pairs)
        miss, law = field(trace, "miss", self.misses), self._law(trace, Rate.ITERATION)
        k = [pair_aim(trace, gamma[0], s[0], d_gamma[0], d_s[0]) - law["kappa"] * miss[0]]
        tangent = [trace.graph.constant(0)] * 3
        if self.cone:
            sent = cone_aim(trace)
            d0, d1 = self._work(trace, "d0", 4), self._tangent(trace, "d1", 3)
            share = sent[0] / d0[0]
            tangent = [sent[1 + i] - d1[i] * share - dot(trace, law["K"][i], miss[1:4]) for i in range(3)]
            k += [sent[0]]
        elif self.linear:
            tangent, extra = self._aim_linear(trace, gamma, s, d_gamma, d_s, miss, law)
            k += extra
        trace.write(self.kind, "k", k, "where impulses are sent if velocities stay", "N s")
        if self.model.cone != "none":
            trace.write(self.kind, "kt", tangent, "where friction is sent if velocities stay", "N s")
        whole = [t + a * k[0] for t, a in zip(tangent, law["m"], strict=True)]
        for label in self.moving:
            push = self._on_body(trace, label, k[0], whole)
            trace.add_to(label, "f", [-x for x in push], rate=Rate.ITERATION)

    def _aim_linear(self, trace: Trace, gamma, s, d_gamma, d_s, miss, law):
        """d beta if nothing moves and gamma stays; and the parts that `respond` needs: d b_i, and d psi's own."""
        n, ways = self.linear, self._ways(trace)
        zeta, psi = gamma[1 + n], s[1 + n]
        quotients = [gamma[1 + i] / s[1 + i] for i in range(n)]
        sent = [
            pair_aim(trace, gamma[1 + i], s[1 + i], d_gamma[1 + i], d_s[1 + i]) - quotients[i] * miss[1 + i]
            for i in range(n)
        ]
        total = dot(trace, quotients, [trace.graph.constant(1)] * n)
        right = target(trace) - second(trace) * (d_gamma[1 + n] * d_s[1 + n]) - zeta * psi
        d_psi = (right + psi * dot(trace, sent, [trace.graph.constant(1)] * n)) / (zeta + psi * total)
        pull = self._sum(trace, ways, quotients)
        tangent = [a - b * d_psi for a, b in zip(self._sum(trace, ways, sent), pull, strict=True)]
        return tangent, [d_psi, *sent]

    def _respond(self, trace: Trace) -> None:
        law = self._law(trace, Rate.ITERATION)
        k = self._work(trace, "k", 1 + (1 if self.cone else 1 + self.linear if self.linear else 0))
        miss = field(trace, "miss", self.misses)
        opening, slide = self._moved(trace, lambda t, label: [-x for x in solved(t, label)])
        d_gamma = k[0] - law["kappa"] * opening
        d_impulse, d_slack = [d_gamma], [opening + miss[0]]
        if self.cone:
            self._respond_cone(trace, law, k, miss, d_gamma, slide)
        elif self.linear:
            self._respond_linear(trace, k, miss, d_gamma, slide, d_impulse, d_slack)
        put(trace, "d_impulse", d_impulse)
        put(trace, "d_slack", d_slack)

    def _respond_cone(self, trace: Trace, law, k, miss, d_gamma, slide) -> None:
        kt, d0 = self._tangent(trace, "kt", 3), self._work(trace, "d0", 4)
        change = [u + m for u, m in zip(slide, miss[1:4], strict=True)]
        change = [trace.graph.constant(0) if i in self.flat else x for i, x in enumerate(change)]
        d_bound = self._bound(trace) * d_gamma
        top = (k[1] - dot(trace, d0[1:], change) - d_bound) / d0[0]
        friction = [kt[i] + law["m"][i] * d_gamma - dot(trace, law["K"][i], slide) for i in range(3)]
        put(trace, "d_b", [d_bound, *friction])
        put(trace, "d_e", [top, *change])

    def _respond_linear(self, trace: Trace, k, miss, d_gamma, slide, d_impulse, d_slack) -> None:
        gamma, s = field(trace, "impulse", self.pairs), field(trace, "slack", self.pairs)
        n, ways = self.linear, self._ways(trace)
        zeta, psi = gamma[1 + n], s[1 + n]
        quotients = [gamma[1 + i] / s[1 + i] for i in range(n)]
        total = dot(trace, quotients, [trace.graph.constant(1)] * n)
        along = [dot(trace, way, slide) for way in ways]
        d_psi = k[1] - psi * (self._bound(trace) * d_gamma + dot(trace, quotients, along)) / (zeta + psi * total)
        parts = [k[2 + i] - quotients[i] * (along[i] + d_psi) for i in range(n)]
        d_impulse += parts
        d_slack += [along[i] + d_psi + miss[1 + i] for i in range(n)]
        d_impulse.append(self._bound(trace) * d_gamma - dot(trace, parts, [trace.graph.constant(1)] * n))
        d_slack.append(d_psi)

    def _react(self, trace: Trace) -> None:
        time, zero = common.impulse(trace), trace.graph.constant(0)
        gap = common.step(trace) * self._work(trace, "un")[0]
        slide = self._tangent(trace, "ut", 3) if self.turns else [zero] * 3
        pushed = [field(trace, "impulse", self.pairs)[0] * self._steepness(trace), *self._friction(trace)]
        shown = [gap, *(x / time for x in pushed), *slide, *self._work(trace, "point", 3), *self._read_normal(trace)]
        meaning = "gap at the second knot; normal force, friction; sliding; point and normal where they act"
        trace.write(self.kind, "shown", shown, meaning, "m, N, m/s")

    def _steepness(self, trace: Trace) -> Scalar:
        """Force per normal impulse and time: 1 where the gap is a distance."""
        if self.model.unit_gradient:
            return trace.graph.constant(1)
        return self._work(trace, "steepness", rate=Rate.STEP)[0]

    def _friction(self, trace: Trace) -> list[Scalar]:
        if self.cone:
            return self._cone_field(trace, "b")[1:]
        if self.linear:
            return self._sum(trace, self._ways(trace), field(trace, "impulse", self.pairs)[1 : 1 + self.linear])
        return [trace.graph.constant(0)] * 3

    def _forget(self, trace: Trace) -> None:
        zero = trace.graph.constant(0)
        trace.write(self.kind, "pressed", [zero], store="state")
        if self.model.cone != "none":
            trace.write(self.kind, "rubbed", [zero] * 3, store="state")
        if self.linear and "t1" not in self.model.parameters:
            begun = use(trace, gaps.some_axis, n=self._read_normal(trace))["t"]
            trace.write(self.kind, "across", begun, store="state")

    def _finish(self, trace: Trace) -> None:
        gamma = field(trace, "impulse", self.pairs)
        trace.write(self.kind, "pressed", gamma[:1], store="state")
        if self.model.cone == "none":
            return
        trace.write(self.kind, "rubbed", self._friction(trace), store="state")
        if self.linear and "t1" not in self.model.parameters:
            trace.write(self.kind, "across", self._work(trace, "across_now", 3, Rate.STEP), store="state")


def _across(model: ContactModel, baked: Baked) -> set[int]:
    """The axes of the world that tangential vectors have no part in: of a plane across one, fixed to the world."""
    normal = baked.get("normal", ())
    if model.bodies["a"] is not None or "normal" not in model.parameters:
        return set()
    exact = [value for value in normal if value is not None]
    if len(exact) != 3 or sorted(abs(v) for v in exact) != [0, 0, 1]:
        return set()
    return {k for k, value in enumerate(normal) if value != 0}


def _cross(u: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
