"""A box is thrown so that it comes to rest on a mark, after it has tumbled: Newton's method through all its contacts.

What is looked for are the two horizontal speeds of the throw. How the place where the box lies changes with them is the
gradient of the whole motion, by the adjoint, with impacts, edges and friction smoothed: much at first, so that it tells
the trend, and less from step to step. A step that brings the box no nearer to the mark is halved. Not every first guess
gets there: from 1.7 m/s along, a step of the motion cannot be smoothed at all.
"""

from __future__ import annotations

import numpy as np
from _report import EXACT, OURS, Report

from symvi import Body, Box, Contact, Mechanism, Simulator, SolverError, State

STEP, TIME = 0.01, 1.2  # s
SIZE = (0.3, 0.2, 0.15)  # m
MARK = np.array([1.2, 0.4])  # m
GUESS = np.array([1.5, 0.25])  # m/s
SPIN = (2.0, 4.0, 1.0)  # rad/s, of the throw
SMOOTHINGS = (1.0, 1e-1, 1e-2, 1e-4, 1e-8)
MOST = 5  # changes of the throw with one smoothing


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


def off(simulator: Simulator, speeds: np.ndarray) -> np.ndarray:
    """How far from the mark the box lies."""
    return simulator.simulate(TIME, STEP, start=thrown(speeds)).position[-1, 0, :2] - MARK


def main() -> int:
    report, simulator, speeds = Report(__doc__), Simulator(thrown_box()), GUESS
    left, ways, rows = off(simulator, speeds), [], []
    ways.append(simulator.simulate(TIME, STEP, start=thrown(speeds)).position[:, 0])
    first, gradients = float(np.linalg.norm(left)), 0
    for smoothing in SMOOTHINGS:
        moved = True
        for _ in range(MOST):
            if np.linalg.norm(left) < 1e-10 or not moved:
                break
            moved = False
            try:
                change, gradients = -np.linalg.solve(slopes(simulator, speeds, smoothing), left), gradients + 1
            except SolverError as error:  # a step that cannot be smoothed so far: less
                print(f"      smoothing {smoothing:g}: {error}")
                break
            for share in 0.5 ** np.arange(8):
                there = off(simulator, speeds + share * change)
                if np.linalg.norm(there) < (1 - 0.1 * share) * np.linalg.norm(left):
                    moved, speeds, left = True, speeds + share * change, there
                    rows.append((smoothing, float(share), *speeds.tolist(), float(np.linalg.norm(left))))
                    ways.append(simulator.simulate(TIME, STEP, start=thrown(speeds)).position[:, 0])
                    break
    report.table(("smoothing", "share", "along m/s", "across m/s", "off m"), rows)
    motion = simulator.simulate(TIME, STEP, start=thrown(speeds))
    report.note("off the mark at first", first, "m")
    report.at_most("off the mark at the end", float(np.linalg.norm(left)), 1e-8, "m")
    report.at_most("gradients that this took", gradients, 20)
    report.note("speed of the box at the end", float(np.linalg.norm(motion.velocity[-1, 0])), "m/s")
    gaps = [motion.curves[f"corner_{k}.gap"].min() for k in range(8)]
    report.at_most("deepest corner, below the ground", float(-min(gaps)), 1e-9, "m")
    if report.plot:
        figure, (side, top) = report.figure(1, 2)
        for k, way in enumerate(ways):
            style = {"color": OURS if k == len(ways) - 1 else EXACT, "alpha": 1.0 if k == len(ways) - 1 else 0.35}
            side.plot(way[:, 0], way[:, 2], **style)
            top.plot(way[:, 0], way[:, 1], **style)
        side.axvline(MARK[0], color="black", linewidth=0.8, linestyle=":")
        top.plot(*MARK, "x", color="black")
        side.set(title="height of the centre [m]", xlabel="along [m]")
        top.set(title="across [m]", xlabel="along [m]")
        report.save(figure)
    return report.end()


if __name__ == "__main__":
    raise SystemExit(main())
