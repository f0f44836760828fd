"""The robots of PyPI's package example-robot-data: its 69 URDF files, as they are."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

__all__ = ["PACKAGE", "robot_file", "robot_files", "share"]

PACKAGE = "example-robot-data"


def share() -> Path | None:
    """The folder that package://example-robot-data/ names; None where the package is not installed."""
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        parts = file.parts
        if file.suffix == ".urdf" and "robots" in parts:
            where = Path(file.locate()).parents
            return next(folder.parent for folder in where if folder.name == "robots" and folder.parent.name == PACKAGE)
    return None


def robot_files() -> list[Path]:
    """All URDF files of the package, in the order of their names; none where it is not installed."""
    folder = share()
    return [] if folder is None else sorted(folder.rglob("*.urdf"), key=lambda path: (path.name, path))


def robot_file(name: str) -> Path:
    """The first file of a name."""
    return next(path for path in robot_files() if path.name == name)
