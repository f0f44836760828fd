"""A parameter that is set means the same as a description that says so: in the motion, and in all that is reported."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import Simulator, coordinates_of, state_from
from symvi.errors import MechanismError
from symvi.mechanism import (
    Actuator,
    Body,
    Box,
    Coupling,
    Driver,
    Joint,
    JointDamper,
    JointSpring,
    Limit,
    Mechanism,
    Rod,
    Servo,
)

STEP = 0.01
TURNED = (0.8, 0.0, 0.6, 0.0)


def rails(anchor_a=(0.1, 0.2, 0.3), anchor_b=(0.2, -0.1, 0.4)) -> Mechanism:
    """A sleeve in the world and one on it, whose translation begins at the anchors; all that can act along it does."""
    box = Box(size=(0.1, 0.2, 0.3))
    joints = [
        Joint(name="first", type="cylindrical", child="cart", axis=(0.6, 0.0, 0.8), coordinate=(0.1, 0.2)),
        Joint(
            name="second", type="prismatic", parent="cart", child="tool", axis=(0.48, 0.6, 0.64), orientation=TURNED,
            parent_anchor=anchor_a, child_anchor=anchor_b, coordinate=0.05,
        ),
        Joint(name="beside", type="prismatic", child="weight", axis=(0.36, 0.48, 0.8), coordinate=0.15),
    ]  # fmt: skip
    return Mechanism(
        name="rails",
        bodies=[Body(name=name, mass=1.0, shape=box) for name in ("cart", "tool", "weight")],
        joints=joints,
        couplings=[Coupling(name="teeth", joints=("second", "beside"), ratio=0.5, offset=-0.025)],
        drivers=[Driver(name="crank", joint="first", coordinate=1, signal="0.2 + t")],
        limits=[Limit(name="stop", joint="second", upper=0.06)],
        forces=[
            JointSpring(name="spring", joint="second", stiffness=30.0, rest=0.1),
            JointDamper(name="damper", joint="second", damping=0.3),
            Actuator(name="motor", joint="second", signal=["sin(3*t)"]),
            Servo(name="servo", joint="second", stiffness=5.0, damping=0.1, signal="0.1*t"),
        ],
    )


def test_the_geometry_of_a_joint_reaches_all_that_acts_along_it() -> None:
    """Its rows, spring, damper, motor, servo, limit and gear; and the coordinates that are read from the motion."""
    moved = {"second.anchor_a": (0.15, 0.1, 0.35), "second.anchor_b": (0.25, -0.2, 0.3)}
    described = rails(*moved.values())
    expected = Simulator(described).simulate(0.5, STEP)
    simulator = Simulator(rails(), parameters=moved)
    motion = simulator.simulate(0.5, STEP, start=state_from(described, {}))
    for name in ("position", "orientation", "kinetic_energy", "potential_energy", "closure"):
        assert np.allclose(getattr(motion, name), getattr(expected, name), rtol=0, atol=1e-11), name
    for name in ("first", "second", "beside"):
        assert np.allclose(motion.coordinates(name), expected.coordinates(name), rtol=0, atol=1e-11)
        assert np.allclose(motion.rates(name), expected.rates(name), rtol=0, atol=1e-10)
    found = coordinates_of(motion.mechanism, "second", motion.state(), simulator.settings)[0]
    assert found == pytest.approx(expected.coordinates("second")[-1], abs=1e-11)
    assert not set(simulator.parameter_names) & {"spring.anchor_a", "teeth.j1_anchor_a", "stop.anchor_a"}
    with pytest.raises(MechanismError, match=r"no parameter 'spring\.anchor_a'"):
        simulator.set_parameter("spring.anchor_a", (0.0, 0.0, 0.0))


def door(lower: float, mass: float = 20.0) -> Mechanism:
    leaf = Body(name="leaf", mass=mass, shape=Box(size=(0.8, 0.04, 2.0)), position=(0.4, 0.0, 0.0))
    hinges = [
        Joint(name=name, type="revolute", child="leaf", parent_anchor=(0.0, 0.0, z), child_anchor=(-0.4, 0.0, z))
        for name, z in (("lower", lower), ("upper", 0.7))
    ]
    return Mechanism(name="door", bodies=[leaf], joints=hinges)


def test_undetermined_reactions_follow_what_was_set() -> None:
    """Hinges of a door at other heights, and a heavier door: rows that only are watched move along."""
    expected = Simulator(door(-0.9, 30.0)).simulate(0.1, STEP)
    settings = {"lower.anchor_a": (0, 0, -0.9), "lower.anchor_b": (-0.4, 0, -0.9), "leaf.mass": 30.0}
    motion = Simulator(door(-0.7), parameters=settings).simulate(0.1, STEP)
    assert motion.undetermined and motion.closure.max() < 1e-12
    for name in ("lower", "upper"):
        assert np.allclose(motion.reactions[name], expected.reactions[name], rtol=1e-9, atol=1e-9)


def pendulum(mass: float) -> Mechanism:
    rod = Body(name="rod", mass=mass, shape=Rod(length=1.0, position=(0.0, 0.0, -0.5)))
    pin = Joint(name="pin", type="revolute", child="rod", axis=(0.0, 1.0, 0.0), coordinate=1.0)
    return Mechanism(name="pendulum", bodies=[rod], joints=[pin])


def test_the_inertia_of_a_solid_follows_its_mass() -> None:
    """A uniform rod swings alike whatever its mass. An inertia that was set stays as it was set."""
    light, heavy = (Simulator(pendulum(1.0), parameters={"rod.mass": m}).simulate(1.0, STEP) for m in (1.0, 2.0))
    assert np.allclose(light.coordinates("pin"), heavy.coordinates("pin"), rtol=0, atol=1e-12)
    described = Simulator(pendulum(2.0)).simulate(1.0, STEP)
    assert described.resume.tobytes() == heavy.resume.tobytes()
    own = (0.1, 0.1, 0.01, 0.0, 0.0, 0.0)
    orders = ({"rod.mass": 2.0, "rod.inertia": own}, {"rod.inertia": own, "rod.mass": 2.0})
    first, second = (Simulator(pendulum(1.0), parameters=order).simulate(1.0, STEP) for order in orders)
    assert first.resume.tobytes() == second.resume.tobytes() != heavy.resume.tobytes()


def test_an_inertia_that_is_no_solids_stays_when_a_mass_is_set() -> None:
    rod = pendulum(1.0).bodies[0]
    mechanism = pendulum(1.0).changed(bodies=[rod.changed(inertia=(0.2, 0.2, 0.01))])
    simulator = Simulator(mechanism, backend="python", parameters={"rod.mass": 2.0})
    assert simulator.engine.parameters[simulator.plan.at("parameters", "body", 0, "inertia")][0] == 0.2


@pytest.mark.parametrize("value", ["a", None, [1.0, 2.0], 1j, [[1.0], [2.0, 3.0]]])
def test_a_value_that_is_no_number_is_named(value: object) -> None:
    with pytest.raises(MechanismError, match=r"parameter rod\.mass: .* must be 1 finite number"):
        Simulator(pendulum(1.0), backend="python", parameters={"rod.mass": value})
