"""NumPy's functions of two numbers that step where one of them changes its sign, on exact numbers.

Their conditions are the user's own: both sides are looked at, as of np.sign.
"""

from __future__ import annotations

import math

import numpy as np

from symvi.verify.reading.exact_scalars import Scalar, plain_value, user_line


def copysign(x, y):
    """|x| with the sign of y; zero counts as positive."""
    below = y < 0 if type(y) is Scalar else math.copysign(1, y) < 0
    return _exact(-abs(x) if below else abs(x), y)


def heaviside(x, at_zero):
    """0 below zero, 1 above it."""
    if type(x) is not Scalar:
        return _exact(at_zero if x == 0 else int(x > 0), at_zero)
    order = x.world.compare(x.value, x.world.zero)
    x.world.decide(order < 0, f"the number in heaviside() below zero, {user_line()}")
    return _exact(at_zero if order == 0 else int(order > 0), x)


def _exact(number, like):
    if type(number) is Scalar or type(like) is not Scalar:
        return number
    return like.wrap(plain_value(number, like.world, like.told))


OF_NUMBERS = {np.copysign: copysign, np.heaviside: heaviside}
OF_ARRAYS = {original: np.frompyfunc(of, 2, 1) for original, of in OF_NUMBERS.items()}
