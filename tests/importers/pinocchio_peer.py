"""The same robot in Pinocchio: where its links are, what it weighs, how it accelerates.

Pinocchio reads the same file with its own reader. Coordinates go by the names of the file's joints; a floating base is
"root_joint" in both, here with a rotation vector and there with a quaternion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from symvi.importers import Imported
from symvi.mechanism import JointDamper, Mechanism, State, axis_values
from symvi.mechanism.joint_table import coordinate_count, coordinate_kinds
from symvi.mechanism.rotation import body_rate, from_rotation_vector
from symvi.simulate.coordinates import state_from

pinocchio = pytest.importorskip("pinocchio", reason="needs the extra peers")

__all__ = ["Motion", "Peer", "base_acceleration", "link_poses", "random_motion", "resistance", "state_of"]


@dataclass(frozen=True)
class Motion:
    """Coordinates and rates of the mechanism's joints, by their names there, and the same in Pinocchio's order."""

    coordinates: dict[str, tuple]
    rates: dict[str, tuple]
    q: np.ndarray
    v: np.ndarray


class Peer:
    """A robot of Pinocchio, made from a URDF file. mimic: whether joints that mimic others have no coordinate there."""

    def __init__(self, path: Path, base: str = "fixed", mimic: bool = True):
        free = [pinocchio.JointModelFreeFlyer()] if base == "floating" else []
        self.model = pinocchio.buildModelFromUrdf(str(path), *free, mimic=mimic)
        self.data = self.model.createData()

    def placements(self, q: np.ndarray) -> dict[str, np.ndarray]:
        """Link -> 4 x 4 pose in the world."""
        pinocchio.framesForwardKinematics(self.model, self.data, q)
        frames = enumerate(self.model.frames)
        return {f.name: self.data.oMf[k].homogeneous for k, f in frames if f.type == pinocchio.FrameType.BODY}

    def mass_and_center(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """Mass of everything that moves [kg] and its centre in the world [m]."""
        center = np.array(pinocchio.centerOfMass(self.model, self.data, q))
        return self.data.mass[0], center

    def acceleration(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """M(q)^-1 (tau - C v - g), with M column by column from inverse dynamics.

        Pinocchio's aba takes no mimicking joints, and its crba is wrong where two joints of one branch mimic a third.
        """
        none = np.zeros(self.model.nv)

        def torques(rates: np.ndarray, change: np.ndarray) -> np.ndarray:
            return np.array(pinocchio.rnea(self.model, self.data, q, rates, change))

        at_rest = torques(none, none)
        matrix = np.array([torques(none, unit) - at_rest for unit in np.eye(self.model.nv)]).T
        return np.linalg.solve(matrix, tau - torques(v, none))


def random_motion(imported: Imported, peer: Peer, seed: int, speed: float = 1.0) -> Motion:
    """Random coordinates and rates of all joints of a robot, followers as their leaders say."""
    random = np.random.default_rng(seed)
    mechanism = imported.mechanism
    counts = {joint.name: coordinate_count(joint) for joint in mechanism.joints}
    values = {name: random.uniform(-1, 1, count) for name, count in counts.items()}
    rates = {name: speed * random.uniform(-1, 1, count) for name, count in counts.items()}
    known = {own for name, (own, _) in imported.joints.items() if name in set(peer.model.names)}
    for name in counts.keys() - known:  # a world's own link set free, which Pinocchio moves together with the world
        values[name], rates[name] = np.zeros(counts[name]), np.zeros(counts[name])
    for coupling in _outwards(mechanism):
        follower, leader = coupling.joints
        values[follower] = coupling.ratio * values[leader] + coupling.offset
        rates[follower] = coupling.ratio * rates[leader]
    q, v = np.array(pinocchio.neutral(peer.model)), np.zeros(peer.model.nv)
    for name, item in zip(peer.model.names, peer.model.joints, strict=True):
        if name not in imported.joints or item.shortname() == "JointModelMimic":
            continue
        own, first = imported.joints[name]
        if item.nv == 6:
            _fill_floating(values[own], rates[own], q, v, item)
            continue
        value = values[own][first]
        q[item.idx_q : item.idx_q + item.nq] = [value] if item.nq == 1 else [np.cos(value), np.sin(value)]
        v[item.idx_v] = rates[own][first]
    return Motion(_tuples(values), _tuples(rates), q, v)


def _fill_floating(values: np.ndarray, rates: np.ndarray, q: np.ndarray, v: np.ndarray, item) -> None:
    turn = tuple(values[3:])
    w, x, y, z = from_rotation_vector(turn)
    q[item.idx_q : item.idx_q + 7] = [*values[:3], x, y, z, w]
    rotation = pinocchio.Quaternion(w, x, y, z).matrix()
    v[item.idx_v : item.idx_v + 6] = [*(rotation.T @ rates[:3]), *body_rate(turn, tuple(rates[3:]))]


def _outwards(mechanism: Mechanism) -> list:
    """The couplings, each behind the one that gives its leader."""
    done, left, ordered = set(), list(mechanism.couplings), []
    followers = {coupling.joints[0] for coupling in left}
    while left:
        ready = [c for c in left if c.joints[1] not in followers or c.joints[1] in done]
        ordered += ready
        done |= {c.joints[0] for c in ready}
        left = [c for c in left if c not in ready]
    return ordered


def _tuples(values: Mapping[str, np.ndarray]) -> dict[str, tuple]:
    return {name: tuple(entries.tolist()) for name, entries in values.items()}


def resistance(imported: Imported, peer: Peer, motion: Motion) -> np.ndarray:
    """Generalised forces of the mechanism's dampers and dry friction, in Pinocchio's order; Pinocchio has none."""
    mechanism, model = imported.mechanism, peer.model
    ratios = {c.joints[0]: (c.joints[1], c.ratio) for c in mechanism.couplings}
    places = {where: name for name, where in imported.joints.items()}
    result = np.zeros(model.nv)
    for force in mechanism.forces:
        kinds = coordinate_kinds(mechanism.joint(force.joint).type)
        sizes = axis_values(force.damping if isinstance(force, JointDamper) else force.bound, kinds)
        for k, (size, rate) in enumerate(zip(sizes, motion.rates[force.joint], strict=True)):
            value = -size * (rate if isinstance(force, JointDamper) else np.sign(rate))
            joint, first = force.joint, k
            while joint in ratios:
                joint, ratio = ratios[joint]
                value *= ratio
            result[model.joints[model.getJointId(places[joint, first])].idx_v] += value
    return result


def base_acceleration(imported: Imported, start: State, end: State, step: float) -> np.ndarray:
    """Of the floating base, as Pinocchio has it: spatial, in body axes, from the change between two knots."""
    mechanism = imported.mechanism
    name = mechanism.joint("root_joint").child
    row, body = start.index(name), mechanism.body(name)
    rotation = homogeneous((0, 0, 0), start.orientation[row])[:3, :3]
    turning, arm = start.angular_velocity[row], np.array(body.center_of_mass)
    change = (end.angular_velocity[row] - turning) / step
    fall = rotation.T @ (end.velocity[row] - start.velocity[row]) / step
    velocity = rotation.T @ start.velocity[row] - np.cross(turning, arm)
    origin = fall - np.cross(change, arm) - np.cross(turning, np.cross(turning, arm))
    return np.array([*(origin - np.cross(turning, velocity)), *change])


def link_poses(imported: Imported, state: State) -> dict[str, np.ndarray]:
    """Link of the file -> 4 x 4 pose in the world, from a state of the mechanism."""
    found = {}
    for name, placed in imported.links.items():
        place, turn = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
        if placed.body != "world":
            row = state.index(placed.body)
            place, turn = state.position[row], state.orientation[row]
        found[name] = homogeneous(place, turn) @ homogeneous(*placed.pose)
    return found


def homogeneous(position, orientation) -> np.ndarray:
    w, x, y, z = orientation
    pose = np.eye(4)
    pose[:3, :3] = pinocchio.Quaternion(w, x, y, z).matrix()
    pose[:3, 3] = position
    return pose


def state_of(imported: Imported, motion: Motion) -> State:
    moving = {name: values for name, values in motion.coordinates.items() if values}
    rates = {name: values for name, values in motion.rates.items() if values}
    return state_from(imported.mechanism, moving, velocities=rates)
