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


@function_of_bodies("g = 2 V(p* q)", "after BSMH23 appendix B, not seen; in radians", TURN, 3, "rad")
def alignment(p, q):
    from symvi.physics import algebra

    return 2 * algebra.vector(_relative(p, q))


@function_of_bodies(
    "alpha = 2 atan2(V(p* q)·z, S(p* q)), nearest to its last value",
    "derived here",
    (*TURN, data("near", "the angle's last value", "rad")),
    1,
    "rad",
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
)
def relative_turn(p, q, p0, q0, let):
    from symvi.physics import algebra

    d = let("d", _relative(p, q))
    held = let("held", _relative(p0, q0))
    return 2 * algebra.vector(algebra.multiply(d, algebra.conjugate(held)))


@function_of_bodies("l = |x_b + r_b - x_a - r_a|", "JM09 section IV-C", ANCHORS, 1)
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
