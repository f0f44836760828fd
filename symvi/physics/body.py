"""A rigid body's discrete dynamics, from its discrete Lagrangian (BM20 (19)-(32), BSMH23 (5)-(17)).

L_d = h [ (m/2) v·v + (1/2) w·Jw - V ],  v = (x2 - x1)/h,  w = (2/h) V(q2 q1*), all in **world axes**, J = R1 J_body
R1ᵀ. The slot derivatives of L_d by the first knot give the momenta p = m v and l = c Jw + (h/2) w x Jw; by the second
knot they give the very same values, so the "old" term of a step's residual is just the momentum carried over from the
step before.
"""

from __future__ import annotations

from symvi.physics.constraint import Steps
from symvi.physics.formula import INTERMEDIATES, Argument, derived
from symvi.physics.straight_line import PARTS

W = Argument("w", (3,), "angular velocity over the step", "rad/s")
A = Argument("a", (3,), "half turn, (h/2) w", "rad")
C = Argument("c", (), "cosine of the half turn")
INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")


def symmetric(j):
    """The 3 x 3 matrix of six entries in the order xx, yy, zz, xy, xz, yz."""
    import sympy as sp

    xx, yy, zz, xy, xz, yz = j
    return sp.Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def packed(matrix):
    """Six entries of a symmetric matrix, in the order of `symmetric`."""
    return [matrix[i] for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


@derived(
    "J = R J_body Rᵀ",
    "derived here",
    [
        Argument("R", (3, 3), "rotation, body to world"),
        Argument("j", (6,), "inertia xx, yy, zz, xy, xz, yz", "kg m²", "body"),
    ],
    [Argument("J", (6,), "inertia xx, yy, zz, xy, xz, yz", "kg m²")],
)
def world_inertia(R, j):  # noqa: N803  (the papers' letter)
    import sympy as sp

    half = R * symmetric(j)
    return {"J": sp.Matrix(packed(half * R.T)), PARTS: {"RJ": list(half)}}


def discrete_lagrangian_slots(slot: int):
    """Minus or plus the derivative of the kinetic L_d by a rotation of knot 1 or 2 (slot 1, 2), in world axes.

    Structured: with d = q2 q1* = [c; a] the kinetic part is (2/h) aᵀ J a, a turn of knot 1 by e_k changes d by -(1/2) d
    e_k and J by e_k^ J - J e_k^, a turn of knot 2 changes d by (1/2) e_k d. Returns symbols (c, a, J entries, h) and
    the momentum.
    """
    import sympy as sp

    from symvi.physics import algebra

    h, c = sp.symbols("h c", positive=True)
    a = sp.Matrix(sp.symbols("a_0:3", real=True))
    entries = sp.Matrix(sp.symbols("J_0:6", real=True))
    inertia, d = symmetric(entries), sp.Matrix([c, *a])
    momentum = sp.zeros(3, 1)
    for k in range(3):
        turn = algebra.pure(algebra.UNIT[k])
        if slot == 1:
            change, spin = algebra.vector(-algebra.multiply(d, turn) / 2), algebra.skew(algebra.UNIT[k])
            change_of_inertia = spin * inertia - inertia * spin
        else:
            change, change_of_inertia = algebra.vector(algebra.multiply(turn, d) / 2), sp.zeros(3, 3)
        variation = (2 / h) * (2 * (a.T * inertia * change)[0] + (a.T * change_of_inertia * a)[0])
        momentum[k] = sp.expand(-variation if slot == 1 else variation)
    return (c, a, entries, h), momentum


@derived(
    "l = c Jw + a x Jw",
    "BM20 (27)-(30), BSMH23 (13)-(16)",
    [C, A, W, Argument("J", (6,), "inertia", "kg m²")],
    [Argument("l", (3,), "angular momentum", "kg m²/s"), Argument("Jw", (3,), "J w", "kg m²/s")],
)
def angular_momentum(c, a, w, J):  # noqa: N803
    """The structured form; `derivation_defect` is its distance from the slot derivatives and must vanish."""
    from symvi.physics import algebra

    jw = symmetric(J) * w
    return {"l": jw * c[0] + algebra.cross(a, jw), "Jw": jw}


def derivation_defect():
    """angular_momentum minus both slot derivatives of the discrete Lagrangian, with w = 2a/h: exactly zero (tested)."""
    import sympy as sp

    defects = []
    for slot in (1, 2):
        (c, a, entries, h), momentum = discrete_lagrangian_slots(slot)
        stated = angular_momentum.builder(sp.Matrix([c]), a, 2 * a / h, entries)["l"]
        defects.append((stated - momentum).applyfunc(sp.expand))
    return defects


@derived(
    "w' = (sin(h |w|)/(h |w|)) w",
    "derived here: J w' is the mean of both slot derivatives at a knot that chords of h w lead to and from",
    [Argument("h", (), "time step", "s"), Argument("w", (3,), "rate of turn", "rad/s")],
    [Argument("w", (3,), "angular velocity J^-1 l of the motion that turns at this rate", "rad/s")],
)
def rate_of_momentum(h, w):
    """With a = (sin(h |w|/2)/|w|) w and c = cos(h |w|/2) the chord from the knot has l = (2/h) (c Ja + a x Ja), that to
    the knot (2/h) (c Ja - a x Ja): J is that of the knot in both, and the motion is the same backwards. Their mean is
    (2/h) c Ja, of order 2 for any inertia; about a principal axis, where all three are one, the turn is exact."""
    import sympy as sp

    from symvi.physics import algebra
    from symvi.physics.joints.rows import ANGLE_GUARD

    let = Steps()
    turn = let("turn", w * h[0])
    size = let("size", [sp.sqrt(algebra.dot(turn, turn) + sp.Rational(ANGLE_GUARD))])[0]
    return {"w": w * (sp.sin(size) / size), INTERMEDIATES: let.pairs()}


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
)
def angular_momentum_gradient(c, a, half, J, l, Jw):  # noqa: N803, E741
    """A symmetric part and the cross product of the momentum; `gradient_defect` is its distance from the chain rule.

    The symmetric part is (c I + a^) J (c I - a^) - (a·Ja) I with a^ J a^ expanded: the trace of J and the differences
    on its diagonal are then known for a whole step.
    """

    from symvi.physics import algebra

    let, inertia = Steps(), symmetric(J)
    trace = let("trace", [(J[0] + J[1] + J[2]) / 2])
    d = let("d", Jw * half[0] - a * trace[0])
    share = let("share", [2 * c[0] ** 2 - 1])
    spread = let("spread", [a[i] * d[i] for i in range(3)])
    result = share[0] * inertia - algebra.skew(l * half[0])
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        gap = let(f"gap{i}", [J[j] - J[k]])
        crossed = a[j] * inertia[i, k] - a[k] * inertia[i, j]
        result[i, i] += 2 * let(f"inside{i}", [c[0] * crossed - (spread[j] + spread[k])])[0]
        mixed = a[i] * gap[0] + a[k] * inertia[i, k] - a[j] * inertia[i, j]
        both = let(f"both{i}", [c[0] * mixed + a[j] * d[k] + a[k] * d[j]])[0]
        result[j, k] += both
        result[k, j] += both
    return {"D": result, INTERMEDIATES: let.pairs()}


def gradient_defect():
    """angular_momentum_gradient minus the chain rule: dw = (c I - a^) s, da = (h/2) dw, dc = -(h/2) a·s (tested)."""
    import sympy as sp

    from symvi.physics import algebra

    c, h = sp.symbols("c h", positive=True)
    a, w = (sp.Matrix(sp.symbols(f"{name}_0:3", real=True)) for name in "aw")
    entries = sp.Matrix(sp.symbols("J_0:6", real=True))
    momentum = angular_momentum.builder(sp.Matrix([c]), a, w, entries)["l"]
    turn = c * sp.eye(3) - algebra.skew(a)
    chained = momentum.jacobian(w) * turn + momentum.jacobian(a) * turn * h / 2 + momentum.diff(c) * (-h / 2 * a.T)
    half, turned = sp.Matrix([h / 2]), symmetric(entries) * w
    stated = angular_momentum_gradient.builder(sp.Matrix([c]), a, half, entries, momentum, turned)
    defect = stated["D"] - chained
    for symbol, value in reversed(stated[INTERMEDIATES]):
        defect = defect.subs(symbol, value)
    unit = c**2 + algebra.dot(a, a) - 1
    return defect.subs(dict(zip(w, 2 * a / h, strict=True))).applyfunc(lambda e: sp.rem(sp.expand(e), unit, c))


@derived(
    "p = m v",
    "BM20 (26)",
    [Argument("m", (), "mass", "kg"), Argument("v", (3,), "velocity over the step", "m/s")],
    [Argument("p", (3,), "momentum", "kg m/s")],
)
def linear_momentum(m, v):
    return {"p": v * m[0]}


@derived(
    "T = (1/2) m v·v + (1/2) w·Jw",
    "BM20 (19)",
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
)
def angular_momentum_at_rest(w, J, x, p):  # noqa: N803
    from symvi.physics import algebra

    return {"l": symmetric(J) * w + algebra.cross(x, p)}


@derived(
    "V = -m g·x",
    "BM20 (19)",
    [Argument("m", (), "mass", "kg"), Argument("g", (3,), "gravity", "m/s²"), Argument("x", (3,), "position", "m")],
    [Argument("V", (), "potential energy", "J"), Argument("f", (3,), "force, minus its gradient", "N")],
)
def weight(m, g, x):
    import sympy as sp

    from symvi.physics import algebra

    potential = -m[0] * algebra.dot(g, x)
    return {"V": potential, "f": -sp.Matrix([potential]).jacobian(x).T}


@derived(
    "F' = Aᵀ F,  T' = Aᵀ (T - r x F)",
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
)
def wrench_in_axes(force, torque, arm, axes):
    from symvi.physics import algebra

    return {"force_in": axes * force, "torque_in": axes * (torque - algebra.cross(arm, force))}
