"""Scissor lifts of 1 to 20 segments, hanging on many loops, move like their one-degree-of-freedom Lagrangian.

Johnson & Murphey 2009, Section VI-C, Figs. 10 and 11, as S-expressions with point constraints, let go at rest for 10 s.
In the paper's Lagrangian the inertia I stands inside the factor m L² and the masses' sin² has the factor 1/2; with each
bar's mass in its middle and its inertia counted once it reads, summed over N segments that hang,

    L = sum ( m L² ((n - 1/2)² cos² θ + 1/4 sin² θ) + I ) θ'² + 2 m g (n - 1/2) L sin θ  +  1/2 m_S L² sin² θ θ'²

A lift that stretches rushes through θ = 90°, where all bars lie on one line and branches of the motion meet. The mass
that θ feels drops there to a share of some 1/N²; a lift of 20 segments passes that in 5 ms. A step must resolve it,
so that more segments take shorter ones: a quarter of that time here, and 0.01 s at most. Longer ones are tried too;
they are split where the energy would change by more than their second order explains.

Fig. 12: five segments for 1000 s in the paper's steps of 0.01 s. Fig. 13: what 15 s take in the longest steps whose
accumulated error (47) is 0.1 rad² s or less. The paper's program took 1.74 s for ten seconds of five segments.
"""

from __future__ import annotations

import tempfile
import warnings
from math import cos, pi, sin, sqrt
from pathlib import Path

import numpy as np
from _integrators import integrate, runge_kutta
from _report import EXACT, OURS, THIRD, Report
from _timing import time_steps
from _trep import ANGLE, INERTIA, LENGTH, MASS, SLIDER, scissor_lift

from symvi import Imported, Simulator, SolverOptions, Trajectory, load
from symvi.errors import SymviWarning
from symvi.numbers.control import SolverStatus

SECONDS, GRAVITY = 10.0, 9.81
COUNTS, QUICK = tuple(range(1, 21)), (1, 3, 5)
SHARE = 0.25  # of the time in which a lift passes its singular position
FINER = 5  # steps of the reference in one of ours, at least
LONG, SHOWN = 1000.0, 10.0  # s: of Fig. 12, and what it shows of its end
WATCHED, LEFT, FINE = 15.0, 0.1, 5e-4  # s, rad² s, s: of Fig. 13
TRIED = tuple(round(100 * 2 ** (k / 2)) for k in range(14))  # steps in 15 s


class Lagrangian:
    """M(θ) = a cos² θ + b sin² θ + c and the force f cos θ, of L = M θ'² / 2 + f sin θ."""

    def __init__(self, segments: int):
        levels = [n - 0.5 for n in range(1, segments + 1)]
        self.a = 2 * MASS * LENGTH**2 * sum(level**2 for level in levels)
        self.b = MASS * LENGTH**2 * segments / 2 + SLIDER * LENGTH**2
        self.c = 2 * INERTIA * segments
        self.f = 2 * MASS * GRAVITY * LENGTH * sum(levels)

    def mass(self, angle: float) -> float:
        return self.a * cos(angle) ** 2 + self.b * sin(angle) ** 2 + self.c

    def rates(self, u: tuple[float, ...]) -> tuple[float, ...]:
        """(θ', θ'') by the equation of Lagrange."""
        angle, rate = u
        slope = 2 * (self.b - self.a) * sin(angle) * cos(angle)
        return rate, (self.f * cos(angle) - 0.5 * slope * rate**2) / self.mass(angle)

    def passing(self) -> float:
        """The time [s] in which the lift passes the angle where its mass is no longer the least one."""
        rate = sqrt(2 * self.f * (1 - sin(ANGLE)) / self.mass(pi / 2))
        return sqrt(self.mass(pi / 2) / self.a) / rate

    def angles(self, step: float, steps: int) -> np.ndarray:
        """θ at every knot, by the method of Runge and Kutta."""
        inner = max(FINER, round(step / 4e-4))
        found = integrate(runge_kutta, self.rates, (ANGLE, 0.0), step / inner, steps * inner)
        return np.array([u[0] for u in found[::inner]])


def imported(segments: int) -> Imported:
    """A lift, hanging at the angle that it is let go from."""
    text, start = scissor_lift(segments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"lift{segments}.trep"
        path.write_text(text)
        return load(path, start=start)


def run_lift(segments: int, step: float, seconds: float = SECONDS):
    """(trajectory, θ at its knots) of a lift that is let go."""
    found = imported(segments)
    run = Simulator(found).simulate(seconds, step, options=SolverOptions(tolerance=1e-12))
    return run, np.ravel(run.coordinates(found.joints["L0"][0]))


def main() -> int:
    report = Report(__doc__)
    rows, shown = [], {}
    for segments in QUICK if report.quick else COUNTS:
        reference = Lagrangian(segments)
        steps = max(1000, 250 * round(SECONDS / (250 * SHARE * reference.passing())))
        step = SECONDS / steps
        run, angles = run_lift(segments, step)
        exact = reference.angles(step, steps)
        apart = angles - exact
        error = float(np.trapezoid(apart**2, dx=step))
        others = int(np.count_nonzero(run.status > SolverStatus.ROUND_OFF))
        rows.append((segments, step, run.closure.max(), np.abs(apart).max(), error, others))
        shown[segments] = (run.time, angles, exact)
    report.table(("segments", "step s", "gap m, rad", "error rad", "error (47)", "warnings"), rows)
    report.at_most("largest gap of all", max(row[2] for row in rows), 1e-12, "m")
    report.at_most("largest error of the angle in 10 s, any lift", max(row[3] for row in rows), 1e-2, "rad")
    report.equal("steps with a warning, but of round-off", sum(row[5] for row in rows), 0)
    five = next(row for row in rows if row[0] == 5)
    report.at_most("five segments, 0.01 s: accumulated error (47), rad^2 s", five[4], 1e-4)
    run_coarse(report)
    order = convergence(3)
    report.between("order of the error, three segments", order, 1.9, 2.1)
    taken = time_steps(Simulator(imported(5)), repeats=5, steps=1000)
    report.at_most("five segments, 10 s in steps of 0.01 s (the paper: 1740 ms)", 1e6 * taken.minimum, 20.0, "ms")
    costs = costs_to_error(report, QUICK if report.quick else (1, 2, 3, 5, 8, 10, 15, 20))
    end = None if report.quick else long_after(report)
    if report.plot:
        draw(report, rows, shown, costs, end)
    return report.end()


def run_coarse(report: Report) -> None:
    """Steps that are too long for the singular position: they are split where the energy would jump."""
    rows = []
    for segments in QUICK[1:] if report.quick else (4, 8, 12, 16, 20):
        for step in (0.02, 0.01, 0.005):
            run, _ = run_lift(segments, step)
            energy, most = run.energy, run.kinetic_energy.max()
            changes = np.abs(np.diff(energy)).max() / most, np.abs(energy - energy[0]).max() / most
            rows.append((segments, step, *changes, int((run.substeps > 1).sum())))
    report.table(("segments", "step s", "energy, a step", "energy, 10 s", "steps split"), rows)
    report.at_most("change of energy in any step, of the largest kinetic one", max(row[2] for row in rows), 0.03)
    report.at_most("change of energy in 10 s, of the largest kinetic one", max(row[3] for row in rows), 0.05)


def angles_of(run: Trajectory) -> np.ndarray:
    """θ of a lift at the knots, between 0 and π, of however far apart ones."""
    turned = run.orientation[:, run.body("L0_body")]
    return np.arctan2(turned[:, 2], turned[:, 0]) * 2


def costs_to_error(report: Report, counts: tuple[int, ...]) -> list[tuple]:
    """(segments, step, error, ms) of the fewest steps from which on the error is small enough: Fig. 13."""
    rows = []
    for segments in counts:
        found = imported(segments)
        simulator, fine = Simulator(found), Lagrangian(segments).angles(FINE, round(WATCHED / FINE))
        best = None
        for steps in reversed(TRIED):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SymviWarning)
                run = simulator.simulate(WATCHED, WATCHED / steps, record=["coordinates"], on_error="status")
            exact = np.interp(run.time, FINE * np.arange(len(fine)), fine)
            error = float(np.sum((angles_of(run) - exact) ** 2) * WATCHED / steps)
            if run.status[-1] < 0 or error > LEFT:
                break
            best = steps, error
        assert best is not None
        seconds = time_steps(simulator, repeats=5, steps=best[0], step=WATCHED / best[0]).minimum * best[0]
        rows.append((segments, WATCHED / best[0], best[1], 1e3 * seconds))
    report.table(("segments", "step s", "error (47)", "15 s take [ms]"), rows)
    report.at_most("15 s of any of these lifts to an error of 0.1", max(row[3] for row in rows), 500.0, "ms")
    return rows


def long_after(report: Report) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(time, θ, exact θ) of the last seconds of a long motion of five segments: Fig. 12."""
    run, angles = run_lift(5, 0.01, LONG)
    exact = integrate(runge_kutta, Lagrangian(5).rates, (ANGLE, 0.0), 2e-3, round(LONG / 2e-3))[::5]
    last = round(SHOWN / 0.01)
    end = run.time[-last:], angles[-last:], np.array([u[0] for u in exact[-last:]])
    report.at_most("after 1000 s: largest difference of θ", np.abs(end[1] - end[2]).max(), 0.5, "rad")
    report.at_most("after 1000 s: difference of its range", abs(np.ptp(end[1]) - np.ptp(end[2])), 1e-3, "rad")
    return end


def convergence(segments: int) -> float:
    """The exponent of the step in the error, from steps of 0.01 s and 0.005 s."""
    errors = []
    for step in (0.01, 0.005):
        _, angles = run_lift(segments, step)
        errors.append(np.abs(angles - Lagrangian(segments).angles(step, round(SECONDS / step))).max())
    return float(np.log2(errors[0] / errors[1]))


def draw(report: Report, rows: list, shown: dict, costs: list, end: tuple | None) -> None:
    figure, ((left, right), (below, corner)) = report.figure(2, 2, height=6.0)
    if end is not None:
        below.plot(end[0], end[2], color=EXACT, linewidth=3, alpha=0.3)
        below.plot(end[0], end[1], color=OURS)
    below.set(title="the same after 1000 s", xlabel="time [s]")
    corner.semilogy([row[0] for row in costs], [row[3] for row in costs], "o-", color=OURS, markersize=3)
    corner.set(title="15 s to an error (47) of 0.1 take [ms]", xlabel="segments")
    time, angles, exact = shown[5]
    left.plot(time, exact, color=EXACT, linewidth=3, alpha=0.3, label="Lagrangian")
    left.plot(time, angles, color=OURS, label="symvi")
    left.set(title="five segments: angle of the bars [rad]", xlabel="time [s]")
    left.legend(loc="lower center")
    counts = [row[0] for row in rows]
    right.semilogy(counts, [row[3] for row in rows], "o-", color=OURS, markersize=3, label="largest error [rad]")
    right.semilogy(counts, [row[1] for row in rows], "o-", color=THIRD, markersize=3, label="step [s]")
    right.semilogy(counts, [row[2] for row in rows], "o-", color=EXACT, markersize=3, label="largest gap [m, rad]")
    right.set(title="by number of segments", xlabel="segments")
    right.legend(loc="center right")
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
