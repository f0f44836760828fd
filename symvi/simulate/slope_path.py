"""A motion from knot to knot, with the derivative of any of its steps: what gradients and planners walk along."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError, MechanismError, SolverError
from symvi.mechanism.names import shown
from symvi.mechanism.state import State
from symvi.mechanism.values import number
from symvi.numbers.control import DEFAULTS, SolverOptions, SolverStatus
from symvi.simulate.arguments import checked_step
from symvi.simulate.linearization import Linearization
from symvi.simulate.linearized import Linearizing
from symvi.simulate.orders import refuse
from symvi.simulate.simulation import Simulation
from symvi.simulate.slope_charts import Knot, names_of

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator

Array = NDArray[np.float64]
Found = TypeVar("Found")
MOST = 10_000_000  # steps


class SlopePath:
    """Steps of a solver of its own from a start.

    time (N + 1,) of the knots [s]. rows (N, m): what drives each step as its inputs are given, of a target that at the
    step's end. held (m,): inputs at the first knot. first: the solver's state there. names (n,): what x holds.
    Raises ArgumentError, MechanismError, AssemblyError.
    """

    def __init__(
        self,
        simulator: Simulator,
        time: float,
        step: float,
        start: State | None,
        inputs: Mapping[str, object],
        parameters: Sequence[str] = (),
        coordinates: Sequence[str] | None = None,
        smoothing: float | None = None,
        chart: str = "knot",
        options: SolverOptions = DEFAULTS,
    ):
        self.step = checked_step(step, "double")
        steps = _checked_horizon(time, self.step)
        refuse(simulator, "a path of derivatives", "its inputs change at knots")
        asked = Linearizing(simulator, chart, parameters, coordinates, smoothing, options)
        own, begin = simulator._twin(), 0.0 if start is None else start.time
        for name in inputs:
            if name in own.gains.names:
                raise ArgumentError(f"input '{name}': a gain; set it by set_parameter")
        self.time: Array = np.asarray(begin + self.step * np.arange(steps + 1), float)
        simulation = Simulation(own, start, self.time, self.step, 1, options, inputs)
        rows = simulation.begin(False, True, "momentum").rows[:, : len(own.plan.inputs)].astype(float)
        self.own, self.options, self.asked = own, options, asked
        self.inputs: tuple[str, ...] = own.plan.inputs
        self.ahead = np.zeros(len(self.inputs), bool)
        self.ahead[own.inputs.ahead] = True
        self.held, self.rows = rows[0].copy(), np.where(self.ahead, rows[1:], rows[:-1])
        self.first = own.engine.state.astype(float).copy()
        self.linearizer = asked.linearizer(own)
        first = Knot(self.linearizer.slopes, own.plan, self.first, self.held, self.linearizer.parameters)
        self.linearizer.chosen = first.choose(self.linearizer.every, self.linearizer.names)
        first.check(self.linearizer.chosen)
        self.names = names_of(self.linearizer.chosen, self.linearizer.layout.memory)
        self.rewind()

    def __len__(self) -> int:
        return len(self.rows)

    def rewind(self) -> None:
        """Angles are told from the first knot on again."""
        self.linearizer.branch(self.own.angles)

    def x(self, state: Array, row: Array) -> Array:
        """(n,) of a knot that comes after the one that was told last."""
        return self.linearizer.values(state, row)

    def after(self, state: Array, row: Array) -> Array:
        """The solver's state a step later. Raises SolverError."""
        slopes = self.linearizer.slopes
        slopes.enter(state, row)
        self.linearizer._check(slopes.step(self.options)[0])
        return slopes.state()

    def settled(self, state: Array, row: Array) -> Array:
        """The same, of the step that is sent to one centring. Raises SolverError."""
        return self.linearizer.settled(state, row)

    def linearized(self, state: Array, row: Array) -> Linearization:
        """The step from a state. Raises SolverError, AssemblyError."""
        near = self.linearizer.near.copy()
        found, _ = self.linearizer.step(state, row)
        self.linearizer.near = near
        return found

    def states(self, state: Array, first: int, last: int, rows: Array) -> list[Array]:
        """The solver's states at the knots from `first` to `last`. Raises SolverError, with the time of the knot."""
        found = [state]
        for k in range(first, last):
            found.append(self.timed(k, lambda k=k: self.after(found[-1], rows[k])))
        return found

    def timed(self, k: int, work: Callable[[], Found]) -> Found:
        """What some work on a step gives. Raises SolverError, with the time of the knot."""
        try:
            return work()
        except SolverError as error:
            raise SolverError(f"at {self.time[k]:g} s: {error}", error.status) from None

    def given(self, rows: Array) -> dict[str, Array]:
        """Inputs of `simulate` that make the steps of some rows: name -> (N + 1,)."""
        whole = np.vstack([rows, rows[-1]])
        whole[1:, self.ahead], whole[0, self.ahead] = rows[:, self.ahead], self.held[self.ahead]
        return {name: whole[:, k] for k, name in enumerate(self.inputs)}


def repeated(found: Array, expected: Array, time: float) -> None:
    """Raises SolverError where a stretch of a motion that was taken again does not end in the same bits."""
    if not np.array_equal(found, expected):
        raise SolverError(
            f"the motion up to {time:g} s does not repeat to the bit, so that its gradient would be of another one",
            SolverStatus.NOT_CONVERGED,
        )


def _checked_horizon(time: float, step: float) -> int:
    """The steps of a horizon. Raises ArgumentError."""
    try:
        time = number(time)
    except ValueError as error:
        raise MechanismError(f"time {shown(time)} {error}") from None
    steps = round(time / step)
    if steps < 1 or steps > MOST or abs(steps * step - time) > 1e-6 * step:
        raise ArgumentError(f"time {time:g} s: must be one or more whole steps of {step:g} s")
    return steps
