"""The equality constraints of MJCF: soft in MuJoCo, held exactly here.

connect   one point of two bodies is the same: a spherical joint. Two between the same bodies hold the line through
          both points, a revolute joint; three that are not in line hold everything, a fixed one
weld      a fixed joint; one whose torquescale is 0 holds its point alone, as a connect does: MuJoCo multiplies the
          rows of the rotation by it, and no other value of it changes what is held
joint     c1 - c1(0) = a0 + a1 (c2 - c2(0)): a gear, or where there is no second joint, a joint that is fixed

Layout of eq_data: mjmodel.h, and mj_instantiateEqual in engine_core_constraint.c.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from symvi.importers.holding import fixed_at
from symvi.importers.mjcf_names import Compiled, pose_of, vector_of
from symvi.importers.pose import Pose, from_axes
from symvi.importers.report import Findings, Source
from symvi.importers.tree import Gear, TreeJoint, by_name
from symvi.mechanism.axes import triad
from symvi.mechanism.names import shown
from symvi.mechanism.rotation import Quaternion4
from symvi.mechanism.vectors import Vector3, cross, dot, norm, scale, subtract, unit

__all__ = ["read_equalities"]

IN_LINE = 1e-9  # distance of points that count as in line, relative to that of the two farthest
APART = 1e-6  # relative difference of two distances that ought to be the same
CONNECT, WELD, JOINT = range(3)  # mjtEq
TORQUE_SCALE = 10  # its place in the data of a weld


@dataclass(frozen=True)
class Held:
    """A frame on one body, and the frame on the other that it is held to."""

    parent: str
    child: str
    frame: Pose
    child_frame: Pose
    name: str
    source: Source

    def turned_over(self) -> Held:
        """The same with the bodies exchanged."""
        return replace(
            self, parent=self.child, child=self.parent, frame=self.child_frame, child_frame=self.frame
        )  # fmt: skip


def read_equalities(
    compiled: Compiled, joints: tuple[TreeJoint, ...], findings: Findings
) -> tuple[tuple[TreeJoint, ...], tuple[Gear, ...]]:
    """The joints with those that close loops behind them, and the gears."""
    model = compiled.model
    points: dict[tuple[str, str], list[Held]] = {}
    loops: list[TreeJoint] = []
    gears: list[Gear] = []
    changed = by_name(joints)
    for index in range(model.neq):
        kind, title = int(model.eq_type[index]), f"equality {shown(compiled.name('equality', index))}"
        source = compiled.source("equality", index)
        if not (model.eq_active0[index] and compiled.is_on("EQUALITY")):
            findings.note("ignored", source, title, "equality that is off", "nothing here can switch it on")
        elif kind in (CONNECT, WELD):
            held = _held(compiled, index, changed, findings)
            if held is None:
                findings.note("dropped", source, title, "equality", "both sides are one body")
            elif kind == WELD and model.eq_data[index][TORQUE_SCALE] != 0.0:
                findings.note(
                    "taken", source, title, "weld", "a fixed joint, held exactly; its weights have no meaning"
                )
                loops.append(_joint(held, "fixed"))
            else:
                if kind == WELD:
                    findings.note("taken", source, title, "weld", "torquescale 0: one point is held, as by a connect")
                points.setdefault((held.parent, held.child), []).append(held)
        elif kind == JOINT:
            _couple(compiled, index, title, changed, gears, findings)
        else:
            findings.note("ignored", source, title, "equality", "of tendons or soft bodies, which are not imported")
    for held in points.values():
        loops.append(_connected(held, findings))
    return (*changed.values(), *loops), tuple(gears)


def _held(compiled: Compiled, index: int, joints: Mapping[str, TreeJoint], findings: Findings) -> Held | None:
    """Both sides of a connect or weld; the world, "", is never the child. joints: those of the tree, by name."""
    model = compiled.model
    first, second = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    data = [float(value) for value in model.eq_data[index]]
    if model.eq_objtype[index] == int(compiled.mujoco.mjtObj.mjOBJ_SITE):
        frame, other = (pose_of(model.site_pos[site], model.site_quat[site]) for site in (first, second))
        first, second = (int(model.site_bodyid[site]) for site in (first, second))
    elif model.eq_type[index] == CONNECT:
        frame, other = Pose(vector_of(data[:3])), Pose(vector_of(data[3:6]))
    else:
        frame, other = pose_of(data[3:6], data[6:10]), Pose(vector_of(data[:3]))
    if first == second:
        return None
    name, source = compiled.equalities[index], compiled.source("equality", index)
    if name in joints:  # MuJoCo has names of their own for each kind of element
        own = compiled.free.make(f"{name}_loop", "joint", source)
        why = f"{shown(own)}: a joint of the file has its own"
        findings.note("renamed", source, f"equality {shown(name)}", "name", why)
        name = own
    held = Held(compiled.bodies[first], compiled.bodies[second], frame, other, name, source)
    return held if second and first < second or not first else held.turned_over()


def _joint(held: Held, kind: str, **own) -> TreeJoint:
    return TreeJoint(
        held.name, kind, held.parent, held.child, held.source, held.frame, held.child_frame, closes=True, **own
    )


def _connected(held: list[Held], findings: Findings) -> TreeJoint:
    """The joint that holds all points of two bodies."""
    first = held[0]
    points = [item.frame.position for item in held]
    others = [item.child_frame.position for item in held]
    far = max(held, key=lambda item: norm(subtract(item.frame.position, points[0])))
    line, other = (subtract(a, b) for a, b in zip(_ends(far), _ends(first), strict=True))
    size = norm(line)
    names = ", ".join(shown(item.name) for item in held)
    if size == 0.0:
        for item in held:
            why = "a spherical joint, held exactly"
            findings.note("taken", item.source, f"equality {shown(item.name)}", "connect", why)
        return _joint(first, "spherical")
    if abs(norm(other) - size) > APART * size:
        lengths = f"{size:g} m and {norm(other):g} m"
        findings.refuse(first.source, f"equalities {names}: their points are {lengths} apart on the two bodies")
    last = max(held, key=lambda item: _distance(item.frame.position, points[0], line))
    turn = _frame(line, subtract(last.frame.position, points[0]))
    child_turn = _frame(other, subtract(last.child_frame.position, others[0]))
    base = replace(first, frame=Pose(points[0], turn), child_frame=Pose(others[0], child_turn))
    in_line = _distance(last.frame.position, points[0], line) <= IN_LINE * size
    kind = "revolute" if in_line else "fixed"
    said = "a revolute joint on the line through them" if in_line else "a fixed joint"
    findings.note(
        "taken", first.source, f"equalities {names}", f"{len(held)} connects of two bodies", f"{said}, held exactly"
    )
    return _joint(base, kind)


def _ends(held: Held) -> tuple[Vector3, Vector3]:
    return held.frame.position, held.child_frame.position


def _distance(point: Vector3, origin: Vector3, line: Vector3) -> float:
    """Of a point from a line."""
    return norm(cross(subtract(point, origin), unit(line)))


def _frame(line: Vector3, towards: Vector3) -> Quaternion4:
    """A rotation whose z axis is the line, and whose x axis points as nearly as possible towards a point."""
    z = unit(line)
    aside = subtract(towards, scale(dot(towards, z), z))
    x = unit(aside) if norm(aside) > IN_LINE * norm(line) else triad(z)[0]
    return from_axes(x, cross(z, x), z)


def _couple(
    compiled: Compiled, index: int, title: str, joints: dict[str, TreeJoint], gears: list[Gear], findings: Findings
) -> None:
    """An equality of joints, put into `gears`; or, where it has one joint only, that joint fixed in `joints`."""
    model, source = compiled.model, compiled.source("equality", index)
    first, second = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    a0, a1, *higher = (float(value) for value in model.eq_data[index][:5])
    follower = compiled.joints[first]
    start = float(model.qpos0[model.jnt_qposadr[first]])
    if second < 0:
        joint, value = joints[follower], start + a0
        if joint.type == "fixed":
            if joint.coordinate != (value,):
                findings.refuse(source, f"{title}: another equality holds joint {shown(follower)} elsewhere")
            return
        joints[follower] = fixed_at(joint, value)
        findings.note("taken", source, title, "joint", f"joint {shown(follower)} is fixed where it holds it")
        return
    leader = compiled.joints[second]
    if any(higher):
        why = "its polynomial is no gear; write it as a custom joint's expression"
        findings.refuse(source, f"{title}: couples {shown(follower)} and {shown(leader)} by a curve: {why}")
        return
    offset = start + a0 - a1 * float(model.qpos0[model.jnt_qposadr[second]])
    findings.note("taken", source, title, "joint", "a gear between two joints, held exactly in both directions")
    gears.append(Gear(follower, leader, a1, offset, source, compiled.name("equality", index)))
