"""Functions of math.h: what each is in the arithmetic, and why some are outside the subset.

The arithmetic of a run offers number, root, less, equal and, by name, sin, cos, exp, log, atan2, and asin, acos, cbrt
and power where it has them. Everything else here is made of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from symvi.verify.reading.c_reader.memory import Machine
from symvi.verify.reading.c_reader.problems import Place, refused

LARGEST_POWER = 1_000


def _root(machine: Machine, place: Place, x):
    return machine.arithmetic.root(x)


def _absolute(machine: Machine, place: Place, x):
    return -x if machine.arithmetic.less(x, _zero(machine), f"{place}: fabs of a negative number") else x


def _least(machine: Machine, place: Place, x, y):
    return y if machine.arithmetic.less(y, x, f"{place}: fmin takes its second argument") else x


def _greatest(machine: Machine, place: Place, x, y):
    return y if machine.arithmetic.less(x, y, f"{place}: fmax takes its second argument") else x


def _with_sign(machine: Machine, place: Place, x, y):
    size = _absolute(machine, place, x)
    return -size if machine.arithmetic.less(y, _zero(machine), f"{place}: copysign of a negative number") else size


def _zero(machine: Machine):
    return machine.arithmetic.number(Fraction(0))


def _one(machine: Machine):
    return machine.arithmetic.number(Fraction(1))


def named(name: str) -> Callable:
    """A function that the arithmetic may have. Calling it raises SourceError where it has not."""

    def function(machine: Machine, place: Place, *arguments):
        known = getattr(machine.arithmetic, name, None)
        if known is None:
            raise refused(place, f"{name} is no function of the numbers that this is evaluated on")
        return known(*arguments)

    return function


def _tangent(machine: Machine, place: Place, x):
    return machine.arithmetic.sin(x) / machine.arithmetic.cos(x)


def _arc_tangent(machine: Machine, place: Place, x):
    return machine.arithmetic.atan2(x, _one(machine))


def _arc_sine(machine: Machine, place: Place, x):
    known = getattr(machine.arithmetic, "asin", None)
    if known is not None:
        return known(x)
    return machine.arithmetic.atan2(x, machine.arithmetic.root(_one(machine) - x * x))


def _arc_cosine(machine: Machine, place: Place, x):
    known = getattr(machine.arithmetic, "acos", None)
    if known is not None:
        return known(x)
    return machine.arithmetic.atan2(machine.arithmetic.root(_one(machine) - x * x), x)


def _hypotenuse(machine: Machine, place: Place, x, y):
    return machine.arithmetic.root(x * x + y * y)


def _hyperbolic(sign: int) -> Callable:
    def function(machine: Machine, place: Place, x):
        up, down = machine.arithmetic.exp(x), machine.arithmetic.exp(-x)
        return (up + down if sign > 0 else up - down) / 2

    return function


def _hyperbolic_tangent(machine: Machine, place: Place, x):
    up, down = machine.arithmetic.exp(x), machine.arithmetic.exp(-x)
    return (up - down) / (up + down)


def power(machine: Machine, x, exponent: int):
    """x to a whole power, by squaring."""
    result, base, left = None, x, abs(exponent)
    while left:
        if left & 1:
            result = base if result is None else result * base
        left >>= 1
        if left:
            base = base * base
    if result is None:
        return _one(machine)
    return _one(machine) / result if exponent < 0 else result


# name -> (number of arguments, function of a machine, a place and the arguments)
FUNCTIONS: dict[str, tuple[int, Callable]] = {
    "sqrt": (1, _root),
    "fabs": (1, _absolute),
    "fmin": (2, _least),
    "fmax": (2, _greatest),
    "copysign": (2, _with_sign),
    "hypot": (2, _hypotenuse),
    "fma": (3, lambda machine, place, x, y, z: x * y + z),
    **{name: (1, named(name)) for name in ("sin", "cos", "exp", "log")},
    "atan2": (2, named("atan2")),
    "cbrt": (1, named("cbrt")),
    "tan": (1, _tangent),
    "atan": (1, _arc_tangent),
    "asin": (1, _arc_sine),
    "acos": (1, _arc_cosine),
    "sinh": (1, _hyperbolic(-1)),
    "cosh": (1, _hyperbolic(1)),
    "tanh": (1, _hyperbolic_tangent),
    "expm1": (1, lambda machine, place, x: machine.arithmetic.exp(x) - _one(machine)),
    "log1p": (1, lambda machine, place, x: machine.arithmetic.log(_one(machine) + x)),
}


def _half_away(x: float) -> float:
    """C's round: halves go away from zero."""
    return math.copysign(math.floor(abs(x) + 0.5), x)


# Of machine numbers only: name -> (number of arguments, function of them, why exact numbers have none).
_STEPS = "it is constant between jumps, and has no derivative there"
_SAWTOOTH = "it jumps, and exact numbers do not count its turns; between jumps it is x less a constant, write that"
_SPECIAL = "it is not among the functions that can be evaluated exactly"
_MEMORY = "the subset has no heap; use an array of fixed size"
OF_MACHINES: dict[str, tuple[int, Callable, str]] = {
    "floor": (1, math.floor, _STEPS),
    "ceil": (1, math.ceil, _STEPS),
    "trunc": (1, math.trunc, _STEPS),
    "round": (1, _half_away, _STEPS),
    "rint": (1, round, _STEPS),
    "nearbyint": (1, round, _STEPS),
    "fmod": (2, math.fmod, _SAWTOOTH),
    "remainder": (2, math.remainder, _SAWTOOTH),
}
REASONS = {
    **dict.fromkeys(("lround", "lrint", "signbit"), _STEPS),
    "modf": _SAWTOOTH,
    **dict.fromkeys(("erf", "erfc", "tgamma", "lgamma", "frexp", "ldexp"), _SPECIAL),
    **dict.fromkeys(("malloc", "calloc", "realloc", "free", "alloca"), _MEMORY),
    **dict.fromkeys(("rand", "random", "drand48", "time", "clock"), "its value differs from call to call"),
    **dict.fromkeys(("setjmp", "longjmp", "exit", "abort", "system", "fopen", "scanf", "getenv"),
                    "it does more than compute numbers"),
    "fpclassify": "exact numbers are finite; leave the test out",
}  # fmt: skip
# Calls that change no number: left out, and noted.
WITHOUT_EFFECT = {"printf", "fprintf", "puts", "putchar", "fputs", "fflush", "assert", "perror"}


def base_name(name: str, known: Callable[[str], bool]) -> str:
    """The name of math.h's function for doubles: sqrt for sqrtf, sqrtl and __builtin_sqrt."""
    bare = name.removeprefix("__builtin_")
    if not known(bare) and bare[-1:] in ("f", "l") and known(bare[:-1]):
        return bare[:-1]
    return bare
