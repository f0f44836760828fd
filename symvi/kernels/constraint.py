"""The kernels of a constraint node: rows at both knots, their gradients, and their impulses on bodies.

The residual of a row is g(z1)/h (fixed in a step) plus its difference over the step divided by h, so that it carries no
cancellation. Forces act through the gradient at z1, rows are differentiated at z2.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from symvi.kernels import common
from symvi.kernels.body_kernels import BODY
from symvi.kernels.common import COMMON, LINK, SHARED, single
from symvi.kernels.inequality import stored
from symvi.kernels.kernel import ZERO, Block, Entry, Kernel, Port
from symvi.kernels.knots import Baked, Knots, Rows, carry_angles, remember_angles, trace_rows
from symvi.kernels.law import (
    acting,
    clear_sums,
    hand_on,
    keep_coordinates,
    keep_weights,
    knot_kernels,
    summed,
    weights_of,
)
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics.body import wrench_in_axes
from symvi.physics.model import ConstraintModel, FixedTo
from symvi.scalar import Rate, Scalar

PHASES = ("merit", "begin", "rest", "advance", "shorten_step", "reset", "gather", "arrive")  # of rows alone
TOTAL = "impulses of the parts of a step so far"
TOTAL_REACTION = "reactions of those parts, each times the time that forces acted"
WORKS = {
    "work_after": "impulses of rows at the first knot times velocities after it",
    "work_before": "the same against velocities before it",
}
SLOPES = "slopes of the impulses along the free coordinates by the body's motion"


@dataclass(frozen=True)
class Damping:
    """All laws along a joint's coordinates, by body label: directions B and slopes k, (coordinates x 6) each."""

    directions: Mapping[str, Block]
    slopes: Mapping[str, Block]


@dataclass(frozen=True)
class ConstraintKernels:
    """The kernels of one constraint type by phase, and its blocks: by body label, (rows at z2, minus forces at z1).

    damping: what laws along its free coordinates add to the balances of its bodies; None where none act.
    """

    kernels: dict[str, Kernel]
    below: dict[str, Block]
    right: dict[str, Block]
    damping: Damping | None = None


def constraint_kernels(
    records: Records, kind: str, model: ConstraintModel, baked: Baked, backwards: bool = False
) -> ConstraintKernels:
    """Every kernel of one constraint type.

    Ports: the constraint under its own kind's name, bodies under their labels, the bodies' edge as `link` where the
    rows are part of a body's pivot. backwards: that edge was made for the pair of bodies the other way round.
    """
    moving = [label for label, body in model.bodies.items() if body is not None]
    linked = (Port(LINK, LINK),) if model.pivots and len(moving) == 2 else ()
    ports = (SHARED, Port(kind, kind), *(Port(label, BODY) for label in moving), *linked)
    trace = Trace(records, ports, kind, f"{model.type}: {', '.join(model.row_names)}")
    rows = trace_rows(trace, model, baked, model.groups, model.rows)
    closing = common.closure(trace)
    with trace.computing("f = g(z1)/h + (g(z2) - g(z1))/h", "BSMH23 (20b)"):
        start = [closing * value for value in rows.first]
        if model.target:
            start[0] = towards_target(trace, model, model.target, rows.first[0], closing)
        trace.named("violation", start)
    forces = {
        label: [[-entry for entry in column] for column in zip(*rows.at1[label], strict=True)] for label in moving
    }
    right = {
        label: trace.block("G1", forces[label], "gradient at the first knot: forces act along it") for label in moving
    }
    impulse = trace.read(kind, "work", "y", model.rows, "impulse of every row", "N s, N m s")
    shown = rows.first
    if model.target:
        reached = trace.read(kind, "state", "target", 1, "the input at this knot")[0]
        shown = [rows.first[0] - reached]
    trace.write(kind, "g", shown, "rows at the first knot", ", ".join(dict.fromkeys(model.row_units)), rate=Rate.STEP)
    trace.note("f = g(z1)/h + (g(z2) - g(z1))/h", "BSMH23 (20b)")
    trace.write(
        kind,
        "f",
        [a + b for a, b in zip(start, rows.rates, strict=True)],
        "residual of the rows, then their increments",
    )
    below = {
        label: trace.block("G2", rows.at2[label], "gradient at the second knot: rows are differentiated there")
        for label in moving
    }
    for label in moving:
        trace.note("f_body -= G(z1)ᵀ y", "BSMH23 (20a)", f"body {label}")
        push = [_dot(trace, row, impulse) for row in forces[label]]
        trace.add_to(label, "f", push, rate=Rate.ITERATION)
    if model.pivots:
        _join_pivots(trace, model, rows, [a + b for a, b in zip(start, rows.rates, strict=True)], backwards)
    damping, second = _along_free(trace, model, baked) if model.free else (None, {})
    remember_angles(trace, model, baked)
    kernels = dict(trace.kernels(kind))
    if model.frame:
        kernels["react"] = single(
            records,
            f"react_{kind}",
            "force and torque on body b at the anchor, joint axes",
            ports,
            kind,
            lambda t: _reaction(t, model, baked, right["b"]),
        )
    kernels |= own_kernels(records, kind, model)
    kernels["do_work"] = single(
        records,
        f"do_work_{kind}",
        "add y G(z1) v and -y G(z1) v_last",
        ports,
        kind,
        lambda t: _do_work(t, model, right),
    )
    if model.angles or model.target or model.laws:
        kernels["finish"] = _finish(records, kind, model, ports, second)
    if model.laws and damping:
        kernels |= knot_kernels(records, kind, model.laws, ports, lambda t: _by_label(t, damping.directions))
    return ConstraintKernels(kernels, below, right, damping)


def _do_work(trace: Trace, model: ConstraintModel, right: Mapping[str, Block]) -> None:
    """Work of the impulses at the first knot: where it depends on the way, joints bend it by more than a step shows."""
    impulse = trace.read(trace.own, "work", "y", model.rows)
    after, before = [], []
    for label, block in right.items():
        push = [_dot(trace, row, impulse) for row in stored(trace, block)]
        for total, store in ((after, "work"), (before, "state")):
            motion = [*trace.read(label, store, "v", 3), *trace.read(label, store, "w", 3)]
            total.append(_dot(trace, push, motion))
    add_works(trace, -sum(after[1:], after[0]), sum(before[1:], before[0]))


def add_works(trace: Trace, after: Scalar, before: Scalar) -> None:
    """To the sums over all impulses of joints."""
    for (name, meaning), value in zip(WORKS.items(), (after, before), strict=True):
        trace.add_to(COMMON, name, [value], rate=Rate.ITERATION, meaning=meaning, unit="J")


def _along_free(trace: Trace, model: ConstraintModel, baked: Baked) -> tuple[Damping, Mapping[str, Block]]:
    """Directions and slopes of the impulses along the free coordinates, and their gradients at the second knot.

    Directions are the gradient C of the coordinates at the first knot, slopes those at the second times kappa of
    springs, dampers and servos. Limits and dry friction add kappa of their own (limit.py): entries are kept for them.
    """
    kind, rows = trace.own, trace_rows(trace, model, baked, model.free, model.freedoms)
    directions = {
        label: trace.block("along", gradient, "gradient of the free coordinates at the first knot")
        for label, gradient in rows.at1.items()
    }
    zero = trace.graph.constant(0)
    kappa, second = [zero] * model.freedoms, {}
    if model.laws:
        keep_coordinates(trace, model.laws, rows)
        clear_sums(trace, model.laws)
        found = acting(trace, model.laws, rows, summed(trace, model.laws))
        kappa, second = found.kappa, found.second
    slopes = {}
    for label, gradient in rows.at2.items():
        values = [k * entry for k, row in zip(kappa, gradient, strict=True) for entry in row]
        added = [entry if k in model.stopped else zero for k, row in enumerate(gradient) for entry in row]
        used = [not (value.is_zero and more.is_zero) for value, more in zip(values, added, strict=True)]
        stored = [value if needed else None for value, needed in zip(values, used, strict=True)]
        trace.write(kind, slope(label), stored, SLOPES, rate=Rate.MATRIX)
        entries = tuple(Entry(1, slope(label), k) if needed else ZERO for k, needed in enumerate(used))
        slopes[label] = Block(model.freedoms, 6, entries)
    return Damping(directions, slopes), second


def _by_label(trace: Trace, blocks: Mapping[str, Block]) -> dict[str, list[list[Scalar]]]:
    """Blocks of the own record, read back."""
    return {label: stored(trace, block) for label, block in blocks.items()}


def slope(label: str) -> str:
    """The field of a joint's record with the slopes by the motion of the body with this label."""
    return f"slope_{label}"


def _join_pivots(trace: Trace, model: ConstraintModel, rows: Rows, residual: list[Scalar], backwards: bool) -> None:
    """f_body += G(z1)ᵀ W f_rows: rows that vanish in the solution, in place of missing inertia (analysis/pivots.py)."""
    trace.note("f_body += G(z1)ᵀ W f_rows", "a sum of equations: it changes no solution")
    weight = trace.read(trace.own, "parameters", "weight", model.rows)
    moving = list(rows.at1)
    first = moving[-1] if backwards else moving[0]
    for label in model.pivots:
        pull = [[w * row[m] for w, row in zip(weight, rows.at1[label], strict=True)] for m in range(6)]
        trace.add_to(label, "f", [_dot(trace, column, residual) for column in pull], rate=Rate.ITERATION)
        for other in moving:
            entries = [_dot(trace, column, [row[n] for row in rows.at2[other]]) for column in pull for n in range(6)]
            if other == label:
                trace.add_to(label, "D", entries, rate=Rate.MATRIX)
            else:
                name = "upper" if label == first else "lower"
                trace.add_to(LINK, name, entries, rate=Rate.MATRIX, meaning="block between two bodies")


def _dot(trace: Trace, left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    total = trace.graph.constant(0)
    for a, b in zip(left, right, strict=True):
        total = total + a * b
    return total


def towards_target(trace: Trace, model: ConstraintModel, name: str, value: Scalar, closing: Scalar) -> Scalar:
    """A driver's row: (c(z1) - u)/h in a step; at a knot the coordinate moves at the input's own rate."""
    kind = trace.own
    target = trace.read(
        kind, "input", name, 1, "value that the coordinate must reach at the second knot", model.row_units[0]
    )[0]
    rate = trace.read(kind, "state", "rate", 1, "rate of the input at this knot", f"{model.row_units[0]}/s")[0]
    open_share = 1 - closing * common.step(trace)
    return closing * (value - target) - open_share * rate


def _reaction(trace: Trace, model: ConstraintModel, baked: Baked, right: Block) -> None:
    """Force G_xᵀ y and torque G_thetaᵀ y - r_b x force of the rows on body b over their time, in joint axes."""
    kind, n = trace.own, model.rows
    y = trace.read(kind, "work", "y", n)
    size = next((f.size for f in trace.records.of(kind, "work") if f.name == "G1"), 0)
    stored = {
        name: trace.read(kind, "work", name, f_size, rate=Rate.STEP)
        for name, f_size in _fields(trace, kind, right, size)
    }
    zero = trace.graph.constant(0)
    wrench = [zero] * 6
    for i in range(6):
        for k in range(n):
            entry = right.entries[i * n + k]
            value = (
                trace.graph.constant(entry.sign) if entry.is_constant else stored[entry.field][entry.index] * entry.sign
            )
            wrench[i] = wrench[i] - value * y[k]
    knots = Knots(trace, model, baked)
    arm = knots.of(FixedTo("b", "anchor_b"))[0]
    axes = [knots.of(FixedTo("a", name))[0] for name in model.frame]
    time = common.impulse(trace)
    values = wrench_in_axes(
        trace.graph, force=wrench[:3], torque=wrench[3:], arm=arm, axes=[x for axis in axes for x in axis]
    )
    trace.write(
        kind,
        "reaction",
        [value / time for value in values["force_in"] + values["torque_in"]],
        "reaction on the child in joint axes: force, torque about the anchor",
        "N, N m",
    )


def _fields(trace: Trace, kind: str, block: Block, size: int) -> list[tuple[str, int]]:
    names = dict.fromkeys(entry.field for entry in block.entries if not entry.is_constant)
    return [(f.name, f.size) for f in trace.records.of(kind, "work") if f.name in names]


def watch_kernels(
    records: Records, kind: str, model: ConstraintModel, baked: Baked, knots: type[Knots] = Knots
) -> dict[str, Kernel]:
    """The kernel of rows that were dropped as redundant: they are watched, not solved. knots: how bodies are read."""
    moving = [label for label, body in model.bodies.items() if body is not None]
    own = (SHARED, Port(kind, kind))
    ports = (*own, *(Port(label, BODY) for label in moving))

    def build(trace: Trace) -> None:
        rows = trace_rows(trace, model, baked, model.groups, model.rows, knots(trace, model, baked))
        trace.write(kind, "g", rows.first, "dropped rows at the first knot", ", ".join(dict.fromkeys(model.row_units)))
        remember_angles(trace, model, baked)

    kernels = {"watch": single(records, f"watch_{kind}", "rows that the others imply", ports, kind, build)}
    if model.angles:
        kernels["finish"] = single(
            records,
            f"finish_{kind}",
            "carry angles on to the next step",
            own,
            kind,
            lambda trace: carry_angles(trace, model),
        )
    return kernels


def sums_of_parts(records: Records, kind: str, model: ConstraintModel) -> dict[str, Kernel]:
    """The phases reset and gather of a constraint."""
    return own_kernels(records, kind, model, ("reset", "gather"))


def gather_means(trace: Trace, name: str, total: str, entries: Iterable[int]) -> None:
    """Put the mean over the parts of a step so far into entries of a field that holds those of the last part.

    total: the field of their sums, each weighed by the time that forces acted.
    """
    kind, time, elapsed = trace.own, common.impulse(trace), common.elapsed(trace)
    sizes = {f.name: f.size for f in trace.records.of(kind, "work")}
    shown = trace.read(kind, "work", name, sizes[name])
    entries = list(entries)
    sums = [
        old + time * shown[k] for old, k in zip(trace.read(kind, "work", total, len(entries)), entries, strict=True)
    ]
    trace.write(kind, total, sums)
    means = dict(zip(entries, (value / elapsed for value in sums), strict=True))
    trace.write(kind, name, [means.get(k) for k in range(sizes[name])])


def own_kernels(
    records: Records, kind: str, model: ConstraintModel, phases: Collection[str] = PHASES
) -> dict[str, Kernel]:
    """The kernels of rows that work on their own record alone."""
    n = model.rows
    own = (SHARED, Port(kind, kind))

    def merit(trace: Trace) -> None:
        f = trace.read(kind, "work", "f", n)
        trace.add_to(COMMON, "merit", [_dot(trace, f, f)], rate=Rate.ITERATION)

    def begin(trace: Trace) -> None:
        trace.write(kind, "y", [trace.graph.constant(0)] * n)

    def advance(trace: Trace) -> None:
        base, change = (
            trace.read(kind, "work", "y", n),
            trace.read(kind, "work", "s", n, "solved increment of the impulses"),
        )
        trace.write(kind, "base", base, "impulses that the increment starts from")
        _move(trace, base, change)

    def shorten_step(trace: Trace) -> None:
        _move(trace, trace.read(kind, "work", "base", n), trace.read(kind, "work", "s", n))

    def _move(trace: Trace, base, change) -> None:
        length = trace.read(COMMON, "work", "length")[0]
        trace.write(kind, "y", [b - length * d for b, d in zip(base, change, strict=True)])

    def reset(trace: Trace) -> None:
        trace.write(kind, "total", [trace.graph.constant(0)] * n, TOTAL, "N s, N m s")
        if model.frame:
            trace.write(kind, "total_reaction", [trace.graph.constant(0)] * 6, TOTAL_REACTION, "N s, N m s")

    def gather(trace: Trace) -> None:
        impulse = trace.read(kind, "work", "y", n)
        total = [a + b for a, b in zip(trace.read(kind, "work", "total", n), impulse, strict=True)]
        trace.write(kind, "total", total)
        trace.write(kind, "y", total)
        if model.frame:
            gather_means(trace, "reaction", "total_reaction", range(6))

    built: dict[str, tuple[Callable[[Trace], None], str]] = {
        "merit": (merit, "add the rows' residual to the merit"),
        "begin": (begin, "impulses start at zero"),
        "rest": (begin, "no impulses"),
        "advance": (advance, "keep the base and take `length` of the increment"),
        "shorten_step": (shorten_step, "take another `length` of the same increment"),
    }
    built["reset"] = reset, "no part of the step yet"
    built["gather"] = gather, "impulses of a part of the step to those before; their means as forces"
    if model.target:
        built["arrive"] = (
            _arrival(kind, model.target),
            "the rate of the input at a knot, of the parabola through three of its values",
        )
    return {
        phase: single(records, f"{phase}_{kind}", text, own, kind, build)
        for phase, (build, text) in built.items()
        if phase in phases
    }


def _arrival(kind: str, name: str) -> Callable[[Trace], None]:
    """What a driver makes of its input's value at a knot."""

    def arrive(trace: Trace) -> None:
        target, last = (
            trace.read(kind, "input", name)[0],
            trace.read(kind, "state", "target", 1, "the input at this knot")[0],
        )
        before = trace.read(kind, "state", "rate_before", 1, "mean rate of the input over the last step")[0]
        mean = (target - last) / common.step(trace)
        trace.write(kind, "rate_before", [mean], store="state")
        trace.write(kind, "rate", [mean + (mean - before) / 2], store="state")

    return arrive


def _finish(records: Records, kind: str, model: ConstraintModel, ports, second: Mapping[str, Block]) -> Kernel:
    """What a joint hands on to the next step: its angles, its input, and what laws along it leave."""

    def build(trace: Trace) -> None:
        carry_angles(trace, model)
        if model.laws:
            hand_on(trace, model.laws, second, weights_of(trace, model.laws))
            keep_weights(trace, model.laws, joint=True)
        if model.target:
            remember_input(trace, model.target)

    return single(records, f"finish_{kind}", "carry angles, inputs and laws on to the next step", ports, kind, build)


def remember_input(trace: Trace, name: str) -> None:
    """Keep the input of a driver as what was reached."""
    trace.write(trace.own, "target", trace.read(trace.own, "input", name), store="state")
