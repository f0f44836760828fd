"""The joints by their rows: the one table that says what each type holds and what it leaves free.

A joint of the table holds T translations and R rotations of the child's anchor in the joint frame with the triad
(a1, a2, a3), a3 = axis: 0 rows hold nothing, 1 row holds along or about a3, 2 rows hold a1 and a2, 3 rows hold all.
What is free are its minimal coordinates: first the translations, then the rotations.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol

__all__ = [
    "JOINT_TABLE", "JOINT_TYPES", "Rows", "constraint_count", "coordinate_count", "coordinate_kinds",
    "free_rotations", "free_translations",
]  # fmt: skip

Kind = Literal["translation", "rotation"]


class Rows(NamedTuple):
    """Constrained translations and rotations of a joint that is a mix of rows."""

    translations: int
    rotations: int


JOINT_TABLE: Mapping[str, Rows] = MappingProxyType(
    {
        "fixed": Rows(3, 3),
        "prismatic": Rows(2, 3),
        "planar": Rows(1, 3),
        "fixed_orientation": Rows(0, 3),
        "revolute": Rows(3, 2),
        "cylindrical": Rows(2, 2),
        "planar_axis": Rows(1, 2),
        "free_revolute": Rows(0, 2),
        "spherical": Rows(3, 0),
        "cylindrical_free": Rows(2, 0),
        "planar_free": Rows(1, 0),
        "floating": Rows(0, 0),
    }
)


class OwnRows(NamedTuple):
    """A joint with a residual of its own: its number of rows, and the kinds of its minimal coordinates."""

    rows: int
    coordinates: tuple[Kind, ...]


OWN_JOINTS: Mapping[str, OwnRows] = MappingProxyType(
    {
        "universal": OwnRows(4, ("rotation", "rotation")),
        "screw": OwnRows(5, ("rotation",)),  # its translation is pitch times its angle
        "distance": OwnRows(1, ()),
        "custom": OwnRows(0, ()),  # one row per expression
    }
)

JOINT_TYPES: tuple[str, ...] = (*JOINT_TABLE, *OWN_JOINTS)


class JointLike(Protocol):
    """What the counts need to know of a joint."""

    @property
    def type(self) -> str: ...
    @property
    def expressions(self) -> tuple[str, ...]: ...


def coordinate_kinds(joint_type: str) -> tuple[Kind, ...]:
    """The minimal coordinates of a joint type in order: translations, then rotations.

    A distance and a custom joint have none.
    """
    if joint_type in OWN_JOINTS:
        return OWN_JOINTS[joint_type].coordinates
    rows = JOINT_TABLE[joint_type]
    return ("translation",) * (3 - rows.translations) + ("rotation",) * (3 - rows.rotations)


def free_translations(joint: JointLike) -> int:
    """The number of minimal coordinates of a joint that are translations."""
    return coordinate_kinds(joint.type).count("translation")


def free_rotations(joint: JointLike) -> int:
    """The number of minimal coordinates of a joint that are rotations."""
    return coordinate_kinds(joint.type).count("rotation")


def coordinate_count(joint: JointLike) -> int:
    """The number of minimal coordinates of a joint."""
    return len(coordinate_kinds(joint.type))


def constraint_count(joint: JointLike) -> int:
    """The number of constraint rows of a joint."""
    if joint.type in JOINT_TABLE:
        return sum(JOINT_TABLE[joint.type])
    return len(joint.expressions) if joint.type == "custom" else OWN_JOINTS[joint.type].rows
