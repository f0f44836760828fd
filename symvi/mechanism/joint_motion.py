"""How a joint's minimal coordinates place its child: exact kinematics in plain floats.

The joint frame stands on the parent at parent_anchor, turned by q_off = orientation. In it, at coordinates c,
    u = displacement(c)   from its origin to the child's anchor
    d = turn(c)           the child frame: q_child = q_parent q_off d
(a joint's rows, solved for the child).
"""

from __future__ import annotations

from collections.abc import Sequence

from symvi.mechanism.axes import free_rotation_axes, free_translation_axes, triad
from symvi.mechanism.elements import Joint
from symvi.mechanism.joint_frames import pin
from symvi.mechanism.joint_table import free_rotations, free_translations
from symvi.mechanism.rotation import (
    IDENTITY,
    Quaternion4,
    about,
    body_rate,
    conjugate,
    from_rotation_vector,
    multiply,
    rotate,
    rotation_vector,
)
from symvi.mechanism.vectors import Vector3, add, scale
from symvi.registry import JOINTS

__all__ = ["displacement", "turn", "turn_rate"]

ZERO: Vector3 = (0.0, 0.0, 0.0)


def displacement(joint: Joint, coordinates: Sequence[float]) -> Vector3:
    """The child's anchor in the joint frame [m]; linear, so that it takes velocities [m/s] as well."""
    if JOINTS[joint.type].is_threaded:
        return scale((joint.pitch or 0.0) * coordinates[0], triad(joint.axis)[2])
    result = ZERO
    axes = free_translation_axes(joint)
    for coordinate, axis in zip(coordinates, axes, strict=False):  # rotations follow the translations
        result = add(result, scale(coordinate, axis))
    return result


def turn(joint: Joint, coordinates: Sequence[float]) -> Quaternion4:
    """The orientation of the child frame in the joint frame."""
    angles = coordinates[free_translations(joint) :]
    if JOINTS[joint.type].has_pin:
        return multiply(about(joint.axis, angles[0]), about(pin(joint), angles[1]))
    if free_rotations(joint) == 3:
        return from_rotation_vector((angles[0], angles[1], angles[2]))
    return about(free_rotation_axes(joint)[0], angles[0]) if angles else IDENTITY


def turn_rate(
    joint: Joint, coordinates: Sequence[float] | None, rates: Sequence[float], turned: Quaternion4
) -> Vector3:
    """The angular velocity of the child relative to the parent, in child axes [rad/s].

    turned: the orientation of the child frame in the joint frame. coordinates: needed for rotation vectors beyond a
    half turn only; without them the vector of at most a half turn is taken.
    """
    turns = rates[free_translations(joint) :]
    if JOINTS[joint.type].has_pin:
        first = rotate(conjugate(turned), joint.axis)
        return add(scale(turns[0], first), scale(turns[1], pin(joint)))
    if free_rotations(joint) == 3:
        angles = coordinates[-3:] if coordinates is not None else rotation_vector(turned)
        return body_rate((angles[0], angles[1], angles[2]), (turns[0], turns[1], turns[2]))
    return scale(turns[0], rotate(conjugate(turned), free_rotation_axes(joint)[0])) if turns else ZERO
