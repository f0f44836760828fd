"""Work and precision: what a motion takes to an error of 1e-2, 1e-4, 1e-6 and 1e-8 rad, by order and beside peers.

A planar double pendulum for a minute, from a regular start, and ten links let go at 5 degrees for five seconds. Each
code makes the fewest steps that leave no larger error of any link's angle at the end; its time is that of its compiled
loop with nothing recorded, the codes taking turns on one core. The truth is SciPy's DOP853 on Pinocchio's accelerations
at its finest; as a competitor the same runs at the tolerance that would do, in Python. The energy is followed for an
hour of the double pendulum in the same processor time. Needs the extra bench.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil, pi
from pathlib import Path
from typing import Protocol

import _mujoco
import _pinocchio
import numpy as np
from _benchmark import Report, run
from _measure import Rollout, pin, take_turns
from _mujoco import MuJoCo
from _pinocchio import Pinocchio
from _workloads import Chain

from symvi import __version__
from symvi.errors import missing_extra
from symvi.numbers.composition import NAMES
from symvi.plots import BODIES, STYLE, TOTAL
from symvi.simulate import Simulator

ERRORS = (1e-2, 1e-4, 1e-6, 1e-8)
DOUBLE = Chain("revolute", (0.6, 0.3))
TEN = Chain("revolute", (5 * pi / 180, *[0.0] * 9))
CASES = {"double pendulum, 60 s": (DOUBLE, 60.0), "ten links from 5 degrees, 5 s": (TEN, 5.0)}
GRID = 1.1  # numbers of steps differ by this factor
MOST = 2000  # steps per second that are tried
BELOW = 1e-3  # of an error: changes of velocities that Newton's method may leave


class Code(Protocol):
    """One way to compute the motion: its links' angles at the end, and a job that takes its time."""

    def angles(self, steps: int, error: float) -> np.ndarray: ...

    def job(self, steps: int, error: float) -> Callable[[], object]: ...


class Symvi:
    """symvi in joint coordinates, compiled fast. order: of its steps."""

    def __init__(self, chain: Chain, time: float, order: int | str):
        self.time = time
        self.simulator = Simulator(chain.mechanism(), coordinates="tree", profile="fast", backend="c", order=order)

    def job(self, steps: int, error: float) -> Rollout:
        return Rollout(self.simulator, steps, self.time / steps, min(1e-4, BELOW * error))

    def angles(self, steps: int, error: float) -> np.ndarray:
        self.job(steps, error)()
        plan, state = self.simulator.plan, self.simulator.engine.state
        q = np.array([state[plan.at("state", "body", k, "q")] for k in range(len(plan.bodies))])
        return 2.0 * np.arctan2(q[:, 1], q[:, 0])


class Peer:
    """A peer with its own compiled loop. make: of a step."""

    def __init__(self, make: Callable[[float], Pinocchio | MuJoCo], time: float, first: int, count: int):
        self.make, self.time, self.places = make, time, slice(first, first + count)

    def angles(self, steps: int, error: float) -> np.ndarray:
        with np.errstate(all="ignore"):
            last = np.atleast_2d(self.make(self.time / steps).run(steps))[-1]
        return np.cumsum(last[self.places])

    def job(self, steps: int, error: float) -> Callable[[], object]:
        code = self.make(self.time / steps)
        return lambda: code.run(steps)


class Dop853:
    """SciPy's method of order 8 on Pinocchio's articulated-body algorithm; `steps` are 1/tolerance to a power."""

    def __init__(self, chain: Chain, time: float):
        import pinocchio

        self.pinocchio, self.time = pinocchio, time
        self.model, self.data = Pinocchio(chain, "RK4", 1.0)._described(pinocchio)
        self.count, self.start = self.model.nv, np.concatenate([chain.angles, np.zeros(self.model.nv)])
        self.force = np.zeros(self.model.nv)

    def solve(self, tolerance: float) -> np.ndarray:
        from scipy.integrate import solve_ivp

        n, aba, model, data, force = self.count, self.pinocchio.aba, self.model, self.data, self.force

        def rates(_, y):
            return np.concatenate([y[n:], aba(model, data, y[:n], y[n:], force)])

        return solve_ivp(rates, (0, self.time), self.start, method="DOP853", rtol=tolerance, atol=tolerance).y[:, -1]

    def truth(self) -> np.ndarray:
        return np.cumsum(self.solve(3e-14)[: self.count])

    def job(self, tolerance: float) -> Callable[[], object]:
        return lambda: self.solve(tolerance)

    def tolerance(self, error: float, truth: np.ndarray) -> float:
        """The largest, by powers of the square root of ten, that leaves no larger error."""
        for power in range(4, 27):
            found = np.cumsum(self.solve(10 ** (-power / 2))[: self.count])
            if apart(found, truth) <= error:
                return 10 ** (-power / 2)
        return np.nan


def apart(found: np.ndarray, truth: np.ndarray) -> float:
    """The largest difference of angles [rad]; infinite for what is no number."""
    away = np.abs((found - truth + pi) % (2 * pi) - pi)
    return float(away.max()) if np.isfinite(away).all() else np.inf


def fewest(code: Code, time: float, error: float, truth: np.ndarray) -> int | None:
    """The fewest steps of a grid with no larger error, also by the next finer one; None where none are few enough."""
    most = ceil(np.log(MOST) / np.log(GRID))

    def holds(k: int) -> bool:
        try:
            return apart(code.angles(count(k), error), truth) <= error
        except RuntimeError:  # a step that cannot be solved
            return False

    def count(k: int) -> int:
        return ceil(time * GRID**k)

    low, high = 0, 7  # a factor of two
    while not (holds(high) and holds(high + 1)):
        low, high = high, high + 7
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) and holds(middle + 1) else (middle, high)
    return count(high)


def codes_of(chain: Chain, time: float) -> dict[str, Code]:
    """symvi by order, then its peers."""
    n = len(chain.angles)
    own: dict[str, Code] = {f"symvi {order}": Symvi(chain, time, order) for order in (2, *NAMES)}
    return own | {
        "Pinocchio RK4": Peer(lambda step: Pinocchio(chain, "RK4", step), time, 0, n),
        "MuJoCo RK4": Peer(lambda step: MuJoCo(chain, "RK4", step), time, 1, n),
    }


def work(report: Report, title: str, chain: Chain, time: float, errors: tuple[float, ...], repeats: int) -> list[tuple]:
    """A table of one motion, and the bounds on it; returns its rows."""
    codes, scipy = codes_of(chain, time), Dop853(chain, time)
    truth, rows = scipy.truth(), []
    for error in errors:
        steps = {name: fewest(code, time, error, truth) for name, code in codes.items()}
        jobs = {name: codes[name].job(count, error) for name, count in steps.items() if count}
        times = {name: 1e3 * found.least for name, found in take_turns(jobs, repeats).items()}
        jobs = {"DOP853": scipy.job(scipy.tolerance(error, truth))}
        times["SciPy DOP853, in Python"] = 1e3 * take_turns(jobs, 1)["DOP853"].least
        best = {
            own: min((t, name) for name, t in times.items() if name.startswith("symvi") == own) for own in (True, False)
        }
        for name, least in times.items():
            rows.append((error, name, steps.get(name), least, least / best[False][0]))
        report.at_most(
            f"{title}, {error:g} rad: {best[True][1]} of {best[False][1]}", best[True][0] / best[False][0], 1.0
        )
    report.table(title, ("error rad", "code", "steps", "ms", "of the best peer"), rows)
    return rows


def _draw(path: Path, found: Mapping[str, list[tuple]]) -> None:
    """Time over error, a panel for each motion: symvi by order, its peers dashed. Raises MissingExtraError."""
    try:
        import matplotlib
    except ImportError as missing:
        raise missing_extra("plot", "matplotlib") from missing
    matplotlib.use("Agg")
    matplotlib.rcParams.update(STYLE)
    from matplotlib import pyplot

    size, colours = (2.5 + 4.5 * len(found), 4.4), (*BODIES, TOTAL)
    figure, panels = pyplot.subplots(1, len(found), figsize=size, squeeze=False, layout="constrained")
    for panel, (title, rows) in zip(panels.flat, found.items(), strict=True):
        names = list(dict.fromkeys(row[1] for row in rows))
        for k, name in enumerate(names):
            own = name.startswith("symvi")
            errors, times = zip(*((row[0], row[3]) for row in rows if row[1] == name), strict=True)
            panel.loglog(
                errors, times, "o-" if own else "s--", color=colours[k % len(colours)], markersize=4, label=name
            )
        panel.invert_xaxis()
        panel.set(title=title, xlabel="error of a link's angle at the end [rad]", ylabel="time [ms]")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside right upper")
    figure.savefig(path, dpi=120)


def energy(report: Report, hours: float, step: float, repeats: int) -> None:
    """How far the energy strays, in as much processor time as RK4 gets."""
    seconds = 3600.0 * hours
    steps = round(seconds / step)
    own = Symvi(DOUBLE, seconds, 4)
    motion = own.simulator.simulate(seconds, step, every=max(steps // 1000, 1), record=["energy"])
    strayed = float(np.abs(motion.energy - motion.energy[0]).max())
    few, other = steps // 10, Pinocchio(DOUBLE, "RK4", step)
    times = take_turns({"own": Rollout(own.simulator, few, step), "RK4": lambda: other.run(few)}, repeats)
    each = round(steps * times["own"].least / times["RK4"].least)
    peer = Pinocchio(DOUBLE, "RK4", seconds / each)
    states = peer.run(each)
    begin = Pinocchio(DOUBLE, "RK4", 1e-9)
    first = begin.energies(begin.run(1))[0]
    drift = float(abs(peer.energies(states)[0] - first))
    rows = [("symvi suzuki-4", steps, strayed), ("Pinocchio RK4", each, drift)]
    report.table(f"energy after {hours:g} h in the same time [J]", ("code", "steps", "strays J"), rows)
    report.at_most("energy: symvi of Pinocchio RK4", strayed / drift, 1.0)


def measure(report: Report) -> None:
    pin()
    report.note(f"symvi {__version__}, {_pinocchio.version()}, {_mujoco.version()}")
    cases: Mapping[str, tuple[Chain, float]] = CASES
    errors, repeats = ERRORS, 9
    if report.quick:
        cases, errors, repeats = {"double pendulum, 1 s": (DOUBLE, 1.0)}, (1e-3,), 1
    found = {title: work(report, title, chain, time, errors, repeats) for title, (chain, time) in cases.items()}
    if report.plot:
        _draw(report.plot, found)
    energy(report, 0.01 if report.quick else 1.0, 0.02, repeats if report.quick else 3)


if __name__ == "__main__":
    raise SystemExit(run(__doc__ or "", measure))
