"""Contacts bring no energy: what a step may gain by the turning of arms within it, and how that falls with the step."""

from functools import cache

import numpy as np
import pytest

from symvi.mechanism import Body, Box, Capsule, Contact, Joint, Mechanism
from symvi.simulate import Simulator, SolverOptions, SolverStatus, Trajectory
from tests.support.contact_scenes import GRAVITY, box, lifted, on_ground, simulator
from tests.support.poses import conjugate, multiply

TOSSES = 12


def step_energy(trajectory: Trajectory) -> np.ndarray:
    """(N - 1,): the energy of every step of a lone body, from its placements alone: kinetic of the chord's velocities,
    potential in its middle. It is constant in free fall, to the last digit."""
    (body,) = trajectory.mechanism.bodies
    x, q = trajectory.position[:, 0], trajectory.orientation[:, 0]
    v = np.diff(x, axis=0) / trajectory.step
    w = np.array([2.0 / trajectory.step * multiply(conjugate(a), b)[1:] for a, b in zip(q[:-1], q[1:], strict=True)])
    kinetic = 0.5 * body.mass * np.sum(v * v, axis=1) + 0.5 * np.sum(w * w * body.inertia[:3], axis=1)
    return kinetic + body.mass * GRAVITY * 0.5 * (x[1:, 2] + x[:-1, 2])


@cache
def gains(friction: float, step: float, cone: str = "second_order") -> np.ndarray:
    """The largest gain of a step in each toss [J]; all tosses start with some 10 J."""
    scene, random = on_ground(box(), friction=friction, cone=cone), np.random.default_rng(1)
    found = [simulator(scene).simulate(1.5, step, start=lifted(scene, 0.8, random)) for _ in range(TOSSES)]
    return np.array([np.diff(step_energy(trajectory)).max() for trajectory in found])


@pytest.mark.parametrize("friction", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("cone", ["second_order", "linear"])
def test_no_step_gains_more_than_the_turning_of_arms(friction: float, cone: str) -> None:
    """Forces act at the arms of the first knot, the secant of the sliding is that of the whole step."""
    assert gains(friction, 0.01, cone).max() < 1.5e-4


def test_what_steps_gain_falls_at_least_with_the_square_of_the_step() -> None:
    """Where it is largest, at high friction: bodies that roll over a corner that sticks."""
    middle = [np.median(gains(1.0, step)) for step in (0.02, 0.01, 0.005)]
    assert middle[0] > 4 * middle[1] > 16 * middle[2] > 0


@pytest.mark.parametrize("friction", [0.0, 0.5, 1.0])
def test_energies_at_knots_rise_no_more_than_in_a_free_motion(friction: float) -> None:
    """Velocities at a knot see what the next step will: around impacts, too, energy rises by O(h²) at most."""
    scene, rises = on_ground(box(), friction=friction), []
    for step in (0.02, 0.01, 0.005):
        random = np.random.default_rng(1)
        runs = [simulator(scene).simulate(1.5, step, start=lifted(scene, 0.8, random)) for _ in range(TOSSES)]
        rises.append(max(np.diff(run.energy).max() for run in runs))
    assert rises[1] < 2e-5
    assert rises[0] > 3.5 * rises[1] > 12 * rises[2]


def test_a_toss_loses_what_it_started_with() -> None:
    scene = on_ground(box(), friction=0.5)
    trajectory = simulator(scene).simulate(3.0, 0.01, start=lifted(scene, 0.8, np.random.default_rng(4)))
    energy = step_energy(trajectory)
    assert energy[0] > 5.0 and energy[-1] == pytest.approx(GRAVITY * 0.25, abs=1e-6)


@pytest.mark.parametrize("cone", ["second_order", "linear"])
@pytest.mark.parametrize("step", [0.01, 0.0025])
def test_tosses_in_float_need_no_other_start(cone: str, step: float) -> None:
    """Far from the ground impulses fall by ten powers of ten in one step: rounding must not be left in their bounds."""
    scene, random = on_ground(box(), friction=0.5, cone=cone), np.random.default_rng(3)
    float_simulator = Simulator(scene, real="float")
    runs = [float_simulator.simulate(1.0, step, start=lifted(scene, 0.8, random)) for _ in range(4)]
    assert min(run.status.min() for run in runs) >= 0
    assert sum(run.retries.sum() for run in runs) <= 1
    assert max(run.iterations.mean() for run in runs) < 5.0


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_a_leg_that_whirls_too_far_in_a_step_is_refused_and_gains_nothing(coordinates: str) -> None:
    """A leg of 0.1 g on a ball joint of a falling kilogram: at a quarter of a turn per step two solutions lie near each
    other, and the other one has energy from nowhere. In parts the step is taken, and gains nothing either."""
    base = Body(name="base", mass=1.0, shape=Box(size=(0.3,) * 3))
    leg = Body(name="leg", mass=1e-4, shape=Capsule(radius=0.05, length=0.4))
    free = Joint(name="free", type="floating", child="base", coordinate=(0, 0, 0.9, 0.1, 0.2, 0))
    free = free.changed(velocity=(1, 0, 0, 0, 0, 0))
    hip = Joint(name="hip", type="spherical", parent="base", child="leg", parent_anchor=(0, 0, -0.15))
    hip = hip.changed(child_anchor=(0, 0, 0.2), coordinate=(0.3, 0.2, 0))
    sole = Contact(name="sole", child="leg", whole_shape=True, friction=0.5)
    scene = Mechanism(name="light_leg", bodies=[base, leg], joints=[free, hip], contacts=[sole])
    one, parts = (
        Simulator(scene, coordinates=coordinates).simulate(
            0.6, 0.01, options=SolverOptions(substeps=most), on_error="status"
        )
        for most in (1, 256)
    )
    for run in (one, parts):
        assert np.diff(run.energy[:-1]).max() < 1e-6  # of the last knot no step tells the impulses
    assert one.status[-1] == SolverStatus.DOMAIN and len(one) == 58
    assert parts.status.min() >= 0 and parts.substeps.max() > 1
