"""The kernels of joint coordinates: what a joint and the body that it carries do in the sweeps over a tree.

Outward, from the ground to the leaves, placements and velocities follow from the rates u of the joints; inward,
impulses and articulated inertia are summed up. A joint's point o is its anchor on the body that it carries. Suffixes 1
and 2: of the first and of the second knot. p: from the point of the body below to o; r: from o to the centre of mass;
e: axes; N: what the joint's coordinates move, about o; s = (change of o, rotation vector)/h at the second knot. Forces
belong to the first knot and motions to the second one, so that nothing is symmetric:

    A = [D_xx, D_xr - D_xx r2^; D_rx + r1^ D_xx, D_rr - D_rx r2^ + r1^ (D_xr - D_xx r2^)] + what the body carries
    E = N1ᵀ A N2,  q = E^-1 N1ᵀ W,  K = E^-1 N1ᵀ A
    A - A N2 K and W - A N2 q to the body below, about its own point
    s = X s_k + N2 (q - K X s_k),  u -= slope q

Three free rotations have no coordinate: their unknown is the angular velocity of the body itself, X passes on the
motion of the point alone, and the body below feels no torque. Laws along them are of both bodies: with the gradient C
of their coordinates by the turn of the body that is carried, which that by the turn of the body below is against, and
the slopes kappa of the laws,

    S = C1ᵀ kappa C2,    E += [0, 0; 0, S],    K += E^-1 [0; -S] of the turn of the body below,

and the body below feels against what its own turn and q differ by S, about any point.

A joint that is led to from its child slides along axes that turn with the body that it carries, from an anchor on the
body below. That anchor is the joint's point then, and o lies apart from it, by d: inertia, impulses and motions of the
body are told about the joint's point in this joint alone, and about o to what it carries.

What a driver leads has a row of its own in place of a balance: its increments q_D are what this row asks for. They are
known before all others, W - A N2_D q_D stands in place of W, and no motion of the body below changes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symvi.kernels import blocks, common
from symvi.kernels.blocks import Matrix, Vector, cross, dot
from symvi.kernels.body_kernels import BODY, ORIENTATION, POSITION, diagonal_block, half_turn, of_unit_length, use
from symvi.kernels.common import COMMON, SHARED, single
from symvi.kernels.constraint import sums_of_parts, watch_kernels
from symvi.kernels.kernel import Block, Kernel, Port
from symvi.kernels.knots import Baked, Knots, Rows, carry_angles, remember_angles, trace_rows
from symvi.kernels.law import (
    acting,
    clear_sums,
    handed_on,
    keep_coordinates,
    keep_weights,
    knot_kernels,
    off_middle,
    summed,
    weights_of,
)
from symvi.kernels.limit import KAPPA
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics import kinematics, placing
from symvi.physics.body import wrench_in_axes
from symvi.physics.joints import motions
from symvi.physics.joints.rows import angle_about_axis, screw_advance
from symvi.physics.model import Carried, ConstraintModel, Laws
from symvi.scalar import Rate, Scalar

SOURCE = "derived here"
ASKED, LED = "asked", "led"  # what drivers ask of the coordinates that they lead, and the impulses of theirs
BELOW = "k"  # the body that carries the joint
OWN = "i"  # the body that the joint carries
AGES = {"": "the last step", "_old": "the step before", "_older": "the step before that"}
MEANINGS = {
    "point_v": ("velocity of the anchor of its joint over this step", "m/s"),
    "arm1": ("from that anchor to the centre of mass, at the first knot", "m"),
    "arm2": ("the same at the second knot", "m"),
    "borne": ("impulses that bodies which it carries pass on to it, about that anchor", "N s, N m s"),
    "passed": ("the same, as reactions are made of", "N s, N m s"),
    "rest": ("what is open along the coordinates of its joint, as an impulse on it", "N s, N m s"),
    "carried": ("articulated inertia of bodies that it carries, about that anchor", "kg, kg m, kg m²"),
    "held": ("impulses that it lacks, which joints of the tree give it", "N s, N m s"),
    "left": ("what their eliminated joints leave of impulses, about that anchor", "N s, N m s"),
}
BENT = {
    "changed": "squares of the last change of the rates",
    "bent": "squares of how much it changed itself",
}
OF_JOINT = {
    "u": ("rates of the coordinates over this step", "m/s, rad/s"),
    "base": ("rates that the increment starts from", "m/s, rad/s"),
    "s": ("solved increment of the coordinates, then of their rates", "m/s, rad/s"),
    "offset1": ("d, from the anchor of the body below to that of the body that is carried, at the first knot", "m"),
    "offset2": ("the same at the second knot", "m"),
    "slope": ("change of rates by rotation vectors over h", "1"),
    "reach1": ("from the anchor of the body below to this one, at the first knot", "m"),
    "reach2": ("the same at the second knot", "m"),
    "axes1": ("axes of the coordinates at the first knot", "1"),
    "axes2": ("the same at the second knot", "1"),
    "against": ("impulses of laws against the coordinates", "N s, N m s"),
    KAPPA: ("slopes of all laws along the coordinates of the joint", "kg, kg m²"),
    "along1": ("slopes of these coordinates by a free turn of the body that is carried, at the first knot", "1"),
    "along2": ("the same at the second knot", "1"),
    "open": ("what the balance along the coordinates lacks, an impulse", "N s, N m s"),
    "weight": ("makes squares of velocities of squares of what is open", "1/kg², 1/(kg m²)²"),
    ASKED: ("increments that drivers ask of the coordinates that they lead", "m/s, rad/s"),
    LED: ("impulses of these drivers", "N s, N m s"),
    "bearing": ("impulse on the body that is carried, whose round-off a balance has", "N s"),
    "wrench": ("impulse on the body that is carried, about the anchor: force, torque", "N s, N m s"),
    "pivot": ("factors of E, the pivot of the coordinates", "kg, kg m²"),
    "back": ("E^-1 N1ᵀ A, what motions of the body below take from the coordinates", "1"),
    "lift": ("A N2, column by column", "kg, kg m²"),
}


@dataclass(frozen=True)
class Link:
    """A joint of the tree and the body that it carries.

    model: the joint's rows and parameters; of a body that nothing holds, None. outward: the body that is carried is the
    joint's body b. slides, turns: how many coordinates of each kind. axes: names of the axes of the coordinates, slides
    first, each as a vector that one of the two bodies carries. order: which coordinate of the joint each of them is.
    pitch: the parameter with the advance along the axis per angle about it, of a screw. driven: which of the
    coordinates drivers lead.
    """

    model: ConstraintModel | None
    outward: bool
    slides: int
    turns: int
    axes: tuple[Carried, ...]
    order: tuple[int, ...] = ()
    pitch: str | None = None
    driven: tuple[int, ...] = ()

    @property
    def freedoms(self) -> int:
        return self.slides + self.turns

    @property
    def solved(self) -> list[int]:
        """The coordinates that have a balance."""
        return [k for k in range(self.freedoms) if k not in self.driven]

    @property
    def own(self) -> str:
        """The label of the body that is carried."""
        return "b" if self.outward else "a"

    @property
    def below(self) -> str | None:
        """The label of the body below; None for the ground, and where nothing below counts."""
        label = "a" if self.outward else "b"
        return label if self.model is not None and not self.is_free and self.model.bodies[label] is not None else None

    @property
    def laws(self) -> Laws | None:
        """Springs, dampers and servos along the coordinates."""
        return self.model.laws if self.model is not None else None

    @property
    def slopes(self) -> bool:
        """Whether impulses along the coordinates have slopes."""
        return self.model is not None and bool(self.model.laws or self.model.stopped)

    @property
    def swings(self) -> bool:
        """Whether it slides along axes that turn with the body that is carried, not along the one it turns about."""
        return not self.outward and self.slides > 0 and self.turns > 0 and self.freedoms > 2

    @property
    def is_sprung(self) -> bool:
        """Whether laws act along three free rotations, and turn the body below as well."""
        return self.is_absolute and self.slopes

    @property
    def is_free(self) -> bool:
        """Whether the joint holds nothing."""
        return self.freedoms == 6

    @property
    def is_absolute(self) -> bool:
        """Whether the unknowns of its turn are the body's own angular velocity."""
        return self.turns == 3


@dataclass(frozen=True)
class Place:
    """Where in a tree a body stands: whether it carries others, and whether it is the first of its siblings to go.

    pressed: contacts add to all of its block.
    """

    carries: bool
    first: bool
    pressed: bool = False


class Sweep:
    """Traces the kernels of one type of link. kind: of its records. at_center: where increments of bodies are told."""

    def __init__(
        self,
        records: Records,
        kind: str,
        link: Link,
        baked: Baked,
        block: Block,
        summed: bool,
        bordered: bool = False,
    ):
        """summed: residuals are complete once they are evaluated, so that what is open need not be summed again.

        bordered: rows close loops, so that control asks what steps depart by from what joints allow.
        """
        self.records, self.kind, self.link, self.baked = records, kind, link, baked
        self.block, self.summed, self.bordered = block, summed, bordered
        below = (Port(BELOW, BODY),) if link.below else ()
        self.ports = (SHARED, Port(kind, kind), Port(OWN, BODY), *below)
        self.joint_ports = self.ports[:2]
        if link.model is not None:
            moving = [label for label, body in link.model.bodies.items() if body is not None]
            self.joint_ports = (*self.ports[:2], *(Port(label, BODY) for label in moving))

    @property
    def model(self) -> ConstraintModel:
        """The joint: its rows and its parameters. Raises ValueError for a body that nothing holds."""
        if self.link.model is None:
            raise ValueError("a body that nothing holds has no joint")
        return self.link.model

    @property
    def own_laws(self) -> Laws:
        """Springs, dampers and servos along the coordinates. Raises ValueError where there are none."""
        if self.model.laws is None:
            raise ValueError(f"no laws act along joint '{self.model.name}'")
        return self.model.laws

    def _moves(self, label: str) -> bool:
        return self.model.bodies[label] is not None

    # --- kernels ------------------------------------------------------------------------------------------------------
    def kernels(self) -> dict[str, Kernel]:
        """Those that do not depend on the place in the tree, by phase."""
        texts = {
            "merit": (self._merit, "add what is open along the coordinates, as velocities, to the merit"),
            "begin": (self._begin, "rates carried on by `length` times their last change, and the motion at them"),
            "rest": (self._rest, "no motion: rates are zero"),
            "advance": (self._advance, "keep the base, take `length` of the increment, move"),
            "shorten_step": (self._shorten_step, "take another `length` of the same increment, move"),
            "take_velocity": (self._take_velocity, "take the solved velocities as they are"),
            "substitute": (self._substitute, "s = X s_k + N2 (q - K X s_k)"),
            "age": (self._age, "velocities over the step before are those over the step before that, from now on"),
            "remember": (self._remember, "rates for the next start, what laws leave, angles"),
            "finish": (self._finish, "place the body at the second knot"),
            "displace": (self._displace, "move by `length` of a step at the solved velocities"),
            "start_momenta": (self._start, "rates of the coordinates at the knot"),
            "start_momenta_of_chord": (self._start, "rates of the coordinates at the knot"),
        }
        if self.summed:
            texts["look_back"] = (self._look_back, "add squares of the last change of the rates, and of its own change")
        if self.bordered:
            texts["depart"] = (self._depart, "add twice the kinetic energy of velocities less the solved increment")
        found = {phase: self._kernel(phase, build, text) for phase, (build, text) in texts.items()}
        if self.link.is_free:
            found["prepare"] = self._kernel("prepare", self._prepare_free, "its own point is its centre of mass")
        else:
            found["prepare"] = self._kernel("prepare", self._prepare, "where it is, and its axes", self.joint_ports)
        return found | {"weigh": self._kernel("oppose", self._weigh, "1/E² of the body alone: squares as velocities")}

    def placed(self, place: Place) -> dict[str, Kernel]:
        """Those that do, by phase."""
        role = ("" if place.carries else "_leaf") + ("" if place.first or not self.link.below else "_more")
        role += "_pressed" if place.pressed else ""
        texts = {
            "sum": (self._sum, "W = [p; l + r1 x p] + what it carries,  open = N1ᵀ W"),
            "eliminate": (
                self._eliminate,
                "E = N1ᵀ A N2;  q = E^-1 N1ᵀ W;  A - A N2 K and W - A N2 q to the body below",
            ),
            "resolve": (self._resolve, "q = E^-1 N1ᵀ W;  W - A N2 q to the body below"),
        }
        if self.summed:
            texts["bear"] = (self._bear, "W = [p; l + r1 x p] + what it carries")
        return {
            phase: self._kernel(phase, lambda trace, build=build: build(trace, place), text, role=role)
            for phase, (build, text) in texts.items()
        }

    def _kernel(self, phase: str, build, text: str, ports: Sequence[Port] = (), role: str = "") -> Kernel:
        name = f"{phase}_{self.kind}{role}"
        return single(self.records, name, text, tuple(ports or self.ports), self.kind, build)

    # --- records ------------------------------------------------------------------------------------------------------
    def _get(self, trace: Trace, name: str, size: int) -> Vector:
        return trace.read(self.kind, "work", name, size, *OF_JOINT[name]) if size else []

    def _put(self, trace: Trace, name: str, values: Sequence[Scalar]) -> None:
        if values:
            trace.write(self.kind, name, values, *OF_JOINT[name])

    def _of(self, trace: Trace, label: str, name: str, size: int) -> Vector:
        return trace.read(label, "work", name, size, *MEANINGS.get(name, ()))

    def _rows(self, trace: Trace, name: str) -> Matrix:
        """Axes of the coordinates. Absolute turns have none."""
        count = self.link.slides + (0 if self.link.is_absolute else self.link.turns)
        values = self._get(trace, name, 3 * count)
        return [values[3 * k : 3 * k + 3] for k in range(count)]

    # --- once a step --------------------------------------------------------------------------------------------------
    def _prepare(self, trace: Trace) -> None:
        link, knots = self.link, Knots(trace, self.model, self.baked)
        anchors = {label: knots.of(Carried(label, f"anchor_{label}"))[0] for label in "ab"}
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
                self._put(trace, "offset1", apart)
            else:
                reach = blocks_sum(reach, apart)
        if link.pitch:
            reach = blocks_sum(reach, scaled(axes[0], self._pitch(trace) * self._angle(knots)))
        self._put(trace, "reach1", reach)
        self._put(trace, "axes1", [x for axis in axes[: len(self._axes())] for x in axis])

    def _prepare_free(self, trace: Trace) -> None:
        for name in ("arm1", "arm2"):
            trace.write(OWN, name, [trace.graph.constant(0)] * 3, *MEANINGS[name])

    def _axes(self) -> range:
        return range(self.link.slides + (0 if self.link.is_absolute else self.link.turns))

    def _pitch(self, trace: Trace) -> Scalar:
        return Knots(trace, self.model, self.baked).parameter(self.link.pitch or "")[0]

    def _angle(self, knots: Knots) -> Scalar:
        """The angle of a screw at the first knot, which says how far it has advanced."""
        inputs = next(group.inputs for group in self.model.groups if group.formula is screw_advance)
        given = {argument.name: knots.of(inputs[argument.name])[0] for argument in angle_about_axis.inputs}
        return use(knots.trace, angle_about_axis, "at the first knot", "1", **given)["g"][0]

    def _gap(self, trace: Trace, anchors) -> Vector:
        """From the anchor on the body below to that on the body that is carried."""
        ends = {}
        for label in "ab":
            x = trace.read(label, "state", *POSITION) if self._moves(label) else [trace.graph.constant(0)] * 3
            ends[label] = blocks_sum(x, anchors[label])
        own, below = (self.link.own, "a" if self.link.outward else "b")
        return [a - b for a, b in zip(ends[own], ends[below], strict=True)]

    def _weigh(self, trace: Trace) -> None:
        """What its own body alone opposes to each coordinate: articulated inertia is no less."""
        link, one = self.link, trace.graph.constant(1)
        mass, size = (trace.read(OWN, "parameters", name)[0] for name in ("mass", "size"))
        if link.is_free:
            found = [mass] * 3 + [size] * 3
        else:
            arm = self._arm(trace, "1")
            found = [mass] * link.slides
            if link.is_absolute:
                found += [size + mass * dot(arm, arm)] * 3
            inertia = trace.read(OWN, "work", "j", 6)
            xx, yy, zz, xy, xz, yz = inertia
            rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
            for axis in self._rows(trace, "axes1")[link.slides :]:
                lever = cross(axis, arm)
                with trace.computing("E = e·J e + m (e x r)²", SOURCE):
                    found.append(dot(axis, blocks.times(rows, axis)) + mass * dot(lever, lever))
            if link.pitch:
                with trace.computing("E += m pitch²", SOURCE):
                    pitch = self._pitch(trace)
                    found[0] = found[0] + mass * (pitch * pitch)
        self._put(trace, "weight", [one / (x * x) for x in found])

    def _merit(self, trace: Trace) -> None:
        n, total = self.link.freedoms, trace.graph.constant(0)
        for weight, value in zip(self._get(trace, "weight", n), self._get(trace, "open", n), strict=True):
            total = total + weight * (value * value)
        trace.add_to(COMMON, "merit", [total], rate=Rate.ITERATION)

    # --- outward ------------------------------------------------------------------------------------------------------
    def _look_back(self, trace: Trace) -> None:
        """Rates of slides count by the mechanism's extent."""
        zero, slides = trace.graph.constant(0), self.link.slides
        extent = trace.read(COMMON, "parameters", "extent")[0] if slides else None
        squares = {name: [zero, zero] for name in BENT}
        for k, (x, y, z) in enumerate(zip(*self._last(trace, list(AGES)), strict=True)):
            last, former = x - y, y - z
            for name, value in zip(BENT, (last, last - former), strict=True):
                squares[name][k >= slides] = squares[name][k >= slides] + value * value
        for name, (slid, turned) in squares.items():
            total = turned if extent is None else turned + slid / (extent * extent)
            trace.add_to(COMMON, name, [total], rate=Rate.ITERATION)

    def _begin(self, trace: Trace) -> None:
        share = trace.read(COMMON, "work", "length")[0]
        if not self.summed:
            now, old = self._last(trace, list(AGES)[:2])
            self._move(trace, [x + share * (x - y) for x, y in zip(now, old, strict=True)])
            return
        meaning = "how much of the last change of the rates is expected more, for how they bend"
        bend = trace.read(COMMON, "work", "bend", 1, meaning)[0]
        back = trace.read(COMMON, "work", "bend_before", 1, "how much of the change before that, less")[0]
        trace.note("u = u- + length (u- - u--) + bend ((u- - u--) - ratio (u-- - u---))", "a parabola: derived here")
        both = share + bend
        last = zip(*self._last(trace, list(AGES)), strict=True)
        self._move(trace, [x + both * (x - y) - back * (y - z) for x, y, z in last])

    def _last(self, trace: Trace, ages: Sequence[str]) -> list[Vector]:
        """The unknowns over the last steps, by age."""
        link, found = self.link, []
        for old in ages:
            if link.is_free:
                own = self._aged(trace, "v", old)
            else:
                text = f"rates of the coordinates over {AGES[old]}"
                count = link.slides if link.is_absolute else link.freedoms
                own = trace.read(self.kind, "state", f"u{old}", count, text, "m/s, rad/s") if count else []
            found.append(own + (self._aged(trace, "w", old) if link.is_absolute else []))
        return found

    @staticmethod
    def _aged(trace: Trace, name: str, old: str) -> Vector:
        meaning = f"{'angular velocity' if name == 'w' else 'velocity'} over {AGES[old]}"
        return trace.read(OWN, "state", f"{name}{old}", 3, meaning, "rad/s" if name == "w" else "m/s")

    def _rest(self, trace: Trace) -> None:
        zero, one = trace.graph.constant(0), trace.graph.constant(1)
        for name, size in (("v", 3), ("w", 3), ("a", 3), ("turn", 1), ("point_v", 3)):
            trace.write(OWN, name, [zero] * size, *MEANINGS.get(name, ()))
        trace.write(OWN, "c", [one])
        self._put(trace, "u", [zero] * self.link.freedoms)
        self._put(trace, "slope", [one] * (0 if self.link.is_absolute else self.link.turns))
        if not self.link.is_free:
            self._put(trace, "reach2", self._get(trace, "reach1", 3))
            self._put(trace, "axes2", [x for axis in self._rows(trace, "axes1") for x in axis])
            trace.write(OWN, "arm2", self._of(trace, OWN, "arm1", 3), *MEANINGS["arm2"])
        if self.link.swings:
            self._put(trace, "offset2", self._get(trace, "offset1", 3))

    def _advance(self, trace: Trace) -> None:
        s, n = self._get(trace, "s", self.link.freedoms), self.link.slides
        base = self._get(trace, "u", self.link.freedoms)
        if self.link.is_absolute:
            c, a = trace.read(OWN, "work", "c"), trace.read(OWN, "work", "a", 3)
            change = s[:n] + use(trace, kinematics.velocity_change, c=c, a=a, s=s[n:])["dw"]
        else:
            slope = self._get(trace, "slope", self.link.turns)
            with trace.computing("du = (1 + t²) theta/h", SOURCE):
                change = s[:n] + [x * y for x, y in zip(slope, s[n:], strict=True)]
        self._put(trace, "s", change)
        self._put(trace, "base", base)
        self._shortened(trace, base, change)

    def _shorten_step(self, trace: Trace) -> None:
        self._shortened(trace, *(self._get(trace, name, self.link.freedoms) for name in ("base", "s")))

    def _shortened(self, trace: Trace, base: Vector, change: Vector) -> None:
        length = trace.read(COMMON, "work", "length")[0]
        self._move(trace, [b - length * d for b, d in zip(base, change, strict=True)])

    def _move(self, trace: Trace, u: Vector) -> None:
        """Where the body goes at these rates: its turn, its velocities, and the second knot's points and axes."""
        link = self.link
        self._put(trace, "u", u)
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
            reach1 = self._get(trace, "reach1", 3)
            speed = self._difference(trace, below, reach1, "reach")
            point = speed if below is None else blocks_sum(self._of(trace, BELOW, "point_v", 3), speed)
            axes1 = self._rows(trace, "axes1")
            leading = turn if link.swings else below
            axes2 = [self._carried_on(trace, leading, axis, h, "axis") for axis in axes1[: link.slides]]
            axes2 += self._turning_axes(trace, below, axes1[link.slides :], u[link.slides :], h)
            rates = [self._pitch(trace) * mean_rate(trace, u[0])] if link.pitch else u[: link.slides]
            sliding = [trace.graph.constant(0)] * 3
            if link.swings:
                offset1 = self._get(trace, "offset1", 3)
                sliding = self._difference(trace, turn, offset1, "offset")
            for axis, rate in zip(axes2, rates, strict=False):
                sliding = blocks_sum(sliding, scaled(axis, rate))
            point = blocks_sum(point, sliding)
            if link.swings:
                self._put(trace, "offset2", blocks_sum(offset1, scaled(sliding, h)))
            else:
                speed = blocks_sum(speed, sliding)
            self._put(trace, "reach2", blocks_sum(reach1, scaled(speed, h)))
        self._put(trace, "axes2", [x for axis in axes2 for x in axis])
        arm1 = self._of(trace, OWN, "arm1", 3)
        way = self._difference(trace, turn, arm1, "arm")
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
        for axis, rate in zip(self._rows(trace, "axes1")[self.link.slides :], u, strict=True):
            quarter = common.half_step(trace) / 2
            own = use(trace, motions.turn_of_hinge, quarter=[quarter], u=[rate])
            slopes += own["slope"]
            before = {"c": [trace.graph.constant(1)], "a": [trace.graph.constant(0)] * 3} if turn is None else turn
            given = {"c": before["c"], "a": before["a"], "C": own["C"], "S": own["S"], "e": axis, "inverse": inverse}
            found = use(trace, motions.carried_turn, **given)
            turn = {"c": found["c2"], "a": found["a2"], "w": found["w2"]}
        self._put(trace, "slope", slopes)
        zero = [trace.graph.constant(0)] * 3
        return turn or {"c": [trace.graph.constant(1)], "a": zero, "w": zero}

    def _turning_axes(self, trace: Trace, below, axes1: Matrix, u: Vector, h: Scalar) -> Matrix:
        """Each axis at the second knot: the turns about the ones before it carry it along."""
        if self.link.is_absolute:
            return []
        found, turn = [], below
        inverse = [common.inverse_step(trace)]
        for axis, rate in zip(axes1, u, strict=True):
            found.append(self._carried_on(trace, turn, axis, h, "axis"))
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

    def _difference(self, trace: Trace, turn, vector: Vector, name: str) -> Vector:
        """(r2 - r1)/h of what turns."""
        if turn is None:
            return [trace.graph.constant(0)] * 3
        return use(trace, kinematics.vector_difference, name, w=turn["w"], a=turn["a"], c=turn["c"], r=vector)["d"]

    def _carried_on(self, trace: Trace, turn, vector: Vector, h: Scalar, name: str) -> Vector:
        return blocks_sum(vector, scaled(self._difference(trace, turn, vector, name), h))

    # --- inward -------------------------------------------------------------------------------------------------------
    def _columns(self, trace: Trace, knot: str) -> Matrix:
        """N, column by column: what the coordinates move. A screw slides while it turns: [pitch e; e]."""
        columns = self._pushes(trace, knot)
        if not self.link.pitch:
            return columns
        pitch = self._pitch(trace)
        return [[*scaled(column[3:], pitch), *column[3:]] for column in columns]

    def _pushes(self, trace: Trace, knot: str) -> Matrix:
        """Impulses of one along each coordinate: slides, then turns about the point; of absolute turns, every axis."""
        zero, one = trace.graph.constant(0), trace.graph.constant(1)
        unit = [[one if i == k else zero for i in range(3)] for k in range(3)]
        if self.link.is_free:
            moving, turning = unit, unit
        else:
            axes = self._rows(trace, f"axes{knot}")
            moving = axes[: self.link.slides]
            turning = unit if self.link.is_absolute else axes[self.link.slides :]
        return [[*axis, zero, zero, zero] for axis in moving] + [[zero, zero, zero, *axis] for axis in turning]

    def _arm(self, trace: Trace, knot: str) -> Vector:
        if self.link.is_free:
            return [trace.graph.constant(0)] * 3
        arm = self._of(trace, OWN, f"arm{knot}", 3)
        return blocks_sum(arm, self._get(trace, f"offset{knot}", 3)) if self.link.swings else arm

    def _carries(self, trace: Trace, name: str) -> Vector:
        """Impulses of what the body carries, about the joint's point."""
        found = self._of(trace, OWN, name, 6)
        if not self.link.swings:
            return found
        with trace.computing("W = [W_x; W_r + d1 x W_x]", SOURCE):
            lever = cross(self._get(trace, "offset1", 3), found[:3])
            return [*found[:3], *blocks_sum(found[3:], lever)]

    def _sum(self, trace: Trace, place: Place) -> None:
        """Sum up impulses, and leave to the body what is open along the coordinates."""
        f, arm = trace.read(OWN, "work", "f", 6), self._arm(trace, "1")
        with trace.computing("W = [f_x; f_r + r1 x f_x] + what it carries", SOURCE):
            total = [*f[:3], *blocks_sum(f[3:], cross(arm, f[:3]))]
            if place.carries:
                total = blocks_sum(total, self._carries(trace, "borne"))
        columns = self._columns(trace, "1")
        with trace.computing("open = N1ᵀ W", SOURCE):
            found = [dot_sparse(trace, column, total) for column in columns]
        if self.link.laws:
            with trace.computing("open -= impulses of laws along the coordinates", SOURCE):
                found = blocks_sum(found, self._get(trace, "against", self.link.freedoms))
        zero = trace.graph.constant(0)
        self._put(trace, LED, [found[k] for k in self.link.driven])
        found = [zero if k in self.link.driven else x for k, x in enumerate(found)]
        self._put(trace, "open", found)
        rest = [zero] * 6
        for column, value in zip(self._pushes(trace, "1"), found, strict=True):
            rest = [a + value * b for a, b in zip(rest, column, strict=True)]
        if not self.summed:
            total = [a - b for a, b in zip(total, rest, strict=True)]
            if self.link.laws:  # they are part of what is left to the body now
                self._put(trace, "against", [zero] * self.link.freedoms)
        elif self.link.is_absolute:
            total = [*total[:3], *(a - b for a, b in zip(total[3:], rest[3:], strict=True))]
        left = [*rest[:3], *(a - b for a, b in zip(rest[3:], cross(arm, rest[:3]), strict=True))]
        if self.summed:
            trace.write(OWN, "rest", left, *MEANINGS["rest"])
            self._put(trace, "bearing", total[:3])
        else:
            if self.bordered:
                trace.write(OWN, "held", [a - b for a, b in zip(f, left, strict=True)], *MEANINGS["held"])
            trace.write(OWN, "f", left)
            self._put(trace, "wrench", total)
        self._pass_on(trace, "borne", total, place, "1")

    def _bear(self, trace: Trace, place: Place) -> None:
        """Sum up impulses once more, with those that move nothing."""
        f, arm = trace.read(OWN, "work", "f", 6), self._arm(trace, "1")
        with trace.computing("W = [f_x; f_r + r1 x f_x] + what it carries", SOURCE):
            total = [*f[:3], *blocks_sum(f[3:], cross(arm, f[:3]))]
            if place.carries:
                total = blocks_sum(total, self._carries(trace, "passed"))
        self._put(trace, "wrench", total)
        self._pass_on(trace, "passed", total, place, "1")

    def _pass_on(self, trace: Trace, name: str, impulses: Vector, place: Place, knot: str) -> None:
        """To the body below, about its own point. Absolute turns pass on no torque."""
        if not self.link.below:
            return
        reach = self._get(trace, f"reach{knot}", 3)
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
            old = self._of(trace, BELOW, name, len(values))
            trace.write(BELOW, name, blocks_sum(old, values), *MEANINGS[name])

    def _articulated(self, trace: Trace, place: Place) -> Matrix:
        """A: of the body, about the joint's point, and of what it carries."""
        zero = trace.graph.constant(0)
        values = trace.read(OWN, "work", "D", 36)
        block = self.block if place.pressed else diagonal_block()
        entries = [value if not entry.is_zero else zero for value, entry in zip(values, block.entries, strict=True)]
        d = [entries[6 * r : 6 * r + 6] for r in range(6)]
        arm1, arm2 = self._arm(trace, "1"), self._arm(trace, "2")
        with trace.computing("A = [D_xx, D_xr - D_xx r2^; D_rx + r1^ D_xx, ...], about the anchor", SOURCE):
            own = about(d, arm1, [-x for x in arm2])
            if place.carries:
                values = self._of(trace, OWN, "carried", 36)
                more = [values[6 * r : 6 * r + 6] for r in range(6)]
                if self.link.swings:
                    apart = [self._get(trace, f"offset{knot}", 3) for knot in "12"]
                    more = about(more, apart[0], [-x for x in apart[1]])
                own = blocks.add(more, own)
        return [list(row) for row in trace.matrix("A", own)]

    def _eliminate(self, trace: Trace, place: Place) -> None:
        link, zero = self.link, trace.graph.constant(0)
        n, free, columns2 = link.freedoms, link.solved, self._columns(trace, "2")
        matrix = self._articulated(trace, place)
        if not n:
            self._hand_down(trace, place, matrix, self._impulses(trace, place))
            return
        with trace.computing("A N2", SOURCE):
            lift = [[dot_sparse(trace, row, column) for column in columns2] for row in matrix]
            trace.matrix("AN", lift)
        columns1 = [self._columns(trace, "1")[k] for k in free]
        slopes = self._slopes(trace) if link.slopes else []
        with trace.computing("E = N1ᵀ A N2", SOURCE):
            pivot = [[dot_sparse(trace, column, [row[k] for row in lift]) for k in free] for column in columns1]
            if link.slopes:
                pivot = blocks.add(pivot, [[slopes[r][c] for c in free] for r in free])
            factors = blocks.factor(pivot)
        impulses = self._led(trace, self._impulses(trace, place), lift)
        q = self._solve(trace, factors, impulses, columns1)
        self._put(trace, "pivot", [x for row in factors for x in row])
        if not link.below:
            if link.driven:
                self._put(trace, "lift", [x for row in lift for x in row])
            return
        # of the motion of the body below, what the joint passes on: all of it, or that of the point alone
        passed = range(3) if link.is_absolute else range(6)
        given = [[dot_sparse(trace, column, [row[m] for row in matrix]) for m in passed] for column in columns1]
        matrix = [[matrix[r][m] for m in passed] for r in passed]
        if link.is_sprung:
            turned = [row[link.slides :] for row in slopes]
            given = [[*row, *(-x for x in turned[k])] for row, k in zip(given, free, strict=True)]
            spring = turned[link.slides :]
            matrix = [[*row, zero, zero, zero] for row in matrix] + [[zero, zero, zero, *row] for row in spring]
            # torques on the body below; of what drivers lead, those on the body itself, which `resolve` asks for
            for steep, row in zip(slopes[link.slides :], lift[3:], strict=True):
                row[:] = [row[k] if k in link.driven else -x for k, x in enumerate(steep)]
            impulses = [*impulses[:3], zero, zero, zero]
        lifted = [[row[k] for k in free] for row in lift]
        with trace.computing("K = E^-1 N1ᵀ A", SOURCE):
            back = blocks.solve(factors, given) if free else []
            trace.matrix("K", back)
        with trace.computing("A - A N2 K", SOURCE):
            rest = blocks.subtract_product(matrix, lifted[: len(matrix)], back) if free else matrix
            trace.matrix("B", rest)
        self._put(trace, "back", [x for row in back for x in row])
        self._put(trace, "lift", [x for row in lift for x in row])
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
            return blocks.subtract_times(impulses, columns, self._get(trace, ASKED, len(self.link.driven)))

    def _slopes(self, trace: Trace) -> Matrix:
        """Slopes of all laws along the coordinates, by these: a diagonal, and S of three free rotations."""
        link, model, zero = self.link, self.model, trace.graph.constant(0)
        kappa = self._get(trace, KAPPA, model.freedoms)
        found = [[zero] * link.freedoms for _ in range(link.freedoms)]
        for k, row in enumerate(found[: link.slides if link.is_absolute else link.freedoms]):
            row[k] = kappa[link.order[k]]
        if link.is_absolute:
            along1, along2 = (self._along(trace, knot) for knot in "12")
            with trace.computing("S = C1ᵀ kappa C2", SOURCE):
                for r in range(3):
                    steep = [k * row[r] for k, row in zip(kappa[link.slides :], along1, strict=True)]
                    for c in range(3):
                        found[link.slides + r][link.slides + c] = dot_sparse(trace, steep, [row[c] for row in along2])
        return found

    def _along(self, trace: Trace, knot: str) -> Matrix:
        """C of three free rotations, a row for each coordinate that laws may act along."""
        count = self.model.freedoms - self.link.slides
        values = self._get(trace, f"along{knot}", 3 * count)
        return [values[3 * k : 3 * k + 3] for k in range(count)]

    def _hand_down(self, trace: Trace, place: Place, matrix: Matrix, impulses: Vector) -> None:
        if not self.link.below:
            return
        reach1, reach2 = self._get(trace, "reach1", 3), self._get(trace, "reach2", 3)
        with trace.computing("A_k += Xᵀ (A - A N2 K) X, about the anchor of the body below", SOURCE):
            moved = about(matrix, reach1, [-x for x in reach2])
            self._add(trace, "carried", [x for row in moved for x in row], place)
        self._pass_on(trace, "left", impulses, place, "1")

    def _impulses(self, trace: Trace, place: Place) -> Vector:
        """What is not balanced yet on this body and on those that it carries."""
        zero = trace.graph.constant(0)
        if self.summed:
            own = None
        else:
            f, arm = trace.read(OWN, "work", "f", 6), self._arm(trace, "1")
            with trace.computing("W = [f_x; f_r + r1 x f_x] + what is left of what it carries", SOURCE):
                own = [*f[:3], *blocks_sum(f[3:], cross(arm, f[:3]))]
        if not place.carries:
            return own or [zero] * 6
        more = self._carries(trace, "left")
        return more if own is None else blocks_sum(more, own)

    def _solve(self, trace: Trace, factors: Matrix, impulses: Vector, columns: Matrix) -> Vector:
        """q of the coordinates that have a balance; those of all are kept."""
        link, free = self.link, self.link.solved
        with trace.computing("q = E^-1 N1ᵀ W", SOURCE):
            right = [dot_sparse(trace, column, impulses) for column in columns]
            name = "open" if self.summed else "against" if link.laws else ""
            if name:
                more = self._get(trace, name, link.freedoms)
                right = blocks_sum(right, [more[k] for k in free])
            q = [row[0] for row in blocks.solve(factors, [[value] for value in right])] if free else []
            q = list(trace.named("q", q))
        asked = dict(zip(link.driven, self._get(trace, ASKED, len(link.driven)), strict=True))
        self._put(trace, "s", [asked[k] if k in asked else q[free.index(k)] for k in range(link.freedoms)])
        return q

    def _resolve(self, trace: Trace, place: Place) -> None:
        link, free, impulses = self.link, self.link.solved, self._impulses(trace, place)
        n = len(free)
        if link.freedoms:
            factors = self._get(trace, "pivot", n * n)
            lift = self._get(trace, "lift", 6 * link.freedoms) if link.below or link.driven else []
            lift = [lift[link.freedoms * r : link.freedoms * (r + 1)] for r in range(6)]
            columns = self._columns(trace, "1")
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

    def _substitute(self, trace: Trace) -> None:
        zero, free = trace.graph.constant(0), self.link.solved
        q, motion = self._get(trace, "s", self.link.freedoms), [zero] * 6
        if self.link.below:
            under, reach = trace.read(BELOW, "work", "s", 6), self._get(trace, "reach2", 3)
            if not self.summed:  # increments are those of centres of mass, which contacts ask for
                reach = [a - b for a, b in zip(reach, self._of(trace, BELOW, "arm2", 3), strict=True)]
            with trace.computing("X s_k = [s_x + s_r x p2; s_r]", SOURCE):
                point = blocks_sum(under[:3], cross(under[3:], reach))
                motion = [*point, *([zero] * 3 if self.link.is_absolute else under[3:])]
            if free:
                passed = 3 if self.link.is_absolute and not self.link.is_sprung else 6
                back = self._get(trace, "back", passed * len(free))
                with trace.computing("q - K X s_k", SOURCE):
                    rows = [back[passed * k : passed * (k + 1)] for k in range(len(free))]
                    less = blocks.subtract_times([q[k] for k in free], rows, [*point, *under[3:]][:passed])
                    moved = dict(zip(free, trace.named("q", less), strict=True))
                    q = [moved.get(k, x) for k, x in enumerate(q)]
        with trace.computing("s = X s_k + N2 q", SOURCE):
            for column, amount in zip(self._columns(trace, "2"), q, strict=True):
                motion = [a + b * amount for a, b in zip(motion, column, strict=True)]
        self._put(trace, "s", q)
        if not self.summed:
            with trace.computing("s of the centre of mass", SOURCE):
                motion = [*blocks_sum(motion[:3], cross(motion[3:], self._arm(trace, "2"))), *motion[3:]]
        elif self.link.swings:
            with trace.computing("s about its own anchor", SOURCE):
                lever = cross(motion[3:], self._get(trace, "offset2", 3))
                motion = [*blocks_sum(motion[:3], lever), *motion[3:]]
        trace.write(OWN, "s", motion, "solved increment of velocities, the rotation vector over h")

    # --- what bordered rows read of an eliminated joint (border.py) ---------------------------------------------------
    @property
    def passed(self) -> int:
        """How many motions of the body below the joint passes on: all six, or those of the point alone."""
        return 3 if self.link.is_absolute and not self.link.is_sprung else 6

    def columns(self, trace: Trace, knot: str) -> Matrix:
        """N, column by column."""
        return self._columns(trace, knot)

    def arm(self, trace: Trace, knot: str, at_anchor: bool = False) -> Vector:
        """From the joint's point to the centre of mass; at_anchor: from the anchor on the body itself."""
        if at_anchor and self.link.swings:
            return self._of(trace, OWN, f"arm{knot}", 3)
        return self._arm(trace, knot)

    def offset(self, trace: Trace, knot: str) -> Vector | None:
        """From the joint's point to the anchor on the body, where these are two."""
        return self._get(trace, f"offset{knot}", 3) if self.link.swings else None

    def reach(self, trace: Trace, knot: str) -> Vector:
        """From the point of the body below to that of the joint."""
        return self._get(trace, f"reach{knot}", 3)

    def pivot(self, trace: Trace) -> Matrix:
        """The factors of E, of the coordinates that have a balance."""
        n = len(self.link.solved)
        return _as_rows(self._get(trace, "pivot", n * n), n)

    def back(self, trace: Trace) -> Matrix:
        """K = E^-1 N1ᵀ A; what drivers lead takes nothing from motions of the body below."""
        found = [[trace.graph.constant(0)] * self.passed for _ in range(self.link.freedoms)]
        values = self._get(trace, "back", self.passed * len(self.link.solved))
        for k, row in zip(self.link.solved, _as_rows(values, self.passed), strict=True):
            found[k] = row
        return found

    def lift(self, trace: Trace) -> Matrix:
        """A N2."""
        return _as_rows(self._get(trace, "lift", 6 * self.link.freedoms), self.link.freedoms)

    def increment(self, trace: Trace) -> Vector:
        """q, or what has come of it."""
        return self._get(trace, "s", self.link.freedoms)

    def set_increment(self, trace: Trace, q: Sequence[Scalar]) -> None:
        """Put another one in its place."""
        self._put(trace, "s", q)

    def motion(self, trace: Trace) -> Vector:
        """s of the body, about its own anchor."""
        s = trace.read(OWN, "work", "s", 6)
        if self.summed:
            return s
        moved = cross(s[3:], self.arm(trace, "2", at_anchor=True))
        return [*(a - b for a, b in zip(s[:3], moved, strict=True)), *s[3:]]

    # --- landing ------------------------------------------------------------------------------------------------------
    def _take_velocity(self, trace: Trace) -> None:
        s = trace.read(OWN, "work", "s", 6)
        arm = [trace.graph.constant(0)] * 3 if self.link.is_free else self._of(trace, OWN, "arm2", 3)
        moved = blocks_sum(s[:3], cross(s[3:], arm)) if self.summed else s[:3]
        trace.write(OWN, "v", [-value for value in moved])
        trace.write(OWN, "w", [-value for value in s[3:]])
        half = common.half_step(trace)
        a = [half * value for value in s[3:]]
        trace.write(OWN, "turn", [dot(a, a)])

    def _depart(self, trace: Trace) -> None:
        """Bodies move by their velocities over the step, which lie beside those that rows allow at its end."""
        s, arm = trace.read(OWN, "work", "s", 6), self._arm(trace, "2")
        moved = blocks_sum(s[:3], cross(s[3:], arm)) if self.summed else s[:3]
        v, w = (trace.read(OWN, "work", name, 3) for name in "vw")
        c, a = trace.read(OWN, "work", "c"), trace.read(OWN, "work", "a", 3)
        turned = use(trace, kinematics.velocity_change, c=c, a=a, s=s[3:])["dw"]
        with trace.computing("m (v - dv)² + (w - dw)·J (w - dw)", SOURCE):
            v = [x - y for x, y in zip(v, moved, strict=True)]
            w = [x - y for x, y in zip(w, turned, strict=True)]
            xx, yy, zz, xy, xz, yz = trace.read(OWN, "work", "j", 6)
            spin = blocks.times([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], w)
            energy = trace.read(OWN, "parameters", "mass")[0] * dot(v, v) + dot(w, spin)
        trace.add_to(COMMON, "kinetic", [energy], rate=Rate.ITERATION)

    def _displace(self, trace: Trace) -> None:
        length = trace.read(COMMON, "work", "length")[0]
        self._move(trace, [-(length * x) for x in self._get(trace, "s", self.link.freedoms)])

    def _age(self, trace: Trace) -> None:
        for name in ("v" if self.link.is_free else "") + ("w" if self.link.is_absolute else ""):
            trace.write(OWN, f"{name}_older", self._aged(trace, name, "_old"), store="state")

    def _remember(self, trace: Trace) -> None:
        link = self.link
        count = link.slides if link.is_absolute else link.freedoms
        if self.summed and not link.below:
            self._hand_on_rest(trace)
        if link.is_free:
            return
        if count:
            if self.summed:
                trace.write(self.kind, "u_older", trace.read(self.kind, "state", "u_old", count), store="state")
            trace.write(self.kind, "u_old", trace.read(self.kind, "state", "u", count), store="state")
            trace.write(self.kind, "u", self._get(trace, "u", link.freedoms)[:count], store="state")
        carry_angles(trace, self.model)
        if link.laws:
            weights = weights_of(trace, link.laws)
            self._push_bodies(trace, self._by_unknown(trace, handed_on(trace, link.laws, weights), "2"), "2")
            keep_weights(trace, link.laws, joint=True)

    def _hand_on_rest(self, trace: Trace) -> None:
        """What the solution left open at a root is made up for in the next step, so that no momentum is ever lost."""
        trace.note("p, l -= what is open at the root", "derived here: errors of a step do not add up")
        rest = trace.read(OWN, "work", "rest", 6, *MEANINGS["rest"])
        for name, values in (("p", rest[:3]), ("l", rest[3:])):
            old = trace.read(OWN, "state", name, 3)
            trace.write(OWN, name, [a - b for a, b in zip(old, values, strict=True)], store="state")

    def _by_unknown(self, trace: Trace, values: Sequence[Scalar], knot: str) -> Vector:
        """Impulses along the joint's coordinates as they act along the unknowns of the sweep."""
        link = self.link
        if not link.is_absolute:
            return [values[k] for k in link.order]
        with trace.computing("Cᵀ of the impulses along three free rotations", SOURCE):
            columns = zip(*self._along(trace, knot), strict=True)
            columns = [column[: len(values) - link.slides] for column in columns]
            turning = [dot_sparse(trace, column, values[link.slides :]) for column in columns]
        return [*values[: link.slides], *turning]

    def _push_bodies(self, trace: Trace, impulses: Sequence[Scalar], knot: str) -> None:
        """Impulses along the unknowns on both bodies: of the second knot into momenta, else into what is open."""
        zero, link = trace.graph.constant(0), self.link
        total = [zero] * 6
        for column, value in zip(self._pushes(trace, knot), impulses, strict=True):
            total = [a + value * b for a, b in zip(total, column, strict=True)]
        force, torque = total[:3], total[3:]
        ends = [(OWN, [-x for x in self._arm(trace, knot)], 1)]
        if link.below:
            reach, arm = self._get(trace, f"reach{knot}", 3), self._of(trace, BELOW, f"arm{knot}", 3)
            ends.append((BELOW, [a - b for a, b in zip(reach, arm, strict=True)], -1))
        for label, lever, sign in ends:
            given = [*force, *blocks_sum(torque, cross(lever, force))]
            if knot == "2":
                for name, values in (("p", given[:3]), ("l", given[3:])):
                    old = trace.read(label, "state", name, 3)
                    new = [a + b if sign > 0 else a - b for a, b in zip(old, values, strict=True)]
                    trace.write(label, name, new, store="state")
            else:
                old = trace.read(label, "work", "f", 6)
                trace.write(label, "f", [a - b if sign > 0 else a + b for a, b in zip(old, given, strict=True)])

    # --- laws ---------------------------------------------------------------------------------------------------------
    def laws(self) -> dict[str, Kernel]:
        """Springs, dampers and servos along the coordinates, which act on these and on no body."""
        link, model, kind = self.link, self.model, self.kind
        if not (link.slopes or model.angles):
            return {}
        trace = Trace(self.records, self.joint_ports, kind, "laws along its coordinates")
        if link.slopes:
            kappa = [trace.graph.constant(0)] * model.freedoms
            rows = self._rows_of_laws(trace)
            if link.laws:
                push, kappa = self._acting(trace, rows)
                against = self._by_unknown(trace, [-x for x in push], "1")
                trace.write(kind, "against", against, *OF_JOINT["against"], rate=Rate.ITERATION)
            trace.write(kind, KAPPA, kappa, *OF_JOINT[KAPPA], rate=Rate.MATRIX)
        remember_angles(trace, model, self.baked)
        kernels = dict(trace.kernels(f"laws_of_{kind}"))
        if link.laws:
            known = knot_kernels(self.records, kind, link.laws, self.joint_ports, lambda trace: {})
            if "spread" in known:
                text = "laws at the first knot beyond half of the step's impulse, which act before the knot"
                kernels |= {"spread": known["spread"], "push": self._kernel("push", self._push_on, text)}
        return kernels

    def _rows_of_laws(self, trace: Trace) -> Rows:
        """Coordinates at the first knot and mean rates over the step. Of free rotations, their gradients as well."""
        link, model = self.link, self.model
        found = trace_rows(trace, model, self.baked, model.free, model.freedoms)
        u, rates = self._get(trace, "u", link.freedoms), list(found.rates)
        for unknown, k in enumerate(link.order):
            rates[k] = u[unknown] if unknown < link.slides else mean_rate(trace, u[unknown])
        if link.is_absolute:
            for knot, at, rate in (("1", found.at1, Rate.STEP), ("2", found.at2, Rate.ITERATION)):
                values = [x for row in at[link.own][link.slides :] for x in row[3:]]
                trace.write(self.kind, f"along{knot}", values, *OF_JOINT[f"along{knot}"], rate=rate)
        return Rows(found.first, rates, {}, {}, found.units)

    def _acting(self, trace: Trace, rows: Rows) -> tuple[Vector, Vector]:
        """Laws between the knots. Rows that only limits act along come last."""
        laws, zero = self.own_laws, trace.graph.constant(0)
        n = len(laws.coordinates)
        rows = Rows(rows.first[:n], rows.rates[:n], {}, {}, rows.units[:n])
        keep_coordinates(trace, laws, rows)
        clear_sums(trace, laws)
        found = acting(trace, laws, rows, summed(trace, laws))
        more = [zero] * (self.model.freedoms - n)
        return [*found.push, *more], [*found.kappa, *more]

    def _push_on(self, trace: Trace) -> None:
        """Into the balances of bodies, which are summed up anew."""
        laws, zero = self.own_laws, trace.graph.constant(0)
        rows = off_middle(laws)
        beyond = dict(zip(rows, trace.read(self.kind, "work", "excess", len(rows)), strict=True))
        pushed = [beyond.get(k, zero) for k in range(self.model.freedoms)]
        self._push_bodies(trace, self._by_unknown(trace, pushed, "1"), "1")

    def _finish(self, trace: Trace) -> None:
        link = self.link
        q = use(
            trace,
            kinematics.turned,
            c=trace.read(OWN, "work", "c"),
            a=trace.read(OWN, "work", "a", 3),
            q=trace.read(OWN, "state", *ORIENTATION),
        )["q2"]
        if link.is_free:
            h, v = common.step(trace), trace.read(OWN, "work", "v", 3)
            x = blocks_sum(trace.read(OWN, "state", *POSITION), scaled(v, h))
        else:
            x = blocks_sum(self._get(trace, "reach2", 3), self._arm(trace, "2"))
            if link.below:
                point = [
                    a - b
                    for a, b in zip(trace.read(BELOW, "state", "x", 3), self._of(trace, BELOW, "arm2", 3), strict=True)
                ]
                x = blocks_sum(point, x)
        trace.write(OWN, "q", self._held(trace, q), store="state")
        trace.write(OWN, "x", x, store="state")

    def _held(self, trace: Trace, q: Vector) -> Vector:
        """An orientation as the joint holds it, of unit length for ever."""
        link = self.link
        if link.is_absolute:
            return of_unit_length(trace, q)
        knots, one = Knots(trace, self.model, self.baked), [trace.graph.constant(k == 0) for k in range(4)]
        frame = knots.parameter("joint_a")
        under = trace.read(BELOW, "state", "q", 4) if link.below else one
        formula = {0: None, 1: motions.turn_about_one, 2: motions.turn_about_two}[link.turns]
        axes = {"n": knots.parameter("axis_b")} if link.turns else {}
        axes |= {"m": knots.parameter("pin")} if link.turns == 2 else {}
        if link.outward:
            p = use(trace, kinematics.carried_quaternion, q=under, o=frame)["p"]
            d = use(trace, formula, p=p, q=q, **axes)["d"] if formula else one
            return use(trace, placing.followed, p=p, d=d, o=one)["q"]
        if not formula:
            return use(trace, placing.followed, p=under, d=one, o=frame)["q"]
        own = use(trace, kinematics.carried_quaternion, q=q, o=frame)["p"]
        d = use(trace, formula, p=own, q=under, **axes)["d"]
        return use(trace, placing.followed, p=under, d=[d[0], *(-x for x in d[1:])], o=frame)["q"]

    def _start(self, trace: Trace) -> None:
        """Rates along the coordinates, of velocities in the state."""
        link = self.link
        if self.summed:
            for name in ("v" if link.is_free else "") + ("w" if link.is_absolute else ""):
                trace.write(OWN, f"{name}_older", self._aged(trace, name, ""), store="state")
        if link.is_free:
            return
        v, w = (trace.read(OWN, "state", name, 3) for name in "vw")
        zero = [trace.graph.constant(0)] * 3
        under_v, under_w = (trace.read(BELOW, "state", name, 3) if link.below else zero for name in "vw")
        own = [a - b for a, b in zip(v, cross(w, self._arm(trace, "1")), strict=True)]
        if link.below:
            arm, reach = self._of(trace, BELOW, "arm1", 3), self._get(trace, "reach1", 3)
            reach = [a - b for a, b in zip(reach, arm, strict=True)]
            under_v = blocks_sum(under_v, cross(under_w, reach))
        moving = [a - b for a, b in zip(own, under_v, strict=True)]
        turning = [a - b for a, b in zip(w, under_w, strict=True)]
        axes = self._rows(trace, "axes1")
        rates = [dot(axis, moving) for axis in axes[: link.slides]] + [
            dot(axis, turning) for axis in axes[link.slides :]
        ]
        for old in list(AGES)[: 3 if self.summed else 2]:
            if rates:
                meaning = f"rates of the coordinates over {AGES[old]}"
                trace.write(self.kind, f"u{old}", rates, meaning, "m/s, rad/s", store="state")


def mean_rate(trace: Trace, u: Scalar) -> Scalar:
    """How fast the angle of a hinge grows over the step."""
    t = common.half_step(trace) / 2 * u
    with trace.computing("rho = 4 atan((h/4) u)/h", SOURCE):
        turn = 2 * trace.graph.angle(t, trace.graph.constant(1), trace.graph.constant(0))
        return turn * common.inverse_step(trace)


# --- bodies -----------------------------------------------------------------------------------------------------------
def _as_rows(values: Sequence[Scalar], columns: int) -> Matrix:
    return [list(values[k : k + columns]) for k in range(0, len(values), columns)]


def blocks_sum(left: Sequence[Scalar], right: Sequence[Scalar]) -> Vector:
    return [a + b for a, b in zip(left, right, strict=True)]


def scaled(vector: Sequence[Scalar], factor: Scalar) -> Vector:
    return [factor * x for x in vector]


def dot_sparse(trace: Trace, left: Sequence[Scalar], right: Sequence[Scalar]) -> Scalar:
    """A sum of products, of which many are zero."""
    total = trace.graph.constant(0)
    for a, b in zip(left, right, strict=True):
        total = total + a * b
    return total


def about(matrix: Matrix, arm1: Vector, minus_arm2: Vector) -> Matrix:
    """[1, 0; r1^, 1] M [1, r2^; 0, 1] with r2 given: blocks about another point, its forces at the first knot.

    arm1: from the new point to the old one. minus_arm2: the negative of the same at the second knot.
    """
    right = [[*row[:3], *(a + b for a, b in zip(row[3:], cross(row[:3], minus_arm2), strict=True))] for row in matrix]
    columns = [cross(arm1, [right[r][k] for r in range(3)]) for k in range(6)]
    return [*right[:3], *([right[3 + r][k] + columns[k][r] for k in range(6)] for r in range(3))]


# --- what is told of joints -------------------------------------------------------------------------------------------
def joint_reports(sweep: Sweep) -> dict[str, Kernel]:
    """The kernels that tell rows, impulses and reactions of a joint, as maximal coordinates have them."""
    model, kind, records = sweep.model, sweep.kind, sweep.records
    watched = watch_kernels(records, kind, model, sweep.baked)["watch"]
    react = single(
        records,
        f"react_{kind}",
        "impulses of the rows, and force and torque on body b at the anchor, joint axes",
        sweep.joint_ports,
        kind,
        lambda trace: _reaction(trace, sweep),
    )
    return {"inspect": watched, "react": react, **sums_of_parts(records, kind, model)}


def _reaction(trace: Trace, sweep: Sweep) -> None:
    """y of the rows with G_bᵀ y = W about the anchor, and W in joint axes over its time."""
    model, kind = sweep.model, sweep.kind
    knots = FirstKnot(trace, model, sweep.baked)
    given = sweep._get(trace, "wrench", 6)
    if sweep.link.pitch:
        # a law's torque is not at right angles to the thread's row
        with trace.computing("W -= what laws push along the coordinates", SOURCE):
            for column, push in zip(sweep._columns(trace, "1"), sweep._pushes(trace, "1"), strict=True):
                along = dot_sparse(trace, column, given)
                given = [a - along * b for a, b in zip(given, push, strict=True)]
    wrench = given if sweep.link.outward else [-x for x in given]
    arm = knots.of(Carried("b", "anchor_b"))[0]
    if (sweep.link.slides or sweep.link.pitch) and not (sweep.link.outward or sweep.link.swings):
        with trace.computing("W about the anchor on body b", SOURCE):
            under = trace.read("b", "work", "arm1", 3, *MEANINGS["arm1"])
            slide = [p - r - a for p, r, a in zip(sweep._get(trace, "reach1", 3), under, arm, strict=True)]
            wrench = [*wrench[:3], *blocks_sum(wrench[3:], cross(slide, wrench[:3]))]
    rows = trace_rows(trace, model, sweep.baked, model.groups, model.rows, knots).at1["b"]
    with trace.computing("G_b about the anchor", SOURCE):
        gradient = [[*row[:3], *(a - b for a, b in zip(row[3:], cross(arm, row[:3]), strict=True))] for row in rows]
    with trace.computing("y = (G_b G_bᵀ)^-1 G_b W", SOURCE):
        square = [[dot_sparse(trace, a, b) for b in gradient] for a in gradient]
        right = [[dot_sparse(trace, row, wrench)] for row in gradient]
        y = [row[0] for row in blocks.solve(blocks.factor(square), right)]
    trace.write(kind, "y", y, "impulse of every row", "N s, N m s")
    axes = [x for name in model.frame for x in knots.of(Carried("a", name))[0]]
    with trace.computing("W of the rows alone, without laws along the coordinates", SOURCE):
        wrench = [dot_sparse(trace, y, [row[m] for row in gradient]) for m in range(6)]
    about_center = blocks_sum(wrench[3:], cross(arm, wrench[:3]))
    values = wrench_in_axes(trace.graph, force=wrench[:3], torque=about_center, arm=arm, axes=axes)
    time = common.impulse(trace)
    trace.write(
        kind,
        "reaction",
        [value / time for value in values["force_in"] + values["torque_in"]],
        "reaction on the child in joint axes: force, torque about the anchor",
        "N, N m",
    )


class FirstKnot(Knots):
    """What a joint's inputs are at the first knot, once the state has been taken to the second one."""

    def _quaternion(self, source):
        offset = self.parameter(source.parameter)
        if not self._moves(source.body):
            return self._still(offset)
        q = self.trace.read(source.body, "work", "q1", 4, "orientation at the first knot")
        return self._still(use(self.trace, kinematics.carried_quaternion, source.parameter, q=q, o=offset)["p"])
