"""Three pairs of Jansen's legs on one hull and one crank: the walking mechanism of symvi/demos/walker.toml.

    python examples/walker_geometry.py > symvi/demos/walker.toml

Takes symvi/demos/strandbeest.toml three times. A pair always stands on one of its two feet, and half a turn of the
crank later on the other. The outer pairs stand in step, the inner one half a turn behind, so that three feet are down
like a tripod; at the pace of the demo it rocks from one to the other. Where the pins of the inner pair are when the
crank has gone half a turn is computed by a simulation of one pair whose crank is driven there. The crank is one body on
the hull, and the feet get contacts.
"""

from __future__ import annotations

import sys
from math import pi

import numpy as np

from symvi.demos import TOES, demo_file
from symvi.mechanism import Body, Box, Contact, Driver, Mechanism, State
from symvi.mechanism.rotation import conjugate, multiply, rotate
from symvi.simulate import Simulator

PHASES = (0.0, pi, 0.0)  # of the pairs' cranks, from one side to the other [rad]
SPACING = 0.4  # m between neighbouring pairs
FRICTION = 0.8
CLEARANCE = 1e-4  # m between the lowest toe and the ground at the start
HULL = Body(name="hull", mass=3.0, shape=Box(size=(0.8, 2 * SPACING + 0.2, 0.05)), color="#d9d4c7")
MOTOR = "2*(sqrt(1 + t**2) - 1)"  # rad: from rest, and within a second or two 2 rad/s
HEADER = """\
# Three pairs of Jansen's legs on one hull and one driven crank walk over the ground: 38 bodies, 55 revolute joints,
# 18 closed loops, six feet with friction. Made by examples/walker_geometry.py from strandbeest.toml, which says more of
# the legs. Side by side stand the pairs 1, 2 and 3; the inner one is half a turn of the crank behind.

"""


def turned_pair(pair: Mechanism, phase: float) -> State:
    """The placement of one pair whose crank has gone on by a phase [rad]."""
    driven = pair.changed(drivers=[Driver(name="motor", joint="crank_axle", signal=f"{phase}*(1 - cos({pi / 2}*t))/2")])
    solver = Simulator(driven, coordinates="maximal")  # another formulation ends at other bits, and the file has all
    return solver.simulate(2.0, 0.01).state() if phase else solver.project()


def walker() -> Mechanism:
    """The whole mechanism, its lowest toe just above the ground z = 0."""
    pair = Mechanism.from_file(demo_file("strandbeest"))
    states = [turned_pair(pair, phase) for phase in PHASES]
    bodies, joints, toes = [], [], []
    for number, state in enumerate(states, 1):
        bodies += moved_bodies(pair, state, number)
        joints += moved_joints(pair, states, number)
        toes += [place(pair, state, body, point)[2] for body, point in TOES]
    height = CLEARANCE - min(toes)
    lifted = [body.changed(position=lift(body, height)) for body in (HULL_AT_ORIGIN, *bodies)]
    feet = [
        Contact(
            name=f"{body.removesuffix('_foot')}_toe{number}",
            child=f"{body}{number}",
            child_anchor=point,
            friction=FRICTION,
        )
        for number in range(1, len(states) + 1)
        for body, point in TOES
    ]
    return Mechanism(
        name="walker",
        description="Three pairs of Jansen's legs on one driven crank walk over the ground",
        bodies=lifted,
        joints=joints,
        drivers=[Driver(name="motor", joint="crank_axle", signal=MOTOR)],
        contacts=feet,
    )


HULL_AT_ORIGIN = HULL.changed(position=(0.0, 0.0, 0.0))


def aside(number: int) -> np.ndarray:
    """Where a pair stands from the middle of the hull [m]."""
    return np.array([0.0, (number - (len(PHASES) + 1) / 2) * SPACING, 0.0])


def place(pair: Mechanism, state: State, body: str, point) -> np.ndarray:
    """A point of a body in the world [m]."""
    k = pair.body_names.index(body)
    return state.position[k] + np.array(rotate(tuple(state.orientation[k]), point))


def lift(body: Body, height: float) -> tuple[float, float, float]:
    """Where a placed body is when it is lifted [m]."""
    x, y, z = body.position or (0.0, 0.0, 0.0)
    return x, y, z + height


def moved_bodies(pair: Mechanism, state: State, number: int) -> list[Body]:
    """The bodies of one pair; the crank of the first one serves all."""
    found = []
    for k, body in enumerate(pair.bodies):
        if body.name == "crank" and number > 1:
            continue
        name = body.name if body.name == "crank" else f"{body.name}{number}"
        placed = {"position": tuple(state.position[k] + aside(number)), "orientation": tuple(state.orientation[k])}
        found.append(body.changed(name=name, **placed))
    return found


def moved_joints(pair: Mechanism, states: list[State], number: int) -> list:
    """The joints of one pair: hips on the hull, pins on the shared crank, turned by what its crank is ahead."""
    first, own = (tuple(states[k].orientation[pair.body_names.index("crank")]) for k in (0, number - 1))
    ahead = multiply(conjugate(first), own)
    across = rotate(conjugate(first), tuple(aside(number) - aside(1)))
    found = []
    for joint in pair.joints:
        anchor = np.array(joint.parent_anchor)
        if joint.name == "crank_axle":
            if number == 1:
                found.append(joint.changed(parent="hull", parent_anchor=tuple(anchor + aside(1))))
            continue
        names = {"name": f"{joint.name}{number}", "child": f"{joint.child}{number}"}
        if joint.parent == "world":
            changes = {"parent": "hull", "parent_anchor": tuple(anchor + aside(number))}
        elif joint.parent == "crank":
            pin = np.array(rotate(ahead, tuple(anchor))) + across
            changes = {"parent_anchor": tuple(pin), "orientation": multiply(ahead, joint.orientation)}
        else:
            changes = {"parent": f"{joint.parent}{number}"}
        found.append(joint.changed(**names, **changes))
    return found


if __name__ == "__main__":
    sys.stdout.write(HEADER + walker().to_toml())
