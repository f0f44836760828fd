"""Boxes thrown in every way come to rest on a face: no step fails, no corner enters the ground, at any step size.

A cube of 0.5 m and 1 kg with a contact in each corner is thrown from a random height, turned at random, with random
velocities, 5 s in steps of 0.1, 0.05, 0.01 and 0.005 s (after the box toss of Dojo's tests, with one start). Friction
coefficients are drawn from 0.1 to 1; then from 1 to 2, where solutions of rigid contact need not be unique and a step
may need another start or fail: such a step says so and leaves the state as it was. Corners' heights are computed from
the placement alone.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from _contacts import EDGE, GRAVITY, corner_heights, cube
from _report import OTHER, OURS, THIRD, Report

from symvi import Simulator, SpinWarning, State, Trajectory

DURATION, STEPS = 5.0, (0.1, 0.05, 0.01, 0.005)
USUAL, ROUGH = (0.1, 1.0), (1.0, 2.0)  # ranges of the coefficient of friction
SPIN = 5.0  # rad/s, at most: faster, a box turns by more than a half turn in a step of 0.1 s once it has hit the ground


class Toss(NamedTuple):
    """What became of a toss: whether a step failed, steps, those with retries, iterations in all and most in a step.

    depth: of the deepest corner at any knot [m]. At the end, which is rest: speed, the larger of the centre's and of an
    edge's length that turns [m/s]; tilt, height of the centre above half an edge [m].
    """

    failed: bool
    steps: int
    retries: int
    iterations: int
    most: int
    depth: float
    speed: float
    tilt: float


def random_start(generator: np.random.Generator) -> State:
    """A box that touches nothing."""
    turned = generator.normal(size=4)
    axis = generator.normal(size=3)
    return State(
        0.0,
        [[0.0, 0.0, generator.uniform(0.75, 1.75)]],
        [turned / np.linalg.norm(turned)],
        generator.normal(size=(1, 3)) * (1.0, 1.5, 1.0),
        [axis / np.linalg.norm(axis) * generator.uniform(0.0, SPIN)],
        ("cube",),
    )


def throw(simulator: Simulator, start: State, friction: float, step: float) -> tuple[Trajectory, Toss]:
    simulator.set_parameter("ground.friction", friction)
    motion = simulator.simulate(DURATION, step, start=start, on_error="status")
    lowest = corner_heights(motion.position[:, 0], motion.orientation[:, 0]).min()
    return motion, Toss(
        failed=bool(motion.status[-1] < 0),
        steps=len(motion) - 1,
        retries=int((motion.retries > 0).sum()),
        iterations=int(motion.iterations[1:].sum()),
        most=int(motion.iterations.max()),
        depth=max(0.0, -float(lowest)),
        speed=float(max(abs(motion.velocity[-1]).max(), EDGE * abs(motion.angular_velocity[-1]).max())),
        tilt=float(motion.position[-1, 0, 2] - EDGE / 2),
    )


def tosses(simulator: Simulator, count: int, friction: tuple[float, float], step: float) -> list[Toss]:
    """The same starts for every step size."""
    generator = np.random.default_rng(1)
    draws = [(random_start(generator), generator.uniform(*friction)) for _ in range(count)]
    return [throw(simulator, start, coefficient, step)[1] for start, coefficient in draws]


def main() -> int:
    report = Report(__doc__)
    warnings.simplefilter("ignore", SpinWarning)  # in steps of 0.1 s boxes turn by half a radian, 4 % too far
    simulator = Simulator(cube(0.5))
    count = 25 if report.quick else 500
    results = {
        (most, step): tosses(simulator, count, (least, most), step) for least, most in (USUAL, ROUGH) for step in STEPS
    }
    report.note("tosses for each step size", count)
    report.table(
        ("friction up to", "step s", "steps", "failed", "with retries", "iterations", "most", "depth m", "speed m/s",
         "tilt m"),
        [
            (most, step, sum(t.steps for t in found), sum(t.failed for t in found), sum(t.retries for t in found),
             sum(t.iterations for t in found) / sum(t.steps for t in found), max(t.most for t in found),
             max(t.depth for t in found), max(t.speed for t in found if not t.failed),
             max(t.tilt for t in found if not t.failed))
            for (most, step), found in results.items()
        ],
    )  # fmt: skip
    usual = [t for (most, _), found in results.items() if most == USUAL[1] for t in found]
    rough = [t for (most, _), found in results.items() if most == ROUGH[1] for t in found]
    report.equal("friction up to 1: failed steps", sum(t.failed for t in usual), 0)
    report.at_most("deepest penetration of a corner, all friction", max(t.depth for t in usual + rough), 1e-10, "m")
    for what, unit, power in (("speed", "g h", 1), ("tilt", "g h^2", 2)):
        ended = [
            getattr(t, what) / (GRAVITY * step**power)
            for (most, step), found in results.items()
            for t in found
            if most == USUAL[1] and not t.failed
        ]
        report.at_most(f"friction up to 1: largest {what} at the end / ({unit})", max(ended), 5e-6)
    report.note("friction up to 2: steps with retries", sum(t.retries for t in rough))
    share = sum(t.failed for t in rough) / sum(t.steps for t in rough)
    report.at_most("friction up to 2: share of failed steps", share, 1e-4)
    if report.plot:
        draw(report, simulator, results)
    return report.end()


def draw(report: Report, simulator: Simulator, results) -> None:
    figure, (left, right) = report.figure(1, 2)
    generator = np.random.default_rng(1)
    for _ in range(8):
        motion, _ = throw(simulator, random_start(generator), 0.3, 0.01)
        left.plot(motion.time, motion.position[:, 0, 2], color=OURS, linewidth=0.8)
    left.axhline(EDGE / 2, color=OTHER, linestyle="--", linewidth=0.8)
    left.set(title="height of the centre [m], friction 0.3", xlabel="time [s]")
    for most, color in ((USUAL[1], OURS), (ROUGH[1], THIRD)):
        mean = [sum(t.iterations for t in results[most, step]) / sum(t.steps for t in results[most, step])
                for step in STEPS]  # fmt: skip
        right.semilogx(STEPS, mean, "o-", color=color, markersize=3, label=f"friction up to {most:g}")
    right.set(title="iterations per step", xlabel="step [s]", ylim=(0, None))
    right.legend()
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
