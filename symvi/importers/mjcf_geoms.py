"""The geoms of MJCF: shapes of bodies, and the plane that is the ground."""

from __future__ import annotations

import numpy as np

from symvi.importers.mjcf_names import Compiled, pose_of
from symvi.importers.pose import STANDING, Pose
from symvi.importers.report import Findings
from symvi.importers.tree import Geometry
from symvi.mechanism.names import shown

__all__ = ["read_geometries", "read_ground"]

PLANE, FIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)  # mjtGeom
SEEN_GROUPS = 3  # those that MuJoCo's own viewer opens with; in the others people keep what is for contact only


def read_geometries(compiled: Compiled) -> list[tuple[Geometry, ...]]:
    """The shapes of every body, of the world first."""
    found: list[list[Geometry]] = [[] for _ in range(compiled.model.nbody)]
    ground = _ground(compiled)
    for geom in range(compiled.model.ngeom):
        shape = _geometry(compiled, geom, ground)
        if shape is not None:
            found[compiled.model.geom_bodyid[geom]].append(shape)
    return [tuple(shapes) for shapes in found]


def read_ground(compiled: Compiled, findings: Findings) -> Pose:
    """The plane of the world that bodies can stand on: its point, and its z axis out of the ground."""
    geom = _ground(compiled)
    if geom is None:
        return STANDING
    findings.note(
        "taken", compiled.source("geom", geom), f"geom {shown(compiled.name('geom', geom))}", "plane",
        "the ground of all contacts that are asked for",
    )  # fmt: skip
    return pose_of(compiled.model.geom_pos[geom], compiled.model.geom_quat[geom])


def note_contacts(compiled: Compiled, asked: bool, findings: Findings) -> None:
    """Say what becomes of the contacts that the file's geoms have with each other in MuJoCo."""
    model = compiled.model
    if not compiled.is_on("CONTACT") or not model.ngeom:
        return
    ground = _ground(compiled)
    meeting = _meeting(compiled)
    if asked and ground is not None:
        meeting[ground, :] = meeting[:, ground] = False
    for geom in range(model.ngeom):
        if geom == ground or not meeting[geom].any():
            continue
        title = f"geom {shown(compiled.name('geom', geom))}"
        why = "with the ground only, of those between bodies none" if asked else "none, unless contacts are asked for"
        if not model.body_weldid[model.geom_bodyid[geom]]:
            why = "nothing but one plane of the world is ground"
        findings.note("ignored", compiled.source("geom", geom), title, "contacts", why)


def _meeting(compiled: Compiled) -> np.ndarray:
    """(geoms, geoms) whether MuJoCo looks for contacts of two geoms.

    Their bits say so, and they are neither on bodies that are welded to each other nor on one and its parent, unless
    that is the world or the file's flag says otherwise.
    """
    model = compiled.model
    wanted = np.asarray(model.geom_contype)[:, None] & np.asarray(model.geom_conaffinity)[None, :]
    own = np.asarray(model.body_weldid)[np.asarray(model.geom_bodyid)]
    parent = np.asarray(model.body_weldid)[np.asarray(model.body_parentid)[own]]
    found = ((wanted | wanted.T) != 0) & (own[:, None] != own[None, :])
    if compiled.is_on("FILTERPARENT"):
        near = (own[:, None] == parent[None, :]) & (own[:, None] != 0)
        found &= ~(near | near.T)
    return found


def _ground(compiled: Compiled) -> int | None:
    """The first plane that is part of the world and lets nothing through."""
    model = compiled.model
    for geom in range(model.ngeom):
        is_solid = model.geom_contype[geom] or model.geom_conaffinity[geom]
        if model.geom_type[geom] == PLANE and model.geom_bodyid[geom] == 0 and is_solid:
            return geom
    return None


def _geometry(compiled: Compiled, geom: int, ground: int | None) -> Geometry | None:
    model = compiled.model
    kind, (a, b, c) = int(model.geom_type[geom]), (float(value) for value in model.geom_size[geom])
    frame = pose_of(model.geom_pos[geom], model.geom_quat[geom])
    sizes = {
        PLANE: ("plane", ()),
        SPHERE: ("sphere", (a,)),
        CAPSULE: ("capsule", (a, 2.0 * b)),
        CYLINDER: ("cylinder", (a, 2.0 * b)),
        BOX: ("box", (2.0 * a, 2.0 * b, 2.0 * c)),
    }
    mesh = ""
    if kind == MESH:
        number = int(model.geom_dataid[geom])
        mesh = compiled.document.files.get(compiled.mesh_name(number), "")
        if not mesh:
            return None  # its points stand in the file itself, and no viewer gets them
        # MuJoCo moves a mesh to its principal axes; the vertices of its file stand in another frame.
        frame = frame.then(pose_of(model.mesh_pos[number], model.mesh_quat[number]).inverse())
        name, size = "mesh", tuple(float(value) for value in model.mesh_scale[number])
    elif kind in sizes:
        name, size = sizes[kind]
    else:
        return None
    solid = bool(model.geom_contype[geom] or model.geom_conaffinity[geom])
    friction = float(model.geom_friction[geom][0])
    if ground is not None:
        friction = max(friction, float(model.geom_friction[ground][0]))  # MuJoCo's rule for a pair
    red, green, blue, _ = (round(255 * min(1.0, max(0.0, float(value)))) for value in _color(compiled, geom))
    return Geometry(
        kind=name,  # type: ignore[arg-type]
        size=size,
        frame=frame,
        use="collision" if solid else "visual",
        mesh=mesh,
        color=f"#{red:02x}{green:02x}{blue:02x}",
        friction=friction,
        name=compiled.name("geom", geom),
        source=compiled.source("geom", geom),
        is_seen=bool(model.geom_group[geom] < SEEN_GROUPS),
    )


def _color(compiled: Compiled, geom: int):
    """The material's, where the geom has one."""
    model = compiled.model
    material = int(model.geom_matid[geom])
    return model.mat_rgba[material] if material >= 0 else model.geom_rgba[geom]
