"""What a number that stands in code means: decimals as they are written, and irrational ones by the digits they lost.

0.1 means 1/10. A float with all the digits of a double that is a simple fraction or a multiple of a known irrational
number, rounded, means that number, and a report says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isfinite, pi, sqrt, ulp

FULL = 15  # digits: a shorter decimal is what somebody wrote on purpose
LONG = 10  # digits: a shorter one is no machine number that was rounded
SIMPLE = 5000  # largest denominator of a fraction that a full-length float may stand for
LEFT_OVER = 1e-15  # a smaller number of full length is what rounding leaves of a zero, as in cos(pi/2)
FACTORS = [Fraction(n, d) for d in (1, 2, 3, 4, 6, 8, 12, 180) for n in (1, 2, 3, 4, 5)]


@dataclass(frozen=True)
class Constant:
    """factor * root(radicand) * pi**(0 or 1); `said` where it is not the decimal as written.

    unit: of its last place, where a machine number has rounded something that nobody knows.
    """

    factor: Fraction
    radicand: int = 1
    with_pi: bool = False
    said: str = ""
    unit: Fraction | None = None

    def value(self, world):
        found = world.constant(self.factor) if self.unit is None else world.rounded(self.factor, self.unit)
        if self.radicand != 1:
            found = found * world.functions.sqrt(world.constant(self.radicand))
        return found * world.pi if self.with_pi else found


def of_short_float(text: str, unit: float) -> Constant:
    """A number of half precision or single precision, by the decimal that it prints."""
    return Constant(Fraction(text), said=f"{text} is a number of few digits", unit=Fraction(unit))


@lru_cache(maxsize=4096)
def meaning(value: float) -> Constant:
    """What a float of the user's stands for. Raises ValueError for an infinite one."""
    if not isfinite(value):
        raise ValueError(f"the number {value} is not finite")
    decimal = Fraction(repr(value))
    digits = len(repr(abs(value)).split("e")[0].replace(".", "").strip("0"))
    if digits < FULL:
        return Constant(decimal, unit=Fraction(ulp(value)) if digits >= LONG else None)
    if abs(value) < LEFT_OVER:
        said = f"{value!r} is read as what rounding left of a difference"
        return Constant(decimal, said=said, unit=Fraction(ulp(1.0)))
    simple = Fraction(value).limit_denominator(SIMPLE)
    if float(simple) == value:
        return Constant(simple, said=f"{value!r} is read as {simple}")
    for factor, radicand, with_pi, size, text in _irrationals():
        if abs(abs(value) - size) <= 2e-16 * size:
            sign, said = (1, text) if value > 0 else (-1, f"-{text}")
            return Constant(sign * factor, radicand, with_pi, f"{value!r} is read as {said}")
    return Constant(decimal, said=f"{value!r} is read as this decimal, exactly", unit=Fraction(ulp(value)))


def _irrationals() -> Iterator[tuple]:
    for factor in FACTORS:
        f = "" if factor == 1 else f"{factor} "
        for candidate in (factor, 1 / factor):
            f = "" if candidate == 1 else f"{candidate} "
            yield candidate, 1, True, float(candidate) * pi, f"{f}pi"
            for radicand in (2, 3, 5, 6, 7, 10):
                yield candidate, radicand, False, float(candidate) * sqrt(radicand), f"{f}sqrt({radicand})"
