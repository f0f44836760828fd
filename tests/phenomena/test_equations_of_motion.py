"""Every joint with every force moves as Newton and Euler say, and pushes back as they say.

The witness solves the dense equations of motion with multipliers at a knot (support/newton_euler.py); the generated
solver's accelerations are the differences of its own knots. They agree up to the scheme's order, the second, with
dampers and servos too.
"""

from math import pi

import numpy as np
import pytest

from symvi.mechanism import JOINT_TYPES, Body, Mechanism, Wrench
from symvi.mechanism.rotation import about
from symvi.simulate import Simulator, SolverOptions, Trajectory
from tests.support.floating_pairs import FORCE_KINDS, floating_pair
from tests.support.loaded_pairs import DAMPED, DISSIPATIVE, LoadedPair
from tests.support.measuring import centre, largest, observed_order
from tests.support.newton_euler import equations_of_motion

GRAVITY = (1.0, 2.0, -9.81)
UNDAMPED = tuple(kind for kind in FORCE_KINDS if kind not in DISSIPATIVE)
STEPS, FINE = (0.002, 0.001), (0.00025, 0.000125)
OPTIONS = SolverOptions(tolerance=1e-12)
ROUND_OFF = 2e-8  # velocities are solved to 1e-12 m/s, so accelerations over a step to 1e-9


def disagreement(mechanism: Mechanism, trajectory: Trajectory) -> np.ndarray:
    """(3,): of linear and angular accelerations and reactions, at the middle one of three knots."""
    exact = equations_of_motion(mechanism, trajectory.state(1))
    places = np.array([centre(trajectory, name) for name in trajectory.names])
    linear = np.diff(places, 2, axis=1)[:, 0] / trajectory.step**2
    spins = trajectory.angular_velocity
    angular = (spins[2] - spins[0]) / (2 * trajectory.step)
    # forces of a knot come with the next one; a floating joint has no rows to push with
    pushes = trajectory.reactions.get("joint", np.zeros((3, 6)))[2]
    found = linear - exact.acceleration, angular - exact.angular_acceleration, pushes - exact.reactions["joint"]
    return np.array([largest(difference) for difference in found])


def disagreements(pair: LoadedPair, kinds: tuple[str, ...], steps: tuple[float, ...] = STEPS) -> np.ndarray:
    """(steps, 3): of the pair with these kinds of forces."""
    forces = [force for force in pair.mechanism.forces if force.name.removesuffix("_of_joint") in kinds]
    acting = pair.mechanism.changed(forces=forces)
    return np.array([disagreement(acting, pair.simulate(2 * step, step, options=OPTIONS)) for step in steps])


def observed_orders(errors: np.ndarray, noise: float = ROUND_OFF) -> np.ndarray:
    """Of every quantity that is not exact to round-off anyway."""
    return np.concatenate([observed_order(column) for column in errors.T if column[-1] > noise])


@pytest.mark.parametrize("joint_type", JOINT_TYPES)
def test_a_pair_with_every_undamped_force_moves_as_newton_and_euler_say(joint_type: str) -> None:
    pair = LoadedPair(joint_type, UNDAMPED, GRAVITY)
    errors = disagreements(pair, UNDAMPED)
    assert largest(errors[-1]) < 2e-3  # accelerations are 10 m/s^2 and 50 rad/s^2
    assert observed_orders(errors) == pytest.approx(2.0, abs=0.25)  # the next power of the step is still seen


@pytest.mark.parametrize("frame", ["world", "body"])
def test_a_wrench_from_outside(frame: str) -> None:
    """On the tip of a ball-jointed pair: force at a point, in the axes asked for, and torque in those of the body."""
    signal = ("1 + t", "-2*cos(3*t)", "0.5", "0.2*sin(5*t)", "0.3", "-0.1*t")
    wrench = Wrench(name="wrench", body="tip", point=(0.1, -0.2, 0.3), frame=frame, signal=signal)
    mechanism = floating_pair("spherical", gravity=GRAVITY).changed(name=f"wrench_{frame}", forces=[wrench])
    simulator = Simulator(mechanism)
    errors = [disagreement(mechanism, simulator.simulate(2 * step, step, options=OPTIONS)) for step in STEPS]
    errors = np.array(errors)
    assert largest(errors[-1]) < 1e-3
    assert observed_orders(errors) == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize("frame", ["world", "body"])
def test_a_push_along_an_axis(frame: str) -> None:
    """1 N on 1 kg for 0.5 s, on a body turned by a quarter about z: 0.5 m/s along y, or along x."""
    wrench = Wrench(name="push", body="body", frame=frame, signal=("1", "0", "0", "0", "0", "0"))
    body = Body(name="body", mass=1.0, inertia=(0.1, 0.1, 0.1), orientation=about((0, 0, 1), pi / 2))
    mechanism = Mechanism(name="push", gravity=(0, 0, 0), bodies=[body], forces=[wrench])
    velocity = Simulator(mechanism).simulate(0.5, 0.01).velocity[-1, 0]
    assert velocity == pytest.approx((0, 0.5, 0) if frame == "body" else (0.5, 0, 0), abs=1e-14)


@pytest.mark.parametrize("joint_type", DAMPED)
def test_dampers_and_servos_leave_it_second_order(joint_type: str) -> None:
    """At steps so fine that what is of third order hides nothing where the second nearly cancels."""
    pair = LoadedPair(joint_type, FORCE_KINDS, GRAVITY)
    errors = disagreements(pair, FORCE_KINDS, FINE)
    assert observed_orders(errors, 10 * ROUND_OFF) == pytest.approx(2.0, abs=0.1)
