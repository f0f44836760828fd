"""Columns that are their neighbours: the frames of a chain are counted one too early, or one too late."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from symvi.verify.scopes import Scope

if TYPE_CHECKING:
    from symvi.verify.diagnosis import Bench

NEAR = 1e-8
FEWEST, FEWEST_NUMBERS = 2, 3  # columns; columns of a single row


def neighbours(bench: Bench, wrong: set[tuple[int, int]]) -> Iterator[tuple[Scope, str, str, float]]:
    """(part, words, kind, cost) of the columns with something wrong of which each is the true one beside it."""
    layout = bench.layout
    every_row, bad = tuple(range(layout.rows)), sorted({k for _, k in wrong})
    both = list(zip(bench.claims, bench.shared.truths(), strict=True))
    for block in layout.blocks.values():
        for by, side in ((-1, "before"), (1, "after")):
            near = [k for k in bad if k in block and k + by in block]
            found = tuple(k for k in near if all(_is_column(c[:, k], t[:, k + by], t) for c, t in both))
            if len(found) >= (FEWEST if layout.rows > 1 else FEWEST_NUMBERS):
                part = Scope(layout.said(every_row, found), every_row, found, 0.0)
                yield part, f"each is the true column {side} it", "order", 1.5


def _is_column(claimed: np.ndarray, column: np.ndarray, matrix: np.ndarray) -> bool:
    """Whether a claimed column is one of a matrix that is not zero."""
    size = np.abs(column).max()
    return bool(size > NEAR * np.abs(matrix).max() and np.abs(claimed - column).max() <= NEAR * size)
