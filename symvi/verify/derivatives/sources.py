"""From what a user gives to a Function: SymPy's, Python's, C's, symvi's own."""

from __future__ import annotations

from collections.abc import Mapping

from symvi.verify.derivatives.errors import VerificationError
from symvi.verify.derivatives.function import Function
from symvi.verify.derivatives.variables import Variable


def read(given: object, variables: Mapping[str, Variable], name: str) -> Function:
    """The function that a user gave, of the variables. Raises VerificationError."""
    if isinstance(given, Function):
        return given
    if hasattr(given, "as_function"):  # verify.c(...)
        return given.as_function(variables, name)
    if callable(given) and not hasattr(given, "free_symbols"):
        from symvi.verify.derivatives.python_source import python_function

        return python_function(given, variables)
    from symvi.physics.trees import sympy_inside

    if sympy_inside(given) or isinstance(given, list | tuple | int | float):
        from symvi.verify.derivatives.sympy_source import sympy_function

        return sympy_function(given, variables, name)
    raise VerificationError(
        f"{name}: a {type(given).__name__} cannot be read; give a SymPy expression or matrix, a Python function, "
        "verify.c(...) or verify.own(...)"
    )
