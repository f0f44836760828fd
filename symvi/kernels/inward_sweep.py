"""Inward over a tree, from the leaves to the ground: impulses and articulated inertia are summed up."""

from __future__ import annotations

from typing import NamedTuple

from symvi.kernels import blocks
from symvi.kernels.blocks import Matrix, Vector, cross
from symvi.kernels.body_kernels import diagonal_block
from symvi.kernels.carried_joint import (
    ASKED,
    BELOW,
    LED,
    MEANINGS,
    OWN,
    SOURCE,
    CarriedJoint,
    Link,
    Place,
    TracedAt,
    about,
    blocks_sum,
    dot_sparse,
)
from symvi.kernels.limit import KAPPA
from symvi.kernels.tracing import Trace


class Condensed(NamedTuple):
    """What is left of a joint's coordinates: A and A N2, slopes of laws, N1 of the coordinates that have a balance, and
    the factors of E = N1ᵀ A N2."""

    inertia: Matrix
    lift: Matrix
    slopes: Matrix
    columns: Matrix
    factors: Matrix


def of_body_below(trace: Trace, link: Link, found: Condensed) -> tuple[Matrix, Matrix]:
    """N1ᵀ A and A by what the joint passes on of the motion of the body below: all of it, or the point's alone.

    Springs along absolute turns pass on its turning, too.
    """
    zero = trace.graph.constant(0)
    passed = range(3) if link.is_absolute else range(6)
    given = [[dot_sparse(trace, column, [row[m] for row in found.inertia]) for m in passed] for column in found.columns]
    matrix = [[found.inertia[r][m] for m in passed] for r in passed]
    if link.is_sprung:
        turned = [row[link.slides :] for row in found.slopes]
        given = [[*row, *(-x for x in turned[k])] for row, k in zip(given, link.solved, strict=True)]
        spring = turned[link.slides :]
        matrix = [[*row, zero, zero, zero] for row in matrix] + [[zero, zero, zero, *row] for row in spring]
    return given, matrix


def pushes_below(link: Link, found: Condensed) -> Matrix:
    """A N2 with the torques of springs on the body below; of what drivers lead, those on the body itself, which
    `resolve` asks for."""
    steep = found.slopes[link.slides :]
    torques = [
        [row[k] if k in link.driven else -x for k, x in enumerate(slopes)]
        for slopes, row in zip(steep, found.lift[3:], strict=True)
    ]
    return [*found.lift[:3], *torques]


class Inward:
    """What a joint and the body that it carries leave to the body below."""

    def __init__(self, joint: CarriedJoint):
        self.joint, self.link = joint, joint.link

    def phases(self) -> dict[str, TracedAt]:
        """What traces each phase at a place in the tree, and what it does."""
        found: dict[str, TracedAt] = {
            "sum": (self.sum, "W = [p; l + r1 x p] + what it carries,  open = N1ᵀ W"),
            "eliminate": (
                self.eliminate,
                "E = N1ᵀ A N2;  q = E^-1 N1ᵀ W;  A - A N2 K and W - A N2 q to the body below",
            ),
            "resolve": (self.resolve, "q = E^-1 N1ᵀ W;  W - A N2 q to the body below"),
        }
        if self.joint.summed:
            found["bear"] = (self.bear, "W = [p; l + r1 x p] + what it carries")
        return found

    def sum(self, trace: Trace, place: Place) -> None:
        """Sum up impulses, and leave to the body what is open along the coordinates."""
        f, arm = trace.read(OWN, "work", "f", 6), self.joint.arm(trace, "1")
        with trace.computing("W = [f_x; f_r + r1 x f_x] + what it carries", SOURCE):
            total = [*f[:3], *blocks_sum(f[3:], cross(arm, f[:3]))]
            if place.carries:
                total = blocks_sum(total, self.joint.sum_of_carried(trace, "borne"))
        columns = self.joint.columns(trace, "1")
        with trace.computing("open = N1ᵀ W", SOURCE):
            found = [dot_sparse(trace, column, total) for column in columns]
        if self.link.laws:
            with trace.computing("open -= impulses of laws along the coordinates", SOURCE):
                found = blocks_sum(found, self.joint.get(trace, "against", self.link.freedoms))
        zero = trace.graph.constant(0)
        self.joint.put(trace, LED, [found[k] for k in self.link.driven])
        found = [zero if k in self.link.driven else x for k, x in enumerate(found)]
        self.joint.put(trace, "open", found)
        rest = [zero] * 6
        for column, value in zip(self.joint.pushes(trace, "1"), found, strict=True):
            rest = [a + value * b for a, b in zip(rest, column, strict=True)]
        if not self.joint.summed:
            total = [a - b for a, b in zip(total, rest, strict=True)]
            if self.link.laws:  # they are part of what is left to the body now
                self.joint.put(trace, "against", [zero] * self.link.freedoms)
        elif self.link.is_absolute:
            total = [*total[:3], *(a - b for a, b in zip(total[3:], rest[3:], strict=True))]
        left = [*rest[:3], *(a - b for a, b in zip(rest[3:], cross(arm, rest[:3]), strict=True))]
        if self.joint.summed:
            trace.write(OWN, "rest", left, *MEANINGS["rest"])
            self.joint.put(trace, "bearing", total[:3])
        else:
            if self.joint.bordered:
                trace.write(OWN, "held", [a - b for a, b in zip(f, left, strict=True)], *MEANINGS["held"])
            trace.write(OWN, "f", left)
            self.joint.put(trace, "wrench", total)
        self._pass_on(trace, "borne", total, place, "1")

    def bear(self, trace: Trace, place: Place) -> None:
        """Sum up impulses once more, with those that move nothing."""
        f, arm = trace.read(OWN, "work", "f", 6), self.joint.arm(trace, "1")
        with trace.computing("W = [f_x; f_r + r1 x f_x] + what it carries", SOURCE):
            total = [*f[:3], *blocks_sum(f[3:], cross(arm, f[:3]))]
            if place.carries:
                total = blocks_sum(total, self.joint.sum_of_carried(trace, "passed"))
        self.joint.put(trace, "wrench", total)
        self._pass_on(trace, "passed", total, place, "1")

    def _pass_on(self, trace: Trace, name: str, impulses: Vector, place: Place, knot: str) -> None:
        """To the body below, about its own point. Absolute turns pass on no torque."""
        if not self.link.below:
            return
        reach = self.joint.get(trace, f"reach{knot}", 3)
        with trace.computing("W_k += [W_x; W_r + p1 x W_x]", SOURCE):
            force, torque = impulses[:3], cross(reach, impulses[:3])
            if not (self.link.is_absolute and name == "left") or self.link.is_sprung:
                torque = blocks_sum(torque, impulses[3:])
            self._add(trace, name, [*force, *torque], place)

    def _add(self, trace: Trace, name: str, values: Vector, place: Place) -> None:
        """Into a sum of the body below, which the first of those that it carries begins."""
        if place.first:
            trace.write(BELOW, name, values, *MEANINGS[name])
        else:
            old = self.joint.of(trace, BELOW, name, len(values))
            trace.write(BELOW, name, blocks_sum(old, values), *MEANINGS[name])

    def _articulated(self, trace: Trace, place: Place) -> Matrix:
        """A: of the body, about the joint's point, and of what it carries."""
        zero = trace.graph.constant(0)
        values = trace.read(OWN, "work", "D", 36)
        block = self.joint.block if place.pressed else diagonal_block()
        entries = [value if not entry.is_zero else zero for value, entry in zip(values, block.entries, strict=True)]
        d = [entries[6 * r : 6 * r + 6] for r in range(6)]
        arm1, arm2 = self.joint.arm(trace, "1"), self.joint.arm(trace, "2")
        with trace.computing("A = [D_xx, D_xr - D_xx r2^; D_rx + r1^ D_xx, ...], about the anchor", SOURCE):
            own = about(d, arm1, [-x for x in arm2])
            if place.carries:
                values = self.joint.of(trace, OWN, "carried", 36)
                more = [values[6 * r : 6 * r + 6] for r in range(6)]
                if self.link.swings:
                    apart = [self.joint.get(trace, f"offset{knot}", 3) for knot in "12"]
                    more = about(more, apart[0], [-x for x in apart[1]])
                own = blocks.add(more, own)
        return [list(row) for row in trace.matrix("A", own)]

    def eliminate(self, trace: Trace, place: Place) -> None:
        """E and q, then what the joint leaves to the body below."""
        link, columns2 = self.link, self.joint.columns(trace, "2")
        inertia = self._articulated(trace, place)
        if not link.freedoms:
            self._hand_down(trace, place, inertia, self._impulses(trace, place))
            return
        found = self._condensed(trace, inertia, columns2)
        impulses = self._led(trace, self._impulses(trace, place), found.lift)
        q = self._solve(trace, found.factors, impulses, found.columns)
        self.joint.put(trace, "pivot", [x for row in found.factors for x in row])
        if link.below:
            self._leave(trace, place, found, impulses, q)
        elif link.driven:
            self.joint.put(trace, "lift", [x for row in found.lift for x in row])

    def _condensed(self, trace: Trace, inertia: Matrix, columns2: Matrix) -> Condensed:
        """A N2, and E = N1ᵀ A N2 of the coordinates that have a balance, with the slopes of laws along them."""
        free = self.link.solved
        with trace.computing("A N2", SOURCE):
            lift = [[dot_sparse(trace, row, column) for column in columns2] for row in inertia]
            trace.matrix("AN", lift)
        columns1 = [self.joint.columns(trace, "1")[k] for k in free]
        slopes = self._slopes(trace) if self.link.slopes else []
        with trace.computing("E = N1ᵀ A N2", SOURCE):
            pivot = [[dot_sparse(trace, column, [row[k] for row in lift]) for k in free] for column in columns1]
            if slopes:
                pivot = blocks.add(pivot, [[slopes[r][c] for c in free] for r in free])
            return Condensed(inertia, lift, slopes, columns1, blocks.factor(pivot))

    def _leave(self, trace: Trace, place: Place, found: Condensed, impulses: Vector, q: Vector) -> None:
        """A - A N2 K and W - A N2 q to the body below, K = E^-1 N1ᵀ A."""
        link, free, zero = self.link, self.link.solved, trace.graph.constant(0)
        given, matrix = of_body_below(trace, link, found)
        lift = found.lift
        if link.is_sprung:
            lift = pushes_below(link, found)
            impulses = [*impulses[:3], zero, zero, zero]
        lifted = [[row[k] for k in free] for row in lift]
        with trace.computing("K = E^-1 N1ᵀ A", SOURCE):
            back = blocks.solve(found.factors, given) if free else []
            trace.matrix("K", back)
        with trace.computing("A - A N2 K", SOURCE):
            rest = blocks.subtract_product(matrix, lifted[: len(matrix)], back) if free else matrix
            trace.matrix("B", rest)
        self.joint.put(trace, "back", [x for row in back for x in row])
        self.joint.put(trace, "lift", [x for row in lift for x in row])
        if len(rest) < 6:
            rest = [[*row, zero, zero, zero] for row in rest] + [[zero] * 6 for _ in range(3)]
        with trace.computing("W - A N2 q", SOURCE):
            impulses = blocks.subtract_times(impulses, lifted, q)
        self._hand_down(trace, place, rest, impulses)

    def _led(self, trace: Trace, impulses: Vector, lift: Matrix) -> Vector:
        """What is left of impulses by the coordinates that drivers lead, whose increments are known."""
        if not self.link.driven:
            return impulses
        with trace.computing("W - A N2_D q_D", SOURCE):
            columns = [[row[k] for k in self.link.driven] for row in lift]
            return blocks.subtract_times(impulses, columns, self.joint.get(trace, ASKED, len(self.link.driven)))

    def _slopes(self, trace: Trace) -> Matrix:
        """Slopes of all laws along the coordinates, by these: a diagonal, and S of three free rotations."""
        link, model, zero = self.link, self.joint.model, trace.graph.constant(0)
        kappa = self.joint.get(trace, KAPPA, model.freedoms)
        found = [[zero] * link.freedoms for _ in range(link.freedoms)]
        for k, row in enumerate(found[: link.slides if link.is_absolute else link.freedoms]):
            row[k] = kappa[link.order[k]]
        if link.is_absolute:
            along1, along2 = (self.joint.along(trace, knot) for knot in "12")
            with trace.computing("S = C1ᵀ kappa C2", SOURCE):
                for r in range(3):
                    steep = [k * row[r] for k, row in zip(kappa[link.slides :], along1, strict=True)]
                    for c in range(3):
                        found[link.slides + r][link.slides + c] = dot_sparse(trace, steep, [row[c] for row in along2])
        return found

    def _hand_down(self, trace: Trace, place: Place, matrix: Matrix, impulses: Vector) -> None:
        if not self.link.below:
            return
        reach1, reach2 = self.joint.get(trace, "reach1", 3), self.joint.get(trace, "reach2", 3)
        with trace.computing("A_k += Xᵀ (A - A N2 K) X, about the anchor of the body below", SOURCE):
            moved = about(matrix, reach1, [-x for x in reach2])
            self._add(trace, "carried", [x for row in moved for x in row], place)
        self._pass_on(trace, "left", impulses, place, "1")

    def _impulses(self, trace: Trace, place: Place) -> Vector:
        """What is not balanced yet on this body and on those that it carries."""
        zero = trace.graph.constant(0)
        if self.joint.summed:
            own = None
        else:
            f, arm = trace.read(OWN, "work", "f", 6), self.joint.arm(trace, "1")
            with trace.computing("W = [f_x; f_r + r1 x f_x] + what is left of what it carries", SOURCE):
                own = [*f[:3], *blocks_sum(f[3:], cross(arm, f[:3]))]
        if not place.carries:
            return own or [zero] * 6
        more = self.joint.sum_of_carried(trace, "left")
        return more if own is None else blocks_sum(more, own)

    def _solve(self, trace: Trace, factors: Matrix, impulses: Vector, columns: Matrix) -> Vector:
        """q of the coordinates that have a balance; those of all are kept."""
        link, free = self.link, self.link.solved
        with trace.computing("q = E^-1 N1ᵀ W", SOURCE):
            right = [dot_sparse(trace, column, impulses) for column in columns]
            name = "open" if self.joint.summed else "against" if link.laws else ""
            if name:
                more = self.joint.get(trace, name, link.freedoms)
                right = blocks_sum(right, [more[k] for k in free])
            q = [row[0] for row in blocks.solve(factors, [[value] for value in right])] if free else []
            q = list(trace.named("q", q))
        asked = dict(zip(link.driven, self.joint.get(trace, ASKED, len(link.driven)), strict=True))
        self.joint.put(trace, "s", [asked[k] if k in asked else q[free.index(k)] for k in range(link.freedoms)])
        return q

    def resolve(self, trace: Trace, place: Place) -> None:
        link, free, impulses = self.link, self.link.solved, self._impulses(trace, place)
        n = len(free)
        if link.freedoms:
            factors = self.joint.get(trace, "pivot", n * n)
            lift = self.joint.get(trace, "lift", 6 * link.freedoms) if link.below or link.driven else []
            lift = [lift[link.freedoms * r : link.freedoms * (r + 1)] for r in range(6)]
            columns = self.joint.columns(trace, "1")
            impulses = self._led(trace, impulses, lift)
            factors = [factors[n * r : n * r + n] for r in range(n)]
            q = self._solve(trace, factors, impulses, [columns[k] for k in free])
            if not link.below:
                return
            if link.is_sprung:
                impulses = [*impulses[:3], *[trace.graph.constant(0)] * 3]
            with trace.computing("W - A N2 q", SOURCE):
                impulses = blocks.subtract_times(impulses, [[row[k] for k in free] for row in lift], q)
        self._pass_on(trace, "left", impulses, place, "1")
