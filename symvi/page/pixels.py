"""Pictures in pixels: the parts of a mechanism from afar along one direction, those behind drawn first."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError
from symvi.mechanism import Mechanism, start_state
from symvi.mechanism.names import shown
from symvi.page.framing import choose_framing
from symvi.page.keyframes import Keyframes
from symvi.page.looks import NO_LOOKS, Looks
from symvi.page.scene import build_scene
from symvi.page.still import MARKER, color_of, eye_of, hull, in_world, points_of

__all__ = ["Camera"]

FINE = 2  # sub-pixels along each side
ROOM = 1.6  # of the mechanism at its start, that a picture shows
BACKGROUND, GROUND = (244, 246, 249), (206, 212, 220)
LINES, WIDTH = 6, 0.003  # of the ground on either side of its middle; of a line, as a part of the picture
LEAST, MOST = 16, 4096  # pixels
Numbers = NDArray[np.float64]


class Camera:
    """Draws placements of a mechanism, always from the same side; it follows the middle of its bodies.

    width, height: of a picture [pixels]. Raises MechanismError for a mechanism that does not say where it starts.
    """

    def __init__(self, mechanism: Mechanism, width: int = 480, height: int = 360, looks: Looks = NO_LOOKS):
        for name, size in (("width", width), ("height", height)):
            if isinstance(size, bool) or not isinstance(size, int) or not LEAST <= size <= MOST:
                raise ArgumentError(f"{name} {shown(size)}: must be a whole number of pixels from {LEAST} to {MOST}")
        self.mechanism, self.width, self.height = mechanism, width, height
        state = start_state(mechanism)
        frames = _frames(np.asarray(state.position), np.asarray(state.orientation))
        self._scene = build_scene(mechanism, (), looks)
        self._framing = choose_framing(mechanism, self._scene, frames)
        self._eye = eye_of(self._framing)
        self._corners = [points_of(part) for part in self._scene.parts]
        flat = np.concatenate([place for place, _, _ in self._solids(frames)])
        self._middle = self._eye.flat(frames.position[0].mean(axis=0))
        reach = 2 * np.abs(flat - self._middle).max(axis=0)
        self._scale = float(min(np.array([width, height]) / np.maximum(ROOM * reach, 1e-9)))
        self._start = frames.position[0].mean(axis=0)

    def frame(self, position: Numbers, orientation: Numbers) -> NDArray[np.uint8]:
        """(height, width, 3) pixels. position: (n, 3) of body frames [m]. orientation: (n, 4)."""
        frames = _frames(np.asarray(position, float), np.asarray(orientation, float))
        middle = frames.position[0].mean(axis=0)
        picture = np.empty((FINE * self.height, FINE * self.width, 3), np.uint8)
        picture[:] = BACKGROUND
        scale, place = FINE * self._scale, self._eye.flat(middle)
        shift = FINE * np.array([self.width, self.height]) / 2 - scale * place
        for line in self._ground(middle):
            _fill(picture, scale * line + shift, GROUND)
        for corners, _, color in sorted(self._solids(frames), key=lambda entry: entry[1]):
            _fill(picture, scale * corners + shift, color)
        fine = picture.reshape(self.height, FINE, self.width, FINE, 3)
        return fine.mean(axis=(1, 3)).round().astype(np.uint8)

    def _solids(self, frames: Keyframes) -> Iterator[tuple[Numbers, float, tuple[int, ...]]]:
        """Outlines [m], how near they are, and colours."""
        for part, corners in zip(self._scene.parts, self._corners, strict=True):
            points = in_world(frames, part.body, corners)
            depth = float((points @ self._eye.toward).mean())
            yield hull(self._eye.flat(points)), depth, _rgb(color_of(self.mechanism, part))
        for span in self._scene.spans:
            ends = np.array([in_world(frames, *e) for e in zip(span.bodies, map(np.array, span.points), strict=True)])
            flat = self._eye.flat(ends)
            yield self._line(flat[0], flat[1]), float((ends @ self._eye.toward).mean()), _rgb(MARKER)

    def _line(self, first: Numbers, last: Numbers) -> Numbers:
        """The corners of a line as a narrow band."""
        along = last - first
        length = float(np.hypot(*along)) or 1.0
        across = np.array([-along[1], along[0]]) / length * WIDTH * self.height / self._scale
        return np.array([first + across, last + across, last - across, first - across])

    def _ground(self, middle: Numbers) -> Iterator[Numbers]:
        """Lines on the ground around a point, which lie still while the mechanism moves over them."""
        up, size = self._framing.up, self._scene.length
        first = np.eye(3)[int(np.argmin(np.abs(up)))]
        first = first - up * (first @ up)
        first = first / np.linalg.norm(first)
        second, reach = np.cross(up, first), LINES * size
        for one, other in ((first, second), (second, first)):
            nearest = round(float(middle @ one) / size)
            for k in range(nearest - LINES, nearest + LINES + 1):
                at = one * k * size + other * float(middle @ other) + up * self._framing.ground
                ends = self._eye.flat(np.array([at - reach * other, at + reach * other]))
                yield self._line(ends[0], ends[1])


def _frames(position: Numbers, orientation: Numbers) -> Keyframes:
    return Keyframes(np.zeros(1, int), position[None], orientation[None], True)


def _rgb(color: str) -> tuple[int, ...]:
    return tuple(int(color[k : k + 2], 16) for k in (1, 3, 5))


def _fill(picture: NDArray[np.uint8], corners: Numbers, color: tuple[int, ...]) -> None:
    """Paint a convex polygon. corners: (m, 2) columns and rows, around it."""
    height, width = picture.shape[:2]
    low = np.maximum(np.floor(corners.min(axis=0)), 0).astype(int)
    high = np.minimum(np.ceil(corners.max(axis=0)), [width, height]).astype(int)
    if (low >= high).any() or len(corners) < 3:
        return
    columns, rows = np.arange(low[0], high[0]) + 0.5, np.arange(low[1], high[1]) + 0.5
    ends = np.roll(corners, -1, axis=0)
    turn = np.sum(corners[:, 0] * ends[:, 1] - corners[:, 1] * ends[:, 0])
    inside = np.ones((len(rows), len(columns)), bool)
    for (x, y), (a, b) in zip(corners.tolist(), ends.tolist(), strict=True):
        side = (a - x) * (rows[:, None] - y) - (b - y) * (columns[None] - x)
        inside &= side * np.sign(turn) >= 0
    picture[low[1] : high[1], low[0] : high[0]][inside] = color
