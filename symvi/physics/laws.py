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

from symvi.physics.body import kinetic_energy, packed, symmetric
from symvi.physics.constraint import Steps
from symvi.physics.formula import INTERMEDIATES, Argument, derived

H = Argument("h", (), "time step", "s")
THETA = Argument("theta", (), "where in the step a law acts: 0 at the first knot, 1 at the second")
MASS_A = Argument("m_a", (), "share of the mass of body a", "kg")
MASS_B = Argument("m_b", (), "share of the mass of body b", "kg")
INERTIA_A = Argument("J_a", (6,), "share of its inertia", "kg m²")
INERTIA_B = Argument("J_b", (6,), "share of its inertia", "kg m²")
APART = Argument("d", (3,), "from the centre of mass of body a to that of body b", "m")


def _factor_of_a_lone_damper(stated, m, h, d):
    """m v1 = m v0 - h d ((1 - theta) v0 + theta v1) is v1 = v0/(1 + y + y²/2 + y³/6), y = h d/m."""
    import sympy as sp

    theta, y, v0 = stated["theta"], h[0] * d[0] / m[0], sp.Symbol("v0", real=True)
    v1 = v0 / (1 + y + y**2 / 2 + y**3 / 6)
    yield "a lone damper decays", m[0] * (v1 - v0) + h[0] * d[0] * ((1 - theta) * v0 + theta * v1)


@derived(
    "theta = (3 + 2 y + y²)/(6 + 3 y + y²),  y = h d/m",
    "derived here: Padé's form of 1/(1 - exp(-y)) - 1/y (Liniger-Willoughby)",
    [Argument("m", (), "mass along the coordinate", "kg, kg m²"), H, Argument("d", (), "damping", "N s/m, N m s")],
    [THETA],
    _factor_of_a_lone_damper,
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


def _of_the_energy(energy):
    """phi = pull - V' within the step, and its slope by the rate. energy: of the coordinate and a law's numbers."""

    def follows(stated, h, theta, c, rho, pull, **numbers):
        import sympy as sp

        x = sp.Symbol("x", real=True)
        there = c[0] + theta[0] * h[0] * rho[0]
        force = pull[0] - sp.diff(energy(x, **numbers), x).subs(x, there)
        yield "phi is minus the slope of the energy", stated["phi"] - force
        yield "slope is minus the slope of phi", stated["slope"] + sp.diff(force, rho[0])

    return follows


@derived(
    "phi = pull - k c_theta,  c_theta = c1 + theta h rho",
    "derived here",
    [*COORDINATE, Argument("k", (), "stiffness", "N/m, N m")],
    PHI,
    _of_the_energy(lambda x, k: k[0] * x**2 / 2),
)
def linear_law(h, theta, c, rho, pull, k):
    import sympy as sp

    x = sp.Symbol("x", real=True)
    return _along(k[0] * x**2 / 2, x, h[0], theta[0], c[0], rho[0], pull[0])


def _sinusoidal_potential(x, k, a, b):
    import sympy as sp

    return k[0] * x**2 / 2 - a[0] * sp.cos(x) - b[0] * sp.sin(x)


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
    _of_the_energy(_sinusoidal_potential),
)
def sinusoidal_law(h, theta, c, rho, pull, k, a, b):
    import sympy as sp

    x = sp.Symbol("x", real=True)
    return _along(_sinusoidal_potential(x, k, a, b), x, h[0], theta[0], c[0], rho[0], pull[0])


def _slope_of_the_dissipation(stated, d, rho, drive):
    """Minus that of (d/2) (rho - u)², u the rate that is aimed at."""
    import sympy as sp

    u = sp.Symbol("u", real=True)
    loss = d[0] * (rho[0] - u) ** 2 / 2
    yield "braking is minus the slope of it", stated["braking"].subs(drive[0], d[0] * u) + sp.diff(loss, rho[0])


@derived(
    "braking = drive - d rho",
    "derived here",
    [
        Argument("d", (), "damping", "N s/m, N m s"),
        Argument("rho", (), "mean rate of the coordinate", "m/s, rad/s"),
        Argument("drive", (), "d times the rate that is aimed at", "N, N m"),
    ],
    [Argument("braking", (), "force along the coordinate", "N, N m")],
    _slope_of_the_dissipation,
)
def damper_law(d, rho, drive):
    return {"braking": drive[0] - d[0] * rho[0]}


def _energy_of_a_sinusoidal_spring(stated, k, rest_cos, rest_sin, c):
    """Zero and stationary at rest, with the torque -k sin(c - rest), which the sinusoidal law has."""
    import sympy as sp

    rest = sp.Symbol("rest", real=True)
    energy = stated["V"].xreplace({rest_cos[0]: sp.cos(rest), rest_sin[0]: sp.sin(rest)})
    yield "V is zero at rest", sp.trigsimp(energy.subs(c[0], rest))
    torque = -k[0] * sp.expand_trig(sp.sin(c[0] - rest))
    yield "V has the torque -k sin(c - rest)", torque + sp.diff(energy, c[0])
    own = _sinusoidal_potential(c[0], [0], [k[0] * sp.cos(rest)], [k[0] * sp.sin(rest)])
    yield "it is that of the law", torque + sp.diff(own, c[0])


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
    _energy_of_a_sinusoidal_spring,
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


def _relative_energy(let, u, v, w, v2, w2, u2, m_a, J_a, m_b, J_b, d):  # noqa: N803  (the papers' letter)
    """Twice the mixed kinetic energy of two motions of two free bodies whose common centre of mass rests."""
    from symvi.physics import algebra

    reduced = let("reduced", [m_a[0] * m_b[0] / (m_a[0] + m_b[0])])[0]
    first, second = v + algebra.cross(u, d), v2 + algebra.cross(u2, d)
    linear = reduced * algebra.dot(first, second)
    above = algebra.dot(u, symmetric(J_a) * u2)
    below = algebra.dot(w + u, symmetric(J_b) * (w2 + u2))
    return linear + (above + below)


def _energy_of_two(u, v, w, m_a, J_a, m_b, J_b, d):  # noqa: N803
    """Kinetic energy of two free bodies whose common centre of mass rests: body a turns at u, and body b is seen from
    there to move at v and to turn at w."""
    import sympy as sp

    from symvi.physics import algebra

    apart = v + algebra.cross(u, d)
    share = 1 / (m_a[0] + m_b[0])
    first = kinetic_energy.builder(m_a, -m_b[0] * share * apart, sp.Matrix(u), J_a)["T"]
    return first + kinetic_energy.builder(m_b, m_a[0] * share * apart, u + w, J_b)["T"]


def _inverse_of(stated, matrix) -> tuple:
    """The claim that the adjugate over its size, both named by `_solved`, is the inverse of a symmetric matrix."""
    import sympy as sp

    known = stated.keeping("inertia")
    adjugate, size = symmetric(known.step("adjugate")), known.step("size")[0]
    return "the inertia is inverted", adjugate * matrix - size * sp.eye(3)


def _least_energy(stated, m_a, J_a, m_b, J_b, d, v, w):  # noqa: N803
    """The energy of two free bodies is stationary in u."""
    import sympy as sp

    u = sp.Matrix(sp.symbols("turn_0:3", real=True))
    energy = sp.Matrix([_energy_of_two(u, v, w, m_a, J_a, m_b, J_b, d)])
    slope = energy.jacobian(u).T
    inertia, push = symmetric(stated.symbols("inertia")), stated.symbols("push")
    whole = {"inertia": symmetric(stated.step("inertia")), "push": stated.step("push")}
    yield "I u + push is the slope of the energy", whole["inertia"] * u + whole["push"] - slope
    yield _inverse_of(stated, inertia)
    size = stated.symbols("size")[0]
    solved = stated.keeping("adjugate", "size", "push")["u"] * size + symmetric(stated.symbols("adjugate")) * push
    yield "I u = -push", solved


def _mixed_slope(energy) -> object:
    """The second derivative of the energy of two rates, by one and by the other."""
    import sympy as sp

    rates = sp.symbols("rate_0:2", real=True)
    return sp.diff(energy(*rates), *rates)


def _mixed_slope_of_two(stated, m_a, J_a, m_b, J_b, d, v, w, u, v2, w2, u2):  # noqa: N803
    def energy(k, l):  # noqa: E741
        return _energy_of_two(k * u + l * u2, k * v + l * v2, k * w + l * w2, m_a, J_a, m_b, J_b, d)

    yield "m is the second derivative of kinetic energy", stated["m"] - _mixed_slope(energy)


def _mixed_slope_of_one(stated, m_b, J_b, v, w, v2, w2):  # noqa: N803
    def energy(k, l):  # noqa: E741
        return kinetic_energy.builder(m_b, k * v + l * v2, k * w + l * w2, J_b)["T"]

    yield "m is the second derivative of kinetic energy", stated["m"] - _mixed_slope(energy)


def _rate_of_a_push(stated, m_b, J_b, c):  # noqa: N803
    """An impulse of one along c gives m v = c_v and J w = c_w; y = c·(v, w)."""
    import sympy as sp

    yield _inverse_of(stated, symmetric(J_b))
    w = symmetric(stated.symbols("adjugate")) * sp.Matrix(c[3:]) / stated.symbols("size")[0]
    rate = sum(x * x / m_b[0] for x in c[:3]) + sum(x * y for x, y in zip(c[3:], w, strict=True))
    yield "y is the rate", stated.keeping("adjugate", "size")["y"] - rate


def _resting_anchor(stated, e, r):
    from symvi.physics import algebra

    yield "the anchor rests while the body turns at e", stated["v"] + algebra.cross(e, r)


def _solved(let, j, right):
    """J^-1 b for a symmetric matrix of six entries, by its adjugate."""
    import sympy as sp

    adjugate = let("adjugate", packed(symmetric(j).adjugate().applyfunc(sp.expand)))
    first = symmetric(j)[0, :] * symmetric(adjugate)[:, 0]
    size = let("size", [first[0]])
    return symmetric(adjugate) * right * let("share", [1 / size[0]])[0]


@derived(
    "u = -I^-1 (J_b w + m d x v),  I = J_a + J_b + m (d·d - d dᵀ),  m = m_a m_b/(m_a + m_b)",
    "derived here: what makes the kinetic energy of two free bodies least",
    [MASS_A, INERTIA_A, MASS_B, INERTIA_B, APART, V, W],
    [RECOIL],
    _least_energy,
)
def recoil(m_a, J_a, m_b, J_b, d, v, w):  # noqa: N803
    import sympy as sp

    let = Steps()
    u = sp.Matrix(sp.symbols("turn_0:3", real=True))
    energy = _relative_energy(let, u, v, w, v, w, u, m_a, J_a, m_b, J_b, d) / 2
    gradient = sp.Matrix([energy]).jacobian(u).T
    inertia = let("inertia", packed(gradient.jacobian(u).applyfunc(sp.expand)))
    push = let("push", gradient.subs(dict.fromkeys(u.flat(), 0)))
    return {"u": -_solved(let, inertia, push), INTERMEDIATES: let.pairs()}


@derived(
    "m_kl = m (v_k + u_k x d)·(v_l + u_l x d) + u_k·J_a u_l + (w_k + u_k)·J_b (w_l + u_l)",
    "derived here: two free bodies whose common centre of mass rests",
    [MASS_A, INERTIA_A, MASS_B, INERTIA_B, APART, V, W, RECOIL, V2, W2, RECOIL2],
    [ENTRY],
    _mixed_slope_of_two,
)
def mass_of_two(m_a, J_a, m_b, J_b, d, v, w, u, v2, w2, u2):  # noqa: N803
    let = Steps()
    return {"m": _relative_energy(let, u, v, w, v2, w2, u2, m_a, J_a, m_b, J_b, d), INTERMEDIATES: let.pairs()}


@derived(
    "m_kl = m_b v_k·v_l + w_k·J_b w_l",
    "derived here: body a is the world",
    [MASS_B, INERTIA_B, V, W, V2, W2],
    [ENTRY],
    _mixed_slope_of_one,
)
def mass_of_one(m_b, J_b, v, w, v2, w2):  # noqa: N803
    from symvi.physics import algebra

    return {"m": m_b[0] * algebra.dot(v, v2) + algebra.dot(w, symmetric(J_b) * w2)}


@derived(
    "1/m = c_v·c_v/m_b + c_w·J_b^-1 c_w",
    "derived here: a free body that is pushed along a gradient",
    [MASS_B, INERTIA_B, Argument("c", (6,), "gradient by the body's position and rotation")],
    [Argument("y", (), "rate per impulse", "1/kg")],
    _rate_of_a_push,
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
    _resting_anchor,
)
def swing(e, r):
    from symvi.physics import algebra

    return {"v": -algebra.cross(e, r)}
