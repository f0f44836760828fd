"""What recording costs beside the steps: a quadruped that trots, at steps of 1 ms, and the walker, at 10 ms.

The bare loop is the generated C's own, which records nothing. Beside it `Simulator.simulate`, from the start to the
trajectory with its guards: coordinates alone, what the solver knows anyway, rates, and everything: with rates, energies
and closure left to whoever reads them, the same and read, and at once, by name; and every tenth knot of everything.
All take turns on one core; ratios are of the least times, and of the medians. The bound is that of a knot
whose recording is to cost little beside its step.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from _benchmark import Report, run
from _measure import DrivenRollout, pin, take_turns

from symvi.demos import demo_file
from symvi.errors import SymviWarning
from symvi.mechanism import Mechanism
from symvi.numbers.control import SolverOptions
from symvi.simulate import Simulator
from symvi.simulate.recording import EVERYTHING

sys.path.append(str(Path(__file__).parents[2] / "examples"))
from _quadruped import gait, knots, quadruped
from quadruped import TROT

FLOOR = 1.3
READ = "everything, and all of it read"
CHOICES: dict[str, dict[str, object]] = {
    "coordinates": {"record": ["coordinates"]},
    "coordinates, contacts, reactions, inputs": {"record": ["contacts", "reactions", "inputs"]},
    "coordinates, rates": {"record": ["rates"]},
    "everything": {},
    READ: {},
    "everything at once, by name": {"record": EVERYTHING},
    "everything, every 10th knot": {"every": 10},
}


def simulate(simulator: Simulator, seconds: float, step: float, inputs, how: dict, read: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymviWarning)
        motion = simulator.simulate(seconds, step, inputs=inputs, **how)
        if read:
            _ = motion.position, motion.angular_velocity, motion.energy


def jobs(simulator: Simulator, steps: int, step: float, inputs: dict[str, np.ndarray]) -> dict[str, Callable]:
    """The bare loop, and simulations that record more and more."""
    rows = simulator.inputs.overlay(simulator.inputs.from_signals(step * np.arange(steps + 1)), inputs)
    found: dict[str, Callable] = {"bare loop in C": DrivenRollout(simulator, steps, SolverOptions(), rows, step)}
    for name, how in CHOICES.items():
        found[name] = partial(simulate, simulator, steps * step, step, inputs, how, name == READ)
    return found


def cases(quick: bool) -> dict[str, tuple[Simulator, int, float, dict[str, np.ndarray]]]:
    steps = 200 if quick else 16000
    trot = gait(knots(steps * 1e-3, 1e-3), TROT)
    walker = Mechanism.from_file(demo_file("walker"))
    return {
        "quadruped trots, 1 ms": (Simulator(quadruped(0.8), backend="c", coordinates="maximal"), steps, 1e-3, trot),
        "walker, 10 ms": (Simulator(walker, backend="c", coordinates="maximal"), steps // 10, 1e-2, {}),
    }


def measure(report: Report) -> None:
    pin()
    bounds = []
    for case, (simulator, steps, step, inputs) in cases(report.quick).items():
        times = take_turns(jobs(simulator, steps, step, inputs), 2 if report.quick else 9)
        bare = times["bare loop in C"]
        rows = [
            (name, *(1e6 * time / steps for time in each), each.least / bare.least, each.middle / bare.middle)
            for name, each in times.items()
        ]
        head = ("recorded", "least us/step", "median us/step", "of the bare loop", "medians")
        report.table(f"{case}, {steps} steps", head, rows)
        bounds += [(f"{case}: {name}", least) for name, _, _, least, _ in rows if name in ("coordinates", "everything")]
    for name, ratio in bounds:
        report.at_most(f"{name}, of the bare loop", ratio, FLOOR)


if __name__ == "__main__":
    raise SystemExit(run(__doc__ or "", measure))
