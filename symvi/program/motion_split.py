"""What the rows of a joint hold of a body's motion and what they leave free, by vector products traced on scalars.

Rows on a vector, M (k x 3): none, two or three of them, since the vector product of two is what they leave free and no
choice has to be made. With n = m1 x m2,
    x = (e1 m2 - e2 m1) x n / n·n      solves M x = e and is orthogonal to n,
    y = (m2·(n x u), m1·(u x n)) / n·n solves Mᵀ y = u for u in the span of the rows;
with three rows both follow from (m2 x m3, m3 x m1, m1 x m2)/det M.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from symvi.kernels.blocks import Matrix, Vector, cross, dot
from symvi.physics.joints import rows as row
from symvi.physics.model import ConstraintModel
from symvi.scalar import Graph, Scalar

COUNTS = (0, 2, 3)  # of rows of one kind that can be taken without a choice
TRANSLATIONS, ROTATIONS = (row.coincidence, row.offset_along), (row.alignment,)


def rows_by_kind(model: ConstraintModel) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The numbers of the rows on velocities and of those on angular velocities alone; None where a choice is needed."""
    moving, turning = (
        tuple(sorted(k for group in model.groups if group.formula in formulas for k in group.into))
        for formulas in (TRANSLATIONS, ROTATIONS)
    )
    possible = {len(moving), len(turning)} <= {*COUNTS} and len(moving) + len(turning) == model.rows
    return (moving, turning) if possible and model.tree else None


@dataclass(frozen=True)
class Triple:
    """None, two or three rows on a vector."""

    graph: Graph
    rows: Matrix

    @cached_property
    def _products(self) -> list[Vector]:
        m = self.rows
        return [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])] if len(m) == 3 else [cross(m[0], m[1])]

    @cached_property
    def _inverse(self) -> Scalar:
        """1/det M, or 1/n·n."""
        first = self._products[0]
        return 1 / dot(self.rows[0] if len(self.rows) == 3 else first, first)

    @property
    def free(self) -> list[Vector]:
        """Vectors that span what the rows leave free."""
        if not self.rows:
            return [[self.graph.constant(int(i == k)) for i in range(3)] for k in range(3)]
        return self._products if len(self.rows) == 2 else []

    def solve(self, right: Vector) -> Vector:
        """x with M x = e, zero along what is free."""
        if not self.rows:
            return [self.graph.constant(0)] * 3
        if len(self.rows) == 3:
            found = [dot(right, [product[i] for product in self._products]) for i in range(3)]
        else:
            first, second = self.rows
            found = cross([right[0] * b - right[1] * a for a, b in zip(first, second, strict=True)], self._products[0])
        return [self._inverse * value for value in found]

    def weigh(self, vector: Vector) -> Vector:
        """y with Mᵀ y = u, for a vector u in the span of the rows."""
        if not self.rows:
            return []
        if len(self.rows) == 3:
            found = [dot(vector, product) for product in self._products]
        else:
            turned = cross(self._products[0], vector)
            found = [dot(self.rows[1], turned), -dot(self.rows[0], turned)]
        return [self._inverse * value for value in found]


@dataclass(frozen=True)
class Held:
    """The rows of a joint on one of its bodies: those with a part on velocity, and those on angular velocity alone.

    places: the numbers of the rows of both kinds. translation: M_v. arm: what its rows take of the angular velocity.
    rotation: M_w.
    """

    places: tuple[tuple[int, ...], tuple[int, ...]]
    translation: Triple
    arm: Matrix
    rotation: Triple

    @classmethod
    def of(cls, graph: Graph, rows: Matrix, places: tuple[tuple[int, ...], tuple[int, ...]]) -> Held:
        """rows: G (r x 6), to be sorted into both kinds."""
        moving, turning = ([rows[k] for k in kind] for kind in places)
        return cls(
            places,
            Triple(graph, [row[:3] for row in moving]),
            [row[3:] for row in moving],
            Triple(graph, [row[3:] for row in turning]),
        )

    @property
    def _zero(self) -> Vector:
        return [self.translation.graph.constant(0)] * 3

    def free(self) -> list[Vector]:
        """N, motion by motion: G N = 0."""
        turns = [[*self._follow(turn), *turn] for turn in self.rotation.free]
        return turns + [[*v, *self._zero] for v in self.translation.free]

    def motion(self, right: Vector) -> Vector:
        """P e, a motion with G P e = e."""
        turn = self.rotation.solve([right[k] for k in self.places[1]])
        asked = [right[k] for k in self.places[0]]
        left = [e - dot(arm, turn) for e, arm in zip(asked, self.arm, strict=True)]
        return [*self.translation.solve(left), *turn]

    def impulses(self, push: Vector) -> Vector:
        """P'ᵀ u, the impulses y of the rows with Gᵀ y = u."""
        moving = self.translation.weigh(push[:3])
        turn = list(push[3:])
        for y, arm in zip(moving, self.arm, strict=True):
            turn = [t - y * a for t, a in zip(turn, arm, strict=True)]
        found = dict(zip(self.places[0], moving, strict=True))
        found |= dict(zip(self.places[1], self.rotation.weigh(turn), strict=True))
        return [found[k] for k in sorted(found)]

    def passed_on(self, above: Held, rigid: bool) -> Matrix:
        """X (6 x 6), the motion that the body above passes on: G X = -G_above.

        Both bodies' rows are each other's negatives but for their arms. rigid: where no rotation or no translation is
        held, let the body keep its place in the body above; otherwise let it stay.
        """
        one, zero = self.translation.graph.constant(1), self._zero[0]
        pairs = [
            *zip(self.translation.rows, above.translation.rows, strict=True),
            *zip(self.rotation.rows, above.rotation.rows, strict=True),
        ]
        if any(not (a + b).is_zero for pair in pairs for a, b in zip(*pair, strict=True)):
            raise ValueError("rows of a carrying joint are not each other's negatives")
        turns = rigid or bool(self.rotation.rows)
        moves = rigid or bool(self.translation.rows)
        columns = [[*(one if moves and i == k else zero for i in range(3)), *self._zero] for k in range(3)]
        for k in range(3):
            turn = [one if turns and i == k else zero for i in range(3)]
            left = [-dot(arm, turn) - other[k] for arm, other in zip(self.arm, above.arm, strict=True)]
            columns.append([*self.translation.solve(left), *turn])
        return [[column[i] for column in columns] for i in range(6)]

    def _follow(self, turn: Vector) -> Vector:
        """The velocity that keeps the rows at zero while the body turns."""
        return self.translation.solve([-dot(arm, turn) for arm in self.arm])
