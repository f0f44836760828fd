"""Dampers, limits and dry friction along the joints of a tree: they tie no bodies, and move them as if they did."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import state_from
from symvi.kernels.force import LINK
from symvi.mechanism import (
    Body,
    Contact,
    DryFriction,
    Joint,
    JointDamper,
    Limit,
    Mechanism,
    Servo,
    coordinate_count,
)
from symvi.program.compose import compose
from symvi.simulate import Simulator
from tests.program.test_newton_step import body, check, joint

ROUND_OFF = 1e-12  # of a second of 0.01 s steps, each with some ten roundings that grow along the way
NAMES = ("first", "second", "third", "fourth")


def tree(*forces, limits=(), contacts=()) -> Mechanism:
    """A hinge, a slide with a turn, and a ball, one after the other."""
    kinds = {"first": "revolute", "second": "cylindrical", "third": "spherical", "fourth": "revolute"}
    parents = dict(zip(NAMES, ("world", "first", "second", "first"), strict=True))
    return Mechanism(
        name="tree",
        bodies=[body(name, 1.0 - 0.1 * k) for k, name in enumerate(NAMES)],
        joints=[joint(f"to_{name}", kinds[name], parents[name], name) for name in NAMES],
        forces=forces,
        limits=limits,
        contacts=contacts,
    )


HINGE = JointDamper(name="hinge", joint="to_fourth", damping=0.4)
SLIDE = JointDamper(name="slide", joint="to_second", damping=(0.3, 0.5))
BALL = JointDamper(name="ball", joint="to_third", damping=0.2)
SERVO = Servo(name="servo", joint="to_fourth", stiffness=3.0, damping=0.5)
DAMPERS = (HINGE, SLIDE, BALL, SERVO)
STOPS = (
    Limit(name="stop", joint="to_fourth", lower=-0.05, upper=0.05),
    Limit(name="rail", joint="to_second", lower=-0.02, upper=0.02),
)
RUBBING = (
    DryFriction(name="bearing", joint="to_fourth", bound=0.2),
    DryFriction(name="sleeve", joint="to_second", bound=(0.1, 0.05)),
    DryFriction(name="socket", joint="to_third", bound=0.03),
)
FAR = Contact(name="far", kind="sphere", parent="first", child="fourth", radius=0.001, child_anchor=(0, 0, 100.0))


def test_dampers_of_a_tree_fill_nothing_in() -> None:
    bare, damped = compose(tree()), compose(tree(HINGE, SLIDE, BALL, SERVO))
    assert damped.notes["fill"] == [] and LINK not in damped.nodes
    assert damped.notes["order"] == bare.notes["order"]
    assert damped.flops("eliminate") < 1.4 * bare.flops("eliminate")  # three of seven freedoms turn a ball


def test_several_dampers_on_several_joints() -> None:
    check(tree(HINGE, SLIDE, BALL, SERVO))


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "cylindrical", "spherical", "free_revolute"])
def test_a_damper_whose_joint_is_carried_by_its_child(kind: str) -> None:
    """The world decides which body is carried: here it is the joint's parent."""
    joints = [joint("base", "revolute", "world", "first"), joint("tested", kind, "second", "first")]
    damping = tuple(0.3 + 0.1 * k for k in range(coordinate_count(joints[1])))
    damper = JointDamper(name="damper", joint="tested", damping=damping)
    check(Mechanism(name="turned", bodies=[body("first"), body("second", 0.7)], joints=joints, forces=[damper]))


def test_a_damper_in_a_loop_ties_its_bodies() -> None:
    links = (("a", "revolute", "world", "first"), ("b", "spherical", "first", "second"),
             ("c", "spherical", "second", "third"), ("d", "revolute", "world", "third"))  # fmt: skip
    joints = [joint(name, kind, parent, child) for name, kind, parent, child in links]
    joints.append(joint("tip", "revolute", "second", "fourth"))
    dampers = [JointDamper(name=f"on_{name}", joint=name, damping=0.3) for name in ("b", "tip")]
    looped = Mechanism(name="looped", bodies=[body(name) for name in NAMES], joints=joints, forces=dampers)
    assert [node.name for node in compose(looped).nodes[LINK]] == ["first and second"]
    check(looped)


def test_two_dampers_act_as_one_with_their_sum() -> None:
    both = tree(HINGE, JointDamper(name="other", joint="to_fourth", damping=0.6))
    together = tree(JointDamper(name="hinge", joint="to_fourth", damping=1.0))
    found = [Simulator(mechanism, backend="python").simulate(0.2, step=0.01) for mechanism in (both, together)]
    np.testing.assert_allclose(found[0].position, found[1].position, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(found[0].orientation, found[1].orientation, rtol=0, atol=ROUND_OFF)


def test_a_joint_that_takes_its_damper_moves_as_bodies_do_that_are_tied() -> None:
    """A contact that is never met ties the bodies, so that the same damper acts between them."""
    alone, tied = tree(HINGE), tree(HINGE, contacts=[FAR])
    assert LINK not in compose(alone).nodes and compose(tied).nodes[LINK]
    assert_same_motion(alone, tied)


def assert_same_motion(alone: Mechanism, tied: Mechanism) -> None:
    found = [Simulator(mechanism).simulate(1.0, step=0.01) for mechanism in (alone, tied)]
    assert np.abs(found[0].position[-1] - found[0].position[0]).max() > 0.1
    # the contact pushes with 1e-6 of the weight's fall at most
    np.testing.assert_allclose(found[0].position, found[1].position, rtol=0, atol=1e-6)


def test_limits_and_dry_friction_of_a_tree_fill_nothing_in() -> None:
    """They add to what the joint's pivot divides by, as dampers do: beside those, nothing is left to compute."""
    damped, stopped = compose(tree(*DAMPERS)), compose(tree(*DAMPERS, *RUBBING, limits=STOPS))
    assert stopped.notes["fill"] == [] and LINK not in stopped.nodes
    assert stopped.notes["order"] == damped.notes["order"]
    assert stopped.flops("eliminate") == damped.flops("eliminate")


@pytest.mark.thorough
@pytest.mark.parametrize("dampers", [(), DAMPERS], ids=["bare", "damped"])
def test_a_joint_that_takes_its_stops_moves_as_bodies_do_that_are_tied(dampers: tuple) -> None:
    alone, tied = (tree(*dampers, *RUBBING, limits=STOPS, contacts=contacts) for contacts in ((), (FAR,)))
    assert [node.name for node in compose(tied).nodes[LINK]] == ["first and fourth"]
    assert_same_motion(alone, tied)
    motion = Simulator(alone).simulate(1.0, step=0.01)
    angle, slide = (motion.coordinates(name)[:, 0] for name in ("to_fourth", "to_second"))
    assert abs(angle).max() <= 0.05 + ROUND_OFF and abs(slide).max() <= 0.02 + ROUND_OFF
    assert all(np.abs(motion.stop_forces[name][:, 0]).max() > 0.1 for name in ("stop", "rail"))  # both are met


def test_back_ends_agree_on_joints_that_take_their_stops() -> None:
    mechanism = tree(*DAMPERS, *RUBBING, limits=STOPS)
    found = [Simulator(mechanism, backend=backend).simulate(0.2, step=0.01) for backend in ("python", "c")]
    np.testing.assert_allclose(found[0].position, found[1].position, rtol=0, atol=ROUND_OFF)


def test_a_limit_of_a_rotation_vector_ties_its_bodies() -> None:
    """Its entries have gradients of their own, unlike dry friction in the same joint."""
    rubbing = DryFriction(name="socket", joint="to_third", bound=0.3)
    assert LINK not in compose(tree(rubbing)).nodes
    limited = tree(rubbing, BALL, limits=[Limit(name="cone", joint="to_third", coordinate=1, upper=0.4)])
    assert [node.name for node in compose(limited).nodes[LINK]] == ["second and third"]


def test_a_damper_takes_what_its_joint_loses() -> None:
    """No gravity, no springs: the kinetic energy of each step falls, and the tree's own momentum stays."""
    rods = [Body(name=name, mass=1.0, inertia=(0.2, 0.3, 0.25)) for name in ("left", "right")]
    rods[0] = rods[0].model_copy(update={"position": (0.0, 0.0, 0.0)})
    hinge = Joint(name="hinge", type="revolute", parent="left", child="right", axis=(0, 0, 1), child_anchor=(1, 0, 0))
    damper = JointDamper(name="damper", joint="hinge", damping=0.3)
    pair = Mechanism(name="pair", bodies=rods, joints=[hinge], forces=[damper], gravity=(0, 0, 0))
    start = state_from(pair, {"hinge": 0.0}, velocities={"hinge": 1.0})
    motion = Simulator(pair).simulate(5.0, step=0.01, start=start)
    rates = motion.rates("hinge")
    assert abs(rates[0]) > 0.9 and abs(rates[-1]) < 0.05 * abs(rates[0])
    assert np.all(np.diff(motion.energy) < 1e-12)
    assert np.abs(motion.angular_momentum - motion.angular_momentum[0]).max() < 1e-12
