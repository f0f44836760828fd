"""Newton's method of the reference back end, in the words of templates/c/newton.c.jinja and with its bits."""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING

from symvi.numbers.control import (
    CHORD,
    DOMAIN,
    FALL,
    FAR_TURN,
    LEFT,
    SAFETY,
    SINGULAR_VIOLATION,
    SLOW,
    STILL,
    SolverStatus,
)

if TYPE_CHECKING:
    from symvi.simulate.reference import ReferenceSolver


class Newton:
    """Solves for the velocities and impulses of one step, where no contact, limit or dry friction is."""

    def __init__(self, solver: ReferenceSolver):
        self.solver = solver
        self.run, self.memory, self.common = solver.run, solver.memory, solver.common
        self.measures, self.motion_before = solver.measures, solver.motion_before

    def solve(self) -> SolverStatus:
        """Newton's method for one step."""
        if self.solver.options.fixed_iterations > 0:
            return self._count_through()
        status = self.carry_on()
        status = self.solver.branch.keep(status) if self.solver.branch else status
        # a body that turns by a right angle or more: a smaller turn has the same momentum
        return SolverStatus.DOMAIN if status >= 0 and not self.measures.largest_turn() < FAR_TURN else status

    def _count_through(self) -> SolverStatus:
        """Exactly so many iterations, whole increments, and no look at the numbers on the way."""
        self.solver.iterations = self.solver.options.fixed_iterations
        try:
            self.begin(self.motion_before.against_last() if self.solver.options.extrapolate else 0.0)
            if not self.measures.largest_turn() < FAR_TURN:
                self.begin(0.0)
            self.run("evaluate")
            self.common.length[0] = 1.0
            for _ in range(self.solver.options.fixed_iterations):
                for phase in ("linearize", "eliminate", "substitute", "advance", "evaluate"):
                    self.run(phase)
            self.common.merit[0] = 0.0
            self.run("merit")
            merit, self.solver.increment = self.common.merit[0], self.measures.size_of_change()
        except (ArithmeticError, ValueError):  # where C goes on with numbers that are none
            merit, self.solver.increment = inf, inf
        turn = self.measures.largest_turn()
        if not isfinite(merit) or not isfinite(self.solver.increment) or not turn < FAR_TURN:
            return SolverStatus.DOMAIN if turn >= FAR_TURN else SolverStatus.NOT_FINITE
        return SolverStatus.OK if self.solver.increment <= self.solver.options.tolerance else SolverStatus.UNSETTLED

    def carry_on(self) -> SolverStatus:
        """Newton's method from a start that carries on the last motion, where no body turns by a right angle so."""
        extrapolate = self.solver.options.extrapolate
        merit = self._merit_of_start(self.motion_before.against_last() if extrapolate else 0.0)
        if extrapolate and (not isfinite(merit) or not self.measures.largest_turn() < FAR_TURN):
            merit = self._merit_of_start(0.0)
        return self.iterate(merit)

    def iterate(self, merit: float) -> SolverStatus:
        """Newton's method from the velocities as they are, of known merit: a line search, and a guard of the domain."""
        options = self.solver.options
        self.solver.iterations, self.solver.increment = 0, 0.0
        if not isfinite(merit):
            return SolverStatus.DOMAIN if self.measures.largest_turn() >= DOMAIN else SolverStatus.NOT_FINITE
        slow, whole, earlier = 0, True, 0.0
        for self.solver.iterations in range(1, options.max_iterations + 1):
            if whole:
                self.run("linearize")
                self.run("eliminate")
            else:
                self.run("resolve")
            self.run("substitute")
            before = merit
            merit, length = self._search(before)
            if not merit < inf:
                if not whole:  # factors of an earlier iteration lead nowhere: its own may
                    merit, whole = before, True
                    continue
                return self._stuck()
            self.solver.increment = length * self.measures.largest_change()
            fall = sqrt(merit / before) if before > 0.0 else 0.0
            predicted = SAFETY * (self.solver.increment * fall)
            if self.solver.increment <= options.tolerance and self._leaves_little(length):
                return SolverStatus.OK
            if (
                length >= 1.0
                and predicted <= options.tolerance
                and (SAFETY * sqrt(merit) <= options.tolerance or self._is_enough(predicted))
            ):
                return SolverStatus.OK
            newton = self.solver.chords and whole and length >= 1.0
            if newton and self.solver.increment * fall <= options.tolerance and self._squares_end(earlier):
                return SolverStatus.OK
            earlier = self.solver.increment if newton else 0.0
            # the same factors once more, if they are predicted to be enough
            whole = not (self.solver.chords and length >= 1.0 and CHORD * (sqrt(merit) * fall) <= options.tolerance)
            slow = slow + 1 if merit > SLOW * before else 0
            if slow >= 2 and self._is_round_off():
                return SolverStatus.ROUND_OFF
            if slow >= 2 and self.is_singular():
                return SolverStatus.SINGULAR_STEP
        return self.measures.failed(SolverStatus.NOT_CONVERGED)

    def _is_enough(self, predicted: float) -> bool:
        """In joint coordinates: whether bodies and rows lack little, or the next increment is far below round-off.

        What a joint lacks sums up all that hangs on it, by long levers: it may be large where increments are small.
        """
        if not self.solver.chords:
            return False
        tolerance = self.solver.options.tolerance
        far_below = SAFETY * predicted <= tolerance
        return self.measures.balanced(LEFT * tolerance if far_below else tolerance, tolerance / SAFETY)

    def _squares_end(self, earlier: float) -> bool:
        """In joint coordinates: whether Newton's next increment is round-off, each being about the square of the last.

        Residuals cannot tell, where long levers make much of their round-off. earlier: the increment before, or 0.
        """
        tolerance, last = self.solver.options.tolerance, self.solver.increment
        falls = SAFETY * (last * (last * last)) <= tolerance * (earlier * earlier)
        return falls and self.measures.balanced(LEFT * tolerance, tolerance / SAFETY)

    def _merit_of_start(self, length: float) -> float:
        self.begin(length)
        return self.measures.merit()

    def begin(self, length: float) -> None:
        """From the last velocities, with so much of their last change; of joint coordinates along a parabola."""
        self.common.length[0] = length
        if self.solver.bends:
            self.motion_before.expect_bend(length != 0.0)
        self.run("begin")

    def _search(self, before: float) -> tuple[float, float]:
        """Take the increment, halved until the merit falls; (inf, length) and the base restored when it never does."""
        length = self.common.length[0] = 1.0
        self.run("advance")
        merit = self.measures.merit()
        halvings = 0
        while not merit <= (1.0 - FALL * length) * before and not self._settled(merit, length):
            if halvings == self.solver.options.max_halvings:
                self.common.length[0] = 0.0
                self.run("shorten_step")
                self.measures.merit()
                return inf, 0.0
            halvings += 1
            length = self.common.length[0] = 0.5 * length
            self.run("shorten_step")
            merit = self.measures.merit()
        return merit, length

    def _settled(self, merit: float, length: float) -> bool:
        """An increment below the tolerance is taken whatever the merit does, if whole or if the rest is round-off."""
        tolerance = self.solver.options.tolerance
        if not isfinite(merit) or not length * self.measures.largest_change() <= tolerance:
            return False
        return length >= 1.0 or self.measures.within(STILL * tolerance)

    def _stuck(self) -> SolverStatus:
        """How a step ends whose merit falls no more: here, or where the whole increment leads."""
        tolerance, why = self.solver.options.tolerance, self.measures.failed(SolverStatus.LINE_SEARCH)
        if self.measures.within(STILL * tolerance):
            return SolverStatus.ROUND_OFF
        self.common.length[0] = 1.0
        self.run("shorten_step")
        if not isfinite(self.measures.merit()):
            return why
        if self._is_round_off():
            return SolverStatus.ROUND_OFF
        return SolverStatus.SINGULAR_STEP if self.is_singular() else why

    def is_singular(self) -> bool:
        """Whether momenta balance to round-off while rows that lost their direction stay open by a little."""
        if not self.solver.loops:
            return False
        extent, still = self.memory.parameters["common"][0].extent[0], STILL * self.solver.options.tolerance
        rate = SINGULAR_VIOLATION * extent / abs(self.common.step[0])
        return self.measures.balanced(still, rate) or self.measures.is_spent(still, rate)

    def _is_round_off(self) -> bool:
        """Whether what is left, as velocities, is small; in joint coordinates, whether a whole increment is."""
        still = STILL * self.solver.options.tolerance
        return self.measures.within(still) or self.measures.is_spent(still, still)

    def _leaves_little(self, length: float) -> bool:
        """Whether little is left after an increment below the tolerance.

        In joint coordinates a whole one leaves round-off of momenta, which long levers make large, and of rows what
        their guards hold back.
        """
        left = LEFT * self.solver.options.tolerance
        whole = self.solver.chords and length >= 1.0
        return self.measures.within(left) or (whole and self.measures.are_closed(left))
