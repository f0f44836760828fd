"""The joint coordinates of a world: their order, their whole turns, and numbers that are given for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symvi.errors import MechanismError
from symvi.mechanism.names import did_you_mean, shown
from symvi.simulate import frames
from symvi.simulate.arguments import real_numbers
from symvi.simulate.knots import Knots, coordinate_places
from symvi.simulate.told import Joints
from symvi.simulate.turns import Angles, nearest

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator

INFINITY = float("inf")
PASSED = 256  # knots that are kept before the turns between them are counted


class WorldCoordinates:
    """Coordinates in the order of the description, and which of them are angles that come round again.

    names: the joint, with [k] where it has several. entries: joint -> its slice of them. order: where they lie in the
    solver's order. found: the arrays in that order. passed: states of knots whose turns are not counted yet; the last
    one that was counted goes first.
    """

    def __init__(self, own: Simulator, knots: Knots):
        """own: the simulator of the world alone."""
        places = coordinate_places(own.plan)
        self.found = Joints(places, knots.coordinates, knots.rates)
        self._plan, self._turning = own.plan, own.turning
        self._kept, self._z = knots.coordinates, own.engine.state
        self.passed: list[bytes] = []
        self.entries: dict[str, slice] = {}
        order, names = [], []
        turning, where, which = own.turning, [], []
        for joint in own.mechanism.joints:
            if joint.name not in places:
                continue
            place = range(*places[joint.name].indices(1 << 30))
            self.entries[joint.name] = slice(len(order), len(order) + len(place))
            names += [joint.name] if len(place) == 1 else [f"{joint.name}[{k}]" for k in range(len(place))]
            order += place
            if joint.name in turning.row:
                row = turning.row[joint.name]
                angles = 1 + int(turning.two[row])
                where += list(place)[-angles:]
                which += [(row, k) for k in range(angles)]
        self.names = tuple(names)
        self._alone = {name: order[at.start] for name, at in self.entries.items() if at.stop == at.start + 1}
        self.order = np.array(order, int)
        self._angles = {name: 1 + int(turning.two[row]) for name, row in turning.row.items() if name in places}
        self.turns = bool(where)
        self._turning_at = np.array(where, int)
        self._turning_of = tuple(np.array(which, int).reshape(-1, 2).T)
        at = [own.plan.at("state", "body", k, "q") for k in range(len(own.plan.bodies))]
        self._q = np.array([np.arange(a.start, a.stop) for a in at], int)

    def leave(self, state: bytes) -> None:
        """Go on from a knot."""
        if self.turns:
            self.passed.append(state)
            if len(self.passed) >= PASSED:
                self.count()
                del self.passed[:-1]

    def count(self) -> None:
        """Bring the angles that are kept to the last knot that was passed: turns show between neighbours only."""
        self._kept[:] = self._counted(self._kept, self.passed)
        del self.passed[:-1]

    def _counted(self, kept: NDArray[np.floating], passed: Sequence[bytes]) -> NDArray[np.floating]:
        """Coordinates with the angles of the last of some knots, from those of the first one."""
        if len(passed) < 2:
            return kept
        z = np.frombuffer(b"".join(passed), self._z.dtype).reshape(len(passed), -1)
        near, (rows, which) = kept.copy(), self._turning_of
        values = self._turning._principal(z[:, self._q].astype(float), np.arange(len(self._turning.row)))
        values = values[:, rows, which]
        values[0] = nearest(values[0], near[self._turning_at].astype(float))
        turns = values[0] + np.cumsum(nearest(np.diff(values, axis=0), 0.0), axis=0)
        near[self._turning_at] = nearest(values[-1], turns[-1])
        return near

    def angles(self, frame: NDArray[np.floating]) -> Callable[[], Angles]:
        """The angles at this knot, whose frame this is; worked out when asked for, wherever the world is then."""
        kept, passed = self._kept.copy(), tuple(self.passed)

        def found() -> Angles:
            values = self._counted(kept, passed)
            places = {name: self.order[self.entries[name]][-count:] for name, count in self._angles.items()}
            near = {name: tuple(values[place].tolist()) for name, place in places.items()}
            return self._turning.at(frames.entry(self._plan, frame[None], "q")[0], near)

        return found

    def put(self, word: str, given: object, known: NDArray[np.floating], into: NDArray[np.floating]) -> None:
        """Coordinates or rates in the solver's order. Raises MechanismError."""
        into[:] = known
        if isinstance(given, Mapping):
            for name, value in given.items():
                place = self._alone.get(name)
                if place is not None and isinstance(value, float) and -INFINITY < value < INFINITY:
                    into[place] = value
                    continue
                if name not in self.entries:
                    raise MechanismError(f"{word}: no joint {shown(name)}; {did_you_mean(str(name), self.entries)}")
                places, values = self.order[self.entries[name]], real_numbers(value)
                if values is None or values.shape != places.shape or not np.isfinite(values).all():
                    raise MechanismError(
                        f"{word} of joint '{name}': {shown(value)} must be {len(places)} finite number(s)"
                    )
                into[places] = values
        elif given is not None:
            values = real_numbers(given)
            if values is None or values.shape != self.order.shape or not np.isfinite(values).all():
                raise MechanismError(f"{word} {shown(given)}: give {len(self.names)} finite numbers, in order of names")
            into[self.order] = values
