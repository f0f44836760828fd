"""Steps of the reference back end, whole or in parts, in the words of templates/c/step.c.jinja."""

from __future__ import annotations

from copy import deepcopy
from math import inf
from typing import TYPE_CHECKING

from symvi.numbers.control import KEPT, MENDED, PARTS, ROUGH, SMOOTHER, SolverStatus
from symvi.numbers.path import HOLDING
from symvi.simulate.reference_memory import Memory, restore

if TYPE_CHECKING:
    from symvi.simulate.reference import ReferenceSolver
    from symvi.simulate.rule_newton import RuleNewton


def halvings_of(level: float, most: int) -> int:
    """How often a step is halved at a level, at most so often."""
    halvings = 0
    while halvings < most and level > float(halvings) + 1.0:
        halvings += 1
    return halvings


def level_after(level: float, rough: float) -> float:
    """The level of the next step after one that was solved in parts so small.

    Finer ones are kept while those twice as long would be rough.
    """
    if 16.0 * rough > ROUGH:
        return level
    return level - KEPT if level - KEPT > 1.0 else 1.0


class Beginnings:
    """The state where a step begins, and the account where one is kept."""

    def __init__(self, memory: Memory, accounted: bool):
        self.memory, self.accounted = memory, accounted
        self.state, self.account = deepcopy(memory.state), deepcopy(memory.account) if accounted else {}

    def restore(self) -> None:
        restore(self.memory.state, self.state)
        restore(self.memory.account, self.account)


class Stepper:
    """Takes the steps of one reference solver."""

    def __init__(self, solver: ReferenceSolver):
        self.solver = solver
        self.run, self.memory, self.common = solver.run, solver.memory, solver.common

    def step_once(self, accounted: bool = False) -> SolverStatus:
        """One step; of one that failed there are no forces, and the state is as it was."""
        self.solver.iterations = self.solver.retries = self.solver.substeps = 0
        if not self.solver.placing.all_finite():
            status = SolverStatus.NOT_FINITE
        elif not self.solver.are_units():
            status = SolverStatus.NOT_UNIT
        else:
            first = Beginnings(self.memory, accounted)
            status = self._take_finer(first)
            if status < 0:
                first.restore()
        if status < 0:
            self.solver.switches(0.0, 0.0, 0.0)
        return status

    def _take_finer(self, first: Beginnings) -> SolverStatus:
        """A step in parts, as many as its level says, and in twice as many while it fails or while parts are rough.

        Roughness counts in a motion of which a step has failed before. If none are fine enough, the last ones that were
        solved are taken. Where halving makes nothing smoother, as in an impact, it ends, and the next step is halved no
        more than this one was before. first: the state, and the account, where the step begins.
        """
        options, state = self.solver.options, self.memory.state["common"][0]
        # inputs of inner steps are those of a whole step
        most = 0 if options.fixed_iterations > 0 or self.solver.inner else PARTS.index(options.substeps)
        level = state.level[0]
        halvings, solved = halvings_of(level, most), -1
        status = self._take_parts(halvings, first.accounted)
        while (status in MENDED or (status >= 0 and self.common.rough[0] > ROUGH)) and halvings < most:
            before = self.common.rough[0] if status >= 0 else 0.0
            solved = halvings if status >= 0 else solved
            halvings += 1
            level = float(halvings) + 1.0
            first.restore()
            state.level[0] = level
            status = self._take_parts(halvings, first.accounted)
            if status >= 0 and before > 0.0 and not self.common.rough[0] < SMOOTHER * before:
                level, self.common.rough[0] = level - 1.0, 0.0
        if status < 0 <= solved:
            first.restore()
            status = self._take_parts(solved, first.accounted)
        state.level[0] = level_after(level, self.common.rough[0]) if most > 0 and level > 0.0 else 0.0
        return status

    def _take_parts(self, halvings: int, accounted: bool) -> SolverStatus:
        """One step in equal parts, as many as halvings make: inputs are held, drivers go at an even rate.

        Those of a composition are taken in its inner steps. If a part fails, the state is left there.
        """
        self.solver.substeps = PARTS[halvings]
        self.solver.set_up(halvings)
        shares, ends = self.solver.shares, self.solver.ends
        parts, inner = self.solver.substeps * len(ends), len(ends)
        self.common.parts[0], self.common.elapsed[0], self.common.rough[0] = float(parts), 0.0, 0.0
        if parts > 1 or shares:
            self.run("reset")
        ways = [(target, reached[0], target[0]) for target, reached in self.solver.targets]
        status, iterations, retries = SolverStatus.OK, self.solver.iterations, self.solver.retries
        for n in range(1, parts + 1):
            part, number = divmod(n - 1, inner)
            if shares:
                self.solver.set_up(halvings, shares[number])
            if self.solver.inner:
                self.solver.inner[number]()
            share = (float(part) + ends[number]) / float(self.solver.substeps)
            for target, start, end in [] if self.solver.inner else ways:
                target[0] = start + share * (end - start) if n < parts else end
            self.solver.iterations = self.solver.retries = 0
            now = self._take(n == parts, accounted)
            iterations, retries = iterations + self.solver.iterations, retries + self.solver.retries
            status = now if now < 0 or now > status else status
            if status < 0:
                break
        if self.solver.inner:
            self.solver.inner[0]()
        for target, _, end in [] if self.solver.inner else ways:
            target[0] = end
        self.solver.iterations, self.solver.retries = iterations, retries
        return status

    def _take(self, last: bool, accounted: bool) -> SolverStatus:
        """One step of the length that is set up; the work memory holds it afterwards, even if it failed.

        Forces at a knot act for half of the step before it and half of the one after it.
        """
        parameters, state = self.memory.parameters["common"][0], self.memory.state["common"][0]
        self.solver.switches(0.5 * (state.before[0] + self.common.step[0]), 1.0, self.common.inverse[0])
        self.run("prepare")
        if not self.solver.rule and not all(-1.0 < value < 1.0 for lag in self.solver.lags for value in lag):
            return SolverStatus.OVERDAMPED
        if self.solver.watched:
            self.run("watch")
            if not self.solver.measures.opening() <= parameters.limit[0]:
                return SolverStatus.LOOP_OPEN
        if self.solver.rule:
            return self._take_by_rule(self.solver.rule, accounted)
        status = self._solve()
        if status == SolverStatus.SINGULAR_STEP and state.singular[0] > 0.0:
            status = SolverStatus.LOOP_STALLED
        if status < 0:
            return status
        if accounted:
            self.run("account")
            self.solver.accounts.note_step()
        if not self.solver.shares:
            self._roughen()
        self._arrive(last)
        if self.solver.loops:
            state.singular[0] = 1.0 if status == SolverStatus.SINGULAR_STEP else 0.0
        return status

    def _take_by_rule(self, rule: RuleNewton, accounted: bool) -> SolverStatus:
        """One step by a quadrature rule: the knot that it leads to has its momenta whole, as a start has."""
        solver, state = self.solver, self.memory.state["common"][0]
        status = rule.solve()
        if status < 0:
            return status
        if accounted:
            self.run("evaluate")
            self.run("account")
            solver.accounts.note_step()
        self.run("finish")
        self.run("hand_on_rule")
        self.run("choose_rule")
        solver.switches(0.0, 0.0, 0.0)  # no forces of joints are known
        state.before[0] = state.earlier[0] = state.earliest[0] = 0.0
        if solver.loops and not rule.keeps_on(last=True):
            return SolverStatus.JUMP
        return status

    def _solve(self) -> SolverStatus:
        """Velocities and impulses of the step, with contacts, limits and dry friction or without."""
        solver = self.solver
        if not solver.interior:
            return solver.newton.solve()
        status = solver.interior.solve()
        if solver.branch and solver.options.fixed_iterations == 0:
            status = solver.branch.keep_idle(status)
        solver.iterations, solver.retries = solver.interior.iterations, solver.interior.retries
        return status

    def _arrive(self, last: bool) -> None:
        """The second knot of a step that was solved. last: of the parts that the caller's step is taken in."""
        state = self.memory.state["common"][0]
        if not self.common.elapsed[0] > 0.0:  # at the knot itself, what the first part does acts
            self.run("spread")
            # of a step that is taken whole this waits until its forces are read
            if self.solver.program.phases["answer"] and state.before[0] > 0.0 and self.common.parts[0] > 1.0:
                both = self.common.impulse[0]
                self.let_rest()
                self._resume_step(both)
        self.common.elapsed[0] = self.common.elapsed[0] + self.common.impulse[0]
        if self.common.parts[0] > 1.0:
            self.run("react")
            self.run("gather")
        if last:
            self.run("arrive")
        self.run("finish")
        if self.solver.bends:
            state.earliest[0] = state.earlier[0]
        state.earlier[0] = state.before[0]
        state.before[0] = self.common.step[0]

    def let_rest(self) -> None:
        """Let what contacts, limits and dry friction hold still in both steps around a knot be at rest there too.

        Laws may change from one to the other: what the momenta of knot and steps differ by, and what is done against it
        in a step that is solved. The work memory is left as the velocities of the knot need it; the state is where the
        step began.
        """
        common, before = self.common, 0.5 * self.memory.state["common"][0].before[0]
        both = common.impulse[0]
        common.length[0], common.impulse[0] = before / both, before
        for phase in ("differ", "push", "keep"):
            self.run(phase)
        common.length[0] = 0.0
        self.run("advance")
        # from here on as velocities of a knot are solved for, at rest and without slopes of laws
        self.solver.switches(before, 1.0, 0.0)
        for phase in ("prepare", "rest", "evaluate", "recall"):
            self.run(phase)
        common.ratio[0] = HOLDING["double"]
        for phase in ("soften", "exact", "uncouple", "linearize", "eliminate", "substitute", "answer"):
            self.run(phase)

    def _resume_step(self, both: float) -> None:
        """Back to the step that is solved, whose work memory was used to let things rest."""
        self.solver.switches(both, 1.0, self.common.inverse[0])
        for phase in ("prepare", "shorten_step", "evaluate", "apply_impulse"):
            self.run(phase)

    def _roughen(self) -> None:
        """Once a step has failed: what the velocities of this one miss of where their last change led.

        Where parts resolve the motion, that is of second order, and its square, which is measured, of fourth. Of a step
        in parts its first tells nothing: inputs may jump at the knot where it begins, and what they do there halvings
        do not lessen.
        """
        common = self.common
        failed = self.memory.state["common"][0].level[0] > 0.0
        tells = common.elapsed[0] > 0.0 or not common.parts[0] > 1.0
        motion = self.solver.motion_before
        compared = failed and tells and motion.is_compared(motion.squares_at_rest())
        if compared and common.missed[0] > common.rough[0] * common.moved[0]:
            common.rough[0] = common.missed[0] / common.moved[0] if common.moved[0] > 0.0 else inf
