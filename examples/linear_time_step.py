"""A step takes time in proportion to the number of links; a dense solve takes time like its cube.

Brüdigam & Manchester 2020, Fig. 4c and 5a; Brüdigam, Sosnowski, Manchester & Hirche 2023, Fig. 8a. Pendulums of 1 to
100 links (cylinders of 1 m, 0.05 m radius and 1 kg) hang in one line at 45 degrees and are let go: 1000 steps of
0.01 s, with hinges and with ball joints. The dense reference solves one random system of the size of one Newton step
(6 unknowns per body, 5 per joint) with LAPACK. CPU time of one core, the smallest of repeated runs. From 10 links on
the layout is "looped" throughout, so that like is compared with like.
"""

from __future__ import annotations

from time import thread_time

import _one_core
import numpy as np
from _chains import straight_chain
from _report import OTHER, OURS, THIRD, Report
from _timing import StepTime, time_steps

from symvi import Simulator

ROWS = {"revolute": 5, "spherical": 3}
COLORS = {"revolute": OURS, "spherical": THIRD}
COUNTS = (1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100)
QUICK = (1, 10, 30)


def dense_solve(size: int, repeats: int = 5) -> float:
    """CPU time of solving one dense system [s]."""
    generator = np.random.default_rng(1)
    matrix, right = generator.normal(size=(size, size)), generator.normal(size=size)
    seconds = []
    for _ in range(repeats):
        before = thread_time()
        np.linalg.solve(matrix, right)
        seconds.append(thread_time() - before)
    return min(seconds)


def main() -> int:
    _one_core.pin()
    report = Report(__doc__)
    counts, repeats = (QUICK, 3) if report.quick else (COUNTS, 15)
    times: dict[str, dict[int, StepTime]] = {}
    for joint in ROWS:
        solvers = {n: Simulator(straight_chain(n, joint), layout="looped" if n >= 10 else "auto") for n in counts}
        times[joint] = {n: time_steps(solver, repeats=repeats) for n, solver in solvers.items()}
    dense = {n: dense_solve(11 * n) for n in counts}

    report.note("CPU time per step; ns per link and iteration; one dense solve", "")
    report.table(
        ("joint", "links", "median us", "minimum us", "iterations", "ns/link/it", "dense us"),
        [
            (joint, n, t.median * 1e6, t.minimum * 1e6, t.iterations, t.per_iteration / n * 1e9, dense[n] * 1e6)
            for joint, by_count in times.items()
            for n, t in by_count.items()
        ],
    )
    for joint, by_count in times.items():
        flat = [t.per_iteration / n for n, t in by_count.items() if n >= 10]
        bound = 1.5 if report.quick else 1.1
        report.at_most(f"{joint}: time per link and iteration, n >= 10, max/min", max(flat) / min(flat), bound)
    last = max(counts)
    ratio = dense[last] / times["revolute"][last].per_iteration
    report.between(f"{last} hinges: a dense solve / a Newton iteration", ratio, 5, np.inf)
    if report.plot:
        draw(report, times, dense)
    return report.end()


def draw(report: Report, times, dense) -> None:
    figure, (left, right) = report.figure(1, 2, height=3.6)
    left.loglog(list(dense), [t * 1e6 for t in dense.values()], "s-", color=OTHER, markersize=3, label="dense, LAPACK")
    for joint, by_count in times.items():
        counts, values = list(by_count), list(by_count.values())
        style = {"color": COLORS[joint], "markersize": 3, "label": f"symvi, {joint}"}
        left.loglog(counts, [t.per_iteration * 1e6 for t in values], "o-", **style)
        right.plot(counts, [t.minimum * 1e6 for t in values], "o-", **style)
    left.set(title="one Newton iteration [us]", xlabel="links")
    right.set(title="one step of 0.01 s [us] (1000 steps: ms)", xlabel="links", xlim=(0, None), ylim=(0, None))
    for axes in (left, right):
        axes.legend(loc="upper left")
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
