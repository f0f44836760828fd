"""What a simulation records at its knots, chosen by name; what is missing then says so by name when it is asked for.

Placements, angles and what steps took are always recorded: a motion is at least where things were. What contacts, rows
and joints did is what the solver knows anyway. Rates at a knot, energies and closure take a linear solve of their own,
about as much as an iteration of a step; where none of these are wanted no such system is solved, but at WATCHED steps.

There all is recorded: for the guards of the motion (energy, stiffness, fast turns), which look at these knots as at a
motion that was recorded with `every`; for `state`; and for a motion that goes on from the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from symvi.errors import ArgumentError
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.values import items_of

if TYPE_CHECKING:
    from symvi.simulate.plan import Plan
    from symvi.simulate.trajectory import Trajectory
    from symvi.simulate.unread import Unread

FORMAT = 6  # of saved trajectories, which hold what is recorded
WATCHED = 32  # steps from one knot at which all is recorded to the next


class NotRecordedError(ArgumentError):
    """What a simulation was told not to record."""


@dataclass(frozen=True)
class Group:
    """What a name stands for: entries of frames, fields of a Trajectory, and whether they take whole frames."""

    frame: tuple[str, ...]
    fields: tuple[str, ...]
    whole: bool = False


ALWAYS = Group(
    ("x", "q", "angle", "iterations", "substeps", "status", "retries"),
    ("time", "position", "orientation", "carried_angles", "iterations", "substeps", "status", "retries"),
)
GROUPS: Mapping[str, Group] = {
    "coordinates": ALWAYS,
    "rates": Group(
        ("v", "w", "momentum", "angular_momentum"),
        ("velocity", "angular_velocity", "linear_momentum", "angular_momentum"),
        whole=True,
    ),
    "energy": Group(
        ("kinetic", "potential", "scatter", "swerve", "pace", "sway", "misread", "work", "late", "spent"),
        ("kinetic_energy", "potential_energy", "scatter", "swerve", "pace", "sway", "misread", "work_values",
         "late_values", "spent_values"),
        whole=True,
    ),
    "closure": Group(("closure",), ("closure",), whole=True),
    "contacts": Group(("contact", "stop"), ("contact_values", "stop_values")),
    "reactions": Group(
        ("rows", "reaction", "power", "before_x", "before_q"),
        ("kept_reactions", "multipliers", "powers", "before_position", "before_orientation"),
    ),
    "inputs": Group((), ("inputs",)),
}  # fmt: skip
EVERYTHING = tuple(GROUPS)
PER_KNOT = {field: name for name, group in GROUPS.items() for field in group.fields}


def checked_record(record: object) -> tuple[str, ...]:
    """The names that are recorded, in the order of GROUPS; all of them for None.

    Raises ArgumentError for what is no list of names, and for a name that is none, with the nearest one.
    """
    if record is None:
        return EVERYTHING
    given = items_of(record)
    if given is None or not all(isinstance(name, str) for name in given):
        raise ArgumentError(f"record {shown(record)}: must be a list of names, such as ['coordinates', 'contacts']")
    names = [str(name) for name in given]
    for name in names:
        if name not in GROUPS:
            raise ArgumentError(f"record: no such name {shown(name)}; {did_you_mean(name, GROUPS)}")
    return tuple(name for name in GROUPS if name in names or name == "coordinates")


def takes_whole(recorded: Iterable[str]) -> bool:
    """Whether something is recorded that every knot must be solved for."""
    return any(GROUPS[name].whole for name in recorded)


def watched_every(every: int) -> int:
    """Recorded knots from one at which all is recorded to the next: WATCHED steps, or as few more as every allows."""
    return -(-WATCHED // every)


def watched_knots(count: int, apart: int) -> np.ndarray:
    """Which of so many recorded knots have all recorded: every `apart`-th, and the last one."""
    return np.unique(np.append(np.arange(0, count, apart), count - 1))


@dataclass(frozen=True)
class Holding:
    """Frames that hold no more than what some names stand for. plan: with their layout. runs: (where, from, until) of
    the stretches of whole frames that they hold. size: how many numbers that is."""

    plan: Plan
    runs: tuple[tuple[int, int, int], ...]
    size: int

    @classmethod
    def of(cls, plan: Plan, names: Iterable[str]) -> Holding:
        kept = {entry for name in names for entry in GROUPS[name].frame}
        layout: dict[str, tuple[int, tuple[int, ...]]] = {}
        runs: list[tuple[int, int, int]] = []
        size = 0
        for entry, (offset, shape) in plan.frame.items():
            if entry not in kept:
                continue
            layout[entry] = size, shape
            where, first, until = runs[-1] if runs else (0, -1, -1)
            if until == offset:
                runs[-1] = where, first, offset + prod(shape)
            else:
                runs.append((size, offset, offset + prod(shape)))
            size += prod(shape)
        held = replace(plan)
        held.__dict__["frame"] = layout  # a cached property
        return cls(held, tuple(runs), size)

    def room(self, count: int, like: np.ndarray) -> np.ndarray:
        """Memory for so many such frames."""
        return np.empty((count, self.size), like.dtype)

    def put(self, into: np.ndarray, whole: np.ndarray) -> None:
        """What they hold of whole frames."""
        for where, first, until in self.runs:
            into[:, where : where + until - first] = whole[:, first:until]


@dataclass(frozen=True)
class Later:
    """A field that is worked out when it is asked for the first time."""

    value: Callable[[], np.ndarray]

    def __call__(self) -> np.ndarray:
        return self.value()


class Recorded:
    """A trajectory that may have only a part of its fields.

    recorded: the names of GROUPS that it has. watched: everything, at some of its knots; None where it is everything
    at all of them. What is there but was not read yet is worked out when it is asked for (unread.py).
    """

    recorded: tuple[str, ...]
    watched: Trajectory | None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Called for what is not there, or not yet."""
            later, unread = (self.__dict__.get(own, {}) for own in ("_later", "_unread"))
            if unread and name in PER_KNOT and PER_KNOT[name] in self.recorded and name not in later:
                unread.read(self)
                return getattr(self, name)
            if name in later:
                object.__setattr__(self, name, later[name]())
                return self.__dict__[name]
            if name in PER_KNOT and PER_KNOT[name] not in self.__dict__.get("recorded", EVERYTHING):
                raise NotRecordedError(not_recorded(name, PER_KNOT[name], self.recorded))
            raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        if self.unread:
            self.unread.read(self)  # pyright: ignore[reportArgumentType]
        for name in self.__dict__["_later"]:
            getattr(self, name)
        return {**self.__dict__, "_later": {}}

    def has(self, name: str) -> bool:
        """Whether what a name of GROUPS stands for was recorded at every recorded knot."""
        return name in self.recorded

    @property
    def unread(self) -> Unread | None:
        """What of it nobody has read yet; None where all is worked out."""
        return self.__dict__.get("_unread")

    @property
    def glimpsed(self) -> Trajectory:
        """All of the motion, at those knots at which all is known without taking steps once more."""
        return self.unread.watched if self.unread else self.whole

    @property
    def whole(self) -> Trajectory:
        """All of the motion, at those of its knots at which all was recorded: itself, where nothing was left out."""
        return self if self.watched is None else self.watched  # pyright: ignore[reportReturnType]


def not_recorded(what: str, group: str, recorded: Iterable[str]) -> str:
    """The sentence of the error."""
    names = ", ".join(map(repr, [*recorded, group]))
    return f"not recorded: {what} (of '{group}'); simulate with record=[{names}], or without record for everything"
