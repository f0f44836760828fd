"""A still picture of a mechanism as SVG: its parts seen from afar along one direction, those behind drawn first."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from symvi.mechanism import Mechanism, start_state
from symvi.page.framing import Framing, choose_framing
from symvi.page.keyframes import Keyframes
from symvi.page.looks import NO_LOOKS, Looks
from symvi.page.parts import WORLD, Part
from symvi.page.scene import build_scene
from symvi.page.turning import rotate

__all__ = ["still_svg"]

WIDTH, HEIGHT, MARGIN = 420, 300, 12
CORNERS = np.array(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5])).reshape(3, -1).T
ROUND = np.linspace(0.0, 2 * np.pi, 24, endpoint=False)
RIM = 0.5 * np.stack([np.cos(ROUND), np.sin(ROUND), 0 * ROUND], axis=1)
ENDS = np.concatenate([RIM + [0, 0, 0.5], RIM - [0, 0, 0.5]])
HEIGHTS = np.linspace(-0.5, 0.5, 13)
BALL = np.concatenate([RIM * 2 * np.sqrt(0.25 - z * z) + [0, 0, z] for z in HEIGHTS])
# As on the page: of bodies without a colour of their own, of joints, of the world.
PALETTE = (
    "#4c86d8", "#e0873c", "#4fa66a", "#cf5d73", "#8c78cf", "#35a3a6", "#c9a22c", "#b0714c", "#7488a6", "#c872b4",
)  # fmt: skip
MARKER, ANCHOR = "#59636f", "#2c333c"


class Eye(NamedTuple):
    """Who looks along -toward [unit vectors of the world]."""

    right: np.ndarray
    above: np.ndarray
    toward: np.ndarray

    def flat(self, points: np.ndarray) -> np.ndarray:
        """(N, 2) places in the picture [m], downwards."""
        return np.stack([points @ self.right, -(points @ self.above)], axis=-1)


def still_svg(mechanism: Mechanism, looks: Looks = NO_LOOKS) -> str:
    """The mechanism where it starts. Raises MechanismError where it does not say where that is."""
    state = start_state(mechanism)
    frames = Keyframes(np.zeros(1, int), np.asarray(state.position)[None], np.asarray(state.orientation)[None], True)
    scene = build_scene(mechanism, (), looks)
    framing = choose_framing(mechanism, scene, frames)
    eye = eye_of(framing)
    drawn: list[tuple[float, str, np.ndarray, str]] = []
    for part in scene.parts:
        points = in_world(frames, part.body, points_of(part))
        drawn.append(
            (float((points @ eye.toward).mean()), "polygon", hull(eye.flat(points)), color_of(mechanism, part))
        )
    for span in scene.spans:
        ends = np.array([in_world(frames, *end) for end in zip(span.bodies, map(np.array, span.points), strict=True)])
        drawn.append((float((ends @ eye.toward).mean()), "polyline", eye.flat(ends), MARKER))
    drawn.sort(key=lambda entry: entry[0])
    return _svg(mechanism.name, drawn)


def eye_of(framing: Framing) -> Eye:
    """Who looks at a mechanism as a page does when it opens."""
    right = np.cross(framing.up, framing.toward)
    right = right / np.linalg.norm(right)
    toward = framing.toward / np.linalg.norm(framing.toward)
    return Eye(right, np.cross(toward, right), toward)


def points_of(part: Part) -> np.ndarray:
    """Points of the body frame around which a part lies like a skin."""
    if part.solid == "sphere":
        unit = BALL
    else:
        unit = ENDS if part.solid == "cylinder" else CORNERS
    return np.array(part.position) + rotate(part.orientation, unit * part.size)


def in_world(frames: Keyframes, body: int, points: np.ndarray) -> np.ndarray:
    if body == WORLD:
        return points
    return frames.position[0, body] + rotate(frames.orientation[0, body], points)


def color_of(mechanism: Mechanism, part: Part) -> str:
    if part.role == "joint":
        return ANCHOR if part.body == WORLD else MARKER
    if part.color or part.body == WORLD:
        return part.color or ANCHOR
    return mechanism.bodies[part.body].color or PALETTE[part.body % len(PALETTE)]


def hull(points: np.ndarray) -> np.ndarray:
    """The corners of the convex hull of points of a plane, around it (Andrew's monotone chain)."""
    ordered = sorted(set(map(tuple, points.round(9).tolist())))

    def chain(places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        found: list[tuple[float, float]] = []
        for x, y in places:
            while len(found) > 1 and _turn(found[-2], found[-1], (x, y)) <= 0:
                found.pop()
            found.append((x, y))
        return found[:-1]

    return np.array(chain(ordered) + chain(ordered[::-1]) or ordered)


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _svg(name: str, drawn: Sequence[tuple[float, str, np.ndarray, str]]) -> str:
    every = np.concatenate([places for _, _, places, _ in drawn])
    low, size = every.min(axis=0), np.maximum(np.ptp(every, axis=0), 1e-9)
    scale = min((WIDTH - 2 * MARGIN) / size[0], (HEIGHT - 2 * MARGIN) / size[1])
    shift = (np.array([WIDTH, HEIGHT]) - scale * size) / 2 - scale * low
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" aria-label="{escape(name)}" stroke="#1d2530" stroke-opacity="0.35" stroke-linejoin="round">'
    ]
    for _, kind, places, color in drawn:
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in places * scale + shift)
        look = f'fill="{color}"' if kind == "polygon" else f'fill="none" style="stroke:{color};stroke-opacity:1"'
        lines.append(f'<{kind} points="{corners}" {look}/>')
    return "\n".join([*lines, "</svg>"])
