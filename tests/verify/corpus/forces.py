"""Springs, dampers, friction, contact gaps, and laws that change at a threshold."""

from __future__ import annotations

import numpy as np

from tests.verify.corpus.algebra import I3, L, R, V, conjugate, norm, rotation, skew
from tests.verify.corpus.case import (
    NORMAL,
    Case,
    columns,
    everything,
    positive,
    quaternion,
    scalar,
    vector,
)

# a spring between two points: F = -k (1 - rest/|r|) r

SPRING = {"r": vector(), "k": positive(1e4), "rest": positive(0.5)}


def spring(r, k, rest):
    return -k * (1 - rest / norm(r)) * r


def spring_by_r(r, k, rest):
    return -k * ((1 - rest / norm(r)) * I3 + rest / norm(r) ** 3 * np.outer(r, r))


def spring_along_and_across(r, k, rest):
    """Stiffness k along the spring, k (1 - rest/|r|) across it."""
    along = np.outer(r, r) / (r @ r)
    return -k * along - k * (1 - rest / norm(r)) * (I3 - along)


SPRINGS = [
    Case("spring force", spring, spring_by_r, "r", SPRING, c=("forces.c", "spring", "spring_dr")),
    Case("spring force, along and across", spring, spring_along_and_across, "r", SPRING),
    Case(
        "spring force, length held fixed",
        spring,
        lambda r, k, rest: -k * (1 - rest / norm(r)) * I3,
        "r",
        SPRING,
        everything,
        ("missing", "term"),
        c=("forces.c", "spring", "spring_dr_fixed_length"),
    ),
    Case(
        "spring force, sign of the second term",
        spring,
        lambda r, k, rest: -k * ((1 - rest / norm(r)) * I3 - rest / norm(r) ** 3 * np.outer(r, r)),
        "r",
        SPRING,
        everything,
        ("term",),
    ),
    Case(
        "spring force, force for its gradient",
        spring,
        lambda r, k, rest: k * ((1 - rest / norm(r)) * I3 + rest / norm(r) ** 3 * np.outer(r, r)),
        "r",
        SPRING,
        everything,
        ("sign",),
    ),
]


# a spring that turns b towards a: E = (k/2) |V q_a* q_b|^2

TURNING = {"q_a": quaternion(), "q_b": quaternion(), "k": positive(10.0)}


def turning_energy(q_a, q_b, k):
    d = V @ L(conjugate(q_a)) @ q_b
    return k / 2 * (d @ d)


def turning_gradient(q_a, q_b, k):
    d = L(conjugate(q_a)) @ q_b
    return k / 2 * d[0] * np.hstack([-d[1:], d[1:]])


def turning_gradient_from_scalar(q_a, q_b, k):
    """|d_v|^2 = 1 - d_w^2, so that E' = -k d_w d_w'."""
    d = L(conjugate(q_a)) @ q_b
    return -k * d[0] * np.hstack([-R(d)[0, 1:], L(d)[0, 1:]]) / 2


TURNINGS = [
    Case("turning spring", turning_energy, turning_gradient, ("q_a", "q_b"), TURNING),
    Case("turning spring, from the scalar part", turning_energy, turning_gradient_from_scalar, ("q_a", "q_b"), TURNING),
    Case(
        "turning spring, in the scale of the rotational gradient",
        turning_energy,
        lambda q_a, q_b, k: 2 * turning_gradient(q_a, q_b, k),
        ("q_a", "q_b"),
        TURNING,
        everything,
        ("factor: twice",),
    ),
    Case(
        "turning spring, bodies exchanged",
        turning_energy,
        lambda q_a, q_b, k: -turning_gradient(q_a, q_b, k),
        ("q_a", "q_b"),
        TURNING,
        everything,
        ("sign", "exchange"),
    ),
    Case(
        "turning spring, as if the turn were small",
        turning_energy,
        lambda q_a, q_b, k: k / 2 * np.hstack([-V @ L(conjugate(q_a)) @ q_b, V @ L(conjugate(q_a)) @ q_b]),
        ("q_a", "q_b"),
        TURNING,
        everything,
    ),
]


# gravity on an eccentric mass: E = m g e_z R p

GRAVITY = {"q": quaternion(), "p": vector(), "m": positive(), "g": positive(9.81)}


def gravity(q, p, m, g):
    return m * g * (rotation(q) @ p)[2]


def gravity_torque(q, p, m, g):
    return m * g * np.cross(p, rotation(q)[2])


GRAVITIES = [
    Case("gravity's moment", gravity, gravity_torque, "q", GRAVITY, c=("forces.c", "gravity", "gravity_dq")),
    Case(
        "gravity's moment, e_z turned the wrong way",
        gravity,
        lambda q, p, m, g: m * g * np.cross(p, rotation(q)[:, 2]),
        "q",
        GRAVITY,
        everything,
        ("conjugate",),
        c=("forces.c", "gravity", "gravity_dq_conjugate"),
    ),
    Case(
        "gravity's moment, in world axes",
        gravity,
        lambda q, p, m, g: m * g * rotation(q) @ np.cross(p, rotation(q)[2]),
        "q",
        GRAVITY,
        everything,
        ("side",),
    ),
]


# a damper between a point of b and the centre of a: F = -c (v_b + R_b (w_b x p) - v_a)

DAMPER = {"v_a": vector(), "v_b": vector(), "w_b": vector(), "q_b": quaternion(), "p": vector(), "c": positive(5.0)}


def damper(v_a, v_b, w_b, q_b, p, c):
    return -c * (v_b + rotation(q_b) @ np.cross(w_b, p) - v_a)


def damper_by_velocities(v_a, v_b, w_b, q_b, p, c):
    return np.hstack([c * I3, -c * I3, c * rotation(q_b) @ skew(p)])


DAMPERS = [
    Case("damper", damper, damper_by_velocities, ("v_a", "v_b", "w_b"), DAMPER),
    Case(
        "damper, bodies exchanged",
        damper,
        lambda v_a, v_b, w_b, q_b, p, c: np.hstack([-c * I3, c * I3, c * rotation(q_b) @ skew(p)]),
        ("v_a", "v_b", "w_b"),
        DAMPER,
        lambda row, column: column < 6 and row == column % 3,
        ("exchange", "sign"),
    ),
    Case(
        "damper, lever with the wrong sign",
        damper,
        lambda v_a, v_b, w_b, q_b, p, c: np.hstack([c * I3, -c * I3, -c * rotation(q_b) @ skew(p)]),
        ("v_a", "v_b", "w_b"),
        DAMPER,
        columns(6, 7, 8),
        ("sign",),
    ),
]


# sliding of a contact point: t.(v + R (w x p)) for two tangents t, and friction's map B

SLIDING = {"v": vector(), "w": vector(), "q": quaternion(), "p": vector()}


def sliding(v, w, q, p):
    return (v + rotation(q) @ np.cross(w, p))[:2]


def friction_map(v, w, q, p):
    return np.hstack([I3, -rotation(q) @ skew(p)])[:2]


BALL = {"v": vector(), "w": vector(), "q": quaternion(), "p": vector(), "n": NORMAL, "radius": positive(0.1)}


def ball_sliding(v, w, q, p, n, radius):
    """The material point of a ball at R p that touches the plane across n; w in body axes."""
    lever = rotation(q) @ p - radius * n
    return v + np.cross(rotation(q) @ w, lever)


FRICTION = [
    Case("friction map", sliding, friction_map, ("v", "w"), SLIDING, c=("forces.c", "sliding", "sliding_dvw")),
    Case(
        "friction map, R transposed",
        sliding,
        lambda v, w, q, p: np.hstack([I3, -rotation(q).T @ skew(p)])[:2],
        ("v", "w"),
        SLIDING,
        columns(3, 4, 5),
        ("conjugate",),
        c=("forces.c", "sliding", "sliding_dvw_conjugate"),
    ),
    Case(
        "friction of a ball",
        ball_sliding,
        lambda v, w, q, p, n, radius: np.hstack([I3, -skew(rotation(q) @ p - radius * n) @ rotation(q)]),
        ("v", "w"),
        BALL,
    ),
    Case(
        "friction of a ball, radius left out",
        ball_sliding,
        lambda v, w, q, p, n, radius: np.hstack([I3, -skew(rotation(q) @ p) @ rotation(q)]),
        ("v", "w"),
        BALL,
        columns(3, 4, 5),
        ("missing", "parameter"),
    ),
]


# smooth Coulomb friction, F = -mu u / sqrt(u.u + e^2)

COULOMB = {"u": vector(2), "mu": positive(), "e": positive(0.01)}


def coulomb(u, mu, e):
    return -mu * u / np.sqrt(u @ u + e * e)


def coulomb_by_u(u, mu, e):
    s = np.sqrt(u @ u + e * e)
    return mu * (np.outer(u, u) / s**2 - I3[:2, :2]) / s


COULOMBS = [
    Case("smooth friction", coulomb, coulomb_by_u, "u", COULOMB),
    Case(
        "smooth friction, root held fixed",
        coulomb,
        lambda u, mu, e: -mu * I3[:2, :2] / np.sqrt(u @ u + e * e),
        "u",
        COULOMB,
        everything,
        ("missing", "term"),
    ),
]


# Stribeck's law, F = (a + (b - a) exp(-(v/s)^2)) v

STRIBECK = {"v": scalar(), "a": positive(), "b": positive(), "s": positive()}


def stribeck(v, a, b, s):
    return (a + (b - a) * np.exp(-((v / s) ** 2))) * v


def stribeck_by_v(v, a, b, s):
    bell = np.exp(-((v / s) ** 2))
    return a + (b - a) * bell * (1 - 2 * v * v / (s * s))


STRIBECKS = [
    Case("Stribeck friction", stribeck, stribeck_by_v, "v", STRIBECK),
    Case(
        "Stribeck friction, exponential held fixed",
        stribeck,
        lambda v, a, b, s: a + (b - a) * np.exp(-((v / s) ** 2)),
        "v",
        STRIBECK,
        everything,
        ("missing", "term"),
    ),
]


# gaps: of a sphere at p on a body to a half-space, and between two spheres

GAP = {"x": vector(), "q": quaternion(), "p": vector(), "n": NORMAL, "o": vector(), "radius": positive(0.1)}


def gap(x, q, p, n, o, radius):
    return n @ (x + rotation(q) @ p - o) - radius


def gap_row(x, q, p, n, o, radius):
    return np.hstack([n, np.cross(p, rotation(q).T @ n)])


SPHERES = {"x_a": vector(), "x_b": vector(), "r_a": positive(0.1), "r_b": positive(0.1)}


def gap_of_spheres(x_a, x_b, r_a, r_b):
    return norm(x_b - x_a) - r_a - r_b


def gap_of_spheres_row(x_a, x_b, r_a, r_b):
    n = (x_b - x_a) / norm(x_b - x_a)
    return np.hstack([-n, n])


GAPS = [
    Case("gap to a plane", gap, gap_row, ("x", "q"), GAP, c=("forces.c", "gap", "gap_row")),
    Case(
        "gap to a plane, lever with the wrong sign",
        gap,
        lambda x, q, p, n, o, radius: np.hstack([n, np.cross(rotation(q).T @ n, p)]),
        ("x", "q"),
        GAP,
        columns(3, 4, 5),
        ("sign",),
    ),
    Case(
        "gap to a plane, normal not turned",
        gap,
        lambda x, q, p, n, o, radius: np.hstack([n, np.cross(rotation(q) @ p, n)]),
        ("x", "q"),
        GAP,
        columns(3, 4, 5),
        ("side",),
    ),
    Case(
        "gap to a plane, in map coordinates",
        gap,
        gap_row,
        ("x", "q"),
        {**GAP, "x": vector(3, 5e5), "o": vector(3, 5e5)},
    ),
    Case("gap between spheres", gap_of_spheres, gap_of_spheres_row, ("x_a", "x_b"), SPHERES),
    Case(
        "gap between spheres, bodies exchanged",
        gap_of_spheres,
        lambda x_a, x_b, r_a, r_b: -gap_of_spheres_row(x_a, x_b, r_a, r_b),
        ("x_a", "x_b"),
        SPHERES,
        everything,
        ("exchange", "sign"),
    ),
]


# laws with a threshold

STOP = {"gap": scalar(0.01), "k": positive(1e5), "d": positive(0.002)}


def stop_force(gap, k, d):
    """Nothing outside, quadratic down to the depth d, linear below."""
    if gap > 0:
        return 0 * gap
    if gap > -d:
        return k * gap**2 / (2 * d)
    return -k * (gap + d / 2)


def stop_stiffness(gap, k, d):
    if gap > 0:
        return 0 * gap
    if gap > -d:
        return k * gap / d
    return -k


def stop_stiffness_doubled_near_contact(gap, k, d):
    if gap > 0:
        return 0 * gap
    if gap > -d:
        return 2 * k * gap / d
    return -k


LINEAR = {"v": scalar(), "limit": positive(0.5), "mu": positive()}


def regularised(v, limit, mu):
    """Coulomb's law, cubic below a velocity limit."""
    if abs(v) < limit:
        return mu * (3 * v / limit - (v / limit) ** 3) / 2
    if v > 0:
        return mu
    return -mu


def regularised_by_v(v, limit, mu):
    if abs(v) < limit:
        return 3 * mu / (2 * limit) * (1 - (v / limit) ** 2)
    return 0 * v


def regularised_without_limit(v, limit, mu):
    """1/limit of the inner derivative forgotten."""
    if abs(v) < limit:
        return 3 * mu / 2 * (1 - (v / limit) ** 2)
    return 0 * v


THRESHOLDS = [
    Case("stop with a soft surface", stop_force, stop_stiffness, "gap", STOP, branches=3),
    Case(
        "stop with a soft surface, wrong near contact",
        stop_force,
        stop_stiffness_doubled_near_contact,
        "gap",
        STOP,
        everything,
        ("factor: twice",),
        branches=3,
    ),
    Case("cubic Coulomb friction", regularised, regularised_by_v, "v", LINEAR, branches=3),
    Case(
        "cubic Coulomb friction, inner derivative forgotten",
        regularised,
        regularised_without_limit,
        "v",
        LINEAR,
        everything,
        ("factor", "missing", "term"),
        branches=3,
    ),
]

CASES = [
    *SPRINGS,
    *TURNINGS,
    *GRAVITIES,
    *DAMPERS,
    *FRICTION,
    *COULOMBS,
    *STRIBECKS,
    *GAPS,
    *THRESHOLDS,
]
