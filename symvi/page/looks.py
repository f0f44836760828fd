"""How bodies of an imported file look: the shapes and meshes that it shows, instead of what a page makes up itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symvi.extras import install_command
from symvi.importers.model import Shown
from symvi.importers.pose import Pose
from symvi.mechanism.names import WORLD as WORLD_NAME
from symvi.mechanism.names import shown as quoted
from symvi.page.meshes import Mesh, MeshError, has_reader, read_meshes, thinned
from symvi.page.parts import WORLD, Part, point

__all__ = ["MOST_TRIANGLES", "NO_LOOKS", "Looks", "UnitMesh", "looks_of"]

# Of all meshes of a page together: it then stays below one megabyte, however fine they are in their files.
MOST_TRIANGLES = 60_000
FEWEST = 12  # triangles that a mesh is thinned to at most: those of a box
MISSING_EXTRA = f"their packages are not installed: {install_command('mesh')}"


@dataclass(frozen=True, eq=False)
class UnitMesh:
    """A mesh in the box of size one around the origin.

    vertices: (n, 3) between -0.5 and 0.5. triangles: (m, 3). size: extents [m] that it has in its frame.
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    size: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Looks:
    """What is drawn of a file.

    parts: number of a body, or WORLD -> its solids. meshes: those that parts name "mesh 0", "mesh 1", ...
    notices: what is left out, and why.
    """

    parts: Mapping[int, tuple[Part, ...]] = field(default_factory=dict)
    meshes: tuple[UnitMesh, ...] = ()
    notices: tuple[str, ...] = ()


NO_LOOKS = Looks()


def looks_of(shown: Iterable[Shown], mechanism) -> Looks:
    """The looks of the bodies of a mechanism: what their file shows of them; where nothing, what else it has of them.

    shown: of `Imported.shown`. Meshes are read here (extra `mesh`), and thinned to MOST_TRIANGLES together.
    """
    index = {body.name: number for number, body in enumerate(mechanism.bodies)} | {WORLD_NAME: WORLD}
    by_body: dict[int, list[Shown]] = {}
    for item in shown:
        if item.body in index and item.geometry.kind != "plane":
            by_body.setdefault(index[item.body], []).append(item)
    chosen = {body: [item for item in items if item.geometry.is_seen] or items for body, items in by_body.items()}
    library = _Library()
    parts = {
        body: tuple(part for item in items for part in library.parts(body, item)) for body, items in chosen.items()
    }
    meshes, short = _within_bounds(library.meshes)
    notices = [*library.notices, *short]
    return Looks({body: found for body, found in parts.items() if found}, meshes, tuple(notices))


class _Library:
    """The meshes read so far, each once, and the reasons for which others are left out."""

    def __init__(self) -> None:
        self.meshes: list[Mesh] = []
        self.known: dict[object, list[int]] = {}
        self.left_out: dict[str, list[str]] = {}

    @property
    def notices(self) -> list[str]:
        return [f"meshes not shown: {_listed(names)}: {why}" for why, names in self.left_out.items()]

    def parts(self, body: int, item: Shown) -> list[Part]:
        """The solids of one shape or mesh."""
        if item.geometry.kind != "mesh":
            return list(_solids(body, item))
        return [self._part(body, item, number) for number in self._numbers(item)]

    def _numbers(self, item: Shown) -> list[int]:
        """The meshes of an item by their numbers."""
        key = (item.path, item.geometry.size)
        if key not in self.known:
            first, why = len(self.meshes), ""
            if item.path is None:
                why = "see the report of the import"
            elif not has_reader():
                why = MISSING_EXTRA
            else:
                try:
                    self.meshes += read_meshes(item.path, item.geometry.size)
                except MeshError as error:
                    why = str(error)
            if why:
                names = self.left_out.setdefault(why, [])
                name = quoted(item.geometry.mesh)
                names += [name] if name not in names else []
            self.known[key] = list(range(first, len(self.meshes)))
        return self.known[key]

    def _part(self, body: int, item: Shown, number: int) -> Part:
        mesh = self.meshes[number]
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        at = item.pose.then(Pose(point((low + high) / 2)))
        color = item.geometry.color or mesh.color
        size = point(_extents(mesh))
        return Part(body, f"mesh {number}", size, at.position, at.orientation, "shape", item.body, color)


def _solids(body: int, item: Shown) -> Iterable[Part]:
    """The solids of a shape of the file."""
    kind, size = item.geometry.kind, item.geometry.size

    def part(solid: str, extents, at: Pose) -> Part:
        return Part(body, solid, point(extents), at.position, at.orientation, "shape", item.body, item.geometry.color)

    if kind == "box":
        yield part("box", size, item.pose)
    elif kind == "sphere":
        yield part("sphere", (2 * size[0],) * 3, item.pose)
    else:
        radius, length = size
        yield part("cylinder", (2 * radius, 2 * radius, length), item.pose)
        for end in (-length / 2, length / 2) if kind == "capsule" else ():
            yield part("sphere", (2 * radius,) * 3, item.pose.then(Pose((0.0, 0.0, end))))


def _extents(mesh: Mesh) -> NDArray[np.float64]:
    """The edges of the box around a mesh [m]; a flat one is a little thick, because solids are scaled by them."""
    size = np.ptp(mesh.vertices, axis=0)
    return np.maximum(size, 1e-6 * float(size.max()) + 1e-12)


def _within_bounds(meshes: list[Mesh]) -> tuple[tuple[UnitMesh, ...], list[str]]:
    """The meshes with no more than MOST_TRIANGLES together, each thinned to the same number if it has more."""
    counts = sorted(len(mesh.triangles) for mesh in meshes)
    most, left = MOST_TRIANGLES, MOST_TRIANGLES
    for number, count in enumerate(counts):
        most = max(FEWEST, left // (len(counts) - number))
        if count > most:
            break
        left -= count
    else:
        most = max(counts, default=0)
    found, notices = [], []
    for mesh in meshes:
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        size = _extents(mesh)
        thin = thinned(mesh, most)
        found.append(
            UnitMesh(np.clip((thin.vertices - (low + high) / 2) / size, -0.5, 0.5), thin.triangles, point(size))
        )
    drawn = sum(len(mesh.triangles) for mesh in found)
    if drawn < sum(counts):
        notices.append(f"meshes thinned: {drawn} of {sum(counts)} triangles are shown")
    return tuple(found), notices


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more
