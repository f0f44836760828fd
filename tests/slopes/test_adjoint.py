"""The adjoint of a step in generated C: w . (J d) = (Jᵀ w) . d, J d as tangents say, and gradients by it alone."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import Simulator, SolverOptions
from symvi.simulate.gradient import _by_matrices
from symvi.simulate.linearize import Linearizer
from symvi.simulate.linearized import slopes_of
from symvi.simulate.parameter_tangents import tangents_of
from symvi.simulate.slope_backwards import Backwards
from symvi.simulate.slope_native import NativeSlopes
from symvi.simulate.slope_path import SlopePath
from symvi.simulate.slope_tapes import Tapes
from tests.support.slope_scenes import SCENES, scene
from tests.support.subset import only

STEP = 0.01
TIGHT = SolverOptions(tolerance=1e-12)
EXACT = 1e-12  # of the sum of all products' sizes
SMOOTHING = 1e-3  # round-off grows as its inverse, with entries of the matrix of contacts that cancel


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("name", only(["servo", "four_bar"], SCENES))
def test_slopes_backwards_and_tangents_forwards_are_one_map(name: str, coordinates: str) -> None:
    mechanism, inputs = scene(name)
    simulator = Simulator(mechanism, coordinates=coordinates)
    motion = simulator.simulate(0.05, STEP, inputs=inputs, options=TIGHT)
    own = simulator._twin()
    own._set_step(STEP)
    slopes = slopes_of(own, ())
    assert isinstance(slopes, NativeSlopes)
    layout, tapes, random = slopes.layout, Tapes(slopes), np.random.default_rng(0)
    row = motion.inputs[-1, : len(own.plan.inputs)]
    slopes.enter(motion.resume, row)
    assert slopes.step(TIGHT) == (0, 1)
    after = slopes.state()
    slopes.enter(motion.resume, row)
    assert slopes.settle(SMOOTHING) < 1e-9
    tapes.record(0)
    given = {store: random.standard_normal(layout.sizes[store]) for store in ("state", "input")}
    columns = {store: values[:, None] for store, values in given.items()}
    none = {"parameters": np.zeros((layout.sizes["parameters"], 1))}
    carried = np.ones(layout.sizes["state"])
    for field in ("v", "w"):
        for _, _, rows in layout.whole("state", field):
            carried[rows] = 0.0
    moved = carried * tapes.tangent(0, given)["state"]
    expected = carried * slopes.run("step", columns | none)["state"][:, 0]
    np.testing.assert_allclose(moved, expected, rtol=0, atol=EXACT * np.abs(expected).max())
    weights = carried * random.standard_normal(layout.sizes["state"])
    found = tapes.adjoint(0, {"state": weights})
    pairs = [(weights, moved), *((found[store], given[store]) for store in ("state", "input"))]
    forwards, *backwards = (float(a @ b) for a, b in pairs)
    assert abs(forwards - sum(backwards)) <= EXACT * sum(float(np.abs(a) @ np.abs(b)) for a, b in pairs)
    # rates at a knot
    slopes.enter(after, row)
    tapes.record_knot(0)
    told = tapes.tangent_of_knot(0, {"state": given["state"]})
    slopes.enter(after, row)
    known = slopes.run("knot", {"state": columns["state"]} | none)
    size = np.abs(known["motion"]).max(initial=1.0)
    np.testing.assert_allclose(told["motion"], known["motion"][:, 0], rtol=0, atol=1e-11 * size)
    seeds = {"motion": random.standard_normal(layout.sizes["motion"]), "work": np.zeros(layout.sizes["work"])}
    for body in range(len(own.plan.bodies)):
        for field in ("v", "w"):
            seeds["work"][layout.at("work", "body", body, field)] = random.standard_normal(3)
    back = tapes.adjoint_of_knot(0, seeds)["state"]
    pairs = [(back, given["state"]), *((seeds[store], told[store]) for store in seeds)]
    backwards, *forwards = (float(a @ b) for a, b in pairs)
    assert abs(backwards - sum(forwards)) <= EXACT * sum(float(np.abs(a) @ np.abs(b)) for a, b in pairs)


def squares(x: np.ndarray, u: np.ndarray):
    by = np.linspace(0.5, 1.5, len(x))[:, None] * np.linspace(1.0, 2.0, x.shape[1])
    return (by * x**2).sum() / 2 + (u**3).sum(), by * x, 3 * u**2


@pytest.mark.parametrize("chart", ["knot", "chord"])
@pytest.mark.parametrize("by", ["motion", "parameters"])
@pytest.mark.parametrize("name", only(["servo"], ["pair", "servo", "balls", "free", "four_bar", "governor"]))
def test_gradients_by_the_adjoint_are_those_by_matrices(name: str, by: str, chart: str) -> None:
    """The reference back end forms A, B and P of every step; generated C where parameters are asked for."""
    mechanism, inputs = scene(name)
    parameters = [f"{mechanism.bodies[-1].name}.mass"] if by == "parameters" else []
    found = [
        Simulator(mechanism, backend=backend, coordinates=coordinates).gradient(
            squares, 0.1, STEP, inputs=inputs, parameters=parameters, chart=chart, options=TIGHT
        )
        for backend, coordinates in (("c", "maximal"), ("c", "tree"), ("python", "maximal"))
    ]
    *own, other = found
    for one in own:
        for field in ("start", "inputs", "parameters"):
            a, b = getattr(one, field), getattr(other, field)
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-9 * max(1.0, np.abs(b).max(initial=0.0)))
        assert one.names == other.names and list(one.parts) == list(other.parts)


def test_slopes_go_back_through_the_parts_of_a_step() -> None:
    """A step that is taken in four parts, and the target of a servo that goes there at an even rate."""
    mechanism, _ = scene("servo")
    simulator = Simulator(mechanism)
    own = simulator._twin()
    own._set_step(STEP)
    motion = simulator.simulate(0.05, STEP, inputs={"servo.target": 0.3}, options=TIGHT)
    state, row = motion.resume.copy(), np.zeros(len(own.plan.inputs))
    row[list(own.plan.inputs).index("servo.target")] = 0.5
    state[own.plan.at("state", "common", 0, "level")] = 2.5  # as after a step that failed
    linearizer = Linearizer(slopes_of(own, ()), own.plan, TIGHT, None, None, tangents_of(simulator, ()))
    one, _ = linearizer.step(state, row)
    assert one.parts == 4
    weights, back = np.linspace(1.0, 2.0, len(one.x)), Backwards(linearizer)
    recorded, _ = back.record(state, row, told=True)
    costate, inputs = back.step(recorded, back.told(recorded, weights))
    start = back.lifted(state, row, costate)
    np.testing.assert_allclose(start, one.A.T @ weights, rtol=0, atol=1e-10 * np.abs(one.A).max())
    np.testing.assert_allclose(inputs, one.B.T @ weights, rtol=0, atol=1e-10 * max(1.0, np.abs(one.B).max()))


def test_no_matrix_is_formed_in_generated_c(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, _ = scene("pair")
    calls: list[int] = []
    for cls, name in ((SlopePath, "linearized"), (Linearizer, "step"), (NativeSlopes, "run")):
        inner = getattr(cls, name)
        monkeypatch.setattr(cls, name, lambda self, *a, inner=inner, **k: (calls.append(1), inner(self, *a, **k))[1])
    simulator = Simulator(mechanism)
    lengths = []
    for steps in (20, 40):
        calls.clear()
        simulator.gradient(squares, steps * STEP, STEP)
        lengths.append(len(calls))
    assert lengths[0] == lengths[1]
    assert _by_matrices.__module__ == "symvi.simulate.gradient"
