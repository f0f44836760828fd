"""Where a joint's minimal coordinates put the next body, and how their rates move it.

The joint frames p_a = q_a o_a on the parent and p_b = q_b o_b on the child differ by the turn d of the coordinates,
    p_b = p_a d
and the anchors by what slides along the joint's axes, so each of the two bodies follows from the other. Velocities are
the time derivatives of the same equations.
"""

from __future__ import annotations

from symvi.physics.constraint import Steps
from symvi.physics.formula import INTERMEDIATES, Argument, derived
from symvi.physics.joints.rows import ANGLE_GUARD

TURN = [
    Argument("d", (4,), "turn of the child's joint frame in the parent's"),
    Argument("w", (3,), "its angular velocity, in the axes of the child's joint frame", "rad/s"),
]


def _coordinates(count: int) -> list[Argument]:
    return [Argument("c", (count,), "angles", "rad"), Argument("r", (count,), "their rates", "rad/s")]


def _moving(d, c, r) -> dict:
    """d with the angular velocity of d: w = 2 V(d* d'), d' its derivative in time."""
    import sympy as sp

    from symvi.physics import algebra

    rate = sp.Matrix(d).jacobian(sp.Matrix(c)) * sp.Matrix(r)
    return {"d": sp.Matrix(d), "w": 2 * algebra.vector(algebra.multiply(algebra.conjugate(d), rate))}


def _half(angle) -> tuple:
    import sympy as sp

    return sp.cos(angle / 2), sp.sin(angle / 2)


def _simple(found: dict) -> dict:
    """The same with sin² + cos² = 1."""
    import sympy as sp

    return {name: sp.Matrix(value).applyfunc(sp.trigsimp) for name, value in found.items()}


@derived("d = [cos c/2; z sin c/2],  w = 2 V(d* d')", "BM20 (16)", _coordinates(1), TURN)
def turn_about_axis(c, r):
    cosine, sine = _half(c[0])
    return _simple(_moving([cosine, 0, 0, sine], c, r))


@derived(
    "d = [cos c1/2; z sin c1/2] [cos c2/2; x sin c2/2],  w = 2 V(d* d')",
    "derived here (Hooke's joint: d = rot(z, a) rot(x, b))",
    _coordinates(2),
    TURN,
)
def turn_about_two_axes(c, r):
    from symvi.physics import algebra

    (first, along), (second, across) = _half(c[0]), _half(c[1])
    return _simple(_moving(algebra.multiply([first, 0, 0, along], [second, across, 0, 0]), c, r))


@derived(
    "d = [cos |c|/2; c sin(|c|/2)/|c|], of length one,  w = 2 V(d* d')",
    "derived here (the exponential of a rotation vector, guarded at 0)",
    _coordinates(3),
    TURN,
)
def turn_by_vector(c, r):
    import sympy as sp

    from symvi.physics import algebra

    let = Steps()
    size = sp.sqrt(algebra.dot(c, c) + sp.Rational(ANGLE_GUARD))
    cosine, sine = _half(size)
    found = _moving([cosine, *(sine / size * x for x in c)], c, r)
    d = let("d", found["d"])
    square = let("square", [algebra.dot(d, d)])[0]  # one, but for the guard
    return {"d": d / sp.sqrt(square), "w": found["w"] / square, INTERMEDIATES: let.pairs()}


@derived(
    "q_b = q_a o_a d o_b*, of length one",
    "BM20 (11)",
    [
        Argument("p", (4,), "joint frame on the known body"),
        Argument("d", (4,), "turn of the other joint frame in it"),
        Argument("o", (4,), "joint frame on the other body", "1", "body"),
    ],
    [Argument("q", (4,), "orientation of the other body")],
)
def followed(p, d, o):
    import sympy as sp

    from symvi.physics import algebra

    let = Steps()
    q = let("q", algebra.multiply(algebra.multiply(p, d), algebra.conjugate(o)))
    size = let("size", [sp.sqrt(algebra.dot(q, q))])
    return {"q": q / size[0], INTERMEDIATES: let.pairs()}


@derived(
    "x_b = x_a + r_a + u - r_b,  v_b its derivative in time",
    "BM20 (18) with what slides, solved for the other body",
    [
        Argument("x", (3,), "position of the known body", "m"),
        Argument("v", (3,), "its velocity", "m/s"),
        Argument("w", (3,), "its angular velocity", "rad/s"),
        Argument("near", (3,), "from its centre of mass to its anchor, and along what slides with it", "m"),
        Argument("far", (3,), "the same of the other body", "m"),
        Argument("w_other", (3,), "angular velocity of the other body", "rad/s"),
        Argument("sliding", (3,), "velocity of the other anchor along the axes", "m/s"),
    ],
    [
        Argument("x_other", (3,), "position of the other body", "m"),
        Argument("v_other", (3,), "its velocity", "m/s"),
    ],
)
def placed(x, v, w, near, far, w_other, sliding):
    import sympy as sp

    from symvi.physics import algebra

    place = x + near - far
    known = algebra.gradient(place, [("position", x), ("vector", near)]) * sp.Matrix([*v, *w])
    other = algebra.gradient(place, [("vector", far)]) * sp.Matrix([0, 0, 0, *w_other])
    return {"x_other": place, "v_other": known + other + sp.Matrix(sliding)}
