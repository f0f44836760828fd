"""What velocities at knots miss of the means of both steps, of many bodies and knots at once, and in few operations.

    e = v_k - (x_{k+1} - x_{k-1})/(2 h)          of a centre of mass
    e = w_k - (s_{k-1} + s_k)/2                  of a body's turning, s = 2 cos(A/2) sin(A/2)/h about the axis of a step

A step's rotation vector is the same in the body's axes at both of its knots, so that no orientation is made a matrix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def missed_moving(centres: Array, velocity: Array, step: float) -> Array:
    """(K, n) sizes of e [m/s]. centres (K + 2, n, 3): from the knot before to the one after; velocity (K, n, 3)."""
    return np.linalg.norm(velocity - (centres[2:] - centres[:-2]) / (2 * step), axis=2)


def missed_turning(orientation: Array, spin: Array, step: float) -> Array:
    """(K, n) sizes of e [rad/s]. orientation (K + 2, n, 4): as above; spin (K, n, 3): angular velocities, body axes."""
    q = np.ascontiguousarray(np.moveaxis(orientation, -1, 0))
    (a, b, c, d), (w, x, y, z) = q[:, :-1], q[:, 1:]
    doubled = (a * w + b * x + c * y + d * z) / step  # halves of both steps are summed below
    parts = a * x - b * w - c * z + d * y, a * y - c * w - d * x + b * z, a * z - d * w - b * y + c * x
    squares = np.zeros(spin.shape[:2])
    for part, own in zip(parts, np.moveaxis(spin, -1, 0), strict=True):
        rates = doubled * part
        missed = own - (rates[1:] + rates[:-1])
        squares += missed * missed
    return np.sqrt(squares)
