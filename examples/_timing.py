"""CPU time of the generated C's own loop, without recording."""

from __future__ import annotations

from statistics import median
from time import thread_time
from typing import NamedTuple

import numpy as np

from symvi import Simulator, SolverOptions


class StepTime(NamedTuple):
    """CPU time of one step [s] over repeated runs, and Newton iterations per step."""

    median: float
    minimum: float
    iterations: float

    @property
    def per_iteration(self) -> float:
        """Smallest CPU time of one Newton iteration, with its share of the step [s]."""
        return self.minimum / self.iterations


def time_steps(
    simulator: Simulator, repeats: int = 9, steps: int = 1000, step: float = 0.01, tolerance: float = 1e-10
) -> StepTime:
    """Run the same steps from the description's start again and again. Raises SolverError if a step fails."""
    options = SolverOptions(tolerance=tolerance)
    iterations = float(simulator.simulate(steps * step, step, options=options).iterations[1:].mean())
    simulator.start(step=step)
    begin = simulator.engine.state.copy()
    nothing = np.zeros((1, len(simulator.plan.inputs)))
    seconds = []
    for _ in range(repeats):
        simulator.engine.state[:] = begin
        before = thread_time()
        simulator.engine.rollout(nothing, False, steps, steps + 1, options)
        seconds.append((thread_time() - before) / steps)
    return StepTime(median(seconds), min(seconds), iterations)
