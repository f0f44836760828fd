"""Steps of the reference back end beside singular positions, in the words of templates/c/branch.c.jinja.

Where loops lose a row's direction, branches of the motion meet: bars in one line may go on as a parallelogram or fold.
The equations of a step that ends there have a root on every branch, as near to each other as the second knot is to that
position, and closed all of them; Newton's method may take any. Two facts tell which is right, and find it:

- Velocities of a step are nearly tangent to the constraints at its second knot, where the motion goes on smoothly: they
  are apart from their projection by the turn of a step. On another branch some bodies would stop at once.
- Steps that are driven a little less and a little more end aside, where roots lie apart and the extrapolated start is
  near the right one. Their velocities and impulses depend smoothly on the drive, through the singular position too.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from symvi.program.control import APART, BESIDE, GUARD, LOST, STILL, WEAK, SolverStatus

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
        self.drivers = [(target, reached.target) for target, reached in solver.drivers]
        self.targets: list[float] = []

    def keep(self, found: SolverStatus) -> SolverStatus:
        """How a step ends whose first solution ended so: it is looked at again beside a singular position."""
        if self.solver.iterations > 0 and self._is_weak(WEAK * self.solver._turn()):
            self.targets = [given[0] for given, _ in self.drivers]
            return self._keep(found)
        return found

    def _keep(self, found: SolverStatus) -> SolverStatus:
        solver = self.solver
        if found in SOLVED and not self._is_weak(LOST) and self.departure() <= APART:
            return found
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
        before = solver.memory.state["common"][0].singular[0]
        if status in SOLVED and before <= 0.0 and not self.departure() <= APART:
            status = SolverStatus.SINGULAR_STEP
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
        for (target, reached), given in zip(self.drivers, self.targets, strict=True):
            target[0] = given if share == 1.0 else reached[0] + share * (given - reached[0])
        self.solver.switches(impulse, share, self.solver.common.inverse[0])
        self.solver.run("prepare")

    def departure(self) -> float:
        """How far the velocities are from any that keep the loops closed at the second knot, as a share of the largest.

        Where nothing drives, the residual is the momentum of the step itself, and what solves it is its projection.
        """
        solver = self.solver
        impulse = solver.common.impulse[0]
        self._drive(0.0, 0.0)
        for phase in ("evaluate", "linearize", "eliminate", "substitute"):
            solver.run(phase)
        largest = apart = 0.0
        for body in solver.bodies:
            for k in range(3):
                largest = max(largest, abs(body.v[k]), abs(body.w[k]))
                apart = max(apart, abs(body.s[k] - body.v[k]), abs(body.s[k + 3] - body.w[k]))
        self._drive(impulse, 1.0)
        return apart / largest if largest > 0.0 else 0.0

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
                solver.common.length[0] = solver.against_last() if solver.options.extrapolate else 0.0
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
