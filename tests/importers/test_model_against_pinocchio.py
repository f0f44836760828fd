"""Joint models of real robots against Pinocchio's algorithms on the same files: all answers to 1e-10."""

from __future__ import annotations

import numpy as np
import pytest

from symvi.importers import load
from symvi.simulate.joint_model import JointModel
from tests.importers.real_robots import PACKAGE, robot_file, robot_files, share

beside = pytest.importorskip("tests.importers.pinocchio_model", reason="needs the extra peers")
pytestmark = pytest.mark.skipif(not robot_files(), reason="needs example-robot-data")

NEAR = 1e-10  # of the largest entry
ROBOTS = [
    ("panda", "fixed"), ("ur5_robot", "fixed"), ("a1", "floating"), ("anymal", "floating"), ("centauro", "floating"),
    ("baxter", "fixed"), ("solo12", "floating"), ("hyq_no_sensors", "floating"), ("g1_29dof_rev_1_0", "floating"),
    ("allegro_right_hand", "fixed"), ("bolt", "floating"), ("tiago", "fixed"),
]  # fmt: skip


def same(found: np.ndarray, wanted: np.ndarray, what: str) -> None:
    assert np.abs(found - wanted).max() <= NEAR * max(1e-3, np.abs(wanted).max()), what


@pytest.mark.parametrize("name, base", ROBOTS)
def test_all_answers_are_pinocchios(name: str, base: str) -> None:
    path = robot_file(f"{name}.urdf")
    imported, peer = load(path, base=base, packages={PACKAGE: share()}), beside.Peer(path, base)
    model = JointModel(imported.mechanism, {})
    pair = beside.Beside(imported, model, peer)
    pin, robot, data = beside.pinocchio, peer.model, peer.data
    q, rates, change = pair.random(1)
    there, at = pair.coordinates(q), pair.v_at
    v, a = rates[at], change[at]
    pin.crba(robot, data, there)
    upper = np.triu(data.M)
    same(model.mass_matrix(q)[np.ix_(at, at)], upper + np.triu(upper, 1).T, "mass matrix")
    force = model.inverse_dynamics(q, rates, change)
    same(force[at], pin.rnea(robot, data, there, v, a), "inverse dynamics")
    same(model.bias(q, rates)[at], pin.nonLinearEffects(robot, data, there, v), "bias")
    if imported.mechanism.couplings:  # of joints that mimic others Pinocchio's aba knows nothing
        wanted = peer.acceleration(there, v, force[at])
    else:
        wanted = pin.aba(robot, data, there, v, force[at])
    same(model.forward_dynamics(q, rates, force)[at], wanted, "forward dynamics")
    same(model.centre_of_mass(q), pin.centerOfMass(robot, data, there), "centre of mass")
    same(model.centre_of_mass_jacobian(q)[:, at], pin.jacobianCenterOfMass(robot, data, there), "its Jacobian")
    same(model.momentum(q, rates), np.array(pin.computeCentroidalMomentum(robot, data, there, v)), "momentum")
    places, frames = peer.placements(there), model.frames(q)
    for link, placed in imported.links.items():
        if placed.body == "world":
            continue
        k = model.bodies.index(placed.body)
        body = np.eye(4)
        body[:3, :3], body[:3, 3] = frames.rotation[k], frames.position[k]
        same(body @ beside.homogeneous(*placed.pose), places[link], f"frame of {link}")
        frame = robot.getFrameId(link, pin.FrameType.BODY)
        wanted = pin.computeFrameJacobian(robot, data, there, frame, pin.LOCAL_WORLD_ALIGNED)
        same(model.jacobian(placed.body, q, placed.pose[0])[:, at], wanted, f"Jacobian of {link}")
