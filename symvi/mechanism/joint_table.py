"""Counts of joints by their types: what each type holds and what it leaves free (symvi/registry.py, symvi/joints)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from symvi.mechanism.values import Expressions
from symvi.registry import JOINTS, Kind, Rows

__all__ = [
    "JOINT_TABLE", "JOINT_TYPES", "Rows", "constraint_count", "coordinate_count", "coordinate_kinds",
    "free_rotations", "free_translations",
]  # fmt: skip

# symvi's own, also where a program registers one before it imports this: all types, and the mixes of rows. All that are
# registered are in symvi.registry.JOINTS.
JOINT_TYPES: tuple[str, ...] = tuple(name for name in JOINTS if not JOINTS.serial(name))
JOINT_TABLE: Mapping[str, Rows] = MappingProxyType(
    {name: held for name in JOINT_TYPES if (held := JOINTS[name].held) is not None}
)


class JointLike(Protocol):
    """What the counts need to know of a joint."""

    @property
    def type(self) -> str: ...

    expressions: Expressions


def coordinate_kinds(joint_type: str) -> tuple[Kind, ...]:
    """The minimal coordinates of a joint type in order: translations, then rotations; some types have none."""
    return JOINTS[joint_type].coordinates


def free_axes(kinds: tuple[Kind, ...]) -> str:
    """How many there are, and their kinds, as messages say it."""
    if not kinds:
        return "no free axis"
    return f"{len(kinds)} free ax{'i' if len(kinds) == 1 else 'e'}s ({', '.join(kinds)})"


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
    return len(JOINTS[joint.type].units_of(joint))
