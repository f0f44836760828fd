"""A mechanism that starts elsewhere: other start coordinates and rates of some joints, by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symvi.errors import MechanismError
from symvi.mechanism.elements import Joint
from symvi.mechanism.joint_table import coordinate_kinds
from symvi.mechanism.mechanism import Mechanism
from symvi.mechanism.names import WORLD, did_you_mean, shown
from symvi.mechanism.quantities import along_joint
from symvi.registry import JOINTS

__all__ = ["Given", "starting_at"]

Given = float | str | Sequence[float | str]  # of one joint: numbers in SI, or texts with units


def starting_at(
    mechanism: Mechanism, coordinates: Mapping[str, Given], velocities: Mapping[str, Given] | None = None
) -> Mechanism:
    """The mechanism whose joints start at these coordinates [m, rad or as "60 deg"] and with these rates.

    Bodies with a placement of their own keep it unless a joint is given that leads to them: from the world outwards, or
    from parent to child where none leads to the world.
    Raises MechanismError for unknown joints, wrong numbers of coordinates, and units that do not fit.
    """
    starts = {"coordinate": coordinates, "velocity": velocities or {}}
    given = list(dict.fromkeys(name for values in starts.values() for name in values))
    for name in given:
        mechanism.joint(name)
        _refuse_no_coordinates(mechanism, name)
    if not given:
        return mechanism
    moved = _moved(mechanism, [mechanism.joint(name) for name in given])
    joints = [
        joint.changed(
            **{field: _value(joint, field, of[joint.name]) for field, of in starts.items() if joint.name in of}
        )
        if joint.name in given
        else joint
        for joint in mechanism.joints
    ]
    bodies = [
        body.changed(position=None, orientation=None, velocity=None, angular_velocity=None)
        if body.name in moved
        else body
        for body in mechanism.bodies
    ]
    return mechanism.changed(joints=joints, bodies=bodies)


def _refuse_no_coordinates(mechanism: Mechanism, name: str) -> None:
    joint = mechanism.joint(name)
    if not coordinate_kinds(joint.type):
        others = [other.name for other in mechanism.joints if coordinate_kinds(other.type)]
        raise MechanismError(f"joint '{name}': a {joint.type} joint has no coordinates; {did_you_mean('', others)}")


def _value(joint: Joint, field: str, given: Any) -> Any:
    try:
        return along_joint(
            given, coordinate_kinds(joint.type), "coordinate" if field == "coordinate" else "coordinate/s"
        )
    except ValueError as error:
        raise MechanismError(f"joint {shown(joint.name)}: {field} {error}") from None


def _moved(mechanism: Mechanism, joints: Sequence[Joint]) -> set[str]:
    """The bodies that these joints place: of each joint's two the one that more joints part from the world."""
    distance, waiting = {WORLD: 0}, [WORLD]
    neighbours: dict[str, list[str]] = {}
    for joint in mechanism.joints:
        if JOINTS[joint.type].tree:
            neighbours.setdefault(joint.parent, []).append(joint.child)
            neighbours.setdefault(joint.child, []).append(joint.parent)
    for name in waiting:
        for other in neighbours.get(name, ()):
            if other not in distance:
                distance[other] = distance[name] + 1
                waiting.append(other)
    return {
        joint.parent if distance.get(joint.parent, 0) > distance.get(joint.child, 0) else joint.child
        for joint in joints
    }
