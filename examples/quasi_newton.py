"""Newton's direction by sweeps needs fewer iterations than quasi-Newton methods, and the midpoint rule keeps energy.

Lee, Liu, Park & Srinivasa 2016, Figs. 2 and 4, in steps of 1 ms. Fig. 2: the energy of ten links over a million steps
of the midpoint rule, whose residual is their discrete recursive Newton-Euler algorithm, beside semi-implicit Euler.
Fig. 4: iterations of 50 links from the paper's start, q + h q', until no equation lacks more than 1e-8 N m s, by
Newton's method, by their impulse-based direction M(q)^-1 f (RIQN), and by Broyden's updates of it; solved here by
textbook equations of a planar chain with dense matrices, and by symvi's sweeps, which take the same motion.
"""

from __future__ import annotations

import numpy as np
from _chains import open_chain
from _planar_chain import PlanarChain
from _report import EXACT, OTHER, OURS, THIRD, Report

from symvi import Simulator, SolverOptions

STEP, LEFT = 1e-3, 1e-8  # [s], [N m s]
ENERGY_LINKS, STEPS, QUICK_STEPS = 10, 1_000_000, 20_000
LINKS, FRAMES, QUICK_FRAMES = 50, 400, 40
MOST = 60  # iterations of a frame
ANGLE = np.pi / 4


def first_slope(chain: PlanarChain, angles: np.ndarray, after: np.ndarray) -> np.ndarray:
    """D1 L_d of the midpoint rule."""
    places, rates = chain.slopes((angles + after) / 2, (after - angles) / STEP)
    return STEP / 2 * places - rates


def last_slope(chain: PlanarChain, angles: np.ndarray, after: np.ndarray) -> np.ndarray:
    """D2 L_d: the momentum that a step leads to."""
    places, rates = chain.slopes((angles + after) / 2, (after - angles) / STEP)
    return STEP / 2 * places + rates


def along_joints(momenta: np.ndarray) -> np.ndarray:
    """Of absolute angles, along those of joints."""
    return np.cumsum(momenta[..., ::-1], axis=-1)[..., ::-1]


class Newton:
    """The exact direction, by complex steps."""

    def begin(self, chain: PlanarChain, angles: np.ndarray) -> None:
        self.chain, self.angles = chain, angles

    def direction(self, after: np.ndarray, lacking: np.ndarray) -> np.ndarray:
        moved = after + 1e-30j * np.eye(len(after))
        slopes = np.imag(first_slope(self.chain, self.angles, moved)).T / 1e-30
        return np.linalg.solve(slopes, -lacking)


class Impulses:
    """RIQN: what impulses f would change at rest, over the step."""

    def begin(self, chain: PlanarChain, angles: np.ndarray) -> None:
        self.inverse = STEP * np.linalg.inv(chain.mass(angles))

    def direction(self, after: np.ndarray, lacking: np.ndarray) -> np.ndarray:
        return self.inverse @ lacking


class Broyden(Impulses):
    """The same with Broyden's updates of rank one, from one iteration to the next."""

    def begin(self, chain: PlanarChain, angles: np.ndarray) -> None:
        super().begin(chain, angles)
        self.inverse, self.last = -self.inverse, None

    def direction(self, after: np.ndarray, lacking: np.ndarray) -> np.ndarray:
        if self.last is not None:
            way, change = after - self.last[0], lacking - self.last[1]
            led = self.inverse @ change
            self.inverse = self.inverse + np.outer(way - led, way @ self.inverse) / (way @ led)
        self.last = after, lacking
        return -self.inverse @ lacking


def frames(method: Newton | Impulses, count: int) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Iterations and angles of every frame, and what the third one lacked after each iteration."""
    chain, angles = PlanarChain(LINKS), np.full(LINKS, ANGLE)
    momentum, rates = np.zeros(LINKS), np.zeros(LINKS)
    iterations, found, falls = [], [angles], []
    for frame in range(count):
        method.begin(chain, angles)
        after = angles + STEP * rates
        made = 0
        while made <= MOST:
            lacking = momentum + first_slope(chain, angles, after)
            largest = float(np.abs(along_joints(lacking)).max())
            if frame == 2:
                falls.append(largest)
            if largest <= LEFT:
                break
            after = after + method.direction(after, lacking)
            made += 1
        iterations.append(made)
        momentum, rates, angles = last_slope(chain, angles, after), (after - angles) / STEP, after
        found.append(angles)
    return np.array(iterations), np.array(found), falls


def absolute_angles(motion) -> np.ndarray:
    """Angles of all links from the vertical, (knots, n)."""
    return np.unwrap(2 * np.arctan2(motion.orientation[:, :, 1], motion.orientation[:, :, 0]), axis=0)


def semi_implicit_euler(steps: int, every: int) -> np.ndarray:
    """Energy of ten links at every so many steps [J]."""
    chain, angles = PlanarChain(ENERGY_LINKS), np.full(ENERGY_LINKS, ANGLE)
    rates, found = np.zeros(ENERGY_LINKS), []
    for step in range(steps + 1):
        if step % every == 0:
            kinetic = rates @ chain.mass(angles) @ rates / 2
            found.append(kinetic - 9.81 * chain.levers @ np.cos(angles))
        rates = rates + STEP * chain.accelerations(angles, rates)
        angles = angles + STEP * rates
    return np.array(found)


def main() -> int:
    report = Report(__doc__)
    count = QUICK_FRAMES if report.quick else FRAMES
    found = {"Newton": frames(Newton(), count), "RIQN": frames(Impulses(), count), "Broyden": frames(Broyden(), count)}
    for name, (iterations, _, _) in found.items():
        report.note(f"iterations of 50 links, {name}: mean", float(iterations.mean()))
    means = {name: float(iterations.mean()) for name, (iterations, _, _) in found.items()}
    report.at_most("iterations, Newton", means["Newton"], 4.0)
    report.at_most("iterations, RIQN (the paper: 5.69)", means["RIQN"], 5.69 + 1.16)
    report.at_most("Newton's iterations over RIQN's", means["Newton"] / means["RIQN"], 1.0)
    simulator = Simulator(open_chain([ANGLE] * LINKS), coordinates="tree", rule="midpoint")
    motion = simulator.simulate(count * STEP, STEP, options=SolverOptions(tolerance=1e-12), record=["coordinates"])
    report.note("iterations of symvi's sweeps, from a cubic", float(motion.iterations[1:].mean()))
    for name, (_, angles, _) in found.items():
        apart = float(np.abs(absolute_angles(motion) - angles).max())
        report.at_most(f"angles of links apart from symvi's, {name}", apart, 1e-6, "rad")
    steps = QUICK_STEPS if report.quick else STEPS
    every = steps // 500
    ten = Simulator(open_chain([ANGLE] * ENERGY_LINKS), coordinates="tree", rule="midpoint")
    energy = ten.simulate(steps * STEP, STEP, every=every, record=["energy"]).energy
    swing = 9.81 * float(PlanarChain(ENERGY_LINKS).levers.sum())
    early, late = (float(np.abs(part - energy[0]).max()) / swing for part in np.array_split(energy, 2))
    report.at_most(f"energy over {steps} steps, of m g h, first half", early, 1e-3)
    report.at_most("the same, second half", late, 1e-3)
    if report.plot:
        draw(report, found, energy / swing, every)
    return report.end()


def draw(report: Report, found, energy: np.ndarray, every: int) -> None:
    figure, (left, middle, right) = report.figure(1, 3)
    short = 20_000
    other = semi_implicit_euler(short, short // 100)
    swing = 9.81 * float(PlanarChain(ENERGY_LINKS).levers.sum())
    times = STEP * every * np.arange(len(energy))
    left.plot(times, energy - energy[0], color=OURS, label="midpoint rule")
    euler = (other - other[0]) / swing
    left.plot(STEP * (short // 100) * np.arange(len(other)), euler, color=OTHER, label="semi-implicit Euler")
    left.set(title="ten links: change of energy, of m g h", xlabel="time [s]")
    left.legend()
    for (name, (iterations, _, falls)), colour in zip(found.items(), (OURS, OTHER, THIRD), strict=True):
        middle.semilogy(falls, "o-", color=colour, label=name, markersize=3)
        right.plot(iterations, color=colour, label=name, linewidth=0.8)
    middle.axhline(LEFT, color=EXACT, linewidth=0.8)
    middle.set(title="50 links, third frame: left [N m s]", xlabel="iteration")
    middle.legend()
    right.set(title="50 links: iterations", xlabel="frame", ylim=(0, None))
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
