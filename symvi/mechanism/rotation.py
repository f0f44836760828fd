"""Unit quaternions and rotations in plain floats.

Convention: Hamilton, scalar first, (w, x, y, z), body to world; a product is applied from the
right: rotate(multiply(p, q), v) = rotate(p, rotate(q, v)).
"""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

from symvi.mechanism.vectors import Vector3, add, cross, norm, scale

__all__ = [
    "IDENTITY", "Quaternion4", "about", "body_rate", "conjugate", "from_rotation_vector", "multiply", "rotate",
    "rotation_matrix", "rotation_vector",
]  # fmt: skip

Quaternion4 = tuple[float, float, float, float]
IDENTITY: Quaternion4 = (1.0, 0.0, 0.0, 0.0)

# Below this angle [rad] the closed forms lose digits and their series to fourth order are exact to round-off.
SMALL_ANGLE = 1e-2


def multiply(p: Quaternion4, q: Quaternion4) -> Quaternion4:
    """The Hamilton product p q: first q, then p."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


def conjugate(q: Quaternion4) -> Quaternion4:
    """The inverse rotation."""
    return (q[0], 0.0 - q[1], 0.0 - q[2], 0.0 - q[3])


def rotation_matrix(q: Quaternion4) -> tuple[Vector3, Vector3, Vector3]:
    """R(q), row by row: components in the body become components in the world.

    It is divided by |q|^2, which is 1 but for round-off: quarter turns, whose parts are sqrt(1/2), then have exact 0
    and +-1 as entries.
    """
    w, x, y, z = q
    square = w * w + x * x + y * y + z * z
    rows = (
        (w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
    first, second, third = (scale(1.0 / square, row) if square != 1.0 else row for row in rows)
    return first, second, third


def rotate(q: Quaternion4, v: Vector3) -> Vector3:
    """R(q) v."""
    a, b, c = rotation_matrix(q)
    return (
        a[0] * v[0] + a[1] * v[1] + a[2] * v[2],
        b[0] * v[0] + b[1] * v[1] + b[2] * v[2],
        c[0] * v[0] + c[1] * v[1] + c[2] * v[2],
    )


def about(axis: Vector3, angle: float) -> Quaternion4:
    """The rotation by an angle [rad] about an axis of any length but zero.

    Quarter turns come out with exactly equal or exactly zero parts, so that the zeros of a mechanism stay zeros.
    """
    length = norm(axis)
    if length == 0.0:
        raise ValueError("a rotation needs an axis that is not zero")
    cosine, sine = _half_angle(angle)
    x, y, z = scale(sine / length, axis)
    return (cosine, x, y, z)


def _half_angle(angle: float) -> tuple[float, float]:
    quarters = round(angle / (pi / 2.0))
    if angle != quarters * (pi / 2.0):
        return cos(0.5 * angle), sin(0.5 * angle)
    half = sqrt(0.5)
    table = ((1.0, 0.0), (half, half), (0.0, 1.0), (-half, half))
    cosine, sine = table[quarters % 4]
    return (cosine, sine) if quarters % 8 < 4 else (-cosine, -sine)


def from_rotation_vector(vector: Vector3) -> Quaternion4:
    """The rotation by the angle |vector| [rad] about the vector; its exponential."""
    angle = norm(vector)
    return about(vector, angle) if angle > 0.0 else IDENTITY


def rotation_vector(q: Quaternion4) -> Vector3:
    """The rotation vector of q with an angle of at most pi; its logarithm. q and -q give the same."""
    sign = -1.0 if q[0] < 0.0 else 1.0
    vector = (sign * q[1], sign * q[2], sign * q[3])
    sine = norm(vector)
    if sine == 0.0:
        return (0.0, 0.0, 0.0)
    return scale(2.0 * atan2(sine, sign * q[0]) / sine, vector)


def body_rate(vector: Vector3, rate: Vector3) -> Vector3:
    """The angular velocity in body axes [rad/s] of a rotation vector that changes with the given rate.

    omega = (I - (1 - cos a)/a^2 [phi]x + (a - sin a)/a^3 [phi]x^2) phi', a = |phi|: the right Jacobian of the
    exponential, see for example Sola, Deray, Atchuthan, "A micro Lie theory", equation (143).
    """
    angle = norm(vector)
    square = angle * angle
    if angle < SMALL_ANGLE:
        first = 0.5 - square / 24.0 * (1.0 - square / 30.0)
        second = 1.0 / 6.0 - square / 120.0 * (1.0 - square / 42.0)
    else:
        first = 2.0 * (sin(0.5 * angle) / angle) ** 2
        second = (angle - sin(angle)) / (square * angle)
    turned = cross(vector, rate)
    return add(add(rate, scale(-first, turned)), scale(second, cross(vector, turned)))
