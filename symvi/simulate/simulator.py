"""Simulator: a mechanism's own solver, built once, run as often as wanted."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np

from symvi.errors import (
    ArgumentError,
    AssemblyError,
    EnergyWarning,
    MechanismError,
    RateWarning,
    SpinWarning,
    StiffnessWarning,
)
from symvi.mechanism import Mechanism, start_state
from symvi.mechanism.mechanism import HasMechanism
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.placement import known_angles
from symvi.mechanism.state import State
from symvi.mechanism.values import LARGEST, number
from symvi.numbers.control import CLOSED, DEFAULTS, PROJECTIONS, Beginning, SolverOptions, SolverStatus
from symvi.numbers.derived_parameters import OF_UNITS, may_be_set
from symvi.program.precision import bounds_in
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
    real_numbers,
)
from symvi.simulate.build import NO_C, Text, built, composed, has_compiler, text_of
from symvi.simulate.described import Described, described
from symvi.simulate.engine import CEngine, Engine, PythonEngine
from symvi.simulate.failures import failure_of
from symvi.simulate.gains import Gains
from symvi.simulate.inputs import Controller, Inputs
from symvi.simulate.knot_rates import MisreadRate
from symvi.simulate.knot_stiffness import TooStiff
from symvi.simulate.parameters import (
    Settings,
    body_numbers,
    body_weight,
    contact_units,
    in_memory,
    parameter_problem,
    settable,
)
from symvi.simulate.plan import plan_of
from symvi.simulate.room import check_room
from symvi.simulate.run import Run, overlaid
from symvi.simulate.run_checks import check_run
from symvi.simulate.start import write_angles, write_placement, write_targets
from symvi.simulate.trajectory import FORMAT, Trajectory
from symvi.simulate.turns import Turning

if TYPE_CHECKING:
    from symvi.simulate.world import World

MOST = {"double": LARGEST, "float": 1e38}  # of gains, in memory of each precision
DOUBTS = 10.0  # how much a gear or a lever may enlarge what a driver's rate is off


class Simulator:
    """Derives, generates, compiles and loads the solver of one mechanism.

    layout: "auto", "inline", "unrolled" or "looped"; real: "double" or "float"; profile: "reproducible" (same bits
    everywhere) or "fast"; backend: "c", "python", or "auto" (C if there is a compiler). loops: what is done with nearly
    redundant loops ("drop-redundant" refuses them by name; "rigid" or "drop" decide). coordinates: what is solved for,
    "maximal" (all bodies), "tree" (rates of joints), or "auto" (what takes fewer operations): the same motion. The
    attribute `coordinates` says which it is.
    parameters: name -> value(s), set without generating again, for example {"arm.mass": 2.0}; see `parameter_names`.

    Raises MechanismError, AssemblyError (loops that cannot close), CompilerError.
    """

    def __init__(
        self,
        mechanism: Mechanism | HasMechanism,
        *,
        layout: str = "auto",
        real: str = "double",
        profile: str = "reproducible",
        backend: Literal["auto", "c", "python"] = "auto",
        loops: str = "drop-redundant",
        coordinates: Literal["auto", "maximal", "tree"] = "maximal",
        parameters: Mapping[str, object] | None = None,
    ):
        check_modes(backend=backend, layout=layout, real=real, profile=profile, loops=loops, coordinates=coordinates)
        parameters = checked_table("parameters", parameters, "names of parameters to values")
        mechanism = Mechanism.of(mechanism)
        self.mechanism, self.loops, self.profile = mechanism, loops, profile
        self.settings: dict[str, tuple[float, ...]] = {}
        if backend == "auto":
            backend = "c" if has_compiler() else "python"
            if backend == "python":
                warnings.warn(NO_C, stacklevel=2)
        self.backend = backend
        self.engine: Engine = (
            self._c(layout, real, profile, loops, coordinates)
            if backend == "c"
            else self._python(real, loops, coordinates)
        )
        self.plan = self.engine.plan
        self.coordinates: str = self.plan.notes["coordinates"]
        self.inputs = Inputs(mechanism, self.plan)
        self.gains = Gains(mechanism, self.plan, MOST[self._real])
        self._settable = settable(mechanism, self.plan)
        for name, value in parameters.items():
            self.set_parameter(name, value)

    def _c(self, layout: str, real: str, profile: str, loops: str, coordinates: str) -> CEngine:
        made = built(self.mechanism, layout, real, profile, loops, coordinates)
        self.text: Text | None = made.text
        return CEngine(made.text.plan, made.library, made.text.prefix, real)

    def _python(self, real: str, loops: str, coordinates: str) -> PythonEngine:
        if real != "double":
            raise ArgumentError("the Python back end computes in double; real='float' needs backend='c'")
        program = composed(self.mechanism, loops, coordinates)
        self.text = None
        from symvi.simulate.reference import ReferenceSolver  # a process that runs C needs none

        return PythonEngine(plan_of(program), ReferenceSolver(program))

    # --- runs in parallel ---------------------------------------------------------------------------------------------
    def _twin(self) -> Simulator:
        """The same solver with these parameters and a memory of its own, for one run."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.engine = self.engine.twin()
        return twin

    def __reduce__(self) -> tuple[Callable[..., Simulator], tuple]:
        build = {"real": self._real, "backend": self.backend, "loops": self.loops, "coordinates": self.coordinates}
        if self.text is not None:
            build |= {"layout": self.text.layout, "profile": self.profile}
        return _restored, (self.mechanism, build, self.settings, self.engine.parameters.copy())

    # --- parameters --------------------------------------------------------------------------------------------------
    @property
    def parameter_names(self) -> tuple[str, ...]:
        """What can be changed at run time: gravity, and element.field, named and measured as in the description."""
        return tuple(self.described)

    @cached_property
    def described(self) -> dict[str, Described]:
        """The parameters of the description by name, with their values there."""
        return described(self.mechanism, self._settable, self.plan.notes["baked"])

    @property
    def input_names(self) -> tuple[str, ...]:
        """What drives a run, as element.field, with [k] where a field has several entries."""
        return self.plan.inputs

    def set_parameter(self, name: str, value: object) -> None:
        """Change a parameter everywhere it counts. The inertia of a body that its shape gives follows its mass.

        Raises MechanismError for an unknown name, a wrong size, a value that is no number, one that breaks a pattern
        that the text has baked in (an exact zero or one of the description), or a number of the solver that is tied to
        others: an axis of a joint's frame, a tangent of a contact.
        """
        if not isinstance(name, str):
            raise MechanismError(f"parameter {shown(name)}: names are texts, as in parameter_names")
        if name not in self.described:  # the solver's own names, which a reader of the generated text knows
            if name in self._settable and not may_be_set(self.plan.notes["following"]["free"], name):
                raise MechanismError(
                    f"parameter {name}: it follows from others, or is tied to them, and cannot be set alone; "
                    "change the description instead"
                )
            self._set_own(name, name, value)
            return
        values, size = real_numbers(value), len(self.described[name].value)
        if values is None or values.size != size or not np.isfinite(values).all():
            raise MechanismError(f"parameter {name}: {shown(value)} must be {size} finite number(s)")
        for own, numbers in self.described[name].numbers(tuple(values.reshape(size).tolist())).items():
            self._set_own(name, own, bounds_in(numbers, self._real) if own.endswith(".bound") else numbers)

    def _set_own(self, title: str, name: str, value: object) -> None:
        """Change a parameter by its name in the solver; errors call it `title`."""
        if name not in self._settable:
            raise MechanismError(f"no parameter {shown(name)}; {did_you_mean(str(name), self.described)}")
        places = [place for own in self._settable[name] for place in self.plan.parameters[own]]
        size = places[0][1]
        values = real_numbers(value)
        if values is None or values.size != size or not np.isfinite(values).all():
            raise MechanismError(f"parameter {title}: {shown(value)} must be {size} finite number(s)")
        values = values.reshape(size)
        for own in self._settable[name]:
            for k, fixed in self.plan.notes.get("baked", {}).get(own, {}).items():
                if values[int(k)] != fixed:
                    raise MechanismError(
                        f"parameter {title}[{k}]: the text was generated for what the description has there; change "
                        "the description instead"
                    )
        body, _, field = name.rpartition(".")
        problem = parameter_problem(
            name, values, self._real, any(joint.name == body for joint in self.mechanism.joints)
        )
        if problem:
            raise MechanismError(f"parameter {title}: {value!r} {problem}")
        settings = {**self.settings, name: tuple(float(x) for x in values)}
        changes = [(slice(offset, offset + size), settings[name]) for offset, _ in places]
        if field in ("mass", "inertia") and body in self.plan.bodies:
            changes += self._of_body(body, settings)
        if field in OF_UNITS and self.plan.notes["inequalities"]:
            changes += self._of_units(settings)
        if not all(isfinite(x) for _, numbers in changes for x in in_memory(numbers, self._real)):
            raise MechanismError(f"parameter {title}: {value!r} is too large: what follows from it is not finite")
        for place, numbers in changes:
            self.engine.parameters[place] = numbers
        self.settings = settings

    def _of_body(self, name: str, settings: Settings) -> Iterator[tuple[slice, tuple[float, ...]]]:
        """What follows from a changed mass or inertia: a solid's inertia, and the weight of the body's residual."""
        k = self.plan.bodies.index(name)
        mass, inertia = body_numbers(self.mechanism.bodies[k], settings)
        weight = body_weight(mass, inertia, self.plan.notes["following"]["radii"][k], self._real)
        for part, numbers in (("inertia", inertia), ("size", (weight,))):
            yield self.plan.at("parameters", "body", k, part), numbers

    def _of_units(self, settings: Settings) -> Iterator[tuple[slice, tuple[float, ...]]]:
        """What complementarity is measured by follows masses and gravity."""
        units = contact_units(self.mechanism, settings, self._real)
        places = {"common": ("common", 0)}
        places |= {node["name"]: (node["kind"], node["index"]) for node in self.plan.notes["inequalities"]}
        for name, (kind, index) in places.items():
            for field, value in units[name].items():
                yield self.plan.at("parameters", kind, index, field), (value,)

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
        self._check_limits()
        self.engine.forget()
        check_switches(project=project, knot=knot)
        try:
            time = number(time)
        except ValueError as error:
            raise MechanismError(f"time {shown(time)} {error}") from None
        state = start_state(self.mechanism) if state is None else checked_state(state)
        beginning = beginning_of(knot, rates)
        self._check_speed(state, step, beginning)
        self._write_state(state)
        self._write_angles(state)
        rows = self.inputs.from_signals(time + step * np.arange(2)) if inputs is None else inputs
        rates, doubt = self.inputs.rates(rows, time, step)
        self._write_targets(rows[0], rates)
        try:
            row = self._holding(rows[0].copy(), inputs is None)
            if project:
                self.engine.project(row, PROJECTIONS)
            change = self.engine.start(row, beginning)
            frame = self.engine.observe(row)
        except ZeroDivisionError:  # in Python; C goes on with numbers that are not finite
            raise AssemblyError("the start is singular: rows of the joints have no direction there") from None
        if not isfinite(change):  # balls with one centre have no direction: they lie inside each other
            self._check_apart(project)
        self._check_closed(frame, None if project else change, doubt)
        self._check_apart(project)
        return float(frames.entry(self.plan, frame[None], "closure")[0])

    def project(self, state: State | None = None, *, step: float = 0.01) -> State:
        """The nearest state, weighted by mass, that fulfils all constraints: from `state`, or from the start.

        Raises AssemblyError, naming the worst joint, if there is none near.
        """
        time, own = 0.0 if state is None else checked_state(state).time, self._twin()
        own.start(state, time=time, step=step, project=True)
        inputs = self.inputs.from_signals(np.array([time]))[0]
        frame = own.engine.observe(inputs).astype(float)
        return frames.state_near(self.mechanism, self.plan, frame, time, own._turning, own.angles)

    def _set_step(self, step: float) -> float:
        step = checked_step(step, self._real)
        self.engine.parameters[self.plan.at("parameters", "common", 0, "h")] = step
        return step

    def _check_speed(self, state: State, step: float, beginning: Beginning) -> None:
        """No body may turn by a right angle or more in a step."""
        speeds, limit = np.linalg.norm(state.angular_velocity, axis=1), sqrt(beginning.fastest)
        if len(speeds) and speeds.max() >= limit / step:
            k = int(speeds.argmax())
            raise MechanismError(
                f"body '{state.names[k]}': turns at {speeds[k]:.6g} rad/s; {step:g} s steps allow less than "
                f"{limit / step:.6g} rad/s: take a step below {limit / speeds[k]:.3g} s"
            )

    def _write_state(self, state: State) -> None:
        if state.names != self.plan.bodies:
            raise MechanismError(
                f"state: has the bodies {', '.join(state.names)}; the mechanism has {', '.join(self.plan.bodies)}"
            )
        write_placement(self.engine.state, self.plan, self.mechanism, state)

    def _write_angles(self, state: State) -> None:
        """Whole turns are not in a placement: those of the state, and of the description where it tells none, count."""
        self._turning = Turning(self.mechanism, self.settings)
        self.angles = self._turning.at(state.orientation, known_angles(self.mechanism) | state.angles)
        write_angles(self.engine.state, self.plan, self.mechanism, self.angles)

    def _holding(self, row: np.ndarray, free: bool) -> np.ndarray:
        """Drivers that nothing drives hold their joint: their input is set to the coordinate found there."""
        held = [name for name in self.plan.drivers if free and not self.inputs.has_signal(f"{name}.target")]
        if held:
            self.engine.observe(row)
            for constraint in self.plan.constraints:
                if constraint["name"] in held:
                    found = self._work("work", constraint, "g")[0]
                    row[self.inputs.column(f"{constraint['name']}.target")] = found
                    self.engine.state[self.plan.at("state", constraint["kind"], constraint["index"], "target")] = found
        return row

    def _work(self, store: str, constraint: Mapping, field: str) -> np.ndarray:
        return self._numbers(store, constraint["kind"], constraint["index"], field)

    def _numbers(self, store: str, kind: str, index: int, field: str) -> np.ndarray:
        if store == "parameters":
            values = self.engine.parameters
        else:
            values = self.engine.work if self.backend == "c" else self.engine.flat("work")
        return values[self.plan.at(store, kind, index, field)]

    def _write_targets(self, inputs: np.ndarray, rates: np.ndarray) -> None:
        columns = {name: self.inputs.column(f"{name}.target") for name in self.plan.drivers}
        write_targets(self.engine.state, self.plan, {name: (inputs[k], rates[k]) for name, k in columns.items()})

    @property
    def _real(self) -> str:
        return "double" if self.engine.parameters.dtype == np.float64 else "float"

    def deepest(self) -> tuple[str, float, str]:
        """The contact or limit that is furthest beyond its bound at the last knot observed: name, how far, its unit.

        Not beyond: a negative number, or -inf without contacts and limits.
        """
        worst = ("", -np.inf, "m")
        for node in self.plan.notes["inequalities"]:
            if node["type"] != "dry_friction":
                room = float(self._work("work", node, "room" if node["type"] == "limit" else "gap").min())
                if -room > worst[1]:
                    worst = node["name"], -room, node["unit"]
        return worst

    def _check_limits(self) -> None:
        """Raises MechanismError for a limit whose bounds, as they were set, leave no room between them."""
        for node in self.plan.notes["inequalities"]:
            if node["type"] == "limit" and node["pairs"] == 2:
                lower, upper = (
                    float(self.engine.parameters[self.plan.at("parameters", node["kind"], node["index"], side)][0])
                    for side in ("lower", "upper")
                )
                if not lower < upper:
                    raise MechanismError(
                        f"limit '{node['name']}': lower {lower:g} is not below upper {upper:g}; set one of them anew"
                    )

    def _check_apart(self, projected: bool) -> None:
        """Raises AssemblyError, naming the contact or limit and how far, when the start is beyond one by 1e-8."""
        name, depth, unit = self.deepest()
        if depth > CLOSED[self._real]:
            remedy = (
                "it cannot be moved out from here; start nearer"
                if projected
                else "start with project=True, or mend the placement"
            )
            raise AssemblyError(f"the start lies {depth:.3g} {unit} inside '{name}': {remedy}")

    def _check_closed(self, frame: np.ndarray, change: float | None, doubt: float) -> None:
        """Rows that are kept close to 1e-8; those that were dropped may open as far as the analysis of loops said.

        change: of velocities, when they were projected onto the joints; None where that was asked for. Round-off of
        the largest velocity is allowed, and what a driver's rate may be off.
        """
        limit = float(self.engine.parameters[self.plan.at("parameters", "common", 0, "limit")][0])
        allowed = (
            (self.plan.constraints, CLOSED[self._real]),
            (self.plan.notes["watch"], max(CLOSED[self._real], limit)),
        )
        found = [(*self._worst(nodes), most) for nodes, most in allowed]
        name, size, most = max(found, key=lambda worst: worst[1] / worst[2] if isfinite(worst[1]) else np.inf)
        if not isfinite(size):
            raise AssemblyError(f"the start is singular: rows of '{name}' have no value or no direction there")
        if not size <= most:
            remedy = (
                "it cannot be assembled from here; start nearer"
                if change is None
                else "start with project=True, or mend the placement"
            )
            raise AssemblyError(f"the start violates the constraints by {size:.3g}, worst at '{name}': {remedy}")
        velocities = np.concatenate([frames.entry(self.plan, frame[None], name) for name in "vw"])
        size = max(1.0, float(self.engine.parameters[self.plan.at("parameters", "common", 0, "extent")][0]))
        allowed = 100.0 * CLOSED[self._real] * max(1.0, float(np.abs(velocities).max())) + DOUBTS * doubt * size
        if change is not None and not isfinite(change):
            finer = "" if self._real == "double" else ", or compute in double"
            raise AssemblyError(
                f"the start cannot be computed in {self._real}: its momenta are not finite; check the units of masses, "
                f"inertias, velocities and the step{finer}"
            )
        if change is not None and not change <= allowed:
            raise AssemblyError(
                f"the start velocities violate the constraints: projecting changes one by {change:.3g} m/s or rad/s; "
                "start with project=True, or mend the velocities (a driver's input sets the rate of its joint)"
            )

    def worst_constraint(self) -> tuple[str, float]:
        """The constraint with the largest residual at the last knot that was observed, and that residual [m or rad]."""
        return self._worst([*self.plan.constraints, *self.plan.notes["watch"]])

    def _worst(self, nodes: Iterable[Mapping]) -> tuple[str, float]:
        worst = ("", -1.0)
        for node in nodes:
            residual = float(np.abs(self._work("work", node, "g")).max())
            if not residual <= worst[1]:
                worst = node["name"], residual
        return worst

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
        options: SolverOptions = DEFAULTS,
        project: bool = False,
        papers_start: bool = False,
        rates: Rates = "momentum",
        on_error: Literal["raise", "status"] = "raise",
        progress: Callable[[int, int], None] | None = None,
    ) -> Trajectory:
        """Simulate for `time` seconds in steps of `step` seconds.

        start: None (the description's own start), a State, or a Trajectory to go on from without a seam.
        inputs: name -> number, or one row per knot (time/step + 1 of them); names as in `plan.inputs`. They win over
        signals. A servo's gains, servo.stiffness and servo.damping, may be among them.
        controller: called with (t, State) at every knot where a step begins, returns inputs and gains by name; forces
        then act over that step. Gains that it does not name are the parameters'.
        every: record each `every`-th knot. on_error="status": return what there is, with the failed status last,
        instead of raising. project, papers_start, rates: see `start`; not for a Trajectory, which goes on as it ended.
        progress: called with (steps done, steps in all).
        Raises SolverError (with the status), MechanismError, AssemblyError; ArgumentError for an unknown mode, and for
        more steps than this machine's memory holds, before any is taken. Warns (SpinWarning) where a body turns so
        fast that its steps are off by more than a part in a hundred (see `Trajectory.fast_spin`).
        Warns (EnergyWarning) of energy that nothing has paid for, or taken (`Trajectory.rise`, `fall`), also of what
        the motion that goes on did before; and (StiffnessWarning) of forces at knots that are too stiff for the step,
        after a rise and after a failure all of them, else those that stay so (`Trajectory.alarms`); and (RateWarning)
        of rates at knots that dampers hide, if every knot is recorded (`Trajectory.misread_rate`).
        """
        check_modes(on_error=on_error)
        step = checked_step(step, self._real)
        steps = checked_steps(time, step)
        check_run(steps, every, start, inputs, controller, options, progress, project, papers_start, rates)
        check_room(self.plan, len(self.gains.names), steps, every)
        begin = 0.0 if start is None else float(start.time[-1]) if isinstance(start, Trajectory) else start.time
        if begin + step == begin:
            raise MechanismError(f"start at {begin:g} s: steps of {step:g} s do not show in times so large")
        times = _knots(begin, step, steps)
        own = self._twin()
        driving = overlaid(self.inputs, self.gains, own.engine, times, inputs or {})
        rows = driving.rows
        if not isinstance(start, Trajectory):
            given = rows[:4] if inputs else None
            own.start(start, time=begin, step=step, project=project, knot=not papers_start, rates=rates, inputs=given)
        else:
            own._go_on(start, step)
        own._hold(rows, inputs or {})
        run = Run(
            engine=own.engine,
            mechanism=self.mechanism,
            inputs=self.inputs,
            gains=self.gains,
            turning=own._turning,
            angles=own.angles,
            times=times,
            step=step,
            every=int(every),
            options=options,
            progress=progress,
            driving=driving,
            aimed=None if isinstance(start, Trajectory) else self.inputs.aimed(inputs or {}),
        )
        seen_under = start.inputs[-1, : len(rows[0])] if controller and isinstance(start, Trajectory) else rows[0]
        run.found.append(own.engine.observe(seen_under, options)[None])
        if isinstance(start, Trajectory):
            frames.carry_over(self.plan, run.found[0][0], start)
        status = run.stepwise(controller) if controller or driving.gains_given else run.through()
        recorded = np.concatenate(run.found)
        if status < 0:
            effort = times[run.done], own.engine.iterations
            failure = failure_of(self.plan, SolverStatus(status), *effort, own._numbers, own.engine.would_do)
            if on_error == "raise":
                raise failure
            recorded[-1, self.plan.frame["status"][0]] = status
        resume = own.engine.state.astype(float).copy()
        account = own.engine.account.astype(float).copy()
        if run.done % every:  # it failed beyond the last recorded knot: nothing goes on from there
            resume = resume[:0]
        driven, names = run.recorded_inputs()
        motion = frames.trajectory(
            self.mechanism,
            self.plan,
            step,
            times[::every][: len(recorded)],
            recorded,
            driven[: len(recorded)],
            names,
            resume,
            own.settings,
            self.loops,
            self.coordinates,
            run.angles,
            {} if run.counter is None else run.counter.result(),
            account,
            self._real,
            own._slack(options, step),
            start if isinstance(start, Trajectory) else None,
        )
        if spin := motion.fast_spin():
            warnings.warn(str(spin), SpinWarning, stacklevel=2)
        for alarm in motion.alarms:
            kind = {TooStiff: StiffnessWarning, MisreadRate: RateWarning}.get(type(alarm), EnergyWarning)
            warnings.warn(alarm.sentence, kind, stacklevel=2)
        return motion

    def reset(
        self,
        *,
        start: State | Trajectory | None = None,
        inputs: Mapping[str, object] | None = None,
        step: float = 0.01,
    ) -> World:
        """A world at a start, to go on knot by knot with `World.step`, in a memory of its own.

        start: None (the description's own start), a State, or a Trajectory to go on from. inputs: name -> number, for
        every step that names no other; they win over signals. Parameters are those that are set now.
        Raises MechanismError, AssemblyError.
        """
        from symvi.simulate.world import world_at

        return world_at(self._twin(), start, inputs, step)

    def _slack(self, options: SolverOptions, step: float) -> tuple[float, float]:
        """Energy that contacts, limits and dry friction may give in a step: all that their complementarity may be, and
        as much for what their slacks miss; and energy of what the tolerance leaves of velocities [J]."""
        options, plan, parameters = options.in_precision(self._real), self.plan, self.engine.parameters
        masses = sum(float(parameters[plan.at("parameters", "body", k, "mass")][0]) for k in range(len(plan.bodies)))
        sizes = sum(float(parameters[plan.at("parameters", "body", k, "size")][0]) for k in range(len(plan.bodies)))
        left = (masses + sizes) * options.tolerance * options.tolerance
        nodes = plan.notes["inequalities"]
        if not nodes:
            return 0.0, left
        fall = float(parameters[plan.at("parameters", "common", 0, "acceleration")][0]) * step
        effective_masses = sum(
            (node["pairs"] + node["cone"])
            * float(parameters[plan.at("parameters", node["kind"], node["index"], "effective_mass")][0])
            for node in nodes
        )
        return 2.0 * options.complementarity * fall * fall * effective_masses, left

    def _go_on(self, start: Trajectory, step: float) -> None:
        """Put the solver where a trajectory ended."""
        if start.format != FORMAT:
            raise MechanismError(
                f"the trajectory was saved by an earlier version of symvi (format {start.format}, now {FORMAT}), where "
                "the solver's own state at a knot meant something else; start from its state(), or simulate again"
            )
        if not len(start.resume):
            raise MechanismError(
                "the trajectory ends in a step that failed, beyond its last recorded knot; start from its state()"
            )
        if start.formulation != self.coordinates:
            raise MechanismError(
                f"the trajectory was made with coordinates='{start.formulation}'; go on with the same, or start from "
                "its state()"
            )
        sizes = len(start.resume), len(start.account), sum(values.shape[1] for values in start.multipliers.values())
        own = len(self.engine.state), len(self.engine.account), self.plan.rows
        if start.mechanism.digest != self.mechanism.digest or sizes != own:
            raise MechanismError(
                f"the trajectory is of the mechanism '{start.mechanism.name}', not of this '{self.mechanism.name}'"
            )
        if start.settings != self.settings:
            names = sorted(
                name
                for name in {*start.settings, *self.settings}
                if start.settings.get(name) != self.settings.get(name)
            )
            raise MechanismError(
                f"the trajectory was made with other values of {', '.join(names)}; set the same, or start "
                "from its state()"
            )
        if step != start.step:
            raise MechanismError(
                f"the trajectory has steps of {start.step:g} s; go on with that step, or start from its state()"
            )
        self._set_step(step)
        self.engine.forget()
        self.engine.state[:] = start.resume
        self.engine.account[:] = start.account
        self._turning, self.angles = Turning(self.mechanism, self.settings), start.state().angles

    def _hold(self, rows: np.ndarray, given: Mapping[str, object]) -> None:
        """Inputs of drivers that nothing drives: where they are."""
        for constraint in self.plan.constraints:
            name = f"{constraint['name']}.target"
            if constraint["type"] == "driver" and not self.inputs.has_signal(name) and name not in given:
                target = self.engine.state[self.plan.at("state", constraint["kind"], constraint["index"], "target")][0]
                rows[:, self.inputs.column(name)] = target


def _restored(mechanism: Mechanism, build: Mapping[str, str], settings: Settings, numbers: np.ndarray) -> Simulator:
    """A simulator of a description, with parameters as they were."""
    simulator = Simulator(mechanism, **build)
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
    coordinates: str = "maximal",
) -> Text:
    """The generated C of a mechanism, for writing to a folder. fixed_iterations, substeps: of its default options."""
    check_modes(layout=layout, real=real, loops=loops, coordinates=coordinates)
    return text_of(Mechanism.of(mechanism), layout, real, loops, prefix, fixed_iterations, substeps, coordinates)
