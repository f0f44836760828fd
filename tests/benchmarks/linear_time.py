"""Time per link and Newton iteration of open chains, 1 to 100 links: flat from 10 links on. Pinned to one core, best of
many.

The whole step is counted: preparation, every evaluation, the update. Counts of iterations are those of the runs
measured.
"""

from __future__ import annotations

import os
from statistics import median
from time import perf_counter

import numpy as np
from _chains import chain

from symvi.program.control import SolverOptions
from symvi.simulate.simulator import Simulator

STEP, REPEATS, FLAT = 0.01, 25, 0.10
COUNTS = (1, 2, 5, 10, 20, 50, 100)


def measure(simulator: Simulator, steps: int) -> tuple[float, float, float]:
    """(minimum, median) nanoseconds per step, and iterations per step."""
    nothing, options = np.zeros((1, 0)), SolverOptions()
    times = []
    for _ in range(REPEATS):
        simulator.start(step=STEP)
        begin = perf_counter()
        simulator.engine.rollout(nothing, False, steps, steps, options)
        times.append((perf_counter() - begin) / steps * 1e9)
    simulator.start(step=STEP)
    _, _, frames = simulator.engine.rollout(nothing, False, steps, 1, options)
    return min(times), median(times), float(frames[:, simulator.plan.frame["iterations"][0]].mean())


def main() -> int:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    missed = 0
    for kind in ("revolute", "spherical"):
        print(f"{kind}: ns per link and iteration, minimum (median)")
        for layout, profile in (("unrolled", "reproducible"), ("looped", "reproducible"), ("looped", "fast")):
            flat = {}
            cells = []
            for count in COUNTS:
                if layout == "unrolled" and count > 20:
                    continue
                simulator = Simulator(chain(count, kind), layout=layout, profile=profile, backend="c")
                least, middle, iterations = measure(simulator, max(20, 2000 // count))
                flat[count] = least / count / iterations
                cells.append(f"{count}: {flat[count]:.0f} ({middle / count / iterations:.0f})")
            print(f"    {layout:9s} {profile:13s} " + "  ".join(cells))
            if 100 in flat:
                spread = max(abs(flat[n] / flat[10] - 1) for n in (20, 50, 100))
                verdict = "pass" if spread <= FLAT else "MISS"
                print(f"        from 10 to 100 links: {100 * spread:.1f} % ({verdict}, bound {100 * FLAT:.0f} %)")
                missed += spread > FLAT
    return missed


if __name__ == "__main__":
    raise SystemExit(main())
