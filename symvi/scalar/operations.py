"""The closed set of operations that a scalar graph may hold, and what each one costs.

`angle(y, x, near)` is 2 atan2(y, x) on the branch nearest to `near`: joint angles are unwrapped by it.
`min` and `max` give the first of two equal numbers; no residual has them. The functions below `sqrt` and `angle` appear
only where a user's own expression asks for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symvi.scalar.expression import Graph

ARITHMETIC = ("add", "sub", "mul", "div")
ROOTS = ("sqrt", "angle")
EXTREMES = ("min", "max")
OPAQUE = ("sin", "cos", "exp", "log", "atan2", "expm1", "log1p")
OPERATIONS = ("const", "symbol", "neg", *ARITHMETIC, *ROOTS, *EXTREMES, *OPAQUE)


def count_operations(graph: Graph, indices: list[int]) -> dict[str, int]:
    """Number of operations by kind among the nodes `indices`; changes of sign are free (they fold into + and -)."""
    counts: dict[str, int] = {}
    for index in indices:
        operation = graph.operation(index)
        if operation not in ("const", "symbol", "neg"):
            counts[operation] = counts.get(operation, 0) + 1
    return counts
