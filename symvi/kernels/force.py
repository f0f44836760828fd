"""The kernels of a force at the knots: explicit impulses once a step, along the gradient of its rows.

One rule for every force: the impulse on the bodies is s h (dc/dz)ᵀ phi, with dc/dz at the first knot. Springs, dampers
and servos act within the step (law.py).
"""

from __future__ import annotations

from symvi.kernels import common
from symvi.kernels.account import force_kernels as account_kernels
from symvi.kernels.body_kernels import BODY
from symvi.kernels.common import COMMON, LINK, SHARED, single
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.knots import Baked, trace_rows
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics import kinematics
from symvi.physics.model import ForceModel
from symvi.scalar import Rate, Scalar


def force_kernels(records: Records, kind: str, model: ForceModel, baked: Baked) -> dict[str, Kernel]:
    """Every kernel of one force type by phase. Ports: the force under its kind's name, bodies under labels."""
    moving = [label for label, body in model.bodies.items() if body is not None]
    ports = (SHARED, Port(kind, kind), *(Port(label, BODY) for label in moving))
    trace = Trace(records, ports, kind, f"{model.type.replace('_', ' ')}")
    trace.note("e += s h (dc/dz)ᵀ phi", "derived here")
    rows = trace_rows(trace, model, baked, model.groups, model.rows)
    time = common.impulse(trace)
    laws = _laws(trace, model)
    for label in moving:
        gradient = rows.at1[label]
        push = [time * sum_of(trace, (gradient[k][m] * laws[k] for k in range(model.rows))) for m in range(6)]
        trace.add_to(label, "e", push, rate=Rate.STEP)
    if model.torque:
        _torque(trace, model, model.torque, time)
    kernels = dict(trace.kernels(kind))
    kernels |= account_kernels(records, kind, model, ports, baked, lambda trace: _acting(trace, model))
    if model.energy:
        kernels["energy"] = _energy(records, kind, model, model.energy, ports, baked)
    return kernels


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


def _laws(trace: Trace, model: ForceModel) -> list[Scalar]:
    """phi of every row."""
    if model.energy:
        return [-value for value in _numbers(trace, model, model.energy)]
    if not model.force:
        raise ValueError(f"{model.name}: a force has an input or an energy")
    force = _input(trace, model, model.force, "force or torque along every row", "N, N m")
    return _in_world(trace, force) if model.in_body_axes else force


def _acting(trace: Trace, model: ForceModel) -> list[Scalar]:
    """phi of every row, and a torque on body b."""
    return _laws(trace, model) + (torque_in_world(trace, model, model.torque) if model.torque else [])


def _in_world(trace: Trace, vector: list[Scalar]) -> list[Scalar]:
    rotation = trace.read("b", "work", "r", 9, rate=Rate.STEP)
    return kinematics.carried_vector(trace.graph, R=rotation, p=vector)["r"]


def torque_in_world(trace: Trace, model: ForceModel, name: str) -> list[Scalar]:
    """The torque on body b, an input that is given in its axes."""
    return _in_world(trace, _input(trace, model, name, "torque, body axes", "N m", 3))


def _torque(trace: Trace, model: ForceModel, name: str, time: Scalar) -> None:
    torque = torque_in_world(trace, model, name)
    zero = trace.graph.constant(0)
    trace.add_to("b", "e", [zero] * 3 + [time * t for t in torque], rate=Rate.STEP)


def _energy(records: Records, kind: str, model: ForceModel, name: str, ports, baked: Baked) -> Kernel:
    """Add the potential energy at the first knot."""

    def build(trace: Trace) -> None:
        rows = trace_rows(trace, model, baked, model.groups, model.rows)
        value = _numbers(trace, model, name)[0] * rows.first[0]
        trace.add_to(COMMON, "potential", [value], rate=Rate.ITERATION)

    return single(records, f"energy_{kind}", "add the potential energy of the force", ports, kind, build)


def clear_link(records: Records) -> Kernel:
    """Blocks of laws between two bodies start at zero in every evaluation."""

    def build(trace: Trace) -> None:
        for name in ("upper", "lower"):
            trace.write(LINK, name, [trace.graph.constant(0)] * 36, "block between two bodies")

    return single(records, "clear_link", "blocks between two bodies start at zero", (Port(LINK, LINK),), LINK, build)
