"""Where bodies start: what joints place fulfils their rows, and start velocities are derivatives of placements."""

import itertools
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from symvi.errors import MechanismError
from symvi.mechanism import (
    JOINT_TABLE,
    Body,
    Coupling,
    Driver,
    Joint,
    Mechanism,
    Sphere,
    coordinate_count,
    free_rotations,
    free_translations,
    start_state,
    triad,
)
from symvi.mechanism.rotation import about

WALKABLE = [*JOINT_TABLE, "universal", "screw"]
BALL = Sphere(radius=0.1)


def some_numbers(seed, count, size=1.0):
    return tuple(np.random.default_rng(seed).uniform(-size, size, count))


def random_joint(joint_type, seed, parent="base", child="tip", **more):
    joint = Joint(
        name="joint",
        type=joint_type,
        parent=parent,
        child=child,
        parent_anchor=some_numbers(seed, 3),
        child_anchor=some_numbers(seed + 1, 3),
        axis=some_numbers(seed + 2, 3),
        orientation=about(some_numbers(seed + 3, 3), 1.1),
        pitch=0.3 if joint_type == "screw" else None,
    )
    count = coordinate_count(joint)
    values = {"coordinate": some_numbers(seed + 4, count), "velocity": some_numbers(seed + 5, count)}
    return joint.changed(**(values | more))


def two_bodies(joint, **base):
    """A base that stands somewhere, and a tip that hangs on it by the joint."""
    placed = {"position": (0.4, -0.2, 0.9), "orientation": about((1, 2, -1), 0.8)} | base
    bodies = [Body(name="base", mass=1, shape=BALL, **placed), Body(name="tip", mass=1, shape=BALL)]
    return Mechanism(name="pair", bodies=bodies, joints=[joint])


def relative(mechanism, joint):
    """Displacement of the anchors and turn of the child, both in the joint frame, as SciPy computes them."""
    state = start_state(mechanism)
    a, b = (state.index(name) for name in (joint.parent, joint.child))
    rotation = Rotation.from_quat(state.orientation, scalar_first=True)
    frame = rotation[a] * Rotation.from_quat(joint.orientation, scalar_first=True)
    anchor_a = state.position[a] + rotation[a].apply(joint.parent_anchor)
    anchor_b = state.position[b] + rotation[b].apply(joint.child_anchor)
    return frame.inv().apply(anchor_b - anchor_a), frame.inv() * rotation[b]


@pytest.mark.parametrize("joint_type", JOINT_TABLE)
@pytest.mark.parametrize("seed", [1, 100])
def test_a_body_placed_by_a_joint_fulfils_its_rows_and_has_its_coordinates(joint_type, seed):
    """The rows, with SciPy's rotations; round-off of products of numbers of size one."""
    joint = random_joint(joint_type, seed)
    moved, turned = relative(two_bodies(joint), joint)
    axes, rows = np.array(triad(joint.axis)), JOINT_TABLE[joint_type]
    held = {0: axes[:0], 1: axes[2:], 2: axes[:2], 3: np.eye(3)}
    free = {0: axes[:0], 1: axes[2:], 2: axes[:2], 3: np.eye(3)}
    assert np.allclose(held[rows.translations] @ moved, 0.0, rtol=0, atol=1e-15)
    assert np.allclose(held[rows.rotations] @ turned.as_quat()[:3], 0.0, rtol=0, atol=1e-15)
    measured = [*(free[free_translations(joint)] @ moved), *(free[free_rotations(joint)] @ turned.as_rotvec())]
    assert np.allclose(measured, joint.coordinate, rtol=0, atol=5e-15)


def test_a_screw_advances_by_its_pitch():
    joint = random_joint("screw", 7, coordinate=9.0)  # more than a turn
    moved, turned = relative(two_bodies(joint), joint)
    axis = np.array(joint.axis)
    assert np.allclose(moved, 0.3 * 9.0 * axis, rtol=0, atol=1e-15)
    assert np.allclose(turned.as_rotvec(), (9.0 - 2 * math.pi) * axis, rtol=0, atol=5e-15)


def test_a_universal_joint_turns_about_the_parents_axis_then_about_the_childs():
    joint = random_joint("universal", 7, coordinate=(0.5, -0.9))
    moved, turned = relative(two_bodies(joint), joint)
    axis, child_axis = np.array(joint.axis), np.array(joint.child_axis)
    assert np.allclose(moved, 0.0, rtol=0, atol=1e-15)
    assert axis @ turned.apply(child_axis) == pytest.approx(0.0, abs=1e-15)
    expected = Rotation.from_rotvec(0.5 * axis) * Rotation.from_rotvec(-0.9 * child_axis)
    assert np.allclose(turned.as_matrix(), expected.as_matrix(), rtol=0, atol=5e-16)


@pytest.mark.parametrize("joint_type", WALKABLE)
def test_a_joint_is_walked_in_both_directions(joint_type):
    """Standing the tip where the base led it, the base is found where it stood."""
    joint = random_joint(joint_type, 3)
    forward = start_state(two_bodies(joint))
    standing = {name: tuple(getattr(forward, name)[1]) for name in ("position", "orientation")}
    moving = {name: tuple(getattr(forward, name)[1]) for name in ("velocity", "angular_velocity")}
    bodies = [Body(name="base", mass=1, shape=BALL), Body(name="tip", mass=1, shape=BALL, **standing, **moving)]
    backward = start_state(Mechanism(name="pair", bodies=bodies, joints=[joint]))
    assert np.allclose(backward.position, forward.position, rtol=0, atol=5e-15)
    assert np.allclose(backward.orientation, forward.orientation, rtol=0, atol=5e-15)
    assert np.allclose(backward.velocity, forward.velocity, rtol=0, atol=2e-14)
    assert np.allclose(backward.angular_velocity, forward.angular_velocity, rtol=0, atol=2e-14)


@pytest.mark.parametrize("joint_type", WALKABLE)
def test_rates_are_derivatives_of_placements(joint_type):
    """A chain of two such joints, moved by +-e along its rates: the central difference errs by e^2, 1e-10 here."""
    e = 1e-5

    def chain(shift):
        joints = []
        for i, parent in enumerate(["world", "first"]):
            joint = random_joint(joint_type, 20 + 9 * i, parent=parent, child=["first", "second"][i])
            moved = [c + shift * v for c, v in zip(joint.coordinate, joint.velocity, strict=True)]
            joints.append(joint.changed(name=f"j{i}", coordinate=moved))
        centre = Sphere(radius=0.1, position=(0.2, -0.1, 0.3))
        bodies = [Body(name=name, mass=1, shape=centre) for name in ("first", "second")]
        return start_state(Mechanism(name="chain", bodies=bodies, joints=joints))

    before, now, after = chain(-e), chain(0.0), chain(e)
    turn = [Rotation.from_quat(state.orientation, scalar_first=True) for state in (before, now, after)]
    centres = [
        state.position + rotation.apply((0.2, -0.1, 0.3))
        for state, rotation in zip((before, now, after), turn, strict=True)
    ]
    assert np.allclose((centres[2] - centres[0]) / (2 * e), now.velocity, rtol=0, atol=2e-9)
    rates = (turn[0].inv() * turn[2]).as_rotvec() / (2 * e)
    assert np.allclose(rates, now.angular_velocity, rtol=0, atol=2e-9)


def test_a_pendulum_hangs_where_its_angle_says():
    rod = Body(name="rod", mass=1, inertia=(0.1, 0.1, 0.01), center_of_mass=(0, 0, -0.5))
    joint = Joint(name="hinge", type="revolute", child="rod", axis=(1, 0, 0), coordinate=math.pi / 2, velocity=2.0)
    state = start_state(Mechanism(name="pendulum", bodies=[rod], joints=[joint]))
    assert np.allclose(state.position, 0.0)
    half = math.sqrt(0.5)
    assert state.orientation.tolist() == [[half, half, 0.0, 0.0]]
    # turned by a quarter about x the rod points to +y; omega = 2 x moves its centre, 0.5 m out, along +z
    assert np.allclose(state.velocity, [[0.0, 0.0, 1.0]], rtol=0, atol=1e-15)
    assert np.allclose(state.angular_velocity, [[2.0, 0.0, 0.0]], rtol=0, atol=1e-15)


def test_bodies_without_joints_stand_at_rest_in_the_origin_or_where_they_say():
    bodies = [
        Body(name="ball", mass=1, shape=BALL),
        Body(name="other", mass=1, shape=BALL, position=(1, 2, 3), velocity=(0, 0, 1), angular_velocity=(0, 5, 0)),
    ]
    state = start_state(Mechanism(name="balls", bodies=bodies))
    assert state.position.tolist() == [[0, 0, 0], [1, 2, 3]]
    assert state.orientation.tolist() == [[1, 0, 0, 0], [1, 0, 0, 0]]
    assert state.velocity.tolist() == [[0, 0, 0], [0, 0, 1]]
    assert state.angular_velocity.tolist() == [[0, 0, 0], [0, 5, 0]]


def test_the_given_velocity_is_that_of_the_centre_of_mass():
    body = Body(
        name="b", mass=1, inertia=(1, 1, 1), center_of_mass=(1, 0, 0), velocity=(1, 2, 3), angular_velocity=(0, 0, 7)
    )
    state = start_state(Mechanism(name="m", bodies=[body]))
    assert np.allclose(state.velocity, [[1, 2, 3]], rtol=0, atol=1e-15)


@pytest.mark.parametrize(("own", "rate"), [({"velocity": (0, 0, 1)}, 0), ({"angular_velocity": (0, 2, 0)}, 2)])
def test_one_velocity_given_means_that_the_other_is_zero(own, rate):
    """Not that it comes from the joint, which says 5 rad/s here."""
    body = Body(name="b", mass=1, shape=BALL, **own)
    joint = Joint(name="j", type="revolute", child="b", axis=(0, 1, 0), velocity=5)
    state = start_state(Mechanism(name="m", bodies=[body], joints=[joint]))
    assert state.velocity.tolist() == [[0, 0, 0 if rate else 1]] and state.angular_velocity.tolist() == [[0, rate, 0]]


def test_an_orientation_alone_takes_its_position_from_the_joint():
    body = Body(name="b", mass=1, shape=BALL, orientation=about((0, 1, 0), math.pi / 2))
    joint = Joint(name="ball", type="spherical", child="b", parent_anchor=(0, 0, 1), child_anchor=(0, 0, 2))
    state = start_state(Mechanism(name="m", bodies=[body], joints=[joint]))
    assert np.allclose(state.position, [[-2.0, 0.0, 1.0]], rtol=0, atol=1e-15)


def chain_of(types, bodies, **common):
    names = [body.name for body in bodies]
    return [
        Joint(name=f"j{i}", type=joint_type, parent=parent, child=child, **common)
        for i, (joint_type, (parent, child)) in enumerate(
            zip(types, itertools.pairwise(["world", *names]), strict=False)
        )
    ]


def test_the_way_with_known_coordinates_is_taken():
    bodies = [Body(name="a", mass=1, shape=BALL), Body(name="b", mass=1, shape=BALL)]
    joints = [
        *chain_of(["revolute", "revolute"], bodies, parent_anchor=(1, 0, 0)),
        Joint(name="loop", type="prismatic", child="b", axis=(0, 1, 0), coordinate=0.5),
    ]
    state = start_state(Mechanism(name="m", bodies=bodies, joints=joints))
    assert np.allclose(state.position[1], (0, 0.5, 0))


def test_drivers_and_couplings_give_start_values():
    """A crank driven by 0.5 + 2 t, geared down by 4 to a shaft, which turns a screw."""
    bodies = [Body(name=name, mass=1, shape=BALL) for name in ("crank", "shaft", "nut")]
    joints = [
        Joint(name="crank_pin", type="revolute", child="crank"),
        Joint(name="shaft_pin", type="revolute", child="shaft"),
        Joint(name="thread", type="screw", child="nut", pitch=0.1),
    ]
    couplings = [
        Coupling(name="nut_gear", joints=("thread", "shaft_pin"), ratio=3.0, offset=-0.2),
        Coupling(name="gear", joints=("crank_pin", "shaft_pin"), ratio=4.0, offset=0.1),
    ]
    drivers = [Driver(name="motor", joint="crank_pin", signal="0.5 + 2*t")]
    mechanism = Mechanism(name="gears", bodies=bodies, joints=joints, couplings=couplings, drivers=drivers)
    state = start_state(mechanism)
    assert np.allclose(state.angular_velocity[:, 2], [2.0, 0.5, 1.5])
    assert np.allclose(2 * np.arcsin(state.orientation[:, 3]), [0.5, 0.1, 0.1])
    assert np.allclose(state.position[2], [0, 0, 0.01]) and np.allclose(state.velocity[2], [0, 0, 0.15])
    # what a joint says itself counts first
    said = mechanism.changed(joints=[joints[0].changed(coordinate=0.0, velocity=0.0), *joints[1:]])
    assert np.allclose(start_state(said).angular_velocity, 0.0)


def test_a_driver_sets_one_coordinate_and_leaves_the_others_at_zero():
    bodies = [Body(name="nut", mass=1, shape=BALL)]
    joints = [Joint(name="slide", type="cylindrical", child="nut")]
    drivers = [
        Driver(name="motor", joint="slide", coordinate=1, signal="0.5 + 2*t"),
        Driver(name="free", joint="slide"),
    ]
    state = start_state(Mechanism(name="m", bodies=bodies, joints=joints, drivers=drivers))
    assert state.position.tolist() == [[0, 0, 0]] and state.velocity.tolist() == [[0, 0, 0]]
    assert np.allclose(state.orientation, [[math.cos(0.25), 0, 0, math.sin(0.25)]])
    assert np.allclose(state.angular_velocity, [[0, 0, 2]])


def test_two_drivers_of_one_joint_set_a_coordinate_each():
    """A cylindrical joint that is driven along and about z: the body stands and moves as both say."""
    drivers = [
        Driver(name="slide", joint="sleeve", signal="1 + 2*t"),
        Driver(name="turn", joint="sleeve", signal="0.5 + 3*t", coordinate=1),
    ]
    joint = Joint(name="sleeve", type="cylindrical", child="bolt")
    state = start_state(
        Mechanism(name="m", bodies=[Body(name="bolt", mass=1, shape=BALL)], joints=[joint], drivers=drivers)
    )
    assert np.allclose(state.position, [[0, 0, 1]]) and np.allclose(state.velocity, [[0, 0, 2]])
    assert np.allclose(state.orientation, [about((0, 0, 1), 0.5)]) and np.allclose(state.angular_velocity, [[0, 0, 3]])
    assert state.angles == {"sleeve": (0.5,)}


def test_a_driver_without_a_start_value_is_named():
    bodies = [Body(name="crank", mass=1, shape=BALL)]
    joints = [Joint(name="pin", type="revolute", child="crank")]
    mechanism = Mechanism(
        name="m", bodies=bodies, joints=joints, drivers=[Driver(name="motor", joint="pin", signal="1/t")]
    )
    with pytest.raises(MechanismError, match="driver 'motor': .*no value at t = 0.0"):
        start_state(mechanism)


def test_bodies_that_nothing_places_are_named_once_per_group():
    bodies = [Body(name=name, mass=1, shape=BALL) for name in "abcd"]
    joints = [
        Joint(name="ab", type="revolute", parent="a", child="b"),
        Joint(name="wire", type="distance", child="c", length=1.0),
        Joint(name="ad", type="revolute", parent="a", child="d"),
    ]
    with pytest.raises(MechanismError) as caught:
        start_state(Mechanism(name="m", bodies=bodies, joints=joints))
    first, second = caught.value.problems
    assert first.startswith("body 'a' (and 2 more joined to it): no start placement")
    assert second.startswith("body 'c': no start placement") and "give it a position" in second


def test_a_floating_chain_keeps_its_base_at_rest():
    bodies = [Body(name="base", mass=1, shape=BALL, position=(0, 0, 5)), Body(name="tip", mass=1, shape=BALL)]
    joint = Joint(name="j", type="revolute", parent="base", child="tip", parent_anchor=(1, 0, 0), velocity=3.0)
    state = start_state(Mechanism(name="m", bodies=bodies, joints=[joint]))
    assert state.velocity.tolist() == [[0, 0, 0], [0, 0, 0]]
    assert state.angular_velocity.tolist() == [[0, 0, 0], [0, 0, 3]]


def test_a_long_chain_ends_with_unit_quaternions():
    bodies = [Body(name=f"b{i}", mass=1, shape=BALL) for i in range(500)]
    joints = chain_of(["revolute"] * 500, bodies, axis=(1, 2, 3), coordinate=0.3, child_anchor=(0, 0, 1))
    state = start_state(Mechanism(name="chain", bodies=bodies, joints=joints))
    assert abs(np.linalg.norm(state.orientation, axis=1) - 1.0).max() < 1e-15
