"""Contacts, joint limits and dry friction of a mechanism as models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, pi, sin
from typing import Any

from symvi.errors import MechanismError
from symvi.mechanism import Contact, DryFriction, Limit, Mechanism, axis_values, coordinate_kinds, triad
from symvi.mechanism.contacts import ContactPoint, contact_points
from symvi.mechanism.forces import LEAST_BOUND
from symvi.physics.coordinates import coordinate_groups, coordinate_units, single_coordinate
from symvi.physics.formula import Formula
from symvi.physics.joints import Geometry
from symvi.physics.joints import rows as row
from symvi.physics.model import ContactModel, Data, DryFrictionModel, Group, LimitModel, Parameter, Source
from symvi.registry import CONTACTS


def contact_models(mechanism: Mechanism) -> list[ContactModel]:
    """One model per contact point, in the order of the description."""
    return [contact_model(mechanism, point) for point in contact_points(mechanism)]


def contact_model(mechanism: Mechanism, point: ContactPoint) -> ContactModel:
    """The gap and friction of a contact point, as the record of its kind has them.

    Raises MechanismError for a record from outside whose model is none, or of another type.
    """
    record = CONTACTS[point.contact.kind]
    model = record.model(mechanism, point)
    if not isinstance(model, ContactModel):
        raise MechanismError(f"kind of contact '{record.name}': model returned {model!r}, but must be a ContactModel")
    wrong = [
        f"{what} is {found!r}, but must be {wanted!r}"
        for what, found, wanted in (
            ("name", model.name, point.name),
            ("type", model.type, record.type),
            ("bodies", dict(model.bodies), _bodies(point.contact)),
            ("unit_gradient", model.unit_gradient, record.is_distance),
            ("is_flat", model.is_flat, record.has_plane),
            ("cone", model.cone, _friction(point.contact)["cone"]),
        )
        if found != wanted
    ]
    if wrong:
        raise MechanismError(f"kind of contact '{record.name}': the {wrong[0]} in its model; make it with touching()")
    return model


def touching(
    mechanism: Mechanism,
    point: ContactPoint,
    gap: Formula,
    inputs: Mapping[str, Source],
    parameters: Mapping[str, Parameter],
    **more: Any,
) -> ContactModel:
    """A contact point with this gap: the formula's inputs, and the parameters that they need beside common().

    more: other fields of ContactModel; anchor_b and radius of the child are there.
    """
    contact, record = point.contact, CONTACTS[point.contact.kind]
    named = {
        f"par_{name}": Parameter((float(contact.parameters[name]),), *meaning)
        for name, meaning in record.numbers.items()
    }
    return ContactModel(
        point.name,
        record.type,
        _bodies(contact),
        (Group(gap, dict(inputs), (0,), (0,)),),
        {**parameters, **named, **_common(mechanism, point), **_directions(contact)}
        | (_plane(contact) if record.has_plane else {}),
        unit_gradient=record.is_distance,
        is_flat=record.has_plane,
        **_friction(contact),
        **more,
    )


def named_number(name: str) -> Data:
    """A number of the description's `parameters`, which the record of its kind has in `numbers`."""
    return Data(f"par_{name}")


def anchor_of_parent(mechanism: Mechanism, contact: Contact, meaning: str) -> dict[str, Parameter]:
    """parent_anchor, from the parent's centre of mass: what FixedTo("a", "anchor_a") gives."""
    anchor = from_centre(mechanism, contact.parent, contact.parent_anchor)
    return {"anchor_a": Parameter(anchor, meaning, "m")}


def from_centre(mechanism: Mechanism, body: str, point: Sequence[float]) -> tuple[float, ...]:
    """A point of a body's frame, or of the world, from its centre of mass [m]."""
    if body == "world":
        return tuple(point)
    return tuple(p - c for p, c in zip(point, mechanism.body(body).center_of_mass, strict=True))


def _bodies(contact: Contact) -> dict[str, str | None]:
    return {"a": None if contact.parent == "world" else contact.parent, "b": contact.child}


def _common(mechanism: Mechanism, point: ContactPoint) -> dict[str, Parameter]:
    contact = point.contact
    found = {
        "anchor_b": Parameter(
            from_centre(mechanism, contact.child, point.anchor),
            "point or centre of the sphere on the child, from its centre of mass",
            "m",
        ),
        "radius": Parameter((point.radius,), "radius of the child's sphere", "m"),
    }
    if contact.friction > 0.0:
        found["friction"] = Parameter((contact.friction,), "coefficient of friction")
    return found


def _friction(contact: Contact) -> dict[str, Any]:
    """Which friction variables a contact has; a smooth one has none."""
    if contact.friction == 0.0:
        return {"cone": "none"}
    return {"cone": contact.cone, "directions": contact.directions if contact.cone == "linear" else 0}


def _directions(contact: Contact) -> dict[str, Parameter]:
    """Half of the directions of a linear cone, at equal angles in the plane of t1 and t2; the others oppose them."""
    if contact.friction == 0.0 or contact.cone != "linear":
        return {}
    half = contact.directions // 2
    angles = [pi * k / half for k in range(half)]
    exact = {0.0: (1.0, 0.0), pi / 2: (0.0, 1.0)}
    pairs = [exact.get(angle, (cos(angle), sin(angle))) for angle in angles]
    return {
        "cosines": Parameter(tuple(c for c, _ in pairs), "of the directions of friction"),
        "sines": Parameter(tuple(s for _, s in pairs), "of the directions of friction"),
    }


def _plane(contact: Contact) -> dict[str, Parameter]:
    """Two axes of the tangent plane, on body a, where a linear cone needs them."""
    if not _directions(contact):
        return {}
    first, second, _ = triad(contact.normal)
    return {
        "t1": Parameter(first, "first axis of the tangent plane, on body a"),
        "t2": Parameter(second, "second axis of the tangent plane, on body a"),
    }


def contact_arm(formula: Formula, inputs: Mapping[str, Source]) -> Group:
    """The arm of the contact point on the child, of the inputs that the formula names among these."""
    return Group(formula, {argument.name: inputs[argument.name] for argument in formula.inputs}, (0, 1, 2), (0, 1, 2))


def limit_model(limit: Limit, geometry: Geometry) -> LimitModel:
    """The limit of a joint coordinate. geometry: of the joint."""
    group = single_coordinate(geometry, limit.coordinate, "angle")
    unit = coordinate_units(geometry.joint)[limit.coordinate]
    bounds = {
        side: Parameter((value,), f"{side} limit of the coordinate", unit)
        for side, value in (("lower", limit.lower), ("upper", limit.upper))
        if value is not None
    }
    angles = () if group.near is None else (group.near.name,)
    along = () if group.formula is row.rotation_vector else (limit.coordinate,)
    return LimitModel(
        limit.name,
        "limit",
        geometry.bodies,
        (group,),
        geometry.used((group,)) | bounds,
        (unit,),
        limit.joint,
        along,
        angles,
    )


def dry_friction_model(force: DryFriction, geometry: Geometry) -> DryFrictionModel:
    """Dry friction of a joint, with a row per free axis. geometry: of the joint."""
    joint = geometry.joint
    groups = tuple(coordinate_groups(geometry, rates=True))
    units = coordinate_units(joint)
    bound = tuple(max(value, LEAST_BOUND) for value in axis_values(force.bound, coordinate_kinds(joint.type)))
    return DryFrictionModel(
        force.name,
        force.kind,
        geometry.bodies,
        groups,
        {**geometry.used(groups), "bound": Parameter(bound, "largest force or torque per coordinate", "N, N m")},
        len(units),
        tuple(f"coordinate {k + 1}" for k in range(len(units))),
        units,
        force.joint,
        tuple(range(len(units))),
        tuple(near.name for g in groups if (near := g.near)),
    )
