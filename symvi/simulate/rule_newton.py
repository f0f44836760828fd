"""Newton's method for a step by a quadrature rule, in the words of templates/c/rule.c.jinja and with its bits."""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING

from symvi.kernels.rule_joint import INCREMENT
from symvi.numbers.control import FAINT, FALL, FAR_TURN, SAFETY, SLOW, STILL, SolverStatus, swerved
from symvi.numbers.quadrature import rule_of

if TYPE_CHECKING:
    from symvi.simulate.reference import ReferenceSolver


class RuleNewton:
    """Solves for the coordinates at the nodes of one step, and lands at the last one."""

    def __init__(self, solver: ReferenceSolver):
        self.solver, self.run, self.common = solver, solver.run, solver.common
        rule = rule_of(solver.program.notes.get("rule"))
        assert rule is not None
        self.swerved = swerved(rule.degree)
        self.points = len(rule.points) if solver.program.phases["drive_rule"] else 0
        self.increments = [
            getattr(record, INCREMENT)
            for records in solver.memory.work.values()
            for record in records
            if hasattr(record, INCREMENT)
        ]

    def solve(self) -> SolverStatus:
        """Newton's method for one step."""
        impulse = self.common.impulse[0]
        self.run("prepare_rule")
        self.drive()
        counted = self.solver.options.fixed_iterations > 0
        status = self._count_through() if counted else self._carry_on()
        if status < 0:
            return status
        if self.solver.loops:
            self.common.still[0] = FAINT * self.solver.options.tolerance
            self.run("weigh_rule")
            if not self.keeps_on(last=False):
                return SolverStatus.JUMP
            self.solver.switches(impulse, 1.0, self.common.inverse[0])
            self.run("prepare")
        self.run("land_rule")
        self.run("shorten_step")
        # beyond, turns are no longer told from those the other way round
        return status if self.solver.measures.largest_turn() < FAR_TURN else SolverStatus.DOMAIN

    def keeps_on(self, last: bool) -> bool:
        """Whether rates at a knot stay near the closed motions: the sweeps of order 2 bring them back there, at rest.

        last: at the second knot, where the state is; else at the first one.
        """
        self.solver.switches(0.0, 0.0, 0.0)
        looked = "reach_rule" if last else "leave_rule"
        for phase in ("prepare", "rest", "evaluate", looked, "linearize", "eliminate", "substitute"):
            self.run(phase)
        self.common.strayed[0] = 0.0
        self.run("stray_rule")
        return self.common.strayed[0] <= self.swerved * self.common.moved_by[0]

    def drive(self) -> None:
        """Forces of actuators at the points of the rule: inputs of the step, or those that follow them."""
        rows = self.solver.inner
        for point in range(self.points):
            if rows:
                rows[1 + point]()
            self.run("drive_rule")
        if rows:
            rows[0]()

    def _carry_on(self) -> SolverStatus:
        merit = inf
        if self.solver.options.extrapolate:
            merit = self._begin(1.0)
        if not merit < inf:
            merit = self._begin(0.0)
        return self._iterate(merit)

    def _begin(self, length: float) -> float:
        self.common.length[0] = length
        self.run("begin_rule")
        return self._merit()

    def _merit(self) -> float:
        """The merit of the residual at the nodes as they stand; infinite where it has none."""
        self.run("evaluate_rule")
        self.common.merit[0] = 0.0
        self.run("merit_rule")
        merit = self.common.merit[0]
        return merit if isfinite(merit) else inf

    def _largest(self) -> float:
        """The largest solved change of an unknown."""
        largest = 0.0
        for values in self.increments:
            for value in values:
                largest = max(largest, abs(value))
        return largest

    def _iterate(self, merit: float) -> SolverStatus:
        """Newton's method from the nodes as they are, of known merit: a merit line search."""
        solver, options = self.solver, self.solver.options
        solver.iterations, solver.increment, slow = 0, 0.0, 0
        if not merit < inf:
            return SolverStatus.NOT_FINITE
        for solver.iterations in range(1, options.max_iterations + 1):
            self.run("eliminate_rule")
            self.run("substitute_rule")
            before, largest = merit, self._largest()
            merit, length = self._search(before, largest)
            if not merit < inf:
                near = largest <= STILL * options.tolerance
                return SolverStatus.ROUND_OFF if near else SolverStatus.LINE_SEARCH
            solver.increment = length * largest
            fall = sqrt(merit / before) if before > 0.0 else 0.0
            if length >= 1.0 and solver.increment <= options.tolerance:
                return SolverStatus.OK
            predicted = SAFETY * (solver.increment * fall)
            if length >= 1.0 and predicted <= options.tolerance and SAFETY * sqrt(merit) <= options.tolerance:
                return SolverStatus.OK
            slow = slow + 1 if merit > SLOW * before else 0
            if slow >= 2 and solver.increment <= STILL * options.tolerance:
                return SolverStatus.ROUND_OFF
        return SolverStatus.NOT_CONVERGED

    def _search(self, before: float, largest: float) -> tuple[float, float]:
        """Take the increment, halved until the merit falls; (inf, length) and the base restored when it never does."""
        options = self.solver.options
        length = self.common.length[0] = 1.0
        self.run("advance_rule")
        merit = self._merit()
        halvings = 0
        while not merit <= (1.0 - FALL * length) * before and not (
            merit < inf and length * largest <= options.tolerance
        ):
            if halvings == options.max_halvings:
                self.common.length[0] = 0.0
                self.run("shorten_rule")
                self._merit()
                return inf, 0.0
            halvings += 1
            length = self.common.length[0] = 0.5 * length
            self.run("shorten_rule")
            merit = self._merit()
        return merit, length

    def _count_through(self) -> SolverStatus:
        """Exactly so many iterations, whole increments, and no look at the numbers on the way."""
        solver, options = self.solver, self.solver.options
        solver.iterations = options.fixed_iterations
        try:
            self.common.length[0] = 1.0 if options.extrapolate else 0.0
            self.run("begin_rule")
            self.run("evaluate_rule")
            self.common.length[0] = 1.0
            for _ in range(options.fixed_iterations):
                for phase in ("eliminate_rule", "substitute_rule", "advance_rule", "evaluate_rule"):
                    self.run(phase)
            self.common.merit[0] = 0.0
            self.run("merit_rule")
            merit, solver.increment = self.common.merit[0], self._largest()
        except (ArithmeticError, ValueError):  # where C goes on with numbers that are none
            merit, solver.increment = inf, inf
        if not isfinite(merit) or not isfinite(solver.increment):
            return SolverStatus.NOT_FINITE
        return SolverStatus.OK if solver.increment <= options.tolerance else SolverStatus.UNSETTLED
