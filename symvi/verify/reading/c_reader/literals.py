"""Numbers as C writes them, read exactly, and what a rounded one seems to stand for.

A decimal literal is the decimal fraction that it shows, not the double nearest to it: 0.1 is 1/10. One with many digits
is often a rounded square root or a multiple of pi (0.70710678), and then no derivative with the true constant equals
the one with the literal: the reader says so instead of guessing.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import product
from math import gcd, ulp

from symvi.verify.reading.constants import FULL, SIMPLE, Constant
from symvi.verify.reading.constants import meaning as full_length

FEWEST_DIGITS = 6  # of a literal that is taken for a rounded number
LARGEST_EXPONENT = 5_000  # of ten, or of two in a hexadecimal number
PRECISION = 60
PI = "3.14159265358979323846264338327950288419716939937510582097494459"
E = "2.71828182845904523536028747135266249775724709369995957496696763"
LOG_2 = "0.693147180559945309417232121458176568075500134360255254120680009"
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
    """The value of a floating literal, decimal or hexadecimal, without its suffix. Raises UnreadableNumber."""
    bare = text.rstrip("lL") if text[:2].lower() == "0x" else text.rstrip("fFlL")
    hexadecimal = re.fullmatch(r"0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?\d+)", bare.rstrip("fF"))
    if hexadecimal:
        whole, part, exponent = hexadecimal.groups()
        _bounded(exponent, text)
        return Fraction(int(whole + part or "0", 16), 16 ** len(part)) * Fraction(2) ** int(exponent)
    if not re.fullmatch(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", bare):
        raise UnreadableNumber(f"{text!r} is no number")
    _bounded(re.split("[eE]", bare)[1] if re.search("[eE]", bare) else "0", text)
    return Fraction(bare)


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
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)([uUlL]*)", text)
    if match is None or len(match[1]) > 40:
        raise UnreadableNumber(f"{text!r} is no whole number")
    digits = match[1]
    if re.fullmatch("0[0-9]+", digits):
        if not re.fullmatch("[0-7]+", digits):
            raise UnreadableNumber(f"{text!r} begins with 0, which makes it octal, and has a digit above 7")
        return int(digits, 8), match[2].lower()
    return int(digits, 0), match[2].lower()


def _bounded(exponent: str, text: str) -> None:
    if len(exponent) > 6 or abs(int(exponent)) > LARGEST_EXPONENT:
        raise UnreadableNumber(f"{text!r}: the exponent is beyond every floating-point number")


def rounded(text: str) -> str | None:
    """What a decimal literal seems to be rounded or cut off from, if anything: 0.70710678 from sqrt(2.0)/2.

    Literals of fewer than six digits are taken as they are, for they are near something by accident.
    """
    match = re.fullmatch(r"(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?[fFlL]?", text)
    if match is None:
        return None
    digits = (match[1] + match[2]).lstrip("0")
    if len(digits.rstrip("0")) < FEWEST_DIGITS or len(digits) > PRECISION - 5:
        return None
    for name, value in _candidates():
        shown = _digits(value, len(digits))
        if digits in shown and _same_magnitude(text, value):
            return name
    return None


def _digits(value: Decimal, count: int) -> tuple[str, str]:
    """The first significant digits of a number, rounded and cut off."""
    with localcontext() as context:
        context.prec = PRECISION
        scaled = value.scaleb(count - 1 - value.adjusted())
        return str(scaled.to_integral_value(rounding="ROUND_HALF_EVEN")), str(
            scaled.to_integral_value(rounding="ROUND_FLOOR")
        )


def _same_magnitude(text: str, value: Decimal) -> bool:
    ratio = exact(text) / Fraction(value)
    return Fraction(9, 10) < ratio < Fraction(11, 10)


@cache
def _candidates() -> tuple[tuple[str, Decimal], ...]:
    """Numbers that people round, simplest first: fractions, roots, pi, e, log 2 and their simple multiples."""
    found: dict[Decimal, str] = {}
    with localcontext() as context:
        context.prec = PRECISION
        for top, bottom in sorted(product(range(1, 13), range(1, 61)), key=sum):
            if gcd(top, bottom) == 1 and any(bottom % prime == 0 for prime in (3, 7, 11, 13, 17, 19, 23, 29, 31, 37)):
                found.setdefault(Decimal(top) / bottom, f"{top}.0/{bottom}.0")
        bases = [(f"sqrt({n}.0)", Decimal(n).sqrt()) for n in (2, 3, 5, 6, 7, 10)]
        bases = [("pi", Decimal(PI)), *bases, ("e", Decimal(E)), ("log(2.0)", Decimal(LOG_2))]
        for top, bottom in sorted(product(range(1, 10), range(1, 13)), key=sum):
            if gcd(top, bottom) == 1:
                for name, value in bases:
                    found.setdefault(value * top / bottom, _multiple(name, top, bottom))
        for bottom in (1, 2, 180):
            found.setdefault(Decimal(bottom) / Decimal(PI), f"{bottom}/pi")
        found.setdefault(Decimal(PI) / 180, "pi/180")
        found.setdefault((1 + Decimal(5).sqrt()) / 2, "(1 + sqrt(5.0))/2")
    return tuple((name, value) for value, name in found.items())


def _multiple(name: str, top: int, bottom: int) -> str:
    return (f"{top}*" if top > 1 else "") + name + (f"/{bottom}" if bottom > 1 else "")
