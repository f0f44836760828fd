"""The frame that a joint measures its turn in, on either body, as a quaternion in plain floats."""

from __future__ import annotations

from math import sqrt

from symvi.mechanism.axes import triad
from symvi.mechanism.elements import Joint
from symvi.mechanism.rotation import Quaternion4, multiply
from symvi.mechanism.vectors import Vector3, cross
from symvi.registry import JOINTS


def joint_frames(joint: Joint) -> tuple[Quaternion4, Quaternion4]:
    """The joint's triad on its parent and on its child. Raises ValueError for a joint that lacks its pin."""
    turn = from_axes(*_triad(joint))
    return multiply(joint.orientation, turn), turn


def pin(joint: Joint) -> Vector3:
    """The second axis, which joints with a pin have. Raises ValueError where it is missing."""
    if joint.child_axis is None:
        raise ValueError(f"joint '{joint.name}': a {joint.type} joint has no child_axis")
    return joint.child_axis


def _triad(joint: Joint) -> tuple[Vector3, Vector3, Vector3]:
    """The triad that rotations are measured in; a universal joint's has its second axis along x."""
    if not JOINTS[joint.type].has_pin:
        return triad(joint.axis)
    z, x = triad(joint.axis)[2], pin(joint)
    return x, cross(z, x), z


def from_axes(a1: Vector3, a2: Vector3, a3: Vector3) -> Quaternion4:
    """The rotation that takes x, y, z to right-handed orthonormal axes a1, a2, a3 (Shepperd: the largest term)."""
    m = list(zip(a1, a2, a3, strict=True))
    trace = m[0][0] + m[1][1] + m[2][2]
    squares = [1 + trace] + [1 - trace + 2 * m[i][i] for i in range(3)]
    largest = max(range(4), key=lambda i: squares[i])
    s = 2 * sqrt(squares[largest])
    sums = {
        (0, 1): m[2][1] - m[1][2],
        (0, 2): m[0][2] - m[2][0],
        (0, 3): m[1][0] - m[0][1],
        (1, 2): m[1][0] + m[0][1],
        (1, 3): m[2][0] + m[0][2],
        (2, 3): m[2][1] + m[1][2],
    }
    q = [s / 4 if i == largest else sums[min(i, largest), max(i, largest)] / s for i in range(4)]
    sign = -1.0 if q[0] < 0 else 1.0
    w, x, y, z = (sign * value + 0.0 for value in q)
    return w, x, y, z
