"""A force from outside is worth what symvi's own are: read from TOML, simulated, proved, drawn, exported."""

from __future__ import annotations

import subprocess
from math import pi, sqrt

import numpy as np
import pytest

import symvi
from symvi import Simulator, register_force
from symvi.mechanism import Body, Joint, Mechanism, Potential
from symvi.page.scene import build_scene
from symvi.proofs.kernels import Bench, subject
from symvi.proofs.mutation import score_of
from symvi.proofs.proof import prove
from symvi.proofs.zoo import body
from symvi.registry import FORCES
from tests.registry.magnet import MAGNET
from tests.support.quick import compiling_quickly

STRENGTH, MASS, AWAY = 4.0, 2.0, 0.5
PLANET = f"""
[mechanism]
name = "planet"
gravity = [0, 0, 0]

[bodies.planet]
mass = {MASS}
inertia = [0.1, 0.1, 0.1]
position = ["{1000 * AWAY} mm", 0, 0]
velocity = [0, {0.8 * sqrt(STRENGTH / MASS / AWAY)}, 0]

[forces.pull]
kind = "magnet"
child = "planet"
strength = {STRENGTH}
"""


@pytest.fixture(autouse=True)
def registered():
    register_force(MAGNET)
    yield
    FORCES.forget(MAGNET.name)


@pytest.fixture
def planet(tmp_path) -> Mechanism:
    path = tmp_path / "planet.toml"
    path.write_text(PLANET)
    return symvi.load(path).mechanism


def test_it_is_read_from_a_file_and_stands_in_the_schema(planet: Mechanism) -> None:
    assert planet.forces[0].strength == STRENGTH
    assert Mechanism.json_schema()["$defs"]["Magnet"]["properties"]["kind"]["const"] == "magnet"
    with pytest.raises(symvi.MechanismError, match="strength"):
        planet.forces[0].changed(strength=-1.0)


def test_its_orbits_are_keplers(planet: Mechanism) -> None:
    """An ellipse that starts at its far end: of its period, and closed to the second order of the step."""
    speed2 = 0.64 * STRENGTH / MASS / AWAY
    half_axis = 1 / (2 / AWAY - speed2 * MASS / STRENGTH)
    period = 2 * pi * sqrt(half_axis**3 * MASS / STRENGTH)
    with compiling_quickly():
        simulator = Simulator(planet)
    missed = []
    for steps in (400, 800):
        motion = simulator.simulate(period, period / steps)
        missed.append(np.linalg.norm(motion.position[-1, 0] - motion.position[0, 0]))
    assert missed[1] < 1e-3
    assert missed[0] / missed[1] == pytest.approx(4.0, abs=0.2)


def test_its_motion_is_that_of_the_same_energy_as_text(planet: Mechanism) -> None:
    energy = Potential(
        name="pull", child="planet", expression="-s/sqrt(x_b[0]**2 + x_b[1]**2 + x_b[2]**2)", parameters={"s": STRENGTH}
    )
    with compiling_quickly():
        found, expected = (Simulator(m).simulate(1.0, 0.01) for m in (planet, planet.changed(forces=[energy])))
    assert np.abs(found.position - expected.position).max() < 1e-12
    assert np.abs(found.potential_energy - expected.potential_energy).max() < 1e-12


def test_joint_coordinates_give_the_same_motion(planet: Mechanism) -> None:
    """Between a link of a tree and the world, where it acts at the knots as it does on free bodies."""
    link = Body(name="planet", mass=MASS, inertia=(0.1, 0.1, 0.1))
    hinge = Joint(name="hinge", type="revolute", child="planet", axis=(0, 1, 0), child_anchor=(-AWAY, 0, 0))
    swing = Mechanism(
        name="swing", bodies=[link], joints=[hinge], forces=[planet.forces[0].changed(parent_anchor=(0, 0, -1))]
    )
    with compiling_quickly():
        tree, free = (Simulator(swing, coordinates=how).simulate(1.0, 0.01) for how in ("tree", "maximal"))
    assert np.ptp(tree.position) > 0.3
    assert np.abs(tree.position - free.position).max() < 1e-12


def test_its_strength_is_a_parameter(planet: Mechanism) -> None:
    with compiling_quickly():
        simulator = Simulator(planet)
    simulator.set_parameter("pull.strength", 0.1)
    assert simulator.simulate(0.1, 0.01).potential_energy[0] == pytest.approx(-0.1 / AWAY)


def test_one_that_is_too_stiff_for_the_step_is_told(planet: Mechanism) -> None:
    strong = planet.changed(forces=[planet.forces[0].changed(strength=4e4)])
    with compiling_quickly(), pytest.warns(symvi.SymviWarning, match="pull"):
        Simulator(strong).simulate(0.2, 0.01, on_error="status")


def test_its_kernels_are_proved_and_their_mutants_found() -> None:
    magnets = list(MAGNET.examples("first", "second"))
    of = subject(Mechanism(name="magnets", bodies=[body("first"), body("second")], forces=magnets))
    assert all(verdict.proved for verdict in prove(of))
    score = score_of(Bench(of), of.printed.kernels.values(), 1)
    assert not score.missed, score.missed


def test_it_is_drawn_between_its_points(planet: Mechanism) -> None:
    (span,) = build_scene(planet).spans
    assert span.name == "pull"


def test_it_is_exported_and_its_self_test_passes(planet: Mechanism, tmp_path) -> None:
    folder = tmp_path / "planet"
    symvi.export(planet, folder)
    subprocess.run(["make", "-C", str(folder), "test"], check=True, capture_output=True)
