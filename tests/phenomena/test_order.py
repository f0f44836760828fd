"""Observed order of the scheme: two with the start by the discrete Legendre transform, one with the papers' start.

Witnesses: the double pendulum's Lagrangian equations, and for a spatial arm the equations of Newton and Euler with
multipliers, both integrated by SciPy. A prototype had 2.00 and 0.98 for the double pendulum.
"""

from math import cos, sin

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from symvi.mechanism import Body, Joint, Mechanism, State
from symvi.mechanism.rotation import about
from symvi.simulate import Simulator, SolverOptions
from tests.support.damped import DAMPED
from tests.support.integrated import integrated
from tests.support.measuring import angle_about, largest, observed_order
from tests.support.pendulums import chain

STEPS = (0.01, 0.005, 0.0025, 0.00125)
OPTIONS = SolverOptions(tolerance=1e-12)  # far below the errors of the scheme
ANGLES = (1.2, -0.4)


def exact_double_pendulum(time: float) -> np.ndarray:
    """Angles of two boxes of 0.1 x 0.1 x 1 m and 1 kg from hanging down [rad], let go at rest."""
    inertia, half, whole, weight = (0.1**2 + 1) / 12, 0.5, 1.0, 9.81

    def rates(_, y):
        (a, b), (da, db) = y[:2], y[2:]
        mixed = half * whole * cos(a - b)
        mass = np.array([[inertia + half**2 + whole**2, mixed], [mixed, inertia + half**2]])
        twist = half * whole * sin(a - b)
        force = [-twist * db**2 - (half + whole) * weight * sin(a), twist * da**2 - half * weight * sin(b)]
        return np.concatenate([y[2:], np.linalg.solve(mass, force)])

    return solve_ivp(rates, (0, time), [*ANGLES, 0, 0], method="DOP853", rtol=1e-12, atol=1e-12).y[:2, -1]


@pytest.mark.parametrize("papers_start, order", [(False, 2.0), (True, 1.0)])
def test_a_double_pendulum(papers_start: bool, order: float) -> None:
    time = 2.0
    simulator, exact, errors = Simulator(chain(2, angles=ANGLES)), exact_double_pendulum(time), []
    for step in STEPS:
        trajectory = simulator.simulate(time, step, papers_start=papers_start, options=OPTIONS)
        found = [angle_about(trajectory, name)[-1] for name in ("link1", "link2")]
        errors.append(largest(np.array(found) - exact))
    assert observed_order(errors)[-1] == pytest.approx(order, abs=0.05)


def spatial_arm() -> Mechanism:
    """A screw that stands askew and carries a ball with a second body; nothing lies along an axis."""
    return Mechanism(
        name="spatial_arm",
        bodies=[
            Body(name="upper", mass=1.5, inertia=(0.05, 0.08, 0.06, 0.01, 0.01, 0), center_of_mass=(0.1, 0.1, -0.3)),
            Body(name="lower", mass=0.8, inertia=(0.04, 0.03, 0.03, 0.01, 0, -0.006), center_of_mass=(0.1, 0.2, -0.2)),
        ],
        joints=[
            Joint(name="thread", type="screw", child="upper", axis=(1, 0.5, 2), pitch=0.2, coordinate=0.4, velocity=1.5,
                  orientation=about((1, 1, 0), 0.6), child_anchor=(0.05, 0, 0.1)),
            Joint(name="ball", type="spherical", parent="upper", child="lower", parent_anchor=(0.1, 0.2, -0.5),
                  child_anchor=(0, 0.05, 0.1), coordinate=(0.3, -0.5, 0.2), velocity=(2.0, -1.0, 1.5)),
        ],
    )  # fmt: skip


@pytest.fixture(scope="module")
def arm() -> tuple[Simulator, State]:
    mechanism = spatial_arm()
    return Simulator(mechanism), integrated(mechanism, 0.5)


@pytest.mark.parametrize("papers_start, order", [(False, 2.0), (True, 1.0)])
def test_an_arm_with_a_screw_and_a_ball(arm: tuple[Simulator, State], papers_start: bool, order: float) -> None:
    """Its placements and its velocities at the knots."""
    simulator, exact = arm
    ends = [simulator.simulate(0.5, step, papers_start=papers_start, options=OPTIONS).state() for step in STEPS]
    for quantity in ("position", "velocity", "angular_velocity"):
        errors = [largest(getattr(end, quantity) - getattr(exact, quantity)) for end in ends]
        assert observed_order(errors)[-1] == pytest.approx(order, abs=0.05)


@pytest.mark.parametrize("name", DAMPED)
def test_laws_between_the_knots_are_second_order(name: str) -> None:
    """Springs, dampers and servos, with h d below the mass along each: positions and velocities at the knots."""
    mechanism = DAMPED[name]()
    simulator, exact = Simulator(mechanism), integrated(mechanism, 0.1)
    ends = [simulator.simulate(0.1, step, options=OPTIONS).state() for step in (0.0025, 0.00125)]
    for quantity in ("position", "velocity", "angular_velocity"):
        errors = [largest(getattr(end, quantity) - getattr(exact, quantity)) for end in ends]
        assert errors[-1] < 1e-9 or observed_order(errors)[-1] == pytest.approx(2.0, abs=0.1)
