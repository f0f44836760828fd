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


@derived(
    "R(q)",
    "BM20 (11)",
    [Q],
    [Argument("R", (3, 3), "rotation, body to world")],
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


@derived(
    "p = q o",
    "BM20 (7)",
    [Q, Argument("o", (4,), "offset from the body's axes", "1", "body")],
    [Argument("p", (4,), "body-fixed quaternion", "1", "world")],
)
def carried_quaternion(q, o):
    from symvi.physics import algebra

    return {"p": algebra.multiply(q, o)}


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


@derived(
    "(r2 - r1)/h = w x (c r1 + a x r1)",
    "from r2 = r1 + 2 a x (c r1 + a x r1)",
    [W, A, C, Argument("r", (3,), "body-fixed vector at the first knot", "m")],
    [Argument("d", (3,), "its difference over the step, divided by h", "m/s")],
)
def vector_difference(w, a, c, r):
    from symvi.physics import algebra

    inner = r * c[0] + algebra.cross(a, r)
    return {"d": algebra.cross(w, inner), PARTS: {"inner": inner}}


@derived(
    "(p2 - p1)/h = quotient p1,  quotient = [(c - 1)/h; w/2]",
    "BM20 (31)",
    [
        Argument("quotient", (4,), "difference of the step's turn from the identity, divided by h", "1/s"),
        Argument("p", (4,), "body-fixed quaternion at the first knot"),
    ],
    [Argument("d", (4,), "its difference over the step, divided by h", "1/s")],
)
def quaternion_difference(quotient, p):
    from symvi.physics import algebra

    return {"d": algebra.multiply(quotient, p)}


@derived(
    "q2 = [c; a] q1",
    "BM20 (31)",
    [C, A, Q],
    [Argument("q2", (4,), "orientation at the second knot")],
)
def turned(c, a, q):
    import sympy as sp

    from symvi.physics import algebra

    return {"q2": algebra.multiply(sp.Matrix([c[0], *a]), q)}


@derived(
    "q = p (3 - p·p)/2",
    "derived here",
    [Argument("p", (4,), "orientation, of unit length but for round-off", kind="quaternion")],
    [Argument("q", (4,), "the same orientation, nearer to unit length")],
)
def of_unit_length(p):
    """A step of Newton's method for 1/|p|: without it the round-off of many turns adds up, and bodies shrink."""
    return {"q": p * (3 - (p.T * p)[0]) / 2}


@derived(
    "dw = (c I - a^) theta/h",
    "derived here",
    [C, A, Argument("s", (3,), "rotation vector at the second knot, divided by h", "rad/s")],
    [Argument("dw", (3,), "change of the angular velocity", "rad/s")],
)
def velocity_change(c, a, s):
    from symvi.physics import algebra

    return {"dw": s * c[0] - algebra.cross(a, s)}


@derived(
    "d(r·w)/ds = c r + a x r",
    "derived here: the row r behind the chain dw = (c I - a^) s",
    [C, A, Argument("r", (3,), "row that multiplies the angular velocity")],
    [Argument("row", (3,), "the same row for the rotation vector at the second knot over h")],
)
def chained_row(c, a, r):
    import sympy as sp

    from symvi.physics import algebra

    s = sp.Matrix(sp.symbols("s_0:3", real=True))
    rate = algebra.dot(r, velocity_change.builder(c, a, s)["dw"])
    return {"row": sp.Matrix([rate]).jacobian(s).T}
