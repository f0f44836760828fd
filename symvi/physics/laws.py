"""Laws along a coordinate within a step: springs, dampers, servos at one point between the knots.

Along a scalar coordinate c with the values c1 and c2 at the knots of a step, and its mean rate rho = (c2 - c1)/h,

    phi = pull - V'(c_s),     c_s = (1 - s) c1 + s c2 = c1 + s h rho       of springs
    braking = drive - d rho                                                   of dampers

act on the bodies along the gradients of both knots: h (s phi + theta braking) C(z1)ᵀ in this step, and
h ((1 - s) phi + (1 - theta) braking) C(z2)ᵀ in the momentum that it hands on, between steps of one length (of others:
kernels/law.py). With s = theta, on one mass m with a linear spring and a damper, this is the theta method; s = 1/2 is
the implicit midpoint, which keeps the energy of a linear spring. Any s and theta from 1/2 on are stable for any k and
d. Dampers act with

    theta = (3 + 2 y + y²)/(6 + 3 y + y²),   y = h d/m,

which makes the factor of a lone damper 1/(1 + y + y²/2 + y³/6), order 2, and never changes the sign of a rate, if m is
at most the mass that opposes the coordinate. That mass is taken of the two bodies alone, which are otherwise free, each
with an equal share for every damped coordinate that acts on it: then the sum of all m CᵀC is at most the mass matrix.

A spring that acts at s damps like a damper of (2 s - 1) h k. s = theta is what keeps an overdamped coordinate from
changing its sign where the step is long for k/d, and harmless only if y is that of the true mass: a light link that
carries a heavy one has a large y, and would stop its load. So springs take s = theta where the two bodies are all that
there is to oppose the coordinate. Where joints hold these bodies too, s follows from the mass that may oppose the
coordinate at most (kernels/opposing_mass.py), and it is 1/2 where loops, gears, contacts or point springs leave that no
bound: there an overdamped coordinate whose k/d no step resolves may change its sign while it decays. A damper's
theta is harmless: it shifts the damper in time by less than half a step, h d/2 of mass beside the true one.
"""

from __future__ import annotations

from symvi.physics.body import packed, symmetric
from symvi.physics.constraint import Steps
from symvi.physics.formula import INTERMEDIATES, Argument, derived

H = Argument("h", (), "time step", "s")
THETA = Argument("theta", (), "where in the step a law acts: 0 at the first knot, 1 at the second")
MASS_A = Argument("m_a", (), "share of the mass of body a", "kg")
MASS_B = Argument("m_b", (), "share of the mass of body b", "kg")
INERTIA_A = Argument("J_a", (6,), "share of its inertia", "kg m²")
INERTIA_B = Argument("J_b", (6,), "share of its inertia", "kg m²")
APART = Argument("d", (3,), "from the centre of mass of body a to that of body b", "m")


@derived(
    "theta = (3 + 2 y + y²)/(6 + 3 y + y²),  y = h d/m",
    "derived here: Padé's form of 1/(1 - exp(-y)) - 1/y (Liniger, Willoughby)",
    [Argument("m", (), "mass along the coordinate", "kg, kg m²"), H, Argument("d", (), "damping", "N s/m, N m s")],
    [THETA],
)
def weight_between_knots(m, h, d):
    """In s = m/(m + h d) = 1/(1 + y), which stays between 0 and 1 whatever the damping."""
    import sympy as sp

    let = Steps()
    s = sp.Symbol("share_0", real=True)
    y = (1 - s) / s
    theta = sp.cancel((3 + 2 * y + y**2) / (6 + 3 * y + y**2))
    share = let("share", [m[0] / (m[0] + h[0] * d[0])])
    return {"theta": theta.subs(s, share[0]), INTERMEDIATES: let.pairs()}


def _along(potential, c, h, theta, c1, rho, pull) -> dict:
    """phi, and its slope by the rate: both follow from the potential."""
    import sympy as sp

    let = Steps()
    phi = pull - sp.diff(potential, c)
    slope = sp.diff(phi, c) * theta * h
    middle = let("middle", [c1 + (theta * h) * rho])[0]
    return {"phi": phi.subs(c, middle), "slope": (-slope).subs(c, middle), INTERMEDIATES: let.pairs()}


COORDINATE = [
    H,
    THETA,
    Argument("c", (), "coordinate at the first knot", "m, rad"),
    Argument("rho", (), "its difference over the step, divided by h", "m/s, rad/s"),
    Argument("pull", (), "force where the coordinate is zero", "N, N m"),
]
PHI = [
    Argument("phi", (), "force along the coordinate", "N, N m"),
    Argument("slope", (), "minus its derivative by the rate", "N s/m, N m s"),
]


@derived(
    "phi = pull - k c_theta,  c_theta = c1 + theta h rho",
    "derived here",
    [*COORDINATE, Argument("k", (), "stiffness", "N/m, N m")],
    PHI,
)
def linear_law(h, theta, c, rho, pull, k):
    import sympy as sp

    x = sp.Symbol("x", real=True)
    return _along(k[0] * x**2 / 2, x, h[0], theta[0], c[0], rho[0], pull[0])


@derived(
    "phi = pull - k c_theta - a sin c_theta + b cos c_theta,  c_theta = c1 + theta h rho",
    "derived here: V = k c²/2 - a cos c - b sin c",
    [
        *COORDINATE,
        Argument("k", (), "stiffness", "N m"),
        Argument("a", (), "sum of k cos(rest) of sinusoidal springs", "N m"),
        Argument("b", (), "sum of k sin(rest) of sinusoidal springs", "N m"),
    ],
    PHI,
)
def sinusoidal_law(h, theta, c, rho, pull, k, a, b):
    import sympy as sp

    x = sp.Symbol("x", real=True)
    potential = k[0] * x**2 / 2 - a[0] * sp.cos(x) - b[0] * sp.sin(x)
    return _along(potential, x, h[0], theta[0], c[0], rho[0], pull[0])


@derived(
    "braking = drive - d rho",
    "derived here",
    [
        Argument("d", (), "damping", "N s/m, N m s"),
        Argument("rho", (), "mean rate of the coordinate", "m/s, rad/s"),
        Argument("drive", (), "d times the rate that is aimed at", "N, N m"),
    ],
    [Argument("braking", (), "force along the coordinate", "N, N m")],
)
def damper_law(d, rho, drive):
    return {"braking": drive[0] - d[0] * rho[0]}


@derived(
    "V = k (1 - cos(c - rest))",
    "derived here",
    [
        Argument("k", (), "torque at a quarter turn", "N m"),
        Argument("rest_cos", (), "cosine of the rest angle"),
        Argument("rest_sin", (), "sine of the rest angle"),
        Argument("c", (), "angle", "rad"),
    ],
    [Argument("V", (), "potential energy", "J")],
)
def sinusoidal_energy(k, rest_cos, rest_sin, c):
    import sympy as sp

    return {"V": k[0] * (1 - rest_cos[0] * sp.cos(c[0]) - rest_sin[0] * sp.sin(c[0]))}


# --- the mass along a coordinate -------------------------------------------------------------------------------------
V = Argument("v", (3,), "velocity of body b that a unit rate asks for while body a stays", "m/s")
W = Argument("w", (3,), "its angular velocity", "rad/s")
V2 = Argument("v2", (3,), "the same of another coordinate", "m/s")
W2 = Argument("w2", (3,), "the same of another coordinate", "rad/s")
RECOIL = Argument("u", (3,), "angular velocity that body a takes on", "rad/s")
RECOIL2 = Argument("u2", (3,), "the same of another coordinate", "rad/s")
ENTRY = Argument("m", (), "entry of the mass matrix of the coordinates", "kg, kg m, kg m²")


def _relative_energy(u, v, w, v2, w2, u2, m_a, J_a, m_b, J_b, d):  # noqa: N803  (the papers' letter)
    """Twice the mixed kinetic energy of two motions of two free bodies whose common centre of mass rests."""
    from symvi.physics import algebra

    reduced = m_a[0] * m_b[0] / (m_a[0] + m_b[0])
    first, second = v + algebra.cross(u, d), v2 + algebra.cross(u2, d)
    linear = reduced * algebra.dot(first, second)
    above = algebra.dot(u, symmetric(J_a) * u2)
    below = algebra.dot(w + u, symmetric(J_b) * (w2 + u2))
    return linear + (above + below)


def _solved(let, j, right):
    """J^-1 b for a symmetric matrix of six entries, by its adjugate."""
    import sympy as sp

    adjugate = let("adjugate", packed(symmetric(j).adjugate().applyfunc(sp.expand)))
    first = symmetric(j)[0, :] * symmetric(adjugate)[:, 0]
    size = let("size", [first[0]])
    return symmetric(adjugate) * right / size[0]


@derived(
    "u = -I^-1 (J_b w + m d x v),  I = J_a + J_b + m (d·d - d dᵀ),  m = m_a m_b/(m_a + m_b)",
    "derived here: what makes the kinetic energy of two free bodies least",
    [MASS_A, INERTIA_A, MASS_B, INERTIA_B, APART, V, W],
    [RECOIL],
)
def recoil(m_a, J_a, m_b, J_b, d, v, w):  # noqa: N803
    import sympy as sp

    let = Steps()
    u = sp.Matrix(sp.symbols("turn_0:3", real=True))
    energy = _relative_energy(u, v, w, v, w, u, m_a, J_a, m_b, J_b, d) / 2
    gradient = sp.Matrix([energy]).jacobian(u).T
    inertia = let("inertia", packed(gradient.jacobian(u).applyfunc(sp.expand)))
    push = let("push", gradient.subs(dict.fromkeys(u, 0)))
    return {"u": -_solved(let, inertia, push), INTERMEDIATES: let.pairs()}


@derived(
    "m_kl = m (v_k + u_k x d)·(v_l + u_l x d) + u_k·J_a u_l + (w_k + u_k)·J_b (w_l + u_l)",
    "derived here: two free bodies whose common centre of mass rests",
    [MASS_A, INERTIA_A, MASS_B, INERTIA_B, APART, V, W, RECOIL, V2, W2, RECOIL2],
    [ENTRY],
)
def mass_of_two(m_a, J_a, m_b, J_b, d, v, w, u, v2, w2, u2):  # noqa: N803
    return {"m": _relative_energy(u, v, w, v2, w2, u2, m_a, J_a, m_b, J_b, d)}


@derived(
    "m_kl = m_b v_k·v_l + w_k·J_b w_l",
    "derived here: body a is the world",
    [MASS_B, INERTIA_B, V, W, V2, W2],
    [ENTRY],
)
def mass_of_one(m_b, J_b, v, w, v2, w2):  # noqa: N803
    from symvi.physics import algebra

    return {"m": m_b[0] * algebra.dot(v, v2) + algebra.dot(w, symmetric(J_b) * w2)}


@derived(
    "1/m = c_v·c_v/m_b + c_w·J_b^-1 c_w",
    "derived here: a free body that is pushed along a gradient",
    [MASS_B, INERTIA_B, Argument("c", (6,), "gradient by the body's position and rotation")],
    [Argument("y", (), "rate per impulse", "1/kg")],
)
def yielding(m_b, J_b, c):  # noqa: N803
    import sympy as sp

    from symvi.physics import algebra

    let = Steps()
    v, w = sp.Matrix(c[:3]), sp.Matrix(c[3:])
    turning = algebra.dot(w, _solved(let, J_b, w))
    return {"y": algebra.dot(v, v) / m_b[0] + turning, INTERMEDIATES: let.pairs()}


@derived(
    "v = -e x r_b,  w = e",
    "derived here: body b turns about an axis through its own anchor",
    [Argument("e", (3,), "axis"), Argument("r", (3,), "from its centre of mass to its anchor", "m")],
    [V],
)
def swing(e, r):
    from symvi.physics import algebra

    return {"v": -algebra.cross(e, r)}
