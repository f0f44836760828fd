"""Newton's increments reach 1e-12 in velocity for steps from 1 us to 10 ms, on chains of 1 to 100 links.

The rows of a step carry no cancellation: with rows g(z2)/h the increments of small steps would
end at 1e-16/h.
"""

from functools import cache
from typing import Literal

import numpy as np
import pytest

from symvi.simulate import Simulator, SolverOptions, SolverStatus
from tests.support.crooked_chains import crooked_chain
from tests.support.measuring import largest

STEPS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
COORDINATES = ("maximal", "tree")
CHAINS = [(joint_type, count) for joint_type in ("revolute", "spherical") for count in (1, 10, 100)]
OPTIONS = SolverOptions(tolerance=1e-12)


@cache
def chain(
    joint_type: str, count: int, coordinates: Literal["maximal", "tree"], backend: Literal["c", "python"] = "c"
) -> Simulator:
    speed = 1.0 if count < 100 else 0.2
    return Simulator(crooked_chain(count, joint_type, speed=speed), backend=backend, coordinates=coordinates)


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("joint_type, count", CHAINS)
def test_every_step_is_solved_to_the_tolerance(joint_type: str, count: int, step: float, coordinates: str) -> None:
    trajectory = chain(joint_type, count, coordinates).simulate(100 * step, step, options=OPTIONS)
    assert (trajectory.status == SolverStatus.OK).all()  # not merely as far as round-off lets it
    assert trajectory.closure.max() < 1e-14
    # Newton converges quadratically from the motion carried on; the wildest chains turn by 0.2 rad in 10 ms
    assert trajectory.iterations[2:].max() <= 2 + 5 * (step == 1e-2)
    # no step before the first says how it goes on; in joint coordinates a third iteration may take the second's factors
    assert trajectory.iterations[1] <= 2 + (coordinates == "tree") + (step == 1e-2)


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("joint_type, count", CHAINS)
def test_the_next_increment_would_be_round_off(joint_type: str, count: int, coordinates: str) -> None:
    """Measured, not predicted: one more iteration by the reference, after it says that it has converged."""
    simulator = chain(joint_type, count, coordinates, "python")
    for step in STEPS:
        simulator.start(step=step)
        solver = simulator.engine.solver
        solver.options = OPTIONS
        solver.switches(impulse=step / 2, carry=1.0, closure=1 / step)
        solver.run("prepare")
        assert solver.newton.solve() == SolverStatus.OK
        solver.run("linearize")
        solver.run("eliminate")
        solver.run("substitute")
        assert largest([body.s for body in solver.bodies]) < 1e-13


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("joint_type, count", CHAINS)
def test_a_tighter_tolerance_changes_nothing(joint_type: str, count: int, coordinates: str) -> None:
    """So the generated C stops where it says, too, and takes round-off for what it is where no step can reach 1e-15.

    In joint coordinates rates of joints are solved for: the last of 100 bodies turns by the sum of their round-off, and
    moves by levers of up to 50 m.
    """
    levers = 10.0 if coordinates == "tree" and count == 100 else 1.0
    for step in STEPS:
        usual, tight = (
            chain(joint_type, count, coordinates).simulate(20 * step, step, options=SolverOptions(tolerance=tolerance))
            for tolerance in (1e-12, 1e-15)
        )
        assert (tight.substeps[1:] == 1.0).all()
        assert largest(usual.velocity - tight.velocity) < 1e-12 * levers
        assert largest(usual.angular_velocity - tight.angular_velocity) < 1e-12 * levers


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("joint_type", ["revolute", "spherical"])
def test_single_precision_is_usable(joint_type: str, coordinates: str) -> None:
    """Seven digits: velocities to 1e-5, closed to 1e-6 m, near the double one for half a second."""
    mechanism = crooked_chain(10, joint_type)
    double, single = chain(joint_type, 10, coordinates), Simulator(mechanism, real="float", coordinates=coordinates)
    for step in (1e-3, 1e-2):
        exact = double.simulate(0.5, step)
        rough = single.simulate(0.5, step, options=SolverOptions(tolerance=1e-5))
        assert rough.closure.max() < 1e-6
        assert largest(rough.position - exact.position) < 5e-4
        drift = np.abs(np.linalg.norm(rough.orientation, axis=-1) - 1)
        assert drift.max() < 5e-5  # never normalised: the square root of 500 steps, and some more
