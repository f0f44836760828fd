"""The kernels of an account: energy that laws and drivers give, and that dampers, stops and contacts take, in a step.

Springs, dampers and servos act within the step: along a coordinate that moves at the mean rate rho, a force phi has the
work h phi rho, which the step itself knows (law.py). What acts at knots (an actuator, a wrench, a driver's multiplier,
which belongs to the knot where its step begins) acts half before its knot and half after it, so that a step along a
coordinate c has the work 1/2 (F1 + F2) (c2 - c1): then v- M v+ / 2 of the steps' velocities changes by what is given,
exactly where gradients are constant. The second knot's force is known in the next step only. So that step closes the
account of the one before it. At a knot that is recorded, what its step has given is told `ahead`, and what it comes to
is `settled` by the step that follows. A step that is taken in parts is accounted for part by part.
Sums run from one recorded knot to the next; whoever records them begins them anew (templates/c/account.c.jinja).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symvi.kernels import common
from symvi.kernels.body_kernels import BODY, use
from symvi.kernels.common import COMMON, SHARED, single
from symvi.kernels.inequality import dot
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.knots import Baked, trace_rows, velocity
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics import body as dynamics
from symvi.physics.model import ForceModel
from symvi.scalar import Rate, Scalar

SUMS = ("work", "settled", "spent")  # from one recorded knot to the next
Forces = Callable[[Trace], list[Scalar]]
WORK = ("work", 1, "given since the last recorded knot, but for what the next step closes", "J")
AHEAD = "work in the step to the knot that was reached, as far as it is known there"
PACE = "kinetic energy of a step, less that of the change of its velocities"
SWAY = "change of drivers' and actuators' forces and of wrenches over a step, times its way"
MISREAD = "kinetic energy of a knot, less that of the mean velocities of both steps around it"
SCATTERED = {
    "scatter": "how far energies of a knot and of the step before may lie apart",
    "swerve": "change of all forces on bodies over the step before a knot, times its way",
    "misread": MISREAD,
}
SPENT = ("spent", 1, "taken since the last recorded knot", "J")


def declare(records: Records) -> None:
    """What whoever records the sums tells the kernels."""
    meanings = {"fresh": "1 in the step after a recorded knot, else 0", "known": "1 after a step, 0 at a start"}
    for name, meaning in meanings.items():
        records.declare(COMMON, "account", name, 1, meaning)
    records.declare(COMMON, "account", "pace", 1, PACE, "J")
    records.declare(COMMON, "account", "fastest", 1, "the largest of them since the last recorded knot", "J")
    records.declare(COMMON, "account", "sway", 1, SWAY, "J")
    records.declare(COMMON, "account", "farthest", 1, "the largest size of it since the last recorded knot", "J")
    for name, meaning in SCATTERED.items():
        records.declare(COMMON, "work", name, 1, meaning, "J")


def force_kernels(
    records: Records, kind: str, model: ForceModel, ports: tuple[Port, ...], baked: Baked, forces: Forces
) -> dict[str, Kernel]:
    """The account of a force at the knots. forces: what acts along every row, and the torque on body b."""

    def ways(trace: Trace) -> list[Scalar]:
        """How far the rows, and body b about the axes of a torque, move in this step."""
        h, rows = common.step(trace), trace_rows(trace, model, baked, model.groups, model.rows)
        turning = trace.read("b", "work", "w", 3) if model.torque else []
        return [h * rate for rate in (*rows.rates, *turning)]

    def before(trace: Trace, size: int) -> tuple[list[Scalar], list[Scalar]]:
        meanings = {"force": ("force along every row at the last knot", "N, N m"), "way": ("way from there", "m, rad")}
        force, way = (trace.read(kind, "account", name, size, *meaning) for name, meaning in meanings.items())
        return force, way

    def work(trace: Trace) -> tuple[list[Scalar], Scalar, Scalar]:
        """Forces at this knot; of the step that led to it 1/2 (F1 + F2)·(c2 - c1), and (F2 - F1)·(c2 - c1)."""
        trace.note("work += (F1 + F2)·(c2 - c1)/2", "trapezoids: derived here")
        force = forces(trace)
        last, moved = before(trace, len(force))
        both = [old + new for old, new in zip(last, force, strict=True)]
        return force, dot(trace, both, moved) / 2, dot(trace, _less(force, last), moved)

    def account(trace: Trace) -> None:
        """Close the step that led to this knot, and remember how this one goes on."""
        if model.energy:
            trace.note("work += V(1) - V(2)", "the work of a law that has an energy")
            add(trace, WORK, dot(trace, forces(trace), ways(trace)))
            return
        fresh, known = (trace.read(COMMON, "account", name)[0] for name in ("fresh", "known"))
        force, given, changed = work(trace)
        add_work(trace, known, fresh, given)
        sway(trace, known * changed)
        trace.write(kind, "force", force, store="account")
        trace.write(kind, "way", ways(trace), store="account")

    def ahead(trace: Trace) -> None:
        """The step that led to this knot, as it will be closed if inputs stay."""
        trace.write(kind, "ahead", [work(trace)[1]], AHEAD, "J", store="account")

    kernels = {"account": single(records, f"account_{kind}", "what the force gives", ports, kind, account)}
    if not model.energy:
        text = "what the force gave in the step to the knot that was reached"
        kernels["ahead"] = single(records, f"ahead_{kind}", text, ports, kind, ahead)
    return kernels


def driver_kernels(records: Records, kind: str, target: str) -> dict[str, Kernel]:
    """The account of a driver: its multiplier over the way of its input."""
    ports = (SHARED, Port(kind, kind))

    def account(trace: Trace) -> None:
        fresh, known = (trace.read(COMMON, "account", name)[0] for name in ("fresh", "known"))
        force, place = trace.read(kind, "work", "y")[0] / common.impulse(trace), trace.read(kind, "state", "target")[0]
        last = trace.read(kind, "account", "force", 1, "multiplier of the last step", "N, N m")[0]
        before = trace.read(kind, "account", "place", 1, "the input at the last knot", "m, rad")[0]
        trace.note("work += (F1 + F2)·(c2 - c1)/2", "trapezoids: derived here")
        add_work(trace, known, fresh, (last + force) * (place - before) / 2)
        sway(trace, known * ((force - last) * (place - before)))
        for name, value, meaning in (
            ("force", force, ""),
            ("place", place, ""),
            ("change", known * (force - last), "change of the multiplier in the last step"),
        ):
            trace.write(kind, name, [value], meaning, "N, N m", store="account")

    def ahead(trace: Trace) -> None:
        """The multiplier goes on as it has changed."""
        force, change, before = (trace.read(kind, "account", name)[0] for name in ("force", "change", "place"))
        way = trace.read(kind, "state", "target")[0] - before
        trace.write(kind, "ahead", [(force + change / 2) * way], AHEAD, "J", store="account")

    return {
        "account": single(records, f"account_{kind}", "what the driver gives", ports, kind, account),
        "ahead": single(records, f"ahead_{kind}", "what it gave in the step to this knot", ports, kind, ahead),
    }


def add_work(trace: Trace, known: Scalar, fresh: Scalar, work: Scalar) -> None:
    """Add the work of the step that led to this knot; where that is a recorded one, tell it apart too."""
    settled = trace.read(trace.own, "account", "settled", 1, "work in the step to the knot that was recorded last", "J")
    late = known * work
    add(trace, WORK, late)
    trace.write(trace.own, "settled", [settled[0] + fresh * late], store="account")


def sway(trace: Trace, change: Scalar) -> None:
    """Add how far forces changed along the step that led to this knot."""
    present = trace.read(COMMON, "account", "sway", 1)[0]
    trace.write(COMMON, "sway", [present + change], store="account")


def add(trace: Trace, field: tuple[str, int, str, str], *values: Scalar) -> None:
    """Add to sums of the own account."""
    name, _, meaning, unit = field
    sums = trace.read(trace.own, "account", name, len(values), meaning, unit)
    trace.write(trace.own, name, [old + new for old, new in zip(sums, values, strict=True)], store="account")


def mean_motion(trace: Trace, label: str) -> list[Scalar]:
    """The mean of a body's velocities over the last step and over this one: what an impulse between works along."""
    last = trace.read(label, "state", "v", 3) + trace.read(label, "state", "w", 3)
    return [(old + new) / 2 for old, new in zip(last, velocity(trace, label), strict=True)]


def body_kernels(records: Records, driven: bool) -> dict[str, Kernel]:
    """What the velocities of bodies tell a guard of energies: in every step, and at a knot that is looked at.

    driven: drivers act, whose rates at knots are told by inputs before them only.
    """
    ports = (SHARED, Port(BODY, BODY))

    texts = {
        "account": ("kinetic energy, less that of the change of velocities", _pace),
        "scatter": ("bound on the error of the energy that a method of second order may make in a step", _scatter),
    }
    if driven:
        texts["reread"] = ("the knot before this step, by the velocities of both steps around it", _reread)
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
    trace.write(COMMON, "pace", [present + _kinetic(trace, now) - _kinetic(trace, change)], store="account")


def _reread(trace: Trace) -> None:
    """Add T of the velocities that were seen at the knot, less T of the mean of both steps' around it."""
    trace.note("misread += v·M v/2 - (v- + v+)·M (v- + v+)/8", "derived here")
    seen = trace.read(BODY, "work", "seen", 6, "velocities that were seen at the knot", "m/s, rad/s")
    mean = mean_motion(trace, BODY)
    apart = _kinetic(trace, (seen[:3], seen[3:])) - _kinetic(trace, (mean[:3], mean[3:]))
    trace.add_to(COMMON, "misread", [apart], rate=Rate.ITERATION)


def _scatter(trace: Trace) -> None:
    """How far the energy of a knot may lie from that of others: by its force, by its turning, by the force's change.

    A force F changes the energy of knots by h² F·M^-1 F/8 = (v - v-)·M (v - v-)/2, also if it is constant. A body that
    turns at W about a principal axis has the momentum J sin(hW)/h, so that work over angles changes the energy by
    (hW)²/12 of it less. A force that changes leaves |dF·dx|/8 of a trapezoid open.
    """
    h, zero = common.step(trace), [trace.graph.constant(0)] * 3
    knot, last, before = (
        [trace.read(BODY, store, name, 3) for name in names]
        for store, names in (("work", "vw"), ("state", "vw"), ("state", ("v_old", "w_old")))
    )
    trace.note("scatter += (v - v-)·M (v - v-)/2 + (h w)² w·J w/24", "derived here")
    change = [_less(new, old) for new, old in zip(knot, last, strict=True)]
    _named_motion(trace, "d", change)
    turn = h * h * dot(trace, knot[1], knot[1]) / 12
    scatter = _kinetic(trace, change, "v - v-", "_of_change") + turn * _kinetic(trace, (zero, knot[1]), "w", "_of_turn")
    trace.add_to(COMMON, "scatter", [scatter], rate=Rate.ITERATION)
    trace.note("swerve += (2 (v - v-) - (v- - v--))·M v-", "derived here")
    jerk = [[2 * c - d for c, d in zip(new, _less(a, b), strict=True)]
            for new, a, b in zip(change, last, before, strict=True)]  # fmt: skip
    both = _plus(jerk, last)
    _named_motion(trace, "jerk_", jerk)
    _named_motion(trace, "both_", both)
    swerve = _kinetic(trace, both, "both", "_of_both") - _kinetic(trace, jerk, "2 (v - v-) - (v- - v--)", "_of_jerk")
    swerve = swerve - _kinetic(trace, last, "v-", "_of_last")
    trace.add_to(COMMON, "swerve", [swerve], rate=Rate.ITERATION)


def _kinetic(trace: Trace, motion: Sequence[Sequence[Scalar]], of: str = "", mark: str = "") -> Scalar:
    """The kinetic energy of a velocity and an angular velocity; of, mark: what they are, in the text."""
    v, w = motion
    mass, inertia = trace.read(BODY, "parameters", "mass"), trace.read(BODY, "work", "j", 6)
    return use(trace, dynamics.kinetic_energy, of, mark, m=mass, v=list(v), w=list(w), J=inertia)["T"][0]


def _named_motion(trace: Trace, name: str, motion: Sequence[Sequence[Scalar]]) -> None:
    """Name a difference of velocities and of angular velocities."""
    for letter, values in zip("vw", motion, strict=True):
        trace.named(f"{name}{letter}", values)


def _less(u: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    return [x - y for x, y in zip(u, v, strict=True)]


def _plus(u: Sequence[list[Scalar]], v: Sequence[list[Scalar]]) -> list[list[Scalar]]:
    return [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(u, v, strict=True)]
