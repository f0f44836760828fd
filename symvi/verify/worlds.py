"""The numbers that functions are evaluated on: one interface over prime fields, rationals, 60 digits and floats.

A world has `constant(rational)`, `functions` (sqrt, sin, cos, exp, log, atan2, erf, also of dual numbers), `pi`, and
`compare(a, b)`, which says -1, 0 or 1 and writes down which way a condition went (`branches`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import isqrt
from typing import Any

import mpmath

from symvi.exact.degree import OPAQUE, Degree
from symvi.exact.dual import Dual, Functions
from symvi.exact.field import Field, Number
from symvi.exact.opaque import Opaque
from symvi.verify.errors import OutsideDomain, TooClose
from symvi.verify.residue import Residue

DIGITS = 60
RELATIVE_NOISE, NOISE = 10**8, 10**5  # of real numbers, in units of the last digit: what is less is zero
FLOAT_NOISE = 1e-15
CLOSE = 1e-9  # of two floats that stand for exact numbers: nearer ones are not told apart
LONGEST = 20_000  # binary digits of a rational number
POINT_DEGREE = 4  # of a point's numbers, above and below, in what was drawn at random
ANGLES = {Fraction(1): (-1, 0), Fraction(1, 2): (0, 1), Fraction(2): (1, 0), Fraction(3, 2): (0, -1)}


Line = str | Callable[[], str]  # where a number was made, or what tells it


class Irrational(ArithmeticError):
    """A number is no rational one, and this world has no others."""


class World:
    """What all worlds share: names, conditions that were asked, notes."""

    name = ""
    exact = True
    tape = None  # of worlds that keep one
    pi: Any  # where it has one
    at: Callable[[Any, Line], None] | None = None  # of worlds that write down where numbers were made

    def __init__(self, base: dict[str, Callable]):
        self.functions = Functions(base)
        self.branches: list[tuple[object, bool]] = []
        self.keeps_gaps, self.gaps, self._gaps, self._gap = False, (), [], None
        self.roundings: dict[Fraction, Fraction] = {}  # rounded constants that were used, and their last place's unit
        self.shifts: dict[Fraction, Fraction] = {}  # what is added to them
        self.ties: set[object] = set()  # conditions of which the two numbers were equal
        self.crossed: set[object] = set()  # those of them that the directions of a derivative cross
        self._tied, self._moving = False, False
        self.memory: dict | None = None  # true derivatives and the ways that conditions went in them
        self.zero, self.one = self.constant(0), self.constant(1)

    def constant(self, value: int | Fraction):
        raise NotImplementedError

    def rounded(self, value: Fraction, unit: Fraction):
        """A constant that stands in code as a machine number, rounded by up to a few units of its last place."""
        self.roundings[value] = unit
        return self.constant(value + self.shifts.get(value, 0))

    def order(self, a, b) -> int:
        """-1, 0 or 1 as a < b, a = b, a > b, of plain numbers."""
        return (a > b) - (a < b)

    def compare(self, a, b) -> int:
        self._moving = isinstance(a, Dual) or isinstance(b, Dual)
        a, b = primal(a), primal(b)
        order = self.order(a, b)
        self._tied = order == 0
        if self.keeps_gaps:
            self._gap = a - b if order else self.zero
        return order

    def learn(self, orders: tuple[int, ...], constant: bool) -> None:
        """What is known of the two numbers of the next condition, for worlds that keep it.

        orders: those that say the same as it does, and are left by earlier ones. constant: whether the second number
        stands in the code.
        """

    def decide(self, outcome: bool, site: object) -> bool:
        """Write down the way that a condition went, and where."""
        self.branches.append((site, outcome))
        if self._tied:
            self.ties.add(site)
            self.crossed |= {site} if self._moving else set()
            self._tied = False
        if self.keeps_gaps:
            self._gaps.append(self._gap)
            self._gap = None
        return outcome

    def path(self) -> tuple:
        """The ways that conditions went since the last call, in the order in which they were asked.

        `gaps` is then by how much the two numbers of each of them differed, if `keeps_gaps` is set.
        """
        found, self.branches = tuple(self.branches), []
        self.gaps, self._gaps = tuple(self._gaps), []
        return found


def primal(value):
    """The plain number below dual ones."""
    while isinstance(value, Dual):
        value = value.real
    return value


class FieldWorld(World):
    """A prime field: equal is equal. Roots and opaque functions as in symvi.exact.field and symvi.exact.opaque."""

    def __init__(self, prime: int, seed: int = 0):
        self.prime, self.field = prime, Field(prime, seed)
        self.opaque, self.opaque_used = Opaque(self.field), False
        super().__init__(
            {
                "sqrt": self.root,
                "sin": self._opaque("sin", math.sin),
                "cos": self._opaque("cos", math.cos),
                "exp": self._opaque("exp", math.exp),
                "log": self._opaque("log", math.log),
                "atan2": self._angle,
                "erf": self._error_function,
            }
        )
        self._pi, self._erf = None, {0: 0}

    name = "prime field"

    def constant(self, value: int | Fraction) -> Residue:
        if isinstance(value, int):
            return Residue(value % self.prime, self.prime, _float(value))
        n = value.numerator * pow(value.denominator, -1, self.prime) % self.prime
        return Residue(n, self.prime, _float(value))

    @property
    def pi(self) -> Residue:
        """A random number with the turns that pi has."""
        if self._pi is None:
            self._pi = Residue(self.field.random().n, self.prime, math.pi)
            for factor, (c, s) in ANGLES.items():
                value = (self._pi * self.constant(factor)).n
                self.opaque.laws["turn"].known[value] = (self.field.number(c), self.field.number(s))
        self.opaque_used = True
        return self._pi

    def root(self, x: Residue) -> Residue:
        """The root that is a square itself: roots of products are products. Raises NotASquare, OutsideDomain."""
        if x.n and x.r < 0 and not math.isnan(x.r):
            raise OutsideDomain("the root of a negative number")
        return Residue(self.field.defined_root(Number(x.n, self.prime)).n, self.prime, math.sqrt(abs(x.r)))

    def _opaque(self, name: str, real: Callable) -> Callable:
        function = getattr(self.opaque, name)

        def apply(*arguments: Residue) -> Residue:
            self.opaque_used = True
            try:
                size = real(*(x.r for x in arguments))
            except (ValueError, OverflowError):
                raise OutsideDomain(f"{name} outside its domain") from None
            return Residue(function(*(Number(x.n, self.prime) for x in arguments)).n, self.prime, size)

        return apply

    def _angle(self, y: Residue, x: Residue) -> Residue:
        """An opaque angle whose cos and sin are known where x² + y² has a root: x/r and y/r."""
        found = self._opaque("half_angle", math.atan2)(y, x)
        square, turns = Number((x * x + y * y).n, self.prime), self.opaque.laws["turn"].known
        if found.n not in turns and square.n and self.field.has_root(square):
            size = self.field.defined_root(square)
            turns[found.n] = (Number(x.n, self.prime) / size, Number(y.n, self.prime) / size)
        return found

    def _error_function(self, x: Residue) -> Residue:
        """An opaque odd function."""
        self.opaque_used = True
        if x.n not in self._erf:
            self._erf[x.n] = self.field.random().n
            self._erf[-x.n % self.prime] = -self._erf[x.n] % self.prime
        return Residue(self._erf[x.n], self.prime, math.erf(x.r))

    def order(self, a, b) -> int:
        a, b = (x if isinstance(x, Residue) else self.constant(x) for x in (a, b))
        if a.n == b.n:
            return 0
        if not abs(a.r - b.r) > CLOSE * (abs(a.r) + abs(b.r)):
            raise TooClose("two numbers are too close to tell which is larger")
        return 1 if a.r > b.r else -1


class RationalWorld(World):
    """Fractions: exact, slow, without anything irrational."""

    name = "rationals"

    def __init__(self):
        def refuse(*_):
            raise Irrational("not a rational number")

        super().__init__(
            {
                "sqrt": self._root,
                **{n: self._at_zero(n) for n in ("sin", "cos", "exp", "erf")},
                "log": refuse,
                "atan2": lambda y, x: Fraction(0) if y == 0 and x > 0 else refuse(),
            }
        )

    def constant(self, value: int | Fraction) -> Fraction:
        return Fraction(value)

    def at(self, value, line: Line) -> None:
        """Called with every number that a user's code makes: each turn of an iteration may double its digits."""
        while isinstance(value, Dual):
            value = value.real
        if isinstance(value, Fraction) and value.denominator.bit_length() > LONGEST:
            raise Irrational(f"a rational number of more than {LONGEST} binary digits")

    @property
    def pi(self):
        raise Irrational("pi is not a rational number")

    @staticmethod
    def _root(x: Fraction) -> Fraction:
        if x < 0:
            raise OutsideDomain("the root of a negative number")
        above, below = isqrt(x.numerator), isqrt(x.denominator)
        if above * above != x.numerator or below * below != x.denominator:
            raise Irrational(f"the root of {x} is not a rational number")
        return Fraction(above, below)

    @staticmethod
    def _at_zero(name: str) -> Callable:
        def value(x: Fraction) -> Fraction:
            if x != 0:
                raise Irrational(f"{name} of {x} is not a rational number")
            return Fraction(0 if name in ("sin", "erf") else 1)

        return value


class RealWorld(World):
    """Real numbers of 60 digits."""

    name = f"{DIGITS} digits"
    exact = False

    def __init__(self, digits: int = DIGITS):
        self.context = _context(digits)
        self.digits, self._whole = digits, {}
        mp = self.context
        digit = mp.mpf(10) ** -digits
        self._relative, self._least = digit * RELATIVE_NOISE, digit * NOISE
        names = {"sin": mp.sin, "cos": mp.cos, "exp": mp.exp, "log": mp.log, "sqrt": mp.sqrt, "erf": mp.erf}
        super().__init__({name: self._real(name, f) for name, f in names.items()} | {"atan2": self._turned})

    def constant(self, value: int | Fraction):
        if not isinstance(value, int):
            return self.context.mpf(value.numerator) / value.denominator
        if value not in self._whole:
            self._whole[value] = self.context.mpf(value)
        return self._whole[value]

    @property
    def pi(self):
        return +self.context.pi

    def _real(self, name: str, function: Callable) -> Callable:
        def apply(x):
            found = function(x)
            if isinstance(found, self.context.mpc):
                raise OutsideDomain(f"{name} of a negative number")
            return found

        return apply

    def _turned(self, y, x):
        return self.context.atan2(y, x)

    def order(self, a, b) -> int:
        gap = abs(a - b)
        if gap <= self._least or gap <= (abs(a) + abs(b)) * self._relative:
            return 0
        return 1 if a > b else -1


@cache
def _context(digits: int) -> mpmath.MPContext:
    """mpmath with so many digits; making one takes longer than most of what is computed in it."""
    context = mpmath.mp.clone()
    context.dps = digits
    return context


class FloatWorld(World):
    """Machine numbers: quick, for what is confirmed elsewhere."""

    name = "floats"
    exact = False

    def __init__(self):
        names = ("sin", "cos", "exp", "log", "sqrt", "atan2", "erf")
        super().__init__({name: self._guarded(getattr(math, name)) for name in names})

    def constant(self, value: int | Fraction) -> float:
        return float(value)

    def order(self, a: float, b: float) -> int:
        return 0 if abs(a - b) <= FLOAT_NOISE * (1 + abs(a) + abs(b)) else (a > b) - (a < b)

    @property
    def pi(self) -> float:
        return math.pi

    @staticmethod
    def _guarded(function: Callable) -> Callable:
        def apply(*arguments: float) -> float:
            try:
                return function(*arguments)
            except (ValueError, OverflowError) as error:
                raise OutsideDomain(str(error)) from None

        return apply


class DegreeWorld(World):
    """Degrees in the place of numbers, with floats for conditions: how likely an accident is (Schwartz, Zippel)."""

    name = "degrees"

    def __init__(self):
        base = {name: self._opaque(getattr(math, name)) for name in ("sin", "cos", "exp", "log", "atan2", "erf")}
        super().__init__({"sqrt": lambda x: Sized(x.above, x.below, math.sqrt(abs(x.r))), **base})

    def constant(self, value: int | Fraction) -> Sized:
        return Sized(0, 0, _float(value))

    def stated(self, value: Fraction) -> Sized:
        """A number of the point."""
        return Sized(POINT_DEGREE, POINT_DEGREE, _float(value))

    @property
    def pi(self) -> Sized:
        return Sized(1, 0, math.pi)

    @staticmethod
    def _opaque(real: Callable) -> Callable:
        def apply(*arguments: Sized) -> Sized:
            try:
                return Sized(OPAQUE, OPAQUE, real(*(x.r for x in arguments)))
            except (ValueError, OverflowError):
                return Sized(OPAQUE, OPAQUE, float("nan"))

        return apply

    def order(self, a, b) -> int:
        a, b = (x.r if isinstance(x, Sized) else float(x) for x in (a, b))
        return (a > b) - (a < b)


class Sized(Degree):
    """A degree with a float beside it."""

    __slots__ = ("r",)

    def __init__(self, above: int, below: int, r: float):
        super().__init__(above, below)
        self.r = r

    def __add__(self, other):
        if (other := _sized(other)) is None:
            return NotImplemented
        found = Degree.__add__(self, other)
        return Sized(found.above, found.below, self.r + other.r)

    __radd__ = __add__

    def __sub__(self, other):
        return NotImplemented if (other := _sized(other)) is None else self + -other

    def __rsub__(self, other):
        return NotImplemented if (other := _sized(other)) is None else other + -self

    def __mul__(self, other):
        if (other := _sized(other)) is None:
            return NotImplemented
        return Sized(self.above + other.above, self.below + other.below, self.r * other.r)

    __rmul__ = __mul__

    def __truediv__(self, other):
        if (other := _sized(other)) is None:
            return NotImplemented
        size = self.r / other.r if other.r else float("nan")
        return Sized(self.above + other.below, self.below + other.above, size)

    def __rtruediv__(self, other):
        return NotImplemented if (other := _sized(other)) is None else other / self

    def __neg__(self):
        return Sized(self.above, self.below, -self.r)


def _sized(value) -> Sized | None:
    if isinstance(value, Sized):
        return value
    return Sized(0, 0, float(value)) if isinstance(value, int | Fraction) else None


def _float(value: int | Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
