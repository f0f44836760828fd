"""Posing by hand: coordinates go where they are asked to, loops stay closed, and what cannot be is said."""

from __future__ import annotations

import numpy as np
import pytest

from symvi.demos import demo_file
from symvi.mechanism import Body, Box, Coupling, Driver, Joint, Limit, Mechanism, Rod
from symvi.page.turning import rotate
from symvi.simulate.coordinates import coordinates_of, state_from
from symvi.view.posing import Pose, Posing


def gap(mechanism: Mechanism, pose: Pose) -> float:
    """The largest distance between the two anchors of a joint that keeps them together [m]."""
    state, found = pose.state, []
    for joint in mechanism.joints:
        ends = [
            np.array(anchor) if name == "world" else state.position[k] + rotate(state.orientation[k], anchor)
            for name, anchor in ((joint.parent, joint.parent_anchor), (joint.child, joint.child_anchor))
            for k in [-1 if name == "world" else state.index(name)]
        ]
        found.append(float(np.linalg.norm(ends[0] - ends[1])))
    return max(found)


def demo(name: str) -> Mechanism:
    return Mechanism.from_file(demo_file(name))


def arm(**others: object) -> Mechanism:
    bodies = [Body(name=name, mass=1.0, shape=Box(size=(0.1, 0.1, 1.0))) for name in ("upper", "lower")]
    joints = [
        Joint(name="shoulder", type="revolute", child="upper", child_anchor=(0, 0, 0.5), axis=(1, 0, 0)),
        Joint(name="elbow", type="revolute", parent="upper", child="lower", parent_anchor=(0, 0, -0.5),
              child_anchor=(0, 0, 0.5), axis=(0, 1, 0)),
    ]  # fmt: skip
    return Mechanism(name="arm", bodies=bodies, joints=joints, **others)


def test_bodies_of_a_tree_follow_their_joints() -> None:
    mechanism = arm(limits=[Limit(name="stop", joint="elbow", lower=-0.5, upper=2.0)])
    posing = Posing(mechanism, 1.0)
    shoulder, elbow = posing.handles
    assert (shoulder.lower, shoulder.upper) == pytest.approx((-np.pi, np.pi)) and shoulder.unit == "rad"
    assert (elbow.lower, elbow.upper) == (-0.5, 2.0)
    pose = posing.moved(posing.moved(posing.start(), 0, 0.4), 1, 1.5)
    wanted = state_from(mechanism, {"shoulder": 0.4, "elbow": 1.5})
    assert np.abs(pose.state.position - wanted.position).max() < 1e-12 and pose.said == ""
    assert pose.values == pytest.approx((0.4, 1.5)) and posing.simulator is None


def test_joints_without_limits_reach_far_from_where_they_start() -> None:
    joint = Joint(name="rail", type="prismatic", child="cart", axis=(1, 0, 0), coordinate=3.0)
    cart = Mechanism(
        name="cart", bodies=[Body(name="cart", mass=1.0, shape=Rod(length=1.0, radius=0.1))], joints=[joint]
    )
    (rail,) = Posing(cart, 0.5).handles
    assert (rail.lower, rail.upper, rail.unit) == (2.0, 4.0, "m")


@pytest.mark.parametrize("by", [-1.0, 0.02, 1.5])
def test_a_four_bar_closes_wherever_its_crank_is(by: float) -> None:
    mechanism = demo("four_bar")
    posing = Posing(mechanism, 1.0)
    start = posing.start()
    crank = [handle.label for handle in posing.handles].index("crank_bearing")
    pose = posing.moved(start, crank, start.values[crank] + by)
    assert pose.said == "" and pose.values[crank] == pytest.approx(start.values[crank] + by, abs=2e-4)
    assert gap(mechanism, start) < 1e-10 and gap(mechanism, pose) < 1e-10
    back = posing.moved(pose, crank, start.values[crank])
    assert back.values == pytest.approx(start.values, abs=2e-4)  # on the same branch


def test_what_loops_do_not_reach_is_said() -> None:
    mechanism = demo("four_bar")
    posing = Posing(mechanism, 1.0)
    start = posing.start()
    rocker = [handle.label for handle in posing.handles].index("rocker_bearing")
    pose = posing.moved(start, rocker, start.values[rocker] + 2.5)
    assert pose.said.startswith("The loops do not close at rocker_bearing = ")
    assert f"the nearest found is {pose.values[rocker]:.4g} rad" in pose.said
    assert gap(mechanism, pose) < 1e-10


def test_six_loops_at_once() -> None:
    mechanism = demo("strandbeest")
    posing = Posing(mechanism, 1.0)
    start = posing.start()
    crank = [handle.label for handle in posing.handles].index("crank_axle")
    pose = posing.moved(start, crank, 1.0)
    assert pose.said == "" and pose.values[crank] == pytest.approx(1.0, abs=2e-4) and gap(mechanism, pose) < 1e-9


def test_gears_turn_along_and_drivers_let_go() -> None:
    gear = Coupling(name="gear", joints=("elbow", "shoulder"), ratio=-2.0)
    mechanism = arm(couplings=[gear], drivers=[Driver(name="motor", joint="shoulder", signal="0.3 + t")])
    posing = Posing(mechanism, 1.0)
    start = posing.start()
    assert [handle.label for handle in posing.handles] == ["shoulder"] and start.values == pytest.approx((0.3,))
    pose = posing.moved(start, 0, 0.9)
    assert pose.values == pytest.approx((0.9,), abs=2e-4)
    assert coordinates_of(mechanism, "elbow", pose.state)[0] == pytest.approx([-1.8], abs=2e-3)
