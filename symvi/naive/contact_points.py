"""Contacts by their plain definitions (BSMH23 section 2): gaps, normals, arms, and how surfaces slide.

A gap is a number of two placements. Its normal is the direction in which the child's way opens it, at the first knot;
its impulse does the virtual work gamma d phi. Friction does the work of beta with the material points at the contact
point of the first knot. Sliding is a displacement over the step, divided by h: the mean of those of the two material
points of a body that are at the contact point at the first and at the second knot. Of a sphere it is that of the
centre, and of its surface, which turns about the centre at w, with the mean of the normals at both knots.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from symvi.mechanism.contacts import ContactPoint
from symvi.naive.discrete_body import slopes_by_place
from symvi.naive.expressions import rows_of_expressions
from symvi.naive.quaternion import add, cross, dot, rotate, scale, subtract, unrotate
from symvi.registry import CONTACTS, ContactKind

SHORT = "1e-30"  # below the root of an axis' length, so that it exists before a start too
HALF = Fraction(1, 2)
UNITS = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


@dataclass(frozen=True)
class Touch:
    """Where bodies touch: |d phi/dx| for the child's position, 1 where a gap is a distance; the normal; the point."""

    steepness: object
    normal: list
    place: list


@dataclass(frozen=True)
class NaiveContact:
    """One contact point at the first knot of a scene.

    gap: a function of the placements of the parent and the child. touch: a function of placements by name, a Touch.
    arms: by body, from its centre of mass to the contact point. plane: two axes of the tangent plane, where a linear
    cone needs them. is_under_a_sphere: whether the point is one of the surface of the child's sphere.
    """

    point: ContactPoint
    numbers: dict
    gap: Callable
    touch: Callable
    at: Touch
    arms: dict[str, list]
    plane: tuple[list, list] | None
    is_under_a_sphere: bool = True

    @property
    def kind(self) -> ContactKind:
        return CONTACTS[self.point.contact.kind]

    @property
    def steepness(self):
        return self.at.steepness

    @property
    def normal(self) -> list:
        return self.at.normal

    @property
    def place(self) -> list:
        return self.at.place

    @property
    def parent(self) -> str:
        return self.point.contact.parent

    @property
    def child(self) -> str:
        return self.point.contact.child

    @property
    def moving(self) -> tuple[str, ...]:
        return tuple(name for name in (self.parent, self.child) if name != "world")

    @property
    def cone(self) -> str:
        return self.point.contact.cone if self.point.contact.friction > 0 else "none"

    @property
    def ways(self) -> list[list]:
        """Directions of a linear cone in the contact's own tangent plane: half of them, then their opposites."""
        if self.plane is None:
            return []
        turns = zip(self.numbers["cosines"], self.numbers["sines"], strict=True)
        half = [add(scale(c, self.plane[0]), scale(s, self.plane[1])) for c, s in turns]
        return half + [scale(-1, way) for way in half]

    @property
    def carries_axis(self) -> bool:
        """Whether its tangent axis is carried from step to step, as no plane holds it."""
        return self.plane is not None and not self.kind.has_plane

    def sliding(self, first, second, spins, h) -> list:
        """The child's material point against the parent's over the step, by h, in the tangent plane.

        first, second: placements at both knots by body name; spins: angular velocities w over the step.
        """
        touches = (self.at, self.touch(second))
        moved = self._moved_on(self.child, first, second, spins, h, touches)
        if self.parent != "world":
            moved = subtract(moved, self._moved_on(self.parent, first, second, spins, h, touches))
        return tangential(self.normal, moved)

    def _moved_on(self, body: str, first, second, spins, h, touches) -> list:
        """How a body's surface moves at the contact point: the mean of both knots."""
        knots = [(*places[body], touch) for places, touch in zip((first, second), touches, strict=True)]
        centre = self._centre(body)
        if centre is None:
            arms = [unrotate(q, subtract(touch.place, x)) for x, q, touch in knots]
            return scale(HALF, add(*(_moved(first[body], second[body], arm, h) for arm in arms)))
        if body == self.child:
            rests = [scale(-self.numbers["radius"][0], touch.normal) for touch in touches]
        else:
            rests = [subtract(touch.place, add(x, rotate(q, centre))) for x, q, touch in knots]
        return add(_moved(first[body], second[body], centre, h), cross(spins[body], scale(HALF, add(*rests))))

    def _centre(self, body: str) -> list | None:
        """The centre of the sphere whose surface touches, from the body's centre of mass; None without a sphere."""
        if body == self.child:
            return self.numbers["anchor_b"] if self.is_under_a_sphere else None
        return self.numbers["anchor_a"] if self.kind.is_sphere else None

    def friction_pushes(self, body: str) -> list[list]:
        """The force and torque on a body of a friction impulse along each axis of the world."""
        sign = 1 if body == self.child else -1
        zero = self.arms[body][0] * 0
        axes = [[zero + sign * value for value in unit] for unit in UNITS]
        return [[*axis, *cross(self.arms[body], axis)] for axis in axes]


def _moved(first, second, arm, h) -> list:
    """The displacement of a point of a body over the step, by h."""
    return scale(1 / h, subtract(add(second[0], rotate(second[1], arm)), add(first[0], rotate(first[1], arm))))


def tangential(normal: list, u: list) -> list:
    return subtract(u, scale(dot(normal, u), normal))


def naive_contact(scene, first, point: ContactPoint) -> NaiveContact:
    """A contact point of a scene; `first`: placements at the first knot."""
    contact, numbers = point.contact, scene.parameters[point.name]
    kind = CONTACTS[contact.kind]
    gap, place = kind.naive(scene, contact, numbers), kind.place(scene, contact, numbers)

    def touch(places) -> Touch:
        opening = slopes_at(places, scene.zero)
        along = opening(contact.child, lambda moved: gap(moved[contact.parent], moved[contact.child]))[:3]
        steepness = scene.zero + 1 if kind.is_distance else scene.functions.sqrt(dot(along, along))
        normal = scale(1 / steepness, along)
        if place is not None:
            return Touch(steepness, normal, place(places[contact.parent], places[contact.child]))
        x, q = places[contact.child]
        centre = add(x, rotate(q, numbers["anchor_b"]))
        return Touch(steepness, normal, add(centre, scale(-numbers["radius"][0], normal)))

    at = touch(first)
    arms = {name: subtract(at.place, first[name][0]) for name in (contact.parent, contact.child) if name != "world"}
    plane = _plane(scene, point.name, contact, first[contact.parent], at.normal)
    return NaiveContact(point, numbers, gap, touch, at, arms, plane, place is None)


def expressions(scene, contact, numbers, texts) -> Callable:
    """Values of a user's texts, as a function of both placements."""
    user = {name: numbers[f"par_{name}"][0] for name in dict(contact.parameters)}
    origins = {side: numbers[f"origin_{side}"] for side in "ab"}
    return lambda a, b: rows_of_expressions(tuple(texts), user, origins, a, b, scene.functions)


def _plane(scene, name: str, contact, parent, normal: list) -> tuple[list, list] | None:
    """Axes of the tangent plane: those of a plane on the parent, or the last first axis brought into the new plane."""
    if contact.cone != "linear" or contact.friction == 0:
        return None
    if CONTACTS[contact.kind].has_plane:
        numbers = scene.parameters[name]
        return rotate(parent[1], numbers["t1"]), rotate(parent[1], numbers["t2"])
    across = tangential(normal, scene.states[name]["across"])
    guard = scene.functions.base["number"](SHORT)
    first = scale(1 / scene.functions.sqrt(dot(across, across) + guard), across)
    return first, cross(normal, first)


def slopes_at(first, zero) -> Callable:
    """slopes(name, function of placements): its six derivatives by a body's placement at the first knot."""

    def slopes(name, function):
        return slopes_by_place(lambda z: [function(first | {name: z})], first[name], zero)[0]

    return slopes
