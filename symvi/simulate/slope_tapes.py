"""Tapes of steps in generated C: derivatives recorded once, then tangents forwards and slopes of a loss backwards."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from symvi.errors import AssemblyError
from symvi.numbers.control import SolverStatus
from symvi.simulate.slope_native import NativeSlopes

Array = NDArray[np.float64]


class Tapes:
    """Records of steps and knots of one compiled solver, numbered from 0. Columns are as `SlopeLayout` has them.

    Recording raises AssemblyError where a loop has lost a row.
    """

    def __init__(self, slopes: NativeSlopes):
        self.slopes, engine = slopes, slopes.engine
        self._ffi, self._prefix = engine._ffi, engine._prefix
        self._column = self._ffi.new(f"{self._prefix}_column *")
        size = self._ffi.sizeof(f"{self._prefix}_column") // 8
        self.column = np.frombuffer(self._ffi.buffer(self._column), np.float64, size)
        self._steps: list = []
        self._knots: list = []
        self._calls = {
            name: engine._function(name)
            for name in ("record", "record_knot", "tangent", "adjoint", "tangent_of_knot", "adjoint_of_knot")
        }

    def record(self, number: int, last: bool = True) -> None:
        """The step, or part of one, that was entered and settled. last: of the parts of a step."""
        while len(self._steps) <= number:
            self._steps.append(self._ffi.new(f"{self._prefix}_tape *"))
        _check(self._calls["record"](*self.slopes._arguments(), self._steps[number], int(last)))

    def record_knot(self, number: int) -> None:
        """Rates at the knot that was entered."""
        while len(self._knots) <= number:
            self._knots.append(self._ffi.new(f"{self._prefix}_tape_of_knot *"))
        _check(self._calls["record_knot"](*self.slopes._arguments(), self._knots[number]))

    def tangent(self, number: int, given: Mapping[str, Array]) -> dict[str, Array]:
        """Of a step: {"state"} from {"state", "input", "parameters"}, flat as in the layout."""
        return self._run("tangent", self._steps[number], given)

    def adjoint(self, number: int, given: Mapping[str, Array]) -> dict[str, Array]:
        """Of a step: {"state", "input", "parameters"} of its first knot from {"state"} of its second."""
        return self._run("adjoint", self._steps[number], given)

    def tangent_of_knot(self, number: int, given: Mapping[str, Array]) -> dict[str, Array]:
        """Of a knot: {"motion", "work"} from {"state", "parameters"}."""
        return self._run("tangent_of_knot", self._knots[number], given)

    def adjoint_of_knot(self, number: int, given: Mapping[str, Array]) -> dict[str, Array]:
        """Of a knot: {"state", "parameters"} from {"motion", "work"}."""
        return self._run("adjoint_of_knot", self._knots[number], given)

    def _run(self, name: str, tape, given: Mapping[str, Array]) -> dict[str, Array]:
        self.column[:] = 0.0
        for store, values in given.items():
            self.column[self.slopes._places[store]] = values
        self._calls[name](tape, self._column)
        return {store: self.column[rows].copy() for store, rows in self.slopes._places.items()}


def _check(status: int) -> None:
    if status < 0:
        raise AssemblyError(f"gradient: {SolverStatus(status).sentence}")
