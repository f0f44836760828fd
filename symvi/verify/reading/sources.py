"""From what a user gives to a Function: SymPy's, Python's, C's, symvi's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symvi.verify.asking.variables import Variable
from symvi.verify.errors import VerificationError
from symvi.verify.reading.function import Function


def read(given: Any, variables: Mapping[str, Variable], name: str) -> Function:
    """The function that a user gave, of the variables. Raises VerificationError."""
    if isinstance(given, Function):
        return given
    if hasattr(given, "as_function"):  # verify.c(...)
        return given.as_function(variables, name)
    if callable(given) and not hasattr(given, "free_symbols"):
        from symvi.verify.reading.python_source import python_function

        return python_function(given, variables)
    from symvi.physics.trees import sympy_inside

    given = _array_or_list(given)
    if isinstance(given, np.ndarray):
        from symvi.verify.reading.python_source import array_function

        return array_function(given, name)
    if sympy_inside(given) or isinstance(given, list | tuple | int | float):
        from symvi.verify.reading.sympy_source import sympy_function

        return sympy_function(given, variables, name)
    raise VerificationError(
        f"{name}: a {type(given).__name__} cannot be read; give a SymPy expression or matrix, an array of numbers, "
        "a Python function, verify.c(...) or symvi.derive.own(...)"
    )


def _array_or_list(given: object) -> object:
    """Arrays of NumPy as arrays; lists of them, and arrays of SymPy's expressions, as lists."""
    if isinstance(given, list | tuple):
        return [one.tolist() if isinstance(one, np.ndarray) else _array_or_list(one) for one in given]
    if isinstance(given, np.generic):
        given = np.array(given)
    if isinstance(given, np.matrix):
        given = given.view(np.ndarray)  # a matrix has no single row
    return given.tolist() if isinstance(given, np.ndarray) and given.dtype == object else given
