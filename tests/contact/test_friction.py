"""Coulomb's law: rolling, stopping, sticking on slopes of any heading, the same in every frame, kept at every knot."""

from math import atan, cos, pi, sin

import numpy as np
import pytest

from symvi.mechanism import Body, Contact, Joint, Mechanism
from symvi.mechanism.rotation import about
from symvi.simulate import SolverOptions, Trajectory
from tests.support.contact_scenes import (
    GRAVITY,
    HALF,
    ball,
    box,
    corners,
    lawful,
    lifted,
    on_ground,
    placed,
    simulator,
    turned,
)
from tests.support.measuring import largest
from tests.support.placing import random_quaternion
from tests.support.poses import Pose

HEADINGS = (0.3, 1.9, 4.4)  # rad, none of them special to the axes of the world


def sledge(friction: float, cone: str = "second_order", **contact) -> Mechanism:
    """A cube on its four lower corners."""
    feet = corners("foot", "box", friction=friction, cone=cone, **contact)
    return Mechanism(name="sledge", bodies=[box(position=(0, 0, HALF))], contacts=feet)


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_ball_thrown_without_spin_ends_rolling_at_five_sevenths(heading: float) -> None:
    """Its angular momentum about a point of the ground stays m v0 r = m v r + (2/5) m r² v/r. (With the factor of two
    that papers' rows hide it would be 5/9.) Of an angle a step rolls by the chord: (w h)²/28 faster, w h = 0.03."""
    scene = on_ground(ball(), friction=0.5)
    direction = np.array([cos(heading), sin(heading), 0.0])
    start = placed(scene, (0, 0, 0.5), velocity=2.0 * direction)
    trajectory = simulator(scene).simulate(1.0, 0.01, start=start)
    assert trajectory.velocity[-1, 0] == pytest.approx(5 / 7 * 2.0 * direction, abs=5e-5)
    rolling = np.cross([0, 0, 1], 5 / 7 * 2.0 * direction / 0.5)
    assert trajectory.angular_velocity[-1, 0] == pytest.approx(rolling, abs=5e-4)  # up to a turn by the heading's axis
    lawful(trajectory)


@pytest.mark.parametrize("parent", ["world", "planet"])
def test_a_ball_rolls_off_a_ball(parent: str) -> None:
    """From the top of a large ball, held by a joint or being the world's, a small one rolls by the law of energy,
    v² = (10/7) g (R + r)(1 - cos a), and leaves where cos a = 10/17."""
    large, small, lean = 2.0, 0.2, 0.05
    reach = large + small
    place = (reach * sin(lean), 0.0, reach * cos(lean))
    bodies, joints = [ball("small", small, position=place)], []
    if parent == "planet":
        bodies.append(ball("planet", large, 10.0))
        joints = [Joint(name="held", type="fixed", child="planet")]
    touch = Contact(
        name="touch", kind="sphere", parent=parent, child="small", radius=small, parent_radius=large, friction=2.0
    )
    scene = Mechanism(name="planets", bodies=bodies, joints=joints, contacts=[touch])
    trajectory = simulator(scene).simulate(2.5, 0.0025)
    x, z = trajectory.position[:, 0, 0], trajectory.position[:, 0, 2]
    cosine = z / np.hypot(x, z)
    rolling = cosine > 0.7
    speed = 10 / 7 * GRAVITY * reach * (cos(lean) - cosine[rolling])
    assert largest(np.sum(trajectory.velocity[rolling, 0] ** 2, axis=1) - speed) < 1e-3 * speed.max()
    leaves = np.argmax(trajectory.contacts["touch"].gap > 1e-6)
    assert cosine[leaves] == pytest.approx(10 / 17 * cos(lean), abs=5e-3)
    lawful(trajectory)


def test_when_a_ball_begins_to_roll() -> None:
    """Sliding at a deceleration c_f g until (2/7) v0/(c_f g), then rolling without a force."""
    scene = on_ground(ball(), friction=0.1)
    trajectory = simulator(scene).simulate(1.0, 0.01, start=placed(scene, (0, 0, 0.5), velocity=(2, 0, 0)))
    touch = trajectory.contacts["ground_ball.0"]
    sliding = trajectory.time < 2 / 7 * 2.0 / (0.1 * GRAVITY)
    force = np.linalg.norm(touch.friction_force, axis=1)
    assert force[1:][sliding[1:]] == pytest.approx(0.1 * GRAVITY, rel=1e-4)
    assert force[2:][~sliding[1:-1]].max() < 1e-4


@pytest.mark.parametrize("friction, speed", [(0.1, 1.0), (0.3, 2.0), (0.8, 3.0)])
@pytest.mark.parametrize("heading", HEADINGS[:2])
def test_a_sliding_block_stops_where_its_energy_is_spent(friction: float, speed: float, heading: float) -> None:
    """v²/(2 c_f g): c_f m g s = m v²/2. The last step, in which it stops, is within the barrier's width of exact."""
    scene = sledge(friction)
    simulate = simulator(sledge(0.5)).simulate if friction == 0.5 else simulator(scene).simulate
    velocity = speed * np.array([cos(heading), sin(heading), 0.0])
    trajectory = simulate(1.2, 0.01, start=placed(scene, (0, 0, HALF), velocity=velocity))
    way = trajectory.position[-1, 0] - trajectory.position[0, 0]
    assert np.linalg.norm(way) == pytest.approx(speed**2 / (2 * friction * GRAVITY), abs=2e-4)
    assert largest(np.cross(way, velocity)) < 1e-6  # along its own heading
    assert largest(trajectory.velocity[-1]) < 1e-6
    lawful(trajectory)


def test_velocities_at_knots_of_a_sliding_block() -> None:
    """v0 - c_f g t at every knot: half of a knot's friction acts before it, half behind."""
    scene = sledge(0.3)
    trajectory = simulator(scene).simulate(0.5, 0.01, start=placed(scene, (0, 0, HALF), velocity=(2.0, 0, 0)))
    expected = 2.0 - 0.3 * GRAVITY * trajectory.time
    assert trajectory.velocity[:, 0, 0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("friction, heading", [(0.2, HEADINGS[0]), (0.2, HEADINGS[1]), (1.0, HEADINGS[2])])
def test_stick_and_slip_meet_where_the_slope_is_the_coefficient(friction: float, heading: float) -> None:
    """tan(slope) = c_f within a part in a thousand: just below a block creeps at a speed that does not grow, just above
    it accelerates down the slope by g (sin - c_f cos)."""
    axis = (-sin(heading), cos(heading), 0.0)
    for share in (1 - 1e-3, 1 + 1e-3):
        slope = atan(friction * share)
        scene = turned(sledge(friction), about(axis, slope)).changed(gravity=(0.0, 0.0, -GRAVITY))
        trajectory = simulator(scene).simulate(2.0, 0.01)
        gained = (trajectory.velocity[-1, 0] - trajectory.velocity[-101, 0]) / 1.0
        down = np.array([cos(heading) * cos(slope), sin(heading) * cos(slope), -sin(slope)])
        expected = GRAVITY * (sin(slope) - friction * cos(slope)) * down if share > 1 else np.zeros(3)
        assert largest(gained - expected) < 0.15 * abs(GRAVITY * (sin(slope) - friction * cos(slope)))


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99, 0.999])
@pytest.mark.parametrize("tolerance", [None, 1e-6, 1e-10])
def test_creep_of_a_sticking_block_follows_the_tolerance(tolerance: float | None, share: float) -> None:
    """At a share y of the load that it can hold it creeps by what complementarity leaves, and no more: in the middle of
    the central path by mu y/(b0 (1 - y²)), mu = tol m (g h)²/2 and b0 = c_f m g h cos(slope)/n of each of n feet."""
    slope, step, feet = atan(0.5 * share), 0.01, 4
    scene = turned(sledge(0.5), about((0, 1, 0), slope)).changed(gravity=(0.0, 0.0, -GRAVITY))
    trajectory = simulator(scene).simulate(1.0, step, options=SolverOptions(complementarity=tolerance))
    creep = np.linalg.norm(trajectory.position[-1, 0] - trajectory.position[-51, 0]) / 0.5
    left = 1e-8 if tolerance is None else tolerance
    middle = feet / 2 * left * GRAVITY * step * share / (0.5 * cos(slope) * (1 - share**2))
    assert 0.5 * middle < creep < 2.01 * middle  # a step may leave twice as much, or less


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("feet", [3, 4])
def test_the_same_motion_in_every_frame(feet: int, seed: int) -> None:
    """The whole scene turned at random: a stool that spins, slides and stops does the same, turned. On four feet, whose
    loads equations leave open, as on three."""
    scene = stool(feet)
    q = random_quaternion(np.random.default_rng(seed))
    plain = simulator(scene).simulate(1.0, 0.01)
    other = simulator(turned(scene, q)).simulate(1.0, 0.01)
    assert largest(seen_from(q, other) - plain.position[:, 0]) < 1e-9
    assert largest(other.angular_velocity - plain.angular_velocity) < 1e-5
    assert largest(plain.angular_velocity[-1]) < 1e-5 < largest(plain.angular_velocity[10])


def test_a_toss_in_every_frame() -> None:
    """Impacts on corners multiply round-off, which comes to less than a millionth of a metre in a second."""
    scene = on_ground(box(position=(0, 0, 0.8), velocity=(1, -0.5, 0.2), angular_velocity=(3, 4, -2)), friction=0.5)
    plain = simulator(scene).simulate(1.0, 0.01)
    q = random_quaternion(np.random.default_rng(3))
    other = simulator(turned(scene, q)).simulate(1.0, 0.01)
    assert largest(seen_from(q, other) - plain.position[:, 0]) < 1e-6


def stool(feet: int) -> Mechanism:
    """A cube that slides and spins on a ring of points under it."""
    points = [(HALF * cos(2 * pi * k / feet), HALF * sin(2 * pi * k / feet), -HALF) for k in range(feet)]
    return Mechanism(
        name="stool",
        bodies=[box(position=(0, 0, HALF), velocity=(1.5, 0.4, 0), angular_velocity=(0, 0, 3.0))],
        contacts=[
            Contact(name=f"foot{k}", child="box", child_anchor=point, friction=0.4) for k, point in enumerate(points)
        ],
    )


def seen_from(q: tuple[float, ...], trajectory: Trajectory) -> np.ndarray:
    """(N, 3): positions of the first body in axes that are turned by q."""
    return trajectory.position[:, 0] @ Pose(np.zeros(3), np.array(q)).R


@pytest.mark.parametrize("sides", [4, 8])
def test_a_linear_cone_is_too_weak_between_its_directions_by_what_geometry_says(sides: int) -> None:
    """Along a direction it is the cone; midway between two it is the middle of a side, cos(pi/sides) as strong; on any
    other heading it lies between, and draws a block to the nearest direction."""
    found = []
    for heading in (0.0, pi / sides, 0.2):
        scene = sledge(0.4, cone="linear", directions=sides)
        velocity = 2.0 * np.array([cos(heading), sin(heading), 0.0])
        trajectory = simulator(scene).simulate(0.2, 0.01, start=placed(scene, (0, 0, HALF), velocity=velocity))
        lawful_pyramid(trajectory)
        found.append((2.0 - np.linalg.norm(trajectory.velocity[-1, 0])) / 0.2 / (0.4 * GRAVITY))
    assert found[0] == pytest.approx(1.0, abs=1e-3)
    assert found[1] == pytest.approx(cos(pi / sides), abs=1e-3)
    assert cos(pi / sides) - 1e-3 <= found[2] <= 1 + 1e-3


def lawful_pyramid(trajectory: Trajectory) -> None:
    for contact in trajectory.contacts.values():
        size, bound = np.linalg.norm(contact.friction_force, axis=1), 0.4 * contact.normal_force
        assert (size <= bound * (1 + 1e-12)).all()
        assert (contact.gap >= 0).all()


@pytest.mark.parametrize("friction", [0.1, 0.5, 1.0, 2.0])
def test_laws_of_contact_at_every_knot_of_a_toss(friction: float) -> None:
    """Impacts on corners, edges and faces, tumbling, sliding and rest, at steps of 1/2000 to 1/20 of a second."""
    scene = on_ground(box(), friction=friction)
    random = np.random.default_rng(7)
    for step, time in ((0.05, 5.0), (0.01, 2.0), (0.0005, 0.5)):
        for _ in range(3):
            trajectory = simulator(scene).simulate(time, step, start=lifted(scene, 0.8, random))
            lawful(trajectory)


def test_a_tippetop_spin_about_the_normal_meets_no_friction_at_a_point() -> None:
    """One point under the centre of mass: spin about the normal does not slide, and stays."""
    scene = Mechanism(
        name="top",
        bodies=[
            Body(name="top", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.3), angular_velocity=(0, 0, 9.0))
        ],
        contacts=[Contact(name="tip", child="top", child_anchor=(0, 0, -0.3), friction=0.5)],
    )
    trajectory = simulator(scene).simulate(0.5, 0.01)
    assert trajectory.angular_velocity[-1, 0] == pytest.approx([0, 0, 9.0], abs=1e-9)
    assert largest(trajectory.contacts["tip"].friction_force) < 1e-6
