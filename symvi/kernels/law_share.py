"""The kernels of a share: a spring, a damper or a servo along a joint, whose numbers join the sums of the joint."""

from __future__ import annotations

from collections.abc import Sequence

from symvi.kernels import common
from symvi.kernels.account import SPENT, WORK, add
from symvi.kernels.body_kernels import use
from symvi.kernels.common import COMMON, JOINT, SHARED, single
from symvi.kernels.inequality import dot
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.law import (
    HALF,
    MEANINGS,
    coordinates_of,
)
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics import laws as formulas
from symvi.physics.model import Laws, ShareModel
from symvi.scalar import Rate, Scalar


def share_kernels(records: Records, kind: str, model: ShareModel, joint: str, laws: Laws) -> dict[str, Kernel]:
    """The kernels of a spring, a damper or a servo along a joint: `prepare`, then `pull`, and its energy."""
    own, count = (SHARED, Port(kind, kind), Port(JOINT, joint)), coordinates_of(laws)
    kernels = {}

    def spread(trace: Trace, values: Sequence[Scalar]) -> list[Scalar]:
        found = [trace.graph.constant(0)] * count
        for k, value in zip(model.along, values, strict=True):
            found[k] = value
        return found

    def numbers(trace: Trace, name: str) -> list[Scalar]:
        p = model.parameters[name]
        return trace.read(kind, "parameters", name, len(p.values), p.meaning, p.unit)

    def prepare(trace: Trace) -> None:
        if model.damping:
            trace.add_to(JOINT, "damping", spread(trace, numbers(trace, model.damping)), rate=Rate.STEP)
        if model.sinusoidal and model.stiffness:
            stiffness = numbers(trace, model.stiffness)[0]
            for name, factor in (("sine", "rest_cos"), ("cosine", "rest_sin")):
                trace.add_to(JOINT, name, spread(trace, [stiffness * numbers(trace, factor)[0]]), rate=Rate.STEP)
        elif model.stiffness:
            stiffness = numbers(trace, model.stiffness)
            trace.add_to(JOINT, "stiffness", spread(trace, stiffness), rate=Rate.STEP)
            if model.rest:
                pulls = [k * rest for k, rest in zip(stiffness, numbers(trace, model.rest), strict=True)]
                trace.add_to(JOINT, "tension", spread(trace, pulls), rate=Rate.STEP)

    kernels["prepare"] = single(records, f"prepare_{kind}", "what it adds along the joint", own, kind, prepare)
    if model.target:
        kernels |= _aiming(records, kind, model, own, laws, numbers, spread)
    elif model.stiffness:
        kernels["energy"] = _energy(records, kind, model, own, laws, numbers)
    kernels["account"] = _account(records, kind, model, own, laws, numbers)
    return kernels


def _account(records: Records, kind: str, model: ShareModel, own, laws: Laws, numbers) -> Kernel:
    """The account of a spring, a damper or a servo along a joint: its part of phi, over the way of the step."""

    def of_rows(trace: Trace, name: str, rows: Sequence[int], acting: Sequence[int]) -> list[Scalar]:
        """Of a joint's numbers for some rows, those of the coordinates that the share acts along by `acting` rows."""
        values = trace.read(JOINT, "work", name, len(rows), *MEANINGS[name], rate=Rate.ITERATION)
        by_row = dict(zip(rows, values, strict=True))
        of = {laws.coordinates[row]: by_row[row] for row in acting}
        return [of[k] for k in model.along]

    def ways_of(trace: Trace, acting: Sequence[int]) -> list[Scalar]:
        """How far the coordinates move."""
        h = common.step(trace)
        return [h * rate for rate in of_rows(trace, "rho", range(len(laws.coordinates)), acting)]

    def moving(trace: Trace) -> tuple[list[Scalar], list[Scalar]]:
        """Coordinates that springs act along at the first knot, and how far they move."""
        ways = ways_of(trace, laws.elastic)
        return of_rows(trace, "coordinate", laws.elastic, laws.elastic), ways

    def servo(trace: Trace) -> None:
        trace.note("work += (k (u_s - c_s) + d ((u1' + u2')/2 - rho)) (c2 - c1)", "derived here")
        (first,), (way,) = moving(trace)
        where = _where_springs_act(trace, laws, model.along[0])
        aim, rate = _aimed(trace, kind, model, where)
        stiffness, damping = numbers(trace, model.stiffness)[0], numbers(trace, model.damping)[0]
        rho = way * common.inverse_step(trace)
        add(trace, WORK, (stiffness * (aim - (first + where * way)) + damping * (rate - rho)) * way)

    def spring(trace: Trace) -> None:
        trace.note("work += V(1) - V(2)", "the work of a law that has an energy")
        first, ways = moving(trace)
        stiffness = numbers(trace, model.stiffness)
        if model.sinusoidal:
            rest = {name: numbers(trace, name) for name in ("rest_cos", "rest_sin")}
            ends = ([first[0]], [first[0] + ways[0]])
            before, after = (use(trace, formulas.sinusoidal_energy, k=stiffness, c=c, **rest)["V"][0] for c in ends)
            trace.note("work += V(1) - V(2)", "the work of a law that has an energy")
            add(trace, WORK, before - after)
            return
        rests = numbers(trace, model.rest)
        pulls = [k * (r - (c + way / 2)) for k, r, c, way in zip(stiffness, rests, first, ways, strict=True)]
        add(trace, WORK, dot(trace, pulls, ways))

    def damper(trace: Trace) -> None:
        trace.note("spent += d (c2 - c1)²/h", "the power of a damper")
        ways = ways_of(trace, laws.damped)
        against = [d * way for d, way in zip(numbers(trace, model.damping), ways, strict=True)]
        add(trace, SPENT, dot(trace, against, ways) * common.inverse_step(trace))

    def spring_and_damper(trace: Trace) -> None:
        spring(trace)
        damper(trace)

    both = spring_and_damper if model.damping else spring
    build = servo if model.target else both if model.stiffness else damper
    return single(records, f"account_{kind}", "what the law gives or takes", own, kind, build)


def _aims(model: ShareModel) -> tuple[tuple[str, str, str], ...]:
    """A servo's inputs: names, meanings, units."""
    unit = model.row_units[0]
    if model.target is None:
        raise ValueError(f"{model.name} aims at no input")
    return (model.target, "coordinate aimed at", unit), ("target_rate", "rate aimed at", f"{unit}/s")


def _at_knots(trace: Trace, kind: str, name: str, meaning: str, unit: str) -> tuple[Scalar, Scalar]:
    """What is aimed at, at both knots: the inputs of a step are those of its second one."""
    last = trace.read(kind, "state", name, 1, f"{meaning}, at this knot", unit)[0]
    return last, trace.read(kind, "input", name, 1, f"{meaning}, at the second knot", unit)[0]


def _where_springs_act(trace: Trace, laws: Laws, coordinate: int) -> Scalar:
    """s of a damped coordinate of the joint."""
    if laws.central or (laws.loaded and not laws.opposed):
        return trace.graph.constant(HALF)
    return trace.read(JOINT, "work", "spring_theta" if laws.loaded else "theta", coordinates_of(laws))[coordinate]


def _aimed(trace: Trace, kind: str, model: ShareModel, where: Scalar) -> tuple[Scalar, Scalar]:
    """u_s and the mean of the rates of both knots."""
    (u1, u2), (r1, r2) = (_at_knots(trace, kind, *what) for what in _aims(model))
    return u1 + where * (u2 - u1), (r1 + r2) / 2


def _aiming(records: Records, kind: str, model: ShareModel, own, laws: Laws, numbers, spread) -> dict[str, Kernel]:
    """A servo's target and rate: at both knots, the inputs of a step being those of its second knot."""

    def pull(trace: Trace) -> None:
        trace.note("pull += k ((1 - s) u1 + s u2),  drive += d (u1' + u2')/2", "derived here")
        aim, rate = _aimed(trace, kind, model, _where_springs_act(trace, laws, model.along[0]))
        stiffness, damping = numbers(trace, model.stiffness)[0], numbers(trace, model.damping)[0]
        trace.add_to(JOINT, "tension", spread(trace, [stiffness * aim]), rate=Rate.STEP)
        trace.note("pull += k ((1 - s) u1 + s u2),  drive += d (u1' + u2')/2", "derived here")
        trace.add_to(JOINT, "drive", spread(trace, [damping * rate]), rate=Rate.STEP)

    def remember(trace: Trace) -> None:
        for name, meaning, of in _aims(model):
            _, now = _at_knots(trace, kind, name, meaning, of)
            trace.write(kind, name, [now], f"{meaning}, at this knot", of, store="state")

    text = "what is aimed at, at this knot"
    return {
        "pull": single(records, f"pull_{kind}", "towards a target between those of both knots", own, kind, pull),
        **{
            phase: single(records, f"{phase}_{kind}", text, own[:2], kind, remember)
            for phase in ("finish", "start_momenta", "start_momenta_of_chord")
        },
    }


def _energy(records: Records, kind: str, model: ShareModel, own, laws: Laws, numbers) -> Kernel:
    """Add the potential energy at the first knot."""

    def build(trace: Trace) -> None:
        found = trace.read(JOINT, "work", "coordinate", len(laws.elastic), *MEANINGS["coordinate"], rate=Rate.STEP)
        of = {laws.coordinates[row]: value for row, value in zip(laws.elastic, found, strict=True)}
        stiffness = numbers(trace, model.stiffness)
        if model.sinusoidal:
            rest = {name: numbers(trace, name) for name in ("rest_cos", "rest_sin")}
            value = use(trace, formulas.sinusoidal_energy, k=stiffness, c=[of[model.along[0]]], **rest)["V"][0]
        else:
            rests = numbers(trace, model.rest)
            stretch = [of[k] - rest for k, rest in zip(model.along, rests, strict=True)]
            value = dot(trace, stiffness, [s * s for s in stretch]) / 2
        trace.add_to(COMMON, "potential", [value], rate=Rate.ITERATION)

    return single(records, f"energy_{kind}", "add the potential energy of the force", own, kind, build)
