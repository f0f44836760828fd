"""Derivatives of steps of higher order, by compositions and by quadrature rules: products of inner steps, Fan18's A, B.

Witnesses: differences of the solver's own steps, of fourth order; the canonical two-form; the other back end.
"""

from __future__ import annotations

import numpy as np
import pytest

from symvi import Actuator, Simulator, SolverOptions, state_from
from symvi.errors import ArgumentError
from symvi.mechanism import Body, Joint, Mechanism
from symvi.simulate.linearize import Linearizer
from symvi.simulate.linearized import slopes_of
from symvi.simulate.parameter_tangents import tangents_of
from symvi.simulate.slope_charts import Knot
from tests.slopes.test_linearize import _areas
from tests.support.damped import arm
from tests.support.linkages import four_bar
from tests.support.pendulums import chain
from tests.support.slope_scenes import scene

STEP, OPTIONS = 0.02, SolverOptions(tolerance=1e-13)
RULES = ("midpoint", "midpoint(0.3)", "trapezoid", "simpson", "gauss-4", "lobatto-6")


def driven() -> Mechanism:
    """Two oblique links with a spring, a damper, and a motor whose force is an input."""
    motor = Actuator(name="motor", joint="elbow")
    return arm(servo=False).changed(forces=[*arm(servo=False).forces, motor])


def linearizer_of(simulator: Simulator) -> Linearizer:
    own = simulator._twin()
    own._set_step(STEP)
    return Linearizer(slopes_of(own, ()), own.plan, OPTIONS, None, None, tangents_of(simulator, ()))


def differences(linearizer: Linearizer, start: np.ndarray, row: np.ndarray, size: float = 1e-4) -> np.ndarray:
    """[A, B] of the step from a state of the solver, by its steps from states beside it."""
    slopes, plan = linearizer.slopes, linearizer.plan
    lift = linearizer.lift(Knot(slopes, plan, start, row, linearizer.parameters))

    def after(column: int, moved_by: float) -> np.ndarray:
        moved, given = start.copy(), row.copy()
        if column < lift.shape[1]:
            for place, (offset, count) in slopes.layout.fields["state"].items():
                at = plan.fields["state"][place][0]
                moved[at : at + count] += moved_by * lift[offset : offset + count, column]
        else:
            given[column - lift.shape[1]] += moved_by
        slopes.enter(moved, given)
        assert slopes.step(OPTIONS) == (0, 1)
        return linearizer.values(slopes.state(), given)

    found = []
    for column in range(lift.shape[1] + len(row)):
        near, far = (after(column, k * size) - after(column, -k * size) for k in (1, 2))
        found.append((8 * near - far) / (12 * size))
    return np.array(found).T


@pytest.mark.parametrize("rule", RULES)
def test_rules_have_the_derivative_of_their_steps(rule: str) -> None:
    """Coordinates and rates of a state, and inputs, to those of the next knot, as `simulate` takes the step."""
    simulator = Simulator(driven(), coordinates="tree", rule=rule)
    model, x = simulator.model, np.array([0.7, -0.5, 1.0, 0.3, 0.4])

    def state(x: np.ndarray):
        return state_from(driven(), {"shoulder": x[0], "elbow": x[1]}, {"shoulder": x[2], "elbow": x[3]})

    def after(x: np.ndarray) -> np.ndarray:
        motion = simulator.simulate(STEP, STEP, start=state(x), inputs={"motor.force": x[4]}, options=OPTIONS)
        return np.concatenate(model.coordinates(motion.state()))

    found = simulator.linearize(state(x), inputs={"motor.force": x[4]}, step=STEP, options=OPTIONS)
    assert found.names == ("shoulder", "elbow", "shoulder.rate", "elbow.rate")
    expected = np.array([(after(x + 1e-5 * d) - after(x - 1e-5 * d)) / 2e-5 for d in np.eye(5)]).T
    np.testing.assert_allclose(np.hstack([found.A, found.B]), expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.next, after(x), rtol=0, atol=1e-12)
    python = Simulator(driven(), coordinates="tree", rule=rule, backend="python")
    other = python.linearize(state(x), inputs={"motor.force": x[4]}, step=STEP, options=OPTIONS)
    np.testing.assert_allclose(other.A, found.A, rtol=0, atol=1e-12)
    np.testing.assert_allclose(other.B, found.B, rtol=0, atol=1e-12)


@pytest.mark.parametrize("floats", (False, True))
def test_rules_have_the_derivative_of_their_steps_of_free_turns(floats: bool) -> None:
    """A ball on a hinge, from the ground or in the air: turns about axes of the body are coordinates of the step."""
    given = {"coordinate": 0.3, "velocity": 1.0}
    bodies = [
        Body(name="a", mass=1.0, inertia=(0.05, 0.06, 0.02), center_of_mass=(0, 0.1, -0.3)),
        Body(name="b", mass=0.5, inertia=(0.02, 0.01, 0.03), center_of_mass=(0.1, 0, -0.2)),
    ]
    first = Joint(name="pin", type="revolute", child="a", axis=(0, 1, 0.2), **given)
    ball = Joint(name="ball", type="spherical", parent="a", child="b", parent_anchor=(0, 0, -0.6))
    if floats:
        bodies[0] = bodies[0].changed(position=(0, 0, 0), angular_velocity=(0.5, -0.4, 0.7), velocity=(0.1, 0.2, 0))
    mechanism = Mechanism(name="balls", bodies=bodies, joints=[ball] if floats else [first, ball])
    simulator = Simulator(mechanism, coordinates="tree", rule="simpson")
    motion = simulator.simulate(5 * STEP, STEP, options=OPTIONS, project=True)
    linearizer, state, row = linearizer_of(simulator), motion.resume, motion.inputs[-1].copy()
    found, _ = linearizer.step(state, row)
    expected = differences(linearizer, state, row)
    told = expected.any(axis=1)  # a body's own turns are counted from where it is: values tell no differences of them
    assert told.sum() == len(told) - 3 * floats
    np.testing.assert_allclose(
        np.hstack([found.A, found.B])[told], expected[told], rtol=0, atol=2e-7 * np.abs(expected).max()
    )


@pytest.mark.parametrize("rule", ("midpoint", "simpson"))
def test_rules_have_the_derivative_of_their_steps_in_loops(rule: str) -> None:
    """By impulses at the nodes; of Simpson's rule the matrix lacks slopes of rows, which rounds of tangents make up."""
    simulator = Simulator(four_bar(), coordinates="tree", rule=rule)
    motion = simulator.simulate(5 * STEP, STEP, options=OPTIONS)
    linearizer, state, row = linearizer_of(simulator), motion.resume, motion.inputs[-1].copy()
    found, _ = linearizer.step(state, row)
    expected = differences(linearizer, state, row)
    np.testing.assert_allclose(np.hstack([found.A, found.B]), expected, rtol=0, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("coordinates", ("maximal", "tree"))
@pytest.mark.parametrize("name", ("pair", "servo", "four_bar"))
def test_compositions_have_the_derivative_of_their_steps(name: str, coordinates: str) -> None:
    """From a state in the midst of a motion, where an inner step led; loops, targets and inputs among them."""
    mechanism, inputs = scene(name)
    simulator = Simulator(mechanism, coordinates=coordinates, order=4)
    held = {key: float(np.ravel(value)[0]) for key, value in inputs.items()}
    motion = simulator.simulate(5 * STEP, STEP, inputs=held, options=OPTIONS)
    linearizer, state, row = linearizer_of(simulator), motion.resume, motion.inputs[-1].copy()
    found, _ = linearizer.step(state, row)
    expected = differences(linearizer, state, row)
    np.testing.assert_allclose(np.hstack([found.A, found.B]), expected, rtol=0, atol=2e-7 * np.abs(expected).max())


@pytest.mark.parametrize("how", ({"order": 4}, {"order": 6, "coordinates": "maximal"}, {"rule": "simpson"}))
def test_steps_keep_areas(how: dict) -> None:
    """The canonical two-form of any two tangents is the same after a step without friction."""
    simulator = Simulator(chain(3, angles=(0.9, -0.4, 1.1)), **{"coordinates": "tree", **how})
    motion = simulator.simulate(5 * STEP, STEP, options=OPTIONS)
    linearizer, state, row = linearizer_of(simulator), motion.resume, motion.inputs[-1]
    first = Knot(linearizer.slopes, linearizer.plan, state, row, linearizer.parameters)
    linearizer.chosen = first.choose(linearizer.every, None)
    before = linearizer.lift(first)
    moved, _, after, _ = linearizer._through(state, row, before)
    area = _areas(linearizer, state, before)
    assert np.abs(area).max() > 1e-2
    np.testing.assert_allclose(_areas(linearizer, after, moved), area, rtol=0, atol=1e-11 * np.abs(area).max())


@pytest.mark.parametrize("how", ({"order": 4}, {"rule": "simpson"}))
def test_a_motion_is_linearised_from_knot_to_knot(how: dict) -> None:
    """A small change of the start is carried to the end by the product of all steps."""
    simulator, change = Simulator(driven(), coordinates="tree", **how), 1e-5

    def ended(angle: float):
        state = state_from(driven(), {"shoulder": 0.7 + angle, "elbow": -0.5}, {"shoulder": 1.0, "elbow": 0.3})
        return simulator.simulate(0.2, STEP, start=state, inputs={"motor.force": 0.4}, options=OPTIONS)

    found = ended(0.0).linearize(options=OPTIONS)
    whole = np.eye(len(found.x[0]))
    for one in found:
        whole = one.A @ whole
    after, before = (ended(sign * change).linearize(options=OPTIONS).x for sign in (1, -1))
    slope = (after[-1] - before[-1]) / (2 * change)
    np.testing.assert_allclose(whole @ (after[0] - before[0]) / (2 * change), slope, rtol=0, atol=1e-6)


def test_what_changes_within_a_step_is_refused_by_name() -> None:
    simulator = Simulator(arm(), order=4)
    motion = simulator.simulate(0.1, STEP)
    with pytest.raises(ArgumentError, match="inputs change within the steps"):
        motion.linearize()
    with pytest.raises(ArgumentError, match="signals change within the step"):
        simulator.linearize()
    assert simulator.linearize(inputs={"servo.target": 0.1, "servo.target_rate": 0.0}).A.shape[0] >= 4
    with pytest.raises(ArgumentError, match="inputs change at knots"):
        simulator.gradient(lambda x, u: (0.0, 0 * x), time=0.1)
