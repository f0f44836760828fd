"""Links, hinges and chains in the convention of the papers' experiments.

Joint axes point along x, links along their own z, with the upper joint at +l/2 and the lower one at -l/2. A link that
is turned about x by an angle of 0 hangs down, by pi/2 it points along +y.
"""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np

from symvi import Body, Box, Cylinder, Joint, Mechanism, Trajectory

X = (1.0, 0.0, 0.0)
BOX = Box(size=(0.1, 0.1, 1.0))
ROD = Cylinder(radius=0.05, length=1.0)
ORIGIN, TOP, BOTTOM = (0.0, 0.0, 0.0), (0.0, 0.0, 0.5), (0.0, 0.0, -0.5)  # of the world, and joints of a link of 1 m


def link(name: str, angle: float, shape: Box | Cylinder = BOX, mass: float = 1.0, **fields: Any) -> Body:
    """A link turned about x by an angle [rad]; its joints say where it is."""
    turned = (cos(angle / 2), sin(angle / 2), 0.0, 0.0)
    return Body(name=name, mass=mass, shape=shape, orientation=turned, **fields)


def hinge(name: str, parent: str, child: str, at_parent, at_child, joint: str = "revolute") -> Joint:
    """A joint about x between a point of the parent and a point of the child."""
    return Joint(
        name=name, type=joint, parent=parent, child=child, parent_anchor=at_parent, child_anchor=at_child, axis=X
    )


def open_chain(angles, shape: Box | Cylinder = ROD, joint: str = "revolute") -> Mechanism:
    """Links of 1 m and 1 kg that hang on the origin, one below the other, at these angles [rad]."""
    names = ["world", *(f"link{k + 1}" for k in range(len(angles)))]
    joints = [
        hinge(f"joint{k + 1}", names[k], names[k + 1], BOTTOM if k else ORIGIN, TOP, joint) for k in range(len(angles))
    ]
    bodies = [link(name, angle, shape) for name, angle in zip(names[1:], angles, strict=True)]
    return Mechanism(name=f"{joint}_chain{len(angles)}", bodies=bodies, joints=joints)


def straight_chain(count: int, joint: str = "revolute") -> Mechanism:
    """All links in one line at 45 degrees: the pendulum of both papers' timings."""
    return open_chain([pi / 4] * count, joint=joint)


def angle_about_x(trajectory: Trajectory, body: str) -> np.ndarray:
    """The angle of a link about x at every knot, over whole turns [rad]."""
    w, x = trajectory.orientation[:, trajectory.body(body), :2].T
    return np.unwrap(2 * np.arctan2(x, w))
