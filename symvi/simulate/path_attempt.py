"""One attempt of the reference back end to follow the central path of contacts, limits and dry friction.

The words and the bits of `follow_path` in templates/c/interior.c.jinja (after BSMH23 appendix D, not seen; Mehrotra's
predictor and corrector).
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite
from typing import TYPE_CHECKING

from symvi.numbers import path
from symvi.numbers.control import DEFAULTS, DOMAIN, FALL, FAR_TURN, LEFT, SLOW, STILL, SolverStatus
from symvi.simulate.complementarity import Complementarity

if TYPE_CHECKING:
    from symvi.simulate.reference import ReferenceSolver


class PathAttempt:
    """One attempt from one start.

    how: where it starts, and how boldly. rest: for a displacement out of each other, not a step. The residual at rest
    is linear, so that every solve gives it whole. iterations, complementarity: how far it came, if it began.
    """

    iterations: int | None = None
    complementarity: float | None = None

    def __init__(self, solver: ReferenceSolver, measures: Complementarity, how: path.Attempt, rest: bool):
        self.solver, self.measures, self.how, self.rest = solver, measures, how, rest
        self.run, self.common = solver.run, solver.common
        options = solver.options
        if rest:
            options = replace(DEFAULTS.in_precision("double"), complementarity=measures.refined())
        self.options = options
        self.speed = solver.memory.parameters["common"][0].acceleration[0] * self.common.step[0]
        self.fall = self.speed * self.speed  # products are compared with it per effective mass
        self.small = 0.5 * (options.complementarity * self.fall)
        self.left, self.still = LEFT * options.tolerance, STILL * options.tolerance
        # a fixed number of iterations: none of the step's is left out, and no increment is halved
        self.fixed = 0 if rest else options.fixed_iterations
        self.exact, self.slow = False, 0
        self.merit = inf

    def follow(self) -> SolverStatus:
        """From the start to the end of the path, or as far as it goes."""
        last = self.fixed if self.fixed > 0 else self.options.max_iterations
        if self.rest:
            self.run("rest")
        elif not self._begin():
            return SolverStatus.DOMAIN
        self._warm()
        if not isfinite(self.merit):
            return SolverStatus.NOT_FINITE
        for n in range(last + 1):
            gap, product = self.measures.gap(0.0), self.measures.largest_product()
            self.iterations, self.complementarity = n, product / self.fall
            status = self._arrived(n, product)
            if status is not None:
                return status
            if n == last:
                break
            self._solve(gap, product)
            status = self._take(product)
            if status is not None:
                return status
            self._judge(gap)
        return SolverStatus.UNSETTLED if self.fixed > 0 else SolverStatus.NOT_CONVERGED

    # --- the start ----------------------------------------------------------------------------------------------------
    def _begin(self) -> bool:
        """Bodies at their predicted velocities, or their last ones; whether those lie inside the domain."""
        share = self.solver.against_last() if self.solver.options.extrapolate else 0.0
        for length, most in ((share, FAR_TURN), (0.0, DOMAIN)):
            self.common.length[0] = length
            self.run("begin")
            if self.solver._turn() < most:
                return True
        return False

    def _warm(self) -> None:
        """Impulses and slacks on the central path, near those of the last step and the velocities as predicted."""
        common, how, speed = self.common, self.how, self.speed
        self.run("evaluate")
        if self.rest:
            self.run("release")
            self.run("linearize")
        closing = self.measures.closing_speed()
        lasting = self.solver.against_last()  # share of the last impulses that is expected, by the time forces act for
        common.ratio[0], common.stick[0] = how.ratio, how.stick
        common.memory[0] = 0.0 if self.rest else how.memory * (lasting if lasting < 1.0 else 1.0)
        first = path.FIRST * (speed * (speed if speed > closing else closing))
        first = first if first > closing * closing else closing * closing
        common.target[0] = how.spread * (how.ratio * first)
        self.run("warm")
        self.merit = self._merit()
        # rows answer for what bodies miss, and are solved for at once; without rows it is impulses that miss it
        missed = self.measures.missed() if self.solver.program.notes["constraints"] else self.merit
        first = path.BALANCE * (how.ratio * missed)
        if missed > path.ASTRAY * (speed * speed) and first > common.target[0]:
            common.target[0] = first
            self.run("warm")
            self.merit = self._merit()

    # --- the end ------------------------------------------------------------------------------------------------------
    def _arrived(self, n: int, product: float) -> SolverStatus | None:
        """How the path ends here, if it does: all that has to vanish is small, or as small as round-off lets it be."""
        closed = product <= self.options.complementarity * self.fall
        if self.rest and n > 0 and closed and self.common.length[0] >= 1.0:
            return SolverStatus.OK
        # not before one increment: forces too weak to be missed in one step would never move anything
        done = n > 0 if self.fixed == 0 else n == self.fixed
        met = closed and self.measures.is_apart()
        if not self.rest and done and met and self._within_reach():
            return SolverStatus.OK
        # rows have to close: on the way to a singular position a residual falls slowly too, by large increments
        stalled = self.fixed == 0 and self.slow >= 2
        if stalled and met and self.solver._balanced(self.left, self.still) and self.measures.attained(self.left):
            return SolverStatus.ROUND_OFF
        return None

    def _within_reach(self) -> bool:
        """Whether bodies are balanced, rows closed, and slacks stand for their velocities."""
        return self.solver.within(self.still) and self.measures.attained(self.still)

    # --- an increment -------------------------------------------------------------------------------------------------
    def _solve(self, gap: float, product: float) -> None:
        """The increment towards the next point of the path."""
        common, run = self.common, self.run
        run("exact" if self.exact else "scale")
        run("linearize")
        run("keep")
        aim = "right_hand_side_exact" if self.exact else "right_hand_side"
        if self.how.predict:
            for phase in ("predict", "eliminate", "substitute", "respond"):
                run(phase)
            self._centre(gap, product)
            for phase in ("recall", aim, "resolve"):
                run(phase)
        else:
            common.target[0] = path.FALLING * gap if path.FALLING * gap > self.small else self.small
            common.second[0] = 0.0
            run(aim)
            run("eliminate")
        run("substitute")
        run("respond")

    def _centre(self, gap: float, product: float) -> None:
        """Mehrotra's centring, by how much of the gap the predictor leaves."""
        common = self.common
        share = self.measures.largest_share(1.0)
        after = self.measures.gap(share) / gap
        centring = (after * after) * (after * gap)
        common.target[0] = centring if centring > self.small else self.small
        common.second[0] = 1.0
        if product > path.ASIDE * gap:  # far from the central path the way is back to it, not along it
            common.target[0] = max(path.RECENTRE * product, common.target[0])
            common.second[0] = 0.0

    def _take(self, product: float) -> SolverStatus | None:
        """As much of the increment as stays inside the cones and leaves less than before; how it ends if none does."""
        common, before = self.common, self.merit
        # products fall by no more than an increment's distance from the boundary: exact ones may end next to it
        near = self.exact and self.how.predict
        most = 1.0 - path.BESIDE_BOUNDARY["double"] if near else self.how.boundary
        share = self.measures.largest_share(1.0 / most)
        common.length[0] = most * share if share < 1.0 / most else 1.0
        self.run("advance")
        if self.rest:
            self.run("rest")
        self.merit = self._merit()
        if self.fixed > 0 and not isfinite(self.merit):
            return SolverStatus.DOMAIN if self.solver._turn() >= DOMAIN else SolverStatus.NOT_FINITE
        halvings = 0
        while not self.rest and self.fixed == 0 and not self._accepted(before, product):
            if halvings == path.INNER_HALVINGS:
                return SolverStatus.LINE_SEARCH
            halvings += 1
            common.length[0] = 0.5 * common.length[0]
            self.run("shorten_step")
            self.merit = self._merit()
        self.slow = self.slow + 1 if self.merit > SLOW * before else 0
        return None

    def _accepted(self, before: float, product: float) -> bool:
        solver, length = self.solver, self.common.length[0]
        share = 1.0 - FALL * length
        return isfinite(self.merit) and (
            self.merit <= share * before
            or self.measures.largest_product() <= share * product
            or self._within_reach()
            or length * solver._largest_change() <= solver.options.tolerance
        )

    def _judge(self, gap: float) -> None:
        """How large the increment was, and whether the next one takes the equations as they are."""
        length = self.common.length[0]
        self.solver.increment = length * self.solver._largest_change()
        if not self.exact and gap < path.NEAR * self.fall and length > path.LONG:
            self.exact = True
        elif self.exact and length < path.SHORT:
            self.exact = False

    def _merit(self) -> float:
        solver = self.solver
        if not solver._turn() < DOMAIN:
            return inf
        solver.run("evaluate")
        solver.run("apply_impulse")
        solver.common.merit[0] = 0.0
        solver.run("merit")
        return solver.common.merit[0] if isfinite(solver.common.merit[0]) else inf
