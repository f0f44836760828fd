"""Direct transcription: states at all knots and inputs of all steps are the unknowns of one nonlinear program, and each
step x_{k+1} = f(x_k, u_k) is a constraint of it (Betts, Practical Methods for Optimal Control, 2010, ch. 4).

f is the step of the simulator itself, and its Jacobian that of `linearize`, so that what is found is a motion that
`simulate` repeats. CasADi holds the program, Ipopt solves it (extra `casadi`). The Hessian is that of the costs alone
("gauss-newton"), or gathered from gradients ("quasi-newton").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symvi.control.casadi_steps import Steps, casadi
from symvi.control.limits import Bounds, Phases, ends_of, pair_of, phase_of
from symvi.control.weights import Weights, checked_tolerance, falling, numbers_of, regulated, weights_of
from symvi.errors import ArgumentError
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.state import State
from symvi.numbers.control import DEFAULTS, SolverOptions
from symvi.simulate.simulator import Simulator
from symvi.simulate.slope_path import SlopePath
from symvi.simulate.step_map import StepMap

Array = NDArray[np.float64]
More = Callable[[Mapping[str, Any], Mapping[str, Any]], Any]
HESSIANS = ("gauss-newton", "quasi-newton")


@dataclass(frozen=True, eq=False)
class Transcription:
    """A motion that was found. x (N + 1, n) of `names`, u (N, m) of `input_names`, time (N + 1,) of the knots and steps
    (N,) between them [s].

    start, inputs: what `simulate` repeats it from; inputs: name -> (N + 1,). cost: of the motion. violation: what steps
    are off by at most. iterations: of Ipopt, over all smoothings. converged: whether a minimum was found; ended: why
    Ipopt ended. smoothing: of contacts, limits and dry friction, the last one; None without any. phases: how many steps
    each has.
    """

    x: Array
    u: Array
    names: tuple[str, ...]
    input_names: tuple[str, ...]
    time: Array
    steps: Array
    start: State
    inputs: Mapping[str, Array]
    cost: float
    violation: float
    iterations: int
    converged: bool
    ended: str
    smoothing: float | None
    phases: tuple[int, ...]

    @property
    def step(self) -> float:
        """The length of all steps [s]. Raises ArgumentError where phases have lengths of their own."""
        if len(self.phases) > 1:
            raise ArgumentError("step: steps of phases have lengths of their own; see steps and stretches()")
        return float(self.steps[0])

    def stretches(self) -> list[dict[str, Any]]:
        """What `simulate` repeats each phase by: time, step, inputs. The first starts at `start`, each other one where
        the motion before it ended."""
        found, first = [], 0
        for count in self.phases:
            h, last = float(self.steps[first]), first + count
            inputs = {name: rows[first : last + 1] for name, rows in self.inputs.items()}
            found.append({"time": count * h, "step": h, "inputs": inputs})
            first = last
        return found

    def __repr__(self) -> str:
        about = f"{len(self.u)} steps, cost {self.cost:.6g} after {self.iterations} iterations"
        return f"<transcription: {about}, {self.ended}>"


def transcribe(
    simulator: Simulator,
    time: float,
    step: float = 0.01,
    *,
    R: Weights,
    Q: Weights | None = None,
    final: Weights | None = None,
    goal: Mapping[str, float] | ArrayLike | None = None,
    start: State | None = None,
    end: Mapping[str, float] | None = None,
    bounds: Bounds | None = None,
    free_start: Sequence[str] = (),
    free_time: tuple[float, float] | None = None,
    time_cost: float = 0.0,
    phases: Phases = (),
    inputs: Mapping[str, object] | None = None,
    guess: Literal["line", "motion"] | ArrayLike | Transcription = "line",
    constraints: More | None = None,
    cost: More | None = None,
    coordinates: Sequence[str] | None = None,
    smoothing: float | Sequence[float] | None = None,
    options: SolverOptions = DEFAULTS,
    hessian: Literal["gauss-newton", "quasi-newton"] = "quasi-newton",
    iterations: int = 500,
    tolerance: float = 1e-8,
) -> Transcription:
    """The motion of `time` seconds that makes Σ (x - g)ᵀQ(x - g) + uᵀRu + (x_N - g)ᵀF(x_N - g) least, within bounds.

    Q, R, final, goal: as in `ilqr`; without Q, states cost nothing. Inputs that R does not name stay as they are given.
    start: the first knot; numbers of x that `free_start` names are found as well. end: numbers of x at the last knot,
    exactly. bounds: name of a state or an input -> (least, most), None for no bound, at every knot after the first, and
    at the first for what is free there; either may be a number for each knot, (N + 1,) of a state, (N,) of an input.
    free_time: the least and the most that the motion may take [s]; its steps are of one length that is found, `time` is
    a guess and says their number. phases: triples (steps, least, most [s]) of stretches, one after the other, each with
    steps of a length of its own that is found. time_cost: of a second. inputs: the first guess, as in `simulate`.
    guess: of x, (N + 1, n), or "line", from the start to `end` (or else the goal), or "motion", that of the inputs, or
    a plan that was found before, with its inputs and steps. constraints(x, u): more of them, as triples (expression,
    least, most), of CasADi's symbols by name, x[name] (N + 1,), u[name] (N,). cost(x, u): a cost beside the squares, an
    expression of one number. smoothing: of contacts, limits and dry friction; several are taken one after the other,
    each from what was found with the one before. tolerance: Ipopt's.
    Raises MissingExtraError without CasADi; SolverError where a step of the guess cannot be taken; ArgumentError,
    MechanismError, AssemblyError.
    """
    _check(hessian, iterations, tolerance)
    found, count = None, 0
    for one in falling(smoothing):
        problem = _Problem.of(
            simulator, time, step, start, inputs or {}, coordinates=coordinates, smoothing=one, options=options
        )
        problem.weigh(Q, R, final, goal)
        problem.bound(bounds or {}, end or {}, free_start)
        problem.let_go(free_time, phases, time_cost)
        begun = found if found is not None else guess if isinstance(guess, Transcription) else None
        at = problem.guessed(guess, end) if begun is None else problem.again(begun)
        found = problem.solved(*at, constraints, cost, hessian, iterations, tolerance, count)
        count = found.iterations
        if not found.converged:
            break
    assert found is not None
    return found


def _check(hessian: str, iterations: int, tolerance: float) -> None:
    if hessian not in HESSIANS:
        raise ArgumentError(f"hessian {shown(hessian)}: use one of {', '.join(map(repr, HESSIANS))}")
    if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
        raise ArgumentError(f"iterations {iterations!r}: must be a whole number above zero")
    checked_tolerance(tolerance)


@dataclass
class _Problem:
    """One program: the map of a step, the weights of costs, bounds of all unknowns."""

    map: StepMap
    path: SlopePath
    wanted: list[int] = field(default_factory=list)  # inputs that are found
    weights: dict[str, Array] = field(default_factory=dict)
    goal: Array = field(default_factory=lambda: np.zeros(0))
    x: Array = field(default_factory=lambda: np.zeros(0))  # (2, N + 1, n) least and most
    u: Array = field(default_factory=lambda: np.zeros(0))  # (2, N, wanted)
    ends: dict[str, float] = field(default_factory=dict)
    phases: list[int] = field(default_factory=list)  # steps of each
    lengths: list[tuple[float, float]] = field(default_factory=list)  # least and most of their steps, where free
    time_cost: float = 0.0
    steps: Array = field(default_factory=lambda: np.zeros(0))  # (N,) lengths of the guess

    @classmethod
    def of(cls, simulator: Simulator, time: float, step: float, start: Any, inputs: Any, **more: Any) -> _Problem:
        """A program without costs and bounds."""
        casadi()
        path = SlopePath(simulator, time, step, start, inputs, **more)
        first = {name: rows[:2] for name, rows in path.given(path.rows[:1]).items()}
        return cls(StepMap(simulator, step, start=start, inputs=first, **more), path)

    @property
    def names(self) -> tuple[str, ...]:
        return self.map.names

    # --- what is asked ------------------------------------------------------------------------------------------------
    def weigh(self, Q: Weights | None, R: Weights, final: Weights | None, goal: Any) -> None:
        """Costs. Raises ArgumentError."""
        self.wanted, r = regulated(R, self.map.inputs)
        q = weights_of("Q", {} if Q is None else Q, self.names)
        last = q if final is None else weights_of("final", final, self.names)
        self.weights, self.goal = {"Q": q, "R": r, "final": last}, numbers_of("goal", goal, self.names)

    def bound(self, bounds: Bounds, end: Mapping[str, float], free: Sequence[str]) -> None:
        """Bounds of all unknowns. Raises ArgumentError."""
        n, names = len(self.path), list(self.names)
        given = [self.map.inputs[k] for k in self.wanted]
        self.x = np.array([np.full((n + 1, len(names)), -np.inf), np.full((n + 1, len(names)), np.inf)])
        self.u = np.array([np.full((n, len(given)), -np.inf), np.full((n, len(given)), np.inf)])
        for name, pair in bounds.items():
            if name in names:
                self.x[:, :, names.index(name)] = ends_of(name, pair, n + 1)
            elif name in given:
                self.u[:, :, given.index(name)] = ends_of(name, pair, n)
            else:
                raise ArgumentError(f"bounds: no {shown(name)}; {did_you_mean(str(name), [*names, *given])}")
        self.ends = {}
        for name, value in end.items():
            if name not in names:
                raise ArgumentError(f"end: no {shown(name)}; {did_you_mean(str(name), names)}")
            if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
                raise ArgumentError(f"end: '{name}' is {shown(value)}; give a finite number")
            column = self.x[:, -1, names.index(name)]
            if not column[0] <= value <= column[1]:
                raise ArgumentError(f"end: '{name}' is {shown(value)}, outside its bounds at the last knot")
            self.x[:, -1, names.index(name)] = self.ends[name] = float(value)
        for name in free:
            if name not in names:
                raise ArgumentError(f"free_start: no {shown(name)}; {did_you_mean(str(name), names)}")
        for k, name in enumerate(names):
            if name not in free:
                self.x[:, 0, k] = self.map.start[k]

    def let_go(self, free: Any, phases: Phases, cost: float) -> None:
        """The time of the motion, or of its phases. Raises ArgumentError."""
        if isinstance(cost, bool) or not isinstance(cost, Real) or not isfinite(cost) or cost < 0:
            raise ArgumentError(f"time_cost {shown(cost)}: must be a finite number, zero or more")
        self.phases, self.time_cost = [len(self.path)], float(cost)
        if isinstance(phases, str) or not isinstance(phases, Sequence):
            raise ArgumentError(f"phases {shown(phases)}: give a list of (steps, least, most)")
        if free is None and not phases:
            if cost:
                raise ArgumentError("time_cost: the time is given; name its least and most by free_time, or phases")
            return
        what = "free_time" if free is not None else "phases"
        if free is not None and phases:
            raise ArgumentError("free_time: phases have times of their own; give one of both")
        given = (
            [(len(self.path), *pair_of("free_time:", free))] if free is not None else [phase_of(one) for one in phases]
        )
        for _, least, most in given:
            if not 0 < least <= most < np.inf:
                said = shown((least, most) if free is None else free)
                raise ArgumentError(f"{what} {said}: give (least, most) in s, both above zero and finite")
        if sum(count for count, _, _ in given) != len(self.path):
            counts = sum(count for count, _, _ in given)
            raise ArgumentError(f"phases: have {counts} steps, and time / step says {len(self.path)}; give as many")
        own = self.path.own
        for name in self.map.inputs:
            if own.inputs.has_signal(name):
                raise ArgumentError(f"{what}: '{name}' follows a signal in t; give it as an input")
        notes = self.map.plan.notes
        if "rule" in notes or notes.get("composition", 2) not in (None, 2):
            raise ArgumentError(f"{what}: steps of a higher order have one length; give a simulator of order 2")
        self.phases = [count for count, _, _ in given]
        self.lengths = [(least / count, most / count) for count, least, most in given]

    def again(self, plan: Transcription) -> tuple[Array, Array]:
        """(x, u) of a plan, to begin at. Raises ArgumentError."""
        if plan.names != self.names or plan.input_names != self.map.inputs or len(plan.u) != len(self.path):
            raise ArgumentError(
                f"guess {plan!r}: is of other states, inputs or knots; give one of {len(self.path)} steps of this "
                "mechanism"
            )
        self.steps = plan.steps if self.lengths else self._given_steps()
        return plan.x, plan.u[:, self.wanted]

    def _given_steps(self) -> Array:
        return self.path.step * np.ones(len(self.path))

    def guessed(self, guess: Any, end: Any) -> tuple[Array, Array]:
        """(x, u) to begin at. Raises SolverError, ArgumentError."""
        self.steps = self._given_steps()
        n, size = len(self.path), len(self.names)
        u = self.path.rows[:, self.wanted].copy()
        if isinstance(guess, str) and guess == "line":
            last = self.map.start.copy()
            for k, name in enumerate(self.names):
                last[k] = self.ends.get(name, self.goal[k] if self.weights["final"][k, k] > 0 else last[k])
            share = np.linspace(0.0, 1.0, n + 1)[:, None]
            return np.asarray((1 - share) * self.map.start + share * last, float), u
        if isinstance(guess, str) and guess == "motion":
            path, found = self.path, []
            path.rewind()
            states = path.states(path.first, 0, n, path.rows)
            for k, state in enumerate(states):
                found.append(path.x(state, path.rows[min(k, n - 1)]))
            return np.array(found), u
        try:
            x = np.array(guess, float)
        except (TypeError, ValueError):
            x = np.zeros(0)
        if x.shape != (n + 1, size) or not np.isfinite(x).all():
            raise ArgumentError(
                f"guess {shown(guess)}: use 'line', 'motion' or finite numbers of shape ({n + 1}, {size}), at the "
                f"knots of {', '.join(self.names)}"
            )
        return x, u

    # --- the program --------------------------------------------------------------------------------------------------
    def solved(
        self,
        x: Array,
        u: Array,
        constraints: More | None,
        cost: More | None,
        hessian: str,
        iterations: int,
        tolerance: float,
        before: int,
    ) -> Transcription:
        """What Ipopt finds from a guess."""
        ca, n, m = casadi(), len(self.path), len(self.wanted)
        x = np.clip(x, *self.x)
        u = np.clip(u, *self.u)
        free, bounds = bool(self.lengths), np.array(self.lengths).reshape(-1, 2).T
        firsts = np.cumsum([0, *self.phases[:-1]])
        guess = np.clip(self.steps[firsts], *bounds) if free else np.zeros(0)
        steps = Steps(self.map, self.path.rows, self.wanted, x, u, self._lengths(guess))
        xs, us, lengths = ca.MX.sym("x", len(self.names), n + 1), ca.MX.sym("u", m, n), ca.MX.sym("h", len(guess))
        objective, defects, more = self._cost(ca, xs, us), [], self._lengths([lengths[k] for k in range(len(guess))])
        for k in range(n):
            defects.append(steps.symbolic(k, xs[:, k], us[:, k], *more[k]) - xs[:, k + 1])
        if free:
            objective += self.time_cost * ca.dot(ca.DM(self.phases), lengths)
        named = {name: xs[k, :].T for k, name in enumerate(self.names)}
        driven = {self.map.inputs[one]: us[k, :].T for k, one in enumerate(self.wanted)}
        if cost is not None:
            objective += _one_number("cost", cost(named, driven))
        rows, least, most = _more(ca, constraints, named, driven)
        unknowns = ca.vertcat(ca.vec(xs), ca.vec(us), lengths)
        program = {"x": unknowns, "f": objective, "g": ca.vertcat(*defects, *rows)}
        own: dict[str, Any] = {
            "ipopt": {"print_level": 0, "sb": "yes", "max_iter": iterations, "tol": tolerance},
            "print_time": False,
            "show_eval_warnings": False,
        }
        if hessian == "quasi-newton":
            own["ipopt"]["hessian_approximation"] = "limited-memory"
        else:
            own["hess_lag"] = self._hessian(ca, program, objective, rows)
        solver = ca.nlpsol("transcription", "ipopt", program, own)
        zero = np.zeros(n * len(self.names))
        done = solver(
            x0=np.concatenate([x.ravel(), u.ravel(), guess]),
            lbx=np.concatenate([self.x[0].ravel(), self.u[0].ravel(), bounds[0]]),
            ubx=np.concatenate([self.x[1].ravel(), self.u[1].ravel(), bounds[1]]),
            lbg=np.concatenate([zero, least]),
            ubg=np.concatenate([zero, most]),
        )
        told = solver.stats()
        flat = np.array(done["x"]).ravel()
        x, u = flat[: x.size].reshape(x.shape), flat[x.size : x.size + u.size].reshape(u.shape)
        if free:
            self.steps = np.repeat(flat[x.size + u.size :], self.phases)
        off = float(np.abs(np.array(done["g"]).ravel()[: len(zero)]).max(initial=0.0))
        return self._found(x, u, float(done["f"]), off, before, told)

    def _lengths(self, each: Sequence[Any] | Array) -> list[tuple[Any, ...]]:
        """Of every step: its length, and that of the step before at the first one of a later phase; of free ones."""
        if not len(each):
            return [()] * len(self.path)
        found: list[tuple[Any, ...]] = []
        for number, (count, own) in enumerate(zip(self.phases, each, strict=True)):
            first = (own, each[number - 1]) if number else (own,)
            found += [first] + [(own,)] * (count - 1)
        return found

    def _cost(self, ca: Any, xs: Any, us: Any) -> Any:
        """The squares."""
        off, total = xs - ca.DM(self.goal), ca.MX(0)
        for k in range(len(self.path)):
            total += ca.bilin(ca.DM(self.weights["Q"]), off[:, k], off[:, k])
            total += ca.bilin(ca.DM(self.weights["R"]), us[:, k], us[:, k])
        return total + ca.bilin(ca.DM(self.weights["final"]), off[:, -1], off[:, -1])

    def _hessian(self, ca: Any, program: dict[str, Any], objective: Any, rows: list[Any]) -> Any:
        """Of the costs and of further constraints, without that of steps."""
        unknowns = program["x"]
        factor, duals = ca.MX.sym("factor"), ca.MX.sym("duals", program["g"].shape[0])
        own = program["g"].shape[0] - sum(each.shape[0] for each in rows)
        lagrangian = factor * objective
        if rows:
            lagrangian += ca.dot(duals[own:], ca.vertcat(*rows))
        curve = ca.triu(ca.hessian(lagrangian, unknowns)[0])
        return ca.Function("hessian", [unknowns, ca.MX.sym("p", 0, 1), factor, duals], [curve])

    def _found(self, x: Array, u: Array, cost: float, off: float, before: int, told: dict[str, Any]) -> Transcription:
        rows = self.path.rows.copy()
        rows[:, self.wanted] = u
        ended = str(told["return_status"]).replace("_", " ").lower()
        start = self.map.state(x[0], float(self.path.time[0]))
        time = self.path.time
        if self.lengths:
            time = np.asarray(start.time + np.concatenate([[0.0], np.cumsum(self.steps)]), float)
        return Transcription(
            x, rows, self.names, self.map.inputs, time, self.steps, start, self.path.given(rows), cost, off,
            before + int(told["iter_count"]), bool(told["success"]), ended, self.map.smoothing, tuple(self.phases),
        )  # fmt: skip


def _one_number(what: str, given: Any) -> Any:
    if getattr(given, "shape", ()) not in ((), (1, 1)):
        raise ArgumentError(f"{what}: returned something of shape {given.shape}; return one number")
    return given


def _more(
    ca: Any, constraints: More | None, x: Mapping[str, Any], u: Mapping[str, Any]
) -> tuple[list[Any], Array, Array]:
    """Expressions of further constraints, and what they lie between. Raises ArgumentError."""
    rows, least, most = [], [np.zeros(0)], [np.zeros(0)]
    for k, one in enumerate(constraints(x, u) if constraints is not None else ()):
        if not isinstance(one, (tuple, list)) or len(one) != 3:
            raise ArgumentError(f"constraints: number {k} is {shown(one)}; give (expression, least, most)")
        row = ca.vec(ca.MX(one[0]))
        rows.append(row)
        for ends, value in ((least, one[1]), (most, one[2])):
            numbers = np.broadcast_to(np.array(value, float).ravel(), (row.shape[0],))
            ends.append(np.array(numbers))
    return rows, np.concatenate(least), np.concatenate(most)
