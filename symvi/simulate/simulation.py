"""One simulation: a simulator's twin put at its start, run through, and told as a trajectory."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import hypot
from typing import TYPE_CHECKING, Any

import numpy as np

from symvi.errors import SolverError
from symvi.mechanism.state import State
from symvi.numbers.control import SolverOptions, SolverStatus
from symvi.simulate import frames
from symvi.simulate.alarms import warned_of
from symvi.simulate.arguments import Rates
from symvi.simulate.fast_spin import may_be_fast
from symvi.simulate.inputs import Controller
from symvi.simulate.knot_rates import strikes
from symvi.simulate.orders import inner_rows, refuse
from symvi.simulate.recording import EVERYTHING, Holding, Later, watched_knots
from symvi.simulate.run import Driving, Run, overlaid
from symvi.simulate.standing import Standing, precision_of
from symvi.simulate.starter import Starter, put_where_it_ended
from symvi.simulate.trajectory import Trajectory
from symvi.simulate.unread import UNREAD, Again, Unread

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator


@dataclass
class Simulation:
    """What is simulated. own: a simulator with an engine that nobody else runs. times: (steps + 1,) of the knots [s].

    start: None is the description's own. given: inputs and gains by name, constant or in rows. names: what is recorded.
    chosen: whether by name; else a long run leaves some of it to be worked out when it is read.
    """

    own: Simulator
    start: State | Trajectory | None
    times: np.ndarray
    step: float
    every: int
    options: SolverOptions
    given: Mapping[str, object]
    names: tuple[str, ...] = EVERYTHING
    chosen: bool = True

    def __post_init__(self) -> None:
        self.engine, self.plan = self.own.engine, self.own.plan
        self.before = self.start.whole if isinstance(self.start, Trajectory) else None  # a motion that goes on

    def begin(self, project: bool, knot: bool, rates: Rates) -> Driving:
        """Put the engine at the start; returns what drives the run."""
        own = self.own
        driving = overlaid(own.inputs, own.gains, self.engine, self.times, self.given)
        driving.inner = inner_rows(own, driving.rows, self.times, self.step, driving.gains_given)
        if isinstance(self.start, Trajectory):
            put_where_it_ended(own, self.start, self.step)
        else:
            first = driving.rows[:4] if self.given else None
            time = 0.0 if self.start is None else self.start.time
            own.start(self.start, time=time, step=self.step, project=project, knot=knot, rates=rates, inputs=first)
        Starter(self.engine, own.mechanism, own.inputs).hold(driving.rows, self.given)
        return driving

    def run(
        self, driving: Driving, controller: Controller | None, progress: Callable[[int, int], None] | None
    ) -> tuple[Run, int]:
        """From the start to the end, or to a step that fails; and the status of the last."""
        own, before = self.own, self.before
        if controller is not None:
            refuse(own, "controller", "what changes at knots acts on a motion to second order at best")
        run = Run(
            engine=self.engine,
            mechanism=own.mechanism,
            inputs=own.inputs,
            gains=own.gains,
            settings=own.settings,
            turning=own.turning,
            angles=own.angles,
            times=self.times,
            step=self.step,
            every=self.every,
            options=self.options,
            progress=progress,
            driving=driving,
            names=self.names,
            chosen=self.chosen,
            aimed=None if before is not None else own.inputs.aimed(self.given),
        )
        first = driving.rows[0]
        seen_under = before.inputs[-1, : len(first)] if controller and before is not None else first
        run.found.append(self.engine.observe(seen_under, self.options)[None])
        if before is not None:
            frames.carry_over(self.plan, run.found[0][0], before)
        return run, run.stepwise(controller, seen_under) if controller or driving.gains_given else run.through()

    def failure(self, run: Run, status: int) -> SolverError:
        """The error of the step that a run ended in."""
        from symvi.simulate.failures import failure_of

        effort = self.times[run.done], self.engine.iterations
        field = Standing(self.engine).numbers
        return failure_of(self.plan, SolverStatus(status), *effort, field, self.engine.would_do)

    def trajectory(self, run: Run, status: int) -> Trajectory:
        """What was recorded, with a status that is a failure's last."""
        resume = self.engine.state.astype(float).copy()
        account = self.engine.account.astype(float).copy()
        driven, names = run.recorded_inputs()
        kept = run.names if run.again else self._kept(names)
        recorded, part = run.frames(), None
        count = 1 + run.done // self.every
        at, times = np.arange(count), self.times[:: self.every][:count]
        if kept != EVERYTHING:
            at = watched_knots(count, run.apart) if status >= 0 else np.arange(0, count, run.apart)
            held, struck = Holding.of(self.plan, kept), self._struck(recorded, kept)
            if run.part is None:
                part = held.room(count, recorded)
                held.put(part, recorded)
                recorded = frames.thinned(self.plan, recorded, at)
            else:
                part = run.part[:count]
        if status < 0:
            if part is not None:
                part[-1, held.plan.frame["status"][0]] = status
            if at[-1] == count - 1:
                recorded[-1, self.plan.frame["status"][0]] = status
        if run.done % self.every or at[-1] != count - 1:  # it failed beyond a whole frame: nothing goes on from there
            resume = resume[:0]
        counted = {} if run.counter is None else run.counter.result()
        whole = frames.trajectory(
            self.own.mechanism,
            self.plan,
            self.step,
            times[at],
            recorded,
            driven[at],
            names,
            resume,
            self.own.settings,
            self.own.loops,
            self.own.coordinates,
            self.own.composition,
            run.angles,
            {name: values[at] for name, values in counted.items()},
            account,
            precision_of(self.engine),
            self._slack(self.options, self.step),
            self.before,
        )
        if part is None:
            return whole
        read = frames.Read(self.own.mechanism, held.plan, part, counted, self.before).fields(kept)
        if run.again is None:
            return frames.part(whole, kept, read | {"time": times, "inputs": driven[:count], "struck": struck})
        motion = frames.part(whole, EVERYTHING, read | {"time": times, "inputs": driven[:count], "watched": None})
        unread = Unread(partial(self._unread, run.again, motion.orientation), whole)
        object.__setattr__(motion, "_unread", unread)
        if may_be_fast(motion):
            unread.fill(motion)
        return motion

    def _unread(self, again: Again, orientation: np.ndarray) -> dict[str, Any]:
        """Fields of what takes a solve at each knot."""
        held = Holding.of(self.plan, UNREAD)
        read = frames.Read(self.own.mechanism, held.plan, again.held(held), {}, self.before)
        spin = Later(partial(frames.in_body_axes, orientation, read.entry("w")))
        return read.fields(UNREAD) | {"angular_velocity": spin}

    def _struck(self, recorded: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
        """Where contacts strike, for rates that are recorded without them; else none."""
        if "rates" not in names or "contacts" in names:
            return np.zeros(0)
        found = frames.Read(self.own.mechanism, self.plan, recorded, {}, None).fields(["contacts"])
        return strikes(**found).astype(float)

    def _kept(self, inputs: tuple[str, ...]) -> tuple[str, ...]:
        """What is recorded; with rates, gains that are inputs too, as these may be misread under them."""
        gains = "rates" in self.names and any(name.endswith(".damping") for name in inputs)
        return tuple(name for name in EVERYTHING if name in self.names or (gains and name == "inputs"))

    def _slack(self, options: SolverOptions, step: float) -> tuple[float, float]:
        """Energy that contacts, limits and dry friction may give in a step: all that their complementarity may be, and
        as much for what their slacks miss; and energy of what the tolerance leaves of velocities [J]: their own, and
        that of weights whose places are left open by as much as these velocities move them in a step."""
        options, plan, parameters = options.in_precision(precision_of(self.engine)), self.plan, self.engine.parameters
        masses = sum(float(parameters[plan.at("parameters", "body", k, "mass")][0]) for k in range(len(plan.bodies)))
        sizes = sum(float(parameters[plan.at("parameters", "body", k, "size")][0]) for k in range(len(plan.bodies)))
        left = (masses + sizes) * options.tolerance * options.tolerance
        gravity = hypot(*map(float, parameters[plan.at("parameters", "common", 0, "gravity")]))
        left += masses * gravity * options.tolerance * step
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


def warn_of(motion: Trajectory) -> None:
    """Warnings, to who called the simulator, of what is not to be trusted in a motion."""
    for kind, sentence in warned_of(motion.glimpsed if motion.unread else motion):
        warnings.warn(sentence, kind, stacklevel=3)
