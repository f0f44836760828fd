"""Scenes of many balls, every two of which may touch: with far contacts left out, or all of them in every step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from math import ceil

import numpy as np
import pytest

from symvi.mechanism import Body, Contact, Mechanism, Sphere
from symvi.program import near
from symvi.simulate import Simulator

__all__ = ["RADIUS", "balls_in_bin", "leaving_out", "scene", "touching"]

RADIUS = 0.05  # m
MASS = 0.5  # kg
WALLS = (("left", (1, 0, 0)), ("right", (-1, 0, 0)), ("front", (0, 1, 0)), ("back", (0, -1, 0)))


def touching(names: Sequence[str], friction: float = 0.0) -> list[Contact]:
    """A contact for every two of these balls."""
    radii = {"radius": RADIUS, "parent_radius": RADIUS}
    return [
        Contact(name=f"{a}_{b}", kind="sphere", parent=a, child=b, friction=friction, **radii)
        for a, b in combinations(names, 2)
    ]


def scene(name: str, places: Sequence, gravity: float = 0.0, friction: float = 0.0, **more) -> Mechanism:
    """Balls b0, b1, ... of 0.5 kg at these places [m], every two of which may touch."""
    bodies = [
        Body(name=f"b{k}", mass=MASS, shape=Sphere(radius=RADIUS), position=tuple(map(float, place)), **more)
        for k, place in enumerate(places)
    ]
    contacts = touching([body.name for body in bodies], friction)
    return Mechanism(name=name, gravity=(0, 0, -gravity), bodies=bodies, contacts=contacts)


def balls_in_bin(name: str, count: int, friction: float = 0.3, seed: int = 1) -> Mechanism:
    """Balls in layers over the floor of a bin with four walls, shifted at random, that fall and settle."""
    side = max(2, ceil(0.9 * count ** (1 / 3)))
    middle, pitch, half = (side - 1) / 2, 2.2 * RADIUS, (1.1 * side + 0.2) * RADIUS
    layers = product(range(ceil(count / side**2)), range(side), range(side))
    shift = np.random.default_rng(seed).uniform(-0.08, 0.08, (count, 2)) * RADIUS
    places = [
        ((x - middle) * pitch + dx, (y - middle) * pitch + dy, 1.5 * RADIUS + z * pitch)
        for (dx, dy), (z, y, x) in zip(shift, layers, strict=False)
    ]
    loose = scene(name, places, gravity=9.81, friction=friction)
    walls = [
        Contact(
            name=f"{wall}_{body.name}", child=body.name, radius=RADIUS, normal=normal, friction=friction,
            parent_anchor=tuple(-half * x for x in normal),
        )
        for body in loose.bodies
        for wall, normal in WALLS
    ]  # fmt: skip
    floor = [Contact(name=f"floor_{b.name}", child=b.name, radius=RADIUS, friction=friction) for b in loose.bodies]
    return Mechanism(name=name, bodies=loose.bodies, contacts=[*floor, *walls, *loose.contacts])


def leaving_out(mechanism: Mechanism, far: bool = True, **how) -> Simulator:
    """A simulator that leaves far contacts out, or has all of them in every step, however many there are.

    Texts are kept by the description: the two want descriptions of different names.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near, "MANY", 0 if far else near.MOST_CONTACTS)
        return Simulator(mechanism, **how)
