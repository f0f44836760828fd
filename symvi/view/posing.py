"""Posing a mechanism by the coordinates of its joints: bodies follow the tree, loops stay closed.

In a tree a coordinate is set, and that is all. Where there are loops, small steps lead to what was asked for: along the
motion that they allow, then to the nearest configuration, weighted by mass, in which they close (`Simulator.project`).
Where no way leads there it stays behind, and that is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import NDArray

from symvi.errors import SymviError
from symvi.mechanism import Mechanism, coordinate_kinds, start_state
from symvi.mechanism.rotation import multiply, rotate
from symvi.mechanism.state import State
from symvi.mechanism.vectors import unit
from symvi.simulate import Simulator
from symvi.simulate.coordinates import coordinates_of, state_from

__all__ = ["Handle", "Pose", "Posing"]

ROUNDS = 60
MOST = 0.2  # rad: no body turns further before loops are closed again; nor moves further, in lengths of the mechanism
STUCK = 1e-4  # the slowest that a coordinate moves with the others, in the same measure, to be moved by hand
NEAR = 1e-4  # m or rad: so near to what was asked for is there
# Without limits: how far a slider reaches to both sides, in turns of the joint and in sizes of the mechanism.
REACH = {"rotation": pi, "translation": 2.0}


@dataclass(frozen=True)
class Handle:
    """A coordinate that can be moved by hand. lower, upper: as far as its limits let it, or a viewer [m or rad]."""

    joint: str
    number: int
    label: str
    unit: str
    lower: float
    upper: float


@dataclass(frozen=True)
class Pose:
    """Where bodies are, the coordinate of every handle there, and what is to be said about it; "" for nothing."""

    state: State
    values: tuple[float, ...]
    said: str = ""


class Posing:
    """The configurations of a mechanism by hand.

    length: the size of the mechanism [m], by which sliders for translations reach.
    """

    def __init__(self, mechanism: Mechanism, length: float):
        self.mechanism = mechanism
        # what holds bodies together is all that counts; drivers would hold what is to be moved
        self.joints_only = mechanism.changed(contacts=[], limits=[], forces=[], drivers=[])
        self.handles = _handles(mechanism, length)
        self.length = length
        self.closes = bool(mechanism.couplings) or len(mechanism.joints) > len(_tree(mechanism))
        self.simulator: Simulator | None = None

    def start(self) -> Pose:
        """Where the description starts; its loops closed."""
        state = start_state(self.mechanism)
        try:
            state = self._closed(_at_rest(state))
        except SymviError as error:
            return self._pose(state, f"The loops do not close here: {error}")
        return self._pose(state)

    def at(self, state: State) -> Pose:
        """The pose of a state."""
        return self._pose(state)

    def moved(self, pose: Pose, number: int, asked: float) -> Pose:
        """The pose in which a handle has the coordinate asked for; where there is none near, the last on the way."""
        if not self.closes:
            return self._pose(self._set(pose, number, asked)[0])
        problem = ""
        for _ in range(ROUNDS):
            left = asked - pose.values[number]
            if abs(left) < NEAR:
                return Pose(pose.state, pose.values)
            try:
                found = self._pose(self._closed(self._towards(pose, number, left)))
            except SymviError as error:
                problem = f" ({error})"
                break
            if abs(asked - found.values[number]) > abs(left) - 0.01 * min(abs(left), MOST):
                break
            pose = found
        handle = self.handles[number]
        at = f"the nearest found is {pose.values[number]:.4g} {handle.unit}"
        said = f"The loops do not close at {handle.label} = {asked:.4g} {handle.unit}; {at}{problem}."
        return Pose(pose.state, pose.values, said)

    def _set(self, pose: Pose, number: int, asked: float) -> tuple[State, State]:
        """Every handle where it is, one where it is asked to be, bodies follow; and the same moving along that one."""
        coordinates: dict[str, list[float]] = {}
        for k, (handle, value) in enumerate(zip(self.handles, pose.values, strict=True)):
            coordinates.setdefault(handle.joint, []).append(asked if k == number else value)
        joint = self.handles[number].joint
        rates = [float(k == self.handles[number].number) for k in range(len(coordinates[joint]))]
        still = {name: [0.0] * len(values) for name, values in coordinates.items()}
        here, moving = (
            state_from(self.joints_only, coordinates, {**still, joint: own}) for own in (still[joint], rates)
        )
        return here, moving

    def _towards(self, pose: Pose, number: int, left: float) -> State:
        """A straight step along the motion of the closed loops in which a handle moves, by `left` or less.

        That motion is the one nearest, by mass, to the one in which no other joint of the tree moves.
        """
        handle, here = self.handles[number], pose.state
        alone = self._set(pose, number, pose.values[number])[1]
        motion = self._closed(_state(here, here.position, here.orientation, alone.velocity, alone.angular_velocity))
        rate = float(coordinates_of(self.joints_only, handle.joint, motion)[1][handle.number])
        fastest = max(np.abs(motion.angular_velocity).max(), np.abs(motion.velocity).max() / self.length)
        if not abs(rate) > STUCK * fastest:
            return here
        time = left / rate
        time *= min(1.0, MOST / (abs(time) * fastest))
        turns = [
            multiply(turn, _turn(rate * time))
            for turn, rate in zip(here.orientation, motion.angular_velocity, strict=True)
        ]
        centers = np.array([body.center_of_mass for body in self.mechanism.bodies])
        position = here.position + motion.velocity * time
        position += [rotate(a, c) for a, c in zip(here.orientation, centers, strict=True)]
        position -= [rotate(a, c) for a, c in zip(turns, centers, strict=True)]
        return _at_rest(_state(here, position, np.array(turns), here.velocity, here.angular_velocity))

    def _closed(self, state: State) -> State:
        """The nearest state, by mass, in which all joints hold; so do its velocities."""
        if not self.closes:
            return state
        if self.simulator is None:
            self.simulator = Simulator(self.joints_only)
        return self.simulator.project(state)

    def _pose(self, state: State, said: str = "") -> Pose:
        """The coordinates of all handles: angles that the state knows are read there, which is quick."""
        found: dict[str, tuple[float, ...]] = {}
        for joint in {handle.joint: None for handle in self.handles}:
            kinds = coordinate_kinds(self.joints_only.joint(joint).type)
            known = state.angles.get(joint) if "translation" not in kinds else None
            found[joint] = known or tuple(coordinates_of(self.joints_only, joint, state)[0])
        return Pose(state, tuple(float(found[handle.joint][handle.number]) for handle in self.handles), said)


def _state(here: State, position, orientation, velocity, angular_velocity) -> State:
    return State(here.time, position, orientation, velocity, angular_velocity, here.names, here.angles)


def _at_rest(state: State) -> State:
    none = np.zeros_like(state.velocity)
    return _state(state, state.position, state.orientation, none, none)


def _turn(rotation: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """The quaternion of a small rotation vector."""
    x, y, z = 0.5 * rotation
    return unit((1.0, x, y, z))


def _handles(mechanism: Mechanism, length: float) -> tuple[Handle, ...]:
    """The coordinates of all joints, but for those that follow another one by a gear."""
    followers = {coupling.joints[0] for coupling in mechanism.couplings}
    limits = {(limit.joint, limit.coordinate): (limit.lower, limit.upper) for limit in mechanism.limits}
    start = start_state(mechanism)
    found = []
    for joint in mechanism.joints:
        kinds = coordinate_kinds(joint.type)
        if joint.name in followers or not kinds:
            continue
        values = coordinates_of(mechanism, joint.name, start)[0]
        for number, kind in enumerate(kinds):
            lower, upper = limits.get((joint.name, number), (None, None))
            value = float(values[number])
            reach = REACH[kind] * (length if kind == "translation" else 1.0)
            label = joint.name if len(kinds) == 1 else f"{joint.name}[{number}]"
            unit = "rad" if kind == "rotation" else "m"
            ends = (value - reach if lower is None else lower, value + reach if upper is None else upper)
            found.append(Handle(joint.name, number, label, unit, min(value, ends[0]), max(value, ends[1])))
    return tuple(found)


def _tree(mechanism: Mechanism) -> set[str]:
    """Joints of which each joins a body to those reached before: no loop is left if they are all."""
    reached = {name: name for name in ("world", *mechanism.body_names)}

    def root(name: str) -> str:
        while reached[name] != name:
            name = reached[name]
        return name

    tree = set()
    for joint in mechanism.joints:
        first, second = root(joint.parent), root(joint.child)
        if first != second:
            reached[first] = second
            tree.add(joint.name)
    return tree
