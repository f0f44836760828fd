"""A tree of joints as a function of its coordinates, by plain definitions: where bodies are, and no more than that.

Velocities, momenta, accelerations and forces are derivatives of these placements along a motion q(t) (dual.py), so that
nothing here knows of columns, moments about origins or sums over a tree:

    M_ij = Σ m x_,i · x_,j + w_i · I w_j            tau_i = Σ x_,i · m (x'' - g) + w_i · (I w)'

Frames of a joint: b turns its triad to the parent's axes, a the child's axes to the triad. Turns are about z, then x of
the triad; three of them are a unit quaternion, with the angular velocity in the child's axes for rates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symvi.exact.dual import Functions, derivative
from symvi.naive.quaternion import add, columns, conjugate, cross, dot, multiply, rotate, scale, subtract, vector

HINGES = (3, 1)  # entries of a quaternion: about z, about x


@dataclass(frozen=True)
class Member:
    """A body and the joint that carries it. below: the body on its other side, None of the ground.

    outward: the body is the joint's child. b, a: unit quaternions. anchor_a, anchor_b: from the centres of mass, on the
    parent and the child. axes: of slides, on the parent. pitch: advance per angle, or None. together: slides and turns
    are those of a free body, whose rates are all in the child's axes.
    """

    body: str
    below: str | None
    outward: bool
    slides: int
    turns: int
    together: bool
    b: list
    a: list
    anchor_a: list
    anchor_b: list
    axes: list[list]
    pitch: object = None

    @property
    def freedoms(self) -> int:
        return self.slides + self.turns


@dataclass(frozen=True)
class Weights:
    """Of a body: mass, inertia xx, yy, zz, xy, xz, yz in body axes, centre of mass in its frame."""

    mass: Any
    inertia: Sequence
    center: list = field(default_factory=list)

    def times(self, q: list, w: list) -> list:
        """R I Rᵀ w."""
        xx, yy, zz, xy, xz, yz = self.inertia
        own = rotate(conjugate(q), w)
        return rotate(q, [dot(row, own) for row in ([xx, xy, xz], [xy, yy, yz], [xz, yz, zz])])


Coordinates = Mapping[str, list]
Place = tuple[list, list]


class PosedTree:
    """Bodies of a tree, the ones below first. coordinates: by body, at the point that is asked about."""

    def __init__(
        self,
        members: Sequence[Member],
        weights: Mapping[str, Weights],
        coordinates: Coordinates,
        gravity: list,
        functions: Functions,
        zero,
    ):
        self.members, self.weights, self.gravity = {member.body: member for member in members}, weights, gravity
        self.functions, self.zero, self.coordinates = functions, zero, coordinates
        self.first = self.places(coordinates)
        self.rates = [(body, k) for body, member in self.members.items() for k in range(member.freedoms)]

    # --- placements ---------------------------------------------------------------------------------------------------
    def places(self, coordinates: Coordinates) -> dict[str, Place]:
        """Centre of mass and orientation of every body."""
        found: dict[str | None, Place] = {None: ([self.zero] * 3, [self.zero + 1, *[self.zero] * 3])}
        for body, member in self.members.items():
            found[body] = self._beside(member, found[member.below], coordinates[body])
        return {body: place for body, place in found.items() if body is not None}

    def _beside(self, member: Member, below: Place, q: list) -> Place:
        turned = self._turned(member, multiply(member.b, self.turn(member, q)))
        own = multiply(below[1], turned if member.outward else conjugate(turned))
        parent, child = (below[1], own) if member.outward else (own, below[1])
        apart = rotate(parent, member.anchor_a)
        for amount, axis in zip(q, member.axes, strict=False):
            apart = add(apart, scale(amount, rotate(parent, axis)))
        if member.pitch is not None:
            apart = add(apart, scale(member.pitch * q[0], rotate(parent, columns(member.b)[2])))
        apart = subtract(apart, rotate(child, member.anchor_b))
        return (add if member.outward else subtract)(below[0], apart), own

    def _turned(self, member: Member, turn: list) -> list:
        return multiply(turn, member.a)

    def turn(self, member: Member, q: list) -> list:
        """The turn of a joint, as a unit quaternion."""
        angles = q[member.slides :]
        if member.turns == 3:
            return list(angles)
        found = [self.zero + 1, *[self.zero] * 3]
        for angle, entry in zip(angles, HINGES, strict=False):
            part = [self.functions.cos(angle / 2), *[self.zero] * 3]
            part[entry] = self.functions.sin(angle / 2)
            found = multiply(found, part)
        return found

    def origin(self, body: str) -> list:
        """About which moments of a body's tree are: where a floating base's anchor is, else the world's origin."""
        member = self.members[body]
        if member.below is not None:
            return self.origin(member.below)
        x, q = self.first[body]
        return add(x, rotate(q, member.anchor_b)) if member.together else [self.zero] * 3

    # --- motions ------------------------------------------------------------------------------------------------------
    def along(self, rates: Mapping[str, list], changes: Mapping[str, list]) -> Callable[[object], Coordinates]:
        """q(t) with these rates and rates of rates at t = 0, to second order in t."""

        def at(t) -> Coordinates:
            return {body: self._moved(self.members[body], rates[body], changes[body], t) for body in self.members}

        return at

    def _moved(self, member: Member, rates: list, changes: list, t) -> list:
        q, way = self.coordinates[member.body], [t * u + t * t * c / 2 for u, c in zip(rates, changes, strict=True)]
        if member.turns != 3:
            return [c + s for c, s in zip(q, way, strict=True)]
        first, turn = q[: member.slides], q[member.slides :]
        w, more = (rotate(member.a, values[member.slides :]) for values in (rates, changes))  # in the triad's axes
        spun = scale(t / 2, w), scale(t * t / 4, more)
        after = multiply(turn, [1 - t * t * dot(w, w) / 8, *add(*spun)])
        if not member.together:
            return [*(c + s for c, s in zip(first, way, strict=False)), *after]
        v, grows = (rotate(member.a, values[:3]) for values in (rates, changes))
        bent = rotate(turn, add(grows, cross(w, v)))
        return [*add(first, add(scale(t, rotate(turn, v)), scale(t * t / 2, bent))), *after]

    def velocities(self, path: Callable[[object], Coordinates], t=None) -> dict[str, tuple[list, list]]:
        """By body, velocity of the centre of mass and angular velocity along a path, at t = 0 or a dual number."""
        begin = self.zero if t is None else t
        places = self.places(path(begin))

        def flat(e) -> list:
            return [x for place in self.places(path(begin + e)).values() for part in place for x in part]

        slopes, found = derivative(flat, self.zero), {}
        for n, (body, (_, q)) in enumerate(places.items()):
            own = slopes[7 * n : 7 * n + 7]
            found[body] = own[:3], scale(2, vector(multiply(own[3:], conjugate(q))))
        return found

    def _unit(self, which: tuple[str, int]) -> dict[str, list]:
        found = self.nothing()
        found[which[0]][which[1]] = self.zero + 1
        return found

    def nothing(self) -> dict[str, list]:
        """Zero for every rate."""
        return {body: [self.zero] * member.freedoms for body, member in self.members.items()}

    # --- answers ------------------------------------------------------------------------------------------------------
    def jacobians(self) -> dict[tuple[str, int], dict[str, tuple[list, list]]]:
        """By freedom, the velocities of all bodies by its unit rate."""
        return {which: self.velocities(self.along(self._unit(which), self.nothing())) for which in self.rates}

    def mass_matrix(self) -> dict[tuple, object]:
        """(freedom, freedom) -> M."""
        jacobians, found = self.jacobians(), {}
        for one, first in jacobians.items():
            for other, second in jacobians.items():
                found[one, other] = self.zero
                for body, weights in self.weights.items():
                    turning = dot(first[body][1], weights.times(self.first[body][1], second[body][1]))
                    found[one, other] += weights.mass * dot(first[body][0], second[body][0]) + turning
        return found

    def forces(self, rates: Mapping[str, list], changes: Mapping[str, list]) -> dict[str, list]:
        """tau along all coordinates, by d'Alembert."""
        path = self.along(rates, changes)

        def momenta(t) -> list:
            places, speeds = self.places(path(t)), self.velocities(path, t)
            found = []
            for body, weights in self.weights.items():
                v, w = speeds[body]
                found += [*scale(weights.mass, v), *weights.times(places[body][1], w)]
            return found

        grown, found = derivative(momenta, self.zero), self.nothing()
        for (body, k), columns_of in self.jacobians().items():
            for n, (name, weights) in enumerate(self.weights.items()):
                v, w = columns_of[name]
                push = subtract(grown[6 * n : 6 * n + 3], scale(weights.mass, self.gravity))
                found[body][k] += dot(v, push) + dot(w, grown[6 * n + 3 : 6 * n + 6])
        return found

    def center(self) -> list:
        """Of mass, of all bodies."""
        moment = [self.zero] * 3
        for body, weights in self.weights.items():
            moment = add(moment, scale(weights.mass, self.first[body][0]))
        return scale(1 / self.mass(), moment)

    def mass(self):
        """Of all bodies."""
        return sum((weights.mass for weights in self.weights.values()), self.zero)

    def momentum(self, rates: Mapping[str, list]) -> list:
        """Of all bodies, and its moment about their centre of mass."""
        p, turning, middle = [self.zero] * 3, [self.zero] * 3, self.center()
        for body, (v, w) in self.velocities(self.along(rates, self.nothing())).items():
            (x, q), weights = self.first[body], self.weights[body]
            own = scale(weights.mass, v)
            p = add(p, own)
            turning = add(turning, add(weights.times(q, w), cross(subtract(x, middle), own)))
        return [*p, *turning]
