"""Linear equations in exact numbers: elimination without rounding, so that any pivot other than zero will do."""

from __future__ import annotations

from collections.abc import Sequence


def solve(matrix: Sequence[Sequence], right: Sequence[Sequence]) -> list[list]:
    """X with A X = B, for a square A by rows and the columns of B by rows.

    Numbers are those of a field, by their own + - * /. Raises ZeroDivisionError where A has no inverse.
    """
    count = len(matrix)
    rows = [{k: value for k, value in enumerate([*line, *more]) if value != 0} for line, more in _pairs(matrix, right)]
    for place in range(count):
        found = [k for k in range(place, count) if place in rows[k]]
        if not found:
            raise ZeroDivisionError("these equations have no one solution")
        pivot = min(found, key=lambda k: len(rows[k]))  # the sparsest: fewer products
        rows[place], rows[pivot] = rows[pivot], rows[place]
        inverse = 1 / rows[place].pop(place)
        top = rows[place] = {column: value * inverse for column, value in rows[place].items()}
        for k, row in enumerate(rows):
            if k != place and place in row:
                factor = row.pop(place)
                for column, value in top.items():
                    row[column] = row[column] - factor * value if column in row else -(factor * value)
                    if row[column] == 0:
                        del row[column]
    width = len(right[0]) if right else 0
    zero = 0 * right[0][0] if width else 0
    return [[row.get(count + k, zero) for k in range(width)] for row in rows]


def _pairs(matrix: Sequence[Sequence], right: Sequence[Sequence]):
    if any(len(line) != len(matrix) for line in matrix):
        raise ValueError("elimination is for as many equations as unknowns")
    return zip(matrix, right, strict=True)
