"""States at knots as they are seen while a solver runs: what nobody reads of them is never worked out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np

from symvi.mechanism import Mechanism
from symvi.mechanism.state import State
from symvi.numbers.control import SolverOptions
from symvi.simulate import frames
from symvi.simulate.engine import Engine
from symvi.simulate.knots import coordinate_places, knots_of
from symvi.simulate.plan import Plan
from symvi.simulate.run_parameters import Settings
from symvi.simulate.told import Joints, ToldState
from symvi.simulate.turns import Angles, Turning, nearest

PASSED = 2048  # knots of a stretch: turns are counted along it at once, where nobody asks before


class Seer(Protocol):
    """What a state was seen by: a run, a world."""

    @property
    def mechanism(self) -> Mechanism: ...
    @property
    def plan(self) -> Plan: ...
    @property
    def settings(self) -> Settings: ...


class Seeing(Seer, Protocol):
    """A run. angles: of the joints at its first knot."""

    engine: Engine
    options: SolverOptions
    turning: Turning
    angles: Angles


class SeenState(ToldState):
    """A State like any other, that reads its frame when it is asked for the first time.

    seen_by: what sees it. frame: of the knot; nobody changes its placements. angles_of: tells the joints' angles there.
    joints_of: tells all joint coordinates and rates there; None once the solver does not stand at the knot any more.
    """

    def __init__(
        self,
        seen_by: Seer,
        frame: np.ndarray,
        time: float,
        angles_of: Callable[[], Angles],
        joints_of: Callable[[], Joints | None],
    ):
        own = self.__dict__  # of a frozen class
        own["time"], own["names"] = time, seen_by.plan.bodies
        own["_from"], own["_angles_of"] = (seen_by, frame), angles_of
        own["_joints_of"] = (seen_by, joints_of)

    def joint(self, mechanism: Mechanism, settings: Settings, name: str) -> tuple[np.ndarray, np.ndarray] | None:
        by, joints_of = self._joints_of
        joints = joints_of() if by.mechanism is mechanism and by.settings == settings else None
        return joints.of(name) if joints else None

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there yet."""
        own = self.__dict__
        if name == "angles" and "_angles_of" in own:
            own["angles"] = own.pop("_angles_of")()
        elif name in ("position", "orientation", "velocity", "angular_velocity") and "_from" in own:
            by, frame = own.pop("_from")
            full = frames.state(by.mechanism, by.plan, frame, own["time"], {})
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


class JointsOfRun:
    """Measures the joints at the knot where a run stands, in the memory of its engine."""

    def __init__(self, engine: Engine, options: SolverOptions):
        self._knots, self._read = knots_of(engine, options), -2
        self._found = Joints(coordinate_places(engine.plan), self._knots.coordinates, self._knots.rates)

    def at(self, knot: int, inputs: np.ndarray, angles: Callable[[], Angles]) -> Joints:
        """knot: its number. inputs: of the step before. angles: those at the knot, with their whole turns."""
        knots = self._knots
        if self._read not in (knot, knot - 1):  # turns show between neighbours only
            for name, values in angles().items():
                if name in self._found.entries:
                    knots.coordinates[self._found.entries[name]][-len(values) :] = values
        if self._read != knot:
            knots.inputs[: len(inputs)] = inputs
            knots.measure()
            self._read = knot
        return self._found


class SeenStates:
    """Makes the states of a run, knot by knot."""

    def __init__(self, seen_by: Seeing):
        self._by, self._stretch = seen_by, Stretch(seen_by.plan, seen_by.turning, seen_by.angles)
        self._joints: JointsOfRun | None = None
        self.knot = -1

    def state(self, frame: np.ndarray, time: float, inputs: np.ndarray) -> State:
        """The state at the next knot, where the solver stands now.

        frame: of it, which nobody changes. inputs: of the step before.
        """
        knots, self.knot = self._stretch.frames, self.knot + 1
        if len(knots) == PASSED:
            self._stretch = Stretch(self._by.plan, self._by.turning, self._stretch.angles(PASSED - 1))
            self._stretch.frames.append(knots[-1])
            knots = self._stretch.frames
        knots.append(frame)
        angles = partial(self._stretch.angles, len(knots) - 1)
        return SeenState(self._by, frame, time, angles, partial(self._joints_at, self.knot, inputs, angles))

    def _joints_at(self, knot: int, inputs: np.ndarray, angles: Callable[[], Angles]) -> Joints | None:
        if knot != self.knot:
            return None
        if self._joints is None:
            self._joints = JointsOfRun(self._by.engine, self._by.options)
        return self._joints.at(knot, inputs, angles)
