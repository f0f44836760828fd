"""Forces as models: springs, dampers, actuators, servos, wrenches and a user's potential.

A new force is one function in the table FORCE_MODELS. All of them act through the gradient of rows, so they conserve
linear and angular momentum by construction. Actuators, wrenches and potentials act at the knots; springs, dampers and
servos within the step (laws.py): along a joint they are shares of what acts along its coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import cos, sin

from symvi.mechanism import DryFriction, Force, Joint, Mechanism, axis_values, coordinate_kinds
from symvi.physics.coordinates import coordinate_groups, coordinate_units, still_angles
from symvi.physics.joints import Geometry
from symvi.physics.joints import rows as row
from symvi.physics.joints.custom import expression_formula, expression_inputs
from symvi.physics.model import Carried, ForceModel, Group, LawModel, Laws, Parameter, Position, ShareModel

AnyForce = ForceModel | ShareModel | LawModel


def force_models(mechanism: Mechanism) -> list[AnyForce]:
    """The models of all forces in the order of the description; dry friction is an inequality (contacts.py)."""
    return [force_model(mechanism, force) for force in mechanism.forces if not isinstance(force, DryFriction)]


def force_model(mechanism: Mechanism, force: Force) -> AnyForce:
    """The model of a force of a mechanism."""
    return FORCE_MODELS[force.kind](mechanism, force)


def _share(mechanism: Mechanism, force, numbers: dict[str, Parameter], along=None, **law) -> ShareModel:
    joint = mechanism.joint(force.joint)
    units = coordinate_units(joint)
    along = tuple(range(len(units))) if along is None else along
    chosen = tuple(units[k] for k in along)
    return ShareModel(force.name, law.pop("type", force.kind), joint.name, numbers, len(along), chosen, along, **law)


def _spring(mechanism: Mechanism, force) -> ShareModel:
    kinds = coordinate_kinds(mechanism.joint(force.joint).type)
    stiffness, rest = axis_values(force.stiffness, kinds), axis_values(force.rest, kinds)
    if force.law == "sinusoidal":
        return _sinusoidal(mechanism, force, kinds.index("rotation"), stiffness, rest)
    numbers = {
        "stiffness": Parameter(stiffness, "stiffness per coordinate", "N/m, N m/rad"),
        "rest": Parameter(rest, "coordinates without force", "m, rad"),
    }
    return _share(mechanism, force, numbers, stiffness="stiffness", rest="rest")


def _sinusoidal(mechanism: Mechanism, force, k: int, stiffness, rest) -> ShareModel:
    numbers = {
        "stiffness": Parameter((stiffness[k],), "torque at a quarter turn", "N m"),
        "rest_cos": Parameter((cos(rest[k]),), "cosine of the rest angle"),
        "rest_sin": Parameter((sin(rest[k]),), "sine of the rest angle"),
    }
    return _share(
        mechanism, force, numbers, along=(k,), type="sinusoidal_spring", stiffness="stiffness", sinusoidal=True
    )


def _damper(mechanism: Mechanism, force) -> ShareModel:
    damping = axis_values(force.damping, coordinate_kinds(mechanism.joint(force.joint).type))
    numbers = {"damping": Parameter(damping, "damping per coordinate", "N s/m, N m s/rad")}
    return _share(mechanism, force, numbers, damping="damping")


def _servo(mechanism: Mechanism, force) -> ShareModel:
    numbers = {
        "stiffness": Parameter((force.stiffness,), "gain on the coordinate", "N/m, N m/rad"),
        "damping": Parameter((force.damping,), "gain on the velocity", "N s/m, N m s/rad"),
    }
    return _share(mechanism, force, numbers, stiffness="stiffness", target="target", damping="damping")


def _actuator(mechanism: Mechanism, force) -> ForceModel:
    joint = mechanism.joint(force.joint)
    geometry = Geometry(mechanism, joint)
    groups = tuple(still_angles(coordinate_groups(geometry, rates=True)))
    units = coordinate_units(joint)
    return ForceModel(
        force.name,
        force.kind,
        geometry.bodies,
        groups,
        geometry.used(groups),
        len(units),
        tuple(f"coordinate {k + 1}" for k in range(len(units))),
        units,
        force="force",
    )


def _point_geometry(mechanism: Mechanism, force) -> Geometry:
    joint = Joint(
        name=force.name,
        type="spherical",
        parent=force.parent,
        child=force.child,
        parent_anchor=force.parent_anchor,
        child_anchor=force.child_anchor,
    )
    return Geometry(mechanism, joint)


def _point_spring(mechanism: Mechanism, force) -> LawModel:
    """Along the distance of its points; one without a length pulls them together, along the three directions.

    A distance has no direction where it vanishes, which is where a spring of length zero leads to.
    """
    geometry = _point_geometry(mechanism, force)
    numbers = {"stiffness": Parameter((force.stiffness,), "stiffness", "N/m")}
    if force.damping:
        numbers["damping"] = Parameter((force.damping,), "damping of the distance", "N s/m")
    along = Group(row.distance, geometry.anchors(), (0,), (0,))
    if force.length == 0.0:
        together = Group(row.coincidence, geometry.anchors(), (0, 1, 2), (0, 1, 2))
        groups = (together,) if force.damping == 0.0 else (together, replace(along, into=(3,)))
        laws = Laws((0, 1, 2), (3,) if force.damping else (), (), (0, 1, 2, 3)[: 3 + bool(force.damping)])
    else:
        numbers["length"] = Parameter((force.length,), "length without force", "m")
        groups, laws = (along,), Laws((0,), (0,) if force.damping else (), (), (0,))
    rows = len(laws.coordinates)
    return LawModel(
        force.name,
        force.kind,
        geometry.bodies,
        groups,
        {**geometry.used(groups), **numbers},
        rows,
        ("x", "y", "z", "distance")[:rows] if force.length == 0.0 else ("distance",),
        ("m",) * rows,
        laws,
    )


def _wrench(mechanism: Mechanism, force) -> ForceModel:
    body = mechanism.body(force.body)
    point = tuple(p - c for p, c in zip(force.point, body.center_of_mass, strict=True))
    groups = (Group(row.point_on_body, {"x_b": Position("b"), "r_b": Carried("b", "point")}, (0, 1, 2), (0, 1, 2)),)
    parameters = {"point": Parameter(point, "where the force acts, from the centre of mass", "m")}
    return ForceModel(
        force.name,
        force.kind,
        {"a": None, "b": body.name},
        groups,
        parameters,
        3,
        ("x", "y", "z"),
        ("m",) * 3,
        force="force",
        torque="torque",
        in_body_axes=force.frame == "body",
    )


def _potential(mechanism: Mechanism, force) -> ForceModel:
    parent = None if force.parent == "world" else mechanism.body(force.parent)
    child = mechanism.body(force.child)
    parameters = dict(force.parameters)
    inputs, values = expression_inputs(parent, child, parameters)
    formula = expression_formula((force.expression,), tuple(parameters), "J")
    groups = (Group(formula, inputs, (0,), (0,)),)
    values["scale"] = Parameter((1.0,), "factor on the whole potential")
    return ForceModel(
        force.name,
        force.kind,
        {"a": None if parent is None else parent.name, "b": child.name},
        groups,
        values,
        1,
        ("energy",),
        ("J",),
        energy="scale",
    )


FORCE_MODELS: dict[str, Callable[[Mechanism, Force], AnyForce]] = {
    "joint_spring": _spring,
    "point_spring": _point_spring,
    "joint_damper": _damper,
    "actuator": _actuator,
    "servo": _servo,
    "wrench": _wrench,
    "potential": _potential,
}
