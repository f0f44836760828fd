"""The geoms of MJCF: shapes of bodies, and the plane that is the ground."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from symvi.importers.ground_points import MADE_OF
from symvi.importers.mesh_contacts import moved
from symvi.importers.mjcf_collision_filter import CollisionFilter
from symvi.importers.mjcf_document import remedy_for
from symvi.importers.mjcf_names import Compiled, pose_of
from symvi.importers.pose import STANDING, Pose
from symvi.importers.report import Findings
from symvi.importers.tree import Geometry
from symvi.mechanism.names import shown

__all__ = ["note_contacts", "read_geometries", "read_ground"]

PLANE, FIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)  # mjtGeom
SEEN_GROUPS = 3  # those that MuJoCo's own viewer opens with; in the others people keep what is for contact only


def read_geometries(compiled: Compiled, collision_filter: CollisionFilter) -> list[tuple[Geometry, ...]]:
    """The shapes of every body, of the world first."""
    found: list[list[Geometry]] = [[] for _ in range(compiled.model.nbody)]
    for geom in range(compiled.model.ngeom):
        shape = _geometry(compiled, geom, collision_filter)
        if shape is not None:
            found[compiled.model.geom_bodyid[geom]].append(shape)
    return [tuple(shapes) for shapes in found]


def read_ground(compiled: Compiled, collision_filter: CollisionFilter, shapes: bool, findings: Findings) -> Pose:
    """The plane that bodies can stand on, and that stands still: its point, and its z axis out of the ground.

    shapes: whether contacts of the file's shapes are asked for; else it is for points that the caller names.
    """
    geom, source = collision_filter.ground, compiled.document.root.source
    if shapes and not compiled.is_on("CONTACT"):
        why = "switched off by <option>'s flag, though they are asked for"
        findings.note("ignored", source, "", "contacts", why)
    elif shapes and not any(collision_filter.is_for_ground(k) for k in range(compiled.model.ngeom) if k != geom):
        why = "no geom of the file can meet the ground"
        findings.note("ignored", source, "", "contacts", why)
    elif geom is None:
        why = "the file has no plane: the ground at z = 0 is added, since contacts are asked for"
        findings.note("repaired", source, "", "ground", why)
    if geom is None:
        return STANDING
    findings.note(
        "taken", compiled.source("geom", geom), f"geom {shown(compiled.name('geom', geom))}", "plane",
        "the ground of all contacts that are asked for",
    )  # fmt: skip
    return collision_filter.place(geom)


def note_contacts(compiled: Compiled, collision_filter: CollisionFilter, asked: bool, findings: Findings) -> None:
    """Say what becomes of the contacts that the file's geoms have with each other in MuJoCo."""
    model, ground = compiled.model, collision_filter.ground
    for geom in range(model.ngeom):
        source, title = compiled.source("geom", geom), f"geom {shown(compiled.name('geom', geom))}"
        if asked and collision_filter.is_directed(geom):
            why = "of the first of two directions; symvi's is the same in both"
            findings.note("approximated", source, title, "friction", why)
        if (
            asked
            and geom != ground
            and collision_filter.is_for_ground(geom)
            and _geometry(compiled, geom, collision_filter) is None
        ):
            why = f"with the ground none: they are made of {MADE_OF}; name points instead"
            findings.note("ignored", source, title, "contacts", why)
        if geom == ground or not collision_filter.meets_any(geom, ground if asked else None):
            continue
        why = "with the ground only, of those between bodies none" if asked else "none, unless contacts are asked for"
        if not model.body_weldid[model.geom_bodyid[geom]]:
            why = "nothing but one plane of the world is ground"
        findings.note("ignored", source, title, "contacts", why)


def _geometry(compiled: Compiled, geom: int, collision_filter: CollisionFilter) -> Geometry | None:
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
    use: Literal["visual", "collision"] = "collision" if collision_filter.is_for_ground(geom) else "visual"
    of_mesh: dict[str, Any] = {}
    if kind == MESH:
        number = int(model.geom_dataid[geom])
        mesh = compiled.document.files.get(compiled.mesh_name(number), "")
        if not mesh and use == "visual":
            return None  # its points stand in the file itself, and no viewer gets them
        # MuJoCo moves a mesh to its principal axes; the vertices of its file stand in another frame.
        own = pose_of(model.mesh_pos[number], model.mesh_quat[number])
        frame = frame.then(own.inverse())
        name, size = "mesh", tuple(float(value) for value in model.mesh_scale[number])
        of_mesh = {"mesh": mesh, **(_of_mesh(compiled, number, own) if use == "collision" else {})}
    elif kind in sizes:
        name, size = sizes[kind]
    else:
        return None
    red, green, blue, _ = (round(255 * min(1.0, max(0.0, float(value)))) for value in _color(compiled, geom))
    return Geometry(
        kind=name,  # type: ignore[arg-type]
        size=size,
        frame=frame,
        use=use,
        color=f"#{red:02x}{green:02x}{blue:02x}",
        friction=collision_filter.friction(geom),
        name=compiled.name("geom", geom),
        source=compiled.source("geom", geom),
        is_seen=bool(model.geom_group[geom] < SEEN_GROUPS),
        **of_mesh,
    )


def _of_mesh(compiled: Compiled, number: int, own: Pose) -> dict[str, Any]:
    """The points of a mesh as MuJoCo has compiled them, or why it could not. own: its principal axes in its frame."""
    why = compiled.document.missing.get(compiled.mesh_name(number))
    if why is not None:
        return {"missing": f"{why}{remedy_for(why)}"}
    first = int(compiled.model.mesh_vertadr[number])
    points = compiled.model.mesh_vert[first : first + int(compiled.model.mesh_vertnum[number])]
    return {"points": moved(np.asarray(points, float), own)}


def _color(compiled: Compiled, geom: int):
    """The material's, where the geom has one."""
    model = compiled.model
    material = int(model.geom_matid[geom])
    return model.mat_rgba[material] if material >= 0 else model.geom_rgba[geom]
