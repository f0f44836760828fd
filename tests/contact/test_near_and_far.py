"""Contacts that are far apart are left out of a step: the motion is that of all of them, and costs what is near."""

from dataclasses import replace

import numpy as np
import pytest

from symvi.errors import ArgumentError
from symvi.mechanism import Body, Box, Contact, Mechanism, State, start_state
from symvi.program import near
from symvi.simulate import Simulator, SolverOptions, SolverStatus, Trajectory
from symvi.simulate.solver_build import composed
from tests.support.contact_scenes import GRAVITY
from tests.support.many_balls import MASS, RADIUS, balls_in_bin, leaving_out, scene
from tests.support.measuring import largest, momenta

TIGHT = SolverOptions(tolerance=1e-14)
GRID = [(0.3 * x, 0.3 * y, 0.3 * z) for x in range(3) for y in range(3) for z in range(2)]  # m, nobody near


def thrown(mechanism: Mechanism, **velocities) -> State:
    """The description's start, balls by name at these velocities [m/s]."""
    start = start_state(mechanism)
    velocity = np.array(start.velocity)
    for name, value in velocities.items():
        velocity[[body.name for body in mechanism.bodies].index(name)] = value
    return replace(start, velocity=velocity)


def least_distance(trajectory: Trajectory) -> float:
    """The least gap between two balls, at all knots [m]."""
    x = np.asarray(trajectory.position)
    apart = np.linalg.norm(x[:, :, None] - x[:, None, :], axis=-1) + np.eye(x.shape[1])
    return float(apart.min() - 2 * RADIUS)


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_the_motion_is_that_of_all_contacts(friction: float) -> None:
    """Ten balls fall into a bin: the same motion, to what the central path leaves of far contacts."""
    first, second = (
        leaving_out(balls_in_bin(f"{name}_{10 * friction:.0f}", 10, friction), far).simulate(0.25, 0.005)
        for name, far in (("lists", True), ("whole", False))
    )
    assert first.contacts["floor_b0"].normal_force.max() > 1.0  # they have landed
    assert largest(np.subtract(first.position, second.position)) < 1e-8
    assert largest(np.subtract(first.velocity, second.velocity)) < 1e-6


def test_balls_that_meet_go_on_together_and_others_as_they_went() -> None:
    """Plastic impact: two equal balls share their momentum; who is far moves evenly, to round-off."""
    mechanism = scene("head_on", GRID)
    start = thrown(mechanism, b0=(1.0, 0, 0), b6=(-0.4, 0, 0), b17=(0, 0, 2.0))
    trajectory = leaving_out(mechanism).simulate(0.3, 0.01, start=start, options=TIGHT)
    velocity = np.asarray(trajectory.velocity)[-1]
    assert velocity[[0, 6], 0] == pytest.approx([0.3, 0.3], abs=1e-5)  # what the central path leaves of an impulse
    assert velocity[17] == pytest.approx([0, 0, 2.0], abs=1e-14)
    assert largest(np.delete(velocity, (0, 6, 17), axis=0)) < 1e-14
    shown = trajectory.contacts["b0_b17"]  # a far pair shows its gap, and no force
    places = np.asarray(trajectory.position)
    assert np.asarray(shown.gap) == pytest.approx(
        np.linalg.norm(places[:, 17] - places[:, 0], axis=1) - 2 * RADIUS, abs=1e-13
    )
    assert largest(shown.normal_force) == 0.0


def test_a_ball_that_is_hit_in_the_step_hits_the_next_one_in_it() -> None:
    """Nobody but the first ball moves, so that at the knot the others are out of each other's reach; the step that lets
    the first hit the second would drive that one through the third. Momentum of three equal balls is shared by all."""
    gap = 0.5 * RADIUS
    row = [(k * (2 * RADIUS + gap), 0.0, 0.0) for k in range(5)]
    mechanism = scene("cradle", [*row, *((x + 1.0, y + 1.0, z) for x, y, z in GRID)])
    start = thrown(mechanism, b0=(8.0, 0, 0))
    one = leaving_out(mechanism)
    trajectory = one.simulate(0.2, 0.02, start=start, options=TIGHT)
    assert least_distance(trajectory) > -1e-9
    momentum = MASS * np.asarray(trajectory.velocity)[:, :, 0].sum(axis=1)
    assert momentum == pytest.approx(8.0 * MASS, abs=1e-12)
    assert np.asarray(trajectory.velocity)[-1, :5, 0] == pytest.approx(8.0 / 5, abs=1e-4)


def test_a_step_of_fixed_iterations_says_so_where_it_closed_a_far_contact() -> None:
    row, aside = [(2.5 * RADIUS * k, 0, 0) for k in range(3)], [(x, y + 1, z) for x, y, z in GRID]
    mechanism = scene("cradle_counted", [*row, *aside])
    start = thrown(mechanism, b0=(8.0, 0, 0))
    trajectory = leaving_out(mechanism).simulate(
        0.02, 0.02, start=start, options=SolverOptions(fixed_iterations=30), on_error="status"
    )
    assert trajectory.status[-1] == SolverStatus.UNSETTLED


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_momenta_of_a_crowd(friction: float) -> None:
    """Balls that fly at each other from all sides keep linear and angular momentum, in whatever order they are
    eliminated."""
    places = 0.7 * np.array(GRID)
    mechanism = scene(f"crowd_{10 * friction:.0f}", places, friction=friction)
    velocities = {f"b{k}": -2.0 * (place - places.mean(axis=0)) for k, place in enumerate(places)}
    start = thrown(mechanism, **velocities)
    trajectory = leaving_out(mechanism).simulate(0.4, 0.01, start=start, options=TIGHT)
    linear, angular = momenta(trajectory)
    assert sum(trajectory.contacts[c.name].normal_force.max() > 1.0 for c in mechanism.contacts) > 20
    assert largest(linear - linear[0]) < 1e-12
    assert largest(angular - angular[0]) < 1e-12
    assert least_distance(trajectory) > -1e-9


def test_a_bin_of_balls_bears_their_weight_and_none_enters_another() -> None:
    mechanism = balls_in_bin("settling", 20, friction=0.3, seed=2)
    trajectory = leaving_out(mechanism).simulate(1.5, 0.005)
    floor = sum(trajectory.contacts[f"floor_{body.name}"].normal_force[-1] for body in mechanism.bodies)
    walls = sum(
        trajectory.contacts[f"{wall}_{body.name}"].friction_force[-1][2]
        for wall in ("left", "right", "front", "back")
        for body in mechanism.bodies
    )
    assert floor + walls == pytest.approx(20 * MASS * GRAVITY, rel=1e-3)
    assert least_distance(trajectory) > -1e-9
    assert np.asarray(trajectory.position)[:, :, 2].min() > RADIUS - 1e-9


def test_bits_do_not_depend_on_what_was_near_before() -> None:
    """A motion in a memory that another one has used, and the same in a fresh one."""
    mechanism = balls_in_bin("repeated", 12)
    one, other = (leaving_out(mechanism) for _ in range(2))
    one.simulate(0.2, 0.005)
    again, fresh = (each.simulate(0.3, 0.005) for each in (one, other))
    assert again.state_hash() == fresh.state_hash()


def test_bits_do_not_depend_on_where_a_motion_is_cut() -> None:
    mechanism = balls_in_bin("cut", 12)
    one = leaving_out(mechanism)
    whole, half = one.simulate(0.3, 0.005), one.simulate(0.15, 0.005)
    assert one.simulate(0.15, 0.005, start=half).state_hash() == whole.state_hash()


def test_corners_on_the_ground_are_left_out_too() -> None:
    """Twenty boxes, no two of which touch: contacts with the world alone, and nothing to eliminate between bodies."""

    def boxes(name: str) -> Mechanism:
        bodies = [
            Body(name=f"box{k}", mass=1.0, shape=Box(size=(0.2,) * 3), position=(0.5 * k, 0, 0.15 + 0.05 * k))
            for k in range(20)
        ]
        contacts = [Contact(name=f"on{k}", child=f"box{k}", whole_shape=True, friction=0.5) for k in range(20)]
        return Mechanism(name=name, bodies=bodies, contacts=contacts)

    first, second = (leaving_out(boxes(f"boxes{far}"), far).simulate(0.6, 0.01) for far in (True, False))
    assert largest(np.subtract(first.position, second.position)) < 1e-8


def test_many_contacts_are_told_from_few() -> None:
    """Fourteen balls have 91 pairs, fifteen 105: of so many the far ones are left out, and no pair is in the order."""
    few, many = (composed(scene(f"of_{n}", GRID[:n])).notes for n in (14, 15))
    assert "near" not in few and few["fill"] == [] and near.MANY == 100
    assert len(many["near"]["pairs"]) == 105


@pytest.mark.parametrize(("friction", "operations"), [(0.0, 108), (0.3, 432)])
def test_blocks_of_balls_that_slide_freely_are_half_empty(friction: float, operations: int) -> None:
    """Without friction turns of balls move no contact: the columns of turns of a block between two of them are zero."""
    program = composed(scene(f"columns_{10 * friction:.0f}", GRID, friction=friction))
    updates = [call.kernel for call in program.phases["touching"] if "F_jk -= F_ji F_ik" in call.kernel.summary]
    assert [kernel.flops() for kernel in updates] == [operations] * 3


def test_balls_that_part_are_far_sooner_than_those_that_close() -> None:
    """Two balls 5 mm apart: near where they close at 1 m/s, and far where they part as fast, or pass each other."""
    places = [*GRID, (2 * RADIUS + 0.005, 0, 0)]
    mechanism = scene("apart", places)
    closing, parting, passing = (
        leaving_out(mechanism).simulate(0.005, 0.005, start=thrown(mechanism, b18=velocity), options=TIGHT)
        for velocity in ((-0.9, 0, 0), (0.9, 0, 0), (0, 0.9, 0))
    )
    assert closing.iterations[1] > 1 and parting.iterations[1] == passing.iterations[1] == 1


def test_what_a_text_with_lists_cannot_do_is_refused() -> None:
    mechanism = scene("refused", GRID)
    with pytest.raises(ArgumentError, match="far ones are left out of a step, which the Python back end cannot do"):
        Simulator(mechanism, backend="python")
    with pytest.raises(ArgumentError, match="layout 'inline' of mechanism 'refused'"):
        Simulator(mechanism, layout="inline")
    with pytest.raises(ArgumentError, match="derivatives of a step of mechanism 'refused'"):
        Simulator(mechanism).simulate(0.01, 0.01).linearize()
    with pytest.raises(ArgumentError, match="lanes of mechanism 'refused'"):
        Simulator(mechanism).batch(2, lanes=4)


def test_worlds_with_lists_are_stepped_one_after_the_other() -> None:
    one = leaving_out(balls_in_bin("worlds", 12))
    with one.batch(2, step=0.005) as batch:
        for _ in range(40):
            batch.step()
        found = np.asarray(batch.read("position")["position"])
    single = np.asarray(one.simulate(0.2, 0.005).position)[-1]
    assert (found[0] == single).all() and (found[1] == single).all()
