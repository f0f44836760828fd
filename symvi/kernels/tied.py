"""The kernels of rates that gears and loops tie together: N, which takes independent rates to all rates of a tree.

Rows G q' = 0 of gears and of joints that close loops are solved for as many dependent rates d by the others i:

    N = [1; -G_d^-1 G_i],   q' = N r,   q'' = N r' + [0; -G_d^-1 (d/dt G) q']

so that what is asked of the tree is projected onto the freedoms: M = Nᵀ M N, tau = Nᵀ tau. Which rates are dependent is
chosen where the description starts; entries that are zero by the paths of the loops cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symvi.errors import MechanismError
from symvi.kernels import blocks
from symvi.kernels.blocks import Matrix, Vector, cross, dot
from symvi.kernels.body_kernels import BODY, use
from symvi.kernels.common import COMMON, GRAVITY, SHARED, single
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.knots import Baked
from symvi.kernels.records import Records
from symvi.kernels.spatial import FREEDOM, OF_BODY, TREE, blocks_sum, motion_about, of_freedom, use_carried
from symvi.kernels.tracing import Trace
from symvi.physics import kinematics
from symvi.physics.model import AtFirstKnot, Attitude, ConstraintModel, Data, FixedTo, Position
from symvi.scalar import Graph, Scalar

TIES, TIE = "ties", "tie"
SOURCE = "derived here"


@dataclass(frozen=True)
class Ties:
    """Which rates are tied.

    rates: of the tree. dependent: those that are solved for, a row each. rows: by row, a number where it is known
    (gears: 1, and minus the parameter of this index) or None where a closing joint gives it, by rate.
    """

    rates: int
    dependent: tuple[int, ...]
    rows: tuple[Mapping[int, int | None | str], ...]
    pairs: tuple[tuple[int, int], ...]

    @property
    def independent(self) -> tuple[int, ...]:
        return tuple(k for k in range(self.rates) if k not in self.dependent)

    @property
    def slopes(self) -> list[tuple[int, int]]:
        """Row and rate of the entries of G that closing joints give."""
        return [(r, k) for r, row in enumerate(self.rows) for k, value in row.items() if value is None]


class TiesKernels:
    """Traces them. drifts: whether G changes, so that accelerations have a part that no rate's rate decides."""

    def __init__(self, records: Records, ties: Ties, gears: int):
        self.records, self.ties, self.gears = records, ties, gears
        self.drifts = bool(ties.slopes)
        self.reach: list[tuple[int, int]] = []  # dependent number, independent number
        self.reduced: list[tuple[int, int]] = []
        n, own = ties.rates, len(ties.independent)
        self.sizes = {
            "rate": (own, "independent rates", "m/s, rad/s"),
            "change": (own, "their rates", "m/s², rad/s²"),
            "force": (own, "forces along them", "N, N m"),
            "load": (own, "what keeps them from changing", "N, N m"),
            "all_rates": (n, "rates of the tree", "m/s, rad/s"),
            "all_changes": (n, "their rates", "m/s², rad/s²"),
            "all_forces": (n, "forces along them, or a row of a Jacobian", "N, N m"),
            "entry": (len(ties.pairs), "entries of the mass matrix of the tree", "kg, kg m²"),
            "slope": (max(1, len(ties.slopes)), "entries of G that closing joints give", "1"),
            "drift": (len(ties.rows), "(d/dt G) q'", "m/s², rad/s²"),
            "gap": (len(ties.rows), "how far rows are open", "m, rad"),
        }

    def kernels(self) -> dict[str, Kernel]:
        """By phase; in this order: what `reach` finds to be zero is left out of the others."""
        for name, (size, meaning, unit) in self.sizes.items():
            self.records.declare(TIES, "work", name, size, meaning, unit)
        texts = {
            "reach": (self._reach, "N = [1; -G_d^-1 G_i]"),
            "spread": (self._spread, "q' = N r"),
            "spread_changes": (self._spread_changes, "q'' = N r' + drift"),
            "gather": (self._gather, "tau = Nᵀ tau"),
            "project": (self._project, "M = Nᵀ M N"),
            "solve": (self._solve, "r' = M^-1 (tau - load)"),
        }
        return {
            phase: single(self.records, f"{phase}_rates", text, (Port(TIES, TIES),), TIES, build)
            for phase, (build, text) in texts.items()
        }

    def _get(self, trace: Trace, name: str) -> Vector:
        return trace.read(TIES, "work", name, *self.sizes[name])

    def _put(self, trace: Trace, name: str, values: Sequence[Scalar]) -> None:
        trace.write(TIES, name, values, *self.sizes[name][1:])

    def _reach(self, trace: Trace) -> None:
        ties, zero = self.ties, trace.graph.constant(0)
        meaning = "change of the first coordinate per change of the second"
        ratios = trace.read(TIES, "parameters", "ratio", self.gears, meaning) if self.gears else []
        slopes = iter(self._get(trace, "slope") if ties.slopes else [])
        rows = []
        for row in ties.rows:
            found = [zero] * ties.rates
            for k, value in row.items():
                if value is None:
                    found[k] = next(slopes)
                else:
                    found[k] = -ratios[int(value)] if isinstance(value, str) else trace.graph.constant(value)
            rows.append(found)
        with trace.computing("G_d^-1", SOURCE):
            factors = blocks.factor([[row[k] for k in ties.dependent] for row in rows])
        with trace.computing("N_d = -G_d^-1 G_i", SOURCE):
            solved = blocks.solve(factors, [[row[k] for k in ties.independent] for row in rows])
        entries = []
        for d, row in enumerate(solved):
            for i, value in enumerate(row):
                if not value.is_zero:
                    self.reach.append((d, i))
                    entries.append(-value)
        self.sizes["reach"] = (max(1, len(entries)), "entries of N that are not those of a unit matrix", "1")
        self.sizes["factor"] = (max(1, len(factors) ** 2), "factors of G_d", "1")
        self._put(trace, "reach", entries or [zero])
        if self.drifts:
            self._put(trace, "factor", [x for row in factors for x in row])

    def _matrix(self, trace: Trace) -> list[dict[int, Scalar]]:
        """N, by rate of the tree: which independent ones move it."""
        ties, one = self.ties, trace.graph.constant(1)
        found: list[dict[int, Scalar]] = [{} for _ in range(ties.rates)]
        for i, k in enumerate(ties.independent):
            found[k][i] = one
        if self.reach:
            for (d, i), value in zip(self.reach, self._get(trace, "reach"), strict=True):
                found[ties.dependent[d]][i] = value
        return found

    def _spread(self, trace: Trace) -> None:
        self._spread_to(trace, "rate", "all_rates", [trace.graph.constant(0)] * self.ties.rates)

    def _spread_changes(self, trace: Trace) -> None:
        ties, more = self.ties, [trace.graph.constant(0)] * self.ties.rates
        if self.drifts:
            values, n = self._get(trace, "factor"), len(ties.dependent)
            factors = [values[n * r : n * r + n] for r in range(n)]
            with trace.computing("-G_d^-1 (d/dt G) q'", SOURCE):
                solved = blocks.solve(factors, [[x] for x in self._get(trace, "drift")])
            for k, (value,) in zip(ties.dependent, solved, strict=True):
                more[k] = -value
        self._spread_to(trace, "change", "all_changes", more)

    def _spread_to(self, trace: Trace, name: str, into: str, more: Vector) -> None:
        given = self._get(trace, name)
        for k, row in enumerate(self._matrix(trace)):
            for i, value in row.items():
                more[k] = more[k] + value * given[i]
        self._put(trace, into, more)

    def _gather(self, trace: Trace) -> None:
        given, found = self._get(trace, "all_forces"), [trace.graph.constant(0)] * len(self.ties.independent)
        for k, row in enumerate(self._matrix(trace)):
            for i, value in row.items():
                found[i] = found[i] + value * given[k]
        self._put(trace, "force", found)

    def _project(self, trace: Trace) -> None:
        rows, found = self._matrix(trace), dict[tuple[int, int], Scalar]()
        zero = trace.graph.constant(0)
        for (near, far), entry in zip(self.ties.pairs, self._get(trace, "entry"), strict=True):
            for first, second in {(near, far), (far, near)}:
                for i, a in rows[first].items():
                    for k, b in rows[second].items():
                        if i <= k:
                            found[i, k] = found.get((i, k), zero) + a * (entry * b)
        self.reduced = sorted(found)
        self.sizes["reduced"] = (len(self.reduced), "entries of the projected mass matrix", "kg, kg m²")
        self._put(trace, "reduced", [found[place] for place in self.reduced])

    def _solve(self, trace: Trace) -> None:
        zero, n = trace.graph.constant(0), len(self.ties.independent)
        matrix = [[zero] * n for _ in range(n)]
        for (i, k), value in zip(self.reduced, self._get(trace, "reduced"), strict=True):
            matrix[i][k] = matrix[k][i] = value
        rest = [[a - b] for a, b in zip(self._get(trace, "force"), self._get(trace, "load"), strict=True)]
        with trace.computing("r' = M^-1 (tau - load)", SOURCE):
            solved = blocks.solve(blocks.factor(matrix), rest)
        self._put(trace, "change", [value for (value,) in solved])


# --- closing joints ---------------------------------------------------------------------------------------------------
class ClosingKernels:
    """Traces the kernels of joints that close loops, of one type: rows by motions of bodies, and how these change."""

    def __init__(self, records: Records, kind: str, model: ConstraintModel, baked: Baked):
        self.records, self.kind, self.model, self.baked = records, kind, model, baked
        self.sides = [label for label, body in model.bodies.items() if body is not None]
        ports = [port for label in self.sides for port in (Port(label, BODY), Port(f"tree_{label}", TREE))]
        self.ports = (SHARED, Port(kind, kind), *ports)

    def kernels(self) -> dict[str, Kernel]:
        """By phase."""
        return {
            "close": single(self.records, f"close_{self.kind}", "rows by motions", self.ports, self.kind, self._close),
            "drift": single(
                self.records,
                f"drift_{self.kind}",
                "(d/dt G) q'",
                (*self.ports, Port(TIES, TIES)),
                self.kind,
                self._drift,
            ),
        }

    def tie(self, sides: tuple[str, ...]) -> Kernel:
        """What a rate does to all rows, by the bodies of these sides, which it moves."""
        ports = [Port(f"t{row}", TIE) for row in range(self.model.rows)]

        def build(trace: Trace) -> None:
            s = of_freedom(trace, FREEDOM, "s")
            for row in range(self.model.rows):
                total = trace.graph.constant(0)
                with trace.computing("G S", SOURCE):
                    for side in sides:
                        total = total + dot(self._row(trace, side, row), s)
                trace.write(f"t{row}", "value", [total], "an entry of G", "1")

        name = f"tie_{self.kind}_{'_'.join(sides)}"
        return single(
            self.records, name, "G S", (Port(self.kind, self.kind), Port(FREEDOM, FREEDOM), *ports), self.kind, build
        )

    def _row(self, trace: Trace, side: str, row: int) -> Vector:
        values = trace.read(self.kind, "work", f"row_{side}", 6 * self.model.rows, "rows about the tree's origin", "1")
        return values[6 * row : 6 * row + 6]

    def _rows(self, trace: Trace) -> tuple[Vector, dict[str, Matrix]]:
        """Values of the rows, and their gradients by (x, rotation vector) of each body that moves."""
        model, zero = self.model, trace.graph.constant(0)
        gaps = [zero] * model.rows
        found = {side: [[zero] * 6 for _ in range(model.rows)] for side in self.sides}
        for group in model.groups:
            given = {name: self._input(trace, source) for name, source in group.inputs.items()}
            values = use(trace, group.formula, "with G = dg/dz", **given)
            factor = self._parameter(trace, group.factor)[0] if group.factor else trace.graph.constant(1)
            for row, into in zip(group.rows, group.into, strict=True):
                gaps[into] = gaps[into] + factor * values["g"][row]
                for side, label in group.bodies.items():
                    if label in found:
                        entries = values[f"G_{side}"][6 * row : 6 * row + 6]
                        found[label][into] = [a + factor * b for a, b in zip(found[label][into], entries, strict=True)]
        if model.offset:
            gaps[0] = gaps[0] - self._parameter(trace, model.offset)[0]
        return gaps, found

    def _parameter(self, trace: Trace, name: str) -> Vector:
        p = self.model.parameters[name]
        size = len(p.values)
        return trace.read(self.kind, "parameters", name, size, p.meaning, p.unit, baked=self.baked.get(name, ()))

    def _input(self, trace: Trace, source) -> Vector:
        if isinstance(source, AtFirstKnot):
            raise MechanismError(f"'{self.model.name}': its rows hold what was, and no model tells that")
        if isinstance(source, Data):
            if source.store == "constant":
                return [trace.graph.constant(Fraction(source.name))]
            if source.store == "parameters":
                return self._parameter(trace, source.name)
            return [trace.graph.constant(0)] * source.size  # an angle on the branch nearest to zero
        if isinstance(source, Position):
            if source.body not in self.sides:
                return [trace.graph.constant(0)] * 3
            return blocks_sum(_of(trace, source.body, "x"), self._origin(trace, source.body))
        offset = self._parameter(trace, source.parameter)
        if source.body not in self.sides:
            return offset
        if isinstance(source, FixedTo):
            rotation = _of(trace, source.body, "r")
            return use_carried(trace, [rotation[3 * r : 3 * r + 3] for r in range(3)], offset)
        if not isinstance(source, Attitude):
            raise MechanismError(f"'{self.model.name}': no model tells its {type(source).__name__}")
        return use(trace, kinematics.carried_quaternion, q=_of(trace, source.body, "q"), o=offset)["p"]

    def _origin(self, trace: Trace, side: str) -> Vector:
        return trace.read(f"tree_{side}", "work", "origin", 3)

    def _close(self, trace: Trace) -> None:
        gaps, rows = self._rows(trace)
        trace.write(self.kind, "gap", gaps, "how far the rows are open", "m, rad")
        for side, matrix in rows.items():
            x = _of(trace, side, "x")
            with trace.computing("G_x, G_r + x × G_x", SOURCE):
                values = [[*row[:3], *blocks_sum(row[3:], cross(x, row[:3]))] for row in matrix]
            entries = [e for row in values for e in row]
            trace.write(self.kind, f"row_{side}", entries, "rows about the tree's origin", "1")

    def _drift(self, trace: Trace) -> None:
        """The rate of G [v; w] at accelerations of the bodies that no joint's rates change."""
        rows = self._rows(trace)[1]
        rates = [trace.graph.constant(0)] * self.model.rows
        seeds: dict[int, Scalar] = {}
        for side, matrix in rows.items():
            x, v, a = (_of(trace, side, name) for name in ("x", "v", "a"))
            g = trace.read(COMMON, "parameters", *GRAVITY)
            moving = motion_about(v, x)
            w = v[3:]
            rates = [a_ + dot(row, moving) for a_, row in zip(rates, matrix, strict=True)]
            seeds |= _seeded(x, moving[:3])
            seeds |= _seeded(v, [*blocks_sum(a[:3], g), *a[3:]])
            r = _of(trace, side, "r")
            columns = [cross(w, [r[c], r[3 + c], r[6 + c]]) for c in range(3)]
            seeds |= _seeded(r, [columns[c][k] for k in range(3) for c in range(3)])
            half = [trace.graph.constant(Fraction(1, 2)) * e for e in w]
            q = _of(trace, side, "q")
            turning = use(trace, kinematics.carried_quaternion, "rate", q=[trace.graph.constant(0), *half], o=q)["p"]
            seeds |= _seeded(q, turning)
        with trace.computing("d/dt (G q') at q'' = 0", SOURCE):
            found = tangents(trace.graph, rates, seeds, self.model.name)
        trace.write(self.kind, "drift", found, "(d/dt G) q'", "m/s², rad/s²")


def _of(trace: Trace, label: str, name: str) -> Vector:
    size, meaning, unit = OF_BODY[name]
    return trace.read(label, "work", name, size, meaning, unit)


def _seeded(values: Sequence[Scalar], rates: Sequence[Scalar]) -> dict[int, Scalar]:
    return {value.index: rate for value, rate in zip(values, rates, strict=True)}


def tangents(graph: Graph, outputs: Sequence[Scalar], seeds: Mapping[int, Scalar], name: str) -> Vector:
    """The rates of values, by the rates of the inputs in `seeds`; other inputs stand.

    Raises MechanismError for functions that have none here. name: of what is asked.
    """
    found, zero = dict(seeds), graph.constant(0)
    for index in graph.sequence(list(outputs)):
        if index in found:
            continue
        operation = graph.operation(index)
        operands = [graph.scalar(k) for k in graph.operands(index)]
        rates = [found[k.index] for k in operands]
        if all(rate.is_zero for rate in rates):
            found[index] = zero
        else:
            found[index] = _rate(graph, operation, operands, rates, graph.scalar(index), name)
    return [found[value.index] for value in outputs]


def _rate(graph: Graph, operation: str, x: Vector, d: Vector, value: Scalar, name: str) -> Scalar:
    rules = {
        "add": lambda: d[0] + d[1],
        "sub": lambda: d[0] - d[1],
        "mul": lambda: d[0] * x[1] + x[0] * d[1],
        "div": lambda: (d[0] - value * d[1]) / x[1],
        "neg": lambda: -d[0],
        "sqrt": lambda: d[0] / (2 * value),
        "sin": lambda: graph.function("cos", x[0]) * d[0],
        "cos": lambda: -(graph.function("sin", x[0]) * d[0]),
        "exp": lambda: value * d[0],
        "log": lambda: d[0] / x[0],
        "atan2": lambda: (x[1] * d[0] - x[0] * d[1]) / (x[0] * x[0] + x[1] * x[1]),
        "angle": lambda: 2 * (x[1] * d[0] - x[0] * d[1]) / (x[0] * x[0] + x[1] * x[1]),
    }
    if operation not in rules:
        raise MechanismError(f"'{name}': the rate of its function {operation} is not known, which a model would need")
    return rules[operation]()
