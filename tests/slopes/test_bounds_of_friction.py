"""What slides loses by friction in proportion to its bound: derivatives by bounds and coefficients in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import Body, Contact, DryFriction, Joint, Mechanism, Rod, Simulator, Sphere, state_from

STEP, GRAVITY, SMOOTHING = 0.01, 9.81, 1e-8


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_a_rod_loses_rate_by_the_bound_of_dry_friction(coordinates: str) -> None:
    """J dc'/dL = -h, and all of it acts over the step: dc/dL = -h²/J."""
    length = 1.0
    rod = Body(name="rod", mass=1.0, shape=Rod(length=length, radius=1e-3, position=(0, 0, -length / 2)))
    hinge = Joint(name="hinge", type="revolute", child="rod", axis=(0, 1, 0))
    dry = DryFriction(name="dry", joint="hinge", bound=0.5)
    mechanism = Mechanism(name="rubbing", bodies=[rod], joints=[hinge], forces=[dry], gravity=(0, 0, 0))
    simulator, start = (
        Simulator(mechanism, coordinates=coordinates),
        state_from(mechanism, {"hinge": 1.2}, {"hinge": 2}),
    )
    found = simulator.linearize(start, step=STEP, parameters=["dry.bound"], smoothing=SMOOTHING)
    moment = 1.0 * length**2 / 3
    np.testing.assert_allclose(found.P[:, 0], [-(STEP**2) / moment, -STEP / moment], rtol=1e-3)


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("cone", ["second_order", "linear"])
def test_a_ball_that_slides_loses_speed_by_the_coefficient(cone: str, coordinates: str) -> None:
    """m dv/dc_f = -m g h against the sliding, and 2/5 m r² dw/dc_f = m g h r."""
    radius = 0.1
    ball = Body(name="ball", mass=2.0, shape=Sphere(radius=radius), position=(0, 0, radius), velocity=(5.0, 0, 0))
    floor = Contact(name="floor", child="ball", radius=radius, friction=0.1, cone=cone)
    mechanism = Mechanism(name="sliding", bodies=[ball], contacts=[floor], gravity=(0, 0, -GRAVITY))
    found = Simulator(mechanism, coordinates=coordinates).linearize(
        step=STEP, parameters=["floor.friction"], smoothing=SMOOTHING
    )
    by_name = dict(zip(found.names, found.P[:, 0].tolist(), strict=True))
    expected = {"velocity": (-GRAVITY * STEP, 0, 0), "angular_velocity": (0, 2.5 * GRAVITY * STEP / radius, 0)}
    rates = [value for name, value in by_name.items() if "rate" in name or "velocity" in name]
    np.testing.assert_allclose(rates, [*expected["velocity"], *expected["angular_velocity"]], rtol=1e-3, atol=1e-4)
