"""Two bodies in free space that nothing but one joint and its forces hold together: their momentum cannot change.

BM20 and BSMH23 have no such experiment; Dojo's tests have (its "snake" and "twister"). Every joint type and every force
between bodies is tried on such a pair, without gravity unless it is asked for.
"""

from __future__ import annotations

import numpy as np

from symvi.mechanism import (
    JOINT_TYPES,
    Actuator,
    Body,
    Force,
    Joint,
    JointDamper,
    JointSpring,
    Mechanism,
    PointSpring,
    Potential,
    Servo,
    coordinate_kinds,
)
from tests.support.placing import Fit, fitted_joint
from tests.support.poses import Pose

__all__ = ["FORCE_KINDS", "PAIRS", "floating_pair", "internal_force"]

# A potential of both bodies that does not change when they move as one: it pulls the origins together, and an axis of
# one towards an axis of the other.
POTENTIAL = (
    "k*((x_b[0] - x_a[0])**2 + (x_b[1] - x_a[1])**2 + (x_b[2] - x_a[2])**2)/2"
    " - c*(R_a[0,0]*R_b[0,2] + R_a[1,0]*R_b[1,2] + R_a[2,0]*R_b[2,2])"
)


def internal_force(kind: str, joint: Joint) -> Force | None:
    """A force of this kind between the two bodies of a joint; None where the joint has nothing for it to act on."""
    axes = coordinate_kinds(joint.type)
    bodies = {"parent": joint.parent, "child": joint.child}
    per_axis = tuple({"translation": 3.0, "rotation": 0.8}[axis] for axis in axes)
    name = f"{kind}_of_{joint.name}"
    if kind == "point_spring":
        anchors = {"parent_anchor": (0.1, 0.2, -0.1), "child_anchor": (-0.2, 0.1, 0.15)}
        return PointSpring(name=name, **bodies, **anchors, stiffness=4.0, length=0.3)
    if kind == "potential":
        return Potential(name=name, **bodies, expression=POTENTIAL, parameters={"k": 2.0, "c": 0.7})
    if not axes or (kind == "sinusoidal_spring" and axes != ("rotation",)) or (kind == "servo" and len(axes) != 1):
        return None
    if kind == "servo":
        return Servo(name=name, joint=joint.name, stiffness=3.0, damping=0.5, signal="0.3*sin(2*t)")
    if kind == "actuator":
        return Actuator(name=name, joint=joint.name, signal=[f"0.5*cos({k + 1}*t)" for k in range(len(axes))])
    if kind == "joint_damper":
        return JointDamper(name=name, joint=joint.name, damping=tuple(0.4 * value for value in per_axis))
    law = "sinusoidal" if kind == "sinusoidal_spring" else "linear"
    rest = tuple(0.1 * (k + 1) for k in range(len(axes)))
    return JointSpring(name=name, joint=joint.name, stiffness=per_axis, rest=rest, law=law)


FORCE_KINDS = (
    "joint_spring", "sinusoidal_spring", "point_spring", "joint_damper", "actuator", "servo", "potential",
)  # fmt: skip


def floating_pair(
    joint_type: str, *forces: str, seed: int = 0, gravity: tuple[float, ...] = (0, 0, 0), spin: float = 1.0
) -> Mechanism:
    """Two asymmetric bodies, frames away from their centres of mass, with one joint and forces of these kinds.

    They start turning and moving as the joint allows; spin scales their start velocities. Kinds for which the joint has
    no free axis are left out. seed: of anchors, axis, coordinates and velocities.
    """
    random = np.random.default_rng([seed, JOINT_TYPES.index(joint_type)])
    base = Body(
        name="base", mass=1.3, inertia=(0.05, 0.08, 0.07, 0.01, -0.005, 0.008), center_of_mass=(0.05, -0.02, 0.04),
        position=(0.2, -0.1, 0.3), orientation=(0.5, 0.5, -0.5, 0.5),
        velocity=(0.3 * spin, -0.2 * spin, 0.1 * spin), angular_velocity=(0.9 * spin, -0.6 * spin, 0.7 * spin),
    )  # fmt: skip
    tip = Body(
        name="tip", mass=0.7, inertia=(0.03, 0.02, 0.04, -0.004, 0.006, 0.002), center_of_mass=(-0.03, 0.04, 0.06),
        position=(0.7, 0.3, 0.1), orientation=(0.8, 0.2, 0.4, -0.4),
    )  # fmt: skip
    poses = [(body.name, Pose(np.array(body.position), np.array(body.orientation))) for body in (base, tip)]
    joint = fitted_joint("joint", joint_type, *poses, Fit.random(joint_type, random))
    if joint.coordinate is not None:
        joint = joint.changed(velocity=tuple(spin * float(x) for x in random.uniform(-1, 1, len(joint.coordinate))))
    mechanism = Mechanism(
        name=f"pair_{joint_type}",
        gravity=gravity,
        bodies=[base, tip],
        joints=[joint],
        forces=[force for kind in forces if (force := internal_force(kind, joint)) is not None],
    )
    return _moving(mechanism) if joint.coordinate is None else mechanism


def _moving(mechanism: Mechanism) -> Mechanism:
    """The tip carried along by the base, as if the two were one body: every joint allows that."""
    base, tip = mechanism.bodies
    poses = [Pose(np.array(body.position), np.array(body.orientation)) for body in (base, tip)]
    centres = [pose.x + pose.R @ body.center_of_mass for pose, body in zip(poses, (base, tip), strict=True)]
    turning = poses[0].R @ base.angular_velocity
    velocity = np.array(base.velocity) + np.cross(turning, centres[1] - centres[0])
    moving = tip.changed(velocity=velocity, angular_velocity=poses[1].R.T @ turning)
    return mechanism.changed(bodies=[base, moving])


# Every joint type with every kind of force that can act on it.
PAIRS = tuple(
    (joint_type, kind) for joint_type in JOINT_TYPES for kind in FORCE_KINDS if floating_pair(joint_type, kind).forces
)
