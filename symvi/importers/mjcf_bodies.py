"""The bodies of MJCF, with the joints that carry them.

A body may have several joints, which move it one after the other, each about its own point and axis in the body's frame
as the joints before it have left it:

    slide: body frame moved by axis (q - ref)          hinge, ball: turned about the point `pos`, by q - ref

They become joints with an empty link between them; joining.py makes one joint of them where a standard one moves alike.
Coordinates are MuJoCo's qpos: the frames take up `ref`.
"""

from __future__ import annotations

from symvi.importers.mjcf_collision_filter import CollisionFilter
from symvi.importers.mjcf_document import remedy_for
from symvi.importers.mjcf_geoms import MESH, read_geometries
from symvi.importers.mjcf_names import Compiled, pose_of, vector_of
from symvi.importers.pose import STANDING, Pose
from symvi.importers.report import Findings
from symvi.importers.tree import Inertial, Link, TreeJoint
from symvi.mechanism.inertia import turned
from symvi.mechanism.names import shown
from symvi.mechanism.rotation import about, rotation_vector
from symvi.mechanism.vectors import scale

__all__ = ["coordinates_of_free", "read_bodies"]

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
TYPES = {FREE: "floating", BALL: "spherical", SLIDE: "prismatic", HINGE: "revolute"}
COUNTS = {FREE: 6, BALL: 3, SLIDE: 1, HINGE: 1}


def read_bodies(
    compiled: Compiled, collision_filter: CollisionFilter, findings: Findings
) -> tuple[tuple[Link, ...], tuple[TreeJoint, ...]]:
    """Links and joints, without loops. The world is no link."""
    links: list[Link] = []
    joints: list[TreeJoint] = []
    shapes = read_geometries(compiled, collision_filter)
    for body in range(1, compiled.model.nbody):
        inner, own = _joints(compiled, body, findings)
        links += inner
        joints += own
        links.append(_link(compiled, body, shapes[body], findings))
    return tuple(links), tuple(joints)


def _link(compiled: Compiled, body: int, shapes: tuple, findings: Findings) -> Link:
    model, name, source = compiled.model, compiled.bodies[body], compiled.source("body", body)
    title = f"body {shown(name)}"
    mass = float(model.body_mass[body])
    inertial = None
    if mass > 0.0 or model.body_inertia[body].any():
        frame = pose_of(model.body_ipos[body], model.body_iquat[body])
        a, b, c = (float(value) for value in model.body_inertia[body])
        inertial = Inertial(mass, frame.position, turned((a, b, c, 0.0, 0.0, 0.0), frame.orientation))
        findings.note("taken", source, title, "body", "its mass and inertia as MuJoCo compiles them")
        _refuse_missing_mass(compiled, body, title, findings)
    if model.body_mocapid[body] >= 0:
        findings.note("ignored", source, title, "mocap", "held where it is; give it a joint and drivers to move it")
    element = compiled.element("body", body).first("inertial")
    color = next((shape.color for shape in shapes if shape.color), None)
    return Link(name, source, inertial, element.source if element else source, shapes, color)


def _refuse_missing_mass(compiled: Compiled, body: int, title: str, findings: Findings) -> None:
    """Inertia that the compiler made of a mesh that is not there."""
    model = compiled.model
    if compiled.element("body", body).first("inertial") is not None:
        return
    first = int(model.body_geomadr[body])
    for geom in range(first, first + int(model.body_geomnum[body])):
        mesh = int(model.geom_dataid[geom])
        if int(model.geom_type[geom]) != MESH or mesh < 0:
            continue
        name = compiled.mesh_name(mesh)
        if name in compiled.document.missing:
            file, why = compiled.document.files[name], compiled.document.missing[name]
            findings.refuse(
                compiled.source("geom", geom),
                f"{title}: its mass comes from the mesh {shown(file)}, which cannot be read: {why}"
                f"{remedy_for(why)}; or give the body <inertial>",
            )
            return


def _joints(compiled: Compiled, body: int, findings: Findings) -> tuple[list[Link], list[TreeJoint]]:
    """The joints that carry a body, and the empty links between them."""
    model, name = compiled.model, compiled.bodies[body]
    parent = compiled.bodies[model.body_parentid[body]]
    at = pose_of(model.body_pos[body], model.body_quat[body])
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    if not count:
        source = compiled.source("body", body)
        weld = compiled.free.make(f"{name}_weld", "joint", source)
        return [], [TreeJoint(weld, "fixed", parent, name, source, frame=at)]
    links, joints = [], []
    for joint in range(first, first + count):
        is_last = joint == first + count - 1
        own = compiled.joints[joint]
        child = name if is_last else compiled.free.make(f"{own}_link", "link", compiled.source("joint", joint))
        joints.append(_joint(compiled, joint, parent, child, at, findings))
        if not is_last:
            links.append(Link(child, compiled.source("joint", joint), is_between=True, is_named=False))
        parent, at = child, STANDING
    return links, joints


def _joint(compiled: Compiled, joint: int, parent: str, child: str, at: Pose, findings: Findings) -> TreeJoint:
    """at: the body frame in the parent's, before this joint moves."""
    model, name, source = compiled.model, compiled.joints[joint], compiled.source("joint", joint)
    title = f"joint {shown(name)}"
    kind = int(model.jnt_type[joint])
    place = int(model.jnt_qposadr[joint])
    axis, point = vector_of(model.jnt_axis[joint]), Pose(vector_of(model.jnt_pos[joint]))
    values = {
        "limits": _limits(compiled, joint, kind, title, findings),
        **_loads(compiled, joint, kind, title, findings),
    }
    findings.note("taken", source, title, "joint", f"type {TYPES[kind]}")
    if kind == FREE:
        start = coordinates_of_free(model.qpos0[place : place + 7])
        return TreeJoint(name, "floating", parent, child, source, coordinate=start, **values)
    if kind == BALL:
        return TreeJoint(name, "spherical", parent, child, source, at.then(point), point, **values)
    reference = float(model.qpos0[place])
    back = Pose(scale(-reference, axis)) if kind == SLIDE else Pose(orientation=about(axis, -reference))
    frame = at.then(point).then(back) if reference else at.then(point)
    start = (reference,) if reference else None
    return TreeJoint(name, TYPES[kind], parent, child, source, frame, point, axis, coordinate=start, **values)


def coordinates_of_free(values) -> tuple[float, ...]:
    """A free joint's seven coordinates in MuJoCo as position [m] and rotation vector [rad]."""
    x, y, z, *quaternion = (float(value) for value in values)
    pose = pose_of((x, y, z), quaternion)
    return (*pose.position, *rotation_vector(pose.orientation))


def _limits(compiled: Compiled, joint: int, kind: int, title: str, findings: Findings) -> tuple:
    model = compiled.model
    if not model.jnt_limited[joint]:
        return ()
    source = compiled.source("joint", joint)
    if not compiled.is_on("LIMIT"):
        findings.note("taken", source, title, "range", "switched off by <option>'s flag")
        return ()
    if kind not in (SLIDE, HINGE):
        why = "the largest angle of a ball joint is no limit of one coordinate; three hinges have limits"
        findings.note("ignored", source, title, "range", why)
        return ()
    lower, upper = (float(value) for value in model.jnt_range[joint])
    if lower == upper:
        findings.note("approximated", source, title, "range", "would hold the joint for good; taken as without stops")
        return ()
    return ((lower, upper),)


def _loads(compiled: Compiled, joint: int, kind: int, title: str, findings: Findings) -> dict[str, tuple[float, ...]]:
    """Stiffness, rest, damping, dry friction and armature per coordinate."""
    model, count, source = compiled.model, COUNTS[kind], compiled.source("joint", joint)
    first = int(model.jnt_dofadr[joint])
    result: dict[str, tuple[float, ...]] = {}
    stiffness = float(model.jnt_stiffness[joint])
    if stiffness and compiled.is_on("SPRING"):
        if kind == FREE:
            findings.note("ignored", source, title, "stiffness", "of a free joint; give the body a point spring")
        else:
            result["stiffness"] = (stiffness,) * count
            if kind != BALL:
                result["rest"] = (float(model.qpos_spring[model.jnt_qposadr[joint]]),)
    dofs = slice(first, first + count)
    for name, array, switch in (
        ("damping", model.dof_damping, "DAMPER"),
        ("friction", model.dof_frictionloss, "FRICTIONLOSS"),
        ("armature", model.dof_armature, ""),
    ):
        values = tuple(float(value) for value in array[dofs])
        if any(values) and compiled.is_on(switch):
            result[name] = values
    for name, array, index in (("stiffness", "jnt_stiffnesspoly", joint), ("damping", "dof_dampingpoly", first)):
        if getattr(model, array, None) is not None and getattr(model, array)[index].any():
            findings.note("approximated", source, title, name, "linear part only; its polynomial is left out")
    if "friction" in result and kind in (FREE, BALL):
        why = "of a rotation about the axes of the joint frame on the parent, in MuJoCo about those of the body"
        findings.note("approximated", source, title, "frictionloss", why)
    elif "friction" in result:
        findings.note("taken", source, title, "frictionloss", "dry friction, held exactly where it sticks")
    if "armature" in result and kind in (FREE, BALL):
        del result["armature"]
        why = f"inertia of a motor along several coordinates ({TYPES[kind]}); make it part of the body's inertia"
        findings.note("ignored", source, title, "armature", why)
    return result
