"""Forces of a mechanism: springs, dampers, dry friction, actuators, servos, wrenches, potentials of the user's own.

A quantity "per free axis" of a joint follows its minimal coordinates (translations, then rotations). One number
stands for all axes where they are of one kind; a joint with both kinds needs one number each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, runtime_checkable

from pydantic import Field

from symvi.mechanism.checks import (
    expression_complaints,
    pair_complaints,
    parameter_complaints,
    sign_complaints,
    signal_complaints,
)
from symvi.mechanism.description import Complaint, Description
from symvi.mechanism.names import WORLD
from symvi.mechanism.partial import each
from symvi.mechanism.values import (
    Expression,
    MaybeSignals,
    Name,
    NotNegative,
    Parameters,
    ParameterTable,
    PerAxis,
    Text,
    Vector,
    field,
    field_from,
)
from symvi.registry import FORCES as RECORDS

__all__ = [
    "FORCES", "Actuator", "DryFriction", "Force", "JointDamper", "JointSpring", "PointSpring", "Potential", "Servo",
    "AlongJoint", "LEAST_BOUND", "Wrench", "axis_values",
]  # fmt: skip

LEAST_BOUND = 1e-9  # N, N m: an axis without dry friction; the interior point needs room between both bounds


class Force(Description):
    """What all forces share: a name, and a place in the table of kinds below."""

    label: ClassVar[str] = "force"
    name: Name = field(..., "name of the force")
    if TYPE_CHECKING:
        kind: str  # every class of forces has a default of its own


@runtime_checkable
class AlongJoint(Protocol):
    """What acts along the coordinates of one joint: most forces, and drivers and limits."""

    @property
    def name(self) -> str: ...
    @property
    def joint(self) -> str: ...


class JointSpring(Force):
    """A spring on a joint's minimal coordinates c, per free axis.

    linear: V = 1/2 stiffness (c - rest)^2. sinusoidal (joints with one rotation): V = stiffness (1 - cos(c - rest)),
    a torque of -stiffness sin(c - rest). Stiffness in N/m or N m/rad, rest in m or rad.
    """

    kind: Literal["joint_spring"] = "joint_spring"
    joint: Text = field(..., "the joint")
    stiffness: PerAxis = field(..., "stiffness per free axis", "stiffness")
    rest: PerAxis = field(0.0, "coordinates without force", "coordinate")
    law: Literal["linear", "sinusoidal"] = Field(default="linear", description="law of the spring")

    def complaints(self) -> Iterator[Complaint]:
        yield from sign_complaints("stiffness", self.stiffness)


class PointSpring(Force):
    """A spring between two points at a distance d, V = 1/2 stiffness (d - length)^2, and a damper, -damping d'."""

    kind: Literal["point_spring"] = "point_spring"
    parent: Text = field(WORLD, "the body, or world, of the first point")
    child: Text = field(..., "the body of the second point")
    parent_anchor: Vector = field((0.0, 0.0, 0.0), "first point in the parent's body frame", "m")
    child_anchor: Vector = field((0.0, 0.0, 0.0), "second point in the child's body frame", "m")
    stiffness: NotNegative = field(..., "stiffness", "N/m")
    length: NotNegative = field(..., "length without force", "m")
    damping: NotNegative = field(0.0, "damping of the distance", "N s/m")

    def complaints(self) -> Iterator[Complaint]:
        return pair_complaints(self.parent, self.child)


class JointDamper(Force):
    """A force -damping c' on a joint's minimal velocities, per free axis [N s/m or N m s/rad].

    Of three free rotations c' is the relative angular velocity in joint axes, not the rate of the rotation vector.
    """

    kind: Literal["joint_damper"] = "joint_damper"
    joint: Text = field(..., "the joint")
    damping: PerAxis = field(..., "damping per free axis", "damping")

    def complaints(self) -> Iterator[Complaint]:
        yield from sign_complaints("damping", self.damping)


class DryFriction(Force):
    """Coulomb friction in a joint, per free axis: at most this force or torque against the motion [N or N m].

    It holds the axis while less is needed for that, and is the bound itself while the axis moves. Of three free
    rotations the axes are those of the joint frame, and the motion is the relative angular velocity.
    """

    kind: Literal["dry_friction"] = "dry_friction"
    joint: Text = field(..., "the joint")
    bound: PerAxis = field(..., "largest friction force or torque per free axis", "effort")

    def complaints(self) -> Iterator[Complaint]:
        yield from sign_complaints("bound", self.bound)


class Actuator(Force):
    """A force or torque along each free axis of a joint, on the child, its opposite on the parent [N or N m].

    Of three free rotations these are torques about the axes of the joint frame, on the parent: they work on the
    relative angular velocity, not on the rate of the rotation vector.
    signal: one text in t per free axis; left out, they are inputs of the simulation.
    """

    kind: Literal["actuator"] = "actuator"
    joint: Text = field(..., "the joint")
    signal: MaybeSignals = field(None, "force or torque per free axis as texts in t")

    def complaints(self) -> Iterator[Complaint]:
        return signal_complaints(self.signal or ())


class Servo(Force):
    """A controller -stiffness (c - target) - damping (c' - target') on a joint with one free axis.

    signal: the target as a text in t, its rate being its derivative; left out, target and rate are inputs. A step takes
        both from both of its knots; a target that is held over a step, as by a controller, is followed to first order.
        Stiffness and damping are parameters; a run may also be given them for every step, as it is given inputs.
    """

    kind: Literal["servo"] = "servo"
    joint: Text = field(..., "the joint")
    stiffness: NotNegative = field(..., "gain on the coordinate", "stiffness")
    damping: NotNegative = field(..., "gain on the velocity", "damping")
    signal: Text | None = field(None, "target as a text in t")

    def complaints(self) -> Iterator[Complaint]:
        return signal_complaints(() if self.signal is None else (self.signal,))


class Wrench(Force):
    """A force [N] at a point of a body and a torque [N m], from outside.

    frame: the axes of the force, "world" or "body"; the torque is in the axes of the body.
    signal: six texts in t, force then torque; left out, they are inputs of the simulation.
    """

    kind: Literal["wrench"] = "wrench"
    body: Text = field(..., "the body")
    point: Vector = field((0.0, 0.0, 0.0), "where the force acts, in the body frame", "m")
    frame: Literal["world", "body"] = Field(default="world", description="axes of the force")
    signal: MaybeSignals = field(None, "three forces and three torques as texts in t")

    def complaints(self) -> Iterator[Complaint]:
        if self.signal is not None and len(self.signal) != 6:
            yield Complaint(("signal",), f"signal has {len(self.signal)} texts; a wrench has 6: force, then torque")
        yield from signal_complaints(self.signal or ())


class Potential(Force):
    """A potential energy [J] of the user's own: a text in the placements of two bodies and parameters (grammar.py)."""

    kind: Literal["potential"] = "potential"
    parent: Text = field(WORLD, "body a, or world")
    child: Text = field(..., "body b")
    expression: Expression = field(..., "the potential as a text in x_a, R_a, q_a, x_b, R_b, q_b and parameters")
    parameters: ParameterTable = field_from(Parameters, "named numbers in the expression", "any")

    def complaints(self) -> Iterator[Complaint]:
        return each(
            lambda: pair_complaints(self.parent, self.child),
            lambda: parameter_complaints(self.parameters),
            lambda: expression_complaints(("expression",), self.expression, self.parameters),
        )


class _Forces(Mapping[str, type[Force]]):
    """The classes of descriptions, by kind: of all that are registered (symvi/registry.py)."""

    def __getitem__(self, kind: str) -> type[Force]:
        if kind not in RECORDS:
            raise KeyError(kind)
        return RECORDS[kind].description()

    def __iter__(self) -> Iterator[str]:
        return iter(RECORDS)

    def __len__(self) -> int:
        return len(RECORDS)


FORCES: Mapping[str, type[Force]] = _Forces()


def axis_values(value: float | tuple[float, ...], kinds: tuple[str, ...]) -> tuple[float, ...]:
    """One value per free axis (kinds: those of joint_table.coordinate_kinds), from one number or one per axis.

    Zero is the same in every unit, so that it alone does for axes of both kinds; other numbers do not.
    Raises ValueError with the text of a complaint where that is not possible.
    """
    if isinstance(value, tuple):
        if len(value) != len(kinds):
            raise ValueError(f"has {len(value)} values, but the joint has {len(kinds)} free axes ({', '.join(kinds)})")
        return value
    if len(set(kinds)) > 1 and value != 0.0:
        raise ValueError(f"is one number, but the joint has free axes of both kinds: {', '.join(kinds)}; give each")
    return (value,) * len(kinds)
