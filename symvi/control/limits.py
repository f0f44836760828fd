"""Bounds and phases of a plan, as they are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError
from symvi.mechanism.names import shown

Array = NDArray[np.float64]
Bound = float | Sequence[float | None] | Array | None
Bounds = Mapping[str, tuple[Bound, Bound]]
Phases = Sequence[tuple[int, float, float]]


def _is_real(given: object) -> bool:
    return isinstance(given, Real) and not isinstance(given, bool)


def pair_of(title: str, pair: object) -> tuple[float, float]:
    """The least and the most of a bound. Raises ArgumentError."""
    wrong = f"{title} {shown(pair)}; give (least, most), numbers or None"
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise ArgumentError(wrong)
    ends = []
    for each, none in zip(pair, (-np.inf, np.inf), strict=True):
        if each is not None and not (_is_real(each) and each == each):
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
        given = each.tolist() if isinstance(each, np.ndarray) else each
        if isinstance(given, (tuple, list)) and len(given) != count:
            raise ArgumentError(f"bounds: '{name}': has {len(given)} numbers on a side; give one, or {count}")
        rows.append(given if isinstance(given, (tuple, list)) else [given] * count)
    return np.array([pair_of(title, ends) for ends in zip(*rows, strict=True)]).T


def phase_of(given: object) -> tuple[int, float, float]:
    """Raises ArgumentError."""
    wrong = f"phases: {shown(given)} is none; give (steps, least, most), a whole number above zero and two times in s"
    if not isinstance(given, (tuple, list)) or len(given) != 3:
        raise ArgumentError(wrong)
    count, *times = given
    if isinstance(count, bool) or not isinstance(count, Integral) or count < 1 or not all(map(_is_real, times)):
        raise ArgumentError(wrong)
    return int(count), float(times[0]), float(times[1])
