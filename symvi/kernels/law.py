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

from symvi.kernels import common
from symvi.kernels.body_kernels import use
from symvi.kernels.common import COMMON, single
from symvi.kernels.inequality import dot, stored
from symvi.kernels.kernel import Block, Kernel, Port
from symvi.kernels.knots import Rows
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics import laws as formulas
from symvi.physics.model import Laws
from symvi.scalar import Rate, Scalar

HALF = Fraction(1, 2)
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
