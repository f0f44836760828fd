"""Coordinates and rates of a joint model (joint_model.py), read from states: quaternions where three turns are free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symvi.mechanism import Mechanism, State, free_translations
from symvi.mechanism.rotation import conjugate, multiply, rotate
from symvi.program.queries import CoordinateJoint
from symvi.simulate.coordinates import coordinates_of

Array = NDArray[np.float64]
Read = tuple[Array, Array]


def of_body(mechanism: Mechanism, name: str, state: State) -> Read:
    """Of a body that no joint leads to: where its frame is (3 and quaternion), and its velocity in its own axes."""
    row, center = state.index(name), np.array(mechanism.body(name).center_of_mass)
    q, w = _quaternion(state.orientation[row]), state.angular_velocity[row]
    v = np.array(rotate(conjugate(q), _vector(state.velocity[row]))) - np.cross(w, center)
    return np.array([*state.position[row], *q]), np.array([*v, *w])


def of_joint(
    mechanism: Mechanism, name: str, state: State, parameters: Mapping[str, object], quaternion: bool, together: bool
) -> Read:
    """Of a joint. quaternion: its three turns are free. together: all six, whose rates are in the child's axes."""
    q, rates = coordinates_of(mechanism, name, state, parameters)
    if not quaternion:
        return q, rates
    joint = mechanism.joint(name)
    slides, turn, spin = free_translations(joint), (1.0, 0.0, 0.0, 0.0), np.zeros(3)
    if joint.parent != "world":
        row = state.index(joint.parent)
        turn, spin = _quaternion(state.orientation[row]), state.angular_velocity[row]
    row = state.index(joint.child)
    child = _quaternion(state.orientation[row])
    between = multiply(conjugate(turn), child)
    w = state.angular_velocity[row] - np.array(rotate(conjugate(between), _vector(spin)))
    own = multiply(conjugate(multiply(turn, joint.orientation)), child)
    v = np.array(rotate(conjugate(own), _vector(rates[:3]))) if together else rates[:slides]
    return np.array([*q[:slides], *own]), np.array([*v, *w])


def coordinates_at(
    mechanism: Mechanism, held: Sequence[CoordinateJoint], state: State, parameters: Mapping[str, object]
) -> Read:
    """Coordinates of all joints, and their rates."""
    q, rates = np.zeros(max(each.coordinates.stop for each in held)), np.zeros(max(each.rates.stop for each in held))
    for each in held:
        if each.type == "free body":
            found = of_body(mechanism, each.name, state)
        elif each.size:
            found = of_joint(mechanism, each.name, state, parameters, each.quaternion is not None, each.together)
        else:
            continue
        q[each.coordinates], rates[each.rates] = found
    return q, rates


def _quaternion(values: Array) -> tuple[float, float, float, float]:
    w, x, y, z = map(float, values)
    return w, x, y, z


def _vector(values: Array) -> tuple[float, float, float]:
    x, y, z = map(float, values)
    return x, y, z
