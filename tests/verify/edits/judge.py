"""What a change does to a derivative, by other means than the engine's: fifty digits at random points of the manifold.

SymPy's own printer evaluates expressions, and C is evaluated on mpmath's numbers with an arithmetic of this file: no
prime field, no dual number and no point of the engine takes part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

import mpmath
from mpmath import mp

DIGITS = 50
POINTS, WITH_BRANCHES = 24, 1000  # random points; a wrong condition may matter in few of them
SAME = 1e-30  # of values relative to the largest: what fifty digits leave after some hundred operations
SAME_AS, OTHER, UNDEFINED = "same", "other", "undefined"


class Arithmetic:
    """Real numbers of fifty digits, as C asks for them; inside `mpmath.workdps`."""

    pi = mp.pi
    exp, sin, cos, atan2 = (staticmethod(f) for f in (mp.exp, mp.sin, mp.cos, mp.atan2))

    def number(self, value):
        return mp.mpf(value.numerator) / value.denominator

    def root(self, x):
        return real(mp.sqrt(x))

    def log(self, x):
        return real(mp.log(x))

    def power(self, x, exponent):
        return real(mp.power(x, self.number(exponent)))

    def less(self, a, b, site: str) -> bool:
        return a < b

    def equal(self, a, b, site: str) -> bool:
        return a == b


def real(x):
    """A number that must be real. Raises ZeroDivisionError where it is not, or is infinite."""
    if isinstance(x, mp.mpc) or not mp.isfinite(x):
        raise ZeroDivisionError("no real number")
    return x


def points(claim, seed: int) -> list[dict[str, list]]:
    """Random points: unit quaternions, angular velocities below 2/h, positive numbers where they must be."""
    random = Random(f"judge {claim.name} {seed}")

    def numbers(size: int) -> list:
        return [mp.mpf(random.uniform(-1.5, 1.5)) for _ in range(size)]

    def argument(kind: str) -> list:
        if kind in ("body", "world", "half"):
            q = numbers(4)
            length = mp.sqrt(sum(x * x for x in q))
            return [x / length for x in q]
        if kind in ("positive", "step"):
            return [mp.mpf(random.uniform(0.2, 0.6))]
        return numbers(1 if kind == "scalar" else 3)

    with mpmath.workdps(DIGITS):
        count = WITH_BRANCHES if claim.has_branches else POINTS
        return [{name: argument(kind) for name, kind in claim.arguments.items()} for _ in range(count)]


Values = Callable[[Mapping[str, list]], list]


def of_sympy(claim, matrix) -> Values:
    """The entries of a SymPy matrix at a point."""
    from symvi.physics.rewriting import numbers

    symbols = [symbol for name in claim.arguments for symbol in claim.symbols[name]]
    function = numbers(matrix, symbols)
    return lambda point: [
        real(mp.mpmathify(x)) for x in function(*(x for name in claim.arguments for x in point[name]))
    ]


def of_c(source, output: str = "G") -> Values:
    """What a C function (c_source.CFunction) writes at a point."""
    arithmetic, names = Arithmetic(), [p.name for p in source.parameters if p.name != output]
    return lambda point: source({name: point[name] for name in names}, arithmetic)[output]


def effect(original: Values, changed: Values, at: list[Mapping[str, list]]) -> str:
    """SAME_AS, OTHER, or UNDEFINED where the changed one has no value at any point."""
    verdict = UNDEFINED
    for point in at:
        old = original(point)
        try:
            with mpmath.workdps(DIGITS):
                new = changed(point)
        except (ArithmeticError, ValueError):
            continue
        size = max(abs(x) for x in (*old, 1))
        if any(not abs(a - b) <= SAME * size for a, b in zip(old, new, strict=True)):
            return OTHER
        verdict = SAME_AS
    return verdict
