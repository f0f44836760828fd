"""The kernels of laws along coordinates: springs, dampers and servos, at one point between the knots (physics/laws.py).

A joint that is eliminated with the body it carries takes the laws along its own coordinates: they cost its pivot
nothing (program/null_space.py). Of other joints, and of point springs, they are nodes of their own, with blocks on both
bodies and between them. Springs, dampers and servos along a joint are shares: once a step each adds its numbers to
the sums of the joint, dampers first, since the weight of a coordinate follows from all that damps it, and servos aim at
a target between the knots, which follows from the weight.

Half of what acts at a knot acts before it. Where something damps, the step before, of length h-, hands on less than
half of a force F, phi or braking, by h- (theta- - 1/2) F. The step from there makes up for it along the gradient of its
first knot:

    (h/2 + h- (theta- - 1/2)) F C(z1)ᵀ,    h theta F C(z1)ᵀ if both are of one length and damping,

and h/2 F C(z1)ᵀ where a motion starts at the knot, with the momentum of its velocities. So a load that rests stays at
rest however long steps are. Velocities of a knot have what is beyond half of the step from there, as they have half of
all other forces at the knot, M v = p + h- (theta- - 1/2) F C(z1)ᵀ + ...: `spread` keeps it once the step is solved,
`push` puts it into the balances of the knot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest

from symvi.kernels import blocks, common
from symvi.kernels.account import SPENT, WORK, add
from symvi.kernels.body_kernels import BODY, use
from symvi.kernels.common import COMMON, JOINT, LINK, SHARED, single
from symvi.kernels.inequality import add_block, dot, ports_of, stored
from symvi.kernels.kernel import Block, Kernel, Port
from symvi.kernels.knots import Baked, Knots, Rows, carry_angles, remember_angles, trace_rows
from symvi.kernels.opposing_mass import SIDES, most_along
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics import laws as formulas
from symvi.physics.model import SHARES, LawModel, Laws, Motion, ShareModel
from symvi.scalar import Rate, Scalar

HALF = Fraction(1, 2)
LEAST = Fraction(1, 10**9)  # of a body's size: inertia that is added where it decides a weight, so that none is zero
MEANINGS = {
    "stiffness": ("stiffness of every coordinate", "N/m, N m/rad"),
    "tension": ("force of springs where a coordinate is zero", "N, N m"),
    "drive": ("damping of every coordinate times the rates that are aimed at", "N, N m"),
    "damping": ("damping of every coordinate", "N s/m, N m s/rad"),
    "sine": ("sum of k cos(rest) of sinusoidal springs", "N m"),
    "cosine": ("sum of k sin(rest) of sinusoidal springs", "N m"),
    "theta": ("where in the step dampers act, and springs of bodies that nothing else holds", "1"),
    "share": ("their share on the gradient of the first knot: theta, if the step before was as long", "1"),
    "theta_before": ("theta in the step before", "1"),
    "spring_theta": ("where in the step springs of bodies that something else holds act", "1"),
    "spring_share": ("their share on the gradient of the first knot", "1"),
    "spring_theta_before": ("where they acted in the step before", "1"),
    "excess": ("the impulse of laws there beyond half of the step's", "N s, N m s"),
    "phi": ("force of springs along every coordinate within the step", "N, N m"),
    "braking": ("force of dampers along every coordinate within the step", "N, N m"),
    "rho": ("mean rate of every coordinate over the step", "m/s, rad/s"),
    "coordinate": ("coordinates at the first knot", "m, rad"),
    "lag": ("length of the step times damping over the mass along every coordinate", "1"),
    "load": ("impulse of a stiffness over the mechanism's size, whose round-off a balance has", "N s"),
}


@dataclass(frozen=True)
class Numbers:
    """What acts along a node's rows, by row: stiffness, tension, damping, drive, sinusoidal springs, and weights."""

    stiffness: list[Scalar]
    tension: list[Scalar]
    damping: list[Scalar]
    drive: list[Scalar]
    sine: list[Scalar]
    cosine: list[Scalar]
    weights: Weights


@dataclass(frozen=True)
class Place:
    """Where in the step a law acts, by row, and its share of the impulse on the gradient of the first knot."""

    at: list[Scalar]
    first: list[Scalar]


@dataclass(frozen=True)
class Weights:
    """The places of springs and dampers: s and theta of laws.py."""

    spring: Place
    damper: Place


@dataclass(frozen=True)
class Acting:
    """Laws as they act in a trace: impulse and slope kappa of every row, and gradients of bodies at the second knot."""

    push: list[Scalar]
    kappa: list[Scalar]
    second: Mapping[str, Block]


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


# --- what acts --------------------------------------------------------------------------------------------------------
def acting(trace: Trace, laws: Laws, rows: Rows, numbers: Numbers) -> Acting:
    """Put the laws into the balances of bodies that rows have gradients of, along C(z1)ᵀ, both between the knots."""
    shares = "(phi share' + braking share)" if laws.damped else "s phi"
    balance = f"f_body -= h {shares} C(z1)ᵀ", "derived here"
    count, zero = len(laws.coordinates), trace.graph.constant(0)
    phi, braking, kappa, push = [zero] * count, [zero] * count, [zero] * count, [zero] * count
    time = common.within(trace)
    for row in laws.elastic:
        phi[row], slope = _pull(trace, laws, rows, numbers, row)
        with trace.computing(*balance):
            share = time * numbers.weights.spring.first[row]
            kappa[row], push[row] = share * slope, share * phi[row]
    for row in laws.damped:
        given = {"d": [numbers.damping[row]], "rho": [rows.rates[row]], "drive": [numbers.drive[row]]}
        braking[row] = use(trace, formulas.damper_law, **given)["braking"][0]
        with trace.computing(*balance):
            share = time * numbers.weights.damper.first[row]
            kappa[row], push[row] = kappa[row] + share * numbers.damping[row], push[row] + share * braking[row]
    for name, values, acts in (("phi", phi, laws.elastic), ("braking", braking, laws.damped)):
        if acts:
            trace.write(trace.own, name, values, *MEANINGS[name], rate=Rate.ITERATION)
    trace.write(trace.own, "rho", rows.rates, *MEANINGS["rho"], rate=Rate.ITERATION)
    if laws.elastic:
        _measure_load(trace, laws, rows, numbers, time)
    for label, gradient in rows.at1.items():
        trace.note(*balance, f"body {label}")
        against = [-dot(trace, column, push) for column in zip(*gradient, strict=True)]
        trace.add_to(label, "f", against, rate=Rate.ITERATION)
    second = {
        label: trace.block("along2", gradient, "gradient of the coordinates at the second knot")
        for label, gradient in rows.at2.items()
    }
    return Acting(push, kappa, second)


def _pull(trace: Trace, laws: Laws, rows: Rows, numbers: Numbers, row: int) -> tuple[Scalar, Scalar]:
    """phi of the springs along a row, and minus its slope by the rate."""
    given = {
        "h": [common.step(trace)],
        "theta": [numbers.weights.spring.at[row]],
        "c": [rows.first[row]],
        "rho": [rows.rates[row]],
        "pull": [numbers.tension[row]],
        "k": [numbers.stiffness[row]],
    }
    if row in laws.sinusoidal:
        found = use(trace, formulas.sinusoidal_law, **given, a=[numbers.sine[row]], b=[numbers.cosine[row]])
    else:
        found = use(trace, formulas.linear_law, **given)
    return found["phi"][0], found["slope"][0]


def _measure_load(trace: Trace, laws: Laws, rows: Rows, numbers: Numbers, time: Scalar) -> None:
    """Coordinates are known to the round-off of positions and of turns: times a stiffness, it is an impulse."""
    extent = trace.read(COMMON, "parameters", "extent")[0]
    loads = []
    for row in laws.elastic:
        load = (time * numbers.weights.spring.at[row]) * numbers.stiffness[row]
        loads.append(load * extent if rows.units[row] == "m" else load / extent)
    trace.write(trace.own, "load", loads, *MEANINGS["load"], rate=Rate.ITERATION)


def hand_on(trace: Trace, laws: Laws, second: Mapping[str, Block], weights: Weights) -> None:
    """What the laws leave for the next step: p, l += t ((1 - s) phi + (1 - theta) braking) C(z2)ᵀ."""
    push = handed_on(trace, laws, weights)
    for label, block in second.items():
        rows = stored(trace, block)
        given = [dot(trace, [row[m] for row in rows], push) for m in range(6)]
        for name, values in (("p", given[:3]), ("l", given[3:])):
            trace.add_to_state(label, name, values)


def handed_on(trace: Trace, laws: Laws, weights: Weights) -> list[Scalar]:
    """t ((1 - s) phi + (1 - theta) braking) of every row."""
    left = [[1 - x for x in place.at] for place in (weights.spring, weights.damper)]
    return _shares_of_impulses(trace, laws, left[0], left[1])


def taken_at_first(trace: Trace, laws: Laws) -> list[Scalar]:
    """t (s' phi + theta' braking) of every row, with their shares on the gradient of the first knot."""
    weights = weights_of(trace, laws)
    return _shares_of_impulses(trace, laws, weights.spring.first, weights.damper.first)


def _shares_of_impulses(
    trace: Trace, laws: Laws, of_springs: Sequence[Scalar], of_dampers: Sequence[Scalar]
) -> list[Scalar]:
    count, time = len(laws.coordinates), common.within(trace)
    push = [trace.graph.constant(0)] * count
    for name, rows, share in (("phi", laws.elastic, of_springs), ("braking", laws.damped, of_dampers)):
        forces = trace.read(trace.own, "work", name, count) if rows else []
        for row in rows:
            push[row] = push[row] + time * (share[row] * forces[row])
    return push


def keep_weights(trace: Trace, laws: Laws, joint: bool) -> None:
    """What the next step must know of this one's dampers. joint: the laws are along a joint's coordinates."""
    for name in ("theta", *(["spring_theta"] if laws.opposed else [])) if laws.damped and not laws.central else ():
        count = coordinates_of(laws) if joint else len(laws.coordinates)
        thetas = trace.read(trace.own, "work", name, count, *MEANINGS[name], rate=Rate.ITERATION)
        kept = thetas if joint else [thetas[row] for row in laws.damped]
        trace.write(trace.own, f"{name}_before", kept, *MEANINGS[f"{name}_before"], store="state")


def off_middle(laws: Laws) -> list[int]:
    """The rows whose laws may act elsewhere than in the middle of the step: dampers, and springs that go with them."""
    if laws.central:
        return []
    return list(dict.fromkeys((*_springs_off_middle(laws), *laws.damped)))


def _springs_off_middle(laws: Laws) -> list[int]:
    damped = {laws.coordinates[row] for row in laws.damped}
    return [row for row in laws.elastic if (laws.opposed or not laws.loaded) and laws.coordinates[row] in damped]


def knot_kernels(records: Records, kind: str, laws: Laws, ports: Sequence[Port], gradients) -> dict[str, Kernel]:
    """What velocities of a knot have of the laws in the step from there: `spread` and `push`; none where nothing damps.

    gradients: of a trace, those of the coordinates at the first knot by body label, a row of six for every coordinate.
    """
    rows = off_middle(laws)
    if not rows:
        return {}

    def spread(trace: Trace) -> None:
        time, half, count = common.within(trace), trace.graph.constant(HALF), len(laws.coordinates)
        weights, beyond = weights_of(trace, laws), dict.fromkeys(rows, trace.graph.constant(0))
        places = (("phi", _springs_off_middle(laws), weights.spring), ("braking", laws.damped, weights.damper))
        for name, where, place in places:
            forces = trace.read(kind, "work", name, count) if where else []
            beyond |= {row: beyond[row] + time * ((place.first[row] - half) * forces[row]) for row in where}
        trace.write(kind, "excess", list(beyond.values()), *MEANINGS["excess"])

    def push(trace: Trace) -> None:
        half = "f_body -= h (share - 1/2) phi C(z1)ᵀ", "derived here: half of the step's phi acts after its knot"
        beyond = trace.read(kind, "work", "excess", len(rows))
        for label, gradient in gradients(trace).items():
            trace.note(*half, f"body {label}")
            pushed = [-dot(trace, [gradient[row][m] for row in rows], beyond) for m in range(6)]
            trace.add_to(label, "f", pushed, rate=Rate.ITERATION)

    texts = {
        "spread": ("what acts at the first knot beyond half of the step's impulse", spread),
        "push": ("that part, which acts before the knot", push),
    }
    return {
        phase: single(records, f"{phase}_{kind}", text, tuple(ports), kind, build)
        for phase, (text, build) in texts.items()
    }


def keep_coordinates(trace: Trace, laws: Laws, rows: Rows) -> None:
    """Keep the coordinates at the first knot, from which energies follow."""
    if laws.elastic:
        values = [rows.first[row] for row in laws.elastic]
        trace.write(trace.own, "coordinate", values, *MEANINGS["coordinate"], rate=Rate.STEP)


# --- sums of a joint's springs, dampers and servos --------------------------------------------------------------------
def coordinates_of(laws: Laws) -> int:
    """How many coordinates the rows of a joint are of."""
    return max(laws.coordinates) + 1


def sums(laws: Laws) -> dict[str, tuple[int, ...]]:
    """What is summed, by name: the coordinates that it is of."""
    names = {"stiffness": laws.elastic, "tension": laws.elastic, "damping": laws.damped}
    names |= {"sine": laws.sinusoidal, "cosine": laws.sinusoidal, "drive": laws.damped if laws.aimed else ()}
    return {name: tuple(laws.coordinates[row] for row in rows) for name, rows in names.items() if rows}


def clear_sums(trace: Trace, laws: Laws) -> None:
    """Sums start at zero in every step."""
    for name in sums(laws):
        zeros = [trace.graph.constant(0)] * coordinates_of(laws)
        trace.write(trace.own, name, zeros, *MEANINGS[name], rate=Rate.STEP)


def summed(trace: Trace, laws: Laws) -> Numbers:
    """The sums, once all shares have come in."""
    zero, count = trace.graph.constant(0), coordinates_of(laws)

    def entries(name: str, rows: Sequence[int]) -> list[Scalar]:
        values = trace.read(trace.own, "work", name, count, *MEANINGS[name], rate=Rate.ITERATION) if rows else []
        return [values[k] if row in rows else zero for row, k in enumerate(laws.coordinates)]

    return Numbers(
        entries("stiffness", laws.elastic),
        entries("tension", laws.elastic),
        entries("damping", laws.damped),
        entries("drive", laws.damped if laws.aimed else ()),
        entries("sine", laws.sinusoidal),
        entries("cosine", laws.sinusoidal),
        weights_of(trace, laws),
    )


def weights_of(trace: Trace, laws: Laws) -> Weights:
    """The places of every row: the middle where nothing damps."""
    half = [trace.graph.constant(HALF)] * len(laws.coordinates)
    middle = Place(half, half)
    if not laws.damped or laws.central:
        return Weights(middle, middle)
    own = _place(trace, laws, ("theta", "share"))
    if not laws.loaded:
        return Weights(own, own)
    return Weights(_place(trace, laws, ("spring_theta", "spring_share")) if laws.opposed else middle, own)


def _place(trace: Trace, laws: Laws, names: Sequence[str]) -> Place:
    count = coordinates_of(laws)
    found = [trace.read(trace.own, "work", name, count, *MEANINGS[name], rate=Rate.ITERATION) for name in names]
    return Place(*([values[k] for k in laws.coordinates] for values in found))


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


# --- weights ----------------------------------------------------------------------------------------------------------
def weighing(records: Records, kind: str, model, laws: Laws, baked: Baked, name: str = "weigh") -> Kernel:
    """The kernel that finds theta of every coordinate that is damped: after all dampers, before all targets."""
    moving = [label for label, body in model.bodies.items() if body is not None]
    ports = (SHARED, Port(kind, kind), *(Port(label, BODY) for label in moving), *(SIDES[end] for end in laws.opposed))

    def build(trace: Trace) -> None:
        count = coordinates_of(laws)
        damping = trace.read(kind, "work", "damping", count, *MEANINGS["damping"], rate=Rate.STEP)
        masses = _masses_along(trace, model, laws, baked, moving)
        if laws.central:
            trace.write(kind, "lag", _lags(trace, masses, damping), *MEANINGS["lag"], rate=Rate.STEP)
            return
        found: dict[str, list[Scalar]] = dict(
            zip(("theta", "share"), _weights(trace, masses, damping, _last(trace, "theta", count)), strict=True)
        )
        if laws.opposed:
            most = _most(trace, model, laws, baked)
            weights = _weights(trace, most, damping, _last(trace, "spring_theta", count))
            found |= zip(("spring_theta", "spring_share"), weights, strict=True)
        for name, values in found.items():
            trace.write(kind, name, values, *MEANINGS[name], rate=Rate.STEP)

    return single(records, f"{name}_{kind}", "where in the step the laws along its coordinates act", ports, kind, build)


def _weights(
    trace: Trace, masses: Sequence[Scalar], damping: Sequence[Scalar], last: Sequence[Scalar]
) -> tuple[list[Scalar], list[Scalar]]:
    """theta of every coordinate, and its share of the first knot: half, and what the step before has left of half.

    last: theta in the step before, from which dampings may have changed.
    """
    trace.note("share = 1/2 + (h-/h) (theta- - 1/2)", "derived here: h-, theta- are those of the step before")
    before, half = trace.read(COMMON, "state", "before")[0], trace.graph.constant(HALF)
    ratio, h = before * common.inverse_step(trace), common.step(trace)
    pairs = zip(masses, damping, strict=True)
    thetas = [use(trace, formulas.weight_between_knots, m=[m], h=[h], d=[d])["theta"][0] for m, d in pairs]
    return thetas, [half + ratio * (theta - half) for theta in last]


def _lags(trace: Trace, masses: Sequence[Scalar], damping: Sequence[Scalar]) -> list[Scalar]:
    """y = h d/m of every coordinate: below one, a damper that acts halfway is solved for backwards in time as well."""
    trace.note("y = h d/m", "derived here: inner steps whose y is one or more, in magnitude, are refused")
    return [common.step(trace) * (d / m) for m, d in zip(masses, damping, strict=True)]


def _last(trace: Trace, name: str, count: int) -> list[Scalar]:
    """Where laws acted in the step before."""
    return trace.read(trace.own, "state", f"{name}_before", count, *MEANINGS[f"{name}_before"])


def _most(trace: Trace, model, laws: Laws, baked: Baked) -> list[Scalar]:
    """The mass that may oppose every coordinate at most (opposing_mass.py)."""
    knots, anchor = Knots(trace, model, baked), laws.motions[0].anchor
    centre = trace.read(anchor.body, "state", "x", 3)
    pitch = next((knots.parameter(motion.pitch)[0] for motion in laws.motions if motion.pitch), None)
    place = [x + r for x, r in zip(centre, knots.of(anchor)[0], strict=True)]
    found = most_along(trace, laws.opposed, place, pitch)
    return [found["screw" if motion.pitch else motion.kind] for motion in laws.motions]


def _share_of(trace: Trace, label: str, share: Scalar) -> tuple[list[Scalar], list[Scalar]]:
    """A body's share of its mass and inertia, the latter never zero."""
    mass = trace.read(label, "parameters", "mass")[0]
    size = trace.read(label, "parameters", "size")[0]
    inertia = trace.read(label, "work", "j", 6, rate=Rate.STEP)
    more = LEAST * size
    return [share * mass], [share * (j + more) if k < 3 else share * j for k, j in enumerate(inertia)]


def _shares(trace: Trace, model, moving: Sequence[str], baked: Baked) -> dict[str, tuple[list, list]]:
    parameter = model.parameters[SHARES]
    each = trace.read(trace.own, "parameters", SHARES, len(moving), parameter.meaning, baked=baked.get(SHARES, ()))
    return {label: _share_of(trace, label, share) for label, share in zip(moving, each, strict=True)}


def _masses_along(trace: Trace, model, laws: Laws, baked: Baked, moving: Sequence[str]) -> list[Scalar]:
    """The mass that opposes every coordinate, the others being free."""
    knots, shares = Knots(trace, model, baked), _shares(trace, model, moving, baked)
    child, other = laws.motions[0].anchor.body, next(iter(set(model.bodies) - {laws.motions[0].anchor.body}))
    motions = [_motion(trace, knots, motion) for motion in laws.motions]
    m_b, j_b = shares[child]
    if other not in moving:
        matrix = [
            [use(trace, formulas.mass_of_one, m_b=m_b, J_b=j_b, v=v, w=w, v2=v2, w2=w2)["m"][0] for v2, w2 in motions]
            for v, w in motions
        ]
    else:
        m_a, j_a = shares[other]
        x_a, x_b = (trace.read(label, "state", "x", 3) for label in (other, child))
        pair = {"m_a": m_a, "J_a": j_a, "m_b": m_b, "J_b": j_b, "d": [b - a for a, b in zip(x_a, x_b, strict=True)]}
        recoils = [use(trace, formulas.recoil, **pair, v=v, w=w)["u"] for v, w in motions]
        both = list(zip(motions, recoils, strict=True))
        matrix = [
            [
                use(trace, formulas.mass_of_two, **pair, v=v, w=w, u=u, v2=v2, w2=w2, u2=u2)["m"][0]
                for (v2, w2), u2 in both
            ]
            for (v, w), u in both
        ]
    return _least(matrix)


def _least(matrix: blocks.Matrix) -> list[Scalar]:
    """1/(M^-1)_kk: the mass along each coordinate while the others move as they like."""
    if len(matrix) == 1:
        return [matrix[0][0]]
    graph, n = matrix[0][0].graph, len(matrix)
    identity = [[graph.constant(int(i == k)) for k in range(n)] for i in range(n)]
    inverse = blocks.solve(blocks.factor(matrix), identity)
    return [1 / inverse[k][k] for k in range(n)]


def _motion(trace: Trace, knots: Knots, motion: Motion) -> tuple[list[Scalar], list[Scalar]]:
    """(v, w) of the body for a unit rate."""
    axis, zero = knots.of(motion.axis)[0], [trace.graph.constant(0)] * 3
    if motion.kind == "translation":
        return axis, zero
    v = use(trace, formulas.swing, e=axis, r=knots.of(motion.anchor)[0])["v"]
    if motion.pitch:
        pitch = knots.parameter(motion.pitch)[0]
        v = [a + pitch * e for a, e in zip(v, axis, strict=True)]
    return v, axis


# --- laws that keep their blocks --------------------------------------------------------------------------------------
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
        shares = _shares(trace, model, moving, baked)
        lasts = [] if laws.central else _last(trace, "theta", len(laws.damped))
        for row, last in zip_longest(laws.damped, lasts):
            yields = zero
            for label in moving:
                m, j = shares[label]
                yields = yields + use(trace, formulas.yielding, m_b=m, J_b=j, c=rows.at1[label][row])["y"][0]
            if last is None:
                lags += _lags(trace, [1 / yields], [damping])
            else:
                (theta[row],), (share[row],) = _weights(trace, [1 / yields], [damping], [last])
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
