"""Closed chains of 3 to 100 links swing for 10 s at a step of 0.01 s, and every loop stays closed to round-off.

Brüdigam & Manchester 2020, Fig. 5b, there for 3 to 11 links. Boxes of 0.1 x 0.1 x 1 m and 1 kg hang between two pivots
1 m apart and are let go: one half goes down at 45 degrees, one link lies level, the other half comes back up; an even
number has two links in the middle as a roof. The last joint is a point on an axis (two rows), as in the paper, and then
a full hinge, whose other three rows are redundant, are dropped, and are measured here all the same.

Then harder ones, which whip so fast that whole steps fail and are split: half a circle of links above two pivots, a
slack belt of 60 links, and six links of 1 kg that carry 1e6 kg, let go level.
"""

from __future__ import annotations

from math import cos, pi, sin

import _one_core
import numpy as np
from _chains import BOTTOM, BOX, ORIGIN, TOP, hinge, open_chain
from _report import OTHER, OURS, THIRD, Report
from _timing import time_steps

from symvi import Body, Box, Mechanism, Simulator, SolverOptions

CLOSINGS = {"cylindrical_free": "point on an axis", "revolute": "hinge"}
COLORS = {"cylindrical_free": OURS, "revolute": THIRD}
COUNTS = (3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100)
QUICK = (3, 4, 11)
TOLERANCE = 1e-12
ARCHES = (20, 50, 100, 500)
BELT, LOAD = 60, 1e6  # links; kg


def closed_chain(count: int, closing: str) -> Mechanism:
    """A chain between pivots at y = 0 and y = 1 m."""
    side = (count - 1) // 2
    middle = [pi / 2] if count % 2 else [pi / 6, 5 * pi / 6]
    angles = [pi / 4] * side + middle + [pi / 4 + pi] * (count - side - len(middle))
    chain = open_chain(angles, BOX)
    last = hinge("closing", "world", f"link{count}", (0.0, 1.0, 0.0), BOTTOM, closing)
    return chain.changed(name=f"closed_chain{count}", joints=[*chain.joints, last])


def arch(count: int) -> Mechanism:
    """Half a circle of links between two pivots, above them."""
    ways = [pi / 2 - (k + 0.5) * pi / count for k in range(count)]
    chain = open_chain([way + pi / 2 for way in ways], BOX)
    end = (0.0, sum(map(cos, ways)), sum(map(sin, ways)))
    last = hinge("closing", "world", f"link{count}", end, BOTTOM, "cylindrical_free")
    return chain.changed(name=f"arch{count}", joints=[*chain.joints, last])


def belt(count: int) -> Mechanism:
    """A ring of links that hangs on one pivot, let go as a circle."""
    chain = open_chain([pi / 2 - (k + 0.5) * 2 * pi / count for k in range(count)], BOX)
    last = hinge("closing", "world", f"link{count}", ORIGIN, BOTTOM, "cylindrical_free")
    return chain.changed(name=f"belt{count}", joints=[*chain.joints, last])


def carrier(load: float) -> Mechanism:
    """Six links, level, and a load on the last one."""
    chain = open_chain([pi / 2] * 6, BOX)
    weight = Body(name="load", mass=load, shape=Box(size=(1.0, 1.0, 1.0)))
    last = hinge("hook", "link6", "load", BOTTOM, TOP)
    return chain.changed(name="carrier", bodies=[*chain.bodies, weight], joints=[*chain.joints, last])


def whip(report: Report) -> None:
    """Motions that whole steps lose."""
    mechanisms = [arch(n) for n in (ARCHES[:1] if report.quick else ARCHES)]
    mechanisms += [] if report.quick else [belt(BELT), carrier(LOAD)]
    rows = []
    for mechanism in mechanisms:
        simulator = Simulator(mechanism)
        whole = simulator.simulate(10, options=SolverOptions(substeps=1), on_error="status")
        run = simulator.simulate(10, on_error="status")
        wander = 100 * abs(run.energy - run.energy[0]).max() / np.ptp(run.potential_energy)
        split = run.substeps > 1
        rows.append((mechanism.name, float(whole.time[-1]), float(run.time[-1]), int(split.sum()),
                     int(run.substeps.max()), int(run.substeps.sum()), float(run.closure.max()), float(wander)))  # fmt: skip
    report.table(("chain", "whole steps s", "finished s", "steps split", "most parts", "parts", "largest gap m",
                  "energy wander %"), rows)  # fmt: skip
    report.between("shortest run of those", min(row[2] for row in rows), 10 - 1e-9, 10 + 1e-9, "s")
    report.at_most("largest gap of those", max(row[6] for row in rows), 1e-12, "m")
    report.at_most("energy wander, of the range of the potential", max(row[7] for row in rows), 5.0, "%")


def main() -> int:
    _one_core.pin()
    report = Report(__doc__)
    counts, repeats = (QUICK, 2) if report.quick else (COUNTS, 9)
    rows, times = [], {closing: {} for closing in CLOSINGS}
    for closing, words in CLOSINGS.items():
        for n in counts:
            simulator = Simulator(closed_chain(n, closing))
            run = simulator.simulate(10, options=SolverOptions(tolerance=TOLERANCE), on_error="status")
            times[closing][n] = time_steps(simulator, repeats, tolerance=TOLERANCE)
            drift = abs(run.energy - run.energy[0]).max()
            seconds, warnings = run.time[-1], np.count_nonzero(run.status)
            rows.append((words, n, seconds, warnings, run.closure.max(), drift, times[closing][n].minimum * 1e6))

    report.note("tolerance of Newton's method", TOLERANCE, "m/s")
    report.table(("closed by", "links", "finished s", "warnings", "largest gap m", "energy error J", "us/step"), rows)
    report.between("shortest run", min(row[2] for row in rows), 10 - 1e-9, 10 + 1e-9, "s")
    report.at_most("largest gap of all, dropped rows included", max(row[4] for row in rows), 1e-12, "m")
    whip(report)
    if report.plot:
        draw(report, rows, times)
    return report.end()


def draw(report: Report, rows, times) -> None:
    figure, (left, right) = report.figure(1, 2)
    for closing, words in CLOSINGS.items():
        style = {"color": COLORS[closing], "markersize": 3, "label": words}
        left.plot(list(times[closing]), [t.minimum * 1e6 for t in times[closing].values()], "o-", **style)
        right.semilogy([r[1] for r in rows if r[0] == words], [r[4] for r in rows if r[0] == words], "o-", **style)
    left.set(title="one step of 0.01 s [us] (10 s: ms)", xlabel="links", xlim=(0, None), ylim=(0, None))
    right.set(title="largest gap in 10 s [m]", xlabel="links", xlim=(0, None), ylim=(1e-16, 1e-11))
    right.axhline(1e-12, color=OTHER, linestyle="--", linewidth=0.8)
    left.legend(loc="upper left", title="closed by a")
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
