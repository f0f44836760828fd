"""One four-bar in every form in which URDF can hold its loop, and by hand.

Crank AB, coupler BC, rocker DC between hinges about x at A, B, C, D; every link has its frame in the first of its
hinges, parallel to the world at the start, where the loop is closed. It hangs, pulled aside, and never swings near a
singular position, where round-off would grow.
"""

from __future__ import annotations

import numpy as np

from symvi.mechanism import Body, Joint, Mechanism
from tests.importers.urdf_texts import inertial, joint, link, robot, words

__all__ = ["FORMS", "by_hand", "four_bar"]

A, B, C, D = (np.array(point) for point in ((0, 0, 0), (0, 0.7, -0.6), (0, 1.7, -0.7), (0, 1.0, 0)))
MOMENTS = (0.02, 0.03, 0.04)
X = '<axis xyz="1 0 0"/>'
TIP = link("tip", "") + joint("tip_mount", "fixed", "rocker", "tip", xyz=C - D)
LOOPS = {
    "a second parent": TIP + joint("c", "continuous", "coupler", "tip", X, xyz=C - B),
    "a second parent named first": joint("c", "continuous", "coupler", "tip", X, xyz=C - B) + TIP,
    "loop_joint": f'<loop_joint name="c" type="revolute"><link1 link="coupler" xyz="{words(C - B)}" rpy="0 0 0"/>'
    f'<link2 link="rocker" xyz="{words(C - D)}" rpy="0 0 0"/>{X}</loop_joint>',
    "loop_joint with a ball, link1 twice": f'<loop_joint name="c" type="spherical"><link1 link="coupler" '
    f'xyz="{words(C - B)}"/><link1 link="rocker" xyz="{words(C - D)}"/></loop_joint>',
    "constraint": f'<constraint name="c" type="revolute"><parent link="coupler"/><child link="rocker"/>'
    f'<parent_origin xyz="{words(C - B)}"/><parent_axis xyz="1 0 0"/>'
    f'<child_origin xyz="{words(C - D)}" rpy="0 0 1.5707963267948966"/><child_axis xyz="0 -1 0"/></constraint>',
    "constraint turned over": f'<constraint name="c" type="revolute"><parent link="rocker"/><child link="coupler"/>'
    f'<parent_origin xyz="{words(C - D)}"/><child_origin xyz="{words(C - B)}"/>{X}</constraint>',
    "a weld": link("tip", "")
    + joint("c", "continuous", "coupler", "tip", X, xyz=C - B)
    + f'<loop_joint name="w" type="fixed"><link1 link="rocker" xyz="{words(C - D)}"/><link2 link="tip"/></loop_joint>',
}
FORMS = tuple(LOOPS)


def four_bar(form: str) -> str:
    """The URDF of the four-bar with its loop in one of FORMS."""
    bars = [
        link(name, inertial(1.0, MOMENTS, xyz=(end - start) / 2))
        for name, start, end in (("crank", A, B), ("coupler", B, C), ("rocker", D, C))
    ]
    hinges = [
        joint("a", "continuous", "base", "crank", X),
        joint("b", "continuous", "crank", "coupler", X, xyz=B - A),
        joint("d", "continuous", "base", "rocker", X, xyz=D),
    ]
    return robot(link("base", ""), *bars, *hinges, LOOPS[form], name="four_bar")


def by_hand() -> Mechanism:
    """The same in symvi's own words."""
    ends = {"crank": (A, B), "coupler": (B, C), "rocker": (D, C)}
    bodies = [
        Body(name=name, mass=1.0, inertia=MOMENTS, center_of_mass=tuple((end - start) / 2), position=tuple(start))
        for name, (start, end) in ends.items()
    ]
    hinge = {"type": "revolute", "axis": (1, 0, 0)}
    joints = [
        Joint(name="a", child="crank", **hinge),
        Joint(name="b", parent="crank", child="coupler", parent_anchor=tuple(B - A), **hinge),
        Joint(name="d", child="rocker", parent_anchor=tuple(D), **hinge),
        Joint(
            name="c",
            parent="coupler",
            child="rocker",
            parent_anchor=tuple(C - B),
            child_anchor=tuple(C - D),
            **hinge,
        ),
    ]
    return Mechanism(name="four_bar", bodies=bodies, joints=joints)
