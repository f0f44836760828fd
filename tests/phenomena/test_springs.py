"""Springs against closed forms: the slider to round-off, torsion springs over many turns, rotation vectors, rests.

A linear oscillator under this scheme is the implicit midpoint rule's, whose solution is known exactly: with w^2 = k/m
    x_n = x_0 cos(n a),  tan(a/2) = w h/2,   and at the knots  x'_n = -x_0 w sin(n a)
so that its energy stays what it is, whatever the stiffness.
"""

from math import atan, pi, sin, sqrt

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

from symvi.errors import MechanismError
from symvi.mechanism import Body, Joint, JointDamper, JointSpring, Mechanism, PointSpring, Servo
from symvi.mechanism.rotation import about
from symvi.simulate import Simulator, SolverOptions
from tests.support.loaded_pairs import DAMPED, LoadedPair, resting
from tests.support.measuring import body_axes, joint_coordinates, largest, observed_order

STEP = 0.01
TIGHT = SolverOptions(tolerance=1e-12)
NOWHERE_ALIGNED = {"axis": (1, 2, -2), "orientation": about((1, -1, 2), 0.9)}  # |axis| = 3
FULL = (0.05, 0.04, 0.03, 0.004, -0.002, 0.006)


def slider(*forces, mass: float = 1.0, gravity=(0, 0, 0), **start) -> Mechanism:
    """A block on an oblique rail."""
    rail = Joint(name="rail", type="prismatic", child="block", child_anchor=(0.1, 0.2, 0.3), **NOWHERE_ALIGNED, **start)
    block = Body(name="block", mass=mass, inertia=FULL, center_of_mass=(0.05, -0.1, 0.02))
    return Mechanism(name="slider", gravity=gravity, bodies=[block], joints=[rail], forces=forces)


@pytest.mark.parametrize("stiffness", [10.0, 1e5, 1e9])
def test_a_slider_swings_as_the_midpoint_rule_has_it(stiffness: float) -> None:
    """Let go at 0.5 m, 5 s; explicit at the knots, the stiffer ones grew to 1e177 J and said OK."""
    spring = JointSpring(name="spring", joint="rail", stiffness=stiffness)
    trajectory = Simulator(slider(spring, coordinate=0.5)).simulate(5.0, STEP, options=TIGHT)
    rate, count = sqrt(stiffness), np.arange(501)
    turn = 2 * atan(rate * STEP / 2)
    exact = 0.5 * np.cos(count * turn)
    assert largest(joint_coordinates(trajectory, "rail")[:, 0] - exact) < 1e-11  # round-off of 500 steps
    speeds = np.linalg.norm(trajectory.velocity[:, 0], axis=1)
    assert largest(speeds - 0.5 * rate * np.abs(np.sin(count * turn))) < 1e-11 * max(1.0, rate)
    assert np.ptp(trajectory.energy) < 1e-10 * trajectory.energy[0]


def test_a_slider_hangs_from_its_spring() -> None:
    """Gravity and a rest length move the middle of the swing to rest + m g.axis/k, and nothing else."""
    spring = JointSpring(name="spring", joint="rail", stiffness=10.0, rest=0.3)
    mechanism = slider(spring, mass=2.0, gravity=(0, 0, -9.81), coordinate=0.1)
    axis = body_axes(Simulator(mechanism).simulate(STEP, STEP), "block", np.array([1, 2, -2]) / 3)[0]
    middle = 0.3 + 2.0 * -9.81 * axis[2] / 10.0
    turn = 2 * atan(sqrt(10.0 / 2.0) * STEP / 2)
    trajectory = Simulator(mechanism).simulate(5.0, STEP, options=TIGHT)
    assert (
        largest(joint_coordinates(trajectory, "rail")[:, 0] - (middle + (0.1 - middle) * np.cos(np.arange(501) * turn)))
        < 1e-10
    )


@pytest.mark.parametrize("damping", [3.0, 100.0, 1e6])
def test_a_damper_slows_a_slider_by_the_same_factor_in_every_step(damping: float) -> None:
    """By the Taylor series of exp(h d/m) to its third power, for any damping: never beyond standstill."""
    damper = JointDamper(name="damper", joint="rail", damping=damping)
    trajectory = Simulator(slider(damper, velocity=2.0)).simulate(1.0, STEP, options=TIGHT)
    y = STEP * damping
    speeds = 2.0 / (1 + y + y**2 / 2 + y**3 / 6) ** np.arange(101)
    assert largest(np.linalg.norm(trajectory.velocity[:, 0], axis=1) - speeds) < 1e-11
    of_steps = speeds[:-1] / (1 + y / 2)  # half of what the damper does in a step acts after its first knot
    assert largest(np.diff(joint_coordinates(trajectory, "rail")[:, 0]) / STEP - of_steps) < 1e-11


@pytest.mark.parametrize("law", ["spring", "servo"])
def test_stiff_laws_stay_where_explicit_ones_blew_up(law: str) -> None:
    """A stiffness of 1e5 N/m on 1 kg, let go a millimetre from its rest, at steps of 0.01 s."""
    acting = {
        "spring": JointSpring(name="hold", joint="rail", stiffness=1e5),
        "servo": Servo(name="hold", joint="rail", stiffness=1e5, damping=200.0, signal="0"),
    }[law]
    motion = Simulator(slider(acting, coordinate=0.001)).simulate(1.0, STEP)
    stored = motion.kinetic_energy + 0.5 * 1e5 * joint_coordinates(motion, "rail")[:, 0] ** 2
    assert stored[0] == pytest.approx(0.05)
    assert np.diff(stored).max() < 1e-13
    assert stored[-1] == pytest.approx(0.05, rel=1e-12) if law == "spring" else stored[-1] < 1e-20


def wheel(*forces, **start) -> Mechanism:
    """A wheel on an oblique axle through its centre of mass, a principal axis of moment 0.05 kg m^2."""
    axle = Joint(name="axle", type="revolute", child="wheel", orientation=about((1, -1, 2), 0.9), **start)
    body = Body(name="wheel", mass=1.0, inertia=(0.03, 0.04, 0.05))
    return Mechanism(name="wheel", gravity=(0, 0, 0), bodies=[body], joints=[axle], forces=forces)


@pytest.mark.parametrize("start", [40 * pi + 0.3, -40 * pi, 2.0])
def test_a_wheel_wound_up_by_twenty_turns_unwinds(start: float) -> None:
    """At 1 rad/s: it comes through zero after pi/2 s and is wound up the other way after pi s."""
    spring = JointSpring(name="spring", joint="axle", stiffness=0.05)
    simulator, errors = Simulator(wheel(spring, coordinate=start)), []
    for step in (pi / 2000, pi / 4000):
        trajectory = simulator.simulate(pi, step, every=10)  # at 126 rad/s, two rad from knot to knot
        angle = joint_coordinates(trajectory, "axle")[:, 0]
        assert trajectory.potential_energy == pytest.approx(0.025 * angle**2, rel=1e-9, abs=1e-9)
        errors.append(largest(angle - start * np.cos(trajectory.time)))
    assert errors[-1] < 5e-3 * abs(start)  # (126 rad/s step)^2/6 = 1.6e-3 at the fastest
    assert observed_order(errors) == pytest.approx(2.0, abs=0.05)


def test_a_sinusoidal_spring_is_a_pendulum() -> None:
    """J a'' = -k sin(a - rest): elliptic functions again, and no end to the turns."""
    stiffness, rest, start = 0.4, 0.7, 3.0
    spring = JointSpring(name="spring", joint="axle", stiffness=stiffness, rest=rest, law="sinusoidal")
    simulator, errors = Simulator(wheel(spring, coordinate=start)), []
    modulus, rate = sin((start - rest) / 2), sqrt(stiffness / 0.05)
    for step in (0.01, 0.005):
        trajectory = simulator.simulate(5.0, step)
        angle = joint_coordinates(trajectory, "axle")[:, 0]
        assert trajectory.potential_energy == pytest.approx(stiffness * (1 - np.cos(angle - rest)), abs=1e-12)
        wave = ellipj(ellipk(modulus**2) - rate * trajectory.time, modulus**2)[0]
        errors.append(largest(angle - rest - 2 * np.arcsin(modulus * wave)))
    assert errors[-1] < 5e-3
    assert observed_order(errors) == pytest.approx(2.0, abs=0.05)


def test_a_sinusoidal_spring_needs_a_single_rotation() -> None:
    ball = Joint(name="axle", type="spherical", child="wheel")
    spring = JointSpring(name="spring", joint="axle", stiffness=1.0, law="sinusoidal")
    with pytest.raises(MechanismError, match="force 'spring': a sinusoidal spring needs one rotation"):
        wheel(spring).changed(joints=[ball])


def test_a_spring_along_the_rotation_vector_swings_about_a_fixed_axis() -> None:
    """Equal moments and equal stiffnesses: the ball turns to and fro about the axis that it was turned about."""
    start = np.array([0.9, -1.2, 0.6])
    ball = Joint(
        name="ball", type="spherical", child="ball_body", orientation=about((1, -1, 2), 0.9), coordinate=tuple(start)
    )
    spring = JointSpring(name="spring", joint="ball", stiffness=0.5)
    body = Body(name="ball_body", mass=1.0, inertia=(0.05, 0.05, 0.05))
    mechanism = Mechanism(name="ball_spring", gravity=(0, 0, 0), bodies=[body], joints=[ball], forces=[spring])
    simulator, errors = Simulator(mechanism), []
    for step in (0.01, 0.005):
        trajectory = simulator.simulate(3.0, step)
        found = joint_coordinates(trajectory, "ball")
        assert trajectory.potential_energy == pytest.approx(0.25 * (found**2).sum(axis=1), abs=1e-12)
        errors.append(largest(found - np.outer(np.cos(sqrt(10.0) * trajectory.time), start)))
        assert largest(np.cross(found, start)) < 1e-9
    assert errors[-1] < 2e-3
    assert observed_order(errors) == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("joint_type", DAMPED)
def test_a_joint_at_the_rest_of_its_spring_stays_there(joint_type: str) -> None:
    """In free space, with any free axes: the force vanishes at the rest coordinates, and there only."""
    pair = LoadedPair(joint_type, ("joint_spring",))
    (joint,) = pair.mechanism.joints
    start, name = resting(pair.mechanism), "joint_spring_of_joint.rest"
    pair.simulator.set_parameter(name, joint.coordinate)
    assert largest(pair.simulate(1.0, STEP, start=start).position - start.position) < 1e-12
    for k in range(len(joint.coordinate)):
        pair.simulator.set_parameter(name, np.array(joint.coordinate) + 0.1 * np.eye(len(joint.coordinate))[k])
        assert pair.simulate(1.0, STEP, start=start).kinetic_energy.max() > 1e-4


def test_a_point_spring_rests_at_its_length_and_swings_along_its_line() -> None:
    """A body on a spring without weight, pulled along the line through its centre: the midpoint rule again."""
    spring = PointSpring(name="spring", child="body", parent_anchor=(0.3, -0.2, 0.5), stiffness=10.0, length=0.4)
    line = np.array([2.0, -1.0, 2.0]) / 3.0
    body = Body(name="body", mass=1.0, inertia=FULL, position=tuple(np.array(spring.parent_anchor) + 0.7 * line))
    mechanism = Mechanism(name="point_spring", gravity=(0, 0, 0), bodies=[body], forces=[spring])
    trajectory = Simulator(mechanism).simulate(5.0, STEP, options=TIGHT)
    distance = trajectory.position[:, 0] - spring.parent_anchor
    turn = 2 * atan(sqrt(10.0) * STEP / 2)
    assert largest(distance - np.outer(0.4 + 0.3 * np.cos(np.arange(501) * turn), line)) < 1e-11
    assert largest(trajectory.angular_velocity) < 1e-12
