"""The numbers of a description that a run may change, and what the solver makes of each.

The solver measures points from centres of mass, keeps a gear's ratio with its sign turned, and the cosine of a rest
angle instead of the angle. What has no field of its own in a description (triads, unit vectors, scales) follows from
several of its fields at once, and is tied to others: none of it may be changed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symvi.errors import MechanismError
from symvi.mechanism import Contact, Force, Joint, Mechanism, axis_values, coordinate_kinds
from symvi.mechanism.contacts import contact_points
from symvi.mechanism.forces import AlongJoint
from symvi.mechanism.names import WORLD
from symvi.mechanism.vectors import Vector3, subtract
from symvi.registry import CONTACTS, FORCES, JOINTS

if TYPE_CHECKING:  # a process that finds its library in the cache derives nothing
    from symvi.physics.model import Parameter

Values = tuple[float, ...]

OWN_PARAMETER = "par_"  # before the names of a user's parameters among the solver's
PAIRS = "pairs (title, Described), see symvi.numbers.settings.plain"


@dataclass(frozen=True)
class Described:
    """A parameter of the description: its value there, and the solver's parameters and numbers for a value."""

    value: Values
    numbers: Callable[[Values], Mapping[str, Values]]

    @property
    def shown(self) -> float | Values:
        """The value as readers see it: a number, or several."""
        first, *others = self.value
        return self.value if others else first


def described_numbers(mechanism: Mechanism) -> Iterator[tuple[str, Described]]:
    """Every one, by its name in the description: gravity, arm.mass, elbow.parent_anchor, spring.stiffness."""
    yield "gravity", same("common.gravity", mechanism.gravity)
    for body in mechanism.bodies:
        yield f"{body.name}.mass", same(f"{body.name}.mass", (body.mass,))
        yield f"{body.name}.inertia", same(f"{body.name}.inertia", body.inertia)
    for joint in mechanism.joints:
        yield from _of_joint(mechanism, joint)
    for coupling in mechanism.couplings:
        minus = f"{coupling.name}.minus_ratio"
        yield f"{coupling.name}.ratio", Described((coupling.ratio,), lambda v, minus=minus: {minus: (-v[0],)})
        yield f"{coupling.name}.offset", same(f"{coupling.name}.offset", (coupling.offset,))
    for force in mechanism.forces:
        yield from _of_force(mechanism, force)
    points: dict[str, list[str]] = {}
    for point in contact_points(mechanism):
        points.setdefault(point.contact.name, []).append(point.name)
    for contact in mechanism.contacts:
        yield from _of_contact(mechanism, contact, points[contact.name])
    for limit in mechanism.limits:
        for side in ("lower", "upper"):
            if getattr(limit, side) is not None:
                yield f"{limit.name}.{side}", same(f"{limit.name}.{side}", (getattr(limit, side),))


def same(name: str, value: Values) -> Described:
    """A number that the solver has as it is."""
    return Described(tuple(value), lambda values: {name: values})


def point(mechanism: Mechanism, body: str, name: str, value: Vector3) -> Described:
    """A point of a body, which the solver measures from its centre of mass."""
    center = (0.0, 0.0, 0.0) if body == WORLD else mechanism.body(body).center_of_mass

    def from_center(values: Values) -> dict[str, Values]:
        x, y, z = values
        return {name: subtract((x, y, z), center)}

    return Described(value, from_center)


def anchors(mechanism: Mechanism, element) -> Iterator[tuple[str, Described]]:
    """Both points of an element."""
    name = element.name
    yield f"{name}.parent_anchor", point(mechanism, element.parent, f"{name}.anchor_a", element.parent_anchor)
    yield f"{name}.child_anchor", point(mechanism, element.child, f"{name}.anchor_b", element.child_anchor)


def own_parameters(element) -> Iterator[tuple[str, Described]]:
    """Named numbers of the user's own."""
    for name, value in element.parameters.items():
        yield f"{element.name}.{name}", same(f"{element.name}.{OWN_PARAMETER}{name}", (value,))


def _of_joint(mechanism: Mechanism, joint: Joint) -> Iterator[tuple[str, Described]]:
    if JOINTS[joint.type].is_own:
        yield from own_parameters(joint)
        return
    yield from anchors(mechanism, joint)
    for field in ("pitch", "length"):
        if getattr(joint, field) is not None:
            yield f"{joint.name}.{field}", same(f"{joint.name}.{field}", (getattr(joint, field),))
    yield from own_parameters(joint)


def _of_force(mechanism: Mechanism, force: Force) -> Iterator[tuple[str, Described]]:
    """Raises MechanismError where the record of a kind of force gives something else."""
    found = FORCES[force.kind].numbers(mechanism, force)
    try:
        pairs = iter(found)
    except TypeError:
        raise MechanismError(f"{_title(force)}: numbers returned {found!r}, but must give {PAIRS}") from None
    for pair in pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], Described)):
            raise MechanismError(f"{_title(force)}: numbers gave {pair!r}, but must give {PAIRS}")
        yield pair


def _title(force: Force) -> str:
    return f"force '{force.name}': kind of force '{force.kind}'"


def number_problems(mechanism: Mechanism, force: Force, parameters: Mapping[str, Parameter]) -> Iterator[str]:
    """What is wrong with the numbers of a force that a run may change; parameters: of its model.

    Raises MechanismError where they are none.
    """
    for title, described in _of_force(mechanism, force):
        for own, values in described.numbers(described.value).items():
            element, _, field = own.partition(".")
            if element != force.name:
                yield f"numbers: {title} sets '{own}', but must set its own: '{force.name}.NAME'"
            elif field not in parameters:
                known = ", ".join(parameters)
                yield f"numbers: {title} sets '{own}', but the parameters of its model are {known or 'none'}"
            elif len(values) != len(parameters[field].values):
                there = len(parameters[field].values)
                yield f"numbers: {title} sets {len(values)} numbers of '{own}', which has {there}"


def plain(element: Force | Contact, *fields: str) -> Iterator[tuple[str, Described]]:
    """Fields whose numbers are the solver's own."""
    for field in fields:
        yield f"{element.name}.{field}", same(f"{element.name}.{field}", (getattr(element, field),))


def per_axis(mechanism: Mechanism, force: AlongJoint, *fields: str) -> Iterator[tuple[str, Described]]:
    """Fields with a number for every free axis of the force's joint."""
    kinds = coordinate_kinds(mechanism.joint(force.joint).type)
    for field in fields:
        yield f"{force.name}.{field}", same(f"{force.name}.{field}", axis_values(getattr(force, field), kinds))


def _of_contact(mechanism: Mechanism, contact: Contact, points: list[str]) -> Iterator[tuple[str, Described]]:
    """Of one point; the points of a whole shape have their friction in common, and the rest from their shape."""
    if contact.friction > 0.0:
        each = tuple(f"{name}.friction" for name in points)
        yield f"{contact.name}.friction", Described((contact.friction,), lambda values: dict.fromkeys(each, values))
    if contact.whole_shape:
        return
    settings = CONTACTS[contact.kind].settings or _of_surface
    yield from settings(mechanism, contact)


def _of_surface(mechanism: Mechanism, contact: Contact) -> Iterator[tuple[str, Described]]:
    """What a kind of contact that says nothing of its own has."""
    yield from anchors(mechanism, contact)
    yield from own_parameters(contact)
