"""States from joint coordinates and back in the reference back end, in the words of templates/c/place.c.jinja."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from math import isfinite
from types import SimpleNamespace
from typing import TYPE_CHECKING

from symvi.numbers.control import CLOSED, PROJECTIONS, Beginning, SolverStatus
from symvi.simulate.reference_memory import restore

if TYPE_CHECKING:
    from symvi.simulate.reference import ReferenceSolver


class Placing:
    """Joint coordinates of one reference solver, in the order of the generated text."""

    def __init__(self, solver: ReferenceSolver):
        self.solver, self.memory, self.notes = solver, solver.memory, solver.program.notes
        self.records = [record for records in self.memory.motion.values() for record in records if vars(record)]

    def take(self, coordinates: Sequence[float], rates: Sequence[float]) -> None:
        """Coordinates and rates from arrays."""
        first = 0
        for record in self.records:
            size = len(record.coordinate)
            record.coordinate[:], record.rate[:] = coordinates[first : first + size], rates[first : first + size]
            first += size

    def outputs(self) -> tuple[list[float], list[float]]:
        """Coordinates and rates as arrays."""
        return [x for r in self.records for x in r.coordinate], [x for r in self.records for x in r.rate]

    def place(self, coordinates: Sequence[float], rates: Sequence[float]) -> SolverStatus:
        """The state with these coordinates and rates [m, rad], started at the knot; loops closed by projection.

        The state stays as it was when the status is negative.
        """
        if not self.solver.is_step():
            return SolverStatus.BAD_STEP
        if not all(map(isfinite, (*coordinates, *rates))):
            return SolverStatus.NOT_FINITE
        before, inputs = deepcopy(self.memory.state), deepcopy(self.memory.input)
        try:
            status = self._place(coordinates, rates)
        except (ArithmeticError, ValueError):  # where C goes on with numbers that are none
            status = SolverStatus.NOT_FINITE
        restore(self.memory.input, inputs)
        if status < 0:
            restore(self.memory.state, before)
        return status

    def _place(self, coordinates: Sequence[float], rates: Sequence[float]) -> SolverStatus:
        solver = self.solver
        self.take(coordinates, rates)
        solver.run("couple")
        solver.run("place")
        self._carry_angles()
        self._hold_drivers()
        if not self.notes["placing_settles"]:
            solver.project(PROJECTIONS)
            if self.notes["carried_motion"]:  # joints have moved a little, and those that close loops may be open
                solver.switches(0.0, 1.0, 0.0)
                for phase in ("prepare", "rest", "measure"):
                    solver.run(phase)
                self._carry_angles()
        solver.start()
        return self.standing()

    def coordinates(self, near: Sequence[float]) -> tuple[list[float], list[float]]:
        """Coordinates at the knot, angles on the branches nearest to `near`, and their rates."""
        self.take(near, near)
        self.solver.see_knot()
        self.solver.run("measure")
        return self.outputs()

    def standing(self, knot: int = Beginning.KNOT) -> SolverStatus:
        """How a knot stands: whether steps can follow, numbers finite, joints closed, bodies apart."""
        solver, closed = self.solver, CLOSED["double"]
        if not solver.is_step():
            return SolverStatus.BAD_STEP
        limit = self.memory.parameters["common"][0].limit[0]
        solver.set_up()
        solver.switches(0.0, 1.0, 0.0)
        solver.run("prepare")
        if solver.watched:
            solver.run("watch")
        solver.run("inspect")
        if self.is_too_fast(knot):
            return SolverStatus.DOMAIN
        if not self.all_finite():
            return SolverStatus.NOT_FINITE
        if not solver.are_units():
            return SolverStatus.NOT_UNIT
        if not solver.measures.closure() <= (limit if limit > closed else closed):
            return SolverStatus.NOT_CLOSED
        if solver.interior and not solver.interior.depth() <= closed:
            return SolverStatus.NOT_APART
        return SolverStatus.OK

    def all_finite(self) -> bool:
        """Whether all numbers of the state and all inputs are finite, those too that no residual reads."""
        stores = (self.memory.state, self.memory.input)
        records = (record for store in stores for records in store.values() for record in records)
        return all(isfinite(x) for record in records for values in vars(record).values() for x in values)

    def is_too_fast(self, knot: int) -> bool:
        """Whether a body turns by a right angle or more in a step, where momenta are no longer of one turn alone."""
        h = self.memory.parameters["common"][0].h[0]
        for body in self.memory.state["body"]:
            x, y, z = (rate * h for rate in body.w)
            if all(map(isfinite, body.w)) and not (x * x + y * y) + z * z < Beginning(knot).fastest:
                return True
        return False

    def _joint(self, note: dict) -> SimpleNamespace:
        return self.memory.motion[note["of"]][note["of_index"]]

    def _carry_angles(self) -> None:
        for note in self.notes["carried_motion"]:
            state = self.memory.state[note["kind"]][note["index"]]
            getattr(state, note["field"])[0] = self._joint(note).coordinate[note["which"]]

    def _hold_drivers(self) -> None:
        """A driver is where its joint is, and goes with it."""
        for note in self.notes["driven_motion"]:
            target = self.memory.input[note["kind"]][note["index"]].target
            state, joint = self.memory.state[note["kind"]][note["index"]], self._joint(note)
            target[0] = state.target[0] = joint.coordinate[note["which"]]
            state.rate[0] = state.rate_before[0] = joint.rate[note["which"]]
