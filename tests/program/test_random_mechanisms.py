"""Random mechanisms of every kind of part: one Newton step by the generated C, by the reference and by a dense solve.

The dense matrix comes from complex steps through the residual. Tolerances: each solution's backward error is that of
unpivoted LU in an order whose pivots are safe; between solutions it is multiplied by the condition of the matrix.
"""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from hypothesis import given, settings

from symvi.analysis.loops import analyse
from symvi.mechanism import Mechanism, State
from symvi.native import compile_library, load_library
from symvi.native.compiler import identify
from symvi.numbers.control import SolverOptions
from symvi.program.compose import compose
from symvi.simulate.engine import CEngine, PythonEngine
from symvi.simulate.plan import plan_of
from symvi.simulate.reference import ReferenceSolver
from symvi.simulate.solver_build import text_of
from symvi.simulate.solver_state import solver_state
from tests.support.newton import DenseNewton
from tests.support.random_mechanisms import assembled_mechanisms

STEP = 0.01
BACKWARD = 1e-13
GROWTH = 100  # the matrix's largest entry stands for its norm


def at_start(newton: DenseNewton, mechanism: Mechanism, state: State) -> None:
    values = solver_state(mechanism, state)
    for k, (record, work) in enumerate(zip(newton.memory.state["body"], newton.bodies, strict=True)):
        record.x[:], record.q[:] = [list(values[name][k] + 0j) for name in "xq"]
        work.v[:], work.w[:] = [list(values[name][k] + 0j) for name in "vw"]
        record.p[:] = list(0.9 * values["v"][k] + 0j)


@pytest.mark.thorough
@settings(max_examples=30)
@given(assembled_mechanisms())
def test_newton_step_of_reference_and_dense_solve(example: tuple[Mechanism, State]) -> None:
    mechanism, state = example
    newton = DenseNewton(compose(mechanism, analyse(mechanism)), STEP)
    at_start(newton, mechanism, state)
    newton.run("prepare")
    residual, matrix = newton.residual(), newton.matrix()
    solution = newton.solved()
    scale = np.abs(matrix).sum(axis=1).max() * np.abs(solution).max() + np.abs(residual).max()
    assert np.abs(matrix @ solution - residual).max() <= BACKWARD * scale
    dense = np.linalg.solve(matrix, residual)
    assert np.abs(solution - dense).max() <= 1e-12 * np.linalg.cond(matrix) * max(np.abs(dense).max(), 1e-30)


@pytest.mark.thorough
@settings(max_examples=12)
@given(assembled_mechanisms(most=6))
def test_steps_of_generated_c_and_reference(example: tuple[Mechanism, State]) -> None:
    """Same bits after two steps of one Newton iteration each; with functions of the C library, the same to
    round-off.
    """
    mechanism, _ = example
    text = text_of(mechanism, "looped", coordinates="maximal")  # as `compose`
    compiler, flags = (("tcc",), ()) if shutil.which("tcc") else (("gcc",), ("-O0",))
    path = compile_library(text.files, text.prefix, compiler=identify(compiler), flags=flags)
    compiled = CEngine(text.plan, load_library(path, text.declarations), text.prefix, "double")
    program = compose(mechanism, analyse(mechanism))
    reference = PythonEngine(plan_of(program), ReferenceSolver(program))
    inputs = np.random.default_rng(3).normal(size=(1, len(text.plan.inputs)))
    options = SolverOptions(tolerance=0.5, max_iterations=1)
    states = []
    for engine in (compiled, reference):
        engine.parameters[text.plan.at("parameters", "common", 0, "h")] = STEP
        for name, values in solver_state(mechanism, example[1]).items():
            for k in range(len(mechanism.bodies)):
                engine.state[text.plan.at("state", "body", k, name)] = values[k]
        engine.start(inputs[0], True)
        engine.rollout(inputs, False, 2, 1, options)
        states.append(engine.state + 0.0)
    if program.notes["uses_c_library"]:
        np.testing.assert_allclose(states[0], states[1], rtol=1e-9, atol=1e-9)
    else:
        assert states[0].tobytes() == states[1].tobytes()
