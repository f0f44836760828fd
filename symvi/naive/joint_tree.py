"""Joint coordinates by plain definitions: a tree of joints, walked from the ground.

Each body stands where its joint puts it beside the body below, and moves by the rates u of its joint's coordinates:
    slides    along the joint's axes by h u
    hinges    [C; S e] with C = (1 - t²)/(1 + t²), S = 2 t/(1 + t²), t = (h/4) u: by 4 atan t about e
    three free rotations, and free bodies: the body's own angular velocity (2/h) a turns it by [c; a]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symvi.exact.dual import derivative
from symvi.mechanism import coordinate_kinds
from symvi.naive.joints import JointNumbers
from symvi.naive.quaternion import add, conjugate, multiply, rotate, scale, subtract, vector
from symvi.registry import JOINTS


@dataclass(frozen=True)
class Carried:
    """A body of the tree and the joint that carries it; None, without a name, for one that nothing holds.

    outward: the body is the joint's child. led: which coordinates drivers lead.
    """

    body: str
    name: str = ""
    joint: JointNumbers | None = None
    outward: bool = True
    led: tuple[int, ...] = ()

    @property
    def below(self) -> str:
        """The body below: "world" for the ground, and for bodies that nothing holds."""
        if self.joint is None:
            return "world"
        return self.joint.parent if self.outward else self.joint.child

    @property
    def slides(self) -> int:
        return 3 if self.joint is None else coordinate_kinds(self.joint.type).count("translation")

    @property
    def turns(self) -> int:
        return 3 if self.joint is None else coordinate_kinds(self.joint.type).count("rotation")

    @property
    def freedoms(self) -> int:
        return self.slides + self.turns

    @property
    def is_absolute(self) -> bool:
        """Whether it turns by an angular velocity of its own."""
        return self.turns == 3

    @property
    def swings(self) -> bool:
        """Whether it slides along axes that turn with the body that is carried, beside a turn of its own."""
        return not self.outward and self.slides > 0 and self.turns > 0 and self.freedoms > 2

    @property
    def axes(self) -> list[list]:
        """Directions of slides in the joint frame."""
        if self.joint is None:
            return []
        return {0: [], 1: self.joint.axes[2:], 2: self.joint.axes[:2], 3: _unit(self.joint.axes[0][0])}[self.slides]

    @property
    def pins(self) -> list[list]:
        """Axes of hinges in the joint frame, one after the other from the parent."""
        if self.joint is None or self.is_absolute:
            return []
        return [self.joint.axes[2], self.joint.pin or []][: self.turns]


def _unit(number) -> list[list]:
    return [[0 * number + int(i == k) for i in range(3)] for k in range(3)]


@dataclass(frozen=True)
class Standing:
    """Where a joint stands: its slides, and unit quaternions about each of its hinges; one of three free rotations."""

    slides: list = field(default_factory=list)
    turns: list = field(default_factory=list)


@dataclass(frozen=True)
class Motion:
    """Rates of slides and hinges over a step, of free bodies the velocity. turn: [c; a] of a free turn over a step."""

    rates: list
    turn: Callable[[Any], list] | None = None

    def turned(self, q: list, h) -> list:
        """An orientation after the free turn of a step of h."""
        assert self.turn is not None, "a free body turns, and so does one that a joint lets turn freely"
        return multiply(self.turn(h), q)


class JointTree:
    """The bodies of a tree, the ones below first. functions: angles of numbers, as naive definitions take them."""

    def __init__(self, links: Sequence[Carried], functions, zero, near: Mapping[str, Mapping]):
        self.links = {link.body: link for link in links}
        self.functions, self.zero, self.near = functions, zero, near

    # --- where bodies stand -------------------------------------------------------------------------------------------
    def beside(self, link: Carried, below, stands: Standing, q: list | None = None) -> tuple[list, list]:
        """The place of a body at its joint on the body below. q: its orientation, where its turn is its own."""
        joint = link.joint
        assert joint is not None, f"{link.body}: nothing holds it"
        turn = [self.zero + 1, self.zero, self.zero, self.zero]
        for part in stands.turns:
            turn = multiply(turn, part)
        if q is None:
            frame = multiply(joint.offset, turn)
            q = multiply(below[1], frame if link.outward else conjugate(frame))
        parent, child = (below[1], q) if link.outward else (q, below[1])
        slide = [self.zero] * 3
        for amount, axis in zip(self.along(link, stands), link.axes or link.pins, strict=False):
            slide = add(slide, scale(amount, axis))
        reach = add(
            rotate(parent, add(joint.anchor_a, rotate(joint.offset, slide))), scale(-1, rotate(child, joint.anchor_b))
        )
        return (add if link.outward else subtract)(below[0], reach), q

    def along(self, link: Carried, stands: Standing) -> list:
        """How far the anchors are apart along each axis; of a screw by its angle."""
        joint = link.joint
        if joint is None or not JOINTS[joint.type].is_threaded:
            return stands.slides
        turn = stands.turns[0]
        angle = self.functions.angle(_along(joint.axes[2], vector(turn)), turn[0], self.near[link.name][0])
        return [joint.pitch * angle]

    # --- how they move ------------------------------------------------------------------------------------------------
    def moved(self, link: Carried, below, place, stands: Standing, motion: Motion, h) -> tuple[tuple, Standing]:
        """The place of a body after a step of h, where the body below has moved already, and how its joint stands."""
        if link.joint is None:
            return (add(place[0], scale(h, motion.rates)), motion.turned(place[1], h)), stands
        slides = [c + h * u for c, u in zip(stands.slides, motion.rates, strict=False)]
        if link.is_absolute:
            q = motion.turned(place[1], h)
            return self.beside(link, below, Standing(slides), q), Standing(slides)
        hinges = zip(stands.turns, link.pins, motion.rates[link.slides :], strict=True)
        after = Standing(slides, [multiply(turn, self.hinge(h / 4 * u, pin)) for turn, pin, u in hinges])
        return self.beside(link, below, after), after

    def hinge(self, t, axis: list) -> list:
        """[C; S e], four times the angle whose tangent is t; that angle, twice and four times, is known from now on."""
        size = 1 + t * t
        c, s = (1 - t * t) / size, 2 * t / size
        for y, x in ((t, self.zero + 1), (s, c), (2 * s * c, c * c - s * s)):
            self.functions.angle(y, x, 0)
        return [c, *scale(s, axis)]

    def walk(self, first: Mapping, stands: Mapping[str, Standing], motions: Mapping[str, Motion], h) -> dict:
        """Places of all bodies after a step."""
        places = {"world": first["world"]}
        for name, link in self.links.items():
            places[name], _ = self.moved(link, places[link.below], first[name], stands[name], motions[name], h)
        return places

    def velocities(self, first: Mapping, stands: Mapping[str, Standing], rates: Mapping[str, list]) -> dict[str, list]:
        """(v, w) of all bodies at a knot, six numbers each, for rates of all joints; free turns come last."""

        def still(link: Carried, values: list) -> Motion:
            own = values[link.slides :]
            spin = (lambda e: [self.zero + 1, *scale(e / 2, own)]) if link.is_absolute else None
            return Motion(values[: link.slides] if link.is_absolute else values, spin)

        def at(e) -> list:
            motions = {name: still(link, rates[name]) for name, link in self.links.items()}
            places = self.walk(first, stands, motions, e)
            return [x for name in self.links for part in places[name] for x in part]

        slopes = derivative(at, self.zero)
        found = {}
        for k, name in enumerate(self.links):
            v, q = slopes[7 * k : 7 * k + 3], slopes[7 * k + 3 : 7 * k + 7]
            found[name] = [*v, *scale(2, vector(multiply(q, conjugate(first[name][1]))))]
        return found


def _along(axis: list, v: list):
    return sum((a * b for a, b in zip(axis, v, strict=True)), 0)
