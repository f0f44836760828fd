"""What the kernels of an account must give: work of laws and drivers, and what dampers, stops and contacts take."""

from __future__ import annotations

from collections.abc import Iterator

from symvi.mechanism import coordinate_kinds
from symvi.verify.check import Check, View
from symvi.verify.naive.body import apply_inertia, kinetic_energy
from symvi.verify.naive.forces import joint_coordinates
from symvi.verify.naive.nodes import rubbing
from symvi.verify.naive.quaternion import add, rotate, scale, subtract, unrotate


def dot(u: list, v: list):
    """The sum of products of two lists of any length."""
    return sum((a * b for a, b in zip(u, v, strict=True)), 0)


class Ways:
    """Forces along their own coordinates at the first knot, and how far these have moved since the knot before."""

    def __init__(self, view: View):
        self.view, self.scene, self.system = view, view.scene, view.scene.system
        self.first, self.second = self.system.first, self.system.second()

    def places(self, force) -> list:
        """Coordinates at the first knot; of turns without coordinates, the turn in the step."""
        if force.kind == "wrench":
            x, q = self.first[force.body]
            point = add(x, rotate(q, self.scene.parameters[force.name]["point"]))
            return [*point, *scale(self.scene.h, self.system.velocity(force.body)[1])]
        if not hasattr(force, "joint") or getattr(force, "law", "") == "sinusoidal":
            law = self.system.forces[force.name]
            factor = self.scene.parameters[force.name]["scale" if force.kind == "potential" else "stiffness"][0]
            return [law.energy(*(self.first[body] for body in law.bodies)) / factor]
        joint, near = self.scene.joints[force.joint], self.scene.near(force.name)
        found = joint_coordinates(self.scene, joint, near, self.first[joint.parent], self.first[joint.child])
        turns = self.turns(force)
        if turns:
            rows = rubbing(self.system, joint, near)
            found[turns.start :] = subtract(rows(self.second)[turns.start :], rows(self.first)[turns.start :])
        return found

    def turns(self, force) -> range:
        """Which rows have no coordinate: three free rotations, along which rates are the relative angular velocity."""
        if force.kind == "wrench":
            return range(3, 6)
        kinds = coordinate_kinds(self.scene.mechanism.joint(force.joint).type) if hasattr(force, "joint") else ()
        three = kinds.count("rotation") == 3 and force.kind in ("joint_damper", "actuator")
        return range(len(kinds) - 3, len(kinds)) if three else range(0)

    def moved(self, force) -> list:
        before, turns = self.scene.accounts[force.name]["place"], self.turns(force)
        return [
            old if k in turns else c - old for k, (c, old) in enumerate(zip(self.places(force), before, strict=True))
        ]

    def paid(self, force) -> list | None:
        """The force at the first knot of a law whose energy comes from outside, without its dampers."""
        numbers, inputs = self.scene.parameters[force.name], self.scene.inputs.get(force.name)
        if force.kind == "wrench":
            turn = self.first[force.body][1]
            push = inputs["force"] if force.frame == "world" else rotate(turn, inputs["force"])
            return [*push, *rotate(turn, inputs["torque"])]
        if force.kind == "actuator":
            return inputs["force"]
        if force.kind == "servo":
            error = subtract(inputs["target"], self.places(force))
            return add(
                [k * e for k, e in zip(numbers["stiffness"], error, strict=True)],
                [d * rate for d, rate in zip(numbers["damping"], inputs["target_rate"], strict=True)],
            )
        return None

    def damped(self, force):
        """d (c2 - c1)²/h."""
        gains, moved = self.scene.parameters[force.name]["damping"], self.moved(force)
        return sum((d * m * m for d, m in zip(gains, moved, strict=True)), self.scene.zero) / self.scene.h

    def work(self, force):
        """Of the step before the first knot."""
        both = add(self.paid(force), self.scene.accounts[force.name]["force"])
        taken = self.damped(force) if force.kind == "servo" else self.scene.zero
        return dot(both, self.moved(force)) / 2 - taken


def account(view: View) -> Iterator[Check]:
    scene, ways = view.scene, Ways(view)
    known, fresh = scene.accounts["common"]["known"][0], scene.accounts["common"]["fresh"][0]
    for force in (f for f in scene.mechanism.forces if f.name in view.system.forces):
        sums = scene.accounts[force.name]
        yield view.check(force.name, "place", ways.places(force), "account")
        if force.kind == "joint_damper":
            lost = known * (1 - fresh) * ways.damped(force)
            yield view.check(force.name, "spent", [sums["spent"][0] + lost], "account")
        elif ways.paid(force):
            yield from _given(view, force.name, ways.work(force))
            yield view.check(force.name, "force", ways.paid(force), "account")
        else:
            yield view.check(force.name, "work", [sums["work"][0] + known * _released(ways, force)], "account")
    for driver in scene.mechanism.drivers:
        sums, place = scene.accounts[driver.name], scene.states[driver.name]["target"][0]
        force = scene.impulses[driver.name][0] / scene.impulse
        yield from _given(view, driver.name, (sums["force"][0] + force) * (place - sums["place"][0]) / 2)
        for field, value in (("force", force), ("place", place), ("change", known * (force - sums["force"][0]))):
            yield view.check(driver.name, field, [value], "account")
    yield from _taken(view)
    yield from _pace(view)


def _released(ways: Ways, force):
    """The energy that a law has given since the knot before: of its own energy, or of k (rest - c)²/2."""
    numbers, before, after = (
        ways.scene.parameters[force.name],
        ways.scene.accounts[force.name]["place"],
        ways.places(force),
    )
    if force.kind == "joint_spring" and force.law != "sinusoidal":
        stretches = (subtract(place, numbers["rest"]) for place in (before, after))
        old, new = (dot([k * s for k, s in zip(numbers["stiffness"], each, strict=True)], each) for each in stretches)
        return (old - new) / 2
    factor = numbers["scale" if force.kind == "potential" else "stiffness"][0]
    return factor * (before[0] - after[0])


def _given(view: View, name: str, work) -> Iterator[Check]:
    """The work of the step before, in the sum and, after a recorded knot, by itself."""
    sums, common = view.scene.accounts[name], view.scene.accounts["common"]
    late = common["known"][0] * work
    yield view.check(name, "work", [sums["work"][0] + late], "account")
    yield view.check(name, "settled", [sums["settled"][0] + common["fresh"][0] * late], "account")


def _taken(view: View) -> Iterator[Check]:
    """Impulses against the mean of their bodies' velocities over the last step and over this one."""
    for name, node in view.interior.nodes.items():
        impulse, zero = node.impulse(view.path.variables[name]), view.scene.zero
        parts = [impulse]
        if name in view.interior.contacts:
            parts = [[impulse[0], *[zero] * (len(impulse) - 1)], [zero, *impulse[1:]]]
        lost = [-sum((_power(view, node, body, part) for body in node.moving), zero) for part in parts]
        yield view.check(name, "spent", add(view.scene.accounts[name]["spent"], lost), "account")


def _power(view: View, node, body: str, impulse: list):
    record, (v, w) = view.scene.bodies[body].record, view.system.velocity(body)
    return dot(node.push(body, impulse), add([*v, *w], [*record.v_state, *record.w_past])) / 2


def ahead(view: View) -> Iterator[Check]:
    """What the step to the knot as it stands has given and taken."""
    ways = Ways(view)
    for force in view.scene.mechanism.forces:
        if force.kind == "joint_damper":
            lost = view.scene.accounts[force.name]["spent"][0] + ways.damped(force)
            yield view.check(force.name, "spent", [lost], "account")
        elif force.name in view.system.forces and ways.paid(force):
            yield view.check(force.name, "ahead", [ways.work(force)], "account")
    for driver in view.scene.mechanism.drivers:
        sums = view.scene.accounts[driver.name]
        way = view.scene.states[driver.name]["target"][0] - sums["place"][0]
        yield view.check(driver.name, "ahead", [(sums["force"][0] + sums["change"][0] / 2) * way], "account")


def scatter(view: View) -> Iterator[Check]:
    """Energies of changes of velocity and, times (h w)²/12, of turning; the change of momenta times velocities."""
    total, swerve = view.sums["scatter"][0], view.sums["swerve"][0]
    for name, body in view.scene.bodies.items():
        (v, w), old = view.system.velocity(name), body.record
        change = subtract(v, old.v_state), subtract(w, old.w_past)
        turning = kinetic_energy(body.mass, body.inertia, body.q, [view.scene.zero] * 3, w)
        total = total + kinetic_energy(body.mass, body.inertia, body.q, *change)
        total = total + dot(w, w) * view.scene.h * view.scene.h * turning / 12
        before = subtract(old.v_state, old.v_old), subtract(old.w_past, old.w_old)
        jerk = [subtract(scale(2, new), last) for new, last in zip(change, before, strict=True)]
        swerve = swerve + body.mass * dot(jerk[0], old.v_state) + dot(jerk[1], _spin(body, old.w_past))
    yield view.check("common", "scatter", [total])
    yield view.check("common", "swerve", [swerve])


def _spin(body, w: list) -> list:
    """J w in world axes."""
    return rotate(body.q, apply_inertia(body.inertia, unrotate(body.q, w)))


def _pace(view: View) -> Iterator[Check]:
    total = view.scene.accounts["common"]["pace"][0]
    for name, body in view.scene.bodies.items():
        (v, w), old = view.system.velocity(name), body.record
        change = subtract(v, old.v_state), subtract(w, old.w_past)
        total = total + kinetic_energy(body.mass, body.inertia, body.q, v, w)
        total = total - kinetic_energy(body.mass, body.inertia, body.q, *change)
    yield view.check("common", "pace", [total], "account")


def reread(view: View) -> Iterator[Check]:
    """Kinetic energies of the knot that was recorded last: by its own velocities, less by the mean of both steps'."""
    total, half = view.scene.accounts["common"]["misread"][0], (view.scene.zero + 1) / 2
    for name, body in view.scene.bodies.items() if view.scene.mechanism.drivers else ():
        (v, w), old, seen = view.system.velocity(name), body.record, view.scene.accounts[name]["seen"]
        mean = scale(half, add(v, old.v_state)), scale(half, add(w, old.w_past))
        apart = kinetic_energy(body.mass, body.inertia, body.q, seen[:3], seen[3:])
        apart = apart - kinetic_energy(body.mass, body.inertia, body.q, *mean)
        total = total + apart
    if view.scene.mechanism.drivers:
        yield view.check("common", "misread", [total], "account")
