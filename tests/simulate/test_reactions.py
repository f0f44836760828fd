"""Reactions of redundant loops: marked, of least norm, and the same forces on the bodies as those that the solver
found.
"""

from __future__ import annotations

import numpy as np

from symvi.demos import demo_file
from symvi.mechanism import Body, Box, Joint, Mechanism, Rod
from symvi.simulate.frames import rotation_matrices
from symvi.simulate.simulator import Simulator
from symvi.simulate.trajectory import Trajectory


def test_two_hinges_of_a_door_share_its_weight() -> None:
    """Which hinge carries a rigid door's weight is undetermined; by symmetry the least norm gives each one half of
    it.
    """
    door = Body(name="door", mass=20.0, shape=Box(size=(0.8, 0.04, 2.0)))
    hinges = [
        Joint(name=name, type="revolute", child="door", parent_anchor=(0.0, 0.0, z), child_anchor=(-0.4, 0.0, z))
        for name, z in (("lower", -0.7), ("upper", 0.7))
    ]
    simulator = Simulator(
        Mechanism(name="entrance", bodies=[door.changed(position=(0.4, 0.0, 0.0))], joints=hinges), backend="c"
    )
    motion = simulator.simulate(0.1, 0.01)
    assert set(motion.undetermined) == {"lower", "upper"}
    for name in ("lower", "upper"):
        assert np.allclose(motion.reactions[name][1:, 2], 20 * 9.81 / 2, rtol=1e-9)
    couple = (
        1.4 * motion.reactions["upper"][1:, 0] + motion.reactions["upper"][1:, 4] + motion.reactions["lower"][1:, 4]
    )
    assert np.allclose(np.abs(couple), 20 * 9.81 * 0.4, rtol=1e-9)


def test_a_reaction_is_that_of_the_knot_before() -> None:
    """The pin of a swinging rod carries m (g + a): to second order at the knot before, to first order at its own."""
    rod = Body(name="rod", mass=1.0, shape=Rod(length=1.0, position=(0.0, 0.0, -0.5)))
    pin = Joint(name="pin", type="revolute", child="rod", axis=(0.0, 1.0, 0.0), coordinate=1.0, velocity=1.0)
    simulator = Simulator(Mechanism(name="pendulum", bodies=[rod], joints=[pin]), backend="python")
    errors = []
    for step in (0.02, 0.01):
        motion = simulator.simulate(0.5, step)
        angle, rate = motion.coordinates("pin")[:, 0], motion.rates("pin")[:, 0]
        turning = -9.81 * 0.5 * np.sin(angle) / (rod.inertia[1] + 0.25)
        across = -0.5 * (np.cos(angle) * turning - np.sin(angle) * rate**2)
        along = 0.5 * (np.sin(angle) * turning + np.cos(angle) * rate**2) + 9.81
        found, expected = motion.reactions["pin"][:, [0, 2]], np.stack([across, along], axis=1)
        assert not found[0].any()
        errors.append([np.abs(found[2:] - expected[k : len(found) - 2 + k]).max() for k in (1, 2)])
    second, first = np.array(errors[0]) / errors[1]
    assert 3.5 < second < 4.5 and 1.8 < first < 2.2


def world_wrenches(motion: Trajectory, reactions) -> np.ndarray:
    """(N, n, 6) force and torque about the origin that the joints put on every body, at the placements where they
    act.
    """
    mechanism = motion.mechanism
    x, q = motion.before_position[1:], motion.before_orientation[1:]
    rotation = rotation_matrices(q)
    total = np.zeros((len(x), len(mechanism.bodies), 6))
    for joint in mechanism.joints:
        child = motion.body(joint.child)
        center = np.array(mechanism.bodies[child].center_of_mass)
        anchor = x[:, child] + rotation[:, child] @ (np.array(joint.child_anchor) - center)
        own = np.eye(3)[None] if joint.parent == "world" else rotation[:, motion.body(joint.parent)]
        axes = own @ rotation_matrices(np.array(joint.orientation))
        force, torque = (np.einsum("nij,nj->ni", axes, reactions[joint.name][1:, k : k + 3]) for k in (0, 3))
        wrench = np.concatenate([force, torque + np.cross(anchor, force)], axis=1)
        total[:, child] += wrench
        if joint.parent != "world":
            total[:, motion.body(joint.parent)] -= wrench
    return total


def test_sharing_changes_no_force_on_a_body() -> None:
    motion = Simulator(Mechanism.from_file(demo_file("four_bar")), backend="c").simulate(0.5, 0.01)
    assert motion.undetermined
    found, shared = (world_wrenches(motion, reactions) for reactions in (motion.kept_reactions, motion.reactions))
    assert np.abs(found - shared).max() < 1e-9 * np.abs(found).max()
    differs = max(np.abs(motion.reactions[name] - motion.kept_reactions[name]).max() for name in motion.undetermined)
    assert differs > 1e-3  # and yet they are others


def test_saved_trajectories_share_alike(tmp_path) -> None:
    motion = Simulator(Mechanism.from_file(demo_file("four_bar")), backend="c").simulate(0.1, 0.01)
    again = Trajectory.load(motion.save(tmp_path / "four_bar.npz"))
    assert all(np.array_equal(motion.reactions[name], again.reactions[name]) for name in motion.reactions)
