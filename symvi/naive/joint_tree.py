"""Joint coordinates by plain definitions: a tree of joints walked from the ground, and its equations by dense algebra.

Each body stands where its joint puts it beside the body below, and moves by the rates u of its joint's coordinates:
    slides    along the joint's axes by h u
    hinges    [C; S e] with C = (1 - t²)/(1 + t²), S = 2 t/(1 + t²), t = (h/4) u: by 4 atan t about e
    three free rotations, and free bodies: the body's own angular velocity (2/h) a turns it by [c; a]
No equation is projected in a sweep. With rows G and coordinates C of all joints of the tree at the first knot, B = [G; C]
is square, and any impulses f on bodies are in one way

    f = G^T y + C^T g,

with y what joints hold and g what is open along the coordinates, N^T f for the motions N that G N = 0 leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from symvi.exact.dual import derivative
from symvi.exact.linear import solve
from symvi.mechanism import coordinate_kinds
from symvi.naive import joints
from symvi.naive.discrete_body import slopes_by_place
from symvi.naive.joints import JointNumbers
from symvi.naive.quaternion import add, conjugate, cross, multiply, rotate, scale, subtract, vector
from symvi.registry import JOINTS


@dataclass(frozen=True)
class Carried:
    """A body of the tree and the joint that carries it; None for one that nothing holds.

    outward: the body is the joint's child. led: which coordinates drivers lead.
    """

    body: str
    name: str | None = None
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
    turn: Callable | None = None


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
        reach = add(rotate(parent, add(joint.anchor_a, rotate(joint.offset, slide))), scale(-1, rotate(child, joint.anchor_b)))
        return (add if link.outward else subtract)(below[0], reach), q

    def along(self, link: Carried, stands: Standing) -> list:
        """How far the anchors are apart along each axis; of a screw by its angle."""
        joint = link.joint
        if joint is None or not JOINTS[joint.type].is_threaded:
            return stands.slides
        turn = stands.turns[0]
        angle = self.functions.angle(_along(joint.axes[2], vector(turn)), turn[0], self.near[link.name or ""][0])
        return [joint.pitch * angle]

    # --- how they move ------------------------------------------------------------------------------------------------
    def moved(self, link: Carried, below, place, stands: Standing, motion: Motion, h) -> tuple[tuple, Standing]:
        """The place of a body after a step of h, where the body below has moved already, and how its joint stands."""
        if link.joint is None:
            return (add(place[0], scale(h, motion.rates)), multiply(motion.turn(h), place[1])), stands
        slides = [c + h * u for c, u in zip(stands.slides, motion.rates, strict=False)]
        if link.is_absolute:
            q = multiply(motion.turn(h), place[1])
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


class TreeEquations:
    """What joints of a tree hold and leave open, by one dense matrix at the first knot. system: the naive one."""

    def __init__(self, tree: JointTree, system):
        self.tree, self.system, self.zero = tree, system, system.zero
        self.rows = [link.name for link in tree.links.values() if link.name in system.sizes]

    def slopes(self, name: str, places: Mapping) -> dict[str, list[list]]:
        """The slopes of a joint's coordinates at some places, by body: six columns a coordinate; free turns are own."""
        link, zero = self.tree.links[name], self.zero
        unit = [[zero + int(i == k) for i in range(6)] for k in range(6)]
        if link.joint is None:
            return {name: unit}
        joint = link.joint
        count = link.slides if link.is_absolute else link.freedoms

        def values(body: str, z) -> list:
            moved = {**places, body: z}
            ends = moved[joint.parent], moved[joint.child]
            return [joints.coordinate(joint, k, *ends, self.tree.functions, {0: zero, 1: zero}) for k in range(count)]

        bodies = [body for body in (joint.parent, joint.child) if body != "world"]
        found = {body: slopes_by_place(lambda z, b=body: values(b, z), places[body], zero) for body in bodies}
        if link.is_absolute:
            found = {body: [*rows, *(unit[3:] if body == name else [[zero] * 6] * 3)] for body, rows in found.items()}
        return found

    @cached_property
    def coordinates(self) -> dict[str, dict[str, list[list]]]:
        """C: these slopes at the first knot, by the body that is carried."""
        return {name: self.slopes(name, self.system.first) for name in self.tree.links}

    def pushes(self, name: str) -> list[list]:
        """An impulse of one along each coordinate, on the body that is carried alone; slides at the joint's point."""
        link, found = self.tree.links[name], []
        for k, row in enumerate(self.coordinates[name][name]):
            found.append([*row[:3], *cross(self.arm(link), row[:3])] if k < link.slides and link.joint else row)
        return found

    def arm(self, link: Carried) -> list:
        """From the body's centre of mass to the joint's point: its own anchor, or that of the body below."""
        assert link.joint is not None, f"{link.body}: nothing holds it"
        first, own = self.system.first, (link.joint.anchor_b if link.outward else link.joint.anchor_a)
        arm = rotate(first[link.body][1], own)
        gap = joints.gap(link.joint, first[link.joint.parent], first[link.joint.child])
        return add(arm, gap) if link.swings else arm

    # --- what is open, and what joints hold ---------------------------------------------------------------------------
    def split(self, f: Mapping[str, list], pushes: Callable[[str], Mapping[str, list[list]]]) -> tuple[dict, dict]:
        """(y by joint, g by body) of impulses f on bodies, with coordinates that push on bodies as given."""
        places = {name: 6 * k for k, name in enumerate(self.tree.links)}
        columns: list[tuple[str, bool, dict[str, list]]] = []
        for joint in self.rows:
            found = {body: rows for (name, body), rows in self.system.gradients.items() if name == joint}
            count = self.system.sizes[joint]
            columns += [(joint, True, {body: rows[k] for body, rows in found.items()}) for k in range(count)]
        for name, link in self.tree.links.items():
            found = pushes(name)
            columns += [(name, False, {b: rows[k] for b, rows in found.items()}) for k in range(link.freedoms)]
        size = len(places) * 6
        matrix = [[self.zero] * len(columns) for _ in range(size)]
        for k, (_, _, by_body) in enumerate(columns):
            for body, values in by_body.items():
                for i, value in enumerate(values):
                    matrix[places[body] + i][k] = value
        solved = solve(matrix, [[value] for name in places for value in f[name]])
        y: dict[str, list] = {joint: [] for joint in self.rows}
        g: dict[str, list] = {name: [] for name in self.tree.links}
        for (name, is_row, _), (value,) in zip(columns, solved, strict=True):
            (y if is_row else g)[name].append(value)
        return y, g

    def open(self, f: Mapping[str, list]) -> dict[str, list]:
        """g of f = G^T y + C^T g, by the body that is carried."""
        return self.split(f, lambda name: self.coordinates[name])[1]

    def held(self, f: Mapping[str, list]) -> tuple[dict, dict, dict[str, list]]:
        """(y, g, rest): what is open along coordinates that no driver leads is left to bodies that are carried.

        rest: these impulses by body, so that f - rest is what joints and drivers hold. Of what drivers lead, g is theirs.
        """

        def pushes(name: str) -> dict[str, list[list]]:
            link, own = self.tree.links[name], self.pushes(name)
            found = {}
            for body, rows in self.coordinates[name].items():
                alone = own if body == name else [[self.zero] * 6 for _ in own]
                found[body] = [rows[k] if k in link.led else alone[k] for k in range(link.freedoms)]
            return found

        y, g = self.split(f, pushes)
        return y, g, self.left(g)

    def left(self, g: Mapping[str, list]) -> dict[str, list]:
        """Impulses g along coordinates that no driver leads, on the bodies that are carried."""
        found = {}
        for name, link in self.tree.links.items():
            total = [self.zero] * 6
            for k, row in enumerate(self.pushes(name)):
                if k not in link.led:
                    total = [old + g[name][k] * x for old, x in zip(total, row, strict=True)]
            found[name] = total
        return found

    def above(self, name: str) -> list[str]:
        """A body and all that it carries."""
        found = [name]
        for other, link in self.tree.links.items():
            if link.below in found and link.joint is not None:
                found.append(other)
        return found

    # --- Newton -------------------------------------------------------------------------------------------------------
    def increments(self, name: str, s: Mapping[str, list], second: Mapping) -> list:
        """Increments of a joint's rates for increments s of bodies: slopes of its coordinates at the second knot."""
        found = [self.zero] * self.tree.links[name].freedoms
        for body, rows in self.slopes(name, second).items():
            found = [old + sum((a * b for a, b in zip(row, s[body], strict=True)), self.zero) for old, row in zip(found, rows, strict=True)]
        return found


def newton(system, matrix: Mapping, residual: Mapping[str, list], guards: Mapping[str, list]) -> dict[str, list]:
    """F s = f by node, of the naive system with the guards of rows on its diagonal."""
    places, size = {}, 0
    for name, count in system.sizes.items():
        places[name], size = size, size + count
    dense = [[system.zero] * size for _ in range(size)]
    for (row, column), block in matrix.items():
        for i, line in enumerate(block):
            dense[places[row] + i][places[column] : places[column] + len(line)] = line
    for name, values in guards.items():
        for k, value in enumerate(values):
            dense[places[name] + k][places[name] + k] = dense[places[name] + k][places[name] + k] + value
    solved = [x for (x,) in solve(dense, [[value] for name in places for value in residual[name]])]
    return {name: solved[places[name] : places[name] + count] for name, count in system.sizes.items()}
