"""Which singular values of a mechanism's loop rows belong to independent rows."""

from __future__ import annotations

import numpy as np
import pytest

from symvi.analysis.rank import Rank, rank_of

# The last values of scissor lifts of 10 to 30 segments in two configurations (JM09, Section VI-C), as measured.
LIFTS = {
    10: [[0.0323, 0.0299, 0.0160, 0.0055], [0.0189, 0.0119, 0.0063, 0.0022]],
    20: [[0.0114, 0.0092, 0.0046, 0.00148], [0.0105, 0.0065, 0.0032, 0.00104]],
    30: [[0.0056, 0.0043, 0.0021, 0.00067], [0.0052, 0.0048, 0.0026, 0.00080]],
}


def rank(*rows: list[float]) -> Rank:
    """The rank of systems with such singular values."""
    return rank_of([np.array(row) for row in rows])


@pytest.mark.parametrize("segments", LIFTS)
def test_slow_waves_along_a_row_of_loops_are_independent(segments: int) -> None:
    """They fall off as a power of the length, and no axis of the lift is off."""
    found = rank(*([0.9, 0.5, *row] for row in LIFTS[segments]))
    assert (found.independent, found.doubtful, found.singular) == (6, 0, ())


@pytest.mark.parametrize("weak", [1e-3, 1e-5, 1e-9])
def test_a_row_far_below_the_others_is_nearly_redundant(weak: float) -> None:
    """As one of an axis that is off by twice as many radians."""
    found = rank([0.5, 0.05, weak], [0.5, 0.04, weak / 2])
    assert (found.independent, found.doubtful, found.weakest) == (2, 1, weak)


def test_what_is_held_by_next_to_nothing_is_never_independent() -> None:
    assert rank([0.5, 2e-3, 5e-4, 1.2e-4, 3e-5]).independent == 4


def test_a_position_where_a_weak_row_is_lost_is_singular() -> None:
    assert rank([0.5, 4e-3, 1.5e-3], [0.5, 4e-3, 1e-5]).singular == (1,)
