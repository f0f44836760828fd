"""The kernels of a force node: explicit impulses once a step, implicit damping with its blocks in every iteration.

One rule for every law: the impulse on the bodies is s h (dc/dz)ᵀ phi, with dc/dz at the first knot.
"""

from __future__ import annotations

from dataclasses import dataclass

from symvi.physics import kinematics
from symvi.physics.model import ForceModel
from symvi.program import common
from symvi.program.account import law_kernels
from symvi.program.body import BODY
from symvi.program.common import COMMON, JOINT, LINK, SHARED, single
from symvi.program.constraint import Baked, Rows, chained, remember_angles, trace_rows, velocity
from symvi.program.kernel import Kernel, Port
from symvi.program.records import Records
from symvi.program.trace import Trace
from symvi.scalar import Rate, Scalar


@dataclass(frozen=True)
class ForceKernels:
    """The kernels of one force type by phase; `linked` says whether it ties its two bodies in the Newton matrix."""

    kernels: dict[str, Kernel]
    linked: bool


def force_kernels(
    records: Records, kind: str, model: ForceModel, baked: Baked, backwards: bool = False, joint: str = ""
) -> ForceKernels:
    """Every kernel of one force type. Ports: the force under its kind's name, bodies under labels, edge as `link`.

    backwards: the edge was made for another force that names the two bodies the other way round. joint: the type of
    the joint that takes the damping along its coordinates, under the label `joint`; none if the force keeps it.
    """
    moving = [label for label, body in model.bodies.items() if body is not None]
    linked = model.damping is not None and len(moving) == 2 and not joint
    ports = (
        SHARED,
        Port(kind, kind),
        *(Port(label, BODY) for label in moving),
        *((Port(LINK, LINK),) if linked else ()),
        *((Port(JOINT, joint),) if joint else ()),
    )
    trace = Trace(records, ports, kind, f"{model.type.replace('_', ' ')}")
    trace.note("e += s h (dc/dz)ᵀ phi", "derived here")
    rows = trace_rows(trace, model, baked, model.groups, model.rows)
    time = common.impulse(trace)
    laws = _laws(trace, model, rows)
    for label in moving:
        gradient = rows.at1[label]
        push = [time * sum_of(trace, (gradient[k][m] * laws[k] for k in range(model.rows))) for m in range(6)]
        trace.add_to(label, "e", push, rate=Rate.STEP)
    if model.torque:
        _torque(trace, model, time)
    if joint:
        damping = [time * d for d in _numbers(trace, model, model.damping)]
        trace.add_to(JOINT, "damping", damping, rate=Rate.STEP)
    elif model.damping:
        _damping(trace, model, rows, moving[::-1] if backwards else moving, time)
    remember_angles(trace, model, baked)
    kernels = dict(trace.kernels(kind))
    if model.angles:
        kernels["finish"] = single(
            records,
            f"finish_{kind}",
            "carry angles on to the next step",
            (SHARED, Port(kind, kind)),
            kind,
            lambda t: _carry_angles(t, kind, model),
        )
    kernels |= law_kernels(records, kind, model, ports, baked, (known_forces, torque_in_world))
    energy = _energy(records, kind, model, ports, baked)
    if energy is not None:
        kernels["energy"] = energy
    return ForceKernels(kernels, linked)


def sum_of(trace: Trace, values) -> Scalar:
    total = trace.graph.constant(0)
    for value in values:
        total = total + value
    return total


def _numbers(trace: Trace, model: ForceModel, name: str) -> list[Scalar]:
    p = model.parameters[name]
    return trace.read(trace.own, "parameters", name, len(p.values), p.meaning, p.unit)


def _input(
    trace: Trace, model: ForceModel, name: str, meaning: str, unit: str, size: int | None = None
) -> list[Scalar]:
    return trace.read(trace.own, "input", name, size or model.rows, meaning, unit)


def _laws(trace: Trace, model: ForceModel, rows: Rows) -> list[Scalar]:
    """phi, the explicit part of every row's force."""
    zero = trace.graph.constant(0)
    laws = [zero] * model.rows
    if model.energy:
        return [-value for value in _numbers(trace, model, model.energy)]
    if model.force:
        force = _input(trace, model, model.force, "force or torque along every row", "N, N m")
        laws = _in_world(trace, force) if model.in_body_axes else force
    if model.stiffness:
        aims = (
            _numbers(trace, model, model.rest)
            if model.rest
            else _input(trace, model, model.target, "coordinate aimed at", "m, rad")
        )
        laws = [
            phi + k * (aim - c)
            for phi, k, aim, c in zip(laws, _numbers(trace, model, model.stiffness), aims, rows.first, strict=True)
        ]
    if model.target and model.damping:
        rates = _input(trace, model, "target_rate", "rate aimed at", "m/s, rad/s")
        laws = [phi + d * rate for phi, d, rate in zip(laws, _numbers(trace, model, model.damping), rates, strict=True)]
    return laws


def known_forces(trace: Trace, model: ForceModel, rows: Rows) -> list[Scalar]:
    """phi along every row, without what dampers do at the step's own rates."""
    return _laws(trace, model, rows)


def _in_world(trace: Trace, vector: list[Scalar]) -> list[Scalar]:
    rotation = trace.read("b", "work", "r", 9, rate=Rate.STEP)
    return kinematics.carried_vector(trace.graph, R=rotation, p=vector)["r"]


def torque_in_world(trace: Trace, model: ForceModel) -> list[Scalar]:
    """The torque on body b, given in its axes."""
    return _in_world(trace, _input(trace, model, model.torque, "torque, body axes", "N m", 3))


def _torque(trace: Trace, model: ForceModel, time: Scalar) -> None:
    torque = torque_in_world(trace, model)
    zero = trace.graph.constant(0)
    trace.add_to("b", "e", [zero] * 3 + [time * t for t in torque], rate=Rate.STEP)


def _damping(trace: Trace, model: ForceModel, rows: Rows, moving: list[str], time: Scalar) -> None:
    """f += s h Cᵀ d C [v; w], and its blocks d f/d(v, theta/h) on both bodies and between them (BSMH23 Fig. 6)."""
    trace.note("f += s h Cᵀ d C [v; w]", "BSMH23 section 3.1")
    damping = [time * d for d in _numbers(trace, model, model.damping)]
    slopes = {label: [chained(trace, label, row) for row in rows.at1[label]] for label in moving}
    rates = []
    for k in range(model.rows):
        terms = (c * u for label in moving for c, u in zip(rows.at1[label][k], velocity(trace, label), strict=True))
        rates.append(damping[k] * sum_of(trace, terms))
    for label in moving:
        gradient = rows.at1[label]
        trace.add_to(
            label,
            "f",
            [sum_of(trace, (gradient[k][m] * rates[k] for k in range(model.rows))) for m in range(6)],
            rate=Rate.ITERATION,
        )
        for other in moving:
            entries = [
                sum_of(trace, (damping[k] * gradient[k][m] * slopes[other][k][n] for k in range(model.rows)))
                for m in range(6)
                for n in range(6)
            ]
            if label == other:
                trace.add_to(label, "d", entries, rate=Rate.MATRIX)
            else:
                name = "upper" if label == moving[0] else "lower"
                trace.add_to(LINK, name, entries, rate=Rate.MATRIX, meaning="damping block between two bodies")


def _carry_angles(trace: Trace, kind: str, model: ForceModel) -> None:
    for angle in model.angles:
        now = trace.read(kind, "work", f"{angle}_now")
        trace.write(kind, angle, now, "joint angle at this knot, with its whole turns", "rad", store="state")


def _energy(records: Records, kind: str, model: ForceModel, ports, baked: Baked) -> Kernel | None:
    """Add the potential energy at the first knot; None for laws without one."""
    if not model.energy and not (model.stiffness and model.rest):
        return None

    def build(trace: Trace) -> None:
        rows = trace_rows(trace, model, baked, model.groups, model.rows)
        if model.energy:
            value = _numbers(trace, model, model.energy)[0] * rows.first[0]
        else:
            stretch = [c - r for c, r in zip(rows.first, _numbers(trace, model, model.rest), strict=True)]
            value = (
                sum_of(
                    trace, (k * s * s for k, s in zip(_numbers(trace, model, model.stiffness), stretch, strict=True))
                )
                / 2
            )
        trace.add_to(COMMON, "potential", [value], rate=Rate.ITERATION)

    return single(records, f"energy_{kind}", "add the potential energy of the force", ports, kind, build)


def clear_link(records: Records) -> Kernel:
    """Damping blocks start at zero in every evaluation."""

    def build(trace: Trace) -> None:
        for name in ("upper", "lower"):
            trace.write(LINK, name, [trace.graph.constant(0)] * 36, "damping block between two bodies")

    return single(
        records, "clear_link", "damping blocks between two bodies start at zero", (Port(LINK, LINK),), LINK, build
    )
