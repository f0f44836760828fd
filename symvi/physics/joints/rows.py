"""The rows that joints are made of (after BSMH23 appendix B, not seen), and joint coordinates.

r_a, r_b: from each body's centre of mass to its anchor; n: an axis fixed to body a; p, q: body-fixed quaternions whose
relative turn d = p* q is the identity where the joint frames agree, with the joint's own axis along z.
"""

from __future__ import annotations

from symvi.physics.constraint import attitude, carried, data, function_of_bodies, position

ANCHORS = (
    position("a"),
    carried("r_a", "anchor on body a", "a"),
    position("b"),
    carried("r_b", "anchor on body b", "b"),
)
ANGLE_GUARD = "1e-30"  # added below a root: far below the square of any angle that matters, in float too
TURN = (attitude("p", "joint frame on body a", "a"), attitude("q", "joint frame on body b", "b"))


def _relative(p, q):
    from symvi.physics import algebra

    return algebra.multiply(algebra.conjugate(p), q)


def _rotation_vector_at_rest(stated, p, q, **held):
    """A small turn of body b adds its rotation vector, in joint axes, to g, and one of body a takes it away."""
    from symvi.physics import algebra
    from symvi.physics.kinematics import unit

    joint = algebra.rotation(p).T
    still = dict(zip(held.get("q0", q), q if held else p, strict=True))
    still |= dict(zip(held.get("p0", ()), p, strict=held != {}))
    squares = {**unit(*p), **(unit(*q) if held else {})}
    for turned, sign in ((q, 1), (p, -1)):
        slope = algebra.gradient(stated["g"], [("quaternion", turned)])[:, 3:].xreplace(still)
        yield "the slope of g is the rotation vector in joint axes", slope - sign * joint, squares
    yield "g is zero there", stated["g"].xreplace(still), squares


def _about_z(p, q):
    """p = 1, and q a turn by twice the angle of sine and cosine, about z: see placing.turn_about_axis."""
    import sympy as sp

    sine, cosine = sp.symbols("sine cosine", real=True)
    return sine, cosine, dict(zip([*p, *q], [1, 0, 0, 0, cosine, 0, 0, sine], strict=True))


def _angle_of_the_turn(stated, p, q, near):
    from symvi.physics import algebra

    sine, cosine, turned = _about_z(p, q)
    yield "alpha is the angle of a turn about z", stated["g"].xreplace(turned)[0] - algebra.angle(sine, cosine, near[0])


def _along_the_turn(stated, p, q, guard):
    """c is along V d and as long as the angle of d, but for the guard."""
    import sympy as sp

    from symvi.physics import algebra

    d, size, turn = _relative(p, q), stated.symbols("size")[0], sp.Symbol("turn", real=True)
    v, c = algebra.vector(d), stated.keeping("size")["g"].xreplace({algebra.angle(size, d[0], 0): turn})
    yield "c is along the vector of d", algebra.cross(c, v)
    length = algebra.dot(c, v) - turn * size
    yield "c is as long as the angle", length, {size: algebra.dot(v, v)}
    yield "size is that of V d", stated.step("size")[0] ** 2 - algebra.dot(v, v) - guard[0]


def _offset_less_advance(stated, n, x_a, r_a, x_b, r_b, p, q, near, pitch):
    from symvi.physics import algebra

    sine, cosine, turned = _about_z(p, q)
    found, gap = stated["g"].xreplace(turned)[0], algebra.dot(n, x_b + r_b - x_a - r_a)
    advance = pitch[0] * algebra.angle(sine, cosine, near[0])
    yield "g is what the offset exceeds the advance by", found - (gap - advance)


def _wire(stated, x_a, r_a, x_b, r_b, length):
    """JM09 (37) over 2 L: the slope by the distance is one where the row is zero."""
    from symvi.physics import algebra

    u = x_b + r_b - x_a - r_a
    yield "2 L g is |u|² - L²", 2 * length[0] * stated["g"][0] - (algebra.dot(u, u) - length[0] ** 2)


def _angle_of_hooke_s_joint(which: int):
    """d = rot(z, a) rot(x, b) as placing.turn_about_two_axes has it; sines and cosines of half angles."""

    def follows(stated, p, q, near):
        import sympy as sp

        from symvi.physics import algebra

        (s1, c1), (s2, c2) = halves = [sp.symbols(f"sine{k} cosine{k}", real=True) for k in (1, 2)]
        d = algebra.multiply([c1, 0, 0, s1], [c2, s2, 0, 0])
        found = stated["g"].xreplace(dict(zip([*p, *q], [1, 0, 0, 0, *d], strict=True)))[0]
        (double,) = found.atoms(algebra.angle)
        (sine, cosine), squares = halves[which], {s1: 1 - c1**2, s2: 1 - c2**2}
        yield "the sine is that of the angle", double.args[0] - 2 * sine * cosine, squares
        yield "the cosine is that of the angle", double.args[1] - (cosine**2 - sine**2), squares
        yield "twice the angle is taken near twice its last value", double.args[2] - 2 * near[0]
        yield "it is halved", found - double / 2

    return follows


def _length(stated, x_a, r_a, x_b, r_b):
    from symvi.physics import algebra

    u = x_b + r_b - x_a - r_a
    yield "l² is u·u", stated["g"][0] ** 2 - algebra.dot(u, u)


@function_of_bodies("g = x_b + r_b - x_a - r_a", "BM20 (18), from a to b", ANCHORS, 3)
def coincidence(x_a, r_a, x_b, r_b):
    return x_b + r_b - x_a - r_a


@function_of_bodies(
    "g = n·(x_b + r_b - x_a - r_a)",
    "after BSMH23 appendix B, not seen",
    (carried("n", "axis fixed to body a", "a", "1"), *ANCHORS),
    1,
)
def offset_along(n, x_a, r_a, x_b, r_b, let):
    from symvi.physics import algebra

    return algebra.dot(n, let("u", x_b + r_b - x_a - r_a))


@function_of_bodies(
    "g = 2 V(p* q)", "after BSMH23 appendix B, not seen; in radians", TURN, 3, "rad", _rotation_vector_at_rest
)
def alignment(p, q):
    from symvi.physics import algebra

    return 2 * algebra.vector(_relative(p, q))


@function_of_bodies(
    "alpha = 2 atan2(V(p* q)·z, S(p* q)), nearest to its last value",
    "derived here",
    (*TURN, data("near", "the angle's last value", "rad")),
    1,
    "rad",
    _angle_of_the_turn,
)
def angle_about_axis(p, q, near, let):
    from symvi.physics import algebra

    d = let("d", _relative(p, q))
    return algebra.angle(d[3], d[0], near[0])


@function_of_bodies(
    "c = 2 atan2(|V d|, S d)/|V d| V d,  d = p* q",
    "derived here (guarded at 0)",
    (*TURN, data("guard", "a number whose root is far below any angle", "1")),
    3,
    "rad",
    _along_the_turn,
)
def rotation_vector(p, q, guard, let):
    import sympy as sp

    from symvi.physics import algebra

    d = let("d", _relative(p, q))
    v = algebra.vector(d)
    size = let("size", [sp.sqrt(algebra.dot(v, v) + guard[0])])
    gain = let("gain", [algebra.angle(size[0], d[0], 0) / size[0]])
    return v * gain[0]


@function_of_bodies(
    "g = n·m",
    "derived here (Hooke's joint: the two axes stay orthogonal)",
    (carried("n", "axis fixed to body a", "a", "1"), carried("m", "axis fixed to body b", "b", "1")),
    1,
    "rad",
)
def orthogonality(n, m):
    from symvi.physics import algebra

    return algebra.dot(n, m)


@function_of_bodies(
    "g = n·(x_b + r_b - x_a - r_a) - k alpha",
    "derived here",
    (
        carried("n", "axis fixed to body a", "a", "1"),
        *ANCHORS,
        *TURN,
        data("near", "the angle's last value", "rad"),
        data("pitch", "advance per angle", "m/rad"),
    ),
    1,
    follows=_offset_less_advance,
)
def screw_advance(n, x_a, r_a, x_b, r_b, p, q, near, pitch, let):
    from symvi.physics import algebra

    d = let("d", _relative(p, q))
    return algebra.dot(n, x_b + r_b - x_a - r_a) - pitch[0] * algebra.angle(d[3], d[0], near[0])


@function_of_bodies(
    "g = (|u|² - L²)/(2 L),  u = x_b + r_b - x_a - r_a",
    "JM09 (37), in metres",
    (*ANCHORS, data("length", "L", "m")),
    1,
    follows=_wire,
)
def separation(x_a, r_a, x_b, r_b, length, let):
    from symvi.physics import algebra

    u = let("u", x_b + r_b - x_a - r_a)
    return (algebra.dot(u, u) - length[0] ** 2) / (2 * length[0])


@function_of_bodies(
    "sin a = 2 (dz dw + dx dy), cos a = dw² + dx² - dy² - dz²,  d = p* q",
    "derived here (Hooke's joint: d = rot(z, a) rot(x, b))",
    (*TURN, data("near", "the angle's last value", "rad")),
    1,
    "rad",
    _angle_of_hooke_s_joint(0),
)
def universal_first_angle(p, q, near, let):
    """Half of the unwrapped double angle: the nearest branch is right while a step turns less than a quarter."""
    from symvi.physics import algebra

    w, x, y, z = let("d", _relative(p, q))
    return algebra.angle(2 * (z * w + x * y), w * w + x * x - y * y - z * z, 2 * near[0]) / 2


@function_of_bodies(
    "sin b = 2 (dx dw + dy dz), cos b = dw² + dz² - dx² - dy²,  d = p* q",
    "derived here (Hooke's joint: d = rot(z, a) rot(x, b))",
    (*TURN, data("near", "the angle's last value", "rad")),
    1,
    "rad",
    _angle_of_hooke_s_joint(1),
)
def universal_second_angle(p, q, near, let):
    from symvi.physics import algebra

    w, x, y, z = let("d", _relative(p, q))
    return algebra.angle(2 * (x * w + y * z), w * w + z * z - x * x - y * y, 2 * near[0]) / 2


@function_of_bodies(
    "g = 2 V(p* q (p0* q0)*), whose gradient at p = p0, q = q0 is the relative turn in joint axes",
    "derived here",
    (
        *TURN,
        data("p0", "the joint frame on body a, held", "1", (4,)),
        data("q0", "the joint frame on body b, held", "1", (4,)),
    ),
    3,
    "rad",
    _rotation_vector_at_rest,
)
def relative_turn(p, q, p0, q0, let):
    from symvi.physics import algebra

    d = let("d", _relative(p, q))
    held = let("held", _relative(p0, q0))
    return 2 * algebra.vector(algebra.multiply(d, algebra.conjugate(held)))


@function_of_bodies("l = |x_b + r_b - x_a - r_a|", "JM09 section IV-C", ANCHORS, 1, follows=_length)
def distance(x_a, r_a, x_b, r_b, let):
    import sympy as sp

    from symvi.physics import algebra

    u = let("u", x_b + r_b - x_a - r_a)
    return sp.sqrt(algebra.dot(u, u))


@function_of_bodies(
    "x_b + r_b, where a force acts",
    "virtual work",
    (position("b"), carried("r_b", "point of the force on body b", "b")),
    3,
)
def point_on_body(x_b, r_b):
    return x_b + r_b
