"""Controllers and what users give a run: gains of servos for every step, pieces without a seam, words for errors."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import Simulator, state_from
from symvi.errors import MechanismError
from symvi.mechanism import Actuator, Body, Box, Joint, JointDamper, JointSpring, Mechanism, Servo
from symvi.mechanism.state import State
from symvi.simulate import Trajectory

STEP = 0.01


def arm(*forces, **start) -> Mechanism:
    links = [Body(name=name, mass=1.0, shape=Box(size=(0.1, 0.1, 0.5), position=(0, 0, -0.25))) for name in ("a", "b")]
    joints = [
        Joint(name="shoulder", type="revolute", child="a", axis=(0, 1, 0), **start),
        Joint(name="elbow", type="revolute", parent="a", child="b", parent_anchor=(0, 0, -0.5), axis=(0, 1, 0)),
    ]
    return Mechanism(name="arm", bodies=links, joints=joints, forces=forces)


@pytest.fixture(scope="module")
def actuated() -> Simulator:
    return Simulator(arm(Actuator(name="motor", joint="shoulder"), coordinate=0.4))


@pytest.fixture(scope="module")
def servoed() -> Simulator:
    return Simulator(arm(Servo(name="servo", joint="shoulder", stiffness=20.0, damping=1.0), coordinate=0.4))


# --- pieces -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("every", [1, 5])
def test_a_controller_that_reads_velocities_sees_no_seam(actuated: Simulator, every: int, tmp_path) -> None:
    """Velocities at a knot take half of a force: of which step must not depend on where a piece ends."""
    seen = []

    def damp(time: float, state: State) -> dict[str, float]:
        seen.append(state.angular_velocity.tobytes())
        return {"motor.force": -3.0 * state.angular_velocity[0, 1]}

    whole = actuated.simulate(0.4, STEP, controller=damp, every=every)
    first = actuated.simulate(0.2, STEP, controller=damp, every=every)
    first = Trajectory.load(first.save(tmp_path / "first.npz"))
    second = actuated.simulate(0.2, STEP, controller=damp, every=every, start=first)
    assert seen[:40] == seen[40:]
    assert whole.resume.tobytes() == second.resume.tobytes()
    assert whole.velocity[-1].tobytes() == second.velocity[-1].tobytes()
    assert np.array_equal(whole.inputs[len(first) - 1 :], second.inputs)


# --- gains ------------------------------------------------------------------------------------------------------------
def test_a_controller_may_set_the_gains_of_a_servo_for_every_step(servoed: Simulator) -> None:
    """A servo with its gains set is a spring with a damper of those gains, from step to step."""
    stiff = {"servo.stiffness": 60.0, "servo.damping": 0.2}

    def switch(time: float, state: State) -> dict[str, float]:
        return stiff if time >= 0.1 - 1e-9 else {}

    motion = servoed.simulate(0.3, STEP, controller=switch)

    def passive(stiffness: float, damping: float) -> Simulator:
        spring = JointSpring(name="spring", joint="shoulder", stiffness=stiffness)
        return Simulator(arm(spring, JointDamper(name="damper", joint="shoulder", damping=damping), coordinate=0.4))

    before = passive(20.0, 1.0).simulate(0.1, STEP)
    assert np.allclose(motion.position[:11], before.position, rtol=0, atol=1e-13)
    named = dict(zip(motion.input_names, motion.inputs.T, strict=True))
    assert named["servo.stiffness"].tolist() == [20.0] * 10 + [60.0] * 21
    times = STEP * np.arange(31)
    soft = {"servo.stiffness": 20.0, "servo.damping": 1.0}
    arrays = {name: np.where(times >= 0.1 - 1e-9, stiff[name], soft[name]) for name in stiff}
    given = servoed.simulate(0.3, STEP, inputs=arrays)
    assert given.resume.tobytes() == motion.resume.tobytes()
    assert given.kinetic_energy[:-1].tobytes() == motion.kinetic_energy[:-1].tobytes()
    tail = servoed.simulate(0.2, STEP, start=servoed.simulate(0.1, STEP), inputs=stiff)
    assert tail.resume.tobytes() == motion.resume.tobytes()
    assert np.abs(motion.position[-1] - servoed.simulate(0.3, STEP).position[-1]).max() > 1e-4


def test_gains_of_a_run_are_gone_with_it(servoed: Simulator) -> None:
    expected = servoed.simulate(0.1, STEP)
    stiff = servoed.simulate(0.1, STEP, inputs={"servo.stiffness": 500.0})
    again = servoed.simulate(0.1, STEP)
    assert again.resume.tobytes() == expected.resume.tobytes() != stiff.resume.tobytes()
    assert "servo.stiffness" in stiff.input_names and "servo.stiffness" not in again.input_names
    with pytest.raises(MechanismError, match=r"gain servo\.damping: must not be negative"):
        servoed.simulate(0.1, STEP, inputs={"servo.damping": -1.0})


# --- what cannot be run -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("answer", [None, [1.0], 3.0, "motor"])
def test_a_controller_must_return_a_mapping(actuated: Simulator, answer: object) -> None:
    with pytest.raises(MechanismError, match="the controller returned .* at t = 0 s; it must return a mapping"):
        actuated.simulate(0.1, STEP, controller=lambda t, state: answer)


@pytest.mark.parametrize(
    "wrong, says",
    [
        ({"inputs": [1.0, 2.0]}, "must be a mapping from names of inputs"),
        ({"start": "x"}, "start 'x': must be a State, a Trajectory"),
        ({"every": 2.5}, "every=2.5: must divide the 10 steps"),
        ({"every": "2"}, "every='2': must divide the 10 steps"),
        ({"inputs": {"motor.force": 1j}}, "is neither a number nor an array of numbers"),
    ],
)
def test_what_cannot_be_run_is_refused_in_words(actuated: Simulator, wrong: dict, says: str) -> None:
    with pytest.raises(MechanismError, match=says):
        actuated.simulate(0.1, STEP, **wrong)


def test_what_would_be_ignored_is_refused(actuated: Simulator) -> None:
    motion = actuated.simulate(0.1, STEP)
    for asked in ("project", "papers_start"):
        with pytest.raises(MechanismError, match=rf"{asked}=True: a trajectory goes on as it ended"):
            actuated.simulate(0.1, STEP, start=motion, **{asked: True})
    with pytest.raises(ValueError, match="on_error 'ignore': use 'raise' or 'status'"):
        actuated.simulate(0.1, STEP, on_error="ignore")


def test_a_simulator_is_made_of_a_mechanism() -> None:
    with pytest.raises(MechanismError, match=r"'arm\.toml' is no Mechanism; Mechanism\.from_file"):
        Simulator("arm.toml")


def test_numbers_of_numpy_are_numbers(actuated: Simulator) -> None:
    expected = actuated.simulate(1.0, 1 / 64)
    motion = actuated.simulate(np.int64(1), np.float32(1 / 64), every=np.int64(1))
    assert motion.resume.tobytes() == expected.resume.tobytes() and isinstance(motion.step, float)
    start = state_from(actuated.mechanism, {"shoulder": np.float32(0.5)})
    assert actuated.simulate(STEP, STEP, start=start).coordinates("shoulder")[0] == pytest.approx([0.5])


def test_a_state_is_made_of_real_numbers(actuated: Simulator) -> None:
    start = state_from(actuated.mechanism, {})
    with pytest.raises(MechanismError, match="state: position must be an array of real numbers"):
        State(0.0, start.position + 1j, start.orientation, start.velocity, start.angular_velocity, start.names)
