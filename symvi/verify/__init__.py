"""DERIVATIVES: is a derivative that was written by hand right? A verdict for every entry, and what is wrong with it.

The way of a verdict: `sources` reads a function and its claimed derivative (SymPy, Python, C, or one of symvi's own, by
name); `variables` says what each argument is and in which directions it moves; `points` draws exact points on the
manifold, `aiming` and `thresholds` look for those that conditions tell apart; `worlds` are the numbers that everything
is evaluated on: fractions, real numbers of 60 digits, floats; `truth` differentiates by tagged dual numbers; `decide`
compares, `effect` says what of a difference matters; `diagnosis` tries what such errors usually are; `report` is the
answer, a value.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symvi.verify.c_function import c
    from symvi.verify.claims import claim
    from symvi.verify.errors import VerificationError
    from symvi.verify.foreign import numbers
    from symvi.verify.foreign_points import ask
    from symvi.verify.own_functions import own, own_names
    from symvi.verify.report import Report
    from symvi.verify.variables import (
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
    "own",
    "own_names",
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
        "symvi.verify.variables": "angular_velocity inertia matrix quaternion rotation scalar step unit_vector vector"
        " Variable",
        "symvi.verify.verdict": "derivative assert_derivative",
        "symvi.verify.report": "Report",
        "symvi.verify.errors": "VerificationError",
        "symvi.verify.own_functions": "own own_names",
        "symvi.verify.c_function": "c",
        "symvi.verify.claims": "claim",
        "symvi.verify.foreign": "numbers",
        "symvi.verify.foreign_points": "ask",
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
