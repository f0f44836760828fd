"""The equations of joint coordinates by dense algebra: what joints hold, what they leave open, and Newton's method.

No equation is projected in a sweep. With rows G and coordinates C of all joints of the tree at the first knot, [G; C]
is square, and any impulses f on bodies are in one way

    f = Gᵀ y + Cᵀ g,

with y what joints hold and g what is open along the coordinates: Nᵀ f, for the motions N with G N = 0, C N = 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from symvi.exact.linear import solve
from symvi.naive import joints
from symvi.naive.discrete_body import slopes_by_place
from symvi.naive.joint_tree import Carried, JointTree
from symvi.naive.quaternion import add, cross, rotate


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
        """g of f = Gᵀ y + Cᵀ g, by the body that is carried."""
        return self.split(f, lambda name: self.coordinates[name])[1]

    def held(self, f: Mapping[str, list]) -> tuple[dict, dict, dict[str, list]]:
        """(y, g, rest): what is open along coordinates that no driver leads is left to bodies that are carried.

        rest: these impulses by body, so that f - rest is what joints and drivers hold. Of led coordinates, g is theirs.
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
            found = [
                old + sum((a * b for a, b in zip(row, s[body], strict=True)), self.zero)
                for old, row in zip(found, rows, strict=True)
            ]
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
