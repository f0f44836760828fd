"""What a function computes, one operation after the other, with the slope of each by its operands: for diagnoses.

A tape is made by evaluating a function once on numbers that write themselves down. From it come the derivative with
any one term left out, turned over or doubled, as errors in the chain rule leave it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from symvi.exact.dual import Dual, Slopes
from symvi.verify.errors import OutsideDomain
from symvi.verify.reading.recorded import ADD, DIVIDE, MULTIPLY, OPERATIONS, SUBTRACT, Recorded
from symvi.verify.reading.sites import place_in, quoted
from symvi.verify.reading.worlds import World

CHANGE = "the first derivative of"
SLOPES: dict[int, Callable] = {
    ADD: lambda a, b: (1.0, 1.0),
    SUBTRACT: lambda a, b: (1.0, -1.0),
    MULTIPLY: lambda a, b: (b, a),
    DIVIDE: lambda a, b: (1 / b, -a / b / b),
}
OUTSIDE = ("symvi/verify/", "symvi/derive/", "symvi/exact/dual", "numpy", "elementary")


@dataclass
class Tape:
    """For every number: its value, its operands and the slopes by them, where it was computed, and in which batch.

    batch: the number of the operation on arrays that is going on; it makes all of its numbers together. sites: the
    operation of the user's code that made a number, the same in all turns of a loop.
    """

    values: list[float] = field(default_factory=list)
    parents: list[tuple[tuple[int, float], ...]] = field(default_factory=list)
    places: list[str | None] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    sites: list[object] = field(default_factory=list)
    batch: int = 0

    def add(self, value: float, *parents: tuple[int | None, float]) -> Traced:
        self.values.append(value)
        self.parents.append(tuple((p, slope) for p, slope in parents if p is not None))
        self.places.append(None)
        self.batches.append(self.batch)
        self.sites.append(None)
        return Traced(value, len(self.values) - 1, self)

    def done(self, kind: int, a: Traced, b: Traced | None) -> Traced:
        """The number that + - * / or a change of sign gives."""
        if b is None:
            return self.add(-a.value, (a.index, -1.0))
        if kind == DIVIDE and b.value == 0:
            raise ZeroDivisionError("division by zero")
        one, two = SLOPES[kind](a.value, b.value)
        return self.add(OPERATIONS[kind](a.value, b.value), (a.index, one), (b.index, two))


class Traced(Recorded):
    """A float that knows its place on a tape; a constant has none."""

    __slots__ = ()

    def _other(self, other) -> Traced | None:
        if isinstance(other, Traced):
            return other
        return Traced(float(other), None, self.tape) if isinstance(other, int | float | Fraction) else None


class TraceWorld(World):
    """Floats on a tape."""

    name = "trace"
    exact = False

    def __init__(self):
        self.tape = Tape()
        rules = {
            "sqrt": (math.sqrt, lambda x, f: 1 / (2 * f)),
            "sin": (math.sin, lambda x, f: math.cos(x)),
            "cos": (math.cos, lambda x, f: -math.sin(x)),
            "exp": (math.exp, lambda x, f: f),
            "log": (math.log, lambda x, f: 1 / x),
        }
        base = {name: self._function(*rule) for name, rule in rules.items()}
        super().__init__({**base, "atan2": self._atan2})

    def constant(self, value: int | Fraction) -> Traced:
        return Traced(float(value), None, self.tape)

    def variable(self, value: Fraction) -> Traced:
        """A number that slopes are taken by."""
        return self.tape.add(float(value))

    @property
    def pi(self) -> Traced:
        return self.constant(Fraction(math.pi))

    def order(self, a, b) -> int:
        a, b = (x.value if isinstance(x, Traced) else float(x) for x in (a, b))
        return int(a > b) - int(a < b)  # NumPy knows no difference of two answers

    def at(self, value: object, place: object) -> None:
        """Where a number was computed: a text, an expression, or a function that finds the line."""
        new = [(x, changes) for x, changes in _numbers_of(value) if self._is_unplaced(x)]
        if not new:
            return
        line, site = called_at() if callable(place) else (str(place), str(place))
        for number, changes in new:
            self.tape.places[number.index], self.tape.sites[number.index] = line, (site, CHANGE) if changes else site

    def _is_unplaced(self, number: object) -> bool:
        return isinstance(number, Traced) and number.index is not None and self.tape.places[number.index] is None

    def _function(self, function: Callable, slope: Callable) -> Callable:
        def apply(x: Traced) -> Traced:
            try:
                value = function(x.value)
                return self.tape.add(value, (x.index, slope(x.value, value)))
            except (ValueError, OverflowError, ZeroDivisionError) as error:
                raise OutsideDomain(str(error)) from None

        return apply

    def _atan2(self, y: Traced, x: Traced) -> Traced:
        square = y.value**2 + x.value**2
        if square == 0:
            raise OutsideDomain("atan2 at zero")
        return self.tape.add(math.atan2(y.value, x.value), (y.index, x.value / square), (x.index, -y.value / square))


def starts_of(values: Mapping[str, list[Traced]]) -> dict[str, int]:
    """Where the numbers of every variable begin on their tape."""
    return {name: entries[0].index for name, entries in values.items() if entries[0].index is not None}


def _numbers_of(value: Any) -> Iterator[tuple[Any, bool]]:
    """A number; of a dual one both parts, and whether they are how much it changes."""
    yield (value.real if type(value) is Dual else value), False
    if type(value) is Dual and type(value.slope) is Slopes:
        yield from ((slope, True) for slope in value.slope.along.values())


def called_at() -> tuple[str, object]:
    """file.py:12, the line of the user's outermost function that is being computed, helpers left out; its operation."""
    frame, found = sys._getframe(1), None
    while frame is not None and "python_source" not in frame.f_code.co_filename:
        if not any(part in frame.f_code.co_filename.replace("\\", "/") for part in OUTSIDE):
            found = frame
        frame = frame.f_back
    if found is None:
        return "", None
    return place_in(found.f_code, found.f_lineno), (found.f_code, found.f_lasti)


def site_said(site: object, place: str) -> str:
    """Where an operation stands, with the user's own words for it if one line has them: L(q) @ turn in file.py:12."""
    if isinstance(site, tuple) and site[1] is CHANGE:
        return f"{CHANGE} {site_said(site[0], place)}"
    if not isinstance(site, tuple):
        return place
    code, instruction = site
    text = quoted(code, instruction)
    return f"{text} in {place}" if text and not text.endswith("...") else place
