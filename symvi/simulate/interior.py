"""The interior point of the reference back end, in the words of templates/c/interior.c.jinja and with its bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symvi.numbers import path
from symvi.numbers.control import FAR_TURN, SolverStatus
from symvi.simulate.complementarity import Complementarity
from symvi.simulate.path_attempt import PathAttempt

if TYPE_CHECKING:
    from symvi.simulate.reference import ReferenceSolver


class Interior:
    """Contacts, limits and dry friction of one reference solver, and the way through their central path."""

    def __init__(self, solver: ReferenceSolver):
        self.solver = solver
        self.measures = Complementarity(solver)
        self.pulling = [r for records in solver.memory.work.values() for r in records if hasattr(r, "load")]
        self.iterations = self.retries = 0
        self.complementarity = 0.0

    @property
    def nodes(self) -> list:
        """The records of contacts, limits and dry friction."""
        return self.measures.nodes

    def depth(self) -> float:
        """How far the worst contact or limit is beyond its bound at the knot that was prepared [m or rad]."""
        return self.measures.depth()

    def solve(self, rest: bool = False) -> SolverStatus:
        """Attempts from ever safer starts, until one gets through."""
        status = SolverStatus.NOT_CONVERGED
        papers = self.solver.options.papers_method and not rest
        attempts = (path.ATTEMPTS[path.PAPERS],) if papers else path.ATTEMPTS
        attempts = attempts[:1] if self.solver.options.fixed_iterations > 0 and not rest else attempts
        for retries, attempt in enumerate(attempts):
            self.retries = retries
            try:
                status = self._follow_path(attempt, rest)
            except (ArithmeticError, ValueError):  # where C goes on with numbers that are none
                status = SolverStatus.LINE_SEARCH
            if status >= 0:
                break
        if status in (SolverStatus.LINE_SEARCH, SolverStatus.NOT_CONVERGED):
            return self.solver.measures.failed(status)
        # contacts may throw bodies on the way; where they turn that far, another solution lies near
        if not rest and status >= 0 and not self.solver.measures.largest_turn() < FAR_TURN:
            return SolverStatus.DOMAIN
        if not rest and status >= 0 and self._is_squeezed():
            return SolverStatus.SQUEEZED
        fixed = self.solver.options.fixed_iterations > 0
        if not rest and status >= 0 and not fixed and self.solver.branch and self.solver.branch.jumps():
            return SolverStatus.JUMP
        return status

    def _follow_path(self, how: path.Attempt, rest: bool) -> SolverStatus:
        """One attempt from one start, and how far it came."""
        attempt = PathAttempt(self.solver, self.measures, how, rest)
        try:
            return attempt.follow()
        finally:
            if attempt.iterations is not None:
                self.iterations, self.complementarity = attempt.iterations, attempt.complementarity

    def _is_squeezed(self) -> bool:
        """Whether a contact is pressed by more than anything that moves or pushes.

        Where a joint holds a gap at zero, every force between them balances, and the central path leads to ever larger
        ones.
        """
        memory = self.solver.memory
        parameters = memory.parameters["common"][0]
        step = self.solver.common.step[0]
        fastest, pushed, pressed = parameters.acceleration[0] * step, 0.0, 0.0
        for state, body in zip(memory.state["body"], self.solver.bodies, strict=True):
            for k in range(3):
                fastest = max(fastest, abs(state.v[k]), abs(parameters.extent[0] * state.w[k]))
                pushed = max(pushed, abs(body.e[k]))
        for node in self.pulling:
            for force in node.phi:
                pushed = max(pushed, abs(step * force), abs((step * force) / parameters.extent[0]))
        for node in self.measures.closing:
            pressed = max(pressed, abs(node.impulse[0]))
        return pressed > path.BEYOND * (parameters.mass[0] * fastest + pushed)
