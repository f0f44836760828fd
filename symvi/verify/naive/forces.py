"""Forces by energy and power: a potential, a power that inputs put in, and rates with dampers.

A force acts on a body by the derivative of its power by the body's velocity: the generalised force of virtual work.
`power` is linear in the velocities and holds what is known at the first knot; `rates` and `damping` are what acts at
the step's own velocity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symvi.mechanism import coordinate_count
from symvi.verify.naive import joints
from symvi.verify.naive.expressions import rows_of_expressions
from symvi.verify.naive.quaternion import add, cross, dot, rotate, subtract


@dataclass(frozen=True)
class NaiveForce:
    """A law between two bodies ("world" allowed): functions of their placements, and of motions (v, w) for rates."""

    bodies: tuple[str, str]
    energy: Callable | None = None
    power: Callable | None = None
    rates: Callable | None = None
    damping: Sequence = ()


def naive_force(scene, force) -> NaiveForce:
    """The plain law of a force of the scene's mechanism."""
    return KINDS[force.kind](scene, force, scene.parameters[force.name], scene.inputs.get(force.name, {}))


def joint_coordinates(scene, joint: joints.JointNumbers, near, a, b) -> list:
    return [joints.coordinate(joint, k, a, b, scene.functions, near) for k in range(coordinate_count(joint))]


def _joint_spring(scene, force, numbers, inputs) -> NaiveForce:
    joint, near = scene.joints[force.joint], scene.near(force.name)
    if force.law == "sinusoidal":
        return _sinusoidal_spring(scene, joint, numbers)

    def energy(a, b):
        stretch = subtract(joint_coordinates(scene, joint, near, a, b), numbers["rest"])
        return sum((k * s * s for k, s in zip(numbers["stiffness"], stretch, strict=True)), scene.zero) / 2

    return NaiveForce((joint.parent, joint.child), energy=energy)


def _sinusoidal_spring(scene, joint, numbers) -> NaiveForce:
    """V = k (1 - cos(alpha - rest)), where the joint holds: half of alpha is the angle of (d_w, a3·d_v)."""

    def energy(a, b):
        d = joints.relative(joint, a, b)
        c, s = d[0], dot(joint.axes[2], d[1:])
        cosine, sine = (c * c - s * s) / (c * c + s * s), 2 * c * s / (c * c + s * s)
        return numbers["stiffness"][0] * (1 - cosine * numbers["rest_cos"][0] - sine * numbers["rest_sin"][0])

    return NaiveForce((joint.parent, joint.child), energy=energy)


def _point_spring(scene, force, numbers, inputs) -> NaiveForce:
    joint = scene.joints[force.name]

    def energy(a, b):
        u = joints.gap(joint, a, b)
        stretch = scene.functions.sqrt(dot(u, u)) - numbers["length"][0]
        return numbers["stiffness"][0] * stretch * stretch / 2

    return NaiveForce((joint.parent, joint.child), energy=energy)


def _rates(scene, joint, near) -> Callable:
    return lambda a, b, motion_a, motion_b: joints.rates(
        joint, a, b, motion_a, motion_b, scene.functions, near, scene.zero
    )


def _joint_damper(scene, force, numbers, inputs) -> NaiveForce:
    joint = scene.joints[force.joint]
    return NaiveForce(
        (joint.parent, joint.child), rates=_rates(scene, joint, scene.near(force.name)), damping=numbers["damping"]
    )


def _actuator(scene, force, numbers, inputs) -> NaiveForce:
    joint = scene.joints[force.joint]
    rates = _rates(scene, joint, scene.near(force.name))

    def power(*motion):
        return sum((f * rate for f, rate in zip(inputs["force"], rates(*motion), strict=True)), scene.zero)

    return NaiveForce((joint.parent, joint.child), power=power)


def _servo(scene, force, numbers, inputs) -> NaiveForce:
    joint, near = scene.joints[force.joint], scene.near(force.name)
    rates = _rates(scene, joint, near)

    def power(a, b, motion_a, motion_b):
        error = subtract(inputs["target"], joint_coordinates(scene, joint, near, a, b))
        pulls = zip(
            numbers["stiffness"],
            error,
            numbers["damping"],
            inputs["target_rate"],
            rates(a, b, motion_a, motion_b),
            strict=True,
        )
        return sum(((k * e + d * target) * rate for k, e, d, target, rate in pulls), scene.zero)

    return NaiveForce((joint.parent, joint.child), power=power, rates=rates, damping=numbers["damping"])


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

    return NaiveForce((force.parent, force.child), energy=energy)


KINDS: dict[str, Callable] = {
    "joint_spring": _joint_spring,
    "point_spring": _point_spring,
    "joint_damper": _joint_damper,
    "actuator": _actuator,
    "servo": _servo,
    "wrench": _wrench,
    "potential": _potential,
}
