"""One interface to a running solver, whether it is compiled C or the Python reference.

The memory is flat arrays of reals: parameters, state and inputs are numpy arrays whose layout is the plan's, and the C
structs are these very bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

from symvi.kernels.records import STORES
from symvi.native import Library
from symvi.numbers.control import CONTACT_SIZE, DEFAULTS, MENDED, PARTS, SolverOptions
from symvi.simulate.plan import Plan

if TYPE_CHECKING:  # a process that finds its library in the cache composes nothing
    from symvi.simulate.reference import ReferenceSolver


class Engine(Protocol):
    """A solver of one mechanism: its memory, and its entry points."""

    plan: Plan
    parameters: np.ndarray
    state: np.ndarray
    account: np.ndarray  # sums of energies since the last recorded knot
    iterations: int  # of the step that failed last
    would_do: int  # equal parts in which that step would have been solved; 0 if none are known

    def twin(self) -> Engine:
        """The same solver, with the same parameters, in a memory of its own: each may run beside the others."""
        ...

    def with_plan(self, plan: Plan) -> Engine:
        """The same solver with the defaults of a plan that differs in numbers alone, in a memory of its own."""
        ...

    def forget(self) -> None:
        """Clear state and scratch memory: nothing of an earlier start that failed may enter the next."""
        ...

    def flat(self, store: str) -> np.ndarray:
        """The numbers of the store "state" or "work", in the plan's order."""
        ...

    def start(self, inputs: np.ndarray, knot: int) -> float:
        """Momenta of a start whose velocities are a `Beginning`; returns the largest change by projecting them."""
        ...

    def project(self, inputs: np.ndarray, iterations: int) -> float:
        """Move the state's placement onto the constraints; returns the closure that is left."""
        ...

    def observe(self, inputs: np.ndarray, options: SolverOptions = DEFAULTS) -> np.ndarray:
        """A frame of the knot as it stands. options: of the step from there, half of whose impulses act before it."""
        ...

    def rollout(
        self, inputs: np.ndarray, stride: int, steps: int, every: int, options: SolverOptions
    ) -> tuple[int, int, np.ndarray]:
        """(status, steps done, frames of the first and every `every`-th knot after it).

        inputs have `stride` rows a step: one per knot, one per inner step of a composition, or none, and one in all.
        The frame of the first knot has no forces: another step led
        there. Frames beyond the steps done are zero or missing.
        """
        ...


class CEngine:
    """A compiled library."""

    def __init__(self, plan: Plan, library: Library, prefix: str, real: str):
        self.plan, self._library, self._prefix, self._real = plan, library, prefix, real
        self._ffi, self._lib = library.ffi, library.lib
        self._type = {"double": np.float64, "float": np.float32}[real]
        self.parameters, self.state, self.work = (
            np.zeros(max(1, plan.sizes[store]), self._type) for store in ("parameters", "state", "work")
        )
        self._ledger = np.zeros(2 * plan.sizes["account"], self._type)
        self.account = self._ledger[: plan.sizes["account"]]
        self.parameters[: len(plan.defaults)] = plan.defaults
        self._frame = plan.frame["size"][0]

    def twin(self) -> CEngine:
        twin = CEngine(self.plan, self._library, self._prefix, self._real)
        twin.parameters[:] = self.parameters
        return twin

    def with_plan(self, plan: Plan) -> CEngine:
        return CEngine(plan, self._library, self._prefix, self._real)

    def forget(self) -> None:
        self.state[:] = self.work[:] = self.account[:] = 0.0

    def flat(self, store: str) -> np.ndarray:
        """A store's numbers in the plan's order."""
        return {"state": self.state, "work": self.work}[store]

    def _pointer(self, array: np.ndarray, store: str):
        return self._ffi.cast(f"{self._prefix}_{store} *", array.ctypes.data)

    def _function(self, name: str):
        return getattr(self._lib, f"{self._prefix}_{name}")

    def _memory(self, inputs: np.ndarray):
        inputs = self._inputs(inputs)
        return inputs, [
            self._pointer(self.parameters, "parameters"),
            self._pointer(self.state, "state"),
            self._pointer(inputs, "input"),
            self._pointer(self.work, "work"),
        ]

    def _inputs(self, inputs: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):  # what float cannot hold is infinite, and the step says so
            array = np.ascontiguousarray(inputs, self._type)
        return array if array.size else np.zeros(1, self._type)

    def _options(self, options: SolverOptions):
        options = options.in_precision(self._real)
        return self._ffi.new(
            f"{self._prefix}_options *",
            [options.tolerance, options.max_iterations, options.max_halvings]
            + [int(options.extrapolate), options.fixed_iterations]
            + [options.complementarity, int(options.papers_method)] * bool(self.plan.notes.get("inequalities"))
            + [options.substeps],
        )

    def start(self, inputs: np.ndarray, knot: int) -> float:
        _kept, memory = self._memory(inputs)
        change = self._ffi.new(f"{self._prefix}_real *")
        self._function("start")(*memory, int(knot), change)  # a start that is none is told in words, by what is wrong
        return float(change[0])

    def project(self, inputs: np.ndarray, iterations: int) -> float:
        _kept, memory = self._memory(inputs)
        return float(self._function("project")(*memory, iterations))

    def observe(self, inputs: np.ndarray, options: SolverOptions = DEFAULTS) -> np.ndarray:
        return self.rollout(inputs, 0, 0, 1, options)[2][0]

    def rollout(
        self, inputs: np.ndarray, stride: int, steps: int, every: int, options: SolverOptions
    ) -> tuple[int, int, np.ndarray]:
        kept, (p, z, u, w) = self._memory(inputs)
        frames = np.zeros((1 + steps // every, self._frame), self._type)
        done = self._ffi.new("int *")
        where, ledger = self._pointer(frames, "frame"), self._pointer(self._ledger, "ledger")
        status = self._function("rollout")(
            p, self._options(options), z, u, stride, w, steps, every, where, done, ledger
        )
        if status < 0:
            self._look_at_failure(int(status), options, u + stride * done[0], stride)
        del kept
        return int(status), int(done[0]), frames

    def trail(
        self,
        inputs: np.ndarray,
        stride: int,
        steps: int,
        every: int,
        whole: int,
        options: SolverOptions,
        into: np.ndarray,
    ) -> tuple[int, int]:
        """(status, steps done) of a rollout that fills few frames: those after multiples of `whole` steps, and last.

        The others tell placements, angles, gaps, and the step that led there. into: as many frames as a rollout makes.
        """
        kept, (p, z, u, w) = self._memory(inputs)
        done = self._ffi.new("int *")
        where, ledger = self._pointer(into, "frame"), self._pointer(self._ledger, "ledger")
        status = self._function("trail")(
            p, self._options(options), z, u, stride, w, steps, every, whole, where, done, ledger
        )
        if status < 0:
            self._look_at_failure(int(status), options, u + stride * done[0], stride)
        del kept
        return int(status), int(done[0])

    def _look_at_failure(self, status: int, options: SolverOptions, inputs, stride: int) -> None:
        """Iterations of the step that failed, and parts that would do; it is tried again, and fails in the same way.

        Not of inputs that inner steps have for themselves: no parts are taken of these.
        """
        self.would_do = self.iterations = 0
        if stride > 1:
            return
        info = self._ffi.new(f"{self._prefix}_info *")
        p, w = (self._pointer(getattr(self, name), name) for name in ("parameters", "work"))

        def step(how: SolverOptions) -> int:
            state = self.state.copy()
            return self._function("step")(p, self._options(how), self._pointer(state, "state"), inputs, w, info)

        self.would_do = _parts_that_do(status, options, step)
        step(options)
        self.iterations = int(info.iterations)


def _parts_that_do(status: int, options: SolverOptions, step: Callable[[SolverOptions], int]) -> int:
    """The fewest parts, beyond those allowed, in which a step that failed is solved; 0 where none are found."""
    if status not in MENDED or options.fixed_iterations > 0:
        return 0
    return next((n for n in PARTS if n > options.substeps and step(replace(options, substeps=n)) >= 0), 0)


class PythonEngine:
    """The reference back end behind the same arrays."""

    def __init__(self, plan: Plan, solver: ReferenceSolver):
        self.plan, self.solver = plan, solver
        self.parameters = np.array(plan.defaults, np.float64)
        self.state = np.zeros(plan.sizes["state"])
        self.account = np.zeros(plan.sizes["account"])
        self._order = {store: [k.split("/") for k in plan.fields[store]] for store in STORES}

    def twin(self) -> PythonEngine:
        twin = PythonEngine(self.plan, self.solver.twin())
        twin.parameters[:] = self.parameters
        return twin

    def with_plan(self, plan: Plan) -> PythonEngine:
        return PythonEngine(plan, self.solver.twin())

    def forget(self) -> None:
        self.state[:] = self.account[:] = 0.0
        for values in self._lists("work"):
            values[:] = [0.0] * len(values)

    def _lists(self, store: str):
        memory = getattr(self.solver.memory, store)
        for kind, index, name in self._order[store]:
            yield getattr(memory[kind][int(index)], name)

    def _push(self, store: str, array: np.ndarray) -> None:
        offset = 0
        for values in self._lists(store):
            values[:] = [float(x) for x in array[offset : offset + len(values)]]
            offset += len(values)

    def _pull_state(self) -> None:
        self.state[:] = self.flat("state")
        self.account[:] = self.flat("account")

    def flat(self, store: str) -> np.ndarray:
        """A store's numbers in the plan's order."""
        return np.array([x for values in self._lists(store) for x in values])

    def _enter(self, inputs: np.ndarray) -> None:
        self._push("parameters", self.parameters)
        self._push("state", self.state)
        self._push("account", self.account)
        self._push("input", np.ravel(inputs))

    def start(self, inputs: np.ndarray, knot: int) -> float:
        self._enter(inputs)
        change = self.solver.start(knot)
        self._pull_state()
        return change

    def project(self, inputs: np.ndarray, iterations: int) -> float:
        self._enter(inputs)
        closure = self.solver.project(iterations)
        self._pull_state()
        return closure

    def observe(self, inputs: np.ndarray, options: SolverOptions = DEFAULTS) -> np.ndarray:
        self._enter(inputs)
        self.solver.see_knot(options)
        return self._frame_of(self._nothing() | self._seen())

    def _nothing(self) -> dict:
        """What a frame tells of the step that led there, where none did."""
        n = len(self.plan.bodies)
        return {
            "rows": [0.0] * self.plan.rows,
            "reaction": [[0.0] * 6] * len(self.plan.reactions),
            "power": [0.0] * len(self.plan.drivers),
            "retries": 0,
            "substeps": 0,
            "contact": [0.0] * (CONTACT_SIZE * len(self.plan.contacts)),
            "stop": [0.0] * sum(node["rows"] for node in self.plan.stops),
            "before_x": [[0.0] * 3] * n,
            "before_q": [[0.0] * 4] * n,
            "iterations": 0,
            "status": 0,
            "misread": 0.0,
            "work": [0.0] * len(self.plan.works),
            "pace": 0.0,
            "sway": 0.0,
            "late": [[0.0] * 2] * len(self.plan.late),
            "spent": [0.0] * len(self.plan.losses),
        }

    def _seen(self) -> dict:
        """A knot at the velocities that the work memory holds, with the angles that are carried."""
        work = self.solver.memory.work
        angles = [getattr(work[a["kind"]][a["index"]], f"{a['field']}_now")[0] for a in self.plan.carried]
        return self.solver.knot.seen() | {"angle": angles}

    def _seen_behind(self, solved: bool) -> dict:
        """The knot that a step began at, once it was solved, or was not."""
        try:
            self.solver.knot.see_behind(solved)
            seen = self._seen()
            if solved and self.plan.drivers and self.solver.knot.time_before() > 0.0:
                seen["misread"] = self.solver.knot.misread(self._velocities())
            return seen
        except (ArithmeticError, ValueError):  # where C goes on with numbers that are none
            names = ("x", "q", "v", "w", "kinetic", "potential", "momentum", "angular_momentum", "closure", "angle")
            names += ("scatter", "swerve")
            shapes = {name: self.plan.frame[name][1] for name in names if name in self.plan.frame}
            return {name: np.full(shape, np.nan) for name, shape in shapes.items()}

    def _velocities(self) -> list[list[list[float]]]:
        """(v, w) of every body over the step that led to the state."""
        count = len(self.plan.bodies)
        return [
            [self.state[self.plan.at("state", "body", k, name)].tolist() for name in ("v", "w")] for k in range(count)
        ]

    def _frame_of(self, values: dict) -> np.ndarray:
        work, contacts = self.solver.memory.work, list(values["contact"]) if self.plan.contacts else []
        for k, node in enumerate(self.plan.contacts):
            contacts[CONTACT_SIZE * k] = work[node["kind"]][node["index"]].gap[0]
        values = {**values, "contact": contacts}
        return np.concatenate([np.ravel(values[name]) for name in self.plan.frame if name != "size"]).astype(np.float64)

    def rollout(
        self, inputs: np.ndarray, stride: int, steps: int, every: int, options: SolverOptions
    ) -> tuple[int, int, np.ndarray]:
        solver = self.solver
        solver.options = options.in_precision("double")
        self._enter(inputs[0])
        frames, worst, led = [], 0, self._nothing()
        for n in range(steps):
            solver.inner = self._inner(inputs, stride, n)
            if stride:
                self._push("input", inputs[n * stride])
            knot, recorded = self.flat("state"), n % every == 0
            before = self._placement()
            status = solver.step(accounted=True)
            effort = {name: getattr(solver, name) for name in ("iterations", "retries", "substeps")}
            effort["status"] = int(status)
            following = before | self._forces() | effort if status >= 0 and (n + 1) % every == 0 else {}
            if recorded:  # the knot that the step began at: half of what acts there acts before it
                self._pull_state()
                self._push("state", knot)
                frames.append(self._frame_of(led | self._seen_behind(status >= 0)))
                self._push("state", self.state)
            if status < 0:
                self._pull_state()
                self._look_at_failure(int(status), options, stride)
                return int(status), n, np.array(frames).reshape(-1, self.plan.frame["size"][0])
            if following:
                if stride:
                    self._push("input", inputs[(n + 1) * stride])
                following |= solver.record_account()
            led, worst = {"misread": 0.0} | following, max(worst, int(status))
        self._pull_state()
        if steps % every == 0:
            solver.inner = self._inner(inputs, stride, steps)
            if stride:
                self._push("input", inputs[steps * stride])
            solver.see_knot(options)
            solver.inner = []
            frames.append(self._frame_of(led | self._seen()))
        return worst, steps, np.array(frames).reshape(-1, self.plan.frame["size"][0])

    def _inner(self, inputs: np.ndarray, stride: int, step: int) -> list[Callable[[], None]]:
        """What puts the inputs of each inner step of a step; none where these have none of their own."""
        rows = inputs[step * stride : (step + 1) * stride] if stride > 1 else []
        return [partial(self._push, "input", row) for row in rows]

    def _look_at_failure(self, status: int, options: SolverOptions, stride: int) -> None:
        """Iterations of the step that failed, and parts that would do; it is tried again, and fails in the same way."""
        self.would_do = self.iterations = 0
        if stride > 1:
            return

        def step(how: SolverOptions) -> int:
            self.solver.options = how.in_precision("double")
            self._push("state", self.state)
            return self.solver.step()

        self.would_do = _parts_that_do(status, options, step)
        step(options)
        self.iterations = self.solver.iterations

    def _placement(self) -> dict[str, list]:
        bodies = self.solver.memory.state["body"]
        return {"before_x": [list(body.x) for body in bodies], "before_q": [list(body.q) for body in bodies]}

    def _forces(self) -> dict[str, list]:
        common = self.solver.common
        if not common.parts[0] > 1.0:
            self.solver.run("react")
        time = common.elapsed[0]
        work, state = self.solver.memory.work, self.solver.memory.state
        own = [(c, work[c["kind"]][c["index"]]) for c in self.plan.constraints]
        return {
            "contact": [x for c in self.plan.contacts for x in work[c["kind"]][c["index"]].shown],
            "stop": [x for c in self.plan.stops for x in work[c["kind"]][c["index"]].shown],
            "rows": [y / time if time > 0.0 else 0.0 for _, record in own for y in record.y],
            "reaction": [list(record.reaction) for c, record in own if c["reaction"]],
            "power": [
                record.y[0] / time * state[c["kind"]][c["index"]].rate_before[0]
                for c, record in own
                if c["type"] == "driver"
            ],
        }
