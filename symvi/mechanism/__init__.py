"""The description of a mechanism: plain frozen values, checked once, written to and read from files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symvi.mechanism.axes import free_rotation_axes, free_translation_axes, triad
from symvi.mechanism.contacts import Contact, ContactPoint, contact_points
from symvi.mechanism.elements import Body, Coupling, Driver, Joint
from symvi.mechanism.forces import (
    Actuator,
    DryFriction,
    Force,
    JointDamper,
    JointSpring,
    PointSpring,
    Potential,
    Servo,
    Wrench,
    axis_values,
)
from symvi.mechanism.joint_table import (
    JOINT_TABLE,
    JOINT_TYPES,
    constraint_count,
    coordinate_count,
    coordinate_kinds,
    free_rotations,
    free_translations,
)
from symvi.mechanism.limits import Limit
from symvi.mechanism.mechanism import Mechanism
from symvi.mechanism.shapes import Box, Capsule, Cylinder, Rod, Sphere

if TYPE_CHECKING:
    from symvi.mechanism.start_motion import start_state
    from symvi.mechanism.state import State

__all__ = [
    "JOINT_TABLE", "JOINT_TYPES", "Actuator", "Body", "Box", "Capsule", "Contact", "ContactPoint", "Coupling",
    "Cylinder", "Driver", "DryFriction", "Force", "Joint", "JointDamper", "JointSpring", "Limit", "Mechanism",
    "PointSpring", "Potential", "Rod", "Servo", "Sphere", "State", "Wrench", "axis_values", "constraint_count",
    "contact_points", "coordinate_count", "coordinate_kinds", "free_rotation_axes", "free_rotations",
    "free_translation_axes", "free_translations", "start_state", "triad",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """State and start_state bring NumPy; a description alone does without."""
    if name == "State":
        from symvi.mechanism.state import State

        return State
    if name == "start_state":
        from symvi.mechanism.start_motion import start_state

        return start_state
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
