"""The kernels of bordered rows: what closes loops of a tree, carried inward by its sweeps to where its two paths meet.

A row that no joint of the tree stands for ties bodies of two branches, and has an impulse y of its own. R: impulses on
a body against y; L: the row by motions of the body, both about the anchor of its joint; S: the row by the impulses. A
joint that is eliminated between a row's bodies and their common ancestor leaves of them

    K_y = E^-1 N1ᵀ R,   S -= L N2 K_y,   f_row -= L N2 q,   R - A N2 K_y and L - L N2 K to the body below

and at the ancestor k, where all of the loop hangs on one body, y itself is eliminated:

    y = S^-1 (f_row - L s_k),   A_k -= R S^-1 L,   W_k -= R S^-1 f_row

Laws between two branches are bordered as well: y = kappa C(z2) s is what their impulses change by, which act along
C(z1)ᵀ, so that R = C(z1)ᵀ, L = kappa C(z2), and S begins with -1. However stiff they are, nothing cancels.

Outward, q -= K_y y before a joint's own increment follows. S = G2 M^-1 G1ᵀ of what the loop's joints leave free is
positive but for terms of the order of the step, so it is factored without a search for pivots, with the guards of
maximal coordinates. Rows of several loops that share joints have blocks S between them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from symvi.kernels import blocks
from symvi.kernels.blocks import Matrix, Vector, cross
from symvi.kernels.body_kernels import BODY
from symvi.kernels.carried_joint import MEANINGS as OF_BODY
from symvi.kernels.carried_joint import OWN, SOURCE, CarriedJoint, blocks_sum, dot_sparse
from symvi.kernels.common import SHARED, single
from symvi.kernels.kernel import Block, Kernel, Port
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.scalar import Scalar

HERE, DOWN, ROW = "here", "down", "row"  # what a row leaves at the body, at the body below, and the row itself
HOLDER = "holder"  # whose record has the gradients of a law
OTHER, OTHER_HERE = "other", "other_here"  # another row, and what it leaves at the same body
PAIR, FIRST, SECOND = "pair", "first_pair", "second_pair"  # the blocks of S between two rows
GUARD = "guard of the factorisation, far below the row's scale"
MEANINGS = {
    "R": ("impulses against those of the rows, about the anchor of the body's joint", "1, m"),
    "L": ("the rows by motions of the body, about that anchor", "1, m"),
    "K_y": ("what impulses of the rows take from the coordinates of the joint", "1/kg, 1/(kg m²)"),
    "LN": ("the rows by the coordinates of the joint", "1, m"),
    "Z": ("what motions of the body take from the impulses of the rows", "kg, kg m"),
    "D": ("block S of the rows, then its factors", "1/kg"),
    "f": ("residual of the rows, then their increments", "m/s, rad/s"),
    "upper": ("block S between two rows, then S^-1 S of the one that goes first", "1/kg"),
    "lower": ("the same, the rows the other way round", "1/kg"),
}


@dataclass(frozen=True)
class Bordered:
    """Rows of one type: the kind of their records, how many, and their gradients by body label.

    right: minus the forces at the first knot, (6, rows). below: the rows at the second knot, (rows, 6).
    holder: of laws, the kind of the records that have these. sent: whether these have a residual: impulses are sent.
    """

    kind: str
    rows: int
    right: Mapping[str, Block]
    below: Mapping[str, Block]
    holder: str = ""
    sent: bool = False

    @property
    def label(self) -> str:
        """The label of the record that has the gradients."""
        return HOLDER if self.holder else ROW

    def at_first(self, trace: Trace) -> tuple[Matrix, Vector | None]:
        """S before any joint leaves something of it; the residual of laws, None for that of rows."""
        m, zero, minus = self.rows, trace.graph.constant(0), trace.graph.constant(-1 if self.holder else 0)
        square = [[minus if r == c else zero for c in range(m)] for r in range(m)]
        return square, [zero] * m if self.holder and not self.sent else None


@dataclass(frozen=True)
class Ends:
    """What a row finds at a body. own: the row's label of the body. carried: whether bodies that it carries leave some.

    begins: whether this is the first of all joints to leave something of the row's S; fresh: the first at the body
    below to leave something there.
    """

    own: str | None
    carried: bool
    begins: bool = False
    fresh: bool = False


def trace_couple(trace: Trace, sizes: tuple[int, int, int], begins: bool, read: Callable[..., Matrix]) -> None:
    """What a joint's elimination leaves between two sets of rows, by how both move and press its coordinates.

    sizes: rows of these, coordinates of the joint, rows of the others. begins: whether nothing is left of it so far.
    read: of a field of what is left, as `dense`.
    """
    own, n, others = sizes
    zero = trace.graph.constant(0)
    for field, rows, columns, ends in (
        ("upper", own, others, (HERE, OTHER_HERE)),
        ("lower", others, own, (OTHER_HERE, HERE)),
    ):
        side, back = read(trace, ends[0], "LN", rows, n), read(trace, ends[1], "K_y", n, columns)
        old = [[zero] * columns for _ in range(rows)] if begins else dense(trace, PAIR, field, rows, columns)
        new = blocks.subtract_product(old, side, back)
        trace.write(PAIR, field, [x for row in new for x in row], *MEANINGS[field])


class Crossing:
    """Traces what bordered rows do at joints of one type, and at the bodies that these carry. kind: of what is left."""

    def __init__(self, records: Records, joint: CarriedJoint, rows: Bordered, kind: str):
        self.records, self.joint, self.rows, self.kind = records, joint, rows, kind

    @property
    def _ports(self) -> tuple[Port, ...]:
        own = Port(self.joint.kind, self.joint.kind), Port(OWN, BODY)
        held = (Port(HOLDER, self.rows.holder),) if self.rows.holder else ()
        return SHARED, *own, Port(ROW, self.rows.kind), *held, Port(HERE, self.kind)

    def _kernel(self, name: str, text: str, build: Callable[[Trace], None], more: Sequence[Port] = ()) -> Kernel:
        return single(self.records, name, text, (*self._ports, *more), self.joint.kind, build)

    # --- blocks -------------------------------------------------------------------------------------------------------
    def right(self, trace: Trace, ends: Ends, at_anchor: bool) -> Matrix:
        """R, row by row: of the body itself, and of what it carries; about the body's anchor, or the joint's point."""
        m = self.rows.rows
        found = dense(trace, HERE, "R", 6, m) if ends.carried else None
        offset = None if at_anchor else self.joint.offset(trace, "1")
        if found is not None and offset is not None:
            with trace.computing("R = [R_x; R_r + d1 x R_x]", SOURCE):
                columns = [[row[k] for row in found] for k in range(m)]
                moved = [[*c[:3], *blocks_sum(c[3:], cross(offset, c[:3]))] for c in columns]
                found = [[column[r] for column in moved] for r in range(6)]
        if ends.own:
            arm = self.joint.arm(trace, "1", at_anchor)
            with trace.computing("R = [G_x; G_r + r1 x G_x] + what it carries", SOURCE):
                block = _entries(trace, self.rows.label, self.rows.right[ends.own])
                columns = [[row[k] for row in block] for k in range(m)]
                moved = [[*c[:3], *blocks_sum(c[3:], cross(arm, c[:3]))] for c in columns]
                own = [[column[r] for column in moved] for r in range(6)]
                found = own if found is None else blocks.add(found, own)
        assert found is not None
        return found

    def left(self, trace: Trace, ends: Ends, at_anchor: bool) -> Matrix:
        """L about the body's anchor, or the joint's point, row by row."""
        found = dense(trace, HERE, "L", self.rows.rows, 6) if ends.carried else None
        offset = None if at_anchor else self.joint.offset(trace, "2")
        if found is not None and offset is not None:
            with trace.computing("L = [L_x, L_r + d2 x L_x]", SOURCE):
                found = [[*row[:3], *blocks_sum(row[3:], cross(offset, row[:3]))] for row in found]
        if ends.own:
            arm = self.joint.arm(trace, "2", at_anchor)
            with trace.computing("L = [G_x, G_r + r2 x G_x] + what it carries", SOURCE):
                block = _entries(trace, self.rows.label, self.rows.below[ends.own])
                own = [[*row[:3], *blocks_sum(row[3:], cross(arm, row[:3]))] for row in block]
                found = own if found is None else blocks.add(found, own)
        assert found is not None
        return found

    # --- at a joint between the row's bodies and their common ancestor ----------------------------------------------
    def cross(self, name: str, ends: Ends, down: str | None) -> Kernel:
        """What the joint's elimination leaves of the rows. down: kind of what is left at the body below; None: of no
        more interest, since the ground is the ancestor."""

        def build(trace: Trace) -> None:
            n = self.joint.link.freedoms
            right, left = self.right(trace, ends, False), self.left(trace, ends, False)
            if n:
                back, side = self._leave(trace, right, left, ends.begins)
                if down is not None:
                    right, left = self._rest(trace, right, left, back, side)
            elif ends.begins:
                square, given = self.rows.at_first(trace)
                trace.write(ROW, "D", [x for row in square for x in row], *MEANINGS["D"])
                if given is not None:
                    trace.write(ROW, "f", given, *MEANINGS["f"])
            if down is not None:
                self._hand_down(trace, right, left, ends.fresh)

        more = () if down is None else (Port(DOWN, down),)
        return self._kernel(name, "K_y = E^-1 N1ᵀ R;  S -= L N2 K_y,  f_row -= L N2 q,  R and L below", build, more)

    def _leave(self, trace: Trace, right: Matrix, left: Matrix, begins: bool) -> tuple[Matrix, Matrix]:
        """K_y and L N2; what they leave of S and of the row's residual is stored."""
        m, free, zero = self.rows.rows, self.joint.link.solved, trace.graph.constant(0)
        back = [[zero] * m for _ in range(self.joint.link.freedoms)]  # what drivers lead gives no row anything
        with trace.computing("K_y = E^-1 N1ᵀ R", SOURCE):
            columns1 = self.joint.columns(trace, "1")
            given = [[dot_sparse(trace, columns1[k], [row[c] for row in right]) for c in range(m)] for k in free]
            for k, row in zip(free, blocks.solve(self.joint.pivot(trace), given) if free else [], strict=True):
                back[k] = row
        with trace.computing("L N2", SOURCE):
            side = [[dot_sparse(trace, row, column) for column in self.joint.columns(trace, "2")] for row in left]
        trace.write(HERE, "K_y", [x for row in back for x in row], *MEANINGS["K_y"])
        trace.write(HERE, "LN", [x for row in side for x in row], *MEANINGS["LN"])
        with trace.computing("S -= L N2 K_y,  f_row -= L N2 q", SOURCE):
            old = self.rows.at_first(trace)[0] if begins else dense(trace, ROW, "D", m, m)
            new = blocks.subtract_product(old, side, back)
            trace.write(ROW, "D", [x for row in new for x in row], *MEANINGS["D"])
            self._lessen_residual(trace, side, begins)
        return back, side

    def _lessen_residual(self, trace: Trace, side: Matrix, begins: bool) -> None:
        given = self.rows.at_first(trace)[1] if begins else None
        f = trace.read(ROW, "work", "f", self.rows.rows, *MEANINGS["f"]) if given is None else given
        trace.write(ROW, "f", blocks.subtract_times(f, side, self.joint.increment(trace)), *MEANINGS["f"])

    def _rest(self, trace: Trace, right: Matrix, left: Matrix, back: Matrix, side: Matrix) -> tuple[Matrix, Matrix]:
        """R - A N2 K_y, L - L N2 K: of rotations that the joint does not pass on, nothing but what its laws do."""
        m, zero, passed = self.rows.rows, trace.graph.constant(0), self.joint.passed
        if self.joint.link.is_absolute:
            right = [*right[:3], *([zero] * m for _ in range(3))]
            left = [[*row[:3], zero, zero, zero] for row in left]
        lift, taken = self.joint.lift(trace), self.joint.back(trace)
        with trace.computing("R - A N2 K_y,  L - L N2 K", SOURCE):
            right = [
                row if r < passed else [zero] * m for r, row in enumerate(blocks.subtract_product(right, lift, back))
            ]
            left = [
                [*row, *[zero] * (6 - passed)]
                for row in blocks.subtract_product([row[:passed] for row in left], side, taken)
            ]
        return right, left

    def _hand_down(self, trace: Trace, right: Matrix, left: Matrix, fresh: bool) -> None:
        """To the body below, about its own anchor."""
        reach1, reach2, m = self.joint.reach(trace, "1"), self.joint.reach(trace, "2"), self.rows.rows
        with trace.computing("R_k += [R_x; R_r + p1 x R_x],  L_k += [L_x, L_r + p2 x L_x]", SOURCE):
            columns = [[row[k] for row in right] for k in range(m)]
            moved = [[*c[:3], *blocks_sum(c[3:], cross(reach1, c[:3]))] for c in columns]
            right = [[column[r] for column in moved] for r in range(6)]
            left = [[*row[:3], *blocks_sum(row[3:], cross(reach2, row[:3]))] for row in left]
            if not fresh:
                right = blocks.add(dense(trace, DOWN, "R", 6, m), right)
                left = blocks.add(dense(trace, DOWN, "L", m, 6), left)
            trace.write(DOWN, "R", [x for row in right for x in row], *MEANINGS["R"])
            trace.write(DOWN, "L", [x for row in left for x in row], *MEANINGS["L"])

    def resolve(self, name: str, begins: bool) -> Kernel | None:
        """Another right-hand side: f_row -= L N2 q. Nothing where the joint leaves nothing free."""
        n = self.joint.link.freedoms
        if not n and not (begins and self.rows.holder and not self.rows.sent):
            return None

        def build(trace: Trace) -> None:
            with trace.computing("f_row -= L N2 q", SOURCE):
                if n:
                    self._lessen_residual(trace, dense(trace, HERE, "LN", self.rows.rows, n), begins)
                elif given := self.rows.at_first(trace)[1]:
                    trace.write(ROW, "f", given, *MEANINGS["f"])

        return self._kernel(name, "f_row -= L N2 q", build)

    def substitute(self, name: str) -> Kernel | None:
        """q -= K_y y, before the joint's own increment follows from q."""
        n = self.joint.link.freedoms
        if not self.joint.link.solved:
            return None

        def build(trace: Trace) -> None:
            with trace.computing("q -= K_y y", SOURCE):
                y = trace.read(ROW, "work", "s", self.rows.rows)
                back = dense(trace, HERE, "K_y", n, self.rows.rows)
                self.joint.set_increment(trace, blocks.subtract_times(self.joint.increment(trace), back, y))

        return self._kernel(name, "q -= K_y y", build)

    def couple(self, name: str, other: Crossing, begins: bool) -> Kernel:
        """What the joint leaves between these rows and others that run through it. Drivers do not lead all of it."""
        sizes = self.rows.rows, self.joint.link.freedoms, other.rows.rows

        def build(trace: Trace) -> None:
            with trace.computing("S_cd -= L_c N2 K_yd,  S_dc -= L_d N2 K_yc", SOURCE):
                trace_couple(trace, sizes, begins, dense)

        more = (Port(OTHER_HERE, other.kind), Port(PAIR, pair_kind(self.rows, other.rows)))
        return self._kernel(name, "S_cd -= L_c N2 K_yd,  S_dc -= L_d N2 K_yc", build, more)

    # --- at the common ancestor ---------------------------------------------------------------------------------------
    def close(self, name: str, ends: Ends) -> Kernel:
        """Eliminate the impulses of the rows into the body on which all of their loop hangs."""

        def build(trace: Trace) -> None:
            factors, f = factored(trace, self.rows)
            right, left = self.right(trace, ends, True), self.left(trace, ends, True)
            if ends.own:
                trace.write(HERE, "R", [x for row in right for x in row], *MEANINGS["R"])
            with trace.computing("A_k -= R S^-1 L,  W_k -= R S^-1 f_row", SOURCE):
                solved = blocks.solve(factors, left)
                trace.write(HERE, "Z", [x for row in solved for x in row], *MEANINGS["Z"])
                carried = trace.read(OWN, "work", "carried", 36, *OF_BODY["carried"])
                new = blocks.subtract_product([carried[6 * r : 6 * r + 6] for r in range(6)], right, solved)
                trace.write(OWN, "carried", [x for row in new for x in row], *OF_BODY["carried"])
                self._lessen_impulses(trace, right, f)

        return self._kernel(name, "y = S^-1 (f_row - L s_k);  A_k -= R S^-1 L,  W_k -= R S^-1 f_row", build)

    def _lessen_impulses(self, trace: Trace, right: Matrix, f: Vector) -> None:
        given = trace.read(OWN, "work", "left", 6, *OF_BODY["left"])
        trace.write(OWN, "left", blocks.subtract_times(given, right, f), *OF_BODY["left"])

    def close_again(self, name: str) -> Kernel:
        """The same with another right-hand side."""

        def build(trace: Trace) -> None:
            f = _solved(trace, self.rows)
            with trace.computing("W_k -= R S^-1 f_row", SOURCE):
                self._lessen_impulses(trace, dense(trace, HERE, "R", 6, self.rows.rows), f)

        return self._kernel(name, "W_k -= R S^-1 f_row", build)

    def open(self, name: str) -> Kernel:
        """The impulses, once the ancestor's increment is known: y = S^-1 f_row - S^-1 L s_k."""
        m = self.rows.rows

        def build(trace: Trace) -> None:
            with trace.computing("y = S^-1 f_row - S^-1 L s_k", SOURCE):
                f = trace.read(ROW, "work", "f", m)
                y = blocks.subtract_times(f, dense(trace, HERE, "Z", m, 6), self.joint.motion(trace))
                trace.write(ROW, "s", y, "solved increment of the impulses")

        return self._kernel(name, "y = S^-1 f_row - S^-1 L s_k", build)

    def close_on(self, name: str, other: Crossing) -> Kernel:
        """What eliminated impulses leave of other rows at their ancestor: R_d -= R S^-1 S_cd, L_d -= S_dc S^-1 L."""
        m, k = self.rows.rows, other.rows.rows

        def build(trace: Trace) -> None:
            with trace.computing("R_d -= R S^-1 S_cd,  L_d -= S_dc S^-1 L", SOURCE):
                right, solved = dense(trace, HERE, "R", 6, m), dense(trace, HERE, "Z", m, 6)
                upper, lower = dense(trace, PAIR, "upper", m, k), dense(trace, PAIR, "lower", k, m)
                for field, rows, columns, left, by in (("R", 6, k, right, upper), ("L", k, 6, lower, solved)):
                    old = dense(trace, OTHER_HERE, field, rows, columns)
                    new = blocks.subtract_product(old, left, by)
                    trace.write(OTHER_HERE, field, [x for row in new for x in row], *MEANINGS[field])

        more = (Port(OTHER_HERE, other.kind), Port(PAIR, pair_kind(self.rows, other.rows)))
        return self._kernel(name, "R_d -= R S^-1 S_cd,  L_d -= S_dc S^-1 L", build, more)


# --- rows among themselves --------------------------------------------------------------------------------------------
def pair_kind(first: Bordered, second: Bordered) -> str:
    """The kind of records with the blocks of S between two rows, of which the first is eliminated first."""
    return f"{first.kind}_and_{second.kind}"


def ground_kernels(records: Records, rows: Bordered) -> dict[str, Kernel]:
    """Rows whose ancestor is the ground: S y = f_row, by phase."""

    def factor(trace: Trace) -> None:
        factored(trace, rows)

    def again(trace: Trace) -> None:
        _solved(trace, rows)

    def take(trace: Trace) -> None:
        trace.write(
            ROW, "s", trace.read(ROW, "work", "f", rows.rows, *MEANINGS["f"]), "solved increment of the impulses"
        )

    ports = (SHARED, Port(ROW, rows.kind))
    texts = {"eliminate": (factor, "S = L U,  f_row := S^-1 f_row"), "resolve": (again, "f_row := S^-1 f_row")}
    texts["substitute"] = (take, "y = S^-1 f_row")
    return {
        phase: single(records, f"{phase}_{rows.kind}", text, ports, ROW, build)
        for phase, (build, text) in texts.items()
    }


def pair_kernels(records: Records, first: Bordered, second: Bordered) -> dict[str, Kernel]:
    """What rows that are eliminated leave of the residual and of the own block of others, by phase."""
    m, k, kind = first.rows, second.rows, pair_kind(first, second)
    ports = (SHARED, Port(ROW, first.kind), Port(OTHER, second.kind), Port(PAIR, kind))

    def lessen(trace: Trace) -> None:
        lower, f = dense(trace, PAIR, "lower", k, m), trace.read(ROW, "work", "f", m)
        trace.write(OTHER, "f", blocks.subtract_times(trace.read(OTHER, "work", "f", k), lower, f))

    def share(trace: Trace) -> None:
        with trace.computing("S_dd -= S_dc S_cc^-1 S_cd,  f_d -= S_dc S_cc^-1 f_c", SOURCE):
            solved = blocks.solve(dense(trace, ROW, "D", m, m), dense(trace, PAIR, "upper", m, k))
            trace.write(PAIR, "upper", [x for row in solved for x in row], *MEANINGS["upper"])
            new = blocks.subtract_product(dense(trace, OTHER, "D", k, k), dense(trace, PAIR, "lower", k, m), solved)
            trace.write(OTHER, "D", [x for row in new for x in row], *MEANINGS["D"])
            lessen(trace)

    def again(trace: Trace) -> None:
        with trace.computing("f_d -= S_dc S_cc^-1 f_c", SOURCE):
            lessen(trace)

    def take(trace: Trace) -> None:
        with trace.computing("f_c -= S_cc^-1 S_cd y_d", SOURCE):
            upper, y = dense(trace, PAIR, "upper", m, k), trace.read(OTHER, "work", "s", k)
            trace.write(ROW, "f", blocks.subtract_times(trace.read(ROW, "work", "f", m), upper, y))

    texts = {
        "eliminate": (share, "S_dd -= S_dc S_cc^-1 S_cd,  f_d -= S_dc S_cc^-1 f_c"),
        "resolve": (again, "f_d -= S_dc S_cc^-1 f_c"),
        "substitute": (take, "f_c -= S_cc^-1 S_cd y_d"),
    }
    return {
        phase: single(records, f"{phase}_{kind}", text, ports, PAIR, build) for phase, (build, text) in texts.items()
    }


def fill_kernel(records: Records, rows: Bordered, first: Bordered, second: Bordered, name: str, begins: bool) -> Kernel:
    """What eliminated rows leave between two others: S_de -= S_dc S_cc^-1 S_ce. begins: whether nothing lay there."""
    m, j, k = rows.rows, first.rows, second.rows
    ports = (
        SHARED,
        Port(FIRST, pair_kind(rows, first)),
        Port(SECOND, pair_kind(rows, second)),
        Port(PAIR, pair_kind(first, second)),
    )

    def build(trace: Trace) -> None:
        zero = trace.graph.constant(0)
        with trace.computing("S_de -= S_dc S_cc^-1 S_ce", SOURCE):
            for field, r, c, (left, right) in (("upper", j, k, (FIRST, SECOND)), ("lower", k, j, (SECOND, FIRST))):
                old = [[zero] * c for _ in range(r)] if begins else dense(trace, PAIR, field, r, c)
                new = blocks.subtract_product(
                    old, dense(trace, left, "lower", r, m), dense(trace, right, "upper", m, c)
                )
                trace.write(PAIR, field, [x for row in new for x in row], *MEANINGS[field])

    return single(records, name, "S_de -= S_dc S_cc^-1 S_ce", ports, PAIR, build)


def factored(trace: Trace, rows: Bordered) -> tuple[Matrix, Vector]:
    """The factors of S, its guard added, and S^-1 f_row; both are stored."""
    m = rows.rows
    matrix = dense(trace, ROW, "D", m, m)
    guard = [] if rows.holder else trace.read(ROW, "parameters", "guard", m, GUARD, "1/kg")
    with trace.computing("S + guard = L U", "far below the rows' scale"):
        if guard:
            matrix = [[x + guard[r] if r == c else x for c, x in enumerate(row)] for r, row in enumerate(matrix)]
        factors = blocks.factor(matrix)
        trace.write(ROW, "D", [x for row in factors for x in row], *MEANINGS["D"])
    return factors, _solved(trace, rows, factors)


def _solved(trace: Trace, rows: Bordered, factors: Matrix | None = None) -> Vector:
    m = rows.rows
    factors = factors or dense(trace, ROW, "D", m, m)
    with trace.computing("f_row := S^-1 f_row", SOURCE):
        f = [row[0] for row in blocks.solve(factors, [[x] for x in trace.read(ROW, "work", "f", m)])]
        trace.write(ROW, "f", f)
    return f


def dense(trace: Trace, label: str, name: str, rows: int, columns: int) -> Matrix:
    values = trace.read(label, "work", name, rows * columns, *MEANINGS[name])
    return [values[columns * r : columns * (r + 1)] for r in range(rows)]


def _entries(trace: Trace, label: str, block: Block) -> Matrix:
    """A block of a row's own record."""
    kind = trace.kind(label)
    sizes = {f.name: f.size for f in trace.records.of(kind, "work")}

    def value(entry) -> Scalar:
        if entry.is_constant:
            return trace.graph.constant(entry.sign)
        return trace.read(label, "work", entry.field, sizes[entry.field])[entry.index] * entry.sign

    return [[value(e) for e in block.entries[block.columns * r : block.columns * (r + 1)]] for r in range(block.rows)]
