"""Joints that nothing lets move, between links of one body: what follows for gears and motors on them.

A gear of which one joint is held holds the other one too, at the coordinate that goes with it; which may join further
links to one body, and so on. A motor between parts of one body moves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import atan2, pi

from symvi.importers.grouping import Held, Places, grouped
from symvi.importers.pose import Pose
from symvi.importers.report import Findings
from symvi.importers.tree import Gear, Tree, TreeJoint
from symvi.mechanism.names import shown
from symvi.mechanism.rotation import about, from_rotation_vector
from symvi.mechanism.vectors import dot, norm, scale, subtract

__all__ = ["APART", "apart", "fixed_at", "moved", "released", "said"]

APART = 1e-3  # [m, rad]: what the digits of a file may leave open between frames that ought to be the same
Coordinates = dict[str, float]


def fixed_at(joint: TreeJoint, value: float) -> TreeJoint:
    """A hinge or slide that is fixed at a coordinate, which it keeps as its own."""
    return TreeJoint(
        joint.name,
        "fixed",
        joint.parent,
        joint.child,
        joint.source,
        joint.frame.then(moved(joint, (value,))),
        joint.child_frame,
        closes=joint.closes,
        coordinate=(value,),
    )


def released(tree: Tree, findings: Findings) -> tuple[Tree, Held, Places]:
    """The tree without gears and motors on joints that are held fast, and its bodies (grouping.grouped).

    Refused are joints that are held where they cannot be, and gears between joints that are held where they do not fit.
    """
    known = {joint.name: joint.coordinate[0] for joint in tree.joints if joint.type == "fixed" and joint.coordinate}
    while True:
        held, places = grouped(tree, findings)
        links, (tree, known) = tree.links, _without_locked_chains(tree, places, known, findings)
        if tree.links != links:
            continue
        known = known | _held_coordinates(tree, places, findings)
        further = _held_by_gears(tree, known, findings)
        findings.check()
        if not further:
            break
        known = known | further
        joints = (fixed_at(j, further[j.name]) if j.name in further else j for j in tree.joints)
        tree = replace(tree, joints=tuple(joints))
    for motor in tree.motors:
        if motor.joint in known:
            why = f"without effect: its joint {shown(motor.joint)} is held fast"
            findings.note("dropped", motor.source, f"actuator {shown(motor.name)}", "motor", why)
    gears = tuple(gear for gear in tree.gears if gear.follower not in known)
    motors = tuple(motor for motor in tree.motors if motor.joint not in known)
    return replace(tree, gears=gears, motors=motors), held, places


def moved(joint: TreeJoint, coordinate: tuple[float, ...]) -> Pose:
    """The child's frame of a hinge, slide, ball or free joint in the parent's."""
    if joint.type == "floating":
        x, y, z, *turn = coordinate
        return Pose((x, y, z), from_rotation_vector((turn[0], turn[1], turn[2])))
    if joint.type == "prismatic":
        return Pose(scale(coordinate[0], joint.axis))
    if joint.type == "revolute":
        return Pose(orientation=about(joint.axis, coordinate[0]))
    x, y, z = coordinate
    return Pose(orientation=from_rotation_vector((x, y, z)))


def apart(first: Pose, second: Pose) -> tuple[float, float]:
    """Distance [m] and angle [rad] between two frames in the same one."""
    turn = first.inverse().then(second).orientation
    return norm(subtract(first.position, second.position)), 2.0 * atan2(norm(turn[1:]), abs(turn[0]))


def said(distance: float, angle: float) -> str:
    """What of a gap is more than digits leave open."""
    return " and ".join(f"{x:.3g} {unit}" for x, unit in ((distance, "m"), (angle, "rad")) if x > APART)


# --- joints between links of one body ---------------------------------------------------------------------------------
def _held_coordinates(tree: Tree, places: Places, findings: Findings) -> Coordinates:
    """Hinge or slide between links of one body -> its coordinate there; of a hinge the turn nearest to its start."""
    found: Coordinates = {}
    for joint in tree.joints:
        parent, child = places[joint.parent], places[joint.child]
        if parent.body != child.body or joint.type not in ("revolute", "prismatic"):
            continue
        at = parent.pose.then(joint.frame).inverse().then(child.pose.then(joint.child_frame))
        value = dot(at.position, joint.axis)
        if joint.type == "revolute":
            w, *sine = at.orientation
            start = joint.coordinate[0] if joint.coordinate else 0.0
            value = 2.0 * atan2(dot((sine[0], sine[1], sine[2]), joint.axis), w)
            value += 2.0 * pi * round((start - value) / (2.0 * pi))
        gap = apart(at, moved(joint, (value,)))
        if max(gap) > APART:
            why = f"fixed joints hold its links where it cannot be, off by {said(*gap)}; leave one of them out"
            findings.refuse(joint.source, f"joint {shown(joint.name)}: {why}")
        elif joint.coordinate and abs(joint.coordinate[0] - value) > APART:
            why = f"at {joint.coordinate[0]:g}: fixed joints hold its links where it is at {value:g}"
            findings.note("ignored", joint.source, f"joint {shown(joint.name)}", "start", why)
        found[joint.name] = value
    return found


def _without_locked_chains(
    tree: Tree, places: Places, known: Coordinates, findings: Findings
) -> tuple[Tree, Coordinates]:
    """The tree without several joints of one body that lead back to the body that they begin at.

    With their ends held, joints one after the other with nothing between them move nothing that has mass.
    """
    gone: set[str] = set()
    between: set[str] = set()
    for chain in _chains(tree, places):
        first, last = chain[0], chain[-1]
        if places[first.parent].body != places[last.child].body:
            continue
        at = places[first.parent].pose
        for joint, after in zip(chain, (*chain[1:], None), strict=True):
            start = joint.coordinate or (0.0,) * (3 if joint.type == "spherical" else 1)
            at = at.then(joint.frame).then(moved(joint, start)).then(joint.child_frame.inverse())
            if after is not None:
                at = at.then(places[joint.child].pose.inverse()).then(places[after.parent].pose)
            known = known | {joint.name: start[0]}
        gap = apart(at, places[last.child].pose)
        names = ", ".join(shown(joint.name) for joint in chain)
        if max(gap) > APART:
            why = f"fixed joints hold their ends elsewhere than at their start, off by {said(*gap)}"
            findings.refuse(last.source, f"joints {names}: {why}; leave one of them out")
        why = "its ends are one body, which leaves its joints nothing to do"
        findings.note("dropped", last.source, f"joints {names}", "several joints of one body", why)
        gone |= {joint.name for joint in chain}
        between |= {places[joint.child].body for joint in chain[:-1]}
    if not gone:
        return tree, known
    links = tuple(link for link in tree.links if places[link.name].body not in between)
    left = {"", *(link.name for link in links)}
    joints = (j for j in tree.joints if j.name not in gone and {j.parent, j.child} <= left)
    return replace(tree, links=links, joints=tuple(joints)), known


def _chains(tree: Tree, places: Places) -> Iterator[list[TreeJoint]]:
    """Joints one after the other with nothing but empty links between them, two or more."""
    full = {"", *(places[link.name].body for link in tree.links if not link.is_between)}
    moving = [j for j in tree.joints if places[j.parent].body != places[j.child].body and not j.closes]
    onwards = {places[j.parent].body: j for j in moving if places[j.parent].body not in full}
    for joint in moving if onwards else ():
        chain = [joint]
        while places[joint.parent].body in full and places[chain[-1].child].body in onwards:
            chain.append(onwards[places[chain[-1].child].body])
        if len(chain) > 1:
            yield chain


# --- gears ------------------------------------------------------------------------------------------------------------
def _held_by_gears(tree: Tree, known: Coordinates, findings: Findings) -> Coordinates:
    """Joints that gears hold because the other joint of the gear is held, and where."""
    found: Coordinates = {}
    at: dict[str, list[Gear]] = {}
    for gear in tree.gears:
        for name in (gear.follower, gear.leader):
            at.setdefault(name, []).append(gear)
    told: set[int] = set()
    waiting = [name for name in known if name in at]
    while waiting:
        for gear in at[waiting.pop()]:
            if id(gear) in told:
                continue
            told.add(id(gear))
            held = known | found
            follower, leader = held.get(gear.follower), held.get(gear.leader)
            if leader is None and follower is not None and gear.ratio != 0.0:
                other, value, end = gear.leader, (follower - gear.offset) / gear.ratio, gear.follower
            else:
                other, value, end = gear.follower, gear.ratio * (leader or 0.0) + gear.offset, gear.leader
            own = held.get(other)
            if own is not None and abs(own - value) > APART:
                _contradiction(gear, own, value, other, findings)
            elif own is None:
                found[other] = value
                waiting.append(other)
                why = f"the gear with {shown(end)}, which is held fast, holds it at {value:g}"
                findings.note("taken", gear.source, f"joint {shown(other)}", "gear", why)
    return found


def _contradiction(gear: Gear, own: float, value: float, name: str, findings: Findings) -> None:
    ends = f"{shown(gear.follower)} and {shown(gear.leader)}"
    why = f"both are held fast, {shown(name)} at {own:g} where the gear needs it at {value:g}; leave one of them out"
    findings.refuse(gear.source, f"the gear between joints {ends}: {why}")
