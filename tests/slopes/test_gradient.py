"""Gradients of losses along motions: by differences of whole motions, and by the product of all steps."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import ArgumentError, Simulator, SolverError, SolverOptions, state_from
from symvi.simulate.slope_path import SlopePath
from tests.support.slope_scenes import scene

STEP, TIME = 0.01, 0.2
TIGHT = SolverOptions(tolerance=1e-12)


def squares(x: np.ndarray, u: np.ndarray):
    """Weights that differ knot by knot, of coordinates and rates, and of inputs."""
    by = np.linspace(0.5, 1.5, len(x))[:, None] * np.linspace(1.0, 2.0, x.shape[1])
    return (by * x**2).sum() / 2 + (u**3).sum(), by * x, 3 * u**2


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_gradients_are_those_of_differences(coordinates: str) -> None:
    """By the start, by each step's input, and by parameters, of whole motions that are taken anew."""
    mechanism, _ = scene("pair")
    simulator = Simulator(mechanism, coordinates=coordinates)
    start = {"shoulder": 0.7, "elbow": 0.5}, {"shoulder": 1.5, "elbow": -2.0}
    force = 0.3 * np.cos(np.arange(21.0))

    def lost(entry: int = 0, size: float = 0.0, row: int = 0, push: float = 0.0, mass: float = 0.0) -> float:
        numbers = [[*each.values()] for each in start]
        numbers[entry // 2][entry % 2] += size
        state = state_from(
            mechanism,
            dict(zip(start[0], numbers[0], strict=True)),
            velocities=dict(zip(start[1], numbers[1], strict=True)),
        )
        pushed = force.copy()
        pushed[row] += push
        own = Simulator(mechanism, coordinates=coordinates)
        own.set_parameter("lower.mass", 0.5 + mass)
        found = own.gradient(squares, TIME, STEP, start=state, inputs={"motor.force": pushed}, options=TIGHT)
        return found.value

    state = state_from(mechanism, start[0], velocities=start[1])
    given = {"motor.force": force}
    found = simulator.gradient(squares, TIME, STEP, start=state, inputs=given, parameters=["lower.mass"], options=TIGHT)
    assert found.names == ("shoulder", "elbow", "shoulder.rate", "elbow.rate")
    motion = simulator.simulate(TIME, STEP, start=state, inputs=given, options=TIGHT)
    np.testing.assert_allclose(found.x[:, 0], np.ravel(motion.curves["shoulder"]), rtol=0, atol=1e-12)
    size = 1e-4

    def difference(name: str, **more: int) -> float:
        near, far = (lost(**more, **{name: k * size}) - lost(**more, **{name: -k * size}) for k in (1, 2))
        return (8 * near - far) / (12 * size)

    for entry in range(4):
        assert found.start[entry] == pytest.approx(difference("size", entry=entry), rel=1e-7)
    for row in (0, 7, 19):
        assert found.inputs[row, 0] == pytest.approx(difference("push", row=row), rel=1e-6, abs=1e-9)
    assert found.parameters[0] == pytest.approx(difference("mass"), rel=1e-6)


# How far products of matrices and tapes may be apart by round-off. Where a ball slides, entries of the matrix of
# contacts that cancel grow as the inverse of the smoothing (1.3e-6 at 1e-8); of one force along one coordinate nothing
# cancels (1.1e-11 for the loop, whose displacements generated C and the scripts find in two ways).
PRODUCTS = [
    *((name, None, 1e-10) for name in ("servo", "four_bar", "driven", "limited", "rubbing")),
    *(("sphere", smoothing, error) for smoothing, error in ((None, 1e-5), (1e-4, 1e-9), (1e-2, 1e-11))),
]


@pytest.mark.parametrize(("name", "smoothing", "error"), PRODUCTS)
def test_gradients_are_the_product_of_all_steps(name: str, smoothing: float | None, error: float) -> None:
    """Targets, loops, drivers, stops and contacts: the adjoint is the transpose of what goes forwards."""
    mechanism, inputs = scene(name)
    simulator = Simulator(mechanism)
    found = simulator.gradient(squares, TIME, STEP, inputs=inputs, smoothing=smoothing, options=TIGHT)
    simulated = simulator.simulate(TIME, STEP, inputs=inputs, options=TIGHT)
    motion = simulated.linearize(smoothing=smoothing, options=TIGHT)
    assert found.names == motion.names
    _, by_x, by_u = squares(found.x, found.u)
    whole, expected = np.eye(len(found.names)), by_x[0].copy()
    for k, one in enumerate(motion.A):
        whole = one @ whole
        expected += whole.T @ by_x[k + 1]
    np.testing.assert_allclose(found.start, expected, rtol=0, atol=error * np.abs(expected).max())
    assert found.smoothing == motion.smoothing
    if len(found.input_names):
        last = by_u[-1] + motion.B[-1].T @ by_x[-1]
        np.testing.assert_allclose(found.inputs[-1], last, rtol=0, atol=max(1e-9, error))


def test_a_target_of_a_servo_acts_at_the_end_of_its_step() -> None:
    mechanism, _ = scene("servo")
    simulator, targets = Simulator(mechanism), np.linspace(0.3, 0.5, 21)
    found = simulator.gradient(squares, TIME, STEP, inputs={"servo.target": targets}, options=TIGHT)
    column, size, row = found.input_names.index("servo.target"), 1e-5, 11

    def lost(change: float) -> float:
        moved = targets.copy()
        moved[row] += change
        return simulator.gradient(squares, TIME, STEP, inputs={"servo.target": moved}, options=TIGHT).value

    expected = (lost(size) - lost(-size)) / (2 * size)
    assert found.inputs[row - 1, column] == pytest.approx(expected, rel=1e-5)


def test_what_has_no_gradient_is_refused() -> None:
    mechanism, _ = scene("pair")
    simulator = Simulator(mechanism)
    with pytest.raises(ArgumentError, match="whole steps"):
        simulator.gradient(squares, 0.0)
    with pytest.raises(ArgumentError, match="whole steps"):
        simulator.gradient(squares, 0.015)
    with pytest.raises(ArgumentError, match="the value is not finite"):
        simulator.gradient(lambda x, u: (np.nan, x), TIME)
    with pytest.raises(ArgumentError, match="slope by x is not finite at knot 3"):
        simulator.gradient(lambda x, u: (0.0, np.where(np.arange(len(x))[:, None] == 3, np.inf, x)), TIME)
    with pytest.raises(ArgumentError, match="slope by x has shape"):
        simulator.gradient(lambda x, u: (0.0, x[0]), TIME)
    with pytest.raises(ArgumentError, match="return .value, by x"):
        simulator.gradient(lambda x, u: 1.0, TIME)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ArgumentError, match="steps of order 4.*use order=2"):
        Simulator(mechanism, order=4).gradient(squares, TIME)
    with pytest.raises(ArgumentError, match="give a function"):
        simulator.gradient(None, TIME)  # pyright: ignore[reportArgumentType]


def test_a_stretch_that_does_not_repeat_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, _ = scene("pair")
    after, calls = SlopePath.after, []

    def drifting(self, state, row):
        calls.append(1)
        return after(self, state, row) * (1.0 + 1e-15 * (len(calls) > 10))

    monkeypatch.setattr(SlopePath, "after", drifting)
    with pytest.raises(SolverError, match="does not repeat to the bit"):
        Simulator(mechanism).gradient(squares, TIME, STEP)
