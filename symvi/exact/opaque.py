"""Functions that a field does not have (angles, sin, cos, exp, log): opaque values that obey the functions' own laws.

A new argument gets a random value, and so nothing holds by accident; an argument that is the sum, product or quotient
of known ones gets the value that the addition theorem asks for, whichever comes first:
    angle(d e) = angle(d) + angle(e)   for directions d, e multiplied as complex numbers; one value along a direction
    turn(x + y) = turn(x) turn(y)      turn = (cos, sin), a point of the unit circle, so that sin² + cos² = 1
    exp(x + y) = exp(x) exp(y)         log(x y) = log(x) + log(y)
Which of two numbers is the larger one, a field does not say either: definitions order some, and no others may be
compared. Derivatives are in dual.py: they are rules on these values. Not seen here: half a turn in atan2, whose two
arguments would both have to change sign.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from symvi.exact.field import Field, Number


class UnknownBranch(ArithmeticError):
    """An angle was asked for near a number that carries no turns."""


@dataclass
class Law:
    """An opaque function F with F(join(x, y)) = merge(F(x), F(y)), F(split(x, y)) = part(F(x), F(y)), F(unit) given.

    fresh: gives the values of a new argument, as pairs (argument, value): the argument itself last.
    """

    join: Callable
    split: Callable
    merge: Callable
    part: Callable
    fresh: Callable
    known: dict = field(default_factory=dict)

    def __call__(self, x):
        if x not in self.known:
            derived = self._derived(x)
            if derived is None:
                self.known.update(self.fresh(x))
            else:
                self.known[x] = derived
        return self.known[x]

    def _derived(self, x):
        for a, value in self.known.items():
            rest = self.split(x, a)
            if rest in self.known:
                return self.merge(value, self.known[rest])
            rest = self.split(a, x)
            if rest in self.known:
                return self.part(value, self.known[rest])
        return None


class Opaque:
    """The opaque functions of one field, with what they have been asked so far."""

    def __init__(self, field: Field):
        self.field, self.full_turn = field, field.random()
        self.turns: dict[int, int] = {0: 0}
        self.above: set[int] = set()  # numbers that count as larger than zero
        p = field.prime
        self.laws = {
            "angle": Law(self._join, self._split, _add, _sub, lambda d: [(d, field.random())], {0: field.zero}),
            "turn": Law(
                lambda x, y: (x + y) % p,
                lambda x, y: (x - y) % p,
                _rotate,
                _rotate_back,
                self._fresh_turn,
                {0: (field.one, field.zero)},
            ),
            "exp": Law(
                lambda x, y: (x + y) % p,
                lambda x, y: (x - y) % p,
                lambda x, y: x * y,
                lambda x, y: x / y,
                lambda x: [(x, field.random())],
                {0: field.one},
            ),
            "log": Law(
                lambda x, y: x * y % p,
                lambda x, y: x * pow(y, -1, p) % p,
                _add,
                _sub,
                lambda x: [(x, field.random())],
                {1: field.zero},
            ),
        }

    # --- directions y : x, kept as y/x, or None where x = 0 --------------------------------------------------------
    def _join(self, d, e):
        if d is None or e is None:
            other = e if d is None else d
            return None if other == 0 else 0 if other is None else -pow(other, -1, self.field.prime) % self.field.prime
        return self._ratio(d + e, 1 - d * e)

    def _split(self, d, e):
        return self._join(d, None if e is None else -e % self.field.prime)

    def _ratio(self, y: int, x: int):
        p = self.field.prime
        return None if x % p == 0 else y * pow(x, -1, p) % p

    # --- the functions ---------------------------------------------------------------------------------------------
    def branch(self, near: Number, turns: int) -> Number:
        """Let angles near this number lie `turns` full turns from the opaque value."""
        self.turns[near.n] = turns
        return near

    def order(self, larger: Number, smaller: Number) -> None:
        """Let one number be the larger one of two, which a field does not say."""
        self.above.add((larger - smaller).n)

    def greater(self, x: Number, y: Number) -> Number:
        """The larger of two numbers whose order is known."""
        for one, other in ((x, y), (y, x)):
            if one == other or (one - other).n in self.above:
                return one
        raise UnknownBranch("the larger one of two numbers without an order")

    def angle(self, y: Number, x: Number, near) -> Number:
        """2 atan2(y, x) on the branch nearest to `near`."""
        residue = near % self.field.prime if isinstance(near, int) else near.n
        itself = self.half_angle(y, x) * 2
        if residue == itself.n:
            return itself
        if residue not in self.turns:
            raise UnknownBranch("an angle near a number that is no angle's last value")
        return itself + self.full_turn * self.turns[residue]

    def half_angle(self, y: Number, x: Number) -> Number:
        return self.laws["angle"](self._ratio(y.n, x.n))

    def cos(self, x: Number) -> Number:
        return self.laws["turn"](x.n)[0]

    def sin(self, x: Number) -> Number:
        return self.laws["turn"](x.n)[1]

    def exp(self, x: Number) -> Number:
        return self.laws["exp"](x.n)

    def log(self, x: Number) -> Number:
        if x.n == 0:
            raise ZeroDivisionError("logarithm of zero")
        return self.laws["log"](x.n)

    def _fresh_turn(self, x: int):
        """A turn whose half and quarter are known as well: the mean of two arguments is asked for."""
        quarter, p = tuple(self.field.sphere(2)), self.field.prime
        half = _rotate(quarter, quarter)
        return [(x * pow(4, -1, p) % p, quarter), (x * pow(2, -1, p) % p, half), (x, _rotate(half, half))]

    def functions(self, root: Callable) -> dict[str, Callable]:
        """The functions by name, with `root` for square roots (Field.known_root or Field.defined_root)."""
        return {
            "sqrt": root,
            "angle": self.angle,
            "atan2": self.half_angle,
            "sin": self.sin,
            "cos": self.cos,
            "exp": self.exp,
            "log": self.log,
            "expm1": lambda x: self.exp(x) - 1,
            "log1p": lambda x: self.log(x + 1),
            "max": self.greater,
        }

    # --- memory: a proof of a changed text starts from the same knowledge ------------------------------------------
    def save(self):
        return {name: dict(law.known) for name, law in self.laws.items()}, dict(self.turns), dict(self.field.roots)

    def restore(self, saved) -> None:
        for name, known in saved[0].items():
            self.laws[name].known = dict(known)
        self.turns, self.field.roots = dict(saved[1]), dict(saved[2])


def _add(x, y):
    return x + y


def _sub(x, y):
    return x - y


def _rotate(d, e):
    return d[0] * e[0] - d[1] * e[1], d[0] * e[1] + d[1] * e[0]


def _rotate_back(d, e):
    return d[0] * e[0] + d[1] * e[1], d[1] * e[0] - d[0] * e[1]
