"""The Strandbeest's crank makes full turns, all six loops stay closed, the toes follow the thirteen numbers.

Theo Jansen's linkage, two legs on one crank, as in `symvi demo`: 13 bodies, 19 hinges and a motor, described in the
packaged file strandbeest.toml. Here the motor turns it once in five seconds from the start on. The toes' paths are
compared with plane geometry, computed from the published lengths with 50 digits (strandbeest_geometry.py).
"""

from __future__ import annotations

from math import pi

import numpy as np
from _report import EXACT, OTHER, OURS, THIRD, Report
from mpmath import mpf
from strandbeest_geometry import pivots

from symvi import Driver, Mechanism, Simulator, SolverOptions
from symvi.demos import TOES, demo_file

PERIOD, STEP, COUNTS = 5.0, 0.01, ("rows", "rank", "mobility")
MOTOR = Driver(name="motor", joint="crank_axle", signal=f"{2 * pi / PERIOD!r}*t")
PAIR = Mechanism.from_file(demo_file("strandbeest")).changed(drivers=[MOTOR])
SIDES, COLORS = {"left_foot": -1, "right_foot": 1}, {"left_foot": OURS, "right_foot": THIRD}


def toe_path(run, body: str, point) -> np.ndarray:
    """The toe at every knot, (x, z) [m]: rotations are about y."""
    place = run.body(body)
    w, _, y, _ = run.orientation[:, place].T
    angle = 2 * np.arctan2(y, w)
    x, _, z = point
    turned = np.stack([np.cos(angle) * x + np.sin(angle) * z, np.cos(angle) * z - np.sin(angle) * x], axis=1)
    return run.position[:, place][:, [0, 2]] + turned


def geometry(side: int, times) -> np.ndarray:
    """The toe by plane geometry at these times, (x, z) [m]."""
    toes = (pivots(mpf(2 * pi / PERIOD) * mpf(t), side)["G"] for t in times)
    return np.array([[float(toe[0]), float(toe[1])] for toe in toes])


def main() -> int:
    report = Report(__doc__)
    turns, every = (1, 20) if report.quick else (20, 2)
    simulator = Simulator(PAIR)
    run = simulator.simulate(turns * PERIOD, STEP, options=SolverOptions(tolerance=1e-12), project=True)
    first = slice(0, round(PERIOD / STEP) + 1, every)
    paths = {body: toe_path(run, body, point)[first] for body, point in TOES}
    errors = {body: np.abs(paths[body] - geometry(side, run.time[first])).max() for body, side in SIDES.items()}

    notes = simulator.plan.notes
    report.equal("rows with the motor's, rank, freedoms without it", tuple(notes[k] for k in COUNTS), (96, 78, 1))
    report.note("turns of the crank", turns)
    report.at_most("largest residual, dropped rows included", run.closure.max(), 1e-12, "m")
    report.at_most("steps with a warning", int(np.count_nonzero(run.status)), 0)
    for body, error in errors.items():
        report.at_most(f"{body}: toe against plane geometry, one turn", error, 1e-12, "m")
    step = paths["left_foot"]
    report.note("length and height of a toe's path", f"{np.ptp(step[:, 0]):.3f}, {np.ptp(step[:, 1]):.3f} m")
    if report.plot:
        draw(report, run, paths)
    return report.end()


def draw(report: Report, run, paths) -> None:
    figure, (left, right) = report.figure(1, 2, height=4, gridspec_kw={"width_ratios": [1.7, 1]})
    for side in SIDES.values():
        at = {name: (float(p[0]), float(p[1])) for name, p in pivots(mpf(0), side).items()}
        for bar in ("OP", "BP", "DP", "AB", "AD", "AC", "BC", "CF", "DF", "FG", "DG"):
            left.plot(*zip(at[bar[0]], at[bar[1]], strict=True), "o-", color=EXACT, markersize=2.5, linewidth=0.8)
    for body, path in paths.items():
        left.plot(*path.T, color=COLORS[body], linewidth=1.8, label=body.replace("_", " "))
    left.set(title="paths of the toes; the legs with the crank upright [m]", xlabel="x", ylabel="z", aspect="equal")
    left.legend(loc="upper center")
    right.semilogy(run.time / PERIOD, np.maximum(run.closure, 1e-17), ".", color=OURS, markersize=1)
    right.axhline(1e-12, color=OTHER, linestyle="--", linewidth=0.8)
    right.set(title="largest residual of all rows [m, rad]", xlabel="turns of the crank", ylim=(1e-17, 1e-11))
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
