"""The inputs of a world: what a step reads, checked before anything changes, and what stands where nobody says else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symvi.errors import MechanismError
from symvi.mechanism.names import shown
from symvi.simulate.arguments import checked_table, real_numbers
from symvi.simulate.knots import Knots

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator

Array = NDArray[np.float64]
INFINITY = float("inf")


@dataclass
class Clock:
    """Which knot it is. begin: time of the first one, unless that is so many whole steps after zero. step [s]."""

    step: float
    begin: float | None = None
    whole: int = 0
    index: int = 0

    @property
    def time(self) -> float:
        """Of this knot [s]."""
        return self.at(self.index)

    def at(self, index: int) -> float:
        """Of any knot [s]."""
        return self.step * (self.whole + index) if self.begin is None else self.begin + self.step * index


class WorldInputs:
    """What a step reads. names: in the order of an array that `World.step` takes.

    given: (m,) inputs of the first knot. fixed: columns of those that `reset` was given or that drivers hold, which no
    signal changes. aimed: inputs whose targets were given at a start. plain: nothing is to be put back before a step.
    """

    def __init__(self, own: Simulator, knots: Knots, clock: Clock):
        """own: the simulator of the world alone."""
        self._own, self._z, self._u, self.clock = own, own.engine.state, knots.inputs, clock
        self.names = own.plan.inputs
        self.columns = {name: k for k, name in enumerate(self.names)}
        self._signals = any(own.inputs.has_signal(name) for name in self.names)
        self._ahead = own.inputs.ahead
        self._quick = not self._signals and not own.gains.names and own.engine.state.dtype == np.float64

    def settle(self, given: Array, fixed: list[int], gains: Array, aimed: frozenset[str] | None) -> None:
        """What stays the same from knot to knot."""
        self.given, self.fixed, self.gains, self.aimed = given, fixed, gains, aimed
        self.gains_now = gains.tobytes()
        self._u[: len(given)] = given
        self.plain = not self._signals

    def enter(self, inputs: object) -> None:
        """Put inputs where the step reads them, checked before anything changes."""
        if self._quick and type(inputs) is dict:
            columns = self.columns
            for name, value in inputs.items():
                if not isinstance(value, float) or not -INFINITY < value < INFINITY or name not in columns:
                    break
            else:
                self.plain = False
                if len(inputs) < len(columns):
                    self._u[: len(self.given)] = self.given
                for name, value in inputs.items():
                    self._u[columns[name]] = value
                return
        self._enter_any(inputs)

    def _enter_any(self, inputs: object) -> None:
        own = self._own
        row, given, gains = self._standing(), {}, {}
        if isinstance(inputs, Mapping):
            given, gains = own.gains.split(checked_table("inputs", inputs, "names of inputs to numbers"))
            own.inputs.overlay(row[None], given)
        elif inputs is not None:
            values = real_numbers(inputs)
            if values is None or values.shape != row.shape:
                raise MechanismError(
                    f"inputs {shown(inputs)}: give a mapping from names to numbers, or {len(row)} numbers in the order "
                    "of input_names"
                )
            if not np.isfinite(values).all():
                bad = self.names[int(np.argmin(np.isfinite(values)))]
                raise MechanismError(f"input {shown(bad)} has a value that is not finite")
            row, given = values, dict.fromkeys(self.names)
        gain_row = own.gains.overlay(self.gains[None].copy(), gains)[0]
        self.set_gains(gain_row.tobytes())
        with np.errstate(over="ignore"):  # what float cannot hold is infinite, and the step says so
            self._u[: len(row)] = row
        if self.clock.index == 0 and self.aimed is not None:
            own.inputs.aim_from(self._z, self._u, given.keys() - self.aimed)
        self.plain = inputs is None and not self._signals

    def _standing(self) -> Array:
        """(m,): inputs of the step from here that nobody names."""
        if not self._signals:
            return self.given.copy()
        now, then = self._own.inputs.from_signals(np.array([self.clock.time, self.clock.at(self.clock.index + 1)]))
        now[self._ahead] = then[self._ahead]
        now[self.fixed] = self.given[self.fixed]
        return now

    def set_gains(self, gains: bytes) -> None:
        if gains != self.gains_now:
            self._own.engine.parameters[self._own.gains.places] = np.frombuffer(gains)
            self.gains_now = gains
