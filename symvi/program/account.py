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
from symvi.program.constraint import Baked, trace_rows
from symvi.program.inequality import dot, last_motion
from symvi.program.kernel import Kernel, Port
from symvi.program.records import Records
from symvi.program.trace import Trace
from symvi.scalar import Rate, Scalar

SUMS = ("work", "settled", "spent")  # from one recorded knot to the next
Forces = Callable[..., list[Scalar]]
WORK = ("work", 1, "given since the last recorded knot; where it acts at knots, all but the last knot's late work", "J")
PACE = "kinetic energy of a step, less that of the change of its velocities"
MISREAD = "kinetic energy of the knot that was recorded last, less that of the mean velocities of both steps around it"
SCATTERED = {
    "scatter": "how far energies of a knot and of the step before may lie apart",
    "swerve": "change of all forces on bodies over the step before a knot, times its way",
}
SPENT = ("spent", 1, "taken since the last recorded knot", "J")


def declare(records: Records) -> None:
    """What whoever records the sums tells the kernels."""
    meanings = {"fresh": "1 in the step after a recorded knot, else 0", "known": "1 after a step, 0 at a start"}
    for name, meaning in meanings.items():
        records.declare(COMMON, "account", name, 1, meaning)
    records.declare(COMMON, "account", "pace", 1, PACE, "J")
    records.declare(COMMON, "account", "fastest", 1, "the largest of them since the last recorded knot", "J")
    records.declare(COMMON, "account", "misread", 1, MISREAD, "J")
    for name, meaning in SCATTERED.items():
        records.declare(COMMON, "work", name, 1, meaning, "J")


def is_paid(model: ForceModel) -> bool:
    """Whether what a law gives comes from outside: from an input, or from what a servo is supplied by."""
    return bool(model.force or model.torque or model.target)


def law_kernels(
    records: Records, kind: str, model: ForceModel, ports: Sequence[Port], baked: Baked, forces: tuple[Forces, ...]
) -> dict[str, Kernel]:
    """The account of a force law: what it gives, or takes where it only damps.

    forces: of trace, model and rows: what acts along every row at the step's first knot, what acts within the step, and
    (without rows) the torque on body b.
    """
    at_knot, within, torque = forces

    def account(trace: Trace) -> None:
        rows = trace_rows(trace, model, baked, model.groups, model.rows)
        moved = [common.step(trace) * rate for rate in rows.rates]
        if is_paid(model):
            force = at_knot(trace, model, rows)
            if model.torque:
                force = force + torque(trace, model)
                moved += [common.step(trace) * w for w in trace.read("b", "work", "w", 3)]
            give(trace, force, moved, common.impulse(trace) * dot(trace, within(trace, model, rows), rows.rates))
        elif model.damping:
            trace.note("spent += s h d (dc/dt)²", "the power of a damper")
            against = dot(trace, within(trace, model, rows), rows.rates)
            add(trace, SPENT, -(common.impulse(trace) * against))
        else:
            trace.note("work += phi (c2 - c1)", "the work of a law")
            add(trace, WORK, dot(trace, at_knot(trace, model, rows), moved))

    def ahead(trace: Trace) -> None:
        force = at_knot(trace, model, trace_rows(trace, model, baked, model.groups, model.rows))
        if model.torque:
            force = force + torque(trace, model)
        moved = trace.read(kind, "account", "moved", len(force))
        trace.write(kind, "ahead", [dot(trace, force, moved) / 2], store="account")

    kernels = {"account": single(records, f"account_{kind}", "what the law gives or takes", ports, kind, account)}
    if is_paid(model):
        text = "late work at the knot that was reached"
        kernels["ahead"] = single(records, f"ahead_{kind}", text, ports, kind, ahead)
    return kernels


def driver_kernel(records: Records, kind: str, target: str) -> Kernel:
    """The account of a driver: its multiplier over the way of its input."""

    def account(trace: Trace) -> None:
        force = trace.read(kind, "work", "y")[0] / common.impulse(trace)
        goal, last = trace.read(kind, "input", target)[0], trace.read(kind, "state", "target")[0]
        give(trace, [force], [goal - last])

    return single(records, f"account_{kind}", "what the driver gives", (SHARED, Port(kind, kind)), kind, account)


def give(trace: Trace, force: Sequence[Scalar], moved: Sequence[Scalar], within: Scalar | int = 0) -> None:
    """Add the work of `force`, which acts at this step's first knot, `moved` along it to the second.

    within: the work of what acts in the step itself, beside it. `ahead` is the late work at the knot that this step
    leads to, if the force goes on as it has changed.
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
    add(trace, WORK, late + dot(trace, force, moved) / 2 + within)
    for name, value, meaning in (
        ("settled", settled + fresh * late, "late work of the knot that was recorded last"),
        ("ahead", dot(trace, onward, moved) / 2, "late work of the knot that is reached, as far as it is known"),
    ):
        trace.write(own, name, [value], meaning, "J", store="account")
    trace.write(own, "moved", list(moved), store="account")
    trace.write(own, "force", list(force), store="account")


def add(trace: Trace, field: tuple[str, int, str, str], *values: Scalar) -> None:
    """Add to sums of the own account."""
    name, _, meaning, unit = field
    sums = trace.read(trace.own, "account", name, len(values), meaning, unit)
    trace.write(trace.own, name, [old + new for old, new in zip(sums, values, strict=True)], store="account")


def mean_motion(trace: Trace, label: str) -> list[Scalar]:
    """The mean of a body's velocities over the last step and over this one: what an impulse between works along."""
    now = trace.read(label, "work", "v", 3) + trace.read(label, "work", "w", 3)
    return [(old + new) / 2 for old, new in zip(last_motion(trace, label), now, strict=True)]


def body_kernels(records: Records, driven: bool) -> dict[str, Kernel]:
    """What the velocities of bodies tell a guard of energies: in every step, and at a knot that is looked at.

    driven: drivers act, whose rates at knots are told by inputs before them only.
    """
    ports = (SHARED, Port(BODY, BODY))

    texts = {
        "account": ("kinetic energy, less that of the change of velocities", _pace),
        "scatter": ("what the order of the method leaves open of the energy", _scatter),
    }
    if driven:
        texts["reread"] = ("the knot that was recorded last, by the velocities of both steps around it", _reread)
    return {
        phase: single(records, f"{phase}_{BODY}", text, ports, BODY, build) for phase, (text, build) in texts.items()
    }


def _pace(trace: Trace) -> None:
    """Add T(v+) - T(v+ - v-): above zero for motions that steps resolve."""
    trace.note("pace += v+·M v+/2 - (v+ - v-)·M (v+ - v-)/2", "derived here")
    now = [trace.read(BODY, "work", name, 3) for name in ("v", "w")]
    last = [trace.read(BODY, "state", name, 3) for name in ("v", "w")]
    change = [_less(new, old) for new, old in zip(now, last, strict=True)]
    present = trace.read(COMMON, "account", "pace", 1)[0]
    trace.write(COMMON, "pace", [present + _kinetic(trace, *now) - _kinetic(trace, *change)], store="account")


def _reread(trace: Trace) -> None:
    """Add T of the last recorded knot's velocities, less T of the mean of both steps' around it."""
    trace.note("misread += v·M v/2 - (v- + v+)·M (v- + v+)/8", "derived here")
    seen = trace.read(BODY, "account", "seen", 6, "velocities of the knot that was recorded last", "m/s, rad/s")
    mean = mean_motion(trace, BODY)
    apart = _kinetic(trace, seen[:3], seen[3:]) - _kinetic(trace, mean[:3], mean[3:])
    present = trace.read(COMMON, "account", "misread", 1)[0]
    trace.write(COMMON, "misread", [present + apart], store="account")


def _scatter(trace: Trace) -> None:
    """How far the energy of a knot may lie from that of others: by its force, by its turning, by the force's change.

    A force F changes the energy of knots by h² F·M^-1 F/8 = (v - v-)·M (v - v-)/2, also if it is constant. A body that
    turns at W about a principal axis has the momentum J sin(hW)/h, so that work over angles changes the energy by
    (hW)²/12 of it less. A force that changes leaves |dF·dx|/8 of a trapezoid open.
    """
    trace.note("scatter += (v - v-)·M (v - v-)/2 + (h w)² w·J w/24", "derived here")
    trace.note("swerve += (2 (v - v-) - (v- - v--))·M v-", "derived here")
    h, zero = common.step(trace), [trace.graph.constant(0)] * 3
    knot, last, before = (
        [trace.read(BODY, store, name, 3) for name in names]
        for store, names in (("work", "vw"), ("state", "vw"), ("state", ("v_old", "w_old")))
    )
    change = [_less(new, old) for new, old in zip(knot, last, strict=True)]
    turn = h * h * dot(trace, knot[1], knot[1]) / 12
    scatter = _kinetic(trace, *change) + turn * _kinetic(trace, zero, knot[1])
    jerk = [[2 * c - d for c, d in zip(new, _less(a, b), strict=True)]
            for new, a, b in zip(change, last, before, strict=True)]  # fmt: skip
    swerve = _kinetic(trace, *_plus(jerk, last)) - _kinetic(trace, *jerk) - _kinetic(trace, *last)
    trace.add_to(COMMON, "scatter", [scatter], rate=Rate.ITERATION)
    trace.add_to(COMMON, "swerve", [swerve], rate=Rate.ITERATION)


def _kinetic(trace: Trace, v: Sequence[Scalar], w: Sequence[Scalar]) -> Scalar:
    mass, inertia = trace.read(BODY, "parameters", "mass"), trace.read(BODY, "work", "j", 6)
    return use(trace, dynamics.kinetic_energy, m=mass, v=list(v), w=list(w), J=inertia)["T"][0]


def _less(u: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    return [x - y for x, y in zip(u, v, strict=True)]


def _plus(u: Sequence[list[Scalar]], v: Sequence[list[Scalar]]) -> list[list[Scalar]]:
    return [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(u, v, strict=True)]
