"""The kernels of bordered rows under a quadrature rule: as in border.py, all points and nodes in a block.

R: what impulses y of the rows make of the wrenches at the points below a joint; G: of those at the nodes, the gradients
themselves; L: the rows by motions at the points. Coordinates that are eliminated one by one leave of them

    K_y = E^-1 (Lᵀ_side R + Sᵀ G),   S -= L N K_y,   f_row -= L N s0,   R - A N K_y and L - L N K to the body below

and at the common ancestor, where G is zero, as a row does not tell where all of its loop is,

    y = S^-1 (f_row - L [eta; nu]),   A -= R S^-1 L,   z += R S^-1 f_row

Slopes of the gradients at inner nodes are left out: of rules with such nodes the direction is one of quasi-Newton in
that term alone, and exact of all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symvi.kernels import blocks, common
from symvi.kernels.blocks import Matrix, Vector
from symvi.kernels.body_kernels import BODY
from symvi.kernels.border import (
    DOWN,
    HERE,
    MEANINGS,
    OTHER_HERE,
    PAIR,
    ROW,
    Bordered,
    Ends,
    dense,
    factored,
    pair_kind,
    trace_couple,
)
from symvi.kernels.carried_joint import OWN, scaled
from symvi.kernels.common import SHARED, single
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.rule_inward import RuleInward, product
from symvi.kernels.rule_joint import in_rows
from symvi.kernels.rule_rows import GRADIENT, SOURCE, gradient
from symvi.kernels.tracing import Trace

OWN_MEANINGS = {
    "press": ("gradients of the rows about the origin at the nodes of impulses, of all below", "1, m"),
    "R": ("momenta and forces at the points by impulses of the rows", "1, m"),
    "L": ("the rows by motions at the points", "1, m"),
    "K_y": ("what impulses of the rows take from the coordinates of the joint", "1/kg, 1/(kg m²)"),
    "LN": ("the rows by the coordinates of the joint", "1, m"),
    "Z": ("what motions of the body take from the impulses of the rows", "kg, kg m"),
}


class RuleCrossing:
    """Traces what bordered rows do at joints of one type, and at the bodies that these carry. kind: of what is left."""

    def __init__(self, inward: RuleInward, rows: Bordered, kind: str):
        self.inward, self.own, self.points = inward, inward.own, inward.points
        self.rows, self.kind = rows, kind
        self.count = rows.rows // self.points.degree  # rows of a node
        self.unknowns = self.own.link.freedoms * self.points.degree

    def _kernel(self, name: str, text: str, build: Callable[[Trace], None], more: Sequence[Port] = ()) -> Kernel:
        kind = self.own.kind
        ports = SHARED, Port(kind, kind), Port(OWN, BODY), Port(ROW, self.rows.kind), Port(HERE, self.kind), *more
        return single(self.own.joint.records, name, text, ports, kind, build)

    def _dense(self, trace: Trace, label: str, name: str, rows: int, columns: int) -> Matrix:
        return in_rows(trace.read(label, "work", name, rows * columns, *OWN_MEANINGS[name]), columns)

    @staticmethod
    def _store(trace: Trace, label: str, name: str, matrix: Matrix) -> None:
        if matrix:
            trace.write(label, name, [x for row in matrix for x in row], *OWN_MEANINGS[name])

    # --- blocks -------------------------------------------------------------------------------------------------------
    def press(self, trace: Trace, ends: Ends) -> Matrix:
        """G, a row for each impulse: of the body itself, and of what it carries."""
        found = self._dense(trace, HERE, "press", self.rows.rows, 6) if ends.carried else None
        if ends.own:
            own = [row for node in self.points.pressed for row in self._gradient(trace, ends.own, node)]
            found = own if found is None else blocks.add(found, own)
        assert found is not None
        return found

    def _gradient(self, trace: Trace, label: str, node: int) -> Matrix:
        size = 6 * self.count
        values = trace.read(ROW, "work", gradient(label), size * (self.points.degree + 1), *GRADIENT)
        return in_rows(values[size * node : size * (node + 1)], 6)

    def right(self, trace: Trace, ends: Ends) -> Matrix:
        """R, row by row: what eliminated joints have left."""
        if ends.carried:
            return self._dense(trace, HERE, "R", self.inward.height, self.rows.rows)
        return [[trace.graph.constant(0)] * self.rows.rows for _ in range(self.inward.height)]

    def left(self, trace: Trace, ends: Ends) -> Matrix:
        """L, row by row."""
        zero = [trace.graph.constant(0)] * 6
        found = self._dense(trace, HERE, "L", self.rows.rows, self.inward.size) if ends.carried else None
        if ends.own:
            own, inverse = [], common.inverse_step(trace)
            for node in self.points.held:
                for row in self._gradient(trace, ends.own, node):
                    row = scaled(row, inverse)
                    parts = [
                        row if part.kind == "place" and part.number == self.points.at_node(node) else zero
                        for part in self.points.motions
                    ]
                    own.append([x for part in parts for x in part])
            found = own if found is None else blocks.add(found, own)
        assert found is not None
        return found

    # --- at a joint between the row's bodies and their common ancestor ----------------------------------------------
    def cross(self, name: str, ends: Ends, down: str | None) -> Kernel:
        """What the joint's elimination leaves of the rows. down: kind of what is left at the body below; None: of no
        more interest, since the ground is the ancestor."""

        def build(trace: Trace) -> None:
            press, right, left = self.press(trace, ends), self.right(trace, ends), self.left(trace, ends)
            if self.own.link.freedoms:
                right, left = self._leave(trace, (press, right, left), ends.begins, down is not None)
            elif ends.begins:
                self._put_square(trace, self.rows.at_first(trace)[0])
            if down is not None:
                self._hand_down(trace, (press, right, left), ends.fresh)

        more = () if down is None else (Port(DOWN, down),)
        return self._kernel(name, "K_y = E^-1 (Lᵀ R + Sᵀ G);  S -= L N K_y,  f_row -= L N s0", build, more)

    def _put_square(self, trace: Trace, square: Matrix) -> None:
        trace.write(ROW, "D", [x for row in square for x in row], *MEANINGS["D"])

    def _leave(
        self, trace: Trace, given: tuple[Matrix, Matrix, Matrix], begins: bool, on: bool
    ) -> tuple[Matrix, Matrix]:
        """R and L without the coordinates; what these leave of S and of the residual is stored. on: whether anybody
        reads R and L."""
        press, right, left = given
        own, points, s, n = self.own, self.points, self.points.degree, self.own.link.freedoms
        m, height, size = self.rows.rows, self.inward.height, self.inward.size
        square = self.rows.at_first(trace)[0] if begins else dense(trace, ROW, "D", m, m)
        f = trace.read(ROW, "work", "f", m, *MEANINGS["f"])
        twists, start = own.axes(trace), own.nodes(trace, "increment")
        pivots = in_rows(own.get(trace, "nodes_pivot", n * s * s), s)
        kept = [k for k in range(n) if own.link.below or k > 0]
        backs = in_rows(own.get(trace, "nodes_back", len(kept) * s * size), size)
        lifts = in_rows(own.get(trace, "nodes_lift", len(kept) * height * s), s)
        found: list[Matrix] = [[] for _ in range(n)]
        sides: list[Matrix] = [[] for _ in range(n)]
        for k in reversed(range(n)):
            with trace.computing("K_y = E^-1 (Lᵀ R + Sᵀ G)", SOURCE):
                pushed = [
                    [self._by_impulse(trace, c, node, twists[k], press) for c in range(m)] for node in points.rows
                ]
                side = self.inward.sides(trace, twists[k])
                columns = blocks.transposed(right)
                pushed = [
                    [x + product(side[node], columns[c], trace) for c, x in enumerate(row)]
                    for row, node in zip(pushed, points.rows, strict=True)
                ]
                found[k] = blocks.solve(pivots[s * k : s * (k + 1)], pushed)
            steps = self.inward.steps(trace, twists[k])
            with trace.computing("L N,  S -= L N K_y,  f_row -= L N s0", SOURCE):
                sides[k] = [[product(row, column, trace) for column in steps] for row in left]
                square = blocks.subtract_product(square, sides[k], found[k])
                f = blocks.subtract_times(f, sides[k], start[k])
            if k in kept and (on or k > 0):
                i = kept.index(k)
                with trace.computing("R - A N K_y,  L - L N K", SOURCE):
                    lift = lifts[height * i : height * (i + 1)]
                    right = blocks.subtract_product(right, lift, found[k])
                    left = blocks.subtract_product(left, sides[k], backs[s * i : s * (i + 1)])
        self._store(trace, HERE, "K_y", [row for rows in found for row in rows])
        self._store(trace, HERE, "LN", [[x for rows in sides for x in rows[r]] for r in range(m)])
        self._put_square(trace, square)
        trace.write(ROW, "f", f, *MEANINGS["f"])
        return right, left

    def _by_impulse(self, trace: Trace, impulse: int, node: int, twists, press: Matrix):
        """Sᵀ G of an impulse, in the equation of its own node."""
        at = self.points.pressed[impulse // self.count]
        if at != node:
            return trace.graph.constant(0)
        return product(twists[self.points.at_node(node)][0], press[impulse], trace)

    def _hand_down(self, trace: Trace, given: tuple[Matrix, Matrix, Matrix], fresh: bool) -> None:
        sizes = (self.rows.rows, 6), (self.inward.height, self.rows.rows), (self.rows.rows, self.inward.size)
        for name, matrix, (rows, columns) in zip(("press", "R", "L"), given, sizes, strict=True):
            with trace.computing("sums of all that the body below carries", SOURCE):
                new = matrix if fresh else blocks.add(self._dense(trace, DOWN, name, rows, columns), matrix)
            self._store(trace, DOWN, name, new)

    def resolve(self, name: str, begins: bool) -> Kernel | None:
        """Every iteration has slopes of its own."""
        return None

    def substitute(self, name: str) -> Kernel | None:
        """s0 -= K_y y, before the joint's own increment follows from it."""
        if not self.unknowns:
            return None

        def build(trace: Trace) -> None:
            with trace.computing("s0 -= K_y y", SOURCE):
                y = trace.read(ROW, "work", "s", self.rows.rows)
                back = self._dense(trace, HERE, "K_y", self.unknowns, self.rows.rows)
                start = self.own.get(trace, "increment", self.unknowns)
                self.own.put(trace, "increment", blocks.subtract_times(start, back, y))

        return self._kernel(name, "s0 -= K_y y", build)

    def couple(self, name: str, other: RuleCrossing, begins: bool) -> Kernel:
        """What the joint leaves between these rows and others that run through it."""
        sizes = self.rows.rows, self.unknowns, other.rows.rows

        def build(trace: Trace) -> None:
            with trace.computing("S_cd -= L_c N K_yd,  S_dc -= L_d N K_yc", SOURCE):
                trace_couple(trace, sizes, begins, self._dense)

        more = (Port(OTHER_HERE, other.kind), Port(PAIR, pair_kind(self.rows, other.rows)))
        return self._kernel(name, "S_cd -= L_c N K_yd,  S_dc -= L_d N K_yc", build, more)

    # --- at the common ancestor ---------------------------------------------------------------------------------------
    def close(self, name: str, ends: Ends) -> Kernel:
        """Eliminate the impulses of the rows into the body on which all of their loop hangs."""
        height, size = self.inward.height, self.inward.size

        def build(trace: Trace) -> None:
            factors, f = factored(trace, self.rows)
            right, left = self.right(trace, ends), self.left(trace, ends)
            with trace.computing("A -= R S^-1 L,  z += R S^-1 f_row", SOURCE):
                solved = blocks.solve(factors, left)
                self._store(trace, HERE, "Z", solved)
                carried = in_rows(self.own.of(trace, OWN, "points_carried", height * size), size)
                new = blocks.subtract_product(carried, right, solved)
                self.own.write(trace, OWN, "points_carried", [x for row in new for x in row])
                z = self.own.of(trace, OWN, "points_left", height)
                self.own.write(trace, OWN, "points_left", self._plus(trace, z, right, f))

        return self._kernel(name, "y = S^-1 (f_row - L m);  A -= R S^-1 L,  z += R S^-1 f_row", build)

    @staticmethod
    def _plus(trace: Trace, z: Vector, right: Matrix, f: Vector) -> Vector:
        return [x + product(row, f, trace) for x, row in zip(z, right, strict=True)]

    def close_again(self, name: str) -> Kernel | None:
        """Every iteration has slopes of its own."""
        return None

    def open(self, name: str) -> Kernel:
        """The impulses, once the ancestor's motion is known: y = S^-1 f_row - S^-1 L m."""
        m, size = self.rows.rows, self.inward.size

        def build(trace: Trace) -> None:
            with trace.computing("y = S^-1 f_row - S^-1 L m", SOURCE):
                f, motion = trace.read(ROW, "work", "f", m), self.own.of(trace, OWN, "points_motion", size)
                y = blocks.subtract_times(f, self._dense(trace, HERE, "Z", m, size), motion)
                trace.write(ROW, "s", y, "solved increment of the impulses")

        return self._kernel(name, "y = S^-1 f_row - S^-1 L m", build)

    def close_on(self, name: str, other: RuleCrossing) -> Kernel:
        """What eliminated impulses leave of other rows at their ancestor: R_d -= R S^-1 S_cd, L_d -= S_dc S^-1 L."""
        m, k, height, size = self.rows.rows, other.rows.rows, self.inward.height, self.inward.size

        def build(trace: Trace) -> None:
            with trace.computing("R_d -= R S^-1 S_cd,  L_d -= S_dc S^-1 L", SOURCE):
                right, solved = self._dense(trace, HERE, "R", height, m), self._dense(trace, HERE, "Z", m, size)
                upper, lower = dense(trace, PAIR, "upper", m, k), dense(trace, PAIR, "lower", k, m)
                for field, rows, columns, left, by in (("R", height, k, right, upper), ("L", k, size, lower, solved)):
                    old = self._dense(trace, OTHER_HERE, field, rows, columns)
                    self._store(trace, OTHER_HERE, field, blocks.subtract_product(old, left, by))

        more = (Port(OTHER_HERE, other.kind), Port(PAIR, pair_kind(self.rows, other.rows)))
        return self._kernel(name, "R_d -= R S^-1 S_cd,  L_d -= S_dc S^-1 L", build, more)
