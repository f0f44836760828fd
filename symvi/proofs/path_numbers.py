"""Random numbers for the variables of contacts, limits and dry friction: inside no cone, but such that roots exist.

Kernels take roots of lengths and determinants, which half of all numbers of a field do not have. So scalings, lengths
and starts are drawn, and what they are roots of is made from them; the rest is drawn again until its roots exist.
"""

from __future__ import annotations

from dataclasses import dataclass

from symvi.exact.field import Number
from symvi.mechanism import coordinate_kinds
from symvi.mechanism.forces import AlongJoint
from symvi.naive.central_path import (
    NOUGHT,
    TINY,
    Scaling,
    dot_all,
    lengths_of_pair,
    lengths_of_pyramid,
    lengths_of_start,
    start_of_friction,
    start_of_pair,
    start_of_pyramid,
)
from symvi.naive.contact_points import tangential
from symvi.naive.nodes import SIDES
from symvi.naive.quaternion import dot, scale

TRIES = 200
Variables = dict[str, list]


@dataclass(frozen=True)
class Aim:
    """A centring: its mu, whether affine increments enter (a random number here), and these increments by node."""

    target: Number
    second: Number
    affine: dict[str, Variables]


class PathNumbers:
    """Variables of all nodes of a scene at one point inside, two aims and that of nothing, and a start of every node.

    Sets the states that starts remember: `pressed` and `friction_before`.
    """

    def __init__(self, scene):
        self.scene, self.field, self.interior = scene, scene.field, scene.interior
        self.target, self.ratio, self.stick, self.memory = self.field.randoms(4)
        self.scalings: dict[str, Scaling] = {}
        self.chances = 0  # conditions that numbers were drawn again for, each met by half of them
        self.guards: dict[str, list] = {}  # t·t below |t|² as starts of friction take it, 1 but for their guard
        self.variables = {name: self._variables(name) for name in self.interior.nodes}
        self.aims = [
            Aim(self.field.random(), self.field.random(), {n: self._increments(n) for n in self.interior.nodes})
            for _ in range(2)
        ]
        nothing = [self._increments(name) for name in self.interior.nodes]
        self.aims.append(Aim(scene.zero, scene.zero, dict(zip(self.interior.nodes, nothing, strict=True))))
        self.base = {name: self._increments(name) for name in self.interior.nodes}
        self.forces = {name: self._force(name) for name in self.interior.nodes}
        self.starts = {name: self._start(name) for name in self.interior.nodes}

    def bound(self, name: str):
        """The friction bound per normal impulse of a contact."""
        contact = self.interior.contacts[name]
        return contact.numbers["friction"][0] * contact.steepness

    def effective_mass(self, name: str):
        """The mass by which a node's products are weighed."""
        return self.scene.parameters[name]["effective_mass"][0]

    def share(self, name: str):
        """The mass by which a node's variables start."""
        return self.scene.parameters[name]["share"][0]

    def first(self, name: str):
        """mu of a node where its variables start."""
        return self.target * self.share(name)

    def most(self, name: str) -> list:
        """The largest impulses of dry friction."""
        return scale(self.scene.impulse, self.scene.parameters[name]["bound"])

    # --- a point inside --------------------------------------------------------------------------------------------
    def _variables(self, name: str) -> Variables:
        sizes = dict(self.interior.nodes[name].fields)
        contact = self.interior.contacts.get(name)
        found = {field: self.field.randoms(size) for field, size in sizes.items()}
        if "held" in sizes:
            found["impulse"] = [
                most + sign * held
                for most, held in zip(self.most(name), found["held"], strict=True)
                for sign in (-1, 1)
            ]
        elif contact is not None and contact.cone == "second_order":
            found["b"], found["e"] = self._cone(name)
            found["impulse"] = [found["b"][0] / self.bound(name)]
        return found

    def _increments(self, name: str) -> Variables:
        found = {field: self.field.randoms(size) for field, size in self.interior.nodes[name].fields}
        for field in ("b", "e"):
            if field in found:
                found[field][1:] = self._in_plane(name)
        return found

    def _force(self, name: str) -> list:
        """A node's impulse over its time; of a limit, that along its coordinate: of one side less that of the other."""
        node, stops = self.interior.nodes[name], {limit.name: limit for limit in self.scene.mechanism.limits}
        force = scale(1 / self.scene.impulse, node.impulse(self.variables[name]))
        if name not in stops:
            return force
        signs = [sign for side, sign in SIDES if getattr(stops[name], side) is not None]
        return [sum((sign * value for sign, value in zip(signs, force, strict=True)), self.scene.zero)]

    def _in_plane(self, name: str) -> list:
        return tangential(self.interior.contacts[name].normal, self.field.randoms(3))

    def _cone(self, name: str) -> tuple[list, list]:
        """b and e with a known scaling, in which every length and determinant has a root."""
        for _ in range(TRIES):
            v, slide = self._in_plane(name), self._in_plane(name)
            if self.field.has_root(dot(slide, slide)):
                square, eta, t = dot(v, v), self.field.random(), self.field.random()
                scaling = Scaling(eta, [(1 + square) / (1 - square), *scale(2 / (1 - square), v)])
                size = self.field.defined_root(dot(slide, slide))
                e = [size * (1 + t * t) / (2 * t), *slide]
                b = scaling.partner(e)
                if self.field.has_root(dot(b[1:], b[1:])):
                    self._know(scaling, b, e)
                    self.scalings[name] = scaling
                    self.chances += 2
                    return b, e
        raise ArithmeticError(f"{name}: no friction variables with all roots in {TRIES} tries")

    def _know(self, scaling: Scaling, b: list, e: list) -> None:
        """The roots that kernels may take: lengths, eta and its square, and the length that b + eta² J e has in w."""
        self.field.defined_root(dot(b[1:], b[1:]))
        square = scaling.eta * scaling.eta
        for root in (square, scaling.eta, (b[0] + square * e[0]) / scaling.w[0]):
            self.field.square_of(root)

    # --- starts ----------------------------------------------------------------------------------------------------
    def _start(self, name: str) -> Variables:
        """Variables on the central path; the last impulses that lead there are set in the scene's states."""
        u, contact = self.interior.rates[name], self.interior.contacts.get(name)
        if contact is None:
            node = self.interior.nodes[name]
            return self._start_dry(name, u) if "held" in dict(node.fields) else self._start_pairs(name, u)
        found, mu, r = self._start_pairs(name, u[:1]), self.first(name), self.ratio * self.share(name)
        if contact.cone == "none":
            return found
        b0, state = self.bound(name) * found["impulse"][0], self.scene.states[name]
        for _ in range(TRIES):
            state["friction_before"] = self.field.randoms(3)
            last = tangential(contact.normal, state["friction_before"])
            t = [self.memory * p - self.stick * r * v for p, v in zip(last, u[1:], strict=True)]
            if self._has_start(t, b0, mu, r):
                b, e = start_of_friction(t, b0, mu, r, self.scene.functions, self.scene.zero)
                self.chances += 2
                if contact.cone == "second_order":
                    self.guards[name] = [self._guard(t, b0, mu, r)]
                    return found | {"b": b, "e": e}
                if self._has_pyramid(e[1:], b0, mu, contact.ways):
                    self.chances += 2
                    b, eta = start_of_pyramid(e[1:], b0, mu, contact.ways, self.scene.functions)
                    return {"impulse": found["impulse"] + b, "slack": found["slack"] + eta}
        raise ArithmeticError(f"{name}: no start with all roots in {TRIES} tries")

    def _start_pairs(self, name: str, u: list) -> Variables:
        """A pair per velocity."""
        r, mu, found, pressed = self.size(name), self.first(name), {"impulse": [], "slack": []}, []
        for rate in u:
            t = self._last_pair(r * mu)
            pressed.append((t + r * rate) / self.memory)
            gamma, s = start_of_pair(t, mu, r, self.scene.functions)
            found["impulse"].append(gamma)
            found["slack"].append(s)
        self.scene.states[name]["last_impulse"] = pressed
        return found

    def _last_pair(self, product):
        """gamma - r s of a pair with this r mu, such that roots exist."""
        guard = self.field.number_of_text(NOUGHT)
        for _ in range(TRIES):
            gamma = self.field.random()
            t = gamma - product / gamma
            squared, _ = lengths_of_pair(t, product, guard)
            if self.field.has_root(squared):
                self.field.square_of(gamma + product / gamma)
                self.chances += 1
                return t
        raise ArithmeticError(f"no start of a pair with all roots in {TRIES} tries")

    def _start_dry(self, name: str, u: list) -> Variables:
        mu = 2 * self.first(name)
        found: Variables = {"impulse": [], "slack": [], "held": []}
        self.scene.states[name]["last_impulse"] = pressed = []
        for k, (rate, most) in enumerate(zip(u, self.most(name), strict=True)):
            r = self.size(name, k)
            last = self._last_dry(rate, most, r, mu)
            pressed.append(last)
            t = [self.memory * last - r * rate]
            b, e = start_of_friction(t, most, mu, r, self.scene.functions, self.scene.zero)
            self.guards.setdefault(name, []).append(self._guard(t, most, mu, r))
            found["impulse"] += [b[0] - b[1], b[0] + b[1]]
            found["slack"] += [(e[0] - e[1]) / 2, (e[0] + e[1]) / 2]
            found["held"].append(b[1])
        return found

    def _last_dry(self, rate, most, r, mu):
        for _ in range(TRIES):
            last = self.field.random()
            if self._has_start([self.memory * last - r * rate], most, mu, r):
                self.chances += 2
                return last
        raise ArithmeticError(f"no start of dry friction with all roots in {TRIES} tries")

    def _guard(self, t: list, b0, mu, r):
        squared, _ = lengths_of_start(t, b0, mu, r, self.field.number_of_text(TINY))
        return squared / dot_all(t, t)

    def _has_start(self, t: list, b0, mu, r) -> bool:
        squared, discriminant = lengths_of_start(t, b0, mu, r, self.field.number_of_text(TINY))
        return self.field.has_root(squared) and self.field.has_root(discriminant(self.field.defined_root(squared)))

    def _has_pyramid(self, slide: list, b0, mu, ways: list[list]) -> bool:
        squared, discriminant = lengths_of_pyramid(slide, b0, mu, len(ways))
        return self.field.has_root(squared) and self.field.has_root(discriminant(self.field.defined_root(squared)))

    def size(self, name: str, k: int = 0):
        """Impulse per velocity where a row's variables start: of the share, and for rotations at the extent."""
        mass = self.ratio * self.share(name)
        return mass if self.unit(name, k) == "m" else mass * self.scene.extent * self.scene.extent

    def unit(self, name: str, k: int = 0) -> str:
        """The unit of a node's row: of a gap, the coordinate of a limit, or an axis of dry friction."""
        if name in self.interior.contacts:
            return "m"
        mechanism = self.scene.mechanism
        row = {limit.name: limit.coordinate for limit in mechanism.limits}.get(name, k)
        along = (*mechanism.limits, *(force for force in mechanism.forces if isinstance(force, AlongJoint)))
        joint = next(each.joint for each in along if each.name == name)
        return {"translation": "m", "rotation": "rad"}[coordinate_kinds(mechanism.joint(joint).type)[row]]
