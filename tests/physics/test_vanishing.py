"""Zero by polynomials: identities that hold are seen, those that are off by little are not taken for zero."""

from __future__ import annotations

import pytest
import sympy as sp

from symvi.physics.vanishing import vanishes

a, b, c, d, s, x, y, z = sp.symbols("a b c d s x y z", real=True)
f = sp.Function("f")
QUATERNION = sp.Matrix([s, a, b, c])


def rotation(q: sp.Matrix) -> sp.Matrix:
    w, i, j, k = q
    rows = [
        [w**2 + i**2 - j**2 - k**2, 2 * (i * j - w * k), 2 * (i * k + w * j)],
        [2 * (i * j + w * k), w**2 - i**2 + j**2 - k**2, 2 * (j * k - w * i)],
        [2 * (i * k - w * j), 2 * (j * k + w * i), w**2 - i**2 - j**2 + k**2],
    ]
    return sp.Matrix(rows)


IDENTITIES = {
    "binomial": ((x + y) ** 5 - sp.expand((x + y) ** 5), {}),
    "quotients of unlike size": (1 / (x - y) - 1 / (2 * x + 3 * y) - (x + 4 * y) / ((x - y) * (2 * x + 3 * y)), {}),
    "a bottom that changes its sign": (x / (y - x) + x / (x - y), {}),
    "a bottom below a bottom": (1 / (1 + 1 / (1 + x)) - (1 + x) / (2 + x), {}),
    "a root and its inverse": (sp.sqrt(x**2 + y**2) - (x**2 + y**2) / sp.sqrt(x**2 + y**2), {}),
    "a root times itself in a sum": ((sp.sqrt(1 + x) + y) ** 2 - (1 + x + y**2 + 2 * y * sp.sqrt(1 + x)), {}),
    "a root under a root": ((sp.sqrt(2 + sp.sqrt(3 + x)) ** 2 - 2) ** 2 - 3 - x, {}),
    "powers of a half": (sp.sqrt(1 + x) ** 3 - (1 + x) * sp.sqrt(1 + x), {}),
    "a root of a number": ((sp.sqrt(2) + x) * (sp.sqrt(2) - x) - 2 + x**2, {}),
    "the square of a symbol": (s**4 - (1 - a**2) ** 2, {s: 1 - a**2}),
    "squares, one after the other": (x**2 * y**2 - z, {x: 1 / y**2, y: a}, z - 1),
    "a function": ((f(x) + y) ** 2 - f(x) ** 2 - 2 * y * f(x) - y**2, {}),
    "turns keep lengths": (
        rotation(QUATERNION) * rotation(QUATERNION).T - sp.eye(3),
        {s: 1 - a**2 - b**2 - c**2},
    ),
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_identities_are_zero_and_remain_so_only_as_they_are(name):
    """Witness: values with a millionth added, which nothing but zero must hide."""
    value, squares, *offset = IDENTITIES[name]
    value = value + offset[0] if offset else value
    assert vanishes(value, squares)
    entry = value[0] if isinstance(value, sp.MatrixBase) else value
    for off in (sp.Rational(1, 10**6), x / 10**6, sp.sqrt(1 + y**2), 1 / (10**9 + z)):
        assert not vanishes(entry + off, squares)


def test_nothing_else_is_zero():
    assert not vanishes(sp.sqrt(x) - sp.sqrt(y))
    assert not vanishes(f(x) - f(y))
    assert not vanishes(sp.sqrt(x**2 + 1) - x)  # which is small where x is large
    assert not vanishes(s**2 - 1, {a: 1 - s**2})
    assert not vanishes(sp.Matrix([x - x, y]))
    assert not vanishes(1 / sp.Add(x, -x, evaluate=False))


def test_sums_that_numbers_cannot_tell_from_zero_are_told():
    """(10^20 + x) - 10^20 is x, though doubles say 0 for x below 8192."""
    big = sp.Integer(10) ** 20
    assert vanishes((big + x) ** 2 - big**2 - 2 * big * x - x**2)
    assert not vanishes((big + x) ** 2 - big**2 - 2 * big * x)
