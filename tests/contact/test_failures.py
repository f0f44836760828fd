"""Contacts that cannot be: starts inside of each other, steps that fail, parameters without a meaning; never a NaN."""

import numpy as np
import pytest

from symvi.errors import AssemblyError, MechanismError, SolverError
from symvi.mechanism import (
    Body,
    Box,
    Contact,
    Driver,
    Joint,
    JointSpring,
    Limit,
    Mechanism,
    Sphere,
    State,
    Wrench,
    start_state,
)
from symvi.simulate import Simulator, SolverOptions, SolverStatus, Trajectory
from tests.support.contact_geometry import deepest
from tests.support.contact_scenes import HALF, ball, box, corners, on_ground, placed, simulator
from tests.support.measuring import largest


def balls(apart: float, speed: float = 0.0, friction: float = 0.5) -> Mechanism:
    """Two balls of half a metre in free space, one above the other, the upper one on its way down."""
    return Mechanism(
        name="balls",
        gravity=(0, 0, 0),
        bodies=[ball("low"), ball("high", position=(0, 0, apart), velocity=(0, 0, -speed))],
        contacts=[
            Contact(
                name="touch",
                kind="sphere",
                parent="low",
                child="high",
                radius=0.5,
                parent_radius=0.5,
                friction=friction,
            )
        ],
    )


def hinged(angle: float, **sides: float) -> Mechanism:
    return Mechanism(
        name="hinged",
        bodies=[Body(name="arm", mass=1.0, inertia=(1.0, 1.0, 1.0))],
        joints=[Joint(name="hinge", type="revolute", child="arm", coordinate=angle)],
        limits=[Limit(name="stop", joint="hinge", **sides)],
    )


def assert_finite(trajectory: Trajectory) -> None:
    names = ("position", "orientation", "velocity", "angular_velocity", "contact_values", "stop_values", "energy")
    assert all(np.isfinite(getattr(trajectory, name)).all() for name in names)


INSIDE = [
    (on_ground(box(position=(0, 0, 0.2))), "the start lies 0.05 m inside 'ground_box."),
    (balls(0.7), "the start lies 0.3 m inside 'touch'"),
    (hinged(1.0, upper=0.4), "the start lies 0.6 rad inside 'stop'"),
    (hinged(1.0, lower=1.3, upper=2.0), "the start lies 0.3 rad inside 'stop'"),
]


@pytest.mark.parametrize("scene, sentence", INSIDE, ids=["box", "balls", "above", "below"])
def test_a_start_inside_is_refused_by_name_and_depth(scene: Mechanism, sentence: str) -> None:
    with pytest.raises(AssemblyError) as caught:
        simulator(scene).simulate(0.1, 0.01)
    assert sentence in str(caught.value)
    assert "project=True" in str(caught.value)


@pytest.mark.parametrize("scene, sentence", INSIDE, ids=["box", "balls", "above", "below"])
def test_projection_moves_a_start_out(scene: Mechanism, sentence: str) -> None:
    """To the surface, and no further."""
    start = simulator(scene).project()
    trajectory = simulator(scene).simulate(0.1, 0.01, project=True)
    assert largest(trajectory.position[0] - start.position) < 1e-12
    if scene.contacts:
        assert -1e-9 <= deepest(scene, start)[1] < 1e-6
    else:
        angle, stop = trajectory.coordinates("hinge")[0, 0], scene.limits[0]
        beyond = angle - stop.lower if stop.lower is not None and stop.lower > 1.0 else stop.upper - angle
        assert -1e-9 <= beyond < 1e-5
    assert_finite(trajectory)


@pytest.mark.parametrize("depth", [1e-3, 0.3])
def test_projection_parts_two_free_balls_by_equal_ways(depth: float) -> None:
    """Of equal masses: impulses keep momentum. Contacts are up to 1e13 times as stiff, which leaves 1e-3 of masses."""
    scene = balls(1.0 - depth)
    moved = simulator(scene).project().position[:, 2] - start_state(scene).position[:, 2]
    assert abs(moved[0] + moved[1]) < 1e-3 * depth
    assert abs(moved[1] - moved[0] - depth) < 1e-9


@pytest.mark.parametrize("project", [False, True])
def test_balls_with_one_centre_are_refused(project: bool) -> None:
    """There is no direction in which they could part."""
    with pytest.raises(AssemblyError, match="the start lies 1 m inside 'touch'"):
        Simulator(balls(0.0), backend="c").simulate(0.1, 0.01, project=project)


@pytest.mark.parametrize("speed", [100.0, 200.0, 250.0, 299.0])
def test_balls_that_are_predicted_at_one_centre_or_behind_it(speed: float) -> None:
    """A step in which one ball would pass the other: it is solved, or fails by its status and leaves the state."""
    scene = balls(2.0, speed)
    trajectory = simulator(scene).simulate(0.1, 0.01, on_error="status")
    assert_finite(trajectory)
    if trajectory.status[-1] < 0:
        assert len(trajectory) == 1
    else:
        assert trajectory.contacts["touch"].gap.min() > -1e-12
        assert trajectory.velocity[-1, :, 2] == pytest.approx(-speed / 2, rel=1e-4)  # plastic


def test_a_step_that_fails_says_where_and_leaves_its_state() -> None:
    scene = on_ground(box(position=(0, 0, 0.45), angular_velocity=(5, 3, 1)))
    few = SolverOptions(max_iterations=2)
    trajectory = simulator(scene).simulate(1.0, 0.01, options=few, on_error="status")
    assert trajectory.status[-1] == SolverStatus.NOT_CONVERGED and len(trajectory) < 101
    whole = simulator(scene).simulate(1.0, 0.01)
    assert np.allclose(trajectory.position, whole.position[: len(trajectory)], rtol=0, atol=1e-9)
    with pytest.raises(SolverError, match="ground_box"):
        simulator(scene).simulate(1.0, 0.01, options=few)


def test_a_driver_into_the_ground_fails_where_it_meets_it() -> None:
    """What no motion fulfils is no NaN and no penetration, but a failed step at the moment of contact."""
    scene = Mechanism(
        name="press",
        bodies=[ball(position=(0, 0, 1.0), velocity=(0, 0, -1.0))],
        joints=[Joint(name="guide", type="prismatic", child="ball", axis=(0, 0, 1), parent_anchor=(0, 0, 1.0))],
        drivers=[Driver(name="motor", joint="guide", signal="-t")],
        contacts=[Contact(name="ground", child="ball", radius=0.5, friction=0.5)],
    )
    trajectory = simulator(scene).simulate(1.0, 0.01, on_error="status")
    assert trajectory.status[-1] < 0
    assert trajectory.time[-1] == pytest.approx(0.5, abs=0.011)
    assert trajectory.contacts["ground"].gap.min() > -1e-12
    assert_finite(trajectory)


@pytest.mark.parametrize("size", [1e3, 1e8, 1e100, 1e308])
@pytest.mark.parametrize("axis, sign", [(0, 1), (2, -1), (2, 1)])
def test_forces_without_measure_end_in_a_status(size: float, axis: int, sign: int) -> None:
    scene = on_ground(ball(position=(0, 0, 0.5)))
    scene = scene.changed(forces=[Wrench(name="push", body="ball")])
    made = simulator(scene)
    inputs = dict.fromkeys(made.inputs.names, 0.0) | {f"push.force[{axis}]": sign * size}
    trajectory = made.simulate(0.2, 0.01, inputs=inputs, on_error="status")
    assert_finite(trajectory)
    assert trajectory.contacts["ground_ball.0"].gap.min() >= -1e-12 * max(1.0, largest(trajectory.position))


@pytest.mark.parametrize("mass", [1e-9, 1e-3, 1e6])
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_bodies_of_any_mass_and_size(mass: float, size: float) -> None:
    """A cube dropped from its own size onto the ground, at a step that fits: all is in proportion."""
    scene = on_ground(box(mass=mass, edge=size), friction=0.5)
    step = 0.01 * np.sqrt(size)
    start = placed(scene, (0, 0, size), velocity=(np.sqrt(size), 0, 0), spin=np.array([1.0, 2.0, 3.0]) / np.sqrt(size))
    trajectory = simulator(scene).simulate(300 * step, step, start=start)
    assert_finite(trajectory)
    assert trajectory.position[-1, 0, 2] == pytest.approx(0.5 * size, rel=1e-6)


@pytest.mark.parametrize("friction", [1e-12, 1e-6, 10.0])
def test_friction_from_next_to_none_to_far_beyond_what_there_is(friction: float) -> None:
    scene = on_ground(box(position=(0, 0, HALF), velocity=(1.0, 0.5, 0.0)), friction=friction)
    trajectory = simulator(scene).simulate(0.5, 0.01)
    assert_finite(trajectory)
    way = trajectory.position[-1, 0] - trajectory.position[0, 0]
    assert (way[0] == pytest.approx(0.5, abs=1e-4)) == (friction < 1e-3)


def test_without_gravity_a_body_may_touch_without_a_force() -> None:
    """Where nothing gives impulses a size, 1 m/s² stands in: a body that touches goes off by the barrier's width."""
    scene = on_ground(ball(position=(0, 0, 0.5), velocity=(1.0, 0, 0)), gravity=0.0)
    trajectory = simulator(scene).simulate(1.0, 0.01)
    assert trajectory.position[-1, 0] == pytest.approx([1.0, 0.0, 0.5], abs=1e-4)


def test_a_contact_at_the_centre_of_mass_has_no_arm() -> None:
    body = Body(name="bead", mass=1.0, inertia=(0.1, 0.2, 0.3), velocity=(1.0, 0, 0), angular_velocity=(1.0, 2.0, 3.0))
    scene = Mechanism(name="bead", bodies=[body], contacts=[Contact(name="touch", child="bead", friction=0.5)])
    trajectory = simulator(scene).simulate(1.0, 0.01)
    _, spin = (
        trajectory.linear_momentum,
        trajectory.angular_momentum - np.cross(trajectory.position[:, 0], trajectory.linear_momentum),
    )
    assert largest(spin - spin[0]) < 1e-7
    assert trajectory.position[-1, 0] == pytest.approx([1.0 / (2 * 0.5 * 9.81), 0, 0], abs=1e-3)


@pytest.mark.parametrize("apart", [1e-3, 1e-9])
def test_a_ball_between_floor_and_ceiling(apart: float) -> None:
    """Normals that oppose each other, with next to no room: it lies on the floor."""
    scene = Mechanism(
        name="press",
        bodies=[ball(position=(0, 0, 0.5))],
        contacts=[
            Contact(name="floor", child="ball", radius=0.5, friction=0.5),
            Contact(
                name="ceiling",
                child="ball",
                radius=0.5,
                normal=(0, 0, -1),
                parent_anchor=(0, 0, 1 + apart),
                friction=0.5,
            ),
        ],
    )
    trajectory = simulator(scene).simulate(1.0, 0.01)
    net = trajectory.contacts["floor"].normal_force - trajectory.contacts["ceiling"].normal_force
    assert net[-1] == pytest.approx(9.81, rel=1e-6)
    assert 0.0 < trajectory.contacts["floor"].gap[-1] < apart


def test_the_same_contact_three_times_shares_the_load() -> None:
    contacts = [Contact(name=f"touch{k}", child="ball", radius=0.5, friction=0.5) for k in range(3)]
    scene = Mechanism(name="thrice", bodies=[ball(position=(0, 0, 0.5), velocity=(1.0, 0, 0))], contacts=contacts)
    trajectory = simulator(scene).simulate(1.0, 0.01)
    loads = [contact.normal_force[-1] for contact in trajectory.contacts.values()]
    assert loads == pytest.approx([9.81 / 3] * 3, rel=1e-6)
    assert trajectory.velocity[-1, 0, 0] == pytest.approx(5 / 7, abs=1e-5)  # (w h)²/28 of it: a step turns by an angle


@pytest.mark.parametrize(
    "name, value, reason",
    [
        ("foot0.friction", -0.1, "must be positive"),
        ("foot0.friction", 0.0, "must be positive"),
        ("foot0.friction", float("nan"), "finite"),
        ("foot0.radius", -0.1, "must not be negative"),
        ("foot0.normal", (0, 0, 2), "change the description"),
        ("foot9.friction", 0.1, "did you mean"),
        ("foot0.effective_mass", 0.0, "must be positive"),
    ],
)
def test_parameters_without_a_meaning_are_refused(name: str, value: object, reason: str) -> None:
    scene = Mechanism(name="feet", bodies=[box(position=(0, 0, HALF))], contacts=corners("foot", "box", friction=0.5))
    with pytest.raises(MechanismError, match=reason) as caught:
        simulator(scene).set_parameter(name, value)
    assert name in str(caught.value)


def test_a_state_inside_is_refused_like_a_description() -> None:
    scene = on_ground(box())
    low = placed(scene, (0, 0, 0.1))
    assert isinstance(low, State)
    with pytest.raises(AssemblyError, match=r"0\.15 m inside 'ground_box\."):
        simulator(scene).simulate(0.1, 0.01, start=low)


@pytest.mark.parametrize("real, exact", [("double", 1e-9), ("float", 1e-5)])
@pytest.mark.parametrize("depth", [0.05, 1e-3, 0.0])
def test_a_projection_ends_at_the_surface_and_no_further(depth: float, real: str, exact: float) -> None:
    """A box lifted out of the ground touches it, whatever the step; one that touches does not move at all."""
    scene = on_ground(box(position=(0.0, 0.0, HALF - depth)), friction=0.5)
    for h in (0.01, 0.001):
        lifted = Simulator(scene, real=real).project(step=h).position[0, 2] - HALF
        assert lifted == pytest.approx(0.0, abs=exact)
        assert depth > 0.0 or lifted == 0.0


def test_a_projection_ends_at_a_limit_and_no_further() -> None:
    arm = Body(name="arm", mass=1.0, shape=Box(size=(0.1, 0.1, 1.0)))
    pin = Joint(name="pin", type="revolute", child="arm", axis=(0, 1, 0), child_anchor=(0, 0, 0.5), coordinate=0.3)
    beyond = Mechanism(name="beyond", bodies=[arm], joints=[pin], limits=[Limit(name="stop", joint="pin", upper=0.25)])
    run = Simulator(beyond).simulate(0.01, 0.01, project=True)
    assert run.coordinates("pin")[0] == pytest.approx(0.25, abs=1e-7)


def on_rail(axis: tuple[float, float, float], corner: Contact) -> Mechanism:
    """A cube on the ground that a joint guides along a plane."""
    block = Box(size=(0.5, 0.5, 0.5))
    cube = Body(name="cube", mass=1.0, shape=block, position=(0.0, 0.0, 0.25), velocity=(1.0, 0.0, 0.0))
    rail = Joint(name="rail", type="planar", child="cube", axis=axis, parent_anchor=(0.0, 0.0, 0.25))
    return Mechanism(name="held", bodies=[cube], joints=[rail], contacts=[corner])


def test_a_joint_that_holds_a_contact_at_zero_is_refused_by_name() -> None:
    """Every force between them balances: nothing says how large it is. With room, or a joint that lifts, it is."""
    corner = Contact(name="corner", child="cube", child_anchor=(0.25, 0.25, -0.25), friction=0.3)
    with pytest.raises(AssemblyError, match="contact 'corner': joints hold it closed for good"):
        Simulator(on_rail((0.0, 0.0, 1.0), corner))
    roomy = on_rail((0.0, 0.0, 1.0), corner.changed(parent_anchor=(0.0, 0.0, -1e-6)))
    assert Simulator(roomy).simulate(1.0, 0.01).contacts["corner"].normal_force.max() < 9.81
    lifting = on_rail((0.0, 1.0, 0.0), corner)
    assert Simulator(lifting).simulate(0.1, 0.01).status.min() >= 0


def test_a_limit_where_joints_leave_no_motion_is_refused_by_name() -> None:
    arm = Body(name="arm", mass=1.0, shape=Box(size=(0.1, 0.1, 1.0)))
    pin = Joint(name="pin", type="revolute", child="arm", axis=(0, 1, 0))
    weld = Joint(name="weld", type="fixed", child="arm")
    stop = Limit(name="stop", joint="pin", lower=0.0)
    swinging = Mechanism(name="swinging", bodies=[arm], joints=[pin], limits=[stop])
    assert Simulator(swinging).simulate(0.1, 0.01).status.min() >= 0
    with pytest.raises(AssemblyError, match="limit 'stop': joints hold it closed for good"):
        Simulator(swinging.changed(joints=[pin, weld]))


def test_a_ball_that_fits_without_any_clearance_is_a_failure_by_status() -> None:
    """Between floor and ceiling every pair of forces balances, and they must not grow without a word."""
    ball = Body(name="ball", mass=1.0, shape=Sphere(radius=0.1), position=(0, 0, 0.1), velocity=(1.0, 0, 0))
    floor = Contact(name="floor", child="ball", radius=0.1)
    ceiling = Contact(name="ceiling", child="ball", radius=0.1, normal=(0, 0, -1), parent_anchor=(0, 0, 0.2))
    tight = Mechanism(name="tight", bodies=[ball], contacts=[floor, ceiling])
    with pytest.raises(SolverError, match="pressed beyond all bounds") as failure:
        Simulator(tight).simulate(1.0, 0.01)
    assert failure.value.status == SolverStatus.SQUEEZED
    assert failure.value.worst in ("'floor'", "'ceiling'")
    loose = tight.changed(contacts=[floor, ceiling.changed(parent_anchor=(0, 0, 0.2 + 1e-6))])
    rolled = Simulator(loose).simulate(1.0, 0.01)
    assert rolled.contacts["ceiling"].normal_force.max() < 0.01
    assert rolled.velocity[-1, 0, 0] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("backend", ["c", "python"])
@pytest.mark.parametrize("stiffness, rest", [(1e5, -1.0), (1e7, -0.01), (1e10, -1e-5)])
def test_a_spring_may_press_as_hard_as_it_likes(stiffness: float, rest: float, backend: str) -> None:
    """1e5 N on a block of 2 kg that stands on the ground: what pushes counts, and it is a spring."""
    body, rail = (
        Body(name="block", mass=2.0, inertia=(0.1, 0.1, 0.1)),
        Joint(name="rail", type="prismatic", child="block"),
    )
    press = JointSpring(name="press", joint="rail", stiffness=stiffness, rest=rest)
    pressed = Mechanism(
        name="pressed", bodies=[body], joints=[rail], forces=[press], contacts=[Contact(name="ground", child="block")]
    )
    motion = Simulator(pressed, backend=backend).simulate(0.1, 0.01)
    assert motion.contacts["ground"].normal_force[-1] == pytest.approx(1e5 + 2.0 * 9.81, rel=1e-6)


def test_a_run_that_fails_between_recorded_knots_cannot_be_continued() -> None:
    """Its solver stands beyond the last recorded knot; the message says when it failed, and continuing is refused."""
    scene = Simulator(on_ground(box(position=(0.0, 0.0, 0.35)), friction=0.5))
    short = SolverOptions(max_iterations=2)  # too few for an impact
    failed = scene.simulate(1.0, 0.01, every=10, options=short, on_error="status")
    assert failed.status[-1] < 0 and len(failed.resume) == 0
    with pytest.raises(MechanismError, match="beyond its last recorded knot"):
        scene.simulate(0.1, 0.01, start=failed)
    whole = scene.simulate(1.0, 0.01, options=short, on_error="status")
    with pytest.raises(SolverError, match=f"after t = {whole.time[-1]:g} s"):
        scene.simulate(1.0, 0.01, every=10, options=short)


def test_limits_that_were_set_against_each_other_are_named() -> None:
    rod = Body(name="rod", mass=1.0, inertia=(0.1, 0.1, 0.1))
    pin = Joint(name="pin", type="revolute", child="rod", axis=(1.0, 0.0, 0.0))
    stop = Limit(name="stop", joint="pin", lower=-0.3, upper=0.3)
    simulator = Simulator(Mechanism(name="rod", bodies=[rod], joints=[pin], limits=[stop]))
    simulator.set_parameter("stop.lower", 0.7)
    with pytest.raises(MechanismError, match="'stop': lower 0.7 is not below upper 0.3"):
        simulator.simulate(0.1, 0.01, project=True)


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), 5.0])
def test_complementarity_is_checked(value: float) -> None:
    with pytest.raises(ValueError, match="complementarity"):
        SolverOptions(complementarity=value)


def test_a_table_holds_contacts(tmp_path) -> None:
    motion = Simulator(on_ground(box(position=(0.0, 0.0, 0.3)), friction=0.5)).simulate(0.3, 0.01)
    table = np.genfromtxt(motion.to_csv(tmp_path / "a.csv"), delimiter=",", names=True, deletechars="")
    point = next(iter(motion.contacts))
    assert np.isnan(table[f"{point}.normal_force"][0])  # no step led to the first knot
    assert np.array_equal(table[f"{point}.normal_force"][1:], motion.contacts[point].normal_force[1:])


@pytest.mark.parametrize("radii_per_step, seen", [(0.5, False), (1.5, False), (6.5, True)])
@pytest.mark.parametrize("aside", [0.0, 0.05])
def test_spheres_that_may_pass_each_other_unseen_are_marked_where_they_may(radii_per_step, seen, aside) -> None:
    """Not where they are far apart, nor where the step saw the contact and stopped them."""
    radius, h = 0.1, 0.01
    speed = radii_per_step * radius / h
    balls = [
        Body(name=name, mass=1.0, shape=Sphere(radius=radius), position=place, velocity=way)
        for name, place, way in (("still", (0, 0, 0), (0, 0, 0)), ("fast", (aside, 0, 2.03), (0, 0, -speed)))
    ]
    touch = Contact(name="touch", kind="sphere", parent="still", child="fast", radius=radius, parent_radius=radius)
    scene = Mechanism(name="shot", gravity=(0, 0, 0), bodies=balls, contacts=[touch])
    run = Simulator(scene).simulate(round(3.0 / speed / h) * h, h)
    marked = run.contacts["touch"].fast
    assert marked.any() == seen
    assert not marked[: int((2.03 - 0.2) / (speed * h))].any()
    passed = run.position[-1, 1, 2] < run.position[-1, 0, 2]
    assert not passed or seen
