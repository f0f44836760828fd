"""The state at a knot of a trajectory."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

from symvi.errors import ArgumentError
from symvi.mechanism.names import shown
from symvi.mechanism.state import State

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory


def state_at(trajectory: Trajectory, index: int) -> State:
    """The state at a knot, with the whole turns of its joints. Raises ArgumentError for a knot that is none."""
    count = len(trajectory)
    if not isinstance(index, Integral) or isinstance(index, bool) or not -count <= index < count:
        raise ArgumentError(f"index {shown(index)}: must be the number of a knot, from {-count} to {count - 1}")
    return State(
        float(trajectory.time[index]),
        trajectory.position[index],
        trajectory.orientation[index],
        trajectory.velocity[index],
        trajectory.angular_velocity[index],
        trajectory.names,
        {name: tuple(map(float, values[index])) for name, values in trajectory.angles.items()},
    )
