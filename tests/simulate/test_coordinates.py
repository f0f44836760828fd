"""Minimal coordinates both ways: a state from joint coordinates and velocities gives them back; along a motion they
add up.
"""

from __future__ import annotations

import numpy as np
import pytest

from symvi import Simulator, coordinates_of, state_from
from symvi.errors import MechanismError
from symvi.mechanism import JOINT_TYPES, Actuator, Body, Joint, Mechanism, coordinate_count
from symvi.mechanism.rotation import rotate
from symvi.simulate.solver_state import carried, rotated
from symvi.simulate.turns import rotation_matrices

MOVING = [kind for kind in JOINT_TYPES if kind not in ("custom", "distance", "fixed")]
EXTRA = {"screw": {"pitch": 0.1}}


def arm(kind: str) -> Mechanism:
    bodies = [
        Body(name=name, mass=1.0, inertia=(0.3, 0.4, 0.5), center_of_mass=(0.1, -0.2, 0.05))
        for name in ("upper", "lower")
    ]
    return Mechanism(
        name="arm",
        gravity=(0.0, 0.0, 0.0),
        bodies=bodies,
        joints=[
            Joint(name="base", type="revolute", child="upper", axis=(0.0, 0.6, 0.8)),
            Joint(
                name="tested",
                type=kind,
                parent="upper",
                child="lower",
                parent_anchor=(0.1, 0.2, 0.3),
                child_anchor=(-0.2, 0.1, 0.4),
                orientation=(0.8, 0.0, 0.6, 0.0),
                axis=(0.36, 0.48, 0.8),
                **EXTRA.get(kind, {}),
            ),
        ],
    )


@pytest.mark.parametrize("kind", MOVING)
def test_coordinates_and_velocities_both_ways(kind: str) -> None:
    mechanism = arm(kind)
    count = coordinate_count(mechanism.joint("tested"))
    wanted, rates = np.linspace(0.3, 0.7, count), np.linspace(-0.4, 0.5, count)
    state = state_from(mechanism, {"base": 0.9, "tested": wanted}, {"base": -0.3, "tested": rates})
    found, speeds = coordinates_of(mechanism, "tested", state)
    assert np.allclose(found, wanted, rtol=0, atol=1e-14)
    assert np.allclose(speeds, rates, rtol=0, atol=1e-14)


@pytest.mark.parametrize("kind", MOVING)
def test_rates_are_the_derivatives_along_a_motion(kind: str) -> None:
    """Coordinates at knots against Simpson's rule over their rates: fourth order, so 1e-6 is ample at h = 0.002."""
    mechanism = arm(kind)
    count = coordinate_count(mechanism.joint("tested"))
    start = state_from(mechanism, {"tested": np.full(count, 0.2)}, {"base": 1.0, "tested": np.full(count, 0.6)})
    motion = Simulator(mechanism, backend="python").simulate(0.1, 0.005, start=start)
    values, rates = motion.coordinates("tested"), motion.rates("tested")
    simpson = (rates[:-2:2] + 4 * rates[1:-1:2] + rates[2::2]) * motion.step / 3
    assert np.allclose(values[2::2] - values[:-2:2], simpson, rtol=0, atol=2e-6)


def test_angles_are_unwrapped() -> None:
    mechanism = arm("revolute")
    start = state_from(mechanism, {}, {"tested": 20.0})
    motion = Simulator(mechanism, backend="python").simulate(1.0, 0.01, start=start)
    turned = motion.coordinates("tested")[:, 0]
    assert turned[-1] > 2 * np.pi and np.all(np.diff(turned) > 0)


def test_projection_closes_an_approximate_state() -> None:
    mechanism = arm("revolute")
    simulator = Simulator(mechanism, backend="python")
    exact = state_from(mechanism, {"tested": 0.4}, {"base": 1.0})
    moved = type(exact)(
        0.0, exact.position + 0.01, exact.orientation, exact.velocity + 0.1, exact.angular_velocity, exact.names
    )
    near = simulator.project(moved)
    motion = simulator.simulate(0.05, 0.01, start=near)
    assert motion.closure.max() < 1e-12
    assert np.abs(near.position - exact.position).max() < 0.05


@pytest.mark.parametrize("turned", [False, True], ids=["parent to child", "child to parent"])
def test_a_joint_places_the_body_that_hangs_on_it(turned: bool) -> None:
    """A rod with a placement of its own hangs on a post in the world, whichever of the two is called child."""
    ball = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    bodies = [Body(name=name, position=(0.0, 0.0, z), **ball) for name, z in (("post", 0.0), ("rod", -1.0))]
    parent, child = ("rod", "post") if turned else ("post", "rod")
    anchor = {"parent_anchor" if turned else "child_anchor": (0.0, 0.0, 1.0)}
    joints = [
        Joint(name="foot", type="fixed", child="post"),
        Joint(name="pin", type="revolute", parent=parent, child=child, axis=(0.0, 1.0, 0.0), **anchor),
    ]
    mechanism = Mechanism(name="hanging", bodies=bodies, joints=joints)
    state = state_from(mechanism, {"pin": 0.5}, {"pin": 2.0})
    assert np.abs(state.position[0]).max() < 1e-15
    found, rates = coordinates_of(mechanism, "pin", state)
    assert found == pytest.approx([0.5]) and rates == pytest.approx([2.0])
    assert np.linalg.norm(state.position[1]) == pytest.approx(1.0) and abs(state.position[1, 0]) > 0.4
    assert Simulator(mechanism, backend="python").simulate(0.1, 0.01, start=state).closure.max() < 1e-13


def test_torques_on_three_rotations_are_about_the_axes_of_the_joint_frame() -> None:
    """A ball turned far from its joint frame: its angular momentum grows along the frame's own third axis."""
    frame = (0.8, 0.0, 0.6, 0.0)
    ball = Body(name="ball", mass=1.0, inertia=(0.2, 0.2, 0.2))
    joint = Joint(name="joint", type="spherical", child="ball", orientation=frame)
    motor = Actuator(name="motor", joint="joint")
    mechanism = Mechanism(name="ball", gravity=(0, 0, 0), bodies=[ball], joints=[joint], forces=[motor])
    start = state_from(mechanism, {"joint": (1.2, 0.5, -0.9)})
    motion = Simulator(mechanism, backend="python").simulate(
        0.5, 0.01, start=start, inputs={"motor.force": (0.0, 0.0, 0.3)}
    )
    third = np.array(rotate(frame, (0.0, 0.0, 1.0)))
    assert np.allclose(motion.angular_momentum[-1], 0.5 * 0.3 * third, rtol=0, atol=1e-12)


def test_joints_without_coordinates_say_so() -> None:
    with pytest.raises(MechanismError, match="'tested': a fixed joint has no coordinates"):
        coordinates_of(arm("fixed"), "tested", state_from(arm("fixed"), {}))


def test_vectors_turn_with_the_bits_of_matrices() -> None:
    """Trajectories are turned into body axes in another way than starts are."""
    numbers = np.random.default_rng(4)
    q, vectors = numbers.normal(size=(50, 7, 4)), numbers.normal(size=(50, 7, 3))
    matrices = rotation_matrices(q)
    assert np.array_equal(carried(q, vectors), rotated(matrices, vectors))
    assert np.array_equal(carried(q, vectors[0]), rotated(matrices, vectors[0]))
    assert np.array_equal(carried(q, vectors, back=True), rotated(np.swapaxes(matrices, -1, -2), vectors))
