"""What the rows of a node are at both knots of a step: values, differences, gradients, and the angles they carry.

The difference of a row over a step is computed without subtracting nearby numbers, divided by h (difference.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symvi.kernels import common
from symvi.kernels.body_kernels import use
from symvi.kernels.tracing import Trace
from symvi.physics import kinematics
from symvi.physics.difference import difference
from symvi.physics.joints.rows import angle_about_axis, screw_advance
from symvi.physics.model import AtFirstKnot, Attitude, Data, FixedTo, Group, Position
from symvi.scalar import Rate, Scalar

Baked = Mapping[str, tuple[Fraction | None, ...]]


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
        if isinstance(source, AtFirstKnot):
            return self._still(self.of(source.source)[0])
        if isinstance(source, Position):
            return self._position(source.body)
        if isinstance(source, FixedTo):
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
        return x, self._moved("x", x, v, f"x_{label}"), v

    def _vector(self, source: FixedTo):
        offset = self.parameter(source.parameter)
        if not self._moves(source.body):
            return self._still(offset)
        label, name = source.body, source.parameter
        r1 = use(self.trace, kinematics.carried_vector, name, R=self._rotation(label), p=offset)["r"]
        turn = {part: self._work(label, part, size) for part, size in (("w", 3), ("a", 3), ("c", 1))}
        rate = use(self.trace, kinematics.vector_difference, name, **turn, r=r1)["d"]
        r2 = self._moved("r", r1, rate, name)
        return self._name(r1, name, "1"), self._name(r2, name, "2"), self._name(rate, name, "_rate")

    def _rotation(self, label: str) -> list[Scalar]:
        return self.trace.read(label, "work", "r", 9, rate=Rate.STEP)

    def _quaternion(self, source: Attitude):
        offset = self.parameter(source.parameter)
        if not self._moves(source.body):
            return self._still(offset)
        label, name = source.body, source.parameter
        q, quotient = self.trace.read(label, "state", "q", 4), self._quotient(label)
        p1 = use(self.trace, kinematics.carried_quaternion, name, q=q, o=offset)["p"]
        rate = use(self.trace, kinematics.quaternion_difference, name, quotient=quotient, p=p1)["d"]
        p2 = self._moved("p", p1, rate, name)
        return self._name(p1, name, "1"), self._name(p2, name, "2"), self._name(rate, name, "_rate")

    def _quotient(self, label: str) -> list[Scalar]:
        """([c; a] - [1; 0])/h of a body's turn: kept, or made anew where joint coordinates turn it."""
        if "quotient" in self.trace.records.fields.get((self.trace.kind(label), "work"), {}):
            return self._work(label, "quotient", 4)
        half, inverse = [common.half_step(self.trace)], [common.inverse_step(self.trace)]
        return use(self.trace, kinematics.half_turn, half=half, inverse=inverse, w=self._work(label, "w", 3))[
            "quotient"
        ]

    def _moved(self, symbol: str, first: list[Scalar], rate: list[Scalar], name: str) -> list[Scalar]:
        """What is carried along, at the second knot."""
        with self.trace.computing(f"{symbol}2 = {symbol}1 + h ({symbol}2 - {symbol}1)/h", "without cancellation", name):
            return [a + self.h * b for a, b in zip(first, rate, strict=True)]

    def _work(self, label: str, name: str, size: int) -> list[Scalar]:
        return self.trace.read(label, "work", name, size)

    def _name(self, values: list[Scalar], name: str, suffix: str) -> list[Scalar]:
        for value, axis in zip(values, "xyz" if len(values) == 3 else "wxyz", strict=True):
            self.trace.graph.name(value, f"{name}{suffix}_{axis}")
        return values


class GivenKnots(Knots):
    """Of bodies where a caller has put them: joint coordinates keep of rotations what their joints leave open alone."""

    def _rotation(self, label: str) -> list[Scalar]:
        return use(self.trace, kinematics.rotation_matrix, label, q=self.trace.read(label, "state", "q", 4))["R"]


@dataclass
class Rows:
    """The rows of a model at both knots: values at z1, differences over h, gradients by body label; and their units."""

    first: list[Scalar]
    rates: list[Scalar]
    at1: dict[str, list[list[Scalar]]]
    at2: dict[str, list[list[Scalar]]]
    units: list[str]


def trace_rows(
    trace: Trace, model, baked: Baked, groups: Sequence[Group], rows: int, knots: Knots | None = None
) -> Rows:
    """Evaluate groups of formula rows, and sum them into the model's rows. knots: what their inputs are."""
    zero = trace.graph.constant(0)
    knots = knots or Knots(trace, model, baked)
    moving = [label for label, body in model.bodies.items() if body is not None]
    at1, at2 = ({label: [[zero] * 6 for _ in range(rows)] for label in moving} for _ in range(2))
    result = Rows([zero] * rows, [zero] * rows, at1, at2, [""] * rows)
    for group in groups:
        first, second, rates = ({name: knots.of(source)[k] for name, source in group.inputs.items()} for k in range(3))
        values1 = use(trace, group.formula, "with G = dg/dz, at the first knot", "1", **first)
        values2 = use(trace, group.formula, "with G = dg/dz, at the second knot", "2", **second)
        with trace.computing("(g(z2) - g(z1))/h", "product rule of differences", group.formula.equation):
            change = difference(group.formula, trace.graph, "g", first, second, rates, knots.h)
        factor = knots.parameter(group.factor)[0] if group.factor else trace.graph.constant(1)
        for row, into in zip(group.rows, group.into, strict=True):
            result.units[into] = group.formula.outputs[0].unit
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
    trace.named("g1", result.first)
    for knot, at in (("1", result.at1), ("2", result.at2)):
        for label, matrix in at.items():
            for row, entries in enumerate(matrix):
                trace.named(f"G_{label}{knot}_{row}", entries, between="")
    return result


def remember_angles(trace: Trace, model, baked: Baked) -> None:
    """Keep the unwrapped angles at z1, for the state to carry on."""
    knots, done = Knots(trace, model, baked), set()
    for group in (*model.groups, *getattr(model, "free", ())):
        near = group.inputs.get("near")
        if near is not None and near.store == "state" and near.name not in done:
            done.add(near.name)
            formula = angle_about_axis if group.formula is screw_advance else group.formula
            first = {argument.name: knots.of(group.inputs[argument.name])[0] for argument in formula.inputs}
            value = use(trace, formula, "at the first knot", "1", **first)["g"]
            trace.write(
                trace.own, f"{near.name}_now", value, "unwrapped angle at the first knot", "rad", rate=Rate.STEP
            )


def carry_angles(trace: Trace, model) -> None:
    """Keep the unwrapped angles of the first knot as the ones that the next step starts from."""
    for angle in model.angles:
        now = trace.read(trace.own, "work", f"{angle}_now")
        trace.write(trace.own, angle, now, "joint angle at this knot, with its whole turns", "rad", store="state")


def velocity(trace: Trace, label: str) -> list[Scalar]:
    """[v; w] of a body over the step."""
    return trace.read(label, "work", "v", 3) + trace.read(label, "work", "w", 3)
