"""What contacts, limits and dry friction hold still is at rest at every knot too, however springs pull at it.

A step hands on half of what a spring does in it, so that half of the impulse of a stop alone leaves h dF/(4 m) at a
knot where the force changes by dF from step to step.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from symvi import Simulator
from symvi.mechanism import Body, Box, Contact, DryFriction, Joint, JointSpring, Limit, Mechanism, Servo

MASS, STIFFNESS, STEP = 2.0, 1e4, 0.01
HOLDS = {
    "limit": {"limits": [Limit(name="stop", joint="rail", lower=0.0, upper=1.0)]},
    "contact": {"contacts": [Contact(name="stop", child="block", normal=(1, 0, 0))]},
    "dry friction": {"forces": [DryFriction(name="brake", joint="rail", bound=1e7)]},
}
ONE_PART = {"double": 2e-7, "float": 2e-3}  # what holds a knot lets move one part of so many of what it holds


def pressed(hold: str, damping: float) -> Mechanism:
    """A block on a rail that a servo presses against what holds it; the target leaves at 0.6 m/s."""
    servo = Servo(name="servo", joint="rail", stiffness=STIFFNESS, damping=damping, signal="-0.2*sin(3*t)")
    own = {"forces": [], **HOLDS[hold]}
    return Mechanism(
        name="pressed",
        gravity=(0, 0, 0),
        bodies=[Body(name="block", mass=MASS, inertia=(0.1, 0.1, 0.1))],
        joints=[Joint(name="rail", type="prismatic", child="block", axis=(1, 0, 0))],
        **(own | {"forces": [servo, *own["forces"]]}),
    )


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("damping", [0.0, 300.0])
@pytest.mark.parametrize("hold", HOLDS)
def test_a_block_that_is_pressed_ever_harder_is_at_rest(hold: str, damping: float, real: str) -> None:
    """Its servo pushes by 60 N more from step to step: half of its stop's impulse alone would read 0.075 m/s."""
    missing = STEP * (STIFFNESS * 0.6 * STEP) / (4 * MASS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = Simulator(pressed(hold, damping), real=real).simulate(0.4, STEP)
    assert np.abs(motion.velocity[2:]).max() < ONE_PART[real] * missing * (1 + damping / 100)
    assert not motion.alarms


def test_the_last_knot_rests_as_well_and_goes_on_from_its_state() -> None:
    simulator = Simulator(pressed("limit", 0.0))
    motion = simulator.simulate(0.2, STEP)
    assert np.abs(motion.velocity[-1]).max() < 1e-7
    on = simulator.simulate(0.2, STEP, start=motion.state())
    assert np.abs(on.position).max() < 1e-9


@pytest.mark.parametrize("cone", ["second_order", "linear"])
def test_a_shoe_that_slides_reads_the_mean_of_its_steps(cone: str) -> None:
    """What presses it grows by 60 N a step: the normal is held, and half of the friction is all there is on its way."""
    shoe = Mechanism(
        name="shoe",
        gravity=(0, 0, 0),
        bodies=[Body(name="sledge", mass=0.1, inertia=(1e-3,) * 3), Body(name="shoe", mass=1.0, inertia=(1e-2,) * 3)],
        joints=[
            Joint(name="rail", type="prismatic", child="sledge", axis=(1, 0, 0), velocity=5.0),
            Joint(name="press", type="prismatic", parent="sledge", child="shoe", axis=(0, 0, 1)),
        ],
        forces=[Servo(name="servo", joint="press", stiffness=1e4, damping=0.0, signal="-0.6*t")],
        contacts=[Contact(name="ground", child="shoe", friction=0.3, cone=cone)],
    )
    motion = Simulator(shoe).simulate(0.1, STEP)
    mean = (motion.position[2:] - motion.position[:-2]) / (2 * STEP)
    sliding = motion.velocity[1:-1, 1, 0] > 1.0
    assert sliding.sum() > 2
    assert np.abs((motion.velocity[1:-1] - mean)[sliding]).max() < 1e-6


def hopper(foot: float) -> Mechanism:
    """5 kg on a spring on a light foot that stands on the ground, 15 mm above where the spring carries them."""
    mass, stiffness = 5.0, 2e3
    height = 0.5 - mass * 9.81 / stiffness + 0.015
    return Mechanism(
        name="hopper",
        bodies=[
            Body(name="trunk", mass=mass, inertia=(0.1,) * 3),
            Body(name="foot", mass=foot, inertia=(1e-3,) * 3),
        ],
        joints=[
            Joint(name="rail", type="prismatic", child="trunk", coordinate=height),
            Joint(name="leg", type="prismatic", parent="trunk", child="foot", coordinate=-height),
        ],
        forces=[JointSpring(name="spring", joint="leg", stiffness=stiffness, rest=-0.5)],
        contacts=[Contact(name="ground", child="foot")],
    )


@pytest.mark.parametrize("backend", ["c", "python"])
def test_a_foot_stands_while_its_load_bounces(backend: str) -> None:
    """A foot of 1 g under 5 kg read 15 m/s once; the load, which nothing holds, reads what it read, A w sin(w t)."""
    motion = Simulator(hopper(1e-3), backend=backend).simulate(0.3, STEP)
    frequency = np.sqrt(2e3 / 5.0)
    assert np.abs(motion.velocity[:, 1]).max() < 1e-7
    fast = 0.015 * frequency * np.sin(frequency * motion.time)
    assert motion.velocity[:, 0, 2] == pytest.approx(-fast, abs=0.015 * frequency * (STEP * frequency) ** 2 / 2)


def leaning(stiffness: float) -> Mechanism:
    """Two links; the shoulder follows its servo, the elbow's servo presses the forearm against its stop."""
    slender = Box(size=(0.1, 0.1, 0.4))
    return Mechanism(
        name="leaning",
        bodies=[Body(name="upper", mass=1.0, shape=slender), Body(name="lower", mass=0.5, shape=slender)],
        joints=[
            Joint(name="shoulder", type="revolute", child="upper", axis=(1, 0, 0), child_anchor=(0, 0, 0.2)),
            Joint(
                name="elbow",
                type="revolute",
                parent="upper",
                child="lower",
                axis=(1, 0, 0),
                parent_anchor=(0, 0, -0.2),
                child_anchor=(0, 0, 0.2),
            ),
        ],
        forces=[
            Servo(name="one", joint="shoulder", stiffness=stiffness, damping=5.0, signal="0.05*t"),
            Servo(name="two", joint="elbow", stiffness=stiffness, damping=5.0, signal="-0.4*sin(4*t)"),
        ],
        limits=[Limit(name="stop", joint="elbow", lower=0.0, upper=2.0)],
    )


@pytest.mark.parametrize("stiffness", [1e3, 1e5])
def test_an_elbow_rests_on_its_stop_while_the_arm_moves(stiffness: float) -> None:
    """Both back ends alike to the bit; nothing is said of energy that no one paid for."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = Simulator(leaning(stiffness)).simulate(0.6, STEP)
    held = (motion.coordinates("elbow")[:, 0] < 1e-9) & (motion.time > 0.1)
    assert held.sum() > 40
    assert np.abs(motion.rates("elbow")[held]).max() < 2e-11 * stiffness
    plain = Simulator(leaning(stiffness), backend="python").simulate(0.2, STEP)
    assert np.array_equal(plain.velocity[:-1], motion.velocity[: len(plain.velocity) - 1])
