"""What is read of the worlds of a batch, by name: which numbers of a knot, and how they look to a user."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError
from symvi.mechanism.names import did_you_mean, shown
from symvi.simulate.plan import Plan
from symvi.simulate.solver_state import rotated
from symvi.simulate.turns import rotation_matrices

Numbers = NDArray[np.floating]
FRAME = {  # what is read of a frame
    "position": ("x", "q"),
    "orientation": ("q",),
    "velocity": ("v",),
    "angular_velocity": ("w", "q"),
    "energy": ("kinetic", "potential"),
}
MOTION = ("coordinates", "rates")
QUANTITIES = (*MOTION, *FRAME)


def checked_quantities(names: object) -> tuple[str, ...]:
    """Names of what can be read, each once. Raises ArgumentError."""
    found = (names,) if isinstance(names, str) else names
    if not isinstance(found, Sequence):
        raise ArgumentError(f"record {shown(names)}: give names out of {', '.join(QUANTITIES)}")
    for name in found:
        if not isinstance(name, str) or name not in QUANTITIES:
            raise ArgumentError(f"record: nothing is called {shown(name)}; {did_you_mean(str(name), QUANTITIES)}")
    return tuple(dict.fromkeys(found))


class Columns:
    """The columns of a row that hold some quantities of a knot: entries of a frame, then coordinates, then rates.

    centers: of mass in body frames [m], (bodies, 3), or (n, 1, bodies, 3) where worlds differ. order: (c,) where the
    coordinates of a user lie in the solver's order.
    """

    def __init__(self, centers: NDArray[np.float64], plan: Plan, order: NDArray[np.intp], names: tuple[str, ...]):
        self.names, self._centers, self._plan = names, centers, plan
        size = plan.frame["size"][0]
        self._places: dict[str, tuple[slice, tuple[int, ...]]] = {}
        columns: list[int] = []
        for entry in dict.fromkeys(entry for name in names for entry in FRAME.get(name, (name,))):
            if entry in MOTION:
                where, shape = (size + MOTION.index(entry) * len(order) + order).tolist(), order.shape
            else:
                first, shape = plan.frame[entry]
                where = list(range(first, first + int(np.prod(shape))))
            self._places[entry] = slice(len(columns), len(columns) + len(where)), shape
            columns += where
        self.columns = np.array(columns, np.int32)

    def _entry(self, rows: Numbers, entry: str) -> Numbers:
        place, shape = self._places[entry]
        return rows[..., place].reshape(*rows.shape[:-1], *shape)

    def arrays(self, rows: Numbers) -> dict[str, Numbers]:
        """Name -> (..., its shape) of (..., columns) rows: views, but for what follows from several numbers."""
        found = {}
        for name in self.names:
            value = self._entry(rows, FRAME.get(name, (name,))[0])
            if name == "position" and self._centers.any():
                value = value - rotated(rotation_matrices(self._entry(rows, "q").astype(float)), self._centers)
            elif name == "angular_velocity":
                turned = np.swapaxes(rotation_matrices(self._entry(rows, "q").astype(float)), -1, -2)
                value = rotated(turned, value)
            elif name == "energy":
                value = value.astype(float) + self._entry(rows, "potential")
            found[name] = value
        return found
