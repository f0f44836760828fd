"""Quantities as files write them, "10 mm", "30 deg", "5 N m/rad": a decimal number and a unit, turned into SI.

Units live at the edge of files only; inside symvi every number is in SI. A unit is a product of the symbols below with
powers, each "/" dividing by the one symbol behind it. The conversion is exact up to one rounding: "41.5 mm" is the
very double 0.0415. Angles are a dimension of their own here, so that "30 deg" is refused for a length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import pi
from typing import NamedTuple

from symvi.mechanism.names import shown

__all__ = ["decimal", "quantity"]


class Unit(NamedTuple):
    """factor pi^half_turns kg^mass m^length s^time rad^angle."""

    factor: Fraction
    half_turns: int = 0
    mass: int = 0
    length: int = 0
    time: int = 0
    angle: int = 0

    @property
    def dimension(self) -> tuple[int, int, int, int]:
        """The powers of kg, m, s and rad."""
        return (self.mass, self.length, self.time, self.angle)


def _unit(factor: str, mass: int = 0, length: int = 0, time: int = 0, angle: int = 0, half_turns: int = 0) -> Unit:
    return Unit(Fraction(factor), half_turns, mass, length, time, angle)


SYMBOLS = {
    "m": _unit("1", length=1), "km": _unit("1000", length=1), "cm": _unit("1/100", length=1),
    "mm": _unit("1/1000", length=1), "um": _unit("1/1000000", length=1), "in": _unit("0.0254", length=1),
    "kg": _unit("1", mass=1), "g": _unit("1/1000", mass=1), "t": _unit("1000", mass=1),
    "s": _unit("1", time=1), "ms": _unit("1/1000", time=1), "min": _unit("60", time=1),
    "rad": _unit("1", angle=1), "deg": _unit("1/180", angle=1, half_turns=1),
    "turn": _unit("2", angle=1, half_turns=1), "rpm": _unit("1/30", time=-1, angle=1, half_turns=1),
    "N": _unit("1", mass=1, length=1, time=-2), "kN": _unit("1000", mass=1, length=1, time=-2),
    "J": _unit("1", mass=1, length=2, time=-2),
}  # fmt: skip

_QUANTITY = re.compile(
    r"\s*((?>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?))\s*([A-Za-z][A-Za-z0-9 ^*/+-]*?)\s*", re.ASCII
)
_FACTOR = re.compile(r"\s*(?P<mark>[/*]?)\s*(?P<symbol>[A-Za-z]+)(?:(?:\^|\*\*)(?P<power>[+-]?\d))?", re.ASCII)


def decimal(text: str) -> float:
    """The number that a text states in ASCII. Python's own reading takes digits of every script, and underscores.

    Raises ValueError for any other text.
    """
    if not text.isascii() or "_" in text:
        raise ValueError(f"{shown(text)} is no number")
    return float(text) + 0.0


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Unit:
    """The unit of a text like "kg m^2/s". Raises ValueError with the symbol that is not known."""
    total, position = Unit(Fraction(1)), 0
    while position < len(text):
        match = _FACTOR.match(text, position)
        if match is None:
            raise ValueError(f"has the unit {shown(text)}, which cannot be read; write it like 'kg m^2/s'")
        if match["symbol"] not in SYMBOLS:
            raise ValueError(f"has the unknown unit {shown(match['symbol'])}; known: {', '.join(SYMBOLS)}")
        power = int(match["power"] or 1) * (-1 if match["mark"] == "/" else 1)
        factor, *powers = SYMBOLS[match["symbol"]]
        total = Unit(total.factor * factor**power, *(a + power * b for a, b in zip(total[1:], powers, strict=True)))
        position = match.end()
    return total


def quantity(text: str, units: Sequence[str]) -> float:
    """The value in SI of a text with a unit that has the dimension of one of the given units ("any": of whatever).

    Raises ValueError with a text that continues "<field> <value> ...".
    """
    example = "'10 mm'" if "any" in units else f"'10 {units[0]}'"
    match = _QUANTITY.fullmatch(text) if len(text) <= 100 else None
    if match is None:
        raise ValueError(f"is no quantity like {example} (a plain number in SI is written without quotes)")
    unit = _parsed(match[2])
    if "any" not in units and unit.dimension not in {_parsed(wanted).dimension for wanted in units}:
        raise ValueError(f"has the unit {match[2]}, which does not measure this; write it like {example}")
    try:
        return float(Fraction(match[1]) * unit.factor) * pi**unit.half_turns
    except OverflowError:
        raise ValueError("is too large for a double") from None
