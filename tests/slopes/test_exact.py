"""Derivatives of steps are those of the step: to the last digits of double, by differences of steps in fifty digits."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from symvi import Simulator, SolverOptions, SymviWarning
from symvi.mechanism import Mechanism
from symvi.simulate.linearize import Linearizer
from symvi.simulate.parameter_tangents import tangents_of
from symvi.simulate.slope_charts import Knot
from symvi.simulate.slope_reference import ReferenceSlopes
from tests.support.many_digits import ManyDigits
from tests.support.slope_scenes import SCENES, scene
from tests.support.subset import only

STEP = 0.01
EXACT = 1e-11  # of the largest derivative of a field: round-off of a solve in double, a hundred times over


def solved_in(name: str, coordinates: str):
    """A scene under way."""
    mechanism, inputs = scene(name)
    return underway(mechanism, coordinates, inputs)


def underway(mechanism: Mechanism, coordinates: str, inputs: dict, steps: int = 12):
    """A linearizer in Python, and a state in the midst of a motion with the inputs of the next step."""
    simulator = Simulator(mechanism, backend="python", coordinates=coordinates)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymviWarning)
        motion = simulator.simulate(steps * STEP, STEP, inputs=inputs)
    own = simulator._twin()
    own._set_step(STEP)
    contacts = bool(simulator.plan.notes["inequalities"])
    smoothing = 1e-6 if contacts else None
    options = SolverOptions(tolerance=1e-12, complementarity=smoothing)
    linearizer = Linearizer(ReferenceSlopes(own.engine), own.plan, options, None, smoothing, tangents_of(simulator, ()))
    return linearizer, motion.resume, motion.inputs[-1, : len(own.plan.inputs)]


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("name", only(["pair", "four_bar", "sphere"], SCENES))
def test_tangents_of_a_step_are_those_of_steps_in_fifty_digits(name: str, coordinates: str) -> None:
    linearizer, state, row = solved_in(name, coordinates)
    slopes, plan, layout = linearizer.slopes, linearizer.plan, linearizer.layout
    first = Knot(slopes, plan, state, row, linearizer.parameters)
    linearizer.chosen = first.choose(linearizer.every, None)
    lift = linearizer.lift(first)
    seeds = np.hstack([lift, np.zeros((len(lift), len(row)))])
    moved, _, _, parts = linearizer._through(state, row, seeds)
    assert parts == 1
    slopes.enter(state, row)
    slopes.step(linearizer.options)
    slopes.enter(state, row)
    slopes.settle(linearizer.smoothing or 0.0)
    solver = slopes.solver
    speed = STEP * getattr(solver.memory.parameters["common"][0], "acceleration", [0.0])[0]
    centring = None if linearizer.smoothing is None else linearizer.smoothing * (speed * speed)
    witness = ManyDigits(solver.program, solver.memory, centring)
    every = range(seeds.shape[1])
    for column in sorted({*every[:: max(1, len(every) // 4)], *every[lift.shape[1] :][-2:]}):  # and inputs
        along, driven = np.zeros(len(state)), np.zeros(len(row))
        for place, (offset, size) in layout.fields["state"].items():
            start = plan.fields["state"][place][0]
            along[start : start + size] = seeds[offset : offset + size, column]
        if column >= lift.shape[1]:
            driven[column - lift.shape[1]] = 1.0
        found = witness.slope(state, row, along, driven)
        for place, (offset, size) in layout.fields["state"].items():
            if place.rpartition("/")[2] in ("v", "w"):
                continue
            start = plan.fields["state"][place][0]
            expected, own = found[start : start + size], moved[offset : offset + size, column]
            scale = max(np.abs(found).max(), 1.0)
            np.testing.assert_allclose(own, expected, rtol=0, atol=EXACT * scale, err_msg=f"{place}, column {column}")


@pytest.mark.parametrize("name", only(["pair", "servo"], SCENES))
def test_both_coordinates_say_the_same(name: str) -> None:
    found = []
    for coordinates in ("maximal", "tree"):
        linearizer, state, row = solved_in(name, coordinates)
        found.append(linearizer.step(state, row)[0])
    one, other = found
    assert one.names == other.names
    for a, b in ((one.A, other.A), (one.B, other.B), (one.x, other.x), (one.next, other.next)):
        # states of both motions differ by round-off of some steps; stiff rows have derivatives of 1/h² of it
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-9 * max(1.0, np.abs(a).max(initial=0.0)))
