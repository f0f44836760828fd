"""Joints made to fit: anchor and orientation computed from where the bodies are, so that the joint is closed there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symvi.mechanism import Joint, coordinate_count, coordinate_kinds
from symvi.mechanism.joint_motion import displacement, turn
from symvi.mechanism.rotation import conjugate, multiply
from symvi.mechanism.vectors import unit
from tests.support.poses import Pose

__all__ = ["CUSTOM_EXPRESSIONS", "Fit", "fitted_joint", "random_coordinates", "random_quaternion", "random_unit"]

# Rows that do not change when both bodies move as one, so that a custom joint conserves momentum: the child's origin at
# a height over a plane of the parent, and an angle between two of their axes.
CUSTOM_EXPRESSIONS = (
    "R_a[0,2]*(x_b[0] - x_a[0]) + R_a[1,2]*(x_b[1] - x_a[1]) + R_a[2,2]*(x_b[2] - x_a[2]) - height",
    "R_a[0,0]*R_b[0,1] + R_a[1,0]*R_b[1,1] + R_a[2,0]*R_b[2,1] - cosine",
)


def random_unit(random: np.random.Generator) -> tuple[float, ...]:
    """A random direction."""
    return unit(tuple(float(x) for x in random.normal(size=3)))


def random_quaternion(random: np.random.Generator) -> tuple[float, ...]:
    """A random orientation."""
    return unit(tuple(float(x) for x in random.normal(size=4)))


def random_coordinates(joint_type: str, random: np.random.Generator) -> tuple[float, ...]:
    """Random minimal coordinates: translations up to 0.3 m, angles up to 0.7 rad."""
    largest = {"translation": 0.3, "rotation": 0.7}
    return tuple(float(random.uniform(-largest[kind], largest[kind])) for kind in coordinate_kinds(joint_type))


@dataclass(frozen=True)
class Fit:
    """What is free to choose of a joint between two placed bodies.

    child_anchor: in the child's frame [m]. axis: in the joint frame. coordinates: at the given placement.
    """

    child_anchor: tuple[float, ...]
    axis: tuple[float, ...]
    coordinates: tuple[float, ...]

    @staticmethod
    def random(joint_type: str, random: np.random.Generator, reach: float = 0.4) -> Fit:
        """An anchor within the reach [m], and random axis and coordinates."""
        anchor = tuple(float(x) for x in random.uniform(-reach, reach, 3))
        return Fit(anchor, random_unit(random), random_coordinates(joint_type, random))


def fitted_joint(name: str, joint_type: str, parent: tuple[str, Pose], child: tuple[str, Pose], fit: Fit) -> Joint:
    """A joint of this type that is closed at these poses and has the coordinates of the fit there.

    Its pitch is 0.15 m/rad, its length the distance of the anchors, the rows of a custom joint those above.
    Raises ValueError if there are not as many coordinates as the type has.
    """
    (parent_name, a), (child_name, b) = parent, child
    own = {"pitch": 0.15} if joint_type == "screw" else {}
    plain = {"name": name, "type": joint_type, "parent": parent_name, "child": child_name}
    plain |= {"child_anchor": fit.child_anchor}
    if joint_type == "custom":
        return Joint(**plain, **_custom(a, b))
    if joint_type == "distance":
        length = float(np.linalg.norm(b.x + b.R @ fit.child_anchor - a.x))
        return Joint(**plain, length=length)
    joint = Joint(**plain, axis=fit.axis, **own)
    if len(fit.coordinates) != coordinate_count(joint):
        raise ValueError(f"a joint of type '{joint_type}' has {coordinate_count(joint)} coordinates")
    return joint.changed(**_frame(joint, a, b, fit.coordinates))


def _frame(joint: Joint, a: Pose, b: Pose, coordinates: Sequence[float]) -> dict[str, object]:
    """Orientation and parent's anchor for which the child is where it is: a joint's rows, solved for the parent."""
    relative = multiply(conjugate(tuple(a.q)), tuple(b.q))
    orientation = unit(multiply(relative, conjugate(turn(joint, coordinates))))
    frame = Pose(np.zeros(3), np.array(orientation)).R
    anchor = a.R.T @ (b.x + b.R @ joint.child_anchor - a.x) - frame @ displacement(joint, coordinates)
    return {"orientation": orientation, "parent_anchor": anchor, "coordinate": tuple(coordinates) or None}


def _custom(a: Pose, b: Pose) -> dict[str, object]:
    values = {"height": float(a.R[:, 2] @ (b.x - a.x)), "cosine": float(a.R[:, 0] @ b.R[:, 1])}
    return {"expressions": CUSTOM_EXPRESSIONS, "parameters": values}
