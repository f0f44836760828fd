"""Real numbers that know by how much they may be wrong, so that what was lost in a difference is seen to be lost.

A running error analysis: every number carries a bound of its error, every operation adds what it rounds and what it
makes of its operands' errors. Conditions go the way that they go in RealWorld.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf

from symvi.verify.reading.worlds import DIGITS, RealWorld, context_of

FAR = 1  # an error of an exponent beyond which nothing is known of a power
ROUNDINGS = 4  # of the last place, that one operation may make
# Errors are machine numbers where these hold them, with digits up to here; the least of all is added to each, so that
# none is lost below the smallest machine number.
FEW_DIGITS, LEAST = 130, 1e-300


class Bounded:
    """A real number, its size and a bound of its error; mixes with ints.

    size, error: of a kind, machine numbers or the world's own.
    """

    __slots__ = ("value", "size", "error", "world")

    def __init__(self, value, error, world: BoundedWorld, size=None):
        self.value, self.world = value, world
        self.size = world.of_errors(abs(value)) if size is None else size
        self.error = error

    def _made(self, value, error) -> Bounded:
        world = self.world
        size = world.of_errors(abs(value))
        return Bounded(value, error + size * world.unit + world.least, world, size)

    def _other(self, other) -> Bounded | None:
        if type(other) is Bounded:
            return other
        return Bounded(self.value * 0 + other, self.error * 0, self.world) if type(other) is int else None

    def __add__(self, other):
        other = self._other(other)
        if other is None:
            return NotImplemented
        return self._made(self.value + other.value, self.error + other.error)

    __radd__ = __add__

    def __neg__(self):
        return Bounded(-self.value, self.error, self.world, self.size)

    def __sub__(self, other):
        other = self._other(other)
        return NotImplemented if other is None else self._made(self.value - other.value, self.error + other.error)

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        other = self._other(other)
        if other is None:
            return NotImplemented
        error = self.size * other.error + other.size * self.error + self.error * other.error
        return self._made(self.value * other.value, error)

    __rmul__ = __mul__

    def inverse(self) -> Bounded:
        value, room = 1 / self.value, self.size - self.error
        return self._made(value, self.error * self.world.of_errors(abs(value)) / room if room > 0 else inf)

    def __truediv__(self, other):
        other = self._other(other)
        return NotImplemented if other is None else self * other.inverse()

    def __rtruediv__(self, other):
        return self.inverse() * other

    def __abs__(self):
        return Bounded(abs(self.value), self.error, self.world, self.size)

    def __eq__(self, other) -> bool:
        other = self._other(other)
        return NotImplemented if other is None else self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


class BoundedWorld(RealWorld):
    """Real numbers of some digits, with bounds of their errors."""

    def __init__(self, digits: int = DIGITS):
        few = digits <= FEW_DIGITS
        self.of_errors, self.least = (float, LEAST) if few else ((lambda size: size), 0)
        self.unit = ROUNDINGS * 10.0**-digits if few else ROUNDINGS / context_of(digits).mpf(10) ** digits
        super().__init__(digits)

    def constant(self, value: int | Fraction) -> Bounded:
        found = super().constant(value)
        size = self.of_errors(abs(found))
        return Bounded(found, size * self.unit, self, size)

    @property
    def pi(self) -> Bounded:
        found = self.one
        return found._made(super().pi, found.error)

    def order(self, a, b) -> int:
        return super().order(*(x.value if isinstance(x, Bounded) else x for x in (a, b)))

    def _real(self, name: str, function: Callable) -> Callable:
        plain, errors = super()._real(name, function), getattr(self, f"_error_of_{name}")

        def apply(x: Bounded) -> Bounded:
            value = plain(x.value)
            return x._made(value, errors(x, value))

        return apply

    # --- what a function makes of the error of its argument -------------------------------------------------------
    def _error_of_sin(self, x: Bounded, value):
        return x.error

    _error_of_cos = _error_of_sin

    def _error_of_exp(self, x: Bounded, value):
        return self.of_errors(abs(value) * self.context.expm1(x.error)) if x.error < FAR else inf

    def _error_of_log(self, x: Bounded, value):
        return x.error / (x.size - x.error) if x.size > x.error else inf

    def _error_of_sqrt(self, x: Bounded, value):
        """|sqrt(a) - sqrt(b)| is at most sqrt|a - b|, and |a - b|/sqrt(a)."""
        widest, size = x.error**0.5, self.of_errors(value)
        return min(widest, x.error / size) if size else widest

    def _error_of_erf(self, x: Bounded, value):
        return 2 * x.error

    def _turned(self, y: Bounded, x: Bounded) -> Bounded:
        value, size, errors = super()._turned(y.value, x.value), y.size + x.size, y.error + x.error
        return y._made(value, 2 * errors / (size - errors) if size > errors else inf)
