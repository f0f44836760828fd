"""Forms that are stated by hand, against what they follow from: a formula is not lowered unless both agree exactly.

Kernels are printed in the form that a formula's builder states, since the order of its operations matters for speed and
round-off. Where that form is not itself the outcome of a derivative or of an elimination, the formula names a function
that derives the same in another way, from an action, a potential, a constraint or the motion of a body. It takes what
is stated (`Stated`) and the formula's inputs, and yields what must vanish, with words for it:

    yield "l is the slot derivative", stated["l"] - derived, {c: 1 - a·a}

The table says what squares of symbols are: of a unit quaternion's entry, of a root. Zero is decided by polynomial
arithmetic (vanishing.py), never by numbers of floating point. That sees squares of roots only, so roots are
held besides: a form states them with a plus.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import sympy as sp

from symvi.physics.straight_line import INTERMEDIATES, Symbolic, UnfoundedError
from symvi.physics.vanishing import vanishes

if TYPE_CHECKING:
    from symvi.physics.formula import Formula


class Stated:
    """What a builder states: its outputs by name, intermediate results put in but those that `keeping` leaves."""

    def __init__(self, results: Mapping, kept: tuple[str, ...] = ()):
        self._results, self._kept = results, kept
        self._steps = [(symbol, sp.sympify(value)) for symbol, value in results.get(INTERMEDIATES, ())]

    def keeping(self, *names: str) -> Stated:
        """The same with the named intermediate results as symbols."""
        return Stated(self._results, names)

    def __getitem__(self, name: str) -> Symbolic:
        value = self._results[name]
        return self._whole(sp.Matrix(value) if isinstance(value, list | tuple | sp.MatrixBase) else sp.sympify(value))

    def step(self, name: str) -> Symbolic:
        """The value of an intermediate result, earlier ones put in."""
        return self._whole(sp.Matrix([value for symbol, value in self._steps if _stem(symbol) == name]))

    def symbols(self, name: str) -> Symbolic:
        """The symbols that stand for an intermediate result."""
        return sp.Matrix([symbol for symbol, _ in self._steps if _stem(symbol) == name])

    def _whole(self, value):
        for symbol, expression in reversed(self._steps):
            if _stem(symbol) not in self._kept:
                value = value.xreplace({symbol: expression})
        return value


def _stem(symbol: sp.Symbol) -> str:
    return symbol.name.rpartition("_")[0]


def ensure_founded(formula: Formula, inputs: Mapping, results: Mapping) -> None:
    """Compare what a formula states with what it follows from. Raises UnfoundedError, which names the formula."""
    if has_negative_root(formula, results):
        raise UnfoundedError(f"formula {formula.name}, {formula.equation}: a root is taken with a minus")
    if not callable(formula.follows):
        raise ValueError(f"formula {formula.name} does not say what it follows from")
    for words, value, *squares in formula.follows(Stated(results), **inputs):
        if not vanishes(value, *squares):
            raise UnfoundedError(f"formula {formula.name}, {formula.equation}: it does not hold that {words}")


def has_negative_root(formula: Formula, results: Mapping) -> bool:
    """Whether an output or an intermediate result has a square root with a minus; gradients are derived, and may."""
    stated = [results[output.name] for output in formula.outputs if not output.name.startswith("G_")]
    stated += [value for _, value in results.get(INTERMEDIATES, ())]
    entries = [entry for value in stated for entry in _entries(value)]
    return any(_is_negative_root(part) for entry in entries for part in sp.preorder_traversal(entry))


def _entries(value) -> list:
    return sp.Matrix(value).flat() if isinstance(value, list | tuple | sp.MatrixBase) else [sp.sympify(value)]


def _is_negative_root(part) -> bool:
    """Whether it is a root times a negative number; a product of more may have come from a derivative."""
    factor, root = part.as_coeff_Mul()
    return factor < 0 and root.is_Pow and abs(root.exp) == sp.S.Half
