"""Joints by their plain definitions: rows that are zero where a joint holds, and its coordinates.

After BSMH23 appendix B, not seen. With R_a, R_b the bodies' rotations, p_a, p_b the anchors from their centres of mass,
q_off the joint frame on the parent and (a1, a2, a3) the joint's triad in the joint frame:
    g_T = A R_offᵀ R_aᵀ (x_b + R_b p_b - x_a - R_a p_a)
    g_R = 2 A V(q_off* q_a* q_b)      angle = 2 atan2(a3·d_v, d_w)
Three translational rows may stand in world axes as well: they hold the same point. A placement is (x, q): the centre of
mass and the orientation of a body; the world's is (0, 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from symvi.errors import MechanismError
from symvi.exact.dual import Functions, derivative
from symvi.mechanism import coordinate_kinds
from symvi.naive.quaternion import (
    add,
    conjugate,
    dot,
    multiply,
    rotate,
    scale,
    subtract,
    turned,
    unrotate,
    vector,
)
from symvi.registry import JOINTS

NOTHING: Mapping = MappingProxyType({})
CHOSEN = ((), (2,), (0, 1), (0, 1, 2))  # axes of the triad along or about which so many rows hold
GUARD = "1e-30"  # below the root of a rotation vector's length, so that its direction exists at zero too


@dataclass(frozen=True)
class JointNumbers:
    """A joint's numbers: anchors from centres of mass in body axes, q_off, triad in the joint frame, and its own."""

    type: str
    parent: str
    child: str
    anchor_a: list
    anchor_b: list
    offset: list
    axes: list[list]
    pin: list | None = None
    pitch: object = None
    length: object = None
    texts: tuple[str, ...] = ()
    user: dict = field(default_factory=dict)
    origins: dict = field(default_factory=dict)


def gap(joint: JointNumbers, a, b) -> list:
    """From the parent's anchor to the child's, world axes."""
    return subtract(add(b[0], rotate(b[1], joint.anchor_b)), add(a[0], rotate(a[1], joint.anchor_a)))


def in_joint_frame(joint: JointNumbers, a, u) -> list:
    """R_offᵀ R_aᵀ u."""
    return unrotate(joint.offset, unrotate(a[1], u))


def relative(joint: JointNumbers, a, b) -> list:
    """d = q_off* q_a* q_b, the child's turn in the joint frame."""
    return multiply(conjugate(joint.offset), multiply(conjugate(a[1]), b[1]))


def rows(joint: JointNumbers, a, b, functions: Functions, near: Mapping = NOTHING, in_joint_axes: bool = False) -> list:
    """All rows of a joint, translations first."""
    return JOINTS[joint.type].naive(joint, a, b, functions, near, in_joint_axes)


def check_count(joint_type: str, found: object, count: int) -> None:
    """Raise MechanismError where the plain definition of a type from outside gives other rows than its units say."""
    title = f"joint type '{joint_type}'"
    if not isinstance(found, list | tuple):
        raise MechanismError(f"{title}: naive returned {found!r}, but must return a list of {count} rows")
    if len(found) != count:
        raise MechanismError(f"{title}: naive returned {len(found)} rows, but its units say {count}; give the same")


def translations(joint: JointNumbers, a, b, count: int, in_joint_axes: bool = False) -> list:
    if not count:
        return []
    u = gap(joint, a, b)
    if count == 3 and not in_joint_axes:
        return u
    u = in_joint_frame(joint, a, u)
    return [dot(joint.axes[k], u) for k in CHOSEN[count]]


def rotations(joint: JointNumbers, a, b, count: int) -> list:
    if not count:
        return []
    d = relative(joint, a, b)
    return [2 * dot(joint.axes[k], vector(d)) for k in CHOSEN[count]]


def angle(joint: JointNumbers, a, b, functions: Functions, near):
    """2 atan2(a3·d_v, d_w) on the branch nearest to `near`."""
    d = relative(joint, a, b)
    return functions.angle(dot(joint.axes[2], vector(d)), d[0], near)


# --- minimal coordinates ------------------------------------------------------------------------------------------
def coordinate(joint: JointNumbers, which: int, a, b, functions: Functions, near: Mapping):
    """A minimal coordinate: translations along the free directions, then rotations."""
    kinds = coordinate_kinds(joint.type)
    translations = kinds.count("translation")
    if which < translations:
        u = in_joint_frame(joint, a, gap(joint, a, b))
        directions = {1: joint.axes[2:], 2: joint.axes[:2]}.get(translations)
        return u[which] if directions is None else dot(directions[which], u)
    rotations, which = kinds.count("rotation"), which - translations
    if rotations == 1:
        return angle(joint, a, b, functions, near[0])
    if rotations == 2:
        return _hooke_angle(joint, which, a, b, functions, near[which])
    return rotation_vector(relative(joint, a, b), functions)[which]


def _hooke_angle(joint: JointNumbers, which: int, a, b, functions: Functions, near):
    """The angles of a universal joint, read off the child's axes: about the parent's axis, then about the child's pin.

    In the frame x = pin, z = axis, the child's pin points along (cos a, sin a, 0), and the parent's axis, seen from the
    child, along (0, sin b, cos b).
    """
    assert joint.pin is not None, "a universal joint has one"
    d = relative(joint, a, b)
    x, z = joint.pin, joint.axes[2]
    y = [z[i - 2] * x[i - 1] - z[i - 1] * x[i - 2] for i in range(3)]
    if which == 0:
        pin = rotate(d, x)
        return functions.angle(dot(y, pin), dot(x, pin), 2 * near) / 2
    axis = unrotate(d, z)
    return functions.angle(dot(y, axis), dot(z, axis), 2 * near) / 2


def rotation_vector(d, functions: Functions) -> list:
    """The rotation vector of a quaternion: 2 atan2(|d_v|, d_w) along d_v, guarded at zero."""
    v = vector(d)
    size = functions.sqrt(dot(v, v) + functions.base["number"](GUARD))
    return scale(functions.angle(size, d[0], 0) / size, v)


def rates(joint: JointNumbers, a, b, motion_a, motion_b, functions: Functions, near: Mapping, zero) -> list:
    """Rates that dampers act along: of every coordinate, but for three rotations the relative angular velocity.

    A motion is (v, w): velocity of the centre of mass and angular velocity, both in world axes.
    """
    kinds = coordinate_kinds(joint.type)
    along = len(kinds) if kinds.count("rotation") < 3 else kinds.count("translation")

    def moved(e):
        first, second = (
            ([x + e * v for x, v in zip(place[0], motion[0], strict=True)], turned(place[1], scale(e, motion[1])))
            for place, motion in ((a, motion_a), (b, motion_b))
        )
        return [coordinate(joint, k, first, second, functions, near) for k in range(along)]

    found = derivative(moved, zero)
    if along < len(kinds):
        found += in_joint_frame(joint, a, subtract(motion_b[1], motion_a[1]))
    return found
