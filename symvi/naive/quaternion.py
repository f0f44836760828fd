"""Quaternions (w, x, y, z) as lists of any numbers: Hamilton's product, and rotation by it (BM20 (3), (15))."""

from __future__ import annotations

from collections.abc import Sequence

Vector = Sequence
Quaternion = Sequence


def multiply(p: Quaternion, q: Quaternion) -> list:
    """p q = L(p) q = R(q) p."""
    pw, px, py, pz = p
    qw, qx, qy, qz = q
    return [
        pw * qw - px * qx - py * qy - pz * qz,
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
    ]


def conjugate(q: Quaternion) -> list:
    """T q, the inverse of a unit quaternion."""
    return [q[0], -q[1], -q[2], -q[3]]


def vector(q: Quaternion) -> list:
    """V q, the vector part."""
    return list(q[1:])


def pure(v: Vector) -> list:
    """Vᵀ v, the quaternion without a scalar part."""
    return [v[0] * 0, *v]


def rotate(q: Quaternion, v: Vector) -> list:
    """V(q v q*): a vector of body components in world components."""
    return vector(multiply(multiply(q, pure(v)), conjugate(q)))


def unrotate(q: Quaternion, v: Vector) -> list:
    """V(q* v q): a vector of world components in body components."""
    return rotate(conjugate(q), v)


def columns(q: Quaternion) -> list[list]:
    """The images of x, y, z: the columns of the rotation matrix."""
    zero = q[0] * 0
    return [rotate(q, [zero + int(i == k) for i in range(3)]) for k in range(3)]


def dot(u: Vector, v: Vector):
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def cross(u: Vector, v: Vector) -> list:
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def add(u: Vector, v: Vector) -> list:
    return [a + b for a, b in zip(u, v, strict=True)]


def subtract(u: Vector, v: Vector) -> list:
    return [a - b for a, b in zip(u, v, strict=True)]


def scale(factor, v: Vector) -> list:
    return [factor * a for a in v]


def turned(q: Quaternion, theta: Vector) -> list:
    """(1 + theta/2) q: a body turned by a small rotation vector in world axes."""
    return add(q, multiply([theta[0] * 0, *(angle / 2 for angle in theta)], q))
