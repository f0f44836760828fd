"""Going on from a trajectory is the same as never having stopped; run-time parameters are remembered, and checked."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from symvi.demos import demo_file
from symvi.errors import MechanismError
from symvi.mechanism import Mechanism
from symvi.simulate.simulator import Simulator
from symvi.simulate.trajectory import Trajectory


@pytest.mark.parametrize("name", ["slider_crank", "four_bar", "pendulum"])
def test_pieces_and_the_whole_have_the_same_bits(name: str, tmp_path) -> None:
    """With a driver too: its signal is taken at the same floating-point times."""
    simulator = Simulator(Mechanism.from_file(demo_file(name)), backend="c")
    whole = simulator.simulate(0.7, 0.01)
    first = simulator.simulate(0.3, 0.01)
    second = simulator.simulate(0.4, 0.01, start=Trajectory.load(first.save(tmp_path / "first.npz")))
    assert np.array_equal(whole.time[30:], second.time)
    assert np.array_equal(whole.position[30:], second.position) and np.array_equal(whole.resume, second.resume)
    for joint, values in whole.reactions.items():
        assert np.allclose(values[30:], second.reactions[joint], rtol=1e-9, atol=1e-9), joint
    assert np.array_equal(whole.iterations[30:], second.iterations)


@pytest.mark.parametrize("backend", ["c", "python"])
def test_a_motion_goes_on_in_its_own_coordinates_where_auto_would_choose_others(
    backend: Literal["c", "python"],
) -> None:
    """With parameters that were set, as a world too, and to the last bit."""
    mechanism, heavy = Mechanism.from_file(demo_file("double_pendulum")), {"lower.mass": 3.0}
    said = Simulator(mechanism, coordinates="maximal", backend=backend, parameters=heavy)
    whole, first = said.simulate(0.5, 0.01), said.simulate(0.3, 0.01)
    unsaid = Simulator(mechanism, coordinates="auto", backend=backend, parameters=heavy)
    assert unsaid.coordinates == "tree"
    second = unsaid.simulate(0.2, 0.01, start=first)
    assert (second.formulation, second.state_hash()) == ("maximal", whole.state_hash())
    world = unsaid.reset(start=first)
    for _ in range(20):
        world.step()
    assert np.array_equal(world.state.position, whole.state().position)
    with pytest.raises(MechanismError, match=r"made with coordinates='maximal'"):
        Simulator(mechanism, coordinates="tree", backend=backend, parameters=heavy).simulate(0.1, 0.01, start=first)
    with pytest.raises(MechanismError, match=r"other values of lower\.mass"):
        Simulator(mechanism, coordinates="auto", backend=backend).simulate(0.1, 0.01, start=first)


def test_settings_are_part_of_a_trajectory() -> None:
    mechanism = Mechanism.from_file(demo_file("pendulum"))
    light, heavy = Simulator(mechanism, backend="c"), Simulator(mechanism, backend="c", parameters={"rod.mass": 3.0})
    motion = heavy.simulate(0.1, 0.01)
    assert motion.settings == {"rod.mass": (3.0,)}
    with pytest.raises(MechanismError, match=r"other values of rod\.mass"):
        light.simulate(0.1, 0.01, start=motion)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("rod.mass", 0.0, "positive"),
        ("rod.mass", -1.0, "positive"),
        ("rod.mass", float("nan"), "finite"),
        ("rod.inertia", (1.0, 1.0, 5.0, 0.0, 0.0, 0.0), "triangle"),
        ("rod.mas", 1.0, "rod.mass"),
        ("rod.inertia", 1.0, "6 finite"),
    ],
)
def test_parameters_are_checked_like_the_description(name: str, value: object, says: str) -> None:
    simulator = Simulator(Mechanism.from_file(demo_file("pendulum")), backend="c")
    with pytest.raises(MechanismError, match=says):
        simulator.set_parameter(name, value)


def test_a_changed_mass_changes_the_motion_as_its_description_would() -> None:
    mechanism = Mechanism.from_file(demo_file("double_pendulum"))
    body = mechanism.bodies[1]
    inertia = tuple(2 * x for x in body.inertia)
    twice = body.changed(mass=2 * body.mass, inertia=inertia, center_of_mass=body.center_of_mass)
    described = mechanism.changed(bodies=[mechanism.bodies[0], twice])
    settings = {f"{body.name}.mass": 2 * body.mass, f"{body.name}.inertia": inertia}
    a = Simulator(described, backend="c").simulate(1.0, 0.01)
    b = Simulator(mechanism, backend="c", parameters=settings).simulate(1.0, 0.01)
    assert np.array_equal(a.position, b.position)
