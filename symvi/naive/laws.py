"""Springs, dampers and servos by their definition: forces along coordinates at one point between the knots.

Along every coordinate c of a joint, and along the distance of a point spring's ends,
    phi = -V'((1 - s) c1 + s c2) + what servos aim at,        braking = -d (c2 - c1)/h + d times the rates they aim at
act with (s phi + theta braking) dc/dz at the first knot and with ((1 - s) phi + (1 - theta) braking) dc/dz at the
second, over steps of one length h and damping. If the step before had others, the shares of the first are those of
`_weights`.
theta follows from y = h d/m, where m is the mass along the coordinate: 1 over the entry of the inverse mass matrix of
the two bodies, moved by the joint's coordinates and otherwise free, each with the share of its mass that one of its
damped coordinates has. s is theta too where nothing else holds these bodies. Where something does, it follows in the
same way from the moments about the child's anchor, or the masses, of the sides of the joint that are trees which
nothing else holds; where both are held it is one half.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from symvi.mechanism import coordinate_kinds
from symvi.naive import joints
from symvi.naive.discrete_body import apply_inertia
from symvi.naive.quaternion import add, conjugate, cross, dot, multiply, rotate, scale, subtract, unrotate
from symvi.registry import JOINTS, Law, law_of, laws_between_points

LEAST = 10**9  # a body's size over this is added to its moments where they decide a weight


@dataclass(frozen=True)
class Row:
    """One coordinate: a function of the placements of both bodies and of where they were, and what acts along it.

    theta: where it acts between the knots; share: of its impulse, that at the first knot.
    """

    value: Callable
    stiffness: Any
    tension: Any
    damping: Any
    drive: Any
    sine: Any
    cosine: Any
    spring: tuple  # s, and its share of the first knot
    damper: tuple  # theta, and its share of the first knot


@dataclass(frozen=True)
class NaiveLaws:
    """The laws between two bodies ("world" allowed). holder: the node whose state carries their angles.

    loads: (weight, stiffness, whether it is a translation) of every coordinate that springs act along. thetas: where in
    the step dampers act, of every coordinate of a joint or of the one distance; none where nothing damps.
    spring_thetas: of springs, where they have their own.
    """

    holder: str
    bodies: tuple[str, str]
    rows: tuple[Row, ...]
    loads: tuple[tuple, ...] = ()
    thetas: tuple = ()
    spring_thetas: tuple = ()


def naive_laws(scene) -> list[NaiveLaws]:
    """All of them: by joint, then those of point springs."""
    along: dict[str, list] = {}
    for force in scene.mechanism.forces:
        if (law := law_of(force)) and law.is_along_joint:
            along.setdefault(force.joint, []).append(force)
    counts = damped_coordinates(scene.mechanism)
    found = [_of_joint(scene, name, forces, counts) for name, forces in along.items()]
    springs = laws_between_points(scene.mechanism.forces)
    return found + [_of_points(scene, force, law_of(force), counts) for force in springs]


def damped_coordinates(mechanism) -> Counter:
    """How many damped coordinates act on every body."""
    damping = [(force, law) for force in mechanism.forces if (law := law_of(force)) and law.is_damped]
    found: Counter = Counter()
    for name in {force.joint for force, law in damping if law.is_along_joint}:
        joint = mechanism.joint(name)
        for body in (joint.parent, joint.child):
            found[body] += len(coordinate_kinds(joint.type))
    for force, law in damping:
        if law.is_between_points:
            for body in (force.parent, force.child):
                found[body] += 1
    return found


def holder_of(scene, joint: str) -> str:
    """The node that carries the angles of a joint's laws."""
    return f"{joint}.laws" if f"{joint}.laws" in scene.nodes else joint


def near_of(scene, element: str) -> dict:
    """The carried angles of an element; of one that carries none, whose rows do not depend on the branch, zero."""
    return {0: scene.zero, 1: scene.zero} | scene.near(element)


# --- along a joint ----------------------------------------------------------------------------------------------------
def _of_joint(scene, name: str, forces: list, counts: Counter) -> NaiveLaws:
    joint, zero = scene.joints[name], scene.zero
    kinds, holder = coordinate_kinds(joint.type), holder_of(scene, name)
    near, count = near_of(scene, holder), len(kinds)
    sums = {what: [zero] * count for what in ("stiffness", "tension", "damping", "drive", "sine", "cosine")}
    laws = [law_of(force) for force in forces]
    damped, elastic = any(law.is_damped for law in laws), any(law.is_elastic for law in laws)
    for force, law in zip(forces, laws, strict=True):
        if law.is_damped:
            sums["damping"] = _add(sums["damping"], scene.parameters[force.name]["damping"])
    if damped:
        masses = _masses(scene, joint, counts)
        last = scene.states[holder]["theta_before"]
        found = [_weights(scene, d / m, t) for d, m, t in zip(sums["damping"], masses, last, strict=True)]
    else:
        found = [((zero + 1) / 2,) * 2] * count
    loaded = is_loaded(scene.mechanism, (joint.parent, joint.child))
    springs = [((zero + 1) / 2,) * 2] * count if loaded else found
    opposed = _free_sides(scene.mechanism, name) if loaded and damped and elastic else []
    if opposed:
        last = scene.states[holder]["spring_theta_before"]
        pairs = zip(sums["damping"], _most(scene, joint, opposed), last, strict=True)
        springs = [_weights(scene, d / m, t) for d, m, t in pairs]
    where = [at for at, _ in springs]
    for force, law in zip(forces, laws, strict=True):
        _take(scene, force, law, sums, where, kinds)

    def coordinate(k: int) -> Callable:
        return lambda a, b, a0, b0: joints.coordinate(joint, k, a, b, scene.functions, near)

    def turn(k: int) -> Callable:
        return lambda a, b, a0, b0: _relative_turn(joint, a, b, a0, b0)[k]

    turning, rows = kinds.count("translation"), []
    for k, (stiffness, tension, damping, drive, sine, cosine) in enumerate(zip(*sums.values(), strict=True)):
        weights = springs[k], found[k]
        if kinds.count("rotation") == 3 and k >= turning:
            rows.append(Row(turn(k - turning), zero, zero, damping, drive, zero, zero, *weights))
            rows.append(Row(coordinate(k), stiffness, tension, zero, zero, zero, zero, *weights))
        else:
            rows.append(Row(coordinate(k), stiffness, tension, damping, drive, sine, cosine, *weights))
    moves = [kind == "translation" for kind in kinds]
    loads = tuple(zip(where, sums["stiffness"], moves, strict=True)) if elastic else ()
    thetas = tuple(theta for theta, _ in found) if damped else ()
    more = tuple(theta for theta, _ in springs) if opposed else ()
    return NaiveLaws(holder, (joint.parent, joint.child), tuple(rows), loads, thetas, more)


def is_loaded(mechanism, bodies: tuple[str, str]) -> bool:
    """Whether more than one joint, gear, driver, contact or point spring holds one of two bodies."""
    ends = {joint.name: {joint.parent, joint.child} for joint in mechanism.joints}
    for body in set(bodies) - {"world"}:
        holding = sum(body in pair for pair in ends.values())
        holding += sum(any(body in ends[name] for name in gear.joints) for gear in mechanism.couplings)
        holding += sum(body in ends[driver.joint] for driver in mechanism.drivers)
        holding += sum(body in (contact.parent, contact.child) for contact in mechanism.contacts)
        springs = laws_between_points(mechanism.forces)
        holding += sum(body in (spring.parent, spring.child) for spring in springs)
        if holding > 1:
            return True
    return False


def _free_sides(mechanism, name: str) -> list[set[str]]:
    """With the joint cut, the bodies at each of its ends that hang together without world, loops or anything else."""
    ends = {joint.name: {joint.parent, joint.child} for joint in mechanism.joints}
    springs = laws_between_points(mechanism.forces)
    held = {"world"} | {body for pair in (*mechanism.contacts, *springs) for body in (pair.parent, pair.child)}
    geared = [joint for gear in mechanism.couplings for joint in gear.joints]
    for moved in (*geared, *(driver.joint for driver in mechanism.drivers)):
        held |= ends[moved]
    found = []
    for start in ends[name]:
        part, size = {start}, 0
        while len(part) > size:
            size = len(part)
            part |= {body for other, pair in ends.items() if other != name and pair & part for body in pair}
        joints_in = sum(other != name and pair <= part for other, pair in ends.items())
        if not part & held and joints_in == len(part) - 1 and not ends[name] <= part:
            found.append(part)
    return found


def _most(scene, joint, parts: list[set[str]]) -> list:
    """Of every coordinate, with the sides of the joint held together: their masses, or moments about its anchor."""
    child = scene.bodies[joint.child]
    anchor = add(child.x, rotate(child.q, joint.anchor_b))
    pitch = joint.pitch if JOINTS[joint.type].is_threaded else scene.zero
    found = []
    for kind in coordinate_kinds(joint.type):
        yields = scene.zero
        for part in parts:
            mass = moment = scene.zero
            for body in (scene.bodies[name] for name in part):
                arm = subtract(body.x, anchor)
                mass = mass + body.mass
                moment = moment + body.mass * dot(arm, arm) + body.inertia[0] + body.inertia[1] + body.inertia[2]
            yields = yields + 1 / (mass if kind == "translation" else moment + pitch * pitch * mass)
        found.append(1 / yields)
    return found


def _take(scene, force, law: Law, sums: dict, where: list, kinds) -> None:
    """What a spring or a servo adds to the sums of its joint."""
    numbers = scene.parameters[force.name]
    if law.is_sinusoidal:
        k, stiffness = kinds.index("rotation"), numbers["stiffness"][0]
        sums["sine"][k] = sums["sine"][k] + stiffness * numbers["rest_cos"][0]
        sums["cosine"][k] = sums["cosine"][k] + stiffness * numbers["rest_sin"][0]
    elif law.is_aimed:
        state, given = scene.states[force.name], scene.inputs[force.name]
        aim = (1 - where[0]) * state["target"][0] + where[0] * given["target"][0]
        rate = (state["target_rate"][0] + given["target_rate"][0]) / 2
        sums["stiffness"] = _add(sums["stiffness"], numbers["stiffness"])
        sums["tension"] = _add(sums["tension"], [numbers["stiffness"][0] * aim])
        sums["drive"] = _add(sums["drive"], [numbers["damping"][0] * rate])
    elif law.is_elastic:
        sums["stiffness"] = _add(sums["stiffness"], numbers["stiffness"])
        pulls = [k * rest for k, rest in zip(numbers["stiffness"], numbers["rest"], strict=True)]
        sums["tension"] = _add(sums["tension"], pulls)


def _add(left: list, right: list) -> list:
    return [a + b for a, b in zip(left, right, strict=True)]


def _relative_turn(joint, a, b, a0, b0) -> list:
    """2 V(d d0*): the turn of the child since it was at b0 while the parent was at a0, in joint axes."""
    d, d0 = joints.relative(joint, a, b), joints.relative(joint, a0, b0)
    return scale(2, multiply(d, conjugate(d0))[1:])


# --- weights ----------------------------------------------------------------------------------------------------------
def weight(y):
    """theta = (3 + 2 y + y²)/(6 + 3 y + y²)."""
    return (3 + 2 * y + y * y) / (6 + 3 * y + y * y)


def _weights(scene, rate, last) -> tuple:
    """theta, and the share of the first knot. rate: damping over mass; last: theta in the step before."""
    half, before = (scene.zero + 1) / 2, scene.states["common"]["before"][0]
    return weight(scene.h * rate), half + before / scene.h * (last - half)


def _body(scene, name: str, counts: Counter) -> tuple:
    """(share of its mass, what its share of the inertia makes of an angular velocity)."""
    body, share = scene.bodies[name], (scene.zero + 1) / counts[name]
    more = body.size / LEAST

    def spin(w: list) -> list:
        plain = rotate(body.q, apply_inertia(body.inertia, unrotate(body.q, w)))
        return [share * (value + more * x) for value, x in zip(plain, w, strict=True)]

    return share * body.mass, spin


def _masses(scene, joint, counts: Counter) -> list:
    """1/(H^-1)_kk for the mass matrix H of the joint's rates, and of the parent's own motion where it has one."""
    zero, child = scene.zero, scene.bodies[joint.child]
    m_b, spin_b = _body(scene, joint.child, counts)
    pairs = [[(v, w), None] for v, w in _motions(scene, joint)]
    count = len(pairs)
    if joint.parent != "world":
        parent = scene.bodies[joint.parent]
        m_a, spin_a = _body(scene, joint.parent, counts)
        d = subtract(child.x, parent.x)
        for axis in ([zero + int(i == k) for i in range(3)] for k in range(3)):
            pairs.append([(axis, [zero] * 3), (axis, [zero] * 3)])
        for axis in ([zero + int(i == k) for i in range(3)] for k in range(3)):
            pairs.append([(cross(axis, d), axis), ([zero] * 3, axis)])

    def energy(one, other):
        total = m_b * dot(one[0][0], other[0][0]) + dot(one[0][1], spin_b(other[0][1]))
        if one[1] and other[1]:
            total = total + m_a * dot(one[1][0], other[1][0]) + dot(one[1][1], spin_a(other[1][1]))
        return total

    matrix = [[energy(one, other) for other in pairs] for one in pairs]
    return [1 / _solve(matrix, [zero + int(i == k) for i in range(len(pairs))])[k] for k in range(count)]


def _motions(scene, joint) -> Iterator[tuple[list, list]]:
    """(v, w) of the child for a unit rate of every coordinate, while the parent stays."""
    zero, kinds = scene.zero, coordinate_kinds(joint.type)
    q_a = scene.world[1] if joint.parent == "world" else scene.bodies[joint.parent].q
    q_b = scene.bodies[joint.child].q
    arm = rotate(q_b, joint.anchor_b)
    units = [[zero + int(i == k) for i in range(3)] for k in range(3)]

    def world(axis: list) -> list:
        return rotate(q_a, rotate(joint.offset, axis))

    moving, turning = kinds.count("translation"), kinds.count("rotation")
    for axis in {0: [], 1: joint.axes[2:], 2: joint.axes[:2], 3: units}[moving]:
        yield world(axis), [zero] * 3
    if JOINTS[joint.type].has_pin:
        axes = [world(joint.axes[2]), rotate(q_b, joint.pin)]
    else:
        axes = [world(axis) for axis in {0: [], 1: joint.axes[2:], 3: units}[turning]]
    for axis in axes:
        v = scale(-1, cross(axis, arm))
        if JOINTS[joint.type].is_threaded:
            v = _add(v, scale(joint.pitch, axis))
        yield v, axis


def _solve(matrix: list[list], right: list) -> list:
    """Gauss and Jordan, with the first pivot that is not zero."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    n = len(rows)
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[n] for row in rows]


# --- point springs ----------------------------------------------------------------------------------------------------
def _of_points(scene, force, law: Law, counts: Counter) -> NaiveLaws:
    joint, numbers, zero = scene.joints[force.name], scene.parameters[force.name], scene.zero
    half, stiffness = (zero + 1) / 2, numbers["stiffness"][0]
    bodies = (joint.parent, joint.child)

    def distance(a, b, a0, b0):
        u = joints.gap(joint, a, b)
        return scene.functions.sqrt(dot(u, u))

    damping = numbers["damping"][0] if law.is_damped else zero
    at = half, half
    if law.is_damped:
        (last,) = scene.states[force.name]["theta_before"]
        at = _weights(scene, damping * _yielding(scene, joint, counts), last)
    thetas = (at[0],) if law.is_damped else ()
    if law.has_length:
        spring = (half, half) if is_loaded(scene.mechanism, bodies) else at
        row = Row(distance, stiffness, stiffness * numbers["length"][0], damping, zero, zero, zero, spring, at)
        return NaiveLaws(force.name, bodies, (row,), ((spring[0], stiffness, True),), thetas)
    middle = half, half
    rows = [
        Row(
            lambda a, b, a0, b0, k=k: joints.gap(joint, a, b)[k],
            stiffness,
            zero,
            zero,
            zero,
            zero,
            zero,
            middle,
            middle,
        )
        for k in range(3)
    ]
    if law.is_damped:
        rows.append(Row(distance, zero, zero, damping, zero, zero, zero, at, at))
    return NaiveLaws(force.name, bodies, tuple(rows), ((half, stiffness, True),) * 3, thetas)


def _yielding(scene, joint, counts: Counter):
    """The rate of the distance per impulse along it, of the two bodies alone."""
    both = {"world": scene.world} | {name: (body.x, body.q) for name, body in scene.bodies.items()}
    places = [both[name] for name in (joint.parent, joint.child)]
    u = joints.gap(joint, *places)
    line = scale(1 / scene.functions.sqrt(dot(u, u)), u)
    total = scene.zero
    for name, anchor, place in zip((joint.parent, joint.child), (joint.anchor_a, joint.anchor_b), places, strict=True):
        if name == "world":
            continue
        mass, spin = _body(scene, name, counts)
        push = cross(rotate(place[1], anchor), line)
        columns = [spin([scene.zero + int(i == k) for i in range(3)]) for k in range(3)]
        matrix = [[columns[k][i] for k in range(3)] for i in range(3)]
        total = total + dot(line, line) / mass + dot(push, _solve(matrix, push))
    return total
