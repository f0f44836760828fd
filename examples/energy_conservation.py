"""A double pendulum keeps its energy within a narrow band for an hour, without a trend; Heun's method gains energy.

Brüdigam & Manchester 2020, Fig. 4a; Brüdigam, Sosnowski, Manchester & Hirche 2023, Fig. 7b. Two cubes of 0.1 m and
1 kg, each 1 m below its joint, are let go with the first arm level and the second hanging: 3600 s in steps of 0.01 s.
Parameters from the papers and their published code. The motion is chaotic; the energy is that of the knots, unfiltered.
"""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
from _chains import ORIGIN, hinge, link
from _integrators import heun, integrate
from _report import OTHER, OURS, Report

from symvi import Box, Mechanism, Simulator, SolverOptions

STEP, GRAVITY, INERTIA = 0.01, 9.81, 1 / 600
CUBE, ABOVE = Box(size=(0.1, 0.1, 0.1)), (0.0, 0.0, 1.0)
PENDULUM = Mechanism(
    name="double_pendulum_of_cubes",
    bodies=[link("upper", pi / 2, CUBE), link("lower", 0.0, CUBE)],
    joints=[hinge("shoulder", "world", "upper", ORIGIN, ABOVE), hinge("elbow", "upper", "lower", ORIGIN, ABOVE)],
)


def rates(u):
    """The same pendulum in its two angles: (a, b, a', b') -> their rates."""
    a, b, da, db = u
    c, s = cos(a - b), sin(a - b)
    first, second = -s * db * db - 2 * GRAVITY * sin(a), s * da * da - GRAVITY * sin(b)
    m11, m22 = 2 + INERTIA, 1 + INERTIA
    determinant = m11 * m22 - c * c
    return da, db, (m22 * first - c * second) / determinant, (m11 * second - c * first) / determinant


def energy(a, b, da, db):
    """Its energy [J]."""
    kinetic = (2 + INERTIA) / 2 * da**2 + (1 + INERTIA) / 2 * db**2 + np.cos(a - b) * da * db
    return kinetic - GRAVITY * (2 * np.cos(a) + np.cos(b))


def trend(time, error) -> float:
    """What a straight line through the errors changes by from start to end [J]."""
    return abs(np.polyfit(time, error, 1)[0]) * time[-1]


def main() -> int:
    report = Report(__doc__)
    duration = 300.0 if report.quick else 3600.0
    ours = Simulator(PENDULUM).simulate(duration, STEP, options=SolverOptions(tolerance=1e-12))
    error = ours.energy - ours.energy[0]
    explicit = integrate(heun, rates, (pi / 2, 0.0, 0.0, 0.0), STEP, len(ours) - 1)
    gain = energy(*np.array(explicit).T) - ours.energy[0]

    report.note("simulated", f"{duration:g}", f"s, {len(ours) - 1} steps, Newton to 1e-12")
    report.at_most("largest energy error (19.62 J above rest)", abs(error).max(), 0.1, "J")
    report.at_most("trend of the energy over the run", trend(ours.time, error), 0.02 if report.quick else 1e-3, "J")
    report.at_most("largest constraint residual", ours.closure.max(), 1e-12, "m")
    report.note("Heun's method: energy gained", gain[-1], "J")
    if report.plot:
        draw(report, ours, error, gain)
    return report.end()


def draw(report: Report, ours, error, gain) -> None:
    figure, (left, middle, right) = report.figure(1, 3, width=11)
    every = max(1, len(error) // 20000)
    minutes = ours.time / 60
    left.plot(minutes[::every], gain[::every], color=OTHER, label="Heun, same step")
    left.plot(minutes[::every], error[::every], color=OURS, label="symvi")
    left.set(title="energy error [J]", xlabel="time [min]")
    left.legend(loc="upper left")
    middle.plot(minutes[::every], error[::every], color=OURS, linewidth=0.2)
    middle.set(title="symvi alone: energy error [J]", xlabel="time [min]")
    right.semilogy(minutes[::every], np.maximum(ours.closure[::every], 1e-17), ".", color=OURS, markersize=0.5)
    right.axhline(1e-12, color=OTHER, linestyle="--", linewidth=0.8)
    right.set(title="largest constraint residual [m]", xlabel="time [min]", ylim=(1e-17, 1e-11))
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
