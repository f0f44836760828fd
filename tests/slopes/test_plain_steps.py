"""Once a step has been checked in whole, the generated function makes the matrices of the steps behind it: the same."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import Body, Contact, Joint, Mechanism, Rod, Simulator, SolverOptions
from symvi.simulate.slope_path import SlopePath
from tests.support.quick import compiled_quickly  # noqa: F401
from tests.support.slope_scenes import scene

STEP, STEPS, SMOOTHING = 0.01, 6, 1e-3


def hopping() -> Mechanism:
    """A trunk in a plane, whose leg slides and turns, and lands."""
    bodies = [
        Body(name="trunk", mass=2.0, inertia=(0.05,) * 3),
        Body(name="leg", mass=0.5, shape=Rod(length=0.5, radius=0.02, position=(0, 0, -0.25))),
    ]
    joints = [
        Joint(name="plane", type="planar_axis", child="trunk", axis=(0, 1, 0), parent_anchor=(0, 0, 0.502)),
        Joint(name="swing", type="cylindrical", parent="trunk", child="leg", axis=(0, 1, 0)),
    ]
    contacts = [Contact(name="foot", child="leg", child_anchor=(0, 0, -0.5), friction=0.6)]
    return Mechanism(name="hopping", bodies=bodies, joints=joints, contacts=contacts)


SCENES = {"hopping": hopping, **{name: lambda name=name: scene(name)[0] for name in ("limited", "rubbing", "sphere")}}


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
@pytest.mark.parametrize("name", SCENES)
def test_smoothed_steps_are_those_of_all_scripts(name: str, coordinates: str) -> None:
    mechanism = SCENES[name]()
    simulator = Simulator(mechanism, coordinates=coordinates)
    options = SolverOptions(tolerance=1e-12)
    path = SlopePath(simulator, STEPS * STEP, STEP, None, {}, smoothing=SMOOTHING, options=options)
    own, state = path.linearizer, path.first
    for k in range(STEPS):
        own.plain, near = False, own.near.copy()
        known, after = own.step(state, path.rows[k])
        reached, seen, own.near = own.reached, own.near, near
        assert own.plain
        found = own._plainly(state, path.rows[k])
        assert found is not None
        one, state = found
        size = max(1.0, np.abs(known.A).max())
        np.testing.assert_allclose(one.A, known.A, rtol=0, atol=1e-10 * size)
        np.testing.assert_allclose(one.B, known.B, rtol=0, atol=1e-10 * size)
        np.testing.assert_allclose(one.x, known.x, rtol=0, atol=0)
        np.testing.assert_allclose(one.next, known.next, rtol=0, atol=1e-12)
        np.testing.assert_allclose(own.near, seen, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(state, after)  # the step of the motion, and not the smoothed one
        of_tree = coordinates == "tree" and name != "sphere"
        at = own.reached * np.where(np.abs(own.reached + reached) < np.abs(own.reached - reached), -1, 1)
        np.testing.assert_allclose(at if of_tree else own.reached, reached, rtol=0, atol=1e-8)
