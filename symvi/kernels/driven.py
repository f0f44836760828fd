"""The kernels of a driver along a joint's coordinate that is solved for: an input says what its rate must be.

The row is that of maximal coordinates, c(z2) = u. There the rate of its coordinate is the one unknown, and increments
of that are known at once: the joint has no balance along it. What is left of the impulses there is the driver's own.
"""

from __future__ import annotations

from symvi.kernels import common
from symvi.kernels.account import driver_kernels
from symvi.kernels.body_kernels import BODY
from symvi.kernels.carried_joint import ASKED, LED, Link, mean_rate
from symvi.kernels.common import COMMON, JOINT, SHARED, single
from symvi.kernels.constraint import own_kernels, remember_input, towards_target
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.knots import Baked, GivenKnots, Knots, carry_angles, remember_angles, trace_rows
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics.model import ConstraintModel
from symvi.scalar import Rate, Scalar

OPEN = "the row over the step: how far its coordinate is from the input, over h"


def driven_kernels(
    records: Records, kind: str, model: ConstraintModel, baked: Baked, joint: str, link: Link, unknown: int
) -> dict[str, Kernel]:
    """Every kernel of a driver. joint: the type of its joint; link, unknown: of the sweep over it.

    Ports: the driver under its own kind's name, its joint, and the bodies under their labels.
    """
    if model.target is None:
        raise ValueError(f"{model.name} follows no input")
    target = model.target
    moving = [label for label, body in model.bodies.items() if body is not None]
    ports = (SHARED, Port(kind, kind), Port(JOINT, joint), *(Port(label, BODY) for label in moving))
    size, where = link.freedoms, link.driven.index(unknown)

    def entry(value: Scalar) -> list[Scalar | None]:
        """A number of this driver among those of all drivers of the joint."""
        return [value if k == where else None for k in range(len(link.driven))]

    def coordinate(trace: Trace, knots: type[Knots] = Knots) -> Scalar:
        """The coordinate at the first knot, and what it lacks of the input there. knots: what bodies are read by."""
        first = trace_rows(trace, model, baked, model.groups, model.rows, knots(trace, model, baked)).first[0]
        reached = trace.read(kind, "state", "target", 1, "the input at this knot")[0]
        unit = model.row_units[0]
        trace.write(kind, "g", [first - reached], "rows at the first knot", unit, rate=Rate.STEP)
        return first

    trace = Trace(records, ports, kind, f"{model.type}: {', '.join(model.row_names)}")
    first = coordinate(trace)
    with trace.computing("f = (c(z1) - u)/h + (c(z2) - c(z1))/h", "BSMH23 (20b)"):
        u = trace.read(JOINT, "work", "u", size)[unknown]
        rate = u if unknown < link.slides else mean_rate(trace, u)
        miss = towards_target(trace, model, target, first, common.closure(trace)) + rate
    trace.write(kind, "f", [miss], OPEN)
    trace.write(JOINT, ASKED, entry(miss))
    remember_angles(trace, model, baked)
    kernels = dict(trace.kernels(kind))

    def inspect(trace: Trace) -> None:
        coordinate(trace, GivenKnots)

    def bear(trace: Trace) -> None:
        given = trace.read(JOINT, "work", LED, len(link.driven))[where]
        trace.write(kind, "y", [given], "impulse of every row", "N s, N m s")

    def merit(trace: Trace) -> None:
        f = trace.read(kind, "work", "f")[0]
        trace.add_to(COMMON, "merit", [f * f], rate=Rate.ITERATION)

    def keep(trace: Trace) -> None:
        trace.write(kind, "given", trace.read(kind, "work", "f"), "the residual before elimination")

    def recall(trace: Trace) -> None:
        given = trace.read(kind, "work", "given")[0]
        trace.write(kind, "f", [given])
        trace.write(JOINT, ASKED, entry(given))

    def finish(trace: Trace) -> None:
        carry_angles(trace, model)
        remember_input(trace, target)

    texts = {
        "inspect": (inspect, "what its coordinate lacks of the input"),
        "bear": (bear, "what the joint leaves of impulses along its coordinate"),
        "merit": (merit, "add the row's residual to the merit"),
        "keep": (keep, "keep the residual for a second right-hand side"),
        "recall": (recall, "the residual as it was"),
        "finish": (finish, "carry angles and the input on to the next step"),
    }
    for phase, (build, text) in texts.items():
        kernels[phase] = single(records, f"{phase}_{kind}", text, ports, kind, build)
    alone = own_kernels(records, kind, model, ("reset", "gather", "arrive"))
    return kernels | alone | driver_kernels(records, kind, target)
