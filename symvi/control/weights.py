"""Weights of states and inputs in squares, by name or as arrays: what regulators and planners are asked by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symvi.errors import ArgumentError
from symvi.mechanism.names import did_you_mean, shown

Array = NDArray[np.float64]
Weights = Mapping[str, float] | ArrayLike


def weights_of(what: str, given: Weights, names: Sequence[str]) -> Array:
    """A symmetric matrix of weights, none of them negative. Raises ArgumentError."""
    found = _matrix(what, given, names)
    if len(found) and not np.linalg.eigvalsh(found).min() >= -1e-12 * np.abs(found).max():
        raise ArgumentError(f"{what}: must not be negative; give weights of zero or more")
    return found


def regulated(given: Weights, names: Sequence[str]) -> tuple[list[int], Array]:
    """Numbers of the inputs that R names, all without names, and their positive weights. Raises ArgumentError."""
    wanted = [k for k, name in enumerate(names) if not isinstance(given, Mapping) or name in given]
    found = _matrix("R", given, names)[np.ix_(wanted, wanted)]
    if not len(wanted):
        raise ArgumentError("R: names no input, and nothing is to be regulated; give a weight for one")
    if not np.linalg.eigvalsh(found).min() > 0:
        raise ArgumentError("R: must be positive definite; give every input that it names a weight above zero")
    return wanted, found


def numbers_of(what: str, given: Mapping[str, float] | ArrayLike | None, names: Sequence[str]) -> Array:
    """(n,) numbers by name, zero for others and for None. Raises ArgumentError."""
    if given is None or isinstance(given, Mapping):
        return np.diag(_matrix(what, given or {}, names)).copy()
    try:
        array = np.array(given, float)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if array.shape != (len(names),) or not np.isfinite(array).all():
        raise ArgumentError(f"{what}: give numbers by name, or finite numbers of shape ({len(names)},)")
    return array


def _matrix(what: str, given: Weights, names: Sequence[str]) -> Array:
    """A symmetric matrix of weights."""
    if isinstance(given, Mapping):
        diagonal = np.zeros(len(names))
        for name, value in given.items():
            if name not in names:
                raise ArgumentError(f"{what}: no {shown(name)}; {did_you_mean(str(name), names)}")
            diagonal[list(names).index(name)] = _number(what, name, value)
        return np.diag(diagonal)
    try:
        array = np.asarray(given, float)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    n = len(names)
    if array.shape not in ((n,), (n, n)) or not np.isfinite(array).all():
        raise ArgumentError(f"{what}: give weights by name, or finite numbers of shape ({n},) or ({n}, {n})")
    if array.shape == (n, n) and not np.allclose(array, array.T, rtol=1e-12, atol=0):
        raise ArgumentError(f"{what}: must be symmetric")
    return np.diag(array) if array.shape == (n,) else array


def _number(what: str, name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(float(value)):
        raise ArgumentError(f"{what}: '{name}' is {shown(value)}; give a finite number")
    return float(value)


def falling(given: float | Sequence[float] | None) -> list[float | None]:
    """Smoothings that are taken one after the other. Raises ArgumentError."""
    if given is None or isinstance(given, bool):  # which is refused where smoothings are
        return [given]
    try:
        found = [float(each) for each in np.atleast_1d(np.asarray(given, float))]
    except (TypeError, ValueError):
        found = []
    if not found or any(later > before for before, later in zip(found, found[1:], strict=False)):
        raise ArgumentError(
            f"smoothing {shown(given)}: give a number above 0, or several that fall, for example (1e-2, 1e-3, 1e-4)"
        )
    return list(found)


def checked_tolerance(given: object) -> float:
    """A share between 0 and 1. Raises ArgumentError."""
    if isinstance(given, bool) or not isinstance(given, Real) or not 0 < float(given) < 1:
        raise ArgumentError(f"tolerance {shown(given)}: must lie between 0 and 1")
    return float(given)
