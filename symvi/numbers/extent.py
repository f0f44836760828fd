"""The size of a mechanism: what gaps of rows and distances are compared with."""

from __future__ import annotations

from symvi.mechanism import Contact, Mechanism
from symvi.mechanism.contacts import shape_points
from symvi.mechanism.vectors import Vector3

# of the size: a loop is closed that is open by less; in float, placements alone are rounded by 1e-7 of what they are
OPENING = {"double": 1e-9, "float": 1e-4}


def size_of(mechanism: Mechanism) -> float:
    """The longest distance between anchors of one body, its centre of mass included [m]; 1 where they all coincide."""
    points: dict[str, list[tuple[float, ...]]] = {body.name: [body.center_of_mass] for body in mechanism.bodies}
    for joint in mechanism.joints:
        points[joint.child].append(joint.child_anchor)
        if joint.parent in points:
            points[joint.parent].append(joint.parent_anchor)
    for contact in mechanism.contacts:
        for anchor, radius in _surfaces(mechanism, contact):
            points[contact.child] += [tuple(x + s * radius for x in anchor) for s in (-1.0, 1.0)]
    spans = (
        sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) ** 0.5
        for found in points.values()
        for k, first in enumerate(found)
        for second in found[:k]
    )
    return max(spans, default=0.0) or 1.0


def _surfaces(mechanism: Mechanism, contact: Contact) -> tuple[tuple[Vector3, float], ...]:
    """Points or spheres of a contact on its child: (centre, radius) [m]."""
    if contact.whole_shape:
        return shape_points(mechanism.body(contact.child).shape)
    return ((contact.child_anchor, contact.radius),)


def far_of(mechanism: Mechanism) -> float:
    """The largest coordinate of a point that joints fix in the world or a body is placed at [m]."""
    points = [joint.parent_anchor for joint in mechanism.joints] + [b.position for b in mechanism.bodies if b.position]
    return max((abs(x) for point in points for x in point), default=0.0)
