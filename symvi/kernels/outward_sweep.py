"""Outward over a tree, from the ground to the leaves: placements and velocities follow from rates u of the joints."""

from __future__ import annotations

from symvi.kernels import blocks, common
from symvi.kernels.blocks import Matrix, Vector, cross, dot
from symvi.kernels.body_kernels import POSITION, half_turn, use
from symvi.kernels.carried_joint import (
    AGES,
    BELOW,
    BENT,
    MEANINGS,
    OWN,
    SOURCE,
    CarriedJoint,
    Traced,
    blocks_sum,
    mean_rate,
    scaled,
)
from symvi.kernels.common import COMMON
from symvi.kernels.knots import Knots
from symvi.kernels.tracing import Trace
from symvi.physics import kinematics
from symvi.physics.joints import motions
from symvi.physics.joints.rows import angle_about_axis, screw_advance
from symvi.physics.model import FixedTo
from symvi.scalar import Rate, Scalar


class Outward:
    """What a joint and the body that it carries do on the way outward, before and in an iteration."""

    def __init__(self, joint: CarriedJoint):
        self.joint, self.link = joint, joint.link

    def phases(self) -> dict[str, Traced]:
        """What traces each phase, and what it does."""
        found: dict[str, Traced] = {
            "merit": (self.merit, "add what is open along the coordinates, as velocities, to the merit"),
            "begin": (self.begin, "rates carried on by `length` times their last change, and the motion at them"),
            "rest": (self.rest, "no motion: rates are zero"),
            "advance": (self.advance, "keep the base, take `length` of the increment, move"),
            "shorten_step": (self.shorten_step, "take another `length` of the same increment, move"),
            "measure_bend": (
                self.measure_bend,
                "add squares of the last change of the rates, and of its own change",
            ),
        }
        return found

    def prepare(self, trace: Trace) -> None:
        link, knots = self.link, Knots(trace, self.joint.model, self.joint.baked)
        anchors = {label: knots.of(FixedTo(label, f"anchor_{label}"))[0] for label in "ab"}
        axes = [knots.of(source)[0] for source in link.axes]
        if not link.outward:
            axes = [[-x for x in axis] for axis in axes]
        own, below = (link.own, "a" if link.outward else "b")
        trace.write(link.own, "arm1", [-x for x in anchors[own]], *MEANINGS["arm1"])
        reach = anchors[below]
        if link.below:
            reach = blocks_sum(reach, trace.read(below, "work", "arm1", 3, *MEANINGS["arm1"]))
        if link.slides:
            gap = self._gap(trace, anchors)
            apart = [trace.graph.constant(0)] * 3
            for axis in axes[: link.slides]:
                apart = blocks_sum(apart, scaled(axis, dot(axis, gap)))
            if link.swings:
                self.joint.put(trace, "offset1", apart)
            else:
                reach = blocks_sum(reach, apart)
        if link.pitch:
            reach = blocks_sum(reach, scaled(axes[0], self.joint.pitch(trace) * self._angle(knots)))
        self.joint.put(trace, "reach1", reach)
        self.joint.put(trace, "axes1", [x for axis in axes[: len(self._axes())] for x in axis])

    def prepare_free(self, trace: Trace) -> None:
        for name in ("arm1", "arm2"):
            trace.write(OWN, name, [trace.graph.constant(0)] * 3, *MEANINGS[name])

    def _axes(self) -> range:
        return range(self.link.slides + (0 if self.link.is_absolute else self.link.turns))

    def _angle(self, knots: Knots) -> Scalar:
        """The angle of a screw at the first knot, which says how far it has advanced."""
        inputs = next(group.inputs for group in self.joint.model.groups if group.formula is screw_advance)
        given = {argument.name: knots.of(inputs[argument.name])[0] for argument in angle_about_axis.inputs}
        return use(knots.trace, angle_about_axis, "at the first knot", "1", **given)["g"][0]

    def _gap(self, trace: Trace, anchors) -> Vector:
        """From the anchor on the body below to that on the body that is carried."""
        ends = {}
        for label in "ab":
            x = trace.read(label, "state", *POSITION) if self.joint.moves(label) else [trace.graph.constant(0)] * 3
            ends[label] = blocks_sum(x, anchors[label])
        own, below = (self.link.own, "a" if self.link.outward else "b")
        return [a - b for a, b in zip(ends[own], ends[below], strict=True)]

    def weigh(self, trace: Trace) -> None:
        """What its own body alone opposes to each coordinate: articulated inertia is no less."""
        link, one = self.link, trace.graph.constant(1)
        mass, size = (trace.read(OWN, "parameters", name)[0] for name in ("mass", "size"))
        if link.is_free:
            found = [mass] * 3 + [size] * 3
        else:
            arm = self.joint.arm(trace, "1")
            found = [mass] * link.slides
            if link.is_absolute:
                found += [size + mass * dot(arm, arm)] * 3
            inertia = trace.read(OWN, "work", "j", 6)
            xx, yy, zz, xy, xz, yz = inertia
            rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
            for axis in self.joint.axes(trace, "axes1")[link.slides :]:
                lever = cross(axis, arm)
                with trace.computing("E = e·J e + m (e x r)²", SOURCE):
                    found.append(dot(axis, blocks.times(rows, axis)) + mass * dot(lever, lever))
            if link.pitch:
                with trace.computing("E += m pitch²", SOURCE):
                    pitch = self.joint.pitch(trace)
                    found[0] = found[0] + mass * (pitch * pitch)
        self.joint.put(trace, "weight", [one / (x * x) for x in found])

    def merit(self, trace: Trace) -> None:
        n, total = self.link.freedoms, trace.graph.constant(0)
        for weight, value in zip(self.joint.get(trace, "weight", n), self.joint.get(trace, "open", n), strict=True):
            total = total + weight * (value * value)
        trace.add_to(COMMON, "merit", [total], rate=Rate.ITERATION)

    def measure_bend(self, trace: Trace) -> None:
        """Rates of slides count by the mechanism's extent."""
        zero, slides = trace.graph.constant(0), self.link.slides
        extent = trace.read(COMMON, "parameters", "extent")[0] if slides else None
        squares = {name: [zero, zero] for name in BENT}
        for k, (x, y, z) in enumerate(zip(*self.joint.last_rates(trace, list(AGES)), strict=True)):
            last, former = x - y, y - z
            for name, value in zip(BENT, (last, last - former), strict=True):
                squares[name][k >= slides] = squares[name][k >= slides] + value * value
        for name, (slid, turned) in squares.items():
            total = turned if extent is None else turned + slid / (extent * extent)
            trace.add_to(COMMON, name, [total], rate=Rate.ITERATION)

    def begin(self, trace: Trace) -> None:
        share = trace.read(COMMON, "work", "length")[0]
        meaning = "how much of the last change of the rates is expected more, for how they bend"
        bend = trace.read(COMMON, "work", "bend", 1, meaning)[0]
        back = trace.read(COMMON, "work", "bend_before", 1, "how much of the change before that, less")[0]
        trace.note("u = u- + length (u- - u--) + bend ((u- - u--) - ratio (u-- - u---))", "a parabola: derived here")
        both = share + bend
        last = zip(*self.joint.last_rates(trace, list(AGES)), strict=True)
        self.move(trace, [x + both * (x - y) - back * (y - z) for x, y, z in last])

    def rest(self, trace: Trace) -> None:
        zero, one = trace.graph.constant(0), trace.graph.constant(1)
        for name, size in (("v", 3), ("w", 3), ("a", 3), ("turn", 1), ("point_v", 3)):
            trace.write(OWN, name, [zero] * size, *MEANINGS.get(name, ()))
        trace.write(OWN, "c", [one])
        self.joint.put(trace, "u", [zero] * self.link.freedoms)
        self.joint.put(trace, "slope", [one] * (0 if self.link.is_absolute else self.link.turns))
        if not self.link.is_free:
            self.joint.put(trace, "reach2", self.joint.get(trace, "reach1", 3))
            self.joint.put(trace, "axes2", [x for axis in self.joint.axes(trace, "axes1") for x in axis])
            trace.write(OWN, "arm2", self.joint.of(trace, OWN, "arm1", 3), *MEANINGS["arm2"])
        if self.link.swings:
            self.joint.put(trace, "offset2", self.joint.get(trace, "offset1", 3))

    def advance(self, trace: Trace) -> None:
        s, n = self.joint.get(trace, "s", self.link.freedoms), self.link.slides
        base = self.joint.get(trace, "u", self.link.freedoms)
        if self.link.is_absolute:
            c, a = trace.read(OWN, "work", "c"), trace.read(OWN, "work", "a", 3)
            change = s[:n] + use(trace, kinematics.velocity_change, c=c, a=a, s=s[n:])["dw"]
        else:
            slope = self.joint.get(trace, "slope", self.link.turns)
            with trace.computing("du = (1 + t²) theta/h", SOURCE):
                change = s[:n] + [x * y for x, y in zip(slope, s[n:], strict=True)]
        self.joint.put(trace, "s", change)
        self.joint.put(trace, "base", base)
        self._shortened(trace, base, change)

    def shorten_step(self, trace: Trace) -> None:
        self._shortened(trace, *(self.joint.get(trace, name, self.link.freedoms) for name in ("base", "s")))

    def _shortened(self, trace: Trace, base: Vector, change: Vector) -> None:
        length = trace.read(COMMON, "work", "length")[0]
        self.move(trace, [b - length * d for b, d in zip(base, change, strict=True)])

    def move(self, trace: Trace, u: Vector) -> None:
        """Where the body goes at these rates: its turn, its velocities, and the second knot's points and axes."""
        link = self.link
        self.joint.put(trace, "u", u)
        turn = self._turn(trace, u[link.slides :])
        for name in ("c", "a", "w"):
            trace.write(OWN, name, turn[name])
        self._look_at_turn(trace, turn)
        if link.is_free:
            trace.write(OWN, "v", u[:3])
            trace.write(OWN, "point_v", u[:3], *MEANINGS["point_v"])
            return
        h = common.step(trace)
        below = self._turn_below(trace)
        with trace.computing("p2 = p1 + h (p2 - p1)/h", "without cancellation"):
            reach1 = self.joint.get(trace, "reach1", 3)
            speed = _difference(trace, below, reach1, "reach")
            point = speed if below is None else blocks_sum(self.joint.of(trace, BELOW, "point_v", 3), speed)
            axes1 = self.joint.axes(trace, "axes1")
            leading = turn if link.swings else below
            axes2 = [_carried_on(trace, leading, axis, h, "axis") for axis in axes1[: link.slides]]
            axes2 += self._turning_axes(trace, below, axes1[link.slides :], u[link.slides :], h)
            rates = [self.joint.pitch(trace) * mean_rate(trace, u[0])] if link.pitch else u[: link.slides]
            sliding = [trace.graph.constant(0)] * 3
            if link.swings:
                offset1 = self.joint.get(trace, "offset1", 3)
                sliding = _difference(trace, turn, offset1, "offset")
            for axis, rate in zip(axes2, rates, strict=False):
                sliding = blocks_sum(sliding, scaled(axis, rate))
            point = blocks_sum(point, sliding)
            if link.swings:
                self.joint.put(trace, "offset2", blocks_sum(offset1, scaled(sliding, h)))
            else:
                speed = blocks_sum(speed, sliding)
            self.joint.put(trace, "reach2", blocks_sum(reach1, scaled(speed, h)))
        self.joint.put(trace, "axes2", [x for axis in axes2 for x in axis])
        arm1 = self.joint.of(trace, OWN, "arm1", 3)
        way = _difference(trace, turn, arm1, "arm")
        trace.write(OWN, "point_v", point, *MEANINGS["point_v"])
        trace.write(OWN, "v", blocks_sum(point, way))
        trace.write(OWN, "arm2", blocks_sum(arm1, scaled(way, h)), *MEANINGS["arm2"])

    def _turn_below(self, trace: Trace) -> dict[str, Vector] | None:
        """The turn of the body below; None where it is the ground."""
        if not self.link.below:
            return None
        return {name: trace.read(BELOW, "work", name, size) for name, size in (("c", 1), ("a", 3), ("w", 3))}

    def _turn(self, trace: Trace, u: Vector) -> dict[str, Vector]:
        """The turn of the body at these rates."""
        if self.link.is_absolute:
            return half_turn(trace, u) | {"w": u}
        turn, slopes = self._turn_below(trace), []
        inverse = [common.inverse_step(trace)]
        for axis, rate in zip(self.joint.axes(trace, "axes1")[self.link.slides :], u, strict=True):
            quarter = common.half_step(trace) / 2
            own = use(trace, motions.turn_of_hinge, quarter=[quarter], u=[rate])
            slopes += own["slope"]
            before = {"c": [trace.graph.constant(1)], "a": [trace.graph.constant(0)] * 3} if turn is None else turn
            given = {"c": before["c"], "a": before["a"], "C": own["C"], "S": own["S"], "e": axis, "inverse": inverse}
            found = use(trace, motions.carried_turn, **given)
            turn = {"c": found["c2"], "a": found["a2"], "w": found["w2"]}
        self.joint.put(trace, "slope", slopes)
        zero = [trace.graph.constant(0)] * 3
        return turn or {"c": [trace.graph.constant(1)], "a": zero, "w": zero}

    def _turning_axes(self, trace: Trace, below, axes1: Matrix, u: Vector, h: Scalar) -> Matrix:
        """Each axis at the second knot: the turns about the ones before it carry it along."""
        if self.link.is_absolute:
            return []
        found, turn = [], below
        inverse = [common.inverse_step(trace)]
        for axis, rate in zip(axes1, u, strict=True):
            found.append(_carried_on(trace, turn, axis, h, "axis"))
            if len(found) < len(axes1):
                own = use(trace, motions.turn_of_hinge, quarter=[common.half_step(trace) / 2], u=[rate])
                before = turn or {"c": [trace.graph.constant(1)], "a": [trace.graph.constant(0)] * 3}
                given = {"C": own["C"], "S": own["S"], "e": axis, "inverse": inverse}
                next_turn = use(trace, motions.carried_turn, c=before["c"], a=before["a"], **given)
                turn = {"c": next_turn["c2"], "a": next_turn["a2"], "w": next_turn["w2"]}
        return found

    def _look_at_turn(self, trace: Trace, turn) -> None:
        """a·a, which control bounds; more where the turn is more than a half."""
        if self.link.is_absolute:
            trace.write(OWN, "turn", turn["turn"])
            return
        c = turn["c"][0]
        trace.note("turn = 1 - c |c|", "a·a below half a turn, and more above it")
        trace.write(OWN, "turn", [1 - c * trace.graph.max(c, -c)], "a·a, below 1 inside the domain of the half turn")


def _difference(trace: Trace, turn, vector: Vector, name: str) -> Vector:
    """(r2 - r1)/h of what turns."""
    if turn is None:
        return [trace.graph.constant(0)] * 3
    return use(trace, kinematics.vector_difference, name, w=turn["w"], a=turn["a"], c=turn["c"], r=vector)["d"]


def _carried_on(trace: Trace, turn, vector: Vector, h: Scalar, name: str) -> Vector:
    return blocks_sum(vector, scaled(_difference(trace, turn, vector, name), h))
