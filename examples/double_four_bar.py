"""A double four-bar turns through its singular positions, ten in ten seconds, and keeps to the exact motion.

Brüdigam, Sosnowski, Manchester & Hirche 2023, Fig. 12; the benchmark A02 of the IFToMM library (Bayo & Avello 1994,
Gonzalez et al. 2006). Three rods stand on pivots 1 m apart, two couplers join their tops; all are uniform, 1 m long and
of 1 kg. The couplers start with 1 m/s. Twice a turn all five bars lie in one line, and the linkage could leave its
parallelogram there. It has one freedom: the rods' angle from upright follows theta'' = 11.445 sin(theta). Thirty-five
rows of full hinges have rank 29; the six redundant ones are dropped and measured all the same.

A step to a knot beside a singular position has several solutions, all of them closed: one on every branch that meets
there. Velocities of the parallelogram's nearly keep the loops closed at that knot, while on the others some rods stop.
Where Newton's method finds one of these, the solver goes round it. The long runs count the knots on another branch:
none, where Newton's method alone leaves its branch in 0.9 of a thousand passages at 0.01 s and in 2.1 at 0.02 s.
"""

from __future__ import annotations

from math import sin, sqrt

import numpy as np
from _chains import BOTTOM, TOP, angle_about_x, hinge
from _integrators import integrate, runge_kutta
from _report import EXACT, OTHER, OURS, THIRD, Report

from symvi import Body, Mechanism, Rod, Simulator, SolverOptions

DURATION, ENERGY, PUBLISHED = 10.0, 35.835, {1: -0.195020, 2: 0.057816, 5: -0.811310, 10: 0.328458}
OPTIONS = SolverOptions(tolerance=1e-12)
BAR = {"mass": 1.0, "inertia": (1 / 12, 1 / 12, 1e-4), "shape": Rod(length=1.0)}
LEVEL = (sqrt(0.5), sqrt(0.5), 0.0, 0.0)  # z axis along -y
RODS = [Body(name=f"rod{k}", position=(0, k, 0.5), velocity=(0, 0.5, 0), angular_velocity=(-1, 0, 0), **BAR)
        for k in range(3)]  # fmt: skip
COUPLERS = [Body(name=f"coupler{k}", position=(0, k - 0.5, 1), orientation=LEVEL, velocity=(0, 1, 0), **BAR)
            for k in (1, 2)]  # fmt: skip
LINKAGE = Mechanism(
    name="double_four_bar",
    bodies=[*RODS, *COUPLERS],
    joints=[
        *(hinge(f"pivot{k}", "world", f"rod{k}", (0.0, float(k), 0.0), BOTTOM) for k in range(3)),
        *(hinge(f"left_pin{k}", f"rod{k - 1}", f"coupler{k}", TOP, TOP) for k in (1, 2)),
        *(hinge(f"right_pin{k}", f"rod{k}", f"coupler{k}", TOP, BOTTOM) for k in (1, 2)),
    ],
)


def exact(step: float, fine: float) -> np.ndarray:
    """The rods' angle at the knots [rad]."""
    states = integrate(runge_kutta, lambda u: (u[1], 11.445 * sin(u[0])), (0.0, 1.0), fine, round(DURATION / fine))
    return np.array(states)[:: round(step / fine), 0]


def angles(run) -> np.ndarray:
    """The three rods' angles from upright towards +y, which is about -x, (knots, 3) [rad]."""
    return -np.stack([angle_about_x(run, f"rod{k}") for k in range(3)], axis=1)


def main() -> int:
    report = Report(__doc__)
    simulator = Simulator(LINKAGE)
    steps = (0.01, 0.005) if report.quick else (0.01, 0.005, 0.001)
    fine = 1e-3 if report.quick else 1e-4
    runs = {step: simulator.simulate(DURATION, step, options=OPTIONS, on_error="status") for step in steps}
    errors = {step: np.abs(angles(run)[:, 0] - exact(step, fine)) for step, run in runs.items()}

    report.equal("rows, rank", (simulator.plan.notes["rows"], simulator.plan.notes["rank"]), (35, 29))
    reference = np.sin(exact(0.01, fine))
    mistake = max(abs(reference[100 * t] - y) for t, y in PUBLISHED.items())
    report.at_most("reference against published points B0", mistake, 1e-6, "m")
    head = ("step s", "finished s", "angle error rad", "energy error J", "largest gap m", "rods apart rad", "warnings")
    rows = [
        (step, float(run.time[-1]), errors[step].max(), abs(run.energy - ENERGY).max(), run.closure.max(),
         np.ptp(angles(run), axis=1).max(), int(np.count_nonzero(run.status)))
        for step, run in runs.items()
    ]  # fmt: skip
    report.table(head, rows)
    passages = int(np.sum(np.diff(np.floor(angles(runs[0.01])[:, 0] / np.pi + 0.5)) != 0))
    report.equal("singular positions passed", passages, 10)
    report.between("shortest run", min(row[1] for row in rows), DURATION - 1e-9, DURATION + 1e-9, "s")
    report.at_most("largest gap, dropped rows included", max(row[4] for row in rows), 1e-12, "m")
    report.at_most("rods out of parallel", max(row[5] for row in rows), 1e-9, "rad")
    report.at_most("steps with a warning", sum(row[6] for row in rows), 0)
    report.at_most("energy error at 0.01 s / 35.835 J", rows[0][3] / ENERGY, 2e-3)
    report.between("fall of the angle error at half the step", rows[0][2] / rows[1][2], 3.9, 4.1)
    if not report.quick:
        for step in (0.02, 0.0137, 0.01, 0.005):
            run_long(report, simulator, step)
    if report.plot:
        draw(report, runs, exact(0.01, fine))
    return report.end()


def run_long(report: Report, simulator: Simulator, step: float) -> None:
    """1000 s through a thousand singular positions: on one branch, in the first turn's band of energy, closed."""
    long = simulator.simulate(round(1000 / step) * step, step, options=OPTIONS, on_error="status")
    apart, error = np.ptp(angles(long), axis=1), np.abs(long.energy - ENERGY)
    first = error[: round(2 / step)].max()
    passages = int(np.sum(np.diff(np.floor(angles(long)[:, 0] / np.pi + 0.5)) != 0))
    report.note(f"{step:g} s: singular positions passed, nearest knot", f"{passages}, {nearest(long):.1e} rad")
    report.at_most("knots on another branch", int(np.sum(apart > 1e-7)), 0)
    report.at_most("steps with loops less closed", int(np.sum(long.status > 1)), 0)
    report.at_most("largest energy error over that of the first turn", error.max() / first, 1.02)
    report.at_most("largest gap, dropped rows included", long.closure.max(), 1e-11, "m")


def nearest(run) -> float:
    """How near a knot comes to the line of all bars [rad]."""
    return float(np.abs((angles(run)[:, 0] % np.pi) - np.pi / 2).min())


def draw(report: Report, runs, truth) -> None:
    figure, axes = report.figure(2, 2, height=5.5, sharex=True)
    run, step = runs[0.01], min(runs)
    axes[0, 0].plot(run.time, np.sin(truth), color=EXACT, linewidth=3, alpha=0.3, label="exact")
    axes[0, 0].plot(run.time, np.sin(angles(run)[:, 0]), color=OURS, label="symvi, 0.01 s")
    axes[0, 0].set(title="horizontal position of the first top B0 [m]", ylim=(-1.1, 1.5))
    axes[0, 0].legend(loc="upper right", ncols=2)
    for one, color in ((0.01, OURS), (step, THIRD)):
        axes[0, 1].semilogy(runs[one].time, np.abs(runs[one].energy - ENERGY), color=color, label=f"{one:g} s")
        axes[1, 0].semilogy(runs[one].time, np.maximum(runs[one].closure, 1e-17), ".", color=color, markersize=1)
    axes[0, 1].set(title="energy error [J] of 35.835 J", ylim=(1e-8, 1))
    axes[0, 1].legend(loc="upper right", ncols=2)
    axes[1, 0].axhline(1e-12, color=OTHER, linestyle="--", linewidth=0.8)
    axes[1, 0].set(title="largest constraint residual [m]", xlabel="time [s]", ylim=(1e-17, 1e-11))
    for name, color in (("potential", THIRD), ("kinetic", OTHER)):
        axes[1, 1].plot(run.time, getattr(run, f"{name}_energy"), color=color, label=name)
    axes[1, 1].plot(run.time, run.energy, color=OURS, label="total")
    axes[1, 1].set(title="energy [J], 0.01 s", xlabel="time [s]", ylim=(-40, 110))
    axes[1, 1].legend(loc="upper right", ncols=3)
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
