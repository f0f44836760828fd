"""Collision meshes as points that the ground holds off: where they come from, and what cannot be used, by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symvi.errors import MissingExtraError
from symvi.extras import install_command
from symvi.importers.hulls import MOST_POINTS, Corners, hull_corners, thinned_corners
from symvi.importers.mesh_files import READERS, MeshError, has_packages, read_meshes
from symvi.importers.meshes import Folders
from symvi.importers.pose import Pose
from symvi.importers.report import Findings, Source
from symvi.importers.tree import Geometry
from symvi.mechanism.names import shown

__all__ = ["MeshCorners", "moved"]

HULLS = ("scipy",)
MOST_NAMED = 8  # meshes in one message
LONGEST = 43  # characters that an error shows of a name
OTHERWISE = "or name links or points that need no such mesh"


class MeshCorners:
    """The corners of the collision meshes of one import, each file read once.

    folders: that may be read. most: corners of a mesh that are kept.
    """

    def __init__(self, folders: Folders, most: int):
        self.folders, self.most = folders, most
        self.known: dict[object, NDArray[np.float64] | str] = {}
        self.held: list[object] = []  # arrays whose identity is a key
        self.refused: dict[str, list[tuple[Source, str, str]]] = {}

    def of(self, geometry: Geometry, title: str) -> Corners | None:
        """The corners kept of a mesh, in the link frame [m]; None where it cannot be read, which `refuse` will tell.

        title: of the link. Raises MissingExtraError where the packages that it takes are not installed.
        """
        found = self._hull(geometry, title)
        if isinstance(found, str):
            self.refused.setdefault(found, []).append((geometry.source, title, _name(geometry)))
            return None
        return thinned_corners(moved(found, geometry.frame), self.most)

    def refuse(self, findings: Findings) -> None:
        """Refuse the meshes that could not be used: one problem for each reason."""
        for why, items in self.refused.items():
            source, title, _ = items[0]
            meshes = list(dict.fromkeys(mesh for _, _, mesh in items))
            more = f" and {len(meshes) - MOST_NAMED} more" if len(meshes) > MOST_NAMED else ""
            names = f"mesh{'es' if len(meshes) > 1 else ''} {', '.join(meshes[:MOST_NAMED])}{more}"
            findings.refuse(source, f"{title}: contacts need the collision {names}: {why}")

    def _hull(self, geometry: Geometry, title: str) -> NDArray[np.float64] | str:
        """The corners of the hull in the frame of the mesh, or why there are none."""
        if geometry.missing:
            return geometry.missing
        if geometry.points is not None:
            key: object = id(geometry.points)
            self.held.append(geometry.points)
        else:
            path, why = self.folders.find(geometry.mesh)
            if path is None:
                return f"{why}{_remedy(why)}"
            key = (path, geometry.size)
        if key not in self.known:
            _need(() if geometry.points is not None else READERS, geometry, title)
            try:
                points = _read(path, geometry.size) if geometry.points is None else geometry.points
                self.known[key] = _hull_of(points)
            except MeshError as error:
                self.known[key] = f"{error}; mend it, {OTHERWISE}"
        return self.known[key]


def _name(geometry: Geometry) -> str:
    """The mesh by its file, or by its name where it has none; of a long path its end."""
    name = geometry.mesh or geometry.name
    return shown(name if len(name) <= LONGEST else "..." + name[3 - LONGEST :])


def moved(points: NDArray[np.float64], pose: Pose) -> NDArray[np.float64]:
    """Points (n, 3) of a frame, in the frame around it."""
    axes = [pose.vector(axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    return points @ np.array(axes) + np.array(pose.position)


def _read(path: Path, scale: tuple[float, ...]) -> NDArray[np.float64]:
    """The points of all triangles of a file."""
    return np.concatenate([mesh.vertices[np.unique(mesh.triangles)] for mesh in read_meshes(path, scale)])


def _hull_of(points: NDArray[np.float64]) -> NDArray[np.float64]:
    if len(points) > MOST_POINTS:
        raise MeshError(f"has {len(points)} points; no more than {MOST_POINTS} are taken for contacts")
    if not np.isfinite(points).all():
        raise MeshError("has points that are nowhere")
    from scipy.spatial import QhullError

    try:
        return hull_corners(points)
    except QhullError:  # points so far away that their digits do not tell them apart
        raise MeshError("has no convex hull that can be found") from None


def _need(packages: tuple[str, ...], geometry: Geometry, title: str) -> None:
    """Raise MissingExtraError, with the place of the mesh, where one of the packages is not installed."""
    for name in (*packages, *HULLS):
        if not has_packages([name]):
            what = f"{title}: contacts of its collision mesh {_name(geometry)}"
            raise MissingExtraError(
                f"{geometry.source}: {what} need the package {name}; install it with: {install_command('mesh')}; "
                f"{OTHERWISE}"
            )


def _remedy(why: str) -> str:
    """What to do about a file that cannot be found."""
    if "outside" in why:
        return f"; allow its folder: packages, or --package ANY_NAME=FOLDER, {OTHERWISE}"
    return f", {OTHERWISE}" if "--package" in why else f"; put it there, {OTHERWISE}"
