"""The motion, thinned to as many frames as a page should hold, and numbers as text that a browser reads quickly."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass

import numpy as np

from symvi.errors import ArgumentError

__all__ = ["Keyframes", "choose_keyframes", "encode", "extremes", "peaks"]

# A body that turns further than this between two frames [rad] cannot be blended: the short way may be the wrong way.
LARGEST_BLEND = 2.0


@dataclass(frozen=True)
class Keyframes:
    """The knots of a trajectory that a page shows.

    steps (F,): their numbers. position (F, n, 3) [m], orientation (F, n, 4): of the body frames.
    blended: whether a picture between two knots makes sense.
    """

    steps: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    blended: bool


def choose_keyframes(trajectory, max_frames: int, fps: float | None) -> Keyframes:
    """At most `max_frames` knots, at most `fps` per second of the motion, evenly spread, the last always among them.

    Knots whose placement is not finite, as after a failed step, are left out.
    """
    usable = np.flatnonzero(
        np.isfinite(trajectory.position).all(axis=(1, 2)) & np.isfinite(trajectory.orientation).all(axis=(1, 2))
    )
    if usable.size == 0:
        raise ArgumentError("the trajectory has no finite placement to show")
    count = min(usable.size, max(max_frames, 1))
    if fps is not None:
        duration = float(trajectory.time[usable[-1]] - trajectory.time[usable[0]])
        count = min(count, max(2, round(duration * fps) + 1))
    steps = usable[np.unique(np.linspace(0, usable.size - 1, count).round().astype(int))]
    orientation = np.asarray(trajectory.orientation)[steps]
    return Keyframes(steps, np.asarray(trajectory.position)[steps], orientation, _turns_little(orientation))


def _turns_little(orientation: np.ndarray) -> bool:
    cosine = np.abs(np.sum(orientation[1:] * orientation[:-1], axis=-1))  # of half the angle
    return bool(np.all(cosine > np.cos(LARGEST_BLEND / 2)))


def extremes(time: np.ndarray, values: np.ndarray, buckets: int) -> tuple[np.ndarray, np.ndarray]:
    """The curve through the smallest and the largest finite value of each bucket of time: no peak is lost.

    time, values: (N,). Returns both for at most 2 * buckets points, in the order of time.
    """
    finite = np.flatnonzero(np.isfinite(values))
    if finite.size <= 2 * buckets:
        return time[finite], values[finite]
    kept = set()
    for bucket in np.array_split(finite, buckets):
        kept.update((int(bucket[np.argmin(values[bucket])]), int(bucket[np.argmax(values[bucket])])))
    kept = sorted(kept | {int(finite[0]), int(finite[-1])})
    return time[kept], values[kept]


def peaks(time: np.ndarray, values: np.ndarray, buckets: int) -> tuple[np.ndarray, np.ndarray]:
    """The largest finite value of each bucket of time, and when: at most `buckets` points.  time, values: (N,)."""
    finite = np.flatnonzero(np.isfinite(values))
    if finite.size <= buckets:
        return time[finite], values[finite]
    kept = [bucket[np.argmax(values[bucket])] for bucket in np.array_split(finite, buckets)]
    return time[kept], values[kept]


def encode(values, kind: str) -> str:
    """The values as base64 of little-endian numbers; kind "f4", "f8", "u2" or "u4"."""
    return b64encode(np.ascontiguousarray(values, dtype="<" + kind).tobytes()).decode("ascii")
