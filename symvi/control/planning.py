"""A motion that costs least, by iterated linear-quadratic regulation (Li and Todorov 2004; Tassa et al. 2012).

Backwards, the cost to come is taken for a quadratic of each knot, through A and B of the step; forwards, the inputs
follow its minimum with feedback, as far as the true cost falls as it promises. Where it does not, states are held
nearer to where they were, by more weight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symvi.control.costs import Costs, Residuals
from symvi.control.curvature import Curvature
from symvi.control.tracking import Tracker
from symvi.control.weights import Weights, checked_tolerance, falling, numbers_of, regulated, weights_of
from symvi.errors import ArgumentError, SolverError
from symvi.mechanism.names import shown
from symvi.mechanism.state import State
from symvi.numbers.control import DEFAULTS, SolverOptions, SolverStatus
from symvi.simulate.simulator import Simulator
from symvi.simulate.slope_path import SlopePath

Array = NDArray[np.float64]
Model = tuple[Array, Array, "Array | None"]  # A, B, ∂²f of a step
SHARES = tuple(0.5**k for k in range(10))  # of a change of inputs, tried one after the other
KEPT = 1e-4  # of the promised fall of the cost: a change that brings less is not taken
GROWTH, LEAST, MOST = 4.0, 1e-9, 1e9  # of the weight that holds states where they were


@dataclass(frozen=True, eq=False)
class Plan:
    """A planned motion. x (N + 1, n) of `names`, u (N, m) of what drives each step, time (N + 1,) [s].

    cost: its own; costs: of all motions on the way, the first guess's first. converged: whether the last change
    promised less than the tolerance; otherwise `ended` says why there is no better. inputs: name -> (N + 1,), for
    `simulate`, from the same start. tracker: brings the mechanism back to the plan.
    """

    x: Array
    u: Array
    names: tuple[str, ...]
    input_names: tuple[str, ...]
    time: Array
    cost: float
    costs: tuple[float, ...]
    converged: bool
    ended: str
    inputs: Mapping[str, Array]
    tracker: Tracker

    def __repr__(self) -> str:
        return f"<plan: {len(self.u)} steps, cost {self.cost:.6g} after {len(self.costs) - 1} changes, {self.ended}>"


def ilqr(
    simulator: Simulator,
    time: float,
    step: float = 0.01,
    *,
    Q: Weights,
    R: Weights,
    final: Weights | None = None,
    goal: Mapping[str, float] | ArrayLike | None = None,
    residuals: Residuals | None = None,
    start: State | None = None,
    inputs: Mapping[str, object] | None = None,
    guess: Plan | None = None,
    coordinates: tuple[str, ...] | None = None,
    smoothing: float | Sequence[float] | None = None,
    options: SolverOptions = DEFAULTS,
    second_order: bool = False,
    iterations: int = 300,
    tolerance: float = 1e-7,
) -> Plan:
    """The inputs of a motion of `time` seconds that make Σ (x - g)ᵀQ(x - g) + uᵀRu + (x_N - g)ᵀF(x_N - g) least.

    Q, final: weights of states at all knots but the last, and there; None is Q. R: weights of inputs, as in `lqr`;
    inputs that it does not name stay as they are given. goal: g by name, zero for others. residuals(x): x (N + 1, n) at
    all knots to (r (N + 1, p), by x (N + 1, p, n)), whose squares are costs as well. inputs: the first guess, as in
    `simulate`; the minimum that is found is the one that is near. guess: a plan of the same steps to begin at instead,
    whose gains hold the first motion near it. Coordinates count whole turns from the start's.
    smoothing: of contacts, limits and dry friction: the motion is one of steps that are sent to this centring, as in
    `transcribe`; several are taken one after the other, each from the plan that was found with the one before. None
    takes the steps of `simulate`, and derivatives at their own centring.
    second_order: with λ·∂²f of the steps, by central differences of A and B (differential dynamic programming, Jacobson
    and Mayne 1970): fewer changes near a minimum, each of which takes 2 (n + m) linearisations of every step.
    iterations: of each smoothing. tolerance: of the cost, that the last change promises at most. coordinates, options:
    as in `linearize`. Raises SolverError where the first guess cannot be simulated; AssemblyError, MechanismError,
    ArgumentError.
    """
    if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
        raise ArgumentError(f"iterations {iterations!r}: must be a whole number above zero")
    if not isinstance(second_order, bool):
        raise ArgumentError(f"second_order {shown(second_order)}: must be True or False")
    if not (guess is None or isinstance(guess, Plan)):
        raise ArgumentError(f"guess {shown(guess)}: give what ilqr has returned")
    tolerance, given = checked_tolerance(tolerance), dict(inputs or {})
    for one in falling(smoothing):
        path = SlopePath(simulator, time, step, start, given, coordinates=coordinates, smoothing=one, options=options)
        q = weights_of("Q", Q, path.names)
        wanted, r = regulated(R, path.inputs)
        last = q if final is None else weights_of("final", final, path.names)
        costs = Costs(q, r, last, numbers_of("goal", goal, path.names), residuals)
        more = {"coordinates": coordinates, "smoothing": one, "options": options}
        curvature = Curvature(path, wanted, simulator, start, **more) if second_order else None
        guess = _Search(path, wanted, costs, one is not None, curvature).run(iterations, tolerance, guess)
    assert guess is not None
    return guess


@dataclass
class _Motion:
    """States of the solver at the knots but the last, x at all, inputs in rows, and what they cost."""

    states: list[Array]
    x: Array
    rows: Array
    cost: float


@dataclass
class _Search:
    path: SlopePath
    wanted: list[int]
    costs: Costs
    smoothed: bool  # whether steps are those of one centring
    curvature: Curvature | None
    weight: float = 0.0
    models: list[Model] = field(default_factory=list)

    def run(self, iterations: int, tolerance: float, guess: Plan | None) -> Plan:
        """Change the inputs until nothing is to be gained."""
        motion = self.begun(guess)
        costs, ended, converged = [motion.cost], f"ended after {iterations} changes", False
        self.models = self.linearized(motion)
        steps = None
        for _ in range(iterations):
            steps = self.backwards(motion)
            if steps is None:
                if not self._hold():
                    ended = "no change of the inputs makes the cost fall"
                    break
                continue
            if steps[2] <= tolerance * max(motion.cost, 1e-300) and self.weight <= 1e-4:
                ended, converged = "converged", True
                break
            better = self.tried(motion, steps)
            if better is None:
                if not self._hold():
                    ended = "no change of the inputs makes the cost fall"
                    break
                continue
            motion, self.weight = better, self.weight / GROWTH if self.weight > LEAST else 0.0
            self.models = self.linearized(motion)
            costs.append(motion.cost)
        self.weight = 0.0
        return self._plan(motion, tuple(costs), converged, ended)

    def _hold(self) -> bool:
        """More weight on where states were; whether there may be any more."""
        self.weight = max(LEAST, GROWTH * self.weight)
        return self.weight <= MOST

    # --- forwards -----------------------------------------------------------------------------------------------------
    def begun(self, guess: Plan | None) -> _Motion:
        """The first motion. Raises SolverError, ArgumentError."""
        path, motion, steps = self.path, None, None
        if guess is not None:
            self._check_guess(guess)
            motion = _Motion([], guess.x, guess.u, guess.cost)
            steps = np.zeros((len(path), len(self.wanted))), guess.tracker.K
        found = self.forwards(motion, steps, 1.0)
        if found is None:
            raise SolverError(
                "ilqr: the guess is no motion: a step beside it cannot be solved", SolverStatus.NOT_CONVERGED
            )
        return found

    def _check_guess(self, guess: Plan) -> None:
        """Raises ArgumentError for the plan of another motion: only what is to be found is taken from it."""
        path = self.path
        told = guess.names, guess.input_names, guess.u.shape, guess.tracker.inputs
        same = told == (path.names, path.inputs, path.rows.shape, tuple(path.inputs[k] for k in self.wanted))
        if not same or not np.allclose(np.diff(guess.time), np.diff(path.time), rtol=1e-9, atol=0.0):
            raise ArgumentError("guess: has other states, inputs or steps than this plan; give one of the same")
        for k, name in enumerate(path.inputs):
            if k not in self.wanted and (guess.u[:, k] != path.rows[:, k]).any():
                raise ArgumentError(f"guess: its input '{name}', which R does not name, is another than is given here")

    def forwards(self, motion: _Motion | None, steps: tuple | None, share: float) -> _Motion | None:
        """The motion with changed inputs; None where it cannot be solved. The first is as it is given."""
        path = self.path
        path.rewind()
        state, rows = path.first, path.rows.copy() if motion is None else motion.rows.copy()
        states, x = [], []
        for k in range(len(path)):
            x.append(path.x(state, rows[k]))
            if motion is not None and steps is not None:
                change = share * steps[0][k] - steps[1][k] @ (x[k] - motion.x[k])
                rows[k, self.wanted] = motion.rows[k, self.wanted] + change
            states.append(state)
            try:
                state = path.settled(state, rows[k]) if self.smoothed else path.after(state, rows[k])
            except SolverError as error:
                if motion is None:
                    raise SolverError(f"ilqr: the first guess, at {path.time[k]:g} s: {error}", error.status) from None
                return None
        x.append(path.x(state, rows[-1]))
        return _Motion(states, np.array(x), rows, self.costs.of(np.array(x), rows[:, self.wanted]))

    def tried(self, motion: _Motion, steps: tuple) -> _Motion | None:
        """The longest change whose cost falls as it should."""
        for share in SHARES:
            found = self.forwards(motion, steps, share)
            promised = share * (2.0 - share) * steps[2]
            if found is not None and motion.cost - found.cost > KEPT * promised:
                return found
        return None

    # --- backwards ----------------------------------------------------------------------------------------------------
    def linearized(self, motion: _Motion) -> list[Model]:
        """A and B of every step, and its second derivatives where they are asked for."""
        path, found = self.path, []
        second = None if self.curvature is None else self.curvature.of(motion.states, motion.x, motion.rows)
        for k, (state, row) in enumerate(zip(motion.states, motion.rows, strict=True)):
            one = path.linearized(state, row)
            found.append((one.A, one.B[:, self.wanted], None if second is None else second[k]))
        return found

    def backwards(self, motion: _Motion) -> tuple[Array, Array, float, Array] | None:
        """(changes of inputs (N, m), gains (N, m, n), fall of the cost that a whole change promises, P (N + 1, n, n));
        None where a knot's quadratic has no minimum."""
        own, r, u = self.costs.about(motion.x), self.costs.r, motion.rows[:, self.wanted]
        n = motion.x.shape[1]
        slope, cost, promised = own.by_x[-1], own.curve[-1], 0.0
        changes, gains, costs, held = [], [], [cost], self.weight * np.eye(n)
        for k in reversed(range(len(self.models))):
            a, b, second = self.models[k]
            by_u, by_x = r @ u[k] + b.T @ slope, own.by_x[k] + a.T @ slope
            true, cross, square = r + b.T @ cost @ b, b.T @ cost @ a, own.curve[k] + a.T @ cost @ a
            if second is not None:
                bent = np.einsum("i,ijk->jk", slope, second)
                true, cross, square = true + bent[n:, n:], cross + bent[n:, :n], square + bent[:n, :n]
            curve = true + b.T @ held @ b
            try:
                np.linalg.cholesky(curve)
            except np.linalg.LinAlgError:
                return None
            change, gain = -np.linalg.solve(curve, by_u), np.linalg.solve(curve, cross + b.T @ held @ a)
            promised -= change @ by_u
            slope = by_x - gain.T @ (true @ change + by_u) + cross.T @ change
            cost = square + gain.T @ true @ gain - gain.T @ cross - cross.T @ gain
            cost = (cost + cost.T) / 2
            changes.append(change)
            gains.append(gain)
            costs.append(cost)
        return np.array(changes[::-1]), np.array(gains[::-1]), float(promised), np.array(costs[::-1])

    def _plan(self, motion: _Motion, costs: tuple[float, ...], converged: bool, ended: str) -> Plan:
        path, steps = self.path, self.backwards(motion)
        if steps is None:  # beside a minimum, second derivatives may leave none
            self.models = [(a, b, None) for a, b, _ in self.models]
            steps = self.backwards(motion)
        assert steps is not None  # without weight on states, the costs alone make the curve
        names = tuple(path.inputs[k] for k in self.wanted)
        tracker = Tracker(steps[1], steps[3], path.names, names, path.time, motion.x)
        return Plan(
            motion.x, motion.rows, path.names, path.inputs, path.time, motion.cost, costs, converged, ended,
            path.given(motion.rows), tracker,
        )  # fmt: skip
