"""A four-bar of three-dimensional hinges keeps all its rows at round-off for 30 000 steps, the redundant ones included.

Four hinges hold 20 rows, of which 17 are independent. The other three are found when the solver is generated, dropped
from its equations, and still evaluated in every step. Crank 0.2, coupler 0.6, rocker 0.7 and frame 0.9 m, boxes of 1 kg
per metre; the linkage swings by its own weight in steps of 0.01 s, and then follows a motor that turns the crank to and
fro by more than a full turn.
"""

from __future__ import annotations

from math import atan2

import numpy as np
from _chains import ORIGIN, hinge, link
from _report import EXACT, OTHER, OURS, THIRD, Report

from symvi import Box, Driver, Mechanism, Simulator, SolverOptions

LENGTHS = {"crank": 0.2, "coupler": 0.6, "rocker": 0.7}
# The crank stands upright: tan of the coupler's and the rocker's angles are those of the triangle 3, 4, 5.
ANGLES = {"crank": 0.0, "coupler": -atan2(4, 3), "rocker": atan2(3, 4)}
COLORS = {"swinging": OURS, "driven": THIRD}
FOUR_BAR = Mechanism(
    name="four_bar",
    bodies=[link(name, ANGLES[name], Box(size=(0.02, 0.02, size)), mass=size) for name, size in LENGTHS.items()],
    joints=[
        hinge("crank_bearing", "world", "crank", ORIGIN, (0, 0, -0.1)),
        hinge("rocker_bearing", "world", "rocker", (0, 0.9, 0), (0, 0, -0.35)),
        hinge("crank_pin", "crank", "coupler", (0, 0, 0.1), (0, 0, -0.3)),
        hinge("rocker_pin", "rocker", "coupler", (0, 0, 0.35), (0, 0, 0.3)),
    ],
)
MOTOR = Driver(name="motor", joint="crank_bearing", signal="7*sin(0.3*t)")
DRIVEN = FOUR_BAR.changed(name="driven_four_bar", drivers=[MOTOR])


def main() -> int:
    report = Report(__doc__)
    steps, options = 3000 if report.quick else 30_000, SolverOptions(tolerance=1e-12)
    swinging = Simulator(FOUR_BAR)
    runs = {
        "swinging": swinging.simulate(steps * 0.01, options=options),
        "driven": Simulator(DRIVEN).simulate(steps * 0.01, options=options, project=True),
    }

    notes = swinging.plan.notes
    for text in notes["texts"]:
        report.note(text, "")
    report.equal("rows, rank, freedoms", (notes["rows"], notes["rank"], notes["mobility"]), (20, 17, 1))
    for name, run in runs.items():
        report.at_most(f"{name}: largest residual, dropped rows included", run.closure.max(), 1e-13)
        report.at_most(f"{name}: steps with a warning", int(np.count_nonzero(run.status)), 0)
        report.note(f"{name}: iterations per step", float(run.iterations[1:].mean()))
    run = runs["swinging"]
    error = run.energy - run.energy[0]
    report.at_most("swinging: largest energy error", abs(error).max(), 0.05, "J")
    trend = abs(np.polyfit(run.time, error, 1)[0]) * run.time[-1]
    report.at_most("swinging: trend of the energy over the run", trend, 1e-2 if report.quick else 1e-3, "J")
    if report.plot:
        draw(report, runs, error)
    return report.end()


def draw(report: Report, runs, error) -> None:
    figure, (left, right) = report.figure(1, 2)
    for name, run in runs.items():
        left.semilogy(run.time, np.maximum(run.closure, 1e-17), ".", color=COLORS[name], markersize=0.8, label=name)
    left.axhline(1e-13, color=OTHER, linestyle="--", linewidth=0.8)
    left.set(title="largest residual of all 20 rows [m, rad]", xlabel="time [s]", ylim=(1e-17, 1e-12))
    left.legend(loc="center right", bbox_to_anchor=(1, 0.62), markerscale=10)
    right.plot(runs["swinging"].time, error, color=OURS, linewidth=0.3)
    right.axhline(0, color=EXACT, linewidth=0.6)
    right.set(title="energy error [J], swinging", xlabel="time [s]")
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
