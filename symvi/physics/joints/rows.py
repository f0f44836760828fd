"""The rows that joints are made of (001 appendix B, reconstructed in math.md section 3), and joint coordinates.

r_a, r_b: from each body's centre of mass to its anchor; n: an axis fixed to body a; p, q: body-fixed quaternions whose relative
turn d = p* q is the identity where the joint frames agree, with the joint's own axis along z.
"""

from __future__ import annotations

from symvi.physics.constraint import attitude, carried, data, function_of_bodies, position

ANCHORS = (position("a"), carried("r_a", "anchor on body a", "a"), position("b"), carried("r_b", "anchor on body b", "b"))
TURN = (attitude("p", "joint frame on body a", "a"), attitude("q", "joint frame on body b", "b"))


def _relative(p, q):
    from symvi.physics import algebra

    return algebra.multiply(algebra.conjugate(p), q)


@function_of_bodies("g = x_b + r_b - x_a - r_a", "001 appendix B, math.md section 3 (all three rows: world axes)", ANCHORS, 3)
def coincidence(x_a, r_a, x_b, r_b):
    return x_b + r_b - x_a - r_a


@function_of_bodies(
    "g = n·(x_b + r_b - x_a - r_a)", "001 appendix B, math.md section 3",
    (carried("n", "axis fixed to body a", "a", "1"), *ANCHORS), 1,
)
def offset_along(n, x_a, r_a, x_b, r_b):
    from symvi.physics import algebra

    return algebra.dot(n, x_b + r_b - x_a - r_a)


@function_of_bodies("g = 2 V(p* q)", "001 appendix B scaled to radians, math.md section 3", TURN, 3, "rad")
def alignment(p, q):
    from symvi.physics import algebra

    return 2 * algebra.vector(_relative(p, q))


@function_of_bodies(
    "alpha = 2 atan2(V(p* q)·z, S(p* q)), nearest to its last value", "math.md section 3",
    (*TURN, data("near", "the angle's last value", "rad")), 1, "rad",
)
def angle_about_axis(p, q, near):
    from symvi.physics import algebra

    d = _relative(p, q)
    return algebra.angle(d[3], d[0], near[0])


@function_of_bodies(
    "c = 2 atan2(|V d|, S d)/|V d| V d,  d = p* q", "math.md section 3 (guarded at 0)",
    (*TURN, data("guard", "a number whose root is far below any angle", "1")), 3, "rad",
)
def rotation_vector(p, q, guard):
    import sympy as sp

    from symvi.physics import algebra

    d = _relative(p, q)
    v = algebra.vector(d)
    size = sp.sqrt(algebra.dot(v, v) + guard[0])
    return v * (algebra.angle(size, d[0], 0) / size)


@function_of_bodies(
    "g = n·m", "math.md section 3 (Hooke's joint: the two axes stay orthogonal)",
    (carried("n", "axis fixed to body a", "a", "1"), carried("m", "axis fixed to body b", "b", "1")), 1, "rad",
)
def orthogonality(n, m):
    from symvi.physics import algebra

    return algebra.dot(n, m)


@function_of_bodies(
    "g = n·(x_b + r_b - x_a - r_a) - k alpha", "math.md section 3",
    (carried("n", "axis fixed to body a", "a", "1"), *ANCHORS, *TURN, data("near", "the angle's last value", "rad"),
     data("pitch", "advance per angle", "m/rad")), 1,
)
def screw_advance(n, x_a, r_a, x_b, r_b, p, q, near, pitch):
    from symvi.physics import algebra

    d = _relative(p, q)
    return algebra.dot(n, x_b + r_b - x_a - r_a) - pitch[0] * algebra.angle(d[3], d[0], near[0])


@function_of_bodies(
    "g = (|u|² - L²)/(2 L),  u = x_b + r_b - x_a - r_a", "003 (37) scaled to metres, math.md section 3",
    (*ANCHORS, data("length", "L", "m")), 1,
)
def separation(x_a, r_a, x_b, r_b, length):
    from symvi.physics import algebra

    u = x_b + r_b - x_a - r_a
    return (algebra.dot(u, u) - length[0] ** 2) / (2 * length[0])
