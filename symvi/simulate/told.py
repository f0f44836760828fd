"""A state whose joints a solver tells: who asks for coordinates and rates need not work them out of placements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symvi.mechanism import Mechanism
from symvi.mechanism.state import State
from symvi.simulate.run_parameters import Settings


@dataclass(frozen=True)
class Joints:
    """Coordinates and rates of joints at a knot, as arrays of the solver. entries: joint -> its slice of them."""

    entries: Mapping[str, slice]
    coordinates: np.ndarray
    rates: np.ndarray

    def of(self, joint: str) -> tuple[np.ndarray, np.ndarray] | None:
        """(k,) coordinates and (k,) rates of a joint, to keep; None of one that has none."""
        place = self.entries.get(joint)
        return place and (self.coordinates[place].astype(float), self.rates[place].astype(float))


class ToldState(State):
    """What a controller of a run and `World.state` see."""

    def joint(self, mechanism: Mechanism, settings: Settings, name: str) -> tuple[np.ndarray, np.ndarray] | None:
        """(k,) coordinates and (k,) rates of a joint of this very mechanism with these parameters, by the solver.

        None where it does not know: once it stands at the knot no more, or for a joint without coordinates.
        """
        raise NotImplementedError
