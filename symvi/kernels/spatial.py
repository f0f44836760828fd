"""The kernels of what a model is asked in joint coordinates: placements, inertia, momenta and forces over its tree.

World axes throughout, and moments about the origin of a tree: the point where a floating base is, else the world's
origin. So nothing is shifted from body to body, and numbers stay exact however far away a robot walks. Of a body:

    V = (v, w)  velocity of the point of the body that is at the origin, angular velocity
    I = (m, h = m x, J = J_c + m (x·x 1 - x xᵀ))
    I V = (m v + w × h,  J w + h × v)

Every freedom of a joint has a column S: the V that its unit rate gives to what it carries. Joints are rows of slides
and turns, nearest to the ground first. Each is fixed to what moves before it, so that S' = V × S, and

    V = V_k + Σ S q',   A = A_k + Σ (V_before × S q') + Σ S q'',   V × S = (w × s_v + v × s_w, w × s_w)

Sums inward (after Featherstone, in world axes):

    inverse dynamics   f = I A + V ×* I V + Σ f_c,   tau = S·f,   A of the ground is -g
    mass matrix        F = (Σ I) S,   M_ij = S_i·F_j for a freedom i between the ground and j
    forward dynamics   U = I S,  D = S·U,  I -= U Uᵀ/D,  q'' = (tau - S·p - U·A)/D, a freedom after the other
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symvi.kernels import blocks
from symvi.kernels.blocks import Matrix, Vector, cross, dot
from symvi.kernels.body_kernels import BODY, INERTIA, use
from symvi.kernels.common import COMMON, GRAVITY, SHARED, single
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.knots import Baked
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.physics import body as dynamics
from symvi.physics import kinematics
from symvi.physics.model import Parameter
from symvi.scalar import Scalar

SOURCE = "after Featherstone"
OWN, BELOW, TREE, FREEDOM, COORDINATE, ENTRY, WHOLE, PLACE = (
    "i", "k", "tree", "freedom", "coordinate", "entry", "whole", "point",
)  # fmt: skip
JOINT = "joint"
OF_BODY = {
    "r": (9, "rotation, body to world", "1"),
    "q": (4, "the same as a quaternion, where loops ask for it", "1"),
    "x": (3, "centre of mass, from the origin of its tree", "m"),
    "v": (6, "velocity at that origin, angular velocity", "m/s, rad/s"),
    "c": (6, "acceleration at zero accelerations of its joint, less that of the body below", "m/s², rad/s²"),
    "a": (6, "acceleration at that origin, less gravity; angular acceleration", "m/s², rad/s²"),
    "h": (3, "mass times x", "kg m"),
    "j": (6, "inertia xx, yy, zz, xy, xz, yz about that origin", "kg m²"),
    "i": (10, "mass, h, j of it and of what it carries", "kg, kg m, kg m²"),
    "f": (6, "force and torque about that origin, with those of what it carries", "N, N m"),
    "articulated": (21, "articulated inertia: of forces, of torques by velocities, of torques", "kg, kg m, kg m²"),
    "bias": (6, "what it takes to keep it from accelerating", "N, N m"),
    "momentum": (6, "momentum, and its moment about that origin", "kg m/s, kg m²/s"),
    "place": (3, "origin of the body's frame in the world", "m"),
}
OF_FREEDOM = {
    "s": (6, "velocity of what it carries by its rate", "1"),
    "rate": (1, "its rate", "m/s, rad/s"),
    "acceleration": (1, "the rate's rate", "m/s², rad/s²"),
    "force": (1, "force or torque along it", "N, N m"),
    "p": (6, "momentum of what it carries by its rate", "kg, kg m, kg m²"),
    "lift": (6, "U = I S", "kg, kg m, kg m²"),
    "pivot": (1, "1/D, D = S·U", "1/kg, 1/(kg m²)"),
    "open": (1, "tau - S·p", "N, N m"),
}


@dataclass(frozen=True)
class Limb:
    """A joint of a tree and the body that it carries; a body that nothing holds is carried by six freedoms.

    outward: the body is the joint's child. below: the body on its other side, None of the ground. slides, turns: how
    many freedoms of each kind; three turns have a quaternion for a coordinate, and rates about the axes of the child.
    together: slides and turns are those of a free body, whose rates are all in the axes of the child's joint frame.
    parameters: before, after: rotations from the triad of the joint to the parent's and from the child's axes to it;
    anchor_a, anchor_b: from the centres of mass; axis_1, ...: of slides on the parent; pitch.
    """

    name: str
    body: str
    below: str | None
    outward: bool
    slides: int
    turns: int
    together: bool
    parameters: Mapping[str, Parameter]

    @property
    def freedoms(self) -> int:
        return self.slides + self.turns

    @property
    def coordinates(self) -> int:
        return self.slides + (4 if self.turns == 3 else self.turns)

    @property
    def pitch(self) -> bool:
        return "pitch" in self.parameters

    @property
    def roots(self) -> bool:
        """Whether a tree has its origin where this floating joint is."""
        return self.together and self.below is None


class LimbKernels:
    """Traces the kernels of one type of limb. kind: of the joint's record, of which `baked` entries are constants."""

    def __init__(self, records: Records, kind: str, limb: Limb, baked: Baked, quaternions: bool = False):
        """quaternions: whether loops ask for the orientations of bodies as such too."""
        self.quaternions = quaternions
        self.records, self.kind, self.limb, self.baked = records, kind, limb, baked
        self.columns = [f"s{k}" for k in range(limb.freedoms)]
        self.given = [f"q{k}" for k in range(limb.coordinates)]
        ports = [Port(JOINT, kind), Port(OWN, BODY)] + [Port(BELOW, BODY)] * (limb.below is not None)
        ports += [Port(TREE, TREE)] * limb.roots
        ports += [Port(label, COORDINATE) for label in self.given] + [Port(label, FREEDOM) for label in self.columns]
        self.ports = (SHARED, *ports)

    def place(self) -> Kernel:
        """The kernel of this type alone."""
        text = "where the body is, and the columns of its joint"
        return single(self.records, f"place_{self.kind}", text, self.ports, JOINT, self._place)

    @property
    def shape(self) -> tuple:
        """All that the other kernels depend on."""
        return self.limb.below is None, self.limb.freedoms, tuple(map(tuple, self._order()))

    def kernels(self, shape: str) -> dict[str, Kernel]:
        """Those of all limbs of a shape, by phase; phases that have nothing to do are left out."""
        texts = {
            "move": (self._move, "V = V_k + Σ S q',  c = Σ V_before × S q'"),
            "accelerate": (self._accelerate, "A = A_k + c + Σ S q''"),
            "collect": (self._collect, "tau = S·f,  f_k += f"),
            "compose": (self._compose, "I_k += I"),
            "articulate": (self._articulate, "U = I S,  D = S·U,  I - U Uᵀ/D and p + I c + U u/D to the body below"),
            "release": (self._release, "q'' = (u - U·A)/D,  A += S q''"),
        }
        found = {
            phase: single(self.records, f"{phase}_{shape}", text, (SHARED, *self.ports[2:]), OWN, build)
            for phase, (build, text) in texts.items()
        }
        return {phase: kernel for phase, kernel in found.items() if kernel.outputs}

    # --- reading ------------------------------------------------------------------------------------------------------
    def _parameter(self, trace: Trace, name: str) -> Vector:
        p = self.limb.parameters[name]
        size = len(p.values)
        return trace.read(JOINT, "parameters", name, size, p.meaning, p.unit, baked=self.baked.get(name, ()))

    def _below(self, trace: Trace, name: str) -> Vector:
        """Of the body below; of the ground, which stands."""
        if self.limb.below is None:
            return [trace.graph.constant(0)] * OF_BODY[name][0]
        return _of(trace, BELOW, name)

    def _columns(self, trace: Trace) -> Matrix:
        return [of_freedom(trace, label, "s") for label in self.columns]

    def _freedoms(self, trace: Trace, name: str) -> Vector:
        return [of_freedom(trace, label, name)[0] for label in self.columns]

    # --- placements ---------------------------------------------------------------------------------------------------
    def _place(self, trace: Trace) -> None:
        limb, zero, one = self.limb, trace.graph.constant(0), trace.graph.constant(1)
        q = [trace.read(label, "work", "value", 1, "a coordinate", "m, rad")[0] for label in self.given]
        identity = [[one if r == c else zero for c in range(3)] for r in range(3)]
        near = _rows(_of(trace, BELOW, "r")) if limb.below is not None else identity
        x = self._below(trace, "x")
        before, after = (_rows(self._parameter(trace, name)) for name in ("before", "after"))
        turns = self._turns(trace, q[limb.slides :])
        steps = [before, *turns, after]
        if not limb.outward:
            steps = [blocks.transposed(step) for step in reversed(steps)]
        with trace.computing("R = R_k B T A", "B to the joint's triad, T its turn, A to the body's axes"):
            frames = [near]
            for step in steps:
                frames.append(blocks.product(frames[-1], step))
        far = frames[-1]
        parent, child = (near, far) if limb.outward else (far, near)
        slid, axes = [zero] * 3, []
        for k in range(limb.slides):
            axes.append(use_carried(trace, parent, self._parameter(trace, f"axis_{k + 1}")))
            slid = [a + q[k] * b for a, b in zip(slid, axes[-1], strict=True)]
        turning = self._turning_axes(frames, child)
        if limb.pitch:
            advance = self._parameter(trace, "pitch")[0] * q[0]
            slid = [advance * b for b in turning[0]]
        on_parent, on_child = (
            use_carried(trace, frame, self._parameter(trace, name))
            for frame, name in ((parent, "anchor_a"), (child, "anchor_b"))
        )
        with trace.computing("the child's anchor o, and the centre of mass", SOURCE):
            if limb.outward:
                point = blocks_sum(blocks_sum(x, on_parent), slid)
                if limb.roots:
                    _write(trace, TREE, {"origin": point})
                    point = [zero] * 3
                x = _less(point, on_child)
            else:
                point = blocks_sum(x, on_child)
                x = _less(_less(point, slid), on_parent)
        _write(trace, OWN, {"r": [e for row in far for e in row], "x": x})
        if self.quaternions:
            _write(trace, OWN, {"q": self._quaternion(trace, q[limb.slides :])})
        sign = 1 if limb.outward else -1
        if limb.together:
            axes = [list(column) for column in blocks.transposed(child)]
        with trace.computing("S = (e, 0) of a slide, (o × e, e) of a turn", SOURCE):
            columns = [[*axis, zero, zero, zero] for axis in axes]
            for axis in turning:
                across = cross(point, axis)
                if limb.pitch:
                    pitch = self._parameter(trace, "pitch")[0]
                    across = [a + pitch * b for a, b in zip(across, axis, strict=True)]
                columns.append([*across, *axis])
            for label, column in zip(self.columns, columns, strict=True):
                trace.write(label, "s", [sign * e for e in column], *OF_FREEDOM["s"][1:])

    def _turns(self, trace: Trace, q: Vector) -> list[Matrix]:
        """The rotations of the joint, one after the other."""
        zero, one = trace.graph.constant(0), trace.graph.constant(1)
        if self.limb.turns == 3:
            return [_rows(use(trace, kinematics.rotation_matrix, q=q)["R"])]
        found = []
        for angle, (first, second) in zip(q, ((0, 1), (1, 2)), strict=False):
            cosine, sine = trace.graph.function("cos", angle), trace.graph.function("sin", angle)
            turn = [[one if r == c else zero for c in range(3)] for r in range(3)]
            turn[first][first] = turn[second][second] = cosine
            turn[first][second], turn[second][first] = -sine, sine
            found.append(turn)
        return found

    def _quaternion(self, trace: Trace, q: Vector) -> Vector:
        """The orientation of the body that is carried: q_k b t a."""
        zero, one = trace.graph.constant(0), trace.graph.constant(1)
        turns = []
        if self.limb.turns == 3:
            turns = [q]
        else:
            for angle, axis in zip(q, (3, 1), strict=False):
                half = angle / 2
                turn = [trace.graph.function("cos", half), zero, zero, zero]
                turn[axis] = trace.graph.function("sin", half)
                turns.append(turn)
        steps = [self._parameter(trace, "before_q"), *turns, self._parameter(trace, "after_q")]
        if not self.limb.outward:
            steps = [[step[0], *(-e for e in step[1:])] for step in reversed(steps)]
        found = [one, zero, zero, zero] if self.limb.below is None else _of(trace, BELOW, "q")
        for step in steps:
            found = use(trace, kinematics.carried_quaternion, q=found, o=step)["p"]
        return found

    def _turning_axes(self, frames: list[Matrix], child: Matrix) -> Matrix:
        """The axes in the order of the coordinates: z of the triad, x of the triad that it has turned; the child's."""
        turns = self.limb.turns
        if turns == 3:
            return blocks.transposed(child)
        found = []
        for k, axis in enumerate((2, 0)[:turns]):  # an axis is that of the frame on either side of its turn
            frame = frames[k + 1] if self.limb.outward else frames[turns - k]
            found.append([row[axis] for row in frame])
        return found

    # --- outward ------------------------------------------------------------------------------------------------------
    def _order(self) -> list[list[int]]:
        """Freedoms as they follow one another from the body below on; those that are fixed to one body together."""
        limb = self.limb
        if limb.together or limb.pitch:
            return [list(range(limb.freedoms))]
        slides, turns = [[k] for k in range(limb.slides)], [[limb.slides + k] for k in range(limb.turns)]
        if limb.turns == 3:
            turns = [[k for turn in turns for k in turn]]
        return [*slides, *turns] if limb.outward else [*turns[::-1], *slides[::-1]]

    def _move(self, trace: Trace) -> None:
        columns, rates = self._columns(trace), self._freedoms(trace, "rate")
        v, zero = self._below(trace, "v"), trace.graph.constant(0)
        c = [zero] * 6
        with trace.computing("V = V_k + Σ S q',  c = Σ V_before × S q'", SOURCE):
            for together in self._order():
                own = [zero] * 6
                for k in together:
                    own = [a + rates[k] * b for a, b in zip(own, columns[k], strict=True)]
                c = blocks_sum(c, motion_cross(v, own))
                v = blocks_sum(v, own)
        _write(trace, OWN, {"v": v, "c": c})

    def _accelerate(self, trace: Trace) -> None:
        a = self._before(trace)
        with trace.computing("A = A_k + c + Σ S q''", SOURCE):
            for column, more in zip(self._columns(trace), self._freedoms(trace, "acceleration"), strict=True):
                a = [x + more * y for x, y in zip(a, column, strict=True)]
        _write(trace, OWN, {"a": a})

    def _before(self, trace: Trace) -> Vector:
        """A_k + c; of the ground it is -g."""
        zero = trace.graph.constant(0)
        below = self._below(trace, "a")
        if self.limb.below is None:
            below = [*(-g for g in trace.read(COMMON, "parameters", *GRAVITY)), zero, zero, zero]
        return blocks_sum(below, _of(trace, OWN, "c"))

    def _release(self, trace: Trace) -> None:
        a = self._before(trace)
        for label in self.columns:
            lift, column = of_freedom(trace, label, "lift"), of_freedom(trace, label, "s")
            pivot, rest = (of_freedom(trace, label, name)[0] for name in ("pivot", "open"))
            with trace.computing("q'' = (u - U·A)/D", SOURCE):
                more = (rest - dot(lift, a)) * pivot
            trace.write(label, "acceleration", [more], *OF_FREEDOM["acceleration"][1:])
            with trace.computing("A += S q''", SOURCE):
                a = [x + more * y for x, y in zip(a, column, strict=True)]
        _write(trace, OWN, {"a": a})

    # --- inward -------------------------------------------------------------------------------------------------------
    def _collect(self, trace: Trace) -> None:
        f = _of(trace, OWN, "f")
        for label in self.columns:
            with trace.computing("tau = S·f", SOURCE):
                trace.write(label, "force", [dot(of_freedom(trace, label, "s"), f)], *OF_FREEDOM["force"][1:])
        self._hand_down(trace, "f", f)

    def _compose(self, trace: Trace) -> None:
        if self.limb.below is not None:
            own, below = _of(trace, OWN, "i"), _of(trace, BELOW, "i")
            trace.write(BELOW, "i", blocks_sum(below, own), *OF_BODY["i"][1:])

    def _articulate(self, trace: Trace) -> None:
        matrix, p = symmetric(_of(trace, OWN, "articulated")), _of(trace, OWN, "bias")
        for label in reversed(self.columns):
            column, force = of_freedom(trace, label, "s"), of_freedom(trace, label, "force")[0]
            with trace.computing("U = I S,  D = S·U,  u = tau - S·p", SOURCE):
                lift = blocks.times(matrix, column)
                pivot = 1 / dot(column, lift)
                rest = force - dot(column, p)
            for name, values in (("lift", lift), ("pivot", [pivot]), ("open", [rest])):
                trace.write(label, name, values, *OF_FREEDOM[name][1:])
            if self.limb.below is not None or label != self.columns[0]:
                with trace.computing("I - U Uᵀ/D,  p + U u/D", SOURCE):
                    share = [pivot * x for x in lift]
                    matrix = mirrored([[matrix[r][c] - lift[r] * share[c] for c in range(6)] for r in range(6)])
                    p = [x + rest * y for x, y in zip(p, share, strict=True)]
        if self.limb.below is not None:
            with trace.computing("p + I c", SOURCE):
                p = blocks_sum(p, blocks.times(matrix, _of(trace, OWN, "c")))
            self._hand_down(trace, "articulated", packed(matrix))
            self._hand_down(trace, "bias", p)

    def _hand_down(self, trace: Trace, name: str, values: Vector) -> None:
        if self.limb.below is not None:
            trace.write(BELOW, name, blocks_sum(_of(trace, BELOW, name), values), *OF_BODY[name][1:])


# --- of bodies and freedoms -------------------------------------------------------------------------------------------
def body_kernels(records: Records, inertia: Sequence[Fraction | None], center: Sequence[Fraction | None]) -> dict:
    """Kernels of single bodies and freedoms, by name. inertia, center: entries that are zero in the whole mechanism."""
    own, tree = Port(OWN, BODY), Port(TREE, TREE)

    def weigh(trace: Trace) -> None:
        m = _mass(trace)
        j = trace.read(OWN, "parameters", *INERTIA[:1], 6, *INERTIA[2:], baked=inertia)
        turned = use(trace, dynamics.world_inertia, R=_of(trace, OWN, "r"), j=j)["J"]
        x = _of(trace, OWN, "x")
        with trace.computing("J = J_c + m (x·x 1 - x xᵀ)", SOURCE):
            h = [m * e for e in x]
            squares = [a * b for a, b in zip(h, x, strict=True)]
            about = [squares[1] + squares[2], squares[0] + squares[2], squares[0] + squares[1]]
            about += [-(h[0] * x[1]), -(h[0] * x[2]), -(h[1] * x[2])]
        _write(trace, OWN, {"h": h, "j": blocks_sum(turned, about)})

    def stack(trace: Trace) -> None:
        _write(trace, OWN, {"i": [_mass(trace), *_of(trace, OWN, "h"), *_of(trace, OWN, "j")]})

    def body_force(trace: Trace) -> None:
        m, h, j = _mass(trace), _of(trace, OWN, "h"), _of(trace, OWN, "j")
        v, a = _of(trace, OWN, "v"), _of(trace, OWN, "a")
        with trace.computing("f = I A + V ×* I V", SOURCE):
            f = blocks_sum(times_motion(m, h, j, a), force_cross(v, times_motion(m, h, j, v)))
        _write(trace, OWN, {"f": f})

    def begin(trace: Trace) -> None:
        m, h, j = _mass(trace), _of(trace, OWN, "h"), _of(trace, OWN, "j")
        columns = [times_motion(m, h, j, [trace.graph.constant(k == n) for k in range(6)]) for n in range(6)]
        v = _of(trace, OWN, "v")
        with trace.computing("p = V ×* I V", SOURCE):
            p = force_cross(v, times_motion(m, h, j, v))
        _write(trace, OWN, {"articulated": packed(blocks.transposed(columns)), "bias": p})

    def carry(trace: Trace) -> None:
        values = _of(trace, OWN, "i")
        with trace.computing("F = (Σ I) S", SOURCE):
            p = times_motion(values[0], values[1:4], values[4:], of_freedom(trace, FREEDOM, "s"))
        trace.write(FREEDOM, "p", p, *OF_FREEDOM["p"][1:])

    def pair(trace: Trace) -> None:
        with trace.computing("M_ij = S_i·F_j", SOURCE):
            value = dot(of_freedom(trace, "near", "s"), of_freedom(trace, "far", "p"))
        trace.write(ENTRY, "value", [value], "an entry of the mass matrix", "kg, kg m, kg m²")

    def show(trace: Trace) -> None:
        with trace.computing("origin + x - R c", SOURCE):
            shift = use_carried(trace, _rows(_of(trace, OWN, "r")), _center(trace, center))
            place = blocks_sum(_tree(trace), _less(_of(trace, OWN, "x"), shift))
        _write(trace, OWN, {"place": place})

    def gather(trace: Trace) -> None:
        m, x = _mass(trace), blocks_sum(_tree(trace), _of(trace, OWN, "x"))
        old = _whole(trace, "moment")
        _add(
            trace, {"mass": [_whole(trace, "mass")[0] + m], "moment": [a + m * b for a, b in zip(old, x, strict=True)]}
        )

    def swing(trace: Trace) -> None:
        m, h, j = _mass(trace), _of(trace, OWN, "h"), _of(trace, OWN, "j")
        with trace.computing("p = I V, about the centre of mass of all", SOURCE):
            p = times_motion(m, h, j, _of(trace, OWN, "v"))
            arm = _less(_tree(trace), _whole(trace, "center"))
            moved = [*p[:3], *blocks_sum(p[3:], cross(arm, p[:3]))]
        _add(trace, {"momentum": blocks_sum(_whole(trace, "momentum"), moved)})

    def clear(trace: Trace) -> None:
        zero = trace.graph.constant(0)
        _add(trace, {name: [zero] * size for name, (size, _, _) in OF_WHOLE.items() if name != "center"})

    def center_all(trace: Trace) -> None:
        m = _whole(trace, "mass")[0]
        _add(trace, {"center": [x / m for x in _whole(trace, "moment")]})

    def shift(trace: Trace) -> None:
        with trace.computing("column of the centre of mass: F_v/M", SOURCE):
            m = _whole(trace, "mass")[0]
            values = [x / m for x in of_freedom(trace, FREEDOM, "p")[:3]]
        trace.write(FREEDOM, "shift", values, "velocity of the centre of mass of all by its rate", "1")

    def locate(trace: Trace) -> None:
        given = trace.read(PLACE, "work", "given", 3, "a point of a body, in its frame", "m")
        with trace.computing("r = x + R (point - c)", SOURCE):
            arm = use_carried(trace, _rows(_of(trace, OWN, "r")), _less(given, _center(trace, center)))
            values = blocks_sum(_of(trace, OWN, "x"), arm)
        trace.write(PLACE, "arm", values, "the point, from the origin of its tree", "m")

    def lead(trace: Trace) -> None:
        s, arm = of_freedom(trace, FREEDOM, "s"), trace.read(PLACE, "work", "arm", 3)
        with trace.computing("(s_v + s_w × r, s_w)", SOURCE):
            values = motion_about(s, arm)
        trace.write(FREEDOM, "column", values, "velocity of a point, angular velocity, by its rate", "1")

    whole, freedom = Port(WHOLE, WHOLE), Port(FREEDOM, FREEDOM)
    table = {
        "weigh": (weigh, (own,), OWN, "inertia in world axes, about the origin of the tree"),
        "stack": (stack, (own,), OWN, "a body's own inertia, before that of what it carries"),
        "body_force": (body_force, (own,), OWN, "what it takes to move a body so"),
        "begin": (begin, (own,), OWN, "a body's own inertia, and what keeps it from accelerating"),
        "carry": (carry, (own, freedom), OWN, "momentum of what a freedom carries"),
        "pair": (pair, (Port("near", FREEDOM), Port("far", FREEDOM), Port(ENTRY, ENTRY)), ENTRY, "an entry of M"),
        "show": (show, (own, tree), OWN, "where the frame of a body is"),
        "gather": (gather, (own, tree, whole), OWN, "a body's share of the mass and its moment"),
        "swing": (swing, (own, tree, whole), OWN, "a body's share of the momentum"),
        "clear": (clear, (whole,), WHOLE, "sums begin at zero"),
        "center": (center_all, (whole,), WHOLE, "centre of mass"),
        "shift": (shift, (freedom, whole), FREEDOM, "what a rate does to the centre of mass"),
        "locate": (locate, (own, Port(PLACE, PLACE)), OWN, "where a point of a body is"),
        "lead": (lead, (freedom, Port(PLACE, PLACE)), FREEDOM, "what a rate does to a point"),
    }
    return {
        name: single(records, name, text, ports, label, build) for name, (build, ports, label, text) in table.items()
    }


OF_WHOLE = {
    "mass": (1, "of all bodies", "kg"),
    "moment": (3, "of mass about the world's origin", "kg m"),
    "center": (3, "centre of mass of all, in the world", "m"),
    "momentum": (6, "momentum of all, and its moment about the centre of mass", "kg m/s, kg m²/s"),
}


def _whole(trace: Trace, name: str) -> Vector:
    size, meaning, unit = OF_WHOLE[name]
    return trace.read(WHOLE, "work", name, size, meaning, unit)


def _add(trace: Trace, values: Mapping[str, Vector]) -> None:
    for name, entries in values.items():
        trace.write(WHOLE, name, entries, *OF_WHOLE[name][1:])


def _mass(trace: Trace) -> Scalar:
    return trace.read(OWN, "parameters", "mass", 1, "mass", "kg")[0]


def _center(trace: Trace, baked: Sequence[Fraction | None]) -> Vector:
    return trace.read(OWN, "parameters", "center", 3, "centre of mass in the body's frame", "m", baked=baked)


def _tree(trace: Trace) -> Vector:
    return trace.read(TREE, "work", "origin", 3, "about which its moments are, in the world", "m")


def _of(trace: Trace, label: str, name: str) -> Vector:
    size, meaning, unit = OF_BODY[name]
    return trace.read(label, "work", name, size, meaning, unit)


def of_freedom(trace: Trace, label: str, name: str) -> Vector:
    size, meaning, unit = OF_FREEDOM[name]
    return trace.read(label, "work", name, size, meaning, unit)


def _write(trace: Trace, label: str, values: Mapping[str, Vector]) -> None:
    for name, entries in values.items():
        known = OF_BODY.get(name, (3, "about which its moments are, in the world", "m"))
        trace.write(label, name, entries, *known[1:])


# --- algebra ----------------------------------------------------------------------------------------------------------
def _rows(values: Sequence[Scalar]) -> Matrix:
    return [list(values[3 * r : 3 * r + 3]) for r in range(3)]


def _less(left: Sequence[Scalar], right: Sequence[Scalar]) -> Vector:
    return [a - b for a, b in zip(left, right, strict=True)]


def blocks_sum(left: Sequence[Scalar], right: Sequence[Scalar]) -> Vector:
    return [a + b for a, b in zip(left, right, strict=True)]


def use_carried(trace: Trace, rotation: Matrix, vector: Vector) -> Vector:
    """A vector of a body in world axes."""
    return use(trace, kinematics.carried_vector, R=[e for row in rotation for e in row], p=vector)["r"]


def motion_cross(v: Vector, s: Vector) -> Vector:
    """V × S: how a column changes that is carried along at V."""
    return [*blocks_sum(cross(v[3:], s[:3]), cross(v[:3], s[3:])), *cross(v[3:], s[3:])]


def force_cross(v: Vector, p: Vector) -> Vector:
    """V ×* P: how a momentum changes that is carried along at V."""
    return [*cross(v[3:], p[:3]), *blocks_sum(cross(v[3:], p[3:]), cross(v[:3], p[:3]))]


def motion_about(v: Vector, x: Vector) -> Vector:
    """The velocity of a point at x of what moves at V, and its angular velocity."""
    return [*blocks_sum(v[:3], cross(v[3:], x)), *v[3:]]


def times_motion(m: Scalar, h: Vector, j: Vector, v: Vector) -> Vector:
    """I V = (m v + w × h, J w + h × v)."""
    linear = blocks_sum([m * e for e in v[:3]], cross(v[3:], h))
    rows = [[j[0], j[3], j[4]], [j[3], j[1], j[5]], [j[4], j[5], j[2]]]
    return [*linear, *blocks_sum(blocks.times(rows, v[3:]), cross(h, v[:3]))]


def packed(matrix: Matrix) -> Vector:
    """The upper triangle of a symmetric 6 x 6 matrix, row by row."""
    return [matrix[r][c] for r in range(6) for c in range(r, 6)]


def symmetric(values: Vector) -> Matrix:
    """The matrix of an upper triangle."""
    left = iter(values)
    found: dict[tuple[int, int], Scalar] = {(r, c): next(left) for r in range(6) for c in range(r, 6)}
    return [[found[min(r, c), max(r, c)] for c in range(6)] for r in range(6)]


def mirrored(matrix: Matrix) -> Matrix:
    """The same with its lower triangle taken from the upper one."""
    return symmetric(packed(matrix))
