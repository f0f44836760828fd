"""A cube on the ground, where its corners are, and how forces and gaps of all contact points are read together."""

from __future__ import annotations

from itertools import product
from typing import Literal

import numpy as np

from symvi import Body, Box, Contact, Mechanism, Trajectory

Cone = Literal["second_order", "linear"]
EDGE, GRAVITY = 0.5, 9.81
CORNERS = np.array(list(product((-EDGE / 2, EDGE / 2), repeat=3)))


def cube(friction: float, height: float = EDGE / 2, cone: Cone = "second_order", directions: int = 4) -> Mechanism:
    """A cube of 0.5 m and 1 kg whose eight corners meet level ground; height: of its centre [m]."""
    return Mechanism(
        name="cube",
        bodies=[Body(name="cube", mass=1.0, shape=Box(size=(EDGE, EDGE, EDGE)), position=(0.0, 0.0, height))],
        contacts=[
            Contact(name="ground", child="cube", whole_shape=True, friction=friction, cone=cone, directions=directions)
        ],
    )


def corner_heights(position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
    """(N, 8) heights of a cube's corners [m], from its placements alone: (N, 3) and (N, 4)."""
    w, x, y, z = orientation.T
    upward = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)
    return position[:, 2:] + upward @ CORNERS.T


def normal_forces(trajectory: Trajectory) -> np.ndarray:
    """(N, points): of all contact points, over the step that led to each knot [N]."""
    return np.stack([contact.normal_force for contact in trajectory.contacts.values()], axis=1)


def gaps(trajectory: Trajectory) -> np.ndarray:
    """(N - 1, points): of all contact points at every knot but the first [m]."""
    return np.stack([contact.gap[1:] for contact in trajectory.contacts.values()], axis=1)
