"""Arithmetics to evaluate C on: doubles, as a compiled program has them, and fractions, which round nothing."""

from __future__ import annotations

import math
import operator
from fractions import Fraction


class Doubles:
    """IEEE doubles: the reader then computes what a compiler's code computes, operation by operation."""

    pi = math.pi
    number, root = staticmethod(float), staticmethod(math.sqrt)
    sin, cos, exp, log = (staticmethod(f) for f in (math.sin, math.cos, math.exp, math.log))
    atan2, asin, acos = (staticmethod(f) for f in (math.atan2, math.asin, math.acos))
    hypot = staticmethod(math.hypot)
    power = staticmethod(operator.pow)

    def __init__(self):
        self.sites: list[tuple[str, bool]] = []

    def less(self, a, b, site: str) -> bool:
        self.sites.append((site, a < b))
        return a < b

    def equal(self, a, b, site: str) -> bool:
        self.sites.append((site, a == b))
        return a == b


class Fractions(Doubles):
    """Rational numbers; roots of squares only, and some number in the place of pi."""

    pi = Fraction(22, 7)
    number = staticmethod(Fraction)

    @staticmethod
    def root(x: Fraction) -> Fraction:
        above, below = math.isqrt(x.numerator), math.isqrt(x.denominator)
        assert Fraction(above, below) ** 2 == x, f"{x} is no square"
        return Fraction(above, below)
