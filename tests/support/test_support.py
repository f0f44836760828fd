"""What other tests build on, tested itself: builders start assembled, and the witness agrees with the descriptions."""

from math import pi

import numpy as np
import pytest
from hypothesis import given, settings

from symvi.mechanism import JOINT_TYPES, Mechanism, coordinate_count, start_state
from tests.support import loops, pendulums
from tests.support.floating_pairs import FORCE_KINDS, PAIRS, floating_pair
from tests.support.kinematics import closure, coordinates, driver_rates, jacobian, motion, residual
from tests.support.poses import Pose, poses_of
from tests.support.random_mechanisms import Blueprint, assembled_mechanisms, random_mechanism
from tests.support.work import TooMuchWork, calls_of

# (mechanism, rows, rank)
BUILT = {
    "chain": (pendulums.chain(5), 25, 25),
    "spherical chain": (pendulums.chain(5, "spherical"), 15, 15),
    "pendulum": (pendulums.pendulum(), 5, 5),
    "damped pendulum": (pendulums.damped_pendulum(), 5, 5),
    "double pendulum of cubes": (pendulums.double_pendulum_of_cubes(), 10, 10),
    "closed chain of 3": (loops.closed_chain(3), 17, 17),
    "closed chain of 4": (loops.closed_chain(4), 22, 22),
    "closed chain of 5, hinged": (loops.closed_chain(5, "revolute"), 30, 27),
    "three-link loop": (loops.three_link_loop(), 20, 17),
    "four-bar": (loops.four_bar(), 20, 17),
    "driven four-bar": (loops.four_bar("t**2"), 21, 18),
    "chain of 3 four-bars": (loops.four_bar_chain(3), 72, 66),
    "double four-bar": (loops.double_four_bar(), 35, 29),
    "scissor lift": (loops.scissor_lift(4), 65, 53),
}
ROUND_OFF = 1e-14  # sums of a few numbers of size one


@pytest.mark.parametrize(("mechanism", "rows", "rank"), BUILT.values(), ids=BUILT)
def test_a_builder_starts_assembled(mechanism: Mechanism, rows, rank):
    state = start_state(mechanism)
    assert closure(mechanism, state) < ROUND_OFF
    matrix = jacobian(mechanism, state)
    sizes = np.linalg.svd(matrix, compute_uv=False)
    assert (len(matrix), np.sum(sizes > 1e-10 * sizes[0])) == (rows, rank)
    assert np.allclose(matrix @ motion(mechanism, state), driver_rates(mechanism), rtol=0, atol=ROUND_OFF)


@pytest.mark.parametrize("count", [3, 4, 50, 99, 100])
def test_closed_chains_of_any_length_close(count):
    assert closure(loops.closed_chain(count), start_state(loops.closed_chain(count))) < count * 1e-15


def test_links_turn_about_x_and_hang_down_at_zero():
    state = start_state(pendulums.chain(2, angles=[0.0, pi / 2]))
    assert np.allclose(state.position, [(0, 0, -0.5), (0, 0.5, -1)], rtol=0, atol=ROUND_OFF)


def test_the_four_bars_of_the_papers_hang_on_each_other():
    """BM20 Fig. 7: the first rhomb straight down, so that the next hangs 2 cos(pi/8) below it."""
    mechanism = loops.four_bar_chain(2)
    state = start_state(mechanism)
    second = state.position[state.index("first2")]
    down = pendulums.turned(pi / 4 + pi / 8)
    half = 0.5 * np.array([0, 2 * down[0] * down[1], -(down[0] ** 2 - down[1] ** 2)])
    assert np.allclose(second, (0, 0, -2 * np.cos(pi / 8)) + half, rtol=0, atol=ROUND_OFF)


@pytest.mark.parametrize("joint_type", JOINT_TYPES)
def test_the_witness_measures_the_coordinates_that_a_pair_was_given(joint_type):
    mechanism = floating_pair(joint_type, *FORCE_KINDS)
    state, joint = start_state(mechanism), mechanism.joint("joint")
    assert closure(mechanism, state) < ROUND_OFF
    assert np.allclose(jacobian(mechanism, state) @ motion(mechanism, state), 0.0, rtol=0, atol=ROUND_OFF)
    if coordinate_count(joint):
        assert np.allclose(coordinates(joint, poses_of(state)), joint.coordinate, rtol=0, atol=ROUND_OFF)


@pytest.mark.parametrize("joint_type", JOINT_TYPES)
def test_rows_notice_a_body_that_is_moved(joint_type):
    """The Jacobian by the complex step is that by central differences, which err by the square of their step."""
    mechanism, size = floating_pair(joint_type), 1e-5
    poses, matrix = poses_of(start_state(mechanism)), jacobian(mechanism, start_state(mechanism))[:, 6:]
    direction = np.array([1.0, -0.5, 0.3, 0.7, 0.2, -0.9])

    def rows(step):
        tip = poses["tip"].moved(step * direction[:3], step * direction[3:])
        tip = Pose(tip.x, tip.q / np.linalg.norm(tip.q))
        return np.concatenate([*residual(mechanism, poses | {"tip": tip}).values(), np.zeros(0)])

    assert matrix.any(axis=1).all()
    assert np.allclose((rows(size) - rows(-size)) / (2 * size), matrix @ direction, rtol=0, atol=10 * size**2)


def test_a_pair_carries_every_force_that_its_joint_has_an_axis_for():
    kinds = {joint_type: [kind for other, kind in PAIRS if other == joint_type] for joint_type in JOINT_TYPES}
    assert kinds["revolute"] == list(FORCE_KINDS)
    assert kinds["fixed"] == ["point_spring", "potential"]
    assert "sinusoidal_spring" not in kinds["prismatic"] and "servo" not in kinds["spherical"]


@settings(max_examples=30)
@given(assembled_mechanisms())
def test_random_mechanisms_start_assembled_and_moving_as_they_may(pair):
    mechanism, state = pair
    assert closure(mechanism, state) < 10 * ROUND_OFF
    matrix = jacobian(mechanism, state)
    assert np.allclose(matrix @ motion(mechanism, state), driver_rates(mechanism), rtol=0, atol=10 * ROUND_OFF)
    assert len(matrix) == 0 or np.linalg.matrix_rank(matrix) == len(matrix)
    assert Mechanism.from_toml(mechanism.to_toml()) == mechanism


def test_random_mechanisms_repeat():
    first, second = random_mechanism(3, 8), random_mechanism(3, 8)
    assert first == second and first.digest == second.digest
    assert first != random_mechanism(4, 8)


def test_a_loop_gear_and_driver_of_a_blueprint():
    """Three links on a row of joints with six freedoms: there is room for all of them."""
    tree = ((-1, "spherical"), (0, "revolute"), (1, "revolute"), (2, "spherical"))
    built = Blueprint(tree, loops=((3, -1, "cylindrical_free"),), couplings=((0, 1),), drivers=(0,), seed=5).build()
    assert [len(table) for table in (built.joints, built.couplings, built.drivers)] == [5, 1, 1]


def test_work_is_counted_and_ended() -> None:
    assert calls_of(lambda: [abs(k) for k in range(1000)]) in range(1000, 1010)

    def endless() -> None:
        while True:
            abs(1)

    with pytest.raises(TooMuchWork):
        calls_of(endless, at_most=1000)
