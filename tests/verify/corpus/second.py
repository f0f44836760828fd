"""Generalised forces G^T lambda, their derivatives, and second derivatives."""

from __future__ import annotations

import numpy as np

from tests.verify.corpus.algebra import I3, norm, rotation, skew
from tests.verify.corpus.case import Case, everything, positive, quaternion, vector
from tests.verify.corpus.joints import ALL, ANCHORED, spherical

ANCHOR = {"x": vector(), "q": quaternion(), "p": vector(), "y": vector()}


def anchor(x, q, p, y):
    return x + rotation(q) @ p


def anchor_force(x, q, p, y):
    """The force y at the anchor p, and its moment in body axes."""
    return np.hstack([y, np.cross(p, rotation(q).T @ y)])


def anchor_force_by_state(x, q, p, y):
    none = 0 * I3
    return np.block([[none, none], [none, skew(p) @ skew(rotation(q).T @ y)]])


def anchor_force_by_state_transposed(x, q, p, y):
    none = 0 * I3
    return np.block([[none, none], [none, skew(rotation(q).T @ y) @ skew(p)]])


BALL = {**ANCHORED, "y": vector()}


def ball_force(x_a, q_a, x_b, q_b, p_a, p_b, y):
    body_a, body_b = rotation(q_a).T @ y, rotation(q_b).T @ y
    return np.hstack([-y, -np.cross(p_a, body_a), y, np.cross(p_b, body_b)])


def ball_joint(x_a, q_a, x_b, q_b, p_a, p_b, y):
    return spherical(x_a, q_a, x_b, q_b, p_a, p_b)


def ball_force_by_state(x_a, q_a, x_b, q_b, p_a, p_b, y):
    none = 0 * I3
    by_a = -skew(p_a) @ skew(rotation(q_a).T @ y)
    by_b = skew(p_b) @ skew(rotation(q_b).T @ y)
    return np.block(
        [[none, none, none, none], [none, by_a, none, none], [none, none, none, none], [none, none, none, by_b]]
    )


FORCES = [
    Case("force at an anchor", anchor, anchor_force, ("x", "q"), ANCHOR, weights="y"),
    Case(
        "force at an anchor, moment in world axes",
        anchor,
        lambda x, q, p, y: np.hstack([y, np.cross(rotation(q) @ p, y)]),
        ("x", "q"),
        ANCHOR,
        lambda row, column: row > 2,
        ("side",),
        weights="y",
    ),
    Case(
        "derivative of a force at an anchor",
        anchor,
        anchor_force_by_state,
        ("x", "q"),
        ANCHOR,
        order=2,
        weights="y",
        c=("second.c", "anchor", "anchor_force_dz"),
    ),
    Case(
        "derivative of a force at an anchor, transposed",
        anchor,
        anchor_force_by_state_transposed,
        ("x", "q"),
        ANCHOR,
        lambda row, column: row > 2 and column > 2 and row != column,
        ("transpose",),
        order=2,
        weights="y",
        c=("second.c", "anchor", "anchor_force_dz_transposed"),
    ),
    Case("reaction of a ball joint", ball_joint, ball_force, ALL, BALL, weights="y"),
    Case("derivative of a ball joint's reaction", ball_joint, ball_force_by_state, ALL, BALL, order=2, weights="y"),
    Case(
        "derivative of a ball joint's reaction, sign of a",
        ball_joint,
        lambda x_a, q_a, x_b, q_b, p_a, p_b, y: (
            ball_force_by_state(x_a, q_a, x_b, q_b, p_a, p_b, y)
            @ np.diag(np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, 1, 1, 1]))
        ),
        ALL,
        BALL,
        lambda row, column: 3 <= row < 6 and 3 <= column < 6,
        ("sign",),
        order=2,
        weights="y",
    ),
]


# second derivatives of lengths and energies

LENGTH = {"v": vector()}
STRETCH = {"r": vector(), "k": positive(100.0), "rest": positive(0.5)}


def stretch(r, k, rest):
    return k / 2 * (norm(r) - rest) ** 2


def stretch_twice(r, k, rest):
    along = np.outer(r, r) / (r @ r)
    return k * (along + (1 - rest / norm(r)) * (I3 - along))


LENGTHS = [
    Case(
        "second derivative of a length",
        norm,
        lambda v: (I3 - np.outer(v, v) / (v @ v)) / norm(v),
        "v",
        LENGTH,
        order=2,
    ),
    Case("stiffness of a spring's energy", stretch, stretch_twice, "r", STRETCH, order=2),
    Case(
        "stiffness of a spring's energy, geometric part left out",
        stretch,
        lambda r, k, rest: k * np.outer(r, r) / (r @ r),
        "r",
        STRETCH,
        everything,
        ("missing", "term"),
        order=2,
    ),
    Case(
        "stiffness of a spring's energy, doubled",
        stretch,
        lambda r, k, rest: 2 * stretch_twice(r, k, rest),
        "r",
        STRETCH,
        everything,
        ("factor: twice",),
        order=2,
    ),
]


# second derivative of a rotated component by the rotation vector, e_z R p: column 3 i + j turns along j first

TURNED = {"q": quaternion(), "p": vector()}


def height(q, p):
    return (rotation(q) @ p)[2]


def height_twice(q, p):
    """d_j of e_z R (e_i x p): e_z R (e_j x (e_i x p))."""
    return np.concatenate([rotation(q)[2] @ np.array([np.cross(e_j, np.cross(e_i, p)) for e_j in I3]).T for e_i in I3])


HEIGHTS = [
    Case("second derivative of a height", height, height_twice, "q", TURNED, order=2),
    Case(
        "second derivative of a height, order of turns exchanged",
        height,
        lambda q, p: height_twice(q, p).reshape(3, 3).T.reshape(-1),
        "q",
        TURNED,
        lambda row, column: column not in (0, 4, 8),
        ("transpose", "order"),
        order=2,
    ),
]

CASES = [*FORCES, *LENGTHS, *HEIGHTS]
