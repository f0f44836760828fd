"""Inertia terms, discrete momenta, and update maps: J is an inertia, w an angular velocity, h the step."""

from __future__ import annotations

import numpy as np

from tests.verify.corpus.algebra import I3, L, R, V, conjugate, norm, rotation, skew
from tests.verify.corpus.case import (
    ANGULAR_VELOCITY,
    STEP,
    Case,
    columns,
    everything,
    inertia,
    quaternion,
    vector,
)

# Euler's equations: the torque of a spinning body

SPIN = {"w": vector(), "J": inertia(2e-5)}  # of a quadrotor that fits into a hand


def torque(w, J):
    return np.cross(w, J @ w)


def torque_by_w(w, J):
    return skew(w) @ J - skew(J @ w)


TORQUE = [
    Case("gyroscopic torque", torque, torque_by_w, "w", SPIN, c=("dynamics.c", "torque", "torque_dw")),
    Case(
        "gyroscopic torque, J w held fixed",
        torque,
        lambda w, J: -skew(J @ w),
        "w",
        SPIN,
        everything,
        ("missing", "term"),
    ),
    Case(
        "gyroscopic torque, w held fixed",
        torque,
        lambda w, J: skew(w) @ J,
        "w",
        SPIN,
        lambda row, column: row != column,
        ("missing", "term"),
        c=("dynamics.c", "torque", "torque_dw_half"),
    ),
    Case(
        "gyroscopic torque, plus for minus",
        torque,
        lambda w, J: skew(w) @ J + skew(J @ w),
        "w",
        SPIN,
        lambda row, column: row != column,
        ("term",),
    ),
]


# kinetic energy

ENERGY = [
    Case("kinetic energy", lambda w, J: w @ J @ w / 2, lambda w, J: J @ w, "w", SPIN),
    Case(
        "kinetic energy, the half forgotten",
        lambda w, J: w @ J @ w / 2,
        lambda w, J: 2 * J @ w,
        "w",
        SPIN,
        everything,
        ("factor: twice",),
    ),
]


# angular momentum in world axes, R J R^T w

WORLD_MOMENTUM = {"q": quaternion(), "w": vector(), "J": inertia()}


def world_momentum(q, w, J):
    turn = rotation(q)
    return turn @ J @ turn.T @ w


def world_momentum_by_q(q, w, J):
    turn = rotation(q)
    body = turn.T @ w
    return turn @ (J @ skew(body) - skew(J @ body))


MOMENTUM = [
    Case("momentum in world axes", world_momentum, world_momentum_by_q, "q", WORLD_MOMENTUM),
    Case(
        "momentum in world axes, second rotation held fixed",
        world_momentum,
        lambda q, w, J: -rotation(q) @ skew(J @ rotation(q).T @ w),
        "q",
        WORLD_MOMENTUM,
        everything,
        ("missing", "term"),
    ),
    Case(
        "momentum in world axes, turned from the left",
        world_momentum,
        lambda q, w, J: world_momentum_by_q(q, w, J) @ rotation(q).T,
        "q",
        WORLD_MOMENTUM,
        everything,
        ("side",),
    ),
]


# the discrete momentum l = c J w + (h/2) w x J w, c = sqrt(1 - (h^2/4) w.w): BM20 (32) as an impulse

DISCRETE = {"w": ANGULAR_VELOCITY, "J": inertia(), "h": STEP}


def momentum(w, J, h):
    c = np.sqrt(1 - h**2 / 4 * (w @ w))
    return c * (J @ w) + h / 2 * np.cross(w, J @ w)


def momentum_by_w(w, J, h):
    c = np.sqrt(1 - h**2 / 4 * (w @ w))
    return c * J - h**2 / (4 * c) * np.outer(J @ w, w) + h / 2 * (skew(w) @ J - skew(J @ w))


def momentum_by_w_over_root(w, J, h):
    """Everything over the root: c^2 in the numerator instead of c."""
    c = np.sqrt(1 - h**2 / 4 * (w @ w))
    numerator = (1 - h * h * (w @ w) / 4) * J - h * h / 4 * np.outer(J @ w, w)
    return (numerator + c * h / 2 * (skew(w) @ J - skew(J @ w))) / c


def momentum_with_fixed_root(w, J, h):
    c = np.sqrt(1 - h**2 / 4 * (w @ w))
    return c * J + h / 2 * (skew(w) @ J - skew(J @ w))


def momentum_without_gyroscopic_half(w, J, h):
    c = np.sqrt(1 - h**2 / 4 * (w @ w))
    return c * J - h**2 / (4 * c) * np.outer(J @ w, w) + h / 2 * skew(w) @ J


def momentum_without_gyroscopic_term(w, J, h):
    c = np.sqrt(1 - h**2 / 4 * (w @ w))
    return c * J - h**2 / (4 * c) * np.outer(J @ w, w)


def momentum_with_transposed_product(w, J, h):
    c = np.sqrt(1 - h**2 / 4 * (w @ w))
    return c * J - h**2 / (4 * c) * np.outer(w, J @ w) + h / 2 * (skew(w) @ J - skew(J @ w))


DISCRETE_MOMENTUM = [
    Case("discrete momentum", momentum, momentum_by_w, "w", DISCRETE, c=("dynamics.c", "momentum", "momentum_dw")),
    Case("discrete momentum, over the root", momentum, momentum_by_w_over_root, "w", DISCRETE),
    Case(
        "discrete momentum, root held fixed",
        momentum,
        momentum_with_fixed_root,
        "w",
        DISCRETE,
        everything,
        ("missing", "term"),
        c=("dynamics.c", "momentum", "momentum_dw_fixed_root"),
    ),
    Case(
        "discrete momentum, J w held fixed in the cross product",
        momentum,
        momentum_without_gyroscopic_half,
        "w",
        DISCRETE,
        lambda row, column: row != column,
        ("missing", "term"),
        c=("dynamics.c", "momentum", "momentum_dw_half_gyroscopic"),
    ),
    Case(
        "discrete momentum, no gyroscopic term",
        momentum,
        momentum_without_gyroscopic_term,
        "w",
        DISCRETE,
        everything,
        ("term: missing",),
    ),
    Case(
        "discrete momentum, outer product transposed",
        momentum,
        momentum_with_transposed_product,
        "w",
        DISCRETE,
        lambda row, column: row != column,
        ("term", "transpose"),
    ),
]


# the update map q2 = L(q1) [c; (h/2) w]: BM20 (31)

UPDATE = {"q": quaternion(), "w": ANGULAR_VELOCITY, "h": STEP}


def turn(w, h):
    return np.concatenate([[np.sqrt(1 - h**2 / 4 * (w @ w))], h / 2 * w])


def update(q, w, h):
    return L(q) @ turn(w, h)


def update_by_w(q, w, h):
    c = np.sqrt(1 - h**2 / 4 * (w @ w))
    return h / 2 * L(q) @ np.vstack([-h / 2 * w / c, I3])


def update_by_q(q, w, h):
    """d(q s) = 1/2 q (0, theta) s."""
    return L(q) @ R(turn(w, h)) @ V.T / 2


UPDATES = [
    Case("update map, by w", update, update_by_w, "w", UPDATE, c=("dynamics.c", "update", "update_dw")),
    Case("update map, by q", update, update_by_q, "q", UPDATE),
    Case(
        "update map, by w, root held fixed",
        update,
        lambda q, w, h: h / 2 * L(q) @ V.T,
        "w",
        UPDATE,
        everything,
        ("missing", "term", "component"),
        c=("dynamics.c", "update", "update_dw_fixed_root"),
    ),
    Case(
        "update map, by w, h forgotten",
        update,
        lambda q, w, h: L(q) @ np.vstack([-h / 2 * w / np.sqrt(1 - h**2 / 4 * (w @ w)), I3]) / 2,
        "w",
        UPDATE,
        everything,
        ("step",),
        c=("dynamics.c", "update", "update_dw_without_h"),
    ),
    Case(
        "update map, by w, R for L",
        update,
        lambda q, w, h: h / 2 * R(q) @ np.vstack([-h / 2 * w / np.sqrt(1 - h**2 / 4 * (w @ w)), I3]),
        "w",
        UPDATE,
        lambda row, column: row and row != column + 1,
        ("side", "axes", "term: transposed"),
    ),
    Case(
        "update map, by q, turned after the step",
        update,
        lambda q, w, h: L(update(q, w, h)) @ V.T / 2,
        "q",
        UPDATE,
        everything,
        (),
    ),
    Case(
        "update map, by q, twice",
        update,
        lambda q, w, h: L(q) @ R(turn(w, h)) @ V.T,
        "q",
        UPDATE,
        everything,
        ("factor: twice",),
    ),
]


# rows of a joint at the end of a step, by the velocities of the step: the anchor p meets the point o

STEPPED = {
    "x": vector(),
    "q": quaternion(),
    "v": vector(),
    "w": ANGULAR_VELOCITY,
    "h": STEP,
    "p": vector(),
}
VELOCITIES = ("v", "w")


def anchor_after(x, q, v, w, h, p):
    return x + h * v + rotation(update(q, w, h)) @ p


def anchor_after_by_velocities(x, q, v, w, h, p):
    """-R2 [p] dtheta2, dtheta2 = 2 V L(q2)^T dq2."""
    q2 = update(q, w, h)
    by_w = 2 * V @ L(q2).T @ update_by_w(q, w, h)
    return np.hstack([h * I3, -rotation(q2) @ skew(p) @ by_w])


def anchor_after_in_closed_form(x, q, v, w, h, p):
    """dtheta2 = h ((h/2) w x)^T + c + ...: the chain written out."""
    q2 = update(q, w, h)
    a = h / 2 * w
    c = np.sqrt(1 - a @ a)
    by_w = h * (c * I3 - skew(a) + np.outer(a, a) / c)
    return np.hstack([h * I3, -rotation(q2) @ skew(p) @ by_w])


def anchor_after_with_plain_turn(x, q, v, w, h, p):
    """As if dtheta2 were h dw."""
    return np.hstack([h * I3, -h * rotation(update(q, w, h)) @ skew(p)])


def anchor_after_at_the_start(x, q, v, w, h, p):
    """The lever of the first knot in place of the second's."""
    by_w = 2 * V @ L(update(q, w, h)).T @ update_by_w(q, w, h)
    return np.hstack([h * I3, -rotation(q) @ skew(p) @ by_w])


STEPS = [
    Case("anchor after a step", anchor_after, anchor_after_by_velocities, VELOCITIES, STEPPED),
    Case("anchor after a step, closed form", anchor_after, anchor_after_in_closed_form, VELOCITIES, STEPPED),
    Case(
        "anchor after a step, h forgotten for v",
        anchor_after,
        lambda x, q, v, w, h, p: np.hstack([I3, anchor_after_by_velocities(x, q, v, w, h, p)[:, 3:]]),
        VELOCITIES,
        STEPPED,
        lambda row, column: row == column,
        ("step",),
    ),
    Case(
        "anchor after a step, h forgotten",
        anchor_after,
        lambda x, q, v, w, h, p: anchor_after_by_velocities(x, q, v, w, h, p) / h,
        VELOCITIES,
        STEPPED,
        lambda row, column: column > 2 or row == column,
        ("step",),
    ),
    Case(
        "anchor after a step, plain turn",
        anchor_after,
        anchor_after_with_plain_turn,
        VELOCITIES,
        STEPPED,
        columns(3, 4, 5),
        (),
    ),
    Case(
        "anchor after a step, lever of the first knot",
        anchor_after,
        anchor_after_at_the_start,
        VELOCITIES,
        STEPPED,
        columns(3, 4, 5),
        (),
    ),
]


# the exponential map: q2 = q [cos(|f|/2); sin(|f|/2) f/|f|]

EXPONENTIAL = {"f": vector()}


def exponential(f):
    angle = norm(f)
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * f / angle])


def exponential_by_f(f):
    angle = norm(f)
    s, c = np.sin(angle / 2), np.cos(angle / 2)
    n = f / angle
    return np.vstack([-s * n / 2, s / angle * (I3 - np.outer(n, n)) + c / 2 * np.outer(n, n)])


def exponential_with_fixed_angle(f):
    """The angle's own change forgotten."""
    return np.vstack([0 * f, np.sin(norm(f) / 2) / norm(f) * I3])


ROTATION_VECTOR = {"f": vector(), "p": vector()}


def rodrigues(f, p):
    """Rodrigues' formula for a rotation vector."""
    angle = norm(f)
    n = f / angle
    return p + np.sin(angle) * np.cross(n, p) + (1 - np.cos(angle)) * np.cross(n, np.cross(n, p))


def matrix_of(f):
    angle = norm(f)
    n = skew(f / angle)
    return I3 + np.sin(angle) * n + (1 - np.cos(angle)) * n @ n


def right_jacobian(f):
    angle = norm(f)
    n = skew(f / angle)
    return I3 - (1 - np.cos(angle)) / angle * n + (1 - np.sin(angle) / angle) * n @ n


MAPS = [
    Case("exponential map", exponential, exponential_by_f, "f", EXPONENTIAL),
    Case(
        "exponential map, angle held fixed",
        exponential,
        exponential_with_fixed_angle,
        "f",
        EXPONENTIAL,
        everything,
        ("missing", "term"),
    ),
    Case(
        "vector turned by a rotation vector",
        rodrigues,
        lambda f, p: -matrix_of(f) @ skew(p) @ right_jacobian(f),
        "f",
        ROTATION_VECTOR,
    ),
    Case(
        "vector turned by a rotation vector, left Jacobian for the right",
        rodrigues,
        lambda f, p: -matrix_of(f) @ skew(p) @ right_jacobian(-f),
        "f",
        ROTATION_VECTOR,
        everything,
        ("side",),
    ),
    Case(
        "vector turned by a rotation vector, as if it were small",
        rodrigues,
        lambda f, p: -matrix_of(f) @ skew(p),
        "f",
        ROTATION_VECTOR,
        everything,
        ("missing", "term"),
    ),
]


# Cayley's map of a Rodrigues vector, R = I + 2/(1 + c.c) ([c] + [c]^2)

CAYLEY = {"c": vector(), "p": vector()}


def cayley(c, p):
    return p + 2 / (1 + c @ c) * (np.cross(c, p) + np.cross(c, np.cross(c, p)))


def cayley_by_c(c, p):
    moved = np.cross(c, p) + np.cross(c, np.cross(c, p))
    inner = -skew(p) - skew(np.cross(c, p)) - skew(c) @ skew(p)
    return 2 / (1 + c @ c) * inner - 4 / (1 + c @ c) ** 2 * np.outer(moved, c)


def cayley_with_fixed_denominator(c, p):
    return 2 / (1 + c @ c) * (-skew(p) - skew(np.cross(c, p)) - skew(c) @ skew(p))


CAYLEYS = [
    Case("Cayley's map", cayley, cayley_by_c, "c", CAYLEY, c=("dynamics.c", "cayley", "cayley_dc")),
    Case(
        "Cayley's map, denominator held fixed",
        cayley,
        cayley_with_fixed_denominator,
        "c",
        CAYLEY,
        everything,
        ("missing", "term"),
    ),
]


# the angular velocity between two knots, w = (2/h) V L(q1)^T q2: BSMH23 (13)

BETWEEN = {"q1": quaternion(), "q2": quaternion(), "h": STEP}


def velocity(q1, q2, h):
    return 2 / h * V @ L(q1).T @ q2


VELOCITY = [
    Case(
        "angular velocity by the second knot",
        velocity,
        lambda q1, q2, h: V @ L(L(conjugate(q1)) @ q2) @ V.T / h,
        "q2",
        BETWEEN,
    ),
    Case(
        "angular velocity by the first knot",
        velocity,
        lambda q1, q2, h: -V @ R(L(conjugate(q1)) @ q2) @ V.T / h,
        "q1",
        BETWEEN,
    ),
    Case(
        "angular velocity by the second knot, h in the wrong place",
        velocity,
        lambda q1, q2, h: h * V @ L(L(conjugate(q1)) @ q2) @ V.T,
        "q2",
        BETWEEN,
        everything,
        ("step",),
    ),
    Case(
        "angular velocity by the first knot, transposed",
        velocity,
        lambda q1, q2, h: -V @ L(L(conjugate(q1)) @ q2) @ V.T / h,
        "q1",
        BETWEEN,
        lambda row, column: row != column,
        ("transpose", "conjugate"),
    ),
]

CASES = [
    *TORQUE,
    *ENERGY,
    *MOMENTUM,
    *DISCRETE_MOMENTUM,
    *UPDATES,
    *STEPS,
    *MAPS,
    *CAYLEYS,
    *VELOCITY,
]
