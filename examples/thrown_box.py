"""A box is thrown so that it comes to rest on a mark, after it has tumbled: Newton's method through all its contacts.

What is looked for are the two horizontal speeds of the throw. How the place where the box lies changes with them is the
gradient of the whole motion, by the adjoint, with impacts, edges and friction smoothed: much at first, so that it tells
the trend, and less from step to step. A step that brings the box no nearer to the mark is halved. Where the box lies
jumps where it falls onto another face, and beside such a jump no step may help, or a step of the motion cannot be
smoothed: then throws around the best one are tried, and the search goes on from those that end nearest to the mark.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from _report import EXACT, OURS, Report

from symvi import Body, Box, Contact, Mechanism, Simulator, SolverError, State

STEP, TIME = 0.01, 1.2  # s
SIZE = (0.3, 0.2, 0.15)  # m
MARK = np.array([1.2, 0.4])  # m
GUESS = np.array([1.5, 0.2])  # m/s
OTHERS = [(1.6, 0.2), (1.4, 0.2), (1.7, 0.3), (1.2, 0.1), (1.0, 0.5)]  # m/s, that lead there as well
SPIN = (2.0, 4.0, 1.0)  # rad/s, of the throw
SMOOTHINGS = (1.0, 1e-1, 1e-2, 1e-4, 1e-8)
MOST = 5  # changes of the throw with one smoothing
RINGS = (0.03, 0.06, 0.12, 0.25)  # m/s, how far around the best throw others are tried
ON = 1e-10  # m: that near the box lies on the mark


def thrown_box() -> Mechanism:
    """A box with a contact in each corner."""
    body = Body(name="box", mass=1.0, shape=Box(size=SIZE), position=(0.0, 0.0, 0.5))
    half = 0.5 * np.array(SIZE)
    corners = [(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    contacts = [
        Contact(name=f"corner_{k}", child="box", child_anchor=tuple(half * corner), friction=0.4)
        for k, corner in enumerate(corners)
    ]
    return Mechanism(name="thrown_box", bodies=[body], contacts=contacts)


def thrown(speeds: np.ndarray, time: float = 0.0) -> State:
    """The start of a throw."""
    return State(time, [[0.0, 0.0, 0.5]], [[1.0, 0.0, 0.0, 0.0]], [[*speeds, 1.0]], [SPIN], ("box",))


def slopes(simulator: Simulator, speeds: np.ndarray, smoothing: float) -> np.ndarray:
    """(2, 2) what the place at the end changes by, along and across, by the speeds of the throw."""
    rows = []
    for k in range(2):

        def loss(x: np.ndarray, u: np.ndarray, k: int = k):
            by_x = np.zeros_like(x)
            by_x[-1, k] = 1.0
            return x[-1, k], by_x

        found = simulator.gradient(loss, TIME, STEP, start=thrown(speeds), smoothing=smoothing)
        rows.append([found.start[found.names.index(f"box.position[{j}].rate")] for j in range(2)])
    return np.array(rows)


def way(simulator: Simulator, speeds: np.ndarray) -> np.ndarray:
    """(N + 1, 3): where the centre of the box goes."""
    return simulator.simulate(TIME, STEP, start=thrown(speeds)).position[:, 0]


def off(simulator: Simulator, speeds: np.ndarray) -> np.ndarray:
    """How far from the mark the box lies."""
    return way(simulator, speeds)[-1, :2] - MARK


def distance(simulator: Simulator, speeds: np.ndarray) -> float:
    """The same as one number."""
    return float(np.linalg.norm(off(simulator, speeds)))


@dataclass
class Search:
    """From throw to throw. rows: what was tried and brought the box nearer."""

    simulator: Simulator
    rows: list[tuple] = field(default_factory=list)
    gradients: int = 0

    def run(self, guess: np.ndarray) -> np.ndarray:
        """The throw that ends nearest to the mark, of those that were found."""
        best = self.followed(guess)
        for radius in RINGS:
            if distance(self.simulator, best) < ON:
                break
            turns = np.linspace(0.0, 2 * np.pi, 12, endpoint=False)
            ring = [best + radius * np.array([np.cos(turn), np.sin(turn)]) for turn in turns]
            ring.sort(key=lambda speeds: distance(self.simulator, speeds))
            found = [best]
            for speeds in ring[:3]:
                found.append(self.followed(speeds))
                if distance(self.simulator, found[-1]) < ON:
                    break
            best = min(found, key=lambda speeds: distance(self.simulator, speeds))
        return best

    def followed(self, speeds: np.ndarray) -> np.ndarray:
        """Newton's method from one throw on, with less and less smoothing."""
        for smoothing in SMOOTHINGS:
            for _ in range(MOST):
                left = off(self.simulator, speeds)
                if np.linalg.norm(left) < ON:
                    return speeds
                try:
                    change = -np.linalg.solve(slopes(self.simulator, speeds, smoothing), left)
                except SolverError:  # a step that cannot be smoothed so far: less
                    break
                self.gradients += 1
                nearer = self.nearer(speeds, change, smoothing)
                if nearer is None:
                    break
                speeds = nearer
        return speeds

    def nearer(self, speeds: np.ndarray, change: np.ndarray, smoothing: float) -> np.ndarray | None:
        """The throw with a share of a change that brings the box nearer; None where no share does."""
        before = distance(self.simulator, speeds)
        for share in 0.5 ** np.arange(8):
            there = speeds + share * change
            after = distance(self.simulator, there)
            if after < (1 - 0.1 * share) * before:
                self.rows.append((smoothing, float(share), *there.tolist(), after))
                return there
        return None


def main() -> int:
    report, simulator = Report(__doc__), Simulator(thrown_box())
    search = Search(simulator)
    speeds = search.run(GUESS)
    report.table(("smoothing", "share", "along m/s", "across m/s", "off m"), search.rows)
    motion = simulator.simulate(TIME, STEP, start=thrown(speeds))
    report.note("off the mark at first", distance(simulator, GUESS), "m")
    report.at_most("off the mark at the end", distance(simulator, speeds), 1e-8, "m")
    report.at_most("gradients that this took", search.gradients, 40)
    report.note("speed of the box at the end", float(np.linalg.norm(motion.velocity[-1, 0])), "m/s")
    gaps = [motion.curves[f"corner_{k}.gap"].min() for k in range(8)]
    report.at_most("deepest corner, below the ground", float(-min(gaps)), 1e-9, "m")
    if not report.quick:
        ends = [distance(simulator, Search(simulator).run(np.array(guess))) for guess in OTHERS]
        report.at_most("off the mark at the end, from five other guesses", max(ends), 1e-8, "m")
    if report.plot:
        figure, (side, top) = report.figure(1, 2)
        tried = [GUESS, *(np.array(row[2:4]) for row in search.rows)]
        for k, path in enumerate(way(simulator, each) for each in (*tried, speeds)):
            style = {"color": OURS, "alpha": 1.0} if k == len(tried) else {"color": EXACT, "alpha": 0.35}
            side.plot(path[:, 0], path[:, 2], **style)
            top.plot(path[:, 0], path[:, 1], **style)
        side.axvline(MARK[0], color="black", linewidth=0.8, linestyle=":")
        top.plot(*MARK, "x", color="black")
        side.set(title="height of the centre [m]", xlabel="along [m]")
        top.set(title="across [m]", xlabel="along [m]")
        report.save(figure)
    return report.end()


if __name__ == "__main__":
    raise SystemExit(main())
