"""Quotients of polynomials modulo the relations of a manifold: a normal form that is zero proves an equation.

Every relation says what the square of one unknown is, in terms of others: w² = 1 - x² - y² - z² of a unit quaternion,
t² = radicand of a root. Their leading terms have nothing in common, so they are a Groebner basis, and replacing squares
until there are none left gives the normal form.

What is zero while roots, and reciprocals of sums, are unknowns of which nothing is known is zero all the more: such a
normal form is small, and found in a moment where the full one is not (`loose`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sympy import QQ
from sympy.polys.rings import PolyElement, ring

SPARE = 24  # unknowns for roots and opaque functions
MOST_TERMS, MOST_PRODUCTS = 20_000, 400_000
FEW = 4  # terms of denominators whose common factors are looked for


class Unprovable(ArithmeticError):
    """The normal form has no place for this (a condition, the root of a square), or takes too long."""


class Quotients:
    """Polynomials in named unknowns, their relations, and how many products of terms may be made of them.

    loose: roots and reciprocals of sums are unknowns without relations; what is not zero then may still be zero.
    """

    def __init__(self, names: Sequence[str], positive: Sequence[str], products: float, loose: bool = False):
        self.loose, self.loose_known = loose, {}
        self.ring, *generators = ring([*names, *(f"spare{k}" for k in range(SPARE))], QQ)
        self.unknowns = dict(zip(names, generators[: len(names)], strict=True))
        self.spare = list(generators[len(names) :])
        self.positive = {self.unknowns[name] for name in positive}
        self.rules: list[tuple[int, PolyElement]] = []
        self.roots: dict[PolyElement, PolyElement] = {}
        self.products, self.left = products, products

    def unknown(self, name: str) -> Quotient:
        return Quotient(self.unknowns[name], self.ring.one, self)

    def constant(self, value: int | Fraction) -> Quotient:
        value = Fraction(value)
        return Quotient(self.ring(QQ(value.numerator, value.denominator)), self.ring.one, self)

    def relate(self, name: str, square: Quotient) -> None:
        """The square of an unknown, a polynomial in others."""
        self._relate(self.unknowns[name], square.above)

    def _relate(self, unknown: PolyElement, square: PolyElement) -> None:
        self.rules.append((self.ring.gens.index(unknown), square))

    def reduced(self, p: PolyElement) -> PolyElement:
        """Without squares of unknowns that have a relation."""
        for index, square in reversed(self.rules):
            while any(monomial[index] > 1 for monomial in p):
                p = self._replaced(p, index, square)
        return p

    def _replaced(self, p: PolyElement, index: int, square: PolyElement) -> PolyElement:
        self.check(p)
        parts: dict[int, PolyElement] = {}
        for monomial, coefficient in p.terms():
            power, rest = divmod(monomial[index], 2)
            left = (*monomial[:index], rest, *monomial[index + 1 :])
            parts.setdefault(power, self.ring.zero)[left] = coefficient
        found = self.ring.zero
        for power, part in parts.items():
            self.left -= len(part) * len(square) ** power
            found = found + part * square**power
        return found

    def check(self, p: PolyElement) -> None:
        if len(p) > MOST_TERMS:
            raise Unprovable(f"a normal form of more than {MOST_TERMS} terms")
        if self.left < 0:
            raise Unprovable(f"a normal form that takes more than {self.products:.0e} products of terms")

    def times(self, p: PolyElement, q: PolyElement) -> PolyElement:
        """A product, unless it is hopelessly large."""
        if len(p) * len(q) > MOST_PRODUCTS:
            raise Unprovable(f"a product of sums of {len(p)} and {len(q)} terms")
        self.left -= len(p) * len(q)
        return p * q

    def cofactors(self, p: PolyElement, q: PolyElement) -> tuple[PolyElement, PolyElement, PolyElement]:
        """Common factor, p without it, q without it; only looked for where that is quick."""
        if len(p) <= FEW and len(q) <= FEW:
            return p.cofactors(q)
        return self.ring.one, p, q

    def fresh(self) -> PolyElement:
        if not self.spare:
            raise Unprovable("too many roots for a normal form")
        return self.spare.pop(0)

    def reciprocal(self, p: PolyElement) -> PolyElement:
        """One over a sum, as an unknown of its own."""
        return self._loosely("reciprocal", p.monic()) * self.ring(1 / p.LC)

    def _loosely(self, *key) -> PolyElement:
        """An unknown of which nothing is known but what it is made from."""
        if key not in self.loose_known:
            self.loose_known[key] = self.fresh()
        return self.loose_known[key]

    def root(self, x: Quotient) -> Quotient:
        """The root of above/below: the root of their product over below. Raises Unprovable where a sign is open."""
        if self.loose:
            above, below = x.above * self.ring(1 / x.below.LC), x.below.monic()
            return Quotient(self._loosely("root", above, below), self.ring.one, self)
        constant, factors = self.reduced(x.above * x.below).sqf_list()
        outside, inside = self.ring.one, self.ring(constant)
        for factor, power in factors:
            if power > 1 and not self._is_positive(factor):
                raise Unprovable("the root of a square has two signs")
            outside, inside = outside * factor ** (power // 2), inside * factor ** (power % 2)
        if not self._is_positive(x.below):
            raise Unprovable("the sign of a denominator under a root")
        return Quotient(outside * self._root(inside), x.below, self)

    def _root(self, p: PolyElement) -> PolyElement:
        if p == 1:
            return p
        if p not in self.roots:
            self.roots[p] = self.fresh()
            self._relate(self.roots[p], p)
        return self.roots[p]

    def _is_positive(self, p: PolyElement) -> bool:
        """A positive number times unknowns that are positive."""
        terms = p.terms()
        if len(terms) != 1 or terms[0][1] < 0:
            return False
        return all(self.ring.gens[i] in self.positive for i, power in enumerate(terms[0][0]) if power)


class Quotient:
    """above/below, both without reducible squares."""

    __slots__ = ("above", "below", "of")

    def __init__(self, above: PolyElement, below: PolyElement, of: Quotients):
        of.check(above)
        self.above, self.below, self.of = of.reduced(above), of.reduced(below), of
        if not self.below:
            raise ZeroDivisionError("division by zero")

    def _other(self, other) -> Quotient | None:
        if isinstance(other, Quotient):
            return other
        return self.of.constant(other) if isinstance(other, int | Fraction) else None

    def __add__(self, other):
        if (other := self._other(other)) is None:
            return NotImplemented
        if self.below == other.below:
            return Quotient(self.above + other.above, self.below, self.of)
        _, mine, theirs = self.of.cofactors(self.below, other.below)
        times = self.of.times
        return Quotient(times(self.above, theirs) + times(other.above, mine), times(self.below, theirs), self.of)

    __radd__ = __add__

    def __neg__(self):
        return Quotient(-self.above, self.below, self.of)

    def __sub__(self, other):
        return NotImplemented if (other := self._other(other)) is None else self + -other

    def __rsub__(self, other):
        return NotImplemented if (other := self._other(other)) is None else other + -self

    def __mul__(self, other):
        if (other := self._other(other)) is None:
            return NotImplemented
        times = self.of.times
        return Quotient(times(self.above, other.above), times(self.below, other.below), self.of)

    __rmul__ = __mul__

    def __truediv__(self, other):
        if (other := self._other(other)) is None:
            return NotImplemented
        times = self.of.times
        if self.of.loose and len(other.above) > 1:
            return Quotient(times(self.above, other.below * self.of.reciprocal(other.above)), self.below, self.of)
        return Quotient(times(self.above, other.below), times(self.below, other.above), self.of)

    def __rtruediv__(self, other):
        return NotImplemented if (other := self._other(other)) is None else other / self

    def is_zero(self) -> bool:
        return not self.above
