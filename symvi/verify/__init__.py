"""DERIVATIVES: is a derivative that was written by hand right? A verdict for every entry, and what is wrong with it.

Five rooms, each of which uses those before it only. `asking`: what each argument is and in which directions it moves,
exact points on the manifold, what an answer may cost. `reading`: a function and its claim (SymPy, Python, C) on numbers
of any kind: fractions, real numbers of 60 digits, floats, dual numbers over them. `judging`: the truth by tagged dual
numbers, points at thresholds, which of the differences matter. `naming`: what such errors usually are. `saying`: the
report. The public face is this file, `verdict` (the question), `claims` (files of them) and `foreign` (numbers of any
program). symvi's own functions come from `symvi.derive`, which knows verify; verify knows nothing of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symvi.verify.asking.foreign_points import ask
    from symvi.verify.asking.variables import (
        Variable,
        angular_velocity,
        inertia,
        matrix,
        quaternion,
        rotation,
        scalar,
        step,
        unit_vector,
        vector,
    )
    from symvi.verify.claims import claim
    from symvi.verify.errors import VerificationError
    from symvi.verify.foreign import numbers
    from symvi.verify.reading.c_function import c
    from symvi.verify.saying.report import Report
    from symvi.verify.verdict import assert_derivative, derivative

# Written out for type checkers; a test compares it with the table below.
__all__ = [
    "Report",
    "Variable",
    "VerificationError",
    "angular_velocity",
    "ask",
    "assert_derivative",
    "c",
    "claim",
    "derivative",
    "inertia",
    "matrix",
    "numbers",
    "quaternion",
    "rotation",
    "scalar",
    "step",
    "unit_vector",
    "vector",
]

# The names for users, found when they are first used.
_HOME_OF = {
    name: module
    for module, names in {
        "symvi.verify.asking.variables": "angular_velocity inertia matrix quaternion rotation scalar step unit_vector"
        " vector Variable",
        "symvi.verify.verdict": "derivative assert_derivative",
        "symvi.verify.saying.report": "Report",
        "symvi.verify.errors": "VerificationError",
        "symvi.verify.reading.c_function": "c",
        "symvi.verify.claims": "claim",
        "symvi.verify.foreign": "numbers",
        "symvi.verify.asking.foreign_points": "ask",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> object:
    """Import a public name from the module it lives in, once."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'symvi.verify' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})
