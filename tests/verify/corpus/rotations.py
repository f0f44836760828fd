"""Rotated vectors and products of quaternions, in every tangent."""

from __future__ import annotations

import numpy as np

from tests.verify.corpus.algebra import I3, L, R, T, V, conjugate, rotation, skew
from tests.verify.corpus.case import RAW, Case, both, columns, everything, off_diagonal, quaternion, rows, vector

BODY = {"q": quaternion(), "p": vector()}
WORLD = {"q": quaternion(side="world"), "p": vector()}
HALF = {"q": quaternion("half"), "p": vector()}
FREE = {"q": RAW, "p": vector()}
PRODUCT = {"p": quaternion(), "q": RAW}
PAIR = {"q_a": quaternion(), "q_b": quaternion()}


# x = R(q) p


def rotated(q, p):
    return rotation(q) @ p


def lever(q, p):
    return -rotation(q) @ skew(p)


def lever_by_product_matrices(q, p):
    """1/2 d(q p q*)/dq L(q) V^T, as BM20 (15) and (17) give it."""
    p4 = V.T @ p
    derivative = V @ (R(R(conjugate(q)) @ p4) + L(L(q) @ p4) @ T)
    return derivative @ L(q) @ V.T / 2


def lever_of_normalised(q, p):
    """The polynomial of degree two, divided by q.q, which is one."""
    w, v = q[0], q[1:]
    turn = (w * w - v @ v) * I3 + 2 * np.outer(v, v) + 2 * w * skew(v)
    return -(turn @ skew(p)) / (q @ q)


def lever_by_columns(q, p):
    """Columns R(q) (e_k x p), with cross products of world vectors: R e_k x R p."""
    turn = rotation(q)
    return np.stack([np.cross(turn[:, k], turn @ p) for k in range(3)], axis=1)


def lever_of_two_turns(q, p):
    """With R R^T R written for R."""
    turn = rotation(q)
    return skew(turn @ p) @ turn @ turn.T @ (-turn)


def lever_without_scalar_part(q, p):
    """Only the columns of the vector part of q, times the lower rows of L(q) V^T."""
    p4 = V.T @ p
    derivative = V @ (R(R(conjugate(q)) @ p4) + L(L(q) @ p4) @ T)
    return derivative[:, 1:] @ (q[0] * I3 + skew(q[1:])) / 2


ROTATED = [
    Case("rotated vector", rotated, lever, "q", BODY, c=("rotations.c", "rotated", "rotated_dq")),
    Case("rotated vector, by product matrices", rotated, lever_by_product_matrices, "q", BODY),
    Case("rotated vector, divided by q.q", rotated, lever_of_normalised, "q", BODY),
    Case("rotated vector, by columns", rotated, lever_by_columns, "q", BODY),
    Case("rotated vector, R R^T R for R", rotated, lever_of_two_turns, "q", BODY),
    Case("rotated vector, world side", rotated, lambda q, p: -skew(rotation(q) @ p), "q", WORLD),
    Case("rotated vector, rotational gradient", rotated, lambda q, p: -2 * rotation(q) @ skew(p), "q", HALF),
    Case(
        "rotated vector, the papers' scale for a rotation vector",
        rotated,
        lambda q, p: -2 * rotation(q) @ skew(p),
        "q",
        BODY,
        everything,
        ("factor: twice",),
        c=("rotations.c", "rotated", "rotated_dq_twice"),
    ),
    Case(
        "rotational gradient, scale of a rotation vector",
        rotated,
        lever,
        "q",
        HALF,
        everything,
        ("factor: half",),
    ),
    Case(
        "rotated vector, sign",
        rotated,
        lambda q, p: rotation(q) @ skew(p),
        "q",
        BODY,
        everything,
        ("sign",),
        c=("rotations.c", "rotated", "rotated_dq_sign"),
    ),
    Case(
        "rotated vector, transposed",
        rotated,
        lambda q, p: skew(p) @ rotation(q).T,
        "q",
        BODY,
        off_diagonal,
        ("transpose",),
        c=("rotations.c", "rotated", "rotated_dq_transposed"),
    ),
    Case(
        "rotated vector, world for body",
        rotated,
        lambda q, p: -skew(rotation(q) @ p),
        "q",
        BODY,
        everything,
        ("side",),
        c=("rotations.c", "rotated", "rotated_dq_world"),
    ),
    Case("rotated vector, body for world", rotated, lever, "q", WORLD, everything, ("side",)),
    Case(
        "rotated vector, conjugate",
        rotated,
        lambda q, p: -rotation(q).T @ skew(p),
        "q",
        BODY,
        everything,
        ("conjugate",),
    ),
    Case(
        "rotated vector, scalar part dropped",
        rotated,
        lever_without_scalar_part,
        "q",
        BODY,
        everything,
        (),
    ),
    Case(
        "rotated vector, sign of a column",
        rotated,
        lambda q, p: lever(q, p) * np.array([1, 1, -1]),
        "q",
        BODY,
        columns(2),
        ("sign",),
    ),
    Case(
        "rotated vector, a row doubled",
        rotated,
        lambda q, p: np.diag(np.array([1, 2, 1])) @ lever(q, p),
        "q",
        BODY,
        rows(1),
        ("factor: twice",),
    ),
]


# x = R(q)^T p


def unrotated(q, p):
    return rotation(q).T @ p


UNROTATED = [
    Case("vector in body axes", unrotated, lambda q, p: skew(rotation(q).T @ p), "q", BODY),
    Case("vector in body axes, world side", unrotated, lambda q, p: rotation(q).T @ skew(p), "q", WORLD),
    Case(
        "vector in body axes, sign",
        unrotated,
        lambda q, p: -skew(rotation(q).T @ p),
        "q",
        BODY,
        off_diagonal,
        ("sign", "transpose"),
    ),
    Case(
        "vector in body axes, world for body",
        unrotated,
        lambda q, p: rotation(q).T @ skew(p),
        "q",
        BODY,
        everything,
        ("side",),
    ),
    Case(
        "vector in body axes, conjugate",
        unrotated,
        lambda q, p: skew(rotation(q) @ p),
        "q",
        BODY,
        off_diagonal,
        ("conjugate",),
    ),
]


# four free components: the polynomial of degree two as it is written, off the manifold too


def rotated_of_degree_two(q, p):
    w, v = q[0], q[1:]
    return (w * w - v @ v) * p + 2 * (v @ p) * v + 2 * w * np.cross(v, p)


def raw(q, p):
    w, v = q[0], q[1:]
    by_scalar = 2 * (w * p + np.cross(v, p))
    by_vector = 2 * (np.outer(v, p) - np.outer(p, v) + (v @ p) * I3 - w * skew(p))
    return np.column_stack([by_scalar, by_vector])


RAW_COMPONENTS = [
    Case("four components", rotated_of_degree_two, raw, "q", FREE),
    Case(
        "four components, the scalar's column dropped",
        rotated_of_degree_two,
        lambda q, p: raw(q, p) @ np.diag(np.array([0, 1, 1, 1])),
        "q",
        FREE,
        columns(0),
        ("component", "missing"),
    ),
    Case(
        "four components, outer product transposed",
        rotated_of_degree_two,
        lambda q, p: raw(q, p) + np.column_stack([0 * p, 4 * (np.outer(p, q[1:]) - np.outer(q[1:], p))]),
        "q",
        FREE,
        both(columns(1, 2, 3), lambda row, column: column != row + 1),
        ("term", "transpose"),
    ),
]


# products of quaternions

PRODUCTS = [
    Case("product, by its second factor", lambda p, q: L(p) @ q, lambda p, q: L(p), "q", PRODUCT),
    Case("product, by its first factor", lambda p, q: L(q) @ p, lambda p, q: R(p), "q", PRODUCT),
    Case(
        "product, R for L",
        lambda p, q: L(p) @ q,
        lambda p, q: R(p),
        "q",
        PRODUCT,
        lambda row, column: row and column and row != column,
        ("side", "conjugate"),
        c=("rotations.c", "product", "product_dq_wrong"),
    ),
    Case(
        "product, L for R",
        lambda p, q: R(p) @ q,
        lambda p, q: L(p),
        "q",
        PRODUCT,
        lambda row, column: row and column and row != column,
        ("side", "conjugate"),
    ),
]


# d = q_a* q_b, the orientation of body b in body a


def relative(q_a, q_b):
    return L(conjugate(q_a)) @ q_b


RELATIVE = [
    Case("relative orientation, by b", relative, lambda q_a, q_b: L(relative(q_a, q_b)) @ V.T / 2, "q_b", PAIR),
    Case("relative orientation, by a", relative, lambda q_a, q_b: -R(relative(q_a, q_b)) @ V.T / 2, "q_a", PAIR),
    Case(
        "relative orientation, by a as by b",
        relative,
        lambda q_a, q_b: L(relative(q_a, q_b)) @ V.T / 2,
        "q_a",
        PAIR,
        lambda row, column: row in (0, column + 1),
        ("exchange", "missing"),
    ),
    Case(
        "relative orientation, R for L",
        relative,
        lambda q_a, q_b: R(relative(q_a, q_b)) @ V.T / 2,
        "q_b",
        PAIR,
        lambda row, column: row and row != column + 1,
        ("side", "transpose"),
    ),
    Case(
        "relative orientation, a's sign forgotten",
        relative,
        lambda q_a, q_b: R(relative(q_a, q_b)) @ V.T / 2,
        "q_a",
        PAIR,
        everything,
        ("sign",),
    ),
]

CASES = [*ROTATED, *UNROTATED, *RAW_COMPONENTS, *PRODUCTS, *RELATIVE]
