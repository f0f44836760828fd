"""How far a step by a quadrature rule leaves the closed motions at its knots: what tells that it lost its branch.

The rates q' of its polynomial lead off the closed motions at a knot, by gamma = G q'. What would bring them back there
are impulses y between the bodies at rest, along the same gradients, with the kinetic energy of what they take away:

    G M^-1 Gᵀ y = gamma,    (q' - P q')ᵀ M (q' - P q') = gamma·y,    P q' the nearest closed rates

On the branch, with n nodes after the first one, the square root of its share of the energy is of order n in the step.
On another one rates are off by an angle; where a way bends too sharply for the step, it is as large.

The sweeps of order 2 solve for y, with their rows at rest: see the phases in templates/c/rule.c.jinja.
"""

from __future__ import annotations

from symvi.kernels.body_kernels import BODY
from symvi.kernels.common import COMMON, SHARED, single
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.records import Records
from symvi.kernels.rule_joint import OF_BODY, Points, in_rows
from symvi.kernels.rule_rows import GRADIENT, ROW, gradient
from symvi.kernels.tracing import Trace
from symvi.physics.model import ConstraintModel
from symvi.scalar import Rate

SOURCE = "derived here"
STRAYED = "what rates at a knot lead off its rows by", "m/s, rad/s"
SUMS = {
    "strayed": "twice the kinetic energy of what leads off the closed motions at a knot",
    "moved_by": "twice the kinetic energy of all bodies over the step, and at speeds of rest",
}
STILL = "a speed that is rest", "m/s"


def departure_kernels(
    records: Records, kind: str, nodes: str, model: ConstraintModel, points: Points
) -> dict[str, Kernel]:
    """By phase. kind: of the constraint's own record, which the sweeps solve; nodes: of that at the nodes."""
    moving = [label for label, body in model.bodies.items() if body is not None]
    bodies = tuple(Port(label, BODY) for label in moving)
    m = model.rows

    def at_node(node: int, trace: Trace) -> None:
        point, found = points.at_node(node), [trace.graph.constant(0)] * m
        with trace.computing("gamma = G [w; v]", SOURCE):
            for label in moving:
                twist = trace.read(label, "work", "points_twist", 6 * points.count, *OF_BODY["points_twist"])
                values = trace.read(ROW, "work", gradient(label), 6 * m * (points.degree + 1), *GRADIENT)
                for k, row in enumerate(in_rows(values, 6)[m * node : m * (node + 1)]):
                    for a, b in zip(row, twist[6 * point : 6 * point + 6], strict=True):
                        found[k] = found[k] + a * b
        trace.write(ROW, "strayed", found, *STRAYED)
        trace.write(kind, "f", found)

    def add(trace: Trace) -> None:
        impulse, found = trace.read(kind, "work", "s", m), trace.read(ROW, "work", "strayed", m, *STRAYED)
        total = trace.graph.constant(0)
        with trace.computing("gamma·y", SOURCE):
            for a, b in zip(impulse, found, strict=True):
                total = total + a * b
        trace.add_to(COMMON, "strayed", [total], rate=Rate.ITERATION, meaning=SUMS["strayed"], unit="J")

    ports = (SHARED, Port(kind, kind), Port(ROW, nodes))
    return {
        phase: single(records, f"{phase}_{nodes}", text, (*ports, *more), kind, build)
        for phase, text, more, build in (
            ("leave_rule", "what rates at the first knot lead off by", bodies, lambda trace: at_node(0, trace)),
            ("reach_rule", "the same at the last", bodies, lambda trace: at_node(points.degree, trace)),
            ("stray_rule", "the energy of that", (), add),
        )
    }


def motion_kernels(records: Records, points: Points) -> tuple[Kernel, Kernel]:
    """Sums of a step begin at zero; twice the kinetic energy of a body over the step."""

    def clear(trace: Trace) -> None:
        for name, meaning in SUMS.items():
            trace.write(COMMON, name, [trace.graph.constant(0)], meaning, "J")

    def add(trace: Trace) -> None:
        twist, momentum = (
            trace.read(BODY, "work", name, 6 * points.count, *OF_BODY[name])
            for name in ("points_twist", "points_momentum")
        )
        mass, still = trace.read(BODY, "parameters", "mass")[0], trace.read(COMMON, "work", "still", 1, *STILL)[0]
        with trace.computing("m v² at rest + sum w mu·[w; v]", "over the points of the rule"):
            total = mass * (still * still)
            for point in range(points.acting):
                parts = zip(twist[6 * point : 6 * point + 6], momentum[6 * point : 6 * point + 6], strict=True)
                weight = trace.graph.constant(points.rule.weights[point])
                for a, b in parts:
                    total = total + weight * (a * b)
        trace.add_to(COMMON, "moved_by", [total], rate=Rate.ITERATION, meaning=SUMS["moved_by"], unit="J")

    first = single(records, "clear_strayed", "sums of the step begin at zero", (SHARED,), COMMON, clear)
    ports = (SHARED, Port(BODY, BODY))
    return first, single(records, f"move_{BODY}", "its energy of motion, twice", ports, BODY, add)
