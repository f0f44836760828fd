"""What a model is asked in joint coordinates, in a prime field: a tree with random numbers, in records and by plain
definitions (naive/posed_tree.py).

Entries of the description that are exactly -1, 0 or 1 keep their values, as kernels may have them for constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import sqrt

from symvi.exact.dual import Functions
from symvi.exact.field import MERSENNE_61, Field, Number
from symvi.exact.opaque import Opaque
from symvi.kernels.body_kernels import BODY
from symvi.kernels.common import COMMON
from symvi.kernels.spatial import COORDINATE, FREEDOM, TREE, Limb
from symvi.mechanism import Mechanism
from symvi.mechanism.rotation import rotation_matrix
from symvi.naive.posed_tree import Member, PosedTree, Weights
from symvi.naive.quaternion import columns, multiply
from symvi.program.queries import Queries
from symvi.proofs.crun import Memory
from symvi.proofs.exact import Exact
from symvi.proofs.numbers import joint_record, joints_of

EXACT = (-1.0, 0.0, 1.0)
STORES = ("parameters", "work")


class ModelScene:
    """Random numbers of a model's tree. limbs: its joints and bodies, the ones below first."""

    def __init__(
        self,
        mechanism: Mechanism,
        queries: Queries,
        limbs: Sequence[Limb],
        *,
        prime: int = MERSENNE_61,
        seed: int = 0,
    ):
        self.mechanism = mechanism
        self.queries, self.program = queries, queries.program
        self.field = Field(prime, seed)
        self.opaque, self.limbs = Opaque(self.field), limbs
        self.functions = Functions(self.opaque.functions(self.field.known_root))
        self.held = {held.body: held for held in queries.held}
        self.gravity = self.field.randoms(3)
        self.weights = {body: self._weights(body) for body in queries.bodies}
        members = [self._member(limb) for limb in limbs]
        q = {member.body: self._coordinates(member) for member in members}
        self.tree = PosedTree(members, self.weights, q, self.gravity, self.functions, self.field.zero)
        names = {joint.name for joint in mechanism.joints}
        self.exact, self.closing = Exact(self.field), {}  # joints that close loops: their numbers, by record
        for kind in self.program.nodes:
            for node in self.program.nodes[kind] if kind.startswith("closing_") else ():
                if node.name in names:
                    self.closing[kind, node.index] = joints_of(mechanism, self.exact)[node.name]
        self.motion, self.change = ({m.body: self.field.randoms(m.freedoms) for m in members} for _ in range(2))

    def kernel_numbers(self) -> dict:
        """The numbers that kernels run on."""
        return {"number": self.field.number, **self.opaque.functions(self.field.known_root)}

    def freedom(self, which: tuple[str, int]) -> int:
        """The record of a freedom: a body and the number of one that carries it."""
        return self.held[which[0]].rates.start + which[1]

    # --- numbers ------------------------------------------------------------------------------------------------------
    def _weights(self, body: str) -> Weights:
        node = next(node for node in self.program.nodes[BODY] if node.name == body)
        given = self.program.parameters[BODY, node.index]
        inertia, center = (self._like(given[name]) for name in ("inertia", "center"))
        return Weights(self.field.random(), inertia, center)

    def _like(self, values: Sequence[float]) -> list[Number]:
        """Random numbers where a description's are not exact."""
        return [self.field.number(int(x)) if x in EXACT else self.field.random() for x in values]

    def _member(self, limb: Limb) -> Member:
        b, a = (self._turn(limb.parameters[name].values) for name in ("before", "after"))
        if limb.together:
            axes = columns(b)  # of a free body, along the axes of the parent's triad
        else:
            axes = [self._like(limb.parameters[f"axis_{k + 1}"].values) for k in range(limb.slides)]
        anchor_a, anchor_b = (self._like(limb.parameters[name].values) for name in ("anchor_a", "anchor_b"))
        pitch = self.field.random() if limb.pitch else None
        slides = 0 if limb.pitch else limb.slides
        return Member(
            limb.body,
            limb.below,
            limb.outward,
            slides,
            limb.turns,
            limb.together,
            b,
            a,
            anchor_a,
            anchor_b,
            axes,
            pitch,
        )

    def _turn(self, matrix: Sequence[float]) -> list[Number]:
        """A random unit quaternion whose matrix has the exact entries of another one."""
        rows, field = [matrix[3 * k : 3 * k + 3] for k in range(3)], self.field
        if all(x in EXACT for x in matrix):
            return [self._known(x) for x in _between_axes(tuple(matrix))]
        for r, c in product(range(3), repeat=2):
            if rows[r][c] in (-1.0, 1.0):  # axes to axes, then a turn about the one that is known
                between = [[0.0] * 3 for _ in range(3)]
                for k, sign in enumerate((rows[r][c], 1.0, rows[r][c])):
                    between[(r + k) % 3][(c + k) % 3] = sign
                known = _between_axes(tuple(x for row in between for x in row))
                return multiply([self._known(x) for x in known], self._about(c))
        zeros = [(r, c) for r in range(3) for c in range(3) if rows[r][c] == 0.0]
        if not zeros:
            return field.sphere(4)
        if len(zeros) > 1:
            raise ValueError(f"no random rotation is known with the zeros of {rows}")
        ((r, c),) = zeros  # turned about the axis of its row, then of its column: the entry stays that between them
        between = self._quarter((r + 1) % 3) if r == c else [field.one, *[field.zero] * 3]
        return multiply(multiply(self._about(r), between), self._about(c))

    def _about(self, axis: int) -> list[Number]:
        """A random turn about an axis."""
        c, s = self.field.sphere(2)
        found = [c, *[self.field.zero] * 3]
        found[1 + axis] = s
        return found

    def _quarter(self, axis: int) -> list[Number]:
        """A quarter of a turn about an axis."""
        found = [self._known(sqrt(0.5)), *[self.field.zero] * 3]
        found[1 + axis] = found[0]
        return found

    def _known(self, x: float) -> Number:
        """An entry of a quaternion that turns axes to axes: 0, 1/2, sqrt(1/2) or 1, of either sign."""
        size = {0: self.field.zero, 1: self.field.one / 2, 2: self.field.root_of_two / 2, 4: self.field.one}
        return size[round(4 * x * x)] if x >= 0 else -size[round(4 * x * x)]

    def _coordinates(self, member: Member) -> list[Number]:
        if member.turns == 3:
            return [*self.field.randoms(member.slides), *self.field.sphere(4)]
        return self.field.randoms(member.freedoms)

    # --- records ------------------------------------------------------------------------------------------------------
    def memory(self) -> Memory:
        """All records: parameters, coordinates, and numbers by accident where nothing was computed yet."""
        found: Memory = {store: {} for store in STORES}
        for kind, nodes in self.program.nodes.items():
            for store in STORES:
                fields = self.program.records.of(kind, store)
                found[store][kind] = [{f.name: self.field.randoms(f.size) for f in fields} for _ in nodes]
        found["parameters"][COMMON][0]["gravity"] = list(self.gravity)
        for body, own in zip(self.queries.bodies, found["parameters"][BODY], strict=True):
            weights = self.weights[body]
            own |= {"mass": [weights.mass], "inertia": list(weights.inertia), "center": list(weights.center)}
        for limb in self.limbs:
            kind, index = self._record(limb)
            found["parameters"][kind][index] |= self._parameters(self.tree.members[limb.body])
        for (kind, index), joint in self.closing.items():
            name = self.program.nodes[kind][index].name
            known = joint_record(joint, self.mechanism.joint(name), self.exact)
            own = found["parameters"][kind][index]
            own |= {field: list(known[field]) for field in own}
        for n, x in enumerate(x for held in self.queries.held for x in self.tree.coordinates[held.body]):
            found["work"][COORDINATE][n]["value"] = [x]
        if any(node.name == "world" for node in self.program.nodes[TREE]):
            found["work"][TREE][0]["origin"] = [self.field.zero] * 3
        return found

    def _record(self, limb: Limb) -> tuple[str, int]:
        others = (COMMON, BODY, TREE, COORDINATE, FREEDOM)
        return next(
            (kind, node.index)
            for kind, nodes in self.program.nodes.items()
            for node in nodes
            if kind not in others and node.name == limb.name and (kind, node.index) in self.program.parameters
        )

    def _parameters(self, member: Member) -> dict[str, list]:
        found = {"anchor_a": list(member.anchor_a), "anchor_b": list(member.anchor_b)}
        for name, turn in (("before", member.b), ("after", member.a)):
            sides, found[f"{name}_q"] = columns(turn), list(turn)
            found[name] = [sides[c][r] for r in range(3) for c in range(3)]
        found |= {f"axis_{k + 1}": list(axis) for k, axis in enumerate(member.axes)}
        return found | ({"pitch": [member.pitch]} if member.pitch is not None else {})


@lru_cache
def _between_axes(matrix: tuple[float, ...]) -> tuple[float, ...]:
    """The quaternion of a rotation that turns axes to axes."""
    entries = [sign * size for size in (0.0, 0.5, sqrt(0.5), 1.0) for sign in (1.0, -1.0)]
    for q in product(entries, entries, entries, entries):
        if abs(sum(x * x for x in q) - 1.0) < 1e-9:
            found = [x for row in rotation_matrix(q) for x in row]
            if all(abs(a - b) < 1e-9 for a, b in zip(found, matrix, strict=True)):
                return q
    raise ValueError("no rotation turns axes to axes so")
