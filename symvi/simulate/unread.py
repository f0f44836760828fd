"""What of a long motion nobody has read yet: rates, energies and closure, worked out when one of them is asked for.

They take a linear solve of their own at every knot, about as long as the steps themselves, and most who simulate read
places and forces alone. So a run keeps the solver's own state every few hundred steps (Stretch), and takes the steps
from there once more when somebody reads: the same function on the same numbers, so the same bits.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from symvi.numbers.control import SolverOptions
from symvi.simulate import frames
from symvi.simulate.alarms import warned_of
from symvi.simulate.engine import CEngine
from symvi.simulate.recording import GROUPS, Holding, Later, takes_whole

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory

LONG = 1000  # recorded knots: of fewer all is recorded at once
CLOSE = 4  # steps: of knots that are further apart too, as few of them are solved for
UNREAD = tuple(name for name in GROUPS if takes_whole([name]))


@dataclass(frozen=True)
class Stretch:
    """Where some steps begin: `first` of them were taken before; the solver's own state and sums of energies there."""

    first: int
    count: int
    state: np.ndarray
    account: np.ndarray


@dataclass
class Again:
    """The steps of a motion, to take once more. engine: that nobody else runs, with the motion's parameters.

    rows: `stride` a step as the steps read them, or one in all. begin: the frame of the first knot before them.
    """

    engine: CEngine
    every: int
    options: SolverOptions
    rows: np.ndarray
    stride: int
    begin: np.ndarray
    stretches: list[Stretch] = field(default_factory=list)

    def note(self, first: int, count: int) -> None:
        """From here so many steps are taken."""
        self.stretches.append(Stretch(first, count, self.engine.state.copy(), self.engine.account.copy()))

    def at_first(self) -> np.ndarray:
        """The engine where the motion begins; the frame of that knot."""
        first = self.stretches[0]
        self.engine.state[:], self.engine.account[:] = first.state, first.account
        return self.begin

    def block(self, first: int, count: int) -> np.ndarray:
        """The inputs of some steps."""
        return rows_of(self.rows, self.stride, first, count)

    def held(self, holding: Holding) -> np.ndarray:
        """What a holding has of the frames of all recorded knots."""
        engine, every, plan = self.engine, self.every, self.engine.plan
        steps = self.stretches[-1].first + self.stretches[-1].count
        found, last = holding.room(1 + steps // every, self.begin), self.begin.copy()
        seen = np.zeros((1 + self.stretches[0].count // every, self.begin.shape[1]), self.begin.dtype)
        for stretch in self.stretches:
            engine.state[:], engine.account[:] = stretch.state, stretch.account
            block = self.block(stretch.first, stretch.count)
            engine.trail(block, self.stride, stretch.count, every, every, self.options, seen)
            known, count = stretch.first // every, stretch.count // every
            frames.observe_again(plan, last[0], seen[0])
            holding.put(found[known : known + 1], last)
            holding.put(found[known + 1 : known + 1 + count], seen[1 : 1 + count])
            last = seen[count : count + 1].copy()
        return found


def rows_of(rows: np.ndarray, stride: int, first: int, count: int) -> np.ndarray:
    """The inputs of some steps, and those at the knot where they end."""
    return rows[first * stride : (first + count + 1) * stride] if stride else rows[:1]


class Unread:
    """Fields of a motion that are worked out when the first of them is asked for.

    work: tells them by name. watched: all of the motion at some knots, which its guards have looked at.
    """

    def __init__(self, work: Callable[[], dict[str, Any]], watched: Trajectory):
        self._work, self.watched, self._lock = work, watched, RLock()

    def read(self, motion: Trajectory) -> None:
        """Put them into their motion, and warn of what only all knots show."""
        if self.fill(motion):
            known = {kind for kind, _ in warned_of(self.watched)}
            for kind, sentence in warned_of(motion):
                if kind not in known:
                    warnings.warn(sentence, kind, stacklevel=3)

    def fill(self, motion: Trajectory) -> bool:
        """Put them into their motion; whether another thread was not here first."""
        with self._lock:
            if motion.unread is not self:
                return False
            own = vars(motion)
            for name, value in self._work().items():
                into = own["_later"] if isinstance(value, Later) else own
                into[name] = value
            del own["_unread"]
        return True
