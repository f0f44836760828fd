"""The reference back end: the same schedule and the same kernels in Python, on plain floats. Oracle, and way without a compiler.

Every loop and decision here stands in templates/c/ as well, word by word; the states agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite, sqrt
from types import SimpleNamespace

from symvi.emit.python import FLOATS, compile_kernels
from symvi.program.control import DOMAIN, FALL, SAFETY, SolverOptions, SolverStatus
from symvi.program.program import Program
from symvi.program.records import STORES


class Memory:
    """The records of one program, as lists of numbers: memory.work["body"][0].v."""

    def __init__(self, program: Program, zero=0.0):
        for store in STORES:
            setattr(self, store, {
                kind: [_record(program.records.of(kind, store), zero) for _ in nodes] for kind, nodes in program.nodes.items()
            })
        for (kind, index), values in program.parameters.items():
            for name, numbers in values.items():
                record = self.parameters[kind][index]
                if hasattr(record, name):
                    getattr(record, name)[:] = [zero + x for x in numbers]


def _record(fields, zero) -> SimpleNamespace:
    return SimpleNamespace(**{f.name: [zero] * f.size for f in fields})


class Runner:
    """Runs phases of a program on a memory, with kernels over any numbers."""

    def __init__(self, program: Program, memory: Memory, numbers: Mapping[str, Callable] = FLOATS):
        kernels = compile_kernels(program, numbers)
        self.calls = {
            phase: [(kernels[call.kernel.name], _arguments(call, memory)) for call in calls] for phase, calls in program.phases.items()
        }

    def __call__(self, phase: str) -> None:
        for kernel, arguments in self.calls[phase]:
            kernel(*arguments)


def _arguments(call, memory: Memory) -> list[SimpleNamespace]:
    nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
    return [getattr(memory, store)[port.kind][nodes[port.label].index] for port, store, _ in call.kernel.used_stores()]


class ReferenceSolver:
    """One mechanism's solver in Python. Records lie in `memory`; entry points are those of the generated C."""

    def __init__(self, program: Program, options: SolverOptions = SolverOptions()):
        self.program, self.options = program, options
        self.memory = Memory(program)
        self.run = Runner(program, self.memory)
        self.common = self.memory.work["common"][0]
        self.bodies = self.memory.work["body"]
        self.iterations = 0
        self.increment = inf

    def set_step(self, h: float) -> None:
        self.memory.parameters["common"][0].h[0] = h
        self.run("setup")

    def switches(self, impulse: float, carry: float, closure: float) -> None:
        self.common.impulse[0], self.common.carry[0], self.common.closure[0] = impulse, carry, closure

    def step(self, kick: float = 1.0) -> SolverStatus:
        """One step; kick 1/2 for the first one from a knot's own velocities (discrete Legendre transform)."""
        h = self.memory.parameters["common"][0].h[0]
        self.switches(kick * h, 1.0, self.common.inverse[0])
        self.run("prepare")
        status = self.newton()
        if status >= 0:
            self.run("finish")
        return status

    def newton(self) -> SolverStatus:
        """Newton's method with a start that carries on the last motion, a merit line search and a guard of the domain."""
        options = self.options
        merit = self._start(1.0 if options.extrapolate else 0.0)
        if not isfinite(merit) and options.extrapolate:
            merit = self._start(0.0)
        if not isfinite(merit):
            return SolverStatus.DOMAIN if self._turn() >= DOMAIN else SolverStatus.NOT_FINITE
        for self.iterations in range(1, options.max_iterations + 1):
            self.run("eliminate")
            self.run("substitute")
            before = merit
            merit, length = self._search(before)
            if not merit < inf:
                near = sqrt(before) <= 10.0 * options.tolerance
                return SolverStatus.ROUND_OFF if near else SolverStatus.LINE_SEARCH
            self.increment = length * self._largest_change()
            fall = sqrt(merit / before) if before > 0.0 else 0.0
            if self.increment <= options.tolerance or (length == 1.0 and SAFETY * self.increment * fall <= options.tolerance):
                return SolverStatus.OK
        return SolverStatus.NOT_CONVERGED

    def _start(self, length: float) -> float:
        self.common.length[0] = length
        self.run("begin")
        return self._merit()

    def _search(self, before: float) -> tuple[float, float]:
        """Take the increment, halved until the merit falls; (inf, length) when it never does and the base is restored."""
        length = self.common.length[0] = 1.0
        self.run("advance")
        merit = self._merit()
        halvings = 0
        while not merit <= (1.0 - FALL * length) * before and not self._settled(merit, length):
            if halvings == self.options.max_halvings:
                self.common.length[0] = 0.0
                self.run("retreat")
                self._merit()
                return inf, 0.0
            halvings += 1
            length = self.common.length[0] = 0.5 * length
            self.run("retreat")
            merit = self._merit()
        return merit, length

    def _settled(self, merit: float, length: float) -> bool:
        """An increment below the tolerance is taken whatever the merit does: both are round-off."""
        return isfinite(merit) and length * self._largest_change() <= self.options.tolerance

    def _merit(self) -> float:
        if not self._turn() < DOMAIN:
            return inf
        self.run("evaluate")
        self.common.merit[0] = 0.0
        self.run("merit")
        merit = self.common.merit[0]
        return merit if isfinite(merit) else inf

    def _turn(self) -> float:
        largest = 0.0
        for body in self.bodies:
            if not body.turn[0] <= largest:
                largest = body.turn[0]
        return largest

    def _largest_change(self) -> float:
        largest = 0.0
        for body in self.bodies:
            for value in body.s:
                largest = max(largest, abs(value))
        return largest
