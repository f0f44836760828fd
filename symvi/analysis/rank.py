"""How many rows of the loops are independent, and which ones: decided over several assembled configurations.

At one configuration a singular position looks like a redundant row, and at one that is not assembled a redundant row
looks independent. So the singular values of the matrix in freedoms.py are compared over several assembled ones: the
k-th one counts with its best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from symvi.analysis.assembly import STRIDE, Assembly, Position
from symvi.analysis.dense import LARGE, Elimination, live_rows, singular_value
from symvi.analysis.equations import Array

REDUNDANT = 1e-11  # a singular value that never exceeds this belongs to a redundant row
INDEPENDENT = 2e-3  # one that reaches this somewhere belongs to an independent row
# So does a smaller one that is no less than this share of the one before it: in a row of loops, as in a scissor lift,
# the singular values of slow waves along it fall off as a power of its length, each some third of the last. A row that
# the others nearly imply stands alone, far below them.
SHARE = 0.2
WEAKEST = 1e-4  # of all that counts as independent
TIE = 1e-6  # rows whose residuals differ by less, relatively, are taken in their order
SPENT = 1e-7  # a row that keeps less than this of its size 1 is never chosen
NARROWED = 0.8
WALKS = 5
STRIDES = 3  # of a walk; of large loops each takes long, and one goes far enough in some of the many parts
SHARES = (1.0, 0.2, 0.04)  # of a stride: a mechanism near the end of its range moves by short ones only


def positions(assembly: Assembly, start: Position, along: Sequence[Array] = ()) -> list[Position]:
    """The start, some configurations reached from it by random walks, and some along given motions (a driver's)."""
    random = Random(1)
    strides = STRIDES if len(assembly.chosen) < LARGE else 1
    found = [start]
    for _ in range(WALKS):
        reached = _walk(assembly, found, random, strides)
        if reached is None:
            break
        found.append(reached)
    for motion in along:
        position: Position | None = start
        for _ in range(WALKS):
            position = assembly.walk(position, motion, strides, REDUNDANT)
            if position is None:
                break
            found.append(position)
    return found


def _walk(assembly: Assembly, found: Sequence[Position], random: Random, strides: int) -> Position | None:
    """One more configuration, from the last one or the first.

    Long strides before short ones; freedoms beyond doubt before those that are held too weakly to tell.
    """
    for share in SHARES:
        for cut in (REDUNDANT, INDEPENDENT):
            for begin in (found[-1], found[0]):
                reached = assembly.walk(begin, assembly.direction(random), strides, cut, share * STRIDE)
                if reached is not None:
                    return reached
    return None


@dataclass(frozen=True, eq=False)
class Rank:
    """independent, doubtful: how many singular values are beyond doubt, and between redundant and independent.

    weakest: the best that the largest doubtful one reaches. singular: positions where independent rows lose rank.
    """

    independent: int
    doubtful: int
    weakest: float
    singular: tuple[int, ...]


def rank_of(found: Sequence[Array], noise: float = 0.0) -> Rank:
    """The rank of the loop rows by their singular values in several configurations, the largest first.

    noise: how exactly these could be closed.
    """
    values = np.array(found)
    best = values.max(axis=0) if values.size else np.zeros(0)
    independent = int((best >= INDEPENDENT).sum())
    while 0 < independent < len(best) and best[independent] >= max(WEAKEST, SHARE * best[independent - 1]):
        independent += 1
    doubtful = best[independent:][best[independent:] > max(REDUNDANT, 10.0 * noise)]
    least = min(INDEPENDENT, SHARE * best[independent - 1]) if independent else 0.0
    lost = tuple(k for k, row in enumerate(values) if independent and row[independent - 1] < least)
    return Rank(independent, len(doubtful), float(doubtful.max()) if len(doubtful) else 0.0, lost)


def choose(matrices: Sequence[Array], count: int) -> list[int]:
    """`count` rows, one by one: the one with the largest residual against those chosen, in its worst configuration."""
    if count == len(matrices[0]):
        return list(range(count))
    chosen: list[int] = []
    eliminations = [Elimination(matrix, count) for matrix in matrices]
    rows = np.arange(len(matrices[0]))
    left = np.full(len(rows), True)
    live = np.min([elimination.squares for elimination in eliminations], axis=0) > SPENT**2
    if live.sum() == count:  # in large planar nets: the others say nothing at all
        return np.flatnonzero(live).tolist()
    for _ in range(count):
        squares = np.min([elimination.squares for elimination in eliminations], axis=0)
        squares[~left] = -1.0
        place = int(np.argmax(squares >= (1.0 - TIE) ** 2 * squares.max()))
        chosen.append(int(rows[place]))
        left[place] = False
        for elimination in eliminations:
            elimination.take(place)
        useful = left & (squares > SPENT**2)
        if useful.sum() < NARROWED * len(rows):  # the others only cost time
            rows, left = rows[useful], left[useful]
            for elimination in eliminations:
                elimination.narrow(useful)
    return sorted(chosen)


def quality(matrix: Array, chosen: Sequence[int], rank: int) -> float:
    """The smallest singular value of the chosen rows over that of all rows: 1 at best."""
    if not rank or len(chosen) == len(matrix) or not set(np.flatnonzero(live_rows(matrix)).tolist()) - set(chosen):
        return 1.0
    kept, full = (singular_value(m, rank - 1) for m in (matrix[list(chosen)], matrix))
    return kept / full if full > 0 else 0.0
