"""From where no step can be taken no start is OK: turns too fast for a step, a step that is none, missing numbers."""

from __future__ import annotations

from math import inf, nan, pi, sqrt
from typing import Literal

import numpy as np
import pytest

from symvi.mechanism import Body, Driver, Joint, JointSpring, Mechanism, Sphere
from symvi.numbers.control import DEFAULTS, SolverStatus
from symvi.simulate import Simulator
from tests.export.exports import crate
from tests.support.firmware import Firmware

Coordinates = Literal["auto", "maximal", "tree"]
STEP = 0.01
FAST = 1.0 / STEP  # rad/s: a knot's momentum J w becomes J sin(turn)/h, so that w is less
CHORD = sqrt(2.0) / STEP  # rad/s: over a step, w is 2 sin(turn/2)/h, and the turn less than a right angle
TURN = pi / 2 / STEP  # rad/s: what turns by less than a right angle in a step

BEGINNINGS = [
    (STEP, 1, 0.999 * FAST, SolverStatus.OK),
    (STEP, 1, 1.001 * FAST, SolverStatus.DOMAIN),
    (STEP, 1, -1.001 * FAST, SolverStatus.DOMAIN),
    (STEP, 1, 1e12, SolverStatus.DOMAIN),
    (STEP, 0, 1.001 * FAST, SolverStatus.OK),
    (STEP, 0, 0.99 * CHORD, SolverStatus.OK),
    (STEP, 0, 1.001 * CHORD, SolverStatus.DOMAIN),
    (STEP, 0, inf, SolverStatus.NOT_FINITE),
    (STEP, 2, 0.99 * TURN, SolverStatus.OK),
    (STEP, 2, 1.001 * TURN, SolverStatus.DOMAIN),
    (STEP, 2, -3.0 * TURN, SolverStatus.DOMAIN),
    (STEP, 2, nan, SolverStatus.NOT_FINITE),
    *((h, knot, 1.0, SolverStatus.BAD_STEP) for h in (0.0, -STEP, nan, inf) for knot in (0, 1)),
]


def rotor() -> Mechanism:
    """A ball on an axle, which a spring winds up: an angle with whole turns."""
    return Mechanism(
        name="rotor",
        bodies=[Body(name="ball", mass=1.0, shape=Sphere(radius=0.1))],
        joints=[Joint(name="axle", type="revolute", child="ball", axis=(0.0, 0.0, 1.0))],
        forces=[JointSpring(name="spring", joint="axle", stiffness=0.1)],
    )


def driven() -> Mechanism:
    """Its axle turned by a driver."""
    return rotor().changed(name="driven", forces=[], drivers=[Driver(name="motor", joint="axle", signal="0.1*t")])


def both(mechanism: Mechanism, real: str, coordinates: Coordinates = "auto") -> tuple[Firmware, Simulator | None]:
    """Firmware that is started, and in double the Python back end with the same memory."""
    simulator = Simulator(mechanism, real=real, backend="c", coordinates=coordinates)
    firmware = Firmware(simulator)
    assert firmware.init() == SolverStatus.OK
    return firmware, Simulator(mechanism, backend="python", coordinates=coordinates) if real == "double" else None


def handed_over(firmware: Firmware, python: Simulator) -> None:
    """Python's memory as that of C."""
    python.engine.parameters[:], python.engine.state[:] = firmware.engine.parameters, firmware.engine.state
    python.engine._enter(firmware.inputs)


@pytest.mark.thorough
@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize(("h", "knot", "rate", "status"), BEGINNINGS)
def test_a_start_tells_whether_steps_can_follow(
    h: float, knot: int, rate: float, status: int, coordinates: Coordinates, real: str
) -> None:
    """Where one says OK, the first step is one; what Python refuses by name, C does by its status.

    A joint that turns by nearly a right angle has no rate in float that leaves less than round-off.
    """
    firmware, python = both(rotor(), real, coordinates)
    engine, plan = firmware.engine, firmware.plan
    engine.state[plan.at("state", "body", 0, "w")] = 0.0, 0.0, rate
    engine.parameters[plan.at("parameters", "common", 0, "h")] = h
    if python:
        handed_over(firmware, python)
        assert python.engine.solver.placing.standing(knot) == status
    assert firmware.start(knot)[0] == status
    if status == SolverStatus.OK:
        rounded = {SolverStatus.ROUND_OFF} if (coordinates, real) == ("tree", "float") else set()
        assert firmware.step() in {SolverStatus.OK, *rounded}
        assert np.isfinite(engine.state).all()


@pytest.mark.parametrize(("h", "rate", "status"), [(h, w, s) for h, knot, w, s in BEGINNINGS if knot == 1])
def test_a_placement_tells_it_too(h: float, rate: float, status: int) -> None:
    """The state is as it was where it cannot begin; so is a reset with such a step refused."""
    firmware, python = both(rotor(), "double")
    engine, plan = firmware.engine, firmware.plan
    engine.parameters[plan.at("parameters", "common", 0, "h")] = h
    handed_over(firmware, python)
    before = engine.state.copy()
    assert firmware.place(np.array([0.3]), np.array([rate])) == status
    assert python.engine.solver.placing.place([0.3], [rate]) == status
    assert (engine.state.tobytes() == before.tobytes()) == (status < 0)
    p, z, u, w = firmware.pointers()
    reset = SolverStatus(engine._function("reset")(p, engine._options(DEFAULTS), z, u, w))
    assert reset == (SolverStatus.BAD_STEP if status == SolverStatus.BAD_STEP else SolverStatus.OK)


MISSING = [  # mechanism, coordinates, store, kind, field: no residual reads these numbers, or only another step would
    (crate, "maximal", "state", "body", "x"),
    (crate, "maximal", "state", "body", "v_old"),
    (crate, "maximal", "state", "common", "before"),
    (crate, "maximal", "state", "common", "earlier"),
    (crate, "maximal", "state", "common", "level"),
    (rotor, "maximal", "state", "revolute_ground_elastic", "angle"),
    (rotor, "tree", "state", "revolute_ground", "angle"),
    (rotor, "tree", "state", "revolute_ground", "u_older"),
    (rotor, "tree", "state", "body", "x"),
    (driven, "maximal", "state", "driver_ground_loop", "target"),
    (driven, "maximal", "state", "driver_ground_loop", "rate"),
    (driven, "maximal", "input", "driver_ground_loop", "target"),
    (driven, "tree", "state", "driver_ground", "target"),
    (driven, "tree", "state", "driver_ground", "rate"),
    (driven, "tree", "input", "driver_ground", "target"),
]


@pytest.mark.thorough
@pytest.mark.parametrize("value", [nan, inf, -inf])
@pytest.mark.parametrize(("build", "coordinates", "store", "kind", "field"), MISSING)
@pytest.mark.parametrize("real", ["double", "float"])
def test_no_step_is_taken_with_a_number_missing(
    build, coordinates: Coordinates, store: str, kind: str, field: str, value: float, real: str
) -> None:
    """Though nothing of the step depends on it: the crate slides alike wherever it is, until somebody looks."""
    firmware, python = both(build(), real, coordinates)
    numbers = firmware.engine.state if store == "state" else firmware.inputs
    numbers[firmware.plan.at(store, kind, 0, field)] = value
    before = firmware.engine.state.tobytes()
    assert firmware.step() == SolverStatus.NOT_FINITE
    assert firmware.engine.state.tobytes() == before
    if python:
        handed_over(firmware, python)
        assert python.engine.rollout(firmware.inputs[None], False, 1, 1, DEFAULTS)[0] == SolverStatus.NOT_FINITE
    if field not in ("before", "earlier", "level", "v_old", "u_older"):  # a start writes these itself
        assert firmware.start(1)[0] == SolverStatus.NOT_FINITE


@pytest.mark.parametrize("iterations", [0, -1, -5])
def test_a_projection_of_no_iterations_only_looks(iterations: int) -> None:
    """It tells how far open the joints are, and moves nothing; a negative number of iterations is none."""
    firmware, python = both(rotor(), "double")
    engine, plan = firmware.engine, firmware.plan
    engine.state[plan.at("state", "body", 0, "x")] += 0.5, 0.0, 0.0
    before = engine.state.tobytes()
    assert engine.project(firmware.inputs, iterations) == 0.5
    assert engine.state.tobytes() == before
    handed_over(firmware, python)
    assert python.engine.project(firmware.inputs, iterations) == 0.5
