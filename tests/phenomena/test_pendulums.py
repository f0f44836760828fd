"""One link on a hinge: its period in elliptic integrals, reference numbers, and with a damper Fig. 7c of BSMH23.

Exact motion of a pendulum let go at an angle A, with k = sin(A/2) and w^2 = m g l/J:
    sin(angle/2) = k sn(K(k^2) - w t, k^2), with the period 4 K(k^2)/w
"""

from math import pi, sin, sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

from symvi.mechanism import Cylinder
from symvi.simulate import Simulator, SolverOptions, Trajectory
from tests.support.measuring import angle_about, largest, observed_order
from tests.support.pendulums import damped_pendulum, pendulum

STEPS = (0.02, 0.01, 0.005)
THIN = Cylinder(radius=0.01, length=1.0)
RATE = sqrt(9.81 * 0.5 / (0.01**2 / 4 + 1 / 12 + 1 / 4))  # of small swings of the thin rod [rad/s]


def angle_of(trajectory: Trajectory) -> np.ndarray:
    """The angle of the link from hanging down [rad]."""
    return angle_about(trajectory, "link1")


def exact_angle(amplitude: float, time: np.ndarray) -> np.ndarray:
    modulus = sin(amplitude / 2)
    quarter = ellipk(modulus**2)
    return 2 * np.arcsin(modulus * ellipj(quarter - RATE * time, modulus**2)[0])


# the periods of three amplitudes over that of small swings
@pytest.mark.parametrize("amplitude, ratio", [(pi / 2, 1.18034), (pi / 3, 1.07318), (pi / 6, 1.01741)])
def test_its_period(amplitude: float, ratio: float) -> None:
    simulator, means = Simulator(pendulum(amplitude, THIN)), []
    for step in STEPS:
        trajectory = simulator.simulate(20.0, step)
        periods = np.diff(downward_crossings(trajectory)) * RATE / (2 * pi)
        assert len(periods) >= 8
        assert np.ptp(periods) < 3 * step**3  # always the same; where in its step a crossing lies matters that little
        means.append(np.mean(periods))
    exact = 2 * ellipk(sin(amplitude / 2) ** 2) / pi
    assert exact == pytest.approx(ratio, abs=5e-6)  # published with five decimals
    assert means[1] == pytest.approx(exact, abs=2.5e-4)  # (w h)^2/6 at h = 0.01, w^2 = 14.7/s^2
    assert observed_order(np.abs(np.array(means) - exact)) == pytest.approx(2.0, abs=0.05)


def downward_crossings(trajectory: Trajectory) -> np.ndarray:
    """Times when the angle passes zero on its way down, by cubic Hermite interpolation of the inverse function."""
    angle, rate, time = angle_of(trajectory), trajectory.angular_velocity[:, 0, 0], trajectory.time
    k = np.flatnonzero((angle[:-1] > 0) & (angle[1:] <= 0))
    width = angle[k + 1] - angle[k]
    s = -angle[k] / width
    ends = time[k] * (1 + 2 * s) * (1 - s) ** 2 + time[k + 1] * s**2 * (3 - 2 * s)
    return ends + width * (s * (1 - s) ** 2 / rate[k] - s**2 * (1 - s) / rate[k + 1])


@pytest.mark.parametrize("amplitude", [0.2, pi / 2, 3.0])
def test_it_swings_as_the_elliptic_functions_say(amplitude: float) -> None:
    simulator, errors = Simulator(pendulum(amplitude, THIN)), []
    for step in STEPS:
        trajectory = simulator.simulate(5.0, step)
        errors.append(largest(angle_of(trajectory) - exact_angle(amplitude, trajectory.time)))
    assert errors[-1] < 0.02  # 3 rad: almost upright, where the time of a swing is most sensitive
    assert observed_order(errors) == pytest.approx(2.0, abs=0.1)


def test_reference_numbers_of_the_papers_start() -> None:
    """A box on a hinge, level, at rest in the papers' sense: placed alike at both first knots.

    The papers' start takes velocities as those over the step before the first knot; zero there is z1 = z0.
    """
    options = SolverOptions(tolerance=1e-12)
    trajectory = Simulator(pendulum()).simulate(10.0, 0.01, papers_start=True, options=options)
    angles = angle_of(trajectory)[[100, 200, 500, 1000]]
    assert angles == pytest.approx([-1.5607758, 1.5354545, -1.3679415, 0.7977014], abs=1e-7)  # seven decimals are given
    assert trajectory.iterations[1:].mean() < 3.83  # what plain Newton needs from the last velocities, unextrapolated
    assert trajectory.closure.max() < 1e-13
    plain = SolverOptions(tolerance=1e-12, extrapolate=False)
    again = Simulator(pendulum()).simulate(10.0, 0.01, papers_start=True, options=plain)
    assert largest(again.orientation - trajectory.orientation) < 1e-11  # the solution does not depend on Newton's start


def thin_damped_pendulum():
    """With the paper's J = 1/3 about the hinge: a thin rod's."""
    mechanism = damped_pendulum()
    return mechanism.changed(bodies=[mechanism.bodies[0].changed(inertia=(1 / 12, 1 / 12, 1e-3))])


def test_the_damped_pendulum_of_figure_7c() -> None:
    """th'' = -1.5 9.81 sin th - 1.5 th', whose exact values the next test finds too; of second order."""
    exact = np.array([-0.72987, 0.28888, 0.026526, 6.007e-4])
    simulator, found = Simulator(thin_damped_pendulum()), []
    for step in (0.05, 0.0125, 0.00625, 0.003125):
        trajectory = simulator.simulate(10.0, step)
        angles = angle_of(trajectory)
        found.append(angles[[round(time / step) for time in (1, 2, 5, 10)]])
        # energy falls, but for steps in which the hinge turns back: they move by damping (acceleration step)^2 step
        assert np.diff(trajectory.energy).max() < 0.5 * (1.5 * 9.81 * step) ** 2 * step
    assert largest(found[0] - exact) < 0.04  # the figure's own step, 0.05
    assert observed_order(np.abs(np.array(found[1:]) - exact)[:, :3].max(axis=1)) == pytest.approx(2.0, abs=0.05)
    assert largest((4 * found[-1] - found[-2]) / 3 - exact) < 1e-5  # the second-order error extrapolated away


def test_the_exact_values_of_figure_7c() -> None:
    """The witness itself, by an integration of its own."""
    options = {"method": "DOP853", "t_eval": [1, 2, 5, 10], "rtol": 1e-12, "atol": 1e-12}
    solution = solve_ivp(lambda _, y: [y[1], -1.5 * 9.81 * sin(y[0]) - 1.5 * y[1]], (0, 10), [pi / 2, 0], **options)
    assert solution.y[0] == pytest.approx([-0.72987, 0.28888, 0.026526, 6.007e-4], abs=5e-6)  # the digits given


def test_the_force_in_the_hinge_is_the_textbooks() -> None:
    """On the link, along itself m (g cos + l w^2), across itself m g sin (1 - m l^2/J), and no torque."""
    inertia = 9.81 * 0.5 / RATE**2
    simulator, errors = Simulator(pendulum(pi / 2, THIN)), []
    for step in (0.004, 0.002, 0.001):
        trajectory = simulator.simulate(2.0, step)
        angle, rate = angle_of(trajectory), trajectory.angular_velocity[:, 0, 0]
        along = 9.81 * np.cos(angle) + 0.5 * rate**2
        across = 9.81 * np.sin(angle) * (1 - 0.25 / inertia)
        sine, cosine = np.sin(angle), np.cos(angle)
        force = np.stack([0 * angle, across * cosine - along * sine, across * sine + along * cosine], axis=-1)
        # forces act over a step along the gradient at its first knot: those of a knot come with the next one
        errors.append(largest(trajectory.reactions["joint1"][2:, :3] - force[1:-1]))
        assert largest(trajectory.reactions["joint1"][:, 3:]) < 1e-9  # Newton's tolerance over the step is 1e-7
    assert errors[-1] < 2e-4
    assert observed_order(errors) == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("step", [0.01, 0.001])
def test_the_steps_of_minutes_in_single_precision_stay_in_their_band(step: float) -> None:
    """The round-off of as many turns would add up to a rod that is shorter by 0.1 %, with energy to match."""
    steps = 100_000
    rod = Simulator(pendulum(pi / 2, THIN), real="float")
    trajectory = rod.simulate(steps * step, step, every=steps // 100)
    lengths = np.linalg.norm(trajectory.orientation[:, 0], axis=-1)
    assert np.abs(lengths - 1).max() < 4e-7  # some units in the last place
    swing = np.abs(trajectory.energy - trajectory.energy[0]).max()
    assert swing < 2e-3 * 9.81 * 0.5  # m g l/2
