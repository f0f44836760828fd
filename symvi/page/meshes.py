"""The meshes of a page: read as importers read them, and thinned to what a page has room for."""

from __future__ import annotations

import numpy as np

from symvi.importers.mesh_files import READERS, Mesh, MeshError, has_packages, read_meshes

__all__ = ["Mesh", "MeshError", "has_reader", "read_meshes", "thinned"]


def has_reader() -> bool:
    """Whether the packages that read and thin meshes are installed."""
    return has_packages((*READERS, "fast_simplification"))


def thinned(mesh: Mesh, most: int) -> Mesh:
    """The mesh with at most so many triangles, those kept that its form needs most (quadric edge collapse)."""
    if len(mesh.triangles) <= most:
        return mesh
    from fast_simplification import simplify

    center, size = mesh.vertices.mean(axis=0), float(np.ptp(mesh.vertices, axis=0).max()) or 1.0
    points = ((mesh.vertices - center) / size).astype(np.float32)
    vertices, triangles, *_ = simplify(points, mesh.triangles.astype(np.int32), target_count=most, agg=5.0)
    triangles = triangles[:most]  # islands of a few triangles cannot be thinned
    used, triangles = np.unique(triangles, return_inverse=True)
    return Mesh(center + size * vertices[used].astype(float), triangles.reshape(-1, 3), mesh.color)
