"""Forces by energy and power: a potential, and a power that inputs put in.

A force at the knots acts on a body by the derivative of its power by the body's velocity: the generalised force of
virtual work. `power` is linear in the velocities. Springs, dampers and servos act between the knots (laws.py); what
springs store is here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from symvi.errors import MechanismError
from symvi.mechanism import coordinate_kinds
from symvi.mechanism.names import WORLD
from symvi.naive import joints
from symvi.registry import FORCES, law_of


@dataclass(frozen=True)
class NaiveForce:
    """A law between two bodies ("world" allowed): functions of their placements, and of motions (v, w) for a power.

    at_knots: whether its energy pulls at the knots, as a user's own does.
    given: of a power, () -> what is put in at the first knot; way: () -> how far that moves in the step, so that their
    product is work. Both have the entries of the model's rows, and of its torque.
    """

    bodies: tuple[str, str]
    energy: Callable | None = None
    power: Callable | None = None
    at_knots: bool = False
    given: Callable[[], list] | None = None
    way: Callable[[], list] | None = None


class _Numbers(dict):
    """The numbers of a force; raises MechanismError for one that its record lacks."""

    def __init__(self, kind: str, numbers: Mapping):
        self.kind = kind
        super().__init__(numbers)

    def __missing__(self, name: str):
        raise MechanismError(f"kind of force '{self.kind}': record has no '{name}', which naive asks for")


def naive_force(scene, force) -> NaiveForce:
    """The plain law of a force of the scene's mechanism."""
    title, naive = f"kind of force '{force.kind}'", FORCES[force.kind].naive
    if naive is None:
        raise MechanismError(f"{title}: naive is None: without a plain definition nothing can be proved")
    found = naive(scene, force, _Numbers(force.kind, scene.parameters[force.name]), scene.inputs.get(force.name, {}))
    if not isinstance(found, NaiveForce):
        raise MechanismError(
            f"{title}: naive returned {found!r}, but must return a NaiveForce (symvi.naive.force_energies)"
        )
    law = law_of(force)
    stores = law is None or (law.is_elastic and not law.is_aimed)
    if FORCES.serial(force.kind) and found.energy is None and found.power is None and stores:
        raise MechanismError(f"{title}: naive returned neither an energy nor a power; give a function for one of them")
    if unknown := [body for body in found.bodies if body != WORLD and body not in scene.mechanism.body_names]:
        raise MechanismError(f"{title}: naive is between bodies of which '{unknown[0]}' is none of the mechanism")
    return found


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
