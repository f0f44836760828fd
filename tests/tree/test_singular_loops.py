"""Loops in singular positions, in joint coordinates: what tells branches apart is what it is in maximal coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from symvi import Simulator
from symvi.analysis.loops import analyse
from symvi.mechanism import start_state
from symvi.numbers.control import SolverStatus
from symvi.program.compose import compose
from symvi.program.maximal import MaximalCoordinates
from symvi.program.tree import TreeCoordinates
from tests.simulate.test_singular_positions import AIMED_KNOT, AIMED_SPEED, AIMED_STEP, put, rods, rolled, started
from tests.support import linkages, loops


def after(mechanism, formulation, knots: int):
    """A Python solver in the step after so many, solved at once from its own start."""
    engine = started(mechanism, compose(mechanism, analyse(mechanism), formulation))
    put(engine, mechanism, AIMED_STEP)
    rolled(engine, knots)
    solver = engine.solver
    solver.switches(impulse=AIMED_STEP, carry=1.0, closure=1 / AIMED_STEP)
    solver.run("prepare")
    assert solver.newton.carry_on() == SolverStatus.OK
    solver.branch.bends.targets = []
    return solver


def departure(mechanism, formulation) -> np.ndarray:
    """Works of the joints' impulses on both sides of a knot, and how far a step departs from its second knot."""
    solver = after(mechanism, formulation, 10)
    bends = solver.branch.bends
    works = bends.of_step() if solver.branch.led else None  # of the step as it was solved
    solver.branch._drive(0.0, 0.0)
    solver.run("evaluate")
    kinetic = bends.kinetic()
    return np.array([*(works or bends.of_all()), solver.branch._apart(kinetic), kinetic])


@pytest.mark.parametrize("build", [loops.double_four_bar, linkages.bennett, lambda: loops.closed_chain(4)])
def test_a_step_departs_by_as_much_in_both_coordinates(build) -> None:
    maximal, tree = (departure(build(), kind) for kind in (MaximalCoordinates, TreeCoordinates))
    assert np.abs(maximal - tree).max() < 1e-10 * maximal[-1]


def test_a_step_is_solved_again_from_steps_aside() -> None:
    """Beside the position with all bars in one line, from rates and impulses between those of other drives."""
    solver = after(loops.double_four_bar(speed=AIMED_SPEED), TreeCoordinates, AIMED_KNOT - 1)
    first = [body.w[0] for body in solver.bodies]
    assert solver.branch._again() == SolverStatus.OK and solver.iterations > 12
    assert np.abs(np.array(first) - [body.w[0] for body in solver.bodies]).max() < 1e-6
    assert solver.branch.goes_on(SolverStatus.OK, near=True)


def test_a_wrong_branch_is_told() -> None:
    """Half of the rods stopped: closed to first order, but far from where the rods went."""
    solver = after(loops.double_four_bar(speed=AIMED_SPEED), TreeCoordinates, AIMED_KNOT - 1)
    assert solver.branch.goes_on(SolverStatus.OK, near=True)
    for record in solver.solved[::2]:
        record.u[:] = [0.0 for _ in record.u]
    solver.branch._move()
    solver.run("evaluate")
    assert not solver.branch.goes_on(SolverStatus.OK, near=True)


def test_passing_singular_positions_in_motion_needs_nothing() -> None:
    motion = Simulator(loops.double_four_bar(), coordinates="tree").simulate(20.0, 0.005)
    assert not motion.status.any() and motion.iterations.max() <= 4
    assert motion.closure.max() < 1e-13 and np.ptp(rods(motion), axis=1).max() < 1e-9


def test_a_linkage_without_symmetry_stays_on_its_branch() -> None:
    """Another branch would change the energy by 5.7 J."""
    simulator = Simulator(linkages.change_point(), coordinates="tree")
    state, turning = start_state(simulator.mechanism), np.zeros((3, 3))
    turning[0, 0] = -25.0
    start = simulator.project(replace(state, angular_velocity=turning), step=0.01)
    motion = simulator.simulate(100.0, 0.01, start=start)
    assert motion.closure.max() < 1e-13 and np.abs(motion.energy - motion.energy[0]).max() < 0.32


@pytest.mark.parametrize("build", [lambda: linkages.bar_row(2, -3.0), lambda: loops.double_four_bar(speed=AIMED_SPEED)])
def test_c_and_python_take_the_same_decisions(build) -> None:
    motions = [
        Simulator(build(), coordinates="tree", backend=backend).simulate(0.8, AIMED_STEP) for backend in ("c", "python")
    ]
    assert np.array_equal(motions[0].resume, motions[1].resume)
    assert np.array_equal(motions[0].status, motions[1].status)


def test_a_start_in_a_singular_position_is_told_and_mended() -> None:
    motion = Simulator(linkages.bar_row(2, -3.0), coordinates="tree").simulate(0.3, 0.01)
    assert motion.status[1] == SolverStatus.SINGULAR_STEP and not motion.status[2:].any()
    assert motion.closure[2:].max() < 1e-13
