"""Loops in singular positions: passed in motion, met exactly or nearly at a knot, and what a long run keeps closed.

Bars in a row, all in one line, may go on as a parallelogram or fold; the rows of the loops have lost a direction there.
A step that ends beside such a position has a solution on every branch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from symvi.analysis.loops import analyse
from symvi.emit.c import generate
from symvi.mechanism import Mechanism, start_state
from symvi.native import compile_library, load_library
from symvi.numbers.control import DEFAULTS, SolverOptions, SolverStatus
from symvi.program.compose import compose
from symvi.program.program import Program
from symvi.simulate.engine import CEngine, PythonEngine
from symvi.simulate.frames import entry
from symvi.simulate.plan import plan_of
from symvi.simulate.reference import ReferenceSolver
from symvi.simulate.simulator import Simulator
from symvi.simulate.solver_build import has_compiler
from symvi.simulate.solver_state import solver_state
from tests.support import linkages, loops

both = pytest.mark.parametrize("coordinates", ["maximal", "tree"])
STEP = 0.01
NOTHING = np.zeros((1, 0))
# a step [s], a knot, its distance from the line of all bars [rad], and the start's speed that brings it there [m/s]
AIMED = (
    (0.02, 36, 1e-5, 0.981118247595),
    (0.02, 36, -1e-5, 0.981104616157),
    (0.02, 36, 1e-6, 0.981112113442),
    (0.02, 36, 1e-8, 0.981111438686),
    (0.002, 615, 2e-7, 0.994012852360),
)
AIMED_STEP, AIMED_KNOT, _, AIMED_SPEED = AIMED[0]


def started(mechanism: Mechanism, program: Program) -> PythonEngine:
    engine = PythonEngine(plan_of(program), ReferenceSolver(program))
    put(engine, mechanism)
    return engine


def put(engine: PythonEngine | CEngine, mechanism: Mechanism, step: float = STEP) -> None:
    """The start of the description, at a knot."""
    engine.parameters[engine.plan.at("parameters", "common", 0, "h")] = step
    for name, rows in solver_state(mechanism, start_state(mechanism)).items():
        for k, row in enumerate(rows):
            engine.state[engine.plan.at("state", "body", k, name)] = row
    engine.start(NOTHING[0], True)


def rolled(
    engine: PythonEngine | CEngine, steps: int, options: SolverOptions = DEFAULTS
) -> tuple[int, dict[str, np.ndarray]]:
    status, _, frames = engine.rollout(NOTHING, False, steps, 1, options)
    return status, {
        name: entry(engine.plan, frames[1:], name) for name in ("status", "closure", "kinetic", "potential")
    }


@pytest.mark.thorough
@pytest.mark.parametrize("rate", [-0.3, -3.0, -6.0])
def test_a_knot_exactly_in_a_singular_position(rate: float) -> None:
    """That step has no solution: loops close less tightly once, with a status, and the next step repairs it."""
    mechanism = linkages.bar_row(2, rate)
    choices = analyse(mechanism)
    assert choices.notes["starts_singular"]
    status, seen = rolled(started(mechanism, compose(mechanism, choices)), 30)
    assert status == SolverStatus.SINGULAR_STEP
    assert seen["status"][0] == SolverStatus.SINGULAR_STEP and not seen["status"][1:].any()
    assert 1e-10 < seen["closure"][0] < 1e-5
    assert seen["closure"][1:].max() < 1e-13
    energy = seen["kinetic"] + seen["potential"]
    assert np.abs(energy - energy[0]).max() < 0.01 * seen["kinetic"].max()  # the band of the scheme at this step


def test_two_singular_steps_in_a_row_are_refused() -> None:
    mechanism = linkages.bar_row(2, -3.0)
    engine = started(mechanism, compose(mechanism, analyse(mechanism)))
    engine.state[engine.plan.at("state", "common", 0, "singular")] = 1.0
    before = engine.state.copy()
    status, _ = rolled(engine, 1, SolverOptions(substeps=1))
    assert status == SolverStatus.LOOP_STALLED and (engine.state == before).all()
    engine.start(NOTHING[0], True)
    assert rolled(engine, 1)[0] == SolverStatus.SINGULAR_STEP


@pytest.mark.thorough
@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
@pytest.mark.parametrize(
    "build, step",
    [
        (lambda: linkages.bar_row(2, -3.0), STEP),
        (lambda: loops.scissor_lift(3), STEP),
        (linkages.bennett, STEP),
        (lambda: loops.double_four_bar(speed=AIMED_SPEED), AIMED_STEP),
    ],
)
def test_c_and_python_take_the_same_decisions(build, step: float) -> None:
    mechanism = build()
    program = compose(mechanism, analyse(mechanism))
    sources = generate(program)
    library = load_library(compile_library(sources.files, sources.name), sources.declarations)
    engines = [CEngine(plan_of(program), library, sources.name, "double"), started(mechanism, program)]
    for engine in engines:
        put(engine, mechanism, step)
    (one, seen), (other, expected) = (rolled(engine, 40) for engine in engines)
    assert one == other and all((seen[name] == expected[name]).all() for name in seen)
    assert (engines[0].state == engines[1].state).all()


@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
def test_passing_singular_positions_in_motion_needs_nothing() -> None:
    """The double four-bar's bars lie in one line twice a turn of 1.94 s; it stays on its branch."""
    motion = Simulator(loops.double_four_bar(), backend="c").simulate(20.0, 0.005)
    assert not motion.status.any() and motion.iterations.max() <= 4
    assert motion.closure.max() < 1e-13
    rods = motion.position[:, [0, 1, 3], 2]
    assert np.abs(rods - rods[:, :1]).max() < 1e-9  # beside such a position, closure of 1e-15 leaves 1e-8 at most


def rods(motion) -> np.ndarray:
    """The rods' angles about x, (knots, windows + 1) [rad]."""
    which = [k for k, name in enumerate(motion.names) if name.startswith("rod")]
    return np.unwrap(2 * np.arctan2(motion.orientation[:, which, 1], motion.orientation[:, which, 0]), axis=0)


def from_line(angle: np.ndarray) -> np.ndarray:
    """Angles from the nearest position with all bars in one line [rad]."""
    return (angle + np.pi / 2 + np.pi / 2) % np.pi - np.pi / 2


@pytest.mark.thorough
@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
@both
@pytest.mark.parametrize("step, knot, distance, speed", AIMED)
def test_a_knot_beside_a_singular_position_is_on_the_branch(step, knot, distance, speed, coordinates) -> None:
    """Newton's first increment leaves the parallelogram by the square of the start's error over the distance; the knot
    would have rods apart by the distance, and some of them at rest: an energy that is 8 J to 11 J too low. At the
    smallest step only round-off, divided by the distance, moves rods apart; this too is far below.

    In joint coordinates the start is of an order more, so that steps aside are needed at the smallest step alone.
    Without them closure of 2e-14 m leaves rods apart by that over the distance.
    """
    simulator = Simulator(loops.double_four_bar(speed=speed), backend="c", coordinates=coordinates)
    motion = simulator.simulate((knot + 60) * step, step)
    assert np.abs(np.abs(from_line(rods(motion)[knot])) - abs(distance)).max() < 0.1 * abs(distance)
    aside = coordinates == "maximal" or step < 0.02
    assert (motion.iterations[knot] > 12) == aside  # steps aside were solved
    assert not motion.status.any() and np.ptp(rods(motion), axis=1).max() < (1e-11 if aside else 1e-8)
    error = np.abs(motion.energy - motion.energy[0])
    assert error.max() < 420 * step**2  # the band of the scheme, which is narrower in this position
    assert error[knot] < 60 * step**2
    turning = motion.angular_velocity[knot, [0, 1, 3], 0]
    assert np.ptp(turning) < 0.7 * step  # knot velocities; half a step's force is in them
    assert motion.closure.max() < 1e-13


def test_the_other_branch_is_a_solution_too_and_its_velocities_tell() -> None:
    """Every root is closed to round-off; where rods stop at once, velocities are far from their projection."""
    mechanism = loops.double_four_bar(speed=AIMED_SPEED)
    engine = started(mechanism, compose(mechanism, analyse(mechanism)))
    put(engine, mechanism, AIMED_STEP)
    rolled(engine, AIMED_KNOT - 1)
    solver = engine.solver
    solver.switches(impulse=AIMED_STEP, carry=1.0, closure=1 / AIMED_STEP)
    solver.run("prepare")
    status = solver.newton.carry_on()
    assert status >= 0 and solver.measures.within(1e-9)
    assert not solver.branch.goes_on(status, near=True)
    assert solver.branch.keep(status) == SolverStatus.OK and solver.measures.within(1e-9)
    assert solver.branch.goes_on(SolverStatus.OK, near=True)


@pytest.mark.thorough
@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
@pytest.mark.parametrize("windows, step", [(2, 0.02), (3, 0.0137), (4, 0.02), (2, 0.05)])
def test_long_runs_through_singular_positions(windows: int, step: float) -> None:
    motion = Simulator(loops.double_four_bar(windows), backend="c").simulate(10000 * step, step)
    assert not motion.status.any() and motion.closure.max() < 1e-12
    assert np.ptp(rods(motion), axis=1).max() < 1e-8
    error = np.abs(motion.energy - motion.energy[0])
    assert error.max() < 1.01 * error[:1000].max()


@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
@both
@pytest.mark.parametrize("sizes, rate", [((0.2, 0.6, 0.5), -25.0), ((0.4, 0.7, 0.6), -30.0)])
def test_a_linkage_without_symmetry_stays_on_its_branch(sizes, rate: float, coordinates) -> None:
    """No start on the branch is exact here; another branch would change the energy by 5.7 J and 6.2 J."""
    simulator = Simulator(linkages.change_point(*sizes), backend="c", coordinates=coordinates)
    state = start_state(simulator.mechanism)
    turning = np.zeros((3, 3))
    turning[0, 0] = rate
    start = simulator.project(replace(state, angular_velocity=turning), step=0.01)
    motion = simulator.simulate(100.0, 0.01, start=start)
    assert motion.iterations.max() > 15 or coordinates == "tree"  # steps aside were solved
    assert not motion.status.any() and motion.closure.max() < 1e-13
    assert np.abs(motion.energy - motion.energy[0]).max() < 0.32


def driven_round() -> Mechanism:
    """A driver turns the double four-bar by a right angle in 0.32 s: then all bars are in one line."""
    rate = np.pi / 2 / 0.32
    return loops.double_four_bar(speed=rate, motor=f"-{rate!r}*t")


@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
@both
def test_a_driver_leads_through_singular_positions_exactly_at_knots(coordinates: Literal["maximal", "tree"]) -> None:
    """Every 32nd step ends with all bars in one line; the next one has no solution, and the one after it repairs it."""
    motion = Simulator(driven_round(), backend="c", coordinates=coordinates).simulate(10.0, 0.01)
    singular = np.flatnonzero(motion.status == SolverStatus.SINGULAR_STEP)
    assert len(singular) > 10 and set(singular) <= set(range(33, 1001, 64))
    others = np.setdiff1d(np.arange(1001), singular)
    assert motion.closure[others].max() < 1e-10 and motion.closure.max() < 1e-4
    assert np.ptp(rods(motion)[others], axis=1).max() < 1e-6


@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
def test_both_back_ends_lead_joints_of_a_tree_there_alike() -> None:
    """Steps that are driven a little less and a little more have rates of their own for what drivers lead."""
    motions = [
        Simulator(driven_round(), backend=backend, coordinates="tree").simulate(0.36, 0.01)
        for backend in ("c", "python")
    ]
    assert motions[0].status[33] == SolverStatus.SINGULAR_STEP
    assert (motions[0].resume == motions[1].resume).all() and (motions[0].status == motions[1].status).all()


@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
def test_thirty_thousand_steps_of_a_four_bar() -> None:
    """Every row, those that were dropped included, closes to round-off, and energy has no trend."""
    motion = Simulator(linkages.four_bar(), backend="c").simulate(150.0, 0.005)
    assert not motion.status.any() and motion.closure.max() < 1e-13
    energy = motion.kinetic_energy + motion.potential_energy
    halves = energy[1:].reshape(2, -1).mean(axis=1)
    assert abs(halves[1] - halves[0]) < 1e-3 * np.abs(energy - energy[0]).max()
    assert motion.iterations[1:].mean() < 2.5
