"""Bodies that have no inertia about some axis, and whether a joint holds that rotation.

A point mass, or a line of mass, can be simulated where one joint alone sees every turn about the axes without inertia:
by holding the turn itself, or a point that the turn moves. A hinge through a point mass, for one, does neither.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from symvi.importers.tree import Inertial, TreeJoint
from symvi.mechanism.axes import triad
from symvi.mechanism.inertia import to_matrix
from symvi.mechanism.joint_table import JOINT_TABLE
from symvi.mechanism.vectors import Vector3, cross, subtract, unit

__all__ = ["unheld_axis"]

SEEN = 1e-5  # of a turn: what a joint sees less of it does not hold
NOTHING = 1e-12  # a principal moment below this share of the largest, as in mechanism.Body.has_zero_inertia


def unheld_axis(name: str, inertial: Inertial, joints: Iterable[TreeJoint]) -> Vector3 | None:
    """An axis of the link without inertia about which no joint alone holds it; None if there is no such axis.

    joints: those of the link.
    """
    moments, axes = np.linalg.eigh(np.array(to_matrix(inertial.inertia)))
    free = axes[:, moments <= NOTHING * moments[-1]]
    if not free.shape[1]:
        return None
    worst = free[:, -1]
    for joint in joints:
        rows = _rows(joint, joint.child == name, inertial.center)
        seen = rows @ free
        if len(rows) and np.linalg.svd(seen, compute_uv=False)[free.shape[1] - 1 :].sum() > SEEN:
            return None
        if len(rows):
            worst = free @ np.linalg.svd(seen)[2][-1]
    x, y, z = worst
    return float(x) + 0.0, float(y) + 0.0, float(z) + 0.0


def _rows(joint: TreeJoint, is_child: bool, center: tuple) -> np.ndarray:
    """(n, 3) what the rows of a joint see of a turn of the link about its centre of mass, in link axes."""
    frame = joint.child_frame if is_child else joint.frame
    first, second, third = (np.array(frame.vector(axis)) for axis in triad(joint.axis))
    everything = [np.eye(3)[k] for k in range(3)]
    spaces = {0: [], 1: [third], 2: [first, second], 3: everything}
    if joint.type == "universal":
        across = cross(joint.axis, joint.child_axis or triad(joint.axis)[0])
        places, turns = everything, [np.array(frame.vector(unit(across)))]
    elif joint.type in JOINT_TABLE:
        held = JOINT_TABLE[joint.type]
        places, turns = spaces[held.translations], spaces[held.rotations]
    else:
        return np.zeros((0, 3))
    arm = np.array(subtract(frame.position, center))
    # a turn d moves the joint's point by d x arm; along u that is d . (arm x u)
    return np.array([*turns, *(np.cross(arm, along) for along in places)]).reshape(-1, 3)
