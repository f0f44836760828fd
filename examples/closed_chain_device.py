"""The closed-chain device of trep's Listing 1 swings for 120 s: its energy stays in a band, its loops stay closed.

Johnson & Murphey 2009, Section VI-B, Fig. 8: seven bars with point masses, two closed loops, a step of 0.01 s. Their
S-expression is read as it is printed; one closing bracket is missing there, which the indentation tells. The paper has
no start: the angles are those of trep's own example, moved by the least change until the loops close, as trep does.

The motion is chaotic, so the last digit of the start decides how near to singular positions it comes. Of twelve starts
that differ by 1e-9 rad the energy's band is 0.02 to 0.07 of the kinetic energy at the paper's step, and one of them
goes over to another level there. At half the step it is 0.006 to 0.010 for all: claims about energy are made there.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from _report import EXACT, OTHER, OURS, Report
from _timing import time_steps
from _trep import LISTING_1, NEAR_START

from symvi import Imported, Simulator, SolverOptions, Trajectory, load

STEP, SECONDS, QUICK = 0.01, 120.0, 20.0
OPTIONS = SolverOptions(tolerance=1e-12)


def gaps(q: np.ndarray) -> np.ndarray:
    """(4,): x and z of G - G2 and of O - O2 [m], for the angles in the order of NEAR_START."""
    j, h, k, m, a, c, e = q

    def bar(length: float, angle: float) -> np.ndarray:
        return -length * np.array((np.sin(angle), np.cos(angle)))

    middle, left, right = np.zeros(2), np.array((-1.5, 0.0)), np.array((1.5, 0.0))
    g = middle + bar(1, j) + bar(1, j + h)
    g2 = right + bar(2, a) + bar(0.75, a + c) + bar(1, a + c + e)
    o = left + bar(2, k) + bar(1, k + m)
    return np.concatenate((g - g2, o - (middle + bar(1, j) + bar(2, j + h))))


def start() -> dict[str, float]:
    """Angles [rad] for which the loops are closed: Newton's method with the smallest steps."""
    q = np.array(list(NEAR_START.values()))
    for _ in range(20):
        jacobian = np.array([gaps(q + 1e-6 * d) - gaps(q - 1e-6 * d) for d in np.eye(len(q))]).T / 2e-6
        q = q - np.linalg.pinv(jacobian) @ gaps(q)
    return dict(zip(NEAR_START, q.tolist(), strict=True))


def device(angles: dict[str, float] | None = None) -> Imported:
    """The listing as printed, imported at some angles, or at the start."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "device.trep"
        path.write_text(LISTING_1)
        return load(path, start=angles or start(), repair=True)


def largest_gap(run: Trajectory, found: Imported) -> float:
    """Of both loops over all knots [m], from the angles of the joints and the listing's lengths alone."""
    angles = [np.ravel(run.coordinates(found.joints[name][0])) for name in NEAR_START]
    return float(max(np.abs(gaps(q)).max() for q in np.transpose(angles)))


def main() -> int:
    report = Report(__doc__)
    seconds = QUICK if report.quick else SECONDS
    found = device()
    simulator = Simulator(found)
    run = simulator.simulate(seconds, STEP, options=OPTIONS)
    finer = simulator.simulate(seconds, STEP / 2, options=OPTIONS)
    mended = found.report.of("repaired")
    report.note("bracket added to the printed listing in its line", str(mended[0].source.line))
    report.between("simulated time, every step solved", run.time[-1], seconds - 1e-9, seconds + 1e-9, "s")
    report.equal("steps with a warning", int(np.count_nonzero(run.status)), 0)
    report.at_most("largest residual of any row, m or rad", run.closure.max(), 1e-12)
    report.at_most("largest gap by the listing's own lengths", largest_gap(run, found), 1e-12, "m")
    swing = run.kinetic_energy.max()
    report.note("largest kinetic energy", swing, "J")
    report.note("band of the energy at the paper's step, of that", np.ptp(run.energy) / swing)
    for step, what in ((STEP, "120 s take (the paper: 22 100 ms)"), (STEP / 2, "120 s take with half the step")):
        taken = time_steps(simulator, repeats=3, steps=round(seconds / step), step=step, tolerance=1e-12)
        report.at_most(what, 1e3 * taken.minimum * SECONDS / step, 60.0, "ms")
    report.at_most("band with half the step, of the largest kinetic energy", np.ptp(finer.energy) / swing, 0.015)
    parts = [part.mean() for part in np.array_split(finer.energy, 6)]
    report.at_most("its trend: means of six parts of the time", np.ptp(parts) / swing, 0.001)
    if report.plot:
        draw(report, run, finer)
    return report.end()


def draw(report: Report, run: Trajectory, finer: Trajectory) -> None:
    figure, (above, below) = report.figure(2, 1, height=4.6, sharex=True)
    above.plot(run.time, run.kinetic_energy, color=OTHER, linewidth=0.5, label="kinetic")
    above.plot(run.time, run.energy - run.energy[0], color=OURS, label="total, from its start")
    above.set(title="energy [J], steps of 0.01 s")
    above.legend(loc="upper right")
    for one, color, step in ((run, OURS, STEP), (finer, EXACT, STEP / 2)):
        below.plot(one.time, one.energy - one.energy[0], color=color, linewidth=0.6, label=f"steps of {step:g} s")
    below.set(title="total energy from its start [J]", xlabel="time [s]")
    below.legend(loc="lower right")
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
