"""A and B by composite bodies, in generated C, against the same by kernels of tangents, a column a direction."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import Actuator, Body, Joint, Mechanism, Rod, Simulator, SolverOptions
from symvi.program.composite import composites_of
from symvi.simulate.linearize import Linearizer
from symvi.simulate.linearized import slopes_of
from symvi.simulate.parameter_tangents import tangents_of
from symvi.simulate.slope_native import NativeSlopes
from symvi.simulate.solver_build import composed
from tests.support.slope_scenes import scene

STEP, ROUND_OFF = 0.01, 1e-12  # of the largest entry: bodies on a few joints


def branches() -> Mechanism:
    """Joints of every kind that is a row of freedoms, one of them from child to parent, and one that is fixed."""
    bodies = [
        Body(name=name, mass=0.5, shape=Rod(length=0.4, radius=0.02, position=(0.01, 0.02, -0.2)))
        for name in ("base", "left", "right", "hand", "tool", "finger")
    ]
    joints = [
        Joint(name="mast", type="cylindrical", child="base", axis=(0.1, 1, 0.2), coordinate=(0.1, 0.4),
              velocity=(0.3, 0.5)),
        Joint(name="shoulder", type="universal", parent="base", child="left", parent_anchor=(0, 0.1, -0.4),
              coordinate=(0.3, -0.5), velocity=(1, 0.4)),
        Joint(name="bolt", type="screw", parent="base", child="right", parent_anchor=(0, -0.1, -0.3),
              axis=(0.2, 0.1, 1), pitch=0.05, coordinate=0.3, velocity=2.0),
        Joint(name="table", type="planar", parent="left", child="hand", parent_anchor=(0, 0, -0.4), axis=(1, 0.3, 0),
              coordinate=(0.02, 0.03), velocity=(0.1, 0.2)),
        Joint(name="weld", type="fixed", parent="hand", child="tool", parent_anchor=(0, 0.1, -0.4)),
        Joint(name="knuckle", type="revolute", parent="finger", child="tool", parent_anchor=(0, 0.1, -0.1),
              axis=(1, 0.3, 0.2), coordinate=0.5, velocity=1.0),
    ]  # fmt: skip
    motors = [Actuator(name=f"{name}_motor", joint=name) for name in ("shoulder", "knuckle", "bolt", "mast")]
    return Mechanism(name="branches", bodies=bodies, joints=joints, forces=motors)


MADE = {"branches": branches, "pair": lambda: scene("pair")[0], "slides": lambda: scene("slides")[0]}


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("name", MADE)
def test_composite_bodies_give_the_matrices_of_tangents(name: str, coordinates) -> None:
    mechanism = MADE[name]()
    assert composites_of(composed(mechanism, coordinates=coordinates)) is not None
    simulator = Simulator(mechanism, coordinates=coordinates)
    forces = {f"{motor}": 0.1 + 0.1 * k for k, motor in enumerate(simulator.plan.inputs)}
    motion = simulator.simulate(0.1, STEP, inputs=forces)
    own = simulator._twin()
    own._set_step(STEP)
    slopes, row = slopes_of(own, ()), motion.inputs[-1]
    assert isinstance(slopes, NativeSlopes)
    options, moving = SolverOptions(tolerance=1e-12), tangents_of(simulator, ())
    linearizer = Linearizer(slopes, own.plan, options, None, None, moving)
    found, _ = linearizer.step(motion.resume, row)
    slopes.enter(motion.resume, row)
    status, a, b = slopes.linearize(options, linearizer.near)
    places = [linearizer._place_of(each) for each in linearizer.chosen]
    order = [*places, *(len(places) + k for k in places)]
    assert status == 0
    np.testing.assert_allclose(a[np.ix_(order, order)], found.A, rtol=0, atol=ROUND_OFF * np.abs(found.A).max())
    np.testing.assert_allclose(b[order], found.B, rtol=0, atol=ROUND_OFF * max(1.0, np.abs(found.B).max(initial=0.0)))


@pytest.mark.parametrize(
    "name", ["damped", "servo", "pulled", "balls", "limited", "rubbing", "four_bar", "driven", "free"]
)
def test_what_is_no_row_of_freedoms_goes_the_general_way(name: str) -> None:
    """Springs and dampers, ball joints, contacts, loops and drivers."""
    assert composites_of(composed(scene(name)[0])) is None
