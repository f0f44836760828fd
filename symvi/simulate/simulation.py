"""One simulation: a simulator's twin put at its start, run through, and told as a trajectory."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import hypot
from typing import TYPE_CHECKING

import numpy as np

from symvi.errors import EnergyWarning, RateWarning, SolverError, SpinWarning, StiffnessWarning
from symvi.mechanism.state import State
from symvi.numbers.control import SolverOptions, SolverStatus
from symvi.simulate import frames
from symvi.simulate.arguments import Rates
from symvi.simulate.failures import failure_of
from symvi.simulate.inputs import Controller
from symvi.simulate.knot_rates import MisreadRate
from symvi.simulate.knot_stiffness import TooStiff
from symvi.simulate.run import Driving, Run, overlaid
from symvi.simulate.standing import Standing, precision_of
from symvi.simulate.starter import Starter
from symvi.simulate.trajectory import Trajectory

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator


@dataclass
class Simulation:
    """What is simulated. own: a simulator with an engine that nobody else runs. times: (steps + 1,) of the knots [s].

    start: None is the description's own. given: inputs and gains by name, constant or in rows.
    """

    own: Simulator
    start: State | Trajectory | None
    times: np.ndarray
    step: float
    every: int
    options: SolverOptions
    given: Mapping[str, object]

    def __post_init__(self) -> None:
        self.engine, self.plan = self.own.engine, self.own.plan
        self.before = self.start if isinstance(self.start, Trajectory) else None  # a motion that goes on

    def begin(self, project: bool, knot: bool, rates: Rates) -> Driving:
        """Put the engine at the start; returns what drives the run."""
        own = self.own
        driving = overlaid(own.inputs, own.gains, self.engine, self.times, self.given)
        if isinstance(self.start, Trajectory):
            own._go_on(self.start, self.step)
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
        run = Run(
            engine=self.engine,
            mechanism=own.mechanism,
            inputs=own.inputs,
            gains=own.gains,
            turning=own.turning,
            angles=own.angles,
            times=self.times,
            step=self.step,
            every=self.every,
            options=self.options,
            progress=progress,
            driving=driving,
            aimed=None if before is not None else own.inputs.aimed(self.given),
        )
        first = driving.rows[0]
        seen_under = before.inputs[-1, : len(first)] if controller and before is not None else first
        run.found.append(self.engine.observe(seen_under, self.options)[None])
        if before is not None:
            frames.carry_over(self.plan, run.found[0][0], before)
        return run, run.stepwise(controller) if controller or driving.gains_given else run.through()

    def failure(self, run: Run, status: int) -> SolverError:
        """The error of the step that a run ended in."""
        effort = self.times[run.done], self.engine.iterations
        field = Standing(self.engine).numbers
        return failure_of(self.plan, SolverStatus(status), *effort, field, self.engine.would_do)

    def trajectory(self, run: Run, status: int) -> Trajectory:
        """What was recorded, with a status that is a failure's last."""
        own, recorded = self.own, np.concatenate(run.found)
        if status < 0:
            recorded[-1, self.plan.frame["status"][0]] = status
        resume = self.engine.state.astype(float).copy()
        account = self.engine.account.astype(float).copy()
        if run.done % self.every:  # it failed beyond the last recorded knot: nothing goes on from there
            resume = resume[:0]
        driven, names = run.recorded_inputs()
        return frames.trajectory(
            own.mechanism,
            self.plan,
            self.step,
            self.times[:: self.every][: len(recorded)],
            recorded,
            driven[: len(recorded)],
            names,
            resume,
            own.settings,
            own.loops,
            own.coordinates,
            run.angles,
            {} if run.counter is None else run.counter.result(),
            account,
            precision_of(self.engine),
            self._slack(self.options, self.step),
            self.before,
        )

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
    if spin := motion.fast_spin():
        warnings.warn(str(spin), SpinWarning, stacklevel=3)
    for alarm in motion.alarms:
        kind = {TooStiff: StiffnessWarning, MisreadRate: RateWarning}.get(type(alarm), EnergyWarning)
        warnings.warn(alarm.sentence, kind, stacklevel=3)
