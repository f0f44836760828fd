"""States from joint coordinates and back in the reference back end, in the words of templates/c/place.c.jinja."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from symvi.program.control import CLOSED, PROJECTIONS, SolverStatus

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

    def give(self) -> tuple[list[float], list[float]]:
        """Coordinates and rates as arrays."""
        return [x for r in self.records for x in r.coordinate], [x for r in self.records for x in r.rate]

    def place(self, coordinates: Sequence[float], rates: Sequence[float]) -> SolverStatus:
        """The state with these coordinates and rates [m, rad], started at the knot; loops closed by projection."""
        solver = self.solver
        self.take(coordinates, rates)
        solver.run("couple")
        solver.run("place")
        self._carry_angles()
        given = self._hold_drivers()
        if not self.notes["placing_settles"]:
            solver.project(PROJECTIONS)
            if self.notes[
                "carried_motion"
            ]:  # joints are a little elsewhere now, and those that close loops are somewhere
                solver.switches(0.0, 1.0, 0.0)
                for phase in ("prepare", "rest", "measure"):
                    solver.run(phase)
                self._carry_angles()
        solver.start()
        status = self.standing()
        for target, value in given:
            target[0] = value
        return status

    def coordinates(self, near: Sequence[float]) -> tuple[list[float], list[float]]:
        """Coordinates at the knot, angles on the branches nearest to `near`, and their rates."""
        self.take(near, near)
        self.solver.see_knot()
        self.solver.run("measure")
        return self.give()

    def standing(self) -> SolverStatus:
        """How a knot stands: joints closed, bodies apart."""
        solver, closed = self.solver, CLOSED["double"]
        limit = self.memory.parameters["common"][0].limit[0]
        solver.run("setup")
        solver.switches(0.0, 1.0, 0.0)
        solver.run("prepare")
        if solver.watched:
            solver.run("watch")
        if not solver.closure() <= (limit if limit > closed else closed):
            return SolverStatus.NOT_CLOSED
        if solver.interior and not solver.interior.depth() <= closed:
            return SolverStatus.NOT_APART
        return SolverStatus.OK

    def _joint(self, note: dict) -> SimpleNamespace:
        return self.memory.motion[note["of"]][note["of_index"]]

    def _carry_angles(self) -> None:
        for note in self.notes["carried_motion"]:
            state = self.memory.state[note["kind"]][note["index"]]
            getattr(state, note["field"])[0] = self._joint(note).coordinate[note["which"]]

    def _hold_drivers(self) -> list[tuple[list[float], float]]:
        """A driver is where its joint is, and goes with it; returns the inputs, and what they were."""
        given = []
        for note in self.notes["driven_motion"]:
            target = self.memory.input[note["kind"]][note["index"]].target
            given.append((target, target[0]))
            state, joint = self.memory.state[note["kind"]][note["index"]], self._joint(note)
            target[0] = state.target[0] = joint.coordinate[note["which"]]
            state.rate[0] = state.rate_before[0] = joint.rate[note["which"]]
        return given
