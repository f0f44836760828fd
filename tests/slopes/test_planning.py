"""Plans and trackers: the least by dense algebra where steps are linear, without slope elsewhere, held by gains."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from symvi import Actuator, ArgumentError, Body, Joint, Mechanism, Rod, Simulator, State, coordinates_of, state_from
from symvi.control import Plan, ilqr, lqr, tvlqr
from tests.slopes.test_regulator import cart_pole

STEP = 0.05
HANGING = {"hinge": np.pi}
pytestmark = pytest.mark.filterwarnings("ignore::symvi.SpinWarning")  # steps are long, and tests quick


def pendulum() -> Mechanism:
    """A rod that stands upright at zero, with a motor that cannot lift it."""
    rod = Body(name="rod", mass=1.0, shape=Rod(length=1.0, radius=0.02, position=(0, 0, 0.5)))
    hinge = Joint(name="hinge", type="revolute", child="rod", axis=(0, 1, 0))
    return Mechanism(name="pendulum", bodies=[rod], joints=[hinge], forces=[Actuator(name="motor", joint="hinge")])


@cache
def swing_up(**more) -> Plan:
    start = state_from(pendulum(), HANGING)
    return ilqr(
        Simulator(pendulum()), 4.0, STEP, Q={"hinge": 0.1}, R={"motor.force": 0.5},
        final={"hinge": 500.0, "hinge.rate": 50.0}, start=start, inputs={"motor.force": 0.5}, **more,
    )  # fmt: skip


def test_the_plan_of_a_linear_motion_is_that_of_least_squares() -> None:
    """A cart on a rail: all states are linear in the forces, so that one change finds the least cost."""
    cart = Body(name="cart", mass=2.0, inertia=(1, 1, 1))
    track = Joint(name="track", type="prismatic", child="cart", axis=(1, 0, 0))
    motor = Actuator(name="motor", joint="track")
    rail = Mechanism(name="rail", bodies=[cart], joints=[track], forces=[motor])
    steps, goal = 20, {"track": 1.0}
    plan = ilqr(Simulator(rail), steps * STEP, STEP, Q={"track": 0.3}, R=[0.01], final=[5.0, 2.0], goal=goal)
    assert plan.converged and len(plan.costs) == 2

    def moved(column: int) -> np.ndarray:
        given = np.zeros(steps + 1)
        given[column] = 1.0
        motion = Simulator(rail).simulate(steps * STEP, STEP, inputs={"motor.force": given}).linearize()
        return motion.x

    x = np.array([moved(k) for k in range(steps)])
    weights = np.array([0.3, 0.0])
    rows = [np.sqrt(weights) * x[:, k] for k in range(steps)]
    flat = np.vstack(
        [np.concatenate([each.T for each in rows]), (np.sqrt([5.0, 2.0]) * x[:, steps]).T, 0.1 * np.eye(steps)]
    )
    wanted = np.concatenate(
        [*[np.sqrt(weights) * [1.0, 0.0]] * steps, np.sqrt([5.0, 2.0]) * [1.0, 0.0], np.zeros(steps)]
    )
    expected, *_ = np.linalg.lstsq(flat, wanted, rcond=None)
    np.testing.assert_allclose(plan.u[:, 0], expected, rtol=0, atol=1e-8 * np.abs(expected).max())
    assert plan.cost == pytest.approx(((flat @ expected - wanted) ** 2).sum(), rel=1e-9)
    assert plan.time == pytest.approx(STEP * np.arange(steps + 1))


def test_a_pendulum_is_planned_upright() -> None:
    """The plan is a motion of the simulator, and its cost has no slope by any input (by the adjoint)."""
    plan = swing_up()
    assert plan.converged, plan
    assert np.abs(plan.x[-1]).max() < 0.02 and np.abs(plan.u).max() < 0.5 * 9.81
    assert all(np.diff(plan.costs) < 0)
    mechanism, start = pendulum(), state_from(pendulum(), HANGING)
    simulator = Simulator(mechanism)
    motion = simulator.simulate(4.0, STEP, start=start, inputs=plan.inputs)
    np.testing.assert_allclose(np.ravel(motion.curves["hinge"]), plan.x[:, 0], rtol=0, atol=1e-12)

    def cost(x: np.ndarray, u: np.ndarray):
        weights = np.zeros_like(x)
        weights[:, 0], weights[-1] = 0.1, (500.0, 50.0)
        return (weights * x**2).sum() + 0.5 * (u**2).sum(), 2 * weights * x, u

    found = simulator.gradient(cost, 4.0, STEP, start=start, inputs=plan.inputs)
    assert found.value == pytest.approx(plan.cost, rel=1e-12)
    assert np.abs(found.inputs).max() < 1e-3 * np.abs(plan.u).max()


def test_a_tracker_holds_a_plan_where_its_forces_alone_do_not() -> None:
    plan, heavier = swing_up(), Simulator(pendulum(), parameters={"rod.mass": 1.1})
    start = state_from(pendulum(), {"hinge": np.pi - 0.1})
    steps = (
        Simulator(pendulum()).simulate(4.0, STEP, start=state_from(pendulum(), HANGING), inputs=plan.inputs).linearize()
    )
    tracker = tvlqr(steps, Q={"hinge": 10.0, "hinge.rate": 1.0}, R={"motor.force": 0.01}, final={"hinge": 100.0})

    def controller(time: float, state: State) -> dict[str, float]:
        angle, rate = coordinates_of(pendulum(), "hinge", state)
        more = tracker(time, np.array([angle[0], rate[0]]))
        return {"motor.force": plan.u[round(time / STEP), 0] + more["motor.force"]}

    held = heavier.simulate(4.0, STEP, start=start, controller=controller)
    left = heavier.simulate(4.0, STEP, start=start, inputs=plan.inputs)
    assert abs(held.curves["hinge"][-1]).max() < 0.1
    assert abs(left.curves["hinge"][-1]).max() > 0.5


def test_far_from_its_end_a_tracker_is_the_regulator() -> None:
    """At a balance, Riccati's recursion goes to the solution of its equation, which doubling finds."""
    steps = Simulator(cart_pole()).simulate(8.0, 0.02).linearize()
    Q, R = {"track": 1.0, "hinge": 10.0}, {"motor.force": 0.01}
    tracker, regulator = tvlqr(steps, Q, R), lqr(steps[200], Q, R)
    np.testing.assert_allclose(tracker.K[1], regulator.K, rtol=1e-6)
    np.testing.assert_allclose(tracker.P[1], regulator.P, rtol=1e-6)
    ended = tvlqr(steps, Q, R, final=regulator.P)
    np.testing.assert_allclose(ended.K[-1], regulator.K, rtol=1e-6)


def test_angles_are_told_with_their_whole_turns() -> None:
    """A regulator that is told 2 pi less would push with all its might."""
    mechanism = pendulum()
    start = state_from(mechanism, {"hinge": 2 * np.pi + 0.1}, velocities={"hinge": 9.0})
    simulator = Simulator(mechanism)
    assert simulator.linearize(start).x[0] == pytest.approx(2 * np.pi + 0.1, abs=1e-12)
    motion = simulator.simulate(2.0, 0.01, start=start)
    np.testing.assert_allclose(motion.linearize().x[:, 0], np.ravel(motion.curves["hinge"]), rtol=0, atol=1e-9)
    assert abs(motion.curves["hinge"][-1]).max() > 4 * np.pi


def test_what_cannot_be_planned_is_refused_by_name() -> None:
    simulator = Simulator(pendulum())
    with pytest.raises(ArgumentError, match="no 'hing'; did you mean 'hinge'"):
        ilqr(simulator, 1.0, Q={"hing": 1.0}, R=[1.0])
    with pytest.raises(ArgumentError, match="goal: no 'arm'"):
        ilqr(simulator, 1.0, Q={"hinge": 1.0}, R=[1.0], goal={"arm": 1.0})
    with pytest.raises(ArgumentError, match="names no input"):
        ilqr(simulator, 1.0, Q={"hinge": 1.0}, R={})
    with pytest.raises(ArgumentError, match="must not be negative"):
        ilqr(simulator, 1.0, Q={"hinge": 1.0}, R=[1.0], final={"hinge": -1.0})
    with pytest.raises(ArgumentError, match="iterations 0"):
        ilqr(simulator, 1.0, Q={"hinge": 1.0}, R=[1.0], iterations=0)
    with pytest.raises(ArgumentError, match="whole steps"):
        ilqr(simulator, 0.0, Q={"hinge": 1.0}, R=[1.0])
    tracker = tvlqr(simulator.simulate(0.1).linearize(), Q=[1.0, 1.0], R=[1.0])
    with pytest.raises(ArgumentError, match="no step of the motion begins at 0.1 s"):
        tracker(0.1, np.zeros(2))
    with pytest.raises(ArgumentError, match="no step of the motion begins at 0.005 s"):
        tracker(0.005, np.zeros(2))


def test_a_plan_that_ends_early_says_so() -> None:
    plan = swing_up(iterations=2)
    assert not plan.converged and plan.ended == "ended after 2 changes"
