"""Symmetric compositions: a step of higher order is a row of signed inner steps of the same method, of these shares.

A symmetric method of order 2, taken over gamma_1 h, ..., gamma_s h with gamma_k = gamma_{s+1-k} and sum gamma_k = 1,
is of order 4 if sum gamma_k³ = 0, of order 6 and 8 if further sums vanish (Hairer, Lubich, Wanner, Geometric Numerical
Integration, V.3). Some shares are negative: inner steps go back in time.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from symvi.errors import ArgumentError
from symvi.numbers.quadrature import is_rule, rule_of


@dataclass(frozen=True)
class Composition:
    """A symmetric composition: its name, its order, and the shares of the step of its inner steps, which sum to one."""

    name: str
    order: int
    shares: tuple[Fraction, ...]

    @property
    def times(self) -> tuple[Fraction, ...]:
        """Where the inner steps end, as shares of the step: the last one at one."""
        return tuple(sum(self.shares[: k + 1], Fraction(0)) for k in range(len(self.shares)))


# The first half of the shares; the middle one is what is left of one.
_TRIPLE = ("1.35120719195965763404768780897",)  # 1/(2 - 2^(1/3)): Creutz and Gocksch, Forest, Suzuki, Yoshida
_SUZUKI = ("0.414490771794375737142354062860",) * 2  # 1/(4 - 4^(1/3)): Suzuki
_HALVES = {
    "triple-jump": (4, _TRIPLE),
    "suzuki-4": (4, _SUZUKI),
    "yoshida-6": (6, (  # solution A of Yoshida
        "0.78451361047755726381949763", "0.23557321335935813368479318", "-1.17767998417887100694641568",
    )),
    "kahan-li-6": (6, (
        "0.39216144400731413927925056", "0.33259913678935943859974864", "-0.70624617255763935980996482",
        "0.08221359629355080023149045",
    )),
    "kahan-li-8": (8, (
        "0.13020248308889008087881763", "0.56116298177510838456196441", "-0.38947496264484728640807860",
        "0.15884190655515560089621075", "-0.39590389413323757733623154", "0.18453964097831570709183254",
        "0.25837438768632204729397911", "0.29501172360931029887096624",
    )),
}  # fmt: skip
OF_ORDER = {4: "suzuki-4", 6: "kahan-li-6", 8: "kahan-li-8"}  # what a number stands for
NAMES = tuple(_HALVES)


@cache
def _made(name: str) -> Composition:
    order, texts = _HALVES[name]
    half = tuple(map(Fraction, texts))
    middle = Fraction(1) - 2 * sum(half, Fraction(0))
    return Composition(name, order, (*half, middle, *reversed(half)))


def order_of(name: str) -> int:
    """The order of a composition or of a quadrature rule by name; 2 of none, ""."""
    rule = rule_of(name) if is_rule(name) else None
    return rule.order if rule else _made(name).order if name else 2


def composition_of(order: object) -> Composition | None:
    """The composition of an order, or of a name; None for order 2, the method itself, and for a quadrature rule.

    order: 2, 4, 6, 8, one of NAMES, the number as a text, or the name of a rule. Raises ArgumentError for others.
    """
    if is_rule(order):
        return None
    if isinstance(order, str) and order in _HALVES:
        return _made(order)
    number = {"2": 2, "4": 4, "6": 6, "8": 8}.get(order) if isinstance(order, str) else order
    if isinstance(number, int) and not isinstance(number, bool):
        if number == 2:
            return None
        if number in OF_ORDER:
            return _made(OF_ORDER[number])
    names = ", ".join(map(repr, NAMES))
    raise ArgumentError(f"order {str(order)[:40]!r}: use 2, 4, 6, 8, or a composition by name: {names}")
