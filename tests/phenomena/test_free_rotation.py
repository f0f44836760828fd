"""A body that nothing acts on: Euler's equations, the flip about the middle axis, conserved momentum, bounded energy.

Witnesses: Euler's equations integrated by SciPy, and the period of the free top in elliptic integrals (Landau and
Lifshitz, Mechanics, section 37). The code behind BM20 and BSMH23 fails here: with its gyroscopic sign a free top never
changes its angular velocity.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from symvi.mechanism import Body, Mechanism
from symvi.simulate import Simulator
from tests.support.measuring import centre, largest, momenta, observed_order
from tests.support.poses import multiply

INERTIA = (0.03, 0.05, 0.07, 0.004, -0.006, 0.003)
MATRIX = np.array([[0.03, 0.004, -0.006], [0.004, 0.05, 0.003], [-0.006, 0.003, 0.07]])
SPIN = np.array([1.0, 4.0, -2.0])
ORIENTATION = (0.5, -0.5, 0.5, 0.5)


def free_body(inertia, spin, centre=(0.1, -0.2, 0.05)) -> Mechanism:
    """A body without joints in zero gravity, its frame away from its centre of mass."""
    body = Body(
        name="top", mass=2, inertia=inertia, center_of_mass=centre, position=(0.3, 0.4, -0.1),
        orientation=ORIENTATION, velocity=(0.2, -0.1, 0.4), angular_velocity=tuple(spin),
    )  # fmt: skip
    return Mechanism(name="free_body", gravity=(0, 0, 0), bodies=[body])


@pytest.fixture(scope="module")
def top() -> Simulator:
    return Simulator(free_body(INERTIA, SPIN))


def eulers_solution(time: float) -> tuple[np.ndarray, np.ndarray]:
    """Orientation and body-frame angular velocity after a time: J w' = -w x J w, q' = q (0, w)/2."""

    def rates(_, y):
        q, w = y[:4], y[4:]
        acceleration = np.linalg.solve(MATRIX, -np.cross(w, MATRIX @ w))
        return np.concatenate([multiply(q, np.concatenate([[0.0], w])) / 2, acceleration])

    start = np.concatenate([ORIENTATION, SPIN])
    end = solve_ivp(rates, (0, time), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    return end[:4], end[4:]


def test_it_turns_as_eulers_equations_say_with_second_order(top: Simulator) -> None:
    time = 4.0  # two and a half turns: the axis of rotation has wandered all over the body
    attitude, spin = eulers_solution(time)
    turns, rates = [], []
    for step in (0.02, 0.01, 0.005, 0.0025):
        end = top.simulate(time, step).state()
        turns.append(largest(end.orientation[0] * np.sign(end.orientation[0] @ attitude) - attitude))
        rates.append(largest(end.angular_velocity[0] - spin))
    assert rates[-1] < 2e-3 and turns[-1] < 1e-3  # (w h)^2/24 a turn of phase, w = 4.6 rad/s, in 4 s: 1e-4 and more
    assert observed_order(turns) == pytest.approx(2.0, abs=0.05)
    assert observed_order(rates) == pytest.approx(2.0, abs=0.05)


def test_its_momentum_never_changes(top: Simulator) -> None:
    trajectory = top.simulate(100.0, 0.01)
    linear, angular = momenta(trajectory)
    # 10 000 steps, each with round-off 1e-16 of 0.8 kg m^2/s and Newton's remainder, which is quadratically small
    assert largest(linear - linear[0]) < 1e-12
    assert largest(angular - angular[0]) < 1e-12
    # the trajectory's own sums are the same
    assert largest(trajectory.linear_momentum - linear) < 1e-14
    assert largest(trajectory.angular_momentum - angular) < 1e-12


def test_its_centre_moves_on_a_straight_line(top: Simulator) -> None:
    trajectory = top.simulate(10.0, 0.01)
    moved, velocity = centre(trajectory, "top"), top.mechanism.bodies[0].velocity
    assert largest(moved - (moved[0] + np.outer(trajectory.time, velocity))) < 1e-12  # round-off of 1000 sums


def test_its_energy_never_changes(top: Simulator) -> None:
    # this discrete top is that of Moser and Veselov (1991), which keeps the top's own integrals, not only in a band
    energy = top.simulate(100.0, 0.01).energy
    assert largest(energy - energy[0]) < 1e-11 * energy[0]  # round-off of 10 000 steps


def test_it_flips_about_its_middle_axis_in_the_exact_period() -> None:
    """Dzhanibekov's nut: a spin of (0.01, 5, 0.01) about the middle axis turns over again and again."""
    moments, spin = np.array([0.02, 0.03, 0.05]), np.array([0.01, 5.0, 0.01])
    half_period = half_period_of_free_top(moments, spin)
    simulator = Simulator(free_body(tuple(moments), spin))
    errors = []
    for step in (0.02, 0.01, 0.005):
        trajectory = simulator.simulate(25.0, step)
        along = trajectory.angular_velocity[:, 0, 1]
        k = np.flatnonzero(along[:-1] * along[1:] < 0)
        flips = trajectory.time[k] + step * along[k] / (along[k] - along[k + 1])
        assert len(flips) == 4
        errors.append(largest(np.diff(flips) - half_period))
        assert along.min() == pytest.approx(-5.0, abs=1e-4)  # right over: the same speed the other way round
    assert errors[1] < 1e-3 * half_period
    assert observed_order(errors) == pytest.approx(2.0, abs=0.05)


def half_period_of_free_top(moments: np.ndarray, spin: np.ndarray) -> float:
    """Time between two zeros of the rotation about the middle axis [s] (Landau and Lifshitz (37.10) to (37.12))."""
    first, middle, last = moments
    energy2, momentum2 = moments @ spin**2, moments**2 @ spin**2  # 2 E and M^2
    assert momentum2 > energy2 * middle
    parameter = (middle - first) * (last * energy2 - momentum2) / ((last - middle) * (momentum2 - first * energy2))
    rate = np.sqrt((last - middle) * (momentum2 - energy2 * first) / (first * middle * last))
    return 2.0 * ellipk(parameter) / rate
