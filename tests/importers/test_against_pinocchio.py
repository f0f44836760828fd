"""The same URDF file read here and by Pinocchio: the same places, the same masses, the same accelerations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from symvi.importers import load
from symvi.simulate.coordinates import coordinates_of, state_from
from symvi.simulate.simulator import Simulator
from tests.importers.urdf_texts import joint, link, random_robot, robot, words

peers = pytest.importorskip("tests.importers.pinocchio_peer", reason="needs the extra peers")

BASES = ("fixed", "floating")
ROUND_OFF = 1e-10


def written(folder: Path, seed: int) -> Path:
    path = folder / "robot.urdf"
    path.write_text(random_robot(seed))
    return path


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("seed", range(12))
def test_every_link_is_where_pinocchio_has_it(seed: int, base: str, tmp_path: Path) -> None:
    path = written(tmp_path, seed)
    same_places(path, base, seed)


def same_places(path: Path, base: str, seed: int, masses: bool = True, mimic: bool = True, **options: object) -> None:
    """masses: whether they are compared too. mimic: whether Pinocchio knows that joints mimic others."""
    imported, peer = load(path, base=base, **options), peers.Peer(path, base, mimic)
    for number in range(3):
        motion = peers.random_motion(imported, peer, 100 * seed + number)
        state = peers.state_of(imported, motion)
        own, others = peers.link_poses(imported, state), peer.placements(motion.q)
        assert own.keys() <= others.keys() and len(own) > 0
        for name, pose in own.items():
            assert np.abs(pose - others[name]).max() < ROUND_OFF, name
        if not masses:
            continue
        weights = np.array([body.mass for body in imported.mechanism.bodies])
        centers = [
            (peers.homogeneous(p, q) @ [*body.center_of_mass, 1.0])[:3]
            for body, p, q in zip(imported.mechanism.bodies, state.position, state.orientation, strict=True)
        ]
        mass, center = peer.mass_and_center(motion.q)
        assert abs(weights.sum() - mass) < ROUND_OFF * mass
        assert np.abs(weights @ centers / weights.sum() - center).max() < ROUND_OFF


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0), (0, 0, -1)])
def test_a_planar_joint_about_z_is_pinocchios_which_knows_no_other(axis: tuple, tmp_path: Path) -> None:
    path, (x, y, angle) = tmp_path / "robot.urdf", (0.3, -0.4, 0.5)
    path.write_text(
        robot(link("base"), link("arm"), joint("j", "planar", "base", "arm", f'<axis xyz="{words(axis)}"/>'))
    )
    imported, peer = load(path), peers.Peer(path, "fixed")
    other = peer.placements(np.array([x, y, np.cos(angle), np.sin(angle)]))["arm"]
    state = state_from(imported.mechanism, {"j": (x, y, angle)})
    own = peers.link_poses(imported, state)["arm"]
    assert np.allclose(other[:3, 3], (x, y, 0.0), rtol=0, atol=ROUND_OFF)
    assert (np.abs(own - other).max() < ROUND_OFF) == (axis == (0, 0, 1))


@pytest.mark.slow
@pytest.mark.parametrize("seed, base", [(1, "fixed"), (3, "floating")])
def test_a_short_step_has_pinocchios_acceleration(seed: int, base: str, tmp_path: Path) -> None:
    same_acceleration(written(tmp_path, seed), base, seed)


def same_acceleration(path: Path, base: str, seed: int, **options: object) -> None:
    """The change of the rates at the knots over h, which differs from the acceleration by O(h): ten times less at h/10.

    Stops are taken away (random coordinates lie beyond them); damping and friction are added to Pinocchio's torques.
    """
    imported, peer = load(path, base=base, **options), peers.Peer(path, base)
    motion = peers.random_motion(imported, peer, seed)
    start = peers.state_of(imported, motion)
    wanted = peer.acceleration(motion.q, motion.v, peers.resistance(imported, peer, motion))
    simulator = Simulator(imported.mechanism.changed(limits=()))
    errors = []
    for step in (1e-4, 1e-5):
        found = np.zeros_like(wanted)
        run = simulator.simulate(step, step, start=start)
        end = run.state(-1)
        for name, (own, first) in imported.joints.items():
            k = peer.model.getJointId(name)
            item = peer.model.joints[k] if k < peer.model.njoints else None
            if item is None or item.nv != 1 or item.shortname() == "JointModelMimic":
                continue
            before, after = (coordinates_of(imported.mechanism, own, state)[1][first] for state in (start, end))
            found[item.idx_v] = (after - before) / step
        if base == "floating":
            found[:6] = peers.base_acceleration(imported, start, end, step)
        errors.append(np.abs(found - wanted).max())
    scale = 1.0 + np.abs(wanted).max()
    assert errors[1] < 0.05 * scale, errors  # stiff damping of light links: much happens in 1e-5 s
    assert errors[1] < 0.2 * errors[0] or errors[1] < 1e-6 * scale, errors
