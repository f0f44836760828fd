"""What a sweep may change: parameters, all other numbers of a description, starts of joints, and inputs, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError, MechanismError
from symvi.mechanism import Mechanism
from symvi.mechanism.changing import full_names, number_names
from symvi.mechanism.named_numbers import in_si, places_bodies, unit_of, value_of
from symvi.mechanism.names import did_you_mean, shown
from symvi.simulate.arguments import real_numbers
from symvi.simulate.curves import input_units

if TYPE_CHECKING:
    from symvi.simulate import Simulator

Kind = Literal["parameter", "description", "input"]
OF_BODIES = {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}  # starts, and their numbers
INDEX = re.compile("[0-9]{1,9}]")  # what stands behind the bracket of gravity[2]


@dataclass(frozen=True)
class Name:
    """title: as a user wrote it. own: what the mechanism calls it. kind: how it is changed. entry: that it means, of
    several; base has the others then. size: how many numbers it takes. units: of these.
    """

    title: str
    own: str
    kind: Kind
    entry: int | None
    base: tuple[float, ...]
    size: int
    units: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """How a table calls its numbers."""
        return (self.title,) if self.size == 1 else tuple(f"{self.title}[{k}]" for k in range(self.size))

    def value(self, numbers: NDArray[np.float64]) -> float | tuple[float, ...]:
        """What is given for `own`. numbers: (k,)."""
        values = tuple(numbers.tolist())
        if self.entry is not None:
            values = (*self.base[: self.entry], *values, *self.base[self.entry + 1 :])
        return values[0] if len(values) == 1 else values


def names_of(simulator: Simulator, titles: Iterable[str]) -> dict[str, Name]:
    """What names mean. Raises MechanismError for those that mean nothing, ArgumentError for two that mean the same."""
    found = {title: _name_of(simulator, title) for title in titles}
    seen: dict[tuple[str, int], str] = {}
    for title, name in found.items():
        for number in _meant(simulator, name):
            other = seen.setdefault(number, title)
            if other != title:
                raise ArgumentError(f"{other} and {title} are the same number; give it once")
    return found


def _meant(simulator: Simulator, name: Name) -> Iterator[tuple[str, int]]:
    """Which numbers a name means: of what, and which of it."""
    if name.kind == "input":
        yield from (("input", column) for column in columns_of(simulator, name.own))
    else:
        yield from ((name.own, k) for k in (range(name.size) if name.entry is None else [name.entry]))


def columns_of(simulator: Simulator, title: str) -> list[int]:
    """The inputs that a name stands for: an entry, or all of a field. None for other names."""
    return [k for k, known in enumerate(simulator.plan.inputs) if known == title or known.startswith(f"{title}[")]


def _name_of(simulator: Simulator, title: str) -> Name:
    mechanism, inputs, entries = simulator.mechanism, simulator.plan.inputs, columns_of(simulator, title)
    if entries:
        units = input_units(mechanism, title.split("[")[0], len(entries))
        return Name(title, title, "input", None, (), len(entries), _each(units, len(entries)))
    known = tuple(number_names(mechanism))
    plain, _, index = title.partition("[")
    (own,) = full_names(mechanism, {plain: None})
    if own not in known or (index and not INDEX.fullmatch(index)):
        raise MechanismError(
            f"mechanism '{mechanism.name}': nothing that a sweep could change is called {shown(title)}; "
            f"{did_you_mean(title, (*known, *inputs))}"
        )
    base, units = value_of(mechanism, own), unit_of(mechanism, own)
    size = max(len(base), len(units)) if base is not None else max(_left_out(mechanism, own), len(units))
    settable = own in simulator.parameter_names and not places_bodies(mechanism, own)
    kind: Kind = "parameter" if settable else "description"
    if not index:
        return Name(title, own, kind, None, (), size, _each(units, size))
    entry, base = int(index[:-1]), _standing(simulator, title, own, base)
    if base is None or entry >= len(base):
        raise MechanismError(f"{title}: {own} has {len(base or ())} numbers in the description, from [0] on")
    return Name(title, own, kind, entry, base, 1, (_each(units, size)[entry],))


def _left_out(mechanism: Mechanism, own: str) -> int:
    """How many numbers a start has that a description leaves out."""
    owner, _, field = own.partition(".")
    return OF_BODIES.get(field, 1) if owner in mechanism.body_names else 1


def _standing(simulator: Simulator, title: str, own: str, base: tuple[float, ...] | None) -> tuple[float, ...] | None:
    """The numbers beside an entry: the description's, or those that were set in the simulator. Raises ArgumentError."""
    described = simulator.described.get(own)
    if base is None or described is None:
        return base
    solvers = dict(described.numbers(base))
    if all(simulator.settings.get(name, numbers) == numbers for name, numbers in solvers.items()):
        return base
    if list(solvers.values()) == [base]:  # the solver has them as they are
        return simulator.settings[next(iter(solvers))]
    raise ArgumentError(f"{title}: {own} was set in this simulator; sweep all of {own}, or start with with_parameters")


def _each(units: tuple[str, ...], size: int) -> tuple[str, ...]:
    return units if len(units) == size else units[:1] * size


def numbers_of(simulator: Simulator, name: Name, value: object) -> tuple[float, ...]:
    """A value in SI, as so many finite numbers as the name has. Raises MechanismError."""
    plain: object = value
    if name.kind != "input":
        whole = value if name.entry is None else [*name.base[: name.entry], value, *name.base[name.entry + 1 :]]
        plain = in_si(simulator.mechanism, name.own, list(whole) if isinstance(whole, tuple) else whole)
        plain = plain[name.entry] if name.entry is not None and isinstance(plain, list) else plain
    numbers = real_numbers(plain)
    if numbers is None or numbers.shape != (name.size,) or not np.isfinite(numbers).all():
        raise MechanismError(f"{name.title} {shown(value)}: must be {name.size} finite number(s) in SI, or with a unit")
    return tuple(numbers.tolist())
