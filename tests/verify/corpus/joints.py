"""Constraint rows of joints and their Jacobians: x_a, q_a, x_b, q_b are the bodies, p_a and p_b the anchors."""

from __future__ import annotations

import numpy as np

from tests.verify.corpus.algebra import I3, L, R, V, conjugate, norm, rotation, skew
from tests.verify.corpus.case import (
    Case,
    both,
    columns,
    everything,
    positive,
    quaternion,
    rows,
    scalar,
    vector,
)

BODIES = {"x_a": vector(), "q_a": quaternion(), "x_b": vector(), "q_b": quaternion()}
ANCHORED = {**BODIES, "p_a": vector(), "p_b": vector()}
ALL = ("x_a", "q_a", "x_b", "q_b")
TURNS = ("q_a", "q_b")
X_A, TURN_A, X_B, TURN_B = (columns(*range(k, k + 3)) for k in (0, 3, 6, 9))


# ball and socket: BM20 (18), from a to b


def spherical(x_a, q_a, x_b, q_b, p_a, p_b):
    return x_b + rotation(q_b) @ p_b - x_a - rotation(q_a) @ p_a


def spherical_rows(x_a, q_a, x_b, q_b, p_a, p_b):
    return np.hstack([-I3, rotation(q_a) @ skew(p_a), I3, -rotation(q_b) @ skew(p_b)])


def spherical_with_bodies_exchanged(x_a, q_a, x_b, q_b, p_a, p_b):
    return np.hstack([I3, -rotation(q_b) @ skew(p_b), -I3, rotation(q_a) @ skew(p_a)])


def spherical_with_the_other_lever(x_a, q_a, x_b, q_b, p_a, p_b):
    return np.hstack([-I3, rotation(q_a) @ skew(p_b), I3, -rotation(q_b) @ skew(p_a)])


def spherical_with_b_in_world_axes(x_a, q_a, x_b, q_b, p_a, p_b):
    return np.hstack([-I3, rotation(q_a) @ skew(p_a), I3, -skew(rotation(q_b) @ p_b)])


def spherical_with_conjugate_b(x_a, q_a, x_b, q_b, p_a, p_b):
    return np.hstack([-I3, rotation(q_a) @ skew(p_a), I3, -rotation(q_b).T @ skew(p_b)])


def spherical_in_two_scales(x_a, q_a, x_b, q_b, p_a, p_b):
    return np.hstack([-I3, 2 * rotation(q_a) @ skew(p_a), I3, -2 * rotation(q_b) @ skew(p_b)])


def spherical_without_lever_a(x_a, q_a, x_b, q_b, p_a, p_b):
    return np.hstack([-I3, 0 * I3, I3, -rotation(q_b) @ skew(p_b)])


SPHERICAL = [
    Case("ball joint", spherical, spherical_rows, ALL, ANCHORED, c=("joints.c", "spherical", "spherical_rows")),
    Case(
        "ball joint, by product matrices",
        spherical,
        lambda x_a, q_a, x_b, q_b, p_a, p_b: np.hstack(
            [
                -I3,
                -V @ L(q_a) @ R(q_a).T @ (R(V.T @ p_a) - L(V.T @ p_a)) @ V.T / 2,
                I3,
                V @ L(q_b) @ R(q_b).T @ (R(V.T @ p_b) - L(V.T @ p_b)) @ V.T / 2,
            ]
        ),
        ALL,
        ANCHORED,
    ),
    Case(
        "ball joint, bodies exchanged",
        spherical,
        spherical_with_bodies_exchanged,
        ALL,
        ANCHORED,
        lambda row, column: column % 6 > 2 or row == column % 3,
        ("exchange",),
        c=("joints.c", "spherical", "spherical_rows_exchanged"),
    ),
    Case(
        "ball joint, levers exchanged",
        spherical,
        spherical_with_the_other_lever,
        ALL,
        ANCHORED,
        lambda row, column: column % 6 > 2,
        ("exchange",),
    ),
    Case(
        "ball joint, body b in world axes",
        spherical,
        spherical_with_b_in_world_axes,
        ALL,
        ANCHORED,
        TURN_B,
        ("side",),
        c=("joints.c", "spherical", "spherical_rows_world"),
    ),
    Case(
        "ball joint, R transposed for b",
        spherical,
        spherical_with_conjugate_b,
        ALL,
        ANCHORED,
        TURN_B,
        ("conjugate",),
    ),
    Case(
        "ball joint, the papers' scale for rotation vectors",
        spherical,
        spherical_in_two_scales,
        ALL,
        ANCHORED,
        lambda row, column: column % 6 > 2,
        ("factor: twice",),
    ),
    Case(
        "ball joint, lever of a left out",
        spherical,
        spherical_without_lever_a,
        ALL,
        ANCHORED,
        TURN_A,
        ("missing",),
    ),
]


# revolute: ball joint, and the axis of b stays along e_z of a (rows of 2 V d, after BSMH23 appendix B, not seen)


def revolute(x_a, q_a, x_b, q_b, p_a, p_b):
    d = L(conjugate(q_a)) @ q_b
    return np.concatenate([rotation(q_a).T @ (x_b + rotation(q_b) @ p_b - x_a) - p_a, 2 * d[1:3]])


def revolute_rows(x_a, q_a, x_b, q_b, p_a, p_b):
    turn_a, turn_b = rotation(q_a), rotation(q_b)
    u = turn_a.T @ (x_b + turn_b @ p_b - x_a)
    d = L(conjugate(q_a)) @ q_b
    none = np.zeros((2, 3), dtype=int)
    return np.vstack(
        [
            np.hstack([-turn_a.T, skew(u), turn_a.T, -turn_a.T @ turn_b @ skew(p_b)]),
            np.hstack([none, -(R(d) @ V.T)[1:3], none, (L(d) @ V.T)[1:3]]),
        ]
    )


def revolute_with_half_angles(x_a, q_a, x_b, q_b, p_a, p_b):
    found = revolute_rows(x_a, q_a, x_b, q_b, p_a, p_b)
    return np.vstack([found[:3], found[3:] / 2])


def revolute_with_anchor_for_lever(x_a, q_a, x_b, q_b, p_a, p_b):
    """p_a where the joint holds it, which is right only where the rows are fulfilled."""
    found = revolute_rows(x_a, q_a, x_b, q_b, p_a, p_b)
    return np.vstack([np.hstack([found[:3, :3], skew(p_a), found[:3, 6:]]), found[3:]])


REVOLUTE = [
    Case("hinge", revolute, revolute_rows, ALL, ANCHORED, c=("joints.c", "revolute", "revolute_rows")),
    Case(
        "hinge, rows of the axis halved",
        revolute,
        revolute_with_half_angles,
        ALL,
        ANCHORED,
        both(rows(3, 4), lambda row, column: column % 6 > 2),
        ("factor: half",),
        c=("joints.c", "revolute", "revolute_rows_half"),
    ),
    Case(
        "hinge, anchor for the lever",
        revolute,
        revolute_with_anchor_for_lever,
        ALL,
        ANCHORED,
        lambda row, column: row < 3 and 3 <= column < 6 and row != column - 3,
    ),
    Case(
        "hinge, L and R exchanged in the rows of the axis",
        revolute,
        lambda x_a, q_a, x_b, q_b, p_a, p_b: np.vstack(
            [
                revolute_rows(x_a, q_a, x_b, q_b, p_a, p_b)[:3],
                np.hstack(
                    [
                        np.zeros((2, 3), dtype=int),
                        -(L(L(conjugate(q_a)) @ q_b) @ V.T)[1:3],
                        np.zeros((2, 3), dtype=int),
                        (R(L(conjugate(q_a)) @ q_b) @ V.T)[1:3],
                    ]
                ),
            ]
        ),
        ALL,
        ANCHORED,
        lambda row, column: row > 2 and column % 6 > 2 and column % 3 != row - 3,
        ("side", "exchange"),
    ),
]


# a slider: rows across the axis e_z of a


def slider(x_a, q_a, x_b, q_b, p_b):
    return (rotation(q_a).T @ (x_b + rotation(q_b) @ p_b - x_a))[:2]


def slider_rows(x_a, q_a, x_b, q_b, p_b):
    turn_a, turn_b = rotation(q_a), rotation(q_b)
    u = turn_a.T @ (x_b + turn_b @ p_b - x_a)
    return np.hstack([-turn_a.T, skew(u), turn_a.T, -turn_a.T @ turn_b @ skew(p_b)])[:2]


SLIDING = {**BODIES, "p_b": vector()}
SLIDER = [
    Case("slider", slider, slider_rows, ALL, SLIDING),
    Case(
        "slider, a turned in world axes",
        slider,
        lambda x_a, q_a, x_b, q_b, p_b: np.hstack(
            [
                -rotation(q_a).T,
                rotation(q_a).T @ skew(x_b + rotation(q_b) @ p_b - x_a),
                rotation(q_a).T,
                -rotation(q_a).T @ rotation(q_b) @ skew(p_b),
            ]
        )[:2],
        ALL,
        SLIDING,
        TURN_A,
        ("side",),
    ),
    Case(
        "slider, a's columns with the wrong sign",
        slider,
        lambda x_a, q_a, x_b, q_b, p_b: (
            slider_rows(x_a, q_a, x_b, q_b, p_b) * np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, 1, 1, 1])
        ),
        ALL,
        SLIDING,
        lambda row, column: 3 <= column < 6 and row != column - 3,
        ("sign", "transpose"),
    ),
]


# rods between two anchors, of a length at rest


def between(x_a, q_a, x_b, q_b, p_a, p_b):
    return x_b + rotation(q_b) @ p_b - x_a - rotation(q_a) @ p_a


def rod(x_a, q_a, x_b, q_b, p_a, p_b, rest):
    r = between(x_a, q_a, x_b, q_b, p_a, p_b)
    return (r @ r - rest * rest) / (2 * rest)


def rod_row(x_a, q_a, x_b, q_b, p_a, p_b, rest):
    r = between(x_a, q_a, x_b, q_b, p_a, p_b)
    return np.hstack([-r, r @ rotation(q_a) @ skew(p_a), r, -r @ rotation(q_b) @ skew(p_b)]) / rest


def length(x_a, q_a, x_b, q_b, p_a, p_b):
    return norm(between(x_a, q_a, x_b, q_b, p_a, p_b))


def length_row(x_a, q_a, x_b, q_b, p_a, p_b):
    r = between(x_a, q_a, x_b, q_b, p_a, p_b)
    n = r / norm(r)
    return np.hstack([-n, -np.cross(p_a, rotation(q_a).T @ n), n, np.cross(p_b, rotation(q_b).T @ n)])


RODS = {**ANCHORED, "rest": positive()}
DISTANCE = [
    Case("rod", rod, rod_row, ALL, RODS, c=("joints.c", "rod", "rod_row")),
    Case(
        "rod, a factor two of the square kept",
        rod,
        lambda x_a, q_a, x_b, q_b, p_a, p_b, rest: 2 * rod_row(x_a, q_a, x_b, q_b, p_a, p_b, rest),
        ALL,
        RODS,
        everything,
        ("factor: twice",),
    ),
    Case("length of a wire", length, length_row, ALL, ANCHORED),
    Case(
        "length of a wire, not normalised",
        length,
        lambda x_a, q_a, x_b, q_b, p_a, p_b: (
            norm(between(x_a, q_a, x_b, q_b, p_a, p_b)) * length_row(x_a, q_a, x_b, q_b, p_a, p_b)
        ),
        ALL,
        ANCHORED,
        everything,
        ("factor", "missing", "term"),
    ),
]


# a universal joint: e_x of a stays across e_y of b


def universal(q_a, q_b):
    return (rotation(q_a)[:, 0]) @ (rotation(q_b)[:, 1])


def universal_row(q_a, q_b):
    a, b = rotation(q_a)[:, 0], rotation(q_b)[:, 1]
    crossed = np.cross(a, b)
    return np.hstack([crossed @ rotation(q_a), -crossed @ rotation(q_b)])


PAIR = {"q_a": quaternion(), "q_b": quaternion()}
UNIVERSAL = [
    Case("universal joint", universal, universal_row, TURNS, PAIR, c=("joints.c", "universal", "universal_row")),
    Case(
        "universal joint, world axes",
        universal,
        lambda q_a, q_b: np.hstack(
            [np.cross(rotation(q_a)[:, 0], rotation(q_b)[:, 1]), -np.cross(rotation(q_a)[:, 0], rotation(q_b)[:, 1])]
        ),
        TURNS,
        PAIR,
        everything,
        ("side",),
    ),
    Case(
        "universal joint, bodies exchanged",
        universal,
        lambda q_a, q_b: np.hstack([universal_row(q_a, q_b)[3:], universal_row(q_a, q_b)[:3]]),
        TURNS,
        PAIR,
        everything,
        ("exchange",),
    ),
]


# angles and screws: alpha = 2 atan2(e_z.d, d_w)


def hinge_angle(q_a, q_b):
    d = L(conjugate(q_a)) @ q_b
    return 2 * np.arctan2(d[3], d[0])


def hinge_angle_row(q_a, q_b):
    """No atan2 in the gradient: 2 (w ds - s dw)/(w w + s s)."""
    d = L(conjugate(q_a)) @ q_b
    by_a, by_b = -R(d) @ V.T / 2, L(d) @ V.T / 2
    w, s = d[0], d[3]
    return 2 * (w * np.hstack([by_a[3], by_b[3]]) - s * np.hstack([by_a[0], by_b[0]])) / (w * w + s * s)


def hinge_angle_row_with_plus(q_a, q_b):
    d = L(conjugate(q_a)) @ q_b
    by_a, by_b = -R(d) @ V.T / 2, L(d) @ V.T / 2
    w, s = d[0], d[3]
    return 2 * (w * np.hstack([by_a[3], by_b[3]]) + s * np.hstack([by_a[0], by_b[0]])) / (w * w + s * s)


def screw(x_a, q_a, x_b, q_b, pitch):
    return (rotation(q_a).T @ (x_b - x_a))[2] - pitch * hinge_angle(q_a, q_b)


def screw_row(x_a, q_a, x_b, q_b, pitch):
    turn = rotation(q_a)
    u = turn.T @ (x_b - x_a)
    angle = hinge_angle_row(q_a, q_b)
    return np.hstack([-turn[:, 2], skew(u)[2] - pitch * angle[:3], turn[:, 2], -pitch * angle[3:]])


def screw_row_without_slide(x_a, q_a, x_b, q_b, pitch):
    """The axis of a turned only in the angle."""
    turn, angle = rotation(q_a), hinge_angle_row(q_a, q_b)
    return np.hstack([-turn[:, 2], -pitch * angle[:3], turn[:, 2], -pitch * angle[3:]])


SCREWS = {**BODIES, "pitch": scalar(0.1)}
ANGLES = [
    Case("angle of a hinge", hinge_angle, hinge_angle_row, TURNS, PAIR),
    Case(
        "angle of a hinge, halved",
        hinge_angle,
        lambda q_a, q_b: hinge_angle_row(q_a, q_b) / 2,
        TURNS,
        PAIR,
        everything,
        ("factor: half",),
    ),
    Case(
        "angle of a hinge, plus for minus in the quotient",
        hinge_angle,
        hinge_angle_row_with_plus,
        TURNS,
        PAIR,
        everything,
        ("term",),
    ),
    Case("screw", screw, screw_row, ALL, SCREWS),
    Case(
        "screw, slide of a turned body forgotten",
        screw,
        screw_row_without_slide,
        ALL,
        SCREWS,
        columns(3, 4),
        ("missing", "term"),
    ),
]

CASES = [*SPHERICAL, *REVOLUTE, *SLIDER, *DISTANCE, *UNIVERSAL, *ANGLES]
