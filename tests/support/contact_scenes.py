"""Scenes of contact: balls, boxes and tables on planes, pairs that meet in free space, and what is checked on any."""

from __future__ import annotations

from functools import cache

import numpy as np

from symvi.mechanism import Body, Box, Contact, Mechanism, Sphere, State, start_state
from symvi.mechanism.rotation import multiply, rotate
from symvi.simulate import Simulator, Trajectory
from tests.support.measuring import centre, largest
from tests.support.placing import random_quaternion

__all__ = [
    "GRAVITY", "RING", "ball", "box", "corners", "force_on", "lawful", "lifted", "meeting", "on_ground", "placed",
    "simulator", "table", "turned",
]  # fmt: skip

GRAVITY = 9.81
HALF = 0.25  # m, half an edge of the box
# A ring of the parent, in the parent's frame, that the child's origin stays out of: squared over its thickness, so that
# the gap is no distance and its gradient no unit vector.
RING = (
    "(("
    + " + ".join(f"R_a[{k},2]*(x_b[{k}] - x_a[{k}])" for k in range(3))
    + ")**2 + (sqrt("
    + " + ".join(
        "(" + " + ".join(f"R_a[{k},{column}]*(x_b[{k}] - x_a[{k}])" for k in range(3)) + ")**2" for column in range(2)
    )
    + ") - wide)**2 - thick**2)/thick"
)


def ball(name: str = "ball", radius: float = 0.5, mass: float = 1.0, **fields: object) -> Body:
    """A uniform ball."""
    return Body(name=name, mass=mass, shape=Sphere(radius=radius), **fields)


def box(name: str = "box", mass: float = 1.0, edge: float = 2 * HALF, **fields: object) -> Body:
    """A uniform cube."""
    return Body(name=name, mass=mass, shape=Box(size=(edge,) * 3), **fields)


def on_ground(*bodies: Body, friction: float = 0.5, gravity: float = GRAVITY, **contact: object) -> Mechanism:
    """Bodies, each with its whole shape on the plane z = 0 of the world."""
    contacts = [
        Contact(name=f"ground_{body.name}", child=body.name, whole_shape=True, friction=friction, **contact)
        for body in bodies
    ]
    return Mechanism(name="scene", gravity=(0, 0, -gravity), bodies=bodies, contacts=contacts)


def corners(name: str, child: str, half: float = HALF, **contact: object) -> list[Contact]:
    """Contacts of the four lower corners of a cube."""
    return [
        Contact(name=f"{name}{k}", child=child, child_anchor=(x * half, y * half, -half), **contact)
        for k, (x, y) in enumerate([(-1, -1), (-1, 1), (1, -1), (1, 1)])
    ]


def table(friction: float = 0.5) -> Mechanism:
    """A heavy plate on four feet at the corners of a square: more feet than equations for their loads."""
    return Mechanism(
        name="table",
        bodies=[Body(name="plate", mass=10.0, inertia=(0.5, 0.5, 0.9), position=(0.0, 0.0, 0.7))],
        contacts=[
            Contact(name=f"foot{k}", child="plate", child_anchor=(0.4 * x, 0.4 * y, -0.7), friction=friction)
            for k, (x, y) in enumerate([(-1, -1), (-1, 1), (1, -1), (1, 1)])
        ],
    )


def meeting(kind: str, friction: float, cone: str = "second_order") -> Mechanism:
    """Two asymmetric bodies in free space, frames off their centres of mass, that spin and run into each other.

    kind: "point" or "ball" of one on a half-space of the other, "sphere" on "sphere", or the user's own "gap".
    """
    contact = {"name": "touch", "parent": "base", "child": "tip", "friction": friction}
    if friction:
        contact["cone"] = cone
    places = {"child_anchor": (0.1, 0.05, -0.1), "parent_anchor": (0.05, 0.1, 0.02)}
    own = {
        "point": places | {"normal": (0.3, 1.0, 0.2)},
        "ball": places | {"normal": (0.3, 1.0, 0.2), "radius": 0.12},
        "sphere": places | {"kind": "sphere", "radius": 0.12, "parent_radius": 0.3},
        "gap": {"kind": "gap", "expression": RING, "parameters": {"wide": 0.3, "thick": 0.25}},
    }[kind]
    base = Body(
        name="base", mass=1.3, inertia=(0.05, 0.08, 0.07, 0.01, -0.005, 0.008), center_of_mass=(0.05, -0.02, 0.04),
        position=(0.1, 0.2, -0.1), orientation=(0.5, 0.5, -0.5, 0.5), velocity=(0.0, 0.1, 0.2),
        angular_velocity=(0.9, -0.6, 0.7),
    )  # fmt: skip
    tip = Body(
        name="tip", mass=0.7, inertia=(0.03, 0.02, 0.04, -0.004, 0.006, 0.002), center_of_mass=(-0.03, 0.04, 0.06),
        position=(0.2, 0.1, 1.3), orientation=(0.8, 0.2, 0.4, -0.4), velocity=(0.1, 0.2, -1.2),
        angular_velocity=(0.3, 0.5, -2.0),
    )  # fmt: skip
    return Mechanism(
        name=f"meeting_{kind}", gravity=(0, 0, 0), bodies=[base, tip], contacts=[Contact(**contact, **own)]
    )


@cache
def simulator(mechanism: Mechanism, **how: object) -> Simulator:
    """A solver that tests share; they must not change its parameters."""
    return Simulator(mechanism, **how)


def placed(mechanism: Mechanism, position, orientation=(1, 0, 0, 0), velocity=(0, 0, 0), spin=(0, 0, 0)) -> State:
    """A state of a mechanism of one body."""
    return State(
        time=0.0, position=[position], orientation=[orientation], velocity=[velocity], angular_velocity=[spin],
        names=[body.name for body in mechanism.bodies],
    )  # fmt: skip


def lifted(mechanism: Mechanism, height: float, random: np.random.Generator) -> State:
    """A toss of a box: a random orientation, velocity up to some m/s and spin up to some rad/s."""
    orientation, velocity, spin = random_quaternion(random), random.normal(size=3), random.normal(size=3)
    return placed(mechanism, (0.0, 0.0, height), orientation, velocity * (1.0, 1.5, 1.0), 5.0 * spin)


def turned(mechanism: Mechanism, q: tuple[float, ...]) -> Mechanism:
    """The whole scene, its gravity and planes of the world included, turned about the origin of the world."""
    start = start_state(mechanism)
    bodies = [
        body.changed(
            position=rotate(q, start.position[k]),
            orientation=multiply(q, start.orientation[k]),
            velocity=rotate(q, start.velocity[k]),
            angular_velocity=tuple(start.angular_velocity[k]),
        )
        for k, body in enumerate(mechanism.bodies)
    ]
    contacts = [
        contact.changed(normal=rotate(q, contact.normal), parent_anchor=rotate(q, contact.parent_anchor))
        if contact.parent == "world"
        else contact
        for contact in mechanism.contacts
    ]
    return mechanism.changed(gravity=rotate(q, mechanism.gravity), bodies=bodies, contacts=contacts)


def force_on(trajectory: Trajectory, body: str) -> np.ndarray:
    """(N - 2, 3): the force that the motion of a centre of mass shows at every inner knot, gravity taken off [N]."""
    x, h = centre(trajectory, body), trajectory.step
    mass = trajectory.mechanism.body(body).mass
    return mass * ((x[2:] - 2 * x[1:-1] + x[:-2]) / h**2 - trajectory.mechanism.gravity)


def lawful(trajectory: Trajectory, tolerance: float = 1e-8, steepness: float = 1.0) -> None:
    """Every contact at every knot: no penetration, no pull, no force at a distance, friction inside its cone and
    against the sliding.

    tolerance: what products of impulse and velocity may leave, of the scene's own energy per step (SolverOptions).
    steepness: the largest length of the gradient of a gap that is no distance.
    """
    mechanism, h = trajectory.mechanism, trajectory.step
    mass = sum(body.mass for body in mechanism.bodies)
    acceleration = np.linalg.norm(mechanism.gravity) or 1.0
    energy = steepness * mass * (acceleration * h) ** 2
    coefficients = {c.name: c.friction for c in mechanism.contacts}
    round_off = 1e-14 * (1.0 + largest(trajectory.position))
    for name, contact in trajectory.contacts.items():
        bound = coefficients[name.split(".")[0]] * contact.normal_force[1:]
        load, friction, sliding = contact.normal_force[1:], contact.friction_force[1:], contact.sliding[1:]
        size, speed = np.linalg.norm(friction, axis=1), np.linalg.norm(sliding, axis=1)
        normal = contact.normal[1:]
        assert (load >= 0.0).all(), name
        assert (contact.gap >= -round_off).all(), name
        product = load * contact.gap[1:]
        product[:1] /= 2.0  # the first step from a knot has half of an impulse
        assert largest(product) <= 1.001 * tolerance * energy + round_off * load.max(), name
        assert (size <= bound * (1 + 1e-12)).all(), name
        for tangential in (friction, sliding):
            assert (abs(np.sum(tangential * normal, axis=1)) <= 1e-8 * (1.0 + largest(tangential))).all(), (
                name
            )  # stiffness times round-off
        against = np.sum(friction * sliding, axis=1)
        assert (against <= 4 * tolerance * energy / h).all(), name  # friction takes energy
        # what is missing to the most that a given load can take: sliding where friction is not at its bound
        assert (bound * speed + against <= 4 * tolerance * energy / h + 1e-9 * bound * speed).all(), name
