"""The numbers that functions are evaluated on: one interface over rationals, 60 digits and floats.

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

from symvi.exact.dual import Dual, Functions
from symvi.verify.asking.effort import current
from symvi.verify.errors import OutsideDomain

DIGITS = 60
RELATIVE_NOISE, NOISE = 10**8, 10**5  # of real numbers, in units of the last digit: what is less is zero
FLOAT_NOISE = 1e-15
LONGEST = 20_000  # binary digits of a rational number


Line = str | Callable[[], str]  # where a number was made, or what tells it


class Irrational(ArithmeticError):
    """A number is no rational one, and this world has no others."""


class Enough(OutsideDomain):
    """No condition matters after this one."""


class World:
    """What all worlds share: names, conditions that were asked, notes."""

    name = ""
    exact = True
    tape = None  # of worlds that keep one
    replays: object = None  # worlds of one kind have the same constants; None: code runs every time it is asked
    pi: Any  # where it has one
    way: Any = None  # the ways as a tuple, that the first conditions are made to go
    at: Callable[[Any, Line], None] | None = None  # of worlds that write down where numbers were made

    def __init__(self, base: dict[str, Callable]):
        self.functions, self.effort = Functions(base), current()
        self.branches: list[tuple[object, bool]] = []
        self.keeps_gaps, self._gaps, self._gap = False, [], None
        self.gaps: tuple = ()
        self.roundings: dict[Fraction, Fraction] = {}  # rounded constants that were used, and their last place's unit
        self.shifts: dict[Fraction, Fraction] = {}  # what is added to them
        self.ties: set[object] = set()  # conditions of which the two numbers were equal
        self.crossed: set[object] = set()  # those of them that the directions of a derivative cross
        self._tied, self._moving = False, False
        self.equalities: set[object] = set()  # conditions of which one way says that two numbers are equal
        self.memory: dict | None = None  # true derivatives and the ways that conditions went in them
        self.literals: dict[float, Any] = {}  # what stands in code, and is that decimal
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


class RationalWorld(World):
    """Fractions: exact, slow, without anything irrational."""

    name = "rationals"
    has_roots = False  # whether one was asked for

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

    def _root(self, x: Fraction) -> Fraction:
        self.has_roots = True
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
    """Real numbers of 60 digits.

    More digits tell no more numbers apart in conditions, unless `told` says so: a point that lies on an equality in 60
    digits stays there, and more digits of a value are those of the same way through the code.
    """

    name = f"{DIGITS} digits"
    exact = False

    def __init__(self, digits: int = DIGITS, told: int = DIGITS):
        self.context = context_of(digits)
        self.digits, self._whole = digits, {}
        self.replays = type(self), digits
        mp = self.context
        digit = mp.mpf(10) ** -min(digits, told)
        self._relative, self._least = digit * RELATIVE_NOISE, digit * NOISE
        self._power = mp.mag(self._least)  # of two, above what is zero
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
        if type(a) is type(b) is self.context.mpf and (quick := _far_apart(a._mpf_, b._mpf_, self._power)):
            return quick
        gap = abs(a - b)
        if gap <= self._least or gap <= (abs(a) + abs(b)) * self._relative:
            return 0
        return 1 if a > b else -1


def _far_apart(a: tuple, b: tuple, power: int) -> int:
    """The order of two numbers, (sign, mantissa, exponent, bits), of which one is at least twice the other, or that
    are on two sides of zero: by their powers of two. 0 where these do not tell it, or what is apart is below one."""
    minus, above, exponent, bits = a
    other_minus, below, other_exponent, other_bits = b
    top, other_top = exponent + bits, other_exponent + other_bits
    if above and below:
        if minus != other_minus:
            return (-1 if minus else 1) if max(top, other_top) > power else 0
        if top >= other_top + 2:
            return (-1 if minus else 1) if top - 2 >= power else 0
        if other_top >= top + 2:
            return (1 if minus else -1) if other_top - 2 >= power else 0
    elif above and not other_exponent:
        return (-1 if minus else 1) if top > power else 0
    elif below and not exponent:
        return (1 if other_minus else -1) if other_top > power else 0
    return 0


@cache
def context_of(digits: int) -> mpmath.MPContext:
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
        self.replays = FloatWorld
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


class MachineWorld(FloatWorld):
    """Machine numbers as a processor compares them: for code that is judged by what it does with these."""

    def order(self, a: float, b: float) -> int:
        return (a > b) - (a < b)
