"""Functions of floats and of scalars alike, for formulas that Python computes itself and generated text has too."""

from __future__ import annotations

import math
from typing import TypeVar

from symvi.scalar.expression import Scalar

Number = TypeVar("Number", float, Scalar)


def root(x: Number) -> Number:
    """The square root."""
    if isinstance(x, Scalar):
        return x.graph.sqrt(x)
    return math.sqrt(x)


def lesser(a: Number, b: Number) -> Number:
    """The lesser of two numbers, the first where they are equal."""
    return a.graph.min(a, b) if isinstance(a, Scalar) else min(a, b)


def greater(a: Number, b: Number) -> Number:
    """The greater of two numbers, the first where they are equal."""
    return a.graph.max(a, b) if isinstance(a, Scalar) else max(a, b)
