"""Where to look from: the room that a motion takes, its ground, its best side, and the paths worth drawing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symvi.page.contact_arrows import plane_height
from symvi.page.keyframes import Keyframes
from symvi.page.parts import WORLD
from symvi.page.scene import Mark, Scene
from symvi.page.turning import rotate

__all__ = ["Framing", "choose_framing", "choose_marks"]

# Frames that are enough to know the room of a motion, and the most paths that are drawn unasked.
LOOKS, PATHS = 200, 4

# A mechanism that travels more than this many times its own size would be a speck, and is followed.
FAR = 12.0


@dataclass(frozen=True)
class Framing:
    """The view that a page opens with, in world axes.

    low, high: corners of the room [m]; where `follow`, relative to the centre of mass. up: against gravity.
    toward: from the room to the eye. ground: height along `up` of the plane that
        contacts stand on, or of the lowest point [m].
    center: (F, 3) centre of mass in each keyframe [m]. follow: whether the mechanism travels far from its start.
    """

    low: np.ndarray
    high: np.ndarray
    up: np.ndarray
    toward: np.ndarray
    ground: float
    center: np.ndarray
    follow: bool


def choose_framing(mechanism, scene: Scene, frames: Keyframes) -> Framing:
    """The framing of a motion: a flat mechanism is seen from its flat side, a travelling one is followed."""
    up = _up(mechanism.gravity)
    center = _center_of_mass(mechanism, frames)
    looks = np.unique(np.linspace(0, len(center) - 1, LOOKS).round().astype(int))
    clouds = _clouds(scene, frames, looks)
    carried = clouds - center[looks, None]
    size = float(np.median(np.linalg.norm(np.ptp(carried, axis=1), axis=-1)))
    travel = float(np.linalg.norm(np.ptp(center, axis=0)))
    follow = travel > FAR * max(size, scene.length)
    seen = (carried if follow else clouds).reshape(-1, 3)
    margin = 0.04 * scene.length
    plane = plane_height(mechanism, up)
    ground = float((clouds @ up).min()) - margin if plane is None else plane
    return Framing(seen.min(axis=0) - margin, seen.max(axis=0) + margin, up, _toward(seen, up), ground, center, follow)


def choose_marks(scene: Scene, frames: Keyframes) -> tuple[Mark, ...]:
    """The free ends with the longest reach, one per body: the feet of a leg, the tip of a chain."""
    reach: dict[int, tuple[float, Mark]] = {}
    for body, place in scene.free_ends:
        path = frames.position[:, body] + rotate(frames.orientation[:, body], np.array(place))
        length = float(np.linalg.norm(np.ptp(path, axis=0)))
        if length > 0.05 * scene.length and length > reach.get(body, (0.0, None))[0]:
            reach[body] = (length, (body, place))
    longest = sorted(reach.values(), key=lambda entry: -entry[0])[:PATHS]
    return tuple(mark for _, mark in longest)


def _up(gravity) -> np.ndarray:
    """Against gravity; along z where there is none."""
    strength = np.linalg.norm(gravity)
    return -np.array(gravity) / strength if strength > 0.0 else np.array([0.0, 0.0, 1.0])


def _center_of_mass(mechanism, frames: Keyframes) -> np.ndarray:
    masses = np.array([body.mass for body in mechanism.bodies])
    offsets = np.array([body.center_of_mass for body in mechanism.bodies])
    return masses @ (frames.position + rotate(frames.orientation, offsets)) / masses.sum()


def _clouds(scene: Scene, frames: Keyframes, looks: np.ndarray) -> np.ndarray:
    """The corners of the boxes around all parts (looks, 8 P, 3) in world axes."""
    signs = np.array(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5])).reshape(3, -1).T
    corners = []
    for part in scene.parts:
        box = np.array(part.position) + rotate(part.orientation, signs * part.size)
        if part.body == WORLD:
            corners.append(np.broadcast_to(box, (len(looks), 8, 3)))
        else:
            turn, place = frames.orientation[looks, part.body], frames.position[looks, part.body]
            corners.append(place[:, None] + rotate(turn[:, None], box))
    return np.concatenate(corners, axis=1)


def _toward(seen: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Across the flat side, a little from the side and from above, if there is one; else from a corner."""
    across = _any_across(up)
    ahead = np.cross(up, across)
    values, axes = np.linalg.eigh(np.cov(seen.T))
    flat, normal = values[0] < 0.05 * values[1], axes[:, 0]
    if flat and abs(normal @ up) < 0.5:
        level = normal - (normal @ up) * up
        level /= np.linalg.norm(level)
        if level @ (across - 0.9 * ahead) < 0.0:  # of the two sides, one rule for all mechanisms
            level = -level
        toward = level + 0.42 * np.cross(up, level) + 0.26 * up
    elif flat:
        toward = 0.25 * across - 0.75 * ahead + 1.2 * up
    else:
        toward = 0.75 * across - ahead + 0.55 * up
    return toward / np.linalg.norm(toward)


def _any_across(up: np.ndarray) -> np.ndarray:
    """A direction across `up`: along x where up is z, along z where up is x or y."""
    axis = np.array([1.0, 0.0, 0.0]) if abs(up[2]) > 0.5 else np.array([0.0, 0.0, 1.0])
    across = axis - (axis @ up) * up
    return across / np.linalg.norm(across)
