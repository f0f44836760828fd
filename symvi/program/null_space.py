"""A body and the joint that carries it, eliminated together: the joint's rows are pivots of the body's velocities.

Where the rows are solved for what they hold of the body's motion, its free motion along the joint is left,

    s_b = X s_a + P f_j + N q,        G_b N = 0,  G_b P = 1,  G_b X = -G_a    at the second knot,

with X the motion that the body above passes on. The same matrices N', P', X' of the rows at the first knot, along
which the joint's impulses act, take these out of the balances: N' leaves the free motion's own equation, X' carries the
rest to the body above, and P' gives back the impulses,

    E q = N'ᵀ (f_b - D P f_j) - N'ᵀ D X s_a,                             E = N'ᵀ D N
    D_a += X'ᵀ (D - D N E^-1 N'ᵀ D) X,    f_a += X'ᵀ (f_b - D P f_j - D N q)    with the q of s_a = 0
    s_j = P'ᵀ (D s_b - f_b).

It is still an unpivoted factorisation of the papers' matrix, in another order of pivots, and leaves the same in the
body above; but neither D nor the joint's block is factored, and a joint with one free motion divides once. Dampers,
limits and dry friction along the joint add Bᵀ k to the blocks of both bodies (B: their directions on a body at the
first knot, k: the sum of the slopes of their impulses). They fill in nothing:

    E += N'ᵀ B_bᵀ k_b N,    N'ᵀ D P += N'ᵀ B_bᵀ k_b P,    N'ᵀ D X += N'ᵀ B_bᵀ (k_b X + k_a),
    D_a += L (k_b (X - N E^-1 N'ᵀ D X) + k_a),    f_a -= L k_b (P f_j + N q),

where L = B_aᵀ + X'ᵀ B_bᵀ vanishes for torques, and for a force as soon as its joint is closed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from symvi.kernels import blocks
from symvi.kernels.blocks import Matrix, Vector, product, times, transposed
from symvi.kernels.constraint import Damping
from symvi.kernels.kernel import Block, Location
from symvi.kernels.tracing import Trace
from symvi.program.motion_split import Held
from symvi.program.program import Call
from symvi.scalar import Rate, Scalar

if TYPE_CHECKING:
    from symvi.program.block_elimination import Elimination

SOURCE = "derived here"
SECOND, FIRST = "at the second knot", "at the first knot"
MEANINGS = {
    "held": "P f_j, the motion that the rows ask for",
    "free": "free motion q while the body above stays",
    "back": "E^-1 N'ᵀ D X, what the body above takes from the free motion",
    "pivot": "factors of E, the pivot of the free motion",
    "lift": "D N, row by row",
    "drag": "D P f_j",
    "pull": "N'ᵀ D P f_j",
}


class Carried:
    """The kernels that eliminate a body together with the joint that carries it, and those that find both again.

    Ports: i the body, j the joint, k the body above; none where the joint ties the body to the world.
    """

    def __init__(self, elimination: Elimination, body: int, joint: int):
        self.elimination, self.i, self.j = elimination, body, joint
        self.filled, self.block_records = elimination.filled, elimination.records
        self.above = self.filled.later[joint]
        self.labels = {body: "i", joint: "j"} | dict.fromkeys(self.above, "k")

    # --- calls --------------------------------------------------------------------------------------------------------
    def eliminate(self) -> Call:
        summary = "D_a += X'ᵀ (D - D N E^-1 N'ᵀ D) X;  f_a += X'ᵀ (f_b - D P f_j - D N q)"
        return self._call("eliminate", "into", self._eliminate, summary, f"eliminate {self._names()}{self._into()}")

    def resolve(self) -> Call:
        summary = "E q = N'ᵀ (f_b - D P f_j);  f_a += X'ᵀ (f_b - D P f_j - D N q)"
        comment = f"{self._names()}{self._into()}, another right-hand side"
        return self._call("resolve", "into", self._resolve, summary, comment)

    def substitute(self) -> Call:
        summary = "s_b = X s_a + P f_j + N q;  s_j = P'ᵀ (D s_b - f_b)"
        return self._call("substitute", "from", self._substitute, summary, f"solve for {self._names()}")

    def _names(self) -> str:
        nodes = self.filled.matrix.nodes
        return f"{nodes[self.i].name} and {nodes[self.j].name}"

    def _into(self) -> str:
        return "".join(f" into {self.filled.matrix.nodes[k].name}" for k in self.above)

    def _call(self, verb: str, link: str, build, summary: str, comment: str) -> Call:
        kinds = [self.filled.kind(node) for node in self.labels]
        name = "_".join([verb, kinds[0], "and", kinds[1], *(f"{link}_{kind}" for kind in kinds[2:])])
        ties = tuple(self.filled.tie(node, self.j).tag for node in (self.i, *self.above))
        touched = tuple((node, node) in self.block_records.touched for node in (self.i, *self.above))
        ports = [(label, self.filled.matrix.nodes[node]) for node, label in self.labels.items()]
        return self.elimination.call((verb, "carried", *kinds, ties, touched), name, ports, build, comment, summary)

    # --- kernels ------------------------------------------------------------------------------------------------------
    def _eliminate(self, trace: Trace) -> None:
        joint = _Joint(self, trace)
        d, f = joint.matrix, trace.read("i", "work", "f", 6)
        held, columns = joint.held(), joint.motions
        with trace.computing("E = N'ᵀ D N", SOURCE):
            left = trace.matrix("ND", product(joint.given, d))
            pivot = product(left, columns)
        with trace.computing("N'ᵀ D P f_j", SOURCE):
            pull = times(left, held)
        if joint.damped:
            with trace.computing("E += N'ᵀ B_bᵀ k_b N,  N'ᵀ D P += N'ᵀ B_bᵀ k_b P", SOURCE):
                slowed = product(joint.felt, joint.slopes)
                pivot = blocks.add(pivot, product(slowed, columns))
                pull = [a + b for a, b in zip(pull, times(slowed, held), strict=True)]
        with trace.computing("E = L U, reciprocals on the diagonal of L", SOURCE):
            factors = trace.matrix("LU", blocks.factor(pivot))
        with trace.computing("E q = N'ᵀ (f_b - D P f_j)", SOURCE):
            q = _solve(factors, [a - b for a, b in zip(times(joint.given, f), pull, strict=True)])
            trace.named("q", q)
        joint.store("held", held, known=joint.held())
        joint.store("free", q)
        if self.elimination.again:
            joint.store("pivot", [entry for row in factors for entry in row])
            joint.store("pull", pull)
        if self.above:
            self._lift(joint, factors, left, held, q)

    def _lift(self, joint: _Joint, factors: Matrix, left: Matrix, held: Vector, q: Vector) -> None:
        """What is left for the body above."""
        trace, d = joint.trace, joint.matrix
        carried, here = joint.passed2, joint.rows_passed
        with trace.computing("D N", SOURCE):
            lift = trace.matrix("DN", product([d[r] for r in here], joint.motions))
        with trace.computing("D P f_j", SOURCE):
            drag = [times(d, held)[r] for r in here]
        old = self.block_records.read_block(trace, self.labels, *self.above * 2)
        if joint.damped:
            with trace.computing("k_b X + k_a", SOURCE):
                change = trace.matrix("kX", blocks.add(product(joint.slopes, carried), joint.slopes_above))
            with trace.computing("E^-1 (N'ᵀ D X + N'ᵀ B_bᵀ (k_b X + k_a))", SOURCE):
                back = blocks.solve(factors, blocks.add(product(left, carried), product(joint.felt, change)))
                trace.matrix("back", back)
            with trace.computing("D_a += X'ᵀ (D X - D N E^-1 N'ᵀ D X)", SOURCE):
                rest = blocks.subtract_product(product([d[r] for r in here], carried), lift, back)
                trace.matrix("DX", rest)
                new = blocks.add(old, product(transposed([joint.passed1[r] for r in here]), rest))
            with trace.computing("D_a += L (k_b (X - N E^-1 N'ᵀ D X) + k_a)", SOURCE):
                slower = blocks.subtract_product(change, product(joint.slopes, joint.motions), back)
                new = blocks.add(new, product(joint.unbalanced, slower))
        else:
            with trace.computing("E^-1 N'ᵀ D", SOURCE):
                taken = blocks.solve(factors, [[row[r] for r in here] for row in left]) if left else []
                trace.matrix("taken", taken)
            with trace.computing("D - D N E^-1 N'ᵀ D", SOURCE):
                rest = blocks.subtract_product([[d[r][c] for c in here] for r in here], lift, taken)
                trace.matrix("rest", rest)
            rows = [carried[r] for r in here]
            with trace.computing("E^-1 N'ᵀ D X", SOURCE):
                back = trace.matrix("back", product(taken, rows))
            with trace.computing("D_a += X'ᵀ (D - D N E^-1 N'ᵀ D) X", SOURCE):
                moved = trace.matrix("rest_X", product(rest, rows))
                new = blocks.add(old, product(transposed([joint.passed1[r] for r in here]), moved))
        joint.store("back", [entry for row in back for entry in row])
        if self.elimination.again:
            joint.store("lift", [entry for row in lift for entry in row])
            joint.store("drag", drag)
        (above,) = self.above
        self.block_records.write_target(trace, self.labels, above, above, new)
        self._push(joint, drag, lift, q)

    def _push(self, joint: _Joint, drag: Vector, lift: Matrix, q: Vector) -> None:
        """f_a += X'ᵀ (f_b - D P f_j - D N q)."""
        trace, here = joint.trace, joint.rows_passed
        f = [trace.read("i", "work", "f", 6)[r] for r in here]
        with trace.computing("f_b - D P f_j - D N q", SOURCE):
            rest = blocks.subtract_times([a - b for a, b in zip(f, drag, strict=True)], lift, q)
            trace.named("push", rest)
        with trace.computing("f_a += X'ᵀ (f_b - D P f_j - D N q)", SOURCE):
            push = times(transposed([joint.passed1[r] for r in here]), rest)
        if joint.damped:
            with trace.computing("f_a -= L k_b (P f_j + N q)", SOURCE):
                motion = joint.moved(joint.held(), q)
                push = blocks.subtract_times(push, joint.unbalanced, times(joint.slopes, motion))
        f_above = trace.read("k", "work", "f", 6)
        with trace.computing("f_a += X'ᵀ (f_b - D P f_j - D N q)", SOURCE):
            joint.put("k", "f", [a + b for a, b in zip(f_above, push, strict=True)])

    def _resolve(self, trace: Trace) -> None:
        joint = _Joint(self, trace)
        n, f = joint.freedoms, trace.read("i", "work", "f", 6)
        pull = joint.stored("pull", n)
        with trace.computing("E q = N'ᵀ (f_b - D P f_j)", SOURCE):
            right = [a - b for a, b in zip(times(joint.given, f), pull, strict=True)]
            q = _solve(_rows(joint.stored("pivot", n * n), n), right)
            trace.named("q", q)
        joint.store("free", q)
        if self.above:
            here = len(joint.rows_passed)
            self._push(joint, joint.stored("drag", here), _rows(joint.stored("lift", here * n), n, here), q)

    def _substitute(self, trace: Trace) -> None:
        joint = _Joint(self, trace)
        q, motion = joint.stored("free", joint.freedoms), joint.stored("held", 6, known=joint.held())
        if self.above:
            above = trace.read("k", "work", "s", 6)
            with trace.computing("q -= E^-1 N'ᵀ D X s_a", SOURCE):
                q = blocks.subtract_times(q, _rows(joint.stored("back", 6 * joint.freedoms), 6), above)
                trace.named("q", q)
            with trace.computing("s_b = X s_a + P f_j + N q", SOURCE):
                motion = [a + b for a, b in zip(times(joint.passed2, above), motion, strict=True)]
        with trace.computing("s_b = X s_a + P f_j + N q", SOURCE):
            motion = trace.named("s", joint.moved(motion, q))
        f = trace.read("i", "work", "f", 6)
        with trace.computing("D s_b - f_b", SOURCE):
            push = [a - b for a, b in zip(times(joint.matrix, motion), f, strict=True)]
        if joint.damped:
            with trace.computing("B_bᵀ (k_b s_b + k_a s_a)", SOURCE):
                pulled = times(joint.slopes, motion)
                if self.above:
                    pulled = [a + b for a, b in zip(pulled, times(joint.slopes_above, above), strict=True)]
                push = [a + b for a, b in zip(push, times(transposed(joint.directions), pulled), strict=True)]
        trace.named("push", push)
        with trace.computing("s_j = P'ᵀ (D s_b - f_b)", SOURCE):
            found = joint.rows1.impulses(push)
        joint.put("i", "s", motion)
        joint.put("j", "s", found)


class _Joint:
    """What one trace knows of a joint: its rows on both bodies at both knots, and the laws along it."""

    def __init__(self, carried: Carried, trace: Trace):
        self.trace, self.carried = trace, carried
        self.filled, self.block_records = carried.filled, carried.block_records
        j = carried.j
        self.freedoms = 6 - self.filled.size(j)
        damping = self.filled.matrix.damping.get(self.filled.kind(j))
        self.damped = damping is not None
        self.rows2, self.rows1 = self._sides(carried.i)
        with trace.computing("G_b N = 0", SOURCE, SECOND):
            self.free = self._free("N2", self.rows2)
        with trace.computing("G_b N' = 0", SOURCE, FIRST):
            self.given = self._free("N1", self.rows1)
        if damping:
            self.directions, self.slopes = (self._law(blocks_of, carried.i) for blocks_of in _parts(damping))
            with trace.computing("N'ᵀ B_bᵀ", SOURCE):
                self.felt = trace.matrix("NB", product(self.given, transposed(self.directions)))
        for k in carried.above:
            above2, above1 = self._sides(k)
            with trace.computing("G_b X = -G_a", SOURCE, SECOND):
                self.passed2 = trace.matrix("X2", self.rows2.passed_on(above2, rigid=self.damped))
            with trace.computing("G_b X' = -G_a", SOURCE, FIRST):
                self.passed1 = trace.matrix("X1", self.rows1.passed_on(above1, rigid=self.damped))
            if damping:
                above, self.slopes_above = (self._law(blocks_of, k) for blocks_of in _parts(damping))
                with trace.computing("L = B_aᵀ + X'ᵀ B_bᵀ", SOURCE):
                    self.unbalanced = blocks.add(
                        transposed(above), product(transposed(self.passed1), transposed(self.directions))
                    )
                    trace.matrix("L", self.unbalanced)

    @property
    def matrix(self) -> Matrix:
        """D, the body's own block with all that was eliminated into it."""
        return self.block_records.read_block(self.trace, self.carried.labels, self.carried.i, self.carried.i)

    @property
    def rows_passed(self) -> list[int]:
        """The velocities that the body above passes on."""
        return [r for r, row in enumerate(self.passed2) if not all(entry.is_zero for entry in row)]

    @property
    def motions(self) -> Matrix:
        """N, row by row: one without columns where nothing is free."""
        return [[motion[r] for motion in self.free] for r in range(6)]

    def moved(self, motion: Vector, q: Vector) -> Vector:
        """s + N q."""
        for free, amount in zip(self.free, q, strict=True):
            motion = [a + b * amount for a, b in zip(motion, free, strict=True)]
        return motion

    def held(self) -> Vector:
        """P f_j."""
        right = self.trace.read("j", "work", "f", self.filled.size(self.carried.j))
        with self.trace.computing("G_b P = 1, P f_j", SOURCE, SECOND):
            return list(self.trace.named("held", self.rows2.motion(right)))

    def _free(self, name: str, rows: Held) -> list[Vector]:
        """What rows leave free, named by its motions."""
        found = rows.free()
        for column, motion in enumerate(found):
            for r, value in enumerate(motion):
                self.trace.graph.hint(value, f"{name}_{r}{column}")
        return found

    def _sides(self, node: int) -> tuple[Held, Held]:
        """The rows on a body at the second knot, and at the first, where -G(z1)ᵀ is the block that is kept."""
        labels, j = self.carried.labels, self.carried.j
        places = self.filled.matrix.carriers[self.filled.kind(j)]
        forces = transposed(self.block_records.read_block(self.trace, labels, node, j))
        second = self.block_records.read_block(self.trace, labels, j, node)
        first = [[-value for value in row] for row in forces]
        return Held.of(self.trace.graph, second, places), Held.of(self.trace.graph, first, places)

    def _law(self, by_label: Mapping[str, Block], node: int) -> Matrix:
        block = by_label[self.filled.tie(node, self.carried.j).tag]
        return _rows([self.block_records.entry(self.trace, "j", entry) for entry in block.entries], 6)

    # --- records --------------------------------------------------------------------------------------------------
    def put(self, label: str, name: str, values: Sequence[Scalar]) -> None:
        for index, value in enumerate(values):
            self.trace.writes.append((Rate.ITERATION, Location(label, "work", name, index), value))

    def store(self, name: str, values: Sequence[Scalar], known: Sequence[Scalar] | None = None) -> None:
        """Keep values in the joint's record; those that are numbers of a record already are not copied."""
        if values:
            self.trace.records.declare(self.trace.kind("j"), "work", name, len(values), MEANINGS[name])
        for index, value in enumerate(values):
            if known is None or self._must_be_kept(known[index]):
                self.trace.writes.append((Rate.ITERATION, Location("j", "work", name, index), value))

    def stored(self, name: str, size: int, known: Sequence[Scalar] | None = None) -> list[Scalar]:
        """What was kept. known: the same values traced anew, used where nothing is computed for them."""
        values = self.trace.read("j", "work", name, size, MEANINGS[name]) if size else []
        pairs = zip(values, known or values, strict=True)
        return [kept if known is None or self._must_be_kept(new) else new for kept, new in pairs]

    def _must_be_kept(self, value: Scalar) -> bool:
        graph = self.trace.graph
        index = value.index
        if graph.operation(index) == "neg":
            index = graph.operands(index)[0]
        return graph.operation(index) not in ("const", "symbol")


def _parts(damping: Damping) -> tuple[Mapping[str, Block], Mapping[str, Block]]:
    return damping.directions, damping.slopes


def _rows(values: Sequence[Scalar], columns: int, count: int | None = None) -> Matrix:
    count = len(values) // columns if count is None and columns else count or 0
    return [list(values[columns * r : columns * (r + 1)]) for r in range(count)]


def _solve(factors: Matrix, right: Vector) -> Vector:
    return [row[0] for row in blocks.solve(factors, [[value] for value in right])] if right else []
