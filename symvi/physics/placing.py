"""Where a joint's minimal coordinates put the next body, and how their rates move it.

The joint frames p_a = q_a o_a on the parent and p_b = q_b o_b on the child differ by the turn d of the coordinates,
    p_b = p_a d
and the anchors by what slides along the joint's axes, so each of the two bodies follows from the other. Velocities are
the time derivatives of the same equations.
"""

from __future__ import annotations

from symvi.physics.constraint import Steps
from symvi.physics.formula import INTERMEDIATES, Argument, derived
from symvi.physics.joints.rows import ANGLE_GUARD

TURN = [
    Argument("d", (4,), "turn of the child's joint frame in the parent's"),
    Argument("w", (3,), "its angular velocity, in the axes of the child's joint frame", "rad/s"),
]


def _halved(value, angles) -> tuple:
    """A function of angles as a polynomial in the sines and cosines of their halves; and the squares of the sines."""
    import sympy as sp

    half = _halves(len(angles))
    sines, cosines = (sp.symbols(f"{name}_0:{len(angles)}", real=True) for name in ("sine", "cosine"))
    value = sp.Matrix(value).xreplace({angle: 2 * x for angle, x in zip(angles, half, strict=True)})
    table = {sp.sin(x): s for x, s in zip(half, sines, strict=True)}
    table |= {sp.cos(x): c for x, c in zip(half, cosines, strict=True)}
    squares = {s: 1 - c**2 for s, c in zip(sines, cosines, strict=True)}
    return value.applyfunc(lambda x: sp.expand_trig(x).xreplace(table)), squares


def _halves(count: int) -> tuple:
    import sympy as sp

    return sp.symbols(f"half_0:{count}", real=True)


def _integrated(d, w, c, r):
    """d' - (1/2) d w, which is zero where w is the angular velocity of d, in d's own axes."""
    from symvi.physics import algebra

    return d.jacobian(c) * r - algebra.multiply(d, algebra.pure(w)) / 2


def _turns_in_order(*axes):
    """From 1 on by one turn after the other, about axes that the later ones carry along."""

    def follows(stated, c, r):
        import sympy as sp

        from symvi.physics import algebra

        d, w = stated["d"], stated["w"]
        yield "d is 1 where the angles are zero", d.xreplace(dict.fromkeys(c, 0)) - sp.Matrix([1, 0, 0, 0])
        yield "w is the angular velocity of d", *_halved(_integrated(d, w, c, r), c)
        known = sp.zeros(3, 1)
        for angle, rate, axis in zip(c, r, axes, strict=True):
            cosine, sine = _half(angle)
            known = algebra.rotation([cosine, *(sine * x for x in axis)]).T * known + rate * sp.Matrix(axis)
        yield "each angle turns about its axis", *_halved(w - known, c)

    return follows


def _turn_along_a_ray(stated, c, r):
    """From 1 on about c at the rate of |c|: w = r where r is along c. Without the guard."""
    import sympy as sp

    size, half, square = sp.Symbol("size", positive=True), _halves(1)[0], stated.symbols("square")[0]

    def plain(value):
        return sp.Matrix([value]).xreplace({sp.Rational(ANGLE_GUARD): sp.Integer(0)})

    def sized(value, length):
        """With a symbol for |c|."""
        return value.replace(lambda x: x.is_Pow and x.base == sum(y**2 for y in c), lambda x: length ** (2 * x.exp))

    def short(value) -> tuple:
        value, squares = _halved(sized(plain(value), size), [size])
        return value.xreplace({half: size / 2}), {**squares, c[2]: size**2 - c[0] ** 2 - c[1] ** 2}

    yield "d has length one", *short(stated.step("square")[0] - 1)
    known = stated.keeping("square")
    d, w = (plain(known[name]).xreplace({square: sp.Integer(1)}) for name in "dw")
    yield "w is the angular velocity of d", *short(_integrated(d, w, c, r))
    yield "c turns about itself", *short(w.xreplace(dict(zip(r, c, strict=True))) - c)
    ray = sp.Symbol("ray", positive=True)
    start = sized(d, ray).xreplace({x: x * ray for x in c})
    yield "d is 1 where c is zero", start.applyfunc(sp.expand).subs(ray, 0) - sp.Matrix([1, 0, 0, 0])


def _frames_agree(stated, p, d, o):
    """q o is along p d, for o of length one: the other body's joint frame is where the turn puts it."""
    from symvi.physics import algebra

    known, size = stated.keeping("size"), stated.symbols("size")[0]
    square = sum(x**2 for x in o)
    frame = algebra.multiply(known["q"], o) * size
    yield "q o is along p d", frame - algebra.multiply(p, d) * square
    step = stated.step("q")
    yield "q has length one", stated.step("size")[0] ** 2 - (step.T * step)[0]


def _anchors_meet(stated, x, v, w, near, far, w_other, sliding):
    """The rows of a ball and socket, and their rates."""
    from symvi.physics import algebra

    place, rate = stated["x_other"], stated["v_other"]
    yield "the anchors meet", place + far - x - near
    yield "they go on meeting", rate + algebra.cross(w_other, far) - (v + algebra.cross(w, near) + sliding)


def _coordinates(count: int) -> list[Argument]:
    return [Argument("c", (count,), "angles", "rad"), Argument("r", (count,), "their rates", "rad/s")]


def _moving(d, c, r) -> dict:
    """d with the angular velocity of d: w = 2 V(d* d'), d' its derivative in time."""
    import sympy as sp

    from symvi.physics import algebra

    rate = sp.Matrix(d).jacobian(sp.Matrix(c)) * sp.Matrix(r)
    return {"d": sp.Matrix(d), "w": 2 * algebra.vector(algebra.multiply(algebra.conjugate(d), rate))}


def _half(angle) -> tuple:
    import sympy as sp

    return sp.cos(angle / 2), sp.sin(angle / 2)


def _simple(found: dict) -> dict:
    """The same with sin² + cos² = 1."""
    import sympy as sp

    return {name: sp.Matrix(value).applyfunc(sp.trigsimp) for name, value in found.items()}


@derived("d = [cos c/2; z sin c/2],  w = 2 V(d* d')", "BM20 (16)", _coordinates(1), TURN, _turns_in_order((0, 0, 1)))
def turn_about_axis(c, r):
    cosine, sine = _half(c[0])
    return _simple(_moving([cosine, 0, 0, sine], c, r))


@derived(
    "d = [cos c1/2; z sin c1/2] [cos c2/2; x sin c2/2],  w = 2 V(d* d')",
    "derived here (Hooke's joint: d = rot(z, a) rot(x, b))",
    _coordinates(2),
    TURN,
    _turns_in_order((0, 0, 1), (1, 0, 0)),
)
def turn_about_two_axes(c, r):
    from symvi.physics import algebra

    (first, along), (second, across) = _half(c[0]), _half(c[1])
    return _simple(_moving(algebra.multiply([first, 0, 0, along], [second, across, 0, 0]), c, r))


@derived(
    "d = [cos |c|/2; c sin(|c|/2)/|c|], of length one,  w = 2 V(d* d')",
    "derived here (the exponential of a rotation vector, guarded at 0)",
    _coordinates(3),
    TURN,
    _turn_along_a_ray,
)
def turn_by_vector(c, r):
    import sympy as sp

    from symvi.physics import algebra

    let = Steps()
    size = sp.sqrt(algebra.dot(c, c) + sp.Rational(ANGLE_GUARD))
    cosine, sine = _half(size)
    found = _moving([cosine, *(sine / size * x for x in c)], c, r)
    d = let("d", found["d"])
    square = let("square", [algebra.dot(d, d)])[0]  # one, but for the guard
    return {"d": d / sp.sqrt(square), "w": found["w"] / square, INTERMEDIATES: let.pairs()}


@derived(
    "q_b = q_a o_a d o_b*, of length one",
    "BM20 (11)",
    [
        Argument("p", (4,), "joint frame on the known body"),
        Argument("d", (4,), "turn of the other joint frame in it"),
        Argument("o", (4,), "joint frame on the other body", "1", "body"),
    ],
    [Argument("q", (4,), "orientation of the other body")],
    _frames_agree,
)
def followed(p, d, o):
    import sympy as sp

    from symvi.physics import algebra

    let = Steps()
    q = let("q", algebra.multiply(algebra.multiply(p, d), algebra.conjugate(o)))
    size = let("size", [sp.sqrt(algebra.dot(q, q))])
    return {"q": q / size[0], INTERMEDIATES: let.pairs()}


@derived(
    "x_b = x_a + r_a + u - r_b,  v_b its derivative in time",
    "BM20 (18) with what slides, solved",
    [
        Argument("x", (3,), "position of the known body", "m"),
        Argument("v", (3,), "its velocity", "m/s"),
        Argument("w", (3,), "its angular velocity", "rad/s"),
        Argument("near", (3,), "from its centre of mass to its anchor, and along what slides with it", "m"),
        Argument("far", (3,), "the same of the other body", "m"),
        Argument("w_other", (3,), "angular velocity of the other body", "rad/s"),
        Argument("sliding", (3,), "velocity of the other anchor along the axes", "m/s"),
    ],
    [
        Argument("x_other", (3,), "position of the other body", "m"),
        Argument("v_other", (3,), "its velocity", "m/s"),
    ],
    _anchors_meet,
)
def placed(x, v, w, near, far, w_other, sliding):
    import sympy as sp

    from symvi.physics import algebra

    place = x + near - far
    known = algebra.gradient(place, [("position", x), ("vector", near)]) * sp.Matrix([*v, *w])
    other = algebra.gradient(place, [("vector", far)]) * sp.Matrix([0, 0, 0, *w_other])
    return {"x_other": place, "v_other": known + other + sp.Matrix(sliding)}
