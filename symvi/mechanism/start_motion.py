"""How bodies move at the start: by their own velocities, or by the rates of the joints that lead to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from symvi.mechanism.elements import Body
from symvi.mechanism.joint_motion import ZERO, displacement, turn_rate
from symvi.mechanism.joint_table import coordinate_count
from symvi.mechanism.mechanism import Mechanism
from symvi.mechanism.names import WORLD
from symvi.mechanism.placement import Placement, in_world, known_angles, start_placements
from symvi.mechanism.rotation import conjugate, multiply, rotate
from symvi.mechanism.start_values import StartValues, start_values
from symvi.mechanism.tree_walk import Step, tree_walk
from symvi.mechanism.vectors import Vector3, add, cross, subtract

if TYPE_CHECKING:
    from symvi.mechanism.state import State

__all__ = ["Motion", "start_motions", "start_state"]


class Motion(NamedTuple):
    """Velocity of the origin of a body frame [m/s] and angular velocity [rad/s], both in world axes."""

    velocity: Vector3
    turning: Vector3

    def of(self, arm: Vector3) -> Vector3:
        """The velocity of the point that the arm, in world axes, leads to from the origin."""
        return add(self.velocity, cross(self.turning, arm))


AT_REST = Motion(ZERO, ZERO)


def start_state(mechanism: Mechanism) -> State:
    """The state of a mechanism at time zero, from its bodies' and its joints' start values.

    Raises MechanismError naming the bodies that have neither a placement nor joints that lead to them.
    """
    from symvi.mechanism.state import State

    values = start_values(mechanism)
    placements = start_placements(mechanism, values)
    motions = start_motions(mechanism, placements, values)
    velocities, rates = [], []
    for body in mechanism.bodies:
        orientation, motion = placements[body.name].orientation, motions[body.name]
        velocities.append(motion.of(rotate(orientation, body.center_of_mass)))
        rates.append(rotate(conjugate(orientation), motion.turning))
    return State(
        time=0.0,
        position=[placements[body.name].position for body in mechanism.bodies],
        orientation=[placements[body.name].orientation for body in mechanism.bodies],
        velocity=velocities,
        angular_velocity=rates,
        names=mechanism.body_names,
        angles=known_angles(mechanism, values),
    )


def start_motions(
    mechanism: Mechanism, placements: dict[str, Placement], values: StartValues | None = None
) -> dict[str, Motion]:
    """The start motion of every body, and of the world, by name.

    A body with a velocity or an angular velocity has these (zero for the one left out). Any other body moves as the
    rates of the joints say that lead to it; joints without known rates carry it along rigidly. A mechanism that hangs
    on nothing has its first body at rest.
    """
    values = values or start_values(mechanism)
    motions = {WORLD: AT_REST}
    for body in mechanism.bodies:
        if body.velocity is not None or body.angular_velocity is not None:
            motions[body.name] = _own_motion(body, placements[body.name])
    starts = list(motions)
    while starts:
        for step in tree_walk(mechanism, starts, motions, values.rates):
            motions[step.target] = _next_motion(step, placements, motions, values)
        starts = [body.name for body in mechanism.bodies if body.name not in motions][:1]
        motions.update(dict.fromkeys(starts, AT_REST))
    return motions


def _own_motion(body: Body, placement: Placement) -> Motion:
    turning = rotate(placement.orientation, body.angular_velocity or ZERO)
    arm = rotate(placement.orientation, body.center_of_mass)
    return Motion(subtract(body.velocity or ZERO, cross(turning, arm)), turning)


def _next_motion(
    step: Step, placements: dict[str, Placement], motions: dict[str, Motion], values: StartValues
) -> Motion:
    """The motion of the body that a step leads to, from the rates of the joint at the actual placements."""
    joint = step.joint
    rates = values.rates.get(joint.name, (0.0,) * coordinate_count(joint))
    parent, child = placements[joint.parent], placements[joint.child]
    turned = multiply(conjugate(multiply(parent.orientation, joint.orientation)), child.orientation)
    relative = turn_rate(joint, values.coordinates.get(joint.name), rates, turned)
    turning = rotate(child.orientation, relative)
    sliding = in_world(joint, parent.orientation, displacement(joint, rates))
    anchor = child.point(joint.child_anchor)
    from_parent, from_child = subtract(anchor, parent.position), subtract(anchor, child.position)
    if step.to_child:
        start = motions[joint.parent]
        turning = add(start.turning, turning)
        return Motion(subtract(add(start.of(from_parent), sliding), cross(turning, from_child)), turning)
    start = motions[joint.child]
    turning = subtract(start.turning, turning)
    return Motion(subtract(subtract(start.of(from_child), sliding), cross(turning, from_parent)), turning)
