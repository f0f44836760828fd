"""The kernels of laws that are nodes of their own, with blocks on both bodies and between them: of joints that are not
eliminated with a body, and of point springs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from symvi.kernels import common
from symvi.kernels.account import SPENT, WORK, add
from symvi.kernels.body_kernels import use
from symvi.kernels.common import COMMON, LINK, single
from symvi.kernels.inequality import add_block, dot, ports_of
from symvi.kernels.kernel import Block, Kernel
from symvi.kernels.knots import Baked, Rows, carry_angles, remember_angles, trace_rows
from symvi.kernels.law import (
    HALF,
    MEANINGS,
    Numbers,
    Place,
    Weights,
    acting,
    clear_sums,
    hand_on,
    keep_coordinates,
    keep_weights,
    knot_kernels,
    summed,
    weights_of,
)
from symvi.kernels.law_weight import lags_of, of_last_step, shares_of, weights_along
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics import laws as formulas
from symvi.physics.model import LawModel
from symvi.scalar import Rate, Scalar


@dataclass(frozen=True)
class LawKernels:
    """The kernels of laws that keep their blocks, by phase; `linked` says whether they tie two bodies.

    directions, slopes: where they are bordered instead, gradients at the first knot and kappa times those at the
    second by body label, (rows, 6) each.
    """

    kernels: dict[str, Kernel]
    linked: bool
    directions: Mapping[str, Block] | None = None
    slopes: Mapping[str, Block] | None = None


def law_kernels(
    records: Records, kind: str, model: LawModel, baked: Baked, backwards: bool, bordered: bool = False
) -> LawKernels:
    """Every kernel of laws with blocks of their own. Ports: the laws under their kind's name, bodies, edge as `link`.

    backwards: the edge was made for another element that names the two bodies the other way round. bordered: laws
    between two bodies keep gradients in their own record instead of blocks of the Newton matrix (border.py).
    """
    moving = [label for label, body in model.bodies.items() if body is not None]
    bordered = bordered and len(moving) == 2
    ports, laws = ports_of(kind, moving), model.laws
    ports = tuple(port for port in ports if not (bordered and port.label == LINK))
    trace = Trace(records, ports, kind, f"{model.type.replace('_', ' ')}: laws within the step")
    rows = trace_rows(trace, model, baked, model.groups, model.rows)
    keep_coordinates(trace, laws, rows)
    if model.joint:
        clear_sums(trace, laws)
        numbers = summed(trace, laws)
    else:
        numbers = _of_point_spring(trace, model, baked, rows, moving)
    found = acting(trace, laws, rows, numbers)
    first = (moving[::-1] if backwards else moving)[0]
    directions, steeper = {}, {}
    for column in moving:
        slopes = [[k * entry for entry in row] for k, row in zip(found.kappa, rows.at2[column], strict=True)]
        if bordered:
            directions[column] = trace.block(
                "along1", rows.at1[column], "gradient of the coordinates at the first knot"
            )
            steeper[column] = trace.block("slope", slopes, "the same at the second knot, times slopes of the laws")
            continue
        for row in moving:
            entries = [
                dot(trace, [at1[m] for at1 in rows.at1[row]], [slope[n] for slope in slopes])
                for m in range(6)
                for n in range(6)
            ]
            add_block(trace, row, column, first, entries)
    remember_angles(trace, model, baked)
    kernels = dict(trace.kernels(kind))

    def finish(trace: Trace) -> None:
        carry_angles(trace, model)
        hand_on(trace, laws, found.second, weights_of(trace, laws))
        keep_weights(trace, laws, bool(model.joint))

    text = "hand on what acts along the gradient of the second knot; carry angles on"
    kernels["finish"] = single(records, f"finish_{kind}", text, ports, kind, finish)

    def gradients(trace: Trace) -> Mapping[str, Sequence[Sequence[Scalar]]]:
        return trace_rows(trace, model, baked, model.groups, model.rows).at1

    kernels |= knot_kernels(records, kind, laws, ports, gradients)
    if not model.joint:
        kernels["energy"] = _energy_of_point_spring(records, kind, model, ports)
        kernels["account"] = _account_of_point_spring(records, kind, model, ports)
    if bordered:
        return LawKernels(kernels, False, directions, steeper)
    return LawKernels(kernels, len(moving) == 2)


def _of_point_spring(trace: Trace, model: LawModel, baked: Baked, rows: Rows, moving: Sequence[str]) -> Numbers:
    """The numbers of the element itself, at every row that they act along."""
    laws, zero, half = model.laws, trace.graph.constant(0), trace.graph.constant(HALF)
    stiffness, damping, length = (_number(trace, model, name) for name in ("stiffness", "damping", "length"))
    n = model.rows
    theta, share, lags = [half] * n, [half] * n, []
    if laws.damped:
        shares = shares_of(trace, model, moving, baked)
        lasts = [] if laws.central else of_last_step(trace, "theta", len(laws.damped))
        for row, last in zip_longest(laws.damped, lasts):
            yields = zero
            for label in moving:
                m, j = shares[label]
                yields = yields + use(trace, formulas.yielding, m_b=m, J_b=j, c=rows.at1[label][row])["y"][0]
            if last is None:
                lags += lags_of(trace, [1 / yields], [damping])
            else:
                (theta[row],), (share[row],) = weights_along(trace, [1 / yields], [damping], [last])
    if lags:
        trace.write(trace.own, "lag", lags, *MEANINGS["lag"], rate=Rate.STEP)
    elif laws.damped:
        trace.write(trace.own, "theta", theta, *MEANINGS["theta"], rate=Rate.STEP)
        trace.write(trace.own, "share", share, *MEANINGS["share"], rate=Rate.STEP)

    def at(places: Sequence[int], value: Scalar) -> list[Scalar]:
        return [value if row in places else zero for row in range(n)]

    return Numbers(
        at(laws.elastic, stiffness),
        at(laws.elastic, stiffness * length),
        at(laws.damped, damping),
        [zero] * n,
        [zero] * n,
        [zero] * n,
        Weights(Place([half] * n, [half] * n) if laws.loaded else Place(theta, share), Place(theta, share)),
    )


def _number(trace: Trace, model: LawModel, name: str) -> Scalar:
    p = model.parameters.get(name)
    if p is None:
        return trace.graph.constant(0)
    return trace.read(trace.own, "parameters", name, 1, p.meaning, p.unit)[0]


def _account_of_point_spring(records: Records, kind: str, model: LawModel, ports) -> Kernel:
    """What the spring gives, and what its damper takes."""

    def build(trace: Trace) -> None:
        trace.note("work += V(1) - V(2)", "the work of an energy")
        laws, h = model.laws, common.step(trace)
        rates = trace.read(kind, "work", "rho", len(laws.coordinates), *MEANINGS["rho"], rate=Rate.ITERATION)
        first = trace.read(kind, "work", "coordinate", len(laws.elastic), *MEANINGS["coordinate"], rate=Rate.STEP)
        ways = [h * rates[row] for row in laws.elastic]
        shorter = [_number(trace, model, "length") - (c + way / 2) for c, way in zip(first, ways, strict=True)]
        add(trace, WORK, _number(trace, model, "stiffness") * dot(trace, shorter, ways))
        if laws.damped:
            trace.note("spent += d (c2 - c1)²/h", "the power of a damper")
            squares = dot(trace, *[[rates[row] for row in laws.damped]] * 2)
            add(trace, SPENT, h * (_number(trace, model, "damping") * squares))

    return single(records, f"account_{kind}", "what the spring gives, and its damper takes", ports, kind, build)


def _energy_of_point_spring(records: Records, kind: str, model: LawModel, ports) -> Kernel:
    def build(trace: Trace) -> None:
        count = len(model.laws.elastic)
        found = trace.read(kind, "work", "coordinate", count, *MEANINGS["coordinate"], rate=Rate.STEP)
        stretch = [c - _number(trace, model, "length") for c in found]
        value = _number(trace, model, "stiffness") * dot(trace, stretch, stretch) / 2
        trace.add_to(COMMON, "potential", [value], rate=Rate.ITERATION)

    return single(records, f"energy_{kind}", "add the potential energy of the force", ports, kind, build)
