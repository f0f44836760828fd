"""The worlds of an environment: a batch, what is read of it by name, and how episodes begin and end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError, MechanismError
from symvi.learn.task import Array, Now, Task, bounds_of, told_numbers
from symvi.mechanism import Mechanism
from symvi.mechanism.mechanism import HasMechanism
from symvi.mechanism.names import did_you_mean, shown
from symvi.numbers.control import SolverOptions
from symvi.simulate import Simulator, Trajectory
from symvi.simulate.arguments import real_numbers
from symvi.simulate.batch_names import quantities_of

Generators = list[np.random.Generator]
LARGEST = float(np.finfo(np.float32).max)
RATE = ".rate"


class Worlds:
    """n worlds with a task.

    observed: (k,) least and most of an observation. acted: (a,) least and most of an action. failed (n,): whose last
    step could not be solved. steps (n,): of the environment, since each episode began.
    """

    def __init__(
        self,
        mechanism: Mechanism | HasMechanism | Simulator,
        task: Task,
        count: int,
        inputs: Mapping[str, Any] | None,
        options: SolverOptions,
        threads: int | None,
    ):
        if not isinstance(task, Task):
            raise ArgumentError(f"task {shown(task)}: give a symvi.learn.Task")
        self.task, self.count = task, count
        self.simulator = mechanism if isinstance(mechanism, Simulator) else Simulator(mechanism)
        self._given = dict(inputs or {})
        self.batch = self.simulator.batch(count, step=task.step, inputs=self._given, options=options, threads=threads)
        self._known = quantities_of(self.simulator.mechanism, self.batch.entries)
        self._columns, low, high = self._actions(task.act)
        self.acted = low, high
        self._inputs = np.array(self.batch._inputs.given, float)
        self._check_names()
        self._read = self._wanted()
        self._starts = self._start_bounds()
        self.steps, self.failed = np.zeros(count, int), np.zeros(count, bool)
        self._log: list[Array] = []
        self._width: int | None = None  # of what a function observes, from its first look on
        self._began: Any = None
        self.now = self._look(None)
        self.observed = self._observation_bounds()

    # --- names -------------------------------------------------------------------------------------------------------
    def _actions(self, act: Mapping[str, Any]) -> tuple[NDArray[np.intp], Array, Array]:
        """Columns of the inputs that are acted on, and their bounds."""
        names, columns, lows, highs = self.batch.input_names, [], [], []
        for name, given in act.items():
            own = [k for k, known in enumerate(names) if known == name or known.startswith(f"{name}[")]
            if not own:
                raise MechanismError(f"act: no input {shown(name)}; {did_you_mean(str(name), names)}")
            low, high = bounds_of(f"act: {name}", given, len(own))
            columns, lows, highs = columns + own, [*lows, low], [*highs, high]
        if len(set(columns)) < len(columns):
            raise ArgumentError("act: two names mean the same input")
        low, high = np.concatenate(lows), np.concatenate(highs)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise ArgumentError("act: actions need finite bounds")
        return np.array(columns), low, high

    def _check_names(self) -> None:
        observe = self.task.observe
        for name in (*(() if callable(observe) else observe), *self.task.reads):
            if name not in self._known:
                raise MechanismError(f"nothing is called {shown(name)}; {did_you_mean(str(name), self._known)}")

    def _wanted(self) -> tuple[str, ...]:
        """What the batch reads after each step."""
        observe = self.task.observe
        names = (*(() if callable(observe) else observe), *self.task.reads)
        return tuple(dict.fromkeys(["coordinates", "rates", *(self._known[name].recorded for name in names)]))

    def _start_bounds(self) -> dict[str, tuple[Array, Array]]:
        if self.task.start is None or callable(self.task.start):
            return {}
        found = {}
        for name, given in self.task.start.items():
            place = self._entry(name)[1]
            found[name] = bounds_of(f"start: {name}", given, place.stop - place.start)
            if not np.isfinite(np.subtract(*found[name])).all():
                raise ArgumentError(f"start: {name} {shown(given)}: give finite bounds")
        return found

    def _entry(self, name: str) -> tuple[int, slice]:
        """0 for coordinates and 1 for rates, and the place of a joint among them. Raises MechanismError."""
        joint = name.removesuffix(RATE) if isinstance(name, str) else name
        if joint not in self.batch.entries:
            known = [f"{each}{end}" for each in self.batch.entries for end in ("", RATE)]
            raise MechanismError(f"start: nothing is called {shown(name)}; {did_you_mean(str(name), known)}")
        return int(name != joint), self.batch.entries[joint]

    def _observation_bounds(self) -> tuple[Array, Array]:
        observe = self.task.observe
        if callable(observe):
            self._width = width = self._observation().shape[1]
            return np.full(width, -np.inf), np.full(width, np.inf)
        given = observe if isinstance(observe, Mapping) else dict.fromkeys(observe, (-np.inf, np.inf))
        sides = [bounds_of(f"observe: {name}", each, len(self._known[name].units)) for name, each in given.items()]
        return np.concatenate([low for low, _ in sides]), np.concatenate([high for _, high in sides])

    # --- a step ------------------------------------------------------------------------------------------------------
    def step(self, actions: object) -> tuple[Array, Array, Array]:
        """(n,) rewards, ends and cuts after a step with (n, a) actions. Raises ArgumentError for other ones."""
        given = np.asarray(actions)
        shape = (self.count, len(self._columns))
        if given.dtype.kind not in "iufb" or given.shape != shape or not np.isfinite(given).all():
            raise ArgumentError(f"actions {shown(actions)}: give finite numbers, an array of shape {shape}")
        self._inputs[:, self._columns] = np.clip(given, *self.acted)
        task, batch = self.task, self.batch
        rows = self._inputs.astype(batch._memory.real, copy=False)
        batch.rollout(np.broadcast_to(rows[:, None], (self.count, task.repeat, rows.shape[1])), task.repeat, record=())
        self._log.append(self._inputs[0].copy())
        self.steps += 1
        self.failed = batch.status < 0
        self.now = self._look(self.now)
        reward = told_numbers("reward", task.reward(self.now), self.count).astype(float)
        end = np.zeros(self.count, bool)
        if task.end is not None:
            end = told_numbers("end", task.end(self.now), self.count)
            if end.dtype.kind != "b":
                raise ArgumentError(f"end gave {shown(end)}: it must give {self.count} of True and False")
        cut = self.failed.copy() if task.episode is None else self.failed | (self.steps >= task.episode)
        return reward, end, cut

    def _look(self, before: Now | None) -> Now:
        """The worlds as they stand."""
        read = self.batch.read(self._read)
        values = {name: each.of(read[each.recorded], 1) for name, each in self._known.items() if each.recorded in read}
        own = self._inputs.copy()
        values.update((name, own[:, k]) for k, name in enumerate(self.batch.input_names))
        for name, array in values.items():  # what one function changed, the others would see
            values[name] = array.view()
            values[name].flags.writeable = False
        if before is not None:  # a chain of them would grow
            before = Now(before.time, before._values)
        return Now(self.task.step * self.task.repeat * self.steps, values, before)

    def observations(self) -> NDArray[np.float32]:
        """(n, k), within their bounds."""
        found = np.clip(self._observation(), -LARGEST, LARGEST).astype(np.float32)
        return np.clip(found, *(side.astype(np.float32) for side in self.observed))

    def _observation(self) -> Array:
        observe = self.task.observe
        if not callable(observe):
            return np.concatenate([self.now[name].reshape(self.count, -1) for name in observe], axis=1)
        found = np.asarray(observe(self.now))
        wide = found.ndim == 2 and self._width in (None, found.shape[1])
        if found.dtype.kind not in "biuf" or not wide or len(found) != self.count:
            k = "k" if self._width is None else self._width
            raise ArgumentError(f"observe gave {shown(found)}: it must give an array of shape ({self.count}, {k})")
        if not np.isfinite(found).all():
            raise ArgumentError("observe gave a number that is not finite")
        return found

    # --- a start -----------------------------------------------------------------------------------------------------
    def reset(self, mask: NDArray[np.bool_], generators: Generators) -> None:
        """Begin new episodes where the mask says so. generators: of each world."""
        coordinates, rates = (array.copy() for array in self._start_numbers())
        for k in np.flatnonzero(mask).tolist():
            for name, value in self._drawn(generators[k]).items():
                which, place = self._entry(name)
                numbers = real_numbers(value)
                if numbers is None or numbers.shape != (place.stop - place.start,) or not np.isfinite(numbers).all():
                    raise ArgumentError(f"start: {name} {shown(value)}: must be {place.stop - place.start} number(s)")
                (coordinates, rates)[which][k, place] = numbers
        anew = self.task.start is not None
        self.batch.reset(mask, coordinates if anew else None, rates if anew else None)
        self._inputs[mask] = self.batch._inputs.given[mask]
        self.steps[mask], self.failed = 0, self.failed & ~mask
        if mask[0]:
            self._log.clear()
            self._began = (coordinates[0], rates[0]) if anew else None
        self.now = self._look(None)

    def _start_numbers(self) -> tuple[Array, Array]:
        """(n, c) coordinates and rates of the start, in the order of names."""
        worlds = self.batch._worlds
        return worlds._start[2][:, worlds.order], worlds._start_rates[:, worlds.order]

    def _drawn(self, generator: np.random.Generator) -> Mapping[str, Any]:
        start = self.task.start
        if callable(start):
            found = start(generator)
            if not isinstance(found, Mapping):
                raise ArgumentError(f"start gave {shown(found)}: it must give joint -> number(s)")
            return found
        return {name: generator.uniform(low, high) for name, (low, high) in self._starts.items()}

    # --- what is shown -----------------------------------------------------------------------------------------------
    def episode(self) -> Trajectory:
        """The motion of the first world since its episode began, taken again. Raises ArgumentError before a step."""
        if not self._log:
            raise ArgumentError("no step has been taken since the last reset; there is nothing to show")
        own, task = self.simulator, self.task
        rows = np.repeat(np.array(self._log), task.repeat, axis=0)
        table = np.concatenate([rows, rows[-1:]])
        for column in own.inputs.ahead:  # of the second knot of a step
            table[1:, column] = rows[:, column]
            table[0, column] = rows[0, column]
        world = own.reset(step=task.step, inputs=self._given)
        if self._began is not None:
            world.reset(*self._began)
        inputs = {name: table[:, k] for k, name in enumerate(self.batch.input_names)}
        return own.simulate(task.step * len(rows), task.step, start=world.state, inputs=inputs, on_error="status")

    def placements(self, world: int) -> tuple[Array, Array]:
        """(bodies, 3) positions [m] and (bodies, 4) orientations of one world."""
        read = self.batch.read(("position", "orientation"))
        return read["position"][world], read["orientation"][world]
