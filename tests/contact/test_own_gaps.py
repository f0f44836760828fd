"""A user's own gap functions: the same motion as built-in contacts where they say the same, and shapes of their own."""

import numpy as np
import pytest

from symvi.errors import AssemblyError, MechanismError
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


@pytest.mark.parametrize("friction, alike", [(0.0, 1e-9), (0.6, 5e-6)])
def test_two_balls_as_a_gap_are_two_spheres(friction: float, alike: float) -> None:
    """With friction but for the second order of the step: a gap cannot know that the parent is round, so it takes the
    points that slide as fixed in the parent."""
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


SUPPORT = "sqrt((p*R_b[2,0])**2 + (q*R_b[2,1])**2 + (s*R_b[2,2])**2)"
LOWEST = [
    f"x_b[{i}] - (p**2*R_b[{i},0]*R_b[2,0] + q**2*R_b[{i},1]*R_b[2,1] + s**2*R_b[{i},2]*R_b[2,2])/{SUPPORT}"
    for i in range(3)
]


def egg(friction: float) -> Trajectory:
    """An ellipsoid on a plane by its support function; its middle is the body's origin."""
    contact = own(height_over(SUPPORT), friction, parameters={"p": 0.5, "q": 0.3, "s": 0.2}, point=LOWEST)
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


def test_a_rough_egg_rolls_away() -> None:
    """Friction slows it, turns it, and takes no more than there is; what lies on the ground moves as if it rolled."""
    trajectory = egg(0.4)
    lawful(trajectory)
    touch = trajectory.contacts["touch"]
    assert np.diff(trajectory.energy).max() < 1e-3 * trajectory.energy[0]
    assert trajectory.energy[-1] < 0.8 * trajectory.energy[0]
    assert touch.sticking.any()
    assert np.linalg.norm(touch.sliding[touch.sticking], axis=1).max() < 2e-5  # just below the bound
    assert largest(touch.point[touch.closed][:, 2]) < 0.03  # it falls on its side, but never through


RADIUS = 0.2
RIM = f"{RADIUS}*sqrt(1 - R_b[2,2]**2)"
LOWEST_OF_RIM = [f"x_b[{i}] + {RADIUS}*R_b[2,2]*R_b[{i},2]/sqrt(1 - R_b[2,2]**2)" for i in range(2)] + [
    f"x_b[2] - {RIM}"
]


def coin(orientation, position, velocity, spin) -> Mechanism:
    """A thin disk about its own z axis on rough ground."""
    disk = Body(
        name="bead",
        mass=1.0,
        inertia=(RADIUS**2 / 4, RADIUS**2 / 4, RADIUS**2 / 2),
        orientation=orientation,
        position=position,
        velocity=velocity,
        angular_velocity=spin,
    )
    touch = own(height_over(RIM), friction=0.8, point=LOWEST_OF_RIM)
    return Mechanism(name="coin", bodies=[disk], contacts=[touch])


@pytest.mark.parametrize("h", [0.01, 0.0025])
def test_a_coin_thrown_along_its_edge_ends_rolling_at_two_thirds_of_its_speed(h: float) -> None:
    """Angular momentum about the ground: m r v0 = (m r² + m r²/2) v/r. In steps it is right to the second order."""
    upright = coin((2**-0.5, 2**-0.5, 0.0, 0.0), (0.0, 0.0, RADIUS), (3.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    trajectory = simulator(upright).simulate(1.0, h)
    assert trajectory.velocity[-1, 0, 0] == pytest.approx(2.0, abs=10.0 * h**2)
    assert abs(trajectory.angular_velocity[-1, 0, 2]) == pytest.approx(2.0 / RADIUS, abs=100.0 * h**2)
    assert trajectory.contacts["touch"].sticking[-1]


def spun(tilt: float, steps: int) -> tuple[Trajectory, np.ndarray]:
    """One turn of a coin whose middle rests, and the cosine of its tilt.

    It turns about its own diameter through the point of contact, here body y, so that its point of contact is at rest,
    and goes round at sqrt(4 g/(r sin tilt)).
    """
    rate = np.sqrt(4 * GRAVITY / (RADIUS * np.sin(tilt)))
    turn = (np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0)
    scene = coin(turn, (0, 0, RADIUS * np.sin(tilt)), (0, 0, 0), (0.0, rate * np.sin(tilt), 0.0))
    trajectory = simulator(scene).simulate(2 * np.pi / rate, 2 * np.pi / rate / steps)
    return trajectory, 1 - 2 * (trajectory.orientation[:, 0, 1] ** 2 + trajectory.orientation[:, 0, 2] ** 2)


@pytest.mark.parametrize("degrees", [20.0, 45.0])
def test_a_coin_spins_about_its_resting_middle(degrees: float) -> None:
    """Its tilt and its middle stay to the second order of the step, its energy to the fourth: friction does no work."""
    tilt, moved, rise, gain = np.radians(degrees), [], [], []
    for steps in (200, 400):
        trajectory, axis = spun(tilt, steps)
        around = np.unwrap(np.arctan2(*trajectory.contacts["touch"].point[1:, 1::-1].T))
        assert abs(around[-1] - around[0]) == pytest.approx(2 * np.pi, abs=7 / steps)
        moved.append(largest(trajectory.position[:, 0] - trajectory.position[0, 0]))
        rise.append(abs(axis[-1] - np.cos(tilt)))
        gain.append(np.ptp(trajectory.energy) / trajectory.energy[0])
    assert moved[1] < 1e-5 and rise[1] < 5e-6 and gain[1] < 3e-9
    assert moved[0] / moved[1] == pytest.approx(4.0, abs=0.2)
    assert rise[0] / rise[1] == pytest.approx(4.0, abs=0.2)
    assert gain[0] / gain[1] == pytest.approx(16.0, abs=1.0)


@pytest.mark.parametrize("point, off", [((), "0.225"), (["x_b[0] + 0.1", "x_b[1]", "0"], "m beside the line")])
def test_friction_beside_the_normal_force_is_refused(point, off: str) -> None:
    rough = own(height_over(SUPPORT), 0.4, parameters={"p": 0.5, "q": 0.3, "s": 0.2}, point=point)
    with pytest.raises(AssemblyError, match=f"contact 'touch': friction would act .*{off}.*"):
        simulator(bead(rough, orientation=(0.8, 0.36, 0.48, 0.0)))


@pytest.mark.parametrize(
    "fields, reason",
    [
        ({"point": ["x_b[0]", "x_b[1]"]}, "has 2 texts"),
        ({"point": ["x_b[0]", "x_b[1]", "y_b"]}, "y_b"),
        ({"point": ["x_b[0]", "x_b[1]", "0"], "radius": 0.1}, "leave one out"),
    ],
)
def test_points_without_a_meaning_are_refused(fields, reason: str) -> None:
    with pytest.raises(MechanismError, match=reason):
        own(height_over("0"), **fields)
