"""Where a law itself jumps, so that no step is short enough for it.

A spring or servo along three free rotations acts along a rotation vector of at most half a turn, which jumps to its
opposite there. A point spring that has a length has no direction where its ends meet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symvi.mechanism import coordinate_kinds
from symvi.mechanism.mechanism import Mechanism
from symvi.registry import law_of
from symvi.simulate.turns import rotation_matrices

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory

Array = NDArray[np.float64]


def sentences(mechanism: Mechanism) -> list[str]:
    """What may be said of jumps: first that there is none, then one sentence for each force."""
    return ["", *(_sentence(force) for force in mechanism.forces)]


def jump_of(trajectory: Trajectory, first: int, last: int) -> str:
    """The sentence on the first force that jumps between two knots."""
    forces = trajectory.mechanism.forces
    jumping = [(_knot(trajectory, force, slice(first, last + 1)), k) for k, force in enumerate(forces)]
    knot, k = min(jumping, default=(np.inf, 0))
    return _sentence(forces[k]) if knot < np.inf else ""


def _sentence(force) -> str:
    if (law := law_of(force)) and law.is_between_points:
        return f"the ends of '{force.name}' met there, where its force has no direction; no step is short enough for it"
    joint = getattr(force, "joint", "")
    return f"joint '{joint}' turned past half a turn there, where '{force.name}' jumps; no step is short enough for it"


def _knot(trajectory: Trajectory, force, knots: slice) -> float:
    """Where the law of a force jumps first, of some knots; infinite where it does not."""
    law = law_of(force)
    if law is None or not law.is_elastic:
        return np.inf
    if law.has_length:
        line = _line(trajectory, force, knots)
        jumps = np.linalg.norm(line[:-1], axis=1) < np.linalg.norm(np.diff(line, axis=0), axis=1)
    elif law.is_along_joint:
        joint = trajectory.mechanism.joint(force.joint)
        turning = [k for k, kind in enumerate(coordinate_kinds(joint.type)) if kind == "rotation"]
        if len(turning) < 3:
            return np.inf
        vector = trajectory.coordinates(joint.name)[knots][:, turning]
        jumps = np.linalg.norm(np.diff(vector, axis=0), axis=1) > np.pi
    else:
        return np.inf
    return float(np.argmax(jumps)) if jumps.any() else np.inf


def _line(trajectory: Trajectory, force, knots: slice) -> Array:
    """(N, 3) from one end of a point spring to the other, in world axes [m]."""

    def end(name: str, anchor: tuple[float, float, float]) -> Array:
        if name == "world":
            return np.array(anchor, float)
        k = trajectory.body(name)
        rotation = rotation_matrices(trajectory.orientation[knots, k])
        return trajectory.position[knots, k] + rotation @ np.array(anchor, float)

    return end(force.child, force.child_anchor) - end(force.parent, force.parent_anchor)
