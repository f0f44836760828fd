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

from fractions import Fraction

from symvi.physics.constraint import carried, data, function_of_bodies, position
from symvi.physics.formula import INTERMEDIATES, Argument, derived
from symvi.physics.kinematics import A, C, W, after_a_turn, unit

TINY = Fraction(1, 10**30)  # added below a root, so that a direction is finite before a start
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


def _length_less_reach(stated, x_a, r_a, x_b, r_b, reach):
    from symvi.physics import algebra

    u = x_b + r_b - x_a - r_a
    yield "(phi + reach)² is u·u", (stated["g"][0] + reach[0]) ** 2 - algebra.dot(u, u)


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
    follows=_length_less_reach,
)
def gap_of_spheres(x_a, r_a, x_b, r_b, reach, let):
    import sympy as sp

    from symvi.physics import algebra

    d = let("d", x_b + r_b - x_a - r_a)
    return let("distance", [sp.sqrt(algebra.dot(d, d))])[0] - reach[0]


def _unit_normal(stated, N):  # noqa: N803
    """n has length one and, times the scale, is the gradient."""
    squares = {stated.symbols("scale")[0]: sum(x * x for x in N)}
    known = stated.keeping("scale")
    yield "scale n is the gradient", known["scale"] * known["n"] - N
    yield "n has length one", (known["n"].T * known["n"])[0] - 1, squares
    yield "scale is the gradient's length", stated["scale"] ** 2 - sum(x * x for x in N)


@derived(
    "n = N_x/|N_x|,  scale = |N_x|",
    "derived here: the direction in which the gap opens",
    [Argument("N", (3,), "gradient of the gap by the position of body b")],
    [Argument("n", (3,), "unit normal at the first knot"), Argument("scale", (), "length of the gradient")],
    _unit_normal,
)
def direction(N):  # noqa: N803  (the papers' letter)
    import sympy as sp

    from symvi.physics import algebra
    from symvi.physics.constraint import Steps

    let = Steps()
    scale = let("scale", [sp.sqrt(algebra.dot(N, N))])
    return {"n": N / scale[0], "scale": scale[0], INTERMEDIATES: let.pairs()}


# --- where bodies touch: the arm of the contact point on the child, where it changes over a step ------------------
def _point_of_the_sphere(stated, n, r_b, radius, **_):
    """Along the gradient of the gap from the sphere's centre, and the gap of that point itself is the sphere's."""
    from symvi.physics import algebra

    arm = stated["g"]
    yield "the arm ends along the normal", algebra.cross(arm - r_b, n)
    yield "the gap of the point is that of the sphere", algebra.dot(n, arm - r_b) + radius[0], _unit_vector(n)


def _unit_vector(n) -> dict:
    """The square of the last entry of a vector of length one, for stated.py."""
    return {n[2]: 1 - n[0] ** 2 - n[1] ** 2}


@function_of_bodies(
    "l_b = r_b - radius n",
    "BSMH23 section 2",
    (
        carried("n", "normal of the half-space, out of the solid", "a", "1"),
        carried("r_b", "point or centre of the sphere on body b", "b"),
        data("radius", "radius of the sphere", "m"),
    ),
    3,
    follows=_point_of_the_sphere,
)
def arm_to_half_space(n, r_b, radius):
    return r_b - n * radius[0]


def _point_towards_a_centre(stated, x_a, r_a, x_b, r_b, radius):
    """On the line of the centres, and nearer by the radius to that of body a."""
    from symvi.physics import algebra

    apart, known = x_b + r_b - x_a - r_a, stated.keeping("distance")
    distance, arm = stated.symbols("distance")[0], known["g"]
    point = x_b + arm - x_a - r_a
    squares = {distance: algebra.dot(apart, apart)}
    yield "the arm ends on the line of the centres", algebra.cross(point, apart)
    yield "its end is nearer by the radius", point * distance - apart * (distance - radius[0]), squares
    yield "distance is that of the centres", stated.step("distance")[0] ** 2 - algebra.dot(apart, apart)


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
    follows=_point_towards_a_centre,
)
def arm_to_sphere(x_a, r_a, x_b, r_b, radius, let):
    return r_b - along(let("d", x_b + r_b - x_a - r_a), let) * radius[0]


def along(d, let):
    """d/|d|."""
    import sympy as sp

    from symvi.physics import algebra

    return d * let("inverse", [1 / let("distance", [sp.sqrt(algebra.dot(d, d))])[0]])[0]


# --- arms at the first knot ------------------------------------------------------------------------------------------
def _one_point_of_contact(stated, x_a, x_b, r_b, radius, n):
    """Both arms end at c, which is the sphere's own point (see arm_to_half_space)."""
    own, c = stated["p_b"], x_b + stated["l_b"]
    yield "l_a ends where l_b does", x_a + stated["l_a"] - c
    yield "p_b ends where l_b does", x_b + r_b + own - c
    yield "p_b is along the normal", own.cross(n)
    yield "p_b is as long as the radius, against the normal", own.dot(n) + radius[0], _unit_vector(n)


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
    _one_point_of_contact,
)
def arms(x_a, x_b, r_b, radius, n):
    surface = -n * radius[0]
    return {"l_b": r_b + surface, "l_a": x_b + r_b + surface - x_a, "p_b": surface}


def _one_point(stated, x_a, x_b, l_b):
    yield "both arms end at one point", x_a + stated["l_a"] - (x_b + l_b)


@derived(
    "l_a = x_b + l_b - x_a",
    "both bodies touch at one point",
    [
        Argument("x_a", (3,), "centre of mass of body a", "m"),
        Argument("x_b", (3,), "centre of mass of body b", "m"),
        Argument("l_b", (3,), "arm of the contact point on body b", "m"),
    ],
    [Argument("l_a", (3,), "arm of the contact point on body a", "m")],
    _one_point,
)
def arm_on_parent(x_a, x_b, l_b):
    return {"l_a": x_b + l_b - x_a}


# --- sliding ---------------------------------------------------------------------------------------------------------
FIRST = Argument("l1", (3,), "arm at the first knot", "m")
SECOND = Argument("l2", (3,), "arm at the second knot", "m")
SHIFT = Argument("Q", (3, 3), "h times the change of u with the arm at the second knot")


def _mean_of_two_ways(stated, w, a, c, h, l1, l2):
    """Of the points that touch at the first knot, which go from l1 to [c; a] l1 [c; a]*, and of those that touch at
    the second, which come to l2."""
    there, squares = dict(zip(w, 2 * a / h[0], strict=True)), unit(c[0], *a)
    onward, back = after_a_turn(c, a, l1), after_a_turn(c, -a, l2)
    way, place = stated["d"].xreplace(there), stated["r2"].xreplace(there)
    yield "d is the mean way over h", way - (onward - l1 + l2 - back) / (2 * h[0]), squares
    yield "r2 is the mean place", place - (onward + l2) / 2, squares
    slope = (l2 - back).jacobian(l2) / 2  # of h times the mean way
    yield "Q is h times the slope of d", stated["Q"] - slope, squares


@derived(
    "d = w x (c (l1 + l2)/2 + a x (l1 - l2)/2),  r2 = (l2 + l1 + h w x (c l1 + a x l1))/2,  Q = a^ (c - a^)",
    "derived here: the mean way of the points of a body that touch at either knot, their mean place at the second",
    [W, A, C, Argument("h", (), "step", "s"), FIRST, SECOND],
    [Argument("d", (3,), "the mean way over h", "m/s"), Argument("r2", (3,), "the mean place", "m"), SHIFT],
    _mean_of_two_ways,
)
def mean_chord(w, a, c, h, l1, l2):
    from symvi.physics import algebra

    rate = algebra.cross(w, (l1 + l2) / 2 * c[0] + algebra.cross(a, (l1 - l2) / 2))
    carried = l1 + algebra.cross(w, l1 * c[0] + algebra.cross(a, l1)) * h[0]
    return {"d": rate, "r2": (l2 + carried) / 2, "Q": _shift(rate, w, a, l2)}


def _mean_of_two_arms(stated, w, a, p1, p2):
    """A surface that turns at w = 2 a/h about the sphere's centre goes by w x p; Q is h times the slope of that."""
    from symvi.physics import algebra

    p = stated["p"]
    yield "p is as far from p1 as from p2", (p - p1) + (p - p2)
    yield "Q is h times the slope of w x p", stated["Q"] - algebra.cross(2 * a, p).jacobian(p2)


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
    _mean_of_two_arms,
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


def _slope_of_sliding(label: str):
    """That of u_b - u_a by a placement at the second knot over h, (s_v, s): a body's own u changes by s_v + G s where
    its arm is carried, and by Q/h for what its arm at the second knot moves more than s x r2, which is carried."""

    def follows(stated, G, own=None, other=None, L=None, r2=None):  # noqa: N803
        import sympy as sp

        from symvi.physics import algebra

        s_v, s = (sp.Matrix(sp.symbols(f"{name}_0:3", real=True)) for name in ("shift", "turn"))
        moved, change = s_v.col_join(s), s_v + G * s
        if own is not None:
            tip = L * moved  # of the arm on body b
            rest = s_v + tip if label == "b" else tip - s_v  # of the arm on body a: x_b + l_b - x_a
            own_arm, other_arm = (tip, rest) if label == "b" else (rest, tip)
            change += own * (own_arm - algebra.cross(s, r2)) - other * other_arm
        sign = 1 if label == "b" else -1
        yield "A is the slope of sliding", stated["A"] - sign * change.jacobian(moved)

    return follows


@derived(
    "A = [I, G]",
    "of a contact point with the same arm at both knots",
    [Argument("G", (3, 3), "derivative of sliding by a rotation that carries the arms", "m")],
    [WAY],
    _slope_of_sliding("b"),
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
    _slope_of_sliding("b"),
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
    _slope_of_sliding("a"),
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


def _slope_by_the_turn(stated, v, w, a, c, rate, r2, p):
    """G = h du/dtheta2 of u = v + (r2 - r1)/h + w x p, where r2 is carried by the step's turn and w = (2/h) a."""
    import sympy as sp

    from symvi.physics import algebra

    h, d = sp.Symbol("h", positive=True), sp.Matrix([c[0], *a])
    moving = [("quaternion", d), ("vector", r2)]
    r1 = sp.Matrix(sp.symbols("r1_0:3", real=True))
    u = v + (r2 - r1) / h + algebra.cross(2 / h * a, p)
    known = {**dict(zip(w, 2 / h * a, strict=True)), **dict(zip(rate, (r2 - r1) / h, strict=True))}
    yield "u is the displacement over h", stated["u"].xreplace(known) - u
    yield "G is the slope of u", stated["G"] - h * algebra.gradient(u, moving)[:, 3:]


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
    _slope_by_the_turn,
)
def sliding(v, w, a, c, rate, r2, p):
    import sympy as sp

    from symvi.physics import algebra
    from symvi.physics.kinematics import velocity_change

    s = sp.Matrix(sp.symbols("s_0:3", real=True))
    change = algebra.cross(s, r2) + algebra.cross(velocity_change.builder(c, a, s)["dw"], p)
    return {"u": v + rate + algebra.cross(w, p), "G": change.jacobian(s)}


def _orthonormal(stated, n, t):
    """n, t1, t2 is a right-handed triad with t in the plane of n and t1, on the side of t1."""
    import sympy as sp

    from symvi.physics import algebra

    size, across = stated.symbols("size")[0], stated.step("across")
    first, second = stated.keeping("size")["t1"], stated.keeping("size")["t2"]
    squares = {size: (across.T * across)[0], **_unit_vector(n)}
    yield "t1 is across n", (n.T * first)[0], squares
    yield "t1 has length one", (first.T * first)[0] - 1, squares
    yield "t is in the plane of n and t1", t - n * (n.T * t)[0] - first * size, squares
    yield "n, t1, t2 is right-handed", second - algebra.cross(n, first)
    length = stated.step("size")[0] ** 2 - (across.T * across)[0]
    yield "the size is that of t across n, but for the guard", length - sp.Rational(TINY)


@derived(
    "t1 = (I - n nᵀ) t/|(I - n nᵀ) t|,  t2 = n x t1",
    "derived here: a tangent axis carried along with the normal",
    [
        Argument("n", (3,), "unit normal"),
        Argument("t", (3,), "tangent axis of the step before"),
    ],
    [Argument("t1", (3,), "first tangent axis"), Argument("t2", (3,), "second tangent axis")],
    _orthonormal,
)
def carried_axes(n, t):
    import sympy as sp

    from symvi.physics import algebra
    from symvi.physics.constraint import Steps

    let = Steps()
    across = let("across", t - n * algebra.dot(n, t))
    size = let("size", [sp.sqrt(algebra.dot(across, across) + sp.Rational(TINY))])
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


def _part_across(stated, n, u):
    from symvi.physics import algebra

    yield "t is across n", algebra.dot(n, stated["t"]), _unit_vector(n)
    yield "the rest of u is along n", algebra.cross(n, u - stated["t"])


@derived(
    "t = u - n (n·u)",
    "the part in the contact's own tangent plane",
    [Argument("n", (3,), "unit normal"), Argument("u", (3,), "vector")],
    [Argument("t", (3,), "its tangential part")],
    _part_across,
)
def tangential(n, u):
    from symvi.physics import algebra

    return {"t": u - n * algebra.dot(n, u)}
