"""A damped pendulum loses its energy at the right rate even with steps of 0.05 s; Euler's method does not.

Brüdigam, Sosnowski, Manchester & Hirche 2023, Fig. 7c. A box of 0.1 x 0.1 x 1 m and 1 kg on a hinge with a damper of
0.5 N m s/rad is let go level and swings for 10 s. The paper's text says 0.1 s and a thin rod; its published code, which
drew the figure, took steps of 0.05 s, as here. The paper's reference is a thin rod, theta'' = -1.5 g sin(theta)
- 1.5 theta'; here every method has the box's own inertia, and the reference is Runge-Kutta's with steps of 1e-4 s.
A damper acts at a point within the step, which is stable at any strength and of second order.
"""

from __future__ import annotations

from math import pi, sin

import numpy as np
from _chains import BOX, ORIGIN, TOP, angle_about_x, hinge, link
from _integrators import euler, integrate, runge_kutta
from _report import EXACT, OTHER, OURS, Report

from symvi import JointDamper, Mechanism, Simulator

STEP, DURATION, GRAVITY, DAMPING = 0.05, 10.0, 9.81, 0.5
INERTIA = (1 + 0.01) / 12 + 1 / 4  # of the box about the hinge [kg m^2]
ROD_INERTIA, ROD_ANGLES = 1 / 3, {1: -0.72987, 2: 0.28888, 5: 0.026526, 10: 6.007e-4}
PENDULUM = Mechanism(
    name="damped_pendulum",
    bodies=[link("arm", pi / 2, BOX)],
    joints=[hinge("pivot", "world", "arm", ORIGIN, TOP)],
    forces=[JointDamper(name="friction", joint="pivot", damping=DAMPING)],
)


def motion(method, step: float, inertia: float = INERTIA) -> np.ndarray:
    """Angle and its rate, (knots, 2), of the pendulum as an ordinary differential equation."""

    def rates(u):
        return u[1], -(GRAVITY / 2 * sin(u[0]) + DAMPING * u[1]) / inertia

    return np.array(integrate(method, rates, (pi / 2, 0.0), step, round(DURATION / step)))


def energy(angle, rate):
    """Energy above rest [J]."""
    return INERTIA / 2 * rate**2 + GRAVITY / 2 * (1 - np.cos(angle))


def log_fall(values) -> float:
    """How much the logarithm falls from start to end."""
    return float(np.log(values[0] / values[-1]))


def main() -> int:
    report = Report(__doc__)
    simulator = Simulator(PENDULUM)
    steps = {step: simulator.simulate(DURATION, step) for step in (STEP, STEP / 2, STEP / 4)}
    ours, fine = steps[STEP], 1e-3 if report.quick else 1e-4
    exact = motion(runge_kutta, fine)[:: round(STEP / fine)]
    explicit = motion(euler, STEP)
    true_energy, lowest = energy(*exact.T), -GRAVITY / 2

    def error(run) -> float:
        return abs(angle_about_x(run, "arm")[:: round(STEP / run.step)] - exact[:, 0]).max()

    rod = motion(runge_kutta, fine, ROD_INERTIA)
    mistake = max(abs(rod[round(t / fine), 0] - angle) for t, angle in ROD_ANGLES.items())
    report.at_most("reference, as a thin rod, against published angles", mistake, 5e-6, "rad")
    report.table(
        ("t", "exact rad", "symvi rad", "Euler rad"),
        [(t, *(float(x[round(t / STEP)]) for x in (exact[:, 0], angle_about_x(ours, "arm"), explicit[:, 0])))
         for t in (1, 2, 5, 10)],
    )  # fmt: skip
    report.at_most("largest angle error at 0.05 s", error(ours), 0.05, "rad")
    report.note("Euler's largest angle error", abs(explicit - exact)[:, 0].max(), "rad")
    report.between("fall of the error at half the step", error(ours) / error(steps[STEP / 2]), 3.5, 4.3)
    report.between("fall of the error at half of that", error(steps[STEP / 2]) / error(steps[STEP / 4]), 3.8, 4.2)
    decay = log_fall(true_energy)
    report.between("rate of decay over 10 s / exact", log_fall(ours.energy - lowest) / decay, 0.95, 1.05)
    report.note("Euler's rate of decay / exact", log_fall(energy(*explicit.T)) / decay)
    if report.plot:
        draw(report, ours.time, exact[:, 0], true_energy, angle_about_x(ours, "arm"), ours.energy - lowest, explicit)
    return report.end()


def draw(report: Report, time, angle, true_energy, our_angle, our_energy, explicit) -> None:
    figure, (left, right) = report.figure(1, 2)
    left.plot(time, angle, color=EXACT, linewidth=2.5, alpha=0.35, label="exact")
    left.plot(time, explicit[:, 0], color=OTHER, label="Euler, 0.05 s")
    left.plot(time, our_angle, color=OURS, label="symvi, 0.05 s")
    left.set(title="angle [rad]", xlabel="time [s]")
    right.semilogy(time, true_energy, color=EXACT, linewidth=2.5, alpha=0.35)
    right.semilogy(time, energy(*explicit.T), color=OTHER)
    right.semilogy(time, our_energy, color=OURS)
    right.set(title="energy above rest [J]", xlabel="time [s]")
    left.legend(loc="upper right", ncols=3)
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
