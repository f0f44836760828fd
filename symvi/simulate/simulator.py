"""Simulator: a mechanism's own solver, built once, run as often as wanted."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from symvi.errors import ArgumentError, AssemblyError, MechanismError
from symvi.mechanism import Mechanism, start_state
from symvi.mechanism.mechanism import HasMechanism
from symvi.mechanism.names import listed, shown
from symvi.mechanism.state import State
from symvi.mechanism.values import LARGEST, number
from symvi.native.flags import Profile
from symvi.numbers.control import DEFAULTS, PROJECTIONS, SolverOptions
from symvi.numbers.quadrature import is_rule
from symvi.simulate import frames
from symvi.simulate.arguments import (
    Rates,
    beginning_of,
    check_modes,
    check_switches,
    checked_state,
    checked_step,
    checked_steps,
    checked_table,
)
from symvi.simulate.engine import CEngine, Engine, PythonEngine
from symvi.simulate.gains import Gains
from symvi.simulate.inputs import Controller, Inputs
from symvi.simulate.many import Many
from symvi.simulate.orders import again, check_beginning, name_of, told_by
from symvi.simulate.parameter_changes import ParameterChanges
from symvi.simulate.plan import plan_of
from symvi.simulate.progress import Progress, told_progress
from symvi.simulate.recording import checked_record
from symvi.simulate.room import check_room
from symvi.simulate.run_checks import check_run
from symvi.simulate.run_parameters import Settings
from symvi.simulate.simulation import Simulation, warn_of
from symvi.simulate.solver_build import NO_C, Text, built, composed, has_compiler, text_of
from symvi.simulate.standing import Standing, precision_of
from symvi.simulate.starter import Starter
from symvi.simulate.trajectory import Trajectory
from symvi.simulate.turns import Turning
from symvi.simulate.variants import Varied, on_text_of

if TYPE_CHECKING:
    from symvi.simulate.world import World

MOST = {"double": LARGEST, "float": 1e38}  # of gains, in memory of each precision


class Simulator(Varied, Many):
    """Derives, generates, compiles and loads the solver of one mechanism.

    layout: "auto", "inline", "unrolled" or "looped"; real: "double" or "float"; profile: "reproducible" (same bits
    everywhere) or "fast"; backend: "c", "python", or "auto" (C if there is a compiler). loops: what is done with nearly
    redundant loops ("drop-redundant" refuses them by name; "rigid" or "drop" decide). coordinates: what is solved for,
    "tree" (rates of joints), "maximal" (all bodies), or "auto" (what takes fewer operations): the same motion. order:
    of steps, 2, 4, 6, 8, or a composition by name (numbers/composition.py), without contacts, limits and dry friction;
    what changes in time is a signal. rule: of quadrature, by name (numbers/quadrature.py), in place of an order.
    solver: of a rule's steps in trees, "newton", "riqn" or "broyden": the same motion.
    parameters: name -> value(s), set without generating again, for example {"arm.mass": 2.0}; see `parameter_names`.
    Raises MechanismError, AssemblyError (loops that cannot close), CompilerError.
    """

    def __init__(
        self,
        mechanism: Mechanism | HasMechanism,
        *,
        layout: str = "auto",
        real: str = "double",
        profile: Profile = "reproducible",
        backend: Literal["auto", "c", "python"] = "auto",
        loops: str = "drop-redundant",
        coordinates: Literal["auto", "maximal", "tree"] = "auto",
        parameters: Mapping[str, object] | None = None,
        order: int | str = 2,
        rule: str | None = None,
        solver: str = "newton",
    ):
        how = {"layout": layout, "real": real, "profile": profile, "loops": loops, "coordinates": coordinates}
        check_modes(backend=backend, **how)
        parameters = checked_table("parameters", parameters, "names of parameters to values")
        mechanism = Mechanism.of(mechanism)
        self.loops, self.profile, self.composition = loops, profile, name_of(order, rule, solver)
        backend = _chosen(backend)
        how = {**how, "backend": backend, **again(self.composition)}
        self.backend, self._how, self._origin = backend, how, mechanism
        engine, self._text = _engine_of(mechanism, backend, layout, real, profile, loops, coordinates, self.order)
        self._hold(mechanism, engine)
        for name, value in parameters.items():
            self.set_parameter(name, value)

    def _hold(self, mechanism: Mechanism, engine: Engine) -> None:
        """Run this engine for a mechanism, with the parameters of its description."""
        real = precision_of(engine)
        self.mechanism, self.engine, self.plan = mechanism, engine, engine.plan
        self.settings: dict[str, tuple[float, ...]] = {}
        self.coordinates: str = self.plan.notes["coordinates"]
        self.inputs = Inputs(mechanism, self.plan)
        self.gains = Gains(mechanism, self.plan, MOST[real])
        self._changes, self._model = ParameterChanges(mechanism, self.plan, real), None
        self._starts: list[State] = []  # the description's own, once it is known; twins share it

    def __repr__(self) -> str:
        return _in_one_line(self)

    # --- runs in parallel ---------------------------------------------------------------------------------------------
    def _twin(self) -> Simulator:
        """The same solver with these parameters and a memory of its own, for one run."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.engine = self.engine.twin()
        return twin

    def __reduce__(self) -> tuple[Callable[..., Simulator], tuple]:
        build = {"real": precision_of(self.engine), "backend": self.backend, "loops": self.loops}
        build |= {"coordinates": self.coordinates, **again(self.composition)}
        if self._text is not None:
            build |= {"layout": self._text.layout, "profile": self.profile}
        return _restored, (self._origin, self.mechanism, build, self.settings, self.engine.parameters.copy())

    # --- parameters --------------------------------------------------------------------------------------------------
    def set_parameter(self, name: str, value: object) -> None:
        """Change a parameter everywhere it counts. The inertia of a body that its shape gives follows its mass.

        Raises MechanismError for an unknown name, a wrong size, a value that is no number, one that breaks a pattern
        that the text has baked in (an exact zero or one of the description), or a number of the solver that is tied to
        others: an axis of a joint's frame, a tangent of a contact.
        """
        for own, numbers in self._changes.own(name, value):
            self._write(name, own, numbers)

    def _write(self, title: str, own: str, numbers: object) -> None:
        """Change one of the solver's parameters, and all that follows from it; errors call it `title`."""
        self.settings, changes = self._changes.of(title, own, numbers, self.settings)
        for place, values in changes:
            self.engine.parameters[place] = values

    # --- start -------------------------------------------------------------------------------------------------------
    def start(
        self,
        state: State | None = None,
        *,
        time: float = 0.0,
        step: float = 0.01,
        project: bool = False,
        knot: bool = True,
        rates: Rates = "momentum",
        inputs: np.ndarray | None = None,
    ) -> float:
        """Put the solver at a start: the description's own, or `state`. Returns the closure there [m or rad].

        inputs: (k, m) inputs at this knot and the next ones, for drivers; signals if left out. A driver with neither
        holds what it finds. Four knots give the rate of a driver to second order, and how far it may be off.
        project: move an approximate placement, and its velocities, onto the constraints first.
        knot: velocities are those at the knot (second order); False: over the step before (the papers' start, first
        order).
        rates: "momentum" makes angular momenta J w of the angular velocities, which the motion reports then, while a
        body turns (h |w|)²/6 faster; "turn" makes bodies turn at these rates (to second order; exactly about a
        principal axis through the centre of mass), with the momentum J w sin(h |w|)/(h |w|), as the motion reports.
        Raises AssemblyError, naming joint and size, when the start violates constraints by more than 1e-8.
        """
        step = self._set_step(step)
        standing, starter = Standing(self.engine), Starter(self.engine, self.mechanism, self.inputs)
        standing.check_limits()
        self.engine.forget()
        check_switches(project=project, knot=knot)
        check_beginning(self, not knot, rates)
        try:
            time = number(time)
        except ValueError as error:
            raise MechanismError(f"time {shown(time)} {error}") from None
        state = self._described_start() if state is None else checked_state(state)
        beginning = beginning_of(knot, rates)
        standing.check_speed(state, step, beginning)
        starter.write_state(state)
        self.turning = Turning(self.mechanism, self.settings)
        self.angles = starter.write_angles(state, self.turning)
        rows = self.inputs.from_signals(time + step * np.arange(2)) if inputs is None else inputs
        pace, doubt = self.inputs.rates(rows, time, step)
        starter.write_targets(rows[0], pace)
        try:
            row = starter.holding(rows[0].copy(), inputs is None)
            if project:
                self.engine.project(row, PROJECTIONS)
            change = self.engine.start(row, beginning)
            frame = self.engine.observe(row)
        except ZeroDivisionError:  # in Python; C goes on with numbers that are not finite
            raise AssemblyError("the start is singular: rows of the joints have no direction there") from None
        standing.check_start(frame, change, doubt, project)
        return float(frames.entry(self.plan, frame[None], "closure")[0])

    def _described_start(self) -> State:
        if not self._starts:
            self._starts.append(start_state(self.mechanism))
        return self._starts[0]

    def project(self, state: State | None = None, *, step: float = 0.01) -> State:
        """The nearest state, weighted by mass, that fulfils all constraints: from `state`, or from the start.

        Raises AssemblyError, naming the worst joint, if there is none near.
        """
        time, own = 0.0 if state is None else checked_state(state).time, self._twin()
        own.start(state, time=time, step=step, project=True)
        inputs = self.inputs.from_signals(np.array([time]))[0]
        frame = own.engine.observe(inputs).astype(float)
        return frames.state_near(self.mechanism, self.plan, frame, time, own.turning, own.angles)

    def _set_step(self, step: float) -> float:
        step = checked_step(step, precision_of(self.engine))
        self.engine.parameters[self.plan.at("parameters", "common", 0, "h")] = step
        return step

    def deepest(self) -> tuple[str, float, str]:
        """At the last knot observed: the contact or limit furthest beyond its bound, how far (-inf: none), unit."""
        return Standing(self.engine).deepest()

    def worst_constraint(self) -> tuple[str, float]:
        """The constraint with the largest residual at the last knot that was observed, and that residual [m or rad]."""
        return Standing(self.engine).worst_constraint()

    # --- running -----------------------------------------------------------------------------------------------------
    def simulate(
        self,
        time: float,
        step: float = 0.01,
        *,
        start: State | Trajectory | None = None,
        controller: Controller | None = None,
        inputs: Mapping[str, object] | None = None,
        every: int = 1,
        record: Iterable[str] | None = None,
        options: SolverOptions = DEFAULTS,
        project: bool = False,
        papers_start: bool = False,
        rates: Rates = "momentum",
        on_error: Literal["raise", "status"] = "raise",
        progress: Progress = None,
        accuracy: float | None = None,
    ) -> Trajectory:
        """Simulate for `time` seconds in steps of `step` seconds.

        start: None (the description's own start), a State, or a Trajectory to go on from without a seam.
        inputs: name -> number, or one row per knot (time/step + 1 of them); names as in `plan.inputs`. They win over
        signals. A servo's gains, servo.stiffness and servo.damping, may be among them.
        controller: called with (t, State) at every knot where a step begins, returns inputs and gains by name; forces
        then act over that step. Gains that it does not name are the parameters'.
        every: record each `every`-th knot. record: of these, coordinates and what is named of rates, energy, closure,
        contacts, reactions, inputs; left out, all, of which a long motion works the first three out when read.
        on_error="status": return what there is, with the failed status last, instead of raising. project,
        papers_start, rates: see `start`; not for a Trajectory, which goes on as it ended.
        progress: called with (steps done, steps in all); True for a bar, False for none. A notebook has one anyway.
        accuracy: largest error that is asked for [m, rad]; knots are `step` apart, and steps and, unless this simulator
        has one above 2, the order are chosen; `Trajectory.accuracy` tells them, and the error found (accuracy.py).
        Raises SolverError (with the status), MechanismError, AssemblyError; ArgumentError for an unknown mode, and for
        more steps than this machine's memory holds, before any is taken. Warns of what `Trajectory.alarms` tells
        (EnergyWarning, also of what the motion that goes on did before; StiffnessWarning; RateWarning), and
        (SpinWarning) where a body turns so fast that its steps are off by more than a part in a hundred.
        """
        check_modes(on_error=on_error)
        if accuracy is not None:
            how = {"start": start, "controller": controller, "inputs": inputs, "record": record, "options": options}
            how |= {"project": project, "papers_start": papers_start, "rates": rates, "progress": progress}
            return _accurately(self, accuracy, time, step, {**how, "every": every, "on_error": on_error})
        step = checked_step(step, precision_of(self.engine))
        steps = checked_steps(time, step)
        check_run(steps, every, start, inputs, controller, options, progress, project, papers_start, rates)
        names, chosen = told_by(self, checked_record(record)), record is not None or is_rule(self.composition)
        check_room(self.plan, len(self.gains.names), steps, every, names)
        begin = 0.0 if start is None else float(start.time[-1]) if isinstance(start, Trajectory) else start.time
        if begin + step == begin:
            raise MechanismError(f"start at {begin:g} s: steps of {step:g} s do not show in times so large")
        times = _knots(begin, step, steps)
        one = Simulation(self._that_runs(start), start, times, step, int(every), options, inputs or {}, names, chosen)
        run, status = one.run(one.begin(project, not papers_start, rates), controller, told_progress(progress))
        if status < 0 and on_error == "raise":
            raise one.failure(run, status)
        motion = one.trajectory(run, status)
        warn_of(motion)
        return motion

    def reset(
        self,
        *,
        start: State | Trajectory | None = None,
        inputs: Mapping[str, object] | None = None,
        step: float = 0.01,
        options: SolverOptions = DEFAULTS,
        project: bool = False,
        rates: Rates = "momentum",
    ) -> World:
        """A world at a start, to go on knot by knot with `World.step`, in a memory of its own.

        start: None (the description's own start), a State, or a Trajectory to go on from. inputs: name -> number, for
        every step that names no other; they win over signals. Parameters are those that are set now. The rest is as in
        `simulate`. Raises MechanismError, AssemblyError, ArgumentError.
        """
        from symvi.simulate.world import world_at

        return world_at(self._that_runs(start), start, inputs, step, options, project, rates)


def _accurately(own: Simulator, asked: object, time: float, step: float, how: Mapping[str, Any]) -> Trajectory:
    from symvi.simulate.accuracy import accurately  # most runs ask for none

    return accurately(own, asked, time, step, how)


def _in_one_line(simulator: Simulator) -> str:
    how = "C" if simulator.backend == "c" else "Python"
    changed = f", {listed(simulator.settings, 'parameters set')}" if simulator.settings else ""
    rows = f"{len(simulator.plan.bodies)} bodies, {simulator.plan.rows} rows"
    kind = f"{simulator.coordinates} coordinates, {precision_of(simulator.engine)}"
    kind += f", {simulator.composition}" if simulator.composition else ""
    return f"<Simulator of {simulator.mechanism.name}: {rows}, {kind}, in {how}{changed}>"


def _chosen(backend: Literal["auto", "c", "python"]) -> Literal["c", "python"]:
    """The back end that was asked for; C where nobody chose and there is a compiler."""
    if backend != "auto":
        return backend
    if not has_compiler():
        warnings.warn(NO_C, stacklevel=3)
        return "python"
    return "c"


def _engine_of(
    mechanism: Mechanism,
    backend: str,
    layout: str,
    real: str,
    profile: Profile,
    loops: str,
    coordinates: str,
    order: int | str,
) -> tuple[Engine, Text | None]:
    """A solver of a mechanism, and its generated text, of which Python needs none."""
    if backend == "c":
        made = built(mechanism, layout, real, profile, loops, coordinates, order)
        return CEngine(made.text.plan, made.library, made.text.prefix, real), made.text
    if real != "double":
        raise ArgumentError("the Python back end computes in double; real='float' needs backend='c'")
    program = composed(mechanism, loops, coordinates, order)
    if "near" in program.notes:
        raise ArgumentError(
            f"mechanism '{mechanism.name}' has so many contacts that far ones are left out of a step, which the Python "
            "back end cannot do; use backend='c'"
        )
    from symvi.simulate.reference import ReferenceSolver  # a process that runs C needs none

    return PythonEngine(plan_of(program), ReferenceSolver(program)), None


def _restored(
    origin: Mechanism, mechanism: Mechanism, build: Mapping[str, Any], settings: Settings, numbers: np.ndarray
) -> Simulator:
    """A simulator of a description, on the text that it was made of, with parameters as they were."""
    simulator = Simulator(origin, **build)
    if mechanism != origin:
        simulator = on_text_of(simulator, mechanism)
    simulator.settings = dict(settings)
    simulator.engine.parameters[:] = numbers
    return simulator


def _knots(begin: float, step: float, steps: int) -> np.ndarray:
    """Times of the knots; whole multiples of the step where the start is one, so that pieces and the whole agree."""
    first = round(begin / step)
    if abs(first * step - begin) <= 1e-9 * step * max(1, abs(first)):
        return step * (first + np.arange(steps + 1))
    return begin + step * np.arange(steps + 1)


def generate_text(
    mechanism: Mechanism | HasMechanism,
    layout: str = "auto",
    real: str = "double",
    loops: str = "drop-redundant",
    prefix: str | None = None,
    fixed_iterations: int = 0,
    substeps: int = DEFAULTS.substeps,
    coordinates: str = "auto",
    order: int | str = 2,
    rule: str | None = None,
    solver: str = "newton",
) -> Text:
    """The generated C of a mechanism, for writing to a folder. fixed_iterations, substeps: of its default options.

    order: of its steps, or a composition by name. rule: a quadrature rule by name. solver: of its steps.
    """
    check_modes(layout=layout, real=real, loops=loops, coordinates=coordinates)
    found = Mechanism.of(mechanism)
    steps = name_of(order, rule, solver) or 2
    return text_of(found, layout, real, loops, prefix, fixed_iterations, substeps, coordinates, order=steps)
