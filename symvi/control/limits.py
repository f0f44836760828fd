"""Bounds and phases of a plan, as they are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError
from symvi.mechanism.names import shown

Array = NDArray[np.float64]
Bound = float | Sequence[float] | Array | None
Bounds = Mapping[str, tuple[Bound, Bound]]
Phases = Sequence[tuple[int, float, float]]


def pair_of(title: str, pair: object) -> tuple[float, float]:
    """The least and the most of a bound. Raises ArgumentError."""
    wrong = f"{title} {shown(pair)}; give (least, most), numbers or None"
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise ArgumentError(wrong)
    ends = []
    for each, none in zip(pair, (-np.inf, np.inf), strict=True):
        if each is not None and (isinstance(each, bool) or not isinstance(each, (int, float)) or each != each):
            raise ArgumentError(wrong)
        ends.append(none if each is None else float(each))
    if ends[0] > ends[1]:
        raise ArgumentError(f"{title} {shown(pair)}: the least is above the most")
    return ends[0], ends[1]


def ends_of(name: str, pair: object, count: int) -> Array:
    """(2, count) the least and the most at every knot. Raises ArgumentError."""
    title = f"bounds: '{name}' is"
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        return np.array([[each] * count for each in pair_of(title, pair)])
    rows = []
    for each in pair:
        if each is None or isinstance(each, (bool, int, float, str)):
            rows.append([each] * count)
            continue
        numbers = np.array(each, float)
        if numbers.shape != (count,):
            raise ArgumentError(f"bounds: '{name}': has shape {numbers.shape}; give a number, or {count} of them")
        rows.append(numbers.tolist())
    return np.array([pair_of(title, ends) for ends in zip(*rows, strict=True)]).T


def phase_of(given: object) -> tuple[int, float, float]:
    """Raises ArgumentError."""
    wrong = f"phases: {shown(given)} is none; give (steps, least, most), a whole number above zero and two times in s"
    if not isinstance(given, (tuple, list)) or len(given) != 3:
        raise ArgumentError(wrong)
    count, *times = given
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ArgumentError(wrong)
    if any(isinstance(each, bool) or not isinstance(each, (int, float)) for each in times):
        raise ArgumentError(wrong)
    return count, float(times[0]), float(times[1])
