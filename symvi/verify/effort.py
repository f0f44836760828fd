"""How much a search for an explanation may cost: counted, so that it ends at the same place on every machine."""

from __future__ import annotations

from time import process_time

LOOKS = {1: 12_000, 2: 40_000}  # by the order of the derivative; a look is one comparison of two matrices
EVALUATED, ADDED, REPLACED = 10, 50, 40  # looks that it costs: a derivative, terms that are added, another array
SHARE = 0.4  # of the looks, for arrays in the place of others
SECONDS = {1: 4.0, 2: 20.0}  # of a processor: ends the search where a user's function takes long for one value


class Effort:
    """What a search has spent."""

    def __init__(self, order: int):
        self.left = LOOKS[order]
        self.for_arrays = SHARE * LOOKS[order]
        self.deadline = process_time() + SECONDS[order]
        self.late = False

    def spend(self, looks: int) -> None:
        self.left -= looks
        if looks >= EVALUATED:  # the clock itself is slow to read
            self.late = process_time() > self.deadline

    @property
    def over(self) -> bool:
        """Whether looking on would take longer than a user waits."""
        return self.left <= 0 or self.late

    def spend_on_array(self) -> bool:
        """Whether one more array may be looked at; counted if so."""
        if self.over or self.for_arrays <= 0:
            return False
        self.for_arrays -= REPLACED
        self.spend(REPLACED)
        return True
