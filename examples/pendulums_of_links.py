"""A pendulum keeps its energy for 5000 s, and the time that a chain of links takes grows with their number.

Johnson & Murphey 2009, Figs. 1 and 7, in steps of 0.01 s. Fig. 1: one link let go level; beside it the method of Heun,
of the same order, which solves for accelerations, in the same steps. The paper compares with a program whose energy
falls by itself. Fig. 7: links of 1 m in a plane, each a point of 1 kg at its end, in one line at 45 degrees, for 20 s.
The paper's program, trep, takes 0.6 s for ten links; its times grow faster than the number of links.
"""

from __future__ import annotations

from math import cos, pi, sin

import _one_core
import numpy as np
from _integrators import heun, integrate
from _report import OTHER, OURS, Report
from _timing import time_steps

from symvi import Body, Joint, Mechanism, Simulator, SolverOptions

STEP, GRAVITY = 0.01, 9.81
SECONDS, QUICK_SECONDS, KEPT = 5000.0, 200.0, 20  # KEPT: every so many knots are looked at
COUNTS, QUICK = (1, 2, 5, 10, 20, 30, 40), (1, 10, 20)
SWUNG = 20.0  # s
DOWN, ORIGIN = (0.0, 0.0, -1.0), (0.0, 0.0, 0.0)


def links(count: int, angle: float) -> Mechanism:
    """Points on rods without mass, one below the other, the uppermost turned by an angle [rad]."""
    bodies = [Body(name=f"link{k}", mass=1.0, inertia=(0, 0, 0), center_of_mass=DOWN) for k in range(count)]
    joints = [
        Joint(
            name=f"joint{k}", type="revolute", parent=f"link{k - 1}" if k else "world", child=f"link{k}",
            parent_anchor=DOWN if k else ORIGIN, axis=(0, 1, 0), coordinate=0.0 if k else angle,
        )
        for k in range(count)
    ]  # fmt: skip
    return Mechanism(name=f"points{count}", bodies=bodies, joints=joints)


def by_accelerations(steps: int) -> np.ndarray:
    """Energy of one link at every so many steps, by the method of Heun [J]."""

    def rates(u):
        return u[1], -GRAVITY * sin(u[0])

    states = integrate(heun, rates, (pi / 2, 0.0), STEP, steps)[::KEPT]
    return np.array([rate**2 / 2 - GRAVITY * cos(angle) for angle, rate in states])


def main() -> int:
    _one_core.pin()
    report = Report(__doc__)
    steps = round((QUICK_SECONDS if report.quick else SECONDS) / STEP)
    energy = Simulator(links(1, pi / 2)).simulate(steps * STEP, STEP, every=KEPT, record=["energy"]).energy
    other = by_accelerations(steps)
    report.at_most("band of the energy, of m g l", np.ptp(energy) / GRAVITY, 1e-3)
    parts = [part.mean() for part in np.array_split(energy, 10)]
    report.at_most("trend: means of ten parts of the time, of m g l", np.ptp(parts) / GRAVITY, 1e-5)
    report.note("the same of Heun's method", np.ptp([p.mean() for p in np.array_split(other, 10)]) / GRAVITY)

    rows, options = [], SolverOptions(tolerance=1e-10)
    for count in QUICK if report.quick else COUNTS:
        simulator = Simulator(links(count, pi / 4))
        taken = time_steps(simulator, repeats=5, steps=round(SWUNG / STEP), step=STEP)
        motion = simulator.simulate(SWUNG, STEP, options=options)
        apart = float(np.ptp(motion.energy) / np.ptp(motion.potential_energy))
        rows.append((count, 1e3 * taken.minimum * SWUNG / STEP, taken.iterations, apart))
    report.table(("links", "20 s take [ms]", "iterations", "band of energy"), rows)
    times = {count: taken for count, taken, *_ in rows}
    report.at_most("ten links for 20 s (the paper: 600 ms)", times[10], 6.0, "ms")
    last = max(times)
    growth = (times[last] / last) / (times[10] / 10)
    report.at_most(f"time of a link, of {last} against that of 10", growth, 2.0 if report.quick else 1.3)
    if report.plot:
        draw(report, energy, other, rows)
    return report.end()


def draw(report: Report, energy: np.ndarray, other: np.ndarray, rows: list) -> None:
    figure, (left, right) = report.figure(1, 2)
    time = STEP * KEPT * np.arange(len(energy))
    left.plot(time, energy - energy[0], color=OURS, linewidth=0.4, label="symvi")
    left.plot(time, other - other[0], color=OTHER, label="Heun")
    left.set(title="one link: change of energy [J]", xlabel="time [s]")
    left.legend(loc="upper left")
    right.plot([row[0] for row in rows], [row[1] for row in rows], "o-", color=OURS)
    right.set(title="20 s of a chain take [ms]", xlabel="links", xlim=(0, None), ylim=(0, None))
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
