"""A block sticks or slides where tan(theta) says so, on slopes of any heading; turning the whole scene changes nothing.

A flat block of 1 kg with four contacts rests on a slope and is let go. It stays below tan(theta) = c_f and slides above
it, with the acceleration g (sin(theta) - c_f cos(theta)). The threshold is found by halving, in headings all around.
A whole scene, slope, block, push and gravity, is then turned at random: the circular (second-order) cone gives the same
motion. The papers' linear cone with n directions is a pyramid: between its directions its friction is weaker by up to
1 - cos(pi/n) of the coefficient, and it turns a sliding block away. On level ground a block stops after v^2/(2 c_f g).
"""

from __future__ import annotations

from math import atan, atan2, cos, pi, sin

import numpy as np
from _contacts import GRAVITY, Cone
from _report import EXACT, OTHER, OURS, THIRD, Report

from symvi import Body, Box, Contact, Mechanism, Simulator, SolverOptions, State, Trajectory

FRICTION, STEP, HALF_THICKNESS = 0.5, 0.01, 0.05
TOLERANCE = 1e-8
FINE = SolverOptions(complementarity=TOLERANCE)
LEVEL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Scene:
    """A plane through the origin with a block on it. axes: the plane's two directions and its normal, in the world."""

    def __init__(self, axes, cone: Cone = "second_order", directions: int = 4, friction: float = FRICTION):
        self.axes = np.array(axes, float)
        size = (0.4, 0.4, 2 * HALF_THICKNESS)
        feet = [(x, y, -HALF_THICKNESS) for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
        self.mechanism = Mechanism(
            name="incline",
            bodies=[Body(name="block", mass=1.0, shape=Box(size=size), position=tuple(HALF_THICKNESS * self.axes[2]),
                         orientation=quaternion(self.axes.T))],
            contacts=[
                Contact(name=f"foot{k}", child="block", child_anchor=foot, normal=tuple(self.axes[2]),
                        friction=friction, cone=cone, directions=directions)
                for k, foot in enumerate(feet)
            ],
        )  # fmt: skip
        self.simulator = Simulator(self.mechanism)

    def run(self, gravity, velocity, time: float, options: SolverOptions = FINE, step: float = STEP) -> Trajectory:
        """Let go with a velocity. gravity and velocity: components along the plane's axes [m/s^2, m/s]."""
        self.simulator.set_parameter("gravity", np.asarray(gravity) @ self.axes)
        start = State(
            0.0,
            [HALF_THICKNESS * self.axes[2]],
            [quaternion(self.axes.T)],
            [np.asarray(velocity) @ self.axes],
            np.zeros((1, 3)),
            ("block",),
        )
        return self.simulator.simulate(time, step, start=start, options=options)

    def path(self, motion: Trajectory) -> np.ndarray:
        """(N, 3): where the block is, along the plane's axes [m]."""
        return motion.position[:, 0] @ self.axes.T


def quaternion(rotation: np.ndarray) -> tuple[float, ...]:
    """(w, x, y, z) of a rotation matrix that turns by less than a half turn."""
    w = np.sqrt(max(0.0, 1 + np.trace(rotation))) / 2
    x, y, z = (rotation[k] for k in ((2, 1), (0, 2), (1, 0)))
    return tuple(np.array([w, *((a - b) / (4 * w) for a, b in ((x, rotation[1, 2]), (y, rotation[2, 0]),
                                                             (z, rotation[0, 1])))]))  # fmt: skip


def turned(generator: np.random.Generator) -> np.ndarray:
    """Three axes at right angles in a random direction, right-handed, less than a half turn from the world's."""
    q = generator.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q) * (1 if q[0] > 0 else -1)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
        [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
        [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def slope(angle: float, heading: float) -> tuple[float, float, float]:
    """Gravity on a slope that falls by an angle towards a heading, along the plane's axes [m/s^2]."""
    return GRAVITY * sin(angle) * cos(heading), GRAVITY * sin(angle) * sin(heading), -GRAVITY * cos(angle)


def threshold(scene: Scene, heading: float) -> float:
    """The tangent of the steepest slope on which the block stays, found by halving: it creeps, or it gains speed."""
    low, high = 0.5 * FRICTION, 1.1 * FRICTION
    while high - low > 2e-5 * FRICTION:
        middle = (low + high) / 2
        path = scene.path(scene.run(slope(atan(middle), heading), (0, 0, 0), 0.5))
        first, second = (np.linalg.norm(path[k] - path[k - 10]) for k in (25, 50))
        low, high = (low, middle) if second > 1.5 * first and second > 1e-7 else (middle, high)
    return (low + high) / 2


def slide(scene: Scene, heading: float, angle: float = 0.0, time: float = 1.0) -> np.ndarray:
    """Path along the plane's axes of a block that is pushed with 2 m/s on level ground or a slope (falling along y)."""
    return scene.path(scene.run(slope(angle, pi / 2), (2 * cos(heading), 2 * sin(heading), 0.0), time))


def deviation(path: np.ndarray, heading: float) -> float:
    """The angle between where a block came to and where it was pushed [rad]."""
    x, y, _ = path[-1] - path[0]
    return abs(atan2(y * cos(heading) - x * sin(heading), x * cos(heading) + y * sin(heading)))


def main() -> int:
    report = Report(__doc__)
    generator = np.random.default_rng(1)
    level = Scene(LEVEL)
    headings = np.arange(3 if report.quick else 12) * (2 * pi / 12) + 0.1
    found = np.array([threshold(level, heading) for heading in headings])
    report.note("tolerance", TOLERANCE)
    report.at_most("tan(theta) at the threshold / c_f - 1, all headings", abs(found / FRICTION - 1).max(), 1e-3)

    steep, push = 0.6, 0.3  # rad: it slides
    here = slide(level, push, steep)
    worst, other = 0.0, []
    for _ in range(2 if report.quick else 5):
        scene = Scene(turned(generator))
        worst = max(worst, abs(slide(scene, push, steep) - here).max())
        other.append(threshold(scene, headings[0]))
    report.at_most("paths after turning the whole scene, difference", worst, 1e-6, "m")
    report.at_most("threshold after turning the whole scene / c_f - 1", abs(np.array(other) / FRICTION - 1).max(), 1e-3)

    down = level.path(level.run(slope(steep, pi / 2), (0, 0, 0), 1.0))
    exact = GRAVITY * (sin(steep) - FRICTION * cos(steep)) / 2
    report.at_most("let go on a steep slope, after 1 s: error of the path", abs(down[-1, 1] - exact), 1e-4, "m")

    around = np.linspace(0, pi / 2, 4 if report.quick else 13)
    exact = 4 / (2 * FRICTION * GRAVITY)
    ours = [slide(level, heading) for heading in around]
    report.at_most("circular cone: largest turn of a sliding block", max(map(deviation, ours, around)), 1e-8, "rad")
    lengths = np.array([np.linalg.norm(path[-1] - path[0]) for path in ours])
    report.at_most("circular cone: stopping distance - v^2/(2 c_f g)", abs(lengths - exact).max(), 1e-4, "m")
    curves = {}
    for directions in (4, 8, 16):
        scene = Scene(LEVEL, "linear", directions)
        paths = [slide(scene, heading) for heading in around]
        bound = 1 - cos(pi / directions)
        weakest = np.array([threshold(scene, pi / directions), threshold(scene, 0.0)])
        loss = 1 - weakest[0] / FRICTION
        report.at_most(f"linear cone, {directions} sides: 1 - tan(theta)/c_f, at its weakest", loss, bound + 1e-3)
        report.at_most("      the same along one of them", abs(weakest[1] / FRICTION - 1), 1e-3)
        longest = max(np.linalg.norm(path[-1] - path[0]) for path in paths)
        report.note("      stopping distance, longest / exact", float(longest / exact))
        report.note(
            "      largest turn of a sliding block", float(np.degrees(max(map(deviation, paths, around)))), "deg"
        )
        curves[directions] = [np.linalg.norm(path[-1] - path[0]) / exact for path in paths]
    if report.plot:
        draw(report, around, lengths / exact, curves, headings, found)
    return report.end()


def draw(report: Report, around, ours, curves, headings, found) -> None:
    figure, (left, right) = report.figure(1, 2)
    left.axhline(0, color=EXACT, linewidth=0.8)
    left.plot(np.degrees(headings), found / FRICTION - 1, "o", color=OURS, markersize=3)
    left.set(title="tan(theta) at the threshold / c_f - 1", xlabel="heading of the slope [deg]", ylim=(-1e-3, 1e-3))
    for (directions, values), color in zip(curves.items(), (OTHER, THIRD, EXACT), strict=True):
        right.plot(np.degrees(around), values, "o-", color=color, markersize=3, label=f"linear, {directions} sides")
    right.plot(np.degrees(around), ours, "o-", color=OURS, markersize=3, label="circular")
    right.set(title="stopping distance / (v^2/(2 c_f g))", xlabel="heading of the push [deg]")
    right.legend()
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
