"""A user's own constraint, written in SymPy without a derivative, holds a body on an ellipse to round-off.

Brüdigam & Manchester 2020 and Brüdigam, Sosnowski, Manchester & Hirche 2023 write any constraint as g(z_a, z_b) = 0; an
ellipse is the example of their published code: half axes of 5 m along y and 2 m along z, a body of 1 kg that starts on
top with 2 m/s along y. The exact motion has one freedom, the angle s with y = 5 sin(s), z = 2 cos(s).
"""

from __future__ import annotations

from math import cos, sin

import numpy as np
from _integrators import integrate, runge_kutta
from _report import EXACT, OTHER, OURS, Report

import symvi
from symvi import Body, Joint, Mechanism, Simulator, SolverOptions

WIDE, HIGH, SPEED, GRAVITY = 5.0, 2.0, 2.0, 9.81

p = symvi.placements()
x, y, z = p.x_b
TRACK = Joint(name="track", type="custom", child="bead", expressions=[x, (y / 5) ** 2 + (z / 2) ** 2 - 1])
BEAD = Body(name="bead", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, HIGH), velocity=(0, SPEED, 0))
MECHANISM = Mechanism(name="bead_on_an_ellipse", bodies=[BEAD], joints=[TRACK])


def rates(u):
    """(s, s') -> their rates, from the Lagrangian (a^2 cos^2 + b^2 sin^2) s'^2 / 2 - g b cos(s)."""
    s, ds = u
    metric = (WIDE * cos(s)) ** 2 + (HIGH * sin(s)) ** 2
    slope = (HIGH**2 - WIDE**2) * sin(s) * cos(s)
    return ds, (GRAVITY * HIGH * sin(s) - slope * ds * ds) / metric


def exact(time: float, step: float, fine: float = 2e-4) -> np.ndarray:
    """Positions (y, z) at the knots [m]."""
    states = np.array(integrate(runge_kutta, rates, (0.0, SPEED / WIDE), fine, round(time / fine)))
    s = states[:: round(step / fine), 0]
    return np.stack([WIDE * np.sin(s), HIGH * np.cos(s)], axis=1)


def main() -> int:
    report = Report(__doc__)
    duration, step = 10.0, 0.01
    simulator, options = Simulator(MECHANISM), SolverOptions(tolerance=1e-12)
    steps = (step, step / 2)
    runs = [simulator.simulate(duration, h, options=options) for h in steps]
    truth = exact(duration, step, 1e-3 if report.quick else 2e-4)
    errors = [np.linalg.norm(run.position[::k, 0, 1:] - truth, axis=1) for k, run in zip((1, 2), runs, strict=True)]
    longer = simulator.simulate(60.0 if report.quick else 600.0, step, options=options)

    report.at_most("largest residual of the constraint, 10 s", max(run.closure.max() for run in runs), 1e-12)
    report.at_most(f"largest residual of the constraint, {longer.time[-1]:g} s", longer.closure.max(), 1e-12)
    report.at_most("largest error of the position at 0.01 s, 10 s", errors[0].max(), 0.02, "m")
    report.between("fall of that error at half the step", errors[0].max() / errors[1].max(), 3.9, 4.1)
    drift = longer.energy - longer.energy[0]
    report.at_most("largest energy error (of up to 41 J)", abs(drift).max(), 0.1, "J")
    trend = abs(np.polyfit(longer.time, drift, 1)[0]) * longer.time[-1]
    report.at_most("trend of the energy over that run", trend, 1e-3, "J")
    if report.plot:
        draw(report, runs[0], truth, errors)
    return report.end()


def draw(report: Report, run, truth, errors) -> None:
    figure, (left, right) = report.figure(1, 2, gridspec_kw={"width_ratios": [2, 1.4]})
    left.plot(*truth.T, color=EXACT, linewidth=3, alpha=0.3, label="exact")
    left.plot(
        run.position[::5, 0, 1], run.position[::5, 0, 2], ".", color=OURS, markersize=4, label="symvi, every 0.05 s"
    )
    left.plot([0], [HIGH], "o", color=OTHER, markersize=5, label="start")
    left.set(title="the body's path [m]", xlabel="y", ylabel="z", aspect="equal")
    left.legend(loc="center")
    right.semilogy(run.time[1:], np.maximum(errors[0][1:], 1e-17), color=OURS, label="0.01 s")
    right.semilogy(
        run.time[1:], np.maximum(errors[1][1:], 1e-17), color=OURS, linestyle="--", linewidth=0.8, label="0.005 s"
    )
    right.semilogy(
        run.time, np.maximum(run.closure, 1e-17), ".", color=EXACT, markersize=1, label="constraint residual"
    )
    right.set(title="error of the position [m], residual", xlabel="time [s]")
    right.legend(loc="center right")
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
