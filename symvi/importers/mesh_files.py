"""Meshes from files: STL, OBJ and COLLADA, read by trimesh (extra `mesh`), with bounds on everything.

Only the bytes of the file itself are looked at: materials, textures and documents that it names are not opened.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symvi.errors import MechanismError, SymviError, missing_extra
from symvi.importers.xml import Element, parse_xml
from symvi.mechanism.names import shown

__all__ = ["FORMATS", "READERS", "Mesh", "MeshError", "need_packages", "has_packages", "read_meshes"]

FORMATS = (".stl", ".obj", ".dae")
READERS = ("trimesh", "collada")  # packages
LARGEST_FILE = 50_000_000  # bytes
MOST_TRIANGLES = 2_000_000  # of one file
MOST_PLACED = 200_000_000  # bytes of the geometries of a COLLADA scene, counted again where they are placed again
NODE = 10_000  # bytes that a node of it counts for


class MeshError(SymviError):
    """A file that holds no mesh that can be used; the message is the reason."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles in the frame of their file.

    vertices: (n, 3) [m]. triangles: (m, 3) numbers of vertices, counter-clockwise seen from outside.
    color: #rrggbb, None where the file has none.
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    color: str | None = None


def has_packages(names: Iterable[str] = READERS) -> bool:
    """Whether packages of the extra `mesh` are installed."""
    return all(find_spec(name) is not None for name in names)


def need_packages(names: Iterable[str] = READERS) -> None:
    """Raise MissingExtraError where packages of the extra `mesh` are not installed."""
    for name in names:
        if find_spec(name) is None:
            raise missing_extra("mesh", name)


def read_meshes(path: Path, scale: Sequence[float]) -> tuple[Mesh, ...]:
    """The meshes of a file, one per colour, scaled along the axes of the file; COLLADA's unit counts, its up axis not.

    (So do the viewers that robots are described for.) Raises MeshError, with the reason as its message.
    """
    need_packages()
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise MeshError(f"{shown(kind)} is none of the formats that are read: {', '.join(FORMATS)}")
    content = _bytes(path)
    factors = _unit(content, path.name) * np.array(scale, float) if kind == ".dae" else np.array(scale, float)
    try:
        parts = _parts(content, kind)
    except Exception as error:  # a damaged file may fail in any part of its reader
        raise MeshError(f"cannot be read ({type(error).__name__}): {shown(str(error))[:200]}") from None
    meshes = [_scaled(part, factors) for part in parts if len(part.triangles)]
    count = sum(len(mesh.triangles) for mesh in meshes)
    if not count:
        raise MeshError("holds no triangle")
    if count > MOST_TRIANGLES:
        raise MeshError(f"has {count} triangles; no more than {MOST_TRIANGLES} are taken")
    if not all(np.isfinite(mesh.vertices).all() and np.abs(mesh.vertices).max() < 1e9 for mesh in meshes):
        raise MeshError("has points that are nowhere")
    return tuple(meshes)


def _bytes(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise MeshError(f"cannot be read: {error.strerror or error}") from None
    if len(content) > LARGEST_FILE:
        raise MeshError(f"is larger than {LARGEST_FILE // 1_000_000} MB")
    return content


def _parts(content: bytes, kind: str) -> list[Mesh]:
    """The meshes of a file, placed in its scene; those of one colour joined, equal points too."""
    import trimesh

    scene = trimesh.load_scene(io.BytesIO(content), file_type=kind[1:], resolver=None, process=False)
    found: dict[str | None, list[tuple[NDArray, NDArray]]] = {}
    for node in scene.graph.nodes_geometry:
        place, name = scene.graph[node]
        geometry = scene.geometry[name]
        if not isinstance(geometry, trimesh.Trimesh):
            continue
        triangles = np.asarray(geometry.faces)
        if np.linalg.det(place[:3, :3]) < 0.0:
            triangles = triangles[:, ::-1]
        points = np.asarray(geometry.vertices) @ place[:3, :3].T + place[:3, 3]
        found.setdefault(_color(geometry), []).append((points, triangles))
    return [_joined(pieces, color) for color, pieces in found.items()]


def _joined(pieces: list[tuple[NDArray, NDArray]], color: str | None) -> Mesh:
    starts = np.cumsum([0, *(len(points) for points, _ in pieces)])
    points = np.concatenate([points for points, _ in pieces])
    triangles = np.concatenate([triangles + start for (_, triangles), start in zip(pieces, starts, strict=False)])
    points, places = np.unique(points, axis=0, return_inverse=True)
    triangles = places.reshape(-1)[triangles]
    a, b, c = triangles.T
    return Mesh(points, triangles[(a != b) & (b != c) & (c != a)], color)


def _color(geometry) -> str | None:
    """The one colour of a mesh; None where it has none, or an image."""
    visual = geometry.visual
    if not visual.defined or visual.kind == "vertex":
        return None
    color = visual.material.main_color if visual.kind == "texture" else visual.main_color
    return "#" + "".join(f"{int(part):02x}" for part in color[:3])


def _scaled(mesh: Mesh, factors: NDArray) -> Mesh:
    triangles = mesh.triangles if np.prod(factors) >= 0.0 else mesh.triangles[:, ::-1]
    with np.errstate(over="ignore"):  # where it does, the points are nowhere, which is told
        return Mesh(mesh.vertices * factors, triangles, mesh.color)


# --- COLLADA: XML, which is checked before trimesh sees it ------------------------------------------------------------
def _unit(content: bytes, file: str) -> float:
    """Metres of the file's unit. Raises MeshError if it is no XML, or its scene is too large."""
    try:
        root = parse_xml(content, file)
    except MechanismError as error:
        raise MeshError(str(error)) from None
    if _placed(root) > MOST_PLACED:
        raise MeshError("its scene places too much")
    asset = root.first("asset")
    unit = None if asset is None else asset.first("unit")
    try:
        meter = float("1" if unit is None else unit.attributes.get("meter", "1"))
    except ValueError:
        meter = 0.0
    if not 0.0 < meter < 1e6:
        raise MeshError("its unit is no length")
    return meter


def _placed(root: Element) -> int:
    """Bytes that the scene places, what instances repeat counted again; a circle counts as too many."""
    places = ("node", "instance_node", "instance_geometry", "instance_controller")
    named = {element.attributes["id"]: element for element in root.walk() if "id" in element.attributes}
    sizes: dict[int, int] = {}

    def size(element: Element) -> int:
        if id(element) not in sizes:
            sizes[id(element)] = MOST_PLACED + 1  # until it is known: met again meanwhile, it stands in itself
            other = named.get(element.attributes.get("url", "")[1:]) if element.tag in places else None
            own = NODE if element.tag in places else 0
            if other is not None:
                own += size(other) if element.tag == "instance_node" else other.size
            sizes[id(element)] = own + sum(size(child) for child in element.children)
        return sizes[id(element)]

    return sum(size(scene) for scene in root.walk() if scene.tag == "visual_scene")
