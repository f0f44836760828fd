"""How joints and point springs look: a pin along the free axis, a ball, a block, or a span between two points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symvi.page.bodies import extents
from symvi.page.parts import WORLD, Part, Span, array, point, sphere
from symvi.page.turning import align, rotate
from symvi.registry import FORCES, JOINTS

__all__ = ["joint_parts", "spans"]

# Size of a marker, as a part of the mechanism's characteristic length.
MARKER = 0.055


def joint_parts(joints: Iterable, mechanism, index: Mapping[str, int], length: float) -> list[Part]:
    """The markers of joints; `index` gives a body's number, `length` is the characteristic length [m]."""
    parts = []
    thickness = {body.name: min(extents(body.shape)) for body in mechanism.bodies if body.shape is not None}
    for joint in joints:
        marker = JOINTS[joint.type].marker
        if marker is None:
            continue
        # As large as it must be to show outside of the thicker body, within reason.
        thick = max((thickness.get(getattr(joint, end), 0.0) for end in JOINTS[joint.type].around), default=0.0)
        size = min(max(MARKER * length, 0.85 * thick), 4 * MARKER * length)
        carrier, place = index.get(joint.parent, WORLD), array(joint.parent_anchor)
        along = rotate(joint.orientation, joint.axis)
        parts.append(_marker(carrier, place, along, marker, size, joint.name))
        if JOINTS[joint.type].has_pin:
            child = index[joint.child]
            parts.append(_marker(child, joint.child_anchor, joint.child_axis, marker, size, joint.name))
    return parts


def spans(mechanism, index: Mapping[str, int], length: float) -> list[Span]:
    """The forces and joints of a mechanism that are drawn between their two points."""
    springs = [(force, span) for force in mechanism.forces if (span := FORCES[force.kind].span)]
    struts = [(joint, span) for joint in mechanism.joints if (span := JOINTS[joint.type].span)]
    return [
        Span(
            (index.get(element.parent, WORLD), index.get(element.child, WORLD)),
            (point(element.parent_anchor), point(element.child_anchor)),
            kind,
            element.name,
            radius * length,
        )
        for element, (kind, radius) in springs + struts
    ]


def _marker(body, place, along, marker, size, name):
    solid, proportions = marker
    if solid == "sphere":
        return sphere(body, place, 0.7 * size, "joint", name)
    extents = point(size * proportion for proportion in proportions)
    return Part(body, solid, extents, point(place), align(along), "joint", name)
