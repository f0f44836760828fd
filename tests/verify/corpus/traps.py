"""Claims that are nearly right, or right in a way that deceives: signs of roots, constants, clamps, special places."""

from __future__ import annotations

import numpy as np

from tests.verify.corpus.algebra import I3, L, V, conjugate, norm, rotation, skew
from tests.verify.corpus.case import Case, both, columns, everything, positive, quaternion, rows, scalar, vector
from tests.verify.corpus.dynamics import DISCRETE, momentum, momentum_by_w
from tests.verify.corpus.forces import TURNING, turning_energy
from tests.verify.corpus.joints import PAIR, TURNS, hinge_angle, hinge_angle_row
from tests.verify.corpus.rotations import BODY, lever, rotated

# roots: |w| for w


def turning_gradient_by_root(q_a, q_b, k):
    """The scalar part as a root, which has no sign."""
    d = V @ L(conjugate(q_a)) @ q_b
    return k / 2 * np.sqrt(1 - d @ d) * np.hstack([-d, d])


ROOTS = [
    Case(
        "trap: scalar part by a root",
        turning_energy,
        turning_gradient_by_root,
        ("q_a", "q_b"),
        TURNING,
        everything,
        branches=2,
    ),
    Case(
        "trap: root of a square of a length",
        lambda r: norm(r),
        lambda r: np.sqrt((r @ r) ** 2) * r / norm(r) ** 3,
        "r",
        {"r": vector()},
    ),
    Case(
        "trap: root of a square of a coordinate",
        lambda x, y: x * np.sqrt(y * y),
        lambda x, y: np.array([y, x]),
        ("x", "y"),
        {"x": scalar(), "y": scalar()},
        everything,
        branches=2,
    ),
    Case(
        "trap: magnitude of a coordinate",
        lambda x, y: x * np.sqrt(y * y),
        lambda x, y: np.array([np.sqrt(y * y), x * y / np.sqrt(y * y)]),
        ("x", "y"),
        {"x": scalar(), "y": scalar()},
        branches=2,
    ),
]


# angles: arccos, tangents, double angles

TILT = {"q": quaternion()}


def tilt(q):
    """The angle between the body's z axis and the world's."""
    return np.arccos(rotation(q)[2, 2])


def tilt_row(q):
    row = rotation(q)[2]
    return -np.array([-row[1], row[0], 0 * row[0]]) / np.sqrt(1 - row[2] * row[2])


SLOPE = {"x": scalar(), "k": positive()}

ANGLES = [
    Case("trap: tilt by arccos", tilt, tilt_row, "q", TILT),
    Case(
        "trap: tilt by arccos, both columns with the sign of the sine's root lost",
        tilt,
        lambda q: -tilt_row(q),
        "q",
        TILT,
        columns(0, 1),
        ("sign",),
    ),
    Case(
        "trap: angle of a hinge by double angles",
        lambda q_a, q_b: np.arctan2(
            2 * (L(conjugate(q_a)) @ q_b)[3] * (L(conjugate(q_a)) @ q_b)[0],
            (L(conjugate(q_a)) @ q_b)[0] ** 2 - (L(conjugate(q_a)) @ q_b)[3] ** 2,
        ),
        hinge_angle_row,
        TURNS,
        PAIR,
    ),
    Case("trap: tangent", lambda x, k: np.tan(k * x), lambda x, k: k * (1 + np.tan(k * x) ** 2), "x", SLOPE),
    Case("trap: tangent, cosine", lambda x, k: np.tan(k * x), lambda x, k: k / np.cos(k * x) ** 2, "x", SLOPE),
    Case(
        "trap: tangent, inner derivative forgotten",
        lambda x, k: np.tan(k * x),
        lambda x, k: 1 + np.tan(k * x) ** 2,
        "x",
        SLOPE,
        everything,
        ("factor", "missing", "term"),
    ),
    Case(
        "trap: double angle",
        lambda x, k: np.sin(k * x) ** 2,
        lambda x, k: k * np.sin(2 * k * x),
        "x",
        SLOPE,
    ),
    Case(
        "trap: barrier",
        lambda x, k: -k * np.log(1 + x * x),
        lambda x, k: -2 * k * x / (1 + x * x),
        "x",
        SLOPE,
    ),
    Case(
        "trap: growth and decay",
        lambda x, k: np.exp(k * x) / (1 + np.exp(k * x)),
        lambda x, k: k / (2 + np.exp(k * x) + np.exp(-k * x)),
        "x",
        SLOPE,
    ),
]


# constants: fractions that Python divides, and decimals that were rounded

ROD = {"w": scalar(), "m": positive(), "length": positive()}
CONSTANTS = [
    Case(
        "trap: a third by division",
        lambda w, m, length: m * length**2 * w**2 / 6,
        lambda w, m, length: 1 / 3 * m * length**2 * w,
        "w",
        ROD,
    ),
    Case(
        "trap: a third by decimals",
        lambda w, m, length: m * length**2 * w**2 / 6,
        lambda w, m, length: 0.333333 * m * length**2 * w,
        "w",
        ROD,
        everything,
        ("factor",),
    ),
    Case(
        "trap: degrees",
        lambda x, k: k * np.sin(x * np.pi / 180),
        lambda x, k: k * np.pi / 180 * np.cos(np.pi * x / 180),
        "x",
        SLOPE,
    ),
    Case(
        "trap: degrees, factor forgotten",
        lambda x, k: k * np.sin(x * np.pi / 180),
        lambda x, k: k * np.cos(np.pi * x / 180),
        "x",
        SLOPE,
        everything,
        ("factor", "missing", "term"),
    ),
    Case(
        "trap: root of two over two",
        lambda x, k: k * x * x * np.sqrt(2) / 4,
        lambda x, k: k * x / np.sqrt(2),
        "x",
        SLOPE,
    ),
    Case(
        "trap: a small error of a coefficient",
        momentum,
        lambda w, J, h: momentum_by_w(w, J, h) * (1 + h**3 / 1000),
        "w",
        DISCRETE,
        everything,
    ),
]


# clamps, written with NumPy's functions

CLAMPED = {"v": scalar(), "k": positive(), "limit": positive(0.5)}


def hinge_loss(v, k, limit):
    return k / 2 * np.maximum(v - limit, 0) ** 2


CLAMPS = [
    Case(
        "trap: one-sided spring by maximum",
        hinge_loss,
        lambda v, k, limit: k * np.maximum(v - limit, 0),
        "v",
        CLAMPED,
        branches=2,
    ),
    Case(
        "trap: one-sided spring, without its side",
        hinge_loss,
        lambda v, k, limit: k * (v - limit),
        "v",
        CLAMPED,
        everything,
        branches=2,
    ),
    Case(
        "trap: clamped force by where",
        lambda v, k, limit: np.where(abs(v) < limit, k * v, k * limit * np.sign(v)),
        lambda v, k, limit: np.where(abs(v) < limit, k, 0),
        "v",
        CLAMPED,
        branches=3,
    ),
    Case(
        "trap: clamped force, slope outside",
        lambda v, k, limit: np.where(abs(v) < limit, k * v, k * limit * np.sign(v)),
        lambda v, k, limit: k,
        "v",
        CLAMPED,
        everything,
        branches=3,
    ),
]


# formulas that hold in special positions only

SPECIAL = [
    Case(
        "trap: lever of a turn about z",
        rotated,
        lambda q, p: np.stack(
            [
                lever(q, p)[:, 0],
                lever(q, p)[:, 1],
                np.array(
                    [
                        -(2 * q[0] * q[3] * p[0] + (q[0] ** 2 - q[3] ** 2) * p[1]),
                        (q[0] ** 2 - q[3] ** 2) * p[0] - 2 * q[0] * q[3] * p[1],
                        0 * p[0],
                    ]
                ),
            ],
            axis=1,
        ),
        "q",
        BODY,
        columns(2),
    ),
    Case(
        "trap: columns of the axes, one turned about the wrong one",
        rotated,
        lambda q, p: lever(q, p)[:, np.array([0, 2, 1])],
        "q",
        BODY,
        columns(1, 2),
        ("order", "exchange"),
    ),
    Case(
        "trap: right where the hinge is closed",
        hinge_angle,
        lambda q_a, q_b: np.array([0, 0, -1, 0, 0, 1]),
        TURNS,
        PAIR,
        lambda row, column: column not in (2, 5),
        ("missing",),
    ),
    Case(
        "trap: an entry in a thousand",
        lambda q, x: np.outer(rotation(q) @ x, x).reshape(-1),
        lambda q, x: (
            np.array([x[j] * (-rotation(q) @ skew(x))[i] for i in range(3) for j in range(3)])
            + np.array([[0, 0, 0]] * 8 + [[0, 0, x[0] ** 2 / 1000]])
        ),
        "q",
        {"q": quaternion(), "x": vector()},
        both(rows(8), columns(2)),
    ),
    Case(
        "trap: an inverse and its derivative",
        lambda x, y: np.linalg.norm(x) / (x @ y) * I3[0],
        lambda x, y: np.outer(I3[0], x / norm(x) / (x @ y) - norm(x) * y / (x @ y) ** 2),
        "x",
        {"x": vector(), "y": vector()},
    ),
]

CASES = [*ROOTS, *ANGLES, *CONSTANTS, *CLAMPS, *SPECIAL]
