"""What the worlds of a batch keep, as NumPy arrays that C reads and writes in place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError
from symvi.native import Library
from symvi.numbers.control import SolverOptions
from symvi.simulate.engine import CEngine
from symvi.simulate.knots import coordinate_places
from symvi.simulate.plan import Plan
from symvi.simulate.room import memory, told_size

Numbers = NDArray[np.floating]
MOST = 2**31 - 1  # worlds that C counts
ALIGNED = 128  # bytes, of the widest vectors


def check_worlds(count: int, plan: Plan, varied: bool, real: type) -> None:
    """Raises ArgumentError for a batch that takes more memory than there is, before any of it is taken.

    varied: whether every world has parameters of its own. real: the type of its numbers.
    """
    each = 3 * plan.sizes["state"] + 4 * len(plan.inputs) + (plan.sizes["parameters"] if varied else 0)
    needs, has = count * each * np.dtype(real).itemsize, memory()
    if count > MOST or needs > has:
        most = min(MOST, has // (each * np.dtype(real).itemsize))
        raise ArgumentError(
            f"a batch of {count} worlds takes about {told_size(needs)} of memory, and there are {told_size(has)}: "
            f"take at most {most}"
        )


def check_record(count: int, knots: int, columns: int, real: type) -> None:
    """Raises ArgumentError for a record that takes more memory than there is, before any of it is taken."""
    needs, has = count * knots * (8 + columns * np.dtype(real).itemsize), memory()
    if needs > has:
        raise ArgumentError(
            f"{knots} knots of {count} worlds take about {told_size(needs)} of memory, and there are {told_size(has)}: "
            "record fewer knots, with every, or fewer quantities, or take fewer steps at a time"
        )


class BatchMemory:
    """The arrays of a batch, and the library that runs them.

    state (n, z). last (n, m): inputs of the step before. parameters (n, p), or (1, p) where all worlds share them.
    near, rates (n, c): coordinates of joints as they were read last, in the solver's order. lanes: worlds that are
    stepped side by side. status, iterations, done (n,): of the last step; steps since a run began.
    """

    def __init__(self, engine: CEngine, library: Library, count: int, varied: bool, options: SolverOptions):
        plan, real = engine.plan, engine._type
        self.count, self.plan, self.real, self._engine, self.library = count, plan, real, engine, library
        self.state = np.zeros((count, max(1, plan.sizes["state"])), real)
        self.parameters = np.zeros((count if varied else 1, len(engine.parameters)), real)
        self.last = np.zeros((count, max(1, len(plan.inputs))), real)
        self.moved = sum(place.stop - place.start for place in coordinate_places(plan).values())
        self.near, self.rates = (np.zeros((count, max(1, self.moved)), real) for _ in range(2))
        self.status, self.iterations, self.done = (np.zeros(count, np.int32) for _ in range(3))
        self.lanes: int = self._function("lanes")()
        self._options = engine._options(options)
        self._struct = self._filled(plan.frame["size"][0])
        self.frame_size = plan.frame["size"][0]

    def _filled(self, frame: int) -> Any:
        ffi, engine, prefix = self.library.ffi, self._engine, self._engine._prefix

        def function(name: str) -> Any:
            pointer = engine._ffi.cast("uintptr_t", engine._function(name))
            return ffi.cast(f"{prefix}_call", int(pointer))

        struct = ffi.new(f"{prefix}_batch *")
        struct.step, struct.rollout = function("step"), function("rollout")
        if self.moved:
            struct.coordinates = function("coordinates")
        for name, array in (
            ("parameters", self.parameters), ("states", self.state), ("last", self.last), ("near", self.near),
            ("rates", self.rates),
        ):  # fmt: skip
            setattr(struct, name, ffi.cast("void *", array.ctypes.data))
        for name in ("status", "iterations", "done"):
            setattr(struct, name, ffi.cast("int *", getattr(self, name).ctypes.data))
        struct.parameters_apart = int(len(self.parameters) > 1)
        struct.options = ffi.cast("void *", int(engine._ffi.cast("uintptr_t", self._options)))
        return struct

    def workplace(self) -> tuple[Any, ...]:
        """Scratch memory of one thread: what calls of `run` and `read` take beside the worlds."""
        work, frame = np.zeros(self._function("memory")() + ALIGNED, np.uint8), np.zeros(self.frame_size, self.real)
        first = -work.ctypes.data % ALIGNED
        kept = work[first:], frame
        return (kept, *(self.library.ffi.cast("void *", array.ctypes.data) for array in kept))

    def aim(self, rows: Numbers) -> None:
        """Let the next run take its inputs from (n or 1, steps or 1, m) rows, which the caller keeps."""
        ffi, struct, size = self.library.ffi, self._struct, rows.itemsize
        struct.inputs = ffi.cast("void *", rows.ctypes.data)
        struct.of_world = rows.strides[0] // size if len(rows) > 1 else 0
        struct.of_step = rows.strides[1] // size if rows.shape[1] > 1 else 0

    def record(self, columns: NDArray[np.int32], into: Numbers, every: int, turns: bool = False) -> None:
        """Let runs and readings write these columns into (n, knots, columns) rows, which the caller keeps.

        every: steps between two rows, 0 for none. turns: count those that joints make between them.
        """
        ffi, struct = self.library.ffi, self._struct
        struct.columns, struct.count = ffi.cast("int *", columns.ctypes.data), len(columns)
        struct.recorded, struct.knots, struct.every = ffi.cast("void *", into.ctypes.data), into.shape[1], every
        struct.seen = int((columns < self.frame_size).any())
        struct.moved = int((columns >= self.frame_size).any())
        struct.turns = int(turns and struct.moved)

    def run(self, workplace: tuple[Any, ...], first: int, past: int, begin: int, end: int) -> None:
        """Steps [begin, end) of worlds [first, past)."""
        self._function("run")(self._struct, workplace[1], workplace[2], first, past, begin, end)

    def read(self, workplace: tuple[Any, ...], first: int, past: int, knot: int) -> None:
        """The row of a knot, of worlds [first, past)."""
        self._function("read")(self._struct, workplace[1], workplace[2], first, past, knot)

    def _function(self, name: str) -> Any:
        return getattr(self.library.lib, f"{self._engine._prefix}_batch_{name}")
