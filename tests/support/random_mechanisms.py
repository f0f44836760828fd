"""Random mechanisms that are assembled where they start: trees and loops of every joint type, gears, drivers, forces.

A blueprint says what is joined to what; hypothesis draws it, and shrinks it to the smallest that fails. Its numbers
come from a seed: bodies are placed at random, joints are then made to fit. A loop, gear or driver is taken only if all
rows stay independent, well above round-off; velocities are random among those that all rows allow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from symvi.mechanism import (
    JOINT_TYPES,
    Body,
    Box,
    Coupling,
    Driver,
    Joint,
    Mechanism,
    State,
    Wrench,
    coordinate_count,
    start_state,
)
from symvi.mechanism.inertia import turned
from tests.support.floating_pairs import FORCE_KINDS, internal_force
from tests.support.kinematics import driver_rates, jacobian
from tests.support.placing import Fit, fitted_joint, random_quaternion
from tests.support.poses import WORLD, Pose

__all__ = ["Blueprint", "assembled_mechanisms", "blueprints", "random_mechanism"]

FREE, GROUND = -2, -1  # instead of the number of a parent: nothing, and the world
LEAST_INDEPENDENCE = 1e-2  # smallest singular value of rows scaled to length one


@dataclass(frozen=True)
class Blueprint:
    """What is joined to what.

    tree: for every body its parent (FREE, GROUND or the number of an earlier body) and the type of the joint between.
    loops: (body, other body or GROUND, joint type), between any two. forces: (kind, number of a joint).
    couplings: pairs of numbers of joints. drivers: numbers of joints. wrenches: numbers of bodies.
    Numbers too large are taken modulo; what does not fit is left out.
    """

    tree: tuple[tuple[int, str], ...]
    loops: tuple[tuple[int, int, str], ...] = ()
    forces: tuple[tuple[str, int], ...] = ()
    couplings: tuple[tuple[int, int], ...] = ()
    drivers: tuple[int, ...] = ()
    wrenches: tuple[int, ...] = ()
    seed: int = 0

    def build(self) -> Mechanism:
        """The mechanism with bodies that are placed, and move, as all its constraints allow."""
        random = np.random.default_rng(self.seed)
        bodies = [_random_body(f"body{k}", random) for k in range(len(self.tree))]
        poses = {"world": WORLD} | {
            body.name: Pose(np.array(body.position), np.array(body.orientation)) for body in bodies
        }
        joints = [
            _joint(f"tree{k}", joint_type, _name(parent), f"body{k}", poses, random)
            for k, (parent, joint_type) in enumerate(self.tree)
            if parent != FREE
        ]
        mechanism = Mechanism(name="random", bodies=bodies, joints=joints, gravity=tuple(random.uniform(-9, 9, 3)))
        for extra in (*self._loops(poses, random), *self._couplings(joints, random), *self._drivers(joints)):
            mechanism = _with(mechanism, extra)
        return _moving(mechanism.changed(forces=self._forces(mechanism)), random)

    def _loops(self, poses: Mapping[str, Pose], random: np.random.Generator) -> list[Mapping[str, Joint]]:
        return [
            {"joints": _joint(f"loop{k}", joint_type, _name(other), f"body{body}", poses, random)}
            for k, (body, other, joint_type) in enumerate(self.loops)
            if body != other
        ]

    def _couplings(self, joints: Sequence[Joint], random: np.random.Generator) -> list[Mapping[str, Coupling]]:
        hinges, found = [joint for joint in joints if coordinate_count(joint) == 1], []
        for k, pair in enumerate(self.couplings if len(hinges) > 1 else ()):
            first, second = (hinges[number % len(hinges)] for number in pair)
            ratio = float(random.uniform(0.5, 2.0))
            offset = first.coordinate[0] - ratio * second.coordinate[0]
            if first != second:
                names = (first.name, second.name)
                found.append({"couplings": Coupling(name=f"gear{k}", joints=names, ratio=ratio, offset=offset)})
        return found

    def _drivers(self, joints: Sequence[Joint]) -> list[Mapping[str, Driver]]:
        movable, found = [joint for joint in joints if joint.coordinate is not None], {}
        for number in self.drivers if movable else ():
            joint = movable[number % len(movable)]
            signal = f"{joint.coordinate[-1]!r} + 0.2*t"
            driver = Driver(
                name=f"motor_{joint.name}", joint=joint.name, signal=signal, coordinate=len(joint.coordinate) - 1
            )
            found[joint.name] = {"drivers": driver}
        return list(found.values())

    def _forces(self, mechanism: Mechanism) -> list[object]:
        found = {}
        for kind, number in self.forces if mechanism.joints else ():
            force = internal_force(kind, mechanism.joints[number % len(mechanism.joints)])
            if force is not None:
                found[force.name] = force
        for number in self.wrenches:
            name = f"body{number % len(mechanism.bodies)}"
            signal = [f"{0.1 * k}*sin({k + 1}*t)" for k in range(6)]
            found[name] = Wrench(name=f"wrench_on_{name}", body=name, point=(0.1, -0.2, 0.05), signal=signal)
        return list(found.values())


def _name(number: int) -> str:
    return "world" if number == GROUND else f"body{number}"


def _random_body(name: str, random: np.random.Generator) -> Body:
    """A body with a full inertia, its frame away from the centre of mass, somewhere in a cube of 2 m."""
    mass = float(random.uniform(0.5, 2.0))
    solid = (*Box(size=tuple(random.uniform(0.2, 0.6, 3))).principal(mass), 0.0, 0.0, 0.0)
    return Body(
        name=name,
        mass=mass,
        inertia=turned(solid, random_quaternion(random)),
        center_of_mass=random.uniform(-0.1, 0.1, 3),
        position=random.uniform(-1.0, 1.0, 3),
        orientation=random_quaternion(random),
    )


def _joint(name, joint_type, parent, child, poses: Mapping[str, Pose], random: np.random.Generator) -> Joint:
    fit = Fit.random(joint_type, random)
    return fitted_joint(name, joint_type, (parent, poses[parent]), (child, poses[child]), fit)


def _with(mechanism: Mechanism, extra: Mapping[str, object]) -> Mechanism:
    """The mechanism with one more constraint, if its rows stay independent."""
    ((table, element),) = extra.items()
    larger = mechanism.changed(**{table: [*getattr(mechanism, table), element]})
    return larger if _independence(larger) > LEAST_INDEPENDENCE else mechanism


def _independence(mechanism: Mechanism) -> float:
    """The smallest singular value of the rows, each scaled to length one; 0 if there are more rows than freedoms."""
    rows = jacobian(mechanism, start_state(mechanism))
    if len(rows) > rows.shape[1]:
        return 0.0
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return 1.0 if not len(rows) else float(np.linalg.svd(rows / lengths, compute_uv=False)[-1])


def _moving(mechanism: Mechanism, random: np.random.Generator) -> Mechanism:
    """Random velocities, moved onto those that the constraints allow."""
    state = start_state(mechanism)
    rows = jacobian(mechanism, state)
    rates = random.uniform(-0.5, 0.5, rows.shape[1])
    if len(rows):
        for _ in range(2):  # the second time removes the round-off of the first
            rates = rates - np.linalg.lstsq(rows, rows @ rates - driver_rates(mechanism), rcond=None)[0]
    bodies = []
    for k, body in enumerate(mechanism.bodies):
        rotation = Pose(np.zeros(3), state.orientation[k]).R
        sliding, turning = rates[6 * k : 6 * k + 3], rates[6 * k + 3 : 6 * k + 6]
        velocity = sliding + rotation @ np.cross(turning, body.center_of_mass)
        bodies.append(body.changed(velocity=velocity, angular_velocity=turning))
    return mechanism.changed(bodies=bodies)


@st.composite
def blueprints(draw: st.DrawFn, least: int = 2, most: int = 12, joint_types: Sequence[str] = JOINT_TYPES) -> Blueprint:
    """Blueprints of `least` to `most` bodies with branches, loops, several components and floating bases."""
    count = draw(st.integers(least, most))
    types, numbers = st.sampled_from(joint_types), st.integers(0, 2 * most)
    tree = [(draw(st.integers(FREE, k - 1)), draw(types)) for k in range(count)]
    ends = st.tuples(st.integers(0, count - 1), st.integers(GROUND, count - 1), types)
    return Blueprint(
        tree=tuple(tree),
        loops=tuple(draw(st.lists(ends, max_size=3))),
        forces=tuple(draw(st.lists(st.tuples(st.sampled_from(FORCE_KINDS), numbers), max_size=4))),
        couplings=tuple(draw(st.lists(st.tuples(numbers, numbers), max_size=1))),
        drivers=tuple(draw(st.lists(numbers, max_size=1))),
        wrenches=tuple(draw(st.lists(numbers, max_size=1))),
        seed=draw(st.integers(0, 2**32 - 1)),
    )


def assembled_mechanisms(
    least: int = 2, most: int = 12, joint_types: Sequence[str] = JOINT_TYPES
) -> st.SearchStrategy[tuple[Mechanism, State]]:
    """Random mechanisms and their start: placements and velocities that fulfil every row to round-off."""
    return blueprints(least, most, joint_types).map(Blueprint.build).map(lambda built: (built, start_state(built)))


def random_mechanism(seed: int, count: int, loops: int = 2, joint_types: Sequence[str] = JOINT_TYPES) -> Mechanism:
    """One random mechanism of so many bodies without hypothesis: the same for the same arguments.

    It has up to `loops` loops, and a spring, a damper or another force on every third joint.
    """
    random = np.random.default_rng(seed)

    def some(values: Sequence) -> object:
        return values[int(random.integers(len(values)))]

    return Blueprint(
        tree=tuple((int(random.integers(max(-1, k - 3), k)), some(joint_types)) for k in range(count)),
        loops=tuple(
            (int(random.integers(count)), int(random.integers(-1, count)), some(joint_types)) for _ in range(loops)
        ),
        forces=tuple((some(FORCE_KINDS), 3 * k) for k in range(count // 3 + 1)),
        seed=seed,
    ).build()
