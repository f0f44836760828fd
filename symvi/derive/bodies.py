"""A body's own functions: rotation, inertia, the discrete update, and the balances of a step (BM20 (19)-(32)).

Angular velocities w and the inertia J are in body axes, over a step h: q2 = q1 [c; (h/2) w], c = sqrt(1 - (h²/4) w·w).
"""

from __future__ import annotations

from collections.abc import Sequence

from symvi.derive.definition import Definition, named
from symvi.naive.quaternion import add, conjugate, cross, dot, multiply, rotate, scale, subtract, unrotate
from symvi.verify.asking.variables import angular_velocity, inertia, quaternion, scalar, step, vector

FULL = inertia("matrix")


def turn(world, w: Sequence, h) -> list:
    """[c; (h/2) w], the unit quaternion of a step."""
    a = [h * x / 2 for x in w]
    return [*named(world, "c = sqrt(1 - (h²/4) w·w)", [world.functions.sqrt(1 - dot(a, a))]), *a]


def times(matrix: Sequence, v: Sequence) -> list:
    """A 3 x 3 matrix, row by row, times a vector."""
    return [dot(matrix[3 * i : 3 * i + 3], v) for i in range(3)]


def angular_momentum(world, w, J, h):  # noqa: N803  (the papers' letter)
    c = turn(world, w, h[0])[0]
    spin = named(world, "J w", times(J, w))
    straight = named(world, "c J w", scale(c, spin))
    return add(straight, named(world, "(h/2) w x J w", scale(h[0] / 2, cross(w, spin))))


def rotational_residual(world, w_1, w_0, J, tau, h):  # noqa: N803
    now, back = angular_momentum(world, w_1, J, h), angular_momentum(world, w_0, J, [-h[0]])
    return subtract(subtract(now, back), scale(h[0], tau))


def rotation_matrix(world, q):
    zero = world.zero
    columns = [rotate(q, [zero + int(i == k) for i in range(3)]) for k in range(3)]
    return [columns[k][i] for i in range(3) for k in range(3)]


def world_inertia(world, q, J):  # noqa: N803
    columns = [rotate(q, times(J, unrotate(q, [world.zero + int(i == k) for i in range(3)]))) for k in range(3)]
    return [columns[k][i] for i in range(3) for k in range(3)]


def _definition(name, equation, source, of, wrt, shape=None, **variables) -> Definition:
    return Definition(name, equation, source, variables, wrt, of, shape)


DEFINITIONS = {
    definition.name: definition
    for definition in (
        _definition("rotation", "f = R(q) v = V(q v q*)", "BM20 (15)", lambda world, q, v: rotate(q, v), ("q",),
                    q=quaternion(), v=vector(3)),
        _definition("inverse_rotation", "f = R(q)ᵀ v = V(q* v q)", "BM20 (15)", lambda world, q, v: unrotate(q, v),
                    ("q",), q=quaternion(), v=vector(3)),
        _definition("rotation_matrix", "f = R(q), row by row", "BM20 (15)", rotation_matrix, ("q",), (3, 3),
                    q=quaternion()),
        _definition("relative_orientation", "d = q_a* q_b", "BM20 (11)",
                    lambda world, q_a, q_b: multiply(conjugate(q_a), q_b), ("q_a", "q_b"),
                    q_a=quaternion(), q_b=quaternion()),
        _definition("world_inertia", "f = R(q) J R(q)ᵀ, row by row", "derived here", world_inertia, ("q",), (3, 3),
                    q=quaternion(), J=FULL),
        _definition("gyroscopic_torque", "f = w x J w", "BM20 (32)",
                    lambda world, w, J: cross(w, times(J, w)), ("w",), w=vector(3), J=FULL),
        _definition("kinetic_energy", "T = (1/2) m v·v + (1/2) w·J w", "BM20 (21), BSMH23 section 2",
                    lambda world, m, v, w, J: [(m[0] * dot(v, v) + dot(w, times(J, w))) / 2], ("v", "w"),
                    m=scalar(positive=True), v=vector(3), w=vector(3), J=FULL),
        _definition("position_update", "x2 = x1 + h v", "BM20 (30)",
                    lambda world, x, v, h: add(x, scale(h[0], v)), ("v",), x=vector(3), v=vector(3), h=step()),
        _definition("update_map", "q2 = L(q) [sqrt(1 - (h²/4) w·w); (h/2) w]", "BM20 (31)",
                    lambda world, q, w, h: multiply(q, turn(world, w, h[0])), ("w",),
                    q=quaternion(), w=angular_velocity(), h=step()),
        _definition("angular_momentum", "l = c J w + (h/2) w x J w,  c = sqrt(1 - (h²/4) w·w)", "BM20 (32) times h/2",
                    angular_momentum, ("w",), w=angular_velocity(), J=FULL, h=step()),
        _definition("translational_residual", "r = m (v_1 - v_0) - h f", "BM20 (29) times h",
                    lambda world, m, v_1, v_0, f, h: subtract(scale(m[0], subtract(v_1, v_0)), scale(h[0], f)),
                    ("v_1",), m=scalar(positive=True), v_1=vector(3), v_0=vector(3), f=vector(3), h=step()),
        _definition("rotational_residual",
                    "r = c_1 J w_1 + (h/2) w_1 x J w_1 - [c_0 J w_0 - (h/2) w_0 x J w_0] - h tau",
                    "BM20 (32), BSMH23 (16), times h/2", rotational_residual, ("w_1",), w_1=angular_velocity(),
                    w_0=angular_velocity(), J=FULL, tau=vector(3), h=step()),
    )
}  # fmt: skip
