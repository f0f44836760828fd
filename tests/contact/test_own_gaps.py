"""A user's own gap functions: the same motion as built-in contacts where they say the same, and shapes of their own."""

import numpy as np
import pytest

from symvi.mechanism import Body, Contact, Mechanism
from symvi.simulate import Trajectory
from tests.support.contact_geometry import gap_values
from tests.support.contact_scenes import GRAVITY, lawful, meeting, simulator
from tests.support.measuring import largest
from tests.support.poses import poses_of

TILTED = (0.6, 0.0, 0.8)


def bead(contact: Contact, **place: object) -> Mechanism:
    """A small body of 1 kg with one contact against the world."""
    fields = {"position": (0.5, 0.0, 0.6), "velocity": (0.0, 0.3, 0.0), "angular_velocity": (1.0, 2.0, 3.0)} | place
    return Mechanism(
        name="bead", bodies=[Body(name="bead", mass=1.0, inertia=(0.01, 0.012, 0.015), **fields)], contacts=[contact]
    )


def own(expression: str, friction: float = 0.0, **fields: object) -> Contact:
    return Contact(name="touch", kind="gap", child="bead", expression=expression, friction=friction, **fields)


def height_over(expression: str) -> str:
    return f"x_b[2] - ({expression})"


@pytest.mark.parametrize("factor", [1.0, 5.0])
def test_a_plane_as_a_gap_is_a_half_space(factor: float) -> None:
    """Whatever its scale: forces follow from the gradient's length, friction's bound from the normal force."""
    built_in = Contact(name="touch", child="bead", radius=0.1, normal=TILTED, friction=0.4)
    text = f"{factor}*({TILTED[0]}*x_b[0] + {TILTED[2]}*x_b[2] - 0.1)"
    found = [
        simulator(bead(contact)).simulate(2.0, 0.01) for contact in (built_in, own(text, friction=0.4, radius=0.1))
    ]
    assert largest(found[0].position - found[1].position) < 1e-6
    assert largest(found[0].angular_velocity - found[1].angular_velocity) < 1e-4
    forces = [trajectory.contacts["touch"] for trajectory in found]
    assert largest(forces[0].normal_force - forces[1].normal_force) < 1e-3
    assert largest(forces[0].friction_force - forces[1].friction_force) < 1e-3
    assert forces[1].gap == pytest.approx(factor * forces[0].gap, abs=1e-6)


@pytest.mark.parametrize("friction, alike", [(0.0, 1e-9), (0.6, 5e-4)])
def test_two_balls_as_a_gap_are_two_spheres(friction: float, alike: float) -> None:
    """With friction but for the first order of the step: a gap cannot know that the parent is round, so it takes the
    point that slides as fixed in the parent."""
    pair = meeting("sphere", friction)
    contact = pair.contacts[0].changed(child_anchor=(0, 0, 0), parent_anchor=(0, 0, 0))
    distance = "sqrt(" + " + ".join(f"(x_b[{k}] - x_a[{k}])**2" for k in range(3)) + ") - 0.42"
    gap = Contact(name="touch", kind="gap", parent="base", child="tip", expression=distance, radius=0.12)
    gap = gap.changed(friction=friction)
    found = [simulator(pair.changed(contacts=[c])).simulate(2.0, 0.01) for c in (contact, gap)]
    assert found[0].contacts["touch"].closed.any()
    assert largest(found[0].position - found[1].position) < alike


SURFACES = {
    "bowl": "(x_b[0]**2 + x_b[1]**2)/2",
    "washboard": "0.1*sin(3*x_b[0])",
    "hill": "0.3*exp(-4*(x_b[0] - 1)**2)",
    "ramp": "0.4*atan2(x_b[0] - 1, 1 + x_b[1]**2)",
    "egg box": "0.1*cos(2*x_b[0])*cos(2*x_b[1])",
}


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
def test_a_bead_on_a_surface(surface: str, friction: float) -> None:
    """It stays above it, its gap is the expression's value, friction takes energy and no friction keeps it."""
    scene = bead(own(height_over(surface), friction), velocity=(0.5, 0.3, 0.0))
    trajectory = simulator(scene).simulate(3.0, 0.005)
    lawful(trajectory, steepness=2.0)
    seen = [gap_values(scene, poses_of(trajectory.state(k)))["touch"] for k in range(0, len(trajectory), 50)]
    assert trajectory.contacts["touch"].gap[::50] == pytest.approx(np.array(seen), abs=1e-14)
    landed = trajectory.contacts["touch"].closed
    assert landed.any()
    energy = trajectory.energy
    assert np.diff(energy).max() < 5e-3 * energy[0]
    if friction:
        assert energy[-1] < energy[np.argmax(landed) + 1]


def test_a_bead_in_a_bowl_swings_like_a_pendulum() -> None:
    """z = x²/(2 R): small swings with the frequency sqrt(g/R) and an amplitude that stays, for nothing takes energy."""
    scene = bead(
        own(height_over("x_b[0]**2/(2*radius)"), parameters={"radius": 2.0}),
        position=(0.05, 0.0, 0.05**2 / 4.0),
        velocity=(0.0, 0.0, 0.0),
        angular_velocity=(0.0, 0.0, 0.0),
    )
    trajectory = simulator(scene).simulate(10.0, 0.005)
    swing = 0.05 * np.cos(np.sqrt(GRAVITY / 2.0) * trajectory.time)
    assert largest(trajectory.position[:, 0, 0] - swing) < 5e-4


def egg(friction: float) -> Trajectory:
    """An ellipsoid on a plane by its support function; its middle is the body's origin."""
    support = "sqrt((p*R_b[2,0])**2 + (q*R_b[2,1])**2 + (s*R_b[2,2])**2)"
    contact = own(height_over(support), friction, parameters={"p": 0.5, "q": 0.3, "s": 0.2})
    place = {"position": (0.0, 0.0, 0.55), "orientation": (0.8, 0.36, 0.48, 0.0), "velocity": (1.0, 0.0, 0.0)}
    return simulator(bead(contact, **place)).simulate(3.0, 0.005)


def test_a_smooth_egg_tumbles_on() -> None:
    """Nothing pushes a smooth egg to the side; it rocks by the gradient of its gap along its turn alone."""
    trajectory = egg(0.0)
    assert trajectory.linear_momentum[:, 0] == pytest.approx(1.0, abs=1e-9)
    assert trajectory.contacts["touch"].gap.min() > 0
    landed = np.argmax(trajectory.contacts["touch"].closed) + 2
    assert np.ptp(trajectory.angular_velocity[landed:], axis=0).max() > 0.1  # it rocks
    assert trajectory.position[:, 0, 2].min() > 0.2 - 1e-9


def test_a_rough_egg_is_slowed_along_its_way() -> None:
    trajectory = egg(0.4)
    lawful(trajectory)
    speed = trajectory.velocity[:, 0, 0]
    assert speed.min() > -1e-6 and speed[-1] < 0.5
