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


def _about_one_axis(stated, p, q):
    """What is left of p* q is all of it where q = p [C; S z]."""
    import sympy as sp

    from symvi.physics import algebra

    cosine, sine = sp.symbols("cosine sine", real=True)
    turn = sp.Matrix([cosine, 0, 0, sine])
    there = dict(zip(q, algebra.multiply(p, turn), strict=True))
    yield "d is the turn about z", stated["d"].xreplace(there) - turn, unit(*p)


@derived("d = [w; 0; 0; z] of p* q", "derived here", FRAMES, LEFT, _about_one_axis)
def turn_about_one(p, q):
    import sympy as sp

    from symvi.physics import algebra

    found = algebra.multiply(algebra.conjugate(p), q)
    return {"d": sp.Matrix([found[0], 0, 0, found[3]])}


def _about_two_axes(stated, p, q):
    """What is left of p* q is all of it where q = p [C1; S1 z] [C2; S2 x]."""
    import sympy as sp

    from symvi.physics import algebra

    (c1, s1), (c2, s2) = sp.symbols("c1 s1", real=True), sp.symbols("c2 s2", real=True)
    turn = algebra.multiply([c1, 0, 0, s1], [c2, s2, 0, 0])
    there = dict(zip(q, algebra.multiply(p, turn), strict=True))
    yield "d is the turn about z, then x", stated["d"].xreplace(there) - turn, unit(*p)
    d, known = sp.Matrix(sp.symbols("d_0:4", real=True)), dict(zip(p, [1, 0, 0, 0], strict=True))
    miss = d[0] * d[2] - d[1] * d[3]
    gradient = sp.Matrix([sp.diff(miss, x) for x in d])
    found = stated["d"].xreplace(known | dict(zip(q, d, strict=True)))
    yield "a step of Newton's method takes out what misses", found - (d - miss * gradient)
    yield "its gradient has the length of d", (gradient.T * gradient)[0] - (d.T * d)[0]


@derived(
    "d = p* q - (w y - x z) [y; -z; w; -x]",
    "derived here: w y = x z where a turn about z is followed by one about x",
    FRAMES,
    LEFT,
    _about_two_axes,
)
def turn_about_two(p, q):
    import sympy as sp

    from symvi.physics import algebra

    w, x, y, z = algebra.multiply(algebra.conjugate(p), q)
    miss = w * y - x * z
    return {"d": sp.Matrix([w, x, y, z]) - miss * sp.Matrix([y, -z, w, -x])}
