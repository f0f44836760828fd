"""Tangents in generated C: scripts run on the memory of a library that was made with slopes, lanes at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from symvi.kernels.records import STORES
from symvi.numbers.centring import LANES
from symvi.numbers.control import SolverOptions
from symvi.simulate.engine import CEngine
from symvi.simulate.slope_layout import SlopeLayout


class NativeSlopes:
    """The tangents of one compiled solver. The engine's memory is its own."""

    def __init__(self, engine: CEngine, layout: SlopeLayout):
        self.engine, self.layout, self.plan = engine, layout, engine.plan
        self.arrived = np.zeros(0)  # the state where the last step led whose tangents were taken along
        self._inputs = np.zeros(max(1, self.plan.sizes["input"]))
        self._places, offset = {}, 0
        for store in STORES:
            self._places[store] = slice(offset, offset + layout.sizes[store])
            offset += layout.sizes[store]
        self._tangents = np.zeros((max(1, offset), LANES))

    def _arguments(self) -> list:
        engine = self.engine
        stores = {"parameters": engine.parameters, "state": engine.state, "input": self._inputs, "work": engine.work}
        return [engine._pointer(array, store) for store, array in stores.items()]

    # --- steps --------------------------------------------------------------------------------------------------------
    def enter(self, state: np.ndarray, inputs: np.ndarray) -> None:
        """The state of a knot, and the inputs of the step from there."""
        self.engine.state[:] = state
        self._inputs[: len(inputs)] = inputs

    def step(self, options: SolverOptions) -> tuple[int, int]:
        """(status, equal parts) of the step from the knot; the state moves on, the work memory holds the last part."""
        engine = self.engine
        p, z, u, w = self._arguments()
        info = engine._ffi.new(f"{engine._prefix}_info *")
        status = engine._function("step")(p, engine._options(options), z, u, w, info)
        return int(status), int(info.substeps)

    def part(self, parts: int, number: int, options: SolverOptions) -> int:
        """The `number`-th of equal parts of a step, or of their inner steps, from 1; returns its status."""
        engine = self.engine
        p, z, u, w = self._arguments()
        info = engine._ffi.new(f"{engine._prefix}_info *")
        return int(engine._function("part")(p, engine._options(options), z, u, w, parts, number, info))

    def state(self) -> np.ndarray:
        """The state as it is."""
        return self.engine.state.copy()

    def settle(self, smoothing: float) -> float:
        """Newton increments at the solution of the step from the state as it is, until nothing moves; the last of them.

        smoothing: complementarity of contacts, limits and dry friction, which are sent to one centring.
        """
        return float(self.engine._function("settle")(*self._arguments(), smoothing))

    # --- tangents -----------------------------------------------------------------------------------------------------
    def run(self, name: str, seeds: Mapping[str, np.ndarray], last: bool = True) -> dict[str, np.ndarray]:
        """Tangents at the end of a script, by store (numbers, columns); the state is left as it was.

        seeds: by store, (numbers, columns) in the order of the layout. last: the last of a step's parts.
        """
        engine, columns = self.engine, next(iter(seeds.values())).shape[1]
        before = engine.state.copy()
        found = {store: np.zeros((self.layout.sizes[store], columns)) for store in ("state", "work", "motion")}
        tangents = engine._ffi.cast(f"{engine._prefix}_tangents *", self._tangents.ctypes.data)
        call, more = engine._function(f"tangents_of_{name}"), [int(last)] if name == "step" else []
        for first in range(0, columns, LANES):
            width = min(LANES, columns - first)
            self._tangents[:] = 0.0
            for store, values in seeds.items():
                self._tangents[self._places[store], :width] = values[:, first : first + width]
            engine.state[:] = before
            call(*self._arguments(), tangents, *more)
            for store, values in found.items():
                values[:, first : first + width] = self._tangents[self._places[store], :width]
        if name in ("step", "chord"):
            self.arrived = engine.state.copy()
        engine.state[:] = before
        return found

    def coordinates(self, near: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates of joints and their rates by the momenta that are carried to the knot, and (n, 6) velocities of
        bodies; angles nearest to some."""
        engine, plan = self.engine, self.plan
        found, rates = np.zeros(max(1, len(near))), np.zeros(max(1, len(near)))
        found[: len(near)] = near
        velocities = np.zeros((len(plan.bodies), 6))
        arrays = [engine._ffi.cast(f"{engine._prefix}_real *", each.ctypes.data) for each in (found, rates, velocities)]
        engine._function("carried")(*self._arguments(), *arrays)
        return found[: len(near)], rates[: len(near)], velocities

    def rows(self) -> np.ndarray:
        """How far rows of joints are open, in the order of the layout; of the placement whose tangents were taken."""
        places = [self.plan.at("work", kind, node, "g") for kind, node, _ in self.layout.whole("work", "g")]
        return np.concatenate([np.zeros(0), *(self.engine.work[each] for each in places)])

    def has_linearize(self) -> bool:
        """Whether the text has a function for the whole."""
        return hasattr(self.engine._lib, f"{self.engine._prefix}_linearize")

    def takes_coordinates(self) -> bool:
        """Whether it is told which coordinates a state has: of all mechanisms but trees, whose joints have them."""
        fields = self.engine._ffi.typeof(f"{self.engine._prefix}_slopes").fields if self.has_linearize() else []
        return any(name == "chosen" for name, _ in fields)

    @cached_property
    def _own(self):
        """What linearising takes beside the work memory."""
        return self.engine._ffi.new(f"{self.engine._prefix}_slopes *")

    def linearize(
        self, options: SolverOptions, near: np.ndarray | None = None, chosen: Sequence[int] = ()
    ) -> tuple[int, np.ndarray, np.ndarray]:
        """(status, A, B) of the step from the state, by the generated function. near: of a tree, coordinates of joints
        on the branches that angles are told on; None for those nearest to zero. chosen: of any other mechanism, numbers
        of its coordinates."""
        engine, prefix = self.engine, self.engine._prefix.upper()
        n, m = (getattr(engine._lib, f"{prefix}_{name}") for name in ("STATES", "INPUTS"))
        a, b = np.zeros((n, n)), np.zeros((n, max(1, m)))
        arrays = [engine._ffi.cast(f"{engine._prefix}_real *", each.ctypes.data) for each in (a, b)]
        own = self._own
        if self.takes_coordinates():
            numbers = np.array(chosen, np.uint16)
            own.chosen = engine._ffi.cast("unsigned short *", numbers.ctypes.data)
        else:
            for place in range(len(own.coordinates)):
                own.coordinates[place] = 0.0 if near is None else near[place]
        p, z, u, w = self._arguments()
        status = engine._function("linearize")(p, engine._options(options), z, u, w, own, *arrays)
        if status >= 0:  # its second knot
            at = engine._ffi.buffer(engine._ffi.addressof(own, "at"))
            self.arrived = np.frombuffer(at, np.float64, len(engine.state)).copy()
        return int(status), a, b[:, :m]
