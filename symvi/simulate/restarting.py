"""A mechanism that starts in a given state: the coordinates of its joints, and places of bodies that have their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from symvi.mechanism import Body, Joint, Mechanism, State, coordinate_count
from symvi.mechanism.names import WORLD
from symvi.mechanism.start_values import start_values
from symvi.mechanism.tree_walk import tree_walk
from symvi.simulate.coordinates import coordinates_of


def starting_in(mechanism: Mechanism, state: State) -> Mechanism:
    """The mechanism whose start is a state of it.

    What is described as a place of a body is one again, what is described by joints again by their coordinates. Where
    drivers and gears tell coordinates they go on doing so. Bodies have velocities of their own where anything moves.
    """
    known = start_values(mechanism).coordinates
    walked = _walked(mechanism, known)
    joints = [_joint(mechanism, joint, state, joint.name in known, joint.name in walked) for joint in mechanism.joints]
    moves = bool(np.any(state.velocity) or np.any(state.angular_velocity))
    bodies = [_body(body, state, k, moves) for k, body in enumerate(mechanism.bodies)]
    return mechanism.changed(joints=joints, bodies=bodies)


def _walked(mechanism: Mechanism, known: dict[str, tuple[float, ...]]) -> set[str]:
    """The joints that place bodies at the start."""
    jointed = {name for joint in mechanism.joints for name in (joint.parent, joint.child)}
    placed = {WORLD, *(b.name for b in mechanism.bodies if b.position is not None or b.name not in jointed)}
    found = set()
    for step in tree_walk(mechanism, list(placed), placed, known):
        placed.add(step.target)
        found.add(step.joint.name)
    return found


def _joint(mechanism: Mechanism, joint: Joint, state: State, is_known: bool, is_walked: bool) -> Joint:
    if not coordinate_count(joint) or (joint.coordinate is None and (is_known or not is_walked)):
        return joint
    found, rates = coordinates_of(mechanism, joint.name, state)
    velocity = {} if joint.velocity is None else {"velocity": rates}
    return joint.changed(coordinate=found, **velocity)


def _body(body: Body, state: State, k: int, moves: bool) -> Body:
    changes: dict[str, Any] = {}
    if body.position is not None:
        changes["position"] = state.position[k]
    if body.position is not None or body.orientation is not None:
        changes["orientation"] = state.orientation[k]
    if moves or body.velocity is not None or body.angular_velocity is not None:
        changes |= {"velocity": state.velocity[k], "angular_velocity": state.angular_velocity[k]}
    return body.changed(**changes) if changes else body
