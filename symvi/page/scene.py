"""The scene of a mechanism: all that is drawn, and the points of the bodies whose paths are worth following."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from symvi.page.bodies import body_parts, distance, distinct, extents, shape_ends
from symvi.page.looks import NO_LOOKS, Looks
from symvi.page.markers import joint_parts, spans
from symvi.page.parts import WORLD, Part, Point, Span, array, point
from symvi.page.turning import principal_box
from symvi.registry import JOINTS

__all__ = ["Mark", "Scene", "build_scene"]

Mark = tuple[int, Point]


@dataclass(frozen=True)
class Scene:
    """What is drawn.

    points: for each body, places in its frame that a click finds: joints, ends of its shape, centre of mass.
    free_ends: (body, place) that no joint holds: what a person follows, such as a foot or the tip of a chain.
    length: characteristic length of the mechanism [m], the middle of the bodies' sizes.
    """

    parts: tuple[Part, ...]
    spans: tuple[Span, ...]
    points: tuple[tuple[Point, ...], ...]
    free_ends: tuple[Mark, ...]
    length: float


def build_scene(mechanism, marks: Iterable[Mark] = (), looks: Looks = NO_LOOKS) -> Scene:
    """The scene of a mechanism: bodies as they look in their file; others with shape and joints as described.

    A body that has neither is drawn so that it reaches its `marks`.
    """
    index = {body.name: number for number, body in enumerate(mechanism.bodies)}
    held, marked = _held_points(mechanism, index), [[] for _ in mechanism.bodies]
    for number, place in marks:
        marked[number].append(array(place))
    length = _characteristic_length(mechanism, held, marked, looks)
    parts, points, free = list(looks.parts.get(WORLD, ())), [], []
    for number, body in enumerate(mechanism.bodies):
        corners = distinct([*held[number], *marked[number]], 1e-3 * length)
        parts += looks.parts.get(number) or body_parts(number, body, corners, length)
        mass, ends = array(body.center_of_mass), shape_ends(body.shape)
        points.append(tuple(point(place) for place in distinct([*corners, *ends, mass], 1e-3 * length)))
        loose = [*ends, *([mass] if len(held[number]) < 2 and not ends else [])]
        free += [(number, point(place)) for place in loose if distance(place, held[number]) > 0.1 * length]
    drawn = {mechanism.bodies[number].name for number in looks.parts if number != WORLD}
    parts += joint_parts([joint for joint in mechanism.joints if joint.child not in drawn], mechanism, index, length)
    return Scene(tuple(parts), tuple(spans(mechanism, index, length)), tuple(points), tuple(free), length)


def _held_points(mechanism, index) -> list[list[np.ndarray]]:
    """For each body, the distinct places in its frame at which joints hold it."""
    held = [[] for _ in mechanism.bodies]
    for joint in mechanism.joints:
        if not JOINTS[joint.type].has_place:
            continue
        for name, place in ((joint.parent, joint.parent_anchor), (joint.child, joint.child_anchor)):
            if name in index:
                held[index[name]].append(array(place))
    return [distinct(places, 0.0) for places in held]


def _characteristic_length(mechanism, held: Sequence, marked: Sequence, looks: Looks) -> float:
    drawn = [looks.parts.get(number, ()) for number in range(len(mechanism.bodies))]
    sizes = [_size(*body) for body in zip(mechanism.bodies, held, marked, drawn, strict=True)]
    sizes = [size for size in sizes if size > 0.0]
    return float(np.median(sizes)) if sizes else 1.0


def _size(body, held, marked, parts: Sequence[Part]) -> float:
    """The largest distance within one body [m]; if all is in one point, the largest edge of the box of its inertia."""
    places = [*held, *marked, *shape_ends(body.shape), array(body.center_of_mass)]
    across = max(float(np.linalg.norm(first - second)) for first in places for second in places)
    drawn = [edge for part in parts for edge in part.size] or ([] if body.shape is None else extents(body.shape))
    return max([across, *drawn]) or float(max(principal_box(body.mass, body.inertia)[0]))
