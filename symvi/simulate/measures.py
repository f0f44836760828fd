"""What decides how a step of the reference back end goes, in the words of templates/c/measures.c.jinja."""

from __future__ import annotations

from math import inf, isfinite, sqrt
from types import SimpleNamespace
from typing import TYPE_CHECKING

from symvi.numbers.control import DOMAIN, FAST, ROUND_OFF, SolverStatus

if TYPE_CHECKING:
    from symvi.simulate.reference import ReferenceSolver


class Measures:
    """Sizes of one reference solver's residual and of its increments, as they stand in the work memory."""

    def __init__(self, solver: ReferenceSolver):
        self.solver = solver
        self.run, self.memory, self.common, self.bodies = solver.run, solver.memory, solver.common, solver.bodies

    def closure(self) -> float:
        """The largest residual of rows at the knot that was prepared, dropped ones included [m or rad]."""
        return _largest(self.solver.rows)

    def opening(self) -> float:
        """The largest opening of a row that was dropped as redundant [m or rad]."""
        return _largest(self.solver.watched)

    def merit(self) -> float:
        """The merit of the residual at the velocities as they stand; infinite where it has none."""
        if not self.largest_turn() < DOMAIN:
            return inf
        self.run("evaluate")
        self.common.merit[0] = 0.0
        self.run("merit")
        merit = self.common.merit[0]
        return merit if isfinite(merit) else inf

    def within(self, change: float) -> bool:
        """Whether a change of velocity like this one would remove the residual."""
        return self.balanced(change, change)

    def balanced(self, change: float, rate: float) -> bool:
        """Whether momenta balance but for a change of velocity and round-off of impulses, and rows but for a rate."""
        return self.are_closed(rate) and self._momenta_balance(change)

    def are_closed(self, rate: float) -> bool:
        """Whether rows are closed but for a rate."""
        return all(abs(f) <= rate for record in self.solver.rows for f in getattr(record, "f", ()))

    def is_spent(self, change: float, rate: float) -> bool:
        """In joint coordinates: whether all that is asked of velocities is a change and round-off of the rates.

        Then what momenta lack is round-off, which sums up all that hangs on a joint. Rows are closed but for a rate and
        what round-off of rates does by levers as long as all bodies in a row.
        """
        if not self.solver.chords:
            return False
        fastest = max((abs(x) for record in self.solver.solved for x in record.u), default=0.0)
        noise = ROUND_OFF["double"] * fastest
        lever = float(len(self.bodies)) * self.memory.parameters["common"][0].extent[0]
        return self.largest_change() <= change + noise and self.are_closed(rate + noise * lever)

    def _momenta_balance(self, change: float) -> bool:
        impulse = self._largest_impulse()
        arm = self.memory.parameters["common"][0].extent[0]
        for body, numbers in zip(self.bodies, self.memory.parameters["body"], strict=True):
            largest = impulse
            for k in range(6):
                largest = max(largest, abs(body.e[k]))
            noise = ROUND_OFF["double"] * largest
            rest = body.rest if self.solver.chords else body.f
            for k in range(3):
                if not abs(rest[k]) <= change * numbers.mass[0] + noise:
                    return False
                if not abs(rest[k + 3]) <= change * numbers.size[0] + noise * arm:
                    return False
        return True

    def _largest_impulse(self) -> float:
        """The largest impulse of a joint, a law, a contact, a limit or dry friction."""
        solver, impulse = self.solver, 0.0
        pushes = [record.y for record in solver.rows if hasattr(record, "f")]
        pushes += [wrench[:3] for wrench in solver.wrenches] + solver.loads
        pushes += [node.impulse for node in solver.interior.nodes] if solver.interior else []
        for values in pushes:
            for value in values:
                impulse = max(impulse, abs(value))
        return impulse

    def largest_turn(self) -> float:
        """The largest a·a of a body: the half turn stays inside its domain while this is below 1."""
        largest = 0.0
        for body in self.bodies:
            if not body.turn[0] <= largest:
                largest = body.turn[0]
        return largest

    def size_of_change(self) -> float:
        """The length of the solved change of all velocities, which is no smaller than the largest."""
        total = 0.0
        for record in self.solver.solved:
            for value in record.s:
                total = total + (value * value)
        return sqrt(total)

    def largest_change(self) -> float:
        """The largest solved change of a velocity."""
        largest = 0.0
        for record in self.solver.solved:
            for value in record.s:
                largest = max(largest, abs(value))
        return largest

    def failed(self, status: SolverStatus) -> SolverStatus:
        """How a step ends that could not be solved: for the reason given, or because a body turns too far in it."""
        return SolverStatus.DOMAIN if self.largest_turn() >= FAST else status


def _largest(records: list[SimpleNamespace]) -> float:
    largest = 0.0
    for record in records:
        for value in record.g:
            if not abs(value) <= largest:
                largest = abs(value)
    return largest
