"""What the kernels of an account must give: work of laws and drivers, and what dampers, stops and contacts take."""

from __future__ import annotations

from collections.abc import Iterator

from symvi.verify.check import Check, View
from symvi.verify.naive.body import apply_inertia, kinetic_energy
from symvi.verify.naive.forces import joint_coordinates
from symvi.verify.naive.nodes import rubbing
from symvi.verify.naive.quaternion import add, rotate, scale, subtract, unrotate


def dot(u: list, v: list):
    """The sum of products of two lists of any length."""
    return sum((a * b for a, b in zip(u, v, strict=True)), 0)


class Ways:
    """Forces along their own coordinates, and how far these move in the step."""

    def __init__(self, view: View):
        self.view, self.scene, self.system = view, view.scene, view.scene.system
        self.places = self.system.first, self.system.second()

    def coordinates(self, force) -> tuple[list, list]:
        """(at the first knot, way to the second) of the joint's coordinates that a law acts along."""
        joint = self.scene.joints[force.joint]
        rows = rubbing(self.system, joint, self.scene.near(force.name))
        first, second = (rows(places) for places in self.places)
        at = joint_coordinates(self.scene, joint, self.scene.near(force.name), *self._pair(joint))
        return at, subtract(second, first)

    def spring(self, force) -> tuple[list, list]:
        """(at the first knot, way) of the coordinates themselves, of which three rotations are a vector."""
        joint, near = self.scene.joints[force.joint], self.scene.near(force.name)
        first, second = (
            joint_coordinates(self.scene, joint, near, places[joint.parent], places[joint.child])
            for places in self.places
        )
        return first, subtract(second, first)

    def _pair(self, joint) -> tuple:
        return tuple(self.places[0][body] for body in (joint.parent, joint.child))

    def servo(self, force) -> list:
        """k (u - c) + d u' at the first knot."""
        numbers, inputs = self.scene.parameters[force.name], self.scene.inputs[force.name]
        error = subtract(inputs["target"], self.coordinates(force)[0])
        gains = zip(numbers["stiffness"], error, numbers["damping"], inputs["target_rate"], strict=True)
        return [k * e + d * rate for k, e, d, rate in gains]

    def damped(self, force, moved: list):
        """-s h d rho² of the mean rates rho of the step."""
        rates, gains = scale(1 / self.scene.h, moved), self.scene.parameters[force.name]["damping"]
        return -self.scene.impulse * sum(
            (d * rate * rate for d, rate in zip(gains, rates, strict=True)), self.scene.zero
        )

    def wrench(self, force) -> tuple[list, list]:
        """Force and torque in world axes; the way of the point, and the turn."""
        inputs, arm = self.scene.inputs[force.name], self.scene.parameters[force.name]["point"]
        first, second = (places[force.body] for places in self.places)
        push = inputs["force"] if force.frame == "world" else rotate(first[1], inputs["force"])
        points = [add(x, rotate(q, arm)) for x, q in (first, second)]
        turn = scale(self.scene.h, self.system.velocity(force.body)[1])
        return [*push, *rotate(first[1], inputs["torque"])], [*subtract(*points[::-1]), *turn]

    def paid(self, force) -> tuple[list, list] | None:
        """Force and way of a law whose energy comes from outside."""
        if force.kind == "wrench":
            return self.wrench(force)
        if force.kind == "actuator":
            return self.scene.inputs[force.name]["force"], self.coordinates(force)[1]
        if force.kind == "servo":
            return self.servo(force), self.coordinates(force)[1]
        return None


def account(view: View) -> Iterator[Check]:
    scene, ways = view.scene, Ways(view)
    for force in (f for f in scene.mechanism.forces if f.name in view.system.forces):
        sums, numbers, given = scene.accounts[force.name], scene.parameters[force.name], ways.paid(force)
        if given:
            within = ways.damped(force, given[1]) if force.kind == "servo" else scene.zero
            yield from _given(view, force.name, *given, within)
        elif force.kind == "joint_damper":
            lost = -ways.damped(force, ways.coordinates(force)[1])
            yield view.check(force.name, "spent", [sums["spent"][0] + lost], "account")
        elif force.kind == "joint_spring" and force.law != "sinusoidal":
            at, moved = ways.spring(force)
            pull = zip(numbers["stiffness"], numbers["rest"], at, moved, strict=True)
            work = sum((k * (rest - c) * m for k, rest, c, m in pull), scene.zero)
            yield view.check(force.name, "work", [sums["work"][0] + work], "account")
        else:
            law = view.system.forces[force.name]
            before, after = (law.energy(*(places[body] for body in law.bodies)) for places in ways.places)
            yield view.check(force.name, "work", [sums["work"][0] + before - after], "account")
    for driver in scene.mechanism.drivers:
        moved = scene.inputs[driver.name]["target"][0] - scene.states[driver.name]["target"][0]
        yield from _given(view, driver.name, [scene.impulses[driver.name][0] / scene.impulse], [moved], scene.zero)
    yield from _taken(view)
    yield from _pace(view)


def _given(view: View, name: str, force: list, moved: list, within) -> Iterator[Check]:
    """Half of a force's work to either side of its knot, and the work of what acts within the step."""
    sums, common = view.scene.accounts[name], view.scene.accounts["common"]
    late, change = dot(force, sums["moved"]) / 2, subtract(force, sums["force"])
    for field, values in (
        ("work", [sums["work"][0] + late + dot(force, moved) / 2 + within]),
        ("settled", [sums["settled"][0] + common["fresh"][0] * late]),
        ("ahead", [dot(add(force, scale(common["known"][0], change)), moved) / 2]),
        ("moved", moved),
        ("force", force),
    ):
        yield view.check(name, field, values, "account")


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
    """Late work of the inputs' forces at the knot as it stands, along the way of the last step."""
    ways = Ways(view)
    for force in view.scene.mechanism.forces:
        if force.name in view.system.forces and ways.paid(force):
            moved = view.scene.accounts[force.name]["moved"]
            yield view.check(force.name, "ahead", [dot(ways.paid(force)[0], moved) / 2], "account")


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
