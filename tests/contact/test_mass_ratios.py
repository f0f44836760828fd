"""A light body among heavy ones: its own weight is the unit by which its contacts are measured, not theirs."""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest

from symvi import Body, Box, Contact, Joint, Limit, Mechanism, Simulator, Sphere
from tests.support.contact_scenes import HALF, corners

G, H, TOLERANCE = 9.81, 0.01, 1e-8


def on_slope(name: str, mass: float, across: float, tilt: float) -> Body:
    normal = np.array([sin(tilt), 0.0, cos(tilt)])
    place = HALF * normal + [0.0, across, 0.0]
    turn = (cos(tilt / 2), 0.0, sin(tilt / 2), 0.0)
    return Body(name=name, mass=mass, shape=Box(size=(2 * HALF,) * 3), position=tuple(place), orientation=turn)


def coin_beside_truck(ratio: float, tilt: float = 0.3) -> Mechanism:
    slope = {"normal": (sin(tilt), 0.0, cos(tilt)), "friction": 0.6}
    return Mechanism(
        name="pair",
        bodies=[on_slope("truck", ratio, 0.0, tilt), on_slope("coin", 1.0, 3.0, tilt)],
        contacts=[*corners("tyre", "truck", **slope), *corners("edge", "coin", **slope)],
    )


@pytest.mark.parametrize("ratio", [1.0, 1e3, 1e6])
def test_a_coin_lies_as_still_beside_a_truck_as_beside_another_coin(ratio: float) -> None:
    run = Simulator(coin_beside_truck(ratio)).simulate(1.0, H)
    edges = [history for name, history in run.contacts.items() if name.startswith("edge")]
    lying = [edge for edge in edges if edge.closed[-1]]
    assert len(lying) == 4
    assert np.linalg.norm(run.velocity[-1, 1]) < TOLERANCE
    assert max(edge.gap[-1] for edge in lying) < 10 * TOLERANCE * G * H**2
    assert sum(edge.normal_force[-1] for edge in lying) == pytest.approx(G * cos(0.3), rel=1e-6)


@pytest.mark.parametrize("lower, upper", [(1.0, 1e5), (1e5, 1.0)])
def test_spheres_of_any_masses_rest_on_each_other(lower: float, upper: float) -> None:
    spheres = [
        Body(name=name, mass=mass, shape=Sphere(radius=0.1), position=(0, 0, height))
        for name, mass, height in (("lower", lower, 0.1), ("upper", upper, 0.3))
    ]
    ground = Contact(name="ground", child="lower", radius=0.1, friction=0.5)
    between = Contact(
        name="between", kind="sphere", parent="lower", child="upper", radius=0.1, parent_radius=0.1, friction=0.5
    )
    run = Simulator(Mechanism(name="stack", bodies=spheres, contacts=[ground, between])).simulate(0.5, H)
    assert run.contacts["between"].normal_force[-1] == pytest.approx(upper * G, rel=1e-9)
    assert run.contacts["ground"].normal_force[-1] == pytest.approx((lower + upper) * G, rel=1e-9)
    assert 0.0 < run.contacts["between"].gap[-1] < TOLERANCE * G * H**2
    assert run.iterations.mean() <= 3.5


def test_a_light_link_of_a_heavy_machine_is_held_by_its_own_weight() -> None:
    """A gram hangs by a rope of one joint from a crane of ten tons, and lies on the ground."""
    bodies = [
        Body(name="crane", mass=1e4, shape=Box(size=(1, 1, 1)), position=(0, 0, 5.0)),
        Body(name="hook", mass=1e-3, shape=Sphere(radius=0.1), position=(2.0, 0, 0.1)),
    ]
    held = [
        Joint(name="post", type="fixed", child="crane", parent_anchor=(0, 0, 5.0)),
        Joint(name="rope", type="planar", parent="crane", child="hook", axis=(0, 1, 0)),
    ]
    lying = Contact(name="lying", child="hook", radius=0.1, friction=0.5)
    run = Simulator(Mechanism(name="crane", bodies=bodies, joints=held, contacts=[lying])).simulate(0.5, H)
    assert run.contacts["lying"].closed[-1]
    assert run.contacts["lying"].gap[-1] < 100 * TOLERANCE * G * H**2
    assert run.contacts["lying"].normal_force[-1] == pytest.approx(1e-3 * G, rel=1e-4)


@pytest.mark.parametrize("field, value", [("coin.mass", 1e-3), ("gravity", (0.0, 0.0, -1.62))])
def test_masses_and_gravity_that_are_set_count_like_described_ones(field: str, value) -> None:
    scene = coin_beside_truck(10.0)
    if field == "gravity":
        other = scene.changed(gravity=value)
    else:
        coin = on_slope("coin", value, 3.0, 0.3)
        other = scene.changed(bodies=[scene.bodies[0], coin])
    run, expected = (
        simulator.simulate(0.3, H) for simulator in (Simulator(scene, parameters={field: value}), Simulator(other))
    )
    assert np.array_equal(run.position, expected.position)
    for name in run.contacts:
        assert np.array_equal(run.contacts[name].closed, expected.contacts[name].closed)


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("h", [1e-4, 1e-2])
def test_contacts_far_away_cost_nothing(h: float, real: str) -> None:
    """A gap over the step is a velocity of many km/s there; what it is beside an impulse of 1e-20 N s must not be lost
    in its last digit, or a start is thousands of m/s off."""
    bodies = [
        Body(name=name, mass=mass, shape=Box(size=(0.2,) * 3), position=(x, 0, 30.0))
        for name, mass, x in (("left", 0.3, 0.0), ("right", 4.0, 0.4))
    ]
    pin = Joint(name="pin", type="revolute", parent="left", child="right", axis=(0, 1, 0), parent_anchor=(0.2, 0, 0))
    pin = pin.changed(child_anchor=(-0.2, 0, 0))
    touching = [Contact(name=f"c_{body.name}", child=body.name, whole_shape=True, friction=0.6) for body in bodies]
    stop = Limit(name="stop", joint="pin", lower=-0.3, upper=0.3)
    scene = Mechanism(name="high", bodies=bodies, joints=[pin], contacts=touching, limits=[stop])
    run = Simulator(scene, real=real).simulate(50 * h, h)
    assert run.retries.sum() <= 2
    assert run.iterations.mean() <= 4
    if real == "double":
        assert np.ptp(run.energy) < 1e-7
