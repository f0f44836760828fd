"""What the sweeps over a tree know of one type of joint: its link, its records, and what is read of these.

A joint's point o is its anchor on the body that it carries. Suffixes 1 and 2: of the first and of the second knot.
p: from the point of the body below to o; r: from o to the centre of mass; e: axes; N: what the joint's coordinates
move, about o.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symvi.kernels import common
from symvi.kernels.blocks import Matrix, Vector, cross
from symvi.kernels.body_kernels import BODY
from symvi.kernels.common import SHARED, single
from symvi.kernels.kernel import Block, Kernel, Port
from symvi.kernels.knots import Baked, Knots
from symvi.kernels.limit import KAPPA
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics.model import ConstraintModel, FixedTo, Laws
from symvi.scalar import Scalar

SOURCE = "derived here, in the manner of Featherstone"
ASKED, LED = "asked", "led"  # what drivers ask of the coordinates that they lead, and the impulses of theirs
BELOW = "k"  # the body that carries the joint
OWN = "i"  # the body that the joint carries
AGES = {"": "the last step", "_old": "the step before", "_older": "the step before that"}
MEANINGS = {
    "point_v": ("velocity of the anchor of its joint over this step", "m/s"),
    "arm1": ("from that anchor to the centre of mass, at the first knot", "m"),
    "arm2": ("the same at the second knot", "m"),
    "borne": ("impulses that bodies which it carries pass on to it, about that anchor", "N s, N m s"),
    "passed": ("the same, as reactions are made of", "N s, N m s"),
    "rest": ("what is open along the coordinates of its joint, as an impulse on it", "N s, N m s"),
    "carried": ("articulated inertia of bodies that it carries, about that anchor", "kg, kg m, kg m²"),
    "held": ("impulses that it lacks, which joints of the tree give it", "N s, N m s"),
    "left": ("what their eliminated joints leave of impulses, about that anchor", "N s, N m s"),
}
BENT = {
    "changed": "squares of the last change of the rates",
    "bent": "squares of how much it changed itself",
}
OF_JOINT = {
    "u": ("rates of the coordinates over this step", "m/s, rad/s"),
    "base": ("rates that the increment starts from", "m/s, rad/s"),
    "s": ("solved increment of the coordinates, then of their rates", "m/s, rad/s"),
    "offset1": ("d, from the anchor of the body below to that of the body that is carried, at the first knot", "m"),
    "offset2": ("the same at the second knot", "m"),
    "slope": ("change of rates by rotation vectors over h", "1"),
    "reach1": ("from the anchor of the body below to this one, at the first knot", "m"),
    "reach2": ("the same at the second knot", "m"),
    "axes1": ("axes of the coordinates at the first knot", "1"),
    "axes2": ("the same at the second knot", "1"),
    "against": ("impulses of laws against the coordinates", "N s, N m s"),
    KAPPA: ("slopes of all laws along the coordinates of the joint", "kg, kg m²"),
    "along1": ("slopes of these coordinates by a free turn of the body that is carried, at the first knot", "1"),
    "along2": ("the same at the second knot", "1"),
    "open": ("what the balance along the coordinates lacks, an impulse", "N s, N m s"),
    "weight": ("makes squares of velocities of squares of what is open", "1/kg², 1/(kg m²)²"),
    ASKED: ("increments that drivers ask of the coordinates that they lead", "m/s, rad/s"),
    LED: ("impulses of these drivers", "N s, N m s"),
    "bearing": ("impulse on the body that is carried, whose round-off a balance has", "N s"),
    "wrench": ("impulse on the body that is carried, about the anchor: force, torque", "N s, N m s"),
    "pivot": ("factors of E, the pivot of the coordinates", "kg, kg m²"),
    "back": ("E^-1 N1ᵀ A, what motions of the body below take from the coordinates", "1"),
    "lift": ("A N2, column by column", "kg, kg m²"),
}


@dataclass(frozen=True)
class Link:
    """A joint of the tree and the body that it carries.

    model: the joint's rows and parameters; of a body that nothing holds, None. outward: the body that is carried is the
    joint's body b. slides, turns: how many coordinates of each kind. axes: names of the axes of the coordinates, slides
    first, each as a vector that one of the two bodies carries. order: which coordinate of the joint each of them is.
    pitch: the parameter with the advance along the axis per angle about it, of a screw. driven: which of the
    coordinates drivers lead.
    """

    model: ConstraintModel | None
    outward: bool
    slides: int
    turns: int
    axes: tuple[FixedTo, ...]
    order: tuple[int, ...] = ()
    pitch: str | None = None
    driven: tuple[int, ...] = ()

    @property
    def freedoms(self) -> int:
        return self.slides + self.turns

    @property
    def solved(self) -> list[int]:
        """The coordinates that have a balance."""
        return [k for k in range(self.freedoms) if k not in self.driven]

    @property
    def own(self) -> str:
        """The label of the body that is carried."""
        return "b" if self.outward else "a"

    @property
    def below(self) -> str | None:
        """The label of the body below; None for the ground, and where nothing below counts."""
        label = "a" if self.outward else "b"
        return label if self.model is not None and not self.is_free and self.model.bodies[label] is not None else None

    @property
    def laws(self) -> Laws | None:
        """Springs, dampers and servos along the coordinates."""
        return self.model.laws if self.model is not None else None

    @property
    def slopes(self) -> bool:
        """Whether impulses along the coordinates have slopes."""
        return self.model is not None and bool(self.model.laws or self.model.stopped)

    @property
    def swings(self) -> bool:
        """Whether it slides along axes that turn with the body that is carried, not along the one it turns about."""
        return not self.outward and self.slides > 0 and self.turns > 0 and self.freedoms > 2

    @property
    def is_sprung(self) -> bool:
        """Whether laws act along three free rotations, and turn the body below as well."""
        return self.is_absolute and self.slopes

    @property
    def is_free(self) -> bool:
        """Whether the joint holds nothing."""
        return self.freedoms == 6

    @property
    def is_absolute(self) -> bool:
        """Whether the unknowns of its turn are the body's own angular velocity."""
        return self.turns == 3


@dataclass(frozen=True)
class Place:
    """Where in a tree a body stands: whether it carries others, and whether it is the first of its siblings to go.

    pressed: contacts add to all of its block.
    """

    carries: bool
    first: bool
    pressed: bool = False


Traced = tuple[Callable[[Trace], None], str]  # what traces a kernel, and what the kernel does
TracedAt = tuple[Callable[[Trace, Place], None], str]


class CarriedJoint:
    """One type of link in the tree. kind: of its records."""

    def __init__(
        self,
        records: Records,
        kind: str,
        link: Link,
        baked: Baked,
        block: Block,
        summed: bool,
        bordered: bool = False,
    ):
        """summed: residuals are complete once they are evaluated, so that what is open need not be summed again.

        bordered: rows close loops, so that control asks what steps depart by from what joints allow.
        """
        self.records, self.kind, self.link, self.baked = records, kind, link, baked
        self.block, self.summed, self.bordered = block, summed, bordered
        below = (Port(BELOW, BODY),) if link.below else ()
        self.ports = (SHARED, Port(kind, kind), Port(OWN, BODY), *below)
        self.joint_ports = self.ports[:2]
        if link.model is not None:
            moving = [label for label, body in link.model.bodies.items() if body is not None]
            self.joint_ports = (*self.ports[:2], *(Port(label, BODY) for label in moving))

    @property
    def model(self) -> ConstraintModel:
        """The joint: its rows and its parameters. Raises ValueError for a body that nothing holds."""
        if self.link.model is None:
            raise ValueError("a body that nothing holds has no joint")
        return self.link.model

    @property
    def own_laws(self) -> Laws:
        """Springs, dampers and servos along the coordinates. Raises ValueError where there are none."""
        if self.model.laws is None:
            raise ValueError(f"no laws act along joint '{self.model.name}'")
        return self.model.laws

    def moves(self, label: str) -> bool:
        return self.model.bodies[label] is not None

    def kernel(self, phase: str, build, text: str, ports: Sequence[Port] = (), role: str = "") -> Kernel:
        name = f"{phase}_{self.kind}{role}"
        return single(self.records, name, text, tuple(ports or self.ports), self.kind, build)

    def get(self, trace: Trace, name: str, size: int) -> Vector:
        return trace.read(self.kind, "work", name, size, *OF_JOINT[name]) if size else []

    def put(self, trace: Trace, name: str, values: Sequence[Scalar]) -> None:
        if values:
            trace.write(self.kind, name, values, *OF_JOINT[name])

    def of(self, trace: Trace, label: str, name: str, size: int) -> Vector:
        return trace.read(label, "work", name, size, *MEANINGS.get(name, ()))

    def axes(self, trace: Trace, name: str) -> Matrix:
        """Axes of the coordinates. Absolute turns have none."""
        count = self.link.slides + (0 if self.link.is_absolute else self.link.turns)
        values = self.get(trace, name, 3 * count)
        return [values[3 * k : 3 * k + 3] for k in range(count)]

    def pitch(self, trace: Trace) -> Scalar:
        return Knots(trace, self.model, self.baked).parameter(self.link.pitch or "")[0]

    def last_rates(self, trace: Trace, ages: Sequence[str]) -> list[Vector]:
        """The unknowns over the last steps, by age."""
        link, found = self.link, []
        for old in ages:
            if link.is_free:
                own = self.aged(trace, "v", old)
            else:
                text = f"rates of the coordinates over {AGES[old]}"
                count = link.slides if link.is_absolute else link.freedoms
                own = trace.read(self.kind, "state", f"u{old}", count, text, "m/s, rad/s") if count else []
            found.append(own + (self.aged(trace, "w", old) if link.is_absolute else []))
        return found

    @staticmethod
    def aged(trace: Trace, name: str, old: str) -> Vector:
        return trace.read(OWN, "state", f"{name}{old}", 3, *_said_of_age(name, old))

    def grow_older(self, trace: Trace, name: str, old: str) -> None:
        """Keep velocities of this age as those of the step before the last but one."""
        said = _said_of_age(name, "_older")
        trace.write(OWN, f"{name}_older", self.aged(trace, name, old), *said, store="state")

    def columns(self, trace: Trace, knot: str) -> Matrix:
        """N, column by column: what the coordinates move. A screw slides while it turns: [pitch e; e]."""
        columns = self.pushes(trace, knot)
        if not self.link.pitch:
            return columns
        pitch = self.pitch(trace)
        return [[*scaled(column[3:], pitch), *column[3:]] for column in columns]

    def pushes(self, trace: Trace, knot: str) -> Matrix:
        """Impulses of one along each coordinate: slides, then turns about the point; of absolute turns, every axis."""
        zero, one = trace.graph.constant(0), trace.graph.constant(1)
        unit = [[one if i == k else zero for i in range(3)] for k in range(3)]
        if self.link.is_free:
            moving, turning = unit, unit
        else:
            axes = self.axes(trace, f"axes{knot}")
            moving = axes[: self.link.slides]
            turning = unit if self.link.is_absolute else axes[self.link.slides :]
        return [[*axis, zero, zero, zero] for axis in moving] + [[zero, zero, zero, *axis] for axis in turning]

    def arm(self, trace: Trace, knot: str, at_anchor: bool = False) -> Vector:
        """From the joint's point to the centre of mass; at_anchor: from the anchor on the body itself."""
        if self.link.is_free:
            return [trace.graph.constant(0)] * 3
        arm = self.of(trace, OWN, f"arm{knot}", 3)
        if at_anchor or not self.link.swings:
            return arm
        return blocks_sum(arm, self.get(trace, f"offset{knot}", 3))

    def sum_of_carried(self, trace: Trace, name: str) -> Vector:
        """Impulses of what the body carries, about the joint's point."""
        found = self.of(trace, OWN, name, 6)
        if not self.link.swings:
            return found
        with trace.computing("W = [W_x; W_r + d1 x W_x]", SOURCE):
            lever = cross(self.get(trace, "offset1", 3), found[:3])
            return [*found[:3], *blocks_sum(found[3:], lever)]

    def along(self, trace: Trace, knot: str) -> Matrix:
        """C of three free rotations, a row for each coordinate that laws may act along."""
        count = self.model.freedoms - self.link.slides
        values = self.get(trace, f"along{knot}", 3 * count)
        return [values[3 * k : 3 * k + 3] for k in range(count)]

    @property
    def passed(self) -> int:
        """How many motions of the body below the joint passes on: all six, or those of the point alone."""
        return 3 if self.link.is_absolute and not self.link.is_sprung else 6

    def offset(self, trace: Trace, knot: str) -> Vector | None:
        """From the joint's point to the anchor on the body, where these are two."""
        return self.get(trace, f"offset{knot}", 3) if self.link.swings else None

    def reach(self, trace: Trace, knot: str) -> Vector:
        """From the point of the body below to that of the joint."""
        return self.get(trace, f"reach{knot}", 3)

    def pivot(self, trace: Trace) -> Matrix:
        """The factors of E, of the coordinates that have a balance."""
        n = len(self.link.solved)
        return as_rows(self.get(trace, "pivot", n * n), n)

    def back(self, trace: Trace) -> Matrix:
        """K = E^-1 N1ᵀ A; what drivers lead takes nothing from motions of the body below."""
        found = [[trace.graph.constant(0)] * self.passed for _ in range(self.link.freedoms)]
        values = self.get(trace, "back", self.passed * len(self.link.solved))
        for k, row in zip(self.link.solved, as_rows(values, self.passed), strict=True):
            found[k] = row
        return found

    def lift(self, trace: Trace) -> Matrix:
        """A N2."""
        return as_rows(self.get(trace, "lift", 6 * self.link.freedoms), self.link.freedoms)

    def increment(self, trace: Trace) -> Vector:
        """q, or what has come of it."""
        return self.get(trace, "s", self.link.freedoms)

    def set_increment(self, trace: Trace, q: Sequence[Scalar]) -> None:
        """Put another one in its place."""
        self.put(trace, "s", q)

    def motion(self, trace: Trace) -> Vector:
        """s of the body, about its own anchor."""
        s = trace.read(OWN, "work", "s", 6)
        if self.summed:
            return s
        moved = cross(s[3:], self.arm(trace, "2", at_anchor=True))
        return [*(a - b for a, b in zip(s[:3], moved, strict=True)), *s[3:]]


def mean_rate(trace: Trace, u: Scalar) -> Scalar:
    """How fast the angle of a hinge grows over the step."""
    t = common.half_step(trace) / 2 * u
    with trace.computing("rho = 4 atan((h/4) u)/h", SOURCE):
        turn = 2 * trace.graph.angle(t, trace.graph.constant(1), trace.graph.constant(0))
        return turn * common.inverse_step(trace)


def as_rows(values: Sequence[Scalar], columns: int) -> Matrix:
    return [list(values[k : k + columns]) for k in range(0, len(values), columns)]


def blocks_sum(left: Sequence[Scalar], right: Sequence[Scalar]) -> Vector:
    return [a + b for a, b in zip(left, right, strict=True)]


def scaled(vector: Sequence[Scalar], factor: Scalar) -> Vector:
    return [factor * x for x in vector]


def dot_sparse(trace: Trace, left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    """A sum of products, of which many are zero."""
    total = trace.graph.constant(0)
    for a, b in zip(left, right, strict=True):
        total = total + a * b
    return total


def about(matrix: Matrix, arm1: Vector, minus_arm2: Vector) -> Matrix:
    """[1, 0; r1^, 1] M [1, r2^; 0, 1] with r2 given: blocks about another point, its forces at the first knot.

    arm1: from the new point to the old one. minus_arm2: the negative of the same at the second knot.
    """
    right = [[*row[:3], *(a + b for a, b in zip(row[3:], cross(row[:3], minus_arm2), strict=True))] for row in matrix]
    columns = [cross(arm1, [right[r][k] for r in range(3)]) for k in range(6)]
    return [*right[:3], *([right[3 + r][k] + columns[k][r] for k in range(6)] for r in range(3))]


def _said_of_age(name: str, old: str) -> tuple[str, str]:
    """Meaning and unit of velocities of an earlier step."""
    kind = "angular velocity" if name == "w" else "velocity"
    return f"{kind} over {AGES[old]}", "rad/s" if name == "w" else "m/s"
