"""Contacts, joint limits and dry friction of a mechanism as models."""

from __future__ import annotations

from math import cos, pi, sin

from symvi.mechanism import DryFriction, Limit, Mechanism, axis_values, coordinate_kinds, triad
from symvi.mechanism.contacts import ContactPoint, contact_points
from symvi.mechanism.forces import LEAST_BOUND
from symvi.physics.coordinates import coordinate_groups, coordinate_units, single_coordinate
from symvi.physics.formula import Formula
from symvi.physics.gaps import arm_to_half_space, arm_to_sphere, gap_of_spheres, gap_to_half_space
from symvi.physics.joints import Geometry
from symvi.physics.joints import rows as row
from symvi.physics.joints.custom import arm_along_normal_formula, arm_formula, expression_formula, expression_inputs
from symvi.physics.model import Carried, ContactModel, Data, DryFrictionModel, Group, LimitModel, Parameter, Position


def contact_models(mechanism: Mechanism) -> list[ContactModel]:
    """One model per contact point, in the order of the description."""
    return [GAPS[point.contact.kind](mechanism, point) for point in contact_points(mechanism)]


def _from_centre(mechanism: Mechanism, body: str, point) -> tuple[float, ...]:
    if body == "world":
        return tuple(point)
    return tuple(p - c for p, c in zip(point, mechanism.body(body).center_of_mass, strict=True))


def _bodies(contact) -> dict[str, str | None]:
    return {"a": None if contact.parent == "world" else contact.parent, "b": contact.child}


def _common(mechanism: Mechanism, point: ContactPoint) -> dict[str, Parameter]:
    contact = point.contact
    found = {
        "anchor_b": Parameter(
            _from_centre(mechanism, contact.child, point.anchor),
            "point or centre of the sphere on the child, from its centre of mass",
            "m",
        ),
        "radius": Parameter((point.radius,), "radius of the child's sphere", "m"),
    }
    if contact.friction > 0.0:
        found["friction"] = Parameter((contact.friction,), "coefficient of friction")
    return found


def _friction(contact) -> dict:
    """Which friction variables a contact has; a smooth one has none."""
    if contact.friction == 0.0:
        return {"cone": "none"}
    return {"cone": contact.cone, "directions": contact.directions if contact.cone == "linear" else 0}


def _directions(contact) -> dict[str, Parameter]:
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


def _plane(contact) -> dict[str, Parameter]:
    """Two axes of the tangent plane, on body a, where a linear cone needs them."""
    if not _directions(contact):
        return {}
    first, second, _ = triad(contact.normal)
    return {
        "t1": Parameter(first, "first axis of the tangent plane, on body a"),
        "t2": Parameter(second, "second axis of the tangent plane, on body a"),
    }


def _arm(formula: Formula, inputs: dict) -> Group:
    """The arm of the contact point on the child."""
    return Group(formula, {argument.name: inputs[argument.name] for argument in formula.inputs}, (0, 1, 2), (0, 1, 2))


def _half_space(mechanism: Mechanism, point: ContactPoint) -> ContactModel:
    contact = point.contact
    parameters = {
        "normal": Parameter(contact.normal, "normal of the half-space, out of the solid, on body a"),
        "anchor_a": Parameter(
            _from_centre(mechanism, contact.parent, contact.parent_anchor),
            "a point of the plane, from the centre of mass of body a",
            "m",
        ),
    }
    inputs = {
        "n": Carried("a", "normal"),
        "x_a": Position("a"),
        "r_a": Carried("a", "anchor_a"),
        "x_b": Position("b"),
        "r_b": Carried("b", "anchor_b"),
        "radius": Data("radius"),
    }
    turning = contact.parent != "world"  # else the normal is the same at both knots
    return ContactModel(
        point.name,
        "contact",
        _bodies(contact),
        (Group(gap_to_half_space, inputs, (0,), (0,)),),
        parameters | _common(mechanism, point) | _directions(contact) | _plane(contact),
        place=_arm(arm_to_half_space, inputs) if turning else None,
        **_friction(contact),
    )


def _spheres(mechanism: Mechanism, point: ContactPoint) -> ContactModel:
    contact = point.contact
    parameters = {
        "anchor_a": Parameter(
            _from_centre(mechanism, contact.parent, contact.parent_anchor),
            "centre of the parent's sphere, from its centre of mass",
            "m",
        ),
        "reach": Parameter((point.radius + contact.parent_radius,), "sum of both radii", "m"),
    }
    inputs = {
        "x_a": Position("a"),
        "r_a": Carried("a", "anchor_a"),
        "x_b": Position("b"),
        "r_b": Carried("b", "anchor_b"),
        "reach": Data("reach"),
    }
    return ContactModel(
        point.name,
        "sphere_contact",
        _bodies(contact),
        (Group(gap_of_spheres, inputs, (0,), (0,)),),
        parameters | _common(mechanism, point) | _directions(contact),
        arm=Carried("a", "anchor_a"),
        place=_arm(arm_to_sphere, inputs | {"radius": Data("radius")}),
        **_friction(contact),
    )


def _own_gap(mechanism: Mechanism, point: ContactPoint) -> ContactModel:
    """A user's own gap: friction acts where the user says, or at the child's point."""
    contact, gap = point.contact, point.contact.expression
    if gap is None:
        raise ValueError(f"contact '{contact.name}': it has no gap of the user's own")
    parent = None if contact.parent == "world" else mechanism.body(contact.parent)
    child = mechanism.body(contact.child)
    named = dict(contact.parameters)
    inputs, values = expression_inputs(parent, child, named)
    formula = expression_formula((gap,), tuple(named))
    sphere = {"r_b": Carried("b", "anchor_b"), "radius": Data("radius")}
    if contact.point:
        centre, place = None, _arm(arm_formula(tuple(contact.point), tuple(named)), inputs)
    else:
        centre = sphere["r_b"]
        place = _arm(arm_along_normal_formula(gap, tuple(named)), inputs | sphere)
    return ContactModel(
        point.name,
        "gap",
        _bodies(contact),
        (Group(formula, inputs, (0,), (0,)),),
        values | _common(mechanism, point) | _directions(contact),
        centre=centre,
        place=place,
        unit_gradient=False,
        **_friction(contact),
    )


GAPS = {"half_space": _half_space, "sphere": _spheres, "gap": _own_gap}


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
