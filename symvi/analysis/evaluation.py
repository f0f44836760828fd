"""Formulas in numbers: straight-line code as functions of Python, for floats and for rows of arrays.

Analysing loops evaluates small formulas some thousand times on few instances, where NumPy takes longer to be called
than to compute. Both ways have the same bits: sums, products, quotients and roots are rounded once, and all else is
NumPy's in both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from symvi.physics.formula import Formula

Array = NDArray[np.float64]
FEW = 16  # instances up to which floats are quicker than rows


def evaluate(formula: Formula, values: Mapping[str, Array]) -> dict[str, Array]:
    """A formula on arrays (size, N), one column per instance; outputs in the same form."""
    code = formula.code
    given = [values[argument.name] for argument in formula.inputs]
    count = len(given[0][0])
    found = _by_columns(formula, given) if 0 < count <= FEW else None
    if found is None:
        with np.errstate(all="ignore"):
            rows = _function(formula.python, False)(*(row for array in given for row in array))
        found = np.empty((len(rows), count))
        for into, row in zip(found, rows, strict=True):
            into[:] = row
    results, first = {}, 0
    for name, entries in code.results.items():
        results[name] = found[first : first + len(entries)]
        first += len(entries)
    return results


def _by_columns(formula: Formula, given: list[Array]) -> Array | None:
    """(results, N); None where Python raises what arrays take as infinite or as no number."""
    function = _function(formula.python, True)
    try:
        columns = zip(*(row for array in given for row in array.tolist()), strict=True)
        return np.array([function(*column) for column in columns], float).T
    except (ArithmeticError, ValueError):
        return None


def _angle(y, x, near):
    """2 atan2(y, x) on the branch nearest to `near`."""
    value = 2.0 * np.arctan2(y, x)
    return value + 2 * np.pi * np.floor((near - value) / (2 * np.pi) + 0.5)


ROWS: dict[str, Callable] = {
    "sqrt": np.sqrt,
    "angle": _angle,
    "sin": np.sin,
    "cos": np.cos,
    "exp": np.exp,
    "log": np.log,
    "atan2": np.arctan2,
    "expm1": np.expm1,
    "log1p": np.log1p,
}


def _of_floats(function: Callable) -> Callable:
    def called(*values: float) -> float:
        with np.errstate(all="ignore"):
            return float(function(*values))

    return called


FLOATS: dict[str, Callable] = {name: _of_floats(function) for name, function in ROWS.items()} | {"sqrt": math.sqrt}


@lru_cache(maxsize=512)
def _function(text: str, of_floats: bool) -> Callable[..., tuple]:
    """The function that a text of `Formula.python` defines."""
    scope: dict[str, Callable] = dict(FLOATS if of_floats else ROWS)
    exec(compile(text, "<formula>", "exec"), scope)  # noqa: S102  (text of our own code)
    return scope["compute"]
