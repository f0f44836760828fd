"""Motions that no force begins: a start alone gives rates, and joint coordinates keep them."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import Body, Joint, JointDamper, Mechanism, Simulator
from symvi.errors import ArgumentError
from tests.tree.chains import somewhere, trees

INERTIA = (0.02, 0.03, 0.04, 0.0, 0.0, 0.0)
ABOUT_Z = {"axis": (0.0, 0.0, 1.0)}
MOVING = {
    "floating": ({"velocity": (1.0, 2.0, 3.0), "angular_velocity": (1.0, 2.0, 3.0)}, {}),
    "spherical": ({"angular_velocity": (1.0, 2.0, 3.0)}, {}),
    "revolute": ({"angular_velocity": (0.0, 0.0, 3.0)}, ABOUT_Z),
    "prismatic": ({"velocity": (0.0, 0.0, 3.0), "orientation": (0.8, 0.0, 0.6, 0.0)}, ABOUT_Z),
    "screw": ({"velocity": (0.0, 0.0, 0.3), "angular_velocity": (0.0, 0.0, 3.0)}, {**ABOUT_Z, "pitch": 0.1}),
    "cylindrical": ({"velocity": (0.0, 0.0, 0.3), "angular_velocity": (0.0, 0.0, 3.0)}, ABOUT_Z),
    "planar": ({"velocity": (0.3, 0.2, 0.0)}, ABOUT_Z),
}


def alone(kind: str, gravity) -> Mechanism:
    """One body on one joint, or on none, at its joint's anchor, which moves at the start."""
    start, more = MOVING[kind]
    joints = [] if kind == "floating" else [Joint(name="j", type=kind, parent="world", child="b", **more)]
    return Mechanism(
        name="alone", bodies=[Body(name="b", mass=1.0, inertia=INERTIA, **start)], joints=joints, gravity=gravity
    )


def both(mechanism, **options):
    return [
        Simulator(mechanism, coordinates=coordinates).simulate(0.3, 0.01, project=True, **options)
        for coordinates in ("maximal", "tree")
    ]


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (0.0, 0.0, 0.0)], ids=["falls", "no gravity"])
@pytest.mark.parametrize("kind", MOVING)
def test_a_body_alone_goes_on_as_it_began(kind: str, gravity) -> None:
    maximal, tree = both(alone(kind, gravity))
    assert np.abs(maximal.position - tree.position).max() < 1e-12
    assert np.abs(maximal.orientation - tree.orientation).max() < 1e-12
    moved = max(np.ptp(tree.position, axis=0).max(), np.ptp(tree.orientation, axis=0).max())
    assert moved > 0.05


def test_a_free_body_keeps_its_angular_momentum() -> None:
    tree = both(alone("floating", (0.0, 0.0, 0.0)))[1]
    assert np.ptp(tree.angular_momentum, axis=0).max() < 1e-12
    assert np.linalg.norm(tree.angular_momentum[0]) == pytest.approx(np.hypot(0.02, np.hypot(0.06, 0.12)))


@pytest.mark.parametrize("name", trees())
def test_trees_move_on_without_gravity(name: str) -> None:
    mechanism = trees()[name].changed(gravity=(0.0, 0.0, 0.0))
    maximal, tree = both(mechanism, start=somewhere(mechanism))
    assert np.abs(maximal.position - tree.position).max() < 1e-9
    assert np.abs(maximal.orientation - tree.orientation).max() < 1e-9


def test_a_point_that_turns_for_nothing_is_left_to_maximal_coordinates() -> None:
    """Nothing opposes the hinge's turn but what is welded to the point, by which nothing open can be weighed."""
    mechanism = Mechanism(
        name="weld",
        bodies=[Body(name="p", mass=1.0, inertia=(0.0,) * 6), Body(name="b", mass=1.0, inertia=INERTIA)],
        joints=[
            Joint(name="h", type="revolute", parent="world", child="p", axis=(0.0, 1.0, 0.0)),
            Joint(name="w", type="fixed", parent="p", child="b", parent_anchor=(0.5, 0.0, 0.0)),
        ],
    )
    with pytest.raises(ArgumentError, match="body 'p' opposes no turn of its own about joint 'h'"):
        Simulator(mechanism, coordinates="tree")
    assert Simulator(mechanism, coordinates="auto").coordinates == "maximal"


def test_a_point_that_a_closing_joint_holds_is_left_to_maximal_coordinates() -> None:
    """A sweep meets the point before the slide that keeps it from turning, and would divide by nothing."""
    ends = {"type": "spherical", "parent": "world", "child_anchor": (0.0, 0.0, 0.5)}
    mechanism = Mechanism(
        name="slide",
        bodies=[Body(name="p", mass=1.0, inertia=(0.0,) * 6), Body(name="b", mass=1.0, inertia=INERTIA)],
        joints=[
            Joint(name="h", child="p", **ends),
            Joint(name="k", child="b", parent_anchor=(1.0, 0.0, 0.0), **ends),
            Joint(name="s", type="prismatic", parent="p", child="b", axis=(1.0, 0.0, 0.0)),
        ],
        forces=[JointDamper(name=f"damper_{name}", joint=name, damping=0.1) for name in "hk"],
    )
    with pytest.raises(ArgumentError, match="'p' opposes no turn of its own, and joint 's', which holds it, closes"):
        Simulator(mechanism, coordinates="tree")
    simulator = Simulator(mechanism)
    assert simulator.coordinates == "maximal"
    assert set(simulator.simulate(0.1, 0.01, project=True).status) == {0}
