"""The golden motion: the first steps from the start of the description, and a hash of every bit of them.

The hash is FNV-1a (64 bits) over the bits of x, q, v, w in the state of every body, in the order of the bodies, least
byte first, after every step; -0 counts as 0. v and w are those over the step. The simulator computes it here; the
exported example must come to the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symvi.errors import SymviError
from symvi.exporters.request import Request
from symvi.mechanism import Mechanism
from symvi.numbers.control import SolverOptions, SolverStatus
from symvi.simulate import Simulator
from symvi.simulate.inputs import Inputs, signals_of
from symvi.simulate.orders import again, check_held
from symvi.simulate.plan import Plan
from symvi.simulate.start import described_start

__all__ = ["SHOWN_KNOTS", "STEPS", "Golden", "described_placement", "golden", "signals"]

STEPS = 1000
SHOWN_KNOTS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
FIELDS = (("x", 3), ("q", 4), ("v", 3), ("w", 3))
_OFFSET, _PRIME, _MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
_DIGITS = {"double": 17, "float": 9}  # so many tell every number from its neighbours


@dataclass(frozen=True)
class Golden:
    """hash: 16 hexadecimal digits after "0x". steps: how many there are, STEPS unless one failed; failure: then, why.
    iterations: of all steps. warnings: steps by the name of their status, where that was not OK. knots: knot -> the
    numbers of all bodies, of some knots."""

    hash: str
    steps: int
    failure: str
    iterations: int
    warnings: dict[str, int]
    knots: dict[int, tuple[float, ...]]
    backend: str

    def placements(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """(x (n, 3), q (n, 4)) of all bodies at the knots that are shown."""
        return [placement_of(np.array(numbers)) for numbers in self.knots.values()]

    def table(self, request: Request, real: str) -> str:
        """golden.csv: what the example prints, character by character."""
        bodies = request.mechanism.body_names
        names = [f"{body}.{name}{k}" for body in bodies for name, size in FIELDS for k in range(size)]
        lines = [",".join(["knot", *names])]
        for knot, numbers in self.knots.items():
            lines.append(",".join([str(knot), *(f"{number:.{_DIGITS[real]}g}" for number in numbers)]))
        return "\n".join(lines) + "\n"


def golden(request: Request, real: str) -> Golden:
    """The golden motion in a precision; "float" needs a C compiler. It ends before a step that fails.

    Raises SymviError, with what would do, where the start or the very first step fails.
    """
    how = {"loops": request.loops, "coordinates": request.coordinates, **again(request.order)}
    simulator = Simulator(request.mechanism, real=real, **how)
    simulator.start(step=request.step)
    rows, recorder = _rows(simulator, request.step), _Recorder(simulator)
    check_held(simulator, rows)
    options, failure = SolverOptions(fixed_iterations=request.fixed_iterations, substeps=request.substeps), ""
    for row in rows:
        status, _, frames = simulator.engine.rollout(row[None], False, 1, 1, options)
        if status < 0:
            number = recorder.steps + 1
            failure = f"step {number} of {request.step:g} s fails in {real}: {SolverStatus(status).sentence}"
            break
        recorder.take(status, frames[1])
    if not recorder.steps:
        raise SymviError(f"{failure}. Export with a smaller --step, or change the description")
    knots = {knot: tuple(map(float, numbers)) for knot, numbers in recorder.knots.items()}
    effort = recorder.iterations, recorder.warnings
    return Golden(f"0x{recorder.hash:016x}", recorder.steps, failure, *effort, knots, simulator.backend)


class _Recorder:
    """Takes down one step after another."""

    def __init__(self, simulator: Simulator):
        self.engine, self.iterations_at = simulator.engine, simulator.plan.frame["iterations"][0]
        self.places = _places(simulator.plan)
        self.hash, self.steps, self.iterations = _OFFSET, 0, 0
        self.warnings: dict[str, int] = {}
        self.knots = {0: self._numbers()}

    def _numbers(self) -> np.ndarray:
        """x, q, v, w of all bodies at this knot, in their precision; -0 becomes 0."""
        return self.engine.state[self.places] + self.engine.state.dtype.type(0)

    def take(self, status: int, frame: np.ndarray) -> None:
        """A step that was solved, with this status; frame: of its second knot."""
        self.steps += 1
        self.iterations += int(frame[self.iterations_at])
        if status > 0:
            name = SolverStatus(status).name
            self.warnings[name] = self.warnings.get(name, 0) + 1
        numbers = self._numbers()
        self.hash = _mixed(self.hash, numbers)
        if self.steps in SHOWN_KNOTS:
            self.knots[self.steps] = numbers


def placement_of(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(x (n, 3), q (n, 4)) from x, q, v, w of every body."""
    rows = numbers.reshape(-1, sum(size for _, size in FIELDS))
    return rows[:, :3], rows[:, 3:7]


def described_placement(mechanism: Mechanism, plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """(x (n, 3), q (n, 4)) where the description starts."""
    return placement_of(np.array(described_start(mechanism, plan))[_places(plan)])


def _places(plan: Plan) -> np.ndarray:
    """Where x, q, v, w of all bodies lie in the state."""
    slices = [plan.at("state", "body", k, name) for k in range(len(plan.bodies)) for name, _ in FIELDS]
    return np.concatenate([np.arange(place.start, place.stop) for place in slices])


def _mixed(value: int, numbers: np.ndarray) -> int:
    for byte in numbers.astype(numbers.dtype.newbyteorder("<")).tobytes():
        value = ((value ^ byte) * _PRIME) & _MASK
    return value


def _rows(simulator: Simulator, step: float) -> np.ndarray:
    """(STEPS, m): the inputs of every step; drivers say where its second knot is, or hold what they find."""
    rows = driven_rows(simulator.inputs, step)
    for constraint in simulator.plan.constraints:
        name = f"{constraint['name']}.target"
        if constraint["type"] == "driver" and not simulator.inputs.has_signal(name):
            place = simulator.plan.at("state", constraint["kind"], constraint["index"], "target")
            rows[:, simulator.inputs.column(name)] = simulator.engine.state[place][0]
    return rows


def driven_rows(inputs: Inputs, step: float) -> np.ndarray:
    """(STEPS, m): what signals say for every step; inputs without one are 0."""
    knots = inputs.from_signals(step * np.arange(STEPS + 1))
    rows = knots[:-1]
    rows[:, inputs.ahead] = knots[1:, inputs.ahead]
    return rows


def signals(request: Request, plan: Plan) -> dict[str, np.ndarray]:
    """Input -> (STEPS,) its values, of the inputs that do not stay as they are at time 0."""
    inputs = Inputs(request.mechanism, plan)
    rows, start = driven_rows(inputs, request.step), inputs.from_signals(np.zeros(1))[0]
    known = {name for name, _, _ in signals_of(request.mechanism)}
    columns = [inputs.column(name) for name in inputs.names if name in known]
    return {inputs.names[k]: rows[:, k] for k in columns if (rows[:, k] != start[k]).any()}
