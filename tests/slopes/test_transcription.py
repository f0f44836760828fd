"""Direct transcription: `simulate` repeats what it finds, its minimum is that of ilqr and of algebra, bounds hold."""

from __future__ import annotations

import sys
from functools import cache

import numpy as np
import pytest

from symvi import Actuator, ArgumentError, Body, Contact, Joint, Mechanism, Simulator, state_from
from symvi.control import ilqr, transcribe
from symvi.errors import MissingExtraError
from tests.slopes.test_planning import HANGING
from tests.slopes.test_regulator import cart_pole

pytest.importorskip("casadi", reason="needs the extra casadi")
pytestmark = pytest.mark.filterwarnings("ignore::symvi.SpinWarning")  # steps are long, and tests quick
FORCE, STILL = "motor.force", {"track": 0.0, "hinge": 0.0, "track.rate": 0.0, "hinge.rate": 0.0}


def rail() -> Simulator:
    """A cart of 2 kg on a rail, with a motor."""
    cart = Body(name="cart", mass=2.0, inertia=(1, 1, 1))
    track = Joint(name="track", type="prismatic", child="cart", axis=(1, 0, 0))
    return Simulator(
        Mechanism(name="rail", bodies=[cart], joints=[track], forces=[Actuator(name="motor", joint="track")])
    )


@cache
def swing_up():
    start = state_from(cart_pole(), HANGING)
    bounds = {"track": (-1.0, 1.0), FORCE: (-12.0, 12.0)}
    return transcribe(Simulator(cart_pole()), 2.4, 0.04, R={FORCE: 0.01}, start=start, end=STILL, bounds=bounds)


def test_a_cart_is_brought_to_rest_at_the_least_squares_of_forces() -> None:
    """Least squares under two linear equations: u = Cᵀ(CCᵀ)⁻¹d, with C from the closed form of the steps."""
    steps, h, mass = 20, 0.05, 2.0
    plan = transcribe(rail(), steps * h, h, R=[1.0], end={"track": 1.0, "track.rate": 0.0})
    share = np.ones(steps)
    share[0] = 0.5  # at a start, the forces of its knot act for half a step
    arrival = h**2 / mass * share * (steps - np.arange(steps))
    matrix = np.array([arrival, h / mass * share])
    expected = matrix.T @ np.linalg.solve(matrix @ matrix.T, [1.0, 0.0])
    assert plan.converged, plan
    np.testing.assert_allclose(plan.u[:, 0], expected, rtol=0, atol=1e-6 * np.abs(expected).max())
    assert plan.cost == pytest.approx((expected**2).sum(), rel=1e-8)


@pytest.mark.parametrize("steps", [10, 20])
def test_the_shortest_time_is_that_of_full_thrust_then_full_brake(steps: int) -> None:
    """Bang-bang with one switch, of which the step in between takes a share; the closed form of the steps says when."""
    most, mass = 4.0, 2.0
    plan = transcribe(
        rail(), 2.0, 2.0 / steps, R=[1e-9], end={"track": 1.0, "track.rate": 0.0}, bounds={FORCE: (-most, most)},
        free_time=(0.2, 5.0), time_cost=1.0,
    )  # fmt: skip
    share = np.ones(steps)
    share[0] = 0.5  # at a start, the forces of its knot act for half a step
    ahead = np.clip((share.sum() / 2 - np.concatenate([[0.0], np.cumsum(share)[:-1]])) / share, 0.0, 1.0)
    force = most * (2 * ahead - 1)  # thrust until half of the time is over
    shortest = np.sqrt(mass / (share * force @ (steps - np.arange(steps))))
    assert plan.converged and plan.step == pytest.approx(shortest, rel=1e-5)
    np.testing.assert_allclose(plan.u[:, 0], force, rtol=0, atol=1e-2)
    assert plan.time == pytest.approx(plan.step * np.arange(steps + 1))
    motion = rail().simulate(plan.time[-1], plan.step, inputs=plan.inputs)
    assert motion.coordinates("track")[-1, 0] == pytest.approx(1.0, abs=1e-7)


def test_phases_have_steps_of_their_own_and_simulate_repeats_them() -> None:
    """Each phase goes on from the state of the one before; forces at the seam act for half of both steps."""
    start, counts = state_from(cart_pole(), {"hinge": 0.4}), (8, 12)
    weak = np.where(np.arange(20) < counts[0], 6.0, 3.0)
    plan = transcribe(
        Simulator(cart_pole()), 1.0, 0.05, start=start, R={FORCE: 0.01}, end=STILL, time_cost=5.0,
        phases=((counts[0], 0.1, 0.5), (counts[1], 0.3, 2.0)), bounds={FORCE: (-6.0, weak)},
    )  # fmt: skip
    assert plan.converged and plan.phases == counts
    assert plan.u[:, 0].max() <= 6.0 + 1e-6 and plan.u[counts[0] :, 0].max() <= 3.0 + 1e-6
    assert plan.steps[0] * counts[0] == pytest.approx(0.5, abs=1e-6)  # at its bound
    assert plan.steps[-1] > 1.5 * plan.steps[0]
    assert plan.time == pytest.approx(np.concatenate([[0.0], np.cumsum(plan.steps)]))
    state, found = plan.start, []
    for stretch in plan.stretches():
        motion = Simulator(cart_pole()).simulate(start=state, **stretch)
        found.append(np.ravel(motion.curves["hinge"]))
        state = motion.state()
    np.testing.assert_allclose(found[0], plan.x[: counts[0] + 1, 1], rtol=0, atol=1e-8)
    np.testing.assert_allclose(found[1], plan.x[counts[0] :, 1], rtol=0, atol=1e-8)
    with pytest.raises(ArgumentError, match="lengths of their own"):
        assert plan.step


def test_one_phase_is_a_free_time() -> None:
    given = {"R": [1e-3], "end": {"track": 1.0, "track.rate": 0.0}, "time_cost": 1.0}
    one = transcribe(rail(), 2.0, 0.2, free_time=(0.2, 5.0), **given)
    other = transcribe(rail(), 2.0, 0.2, phases=[(10, 0.2, 5.0)], **given)
    assert one.converged and other.step == one.step and np.array_equal(other.u, one.u)


def test_bounds_may_change_from_knot_to_knot() -> None:
    """The cart waits at a gate that opens at half time; it takes a run-up as soon as the motor is on."""
    wall = np.where(np.arange(21) < 10, 0.1, np.inf)
    idle = np.where(np.arange(20) < 3, 0.0, np.inf)
    plan = transcribe(
        rail(), 1.0, 0.05, R=[1e-3], end={"track": 1.0, "track.rate": 0.0},
        bounds={"track": (None, wall), FORCE: (-idle, idle)},
    )  # fmt: skip
    assert plan.converged and np.abs(plan.u[:3]).max() < 1e-6 and plan.u[3, 0] < -1.0
    assert plan.x[:10, 0].max() < 0.1 + 1e-6 < plan.x[10, 0]


def test_a_plan_of_a_given_time_may_begin_at_one_whose_time_was_found() -> None:
    """Its steps are of the length that is given, whatever those of the guess were: `simulate` repeats it."""
    given = {"R": [1e-3], "end": {"track": 1.0, "track.rate": 0.0}}
    short = transcribe(rail(), 1.0, 0.05, free_time=(0.2, 0.7), time_cost=1.0, **given)
    plan = transcribe(rail(), 1.0, 0.05, guess=short, **given)
    assert plan.converged and short.step < 0.04 and plan.step == 0.05
    (stretch,) = plan.stretches()
    motion = rail().simulate(start=plan.start, **stretch)
    assert motion.time[-1] == pytest.approx(1.0) and motion.coordinates("track")[-1, 0] == pytest.approx(1.0, abs=1e-6)


def test_numbers_of_numpy_are_numbers() -> None:
    given = {"R": [1e-3], "time_cost": 1.0}
    least, most = np.float32(0.5), np.int64(2)
    one, other = (
        transcribe(rail(), 2.0, 0.2, end={"track": length, "track.rate": 0.0}, phases=phases, bounds=bounds, **given)
        for length, phases, bounds in (
            (1, [(10, 0.5, 2)], {FORCE: (-9, 9), "track": ([-9] * 10 + [None], None)}),
            (np.float32(1), [(np.int64(10), least, most)], {FORCE: (np.int64(-9), np.array(9.0)), "track": (-9, None)}),
        )
    )
    assert one.converged and np.array_equal(one.u, other.u)


def test_a_pole_is_swung_up_in_the_time_that_costs_least() -> None:
    """Beside plans of given times: none nearby costs less."""
    start, about = state_from(cart_pole(), {"hinge": 0.5}), {"R": {FORCE: 0.01}, "end": STILL}
    found = transcribe(
        Simulator(cart_pole()), 1.0, 0.05, start=start, free_time=(0.5, 3.0), time_cost=2.0, **about
    )  # fmt: skip
    assert found.converged and 0.51 < found.time[-1] < 2.99
    others = [
        transcribe(Simulator(cart_pole()), 20 * h, h, start=start, **about).cost + 2.0 * 20 * h
        for h in (0.97 * found.step, found.step, 1.03 * found.step)
    ]
    assert found.cost == pytest.approx(others[1], rel=1e-6)
    assert others[1] < min(others[0], others[2])


def test_a_pole_swings_up_within_its_bounds_and_simulate_repeats_it() -> None:
    plan = swing_up()
    assert plan.converged and plan.iterations < 100, plan
    assert np.abs(plan.u).max() < 12.0 + 1e-6 and np.abs(plan.x[:, 0]).max() < 1.0 + 1e-6
    assert np.abs(plan.u).max() > 11.99  # one bound is active
    motion = Simulator(cart_pole()).simulate(2.4, 0.04, start=plan.start, inputs=plan.inputs)
    np.testing.assert_allclose(np.ravel(motion.curves["hinge"]), plan.x[:, 1], rtol=0, atol=1e-7)
    assert abs(motion.curves["hinge"][-1]).max() < 1e-7
    assert plan.violation < 1e-9


def test_its_minimum_is_that_of_iterated_regulation() -> None:
    """Without bounds both look for the same one, by means that share no line but the step."""
    given = {"Q": {"track": 0.1}, "R": {FORCE: 0.01}, "final": {"hinge": 1e3, "hinge.rate": 10.0}}
    start, simulator = state_from(cart_pole(), {"hinge": 0.2}), Simulator(cart_pole())
    first = ilqr(simulator, 0.5, 0.025, start=start, tolerance=1e-12, **given)
    plan = transcribe(simulator, 0.5, 0.025, start=start, **given)
    assert plan.converged and plan.cost == pytest.approx(first.cost, rel=1e-7)
    np.testing.assert_allclose(plan.u, first.u, rtol=0, atol=1e-3 * np.abs(first.u).max())
    again = transcribe(simulator, 0.5, 0.025, start=start, inputs=first.inputs, guess="motion", **given)
    assert again.converged and again.iterations < plan.iterations
    beside = transcribe(simulator, 0.5, 0.025, start=start, guess=plan, **given)
    assert beside.converged and beside.iterations == 0 and np.array_equal(beside.x, plan.x)
    with pytest.raises(ArgumentError, match="is of other states, inputs or knots; give one of 10 steps"):
        transcribe(simulator, 0.25, 0.025, start=start, guess=plan, **given)


def test_the_start_may_be_found_too() -> None:
    """A throw: no force, and the speed at the start is what brings the cart 3 m far in a second."""
    plan = transcribe(rail(), 1.0, 0.05, R=[1.0], end={"track": 3.0}, free_start=["track.rate"])
    assert plan.x[0, 1] == pytest.approx(3.0, abs=1e-6) and np.abs(plan.u).max() < 1e-6
    assert plan.start.velocity[0] == pytest.approx([3.0, 0, 0], abs=1e-6)


def test_more_constraints_and_costs_are_expressions() -> None:
    """The cart is to pass 1 m at mid-time, and force changes cost."""

    def constraints(x, u):
        return [(x["track"][10], 1.0, 1.0), (u[FORCE], -40.0, 40.0)]

    def cost(x, u):
        change = u[FORCE][1:] - u[FORCE][:-1]
        return 1e-3 * change.T @ change

    end = {"track": 0.0, "track.rate": 0.0}
    for hessian in ("gauss-newton", "quasi-newton"):
        plan = transcribe(rail(), 1.0, 0.05, R=[1e-3], end=end, constraints=constraints, cost=cost, hessian=hessian)
        assert plan.converged and plan.x[10, 0] == pytest.approx(1.0, abs=1e-7)
        assert np.abs(plan.u).max() < 40.0 + 1e-6
        costs = 1e-3 * (plan.u**2).sum() + 1e-3 * (np.diff(plan.u[:, 0]) ** 2).sum()
        assert plan.cost == pytest.approx(costs, rel=1e-9)


def test_contacts_are_found_while_their_smoothing_falls() -> None:
    """A torque rolls a ball 0.2 m aside by friction alone; the motion itself, whose contacts are hard, comes as far."""
    ball = Body(name="ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3), position=(0, 0, 0.1))
    plane = Joint(name="plane", type="planar_axis", child="ball", axis=(0, 1, 0), parent_anchor=(0, 0, 0.1))
    floor = Contact(name="floor", child="ball", radius=0.1, friction=0.5)
    motor = Actuator(name="motor", joint="plane")
    rolling = Mechanism(name="rolling", bodies=[ball], joints=[plane], contacts=[floor], forces=[motor])
    simulator, end = Simulator(rolling), {"plane[1]": 0.2, "plane[1].rate": 0.0, "plane[2].rate": 0.0}
    plan = transcribe(simulator, 0.5, 0.025, R={"motor.force[2]": 1.0}, end=end, smoothing=(1e-2, 1e-3, 1e-4))
    assert plan.converged and plan.smoothing == 1e-4
    motion = simulator.simulate(0.5, 0.025, start=plan.start, inputs=plan.inputs)
    assert abs(motion.curves["plane"][-1][1] - 0.2) < 1e-3
    assert np.abs(motion.curves["plane"][:, 0]).max() < 1e-9  # it stays on the ground
    assert np.ptp(motion.curves["plane"][:, 1] - 0.1 * motion.curves["plane"][:, 2]) < 1e-3  # and rolls


def test_what_cannot_be_transcribed_is_refused_by_name() -> None:
    simulator, more = rail(), {"R": [1.0]}
    refused = {
        "bounds: no 'trak'; did you mean 'track'": {"bounds": {"trak": (0, 1)}},
        "bounds: 'track' is .1, 0.: the least is above": {"bounds": {"track": (1, 0)}},
        "bounds: 'track' is 1.0; give .least, most.": {"bounds": {"track": 1.0}},
        "end: no 'hinge'": {"end": {"hinge": 0.0}},
        "end: 'track' is nan": {"end": {"track": np.nan}},
        "free_start: no 'x'": {"free_start": ["x"]},
        "hessian 'exact': use one of 'gauss-newton'": {"hessian": "exact"},
        "iterations 0": {"iterations": 0},
        "tolerance 2": {"tolerance": 2},
        "guess 'arc': use 'line', 'motion' or finite numbers of shape .21, 2.": {"guess": "arc"},
        "constraints: number 0": {"constraints": lambda x, u: [x["track"]]},
        "cost: returned something of shape": {"cost": lambda x, u: x["track"]},
        "free_time: .2, 1.: the least is above": {"free_time": (2, 1)},
        "free_time .-1, 1.: give .least": {"free_time": (-1, 1)},
        "free_time: 3; give": {"free_time": 3},
        "time_cost -1": {"free_time": (1, 2), "time_cost": -1},
        "phases: have 19 steps, and time / step says 20": {"phases": [(9, 1, 2), (10, 1, 2)]},
        "phases: .20, 1. is none; give .steps": {"phases": [(20, 1)]},
        "phases: .0, 1, 2. is none": {"phases": [(0, 1, 2), (20, 1, 2)]},
        "phases .2.0, 1.0.: give .least": {"phases": [(20, 2, 1)]},
        "free_time: phases have times": {"phases": [(20, 1, 2)], "free_time": (1, 2)},
        "phases 3: give a list": {"phases": 3},
        "bounds: 'track': has 3 numbers on a side; give one, or 21": {"bounds": {"track": ([0, 1, 2], None)}},
        "bounds: 'motor.force' is .'a', 1.; give": {"bounds": {FORCE: (["a"] * 20, 1)}},
        "bounds: 'motor.force' is ..2., 1.; give": {"bounds": {FORCE: ([[2]] * 20, 1)}},
        "bounds: 'motor.force' is .1j, 1.; give": {"bounds": {FORCE: (np.full(20, 1j), 1)}},
        "end: 'track' is 1, outside its bounds at the last knot": {
            "bounds": {"track": (None, 0.5)},
            "end": {"track": 1},
        },
        "bounds: 'motor.force' is .2.0, 1.: the least": {"bounds": {FORCE: (2 * np.ones(20), 1)}},
        "time_cost: the time is given": {"time_cost": 1.0},
        "several that fall": {"smoothing": (1e-3, 1e-2)},
        "no contacts, limits or dry friction": {"smoothing": 1e-3},
        "whole steps": {"time": 0.0},
    }
    for words, arguments in refused.items():
        with pytest.raises(ArgumentError, match=words):
            transcribe(simulator, **{"time": 1.0, "step": 0.05, **more, **arguments})


def test_what_has_no_motion_says_so() -> None:
    """Two metres in a tenth of a second, with a newton."""
    plan = transcribe(rail(), 0.1, 0.05, R=[1.0], end={"track": 2.0}, bounds={FORCE: (-1.0, 1.0)}, iterations=50)
    assert not plan.converged and plan.violation > 0.1 and "infeasible" in plan.ended or "maximum" in plan.ended


def test_without_casadi_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(MissingExtraError, match="casadi"):
        transcribe(rail(), 1.0, 0.05, R=[1.0])
