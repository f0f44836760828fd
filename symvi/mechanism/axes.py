"""The triad of a joint: its axis completed to three orthonormal directions, always in the same way."""

from __future__ import annotations

from typing import Protocol

from symvi.mechanism.joint_table import JointLike, coordinate_kinds
from symvi.mechanism.values import UnitVector
from symvi.mechanism.vectors import Vector3, cross, dot, scale, subtract, unit

__all__ = ["free_rotation_axes", "free_translation_axes", "triad"]

UNIT_VECTORS: tuple[Vector3, Vector3, Vector3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class JointWithAxis(JointLike, Protocol):
    """A joint that has an axis."""

    axis: UnitVector


def triad(axis: Vector3) -> tuple[Vector3, Vector3, Vector3]:
    """(a1, a2, a3), right-handed and orthonormal, with a3 along the axis.

    An axis-aligned axis gives exact 0 and +-1: the cyclic permutation (a1, a2, a3) of the unit vectors for +x, +y
    and +z, and the same with a2 turned over for -x, -y and -z. For any other axis a1 is the unit vector that is most
    nearly orthogonal to it, made orthogonal (an exact unit vector where the axis has a zero component).
    Raises ValueError for the zero vector.
    """
    a3 = _clean(unit(axis))
    largest = max(range(3), key=lambda i: abs(a3[i]))
    # Starting behind the largest component makes the choice cyclic: z -> (x, y, z), x -> (y, z, x), y -> (z, x, y).
    first = min(((largest + 1) % 3, (largest + 2) % 3), key=lambda i: abs(a3[i]))
    start = UNIT_VECTORS[first]
    a1 = _clean(unit(subtract(start, scale(dot(start, a3), a3))))
    return a1, _clean(cross(a3, a1)), a3


def free_translation_axes(joint: JointWithAxis) -> tuple[Vector3, ...]:
    """The directions in the joint frame of the free translations, in the order of the minimal coordinates.

    One: (a3). Two: (a1, a2). Three: the axes of the joint frame itself, because the rows are then the identity.
    """
    return _free_axes(joint, coordinate_kinds(joint.type).count("translation"))


def free_rotation_axes(joint: JointWithAxis) -> tuple[Vector3, ...]:
    """The directions in the joint frame of the free rotations of a joint of the table or a screw.

    One: (a3), the coordinate is the angle about it. Three: the axes of the joint frame, the coordinates are the
    components of the rotation vector. (A universal joint turns about axis and child_axis instead.)
    """
    return _free_axes(joint, coordinate_kinds(joint.type).count("rotation"))


def _free_axes(joint: JointWithAxis, count: int) -> tuple[Vector3, ...]:
    a1, a2, a3 = triad(joint.axis)
    return {0: (), 1: (a3,), 2: (a1, a2), 3: UNIT_VECTORS}[count]


def _clean(vector: tuple[float, ...]) -> Vector3:
    """The vector without negative zeros, which would print differently."""
    return (vector[0] + 0.0, vector[1] + 0.0, vector[2] + 0.0)
