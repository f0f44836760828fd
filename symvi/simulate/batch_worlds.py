"""Where the worlds of a batch stand: their starts, their times, and how some begin anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symvi.errors import AssemblyError, MechanismError
from symvi.mechanism.names import did_you_mean, shown
from symvi.numbers.control import SolverOptions, SolverStatus
from symvi.simulate.batch_build import batch_library
from symvi.simulate.batch_inputs import BatchInputs
from symvi.simulate.batch_memory import BatchMemory, check_worlds
from symvi.simulate.engine import CEngine
from symvi.simulate.solver_state import centers
from symvi.simulate.world import World

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator

Numbers = NDArray[np.floating]
Worlds = NDArray[np.intp]


class BatchWorlds:
    """The worlds at their knots.

    memory, inputs: of all. index (n,): steps that each has taken since it began. names, entries, order, turns: of
    joints' coordinates, as `WorldCoordinates` has them. centers: (bodies, 3) centres of mass in body frames [m], or
    (n, 1, bodies, 3) where descriptions differ.
    """

    def __init__(
        self,
        own: Simulator,
        starts: Iterator[World],
        count: int,
        varied: bool,
        step: float,
        options: SolverOptions,
        lanes: int | None,
    ):
        """starts: a world for each, or one for all. varied: they have parameters of their own. lanes: as in
        `batch_library`."""
        assert isinstance(own.engine, CEngine)
        real = own.engine._type
        check_worlds(count, own.plan, varied, real)
        self._own, self._step = own, step
        library = batch_library(own, varied, lanes)
        self.memory = BatchMemory(own.engine, library, count, varied, options)
        self._begin, self._whole, self.index = np.full(count, np.nan), np.zeros(count, int), np.zeros(count, int)
        given = np.zeros((count, len(own.plan.inputs)), real)
        world = next(starts)
        self._take_over(world, slice(None), given)
        own_centers = [centers(world._own.mechanism)]
        for k, other in enumerate(starts, 1):
            self._take_over(other, slice(k, k + 1), given)
            if other._own.mechanism is not world._own.mechanism:
                own_centers += [own_centers[0]] * (k - len(own_centers)) + [centers(other._own.mechanism)]
        own_centers += [own_centers[0]] * (count - len(own_centers)) if len(own_centers) > 1 else []
        self.centers = own_centers[0] if len(own_centers) == 1 else np.stack(own_centers)[:, None]
        joints = world._joints
        self.names, self.entries, self.order, self.turns = joints.names, joints.entries, joints.order, joints.turns
        self.inputs = BatchInputs(own.inputs, real, given, world._inputs.fixed, world._inputs.aimed)
        self._held = world._held
        self._start = [array.copy() for array in self._numbers()]
        self._start_rates = self.memory.rates.copy()

    def _take_over(self, world: World, here: slice, given: Numbers) -> None:
        """Let some worlds stand where a world stands."""
        memory, clock = self.memory, world._clock
        memory.state[here], memory.last[here] = world._z, world._u
        if len(memory.parameters) > 1 or here == slice(None):
            memory.parameters[here] = world._own.engine.parameters
        given[here] = world._inputs.given
        if memory.moved:
            memory.near[here], memory.rates[here] = world._start_motion
        self._begin[here] = np.nan if clock.begin is None else clock.begin
        self._whole[here] = clock.whole

    def _numbers(self) -> tuple[Numbers, ...]:
        """What a world goes back to: its state, last inputs, angles, and inputs where nobody says else."""
        return self.memory.state, self.memory.last, self.memory.near, self.inputs.given

    def times(self, ahead: NDArray[np.int_]) -> NDArray[np.float64]:
        """(n, knots): of knots so many steps ahead [s]."""
        index, begin = self.index[:, None] + ahead, self._begin[:, None]
        return np.where(np.isnan(begin), self._step * (self._whole[:, None] + index), begin + self._step * index)

    def reset(self, worlds: Worlds, coordinates: object, rates: object) -> None:
        """Put worlds back to their start, or to these joint coordinates and rates; see `Batch.reset`."""
        memory = self.memory
        wanted = self._placed("coordinates", coordinates, self._start[2], worlds)
        wanted_rates = self._placed("rates", rates, self._start_rates, worlds)
        kept = [array[worlds] for array in self._numbers()]
        self._put(worlds, [array[worlds] for array in self._start])
        if coordinates is not None or rates is not None:
            status = self._place(worlds, wanted, wanted_rates)
            if (status < 0).any():
                self._put(worlds, kept)
                k = int(np.flatnonzero(status < 0)[0])
                raise AssemblyError(
                    f"mechanism '{self._own.mechanism.name}' cannot start at the coordinates of world {worlds[k]}: "
                    f"{SolverStatus(int(status[k])).sentence}"
                )
            memory.near[worlds] = wanted[worlds]
            for column, place in self._held:
                self.inputs.given[worlds, column] = memory.last[worlds, column] = memory.state[worlds, place.start]
        memory.status[worlds] = memory.iterations[worlds] = 0
        self.index[worlds] = 0

    def _put(self, worlds: Worlds, numbers: list[Numbers]) -> None:
        for array, values in zip(self._numbers(), numbers, strict=True):
            array[worlds] = values

    def _placed(self, word: str, given: object, first: Numbers, worlds: Worlds) -> Numbers:
        """(n, c) coordinates or rates in the solver's order. Raises MechanismError."""
        found, count = first.copy(), len(first)
        if isinstance(given, Mapping):
            for name, values in given.items():
                if name not in self.entries:
                    raise MechanismError(f"{word}: no joint {shown(name)}; {did_you_mean(str(name), self.entries)}")
                places = self.order[self.entries[name]]
                shape = (count, len(places)) if len(places) > 1 else (count,)
                numbers = _fitted(f"{word} of joint '{name}'", values, shape, worlds)
                found[:, places] = numbers.reshape(count, len(places))
        elif given is not None:
            found[:, self.order] = _fitted(word, given, (count, len(self.order)), worlds)
        return found

    def _place(self, worlds: Worlds, coordinates: Numbers, rates: Numbers) -> NDArray[np.int32]:
        """Start some worlds at coordinates and rates; how each stands."""
        engine, memory = self._own.engine, self.memory
        assert isinstance(engine, CEngine)
        if not memory.moved:
            return np.zeros(len(worlds), np.int32)
        place = engine._function("place")
        p, z, u, w, q, v = (
            engine._pointer(array, store)
            for array, store in (
                (memory.parameters, "parameters"), (memory.state, "state"), (memory.last, "input"),
                (engine.work, "work"), (coordinates, "real"), (rates, "real"),
            )
        )  # fmt: skip
        apart, count = int(len(memory.parameters) > 1), memory.moved
        return np.array(
            [place(p + apart * k, z + k, u + k, w, q + count * k, v + count * k) for k in worlds.tolist()], np.int32
        )


def _fitted(what: str, values: object, shape: tuple[int, ...], worlds: NDArray[np.intp]) -> Numbers:
    """Numbers as broadcast to a shape, finite in the rows of some worlds. Raises MechanismError."""
    try:
        numbers = np.broadcast_to(np.asarray(values, float), shape)
    except (TypeError, ValueError, OverflowError):
        raise MechanismError(
            f"{what} {shown(values)}: give numbers of the shape {shape}, or what broadcasts to it"
        ) from None
    wrong = worlds[~np.isfinite(numbers[worlds].reshape(len(worlds), -1)).all(axis=1)]
    if len(wrong):
        raise MechanismError(f"{what}: a value is not finite, in world {wrong[0]}")
    return numbers
