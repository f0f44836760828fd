"""Forces by energy and power: a potential, and a power that inputs put in.

A force at the knots acts on a body by the derivative of its power by the body's velocity: the generalised force of
virtual work. `power` is linear in the velocities. Springs, dampers and servos act between the knots (laws.py); what
springs store is here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symvi.mechanism import coordinate_count, coordinate_kinds
from symvi.proofs.naive import joints
from symvi.proofs.naive.expressions import rows_of_expressions
from symvi.proofs.naive.laws import holder_of, near_of
from symvi.proofs.naive.quaternion import add, cross, dot, rotate, subtract


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
    return KINDS[force.kind](scene, force, scene.parameters[force.name], scene.inputs.get(force.name, {}))


def joint_coordinates(scene, joint: joints.JointNumbers, near, a, b) -> list:
    return [joints.coordinate(joint, k, a, b, scene.functions, near) for k in range(coordinate_count(joint))]


def _joint_spring(scene, force, numbers, inputs) -> NaiveForce:
    joint, near = scene.joints[force.joint], near_of(scene, holder_of(scene, force.joint))
    if force.law == "sinusoidal":
        return _sinusoidal_spring(scene, joint, near, numbers)

    def energy(a, b):
        stretch = subtract(joint_coordinates(scene, joint, near, a, b), numbers["rest"])
        return sum((k * s * s for k, s in zip(numbers["stiffness"], stretch, strict=True)), scene.zero) / 2

    return NaiveForce((joint.parent, joint.child), energy=energy)


def _sinusoidal_spring(scene, joint, near, numbers) -> NaiveForce:
    """V = k (1 - cos(alpha - rest))."""
    which = coordinate_kinds(joint.type).index("rotation")

    def energy(a, b):
        alpha = joints.coordinate(joint, which, a, b, scene.functions, near)
        cosine, sine = scene.functions.cos(alpha), scene.functions.sin(alpha)
        return numbers["stiffness"][0] * (1 - cosine * numbers["rest_cos"][0] - sine * numbers["rest_sin"][0])

    return NaiveForce((joint.parent, joint.child), energy=energy)


def _point_spring(scene, force, numbers, inputs) -> NaiveForce:
    joint = scene.joints[force.name]

    def energy(a, b):
        u = joints.gap(joint, a, b)
        if not force.length:
            return numbers["stiffness"][0] * dot(u, u) / 2
        stretch = scene.functions.sqrt(dot(u, u)) - numbers["length"][0]
        return numbers["stiffness"][0] * stretch * stretch / 2

    return NaiveForce((joint.parent, joint.child), energy=energy)


def _rates(scene, joint, near) -> Callable:
    return lambda a, b, motion_a, motion_b: joints.rates(
        joint, a, b, motion_a, motion_b, scene.functions, near, scene.zero
    )


def _actuator(scene, force, numbers, inputs) -> NaiveForce:
    joint = scene.joints[force.joint]
    rates = _rates(scene, joint, near_of(scene, force.name))

    def power(*motion):
        return sum((f * rate for f, rate in zip(inputs["force"], rates(*motion), strict=True)), scene.zero)

    return NaiveForce((joint.parent, joint.child), power=power)


def _storing_nothing(scene, force, numbers, inputs) -> NaiveForce:
    """A damper or a servo: what it does is in laws.py, and it stores no energy."""
    joint = scene.joints[force.joint]
    return NaiveForce((joint.parent, joint.child))


def _wrench(scene, force, numbers, inputs) -> NaiveForce:
    def power(a, b, motion_a, motion_b):
        arm, push = rotate(b[1], numbers["point"]), inputs["force"]
        push = push if force.frame == "world" else rotate(b[1], push)
        velocity = add(motion_b[0], cross(motion_b[1], arm))
        return dot(push, velocity) + dot(rotate(b[1], inputs["torque"]), motion_b[1])

    return NaiveForce(("world", force.body), power=power)


def _potential(scene, force, numbers, inputs) -> NaiveForce:
    user = {name: numbers[f"par_{name}"][0] for name in dict(force.parameters)}
    origins = {side: numbers[f"origin_{side}"] for side in "ab"}

    def energy(a, b):
        return numbers["scale"][0] * rows_of_expressions((force.expression,), user, origins, a, b, scene.functions)[0]

    return NaiveForce((force.parent, force.child), energy=energy, at_knots=True)


KINDS: dict[str, Callable] = {
    "joint_spring": _joint_spring,
    "point_spring": _point_spring,
    "joint_damper": _storing_nothing,
    "actuator": _actuator,
    "servo": _storing_nothing,
    "wrench": _wrench,
    "potential": _potential,
}
