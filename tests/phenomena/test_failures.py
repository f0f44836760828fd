"""What cannot be simulated is refused by name, and a step that fails leaves the state as it was."""

from math import pi, sqrt

import numpy as np
import pytest

from symvi.demos import demo_file
from symvi.errors import AssemblyError, MechanismError, SolverError
from symvi.mechanism import Actuator, Body, Joint, Mechanism, State, Wrench, start_state
from symvi.simulate import Simulator, SolverOptions, SolverStatus
from tests.support.crooked_chains import crooked_chain
from tests.support.measuring import largest

STEP = 0.01
WHOLE = SolverOptions(substeps=1)  # no step is split
SOLID = {"mass": 1.0, "inertia": (0.03, 0.04, 0.05)}


def spinner(speed: float = 0.0) -> Mechanism:
    """A free body that a wrench can take hold of."""
    body = Body(name="top", angular_velocity=(0.0, 0.6 * speed, 0.8 * speed), **SOLID)
    return Mechanism(name="spinner", gravity=(0, 0, 0), bodies=[body], forces=[Wrench(name="hand", body="top")])


@pytest.fixture(scope="module")
def arm() -> Simulator:
    mechanism = crooked_chain(3, "revolute")
    return Simulator(mechanism.changed(forces=[Actuator(name="motor", joint="joint2")]))


def moved(state: State, **changes) -> State:
    return State(**({name: getattr(state, name) for name in ("time", "position", "orientation", "velocity",
                                                             "angular_velocity", "names")} | changes))  # fmt: skip


@pytest.mark.parametrize("step", [0.0, -0.01, float("nan"), float("inf"), None])
def test_a_step_that_is_no_positive_number_is_refused(arm: Simulator, step: object) -> None:
    with pytest.raises(MechanismError, match="step .*: the time step must be a positive number of seconds"):
        arm.simulate(1.0, step)


def test_time_is_a_whole_number_of_steps(arm: Simulator) -> None:
    with pytest.raises(MechanismError, match="time 1 s is not a whole number of steps of 0.3 s"):
        arm.simulate(1.0, 0.3)
    with pytest.raises(MechanismError, match="time -1: must be a positive number"):
        arm.simulate(-1, STEP)


STARTS = [({}, 1.0), ({"papers_start": True}, sqrt(2.0)), ({"rates": "turn"}, pi / 2)]


@pytest.mark.parametrize("how, limit", STARTS)
def test_a_body_that_turns_too_far_in_a_step_is_named(how: dict, limit: float) -> None:
    """At a right angle: the momentum of a turn by A in a step is J sin(A)/h, so that knot rates end at 1/h; chord rates
    2 sin(A/2)/h end at sqrt(2)/h, rates of turn at pi/2 of it. The remedy that is offered works."""
    simulator = Simulator(spinner(200.0))
    with pytest.raises(
        MechanismError, match=rf"body 'top': turns at 200 rad/s; .* take a step below {limit / 200:.3g} s"
    ):
        simulator.simulate(1.001 * limit, 1.001 * limit / 200, **how)
    trajectory = simulator.simulate(0.2, 0.004, **how)
    assert (trajectory.status == SolverStatus.OK).all()


def test_a_start_off_its_constraints_is_named_with_its_size(arm: Simulator) -> None:
    """A link moved by 3 cm: its joint is open by that much; projection repairs it."""
    start = start_state(arm.mechanism)
    position = start.position.copy()
    position[2] += (0.03, 0.0, 0.0)
    off = moved(start, position=position)
    with pytest.raises(
        AssemblyError, match=r"violates the constraints by 0\.03, worst at 'joint3': start with project=True"
    ):
        arm.simulate(1.0, STEP, start=off)
    trajectory = arm.simulate(1.0, STEP, start=off, project=True)
    assert trajectory.closure.max() < 1e-13
    assert largest(trajectory.position[0] - off.position) < 0.03  # it is the nearest, not any


def test_start_velocities_off_their_constraints_are_refused(arm: Simulator) -> None:
    start = start_state(arm.mechanism)
    velocity = start.velocity.copy()
    velocity[1] += (0.0, 0.5, 0.0)
    off = moved(start, velocity=velocity)
    with pytest.raises(AssemblyError, match="start velocities violate the constraints: .* start with project=True"):
        arm.simulate(1.0, STEP, start=off)
    arm.simulate(1.0, STEP, start=off, project=True)


def test_a_start_that_cannot_be_assembled_says_so() -> None:
    """Two points held 3 m apart by a joint and joined by a bar of 1 m."""
    bodies = [Body(name=name, position=(x, 0, 0), **SOLID) for name, x in (("left", 0), ("right", 3))]
    anchors = [
        Joint(name=f"pin{k}", type="spherical", child=body.name, parent_anchor=body.position)
        for k, body in enumerate(bodies)
    ]
    bar = Joint(name="bar", type="distance", parent="left", child="right", length=1.0)
    with pytest.raises((AssemblyError, MechanismError), match="bar"):
        Simulator(Mechanism(name="apart", bodies=bodies, joints=[*anchors, bar])).simulate(0.1, STEP, project=True)


def test_states_of_other_bodies_are_refused(arm: Simulator) -> None:
    with pytest.raises(MechanismError, match="state: has the bodies top; the mechanism has link1, link2, link3"):
        arm.simulate(1.0, STEP, start=start_state(spinner()))


@pytest.mark.parametrize("backend", ["c", "python"])
@pytest.mark.parametrize("push", [1e4, 1e9, 1e300])
def test_a_violent_push_fails_and_leaves_the_state_untouched(backend: str, push: float) -> None:
    """A status, never a NaN; afterwards the motion goes on as if the push had not been tried."""
    simulator = Simulator(spinner(3.0), backend=backend)
    inputs = {"hand.torque[0]": np.where(np.arange(31) < 20, 0.0, push)}
    with pytest.raises(SolverError, match="mechanism 'spinner', after t = 0.2 s: ") as caught:
        simulator.simulate(0.3, STEP, inputs=inputs, options=WHOLE)
    assert caught.value.status == SolverStatus.NOT_FINITE if push > 1e150 else caught.value.status < 0
    assert caught.value.status.sentence in str(caught.value)
    failed = simulator.simulate(0.3, STEP, inputs=inputs, options=WHOLE, on_error="status")
    assert len(failed) == 21 and failed.status[-1] == caught.value.status
    assert (failed.status[:-1] == SolverStatus.OK).all()
    assert np.isfinite(failed.resume).all() and np.isfinite(failed.orientation).all()
    calm = simulator.simulate(0.2, STEP)
    assert failed.resume.tobytes() == calm.resume.tobytes()
    further = simulator.simulate(0.1, STEP, start=failed)
    assert further.resume.tobytes() == simulator.simulate(0.3, STEP).resume.tobytes()


@pytest.mark.parametrize("backend", ["c", "python"])
def test_a_body_that_is_driven_to_turn_too_far_in_a_step_fails_for_that_reason(backend: str) -> None:
    """A momentum of J/h is the largest that a step can have: J sin(turn)/h, at a quarter of a turn.

    J = 0.05 kg m² under 2.5 N m comes there after 0.05/0.01/2.5 = 2 s, free and on a hinge.
    """
    free = Simulator(spinner(), backend=backend)
    hinge = Joint(name="hinge", type="revolute", child="top")
    held = Simulator(Mechanism(name="held", bodies=[Body(name="top", **SOLID)], joints=[hinge],
                               forces=[Actuator(name="motor", joint="hinge")]), backend=backend)  # fmt: skip
    for simulator, name in ((free, "hand.torque[2]"), (held, "motor.force")):
        with pytest.raises(SolverError, match="a quarter of a turn or more in one step; take a smaller step") as caught:
            simulator.simulate(3.0, STEP, inputs={name: 2.5}, options=WHOLE)
        assert caught.value.status == SolverStatus.DOMAIN and "after t = 2 s" in str(caught.value)
        assert caught.value.worst == "body 'top'" and caught.value.iterations > 1


def test_a_chain_fails_with_its_state_untouched(arm: Simulator) -> None:
    """With joints: neither Newton's tries nor the line search's leave a trace."""
    inputs = {"motor.force": np.where(np.arange(41) < 20, 1.0, 1e6)}
    failed = arm.simulate(0.4, STEP, inputs=inputs, on_error="status")
    assert failed.status[-1] < 0 and 20 <= len(failed) - 1 < 40
    steps = len(failed) - 1
    assert (
        failed.resume.tobytes()
        == arm.simulate(steps * STEP, STEP, inputs={"motor.force": inputs["motor.force"][: steps + 1]}).resume.tobytes()
    )


@pytest.mark.parametrize("coordinates, worst", [("maximal", "(link|joint)3"), ("tree", "link2")])
def test_a_failure_names_the_worst_body_or_joint_and_the_iterations(coordinates: str, worst: str) -> None:
    """A motor at the last of three hinges: with one iteration momenta and rows are left there, in either back end.

    In joint coordinates all hinges are closed, and the middle one bears what both links behind it lack.
    """
    mechanism = crooked_chain(3, "revolute").changed(forces=[Actuator(name="motor", joint="joint3")])
    told = []
    for backend in ("c", "python"):
        with pytest.raises(SolverError, match=rf"worst at (body )?'{worst}' after 1 iteration$") as caught:
            options = SolverOptions(tolerance=1e-14, max_iterations=1, substeps=1)
            simulator = Simulator(mechanism, backend=backend, coordinates=coordinates)
            simulator.simulate(1.0, STEP, inputs={"motor.force": 5.0}, options=options)
        told.append((str(caught.value), caught.value.worst, caught.value.iterations))
    assert told[0] == told[1] and told[0][2] == 1


def test_too_few_iterations_are_a_status(arm: Simulator) -> None:
    options = SolverOptions(tolerance=1e-14, max_iterations=1)
    failed = arm.simulate(0.4, STEP, inputs={"motor.force": 30.0}, options=options, on_error="status")
    assert failed.status[-1] == SolverStatus.NOT_CONVERGED


@pytest.mark.parametrize("options", [{"tolerance": 0.0}, {"tolerance": float("nan")}, {"max_iterations": 0}])
def test_options_without_sense_are_refused(options: dict) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        SolverOptions(**options)


def test_every_status_is_a_sentence() -> None:
    assert all(len(status.sentence) > 10 for status in SolverStatus)


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("numbers", [(np.nan,), (np.inf,), (-np.inf,), (np.inf, -np.inf)])
def test_a_state_that_is_not_finite_is_refused_wherever_it_is_not(coordinates: str, numbers: tuple[float, ...]) -> None:
    """No residual reads the velocities of the step before last: all numbers are looked at, whatever they add up to."""
    simulator = Simulator(Mechanism.from_file(demo_file("double_pendulum")), coordinates=coordinates, backend="c")
    simulator.start(step=0.01)
    engine, inputs = simulator.engine, np.zeros((1, len(simulator.plan.inputs)))
    begin = engine.state.copy()
    for place in range(len(begin) - len(numbers) + 1):
        engine.state[:] = begin
        engine.state[place : place + len(numbers)] = numbers
        assert engine.rollout(inputs, False, 1, 1, SolverOptions())[0] == SolverStatus.NOT_FINITE, place
    engine.state[:] = begin
    assert engine.rollout(inputs, False, 1, 1, SolverOptions())[0] == SolverStatus.OK
