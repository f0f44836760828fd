"""How a matrix is stored: turned over, column after column, or as its inverse.

Such an error is one of a whole matrix, or of a block that is a matrix by itself: single entries that agree with another
order of storage say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symvi.verify.asking.points import Point
from symvi.verify.judging.problem import Problem
from symvi.verify.naming.variants import Matrix, Variant, truth_of
from symvi.verify.reading.worlds import World


def stored_otherwise(problem: Problem) -> Iterator[Variant]:
    """Transposes, the inverse, the order of columns."""
    yield from transposes(problem)
    yield from column_by_column(problem)


def transposes(problem: Problem) -> Iterator[Variant]:
    rows = 1 if len(problem.shape) == 1 else problem.shape[0]
    if rows == problem.shape[-1] and rows > 1:
        yield Variant(
            "transpose", "the transpose", 1.0, _with_transposed(problem, range(rows), range(rows)), stored=True
        )
        yield Variant(
            "inverse", "the inverse", 1.5, lambda point, world: inverse(truth_of(problem, point, world)), stored=True
        )
    if problem.question.order != 1 or problem.question.weights:
        return
    for block in problem.question.blocks().values():
        size = len(block)
        for start in range(rows - size + 1) if size > 1 else ():
            if (rows, size) != (size, problem.shape[-1]):
                window = range(start, start + size)
                of = _with_transposed(problem, window, block)
                yield Variant("transpose", "the transpose", 1.0, of, rows=window, columns=block, stored=True)


def column_by_column(problem: Problem) -> Iterator[Variant]:
    """The entries as they lie in memory column after column, read row by row; of a square matrix that is given as a
    matrix this is its transpose."""
    if len(problem.shape) == 1 or 1 in problem.shape or problem.shape[0] == problem.shape[1] and not problem.flat:
        return
    rows, width = problem.shape

    def of(point: Point, world: World) -> Matrix:
        truth = truth_of(problem, point, world)
        entries = [row[k] for k in range(width) for row in truth]
        return [entries[i * width : (i + 1) * width] for i in range(rows)]

    says = "its entries column by column, as Eigen, MATLAB and CasADi store them"
    if len(problem.given) > 2:
        says = "the directions first, where they come last" + _remedy(problem.given, problem.outer)
    yield Variant("order", says, 1.0, of, stored=True)


def _remedy(given: tuple[int, ...], outer: tuple[int, ...]) -> str:
    """What NumPy makes of directions that come first: one axis of them, or one of the function's."""
    last = len(outer) if outer and given[len(given) - len(outer) :] == outer else 1
    if last == len(given) - 1:
        return ": np.moveaxis(claim, 0, -1) is meant"
    return ": np.moveaxis(claim, -1, 0) is meant" if last == 1 else ""


def inverse(matrix: Matrix) -> Matrix:
    """By Gauss and Jordan, the largest pivot first. Raises ZeroDivisionError for a singular matrix."""
    size = len(matrix)
    rows = [[*row, *(row[0] * 0 + int(i == k) for k in range(size))] for i, row in enumerate(matrix)]
    for k in range(size):
        pivot = max(range(k, size), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(size):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[size:] for row in rows]


def _with_transposed(problem: Problem, rows: range, columns: range) -> Callable:
    def of(point: Point, world: World) -> Matrix:
        truth = truth_of(problem, point, world)
        found = [list(row) for row in truth]
        for i in range(len(rows)):
            for k in range(len(columns)):
                found[rows[i]][columns[k]] = truth[rows[k]][columns[i]]
        return found

    return of
