"""Numbers of a prime field that know how large they are: equality is exact, conditions go the way they do in reals.

A point of the field is the image of a point of rationals, so every number computed from it has a real counterpart; its
float travels along, and only decides comparisons.
"""

from __future__ import annotations


class Residue:
    """n modulo p, and the float r of the same rational number. Mixes with ints."""

    __slots__ = ("n", "p", "r")

    def __init__(self, n: int, p: int, r: float):
        self.n, self.p, self.r = n, p, r

    def __add__(self, other):
        if type(other) is Residue:
            return Residue((self.n + other.n) % self.p, self.p, self.r + other.r)
        if type(other) is int:
            return Residue((self.n + other) % self.p, self.p, self.r + other)
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if type(other) is Residue:
            return Residue((self.n - other.n) % self.p, self.p, self.r - other.r)
        if type(other) is int:
            return Residue((self.n - other) % self.p, self.p, self.r - other)
        return NotImplemented

    def __rsub__(self, other):
        return Residue((other - self.n) % self.p, self.p, other - self.r) if type(other) is int else NotImplemented

    def __mul__(self, other):
        if type(other) is Residue:
            return Residue(self.n * other.n % self.p, self.p, self.r * other.r)
        if type(other) is int:
            return Residue(self.n * other % self.p, self.p, self.r * other)
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other):
        if type(other) is Residue:
            return self * other.inverse()
        if type(other) is int:
            return self * Residue(other % self.p, self.p, float(other)).inverse()
        return NotImplemented

    def __rtruediv__(self, other):
        return self.inverse() * other

    def inverse(self) -> Residue:
        """1/self. Raises ZeroDivisionError for zero; a float may have lost itself, and then decides nothing more."""
        if self.n == 0:
            raise ZeroDivisionError("division by zero")
        return Residue(pow(self.n, -1, self.p), self.p, 1 / self.r if self.r else float("nan"))

    def __neg__(self):
        return Residue(-self.n % self.p, self.p, -self.r)

    def __eq__(self, other) -> bool:
        if type(other) is int:
            return (self.n - other) % self.p == 0
        return self.n == other.n if type(other) is Residue else NotImplemented

    def __hash__(self) -> int:
        return hash(self.n)

    def __repr__(self) -> str:
        return f"{self.r:g}"
