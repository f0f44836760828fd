"""The numbers of a description that a run may change, and what the solver makes of each.

The solver measures points from centres of mass, keeps a gear's ratio with its sign turned, and the cosine of a rest
angle instead of the angle. What has no field of its own in a description (triads, unit vectors, scales) follows from
several of its fields at once, and is tied to others: none of it may be changed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import cos, sin

from symvi.mechanism import Contact, Force, Joint, Mechanism, axis_values, coordinate_kinds
from symvi.mechanism.contacts import contact_points
from symvi.mechanism.forces import LEAST_BOUND
from symvi.mechanism.names import WORLD
from symvi.mechanism.vectors import subtract
from symvi.registry import JOINTS

Values = tuple[float, ...]

OWN_PARAMETER = "par_"  # before the names of a user's parameters among the solver's
PLAIN = {  # kind of force -> fields whose numbers are the solver's own
    "point_spring": ("stiffness", "length", "damping"),
    "servo": ("stiffness", "damping"),
}
PER_AXIS = {"joint_spring": ("stiffness", "rest"), "joint_damper": ("damping",), "dry_friction": ("bound",)}


@dataclass(frozen=True)
class Described:
    """A parameter of the description: its value there, and the solver's parameters and numbers for a value."""

    value: Values
    numbers: Callable[[Values], Mapping[str, Values]]


def described_numbers(mechanism: Mechanism) -> Iterator[tuple[str, Described]]:
    """Every one, by its name in the description: gravity, arm.mass, elbow.parent_anchor, spring.stiffness."""
    yield "gravity", _same("common.gravity", mechanism.gravity)
    for body in mechanism.bodies:
        yield f"{body.name}.mass", _same(f"{body.name}.mass", (body.mass,))
        yield f"{body.name}.inertia", _same(f"{body.name}.inertia", body.inertia)
    for joint in mechanism.joints:
        yield from _of_joint(mechanism, joint)
    for coupling in mechanism.couplings:
        minus = f"{coupling.name}.minus_ratio"
        yield f"{coupling.name}.ratio", Described((coupling.ratio,), lambda v, minus=minus: {minus: (-v[0],)})
        yield f"{coupling.name}.offset", _same(f"{coupling.name}.offset", (coupling.offset,))
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
                yield f"{limit.name}.{side}", _same(f"{limit.name}.{side}", (getattr(limit, side),))


def _same(name: str, value: Values) -> Described:
    return Described(tuple(value), lambda values: {name: values})


def _point(mechanism: Mechanism, body: str, name: str, value: Values) -> Described:
    """A point of a body, which the solver measures from its centre of mass."""
    center = (0.0, 0.0, 0.0) if body == WORLD else mechanism.body(body).center_of_mass
    return Described(value, lambda values: {name: subtract(values, center)})


def _anchors(mechanism: Mechanism, element) -> Iterator[tuple[str, Described]]:
    name = element.name
    yield f"{name}.parent_anchor", _point(mechanism, element.parent, f"{name}.anchor_a", element.parent_anchor)
    yield f"{name}.child_anchor", _point(mechanism, element.child, f"{name}.anchor_b", element.child_anchor)


def _own_parameters(element) -> Iterator[tuple[str, Described]]:
    for name, value in element.parameters.items():
        yield f"{element.name}.{name}", _same(f"{element.name}.{OWN_PARAMETER}{name}", (value,))


def _of_joint(mechanism: Mechanism, joint: Joint) -> Iterator[tuple[str, Described]]:
    if JOINTS[joint.type].is_own:
        yield from _own_parameters(joint)
        return
    yield from _anchors(mechanism, joint)
    for field in ("pitch", "length"):
        if getattr(joint, field) is not None:
            yield f"{joint.name}.{field}", _same(f"{joint.name}.{field}", (getattr(joint, field),))
    yield from _own_parameters(joint)


def _of_force(mechanism: Mechanism, force: Force) -> Iterator[tuple[str, Described]]:
    for field in PLAIN.get(force.kind, ()):
        if force.kind == "point_spring" and field in ("length", "damping") and getattr(force, field) == 0.0:
            continue  # one without a length, or without damping, is another law
        yield f"{force.name}.{field}", _same(f"{force.name}.{field}", (getattr(force, field),))
    if force.kind in PER_AXIS:
        yield from _per_axis(mechanism, force)
    elif force.kind == "point_spring":
        yield from _anchors(mechanism, force)
    elif force.kind == "wrench":
        yield f"{force.name}.point", _point(mechanism, force.body, f"{force.name}.point", force.point)
    elif force.kind == "potential":
        yield from _own_parameters(force)


def _per_axis(mechanism: Mechanism, force: Force) -> Iterator[tuple[str, Described]]:
    kinds = coordinate_kinds(mechanism.joint(force.joint).type)
    name, sinusoidal = force.name, getattr(force, "law", "") == "sinusoidal"
    for field in PER_AXIS[force.kind]:
        values = axis_values(getattr(force, field), kinds)
        if sinusoidal:
            values = (values[kinds.index("rotation")],)
        if sinusoidal and field == "rest":
            yield (
                f"{name}.rest",
                Described(values, lambda v: {f"{name}.rest_cos": (cos(v[0]),), f"{name}.rest_sin": (sin(v[0]),)}),
            )
        elif force.kind == "dry_friction":
            yield f"{name}.{field}", Described(values, lambda v, of=values: {f"{name}.bound": _with_room(v, of)})
        else:
            yield f"{name}.{field}", _same(f"{name}.{field}", values)


def _with_room(values: Values, described: Values) -> Values:
    """Bounds of dry friction; an axis that is described without any keeps the least one, which stands for none."""
    return tuple(LEAST_BOUND if v == was == 0.0 else v for v, was in zip(values, described, strict=True))


def _of_contact(mechanism: Mechanism, contact: Contact, points: list[str]) -> Iterator[tuple[str, Described]]:
    """Of one point; the points of a whole shape have their friction in common, and the rest from their shape."""
    if contact.friction > 0.0:
        each = tuple(f"{name}.friction" for name in points)
        yield f"{contact.name}.friction", Described((contact.friction,), lambda values: dict.fromkeys(each, values))
    if contact.whole_shape:
        return
    if contact.kind == "gap":
        yield from _own_parameters(contact)
    else:
        yield from _anchors(mechanism, contact)
    if contact.kind == "half_space":
        yield f"{contact.name}.radius", _same(f"{contact.name}.radius", (contact.radius,))
