"""Steps of the reference back end beside singular positions, in the words of templates/c/branch.c.jinja.

Where loops lose a row's direction, branches of the motion meet: bars in one line may go on as a parallelogram or fold.
The equations of a step that ends there have a root on every branch, as near to each other as the second knot is to that
position, and closed all of them; Newton's method may take any. Two facts tell which is right, and find it:

- Velocities of a step are nearly tangent to the constraints at its knots, where the motion goes on smoothly: they are
  apart from their projections by what the way bends in half a step. On another branch some bodies would stop at once.
- Steps that are driven a little less and a little more end aside, where roots lie apart and the extrapolated start is
  near the right one. Their velocities and impulses depend smoothly on the drive, through the singular position too.

The first one bounds the energy as well. In the metric of the masses, projections leave out the energies of what they
leave out: a step's kinetic energy is that of the knot, and n1 more, of its departure from what is tangent there. So does
the step before it, by n0; hence the impulses of joints at this knot do the work n1 - n0, which is all that a step
changes the energy of the motion by (tests/simulate/test_jumps.py). Both are of second order, but grow beside singular
positions, where ways bend sharply. A step that is not on the branch, or too long to follow it, has a large n at either
knot: it is refused.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from symvi.program.control import APART, BESIDE, DOMAIN, GUARD, LOST, STILL, WEAK, SolverStatus

if TYPE_CHECKING:
    from symvi.simulate.reference import ReferenceSolver

SOLVED = (SolverStatus.OK, SolverStatus.ROUND_OFF)


class Branch:
    """Keeps the steps of one reference solver on the branch that its motion is on."""

    def __init__(self, solver: ReferenceSolver):
        self.solver = solver
        memory = solver.memory
        self.guarded = [
            (memory.work[kind][k], record.guard)
            for kind, records in memory.parameters.items()
            for k, record in enumerate(records)
            if hasattr(record, "guard")
        ]
        self.drivers = [
            (record.target, memory.state[kind][k], memory.work[kind][k].y)
            for kind, records in memory.input.items()
            for k, record in enumerate(records)
            if hasattr(memory.state[kind][k], "rate_before")
        ]
        self.targets: list[float] = []

    def keep(self, found: SolverStatus) -> SolverStatus:
        """How a step ends whose first solution ended so: it is looked at again beside a singular position."""
        if self.solver.iterations > 0 and self._is_weak(WEAK * self.solver._turn()):
            self.targets = [given[0] for given, _, _ in self.drivers]
            return self._keep(found)
        return found

    def _keep(self, found: SolverStatus) -> SolverStatus:
        if found in SOLVED and not self._is_weak(LOST) and self.departure() <= APART:
            return found
        status = self._again()
        if status >= 0 and not self.departure(status in SOLVED) <= APART:
            return SolverStatus.JUMP
        return status

    def _again(self) -> SolverStatus:
        """The step from velocities and impulses between those that end aside; if need be, from its own start."""
        solver = self.solver
        status = self._between()
        iterations = solver.iterations
        if status in SOLVED:
            merit = solver.merit()
            if isfinite(merit) and solver.within(STILL * solver.options.tolerance):
                return SolverStatus.OK
            status = solver.iterate(merit)
            iterations += solver.iterations
        if status not in SOLVED:
            status = solver.carry_on()
            iterations += solver.iterations
        solver.iterations = iterations
        return status

    def _is_weak(self, share: float) -> bool:
        """Whether a loop has nearly lost a row: a pivot below a share of the row's scale, which its guard tells."""
        for record, guard in self.guarded:
            for k, number in enumerate(guard):
                if not abs(share * (record.d[k * len(guard) + k] * number)) <= GUARD:
                    return True
        return False

    def _drive(self, impulse: float, share: float) -> None:
        """A share of what drives the step enters: of the old momenta, and of the way that drivers are to go."""
        for (target, state, _), given in zip(self.drivers, self.targets, strict=True):
            reached = state.target[0]
            target[0] = given if share == 1.0 else reached + share * (given - reached)
        self.solver.switches(impulse, share, self.solver.common.inverse[0])
        self.solver.run("prepare")

    def departure(self, both: bool = True) -> float:
        """What a step departs by at its knots, as a share of its kinetic energy: n1 - n0, or n at the second knot.

        Where nothing drives, the residual is the momentum of the step less the impulses of joints, and velocities less
        what solves it are apart from their projection by so much. Work that drivers do is not counted. both: at the
        second knot as well, which needs loops that have not lost a row at the first one.
        """
        solver = self.solver
        impulse = solver.common.impulse[0]
        self._drive(0.0, 0.0)
        solver.run("evaluate")
        kinetic, larger = self._kinetic(), self._work()
        if both:
            for phase in ("linearize", "eliminate", "substitute"):
                solver.run(phase)
            solver.common.length[0] = 1.0
            solver.run("advance")
            second = kinetic
            if solver._turn() < DOMAIN:
                solver.run("evaluate")
                second = self._kinetic()
            if not second <= larger:
                larger = second
            solver.common.length[0] = 0.0
            solver.run("retreat")
        self._drive(impulse, 1.0)
        solver.run("evaluate")
        return larger / kinetic if kinetic > 0.0 else 0.0

    def _kinetic(self) -> float:
        """Twice the kinetic energy of the velocities that were evaluated."""
        total = 0.0
        for body, numbers in zip(self.solver.bodies, self.solver.memory.parameters["body"], strict=True):
            for k in range(3):
                total = total + (numbers.mass[0] * (body.v[k] * body.v[k]) + body.l[k] * body.w[k])
        return total

    def _work(self) -> float:
        """Twice the work of joints at the first knot: their impulses times the velocities of the steps on both sides."""
        memory, inverse, total = self.solver.memory, self.solver.common.inverse[0], 0.0
        for (_, state, y), given in zip(self.drivers, self.targets, strict=True):
            total = total - y[0] * (inverse * (given - state.target[0]) + state.rate_before[0])
        for body, state, numbers in zip(
            self.solver.bodies, memory.state["body"], memory.parameters["body"], strict=True
        ):
            for k in range(3):
                total = total + (numbers.mass[0] * body.v[k] - body.f[k]) * (body.v[k] + state.v[k])
                total = total + (body.l[k] - body.f[k + 3]) * (body.w[k] + state.w[k])
        return total

    def _between(self) -> SolverStatus:
        """Velocities and impulses between those of steps that are driven a little less and a little more.

        Each of them starts from the one before, which ends further aside.
        """
        solver = self.solver
        impulse, iterations, status = solver.common.impulse[0], solver.iterations, SolverStatus.OK
        unknowns = [values for body in solver.bodies for values in (body.v, body.w)]
        unknowns += [record.y for record in solver.rows if hasattr(record, "y")]
        sums = [[0.0] * len(values) for values in unknowns]
        for m, (share, weight) in enumerate(BESIDE):
            if status not in SOLVED:
                break
            self._drive(impulse, share)
            if m % (len(BESIDE) // 2) == 0:
                solver.common.length[0] = 1.0 if solver.options.extrapolate else 0.0
                solver.run("begin")
                self._scale(share)
            else:
                self._scale(share / BESIDE[m - 1][0])
            status = solver.iterate(solver.merit())
            iterations += solver.iterations
            for total, values in zip(sums, unknowns, strict=True):
                total[:] = [x + weight * y for x, y in zip(total, values, strict=True)]
        self._drive(impulse, 1.0)
        solver.iterations = iterations
        if status in SOLVED:
            for total, values in zip(sums, unknowns, strict=True):
                values[:] = total
            self._measure_turns()
        return status

    def _scale(self, ratio: float) -> None:
        for body in self.solver.bodies:
            for values in (body.v, body.w):
                values[:] = [ratio * x for x in values]
        self._measure_turns()

    def _measure_turns(self) -> None:
        half = self.solver.common.half[0]
        for body in self.solver.bodies:
            body.turn[0] = 0.0
            for k in range(3):
                body.turn[0] = body.turn[0] + (half * body.w[k]) * (half * body.w[k])
