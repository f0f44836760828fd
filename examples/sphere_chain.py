"""A chain of spheres that falls on the ground takes time in proportion to its length, and no sphere enters the ground.

Brüdigam, Sosnowski, Manchester & Hirche 2023, Fig. 8b. Spheres of 0.25 m radius and 1 kg, 1 m apart, each held by a
ball joint in the centre of the one before, stand in one line at 45 degrees on the ground, the first one touching it,
and fall over: 500 steps of 0.01 s, friction coefficient 1. In the paper's code the contact sits in the centre of each
sphere; here it sits where the sphere touches, so that friction turns it. A contact with the ground is condensed into
its own body, so the elimination stays that of the chain. CPU time of one core, the smallest of repeated runs.
"""

from __future__ import annotations

from math import cos, pi, sin

import _one_core
import numpy as np
from _report import OURS, THIRD, Report
from _timing import StepTime, time_steps

from symvi import Body, Contact, Joint, Mechanism, Simulator, Sphere, Trajectory

RADIUS, STEP, STEPS, FRICTION = 0.25, 0.01, 500, 1.0
COUNTS, QUICK = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50), (1, 5, 10)
TURNED = (cos(3 * pi / 8), sin(3 * pi / 8), 0.0, 0.0)  # about x by 3/4 pi: the next sphere is up and to the side
LONG = 10  # from so many spheres on the layout is "looped" throughout, so that like is compared with like


def chain(count: int, friction: float = FRICTION) -> Mechanism:
    names = [f"sphere{k + 1}" for k in range(count)]
    return Mechanism(
        name=f"sphere_chain{count}",
        bodies=[
            Body(name=name, mass=1.0, shape=Sphere(radius=RADIUS), orientation=TURNED,
                 position=(0.0, k * sin(pi / 4), RADIUS + k * cos(pi / 4)))
            for k, name in enumerate(names)
        ],
        joints=[
            Joint(name=f"joint{k + 1}", type="spherical", parent=names[k], child=names[k + 1], child_anchor=(0, 0, 1))
            for k in range(count - 1)
        ],
        contacts=[
            Contact(name=f"ground{k + 1}", child=name, radius=RADIUS, friction=friction) for k, name in enumerate(names)
        ],
    )  # fmt: skip


def depth(trajectory: Trajectory) -> float:
    """How deep the deepest sphere is in the ground [m], from the placements alone."""
    return max(0.0, RADIUS - float(trajectory.position[..., 2].min()))


def main() -> int:
    _one_core.pin()
    report = Report(__doc__)
    counts, repeats = (QUICK, 3) if report.quick else (COUNTS, 9)
    times: dict[int, StepTime] = {}
    motions: dict[int, Trajectory] = {}
    for n in counts:
        simulator = Simulator(chain(n), layout="looped" if n >= LONG else "auto")
        motions[n] = simulator.simulate(STEPS * STEP, STEP, on_error="status")
        times[n] = time_steps(simulator, repeats, STEPS, STEP)

    report.table(
        ("spheres", "us per step", "iterations", "most", "retries", "ns/sphere/it", "closure m", "depth m"),
        [
            (n, t.minimum * 1e6, t.iterations, int(motions[n].iterations.max()), int((motions[n].retries > 0).sum()),
             t.per_iteration / n * 1e9, float(motions[n].closure.max()), depth(motions[n]))
            for n, t in times.items()
        ],
    )  # fmt: skip
    short = sum(len(motion) < STEPS + 1 or int(motion.status.min()) < 0 for motion in motions.values())
    report.equal("chains with a failed step", short, 0)
    report.at_most("deepest penetration, all chains", max(map(depth, motions.values())), 1e-10, "m")
    report.at_most("largest opening of a joint", max(float(m.closure.max()) for m in motions.values()), 1e-10, "m")
    flat = [t.per_iteration / n for n, t in times.items() if n >= min(LONG, counts[-1])]
    report.at_most(f"time per sphere and iteration, n >= {LONG}, max/min", max(flat) / min(flat), 1.1)
    if report.plot:
        draw(report, times, motions[counts[-1]])
    return report.end()


def draw(report: Report, times: dict[int, StepTime], motion: Trajectory) -> None:
    figure, (left, right) = report.figure(1, 2)
    counts = list(times)
    left.plot(counts, [t.minimum * 1e6 for t in times.values()], "o-", color=OURS, markersize=3, label="a step")
    left.plot(counts, [t.per_iteration * 1e6 for t in times.values()], "o-", color=THIRD, markersize=3,
              label="an iteration")  # fmt: skip
    left.set(title="CPU time [us]", xlabel="spheres", xlim=(0, None), ylim=(0, None))
    left.legend()
    for k, shade in zip(np.linspace(0, STEPS, 6).astype(int), np.linspace(0.25, 1, 6), strict=True):
        _, y, z = motion.position[k].T
        right.plot(y, z, "o-", color=OURS, alpha=shade, markersize=3, linewidth=0.8)
    right.set(title="centres, every second [m]", xlabel="m")
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
