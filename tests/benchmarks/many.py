"""Many at once: sweeps, a learner, lanes and threads, MuJoCo and MJX, balls in a bin, thousands of bodies.

Sweeps of a cart-pole and a quadruped through VectorEnv are measured here, beside batches alone; what follows are
`symvi bench batch`, `piles` and `scale`.

The batch is what a user would write without a sweep: a world for each mass of the pole, started, rolled out on two
threads, and measured. The sweep does the same and keeps its rows in a file as they come. Seconds are the least of
rounds in which all take turns, on the wall's clock, which other programs disturb, and of all processors together.

The quadruped trots in steps of 1 ms, and is asked and told 50 times a second, as learners do it: VectorEnv reads
joints, their rates and the trunk, and computes a reward; the batch takes the same steps with the same targets.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from _benchmark import Report, run
from batch import measure as measure_lanes
from piles import measure as measure_piles
from scale import measure as measure_scale

from symvi import MissingExtraError, sweep
from symvi.mechanism import Actuator, Body, Box, Joint, Mechanism, Rod
from symvi.simulate import Simulator

sys.path.append(str(Path(__file__).parents[2] / "examples"))
from _quadruped import LEGS, PARTS, gait, quadruped, standing_height
from quadruped import TROT

TIME, STEP = 10.0, 0.02
MOST = 1.3  # times as long as the batch
FRICTION, FINE, REPEAT = 0.8, 1e-3, 20  # of the quadruped: steps of FINE s, so many of them for each of the learner's
PART = 0.6  # of the batch's speed


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
    worlds = simulator.batch(len(masses), step=STEP, parameters={"pole.mass": masses}, threads=2)
    record = worlds.rollout(steps=round(TIME / STEP), record="coordinates")
    return np.abs(record["coordinates"][:, :, 1]).max(axis=1)


def swept(simulator: Simulator, masses: np.ndarray, executor: int | None) -> np.ndarray:
    """The same by a sweep that keeps its rows in a file."""
    with tempfile.TemporaryDirectory() as folder:
        table = sweep(
            simulator, {"pole.mass": masses}, measure={"swing": "max(abs(hinge))"}, time=TIME, step=STEP,
            executor=executor, out=Path(folder) / "table.csv", progress=False,
        )  # fmt: skip
    return np.asarray(table["swing"])


def variants_of_a_cart(report: Report) -> None:
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


def quadruped_that_learns(report: Report) -> None:
    """Env-steps a second of VectorEnv, and of its batch."""
    try:
        from symvi.learn import Now, Task, VectorEnv
    except MissingExtraError as error:
        report.note(str(error))
        return
    worlds, steps, rounds = (8, 2, 1) if report.quick else (128, 10, 5)
    mechanism = quadruped(FRICTION)
    names = [f"{leg}_{part}_servo.target" for leg in LEGS for part in PARTS]
    joints = [joint.name for joint in mechanism.joints]
    trunk = ("trunk.position", "trunk.orientation", "trunk.velocity")

    def reward(now: Now) -> np.ndarray:
        return (now["trunk.position"][:, 0] - now.before["trunk.position"][:, 0]) / (REPEAT * FINE)

    task = Task(
        observe=[*joints, *(f"{joint}.rate" for joint in joints), *trunk],
        act=dict.fromkeys(names, (-3.0, 3.0)),
        reward=reward,
        end=lambda now: now["trunk.position"][:, 2] < 0.5 * standing_height(),
        step=FINE,
        repeat=REPEAT,
    )
    simulator = Simulator(mechanism, backend="c")
    env = VectorEnv(simulator, task, worlds, threads=1)
    batch = simulator.batch(worlds, step=FINE, threads=1)
    columns = [batch.input_names.index(name) for name in names]
    env.reset(seed=0)
    times = np.linspace(0.0, 0.25, worlds)[:, None] + REPEAT * FINE * np.arange((rounds + 1) * steps)
    targets = gait(times, TROT)
    actions = np.stack([targets[name] for name in names], axis=-1)  # (worlds, all steps, a)
    seconds = {"VectorEnv": float("inf"), "batch": float("inf")}
    for turn in range(rounds + 1):
        here = actions[:, turn * steps : (turn + 1) * steps]
        begin = process_time()
        for k in range(steps):
            if env.step(here[:, k])[4]["failed"].any():
                raise RuntimeError("a step of VectorEnv failed")
        middle = process_time()
        rows = np.zeros((worlds, len(batch.input_names)))
        for k in range(steps):
            rows[:, columns] = here[:, k]
            batch.rollout(np.broadcast_to(rows[:, None], (worlds, REPEAT, rows.shape[1])), REPEAT, record=())
        end = process_time()
        if turn:
            seconds["VectorEnv"] = min(seconds["VectorEnv"], middle - begin)
            seconds["batch"] = min(seconds["batch"], end - middle)
    rates = {name: worlds * steps / each for name, each in seconds.items()}
    part = rates["VectorEnv"] / rates["batch"]
    rows_told = [(name, rate, REPEAT * rate, rate / rates["batch"]) for name, rate in rates.items()]
    report.table(
        "quadruped that trots, one thread", ("what", "env-steps/s", "solver steps/s", "of the batch"), rows_told
    )
    report.at_most(f"quadruped: time of VectorEnv, of the batch's (floor: {PART:.0%} of its speed)", 1 / part, 1 / PART)


def measure(report: Report) -> None:
    variants_of_a_cart(report)
    quadruped_that_learns(report)
    for others in (measure_lanes, measure_piles, measure_scale):
        others(report)


if __name__ == "__main__":
    raise SystemExit(run(__doc__ or "", measure))
