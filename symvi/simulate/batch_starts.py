"""Where the worlds of a batch start: each as `Simulator.reset` starts one, with parameters and inputs of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symvi.errors import AssemblyError, MechanismError
from symvi.mechanism import start_state
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.state import State
from symvi.numbers.control import SolverOptions
from symvi.simulate.arguments import Rates, checked_state, checked_table
from symvi.simulate.world import World, world_at

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator

Numbers = NDArray[np.floating]


@dataclass(frozen=True)
class Wanted:
    """What was asked for: values by name, one for all worlds or one for each.

    parameters: name -> (1 or n, k). inputs: name -> (1 or n, k). starts: one for all worlds or one for each.
    """

    count: int
    parameters: Mapping[str, Numbers]
    inputs: Mapping[str, Numbers]
    starts: Sequence[State | None]

    @property
    def varied(self) -> bool:
        """Whether worlds have parameters of their own."""
        return any(len(values) > 1 for values in self.parameters.values())

    @property
    def different(self) -> int:
        """How many worlds are to be started: one, where all are alike."""
        alike = all(len(values) == 1 for values in (*self.parameters.values(), *self.inputs.values(), self.starts))
        return 1 if alike else self.count

    def of(self, world: int) -> tuple[dict[str, Numbers], dict[str, Numbers], State | None]:
        """Parameters, inputs and start of one world."""
        parameters, inputs = (
            {name: values[world if len(values) > 1 else 0] for name, values in table.items()}
            for table in (self.parameters, self.inputs)
        )
        return parameters, inputs, self.starts[world if len(self.starts) > 1 else 0]


def wanted(own: Simulator, count: int, parameters: object, inputs: object, starts: object) -> Wanted:
    """What the worlds of a batch differ by, checked for its shapes. Raises MechanismError."""
    tables: dict[str, dict[str, Numbers]] = {}
    for what, given in (("parameters", parameters), ("inputs", inputs)):
        table = {}
        for name, values in checked_table(what, given, f"names of {what} to numbers").items():
            size = _size(own, what, name)
            table[name] = _each(f"{what[:-1]} {shown(name)}", values, count, size)
        tables[what] = table
    return Wanted(count, starts=_states(starts, count), **tables)


def _size(own: Simulator, what: str, name: str) -> int:
    """How many numbers a parameter or an input has. Raises MechanismError for a name that is none."""
    if what == "inputs":
        entries = [known for known in own.plan.inputs if known == name or known.startswith(f"{name}[")]
        return len(entries) or len([own.inputs.column(name)])
    if name in own.described:
        return len(own.described[name].value)
    raise MechanismError(
        f"no parameter {shown(name)}; {did_you_mean(name, own.described)} (lengths, anchors and shapes are "
        "no parameters: symvi.sweep varies them)"
    )


def _each(what: str, values: object, count: int, size: int) -> Numbers:
    """(1 or n, size) numbers. Raises MechanismError."""
    try:
        numbers = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array(None)
    if numbers.dtype.kind not in "biuf":
        raise MechanismError(f"{what}: {shown(values)} is neither a number nor an array of numbers")
    numbers = numbers.astype(float)
    if not np.isfinite(numbers).all():
        wrong = np.argwhere(~np.isfinite(numbers))[0]
        where = f", in world {wrong[0]}" if numbers.shape in ((count,), (count, size)) else ""
        raise MechanismError(f"{what} has a value that is not finite{where}")
    if numbers.shape == () or (size > 1 and numbers.shape == (size,)):
        return np.broadcast_to(numbers, (1, size))
    if size == 1 and numbers.shape == (count,):
        return numbers[:, None]
    if numbers.shape == (count, size):
        return numbers
    told = f"({count},)" if size == 1 else f"({size},) or ({count}, {size})"
    raise MechanismError(f"{what} has the shape {numbers.shape}; give one for all worlds, or {told}")


def _states(starts: object, count: int) -> Sequence[State | None]:
    """One start for all worlds, or one for each. Raises MechanismError."""
    if starts is None or isinstance(starts, State):
        return (starts,)
    if not isinstance(starts, Sequence) or isinstance(starts, str) or len(starts) != count:
        raise MechanismError(f"starts {shown(starts)}: give a State, or {count} of them, one for each world")
    return tuple(None if start is None else checked_state(start) for start in starts)


def started(
    own: Simulator, asked: Wanted, step: float, options: SolverOptions, project: bool, rates: Rates
) -> Iterator[World]:
    """A world for each that differs, or one. Raises what `Simulator.reset` does, with the number of the world."""
    described = start_state(own.mechanism) if asked.different > 1 else None  # that of all, worked out once
    for k in range(asked.different):
        parameters, inputs, start = asked.of(k)
        twin = own._twin()
        try:
            for name, values in parameters.items():
                twin.set_parameter(name, values)
            yield world_at(twin, described if start is None else start, inputs, step, options, project, rates)
        except (AssemblyError, MechanismError) as error:
            if asked.different == 1:
                raise
            raise type(error)(f"world {k}: {error}") from None
