"""What two proportional matrices differ by: a simple number, a power of the step or of another scalar, a root."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import isfinite, isnan, nan, pi

import numpy as np

from symvi.verify.asking.points import Point
from symvi.verify.asking.variables import Variable
from symvi.verify.reading.trace import Tape, site_said

LARGEST, SIMPLE = 64, 16
POWERS = (1, -1, 2, -2)
SEEN = 1e-9
ZERO = "zero: the derivative is missing"


def all_known(ratios: Iterable[float | None]) -> tuple[float, ...] | None:
    """Ratios of which there are some at every point; None where one is not known."""
    found = tuple(ratios)
    known = tuple(ratio for ratio in found if ratio is not None)
    return known if len(known) == len(found) else None


class Factors:
    """The factors that a question has at two points: scalars, roots of unit quaternions, lengths of vectors."""

    def __init__(self, variables: Mapping[str, Variable], points: list[Point], traces: Sequence = ()):
        self.variables, self.points, self.traces = variables, points, traces

    @cached_property
    def quantities(self) -> dict[str, tuple[float, ...]]:
        """Name -> its value at every point."""
        found = {}
        for name, variable in self.variables.items():
            values = [[float(x) for x in point[name]] for point in self.points]
            if variable.size == 1:
                found[name] = tuple(v[0] for v in values)
            elif variable.kind == "angular velocity" and variable.over in self.variables:
                steps = [float(point[variable.over][0]) for point in self.points]
                found[f"sqrt(1 - ({variable.over}²/4) {name}·{name})"] = tuple(
                    max(0.0, 1 - (h / 2) ** 2 * sum(x * x for x in v)) ** 0.5
                    for h, v in zip(steps, values, strict=True)
                )
            elif variable.kind == "vector":
                found[f"|{name}|"] = tuple(sum(x * x for x in v) ** 0.5 for v in values)
        return {name: values for name, values in found.items() if all(values)}

    def name(self, ratios: tuple[float, ...], simple: bool = False) -> tuple[float, str] | None:
        """(cost, words) of what a claim is of the truth, for claim/truth at every point; None for nothing known.

        simple: only simple numbers and powers of scalars, no number that happens to be computed or constant.
        """
        if all(abs(ratio) < SEEN for ratio in ratios):
            return 1.0, ZERO
        if (found := self._product(ratios)) is not None:
            rational, product = found
            return product.cost + _cost(rational), product_words(rational, product.words)
        return None if simple else self._computed(ratios) or self._constant(ratios)

    def _computed(self, ratios: tuple[float, ...]) -> tuple[float, str] | None:
        """A number that the function itself computes, its own values first, times a simple number."""
        if self._tapes is None:
            return None
        indices, outputs, quotients = self._tapes
        first, second = self.traces
        with np.errstate(all="ignore"):
            either = np.stack([quotients, 1 / quotients])
        for rank in _fitting(ratios, either):
            index = indices[rank]
            values = first.tape.values[index], second.tape.values[index]
            if not all(values) or values[0] == values[1]:
                continue
            for power in (1, -1):
                rational = _simple([_over(r, v, power) for r, v in zip(ratios, values, strict=True)])
                if rational is not None:
                    own = "the function's own value" if rank < outputs else _computed_in(first.tape, index)
                    words = power_words(own, power)
                    return 2.5 + (rank >= outputs) + _cost(rational), product_words(rational, words)
        return None

    @cached_property
    def _tapes(self) -> tuple[list[int], int, np.ndarray] | None:
        """Where the function's numbers stand, its own values first; how many those are; first/second of each."""
        if len(self.traces) < 2 or len({len(traces.tape.values) for traces in self.traces}) > 1:
            return None
        first, second = self.traces
        outputs = [r.index for r in first.results if getattr(r, "index", None) is not None]
        indices = [*outputs, *range(len(first.tape.values))]
        both = [[float(traces.tape.values[index]) for index in indices] for traces in (first, second)]
        with np.errstate(all="ignore"):
            return indices, len(outputs), np.divide(both[0], both[1])

    def _constant(self, ratios: tuple[float, ...]) -> tuple[float, str] | None:
        """Any constant: a rounded number, another unit."""
        ratio = ratios[0]
        if abs(ratio) > 1e6 or any(abs(r - ratio) > SEEN * abs(ratio) for r in ratios):
            return None
        near = Fraction(ratio).limit_denominator(SIMPLE)
        rounded = near and abs(float(near) - ratio) < 1e-2 * abs(ratio)
        about = f", almost {product_words(near, '') or 'right'}: is a constant rounded?" if rounded else ""
        return 3.5, f"{ratio:.9g} times the true value{about}"

    @cached_property
    def products(self) -> list[Product]:
        """The powers that a factor may have, simplest first."""
        return list(self._products())

    def _products(self) -> Iterator[Product]:
        yield Product(0.0, "", "", tuple(1.0 for _ in self.points))
        for name, value in (("pi", pi), ("180/pi", 180 / pi)):
            for power in (1, -1):
                values = tuple(value**power for _ in self.points)
                yield Product(1.5, power_words(name, power), _amount(name, power), values)
        named = self.quantities.items()
        for power in POWERS:
            for name, values in named:
                step = self.variables[name].kind == "step" if name in self.variables else False
                cost = (0.5 if step else 1.0) + abs(power) / 2
                powers = tuple(v**power for v in values)
                yield Product(cost, power_words(name, power), _amount(name, power), powers)
        for largest in (1, 2):
            powers = [(p, r) for p in POWERS for r in POWERS if max(abs(p), abs(r)) == largest]
            for (one, first), (other, second) in combinations(named, 2):
                for p, r in powers:
                    words = power_words(one, p) + " and " + power_words(other, r)
                    values = tuple(a**p * b**r for a, b in zip(first, second, strict=True))
                    yield Product(2.0 + largest, words, f"{_amount(one, p)} {_amount(other, r)}", values)

    def amount(self, sizes: tuple[float, ...]) -> str | None:
        """How much too much of something there is: "too much by 2 h times"; None for an unknown number of times."""
        if (found := self._product(sizes)) is None:
            return None
        rational, product = found
        number = "" if abs(rational) == 1 else str(abs(rational))
        said = " ".join(part for part in (number, product.amount) if part)
        return f"too {'much' if rational > 0 else 'little'} by" + (f" {said} times" if said else "")

    def _product(self, ratios: tuple[float, ...]) -> tuple[Fraction, Product] | None:
        """The simplest product that these are a simple number times of, and the number."""
        for k in _fitting(ratios, self._quotients):
            product = self.products[k]
            rational = _simple([_over(r, v) for r, v in zip(ratios, product.values, strict=True)])
            if rational is not None:
                return rational, product
        return None

    @cached_property
    def _quotients(self) -> np.ndarray:
        """first/second of every product, of one row."""
        with np.errstate(all="ignore"):
            return np.array([[np.divide(product.values[0], product.values[-1]) for product in self.products]])


@dataclass(frozen=True)
class Product:
    """Powers of named quantities: as an error ("a factor h too many") and as an amount ("h"), and at every point."""

    cost: float
    words: str
    amount: str
    values: tuple[float, ...]


def _computed_in(tape: Tape, index: int) -> str:
    """A number of a function's tape in words: by the code that computes it, or as the expression that it is."""
    place, site = tape.places[index], tape.sites[index]
    if not place:
        return "that the function computes on its way"
    return place if isinstance(site, str) else f"that {site_said(site, place)} computes"


def _amount(name: str, power: int) -> str:
    shown = name if abs(power) == 1 else f"{name}²"
    return shown if power > 0 else f"1/{shown}"


def _fitting(ratios: tuple[float, ...], quotients: np.ndarray) -> list[int]:
    """Columns of `quotients` with first/second of the ratios in a row: all that may be worth a closer look."""
    with np.errstate(all="ignore"):
        wanted = np.divide(ratios[0], ratios[-1])
        return np.flatnonzero((np.abs(quotients - wanted) <= 4 * SEEN * abs(wanted)).any(axis=0)).tolist()


def _over(ratio: float, value: float, power: int = 1) -> float:
    """ratio/value^power; not a number where machine numbers do not reach."""
    try:
        found = ratio / value**power
    except (OverflowError, ZeroDivisionError):
        return nan
    return found if isfinite(found) else nan


def _simple(ratios: list[float]) -> Fraction | None:
    if (
        any(isnan(r) for r in ratios)
        or any(abs(r - ratios[0]) > SEEN * abs(ratios[0]) for r in ratios)
        or not abs(ratios[0]) < LARGEST
    ):
        return None
    found = Fraction(ratios[0]).limit_denominator(SIMPLE)
    return found if found and abs(float(found) - ratios[0]) <= SEEN * abs(ratios[0]) else None


def _cost(factor: Fraction) -> float:
    size = abs(factor)
    return 0.5 * (factor < 0) + (0 if size == 1 else 1 if size in (2, Fraction(1, 2)) else 2)


def power_words(name: str, power: int) -> str:
    shown = name if abs(power) == 1 else f"{name}²"
    return f"a factor {shown} too many" if power > 0 else f"a factor {shown} is missing"


def product_words(factor: Fraction, powers: str) -> str:
    said = []
    if factor < 0:
        said.append("the wrong sign")
    size = abs(factor)
    if size != 1:
        shown = {Fraction(2): "twice", Fraction(1, 2): "half"}.get(size, f"{size} times")
        said.append(f"{shown} the true value")
    if powers:
        said.append(powers)
    return ", ".join(said)
