"""Designs: which numbers the variants of a sweep have. A row of a design is a variant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError, missing_extra
from symvi.mechanism.names import shown
from symvi.simulate.arguments import checked_table
from symvi.simulate.room import memory, told_size

Rows = dict[str, NDArray[np.float64]]  # name -> (n, k) numbers in SI
Numbers = Callable[[str, object], tuple[float, ...]]  # a value by name, as its numbers in SI

COPIES = 4  # of a design: rows, what is sent, what comes back, the table


@dataclass(frozen=True)
class Design:
    """What `grid`, `listed`, `random` and `latin_hypercube` make.

    kind: which of them. over: name -> its values, or what they are drawn from. count: variants. seed: of what is drawn.
    """

    kind: str
    over: Mapping[str, Any]
    count: int
    seed: int | None = None

    def __len__(self) -> int:
        return self.count

    def rows(self, numbers: Numbers, own_sizes: Mapping[str, int] | None = None) -> Rows:
        """The numbers of every variant.

        numbers: what makes numbers in SI of a value. own_sizes: how many of them a name has, which a distribution does
        not tell; one, if left out. Raises ArgumentError.
        """
        if self.kind in ("grid", "listed"):
            values = {name: _table(name, given, numbers) for name, given in self.over.items()}
            self._check_room(sum(table.shape[1] for table in values.values()))
            if self.kind == "listed":
                return values
            places = np.unravel_index(np.arange(self.count), [len(table) for table in values.values()])
            return {name: table[place] for (name, table), place in zip(values.items(), places, strict=True)}
        bounds = {name: _drawn_from(name, given, numbers) for name, given in self.over.items()}
        told = own_sizes or {}
        sizes = {name: told.get(name, 1) if hasattr(given, "ppf") else len(given[0]) for name, given in bounds.items()}
        self._check_room(sum(sizes.values()))
        unit, found, first = _unit_cube(self.kind, self.count, sum(sizes.values()), self.seed), {}, 0
        for name, given in bounds.items():
            part = unit[:, first : first + sizes[name]]
            first += sizes[name]
            found[name] = _drawn(name, given, part)
        return found

    def _check_room(self, columns: int) -> None:
        needs, has = COPIES * 8 * self.count * columns, memory()
        if needs > has:
            raise ArgumentError(
                f"a sweep of {self.count} variants takes about {told_size(needs)} of memory, and there are "
                f"{told_size(has)}: take at most {has // (COPIES * 8 * columns)}"
            )


def grid(over: Mapping[str, Sequence[Any] | NDArray[Any]]) -> Design:
    """Every value of each name with every value of the others; the last name changes fastest.

    over: name -> values: numbers in SI, texts with units, or vectors of these. Raises ArgumentError.
    """
    table = _names("grid", over)
    return Design("grid", table, prod(_length("grid", name, values) for name, values in table.items()))


def listed(over: Mapping[str, Sequence[Any] | NDArray[Any]]) -> Design:
    """Variants one by one: the k-th value of each name belongs to the k-th variant. Raises ArgumentError."""
    table = _names("listed", over)
    lengths = {name: _length("listed", name, values) for name, values in table.items()}
    if len(set(lengths.values())) > 1:
        raise ArgumentError(f"listed: the names have {lengths} values; give each as many")
    return Design("listed", table, next(iter(lengths.values())))


def random(count: int, over: Mapping[str, Any], *, seed: int = 0) -> Design:
    """Variants that are drawn independently.

    over: name -> (least, most), between which all is equally likely, or a distribution of SciPy's with its numbers,
    such as scipy.stats.norm(1.0, 0.1); vectors have a vector of least and one of most numbers, or one distribution of
    all entries. Raises ArgumentError.
    """
    return Design("random", _names("random", over), _count("random", count), _seed(seed))


def latin_hypercube(count: int, over: Mapping[str, Any], *, seed: int = 0) -> Design:
    """Variants of which each n-th of every name's range has one: SciPy's `qmc.LatinHypercube`. Arguments as `random`.

    Raises MissingExtraError without SciPy (extra `sweep`).
    """
    return Design("latin hypercube", _names("latin_hypercube", over), _count("latin_hypercube", count), _seed(seed))


def design_of(over: object) -> Design:
    """A design that was given, or the grid of a mapping. Raises ArgumentError."""
    if isinstance(over, Design):
        return over
    if isinstance(over, Mapping):
        return grid(over)
    raise ArgumentError(
        f"over {shown(over)}: give a mapping from names to values, or a design: symvi.sweeps.grid, listed, random, "
        "latin_hypercube"
    )


def _unit_cube(kind: str, count: int, columns: int, seed: int | None) -> NDArray[np.float64]:
    if kind == "random":
        return np.random.default_rng(seed).random((count, columns))
    try:
        from scipy.stats import qmc
    except ImportError as error:
        raise missing_extra("sweep", "SciPy") from error
    sampler: Any = qmc.LatinHypercube  # SciPy 1.15 renamed its seed, and takes the old name
    return sampler(columns, seed=seed).random(count)


def _names(what: str, over: object) -> Mapping[str, Any]:
    table = dict(checked_table(what, over, "names of numbers to values"))
    if not table:
        raise ArgumentError(f"{what}: no names; give a mapping such as {{'pole.mass': [0.1, 0.2]}}")
    return {name: values.to_numpy() if hasattr(values, "to_numpy") else values for name, values in table.items()}


def _length(what: str, name: str, values: object) -> int:
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or len(values) == 0:
        raise ArgumentError(f"{what}: {name} {shown(values)}: give a list of at least one value")
    return len(values)


def _count(what: str, count: object) -> int:
    if not isinstance(count, Integral) or isinstance(count, bool) or int(count) < 1:
        raise ArgumentError(f"{what} of {shown(count)} variants: must be a whole number, at least 1")
    return int(count)


def _seed(seed: object) -> int:
    if not isinstance(seed, Integral) or isinstance(seed, bool) or int(seed) < 0:
        raise ArgumentError(f"seed {shown(seed)}: must be a whole number, not below 0")
    return int(seed)


def _table(name: str, values: Sequence[Any], numbers: Numbers) -> NDArray[np.float64]:
    """(n, k) of the values of a name."""
    array = np.asarray(values) if isinstance(values, np.ndarray) else None
    if array is not None and array.dtype.kind in "iuf" and array.ndim in (1, 2) and np.isfinite(array).all():
        numbers(name, array[0].tolist())  # its name and size
        return array.reshape(len(array), -1).astype(float)
    return np.array([numbers(name, value) for value in values], float)


def _drawn(name: str, given: Any, part: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, k) numbers of (n, k) ones between 0 and 1. Raises ArgumentError."""
    if not hasattr(given, "ppf"):
        return given[0] + part * (given[1] - given[0])
    found = np.asarray(given.ppf(part), float)
    if found.shape != part.shape:
        raise ArgumentError(f"{name}: its distribution gives {found.shape} numbers for {part.shape}")
    if not np.isfinite(found).all():
        raise ArgumentError(f"{name}: its distribution gives numbers that are not finite")
    return found


def _drawn_from(name: str, given: Any, numbers: Numbers) -> Any:
    """(least, most), (k,) each, or a distribution. Raises ArgumentError."""
    if hasattr(given, "ppf"):
        return given
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
        raise ArgumentError(f"{name} {shown(given)}: give (least, most), or a distribution of SciPy's")
    low, high = (np.array(numbers(name, value), float) for value in given)
    if (low > high).any():
        raise ArgumentError(f"{name} {shown(given)}: the least number is above the most")
    return low, high
