"""Batch: many worlds of one mechanism at once, stepped by C in threads; NumPy arrays go in and come out.

Each world is a motion of its own. Its numbers are, to the last bit, those of `Simulator.reset` and `World.step` alone,
whatever the other worlds do, and however many threads share them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError, MechanismError, SymviError
from symvi.mechanism.names import did_you_mean, shown
from symvi.numbers.control import SolverOptions
from symvi.simulate.arguments import Rates, check_modes, check_switches, checked_step
from symvi.simulate.batch_columns import Columns, checked_quantities
from symvi.simulate.batch_memory import check_record, check_worlds
from symvi.simulate.batch_starts import started, wanted
from symvi.simulate.batch_workers import Workers, checked_threads
from symvi.simulate.batch_worlds import BatchWorlds
from symvi.simulate.engine import CEngine
from symvi.simulate.progress import Progress, told_progress

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator
    from symvi.simulate.world import World

Numbers = NDArray[np.floating]
PIECE = 0.1  # s of work between two looks at progress and Ctrl-C
MOST_STEPS = 2**31 - 1  # that C counts in one rollout
WIDTHS = (True, False, 2, 4, 8, 16)  # worlds in a vector; True is as many as this processor's registers have


@dataclass(frozen=True)
class BatchRecord:
    """What a rollout recorded of n worlds at N knots.

    time: (n, N) [s]. values: name -> (n, N, ...), as `record["rates"]` tells too; NaN at knots that a world did not
    reach. status: (n,) of each world's last step. done: (n,) steps that each has taken.
    """

    time: NDArray[np.float64]
    values: Mapping[str, Numbers]
    status: NDArray[np.int32]
    done: NDArray[np.int32]

    def __getitem__(self, name: str) -> Numbers:
        if name not in self.values:
            raise ArgumentError(f"nothing is recorded as {shown(name)}; {did_you_mean(str(name), self.values)}")
        return self.values[name]


class Batch:
    """n worlds of one mechanism, as `Simulator.batch` makes them. One thread of Python uses it.

    names: of the joints' coordinates, in the order of `coordinates` and `rates`. entries: joint -> its slice of them.
    input_names: in the order of an array that `step` takes. threads: that share the worlds.
    """

    def __init__(self, own: Simulator, worlds: BatchWorlds, step: float, threads: int):
        self._own, self._step, self._count = own, step, worlds.memory.count
        self._worlds, self._memory, self._inputs = worlds, worlds.memory, worlds.inputs
        self.names, self.entries, self.input_names = worlds.names, worlds.entries, own.plan.inputs
        self._workers = Workers(self._count, threads, self._memory.workplace)
        self._closed = False

    # --- where it stands ---------------------------------------------------------------------------------------------
    def __len__(self) -> int:
        return self._count

    @property
    def threads(self) -> int:
        """Threads that share the worlds."""
        return self._workers.threads

    @property
    def lanes(self) -> int:
        """Worlds that a thread steps side by side, in the vectors of this processor; 1 where it takes one by one."""
        return self._memory.lanes

    @property
    def time(self) -> NDArray[np.float64]:
        """(n,): of the knots [s]."""
        return self._worlds.times(np.arange(1))[:, 0]

    @property
    def status(self) -> NDArray[np.int32]:
        """(n,): `SolverStatus` of each world's last step; negative: it failed, and the world waits at the knot before,
        for a reset."""
        return _shown(self._memory.status)

    @property
    def iterations(self) -> NDArray[np.int32]:
        """(n,): Newton iterations of each world's last step."""
        return _shown(self._memory.iterations)

    @property
    def coordinates(self) -> Numbers:
        """(n, c): joint coordinates [m, rad], in the order of `names`; see `read`."""
        return self.read("coordinates")["coordinates"]

    @property
    def rates(self) -> Numbers:
        """(n, c): their time derivatives [m/s, rad/s]; see `read`."""
        return self.read("rates")["rates"]

    @property
    def energy(self) -> Numbers:
        """(n,): kinetic and potential energy [J]; see `read`."""
        return self.read("energy")["energy"]

    def read(self, names: str | tuple[str, ...]) -> dict[str, Numbers]:
        """Name -> (n, ...) of the knots as they stand, as `World` tells them.

        names: out of "coordinates", "rates" (n, c), "position" (n, bodies, 3) [m], "orientation" (n, bodies, 4),
        "velocity" [m/s], "angular_velocity" (body axes) [rad/s], "energy" (n,) [J]. Velocities are as if the inputs of
        the step before stayed. Angles are told on the branch nearest to where they were read last: what turns by more
        than half a turn between two readings is told whole turns off; a rollout that records coordinates counts them.
        Raises ArgumentError for other names.
        """
        self._check_open()
        columns = self._columns(names)
        rows = np.empty((self._count, 1, len(columns.columns)), self._memory.real)
        self._memory.record(columns.columns, rows, 0)
        self._workers.run(lambda place, first, past: self._memory.read(place, first, past, 0), "read")
        return {name: values[:, 0] for name, values in columns.arrays(rows).items()}

    def __repr__(self) -> str:
        failed = int((self._memory.status < 0).sum())
        found = f"{failed} failed, " if failed else ""
        how = f"{found}steps of {self._step:g} s, {self.threads} thread{'s' if self.threads > 1 else ''}"
        return f"<Batch of {self._count} worlds of {self._own.mechanism.name}: {how}>"

    # --- going on ----------------------------------------------------------------------------------------------------
    def step(self, inputs: Mapping[str, object] | NDArray[Any] | None = None) -> None:
        """Take a step with every world that has not failed.

        inputs: name -> numbers that broadcast to (n,), or (n, k) where the name has k entries; or an array that
        broadcasts to (n, m), in the order of `input_names`, read where it lies if it is of the solver's type. What is
        not named has the number that `batch` was given, else that of its signal. A world whose step cannot be solved
        keeps its state, and says so in `status`. Raises MechanismError for other inputs; the batch stays as it was.
        """
        self._check_open()
        rows = self._rows(inputs, 1, True)
        self._memory.record(np.zeros(0, np.int32), np.zeros((1, 1, 0), self._memory.real), 0)
        self._memory.done[:] = 0
        try:
            self._advance(rows, 0, 1)
        finally:
            self._worlds.index += self._memory.done

    def rollout(
        self,
        inputs: Mapping[str, object] | NDArray[Any] | None = None,
        steps: int | None = None,
        *,
        record: str | tuple[str, ...] = ("coordinates", "rates"),
        every: int = 1,
        progress: Progress = None,
    ) -> BatchRecord:
        """Take many steps with every world, without coming back to Python between them.

        inputs: name -> numbers that broadcast to (n, steps), or (n, steps, k) where the name has k entries; or an array
        that broadcasts to (n, steps, m). steps: how many; left out, as many as an array has. record: what is kept of
        the first knot and every `every`-th one after it: names as in `read`. progress: called with (steps done, steps
        in all), or True for a bar. Whole turns of joints are counted at every step, where coordinates are recorded.
        Ctrl-C ends a rollout between two steps of all worlds. Raises MechanismError and
        ArgumentError for what it cannot begin with; the batch stays as it was.
        """
        self._check_open()
        steps = _checked_steps(inputs, steps)
        if not isinstance(every, Integral) or isinstance(every, bool) or int(every) < 1 or steps % int(every):
            raise ArgumentError(f"every={shown(every)}: must divide the {steps} steps")
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise ArgumentError(f"progress {shown(progress)}: must be a function, True, False or None")
        columns, memory = self._columns(record), self._memory
        every = every if columns.names else steps
        check_record(self._count, 1 + steps // every, len(columns.columns), memory.real)
        rows, times = self._rows(inputs, steps, False), self._worlds.times(np.arange(0, steps + 1, every))
        kept = np.full((self._count, 1 + steps // every, len(columns.columns)), np.nan, memory.real)
        memory.record(columns.columns, kept, int(every), self._worlds.turns)
        self._workers.run(lambda place, first, past: memory.read(place, first, past, 0), "read")
        memory.done[:] = 0
        try:
            self._take(rows, steps, told_progress(progress))
        finally:
            self._worlds.index += memory.done
        return BatchRecord(times, columns.arrays(kept), memory.status.copy(), memory.done.copy())

    def reset(
        self,
        mask: NDArray[np.bool_] | None = None,
        coordinates: Mapping[str, object] | NDArray[Any] | None = None,
        rates: Mapping[str, object] | NDArray[Any] | None = None,
    ) -> None:
        """Put worlds back to their start, or to these joint coordinates and rates there.

        mask: (n,) True for those that begin anew; all, if left out. coordinates, rates: (c,) or (n, c) in the order of
        `names`, of which only rows of such worlds count; or joint -> numbers that broadcast to (n,), or (n, k). Joints
        that are not named are as at the start. Raises AssemblyError where no motion can start, MechanismError for other
        names, shapes and numbers; the batch stays as it was.
        """
        self._check_open()
        self._worlds.reset(np.flatnonzero(_checked_mask(mask, self._count)), coordinates, rates)

    def close(self) -> None:
        """Let go of its threads: every later call is refused."""
        self._closed = True
        self._workers.close()

    def __enter__(self) -> Batch:
        self._check_open()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # --- inside ------------------------------------------------------------------------------------------------------
    def _check_open(self) -> None:
        if self._closed:
            raise SymviError(f"the batch of mechanism '{self._own.mechanism.name}' is closed; batch() makes another")

    def _columns(self, names: object) -> Columns:
        return Columns(self._worlds.centers, self._own.plan, self._worlds.order, checked_quantities(names))

    def _rows(self, inputs: object, steps: int, lone: bool) -> Numbers:
        """Inputs of the steps to come; servos of worlds that begin aim at theirs."""
        rows = self._inputs.rows(inputs, steps, lambda knots: self._worlds.times(np.arange(knots)), lone)
        self._memory.aim(rows)
        self._inputs.aim(self._memory.state, rows, inputs, self._worlds.index == 0)
        return rows

    def _advance(self, rows: Numbers, begin: int, end: int) -> None:
        """Steps [begin, end) of all worlds. rows: of inputs, which live as long as C reads them."""
        run = self._memory.run
        self._workers.run(lambda place, first, past: run(place, first, past, begin, end), "steps", end - begin)
        del rows

    def _take(self, rows: Numbers, steps: int, progress: Any) -> None:
        """All steps of a rollout, in pieces between which Ctrl-C and progress have their turn. A rollout that is
        expected to be short is one piece: threads are woken for each."""
        done = 0
        while done < steps:
            end = min(steps, done + self._workers.amount_in("steps", PIECE))
            self._advance(rows, done, end)
            done = end
            if progress is not None:
                progress(done, steps)


def batch_of(
    own: Simulator,
    count: object,
    parameters: object,
    starts: object,
    inputs: object,
    step: float,
    options: SolverOptions,
    project: bool,
    rates: Rates,
    threads: object,
    lanes: object,
) -> Batch:
    """A batch of worlds at their starts. own: a simulator with a memory that nobody else uses."""
    if not isinstance(count, Integral) or isinstance(count, bool) or count < 1:
        raise ArgumentError(f"batch of {shown(count)} worlds: must be a whole number, at least 1")
    if not isinstance(own.engine, CEngine):
        raise ArgumentError("a batch runs in C: make the simulator with backend='c'; this one runs in Python")
    if not isinstance(options, SolverOptions):
        raise ArgumentError(f"options {shown(options)}: must be SolverOptions(...)")
    check_switches(project=project)
    if lanes is not None and lanes not in WIDTHS:
        raise ArgumentError(f"lanes {shown(lanes)}: must be True, False, None for where they can be, or 2, 4, 8 or 16")
    check_modes(rates=rates)
    step = checked_step(step, own.text.real if own.text is not None else "double")
    check_worlds(int(count), own.plan, False, own.engine._type)
    asked = wanted(own, int(count), parameters, inputs, starts)
    number, starts = checked_threads(threads), started(own, asked, step, options, project, rates)
    worlds = BatchWorlds(own, starts, asked.count, asked.varied, step, options, cast(int | None, lanes))
    return Batch(own, worlds, step, number)


def batch_of_worlds(own: Simulator, worlds: Sequence[World], options: SolverOptions, threads: int) -> Batch:
    """A batch that goes on from worlds of one step, each with parameters of its own, on the text of `own`.

    Their descriptions may differ from its in all numbers that the text leaves free (`Simulator.with_parameters`).
    own: a simulator with a memory that nobody else uses.
    """
    step = worlds[0]._clock.step
    placed = BatchWorlds(own, iter(worlds), len(worlds), len(worlds) > 1, step, options, None)
    return Batch(own, placed, step, threads)


def _shown(array: NDArray[np.int32]) -> NDArray[np.int32]:
    """A view that only reads."""
    view = array.view()
    view.flags.writeable = False
    return view


def _checked_steps(inputs: Any, steps: object) -> int:
    """How many steps a rollout takes. Raises ArgumentError."""
    if steps is None and inputs is not None and not isinstance(inputs, Mapping) and np.ndim(inputs) >= 2:
        steps = int(np.shape(inputs)[-2])
    if steps is None:
        raise ArgumentError("steps None: say how many, or give inputs as an array (n, steps, m)")
    if not isinstance(steps, Integral) or isinstance(steps, bool) or not 1 <= int(steps) <= MOST_STEPS:
        raise ArgumentError(f"steps {shown(steps)}: must be a whole number from 1 to {MOST_STEPS}")
    return int(steps)


def _checked_mask(mask: object, count: int) -> NDArray[np.bool_]:
    """Which worlds are meant. Raises MechanismError."""
    if mask is None:
        return np.ones(count, bool)
    found = np.asarray(mask)
    if found.dtype != bool or found.shape != (count,):
        raise MechanismError(f"mask {shown(mask)}: give {count} of True and False, an array of shape ({count},)")
    return found
