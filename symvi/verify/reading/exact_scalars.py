"""The number that a user's Python code runs on: it behaves like a float of NumPy or math, and is exact.

It wraps a number of a world, or a dual number over them. Floats that meet it mean what `constants` reads in them.
Comparisons go the way they would go in real numbers, and are written down with the line that asked.
"""

from __future__ import annotations

import fractions
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

from symvi.exact.dual import reciprocal
from symvi.verify.errors import NeedsFloats, VerificationError
from symvi.verify.reading.constants import Constant, meaning, of_short_float
from symvi.verify.reading.elementary import call, power, sign
from symvi.verify.reading.sites import condition_at, place_in, user_frame
from symvi.verify.reading.worlds import World

PACKAGES = ("numpy", "mpmath", "sympy")
OWN = tuple(f"symvi{s}{room}{s}" for room in ("verify", "exact", "proofs") for s in "/\\")
INSIDE = (*OWN, *(f"{s}{name}{s}" for name in PACKAGES for s in "/\\"), fractions.__file__)
ORDERS = (-1, 0, 1)


class Scalar:
    """A number of a world, in a user's code. `told` takes notes of what constants were read as."""

    __slots__ = ("value", "world", "told", "orders")
    __mul__: Any  # as the others set below
    __lt__: Any

    def __init__(self, value, world: World, told: Callable[[str], None]):
        self.value, self.world, self.told = value, world, told
        self.orders: dict | None = None  # constant -> how this number may be to it, after what was asked

    def wrap(self, value) -> Scalar:
        world = self.world
        world.effort.spend(1)
        if world.at is not None:
            world.at(value, user_line)
        return Scalar(value, world, self.told)

    def other(self, other):
        """Another operand as a number of the world; None where it is no number."""
        return other.value if type(other) is Scalar else plain_value(other, self.world, self.told)

    # --- arithmetic, with + - * / and comparisons below -----------------------------------------------------------
    def __rsub__(self, other):
        other = self.other(other)
        return NotImplemented if other is None else self.wrap(other - self.value)

    def __rtruediv__(self, other):
        other = self.other(other)
        return NotImplemented if other is None else self.wrap(other * reciprocal(self.value))

    def __neg__(self):
        return self.wrap(-self.value)

    def __pos__(self):
        return self

    def __abs__(self):
        below = self._asked(0, lambda order: order < 0, lambda: f"the number in abs() below zero, {user_line()}")
        return self.wrap(-self.value if below else self.value)

    def __pow__(self, exponent, modulus=None):
        if isinstance(exponent, Scalar):
            return self.wrap(call(self.world, "pow", [self.value, exponent.value]))
        if not isinstance(exponent, Real):
            return NotImplemented
        exact = _whole(exponent) if float(exponent).is_integer() else meaning(float(exponent)).factor
        return self.wrap(power(self.world, self.value, exact))

    def __rpow__(self, base):
        return Scalar(self.other(base), self.world, self.told) ** self

    # --- comparisons --------------------------------------------------------------------------------------------
    def _asked(self, other, outcome: Callable[[int], bool], site: Callable[[], str] | None = None):
        """What a comparison says. One that earlier answers have decided is no condition: there is one way only."""
        if other is self:
            return outcome(0)
        if isinstance(other, float) and math.isinf(other):  # a bound that is none
            return outcome(-1 if other > 0 else 1)
        number = self.other(other)
        if number is None:
            return NotImplemented
        self.world.effort.spend(1)
        known = {} if self.orders is None else self.orders
        constant = type(other) is not Scalar
        left = known.get(other, ORDERS) if constant else ORDERS
        if len(said := {outcome(order) for order in left}) == 1:
            return said.pop()
        answer = outcome(self.world.compare(self.value, number))
        place = site() if site else user_condition()
        if [order for order in left if outcome(order) != answer] == [0]:
            self.world.equalities.add(place)
        answer = self.world.decide(answer, place)
        if constant:
            self.orders = {**known, other: tuple(order for order in left if outcome(order) == answer)}
        return answer

    def __bool__(self) -> bool:
        return self != 0

    __hash__ = object.__hash__

    # --- what exact numbers cannot do ---------------------------------------------------------------------------
    def __float__(self):
        raise NeedsFloats(f"{user_line()}: asks for a machine number (float); exact numbers cannot go through it")

    def __int__(self):
        raise NeedsFloats(f"{user_line()}: asks for a whole number (int); exact numbers cannot go through it")

    __index__ = __complex__ = __int__

    def __repr__(self) -> str:
        return repr(self.value)

    # --- what NumPy asks of the entries of an object array ---------------------------------------------------------
    @property
    def real(self):
        return self

    @property
    def imag(self):
        return self * 0

    @property
    def shape(self) -> tuple:
        return ()

    def conjugate(self):
        return self

    conj = item = copy = conjugate

    def sign(self):
        return self.wrap(sign(self.world, self.value, f"the number in sign() below zero, {user_line()}"))

    def fabs(self):
        return abs(self)

    def arctan2(self, x):
        return self.wrap(self.world.functions.atan2(self.value, self.other(x)))

    def hypot(self, x):
        return self.wrap(call(self.world, "hypot", [self.value, self.other(x)]))

    def square(self):
        return self * self

    def reciprocal(self):
        return 1 / self


def plain_value(number, world: World, told: Callable[[str], None]):
    """A number of a user's code as a number of the world; None for what is no number."""
    kind = type(number)
    if kind is Scalar:
        return number.value
    if kind is float and number in world.literals:
        return world.literals[number]
    if kind is int or isinstance(number, Integral):
        return world.constant(int(number))
    if isinstance(number, Fraction):
        return world.constant(number)
    if isinstance(number, Real):
        try:
            constant = _meaning(number)
        except ValueError as error:
            raise VerificationError(f"{user_line()}: {error}") from None
        if constant.said or constant.unit is not None:
            told(constant.said)
            return constant.value(world)
        value = constant.value(world)
        if kind is float:
            world.literals[float(number)] = value
        return value
    return plain_value(number[()], world, told) if _is_one_in_an_array(number) else None


def _is_one_in_an_array(number: object) -> bool:
    """Whether it is an array without axes, as np.where makes it of single numbers; none that may be masked."""
    import numpy as np

    return isinstance(number, np.ndarray) and number.ndim == 0 and not isinstance(number, np.ma.MaskedArray)


def _whole(number: Any) -> Fraction:
    return Fraction(int(number))


def _meaning(number: Any) -> Constant:
    """What a machine number stands for; one of NumPy's short ones by its own digits."""
    if type(number).__name__ in ("float16", "float32") and math.isfinite(number):
        import numpy as np

        return of_short_float(str(number), float(np.spacing(abs(number))))
    return meaning(float(number))


def user_line() -> str:
    """file.py:12, the innermost line of code that is neither this package's nor NumPy's."""
    frame = user_frame(INSIDE)
    return place_in(frame.f_code, frame.f_lineno)


def user_condition() -> str:
    """That line, and which comparison of it."""
    frame = user_frame(INSIDE)
    return condition_at(frame.f_code, frame.f_lasti, user_line)


def _arithmetic(operation: Callable) -> Callable:
    def apply(self: Scalar, other):
        if type(other) is Scalar:
            return self.wrap(operation(self.value, other.value))
        other = plain_value(other, self.world, self.told)
        return NotImplemented if other is None else self.wrap(operation(self.value, other))

    return apply


def _comparison(compare: Callable) -> Callable:
    def outcome(order: int) -> bool:
        return compare(order, 0)

    return lambda self, other: self._asked(other, outcome)


for _name in ("add", "sub", "mul", "truediv"):
    setattr(Scalar, f"__{_name}__", _arithmetic(getattr(operator, _name)))
for _name in ("add", "mul"):
    setattr(Scalar, f"__r{_name}__", _arithmetic(getattr(operator, _name)))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Scalar, f"__{_name}__", _comparison(getattr(operator, _name)))


def _method(name: str) -> Callable:
    def apply(self: Scalar) -> Scalar:
        return self.wrap(call(self.world, name, [self.value]))

    apply.__name__ = name
    return apply


# NumPy's name of an elementary function -> ours; the entries of an object array have them as methods.
METHODS = {
    **{name: name for name in "sqrt sin cos tan exp log sinh cosh tanh expm1 log1p log2 log10 cbrt".split()},
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
}  # fmt: skip
for _numpy, _own in METHODS.items():
    setattr(Scalar, _numpy, _method(_own))
