"""PROOF: printed kernels proved equal to the naive definitions, exactly, in a prime field.

The way of a proof: `zoo` makes mechanisms with every type of joint and force; `scene` gives one of them random numbers
of a prime field, in which roots and angles are exact; `ctext` reads the C that is really compiled; `kernels` runs it
and compares every result with `naive`, which knows plain definitions and dual numbers, and nothing of the formulas in
physics/. `mutation` plants errors in the C and counts how many the proof finds.
"""

from __future__ import annotations

from importlib import import_module

# The names for users, found when they are first used: `symvi.verify.derivatives` says what they are.
_HOME_OF = {
    name: f"symvi.verify.derivatives.{module}"
    for module, names in {
        "variables": "angular_velocity inertia matrix quaternion rotation scalar step unit_vector vector Variable",
        "verdict": "derivative assert_derivative",
        "report": "Report",
        "errors": "VerificationError",
        "own": "own own_names",
        "c_function": "c",
        "claims": "claim",
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
