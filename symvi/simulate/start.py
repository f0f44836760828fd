"""The solver's state at a start: placements and velocities, whole turns, and what drivers prescribe there.

Momenta are not in it: they follow from the velocities, the step and the parameters, when the solver starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from symvi.errors import MechanismError
from symvi.mechanism import Mechanism, free_translations, start_state
from symvi.mechanism.names import shown
from symvi.mechanism.placement import known_angles
from symvi.mechanism.signals import signal_tree, value_and_rate
from symvi.mechanism.state import State
from symvi.simulate.inputs import Inputs
from symvi.simulate.plan import Plan
from symvi.simulate.run_parameters import in_memory
from symvi.simulate.solver_state import solver_state
from symvi.simulate.turns import Angles, Turning

Array = NDArray[np.floating]
BODY_FIELDS = {"x": "position", "q": "orientation", "v": "velocity", "w": "angular velocity"}


def described_start(mechanism: Mechanism, plan: Plan) -> tuple[float, ...]:
    """The state where the description starts, in the order of the plan; drivers without a signal have target 0."""
    array, state = np.zeros(plan.sizes["state"]), start_state(mechanism)
    write_placement(array, plan, mechanism, state)
    write_angles(array, plan, mechanism, Turning(mechanism, {}).at(state.orientation, known_angles(mechanism)))
    signals = {driver.name: driver.signal for driver in mechanism.drivers if driver.signal is not None}
    write_targets(array, plan, {name: value_and_rate(signal_tree(text), 0.0) for name, text in signals.items()})
    inputs = Inputs(mechanism, plan)
    inputs.aim_from(array, inputs.from_signals(np.zeros(1))[0], inputs.names)
    return tuple(array.tolist())


def described_inputs(mechanism: Mechanism, plan: Plan) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Inputs where the description starts, 0 where there is no signal; and the drivers that have none."""
    row = Inputs(mechanism, plan).from_signals(np.zeros(1))[0]
    return tuple(row.tolist()), tuple(driver.name for driver in mechanism.drivers if driver.signal is None)


def check_beginning(mechanism: Mechanism, plan: Plan, real: str) -> None:
    """Raises MechanismError, naming it, for a number at the start that a precision cannot hold."""
    state, inputs = described_start(mechanism, plan), described_inputs(mechanism, plan)[0]
    for store, values in (("parameters", plan.defaults), ("state", state), ("input", inputs)):
        held = in_memory(values, real)
        wrong = next((k for k, value in enumerate(held) if not isfinite(value)), None)
        if wrong is not None:
            raise MechanismError(
                f"{_field_at(mechanism, plan, store, wrong)}: {values[wrong]:g} is too large for a number in {real}; "
                "check its unit" + ("" if real == "double" else ", or compute in double")
            )


def _field_at(mechanism: Mechanism, plan: Plan, store: str, place: int) -> str:
    """The input or field that a number belongs to, in words."""
    if store == "input":
        return f"input {shown(plan.inputs[place])}"
    for field, (offset, size) in plan.fields[store].items():
        if offset <= place < offset + size:
            kind, index, name = field.split("/")
            owner = f"body '{plan.bodies[int(index)]}'" if kind == "body" else f"mechanism '{mechanism.name}'"
            return f"{owner}: {BODY_FIELDS.get(name, name) if kind == 'body' else name} at the start"
    raise AssertionError(place)


def write_placement(array: Array, plan: Plan, mechanism: Mechanism, state: State) -> None:
    """Positions of centres of mass, orientations and velocities in world axes."""
    for name, values in solver_state(mechanism, state).items():
        for k in range(len(plan.bodies)):
            array[plan.at("state", "body", k, name)] = values[k]


def write_angles(array: Array, plan: Plan, mechanism: Mechanism, angles: Angles) -> None:
    """The angles that the solver carries, with their whole turns, which are not in a placement."""
    for angle in plan.angles:
        which = angle["coordinate"] - free_translations(mechanism.joint(angle["joint"]))
        array[plan.at("state", angle["kind"], angle["index"], angle["field"])] = angles[angle["joint"]][which]


def write_targets(array: Array, plan: Plan, targets: Mapping[str, tuple[float, float]]) -> None:
    """Where drivers are and how fast: their names -> (target, rate)."""
    for constraint in plan.constraints:
        if constraint["type"] == "driver" and constraint["name"] in targets:
            target, rate = targets[constraint["name"]]
            for field, value in (("target", target), ("rate", rate), ("rate_before", rate)):
                array[plan.at("state", constraint["kind"], constraint["index"], field)] = value
