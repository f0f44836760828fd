"""Energy beside singular positions: no step changes it by more than the second order of the step explains.

A scissor lift rushes through the position where all its bars lie on one line: the mass that its angle feels drops there
to a share of some 1/N². A step that is too long for that had solutions, all of them closed, with another energy.
"""

from __future__ import annotations

from dataclasses import replace
from math import pi
from typing import Literal

import numpy as np
import pytest

from symvi.mechanism import Contact, JointDamper, JointSpring, Limit, Mechanism, start_state
from symvi.numbers.control import SolverOptions, SolverStatus
from symvi.simulate.simulator import Simulator
from symvi.simulate.solver_build import has_compiler
from symvi.simulate.starter import put_where_it_ended
from symvi.simulate.trajectory import Trajectory
from tests.simulate.test_substeps import hung
from tests.support import linkages, loops
from tests.support.kinematics import jacobian

Coordinates = Literal["maximal", "tree"]
both = pytest.mark.parametrize("coordinates", ["maximal", "tree"])
compiled = pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
WHOLE = SolverOptions(substeps=1)


def lift(segments: int) -> Mechanism:
    """A scissor lift of bars of 1 m and 1 kg, let go at 0.3 rad from flat; it falls open, as if it hung on its foot."""
    mechanism = loops.scissor_lift(segments, angle=0.3, length=1.0)
    bars = [body.changed(inertia=(1 / 12,) * 3) if body.name != "block" else body for body in mechanism.bodies]
    return mechanism.changed(bodies=bars, gravity=(0.0, 0.0, 9.81))


def zigzag(count: int, tilt: float) -> Mechanism:
    """Links that go up and down by this angle between two pivots."""
    return hung([tilt if k % 2 else -tilt for k in range(count)])


def turning(
    mechanism: Mechanism, rate: float, step: float, coordinates: Coordinates = "maximal"
) -> tuple[Simulator, object]:
    """A simulator, and a start in which the first body turns at this rate about x [rad/s]."""
    simulator = Simulator(mechanism, coordinates=coordinates)
    state = start_state(mechanism)
    spin = np.zeros((len(state.names), 3))
    spin[0, 0] = 1.0
    start = simulator.project(replace(state, angular_velocity=spin), step=step)
    share = rate / start.angular_velocity[0, 0]
    moving = replace(start, velocity=share * start.velocity, angular_velocity=share * start.angular_velocity)
    return simulator, moving


def largest_change(motion: Trajectory) -> float:
    """Of the energy in a step, as a share of the largest kinetic energy."""
    return np.abs(np.diff(motion.energy)).max() / motion.kinetic_energy.max()


@pytest.mark.thorough
@compiled
@pytest.mark.parametrize("segments, step", [(4, 0.02), (8, 0.01), (12, 0.005), (12, 0.01)])
def test_no_step_changes_the_energy_of_a_lift(segments: int, step: float) -> None:
    """Steps that are solved and closed could change it by half of what there is."""
    motion = Simulator(lift(segments)).simulate(5.0, step)
    assert motion.status.max() <= SolverStatus.ROUND_OFF and motion.closure.max() < 1e-12
    error = np.abs(motion.energy - motion.energy[0]) / motion.kinetic_energy.max()
    assert largest_change(motion) < 0.02 and error.max() < 0.04


@compiled
def test_what_a_step_changes_falls_with_its_third_power() -> None:
    """The second order of the energy is a band, h² e(t); it changes by h³ e' in a step."""
    changes = []
    for step in (0.0025, 0.00125):
        motion = Simulator(lift(8)).simulate(1.5, step)
        assert motion.status.max() <= SolverStatus.ROUND_OFF
        changes.append(largest_change(motion))
    assert 7.5 < changes[0] / changes[1] < 8.5


@compiled
@pytest.mark.parametrize("count, tilt", [(10, pi / 6), (20, pi / 4)])
def test_no_step_takes_energy_from_a_chain_that_whips(count: int, tilt: float) -> None:
    """A zigzag between two pivots, let go, snaps within a second; a step of 0.01 s lost 6 % there, and said nothing."""
    motion = Simulator(zigzag(count, tilt)).simulate(1.2, 0.01)
    assert largest_change(motion) < 0.02
    finer = Simulator(zigzag(count, tilt)).simulate(1.2, 0.001)
    assert motion.energy.max() - motion.energy.min() < 0.03 * finer.kinetic_energy.max()
    assert np.ptp(finer.energy) < 0.003 * finer.kinetic_energy.max()


@pytest.mark.thorough
@compiled
def test_a_step_that_jumps_is_refused_and_the_state_kept() -> None:
    """Both back ends say so, to the bit: this is where the way begins to bend ever more sharply."""
    states = []
    for backend in ("c", "python"):
        simulator = Simulator(lift(6), backend=backend)
        motion = simulator.simulate(1.0, 0.02, options=WHOLE, on_error="status")
        assert motion.status[-1] == SolverStatus.JUMP and not motion.status[:-1].any()
        assert largest_change(motion) < 0.02
        states += [motion.resume, simulator.simulate(motion.time[-1], 0.02, options=WHOLE).resume]
    assert all((state == states[0]).all() for state in states)


def stopped(mechanism: Mechanism) -> Mechanism:
    """With a stop that a joint never reaches, and ground far below."""
    stop = Limit(name="stop", joint=mechanism.joints[0].name, lower=-50.0, upper=50.0)
    ground = Contact(name="ground", child=mechanism.bodies[0].name, parent_anchor=(0.0, 0.0, -1e3))
    return mechanism.changed(limits=[stop], contacts=[ground])


@pytest.mark.thorough
@compiled
@pytest.mark.parametrize("segments, step", [(8, 0.01), (12, 0.01)])
def test_contacts_and_limits_far_away_change_nothing_about_it(segments: int, step: float) -> None:
    """Such a lift's energy jumped in mid-motion, because steps with contacts were not looked at."""
    plain, other = (
        Simulator(mechanism).simulate(3.0, step, options=WHOLE, on_error="status")
        for mechanism in (lift(segments), stopped(lift(segments)))
    )
    assert plain.status[-1] == other.status[-1] == SolverStatus.JUMP and plain.time[-1] == other.time[-1]
    motion = Simulator(stopped(lift(segments))).simulate(3.0, step)
    assert motion.status.max() <= SolverStatus.ROUND_OFF and largest_change(motion) < 0.02


@pytest.mark.thorough
@compiled
def test_both_back_ends_refuse_such_a_step_beside_idle_contacts() -> None:
    motions = [
        Simulator(stopped(lift(6)), backend=backend).simulate(1.0, 0.02, options=WHOLE, on_error="status")
        for backend in ("c", "python")
    ]
    assert motions[0].status[-1] == SolverStatus.JUMP and len(motions[0]) == len(motions[1])
    assert (motions[0].position == motions[1].position).all()


@compiled
def test_single_precision_refuses_such_a_step_too() -> None:
    """It went on to an energy of 34 % more, and stalled."""
    motion = Simulator(lift(8), real="float").simulate(5.0, 0.01, options=WHOLE, on_error="status")
    assert motion.status[-1] == SolverStatus.JUMP and motion.time[-1] > 0.8
    assert np.ptp(motion.energy) < 0.01 * motion.kinetic_energy.max()


@both
def test_the_work_of_joints_is_what_the_steps_depart_by(coordinates: Coordinates) -> None:
    """n: of a step's kinetic energy, what is not that of its momentum's projection at the knot. No forces act.

    The projection is NumPy's, onto the null space of a Jacobian by its definition.
    """
    step, mechanism = 0.01, linkages.change_point(0.4, 0.7, 0.6).changed(gravity=(0.0, 0.0, 0.0))
    _, start = turning(mechanism, -6.0, step)
    simulator = Simulator(mechanism, backend="python", coordinates=coordinates)
    solver = simulator.engine.solver
    largest = 0.0
    for steps in range(3, 40, 4):
        motion = simulator.simulate(steps * step, step, start=start)
        put_where_it_ended(simulator, motion, step)
        simulator.engine._enter(np.zeros(0))
        solver.set_step(step)
        states = solver.memory.state["body"]
        before = 0.5 * sum(np.dot(body.p, body.v) + np.dot(body.l, body.w) for body in states)
        knot = projected(mechanism, motion.state(), np.concatenate([[*body.p, *body.l] for body in states]))
        solver.switches(impulse=step, carry=1.0, closure=1 / step)
        solver.run("prepare")
        assert solver.newton.carry_on() >= 0
        bends = solver.branch.bends
        bends.targets = []
        of_step = bends.of_step() if coordinates == "tree" else None
        solver.branch._drive(0.0, 0.0)
        solver.run("evaluate")
        n0, n1 = before - knot, 0.5 * bends.kinetic() - knot
        after, ahead = of_step or bends.of_all()
        assert after - ahead == pytest.approx(2 * (n1 - n0), abs=0.03 * n1)  # but for the squares of half turns
        assert after == pytest.approx(2 * np.sqrt(n1) * (np.sqrt(n0) + np.sqrt(n1)), rel=0.15)
        largest = max(largest, n1 / knot)
    assert largest > 0.01


def projected(mechanism: Mechanism, state, momentum: np.ndarray) -> float:
    """Kinetic energy of momenta (world axes) after the impulses that make their velocities tangent to all joints."""
    rows = jacobian(mechanism, state)
    _, sizes, directions = np.linalg.svd(rows)
    tangent = directions[int(np.sum(sizes > 1e-9 * sizes[0])) :].T
    masses = np.concatenate([[body.mass] * 3 + list(np.array(body.inertia)[:3]) for body in mechanism.bodies])
    own = momentum.copy()
    for k, q in enumerate(state.orientation):
        own[6 * k + 3 : 6 * k + 6] = turned_back(q, momentum[6 * k + 3 : 6 * k + 6])
    free = tangent.T @ own
    return 0.5 * free @ np.linalg.solve(tangent.T @ (masses[:, None] * tangent), free)


def turned_back(q: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """A vector of the world in axes of the body."""
    w, u = q[0], -q[1:]
    return vector + 2 * np.cross(u, np.cross(u, vector) + w * vector)


def crossed(crank: float = 0.5, frame: float = 1.0, turn: float = 1.9) -> Mechanism:
    """A four-bar with equal cranks whose coupler, as long as the frame, crosses it: in one line twice a turn."""
    pin = crank * np.array([np.cos(turn), np.sin(turn)])
    along = np.array([frame, 0.0]) - pin
    reach = np.hypot(*along)
    lean = np.arccos((frame**2 + reach**2 - crank**2) / (2 * frame * reach))
    top = pin + frame / reach * (np.cos(lean) * along - np.sin(lean) * np.array([-along[1], along[0]]))
    return linkages.polygon("crossed", [(0, 0, 0), (0, *pin), (0, *top), (0, frame, 0)], [(1.0, 0.0, 0.0)] * 4)


def sprung(mechanism: Mechanism) -> Mechanism:
    spring = JointSpring(name="spring", joint="pivot0", stiffness=20.0)
    return mechanism.changed(forces=[spring, JointDamper(name="damper", joint="pivot2", damping=0.5)])


REGULAR = {
    "parallelogram": (lambda: loops.double_four_bar(), 6.0, 0.05),
    "three windows": (lambda: loops.double_four_bar(3), 6.0, 0.02),
    "change point": (lambda: linkages.change_point(), -20.0, 0.01),
    "antiparallelogram": (lambda: crossed(), -15.0, 0.01),
    "sprung and damped": (lambda: sprung(loops.double_four_bar()), 8.0, 0.02),
    "sprung, damped and stopped": (lambda: stopped(sprung(loops.double_four_bar())), 8.0, 0.02),
    "chain of rhombs": (lambda: loops.four_bar_chain(6), 0.0, 0.01),
    "driven ever faster": (lambda: loops.double_four_bar(speed=0.0, motor="-2*t*t"), 0.0, 0.02),
}


@pytest.mark.thorough
@compiled
@both
@pytest.mark.parametrize("name", REGULAR)
def test_motions_that_steps_resolve_raise_no_alarm(name: str, coordinates: Coordinates) -> None:
    """They pass singular positions with whole steps; springs, dampers and drivers do work, and no joint."""
    build, rate, step = REGULAR[name]
    if rate:
        simulator, start = turning(build(), rate, step, coordinates)
    else:
        simulator, start = Simulator(build(), coordinates=coordinates), None
    motion = simulator.simulate(4.0, step, start=start, options=WHOLE)
    assert motion.status.max() <= SolverStatus.ROUND_OFF
