"""One run of a solver: knot by knot where a controller decides, else in long stretches, recording every n-th knot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from symvi.mechanism import Mechanism
from symvi.mechanism.state import State
from symvi.numbers.control import SolverOptions
from symvi.simulate import frames
from symvi.simulate.arguments import checked_answer
from symvi.simulate.engine import CEngine, Engine
from symvi.simulate.gains import Gains
from symvi.simulate.inputs import Controller, Inputs
from symvi.simulate.recording import EVERYTHING, Holding, takes_whole, watched_every, watched_knots
from symvi.simulate.run_parameters import Settings
from symvi.simulate.turns import Angles, Counter, Turning
from symvi.simulate.unread import CLOSE, LONG, UNREAD, Again, rows_of

INFINITY = float("inf")
CHUNK, FEW = 1000, 1000  # steps, and recorded knots of which few are whole, at a time


@dataclass
class Driving:
    """What drives a run, one row per knot: (N, m) inputs, (N, g) gains, and whether any of these are given.

    inner: (N s, m) inputs of all inner steps of a composition, that which begins at the last knot included; None where
    inputs do not change in time, or steps have no inner ones.
    """

    rows: np.ndarray
    gain_rows: np.ndarray
    gains_given: bool
    inner: np.ndarray | None = None


@dataclass
class Run:
    """What a run has come to: recorded frames, the inputs that drove it, the turns that joints made.

    times: (steps + 1,) of the knots. angles: of the joints at the first knot. found: frames, that of the first knot
    put there by the caller. aimed: names of inputs that said at the start what servos aim at; None where a motion goes
    on, whose state knows. names: what is recorded (recording.GROUPS). chosen: whether these were asked for by name;
    else a long run may leave some to be worked out (unread.py), for which again is. part: where whole frames are few,
    what the frames of all recorded knots hold of these.
    """

    engine: Engine
    mechanism: Mechanism
    inputs: Inputs
    gains: Gains
    settings: Settings
    turning: Turning
    angles: Angles
    times: np.ndarray
    step: float
    every: int
    options: SolverOptions
    progress: Callable[[int, int], None] | None
    driving: Driving
    names: tuple[str, ...]
    aimed: frozenset[str] | None = None
    chosen: bool = True
    part: np.ndarray | None = None
    again: Again | None = None
    found: list[np.ndarray] = field(default_factory=list)
    done: int = 0  # steps
    _quick: bool = False  # whether rows need no more than finite numbers put into them

    def __post_init__(self) -> None:
        self.plan = self.engine.plan
        self.steps = len(self.times) - 1
        self.counter = self._counter()
        self.apart = 1 if self.names == EVERYTHING and not self._may_wait() else watched_every(self.every)

    def _may_wait(self) -> bool:
        """Whether what takes a solve at each knot is left until somebody reads it."""
        long = self.steps // self.every > LONG and self.every <= CLOSE
        return long and not self.chosen and self.counter is None and isinstance(self.engine, CEngine)

    def _counter(self) -> Counter | None:
        """Counts turns between recorded knots, of joints whose angles the solver does not carry."""
        carried = [(angle["joint"], angle["coordinate"]) for angle in self.plan.carried]
        if self.every == 1 or len(carried) == sum(map(len, self.angles.values())):
            return None
        return Counter(self.turning, self.angles, self.step)

    def state(self, frame: np.ndarray, time: float, near: Angles) -> State:
        """The state in a frame, its angles near others."""
        return frames.state_near(self.mechanism, self.plan, frame, time, self.turning, near)

    def frames(self) -> np.ndarray:
        """Those that were found, one after the other."""
        return self.found[0] if len(self.found) == 1 else np.concatenate(self.found)

    def recorded_inputs(self) -> tuple[np.ndarray, tuple[str, ...]]:
        """(N, m) inputs at the recorded knots and their names, with gains where any were given."""
        rows = np.hstack([self.driving.rows, self.driving.gain_rows]) if self.driving.gains_given else self.driving.rows
        return rows[:: self.every], self.inputs.names + (self.gains.names if self.driving.gains_given else ())

    def through(self) -> int:
        """To the end, with the inputs as they are; returns the status of the step that failed, or 0."""
        rows, stride = self._rows()
        if self.apart > 1 and isinstance(self.engine, CEngine) and not self.counter:
            if self.names == EVERYTHING:
                begin = self.found[-1][-1:].copy()
                self.again = Again(self.engine, self.every, self.options, rows, stride, begin)
                self.names = tuple(name for name in EVERYTHING if name not in UNREAD)
            if not takes_whole(self.names):
                status = self._sparsely(self.engine, rows, stride)
                if status >= 0 or not self.again:
                    return status
                # who looks into a failure looks at all of it
                self.found, self.names, self.part, self.again = [self.again.at_first()], EVERYTHING, None, None
        whole = self.progress is None and self.counter is None
        chunk = self.steps if whole else max(self.every, CHUNK // self.every * self.every)
        for first in range(0, self.steps, chunk):
            count = min(chunk, self.steps - first)
            status, done, seen = self._rollout(rows_of(rows, stride, first, count), stride, count)
            frames.observe_again(self.plan, self.found[-1][-1], seen[0])
            if first == 0:  # one block instead of two that must be joined
                seen[0] = self.found.pop()[0]
            self.found.append(seen[int(first > 0) : 1 + done // self.every])
            self.done = first + done
            self._tell(self.done)
            if status < 0:
                return status
        return 0

    def _rows(self) -> tuple[np.ndarray, int]:
        """Inputs as steps read them, and how many rows each has: 0 where one does for all."""
        if self.driving.inner is not None:
            return self.driving.inner, len(self.driving.inner) // len(self.driving.rows)
        rows, ahead = self.driving.rows.copy(), self.inputs.ahead
        rows[:-1, ahead] = rows[1:, ahead]  # targets are those of the step's second knot
        return rows, int(bool(len(rows[0])) and bool((rows != rows[0]).any()))

    def _sparsely(self, engine: CEngine, rows: np.ndarray, stride: int) -> int:
        """The same where few frames are whole, in memory that is used again and again."""
        held = Holding.of(self.plan, self.names)
        self.part = held.room(1 + self.steps // self.every, self.found[0])
        whole = self.apart * self.every
        chunk = min(max(whole, FEW * self.every // whole * whole), self.steps)
        seen = np.zeros((1 + chunk // self.every, self.plan.frame["size"][0]), self.found[0].dtype)
        for first in range(0, self.steps, chunk):
            count = min(chunk, self.steps - first)
            block = rows_of(rows, stride, first, count)
            if self.again:
                self.again.note(first, count)
            status, done = engine.trail(block, stride, count, self.every, whole, self.options, seen)
            frames.observe_again(self.plan, self.found[-1][-1], seen[0])
            last, known = done // self.every, first // self.every
            held.put(self.part[1 + known : 1 + known + last], seen[1 : 1 + last])
            at = watched_knots(1 + last, self.apart) if status >= 0 else np.arange(0, 1 + last, self.apart)
            self.found.append(seen[at[1:]])
            self.done = first + done
            self._tell(self.done)
            if status < 0:
                break
        held.put(self.part[:1], self.found[0])
        return min(status, 0)

    def _rollout(self, block: np.ndarray, stride: int, count: int) -> tuple[int, int, np.ndarray]:
        """Frames as the engine's; turns are counted between them where the solver does not."""
        if self.counter is None:
            return self.engine.rollout(block, stride, count, self.every, self.options)
        last, before, account = self.found[-1][-1:], self.engine.state.copy(), self.engine.account.copy()
        for every in self.counter.strides(self.every, frames.entry(self.plan, last, "w")):
            self.engine.state[:], self.engine.account[:] = before, account
            status, done, seen = self.engine.rollout(block, stride, count, every, self.options)
            seen = seen[: 1 + done // every]
            q, w = (frames.entry(self.plan, seen, name) for name in "qw")
            if self.counter.count(q, w, every, self.every // every):
                break
        return status, done, frames.gathered(self.plan, seen, self.every // every)

    def stepwise(self, controller: Controller | None, before: np.ndarray) -> int:
        """To the end step by step: a controller decides at every knot where one begins, and gains may change.

        It sees velocities as if the inputs of the step before stayed: half of what acts at a knot acts before it, and
        the step that does is solved ahead. Those recorded are under its own inputs, by the step that was taken.
        Targets, of drivers and servos, are those at the step's second knot; those that it does not name look ahead to
        the next knot's signal. At the last knot, where no step begins, the last inputs stay.
        before: (m,) inputs under which the first knot is seen.
        """
        parameters = self.engine.parameters.copy()
        try:
            return self._stepwise(controller, before)
        finally:
            self.engine.parameters[:] = parameters

    def _stepwise(self, controller: Controller | None, before: np.ndarray) -> int:
        from symvi.simulate.knots import recorder_of
        from symvi.simulate.seen import SeenStates

        states = SeenStates(self)
        times, again, every = self.times.tolist(), frames.places_again(self.plan), self.every
        first = self.found[0]
        block = np.zeros((1 + (self.steps if every == 1 else every), first.shape[1]), first.dtype)
        block[0] = first[0]
        state = states.state(first[0].copy(), times[0], before)
        others = np.setdiff1d(np.arange(len(self.inputs.names)), self.inputs.ahead)
        take = recorder_of(self.engine, self.options, block)
        self._quick = not self.gains.names and not self.inputs.ahead
        rows, put, seen, watched = self.driving.rows, self._put, states.state, bool(self.counter or self.progress)
        for n in range(self.steps):
            k = n if every == 1 else n % every
            answer = {} if controller is None else controller(times[n], state)
            row = rows[n]
            if not (self._quick and type(answer) is dict and put(row, answer)):
                row = self._decide(n, answer)
            status = take(row, k)
            if k == 0 and every > 1:
                self.found[-1][0][again] = block[0][again]
            if status < 0:
                if every == 1:
                    self.found[0] = block[: n + 1]
                return status
            self.done = n + 1
            state = seen(block[k + 1].copy(), times[n + 1], row)
            if every > 1 and k + 1 == every:
                self.found.append(frames.gathered(self.plan, block, every)[1:])
                block[0], block[1:] = block[every], 0.0
            if watched:
                if self.counter and (n + 1) % every == 0:
                    self.counter.add(state.angles)
                self._tell(n + 1)
        if every == 1:
            self.found[0] = block
        if controller is None:
            last = self.engine.observe(self._set(self.steps), self.options)
            frames.observe_again(self.plan, self.found[-1][-1], last)
        else:
            self.driving.rows[-1, others], self.driving.gain_rows[-1] = row[others], self.driving.gain_rows[-2]
        return 0

    def _decide(self, n: int, answer: object) -> np.ndarray:
        """The inputs of a step, with what a controller returned for it; gains are set."""
        given, gains = self.gains.split(checked_answer(answer, float(self.times[n])))
        self.inputs.overlay(self.driving.rows[n : n + 1], given)
        self.gains.overlay(self.driving.gain_rows[n : n + 1], gains)
        self.driving.gains_given = self.driving.gains_given or bool(gains)
        row, ahead = self._set(n), self.inputs.ahead
        named = [self.inputs.names[k] in given for k in ahead]
        row[ahead] = np.where(named, row[ahead], self.driving.rows[n + 1, ahead])
        if n == 0 and self.aimed is not None:
            self.inputs.aim_from(self.engine.state, row, given.keys() - self.aimed)
        return row

    def _put(self, row: np.ndarray, answer: dict[str, object]) -> bool:
        """Put finite numbers of inputs that have one entry into a row; False, and nothing is put, where others are."""
        column = self.inputs.alone
        for name, value in answer.items():
            if not isinstance(value, float) or not -INFINITY < value < INFINITY or name not in column:
                return False
        for name, value in answer.items():
            row[column[name]] = value
        return True

    def _set(self, n: int) -> np.ndarray:
        """The inputs of a knot; its gains are set."""
        if self.driving.gains_given:
            self.engine.parameters[self.gains.places] = self.driving.gain_rows[n]
        return self.driving.rows[n].copy()

    def _tell(self, done: int) -> None:
        if self.progress:
            self.progress(done, self.steps)


def overlaid(inputs: Inputs, gains: Gains, engine: Engine, times: np.ndarray, given: Mapping[str, object]) -> Driving:
    """What drives a run with knots at these times: signals and the gains among the parameters, under what is given.

    Raises MechanismError for unknown names and wrong values.
    """
    others, own = gains.split(given)
    rows = inputs.overlay(inputs.from_signals(times), others)
    current = np.repeat(engine.parameters[None, gains.places].astype(float), len(times), axis=0)
    return Driving(rows, gains.overlay(current, own), bool(own))
