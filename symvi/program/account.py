"""The kernels of an account: energy that laws and drivers give, and that dampers, stops and contacts take, in a step.

A force F along a coordinate c gives F (c2 - c1) over a step, the difference as the residual forms it. What acts at
knots (an input, a driver's multiplier, which belongs to the knot where its step begins) acts half before its knot and
half after it, so that a step has 1/2 (F1 + F2) (c2 - c1) of both its knots: then v- M v+ / 2 of the steps' velocities
changes by what is given, exactly where gradients are constant. The second knot's force is known in the next step only;
a knot's share of the step before it is its `late` work.
Sums run from one recorded knot to the next; whoever records them begins them anew (templates/c/account.c.jinja).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symvi.physics import body as dynamics
from symvi.physics.model import ForceModel
from symvi.program import common
from symvi.program.body import BODY, use
from symvi.program.common import COMMON, SHARED, single
from symvi.program.constraint import Baked, Rows, trace_rows
from symvi.program.inequality import dot, last_motion
from symvi.program.kernel import Kernel, Port
from symvi.program.records import Records
from symvi.program.trace import Trace
from symvi.scalar import Rate, Scalar

SUMS = ("work", "settled", "most", "spent")  # from one recorded knot to the next
Forces = Callable[[Trace, Rows], list[Scalar]]
WORK = ("work", 1, "given since the last recorded knot; where it acts at knots, all but the last knot's late work", "J")
SPENT = ("spent", 1, "taken since the last recorded knot", "J")


def declare(records: Records) -> None:
    """What whoever records the sums tells the kernels."""
    meanings = {"fresh": "1 in the step after a recorded knot, else 0", "known": "1 after a step, 0 at a start"}
    for name, meaning in meanings.items():
        records.declare(COMMON, "account", name, 1, meaning)
    records.declare(COMMON, "work", "scatter", 1, "energy of the knot's velocities against those of the step", "J")


def is_paid(model: ForceModel) -> bool:
    """Whether what a law gives comes from outside: from an input, or from what a servo is supplied by."""
    return bool(model.force or model.torque or model.target)


def law_kernels(
    records: Records, kind: str, model: ForceModel, ports: Sequence[Port], baked: Baked, forces: Forces, at_knot: Forces
) -> dict[str, Kernel]:
    """The account of a force law: what it gives, or takes where it only damps.

    forces: along every row, over the step. at_knot: those at a knot that has been reached, of laws that are paid.
    """

    def account(trace: Trace) -> None:
        rows = trace_rows(trace, model, baked, model.groups, model.rows)
        phi, moved = forces(trace, rows), [common.step(trace) * rate for rate in rows.rates]
        if is_paid(model):
            give(trace, *_with_torque(trace, model, phi, moved))
        elif model.damping:
            time = common.impulse(trace)
            trace.note("spent += s h d (dc/dt)²", "the power of a damper")
            add(trace, SPENT, -(time * dot(trace, phi, rows.rates)))
        else:
            trace.note("work += phi (c2 - c1)", "the work of a law")
            add(trace, WORK, dot(trace, phi, moved))

    def ahead(trace: Trace) -> None:
        rows = trace_rows(trace, model, baked, model.groups, model.rows)
        phi = at_knot(trace, rows)
        moved = trace.read(kind, "account", "moved", model.rows + 3 * bool(model.torque))
        force, _ = _with_torque(trace, model, phi, moved[: model.rows])
        trace.write(kind, "ahead", [dot(trace, force, moved) / 2], store="account")

    kernels = {"account": single(records, f"account_{kind}", "what the law gives or takes", ports, kind, account)}
    if is_paid(model):
        text = "late work at the knot that was reached"
        kernels["ahead"] = single(records, f"ahead_{kind}", text, ports, kind, ahead)
    return kernels


def _with_torque(trace: Trace, model: ForceModel, phi: list[Scalar], moved: list[Scalar]):
    """Forces and ways of all rows, and of a torque on the body, whose way is its turn."""
    if not model.torque:
        return phi, moved
    from symvi.program.force import torque_in_world

    turn = [common.step(trace) * w for w in trace.read("b", "work", "w", 3)]
    return phi + torque_in_world(trace, model), moved + turn


def driver_kernel(records: Records, kind: str, target: str) -> Kernel:
    """The account of a driver: its multiplier over the way of its input."""

    def account(trace: Trace) -> None:
        force = trace.read(kind, "work", "y")[0] / common.impulse(trace)
        goal, last = trace.read(kind, "input", target)[0], trace.read(kind, "state", "target")[0]
        give(trace, [force], [goal - last])

    return single(records, f"account_{kind}", "what the driver gives", (SHARED, Port(kind, kind)), kind, account)


def give(trace: Trace, force: Sequence[Scalar], moved: Sequence[Scalar]) -> None:
    """Add the work of what acts at knots: `force` at this step's first one, `moved` along it to the second.

    `jump` is what a change of the force over the step before may leave open; `ahead` the late work at the knot that this
    step leads to, if the force goes on as it has changed.
    """
    own, n = trace.own, len(force)
    trace.note("work += F·(c1 - c0)/2 + F·(c2 - c1)/2", "trapezoids: derived here")
    fresh, known = (trace.read(COMMON, "account", name)[0] for name in ("fresh", "known"))
    before = trace.read(own, "account", "moved", n, "way of the last step along every row", "m, rad")
    last = trace.read(own, "account", "force", n, "force along every row in the last step", "N, N m")
    settled = trace.read(own, "account", "settled", 1, "late work of the knot that was recorded last", "J")[0]
    change = [f - f0 for f, f0 in zip(force, last, strict=True)]
    onward = [f + known * d for f, d in zip(force, change, strict=True)]
    late = dot(trace, force, before) / 2
    add(trace, WORK, late + dot(trace, force, moved) / 2)
    for name, value, meaning in (
        ("settled", settled + fresh * late, "late work of the knot that was recorded last"),
        ("ahead", dot(trace, onward, moved) / 2, "late work of the knot that is reached, as far as it is known"),
        ("jump", dot(trace, change, before), "change of the force over the last step, times its way"),
    ):
        trace.write(own, name, [value], meaning, "J", store="account")
    trace.write(own, "moved", list(moved), store="account")
    trace.write(own, "force", list(force), store="account")
    trace.records.declare(trace.kind(own), "account", "most", 1, "largest size of a jump", "J")


def add(trace: Trace, field: tuple[str, int, str, str], *values: Scalar) -> None:
    """Add to sums of the own account."""
    name, _, meaning, unit = field
    sums = trace.read(trace.own, "account", name, len(values), meaning, unit)
    trace.write(trace.own, name, [old + new for old, new in zip(sums, values, strict=True)], store="account")


def mean_motion(trace: Trace, label: str) -> list[Scalar]:
    """The mean of a body's velocities over the last step and over this one: what an impulse between both works along."""
    now = trace.read(label, "work", "v", 3) + trace.read(label, "work", "w", 3)
    return [(old + new) / 2 for old, new in zip(last_motion(trace, label), now, strict=True)]


def scatter_kernel(records: Records) -> Kernel:
    """How far the energy of a knot may lie from that of the step that led to it: 1/2 (v - v-)·M (v - v-)."""

    def build(trace: Trace) -> None:
        trace.note("scatter += (v - v_-)·M (v - v_-)/2", "derived here")
        mass, inertia = trace.read(BODY, "parameters", "mass"), trace.read(BODY, "work", "j", 6)
        v, w = (
            [x - y for x, y in zip(trace.read(BODY, "work", name, 3), trace.read(BODY, "state", name, 3), strict=True)]
            for name in ("v", "w")
        )
        energy = use(trace, dynamics.kinetic_energy, m=mass, v=v, w=w, J=inertia)["T"]
        trace.add_to(COMMON, "scatter", energy, rate=Rate.ITERATION)

    text = "what a knot's velocities differ by from those of the step, as an energy"
    return single(records, f"scatter_{BODY}", text, (SHARED, Port(BODY, BODY)), BODY, build)
