"""What is to be learned: what is seen and done by names, what is gained, when it ends, and how it begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError
from symvi.mechanism.names import did_you_mean, shown

Array = NDArray[Any]
Bounds = tuple[Any, Any]
Start = Mapping[str, Bounds] | Callable[[np.random.Generator], Mapping[str, Any]]


class Now(Mapping[str, Array]):
    """Named arrays of n worlds after a step: (n,) or (n, k), to be read only.

    A joint's name has its coordinates, joint.rate their rates, body.position, .orientation, .velocity,
    .angular_velocity and energy what `Batch.read` tells, an input's name what was done in the step. time: (n,) of the
    episode [s]. before: the same before the step; the same as now right after a start.
    """

    def __init__(self, time: Array, values: Mapping[str, Array], before: Now | None = None):
        self.time, self._values = time, values
        self.before = self if before is None else before

    def __getitem__(self, name: str) -> Array:
        if name not in self._values:
            raise ArgumentError(f"nothing is read as {shown(name)}; {did_you_mean(str(name), self._values)}")
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@dataclass(frozen=True)
class Task:
    """A task for worlds of one mechanism.

    observe: names, or name -> (least, most), or a function of `Now` that gives (n, k) numbers. act: name of an input ->
    (least, most), numbers or one for each of its entries; actions beyond are put back to them. reward: gives (n,) of
    `Now`. end: gives (n,) True where an episode ends. episode: steps after which one is cut off. start: name of a joint
    or joint.rate -> (least, most) between which it begins, or a function of a random generator that gives name ->
    number(s); joints that are not named are as in the description. repeat: steps of the solver, of `step` seconds, for
    one of the environment. reads: names that the functions use; all coordinates, rates and what is observed are read
    anyway.
    """

    observe: Sequence[str] | Mapping[str, Bounds] | Callable[[Now], Array]
    act: Mapping[str, Bounds]
    reward: Callable[[Now], Array]
    end: Callable[[Now], Array] | None = None
    episode: int | None = None
    start: Start | None = None
    step: float = 0.01
    repeat: int = 1
    reads: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Raises ArgumentError for what is of a wrong kind; names are looked at where the mechanism is known."""
        if isinstance(self.observe, str) or not (
            callable(self.observe) or isinstance(self.observe, Sequence | Mapping)
        ):
            raise ArgumentError(f"observe {shown(self.observe)}: give names, name -> (least, most), or a function")
        if not callable(self.observe) and not len(self.observe):
            raise ArgumentError("observe: nothing is observed; give names such as 'hinge' and 'hinge.rate'")
        if not isinstance(self.act, Mapping) or not self.act:
            raise ArgumentError(f"act {shown(self.act)}: give name of an input -> (least, most)")
        if not callable(self.reward) or not (self.end is None or callable(self.end)):
            raise ArgumentError("reward and end: give functions of named arrays")
        for name, value in (("episode", self.episode), ("repeat", self.repeat)):
            if value is None and name == "episode":
                continue
            if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
                raise ArgumentError(f"{name} {shown(value)}: must be a whole number, at least 1")
        if not (self.start is None or callable(self.start) or isinstance(self.start, Mapping)):
            raise ArgumentError(f"start {shown(self.start)}: give joint -> (least, most), or a function")
        if isinstance(self.reads, str) or not isinstance(self.reads, Sequence):
            raise ArgumentError(f"reads {shown(self.reads)}: give a list of names")


def bounds_of(what: str, given: object, size: int) -> tuple[Array, Array]:
    """(k,) least and most numbers. Raises ArgumentError."""
    try:
        low, high = given  # type: ignore[misc]
        found = [np.broadcast_to(np.asarray(side, float), (size,)) for side in (low, high)]
    except (TypeError, ValueError):
        raise ArgumentError(f"{what} {shown(given)}: give (least, most), {size} number(s) each") from None
    if np.isnan(found).any() or (found[0] > found[1]).any():
        raise ArgumentError(f"{what} {shown(given)}: the least must not be above the most")
    return found[0], found[1]


def told_numbers(what: str, given: object, count: int) -> Array:
    """(n,) finite numbers that a function of a task gave. Raises ArgumentError."""
    if isinstance(given, Real | np.bool_) and count == 1:
        given = [given]
    found = np.asarray(given)
    if found.dtype.kind not in "biuf" or found.shape != (count,):
        raise ArgumentError(f"{what} gave {shown(given)}: it must give {count} numbers, an array of shape ({count},)")
    if not np.isfinite(found).all():
        raise ArgumentError(f"{what} is not finite, in world {int(np.argmin(np.isfinite(found)))}")
    return found
