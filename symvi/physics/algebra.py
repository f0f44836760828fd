"""Quaternions and the rotational gradient, as SymPy sees them (BM20 (7)-(10)).

Quaternions are Hamilton's, scalar first, from body to world. A rotation is varied by a rotation vector theta in **world
axes**:
    q -> q + (1/2) [0; theta] q,
so a vector fixed to the body, seen in world axes, varies by theta x r, and a body-fixed quaternion p = q p0 by (1/2)
[0; theta] p. These two rules are all the derivation layer needs: every joint, contact and potential is a function of
positions and of body-fixed vectors and quaternions, and `gradient` chains through them. The papers' rotational gradient
is twice this one and in body axes; `rotational_gradient` is that plain definition, kept as the yardstick of the proofs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from symvi.physics.straight_line import Symbolic

UNIT = [sp.Matrix(3, 1, lambda i, j, k=k: int(i == k)) for k in range(3)]


class angle(sp.Function):  # noqa: N801  (a function's name in the field's notation)
    """angle(y, x, near) = 2 atan2(y, x) on the branch nearest to `near`; its gradient needs no branch."""

    nargs = 3
    if TYPE_CHECKING:  # SymPy says that it is a class

        def __new__(cls, *args: Symbolic) -> Symbolic: ...

    def fdiff(self, argindex=1):
        return _slope_of_angle(argindex, *self.args)


def _slope_of_angle(number: int, y: Symbolic, x: Symbolic, near: Symbolic) -> Symbolic:
    """The derivative of `angle` by one of its arguments, which count from 1."""
    if number == 3:
        return sp.Integer(0)
    return 2 * (x if number == 1 else -y) / (x**2 + y**2)


def column(names: str) -> Symbolic:
    """Real symbols, by names as SymPy takes them: x_0:3."""
    return sp.Matrix(sp.symbols(names, real=True))


def skew(v) -> sp.Matrix:
    """v^ with v^ u = v x u."""
    return sp.Matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def cross(u, v) -> sp.Matrix:
    return sp.Matrix([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])


def dot(u, v) -> sp.Expr:
    return sum((a * b for a, b in zip(u, v, strict=True)), sp.Integer(0))


def left(q) -> Symbolic:
    """L(q), with L(q) p = q p (BM20 (8))."""
    w, x, y, z = q
    return sp.Matrix([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])


def right(q) -> Symbolic:
    """R(q), with R(q) p = p q (BM20 (9))."""
    w, x, y, z = q
    return sp.Matrix([[w, -x, -y, -z], [x, w, z, -y], [y, -z, w, x], [z, y, -x, w]])


def conjugate(q) -> sp.Matrix:
    """T q, the inverse of a unit quaternion (BM20 (7), (12))."""
    return sp.Matrix([q[0], -q[1], -q[2], -q[3]])


def multiply(p, q) -> Symbolic:
    return left(p) * sp.Matrix(list(q))


def vector(q) -> sp.Matrix:
    """V q, the vector part (BM20 (10))."""
    return sp.Matrix([q[1], q[2], q[3]])


def pure(v) -> sp.Matrix:
    """Vᵀ v: the quaternion without scalar part."""
    return sp.Matrix([0, v[0], v[1], v[2]])


def rotation(q) -> sp.Matrix:
    """The rotation matrix of a unit quaternion, without using its norm twice: 1 - 2(y²+z²) on the diagonal."""
    w, x, y, z = q
    return sp.Matrix(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def gradient(rows: Symbolic, moving: list[tuple[str, Symbolic]]) -> Symbolic:
    """The m x 6 derivative of `rows` by a body's position and by a rotation vector in world axes.

    `moving` lists what the body carries: ("position", x), ("vector", r), ("quaternion", p), all in world axes.
    """
    rows = sp.Matrix(rows)
    result = sp.zeros(rows.rows, 6)
    for kind, values in moving:
        jacobian = rows.jacobian(sp.Matrix(values))
        for k in range(3):
            if kind == "position":
                result[:, k] += jacobian[:, k]
            elif kind == "vector":
                result[:, 3 + k] += jacobian * cross(UNIT[k], values)
            elif kind == "quaternion":
                result[:, 3 + k] += jacobian * (multiply(pure(UNIT[k]), values) / 2)
            else:
                raise ValueError(f"unknown kind of moving quantity {kind!r}")
    return result


def rotational_gradient(f: sp.Matrix, q: sp.Matrix) -> sp.Matrix:
    """The plain definition in **body axes**: (1/2) (df/dq) L(q) Vᵀ (half of BM20 (17))."""
    return sp.Matrix(f).jacobian(sp.Matrix(q)) * left(q)[:, 1:] / 2
