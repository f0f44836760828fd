"""Whether a contact may act in a step: its gap at the knot, how far its bodies come, and its gap where they arrived.

A contact that is far away is left out of a step: no kernel but these runs on it, and it has no impulse. It is near
where its gap is no larger than a bound on the way of its bodies,

    phi(z1) <= r/32 + 2 h max(0, -G u) + 2 |g| h²,

G u the rate at which the last step changed it, r the child's radius. The bound only saves work: what was left out is
looked at where the step arrived, and a step that closed a gap, phi(z2) <= 0, is solved again with its contact
(near.c.jinja). So the complementarity of all contacts holds at the second knot: of those that were left out phi(z2) > 0
and gamma = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symvi.kernels import common
from symvi.kernels.common import COMMON, single
from symvi.kernels.inequality import dot
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.knots import Baked, Rows, trace_rows
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.numbers.control import CONTACT_SIZE
from symvi.physics.model import ContactModel
from symvi.scalar import Scalar, root

REACH = "reach"
CLOSE = Fraction(1, 32)  # of the child's radius: gaps below it are near in every step
AHEAD = 2  # times the way of the last step, and of a fall


def reach_of(kind: str) -> str:
    """The type of the records that say whether contacts of a type are near."""
    return f"{kind}_reach"


def nearness_kernels(records: Records, kind: str, model: ContactModel, baked: Baked) -> dict[str, Kernel]:
    """By phase: approach (gap and reach at the first knot), arrived (the second one), idle (what a far contact shows).

    Ports: the contact under its own kind's name, bodies under their labels, the record of its reach as `reach`.
    """
    moving = [label for label, body in model.bodies.items() if body is not None]
    shared = (common.SHARED, Port(kind, kind), Port(REACH, reach_of(kind)))
    ports = (*shared, *(Port(label, "body") for label in moving))

    def approach(trace: Trace) -> None:
        rows = trace_rows(trace, model, baked, model.groups, 1)
        gap = rows.first[0]
        h = common.step(trace)
        radius = trace.read(kind, "parameters", "radius", 1, model.parameters["radius"].meaning, "m")[0]
        fall = trace.read(COMMON, "parameters", "acceleration")[0]
        bound = CLOSE * radius + AHEAD * (h * (_speed(trace, rows, moving) + h * fall))
        trace.write(REACH, "gap", [gap], "gap at the first knot", "m")
        trace.write(REACH, "apart", [gap - bound], "what it is larger than its bodies may come in the step", "m")

    def arrived(trace: Trace) -> None:
        rows = trace_rows(trace, model, baked, model.groups, 1)
        closing = common.inverse_step(trace) * rows.first[0] + rows.rates[0]
        trace.write(REACH, "un", [closing], "rate that closes the gap, where it was left out of the step", "m/s")

    def idle(trace: Trace) -> None:
        zero = trace.graph.constant(0)
        gap = common.step(trace) * trace.read(REACH, "work", "un")[0]
        trace.write(kind, "shown", [gap, *[zero] * (CONTACT_SIZE - 1)])

    return {
        "approach": single(records, f"approach_{kind}", "gap at the first knot, and its reach", ports, kind, approach),
        "arrived": single(records, f"arrived_{kind}", "gap at the second knot", ports, kind, arrived),
        "idle": single(records, f"idle_{kind}", "what a user sees of a contact that is far", shared, kind, idle),
    }


def _speed(trace: Trace, rows: Rows, moving: Sequence[str]) -> Scalar:
    """How fast the gap closed in the step before; 0 where it opened."""
    rate = trace.graph.constant(0)
    for label in moving:
        velocity = (*trace.read(label, "state", "v", 3), *trace.read(label, "state", "w", 3))
        rate = rate + dot(trace, rows.at1[label][0], velocity)
    return (root(rate * rate) - rate) * Fraction(1, 2)
