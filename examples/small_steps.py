"""Steps from 0.1 s to a microsecond all converge, and the error falls with their square until round-off.

Brüdigam, Sosnowski, Manchester & Hirche 2023, Fig. 11. Pendulums of scale s = 1, 0.5, 0.1: mass s, length s^2, inertia
m l^2 / 3 about the hinge, let go level, for half a period; steps in proportion to s. The paper's period is that of
small swings, T = 2 pi sqrt(2 l / (3 g)), and its error is the distance from the other side, |-pi/2 - theta(T/2)|: an
exact solver shows 0.16036, since a wide swing takes longer. Here the error is also shown against the exact angle.
Then chains of up to 100 links in motion: a velocity is solved to 1e-12 m/s, whatever the step.
"""

from __future__ import annotations

from math import pi, sin, sqrt

import numpy as np
from _chains import ORIGIN, angle_about_x, hinge, link, straight_chain
from _integrators import integrate, runge_kutta
from _report import EXACT, OTHER, OURS, THIRD, Report

from symvi import Cylinder, Mechanism, Simulator, SolverOptions

SCALES, COLORS, GRAVITY = (1.0, 0.5, 0.1), (OURS, THIRD, OTHER), 9.81
TOLERANCE = 1e-12  # m/s
OPTIONS = SolverOptions(tolerance=TOLERANCE)
HALF_SWING = pi * sqrt(2 / (3 * GRAVITY))  # s per scale: T / 2 = HALF_SWING s


def pendulum(scale: float) -> Mechanism:
    length, mass = scale**2, scale
    about_centre = mass * length**2 / 12
    arm = link("arm", pi / 2, Cylinder(radius=length / 20, length=length), mass, inertia=[about_centre] * 3)
    return Mechanism(
        name="scaled_pendulum", bodies=[arm], joints=[hinge("pivot", "world", "arm", ORIGIN, (0, 0, length / 2))]
    )


def exact_angle() -> float:
    """The angle after half a period of small swings; the same for every scale [rad]."""
    states = integrate(
        runge_kutta, lambda u: (u[1], -1.5 * GRAVITY * sin(u[0])), (pi / 2, 0.0), HALF_SWING / 4000, 4000
    )
    return states[-1][0]


def chain_warnings(counts, steps) -> list[tuple]:
    """(links, step, iterations, warnings) of 100 steps that begin in the middle of a motion."""
    rows = []
    for n in counts:
        simulator = Simulator(straight_chain(n))
        moving = simulator.simulate(1.0, 0.01, options=OPTIONS).state()
        for step in steps:
            run = simulator.simulate(100 * step, step, start=moving, options=OPTIONS, on_error="status")
            rows.append((n, step, float(run.iterations[1:].mean()), 100 - int(np.sum(run.status[1:] == 0))))
    return rows


def main() -> int:
    report = Report(__doc__)
    counts = (10, 100, 1000) if report.quick else (8, 16, 32, 100, 320, 1000, 3200, 10000, 32000, 100000)
    truth = exact_angle()
    found: dict[float, list[tuple]] = {}
    for scale in SCALES:
        simulator = Simulator(pendulum(scale))
        found[scale] = []
        for n in counts:
            run = simulator.simulate(scale * HALF_SWING, scale * HALF_SWING / n, options=OPTIONS)
            angle = float(angle_about_x(run, "arm")[-1])
            mean, warnings = float(run.iterations[1:].mean()), int(np.count_nonzero(run.status))
            found[scale].append((scale, HALF_SWING / n, mean, warnings, abs(-pi / 2 - angle), abs(angle - truth)))

    report.note("tolerance of Newton's method", TOLERANCE, "m/s")
    rows = [row for one in found.values() for row in one]
    report.table(("scale", "step / scale s", "iterations", "warnings", "paper's error", "true error rad"), rows)
    report.between("the paper's error of an exact solver", abs(-pi / 2 - truth), 0.160355, 0.160365)
    report.between("the paper's error at the smallest step", found[1.0][-1][4], 0.1603, 0.1604)
    below = [(row[1], row[5]) for row in rows if row[1] < 0.03]
    report.between("order of the true error, steps below 0.03 s", np.polyfit(*np.log(below).T, deg=1)[0], 1.98, 2.02)
    smallest = max(one[-1][5] for one in found.values())
    report.at_most("true error at the smallest step", smallest, 1e-5 if report.quick else 1e-9, "rad")
    report.at_most("largest mean number of iterations", max(row[2] for row in rows), 4)
    chains = chain_warnings((1, 10) if report.quick else (1, 10, 100), (1e-6, 1e-5, 1e-4, 1e-3, 1e-2))
    report.table(("links", "step s", "iterations", "warnings"), chains)
    report.at_most("steps of chains that did not reach 1e-12 m/s", sum(row[3] for row in chains), 0)
    if report.plot:
        draw(report, found)
    return report.end()


def draw(report: Report, found) -> None:
    figure, axes = report.figure(1, 3, width=11)
    for color, (scale, rows) in zip(COLORS, found.items(), strict=True):
        for k, axis in enumerate(axes):
            axis.loglog([row[1] for row in rows], [row[(2, 4, 5)[k]] for row in rows], "o-", color=color, markersize=3,
                        label=f"s = {scale:g}")  # fmt: skip
    axes[0].set(title="mean Newton iterations per step", yscale="linear", ylim=(0, 5))
    axes[1].set(title="|-pi/2 - theta(T/2)| [rad], as in the paper", yscale="linear", ylim=(0, 0.2))
    axes[1].axhline(0.16036, color=EXACT, linestyle="--", linewidth=0.8)
    axes[2].set(title="error of the angle [rad]")
    for axis in axes:
        axis.set(xlabel="step / s [s]")
    axes[0].legend()
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
