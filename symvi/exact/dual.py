"""Tagged dual numbers: exact derivatives of plain definitions, over any numbers.

a + b e with e² = 0. Every perturbation e has a tag of its own, so a derivative taken inside another one cannot be
confused with
it: a number that carries a younger tag holds numbers with older ones, never the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count

_tags = count(1)


class Slopes:
    """The slopes of one number along several directions at once, those that are not zero: direction -> number.

    It stands where Dual has a slope, and is added to slopes and multiplied with numbers only.
    """

    __slots__ = ("along",)

    def __init__(self, along: Mapping):
        self.along = along

    def __add__(self, other):
        if type(other) is not Slopes:  # a number, which can only be zero
            return self
        found = dict(self.along)
        for k, value in other.along.items():
            found[k] = found[k] + value if k in found else value
        return Slopes(found)

    __radd__ = __add__

    def __neg__(self):
        return Slopes({k: -value for k, value in self.along.items()})

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self

    def __mul__(self, other):
        return Slopes({k: value * other for k, value in self.along.items()})

    __rmul__ = __mul__

    def __truediv__(self, other):
        return Slopes({k: value / other for k, value in self.along.items()})


def _mixed(one, x, other, y):
    """one x + other y, of slopes and numbers."""
    if type(one) is not Slopes or type(other) is not Slopes:
        return one * x + y * other
    found = {k: value * x for k, value in one.along.items()}
    for k, value in other.along.items():
        more = value * y
        found[k] = found[k] + more if k in found else more
    return Slopes(found)


class Dual:
    """real + slope e, where e is the perturbation with this tag; both parts may carry older tags."""

    __slots__ = ("real", "slope", "tag")

    def __init__(self, tag: int, real, slope):
        self.tag, self.real, self.slope = tag, real, slope

    def real_slope(self, tag: int):
        """(real, slope) as seen by a tag at least as young as this one."""
        return (self.real, self.slope) if tag == self.tag else (self, 0)

    def __add__(self, other):
        if type(other) is not Dual or other.tag < self.tag:  # a constant to this perturbation
            return Dual(self.tag, self.real + other, self.slope)
        if other.tag == self.tag:
            return Dual(self.tag, self.real + other.real, self.slope + other.slope)
        return Dual(other.tag, self + other.real, other.slope)

    __radd__ = __add__

    def __neg__(self):
        return Dual(self.tag, -self.real, -self.slope)

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if type(other) is Slopes:
            return NotImplemented
        if type(other) is not Dual or other.tag < self.tag:
            return Dual(self.tag, self.real * other, self.slope * other)
        if other.tag == self.tag:
            return Dual(self.tag, self.real * other.real, _mixed(self.slope, other.real, other.slope, self.real))
        return Dual(other.tag, self * other.real, self * other.slope)

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, Dual):
            return self * reciprocal(other)
        return Dual(self.tag, self.real / other, self.slope / other)

    def __rtruediv__(self, other):
        return reciprocal(self) * other


def reciprocal(x):
    """1/x of a number or a dual number."""
    if not isinstance(x, Dual):
        return 1 / x
    inverse = reciprocal(x.real)
    return Dual(x.tag, inverse, -x.slope * inverse * inverse)


def derivative(function: Callable, zero) -> list:
    """The derivative of a list-valued function of one number at zero: function(e) is called once, with a fresh tag."""
    tag = next(_tags)
    results = function(Dual(tag, zero, zero + 1))
    return [x.slope if isinstance(x, Dual) and x.tag == tag else zero for x in results]


def derivatives(function: Callable, zero, count: int) -> list[list]:
    """The derivatives of a list-valued function of `count` numbers at zero: a row per result; it is called once."""
    tag = next(_tags)
    results = function([Dual(tag, zero, Slopes({k: zero + 1})) for k in range(count)])
    slopes = [x.slope if isinstance(x, Dual) and x.tag == tag else None for x in results]
    return [[s.along.get(k, zero) if type(s) is Slopes else zero for k in range(count)] for s in slopes]


class Functions:
    """Functions beyond + - * /, of numbers by `base` and of dual numbers by their derivative rules.

    base: name -> function of plain numbers, for sqrt, angle (2 atan2(y, x) nearest to a third number), atan2, sin, cos,
    exp, log.
    """

    def __init__(self, base: Mapping[str, Callable]):
        self.base = base

    def sqrt(self, x):
        return self._apply("sqrt", x, lambda x, value: reciprocal(2 * value))

    def sin(self, x):
        return self._apply("sin", x, lambda x, value: self.cos(x))

    def cos(self, x):
        return self._apply("cos", x, lambda x, value: -self.sin(x))

    def exp(self, x):
        return self._apply("exp", x, lambda x, value: value)

    def log(self, x):
        return self._apply("log", x, lambda x, value: reciprocal(x))

    def erf(self, x, scale: Callable):
        """The error function; `scale` gives 2/sqrt(pi)."""
        return self._apply("erf", x, lambda x, value: scale() * self.exp(-(x * x)))

    def atan2(self, y, x):
        return self._turn("atan2", y, x, 1)

    def angle(self, y, x, near):
        return self._turn("angle", y, x, 2, near)

    def _apply(self, name: str, x, slope: Callable):
        if not isinstance(x, Dual):
            return self.base[name](x)
        value = self._apply(name, x.real, slope)
        return Dual(x.tag, value, slope(x.real, value) * x.slope)

    def _turn(self, name: str, y, x, factor: int, *near):
        """d(factor atan2(y, x)) = factor (x dy - y dx)/(x² + y²); the branch does not matter."""
        tag = max((z.tag for z in (y, x) if isinstance(z, Dual)), default=0)
        if tag == 0:
            return self.base[name](y, x, *near)
        (y0, dy), (x0, dx) = (z.real_slope(tag) if isinstance(z, Dual) else (z, 0) for z in (y, x))
        value = self._turn(name, y0, x0, factor, *near)
        return Dual(tag, value, factor * (x0 * dy - y0 * dx) / (x0 * x0 + y0 * y0))
