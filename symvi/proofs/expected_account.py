"""What the kernels of an account must give: work of laws and drivers, and what dampers, stops and contacts take."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symvi.errors import MechanismError
from symvi.naive import joints
from symvi.naive.discrete_body import apply_inertia, kinetic_energy
from symvi.naive.force_energies import joint_coordinates
from symvi.naive.laws import holder_of, near_of
from symvi.naive.nodes import rubbing
from symvi.naive.quaternion import add, rotate, scale, subtract, unrotate
from symvi.proofs.check import Check, View
from symvi.registry import law_of


def dot(u: list, v: list):
    """The sum of products of two lists of any length."""
    return sum((a * b for a, b in zip(u, v, strict=True)), 0)


def _asked(force, name: str, function: Callable[[], list] | None) -> list:
    """What a force's plain definition says of its work."""
    if function is None:
        raise MechanismError(f"kind of force '{force.kind}': naive has a power, but no '{name}' for its work")
    return function()


class Ways:
    """What acts along the coordinates of a force, and how far these move in the step."""

    def __init__(self, view: View):
        self.view, self.scene, self.system = view, view.scene, view.scene.system
        self.first, self.second = self.system.first, self.system.second()

    # --- forces at the knots ------------------------------------------------------------------------------------------
    def way(self, force) -> list:
        """How far an actuator's joint moves, or the point of a wrench, and how far its body turns."""
        return _asked(force, "way", self.system.forces[force.name].way)

    @property
    def both(self) -> tuple[dict, dict]:
        return self.first, self.second

    def acting(self, force) -> list:
        """What an actuator or a wrench does at the first knot."""
        return _asked(force, "given", self.system.forces[force.name].given)

    def work_before(self, force):
        """Of the step before the first knot."""
        last = self.scene.accounts[force.name]
        return dot(add(self.acting(force), last["force"]), last["way"]) / 2

    def change_before(self, force):
        """Of the force over that step, times the way."""
        last = self.scene.accounts[force.name]
        return dot(subtract(self.acting(force), last["force"]), last["way"])

    # --- laws within the step -----------------------------------------------------------------------------------------
    def ends(self, force, turning: bool = False) -> tuple[list, list]:
        """A joint's coordinates at both knots; turning: of three free rotations, the turn in the step."""
        joint, near = self.scene.joints[force.joint], near_of(self.scene, holder_of(self.scene, force.joint))
        if turning:
            rows = rubbing(self.system, joint, near)
            before, after = (rows(places) for places in self.both)
            return before, after
        bodies = joint.parent, joint.child
        before, after = (joint_coordinates(self.scene, joint, near, *(at[body] for body in bodies)) for at in self.both)
        return before, after

    def damped(self, force):
        """d (c2 - c1)²/h of a damper along a joint, or along the distance of a point spring's ends."""
        gains = self.scene.parameters[force.name]["damping"]
        law = law_of(force)
        ends = self.distances(force) if law and law.is_between_points else self.ends(force, turning=True)
        moved = subtract(*ends[::-1])
        return sum((d * m * m for d, m in zip(gains, moved, strict=True)), self.scene.zero) / self.scene.h

    def distances(self, force) -> tuple[list, list]:
        joint = self.scene.joints[force.name]
        gaps = [joints.gap(joint, at[joint.parent], at[joint.child]) for at in self.both]
        before, after = ([self.scene.functions.sqrt(dot(u, u))] for u in gaps)
        return before, after

    def servo(self, force):
        """k (u_s - c_s) + d ((u1' + u2')/2 - rho), over the way."""
        scene, numbers = self.scene, self.scene.parameters[force.name]
        law = next(law for law in self.system.laws if law.holder == holder_of(scene, force.joint))
        where, (one,), (two,) = law.rows[0].spring[0], *self.ends(force)
        state, given = scene.states[force.name], scene.inputs[force.name]
        aim, rate = (
            (1 - share) * state[name][0] + share * given[name][0]
            for name, share in (("target", where), ("target_rate", (scene.zero + 1) / 2))
        )
        push = numbers["stiffness"][0] * (aim - ((1 - where) * one + where * two))
        return (push + numbers["damping"][0] * (rate - (two - one) / scene.h)) * (two - one)

    def released(self, force):
        """The energy that a spring or a potential gives in the step."""
        law = self.system.forces[force.name]
        assert law.energy is not None, force.name
        before, after = (law.energy(*(places[body] for body in law.bodies)) for places in self.both)
        return before - after


def account(view: View) -> Iterator[Check]:
    scene, ways = view.scene, Ways(view)
    known, changed = scene.accounts["common"]["known"][0], scene.zero
    for force in (f for f in scene.mechanism.forces if f.name in view.system.forces):
        sums = scene.accounts[force.name]
        law = law_of(force)
        if view.system.forces[force.name].power:
            yield from _given(view, force.name, ways.work_before(force))
            yield view.check(force.name, "force", ways.acting(force), "account")
            yield view.check(force.name, "way", ways.way(force), "account")
            changed = changed + ways.change_before(force)
        elif law and law.is_aimed:
            yield view.check(force.name, "work", [sums["work"][0] + ways.servo(force)], "account")
        elif law is None or law.is_elastic:
            yield view.check(force.name, "work", [sums["work"][0] + ways.released(force)], "account")
        if law and law.is_damped and not law.is_aimed:
            yield view.check(force.name, "spent", [sums["spent"][0] + ways.damped(force)], "account")
    for driver in scene.mechanism.drivers:
        sums, place = scene.accounts[driver.name], scene.states[driver.name]["target"][0]
        force = view.impulses[driver.name][0] / scene.impulse
        yield from _given(view, driver.name, (sums["force"][0] + force) * (place - sums["place"][0]) / 2)
        for field, value in (("force", force), ("place", place), ("change", known * (force - sums["force"][0]))):
            yield view.check(driver.name, field, [value], "account")
        changed = changed + (force - sums["force"][0]) * (place - sums["place"][0])
    yield view.check("common", "sway", [scene.accounts["common"]["sway"][0] + known * changed], "account")
    yield from _taken(view)
    yield from _pace(view)


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
    """What forces at knots have given in the step to the knot as it stands."""
    ways = Ways(view)
    for force in view.scene.mechanism.forces:
        if force.name in view.system.forces and view.system.forces[force.name].power:
            yield view.check(force.name, "ahead", [ways.work_before(force)], "account")
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
        swerve = swerve + body.mass * dot(jerk[0], old.v_state) + dot(jerk[1], _angular_momentum(body, old.w_past))
    yield view.check("common", "scatter", [total])
    yield view.check("common", "swerve", [swerve])


def _angular_momentum(body, w: list) -> list:
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
    """Kinetic energies of a knot: by the velocities that were seen there, less by the mean of both steps'."""
    total, half = view.sums["misread"][0], (view.scene.zero + 1) / 2
    for name, body in view.scene.bodies.items() if view.scene.mechanism.drivers else ():
        (v, w), old, seen = view.system.velocity(name), body.record, view.seen[name]
        mean = scale(half, add(v, old.v_state)), scale(half, add(w, old.w_past))
        apart = kinetic_energy(body.mass, body.inertia, body.q, seen[:3], seen[3:])
        apart = apart - kinetic_energy(body.mass, body.inertia, body.q, *mean)
        total = total + apart
    if view.scene.mechanism.drivers:
        yield view.check("common", "misread", [total])
