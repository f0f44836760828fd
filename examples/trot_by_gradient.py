"""A quadruped learns to trot by gradients, through all its impacts: more than 12 m in 10 s, in 30 episodes or fewer.

BSMH23 Fig. 13: the robot, its gait of five parameters and the floor of 12 m are the paper's, which draws parameters at
random and takes 100 episodes. Here each episode is a motion of 2 s, and the gradient of the way that its last 1.5 s
come by all targets of all servos, by the adjoint, with contacts smoothed; the gait's own slopes make five numbers of
it. Only their signs are used: each parameter has a step of its own, which grows while the sign stays and is halved
where it changes (Riedmiller and Braun 1993). A motion that promises the floor is walked for 10 s, in steps of 1 ms,
which counts as an episode too. The friction coefficient is 0.8.
"""

from __future__ import annotations

import numpy as np
from _quadruped import LEGS, PARTS, feet, gait, knots, quadruped
from _report import EXACT, OURS, Report

from symvi import Simulator, SymviError, Trajectory

Array = np.ndarray
FRICTION, FLOOR, MOST = 0.8, 12.0, 30
STEP, TIME, AFTER = 2.5e-3, 2.0, 0.5  # s: of motions that are learnt from; the way counts from AFTER on
SMOOTHING, PROMISE = 1e-3, 1.2  # m/s: what is worth a walk of 10 s
NAMES = ("f Hz", "A2", "C2", "A3", "C3 rad")
FIRST = np.array([1.5, 0.15, 1.0, -0.3, -1.5])  # trots at 0.3 m/s
SIZES, LARGEST = np.array([0.4, 0.03, 0.03, 0.05, 0.05]), np.array([0.8, 0.1, 0.1, 0.1, 0.1])
LEAST, GREATEST = np.array([0.5, -0.6, 0.4, -0.9, -2.2]), np.array([6.0, 0.6, 1.4, 0.9, -0.9])
COORDINATES = [f"trunk.{what}[{k}]" for what in ("position", "turn") for k in range(3)]
COORDINATES += [f"{leg}_{part}_joint" for leg in LEGS for part in PARTS]


def gained(simulator: Simulator, parameters: Array) -> tuple[float, Array]:
    """(way after the first half second [m], what it changes by with the parameters)."""
    times = knots(TIME, STEP)
    first = round(AFTER / STEP)

    def loss(x: Array, u: Array) -> tuple[float, Array]:
        by_x = np.zeros_like(x)
        by_x[-1, 0], by_x[first, 0] = 1.0, -1.0
        return float(x[-1, 0] - x[first, 0]), by_x

    found = simulator.gradient(
        loss, TIME, STEP, inputs=gait(times, parameters), smoothing=SMOOTHING, coordinates=COORDINATES
    )
    slopes, off = np.zeros(len(NAMES)), 1e-6
    for k, unit in enumerate(np.eye(len(NAMES))):
        ends = [gait(times, parameters + sign * off * unit) for sign in (1, -1)]
        for column, name in enumerate(found.input_names):
            if name in ends[0]:
                slopes[k] += found.inputs[:, column] @ ((ends[0][name] - ends[1][name]) / (2 * off))[1:]
    return found.value, slopes


def walked(simulator: Simulator, parameters: Array, time: float = 10.0, step: float = 1e-3) -> Trajectory:
    return simulator.simulate(time, step, inputs=gait(knots(time, step), parameters), on_error="status")


def learnt(report: Report, simulator: Simulator) -> tuple[Trajectory | None, list[float]]:
    """The first walk that comes far enough, and what every episode gained."""
    parameters, sizes, before, gains, rows, best = FIRST, SIZES, np.zeros(len(NAMES)), [], [], None
    episodes, promised = 0, PROMISE * (TIME - AFTER)
    while episodes < MOST and best is None:
        try:
            gain, slopes = gained(simulator, parameters)
        except SymviError:  # a step that cannot be smoothed: nearer to where the motion was good
            gain, slopes, sizes = np.nan, -before, 0.5 * sizes
        episodes += 1
        gains.append(gain)
        rows.append((episodes, *parameters.tolist(), gain))
        if gain > promised:
            motion = walked(simulator, parameters)
            episodes, promised = episodes + 1, gain
            way = float(motion.position[-1, 0, 0])
            rows.append((episodes, *parameters.tolist(), f"10 s: {way:.2f}"))
            best = motion if way >= FLOOR and int(motion.status[-1]) >= 0 else None
        same = np.sign(slopes) * np.sign(before)
        sizes = np.clip(np.where(same > 0, 1.3 * sizes, np.where(same < 0, 0.5 * sizes, sizes)), 1e-3, LARGEST)
        before = np.where(same < 0, 0.0, slopes)
        parameters = np.clip(parameters + np.sign(before) * sizes, LEAST, GREATEST)
    report.table(("episode", *NAMES, "gains m"), rows)
    report.at_most("episodes", episodes if best is not None else np.inf, MOST)
    return best, gains


def main() -> int:
    report, simulator = Report(__doc__), Simulator(quadruped(FRICTION))
    gains, motion = [], None
    if report.quick:
        parameters, off = np.array([2.4, 0.12, 0.97, -0.4, -1.55]), np.array([0.0, 0.0, 0.0, 1e-3, 0.0])
        slope = gained(simulator, parameters)[1][3]
        ways = [walked(simulator, parameters + sign * off, TIME, STEP).position[:, 0, 0] for sign in (1, -1)]
        gains = [float(way[-1] - way[round(AFTER / STEP)]) for way in ways]
        differences = (gains[0] - gains[1]) / 2e-3
        report.note("slope by A3: adjoint, differences", f"{slope:.3f}, {differences:.3f}", "m/rad")
        report.at_most("      apart, of it", abs(slope / differences - 1), 0.15)
        motion = walked(simulator, parameters, TIME, STEP)
    else:
        motion, gains = learnt(report, simulator)
        if motion is not None:
            report.between("way in 10 s", float(motion.position[-1, 0, 0]), FLOOR, 100.0, "m")
    if motion is not None:
        report.at_most("deepest foot", max(0.0, -float(feet(motion).min())), 1e-9, "m")
    if report.plot and motion is not None:
        figure, (left, right) = report.figure(1, 2)
        left.plot(np.arange(1, len(gains) + 1), np.array(gains) / (TIME - AFTER), "o-", color=OURS)
        left.axhline(FLOOR / 10.0, color=EXACT, linestyle="--", linewidth=0.8)
        left.set(title="mean speed of a motion that is learnt from [m/s]", xlabel="gradient")
        right.plot(motion.time, motion.position[:, 0, 0], color=OURS)
        right.set(title="way of the trunk [m]", xlabel="time [s]")
        report.save(figure)
    return report.end()


if __name__ == "__main__":
    raise SystemExit(main())
