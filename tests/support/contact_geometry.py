"""The gaps of contacts by their definition: an independent witness in plain NumPy, without symvi's formulas.

Written with + - * / and a root only, so that a complex step gives exact gradients (see kinematics.gradient).
"""

from __future__ import annotations

import numpy as np

from symvi.mechanism import Contact, Mechanism, State
from symvi.mechanism.shapes import Shape
from tests.support.kinematics import expression_values
from tests.support.poses import Pose, Poses, poses_of

__all__ = ["deepest", "gap_values", "gaps", "points_of"]


def gaps(mechanism: Mechanism, state: State) -> dict[str, float]:
    """The gap of every contact point [m] by its name; negative where bodies penetrate."""
    values = gap_values(mechanism, poses_of(state))
    return {name: float(value) for name, value in values.items()}


def deepest(mechanism: Mechanism, state: State) -> tuple[str, float]:
    """The contact point with the smallest gap, and that gap [m]."""
    return min(gaps(mechanism, state).items(), key=lambda item: item[1])


def gap_values(mechanism: Mechanism, poses: Poses) -> dict[str, complex]:
    """The gaps at poses, which may be complex, by the names of the contact points."""
    values = {}
    for contact in mechanism.contacts:
        points = points_of(contact, mechanism.body(contact.child).shape)
        for k, (point, radius) in enumerate(points):
            name = f"{contact.name}.{k}" if contact.whole_shape else contact.name
            values[name] = _gap(contact, poses[contact.parent], poses[contact.child], point, radius)
    return values


def points_of(contact: Contact, shape: Shape | None) -> list[tuple[np.ndarray, float]]:
    """(point or centre of a sphere in the child's body frame, radius) [m] of every point of a contact."""
    if not contact.whole_shape:
        return [(np.array(contact.child_anchor), contact.radius)]
    frame = Pose(np.array(shape.position), np.array(shape.orientation))
    radius = getattr(shape, "radius", 0.0)
    if shape.kind == "box":
        corners = (np.array([k & 4, k & 2, k & 1]) > 0 for k in range(8))
        own = [(corner - 0.5) * shape.size for corner in corners]
    else:
        reach = 0.5 * getattr(shape, "length", 0.0)
        own = [np.array([0.0, 0.0, z]) for z in ((-reach, reach) if shape.kind == "capsule" else (0.0,))]
    return [(frame.x + frame.R @ point, radius) for point in own]


def _gap(contact: Contact, a: Pose, b: Pose, point: np.ndarray, radius: float):
    if contact.kind == "gap":
        return expression_values([contact.expression], contact.parameters, a, b)[0]
    apart = b.x + b.R @ point - a.x - a.R @ contact.parent_anchor
    if contact.kind == "sphere":
        return np.sqrt(apart @ apart) - radius - contact.parent_radius
    return (a.R @ contact.normal) @ apart - radius
