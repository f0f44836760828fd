"""A chain of ten four-bars keeps all its loops closed, in time proportional to their number.

Brüdigam & Manchester 2020, Fig. 7; Brüdigam, Sosnowski, Manchester & Hirche 2023, Fig. 9a. Rhombs of four boxes of
0.1 x 0.1 x 1 m and 1 kg hang on each other's lowest point and swing for 10 s in steps of 0.01 s; they fold flat now and
then, which is a singular position. The upper links go down at 22.5 degrees to both sides; the last (or only) segment is
turned by 45 degrees (2020), or all by 45 and the last by 90 degrees (2023). As in the paper's code, the second link at
an upper point is held by a cylindrical joint.
"""

from __future__ import annotations

from math import pi

import _one_core
import numpy as np
from _chains import BOTTOM, ORIGIN, TOP, hinge, link
from _report import OTHER, OURS, THIRD, Report
from _timing import time_steps

from symvi import Mechanism, Simulator, SolverOptions

STARTS = {"2020": (0.0, pi / 4), "2023": (pi / 4, pi / 2)}  # paper: turn of the segments, turn of the last one
COLORS = {"2020": OURS, "2023": THIRD}
TOLERANCE = 1e-12


def four_bar_chain(segments: int, turn: float, last_turn: float) -> Mechanism:
    """Segments 1, 2, ... from the top; each has links left, below_left, right, below_right."""
    bodies, joints = [], []
    parent, anchor = "world", ORIGIN
    for k in range(1, segments + 1):
        offset = last_turn if k == segments else turn
        left, below_left, right, below_right = (f"{part}{k}" for part in ("left", "below_left", "right", "below_right"))
        for name, angle in ((left, pi / 8), (below_left, -pi / 8), (right, -pi / 8), (below_right, pi / 8)):
            bodies.append(link(name, offset + angle))
        joints += [
            hinge(f"hanger{k}", parent, left, anchor, TOP),
            hinge(f"left_pin{k}", left, below_left, BOTTOM, TOP),
            hinge(f"upper_pin{k}", left, right, TOP, TOP, "cylindrical"),
            hinge(f"right_pin{k}", right, below_right, BOTTOM, TOP),
            hinge(f"lower_pin{k}", below_left, below_right, BOTTOM, BOTTOM),
        ]
        parent, anchor = below_right, BOTTOM
    return Mechanism(name=f"four_bar_chain{segments}", bodies=bodies, joints=joints)


def main() -> int:
    _one_core.pin()
    report = Report(__doc__)
    counts, repeats = ((1, 2), 2) if report.quick else (range(1, 11), 9)
    rows, times = [], {paper: {} for paper in STARTS}
    for paper, turns in STARTS.items():
        for n in counts:
            simulator = Simulator(four_bar_chain(n, *turns), layout="looped")
            run = simulator.simulate(10, options=SolverOptions(tolerance=TOLERANCE), on_error="status")
            time = times[paper][n] = time_steps(simulator, repeats, tolerance=TOLERANCE)
            drift, warnings = abs(run.energy - run.energy[0]).max(), np.count_nonzero(run.status)
            micro = time.minimum * 1e6, time.iterations, time.per_iteration / n * 1e6
            rows.append((paper, n, run.time[-1], warnings, run.closure.max(), drift, *micro))

    report.note("tolerance of Newton's method", TOLERANCE, "m/s")
    head = ("start", "segments", "finished s", "warnings", "largest gap m", "energy error J", "us/step", "iterations")
    report.table((*head, "us/segment/it"), rows)
    report.between("shortest run", min(row[2] for row in rows), 10 - 1e-9, 10 + 1e-9, "s")
    report.at_most("largest gap of all, dropped rows included", max(row[4] for row in rows), 1e-12, "m")
    if not report.quick:
        for paper, by_count in times.items():
            flat = [time.per_iteration / n for n, time in by_count.items() if n >= 2]
            report.at_most(f"{paper}: time per segment and iteration, n >= 2, max/min", max(flat) / min(flat), 1.25)
    if report.plot:
        draw(report, rows, times)
    return report.end()


def draw(report: Report, rows, times) -> None:
    figure, axes = report.figure(1, 3, width=11)
    for paper, by_count in times.items():
        counts, style = list(by_count), {"color": COLORS[paper], "markersize": 3, "label": f"start of {paper}"}
        axes[0].plot(counts, [t.minimum * 1e6 for t in by_count.values()], "o-", **style)
        axes[1].plot(counts, [t.per_iteration * 1e6 for t in by_count.values()], "o-", **style)
        axes[2].semilogy(counts, [row[4] for row in rows if row[0] == paper], "o-", **style)
    axes[0].set(title="one step of 0.01 s [us] (10 s: ms)", ylim=(0, None))
    axes[1].set(title="one Newton iteration [us]", ylim=(0, None))
    axes[2].set(title="largest gap in 10 s [m]", ylim=(1e-16, 1e-11))
    axes[2].axhline(1e-12, color=OTHER, linestyle="--", linewidth=0.8)
    for one in axes:
        one.set(xlabel="four-bar segments", xlim=(0, None))
    axes[0].legend(loc="upper left")
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
