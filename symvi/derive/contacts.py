"""Friction and forces as functions to verify (BSMH23 section 2); gaps are in the records of their kinds."""

from __future__ import annotations

from symvi.derive.definition import Definition
from symvi.naive.quaternion import add, cross, dot, rotate, scale, subtract
from symvi.verify.asking.variables import quaternion, rotation, scalar, vector

TWO = {"x_a": vector(3), "q_a": quaternion(), "x_b": vector(3), "q_b": quaternion(), "p_a": vector(3), "p_b": vector(3)}
BOTH = ("x_a", "q_a", "x_b", "q_b")
LENGTH = scalar(positive=True)


def between(x_a, q_a, x_b, q_b, p_a, p_b):
    return subtract(add(x_b, rotate(q_b, p_b)), add(x_a, rotate(q_a, p_a)))


def length(world, v):
    return world.functions.sqrt(dot(v, v))


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
        Definition("sliding", "s = [t1 t2]ᵀ (v + w x (R(q) p - r n)),  N = [t1; t2; n]", "BSMH23 (4a), (4b)",
                   {"v": vector(3), "w": vector(3), "q": quaternion(), "p": vector(3), "r": LENGTH, "N": rotation()},
                   ("v", "w"), sliding),
    )
}  # fmt: skip
