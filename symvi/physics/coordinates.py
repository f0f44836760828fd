"""Minimal coordinates of joints as groups of formula rows: springs, drivers and gears act along them."""

from __future__ import annotations

from dataclasses import replace

from symvi.mechanism import Mechanism, coordinate_count, coordinate_kinds
from symvi.physics.joints import Geometry
from symvi.physics.joints import rows as row
from symvi.physics.model import ConstraintModel, Data, Group, Held

FREE_TRANSLATION_AXES = {0: (), 1: ("axis3",), 2: ("axis1", "axis2"), 3: ("e1", "e2", "e3")}


def coordinate_groups(geometry: Geometry, rates: bool = False, near: str = "angle") -> list[Group]:
    """The joint's minimal coordinates as rows: translations, then rotations.

    rates: rows whose gradient gives the rates of motion that dampers and actuators act along. They are the coordinates'
    own rates except for three free rotations, where they are the relative angular velocity in joint axes.
    near: the prefix of the carried angles in the model's state.
    """
    kinds = coordinate_kinds(geometry.joint.type)
    translations, rotations = kinds.count("translation"), kinds.count("rotation")
    groups = [
        Group(row.offset_along, {"n": geometry.a(axis), **geometry.anchors()}, (0,), (k,))
        for k, axis in enumerate(FREE_TRANSLATION_AXES[translations])
    ]
    if rotations == 1:
        groups.append(
            Group(row.angle_about_axis, {**geometry.turn(), "near": Data(near, "state")}, (0,), (translations,))
        )
    elif rotations == 2:
        for k, formula in enumerate((row.universal_first_angle, row.universal_second_angle)):
            groups.append(
                Group(formula, {**geometry.turn(), "near": Data(f"{near}{k + 1}", "state")}, (0,), (translations + k,))
            )
    elif rotations == 3:
        groups.append(_three_rotations(geometry, translations, rates))
    bodies = dict(zip("ab", geometry.labels, strict=True))
    return [replace(group, bodies=bodies) for group in groups]


def with_freedoms(
    mechanism: Mechanism, model: ConstraintModel, damped: bool, stopped: tuple[int, ...]
) -> ConstraintModel:
    """The model of a joint that also knows the rates of its minimal coordinates, for laws to act along them.

    damped: dampers do. stopped: the coordinates that limits and dry friction act along. Rates do not depend on the
    branch of an angle, so that no angle has to be carried for them.
    """
    geometry = Geometry(mechanism, mechanism.joint(model.name))
    groups = tuple(
        replace(group, inputs=group.inputs | {"near": Data("0", "constant")}) if "near" in group.inputs else group
        for group in coordinate_groups(geometry, rates=True)
    )
    parameters = {**model.parameters, **geometry.used(groups)}
    count = coordinate_count(geometry.joint)
    return replace(model, free=groups, freedoms=count, damped=damped, stopped=stopped, parameters=parameters)


def coordinate_units(joint) -> tuple[str, ...]:
    return tuple({"translation": "m", "rotation": "rad"}[kind] for kind in coordinate_kinds(joint.type))


def _three_rotations(geometry: Geometry, first: int, rates: bool) -> Group:
    turn = geometry.turn("joint")
    into = tuple(first + k for k in range(3))
    if rates:
        return Group(row.relative_turn, {**turn, "p0": Held(turn["p"]), "q0": Held(turn["q"])}, (0, 1, 2), into)
    return Group(row.rotation_vector, {**turn, "guard": Data(row.ANGLE_GUARD, "constant")}, (0, 1, 2), into)


def single_coordinate(geometry: Geometry, which: int, near: str, into: int = 0, factor: str | None = None) -> Group:
    """One minimal coordinate as one row."""
    for group in coordinate_groups(geometry, near=near):
        if which in group.into:
            k = group.into.index(which)
            return replace(group, rows=(group.rows[k],), into=(into,), factor=factor)
    raise IndexError(f"joint {geometry.joint.name} has no coordinate {which}")
