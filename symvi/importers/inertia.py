"""Inertia of links that are one body, and what to do about inertia that no body can have."""

from __future__ import annotations

from collections.abc import Iterable

from symvi.importers.pose import Pose
from symvi.importers.tree import Inertial
from symvi.mechanism.inertia import Inertia6, turned
from symvi.mechanism.vectors import Vector3, add, scale, subtract

__all__ = ["ROUNDING", "physical", "total", "violation"]

# A file writes six digits; a plate of which they violate the triangle inequality by so much was meant as a plate.
ROUNDING = 1e-5
# A radius of gyration below this [m] is how programs write that there is no inertia.
POINT = 1e-6


def total(parts: Iterable[tuple[Inertial, Pose]]) -> Inertial:
    """Inertials, each in a frame that stands at its pose, as one in the frame around them.

    Steiner's rule: J = sum (R J R^T + m (|d|^2 1 - d d^T)), d from the common centre of mass to that of the part.
    """
    moved = [(part.mass, pose.point(part.center), turned(part.inertia, pose.orientation)) for part, pose in list(parts)]
    mass = sum(item[0] for item in moved)
    if len(moved) == 1:
        return Inertial(*moved[0])
    center: Vector3 = (0.0, 0.0, 0.0)
    for weight, point, _ in moved:
        center = add(center, scale(weight / mass if mass else 0.0, point))
    inertia = [0.0] * 6
    for weight, point, own in moved:
        x, y, z = subtract(point, center)
        arm = (y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z)
        inertia = [sum_ + entry + weight * square for sum_, entry, square in zip(inertia, own, arm, strict=True)]
    ixx, iyy, izz, ixy, ixz, iyz = inertia
    return Inertial(mass, center, (ixx, iyy, izz, ixy, ixz, iyz))


def violation(inertia: Inertia6) -> float:
    """How far the inertia is from one that a body can have, relative to its largest principal moment; 0 if at all."""
    moments, _ = _principal(inertia)
    smallest, middle, largest = sorted(moments)
    scale_ = max(abs(smallest), abs(largest))
    if scale_ == 0.0:
        return 0.0
    return max(0.0, -smallest, largest - smallest - middle) / scale_


def physical(inertia: Inertia6) -> Inertia6:
    """An inertia that a body can have, near the given one, with its principal axes.

    Negative moments become zero; where the largest exceeds the sum of the others, all three move by a third of the
    excess, which is the least change that ends it.
    """
    moments, axes = _principal(inertia)
    order = sorted(range(3), key=lambda k: moments[k])
    a, b, c = (max(0.0, moments[k]) for k in order)
    excess = (c - a - b) / 3.0
    if excess > 0.0:
        excess *= 1.0 + 1e-12
        a, b, c = a + excess, b + excess, c - excess
    found = dict(zip(order, (a, b, c), strict=True))
    rows = [[sum(found[k] * axes[i][k] * axes[j][k] for k in range(3)) + 0.0 for j in range(3)] for i in range(3)]
    return (rows[0][0], rows[1][1], rows[2][2], rows[0][1], rows[0][2], rows[1][2])


def _principal(inertia: Inertia6) -> tuple[list[float], list[list[float]]]:
    """Principal moments, and their axes as the columns of a matrix."""
    import numpy as np

    from symvi.mechanism.inertia import to_matrix

    moments, axes = np.linalg.eigh(np.array(to_matrix(inertia)))
    return moments.tolist(), axes.tolist()
