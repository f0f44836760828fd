"""What the kernels around a step must give: starts, changes of the iterate, reactions, the next state, energies."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symvi.naive import joints
from symvi.naive.discrete_body import apply_inertia, kinetic_energy, momentum, second_knot
from symvi.naive.quaternion import add, cross, dot, multiply, rotate, scale, subtract, unrotate
from symvi.proofs.check import Check, View
from symvi.proofs.expected_step import angles
from symvi.proofs.scene import chord
from symvi.registry import law_of


def begin(view: View) -> Iterator[Check]:
    for name, body in view.scene.bodies.items():
        state, share = body.record, view.scene.length
        yield view.check(name, "v", add(state.v_state, scale(share, subtract(state.v_state, state.v_old))))
        w = add(state.w_past, scale(share, subtract(state.w_past, state.w_old)))
        yield view.check(name, "w", w)
        yield view.turn(name, w)
    yield from impulses_zero(view)


def impulses_zero(view: View) -> Iterator[Check]:
    for name, impulses in view.scene.impulses.items():
        yield view.check(name, "y", [view.scene.zero] * len(impulses))


def rest(view: View) -> Iterator[Check]:
    for name in view.scene.bodies:
        for field in ("v", "w"):
            yield view.check(name, field, [view.scene.zero] * 3)
        yield view.check(name, "turn", [view.scene.zero])
    yield from impulses_zero(view)


def take_velocity(view: View) -> Iterator[Check]:
    for name in view.scene.bodies:
        s = view.solution[name]
        yield view.check(name, "v", [-x for x in s[:3]])
        yield view.check(name, "w", [-x for x in s[3:]])
        yield view.turn(name, s[3:])


def advance(view: View) -> Iterator[Check]:
    """The rotation vector of z2 over h changes w by the first-order change of (2/h) V([1; h s/2] [c; a])."""
    for name, body in view.scene.bodies.items():
        s, (v, w) = view.solution[name], view.system.velocity(name)
        turned = multiply([view.scene.zero, *scale(view.scene.h / 2, s[3:])], body.turn)
        change = s[:3] + scale(2 / view.scene.h, turned[1:])
        yield view.check(name, "s", change)
        yield view.check(name, "base", [*v, *w])
        yield from moved(view, name, [*v, *w], change)
    for name, impulses in view.scene.impulses.items():
        yield view.check(name, "base", impulses)
        yield view.check(name, "y", subtract(impulses, scale(view.scene.length, view.solution[name])))


def moved(view: View, name: str, base: list, change: list) -> Iterator[Check]:
    now = subtract(base, scale(view.scene.length, change))
    yield view.check(name, "v", now[:3])
    yield view.check(name, "w", now[3:])
    yield view.turn(name, now[3:])


def shorten_step(view: View) -> Iterator[Check]:
    for name in view.scene.bodies:
        yield from moved(view, name, view.base[name], view.solution[name])
    for name in view.scene.impulses:
        yield view.check(name, "y", subtract(view.base[name], scale(view.scene.length, view.solution[name])))


def displace(view: View) -> Iterator[Check]:
    for name, body in view.scene.bodies.items():
        v = scale(view.scene.length, body.v)
        x, q = second_knot(view.system.first[name], v, body.record.shifted, view.scene.h)
        yield view.check(name, "x", x, "state")
        yield view.check(name, "q", q, "state")


def compare(view: View) -> Iterator[Check]:
    """Squares of the velocities, and of what they miss of the last ones carried on; rates count by a body's size."""
    missed, moved = view.sums["missed"][0], view.sums["moved"][0]
    for name, body in view.scene.bodies.items():
        state, (v, w) = body.record, view.system.velocity(name)
        for weight, now, last, old in (
            (1, v, state.v_state, state.v_old),
            (body.size / body.mass, w, state.w_past, state.w_old),
        ):
            away = subtract(now, add(last, scale(view.scene.length, subtract(last, old))))
            missed, moved = missed + dot(away, away) * weight, moved + dot(now, now) * weight
    yield view.check("common", "missed", [missed])
    yield view.check("common", "moved", [moved])


def do_work(view: View, less: Callable[[str], list] | None = None) -> Iterator[Check]:
    """Impulses of all rows at the first knot, G(z1)ᵀ y, times the velocities after it and against those before it.

    less: of a body, impulses to be left out.
    """
    after, before = view.sums["work_after"][0], view.sums["work_before"][0]
    for name, body in view.scene.bodies.items():
        impulse, (v, w) = view.system.constraint_impulse(name), view.system.velocity(name)
        if less is not None:
            impulse = subtract(impulse, less(name))
        after = after + dot(impulse[:3], v) + dot(impulse[3:], w)
        before = before - dot(impulse[:3], body.record.v_state) - dot(impulse[3:], body.record.w_past)
    yield view.check("common", "work_after", [after])
    yield view.check("common", "work_before", [before])


def reset(view: View) -> Iterator[Check]:
    for name, totals in view.totals.items():
        for field, values in totals.items():
            yield view.check(name, field, [view.scene.zero] * len(values))


def gather(view: View) -> Iterator[Check]:
    """Impulses of all parts so far, and the mean of the reactions over their time."""
    for name, impulses in view.scene.impulses.items():
        total = add(view.totals[name]["total"], impulses)
        yield view.check(name, "total", total)
        yield view.check(name, "y", total)
    for name, values in reactions(view):
        yield from mean_of_parts(view, name, "total_reaction", "reaction", values, range(6))


def mean_of_parts(view: View, name: str, total: str, field: str, values: list, entries) -> Iterator[Check]:
    """Entries of what is shown of this part join their sums, by the time that forces acted; others stay."""
    sums = [old + view.scene.impulse * values[k] for old, k in zip(view.totals[name][total], entries, strict=True)]
    means = dict(zip(entries, (value / view.elapsed for value in sums), strict=True))
    yield view.check(name, total, sums)
    yield view.check(name, field, [means.get(k, value) for k, value in enumerate(values)])


def react(view: View) -> Iterator[Check]:
    for name, values in reactions(view):
        yield view.check(name, "reaction", values)


def reactions(view: View) -> Iterator[tuple[str, list]]:
    """The rows' force on the child, and their torque about its anchor, in joint axes."""
    scene = view.scene
    for joint in scene.mechanism.joints:
        if joint.name in view.system.sizes:
            numbers, (x_a, q_a) = scene.joints[joint.name], view.system.first[joint.parent]
            push = view.system.constraint_impulse(joint.child, joint.name)
            arm = rotate(view.system.first[joint.child][1], numbers.anchor_b)
            wrench = (push[:3], subtract(push[3:], cross(arm, push[:3])))
            values = [
                value / scene.impulse for part in wrench for value in joints.in_joint_frame(numbers, (x_a, q_a), part)
            ]
            yield joint.name, values


def finish(view: View) -> Iterator[Check]:
    scene = view.scene
    for name, body in scene.bodies.items():
        v, w = view.system.velocity(name)
        x, q = second_knot(view.system.first[name], body.v, body.turn, scene.h)
        p = momentum(body.mass, body.inertia, scene.h, view.system.first[name], (x, q), 2, scene.zero)
        p = add(p, view.system.handed_on(name))
        state = {
            "x": x,
            "q": q,
            "p": p[:3],
            "l": p[3:],
            "v": v,
            "w": w,
            "v_old": body.record.v_state,
            "w_old": body.record.w_past,
        }
        for field, values in state.items():
            yield view.check(name, field, values, "state")
    yield from aims(view)
    yield from angles(view, "", "state", scene.nodes)
    yield from angles(view, "", "state", scene.watched)
    for laws in view.system.laws:
        if laws.thetas:
            yield view.check(laws.holder, "theta_before", list(laws.thetas), "state")
        if laws.spring_thetas:
            yield view.check(laws.holder, "spring_theta_before", list(laws.spring_thetas), "state")
    for driver in scene.mechanism.drivers:
        yield view.check(driver.name, "target", scene.inputs[driver.name]["target"], "state")


def arrive(view: View) -> Iterator[Check]:
    """The rate at the new knot is that of a parabola through three inputs, from the mean rates of two steps."""
    scene = view.scene
    for driver in scene.mechanism.drivers:
        target, state = scene.inputs[driver.name]["target"][0], scene.states[driver.name]
        mean = (target - state["target"][0]) / scene.h
        for field, value in (("rate_before", mean), ("rate", mean + (mean - state["rate_before"][0]) / 2)):
            yield view.check(driver.name, field, [value], "state")


def aims(view: View) -> Iterator[Check]:
    """What servos aimed at when the step ended, or at a start."""
    for force in view.scene.mechanism.forces:
        if (law := law_of(force)) and law.is_aimed:
            for field in ("target", "target_rate"):
                yield view.check(force.name, field, view.scene.inputs[force.name][field], "state")


def start_momenta(view: View) -> Iterator[Check]:
    for name, body in view.scene.bodies.items():
        state = body.record
        angular_momentum = rotate(body.q, apply_inertia(body.inertia, unrotate(body.q, state.w_past)))
        yield from momenta_checks(view, name, scale(body.mass, state.v_state), angular_momentum)
    yield from aims(view)


def start_momenta_of_chord(view: View) -> Iterator[Check]:
    """The momentum at the end of the step before, from its own discrete Lagrangian."""
    for name, body in view.scene.bodies.items():
        state, h = body.record, view.scene.h
        before = (subtract(body.x, scale(h, state.v_state)), chord(body))
        p = momentum(body.mass, body.inertia, h, before, view.system.first[name], 2, view.scene.zero)
        yield from momenta_checks(view, name, p[:3], p[3:])
    yield from aims(view)


def start_momenta_of_turn(view: View) -> Iterator[Check]:
    """The mean of the momenta at this knot of two steps: to where h w turns the body, and from where it came by that.

    |h w| has a guard at 0, as the rotation vector of a joint has.
    """
    scene, h = view.scene, view.scene.h
    sin, cos = scene.functions.sin, scene.functions.cos
    for name, body in scene.bodies.items():
        state, size, knot = body.record, scene.size_of_turn(body.record.w_past), view.system.first[name]
        momenta = []
        for step in (h, -h):
            turn = [cos(size / 2), *scale(step * sin(size / 2) / size, state.w_past)]
            there = add(body.x, scale(step, state.v_state)), multiply(turn, body.q)
            momenta.append(momentum(body.mass, body.inertia, step, knot, there, 1, scene.zero))
        p = [(forwards + backwards) / 2 for forwards, backwards in zip(*momenta, strict=True)]
        w = scale(sin(size) / size, state.w_past)
        yield view.check(name, "w", w, "state")
        yield from momenta_checks(view, name, p[:3], p[3:], w)


def momenta_checks(view: View, name: str, linear: list, angular: list, w: list | None = None) -> Iterator[Check]:
    state = view.scene.bodies[name].record
    turning = state.w_past if w is None else w
    for field, values in (("p", linear), ("l", angular), ("v_old", state.v_state), ("w_old", turning)):
        yield view.check(name, field, values, "state")


def energy(view: View) -> Iterator[Check]:
    """Energies and momenta, added to what is there, of the knot with the velocities of the work record."""
    scene, sums, system = view.scene, view.sums, view.system
    kinetic, potential = sums["kinetic"][0], sums["potential"][0]
    linear, angular = sums["momentum"], sums["angular_momentum"]
    for name, body in scene.bodies.items():
        v, w = system.velocity(name)
        kinetic = kinetic + kinetic_energy(body.mass, body.inertia, body.q, v, w)
        potential = potential - body.mass * dot(scene.gravity, body.x)
        p = scale(body.mass, v)
        angular_momentum = rotate(body.q, apply_inertia(body.inertia, unrotate(body.q, w)))
        linear, angular = add(linear, p), add(angular, add(angular_momentum, cross(body.x, p)))
    for force in system.forces.values():
        if force.energy:
            potential = potential + force.energy(*(system.first[name] for name in force.bodies))
    for field, values in (
        ("kinetic", [kinetic]),
        ("potential", [potential]),
        ("momentum", linear),
        ("angular_momentum", angular),
    ):
        yield view.check("common", field, values)
