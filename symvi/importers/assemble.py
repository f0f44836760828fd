"""From a clean tree to a mechanism: names, frames, loads, contacts with the ground, and where it starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from symvi.errors import MechanismError
from symvi.importers.ground_points import shape_of
from symvi.importers.naming import Names
from symvi.importers.pose import Pose
from symvi.importers.report import Findings, Source
from symvi.importers.starts import start_of
from symvi.importers.tree import ContactPoint, Link, Tree, TreeJoint
from symvi.mechanism import (
    Actuator,
    Body,
    Contact,
    Coupling,
    DryFriction,
    JointDamper,
    JointSpring,
    Limit,
    Mechanism,
    Servo,
)
from symvi.mechanism.joint_table import coordinate_kinds
from symvi.mechanism.names import WORLD, shown
from symvi.mechanism.placement import start_placements
from symvi.mechanism.rotation import conjugate, multiply, rotate
from symvi.mechanism.shapes import Shape
from symvi.mechanism.vectors import add, unit

__all__ = ["Assembled", "assembled"]

LOADS = (
    ("damping", JointDamper, "damping"),
    ("friction", DryFriction, "bound"),
)


@dataclass(frozen=True)
class Assembled:
    """The mechanism, and the names that links and joints of the tree have in it."""

    mechanism: Mechanism
    bodies: Mapping[str, str]
    joints: Mapping[str, str]


def assembled(
    tree: Tree, findings: Findings, name: str, prefix: str = "", friction: float = 0.8, gravity: Any = None,
    lift: str = "",
) -> Assembled:  # fmt: skip
    """The mechanism of a tree.

    name: of the mechanism. prefix: before all names. friction: of contacts whose file says nothing.
    gravity: instead of the file's [m/s^2]. lift: the floating joint of the base, which then starts with the lowest
    contact point on the ground; "" leaves the start as it is.
    Raises MechanismError, each problem with the place of the element in the file where that is known.
    """
    names = Names(findings, prefix)
    bodies = {link.name: names.give(link.name, "link", link.source) for link in tree.links}
    joints = {joint.name: names.give(joint.name, "joint", joint.source) for joint in tree.joints}
    shapes = {link.name: _shape(link) for link in tree.links}
    followers = {gear.follower for gear in tree.gears}
    leaders = {gear.leader for gear in tree.gears}
    named = {joint.name for joint in tree.joints} if any(joint.closes for joint in tree.joints) else leaders
    # what the file names comes before what is named after it: dampers, springs, limits
    couplings, motors = list(_couplings(tree, joints, names)), list(_motors(tree, joints, names))
    values: dict[str, Any] = {
        "bodies": [_body(link, bodies, shapes[link.name], tree) for link in tree.links],
        "joints": [
            _joint(joint, bodies, joints, joint.name in named, joint.name in followers, findings)
            for joint in tree.joints
        ],
        "couplings": couplings,
        "forces": [*_forces(tree, joints, names), *motors],
        "limits": list(_limits(tree, joints, names)),
        "contacts": [_contact(point, bodies, names, friction, tree.ground) for point in tree.contacts],
    }
    if gravity is not None or tree.gravity is not None:
        values["gravity"] = gravity if gravity is not None else tree.gravity
    mechanism = _built(name, values, tree, bodies, joints)
    if lift and tree.contacts:
        mechanism = _lifted(mechanism, joints[lift], findings, tree)
    return Assembled(mechanism, bodies, joints)


def _built(name: str, values: dict[str, Any], tree: Tree, bodies: dict, joints: dict) -> Mechanism:
    """The mechanism; its complaints get the place in the file of the element that they are about."""
    try:
        return Mechanism(name=name, description=tree.description, **values)
    except MechanismError as error:
        places: dict[tuple[str | int, ...], Source] = {
            ("bodies", bodies[link.name]): link.source for link in tree.links
        }
        places |= {("joints", joints[joint.name]): joint.source for joint in tree.joints}
        told = [
            f"{places.get(tuple(path[:2]), tree.source)}: {problem}"
            for path, problem in zip(error.paths, error.problems, strict=True)
        ]
        raise MechanismError(told) from None


def _shape(link: Link) -> Shape | None:
    """What a page draws: the first shape that is no mesh, of the visual ones before the others."""
    simple = [shape for shape in link.geometries if shape.kind not in ("mesh", "plane")]
    first = sorted(simple, key=lambda shape: shape.use != "visual")[:1]
    return shape_of(first[0]) if first else None


def _body(link: Link, names: Mapping[str, str], shape: Shape | None, tree: Tree) -> Body | dict[str, Any]:
    inertial = link.inertial
    assert inertial is not None, link.name  # policy.py sees to it
    own: dict[str, Any] = {}
    if link.name in tree.placements:
        place = tree.placements[link.name]
        own = {"position": place.position, "orientation": place.orientation}
    return {
        "name": names[link.name],
        "mass": inertial.mass,
        "inertia": inertial.inertia,
        "center_of_mass": inertial.center,
        "shape": shape,
        "color": link.color,
        **own,
    }


def _joint(
    joint: TreeJoint, bodies: Mapping[str, str], names: Mapping[str, str], named: bool, follows: bool,
    findings: Findings,
) -> dict[str, Any]:  # fmt: skip
    """symvi's joint has one frame, on the parent, parallel to the child's own frame at zero coordinates.

    With frames q_a on the parent and q_b on the child, q_child = q_parent q_a M q_b*, where M turns about the joint's
    axes; this is q_parent (q_a q_b*) (q_b M q_b*), so the axes are seen from the child's frame.
    """
    q_b = joint.child_frame.orientation
    w, x, y, z = unit(multiply(joint.frame.orientation, conjugate(q_b)))

    def seen(axis: tuple) -> tuple:
        return axis if q_b == (1.0, 0.0, 0.0, 0.0) else rotate(q_b, axis)

    result: dict[str, Any] = {
        "name": names[joint.name],
        "type": joint.type,
        "parent": bodies[joint.parent] if joint.parent else WORLD,
        "child": bodies[joint.child],
        "parent_anchor": joint.frame.position,
        "child_anchor": joint.child_frame.position,
        "orientation": (w, x, y, z),
        "axis": seen(joint.axis),
        "coordinate": _start(joint, named, follows, findings),
        "velocity": joint.velocity,
    }
    if joint.child_axis is not None:
        result["child_axis"] = seen(joint.child_axis)
    if joint.directions:
        result |= _held_along(joint)
    return result | {name: getattr(joint, name) for name in ("length", "pitch") if getattr(joint, name) is not None}


def _held_along(joint: TreeJoint) -> dict[str, Any]:
    """The expressions of a joint that holds two points together along directions of the world.

    A row is n . (x_b + R_b p_b - x_a - R_a p_a) = 0.
    """
    parameters: dict[str, float] = {}

    def times(name: str, value: float, factor: str) -> str:
        parameters[name] = value
        return f"{name}*{factor}"

    rows = []
    for row, direction in enumerate(joint.directions, 1):
        terms = []
        for i, along in enumerate(direction):
            if along == 0.0:
                continue
            ends = ""
            for sign, body, anchor in (("+", "b", joint.child_frame.position), ("-", "a", joint.frame.position)):
                ends += f" {sign} x_{body}[{i}]"
                for k, entry in enumerate(anchor):
                    if entry != 0.0:
                        ends += f" {sign} " + times(f"p_{body}{k + 1}", entry, f"R_{body}[{i}, {k}]")
            ends = ends.removeprefix(" + ")
            terms.append(ends if along == 1.0 else times(f"n{row}_{i + 1}", along, f"({ends})"))
        rows.append(" + ".join(terms))
    return {"expressions": rows, "parameters": parameters}


def _start(joint: TreeJoint, named: bool, follows: bool, findings: Findings) -> tuple[float, ...] | None:
    """The start coordinates that the description needs, and a word in the report where limits have changed them.

    named: whether zeros must be written. In a tree zero is what a joint without a start has; in a loop it says which
    joints place and which close, and of a joint that others follow it says where these start.
    """
    start = start_of(joint)
    if joint.closes or follows or start is None:
        return joint.coordinate
    if start != (joint.coordinate or (0.0,) * len(start)):
        values = ", ".join(f"{value:g}" for value in start)
        why = f"at {values}: its limits exclude {'zero' if joint.coordinate is None else 'the start of the file'}"
        findings.note("approximated", joint.source, f"joint {shown(joint.name)}", "start", why)
    return start if any(start) or named else joint.coordinate


def _couplings(tree: Tree, joints: Mapping[str, str], names: Names) -> Iterator[Coupling]:
    for gear in tree.gears:
        name = (
            names.derive(joints[gear.follower], "mimic")
            if not gear.name
            else names.give(gear.name, "coupling", gear.source)
        )
        pair = (joints[gear.follower], joints[gear.leader])
        yield Coupling(name=name, joints=pair, ratio=gear.ratio, offset=gear.offset)


def _flywheels(tree: Tree) -> dict[str, str]:
    """Joint -> the axle of its flywheel."""
    return {gear.leader: gear.follower for gear in tree.gears if gear.is_rotor}


def _forces(tree: Tree, joints: Mapping[str, str], names: Names) -> Iterator[Any]:
    flywheels = _flywheels(tree)
    for joint in tree.joints:
        name = joints[joint.name]
        for what, kind, field in LOADS:
            values = getattr(joint, what)
            if any(values):
                on = joints[flywheels.get(joint.name, joint.name)] if kind is DryFriction else name
                own: dict[str, Any] = {field: _per_axis(values, joint)}
                yield kind(name=names.derive(name, what), joint=on, **own)
        if any(joint.stiffness):
            spring: dict[str, Any] = {"stiffness": _per_axis(joint.stiffness, joint)}
            if any(joint.rest):
                spring["rest"] = _per_axis(joint.rest, joint)
            yield JointSpring(name=names.derive(name, "spring"), joint=name, **spring)


def _per_axis(values: tuple[float, ...], joint: TreeJoint) -> float | tuple[float, ...]:
    """One number where it stands for all axes."""
    kinds = set(coordinate_kinds(joint.type))
    return values[0] if len(set(values)) == 1 and len(kinds) == 1 else values


def _motors(tree: Tree, joints: Mapping[str, str], names: Names) -> Iterator[Actuator | Servo]:
    for motor in tree.motors:
        name = names.give(motor.name, "actuator", motor.source)
        if motor.kind == "effort":
            yield Actuator(name=name, joint=joints[motor.joint], signal=motor.signal)
        else:
            own = {"stiffness": motor.stiffness, "damping": motor.damping, "signal": motor.signal}
            yield Servo(name=name, joint=joints[motor.joint], **own)


def _limits(tree: Tree, joints: Mapping[str, str], names: Names) -> Iterator[Limit]:
    flywheels = _flywheels(tree)
    for joint in tree.joints:
        on = joints[flywheels.get(joint.name, joint.name)]
        for number, (lower, upper) in enumerate(joint.limits):
            if lower is not None or upper is not None:
                own = names.derive(joints[joint.name], f"limit{number if len(joint.limits) > 1 else ''}")
                yield Limit(name=own, joint=on, coordinate=number, lower=lower, upper=upper)


def _contact(point: ContactPoint, bodies: Mapping[str, str], names: Names, friction: float, ground: Pose) -> Contact:
    return Contact(
        parent_anchor=ground.position,
        normal=ground.vector((0.0, 0.0, 1.0)),
        name=names.make(point.name, "contact"),
        child=bodies[point.link],
        child_anchor=point.position,
        radius=point.radius,
        friction=friction if point.friction is None else point.friction,
    )


def _lifted(mechanism: Mechanism, joint: str, findings: Findings, tree: Tree) -> Mechanism:
    """The mechanism whose base starts so high that its lowest contact point touches the ground, and none is in it."""
    places = start_placements(mechanism)
    heights = [places[c.child].point(c.child_anchor)[2] - c.radius for c in mechanism.contacts]
    lift = 0.0 - min(heights)
    moved = []
    for item in mechanism.joints:
        if item.name == joint:
            x, y, z, *turn = item.coordinate or (0.0,) * 6
            up = rotate(conjugate(item.orientation), (0.0, 0.0, lift))
            item = item.changed(coordinate=(*add((x, y, z), up), *turn))
        moved.append(item)
    why = f"the base starts {lift:.6g} m higher, with the lowest contact point on the ground"
    findings.note("taken", tree.source, "", "start", why)
    return mechanism.changed(joints=moved)
