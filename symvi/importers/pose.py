"""Poses: a frame in another one, as a position and a unit quaternion, and how they follow each other."""

from __future__ import annotations

from typing import NamedTuple

from symvi.mechanism.rotation import IDENTITY, Quaternion4, about, conjugate, multiply, rotate
from symvi.mechanism.vectors import Vector3, add, cross, dot, norm, scale, subtract, unit

__all__ = ["STANDING", "Pose", "from_axes", "from_rpy", "turn_between"]

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class Pose(NamedTuple):
    """A frame in another one: its origin [m] and its orientation, which turns its components into the other's."""

    position: Vector3 = (0.0, 0.0, 0.0)
    orientation: Quaternion4 = IDENTITY

    def then(self, inner: Pose) -> Pose:
        """The frame `inner`, which stands in this one, in the frame around this one."""
        turned = multiply(self.orientation, inner.orientation)
        w, x, y, z = unit(turned)
        return Pose(self.point(inner.position), (w + 0.0, x + 0.0, y + 0.0, z + 0.0))

    def point(self, local: Vector3) -> Vector3:
        """A point of this frame, in the frame around it."""
        return add(self.position, self.vector(local))

    def vector(self, local: Vector3) -> Vector3:
        """A vector of this frame, in the axes of the frame around it."""
        return rotate(self.orientation, local) if self.orientation != IDENTITY else local

    def inverse(self) -> Pose:
        """The frame around this one, in this one."""
        back = conjugate(self.orientation)
        moved = rotate(back, self.position) if back != IDENTITY else self.position
        return Pose((0.0 - moved[0], 0.0 - moved[1], 0.0 - moved[2]), back)


STANDING = Pose()


def from_rpy(roll: float, pitch: float, yaw: float) -> Quaternion4:
    """URDF's angles [rad]: Rz(yaw) Ry(pitch) Rx(roll). Quarter turns give exact parts."""
    turns = [about(axis, angle) for axis, angle in ((Z, yaw), (Y, pitch), (X, roll)) if angle != 0.0]
    result: Quaternion4 = IDENTITY
    for turn in turns:
        result = multiply(result, turn)
    return result


def turn_between(start: Vector3, end: Vector3) -> Quaternion4:
    """The shortest rotation that takes the direction of one unit vector to that of another."""
    axis, cosine = cross(start, end), dot(start, end)
    if norm(axis) > 1e-12:
        w, x, y, z = unit((1.0 + cosine, *axis)) if cosine > -0.99 else _nearly_opposite(start, end)
        return (w, x, y, z)
    if cosine > 0.0:
        return IDENTITY
    least = min((X, Y, Z), key=lambda direction: abs(dot(direction, start)))
    return (0.0, *unit(subtract(least, scale(dot(least, start), start))))


def from_axes(x: Vector3, y: Vector3, z: Vector3) -> Quaternion4:
    """The rotation that takes the axes of a frame to three orthonormal, right-handed directions (Shepperd's method)."""
    squares = [1 + x[0] + y[1] + z[2], 1 + x[0] - y[1] - z[2], 1 - x[0] + y[1] - z[2], 1 - x[0] - y[1] + z[2]]
    a, b, c = y[2] - z[1], z[0] - x[2], x[1] - y[0]
    d, e, f = y[0] + x[1], z[0] + x[2], z[1] + y[2]
    rows = [(squares[0], a, b, c), (a, squares[1], d, e), (b, d, squares[2], f), (c, e, f, squares[3])]
    w, i, j, k = unit(rows[squares.index(max(squares))])
    return (w + 0.0, i + 0.0, j + 0.0, k + 0.0)


def _nearly_opposite(start: Vector3, end: Vector3) -> tuple[float, ...]:
    """1 + cos would lose digits; the half angle is taken from the sine and the sum of the two vectors."""
    axis = unit(cross(start, end))
    cosine = 0.5 * norm(add(start, end))
    sine = 0.5 * norm(subtract(end, start))
    return (cosine, *scale(sine, axis))
