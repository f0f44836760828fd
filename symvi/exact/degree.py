"""Degrees in the place of numbers: what runs on them finds bounds of the degrees of what it computes."""

from __future__ import annotations

OPAQUE = 64  # of opaque values: a turn has 8, a point of a circle doubled twice, and a law joins few of them


class Degree:
    """The degrees of a quotient of polynomials, above and below; in a sum or product with numbers, these have none."""

    __slots__ = ("above", "below")

    def __init__(self, above: int, below: int):
        self.above, self.below = above, below

    def __add__(self, other):
        above, below = above_and_below(other)
        return Degree(max(self.above + below, above + self.below), self.below + below)

    __radd__ = __sub__ = __rsub__ = __add__

    def __mul__(self, other):
        above, below = above_and_below(other)
        return Degree(self.above + above, self.below + below)

    __rmul__ = __mul__

    def __truediv__(self, other):
        above, below = above_and_below(other)
        return Degree(self.above + below, self.below + above)

    def __neg__(self):
        return self


def above_and_below(value: object) -> tuple[int, int]:
    """Above and below; none of a number."""
    return (value.above, value.below) if isinstance(value, Degree) else (0, 0)
