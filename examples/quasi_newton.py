"""Newton's direction by sweeps needs fewer iterations than quasi-Newton methods, and the midpoint rule keeps energy.

Lee, Liu, Park & Srinivasa 2016, Figs. 2 to 4, in steps of 1 ms. Fig. 2: the energy of ten links over a million steps
of the midpoint rule, whose residual is their discrete recursive Newton-Euler algorithm, beside semi-implicit Euler.
Fig. 4: iterations of 50 links from the paper's start, q + h q', until no equation lacks more than 1e-8 N m s, by
Newton's method, by their impulse-based direction M(q)^-1 f (RIQN), and by Broyden's updates of it: by symvi's sweeps,
which have them as `solver`, and by textbook equations of a planar chain with dense matrices, which take the same
motion. The three starts of Section 3.3 are compared with dense matrices: q, q + h q', which is symvi's without
`extrapolate`, and semi-implicit Euler by accelerations. Fig. 3: processor time of a frame of 2 to 100 links without
gravity, by symvi's steps of order 2, by its midpoint rule with each solver, and by Newton's method with dense matrices
in NumPy, whose time grows faster.
"""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

import _one_core
import numpy as np
from _chains import open_chain
from _planar_chain import PlanarChain
from _report import EXACT, OTHER, OURS, THIRD, Report
from _timing import time_steps

from symvi import Mechanism, Simulator, SolverOptions

STEP, LEFT = 1e-3, 1e-8  # [s], [N m s]
ENERGY_LINKS, STEPS, QUICK_STEPS = 10, 1_000_000, 20_000
LINKS, FRAMES, QUICK_FRAMES = 50, 400, 40
MOST = 60  # iterations of a frame
SOLVERS = {"Newton": "newton", "RIQN": "riqn", "Broyden": "broyden"}
NEAR = 1e-6  # rad/s: change of a rate that the sweeps leave where dense matrices leave LEFT, or less
COUNTS, QUICK_COUNTS = (2, 5, 10, 20, 50, 100), (2, 10, 20)
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


STARTS: dict[str, Callable[[PlanarChain, np.ndarray, np.ndarray], np.ndarray]] = {
    "q": lambda chain, angles, rates: angles,
    "q + h q'": lambda chain, angles, rates: angles + STEP * rates,
    "by accelerations": lambda chain, angles, rates: (
        angles + STEP * (rates + STEP * chain.accelerations(angles, rates))
    ),
}


def frames(
    method: Newton | Impulses, count: int, start: str = "q + h q'", links: int = LINKS
) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Iterations and angles of every frame, and what the third one lacked after each iteration."""
    chain, angles = PlanarChain(links), np.full(links, ANGLE)
    momentum, rates = np.zeros(links), np.zeros(links)
    iterations, found, falls = [], [angles], []
    for frame in range(count):
        method.begin(chain, angles)
        after = STARTS[start](chain, angles, rates)
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


def turning(count: int) -> Mechanism:
    """Links in one line without gravity, the first of which turns."""
    chain = open_chain([0.0] * count).changed(gravity=(0, 0, 0))
    first, *others = chain.joints
    return chain.changed(joints=[first.changed(velocity=1.0), *others])


def times(report: Report) -> dict[str, list[tuple[int, float]]]:
    """By method: (links, us) of a frame: Fig. 3."""
    rules: dict[str, tuple[str | None, str]] = {"order 2": (None, "newton")}
    rules |= {f"midpoint, {name}": ("midpoint", solver) for name, solver in SOLVERS.items()}
    found: dict[str, list[tuple[int, float]]] = {name: [] for name in rules}
    each: dict[int, float] = {}  # s: of a link in an iteration, by order 2; more links take more iterations
    for links in QUICK_COUNTS if report.quick else COUNTS:
        for name, (rule, solver) in rules.items():
            simulator = Simulator(turning(links), coordinates="tree", rule=rule, solver=solver)
            taken = time_steps(simulator, repeats=5, steps=1000, step=STEP)
            found[name].append((links, 1e6 * taken.minimum))
            if rule is None:
                each[links] = taken.per_iteration / links
        before, few = thread_time(), 10 if links > 20 else 40
        frames(Newton(), few, links=links)
        found.setdefault("Newton, dense", []).append((links, 1e6 * (thread_time() - before) / few))
    report.table(
        ("us, links", *found),
        [(rows[0][0], *(us for _, us in rows)) for rows in zip(*found.values(), strict=True)],
    )
    own = dict(found["order 2"])
    report.at_most("a frame of ten links", own[10], 3.0, "us")
    last = max(own)
    bound = 2.0 if report.quick else 1.3
    report.at_most(f"time of a link and iteration, of {last} against those of 10", each[last] / each[10], bound)
    return found


def main() -> int:
    _one_core.pin()
    report = Report(__doc__)
    count = QUICK_FRAMES if report.quick else FRAMES
    found = {"Newton": frames(Newton(), count), "RIQN": frames(Impulses(), count), "Broyden": frames(Broyden(), count)}
    for name, (iterations, _, _) in found.items():
        report.note(f"iterations of 50 links with dense matrices, {name}: mean", float(iterations.mean()))
    means = by_sweeps(report, found, count)
    report.at_most("iterations, Newton", means["Newton"], 4.0)
    report.at_most("iterations, RIQN (the paper: 5.69)", means["RIQN"], 5.69 + 1.16)
    report.at_most("Newton's iterations over RIQN's", means["Newton"] / means["RIQN"], 1.0)
    by_start = {start: float(frames(Impulses(), count, start)[0].mean()) for start in STARTS}
    for start, mean in by_start.items():
        report.note(f"iterations, RIQN, from {start}", mean)
    report.at_most("those by accelerations, over those from q", by_start["by accelerations"] / by_start["q"], 1.0)
    took = times(report)
    steps = QUICK_STEPS if report.quick else STEPS
    every = steps // 500
    ten = Simulator(open_chain([ANGLE] * ENERGY_LINKS), coordinates="tree", rule="midpoint")
    energy = ten.simulate(steps * STEP, STEP, every=every, record=["energy"]).energy
    swing = 9.81 * float(PlanarChain(ENERGY_LINKS).levers.sum())
    early, late = (float(np.abs(part - energy[0]).max()) / swing for part in np.array_split(energy, 2))
    report.at_most(f"energy over {steps} steps, of m g h, first half", early, 1e-3)
    report.at_most("the same, second half", late, 1e-3)
    if report.plot:
        draw(report, found, energy / swing, every, took)
    return report.end()


def by_sweeps(report: Report, found, count: int) -> dict[str, float]:
    """Mean iterations of symvi's solvers from q + h q', whose motions are those of dense matrices."""
    means = {}
    for name, solver in SOLVERS.items():
        simulator = Simulator(open_chain([ANGLE] * LINKS), coordinates="tree", rule="midpoint", solver=solver)
        for start, extrapolate in (("q + h q'", False), ("a cubic", True)):
            options = SolverOptions(tolerance=NEAR, extrapolate=extrapolate)
            motion = simulator.simulate(count * STEP, STEP, options=options, record=["coordinates"])
            means.setdefault(name, float(motion.iterations[1:].mean()))
            report.note(f"iterations of symvi's sweeps, {name}, from {start}", float(motion.iterations[1:].mean()))
        close = SolverOptions(tolerance=1e-12)
        motion = simulator.simulate(count * STEP, STEP, options=close, record=["coordinates"])
        apart = float(np.abs(absolute_angles(motion) - found[name][1]).max())
        report.at_most(f"angles of links, sweeps apart from dense matrices, {name}", apart, 1e-6, "rad")
    return means


def draw(report: Report, found, energy: np.ndarray, every: int, took) -> None:
    figure, ((left, corner), (middle, right)) = report.figure(2, 2, height=6.0)
    for (name, rows), style in zip(took.items(), ("o-", "s-", "^-", "v-", "o--"), strict=True):
        corner.loglog(*zip(*rows, strict=True), style, markersize=3, label=name)
    corner.set(title="time of a frame [us]", xlabel="links")
    corner.legend()
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
