"""CPU time of compiled loops on one core, and how fast that core runs.

Other programs share the machine, so times are those that the thread itself spent, repeated, and whatever is to be
compared takes turns: a core that slows down slows all of them. The smallest time is the one least disturbed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from statistics import median
from time import thread_time
from typing import NamedTuple

import numpy as np

from symvi.native import compile_library, load_library
from symvi.numbers.control import SolverOptions
from symvi.simulate import Simulator

# x86 takes six cycles for a turn (three shifts and three exclusive ors, each of which needs the one before), and no
# compiler can shorten it
CYCLES = 6
CLOCK = """\
#include <stdint.h>
__attribute__((visibility("default"))) uint64_t clock_turns(uint64_t x, uint64_t turns)
{
    for (uint64_t n = 0; n < turns; n++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}
"""


class Times(NamedTuple):
    """Of repeated runs [s]."""

    least: float
    middle: float


def pin() -> None:
    """Stay on one core, where the system allows it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def clock(turns: int = 1_000_000, repeats: int = 9) -> float:
    """Cycles per nanosecond of this core, as it runs just now."""
    library = load_library(
        compile_library({"turns.c": CLOCK}, "turns", flags=("-O2",)), "uint64_t clock_turns(uint64_t, uint64_t);"
    )
    return (
        CYCLES
        * turns
        / take_turns({"": lambda: library.lib.clock_turns(88172645463325252, turns)}, repeats)[""].least
        * 1e-9
    )


def take_turns(jobs: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, Times]:
    """Run several jobs again and again, in turns, and time each; a first round warms up and is not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for turn in range(repeats + 1):
        for name, job in jobs.items():
            before = thread_time()
            job()
            if turn:
                seconds[name].append(thread_time() - before)
    return {name: Times(min(several), median(several)) for name, several in seconds.items()}


def bare_loop(
    simulator: Simulator, inputs: np.ndarray, varying: bool, steps: int, options: SolverOptions
) -> Callable[[], None]:
    """Steps in C that record nothing and keep no account; what Python has to make for them is made once, beforehand."""
    engine = simulator.engine
    kept, (p, z, u, w) = engine._memory(inputs)
    given, done, nothing = engine._options(options), engine._ffi.new("int *"), engine._ffi.NULL
    loop = engine._function("rollout")

    def run() -> None:
        status = loop(p, given, z, u, int(varying), w, steps, steps + 1, nothing, done, nothing)
        if status < 0:
            raise RuntimeError(f"step {done[0]} of {steps} failed with status {status}, {len(kept)} inputs")

    return run


class Rollout:
    """The generated C's own loop from one start, the same steps every time, with nothing recorded."""

    def __init__(self, simulator: Simulator, steps: int, step: float, tolerance: float = SolverOptions().tolerance):
        self.simulator, self.steps, self.options = simulator, steps, SolverOptions(tolerance=tolerance)
        self.nothing = np.zeros((1, len(simulator.plan.inputs)))
        simulator.start(step=step)
        self.begin = simulator.engine.state.copy()
        self._bare = bare_loop(simulator, self.nothing, False, steps, self.options)

    def __call__(self) -> None:
        self.simulator.engine.state[:] = self.begin
        self._bare()

    def iterations(self) -> float:
        """Newton iterations per step."""
        engine = self.simulator.engine
        engine.state[:] = self.begin
        status, done, frames = engine.rollout(self.nothing, False, self.steps, 1, self.options)
        if status < 0:
            raise RuntimeError(f"step {done} failed with status {status}")
        return float(frames[1:, self.simulator.plan.frame["iterations"][0]].mean())


class DrivenRollout:
    """The same under inputs, a row for each knot, or one for all; options are those of the solver."""

    def __init__(self, simulator: Simulator, steps: int, options: SolverOptions, rows: np.ndarray, step: float):
        self.simulator, self.steps, self.options, self.rows = simulator, steps, options, rows
        simulator.start(step=step, inputs=rows[:2] if rows.size else None)
        self.state, self.parameters = simulator.engine.state.copy(), simulator.engine.parameters.copy()

    def __call__(self, every: int | None = None) -> np.ndarray:
        engine = self.simulator.engine
        engine.state[:], engine.parameters[:] = self.state, self.parameters
        varying = len(self.rows) > 1
        return engine.rollout(self.rows, varying, self.steps, every or self.steps + 1, self.options)[2]

    def iterations(self) -> float:
        return float(self(1)[1:, self.simulator.plan.frame["iterations"][0]].mean())
