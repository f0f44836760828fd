"""What the kernels of joint coordinates must give, from plain definitions and dense equations; nothing is swept.

What stands in no record but those of joints follows from one square matrix at the first knot (naive/joint_tree.py), and
increments from the naive Newton system of maximal coordinates, of which the joints' own rows are closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from symvi.mechanism import coordinate_kinds
from symvi.naive import joints
from symvi.naive.discrete_body import apply_inertia, kinetic_energy, momentum, second_knot
from symvi.naive.inequalities import Law
from symvi.naive.joint_tree import Carried
from symvi.naive.quaternion import add, cross, dot, multiply, rotate, scale, subtract, unrotate
from symvi.proofs import expected_state as state
from symvi.proofs.check import Check
from symvi.proofs.expected_joint_factors import factors
from symvi.proofs.expected_step import Linear, angles, carried_angles, load
from symvi.proofs.joint_scene import NEXT, PAST, SHIFTED, TO_COME
from symvi.proofs.joint_view import JointView
from symvi.registry import JOINTS


# --- before the iteration ---------------------------------------------------------------------------------------------
def prepare(view: JointView) -> Iterator[Check]:
    scene = view.scene
    for name in scene.bodies:
        yield view.check(name, "e", scale(scene.impulse, view.system.explicit[name]))
    for constraint in view.system.constraints:
        if view.is_row(constraint.name) or constraint.target:
            yield view.check(constraint.name, "g", row_values(view, constraint))
    yield from angles_now(view, "prepare")


def row_values(view: JointView, constraint) -> list:
    """Rows at the first knot; of drivers what has been reached: the coordinate against the input of this knot."""
    g = view.system.row_values[0][constraint.name]
    return [g[0] - view.scene.states[constraint.name]["target"][0]] if constraint.target else g


def inspect(view: JointView) -> Iterator[Check]:
    """Rows of the tree where bodies stand beside their joints."""
    for constraint in view.system.constraints:
        if not view.is_row(constraint.name):
            yield view.check(constraint.name, "g", row_values(view, constraint))
    yield from angles_now(view, "inspect")


def inspect_turned(view: JointView) -> Iterator[Check]:
    """Rows of the tree where bodies are turned anyhow.

    Where the joints of a mechanism leave some entries of its rotations zero, only rows of rotations look at all of an
    orientation: where these are open, rows of lengths tell no length.
    """
    for constraint in view.system.constraints:
        if not view.is_row(constraint.name):
            check, kept = view.check(constraint.name, "g", row_values(view, constraint)), turning(view, constraint)
            if not kept:
                continue
            yield replace(
                check,
                expected=[check.expected[k] for k in kept],
                read=lambda m, read=check.read, kept=kept: [read(m)[k] for k in kept],
            )


def turning(view: JointView, constraint) -> list[int]:
    """Which rows of a joint, or of a driver, are of rotations."""
    mechanism = view.scene.mechanism
    if constraint.target:
        driver = next(driver for driver in mechanism.drivers if driver.name == constraint.name)
        return [0] * (coordinate_kinds(mechanism.joint(driver.joint).type)[driver.coordinate] == "rotation")
    joint = mechanism.joint(constraint.name)
    if JOINTS[joint.type].has_pin and not view.keeps_axes:
        return []
    return [k for k, unit in enumerate(JOINTS[joint.type].units_of(joint)) if unit == "r"]


def angles_now(view: JointView, phase: str) -> Iterator[Check]:
    """Unwrapped angles that a phase keeps."""
    kept = {
        (node.name, place.field)
        for call in view.program.phases[phase]
        for port, node in zip(call.kernel.ports, call.nodes, strict=True)
        for place in call.kernel.writes
        if place.port == port.label
    }
    for check, (node, _, _, key, _) in zip(
        angles(view, "_now", "work", view.scene.nodes), carried_angles(view.scene, view.scene.nodes), strict=True
    ):
        if (node.name, f"{key}_now") in kept:
            yield check


def look_back(view: JointView) -> Iterator[Check]:
    """Squares of the last change of the rates, and of its own change; those of slides by the mechanism's size."""
    scene, changed, bent = view.scene, view.sums["changed"][0], view.sums["bent"][0]
    for name, link in view.tree.links.items():
        for k, (x, y, z) in enumerate(zip(scene.rates[PAST][name], scene.old[name], scene.older[name], strict=True)):
            unit = scene.extent if k < link.slides else 1
            change, before = (x - y) / unit, (y - z) / unit
            changed, bent = changed + change * change, bent + (change - before) * (change - before)
    yield view.check("common", "changed", [changed])
    yield view.check("common", "bent", [bent])


def moving(view: JointView, step: str) -> Iterator[Check]:
    """Bodies move as their joints do over a step, and these at their rates."""
    for name in view.scene.bodies:
        v, w = view.velocities(name, view.scene.places[step])
        yield view.check(name, "v", v)
        yield view.check(name, "w", w)
        yield view.turned(name, view.scene.places[step])
    for name, rates in view.scene.rates[step].items():
        if rates:
            yield view.of_joint(name, "u", rates)


def begin(view: JointView) -> Iterator[Check]:
    yield from moving(view, TO_COME)
    yield from rows_at_zero(view)


def rows_at_zero(view: JointView) -> Iterator[Check]:
    for name, impulses in view.scene.impulses.items():
        if view.is_row(name):
            yield view.check(name, "y", [view.scene.zero] * len(impulses))


def rest(view: JointView) -> Iterator[Check]:
    for name, link in view.tree.links.items():
        for field, size in (("v", 3), ("w", 3), ("turn", 1)):
            yield view.check(name, field, [view.scene.zero] * size)
        if link.freedoms:
            yield view.of_joint(name, "u", [view.scene.zero] * link.freedoms)
    yield from rows_at_zero(view)


# --- residual ---------------------------------------------------------------------------------------------------------
class Residual:
    """Impulses that bodies lack, and what these leave open along the coordinates of joints.

    whole: of the naive system, with laws of joints as they push on bodies. own: what records of bodies hold, to which
    laws along coordinates of the tree do not add.
    """

    def __init__(self, view: JointView, system: Linear, before: Residual | None = None):
        """before: the residual without what of the laws acts before the first knot."""
        self.view, self.rows, self.before = view, system.residual, before
        self.whole, self.own = {}, {}
        for name in view.scene.bodies:
            f = system.residual[name]
            self.whole[name] = subtract(f, view.system.law_excess(name)) if before else f
            self.own[name] = add(self.whole[name], view.system.law_impulse(name, only=view.is_along_tree))
        self.open = view.equations.open(self.whole)
        self.y, self.given, self.left = view.equations.held(self.whole)

    @cached_property
    def told(self) -> dict[str, list]:
        """Impulses of drivers, of which nobody asks what acts before the first knot."""
        return self.driven if self.before is None else self.before.driven

    @property
    def driven(self) -> dict[str, list]:
        """The impulse of every driver that leads a joint of the tree, from open coordinates."""
        return self._driven(self.open)

    @property
    def balanced(self) -> dict[str, list]:
        """The same, once nothing is left open but what they hold."""
        return self._driven(self.given)

    def _driven(self, values: Mapping[str, list]) -> dict[str, list]:
        bodies = {link.name: name for name, link in self.view.tree.links.items()}
        return {
            driver.name: [values[bodies[driver.joint]][driver.coordinate]]
            for driver in self.view.scene.mechanism.drivers
            if driver.name in self.view.scene.carried
        }


def evaluate(view: JointView, residual: Residual) -> Iterator[Check]:
    yield from residual_of_bodies(view, residual)
    yield from rows_and_loads(view, residual)


def rows_and_loads(view: JointView, residual: Residual) -> Iterator[Check]:
    for name, values in residual.rows.items():
        if view.is_row(name) or name in residual.driven:
            yield view.check(name, "f", values)
    for laws in view.system.laws:
        if laws.loads:
            yield view.check(laws.holder, "load", [load(view, *numbers) for numbers in laws.loads])


def residual_of_bodies(view: JointView, residual: Residual) -> Iterator[Check]:
    for name, body in view.scene.bodies.items():
        second = second_knot(view.system.first[name], body.v, body.turn, view.scene.h)
        l2 = momentum(body.mass, body.inertia, view.scene.h, view.system.first[name], second, 2, view.scene.zero)[3:]
        yield view.check(name, "l", l2)
        yield view.check(name, "f", residual.own[name])
    if view.scene.summed:
        yield from summed(view, residual)


def summed(view: JointView, residual: Residual) -> Iterator[Check]:
    """What is open along coordinates, as impulses on bodies; the force that each joint bears; drivers' impulses."""
    left = view.equations.left(residual.open)
    for name in view.tree.links:
        yield view.check(name, "rest", left[name])
        total = [view.scene.zero] * 3
        for other in view.equations.above(name):
            total = add(total, residual.own[other][:3])
        yield view.check(view.node_of(name), "bearing", total)
    for name, values in residual.told.items():
        yield view.check(name, "y", values)


def pressed(view: JointView, residual: Residual) -> Iterator[Check]:
    """With contacts, limits or dry friction: what is open is left to bodies, and joints hold all else."""
    for name, link in view.tree.links.items():
        yield view.check(name, "f", residual.left[name])
        if view.program.notes["loops"]:
            yield view.check(name, "held", subtract(residual.own[name], residual.left[name]))
        if link.joint is not None:
            yield view.check(view.node_of(name), "wrench", wrench(view, residual, link))
    for name, values in residual.balanced.items():
        yield view.check(name, "y", values)


def sent(view: JointView, residual: Residual, laws: Mapping[str, Law]) -> Iterator[Check]:
    """What was left to bodies, less what nodes are sent to beside their impulses; those between two bodies keep that."""
    found = dict(residual.left)
    for name, node in view.interior.nodes.items():
        if not view.is_bordered(name):
            for body in node.moving:
                found[body] = subtract(found[body], node.push(body, laws[name].sent))
    for name, values in found.items():
        yield view.check(name, "f", values)


def kept(view: JointView, residual: Residual) -> Iterator[Check]:
    """What was left to bodies, and rows, as they were before an aim and an elimination changed them."""
    for name, values in residual.left.items():
        yield view.check(name, "f", values)
    for name, values in residual.rows.items():
        if view.is_row(name) or name in residual.driven:
            yield view.check(name, "f", values)


def wrench(view: JointView, residual: Residual, link: Carried) -> list:
    """What a joint gives the body that it carries, about the joint's point: rows, drivers and laws along it."""
    name, total = link.body, [view.scene.zero] * 6
    for row, y in zip(view.system.gradients.get((link.name, name), []), residual.y.get(link.name, []), strict=True):
        total = [old + y * x for old, x in zip(total, row, strict=True)]
    for k in link.led:
        row = view.equations.coordinates[name][name][k]
        total = [old + residual.given[name][k] * x for old, x in zip(total, row, strict=True)]
    total = add(total, view.system.law_impulse(name, only=lambda laws: laws.holder == link.name))
    return [*total[:3], *subtract(total[3:], cross(view.equations.arm(link), total[:3]))]


def merit(view: JointView, residual: Residual, more) -> Iterator[Check]:
    """Squares of what is open over what each body alone opposes to it, of rows, and what else is missed."""
    total = view.sums["merit"][0] + more
    left = residual.open if view.scene.summed else residual.given
    for name, link in view.tree.links.items():
        for k, (value, mass) in enumerate(zip(left[name], opposed(view, link), strict=True)):
            if k not in link.led:
                total = total + value * value / (mass * mass)
    for name, values in residual.rows.items():
        if view.is_row(name) or name in residual.driven:
            total = total + sum((value * value for value in values), view.scene.zero)
    yield view.check("common", "merit", [total])


def opposed(view: JointView, link: Carried) -> list:
    """What a body alone opposes to each coordinate of its joint: mass, or inertia about the joint's point.

    Of free turns an inertia that is none of a direction.
    """
    name, body = link.body, view.scene.bodies[link.body]
    if link.joint is None:
        return [body.mass] * 3 + [body.size] * 3
    arm = view.equations.arm(link)
    found = [body.mass] * link.slides
    if link.is_absolute:
        return found + [body.size + body.mass * dot(arm, arm)] * 3
    for row in view.equations.coordinates[name][name][link.slides :]:
        axis, q = row[3:], body.q
        lever = cross(axis, arm)
        spin = rotate(q, apply_inertia(body.inertia, unrotate(q, axis)))
        more = link.joint.pitch * link.joint.pitch if JOINTS[link.joint.type].is_threaded else view.scene.zero
        found.append(dot(axis, spin) + body.mass * (dot(lever, lever) + more))
    return found


# --- solution ---------------------------------------------------------------------------------------------------------
def solve(view: JointView, system: Linear, alone: Mapping | None = None) -> Iterator[Check]:
    """Newton's increments, of one dense solution. alone: the matrix without laws between two bodies."""
    s, second = view.solved(system), view.system.second()
    for name, link in view.tree.links.items():
        if link.freedoms:
            yield view.of_joint(name, "s", view.equations.increments(name, s, second))
        yield view.check(name, "s", about_anchor(view, link, s[name], second) if view.scene.summed else s[name])
    for name, values in s.items():
        if view.is_row(name):
            yield view.check(name, "s", values)
    yield from factors(view, system.matrix if alone is None else alone)


def about_anchor(view: JointView, link: Carried, s: list, second: Mapping) -> list:
    """The increment of a body told of its own anchor at the second knot, in place of its centre of mass."""
    if link.joint is None:
        return s
    anchor = rotate(second[link.body][1], link.joint.anchor_b if link.outward else link.joint.anchor_a)
    return [*add(s[:3], cross(s[3:], anchor)), *s[3:]]


def take_velocity(view: JointView, system: Linear) -> Iterator[Check]:
    s, half = view.solved(system), view.scene.h / 2
    for name in view.scene.bodies:
        yield view.check(name, "v", [-x for x in s[name][:3]])
        yield view.check(name, "w", [-x for x in s[name][3:]])
        yield view.check(name, "turn", [half * half * dot(s[name][3:], s[name][3:])])


def depart(view: JointView, system: Linear) -> Iterator[Check]:
    """Twice the kinetic energy, by the inertia of the first knot, of velocities less their increments."""
    s, total, h = view.solved(system), view.sums["kinetic"][0], view.scene.h
    for name, body in view.scene.bodies.items():
        v, w = view.system.velocity(name)
        turned = multiply([view.scene.zero, *scale(h / 2, s[name][3:])], body.turn)
        away = subtract(v, s[name][:3]), subtract(w, scale(2 / h, turned[1:]))
        total = total + 2 * kinetic_energy(body.mass, body.inertia, body.q, *away)
    yield view.check("common", "kinetic", [total])


def advance(view: JointView) -> Iterator[Check]:
    yield from moving(view, NEXT)
    for name, change in view.changes.items():
        if change:
            yield view.of_joint(name, "s", change)
            yield view.of_joint(name, "base", view.scene.rates[TO_COME][name])
    for name, impulses in view.scene.impulses.items():
        if view.is_row(name):
            yield view.check(name, "base", impulses)
            yield view.check(name, "y", subtract(impulses, scale(view.scene.length, view.solution[name])))


def shorten_step(view: JointView) -> Iterator[Check]:
    yield from moving(view, NEXT)
    for name in filter(view.is_row, view.scene.impulses):
        yield view.check(name, "y", subtract(view.base[name], scale(view.scene.length, view.solution[name])))


def displace(view: JointView) -> Iterator[Check]:
    yield from moving(view, SHIFTED)
    yield from placed(view, SHIFTED)


def placed(view: JointView, step: str) -> Iterator[Check]:
    for name in view.scene.bodies:
        x, q = view.scene.places[step][name]
        yield view.check(name, "x", x, "state")
        yield view.check(name, "q", q, "state")


# --- what is told, and the next step ----------------------------------------------------------------------------------
def react(view: JointView, residual: Residual) -> Iterator[Check]:
    """Impulses of all rows where nothing is open, and reactions."""
    for name, values in residual.y.items():
        yield view.check(name, "y", values)
    for name, values in reactions(view, residual):
        yield view.check(name, "reaction", values)


def reactions(view: JointView, residual: Residual) -> Iterator[tuple[str, list]]:
    """Of joints of the tree and of those that close loops: of the rows alone, as maximal coordinates tell them."""
    scene, first = view.scene, view.system.first
    for joint in scene.mechanism.joints:
        if joint.name not in view.system.sizes:
            continue
        numbers, impulses = scene.joints[joint.name], residual.y.get(joint.name, scene.impulses[joint.name])
        push = [scene.zero] * 6
        gradients = view.system.gradients.get((joint.name, joint.child))
        if gradients is None:  # the child is the ground: what it feels is against what the parent does, at its anchor
            raise KeyError(f"joint '{joint.name}' has no child that moves")
        for row, y in zip(gradients, impulses, strict=True):
            push = [old + y * x for old, x in zip(push, row, strict=True)]
        arm = rotate(first[joint.child][1], numbers.anchor_b)
        parts = push[:3], subtract(push[3:], cross(arm, push[:3]))
        in_axes = [x for part in parts for x in joints.in_joint_frame(numbers, first[joint.parent], part)]
        yield joint.name, [value / scene.impulse for value in in_axes]


def gather(view: JointView, residual: Residual) -> Iterator[Check]:
    impulses = view.scene.impulses | residual.y | (residual.balanced if not view.scene.summed else residual.driven)
    for name, values in impulses.items():
        total = add(view.totals[name]["total"], values)
        yield view.check(name, "total", total)
        yield view.check(name, "y", total)
    for name, values in reactions(view, residual):
        yield from state.mean_of_parts(view, name, "total_reaction", "reaction", values, range(6))


def finish(view: JointView, residual: Residual) -> Iterator[Check]:
    scene = view.scene
    yield from placed(view, TO_COME)
    left = view.equations.left(residual.open)
    for name, body in scene.bodies.items():
        p = momentum(body.mass, body.inertia, scene.h, view.system.first[name], scene.places[TO_COME][name], 2, scene.zero)
        p = add(p, view.system.handed_on(name))
        if scene.summed and view.tree.links[name].below == "world":
            p = subtract(p, left[name])  # what is open at a root is made up for in the next step
        v, w = view.system.velocity(name)
        state_of_body = {"p": p[:3], "l": p[3:], "v": v, "w": w, "v_old": body.record.v_state, "w_old": body.record.w_past}
        for field, values in state_of_body.items():
            yield view.check(name, field, values, "state")
        yield from aged(view, name, body.record.v_old, body.record.w_old)
    for name, link in view.tree.links.items():
        yield from kept_rates(view, link, scene.rates[TO_COME][name], scene.rates[PAST][name], scene.old[name])
    yield from state.aims(view)
    yield from angles(view, "", "state", scene.nodes)
    yield from angles(view, "", "state", scene.watched)
    for laws in view.system.laws:
        if laws.thetas:
            yield view.check(laws.holder, "theta_before", list(laws.thetas), "state")
        if laws.spring_thetas:
            yield view.check(laws.holder, "spring_theta_before", list(laws.spring_thetas), "state")
    for driver in scene.mechanism.drivers:
        yield view.check(driver.name, "target", scene.inputs[driver.name]["target"], "state")


def aged(view: JointView, name: str, v: list, w: list) -> Iterator[Check]:
    """Velocities of the step before the step before, which free bodies and free turns keep."""
    link = view.tree.links[name]
    if view.scene.summed and link.joint is None:
        yield view.check(name, "v_older", v, "state")
    if view.scene.summed and link.is_absolute:
        yield view.check(name, "w_older", w, "state")


def kept_rates(view: JointView, link: Carried, *rates: list) -> Iterator[Check]:
    """Rates of a joint over the last steps, but for free turns."""
    count = link.slides if link.is_absolute else link.freedoms
    if link.joint is not None and count:
        for field, values in zip(("u", "u_old", "u_older")[: 3 if view.scene.summed else 2], rates, strict=False):
            known = view.scene.unknowns(link.body, values)[:count]
            yield view.check(view.node_of(link.body), field, known, "state")


def started(view: JointView) -> Iterator[Check]:
    """Rates of the coordinates at the velocities of the state, as if they had been so for long."""
    for name, link in view.tree.links.items():
        record = view.scene.bodies[name].record
        yield from aged(view, name, record.v_state, record.w_past)
        if link.joint is not None:
            rates = [view.scene.zero] * link.freedoms
            for body, rows in view.equations.coordinates[name].items():
                moving = [*view.scene.bodies[body].record.v_state, *view.scene.bodies[body].record.w_past]
                rates = [
                    old + sum((a * b for a, b in zip(row, moving, strict=True)), view.scene.zero)
                    for old, row in zip(rates, rows, strict=True)
                ]
            yield from kept_rates(view, link, rates, rates, rates)
