"""Dense block algebra traced on scalars: factor, solve, multiply, structural zeros kept (BM20 Algorithms 1-4).

Matrices are lists of rows of scalars. A zero that is known when tracing costs nothing: it is folded by the scalar
graph. Factors lie in one matrix: above the diagonal U (ones on its diagonal), below it L, on it the reciprocals of L's
diagonal. It is U that has the ones because substituting backwards through U is what the root waits for: one product and
one difference a row.
"""

from __future__ import annotations

from collections.abc import Sequence

from symvi.scalar import Scalar

Matrix = list[list[Scalar]]
Vector = list[Scalar]


def factor(matrix: Matrix) -> Matrix:
    """L U factors of a square matrix, without pivoting (the elimination order makes every pivot safe)."""
    a = [list(row) for row in matrix]
    n = len(a)
    for k in range(n):
        a[k][k] = 1 / a[k][k]
        for j in range(k + 1, n):
            a[k][j] = a[k][j] * a[k][k]
            for i in range(k + 1, n):
                a[i][j] = a[i][j] - a[i][k] * a[k][j]
    return a


def solve_lower(factors: Matrix, right: Matrix) -> Matrix:
    """L^-1 B, column by column."""
    b = [list(row) for row in right]
    for i in range(len(b)):
        for k in range(i):
            b[i] = [x - factors[i][k] * y for x, y in zip(b[i], b[k], strict=True)]
        b[i] = [x * factors[i][i] for x in b[i]]
    return b


def solve_right_upper(left: Matrix, factors: Matrix) -> Matrix:
    """C U^-1, row by row."""
    c = [list(row) for row in left]
    for row in c:
        for k in range(len(row)):
            for m in range(k):
                row[k] = row[k] - row[m] * factors[m][k]
    return c


def solve_upper(factors: Matrix, right: Vector) -> Vector:
    """U^-1 b."""
    b = list(right)
    for i in reversed(range(len(b))):
        for k in reversed(range(i + 1, len(b))):
            b[i] = b[i] - factors[i][k] * b[k]
    return b


def solve(factors: Matrix, right: Matrix) -> Matrix:
    """(L U)^-1 B, column by column."""
    half = solve_lower(factors, right)
    columns = [solve_upper(factors, [row[c] for row in half]) for c in range(len(half[0]))]
    return [[column[r] for column in columns] for r in range(len(half))]


def transposed(matrix: Matrix) -> Matrix:
    """Aᵀ."""
    return [list(column) for column in zip(*matrix, strict=True)]


def add(left: Matrix, right: Matrix) -> Matrix:
    """A + B."""
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(left, right, strict=True)]


def product(left: Matrix, right: Matrix) -> Matrix:
    """A B. Both have at least one row and one column, or A has no row."""
    columns = transposed(right)
    return [[dot(row, column) for column in columns] for row in left]


def times(matrix: Matrix, vector: Vector) -> Vector:
    """A b."""
    return [dot(row, vector) for row in matrix]


def cross(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    total = left[0] * right[0]
    for a, b in zip(left[1:], right[1:], strict=True):
        total = total + a * b
    return total


def subtract_product(target: Matrix, left: Matrix, right: Matrix, last_first: bool = False) -> Matrix:
    """T - C B. Every sum takes its products in the order of B's rows, or from the last one up: as B becomes known."""
    return [
        [_minus_dot(entry, row, [line[j] for line in right], last_first) for j, entry in enumerate(entries)]
        for entries, row in zip(target, left, strict=True)
    ]


def subtract_times(target: Vector, left: Matrix, vector: Vector, last_first: bool = False) -> Vector:
    """t - C b."""
    return [_minus_dot(entry, row, vector, last_first) for entry, row in zip(target, left, strict=True)]


def _minus_dot(start: Scalar, left: Vector, right: Vector, last_first: bool) -> Scalar:
    pairs = list(zip(left, right, strict=True))
    for a, b in reversed(pairs) if last_first else pairs:
        start = start - a * b
    return start


# --- the same algebra on patterns: which entries may differ from zero -------------------------------------------------
Pattern = int


def _bit(columns: int, i: int, j: int) -> int:
    return 1 << (i * columns + j)


def pattern_factor(pattern: Pattern, n: int) -> Pattern:
    """The pattern of the factors."""
    for k in range(n):
        for i in range(k + 1, n):
            if pattern & _bit(n, i, k):
                for j in range(k + 1, n):
                    if pattern & _bit(n, k, j):
                        pattern |= _bit(n, i, j)
    return pattern


def pattern_solve_lower(factors: Pattern, n: int, right: Pattern, columns: int) -> Pattern:
    for i in range(n):
        for k in range(i):
            if factors & _bit(n, i, k):
                right |= (right >> (k * columns) & ((1 << columns) - 1)) << (i * columns)
    return right


def pattern_solve(factors: Pattern, n: int, right: Pattern, columns: int) -> Pattern:
    """The pattern of (L U)^-1 B."""
    right = pattern_solve_lower(factors, n, right, columns)
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            if factors & _bit(n, i, k):
                right |= (right >> (k * columns) & ((1 << columns) - 1)) << (i * columns)
    return right


def pattern_solve_right_upper(left: Pattern, rows: int, factors: Pattern, n: int) -> Pattern:
    for row in range(rows):
        for k in range(n):
            for m in range(k):
                if left & _bit(n, row, m) and factors & _bit(n, m, k):
                    left |= _bit(n, row, k)
    return left


def pattern_product(left: Pattern, rows: int, inner: int, right: Pattern, columns: int) -> Pattern:
    result = 0
    line = (1 << columns) - 1
    for i in range(rows):
        for k in range(inner):
            if left & _bit(inner, i, k):
                result |= (right >> (k * columns) & line) << (i * columns)
    return result
