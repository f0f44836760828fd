"""Rows that close loops under a quadrature rule: zero at every node of a step, with impulses at all but the last.

A step is stationary among the motions whose nodes are closed (JM09 section IV-D, (44); with inner nodes so too): an
equation of node k has the impulses y of its own node, along the gradients there:

    r_k += G(q_k)ᵀ y_k, k = 0 ... s - 1,    g(q_j) = 0, j = 1 ... s

Nodes are those of Lobatto for every rule. The polynomial leaves the closed motions between them, by an error that is
zero at them and that Lobatto's quadrature therefore does not see: steps keep their order. Gradients are about the
origin of the sweeps, [tau; f], so that they are the same numbers at every joint between a row's bodies and their common
ancestor, where they cancel.
"""

from __future__ import annotations

from symvi.kernels import common
from symvi.kernels.blocks import Matrix, Vector, cross
from symvi.kernels.body_kernels import BODY, use
from symvi.kernels.carried_joint import blocks_sum
from symvi.kernels.common import COMMON, SHARED, single
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.knots import Baked, Knots, trace_rows
from symvi.kernels.records import Records
from symvi.kernels.rule_joint import OF_BODY, Points, in_rows
from symvi.kernels.rule_outward import carried
from symvi.kernels.tracing import Trace
from symvi.physics import kinematics
from symvi.physics.model import AtFirstKnot, Attitude, ConstraintModel, FixedTo
from symvi.scalar import Rate, Scalar

SOURCE = "JM09 (44), derived here"
ROW = "row"  # the record of the rows at the nodes
GRADIENT = "gradients of the rows about the origin at the nodes, [tau; f]", "1, m"
IMPULSES = "impulses of the rows, by node", "N s, N m s"
BASE = "impulses that the increment starts from", "N s, N m s"
RESIDUAL = "residual of the rows by node, then their increments", "m/s, rad/s"
INCREMENT = "solved increment of the impulses", "N s, N m s"


def gradient(label: str) -> str:
    """The field with the gradients by the body of a label."""
    return f"G_nodes_{label}"


class NodeKnots(Knots):
    """What a model's inputs are at a node, in place of the first knot; the second one is no other."""

    def __init__(self, trace: Trace, model: ConstraintModel, baked: Baked, points: Points, node: int):
        super().__init__(trace, model, baked)
        self.points, self.point = points, points.at_node(node)
        self.at_first = Knots(trace, model, baked)

    def _evaluate(self, source) -> tuple[Vector, Vector, Vector]:
        if isinstance(source, AtFirstKnot):
            return self._still(self.at_first.of(source.source)[0])
        return super()._evaluate(source)

    def centre(self, label: str, point: int) -> Vector:
        """From the origin to the centre of mass."""
        return self._of(label, "points_centre", 3)[3 * point : 3 * point + 3]

    def _of(self, label: str, name: str, size: int) -> Vector:
        return self.trace.read(label, "work", name, size * self.points.count, *OF_BODY[name])

    def _position(self, label: str):
        if not self._moves(label):
            return self._still([self.trace.graph.constant(0)] * 3)
        x = self.trace.read(label, "state", "x", 3)
        with self.trace.computing("x = x1 + what it has moved by", SOURCE):
            here, first = self.centre(label, self.point), self.centre(label, self.points.at_node(0))
            return self._still([a + (b - c) for a, b, c in zip(x, here, first, strict=True)])

    def _vector(self, source: FixedTo):
        if not self._moves(source.body):
            return super()._vector(source)
        turn = self._of(source.body, "points_rotation", 9)[9 * self.point : 9 * self.point + 9]
        offset = self.parameter(source.parameter)
        first = use(self.trace, kinematics.carried_vector, source.parameter, R=self._rotation(source.body), p=offset)[
            "r"
        ]
        return self._still(carried(self.trace, turn, first, source.parameter))

    def _quaternion(self, source: Attitude):
        if not self._moves(source.body):
            return super()._quaternion(source)
        turn = self._of(source.body, "points_turn", 4)[4 * self.point : 4 * self.point + 4]
        q, offset = self.trace.read(source.body, "state", "q", 4), self.parameter(source.parameter)
        first = use(self.trace, kinematics.carried_quaternion, source.parameter, q=q, o=offset)["p"]
        return self._still(use(self.trace, kinematics.carried_quaternion, source.parameter, q=turn, o=first)["p"])


def row_kernels(
    records: Records, kind: str, nodes: str, model: ConstraintModel, baked: Baked, points: Points
) -> dict[str, Kernel]:
    """The kernels of one type of rows by phase. kind: of the constraint's own record; nodes: of that at the nodes."""
    moving = [label for label, body in model.bodies.items() if body is not None]
    own, bodies = (SHARED, Port(ROW, nodes)), tuple(Port(label, BODY) for label in moving)
    m, count = model.rows, model.rows * points.degree

    def evaluate(trace: Trace) -> None:
        values: list[Vector] = []
        found: dict[str, list[Matrix]] = {label: [] for label in moving}
        for node in range(points.degree + 1):
            knots = NodeKnots(trace, model, baked, points, node)
            rows = trace_rows(trace, model, baked, model.groups, m, knots)
            values.append(rows.first)
            for label in moving:
                centre = knots.centre(label, knots.point)
                with trace.computing("G = [G_r + x x G_x; G_x]", SOURCE):
                    found[label].append([[*blocks_sum(g[3:], cross(centre, g[:3])), *g[:3]] for g in rows.at1[label]])
        with trace.computing("f = g/h", SOURCE):
            inverse = common.inverse_step(trace)
            lacking = [inverse * values[node][k] for node in points.held for k in range(m)]
        trace.write(ROW, "f", lacking, *RESIDUAL)
        impulses = in_rows(trace.read(ROW, "work", "impulses", count, *IMPULSES), m)
        for label in moving:
            trace.write(ROW, gradient(label), [x for g in found[label] for row in g for x in row], *GRADIENT)
            with trace.computing("Gᵀ y", SOURCE):
                push = [x for node in points.pressed for x in _pushed(trace, found[label][node], impulses[node])]
            said = OF_BODY["points_pressed"]
            trace.add_to(label, "points_pressed", push, rate=Rate.ITERATION, meaning=said[0], unit=said[1])

    def begin(trace: Trace) -> None:
        trace.write(ROW, "impulses", [trace.graph.constant(0)] * count, *IMPULSES)

    def merit(trace: Trace) -> None:
        f = trace.read(ROW, "work", "f", count, *RESIDUAL)
        total = f[0] * f[0]
        for value in f[1:]:
            total = total + value * value
        trace.add_to(COMMON, "merit", [total], rate=Rate.ITERATION)

    def advance(trace: Trace) -> None:
        base = trace.read(ROW, "work", "impulses", count, *IMPULSES)
        trace.write(ROW, "base", base, *BASE)
        move(trace, base)

    def shorten(trace: Trace) -> None:
        move(trace, trace.read(ROW, "work", "base", count, *BASE))

    def move(trace: Trace, base: Vector) -> None:
        length, change = trace.read(COMMON, "work", "length")[0], trace.read(ROW, "work", "s", count, *INCREMENT)
        trace.write(ROW, "impulses", [b - length * d for b, d in zip(base, change, strict=True)], *IMPULSES)

    built = {
        "begin_rule": (begin, own, "impulses start at zero"),
        "merit_rule": (merit, own, "add the rows' residual to the merit"),
        "advance_rule": (advance, own, "keep the base and take `length` of the increment"),
        "shorten_rule": (shorten, own, "take another `length` of the same increment"),
    }
    found = {
        phase: single(records, f"{phase}_{nodes}", text, ports, ROW, build)
        for phase, (build, ports, text) in built.items()
    }
    found["evaluate_rule"] = single(
        records,
        f"rows_{nodes}",
        "rows and gradients at the nodes, impulses on the bodies",
        (*own, Port(kind, kind), *bodies),
        kind,
        evaluate,
    )
    return found


def clear_pressed(records: Records, points: Points) -> Kernel:
    """A body has no impulses of rows but those that these send."""

    def build(trace: Trace) -> None:
        zero = [trace.graph.constant(0)] * (6 * points.degree)
        trace.write(BODY, "points_pressed", zero, *OF_BODY["points_pressed"])

    ports = (Port(BODY, BODY),)
    return single(records, f"clear_pressed_{BODY}", "impulses of rows before any is sent", ports, BODY, build)


def _pushed(trace: Trace, gradients: Matrix, impulse: Vector) -> Vector:
    found: Vector = []
    for k in range(6):
        total: Scalar = trace.graph.constant(0)
        for row, value in zip(gradients, impulse, strict=True):
            total = total + row[k] * value
        found.append(total)
    return found
