"""Slopes of a loss from knot to knot backwards: the adjoint of every step on its tape, and never a matrix.

Between knots they are slopes by the numbers of a state. What a loss says of coordinates and rates comes in at its knot
by the adjoint of these. With contacts, limits and dry friction a smoothed step ends beside the knot where the next one
begins: numbers of the state mean other motions of the bodies there, so that between steps slopes are those by
coordinates and rates, which both places have.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symvi.errors import SolverError
from symvi.numbers.control import SolverStatus
from symvi.simulate.linearize import Linearizer
from symvi.simulate.slope_charts import turning
from symvi.simulate.slope_native import NativeSlopes
from symvi.simulate.slope_parts import aims, with_lengths
from symvi.simulate.slope_tapes import Tapes
from symvi.simulate.slope_trees import has_no_singular_position

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Recorded:
    """A step on the tapes, one a part from a number on. end: the state where it leads, of a smoothed step its own end.
    told: whether its rates are recorded."""

    first: int
    parts: int
    end: Array
    told: bool


class Backwards:
    """Takes slopes back over steps of a linearizer in generated C, whose coordinates are chosen.

    parameters (p,): what the loss changes by with them, so far.
    """

    def __init__(self, linearizer: Linearizer):
        assert isinstance(linearizer.slopes, NativeSlopes)
        self.linearizer, self.plan, self.layout = linearizer, linearizer.plan, linearizer.layout
        self.slopes, self.tapes = linearizer.slopes, Tapes(linearizer.slopes)
        self.parameters = np.zeros(linearizer.parameters.shape[1])
        self.smoothed = linearizer.smoothing is not None
        self.taken = 0

    def rewind(self) -> None:
        """Tapes may be used again."""
        self.taken = 0

    def record(self, state: Array, row: Array, told: bool) -> tuple[Recorded, Array]:
        """A step, and the state that it leads to. told: whether coordinates and rates at its end are asked for."""
        own, slopes = self.linearizer, self.slopes
        if not self.smoothed and not has_no_singular_position(own):
            own.knot(state, row).check(own.chosen)
        slopes.enter(state, row)
        status, parts = slopes.step(own.options)
        own._check(status)
        after, now, first = slopes.state(), state, self.taken
        for number in range(1, parts + 1):
            driven, ahead = aims(self.plan, state, row, number / parts), after
            if parts > 1:
                slopes.enter(now, driven)
                own._check(slopes.part(parts, number, own.options))
                ahead = slopes.state()
            slopes.enter(now, driven)
            own._settle()
            if self.smoothed:
                ahead = self._arrived(ahead, number == parts)
                slopes.enter(now, driven)
            self.tapes.record(self.taken, number == parts)
            self.taken, now = self.taken + 1, ahead
        if told:
            slopes.enter(now, row)
            self.tapes.record_knot(self.taken - 1)
        return Recorded(first, parts, now, told), after

    def _arrived(self, ahead: Array, last: bool) -> Array:
        """Where the smoothed step leads that was entered and settled. ahead: where the solver's does."""
        nothing = {store: np.zeros((self.layout.sizes[store], 1)) for store in ("state", "input", "parameters")}
        self.slopes.run("step", nothing, last)
        return with_lengths(self.plan, self.slopes.arrived, ahead)

    def told(self, recorded: Recorded, by: Array) -> Array:
        """Slopes by the state at the end of a step, from those by coordinates, rates and memory there."""
        own, layout, f = self.linearizer, self.layout, len(self.linearizer.chosen)
        motion, work = np.zeros(layout.sizes["motion"]), np.zeros(layout.sizes["work"])
        found = np.zeros(layout.sizes["state"])
        for k, each in enumerate(own.chosen):
            if each.joint:
                for field, value in (("coordinate", by[k]), ("rate", by[f + k])):
                    motion[layout.at("motion", each.kind, each.node, field).start + each.entry] = value
            else:
                found += by[k] * self._direction(each.node, each.entry, recorded.end)
                rows = layout.at("work", "body", each.node, "v" if each.entry < 3 else "w")
                work[rows.start + each.entry % 3] = by[f + k]
        for k, (_, field, entry, kind, node) in enumerate(layout.memory):
            found[layout.at("state", kind, node, field).start + entry] += by[2 * f + k]
        given = self.tapes.adjoint_of_knot(recorded.first + recorded.parts - 1, {"motion": motion, "work": work})
        self.parameters += own.parameters.T @ given["parameters"]
        return found + given["state"]

    def _direction(self, body: int, entry: int, state: Array) -> Array:
        """What a body's own coordinate changes by, as slopes by the state."""
        found = np.zeros(self.layout.sizes["state"])
        if entry < 3:
            found[self.layout.at("state", "body", body, "x").start + entry] = 1.0
        else:
            turn = turning(state[self.plan.at("state", "body", body, "q")])[:, entry - 3]
            found[self.layout.at("state", "body", body, "q")] = turn / (turn @ turn)
        return found

    def step(self, recorded: Recorded, costate: Array) -> tuple[Array, Array]:
        """Slopes by the state at the first knot of a step, and by what drives it."""
        layout, inputs = self.layout, np.zeros(self.layout.sizes["input"])
        kept = np.zeros(layout.sizes["state"])  # targets of the knot before, which a step that is taken in parts leaves
        for number in range(recorded.parts, 0, -1):
            found = self.tapes.adjoint(recorded.first + number - 1, {"state": costate})
            costate, share = found["state"], number / recorded.parts
            self.parameters += self.linearizer.parameters.T @ found["parameters"]
            for name, (a, size) in self.plan.fields["input"].items():
                rows = slice(a, a + size)
                if share < 1.0 and name in self.plan.fields["state"]:
                    kind, index, field = name.split("/")
                    kept[layout.at("state", kind, int(index), field)] += (1.0 - share) * found["input"][rows]
                    inputs[rows] += share * found["input"][rows]
                else:
                    inputs[rows] += found["input"][rows]
        if not (np.isfinite(costate).all() and np.isfinite(inputs).all()):
            raise SolverError(
                "gradient: a derivative is not finite here: something that the step depends on has none at this state",
                SolverStatus.NOT_FINITE,
            )
        return costate + kept, inputs

    def lifted(self, state: Array, row: Array, costate: Array) -> Array:
        """(n,) slopes by coordinates, rates and memory of a knot, from those by the state there."""
        lift = self.linearizer.lift(self.linearizer.knot(state, row))
        n = lift.shape[1] - len(self.parameters)
        self.parameters += lift[:, n:].T @ costate
        return lift[:, :n].T @ costate
