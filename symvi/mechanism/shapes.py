"""Shapes of bodies: what a page draws, and, for a uniform solid, where its mass lies.

Each shape stands in the body frame at `position` with `orientation`; its long axis is its own z axis and its centre
of mass its own origin. A uniform solid of mass m has about it, in its own axes, the principal moments
    box      m/12 (b^2 + c^2, a^2 + c^2, a^2 + b^2)
    cylinder m (r^2/4 + l^2/12, r^2/4 + l^2/12, r^2/2)
    sphere   2/5 m r^2
    capsule  a cylinder of length l with a half sphere on each end; the mass is shared by volume
(any table of moments of inertia; the papers' code has 1/2 m (r^2 + h^2/6) for a cylinder, which is wrong).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator

from symvi.errors import MechanismError
from symvi.mechanism.description import Complaint, Complaints, Description
from symvi.mechanism.inertia import Inertia6, turned
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.values import SMALLEST, TOO_SMALL, Given, Positive, Quaternion, Vector, field

__all__ = ["SHAPES", "AnyShape", "Box", "Capsule", "Cylinder", "Rod", "Shape", "Sphere", "shape_inertia"]

ROD_SLENDERNESS = 100.0


class Shape(Description):
    """A shape somewhere in the body frame."""

    position: Vector = field((0.0, 0.0, 0.0), "centre of the shape in the body frame", "m")
    orientation: Quaternion = field((1.0, 0.0, 0.0, 0.0), "shape frame relative to the body frame", "orientation")

    def principal(self, mass: float) -> tuple[float, float, float]:
        """Principal moments [kg m^2] of the uniform solid of this mass [kg], in the axes of the shape."""
        raise NotImplementedError(type(self).__name__)


class Box(Shape):
    """A cuboid with edges size = (x, y, z) [m] along its own axes."""

    label: ClassVar[str] = "box"
    kind: Literal["box"] = "box"
    size: Vector = field(..., "lengths of the three edges", "m")

    def complaints(self) -> Iterator[Complaint]:
        if min(self.size) <= 0.0:
            yield Complaint(("size",), f"size {shown(self.size)} must be positive in each direction")
        elif min(self.size) < SMALLEST:
            yield Complaint(("size",), f"size {shown(self.size)} {TOO_SMALL}")

    def principal(self, mass: float) -> tuple[float, float, float]:
        a, b, c = (edge * edge for edge in self.size)
        return (mass * (b + c) / 12.0, mass * (a + c) / 12.0, mass * (a + b) / 12.0)


class Cylinder(Shape):
    """A circular cylinder [m] about its own z axis."""

    label: ClassVar[str] = "cylinder"
    kind: Literal["cylinder"] = "cylinder"
    radius: Positive = field(..., "radius", "m")
    length: Positive = field(..., "length along the z axis of the shape", "m")

    def principal(self, mass: float) -> tuple[float, float, float]:
        return _cylinder_moments(mass, self.radius, self.length)


class Rod(Shape):
    """A thin cylinder [m] about its own z axis; without a radius it gets one hundredth of its length."""

    label: ClassVar[str] = "rod"
    kind: Literal["rod"] = "rod"
    length: Positive = field(..., "length along the z axis of the shape", "m")
    radius: Positive = field(None, "radius; one hundredth of the length if left out", "m")

    def defaults(self) -> dict[str, Any]:
        return {"radius": self.length / ROD_SLENDERNESS}

    def principal(self, mass: float) -> tuple[float, float, float]:
        return _cylinder_moments(mass, self.radius, self.length)


class Sphere(Shape):
    """A ball [m]."""

    label: ClassVar[str] = "sphere"
    kind: Literal["sphere"] = "sphere"
    radius: Positive = field(..., "radius", "m")

    def principal(self, mass: float) -> tuple[float, float, float]:
        moment = 0.4 * mass * self.radius**2
        return (moment, moment, moment)


class Capsule(Shape):
    """A cylinder [m] about its own z axis with a half sphere on each end; length is that of the cylinder alone."""

    label: ClassVar[str] = "capsule"
    kind: Literal["capsule"] = "capsule"
    radius: Positive = field(..., "radius of the cylinder and of its ends", "m")
    length: Positive = field(..., "length of the cylindrical part along the z axis of the shape", "m")

    def principal(self, mass: float) -> tuple[float, float, float]:
        r, length = self.radius, self.length
        ball = mass * (4.0 * r) / (4.0 * r + 3.0 * length)  # both ends together, by volume
        across, _, along = _cylinder_moments(mass - ball, r, length)
        # 2/5 r^2 about the centre of the ball, both halves moved apart by the length of the cylinder
        across += ball * (0.4 * r * r + 0.375 * r * length + 0.25 * length * length)
        return (across, across, along + 0.4 * ball * r * r)


def _cylinder_moments(mass: float, radius: float, length: float) -> tuple[float, float, float]:
    across = mass * (radius * radius / 4.0 + length * length / 12.0)
    return (across, across, mass * radius * radius / 2.0)


SHAPES: dict[str, type[Shape]] = {"box": Box, "cylinder": Cylinder, "rod": Rod, "sphere": Sphere, "capsule": Capsule}


def shape_inertia(shape: Shape, mass: float) -> Inertia6:
    """Inertia [kg m^2] of the uniform solid about its centre of mass, in the axes of the body it stands in."""
    return turned((*shape.principal(mass), 0.0, 0.0, 0.0), shape.orientation)


def _shape(value: object) -> object:
    """A shape from a table with its kind; pydantic's own union would raise the first problem only."""
    if value is None or isinstance(value, tuple(SHAPES.values())):
        return value
    if not isinstance(value, Mapping):
        raise ValueError(f"must be a shape; {did_you_mean('', SHAPES)}")
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in SHAPES:
        found = f"has the unknown kind {shown(kind)}" if "kind" in value else "has no kind"
        raise ValueError(f"{found}; {did_you_mean(str(kind), SHAPES)}")
    try:
        return SHAPES[kind](**value)
    except MechanismError as error:
        raise Complaints(map(Complaint, error.paths, error.problems)) from None


if TYPE_CHECKING:
    _Solid = Box | Cylinder | Rod | Sphere | Capsule | None
    AnyShape = Given[_Solid, _Solid | Mapping[str, object]]
else:
    AnyShape = Annotated[Box | Cylinder | Rod | Sphere | Capsule | None, BeforeValidator(_shape)]
