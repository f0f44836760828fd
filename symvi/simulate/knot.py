"""Knots of the reference back end, where motions start and are read.

In the words of templates/c/step.c.jinja (starts), readings.c.jinja, observe.c.jinja and account.c.jinja.
"""

from __future__ import annotations

from copy import deepcopy
from math import isfinite
from typing import TYPE_CHECKING

from symvi.numbers.control import PARTS, Beginning
from symvi.simulate.reference_memory import restore
from symvi.simulate.stepper import halvings_of

if TYPE_CHECKING:
    from symvi.simulate.reference import ReferenceSolver


class Knot:
    """The knot that one reference solver is at: its velocities, and what there is to read."""

    def __init__(self, solver: ReferenceSolver):
        self.solver = solver
        self.run, self.memory, self.common, self.bodies = solver.run, solver.memory, solver.common, solver.bodies

    def start(self, knot: int = Beginning.KNOT) -> float:
        """Momenta of a start, from placements and velocities in the state; returns the largest change by projection.

        knot: what those velocities are (Beginning). Whether a motion can start here, which C returns as well, is told
        by `Placing.standing`.
        """
        self.solver.set_up()
        self.solver.switches(0.0, 1.0, 0.0)
        self.run("prepare")
        state = self.memory.state["common"][0]
        if self.solver.loops:
            state.singular[0] = 0.0
        state.level[0] = 0.0
        h = self.memory.parameters["common"][0].h[0]
        state.before[0] = state.earlier[0] = h if knot == Beginning.CHORD else 0.0
        if self.solver.bends:
            state.earliest[0] = state.before[0]
        self.run("choose_rule")
        if knot == Beginning.CHORD:
            self.run("start_momenta_of_chord")
            return 0.0
        self.run("start_momenta")
        self._knot_velocities(0.0, False)
        largest = self._take_velocities()
        if knot == Beginning.TURN:  # what turns at these rates has less momentum than they have; joints join that too
            self.run("start_momenta_of_turn")
            self._knot_velocities(0.0, False)
            self._take_velocities()
        self.run("start_momenta")
        return largest

    def _take_velocities(self) -> float:
        """Velocities of the knot as they were solved for; returns the largest change of one."""
        largest = 0.0
        for work, state in zip(self.bodies, self.memory.state["body"], strict=True):
            for k in range(3):
                for name in ("v", "w"):
                    new, old = getattr(work, name), getattr(state, name)
                    size = abs(new[k] - old[k])
                    if not size <= largest and isfinite(largest):
                        largest = size
                    old[k] = new[k]
        return largest

    def _knot_velocities(self, time: float, pressed: bool) -> None:
        """Solve for the velocities of the knot: the residual at rest is linear in them.

        time: forces at the knot act so long before it; pressed: so does what the step that was solved last has there.
        """
        halvings = halvings_of(self.memory.state["common"][0].level[0], len(PARTS) - 1)
        whole = pressed and bool(self.solver.program.phases["answer"]) and not self.common.parts[0] > 1.0
        if whole:
            self.solver.stepper.let_rest()
        if not whole or halvings > 0:  # else the knot has been prepared, at rest and without slopes of laws
            self.solver.set_up(halvings)
            self.solver.switches(time, 1.0, 0.0)
            self.run("prepare")
        for phase in ("rest", "evaluate", *(("push",) if pressed else ()), "release", "linearize"):
            self.run(phase)
        for phase in ("eliminate", "substitute", "take_velocity"):
            self.run(phase)

    def time_before(self) -> float:
        """How long forces at a knot act before it: a start has its knot's momenta; after a step, its half of them is
        still to come."""
        return 0.5 * self.memory.state["common"][0].before[0]

    def foresee(self) -> bool:
        """Take the step from a knot and go back, targets going on as they went; whether it can be taken."""
        h = self.memory.parameters["common"][0].h[0]
        here, inputs = deepcopy(self.memory.state), deepcopy(self.memory.input)
        for target, reached in self.solver.drivers:
            target[0] = reached.target[0] + h * (2.0 * reached.rate[0] - reached.rate_before[0])
        for given, reached in self.solver.servos:
            given.target[0] = reached.target[0] + h * reached.target_rate[0]
            given.target_rate[0] = reached.target_rate[0]
        solved = self.solver.is_step() and self.solver.stepper.step_once() >= 0
        restore(self.memory.state, here)
        restore(self.memory.input, inputs)
        return solved

    def see(self) -> None:
        """Velocities of the knot as it stands, in the work memory."""
        time = self.time_before()
        self._knot_velocities(time, self.solver.foreseen and time > 0.0 and self.foresee())

    def see_behind(self, solved: bool) -> None:
        """Velocities of the knot from where a step was solved, or was not: the state is as it was there."""
        time = self.time_before()
        self._knot_velocities(time, self.solver.foreseen and time > 0.0 and solved)

    def seen(self) -> dict[str, object]:
        """A knot at the velocities that the work memory holds: placements, energies, momenta, closure."""
        common, states = self.common, self.memory.state["body"]
        common.kinetic[0] = common.potential[0] = common.scatter[0] = common.swerve[0] = 0.0
        common.momentum[:] = common.angular_momentum[:] = [0.0] * 3
        self.run("energy")
        self.run("scatter")
        frame: dict[str, object] = {
            "x": [list(body.x) for body in states],
            "q": [list(body.q) for body in states],
            "v": [list(body.v) for body in self.bodies],
            "w": [list(body.w) for body in self.bodies],
            "scatter": common.scatter[0],
            "swerve": common.swerve[0],
            "kinetic": common.kinetic[0],
            "potential": common.potential[0],
            "momentum": list(common.momentum),
            "angular_momentum": list(common.angular_momentum),
        }
        if self.solver.watched:
            self.run("watch")
        self.run("inspect")
        return frame | {"closure": self.solver.measures.closure()}

    def misread(self, after: list[list[list[float]]]) -> float:
        """How far the energy of a knot that was seen is from that of both steps around it. after: (v, w) of bodies."""
        self.common.misread[0] = 0.0
        for body, (v, w) in zip(self.bodies, after, strict=True):
            body.seen[:] = [*body.v, *body.w]
            body.v[:], body.w[:] = v, w
        self.run("reread")
        return self.common.misread[0]
