"""The integers modulo a prime: numbers in which an equation that holds has no rounding, and one that does not is seen.

An identity between rational functions holds for all numbers or, at a random point of the field, by accident, with a
probability of degree/p (degree.py). A square root is known only where it was built as one: half of all numbers of a
field have a root, so a root found by exponentiation would accept a wrong radicand half of the time, sqrt(-s²) for
example.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

MERSENNE_61 = 2**61 - 1
MERSENNE_521 = 2**521 - 1
PRIMES = (MERSENNE_61, MERSENNE_521)


class UnknownRoot(ArithmeticError):
    """The root of a number was asked for that no definition has taken a root of."""


class NotASquare(ArithmeticError):
    """A definition takes a root that does not exist at this point of the field; another point must be taken."""


class Number:
    """A number modulo a prime. Ints and Fractions mix with it exactly; floats are refused."""

    __slots__ = ("n", "p")

    def __init__(self, n: int, p: int):
        self.n = n
        self.p = p

    def _other(self, other) -> int | None:
        if type(other) is Number:
            return other.n
        if isinstance(other, int):
            return other
        if isinstance(other, Fraction):
            return other.numerator * pow(other.denominator, -1, self.p)
        return None

    def __add__(self, other):
        if type(other) is Number:
            return Number((self.n + other.n) % self.p, self.p)
        n = self._other(other)
        return NotImplemented if n is None else Number((self.n + n) % self.p, self.p)

    __radd__ = __add__

    def __sub__(self, other):
        if type(other) is Number:
            return Number((self.n - other.n) % self.p, self.p)
        n = self._other(other)
        return NotImplemented if n is None else Number((self.n - n) % self.p, self.p)

    def __rsub__(self, other):
        n = self._other(other)
        return NotImplemented if n is None else Number((n - self.n) % self.p, self.p)

    def __mul__(self, other):
        if type(other) is Number:
            return Number(self.n * other.n % self.p, self.p)
        n = self._other(other)
        return NotImplemented if n is None else Number(self.n * n % self.p, self.p)

    __rmul__ = __mul__

    def __truediv__(self, other):
        n = self._other(other)
        return NotImplemented if n is None else Number(self.n * self._inverse(n) % self.p, self.p)

    def __rtruediv__(self, other):
        n = self._other(other)
        return NotImplemented if n is None else Number(n * self._inverse(self.n) % self.p, self.p)

    def _inverse(self, n: int) -> int:
        if n % self.p == 0:
            raise ZeroDivisionError("division by zero in a prime field")
        return pow(n, -1, self.p)

    def __neg__(self):
        return Number(-self.n % self.p, self.p)

    def __eq__(self, other) -> bool:
        if type(other) is Number:
            return self.n == other.n and self.p == other.p
        n = self._other(other)
        return NotImplemented if n is None else (self.n - n) % self.p == 0

    def __hash__(self) -> int:
        return hash(self.n)

    def __repr__(self) -> str:
        return f"{self.n} mod {self.p}"


class Field:
    """A Mersenne prime field, its known roots and its source of random numbers.

    prime: 2^k - 1 with an odd k, so that -1 has no root and 2 has the root 2^((k+1)/2).
    """

    def __init__(self, prime: int = MERSENNE_61, seed: int = 0):
        self.prime = prime
        self.random_source = Random(seed)
        self.zero, self.one = Number(0, prime), Number(1, prime)
        self.root_of_two = Number(2 ** ((prime.bit_length() + 1) // 2) % prime, prime)
        self.roots: dict[int, Number] = {0: self.zero, 1: self.one, 2: self.root_of_two}

    def number(self, value: int | Fraction) -> Number:
        return self.zero + value

    def number_of_text(self, value: int | Fraction | str) -> Number:
        """The number that a decimal text states exactly."""
        return self.zero + Fraction(value)

    def random(self) -> Number:
        """A random number other than zero."""
        return Number(self.random_source.randrange(1, self.prime), self.prime)

    def randoms(self, count: int) -> list[Number]:
        return [self.random() for _ in range(count)]

    def sphere(self, size: int) -> list[Number]:
        """A random point of the unit sphere in `size` dimensions, by stereographic projection."""
        u = self.randoms(size - 1)
        square = sum((x * x for x in u), self.zero)
        if square == -1:
            return self.sphere(size)
        return [(1 - square) / (1 + square), *(2 * x / (1 + square) for x in u)]

    def square_of(self, root: Number) -> Number:
        """The square of a number whose root is thereby known."""
        self.roots[(root * root).n] = root
        return root * root

    def has_root(self, value: Number) -> bool:
        """Whether a number is the square of another."""
        root = Number(pow(value.n, (self.prime + 1) // 4, self.prime), self.prime)
        return root * root == value

    def known_root(self, value: Number) -> Number:
        """The root of a number that was built as a square. Raises UnknownRoot for any other."""
        if value.n not in self.roots:
            raise UnknownRoot("root of a number that no definition takes a root of")
        return self.roots[value.n]

    def defined_root(self, value: Number) -> Number:
        """The root of a radicand as a definition states it, known from now on. Raises NotASquare where there is none.

        Of the two roots the one that is itself a square is taken, so that the root of a product is the product of
        roots.
        """
        if value.n in self.roots:
            return self.roots[value.n]
        root = Number(pow(value.n, (self.prime + 1) // 4, self.prime), self.prime)
        if root * root != value:
            raise NotASquare("the radicand of a definition has no root here")
        self.roots[value.n] = root
        return root
