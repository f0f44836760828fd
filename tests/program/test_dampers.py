"""Dampers along the joints of a tree: they tie no bodies, and move them as the same dampers between bodies do."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import state_from
from symvi.mechanism import Body, Joint, JointDamper, Limit, Mechanism, Servo, coordinate_count
from symvi.program.compose import compose
from symvi.program.force import LINK
from symvi.simulate import Simulator
from tests.program.test_newton_step import body, check, joint

ROUND_OFF = 1e-12  # of a second of 0.01 s steps, each with some ten roundings that grow along the way
NAMES = ("first", "second", "third", "fourth")


def tree(*forces, limits=()) -> Mechanism:
    """A hinge, a slide with a turn, and a ball, one after the other."""
    kinds = {"first": "revolute", "second": "cylindrical", "third": "spherical", "fourth": "revolute"}
    parents = dict(zip(NAMES, ("world", "first", "second", "first"), strict=True))
    return Mechanism(
        name="tree",
        bodies=[body(name, 1.0 - 0.1 * k) for k, name in enumerate(NAMES)],
        joints=[joint(f"to_{name}", kinds[name], parents[name], name) for name in NAMES],
        forces=forces,
        limits=limits,
    )


HINGE = JointDamper(name="hinge", joint="to_fourth", damping=0.4)
SLIDE = JointDamper(name="slide", joint="to_second", damping=(0.3, 0.5))
BALL = JointDamper(name="ball", joint="to_third", damping=0.2)
SERVO = Servo(name="servo", joint="to_fourth", stiffness=3.0, damping=0.5)


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
    """A limit that is never met ties the bodies, so that the same damper acts between them."""
    far = Limit(name="far", joint="to_fourth", lower=-100.0)
    alone, tied = tree(HINGE), tree(HINGE, limits=[far])
    assert LINK not in compose(alone).nodes and compose(tied).nodes[LINK]
    found = [Simulator(mechanism).simulate(1.0, step=0.01) for mechanism in (alone, tied)]
    assert np.abs(found[0].position[-1] - found[0].position[0]).max() > 0.1
    # the limit pushes with 1e-6 of the weight's fall at most
    np.testing.assert_allclose(found[0].position, found[1].position, rtol=0, atol=1e-6)


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
