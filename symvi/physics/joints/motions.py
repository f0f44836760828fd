"""How a joint's own motion over a step moves the body that it carries: what joint coordinates are solved for.

A hinge's unknown is u, in rad/s: t = (h/4) u is the tangent of a quarter of its turn, so that a step needs no sine, no
cosine and no root. Turns follow one another as quaternions in world axes at the first knot: where the body below turns
by [c_k; a_k], the body that it carries turns by [c_k; a_k] [C; S e], with the hinge's axis e at the first knot.
"""

from __future__ import annotations

from symvi.physics.constraint import Steps
from symvi.physics.formula import INTERMEDIATES, Argument, derived
from symvi.physics.kinematics import A, C, unit

FRAMES = [
    Argument("p", (4,), "joint frame on the body below", kind="quaternion"),
    Argument("q", (4,), "joint frame on the body that is carried", kind="quaternion"),
]
AXIS = Argument("n", (3,), "axis of the joint, of length one, in the joint frame")
LEFT = [Argument("d", (4,), "turn from one to the other, but for what the joint holds")]


def _turn_of_the_quarter(stated, quarter, u):
    """[C; S] has length one, turns by four times the angle whose tangent is t, and its slope by u is h/slope."""
    import sympy as sp

    cosine, sine, t = stated["C"], stated["S"], quarter[0] * u[0]
    yield "[C; S] has length one", cosine**2 + sine**2 - 1
    yield "the half turn is twice the quarter", sp.Matrix([cosine * t - (sine - t), sine * t - (1 - cosine)])
    # a rotation vector s e turns [C; S e] by half of it, so that s = 2 (C dS - S dC)
    turned = 2 * (cosine * sp.diff(sine, u[0]) - sine * sp.diff(cosine, u[0]))
    yield "u changes by slope theta/h", turned * stated["slope"] - 4 * quarter[0]


@derived(
    "t = (h/4) u,  C = (1 - t²)/(1 + t²),  S = 2 t/(1 + t²),  du = (1 + t²) theta/h",
    "derived here",
    [Argument("quarter", (), "h/4", "s"), Argument("u", (), "rate of the hinge", "rad/s")],
    [
        Argument("C", (), "cosine of half the turn"),
        Argument("S", (), "its sine"),
        Argument("slope", (), "change of u by the rotation vector over h"),
    ],
    _turn_of_the_quarter,
)
def turn_of_hinge(quarter, u):
    t = quarter[0] * u[0]
    slope = 1 + t**2
    return {"C": (1 - t**2) / slope, "S": 2 * t / slope, "slope": slope}


def _one_turn_after_the_other(stated, c, a, C, S, e, inverse):  # noqa: N803
    """[c2; a2] = [c; a] [C; S e], and w = (2/h) a2."""
    import sympy as sp

    from symvi.physics import algebra

    found = algebra.multiply([c[0], *a], [C[0], *(S[0] * x for x in e)])
    yield "turns follow one another", sp.Matrix([stated["c2"], *stated["a2"]]) - found
    yield "w is (2/h) a", stated["w2"] - 2 * inverse[0] * stated["a2"]


@derived(
    "[c; a] = [c_k; a_k] [C; S e],  w = (2/h) a",
    "derived here",
    [
        C,
        A,
        Argument("C", (), "cosine of half the hinge's turn"),
        Argument("S", (), "its sine"),
        Argument("e", (3,), "axis at the first knot"),
        Argument("inverse", (), "1/h", "1/s"),
    ],
    [
        Argument("c2", (), "cosine of the half turn of the body that is carried"),
        Argument("a2", (3,), "its half turn, (h/2) w", "rad"),
        Argument("w2", (3,), "its angular velocity over the step", "rad/s"),
    ],
    _one_turn_after_the_other,
)
def carried_turn(c, a, C, S, e, inverse):  # noqa: N803
    from symvi.physics import algebra

    let = Steps()
    across = let("across", e * c[0] + algebra.cross(a, e))
    along = let("along", [algebra.dot(a, e)])[0]
    twice = let("twice", [2 * inverse[0]])[0]
    a2 = let("a2", a * C[0] + across * S[0])
    return {"c2": c[0] * C[0] - S[0] * along, "a2": a2, "w2": a2 * twice, INTERMEDIATES: let.pairs()}


def _about_one_axis(stated, p, q, n):
    """What is left of p* q is all of it where q = p [C; S n], n of length one."""
    import sympy as sp

    from symvi.physics import algebra

    cosine, sine = sp.symbols("cosine sine", real=True)
    turn = sp.Matrix([cosine, *(sine * n)])
    there = dict(zip(q, algebra.multiply(p, turn), strict=True))
    squares = {**unit(*p), n[2]: 1 - n[0] ** 2 - n[1] ** 2}
    yield "d is the turn about n", stated["d"].xreplace(there) - turn, squares


@derived("d = [w; (n·v) n] of p* q = [w; v]", "derived here", [*FRAMES, AXIS], LEFT, _about_one_axis)
def turn_about_one(p, q, n):
    import sympy as sp

    from symvi.physics import algebra

    found = algebra.multiply(algebra.conjugate(p), q)
    along = algebra.dot(n, algebra.vector(found))
    return {"d": sp.Matrix([found[0], *(along * n)])}


def _about_two_axes(stated, p, q, n, m):
    """What is left of p* q is all of it where q = p [C1; S1 n] [C2; S2 m]. n and m, of length one, are at right angles:
    z and x, in axes of their own."""
    import sympy as sp

    from symvi.physics import algebra

    known = dict(zip([*n, *m], [0, 0, 1, 1, 0, 0], strict=True))
    (c1, s1), (c2, s2) = sp.symbols("c1 s1", real=True), sp.symbols("c2 s2", real=True)
    turn = algebra.multiply([c1, 0, 0, s1], [c2, s2, 0, 0])
    there = known | dict(zip(q, algebra.multiply(p, turn), strict=True))
    yield "d is the turn about n, then m", stated["d"].xreplace(there) - turn, unit(*p)
    d, known = algebra.column("d_0:4"), known | dict(zip(p, [1, 0, 0, 0], strict=True))
    miss = d[0] * d[2] - d[1] * d[3]
    gradient = sp.Matrix([sp.diff(miss, x) for x in d])
    found = stated["d"].xreplace(known | dict(zip(q, d, strict=True)))
    yield "a step of Newton's method takes out what misses", found - (d - miss * gradient)
    yield "its gradient has the length of d", (gradient.T * gradient)[0] - (d.T * d)[0]


@derived(
    "d = p* q - (w y - x z) [y; -z m + w (n x m) - x n],  [w; v] = p* q,  x = v·m, y = v·(n x m), z = v·n",
    "derived here: w y = x z where a turn about n is followed by one about m",
    [*FRAMES, AXIS, Argument("m", (3,), "the second axis, at right angles to it")],
    LEFT,
    _about_two_axes,
)
def turn_about_two(p, q, n, m):
    import sympy as sp

    from symvi.physics import algebra

    found = algebra.multiply(algebra.conjugate(p), q)
    w, v, side = found[0], algebra.vector(found), algebra.cross(n, m)
    x, y, z = (algebra.dot(v, axis) for axis in (m, side, n))
    away = sp.Matrix([y, *(w * side - z * m - x * n)])
    return {"d": found - (w * y - x * z) * away}
