"""The state at a knot of a trajectory."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from symvi.errors import ArgumentError
from symvi.mechanism.names import shown
from symvi.mechanism.state import State
from symvi.simulate.recording import NotRecordedError, not_recorded

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory


def state_at(trajectory: Trajectory, index: int) -> State:
    """The state at a knot, with the whole turns of its joints. Raises ArgumentError for a knot that is none.

    Raises NotRecordedError for a knot whose rates were not recorded: those of the first knot, of some, and of the last
    one, from where motions go on, always are.
    """
    count = len(trajectory)
    if not isinstance(index, Integral) or isinstance(index, bool) or not -count <= index < count:
        raise ArgumentError(f"index {shown(index)}: must be the number of a knot, from {-count} to {count - 1}")
    known, at = trajectory, int(index) % count
    if trajectory.unread or not trajectory.has("rates"):
        known = trajectory.glimpsed
        at = int(np.searchsorted(known.time, trajectory.time[index]))
        if at == len(known) or known.time[at] != trajectory.time[index]:
            known, at = trajectory, int(index) % count
        if not known.has("rates"):
            raise NotRecordedError(not_recorded(f"the velocity at knot {index}", "rates", trajectory.recorded))
    return State(
        float(trajectory.time[index]),
        trajectory.position[index],
        trajectory.orientation[index],
        known.velocity[at],
        known.angular_velocity[at],
        trajectory.names,
        {name: tuple(map(float, values[index])) for name, values in trajectory.angles.items()},
    )
