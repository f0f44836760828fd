"""Whether an expression is zero: decided by arithmetic of polynomials with whole coefficients, exactly.

A value is a polynomial over a product of polynomials, in symbols, in square roots and in all that is no arithmetic
(functions), each taken for a variable of its own. So zero is never taken for granted: a polynomial that vanishes does
so whatever its variables are. Squares of roots become what is under them; squares of symbols what the caller says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import sympy as sp
from sympy.polys.domains import ZZ
from sympy.polys.rings import PolyElement, PolyRing

from symvi.physics.straight_line import Symbolic


def vanishes(value, squares: Mapping | None = None) -> bool:
    """Whether expressions are zero, symbols' squares being what `squares` says, in its order."""
    entries = sp.Matrix([value]) if not isinstance(value, sp.MatrixBase) else value
    return all(is_zero(sp.sympify(entry), squares or {}) for entry in entries)


def is_zero(value: Symbolic, squares: Mapping) -> bool:
    """The same of one expression; False where it divides by zero."""
    if value.is_Number:
        return value == 0
    known = Quotients([value, *squares, *map(sp.sympify, squares.values())])
    try:
        rest = known.without_roots(known.of(value).top)
        for symbol, square in squares.items():
            rest = known.without_roots(known.without_squares(rest, symbol, known.of(sp.sympify(square))))
    except ZeroDivisionError:
        return False
    return not rest


class Quotient(NamedTuple):
    """A polynomial over powers of polynomials."""

    top: PolyElement
    bottom: dict[PolyElement, int]


class Quotients:
    """Expressions as quotients, in the variables of these expressions."""

    def __init__(self, expressions: list):
        found: dict[sp.Expr, None] = {}
        for expression in expressions:
            found |= dict.fromkeys(_variables(expression, set()))
        self.ring = PolyRing([f"x{k}" for k in range(len(found))], ZZ, sp.lex)
        self.variables = dict(zip(found, self.ring.gens, strict=True))
        self.roots = [variable for variable in found if _is_root(variable)]
        self._known: dict[sp.Expr, Quotient] = {}

    def of(self, expression: Symbolic) -> Quotient:
        """An expression as a quotient. Raises ZeroDivisionError."""
        if expression not in self._known:
            self._known[expression] = self._made(expression)
        return self._known[expression]

    def _made(self, expression: Symbolic) -> Quotient:
        if expression.is_Rational:
            return self._over(self.ring(int(expression.p)), self.ring(int(expression.q)), 1)
        if expression in self.variables:
            return Quotient(self.variables[expression], {})
        if expression.is_Add:
            return self._sum([self.of(term) for term in expression.args])
        if expression.is_Mul:
            return self._product([self.of(factor) for factor in expression.args])
        base, exponent = expression.as_base_exp()
        if exponent.q == 2:
            base, exponent = sp.sqrt(base), 2 * exponent
        top, bottom = self.of(base)
        if exponent > 0:
            return Quotient(top ** int(exponent), {factor: k * int(exponent) for factor, k in bottom.items()})
        return self._over(self._multiplied(bottom) ** -int(exponent), top, -int(exponent))

    def _over(self, top: PolyElement, bottom: PolyElement, power: int) -> Quotient:
        """top/bottom^power; factors of bottoms are primitive with a positive leading coefficient."""
        if not bottom:
            raise ZeroDivisionError
        content, factor = bottom.primitive()
        if factor.LC < 0:
            content, factor = -content, -factor
        powers = {self.ring(abs(int(content))): power, factor: power}
        return Quotient(top * (-1) ** power if content < 0 else top, {f: k for f, k in powers.items() if f != 1})

    def _multiplied(self, factors: Mapping[PolyElement, int]) -> PolyElement:
        product = self.ring.one
        for factor, power in factors.items():
            product = product * factor**power
        return product

    def _product(self, factors: list[Quotient]) -> Quotient:
        product, bottom = self.ring.one, {}
        for top, powers in sorted(factors, key=lambda factor: len(factor.top)):
            product = product * top
            for factor, power in powers.items():
                bottom[factor] = bottom.get(factor, 0) + power
        return Quotient(product, bottom)

    def _sum(self, terms: list[Quotient]) -> Quotient:
        bottom: dict[PolyElement, int] = {}
        for _, powers in terms:
            for factor, power in powers.items():
                bottom[factor] = max(bottom.get(factor, 0), power)
        total = self.ring.zero
        for top, powers in terms:
            total = total + top * self._multiplied({f: power - powers.get(f, 0) for f, power in bottom.items()})
        return Quotient(total, bottom)

    # --- squares ------------------------------------------------------------------------------------------------------
    def without_roots(self, value: PolyElement) -> PolyElement:
        """A polynomial with squares of roots replaced by what is under them, times what that is divided by."""
        for root in self.roots:
            value = self.without_squares(value, root, self.of(root.as_base_exp()[0]))
        return value

    def without_squares(self, value: PolyElement, variable: sp.Expr, square: Quotient) -> PolyElement:
        """The same with the squares of one variable."""
        place = self.ring.gens.index(self.variables[variable])
        parts: dict[int, PolyElement] = {}
        for powers, factor in value.terms():
            count, left = divmod(powers[place], 2)
            part = parts.setdefault(count, self.ring.zero.copy())
            part[(*powers[:place], left, *powers[place + 1 :])] = factor
        most, bottom = max(parts, default=0), self._multiplied(square.bottom)
        total = self.ring.zero
        for count, part in parts.items():
            total = total + part * square.top**count * bottom ** (most - count)
        return total


def _variables(expression: Symbolic, seen: set) -> Iterator[sp.Expr]:
    """What an expression is a quotient of polynomials in, roots before what is under them."""
    if expression in seen or expression.is_Rational:
        return
    seen.add(expression)
    base, exponent = expression.as_base_exp()
    if _is_root(expression):
        yield expression
        yield from _variables(base, seen)
    elif expression.is_Pow and exponent.is_Rational and exponent.q == 2:
        yield from _variables(sp.sqrt(base), seen)
    elif expression.is_Add or expression.is_Mul or (expression.is_Pow and exponent.is_Integer):
        for part in expression.args if not expression.is_Pow else (base,):
            yield from _variables(part, seen)
    else:
        yield expression


def _is_root(expression: Symbolic) -> bool:
    return expression.is_Pow and expression.exp == sp.S.Half
