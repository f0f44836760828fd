"""A closed loop stays closed to round-off for 60 000 steps; held by accelerations alone, it drifts apart.

Brüdigam & Manchester 2020, Fig. 4b; Brüdigam, Sosnowski, Manchester & Hirche 2023, Fig. 7a. Three boxes of 1, sqrt(2)/2
and 1 m, with masses like their lengths, between pivots 1 m apart: 600 s in steps of 0.01 s. Parameters from the papers
and their published code. All joints are full hinges, so three of twenty rows are redundant: they are dropped from the
solution, and still measured here. The comparison solves for the accelerations that keep the loop's second derivative
at zero (three angles, two multipliers) with the classical Runge-Kutta method.
"""

from __future__ import annotations

from math import asin, atan2, cos, pi, sin, sqrt

import numpy as np
from _chains import BOTTOM, ORIGIN, TOP, hinge, link
from _integrators import integrate, runge_kutta
from _report import OTHER, OURS, Report

from symvi import Box, Mechanism, Simulator, SolverOptions

STEP, GRAVITY = 0.01, 9.81
LENGTHS = (1.0, sqrt(2) / 2, 1.0)
# The third link stands on its pivot, so the first one ends sqrt(2)/2 from the point (1, 1).
FIRST = 5 * pi / 4 - asin(5 / sqrt(32))
ANGLES = (FIRST, atan2(1 - sin(FIRST), -1 - cos(FIRST)), pi)
HALF = (0.0, 0.0, LENGTHS[1] / 2)
LOOP = Mechanism(
    name="three_link_loop",
    bodies=[
        link(f"link{k + 1}", angle, Box(size=(0.1, 0.1, length)), mass=length)
        for k, (length, angle) in enumerate(zip(LENGTHS, ANGLES, strict=True))
    ],
    joints=[
        hinge("first_pivot", "world", "link1", ORIGIN, TOP),
        hinge("second_pivot", "world", "link3", (0.0, 1.0, 0.0), TOP),
        hinge("first_pin", "link1", "link2", BOTTOM, HALF),
        hinge("second_pin", "link2", "link3", (0.0, 0.0, -HALF[2]), BOTTOM),
    ],
)


def rates(u):
    """(three angles, their rates) -> their rates: accelerations under gravity that keep the gap's from growing."""
    (a, b, c), (da, db, dc) = u[:3], u[3:]
    (l1, l2, l3), (m1, m2, m3) = LENGTHS, LENGTHS
    i1, i2, i3 = (m / 12 * (length**2 + 0.01) for m, length in zip(LENGTHS, LENGTHS, strict=True))
    mixed, curved = m2 * l1 * l2 / 2 * cos(a - b), m2 * l1 * l2 / 2 * sin(a - b)
    system = np.zeros((5, 5))
    system[0, :2] = i1 + m1 * l1**2 / 4 + m2 * l1**2, mixed
    system[1, :2] = mixed, i2 + m2 * l2**2 / 4
    system[2, 2] = i3 + m3 * l3**2 / 4
    system[3, :3] = l1 * cos(a), l2 * cos(b), -l3 * cos(c)
    system[4, :3] = l1 * sin(a), l2 * sin(b), -l3 * sin(c)
    system[:3, 3:] = system[3:, :3].T
    forces = [
        -curved * db**2 - GRAVITY * (m1 / 2 + m2) * l1 * sin(a),
        curved * da**2 - GRAVITY * m2 / 2 * l2 * sin(b),
        -GRAVITY * m3 / 2 * l3 * sin(c),
        l1 * sin(a) * da**2 + l2 * sin(b) * db**2 - l3 * sin(c) * dc**2,
        -l1 * cos(a) * da**2 - l2 * cos(b) * db**2 + l3 * cos(c) * dc**2,
    ]
    return (da, db, dc, *np.linalg.solve(system, forces)[:3].tolist())


def gap(states) -> np.ndarray:
    """Distance between the ends of the second and the third link [m]."""
    a, b, c = np.array(states)[:, :3].T
    l1, l2, l3 = LENGTHS
    across = l1 * np.sin(a) + l2 * np.sin(b) - 1 - l3 * np.sin(c)
    down = l1 * np.cos(a) + l2 * np.cos(b) - l3 * np.cos(c)
    return np.hypot(across, down)


def main() -> int:
    report = Report(__doc__)
    duration = 60.0 if report.quick else 600.0
    simulator = Simulator(LOOP)
    ours = simulator.simulate(duration, STEP, options=SolverOptions(tolerance=1e-12))
    others = integrate(runge_kutta, rates, (*ANGLES, 0.0, 0.0, 0.0), STEP, len(ours) - 1)

    report.note("simulated", f"{duration:g}", f"s, {len(ours) - 1} steps, Newton to 1e-12")
    report.equal("rows, rank", (simulator.plan.notes["rows"], simulator.plan.notes["rank"]), (20, 17))
    report.at_most("largest residual of a row, dropped ones included", ours.closure.max(), 1e-12, "m")
    report.at_most("steps with a warning", int(np.count_nonzero(ours.status)), 0)
    drift = gap(others)
    report.note("gap with accelerations alone, after 60 s", drift[6000], "m")
    broken = np.flatnonzero(drift > 1)
    if len(broken):
        report.note("with accelerations alone, the gap exceeds 1 m after", broken[0] * STEP, "s")
    if report.plot:
        draw(report, ours, drift)
    return report.end()


def draw(report: Report, ours, drift) -> None:
    figure, axes = report.figure(width=6)
    alone = np.maximum(drift, 1e-17)
    axes.semilogy(ours.time[: len(alone)], alone, color=OTHER, label="accelerations alone, Runge-Kutta 4")
    axes.semilogy(ours.time, np.maximum(ours.closure, 1e-17), ".", markersize=0.5, color=OURS, label="symvi")
    axes.set(title="largest error of the loop [m]", xlabel="time [s]", ylim=(1e-17, 10))
    axes.axhline(1e-12, color=OTHER, linestyle="--", linewidth=0.8)
    axes.legend(loc="center right", markerscale=10)
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
