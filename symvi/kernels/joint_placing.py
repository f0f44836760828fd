"""Bodies from joint coordinates, and coordinates from bodies: kernels of joints, and the tree along which they place.

`place` puts one body of a joint beside the other, with velocities; `measure` reads a joint's coordinates and rates at a
knot; `couple` gives the coordinate that a gear drives from that of its other joint. Coordinates and rates lie in the
store "motion", which the caller's arrays are copied to and from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symvi.kernels.body_kernels import BODY, use
from symvi.kernels.common import SHARED, single
from symvi.kernels.kernel import Kernel, Port
from symvi.kernels.knots import Baked, Knots, velocity
from symvi.kernels.records import Records
from symvi.kernels.tracing import Trace
from symvi.mechanism import Joint, Mechanism, coordinate_count, coordinate_kinds
from symvi.mechanism.start_values import start_values
from symvi.mechanism.tree_walk import Step, tree_walk
from symvi.physics import kinematics, placing
from symvi.physics.coordinates import coordinate_groups, coordinate_units
from symvi.physics.joints import Geometry
from symvi.physics.model import ConstraintModel, Data, Group
from symvi.registry import JOINTS
from symvi.scalar import Scalar

COORDINATE, RATE = "coordinate", "rate"
RATES = "their rates"
TURNS = {1: placing.turn_about_axis, 2: placing.turn_about_two_axes, 3: placing.turn_by_vector}
SLIDING_AXES = {0: (), 1: ("axis3",), 2: ("axis1", "axis2"), 3: ("e1", "e2", "e3")}


@dataclass(frozen=True)
class Leader:
    """A gear: the coordinate of joint `follower` is that of `leader`; backwards, where the gear's first joint leads."""

    coupling: str
    leader: str
    follower: str
    backwards: bool


def placing_tree(mechanism: Mechanism) -> list[Step]:
    """The joints by which every body is reached once: from the world, then from bodies that no joint leads to."""
    known, reached, steps = start_values(mechanism).coordinates, {"world"}, []
    jointed = {name for j in mechanism.joints if JOINTS[j.type].tree for name in (j.parent, j.child)}
    stands = [body.name for body in mechanism.bodies if body.position is not None or body.name not in jointed]
    for start in ("world", *stands, *(body.name for body in mechanism.bodies)):
        if start != "world" and start in reached:
            continue
        reached.add(start)
        for step in tree_walk(mechanism, [start], reached, known):
            steps.append(step)
            reached.add(step.target)
    return steps


def leaders(mechanism: Mechanism, placed: set[str]) -> list[Leader]:
    """Which joint of every gear follows the other: the second leads unless a driver, or another gear, moves the first.

    placed: the joints that place bodies; a gear on another joint is left to the projection.
    """
    known = {driver.joint for driver in mechanism.drivers if driver.coordinate == 0}
    waiting = [c for c in mechanism.couplings if set(c.joints) <= placed]
    found = []
    while waiting:
        ready = next((c for c in waiting if set(c.joints) & known), waiting[0])
        waiting.remove(ready)
        first, second = ready.joints
        if second not in known and first in known and ready.ratio != 0.0:
            found.append(Leader(ready.name, first, second, True))
        elif first not in known or second not in known:
            found.append(Leader(ready.name, second, first, False))
        known |= {first, second}
    return found


def placing_model(geometry: Geometry) -> ConstraintModel:
    """A joint as its coordinates see it: groups that measure them, and the parameters that placing needs."""
    joint, kinds = geometry.joint, coordinate_kinds(geometry.joint.type)
    groups = tuple(coordinate_groups(geometry))
    names = {"anchor_a", "anchor_b", *SLIDING_AXES[kinds.count("translation")], *frames_of(joint)}
    names |= {"axis3"} if JOINTS[joint.type].is_threaded else set()
    if JOINTS[joint.type].is_threaded and joint.pitch is not None:
        geometry.set("pitch", (joint.pitch,), "advance per angle", "m/rad")
        names |= {"pitch"}
    parameters = geometry.used(groups) | {name: geometry.parameter(name) for name in sorted(names)}
    units = coordinate_units(joint)
    return ConstraintModel(joint.name, joint.type, geometry.bodies, groups, parameters, len(kinds), (), units)


def frames_of(joint: Joint) -> tuple[str, str]:
    """The parameters with the joint frames on both bodies in which its turn is told."""
    frame = "joint" if coordinate_kinds(joint.type).count("rotation") == 3 else "frame"
    return f"{frame}_a", f"{frame}_b"


class _Joint:
    """What the kernels of a joint read: its parameters, its coordinates and rates, its two bodies."""

    def __init__(self, trace: Trace, model: ConstraintModel, baked: Baked):
        self.trace, self.model, self.knots = trace, model, Knots(trace, model, baked)
        kinds = coordinate_kinds(model.type)
        self.kinds, self.slides, self.turns = kinds, kinds.count("translation"), kinds.count("rotation")
        self.frames = ("joint_a", "joint_b") if self.turns == 3 else ("frame_a", "frame_b")

    def motion(self, name: str) -> list[Scalar]:
        meaning, per = ("minimal coordinates", "") if name == COORDINATE else (RATES, "/s")
        unit = ", ".join(f"{one}{per}" for one in dict.fromkeys(self.model.row_units))
        return self.trace.read(self.trace.own, "motion", name, len(self.kinds), meaning, unit)

    def body(self, label: str) -> tuple[list, list, list, list]:
        """x, q, v, w of a body; the world stands in its origin."""
        if self.model.bodies[label] is None:
            zero, one = (self.trace.graph.constant(k) for k in (0, 1))
            return [zero] * 3, [one, zero, zero, zero], [zero] * 3, [zero] * 3
        x, q, v, w = (
            self.trace.read(label, "state", name, size) for name, size in zip("xqvw", (3, 4, 3, 3), strict=True)
        )
        return x, q, v, w

    def turn(self) -> tuple[list, list]:
        """The turn of the coordinates, and its angular velocity in the axes of the child's joint frame."""
        if not self.turns:
            zero, one = (self.trace.graph.constant(k) for k in (0, 1))
            return [one, zero, zero, zero], [zero] * 3
        c, r = (self.motion(name)[self.slides :] for name in (COORDINATE, RATE))
        found = use(self.trace, TURNS[self.turns], c=c, r=r)
        return found["d"], found["w"]

    def slide(self, rotation: list, name: str) -> list[Scalar]:
        """What slides along the joint's axes, by coordinates or by rates, in the world."""
        total = [self.trace.graph.constant(0)] * 3
        amounts = list(zip(SLIDING_AXES[self.slides], self.motion(name), strict=False)) if self.kinds else []
        if JOINTS[self.model.type].is_threaded:
            amounts = [("axis3", self.knots.parameter("pitch")[0] * self.motion(name)[0])]
        for axis, amount in amounts:
            along = self.carried(rotation, axis, "a")
            total = [a + amount * b for a, b in zip(total, along, strict=True)]
        return total

    def carried(self, rotation: list, parameter: str, label: str) -> list[Scalar]:
        p = self.knots.parameter(parameter)
        return use(self.trace, kinematics.carried_vector, parameter, f"_{label}", R=rotation, p=p)["r"]

    def rotation(self, q: list, of: str, mark: str) -> list[Scalar]:
        return use(self.trace, kinematics.rotation_matrix, of, mark, q=q)["R"]


def _ports(kind: str, model: ConstraintModel) -> tuple[Port, ...]:
    """The step's record, the joint's, and those of the bodies that move."""
    return (SHARED, Port(kind, kind), *(Port(label, BODY) for label, body in model.bodies.items() if body is not None))


def place_kernel(records: Records, kind: str, model: ConstraintModel, baked: Baked, to_child: bool) -> Kernel:
    """Put the child beside the parent, or the parent beside the child."""
    near, far = ("a", "b") if to_child else ("b", "a")
    ports = _ports(kind, model)

    def build(trace: Trace) -> None:
        joint = _Joint(trace, model, baked)
        x, q, v, w = joint.body(near)
        turn, spin = joint.turn()
        frame_near, frame_far = joint.frames if to_child else joint.frames[::-1]
        p = use(trace, kinematics.carried_quaternion, q=q, o=joint.knots.parameter(frame_near))["p"]
        d = turn if to_child else [turn[0], *(-k for k in turn[1:])]
        other = use(trace, placing.followed, p=p, d=d, o=joint.knots.parameter(frame_far))["q"]
        child_frame = p if not to_child else use(trace, kinematics.carried_quaternion, q=p, o=d)["p"]
        relative = use(
            trace, kinematics.carried_vector, R=joint.rotation(child_frame, "child's joint frame", ""), p=spin
        )["r"]
        w_other = [a + b if to_child else a - b for a, b in zip(w, relative, strict=True)]
        of = (near, q), (far, other)
        arms = {label: joint.rotation(orientation, f"body {label}", f"_{label}") for label, orientation in of}
        reach = {label: joint.carried(arms[label], f"anchor_{label}", label) for label in "ab"}
        slide, sliding = (joint.slide(arms["a"], name) for name in (COORDINATE, RATE))
        reach["a"] = [a + b for a, b in zip(reach["a"], slide, strict=True)]
        if not to_child:
            sliding = [-s for s in sliding]
        found = use(
            trace, placing.placed, x=x, v=v, w=w, near=reach[near], far=reach[far], w_other=w_other, sliding=sliding
        )
        for name, values in (("x", found["x_other"]), ("q", other), ("v", found["v_other"]), ("w", w_other)):
            trace.write(far, name, values, store="state")

    name, text = ("place", "the child beside the parent") if to_child else ("place_back", "the parent beside the child")
    return single(records, f"{name}_{kind}", f"{model.type}: {text}", ports, kind, build)


def measure_kernel(records: Records, kind: str, model: ConstraintModel, baked: Baked) -> Kernel:
    """A joint's coordinates at the knot, angles on the branch nearest to what was there, and their rates."""
    ports = _ports(kind, model)

    def build(trace: Trace) -> None:
        joint = _Joint(trace, model, baked)
        last, zero = joint.motion(COORDINATE), trace.graph.constant(0)
        coordinates, rates = [zero] * model.rows, [zero] * model.rows
        for group in model.groups:
            found = use(trace, group.formula, "with G = dg/dz", **_inputs(joint.knots, group, last))
            for row, into in zip(group.rows, group.into, strict=True):
                coordinates[into] = found["g"][row]
                for side, label in group.bodies.items():
                    if model.bodies[label] is not None:
                        gradient = found[f"G_{side}"][6 * row : 6 * row + 6]
                        for a, b in zip(gradient, velocity(trace, label), strict=True):
                            rates[into] = rates[into] + a * b
        trace.write(kind, COORDINATE, coordinates, store="motion")
        trace.write(kind, RATE, rates, RATES, store="motion")

    return single(records, f"measure_{kind}", f"{model.type}: coordinates and rates", ports, kind, build)


def _inputs(knots: Knots, group: Group, last: list[Scalar]) -> dict[str, list[Scalar]]:
    """The inputs of a group of rows at the first knot; angles lie near the last ones."""
    found = {}
    for name, source in group.inputs.items():
        is_angle = isinstance(source, Data) and source.store == "state"
        found[name] = [last[group.into[0]]] if is_angle else knots.of(source)[0]
    return found


def couple_kernel(records: Records, kind: str, leading: str, following: str, backwards: bool) -> Kernel:
    """The coordinate and the rate that a gear gives: c1 = ratio c2 + offset, or the same solved for c2."""
    ports = (Port(kind, kind), Port("leader", leading), Port("follower", following))

    def build(trace: Trace) -> None:
        minus_ratio = trace.read(kind, "parameters", "minus_ratio")[0]
        offset = trace.read(kind, "parameters", "offset")[0]
        trace.note("c1 = ratio c2 + offset", "a coupling's row")
        for name, shift in ((COORDINATE, offset), (RATE, trace.graph.constant(0))):
            size = next(f.size for f in records.of(leading, "motion") if f.name == name)
            led = trace.read("leader", "motion", name, size)[0]
            value = (shift - led) / minus_ratio if backwards else shift - minus_ratio * led
            size = next(f.size for f in records.of(following, "motion") if f.name == name)
            trace.write("follower", name, [value, *[None] * (size - 1)], store="motion")

    name = "couple_back" if backwards else "couple"
    return single(
        records, f"{name}_{kind}_{leading}_{following}", "coupling: the coordinate that follows", ports, kind, build
    )


def is_settled(mechanism: Mechanism, placed: set[str], led: list[Leader], constraints: Mapping[str, object]) -> bool:
    """Whether placing alone fulfils every constraint: none closes a loop, and no gear or driver is left over."""
    drivers = {driver.name for driver in mechanism.drivers if driver.joint in placed}
    return set(constraints) <= placed | drivers | {leader.coupling for leader in led}


def coordinates_in_order(mechanism: Mechanism, kinds: Mapping[str, list[str]]) -> list[tuple[str, int]]:
    """(joint, which) of all coordinates in the order of the caller's arrays: by kind of record, then as described."""
    joints = [name for names in kinds.values() for name in names]
    return [(name, k) for name in joints for k in range(coordinate_count(mechanism.joint(name)))]
