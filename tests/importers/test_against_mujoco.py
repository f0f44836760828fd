"""The same MJCF file read here and by MuJoCo: the same places, masses, velocities and accelerations of all bodies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from symvi.importers import load
from tests.importers.mjcf_files import files_of, package_folders
from tests.importers.mjcf_texts import random_model

peers = pytest.importorskip("tests.importers.mujoco_peer", reason="needs the extra mjcf")

ROUND_OFF = 1e-10
FILES = [path for folder in package_folders() for path in files_of(folder) if folder.name == "gymnasium"]
# Free bodies, planar ones, chains of hinges in one body, motors and armature; each of the others is much like one.
MOVED = ("ant", "half_cheetah", "hopper", "humanoid", "inverted_double_pendulum", "reacher", "swimmer")


def written(folder: Path, seed: int) -> Path:
    path = folder / "model.xml"
    path.write_text(random_model(seed))
    return path


@pytest.mark.parametrize("seed", range(16))
def test_every_body_is_where_mujoco_has_it(seed: int, tmp_path: Path) -> None:
    same_places(written(tmp_path, seed), seed)


def same_places(path: Path, seed: int) -> None:
    """Poses, mass and its centre, and velocities, at random coordinates and rates of all joints."""
    imported, peer = load(path), peers.Peer(path)
    for number in range(3):
        state, qpos, qvel = peers.random_state(imported, peer, 100 * seed + number)
        own, others = peers.link_poses(imported, state), peer.placements(qpos)
        named = {name for name in others if name}
        assert named and named <= own.keys()
        for name in named:
            assert np.abs(own[name] - others[name]).max() < ROUND_OFF, name
        mass, center = peers.mass_and_center(imported, state)
        wanted, wanted_center = peer.mass_and_center(qpos)
        assert abs(mass - wanted) < ROUND_OFF * wanted
        assert np.abs(center - wanted_center).max() < ROUND_OFF
        moves, wanted_moves = peers.link_velocities(imported, state), peer.velocities(qpos, qvel)
        for name in named:
            assert np.abs(moves[name] - wanted_moves[name]).max() < ROUND_OFF, name


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_a_short_step_has_mujocos_acceleration(seed: int, tmp_path: Path) -> None:
    same_acceleration(written(tmp_path, seed), seed)


def same_acceleration(path: Path, seed: int) -> None:
    """The change of all velocities over h differs from that with MuJoCo's acceleration by O(h): ten times less at h/10.

    Springs, dampers, armature, motors and servos with random inputs take part. Where a millionth of a body's inertia
    stands between its joints, a share of that size is left (between.py).
    """
    imported, peer = load(path), peers.Peer(path)
    state, qpos, qvel = peers.random_state(imported, peer, seed)
    control = np.random.default_rng(seed).uniform(-1, 1, peer.model.nu)
    inputs = peers.inputs(imported, peer, control)
    errors, size = [], 1.0
    for step in (1e-4, 1e-5):
        found = peers.body_accelerations(imported, state, step, inputs)
        wanted = peer.accelerations(qpos, qvel, control, step)
        named = {name for name in wanted if name}
        size = 1.0 + max(np.abs(wanted[name]).max() for name in named)
        errors.append(max(np.abs(found[name] - wanted[name]).max() for name in named) / size)
    assert errors[1] < 2e-3, errors
    assert errors[1] < 0.2 * errors[0] or errors[1] < 1e-5, errors


def test_gymnasium_has_its_files() -> None:
    if not FILES:
        pytest.skip("needs the extra peers")
    assert len(FILES) >= 14


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_bodies_of_gymnasiums_robots_are_where_mujoco_has_them(path: Path) -> None:
    same_places(path, 1)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("path", [p for p in FILES if p.stem in MOVED], ids=[p.stem for p in FILES if p.stem in MOVED])
def test_gymnasiums_robots_have_mujocos_acceleration(path: Path) -> None:
    same_acceleration(path, 1)
