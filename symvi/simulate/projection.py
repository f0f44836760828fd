"""Placements moved onto the constraints in the reference back end, in the words of templates/c/project.c.jinja."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from symvi.numbers.path import CLEAR, JOINED, PROJECTION_FORCE_TIME, TURNED

if TYPE_CHECKING:
    from symvi.simulate.reference import ReferenceSolver


class Projection:
    """Moves the bodies of one reference solver, by mass (Gauss-Newton)."""

    def __init__(self, solver: ReferenceSolver):
        self.solver = solver
        self.run, self.memory, self.common = solver.run, solver.memory, solver.common
        self.measures = solver.measures

    def project(self, max_iterations: int = 50) -> float:
        """Move an approximate placement onto the constraints (Gauss-Newton, by mass); returns the closure left."""
        solver, common, measures = self.solver, self.common, self.measures
        solver.set_up()
        left = max(max_iterations, 0)
        while True:
            if solver.interior:  # time for next to nothing to act, but enough for dry friction to have a bound
                solver.switches(PROJECTION_FORCE_TIME * common.step[0], 0.0, common.inverse[0])
            else:
                solver.switches(0.0, 0.0, common.inverse[0])
            self.run("prepare")
            if solver.watched:
                self.run("watch")
            self.run("inspect")
            closure = measures.closure()
            if left == 0 or not isfinite(closure):
                break
            if solver.interior:
                # every further solution on the central path would push contacts apart by a little
                extent = self.memory.parameters["common"][0].extent[0]
                if closure <= JOINED["double"] * extent and solver.interior.depth() <= CLEAR["double"] * extent:
                    break
                solver.interior.solve(rest=True)
            else:
                for phase in ("rest", "evaluate", "linearize", "eliminate", "substitute"):
                    self.run(phase)
            self.run("take_velocity")
            # not past a surface, which would not pull it back: turns are not linear
            common.length[0] = 0.5 if solver.interior and measures.largest_turn() > TURNED else 1.0
            # at most half the domain at once
            while common.length[0] * common.length[0] * measures.largest_turn() > 0.25:
                common.length[0] = 0.5 * common.length[0]
            self.run("displace")
            left -= 1
        return closure
