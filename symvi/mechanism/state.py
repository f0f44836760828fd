"""State: where every body of a mechanism is at a knot, and how it moves there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symvi.errors import MechanismError
from symvi.mechanism.names import did_you_mean, shown

__all__ = ["State"]

COLUMNS = {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}


@dataclass(frozen=True, eq=False)
class State:
    """The placements and velocities of n bodies at one time, as read-only arrays of doubles.

    time: [s]
    position: (n, 3) origins of the body frames in the world [m]
    orientation: (n, 4) unit quaternions (w, x, y, z), body to world
    velocity: (n, 3) of the centres of mass in world axes [m/s], at the knot
    angular_velocity: (n, 3) in body axes [rad/s], at the knot
    names: of the bodies, in the order of the rows
    Raises MechanismError if shapes do not fit or a value is not finite.
    """

    time: float
    position: NDArray[np.float64]
    orientation: NDArray[np.float64]
    velocity: NDArray[np.float64]
    angular_velocity: NDArray[np.float64]
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        for name, columns in COLUMNS.items():
            array = np.array(getattr(self, name), dtype=np.float64)
            if array.shape != (len(self.names), columns):
                raise MechanismError(
                    f"state: {name} has the shape {array.shape}; {len(self.names)} bodies need "
                    f"({len(self.names)}, {columns})"
                )
            if not np.isfinite(array).all():
                row = int(np.argwhere(~np.isfinite(array))[0][0])
                raise MechanismError(f"state: {name} of body '{self.names[row]}' is not finite")
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def index(self, name: str) -> int:
        """The row of a body. Raises MechanismError with the nearest name."""
        if name not in self.names:
            raise MechanismError(f"state: no body {shown(name)}; {did_you_mean(str(name), self.names)}")
        return self.names.index(name)
