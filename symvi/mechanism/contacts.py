"""Contacts: points and spheres of a body that another body, or the world, lets no further than its surface.

A contact keeps a gap phi >= 0 [m] (BSMH23 section 2):

    half_space  phi = n·(x_b + R_b p_b - x_a - R_a p_a) - r_b        n = R_a normal, out of the solid
    sphere      phi = |x_b + R_b p_b - x_a - R_a p_a| - r_b - r_a
    gap         phi = the user's own expression of both placements

a is the parent and b the child, p their anchors and r their radii (r_b = 0: a point). Impacts are plastic: a body
that lands stays until something lifts it (restitution 0).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from symvi.mechanism.contact_checks import contact_complaints
from symvi.mechanism.description import Complaint, Description
from symvi.mechanism.names import WORLD, did_you_mean
from symvi.mechanism.rotation import rotate
from symvi.mechanism.shapes import Box, Capsule, Shape, Sphere
from symvi.mechanism.values import (
    Expressions,
    MaybeExpression,
    Name,
    NotNegative,
    Parameters,
    ParameterTable,
    Text,
    UnitVector,
    Vector,
    field,
    field_from,
)
from symvi.mechanism.vectors import Vector3, add
from symvi.registry import CONTACTS

if TYPE_CHECKING:
    from symvi.mechanism.mechanism import Mechanism

__all__ = ["Contact", "ContactPoint", "contact_points", "shape_points"]

MOST_DIRECTIONS = 360


def _kind(value: object) -> str:
    if not isinstance(value, str) or value not in CONTACTS:
        known = did_you_mean(value if isinstance(value, str) else "", tuple(CONTACTS))
        raise ValueError(f"is no kind of contact; {known}")
    return value


class _Kinds:
    """The schema of a contact's kind: the names of those that are registered when it is asked for."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        return {"enum": list(CONTACTS)}


ContactKindName = Annotated[str, BeforeValidator(_kind), _Kinds()]


class Contact(Description):
    """A body that a surface of another body, or of the world, holds off; impacts are plastic (restitution 0).

    kind: "half_space", the solid behind a plane of the parent; "sphere", a ball of the parent; "gap", the user's own;
        or one that is registered (symvi/registry.py).
    child_anchor, radius: the child's point, or the centre and radius of its sphere. For a gap without `point`, where
        friction acts: at this distance from the anchor, against the direction in which the gap opens.
    whole_shape: the points of the child's shape instead, all with this contact's parent, friction and cone: the eight
        corners of a box, a sphere, the two spheres that end a capsule.
    expression, parameters: of a gap, in the grammar of custom joints (grammar.py); x_a, R_a, q_a are the parent's.
    point: of a gap, where both bodies touch, in the world and in the same grammar. It must lie on the line along which
        the gap's force acts, which a gap with friction is checked for.
    friction: the coefficient of Coulomb's law; with 0 the contact has no friction variables at all.
    cone, directions: the friction law as a circular cone, or as the papers' pyramid with this many sides (BSMH23
        section 2), which is up to 1 - cos(pi/directions) too weak between its directions.
    """

    label: ClassVar[str] = "contact"
    name: Name = field(..., "name of the contact")
    kind: ContactKindName = field("half_space", "surface that the child meets")
    parent: Text = field(WORLD, "the body, or world, that carries the surface; body a of a gap")
    child: Text = field(..., "the body that meets it; body b of a gap")
    child_anchor: Vector = field((0.0, 0.0, 0.0), "point, or centre of the sphere, in the child's body frame", "m")
    radius: NotNegative = field(0.0, "radius of the child's sphere; 0 for a point", "m")
    whole_shape: bool = Field(
        default=False, strict=True, description="whether the points are those of the child's shape"
    )
    parent_anchor: Vector = field(
        (0.0, 0.0, 0.0), "point of the plane, or centre of the sphere, in the parent's body frame", "m"
    )
    normal: UnitVector = field((0.0, 0.0, 1.0), "normal of a half-space, out of the solid, in the parent's body frame")
    parent_radius: NotNegative = field(0.0, "radius of the parent's sphere", "m")
    expression: MaybeExpression = field(
        None, "gap [m] as a text in x_a, R_a, q_a, x_b, R_b, q_b and parameters, not negative where the bodies may be"
    )
    point: Expressions = field(
        (), "point of contact of a gap [m], world axes, three texts in the same names as the expression"
    )
    parameters: ParameterTable = field_from(
        Parameters, "named numbers in expression and point, or of a registered kind", "any"
    )
    friction: NotNegative = field(0.0, "coefficient of friction")
    cone: Literal["second_order", "linear"] = Field(default="second_order", description="form of the friction law")
    directions: int = Field(
        default=4, ge=4, le=MOST_DIRECTIONS, strict=True, description="sides of a linear cone, an even number"
    )

    def complaints(self) -> Iterator[Complaint]:
        return contact_complaints(self)


@dataclass(frozen=True)
class ContactPoint:
    """One point of a contact.

    name: that of the contact; with a number behind a dot, from 0, for the points of a whole shape
    anchor: point, or centre of the sphere, in the child's body frame [m]
    radius: of the child's sphere [m], 0 for a point
    """

    name: str
    contact: Contact
    anchor: Vector3
    radius: float


def contact_points(mechanism: Mechanism) -> tuple[ContactPoint, ...]:
    """The points of all contacts, in the order of the contacts."""
    return tuple(point for contact in mechanism.contacts for point in _points(mechanism, contact))


def _points(mechanism: Mechanism, contact: Contact) -> Iterator[ContactPoint]:
    if not contact.whole_shape:
        yield ContactPoint(contact.name, contact, contact.child_anchor, contact.radius)
        return
    for k, (anchor, radius) in enumerate(shape_points(mechanism.body(contact.child).shape)):
        yield ContactPoint(f"{contact.name}.{k}", contact, anchor, radius)


def shape_points(shape: Shape | None) -> tuple[tuple[Vector3, float], ...]:
    """(centre in the body frame, radius) [m] of the points or spheres that stand for a whole shape.

    A box has its corners in the order of the signs of (x, y, z): ---, --+, -+-, -++, +--, +-+, ++-, +++; a capsule has
    the sphere at -z of its own axis first. Raises ValueError with the text of a complaint for any other shape.
    """
    centres: list[Vector3]
    match shape:
        case Box():
            x, y, z = (0.5 * edge for edge in shape.size)
            centres, radius = list(product((-x, x), (-y, y), (-z, z))), 0.0
        case Sphere():
            centres, radius = [(0.0, 0.0, 0.0)], shape.radius
        case Capsule():
            centres, radius = [(0.0, 0.0, -0.5 * shape.length), (0.0, 0.0, 0.5 * shape.length)], shape.radius
        case _:
            found = "the child has no shape" if shape is None else f"the child's shape is a {shape.label}"
            raise ValueError(f"{found}; give it a box, sphere or capsule, or one contact for each of its points")
    return tuple((add(shape.position, rotate(shape.orientation, centre)), radius) for centre in centres)
