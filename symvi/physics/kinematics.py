"""How a rigid body moves over one step, and what it carries along (BM20 (31)).

World axes throughout. With the angular velocity w over the step, a = (h/2) w and c = sqrt(1 - a·a), the step turns the
body by the unit quaternion [c; a]: q2 = [c; a] q1. What a body carries is known at the first knot, and its
**difference** over the step divided by h is computed directly, never by subtracting two nearby numbers.
"""

from __future__ import annotations

from symvi.physics.constraint import Steps
from symvi.physics.formula import INTERMEDIATES, Argument, derived
from symvi.physics.straight_line import PARTS

Q = Argument("q", (4,), "orientation", kind="quaternion")
A = Argument("a", (3,), "half turn, (h/2) w", "rad")
C = Argument("c", (), "cosine of the half turn")
W = Argument("w", (3,), "angular velocity over the step", "rad/s")


def unit(c, *a) -> dict:
    """The square of the scalar part of a quaternion of length one, for stated.py."""
    return {c: 1 - sum(x**2 for x in a)}


def after_a_turn(c, a, r):
    """[c; a] (0, r) [c; a]*: a vector that the step carries."""
    from symvi.physics import algebra

    turn = [c[0], *a]
    return algebra.vector(algebra.multiply(algebra.multiply(turn, algebra.pure(r)), algebra.conjugate(turn)))


def _product_with_a_vector(stated, q):
    import sympy as sp

    p = sp.Matrix(sp.symbols("p_0:3", real=True))
    yield "R p = V(q p q*)", stated["R"] * p - after_a_turn(q[:1], q[1:], p), unit(*q)


@derived(
    "R(q)",
    "BM20 (15)",
    [Q],
    [Argument("R", (3, 3), "rotation, body to world")],
    _product_with_a_vector,
)
def rotation_matrix(q):
    from symvi.physics import algebra

    return {"R": algebra.rotation(q)}


@derived(
    "r = R p",
    "derived here",
    [Argument("R", (3, 3), "rotation, body to world"), Argument("p", (3,), "vector fixed to the body", "m", "body")],
    [Argument("r", (3,), "the same vector", "m", "world")],
)
def carried_vector(R, p):  # noqa: N803  (the papers' letter)
    return {"r": R * p}


def _turn_after_turn(stated, q, o):
    """p turns a vector as o does, and then q."""
    import sympy as sp

    v = sp.Matrix(sp.symbols("v_0:3", real=True))
    turned = after_a_turn(q[:1], q[1:], after_a_turn(o[:1], o[1:], v))
    p = stated["p"]
    yield "p turns by o, then by q", after_a_turn(p[:1], p[1:], v) - turned
    identity = dict(zip([*q, *o], [1, 0, 0, 0] * 2, strict=True))
    yield "p is 1 where q and o are", p.xreplace(identity) - sp.Matrix([1, 0, 0, 0])


@derived(
    "p = q o",
    "BM20 (11)",
    [Q, Argument("o", (4,), "offset from the body's axes", "1", "body")],
    [Argument("p", (4,), "body-fixed quaternion", "1", "world")],
    _turn_after_turn,
)
def carried_quaternion(q, o):
    from symvi.physics import algebra

    return {"p": algebra.multiply(q, o)}


def _quaternion_of_the_step(stated, half, inverse, w):
    """[c; a] is of length one and changes, in world axes, by w: a = (h/2) w."""
    import sympy as sp

    c, (a, turn) = stated.symbols("c"), (stated["a"], stated["turn"])
    squares = unit(c[0], *a)
    yield "a is (h/2) w", stated["a"] - half[0] * w
    yield "turn is a·a", turn - (a.T * a)[0]
    yield "[c; a] has length one", stated["c"] ** 2 + turn - 1
    over = (sp.Matrix([c[0], *a]) - sp.Matrix([1, 0, 0, 0])) / (2 * half[0])
    known = {inverse[0]: 1 / (2 * half[0])}
    yield "quotient is ([c; a] - 1)/h", stated.keeping("c")["quotient"].xreplace(known) - over, squares


@derived(
    "a = (h/2) w,  c = sqrt(1 - a·a),  (c - 1)/h = -(a·a/h)/(1 + c)",
    "BM20 (31)",
    [Argument("half", (), "h/2", "s"), Argument("inverse", (), "1/h", "1/s"), W],
    [
        A,
        C,
        Argument("quotient", (4,), "([c; a] - [1; 0])/h = [(c - 1)/h; w/2]", "1/s"),
        Argument("turn", (), "a·a, below 1 inside the domain"),
    ],
    _quaternion_of_the_step,
)
def half_turn(half, inverse, w):
    import sympy as sp

    from symvi.physics import algebra

    let = Steps()
    a = let("a", w * half[0])
    turn = let("turn", [algebra.dot(a, a)])
    c = let("c", [sp.sqrt(1 - turn[0])])
    quotient = sp.Matrix([-turn[0] * inverse[0] / (1 + c[0]), *(w / 2)])
    return {"a": a, "c": c[0], "quotient": quotient, "turn": turn[0], INTERMEDIATES: let.pairs()}


def _way_of_a_vector(stated, w, a, c, r):
    """(r2 - r1)/h of r2 = [c; a] r1 [c; a]*, w = 2 a/h."""
    import sympy as sp

    h = sp.Symbol("h", positive=True)
    there = dict(zip(w, 2 * a / h, strict=True))
    yield "d is (r2 - r1)/h", stated["d"].xreplace(there) - (after_a_turn(c, a, r) - r) / h, unit(c[0], *a)


@derived(
    "(r2 - r1)/h = w x (c r1 + a x r1)",
    "from r2 = r1 + 2 a x (c r1 + a x r1)",
    [W, A, C, Argument("r", (3,), "body-fixed vector at the first knot", "m")],
    [Argument("d", (3,), "its difference over the step, divided by h", "m/s")],
    _way_of_a_vector,
)
def vector_difference(w, a, c, r):
    from symvi.physics import algebra

    inner = r * c[0] + algebra.cross(a, r)
    return {"d": algebra.cross(w, inner), PARTS: {"inner": inner}}


def _way_of_a_quaternion(stated, quotient, p):
    """(p2 - p1)/h of p2 = [c; a] p1, [c; a] = 1 + h quotient."""
    import sympy as sp

    from symvi.physics import algebra

    h = sp.Symbol("h", positive=True)
    step = sp.Matrix([1, 0, 0, 0]) + h * quotient
    yield "d is (p2 - p1)/h", stated["d"] - (algebra.multiply(step, p) - p) / h


@derived(
    "(p2 - p1)/h = quotient p1,  quotient = [(c - 1)/h; w/2]",
    "BM20 (31), in world axes",
    [
        Argument("quotient", (4,), "difference of the step's turn from the identity, divided by h", "1/s"),
        Argument("p", (4,), "body-fixed quaternion at the first knot"),
    ],
    [Argument("d", (4,), "its difference over the step, divided by h", "1/s")],
    _way_of_a_quaternion,
)
def quaternion_difference(quotient, p):
    from symvi.physics import algebra

    return {"d": algebra.multiply(quotient, p)}


def _turn_in_body_axes(stated, c, a, q):
    """BM20 (31): q2 = L(q1) [c; a'] with a' = R(q1)ᵀ a in body axes."""
    import sympy as sp

    from symvi.physics import algebra

    own = rotation_matrix.builder(q)["R"].T * a
    yield "q2 is L(q1) [c; a']", stated["q2"] - algebra.left(q) * sp.Matrix([c[0], *own]), unit(*q)


@derived(
    "q2 = [c; a] q1",
    "BM20 (31), in world axes",
    [C, A, Q],
    [Argument("q2", (4,), "orientation at the second knot")],
    _turn_in_body_axes,
)
def turned(c, a, q):
    import sympy as sp

    from symvi.physics import algebra

    return {"q2": algebra.multiply(sp.Matrix([c[0], *a]), q)}


def _step_of_newton_s_method(stated, p):
    """Towards the root of f(y) = 1/y² - p·p from y = 1: q = y p has length one there."""
    import sympy as sp

    y = sp.Symbol("y", positive=True)
    f = 1 / y**2 - (p.T * p)[0]
    yield "q is Newton's", stated["q"] - p * (y - f / sp.diff(f, y)).subs(y, 1)


@derived(
    "q = p (3 - p·p)/2",
    "derived here",
    [Argument("p", (4,), "orientation, of unit length but for round-off", kind="quaternion")],
    [Argument("q", (4,), "the same orientation, nearer to unit length")],
    _step_of_newton_s_method,
)
def of_unit_length(p):
    """A step of Newton's method for 1/|p|: without it the round-off of many turns adds up, and bodies shrink."""
    return {"q": p * (3 - (p.T * p)[0]) / 2}


def _slope_of_the_turn(stated, c, a, s):
    """w = (2/h) V d of the step's turn d = [c; a], which a rotation theta of the second knot changes; s = theta/h."""
    import sympy as sp

    from symvi.physics import algebra

    h, d = sp.Symbol("h", positive=True), sp.Matrix([c[0], *a])
    slope = algebra.gradient(2 / h * algebra.vector(d), [("quaternion", d)])[:, 3:]
    yield "dw is the slope of (2/h) a", stated["dw"] - slope * h * s


@derived(
    "dw = (c I - a^) theta/h",
    "derived here",
    [C, A, Argument("s", (3,), "rotation vector at the second knot, divided by h", "rad/s")],
    [Argument("dw", (3,), "change of the angular velocity", "rad/s")],
    _slope_of_the_turn,
)
def velocity_change(c, a, s):
    from symvi.physics import algebra

    return {"dw": s * c[0] - algebra.cross(a, s)}


def _as_printed(stated, c, a, r):
    from symvi.physics import algebra

    yield "the row is c r + a x r", stated["row"] - (r * c[0] + algebra.cross(a, r))


@derived(
    "d(r·w)/ds = c r + a x r",
    "derived here: the row r behind the chain dw = (c I - a^) s",
    [C, A, Argument("r", (3,), "row that multiplies the angular velocity")],
    [Argument("row", (3,), "the same row for the rotation vector at the second knot over h")],
    _as_printed,
)
def chained_row(c, a, r):
    import sympy as sp

    from symvi.physics import algebra

    s = sp.Matrix(sp.symbols("s_0:3", real=True))
    rate = algebra.dot(r, velocity_change.builder(c, a, s)["dw"])
    return {"row": sp.Matrix([rate]).jacobian(s).T}
