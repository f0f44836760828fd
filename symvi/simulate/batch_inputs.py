"""The inputs of a batch: what is given, checked before anything changes, and what stands where nobody says else."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError, MechanismError
from symvi.mechanism.names import shown
from symvi.simulate.arguments import checked_table
from symvi.simulate.inputs import Inputs
from symvi.simulate.room import memory, told_size

Numbers = NDArray[np.floating]
ROWS = 3  # copies of rows that are put together


class BatchInputs:
    """Rows of inputs for the steps of n worlds.

    given: (n, m) inputs that stand where a step names none. fixed: columns of those that no signal changes. aimed:
    names of inputs whose targets were told at the start.
    """

    def __init__(self, inputs: Inputs, real: type, given: Numbers, fixed: list[int], aimed: frozenset[str] | None):
        self._inputs, self._real, self.given, self._fixed = inputs, real, given, fixed
        self._aimed = aimed or frozenset()
        self.names = inputs.names
        self._signals = any(inputs.has_signal(name) for name in self.names)

    def rows(self, inputs: object, steps: int, times: Callable[[int], NDArray[np.float64]], lone: bool) -> Numbers:
        """(n or 1, steps or 1, m) inputs of the next steps, in the precision of the solver, of finite numbers.

        inputs: None; name -> numbers that broadcast to (n, steps), with entries (n, steps, k); or an array that
        broadcasts to (n, steps, m). lone: of a step alone, whose shapes have no steps. times: (n, k) of the next k
        knots. Raises MechanismError.
        """
        count = len(self.given)
        if inputs is not None and not isinstance(inputs, Mapping):
            found = self._whole(inputs, (count, steps, len(self.names)), lone)
            return found if self.names else np.zeros((1, 1, 1), self._real)
        if not self.names and not inputs:
            return np.zeros((1, 1, 1), self._real)
        if not inputs and not self._signals:
            return self.given[:, None]
        named = {}
        for name, values in checked_table("inputs", inputs, "names of inputs to numbers").items():
            columns = [k for k, known in enumerate(self.names) if known == name or known.startswith(f"{name}[")]
            columns = columns or [self._inputs.column(name)]
            shape = (count, steps, len(columns)) if len(columns) > 1 else (count, steps)
            numbers = _fitted(f"input {shown(name)}", values, shape, lone)
            _check_finite(f"input {shown(name)}", numbers)
            named[name] = columns, numbers.reshape(shape) if lone else numbers
        lasting = not self._signals and not any(numbers.strides[1] for _, numbers in named.values())
        steps = 1 if lasting else steps
        self._check_room(count * steps)
        rows = self._standing(times(steps + 1))
        for columns, numbers in named.values():
            rows[:, :, columns] = numbers[:, :steps].reshape(count, steps, len(columns))
        with np.errstate(over="ignore"):  # what float cannot hold is infinite, and the step says so
            return np.ascontiguousarray(rows, self._real)

    def _whole(self, inputs: object, shape: tuple[int, ...], lone: bool) -> Numbers:
        """An array of all inputs: the caller's own numbers, where they are of the solver's type and lie in order."""
        numbers = _fitted("inputs", inputs, shape, lone)
        _check_finite("inputs", numbers, self.names)
        size, inside = numbers.itemsize, numbers.shape[-1] == 1 or numbers.strides[-1] == numbers.itemsize
        if numbers.dtype == self._real and inside and not any(stride % size for stride in numbers.strides):
            return numbers
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(numbers, self._real)

    def _standing(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, steps, m): inputs that nobody names."""
        steps = times.shape[1] - 1
        rows = np.repeat(self.given[:, None].astype(float), steps, axis=1)
        if self._signals:
            known, where = np.unique(times, return_inverse=True)
            found = self._inputs.from_signals(known)[where.reshape(times.shape)]
            now, ahead = found[:, :-1], self._inputs.ahead
            now[:, :, ahead] = found[:, 1:, ahead]
            told = [k for k, name in enumerate(self.names) if self._inputs.has_signal(name) and k not in self._fixed]
            others = [k for k in range(len(self.names)) if k not in told and k not in self._fixed]
            rows[:, :, told] = now[:, :, told]
            rows[:, :, others] = 0.0
        return rows

    def _check_room(self, rows: int) -> None:
        """Raises ArgumentError for more rows of inputs than there is memory for."""
        needs, has = ROWS * 8 * rows * len(self.names), memory()
        if needs > has:
            raise ArgumentError(
                f"inputs of {rows} steps take about {told_size(needs)} of memory, and there are {told_size(has)}: take "
                "fewer steps at a time"
            )

    def aim(self, state: Numbers, rows: Numbers, inputs: object, begins: NDArray[np.bool_]) -> None:
        """Let servos of worlds that begin aim at these inputs from their start on. Arguments as for `rows`."""
        if inputs is None or not self._inputs._kept or not begins.any():
            return
        names = set(inputs) if isinstance(inputs, Mapping) else set(self.names)
        first = np.broadcast_to(rows[:, 0], (len(state), rows.shape[2]))
        for k in np.flatnonzero(begins):
            self._inputs.aim_from(state[k], first[k], names - self._aimed)


def _fitted(what: str, values: object, shape: tuple[int, ...], lone: bool) -> Numbers:
    """An array as broadcast to (n, steps, ...), or (n, ...) of a step alone. Raises MechanismError."""
    wanted = (shape[0], *shape[2:]) if lone else shape
    try:
        numbers = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array(None)  # rows of unequal lengths
    if numbers.dtype.kind not in "biuf":
        raise MechanismError(f"{what}: {shown(values)} is neither a number nor an array of numbers")
    try:
        fitted = np.broadcast_to(numbers if numbers.dtype.kind == "f" else numbers.astype(float), wanted)
    except ValueError:
        raise MechanismError(f"{what} has the shape {numbers.shape}; give {wanted}, or what broadcasts to it") from None
    return fitted[:, None] if lone else fitted


def _check_finite(what: str, numbers: Numbers, names: tuple[str, ...] = ()) -> None:
    """Raises MechanismError, naming the first world and input whose number is not finite."""
    fine = np.isfinite(numbers)
    if not fine.all():
        where = np.argwhere(~fine)[0]
        named = f"input {shown(names[where[2]])}" if names else what
        raise MechanismError(f"{named} has a value that is not finite, in world {where[0]}")
