"""A symmetric top on a ball in its tip: it precesses at the exact steady rate, and its two vertical momenta stay.

Steady precession at a tilt (Goldstein, Classical Mechanics, section 5.7; here with the spin about the own axis w3):
    A Omega^2 cos(tilt) - C w3 Omega + m g l = 0
with A, C the moments about the tip across and along the axis, l from the tip to the centre of mass.
"""

from math import cos, sqrt

import numpy as np
import pytest

from symvi.mechanism import Body, Joint, Mechanism
from symvi.mechanism.rotation import about, conjugate, rotate
from symvi.simulate import Simulator, Trajectory
from tests.support.measuring import body_axes, largest, observed_order

MASS, ARM, GRAVITY = 0.5, 0.05, 9.81
ACROSS, ALONG = 0.0015, 0.0008  # about the centre of mass [kg m^2]
SPIN, TILT = 100.0, 0.7


def slow_and_fast_precession() -> tuple[float, float]:
    """Both rates of steady precession [rad/s]."""
    a, b, c = (ACROSS + MASS * ARM**2) * cos(TILT), -ALONG * SPIN, MASS * GRAVITY * ARM
    root = sqrt(b * b - 4 * a * c)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def heavy_top(rate: float) -> Mechanism:
    """A top in steady precession about the vertical, leaning towards +x; its tip, not its centre, is its body frame."""
    lean = about((0, 1, 0), TILT)
    spin = SPIN - rate * cos(TILT)  # what its own turning adds to the spin along the axis
    turning = np.array([0.0, 0.0, rate]) + spin * np.array(rotate(lean, (0, 0, 1)))
    velocity = np.cross(turning, rotate(lean, (0, 0, ARM)))
    body = Body(
        name="top", mass=MASS, inertia=(ACROSS, ACROSS, ALONG), center_of_mass=(0, 0, ARM), orientation=lean,
        velocity=tuple(velocity), angular_velocity=rotate(conjugate(lean), tuple(turning)),
    )  # fmt: skip
    return Mechanism(name="heavy_top", bodies=[body], joints=[Joint(name="tip", type="spherical", child="top")])


def lean_and_heading(trajectory: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Tilt from the vertical and unwrapped azimuth of the top's axis [rad]."""
    axis = body_axes(trajectory, "top", (0, 0, 1))
    return np.arccos(axis[:, 2]), np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))


@pytest.mark.parametrize("which", ["slow", "fast"])
def test_it_precesses_steadily_at_the_exact_rate(which: str) -> None:
    rate = dict(zip(("slow", "fast"), slow_and_fast_precession(), strict=True))[which]
    simulator, time = Simulator(heavy_top(rate)), 2.0
    headings, leans = [], []
    for step in (0.002, 0.001, 0.0005):
        lean, heading = lean_and_heading(simulator.simulate(time, step))
        headings.append(abs(heading[-1] - rate * time))
        leans.append(largest(lean - TILT))
    # the relative error of a rate is of the order of (spin step)^2/24 = 2e-4 at the smallest step
    assert headings[-1] < 1e-3 * rate * time
    assert leans[-1] < 1e-3
    assert observed_order(headings) == pytest.approx(2.0, abs=0.05)
    assert observed_order(leans) == pytest.approx(2.0, abs=0.05)


def test_its_integrals() -> None:
    """Gravity has no torque about the vertical, and none about the top's own axis."""
    slow, _ = slow_and_fast_precession()
    trajectory = Simulator(heavy_top(2 * slow)).simulate(10.0, 0.001)  # twice as fast as steady: it nods
    lean, _ = lean_and_heading(trajectory)
    assert np.ptp(lean) > 0.01
    vertical = trajectory.angular_momentum[:, 2]
    assert largest(vertical - vertical[0]) < 1e-13  # exact by symmetry; 10 000 steps of round-off
    own = ALONG * trajectory.angular_velocity[:, 0, 2]
    assert largest(own - own[0]) < 1e-13
    assert trajectory.closure.max() < 1e-13


def test_its_energy_stays_in_a_band_of_second_order() -> None:
    simulator, bands = Simulator(heavy_top(2 * slow_and_fast_precession()[0])), []
    for step in (0.002, 0.001, 0.0005):
        energy = simulator.simulate(10.0, step).energy
        first, second = np.array_split(energy, 2)
        bands.append(np.ptp(energy))
        # no trend: the second half is as wide as the first, and its mean lies where that of the first lies
        assert np.ptp(second) == pytest.approx(np.ptp(first), rel=0.05)
        assert np.mean(second) == pytest.approx(np.mean(first), abs=0.02 * bands[-1])
    assert observed_order(bands) == pytest.approx(2.0, abs=0.05)
