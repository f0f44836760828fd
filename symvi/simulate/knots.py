"""A solver one knot at a time, in memory that stays where it is: C through pointers that are made once, or Python.

The state, the inputs, and the coordinates and rates of joints are arrays; every call reads and writes these.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symvi.numbers.control import CONTACT_SIZE, DEFAULTS, SolverOptions, SolverStatus
from symvi.simulate.engine import CEngine, Engine, PythonEngine
from symvi.simulate.frames import places_again
from symvi.simulate.plan import Plan

Numbers = NDArray[np.floating]


def coordinate_places(plan: Plan) -> dict[str, slice]:
    """Joint -> where its coordinates lie in the arrays of a solver."""
    names = {(note["kind"], str(note["index"])): note["joint"] for note in plan.notes["motion"]}
    found, first = {}, 0
    for key, (_, size) in plan.fields["motion"].items():
        kind, index, field = key.split("/")
        if field == "coordinate":
            found[names[kind, index]] = slice(first, first + size)
            first += size
    return found


class Knots(Protocol):
    """inputs (m,), coordinates (c,), rates (c,), kept; angles are told on the branches nearest to these coordinates.
    wanted: (2, c) coordinates and rates to place joints at."""

    inputs: Numbers
    coordinates: Numbers
    rates: Numbers
    wanted: Numbers

    @property
    def step(self) -> Callable[[], int]:
        """Takes a step with these inputs; its status, negative where the state stays as it was."""
        ...

    @property
    def measure(self) -> Callable[[], object]:
        """Reads coordinates and rates of the knot."""
        ...

    def frame(self) -> Numbers:
        """A new frame of the knot as it stands; without what the step did that led there."""
        ...

    def contacts(self) -> Numbers:
        """New (k, CONTACT_SIZE) contact points after a step; nothing else may have been asked since."""
        ...

    def place(self) -> int:
        """The state with the coordinates and rates wanted, started; the status, negative where it stays as it was."""
        ...

    def explain(self, status: int) -> None:
        """Look again at a step that failed: iterations, and parts that would do."""
        ...


def knots_of(engine: Engine, options: SolverOptions = DEFAULTS) -> Knots:
    """One knot after the other in the memory of an engine."""
    if isinstance(engine, CEngine):
        return CKnots(engine, options)
    assert isinstance(engine, PythonEngine)
    return PythonKnots(engine, options)


class CKnots:
    """A compiled library."""

    inputs: Numbers
    coordinates: Numbers
    rates: Numbers
    wanted: Numbers

    def __init__(self, engine: CEngine, settings: SolverOptions):
        plan, real = engine.plan, engine.state.dtype
        self.engine, self._settings, self._count = engine, settings, len(plan.contacts)
        self.inputs = np.zeros(max(1, len(plan.inputs)), real)
        count = sum(place.stop - place.start for place in coordinate_places(plan).values())
        self.coordinates, self.rates = np.zeros(count, real), np.zeros(count, real)
        self.wanted = np.zeros((2, count), real)
        self._seen = np.zeros(plan.frame["size"][0], real)
        self._points = np.zeros((self._count, CONTACT_SIZE), real)
        ffi, prefix = engine._ffi, engine._prefix
        p, z, w = (engine._pointer(getattr(engine, name), name) for name in ("parameters", "state", "work"))
        u, options = engine._pointer(self.inputs, "input"), engine._options(settings)
        info, done = ffi.new(f"{prefix}_info *"), ffi.new("int *")
        self._input = u
        self.step: Callable[[], int] = partial(engine._function("step"), p, options, z, u, w, info)
        frame = engine._pointer(self._seen, "frame")
        self._observe = partial(engine._function("rollout"), p, options, z, u, 0, w, 0, 1, frame, done, ffi.NULL)
        if self._count:
            self._touch = partial(engine._function("contacts"), p, z, u, w, engine._pointer(self._points, "contact"))
        self.measure: Callable[[], object] = int  # of joints without coordinates nothing is read
        if count:
            here = [engine._pointer(array, "real") for array in (self.coordinates, self.rates)]
            self.measure = partial(engine._function("coordinates"), p, z, u, w, *here)
            there = [engine._pointer(array, "real") for array in self.wanted]
            self._place: Callable[[], int] = partial(engine._function("place"), p, z, u, w, *there)

    def frame(self) -> Numbers:
        self._observe()
        return self._seen.copy()

    def contacts(self) -> Numbers:
        if self._count:
            self._touch()
        return self._points.copy()

    def place(self) -> int:
        return self._place()

    def explain(self, status: int) -> None:
        self.engine._look_at_failure(status, self._settings, self._input, 0)


class PythonKnots:
    """The reference back end: slow, with the same bits."""

    inputs: Numbers
    coordinates: Numbers
    rates: Numbers
    wanted: Numbers

    def __init__(self, engine: PythonEngine, settings: SolverOptions):
        plan = engine.plan
        self.engine, self._settings, self._shown = engine, settings, np.zeros((len(plan.contacts), CONTACT_SIZE))
        self.inputs = np.zeros(len(plan.inputs))
        count = sum(place.stop - place.start for place in coordinate_places(plan).values())
        self.coordinates, self.rates = np.zeros(count), np.zeros(count)
        self.wanted = np.zeros((2, count))

    def step(self) -> int:
        rows = np.stack([self.inputs, self.inputs])
        status, _, frames = self.engine.rollout(rows, True, 1, 1, self._settings)
        if status >= 0 and len(self._shown):
            first, shape = self.engine.plan.frame["contact"]
            self._shown = frames[1, first : first + self._shown.size].reshape(shape)
        return status

    def frame(self) -> Numbers:
        return self.engine.observe(self.inputs, self._settings)

    def contacts(self) -> Numbers:
        return self._shown.copy()

    def measure(self) -> None:
        engine = self.engine
        engine._enter(self.inputs)
        engine.solver.options = self._settings.in_precision("double")
        self.coordinates[:], self.rates[:] = engine.solver.placing.coordinates(self.coordinates.tolist())

    def place(self) -> int:
        engine = self.engine
        engine._enter(self.inputs)
        status = engine.solver.placing.place(*self.wanted.tolist())
        if status >= 0:
            engine._pull_state()
        return int(SolverStatus(status))

    def explain(self, status: int) -> None:
        """The rollout that failed has done so."""


def recorder_of(engine: Engine, options: SolverOptions, into: Numbers) -> Callable[[Numbers, int], int]:
    """Takes a step with a row of inputs (m,), from the knot of frame k of `into` (n, frame) to that of frame k + 1, and
    tells its status. Velocities in frame k are observed again, now that the step from there is known."""
    if isinstance(engine, CEngine):
        return _c_recorder(engine, options, into)
    again = places_again(engine.plan)

    def record(row: Numbers, k: int) -> int:
        status, _, seen = engine.rollout(np.stack([row, row]), True, 1, 1, options)
        into[k, again] = seen[0][again]
        if status >= 0:
            into[k + 1] = seen[1]
        return status

    return record


def _c_recorder(engine: CEngine, options: SolverOptions, into: Numbers) -> Callable[[Numbers, int], int]:
    plan, real, ffi = engine.plan, engine.state.dtype, engine._ffi
    inputs, count, narrow = np.zeros(max(1, len(plan.inputs)), real), len(plan.inputs), real == np.float32
    p, z, w = (engine._pointer(getattr(engine, name), name) for name in ("parameters", "state", "work"))
    u, frame, ledger = (
        engine._pointer(array, name) for array, name in ((inputs, "input"), (into, "frame"), (engine._ledger, "ledger"))
    )
    done, how, rollout = ffi.new("int *"), engine._options(options), engine._function("rollout")

    def record(row: Numbers, k: int) -> int:
        if narrow:
            with np.errstate(over="ignore"):  # what float cannot hold is infinite, and the step says so
                inputs[:count] = row
        else:
            inputs[:count] = row
        status = rollout(p, how, z, u, 0, w, 1, 1, frame + k, done, ledger)
        if status < 0:
            engine._look_at_failure(status, options, u, 0)
        return status

    return record
