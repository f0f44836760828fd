"""Formulas that can be read: sums of products of named matrices and vectors, as text, as LaTeX and as numbers.

A factor is a name with a value; a term is a coefficient and factors from left to right; a sum is a list of terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

Values = Mapping[str, Any]  # numbers of any kind, and arrays of them


@dataclass(frozen=True)
class Factor:
    """text, latex: as it is written. value: of the variables' arrays. unit: the identity. number: no matrix.

    symmetric: a matrix that is its transpose.
    """

    text: str
    latex: str
    value: Callable[[Values], Any]
    unit: bool = False
    number: bool = False
    symmetric: bool = False


IDENTITY = Factor("I", "I", lambda v: np.eye(3, dtype=object), unit=True)


@dataclass(frozen=True)
class Term:
    """A number and factors from left to right."""

    coefficient: Fraction
    factors: tuple[Factor, ...]

    def times(self, *left: Factor, by: Fraction = Fraction(1)) -> Term:
        """by * left * this; a rotation beside its transpose is left out."""
        factors = list(self.factors)
        for factor in reversed(left):
            if factors and not factor.number and factor.text in (factors[0].text + "ᵀ", factors[0].text[:-1]):
                del factors[0]
            else:
                factors.insert(0, factor)
        return Term(by * self.coefficient, tuple(factors) or (IDENTITY,))

    def value(self, values: Values):
        arrays = [known(values, factor) for factor in self.factors]
        return self.coefficient * reduce(_product, arrays)

    def shown(self, latex: bool) -> str:
        """Without its sign."""
        alone = all(factor.unit or factor.number for factor in self.factors)
        kept = [factor for factor in self.factors if not factor.unit or (alone and factor is self.factors[-1])]
        kept.sort(key=lambda factor: not factor.number)
        size = abs(self.coefficient)
        shown = [] if size == 1 else [_fraction(size, latex)]
        return " ".join([*shown, *(factor.latex if latex else factor.text for factor in kept)])


class Known(dict):
    """Values of variables, and of factors that were computed from them: many terms have the same ones."""

    def __init__(self, values: Values):
        super().__init__(values)
        self.factors: dict[int, tuple[Factor, Any]] = {}  # the factor itself, so that its id stays its own


def known(values: Values, factor: Factor):
    """The value of a factor, computed once for all terms that have it."""
    if not isinstance(values, Known):
        return factor.value(values)
    if id(factor) not in values.factors:
        values.factors[id(factor)] = factor, factor.value(values)
    return values.factors[id(factor)][1]


Sum = tuple[Term, ...]


def shown(terms: Sum, latex: bool = False) -> str:
    """A sum as it is written; 0 for none."""
    if not terms:
        return "0"
    found = ("-" if terms[0].coefficient < 0 else "") + terms[0].shown(latex)
    for term in terms[1:]:
        found += (" - " if term.coefficient < 0 else " + ") + term.shown(latex)
    return found


def value(terms: Sum, values: Values):
    return reduce(lambda a, b: a + b, (term.value(values) for term in terms))


def times(terms: Sum, *left: Factor, by: Fraction = Fraction(1)) -> Sum:
    return tuple(term.times(*left, by=by) for term in terms)


def gathered(terms: Sum) -> Sum:
    """A sum with terms of the same factors taken together."""
    alike: dict[tuple[str, ...], list[Term]] = {}
    for term in terms:
        alike.setdefault(tuple(factor.text for factor in term.factors), []).append(term)
    summed = (Term(sum((term.coefficient for term in same), Fraction(0)), same[0].factors) for same in alike.values())
    return tuple(term for term in summed if term.coefficient)


def after(terms: Sum, right: Factor) -> Sum:
    """Every term with one more factor to its right."""
    return tuple(Term(term.coefficient, (*term.factors, right)) for term in terms)


def whole(terms: Sum) -> Factor:
    """A sum as one factor, in brackets where it needs them."""
    if len(terms) == 1 and terms[0].coefficient == 1 and len(terms[0].factors) == 1:
        return terms[0].factors[0]
    return Factor(f"({shown(terms)})", rf"\left({shown(terms, True)}\right)", lambda v: value(terms, v))


def _product(a, b):
    return a * b if getattr(a, "ndim", 0) == 0 or getattr(b, "ndim", 0) == 0 else a @ b


def _fraction(value: Fraction, latex: bool) -> str:
    if value.denominator == 1:
        return str(value)
    return rf"\tfrac{{{value.numerator}}}{{{value.denominator}}}" if latex else f"({value})"
