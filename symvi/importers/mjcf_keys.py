"""The keyframes of MJCF as further starts."""

from __future__ import annotations

from dataclasses import replace

from symvi.importers.mjcf_actuators import MotorOf, motor_inputs
from symvi.importers.mjcf_bodies import BALL, FREE, coordinates_of_free
from symvi.importers.mjcf_names import Compiled, pose_of
from symvi.importers.report import Findings
from symvi.importers.tree import Start
from symvi.mechanism.names import shown
from symvi.mechanism.rotation import rotation_vector

__all__ = ["read_starts", "start_of"]


def read_starts(compiled: Compiled, motors: tuple[MotorOf, ...], findings: Findings) -> dict[str, Start]:
    """Name of a keyframe -> the coordinates and rates of all joints in it, and the inputs of motors."""
    starts: dict[str, Start] = {}
    for index in range(compiled.model.nkey):
        name = compiled.name("key", index)
        why = "a start for state_from; the mechanism itself starts where the bodies stand in the file"
        if motors:
            why += "; its controls are inputs for simulate"
        findings.note("taken", compiled.source("key", index), f"key {shown(name)}", "keyframe", why)
        start = start_of(compiled, compiled.model.key_qpos[index], compiled.model.key_qvel[index])
        starts[name] = replace(start, inputs=motor_inputs(compiled, motors, index))
    return starts


def start_of(compiled: Compiled, qpos, qvel) -> Start:
    """MuJoCo's configuration and velocity as those of joints.

    Of a free joint the velocity is that of the body frame in world axes, and the rate of the rotation vector.
    """
    model = compiled.model
    coordinates: dict[str, tuple[float, ...]] = {}
    rates: dict[str, tuple[float, ...]] = {}
    for joint, name in enumerate(compiled.joints):
        place, dof, kind = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint]), int(model.jnt_type[joint])
        if kind == FREE:
            coordinates[name] = coordinates_of_free(qpos[place : place + 7])
            turning = vector_rate(coordinates[name][3:], qvel[dof + 3 : dof + 6])
            rates[name] = (*(float(value) for value in qvel[dof : dof + 3]), *turning)
        elif kind == BALL:
            coordinates[name] = rotation_vector(pose_of((0, 0, 0), qpos[place : place + 4]).orientation)
            rates[name] = vector_rate(coordinates[name], qvel[dof : dof + 3])
        else:
            coordinates[name], rates[name] = (float(qpos[place]),), (float(qvel[dof]),)
    return Start(coordinates, rates)


def vector_rate(vector, rate) -> tuple[float, ...]:
    """The rate of a rotation vector from the angular velocity in the axes of the turned body.

    theta' = w + theta x w / 2 + (1 - (|theta|/2) cot(|theta|/2)) theta x (theta x w) / |theta|^2
    """
    import numpy as np

    theta, omega = np.array(vector), np.array(rate, dtype=float)
    angle = float(np.linalg.norm(theta))
    once = np.cross(theta, omega)
    half = 0.5 * angle
    factor = 1.0 / 12.0 if angle < 1e-4 else (1.0 - half / np.tan(half)) / angle**2
    found = omega + 0.5 * once + factor * np.cross(theta, once)
    return tuple(float(value) + 0.0 for value in found)
