"""Contacts beside what joints carry: closed loops that land; drivers, servos and dampers that push against others."""

from math import cos, sin

import numpy as np
import pytest

from symvi.mechanism import (
    Body,
    Contact,
    Driver,
    DryFriction,
    Joint,
    JointDamper,
    Limit,
    Mechanism,
    Servo,
)
from tests.support.contact_scenes import GRAVITY, HALF, ball, box, corners, lawful, simulator
from tests.support.linkages import four_bar
from tests.support.measuring import largest

OPEN = 0.6  # rad, half of the angle of the rhombus


def rhombus(**tables: object) -> Mechanism:
    """Four rods of 1 m and 1 kg, hinged to a closed loop that stands on one corner, with a ball at every corner."""
    points = [(0.0, 0.0), (cos(OPEN), sin(OPEN)), (0.0, 2 * sin(OPEN)), (-cos(OPEN), sin(OPEN))]
    points = [np.array([x, 0.0, z + 1.0]) for x, z in points]
    middles = [(points[k] + points[(k + 1) % 4]) / 2 for k in range(4)]
    bodies = [Body(name=f"rod{k}", mass=1.0, inertia=(0.01, 0.09, 0.09), position=tuple(middles[k])) for k in range(4)]
    joints = [
        Joint(
            name=f"hinge{k}",
            type="revolute",
            axis=(0, 1, 0),
            parent=f"rod{(k - 1) % 4}",
            child=f"rod{k}",
            parent_anchor=tuple(points[k] - middles[(k - 1) % 4]),
            child_anchor=tuple(points[k] - middles[k]),
        )
        for k in range(4)
    ]
    contacts = [
        Contact(name=f"corner{k}", child=f"rod{k}", child_anchor=joints[k].child_anchor, radius=0.05, friction=0.5)
        for k in range(4)
    ]
    return Mechanism(name="rhombus", bodies=bodies, joints=joints, contacts=contacts, **tables)


def test_a_closed_loop_lands_and_lies() -> None:
    """A rhombus dropped on its lowest corner folds flat on the ground: the loop stays closed in every impact, the four
    corners carry its weight."""
    trajectory = simulator(rhombus()).simulate(4.0, 0.01)
    assert trajectory.status.min() >= 0
    assert trajectory.closure.max() < 1e-11
    lawful(trajectory)
    assert sum(contact.normal_force[-1] for contact in trajectory.contacts.values()) == pytest.approx(4 * GRAVITY)
    assert largest(trajectory.velocity[-1]) < 1e-3
    assert trajectory.energy[-1] == pytest.approx(4 * GRAVITY * 0.05, rel=1e-3)


def test_a_grounded_four_bar_comes_down_on_a_block() -> None:
    """A loop with dropped rows and a contact in it: it swings down, hits, and stays there."""
    linkage = four_bar()
    stop = Contact(name="block", child="link3", radius=0.1, parent_anchor=(0, 0, 0.3), friction=0.4)
    trajectory = simulator(linkage.changed(contacts=[stop])).simulate(3.0, 0.01)
    free = simulator(linkage).simulate(3.0, 0.01)
    before = trajectory.contacts["block"].gap > 0.05
    before &= np.cumsum(~before) == 0
    assert before.sum() > 10
    assert largest((trajectory.position - free.position)[before]) < 1e-7
    assert trajectory.contacts["block"].normal_force.max() > 100.0
    assert trajectory.closure.max() < 1e-11
    lawful(trajectory)


def lift(**tables: object) -> Mechanism:
    """A cube that lies loose on a platform, which moves up and down in a guide."""
    return Mechanism(
        name="lift",
        bodies=[Body(name="platform", mass=2.0, inertia=(0.2, 0.2, 0.3)), box(position=(0, 0, HALF))],
        joints=[Joint(name="guide", type="prismatic", child="platform", axis=(0, 0, 1))],
        contacts=corners("foot", "box", friction=0.5, parent="platform"),
        **tables,
    )


def carried(trajectory) -> np.ndarray:
    """(N,): the whole normal force on the cube."""
    return sum(contact.normal_force for contact in trajectory.contacts.values())


def test_what_a_driven_platform_carries() -> None:
    """Driven by A sin(w t) with A w² < g the cube stays on, and its load is m (g - A w² sin(w t))."""
    height, rate = 0.05, 10.0
    driver = Driver(name="motor", joint="guide", signal=f"{height}*sin({rate}*t)")
    scene = lift(drivers=[driver])
    scene = scene.changed(bodies=[body.changed(velocity=(0, 0, height * rate)) for body in scene.bodies])
    trajectory = simulator(scene).simulate(2.0, 0.005)
    time = trajectory.time[:-1]  # forces over a step act at its first knot
    expected = GRAVITY - height * rate**2 * np.sin(rate * time)
    assert largest(carried(trajectory)[2:] - expected[1:]) < 0.01
    assert largest(trajectory.position[:, 1, 2] - trajectory.position[:, 0, 2] - HALF) < 1e-7
    reaction = trajectory.multipliers["motor"][2:, 0]
    assert largest(abs(reaction) - abs(3 * expected[1:])) < 0.03


def test_a_platform_that_falls_away_faster_than_gravity_throws_its_load() -> None:
    """With A w² > g the cube leaves where the platform's acceleration is -g, and flies."""
    height, rate = 0.05, 20.0
    driver = Driver(name="motor", joint="guide", signal=f"{height}*sin({rate}*t)")
    scene = lift(drivers=[driver])
    scene = scene.changed(bodies=[body.changed(velocity=(0, 0, height * rate)) for body in scene.bodies])
    trajectory = simulator(scene).simulate(0.1, 0.001)
    load = carried(trajectory)
    leaves = np.arcsin(GRAVITY / (height * rate**2)) / rate
    held = trajectory.time[1:] < leaves
    assert (load[1:][held] > 0).all() and load[1:][~held][3:].max() < 0.05
    speed = height * rate * cos(rate * leaves)
    flying = trajectory.time > leaves + 0.005
    since = trajectory.time[flying] - leaves
    path = HALF + height * sin(rate * leaves) + speed * since - 0.5 * GRAVITY * since**2
    assert trajectory.position[flying, 1, 2] == pytest.approx(path, abs=1e-4)


def test_a_servo_sags_under_platform_and_load() -> None:
    """(m + M) g/k at rest, and the cube's weight between both."""
    servo = Servo(name="servo", joint="guide", stiffness=1000.0, damping=100.0, signal="0.1")
    trajectory = simulator(lift(forces=[servo])).simulate(3.0, 0.01)
    assert trajectory.position[-1, 0, 2] == pytest.approx(0.1 - 3 * GRAVITY / 1000.0, abs=1e-6)
    assert carried(trajectory)[-1] == pytest.approx(GRAVITY, rel=1e-6)


def test_a_damped_platform_sinks_at_its_terminal_velocity() -> None:
    """(m + M) g/d with the cube on top, in every step and at its knots."""
    damping, step = 60.0, 0.01
    damper = JointDamper(name="damper", joint="guide", damping=damping)
    trajectory = simulator(lift(forces=[damper])).simulate(2.0, step)
    sinking = -3 * GRAVITY / damping
    assert np.diff(trajectory.position[-2:, :, 2], axis=0)[0] / step == pytest.approx(sinking, abs=2e-6)
    assert trajectory.velocity[-1, :, 2] == pytest.approx([sinking, sinking], abs=2e-6)
    assert carried(trajectory)[-1] == pytest.approx(GRAVITY, rel=1e-4)


def test_contact_limit_and_dry_friction_at_once() -> None:
    """The platform sinks with m a = (m + M) g - bound onto its end stop, which carries what dry friction does not."""
    bound = 10.0
    scene = lift(
        limits=[Limit(name="stop", joint="guide", lower=-0.5)],
        forces=[DryFriction(name="rub", joint="guide", bound=bound)],
    )
    trajectory = simulator(scene).simulate(1.0, 0.01)
    sinking = trajectory.position[:, 0, 2] > -0.4
    fall = -0.5 * (GRAVITY - bound / 3) * trajectory.time**2
    assert trajectory.position[sinking, 0, 2] == pytest.approx(fall[sinking], abs=1e-5)
    assert trajectory.position[-1, 0, 2] == pytest.approx(-0.5, abs=1e-7)
    assert carried(trajectory)[-1] == pytest.approx(GRAVITY, rel=1e-5)
    forces = trajectory.stop_forces
    assert forces["stop"][-1, 0] + forces["rub"][-1, 0] == pytest.approx(3 * GRAVITY, rel=1e-5)


def test_a_spinning_ball_takes_another_along() -> None:
    """Two balls on axles of their own, one pressed on the other by its weight: the first's spin is shared out until
    their surfaces move alike, by an impulse J that slows one and speeds up the other."""
    low, high, spin = 0.5, 0.3, 10.0
    scene = Mechanism(
        name="rollers",
        bodies=[
            ball("low", low, 2.0),
            ball("high", high, 1.0),
            Body(name="fork", mass=1.0, inertia=(0.1,) * 3, position=(0, 0, low + high)),
        ],
        joints=[
            Joint(name="axle", type="revolute", child="low", axis=(0, 1, 0), velocity=spin),
            Joint(name="guide", type="prismatic", child="fork", axis=(0, 0, 1), parent_anchor=(0, 0, low + high)),
            Joint(name="pin", type="revolute", parent="fork", child="high", axis=(0, 1, 0)),
        ],
        contacts=[
            Contact(
                name="touch", kind="sphere", parent="low", child="high", parent_radius=low, radius=high, friction=0.4
            )
        ],
    )
    trajectory = simulator(scene).simulate(1.0, 0.01)
    impulse = spin * low / (2.5 * (1 / 2.0 + 1 / 1.0))  # r²/J = 5/(2 m) of a ball
    expected = (spin - 2.5 / 2.0 * impulse / low, -2.5 / 1.0 * impulse / high)
    found = [trajectory.rates(joint)[-1, 0] for joint in ("axle", "pin")]
    assert found == pytest.approx(expected, rel=1e-3)  # (w h)²/8 = 1.5e-3 of the faster: steps turn by angles
    assert found[0] * low == pytest.approx(-found[1] * high, rel=2e-3)
    assert trajectory.contacts["touch"].normal_force[-1] == pytest.approx(2.0 * GRAVITY, rel=1e-6)
    lawful(trajectory)


def test_a_driven_wheel_rolls() -> None:
    """A wheel that a motor turns at w on its axle takes the hub along at w r: friction holds the point it rolls on."""
    scene = Mechanism(
        name="wheel",
        bodies=[
            Body(name="hub", mass=5.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.5)),
            Body(name="wheel", mass=0.5, inertia=(0.05, 0.05, 0.05)),
        ],
        joints=[
            Joint(name="slide", type="planar", child="hub", axis=(0, 1, 0), parent_anchor=(0, 0, 0)),
            Joint(name="axle", type="revolute", parent="hub", child="wheel", axis=(0, 1, 0)),
        ],
        drivers=[Driver(name="motor", joint="axle", signal="2*t")],
        contacts=[Contact(name="tread", child="wheel", radius=0.5, friction=0.8)],
    )
    trajectory = simulator(scene).simulate(2.0, 0.01, project=True)
    assert trajectory.velocity[-1, 0] == pytest.approx([1.0, 0, 0], abs=1e-4)  # rolls without slip at w r
    assert trajectory.contacts["tread"].normal_force[-1] == pytest.approx(5.5 * GRAVITY, rel=1e-6)
    lawful(trajectory)
