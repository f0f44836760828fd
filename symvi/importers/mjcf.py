"""MJCF, MuJoCo's format: what a file says becomes a tree (see tree.py).

MuJoCo's compiler (the extra `mjcf`) resolves defaults, frames and inertias; the numbers are those of its model's
arrays, the lines those of the file. Sources: MuJoCo's documentation, "XML Reference" and "Computation", and
mj_kinematics in engine_core_smooth.c for the joints of one body, which follow each other in the order of the file.
"""

from __future__ import annotations

from symvi.importers.formats import Format, register_format
from symvi.importers.meshes import Folders
from symvi.importers.mjcf_actuators import read_motors, with_loads_of_actuators
from symvi.importers.mjcf_bodies import read_bodies
from symvi.importers.mjcf_collision_filter import CollisionFilter
from symvi.importers.mjcf_compile import compiled
from symvi.importers.mjcf_document import prepared
from symvi.importers.mjcf_geoms import note_contacts, read_ground
from symvi.importers.mjcf_keys import read_starts, start_of
from symvi.importers.mjcf_loops import read_equalities
from symvi.importers.mjcf_names import Compiled, vector_of
from symvi.importers.mjcf_words import note_what_has_no_effect
from symvi.importers.pose import STANDING
from symvi.importers.report import Findings
from symvi.importers.tree import Tree
from symvi.importers.xml import Element
from symvi.mechanism.vectors import Vector3

__all__ = ["read_mjcf"]


def read_mjcf(root: Element, findings: Findings, contacts: bool, folders: Folders, stands: bool | None = None) -> Tree:
    """The tree of an MJCF document.

    root: the element <mujoco>. contacts: whether those of shapes are asked for. folders: where meshes and other files
    may lie. stands: whether anything is to stand on the ground, shapes or points of the caller; None: as `contacts`.
    What cannot be used is refused in `findings`; raises MechanismError where nothing sensible can be made of the file.
    """
    document = prepared(root, findings, folders)
    model = compiled(document, findings)
    note_what_has_no_effect(document.root, findings)
    names = Compiled(document, model, findings)
    collision_filter = CollisionFilter(names)
    links, joints = read_bodies(names, collision_filter, findings)
    joints = with_loads_of_actuators(names, joints, findings)
    joints, gears = read_equalities(names, joints, findings)
    note_contacts(names, collision_filter, contacts, findings)
    motors = read_motors(names, joints, findings)
    return Tree(
        name=root.attributes.get("model", ""),
        source=root.source,
        links=links,
        joints=joints,
        gears=gears,
        motors=tuple(item.motor for item in motors),
        gravity=_gravity(names),
        start=start_of(names, model.qpos0, (0.0,) * model.nv),
        starts=read_starts(names, motors, findings),
        ground=read_ground(names, collision_filter, contacts, findings) if contacts or stands else STANDING,
    )


def _gravity(compiled: Compiled) -> Vector3:
    return vector_of(compiled.model.opt.gravity) if compiled.is_on("GRAVITY") else (0.0, 0.0, 0.0)


register_format(
    Format(
        "mjcf",
        lambda root, findings, options, folders: read_mjcf(
            root, findings, bool(options.contacts), folders, bool(options.contacts or options.contact_points)
        ),
        "give a body a joint that no equality holds, or <freejoint/>",
        (".xml",),
        tag="mujoco",
        hanging="MJCF says itself which bodies are free: those with <freejoint/>",
    )
)
