"""Forces as models: springs, dampers, actuators, servos, wrenches and a user's potential.

A new force is one function in the table FORCE_MODELS. All of them act through the gradient of rows, so they conserve
linear and angular momentum by construction.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, sin

from symvi.mechanism import DryFriction, Force, Joint, Mechanism, axis_values, coordinate_kinds
from symvi.physics.coordinates import coordinate_groups, coordinate_units
from symvi.physics.joints import Geometry
from symvi.physics.joints import rows as row
from symvi.physics.joints.custom import expression_formula, expression_inputs
from symvi.physics.model import Carried, Data, ForceModel, Group, Parameter, Position


def force_models(mechanism: Mechanism) -> list[ForceModel]:
    """The models of all forces in the order of the description; dry friction is an inequality (contacts.py)."""
    return [force_model(mechanism, force) for force in mechanism.forces if not isinstance(force, DryFriction)]


def force_model(mechanism: Mechanism, force: Force) -> ForceModel:
    """The model of a force of a mechanism."""
    return FORCE_MODELS[force.kind](mechanism, force)


def _along_joint(mechanism: Mechanism, described, *, rates: bool, numbers: dict[str, Parameter], **law) -> ForceModel:
    joint = mechanism.joint(described.joint)
    geometry = Geometry(mechanism, joint)
    groups = tuple(coordinate_groups(geometry, rates=rates))
    units = coordinate_units(joint)
    names = tuple(f"coordinate {k + 1}" for k in range(len(units)))
    angles = tuple(g.inputs["near"].name for g in groups if "near" in g.inputs)
    parameters = {**geometry.used(groups), **numbers}
    return ForceModel(
        described.name,
        described.kind,
        geometry.bodies,
        groups,
        parameters,
        len(units),
        names,
        units,
        angles=angles,
        joint=joint.name,
        **law,
    )


def _spring(mechanism: Mechanism, force) -> ForceModel:
    joint = mechanism.joint(force.joint)
    kinds = coordinate_kinds(joint.type)
    stiffness, rest = axis_values(force.stiffness, kinds), axis_values(force.rest, kinds)
    if force.law == "sinusoidal":
        return _sinusoidal(mechanism, force, joint, stiffness, rest)
    numbers = {
        "stiffness": Parameter(stiffness, "stiffness per coordinate", "N/m, N m/rad"),
        "rest": Parameter(rest, "coordinates without force", "m, rad"),
    }
    return _along_joint(mechanism, force, rates=False, numbers=numbers, stiffness="stiffness", rest="rest")


def _sinusoidal(mechanism: Mechanism, force, joint: Joint, stiffness, rest) -> ForceModel:
    geometry = Geometry(mechanism, joint)
    k = coordinate_kinds(joint.type).index("rotation")
    cosine, sine = (
        Data(geometry.set("rest_cos", (cos(rest[k]),), "cosine of the rest angle")),
        Data(geometry.set("rest_sin", (sin(rest[k]),), "sine of the rest angle")),
    )
    groups = (Group(row.sinusoidal_energy, {**geometry.turn(), "rest_cos": cosine, "rest_sin": sine}, (0,), (0,)),)
    numbers = {"stiffness": Parameter((stiffness[k],), "torque at a quarter turn", "N m")}
    return ForceModel(
        force.name,
        "sinusoidal_spring",
        geometry.bodies,
        groups,
        {**geometry.used(groups), **numbers},
        1,
        ("energy",),
        ("J",),
        energy="stiffness",
    )


def _damper(mechanism: Mechanism, force) -> ForceModel:
    damping = axis_values(force.damping, coordinate_kinds(mechanism.joint(force.joint).type))
    numbers = {"damping": Parameter(damping, "damping per coordinate", "N s/m, N m s/rad")}
    return _along_joint(mechanism, force, rates=True, numbers=numbers, damping="damping")


def _actuator(mechanism: Mechanism, force) -> ForceModel:
    return _along_joint(mechanism, force, rates=True, numbers={}, force="force")


def _servo(mechanism: Mechanism, force) -> ForceModel:
    numbers = {
        "stiffness": Parameter((force.stiffness,), "gain on the coordinate", "N/m, N m/rad"),
        "damping": Parameter((force.damping,), "gain on the velocity", "N s/m, N m s/rad"),
    }
    return _along_joint(
        mechanism, force, rates=False, numbers=numbers, stiffness="stiffness", target="target", damping="damping"
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


def _point_spring(mechanism: Mechanism, force) -> ForceModel:
    geometry = _point_geometry(mechanism, force)
    length = Data(geometry.set("length", (force.length,), "length without force", "m"))
    groups = (Group(row.stretch_energy, {**geometry.anchors(), "length": length}, (0,), (0,)),)
    numbers = {"stiffness": Parameter((force.stiffness,), "stiffness", "N/m")}
    return ForceModel(
        force.name,
        force.kind,
        geometry.bodies,
        groups,
        {**geometry.used(groups), **numbers},
        1,
        ("energy",),
        ("J",),
        energy="stiffness",
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


FORCE_MODELS: dict[str, Callable[[Mechanism, Force], ForceModel]] = {
    "joint_spring": _spring,
    "point_spring": _point_spring,
    "joint_damper": _damper,
    "actuator": _actuator,
    "servo": _servo,
    "wrench": _wrench,
    "potential": _potential,
}
