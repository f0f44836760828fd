"""Gaps between bodies and how their surfaces slide on each other (BSMH23 section 2).

A gap phi is a function of what two bodies carry, like a constraint, but phi >= 0. Its normal impulse acts along the
gradient at the first knot, as a constraint's does. Friction acts at the point of contact, whose arms from both centres
of mass are those at the first knot; it works against the *secant* of the sliding, the displacement of the material
points over the step divided by h.
"""

from __future__ import annotations

from symvi.physics.constraint import carried, data, function_of_bodies, position
from symvi.physics.formula import INTERMEDIATES, Argument, derived
from symvi.physics.kinematics import A, C, W

CENTRE = (position("b"), carried("r_b", "point or centre of the sphere on body b", "b"))


@function_of_bodies(
    "phi = n·(x_b + r_b - x_a - r_a) - radius",
    "BSMH23 section 2.4, any normal",
    (
        carried("n", "normal of the half-space, out of the solid", "a", "1"),
        position("a"),
        carried("r_a", "a point of the plane", "a"),
        *CENTRE,
        data("radius", "radius of the sphere", "m"),
    ),
    1,
)
def gap_to_half_space(n, x_a, r_a, x_b, r_b, radius, let):
    from symvi.physics import algebra

    return algebra.dot(n, let("d", x_b + r_b - x_a - r_a)) - radius[0]


@function_of_bodies(
    "phi = |x_b + r_b - x_a - r_a| - reach",
    "derived here: the distance of two spheres",
    (
        position("a"),
        carried("r_a", "centre of the sphere on body a", "a"),
        *CENTRE,
        data("reach", "sum of both radii", "m"),
    ),
    1,
)
def gap_of_spheres(x_a, r_a, x_b, r_b, reach, let):
    import sympy as sp

    from symvi.physics import algebra

    d = let("d", x_b + r_b - x_a - r_a)
    return let("distance", [sp.sqrt(algebra.dot(d, d))])[0] - reach[0]


@derived(
    "n = N_x/|N_x|,  scale = |N_x|",
    "derived here: the direction in which the gap opens",
    [Argument("N", (3,), "gradient of the gap by the position of body b")],
    [Argument("n", (3,), "unit normal at the first knot"), Argument("scale", (), "length of the gradient")],
)
def direction(N):  # noqa: N803  (the papers' letter)
    import sympy as sp

    from symvi.physics import algebra
    from symvi.physics.constraint import Steps

    let = Steps()
    scale = let("scale", [sp.sqrt(algebra.dot(N, N))])
    return {"n": N / scale[0], "scale": scale[0], INTERMEDIATES: let.pairs()}


@derived(
    "c = x_b + r_b - radius n,  l_b = c - x_b,  l_a = c - x_a",
    "BSMH23 section 2.4: without the radius a sphere would never roll",
    [
        Argument("x_a", (3,), "centre of mass of body a", "m"),
        Argument("x_b", (3,), "centre of mass of body b", "m"),
        Argument("r_b", (3,), "point or centre of the sphere on body b", "m"),
        Argument("radius", (), "radius of the sphere", "m"),
        Argument("n", (3,), "unit normal at the first knot"),
    ],
    [
        Argument("l_b", (3,), "arm of the contact point on body b", "m"),
        Argument("l_a", (3,), "arm of the contact point on body a", "m"),
        Argument("p_b", (3,), "from the sphere's centre to the contact point", "m"),
    ],
)
def arms(x_a, x_b, r_b, radius, n):
    surface = -n * radius[0]
    return {"l_b": r_b + surface, "l_a": x_b + r_b + surface - x_a, "p_b": surface}


@derived(
    "l_b = c - x_b,  l_a = c - x_a",
    "BSMH23 section 2.4: friction acts where the bodies touch",
    [
        Argument("x_a", (3,), "centre of mass of body a", "m"),
        Argument("x_b", (3,), "centre of mass of body b", "m"),
        Argument("c", (3,), "contact point", "m"),
    ],
    [
        Argument("l_b", (3,), "arm of the contact point on body b", "m"),
        Argument("l_a", (3,), "arm of the contact point on body a", "m"),
    ],
)
def arms_to_point(x_a, x_b, c):
    return {"l_b": c - x_b, "l_a": c - x_a}


@derived(
    "u = v + (r2 - r1)/h + w x p;  du = s_v + (s x r2) + ((c I - a^) s) x p",
    "derived here: the chord of a carried arm, and the rolling of a sphere's surface about its centre",
    [
        Argument("v", (3,), "velocity over the step", "m/s"),
        W,
        A,
        C,
        Argument("rate", (3,), "(r2 - r1)/h of the carried arm", "m/s"),
        Argument("r2", (3,), "the carried arm at the second knot", "m"),
        Argument("p", (3,), "from its end to the contact point, fixed in the world", "m"),
    ],
    [
        Argument("u", (3,), "displacement of the material point over h", "m/s"),
        Argument("G", (3, 3), "its derivative by the rotation vector at the second knot over h", "m"),
    ],
)
def sliding(v, w, a, c, rate, r2, p):
    import sympy as sp

    from symvi.physics import algebra
    from symvi.physics.kinematics import velocity_change

    s = sp.Matrix(sp.symbols("s_0:3", real=True))
    change = algebra.cross(s, r2) + algebra.cross(velocity_change.builder(c, a, s)["dw"], p)
    return {"u": v + rate + algebra.cross(w, p), "G": change.jacobian(s)}


@derived(
    "t1 = (I - n nᵀ) t/|(I - n nᵀ) t|,  t2 = n x t1",
    "derived here: a tangent axis carried along with the normal",
    [
        Argument("n", (3,), "unit normal"),
        Argument("t", (3,), "tangent axis of the step before"),
    ],
    [Argument("t1", (3,), "first tangent axis"), Argument("t2", (3,), "second tangent axis")],
)
def carried_axes(n, t):
    import sympy as sp

    from symvi.physics import algebra
    from symvi.physics.constraint import Steps

    let = Steps()
    across = let("across", t - n * algebra.dot(n, t))
    size = let("size", [sp.sqrt(algebra.dot(across, across) + sp.Rational(1, 10**30))])  # finite before a start
    first = let("first", across / size[0])
    return {"t1": first, "t2": algebra.cross(n, first), INTERMEDIATES: let.pairs()}


@derived(
    "t = A n",
    "a vector across the normal to begin with; it fails only along the one real eigenvector of A, which is no axis",
    [Argument("n", (3,), "unit normal")],
    [Argument("t", (3,), "a vector that is not along it")],
)
def some_axis(n):
    import sympy as sp

    return {"t": sp.Matrix([[0, 3, -5], [-2, 0, 7], [4, 11, 0]]) * n}


@derived(
    "t = u - n (n·u)",
    "the part in the contact's own tangent plane",
    [Argument("n", (3,), "unit normal"), Argument("u", (3,), "vector")],
    [Argument("t", (3,), "its tangential part")],
)
def tangential(n, u):
    from symvi.physics import algebra

    return {"t": u - n * algebra.dot(n, u)}
