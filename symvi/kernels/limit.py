"""The kernels of limits on joint coordinates and of dry friction in joints: inequalities along one row each.

Their law dp = k - kappa du adds G(z1)ᵀ kappa G(z2) to the blocks of the bodies and between them. A joint that is
eliminated with its body takes kappa G(z2) into the slopes along its coordinates, whose gradients G are
(program/null_space.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from symvi.kernels import common
from symvi.kernels.account import SPENT, add, mean_motion
from symvi.kernels.body_kernels import use
from symvi.kernels.common import JOINT, single
from symvi.kernels.constraint import gather_means, slope
from symvi.kernels.inequality import (
    Centring,
    InequalityKernels,
    Pair,
    add_block,
    answered,
    centred,
    dot,
    field,
    first_target,
    memory,
    merit,
    nothing,
    pair_response,
    ports_of,
    put,
    ratio,
    softened,
    solved,
    start_pair,
    stepping,
    stored,
    weigh,
)
from symvi.kernels.kernel import Kernel
from symvi.kernels.knots import Baked, Rows, carry_angles, remember_angles, trace_rows
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics import pairs
from symvi.physics.model import DryFrictionModel, LimitModel
from symvi.scalar import Rate, Scalar

SIDES = {"lower": 1, "upper": -1}
PARTS = {"impulse": "b", "slack": "y", "held": "held"}  # fields of dry friction, by the letters of its formulas
TOTAL = "impulses of the parts of a step so far"
KAPPA = "slopes"  # of all laws along the coordinates of a joint that are solved for
STIFFNESS = {"m": "kg", "rad": "kg m²"}  # impulse per rate of a row, by its unit


class _RowKernels(ABC):
    """What limits and dry friction share: rows along joint coordinates, and impulses along their gradients.

    pairs: of an impulse and a slack. misses: equations that slacks may miss. remembered: impulses kept for a start.
    """

    pairs: int
    misses: int
    remembered: int

    def __init__(self, records: Records, kind: str, model, baked: Baked, backwards: bool, joint: str):
        self.joint = joint
        self.records, self.kind, self.model, self.baked = records, kind, model, baked
        self.moving = [label for label, body in model.bodies.items() if body is not None]
        self.ports = ports_of(kind, self.moving, joint)
        self.first = (self.moving[::-1] if backwards else self.moving)[0]
        self.rows = model.rows
        self.unit = ", ".join(dict.fromkeys(STIFFNESS[unit] for unit in model.row_units))

    def build(self) -> InequalityKernels:
        kernels = dict(self._geometry())
        own = {
            "warm": (self.warm, "start on the central path, near the last impulse and the predicted velocity"),
            "release": (self.release, "no impulse: bodies move freely"),
            "apply_impulse": (self.apply_impulse, "the impulse on both bodies; what the slacks miss"),
            "spread": (self.spread, "the impulse of the step as a force over its time"),
            "push": (self.push_on, "that force on both bodies, for its time before a knot"),
            "soften": (self.soften, "slacks that leave masses something to say"),
            "answer": (
                self.answer,
                "so much more or less that its bodies rest at the knot as they do before and after",
            ),
            "scale": (self.scale, "what the node does with a change of velocity: dp = k - K du"),
            "predict": (self._predict, "where the node is sent if nothing is to be left of complementarity"),
            "right_hand_side": (self._centred, "where the node is sent for this centring"),
            "respond": (self.respond, "increments of the node from those of its bodies"),
            "react": (self.react, "the force along every coordinate"),
            "reset": (self.reset, "no part of the step yet"),
            "gather": (self.gather, "means over the parts of the step so far of the forces"),
            "account": (self.account, "what the node takes"),
            "merit": (merit(self.misses), "add what the slacks miss to the merit"),
            "start_momenta": (self.forget, "no impulses from before a start"),
            "start_momenta_of_chord": (self.forget, "no impulses from before a start"),
            "finish": (self.finish, "remember the impulse for the next start; carry angles on"),
        }
        if self.has_bounds:
            own["bind"] = (self.bind, "impulses of both pairs as the bound has them")
        for phase, (build, summary) in own.items():
            kernels[phase] = single(self.records, f"{phase}_{self.kind}", summary, self.ports, self.kind, build)
        kernels["exact"], kernels["right_hand_side_exact"] = kernels["scale"], kernels["right_hand_side"]
        kernels |= stepping(self.records, self.kind, self.fields(), "the increment")
        linked = len(self.moving) == 2 and not self.joint
        return InequalityKernels(kernels, linked, self.pairs, False, self.misses)

    # --- what they do not share ---------------------------------------------------------------------------------------
    @abstractmethod
    def fields(self) -> list[tuple[str, int]]:
        """What the interior point moves: names, and how many of each."""

    @abstractmethod
    def velocities(self, trace: Trace, rows: Rows) -> None:
        """What slacks are compared with."""

    has_bounds = False  # whether pairs hold a bound between them

    def bind(self, trace: Trace) -> None:
        """The bound that pairs hold between them: only tangents ask for it."""
        raise NotImplementedError("these pairs hold no bound")

    @abstractmethod
    def impulses(self, trace: Trace) -> list[Scalar]:
        """The impulse along every row."""

    @abstractmethod
    def warm(self, trace: Trace) -> None: ...

    @abstractmethod
    def apply_impulse(self, trace: Trace) -> None: ...

    @abstractmethod
    def scale(self, trace: Trace) -> None: ...

    @abstractmethod
    def right_hand_side(self, trace: Trace, centring: Centring) -> None: ...

    @abstractmethod
    def respond(self, trace: Trace) -> None: ...

    @abstractmethod
    def finish(self, trace: Trace) -> None: ...

    # --- what they share ----------------------------------------------------------------------------------------------
    def _geometry(self) -> dict[str, Kernel]:
        trace = Trace(self.records, self.ports, self.kind, f"{self.model.type.replace('_', ' ')}: joint coordinates")
        weigh(trace)
        rows = trace_rows(trace, self.model, self.baked, self.model.groups, self.rows)
        self.gradients = {
            label: trace.block("row1", rows.at1[label], "gradient of the coordinates at the first knot")
            for label in self.moving
        }
        self.second = {
            label: trace.block("row2", rows.at2[label], "gradient of the coordinates at the second knot")
            for label in self.moving
        }
        self.velocities(trace, rows)
        stiffness = trace.read(
            self.kind, "work", "kappa", self.rows, "stiffness of every row", self.unit, rate=Rate.MATRIX
        )
        trace.note("F_jk += G_j(z1)ᵀ kappa G_k(z2)", "the node's own variables eliminated")
        (self._steepen if self.joint else self._tie)(trace, rows, stiffness)
        remember_angles(trace, self.model, self.baked)
        return trace.kernels(self.kind)

    def _tie(self, trace: Trace, rows: Rows, stiffness: Sequence[Scalar]) -> None:
        """Blocks of both bodies and between them."""
        for column in self.moving:
            for row in self.moving:
                at1, at2 = rows.at1[row], rows.at2[column]
                entries = [
                    dot(
                        trace,
                        [at1[k][m] * stiffness[k] for k in range(self.rows)],
                        [at2[k][n] for k in range(self.rows)],
                    )
                    for m in range(6)
                    for n in range(6)
                ]
                add_block(trace, row, column, self.first, entries)

    def _steepen(self, trace: Trace, rows: Rows, stiffness: Sequence[Scalar]) -> None:
        """Slopes along the joint's coordinates, on top of what dampers and other nodes make of them."""
        sizes = {field.name: field.size for field in trace.records.of(self.joint, "work")}
        if KAPPA in sizes:  # coordinates that are solved for themselves
            steeper = [trace.graph.constant(0)] * sizes[KAPPA]
            for k, kappa in zip(self.model.along, stiffness, strict=True):
                steeper[k] = kappa
            trace.add_to(JOINT, KAPPA, steeper, rate=Rate.MATRIX)
            return
        for label in self.moving:
            steeper = [trace.graph.constant(0)] * sizes[slope(label)]
            for k, kappa, row in zip(self.model.along, stiffness, rows.at2[label], strict=True):
                steeper[6 * k : 6 * k + 6] = [kappa * entry for entry in row]
            trace.add_to(JOINT, slope(label), steeper, rate=Rate.MATRIX)

    def _predict(self, trace: Trace) -> None:
        self.right_hand_side(trace, nothing(trace))

    def _centred(self, trace: Trace) -> None:
        self.right_hand_side(trace, centred(trace))

    def release(self, trace: Trace) -> None:
        trace.write(self.kind, "kappa", [trace.graph.constant(0)] * self.rows)

    def push(self, trace: Trace, impulses: Sequence[Scalar]) -> None:
        """f_body -= G(z1)ᵀ impulses."""
        trace.note("f_body -= G(z1)ᵀ impulse", "BSMH23 (24a)")
        for label in self.moving:
            rows = stored(trace, self.gradients[label])
            pushed = [-dot(trace, [row[m] for row in rows], impulses) for m in range(6)]
            trace.add_to(label, "f", pushed, rate=Rate.ITERATION)

    def forget(self, trace: Trace) -> None:
        trace.write(self.kind, "last_impulse", [trace.graph.constant(0)] * self.remembered, store="state")

    def account(self, trace: Trace) -> None:
        """Impulses between two steps work along the mean of both steps' rates, by the gradient where they act."""
        trace.note("spent -= impulse·G(z1) (v_- + v_+)/2", "the power of impulses")
        rates = self._rates(trace, mean_motion, self.gradients)
        add(trace, SPENT, -dot(trace, self.impulses(trace), rates))

    def react(self, trace: Trace) -> None:
        time = common.impulse(trace)
        trace.write(
            self.kind, "shown", [x / time for x in self.impulses(trace)], "force along the coordinates", "N, N m"
        )

    def reset(self, trace: Trace) -> None:
        trace.write(self.kind, "total", [trace.graph.constant(0)] * self.rows, TOTAL, "N s, N m s")

    def gather(self, trace: Trace) -> None:
        gather_means(trace, "shown", "total", range(self.rows))

    def changes(self, trace: Trace) -> list[Scalar]:
        """du of every row from the bodies' solved increments."""
        return [-x for x in self._rates(trace, solved)]

    def _rates(self, trace: Trace, motion, gradients=None) -> list[Scalar]:
        """Rates of the rows by a motion of the bodies, label -> six velocities; by gradients at the second knot."""
        total = [trace.graph.constant(0)] * self.rows
        for label in self.moving:
            rows = stored(trace, (gradients or self.second)[label])
            total = [a + dot(trace, row, motion(trace, label)) for a, row in zip(total, rows, strict=True)]
        return total

    def spread(self, trace: Trace) -> None:
        time = common.impulse(trace)
        values = [x / time for x in self.impulses(trace)]
        trace.write(self.kind, "force", values, "over the step, along the coordinates", "N, N m")

    def push_on(self, trace: Trace) -> None:
        time = common.impulse(trace)
        self.push(trace, [time * x for x in trace.read(self.kind, "work", "force", self.rows)])

    def soften(self, trace: Trace) -> None:
        each = self.pairs // self.rows
        softened(trace, "impulse", "slack", [self.size(trace, n // each) for n in range(self.pairs)])

    def answer(self, trace: Trace) -> None:
        forces, stiffness = (trace.read(self.kind, "work", name, self.rows) for name in ("force", "kappa"))
        changes = [-kappa * du for kappa, du in zip(stiffness, self.changes(trace), strict=True)]
        trace.write(self.kind, "force", answered(trace, forces, changes))

    def numbers(self, trace: Trace, name: str) -> list[Scalar]:
        p = self.model.parameters[name]
        return trace.read(self.kind, "parameters", name, len(p.values), p.meaning, p.unit)

    def size(self, trace: Trace, row: int = 0) -> Scalar:
        """Impulse per velocity where a row's variables start: a mass, or that mass at the mechanism's own size."""
        scale = ratio(trace)
        if self.model.row_units[row] == "m":
            return scale
        extent = trace.read(common.COMMON, "parameters", "extent")[0]
        return scale * (extent * extent)


class _LimitKernels(_RowKernels):
    def __init__(self, records: Records, kind: str, model: LimitModel, baked: Baked, backwards: bool, joint: str):
        super().__init__(records, kind, model, baked, backwards, joint)
        self.sides = [side for side in SIDES if side in model.parameters]
        self.pairs = self.misses = self.remembered = len(self.sides)

    def fields(self) -> list[tuple[str, int]]:
        return [("impulse", self.pairs), ("slack", self.pairs)]

    def velocities(self, trace: Trace, rows: Rows) -> None:
        found, rooms = [], []
        for side in self.sides:
            bound, sign = self.numbers(trace, side)[0], SIDES[side]
            room = (rows.first[0] - bound) * sign
            rooms.append(room)
            found.append(common.inverse_step(trace) * room + rows.rates[0] * sign)
        trace.note("u = (c(z2) - lower)/h, (upper - c(z2))/h", "a gap along a joint coordinate")
        trace.write(self.kind, "room", rooms, "room left at the first knot", self.model.row_units[0], rate=Rate.STEP)
        trace.write(self.kind, "un", found, "rates that use up the room", f"{self.model.row_units[0]}/s")

    def signs(self) -> list[int]:
        return [SIDES[side] for side in self.sides]

    def warm(self, trace: Trace) -> None:
        n, zero = self.pairs, [trace.graph.constant(0)] * self.pairs
        last = trace.read(self.kind, "state", "last_impulse", n, "impulses of the last step", "N s, N m s")
        un = trace.read(self.kind, "work", "un", n)
        starts = [start_pair(trace, memory(trace) * p, u, self.size(trace)) for p, u in zip(last, un, strict=True)]
        put(trace, "impulse", [p for p, _ in starts])
        put(trace, "slack", [s for _, s in starts])
        put(trace, "d_impulse", zero)
        put(trace, "d_slack", zero)

    def apply_impulse(self, trace: Trace) -> None:
        un, s = trace.read(self.kind, "work", "un", self.pairs), field(trace, "slack", self.pairs)
        put(trace, "miss", [u - x for u, x in zip(un, s, strict=True)])
        self.push(trace, [self._net(trace, field(trace, "impulse", self.pairs))])

    def impulses(self, trace: Trace) -> list[Scalar]:
        return [self._net(trace, field(trace, "impulse", self.pairs))]

    def _net(self, trace: Trace, values: Sequence[Scalar]) -> Scalar:
        return dot(trace, values, [trace.graph.constant(sign) for sign in self.signs()])

    def scale(self, trace: Trace) -> None:
        laws = [law for side in range(self.pairs) for law in Pair(side, self.pairs).law(trace)]
        trace.write(self.kind, "laws", laws, "stiffness of every side", self.unit)
        trace.write(self.kind, "kappa", [dot(trace, laws, [trace.graph.constant(1)] * self.pairs)])

    def right_hand_side(self, trace: Trace, centring: Centring) -> None:
        laws, miss = trace.read(self.kind, "work", "laws", self.pairs), field(trace, "miss", self.pairs)
        k = [Pair(n, self.pairs).right_hand_side(trace, centring, laws[n], miss[n]) for n in range(self.pairs)]
        trace.write(self.kind, "k", k, "where impulses are sent if velocities stay", "N s, N m s")
        self.push(trace, [self._net(trace, k)])

    def respond(self, trace: Trace) -> None:
        change = self.changes(trace)[0]
        k, laws = (trace.read(self.kind, "work", name, self.pairs) for name in ("k", "laws"))
        values = zip(k, laws, field(trace, "miss", self.pairs), self.signs(), strict=True)
        moved = [pair_response(trace, a, law, m, change * sign) for a, law, m, sign in values]
        put(trace, "d_impulse", [d_gamma for d_gamma, _ in moved])
        put(trace, "d_slack", [ds for _, ds in moved])

    def finish(self, trace: Trace) -> None:
        trace.write(self.kind, "last_impulse", field(trace, "impulse", self.pairs), store="state")
        carry_angles(trace, self.model)


class _DryFrictionKernels(_RowKernels):
    """Impulses lambda between -L and L, with pairs (L - lambda, y1) and (L + lambda, y2), y2 - y1 the row's rate."""

    has_bounds = True

    def __init__(self, records: Records, kind: str, model: DryFrictionModel, baked: Baked, backwards: bool, joint: str):
        super().__init__(records, kind, model, baked, backwards, joint)
        self.pairs, self.misses, self.remembered = 2 * self.rows, self.rows, self.rows

    def fields(self) -> list[tuple[str, int]]:
        return [("impulse", self.pairs), ("slack", self.pairs), ("held", self.rows)]

    def velocities(self, trace: Trace, rows: Rows) -> None:
        trace.note("u = (c(z2) - c(z1))/h", "the rate that dry friction works against")
        trace.write(self.kind, "un", rows.rates, "rates of the coordinates", f"{self.model.row_units[0]}/s")
        time = common.impulse(trace)
        bounds = [time * b for b in self.numbers(trace, "bound")]
        trace.write(self.kind, "most", bounds, "largest impulse of every row", "N s, N m s", rate=Rate.STEP)

    def impulses(self, trace: Trace) -> list[Scalar]:
        return field(trace, "held", self.rows)

    def _split(self, values: Sequence[Scalar]) -> list[tuple[Scalar, Scalar]]:
        return [(values[2 * i], values[2 * i + 1]) for i in range(self.rows)]

    def warm(self, trace: Trace) -> None:
        last = trace.read(self.kind, "state", "last_impulse", self.rows, "impulses of the last step", "N s, N m s")
        un = trace.read(self.kind, "work", "un", self.rows)
        most = trace.read(self.kind, "work", "most", self.rows)
        starts = []
        for row, (p, u, bound) in enumerate(zip(last, un, most, strict=True)):
            size = self.size(trace, row)
            t, mu = memory(trace) * p - size * u, first_target(trace)
            starts.append(use(trace, pairs.bounded_on_path, t=[t], most=[bound], mu=[mu], r=[size]))
        for name, part in PARTS.items():
            values = [value for start in starts for value in start[part]]
            put(trace, name, values)
            put(trace, f"d_{name}", [trace.graph.constant(0)] * len(values))

    def apply_impulse(self, trace: Trace) -> None:
        un = trace.read(self.kind, "work", "un", self.rows)
        slacks = self._split(field(trace, "slack", self.pairs))
        put(trace, "miss", [u - (y2 - y1) for u, (y1, y2) in zip(un, slacks, strict=True)])
        self.push(trace, field(trace, "held", self.rows))

    def scale(self, trace: Trace) -> None:
        laws = [use(trace, pairs.bounded_law, **self._row(trace, row))["kappa"][0] for row in range(self.rows)]
        trace.write(self.kind, "kappa", laws)

    def bind(self, trace: Trace) -> None:
        """L - lambda and L + lambda, whose sum every increment keeps: no residual tells how they move with L."""
        most, held = trace.read(self.kind, "work", "most", self.rows), field(trace, "held", self.rows)
        pairs_of = [(bound - p, bound + p) for bound, p in zip(most, held, strict=True)]
        put(trace, "impulse", [value for pair in pairs_of for value in pair])

    def _row(self, trace: Trace, row: int, prefix: str = "") -> dict[str, list[Scalar]]:
        """Impulses and slacks of both pairs of a row; prefix: of their affine increments."""
        fields = {"b": f"{prefix}impulse", "y": f"{prefix}slack"}
        return {letter: field(trace, name, self.pairs)[2 * row : 2 * row + 2] for letter, name in fields.items()}

    def _affine(self, trace: Trace, row: int, centring: Centring) -> dict[str, list[Scalar]]:
        if centring.is_nothing:
            return {"db": [centring.mu] * 2, "dy": [centring.mu] * 2}
        return {f"d{letter}": values for letter, values in self._row(trace, row, "d_").items()}

    def right_hand_side(self, trace: Trace, centring: Centring) -> None:
        kappa, miss = trace.read(self.kind, "work", "kappa", self.rows), field(trace, "miss", self.rows)
        found = [
            use(
                trace,
                pairs.bounded_aim,
                **self._row(trace, row),
                **self._affine(trace, row, centring),
                mu=[centring.mu],
                second=[centring.second],
                kappa=[kappa[row]],
                miss=[miss[row]],
            )
            for row in range(self.rows)
        ]
        k, sent = ([value for row in found for value in row[name]] for name in ("k", "sent"))
        trace.write(self.kind, "k", k, "where impulses are sent if velocities stay", "N s, N m s")
        trace.write(self.kind, "sent", sent, "changes of the slacks while impulses stay")
        self.push(trace, k)

    def respond(self, trace: Trace) -> None:
        k, kappa = trace.read(self.kind, "work", "k", self.rows), trace.read(self.kind, "work", "kappa", self.rows)
        sent, changes = self._split(trace.read(self.kind, "work", "sent", self.pairs)), self.changes(trace)
        moved = [
            use(
                trace,
                pairs.bounded_response,
                **self._row(trace, row),
                k=[k[row]],
                kappa=[kappa[row]],
                sent=sent[row],
                du=[changes[row]],
            )
            for row in range(self.rows)
        ]
        for name, part in (("impulse", "db"), ("slack", "dy"), ("held", "held")):
            put(trace, f"d_{name}", [value for row in moved for value in row[part]])

    def finish(self, trace: Trace) -> None:
        trace.write(self.kind, "last_impulse", field(trace, "held", self.rows), store="state")
        carry_angles(trace, self.model)


def limit_kernels(
    records: Records, kind: str, model: LimitModel, baked: Baked, backwards: bool = False, joint: str = ""
) -> InequalityKernels:
    """Every kernel of one type of limit. Ports as for contacts; joint: the type of the joint that takes its law."""
    return _LimitKernels(records, kind, model, baked, backwards, joint).build()


def dry_friction_kernels(
    records: Records, kind: str, model: DryFrictionModel, baked: Baked, backwards: bool = False, joint: str = ""
) -> InequalityKernels:
    """Every kernel of one type of dry joint friction. Ports and joint as for limits."""
    return _DryFrictionKernels(records, kind, model, baked, backwards, joint).build()
