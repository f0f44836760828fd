"""Runs of one simulator do not know of each other: within a run, in threads, in other processes."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from symvi import Simulator, load
from symvi.demos import demo_file
from symvi.mechanism import Mechanism
from symvi.numbers.control import SolverStatus
from symvi.simulate import Trajectory

STEP, TIME = 0.01, 0.3
THREADS, RUNS = 8, 1000
BACKENDS = ("c", "python")


def double_pendulum() -> Mechanism:
    return load(demo_file("double_pendulum")).mechanism


def numbers(motion: Trajectory) -> bytes:
    """What a run has come to: every placement and velocity, and the solver's own state at the end."""
    arrays = (motion.position, motion.velocity, motion.angular_velocity, motion.resume)
    return b"".join(array.tobytes() for array in arrays)


def falling(simulator: Simulator) -> bytes:
    return numbers(simulator.simulate(TIME, STEP))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_controller_looks_ahead_with_the_same_object(backend: str) -> None:
    simulator = Simulator(double_pendulum(), backend=backend)
    alone = simulator.simulate(TIME, STEP, controller=lambda time, state: {})
    seen = []

    def ahead(time, state):
        seen.append(simulator.simulate(0.05, STEP, start=state).position[-1])
        simulator.start(state)
        simulator.set_parameter("gravity", (0.0, 0.0, -1.0))  # a run has read its parameters when it began
        simulator.set_parameter("gravity", (0.0, 0.0, -9.81))
        return {}

    assert numbers(simulator.simulate(TIME, STEP, controller=ahead)) == numbers(alone)
    assert np.abs(seen[0] - alone.position[5]).max() < 1e-12


@pytest.mark.thorough
@pytest.mark.slow
def test_threads_have_the_bits_of_a_serial_run() -> None:
    simulator = Simulator(double_pendulum(), backend="c")
    alone = falling(simulator)
    with ThreadPoolExecutor(THREADS) as pool:
        assert set(pool.map(falling, [simulator] * (THREADS * RUNS))) == {alone}


def test_a_parameter_that_changes_does_not_reach_a_run_that_goes_on() -> None:
    simulator = Simulator(double_pendulum(), backend="c")
    alone = falling(simulator)
    changed = False

    def change(done: int, steps: int) -> None:
        nonlocal changed
        simulator.set_parameter("gravity", (0.0, 0.0, -1.0))
        changed = True

    assert numbers(simulator.simulate(TIME, STEP, progress=change)) == alone
    assert changed and falling(simulator) != alone


@pytest.mark.thorough
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_simulator_goes_to_another_process_with_its_parameters(backend: str) -> None:
    simulator = Simulator(double_pendulum(), backend=backend, parameters={"gravity": (0.0, 0.0, -3.0)})
    copied = pickle.loads(pickle.dumps(simulator))
    assert (copied.settings, copied.backend) == (simulator.settings, backend)
    assert falling(copied) == falling(simulator)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(falling, simulator).result() == falling(simulator)


def test_statuses_and_counts_are_integers(tmp_path) -> None:
    motion = Simulator(double_pendulum()).simulate(TIME, STEP)
    for trajectory in (motion, Trajectory.load(motion.save(tmp_path / "motion.npz"))):
        for counted in (trajectory.status, trajectory.iterations, trajectory.substeps, trajectory.retries):
            assert counted.dtype == np.int64
        assert SolverStatus(trajectory.status[-1]) is SolverStatus.OK
