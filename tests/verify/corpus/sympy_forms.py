"""Claims written in SymPy: expressions of symbols that are called as their variables are, x0, x1, x2, q0 .. q3."""

from __future__ import annotations

import sympy as sp

from tests.verify.corpus.case import (
    ANGULAR_VELOCITY,
    STEP,
    Case,
    Variable,
    columns,
    everything,
    inertia,
    positive,
    quaternion,
    scalar,
    vector,
)


def column(name: str, size: int = 3) -> sp.Matrix:
    return sp.Matrix(sp.symbols(f"{name}0:{size}", real=True))


def skew(v: sp.Matrix) -> sp.Matrix:
    return sp.Matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def L(q: sp.Matrix) -> sp.Matrix:
    w, v = q[0], q[1:, :]
    return sp.Matrix(sp.BlockMatrix([[sp.Matrix([[w]]), -v.T], [v, w * sp.eye(3) + skew(v)]]))


def R(q: sp.Matrix) -> sp.Matrix:
    w, v = q[0], q[1:, :]
    return sp.Matrix(sp.BlockMatrix([[sp.Matrix([[w]]), -v.T], [v, w * sp.eye(3) - skew(v)]]))


V = sp.Matrix([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
T = sp.diag(1, -1, -1, -1)
I3 = sp.eye(3)
w, p, f, r, x = (column(name) for name in ("w", "p", "f", "r", "x"))
q, q_a, q_b = (column(name, 4) for name in ("q", "q_a_", "q_b_"))
h, m, k, g, rest = sp.symbols("h m k g rest", positive=True)
s, alpha, beta = sp.symbols("s alpha beta", real=True)
J = sp.Matrix(3, 3, lambda i, j: sp.Symbol(f"J{min(i, j)}{max(i, j)}", real=True))
half = sp.Rational(1, 2)


def turn(q: sp.Matrix) -> sp.Matrix:
    """R(q), by product matrices: of length |q|^2 off the manifold."""
    return V * L(q) * R(q).T * V.T


def matrix(found) -> sp.Matrix:
    return sp.Matrix([found]) if isinstance(found, sp.Expr) else sp.Matrix(found)


def case(name: str, function, claimed, wrt, variables: dict[str, Variable], *truth) -> Case:
    return Case(f"SymPy: {name}", matrix(function), matrix(claimed), wrt, variables, *truth, symbolic=True)


ATTITUDE = {"q": quaternion(), "p": vector()}
rotated = turn(q) * p
ROTATIONS = [
    case("rotated vector", rotated, -turn(q) * skew(p), "q", ATTITUDE),
    case("rotated vector, differentiated in R^4", rotated, rotated.jacobian(q) * L(q) * V.T / 2, "q", ATTITUDE),
    case("rotated vector, -[R p] R", rotated, -skew(rotated) * turn(q), "q", ATTITUDE),
    case(
        "rotated vector, divided by q.q, which is not differentiated",
        rotated / q.dot(q),
        rotated.jacobian(q) * L(q) * V.T / 2,
        "q",
        ATTITUDE,
    ),
    case(
        "rotated vector, the half of L V^T / 2 forgotten",
        rotated,
        rotated.jacobian(q) * L(q) * V.T,
        "q",
        ATTITUDE,
        everything,
        ("factor: twice",),
    ),
    case(
        "rotated vector, R V^T for L V^T",
        rotated,
        rotated.jacobian(q) * R(q) * V.T / 2,
        "q",
        ATTITUDE,
        everything,
        ("side",),
    ),
    case(
        "rotated vector, L^T for L",
        rotated,
        rotated.jacobian(q) * L(q).T * V.T / 2,
        "q",
        ATTITUDE,
        everything,
    ),
    case(
        "rotated vector, four components without the first",
        rotated,
        rotated.jacobian(sp.Matrix(q[1:])),
        "q",
        ATTITUDE,
        everything,
    ),
    case(
        "rotated vector, raw",
        rotated,
        sp.Matrix.hstack(
            2 * (q[0] * p + sp.Matrix(q[1:]).cross(p)),
            2 * (sp.Matrix(q[1:]) * p.T - p * sp.Matrix(q[1:]).T + sp.Matrix(q[1:]).dot(p) * I3 - q[0] * skew(p)),
        ),
        "q",
        {"q": quaternion("raw", ""), "p": vector()},
    ),
]

PAIR = {"q_a": quaternion(), "q_b": quaternion()}
d = L(T * q_a) * q_b
JOINTS = [
    case(
        "relative orientation",
        d,
        sp.Matrix.hstack(-R(d) * V.T, L(d) * V.T) / 2,
        ("q_a", "q_b"),
        PAIR,
    ),
    case(
        "relative orientation, bodies exchanged",
        d,
        sp.Matrix.hstack(L(d) * V.T, -R(d) * V.T) / 2,
        ("q_a", "q_b"),
        PAIR,
        lambda row, column: row in (0, column % 3 + 1),
        ("exchange",),
    ),
    case(
        "relative orientation, multiplied out from the left",
        d,
        sp.Matrix.hstack(-L(T * q_a) * R(q_b) * R(q_a).T * L(q_a) * V.T, L(T * q_a) * L(q_b) * V.T) / 2,
        ("q_a", "q_b"),
        PAIR,
    ),
    case(
        "angle about e_z",
        2 * sp.atan2(d[3], d[0]),
        (d[0] * (L(d) * V.T).row(3) - d[3] * (L(d) * V.T).row(0)) / (d[0] ** 2 + d[3] ** 2),
        "q_b",
        PAIR,
    ),
    case(
        "angle about e_z, as if the turn were about e_z",
        2 * sp.atan2(d[3], d[0]),
        sp.Matrix([[0, 0, 1]]),
        "q_b",
        PAIR,
        columns(0, 1),
        ("missing",),
    ),
]

c = sp.sqrt(1 - h**2 / 4 * w.dot(w))
DISCRETE = {"w": ANGULAR_VELOCITY, "J": inertia(), "h": STEP}
impulse = c * J * w + h / 2 * w.cross(J * w)
DYNAMICS = [
    case(
        "discrete momentum",
        impulse,
        c * J - h**2 / (4 * c) * J * w * w.T + h / 2 * (skew(w) * J - skew(J * w)),
        "w",
        DISCRETE,
    ),
    case("discrete momentum, differentiated", impulse, impulse.jacobian(w), "w", DISCRETE),
    case(
        "discrete momentum, small turns",
        impulse,
        J + h / 2 * (skew(w) * J - skew(J * w)),
        "w",
        DISCRETE,
        everything,
    ),
    case(
        "discrete momentum, 1/2 for h/2",
        impulse,
        c * J - h**2 / (4 * c) * J * w * w.T + (skew(w) * J - skew(J * w)) / 2,
        "w",
        DISCRETE,
        everything,
        ("step", "term"),
    ),
    case(
        "update map",
        L(q) * sp.Matrix([c, *(h / 2 * w)]),
        h / 2 * L(q) * sp.Matrix.vstack(-h / (2 * c) * w.T, I3),
        "w",
        {"q": quaternion(), "w": ANGULAR_VELOCITY, "h": STEP},
    ),
    case(
        "update map, sign of the root's slope",
        L(q) * sp.Matrix([c, *(h / 2 * w)]),
        h / 2 * L(q) * sp.Matrix.vstack(h / (2 * c) * w.T, I3),
        "w",
        {"q": quaternion(), "w": ANGULAR_VELOCITY, "h": STEP},
        everything,
        ("term",),
    ),
    case("Euler's torque", w.cross(J * w), skew(w) * J - skew(J * w), "w", {"w": vector(), "J": inertia()}),
    case(
        "Euler's torque, Jacobi's identity",
        w.cross(J * w),
        2 * skew(w) * J + J * skew(w) - J.trace() * skew(w),
        "w",
        {"w": vector(), "J": inertia()},
    ),
]

n = sp.sqrt(r.dot(r))
FORCES = [
    case(
        "spring",
        -k * (n - rest) * r / n,
        -k * (I3 - rest * (r.dot(r) * I3 - r * r.T) / n**3),
        "r",
        {"r": vector(), "k": positive(), "rest": positive()},
    ),
    case(
        "spring, projector transposed into an inner product",
        -k * (n - rest) * r / n,
        -k * (I3 - rest * (r.dot(r) * I3 - r.dot(r) * I3 / 3) / n**3),
        "r",
        {"r": vector(), "k": positive(), "rest": positive()},
        everything,
    ),
    case(
        "gravity of a link",
        m * g * rest * sp.sin(alpha) * sp.cos(beta),
        [[m * g * rest * sp.cos(alpha) * sp.cos(beta), -m * g * rest * sp.sin(alpha) * sp.sin(beta)]],
        ("alpha", "beta"),
        {"alpha": scalar(), "beta": scalar(), "m": positive(), "g": positive(9.81), "rest": positive()},
    ),
    case(
        "gravity of a link, by sums of angles",
        m * g * rest * sp.sin(alpha) * sp.cos(beta),
        [
            [
                m * g * rest * (sp.cos(alpha + beta) + sp.cos(alpha - beta)) / 2,
                m * g * rest * (sp.cos(alpha + beta) - sp.cos(alpha - beta)) / 2,
            ]
        ],
        ("alpha", "beta"),
        {"alpha": scalar(), "beta": scalar(), "m": positive(), "g": positive(9.81), "rest": positive()},
    ),
    case(
        "gravity of a link, sign of the cosine's slope",
        m * g * rest * sp.sin(alpha) * sp.cos(beta),
        [[m * g * rest * sp.cos(alpha) * sp.cos(beta), m * g * rest * sp.sin(alpha) * sp.sin(beta)]],
        ("alpha", "beta"),
        {"alpha": scalar(), "beta": scalar(), "m": positive(), "g": positive(9.81), "rest": positive()},
        columns(1),
        ("sign",),
    ),
    case(
        "stiff contact",
        k * sp.exp(-s / rest),
        -k / rest * sp.exp(-s / rest),
        "s",
        {"s": scalar(0.01), "k": positive(1e3), "rest": positive(0.01)},
    ),
    case(
        "stiff contact, 1/rest forgotten",
        k * sp.exp(-s / rest),
        -k * sp.exp(-s / rest),
        "s",
        {"s": scalar(0.01), "k": positive(1e3), "rest": positive(0.01)},
        everything,
        ("factor", "missing", "term"),
    ),
]

CASES = [*ROTATIONS, *JOINTS, *DYNAMICS, *FORCES]
