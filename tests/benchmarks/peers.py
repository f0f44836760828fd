"""symvi beside MuJoCo and Pinocchio: the same chains, the same core, taking turns.

Open chains at steps of 0.01 s: what a step takes, and what a second of motion takes when each code makes the steps that
it needs to put the end of the chain where symvi's steps of 0.01 s put it, within the same error. Chains pinned at both
ends: how far the pin opens in ten seconds, or until a code diverges or refuses a step. A double pendulum: how far its
energy strays in a minute.

MuJoCo runs its own compiled rollout, Pinocchio its articulated-body algorithm (constraint dynamics where the end is
pinned) in a loop compiled with g++ -O3; Euler is the semi-implicit method. Needs the extra bench.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import _mujoco
import _pinocchio
import numpy as np
from _benchmark import Report, run
from _measure import Rollout, Times, pin, take_turns
from _mujoco import STIFF, MuJoCo
from _pinocchio import Pinocchio
from _workloads import BOTTOM, Chain, closed_chain, open_chain

from symvi import __version__
from symvi.simulate import Simulator

STEP = 0.01
SECONDS = 1.0  # over which accuracies are compared: longer, chains of many links would amplify round-off
STEPS_PER_SECOND = (10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 2000, 5000, 10_000, 20_000)
OWN_RATE = {"MuJoCo Euler": 500}  # what a code does when nobody says otherwise: MuJoCo makes steps of 0.002 s
REFERENCE = 50_000  # steps per second of Pinocchio's RK4
BAUMGARTE = (400.0, 40.0)


class Code(Protocol):
    """A chain in one of the codes, with its method and step."""

    def run(self, steps: int, record: bool = False) -> np.ndarray: ...

    def tips(self, states: np.ndarray) -> np.ndarray: ...

    def energies(self, states: np.ndarray) -> np.ndarray: ...


class Symvi:
    """A chain in symvi; profile: how its C is compiled. coordinates: what is solved for."""

    def __init__(self, chain: Chain, profile: str, step: float, coordinates: str = "maximal"):
        build = {"profile": profile, "coordinates": coordinates, "backend": "c"}
        self.simulator, self.step = Simulator(chain.mechanism(), **build), step
        self.rollouts: dict[int, Rollout] = {}

    def run(self, steps: int, record: bool = False):
        """The trajectory, up to the step that fails, if one does; when nothing is to be recorded, nothing."""
        if record:
            return self.simulator.simulate(steps * self.step, self.step, on_error="status")
        if steps not in self.rollouts:
            self.rollouts[steps] = Rollout(self.simulator, steps, self.step)
        return self.rollouts[steps]()

    def tips(self, trajectory) -> np.ndarray:
        """Where the last link's lower end is, (n, 3) [m]."""
        w, x, y, z = trajectory.orientation[1:, -1].T
        down = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
        return trajectory.position[1:, -1] + BOTTOM[2] * down

    def energies(self, trajectory) -> np.ndarray:
        """Kinetic and potential energy [J]."""
        return trajectory.energy[1:]


OPEN: Mapping[str, Callable[[Chain, float], Code]] = {
    "symvi": lambda chain, step: Symvi(chain, "reproducible", step),
    "symvi, fast": lambda chain, step: Symvi(chain, "fast", step),
    "symvi, tree": lambda chain, step: Symvi(chain, "reproducible", step, "tree"),
    "symvi, tree, fast": lambda chain, step: Symvi(chain, "fast", step, "tree"),
    "MuJoCo Euler": lambda chain, step: MuJoCo(chain, "Euler", step),
    "MuJoCo RK4": lambda chain, step: MuJoCo(chain, "RK4", step),
    "Pinocchio Euler": lambda chain, step: Pinocchio(chain, "Euler", step),
    "Pinocchio RK4": lambda chain, step: Pinocchio(chain, "RK4", step),
}
PINNED: Mapping[str, Callable[[Chain, float], Code]] = {
    "symvi": OPEN["symvi"],
    "MuJoCo Euler": OPEN["MuJoCo Euler"],
    "MuJoCo Euler, stiff": lambda chain, step: MuJoCo(chain, "Euler", step, STIFF),
    "Pinocchio Euler": OPEN["Pinocchio Euler"],
    "Pinocchio Euler, Baumgarte": lambda chain, step: Pinocchio(chain, "Euler", step, BAUMGARTE),
    "Pinocchio RK4, Baumgarte": lambda chain, step: Pinocchio(chain, "RK4", step, BAUMGARTE),
}


def timed(codes: Mapping[str, Code], steps: Mapping[str, int], repeats: int) -> dict[str, Times]:
    """Each code's time of its own number of steps."""
    return take_turns(
        {name: lambda name=name, code=code: code.run(steps[name]) for name, code in codes.items()}, repeats
    )


def energy_error(make: Callable[[Chain, float], Code], chain: Chain, steps: int, step: float = STEP) -> float:
    """The largest relative error of the energy over some steps; infinite where a code diverges."""
    return float(np.abs(energy_errors(make, chain, steps, step)).max())


def energy_errors(make: Callable[[Chain, float], Code], chain: Chain, steps: int, step: float) -> np.ndarray:
    """Relative errors of the energy after every step, against the start from rest."""
    code, beginning = make(chain, step), make(chain, 1e-6)
    with np.errstate(all="ignore"):
        start = beginning.energies(beginning.run(1, record=True))[0]
        errors = (code.energies(code.run(steps, record=True)) - start) / chain.scale
    return np.where(np.isfinite(errors), errors, np.inf)


def time_per_step(report: Report, kind: str, counts: tuple[int, ...], steps: int, repeats: int) -> None:
    """The same steps of 0.01 s by every code, whatever they are worth."""
    rows = []
    for count in counts:
        codes = {name: make(open_chain(kind, count), STEP) for name, make in OPEN.items()}
        strayed = {name: energy_error(make, open_chain(kind, count), steps) for name, make in OPEN.items()}
        times = timed({name: codes[name] for name in codes if strayed[name] < 1}, dict.fromkeys(codes, steps), repeats)
        for name in codes:
            if name not in times:  # a code that computes with NaN has no time worth telling
                rows.append((count, name, "diverges", None, None, None, None, None))
                continue
            least, middle = (1e6 * seconds / steps for seconds in times[name])
            ratio = times["symvi"].least / times[name].least, times["symvi"].middle / times[name].middle
            rows.append((count, name, least, middle, 1e3 * least / count, *ratio, strayed[name]))
    head = ("links", "code", "us/step", "median", "ns/step/link", "symvi / this", "medians", "energy error")
    report.table(f"{kind} chain, a step of {STEP} s", head, rows)


def error(make: Callable[[Chain, float], Code], chain: Chain, rate: int, truth: np.ndarray) -> float:
    """Distance of the chain's end from where it should be after SECONDS [m]."""
    code = make(chain, SECONDS / rate)
    with np.errstate(all="ignore"):
        return float(np.linalg.norm(code.tips(code.run(rate, record=True))[-1] - truth))


def time_per_second(report: Report, kind: str, counts: tuple[int, ...], reference: int, repeats: int) -> None:
    """A second of motion by every code, with the steps that it needs for symvi's accuracy."""
    rows = []
    rates = [rate for rate in STEPS_PER_SECOND if rate < reference]
    for count in counts:
        chain = open_chain(kind, count)
        exact = Pinocchio(chain, "RK4", SECONDS / reference)
        truth = exact.tips(exact.run(reference))[-1]
        wanted = error(OPEN["symvi"], chain, round(SECONDS / STEP), truth)
        needed, errors, codes = {}, {}, {}
        for name, make in OPEN.items():
            choice = [round(SECONDS / STEP)] if name.startswith("symvi") else rates
            tried = ((rate, error(make, chain, rate, truth)) for rate in choice)
            found = next(((rate, e) for rate, e in tried if e <= 1.0001 * wanted), None)
            if found:
                needed[name], errors[name] = found
                codes[name] = make(chain, SECONDS / found[0])
        times = timed(codes, needed, repeats)
        for name in OPEN:
            if name in times:
                ratio = times["symvi"].least / times[name].least, times["symvi"].middle / times[name].middle
                rows.append((count, name, needed[name], errors[name], 1e6 * times[name].least, *ratio))
            else:
                rows.append((count, name, f"> {rates[-1]}", None, None, None, None))
        for name, rate in OWN_RATE.items():
            code = {"symvi": codes["symvi"], name: OPEN[name](chain, SECONDS / rate)}
            own = timed(code, {"symvi": needed["symvi"], name: rate}, repeats)
            ratio = own["symvi"].least / own[name].least, own["symvi"].middle / own[name].middle
            rows.append(
                (count, f"{name}, own step", rate, error(OPEN[name], chain, rate, truth), 1e6 * own[name].least, *ratio)
            )
    head = ("links", "code", "steps", "error m", "us", "symvi / this", "medians")
    report.table(f"{kind} chain, a second of motion as accurate as symvi's at {STEP} s", head, rows)


def gaps(report: Report, counts: tuple[int, ...], seconds: float) -> None:
    """How far the pinned end opens."""
    rows, steps = [], round(seconds / STEP)
    for count in counts:
        chain = closed_chain(count)
        for name, make in PINNED.items():
            code = make(chain, STEP)
            with np.errstate(all="ignore"):
                distance = np.linalg.norm(code.tips(code.run(steps, record=True)) - chain.end, axis=1)
            sound = np.isfinite(distance) & (distance < count)
            lasted = len(distance) if sound.all() else int(np.argmin(sound))
            rows.append((count, name, float(distance[:lasted].max()), lasted * STEP))
            if name == "symvi":
                report.at_most(f"{count} links pinned at both ends: gap", rows[-1][2], 1e-12, "m", timed=False)
    head = ("links", "code", "gap m", "lasts s")
    report.table(f"chains pinned at both ends, {seconds:g} s of steps of {STEP} s", head, rows)


def drift(report: Report, seconds: float) -> None:
    """Energy of a double pendulum that swings from rest at 45 degrees: the largest error, and what it ends with."""
    chain, rows = open_chain("revolute", 2), []
    for name, make in OPEN.items():
        errors = np.abs(energy_errors(make, chain, round(seconds / STEP), STEP))
        tenth = len(errors) // 10 or 1
        rows.append((name, float(errors.max()), float(errors[:tenth].mean()), float(errors[-tenth:].mean())))
    head = ("code", "largest", "first tenth", "last tenth")
    report.table(f"double pendulum, {seconds:g} s of steps of {STEP} s: relative error of its energy", head, rows)


def measure(report: Report) -> None:
    pin()
    versions = f"symvi {__version__}, {_mujoco.version()}, {_pinocchio.version()}"
    report.note(versions)
    small = report.quick
    for kind in ("revolute", "oblique", "spherical"):
        time_per_step(report, kind, (2,) if small else (2, 5, 10, 20, 50, 100), 5 if small else 100, 2 if small else 9)
        time_per_second(report, kind, (2,) if small else (2, 10, 50), 500 if small else REFERENCE, 2 if small else 5)
    gaps(report, (3,) if small else (3, 5, 10, 20), 0.1 if small else 10.0)
    drift(report, 0.5 if small else 60.0)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
