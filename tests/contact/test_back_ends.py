"""Contacts computed in every way give one motion: Python and C to the last bit, all layouts, float within its own."""

from functools import cache

import numpy as np
import pytest

from symvi.mechanism import Contact, DryFriction, Limit, Mechanism
from symvi.numbers.control import COMPLEMENTARITY
from symvi.simulate import Simulator, SolverOptions
from tests.support.contact_scenes import GRAVITY, HALF, ball, box, meeting, on_ground
from tests.support.floating_pairs import floating_pair
from tests.support.linkages import four_bar
from tests.support.measuring import largest
from tests.support.nonholonomic import equations

SPINNING = {"position": (0, 0, 0.6), "velocity": (1.0, 0.5, -2.0), "angular_velocity": (3.0, 4.0, -2.0)}


def stopped() -> Mechanism:
    pair = floating_pair("cylindrical")
    first, second = pair.joints[0].coordinate
    limits = [
        Limit(name="low", joint="joint", lower=first - 0.02),
        Limit(name="both", joint="joint", coordinate=1, lower=second - 0.05, upper=second + 0.05),
    ]
    return pair.changed(limits=limits, forces=[DryFriction(name="rub", joint="joint", bound=(0.1, 0.05))])


def looped() -> Mechanism:
    block = Contact(name="block", child="link3", radius=0.1, parent_anchor=(0, 0, 0.4), friction=0.4)
    return four_bar().changed(contacts=[block])


def column() -> Mechanism:
    """Two balls: an edge between bodies in the order of elimination and one to the world."""
    on = Contact(name="on", kind="sphere", parent="high", child="low", radius=0.5, parent_radius=0.3, friction=0.4)
    bodies = [
        ball("high", 0.3, 2.0, position=(0.1, 0, 1.35), angular_velocity=(1, 2, 3)),
        ball("low", position=(0, 0, 0.5)),
    ]
    scene = on_ground(bodies[1], friction=0.3)
    return scene.changed(bodies=bodies, contacts=[*scene.contacts, on])


@cache
def scenes() -> dict[str, Mechanism]:
    found = {"tossed": on_ground(box(**SPINNING), friction=0.6)}
    found["pyramid"] = on_ground(box(**SPINNING), friction=0.6, cone="linear", directions=6)
    found |= {"point": meeting("point", 0.6), "gap": meeting("gap", 0.6), "sphere": meeting("sphere", 0.6, "linear")}
    found["stone"] = equations.rattleback().mechanism("stone", *equations.STONE_START)
    return found | {"stops": stopped(), "loop": looped(), "column": column()}


# Scene -> seconds until something is met.
TIMES = {
    "tossed": 0.3,
    "pyramid": 0.3,
    "point": 1.0,
    "gap": 1.2,
    "sphere": 1.2,
    "stone": 0.1,
    "stops": 0.4,
    "loop": 0.8,
    "column": 0.3,
}


def same_bits(one, other) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("position", "orientation", "velocity", "contact_values", "stop_values", "iterations", "retries")
    )


@pytest.mark.parametrize("name", TIMES)
def test_python_and_c_agree_in_every_bit(name: str) -> None:
    """The reference runs the same kernels in the same order; every number a user sees has the same bits."""
    found = [Simulator(scenes()[name], backend=back_end).simulate(TIMES[name], 0.02) for back_end in ("c", "python")]
    assert same_bits(*found)
    forces = np.concatenate([found[0].contact_values[:, :, 1].ravel(), found[0].stop_values.ravel()])
    assert largest(forces) > 1.0  # something was met


@pytest.mark.parametrize("name", ["pyramid", "column"])
def test_all_layouts_agree_in_every_bit(name: str) -> None:
    found = [
        Simulator(scenes()[name], layout=layout).simulate(1.0, 0.02) for layout in ("inline", "unrolled", "looped")
    ]
    assert same_bits(found[0], found[1]) and same_bits(found[0], found[2])


@pytest.mark.parametrize("name", ["tossed", "stops", "column"])
def test_single_precision_has_a_tolerance_of_its_own(name: str) -> None:
    """Complementarity of 1e-3 and velocities of 1e-5: the same motion but for these, no step fails."""
    found = [Simulator(scenes()[name], real=real).simulate(0.3, 0.01) for real in ("double", "float")]
    assert found[1].status.min() >= 0
    assert largest(found[0].position - found[1].position) < 2e-3


def test_a_cube_rests_in_single_precision() -> None:
    """Within a few (n/2) tol g h² of the ground with a tolerance of its own, in which it moves to and fro, not away."""
    trajectory = Simulator(on_ground(box(position=(0, 0, HALF))), real="float").simulate(20.0, 0.01)
    loads = sum(contact.normal_force for contact in trajectory.contacts.values())
    floating = trajectory.position[1:, 0, 2] - HALF
    assert 0.0 < floating.min() and floating.max() < 5 * 4 / 2 * COMPLEMENTARITY["float"] * GRAVITY * 0.01**2
    assert largest(trajectory.position[-1, 0, :2]) < 5e-4  # a walk at random: 1e-5 to 2e-4 with various coefficients
    assert np.mean(loads[1:]) == pytest.approx(GRAVITY, rel=1e-4)


@pytest.mark.parametrize("field, value", [("friction", 0.2), ("radius", 0.6)])
def test_friction_and_radius_are_parameters_of_a_run(field: str, value: float) -> None:
    """Set at run time they do what the description does; no text is made anew."""
    scene = on_ground(ball(position=(0, 0, 1.0), velocity=(2.0, 0, 0)), friction=0.1)
    contact = Contact(name="touch", child="ball", radius=0.5, friction=0.1)
    scene = scene.changed(contacts=[contact])
    simulator = Simulator(scene)
    simulator.set_parameter(f"touch.{field}", value)
    other = Simulator(scene.changed(contacts=[contact.changed(**{field: value})]))
    found = [made.simulate(1.0, 0.01) for made in (simulator, other)]
    assert same_bits(*found)
    assert largest(found[0].position - Simulator(scene).simulate(1.0, 0.01).position) > 1e-2


def test_bounds_of_dry_friction_and_limits_are_parameters_of_a_run() -> None:
    pair = stopped()
    simulator = Simulator(pair)
    first = pair.joints[0].coordinate[0]
    simulator.set_parameter("low.lower", first - 0.1)
    simulator.set_parameter("rub.bound", (0.3, 0.2))
    limits = [pair.limits[0].changed(lower=first - 0.1), pair.limits[1]]
    other = pair.changed(limits=limits, forces=[pair.forces[0].changed(bound=(0.3, 0.2))])
    assert same_bits(simulator.simulate(1.0, 0.01), Simulator(other).simulate(1.0, 0.01))


def test_going_on_from_a_trajectory_has_no_seam() -> None:
    """What contacts remember of the last step is part of the state: two halves are the whole, to the last bit."""
    simulator = Simulator(scenes()["tossed"])
    whole = simulator.simulate(1.0, 0.01)
    half = simulator.simulate(0.5, 0.01)
    rest = simulator.simulate(0.5, 0.01, start=half)
    assert np.array_equal(rest.position, whole.position[50:])
    assert np.array_equal(rest.contact_values, whole.contact_values[50:])
    assert np.array_equal(rest.retries, whole.retries[50:])


def test_a_tighter_tolerance_moves_a_toss_by_what_the_default_leaves() -> None:
    simulator = Simulator(scenes()["pyramid"])
    found = [simulator.simulate(0.3, 0.01, options=SolverOptions(complementarity=tol)) for tol in (1e-6, 1e-8)]
    assert 0 < largest(found[0].position - found[1].position) < 1e-5
