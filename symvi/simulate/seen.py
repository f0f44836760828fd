"""States at knots as they are seen while a solver runs: what nobody reads of them is never worked out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from symvi.mechanism import Mechanism
from symvi.mechanism.state import State
from symvi.simulate import frames
from symvi.simulate.plan import Plan
from symvi.simulate.turns import Angles, Turning, nearest

PASSED = 2048  # knots of a stretch: turns are counted along it at once, where nobody asks before


class SeenState(State):
    """A State like any other, that reads its frame when it is asked for the first time.

    frame: of the knot; nobody changes its placements. angles_of: tells the joints' angles there.
    """

    def __init__(
        self, mechanism: Mechanism, plan: Plan, frame: np.ndarray, time: float, angles_of: Callable[[], Angles]
    ):
        own = self.__dict__  # of a frozen class
        own["time"], own["names"] = time, plan.bodies
        own["_from"], own["_angles_of"] = (mechanism, plan, frame), angles_of

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there yet."""
        own = self.__dict__
        if name == "angles" and "_angles_of" in own:
            own["angles"] = own.pop("_angles_of")()
        elif name in ("position", "orientation", "velocity", "angular_velocity") and "_from" in own:
            mechanism, plan, frame = own.pop("_from")
            full = frames.state(mechanism, plan, frame, own["time"], {})
            own |= {key: value for key, value in vars(full).items() if key not in ("angles", "time", "names")}
        else:
            raise AttributeError(f"'State' object has no attribute {name!r}")
        return own[name]

    def __reduce__(self) -> tuple[type[State], tuple]:
        arrays = self.position, self.orientation, self.velocity, self.angular_velocity
        return State, (self.time, *arrays, self.names, self.angles)


class Stretch:
    """Knots one after the other, whose angles lie nearest to those of the knot before. first: those at its first."""

    def __init__(self, plan: Plan, turning: Turning, first: Angles):
        self._plan, self._turning, self._known = plan, turning, {0: first}
        self.frames: list[np.ndarray] = []

    def angles(self, index: int) -> Angles:
        """The angles at a knot."""
        if index not in self._known:
            last = max(known for known in self._known if known < index)
            near = self._known[last]
            if index > last + 1 and self._turning.row:
                near = self._passed(self._orientations(last + 1, index), near)
            self._known[index] = self._turning.at(self._orientations(index, index + 1)[0], near)
        return self._known[index]

    def _orientations(self, first: int, end: int) -> np.ndarray:
        return frames.entry(self._plan, np.array(self.frames[first:end]), "q")

    def _passed(self, q: np.ndarray, near: Angles) -> Angles:
        """Angles at the last of several knots, to round-off. q: (N, n, 4)."""
        turning = self._turning
        values, known = turning._principal(q, np.arange(len(turning.row))), np.zeros((len(turning.row), 2))
        for name, angles in near.items():
            known[turning.row[name], : len(angles)] = angles
        last = nearest(values[0], known) + nearest(np.diff(values, axis=0), 0.0).sum(axis=0)
        return {name: tuple(last[k][: 1 + int(turning.two[k])].tolist()) for name, k in turning.row.items()}


class SeenStates:
    """Makes the states of a run, knot by knot. angles: of the joints at its first knot."""

    def __init__(self, mechanism: Mechanism, plan: Plan, turning: Turning, angles: Angles):
        self._mechanism, self._plan, self._turning, self._first = mechanism, plan, turning, angles
        self._stretch = Stretch(plan, turning, angles)

    def state(self, frame: np.ndarray, time: float) -> State:
        """The state at the next knot; frame: of it, which nobody changes."""
        knots = self._stretch.frames
        if len(knots) == PASSED:
            self._stretch = Stretch(self._plan, self._turning, self._stretch.angles(PASSED - 1))
            self._stretch.frames.append(knots[-1])
            knots = self._stretch.frames
        knots.append(frame)
        return SeenState(self._mechanism, self._plan, frame, time, partial(self._stretch.angles, len(knots) - 1))
