"""Where a coordinate does not tell how bodies move, or a state is none, there is no derivative: told by name."""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

import numpy as np
import pytest

from symvi import Actuator, AssemblyError, Body, Joint, Mechanism, Simulator, SolverOptions, State
from symvi.control import StepMap, ilqr
from symvi.numbers.control import SolverStatus
from symvi.simulate.linearize import Linearizer
from symvi.simulate.linearized import slopes_of
from symvi.simulate.parameter_tangents import tangents_of
from symvi.simulate.slope_native import NativeSlopes
from tests.support import linkages
from tests.support.subset import only

STEP, CRANK, ROD = 0.01, 0.2, 0.5
BOTH = pytest.mark.parametrize("coordinates", ["maximal", "tree"])


def slider_crank(angle: float, gravity: float = 0.0) -> Mechanism:
    """A crank that drives a block along a guide; at angles of zero and half a turn the block stands still."""
    pin = CRANK * cos(angle), CRANK * sin(angle)
    block = pin[0] + sqrt(ROD**2 - pin[1] ** 2)

    def bar(name: str, first: tuple[float, float], last: tuple[float, float]) -> Body:
        turn = atan2(last[1] - first[1], last[0] - first[0]) / 2
        middle = ((first[0] + last[0]) / 2, 0.0, (first[1] + last[1]) / 2)
        return Body(
            name=name, mass=1.0, inertia=(0.01,) * 3, position=middle, orientation=(cos(turn), 0.0, -sin(turn), 0.0)
        )

    bodies = [
        bar("crank", (0.0, 0.0), pin),
        bar("rod", pin, (block, 0.0)),
        Body(name="block", mass=0.5, inertia=(0.01,) * 3, position=(block, 0.0, 0.0)),
    ]
    hinge = {"type": "revolute", "axis": (0, 1, 0)}
    joints = [
        Joint(name="crank_pin", child="crank", child_anchor=(-CRANK / 2, 0, 0), **hinge),
        Joint(name="big", parent="crank", child="rod", parent_anchor=(CRANK / 2, 0, 0), child_anchor=(-ROD / 2, 0, 0),
              **hinge),
        Joint(name="small", parent="rod", child="block", parent_anchor=(ROD / 2, 0, 0), **hinge),
        Joint(name="guide", type="prismatic", child="block", axis=(1, 0, 0)),
    ]  # fmt: skip
    motor = Actuator(name="motor", joint="crank_pin")
    return Mechanism(name="slider", bodies=bodies, joints=joints, forces=[motor], gravity=(0, 0, -gravity))


@BOTH
@pytest.mark.parametrize("angle", only([0.0], [0.0, 1e-9, 1e-7, pi]))
def test_a_coordinate_at_a_dead_centre_is_refused(angle: float, coordinates: str) -> None:
    """One freedom: beside no other coordinate a small slope is as good as a large one."""
    simulator = Simulator(slider_crank(angle), coordinates=coordinates)
    with pytest.raises(AssemblyError, match="'guide' does not move, as at a dead centre"):
        simulator.linearize(coordinates=["guide"])
    assert np.isfinite(simulator.linearize(coordinates=["crank_pin"]).A).all()
    assert simulator.linearize(coordinates=["guide"], state=beside(simulator)).A.shape == (2, 2)


def beside(simulator: Simulator) -> State:
    """Where the block moves."""
    moved = Simulator(slider_crank(0.3))
    return moved.simulate(STEP, STEP).state(0)


@BOTH
def test_all_that_goes_along_a_motion_refuses_a_dead_centre(coordinates: str) -> None:
    simulator = Simulator(slider_crank(0.0), coordinates=coordinates)
    words = "dead centre"

    def loss(x: np.ndarray, u: np.ndarray):
        return float((x**2).sum()), 2 * x, 0 * u

    with pytest.raises(AssemblyError, match=words):
        simulator.simulate(0.05, STEP).linearize(coordinates=["guide"])
    with pytest.raises(AssemblyError, match=words):
        simulator.gradient(loss, 0.05, STEP, coordinates=["guide"])
    with pytest.raises(AssemblyError, match=words):
        StepMap(simulator, STEP, coordinates=["guide"])
    with pytest.raises(AssemblyError, match=words):
        ilqr(simulator, 0.05, STEP, Q={"guide": 1.0}, R={"motor.force": 1.0}, coordinates=["guide"])


@BOTH
def test_the_generated_function_tells_it_by_its_status_and_writes_nothing(coordinates: str) -> None:
    """Of states off the joints and such as are none too. Coordinates that are none are no option."""
    linear = linearizer_of(slider_crank(0.0), coordinates)
    slopes, state, row = linear.slopes, linear.start, linear.row
    guide = [3]

    def status(of: np.ndarray, chosen: list[int]) -> int:
        slopes.enter(of, row)
        found, a, b = slopes.linearize(SolverOptions(tolerance=1e-12), chosen=chosen)
        assert a.any() == b.any() == (found >= 0)
        np.testing.assert_array_equal(slopes.state(), of)
        return found

    assert status(state, [0]) == SolverStatus.OK
    assert status(state, guide) == SolverStatus.DEAD_CENTRE
    assert status(state, [999]) == SolverStatus.BAD_OPTION
    at = linear.plan.at("state", "body", 2, "x")
    off, none = state.copy(), state.copy()
    off[at.start + 2] += 1e-3
    none[at] = np.nan
    assert status(off, [0]) == SolverStatus.NOT_CLOSED
    assert status(none, [0]) == SolverStatus.NOT_FINITE
    turned = state.copy()
    turned[linear.plan.at("state", "body", 2, "q")] *= 1.1
    assert status(turned, [0]) == SolverStatus.NOT_UNIT


class linearizer_of:
    """A solver with slopes at the start of a description."""

    def __init__(self, mechanism: Mechanism, coordinates: str):
        simulator = Simulator(mechanism, coordinates=coordinates)
        own = simulator._twin()
        own._set_step(STEP)
        simulator.start(None, step=STEP)
        slopes = slopes_of(own, ())
        assert isinstance(slopes, NativeSlopes)
        self.linear = Linearizer(slopes, own.plan, SolverOptions(), None, None, tangents_of(simulator, ()))
        self.slopes, self.plan, self.row = slopes, own.plan, np.zeros(len(own.plan.inputs))
        self.start = self.linear.underway(simulator.engine.state.copy(), self.row)


def test_rows_that_hold_nothing_but_round_off_count_for_none() -> None:
    """Rows across the plane of a planar loop: at some knots they are zero, at others not quite."""
    found = [
        Simulator(linkages.four_bar(), coordinates=name).simulate(0.08, STEP).linearize(coordinates=["A"])
        for name in ("maximal", "tree")
    ]
    assert found[0].A.shape == found[1].A.shape == (8, 2, 2)
    np.testing.assert_allclose(found[0].A, found[1].A, rtol=0, atol=1e-9)
