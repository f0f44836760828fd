"""Limits on joint coordinates and dry friction along them: where motion ends, how it decays, how long it sticks."""

from math import pi, sin

import numpy as np
import pytest

from symvi.mechanism import Body, Box, DryFriction, Joint, JointSpring, Limit, Mechanism
from symvi.simulate import Trajectory
from tests.support.contact_scenes import GRAVITY, simulator
from tests.support.measuring import largest

LONG = Box(size=(0.1, 0.1, 1.0))
ABOUT_END = 1.0 * (0.1**2 + 1.0) / 12 + 0.25  # kg m²: of the rod of 1 kg about an axis across its end
ROUND_OFF = 1e-13  # of angles of some turns


def rod(joint_type: str, *limits: Limit, gravity: float = 0.0, forces=(), **joint: object) -> Mechanism:
    """A rod of 1 kg and 1 m on one joint at its upper end; the joint's axis is across gravity."""
    return Mechanism(
        name="rod",
        gravity=(0, 0, -gravity),
        bodies=[Body(name="rod", mass=1.0, shape=LONG)],
        joints=[Joint(name="joint", type=joint_type, child="rod", axis=(1, 0, 0), child_anchor=(0, 0, 0.5), **joint)],
        limits=limits,
        forces=forces,
    )


def stop(coordinate: int = 0, **sides: float) -> Limit:
    return Limit(name="stop", joint="joint", coordinate=coordinate, **sides)


def run(mechanism: Mechanism, time: float = 1.0, step: float = 0.01) -> Trajectory:
    trajectory = simulator(mechanism).simulate(time, step)
    assert trajectory.status[-1] >= 0
    return trajectory


def test_a_pendulum_ends_on_its_stop() -> None:
    """Dojo's: limits at pi/4 and pi, start at 0.4 pi, at rest on the stop after a second, carried by its torque."""
    trajectory = run(rod("revolute", stop(lower=pi / 4, upper=pi), gravity=GRAVITY, coordinate=0.4 * pi))
    angle = trajectory.coordinates("joint")[:, 0]
    assert angle[-1] == pytest.approx(pi / 4, abs=1e-6)
    assert angle.min() >= pi / 4
    torque = trajectory.stop_forces["stop"][:, 0]
    assert torque[-1] == pytest.approx(GRAVITY * 0.5 * sin(pi / 4), rel=1e-6)
    assert largest(torque[: np.argmax(angle < pi / 4 + 0.05)]) < 1e-3  # none before it is reached


@pytest.mark.parametrize("side, bound", [("upper", 7 * pi), ("upper", 20.1), ("lower", -5.5 * pi), ("lower", -2.0)])
def test_a_stop_after_several_turns(side: str, bound: float) -> None:
    """The angle is counted on, so a stop at seven half turns is met after seven half turns, and not before."""
    direction = np.sign(bound)
    trajectory = run(rod("revolute", stop(**{side: bound}), coordinate=0.3, velocity=60.0 * direction))
    angle = trajectory.coordinates("joint")[:, 0]
    room = direction * (bound - angle)
    assert room.min() > -ROUND_OFF
    turn = np.diff(angle[room > 1.0])
    assert turn == pytest.approx(turn[0], rel=1e-9) and direction * turn[0] > 0.5  # free until then
    assert angle[-1] == pytest.approx(bound, abs=1e-3)  # plastic: it stays
    assert largest(trajectory.rates("joint")[-1]) < 1e-3


PAST = [
    ("prismatic", 0, 0.1, 2.0),
    ("cylindrical", 0, (0.1, 0.2), (1.0, 2.0)),
    ("cylindrical", 1, (0.1, 0.2), (1.0, 2.0)),
    ("spherical", 0, (0.1, 0.2, 0.3), (1.0, 2.0, 0.5)),
    ("spherical", 1, (0.1, 0.2, 0.3), (0.2, 1.0, 0.1)),
    ("spherical", 2, (0.1, 0.2, 0.3), (0.1, 0.2, 1.0)),
    ("universal", 0, (0.1, 0.2), (2.0, -0.5)),
    ("universal", 1, (0.1, 0.2), (0.5, 2.0)),
    ("planar_axis", 1, (0.1, 0.2, 0.3), (1.0, 2.0, 3.0)),
    ("planar_axis", 2, (0.1, 0.2, 0.3), (1.0, 2.0, 3.0)),
    ("screw", 0, 0.1, 3.0),
]


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("joint_type, coordinate, start, rate", PAST)
def test_stops_of_every_kind_of_coordinate(joint_type: str, coordinate: int, start, rate, sign: float) -> None:
    """Thrown at a stop on either side, no coordinate passes it; the stop pushes, and only away from itself."""
    start, rate = (np.atleast_1d(values) * sign for values in (start, rate))
    bound = start[coordinate] + 0.15 * sign
    scene = rod(
        joint_type,
        stop(coordinate, **{"upper" if sign > 0 else "lower": bound}),
        coordinate=tuple(start) if len(start) > 1 else start[0],
        velocity=tuple(rate) if len(rate) > 1 else rate[0],
        **({"pitch": 0.2} if joint_type == "screw" else {}),
    )
    trajectory = run(scene, 0.5)
    room = sign * (bound - trajectory.coordinates("joint")[:, coordinate])
    force = -sign * trajectory.stop_forces["stop"][:, 0]
    assert room.min() > -ROUND_OFF
    assert room.min() < 1e-9  # it was met
    assert force.max() > 0.1 and force.min() >= 0.0
    assert trajectory.closure.max() < 1e-12
    assert trajectory.energy[-1] < trajectory.energy[0]


def test_a_slider_sticks_below_the_bound_and_accelerates_by_the_excess_above() -> None:
    """On a rail that gravity pulls along: held up to its bound, then m a = m g - bound."""
    for bound, acceleration in ((GRAVITY * 1.001, 0.0), (GRAVITY - 0.1, 0.1), (4.0, GRAVITY - 4.0)):
        scene = rod("prismatic", gravity=0.0, forces=[DryFriction(name="rub", joint="joint", bound=bound)])
        trajectory = run(scene.changed(gravity=(GRAVITY, 0, 0)))
        way = trajectory.coordinates("joint")[-1, 0]
        assert way == pytest.approx(0.5 * acceleration, abs=3e-4)
        expected = min(bound, GRAVITY)
        assert trajectory.stop_forces["rub"][10:, 0] == pytest.approx(-expected, rel=1e-3)


AXES = [
    ("prismatic", (0.7,), (1.0,)),
    ("revolute", (0.7,), (ABOUT_END,)),
    ("cylindrical", (0.7, 0.02), (1.0, ABOUT_END)),
]


@pytest.mark.parametrize("joint_type, bound, inertia", AXES)
def test_dry_friction_decelerates_at_a_constant_rate_and_then_holds(joint_type: str, bound, inertia) -> None:
    """v = v0 - (bound/m) t on every axis by itself, until it stops; then nothing."""
    speed = 1.5
    scene = rod(
        joint_type,
        forces=[DryFriction(name="rub", joint="joint", bound=bound)],
        coordinate=(0.0,) * len(bound) if len(bound) > 1 else 0.0,
        velocity=(speed,) * len(bound) if len(bound) > 1 else speed,
    )
    trajectory = run(scene, 3.0)
    for k, (most, mass) in enumerate(zip(bound, inertia, strict=True)):
        rate, time = trajectory.rates("joint")[:, k], trajectory.time
        expected = np.maximum(speed - most / mass * time, 0.0)
        assert largest(rate - expected) < 2.0 * most / mass * 0.01  # a step, where it stops
        moving = expected > 2.0 * most / mass * 0.01
        assert largest((rate - expected)[moving]) < 1e-4
        assert trajectory.stop_forces["rub"][1:, k][moving[1:]] == pytest.approx(-most, rel=1e-4)
    assert np.diff(trajectory.energy).max() < 1e-9


def test_an_axis_without_dry_friction_beside_one_that_has_it() -> None:
    scene = rod(
        "cylindrical",
        forces=[DryFriction(name="rub", joint="joint", bound=(0.0, 0.6))],
        coordinate=(0.0, 0.0),
        velocity=(1.0, 1.0),
    )
    trajectory = run(scene)
    assert trajectory.rates("joint")[:, 0] == pytest.approx(1.0, abs=1e-6)
    assert largest(trajectory.rates("joint")[-1, 1]) < 1e-3
    assert trajectory.coordinates("joint")[-1, 0] == pytest.approx(1.0, abs=1e-6)


def test_a_stop_and_dry_friction_on_one_axis() -> None:
    """Pressed against its stop by more than friction holds, a slider's load goes to both."""
    scene = rod("prismatic", stop(upper=0.2), forces=[DryFriction(name="rub", joint="joint", bound=2.0)]).changed(
        gravity=(GRAVITY, 0, 0)
    )
    trajectory = run(scene, 2.0)
    assert trajectory.coordinates("joint")[-1, 0] == pytest.approx(0.2, abs=1e-8)
    held = trajectory.stop_forces["stop"][-1, 0] + trajectory.stop_forces["rub"][-1, 0]
    assert held == pytest.approx(-GRAVITY, rel=1e-6)
    assert -2.0 <= trajectory.stop_forces["rub"][-1, 0] <= 2.0


def test_an_oscillation_with_dry_friction_loses_the_same_at_every_turn() -> None:
    """A slider on a spring loses 2 bound/stiffness from peak to peak: every half swing is a cosine about a centre that
    is shifted by bound/stiffness against the motion."""
    stiffness, bound = 40.0, 1.0
    forces = [
        JointSpring(name="spring", joint="joint", stiffness=stiffness),
        DryFriction(name="rub", joint="joint", bound=bound),
    ]
    trajectory = run(rod("prismatic", forces=forces, coordinate=0.5, velocity=0.0), 6.0, 0.005)
    x = trajectory.coordinates("joint")[:, 0]
    turns = [k for k in range(1, len(x) - 1) if (x[k] - x[k - 1]) * (x[k + 1] - x[k]) < 0 and abs(x[k]) > 0.03]
    peaks = abs(x[turns])
    assert len(peaks) > 5
    assert peaks == pytest.approx(0.5 - 2 * bound / stiffness * np.arange(1, len(peaks) + 1), abs=1e-3)
    assert largest(x[-10:] - x[-1]) < 1e-5  # it sticks, off the middle
    assert abs(x[-1]) < bound / stiffness + 1e-6
