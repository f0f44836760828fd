"""Where a step is linearised: the arguments of `Simulator.linearize`, and the knots of a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Literal

import numpy as np

from symvi.errors import ArgumentError, MechanismError
from symvi.mechanism.names import shown
from symvi.mechanism.state import State
from symvi.numbers.control import DEFAULTS, SolverOptions
from symvi.simulate.engine import CEngine, PythonEngine
from symvi.simulate.linearization import Linearization, MotionLinearization
from symvi.simulate.linearize import Linearizer
from symvi.simulate.orders import again, refuse
from symvi.simulate.parameter_tangents import tangents_of
from symvi.simulate.simulation import Simulation
from symvi.simulate.slope_chord import Chords
from symvi.simulate.slope_native import NativeSlopes
from symvi.simulate.solver_build import built_with_slopes
from symvi.simulate.standing import precision_of

if TYPE_CHECKING:
    from symvi.program.slopes import Place
    from symvi.simulate.simulator import Simulator
    from symvi.simulate.slope_charts import SlopeEngine
    from symvi.simulate.trajectory import Trajectory

Chart = Literal["knot", "chord"]
CHARTS = ("knot", "chord")
APART = 1e-6  # m: how far a motion may be from itself when it is taken again, knot by knot


class Linearizing:
    """One linearisation of a simulator's steps: its solver with slopes, and the arguments that all steps share."""

    def __init__(
        self,
        simulator: Simulator,
        chart: str,
        parameters: Sequence[str],
        coordinates: Sequence[str] | None,
        smoothing: float | None,
        options: SolverOptions,
    ):
        if precision_of(simulator.engine) != "double":
            raise ArgumentError("linearize: derivatives are computed in double; make the simulator with real='double'")
        if chart not in CHARTS:
            raise ArgumentError(f"chart {shown(chart)}: use 'knot', rates of momenta, or 'chord', differences of knots")
        if chart == "chord":
            refuse(simulator, "chart='chord'", "a difference of knots is no difference over an inner step")
        self.smoothing = _checked_smoothing(simulator, smoothing)
        self.simulator, self.chart, self.options, self.names = simulator, chart, options, coordinates
        self.parameters = _checked_names("parameters", parameters)
        if coordinates is not None:
            self.names = _checked_names("coordinates", coordinates)
        self.moving = tangents_of(simulator, self.parameters)

    def linearizer(self, own: Simulator) -> Linearizer:
        """What linearises the steps of a twin, whose step is set."""
        slopes = slopes_of(own, self.moving.places)
        smoothing = self.smoothing
        return Linearizer(slopes, own.plan, self.options, self.names, smoothing, self.moving)

    def at(self, state: State | Trajectory | None, inputs: Mapping[str, object], step: float) -> Linearization:
        """One step from a state."""
        own = self.simulator._twin()
        start, row = begun(own, state, inputs, step, self.options)
        linearizer = self.linearizer(own)
        if isinstance(state, State) or state is None:
            start = linearizer.underway(start, row)
        linearizer.branch(own.angles)
        if self.chart == "knot":
            return linearizer.step(start, row)[0]
        chords = Chords(linearizer)
        chords.come_from(start, row)
        return chords.step(start, row)[0]

    def along(self, motion: Trajectory) -> MotionLinearization:
        """Every step of a motion."""
        found = None
        for ahead in (
            True,
            False,
        ):  # targets were those of the next knot, or a controller's, which stand beside its own
            found = self._along(motion, ahead)
            if found is not None or not self.simulator.inputs.ahead:
                break
        if found is None:
            raise MechanismError(
                "linearize: the motion is not met again when its steps are taken anew from its first knot, which has "
                "other momenta than its velocities say (it went on from another one, or was started with papers_start "
                "or rates='turn'), or it was made with other options; give these, or linearize from a state"
            )
        return MotionLinearization.of(found, motion.time)

    def _along(self, motion: Trajectory, ahead: bool) -> list[Linearization] | None:
        own = self.simulator._twin()
        rows = motion.inputs[:, : len(own.plan.inputs)].copy()
        signals = own.inputs.from_signals(motion.time)
        given = {
            name: rows[:, k]
            for k, name in enumerate(own.plan.inputs)
            if not (own.inputs.has_signal(name) and np.array_equal(signals[:, k], rows[:, k]))
        }
        simulation = Simulation(own, motion.state(0), motion.time, motion.step, 1, self.options, given)
        driving = simulation.begin(False, True, "momentum")
        if driving.inner is not None:
            refuse(own, "linearize", "inputs change within the steps of the motion; linearize from states")
        rows = driving.rows.copy()
        if ahead:
            rows[:-1, own.inputs.ahead] = rows[1:, own.inputs.ahead]
        linearizer, state, found = self.linearizer(own), own.engine.state.astype(float).copy(), []
        linearizer.branch(own.angles)
        steps = linearizer if self.chart == "knot" else Chords(linearizer)
        centers = np.array([body.center_of_mass for body in own.mechanism.bodies], float)
        for k in range(len(motion.time) - 1):
            one, state = steps.step(state, rows[k])
            if not _is_at(own, state, motion, k + 1, centers):
                return None
            found.append(one)
        return found


def _is_at(own: Simulator, state: np.ndarray, motion: Trajectory, knot: int, centers: np.ndarray) -> bool:
    """Whether a state of the solver is that of a knot of a motion."""
    from symvi.simulate.solver_state import solver_state

    known = solver_state(own.mechanism, motion.state(knot))
    for body in range(len(centers)):
        x, q = (state[own.plan.at("state", "body", body, name)] for name in ("x", "q"))
        same = min(np.abs(q - known["q"][body]).max(), np.abs(q + known["q"][body]).max())
        if not max(np.abs(x - known["x"][body]).max(), same) <= APART:
            return False
    return True


def begun(
    own: Simulator, state: State | Trajectory | None, inputs: Mapping[str, object], step: float, options: SolverOptions
) -> tuple[np.ndarray, np.ndarray]:
    """The solver's state at a start, and the inputs of the step from there; the engine is put there."""
    if any(name in own.gains.names for name in inputs):
        name = next(name for name in inputs if name in own.gains.names)
        raise ArgumentError(f"input '{name}': a gain; set it by set_parameter, then linearize")
    first = 0.0 if state is None else state.time
    time = float(np.ravel(first)[-1])
    simulation = Simulation(own, state, time + step * np.arange(2), step, 1, options, inputs)
    driving = simulation.begin(False, True, "momentum")
    if driving.inner is not None:
        refuse(own, "linearize", "signals change within the step; give inputs that it holds")
    rows = driving.rows
    row = rows[0].copy()
    row[own.inputs.ahead] = rows[1, own.inputs.ahead]
    return own.engine.state.astype(float).copy(), row


def slopes_of(own: Simulator, parameters: tuple[Place, ...]) -> SlopeEngine:
    """The tangents of a twin's solver, with its parameters: by Newton's slopes, which are exact, of every solver."""
    steps = again(own.composition)
    if steps.pop("solver", "newton") != "newton" and isinstance(own.engine, PythonEngine):
        exact = own._built_anew(**steps, solver="newton")
        exact.engine.parameters[:] = own.engine.parameters
        own = exact
    if isinstance(own.engine, PythonEngine):
        from symvi.simulate.slope_reference import ReferenceSlopes

        return ReferenceSlopes(own.engine, frozenset(parameters))
    assert own.text is not None
    made = built_with_slopes(
        own.mechanism,
        own.text.layout,
        own.profile,
        own.loops,
        own.coordinates,
        parameters,
        steps.get("rule", steps.get("order", 2)),
    )
    engine = CEngine(made.text.plan, made.library, made.text.prefix, "double")
    engine.parameters[:] = own.engine.parameters
    assert made.text.slopes is not None
    return NativeSlopes(engine, made.text.slopes)


def _checked_names(what: str, names: object) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise ArgumentError(f"{what} {shown(names)}: give a list of names")
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError(f"{what}: {shown(name)} is no name")
        if list(names).count(name) > 1:
            raise ArgumentError(f"{what}: '{name}' is given twice")
    return tuple(names)


def _checked_smoothing(simulator: Simulator, smoothing: object) -> float | None:
    contacts = bool(simulator.plan.notes["inequalities"])
    if smoothing is None:
        return DEFAULTS.in_precision("double").complementarity if contacts else None
    if not contacts:
        raise ArgumentError("smoothing: the mechanism has no contacts, limits or dry friction to smooth; leave it out")
    if (
        isinstance(smoothing, bool)
        or not isinstance(smoothing, (int, float))
        or not isfinite(smoothing)
        or not 0 < smoothing <= 1
    ):
        raise ArgumentError(
            f"smoothing {shown(smoothing)}: must be above 0 and at most 1, in the unit of complementarity; without "
            "any, contacts have no derivative"
        )
    return float(smoothing)
