"""The reference back end: the same schedule and kernels in Python, on floats. Oracle, and way without a compiler.

Every loop and decision here stands in templates/c/ as well, word by word; the states agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from math import inf, isfinite, sqrt
from types import SimpleNamespace

from symvi.emit.python import FLOATS, compile_kernels
from symvi.kernels.records import STORES
from symvi.numbers.control import (
    CHORD,
    DEFAULTS,
    DOMAIN,
    FAINT,
    FALL,
    FAR_TURN,
    FAST,
    KEPT,
    LEFT,
    MENDED,
    PARTS,
    ROUGH,
    ROUND_OFF,
    SAFETY,
    SINGULAR_OPENING,
    SLOW,
    SMOOTHER,
    STILL,
    UNIT,
    Beginning,
    SolverOptions,
    SolverStatus,
)
from symvi.numbers.path import CLEAR, HARDLY, HOLDING, JOINED, TURNED
from symvi.program.program import Program, solved_kinds
from symvi.simulate.accounts import Accounts
from symvi.simulate.branch import Branch, aims_of
from symvi.simulate.interior import Interior
from symvi.simulate.placing_solver import Placing, restore


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

    def __init__(
        self,
        program: Program,
        memory: Memory,
        numbers: Mapping[str, Callable] = FLOATS,
        kernels: Mapping[str, Callable] | None = None,
    ):
        self.kernels = kernels or compile_kernels(program, numbers)
        self.calls = {
            phase: [(self.kernels[call.kernel.name], _arguments(call, memory)) for call in calls]
            for phase, calls in program.phases.items()
        }

    def __call__(self, phase: str) -> None:
        for kernel, arguments in self.calls[phase]:
            kernel(*arguments)


def _arguments(call, memory: Memory) -> list[SimpleNamespace]:
    nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
    return [getattr(memory, store)[port.kind][nodes[port.label].index] for port, store, _ in call.kernel.used_stores()]


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


def _largest(records: list[SimpleNamespace]) -> float:
    largest = 0.0
    for record in records:
        for value in record.g:
            if not abs(value) <= largest:
                largest = abs(value)
    return largest


class Beginnings:
    """The state where a step begins, and the account where one is kept."""

    def __init__(self, memory: Memory, accounted: bool):
        self.memory, self.accounted = memory, accounted
        self.state, self.account = deepcopy(memory.state), deepcopy(memory.account) if accounted else {}

    def restore(self) -> None:
        restore(self.memory.state, self.state)
        restore(self.memory.account, self.account)


class ReferenceSolver:
    """One mechanism's solver in Python. Records lie in `memory`; entry points are those of the generated C."""

    def __init__(
        self, program: Program, options: SolverOptions = DEFAULTS, kernels: Mapping[str, Callable] | None = None
    ):
        self.program, self.options = program, options.in_precision("double")
        self.memory = Memory(program)
        self.run = Runner(program, self.memory, kernels=kernels)
        self.common = self.memory.work["common"][0]
        self.bodies = self.memory.work["body"]
        self.loops = bool(program.notes["loops"])
        self.drivers = [
            (record.target, self.memory.state[kind][k])
            for kind, records in self.memory.input.items()
            for k, record in enumerate(records)
            if hasattr(self.memory.state[kind][k], "rate_before")
        ]
        self.servos = [
            (record, self.memory.state[kind][k])
            for kind, records in self.memory.input.items()
            for k, record in enumerate(records)
            if hasattr(self.memory.state[kind][k], "target_rate")
        ]
        self.solved = [record for kind in solved_kinds(program) for record in self.memory.work[kind]]
        self.chords = bool(program.notes["chords"])
        self.foreseen = bool(program.phases["push"])
        self.rows = [record for records in self.memory.work.values() for record in records if hasattr(record, "g")]
        self.loads = [r.load for records in self.memory.work.values() for r in records if hasattr(r, "load")]
        self.wrenches = [
            getattr(record, "bearing", getattr(record, "wrench", None))
            for records in self.memory.work.values()
            for record in records
            if hasattr(record, "bearing") or hasattr(record, "wrench")
        ]
        self.watched = [record for record in self.rows if not hasattr(record, "y")]
        self.interior = Interior(self) if program.notes["inequalities"] else None
        self.branch = Branch(self) if self.loops else None
        self.placing = Placing(self)
        self.accounts = Accounts(program, self.memory.account)
        self.iterations = self.retries = self.substeps = 0
        self.increment = inf
        self.targets = aims_of(self.memory)

    def twin(self) -> ReferenceSolver:
        """The same solver with a memory of its own."""
        return ReferenceSolver(self.program, self.options, self.run.kernels)

    def set_step(self, h: float) -> None:
        """The caller's step [s]."""
        self.memory.parameters["common"][0].h[0] = h
        self.set_up()

    def set_up(self, halvings: int = 0) -> None:
        """A step so many halvings below the caller's: its length, and what parameters decide with it."""
        self.common.step[0] = self.memory.parameters["common"][0].h[0]
        for _ in range(halvings):
            self.common.step[0] = 0.5 * self.common.step[0]
        self.run("setup")

    def switches(self, impulse: float, carry: float, closure: float) -> None:
        self.common.impulse[0], self.common.carry[0], self.common.closure[0] = impulse, carry, closure

    def against_last(self) -> float:
        """For how long forces act in this step, or at this knot, as a share of what it was in the step before.

        So much of the last change of the velocities, and of the last impulses of contacts, is expected; none after a
        start.
        """
        state = self.memory.state["common"][0]
        last = 0.5 * (state.before[0] + state.earlier[0])
        return self.common.impulse[0] / last if last > 0.0 else 0.0

    def step(self, accounted: bool = False) -> SolverStatus:
        """One step, its parameters set up first; the state stays as it was when the status is negative.

        accounted: what it gives and takes of energy is added to the account.
        """
        if not self.is_step():
            self.switches(0.0, 0.0, 0.0)
            return SolverStatus.BAD_STEP
        return self.step_once(accounted)

    def step_once(self, accounted: bool = False) -> SolverStatus:
        """One step; of one that failed there are no forces, and the state is as it was."""
        self.iterations = self.retries = self.substeps = 0
        if not self.placing.all_finite():
            status = SolverStatus.NOT_FINITE
        elif not self.are_units():
            status = SolverStatus.NOT_UNIT
        else:
            first = Beginnings(self.memory, accounted)
            status = self._take_finer(first)
            if status < 0:
                first.restore()
        if status < 0:
            self.switches(0.0, 0.0, 0.0)
        return status

    def _take_finer(self, first: Beginnings) -> SolverStatus:
        """A step in parts, as many as its level says, and in twice as many while it fails or while parts are rough.

        Roughness counts in a motion of which a step has failed before. If none are fine enough, the last ones that were
        solved are taken. Where halving makes nothing smoother, as in an impact, it ends, and the next step is halved no
        more than this one was before. first: the state, and the account, where the step begins.
        """
        options, state = self.options, self.memory.state["common"][0]
        most = 0 if options.fixed_iterations > 0 else PARTS.index(options.substeps)
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

        If a part fails, the state is left there.
        """
        self.substeps = parts = PARTS[halvings]
        self.set_up(halvings)
        self.common.parts[0], self.common.elapsed[0], self.common.rough[0] = float(parts), 0.0, 0.0
        if parts > 1:
            self.run("reset")
        ways = [(target, reached[0], target[0]) for target, reached in self.targets]
        status, iterations, retries = SolverStatus.OK, self.iterations, self.retries
        for n in range(1, parts + 1):
            for target, start, end in ways:
                target[0] = start + n / parts * (end - start) if n < parts else end
            self.iterations = self.retries = 0
            now = self._take(n == parts, accounted)
            iterations, retries = iterations + self.iterations, retries + self.retries
            status = now if now < 0 or now > status else status
            if status < 0:
                break
        for target, _, end in ways:
            target[0] = end
        self.iterations, self.retries = iterations, retries
        return status

    def _take(self, last: bool, accounted: bool) -> SolverStatus:
        """One step of the length that is set up; the work memory holds it afterwards, even if it failed.

        Forces at a knot act for half of the step before it and half of the one after it.
        """
        parameters, state = self.memory.parameters["common"][0], self.memory.state["common"][0]
        self.switches(0.5 * (state.before[0] + self.common.step[0]), 1.0, self.common.inverse[0])
        self.run("prepare")
        if self.watched:
            self.run("watch")
            if not self.opening() <= parameters.limit[0]:
                return SolverStatus.LOOP_OPEN
        if self.interior:
            status = self.interior.solve()
            if self.branch and self.options.fixed_iterations == 0:
                status = self.branch.keep_idle(status)
            self.iterations, self.retries = self.interior.iterations, self.interior.retries
        else:
            status = self.newton()
        if status == SolverStatus.SINGULAR_STEP and state.singular[0] > 0.0:
            status = SolverStatus.LOOP_STALLED
        if status < 0:
            return status
        if accounted:
            self.run("account")
            self.accounts.note_step()
        self._roughen()
        if not self.common.elapsed[0] > 0.0:  # at the knot itself, what the first part does acts
            self.run("spread")
            if self.program.phases["answer"] and state.before[0] > 0.0:
                self._let_rest()
        self.common.elapsed[0] = self.common.elapsed[0] + self.common.impulse[0]
        if self.common.parts[0] > 1.0:
            self.run("react")
            self.run("gather")
        if last:
            self.run("arrive")
        self.run("finish")
        if self.chords:
            state.earliest[0] = state.earlier[0]
        state.earlier[0] = state.before[0]
        state.before[0] = self.common.step[0]
        if self.loops:
            state.singular[0] = 1.0 if status == SolverStatus.SINGULAR_STEP else 0.0
        return status

    def _let_rest(self) -> None:
        """Let what contacts, limits and dry friction hold still in both steps around a knot be at rest there too.

        Laws may change from one to the other: what the momenta of knot and steps differ by, and what is done against it
        in a step that is solved.
        """
        common, before = self.common, 0.5 * self.memory.state["common"][0].before[0]
        both = common.impulse[0]
        common.length[0], common.impulse[0] = before / both, before
        for phase in ("differ", "push", "keep"):
            self.run(phase)
        common.length[0] = 0.0
        self.run("advance")
        # from here on as velocities of a knot are solved for, at rest and without slopes of laws
        self.switches(before, 1.0, 0.0)
        for phase in ("prepare", "rest", "evaluate", "recall"):
            self.run(phase)
        common.ratio[0] = HOLDING["double"]
        for phase in ("soften", "exact", "uncouple", "linearize", "eliminate", "substitute", "answer"):
            self.run(phase)
        self.switches(both, 1.0, common.inverse[0])
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
        compared = failed and tells and self.is_compared(self.squares_at_rest())
        if compared and common.missed[0] > common.rough[0] * common.moved[0]:
            common.rough[0] = common.missed[0] / common.moved[0] if common.moved[0] > 0.0 else inf

    def is_compared(self, least: float) -> bool:
        """What the velocities miss of the last ones, carried on by their last change, is measured; is there one?

        least: squares of velocities that always count.
        """
        common, share = self.common, self.against_last()
        if share > 0.0:
            common.length[0], common.missed[0], common.moved[0] = share, 0.0, least
            self.run("compare")
        return share > 0.0

    def squares_at_rest(self) -> float:
        """Squares of velocities that are little in a motion: what weight gives in a step, and the tolerance leaves."""
        numbers, left = self.memory.parameters["common"][0], FAINT * self.options.tolerance
        x, y, z = numbers.gravity
        fall = (numbers.h[0] * numbers.h[0]) * (x * x + y * y + z * z)
        return float(len(self.bodies)) * (fall + left * left)

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
    def start(self, knot: int = Beginning.KNOT) -> float:
        """Momenta of a start, from placements and velocities in the state; returns the largest change by projection.

        knot: what those velocities are (Beginning). Whether a motion can start here, which C returns as well, is told
        by `Placing.standing`.
        """
        self.set_up()
        self.switches(0.0, 1.0, 0.0)
        self.run("prepare")
        state = self.memory.state["common"][0]
        if self.loops:
            state.singular[0] = 0.0
        state.level[0] = 0.0
        h = self.memory.parameters["common"][0].h[0]
        state.before[0] = state.earlier[0] = h if knot == Beginning.CHORD else 0.0
        if self.chords:
            state.earliest[0] = state.before[0]
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
        self.set_up(halvings_of(self.memory.state["common"][0].level[0], len(PARTS) - 1))
        self.switches(time, 1.0, 0.0)
        for phase in ("prepare", "rest", "evaluate", *(("push",) if pressed else ()), "release", "linearize"):
            self.run(phase)
        for phase in ("eliminate", "substitute", "take_velocity"):
            self.run(phase)

    def time_before(self) -> float:
        """How long forces at a knot act before it: a start has its knot's momenta; after a step, its half of them is
        still to come."""
        return 0.5 * self.memory.state["common"][0].before[0]

    def foresee(self) -> bool:
        """Take the step from a knot and go back, targets going on as they went; whether it can be taken."""
        h, here, inputs = (
            self.memory.parameters["common"][0].h[0],
            deepcopy(self.memory.state),
            deepcopy(self.memory.input),
        )
        for target, reached in self.drivers:
            target[0] = reached.target[0] + h * (2.0 * reached.rate[0] - reached.rate_before[0])
        for given, reached in self.servos:
            given.target[0] = reached.target[0] + h * reached.target_rate[0]
            given.target_rate[0] = reached.target_rate[0]
        solved = self.is_step() and self.step_once() >= 0
        restore(self.memory.state, here)
        restore(self.memory.input, inputs)
        return solved

    def see_knot(self, options: SolverOptions = DEFAULTS) -> None:
        """The knot as it stands: velocities, in the work memory."""
        own, self.options = self.options, options.in_precision("double")
        time = self.time_before()
        self._knot_velocities(time, self.foreseen and time > 0.0 and self.foresee())
        self.options = own

    def see_behind(self, solved: bool) -> None:
        """Velocities of the knot from where a step was solved, or was not: the state is as it was there."""
        time = self.time_before()
        self._knot_velocities(time, self.foreseen and time > 0.0 and solved)

    def seen(self) -> dict[str, object]:
        """A knot at the velocities that the work memory holds: placements, energies, momenta, closure."""
        common, states = self.common, self.memory.state["body"]
        common.kinetic[0] = common.potential[0] = common.scatter[0] = common.swerve[0] = 0.0
        common.momentum[:] = common.angular_momentum[:] = [0.0] * 3
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
            "angular_momentum": list(common.angular_momentum),
        }
        if self.watched:
            self.run("watch")
        self.run("inspect")
        return frame | {"closure": self.closure()}

    def misread(self, after: list[list[list[float]]]) -> float:
        """How far the energy of a knot that was seen is from that of both steps around it. after: (v, w) of bodies."""
        self.common.misread[0] = 0.0
        for body, (v, w) in zip(self.bodies, after, strict=True):
            body.seen[:] = [*body.v, *body.w]
            body.v[:], body.w[:] = v, w
        self.run("reread")
        return self.common.misread[0]

    def record_account(self) -> dict[str, list]:
        """The sums at the knot that was reached; they begin anew."""
        if self.accounts.late:
            self.run("prepare")
            self.run("ahead")
        return self.accounts.record()

    def project(self, max_iterations: int = 50) -> float:
        """Move an approximate placement onto the constraints (Gauss-Newton, by mass); returns the closure left."""
        self.set_up()
        left = max(max_iterations, 0)
        while True:
            if self.interior:  # time for next to nothing to act, but enough for dry friction to have a bound
                self.switches(HARDLY * self.common.step[0], 0.0, self.common.inverse[0])
            else:
                self.switches(0.0, 0.0, self.common.inverse[0])
            self.run("prepare")
            if self.watched:
                self.run("watch")
            self.run("inspect")
            closure = self.closure()
            if left == 0 or not isfinite(closure):
                break
            if self.interior:
                # every further solution on the central path would push contacts apart by a little
                extent = self.memory.parameters["common"][0].extent[0]
                if closure <= JOINED["double"] * extent and self.interior.depth() <= CLEAR["double"] * extent:
                    break
                self.interior.solve(rest=True)
            else:
                for phase in ("rest", "evaluate", "linearize", "eliminate", "substitute"):
                    self.run(phase)
            self.run("take_velocity")
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
        status = self.branch.keep(status) if self.branch else status
        # a body that turns by a right angle or more: a smaller turn has the same momentum
        return SolverStatus.DOMAIN if status >= 0 and not self._turn() < FAR_TURN else status

    def _count_through(self) -> SolverStatus:
        """Exactly so many iterations, whole increments, and no look at the numbers on the way."""
        self.iterations = self.options.fixed_iterations
        try:
            self._begin(self.against_last() if self.options.extrapolate else 0.0)
            if not self._turn() < FAR_TURN:
                self._begin(0.0)
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
        if not isfinite(merit) or not isfinite(self.increment) or not self._turn() < FAR_TURN:
            return SolverStatus.DOMAIN if self._turn() >= FAR_TURN else SolverStatus.NOT_FINITE
        return SolverStatus.OK if self.increment <= self.options.tolerance else SolverStatus.UNSETTLED

    def carry_on(self) -> SolverStatus:
        """Newton's method from a start that carries on the last motion, where no body turns by a right angle so."""
        merit = self._start(self.against_last() if self.options.extrapolate else 0.0)
        if (not isfinite(merit) or not self._turn() < FAR_TURN) and self.options.extrapolate:
            merit = self._start(0.0)
        return self.iterate(merit)

    def iterate(self, merit: float) -> SolverStatus:
        """Newton's method from the velocities as they are, of known merit: a line search, and a guard of the domain."""
        options = self.options
        self.iterations, self.increment = 0, 0.0
        if not isfinite(merit):
            return SolverStatus.DOMAIN if self._turn() >= DOMAIN else SolverStatus.NOT_FINITE
        slow, whole = 0, True
        for self.iterations in range(1, options.max_iterations + 1):
            if whole:
                self.run("linearize")
                self.run("eliminate")
            else:
                self.run("resolve")
            self.run("substitute")
            before = merit
            merit, length = self._search(before)
            if not merit < inf:
                if not whole:  # factors of an earlier iteration lead nowhere: its own may
                    merit, whole = before, True
                    continue
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
            # the same factors once more, if they are predicted to be enough
            whole = not (self.chords and length >= 1.0 and CHORD * (sqrt(merit) * fall) <= options.tolerance)
            slow = slow + 1 if merit > SLOW * before else 0
            if slow >= 2 and self.within(STILL * options.tolerance):
                return SolverStatus.ROUND_OFF
            if slow >= 2 and self._singular():
                return SolverStatus.SINGULAR_STEP
        return self.failed(SolverStatus.NOT_CONVERGED)

    def _start(self, length: float) -> float:
        self._begin(length)
        return self.merit()

    def _begin(self, length: float) -> None:
        """From the last velocities, with so much of their last change; of joint coordinates along a parabola."""
        self.common.length[0] = length
        if self.chords:
            self._expect_bend(length > 0.0)
        self.run("begin")

    def _expect_bend(self, extrapolate: bool) -> None:
        """By how much the last change of the rates, less that before it, is expected to go on bending.

        A parabola through three steps at their true times; none before there are three.
        """
        state, common = self.memory.state["common"][0], self.common
        ahead, known = common.impulse[0], float(state.earlier[0] > 0.0 and extrapolate)
        last = 0.5 * (state.before[0] + state.earlier[0])
        former = 0.5 * (state.earlier[0] + state.earliest[0])
        missing = 1.0 - known
        common.bend[0] = (known * (ahead * (ahead + last))) / (last * (last + former) + missing)
        common.bend_before[0] = common.bend[0] * (known * last / (former + missing))

    def _search(self, before: float) -> tuple[float, float]:
        """Take the increment, halved until the merit falls; (inf, length) and the base restored when it never does."""
        length = self.common.length[0] = 1.0
        self.run("advance")
        merit = self.merit()
        halvings = 0
        while not merit <= (1.0 - FALL * length) * before and not self._settled(merit, length):
            if halvings == self.options.max_halvings:
                self.common.length[0] = 0.0
                self.run("shorten_step")
                self.merit()
                return inf, 0.0
            halvings += 1
            length = self.common.length[0] = 0.5 * length
            self.run("shorten_step")
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
        self.run("shorten_step")
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
        extent = self.memory.parameters["common"][0].extent[0]
        return self._balanced(STILL * self.options.tolerance, SINGULAR_OPENING * extent / self.common.step[0])

    def within(self, change: float) -> bool:
        """Whether a change of velocity like this one would remove the residual."""
        return self._balanced(change, change)

    def _balanced(self, change: float, rate: float) -> bool:
        """Whether momenta balance but for a change of velocity and round-off of impulses, and rows but for a rate."""
        impulse = 0.0
        for record in self.rows:
            if hasattr(record, "f"):
                for f, y in zip(record.f, record.y, strict=True):
                    impulse = max(impulse, abs(y))
                    if not abs(f) <= rate:
                        return False
        for wrench in self.wrenches:
            for value in wrench[:3]:
                impulse = max(impulse, abs(value))
        for loads in self.loads:
            for value in loads:
                impulse = max(impulse, abs(value))
        for node in self.interior.nodes if self.interior else ():
            for value in node.impulse:
                impulse = max(impulse, abs(value))
        arm = self.memory.parameters["common"][0].extent[0]
        for body, numbers in zip(self.bodies, self.memory.parameters["body"], strict=True):
            largest = impulse
            for k in range(6):
                largest = max(largest, abs(body.e[k]))
            noise = ROUND_OFF["double"] * largest
            rest = body.rest if self.chords else body.f
            for k in range(3):
                if not abs(rest[k]) <= change * numbers.mass[0] + noise:
                    return False
                if not abs(rest[k + 3]) <= change * numbers.size[0] + noise * arm:
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
        for record in self.solved:
            for value in record.s:
                total = total + (value * value)
        return sqrt(total)

    def _largest_change(self) -> float:
        largest = 0.0
        for record in self.solved:
            for value in record.s:
                largest = max(largest, abs(value))
        return largest
