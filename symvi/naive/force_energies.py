"""Forces by energy and power: a potential, and a power that inputs put in.

A force at the knots acts on a body by the derivative of its power by the body's velocity: the generalised force of
virtual work. `power` is linear in the velocities. Springs, dampers and servos act between the knots (laws.py); what
springs store is here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symvi.mechanism import coordinate_kinds
from symvi.naive import joints
from symvi.registry import FORCES


@dataclass(frozen=True)
class NaiveForce:
    """A law between two bodies ("world" allowed): functions of their placements, and of motions (v, w) for a power.

    at_knots: whether its energy pulls at the knots, as a user's own does.
    """

    bodies: tuple[str, str]
    energy: Callable | None = None
    power: Callable | None = None
    at_knots: bool = False


def naive_force(scene, force) -> NaiveForce:
    """The plain law of a force of the scene's mechanism."""
    law = FORCES[force.kind].naive
    assert law is not None, force.kind
    return law(scene, force, scene.parameters[force.name], scene.inputs.get(force.name, {}))


def joint_coordinates(scene, joint: joints.JointNumbers, near, a, b) -> list:
    return [joints.coordinate(joint, k, a, b, scene.functions, near) for k in range(len(coordinate_kinds(joint.type)))]


def rates_of(scene, joint, near) -> Callable:
    """The rates that dampers and actuators act along, as a function of placements and motions."""
    return lambda a, b, motion_a, motion_b: joints.rates(
        joint, a, b, motion_a, motion_b, scene.functions, near, scene.zero
    )


def storing_nothing(scene, force) -> NaiveForce:
    """A damper or a servo: what it does is in laws.py, and it stores no energy."""
    joint = scene.joints[force.joint]
    return NaiveForce((joint.parent, joint.child))
