"""A rigid body's discrete dynamics, from its discrete Lagrangian (BM20 (19)-(32), BSMH23 (5)-(16)).

L_d = h [ (m/2) v·v + (1/2) w·Jw - V ],  v = (x2 - x1)/h,  w = (2/h) V(q2 q1*), all in **world axes**, J = R1 J_body
R1ᵀ. The slot derivatives of L_d by the first knot give the momenta p = m v and l = c Jw + (h/2) w x Jw; by the second
knot they give the very same values, so the "old" term of a step's residual is just the momentum carried over from the
step before.
"""

from __future__ import annotations

from symvi.physics.constraint import Steps
from symvi.physics.formula import BY_BUILDER, INTERMEDIATES, Argument, derived
from symvi.physics.straight_line import PARTS, Symbolic

W = Argument("w", (3,), "angular velocity over the step", "rad/s")
A = Argument("a", (3,), "half turn, (h/2) w", "rad")
C = Argument("c", (), "cosine of the half turn")
INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")


def symmetric(j) -> Symbolic:
    """The 3 x 3 matrix of six entries in the order xx, yy, zz, xy, xz, yz."""
    import sympy as sp

    xx, yy, zz, xy, xz, yz = j
    return sp.Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def packed(matrix):
    """Six entries of a symmetric matrix, in the order of `symmetric`."""
    return [matrix[i] for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


def _second_slopes_of_kinetic_energy(stated, R, j):  # noqa: N803
    """T = (1/2) w'·J_body w' with w' = Rᵀ w."""
    import sympy as sp

    w = sp.Matrix(sp.symbols("w_0:3", real=True))
    own = R.T * w
    energy = (own.T * symmetric(j) * own)[0] / 2
    yield "J has the second derivatives of kinetic energy", symmetric(stated["J"]) - sp.hessian(energy, w.flat())


@derived(
    "J = R J_body Rᵀ",
    "derived here",
    [
        Argument("R", (3, 3), "rotation, body to world"),
        Argument("j", (6,), "inertia xx, yy, zz, xy, xz, yz", "kg m²", "body"),
    ],
    [Argument("J", (6,), "inertia xx, yy, zz, xy, xz, yz", "kg m²")],
    _second_slopes_of_kinetic_energy,
)
def world_inertia(R, j):  # noqa: N803  (the papers' letter)
    import sympy as sp

    half = R * symmetric(j)
    return {"J": sp.Matrix(packed(half * R.T)), PARTS: {"RJ": list(half)}}


def _own_velocity(q1, q2, h):
    """Angular velocity of a step's turn, w = (2/h) V(q2 q1*), in axes of the body at its knot 1."""
    from symvi.physics import algebra

    half_turn = algebra.vector(algebra.multiply(q2, algebra.conjugate(q1)))
    return algebra.rotation(q1).T * half_turn * 2 / h


def kinetic_action(own, inertia, h):
    """h T of a step's turn; own, inertia: angular velocity and inertia in body axes, 3 and 3 x 3."""
    return h * kinetic_energy.builder([0], own * 0, own, packed(inertia))["T"]


def slope_of_action(knot: int, q1, q2, inertia, h):
    """The derivative of the kinetic action by a rotation vector of knot 1 or 2, where the knots are q1 and q2.

    World axes are those of the body at a knot where it is (1, 0, 0, 0): the inertia is then that in world axes. SymPy
    differentiates the action by the velocity, and the velocity by the knot: the whole at once takes it ten times as
    long.
    """
    import sympy as sp

    from symvi.physics import algebra

    first, second = (sp.Matrix(sp.symbols(f"q{k}_0:4", real=True)) for k in (1, 2))
    here = dict(zip([*first, *second], [*q1, *q2], strict=True))
    velocity = _own_velocity(first, second, h)
    turning = algebra.gradient(velocity, [("quaternion", (first, second)[knot - 1])])[:, 3:].xreplace(here)
    w = sp.Matrix(sp.symbols("w_0:3", real=True))
    impulse = sp.Matrix([kinetic_action(w, inertia, h)]).jacobian(w)
    return (impulse.xreplace(dict(zip(w.flat(), velocity.xreplace(here).flat(), strict=True))) * turning).T


def _unit(c, a) -> dict:
    """c² of a unit quaternion [c; a]."""
    from symvi.physics import algebra

    return {c: 1 - algebra.dot(a, a)}


def _slopes_of_the_action(stated, c, a, w, J):  # noqa: N803
    """l = -dL_d/dtheta1 = dL_d/dtheta2, w = 2 a/h: what a step hands on is what it has taken over."""
    import sympy as sp

    h = sp.Symbol("h", positive=True)
    there, step = {x: 2 * y / h for x, y in zip(w, a, strict=True)}, [c[0], *a]
    for knot, sign in ((1, -1), (2, 1)):
        slope = sign * slope_of_action(knot, (1, 0, 0, 0), step, symmetric(J), h)
        words = f"l is the slope of the discrete Lagrangian by its knot {knot}"
        yield words, stated["l"].xreplace(there) - slope, _unit(c[0], a)
    yield "Jw is J w", stated["Jw"] - symmetric(J) * w


@derived(
    "l = c Jw + a x Jw",
    "BM20 (32), BSMH23 (16), in world axes and times h/2",
    [C, A, W, Argument("J", (6,), "inertia", "kg m²")],
    [Argument("l", (3,), "angular momentum", "kg m²/s"), Argument("Jw", (3,), "J w", "kg m²/s")],
    _slopes_of_the_action,
)
def angular_momentum(c, a, w, J):  # noqa: N803
    from symvi.physics import algebra

    jw = symmetric(J) * w
    return {"l": jw * c[0] + algebra.cross(a, jw), "Jw": jw}


def _mean_of_slopes(stated, h, w):
    """J w' is the mean of the slopes of the steps that lead to a knot and from it, both of a half turn a.

    a = (sin(s/2)/s) h w and c = cos(s/2), with the angle s of the turn; the knot's inertia is that of both steps.
    """
    import sympy as sp

    angle, sine, cosine = stated.symbols("size")[0], *sp.symbols("sine cosine", real=True)
    inertia = symmetric(sp.symbols("J_0:6", real=True))
    a = w * (sine * h[0] / angle)
    squares = {sine: 1 - cosine**2, w[2]: angle**2 / h[0] ** 2 - w[0] ** 2 - w[1] ** 2}
    onward = -slope_of_action(1, (1, 0, 0, 0), [cosine, *a], inertia, h[0])
    arriving = slope_of_action(2, [cosine, *(-a)], (1, 0, 0, 0), inertia, h[0])
    found = stated.keeping("size")["w"].xreplace({sp.sin(angle): 2 * sine * cosine})
    yield "J w' is the mean of both slopes", inertia * found - (onward + arriving) / 2, squares
    size = stated.step("size")[0] ** 2 - h[0] ** 2 * (w.T * w)[0]
    yield "the angle is h |w|, but for the guard", size - _guard()


def _guard():
    import sympy as sp

    from symvi.physics.joints.rows import ANGLE_GUARD

    return sp.Rational(ANGLE_GUARD)


@derived(
    "w' = (sin(h |w|)/(h |w|)) w",
    "derived here: J w' is the mean of both slot derivatives at a knot that chords of h w lead to and from",
    [Argument("h", (), "time step", "s"), Argument("w", (3,), "rate of turn", "rad/s")],
    [Argument("w", (3,), "angular velocity J^-1 l of the motion that turns at this rate", "rad/s")],
    _mean_of_slopes,
)
def rate_of_momentum(h, w):
    """With a = (sin(h |w|/2)/|w|) w and c = cos(h |w|/2) the chord from the knot has l = (2/h) (c Ja + a x Ja), that to
    the knot (2/h) (c Ja - a x Ja): J is that of the knot in both, and the motion is the same backwards. Their mean is
    (2/h) c Ja, of order 2 for any inertia; about a principal axis, where all three are one, the turn is exact."""
    import sympy as sp

    from symvi.physics import algebra

    let = Steps()
    turn = let("turn", w * h[0])
    size = let("size", [sp.sqrt(algebra.dot(turn, turn) + _guard())])[0]
    return {"w": w * (sp.sin(size) / size), INTERMEDIATES: let.pairs()}


def _slope_of_the_momentum(stated, c, a, half, J, l, Jw):  # noqa: N803, E741
    """D = h dl/dtheta2: the step's turn d = [c; a] changes by (1/2) [0; theta2] d, and l with it, w = 2 a/h."""
    from symvi.physics import algebra

    h, turn = 2 * half[0], [c[0], *a]
    found = angular_momentum.builder(c, a, 2 / h * a, J)
    slope = algebra.gradient(found["l"], [("quaternion", turn)])[:, 3:] * h
    known = dict(zip([*l, *Jw], [*found["l"], *found["Jw"]], strict=True))
    yield "D is the slope of the momentum", stated["D"].xreplace(known) - slope, _unit(c[0], a)


@derived(
    "dl/d(theta/h) = (2c² - 1) J + c (a^ J - J a^) + a dᵀ + d aᵀ - 2 (a·d) I - (h/2) l^,  d = Ja - (tr J/2) a",
    "derived here, through velocities and the half turn; no division",
    [
        C,
        A,
        Argument("half", (), "h/2", "s"),
        Argument("J", (6,), "inertia", "kg m²"),
        Argument("l", (3,), "angular momentum", "kg m²/s"),
        Argument("Jw", (3,), "J w", "kg m²/s"),
    ],
    [Argument("D", (3, 3), "derivative of l by the rotation vector at the second knot over h", "kg m²")],
    _slope_of_the_momentum,
)
def angular_momentum_gradient(c, a, half, J, l, Jw):  # noqa: N803, E741
    """A symmetric part and the cross product of the momentum.

    The symmetric part is (c I + a^) J (c I - a^) - (a·Ja) I with a^ J a^ expanded: the trace of J and the differences
    on its diagonal are then known for a whole step.
    """

    from symvi.physics import algebra

    let, inertia = Steps(), symmetric(J)
    trace = let("half_trace", [(J[0] + J[1] + J[2]) / 2])
    d = let("d", Jw * half[0] - a * trace[0])
    share = let("share", [2 * c[0] ** 2 - 1])
    spread = let("spread", [a[i] * d[i] for i in range(3)])
    result = share[0] * inertia - algebra.skew(l * half[0])
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        difference = let(f"difference{i}", [J[j] - J[k]])
        crossed = a[j] * inertia[i, k] - a[k] * inertia[i, j]
        result[i, i] += 2 * let(f"inside{i}", [c[0] * crossed - (spread[j] + spread[k])])[0]
        mixed = a[i] * difference[0] + a[k] * inertia[i, k] - a[j] * inertia[i, j]
        both = let(f"both{i}", [c[0] * mixed + a[j] * d[k] + a[k] * d[j]])[0]
        result[j, k] += both
        result[k, j] += both
    return {"D": result, INTERMEDIATES: let.pairs()}


def _slopes_by_position(stated, m, v):
    """p = -dL_d/dx1 = dL_d/dx2 of L_d = h T with v = (x2 - x1)/h."""
    import sympy as sp

    h, x1, x2 = sp.Symbol("h", positive=True), *(sp.Matrix(sp.symbols(f"x{k}_0:3", real=True)) for k in (1, 2))
    still = sp.zeros(3, 1), sp.zeros(6, 1)
    action = sp.Matrix([h * kinetic_energy.builder(m, (x2 - x1) / h, *still)["T"]])
    stated = stated["p"].xreplace(dict(zip(v, (x2 - x1) / h, strict=True)))
    yield "p is minus the slope of the discrete Lagrangian by its knot 1", stated + action.jacobian(x1).T
    yield "p is the slope of the discrete Lagrangian by its knot 2", stated - action.jacobian(x2).T


@derived(
    "p = m v",
    "BM20 (28)",
    [Argument("m", (), "mass", "kg"), Argument("v", (3,), "velocity over the step", "m/s")],
    [Argument("p", (3,), "momentum", "kg m/s")],
    _slopes_by_position,
)
def linear_momentum(m, v):
    return {"p": v * m[0]}


@derived(
    "T = (1/2) m v·v + (1/2) w·Jw",
    "BM20 (21), BSMH23 section 2",
    [
        Argument("m", (), "mass", "kg"),
        Argument("v", (3,), "velocity", "m/s"),
        W,
        Argument("J", (6,), "inertia", "kg m²"),
    ],
    [Argument("T", (), "kinetic energy", "J")],
)
def kinetic_energy(m, v, w, J):  # noqa: N803
    from symvi.physics import algebra

    return {"T": (algebra.dot(v, v) * m[0] + algebra.dot(w, symmetric(J) * w)) / 2}


def _slope_by_turning_about_the_origin(stated, w, J, x, p):  # noqa: N803
    """What a motion e x x, e adds to the velocities, adds l·e to kinetic energy, to first order."""
    import sympy as sp

    from symvi.physics import algebra

    m, e = sp.Matrix([sp.Symbol("m", positive=True)]), sp.Matrix(sp.symbols("e_0:3", real=True))
    moved = p / m[0] + algebra.cross(e, x)
    energy = sp.Matrix([kinetic_energy.builder(m, moved, w + e, J)["T"]])
    slope = energy.jacobian(e).T.xreplace(dict.fromkeys(e.flat(), 0))
    yield "l is what turning about the origin changes kinetic energy by", stated["l"] - slope


@derived(
    "l = J w + x x p",
    "derived here, at a knot",
    [
        W,
        Argument("J", (6,), "inertia", "kg m²"),
        Argument("x", (3,), "position", "m"),
        Argument("p", (3,), "momentum", "kg m/s"),
    ],
    [Argument("l", (3,), "angular momentum about the world's origin", "kg m²/s")],
    _slope_by_turning_about_the_origin,
)
def angular_momentum_at_rest(w, J, x, p):  # noqa: N803
    from symvi.physics import algebra

    return {"l": symmetric(J) * w + algebra.cross(x, p)}


@derived(
    "V = -m g·x",
    "BM20 (22), gravity in any direction",
    [Argument("m", (), "mass", "kg"), Argument("g", (3,), "gravity", "m/s²"), Argument("x", (3,), "position", "m")],
    [Argument("V", (), "potential energy", "J"), Argument("f", (3,), "force, minus its gradient", "N")],
    BY_BUILDER,
)
def weight(m, g, x):
    import sympy as sp

    from symvi.physics import algebra

    potential = -m[0] * algebra.dot(g, x)
    return {"V": potential, "f": -sp.Matrix([potential]).jacobian(x).T}


def _virtual_power(stated, force, torque, arm, axes):
    """Of the anchor's velocity and the body's angular velocity, both in joint axes: F·v + T·w = F'·v' + T'·w'."""
    import sympy as sp

    from symvi.physics import algebra

    v, w = (sp.Matrix(sp.symbols(f"{name}_0:3", real=True)) for name in "vw")
    turning = axes.T * w
    power = sp.Matrix([algebra.dot(force, axes.T * v - algebra.cross(turning, arm)) + algebra.dot(torque, turning)])
    yield "F' has the power of the force", stated["force_in"] - power.jacobian(v).T
    yield "T' has the power of the torque about the anchor", stated["torque_in"] - power.jacobian(w).T


@derived(
    "F' = A F,  T' = A (T - r x F)",
    "derived here (the reaction on body b, in joint axes)",
    [
        Argument("force", (3,), "force", "N"),
        Argument("torque", (3,), "torque about the centre of mass", "N m"),
        Argument("arm", (3,), "from the centre of mass to the anchor", "m"),
        Argument("axes", (3, 3), "joint axes, one a row"),
    ],
    [
        Argument("force_in", (3,), "force", "N", "joint"),
        Argument("torque_in", (3,), "torque about the anchor", "N m", "joint"),
    ],
    _virtual_power,
)
def wrench_in_axes(force, torque, arm, axes):
    from symvi.physics import algebra

    return {"force_in": axes * force, "torque_in": axes * (torque - algebra.cross(arm, force))}
