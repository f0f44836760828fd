"""Inward under a quadrature rule: what the discrete Euler-Lagrange equations lack, and the elimination of a joint.

Hats are sums over what a joint carries; p is the momentum along the coordinate at the first knot, f what acts along it.
For the nodes k = 0 ... s - 1, and for k = s with what is left as the momentum at the second knot,

    r_k = p delta_k0 + sum w [h a_k (S'ᵀ mu^ + Sᵀ Gamma^ + f) + b_k Sᵀ mu^]

A motion of all that is carried has increments eta of places and nu of velocities at the points, as has the body below;
what they make of momenta and weights, which turn along, is A [eta; nu] - z:

    d mu = M nu - [mu] eta,    d Gamma = G eta,    [eta; nu] = [eta; nu]_below + N du,    N = [h a S; b S + h a S']
    L = w [b S + h a S'; h a S],    R = Lᵀ A + Lᵀ [mu^, Gamma^] on eta - w h a ([mu^] S)ᵀ on nu
    E = R N,  s = E^-1 (r - Lᵀ z) - K [eta; nu]_below,  K = E^-1 R,  to the body below: A - A N K, z + A N s0

(Fan18 Algorithm 2; its block is 6 by 6, which a rule of more points is not). A joint of several coordinates is a row
of bodies without mass.
"""

from __future__ import annotations

from collections.abc import Sequence

from symvi.kernels import blocks, common
from symvi.kernels.blocks import Matrix, Vector, cross
from symvi.kernels.carried_joint import BELOW, OWN, Place, Traced, TracedAt, blocks_sum, scaled
from symvi.kernels.common import COMMON, GRAVITY
from symvi.kernels.rule_joint import SOURCE, RuleJoint, dual_bracket, in_rows, skew
from symvi.kernels.rule_outward import full
from symvi.kernels.tracing import Trace
from symvi.scalar import Scalar

Twists = list[tuple[Vector, Vector]]  # S and S' at the points


class RuleInward:
    """What a joint and the body that it carries leave to the body below, and how they follow it."""

    def __init__(self, own: RuleJoint):
        self.own, self.link, self.points = own, own.link, own.points
        self.size = 6 * len(self.points.motions)
        self.height = 6 * len(self.points.wrenches)

    def phases(self) -> dict[str, Traced]:
        """What traces the phase that does not depend on the place in the tree, and what it does."""
        return {"substitute_nodes": (self.substitute, "increments of the unknowns, and the motions that they make")}

    def placed(self) -> dict[str, TracedAt]:
        """What traces each phase at a place in the tree, and what it does."""
        found: dict[str, TracedAt] = {
            "give_nodes": (self.give, "momenta of the first knot along the coordinates"),
            "sum_nodes": (self.sum, "what the discrete Euler-Lagrange equations lack, by node"),
        }
        if self.points.rule.solver == "newton":
            text = "E = R N;  s0 = E^-1 (r - Lᵀ z);  A - A N K and z + A N s0 below"
            found["eliminate_nodes"] = self.eliminate, text
        return found

    def ratio(self, trace: Trace, point: int, node: int) -> Scalar:
        """h a_k."""
        return common.step(trace) * trace.graph.constant(self.points.rule.positions[point][node])

    # --- momenta at the first knot ------------------------------------------------------------------------------------
    def give(self, trace: Trace, place: Place) -> None:
        """Sᵀ of the sum of momenta, all about the anchor of the joint as in the sweeps of order 2."""
        own, joint = self.own, self.own.joint
        with trace.computing("W = [p; l + r x p] + what it carries,  given = Sᵀ W", SOURCE):
            p, spin = (trace.read(OWN, "state", name, 3) for name in "pl")
            total = [*p, *blocks_sum(spin, cross(joint.arm(trace, "1"), p))]
            if place.carries:
                total = blocks_sum(total, own.of(trace, OWN, "points_given", 6))
            given = [product(column, total, trace) for column in own.columns_at_first(trace)]
        own.put(trace, "given", given)
        if self.link.below:
            reach = joint.reach(trace, "1")
            own.add_below(trace, "points_given", [*total[:3], *blocks_sum(total[3:], cross(reach, total[:3]))], place)

    # --- residual -----------------------------------------------------------------------------------------------------
    def sum(self, trace: Trace, place: Place) -> None:
        own, count = self.own, self.points.count
        total = own.of(trace, OWN, "points_momentum", 6 * count) + own.of(trace, OWN, "points_force", 6 * count)
        if self.points.closed:
            total += own.of(trace, OWN, "points_pressed", 6 * self.points.degree)
        if place.carries:
            with trace.computing("mu^ += mu,  Gamma^ += Gamma of what it carries", SOURCE):
                total = blocks_sum(total, own.of(trace, OWN, "points_borne", len(total)))
        own.write(trace, OWN, "points_sum", total)
        own.add_below(trace, "points_borne", total, place)
        lacking, reached = [], []
        for k, twists in enumerate(own.axes(trace)):
            *inner, last = self._equations(trace, k, twists, in_rows(total, 6))
            inner[0] = inner[0] + own.get(trace, "given", self.link.freedoms)[k]
            lacking += inner
            reached.append(last)
        own.put(trace, "nodes_open", lacking)
        own.put(trace, "reached", reached)

    def _equations(self, trace: Trace, k: int, twists: Twists, total: Matrix) -> Vector:
        """r of every node, but for p."""
        rule, count = self.points.rule, self.points.count
        found = [trace.graph.constant(0)] * (self.points.degree + 1)
        with trace.computing("r_k = sum w [h a_k (S'ᵀ mu^ + Sᵀ Gamma^ + f) + b_k Sᵀ mu^]", SOURCE):
            for point, (axis, moving) in enumerate(twists[: self.points.acting]):
                momentum, force = total[point], total[count + point]
                along = product(axis, momentum, trace)
                push = product(moving, momentum, trace) + product(axis, force, trace) + self._law(trace, k, point)
                weight = trace.graph.constant(rule.weights[point])
                for node in range(len(found)):
                    rate = trace.graph.constant(rule.rates[point][node])
                    found[node] = found[node] + weight * (self.ratio(trace, point, node) * push + rate * along)
        if self.points.closed:
            with trace.computing("r_k += Sᵀ of impulses of rows at the node", "JM09 (45)"):
                for node in self.points.pressed:
                    axis = twists[self.points.at_node(node)][0]
                    found[node] = found[node] + product(axis, total[2 * count + node], trace)
        return found

    def _law(self, trace: Trace, k: int, point: int) -> Scalar:
        """f at a point."""
        rule, own = self.points.rule, self.own
        pull, hard, brake = (own.get(trace, name, self.link.freedoms)[k] for name in ("pull", "hard", "brake"))
        if own.driven:
            pull = pull + own.drives(trace)[k][point]
        way = rate = trace.graph.constant(0)
        for node, value in enumerate(own.nodes(trace, "nodes")[k], start=1):
            way = way + self.ratio(trace, point, node) * value
            rate = rate + trace.graph.constant(rule.rates[point][node]) * value
        return pull - hard * way - brake * rate

    # --- elimination --------------------------------------------------------------------------------------------------
    def eliminate(self, trace: Trace, place: Place) -> None:
        """The coordinates of the joint one by one, from the body that is carried to the one below."""
        own, zero = self.own, trace.graph.constant(0)
        matrix = _of_body(own, trace)
        left = [zero] * self.height
        if place.carries:
            with trace.computing("A += A of what it carries", SOURCE):
                matrix = blocks.add(
                    in_rows(own.of(trace, OWN, "points_carried", self.size * self.height), self.size), matrix
                )
                left = own.of(trace, OWN, "points_left", self.height)
        size = 12 * self.points.count + 6 * len(self.points.pressed)
        total = in_rows(own.of(trace, OWN, "points_sum", size), 6)
        twists, lacking = own.axes(trace), in_rows(own.get(trace, "nodes_open", self._unknowns), self.points.degree)
        back: list[Matrix] = [[] for _ in twists]
        start: list[Vector] = [[] for _ in twists]
        kept: list[tuple[Matrix, Matrix]] = [([], []) for _ in twists]
        for k in reversed(range(self.link.freedoms)):
            needed = bool(self.link.below) or k > 0
            found = self._coordinate(trace, k, twists[k], (matrix, left, total, lacking[k]), needed)
            start[k], back[k], matrix, left, kept[k] = found
        own.put(trace, "increment", [x for row in start for x in row])
        if self.points.closed:
            for name, number in (("nodes_pivot", 0), ("nodes_lift", 1)):
                own.put(trace, name, [x for each in kept for row in each[number] for x in row])
        own.put(trace, "nodes_back", [x for rows in back for row in rows for x in row])
        own.add_below(trace, "points_carried", [x for row in matrix for x in row], place)
        own.add_below(trace, "points_left", left, place)

    @property
    def _unknowns(self) -> int:
        return self.link.freedoms * self.points.degree

    def _coordinate(self, trace: Trace, k: int, twists: Twists, given, needed: bool):
        """s0 and K of one coordinate, then A and z without it."""
        matrix, left, total, lacking = given
        steps, sides = self.steps(trace, twists), self.sides(trace, twists)
        rows = self.points.rows
        with trace.computing("R = Lᵀ A + Lᵀ [mu^, Gamma^] - w h a ([mu^] S)ᵀ,  E = R N", SOURCE):
            slopes = [self._slope(trace, node, sides[node], twists, matrix, total) for node in rows]
            pivot = [[product(row, column, trace) for column in steps] for row in slopes]
            pivot = blocks.add(pivot, [self.law_slopes(trace, k, node) for node in rows])
            factors = blocks.factor(pivot)
        with trace.computing("s0 = E^-1 (r - Lᵀ z)", SOURCE):
            right = [[lacking[node] - product(sides[node], left, trace)] for node in rows]
            start = [row[0] for row in blocks.solve(factors, right)]
        if not needed:
            return start, [], matrix, left, (factors, [])
        with trace.computing("K = E^-1 R,  A - A N K,  z + A N s0", SOURCE):
            back = blocks.solve(factors, slopes)
            lift = [[product(row, column, trace) for column in steps] for row in matrix]
            matrix = blocks.subtract_product(matrix, lift, back)
            left = [x + product(row, start, trace) for x, row in zip(left, lift, strict=True)]
        return start, back, matrix, left, (factors, lift)

    def steps(self, trace: Trace, twists: Twists) -> Matrix:
        """N, column by column: what a coordinate's nodes move."""
        found, rule = [], self.points.rule
        for node in range(1, self.points.degree + 1):
            column: Vector = []
            for part in self.points.motions:
                axis, moving = twists[part.number]
                way = self.ratio(trace, part.number, node)
                if part.kind == "place":
                    column += scaled(axis, way)
                else:
                    rate = trace.graph.constant(rule.rates[part.number][node])
                    column += blocks_sum(scaled(axis, rate), scaled(moving, way))
            found.append(column)
        return found

    def sides(self, trace: Trace, twists: Twists) -> Matrix:
        """L, by node of the equations."""
        found, rule = [], self.points.rule
        for node in range(self.points.degree):
            row: Vector = []
            for part in self.points.wrenches:
                axis, moving = twists[part.number]
                weight = trace.graph.constant(rule.weights[part.number])
                way = weight * self.ratio(trace, part.number, node)
                if part.kind == "force":
                    row += scaled(axis, way)
                else:
                    rate = weight * trace.graph.constant(rule.rates[part.number][node])
                    row += blocks_sum(scaled(axis, rate), scaled(moving, way))
            found.append(row)
        return found

    def _slope(self, trace: Trace, node: int, side: Vector, twists: Twists, matrix: Matrix, total: Matrix) -> Vector:
        """R of one equation."""
        rule, found = self.points.rule, []
        columns = list(zip(*matrix, strict=True))
        parts = in_rows(side, 6)
        for number, part in enumerate(self.points.motions):
            values = [product(side, columns[6 * number + m], trace) for m in range(6)]
            weight = trace.graph.constant(rule.weights[part.number])
            way = weight * self.ratio(trace, part.number, node)
            if part.kind == "place":
                for other, row in zip(self.points.wrenches, parts, strict=True):
                    if other.number == part.number:
                        hat = total[part.number + (self.points.count if other.kind == "force" else 0)]
                        values = blocks_sum(values, _transposed(hat, row))
            else:
                turned = dual_bracket(total[part.number], twists[part.number][0])
                values = [a - way * b for a, b in zip(values, turned, strict=True)]
            found += values
        return found

    def law_slopes(self, trace: Trace, k: int, node: int) -> Vector:
        """- sum w h a_k (k h a_m + d b_m) by the nodes m."""
        own, rule, found = self.own, self.points.rule, []
        hard, brake = (own.get(trace, name, self.link.freedoms)[k] for name in ("hard", "brake"))
        for other in range(1, self.points.degree + 1):
            total = trace.graph.constant(0)
            for point in range(self.points.count):
                way = trace.graph.constant(rule.weights[point]) * self.ratio(trace, point, node)
                rate = trace.graph.constant(rule.rates[point][other])
                total = total - way * (hard * self.ratio(trace, point, other) + brake * rate)
            found.append(total)
        return found

    # --- outward again ------------------------------------------------------------------------------------------------
    def substitute(self, trace: Trace) -> None:
        """s = s0 - K [eta; nu]_below, and what they move."""
        own, zero = self.own, trace.graph.constant(0)
        motion = own.of(trace, BELOW, "points_motion", self.size) if self.link.below else [zero] * self.size
        start, twists = own.nodes(trace, "increment"), own.axes(trace)
        kept = [k for k in range(self.link.freedoms) if self.link.below or k > 0]
        values = in_rows(own.get(trace, "nodes_back", len(kept) * self.points.degree * self.size), self.size)
        back = {k: values[i * self.points.degree : (i + 1) * self.points.degree] for i, k in enumerate(kept)}
        found: Vector = []
        for k, twist in enumerate(twists):
            with trace.computing("s = s0 - K [eta; nu]_below,  [eta; nu] = [eta; nu]_below + N s", SOURCE):
                change = start[k]
                if k in back:
                    change = [x - product(row, motion, trace) for x, row in zip(change, back[k], strict=True)]
                for column, value in zip(self.steps(trace, twist), change, strict=True):
                    motion = [a + value * b for a, b in zip(motion, column, strict=True)]
            found += change
        own.put(trace, "increment", found)
        own.write(trace, OWN, "points_motion", motion)


def _of_body(own: RuleJoint, trace: Trace) -> Matrix:
    """A of the body itself: by places and velocities at the points."""
    zero = trace.graph.constant(0)
    mass = trace.read(OWN, "parameters", "mass")[0]
    weight = scaled(trace.read(COMMON, "parameters", *GRAVITY), mass)
    none = [[zero] * 6 for _ in range(6)]
    found: Matrix = []
    for wrench in own.points.wrenches:
        rows: Matrix = [[] for _ in range(6)]
        for motion in own.points.motions:
            block, point = none, motion.number
            if wrench.number == point:
                centre = own.at(trace, OWN, "points_centre", point, 3)
                if wrench.kind == "force":
                    block = _weight_slopes(trace, centre, weight) if motion.kind == "place" else none
                elif motion.kind == "velocity":
                    inertia = own.at(trace, OWN, "points_inertia", point)
                    block = spatial_inertia(trace, mass, centre, inertia)
                else:
                    momentum = own.at(trace, OWN, "points_momentum", point)
                    units = [[trace.graph.constant(int(r == c)) for r in range(6)] for c in range(6)]
                    turned = [dual_bracket(momentum, unit) for unit in units]
                    block = [[-column[r] for column in turned] for r in range(6)]
            rows = [[*row, *more] for row, more in zip(rows, block, strict=True)]
        found += rows
    return found


def product(left: Sequence[Scalar], right: Sequence[Scalar], trace: Trace) -> Scalar:
    total = trace.graph.constant(0)
    for a, b in zip(left, right, strict=True):
        if not (a.is_zero or b.is_zero):
            total = total + a * b
    return total


def _transposed(hat: Vector, x: Vector) -> Vector:
    """[mu]ᵀ x."""
    tau, f = hat[:3], hat[3:]
    return [-y for y in (*blocks_sum(cross(tau, x[:3]), cross(f, x[3:])), *cross(f, x[:3]))]


def _weight_slopes(trace: Trace, centre: Vector, weight: Vector) -> Matrix:
    """G: the torque (v + w x x) x F of a motion; the force stays."""
    zero = trace.graph.constant(0)
    columns = []
    for k in range(6):
        unit = [trace.graph.constant(int(i == k % 3)) for i in range(3)]
        columns.append(cross(cross(unit, centre) if k < 3 else unit, weight))
    return [[column[r] for column in columns] for r in range(3)] + [[zero] * 6 for _ in range(3)]


def spatial_inertia(trace: Trace, mass: Scalar, centre: Vector, inertia: Vector) -> Matrix:
    """M = [J - m x^ x^, m x^; -m x^, m 1]."""
    zero = trace.graph.constant(0)
    lever = skew(scaled(centre, mass), zero)
    square = blocks.product(lever, skew(centre, zero))
    upper = [[a - b for a, b in zip(*rows, strict=True)] for rows in zip(full(inertia), square, strict=True)]
    unit = [[mass if r == c else zero for c in range(3)] for r in range(3)]
    return [[*a, *b] for a, b in zip(upper, lever, strict=True)] + [
        [*(-x for x in a), *b] for a, b in zip(lever, unit, strict=True)
    ]
