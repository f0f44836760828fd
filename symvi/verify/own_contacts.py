"""Contacts, friction and forces as functions to verify (BSMH23 section 2): gaps, sliding, springs."""

from __future__ import annotations

from symvi.naive.quaternion import add, cross, dot, rotate, scale, subtract
from symvi.verify.own_definition import Definition
from symvi.verify.variables import quaternion, rotation, scalar, unit_vector, vector

TWO = {"x_a": vector(3), "q_a": quaternion(), "x_b": vector(3), "q_b": quaternion(), "p_a": vector(3), "p_b": vector(3)}
BOTH = ("x_a", "q_a", "x_b", "q_b")
LENGTH = scalar(positive=True)


def half_space(world, x, q, p, n, o, r):
    return [dot(n, subtract(add(x, rotate(q, p)), o)) - r[0]]


def between(x_a, q_a, x_b, q_b, p_a, p_b):
    return subtract(add(x_b, rotate(q_b, p_b)), add(x_a, rotate(q_a, p_a)))


def length(world, v):
    return world.functions.sqrt(dot(v, v))


def sphere(world, r_a, r_b, **places):
    return [length(world, between(**places)) - r_a[0] - r_b[0]]


def sliding(world, v, w, q, p, r, N):  # noqa: N803  (rows t1, t2, n)
    lever = subtract(rotate(q, p), scale(r[0], N[6:]))
    moving = add(v, cross(w, lever))
    return [dot(N[0:3], moving), dot(N[3:6], moving)]


def spring_energy(world, k, L, **places):  # noqa: N803
    stretch = length(world, between(**places)) - L[0]
    return [k[0] * stretch * stretch / 2]


def spring_force(world, k, L, **places):  # noqa: N803
    u = between(**places)
    size = length(world, u)
    return scale(-k[0] * (size - L[0]) / size, u)


DEFINITIONS = {
    definition.name: definition
    for definition in (
        Definition("half_space", "phi = n·(x + R(q) p - o) - r", "BSMH23 section 2",
                   {"x": vector(3), "q": quaternion(), "p": vector(3), "n": unit_vector(), "o": vector(3), "r": LENGTH},
                   ("x", "q"), half_space),
        Definition("sphere", "phi = |x_b + R_b p_b - x_a - R_a p_a| - r_a - r_b", "derived here",
                   {**TWO, "r_a": LENGTH, "r_b": LENGTH}, BOTH, sphere),
        Definition("sliding", "s = [t1 t2]ᵀ (v + w x (R(q) p - r n)),  N = [t1; t2; n]", "BSMH23 (4a), (4b)",
                   {"v": vector(3), "w": vector(3), "q": quaternion(), "p": vector(3), "r": LENGTH, "N": rotation()},
                   ("v", "w"), sliding),
    )
}  # fmt: skip
