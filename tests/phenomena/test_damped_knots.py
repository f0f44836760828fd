"""Velocities at the knots of damped laws, which act nearer to the end of a step than to its beginning.

Half of what a law does in the step from a knot acts before it, as of every force at the knot. So loads that rest read
zero, what falls through a damper reads its terminal velocity, at any step; and a start is a knot as any other.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from examples._quadruped import STAND, gait, quadruped
from symvi.mechanism import Body, Joint, JointDamper, JointSpring, Mechanism, PointSpring, Servo
from symvi.simulate import Simulator, SolverOptions, Trajectory
from symvi.simulate.frames import entry
from tests.support.damped import DAMPED
from tests.support.measuring import largest, observed_order

GRAVITY, TIGHT = 9.81, SolverOptions(tolerance=1e-12)
LIFT = Joint(name="lift", type="prismatic", child="load", axis=(0, 0, 1))
LOAD = Body(name="load", mass=2.0, inertia=(0.02, 0.03, 0.04))


def lift(*forces, gravity: float = GRAVITY, **start) -> Mechanism:
    """2 kg on an upright rail."""
    return Mechanism(name="lift", gravity=(0, 0, -gravity), bodies=[LOAD], joints=[LIFT.changed(**start)],
                     forces=forces)  # fmt: skip


def on_a_servo(stiffness: float = 1e4, damping: float = 400.0) -> Mechanism:
    """The load where the servo bears it."""
    servo = Servo(name="servo", joint="lift", stiffness=stiffness, damping=damping, signal="0")
    return lift(servo, coordinate=-2.0 * GRAVITY / stiffness)


def on_a_cord() -> Mechanism:
    """The load on a damped cord, a centimetre longer than without it."""
    cord = PointSpring(name="cord", child="load", parent_anchor=(0, 0, 1), stiffness=2.0 * GRAVITY / 0.01, length=0.49,
                       damping=300.0)  # fmt: skip
    return Mechanism(name="cord", bodies=[LOAD.changed(position=(0, 0, 0.5))], forces=[cord])


def on_a_ball_joint() -> Mechanism:
    """A bar that a ball joint holds at one end, level: its springs are wound up by what its weight is worth."""
    ball = Joint(name="ball", type="spherical", child="bar", child_anchor=(-0.5, 0, 0))
    bar = Body(name="bar", mass=2.0, inertia=(0.01, 0.2, 0.2), position=(0.5, 0, 0))
    forces = [
        JointSpring(
            name="spring", joint="ball", stiffness=(40.0, 50.0, 60.0), rest=(0, -2.0 * GRAVITY * 0.5 / 50.0, 0)
        ),
        JointDamper(name="damper", joint="ball", damping=(2.0, 20.0, 5.0)),
    ]
    return Mechanism(name="bar", bodies=[bar], joints=[ball], forces=forces)


RESTING = {"servo": on_a_servo, "cord": on_a_cord, "ball joint": on_a_ball_joint}


@pytest.mark.parametrize("real, noise", [("double", 1e-12), ("float", 1e-4)])
@pytest.mark.parametrize("step", [1e-3, 1e-2, 0.1])
@pytest.mark.parametrize("name", RESTING)
def test_a_load_that_rests_stays_and_reads_zero(name: str, step: float, real: str, noise: float) -> None:
    """From its first step on. The term that a knot lacked was 0.1 m/s of the servo's load at 0.01 s."""
    mechanism = RESTING[name]()
    motion = Simulator(mechanism, real=real).simulate(30 * step, step)
    assert largest(motion.velocity) < noise and largest(motion.angular_velocity) < noise
    assert largest(motion.position - motion.position[0]) < noise * step
    assert largest(motion.kinetic_energy) < noise**2


@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_a_quadruped_that_stands_on_servos_reads_zero(step: float) -> None:
    """Twelve servos under 13 kg; it stood at 0.02 m/s and 0.5 m/s."""
    targets = {name: float(values[0]) for name, values in gait(np.zeros(1), STAND).items()}
    motion = Simulator(quadruped(0.8)).simulate(3.0, step, inputs=targets, every=round(0.5 / step))
    steps = np.abs(np.diff(motion.position[-2:], axis=0)) / 0.5  # what it still creeps by
    assert largest(motion.velocity[-1]) < 10 * largest(steps) + 1e-9
    assert largest(motion.velocity[-1]) < 1e-5


@pytest.mark.parametrize("damping", [1.0, 200.0, 1e4, 1e6])
def test_what_falls_through_a_damper_reads_its_terminal_velocity(damping: float) -> None:
    """m g = d v, from the start on."""
    speed = -2.0 * GRAVITY / damping
    motion = Simulator(lift(JointDamper(name="oil", joint="lift", damping=damping), velocity=speed)).simulate(1.0, 0.01)
    assert motion.velocity[:, 0, 2] == pytest.approx(speed, rel=1e-11)
    assert motion.position[:, 0, 2] == pytest.approx(speed * motion.time, rel=1e-10)


@pytest.mark.parametrize("damping", [1.0, 60.0, 1e5])
def test_a_lone_damper_slows_all_knots_by_one_factor(damping: float) -> None:
    """1/(1 + y + y²/2 + y³/6) of y = h d/m, without a change of sign; a knot's lies between those of its steps."""
    y = 0.01 * damping / 2.0
    motion = Simulator(
        lift(JointDamper(name="oil", joint="lift", damping=damping), gravity=0.0, velocity=3.0)
    ).simulate(0.2, 0.01, options=TIGHT)
    v, of_steps = motion.velocity[:, 0, 2], np.diff(motion.position[:, 0, 2]) / 0.01
    assert v == pytest.approx(3.0 / (1 + y + y**2 / 2 + y**3 / 6) ** np.arange(21), rel=1e-9, abs=1e-12)
    assert of_steps == pytest.approx(v[:-1] / (1 + y / 2), rel=1e-9, abs=1e-10)


def test_knots_of_a_damped_swing_are_of_second_order() -> None:
    """k = 20 N/m, d = 4 N s/m on 2 kg, let go with 1 m/s under gravity: the closed form."""
    decay, rate = 1.0, sqrt(9.0)
    rest = -2.0 * GRAVITY / 20.0
    errors = []
    for step in (0.02, 0.01, 0.005):
        forces = [
            JointSpring(name="spring", joint="lift", stiffness=20.0),
            JointDamper(name="oil", joint="lift", damping=4.0),
        ]
        motion = Simulator(lift(*forces, coordinate=0.3, velocity=1.0)).simulate(2.0, step)
        a, b = 0.3 - rest, (1.0 + decay * (0.3 - rest)) / rate
        t = motion.time
        exact = np.exp(-decay * t) * (
            (rate * b - decay * a) * np.cos(rate * t) - (rate * a + decay * b) * np.sin(rate * t)
        )
        errors.append(largest(motion.velocity[:, 0, 2] - exact))
    assert errors[-1] < 2e-4
    assert observed_order(errors) == pytest.approx(2.0, abs=0.05)


def test_a_load_that_creeps_reads_how_it_creeps() -> None:
    """A spring of 100 N/m and a damper of 1e4 N s/m: a step of 0.1 s is 500 m/d, where the law is the implicit Euler's,
    c = c0 (1 + h k/d)^-n."""
    forces = [
        JointSpring(name="spring", joint="lift", stiffness=100.0),
        JointDamper(name="oil", joint="lift", damping=1e4),
    ]
    motion = Simulator(lift(*forces, gravity=0.0, coordinate=0.5, velocity=-0.005)).simulate(20.0, 0.1)
    creep = 1.001 ** -np.arange(201)
    assert motion.position[:, 0, 2] == pytest.approx(0.5 * creep, rel=2e-5)
    assert motion.velocity[:, 0, 2] == pytest.approx(-0.005 * creep, rel=2e-3)


# --- going on ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("back_end", ["c", "python"])
@pytest.mark.parametrize("name", DAMPED)
def test_a_damped_motion_goes_on_from_its_state_as_from_itself(name: str, back_end: str, tmp_path) -> None:
    """A start has the momenta of its velocities, and its first step half of what the laws do there."""
    mechanism = DAMPED[name]()
    solver = Simulator(mechanism, backend=back_end)
    held = {f"{force.name}.{field}": value for force in mechanism.forces if isinstance(force, Servo)
            for field, value in (("target", 0.2), ("target_rate", 0.0))}  # fmt: skip
    before = solver.simulate(0.3, 0.02, options=TIGHT, inputs=held)
    ends = [before, Trajectory.load(before.save(tmp_path / "motion.npz")), before.state()]
    itself, saved, state = (solver.simulate(0.3, 0.02, start=end, options=TIGHT, inputs=held) for end in ends)
    assert itself.velocity.tobytes() == saved.velocity.tobytes()
    assert largest(itself.velocity[0] - state.velocity[0]) < 1e-12
    assert largest(itself.position - state.position) < 1e-11
    assert largest(itself.velocity - state.velocity) < 1e-10


@pytest.mark.parametrize("name", [*DAMPED, *RESTING])
def test_both_back_ends_have_the_same_bits(name: str) -> None:
    """At every knot, the last one too, from a start and on from a motion."""
    found = []
    for back_end in ("c", "python"):
        solver = Simulator({**DAMPED, **RESTING}[name](), backend=back_end)
        first = solver.simulate(0.06, 0.02)
        found.append((first, solver.simulate(0.06, 0.02, start=first), solver.simulate(0.06, 0.02, papers_start=True)))
    for field in ("position", "velocity", "angular_velocity", "kinetic_energy", "linear_momentum", "resume"):
        for one, other in zip(*found, strict=True):
            assert getattr(one, field).tobytes() == getattr(other, field).tobytes()


@pytest.mark.parametrize("back_end", ["c", "python"])
@pytest.mark.parametrize("name", ["point spring", "arm"])
def test_a_damped_knot_has_the_same_bits_however_much_is_recorded(name: str, back_end: str) -> None:
    """At the last knot the step from there is solved and not taken; a longer motion takes it."""
    solver = Simulator(DAMPED[name](), backend=back_end)
    whole, rare, short = (solver.simulate(time, 0.01, every=every) for time, every in ((0.3, 1), (0.3, 5), (0.2, 1)))
    for field in ("velocity", "angular_velocity", "kinetic_energy", "linear_momentum", "angular_momentum"):
        numbers = getattr(whole, field)
        assert getattr(rare, field)[:-1].tobytes() == numbers[::5][:-1].tobytes()
        assert getattr(short, field)[:-1].tobytes() == numbers[:20].tobytes()


def test_the_last_knot_of_a_servo_lets_its_target_go_on() -> None:
    """Where the target of the next knot is not known, it goes on at its rate: to third order of the velocity."""
    found = []
    for step in (0.02, 0.01, 0.005):
        solver = Simulator(DAMPED["slider"]())
        last, known = (solver.simulate(time, step).velocity[round(0.4 / step)] for time in (0.4, 0.4 + step))
        found.append(largest(last - known))
    assert 1e-4 > found[0] > 7.0 * found[1] > 49.0 * found[2] > 0.0


@pytest.mark.parametrize("back_end", ["c", "python"])
def test_parts_of_different_lengths_leave_a_load_at_rest(back_end: str) -> None:
    """A part has at its first knot what the one before it has left of half; the first one begins at the knot."""
    solver = Simulator(on_a_servo(), backend=back_end)
    solver.start(step=0.02)
    level, row = solver.plan.at("state", "common", 0, "level"), solver.inputs.from_signals(np.zeros(1))
    for halvings in (0, 3, 0, 2, 0):  # at least: that the motion is nothing but noise is rough
        solver.engine.state[level] = halvings + 1.0 if halvings else 0.0
        frames = solver.engine.rollout(row, False, 1, 1, SolverOptions())[2]
        assert entry(solver.plan, frames, "substeps")[-1] >= 2**halvings
        assert largest(entry(solver.plan, frames, "v")) < 1e-11
