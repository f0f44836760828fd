"""The mass that may oppose a joint's coordinate at most: of all that hangs on it, held together as one body.

Where joints hang other bodies on those of a joint, the mass along its coordinate depends on them and on where they are.
No force moves a coordinate less than it would move if all other joints were locked, and all of them stretched out:

    m <= M                            along a translation, M the mass of a side
    m <= sum (J_i + m_i r_i²)         about a rotation, r_i the way from the joint to the body along joints

for the side that is free of the world, and M_a M_b/(M_a + M_b) where both are. So much decides whether a spring is
overdamped beyond doubt (physics/laws.py). It is taken of the description once: where masses are changed later, weights
stay what they are. Nothing bounds it where loops, gears, drivers or contacts hold both sides.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from symvi.mechanism import Body, Joint, Mechanism, coordinate_kinds

WORLD = "world"


def opposing(mechanism: Mechanism, joint: Joint) -> tuple[float, ...] | None:
    """Of every coordinate of a joint [kg, kg m²]; None where nothing bounds it."""
    ends = (joint.child, joint.parent), (joint.parent, joint.child)
    sides = [side for side in (_side(mechanism, joint, *pair) for pair in ends) if side is not None]
    if not sides:
        return None
    pitch = joint.pitch or 0.0
    masses = [{"translation": mass, "rotation": moment + pitch**2 * mass} for mass, moment in sides]
    return tuple(1.0 / sum(1.0 / own[kind] for own in masses) for kind in coordinate_kinds(joint.type))


def _side(mechanism: Mechanism, joint: Joint, body: str, other: str) -> tuple[float, float] | None:
    """The mass of all that hangs on a body beside a joint, and its moment about the joint; None where that is held."""
    held = _held(mechanism) | {WORLD, other}
    mass = moment = 0.0
    seen, waiting = {body}, deque([(body, joint, 0.0)])
    while waiting:
        name, through, way = waiting.popleft()
        if name in held:
            return None
        own, place = mechanism.body(name), _anchor(through, name)
        mass += own.mass
        moment += _largest(own) + own.mass * (way + _distance(own.center_of_mass, place)) ** 2
        for next_one in mechanism.joints:
            if next_one.name != through.name and name in (next_one.parent, next_one.child):
                far = next_one.child if next_one.parent == name else next_one.parent
                if far in seen:
                    return None  # a loop
                seen.add(far)
                waiting.append((far, next_one, way + _distance(_anchor(next_one, name), place)))
    return mass, moment


def _held(mechanism: Mechanism) -> set[str]:
    """Bodies that gears, drivers or contacts hold."""
    ends = {joint.name: {joint.parent, joint.child} for joint in mechanism.joints}
    found = {name for contact in mechanism.contacts for name in (contact.parent, contact.child)}
    found |= {name for gear in mechanism.couplings for joint in gear.joints for name in ends[joint]}
    return found | {name for driver in mechanism.drivers for name in ends[driver.joint]}


def _anchor(joint: Joint, body: str) -> tuple[float, ...]:
    return joint.child_anchor if body == joint.child else joint.parent_anchor


def _distance(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    return float(np.linalg.norm(np.subtract(one, other)))


def _largest(body: Body) -> float:
    """The largest principal moment."""
    xx, yy, zz, xy, xz, yz = body.inertia
    return float(np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])[-1])
