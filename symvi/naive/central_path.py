"""Starts on the central path, and Nesterov and Todd's scaling, by their definitions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from symvi.exact.dual import derivative
from symvi.naive.inequalities import solve
from symvi.naive.quaternion import scale

NEWTON_STEPS = 2
NOUGHT = "1e-12"  # of the product, below the root of a size
NEARER = "1e-6"  # by which the first guess of friction stays off the bound
TINY = "1e-20"  # of the bound squared, below the root of a length, so that a direction exists at zero too


def lengths_of_pair(t, product, guard) -> tuple:
    """What a start of a pair takes roots of: t², with a guard, and the discriminant of gamma² - t gamma - r mu = 0."""
    return t * t + guard * product, t * t + 4 * product


def start_of_pair(t, mu, r, functions) -> tuple:
    """(gamma, s) with s gamma = mu and gamma - r s = t.

    The larger one of gamma and r s is (|t| + sqrt(t² + 4 r mu))/2, their product r mu. Which one gamma is, is told by
    the sign of t: (1 + t/|t|)/2, with a guard for a t of zero, four times as a factor.
    """
    squared, discriminant = lengths_of_pair(t, r * mu, functions.base["number"](NOUGHT))
    size = functions.sqrt(squared)
    larger = (size + functions.sqrt(discriminant)) / 2
    smaller = r * mu / larger
    closed = (1 + t / size) / 2
    gamma = smaller + closed * closed * closed * closed * (larger - smaller)
    return gamma, mu / gamma


def lengths_of_start(t: Sequence, b0, mu, r, tiny) -> tuple:
    """What a start of friction takes roots of: the length of t, squared, and a discriminant as a function of it."""

    def discriminant(size):
        total = b0 + size + r * mu / (2 * b0)
        return total * total - 4 * b0 * size

    return dot_all(t, t) + tiny * b0 * b0, discriminant


def dot_all(u: Sequence, v: Sequence):
    return sum((a * b for a, b in zip(u, v, strict=True)), 0)


def start_of_friction(t: Sequence, b0, mu, r, functions, zero) -> tuple[list, list]:
    """((b0, beta), e) on the central path (b0, beta) o e = (mu, 0), near beta - r eta = t and along t.

    With beta = b0 y t/|t| the central path has e = (2 rho, -2 rho y t/|t|)/(1 - y²), rho = mu/(2 b0), and what is left
    is b0 y + 2 r rho y/(1 - y²) = |t|. Newton's method starts where 1 stands for 2/(1 + y), and takes two steps.
    """
    squared, discriminant = lengths_of_start(t, b0, mu, r, functions.base["number"](TINY))
    size, rho = functions.sqrt(squared), mu / (2 * b0)

    def miss(y):
        return b0 * y + 2 * r * rho * y / (1 - y * y) - size

    root = functions.sqrt(discriminant(size)) * (1 + functions.base["number"](NEARER))
    y = 2 * size / (b0 + size + r * rho + root)
    for _ in range(NEWTON_STEPS):
        y = y - miss(y) / derivative(lambda e, y=y: [miss(y + e)], zero)[0]
    along = scale(1 / size, t)
    top = 2 * rho / (1 - y * y)
    return [b0, *scale(b0 * y, along)], [top, *scale(-top * y, along)]


def lengths_of_pyramid(slide: Sequence, b0, mu, ways: int) -> tuple:
    """What a start of a pyramid takes roots of: the speed, squared, and a discriminant as a function of it."""

    def discriminant(speed):
        half = (b0 * speed + (ways + 1) * mu) / (2 * b0)
        return half * half - (ways - 1) * mu * speed / b0

    return dot_all(slide, slide), discriminant


def start_of_pyramid(slide: Sequence, b0, mu, ways: Sequence[Sequence], functions) -> tuple[list, list]:
    """(impulses, slacks) of the pairs of friction at a velocity of sliding, all products alike and their sum the bound.

    psi is the larger root of b0 = mu (2/(psi - |slide|) + (n - 1)/psi): the two directions against the sliding count.
    """
    squared, discriminant = lengths_of_pyramid(slide, b0, mu, len(ways))
    speed = functions.sqrt(squared)
    psi = (b0 * speed + (len(ways) + 1) * mu) / (2 * b0) + functions.sqrt(discriminant(speed))
    slacks = [*(dot_all(way, slide) + psi for way in ways), psi]
    product = b0 / sum((1 / s for s in slacks), 0)
    return [product / s for s in slacks], slacks


class Scaling:
    """W = eta [w0, wᵀ; w, I + w wᵀ/(1 + w0)] with w0² - w·w = 1: b and e become W^-1 b and W e."""

    def __init__(self, eta, w: list):
        self.eta, self.w = eta, w
        one, zero = eta / eta, eta * 0
        rest = [[(one if i == k else zero) + w[i] * w[k] / (1 + w[0]) for k in (1, 2, 3)] for i in (1, 2, 3)]
        rows = [list(w), *([w[i], *row] for i, row in zip((1, 2, 3), rest, strict=True))]
        self.matrix = [scale(eta, row) for row in rows]

    @cached_property
    def inverse(self) -> list[list]:
        return [list(row) for row in zip(*solve(self.matrix, identity(self.eta / self.eta)), strict=True)]

    def of_e(self, e: Sequence) -> list:
        """W e."""
        return [dot_all(row, e) for row in self.matrix]

    def of_b(self, b: Sequence) -> list:
        """W^-1 b."""
        return [dot_all(row, b) for row in self.inverse]

    def partner(self, e: Sequence) -> list:
        """The b with W^-1 b = W e."""
        return self.of_e(self.of_e(e))

    @property
    def pair(self) -> tuple:
        return self.of_b, self.of_e


def identity(one) -> list[list]:
    return [[one if i == k else one * 0 for i in range(4)] for k in range(4)]
