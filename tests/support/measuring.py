"""What is read off trajectories: angles, relative motions, momenta by their definition, observed orders."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from symvi.mechanism import coordinate_kinds
from symvi.simulate import Trajectory
from tests.support.kinematics import coordinates
from tests.support.poses import Pose, poses_of

__all__ = ["angle_about", "body_axes", "centre", "joint_coordinates", "largest", "momenta", "observed_order"]


def largest(values) -> float:
    """The largest absolute value."""
    return float(np.max(np.abs(values)))


def angle_about(trajectory: Trajectory, body: str, axis=(1.0, 0.0, 0.0)) -> np.ndarray:
    """(N,): the unwrapped angle [rad] of a body that turns about an axis fixed in it and in the world only."""
    q = trajectory.orientation[:, trajectory.body(body)]
    return 2.0 * np.unwrap(np.arctan2(q[:, 1:] @ np.array(axis), q[:, 0]), period=np.pi)


def joint_coordinates(trajectory: Trajectory, name: str) -> np.ndarray:
    """(N, coordinates): minimal coordinates of a joint [m, rad]; a single angle unwrapped from its start value on."""
    joint = trajectory.mechanism.joint(name)
    found = np.array([coordinates(joint, poses_of(trajectory.state(n))) for n in range(len(trajectory))])
    kinds = coordinate_kinds(joint.type)
    if kinds.count("rotation") == 1:
        angle = np.unwrap(found[:, -1])
        start = angle[0] if joint.coordinate is None else joint.coordinate[-1]
        found[:, -1] = angle + 2 * np.pi * np.round((start - angle[0]) / (2 * np.pi))
    return found


def body_axes(trajectory: Trajectory, body: str, vector) -> np.ndarray:
    """(N, 3): a vector fixed in a body, in world axes."""
    orientations = trajectory.orientation[:, trajectory.body(body)]
    return np.array([Pose(np.zeros(3), q).R @ np.array(vector) for q in orientations])


def centre(trajectory: Trajectory, body: str) -> np.ndarray:
    """(N, 3): the centre of mass in the world [m]."""
    k = trajectory.body(body)
    return trajectory.position[:, k] + body_axes(trajectory, body, trajectory.mechanism.bodies[k].center_of_mass)


def momenta(trajectory: Trajectory, bodies: Collection[str] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Linear (N, 3) and angular (N, 3) momentum about the world's origin, from placements and velocities alone.

    bodies: of these only.
    """
    linear, angular = np.zeros((2, len(trajectory), 3))
    for k, body in enumerate(trajectory.mechanism.bodies):
        if bodies is not None and body.name not in bodies:
            continue
        momentum = body.mass * trajectory.velocity[:, k]
        ixx, iyy, izz, ixy, ixz, iyz = body.inertia
        inertia = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
        rotations = [Pose(np.zeros(3), q).R for q in trajectory.orientation[:, k]]
        spin = [R @ inertia @ w for R, w in zip(rotations, trajectory.angular_velocity[:, k], strict=True)]
        linear += momentum
        angular += np.array(spin) + np.cross(centre(trajectory, body.name), momentum)
    return linear, angular


def observed_order(errors: Sequence[float], ratio: float = 2.0) -> np.ndarray:
    """The orders that errors at steps h, h/ratio, h/ratio^2, ... show: log(error/next error)/log(ratio)."""
    errors = np.array(errors)
    return np.log(errors[:-1] / errors[1:]) / np.log(ratio)
