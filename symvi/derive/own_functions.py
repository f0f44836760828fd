"""symvi's own functions by name: joints, contacts, bodies, forces, as they are defined, never as they are computed.

    verify.own("revolute")                 rows of x_a, q_a, x_b, q_b, with anchors p_a, p_b and the triad A
    verify.own("rotational_residual")      a body's balance of angular momentum over a step, gyroscopic terms included

The definitions are those of symvi.naive, which knows no derivative. They bring the types of their arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symvi.derive.definition import Definition
from symvi.mechanism.names import did_you_mean
from symvi.registry import CONTACTS, FORCES
from symvi.verify.errors import VerificationError
from symvi.verify.reading.function import Function, Outputs
from symvi.verify.reading.worlds import World


def own(
    name: str,
    tangent: str = "rotation vector",
    side: str = "body",
    axis: tuple[float, float, float] | None = None,
    parent: str = "body",
    offset: bool = False,
    axes: str = "world",
    scale: object = None,
) -> Function:
    """One of symvi's own functions, with the types of its arguments. Raises VerificationError for an unknown name.

    tangent, side: of derivatives by its quaternions. axis: of a joint, along one of the frame's axes; without it the
    triad A (rows a1, a2, a3 = axis) is an argument. parent: "body" or "world", where x_a = 0 and q_a = 1. offset: a
    joint frame q_off on the parent as an argument. axes: "world" or "joint", of three translational rows. scale: of
    rotational rows, 2 in symvi (radians) and 1 in the papers.
    """
    definition = definition_of(name, axis=axis, parent=parent, offset=offset, axes=axes, scale=scale)
    stated = {
        key: variable.in_tangent(tangent, side) if variable.kind == "quaternion" else variable
        for key, variable in definition.variables.items()
    }
    function = function_of(replace(definition, variables=stated))
    if _is_joint(name):
        function.equation += f" ({_options_said(axis, parent, offset, axes, scale)})"
    return function


def _options_said(axis: object, parent: str, offset: bool, axes: str, scale: object) -> str:
    """The options of a joint that change its rows."""
    said = [f"axes {axes}", f"scale {2 if scale is None else scale}"]
    said += [f"axis {axis}"] * (axis is not None) + ["parent world"] * (parent == "world") + ["offset"] * offset
    return ", ".join(said)


def _is_joint(name: str) -> bool:
    from symvi.derive import joints as own_joints

    return name in own_joints.names()


def definition_of(name: str, **options) -> Definition:
    """The definition of this name, with a joint's options."""
    from symvi.derive import bodies as own_bodies
    from symvi.derive import contacts as own_contacts
    from symvi.derive import joints as own_joints

    known = own_bodies.DEFINITIONS | own_contacts.DEFINITIONS | _of_records()
    if name in known:
        return known[name]
    if name not in own_joints.names():
        raise VerificationError(f"symvi has no function '{name}'; {did_you_mean(name, own_names())}")
    return own_joints.definition(name, **options)


def own_names() -> list[str]:
    """The names that `own` knows."""
    from symvi.derive import bodies as own_bodies
    from symvi.derive import contacts as own_contacts
    from symvi.derive import joints as own_joints

    return [*own_joints.names(), *own_contacts.DEFINITIONS, *_of_records(), *own_bodies.DEFINITIONS]


def _of_records() -> dict[str, Definition]:
    """What records of contacts and of forces have of definitions."""
    records = (*CONTACTS.values(), *FORCES.values())
    return {found.name: found for record in records for found in record.definitions()}


def function_of(definition: Definition) -> Function:
    """A definition as a function to verify."""

    def evaluate(values: Mapping, world: World) -> Outputs:
        arguments = {name: list(values[name]) for name in definition.variables}
        entries = definition.of(world, **arguments)
        return Outputs(definition.shape or (len(entries),), entries)

    function = Function(definition.name, tuple(definition.variables), evaluate, "symvi")
    function.variables = dict(definition.variables)
    function.definition, function.equation = definition, definition.equation
    return function
