"""Many worlds at once: env-steps a second of a batch beside the solver of one world, in the same run.

Chains of five links on balls, five general hinges, ten planar hinges; a quadruped on contacts that stands and trots.
Each world begins at coordinates, or at a phase of the gait, of its own. Every figure is the least of rounds in which
all take turns: the solver of one world, one after the other; lanes of vectors, where the mechanism and the compiler
have them; the same in two threads. One thread is timed by its processor, two by the clock on the wall, which other
programs disturb. Where MuJoCo is installed its rollout with threads runs the same quadruped beside it, each at the
longest step of some at which its quadruped stays upright.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np
from _benchmark import Report, run
from _chains import chain, crooked, planar

import symvi
from symvi.mechanism import Mechanism
from symvi.numbers.control import COMPLEMENTARITY, TOLERANCE, SolverOptions
from symvi.simulate import Simulator
from symvi.simulate.batch import Batch

sys.path.append(str(Path(__file__).parents[2] / "examples"))
import _mjx
import _mujoco_robot
from _quadruped import LEGS, PARTS, STAND, gait, quadruped, standing_height
from quadruped import TROT

FRICTION = 0.8
WALKER = Path(symvi.__file__).parent / "demos" / "walker.toml"  # 18 loops, six feet
STEPS = (1e-2, 5e-3, 2e-3, 1e-3)  # s, of the quadruped beside MuJoCo
UPRIGHT = 0.5  # of the height at which it stands
PEER, FAR = 2.0, 5.0  # times MuJoCo's real-time factor
SECOND = 1.9  # times as fast with a second core


@dataclass(frozen=True)
class Case:
    """A mechanism, its step [s], and how many times faster than the solver of one world a batch is to be.

    floors: in double and float; None where none is asked for. gait: of the quadruped.
    """

    name: str
    mechanism: Callable[[], Mechanism]
    step: float
    floors: tuple[float | None, float | None]
    gait: tuple[float, ...] | None = None


CASES = (
    Case("five links on balls", lambda: chain(5, "spherical"), 0.01, (4.0, 8.0)),
    Case("five general hinges", lambda: crooked(5), 0.01, (4.0, 8.0)),
    Case("ten planar hinges", lambda: planar(10), 0.01, (4.0, 8.0)),
    Case("quadruped stands", lambda: quadruped(FRICTION), 1e-3, (3.5, None), STAND),
    Case("quadruped trots", lambda: quadruped(FRICTION), 1e-3, (2.4, None), TROT),
    Case("walker stands", lambda: Mechanism.from_file(WALKER), 0.005, (None, None)),
)


class Spent(NamedTuple):
    """Seconds on the wall's clock, and of all processors together, which other programs disturb less."""

    wall: float
    processor: float


class Rolling:
    """Rollouts of a batch, one after the other, that go on as the last one ended."""

    def __init__(self, batch: Batch, case: Case, steps: int):
        self.batch, self.steps, self.step, self.gait, self.done = batch, steps, case.step, case.gait, 0
        if case.gait is None and not batch._own.plan.notes["loops"]:
            coordinates = batch.coordinates.copy()
            coordinates[:, 0] += np.linspace(-0.3, 0.3, len(batch))
            batch.reset(coordinates=coordinates)
        self.rows = self._rows()

    def _rows(self) -> np.ndarray | None:
        """(n, steps, m) targets of the steps to come: each world is at a phase of its own."""
        if self.gait is None:
            return None
        times = self.step * (self.done + 1 + np.arange(self.steps)) + np.linspace(0.0, 0.25, len(self.batch))[:, None]
        targets, names = gait(times, self.gait), self.batch.input_names
        rows = np.zeros((*times.shape, len(names)), self.batch._memory.real)
        for name, values in targets.items():
            rows[:, :, names.index(name)] = values
        return rows

    def seconds(self) -> Spent:
        """Of an env-step [s]."""
        begin, processor = perf_counter(), process_time()
        self.batch.rollout(self.rows, self.steps, record=())
        spent = Spent(perf_counter() - begin, process_time() - processor)
        if (self.batch.status < 0).any():
            raise RuntimeError(f"{self.batch}: a step failed")
        self.done += self.steps
        self.rows = self._rows()
        return Spent(*(each / self.steps / len(self.batch) for each in spent))


def least(jobs: dict[str, Rolling], rounds: int) -> dict[str, Spent]:
    """Seconds of an env-step, the least of rounds in which all take turns; a first round is not counted."""
    found = dict.fromkeys(jobs, Spent(float("inf"), float("inf")))
    for turn in range(rounds + 1):
        for name, job in jobs.items():
            spent = job.seconds()
            if turn:
                found[name] = Spent(*map(min, found[name], spent))
    return found


def options_of(real: str) -> SolverOptions:
    """What the precision allows."""
    return SolverOptions(tolerance=TOLERANCE[real], complementarity=COMPLEMENTARITY[real])


def lanes(report: Report) -> None:
    """Env-steps a second, and how many times faster than one world after the other, in both coordinates."""
    worlds, steps, rounds = (8, 5, 1) if report.quick else (128, 100, 9)
    wanted = [
        (case, real, floor, coordinates)
        for case in CASES
        for real, floor in zip(("double", "float"), case.floors, strict=True)
        for coordinates in ("tree", "maximal")
        if real == "double" or floor is not None
    ]
    rows = []
    for case, real, floor, coordinates in wanted[:: 3 if report.quick else 1]:
        simulator = Simulator(case.mechanism(), backend="c", real=real, coordinates=coordinates)
        batches = {
            "one": simulator.batch(worlds, step=case.step, threads=1, lanes=False),
            "lanes": simulator.batch(worlds, step=case.step, threads=1),
            "two": simulator.batch(worlds, step=case.step, threads=2),
        }
        found = least({name: Rolling(batch, case, steps) for name, batch in batches.items()}, rounds)
        same = all((batches[name]._memory.state == batches["one"]._memory.state).all() for name in ("lanes", "two"))
        which = f"{case.name}, {real}, {coordinates} coordinates"
        report.at_most(f"{which}: worlds whose bits differ", float(not same), 0.0, timed=False)
        gain = found["one"].processor / found["lanes"].processor
        second = found["lanes"].wall / found["two"].wall
        rates = [1.0 / found["one"].processor, 1.0 / found["lanes"].processor, 1.0 / found["two"].wall]
        rows.append((case.name, real, coordinates, batches["lanes"].lanes, *rates, gain, second))
        if floor is not None:
            report.at_most(
                f"{which}: lanes, of one world after the other (floor: {floor:g} times faster)", 1 / gain, 1 / floor
            )
        report.at_most(f"{which}: two threads, of one (floor: {SECOND:g} times faster)", 1 / second, 1 / SECOND)
    head = (
        "case",
        "real",
        "coordinates",
        "lanes",
        "one by one /s",
        "lanes /s",
        "two threads /s",
        "gain",
        "gain of the second",
    )
    report.table("env-steps a second", head, rows)


def upright(heights: np.ndarray) -> bool:
    """Whether no trunk has come down."""
    return bool((heights > UPRIGHT * standing_height()).all())


def beside_mujoco(report: Report) -> None:
    """Simulated seconds in a second of a processor, of all worlds together, with two threads."""
    if not _mujoco_robot.is_installed():
        report.note("MuJoCo is not installed: pip install mujoco")
        return
    worlds, seconds = (4, 0.02) if report.quick else (64, 1.0)
    simulator, rows = Simulator(quadruped(FRICTION), backend="c"), []
    peers: dict[str, Callable[[float, int, tuple[float, ...]], tuple[float, np.ndarray]]] = {"MuJoCo": _Threads(worlds)}
    if not _mjx.is_installed():
        report.note("MJX is not installed: pip install mujoco-mjx")
    elif report.quick:
        report.note("MJX is left out of a quick run: XLA compiles for a minute")
    else:
        peers["MJX"] = _Vectors(worlds)
    for what, parameters in (("stands", STAND), ("trots", TROT)):
        factors = {}
        for step in STEPS:
            count = _steps(seconds, step)
            case = Case(what, lambda: quadruped(FRICTION), step, (1.0, None), parameters)
            rolling = Rolling(simulator.batch(worlds, step=step, threads=2), case, count)
            spent = rolling.seconds()
            if upright(rolling.batch.read("position")["position"][:, 0, 2]):
                factors["symvi"] = step, step / min(spent.processor, rolling.seconds().processor)
                break
        for name, peer in peers.items():
            for step in STEPS:
                count = _steps(seconds, step)
                spent, heights = peer(step, count, parameters)
                if upright(heights):
                    factors[name] = step, step * count * worlds / spent
                    break
        rows += [(what, code, 1e3 * step, factor) for code, (step, factor) in factors.items()]
        for name in peers:
            ratio = factors[name][1] / factors["symvi"][1] if name in factors else float("nan")
            title = f"quadruped {what}: {name}'s factor, of symvi's (floor: {PEER:g} times, stretch: {FAR:g} times)"
            report.at_most(title, ratio, 1 / PEER)
    report.table("quadrupeds, two threads", ("case", "code", "step ms", "simulated s per s of a core"), rows)


def _steps(seconds: float, step: float) -> int:
    """How many, a multiple of what MJX takes in one call."""
    return _mjx.CHUNK * max(1, round(seconds / step / _mjx.CHUNK))


def _controls(step: float, count: int, parameters: tuple[float, ...]) -> np.ndarray:
    """(count, 12) targets in the order of MuJoCo's actuators."""
    targets = gait(step * np.arange(count), parameters)
    return np.stack([targets[f"{leg}_{part}_servo.target"] for leg in LEGS for part in PARTS], axis=1)


class _Threads:
    """MuJoCo's rollout with two threads: seconds of processors, and heights of the trunks at the end."""

    def __init__(self, worlds: int):
        self.worlds = worlds

    def __call__(self, step: float, count: int, parameters: tuple[float, ...]) -> tuple[float, np.ndarray]:
        import mujoco
        from mujoco import rollout

        robot = _mujoco_robot.MuJoCoRobot(FRICTION, step)
        control = np.repeat(_controls(step, count, parameters)[None], self.worlds, axis=0)
        start = np.repeat(robot.start[None], self.worlds, axis=0)
        with rollout.Rollout(nthread=2) as pool:
            data = [mujoco.MjData(robot.model) for _ in range(2)]
            pool.rollout(robot.model, data, start, control, nstep=count)
            begin = process_time()
            states, _ = pool.rollout(robot.model, data, start, control, nstep=count)
            return process_time() - begin, states[:, -1, 3]


class _Vectors:
    """The same of MJX."""

    def __init__(self, worlds: int):
        robot = _mujoco_robot.MuJoCoRobot(FRICTION, STEPS[0])
        self.robots = _mjx.MJXRobots(robot.model, robot.data.qpos, worlds)

    def __call__(self, step: float, count: int, parameters: tuple[float, ...]) -> tuple[float, np.ndarray]:
        return self.robots.run(step, _controls(step, count, parameters))


def measure(report: Report) -> None:
    lanes(report)
    beside_mujoco(report)


if __name__ == "__main__":
    raise SystemExit(run(__doc__ or "", measure))
