"""The kernels of a constraint node: rows at both knots, their gradients, and their impulses on bodies.

The residual of a row is g(z1)/h (fixed in a step) plus its difference over the step divided by h, so that it carries no
cancellation. Forces act through the gradient at z1, rows are differentiated at z2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symvi.physics import kinematics
from symvi.physics.body import wrench_in_axes
from symvi.physics.difference import difference
from symvi.physics.joints.rows import angle_about_axis, screw_advance
from symvi.physics.model import Attitude, Carried, ConstraintModel, Data, Group, Held, Position
from symvi.program import common
from symvi.program.body import BODY, use
from symvi.program.carried import Damping
from symvi.program.common import COMMON, LINK, SHARED, single
from symvi.program.kernel import ZERO, Block, Entry, Kernel, Port
from symvi.program.records import Records
from symvi.program.trace import Trace
from symvi.scalar import Rate, Scalar

Baked = Mapping[str, tuple[Fraction | None, ...]]
DAMPING = "time that forces act, times the damping of every free coordinate"
TOTAL = "impulses of the parts of a step so far"
TOTAL_REACTION = "reactions of those parts, each times the time that forces acted"
SLOPES = "slopes of the impulses along the free coordinates by the body's motion"


@dataclass(frozen=True)
class ConstraintKernels:
    """The kernels of one constraint type by phase, and its blocks: by body label, (rows at z2, minus forces at z1).

    damping: what laws along its free coordinates add to the balances of its bodies; None where none act.
    """

    kernels: dict[str, Kernel]
    below: dict[str, Block]
    right: dict[str, Block]
    damping: Damping | None = None


class Knots:
    """What a model's inputs are at both knots, and their differences divided by h, for one trace."""

    def __init__(self, trace: Trace, model, baked: Baked):
        self.trace, self.model, self.baked = trace, model, baked
        self.h = common.step(trace)
        self._memory: dict = {}

    def parameter(self, name: str) -> list[Scalar]:
        p = self.model.parameters[name]
        return self.trace.read(
            self.trace.own, "parameters", name, len(p.values), p.meaning, p.unit, baked=self.baked.get(name, ())
        )

    def of(self, source) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        """(at z1, at z2, difference over h) of one input."""
        if source not in self._memory:
            self._memory[source] = self._evaluate(source)
        return self._memory[source]

    def _evaluate(self, source) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        if isinstance(source, Data):
            return self._still(self._datum(source))
        if isinstance(source, Held):
            return self._still(self.of(source.source)[0])
        if isinstance(source, Position):
            return self._position(source.body)
        if isinstance(source, Carried):
            return self._vector(source)
        return self._quaternion(source)

    def _still(self, values: list[Scalar]):
        return values, values, [self.trace.graph.constant(0)] * len(values)

    def _datum(self, source: Data) -> list[Scalar]:
        if source.store == "parameters":
            return self.parameter(source.name)
        if source.store == "constant":
            return [self.trace.graph.constant(Fraction(source.name))]
        return self.trace.read(self.trace.own, source.store, source.name, source.size)

    def _moves(self, label: str) -> bool:
        return self.model.bodies[label] is not None

    def _position(self, label: str):
        if not self._moves(label):
            return self._still([self.trace.graph.constant(0)] * 3)
        x = self.trace.read(label, "state", "x", 3)
        v = self.trace.read(label, "work", "v", 3)
        return x, [a + self.h * b for a, b in zip(x, v, strict=True)], v

    def _vector(self, source: Carried):
        offset = self.parameter(source.parameter)
        if not self._moves(source.body):
            return self._still(offset)
        graph, label, name = self.trace.graph, source.body, f"{source.parameter}"
        rotation = self.trace.read(label, "work", "r", 9, rate=Rate.STEP)
        r1 = kinematics.carried_vector(graph, R=rotation, p=offset)["r"]
        rate = kinematics.vector_difference(
            graph, w=self._work(label, "w", 3), a=self._work(label, "a", 3), c=self._work(label, "c", 1), r=r1
        )["d"]
        r2 = [a + self.h * b for a, b in zip(r1, rate, strict=True)]
        return self._name(r1, name, "1"), self._name(r2, name, "2"), self._name(rate, name, "_rate")

    def _quaternion(self, source: Attitude):
        offset = self.parameter(source.parameter)
        if not self._moves(source.body):
            return self._still(offset)
        graph, label = self.trace.graph, source.body
        p1 = kinematics.carried_quaternion(graph, q=self.trace.read(label, "state", "q", 4), o=offset)["p"]
        rate = kinematics.quaternion_difference(graph, u=self._work(label, "u", 4), p=p1)["d"]
        p2 = [a + self.h * b for a, b in zip(p1, rate, strict=True)]
        return (
            self._name(p1, source.parameter, "1"),
            self._name(p2, source.parameter, "2"),
            self._name(rate, source.parameter, "_rate"),
        )

    def _work(self, label: str, name: str, size: int) -> list[Scalar]:
        return self.trace.read(label, "work", name, size)

    def _name(self, values: list[Scalar], name: str, suffix: str) -> list[Scalar]:
        for value, axis in zip(values, "xyz" if len(values) == 3 else "wxyz", strict=True):
            self.trace.graph.name(value, f"{name}{suffix}_{axis}")
        return values


@dataclass
class Rows:
    """The rows of a model at both knots: values at z1, differences over h, gradients by body label."""

    first: list[Scalar]
    rates: list[Scalar]
    at1: dict[str, list[list[Scalar]]]
    at2: dict[str, list[list[Scalar]]]


def trace_rows(trace: Trace, model, baked: Baked, groups: Sequence[Group], rows: int) -> Rows:
    """Evaluate groups of formula rows, and sum them into the model's rows."""
    zero = trace.graph.constant(0)
    knots = Knots(trace, model, baked)
    moving = [label for label, body in model.bodies.items() if body is not None]
    result = Rows(
        [zero] * rows,
        [zero] * rows,
        *({label: [[zero] * 6 for _ in range(rows)] for label in moving} for _ in range(2)),
    )
    for group in groups:
        trace.note(group.formula.equation, group.formula.source)
        first, second, rates = ({name: knots.of(source)[k] for name, source in group.inputs.items()} for k in range(3))
        values1, values2 = group.formula(trace.graph, **first), group.formula(trace.graph, **second)
        change = difference(group.formula, trace.graph, "g", first, second, rates, knots.h)
        factor = knots.parameter(group.factor)[0] if group.factor else trace.graph.constant(1)
        for row, into in zip(group.rows, group.into, strict=True):
            result.first[into] = result.first[into] + factor * values1["g"][row]
            result.rates[into] = result.rates[into] + factor * change[row]
            for side, label in group.bodies.items():
                if label in moving:
                    for values, at in ((values1, result.at1), (values2, result.at2)):
                        entries = values[f"G_{side}"][6 * row : 6 * row + 6]
                        at[label][into] = [
                            old + factor * new for old, new in zip(at[label][into], entries, strict=True)
                        ]
    if getattr(model, "offset", None):
        result.first[0] = result.first[0] - knots.parameter(model.offset)[0]
    return result


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
    start = [closing * value for value in rows.first]
    if model.target:
        start[0] = _towards_target(trace, model, rows.first[0], closing)
    forces = {
        label: [[-entry for entry in column] for column in zip(*rows.at1[label], strict=True)] for label in moving
    }
    right = {
        label: trace.block("g1", forces[label], "gradient at the first knot: forces act along it") for label in moving
    }
    impulse = trace.read(kind, "work", "y", model.rows, "impulse of every row", "N s, N m s")
    shown = rows.first
    if model.target:
        reached = trace.read(kind, "state", "target", 1, "the input at this knot")[0]
        shown = [rows.first[0] - reached]
    trace.write(kind, "g", shown, "rows at the first knot", ", ".join(dict.fromkeys(model.row_units)), rate=Rate.STEP)
    trace.note("f = g(z1)/h + (g(z2) - g(z1))/h;  f_body -= G(z1)ᵀ y", "BSMH23 (19)")
    trace.write(
        kind,
        "f",
        [a + b for a, b in zip(start, rows.rates, strict=True)],
        "residual of the rows, then their increments",
    )
    below = {
        label: trace.block("g2", rows.at2[label], "gradient at the second knot: rows are differentiated there")
        for label in moving
    }
    for label in moving:
        push = [_dot(trace, row, impulse) for row in forces[label]]
        trace.add_to(label, "f", push, rate=Rate.ITERATION)
    if model.pivots:
        _join_pivots(trace, model, rows, [a + b for a, b in zip(start, rows.rates, strict=True)], backwards)
    damping = _along_free(trace, model, baked) if model.free else None
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
    kernels |= _own_kernels(records, kind, model)
    return ConstraintKernels(kernels, below, right, damping)


def _along_free(trace: Trace, model: ConstraintModel, baked: Baked) -> Damping:
    """Directions and slopes of the impulses along the free coordinates; those of dampers, to which others add.

    Directions are the gradient C of the coordinates at the first knot. Limits and dry friction add kappa times their
    gradients at the second knot to the slopes (limit.py): entries are kept for them.
    """
    kind, rows = trace.own, trace_rows(trace, model, baked, model.free, model.freedoms)
    directions = {
        label: trace.block("along", gradient, "gradient of the free coordinates at the first knot")
        for label, gradient in rows.at1.items()
    }
    zero = trace.graph.constant(0)
    damped = _damping(trace, model, rows) if model.damped else dict.fromkeys(rows.at1, [zero] * (6 * model.freedoms))
    slopes = {}
    for label, values in damped.items():
        added = [entry if k in model.stopped else zero for k, row in enumerate(rows.at2[label]) for entry in row]
        used = [not (value.is_zero and more.is_zero) for value, more in zip(values, added, strict=True)]
        stored = [value if needed else None for value, needed in zip(values, used, strict=True)]
        trace.write(kind, slope(label), stored, SLOPES, rate=Rate.MATRIX)
        entries = tuple(Entry(1, slope(label), k) if needed else ZERO for k, needed in enumerate(used))
        slopes[label] = Block(model.freedoms, 6, entries)
    return Damping(directions, slopes)


def slope(label: str) -> str:
    """The field of a joint's record with the slopes by the motion of the body with this label."""
    return f"slope_{label}"


def _damping(trace: Trace, model: ConstraintModel, rows: Rows) -> dict[str, list[Scalar]]:
    """f_body += Cᵀ d C [v; w] along the free coordinates, with the sum d of all dampers, which add theirs (force.py).

    Returns the slopes d C by the body's unknowns, row by row. Dampers act along the rates at the first knot.
    """
    trace.note("f_body += Cᵀ d C [v; w]", "BSMH23 section 3.1")
    kind, n = trace.own, model.freedoms
    trace.write(kind, "damping", [trace.graph.constant(0)] * n, DAMPING, "N s²/m, N m s²/rad", rate=Rate.STEP)
    damping = trace.read(kind, "work", "damping", n, rate=Rate.ITERATION)  # once all dampers have added theirs
    rates = [
        d * _sum(trace, (_dot(trace, gradient[k], velocity(trace, label)) for label, gradient in rows.at1.items()))
        for k, d in enumerate(damping)
    ]
    slopes = {}
    for label, gradient in rows.at1.items():
        push = [_dot(trace, column, rates) for column in zip(*gradient, strict=True)]
        trace.add_to(label, "f", push, rate=Rate.ITERATION)
        slopes[label] = [
            d * entry for d, row in zip(damping, gradient, strict=True) for entry in chained(trace, label, row)
        ]
    return slopes


def velocity(trace: Trace, label: str) -> list[Scalar]:
    """[v; w] of a body over the step."""
    return trace.read(label, "work", "v", 3) + trace.read(label, "work", "w", 3)


def chained(trace: Trace, label: str, row: list[Scalar]) -> list[Scalar]:
    """A row that multiplies [v; w], behind the chain from the unknowns of Newton's method."""
    turned = use(
        trace, kinematics.chained_row, c=trace.read(label, "work", "c"), a=trace.read(label, "work", "a", 3), r=row[3:]
    )["row"]
    return row[:3] + turned


def _sum(trace: Trace, values: Iterable[Scalar]) -> Scalar:
    total = trace.graph.constant(0)
    for value in values:
        total = total + value
    return total


def _join_pivots(trace: Trace, model: ConstraintModel, rows: Rows, residual: list[Scalar], backwards: bool) -> None:
    """f_body += G(z1)ᵀ W f_rows: rows that vanish in the solution, in place of missing inertia (pivots.py)."""
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
                trace.add_to(label, "d", entries, rate=Rate.MATRIX)
            else:
                name = "upper" if label == first else "lower"
                trace.add_to(LINK, name, entries, rate=Rate.MATRIX, meaning="block between two bodies")


def _dot(trace: Trace, left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    total = trace.graph.constant(0)
    for a, b in zip(left, right, strict=True):
        total = total + a * b
    return total


def _towards_target(trace: Trace, model: ConstraintModel, value: Scalar, closing: Scalar) -> Scalar:
    """A driver's row: (c(z1) - u)/h in a step; at a knot the coordinate moves at the input's own rate."""
    kind = trace.own
    target = trace.read(
        kind, "input", model.target, 1, "value that the coordinate must reach at the second knot", model.row_units[0]
    )[0]
    rate = trace.read(kind, "state", "rate", 1, "rate of the input at this knot", f"{model.row_units[0]}/s")[0]
    open_share = 1 - closing * common.step(trace)
    return closing * (value - target) - open_share * rate


def remember_angles(trace: Trace, model, baked: Baked) -> None:
    """Keep the unwrapped angles at z1, for the state to carry on."""
    knots = Knots(trace, model, baked)
    for group in model.groups:
        near = group.inputs.get("near")
        if near is not None:
            formula = angle_about_axis if group.formula is screw_advance else group.formula
            first = {argument.name: knots.of(group.inputs[argument.name])[0] for argument in formula.inputs}
            value = formula(trace.graph, **first)["g"]
            trace.write(
                trace.own, f"{near.name}_now", value, "unwrapped angle at the first knot", "rad", rate=Rate.STEP
            )


def _reaction(trace: Trace, model: ConstraintModel, baked: Baked, right: Block) -> None:
    """Force G_xᵀ y and torque G_thetaᵀ y - r_b x force of the rows on body b over their time, in joint axes."""
    kind, n = trace.own, model.rows
    y = trace.read(kind, "work", "y", n)
    size = next((f.size for f in trace.records.of(kind, "work") if f.name == "g1"), 0)
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
    arm = knots.of(Carried("b", "anchor_b"))[0]
    axes = [knots.of(Carried("a", name))[0] for name in model.frame]
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


def watch_kernels(records: Records, kind: str, model: ConstraintModel, baked: Baked) -> dict[str, Kernel]:
    """The kernel of rows that were dropped as redundant: they are watched, not solved."""
    moving = [label for label, body in model.bodies.items() if body is not None]
    own = (SHARED, Port(kind, kind))
    ports = (*own, *(Port(label, BODY) for label in moving))

    def build(trace: Trace) -> None:
        rows = trace_rows(trace, model, baked, model.groups, model.rows)
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


def carry_angles(trace: Trace, model) -> None:
    """Keep the unwrapped angles of the first knot as the ones that the next step starts from."""
    for angle in model.angles:
        now = trace.read(trace.own, "work", f"{angle}_now")
        trace.write(trace.own, angle, now, "joint angle at this knot, with its whole turns", "rad", store="state")


def _own_kernels(records: Records, kind: str, model: ConstraintModel) -> dict[str, Kernel]:
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

    def retreat(trace: Trace) -> None:
        _move(trace, trace.read(kind, "work", "base", n), trace.read(kind, "work", "s", n))

    def _move(trace: Trace, base, change) -> None:
        length = trace.read(COMMON, "work", "length")[0]
        trace.write(kind, "y", [b - length * d for b, d in zip(base, change, strict=True)])

    def finish(trace: Trace) -> None:
        carry_angles(trace, model)
        if model.target:
            trace.write(kind, "target", trace.read(kind, "input", model.target), store="state")

    def arrive(trace: Trace) -> None:
        target, last = (
            trace.read(kind, "input", model.target)[0],
            trace.read(kind, "state", "target", 1, "the input at this knot")[0],
        )
        before = trace.read(kind, "state", "rate_before", 1, "mean rate of the input over the last step")[0]
        mean = (target - last) / common.step(trace)
        trace.write(kind, "rate_before", [mean], store="state")
        trace.write(kind, "rate", [mean + (mean - before) / 2], store="state")

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

    built = {
        "merit": (merit, "add the rows' residual to the merit"),
        "begin": (begin, "impulses start at zero"),
        "rest": (begin, "no impulses"),
        "advance": (advance, "keep the base and take `length` of the increment"),
        "retreat": (retreat, "take another `length` of the same increment"),
    }
    built["reset"] = reset, "no part of the step yet"
    built["gather"] = gather, "impulses of a part of the step to those before; their means as forces"
    if model.target:
        built["arrive"] = arrive, "the rate of the input at a knot, of the parabola through three of its values"
    if model.angles or model.target:
        built["finish"] = (finish, "carry angles and inputs on to the next step")
    return {phase: single(records, f"{phase}_{kind}", text, own, kind, build) for phase, (build, text) in built.items()}
