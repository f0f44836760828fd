"""The energy of a pair changes by the work of its actuators and servos and by what dampers take, and by nothing else.

Powers are forces times rates of the joint's free motions at the knots, from their definition (support/newton_euler.py).
"""

import numpy as np
import pytest

from symvi.mechanism import axis_values, coordinate_kinds
from symvi.mechanism.signals import signal_tree, value_and_rate
from symvi.simulate import Trajectory
from tests.support.floating_pairs import FORCE_KINDS
from tests.support.kinematics import coordinates, motion
from tests.support.loaded_pairs import CONSERVATIVE, DAMPED, LoadedPair, tossed
from tests.support.measuring import largest, observed_order
from tests.support.newton_euler import free_rates
from tests.support.poses import poses_of

GRAVITY = (1.0, 2.0, -9.81)


def power(pair: LoadedPair, trajectory: Trajectory, kinds: tuple[str, ...]) -> np.ndarray:
    """(N,): the power [W] of actuators, servos and dampers at every knot."""
    return np.array([_power(pair, trajectory.state(n), kinds) for n in range(len(trajectory))])


def _power(pair: LoadedPair, state, kinds: tuple[str, ...]) -> float:
    (joint,) = pair.mechanism.joints
    rates, total = free_rates(joint, state, motion(pair.mechanism, state)), 0.0
    for force in pair.mechanism.forces:
        if force.kind not in kinds:
            continue
        if force.kind == "actuator":
            total += rates @ [value_and_rate(signal_tree(text), state.time)[0] for text in force.signal]
        elif force.kind == "joint_damper":
            total -= rates**2 @ axis_values(force.damping, coordinate_kinds(joint.type))
        elif force.kind == "servo":
            target, rate = value_and_rate(signal_tree(force.signal), state.time)
            (coordinate,) = coordinates(joint, poses_of(state))
            total += rates[0] * (force.stiffness * (target - coordinate) + force.damping * (rate - rates[0]))
    return total


def imbalances(pair: LoadedPair, kinds: tuple[str, ...], steps: tuple[float, ...]) -> list[float]:
    """The largest difference between the energy gained since the start and the work done [J], for every step."""
    found = []
    for step in steps:
        trajectory = pair.simulate(0.08, step)
        powers = power(pair, trajectory, kinds)
        work = np.concatenate([[0.0], np.cumsum(step / 2 * (powers[1:] + powers[:-1]))])
        assert np.ptp(work) > 1e-3
        found.append(largest(trajectory.energy - trajectory.energy[0] - work))
    return found


@pytest.mark.parametrize("joint_type", DAMPED)
def test_actuators_do_the_work_that_the_energy_shows(joint_type: str) -> None:
    """With springs and gravity, whose energies take part. Of second order, in sum: of third order in every step."""
    kinds = (*CONSERVATIVE, "actuator")
    errors = imbalances(LoadedPair(joint_type, kinds, GRAVITY), kinds, (0.004, 0.002))
    assert errors[-1] < 1e-4  # of works of some 0.1 J
    assert observed_order(errors) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("joint_type", DAMPED)
def test_dampers_take_and_servos_give_what_the_energy_shows(joint_type: str) -> None:
    """With all else that acts; of second order in sum too."""
    errors = imbalances(LoadedPair(joint_type, FORCE_KINDS, GRAVITY), FORCE_KINDS, (0.004, 0.002))
    assert errors[-1] < 3e-4
    assert observed_order(errors) == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("joint_type", DAMPED)
@pytest.mark.parametrize("damping", [1.0, 1e2, 1e6])
def test_dampers_never_add_energy(joint_type: str, damping: float) -> None:
    """Weak ones, and ones that stop the joint within the first step: implicit dampers are stable at any strength."""
    pair = LoadedPair(joint_type, ("joint_damper",))
    pair.simulator.set_parameter("joint_damper_of_joint.damping", [damping] * len(coordinate_kinds(joint_type)))
    trajectory = pair.simulate(2.0, 0.01, start=tossed(pair.mechanism, 5), project=True)
    energy = trajectory.energy
    assert energy.max() == energy[0]
    assert energy[-1] < 0.8 * energy[0]
    # where the joint hardly moves the band of the free motion is left: (w h)^2 of the energy and less in a step
    assert np.diff(energy).max() < 1e-5 * energy[0]
    if damping > 1.0:
        (joint,) = pair.mechanism.joints
        rates = [free_rates(joint, trajectory.state(n), motion(pair.mechanism, trajectory.state(n))) for n in (0, -1)]
        assert largest(rates[1]) < 0.01 * largest(rates[0])  # the bodies move on as one
