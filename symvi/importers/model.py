"""What an import gives: the mechanism, the report, and where the names of the file are found in the mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from symvi.importers.pose import Pose
from symvi.importers.report import Report
from symvi.importers.tree import Geometry
from symvi.mechanism import Mechanism

__all__ = ["Imported", "Placed", "Shown"]


@dataclass(frozen=True)
class Placed:
    """Where a link or frame of the file is: on which body ("world": the fixed frame), and its pose in that."""

    body: str
    pose: Pose


@dataclass(frozen=True)
class Shown:
    """A shape or mesh of a body, for a viewer.

    body: the body ("world"), geometry: shape and size, pose: in the body frame
    path: the file of a mesh that is there and may be read; None where it is missing or lies outside the given folders.
    """

    body: str
    geometry: Geometry
    pose: Pose
    path: Path | None = None


@dataclass(frozen=True)
class Imported:
    """An imported file.

    mechanism: symvi's own description. report: what became of each element.
    links: name in the file -> where it is; every link and frame of the file, merged ones too, but for dropped ones.
    joints: name in the file -> (joint of the mechanism, number of its first coordinate there); without fixed ones, and
        without those few whose coordinates had to become others, which the report names.
    shown: shapes and meshes of the file.
    trajectory: the motion that a file of one holds, besides its mechanism; None of all others.
    starts: further starts, by name: keywords of `symvi.state_from`, coordinates and velocities of the joints.
    inputs: name of such a start -> inputs of its motors and servos, as `simulate` takes them.
    """

    mechanism: Mechanism
    report: Report
    links: Mapping[str, Placed] = field(default_factory=dict)
    joints: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    shown: tuple[Shown, ...] = ()
    starts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    trajectory: Any = None
    inputs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Imported {self.mechanism!r} of {self.report.summary()}>"
