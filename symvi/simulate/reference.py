"""The reference back end: the same schedule and kernels in Python, on floats. Oracle, and way without a compiler.

Every loop and decision here stands in templates/c/ as well, word by word; the states agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite

from symvi.numbers.composition import composition_of
from symvi.numbers.control import (
    DEFAULTS,
    UNIT,
    Beginning,
    SolverOptions,
    SolverStatus,
)
from symvi.program.program import Program, solved_kinds
from symvi.simulate.accounts import Accounts
from symvi.simulate.bends import aims_of
from symvi.simulate.branch import Branch
from symvi.simulate.interior import Interior
from symvi.simulate.knot import Knot
from symvi.simulate.measures import Measures
from symvi.simulate.motion_before import MotionBefore
from symvi.simulate.newton import Newton
from symvi.simulate.placing_solver import Placing
from symvi.simulate.projection import Projection
from symvi.simulate.reference_memory import Memory, Runner
from symvi.simulate.rule_newton import RuleNewton
from symvi.simulate.stepper import Stepper


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
        self.chords, self.bends = bool(program.notes["chords"]), bool(program.notes["bends"])
        self.foreseen = bool(program.phases["push"])
        self.rows = [record for records in self.memory.work.values() for record in records if hasattr(record, "g")]
        self.loads = [r.load for records in self.memory.work.values() for r in records if hasattr(r, "load")]
        self.wrenches = [
            record.bearing if hasattr(record, "bearing") else record.wrench
            for records in self.memory.work.values()
            for record in records
            if hasattr(record, "bearing") or hasattr(record, "wrench")
        ]
        self.lags = [r.lag for records in self.memory.work.values() for r in records if hasattr(r, "lag")]
        composition = composition_of(program.notes.get("composition", 2))
        self.shares = [float(share) for share in composition.shares] if composition else []
        self.ends = [float(end) for end in composition.times] if composition else [1.0]
        self.watched = [record for record in self.rows if not hasattr(record, "y")]
        self.measures, self.motion_before = Measures(self), MotionBefore(self)
        self.rule = RuleNewton(self) if program.notes.get("rule") else None
        self.newton, self.stepper = Newton(self), Stepper(self)
        self.knot, self.projection = Knot(self), Projection(self)
        self.interior = Interior(self) if program.notes["inequalities"] else None
        self.branch = Branch(self) if self.loops else None
        self.placing = Placing(self)
        self.accounts = Accounts(program, self.memory.account)
        self.iterations = self.retries = self.substeps = 0
        self.increment = inf
        self.targets = aims_of(self.memory)
        self.inner: list[Callable[[], None]] = []  # puts the inputs of each inner step, where these have their own

    def twin(self) -> ReferenceSolver:
        """The same solver with a memory of its own."""
        return ReferenceSolver(self.program, self.options, self.run.kernels)

    def set_step(self, h: float) -> None:
        """The caller's step [s]."""
        self.memory.parameters["common"][0].h[0] = h
        self.set_up()

    def set_up(self, halvings: int = 0, share: float = 1.0) -> None:
        """A step so many halvings below the caller's: its length, and what parameters decide with it.

        share: of it, for an inner step.
        """
        self.common.step[0] = self.memory.parameters["common"][0].h[0]
        for _ in range(halvings):
            self.common.step[0] = 0.5 * self.common.step[0]
        self.common.step[0] = share * self.common.step[0]
        self.run("setup")

    def switches(self, impulse: float, carry: float, closure: float) -> None:
        self.common.impulse[0], self.common.carry[0], self.common.closure[0] = impulse, carry, closure

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

    def start(self, knot: int = Beginning.KNOT) -> float:
        """Momenta of a start, from placements and velocities in the state; returns the largest change by projection."""
        return self.knot.start(knot)

    def step(self, accounted: bool = False) -> SolverStatus:
        """One step, its parameters set up first; the state stays as it was when the status is negative.

        accounted: what it gives and takes of energy is added to the account.
        """
        if not self.is_step():
            self.switches(0.0, 0.0, 0.0)
            return SolverStatus.BAD_STEP
        return self.stepper.step_once(accounted)

    def see_knot(self, options: SolverOptions = DEFAULTS) -> None:
        """The knot as it stands: velocities, in the work memory. options: of the step from there."""
        own, self.options = self.options, options.in_precision("double")
        self.knot.see()
        self.options = own

    def record_account(self) -> dict[str, list]:
        """The sums at the knot that was reached; they begin anew."""
        if self.accounts.late:
            self.run("prepare")
            self.run("ahead")
        return self.accounts.record()

    def project(self, max_iterations: int = 50) -> float:
        """Move an approximate placement onto the constraints; returns the closure left [m or rad]."""
        return self.projection.project(max_iterations)
