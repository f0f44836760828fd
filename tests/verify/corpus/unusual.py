"""Right claims in unusual forms: equal to the derivative only where quaternions have norm one, or by an identity."""

from __future__ import annotations

import numpy as np

from tests.verify.corpus import dynamics, forces, joints, rotations, second
from tests.verify.corpus.algebra import I3, L, R, V, conjugate, norm, rotation, skew
from tests.verify.corpus.case import Case

ROTATIONS = [
    Case(
        "unusual: vector in body axes, R^T [p] R",
        rotations.unrotated,
        lambda q, p: rotation(q).T @ skew(p) @ rotation(q),
        "q",
        rotations.BODY,
    ),
    Case(
        "unusual: vector in body axes, world side",
        rotations.unrotated,
        lambda q, p: skew(rotation(q).T @ p) @ rotation(q).T,
        "q",
        rotations.WORLD,
    ),
    Case(
        "unusual: rotated vector, world side by its columns",
        rotations.rotated,
        lambda q, p: np.stack([np.cross(axis, rotation(q) @ p) for axis in I3], axis=1),
        "q",
        rotations.WORLD,
    ),
    Case(
        "unusual: rotational gradient by L V^T",
        rotations.rotated_of_degree_two,
        lambda q, p: rotations.raw(q, p) @ L(q) @ V.T,
        "q",
        rotations.HALF,
    ),
    Case(
        "unusual: rotational gradient from the world side",
        rotations.rotated,
        lambda q, p: rotations.raw(q, p) @ R(q) @ V.T @ rotation(q),
        "q",
        rotations.HALF,
    ),
    Case(
        "unusual: product, times a norm of one",
        lambda p, q: L(p) @ q,
        lambda p, q: (p @ p) * L(p),
        "q",
        rotations.PRODUCT,
    ),
    Case(
        "unusual: relative orientation by b, from its factors",
        rotations.relative,
        lambda q_a, q_b: L(q_a).T @ L(q_b) @ V.T / 2,
        "q_b",
        rotations.PAIR,
    ),
    Case(
        "unusual: relative orientation by a, from its factors",
        rotations.relative,
        lambda q_a, q_b: -R(q_b) @ R(q_a).T @ V.T / 2,
        "q_a",
        rotations.PAIR,
    ),
]


def rotation_of_degree_two(q):
    """The same matrix with w w + x x - y y - z z in place of 1 - 2 (y y + z z)."""
    w, v = q[0], q[1:]
    return (w * w - v @ v) * I3 + 2 * np.outer(v, v) + 2 * w * skew(v)


def spherical_in_world_axes(x_a, q_a, x_b, q_b, p_a, p_b):
    turn_a, turn_b = rotation(q_a), rotation(q_b)
    return np.hstack([-I3, skew(turn_a @ p_a) @ turn_a, I3, -skew(turn_b @ p_b) @ turn_b])


def revolute_in_world_axes(x_a, q_a, x_b, q_b, p_a, p_b):
    turn_a, turn_b = rotation_of_degree_two(q_a), rotation_of_degree_two(q_b)
    r, d = x_b + turn_b @ p_b - x_a, L(conjugate(q_a)) @ q_b
    none = np.zeros((2, 3), dtype=int)
    return np.vstack(
        [
            turn_a.T @ np.hstack([-I3, skew(r) @ turn_a, I3, -turn_b @ skew(p_b)]),
            np.hstack([none, (skew(d[1:]) - d[0] * I3)[:2], none, (skew(d[1:]) + d[0] * I3)[:2]]),
        ]
    )


def length_by_powers(x_a, q_a, x_b, q_b, p_a, p_b):
    r = joints.between(x_a, q_a, x_b, q_b, p_a, p_b)
    by_state = np.hstack([-I3, rotation(q_a) @ skew(p_a), I3, -rotation(q_b) @ skew(p_b)])
    return (r @ r) ** 2 * (r @ by_state) / norm(r) ** 5


def universal_in_axes_of_a(q_a, q_b):
    between = rotation(q_a).T @ rotation(q_b)
    x, y = np.array([1, 0, 0]), np.array([0, 1, 0])
    return np.hstack([np.cross(x, between @ y), np.cross(y, between.T @ x)])


def angle_by_the_swing(q_a, q_b):
    """w w + s s is what x and y leave of one."""
    d = L(conjugate(q_a)) @ q_b
    rows_a, rows_b = -R(d) @ V.T, L(d) @ V.T
    return (d[0] * np.hstack([rows_a[3], rows_b[3]]) - d[3] * np.hstack([rows_a[0], rows_b[0]])) / (
        1 - d[1] * d[1] - d[2] * d[2]
    )


JOINTS = [
    Case(
        "unusual: ball joint, levers in world axes",
        joints.spherical,
        spherical_in_world_axes,
        joints.ALL,
        joints.ANCHORED,
    ),
    Case(
        "unusual: ball joint, matrices of degree two",
        joints.spherical,
        lambda x_a, q_a, x_b, q_b, p_a, p_b: np.hstack(
            [-I3, rotation_of_degree_two(q_a) @ skew(p_a), I3, -rotation_of_degree_two(q_b) @ skew(p_b)]
        ),
        joints.ALL,
        joints.ANCHORED,
    ),
    Case("unusual: hinge in world axes", joints.revolute, revolute_in_world_axes, joints.ALL, joints.ANCHORED),
    Case(
        "unusual: slider in world axes",
        joints.slider,
        lambda x_a, q_a, x_b, q_b, p_b: (
            rotation(q_a).T
            @ np.hstack(
                [
                    -I3,
                    skew(x_b + rotation(q_b) @ p_b - x_a) @ rotation(q_a),
                    I3,
                    -skew(rotation(q_b) @ p_b) @ rotation(q_b),
                ]
            )
        )[:2],
        joints.ALL,
        joints.SLIDING,
    ),
    Case("unusual: length by powers", joints.length, length_by_powers, joints.ALL, joints.ANCHORED),
    Case("unusual: universal joint in axes of a", joints.universal, universal_in_axes_of_a, joints.TURNS, joints.PAIR),
    Case("unusual: angle by the swing", joints.hinge_angle, angle_by_the_swing, joints.TURNS, joints.PAIR),
]


def world_momentum_in_world_axes(q, w, J):
    turn = rotation(q)
    inertia = turn @ J @ turn.T
    return (inertia @ skew(w) - skew(inertia @ w)) @ turn


def turned_by_quaternion(f, p):
    """Through the quaternion of the rotation vector: d theta = 2 V L(q)^T dq."""
    q = dynamics.exponential(f)
    return -rotation(q) @ skew(p) @ (2 * V @ L(q).T @ dynamics.exponential_by_f(f))


def exponential_by_quarter_angles(f):
    angle = norm(f)
    s = 2 * np.sin(angle / 4) * np.cos(angle / 4)
    c = np.cos(angle / 4) ** 2 - np.sin(angle / 4) ** 2
    n = f / angle
    return np.vstack([-s * n / 2, s / angle * I3 + (c / 2 - s / angle) * np.outer(n, n)])


DYNAMICS = [
    Case(
        "unusual: gyroscopic torque by the trace",
        dynamics.torque,
        lambda w, J: 2 * skew(w) @ J + J @ skew(w) - np.trace(J) * skew(w),
        "w",
        dynamics.SPIN,
    ),
    Case(
        "unusual: kinetic energy, J transposed",
        lambda w, J: w @ J @ w / 2,
        lambda w, J: w @ (J + J.T) / 2,
        "w",
        dynamics.SPIN,
    ),
    Case(
        "unusual: momentum in world axes",
        dynamics.world_momentum,
        world_momentum_in_world_axes,
        "q",
        dynamics.WORLD_MOMENTUM,
    ),
    Case(
        "unusual: update map, by w, in two parts",
        dynamics.update,
        lambda q, w, h: (
            h / 2 * L(q) @ V.T - h**2 / 4 * np.outer(q, w) * np.sqrt(1 - h**2 / 4 * (w @ w)) / (1 - h**2 / 4 * (w @ w))
        ),
        "w",
        dynamics.UPDATE,
    ),
    Case(
        "unusual: update map, by q, factors exchanged",
        dynamics.update,
        lambda q, w, h: R(dynamics.turn(w, h)) @ L(q) @ V.T / 2,
        "q",
        dynamics.UPDATE,
    ),
    Case(
        "unusual: anchor after a step, turned once more",
        dynamics.anchor_after,
        lambda x, q, v, w, h, p: np.hstack(
            [
                h * I3,
                -skew(rotation(dynamics.update(q, w, h)) @ p)
                @ rotation(dynamics.update(q, w, h))
                @ (2 * V @ L(dynamics.update(q, w, h)).T @ dynamics.update_by_w(q, w, h)),
            ]
        ),
        dynamics.VELOCITIES,
        dynamics.STEPPED,
    ),
    Case(
        "unusual: exponential map by quarter angles",
        dynamics.exponential,
        exponential_by_quarter_angles,
        "f",
        dynamics.EXPONENTIAL,
    ),
    Case(
        "unusual: vector turned by a rotation vector, through its quaternion",
        dynamics.rodrigues,
        turned_by_quaternion,
        "f",
        dynamics.ROTATION_VECTOR,
    ),
    Case(
        "unusual: Cayley's map, by its angular velocity",
        dynamics.cayley,
        lambda c, p: (
            -(I3 + 2 / (1 + c @ c) * (skew(c) + skew(c) @ skew(c))) @ skew(p) @ (I3 - skew(c)) * 2 / (1 + c @ c)
        ),
        "c",
        dynamics.CAYLEY,
    ),
    Case(
        "unusual: angular velocity by the second knot, written out",
        dynamics.velocity,
        lambda q1, q2, h: ((q1 @ q2) * I3 + skew(V @ L(q1).T @ q2)) / h,
        "q2",
        dynamics.BETWEEN,
    ),
]

FORCES = [
    Case(
        "unusual: spring force by the cross product's matrix",
        forces.spring,
        lambda r, k, rest: -k * I3 - k * rest * skew(r) @ skew(r) / norm(r) ** 3,
        "r",
        forces.SPRING,
    ),
    Case(
        "unusual: turning spring by the square of d",
        forces.turning_energy,
        lambda q_a, q_b, k: k / 4 * (L(L(conjugate(q_a)) @ q_b) @ L(conjugate(q_a)) @ q_b) @ np.hstack([-1 * V.T, V.T]),
        ("q_a", "q_b"),
        forces.TURNING,
    ),
    Case(
        "unusual: gravity's moment, turned back from the world",
        forces.gravity,
        lambda q, p, m, g: m * g * rotation(q).T @ np.cross(rotation(q) @ p, np.array([0, 0, 1])),
        "q",
        forces.GRAVITY,
    ),
    Case(
        "unusual: damper with its lever in world axes",
        forces.damper,
        lambda v_a, v_b, w_b, q_b, p, c: c * np.hstack([I3, -I3, skew(rotation(q_b) @ p) @ rotation(q_b)]),
        ("v_a", "v_b", "w_b"),
        forces.DAMPER,
    ),
    Case(
        "unusual: friction map, row by row",
        forces.sliding,
        lambda v, w, q, p: np.stack([np.concatenate([I3[i], np.cross(p, rotation(q)[i])]) for i in (0, 1)]),
        ("v", "w"),
        forces.SLIDING,
    ),
    Case(
        "unusual: friction of a ball in two parts",
        forces.ball_sliding,
        lambda v, w, q, p, n, radius: np.hstack([I3, radius * skew(n) @ rotation(q) - rotation(q) @ skew(p)]),
        ("v", "w"),
        forces.BALL,
    ),
    Case(
        "unusual: smooth friction across the sliding",
        forces.coulomb,
        lambda u, mu, e: (
            -mu
            * (e * e * I3[:2, :2] + np.outer(np.array([-u[1], u[0]]), np.array([-u[1], u[0]])))
            / np.sqrt(u @ u + e * e) ** 3
        ),
        "u",
        forces.COULOMB,
    ),
    Case(
        "unusual: Stribeck friction, the square of a wider bell",
        forces.stribeck,
        lambda v, a, b, s: a + (b - a) * np.exp(-(v**2) / (2 * s**2)) ** 2 * (s**2 - 2 * v**2) / s**2,
        "v",
        forces.STRIBECK,
    ),
    Case(
        "unusual: gap to a plane, lever in world axes",
        forces.gap,
        lambda x, q, p, n, o, radius: np.hstack([n, np.cross(rotation(q) @ p, n) @ rotation(q)]),
        ("x", "q"),
        forces.GAP,
    ),
    Case(
        "unusual: gap between spheres, by a projection",
        forces.gap_of_spheres,
        lambda x_a, x_b, r_a, r_b: (x_b - x_a) @ np.hstack([-I3, I3]) * norm(x_b - x_a) / ((x_b - x_a) @ (x_b - x_a)),
        ("x_a", "x_b"),
        forces.SPHERES,
    ),
    Case(
        "unusual: cubic Coulomb friction in factors",
        forces.regularised,
        lambda v, limit, mu: 3 * mu * (limit - v) * (limit + v) / (2 * limit**3) if abs(v) < limit else 0 * v,
        "v",
        forces.LINEAR,
        branches=3,
    ),
]

SECOND = [
    Case(
        "unusual: force at an anchor, moment turned back",
        second.anchor,
        lambda x, q, p, y: np.hstack([y, rotation(q).T @ np.cross(rotation(q) @ p, y)]),
        ("x", "q"),
        second.ANCHOR,
        weights="y",
    ),
    Case(
        "unusual: derivative of a force at an anchor, turned back",
        second.anchor,
        lambda x, q, p, y: np.block([[0 * I3, 0 * I3], [0 * I3, skew(p) @ rotation(q).T @ skew(y) @ rotation(q)]]),
        ("x", "q"),
        second.ANCHOR,
        order=2,
        weights="y",
    ),
    Case(
        "unusual: stiffness of a spring's energy, by powers",
        second.stretch,
        lambda r, k, rest: k * (I3 - rest * ((r @ r) * I3 - np.outer(r, r)) / norm(r) ** 3),
        "r",
        second.STRETCH,
        order=2,
    ),
    Case(
        "unusual: second derivative of a height, by inner products",
        second.height,
        lambda q, p: np.array(
            [[rotation(q)[2] @ (p[j] * I3[i] - (p if i == j else 0 * p)) for j in range(3)] for i in range(3)]
        ),
        "q",
        second.TURNED,
        order=2,
    ),
]

CASES = [*ROTATIONS, *JOINTS, *DYNAMICS, *FORCES, *SECOND]
