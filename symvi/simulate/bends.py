"""By how much impulses of joints bend the way at a knot, in the words of templates/c/bends.c.jinja."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symvi.simulate.reference import ReferenceSolver


def aims_of(memory) -> list[tuple[list[float], list[float]]]:
    """Inputs that the state keeps from the knot before, and what it keeps: targets of drivers and servos."""
    return [
        (given, getattr(state, name))
        for kind, records in memory.input.items()
        for record, state in zip(records, memory.state[kind], strict=True)
        for name, given in vars(record).items()
        if hasattr(state, name)
    ]


class Bends:
    """Impulses of joints times the velocities around the knot of one reference solver; see branch.py.

    targets: what inputs were given, while a share of their way is driven.
    """

    def __init__(self, solver: ReferenceSolver):
        self.solver, memory = solver, solver.memory
        self.aims = aims_of(memory)
        self.led = solver.program.notes["coordinates"] == "tree"  # joints move the bodies
        self.drivers = [
            (record.target, memory.state[kind][k], memory.work[kind][k].y)
            for kind, records in memory.input.items()
            for k, record in enumerate(records)
            if hasattr(memory.state[kind][k], "rate_before")
        ]
        self.targets: list[float] = []

    def of_step(self) -> tuple[float, float]:
        """The same as `of_all` of the step as it is, which is evaluated as it was solved."""
        solver, common = self.solver, self.solver.common
        common.work_after[0], common.work_before[0] = self.of_drivers(*self.carried())
        solver.run("do_work")
        return common.work_after[0], common.work_before[0]

    def carried(self) -> tuple[float, float]:
        """What bodies lack in the step as it is: joints that carry them give it, and laws and drivers along these."""
        after = before = 0.0
        for body, state in zip(self.solver.bodies, self.solver.memory.state["body"], strict=True) if self.led else ():
            lacking = body.f if self.solver.chords else body.held
            for k in range(3):
                push, twist = lacking[k], lacking[k + 3]
                after = after + (push * body.v[k] + twist * body.w[k])
                before = before - (push * state.v[k] + twist * state.w[k])
        return after, before

    def of_all(self) -> tuple[float, float]:
        """Impulses of joints at the first knot times the velocities after it, and against those before it.

        With n0 and n1 they are 2 √n1 (√n0 + √n1) and 2 √n0 (√n0 + √n1): they differ by twice the work of the joints.
        The momentum of the step is theirs where nothing drives it, as it was evaluated last.
        """
        memory = self.solver.memory
        after, before = self.of_drivers(0.0, 0.0)
        for body, state, numbers in zip(
            self.solver.bodies, memory.state["body"], memory.parameters["body"], strict=True
        ):
            for k in range(3):
                push, twist = numbers.mass[0] * body.v[k] - body.f[k], body.l[k] - body.f[k + 3]
                after = after + (push * body.v[k] + twist * body.w[k])
                before = before - (push * state.v[k] + twist * state.w[k])
        return after, before

    def of_drivers(self, after: float, before: float) -> tuple[float, float]:
        """What drivers do is no work of joints."""
        inverse = self.solver.common.inverse[0]
        given = {id(target): value for (target, _), value in zip(self.aims, self.targets, strict=True)}
        for target, state, y in self.drivers:
            after = after - y[0] * (inverse * (given[id(target)] - state.target[0]))
            before = before + y[0] * state.rate_before[0]
        return after, before

    def kinetic(self) -> float:
        """Twice the kinetic energy of the velocities that were evaluated."""
        total = 0.0
        for body, numbers in zip(self.solver.bodies, self.solver.memory.parameters["body"], strict=True):
            for k in range(3):
                total = total + (numbers.mass[0] * (body.v[k] * body.v[k]) + body.l[k] * body.w[k])
        return total
