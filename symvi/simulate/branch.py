"""Steps of the reference back end beside singular positions, in the words of templates/c/branch.c.jinja.

Where loops lose a row's direction, branches of the motion meet: bars in one line may go on as a parallelogram or fold.
The equations of a step that ends there have a root on every branch, as near to each other as the second knot is to that
position, and closed all of them; Newton's method may take any. Two facts tell which is right, and find it:

- Velocities of a step are nearly tangent to the constraints at its knots, where the motion goes on smoothly: they are
  apart from their projections by what the way bends in half a step. On another branch some bodies would stop at once.
- Steps that are driven a little less and a little more end aside, where roots lie apart and the extrapolated start is
  near the right one. Their velocities and impulses depend smoothly on the drive, through the singular position too.

The first one bounds the energy as well. In the metric of the masses a step's kinetic energy is that of a knot, and n
more: of what its velocities have that is not tangent there. The steps before and after a knot have n0 and n1 at it, so
the impulses of joints do the work n1 - n0, which is all that they change the energy by. These are of second order, as
ways bend by an angle of first order in a step; where two branches are near, they bend sharply. A step departs too far
if it is on another branch, or too long to follow its own. On the way there n grows from step to step, ever faster.

A chain that whips bends sharply too, far from any such position. There n0 is lost if n1 is next to nothing, and nobody
gives it back. Steps are looked at whose velocities are far from where their last change led. Motions that steps resolve
depart by as much, but evenly, or by less.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from symvi.numbers.control import (
    APART,
    BENT,
    BESIDE,
    DOMAIN,
    GUARD,
    IDLE,
    LOST,
    SHARP,
    SLIGHT,
    SPLAYED,
    STILL,
    UNEVEN,
    WEAK,
    SolverStatus,
)
from symvi.simulate.bends import Bends
from symvi.simulate.motion_before import is_length

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
        self.bends = Bends(solver)
        self.aims, self.led = self.bends.aims, self.bends.led

    def keep(self, found: SolverStatus) -> SolverStatus:
        """How a step ends whose first solution ended so: looked at beside singular positions, and where ways splay."""
        weak = self._is_weak(BENT * self.solver.measures.largest_turn())
        if self.solver.iterations > 0 and (weak or (found == SolverStatus.OK and self._is_splayed())):
            self.bends.targets = [given[0] for given, _ in self.aims]
            return self._keep(found, weak)
        return found

    def keep_idle(self, found: SolverStatus) -> SolverStatus:
        """The same where there are contacts, limits or dry friction, if none of them acts; not solved again."""
        if found in SOLVED and self._is_weak(BENT * self.solver.measures.largest_turn()) and self._are_idle():
            self.bends.targets = [given[0] for given, _ in self.aims]
            if not self.goes_on(found, self._is_weak(WEAK * self.solver.measures.largest_turn())):
                return SolverStatus.JUMP
        return found

    def _are_idle(self) -> bool:
        """Whether contacts, limits and dry friction press by next to nothing; what they do, they do at once."""
        solver, common = self.solver, self.solver.memory.parameters["common"][0]
        small = IDLE * (common.mass[0] * (common.acceleration[0] * solver.common.step[0]))
        nodes = solver.interior.nodes if solver.interior else ()
        return all(abs(value) <= small for node in nodes for value in node.impulse)

    def _keep(self, found: SolverStatus, weak: bool) -> SolverStatus:
        """Where other branches are near, the step is solved again if it does not go on; else it is too long."""
        near = self._is_weak(WEAK * self.solver.measures.largest_turn())
        if found not in SOLVED and not near:
            return found
        if found in SOLVED and not (near and self._is_weak(LOST)) and self.goes_on(found, near, weak):
            return found
        if not near:
            return SolverStatus.JUMP
        status = self._again()
        return status if status < 0 or self.goes_on(status, near, weak) else SolverStatus.JUMP

    def _again(self) -> SolverStatus:
        """The step from velocities and impulses between those that end aside; if need be, from its own start."""
        solver = self.solver
        status = self._between()
        iterations = solver.iterations
        if status in SOLVED:
            merit = solver.measures.merit()
            if isfinite(merit) and solver.measures.within(STILL * solver.options.tolerance):
                return SolverStatus.OK
            status = solver.newton.iterate(merit)
            iterations += solver.iterations
        if status not in SOLVED:
            status = solver.newton.carry_on()
            iterations += solver.iterations
        solver.iterations = iterations
        return status

    def _is_weak(self, share: float) -> bool:
        """Whether a loop has nearly lost a row: a pivot below a share of the row's scale, which its guard tells."""
        for record, guard in self.guarded:
            for k, number in enumerate(guard):
                if not abs(share * (record.D[k * len(guard) + k] * number)) <= GUARD:
                    return True
        return False

    def _is_splayed(self) -> bool:
        """Whether the velocities are far from where their last change led: ways bend unevenly, wherever that is."""
        solver, common = self.solver, self.solver.common
        least = solver.motion_before.squares_at_rest()
        compared = not solver.drivers and solver.motion_before.is_compared(least)
        return compared and not common.missed[0] <= SPLAYED * common.moved[0]

    def _drive(self, impulse: float, share: float) -> None:
        """A share of what drives the step enters: of the old momenta, and of the way that drivers are to go."""
        for (target, reached), given in zip(self.aims, self.bends.targets, strict=True):
            target[0] = given if share == 1.0 else reached[0] + share * (given - reached[0])
        self.solver.switches(impulse, share, self.solver.common.inverse[0])
        self.solver.run("prepare")

    def goes_on(self, status: SolverStatus, near: bool, weak: bool = True) -> bool:
        """Whether a step departs by little from its knots, and from the first one about as the step before it did.

        Where nothing drives, the residual is the momentum of the step less the impulses of joints, and velocities less
        what solves it are the projection at the second knot. It is looked at where other branches are near, or joints
        do work at the first knot; not where loops have lost a row there, as a singular step's have. Where no pivot is
        weak, at the solution neither, more may depart.
        """
        solver = self.solver
        impulse, turn = solver.common.impulse[0], solver.measures.largest_turn()
        bends = self.bends.of_step() if self.led else None
        self._drive(0.0, 0.0)
        solver.run("evaluate")
        kinetic, apart, sharp = self.bends.kinetic(), 0.0, not weak
        after, before = bends or self.bends.of_all()
        work = after - before
        if status in SOLVED and (near or sharp or work > (0.5 * SLIGHT) * kinetic):
            apart = self._apart(kinetic)
            sharp = sharp and not self._is_weak(BENT * turn)
        self._drive(impulse, 1.0)
        solver.run("evaluate")
        if solver.interior:
            solver.run("apply_impulse")
        if not sharp and (not work <= APART * kinetic or not apart <= APART * kinetic):
            return False
        bend = after + before
        if not sharp and not apart <= bend:
            bend = apart
        started = not is_length(solver, solver.memory.state["common"][0].before[0])
        return started or apart <= (SHARP if sharp else SLIGHT) * kinetic or work <= self._unevenness() * bend

    def _unevenness(self) -> float:
        """The work of joints at a knot as a share of (√n0 + √n1)² that is allowed.

        Inner steps have some where ways bend evenly, as their lengths differ; the rest is for lengths without signs.
        """
        if not self.solver.shares:
            return UNEVEN
        before, step = self.solver.memory.state["common"][0].before[0], self.solver.common.step[0]
        both = before + step
        whole = (abs(before) + abs(step)) / both
        return (step - before) / both + UNEVEN * (whole * whole)

    def jumps(self) -> bool:
        """Whether joints change the energy by more than the order of the step explains, among contacts.

        Contacts only take from it, and joints do no work. The share of the larger kinetic energy counts, of the step
        and of the one before, as an impact may end all motion; and what the weight would give in a step, as at rest
        impulses of joints are round-off of much more.
        """
        solver, kinetic = self.solver, 0.0
        numbers = solver.memory.parameters["common"][0]
        fall = numbers.acceleration[0] * numbers.h[0]
        slight = numbers.mass[0] * (fall * fall)
        for state in solver.memory.state["body"]:
            for k in range(3):
                kinetic = kinetic + (state.p[k] * state.v[k] + state.l[k] * state.w[k])
        self.bends.targets = [given[0] for given, _ in self.aims]
        after, before = self.bends.of_step()
        work, now = after - before, self.bends.kinetic()
        return not work <= APART * ((now if now > kinetic else kinetic) + slight)

    def _apart(self, kinetic: float) -> float:
        """Twice the kinetic energy of what the velocities lack of their projection at the second knot."""
        solver = self.solver
        for phase in (*(("release",) if solver.interior else ()), "linearize", "eliminate", "substitute"):
            solver.run(phase)
        if self.led:
            solver.common.kinetic[0] = 0.0
            solver.run("depart")
            return solver.common.kinetic[0]
        solver.common.length[0] = 1.0
        solver.run("advance")
        if solver.measures.largest_turn() < DOMAIN:
            solver.run("evaluate")
            kinetic = self.bends.kinetic()
        solver.common.length[0] = 0.0
        solver.run("shorten_step")
        return kinetic

    def _between(self) -> SolverStatus:
        """Velocities and impulses between those of steps that are driven a little less and a little more.

        Each of them starts from the one before, which ends further aside.
        """
        solver = self.solver
        impulse, iterations, status = solver.common.impulse[0], solver.iterations, SolverStatus.OK
        if self.led:
            unknowns = [record.u for record in solver.solved]
        else:
            unknowns = [values for body in solver.bodies for values in (body.v, body.w)]
        unknowns += [record.y for record in solver.rows if hasattr(record, "f")]
        sums = [[0.0] * len(values) for values in unknowns]
        for m, (share, weight) in enumerate(BESIDE):
            if status not in SOLVED:
                break
            self._drive(impulse, share)
            if m % (len(BESIDE) // 2) == 0:
                solver.newton.begin(solver.motion_before.against_last() if solver.options.extrapolate else 0.0)
                self._scale(share)
            else:
                self._scale(share / BESIDE[m - 1][0])
            status = solver.newton.iterate(solver.measures.merit())
            iterations += solver.iterations
            for total, values in zip(sums, unknowns, strict=True):
                total[:] = [x + weight * y for x, y in zip(total, values, strict=True)]
        self._drive(impulse, 1.0)
        solver.iterations = iterations
        if status in SOLVED:
            for total, values in zip(sums, unknowns, strict=True):
                values[:] = total
            self._move() if self.led else self._measure_turns()
        return status

    def _scale(self, ratio: float) -> None:
        if self.led:
            for record in self.solver.solved:
                record.u[:] = [ratio * x for x in record.u]
            self._move()
            return
        for body in self.solver.bodies:
            for values in (body.v, body.w):
                values[:] = [ratio * x for x in values]
        self._measure_turns()

    def _move(self) -> None:
        """Bodies go where joints lead them at these rates: as at no share of an increment from there."""
        solver = self.solver
        for record in solver.solved:
            record.base[:] = record.u
        for record in solver.rows:
            if hasattr(record, "base") and hasattr(record, "f"):  # not of joints of the tree, whose base is of rates
                record.base[:] = record.y
        solver.common.length[0] = 0.0
        solver.run("shorten_step")

    def _measure_turns(self) -> None:
        half = self.solver.common.half[0]
        for body in self.solver.bodies:
            body.turn[0] = 0.0
            for k in range(3):
                body.turn[0] = body.turn[0] + (half * body.w[k]) * (half * body.w[k])
