"""What the steps before tell of the next one, in the words of templates/c/motion_before.c.jinja."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symvi.numbers import path
from symvi.numbers.control import CURVED, FAINT

if TYPE_CHECKING:
    from symvi.simulate.reference import ReferenceSolver


def is_length(solver: ReferenceSolver, value: float) -> bool:
    """Whether a time is known, and not none; those of inner steps may be negative."""
    return value > 0.0 or (bool(solver.shares) and value < 0.0)


class MotionBefore:
    """The last changes of the velocities of one reference solver, and how far they carry on."""

    def __init__(self, solver: ReferenceSolver):
        self.solver = solver
        self.run, self.memory, self.common, self.bodies = solver.run, solver.memory, solver.common, solver.bodies

    def against_last(self) -> float:
        """For how long forces act in this step, or at this knot, as a share of what it was in the step before.

        So much of the last change of the velocities, and of the last impulses of contacts, is expected; none after a
        start.
        """
        state = self.memory.state["common"][0]
        last = 0.5 * (state.before[0] + state.earlier[0])
        return self.common.impulse[0] / last if is_length(self.solver, last) else 0.0

    def expect_bend(self, extrapolate: bool) -> None:
        """By how much the last change of the rates, less that before it, is expected to go on bending.

        A parabola through three steps at their true times; none before there are three, and none where rates bend
        unevenly.
        """
        state, common = self.memory.state["common"][0], self.common
        common.changed[0] = common.bent[0] = 0.0
        self.run("measure_bend")
        even = common.bent[0] <= CURVED * common.changed[0]
        ahead, known = common.impulse[0], float(is_length(self.solver, state.earlier[0]) and extrapolate and even)
        last = 0.5 * (state.before[0] + state.earlier[0])
        former = 0.5 * (state.earlier[0] + state.earliest[0])
        missing = 1.0 - known
        common.bend[0] = (known * (ahead * (ahead + last))) / (last * (last + former) + missing)
        common.bend_before[0] = common.bend[0] * (known * last / (former + missing))

    def is_jolted(self) -> bool:
        """Whether the last change of the rates was another one than that before it, as where something was hit."""
        common = self.common
        known = self.memory.state["common"][0].earlier[0] > 0.0
        return known and not common.bent[0] <= path.JOLTED * common.changed[0]

    def is_compared(self, least: float) -> bool:
        """What the velocities miss of the last ones, carried on by their last change, is measured; is there one?

        least: squares of velocities that always count.
        """
        common, share = self.common, self.against_last()
        if is_length(self.solver, share):
            common.length[0], common.missed[0], common.moved[0] = share, 0.0, least
            self.run("compare")
        return is_length(self.solver, share)

    def squares_at_rest(self) -> float:
        """Squares of velocities that are little in a motion: what weight gives in a step, and the tolerance leaves."""
        numbers, left = self.memory.parameters["common"][0], FAINT * self.solver.options.tolerance
        x, y, z = numbers.gravity
        fall = (numbers.h[0] * numbers.h[0]) * (x * x + y * y + z * z)
        return float(len(self.bodies)) * (fall + left * left)
