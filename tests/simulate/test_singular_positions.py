"""Loops in singular positions: passed in motion, met exactly at a knot, and what a long run keeps closed.

Bars in a row, all in one line, may go on as a parallelogram or fold; the rows of the loops have lost a direction there.
"""

from __future__ import annotations

import numpy as np
import pytest

from symvi.emit.c import generate
from symvi.mechanism import Mechanism, start_state
from symvi.native import compile_library, load_library
from symvi.program.compose import compose
from symvi.program.control import SolverOptions, SolverStatus
from symvi.program.loops import analyse
from symvi.program.program import Program
from symvi.simulate.build import has_compiler
from symvi.simulate.engine import CEngine, PythonEngine
from symvi.simulate.frames import entry, solver_state
from symvi.simulate.plan import plan_of
from symvi.simulate.simulator import Simulator
from tests.support import linkages, loops

STEP = 0.01
NOTHING = np.zeros((1, 0))


def started(mechanism: Mechanism, program: Program) -> PythonEngine:
    engine = PythonEngine(plan_of(program), program)
    put(engine, mechanism)
    return engine


def put(engine: PythonEngine | CEngine, mechanism: Mechanism) -> None:
    """The start of the description, at a knot."""
    engine.parameters[engine.plan.at("parameters", "common", 0, "h")] = STEP
    for name, rows in solver_state(mechanism, start_state(mechanism)).items():
        for k, row in enumerate(rows):
            engine.state[engine.plan.at("state", "body", k, name)] = row
    engine.start(NOTHING[0], True)


def rolled(engine: PythonEngine | CEngine, steps: int) -> tuple[int, dict[str, np.ndarray]]:
    status, _, frames = engine.rollout(NOTHING, False, steps, 1, SolverOptions())
    return status, {name: entry(engine.plan, frames, name) for name in ("status", "closure", "kinetic", "potential")}


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
    status, _ = rolled(engine, 1)
    assert status == SolverStatus.LOOP_STALLED and (engine.state == before).all()
    engine.start(NOTHING[0], True)
    assert rolled(engine, 1)[0] == SolverStatus.SINGULAR_STEP


@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
@pytest.mark.parametrize("build", [lambda: linkages.bar_row(2, -3.0), lambda: loops.scissor_lift(3), linkages.bennett])
def test_c_and_python_take_the_same_decisions(build) -> None:
    mechanism = build()
    program = compose(mechanism, analyse(mechanism))
    sources = generate(program)
    library = load_library(compile_library(sources.files, sources.name), sources.declarations)
    engines = [CEngine(plan_of(program), library, sources.name, "double"), started(mechanism, program)]
    put(engines[0], mechanism)
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


@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
def test_thirty_thousand_steps_of_a_four_bar() -> None:
    """Every row, those that were dropped included, closes to round-off, and energy has no trend."""
    motion = Simulator(linkages.four_bar(), backend="c").simulate(150.0, 0.005)
    assert not motion.status.any() and motion.closure.max() < 1e-13
    energy = motion.kinetic_energy + motion.potential_energy
    halves = energy[1:].reshape(2, -1).mean(axis=1)
    assert abs(halves[1] - halves[0]) < 1e-3 * np.abs(energy - energy[0]).max()
    assert motion.iterations[1:].mean() < 2.5
