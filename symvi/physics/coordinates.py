"""Minimal coordinates of joints as groups of formula rows: springs, drivers and gears act along them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from symvi.mechanism import coordinate_kinds
from symvi.physics.joints import Geometry
from symvi.physics.joints import rows as row
from symvi.physics.model import AtFirstKnot, ConstraintModel, Data, Group, LawModel, Laws, Motion, Parameter, ShareModel
from symvi.registry import JOINTS

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


def still_angles(groups: Iterable[Group]) -> list[Group]:
    """The same for their gradients alone: these do not depend on the branch of an angle, and none is carried."""
    return [
        replace(group, inputs={**group.inputs, "near": Data("0", "constant")}) if "near" in group.inputs else group
        for group in groups
    ]


def with_laws(
    geometry: Geometry, model: ConstraintModel, shares: Sequence[ShareModel], stopped: tuple[int, ...]
) -> ConstraintModel:
    """The model of a joint that also knows its minimal coordinates and their rates, for laws to act along them.

    shares: its springs, dampers and servos. stopped: the coordinates that limits and dry friction act along.
    """
    groups, rows, laws = _rows_of_laws(geometry, shares, bool(stopped))
    parameters = {**model.parameters, **geometry.used(groups), **_weighing(geometry, laws)}
    angles = tuple(dict.fromkeys((*model.angles, *angles_of(groups))))
    return replace(model, free=groups, freedoms=rows, laws=laws, stopped=stopped, parameters=parameters, angles=angles)


def with_rotation_vector(geometry: Geometry, model: ConstraintModel) -> tuple[ConstraintModel, tuple[int, ...]]:
    """The model of a joint with three free rotations that also knows their rotation vector, and which rows that is.

    model: with its laws, if it has any.
    """
    groups = coordinate_groups(geometry)
    first = coordinate_kinds(geometry.joint.type).count("translation")
    if model.laws and model.laws.elastic:
        return model, model.laws.elastic[first:]
    if model.free:
        first = model.freedoms
        groups = [*model.free, _into(groups[-1], first)]
    free, parameters = tuple(groups), {**model.parameters, **geometry.used(groups)}
    return replace(model, free=free, freedoms=first + 3, parameters=parameters), tuple(range(first, first + 3))


def joint_laws(geometry: Geometry, shares: Sequence[ShareModel]) -> LawModel:
    """The laws along a joint's coordinates as an element of their own, for a joint that does not take them."""
    joint = geometry.joint
    groups, rows, laws = _rows_of_laws(geometry, shares, False)
    if laws is None:
        raise ValueError(f"joint '{joint.name}': no spring, damper or servo acts along it")
    units = coordinate_units(joint)
    return LawModel(
        laws_name(joint.name),
        f"laws_of_{joint.type}",
        geometry.bodies,
        groups,
        {**geometry.used(groups), **_weighing(geometry, laws)},
        rows,
        tuple(f"coordinate {k + 1}" for k in laws.coordinates),
        tuple(units[k] for k in laws.coordinates),
        laws,
        joint.name,
        angles_of(groups),
    )


def laws_name(joint: str) -> str:
    """The name of the laws along a joint's coordinates; the dot keeps it apart from all names of a description."""
    return f"{joint}.laws"


def angles_of(groups: Iterable[Group]) -> tuple[str, ...]:
    """The angles that rows carry from step to step."""
    near = (group.near for group in groups)
    return tuple(dict.fromkeys(source.name for source in near if source and source.store == "state"))


def _rows_of_laws(
    geometry: Geometry, shares: Sequence[ShareModel], stopped: bool
) -> tuple[tuple[Group, ...], int, Laws | None]:
    """Rows for all laws along a joint's coordinates: those of three free rotations twice where both kinds act."""
    kinds = coordinate_kinds(geometry.joint.type)
    count, moving = len(kinds), kinds.count("translation")
    elastic, damped = (any(getattr(share, name) for share in shares) for name in ("stiffness", "damping"))
    coordinates = tuple(range(count))
    if kinds.count("rotation") < 3:
        groups = coordinate_groups(geometry)
        groups = groups if elastic else still_angles(groups)
        pulled = coordinates
    elif damped or stopped:
        groups = coordinate_groups(geometry, rates=True)
        if elastic:
            groups += [_into(group, count) for group in coordinate_groups(geometry)[moving:]]
        pulled = (*range(moving), *range(count, count + 3))
        coordinates += tuple(range(moving, count)) if elastic else ()
    else:
        groups, pulled = coordinate_groups(geometry), coordinates
    sinusoidal = {k for share in shares if share.sinusoidal for k in share.along}
    laws = Laws(
        pulled if elastic else (),
        tuple(range(count)) if damped else (),
        tuple(sorted(sinusoidal)),
        coordinates,
        free_motions(geometry) if damped else (),
        any(share.target for share in shares),
    )
    return tuple(groups), len(coordinates), laws if shares else None


def _into(group: Group, first: int) -> Group:
    return replace(group, into=tuple(first + k for k in range(len(group.into))))


def _weighing(geometry: Geometry, laws: Laws | None) -> dict[str, Parameter]:
    """What the motions along the coordinates are made of."""
    sources = [source for motion in (laws.motions if laws else ()) for source in (motion.axis, motion.anchor)]
    names = dict.fromkeys(source.parameter for source in sources)
    names |= dict.fromkeys(motion.pitch for motion in (laws.motions if laws else ()) if motion.pitch)
    return {name: geometry.parameter(name) for name in names}


def free_motions(geometry: Geometry) -> tuple[Motion, ...]:
    """What a unit rate of each minimal coordinate asks of body b while body a stays."""
    kinds, anchor = coordinate_kinds(geometry.joint.type), geometry.b("anchor_b")
    moving, turning = kinds.count("translation"), kinds.count("rotation")
    found = [Motion("translation", geometry.a(axis), anchor) for axis in FREE_TRANSLATION_AXES[moving]]
    if JOINTS[geometry.joint.type].has_pin:
        axes = [geometry.a("axis3"), geometry.second_axis()]
    else:
        axes = [geometry.a(axis) for axis in {0: (), 1: ("axis3",), 3: ("e1", "e2", "e3")}[turning]]
    pitch = None
    if JOINTS[geometry.joint.type].is_threaded:
        advance = geometry.joint.pitch
        if advance is None:
            raise ValueError(f"joint '{geometry.joint.name}': a {geometry.joint.type} joint has no pitch")
        pitch = geometry.set("pitch", (advance,), "advance per angle", "m/rad")
    return tuple(found + [Motion("rotation", axis, anchor, pitch) for axis in axes])


def coordinate_units(joint) -> tuple[str, ...]:
    return tuple({"translation": "m", "rotation": "rad"}[kind] for kind in coordinate_kinds(joint.type))


def _three_rotations(geometry: Geometry, first: int, rates: bool) -> Group:
    turn = geometry.turn("joint")
    into = tuple(first + k for k in range(3))
    if rates:
        first_knot = {f"{name}0": AtFirstKnot(turn[name]) for name in "pq"}
        return Group(row.relative_turn, turn | first_knot, (0, 1, 2), into)
    return Group(row.rotation_vector, {**turn, "guard": Data(row.ANGLE_GUARD, "constant")}, (0, 1, 2), into)


def single_coordinate(geometry: Geometry, which: int, near: str, into: int = 0, factor: str | None = None) -> Group:
    """One minimal coordinate as one row."""
    for group in coordinate_groups(geometry, near=near):
        if which in group.into:
            k = group.into.index(which)
            return replace(group, rows=(group.rows[k],), into=(into,), factor=factor)
    raise IndexError(f"joint {geometry.joint.name} has no coordinate {which}")
