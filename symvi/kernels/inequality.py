"""What contacts, limits and dry friction share: pairs of an impulse and a slack velocity, and how they are stepped.

Every inequality node condenses its own variables: bodies see only dp = k - K du, added to their blocks and residual, so
that a contact with the environment stays inside its body and one between two bodies is one edge between them. Along the
coordinates of a joint that is eliminated with its body, K adds to the joint's slopes instead (program/null_space.py).
The phases of such a node, beside those of every node:
    warm             put its variables on the central path, near the last impulse and the predicted velocity
    apply_impulse    its impulse into the residual of the bodies, and what its slacks miss
    scale            the law dp = k - K du: scaled (Nesterov-Todd) or, in the phase `exact`, linearised as it stands
    predict          k where nothing is to be left of complementarity: the affine step, alike for both laws
    right_hand_side  k for a centring, with or without the second-order term (`right_hand_side_exact`: of the exact law)
    respond          increments of its variables from those of the bodies
    spread           its impulse as a force over the time of the step, once that is solved
    push             that force for its time before the knot that the step begins at, whose velocities are solved for
    soften           its slacks larger, so that it is a little less stiff; `shorten_step` takes that back
    uncouple         its friction no follower of what presses it; `exact` or `scale` take that back
    answer           more or less of it, so that what is held is at rest at the knot as well
Springs, dampers and servos along damped coordinates have `spread` and `push` as well (law.py).

Momenta of a knot have of laws between the knots what the step before hands on. What an inequality holds still is at
rest before and after the knot, and half of the step's impulse P brings its momentum to rest only if the laws do as much
after it as before. If they change by dF, h dF/4 is missing: of a motion that is free it is there, for its velocities at
a knot are those that the step from there begins with. With n, the share h-/(h- + h) of the time that forces act at the
knot, the knot's momenta and the mean of both steps' differ by

    f = (1 - n) [m v-; l-] + n [m v; l] - [p0; l0] - n (P + ...),

which `differ` and `push` put into the residual of bodies. Solved for with the law dp = -K du, as it stands at the end
of the step, dp is what the node does against that: all of it where it holds, nothing where it lets move.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from symvi.kernels import common
from symvi.kernels.body_kernels import BODY, use
from symvi.kernels.common import COMMON, JOINT, LINK, SHARED, single
from symvi.kernels.kernel import Block, Kernel, Port
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics import pairs
from symvi.scalar import Rate, Scalar

MEANINGS = {
    "impulse": ("impulses of the pairs", "N s"),
    "slack": ("slack velocities of the pairs", "m/s"),
    "b": ("bound of friction, friction impulse in world axes", "N s"),
    "e": ("dual scalar, velocity of sliding", "m/s"),
    "miss": ("velocities minus the slacks that stand for them", "m/s"),
    "held": ("impulses between both pairs", "N s, N m s"),
}


@dataclass(frozen=True)
class InequalityKernels:
    """The kernels of an inequality type by phase, and what control needs: its pairs, whether it has a cone.

    directions, slopes: where it is bordered, as those of laws (law.LawKernels).
    """

    kernels: dict[str, Kernel]
    linked: bool
    pairs: int
    cone: bool
    misses: int
    directions: Mapping[str, Block] | None = None
    slopes: Mapping[str, Block] | None = None


def field(trace: Trace, name: str, size: int) -> list[Scalar]:
    """An iterated field of the node's own record."""
    stem = name.removeprefix("d_").removeprefix("base_")
    meaning, unit = MEANINGS[stem]
    if name.startswith("d_"):
        meaning = f"change of {name[2:]}"
    elif name.startswith("base_"):
        meaning = f"where the change starts: {name[5:]}"
    return trace.read(trace.own, "work", name, size, meaning, unit)


def put(trace: Trace, name: str, values: Sequence[Scalar]) -> None:
    """Write an iterated field."""
    field(trace, name, len(values))
    trace.write(trace.own, name, values)


def steering(records: Records) -> None:
    """The numbers by which control steers all inequality nodes, whichever of them a mechanism's kernels read."""
    trace = Trace(records, (SHARED,), COMMON)
    for number in (_centring, second, _ratio, stick, memory):
        number(trace)


def target(trace: Trace) -> Scalar:
    """mu of the node: the centring, weighed by what the node acts on."""
    return _centring(trace) * effective_mass(trace)


def first_target(trace: Trace) -> Scalar:
    """mu of the node where its variables start."""
    return _centring(trace) * share(trace)


def ratio(trace: Trace) -> Scalar:
    """Impulse per velocity where the node's variables start [kg]."""
    return _ratio(trace) * share(trace)


def effective_mass(trace: Trace) -> Scalar:
    meaning = "mass whose weight is the unit of complementarity: of what the node acts on"
    return trace.read(trace.own, "parameters", "effective_mass", 1, meaning, "kg")[0]


def weigh(trace: Trace) -> None:
    """What complementarity is compared by, once per change of the parameters."""
    trace.write(trace.own, "light", [1 / effective_mass(trace)], "1/effective_mass", "1/kg", rate=Rate.PARAMETER)


def share(trace: Trace) -> Scalar:
    meaning = "effective mass over the contacts that share it: the mass that one impulse moves at a start"
    return trace.read(trace.own, "parameters", "share", 1, meaning, "kg")[0]


def _centring(trace: Trace) -> Scalar:
    return trace.read(COMMON, "work", "target", 1, "centring of the interior point, per effective mass", "m²/s²")[0]


def second(trace: Trace) -> Scalar:
    meaning = "1 where the affine increments enter as second-order terms, else 0"
    return trace.read(COMMON, "work", "second", 1, meaning)[0]


def _ratio(trace: Trace) -> Scalar:
    return trace.read(COMMON, "work", "ratio", 1, "impulse per velocity where variables start, of the share")[0]


def stick(trace: Trace) -> Scalar:
    meaning = "1 where friction starts from the predicted sliding, 0 where it starts sticking"
    return trace.read(COMMON, "work", "stick", 1, meaning)[0]


def memory(trace: Trace) -> Scalar:
    return trace.read(COMMON, "work", "memory", 1, "share of the last step's impulses that a start remembers")[0]


@dataclass(frozen=True)
class Centring:
    """What products are sent to: mu, and whether affine increments enter as second-order terms; or to nothing."""

    mu: Scalar
    second: Scalar
    is_nothing: bool = False


def centred(trace: Trace) -> Centring:
    """The present centring."""
    return Centring(target(trace), second(trace))


def nothing(trace: Trace) -> Centring:
    """No complementarity is to be left, to first order."""
    zero = trace.graph.constant(0)
    return Centring(zero, zero, is_nothing=True)


class Pair(NamedTuple):
    """An impulse and its slack by their places in the fields `impulse` and `slack`, of so many."""

    index: int
    count: int

    def of(self, trace: Trace, name: str) -> list[Scalar]:
        return [field(trace, name, self.count)[self.index]]

    def law(self, trace: Trace) -> list[Scalar]:
        """kappa in d gamma = k - kappa du."""
        return use(trace, pairs.pair_law, gamma=self.of(trace, "impulse"), s=self.of(trace, "slack"))["kappa"]

    def right_hand_side(self, trace: Trace, centring: Centring, kappa: Scalar, miss: Scalar) -> Scalar:
        """k, where the pair is sent if its velocity stays."""
        zero = [trace.graph.constant(0)]
        return use(
            trace,
            pairs.pair_aim,
            gamma=self.of(trace, "impulse"),
            s=self.of(trace, "slack"),
            mu=[centring.mu],
            dgamma=zero if centring.is_nothing else self.of(trace, "d_impulse"),
            ds=zero if centring.is_nothing else self.of(trace, "d_slack"),
            second=[centring.second],
            kappa=[kappa],
            miss=[miss],
        )["k"][0]


def pair_response(trace: Trace, k: Scalar, kappa: Scalar, miss: Scalar, change: Scalar) -> tuple[Scalar, Scalar]:
    """(d gamma, ds) where the velocity changes."""
    found = use(trace, pairs.pair_response, k=[k], kappa=[kappa], miss=[miss], du=[change])
    return found["dgamma"][0], found["ds"][0]


def start_pair(trace: Trace, last: Scalar, velocity: Scalar, scale: Scalar) -> tuple[Scalar, Scalar]:
    """(gamma, s) on the central path, near gamma - r s = last - r u."""
    at = use(trace, pairs.pair_on_path, t=[last - scale * velocity], mu=[first_target(trace)], r=[scale])
    return at["gamma"][0], at["s"][0]


def merit(misses: int) -> Callable[[Trace], None]:
    def build(trace: Trace) -> None:
        miss = field(trace, "miss", misses)
        trace.add_to(COMMON, "merit", [dot(trace, miss, miss)], rate=Rate.ITERATION)

    return build


def stepping(records: Records, kind: str, fields: Sequence[tuple[str, int]], summary: str) -> dict[str, Kernel]:
    """advance and shorten_step of the fields that an increment changes."""
    ports = (SHARED, Port(kind, kind))

    def move(trace: Trace, name: str, base: list[Scalar], size: int) -> None:
        length = trace.read(COMMON, "work", "length")[0]
        change = field(trace, f"d_{name}", size)
        put(trace, name, [b + length * d for b, d in zip(base, change, strict=True)])

    def advance(trace: Trace) -> None:
        for name, size in fields:
            base = field(trace, name, size)
            put(trace, f"base_{name}", base)
            move(trace, name, base, size)

    def shorten_step(trace: Trace) -> None:
        for name, size in fields:
            move(trace, name, field(trace, f"base_{name}", size), size)

    return {
        "advance": single(
            records, f"advance_{kind}", f"keep the base and take `length` of {summary}", ports, kind, advance
        ),
        "shorten_step": single(
            records, f"shorten_step_{kind}", f"take another `length` of {summary}", ports, kind, shorten_step
        ),
    }


def keeping(records: Records, kind: str, size: int) -> dict[str, Kernel]:
    """keep and recall the residual of a body or constraint, for a second right-hand side."""
    ports = (SHARED, Port(kind, kind))

    def copy(source: str, goal: str) -> Callable[[Trace], None]:
        def build(trace: Trace) -> None:
            trace.read(kind, "work", "given", size, "the residual before elimination")
            trace.write(kind, goal, trace.read(kind, "work", source, size))

        return build

    return {
        "keep": single(
            records, f"keep_{kind}", "keep the residual for a second right-hand side", ports, kind, copy("f", "given")
        ),
        "recall": single(records, f"recall_{kind}", "the residual as it was", ports, kind, copy("given", "f")),
    }


def dot(trace: Trace, left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    total = trace.graph.constant(0)
    for a, b in zip(left, right, strict=True):
        total = total + a * b
    return total


def ports_of(kind: str, moving: Sequence[str], joint: str = "") -> tuple[Port, ...]:
    """joint: the type of the joint that takes the law, in place of blocks between two bodies."""
    taking = Port(JOINT, joint) if joint else Port(LINK, LINK)
    linked = (taking,) if joint or len(moving) == 2 else ()
    return (SHARED, Port(kind, kind), *(Port(label, BODY) for label in moving), *linked)


def softened(trace: Trace, impulses: str, slacks: str, sizes: Sequence[Scalar]) -> None:
    """Slacks no smaller than impulses over so much mass, so that masses count beside the stiffness of the pairs.

    sizes: of the first pairs, or of a cone's scalars alone.
    """
    trace.note("s += gamma/(ratio mass)", "what is held would hide masses in round-off")
    gamma, s = (field(trace, name, 4 if impulses == "b" else len(sizes)) for name in (impulses, slacks))
    put(trace, slacks, [y + x / m for x, y, m in zip(gamma, s, sizes, strict=False)] + s[len(sizes) :])


def answered(trace: Trace, forces: Sequence[Scalar], changes: Sequence[Scalar]) -> list[Scalar]:
    """Forces that act for their time before a knot, with the changes of their impulses there."""
    trace.note("force += dp/t, dp = -K du", "what is held rests at the knot as well")
    return [force + change / common.impulse(trace) for force, change in zip(forces, changes, strict=True)]


def add_block(trace: Trace, row: str, column: str, first: str, entries: Sequence[Scalar]) -> None:
    """Add a 6 x 6 block to the Newton matrix: a body's own, or between two (first: the label in front of the edge)."""
    if row == column:
        trace.add_to(row, "D", entries, rate=Rate.MATRIX)
    else:
        name = "upper" if row == first else "lower"
        trace.add_to(LINK, name, entries, rate=Rate.MATRIX, meaning="block between two bodies")


def solved(trace: Trace, label: str) -> list[Scalar]:
    """The solved increment of a body: velocities change by minus this."""
    return trace.read(label, "work", "s", 6)


def stored(trace: Trace, block) -> list[list[Scalar]]:
    """A block of the own record, read back."""
    sizes = {f.name: f.size for f in trace.records.of(trace.own, "work")}
    values = {
        name: trace.read(trace.own, "work", name, sizes[name])
        for name in {entry.field for entry in block.entries if not entry.is_constant}
    }
    entries = [
        trace.graph.constant(entry.sign)
        if entry.is_constant
        else (values[entry.field][entry.index] if entry.sign > 0 else -values[entry.field][entry.index])
        for entry in block.entries
    ]
    return [entries[r * block.columns : (r + 1) * block.columns] for r in range(block.rows)]
