"""What acts between two floating bodies changes neither momentum: every contact, limit and dry friction on pairs."""

from functools import cache

import numpy as np
import pytest

from symvi.mechanism import JOINT_TYPES, DryFriction, Limit, Mechanism, Wrench, coordinate_kinds
from symvi.simulate import Simulator, SolverOptions, Trajectory
from tests.support.contact_scenes import GRAVITY, box, force_on, meeting, on_ground, simulator
from tests.support.floating_pairs import floating_pair
from tests.support.loaded_pairs import tossed
from tests.support.measuring import largest, momenta

# Solved as far as doubles go: 200 steps with momenta of about 1 N s and 1 N m s
TIGHT = SolverOptions(tolerance=1e-14)
LINEAR, ANGULAR = 1e-14, 1e-12
KINDS = ("point", "ball", "sphere", "gap")
FRICTION = ((0.0, "second_order"), (0.6, "second_order"), (0.6, "linear"))
MOVING = tuple(name for name in JOINT_TYPES if coordinate_kinds(name))


def assert_conserved(trajectory: Trajectory) -> None:
    linear, angular = momenta(trajectory)
    assert trajectory.status[-1] >= 0
    assert largest(linear - linear[0]) < LINEAR
    assert largest(angular - angular[0]) < ANGULAR


@cache
def collision(kind: str, friction: float, cone: str) -> Trajectory:
    """A pair that meets at 1.4 m/s: the step of the impact and those after it."""
    return simulator(meeting(kind, friction, cone)).simulate(2.0, 0.01, options=TIGHT)


@pytest.mark.parametrize("friction, cone", FRICTION)
@pytest.mark.parametrize("kind", KINDS)
def test_momenta_of_bodies_that_meet(kind: str, friction: float, cone: str) -> None:
    """A plane that is carried around, balls, a ring: the arms of normal force and friction are the same on both."""
    trajectory = collision(kind, friction, cone)
    assert_conserved(trajectory)
    touch = trajectory.contacts["touch"]
    assert touch.closed.any() and touch.normal_force.max() > 3.0  # an impact
    assert (largest(touch.friction_force) > 0.5) == (friction > 0)


@pytest.mark.parametrize("friction, cone", FRICTION)
@pytest.mark.parametrize("kind", KINDS)
def test_reported_forces_are_those_that_move_the_bodies(kind: str, friction: float, cone: str) -> None:
    """The force over a step acts at its first knot, on the child; its opposite on the parent."""
    trajectory = collision(kind, friction, cone)
    touch = trajectory.contacts["touch"]
    size = largest(touch.force)
    assert largest(force_on(trajectory, "tip") - touch.force[2:]) < 1e-9 * size
    assert largest(force_on(trajectory, "base") + touch.force[2:]) < 1e-9 * size


@pytest.mark.parametrize("kind", KINDS)
def test_bodies_that_meet_lose_energy_and_never_gain(kind: str) -> None:
    """Plastic impacts: what a step may gain by turning arms is far below what the impact takes."""
    for friction, cone in FRICTION:
        energy = collision(kind, friction, cone).energy
        assert energy[-1] < 0.97 * energy[0]
        assert np.diff(energy).max() < 3e-4 * energy[0]


def stopped_pair(joint_type: str) -> Mechanism:
    """A floating pair whose joint has stops on both sides of every coordinate, and dry friction along each."""
    pair = floating_pair(joint_type)
    coordinate = pair.joints[0].coordinate
    limits = [
        Limit(name=f"stop{k}", joint="joint", coordinate=k, lower=value - 0.05, upper=value + 0.08)
        for k, value in enumerate(coordinate)
    ]
    bound = tuple(0.02 * (k + 1) for k in range(len(coordinate)))
    return pair.changed(limits=limits, forces=[DryFriction(name="rub", joint="joint", bound=bound)])


@pytest.mark.parametrize(
    "joint_type, coordinates",
    [
        *((joint_type, "maximal") for joint_type in MOVING),
        *((joint_type, "tree") for joint_type in ("prismatic", "revolute", "spherical", "universal")),
    ],
)
def test_momenta_of_a_pair_with_stops_and_dry_friction(joint_type: str, coordinates: str) -> None:
    """They act along the gradient of a joint's coordinate, which no motion of the whole pair changes."""
    pair = stopped_pair(joint_type)
    start = tossed(pair, seed=1)
    trajectory = simulator(pair, coordinates=coordinates).simulate(0.6, 0.01, start=start, project=True, options=TIGHT)
    assert_conserved(trajectory)
    assert trajectory.closure.max() < 1e-12
    assert any(largest(force) > 1.0 for force in trajectory.stop_forces.values())  # a stop was hit
    assert trajectory.kinetic_energy[-1] < trajectory.kinetic_energy[0]
    for k, value in enumerate(pair.joints[0].coordinate):
        coordinate = trajectory.coordinates("joint")[:, k]
        assert value - 0.05 - 1e-13 < coordinate.min() and coordinate.max() < value + 0.08 + 1e-13
        assert largest(trajectory.stop_forces["rub"][:, k]) <= 0.02 * (k + 1)


@pytest.mark.parametrize("real", ["double", "float"])
def test_a_force_too_weak_to_be_missed_in_one_step_still_moves_a_body(real: str) -> None:
    """Half a percent of the weight is left to fall with: in a step far less than single precision solves to.

    Over the whole fall contacts far away push by what is left of complementarity, 1e-2 in single precision.
    """
    lifted = on_ground(box("drone", position=(0, 0, 3.0))).changed(
        forces=[Wrench(name="lift", body="drone", signal=("0", "0", str(0.995 * GRAVITY), "0", "0", "0"))]
    )
    motion = Simulator(lifted, real=real).simulate(1.0, step=0.001)
    fallen = 3.0 - motion.position[-1, 0, 2]
    assert fallen == pytest.approx(0.5 * 0.005 * GRAVITY, rel=1e-6 if real == "double" else 1e-2)
