"""Tapes: gradients along a motion, by the start and by parameters too, against matrices and against other motions."""

from __future__ import annotations

import re

import numpy as np
import pytest

from symvi import ArgumentError, Simulator, SolverOptions
from symvi.simulate import gradient as gradients
from symvi.simulate.linearized import slopes_of
from symvi.simulate.slope_native import NativeSlopes
from tests.slopes.random_slopes import compared, parameters_of
from tests.support.slope_scenes import SCENES, scene
from tests.support.subset import first_of, only

STEP, TIME = 0.01, 0.1
TIGHT = SolverOptions(tolerance=1e-12)
OUT_OF_PLANE = ("crank_pin.parent_anchor[1]", "rocker_pin.parent_anchor[1]", "guide.parent_anchor[1]")


def squares(x: np.ndarray, u: np.ndarray):
    by = np.linspace(0.5, 1.5, len(x))[:, None] * np.linspace(1.0, 2.0, x.shape[1])
    return (by * x**2).sum() / 2 + (u**3).sum(), by * x, 3 * u**2


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("name", only(["four_bar", "sphere"], SCENES))
def test_gradients_by_all_parameters_are_those_by_matrices(
    name: str, coordinates: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Masses, lengths, stiffnesses, damping, friction, gravity; of contacts at smoothings that are far apart."""
    mechanism, inputs = scene(name)
    simulator = Simulator(mechanism, coordinates=coordinates)
    names = [each for each in parameters_of(simulator) if each not in OUT_OF_PLANE]
    assert len(names) >= 4
    smoothings = (1e-8, 1e-3, 1.0) if simulator.plan.notes["inequalities"] else (None,)
    for smoothing in smoothings:
        found = []
        for way in (gradients._by_tapes, gradients._by_matrices):
            with monkeypatch.context() as patch:
                patch.setattr(gradients, "_by_tapes", way)
                found.append(
                    simulator.gradient(
                        squares, TIME, STEP, inputs=inputs, parameters=names, smoothing=smoothing, options=TIGHT
                    )
                )
        own, other = found
        # round-off grows as the inverse of the smoothing, with entries of the matrix of contacts that cancel
        error = 1e-9 if smoothing is None else max(1e-10, 1e-13 / smoothing)
        for field in ("start", "inputs", "parameters"):
            a, b = getattr(own, field), getattr(other, field)
            np.testing.assert_allclose(a, b, rtol=0, atol=error * max(1.0, np.abs(b).max(initial=0.0)))


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize(
    "name",
    only(["four_bar"], ["pair", "damped", "servo", "driven", "pulled", "balls", "slides", "geared", "four_bar"]),
)
def test_gradients_by_parameters_are_those_of_differences(name: str, coordinates: str) -> None:
    """Of whole motions with other parameters. Lengths would place bodies anew: the random mechanisms below."""
    mechanism, inputs = scene(name)
    simulator = Simulator(mechanism, coordinates=coordinates)
    names = [
        each for each in parameters_of(simulator) if not {"anchor", "ratio", "offset"} & set(re.split(r"[._\[]", each))
    ]
    found = simulator.gradient(squares, TIME, STEP, inputs=inputs, parameters=names, options=TIGHT)
    assert len(names) >= 4
    for name, expected in zip(names, found.parameters, strict=True):
        field, _, entry = name.removesuffix("]").partition("[")

        def lost(change: float, field=field, entry=entry) -> float:
            own = Simulator(mechanism, coordinates=coordinates)
            value = np.ravel(np.array(own.described[field].value, float))
            value[int(entry or 0)] += change
            own.set_parameter(field, value if entry else float(value[0]))
            return own.gradient(squares, TIME, STEP, inputs=inputs, options=TIGHT).value

        known = float(np.ravel(simulator.described[field].value)[int(entry or 0)])
        size = 2e-3 * abs(known) if known else 1e-4
        near, far = (lost(k * size) - lost(-k * size) for k in (1, 2))
        difference = (8 * near - far) / (12 * size)
        assert expected == pytest.approx(difference, rel=1e-6, abs=1e-8 * np.abs(found.parameters).max()), name


def test_a_parameter_that_opens_a_loop_for_good_is_refused() -> None:
    """An anchor that leaves the plane of a planar linkage, whose rows across the plane are redundant."""
    simulator = Simulator(scene("four_bar")[0])
    with pytest.raises(ArgumentError, match=r"'crank_pin.parent_anchor\[1\]' opens a loop that no motion closes"):
        simulator.linearize(parameters=["crank.mass", "crank_pin.parent_anchor[1]"])
    with pytest.raises(ArgumentError, match=r"'rocker_pin.parent_anchor\[1\]' opens a loop"):
        simulator.gradient(squares, TIME, STEP, parameters=["rocker_pin.parent_anchor[1]"])
    assert simulator.linearize(parameters=["crank_pin.parent_anchor[2]"]).P.any()


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_a_smoothing_that_is_none_settles_nothing(coordinates: str) -> None:
    """In C too, where a comparison with what is no number would say that nothing moves any more."""
    simulator = Simulator(scene("sphere")[0], coordinates=coordinates)
    motion = simulator.simulate(0.05, STEP, options=TIGHT)
    own = simulator._twin()
    own._set_step(STEP)
    slopes = slopes_of(own, ())
    assert isinstance(slopes, NativeSlopes)
    for smoothing, settles in ((1e-3, True), (0.0, False), (-1.0, False), (np.nan, False), (np.inf, False)):
        slopes.enter(motion.resume, np.zeros(0))
        assert slopes.step(TIGHT)[0] == 0
        slopes.enter(motion.resume, np.zeros(0))
        assert (slopes.settle(smoothing) < 1e-9) == settles
    for smoothing in (0, True, np.nan):
        with pytest.raises(ArgumentError, match="must be above 0"):
            simulator.linearize(smoothing=smoothing)


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("seed", first_of(range(12), kept=2))
def test_derivatives_of_random_mechanisms(seed: int, coordinates: str) -> None:
    """`python -m tests.slopes.random_slopes 0 100` takes many."""
    found = compared(seed, coordinates)
    assert not [each for each in found if not each.startswith("refused")]
