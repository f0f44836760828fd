"""A quadruped stands and trots on rigid contacts: its feet never enter the ground, at steps of 1 or 10 ms.

The robot of BSMH23 Fig. 13, like Unitree's A1 (13 bodies, 12 hinges with servos, a contact point in each foot), stands
for 10 s and trots with a learnt gait of 3.6 Hz, on ground with a friction coefficient of 0.8. Servos' damping acts with
the velocity of the step to come. Beside it, where it is installed (pip install mujoco), the same robot with the same
servos in MuJoCo, with its own contact settings and its implicit integrator: CPU time of compiled loops on one core in
the same run, in turns, and the deepest foot of both.
"""

from __future__ import annotations

from time import thread_time

import _one_core
import numpy as np
from _mujoco_robot import MuJoCoRobot, is_installed
from _quadruped import MASSES, PARTS, STAND, feet, gait, knots, quadruped, standing_height
from _report import OTHER, OURS, Report

from symvi import Simulator, SolverOptions, Trajectory

FRICTION = 0.8
TROT = (3.6044, 0.15854, 0.95758, -0.32577, -1.48245)  # Hz and rad
MASS = MASSES["trunk"] + 4 * sum(MASSES[part] for part in PARTS)
CASES = (("stands", STAND, 1e-3), ("trots", TROT, 1e-3), ("stands", STAND, 1e-2), ("trots", TROT, 1e-2))


class Timed:
    """The generated C's own loop over the same steps, with nothing recorded."""

    def __init__(self, simulator: Simulator, targets: dict[str, np.ndarray], step: float):
        self.simulator = simulator
        self.rows = simulator.inputs.overlay(np.zeros((len(next(iter(targets.values()))), len(simulator.plan.inputs))),
                                             targets)  # fmt: skip
        simulator.start(step=step, inputs=self.rows[:2])
        self.begin = simulator.engine.state.copy()
        self.step = simulator.engine.parameters.copy()

    def seconds(self, repeats: int) -> float:
        """Least CPU time of a step [s]."""
        engine, steps, found = self.simulator.engine, len(self.rows) - 1, []
        engine.parameters[:] = self.step
        for _ in range(repeats):
            engine.state[:] = self.begin
            before = thread_time()
            engine.rollout(self.rows, True, steps, steps + 1, SolverOptions())
            found.append((thread_time() - before) / steps)
        return min(found)


def main() -> int:
    _one_core.pin()
    report = Report(__doc__)
    simulator = Simulator(quadruped(FRICTION))
    duration, repeats = (1.0, 2) if report.quick else (10.0, 5)
    motions: dict[tuple[str, float], Trajectory] = {}
    rows, peers = [], is_installed()
    for what, parameters, step in CASES:
        targets = gait(knots(duration, step), parameters)
        motion = motions[what, step] = simulator.simulate(duration, step, inputs=targets, on_error="status")
        ours, theirs = Timed(simulator, targets, step), MuJoCoRobot(FRICTION, step) if peers else None
        seconds = [ours.seconds(1), theirs.seconds(targets, 1) if theirs else np.nan]
        for _ in range(repeats):
            seconds[0] = min(seconds[0], ours.seconds(1))
            seconds[1] = min(seconds[1], theirs.seconds(targets, 1)) if theirs else np.nan
        depth = max(0.0, -float(feet(motion).min()))
        sunk = way = np.nan
        if theirs:
            other = theirs.run(targets)
            sunk, way = max(0.0, -float(theirs.feet(other).min())), float(other[-1, 1])
        rows.append((what, step, float(motion.iterations[1:].mean()), int(motion.iterations.max()),
                     int((motion.retries > 0).sum()), 1 / seconds[0], 1 / seconds[1], 1e3 * depth, 1e3 * sunk,
                     float(motion.position[-1, 0, 0]), way))  # fmt: skip
    report.note("MuJoCo", "beside it" if peers else "not installed")
    report.table(
        ("", "step s", "iterations", "most", "retries", "steps/s", "MuJoCo", "depth mm", "MuJoCo", "way m", "MuJoCo"),
        rows,
    )
    failed = sum(int(motion.status[-1]) < 0 for motion in motions.values())
    report.equal("runs with a failed step", failed, 0)
    report.at_most("deepest foot, all runs", max(row[7] for row in rows) * 1e-3, 1e-10, "m")
    report.at_most("largest opening of a joint", max(float(m.closure.max()) for m in motions.values()), 1e-9, "m")
    slow = 1e-3 if report.quick else 1e-6  # after one second, or ten
    for step in (1e-3, 1e-2):
        still = motions["stands", step]
        fallen = standing_height() - float(still.position[:, 0, 2].min())
        report.between(f"stands, {step:g} s: the trunk settles by", fallen, 0, 0.02, "m")
        # of steps: a knot's velocities tell of light legs where in the step their strong dampers act
        moved = float(abs(still.position[-1] - still.position[-2]).max())
        report.at_most("      its speed at the end", moved / step, slow, "m/s")
        load = sum(contact.normal_force[-1] for contact in still.contacts.values())
        report.at_most("      forces on the feet / weight - 1", abs(load / (MASS * 9.81) - 1), 1e-4)
        walk = motions["trots", step]
        report.between(f"trots, {step:g} s: way per second", float(walk.position[-1, 0, 0]) / duration, 0.3, 2, "m")
        report.between("      lowest trunk", float(walk.position[:, 0, 2].min()), 0.2, 0.35, "m")
    if report.plot:
        draw(report, motions, rows)
    return report.end()


def draw(report: Report, motions, rows) -> None:
    figure, (left, middle, right) = report.figure(1, 3, width=12)
    walk = motions["trots", 1e-3]
    shown = walk.time <= 1.0
    for name, contact in walk.contacts.items():
        left.plot(walk.time[shown], contact.normal_force[shown], linewidth=0.7, label=name)
    left.set(title="trot: normal forces on the feet [N]", xlabel="time [s]", ylim=(0, 200))
    left.legend(ncols=2)
    middle.plot(walk.time[shown], 1e3 * feet(walk)[shown], linewidth=0.7)
    middle.set(title="trot: heights of the feet [mm]", xlabel="time [s]")
    place, names = np.arange(len(rows)), [f"{row[0]}\n{row[1]:g} s" for row in rows]
    right.bar(place - 0.2, [row[5] / 1e3 for row in rows], 0.4, color=OURS, label="symvi")
    right.bar(place + 0.2, [row[6] / 1e3 for row in rows], 0.4, color=OTHER, label="MuJoCo")
    right.set(title="thousand steps per second, one core", xticks=place, xticklabels=names)
    right.legend()
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
