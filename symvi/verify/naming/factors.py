"""What two proportional matrices differ by: a simple number, powers of scalars and lengths, a number on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import pi

import numpy as np

from symvi.verify.asking.points import Point
from symvi.verify.asking.variables import Variable
from symvi.verify.reading.trace import Tape, site_said

LARGEST, SIMPLE = 64, 16
POWERS = (1, -1, 2, -2)
SEEN = 1e-9
MOST_CONSTANT = 1e6
ZERO = "zero: the derivative is missing"


def all_known(ratios: Iterable[float | None]) -> tuple[float, ...] | None:
    """Ratios of which there are some at every point; None where one is not known."""
    found = tuple(ratios)
    known = tuple(ratio for ratio in found if ratio is not None)
    return known if len(known) == len(found) else None


@dataclass(frozen=True)
class Quantity:
    """Something that a derivative may be multiplied by: in words, and its value at both points."""

    cost: float
    words: str
    values: np.ndarray


class Factors:
    """The factors that a question has at two points: scalars, roots of unit quaternions, lengths of vectors."""

    def __init__(self, variables: Mapping[str, Variable], points: list[Point], traces: Sequence = ()):
        self.variables, self.points, self.traces = variables, points, traces

    def name(self, ratios: tuple[float, ...], simple: bool = False) -> tuple[float, str] | None:
        """(cost, words) of what a claim is of the truth, for claim/truth at every point; None for nothing known.

        simple: only simple numbers and powers of scalars, no number that happens to be computed or constant.
        """
        wanted = np.array(ratios)
        if np.all(np.abs(wanted) < SEEN):
            return 1.0, ZERO
        if (found := _first_fit(wanted, self.products)) is not None or simple:
            return found
        return _first_fit(wanted, self.computed) or _constant(wanted)

    @cached_property
    def products(self) -> tuple[list[Quantity], np.ndarray]:
        """The powers that a factor may have, simplest first, and their values in rows."""
        return _in_rows(self._products(), len(self.points))

    @cached_property
    def computed(self) -> tuple[list[Quantity], np.ndarray]:
        """The numbers that the function itself computes, its own values first."""
        return _in_rows(self._computed(), len(self.points))

    def _products(self) -> Iterator[Quantity]:
        yield Quantity(0.0, "", np.ones(len(self.points)))
        for name, value in (("pi", pi), ("180/pi", 180 / pi)):
            for power in (1, -1):
                yield Quantity(1.5, power_words(name, power), np.full(len(self.points), value**power))
        named = [(name, values) for name, values in self._named() if np.all(values)]
        for power, (name, values) in product(POWERS, named):
            is_step = name in self.variables and self.variables[name].kind == "step"
            yield Quantity((0.5 if is_step else 1.0) + abs(power) / 2, power_words(name, power), values**power)
        pairs = sorted(product(POWERS, POWERS), key=lambda pair: max(map(abs, pair)))
        for (p, r), ((one, first), (other, second)) in product(pairs, combinations(named, 2)):
            words = power_words(one, p) + " and " + power_words(other, r)
            yield Quantity(2.0 + max(abs(p), abs(r)), words, first**p * second**r)

    def _named(self) -> Iterator[tuple[str, np.ndarray]]:
        """Name and value at every point, of scalars, vectors' lengths, roots of a step's unit quaternion."""
        for name, variable in self.variables.items():
            values = np.array([[float(x) for x in point[name]] for point in self.points])
            squares = (values * values).sum(axis=1)
            if variable.size == 1:
                yield name, values[:, 0]
            elif variable.kind == "angular velocity" and (h := variable.over) in self.variables:
                steps = np.array([float(point[h][0]) for point in self.points])
                root = np.sqrt(np.maximum(0.0, 1 - (steps / 2) ** 2 * squares))
                yield f"sqrt(1 - ({h}²/4) {name}·{name})", root
            elif variable.kind == "vector":
                yield f"|{name}|", np.sqrt(squares)

    def _computed(self) -> Iterator[Quantity]:
        if len(self.traces) < 2 or len({len(traces.tape.values) for traces in self.traces}) > 1:
            return
        tape = self.traces[0].tape
        own = [r.index for r in self.traces[0].results if getattr(r, "index", None) is not None]
        for rank, index in enumerate([*own, *range(len(tape.values))]):
            values = np.array([traces.tape.values[index] for traces in self.traces])
            if np.all(values) and values[0] != values[1]:
                words = "the function's own value" if rank < len(own) else _computed_in(tape, index)
                cost = 2.5 + (rank >= len(own))
                yield Quantity(cost, power_words(words, 1), values)
                yield Quantity(cost, power_words(words, -1), 1 / values)


def _in_rows(quantities: Iterable[Quantity], points: int) -> tuple[list[Quantity], np.ndarray]:
    with np.errstate(all="ignore"):
        found = list(quantities)
    return found, np.array([one.values for one in found]).reshape(-1, points)


def _first_fit(ratios: np.ndarray, known: tuple[list[Quantity], np.ndarray]) -> tuple[float, str] | None:
    """(cost, words) of the first quantity that the ratios are a simple number times of."""
    quantities, values = known
    with np.errstate(all="ignore"):
        numbers = ratios / values
        same = np.all(np.abs(numbers - numbers[:, :1]) <= SEEN * np.abs(numbers[:, :1]), axis=1)
    for k in np.flatnonzero(same & np.all(np.isfinite(numbers), axis=1) & (np.abs(numbers[:, 0]) < LARGEST)).tolist():
        number, one = float(numbers[k, 0]), quantities[k]
        near = Fraction(number).limit_denominator(SIMPLE)
        if near and abs(float(near) - number) <= SEEN * abs(number):
            return one.cost + _cost(near), product_words(near, one.words)
    return None


def _constant(ratios: np.ndarray) -> tuple[float, str] | None:
    """Any constant: a rounded number, another unit."""
    number = float(ratios[0])
    if abs(number) > MOST_CONSTANT or np.any(np.abs(ratios - number) > SEEN * abs(number)):
        return None
    near = Fraction(number).limit_denominator(SIMPLE)
    rounded = near and abs(float(near) - number) < 1e-2 * abs(number)
    about = f", almost {product_words(near, '') or 'right'}: is a constant rounded?" if rounded else ""
    return 3.5, f"{number:.9g} times the true value{about}"


def _computed_in(tape: Tape, index: int) -> str:
    """A number of a function's tape in words: by the code that computes it, or as the expression that it is."""
    place, site = tape.places[index], tape.sites[index]
    if not place:
        return "that the function computes on its way"
    return place if isinstance(site, str) else f"that {site_said(site, place)} computes"


def _cost(factor: Fraction) -> float:
    size = abs(factor)
    return 0.5 * (factor < 0) + (0 if size == 1 else 1 if size in (2, Fraction(1, 2)) else 2)


def power_words(name: str, power: int) -> str:
    shown = name if abs(power) == 1 else f"{name}²"
    return f"a factor {shown} too many" if power > 0 else f"a factor {shown} is missing"


def product_words(factor: Fraction, powers: str) -> str:
    size = abs(factor)
    shown = {Fraction(2): "twice", Fraction(1, 2): "half"}.get(size, f"{size} times")
    said = ["the wrong sign"] * (factor < 0) + [f"{shown} the true value"] * (size != 1) + [powers] * bool(powers)
    return ", ".join(said)
