"""Where bodies start: by their own placement, or by walking the tree of joints from the world and from placed bodies.

Loops are not closed here: a joint between two bodies that are placed already is left alone. How far it is from
closed is measured, and removed, by the assembly of a simulation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from symvi.errors import MechanismError
from symvi.mechanism.elements import Body, Joint
from symvi.mechanism.joint_motion import ZERO, displacement, turn
from symvi.mechanism.joint_table import coordinate_count, free_rotations, free_translations
from symvi.mechanism.mechanism import Mechanism
from symvi.mechanism.names import WORLD
from symvi.mechanism.rotation import IDENTITY, Quaternion4, conjugate, multiply, rotate
from symvi.mechanism.start_values import StartValues, start_values
from symvi.mechanism.tree_walk import Step, tree_walk
from symvi.mechanism.vectors import Vector3, add, subtract, unit

if TYPE_CHECKING:
    pass

__all__ = ["Placement", "known_angles", "start_placements"]


class Placement(NamedTuple):
    """A body frame in the world: its origin [m] and its orientation, body to world."""

    position: Vector3
    orientation: Quaternion4

    def point(self, local: Vector3) -> Vector3:
        """A point of the body frame in the world."""
        return add(self.position, rotate(self.orientation, local))


def known_angles(mechanism: Mechanism, values: StartValues | None = None) -> dict[str, tuple[float, ...]]:
    """Joint -> its one or two start angles [rad], whole turns included, of those that start values tell."""
    known = (values or start_values(mechanism)).coordinates
    return {
        joint.name: tuple(known[joint.name][free_translations(joint) :])
        for joint in mechanism.joints
        if joint.name in known and free_rotations(joint) in (1, 2)
    }


def start_placements(mechanism: Mechanism, values: StartValues | None = None) -> dict[str, Placement]:
    """The start placement of every body, and of the world, by name.

    A body with a position stands there, turned by its orientation if it has one. Any other body is reached by a joint
    with its coordinates (zero where they are not known); of two ways the one with fewer unknown coordinates is
    taken, then the joint that comes first. A body with an orientation only keeps it. A body without joints and
    without a position stands in the origin.
    Raises MechanismError.
    """
    values = values or start_values(mechanism)
    bodies = {body.name: body for body in mechanism.bodies}
    placements = {WORLD: Placement(ZERO, IDENTITY)}
    jointed = {name for joint in mechanism.joints for name in (joint.parent, joint.child)}
    for body in mechanism.bodies:
        if body.position is not None or body.name not in jointed:
            placements[body.name] = Placement(body.position or ZERO, body.orientation or IDENTITY)
    for step in tree_walk(mechanism, list(placements), placements, values.coordinates):
        placements[step.target] = _next_placement(step, placements, bodies[step.target], values)
    _refuse_unplaced(mechanism, placements)
    return placements


def in_world(joint: Joint, parent_orientation: Quaternion4, vector: Vector3) -> Vector3:
    """A vector of the joint frame in world axes."""
    return rotate(parent_orientation, rotate(joint.orientation, vector))


def _next_placement(step: Step, placements: dict[str, Placement], body: Body, values: StartValues) -> Placement:
    """The placement of the body that a step leads to."""
    joint = step.joint
    coordinates = values.coordinates.get(joint.name, (0.0,) * coordinate_count(joint))
    turned = multiply(joint.orientation, turn(joint, coordinates))
    moved = displacement(joint, coordinates)
    if step.to_child:
        parent = placements[joint.parent]
        orientation = body.orientation or _unit(multiply(parent.orientation, turned))
        anchor = add(parent.point(joint.parent_anchor), in_world(joint, parent.orientation, moved))
        return Placement(subtract(anchor, rotate(orientation, joint.child_anchor)), orientation)
    child = placements[joint.child]
    orientation = body.orientation or _unit(multiply(child.orientation, conjugate(turned)))
    anchor = subtract(child.point(joint.child_anchor), in_world(joint, orientation, moved))
    return Placement(subtract(anchor, rotate(orientation, joint.parent_anchor)), orientation)


def _unit(quaternion: Quaternion4) -> Quaternion4:
    """Round-off removed, so that a chain of a thousand links ends with unit quaternions too."""
    w, x, y, z = unit(quaternion)
    return (w + 0.0, x + 0.0, y + 0.0, z + 0.0)


def _refuse_unplaced(mechanism: Mechanism, placements: dict[str, Placement]) -> None:
    """One problem for each group of joined bodies without a placement."""
    neighbours: dict[str, list[str]] = {}
    for joint in mechanism.joints:
        neighbours.setdefault(joint.parent, []).append(joint.child)
        neighbours.setdefault(joint.child, []).append(joint.parent)
    left = [body.name for body in mechanism.bodies if body.name not in placements]
    problems, paths, seen = [], [], set(placements)
    for first in left:
        if first in seen:
            continue
        group, waiting = 0, [first]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                group += 1
                waiting += neighbours[name]
        others = f" (and {group - 1} more joined to it)" if group > 1 else ""
        problems.append(
            f"body '{first}'{others}: no start placement: no joint with coordinates leads here from the world or from "
            "a placed body; give it a position"
        )
        paths.append(("bodies", first))
    if problems:
        raise MechanismError(problems, paths)
