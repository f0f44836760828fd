"""A step as a function of x: it is the simulator's own, at any x, and its derivatives are those of its differences."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import (
    Actuator,
    ArgumentError,
    Body,
    Joint,
    JointDamper,
    JointSpring,
    Mechanism,
    Rod,
    Simulator,
    SolverError,
)
from symvi.simulate.rotation_vectors import exponential, left_jacobian, product, rotation_vector
from symvi.simulate.slope_path import SlopePath
from symvi.simulate.step_map import StepMap
from tests.support.slope_scenes import SCENES, scene
from tests.support.subset import first_of

STEP = 0.01
CONTACTS = {"limited", "rubbing", "sphere"}


def made(name: str, coordinates: str = "auto", **more) -> StepMap:
    mechanism, inputs = scene(name)
    smoothing = 1e-3 if name in CONTACTS else None
    return StepMap(Simulator(mechanism, coordinates=coordinates), STEP, inputs=inputs, smoothing=smoothing, **more)


@pytest.mark.parametrize("name", first_of(SCENES))
def test_its_derivatives_are_those_of_differences_elsewhere(name: str) -> None:
    """At an x that no motion has been at; of tangents no part here is a difference."""
    step = made(name)
    rng = np.random.default_rng(0)
    x = step.start + 0.02 * rng.standard_normal(len(step.names))
    u = step.held + 0.1 * rng.standard_normal(len(step.inputs))
    found, eps = step.slopes(x, u), 1e-5
    for matrix, at in ((found.A, 0), (found.B, 1)):
        for k in range(matrix.shape[1]):
            both = []
            for sign in (1, -1):
                given = [x.copy(), u.copy()]
                given[at][k] += sign * eps
                both.append(step(*given))
            difference = (both[0] - both[1]) / (2 * eps)
            np.testing.assert_allclose(matrix[:, k], difference, rtol=0, atol=3e-7 * np.abs(found.A).max())


@pytest.mark.parametrize("name", first_of(tuple(each for each in SCENES if each not in CONTACTS)))
@pytest.mark.parametrize("coordinates", ["auto", "maximal"])
def test_it_is_the_motion_that_is_simulated(name: str, coordinates: str) -> None:
    """Step by step through x alone, which is all that a step needs to know of those before."""
    step, (mechanism, inputs) = made(name, coordinates), scene(name)
    simulator = Simulator(mechanism, coordinates=coordinates)
    motion = simulator.simulate(10 * STEP, STEP, inputs=inputs).linearize()
    rows = SlopePath(simulator, 10 * STEP, STEP, None, inputs).rows
    told = [k for k, each in enumerate(step.names) if ".turn[" not in each or each.endswith(".rate")]
    x = step.start
    for k in range(10):
        np.testing.assert_allclose(x[told], motion.x[k][told], rtol=0, atol=1e-9 * (1 + np.abs(x).max()))
        x = step(x, rows[k], first=k == 0)
    np.testing.assert_allclose(x[told], motion[9].next[told], rtol=0, atol=1e-9 * (1 + np.abs(x).max()))


def test_a_start_at_x_is_one_that_simulate_takes() -> None:
    step, (mechanism, _) = made("balls"), scene("balls")
    x = step.start + 0.1 * np.random.default_rng(1).standard_normal(len(step.names))
    motion = Simulator(mechanism).simulate(5 * STEP, STEP, start=step.state(x)).linearize()
    np.testing.assert_allclose(motion.x[0], x, rtol=0, atol=1e-11)  # a place is found to 1e-12 of the largest number
    for k in range(5):
        x = step(x, first=k == 0)
    np.testing.assert_allclose(motion[4].next, x, rtol=0, atol=1e-11)


def test_turns_of_a_free_body_are_told_from_the_start() -> None:
    """A body about a principal axis turns evenly, and its rotation vector grows past half a turn."""
    step, columns = made("free"), [3, 4, 5]
    assert [step.names[k] for k in columns] == ["top.turn[0]", "top.turn[1]", "top.turn[2]"]
    x = step.start.copy()
    x[6:] = 0.0
    x[11] = 5.0
    for k in range(100):
        x = step(x, first=k == 0)
    np.testing.assert_allclose(x[columns], [0, 0, 5.0], rtol=0, atol=3e-3)  # sin of half a step's turn
    there = product(exponential(x[columns]), step.orientations[0])
    assert abs(step.state(x).orientation[0] @ there) == pytest.approx(1.0, abs=1e-12)


def test_rotation_vectors() -> None:
    """exp and log are each other's inverse up to whole turns, J is what exp changes by."""
    rng = np.random.default_rng(2)
    for size in (1e-9, 1e-5, 0.3, 3.0, 5.0):
        phi = size * (axis := rng.standard_normal(3)) / np.linalg.norm(axis)
        np.testing.assert_allclose(rotation_vector(exponential(phi), phi), phi, rtol=0, atol=1e-12 * (1 + size))
        change = 1e-6 * rng.standard_normal(3)
        after, before = exponential(phi + change), exponential(phi - change)
        turned = rotation_vector(product(after, before * [1, -1, -1, -1]))
        np.testing.assert_allclose(turned, 2 * left_jacobian(phi) @ change, rtol=0, atol=1e-12)
    np.testing.assert_allclose(rotation_vector(np.array([-1.0, 0, 0, 0]), [0, 0, 6.0]), [0, 0, 2 * np.pi], atol=1e-12)


def test_what_is_no_point_is_refused() -> None:
    step = made("pair")
    with pytest.raises(ArgumentError, match="x: has shape .3,.; give 4 finite numbers, of shoulder, elbow"):
        step(np.zeros(3))
    with pytest.raises(ArgumentError, match="u: has shape"):
        step(step.start, [np.nan])


def test_coordinates_that_close_no_loop_are_refused() -> None:
    """The piston of a slider-crank, farther than crank and rod reach."""
    mechanism, _ = scene("slider_crank")
    crank = StepMap(Simulator(mechanism.changed(drivers=[])), STEP, coordinates=["guide"])
    with pytest.raises(SolverError, match="no state of these coordinates closes the joints"):
        crank([0.5, 0.0])


def test_a_step_of_another_length_is_that_of_another_map() -> None:
    """With a spring and a damper, whose weights follow from the length; its slope beside differences of two maps."""
    simulator, x, u, off = sprung(), np.array([0.3, -0.2, 1.0, 0.5]), np.array([0.4]), 1e-5
    step = StepMap(simulator, 0.02)
    size = len(step.names)
    x = np.concatenate([x, step.start[4:]])[:size]
    found, _ = step.lasting(x, u, step.going, 0.03)
    assert found.by_length is not None
    near, far, other = (StepMap(simulator, h) for h in (0.03 - off, 0.03 + off, 0.03))
    np.testing.assert_allclose(found.next[:4], other(x, u)[:4], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.by_length[:4], ((far(x, u) - near(x, u)) / (2 * off))[:4], rtol=0, atol=1e-6)
    assert np.abs(found.by_length[:4]).max() > 0.1
    np.testing.assert_allclose(step(x, u), StepMap(simulator, 0.02)(x, u), rtol=0, atol=1e-12)  # its own length is back


def sprung() -> Simulator:
    """Two hinged rods, one with a motor, one with a spring and a damper."""
    rods = [Body(name=name, mass=1.0, shape=Rod(length=1.0, radius=0.02, position=(0, 0, -0.5))) for name in ("a", "b")]
    joints = [
        Joint(name="one", type="revolute", child="a", axis=(0, 1, 0)),
        Joint(name="two", type="revolute", parent="a", child="b", parent_anchor=(0, 0, -1), axis=(0, 1, 0)),
    ]
    forces = [
        Actuator(name="motor", joint="one"),
        JointSpring(name="spring", joint="two", stiffness=20.0),
        JointDamper(name="damper", joint="two", damping=0.5),
    ]
    return Simulator(Mechanism(name="sprung", bodies=rods, joints=joints, forces=forces))
