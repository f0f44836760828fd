"""What drives a simulation: signals of the description, arrays, or a controller, as one row of inputs per knot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from symvi.errors import MechanismError
from symvi.mechanism import Mechanism
from symvi.mechanism.grammar import Tree
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.signals import signal, signal_tree, value_and_rate
from symvi.mechanism.state import State
from symvi.registry import FORCES, law_of
from symvi.simulate.plan import Plan

Controller = Callable[[float, State], Mapping[str, object]]


def signals_of(mechanism: Mechanism) -> Iterator[tuple[str, str, bool]]:
    """(input name, text in t, whether it is the text's rate) for every signal of a description."""
    for driver in mechanism.drivers:
        if driver.signal is not None:
            yield f"{driver.name}.target", driver.signal, False
    for force in mechanism.forces:
        if getattr(force, "signal", None) is not None:
            yield from FORCES[force.kind].signals(force)


class Inputs:
    """Fills rows of inputs, in the order of the plan.

    drivers: columns of what drivers are to reach. ahead: columns of targets, of drivers and servos, and of servos'
    rates: a step takes those of its second knot, other inputs act at its first one. alone: name of an entry -> column.
    """

    def __init__(self, mechanism: Mechanism, plan: Plan):
        self.names = plan.inputs
        self._column = self.alone = {name: k for k, name in enumerate(plan.inputs)}
        self._signals = [
            (self._column[name], signal_tree(text), rate)
            for name, text, rate in signals_of(mechanism)
            if name in self._column
        ]
        for force in mechanism.forces:
            if FORCES.serial(force.kind) and getattr(force, "signal", None) is not None:
                for name in [name for name, _, _ in FORCES[force.kind].signals(force) if name not in self._column]:
                    told = f"signals gave the input '{name}', which is none; {did_you_mean(name, plan.inputs)}"
                    raise MechanismError(f"force '{force.name}': kind of force '{force.kind}': {told}")
        self.drivers = [
            self._column[f"{d.name}.target"] for d in mechanism.drivers if f"{d.name}.target" in self._column
        ]
        servos = [force.name for force in mechanism.forces if (law := law_of(force)) and law.is_aimed]
        followed = [f"{name}.{field}" for name in servos for field in ("target", "target_rate")]
        followed = [self._column[name] for name in followed]
        self.ahead = self.drivers + followed
        self._kept = {column: _kept(plan, column) for column in followed}

    def aim_from(self, state: np.ndarray, row: np.ndarray, names: Collection[str]) -> None:
        """Let servos aim at these inputs from the start on: nothing else says what they aimed at before.

        state: (z,) the solver's own, at a start. row: (m,) inputs of the first step. names: of those that are meant.
        """
        for column, place in self._kept.items():
            if self.names[column] in names:
                state[place] = row[column]

    def aimed(self, given: Collection[str]) -> frozenset[str]:
        """The names of inputs that have a value before a run: those given, and those of signals."""
        return frozenset(given) | {self.names[column] for column, _, _ in self._signals}

    def has_signal(self, name: str) -> bool:
        """Whether an input follows a signal of the description."""
        return any(column == self._column[name] for column, _, _ in self._signals)

    def _signalled(self, row: np.ndarray, time: float) -> np.ndarray:
        """(m,): which inputs of a row at a time are what the description's signals say."""
        known = np.zeros(len(self.names), bool)
        known[[column for column, _, _ in self._signals]] = True
        return known & (row == self.from_signals(np.array([time]))[0])

    def from_signals(self, times: np.ndarray) -> np.ndarray:
        """(N, m): every signal at every time; inputs without a signal are 0."""
        rows = np.zeros((len(times), len(self.names)))
        for column, tree, rate in self._signals:
            at = signal(tree)
            with self._named(column):
                rows[:, column] = [at(t)[rate] for t in times.tolist()]
        return rows

    def rates(self, rows: np.ndarray, time: float, step: float) -> tuple[np.ndarray, float]:
        """(m,) rates of the inputs at a start, and how far those of drivers may differ from what a state says.

        rows: (k, m) inputs at this knot and the next ones. The rate of a signal is exact; of given values it is that
        of a parabola through three of them, and a fourth says how good that is. A state in mid-motion knows a driver's
        rate by the knots before it.
        """
        rates, doubts = _one_sided(rows, step)
        signalled = self._signalled(rows[0], time)
        for column, tree, rate in self._signals:
            if signalled[column] and not rate:
                rates[column] = self._at(column, tree, time)[1]
                doubts[column] = max((abs(rate - rates[column]) for rate in _backward(tree, time, step)), default=0.0)
        return rates, float(doubts[self.drivers].max(initial=0.0))

    def _at(self, column: int, tree: Tree, time: float) -> tuple[float, float]:
        """Value and rate of a signal at a time. Raises MechanismError, naming the input, where there are none."""
        with self._named(column):
            return value_and_rate(tree, time)

    @contextmanager
    def _named(self, column: int) -> Iterator[None]:
        try:
            yield
        except MechanismError as error:
            raise MechanismError(f"the signal of {self.names[column]}: {error}") from None

    def column(self, name: str) -> int:
        """The column of an input. Raises MechanismError with the nearest name."""
        if name not in self._column:
            raise MechanismError(f"no input {shown(name)}; {did_you_mean(str(name), self.names)}")
        return self._column[name]

    def overlay(self, rows: np.ndarray, given: Mapping[str, object]) -> np.ndarray:
        """Put given inputs over (N, m) rows and return them; 'motor.force' stands for all entries of that field.

        A number fills all its entries. (k,) fills each of k entries, in every row; (N,) is one entry, and (N, k) are k,
        row by row. Raises MechanismError for an unknown name, any other shape, and values that are no finite numbers.
        """
        for name, values in given.items():
            columns = [k for k, known in enumerate(self.names) if known == name or known.startswith(f"{name}[")]
            columns = columns or [self.column(name)]
            rows[:, columns] = layout(name, values, len(rows), len(columns))
        return rows


def _kept(plan: Plan, column: int) -> slice:
    """Where a state keeps an input of the knot before."""
    field = next(name for name, (offset, _) in plan.fields["input"].items() if offset == column)
    offset, size = plan.fields["state"][field]
    return slice(offset, offset + size)


def _one_sided(rows: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Rates at the first of equidistant rows, to second order where there are three, and a bound of their errors."""
    if len(rows) < 3:
        rates = (rows[1] - rows[0]) / step
        return rates, np.abs(rates)
    rates = (4 * (rows[1] - rows[0]) - (rows[2] - rows[0])) / (2 * step)
    return rates, np.abs(np.diff(rows[:4], n=len(rows[:4]) - 1, axis=0)[0]) / step


def _backward(tree: Tree, time: float, step: float) -> Iterator[float]:
    """Rates of a signal as a motion that began one step before has them, and one that began earlier."""
    if time < step:
        return
    try:
        (before, rate), now = value_and_rate(tree, time - step), value_and_rate(tree, time)[0]
        mean = (now - before) / step
        yield mean + (mean - rate) / 2
        if time >= 2 * step:
            yield (4 * (now - before) - (now - value_and_rate(tree, time - 2 * step)[0])) / (2 * step)
    except MechanismError:  # a signal that begins here
        return


def layout(name: str, values: object, count: int, entries: int, most: float = np.inf) -> np.ndarray:
    """A given input as something that broadcasts to (count, entries). most: its largest magnitude.

    An input of any size is taken: a step that it drives beyond all numbers ends in a status that says so.
    """
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        array = np.array(None)  # rows of unequal lengths
    if array.dtype.kind not in "biuf":
        raise MechanismError(f"input {shown(name)}: {shown(values)} is neither a number nor an array of numbers")
    if not np.isfinite(array).all():
        raise MechanismError(f"input {shown(name)} has a value that is not finite")
    if array.size and np.abs(array.astype(float)).max() > most:
        raise MechanismError(f"input {shown(name)} has a value beyond {most:g}, which is too large; check its unit")
    if array.shape in ((), (entries,), (count, entries)):
        return array
    if entries == 1 and array.shape == (count,):
        return array[:, None]
    wanted = ["one number", *([f"({entries},)"] if entries > 1 else [f"({count},)"]), f"({count}, {entries})"]
    raise MechanismError(
        f"input {shown(name)} has the shape {array.shape}; give {', '.join(wanted[:-1])} or {wanted[-1]}: "
        f"{entries} {'entry' if entries == 1 else 'entries'} at {count} {'knot' if count == 1 else 'knots'}"
    )
