"""One attempt of the reference back end to follow the central path of contacts, limits and dry friction.

The words and the bits of `follow_path` and its steps in templates/c/interior.c.jinja, with Mehrotra's predictor and
corrector (after BSMH23 appendix D, not seen).
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
    """One attempt on its way along the central path.

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
        # a fixed number of iterations: none of the step's is left out, and no increment is halved
        self.fixed = 0 if rest else options.fixed_iterations
        self.speed = solver.memory.parameters["common"][0].acceleration[0] * self.common.step[0]
        self.fall = self.speed * self.speed  # products are compared with it per effective mass
        self.closed = options.complementarity * self.fall  # products are no larger at the end of the path
        self.small = 0.5 * self.closed  # the least that is centred by
        self.left, self.still = LEFT * options.tolerance, STILL * options.tolerance
        self.merit = inf
        self.exact, self.slow = False, 0

    def follow(self) -> SolverStatus:
        """From the start to the end of the path, or as far as it goes."""
        last = self.fixed if self.fixed > 0 else self.options.max_iterations
        if self.rest:
            self.run("rest")
        elif not self._start_velocities():
            return SolverStatus.DOMAIN
        self._warm_start()
        if not isfinite(self.merit):
            return SolverStatus.NOT_FINITE
        for n in range(last + 1):
            gap, product = self.measures.gap(0.0), self.measures.largest_product()
            self.iterations, self.complementarity = n, product / self.fall
            if self._is_at_end(n, product):
                return SolverStatus.OK
            if self._is_round_off(product):
                return SolverStatus.ROUND_OFF
            if n == last:
                break
            self._solve_increment(gap, product)
            status = self._search_line(product)
            if status < 0:
                return status
            self.solver.increment = self.common.length[0] * self.solver.measures.largest_change()
            self.exact = self._is_next_exact(gap)
        return SolverStatus.UNSETTLED if self.fixed > 0 else SolverStatus.NOT_CONVERGED

    # --- the start ----------------------------------------------------------------------------------------------------
    def _start_velocities(self) -> bool:
        """Bodies at their predicted velocities, or their last ones; whether those lie inside the domain."""
        before, extrapolate = self.solver.motion_before, self.solver.options.extrapolate
        self.common.length[0] = before.against_last() if extrapolate else 0.0
        if self.solver.bends:
            before.expect_bend(extrapolate)
            if before.is_jolted():  # what was hit does not go on as it was hit
                self.common.length[0] = 0.0
        self.run("begin")
        if not self.solver.measures.largest_turn() < FAR_TURN:
            self.common.length[0] = 0.0
            if self.solver.bends:
                before.expect_bend(False)
            self.run("begin")
        return self.solver.measures.largest_turn() < DOMAIN

    def _warm_start(self) -> None:
        """Impulses and slacks on the central path, near those of the last step and the velocities as predicted."""
        common, how, speed = self.common, self.how, self.speed
        self.run("evaluate")
        if self.rest:
            self.run("release")
            self.run("linearize")
        closing = self.measures.closing_speed()
        # share of the last impulses that is expected, by the time forces act for
        lasting = self.solver.motion_before.against_last()
        common.ratio[0], common.stick[0] = how.ratio, how.stick
        common.memory[0] = 0.0 if self.rest else how.memory * (lasting if lasting < 1.0 else 1.0)
        first = path.FIRST * (speed * (speed if speed > closing else closing))
        first = first if first > closing * closing else closing * closing
        usual, calm = how.spread * (how.ratio * first), how.ratio * (how.calm * self.closed)
        # in loops pairs near the end would be so stiff that rows' pivots sink to their guard: rows would not close
        near_end = bool(self.measures.closing) and not self.solver.loops
        begins_calm = near_end and self.closed >= path.STIFF_END * self.fall and 0.0 < calm < usual
        begins_calm = begins_calm and common.memory[0] > 0.0 and self.fixed == 0
        common.target[0] = calm if begins_calm else usual
        self.run("warm")
        # what may come to touch, to part or to slide starts further inside the cones
        if begins_calm and not self.measures.are_foreseen(speed):
            common.target[0] = usual
            self.run("warm")
        self.merit = self._merit_under_impulses()  # the residual without impulses of contacts is there
        # rows answer for what bodies miss, and are solved for at once; without rows it is impulses that miss it
        missed = self.measures.missed() if self.solver.program.notes["constraints"] else self.merit
        first = path.BALANCE * (how.ratio * missed)
        if missed > path.ASTRAY * (speed * speed) and first > common.target[0]:
            common.target[0] = first
            self.run("warm")
            self.merit = self._merit()

    # --- the end ------------------------------------------------------------------------------------------------------
    def _is_at_end(self, n: int, product: float) -> bool:
        """Whether all that has to vanish is small after n increments."""
        if self.rest:
            return n > 0 and product <= self.closed and self.common.length[0] >= 1.0
        # not before one increment: forces too weak to be missed in one step would never move anything
        done = n > 0 if self.fixed == 0 else n == self.fixed
        return done and product <= self.closed and self.measures.is_apart() and self._within_reach()

    def _is_round_off(self, product: float) -> bool:
        """Whether all that has to vanish is as small as round-off lets it be.

        Rows have to close: on the way to a singular position a residual falls slowly too, by large increments.
        """
        if self.fixed > 0 or self.slow < 2 or not product <= self.closed:
            return False
        balanced = self.measures.is_apart() and self.solver.measures.balanced(self.left, self.still)
        return balanced and self.measures.attained(self.left)

    def _within_reach(self) -> bool:
        """Whether bodies are balanced, rows closed, and slacks stand for their velocities."""
        return self.solver.measures.within(self.still) and self.measures.attained(self.still)

    # --- an increment -------------------------------------------------------------------------------------------------
    def _solve_increment(self, gap: float, product: float) -> None:
        """The increment towards the next point of the path: predictor, centring and corrector share their factors."""
        run = self.run
        run("exact" if self.exact else "scale")
        run("linearize")
        # steps of a fixed number of iterations are to take the same time
        if self.how.predict and (self.fixed > 0 or not gap <= path.NEXT_TO * self.closed):
            run("keep")
            self._predict()
            self._centre(gap, product)
            run("recall")
            self._aim()
            run("resolve")
        else:
            if self.how.predict:
                self._centre_at_end()
            else:
                self._centre_by_factor(gap)
            self._aim()
            run("eliminate")
        run("substitute")
        run("respond")

    def _predict(self) -> None:
        """The predictor: the increment towards no complementarity at all."""
        for phase in ("predict", "eliminate", "substitute", "respond"):
            self.run(phase)

    def _centre(self, gap: float, product: float) -> None:
        """Mehrotra's centring, by how much of the gap the predictor leaves."""
        common = self.common
        after = self.measures.gap(self.measures.largest_share(1.0)) / gap
        centring = (after * after) * (after * gap)
        common.target[0] = centring if centring > self.small else self.small
        common.second[0] = 1.0
        if product > path.ASIDE * gap:  # far from the central path the way is back to it, not along it
            common.target[0] = max(path.RECENTRE * product, common.target[0])
            common.second[0] = 0.0

    def _centre_at_end(self) -> None:
        """The centring next to the end: no predictor is needed to find it."""
        self.common.target[0] = self.small
        self.common.second[0] = 0.0

    def _centre_by_factor(self, gap: float) -> None:
        """The centring of the papers' method: it falls by a fixed factor."""
        fallen = path.FALLING * gap
        self.common.target[0] = fallen if fallen > self.small else self.small
        self.common.second[0] = 0.0

    def _aim(self) -> None:
        """The right-hand side that aims at the present centring."""
        self.run("right_hand_side_exact" if self.exact else "right_hand_side")

    # --- the line search ----------------------------------------------------------------------------------------------
    def _search_line(self, product: float) -> SolverStatus:
        """As much of the increment as stays inside the cones, halved until it is accepted; how it ends if none is."""
        common, before, halvings = self.common, self.merit, 0
        common.length[0] = self._length_inside()
        self.run("advance")
        if self.rest:
            self.run("rest")
        self.merit = self._merit()
        if self.fixed > 0 and not isfinite(self.merit):
            return SolverStatus.DOMAIN if self.solver.measures.largest_turn() >= DOMAIN else SolverStatus.NOT_FINITE
        while not self.rest and self.fixed == 0 and not self._is_accepted(before, product):
            if halvings == path.INNER_HALVINGS:
                return SolverStatus.LINE_SEARCH
            halvings += 1
            common.length[0] = 0.5 * common.length[0]
            self.run("shorten_step")
            self.merit = self._merit()
        self.slow = self.slow + 1 if self.merit > SLOW * before else 0
        return SolverStatus.OK

    def _length_inside(self) -> float:
        """How much of the increment stays inside the cones, with a distance from their boundary."""
        # products fall by no more than an increment's distance from the boundary: exact ones may end next to it
        near = self.exact and self.how.predict
        most = 1.0 - path.BESIDE_BOUNDARY["double"] if near else self.how.boundary
        share = self.measures.largest_share(1.0 / most)
        return most * share if share < 1.0 / most else 1.0

    def _is_accepted(self, before: float, product: float) -> bool:
        """Whether so much of an increment is taken: merit or products have fallen, or nothing is left to fall."""
        solver, length = self.solver, self.common.length[0]
        share = 1.0 - FALL * length
        return isfinite(self.merit) and (
            self.merit <= share * before
            or self.measures.largest_product() <= share * product
            or self._within_reach()
            or length * solver.measures.largest_change() <= solver.options.tolerance
        )

    def _is_next_exact(self, gap: float) -> bool:
        """Whether the next increment takes the equations as they are: near the end, while increments are long."""
        if not self.exact:
            return gap < path.NEAR * self.fall and self.common.length[0] > path.LONG
        return not self.common.length[0] < path.SHORT

    def _merit(self) -> float:
        """The merit of bodies and contacts at the velocities as they stand; infinite where it has none."""
        solver = self.solver
        if not solver.measures.largest_turn() < DOMAIN:
            return inf
        solver.run("evaluate")
        return self._merit_under_impulses()

    def _merit_under_impulses(self) -> float:
        """Adds impulses of contacts to the residual of bodies; returns the merit, infinite where it has none."""
        solver = self.solver
        solver.run("apply_impulse")
        solver.common.merit[0] = 0.0
        solver.run("merit")
        return solver.common.merit[0] if isfinite(solver.common.merit[0]) else inf
