"""Where a contact acts: its gap, normal and arms, how its point slides, and what an impulse there does to bodies.

Traced once per type of contact, at the first knot, in every iteration, and for the blocks of the Newton matrix.
"""

from __future__ import annotations

from collections.abc import Sequence

from symvi.kernels import common
from symvi.kernels.blocks import cross
from symvi.kernels.body_kernels import use
from symvi.kernels.friction import Friction
from symvi.kernels.inequality import (
    add_block,
    dot,
    solved,
    stored,
    weigh,
)
from symvi.kernels.kernel import Block, Kernel, Port
from symvi.kernels.knots import Baked, Knots, Rows, trace_rows
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics import gaps
from symvi.physics.formula import Formula
from symvi.physics.model import ContactModel, FixedTo, Position
from symvi.scalar import Rate, Scalar


class ContactGeometry:
    """The geometry of one contact type in its traces.

    moving: labels of the bodies that are no world. first: the one that comes first in the record between two bodies.
    second, gradients, ways: by body, the gradient of the gap at the second knot and, where it is no unit vector, at the
    first, and the change of sliding with the placement of the body. directions, slopes: of bordered contacts, what a
    body gets of the impulses along the normal and the axes of the world, and these by its motion.
    """

    def __init__(
        self, kind: str, model: ContactModel, baked: Baked, friction: Friction, backwards: bool, bordered: bool
    ):
        self.kind, self.model, self.baked, self.friction = kind, model, baked, friction
        self.moving = [label for label, body in model.bodies.items() if body is not None]
        self.first = (self.moving[::-1] if backwards else self.moving)[0]
        self.gradients: dict[str, Block] = {}
        self.second: dict[str, Block] = {}
        self.ways: dict[str, Block] = {}
        self.bordered = bordered and len(self.moving) == 2
        self.directions: dict[str, Block] = {}
        self.slopes: dict[str, Block] = {}

    def kernels(self, records: Records, ports: tuple[Port, ...]) -> dict[str, Kernel]:
        """By how often they run: per change of parameters, per step, per iteration, per matrix."""
        trace = Trace(records, ports, self.kind, f"{self.model.type.replace('_', ' ')}: gap and sliding")
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
        trace.note("u_n = phi(z1)/h + (phi(z2) - phi(z1))/h", "BSMH23 (24b)")
        closing = common.inverse_step(trace) * rows.first[0] + rows.rates[0]
        trace.write(self.kind, "un", [closing], "rate that closes the gap", "m/s")
        self.second = {
            label: trace.block("gap2", [rows.at2[label][0]], "gradient of the gap at the second knot")
            for label in self.moving
        }
        if self.model.cone != "none":
            slide = self._sliding(trace, knots, normal, arms)
            trace.write(self.kind, "ut", slide, "velocity of sliding, of the child on the parent", "m/s")
            self.friction.prepare(trace, knots, normal)
        if self.bordered:
            self._directions(trace, normal, arms, rows)
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
        if self.model.centre is None and (place := self.model.place) is not None:
            inputs = {name: knots.of(source)[0] for name, source in place.inputs.items()}
            l_b = use(trace, place.formula, **inputs)["g"]
            return {"l_b": l_b, **use(trace, gaps.arm_on_parent, x_a=x_a, x_b=x_b, l_b=l_b)}
        return use(
            trace,
            gaps.arms,
            x_a=x_a,
            x_b=x_b,
            r_b=knots.of(FixedTo("b", "anchor_b"))[0],
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

    def _of_body(self, trace: Trace, knots: Knots, label: str, arms, seconds, centre: FixedTo | None) -> dict:
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
        kappa, law = self.kappa(trace, Rate.MATRIX), self.friction.law(trace, Rate.MATRIX)
        stiffness = [law["K"][3 * i : 3 * i + 3] for i in range(3)]
        trace.note("F_jk += A_jᵀ (n + m) kappa N_k + A_jᵀ K A_k", "the contact's own variables eliminated")
        for column in self.moving:
            slope = [x for row in stored(trace, self.second[column]) for x in row]
            tangent = [[trace.graph.constant(0)] * 6 for _ in range(3)]
            if self.ways:
                way = list(zip(*stored(trace, self.ways[column]), strict=True))
                tangent = [[dot(trace, stiffness[i], way[j]) for j in range(6)] for i in range(3)]
            along = [m * kappa for m in law["m"]]
            if self.bordered:
                pushes = [[kappa * x for x in slope]]
                pushes += [[along[i] * slope[j] + tangent[i][j] for j in range(6)] for i in self._ways()]
                self.slopes[column] = self._kept(trace, f"slope_{column}", pushes, "impulses by the motion of a body")
                continue
            for row in self.moving:
                columns = []
                for j in range(6):
                    push = [along[i] * slope[j] + tangent[i][j] for i in range(3)]
                    columns.append(self.on_body(trace, row, kappa * slope[j], push))
                add_block(trace, row, column, self.first, [columns[j][i] for i in range(6) for j in range(6)])

    def _ways(self) -> range:
        """The axes of the world along which friction acts."""
        return range(3 if self.ways else 0)

    def _directions(self, trace: Trace, normal: Sequence[Scalar], arms, rows: Rows) -> None:
        """What bodies get of one along the normal, and along the axes of the world."""
        zero, one = trace.graph.constant(0), trace.graph.constant(1)
        forces = [list(normal), *([one if i == k else zero for i in range(3)] for k in self._ways())]
        for label in self.moving:
            given = [[*force, *cross(arms[f"l_{label}"], force)] for force in forces]
            given = given if label == "b" else [[-x for x in row] for row in given]
            if not self.model.unit_gradient:
                given[0] = rows.at1[label][0]
            self.directions[label] = trace.block("along1", given, "what a body gets of each of the impulses")

    def _kept(self, trace: Trace, name: str, rows: Sequence[Sequence[Scalar]], meaning: str) -> Block:
        """A block that the matrix alone needs."""
        values = [x for row in rows for x in row]
        trace.write(self.kind, name, [None if x.is_zero else x for x in values], meaning, rate=Rate.MATRIX)
        return Block.dense(len(rows), 6, name, sum(1 << k for k, x in enumerate(values) if not x.is_zero))

    def kappa(self, trace: Trace, rate: Rate = Rate.ITERATION) -> Scalar:
        return trace.read(self.kind, "work", "kappa", 1, "stiffness of the gap", "kg", rate=rate)[0]

    def on_body(self, trace: Trace, label: str, normal: Scalar, tangent: Sequence[Scalar]) -> list[Scalar]:
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

    def _parameter(self, trace: Trace, name: str) -> Scalar:
        p = self.model.parameters[name]
        return trace.read(self.kind, "parameters", name, 1, p.meaning, p.unit)[0]

    def work(self, trace: Trace, name: str, size: int = 1, rate: Rate = Rate.ITERATION) -> list[Scalar]:
        return trace.read(self.kind, "work", name, size, rate=rate)

    def moved(self, trace: Trace) -> tuple[Scalar, list[Scalar]]:
        """Opening of the gap and sliding by the bodies' solved increments."""
        zero = trace.graph.constant(0)
        gap_rate, slide = zero, [zero] * 3
        for label in self.moving:
            change = [-x for x in solved(trace, label)]
            gap_rate = gap_rate + dot(trace, stored(trace, self.second[label])[0], change)
            if self.ways:
                way = stored(trace, self.ways[label])
                moved = [dot(trace, row[:3], change[:3]) + dot(trace, row[3:], change[3:]) for row in way]
                slide = [a + b for a, b in zip(slide, moved, strict=True)]
        if self.ways:
            slide = use(trace, gaps.tangential, n=self.friction.normal(trace), u=slide)["t"]
        return gap_rate, slide

    def push(self, trace: Trace, normal: Scalar, tangent: Sequence[Scalar]) -> None:
        """An impulse into the residual of the bodies."""
        for label in self.moving:
            push = self.on_body(trace, label, normal, tangent)
            trace.add_to(label, "f", [-x for x in push], rate=Rate.ITERATION)
