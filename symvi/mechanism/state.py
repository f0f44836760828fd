"""State: where every body of a mechanism is at a knot, and how it moves there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symvi.errors import MechanismError
from symvi.mechanism.names import did_you_mean, listed, shown
from symvi.mechanism.values import LARGEST, TOO_LARGE, Given, items_of, number

__all__ = ["State"]

COLUMNS = {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}
# How far from one the length of a quaternion may be: single precision drifts by far less in a million steps.
LENGTH_TOLERANCE = 1e-3
ROUND_OFF = 1e-9  # a length this near to one is left as it is, to the last bit


if TYPE_CHECKING:
    Rows = Given[NDArray[np.float64], ArrayLike]
    Names = Given[tuple[str, ...], Sequence[str]]


@dataclass(frozen=True, eq=False)
class State:
    """The placements and velocities of n bodies at one time, as read-only arrays of doubles.

    time: [s]
    position: (n, 3) origins of the body frames in the world [m]
    orientation: (n, 4) unit quaternions (w, x, y, z), body to world
    velocity: (n, 3) of the centres of mass in world axes [m/s], at the knot
    angular_velocity: (n, 3) in body axes [rad/s], at the knot
    names: of the bodies, in the order of the rows
    angles: joint -> its one or two angles [rad] with their whole turns, which placements do not show. The placement
        decides, on the branch nearest to these; a joint left out is taken nearest to the description's start.
    Raises MechanismError if shapes do not fit, a value is not finite, or a quaternion's length is not one.
    """

    time: float
    position: Rows
    orientation: Rows
    velocity: Rows
    angular_velocity: Rows
    names: Names
    angles: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "time", number(self.time))
        except ValueError as error:
            raise MechanismError(f"state: time {shown(self.time)} {error}") from None
        names = items_of(self.names)
        if names is None or not all(isinstance(name, str) for name in names):
            raise MechanismError(f"state: names {shown(self.names)} must be the names of the bodies")
        object.__setattr__(self, "names", tuple(names))
        for name, columns in COLUMNS.items():
            array = array_of(getattr(self, name))
            if array is None or array.dtype.kind not in "iuf":
                raise MechanismError(f"state: {name} must be an array of real numbers")
            array = array.astype(np.float64)
            if array.shape != (len(self.names), columns):
                raise MechanismError(
                    f"state: {name} has the shape {array.shape}; {len(self.names)} bodies need "
                    f"({len(self.names)}, {columns})"
                )
            if not np.isfinite(array).all():
                row = int(np.argwhere(~np.isfinite(array))[0][0])
                raise MechanismError(f"state: {name} of body '{self.names[row]}' is not finite")
            if name == "orientation":
                self._make_unit(array)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

        if not isinstance(self.angles, Mapping):
            raise MechanismError(f"state: angles {shown(self.angles)} must be a mapping from joints to their angles")
        object.__setattr__(self, "angles", {name: _angles(name, values) for name, values in self.angles.items()})

    def __repr__(self) -> str:
        return f"<State at {self.time:g} s: {listed(self.names, 'bodies')}>"

    def _make_unit(self, quaternions: NDArray[np.float64]) -> None:
        """Remove what arithmetic adds to a quaternion's length; refuse more."""
        lengths = np.linalg.norm(quaternions, axis=1)
        for body, quaternion, length in zip(self.names, quaternions, lengths, strict=True):
            if not abs(length - 1.0) <= LENGTH_TOLERANCE:
                raise MechanismError(
                    f"state: orientation of body '{body}' has length {length:.6g}; a unit quaternion (w, x, y, z) has "
                    "length 1"
                )
            if abs(length - 1.0) > ROUND_OFF:
                quaternion /= length

    def index(self, name: str) -> int:
        """The row of a body. Raises MechanismError with the nearest name."""
        if name not in self.names:
            raise MechanismError(f"state: no body {shown(name)}; {did_you_mean(str(name), self.names)}")
        return self.names.index(name)


def array_of(value: object) -> np.ndarray | None:
    """A new array of what a user gave; None where lists have uneven lengths, or numbers are beyond a double."""
    try:
        return np.array(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _angles(joint: str, values: Any) -> tuple[float, ...]:
    """Finite floats. Raises MechanismError naming the joint."""
    try:
        angles = tuple(float(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        raise MechanismError(f"state: angles of joint {shown(joint)} must be numbers, one per free rotation") from None
    if not np.isfinite(angles).all():
        raise MechanismError(f"state: an angle of joint {shown(joint)} is not finite")
    if max(map(abs, angles), default=0.0) > LARGEST:
        raise MechanismError(f"state: an angle of joint {shown(joint)} {TOO_LARGE}")
    return angles
