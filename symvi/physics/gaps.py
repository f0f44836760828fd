"""Gaps between bodies and how their surfaces slide on each other (BSMH23 section 2).

A gap phi is a function of what two bodies carry, like a constraint, but phi >= 0. Its normal impulse acts along the
gradient at the first knot, as a constraint's does. Friction acts at the point of contact, whose arms from both centres
of mass are those at the first knot; it works against the *secant* of the sliding, the displacement of the material
points over the step divided by h.

Which material points: of a body that rolls, others touch at the second knot than at the first. Forces at the knots are
the same read forwards and backwards in time, so steps that stick are reversible and of second order, in energy too, if
the constraint u(z1, z2) = 0 is the same read backwards: u(z2, z1) = -u(z1, z2) (the self-adjoint case of the discrete
Lagrange-d'Alembert principle, Cortes and Martinez 2001, McLachlan and Perlmutter 2006). The way of the points that
touch at the first knot alone is not: by it a body that rolls in space gains or loses energy in proportion to h. So u is
the mean of both knots: of the ways of the points that touch at the first and at the second knot, and for the surface of
a sphere, which turns about its carried centre at w, of both arms. Where the normal is fixed in the world a sphere has
the same arm at both. The plane that u is taken in is that of the first knot: u has no part along the normals' mean but
of O(h²), so what that leaves out is O(h³).
"""

from __future__ import annotations

from symvi.physics.constraint import carried, data, function_of_bodies, position
from symvi.physics.formula import INTERMEDIATES, Argument, derived
from symvi.physics.kinematics import A, C, W

CENTRE = (position("b"), carried("r_b", "point or centre of the sphere on body b", "b"))


@function_of_bodies(
    "phi = n·(x_b + r_b - x_a - r_a) - radius",
    "BSMH23 section 2, any normal",
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


# --- where bodies touch: the arm of the contact point on the child, where it changes over a step ------------------
@function_of_bodies(
    "l_b = r_b - radius n",
    "BSMH23 section 2",
    (
        carried("n", "normal of the half-space, out of the solid", "a", "1"),
        carried("r_b", "point or centre of the sphere on body b", "b"),
        data("radius", "radius of the sphere", "m"),
    ),
    3,
)
def arm_to_half_space(n, r_b, radius):
    return r_b - n * radius[0]


@function_of_bodies(
    "l_b = r_b - radius (x_b + r_b - x_a - r_a)/|x_b + r_b - x_a - r_a|",
    "derived here: on the line between two centres",
    (
        position("a"),
        carried("r_a", "centre of the sphere on body a", "a"),
        *CENTRE,
        data("radius", "radius of the sphere on body b", "m"),
    ),
    3,
)
def arm_to_sphere(x_a, r_a, x_b, r_b, radius, let):
    return r_b - along(let("d", x_b + r_b - x_a - r_a), let) * radius[0]


def along(d, let):
    """d/|d|."""
    import sympy as sp

    from symvi.physics import algebra

    return d * let("inverse", [1 / let("distance", [sp.sqrt(algebra.dot(d, d))])[0]])[0]


# --- arms at the first knot ------------------------------------------------------------------------------------------
@derived(
    "c = x_b + r_b - radius n,  l_b = c - x_b,  l_a = c - x_a",
    "BSMH23 section 2: without the radius a sphere would never roll",
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
    "l_a = x_b + l_b - x_a",
    "both bodies touch at one point",
    [
        Argument("x_a", (3,), "centre of mass of body a", "m"),
        Argument("x_b", (3,), "centre of mass of body b", "m"),
        Argument("l_b", (3,), "arm of the contact point on body b", "m"),
    ],
    [Argument("l_a", (3,), "arm of the contact point on body a", "m")],
)
def arm_on_parent(x_a, x_b, l_b):
    return {"l_a": x_b + l_b - x_a}


# --- sliding ---------------------------------------------------------------------------------------------------------
FIRST = Argument("l1", (3,), "arm at the first knot", "m")
SECOND = Argument("l2", (3,), "arm at the second knot", "m")
SHIFT = Argument("Q", (3, 3), "h times the change of u with the arm at the second knot")


@derived(
    "d = w x (c (l1 + l2)/2 + a x (l1 - l2)/2),  r2 = (l2 + l1 + h w x (c l1 + a x l1))/2,  Q = a^ (c - a^)",
    "derived here: the mean way of the points of a body that touch at either knot, their mean place at the second",
    [W, A, C, Argument("h", (), "step", "s"), FIRST, SECOND],
    [Argument("d", (3,), "the mean way over h", "m/s"), Argument("r2", (3,), "the mean place", "m"), SHIFT],
)
def mean_chord(w, a, c, h, l1, l2):
    from symvi.physics import algebra

    rate = algebra.cross(w, (l1 + l2) / 2 * c[0] + algebra.cross(a, (l1 - l2) / 2))
    carried = l1 + algebra.cross(w, l1 * c[0] + algebra.cross(a, l1)) * h[0]
    return {"d": rate, "r2": (l2 + carried) / 2, "Q": _shift(rate, w, a, l2)}


@derived(
    "p = (p1 + p2)/2,  Q = a^",
    "derived here: of the points of a sphere's surface that touch at either knot",
    [
        W,
        A,
        Argument("p1", (3,), "from the sphere's centre to the contact point at the first knot", "m"),
        Argument("p2", (3,), "the same at the second knot", "m"),
    ],
    [Argument("p", (3,), "the mean of both", "m"), SHIFT],
)
def mean_arm(w, a, p1, p2):
    from symvi.physics import algebra

    mean = (p1 + p2) / 2
    return {"p": mean, "Q": _shift(algebra.cross(w, mean), w, a, p2)}


def _shift(rate, w, a, second):
    """h times the derivative of a way over h by an arm at the second knot, with h w = 2 a."""
    import sympy as sp

    return rate.jacobian(sp.Matrix(second)).xreplace({x: 2 * y for x, y in zip(w, a, strict=True)})


WAY = Argument("A", (3, 6), "derivative of sliding by the body's placement at the second knot over h", "1, m")


@derived(
    "A = [I, G]",
    "of a contact point with the same arm at both knots",
    [Argument("G", (3, 3), "derivative of sliding by a rotation that carries the arms", "m")],
    [WAY],
)
def way_of_point(G):  # noqa: N803  (a matrix)
    return {"A": _with(G)}


@derived(
    "A_b = [I, G] + (Q_b - Q_a) (L_b + [0, r2^]) - Q_a [I, -r2^]",
    "derived here: the contact point moves with the arm on body b, over the points that either body carries",
    [
        Argument("G", (3, 3), "derivative of sliding by a rotation that carries the arms", "m"),
        Argument("own", (3, 3), "Q of body b"),
        Argument("other", (3, 3), "Q of body a, 0 for the world"),
        Argument("L", (3, 6), "derivative of the arm on body b by its placement at the second knot", "1, m"),
        Argument("r2", (3,), "what body b carries to the contact point at the second knot", "m"),
    ],
    [WAY],
)
def way_of_child(G, own, other, L, r2):  # noqa: N803  (matrices)
    return {"A": _with(G) + (own - other) * (L - _turned(r2)) - other * _carried(r2)}


@derived(
    "A_a = -[I, G] + (Q_b - Q_a) L_a + Q_a [I, -r2^]",
    "derived here: the contact point moves with the arm on body b, over the points that either body carries",
    [
        Argument("G", (3, 3), "derivative of sliding by a rotation that carries the arms", "m"),
        Argument("own", (3, 3), "Q of body a"),
        Argument("other", (3, 3), "Q of body b"),
        Argument("L", (3, 6), "derivative of the arm on body b by the placement of body a", "1, m"),
        Argument("r2", (3,), "what body a carries to the contact point at the second knot", "m"),
    ],
    [WAY],
)
def way_of_parent(G, own, other, L, r2):  # noqa: N803  (matrices)
    return {"A": (other - own) * L + own * _carried(r2) - _with(G)}


def _with(gradient):
    """[I, G]: of a point that turns with its body by G."""
    import sympy as sp

    return sp.eye(3).row_join(gradient)


def _turned(r):
    """[0, -r^]: how a vector fixed to a body moves with it."""
    import sympy as sp

    from symvi.physics import algebra

    return sp.zeros(3).row_join(-algebra.skew(r))


def _carried(r):
    """[I, -r^]: how a point fixed to a body moves with it."""
    import sympy as sp

    from symvi.physics import algebra

    return sp.eye(3).row_join(-algebra.skew(r))


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
        Argument("p", (3,), "from its end to the contact point, the mean of both knots", "m"),
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
