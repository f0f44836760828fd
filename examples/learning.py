"""A quadruped learns to walk by trial and error: a hundred episodes of ten seconds, in half a minute on one core.

BSMH23 Fig. 13. A gait has five numbers: frequency, and amplitude and centre of thighs and calves. From standing, each
episode tries another gait; it is kept if the robot came further than with the best one so far. What was tried is drawn
at random, more and more narrowly after each failure; after a success the next gait goes further the same way. An
episode fails if the trunk sinks to the ground or a step fails. Rule and numbers are those of the paper's published code
(steps of 1 ms, friction coefficient 0.2, 100 episodes); its random numbers cannot be had again, so that several seeds
are run. The paper's robot came 12 m far, with forces of friction that did not turn the calves; here they do.
"""

from __future__ import annotations

from time import process_time

import numpy as np
from _quadruped import STAND, feet, gait, knots, quadruped
from _report import EXACT, OURS, Report

from symvi import Simulator

STEP, DURATION, EPISODES, FRICTION, PAPER = 1e-3, 10.0, 100, 0.2, 12.0
FREQUENCY = 10.0  # Hz per unit of the paper's first number
START = (0.1, *STAND[1:])


class Robot:
    """Runs episodes."""

    def __init__(self, duration: float):
        self.simulator = Simulator(quadruped(FRICTION))
        self.times, self.duration = knots(duration, STEP), duration
        self.failed = self.steps = 0
        self.depth = 0.0

    def way(self, gait_numbers: np.ndarray) -> float:
        """How far the robot comes [m]; minus infinity where it falls, or a step fails."""
        targets = gait(self.times, (FREQUENCY * gait_numbers[0], *gait_numbers[1:]))
        motion = self.simulator.simulate(self.duration, STEP, inputs=targets, every=50, on_error="status")
        self.steps += round(motion.time[-1] / STEP)
        self.depth = max(self.depth, -float(feet(motion).min()))
        if motion.status[-1] < 0:
            self.failed += 1
            return -np.inf
        return float(motion.position[-1, 0, 0]) if motion.position[:, 0, 2].min() > 0 else -np.inf


def learn(robot: Robot, episodes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(best way after each episode [m], best gait)."""
    generator = np.random.default_rng(seed)
    best, furthest, last, width, curve = np.array(START), robot.way(np.array(START)), None, 1.0, []
    for _ in range(episodes):
        if last is None:
            change = 0.1 * width * generator.normal(size=5)
        else:
            change = 0.002 * generator.normal(size=5) + 0.01 * last / np.linalg.norm(last)
        way = robot.way(best + change)
        if way > furthest:
            best, furthest, last, width = best + change, way, change, 1.0
        else:
            last, width = None, 0.9 * width
        curve.append(furthest)
    return np.array(curve), best


def main() -> int:
    report = Report(__doc__)
    duration, episodes, seeds = (2.0, 8, 1) if report.quick else (DURATION, EPISODES, 10)
    robot = Robot(duration)
    before = process_time()
    found = [learn(robot, episodes, seed) for seed in range(seeds)]
    seconds = (process_time() - before) / seeds
    ways = np.array([curve[-1] for curve, _ in found])
    names = ("seed", "way m", "f Hz", "A thigh", "C thigh", "A calf", "C calf")
    report.table(names, [(k, float(curve[-1]), FREQUENCY * float(p[0]), *map(float, p[1:]))
                         for k, (curve, p) in enumerate(found)])  # fmt: skip
    report.note(f"{episodes} episodes of {duration:g} s take, CPU time", seconds, "s")
    report.note("steps per second of the whole, on one core", robot.steps / (seconds * seeds))
    report.equal("episodes with a failed step", robot.failed, 0)
    report.at_most("deepest foot", robot.depth, 1e-10, "m")
    report.at_most("the robot comes further than at first: seeds without", float((ways < 0.01).sum()), 0)
    if not report.quick:
        report.between("median of all seeds (paper: 12 m)", float(np.median(ways)), PAPER, np.inf, "m")
        report.note("furthest of all seeds", float(ways.max()), "m")
        report.note("seeds that come as far as the paper", int((ways >= PAPER).sum()))
    if report.plot:
        draw(report, found)
    return report.end()


def draw(report: Report, found) -> None:
    figure, axes = report.figure(1, 1, width=5)
    for curve, _ in found:
        axes.plot(np.arange(1, len(curve) + 1), curve, color=OURS, linewidth=0.9)
    axes.axhline(PAPER, color=EXACT, linestyle="--", linewidth=0.8, label="paper, after 100 episodes")
    axes.set(title="way in 10 s [m], ten seeds", xlabel="episodes")
    axes.legend()
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
