"""Sine and cosine by + - * / alone, so that their bits are the same everywhere; templates/c/sine.c.jinja has the same.

Whole quarters of a turn are taken off in parts, all but the last so short that their products with a million quarters
(8000 in float) are exact, and what is rounded away is kept; of the rest, at most an eighth of a turn, the series is
summed. Errors are below one unit in the last place for arguments up to there, and grow slowly beyond.
"""

from __future__ import annotations

import math

QUARTER = 1.5707963267948966
PARTS = {
    "double": (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21),
    "float": (1.5703125, 0.0004837512969970703, 7.549533620476723e-08, 2.5633440682570896e-12),
}
SINE = tuple(1.0 / math.factorial(k) for k in range(17, 1, -2))
COSINE = tuple(1.0 / math.factorial(k) for k in range(16, 2, -2))
FARTHEST = 1e9  # quarters: beyond, nothing is left to tell


def sine(x: float) -> float:
    """sin(x), x in rad."""
    return _ahead(x, 0)


def cosine(x: float) -> float:
    """cos(x), x in rad."""
    return _ahead(x, 1)


def _ahead(x: float, quarters: int) -> float:
    """sin(x + quarters of a turn)."""
    turns = x / QUARTER + 0.5
    if not -FARTHEST < turns < FARTHEST:
        return x - x
    whole = math.floor(turns)
    rest, lost = x - whole * PARTS["double"][0], 0.0
    for part in PARTS["double"][1:]:
        before, taken = rest, whole * part
        rest = before - taken
        lost = lost + ((before - rest) - taken)
    square, place = rest * rest, (whole + quarters) % 4
    if place % 2 == 0:
        value = rest + (lost - rest * (square * _sum(SINE, square)))
    else:
        value = 1.0 - (0.5 * square - (square * (square * _sum(COSINE, square)) - rest * lost))
    return value if place < 2 else -value


def _sum(terms: tuple[float, ...], square: float) -> float:
    total = terms[0]
    for term in terms[1:]:
        total = term - square * total
    return total
