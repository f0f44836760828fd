"""What the kernels of joint coordinates must give, from plain definitions and dense equations; nothing is swept.

What stands in no record but those of joints follows from one square matrix at the first knot (naive/joint_tree.py), and
increments from the naive Newton system of maximal coordinates, of which the joints' own rows are closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symvi.naive import joints
from symvi.naive.discrete_body import kinetic_energy, momentum
from symvi.naive.joint_tree import Carried
from symvi.naive.quaternion import add, cross, dot, multiply, rotate, scale, subtract
from symvi.proofs import expected_state as state
from symvi.proofs.check import Check
from symvi.proofs.expected_joint_factors import factors
from symvi.proofs.expected_joint_residual import Residual, wrench
from symvi.proofs.expected_step import Linear, angles, carried_angles
from symvi.proofs.joint_scene import NEXT, PAST, SHIFTED, TO_COME
from symvi.proofs.joint_view import JointView


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
    """Rows of the tree where bodies are turned anyhow, off the plane of a mechanism as well."""
    for constraint in view.system.constraints:
        if not view.is_row(constraint.name):
            yield view.check(constraint.name, "g", row_values(view, constraint))


def angles_now(view: JointView, phase: str) -> Iterator[Check]:
    """Unwrapped angles that a phase keeps."""
    kept = {
        (node.name, place.field)
        for call in view.program.phases[phase]
        for port, node in zip(call.kernel.ports, call.nodes, strict=True)
        for place in call.kernel.writes
        if place.port == port.label
    }
    carried = carried_angles(view.scene, view.scene.nodes)
    for check, (node, _, _, key, _) in zip(angles(view, "_now", "work", view.scene.nodes), carried, strict=True):
        if (node.name, f"{key}_now") in kept:
            yield check


def measure_bend(view: JointView) -> Iterator[Check]:
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
    for name, link in view.tree.links.items():
        yield view.check(view.node_of(name), "wrench", wrench(view, residual, link))
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
    left = view.equations.left(residual.open) if scene.summed else residual.left
    for name, body in scene.bodies.items():
        p = momentum(
            body.mass, body.inertia, scene.h, view.system.first[name], scene.places[TO_COME][name], 2, scene.zero
        )
        p = add(p, view.system.handed_on(name))
        if not scene.summed or view.tree.links[name].below == "world":
            p = subtract(p, left[name])  # what is open, of all that a root carries, is made up for in the next step
        v, w = view.system.velocity(name)
        state_of_body = {
            "p": p[:3],
            "l": p[3:],
            "v": v,
            "w": w,
            "v_old": body.record.v_state,
            "w_old": body.record.w_past,
        }
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
    if link.joint is None:
        yield view.check(name, "v_older", v, "state")
    if link.is_absolute:
        yield view.check(name, "w_older", w, "state")


def kept_rates(view: JointView, link: Carried, *rates: list) -> Iterator[Check]:
    """Rates of a joint over the last steps, but for free turns."""
    count = link.slides if link.is_absolute else link.freedoms
    if link.joint is not None and count:
        for field, values in zip(("u", "u_old", "u_older"), rates, strict=True):
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
