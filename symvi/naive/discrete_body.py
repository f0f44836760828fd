"""A rigid body's discrete mechanics, straight from the discrete Lagrangian (BM20 (19)-(32), BSMH23 (5)-(16)).

    L_d(z1, z2) = h [ (1/2) m v·v + (1/2) omega·J omega ],   v = (x2 - x1)/h,   q2 = L(q1) [c; (h/2) omega]

with the angular velocity omega and the inertia J in body axes. Momenta are the slot derivatives -dL_d/dz1 and dL_d/dz2,
by dual numbers, with rotations varied by q -> (1 + theta/2) q in world axes.
"""

from __future__ import annotations

from collections.abc import Callable

from symvi.exact.dual import derivatives
from symvi.naive.quaternion import conjugate, dot, multiply, scale, turned, unrotate, vector


def apply_inertia(j, w) -> list:
    """J w for the six entries xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = j
    return [xx * w[0] + xy * w[1] + xz * w[2], xy * w[0] + yy * w[1] + yz * w[2], xz * w[0] + yz * w[1] + zz * w[2]]


def kinetic_lagrangian(mass, inertia, h, z1, z2):
    """The kinetic part of L_d."""
    v = [(b - a) / h for a, b in zip(z1[0], z2[0], strict=True)]
    omega = scale(2 / h, vector(multiply(conjugate(z1[1]), z2[1])))
    return h * (mass * dot(v, v) + dot(omega, apply_inertia(inertia, omega))) / 2


def slopes_by_place(function: Callable, place, zero) -> list[list]:
    """The derivatives of a list-valued function of a placement, rows of six: by position, by rotation in world axes."""
    x, q = place

    def moved(steps):
        return function(([value + e for value, e in zip(x, steps[:3], strict=True)], turned(q, steps[3:])))

    return derivatives(moved, zero, 6)


def momentum(mass, inertia, h, z1, z2, slot: int, zero) -> list:
    """Linear and angular momentum in world axes: minus the first, or plus the second slot derivative of L_d."""
    if slot == 1:
        return slopes_by_place(lambda z: [-kinetic_lagrangian(mass, inertia, h, z, z2)], z1, zero)[0]
    return slopes_by_place(lambda z: [kinetic_lagrangian(mass, inertia, h, z1, z)], z2, zero)[0]


def second_knot(place, v, turn, h):
    """The update map: x2 = x1 + h v, q2 = q1 [c; (h/2) omega]. The turn is [c; (h/2) w], w = R1 omega in world axes."""
    x, q = place
    return [value + h * rate for value, rate in zip(x, v, strict=True)], multiply(q, [turn[0], *unrotate(q, turn[1:])])


def kinetic_energy(mass, inertia, q, v, w):
    """(1/2) m v·v + (1/2) omega·J omega at a knot, from world axes."""
    omega = unrotate(q, w)
    return (mass * dot(v, v) + dot(omega, apply_inertia(inertia, omega))) / 2
