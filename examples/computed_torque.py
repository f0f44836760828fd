"""A 7-axis arm follows a path under computed torque at 1 kHz, from Python, in a small part of real time.

The arm has the lengths of Franka Emika's Panda (its documentation's table of Denavit and Hartenberg's parameters) and
links of about its masses. In every millisecond the controller reads the joints of a world, asks the simulator's model
for the torques that give the path's accelerations and take errors out, and sends them to the motors:

    tau = M(q) (q_d'' + 2 w (q_d' - q') + w² (q_d - q)) + C(q, q') q' + g(q)

Errors then obey e'' + 2 w e' + w² e = 0, whatever the arm weighs and however it moves, but for the millisecond that a
torque stays: the arm starts beside its path, and its errors are those of the closed form.
"""

from __future__ import annotations

from math import cos, pi, sin
from time import perf_counter

import numpy as np
from _report import EXACT, OURS, Report

from symvi import Actuator, Body, Joint, Mechanism, Simulator

STEP = 1e-3  # s
STIFFNESS = 20.0  # rad/s: w
ASIDE = 0.1  # rad: of every joint at the start
# of a joint in the frame of the one below: a [m], d [m], alpha [rad]
LENGTHS = (
    (0.0, 0.333, 0.0), (0.0, 0.0, -pi / 2), (0.0, 0.316, pi / 2), (0.0825, 0.0, pi / 2),
    (-0.0825, 0.384, -pi / 2), (0.0, 0.0, pi / 2), (0.088, 0.0, pi / 2),
)  # fmt: skip
# mass [kg], centre of mass in the frame of the joint [m], radius of gyration [m]
LINKS = (
    (4.97, (0.0, 0.0, -0.09), 0.10), (0.65, (0.0, -0.03, 0.0), 0.08), (3.23, (0.03, 0.04, -0.07), 0.09),
    (3.59, (-0.05, 0.10, 0.03), 0.09), (1.23, (-0.01, 0.04, -0.04), 0.10), (1.67, (0.06, -0.01, -0.01), 0.06),
    (0.74, (0.01, 0.0, 0.06), 0.05),
)  # fmt: skip
HOME = np.array([0.0, -pi / 4, 0.0, -3 * pi / 4, 0.0, pi / 2, pi / 4])
SWING = np.array([0.5, 0.3, 0.4, 0.3, 0.5, 0.4, 0.6])  # rad
RATES = np.array([2.0, 1.5, 2.5, 2.0, 3.0, 2.5, 3.5])  # rad/s


def arm() -> Mechanism:
    """Seven hinges, each with a motor."""
    bodies, joints, motors, parent = [], [], [], "world"
    for k, ((a, d, alpha), (mass, center, gyration)) in enumerate(zip(LENGTHS, LINKS, strict=True), 1):
        inertia = (mass * gyration**2,) * 3
        bodies.append(Body(name=f"link{k}", mass=mass, inertia=inertia, center_of_mass=center))
        joints.append(
            Joint(
                name=f"joint{k}", type="revolute", parent=parent, child=f"link{k}",
                parent_anchor=(a, -sin(alpha) * d, cos(alpha) * d), axis=(0, 0, 1),
                orientation=(cos(alpha / 2), sin(alpha / 2), 0.0, 0.0), coordinate=float(HOME[k - 1] + ASIDE),
            )
        )  # fmt: skip
        motors.append(Actuator(name=f"motor{k}", joint=f"joint{k}"))
        parent = f"link{k}"
    return Mechanism(name="arm7", bodies=bodies, joints=joints, forces=motors)


def path(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates, rates and accelerations that are wanted; at rest at home at t = 0."""
    turn = RATES * t
    return HOME + SWING * (1 - np.cos(turn)), SWING * RATES * np.sin(turn), SWING * RATES**2 * np.cos(turn)


def main() -> int:
    report = Report(__doc__)
    simulator = Simulator(arm())
    model, world = simulator.model, simulator.reset(step=STEP)
    assert model.names == world.names
    steps = 1000 if report.quick else 10000
    errors, times = np.zeros((steps, 7)), np.zeros(steps)
    for k in range(steps):
        begin = perf_counter()
        q, rates = world.coordinates, world.rates
        wanted, wanted_rates, wanted_change = path(world.time)
        error = wanted - q
        change = wanted_change + 2 * STIFFNESS * (wanted_rates - rates) + STIFFNESS**2 * error
        world.step(model.inverse_dynamics(q, rates, change))
        times[k] = perf_counter() - begin
        errors[k] = error
    t = STEP * np.arange(steps)
    exact = -ASIDE * (1 + STIFFNESS * t) * np.exp(-STIFFNESS * t)
    report.at_most("errors, from those of the closed form", float(np.abs(errors - exact[:, None]).max()), 1e-4, "rad")
    report.at_most("errors after the first second", float(np.abs(errors[999:]).max()), 3e-5, "rad")
    report.note("a control cycle and its step, median", 1e6 * float(np.median(times)), "us")
    report.note("the slowest of them", 1e6 * float(times.max()), "us")
    report.note("cycles that took longer than their millisecond", f"{int((times > STEP).sum())} of {steps}")
    report.at_most("time for a second of the arm", float(times.sum()) / (steps * STEP), 0.5, "s")
    if report.plot:
        figure, axes = report.figure(1, 2)
        axes[0].set_title("errors of the joints [rad]")
        axes[0].plot(t[:500], errors[:500], color=OURS, lw=0.6)
        axes[0].plot(t[:500], exact[:500], "--", color=EXACT, label="closed form")
        axes[0].legend()
        axes[1].set_title("time of a control cycle and its step [us]")
        axes[1].plot(t, 1e6 * times, ".", color=OURS, ms=1)
        for axis in axes:
            axis.set_xlabel("time [s]")
        report.save(figure)
    return report.end()


if __name__ == "__main__":
    raise SystemExit(main())
