"""The equations of motion by Newton and Euler with multipliers, dense: a witness without variational integrators.

For the velocities u of the body frames (origin in world axes, turning in body axes), with G u = 0 on the constraints:
    M u' + bias = forces + Gᵀ lambda,    G u' = -(d/dt G) u
Constraints and joint coordinates are those of kinematics.py; every derivative is a complex step through them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from symvi.mechanism import Body, Force, Joint, Mechanism, State, axis_values, coordinate_kinds
from symvi.mechanism.signals import signal_tree, value_and_rate
from tests.support.kinematics import constraints, coordinates, gradient, joint_rows, motion
from tests.support.poses import Pose, Poses, multiply, poses_of, skew

__all__ = ["Motion", "equations_of_motion", "free_rates", "inertia_matrix"]

COMPLEX_STEP = 1e-30
DIFFERENCE = 1e-3  # of fourth order: 1e-12 of truncation and 1e-13 of round-off


class Motion(NamedTuple):
    """Accelerations at one instant, and what the constraints do to the bodies.

    acceleration (n, 3): of the centres of mass, world axes. angular_acceleration (n, 3): body axes.
    reactions: joint -> (6,) force and torque about the anchor on the child, in joint axes.
    """

    acceleration: np.ndarray
    angular_acceleration: np.ndarray
    reactions: dict[str, np.ndarray]


def equations_of_motion(mechanism: Mechanism, state: State) -> Motion:
    """Solve for the accelerations of a state whose velocities fulfil the constraints.

    Servos, actuators and wrenches act by their signals; inputs without a signal are zero.
    """
    poses, names = poses_of(state), state.names
    velocities = motion(mechanism, state)
    mass, forces = _mass_and_forces(mechanism, state, poses)
    for force in mechanism.forces:
        forces += _force(mechanism, force, poses, velocities, state)
    held = [(name, gradient(rows, poses, bodies, names)) for name, bodies, rows in constraints(mechanism, state.time)]
    jacobian = np.concatenate([np.zeros((0, len(forces))), *(rows for _, rows in held)])
    convective = _convective(mechanism, state, poses, velocities)
    count = len(jacobian)
    matrix = np.block([[mass, -jacobian.T], [jacobian, np.zeros((count, count))]])
    solution = np.linalg.lstsq(matrix, np.concatenate([forces, -convective]), rcond=1e-12)[0]
    rates, multipliers = solution[: len(forces)], solution[len(forces) :]
    return Motion(*_centres(mechanism, state, poses, rates), _reactions(mechanism, poses, names, held, multipliers))


def free_rates(joint: Joint, state: State, velocities: np.ndarray) -> np.ndarray:
    """The rates [m/s, rad/s] of a joint's free motions, which dampers and actuators act along.

    velocities: those of the state as `motion` gives them.
    """
    poses, bodies = poses_of(state), {joint.parent, joint.child} - {"world"}
    along = gradient(partial(coordinates, joint), poses, bodies, state.names)
    return _free_motions(joint, poses, bodies, state.names, along) @ velocities


def inertia_matrix(body: Body) -> np.ndarray:
    """(3, 3) about the centre of mass in body axes [kg m^2]."""
    ixx, iyy, izz, ixy, ixz, iyz = body.inertia
    return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])


def _mass_and_forces(mechanism: Mechanism, state: State, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
    """Mass matrix, and weights minus what the bodies' own turning asks for."""
    size = 6 * len(mechanism.bodies)
    mass, forces = np.zeros((size, size)), np.zeros(size)
    for k, body in enumerate(mechanism.bodies):
        block, turning = slice(6 * k, 6 * k + 6), state.angular_velocity[k]
        rotation, inertia, to_centre = poses[body.name].R, inertia_matrix(body), _to_centre(body, poses)
        centripetal = rotation @ np.cross(turning, np.cross(turning, body.center_of_mass))
        force = body.mass * (np.array(mechanism.gravity) - centripetal)
        torque = -np.cross(turning, inertia @ turning)
        mass[block, block] = body.mass * to_centre.T @ to_centre
        mass[block, block][3:, 3:] += inertia
        forces[block] = to_centre.T @ force + np.concatenate([np.zeros(3), torque])
    return mass, forces


def _to_centre(body: Body, poses: Poses) -> np.ndarray:
    """(3, 6): the velocity of the centre of mass from those of the body frame."""
    return np.hstack([np.eye(3), -poses[body.name].R @ skew(np.array(body.center_of_mass))])


def _convective(mechanism: Mechanism, state: State, poses: Poses, velocities: np.ndarray) -> np.ndarray:
    """(d/dt G) u: the second derivative of the rows along a motion with the velocities held."""

    def rates(time: float) -> np.ndarray:
        moved = dict(poses)
        for k, name in enumerate(state.names):
            v, w = velocities[6 * k : 6 * k + 3], velocities[6 * k + 3 : 6 * k + 6]
            at = time + 1j * COMPLEX_STEP
            speed = np.sqrt(w @ w)
            sine = np.sin(at * speed / 2) / speed if speed > 0 else at / 2
            turn = np.concatenate([[np.cos(at * speed / 2)], sine * w])
            moved[name] = Pose(poses[name].x + at * v, multiply(poses[name].q, turn))
        rows = [row(moved) for _, _, row in constraints(mechanism, state.time)]
        return np.concatenate([np.zeros(0), *map(np.imag, rows)]) / COMPLEX_STEP

    d = DIFFERENCE
    return (8 * (rates(d) - rates(-d)) - (rates(2 * d) - rates(-2 * d))) / (12 * d)


def _force(mechanism: Mechanism, force: Force, poses: Poses, velocities: np.ndarray, state: State) -> np.ndarray:
    """The generalized force of one force element."""
    names, time = state.names, state.time
    if force.kind == "wrench":
        return _wrench(force, poses, names, time)
    if force.kind in ("point_spring", "potential"):
        bodies = {force.parent, force.child} - {"world"}
        pull = -gradient(lambda p: np.array([_pair_energy(force, p)]), poses, bodies, names)[0]
        if getattr(force, "damping", 0.0):
            along = gradient(lambda p: np.array([_distance(force, p)]), poses, bodies, names)[0]
            pull = pull - along * (force.damping * (along @ velocities))
        return pull
    joint = mechanism.joint(force.joint)
    bodies = {joint.parent, joint.child} - {"world"}
    along = gradient(partial(coordinates, joint), poses, bodies, names)
    acting = _free_motions(joint, poses, bodies, names, along)
    c, kinds = coordinates(joint, poses), coordinate_kinds(joint.type)
    if force.kind == "joint_spring":
        stretch = c - np.array(axis_values(force.rest, kinds))
        stretch = np.sin(stretch) if force.law == "sinusoidal" else stretch
        return -along.T @ (axis_values(force.stiffness, kinds) * stretch)
    if force.kind == "joint_damper":
        return -acting.T @ (axis_values(force.damping, kinds) * (acting @ velocities))
    if force.kind == "actuator":
        return acting.T @ np.array([_value(text, time)[0] for text in force.signal or ["0"] * len(c)])
    target, rate = _value(force.signal, time)  # a servo
    return -along.T @ (force.stiffness * (c - target) + force.damping * (along @ velocities - rate))


def _value(text: str | None, time: float) -> tuple[float, float]:
    return (0.0, 0.0) if text is None else value_and_rate(signal_tree(text), time)


def _free_motions(joint: Joint, poses: Poses, bodies: set[str], names, along: np.ndarray) -> np.ndarray:
    """The rates that dampers and actuators act along: those of the coordinates; for three rotations, the relative
    angular velocity in joint axes."""
    kinds = coordinate_kinds(joint.type)
    if kinds.count("rotation") < 3:
        return along
    result = along.copy()
    axes = _joint_axes(joint, poses)
    for name in bodies:
        sign = 1.0 if name == joint.child else -1.0
        k = names.index(name)
        turning = np.hstack([np.zeros((3, 3)), sign * axes.T @ poses[name].R])
        result[kinds.count("translation") :, 6 * k : 6 * k + 6] = turning
    return result


def _joint_axes(joint: Joint, poses: Poses) -> np.ndarray:
    """(3, 3): the axes of the joint frame in the world, one a column."""
    return Pose(np.zeros(3), multiply(poses[joint.parent].q, np.array(joint.orientation))).R


def _pair_energy(force: Force, poses: Poses):
    if force.kind == "potential":
        row = Joint(name=force.name, type="custom", parent=force.parent, child=force.child,
                    expressions=[force.expression], parameters=dict(force.parameters))  # fmt: skip
        return joint_rows(row, poses)[0]
    return force.stiffness / 2 * (_distance(force, poses) - force.length) ** 2


def _distance(force: Force, poses: Poses):
    a, b = poses[force.parent], poses[force.child]
    between = b.x + b.R @ force.child_anchor - a.x - a.R @ force.parent_anchor
    return np.sqrt(between @ between)


def _wrench(force: Force, poses: Poses, names, time: float) -> np.ndarray:
    values = np.array([_value(text, time)[0] for text in force.signal or ["0"] * 6])
    pose, result = poses[force.body], np.zeros(6 * len(names))
    push = pose.R @ values[:3] if force.frame == "body" else values[:3]
    k = names.index(force.body)
    result[6 * k : 6 * k + 3] = push
    result[6 * k + 3 : 6 * k + 6] = np.cross(force.point, pose.R.T @ push) + values[3:]
    return result


def _centres(mechanism: Mechanism, state: State, poses: Poses, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    linear, angular = [], []
    for k, body in enumerate(mechanism.bodies):
        turning = state.angular_velocity[k]
        centripetal = poses[body.name].R @ np.cross(turning, np.cross(turning, body.center_of_mass))
        linear.append(_to_centre(body, poses) @ rates[6 * k : 6 * k + 6] + centripetal)
        angular.append(rates[6 * k + 3 : 6 * k + 6])
    return np.array(linear), np.array(angular)


def _reactions(mechanism: Mechanism, poses: Poses, names, held, multipliers: np.ndarray) -> dict[str, np.ndarray]:
    found, first = {}, 0
    joints: dict[str, Callable] = {joint.name: joint for joint in mechanism.joints}
    for name, rows in held:
        own = multipliers[first : first + len(rows)]
        first += len(rows)
        if name in joints:
            joint = joints[name]
            k = names.index(joint.child)
            force, torque = np.split((rows.T @ own)[6 * k : 6 * k + 6], 2)
            child, axes = poses[joint.child], _joint_axes(joint, poses)
            about_anchor = child.R @ torque - np.cross(child.R @ joint.child_anchor, force)
            found[name] = np.concatenate([axes.T @ force, axes.T @ about_anchor])
    return found
