"""The shapes in which one and the same derivative is written: rows side by side, or the function's own shape first.

The entries lie in the same order in all of them. For a function of shape (3, 3) and a rotation, 9 x 3 is the usual
matrix and 3 x 3 x 3 what JAX and NumPy make of it; second derivatives are (m, n²) or (m, n, n).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod

from symvi.verify.asking.question import Question

Shape = tuple[int, ...]


def layouts(question: Question, outer: Shape) -> list[Shape]:
    """Of a derivative of a function of shape `outer`, the usual one first."""
    usual = question.shape(prod(outer))
    return _different([usual, *(rows + columns for rows, columns in _parts(question, outer))])


def turned_layouts(question: Question, outer: Shape) -> list[Shape]:
    """Of its transpose: directions first."""
    usual = question.shape(prod(outer))[::-1]
    return _different([usual, *(columns + rows for rows, columns in _parts(question, outer))])


def _parts(question: Question, outer: Shape) -> Iterator[tuple[Shape, Shape]]:
    """(shape of the function, shape of the directions), each in the ways in which it is written."""
    count = len(question.directions)
    rows: list[Shape] = [()] if question.weights else [(prod(outer),), outer]
    columns: list[Shape] = [(count,)]
    if len(question.wrt) == 1 and (variable := question.variables[question.wrt[0]]).directions == variable.size:
        columns.append(variable.shape)
    if question.order == 2:
        flat = [] if question.weights or prod(outer) == 1 else [(count * count,)]
        columns = [*flat, *(one + other for one, other in product(columns, repeat=2))]
    yield from product(rows, columns)


def fitted(entries: Iterable, shape: Shape, wanted: Iterable[Shape]) -> list | None:
    """The entries row by row where their shape is one of those wanted, or None where it is another matrix.

    Dimensions of one make no difference, and flat lists may be any of them.
    """
    given, wanted = _without_ones(shape), list(wanted)
    same = any(given == _without_ones(one) for one in wanted)
    flat = len(given) <= 1 and any(prod(shape) == prod(one) for one in wanted)
    return list(entries) if same or flat else None


def _without_ones(shape: Shape) -> Shape:
    return tuple(size for size in shape if size != 1)


def _different(shapes: Iterable[Shape]) -> list[Shape]:
    return list({_without_ones(shape): shape for shape in reversed(list(shapes))}.values())[::-1]
