"""The reference back end: the same schedule and kernels in Python, on floats. Oracle, and way without a compiler.

Every loop and decision here stands in templates/c/ as well, word by word; the states agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite, sqrt
from types import SimpleNamespace

from symvi.emit.python import FLOATS, compile_kernels
from symvi.program.control import (
    DEFAULTS,
    DOMAIN,
    FALL,
    FAST,
    LEFT,
    ROUND_OFF,
    SAFETY,
    SINGULAR_OPENING,
    SLOW,
    STILL,
    UNIT,
    SolverOptions,
    SolverStatus,
)
from symvi.program.path import CLEAR, HARDLY, JOINED, TURNED, Rest
from symvi.program.program import Program
from symvi.program.records import STORES
from symvi.simulate.accounts import Accounts
from symvi.simulate.branch import Branch
from symvi.simulate.interior import Interior
from symvi.simulate.placing import Placing


class Memory:
    """The records of one program, as lists of numbers: memory.work["body"][0].v."""

    def __init__(self, program: Program, zero=0.0):
        for store in STORES:
            setattr(
                self,
                store,
                {
                    kind: [_record(program.records.of(kind, store), zero) for _ in nodes]
                    for kind, nodes in program.nodes.items()
                },
            )
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
            phase: [(kernels[call.kernel.name], _arguments(call, memory)) for call in calls]
            for phase, calls in program.phases.items()
        }

    def __call__(self, phase: str) -> None:
        for kernel, arguments in self.calls[phase]:
            kernel(*arguments)


def _arguments(call, memory: Memory) -> list[SimpleNamespace]:
    nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
    return [getattr(memory, store)[port.kind][nodes[port.label].index] for port, store, _ in call.kernel.used_stores()]


def _largest(records: list[SimpleNamespace]) -> float:
    largest = 0.0
    for record in records:
        for value in record.g:
            if not abs(value) <= largest:
                largest = abs(value)
    return largest


class ReferenceSolver:
    """One mechanism's solver in Python. Records lie in `memory`; entry points are those of the generated C."""

    def __init__(self, program: Program, options: SolverOptions = DEFAULTS):
        self.program, self.options = program, options.in_precision("double")
        self.memory = Memory(program)
        self.run = Runner(program, self.memory)
        self.common = self.memory.work["common"][0]
        self.bodies = self.memory.work["body"]
        self.loops = bool(program.notes["loops"])
        self.rows = [record for records in self.memory.work.values() for record in records if hasattr(record, "g")]
        self.watched = [record for record in self.rows if not hasattr(record, "y")]
        self.interior = Interior(self) if program.notes["inequalities"] else None
        self.branch = Branch(self) if self.loops else None
        self.placing = Placing(self)
        self.accounts = Accounts(program, self.memory.account, self.bodies)
        self.iterations = self.retries = 0
        self.increment = inf

    def set_step(self, h: float) -> None:
        self.memory.parameters["common"][0].h[0] = h
        self.run("setup")

    def switches(self, impulse: float, carry: float, closure: float) -> None:
        self.common.impulse[0], self.common.carry[0], self.common.closure[0] = impulse, carry, closure

    def kick(self) -> float:
        """Share of a step's forces in the next step: 1/2 from a start at a knot (Legendre transform), else 1."""
        return self.memory.state["common"][0].kick[0]

    def step(self, accounted: bool = False) -> SolverStatus:
        """One step, its parameters set up first; the state stays as it was when the status is negative.

        accounted: what it gives and takes of energy is added to the account.
        """
        if not self.is_step():
            self.switches(0.0, 0.0, 0.0)
            return SolverStatus.BAD_STEP
        self.run("setup")
        return self.step_once(accounted)

    def step_once(self, accounted: bool = False) -> SolverStatus:
        """One step, its parameters already set up; of one that failed there are no forces."""
        status = self._try_step(accounted)
        if status < 0:
            self.switches(0.0, 0.0, 0.0)
        return status

    def _try_step(self, accounted: bool) -> SolverStatus:
        """One step, its parameters already set up; the work memory holds it afterwards, even if it failed."""
        parameters, state = self.memory.parameters["common"][0], self.memory.state["common"][0]
        self.iterations = self.retries = 0
        if not self.placing.all_finite():
            return SolverStatus.NOT_FINITE
        if not self.are_units():
            return SolverStatus.NOT_UNIT
        self.switches(state.kick[0] * parameters.h[0], 1.0, self.common.inverse[0])
        if self.interior:
            self.common.reach[0] = self.common.inverse[0]
        self.run("prepare")
        if self.watched:
            self.run("watch")
            if not self.opening() <= parameters.limit[0]:
                return SolverStatus.LOOP_OPEN
        if self.interior:
            status = self.interior.solve()
            self.iterations, self.retries = self.interior.iterations, self.interior.retries
        else:
            status = self.newton()
        if status == SolverStatus.SINGULAR_STEP and state.singular[0] > 0.0:
            status = SolverStatus.LOOP_STALLED
        if status >= 0:
            self.run("react")
            if accounted:
                self.run("account")
                account = self.memory.account["common"][0]
                if account.fresh[0] > 0.0 and account.known[0] > 0.0:
                    self.run("reread")
                self.accounts.note_step()
            self.run("finish")
            state.kick[0] = 1.0
            if self.loops:
                state.singular[0] = 1.0 if status == SolverStatus.SINGULAR_STEP else 0.0
        return status

    def is_step(self) -> bool:
        """Whether the time step is one."""
        h = self.memory.parameters["common"][0].h[0]
        return h > 0.0 and isfinite(h)

    def are_units(self) -> bool:
        """Whether no orientation is far from unit length; numbers that are none are looked for elsewhere."""
        for body in self.memory.state["body"]:
            q = body.q
            excess = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1.0
            if excess > UNIT or excess < -UNIT:
                return False
        return True

    # --- starts, knots, projection -----------------------------------------------------------------------------------
    def start(self, knot: bool = True) -> float:
        """Momenta of a start, from placements and velocities in the state; returns the largest change by projection.

        knot: the velocities are those at the knot itself (second order); else over the step before (the papers' start).
        Whether a motion can start here, which C returns as well, is told by `Placing.standing`.
        """
        self.run("setup")
        self.switches(0.0, 1.0, 0.0)
        self.run("prepare")
        if self.loops:
            self.memory.state["common"][0].singular[0] = 0.0
        if not knot:
            self.run("launch_chord")
            self.memory.state["common"][0].kick[0] = 1.0
            return 0.0
        self.run("launch")
        self.memory.state["common"][0].kick[0] = 0.5
        self._knot_velocities(0.0)
        largest = 0.0
        for work, state in zip(self.bodies, self.memory.state["body"], strict=True):
            for k in range(3):
                for name in ("v", "w"):
                    new, old = getattr(work, name), getattr(state, name)
                    size = abs(new[k] - old[k])
                    if not size <= largest and isfinite(largest):
                        largest = size
                    old[k] = new[k]
        self.run("launch")
        return largest

    def _knot_velocities(self, impulse: float) -> None:
        """Solve for the velocities of the knot: the residual at rest is linear in them."""
        self.switches(impulse, 1.0, 0.0)
        if self.interior:
            self.common.reach[0] = 0.5 * self.common.inverse[0]
        self.run("prepare")
        found = False
        if self.interior and impulse > 0.0:  # half of a knot's impulses act before it; at a start there are none
            found = self.interior.solve(Rest.KNOT) >= 0
        if not found:
            self.run("rest")
            self.run("evaluate")
        # velocities from the impulses found: solved along with contacts, they carry the round-off of their stiffness
        for phase in ("release", "linearize", "eliminate", "substitute"):
            self.run(phase)
        self.run("settle")

    def see_knot(self) -> None:
        """The knot as it stands: velocities, in the work memory."""
        share = 0.0 if self.kick() < 1.0 else 0.5  # after a step, half of the forces at the knot are still to come
        self.run("setup")
        self._knot_velocities(share * self.memory.parameters["common"][0].h[0])

    def observe(self) -> dict[str, object]:
        """The knot as it stands: placements, velocities projected onto the joints, energies, momenta, closure."""
        common, states = self.common, self.memory.state["body"]
        self.see_knot()
        common.kinetic[0] = common.potential[0] = common.scatter[0] = common.swerve[0] = 0.0
        common.momentum[:] = common.spin[:] = [0.0] * 3
        self.run("energy")
        self.run("scatter")
        frame = {
            "x": [list(body.x) for body in states],
            "q": [list(body.q) for body in states],
            "v": [list(body.v) for body in self.bodies],
            "w": [list(body.w) for body in self.bodies],
            "scatter": common.scatter[0],
            "swerve": common.swerve[0],
            "kinetic": common.kinetic[0],
            "potential": common.potential[0],
            "momentum": list(common.momentum),
            "spin": list(common.spin),
        }
        if self.watched:
            self.run("watch")
        return frame | {"closure": self.closure()}

    def record_account(self) -> dict[str, list]:
        """The sums of a knot that was observed; they begin anew."""
        self.run("ahead")
        return self.accounts.record()

    def project(self, max_iterations: int = 50) -> float:
        """Move an approximate placement onto the constraints (Gauss-Newton, by mass); returns the closure left."""
        self.run("setup")
        left = max(max_iterations, 0)
        while True:
            if self.interior:  # time for next to nothing to act, but enough for dry friction to have a bound
                self.switches(HARDLY * self.memory.parameters["common"][0].h[0], 0.0, self.common.inverse[0])
                self.common.reach[0] = self.common.inverse[0]
            else:
                self.switches(0.0, 0.0, self.common.inverse[0])
            self.run("prepare")
            if self.watched:
                self.run("watch")
            closure = self.closure()
            if left == 0 or not isfinite(closure):
                break
            if self.interior:
                # every further solution on the central path would push contacts apart by a little
                extent = self.memory.parameters["common"][0].extent[0]
                if closure <= JOINED["double"] * extent and self.interior.depth() <= CLEAR["double"] * extent:
                    break
                self.interior.solve(Rest.PROJECTION)
            else:
                for phase in ("rest", "evaluate", "linearize", "eliminate", "substitute"):
                    self.run(phase)
            self.run("settle")
            # not past a surface, which would not pull it back: turns are not linear
            self.common.length[0] = 0.5 if self.interior and self._turn() > TURNED else 1.0
            while (
                self.common.length[0] * self.common.length[0] * self._turn() > 0.25
            ):  # at most half the domain at once
                self.common.length[0] = 0.5 * self.common.length[0]
            self.run("displace")
            left -= 1
        return closure

    def closure(self) -> float:
        """The largest residual of rows at the knot that was prepared, dropped ones included [m or rad]."""
        return _largest(self.rows)

    def opening(self) -> float:
        """The largest opening of a row that was dropped as redundant [m or rad]."""
        return _largest(self.watched)

    def newton(self) -> SolverStatus:
        """Newton's method for one step."""
        if self.options.fixed_iterations > 0:
            return self._count_through()
        status = self.carry_on()
        return self.branch.keep(status) if self.branch else status

    def _count_through(self) -> SolverStatus:
        """Exactly so many iterations, whole increments, and no look at the numbers on the way."""
        self.iterations = self.options.fixed_iterations
        try:
            self.common.length[0] = 1.0 if self.options.extrapolate else 0.0
            self.run("begin")
            self.run("evaluate")
            self.common.length[0] = 1.0
            for _ in range(self.options.fixed_iterations):
                for phase in ("linearize", "eliminate", "substitute", "advance", "evaluate"):
                    self.run(phase)
            self.common.merit[0] = 0.0
            self.run("merit")
            merit, self.increment = self.common.merit[0], self._size_of_change()
        except (ArithmeticError, ValueError):  # where C goes on with numbers that are none
            merit, self.increment = inf, inf
        if not isfinite(merit) or not isfinite(self.increment) or not self._turn() < DOMAIN:
            return SolverStatus.DOMAIN if self._turn() >= DOMAIN else SolverStatus.NOT_FINITE
        return SolverStatus.OK if self.increment <= self.options.tolerance else SolverStatus.UNSETTLED

    def carry_on(self) -> SolverStatus:
        """Newton's method from a start that carries on the last motion, where that stays inside the domain."""
        merit = self._start(1.0 if self.options.extrapolate else 0.0)
        if not isfinite(merit) and self.options.extrapolate:
            merit = self._start(0.0)
        return self.iterate(merit)

    def iterate(self, merit: float) -> SolverStatus:
        """Newton's method from the velocities as they are, of known merit: a line search, and a guard of the domain."""
        options = self.options
        self.iterations, self.increment = 0, 0.0
        if not isfinite(merit):
            return SolverStatus.DOMAIN if self._turn() >= DOMAIN else SolverStatus.NOT_FINITE
        slow = 0
        for self.iterations in range(1, options.max_iterations + 1):
            self.run("linearize")
            self.run("eliminate")
            self.run("substitute")
            before = merit
            merit, length = self._search(before)
            if not merit < inf:
                return self._stuck()
            self.increment = length * self._largest_change()
            fall = sqrt(merit / before) if before > 0.0 else 0.0
            if self.increment <= options.tolerance and self.within(LEFT * options.tolerance):
                return SolverStatus.OK
            if (
                length >= 1.0
                and SAFETY * (self.increment * fall) <= options.tolerance
                and SAFETY * sqrt(merit) <= options.tolerance
            ):
                return SolverStatus.OK
            slow = slow + 1 if merit > SLOW * before else 0
            if slow >= 2 and self.within(STILL * options.tolerance):
                return SolverStatus.ROUND_OFF
            if slow >= 2 and self._singular():
                return SolverStatus.SINGULAR_STEP
        return self.failed(SolverStatus.NOT_CONVERGED)

    def _start(self, length: float) -> float:
        self.common.length[0] = length
        self.run("begin")
        return self.merit()

    def _search(self, before: float) -> tuple[float, float]:
        """Take the increment, halved until the merit falls; (inf, length) and the base restored when it never does."""
        length = self.common.length[0] = 1.0
        self.run("advance")
        merit = self.merit()
        halvings = 0
        while not merit <= (1.0 - FALL * length) * before and not self._settled(merit, length):
            if halvings == self.options.max_halvings:
                self.common.length[0] = 0.0
                self.run("retreat")
                self.merit()
                return inf, 0.0
            halvings += 1
            length = self.common.length[0] = 0.5 * length
            self.run("retreat")
            merit = self.merit()
        return merit, length

    def _settled(self, merit: float, length: float) -> bool:
        """An increment below the tolerance is taken whatever the merit does, if whole or if the rest is round-off."""
        tolerance = self.options.tolerance
        if not isfinite(merit) or not length * self._largest_change() <= tolerance:
            return False
        return length >= 1.0 or self.within(STILL * tolerance)

    def _stuck(self) -> SolverStatus:
        """How a step ends whose merit falls no more: here, or where the whole increment leads."""
        tolerance, why = self.options.tolerance, self.failed(SolverStatus.LINE_SEARCH)
        if self.within(STILL * tolerance):
            return SolverStatus.ROUND_OFF
        self.common.length[0] = 1.0
        self.run("retreat")
        if not isfinite(self.merit()):
            return why
        if self.within(STILL * tolerance):
            return SolverStatus.ROUND_OFF
        return SolverStatus.SINGULAR_STEP if self._singular() else why

    def failed(self, status: SolverStatus) -> SolverStatus:
        """How a step ends that could not be solved: for the reason given, or because a body turns too far in it."""
        return SolverStatus.DOMAIN if self._turn() >= FAST else status

    def _singular(self) -> bool:
        """Whether momenta balance to round-off while rows that lost their direction stay open by a little."""
        if not self.loops:
            return False
        parameters = self.memory.parameters["common"][0]
        return self._balanced(STILL * self.options.tolerance, SINGULAR_OPENING * parameters.extent[0] / parameters.h[0])

    def within(self, change: float) -> bool:
        """Whether a change of velocity like this one would remove the residual."""
        return self._balanced(change, change)

    def _balanced(self, change: float, rate: float) -> bool:
        """Whether momenta balance but for a change of velocity and round-off of impulses, and rows but for a rate."""
        impulse = 0.0
        for record in self.rows:
            if hasattr(record, "y"):
                for f, y in zip(record.f, record.y, strict=True):
                    impulse = max(impulse, abs(y))
                    if not abs(f) <= rate:
                        return False
        for node in self.interior.nodes if self.interior else ():
            for value in node.impulse:
                impulse = max(impulse, abs(value))
        arm = self.memory.parameters["common"][0].extent[0]
        for body, numbers in zip(self.bodies, self.memory.parameters["body"], strict=True):
            largest = impulse
            for k in range(6):
                largest = max(largest, abs(body.e[k]))
            noise = ROUND_OFF["double"] * largest
            for k in range(3):
                if not abs(body.f[k]) <= change * numbers.mass[0] + noise:
                    return False
                if not abs(body.f[k + 3]) <= change * numbers.size[0] + noise * arm:
                    return False
        return True

    def merit(self) -> float:
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

    def _size_of_change(self) -> float:
        """The length of the solved change of all velocities, which is no smaller than the largest."""
        total = 0.0
        for body in self.bodies:
            for value in body.s:
                total = total + (value * value)
        return sqrt(total)

    def _largest_change(self) -> float:
        largest = 0.0
        for body in self.bodies:
            for value in body.s:
                largest = max(largest, abs(value))
        return largest
