"""Puts an engine at a start, or where a trajectory ended, with the turns of its joints and what drivers find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from symvi.errors import MechanismError
from symvi.mechanism import Mechanism
from symvi.mechanism.placement import known_angles
from symvi.mechanism.state import State
from symvi.simulate.engine import Engine
from symvi.simulate.inputs import Inputs
from symvi.simulate.orders import said
from symvi.simulate.run_parameters import Settings
from symvi.simulate.standing import Standing
from symvi.simulate.start import write_angles, write_placement, write_targets
from symvi.simulate.trajectory import FORMAT, Trajectory
from symvi.simulate.turns import Angles, Turning

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator


class Starter:
    """Writes the state of one engine."""

    def __init__(self, engine: Engine, mechanism: Mechanism, inputs: Inputs):
        self.engine, self.plan, self.mechanism, self.inputs = engine, engine.plan, mechanism, inputs

    def write_state(self, state: State) -> None:
        """Placements and velocities. Raises MechanismError for a state of other bodies."""
        if state.names != self.plan.bodies:
            raise MechanismError(
                f"state: has the bodies {', '.join(state.names)}; the mechanism has {', '.join(self.plan.bodies)}"
            )
        write_placement(self.engine.state, self.plan, self.mechanism, state)

    def write_angles(self, state: State, turning: Turning) -> Angles:
        """Whole turns are not in a placement: those of the state, and of the description where it tells none, count."""
        angles = turning.at(state.orientation, {**known_angles(self.mechanism), **state.angles})
        write_angles(self.engine.state, self.plan, self.mechanism, angles)
        return angles

    def write_targets(self, inputs: np.ndarray, rates: np.ndarray) -> None:
        """Where drivers are, and how fast."""
        columns = {name: self.inputs.column(f"{name}.target") for name in self.plan.drivers}
        write_targets(self.engine.state, self.plan, {name: (inputs[k], rates[k]) for name, k in columns.items()})

    def holding(self, row: np.ndarray, free: bool) -> np.ndarray:
        """Drivers that nothing drives hold their joint: their input is set to the coordinate found there."""
        held = [name for name in self.plan.drivers if free and not self.inputs.has_signal(f"{name}.target")]
        if held:
            self.engine.observe(row)
            standing = Standing(self.engine)
            for constraint in self.plan.constraints:
                if constraint["name"] in held:
                    found = standing.numbers("work", constraint["kind"], constraint["index"], "g")[0]
                    row[self.inputs.column(f"{constraint['name']}.target")] = found
                    self.engine.state[self.plan.at("state", constraint["kind"], constraint["index"], "target")] = found
        return row

    def hold(self, rows: np.ndarray, given: Mapping[str, object]) -> None:
        """Inputs of drivers that nothing drives: where they are."""
        for constraint in self.plan.constraints:
            name = f"{constraint['name']}.target"
            if constraint["type"] == "driver" and not self.inputs.has_signal(name) and name not in given:
                target = self.engine.state[self.plan.at("state", constraint["kind"], constraint["index"], "target")][0]
                rows[:, self.inputs.column(name)] = target

    def go_on(self, start: Trajectory) -> None:
        """The state and the account where a trajectory ended."""
        self.engine.forget()
        self.engine.state[:] = start.resume
        self.engine.account[:] = start.account

    def check_goes_on(
        self, start: Trajectory, step: float, settings: Settings, coordinates: str, composition: str
    ) -> None:
        """Raises MechanismError where a trajectory cannot go on in steps of this solver.

        settings: the parameters that differ from the description's. coordinates: what it solves for. composition: that
        of its steps, "" of order 2.
        """
        if start.format != FORMAT:
            raise MechanismError(
                f"the trajectory was saved by an earlier version of symvi (format {start.format}, now {FORMAT}), where "
                "the solver's own state at a knot meant something else; start from its state(), or simulate again"
            )
        if not len(start.resume):
            raise MechanismError(
                "the trajectory ends in a step that failed, beyond its last recorded knot; start from its state()"
            )
        if start.formulation != coordinates:
            raise MechanismError(
                f"the trajectory was made with coordinates='{start.formulation}'; go on with the same, or start from "
                "its state()"
            )
        if start.composition != composition:
            raise MechanismError(
                f"the trajectory was made with {said(start.composition)}; go on with the same, or start from "
                "its state()"
            )
        sizes = len(start.resume), len(start.account), sum(values.shape[1] for values in start.multipliers.values())
        own = len(self.engine.state), len(self.engine.account), self.plan.rows
        if start.mechanism.digest != self.mechanism.digest or sizes != own:
            raise MechanismError(
                f"the trajectory is of the mechanism '{start.mechanism.name}', not of this '{self.mechanism.name}'"
            )
        if start.settings != settings:
            names = sorted(
                name for name in {*start.settings, *settings} if start.settings.get(name) != settings.get(name)
            )
            raise MechanismError(
                f"the trajectory was made with other values of {', '.join(names)}; set the same, or start "
                "from its state()"
            )
        if step != start.step:
            raise MechanismError(
                f"the trajectory has steps of {start.step:g} s; go on with that step, or start from its state()"
            )


def put_where_it_ended(own: Simulator, start: Trajectory, step: float) -> None:
    """Put a simulator where a trajectory ended. Raises MechanismError where it cannot go on from there."""
    starter = Starter(own.engine, own.mechanism, own.inputs)
    starter.check_goes_on(start.whole, step, own.settings, own.coordinates, own.composition)
    own._set_step(step)
    starter.go_on(start.whole)
    own.turning, own.angles = Turning(own.mechanism, own.settings), start.state().angles
