"""Many variants of a cart-pole: a sweep in processes and threads beside one batch of the same worlds, in the same run.

The batch is what a user would write without a sweep: a world for each mass of the pole, started, rolled out on two
threads, and measured. The sweep does the same and keeps its rows in a file as they come. Seconds are the least of
rounds in which all take turns, on the wall's clock, which other programs disturb, and of all processors together.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
from _benchmark import Report, run

from symvi import sweep
from symvi.mechanism import Actuator, Body, Box, Joint, Mechanism, Rod
from symvi.simulate import Simulator

TIME, STEP = 10.0, 0.02
MOST = 1.3  # times as long as the batch


def cart_pole() -> Mechanism:
    bodies = [
        Body(name="cart", mass=1.0, shape=Box(size=(0.4, 0.2, 0.2))),
        Body(name="pole", mass=0.1, shape=Rod(length=1.0, radius=0.02, position=(0, 0, 0.5))),
    ]
    joints = [
        Joint(name="slide", type="prismatic", child="cart", axis=(1, 0, 0)),
        Joint(name="hinge", type="revolute", parent="cart", child="pole", axis=(0, 1, 0), coordinate=0.05),
    ]
    return Mechanism(name="cart", bodies=bodies, joints=joints, forces=[Actuator(name="motor", joint="slide")])


def in_one_batch(simulator: Simulator, masses: np.ndarray) -> np.ndarray:
    """The swing of every variant."""
    batch = simulator.batch(len(masses), step=STEP, parameters={"pole.mass": masses}, threads=2)
    record = batch.rollout(steps=round(TIME / STEP), record="coordinates")
    return np.abs(record["coordinates"][:, :, 1]).max(axis=1)


def swept(simulator: Simulator, masses: np.ndarray, executor: int | None) -> np.ndarray:
    """The same by a sweep that keeps its rows in a file."""
    with tempfile.TemporaryDirectory() as folder:
        table = sweep(
            simulator, {"pole.mass": masses}, measure={"swing": "max(abs(hinge))"}, time=TIME, step=STEP,
            executor=executor, out=Path(folder) / "table.csv", progress=False,
        )  # fmt: skip
    return np.asarray(table["swing"])


def measure(report: Report) -> None:
    variants, rounds = (8, 1) if report.quick else (10_000, 2)
    simulator, masses = Simulator(cart_pole(), backend="c"), np.linspace(0.05, 0.5, variants)
    jobs: dict[str, Callable[[], np.ndarray]] = {
        "batch, two threads": lambda: in_one_batch(simulator, masses),
        "sweep, two processes": lambda: swept(simulator, masses, 2),
        "sweep, this process": lambda: swept(simulator, masses, None),
    }
    seconds, work, found = dict.fromkeys(jobs, float("inf")), dict.fromkeys(jobs, float("inf")), {}
    in_one_batch(simulator, masses[:2])  # what is compiled once is not counted
    for _ in range(rounds):
        for name, job in jobs.items():
            begin, before = perf_counter(), sum(os.times()[:4])
            found[name] = job()
            seconds[name] = min(seconds[name], perf_counter() - begin)
            work[name] = min(work[name], sum(os.times()[:4]) - before)
    batch, *sweeps = jobs
    rows = [(name, variants, seconds[name], seconds[name] / seconds[batch], work[name]) for name in jobs]
    report.table("variants of a cart-pole", ("what", "variants", "seconds", "of the batch", "processor s"), rows)
    for name in sweeps:
        differ = float((found[name] != found[batch]).sum())
        report.at_most(f"{name}: variants whose numbers differ from the batch's", differ, 0.0, timed=False)
        report.at_most(f"{name}: time, of the batch's", seconds[name] / seconds[batch], MOST)
        report.at_most(f"{name}: processor time, of the batch's", work[name] / work[batch], MOST)


if __name__ == "__main__":
    raise SystemExit(run(__doc__ or "", measure))
