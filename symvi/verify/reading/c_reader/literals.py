"""Numbers as C writes them, read exactly, and what a rounded one seems to stand for.

A decimal literal is the decimal fraction that it shows, not the double nearest to it: 0.1 is 1/10. One with many digits
is often a rounded square root or a multiple of pi (0.70710678), and then no derivative with the true constant equals
the one with the literal: the reader says so instead of guessing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import gcd, ulp

from symvi.verify.reading.constants import FULL, SIMPLE, Constant
from symvi.verify.reading.constants import meaning as full_length
from symvi.verify.reading.worlds import DIGITS, context_of

FEWEST_DIGITS = 6  # of a literal that is taken for a rounded number
LARGEST_EXPONENT = 5_000  # of ten, or of two in a hexadecimal number
DECIMAL = re.compile(r"(?P<whole>\d*)\.?(?P<part>\d*)([eE](?P<exponent>[+-]?\d+))?[fFlL]?")
HEXADECIMAL = re.compile(r"0[xX](?P<whole>[\da-fA-F]*)\.?(?P<part>[\da-fA-F]*)[pP](?P<exponent>[+-]?\d+)[fFlL]?")
WHOLE = re.compile(r"(?P<digits>0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)(?P<suffix>[uUlL]*)")
# The macros of math.h and float.h that are numbers. The first ones are rounded, as every double is.
CONSTANTS = {
    "M_PI": "3.14159265358979323846", "M_PI_2": "1.57079632679489661923", "M_PI_4": "0.78539816339744830962",
    "M_1_PI": "0.31830988618379067154", "M_2_PI": "0.63661977236758134308", "M_SQRT2": "1.41421356237309504880",
    "M_SQRT1_2": "0.70710678118654752440", "M_E": "2.7182818284590452354", "M_LN2": "0.69314718055994530942",
    "DBL_EPSILON": "2.220446049250313080847263336181640625e-16", "FLT_EPSILON": "1.1920928955078125e-7",
    "DBL_MIN": "2.2250738585072014e-308", "FLT_MIN": "1.17549435e-38", "DBL_MAX": "1.7976931348623157e308",
    "FLT_MAX": "3.40282347e38",
}  # fmt: skip


class UnreadableNumber(ValueError):
    """A literal outside what the reader knows."""


def exact(text: str) -> Fraction:
    """The value of a floating literal, decimal or hexadecimal. Raises UnreadableNumber."""
    base, powers_of, match = 16, 2, HEXADECIMAL.fullmatch(text)
    if match is None:
        base, powers_of, match = 10, 10, DECIMAL.fullmatch(text)
    if match is None or not match["whole"] + match["part"]:
        raise UnreadableNumber(f"{text!r} is no number")
    exponent = match["exponent"] or "0"
    if len(exponent) > 6 or abs(int(exponent)) > LARGEST_EXPONENT:
        raise UnreadableNumber(f"{text!r}: the exponent is beyond every floating-point number")
    digits = int(match["whole"] + match["part"], base)
    return Fraction(digits, base ** len(match["part"])) * Fraction(powers_of) ** int(exponent)


def meaning(text: str) -> Constant:
    """What a floating literal stands for; `said` where that is worth a note. Raises UnreadableNumber.

    With all the digits of a double it is the fraction or irrational number that it is nearest to; with fewer it is the
    decimal that it shows, and the note says what it seems to round. Any other one with more digits than a double
    keeps is a number that was rounded.
    """
    value, digits = exact(text), re.sub("[eE].*", "", text).replace(".", "").strip("0fFlL")
    if len(digits) >= FULL and text[:2].lower() != "0x" and abs(value) < 1e300:
        meant = full_length(float(value))
        if meant.with_pi or meant.radicand != 1 or meant.factor.denominator <= SIMPLE:
            return replace(meant, said=f"{text} is read as {meant.said.split(' is read as ')[-1]}")
        if len(digits) > FULL:
            of = rounded(text) or "a number"
            return Constant(value, said=f"{text} is taken as {of}, rounded", unit=Fraction(ulp(float(value))))
    seems = rounded(text)
    return Constant(value, said=f"{text} is read as this decimal; it seems to round {seems}" if seems else "")


def whole(text: str) -> tuple[int, str]:
    """The value of an integer literal and its suffix: "12u" is (12, "u"), 010 is 8. Raises UnreadableNumber."""
    match = WHOLE.fullmatch(text)
    if match is None or len(match["digits"]) > 40:
        raise UnreadableNumber(f"{text!r} is no whole number")
    try:
        octal = re.fullmatch("0[0-9]+", match["digits"])
        return int(match["digits"], 8 if octal else 0), match["suffix"].lower()
    except ValueError:
        raise UnreadableNumber(f"{text!r} begins with 0, which makes it octal, and has a digit above 7") from None


def rounded(text: str) -> str | None:
    """What a decimal literal seems to be rounded or cut off from, if anything: 0.70710678 from sqrt(2.0)/2.

    Literals of fewer than six digits are taken as they are, for they are near something by accident.
    """
    match = DECIMAL.fullmatch(text)
    digits = "" if match is None else (match["whole"] + match["part"]).lstrip("0")
    if match is None or len(digits.rstrip("0")) < FEWEST_DIGITS or len(digits) > DIGITS - 5:
        return None
    shown, last = exact(text), Fraction(10) ** (int(match["exponent"] or 0) - len(match["part"]))
    return next((name for name, value in _candidates() if -last / 2 <= value - shown < last), None)


@cache
def _candidates() -> tuple[tuple[str, Fraction], ...]:
    """Numbers that people round, simplest first: fractions, roots, pi, e, log 2 and their simple multiples."""
    found: dict[Fraction, str] = {}
    for name, value in _named():
        found.setdefault(value, name)
    return tuple((name, value) for value, name in found.items())


def _named() -> Iterator[tuple[str, Fraction]]:
    mp = context_of(DIGITS)
    for top, bottom in _ratios(12, 60):
        if any(bottom % prime == 0 for prime in (3, 7, 11, 13, 17, 19, 23, 29, 31, 37)):
            yield f"{top}.0/{bottom}.0", Fraction(top, bottom)
    roots = {f"sqrt({n}.0)": mp.sqrt(n) for n in (2, 3, 5, 6, 7, 10)}
    bases = {"pi": +mp.pi, **roots, "e": +mp.e, "log(2.0)": mp.log(2)}
    for top, bottom in _ratios(9, 12):
        for name, value in bases.items():
            text = (f"{top}*" if top > 1 else "") + name + (f"/{bottom}" if bottom > 1 else "")
            yield text, _fraction(value) * Fraction(top, bottom)
    for bottom in (1, 2, 180):
        yield f"{bottom}/pi", _fraction(bottom / mp.pi)
    yield "pi/180", _fraction(mp.pi / 180)
    yield "(1 + sqrt(5.0))/2", _fraction((1 + mp.sqrt(5)) / 2)


def _ratios(tops: int, bottoms: int) -> list[tuple[int, int]]:
    pairs = sorted(product(range(1, tops + 1), range(1, bottoms + 1)), key=sum)
    return [(top, bottom) for top, bottom in pairs if gcd(top, bottom) == 1]


def _fraction(value) -> Fraction:
    return Fraction(str(context_of(DIGITS).nstr(value, DIGITS)))
