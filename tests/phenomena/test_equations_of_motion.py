"""Every joint with every force moves as Newton and Euler say, and pushes back as they say.

The witness solves the dense equations of motion with multipliers at a knot (support/newton_euler.py); the generated
solver's accelerations are the differences of its own knots. They agree up to the scheme's order: the second, and with
dampers, which act at the old knot with the new velocity, the first (math.md, section 4).
"""

import numpy as np
import pytest

from symvi.mechanism import JOINT_TYPES
from symvi.simulate import SolverOptions
from tests.support.floating_pairs import FORCE_KINDS
from tests.support.loaded_pairs import DAMPED, DISSIPATIVE, LoadedPair
from tests.support.measuring import centre, largest, observed_order
from tests.support.newton_euler import equations_of_motion

GRAVITY = (1.0, 2.0, -9.81)
UNDAMPED = tuple(kind for kind in FORCE_KINDS if kind not in DISSIPATIVE)
STEPS = (0.002, 0.001)
ROUND_OFF = 2e-8  # velocities are solved to 1e-12 m/s, so accelerations over a step to 1e-9


def disagreement(pair: LoadedPair, step: float, kinds: tuple[str, ...]) -> np.ndarray:
    """(3,): linear and angular accelerations of the bodies and reactions, against the equations of motion."""
    trajectory = pair.simulate(2 * step, step, options=SolverOptions(tolerance=1e-12))
    forces = [force for force in pair.mechanism.forces if force.name.removesuffix("_of_joint") in kinds]
    acting = pair.mechanism.changed(forces=forces)
    exact = equations_of_motion(acting, trajectory.state(1))
    places = np.array([centre(trajectory, name) for name in trajectory.names])
    linear = np.diff(places, 2, axis=1)[:, 0] / step**2
    spins = trajectory.angular_velocity
    angular = (spins[2] - spins[0]) / (2 * step)
    pushes = trajectory.reactions.get("joint", np.zeros((3, 6)))  # a floating joint has no rows to push with
    differences = (
        linear - exact.acceleration,
        angular - exact.angular_acceleration,
        pushes[2] - exact.reactions["joint"],
    )
    return np.array([largest(difference) for difference in differences])


def observed_orders(errors: np.ndarray) -> np.ndarray:
    """Of every quantity that is not exact to round-off anyway."""
    return np.concatenate([observed_order(column) for column in errors.T if column[-1] > ROUND_OFF])


@pytest.mark.parametrize("joint_type", JOINT_TYPES)
def test_a_pair_with_every_undamped_force_moves_as_newton_and_euler_say(joint_type: str) -> None:
    pair = LoadedPair(joint_type, UNDAMPED, GRAVITY)
    errors = np.array([disagreement(pair, step, UNDAMPED) for step in STEPS])
    assert largest(errors[-1]) < 2e-3  # accelerations are 10 m/s^2 and 50 rad/s^2
    assert observed_orders(errors) == pytest.approx(2.0, abs=0.15)  # the next power of the step is still seen


@pytest.mark.parametrize("joint_type", DAMPED)
def test_dampers_and_servos_make_it_first_order(joint_type: str) -> None:
    pair = LoadedPair(joint_type, FORCE_KINDS, GRAVITY)
    errors = np.array([disagreement(pair, step, FORCE_KINDS) for step in STEPS])
    assert observed_orders(errors) == pytest.approx(1.0, abs=0.25)
