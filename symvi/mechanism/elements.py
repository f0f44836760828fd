"""Bodies, joints, couplings and drivers: the nouns of a mechanism. Forces are in forces.py, shapes in shapes.py.

Units are SI, angles are in rad, quaternions (w, x, y, z) turn body components into world components.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, WithJsonSchema

from symvi.errors import MechanismError
from symvi.mechanism.checks import signal_complaints
from symvi.mechanism.description import Complaint, Description
from symvi.mechanism.inertia import RELATIVE_TOLERANCE, Inertia6, from_matrix, inertia_problem, principal_moments
from symvi.mechanism.joint_checks import joint_complaints
from symvi.mechanism.names import WORLD, did_you_mean, shown
from symvi.mechanism.shapes import AnyShape, shape_inertia
from symvi.mechanism.values import (
    LARGEST,
    SMALLEST,
    TOO_LARGE,
    TOO_SMALL,
    Color,
    Expressions,
    Given,
    MaybeOneOrMore,
    MaybeQuaternion,
    MaybeUnitVector,
    MaybeVector,
    Name,
    Number,
    Parameters,
    ParameterTable,
    Positive,
    Quaternion,
    Text,
    UnitVector,
    Vector,
    field,
    field_from,
    items_of,
    numbers,
)
from symvi.registry import JOINTS, OWN_FIELDS

if TYPE_CHECKING:
    from symvi.mechanism.values import Numbers

__all__ = ["Body", "Coupling", "Driver", "Joint"]


def _inertia(value: object) -> tuple[float, ...]:
    """Six entries; three are taken as the diagonal, and a symmetric matrix as what it is."""
    entries = _of_matrix(value) or numbers(value)
    if len(entries) not in (3, 6):
        raise ValueError(
            "must have 6 entries ixx, iyy, izz, ixy, ixz, iyz, or 3 on the diagonal, or be a 3 x 3 matrix, "
            f"not {len(entries)}"
        )
    ixx, iyy, izz, ixy, ixz, iyz = entries if len(entries) == 6 else (*entries, 0.0, 0.0, 0.0)
    inertia = (ixx, iyy, izz, ixy, ixz, iyz)
    problem = inertia_problem(inertia) or _size_problem(inertia)
    if problem:
        raise ValueError(problem)
    return inertia


def _size_problem(inertia: Inertia6) -> str:
    """Why an inertia cannot be computed with; empty if it can. No inertia at all is that of a point."""
    largest = max(map(abs, inertia))
    return TOO_LARGE if largest > LARGEST else f"{TOO_SMALL}, or give (0, 0, 0)" if 0.0 < largest < SMALLEST else ""


def _of_matrix(value: object) -> Inertia6 | None:
    """The six entries of three rows of three numbers; None for anything else. Raises ValueError if not symmetric."""
    rows = items_of(value) or []
    if len(rows) != 3 or not all(isinstance(row, Iterable) and not isinstance(row, (str, bytes)) for row in rows):
        return None
    matrix = tuple(numbers(row, 3) for row in rows)
    tolerance = RELATIVE_TOLERANCE * max(abs(x) for row in matrix for x in row)  # a program may have turned it
    if any(abs(matrix[i][k] - matrix[k][i]) > tolerance for i in range(3) for k in range(i)):
        raise ValueError("must be a symmetric matrix")
    return from_matrix(matrix)


def _joint_type(value: object) -> str:
    if not isinstance(value, str) or value not in JOINTS:
        raise ValueError(f"is no joint type; {did_you_mean(value if isinstance(value, str) else '', tuple(JOINTS))}")
    return value


class _JointTypes:
    """The schema of a joint's type: the names of those that are registered when it is asked for."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        return {"enum": list(JOINTS)}


_ENTRIES = {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 6}
_MATRIX = {"type": "array", "items": {**_ENTRIES, "maxItems": 3}, "minItems": 3, "maxItems": 3}
if TYPE_CHECKING:
    Inertia = Given[Inertia6, Numbers | Sequence[Numbers] | None]
else:
    Inertia = Annotated[Inertia6, BeforeValidator(_inertia), WithJsonSchema({"anyOf": [_ENTRIES, _MATRIX]})]
JointType = Annotated[str, BeforeValidator(_joint_type), _JointTypes()]


class Body(Description):
    """A rigid body with its own frame, which may lie away from the centre of mass.

    inertia: (ixx, iyy, izz, ixy, ixz, iyz) [kg m^2] about the centre of mass in the axes of the body frame. Left out,
        it is that of a uniform solid of the given shape and mass, and the centre of mass is that of the shape.
        (0, 0, 0) makes a point mass, which is legal where joints hold its rotation.
    position, orientation: start placement of the body frame in the world. Both left out: from the joints (see
        placement.py). Only a position: not turned. Only an orientation: the position comes from the joints.
    velocity, angular_velocity: start velocity of the centre of mass [m/s, world axes] and angular velocity [rad/s,
        body axes]. Both left out: from the joints. One left out: zero.
    """

    label: ClassVar[str] = "body"
    name: Name = field(..., "name of the body")
    mass: Positive = field(..., "mass", "kg")
    inertia: Inertia = field(None, "ixx, iyy, izz, ixy, ixz, iyz about the centre of mass in body axes", "kg m^2")
    center_of_mass: Vector = field(None, "centre of mass in the body frame", "m")
    shape: AnyShape = field(None, "what the body looks like, and the source of its inertia if none is given")
    position: MaybeVector = field(None, "start position of the body frame in the world", "m")
    orientation: MaybeQuaternion = field(None, "start orientation of the body frame in the world", "orientation")
    velocity: MaybeVector = field(None, "start velocity of the centre of mass in world axes", "m/s")
    angular_velocity: MaybeVector = field(None, "start angular velocity in body axes", "rad/s")
    color: Color | None = field(None, "colour on a page, like #3366cc")

    def defaults(self) -> dict[str, Any]:
        """Inertia and centre of mass come from the shape together, or not at all: one is about the other."""
        without_shape = {"center_of_mass": (0.0, 0.0, 0.0)}
        if self.shape is None:
            return without_shape
        solid = {"inertia": shape_inertia(self.shape, self.mass), "center_of_mass": self.shape.position}
        if self.inertia is None:
            return solid if self.center_of_mass in (None, self.shape.position) else {}
        both = {"inertia": self.inertia, "center_of_mass": self.center_of_mass}
        return solid if both == solid else without_shape

    def complaints(self) -> Iterator[Complaint]:
        if self.inertia is None and self.shape is None:
            yield Complaint((), "inertia is missing; give six entries, or a shape (a point mass has inertia (0, 0, 0))")
        elif self.inertia is None and self.shape is not None:
            yield Complaint(
                ("center_of_mass",),
                f"center_of_mass {shown(self.center_of_mass)} is not that of the shape, {shown(self.shape.position)}; "
                "leave it out, or give the inertia about it",
            )
        elif problem := _size_problem(self.inertia):
            yield Complaint((), f"inertia {shown(self.inertia)}, of its shape and mass, {problem}")

    @property
    def has_zero_inertia(self) -> bool:
        """Whether a principal moment is zero: a point mass or a line of mass, whose rotation joints must hold."""
        smallest, _, largest = principal_moments(self.inertia)
        return smallest <= 1e-12 * largest


class Joint(Description):
    """A joint between a parent (a body or the world) and a child body.

    The joint frame stands on the parent at parent_anchor, turned by orientation. At zero coordinates the child frame
    is parallel to it and child_anchor lies on its origin.

    type: one of the registered types; what each holds and what it leaves free is in symvi/joints.
    axis: the third direction of the joint's triad, in the joint frame (its length is made one).
    pitch: of a screw [m/rad]. length: of a distance [m]. child_axis: of a universal joint, in the child frame, at
        right angles to axis; left out, the first direction of the triad.
    coordinate, velocity: start values of the minimal coordinates [m or rad] and their rates: a number for one
        coordinate, a list for several; translations along the triad first, then rotations.
    expressions, parameters: of a custom joint, rows that are held at zero (see grammar.py). Types that were registered
        from outside have their own numbers in parameters.
    """

    label: ClassVar[str] = "joint"
    name: Name = field(..., "name of the joint")
    type: JointType = field(..., "type of the joint")
    parent: Text = field(WORLD, "the body, or world, that carries the joint frame")
    child: Text = field(..., "the body that moves in the joint frame")
    parent_anchor: Vector = field((0.0, 0.0, 0.0), "origin of the joint frame in the parent's body frame", "m")
    child_anchor: Vector = field((0.0, 0.0, 0.0), "the child's point of the joint in its body frame", "m")
    axis: UnitVector = field((0.0, 0.0, 1.0), "axis in the joint frame")
    orientation: Quaternion = field((1.0, 0.0, 0.0, 0.0), "joint frame relative to the parent frame", "orientation")
    pitch: Number | None = field(None, "advance of a screw per angle", "m/rad")
    length: Positive | None = field(None, "length of a distance joint", "m")
    child_axis: MaybeUnitVector = field(None, "second axis of a universal joint in the child's body frame")
    coordinate: MaybeOneOrMore = field(None, "start values of the minimal coordinates", "coordinate")
    velocity: MaybeOneOrMore = field(None, "start rates of the minimal coordinates", "coordinate/s")
    expressions: Expressions = field((), "rows of a custom joint")
    parameters: ParameterTable = field_from(Parameters, "named numbers in the expressions", "any")

    def defaults(self) -> dict[str, Any]:
        found = JOINTS[self.type].defaults(self)
        if not (isinstance(found, Mapping) and {*found} <= {*OWN_FIELDS}):
            of = f"a table of values for {', '.join(OWN_FIELDS)}"
            raise MechanismError(f"joint type '{self.type}': defaults returned {found!r}, but must return {of}")
        return dict(found)

    def complaints(self) -> Iterator[Complaint]:
        return joint_complaints(self)


class Coupling(Description):
    """A gear between two joints with one free axis each: c1 - ratio c2 - offset = 0 on their unwrapped coordinates."""

    label: ClassVar[str] = "coupling"
    name: Name = field(..., "name of the coupling")
    joints: tuple[Text, Text] = field(..., "the two joints, each with one free axis")
    ratio: Number = field(..., "change of the first coordinate per change of the second")
    offset: Number = field(0.0, "first coordinate where the second is zero", ("m", "rad"))


class Driver(Description):
    """A joint coordinate that follows an input u: c - u = 0.

    signal: u as a text in t [s]; left out, u is an input of the simulation.
    coordinate: which of the joint's minimal coordinates, counted from 0.
    """

    label: ClassVar[str] = "driver"
    name: Name = field(..., "name of the driver")
    joint: Text = field(..., "the driven joint")
    signal: Text | None = field(None, "the coordinate as a text in t")
    coordinate: int = Field(
        default=0, ge=0, strict=True, description="which minimal coordinate of the joint, counted from 0"
    )

    def complaints(self) -> Iterator[Complaint]:
        return signal_complaints((self.signal,))
