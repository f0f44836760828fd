"""What the sweeps of a quadrature rule know of one type of joint: twists, motions and wrenches at the points of a step.

Vectors of six are angular first, [w; v] and [tau; f], in world axes about one origin for a whole tree, its anchor on
the ground: sums over what a joint carries need no shifts. v: of what is carried, at the origin. At each point of a rule

    S = [e; o x e] of a turn about e through o, [e pitch + o x e] of a screw, [0; e] of a slide;    S' = ad_v S
    ad_x y = [w x a; v x a + w x b] of x = [w; v], y = [a; b];    ad_xᵀ mu = [mu] x,  [mu] = [tau^, f^; f^, 0]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symvi.kernels.blocks import Matrix, Vector, cross
from symvi.kernels.carried_joint import BELOW, OWN, CarriedJoint, Link, Place, blocks_sum, scaled
from symvi.kernels.kernel import Kernel
from symvi.kernels.tracing import Trace
from symvi.numbers.quadrature import Rule, with_nodes
from symvi.scalar import Graph, Scalar

SOURCE = "Fan18 Algorithms 1 and 2, derived here"
INCREMENT = "increment"  # what control measures: in m/s and rad/s
OF_BODY = {
    "points_turn": ("turn since the first knot at the points of the rule, half of it as a quaternion", "1"),
    "points_rotation": ("the same turns as matrices", "1"),
    "points_anchor": ("from the origin to the anchor of its joint, at the points", "m"),
    "points_twist": ("[w; v] at the points, v at the origin", "rad/s, m/s"),
    "points_centre": ("from the origin to the centre of mass, at the points", "m"),
    "points_inertia": ("inertia in world axes, at the points", "kg m²"),
    "points_momentum": ("its momentum about the origin, at the points", "N m s, N s"),
    "points_force": ("its weight about the origin, at the points", "N m, N"),
    "points_borne": ("momenta and forces of bodies that it carries, at the points", "N m s, N s, N m, N"),
    "points_sum": ("momenta and forces of it and of what it carries, at the points", "N m s, N s, N m, N"),
    "points_carried": ("what momenta and forces of bodies that it carries are by its own motion", "kg, kg m, kg m²"),
    "points_left": ("what they change by where it stays", "N m s, N s, N m, N"),
    "points_motion": ("increments of places and of velocities at the points", "rad, m, rad/s, m/s"),
    "last_turn": ("turn since the first knot at the last node, half of it as a quaternion", "1"),
    "points_given": ("momenta of it and of what it carries at the first knot, about the origin", "N m s, N s"),
    "points_pressed": ("impulses on it of rows that close loops, about the origin, at the nodes", "N m s, N s"),
    "rest_anchor": ("from the origin to the anchor of its joint, at the first knot", "m"),
    "rest_carried": ("articulated inertia of bodies that it carries, at the first knot", "kg, kg m, kg m²"),
    "rest_left": ("impulses that these leave to it", "N m s, N s"),
    "rest_motion": ("how impulses change its motion at rest", "rad/s, m/s"),
}
OF_JOINT = {
    "frame": ("axes at the first knot about which a body turns freely", "1"),
    "frame_back": ("makes a torque at the second knot of momenta along these turns", "1"),
    "nodes": ("how far coordinates are from the first knot at the nodes of the rule, over h", "rad/s, m/s"),
    "nodes_base": ("the same, where the increment starts from", "rad/s, m/s"),
    INCREMENT: ("solved increments of these", "rad/s, m/s"),
    "nodes_back": ("what motions of the body below take from the increments", "1"),
    "nodes_pivot": ("factors of E, by coordinate", "kg, kg m²"),
    "nodes_lift": ("A N, by coordinate", "kg, kg m, kg m²"),
    "nodes_open": ("what the discrete Euler-Lagrange equations lack, by node and coordinate", "N m s, N s"),
    "points_axes": ("S and S' of the coordinates, at the points", "1, 1/s"),
    "given": ("momenta along the coordinates at the first knot", "N m s, N s"),
    "reached": ("momenta along the coordinates at the second knot", "N m s, N s"),
    "pull": ("forces of springs along the coordinates where these stay as at the first knot", "N m, N"),
    "drive": ("forces of actuators along the coordinates, at the points", "N m, N"),
    "drive_now": ("the same at the point whose inputs are told", "N m, N"),
    "hard": ("stiffness of springs along the coordinates", "N m/rad, N/m"),
    "brake": ("damping along the coordinates", "N m s/rad, N s/m"),
    "rest_axes": ("S of the coordinates, at the first knot", "1, m"),
    "rest_pivot": ("E of the articulated inertia at the first knot, by coordinate", "kg, kg m²"),
    "rest_back": ("K of the same: what motions of the body below take from the coordinates", "1"),
    "rest_lift": ("A S of the same", "kg, kg m, kg m²"),
    "last_increment": ("increments of the iteration before", "rad/s, m/s"),
    "taken": ("increments that were taken, of the last iterations", "rad/s, m/s"),
    "led": ("Broyden's updates for these, of the last iterations", "1"),
}
NAMES = frozenset((*OF_BODY, *OF_JOINT))


@dataclass(frozen=True)
class Part:
    """Six numbers at one point of the rule, in a stacked vector. number: of the point."""

    kind: str  # "place", "velocity" of motions; "momentum", "force" of wrenches
    number: int


class Points:
    """A rule as the kernels use it: which numbers of which points follow from what is solved for.

    Of a point at the first knot places are known; forces there, and those that no equation counts, never change.
    closed: whether rows close loops. They are looked at where the nodes are, which are points without weight then.
    """

    def __init__(self, rule: Rule, closed: bool = False):
        self.acting, self.closed = len(rule.points), closed
        self.rule = with_nodes(rule) if closed else rule
        self.count, self.degree = len(self.rule.points), rule.degree
        self.motions = tuple(self._motions())
        self.wrenches = tuple(self._wrenches())

    def moves(self, point: int) -> bool:
        """Whether coordinates at a point follow from what is solved for."""
        return any(self.rule.positions[point][1:])

    def _motions(self) -> Iterator[Part]:
        for point in range(self.count):
            if self.moves(point):
                yield Part("place", point)
            if self.rule.weights[point]:
                yield Part("velocity", point)

    def _wrenches(self) -> Iterator[Part]:
        for point in range(self.acting):
            yield Part("momentum", point)
            if self.moves(point) and any(self.rule.positions[point][: self.degree]):
                yield Part("force", point)

    @property
    def rows(self) -> tuple[int, ...]:
        """The nodes of the equations of a step, in the order of elimination: the inner ones make a definite block."""
        return (*range(1, self.degree), 0)

    def at_node(self, node: int) -> int:
        """The point of a node, where loops are closed."""
        return self.rule.points.index(self.rule.nodes[node])

    @property
    def pressed(self) -> tuple[int, ...]:
        """The nodes at which rows that close loops have impulses."""
        return tuple(range(self.degree)) if self.closed else ()

    @property
    def held(self) -> tuple[int, ...]:
        """The nodes at which they are zero, that of the impulse at the first knot first."""
        return (self.degree, *range(1, self.degree))


class RuleJoint:
    """One type of link under a rule: its fields, and its twists."""

    def __init__(self, joint: CarriedJoint, points: Points, driven: bool, up: int):
        """driven: actuators act along coordinates of this type. up: axis of the world nearest to gravity."""
        self.driven, self.up = driven, up
        self.joint, self.link, self.points = joint, joint.link, points
        self.kind = joint.kind

    def kernel(self, phase: str, build, text: str, role: str = "") -> Kernel:
        """A kernel of its own; what acts along the coordinates asks both bodies of the joint."""
        ports = self.joint.joint_ports if phase == "prepare_nodes" else ()
        return self.joint.kernel(phase, build, text, ports, role=role)

    def axes_at_first(self, trace: Trace) -> Matrix:
        """Axes of the coordinates at the first knot. What turns freely does so about axes that its body carries."""
        link = self.link
        if link.is_free:
            one, zero = trace.graph.constant(1), trace.graph.constant(0)
            found = [[one if r == c else zero for r in range(3)] for c in range(3)]
        else:
            found = self.joint.axes(trace, "axes1")
        return found + (in_rows(self.get(trace, "frame", 9), 3) if link.is_absolute else [])

    def columns_at_first(self, trace: Trace) -> Matrix:
        """N of these, about the anchor of the joint."""
        if not self.link.is_absolute:
            return self.joint.columns(trace, "1")
        zero = [trace.graph.constant(0)] * 3
        slides = self.link.slides
        return [[*e, *zero] if k < slides else [*zero, *e] for k, e in enumerate(self.axes_at_first(trace))]

    # --- fields -------------------------------------------------------------------------------------------------------
    def get(self, trace: Trace, name: str, size: int) -> Vector:
        return trace.read(self.kind, "work", name, size, *OF_JOINT[name]) if size else []

    def put(self, trace: Trace, name: str, values: Sequence[Scalar]) -> None:
        if values:
            trace.write(self.kind, name, values, *OF_JOINT[name])

    @staticmethod
    def of(trace: Trace, label: str, name: str, size: int) -> Vector:
        return trace.read(label, "work", name, size, *OF_BODY[name])

    @staticmethod
    def write(trace: Trace, label: str, name: str, values: Sequence[Scalar]) -> None:
        trace.write(label, name, values, *OF_BODY[name])

    def at(self, trace: Trace, label: str, name: str, point: int, size: int = 6) -> Vector:
        """The numbers of a body at one point."""
        values = self.of(trace, label, name, size * self.points.count)
        return values[size * point : size * (point + 1)]

    def nodes(self, trace: Trace, name: str) -> Matrix:
        """By coordinate, then by node after the first one."""
        return in_rows(self.get(trace, name, self.link.freedoms * self.points.degree), self.points.degree)

    def drives(self, trace: Trace) -> Matrix:
        """Forces of actuators by coordinate, then by point."""
        count = self.points.acting
        return in_rows(self.get(trace, "drive", self.link.freedoms * count), count)

    def axes(self, trace: Trace) -> list[list[tuple[Vector, Vector]]]:
        """S and S' by coordinate, then by point."""
        count = self.points.count
        values = in_rows(self.get(trace, "points_axes", 12 * count * self.link.freedoms), 12)
        pairs = [(row[:6], row[6:]) for row in values]
        return [pairs[count * k : count * (k + 1)] for k in range(self.link.freedoms)]

    def add_below(self, trace: Trace, name: str, values: Vector, place: Place) -> None:
        """Into a sum of the body below, which the first of those that it carries begins."""
        if not self.link.below:
            return
        if not place.first:
            values = blocks_sum(self.of(trace, BELOW, name, len(values)), values)
        self.write(trace, BELOW, name, values)

    def borne(self, trace: Trace, name: str, size: int, place: Place) -> Vector:
        """What the body has of those that it carries; zeros of a leaf."""
        return self.of(trace, OWN, name, size) if place.carries else [trace.graph.constant(0)] * size

    def squared_weights(self, trace: Trace) -> Vector:
        """What makes squares of velocities of squares of momenta, by coordinate."""
        return self.joint.get(trace, "weight", self.link.freedoms)


def is_slide(link: Link, k: int) -> bool:
    return k < link.slides


# --- algebra of six numbers -------------------------------------------------------------------------------------------
def in_rows(values: Sequence[Scalar], columns: int) -> Matrix:
    return [list(values[k : k + columns]) for k in range(0, len(values), columns)] if columns else []


def bracket(x: Vector, y: Vector) -> Vector:
    """ad_x y."""
    return [*cross(x[:3], y[:3]), *blocks_sum(cross(x[3:], y[:3]), cross(x[:3], y[3:]))]


def dual_bracket(mu: Vector, x: Vector) -> Vector:
    """[mu] x = ad_xᵀ mu."""
    return [*blocks_sum(cross(mu[:3], x[:3]), cross(mu[3:], x[3:])), *cross(mu[3:], x[:3])]


def dual(axes: Matrix) -> Matrix:
    """Rows d of three axes e with d_j · e_k = 1 where j = k, else 0."""
    first, second, third = axes
    crossed = cross(second, third), cross(third, first), cross(first, second)
    total = first[0] * crossed[0][0] + first[1] * crossed[0][1] + first[2] * crossed[0][2]
    return [scaled(row, 1 / total) for row in crossed]


def skew(a: Vector, zero: Scalar) -> Matrix:
    """a^."""
    return [[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]]


def combined(factor: Fraction | Scalar, x: Vector, other: Fraction | Scalar, y: Vector, graph: Graph) -> Vector:
    """factor x + other y."""
    factor, other = (graph.constant(f) if isinstance(f, Fraction) else f for f in (factor, other))
    return blocks_sum(scaled(x, factor), scaled(y, other))


def twist(axis: Vector, anchor: Vector, slides: bool, pitch: Scalar | None, zero: Scalar) -> Vector:
    """S."""
    if slides:
        return [zero] * 3 + list(axis)
    lever = cross(anchor, axis)
    return [*axis, *(blocks_sum(lever, scaled(axis, pitch)) if pitch is not None else lever)]
