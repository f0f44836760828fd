"""Newton's method converges quadratically, in a few iterations a step, for 1 to 100 links and any tolerance.

Brüdigam & Manchester 2020, Fig. 4d and 8. Pendulums of hinged cylinders of 1 m and 1 kg in one line at 45 degrees are
let go. Left: the residual after each iteration of one step of 0.01 s, three seconds later, started from the last
velocities as in the paper, and with symvi's own start, which carries on their last change. Right: 10 s with tolerances
of 1e-6, 1e-8 and 1e-10 on the velocities. All in maximal coordinates, as there. The paper allowed 100 iterations and
took three to four; the minimal-coordinate integrators it compares with fail to converge for long chains.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from _chains import straight_chain
from _report import EXACT, OTHER, OURS, THIRD, Report

from symvi import Simulator, SolverOptions

STEP, TOLERANCES = 0.01, (1e-6, 1e-8, 1e-10)
COLORS = (OURS, THIRD, OTHER)


def residuals(simulator: Simulator, extrapolate: bool) -> list[float]:
    """The residual's norm [N s, N m s] of one step after 1, 2, ... Newton iterations, until it is solved."""
    work, place = vars(simulator.engine)["work"], simulator.plan.at("work", "common", 0, "merit")
    begin, found = simulator.simulate(3, STEP).resume, []
    simulator.start(step=STEP)
    for allowed in range(1, 20):
        simulator.engine.state[:] = begin
        options = SolverOptions(tolerance=1e-10, max_iterations=allowed, extrapolate=extrapolate, substeps=1)
        status, _, _ = simulator.engine.rollout(np.zeros((1, 0)), False, 1, 2, options)
        found.append(sqrt(work[place][0]))
        if status >= 0:
            break
    return found


def main() -> int:
    report = Report(__doc__)
    counts = (1, 10) if report.quick else (1, 2, 5, 10, 20, 50, 100)
    simulators = {n: Simulator(straight_chain(n), coordinates="maximal") for n in counts}
    plain = {n: residuals(simulators[n], False) for n in counts if n in (1, 10, 100)}
    carried = {n: residuals(simulators[n], True) for n in plain}
    iterations = {
        n: [simulators[n].simulate(10, STEP, options=SolverOptions(tolerance=t)).iterations[1:] for t in TOLERANCES]
        for n in counts
    }

    for start, found in (("the last velocities", plain), ("their last change carried on", carried)):
        report.note(f"residual after each iteration, from {start}", "")
        report.table(("links", "after 1, 2, ..."), [(n, *(f"{x:.1e}" for x in values)) for n, values in found.items()])
    squared = max(values[1] / values[0] ** 2 for values in plain.values())
    report.at_most("second residual / first one squared", squared, 1)
    report.at_most("most iterations of that step, to 1e-10", max(map(len, plain.values())), 4)
    report.note("iterations per step by tolerance, mean (most) over 10 s", "")
    rows = [(n, *(f"{x.mean():.2f} ({x.max():.0f})" for x in found)) for n, found in iterations.items()]
    report.table(("links", *(f"{tolerance:g}" for tolerance in TOLERANCES)), rows)
    all_runs = [x for found in iterations.values() for x in found]
    report.at_most("largest mean number of iterations", max(x.mean() for x in all_runs), 4)
    report.at_most("most iterations in any step", max(x.max() for x in all_runs), 10)
    if report.plot:
        draw(report, plain, carried, iterations)
    return report.end()


def draw(report: Report, plain, carried, iterations) -> None:
    figure, (left, right) = report.figure(1, 2, height=3.4)
    for color, n in zip(COLORS, plain, strict=False):
        label = f"{n} links" if n > 1 else "1 link"
        left.semilogy(range(1, len(plain[n]) + 1), plain[n], "o-", color=color, markersize=4, label=label)
        left.semilogy(range(1, len(carried[n]) + 1), carried[n], "o--", color=color, markersize=3, linewidth=0.8)
    left.plot([], [], "--", color=EXACT, linewidth=0.8, label="motion carried on")
    left.set(title="residual of one step [N s, N m s]", xlabel="Newton iterations", xticks=range(1, 4))
    for k, (color, tolerance) in enumerate(zip(COLORS, TOLERANCES, strict=True)):
        means = [found[k].mean() for found in iterations.values()]
        right.semilogx(list(iterations), means, "o-", color=color, markersize=4, label=f"tolerance {tolerance:g}")
    right.set(title="mean Newton iterations per step, 10 s", xlabel="links", ylim=(0, 4))
    left.legend()
    right.legend(loc="lower right")
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
