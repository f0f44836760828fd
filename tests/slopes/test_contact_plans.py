"""Plans of smoothed steps, with further residuals, with second derivatives: each beside another way to the same."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from symvi import Actuator, ArgumentError, Body, Contact, Joint, Mechanism, Rod, Simulator, state_from
from symvi.control import Plan, StepMap, ilqr
from symvi.control.curvature import Curvature
from symvi.simulate.slope_path import SlopePath

pytestmark = pytest.mark.filterwarnings("ignore::symvi.SpinWarning")  # steps are long, and tests quick
STEP, TIME, HIGH = 0.02, 0.6, 0.15


@cache
def jumper() -> Simulator:
    """A trunk on a rail that stands up, and a leg that slides out of it onto the ground."""
    bodies = [Body(name="trunk", mass=2.0, inertia=(0.01, 0.01, 0.01)), Body(name="leg", mass=0.3, inertia=(1, 1, 1))]
    joints = [
        Joint(name="rail", type="prismatic", child="trunk", axis=(0, 0, 1), parent_anchor=(0, 0, 0.5)),
        Joint(name="knee", type="prismatic", parent="trunk", child="leg", axis=(0, 0, 1), parent_anchor=(0, 0, -0.3)),
    ]
    contact = Contact(name="foot", child="leg", child_anchor=(0, 0, -0.2), friction=0.5)
    motor = Actuator(name="motor", joint="knee")
    return Simulator(Mechanism(name="jumper", bodies=bodies, joints=joints, forces=[motor], contacts=[contact]))


@cache
def jump(*smoothings: float) -> Plan:
    """From standing to a height."""
    return ilqr(
        jumper(), TIME, STEP, Q={"knee": 0.1}, R={"motor.force": 1e-5}, final={"rail": 500.0, "knee": 50.0},
        goal={"rail": HIGH}, inputs={"motor.force": -19.6}, smoothing=smoothings, iterations=25,
    )  # fmt: skip


def test_a_jump_is_found_from_standing_still() -> None:
    """Nobody says when the foot leaves the ground: smoothed contacts tell how the ground answers a thrust."""
    plan = jump(1e-1, 1e-3, 1e-5)
    assert plan.costs[-1] < 0.1 * 500 * HIGH**2
    motion = jumper().simulate(TIME, STEP, inputs=plan.inputs)
    height, gap = motion.coordinates("rail")[:, 0], motion.curves["foot.gap"]
    assert height[-1] == pytest.approx(HIGH, abs=0.02)
    assert gap[-1] > 0.03 and np.ravel(gap)[: len(gap) // 3].max() < 1e-3 and gap.min() > -1e-9


def test_a_smoothed_plan_is_a_motion_of_the_smoothed_step() -> None:
    """Step by step what StepMap says, which places states of its own; with hard contacts it is another motion."""
    plan = jump(1e-1)
    step = StepMap(jumper(), STEP, smoothing=1e-1)
    x = [plan.x[0]]
    for k, u in enumerate(plan.u):
        x.append(step(x[-1], u, first=k == 0))
    np.testing.assert_allclose(np.array(x), plan.x, rtol=0, atol=1e-7)
    hard = jumper().simulate(TIME, STEP, inputs=plan.inputs).coordinates("knee")[:, 0]
    assert np.abs(hard - plan.x[:, 1]).max() > 1e-4


def pendulum() -> Simulator:
    rod = Body(name="rod", mass=1.0, shape=Rod(length=1.0, radius=0.02, position=(0, 0, 0.5)))
    hinge = Joint(name="hinge", type="revolute", child="rod", axis=(0, 1, 0))
    return Simulator(
        Mechanism(name="pendulum", bodies=[rod], joints=[hinge], forces=[Actuator(name="motor", joint="hinge")])
    )


@cache
def swing_up(**more: bool) -> Plan:
    simulator = pendulum()
    return ilqr(
        simulator, 4.0, 0.05, Q={"hinge": 0.1}, R={"motor.force": 0.5}, final={"hinge": 500.0, "hinge.rate": 50.0},
        start=state_from(simulator.mechanism, {"hinge": np.pi}), inputs={"motor.force": 0.5}, **more,
    )  # fmt: skip


def test_second_derivatives_find_the_same_minimum_in_fewer_changes() -> None:
    first, second = swing_up(), swing_up(second_order=True)
    assert first.converged and second.converged
    assert second.cost == pytest.approx(first.cost, rel=1e-5)
    assert len(second.costs) < 0.7 * len(first.costs)


def test_second_derivatives_are_those_of_the_step() -> None:
    """Beside second differences of the step itself."""
    simulator, x, u, off = pendulum(), np.array([2.0, 1.5]), np.array([0.7]), 1e-3
    path = SlopePath(simulator, 0.1, 0.05, state_from(simulator.mechanism, {"hinge": 2.0}), {})
    curvature = Curvature(path, [0], simulator, state_from(simulator.mechanism, {"hinge": 2.0}))
    going = curvature.map.place(x, curvature.map.going)
    (found,) = curvature.of([going.state], np.array([x]), np.array([u]))
    assert found.shape == (2, 3, 3)
    np.testing.assert_allclose(found, found.transpose(0, 2, 1), rtol=0, atol=0)

    def stepped(*changes: tuple[int, float]) -> np.ndarray:
        z = np.concatenate([x, u])
        for k, change in changes:
            z[k] += change
        return curvature.map(z[:2], z[2:])

    for i in range(3):
        for j in range(3):
            ends = sum(a * b * stepped((i, a * off), (j, b * off)) for a in (-1, 1) for b in (-1, 1))
            np.testing.assert_allclose(found[:, i, j], ends / (4 * off**2), rtol=0, atol=2e-6)
    assert np.abs(found).max() > 0.1


def test_squares_may_be_told_as_residuals() -> None:
    def residuals(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        by_x = np.zeros((len(x), 1, 2))
        by_x[:, 0, 0] = np.sqrt(0.1)
        return by_x[:, :, 0] * x[:, :1], by_x

    simulator = pendulum()
    about = {"R": {"motor.force": 0.5}, "start": state_from(simulator.mechanism, {"hinge": 0.5}), "iterations": 5}
    told = ilqr(simulator, 1.0, 0.05, Q={"hinge": 0.1}, final={"hinge": 5.1}, **about)
    further = ilqr(simulator, 1.0, 0.05, Q={}, final={"hinge": 5.0}, residuals=residuals, **about)
    np.testing.assert_allclose(further.u, told.u, rtol=0, atol=1e-10)
    assert further.cost == pytest.approx(told.cost, rel=1e-12)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda x: x, "return .r, by x."),
        (lambda x: (x[:, :1], np.zeros((len(x), 2, 2))), "r has shape .21, 1., its slope .21, 2, 2."),
        (lambda x: (x[:, :1] * np.nan, np.zeros((len(x), 1, 2))), "not all of r"),
        (lambda x: ("r", "slope"), "arrays of numbers"),
        (3, "residuals 3: give a function"),
    ],
)
def test_residuals_that_are_none_are_refused(wrong, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        ilqr(pendulum(), 1.0, 0.05, Q={"hinge": 1.0}, R=[1.0], residuals=wrong)


def test_smoothings_must_fall_and_turns_of_bodies_have_no_second_derivatives() -> None:
    with pytest.raises(ArgumentError, match="several that fall"):
        jump(1e-4, 1e-2)
    ball = Body(name="ball", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 1))
    rod = Body(name="rod", mass=1.0, inertia=(1, 1, 1))
    hinge = Joint(name="hinge", type="revolute", child="rod", axis=(0, 1, 0))
    both = Mechanism(name="both", bodies=[ball, rod], joints=[hinge], forces=[Actuator(name="motor", joint="hinge")])
    with pytest.raises(ArgumentError, match="turns of a body that no joint holds"):
        ilqr(Simulator(both), 0.1, 0.05, Q={"hinge": 1.0}, R=[1.0], second_order=True)


def test_a_plan_begins_at_another_one_of_the_same_steps() -> None:
    first = swing_up()
    simulator = pendulum()
    about = {"Q": {"hinge": 0.1}, "R": {"motor.force": 0.5}, "final": {"hinge": 500.0, "hinge.rate": 50.0}}
    start = state_from(simulator.mechanism, {"hinge": np.pi})
    again = ilqr(simulator, 4.0, 0.05, start=start, guess=first, **about)
    assert again.converged and len(again.costs) <= 3
    assert again.costs[0] == pytest.approx(first.cost, rel=1e-12)
    for time, step in ((2.0, 0.05), (2.0, 0.025)):
        with pytest.raises(ArgumentError, match="guess: has other states, inputs or steps"):
            ilqr(simulator, time, step, start=start, guess=first, **about)


def test_a_guess_has_the_same_inputs_that_are_not_found() -> None:
    """Of a guess, what is to be found is taken; a wind that it knew nothing of would not act."""
    rod = Body(name="rod", mass=1.0, inertia=(1, 1, 1), center_of_mass=(0, 0, 0.5))
    hinge = Joint(name="hinge", type="revolute", child="rod", axis=(0, 1, 0))
    forces = [Actuator(name=name, joint="hinge") for name in ("motor", "wind")]
    simulator = Simulator(Mechanism(name="windy", bodies=[rod], joints=[hinge], forces=forces))
    about = {"Q": {"hinge": 1.0}, "R": {"motor.force": 0.1}}
    calm = ilqr(simulator, 0.2, 0.05, **about)
    with pytest.raises(ArgumentError, match="guess: its input 'wind.force', which R does not name"):
        ilqr(simulator, 0.2, 0.05, guess=calm, inputs={"wind.force": 1.0}, **about)
    windy = ilqr(simulator, 0.2, 0.05, inputs={"wind.force": 1.0}, **about)
    again = ilqr(simulator, 0.2, 0.05, guess=windy, inputs={"wind.force": 1.0}, **about)
    assert again.cost == pytest.approx(windy.cost) and (again.u[:, 1] == 1.0).all()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"smoothing": "much"}, "smoothing 'much': give a number"),
        ({"smoothing": np.float32(0.1)}, "no contacts, limits or dry friction"),
        ({"tolerance": "fine"}, "tolerance 'fine'"),
        ({"second_order": "yes"}, "second_order 'yes': must be True or False"),
        ({"guess": "hop"}, "guess 'hop': give what ilqr has returned"),
    ],
)
def test_what_no_plan_is_asked_by_is_named(asked: dict, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        ilqr(pendulum(), 1.0, 0.05, Q={"hinge": 1.0}, R=[1.0], **asked)
