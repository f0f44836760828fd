"""What is measured of a motion: texts such as max(abs(hinge)), or functions of its named arrays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError
from symvi.mechanism.names import did_you_mean, shown
from symvi.simulate.arguments import checked_table
from symvi.simulate.batch_names import Quantity
from symvi.sweeps.fingerprints import fingerprint

if TYPE_CHECKING:
    from symvi.simulate.batch import BatchRecord

Array = NDArray[np.floating]
REDUCTIONS: dict[str, Callable[[Array], Array]] = {  # of (n, N) numbers along time
    "first": lambda x: x[:, 0],
    "last": lambda x: x[:, -1],
    "min": lambda x: x.min(axis=1),
    "max": lambda x: x.max(axis=1),
    "mean": lambda x: x.mean(axis=1),
    "rms": lambda x: np.sqrt((x * x).mean(axis=1)),
    "range": lambda x: x.max(axis=1) - x.min(axis=1),
}
AT_ENDS = ("first", "last")
FORM = re.compile(r"(?P<how>\w+)\((?P<abs>abs\()?\s*(?P<name>[\w.]+)(?:\[(?P<entry>\d+)\])?\s*\)(?(abs)\))")
EXAMPLE = "'max(abs(hinge))', 'last(energy)' or 'min(pole.position[2])'"
Given = str | Callable[["Motion"], float] | tuple[Callable[["Motion"], float], str]


class Motion(Mapping[str, NDArray[Any]]):
    """What a function measures: named arrays of one variant's motion at N knots.

    time: (N,) [s]. A joint's name has its coordinates, (N,) or (N, k), and joint.rate their rates; body.position,
    .velocity, .angular_velocity (N, 3), .orientation (N, 4); energy (N,). Only what was recorded is there, to be read.
    """

    def __init__(self, time: NDArray[np.float64], values: Mapping[str, NDArray[Any]]):
        self.time, self._values = time, values

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._values:
            raise ArgumentError(
                f"nothing is recorded as {shown(name)}; {did_you_mean(str(name), self._values)}, or record more"
            )
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@dataclass(frozen=True)
class Measure:
    """One number of a motion. how, absolute, name, entry: of a text; function: else. unit: of the number."""

    title: str
    unit: str = ""
    how: str = ""
    absolute: bool = False
    name: str = ""
    entry: int | None = None
    function: Callable[[Motion], float] | None = None

    def told(self) -> str:
        """What it is, for comparing two sweeps."""
        if self.function is None:
            return f"{self.how} {self.absolute} {self.name} {self.entry}"
        return fingerprint(self.function)


def measures_of(given: object, known: Mapping[str, Quantity]) -> tuple[Measure, ...]:
    """Measures by name. known: what a text may name. Raises ArgumentError."""
    table = checked_table("measure", given, "names to what is measured")
    if not table:
        raise ArgumentError(f"measure: nothing is measured; give names with texts such as {EXAMPLE}, or functions")
    return tuple(_measure(title, what, known) for title, what in table.items())


def _measure(title: str, what: object, known: Mapping[str, Quantity]) -> Measure:
    function: Any = what
    unit: Any = ""
    if isinstance(what, tuple) and len(what) == 2:
        function, unit = what
    if callable(function) and isinstance(unit, str):
        return Measure(title, unit, function=cast(Callable[[Motion], float], function))
    match = FORM.fullmatch(what.replace(" ", "")) if isinstance(what, str) else None
    if match is None:
        raise ArgumentError(
            f"measure '{title}' {shown(what)}: write {EXAMPLE}, or give a function, or (function, unit)"
        )
    how, name, entry = match["how"], match["name"], match["entry"]
    if how not in REDUCTIONS:
        raise ArgumentError(f"measure '{title}': no {shown(how)}; {did_you_mean(how, REDUCTIONS)}")
    if name not in known:
        raise ArgumentError(f"measure '{title}': nothing is called {shown(name)}; {did_you_mean(name, known)}")
    size = len(known[name].units)
    if (entry is None) != (size == 1) and not (entry == "0" and size == 1) or (entry and int(entry) >= size):
        raise ArgumentError(
            f"measure '{title}': {name} has {size} numbers; name one of them, {name}[0] being the first"
        )
    place = int(entry) if entry is not None and size > 1 else None
    return Measure(title, known[name].units[place or 0], how, match["abs"] is not None, name, place)


def recorded_for(measures: Sequence[Measure], known: Mapping[str, Quantity], more: Sequence[str]) -> tuple[str, ...]:
    """What a batch is to record. more: for functions, whose names nobody knows before."""
    own = [known[measure.name].recorded for measure in measures if measure.function is None]
    return tuple(dict.fromkeys([*own, *(more if any(measure.function for measure in measures) else ())]))


def only_ends(measures: Sequence[Measure]) -> bool:
    """Whether the first knot and the last one are all that is looked at."""
    return all(measure.how in AT_ENDS for measure in measures)


def measured(
    measures: Sequence[Measure], known: Mapping[str, Quantity], record: BatchRecord, whole: NDArray[np.bool_]
) -> tuple[Array, list[str]]:
    """(n, measures) numbers, NaN where there are none, and a sentence for each variant whose measure failed, else "".

    whole: (n,) which variants moved to the end; others are not measured.
    """
    found, errors = np.full((len(whole), len(measures)), np.nan), [""] * len(whole)
    there = {name: each for name, each in known.items() if each.recorded in record.values}
    for k, measure in enumerate(measures):
        if measure.function is None:
            values = known[measure.name].of(record[known[measure.name].recorded]).astype(float)
            values = values if measure.entry is None else values[..., measure.entry]
            found[whole, k] = REDUCTIONS[measure.how]((np.abs(values) if measure.absolute else values)[whole])
    functions = [(k, measure) for k, measure in enumerate(measures) if measure.function is not None]
    if functions:
        arrays = {name: _only_read(each.of(record[each.recorded])) for name, each in there.items()}
        for n in np.flatnonzero(whole).tolist():
            motion = Motion(record.time[n], {name: values[n] for name, values in arrays.items()})
            for k, measure in functions:
                found[n, k], error = _called(measure, motion)
                errors[n] = errors[n] or error
    for n in np.flatnonzero(whole & ~np.isfinite(found).all(axis=1)).tolist():
        bad = measures[int(np.argmin(np.isfinite(found[n])))]
        errors[n] = errors[n] or f"measure '{bad.title}' is not finite"
    return found, errors


def _only_read(array: Array) -> Array:
    """A view that no function can change: others are to measure the same motion."""
    found = array.view()
    found.flags.writeable = False
    return found


def _called(measure: Measure, motion: Motion) -> tuple[float, str]:
    """A function's number; what went wrong in it is the variant's error, and no other variant's."""
    assert measure.function is not None
    try:
        return float(measure.function(motion)), ""
    except Exception as error:
        return np.nan, f"measure '{measure.title}': {type(error).__name__}: {error}"
