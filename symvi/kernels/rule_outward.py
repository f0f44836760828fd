"""Outward under a quadrature rule: twists, momenta and weights at the points of a step follow from the unknowns.

Unknowns are u_k = (q_k - q_0)/h at the nodes k = 1 ... s, so that at a point q - q_0 = h sum a_k u_k, q' = sum b_k u_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symvi.kernels import common
from symvi.kernels.blocks import Matrix, Vector, cross
from symvi.kernels.body_kernels import use
from symvi.kernels.carried_joint import AGES, BELOW, OWN, Traced, blocks_sum, scaled
from symvi.kernels.common import COMMON, GRAVITY
from symvi.kernels.knots import trace_rows
from symvi.kernels.law import summed
from symvi.kernels.rule_joint import SOURCE, RuleJoint, bracket, dual, in_rows, is_slide, twist
from symvi.kernels.tracing import Trace
from symvi.physics import body as dynamics
from symvi.physics import kinematics
from symvi.physics.joints import motions
from symvi.scalar import Rate, Scalar


class RuleOutward:
    """Where coordinates are at the nodes, and what follows at the points."""

    def __init__(self, own: RuleJoint):
        self.own, self.link, self.points = own, own.link, own.points

    def phases(self) -> dict[str, Traced]:
        """What traces each phase, and what it does."""
        found: dict[str, Traced] = {"points": (self.move, "twists, momenta and weights at the points of the rule")}
        if self.link.freedoms:
            found |= {
                "begin_nodes": (self.begin, "a cubic through the last three steps, with `length` of what bends it"),
                "advance_nodes": (self.advance, "keep the base, take `length` of the increment"),
                "shorten_nodes": (self.shorten, "take another `length` of the same increment"),
                "prepare_nodes": (self.prepare, "what acts along the coordinates at the first knot"),
                "measure_nodes": (self.merit, "add what the equations lack, as velocities, to the merit"),
            }
        return found

    def _put_nodes(self, trace: Trace, name: str, rows: Matrix) -> None:
        self.own.put(trace, name, [x for row in rows for x in row])

    # --- the unknowns -------------------------------------------------------------------------------------------------
    def begin(self, trace: Trace) -> None:
        """q(x) = x d + x (x + 1)/2 d² + x (x + 1) (x + 2)/6 d³ of backward differences, over h."""
        bends = trace.read(COMMON, "work", "length")[0]
        rows, nodes = [], self.points.rule.nodes[1:]
        for now, old, older in zip(*self._last_rates(trace), strict=True):
            second, third = bends * (now - old), bends * (now - 2 * old + older)
            row = []
            for x in nodes:
                factors = x, x * (x + 1) / 2, x * (x + 1) * (x + 2) / 6
                terms = [trace.graph.constant(f) * d for f, d in zip(factors, (now, second, third), strict=True)]
                row.append(terms[0] + terms[1] + terms[2])
            rows.append(row)
        self._put_nodes(trace, "nodes", rows)

    def _last_rates(self, trace: Trace) -> list[Vector]:
        """Rates of the coordinates over the last steps. Of free turns along their axes, and without a third one."""
        joint, link = self.own.joint, self.link
        if not link.is_absolute:
            return joint.last_rates(trace, list(AGES))
        found = []
        for rates, age in zip(joint.last_rates(trace, list(AGES)[:2]), AGES, strict=False):
            turning = rates[link.slides :]
            if link.below:
                under = trace.read(BELOW, "state", f"w{age}", 3)
                turning = [a - b for a, b in zip(turning, under, strict=True)]
            along = dual(in_rows(self.own.get(trace, "frame", 9), 3))
            found.append([*rates[: link.slides], *(sum_of(row, turning) for row in along)])
        now, old = found
        return [now, old, [2 * b - a for a, b in zip(now, old, strict=True)]]

    def advance(self, trace: Trace) -> None:
        base = self.own.nodes(trace, "nodes")
        self._put_nodes(trace, "nodes_base", base)
        self._shortened(trace, base)

    def shorten(self, trace: Trace) -> None:
        self._shortened(trace, self.own.nodes(trace, "nodes_base"))

    def _shortened(self, trace: Trace, base: Matrix) -> None:
        length = trace.read(COMMON, "work", "length")[0]
        change = self.own.nodes(trace, "increment")
        rows = [[b - length * d for b, d in zip(*pair, strict=True)] for pair in zip(base, change, strict=True)]
        self._put_nodes(trace, "nodes", rows)

    # --- what acts along the coordinates ------------------------------------------------------------------------------
    def prepare(self, trace: Trace) -> None:
        """Springs and dampers as forces that are linear in q - q_0 and in q'."""
        link, zero = self.link, trace.graph.constant(0)
        pull, hard, brake = ([zero] * link.freedoms for _ in range(3))
        if link.laws:
            model = self.own.joint.model
            first = trace_rows(trace, model, self.own.joint.baked, model.free, model.freedoms).first
            sums = summed(trace, link.laws)
            with trace.computing("f = k (rest - c) - k (q - q_0) - d q'", "derived here"):
                for unknown, k in enumerate(link.order):
                    pull[unknown] = sums.tension[k] - sums.stiffness[k] * first[k]
                    hard[unknown], brake[unknown] = sums.stiffness[k], sums.damping[k]
        for name, values in (("pull", pull), ("hard", hard), ("brake", brake)):
            self.own.put(trace, name, values)
        if self.own.driven:
            self.own.put(trace, "drive_now", [zero] * link.freedoms)

    def merit(self, trace: Trace) -> None:
        total = trace.graph.constant(0)
        for weight, row in zip(self.own.squared_weights(trace), self.own.nodes(trace, "nodes_open"), strict=True):
            for value in row:
                total = total + weight * (value * value)
        trace.add_to(COMMON, "merit", [total], rate=Rate.ITERATION)

    # --- the points ---------------------------------------------------------------------------------------------------
    def move(self, trace: Trace) -> None:
        """By point: turns and places, then twists, then what the body itself has of momentum and weight."""
        nodes = self.own.nodes(trace, "nodes")
        found: dict[str, Vector] = {}
        axes: list[list[Vector]] = [[] for _ in range(self.link.freedoms)]
        for point in range(self.points.count):
            for name, values in self._at(trace, point, nodes, axes).items():
                found.setdefault(name, []).extend(values)
        for name, values in found.items():
            self.own.write(trace, OWN, name, values)
        self.own.put(trace, "points_axes", [x for rows in axes for row in rows for x in row])

    def _sums(self, trace: Trace, factors: Sequence[Fraction], nodes: Matrix) -> Vector:
        found = []
        for row in nodes:
            total = trace.graph.constant(0)
            for factor, value in zip(factors[1:], row, strict=True):
                total = total + trace.graph.constant(factor) * value
            found.append(total)
        return found

    def _at(self, trace: Trace, point: int, nodes: Matrix, axes: list[list[Vector]]) -> dict[str, Vector]:
        own, rule, zero, one = self.own, self.points.rule, trace.graph.constant(0), trace.graph.constant(1)
        moves = self.points.moves(point)
        with trace.computing("q - q_0 = h sum a_k u_k,  q' = sum b_k u_k", SOURCE):
            h = common.step(trace)
            ways = scaled(self._sums(trace, rule.positions[point], nodes), h)
            rates = self._sums(trace, rule.rates[point], nodes)
        turn, rotation = [one, zero, zero, zero], None
        anchor, speed = [zero] * 3, [zero] * 6
        if self.link.below:
            if moves:
                turn = own.at(trace, BELOW, "points_turn", point, 4)
                rotation = own.at(trace, BELOW, "points_rotation", point, 9)
            reach = carried(trace, rotation, own.joint.get(trace, "reach1", 3), "reach")
            anchor = blocks_sum(own.at(trace, BELOW, "points_anchor", point, 3), reach)
            speed = own.at(trace, BELOW, "points_twist", point)
        pitch = own.joint.pitch(trace) if self.link.pitch else None
        for k, axis1 in enumerate(own.axes_at_first(trace)):
            axis, slides = carried(trace, rotation, axis1, "axis"), is_slide(self.link, k)
            if slides or pitch is not None:
                with trace.computing("o += (q - q_0) e", SOURCE):
                    anchor = blocks_sum(anchor, scaled(axis, ways[k] if slides else pitch * ways[k]))
            if not slides and moves:
                turn = turned(trace, turn, axis1, ways[k])
                rotation = use(trace, kinematics.rotation_matrix, "of the turn", q=turn)["R"]
            with trace.computing("S = [e; o x e],  v += S q',  S' = ad_v S", SOURCE):
                own_twist = twist(axis, anchor, slides, pitch, zero)
                speed = blocks_sum(speed, scaled(own_twist, rates[k]))
                axes[k].append([*own_twist, *bracket(speed, own_twist)])
        return {
            "points_turn": turn,
            "points_rotation": rotation or [one if r == c else zero for r in range(3) for c in range(3)],
            "points_anchor": anchor,
            "points_twist": speed,
            **self._of_body(trace, rotation, anchor, speed),
        }

    def _of_body(self, trace: Trace, rotation: Vector | None, anchor: Vector, speed: Vector) -> dict[str, Vector]:
        mass = trace.read(OWN, "parameters", "mass")[0]
        inertia = trace.read(OWN, "work", "j", 6)
        if rotation is not None:
            inertia = use(trace, dynamics.world_inertia, "at a point of the rule", R=rotation, j=inertia)["J"]
        arm = carried(trace, rotation, self.own.joint.of(trace, OWN, "arm1", 3), "arm")
        with trace.computing("f = m (v + w x x),  tau = J w + x x f", SOURCE):
            centre = blocks_sum(anchor, arm)
            force = scaled(blocks_sum(speed[3:], cross(speed[:3], centre)), mass)
            spin = _times(inertia, speed[:3])
            momentum = [*blocks_sum(spin, cross(centre, force)), *force]
        with trace.computing("Gamma = [x x m g; m g]", SOURCE):
            weight = scaled(trace.read(COMMON, "parameters", *GRAVITY), mass)
            wrench = [*cross(centre, weight), *weight]
        return {
            "points_centre": centre,
            "points_inertia": inertia,
            "points_momentum": momentum,
            "points_force": wrench,
        }


def carried(trace: Trace, rotation: Vector | None, vector: Vector, name: str) -> Vector:
    """What turns along; None: nothing turns."""
    if rotation is None:
        return vector
    return use(trace, kinematics.carried_vector, name, R=rotation, p=vector)["r"]


def turned(trace: Trace, turn: Vector, axis1: Vector, angle: Scalar) -> Vector:
    """A turn about an axis that is carried along: [c; a] [C; S e], e at the first knot."""
    with trace.computing("C = cos((q - q_0)/2),  S = sin((q - q_0)/2)", SOURCE):
        half = angle / 2
        cosine, sine = (trace.graph.function(name, half) for name in ("cos", "sin"))
    given = {"c": turn[:1], "a": turn[1:], "C": [cosine], "S": [sine], "e": axis1}
    found = use(trace, motions.carried_turn, **given, inverse=[trace.graph.constant(1)])
    return [*found["c2"], *found["a2"]]


def _times(inertia: Vector, w: Vector) -> Vector:
    """J w."""
    return [sum_of(row, w) for row in full(inertia)]


def full(inertia: Vector) -> Matrix:
    """The matrix of xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = inertia
    return in_rows([xx, xy, xz, xy, yy, yz, xz, yz, zz], 3)


def sum_of(left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    total = left[0] * right[0]
    for a, b in zip(left[1:], right[1:], strict=True):
        total = total + a * b
    return total
